//! Training games from the text lines that version 0.1 wrote.
//!
//! A line is `RULE SIZE OPENING RESULT MOVES SCORES`, parted by single blanks: the rule's name; the
//! length of the square board; the number of the opening's stones; `B`, `W` or `D` for a game, `?`
//! for a position off the path of the game before it; all stones in "pos" notation; and the scores
//! of those behind the opening, parted by commas: an evaluation from the mover's view, `+` for a
//! proven win or `-` for a proven loss, both of unknown length.

use std::fmt;
use std::io::{self, BufRead};

use anyhow::{Context, bail, ensure};
use tengen::board::notation::parse_points;
use tengen::record::Outcome;
use tengen::record::training::{Label, Sample, Source, TrainingGame, UNKNOWN_PLIES};
use tengen::types::{BoardSize, Bound, CellSet, Color, Coord, Rule, Score};

/// Counts what it converts.
#[derive(Default)]
pub struct Converter {
    games: u32,
    positions: usize,
    sides: usize,
    /// Positions whose game is not there.
    strays: usize,
    /// A last line without an end, which is no game.
    torn: usize,
}

impl fmt::Display for Converter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Converter { games, positions, sides, strays, torn } = self;
        write!(f, "{games} games with {positions} positions and {sides} beside them; ")?;
        write!(f, "left out {strays} positions without a game and {torn} torn lines")
    }
}

impl Converter {
    /// Hands each game of a text to `take`, with the positions that follow it.
    ///
    /// # Errors
    ///
    /// If the text cannot be read, a line is no game, or `take` fails.
    pub fn convert(
        &mut self,
        mut input: impl BufRead,
        take: &mut impl FnMut(&TrainingGame) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let mut game: Option<TrainingGame> = None;
        let mut text_line = String::new();
        for number in 1.. {
            text_line.clear();
            if input.read_line(&mut text_line)? == 0 {
                break;
            }
            let Some(text) = text_line.strip_suffix('\n') else {
                // Its writer was killed.
                self.torn += 1;
                break;
            };
            let line = Line::parse(text.trim_end()).with_context(|| format!("line {number}"))?;
            match line.outcome {
                Some(outcome) => {
                    self.finish(game.replace(line.game(self.games, outcome)), take)?;
                    self.games += 1;
                }
                None => {
                    let sample = game.as_ref().and_then(|game| line.side_of(game));
                    self.strays += usize::from(sample.is_none());
                    if let Some(game) = &mut game {
                        game.samples.extend(sample);
                    }
                }
            }
        }
        self.finish(game, take)
    }

    fn finish(
        &mut self,
        game: Option<TrainingGame>,
        take: &mut impl FnMut(&TrainingGame) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(game) = game else { return Ok(()) };
        self.positions += game.labels.len();
        self.sides += game.samples.len();
        Ok(take(&game)?)
    }
}

/// A line of the text.
struct Line {
    rule: Rule,
    size: BoardSize,
    opening: usize,
    /// `None` for a position beside a game.
    outcome: Option<Outcome>,
    moves: Vec<Coord>,
    scores: Vec<Score>,
}

impl Line {
    fn parse(line: &str) -> anyhow::Result<Line> {
        let fields: Vec<&str> = line.split(' ').collect();
        let [rule, size, opening, outcome, moves, scores] = fields.as_slice() else {
            bail!("six fields expected");
        };
        let rule = Rule::from_name(rule).with_context(|| format!("unknown rule {rule}"))?;
        let side = size.parse().context("a board size")?;
        let size = BoardSize::new(side, side).context("a board size")?;
        let opening: usize = opening.parse().context("a number of stones")?;
        let outcome = match *outcome {
            "B" => Some(Outcome::Won(Color::Black)),
            "W" => Some(Outcome::Won(Color::White)),
            "D" => Some(Outcome::Drawn),
            "?" => None,
            _ => bail!("unknown result {outcome}"),
        };
        let moves = parse_points(moves, size)?;
        let score = |text: &str| {
            Ok(match text {
                "+" => Score::win_in(UNKNOWN_PLIES),
                "-" => Score::loss_in(UNKNOWN_PLIES),
                value => Score::eval(value.parse().context("a score")?),
            })
        };
        let scores = scores.split(',').map(score).collect::<anyhow::Result<Vec<_>>>()?;
        let searched = moves.len().checked_sub(opening);
        ensure!(searched == Some(scores.len()), "a score for every searched move");
        ensure!(
            outcome.is_none() || u8::try_from(opening).is_ok(),
            "an opening of at most 255 stones"
        );
        let mut taken = CellSet::EMPTY;
        for &mv in &moves {
            ensure!(!taken.contains(mv), "{mv} is taken");
            taken.insert(mv);
        }
        Ok(Line { rule, size, opening, outcome, moves, scores })
    }

    fn game(self, number: u32, outcome: Outcome) -> TrainingGame {
        let label = |score| Label { score, depth: 0, others: Vec::new() };
        TrainingGame {
            number,
            rule: self.rule,
            size: self.size,
            opening: self.opening,
            outcome,
            moves: self.moves,
            labels: self.scores.into_iter().map(label).collect(),
            samples: Vec::new(),
        }
    }

    /// Returns the line as a position beside a game, unless it belongs to another one.
    fn side_of(&self, game: &TrainingGame) -> Option<Sample> {
        let (&score, &mv) = (self.scores.last()?, self.moves.last()?);
        let path = &self.moves[..self.moves.len() - 1];
        let common = path.iter().zip(&game.moves).take_while(|(a, b)| a == b).count();
        // Hasty moves may be those of the game.
        let ply = common.min(path.len().checked_sub(1)?);
        let is_of_game = (game.rule, game.size) == (self.rule, self.size)
            && ply >= game.opening
            && path.len() - ply <= usize::from(u8::MAX);
        is_of_game.then(|| Sample {
            ply,
            line: path[ply..].to_vec(),
            source: Source::Side,
            mv: Some(mv),
            score,
            bound: Bound::Exact,
            depth: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(text: &str) -> (anyhow::Result<()>, Vec<TrainingGame>, Converter) {
        let (mut converter, mut games) = (Converter::default(), Vec::new());
        let result = converter.convert(text.as_bytes(), &mut |game| {
            games.push(game.clone());
            Ok(())
        });
        (result, games, converter)
    }

    #[test]
    fn lines_become_games_with_their_sides() {
        let text = "renju 15 1 ? h8h9 4\n\
                    renju 15 3 W h8h9i9g7a15 -12,+\n\
                    renju 15 5 ? h8h9i9b2b3c4 -\n\
                    renju 15 5 ? h8h9i9g7a15c4 7\n\
                    renju 15 5 ? h8h9a1b2b3c4 9\n\
                    caro-exact 5 0 D a1b1c1 1,2,3\n\
                    caro-exact 5 0 D a1b1c1 1,2,-";
        let (result, games, converter) = converted(text);
        assert!(result.is_ok());
        let counts = (converter.games, converter.positions, converter.sides);
        assert_eq!((counts, converter.strays, converter.torn), ((2, 5, 2), 2, 1));
        let renju = &games[0];
        assert_eq!((renju.rule, renju.opening, renju.moves.len()), (Rule::Renju, 3, 5));
        assert_eq!(renju.outcome, Outcome::Won(Color::White));
        let scores: Vec<Score> = renju.labels.iter().map(|label| label.score).collect();
        assert_eq!(scores, [Score::eval(-12), Score::win_in(0)]);
        let sides =
            renju.samples.iter().map(|side| (side.ply, side.line.len(), side.mv, side.score));
        let mv = Some(Coord::new(2, 3));
        assert!(sides.eq([(3, 2, mv, Score::loss_in(0)), (4, 1, mv, Score::eval(7))]));
        assert_eq!((games[1].number, games[1].size.width(), games[1].samples.len()), (1, 5, 0));
    }

    #[test]
    fn a_side_too_far_from_its_game_is_left_out() {
        let cells = (0..20).flat_map(|y| (0..20).map(move |x| Coord::new(x, y)));
        let moves: Vec<String> = cells.map(|c| c.to_string()).collect();
        for (last, sides) in [(257, 1), (258, 0)] {
            let text = format!(
                "freestyle 20 0 D a1 5\nfreestyle 20 {0} ? {1} 7\n",
                last - 1,
                moves[..last].concat()
            );
            let (result, games, converter) = converted(&text);
            assert!(result.is_ok() && games[0].samples.len() == sides);
            assert_eq!((converter.sides, converter.strays), (sides, 1 - sides));
        }
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
            let (result, ..) = converted(&format!("renju 15 1 W h8h9 1\n{line}\n"));
            let error = result.unwrap_err();
            assert!(error.to_string().contains("line 2"), "{line}: {error}");
        }
    }
}
