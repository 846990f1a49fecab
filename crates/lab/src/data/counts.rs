//! What training games are like, in numbers.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use tengen::record::Outcome;
use tengen::types::{Bound, Color, Rule, Score};
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
    games: u64,
    moves: u64,
    held_out: u64,
    settings: BTreeMap<(u8, (u8, u8)), u64>,
    openings: HashSet<u64>,
    opening_moves: BTreeMap<usize, u64>,
    lengths: BTreeMap<usize, u64>,
    outcomes: Outcomes,
    /// By the class of the first score, without and with its sign.
    by_first_score: BTreeMap<usize, Outcomes>,
    of_game: Positions,
    with_others: u64,
    sides: Positions,
    inner: Positions,
    inner_bounds: [u64; 3],
    inner_lines: BTreeMap<usize, u64>,
}

/// Games by how they ended.
#[derive(Clone, Copy, Default)]
struct Outcomes {
    black: u64,
    white: u64,
    drawn: u64,
    /// Won by the side that moved first behind the opening.
    mover: u64,
}

/// Positions of one source.
#[derive(Default)]
struct Positions {
    count: u64,
    proven: u64,
    depths: BTreeMap<u8, u64>,
    scores: BTreeMap<usize, u64>,
}

impl Statistics {
    pub fn add(&mut self, game: &TrainingGame) {
        self.games += 1;
        self.moves += game.moves.len() as u64;
        self.held_out += u64::from(game.is_held_out());
        let size = (game.size.width(), game.size.height());
        *self.settings.entry((game.rule as u8, size)).or_default() += 1;
        self.openings.insert(game.opening_hash());
        *self.opening_moves.entry(game.opening).or_default() += 1;
        *self.lengths.entry(game.moves.len() / LENGTH_CLASS * LENGTH_CLASS).or_default() += 1;
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
            self.inner_bounds[sample.bound as usize - Bound::Upper as usize] += 1;
            *self.inner_lines.entry(sample.line.len()).or_default() += 1;
        }
    }
}

impl Outcomes {
    fn add(&mut self, outcome: Outcome, mover: Color) {
        match outcome {
            Outcome::Won(Color::Black) => self.black += 1,
            Outcome::Won(Color::White) => self.white += 1,
            Outcome::Drawn => self.drawn += 1,
        }
        self.mover += u64::from(outcome == Outcome::Won(mover));
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Outcomes { black, white, drawn, mover } = *self;
        let all = black + white + drawn;
        write!(f, "{all} games: black won {}, ", percent(black, all))?;
        write!(f, "white {}, drawn {}; ", percent(white, all), percent(drawn, all))?;
        write!(f, "the side to move behind the opening won {}", percent(mover, all))
    }
}

impl Positions {
    fn add(&mut self, score: Score, depth: u8) {
        self.count += 1;
        *self.depths.entry(depth).or_default() += 1;
        if score.is_decisive() {
            self.proven += 1;
        } else {
            *self.scores.entry(score_class(score)).or_default() += 1;
        }
    }
}

impl fmt::Display for Positions {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}, proven {}", self.count, percent(self.proven, self.count))?;
        let scores = self.scores.iter().map(|(&class, &count)| (score_name(class), count));
        writeln!(f, "  scores: {}", table(scores, self.count))?;
        let depths = self.depths.iter().map(|(depth, &count)| (depth.to_string(), count));
        write!(f, "  depths: {}", table(depths, self.count))
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let positions = self.of_game.count + self.sides.count + self.inner.count;
        writeln!(f, "{} games, {positions} positions, {} bytes", self.games, self.bytes)?;
        if self.games == 0 {
            return Ok(());
        }
        let per = |what: u64, all: u64| what as f64 / all.max(1) as f64;
        writeln!(
            f,
            "{:.1} bytes a position, {:.1} moves a game, {} held out",
            per(self.bytes, positions),
            per(self.moves, self.games),
            percent(self.held_out, self.games)
        )?;
        let settings = self.settings.iter().map(|(&(rule, (width, height)), &count)| {
            (format!("{} {width}x{height}", Rule::ALL[rule as usize].name()), count)
        });
        writeln!(f, "boards: {}", table(settings, self.games))?;
        let lengths = self
            .lengths
            .iter()
            .map(|(&first, &count)| (format!("{first}-{}", first + LENGTH_CLASS - 1), count));
        writeln!(f, "moves: {}", table(lengths, self.games))?;
        let openings = self.opening_moves.iter().map(|(moves, &count)| (moves.to_string(), count));
        writeln!(f, "moves of the opening: {}", table(openings, self.games))?;
        let repeated = self.games - self.openings.len() as u64;
        writeln!(f, "openings there already: {repeated}")?;
        writeln!(f, "{}", self.outcomes)?;
        for (&class, outcomes) in &self.by_first_score {
            writeln!(f, "  first score {}: {outcomes}", score_name(class))?;
        }
        writeln!(f, "positions of games: {}", self.of_game)?;
        writeln!(f, "  with further moves: {}", percent(self.with_others, self.of_game.count))?;
        writeln!(f, "side positions: {}", self.sides)?;
        writeln!(f, "inner nodes: {}", self.inner)?;
        let searches = self.of_game.count;
        writeln!(f, "  for each search of a game's move: {:.2}", per(self.inner.count, searches))?;
        let bounds =
            ["upper", "lower", "exact"].map(str::to_owned).into_iter().zip(self.inner_bounds);
        writeln!(f, "  bounds: {}", table(bounds, self.inner.count))?;
        let lines = self.inner_lines.iter().map(|(len, &count)| (len.to_string(), count));
        writeln!(f, "  moves from the game: {}", table(lines, self.inner.count))
    }
}

/// Returns the number of the class that a score without its sign belongs to; the last is that of
/// proofs.
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

fn table(rows: impl Iterator<Item = (String, u64)>, all: u64) -> String {
    let row = |(name, count)| format!("{name}: {}", percent(count, all));
    rows.map(row).collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::types::{BoardSize, Coord};
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
            "2 games: black won 0.0 %, white 50.0 %, drawn 50.0 %; the side to move behind the \
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
