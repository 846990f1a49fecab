//! The commands of Yixin-Board and gomocalc; `result` has those of openings.

use std::path::PathBuf;

use tengen_gomocup::{Command, DatabaseCommand, FileKind, ListItem, Reply};
use tengen_gomoku::board::Board;
use tengen_gomoku::board::symmetry::symmetric_moves;
use tengen_gomoku::types::CoordSet;

use super::super::detail::Detail;
use super::super::settings::MAX_HASH_EXPONENT;
use super::super::task::{Mode, Purpose, Task};
use super::position::on_board;
use super::result::placed;
use super::{Action, ErrorText, Executed, Game, PendingInput, answer, errors};
use crate::opening::{soosorv, swap2};
use crate::score::Score;
use crate::search::{Placement, RootOptions, max_threads, trace};

/// Longest name of a file: its line stays below the 1,000 bytes that managers read.
const NAME_MAX: usize = 500;

fn eval_score(value: i64) -> i32 {
    let most = i64::from(Score::EVAL_LIMIT);
    value.clamp(-most, most) as i32
}

fn messages(texts: impl IntoIterator<Item = String>) -> Action {
    Action::Answer(texts.into_iter().map(Reply::Message).collect())
}

impl Game {
    pub fn detail(&self, root: &RootOptions) -> Detail {
        let settings = &self.settings;
        let size = self.position.as_ref().map(|position| position.size);
        Detail {
            is_multi_pv: root.multi_pv > 1,
            realtime: settings.shows_realtime,
            numbers: settings.shows_numbers,
            yixin_board: size.filter(|_| settings.yixin),
            rule: settings.rule(),
        }
    }

    pub(super) fn execute_yixin(&mut self, command: Command) -> Executed {
        let analysis = RootOptions { is_analysis: true, ..RootOptions::default() };
        match command {
            Command::HashClear => self.forget = true,
            Command::ExcludeReset => self.exclusions.everywhere = CoordSet::EMPTY,
            Command::ExcludePathReset => self.exclusions.single.clear(),
            Command::File { kind, name } if name.is_empty() => {
                self.pending = PendingInput::File(kind)
            }
            Command::File { kind, name } => return self.take_file(kind, &name),
            Command::NBest(multi_pv) => {
                let mut root = RootOptions { multi_pv, ..analysis };
                if multi_pv > 1 && self.settings.leaves_out_symmetric_moves {
                    let rule = self.settings.rule();
                    let position = self.position()?;
                    let (stones, board) = (position.stones(), position.board_to_move(rule));
                    root.excluded = symmetric_moves(&board, &self.exclusions.at(&stones));
                }
                return self.think(Purpose::Move, root);
            }
            Command::SearchDefend => {
                let root = RootOptions { multi_pv: usize::MAX, all_moves: true, ..analysis };
                return self.think(Purpose::Defence, root);
            }
            Command::BalanceOne(score) => {
                return self.think(Purpose::Balance(Placement::One, eval_score(score)), analysis);
            }
            Command::BalanceTwo(score) => {
                if self.position()?.free_cells().count() < 2 {
                    return Err(errors::FULL);
                }
                return self.think(Purpose::Balance(Placement::Two, eval_score(score)), analysis);
            }
            Command::Swap2Open => {
                let (size, rule) = (self.position()?.size, self.settings.rule());
                let stones = swap2::stones(size, rule, self.seeds.current);
                self.seeds.start_game();
                return Ok(placed("SWAP2", &stones));
            }
            Command::Swap2AfterThree => return self.swap2_choose(3, analysis),
            Command::Swap2AfterFive => return self.swap2_choose(5, analysis),
            Command::SoosorvOpen => {
                return Ok(placed("SOOSORV", &soosorv::stones(self.position()?.size)));
            }
            Command::ShowForbid => {
                let rule = self.settings.rule();
                let points = self.position.as_ref().map(|position| position.forbidden_points(rule));
                return Ok(answer(Reply::Forbid(points.unwrap_or_default())));
            }
            Command::ShowInfo => {
                self.change_settings(|settings| settings.yixin = true);
                return Ok(messages([
                    format!("INFO MAX_THREAD_NUM {}", max_threads()),
                    format!("INFO MAX_HASH_SIZE {MAX_HASH_EXPONENT}"),
                ]));
            }
            Command::ReloadConfig => {
                self.pending = PendingInput::Config;
                let text = "no configuration is needed: the search's parameters are built in";
                return Ok(messages([text.to_owned()]));
            }
            Command::TraceBoard => return Ok(messages(trace::of_board(&self.traced_board()?))),
            Command::TraceSearch => {
                let board = self.traced_board()?;
                return match board.empty_count() {
                    0 => Err(errors::FULL),
                    _ => Ok(Action::Task(Task::TraceSearch(Box::new(board)))),
                };
            }
            Command::HashUsage => return Ok(Action::Task(Task::TableUsage)),
            Command::DatabaseState => return Ok(Action::Task(Task::State)),
            Command::DatabaseCheck => return Ok(Action::Task(Task::Check)),
            Command::Stop | Command::Ignored => {}
            // `Game::command` executes these itself.
            Command::Start { .. } | Command::Restart | Command::Begin | Command::Turn(_) => {}
            Command::Play(_) | Command::TakeBack(_) | Command::List { .. } | Command::Info(_) => {}
            Command::About | Command::End | Command::Unknown => {}
        }
        Ok(Action::Nothing)
    }

    pub(super) fn has_stones(&self, count: usize) -> bool {
        self.position.as_ref().is_some_and(|position| position.stone_count() == count)
    }

    /// Returns the board, with the opponent to move after our own move.
    fn traced_board(&mut self) -> Result<Board, ErrorText> {
        let (rule, range) = (self.settings.rule(), self.settings.candidate_range);
        let position = self.position()?;
        // A clone, so that not even our color is fixed.
        let in_turn = || position.clone().board_to_move(rule);
        let mut board = position.board_after_own_move(rule).unwrap_or_else(in_turn);
        board.set_candidate_range(range);
        Ok(board)
    }

    pub(super) fn execute_database_list(
        &mut self,
        command: DatabaseCommand,
        items: Result<Vec<ListItem>, ErrorText>,
    ) -> Executed {
        // Yixin-Board asks before its first game, and expects no answer.
        if self.position.is_none() && command.is_query() {
            return Ok(Action::Nothing);
        }
        if self.settings.database_mode() == Mode::ReadOnly && !command.is_query() {
            return Err(errors::READ_ONLY);
        }
        let rule = self.settings.rule();
        let position = self.position()?;
        let board = Box::new(Board::from_moves(position.size, rule, position.points(&items?)?));
        if let DatabaseCommand::EditLabel(Some(point), _) = command
            && !board.is_empty(on_board(position.size, point)?)
        {
            return Err(errors::OCCUPIED);
        }
        Ok(Action::Task(Task::Command { command, board }))
    }

    pub(super) fn take_file(&mut self, kind: FileKind, name: &str) -> Executed {
        let rule = self.settings.rule();
        let name = name.trim_ascii();
        let is_readable = !name.contains(char::REPLACEMENT_CHARACTER) && name.len() <= NAME_MAX;
        if !is_readable && kind != FileKind::Ignored {
            return Err(errors::FILE_NAME);
        }
        let mode = self.settings.database_mode();
        let board = match kind {
            FileKind::Ignored => return Ok(Action::Nothing),
            FileKind::DatabaseImport | FileKind::DatabaseMerge if mode == Mode::ReadOnly => {
                return Err(errors::READ_ONLY);
            }
            FileKind::DatabaseToText
            | FileKind::DatabaseToLibrary
            | FileKind::DatabaseToMoves
            | FileKind::DatabaseSplit => Some(Box::new(self.position()?.board_in_turn(rule))),
            _ => None,
        };
        Ok(Action::Task(Task::File { kind, path: PathBuf::from(name), rule, mode, board }))
    }
}
