//! Balanced random openings: scattered stones, and a last one after which a search sees neither
//! side ahead.

use std::ops::RangeInclusive;

use anyhow::Context;
use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{BoardSize, Color, Coord, CoordSet, Random, Rule};

use crate::score::Score;
use crate::search::control::Control;
use crate::search::{Limits, Placement, Searcher, Target};

/// Sides of the square in which stones are scattered.
const AREA_SIDES: RangeInclusive<usize> = 5..=7;
/// The search for the last stone gives up if the score is so many windows from balance.
const SEARCHED_WINDOWS: i32 = 4;
/// Scattered positions that are tried for an opening.
const ATTEMPTS: usize = 2_000;

#[derive(Clone, Debug)]
pub struct Plan {
    pub size: BoardSize,
    pub rule: Rule,
    /// At least 1.
    pub stones: RangeInclusive<usize>,
    /// Of the search for the last stone.
    pub nodes: u64,
    pub window: i32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Black first.
    pub stones: Vec<Coord>,
    /// For the side to move.
    pub score: Score,
    /// In plies.
    pub depth: i32,
}

pub const NO_OPENING: &str = "no such opening was found: try another window or number of stones";

/// Returns the score and the depth that are known of a position.
type Known<'a> = &'a dyn Fn(&Board) -> anyhow::Result<Option<(Score, i32)>>;

pub struct Generator<'a> {
    plan: &'a Plan,
    searcher: Searcher,
}

impl<'a> Generator<'a> {
    pub fn new(plan: &'a Plan, table_bytes: usize) -> Generator<'a> {
        Generator { plan, searcher: Searcher::new(table_bytes) }
    }

    pub fn opening(&mut self, seed: u64) -> anyhow::Result<Vec<Coord>> {
        self.judged_opening(seed, &|_| Ok(None)).map(|opening| opening.stones)
    }

    /// Returns the opening of a seed with its score and depth, from `known` or else from the search
    /// for the last stone.
    pub fn judged_opening(&mut self, seed: u64, known: Known) -> anyhow::Result<Opening> {
        let mut random = Random::new(seed);
        let mut attempts = (0..ATTEMPTS).map(|_| self.attempt(&mut random, known));
        attempts.find_map(Result::transpose).context(NO_OPENING)?
    }

    fn attempt(&mut self, random: &mut Random, known: Known) -> anyhow::Result<Option<Opening>> {
        let (first, last) = (*self.plan.stones.start(), *self.plan.stones.end());
        let count = first + random.below(last - first + 1);
        let scattered = self.scatter(count - 1, random);
        let Some((mut board, mut stones)) = scattered else { return Ok(None) };
        self.searcher.clear();
        let control = Control::untimed();
        let limits = Limits { nodes: self.plan.nodes, ..Limits::default() };
        let target = Target {
            tolerance: SEARCHED_WINDOWS * self.plan.window.max(1),
            ..Target::balanced(Placement::One)
        };
        let report = self.searcher.balance(&board, target, &limits, &control, &mut |_| ());
        let Some(report) = report else { return Ok(None) };
        stones.push(report.best);
        board.play(report.best);
        let (score, depth) = known(&board)?.unwrap_or((-report.score, (report.depth - 1).max(0)));
        let is_balanced = |score: Score| score.value().abs() <= self.plan.window;
        let opening = Opening { stones, score, depth };
        Ok((is_balanced(report.score) && is_balanced(score)).then_some(opening))
    }

    /// Returns a position of random stones close together; `None` if one of them wins or is
    /// forbidden, or if either side can make a five, an open four or a four with an open three.
    fn scatter(&self, count: usize, random: &mut Random) -> Option<(Board, Vec<Coord>)> {
        let size = self.plan.size;
        let side = AREA_SIDES.start() + random.below(AREA_SIDES.end() - AREA_SIDES.start() + 1);
        let mut start = |length: u8| random.below(usize::from(length).saturating_sub(side) + 1);
        let (left, top) = (start(size.width()), start(size.height()));
        let in_area = |c: &Coord| {
            let (x, y) = (usize::from(c.x()), usize::from(c.y()));
            (left..left + side).contains(&x) && (top..top + side).contains(&y)
        };
        let area: CoordSet = size.cells().filter(in_area).collect();
        let mut board = Board::new(size, self.plan.rule);
        let mut stones = Vec::with_capacity(count + 1);
        for _ in 0..count {
            let free = area & *board.empty_cells();
            let mv = free.into_iter().nth(random.below(free.len().max(1)))?;
            let us = board.side_to_move();
            if !board.is_legal(mv, us) || board.makes_five(mv, us) {
                return None;
            }
            board.play(mv);
            stones.push(mv);
        }
        let threats = [Threat::Five, Threat::OpenFour, Threat::FourThree];
        let threatens = |color| threats.iter().any(|&threat| board.count(color, threat) > 0);
        let is_quiet = !Color::ALL.into_iter().any(threatens);
        is_quiet.then_some((board, stones))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rule: Rule, size: (u8, u8), stones: RangeInclusive<usize>) -> Plan {
        let size = BoardSize::new(size.0, size.1).unwrap();
        Plan { size, rule, stones, nodes: 2_000, window: 60 }
    }

    #[test]
    fn openings_are_legal_balanced_and_those_of_the_seed() {
        for (rule, size) in [
            (Rule::Freestyle, (15, 15)),
            (Rule::Renju, (15, 15)),
            (Rule::Standard, (9, 13)),
            (Rule::Caro, (22, 22)),
            (Rule::CaroExact, (6, 6)),
        ] {
            let plan = plan(rule, size, 3..=6);
            let mut generator = Generator::new(&plan, 1 << 20);
            for seed in 0..5 {
                let stones = generator.opening(seed).unwrap();
                assert_eq!(Generator::new(&plan, 1 << 20).opening(seed).unwrap(), stones);
                assert!(plan.stones.contains(&stones.len()));
                let mut board = Board::new(plan.size, rule);
                for &mv in &stones {
                    let us = board.side_to_move();
                    assert!(board.is_legal(mv, us) && !board.makes_five(mv, us));
                    board.play(mv);
                }
                // Another search of the same position sees no great lead either.
                let control = Control::untimed();
                let limits = Limits { nodes: 20_000, ..Limits::default() };
                let report = Searcher::new(1 << 20).search(&board, &limits, &control, &mut |_| ());
                assert!(report.score.value().abs() < 400, "{rule:?} {stones:?} {}", report.score);
            }
        }
    }

    #[test]
    fn what_is_known_goes_before_the_search() {
        let plan = plan(Rule::Freestyle, (15, 15), 4..=4);
        let first = Generator::new(&plan, 1 << 20).judged_opening(1, &|_| Ok(None)).unwrap();
        let board = Board::from_moves(plan.size, plan.rule, first.stones.iter().copied());
        let opening = |score| {
            let known = |other: &Board| Ok((other.key() == board.key()).then_some((score, 60)));
            Generator::new(&plan, 1 << 20).judged_opening(1, &known).unwrap()
        };
        let (score, depth) = (Score::eval(7), 60);
        assert_ne!(first.depth, depth);
        assert_eq!(opening(score), Opening { score, depth, ..first.clone() });
        assert_ne!(opening(Score::eval(61)).stones, first.stones);
    }

    #[test]
    fn what_cannot_be_found_is_told() {
        // Stones that fill the board leave no last one to place.
        let plan = plan(Rule::Freestyle, (5, 5), 26..=26);
        let error = Generator::new(&plan, 1 << 20).opening(1).unwrap_err();
        assert_eq!(error.to_string(), NO_OPENING);
    }
}
