//! Games as training data: one a line, as `bin/datagen.rs` writes and the programs that fit read.

use anyhow::{Context, bail, ensure};

use super::Outcome;
use crate::board::notation::parse_points;
use crate::types::{BoardSize, CellSet, Color, Coord, Rule};

/// A game, or a position off its path with the move that a search chose there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingGame {
    /// The rule it was played under.
    pub rule: Rule,
    /// The board, a square.
    pub size: BoardSize,
    /// Stones of the opening, which no search chose.
    pub opening: usize,
    /// How it ended; `None` for a position off the path.
    pub result: Option<Outcome>,
    /// All stones, the opening's first, on distinct cells.
    pub moves: Vec<Coord>,
    /// What the searches of the moves behind the opening said for the mover: an evaluation, `+` for
    /// a proved win or `-` for a proved loss.
    pub scores: Vec<String>,
}

impl TrainingGame {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// If the line is nothing of the kind.
    pub fn parse(line: &str) -> anyhow::Result<TrainingGame> {
        let fields: Vec<&str> = line.split(' ').collect();
        let [rule, size, opening, result, moves, scores] = fields.as_slice() else {
            bail!("six fields expected");
        };
        let rule = Rule::from_name(rule).with_context(|| format!("unknown rule {rule}"))?;
        let side = size.parse()?;
        let size = BoardSize::new(side, side).context("a board size")?;
        let opening: usize = opening.parse()?;
        let result = match *result {
            "B" => Some(Outcome::Won(Color::Black)),
            "W" => Some(Outcome::Won(Color::White)),
            "D" => Some(Outcome::Drawn),
            _ => None,
        };
        let moves = parse_points(moves, size)?;
        let scores: Vec<String> = scores.split(',').map(str::to_owned).collect();
        ensure!(moves.len() == opening + scores.len(), "a score for every searched move");
        let mut taken = CellSet::EMPTY;
        for &mv in &moves {
            ensure!(!taken.contains(mv), "{mv} is taken");
            taken.insert(mv);
        }
        Ok(TrainingGame { rule, size, opening, result, moves, scores })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_game() {
        let game = TrainingGame::parse("renju 15 3 W h8h9i9g7a15 -12,+").unwrap();
        assert_eq!((game.rule, game.size.width(), game.opening), (Rule::Renju, 15, 3));
        assert_eq!(game.result, Some(Outcome::Won(Color::White)));
        assert_eq!((game.moves.len(), game.scores.join(" ").as_str()), (5, "-12 +"));
        let side = TrainingGame::parse("caro 20 1 ? h8t20 7").unwrap();
        assert_eq!((side.result, side.moves[1]), (None, Coord::new(19, 19)));
    }

    #[test]
    fn what_is_no_game_is_refused() {
        for line in [
            "",
            "renju 15 3 W h8h9i9g7",
            "go 15 1 W h8h9 1",
            "renju 4 1 W h8h9 1",
            "renju 15 x W h8h9 1",
            "renju 15 1 W h8h16 1",
            "renju 15 1 W h8h9 1,2",
            "renju 15 1 W h8h8 1",
        ] {
            assert!(TrainingGame::parse(line).is_err(), "{line}");
        }
    }
}
