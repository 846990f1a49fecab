//! The results of searches: their stones and the answers. Without a report the best known move is
//! played. The opening steps of Yixin-Board, swap2 and Soosõrv, are answered by messages.

use tengen_gomocup::{ListItem, Point, Reply};
use tengen_gomoku::types::{Coord, CoordSet};

use super::super::task::Purpose;
use super::{Action, ErrorText, Executed, Game, errors};
use crate::opening::soosorv::{self, FIFTH_MOVES_MAX, SoosorvStep};
use crate::opening::{Swap2, swap2};
use crate::score::Score;
use crate::search::{Placement, Report, RootOptions, fallback_move};

impl Game {
    /// Adds the result of a search to the game and returns the answers. `candidates` are moves for
    /// us, the best first; `report` is that of the search or of its last iteration.
    pub fn answers(
        &mut self,
        purpose: Purpose,
        candidates: &[Coord],
        report: Option<&Report>,
    ) -> Vec<Reply> {
        let replies = match purpose {
            Purpose::Balance(Placement::Two, _) => {
                self.place_pair(candidates, report).map(|reply| vec![reply])
            }
            Purpose::Soosorv(step) => {
                let position = self.position.as_ref();
                let is_free = |&&c: &&Coord| position.is_some_and(|position| position.is_free(c));
                let mv = candidates.iter().find(is_free).copied().ok_or(errors::FULL);
                mv.map(|mv| self.soosorv_messages(step, mv, report))
            }
            Purpose::Swap2Step => {
                let before = self.position.clone();
                let stones = before.as_ref().map_or(0, |position| position.stone_count());
                let reply = self.conclude(Purpose::Swap2, candidates, report);
                // Two stones and a swap stay; a move is only asked for afterwards.
                if matches!(&reply, Ok(Reply::Points(points)) if points.len() == 1) {
                    self.position = before;
                }
                reply.map(|reply| Self::swap2_messages(stones, &reply))
            }
            _ => self.conclude(purpose, candidates, report).map(|reply| vec![reply]),
        };
        replies.unwrap_or_else(|why| vec![Reply::Error(why.to_owned())])
    }

    fn place_pair(&mut self, moves: &[Coord], report: Option<&Report>) -> Result<Reply, ErrorText> {
        let rule = self.settings.rule();
        let position = self.position()?;
        if position.free_cells().count() < 2 {
            return Err(errors::FULL);
        }
        let pair = report.map_or(&[][..], |report| &report.pv);
        let own = pair.iter().chain(moves).copied().find(|&c| position.is_free(c));
        let own = own.or_else(|| position.free_cells().next()).ok_or(errors::FULL)?;
        position.place_own(own);
        let answer = || {
            let board = position.board_after_own_move(rule)?;
            fallback_move(&board, &CoordSet::EMPTY)
        };
        let other = pair.get(1).copied().filter(|&c| position.is_free(c)).or_else(answer);
        let other = other.or_else(|| position.free_cells().next()).ok_or(errors::FULL)?;
        position.place_opponent(other);
        Ok(Reply::points([own, other]))
    }

    fn conclude(
        &mut self,
        purpose: Purpose,
        candidates: &[Coord],
        report: Option<&Report>,
    ) -> Result<Reply, ErrorText> {
        let position = self.position()?;
        let mut candidates = candidates.iter().copied();
        let mv = candidates.find(|&c| position.is_free(c)).or_else(|| position.free_cells().next());
        let mv = mv.ok_or(errors::FULL)?;
        if purpose == Purpose::MoveOrSwap && report.is_some_and(|report| report.score < Score::DRAW)
        {
            position.take_other_color();
            return Ok(Reply::Swap);
        }
        match report.filter(|_| purpose == Purpose::Swap2).map(swap2::choice) {
            Some(Swap2::Black) => {
                position.take_other_color();
                return Ok(Reply::Swap);
            }
            Some(Swap2::PutTwo(stones)) => {
                position.put_two(stones);
                return Ok(Reply::points(stones));
            }
            Some(Swap2::White(_)) | None => {}
        }
        position.place_own(mv);
        Ok(Reply::points([mv]))
    }

    pub(super) fn swap2_choose(&mut self, stones: usize, root: RootOptions) -> Executed {
        let position = self.position()?;
        if position.stone_count() != stones {
            return Err(errors::OPENING_STONES);
        }
        if position.is_full() {
            return Err(errors::FULL);
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

    /// Starts a step from the second on, with the number of fifth moves where one was announced.
    pub(super) fn soosorv_step(
        &mut self,
        number: u8,
        count: Option<usize>,
        items: &[ListItem],
    ) -> Executed {
        let announced = count.filter(|count| (1..=FIFTH_MOVES_MAX).contains(count));
        let announced = announced.ok_or(errors::FIFTH_MOVES);
        let (step, stones) = match number {
            2 => (SoosorvStep::SwapThird, 3),
            3 => (SoosorvStep::Fourth, 3),
            4 => (SoosorvStep::SwapFourth(announced?), 4),
            5 => (SoosorvStep::Fifth(announced?), 4),
            _ => (SoosorvStep::Choose, 4),
        };
        let points = self.position()?.points(items)?;
        let fits = match step {
            SoosorvStep::Choose => points.len() > stones,
            _ => points.len() == stones,
        };
        if !fits {
            return Err(errors::OPENING_STONES);
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
        step: SoosorvStep,
        mv: Coord,
        report: Option<&Report>,
    ) -> Vec<Reply> {
        let found: Vec<Coord> =
            report.into_iter().flat_map(Report::variations).map(|line| line.pv[0]).collect();
        match step {
            SoosorvStep::SwapThird | SoosorvStep::SwapFourth(_) => {
                let which = if step == SoosorvStep::SwapThird { 1 } else { 2 };
                let swaps = report.is_some_and(soosorv::swaps);
                if let (true, Some(position)) = (swaps, &mut self.position) {
                    position.take_other_color();
                }
                let word = if swaps { "YES" } else { "NO" };
                vec![message(&format!("SOOSORV SWAP{which} {word}"))]
            }
            SoosorvStep::Fourth => {
                let count = report.map_or(1, soosorv::fifth_moves);
                vec![message(&format!("SOOSORV MOVE4 {} {} {count}", mv.x(), mv.y()))]
            }
            SoosorvStep::Fifth(count) => {
                let mut moves = found;
                if let Ok(position) = self.position() {
                    // So many are owed, whatever the search had time for.
                    for c in [mv].into_iter().chain(position.free_cells()) {
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
            SoosorvStep::Choose => {
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

pub(super) fn placed(word: &str, stones: &[Coord]) -> Action {
    Action::Answer(stones.iter().zip(1..).map(|(&c, number)| stone(word, number, c)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;
    use crate::search::control::Control;
    use crate::search::{Limits, Searcher, Variation};
    use tengen_gomoku::board::Board;
    use tengen_gomoku::types::{BoardSize, Color, Rule};

    fn game() -> Game {
        let mut game = Game::default();
        game.execute_text("START 15");
        game
    }

    fn replies(game: &mut Game, line: &str) -> Vec<String> {
        match game.execute_text(line) {
            Action::Answer(replies) => replies.iter().map(Reply::to_string).collect(),
            _ => panic!("no answer to {line}"),
        }
    }

    #[test]
    fn swap2_is_answered_in_each_of_its_cases() {
        let mut game = game();
        game.execute_text("INFO seed 1");
        let stones = replies(&mut game, "SWAP2BOARD DONE");
        assert_eq!(stones.len(), 1);
        assert_eq!(stones[0].split(' ').count(), 3);
        assert_ne!(replies(&mut game, "SWAP2BOARD DONE"), stones, "another game, other stones");
        for (items, count) in [("7,7 8,8 9,7", 3), ("7,7 8,8 9,7 1,1 2,2", 5)] {
            for (score, swaps) in [(-9, true), (9, false)] {
                let Action::Search(task) = game.execute_text(&format!("SWAP2BOARD {items} DONE"))
                else {
                    panic!("no search");
                };
                assert_eq!(task.purpose, Purpose::Swap2);
                assert_eq!(task.board.side_to_move(), Color::White);
                assert_eq!(task.board.stone_count(), count);
                let candidates = [Coord::new(7, 7), Coord::new(3, 4)];
                let report = Report { score: Score::eval(score), ..found(candidates[0]) };
                let reply = game.conclude(Purpose::Swap2, &candidates, Some(&report)).unwrap();
                assert_eq!(reply == Reply::Swap, swaps);
                let color = if swaps { Color::Black } else { Color::White };
                let mut after = game.position.clone().unwrap();
                assert_eq!(after.board_to_move(Rule::Freestyle).side_to_move(), color);
                if !swaps {
                    // The first candidate is occupied.
                    assert_eq!(reply.to_string(), "3,4");
                }
            }
        }
    }

    fn found(best: Coord) -> Report {
        let board = Board::new(BoardSize::new(15, 15).unwrap(), Rule::Freestyle);
        let limits = Limits { depth: 1, ..Limits::default() };
        let control = Control::untimed();
        let report = Searcher::new(0).search(&board, &limits, &control, &mut |_| ());
        Report { best, pv: vec![best], ..report }
    }

    #[test]
    fn a_swap_of_soosorv_leaves_the_next_stone_to_the_opponent() {
        for (step, items, answer, color) in [
            ("2", "7,7 7,8 9,6", "MESSAGE SOOSORV SWAP1 YES", Color::Black),
            ("4 1", "7,7 7,8 9,6 6,8", "MESSAGE SOOSORV SWAP2 YES", Color::White),
        ] {
            let mut game = game();
            let ask = format!("YXSOOSORVSTEP{step} {items} DONE");
            let Action::Search(task) = game.execute_text(&ask) else { panic!("no search") };
            let best = Coord::new(3, 4);
            let report = Report { score: Score::eval(-9), ..found(best) };
            let replies = game.answers(task.purpose, &[best], Some(&report));
            assert_eq!(replies.iter().map(Reply::to_string).collect::<Vec<_>>(), [answer]);
            let Action::Search(task) = game.execute_text("TURN 4,4") else { panic!("no search") };
            assert_eq!(task.board.side_to_move(), color);
            assert_eq!(task.board.stone(Coord::new(4, 4)), Some(!color));
        }
    }

    #[test]
    fn two_stones_of_swap2_leave_the_choice_to_the_opponent() {
        let (white, black) = (Coord::new(1, 1), Coord::new(2, 2));
        let pair = Variation { score: Score::DRAW, pv: vec![white, black], depth: 9 };
        let report = Report { others: vec![pair], ..found(Coord::new(3, 3)) };
        let mut game = game();
        assert!(matches!(game.execute_text("SWAP2BOARD 7,7 8,8 9,7 DONE"), Action::Search(_)));
        let reply = game.conclude(Purpose::Swap2, &[white], Some(&report)).unwrap();
        assert_eq!(reply.to_string(), "1,1 2,2");
        // The opponent takes white and plays the sixth stone.
        let Action::Search(task) = game.execute_text("TURN 4,4") else { panic!("no search") };
        assert_eq!(task.board.side_to_move(), Color::Black);
        assert_eq!(task.board.stone_count(), 6);
        assert_eq!(task.board.stone(white), Some(Color::White));
    }
}
