//! Games as training data: what a self-play game, its scores and its samples are.
//!
//! A [`TrainingGame`] holds the moves of a game and a [`Label`] for each position that a search was
//! asked about, and [`Sample`]s of positions beside the game's path. `codec` is the form of a game
//! as bytes, `file` the file of such records.

mod codec;
mod file;

pub use codec::MAX_OTHERS;
pub use file::{LeftOut, Reader, header, read_files, write_game};

use tengen::score::{Bound, Score};
use tengen_gomoku::board::symmetry::canonical;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::random::mixed;
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};

/// One opening in so many is held out.
const HELD_OUT_INTERVAL: u64 = 20;

/// A game of the engine against itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingGame {
    /// The number of the game in the plan of its file; with the plan's seed it decides the game.
    pub number: u32,
    pub rule: Rule,
    pub size: BoardSize,
    /// Stones of the opening, which no search chose; at most 255.
    pub opening: usize,
    /// How it ended, or how the proof that ended it says that it would have.
    pub outcome: Outcome,
    /// All moves, the opening's first, on distinct cells, black's first.
    pub moves: Vec<Coord>,
    /// What the searches of the moves after the opening found, one for each of these moves.
    pub labels: Vec<Label>,
    /// Positions beside the path, in no order.
    pub samples: Vec<Sample>,
}

/// What the search that chose a move of the game found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The score of the move, from the mover's view.
    pub score: Score,
    /// Plies of the last finished iteration; 0 if unknown.
    pub depth: u8,
    /// Other good moves with their scores, best first, where a search was asked for them; at most
    /// [`MAX_OTHERS`]. That was another search, which may like one of them better.
    pub others: Vec<(Coord, Score)>,
}

/// A position beside the path of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Moves of the game that lead to where the path was left, the opening's among them.
    pub ply: usize,
    /// The moves from there, at least one and at most 255.
    pub line: Vec<Coord>,
    pub source: Source,
    /// The best move, if one is known.
    pub mv: Option<Coord>,
    /// From the view of the side to move.
    pub score: Score,
    /// What the score says about the true one.
    pub bound: Bound,
    /// Plies of the search that gave the score; 0 if unknown.
    pub depth: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A few random moves off the path; a search of its own judged it.
    Side,
    /// Inside the search tree; the transposition table held what is known of it.
    Inner,
}

/// A position of a game or beside it, with what is known about it, as in a [`Sample`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example<'a> {
    /// The first moves that lead there, those of the game.
    pub path: &'a [Coord],
    /// The moves that follow beside the game's path; none for a position of the game.
    pub line: &'a [Coord],
    /// `None` for a position of the game itself.
    pub source: Option<Source>,
    pub mv: Option<Coord>,
    pub score: Score,
    pub bound: Bound,
    /// Those of the [`Label`] of a position of the game itself.
    pub others: &'a [(Coord, Score)],
    /// The points of the side to move, in a position of the game itself.
    pub points: Option<f64>,
}

impl TrainingGame {
    /// Returns the positions that searches judged: the game's from the opening's end on, then those
    /// beside it.
    pub fn examples(&self) -> impl Iterator<Item = Example<'_>> {
        let of_game = self.labels.iter().enumerate().map(|(index, label)| Example {
            path: &self.moves[..self.opening + index],
            line: &[],
            source: None,
            mv: Some(self.moves[self.opening + index]),
            score: label.score,
            bound: Bound::Exact,
            others: &label.others,
            points: Some(self.points(self.opening + index)),
        });
        let beside = self.samples.iter().map(|sample| Example {
            path: &self.moves[..sample.ply],
            line: &sample.line,
            source: Some(sample.source),
            mv: sample.mv,
            score: sample.score,
            bound: sample.bound,
            others: &[],
            points: None,
        });
        of_game.chain(beside)
    }

    /// Returns the points of the side to move after so many moves: 1 for a win, a half for a draw.
    pub fn points(&self, moves: usize) -> f64 {
        let us = Color::ALL[moves % 2];
        match self.outcome {
            Outcome::Won(color) => f64::from(u8::from(color == us)),
            Outcome::Drawn => 0.5,
        }
    }

    pub fn opening_hash(&self) -> u64 {
        opening_hash(&self.moves[..self.opening], self.size)
    }

    /// Returns true if fits are measured on the game and never see it: one opening in
    /// `HELD_OUT_INTERVAL`, with all its images and every game from it.
    pub fn is_held_out(&self) -> bool {
        self.opening_hash().is_multiple_of(HELD_OUT_INTERVAL)
    }
}

impl Example<'_> {
    /// Returns all moves that lead to the position.
    pub fn moves(&self) -> impl Iterator<Item = Coord> {
        self.path.iter().chain(self.line).copied()
    }
}

/// Returns a number that all turns, reflections and orders of an opening have in common, and hardly
/// any other opening.
pub fn opening_hash(stones: &[Coord], size: BoardSize) -> u64 {
    let first = u64::from(size.width()) << 8 | u64::from(size.height());
    let sides = canonical(stones, size);
    let numbers = sides.iter().flat_map(|side| {
        let cells = side.iter().map(|c| c.index() as u64);
        cells.chain([u64::MAX])
    });
    numbers.fold(mixed(first), |hash, number| mixed(hash ^ number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::board::symmetry::images;
    use tengen_gomoku::types::Color;

    #[test]
    fn examples_are_the_searched_positions() {
        let size = BoardSize::new(15, 15).unwrap();
        let points = |text| parse_points(text, size).unwrap();
        let label = |value| Label { score: Score::eval(value), depth: 5, others: Vec::new() };
        let sample = Sample {
            ply: 4,
            line: points("a1b1"),
            source: Source::Inner,
            mv: None,
            score: Score::eval(-7),
            bound: Bound::Lower,
            depth: 4,
        };
        let game = TrainingGame {
            number: 9,
            rule: Rule::Standard,
            size,
            opening: 3,
            outcome: Outcome::Won(Color::White),
            moves: points("h8h9i9g7a15"),
            labels: vec![label(12), label(-34)],
            samples: vec![sample],
        };
        let examples: Vec<_> = game.examples().collect();
        let seen = examples.iter().map(|example| {
            let moves: String = example.moves().map(|mv| mv.to_string()).collect();
            let mv = example.mv.map(|mv| mv.to_string());
            (moves, mv, example.score.value(), example.source, example.points)
        });
        let expected = [
            ("h8h9i9".to_owned(), Some("g7".to_owned()), 12, None, Some(1.0)),
            ("h8h9i9g7".to_owned(), Some("a15".to_owned()), -34, None, Some(0.0)),
            ("h8h9i9g7a1b1".to_owned(), None, -7, Some(Source::Inner), None),
        ];
        assert!(seen.eq(expected));
    }

    #[test]
    fn images_of_an_opening_have_one_hash() {
        let size = BoardSize::new(15, 15).unwrap();
        let points = |text| parse_points(text, size).unwrap();
        let opening = points("a1b1c3d2");
        let hash = opening_hash(&opening, size);
        assert!(images(&opening, size).all(|image| opening_hash(&image, size) == hash));
        assert_eq!(opening_hash(&points("c3b1a1d2"), size), hash, "another order");
        for other in ["b1a1c3d2", "a1b1c3d3", "a1b1c3", ""] {
            assert_ne!(opening_hash(&points(other), size), hash, "{other}");
        }
        assert_ne!(opening_hash(&opening, BoardSize::new(16, 16).unwrap()), hash);
    }

    #[test]
    fn one_opening_in_twenty_is_held_out() {
        let size = BoardSize::new(15, 15).unwrap();
        let game = |moves: Vec<Coord>| TrainingGame {
            number: 0,
            rule: Rule::Freestyle,
            size,
            opening: moves.len(),
            outcome: Outcome::Drawn,
            moves,
            labels: Vec::new(),
            samples: Vec::new(),
        };
        let last = Coord::new(14, 14);
        let firsts = size.cells().filter(|c| c.x() < c.y() && c.y() < 8);
        let pairs = firsts.flat_map(|a| size.cells().map(move |b| (a, b)));
        let openings = pairs.filter(|&(a, b)| a != b && b != last && a != last);
        let held_out: Vec<bool> =
            openings.map(|(a, b)| game(vec![a, b, last]).is_held_out()).collect();
        let share = held_out.iter().filter(|&&is| is).count() as f64 / held_out.len() as f64;
        assert!((0.04..0.06).contains(&share), "{share}");
    }
}
