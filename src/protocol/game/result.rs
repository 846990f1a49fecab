//! The result of a search: its stones and the answer. Without a report the best known move is
//! played.

use tengen_gomocup::Reply;
use tengen_gomoku::types::{CellSet, Coord};

use super::super::task::Purpose;
use super::{Game, Refusal};
use crate::opening::{Swap2, swap2};
use crate::score::Score;
use crate::search::{Placement, Report, fallback_move};

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
                let mv = candidates.iter().find(is_free).copied().ok_or(Refusal::FULL);
                mv.map(|mv| self.soosorv_messages(step, mv, report))
            }
            Purpose::Swap2Step => {
                let before = self.position.clone();
                let stones = before.as_ref().map_or(0, |position| position.stone_count());
                let reply = self.conclude(Purpose::Swap2, candidates, report);
                self.position = before;
                reply.map(|reply| Self::swap2_messages(stones, &reply))
            }
            _ => self.conclude(purpose, candidates, report).map(|reply| vec![reply]),
        };
        replies.unwrap_or_else(|refusal| vec![refusal.into()])
    }

    /// Places an own stone and one of the opponent: the pair found, or else the best known moves.
    fn place_pair(
        &mut self,
        candidates: &[Coord],
        report: Option<&Report>,
    ) -> Result<Reply, Refusal> {
        let rule = self.settings.rule();
        let position = self.position()?;
        if position.free_cells().count() < 2 {
            return Err(Refusal::FULL);
        }
        let pair = report.map_or(&[][..], |report| &report.pv);
        let own = pair.iter().chain(candidates).copied().find(|&c| position.is_free(c));
        let own = own.or_else(|| position.free_cells().next()).ok_or(Refusal::FULL)?;
        position.place_own(own);
        let answer = || {
            let board = position.board_after_own_move(rule)?;
            fallback_move(&board, &CellSet::EMPTY)
        };
        let other = pair.get(1).copied().filter(|&c| position.is_free(c)).or_else(answer);
        let other = other.or_else(|| position.free_cells().next()).ok_or(Refusal::FULL)?;
        position.place_opponent(other);
        Ok(Reply::points([own, other]))
    }

    /// Plays the first legal candidate, or answers a choice of color.
    fn conclude(
        &mut self,
        purpose: Purpose,
        candidates: &[Coord],
        report: Option<&Report>,
    ) -> Result<Reply, Refusal> {
        let position = self.position()?;
        let mut candidates = candidates.iter().copied();
        let mv = candidates.find(|&c| position.is_free(c)).or_else(|| position.free_cells().next());
        let mv = mv.ok_or(Refusal::FULL)?;
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
}

#[cfg(test)]
mod tests {
    use super::super::Action;
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
