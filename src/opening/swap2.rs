//! Swap2: balanced stones from a table that the engine made, and the choice that answers them, by
//! searches of a few seconds.

use std::time::Duration;

use tengen_gomoku::board::Board;
use tengen_gomoku::board::symmetry::images;
use tengen_gomoku::types::{BoardSize, Coord, Random, Rule};

use super::positions;
use crate::eval::Style;
use crate::score::Score;
use crate::search::clock::Budget;
use crate::search::control::Control;
use crate::search::{Limits, Listener, Placement, Report, Searcher, Target, Variation};

static OPENINGS: &str = include_str!("swap2.txt");

const DECISION_TIME: Duration = Duration::from_secs(3);
/// If the score is at most this, no color is worth taking and the other player may choose.
const BALANCED_MAX: i32 = 25;
/// A pair searched less deep may be anything but balanced.
const PAIR_MIN_DEPTH: i32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap2 {
    /// Takes black; the other player moves.
    Black,
    /// Takes white and plays this.
    White(Coord),
    /// Places a white stone and a black one; the other player chooses.
    PutTwo([Coord; 2]),
}

/// Returns the first three stones (black, white, black), chosen by `seed`.
pub fn stones(size: BoardSize, rule: Rule, seed: u64) -> [Coord; 3] {
    let mut random = Random::new(seed);
    let openings = openings(size, rule);
    let (home, points) = &openings[random.below(openings.len())];
    let points = points.as_slice().try_into();
    let points = points.expect("invariant: the table's openings have three stones");
    let moved = moved(points, home.width(), size);
    let mut images: Vec<_> = images(&moved, size).collect();
    let image = images.swap_remove(random.below(images.len()));
    image.try_into().unwrap_or(moved)
}

/// Returns the table's openings of the largest board not larger than this one, with its size.
fn openings(size: BoardSize, rule: Rule) -> Vec<(BoardSize, Vec<Coord>)> {
    let side = size.width().min(size.height());
    let fitting = positions(OPENINGS).filter(|(of, home, _)| *of == rule && home.width() <= side);
    let mut openings: Vec<_> = fitting.map(|(_, home, points)| (home, points)).collect();
    let largest = openings.iter().map(|(home, _)| home.width()).max();
    openings.retain(|(home, _)| Some(home.width()) == largest);
    openings
}

/// Moves points of a square board to a board not smaller, at the same distance from the nearest
/// edges.
fn moved(points: [Coord; 3], home: u8, size: BoardSize) -> [Coord; 3] {
    let shift = |coordinates: [u8; 3], length: u8| {
        let sum: u16 = coordinates.iter().map(|&c| u16::from(c)).sum();
        // Three stones; coordinates begin at 0.
        if 2 * sum > 3 * u16::from(home - 1) { length - home } else { 0 }
    };
    let right = shift(points.map(Coord::x), size.width());
    let down = shift(points.map(Coord::y), size.height());
    points.map(|c| Coord::new(c.x() + right, c.y() + down))
}

/// Returns the budget of a decision. Half of it is planned for the opening stones, the rest for two
/// more.
pub fn budget(budget: Option<Budget>) -> Budget {
    let hard = budget.map_or(DECISION_TIME, |budget| budget.planned().min(DECISION_TIME));
    Budget { soft: Some(hard / 2), hard }
}

/// Searches the three or five stones of an opening for the player to move, white. If three stones
/// are balanced, it also searches for two more that keep the balance; [`choice`] finds the two stones
/// as `report.others[0]`, if a closer look finds them balanced.
pub fn judge(
    searcher: &mut Searcher,
    board: &Board,
    limits: &Limits,
    control: &Control,
    listener: Listener,
) -> Report {
    let may_put = board.stone_count() == 3;
    let nodes = if may_put { limits.nodes / 2 } else { limits.nodes };
    // A style would shift the score.
    let limits = Limits { nodes, style: Style::NEUTRAL, ..*limits };
    let mut report = searcher.search(board, &limits, control, listener);
    if !may_put {
        return report;
    }
    control.drop_soft_limit();
    if !is_balanced(&report) {
        // The time for two more stones goes into a closer look.
        let closer = searcher.search(board, &limits, control, listener);
        return if closer.depth >= report.depth { closer } else { report };
    }
    control.commit(report.best);
    report.others = balanced_pair(searcher, board, &limits, control).into_iter().collect();
    report
}

/// Returns the two stones that leave the game most balanced, with the score after them, if it is
/// balanced.
///
/// Of hundreds of pairs in a shallow search the one nearest to zero is often there by error. The
/// other player would search this pair alone, so that half of time and nodes go into such a search.
fn balanced_pair(
    searcher: &mut Searcher,
    board: &Board,
    limits: &Limits,
    control: &Control,
) -> Option<Variation> {
    let hard = control.hard();
    let limits = Limits { nodes: limits.nodes / 2, ..*limits };
    let until = |time| Budget { soft: None, hard: time };
    control.set_budget(hard.map(|hard| until(hard * 3 / 4)));
    let pair =
        searcher.balance(board, Target::balanced(Placement::Two), &limits, control, &mut |_| ());
    control.set_budget(hard.map(until));
    let pair = pair.filter(|pair| pair.depth >= PAIR_MIN_DEPTH && is_balanced(pair))?;

    let mut after = board.clone();
    pair.pv.iter().for_each(|&mv| after.play(mv));
    let check = searcher.search(&after, &limits, control, &mut |_| ());
    let is_closer = check.depth > pair.depth;
    let pair = Variation { score: check.score, pv: pair.pv, depth: check.depth };
    (is_closer && is_balanced(&check)).then_some(pair)
}

fn is_balanced(report: &Report) -> bool {
    report.depth > 0 && !report.score.is_decisive() && report.score.value().abs() <= BALANCED_MAX
}

pub fn choice(report: &Report) -> Swap2 {
    match report.others.first().map(|line| line.pv.as_slice()) {
        Some(&[white, black]) => Swap2::PutTwo([white, black]),
        _ if report.score < Score::DRAW => Swap2::Black,
        _ => Swap2::White(report.best),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;

    fn sizes() -> impl Iterator<Item = BoardSize> {
        let sides = BoardSize::MIN..=BoardSize::MAX;
        let pairs = sides.clone().flat_map(move |w| sides.clone().map(move |h| (w, h)));
        pairs.map(|(width, height)| BoardSize::new(width, height).unwrap())
    }

    #[test]
    fn every_board_has_stones_to_open_with() {
        for size in sizes() {
            for rule in Rule::ALL {
                for seed in 0..20 {
                    let [a, b, c] = stones(size, rule, seed);
                    assert!(a != b && b != c && a != c, "{size:?} {rule:?}");
                    let on_board = |c: Coord| size.coord(c.x(), c.y()).is_some();
                    assert!([a, b, c].into_iter().all(on_board), "{size:?} {rule:?}");
                }
            }
        }
    }

    #[test]
    fn openings_differ_from_game_to_game() {
        let size = BoardSize::new(15, 15).unwrap();
        let mut seen: Vec<_> = (0..100).map(|seed| stones(size, Rule::Standard, seed)).collect();
        seen.sort();
        seen.dedup();
        assert!(seen.len() >= 16, "{}", seen.len());
        assert_eq!(stones(size, Rule::Standard, 5), stones(size, Rule::Standard, 5));
    }

    #[test]
    fn the_stones_of_the_table_are_balanced() {
        let mut searcher = Searcher::new(1 << 22);
        for rule in Rule::ALL {
            for length in [5, 10, 15, 20] {
                let size = BoardSize::new(length, length).unwrap();
                for (home, points) in openings(size, rule) {
                    let board = Board::from_moves(home, rule, points.iter().copied());
                    let mut score = |nodes| {
                        searcher.clear();
                        let control = Control::untimed();
                        let limits = Limits { nodes, ..Limits::default() };
                        searcher.search(&board, &limits, &control, &mut |_| ()).score
                    };
                    // A longer search corrects a shorter one.
                    let mut is_balanced = |nodes| score(nodes).value().abs() <= 150;
                    let found = is_balanced(10_000) || is_balanced(100_000);
                    assert!(found, "{rule:?} {home} {points:?}");
                }
            }
        }
    }

    fn judged(searcher: &mut Searcher, board: &Board) -> Report {
        let control = Control::untimed();
        let limits = Limits { nodes: 20_000, ..Limits::default() };
        judge(searcher, board, &limits, &control, &mut |_| ())
    }

    #[test]
    fn the_better_colour_is_taken() {
        let size = BoardSize::new(15, 15).unwrap();
        // Two black stones side by side and a white one nearby; then a white one in a corner.
        for (stones, swaps) in [("h8i9h9", true), ("a1h8o15", false)] {
            let moves = parse_points(stones, size).unwrap();
            let board = Board::from_moves(size, Rule::Standard, moves);
            let report = judged(&mut Searcher::new(1 << 20), &board);
            let expected = if swaps { Swap2::Black } else { Swap2::White(report.best) };
            assert_eq!(choice(&report), expected, "{stones}: {}", report.score);
        }
    }

    #[test]
    fn three_balanced_stones_get_two_more_and_five_do_not() {
        let size = BoardSize::new(15, 15).unwrap();
        let (mut puts, mut others, mut seed) = (0, 0, 0);
        // Which stones are balanced is for the evaluation to say.
        while puts < 2 || others < 2 {
            assert!(seed < 400, "{puts} of {seed}");
            let rule = [Rule::Freestyle, Rule::Standard, Rule::Renju][seed as usize % 3];
            let mut board = Board::from_moves(size, rule, stones(size, rule, seed));
            seed += 1;
            let mut searcher = Searcher::new(1 << 20);
            let report = judged(&mut searcher, &board);
            let Swap2::PutTwo(pair) = choice(&report) else {
                others += 1;
                continue;
            };
            puts += 1;
            assert!(report.score.value().abs() <= BALANCED_MAX);
            assert!(pair[0] != pair[1] && pair.iter().all(|&c| board.is_empty(c)));
            assert!(report.others[0].score.value().abs() <= BALANCED_MAX);
            pair.into_iter().for_each(|mv| board.play(mv));
            let control = Control::untimed();
            let limits = Limits { nodes: 20_000, ..Limits::default() };
            let alone = Searcher::new(1 << 20).search(&board, &limits, &control, &mut |_| ());
            assert!(
                alone.score.value().abs() <= 3 * BALANCED_MAX,
                "{rule:?} {pair:?}: {}",
                alone.score
            );
            let choice = choice(&judged(&mut searcher, &board));
            assert!(!matches!(choice, Swap2::PutTwo(_)));
        }
    }

    #[test]
    fn a_decision_is_short_and_within_the_limits() {
        let ms = Duration::from_millis;
        let half = |hard| Budget { soft: Some(ms(hard) / 2), hard: ms(hard) };
        assert_eq!(budget(None), half(3_000));
        assert_eq!(budget(Some(Budget { soft: Some(ms(20)), hard: ms(60) })), half(20));
        assert_eq!(budget(Some(Budget { soft: None, hard: ms(9_000) })), half(3_000));
    }
}
