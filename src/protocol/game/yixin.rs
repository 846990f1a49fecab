//! What the commands of Yixin-Board and gomocalc do to the game.

use super::super::block::BlockKind;
use super::super::detail::Detail;
use super::super::position::Refusal;
use super::super::reply::Reply;
use super::super::row::Row;
use super::super::settings::{MAX_HASH_EXPONENT, Settings};
use super::super::table_file::TableTask;
use super::super::yixin::{FileKind, Yixin};
use super::{Game, Purpose, Step, answer};
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
    pub(super) fn yixin_would_change(&self, command: Yixin) -> bool {
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
            | Yixin::File(_)
            | Yixin::Ignored => false,
        }
    }

    /// Carries out a command of the extension.
    pub(super) fn yixin(&mut self, command: Yixin) -> Result<Step, Refusal> {
        match command {
            Yixin::NBest(lines) => {
                let mut root = RootOptions { lines, ..RootOptions::default() };
                if lines > 1 && self.settings.leaves_out_twins() {
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
                Ok(Step::Nothing)
            }
            Yixin::HashUsage => Ok(Step::Table(TableTask::Usage)),
            Yixin::ShowInfo => {
                self.change_settings(Settings::speak_yixin);
                let message = |key, value| Reply::Message(format!("INFO {key} {value}"));
                Ok(Step::Answer(vec![
                    message("MAX_THREAD_NUM", max_threads() as u32),
                    message("MAX_HASH_SIZE", MAX_HASH_EXPONENT),
                ]))
            }
            Yixin::ExcludeReset => {
                self.exclusions.reset();
                Ok(Step::Nothing)
            }
            Yixin::ExcludePathReset => {
                self.exclusions.reset_paths();
                Ok(Step::Nothing)
            }
            Yixin::File(kind) => {
                self.file = Some(kind);
                Ok(Step::Nothing)
            }
            Yixin::Ignored => Ok(Step::Nothing),
        }
    }

    /// Carries out a block of the extension; `rows` are an error if one could not be read.
    pub(super) fn yixin_block(
        &mut self,
        kind: BlockKind,
        rows: Result<Vec<Row>, Refusal>,
    ) -> Result<Step, Refusal> {
        match kind {
            BlockKind::Exclude => self.exclusions.add(&rows?)?,
            BlockKind::ExcludeUndo => self.exclusions.remove(&rows?)?,
            BlockKind::ExcludePath => self.exclusions.add_path(&rows?)?,
            BlockKind::ExcludePathUndo => self.exclusions.remove_path(&rows?)?,
            BlockKind::Soosorv { step, count } => return self.soosorv_step(step, count, &rows?),
            // The database is empty.
            BlockKind::DatabaseAll => {
                let message = |text: &str| Reply::Message(format!("DATABASE {text}"));
                return Ok(Step::Answer(vec![message("REFRESH"), message("DONE")]));
            }
            BlockKind::Ignored | BlockKind::Board | BlockKind::YxBoard | BlockKind::Swap2 => {}
        }
        Ok(Step::Nothing)
    }

    /// Does what a command does with the file of this name.
    pub(super) fn take_file(&mut self, kind: FileKind, name: &str) -> Step {
        match kind {
            FileKind::HashDump => Step::Table(TableTask::Dump(name.trim_ascii().into())),
            FileKind::HashLoad => Step::Table(TableTask::Load(name.trim_ascii().into())),
            FileKind::Ignored => Step::Nothing,
        }
    }
}
