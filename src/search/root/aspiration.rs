//! Aspiration windows around the score of the iteration before.
//!
//! Knows depth and scores only; the search of a window is the worker's.

use crate::search::params::PLY;
use crate::search::tree::{Stopped, Worker};
use crate::types::{Score, Window};

/// Searches the root with a narrow window around the score `last`, and widens the window until the
/// score lies within.
pub fn aspirate(worker: &mut Worker, depth: i32, last: Score) -> Result<Score, Stopped> {
    let params = worker.params();
    let growth = params.aspiration_growth_factor;
    let (mut width, max_width) = (params.aspiration_width, params.aspiration_max_width);
    if depth < params.aspiration_min_depth || last.is_decisive() {
        return worker.negamax::<true>(depth * PLY, 0, Window::FULL, false);
    }
    let mut window = Window::new(last.shift(-width), last.shift(width));
    loop {
        let score = worker.negamax::<true>(depth * PLY, 0, window, false)?;
        width = width * growth / 1024;
        if score <= window.alpha {
            window.alpha = if width > max_width { Score::MIN } else { score.shift(-width) };
        } else if score >= window.beta {
            window.beta = if width > max_width { Score::MAX } else { score.shift(width) };
        } else {
            return Ok(score);
        }
        if score.is_decisive() {
            window = Window::FULL;
        }
    }
}
