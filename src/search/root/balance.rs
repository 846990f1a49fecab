//! The search for a balanced position: one or two stones after which neither side is ahead.
//!
//! Iterative deepening over all choices of stones. The window admits only scores nearer to the
//! target than the best so far, and soon gets narrow.

use arrayvec::ArrayVec;
use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Coord, CoordSet};

use crate::score::{Score, Window};
use crate::search::limits::MAX_DEPTH;
use crate::search::params::PLY;
use crate::search::report::{Listener, Progress, Report};
use crate::search::tree::blocked::Blocked;
use crate::search::tree::order_tables::OrderTables;
use crate::search::tree::{Stopped, Worker};

/// First stones of a pair in the first iteration: the best by ordering score.
const FIRST_STONES: usize = 6;
/// While the best pair is further than this from the target, each iteration doubles the number of
/// first stones: if the side to move is ahead, none of its best moves leads to balance.
const NEAR: i32 = 60;
const MAX_FIRST_STONES: usize = 16 * FIRST_STONES;
/// Choices that are kept once one of them is near.
const NEAREST_CHOICES: usize = 600;
/// From this depth on the search gives up if the best score is out of tolerance.
const GIVE_UP_MIN_DEPTH: i32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub placement: Placement,
    /// For the side that places the first stone.
    pub score: i32,
    /// The largest accepted distance from the score.
    pub tolerance: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Of the side to move.
    One,
    Two,
}

impl Target {
    pub const fn balanced(placement: Placement) -> Target {
        Target { placement, score: 0, tolerance: i32::MAX }
    }

    fn distance(self, score: Score) -> i32 {
        (score.value() - self.score).abs()
    }

    fn window(self, distance: i32) -> Window {
        let [alpha, beta] = [-distance, distance].map(|shift| Score::eval(self.score + shift));
        Window { alpha, beta }
    }
}

struct Choice {
    /// Distance from the target in its last iteration, a bound if the search failed high or low;
    /// `i32::MAX` before the first.
    distance: i32,
    /// Rank of a pair's first stone in the move order.
    rank: usize,
    stones: ArrayVec<Coord, 2>,
}

pub fn balance(worker: &mut Worker, target: Target, listener: Listener) -> Option<Report> {
    let shared = worker.shared;
    let (control, limits) = (shared.control, &shared.limits);
    let excluded = &limits.root.excluded;
    let mut choices = choices(&mut worker.board, target.placement, excluded, &shared.blocked);
    let mut best: Option<Report> = None;
    let mut first_stones = FIRST_STONES;
    for depth in 1..=limits.depth.min(MAX_DEPTH) {
        let mut found = None;
        let tried = choices.iter_mut().filter(|choice| choice.rank < first_stones);
        if nearest(worker, tried, depth, target, &mut found).is_err() {
            // A stopped iteration has compared its best choice with few others.
            let distance = |report: &Option<Report>| {
                report.as_ref().map_or(i32::MAX, |report| target.distance(report.score))
            };
            if distance(&found) <= distance(&best) {
                best = found;
            }
            break;
        }
        best = found;
        control.set_depth(depth);
        let report = best.as_mut()?;
        (report.nodes, report.elapsed) = (worker.count_nodes(), control.elapsed());
        listener(Progress::Report(report));
        let is_far = target.distance(report.score) > target.tolerance;
        if is_far && depth >= GIVE_UP_MIN_DEPTH {
            return None;
        }
        // The next iteration would hardly finish. The soft limit does not count: an opening may
        // use all of its time.
        let is_late = |hard| shared.elapsed() > shared.since_begin(hard) * 2 / 3;
        if shared.must_stop() || control.hard().is_some_and(is_late) {
            break;
        }
        choices.sort_by(|a, b| (a.distance, &a.stones).cmp(&(b.distance, &b.stones)));
        if target.distance(report.score) > NEAR {
            first_stones = (2 * first_stones).min(MAX_FIRST_STONES);
        } else {
            choices.truncate(NEAREST_CHOICES);
        }
    }
    best
}

fn nearest<'a>(
    worker: &mut Worker,
    choices: impl Iterator<Item = &'a mut Choice>,
    depth: i32,
    target: Target,
    report: &mut Option<Report>,
) -> Result<(), Stopped> {
    worker.selective_depth = 0;
    let mut least = None;
    for choice in choices {
        let window = least.map_or(Window::FULL, |distance| target.window(distance));
        if window.is_empty() {
            return Ok(());
        }
        let score = worker.search_after(0, &choice.stones, depth * PLY, window)?;
        choice.distance = target.distance(score);
        if least.is_none_or(|least| choice.distance < least) {
            least = Some(choice.distance);
            // Half of a pair is no move to play.
            if let &[mv] = choice.stones.as_slice() {
                worker.shared.control.publish(mv);
            }
            *report = Some(Report {
                score,
                depth,
                selective_depth: worker.selective_depth as i32,
                pv: choice.stones.to_vec(),
                ..Report::unsearched(choice.stones[0])
            });
        }
    }
    Ok(())
}

fn choices(
    board: &mut Board,
    placement: Placement,
    excluded: &CoordSet,
    blocked: &Blocked,
) -> Vec<Choice> {
    let mut first: Vec<Coord> = placeable(board).without(excluded).into_iter().collect();
    let choice = |rank, stones: &[Coord]| Choice {
        distance: i32::MAX,
        rank,
        stones: stones.iter().copied().collect(),
    };
    match placement {
        Placement::One => first.into_iter().map(|mv| choice(0, &[mv])).collect(),
        Placement::Two => {
            let (tables, us) = (OrderTables::of(board.rule()), board.side_to_move());
            first.sort_by_key(|&mv| (-tables.order(us, board.threats(mv)), mv));
            first.truncate(MAX_FIRST_STONES);
            let mut pairs = Vec::new();
            for (rank, mv) in first.into_iter().enumerate() {
                board.play(mv);
                let seconds = placeable(board).without(&blocked.of(board)).into_iter();
                pairs.extend(seconds.map(|second| choice(rank, &[mv, second])));
                board.undo();
            }
            pairs
        }
    }
}

/// Returns the legal cells near the stones (of an empty board all) that make no five.
fn placeable(board: &Board) -> CoordSet {
    let us = board.side_to_move();
    let near = board.candidates();
    let cells = if near.is_empty() { *board.empty_cells() } else { near };
    board.legal_cells(cells.without(board.cells_with(us, Threat::Five)), us)
}
