//! The opening steps of Yixin-Board, swap2 and Soosõrv, which are answered by messages. `opening`
//! chooses the colours and moves.

use tengen_gomocup::{ListItem, Point, Reply};
use tengen_gomoku::types::Coord;

use super::super::task::Purpose;
use super::{Action, Game, Refusal};
use crate::opening::soosorv::{self, FIFTH_MOVES_MAX};
use crate::opening::swap2;
use crate::search::{Report, RootOptions};

impl Game {
    /// Opens a swap2 game: the first step.
    pub(super) fn swap2_open(&mut self) -> Result<Action, Refusal> {
        let (size, rule) = (self.position()?.size(), self.settings.rule());
        let stones = swap2::stones(size, rule, self.seeds.current());
        self.seeds.start_game();
        Ok(placed("SWAP2", &stones))
    }

    /// Chooses a colour in a position of so many stones: the steps after the first.
    pub(super) fn swap2_choose(
        &mut self,
        stones: usize,
        root: RootOptions,
    ) -> Result<Action, Refusal> {
        let position = self.position()?;
        if position.stone_count() != stones {
            return Err(Refusal::OPENING_STONES);
        }
        if position.is_full() {
            return Err(Refusal::FULL);
        }
        // Who moved last does not matter: white is to choose.
        position.take_as_opening();
        self.think(Purpose::Swap2Step, root)
    }

    /// Returns the messages for a choice in a swap2 opening, which is `reply` to other managers.
    pub(super) fn swap2_messages(stones: usize, reply: &Reply) -> Vec<Reply> {
        let which = if stones == 3 { 1 } else { 2 };
        match reply {
            Reply::Points(points) if points.len() == 2 => {
                vec![stone("SWAP2", 4, points[0]), stone("SWAP2", 5, points[1])]
            }
            Reply::Swap => vec![message(&format!("SWAP2 SWAP{which} YES"))],
            _ => vec![message(&format!("SWAP2 SWAP{which} NO"))],
        }
    }

    /// Opens a Soosõrv game: the first step.
    pub(super) fn soosorv_open(&mut self) -> Result<Action, Refusal> {
        Ok(placed("SOOSORV", &soosorv::stones(self.position()?.size())))
    }

    /// Starts the decision of a step from the second on, about the stones of `items`. `count` is
    /// the number of fifth moves where one was announced.
    pub(super) fn soosorv_step(
        &mut self,
        number: u8,
        count: Option<usize>,
        items: &[ListItem],
    ) -> Result<Action, Refusal> {
        let announced = count.filter(|count| (1..=FIFTH_MOVES_MAX).contains(count));
        let announced = announced.ok_or(Refusal::FIFTH_MOVES);
        let (step, stones) = match number {
            2 => (soosorv::Step::SwapThird, 3),
            3 => (soosorv::Step::Fourth, 3),
            4 => (soosorv::Step::SwapFourth(announced?), 4),
            5 => (soosorv::Step::Fifth(announced?), 4),
            _ => (soosorv::Step::Choose, 4),
        };
        let points = self.position()?.points(items)?;
        let fits = match step {
            soosorv::Step::Choose => points.len() > stones,
            _ => points.len() == stones,
        };
        if !fits {
            return Err(Refusal::OPENING_STONES);
        }
        let (stones, offered) = points.split_at(stones);
        let rule = self.settings.rule();
        let position = self.position()?;
        position.set_up_opening(stones);
        let root = soosorv::root_options(step, &position.board_to_move(rule), offered);
        self.offered = offered.to_vec();
        self.think(Purpose::Soosorv(step), RootOptions { is_analysis: true, ..root })
    }

    /// Returns the messages for the decision of a step; `mv` is played if the search found no move.
    pub(super) fn soosorv_messages(
        &mut self,
        step: soosorv::Step,
        mv: Coord,
        report: Option<&Report>,
    ) -> Vec<Reply> {
        let swap = |which| {
            let word = if report.is_some_and(soosorv::swaps) { "YES" } else { "NO" };
            vec![message(&format!("SOOSORV SWAP{which} {word}"))]
        };
        let found: Vec<Coord> =
            report.into_iter().flat_map(Report::variations).map(|line| line.pv[0]).collect();
        match step {
            soosorv::Step::SwapThird => swap(1),
            soosorv::Step::SwapFourth(_) => swap(2),
            soosorv::Step::Fourth => {
                let count = report.map_or(1, soosorv::fifth_moves);
                vec![message(&format!("SOOSORV MOVE4 {} {} {count}", mv.x(), mv.y()))]
            }
            soosorv::Step::Fifth(count) => {
                let mut moves = found;
                if let Ok(position) = self.position() {
                    // So many are owed, whatever the search had time for.
                    let free: Vec<Coord> = position.free_cells().collect();
                    let rest = [mv].into_iter().chain(free);
                    for c in rest {
                        if moves.len() < count && !moves.contains(&c) {
                            moves.push(c);
                        }
                    }
                }
                let mut replies = vec![message("SOOSORV MOVE5 REFRESH")];
                replies.extend(moves.iter().map(|&c| stone("SOOSORV", 5, c)));
                replies.push(message("SOOSORV MOVE5 DONE"));
                replies
            }
            soosorv::Step::Choose => {
                let offered = std::mem::take(&mut self.offered);
                // What the search did not even look at is worst for black.
                let unseen = offered.iter().find(|c| report.is_some() && !found.contains(c));
                let worst = unseen.or(found.last()).or(offered.first()).copied().unwrap_or(mv);
                vec![message(&format!("SOOSORV MOVE5C {} {}", worst.x(), worst.y()))]
            }
        }
    }
}

fn message(text: &str) -> Reply {
    Reply::Message(text.to_owned())
}

fn stone(word: &str, number: usize, at: impl Into<Point>) -> Reply {
    let at: Point = at.into();
    message(&format!("{word} MOVE{number} {} {}", at.x, at.y))
}

/// Returns the messages about the first stones of a game.
fn placed(word: &str, stones: &[Coord]) -> Action {
    Action::Answer(stones.iter().zip(1..).map(|(&c, number)| stone(word, number, c)).collect())
}
