//! Aspiration windows around the score of the iteration before.

use crate::search::params::PLY;
use crate::search::tree::{Stopped, Worker};
use crate::types::{Coord, Score, Window};

/// Searches the root with a window around the score `last`, which is widened until the score lies
/// within. The variation of a stopped search is that of its last window, or of the fail-high
/// before.
pub fn aspirate(
    worker: &mut Worker,
    depth: i32,
    last: Score,
) -> (Result<Score, Stopped>, Vec<Coord>) {
    let params = worker.params();
    let growth = params.aspiration_growth_factor;
    let (mut width, max_width) = (params.aspiration_width, params.aspiration_max_width);
    if depth * PLY < params.aspiration_min_depth || last.is_decisive() {
        let result = worker.search_root(depth * PLY, Window::FULL);
        return (result, worker.pv().collect());
    }
    let mut failed_high: Vec<Coord> = Vec::new();
    let mut window = Window::new(last.shift(-width), last.shift(width));
    loop {
        let result = worker.search_root(depth * PLY, window);
        let pv: Vec<Coord> = worker.pv().collect();
        let score = match result {
            Ok(score) => score,
            Err(Stopped) => return (result, if pv.is_empty() { failed_high } else { pv }),
        };
        width = (width * growth / 1024).max(width + 1);
        if score <= window.alpha {
            window.alpha = if width > max_width { Score::MIN } else { score.shift(-width) };
            failed_high.clear();
        } else if score >= window.beta {
            window.beta = if width > max_width { Score::MAX } else { score.shift(width) };
            worker.root_context.pv_move = pv.first().copied();
            failed_high = pv;
        } else {
            return (result, pv);
        }
        if score.is_decisive() {
            window = Window::FULL;
        }
    }
}
