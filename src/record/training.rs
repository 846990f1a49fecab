//! Games as training data, one a line: the reader and the writer of the format.
//!
//! A line is `RULE SIZE OPENING RESULT MOVES SCORES`, parted by single blanks: the rule's name; the
//! length of the square board; the number of the opening's stones; `B`, `W` or `D` for a game, `?`
//! for a position off the path of the game before it; all stones in "pos" notation; and the scores
//! of those behind the opening, parted by commas: an evaluation from the mover's view, `+` for a
//! proved win or `-` for a proved loss. Knows neither who plays the games nor what is fitted to
//! them.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};

use super::Outcome;
use crate::board::notation::parse_points;
use crate::board::symmetry::canonical;
use crate::types::random::mixed;
use crate::types::{BoardSize, CellSet, Color, Coord, Rule, Score, ScoreKind};

/// A game, or a position off the path of one with the move that a search chose there.
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
    /// What the searches of the moves behind the opening found.
    pub scores: Vec<TrainingScore>,
}

/// What a search found, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingScore {
    /// An evaluation.
    Eval(i32),
    /// A proved win.
    Win,
    /// A proved loss.
    Loss,
}

impl From<Score> for TrainingScore {
    fn from(score: Score) -> TrainingScore {
        match score.kind() {
            ScoreKind::Eval(value) => TrainingScore::Eval(value),
            ScoreKind::Win(_) => TrainingScore::Win,
            ScoreKind::Loss(_) => TrainingScore::Loss,
        }
    }
}

impl fmt::Display for TrainingScore {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            TrainingScore::Eval(value) => write!(f, "{value}"),
            TrainingScore::Win => f.write_str("+"),
            TrainingScore::Loss => f.write_str("-"),
        }
    }
}

impl FromStr for TrainingScore {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<TrainingScore> {
        Ok(match text {
            "+" => TrainingScore::Win,
            "-" => TrainingScore::Loss,
            value => TrainingScore::Eval(value.parse().context("a score")?),
        })
    }
}

impl fmt::Display for TrainingGame {
    /// Writes the line, without its end.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let result = match self.result {
            Some(Outcome::Won(Color::Black)) => "B",
            Some(Outcome::Won(Color::White)) => "W",
            Some(Outcome::Drawn) => "D",
            None => "?",
        };
        write!(f, "{} {} {} {result} ", self.rule.name(), self.size.width(), self.opening)?;
        self.moves.iter().try_for_each(|mv| write!(f, "{mv}"))?;
        for (number, score) in self.scores.iter().enumerate() {
            write!(f, "{}{score}", if number == 0 { " " } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for TrainingGame {
    type Err = anyhow::Error;

    /// Reads a line.
    ///
    /// # Errors
    ///
    /// If the line is nothing of the kind.
    fn from_str(line: &str) -> anyhow::Result<TrainingGame> {
        let fields: Vec<&str> = line.split(' ').collect();
        let [rule, size, opening, result, moves, scores] = fields.as_slice() else {
            bail!("six fields expected");
        };
        let rule = Rule::from_name(rule).with_context(|| format!("unknown rule {rule}"))?;
        let side = size.parse().context("a board size")?;
        let size = BoardSize::new(side, side).context("a board size")?;
        let opening: usize = opening.parse().context("a number of stones")?;
        let result = match *result {
            "B" => Some(Outcome::Won(Color::Black)),
            "W" => Some(Outcome::Won(Color::White)),
            "D" => Some(Outcome::Drawn),
            "?" => None,
            _ => bail!("unknown result {result}"),
        };
        let moves = parse_points(moves, size)?;
        let scores = scores.split(',').map(str::parse).collect::<anyhow::Result<Vec<_>>>()?;
        let searched = moves.len().checked_sub(opening);
        ensure!(searched == Some(scores.len()), "a score for every searched move");
        let mut taken = CellSet::EMPTY;
        for &mv in &moves {
            ensure!(!taken.contains(mv), "{mv} is taken");
            taken.insert(mv);
        }
        Ok(TrainingGame { rule, size, opening, result, moves, scores })
    }
}

impl TrainingGame {
    /// Reads the games of a file, each with true if it is [held out](HeldOut).
    ///
    /// # Errors
    ///
    /// If a line is no game; the error names it.
    pub fn parse_all(text: &str) -> anyhow::Result<Vec<(TrainingGame, bool)>> {
        let mut held_out = HeldOut::default();
        let parse = |(number, line): (usize, &str)| {
            let game: TrainingGame =
                line.parse().with_context(|| format!("line {}", number + 1))?;
            let is_held_out = held_out.includes(&game);
            Ok((game, is_held_out))
        };
        text.lines().enumerate().map(parse).collect()
    }

    fn opening(&self) -> &[Coord] {
        &self.moves[..self.opening]
    }
}

/// Chooses the games that fits are measured on and never see: one opening in [`HeldOut::INTERVAL`].
///
/// An opening, its turns and reflections, all games from it and all positions off their paths are
/// on one side, so that nothing measured is a copy of something learned. The choice depends on the
/// opening alone.
#[derive(Debug, Default)]
struct HeldOut {
    /// The opening of the last game.
    opening: Vec<Coord>,
    /// True if that game is held out.
    is_held_out: bool,
}

impl HeldOut {
    /// One opening in so many is held out.
    const INTERVAL: u64 = 10;

    /// Returns true if the game is held out. Games are asked for in the order of their file: a
    /// position off the path of a game goes with it.
    fn includes(&mut self, game: &TrainingGame) -> bool {
        let is_side_position = game.result.is_none() && game.opening().starts_with(&self.opening);
        if !is_side_position || self.opening.is_empty() {
            self.opening = game.opening().to_vec();
            self.is_held_out = self.number(game.size) % HeldOut::INTERVAL == 0;
        }
        self.is_held_out
    }

    /// Returns a number that looks random and is the same for every image of the opening.
    fn number(&self, size: BoardSize) -> u64 {
        let sides = canonical(&self.opening, size);
        // White's stones count otherwise than black's.
        let stones = sides
            .iter()
            .zip([0, 1 << 32])
            .flat_map(|(side, color)| side.iter().map(move |mv| mv.index() as u64 | color));
        stones.fold(0, |number, stone| mixed(number ^ stone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(line: &str) -> TrainingGame {
        line.parse().unwrap()
    }

    #[test]
    fn a_line_is_a_game() {
        let line = "renju 15 3 W h8h9i9g7a15 -12,+";
        let renju = game(line);
        assert_eq!((renju.rule, renju.size.width(), renju.opening), (Rule::Renju, 15, 3));
        assert_eq!(renju.result, Some(Outcome::Won(Color::White)));
        assert_eq!(renju.scores, [TrainingScore::Eval(-12), TrainingScore::Win]);
        assert_eq!((renju.moves.len(), renju.to_string().as_str()), (5, line));
        let line = "caro 20 1 ? h8t20 -";
        let side = game(line);
        assert_eq!((side.result, side.moves[1]), (None, Coord::new(19, 19)));
        assert_eq!((side.scores[0], side.to_string().as_str()), (TrainingScore::Loss, line));
        let line = "caro-exact 5 0 D a1b1c1 1,2,3";
        assert_eq!(game(line).to_string(), line);
    }

    #[test]
    fn what_is_no_game_is_refused() {
        for line in [
            "",
            "renju 15 3 W h8h9i9g7",
            "go 15 1 W h8h9 1",
            "renju 4 1 W h8h9 1",
            "renju 15 x W h8h9 1",
            "renju 15 1 X h8h9 1",
            "renju 15 1 W h8h16 1",
            "renju 15 1 W h8h9 1,2",
            "renju 15 1 W h8h9 1.5",
            "renju 15 18446744073709551615 W h8h9 1,2,3",
            "renju 15 1 W h8h8 1",
        ] {
            assert!(line.parse::<TrainingGame>().is_err(), "{line}");
        }
        let error = TrainingGame::parse_all("renju 15 1 W h8h9 1\nrenju").unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }

    #[test]
    fn one_opening_in_ten_is_held_out() {
        let size = BoardSize::new(15, 15).unwrap();
        let games: String = size
            .cells()
            .flat_map(|first| size.cells().map(move |second| (first, second)))
            .filter(|(first, second)| first != second && first.x() < 8 && first.y() < 8)
            .map(|(first, second)| format!("freestyle 15 2 D {first}{second}o15 0\n"))
            .filter(|line| line.trim_end().parse::<TrainingGame>().is_ok())
            .collect();
        let games = TrainingGame::parse_all(&games).unwrap();
        let held_out = games.iter().filter(|(_, is_held_out)| *is_held_out).count();
        let share = held_out as f64 / games.len() as f64;
        assert!((0.08..0.12).contains(&share), "{share}");
    }

    #[test]
    fn games_of_one_opening_and_its_images_are_on_one_side() {
        let mut sides = [0, 0];
        for column in 'a'..='m' {
            let image = char::from(b'o' - (column as u8 - b'a'));
            let text = format!(
                "freestyle 15 3 B {column}1{column}3{column}5h8 10\n\
                 freestyle 15 4 ? {column}1{column}3{column}5h8h9 10\n\
                 freestyle 15 5 ? {column}1{column}3{column}5h8i9k9 10\n\
                 freestyle 15 3 W {column}5{column}3{column}1g8 10\n\
                 freestyle 15 3 D {image}1{image}3{image}5i8 10\n\
                 freestyle 15 4 ? {image}1{image}3{image}5i8i9 10\n"
            );
            let games = TrainingGame::parse_all(&text).unwrap();
            let first = games[0].1;
            assert!(games.iter().all(|(_, is_held_out)| *is_held_out == first), "{column}");
            sides[usize::from(first)] += 1;
        }
        assert!(sides.iter().all(|&count| count > 0), "{sides:?}");
    }

    #[test]
    fn a_position_without_its_game_goes_by_its_own_stones() {
        let lines = "freestyle 15 2 ? a1b2h8 0\nfreestyle 15 2 ? c1d2h8 0\n";
        let alone = |line: &str| TrainingGame::parse_all(line).unwrap()[0].1;
        let together = TrainingGame::parse_all(lines).unwrap();
        assert!(lines.lines().zip(together).all(|(line, (_, is))| alone(line) == is));
    }
}
