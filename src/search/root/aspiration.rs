//! Aspiration windows around the score of the iteration before.
//!
//! Knows depth and scores only; the search of a window is the worker's.

use crate::search::params::PLY;
use crate::search::tree::{Stopped, Worker};
use crate::types::{Score, Window};

/// Searches the root with a narrow window around the score `last`, and widens the window until the
/// score lies within.
pub fn aspirate(worker: &mut Worker, depth: i32, last: Score) -> Result<Score, Stopped> {
    if depth < 5 || last.is_decisive() {
        return worker.negamax::<true>(depth * PLY, 0, Window::FULL, false);
    }
    let mut width = worker.params().aspiration_width;
    let mut window = Window::new(last.shift(-width), last.shift(width));
    loop {
        let score = worker.negamax::<true>(depth * PLY, 0, window, false)?;
        width *= 2;
        if score <= window.alpha {
            window.alpha = if width > 1000 { Score::MIN } else { score.shift(-width) };
        } else if score >= window.beta {
            window.beta = if width > 1000 { Score::MAX } else { score.shift(width) };
        } else {
            return Ok(score);
        }
        if score.is_decisive() {
            window = Window::FULL;
        }
    }
}
