//! Tengen as a player: what it plays, chooses and advises, within its level and time.

use std::time::{Duration, Instant};

use tengen::closed_output::note;
use tengen::database::{Database, probing};
use tengen::eval::Style;
use tengen::opening::{Swap2, swap2};
use tengen::search::GameSeeds;
use tengen::search::clock::{Budget, TimeControl};
use tengen::search::control::Control;
use tengen::search::{Limits, Report, Searcher, Strength};
use tengen_gomoku::board::Board;

pub struct Engine {
    pub searcher: Searcher,
    pub seeds: GameSeeds,
    /// Asked before each search and told after it.
    pub database: Option<Database>,
    pub level: Strength,
    pub style: Style,
    pub time: Duration,
}

impl Engine {
    /// Begins another game, in which it plays differently if its level leaves it a choice.
    pub fn start_game(&mut self) {
        self.seeds.start_game();
        self.searcher.clear();
    }

    /// Returns what it plays by; its hints are by all it can.
    pub fn limits(&self) -> Limits {
        let seed = self.seeds.current;
        Limits { strength: self.level, style: self.style, seed, ..Limits::default() }
    }

    /// Returns its choice after three or five stones of swap2.
    pub fn choose(&mut self, board: &Board, limits: &Limits, control: &Control) -> Swap2 {
        swap2::choice(&swap2::judge(&mut self.searcher, board, limits, control, &mut |_| ()))
    }

    pub fn search(&mut self, board: &Board, limits: &Limits, control: &Control) -> Report {
        let searcher = &mut self.searcher;
        let Some(database) = &self.database else {
            return searcher.search(board, limits, control, &mut |_| ());
        };
        let found = probing::search(database, searcher, board, limits, control, &mut |_| ());
        let (report, error) = match found {
            Ok(report) => {
                let new_entries = probing::new_entries(searcher, board, limits, &report);
                (report, probing::store_soon(database, new_entries).err())
            }
            Err(error) => (searcher.search(board, limits, control, &mut |_| ()), Some(error)),
        };
        if let Some(error) = error {
            note(format_args!("{error}; the game goes on without the database"));
            self.database = None;
        }
        report
    }

    /// Returns the control of a search. `left` is the time left for the game and what a move adds
    /// to it, if there is a clock.
    pub fn control(&self, board: &Board, left: TimeControl) -> Control {
        Control::new(Instant::now(), self.budget(board, left))
    }

    pub fn choice_control(&self, board: &Board) -> Control {
        let budget = swap2::budget(self.budget(board, TimeControl::default()));
        Control::new(Instant::now(), Some(budget))
    }

    fn budget(&self, board: &Board, left: TimeControl) -> Option<Budget> {
        let time = TimeControl { turn: Some(self.time), ..left };
        time.budget(board.stone_count(), board.empty_count())
    }
}
