//! What training games are like, in numbers.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use tengen::score::{Bound, Score};
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::{Color, Rule};
use tengen_lab::{Source, TrainingGame};

/// Upper ends of the classes of scores without their signs.
const SCORE_CLASSES: [i32; 7] = [25, 50, 100, 150, 300, 600, Score::EVAL_LIMIT];
/// Games of one line in the tables of lengths.
const LENGTH_CLASS: usize = 10;

/// Counts games and what they hold.
#[derive(Default)]
pub struct Statistics {
    /// The length of the files.
    pub bytes: u64,
    moves: u64,
    held_out: u64,
    boards: Tally<(u8, (u8, u8))>,
    openings: HashSet<u64>,
    opening_moves: Tally<usize>,
    lengths: Tally<usize>,
    outcomes: Outcomes,
    by_first_score: BTreeMap<usize, Outcomes>,
    of_game: Positions,
    with_others: u64,
    sides: Positions,
    inner: Positions,
    inner_bounds: Tally<u8>,
    inner_lines: Tally<usize>,
}

/// How often each of several things came.
#[derive(Default)]
struct Tally<K>(BTreeMap<K, u64>);

impl<K: Ord + Copy> Tally<K> {
    fn add(&mut self, key: K) {
        *self.0.entry(key).or_default() += 1;
    }

    /// Returns the shares of all, by the names of the keys.
    fn shares(&self, all: u64, name: impl Fn(K) -> String) -> String {
        let row = |(&key, &count)| format!("{}: {}", name(key), percent(count, all));
        self.0.iter().map(row).collect::<Vec<String>>().join(", ")
    }
}

/// Games by how they ended.
#[derive(Default)]
struct Outcomes {
    all: u64,
    black: u64,
    white: u64,
    /// Won by the side to move after the opening.
    mover: u64,
}

/// Positions of one source.
#[derive(Default)]
struct Positions {
    count: u64,
    proven: u64,
    depths: Tally<u8>,
    scores: Tally<usize>,
}

impl Statistics {
    pub fn add(&mut self, game: &TrainingGame) {
        self.moves += game.moves.len() as u64;
        self.held_out += u64::from(game.is_held_out());
        self.boards.add((game.rule as u8, (game.size.width(), game.size.height())));
        self.openings.insert(game.opening_hash());
        self.opening_moves.add(game.opening);
        self.lengths.add(game.moves.len() / LENGTH_CLASS * LENGTH_CLASS);
        let mover = Color::to_move_after(game.opening);
        self.outcomes.add(game.outcome, mover);
        if let Some(first) = game.labels.first() {
            let class = score_class(first.score);
            self.by_first_score.entry(class).or_default().add(game.outcome, mover);
        }
        for label in &game.labels {
            self.of_game.add(label.score, label.depth);
            self.with_others += u64::from(!label.others.is_empty());
        }
        for sample in &game.samples {
            if sample.source == Source::Side {
                self.sides.add(sample.score, sample.depth);
                continue;
            }
            self.inner.add(sample.score, sample.depth);
            self.inner_bounds.add(sample.bound as u8);
            self.inner_lines.add(sample.line.len());
        }
    }
}

impl Outcomes {
    fn add(&mut self, outcome: Outcome, mover: Color) {
        self.all += 1;
        let counts = [
            (Color::Black, &mut self.black),
            (Color::White, &mut self.white),
            (mover, &mut self.mover),
        ];
        for (color, count) in counts {
            *count += u64::from(outcome == Outcome::Won(color));
        }
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Outcomes { all, black, white, mover } = *self;
        write!(f, "{all} games: black won {}, ", percent(black, all))?;
        let drawn = all - black - white;
        write!(f, "white {}, drawn {}; ", percent(white, all), percent(drawn, all))?;
        write!(f, "the side to move after the opening won {}", percent(mover, all))
    }
}

impl Positions {
    fn add(&mut self, score: Score, depth: u8) {
        self.count += 1;
        self.depths.add(depth);
        if score.is_decisive() {
            self.proven += 1;
        } else {
            self.scores.add(score_class(score));
        }
    }
}

impl fmt::Display for Positions {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}, proven {}", self.count, percent(self.proven, self.count))?;
        writeln!(f, "  scores: {}", self.scores.shares(self.count, score_name))?;
        write!(f, "  depths: {}", self.depths.shares(self.count, |depth| depth.to_string()))
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let games = self.outcomes.all;
        let positions = self.of_game.count + self.sides.count + self.inner.count;
        writeln!(f, "{games} games, {positions} positions, {} bytes", self.bytes)?;
        if games == 0 {
            return Ok(());
        }
        let per = |what: u64, all: u64| what as f64 / all.max(1) as f64;
        write!(f, "{:.1} bytes a position, ", per(self.bytes, positions))?;
        let held_out = percent(self.held_out, games);
        writeln!(f, "{:.1} moves a game, {held_out} held out", per(self.moves, games))?;
        let board = |(rule, (width, height))| {
            format!("{} {width}x{height}", Rule::ALL[usize::from(rule)].name())
        };
        writeln!(f, "boards: {}", self.boards.shares(games, board))?;
        let length = |first| format!("{first}-{}", first + LENGTH_CLASS - 1);
        writeln!(f, "moves: {}", self.lengths.shares(games, length))?;
        let number = |moves: usize| moves.to_string();
        writeln!(f, "moves of the opening: {}", self.opening_moves.shares(games, number))?;
        writeln!(f, "openings there already: {}", games - self.openings.len() as u64)?;
        writeln!(f, "{}", self.outcomes)?;
        for (&class, outcomes) in &self.by_first_score {
            writeln!(f, "  first score {}: {outcomes}", score_name(class))?;
        }
        let (searches, inner) = (self.of_game.count, self.inner.count);
        writeln!(f, "positions of games: {}", self.of_game)?;
        writeln!(f, "  with further moves: {}", percent(self.with_others, searches))?;
        writeln!(f, "side positions: {}", self.sides)?;
        writeln!(f, "inner nodes: {}", self.inner)?;
        writeln!(f, "  for each search of a game's move: {:.2}", per(inner, searches))?;
        let bound = |bound| ["upper", "lower", "exact"][usize::from(bound - Bound::Upper as u8)];
        let bounds = self.inner_bounds.shares(inner, |number| bound(number).to_owned());
        writeln!(f, "  bounds: {bounds}")?;
        writeln!(f, "  moves from the game: {}", self.inner_lines.shares(inner, number))
    }
}

/// Returns the class of a score without its sign; the last is that of proofs.
fn score_class(score: Score) -> usize {
    let value = score.value().abs();
    SCORE_CLASSES.iter().position(|&end| value <= end).unwrap_or(SCORE_CLASSES.len())
}

fn score_name(class: usize) -> String {
    match SCORE_CLASSES.get(class) {
        Some(&Score::EVAL_LIMIT) => "more".to_owned(),
        Some(end) => format!("to {end}"),
        None => "proven".to_owned(),
    }
}

fn percent(part: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::{BoardSize, Coord};
    use tengen_lab::Label;

    #[test]
    fn games_are_counted() {
        let game = |outcome, score| TrainingGame {
            number: 0,
            rule: Rule::Caro,
            size: BoardSize::new(15, 15).unwrap(),
            opening: 1,
            outcome,
            moves: vec![Coord::new(3, 4), Coord::new(5, 5)],
            labels: vec![Label { score, depth: 6, others: Vec::new() }],
            samples: Vec::new(),
        };
        let mut statistics = Statistics { bytes: 40, ..Statistics::default() };
        statistics.add(&game(Outcome::Won(Color::White), Score::win_in(7)));
        statistics.add(&game(Outcome::Drawn, Score::eval(-120)));
        let text = statistics.to_string();
        for line in [
            "2 games, 2 positions, 40 bytes",
            "boards: caro 15x15: 100.0 %",
            "moves: 0-9: 100.0 %",
            "openings there already: 1",
            "2 games: black won 0.0 %, white 50.0 %, drawn 50.0 %; the side to move after the \
             opening won 50.0 %",
            "positions of games: 2, proven 50.0 %",
            "  scores: to 150: 50.0 %",
            "  depths: 6: 100.0 %",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        assert_eq!(Statistics::default().to_string().lines().count(), 1);
    }

    #[test]
    fn every_score_has_a_class() {
        let classes = [0, 25, -26, 20_000].map(|value| score_class(Score::eval(value)));
        assert_eq!(classes, [0, 0, 1, 6]);
        assert_eq!(score_name(score_class(Score::loss_in(3))), "proven");
    }
}
