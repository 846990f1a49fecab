//! What an engine is told before a request: the program is started, a game begun, a database
//! opened.
//!
//! Finds out on the way what the engine is called and whether it can analyse.

use std::time::Duration;

use super::super::super::position::Position;
use super::super::output::Output;
use super::super::process::{Fault, Process};
use super::super::request;
use super::super::task::News;
use super::{Driver, Stop};

/// How long an engine may take to tell its name, and whether it can analyse.
const ABOUT_TIME: Duration = Duration::from_secs(2);
const PROBE_TIME: Duration = Duration::from_secs(3);
/// How long it may take to begin a game.
const START_TIME: Duration = Duration::from_secs(15);

impl<T: Fn(u64, News)> Driver<T> {
    /// Sees to it that the engine runs and has begun a game of this kind.
    pub(super) async fn begin_game(&mut self, position: &Position) -> Result<(), Stop> {
        let is_new = self.process.is_none();
        if is_new {
            self.game = None;
            self.is_weakened = false;
            self.has_database = false;
            self.process = Some(Process::start(&self.program)?);
            self.send(&["ABOUT".into()]).await?;
            let name = self.ask(ABOUT_TIME, |output| match output {
                Output::About(name) => Some(name.clone()),
                Output::Unknown(_) | Output::Error(_) => Some(String::new()),
                _ => None,
            });
            if let Some(name) = name.await?.filter(|name| !name.is_empty()) {
                self.program.name = name;
            }
        }
        let game = (position.size, position.rule);
        if self.game == Some(game) {
            return Ok(());
        }
        self.restart(request::start(position)).await?;
        if is_new {
            self.probe().await?;
            if self.can_analyse() {
                self.send(&["INFO show_detail 3".into()]).await?;
            }
            self.news(News::Name(self.program.name.clone(), self.can_analyse()));
        }
        self.send(&request::game_infos(position.rule)).await?;
        self.game = Some(game);
        Ok(())
    }

    /// Begins a game by this line.
    pub(super) async fn restart(&mut self, line: String) -> Result<(), Stop> {
        self.send(&[line]).await?;
        self.stones = Some(Vec::new());
        let wanted = |output: &Output| match output {
            Output::Ok => Some(Ok(())),
            Output::Error(text) | Output::Unknown(text) => Some(Err(Fault::Refused(text.clone()))),
            _ => None,
        };
        self.expect("the start of a game", START_TIME, wanted).await
    }

    /// Finds out whether the engine knows the commands of analysis, by one that changes nothing.
    async fn probe(&mut self) -> Result<(), Stop> {
        // An engine that dies of it is not asked again.
        if self.is_probed || self.program.can_analyse.get().is_some() {
            return Ok(());
        }
        self.is_probed = true;
        self.send(&["YXSHOWFORBID".into()]).await?;
        let answer = self.ask(PROBE_TIME, |output| match output {
            Output::Forbid => Some(true),
            Output::Unknown(_) | Output::Error(_) => Some(false),
            _ => None,
        });
        if let Some(can_analyse) = answer.await? {
            // Another process of the program may have told the same meanwhile.
            let _ = self.program.can_analyse.set(can_analyse);
        }
        Ok(())
    }

    /// Sees to it that the engine has opened the database. One that cannot goes without.
    pub(super) async fn open_database(&mut self) -> Result<(), Stop> {
        let Some(path) = self.program.database.as_ref().filter(|_| !self.has_database) else {
            return Ok(());
        };
        let line = format!("INFO database {}", path.display());
        self.has_database = true;
        // Engines tell in their own words what came of it, or nothing; the name comes behind that.
        self.send(&[line, "ABOUT".into()]).await?;
        let named = |output: &Output| matches!(output, Output::About(_)).then_some(());
        self.ask(START_TIME, named).await?;
        Ok(())
    }

    /// Returns true if the engine is known to understand the commands of analysis.
    pub(super) fn can_analyse(&self) -> bool {
        self.program.can_analyse.get() == Some(&true)
    }
}
