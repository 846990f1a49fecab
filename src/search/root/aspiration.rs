//! Aspiration windows around the score of the iteration before.

use crate::search::params::PLY;
use crate::search::tree::{Stopped, Worker};
use crate::types::{Score, Window};

/// Searches the root with a narrow window around the last score and widens it on a miss.
pub fn aspirate(worker: &mut Worker, depth: i32, last: Score) -> Result<Score, Stopped> {
    if depth < 5 || last.is_decisive() {
        return worker.search_root(depth * PLY, Window::FULL);
    }
    let mut width = worker.params().aspiration_width;
    let mut window = Window::new(last.shift(-width), last.shift(width));
    loop {
        let score = worker.search_root(depth * PLY, window)?;
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
