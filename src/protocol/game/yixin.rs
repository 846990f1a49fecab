//! The commands of Yixin-Board and gomocalc: what they do to the game.
//!
//! Their words are read in `reading::yixin`; the opening steps stand in `opening_steps`.

use super::super::reading::list::{ListItem, ListKind};
use super::super::reading::yixin::{FileKind, Yixin};
use super::super::reply::Reply;
use super::super::reply::detail::Detail;
use super::super::settings::{MAX_HASH_EXPONENT, Settings};
use super::super::task::{Purpose, TableTask};
use super::refusal::Refusal;
use super::{Action, Game, answer};
use crate::board::symmetry::twins;
use crate::search::{Placement, RootOptions, max_threads};

impl Game {
    /// Returns what the manager wants to hear of a running search.
    pub fn detail(&self) -> Detail {
        let settings = &self.settings;
        let size = self.position.as_ref().map(|position| position.size());
        Detail {
            realtime: settings.shows_realtime(),
            numbers: settings.shows_numbers(),
            yixin_board: size.filter(|_| settings.is_yixin()),
        }
    }

    /// Returns true if the command would change the game as it stands now.
    pub(super) fn yixin_would_change(&self, command: &Yixin) -> bool {
        match command {
            Yixin::NBest(_)
            | Yixin::SearchDefend
            | Yixin::Balance(..)
            | Yixin::Swap2Open
            | Yixin::Swap2Choose(_)
            | Yixin::SoosorvOpen => self.position.is_some(),
            Yixin::ShowForbid
            | Yixin::HashClear
            | Yixin::HashUsage
            | Yixin::ShowInfo
            | Yixin::ExcludeReset
            | Yixin::ExcludePathReset
            | Yixin::File { .. }
            | Yixin::Ignored => false,
        }
    }

    /// Executes a command of the extension.
    pub(super) fn yixin(&mut self, command: Yixin) -> Result<Action, Refusal> {
        match command {
            Yixin::NBest(lines) => {
                let mut root = RootOptions { lines, ..RootOptions::default() };
                if lines > 1 && self.settings.leaves_out_symmetric_moves() {
                    let rule = self.settings.rule();
                    root.excluded = twins(&self.position()?.board_to_move(rule));
                }
                self.think_about(Purpose::Move, root)
            }
            Yixin::SearchDefend => {
                let (lines, all_moves) = (usize::MAX, true);
                let root = RootOptions { lines, all_moves, ..RootOptions::default() };
                self.think_about(Purpose::Defence, root)
            }
            Yixin::Balance(stones, score) => {
                let needed = if stones == Placement::One { 1 } else { 2 };
                if self.position()?.free_cells().count() < needed {
                    return Err(Refusal::Full);
                }
                self.think(Purpose::Balance(stones, score))
            }
            Yixin::Swap2Open => self.swap2_open(),
            Yixin::Swap2Choose(stones) => self.swap2_choose(stones),
            Yixin::SoosorvOpen => self.soosorv_open(),
            Yixin::ShowForbid => {
                let rule = self.settings.rule();
                let points = self.position.as_ref().map(|position| position.forbidden_points(rule));
                Ok(answer(Reply::Forbid(points.unwrap_or_default())))
            }
            Yixin::HashClear => {
                self.forget = true;
                Ok(Action::Nothing)
            }
            Yixin::HashUsage => Ok(Action::Table(TableTask::Usage)),
            Yixin::ShowInfo => {
                self.change_settings(Settings::speak_yixin);
                let message = |key, value| Reply::Message(format!("INFO {key} {value}"));
                Ok(Action::Answer(vec![
                    message("MAX_THREAD_NUM", max_threads() as u32),
                    message("MAX_HASH_SIZE", MAX_HASH_EXPONENT),
                ]))
            }
            Yixin::ExcludeReset => {
                self.exclusions.reset();
                Ok(Action::Nothing)
            }
            Yixin::ExcludePathReset => {
                self.exclusions.reset_paths();
                Ok(Action::Nothing)
            }
            Yixin::File { kind, name } if name.is_empty() => {
                self.file = Some(kind);
                Ok(Action::Nothing)
            }
            Yixin::File { kind, name } => Ok(self.take_file(kind, &name)),
            Yixin::Ignored => Ok(Action::Nothing),
        }
    }

    /// Executes a list of the extension; `items` is an error if one cannot be read.
    pub(super) fn execute_yixin_list(
        &mut self,
        kind: ListKind,
        items: Result<Vec<ListItem>, Refusal>,
    ) -> Result<Action, Refusal> {
        match kind {
            ListKind::Exclude => self.exclusions.add(&items?)?,
            ListKind::ExcludeUndo => self.exclusions.remove(&items?)?,
            ListKind::ExcludePath => self.exclusions.add_path(&items?)?,
            ListKind::ExcludePathUndo => self.exclusions.remove_path(&items?)?,
            ListKind::Soosorv { step, count } => return self.soosorv_step(step, count, &items?),
            // The database is empty.
            ListKind::DatabaseAll => {
                let message = |text: &str| Reply::Message(format!("DATABASE {text}"));
                return Ok(Action::Answer(vec![message("REFRESH"), message("DONE")]));
            }
            ListKind::Ignored | ListKind::Board | ListKind::YxBoard | ListKind::Swap2 => {}
        }
        Ok(Action::Nothing)
    }

    /// Executes a command that takes a file, with the name of the file.
    pub(super) fn take_file(&mut self, kind: FileKind, name: &str) -> Action {
        match kind {
            FileKind::HashDump => Action::Table(TableTask::Dump(name.trim_ascii().into())),
            FileKind::HashLoad => Action::Table(TableTask::Load(name.trim_ascii().into())),
            FileKind::Ignored => Action::Nothing,
        }
    }
}
