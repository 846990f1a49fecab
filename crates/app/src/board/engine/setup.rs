//! What an engine is told before a request: the program is started, a game begun, a database
//! opened.
//!
//! Finds out on the way what the engine is called and whether it can analyse.

use std::time::Duration;

use tengen_gomocup::manager;
use tengen_gomocup::process::Process;
use tengen_gomocup::{About, Command, FileKind, Info, Reply};
use tengen_session::session::{News, Position};

use super::{Driver, Stop};

/// How long an engine may take to tell its name, and whether it can analyse.
const ABOUT_TIME: Duration = Duration::from_secs(2);
const PROBE_TIME: Duration = Duration::from_secs(3);
/// How long it may take to begin a game.
const START_TIME: Duration = Duration::from_secs(15);
/// `max_memory`, in bytes.
const MEMORY: u64 = 350 << 20;

impl<T: Fn(u64, News)> Driver<T> {
    /// Sees to it that the engine runs and has begun a game of this kind.
    pub(super) async fn begin_game(&mut self, position: &Position) -> Result<(), Stop> {
        let is_new = self.process.is_none();
        if is_new {
            self.game = None;
            self.is_weakened = false;
            self.has_database = false;
            self.process = Some(Process::start(&self.profile.program)?);
            self.send(&[Command::About.to_string()]).await?;
            let name = self.ask(ABOUT_TIME, |reply| match reply {
                Reply::About(about) => Some(full_name(about)),
                Reply::Unknown(_) | Reply::Error(_) => Some(String::new()),
                _ => None,
            });
            if let Some(name) = name.await?.filter(|name| !name.is_empty()) {
                self.profile.program.name = name;
            }
        }
        let game = (position.size, position.rule);
        if self.game == Some(game) {
            return Ok(());
        }
        self.restart(Command::start(position.size)).await?;
        if is_new {
            self.probe().await?;
            if self.can_analyse() {
                self.send(&[Command::Info(Info::ShowDetail(3)).to_string()]).await?;
            }
            self.news(News::Name(self.profile.program.name.clone(), self.can_analyse()));
        }
        self.send(&manager::settings(manager::game(position.rule, MEMORY))).await?;
        self.game = Some(game);
        Ok(())
    }

    pub(super) async fn restart(&mut self, command: Command) -> Result<(), Stop> {
        self.send(&[command.to_string()]).await?;
        self.stones = Some(Vec::new());
        self.expect("the start of a game", START_TIME, manager::started).await
    }

    /// Finds out whether the engine knows the commands of analysis, by one that changes nothing.
    async fn probe(&mut self) -> Result<(), Stop> {
        // An engine that dies of it is not asked again.
        if self.is_probed || self.profile.can_analyse.get().is_some() {
            return Ok(());
        }
        self.is_probed = true;
        self.send(&[Command::ShowForbid.to_string()]).await?;
        let answer = self.ask(PROBE_TIME, |reply| match reply {
            Reply::Forbid(_) => Some(true),
            Reply::Unknown(_) | Reply::Error(_) => Some(false),
            _ => None,
        });
        if let Some(can_analyse) = answer.await? {
            // Another process of the program may have told the same meanwhile.
            let _ = self.profile.can_analyse.set(can_analyse);
        }
        Ok(())
    }

    /// Sees to it that the engine has opened the database. One that cannot goes without.
    pub(super) async fn open_database(&mut self) -> Result<(), Stop> {
        let Some(path) = self.profile.database.as_ref().filter(|_| !self.has_database) else {
            return Ok(());
        };
        let name = path.display().to_string();
        let open = Command::File { kind: FileKind::Database, name };
        self.has_database = true;
        // Engines say in their own words what came of it, or nothing; the name comes after that.
        self.send(&[open, Command::About].map(|command| command.to_string())).await?;
        let named = |reply: &Reply| matches!(reply, Reply::About(_)).then_some(());
        self.ask(START_TIME, named).await?;
        Ok(())
    }

    pub(super) fn can_analyse(&self) -> bool {
        self.profile.can_analyse.get() == Some(&true)
    }
}

fn full_name(about: &About) -> String {
    const LENGTH_MAX: usize = 30;
    // What it was built with is of no interest here.
    let version = about.version.split(" (").next().unwrap_or_default();
    format!("{} {version}", about.name).trim().chars().take(LENGTH_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_called_by_its_name_and_version() {
        let name = |line: &str| match Reply::parse(line) {
            Reply::About(about) => full_name(&about),
            _ => panic!("{line}"),
        };
        let line = r#"name="Tengen", version="0.1.0", author="x", country="Earth""#;
        assert_eq!(name(line), "Tengen 0.1.0");
        assert_eq!(name(r#"name="Other", version="1.2 (g++ on Linux)""#), "Other 1.2");
        assert_eq!(name(r#"name="None""#), "None");
    }
}
