//! Looks at training data: prints games, counts what files hold, compares scores with results. Also
//! writes games with the network's values as scores.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io::{self, BufWriter, Write, stdout};
use std::path::PathBuf;

use anyhow::ensure;
use clap::Subcommand;
use tengen::eval::Evaluator;
use tengen::eval::win_rate::Curve;
use tengen::score::{Bound, Score, ScoreKind};
use tengen::search::trace::grid;
use tengen_gomoku::board::Board;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::{Color, Coord, Rule};
use tengen_lab::{Reader, Source, TrainingGame, header, read_files, write_game};

/// Looks at training data.
#[derive(Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum Options {
    /// Print games as text
    Show {
        /// The games
        file: PathBuf,
        /// The first game to print, counted from 0
        #[arg(long, value_name = "NUMBER", default_value = "0")]
        game: usize,
        /// How many to print
        #[arg(long, value_name = "NUMBER", default_value = "1")]
        count: usize,
        /// Print the positions beside the game too
        #[arg(long)]
        samples: bool,
    },
    /// Count what files hold
    Stats {
        /// The games
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Write games once more, with the network's values of their positions as scores
    Static {
        /// The games
        games: PathBuf,
        /// The file to write
        out: PathBuf,
    },
    /// Compare the win rates of scores with results, and fit their scale
    Calibrate {
        /// The games
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
}

pub fn run(options: Options) -> anyhow::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    match options {
        Options::Show { file, game, count, samples } => {
            let mut reader = Reader::open(&file)?;
            writeln!(out, "{}", reader.made_by)?;
            for game in reader.by_ref().skip(game).take(count) {
                writeln!(out)?;
                show(&mut out, &game?, samples)?;
            }
            out.flush()?;
            reader.note_left_out(&file);
        }
        Options::Stats { files } => {
            let mut statistics = Statistics::default();
            read_files(&files, |game| {
                statistics.add(&game);
                Ok(())
            })?;
            write!(out, "{statistics}")?;
        }
        Options::Static { games, out } => {
            crate::check_new(&out)?;
            let mut bytes = header("static values")?;
            read_files(&[games], |game| Ok(write_game(&mut bytes, &evaluated(game))?))?;
            crate::write_file(&out, &bytes)?;
        }
        Options::Calibrate { files } => {
            let mut calibration = Calibration::default();
            read_files(&files, |game| calibration.add(&game))?;
            write!(out, "{calibration}")?;
        }
    }
    Ok(out.flush()?)
}

/// Returns the game with the network's values as scores. Proofs stay, and so do bounds, depths and
/// other moves: those of the search.
fn evaluated(mut game: TrainingGame) -> TrainingGame {
    let (size, rule, moves, opening) = (game.size, game.rule, &game.moves, game.opening);
    let evaluate = |score: &mut Score, path: &[Coord], line: &[Coord]| {
        let board = Board::from_moves(size, rule, path.iter().chain(line).copied());
        if !score.is_decisive() {
            *score = Evaluator::new(&board).evaluate(&board);
        }
    };
    for (index, label) in game.labels.iter_mut().enumerate() {
        evaluate(&mut label.score, &moves[..opening + index], &[]);
    }
    for sample in &mut game.samples {
        evaluate(&mut sample.score, &moves[..sample.ply], &sample.line);
    }
    game
}

/// Writes a game: its head, a line for each move, the last position, and the samples if wanted.
fn show(out: &mut impl Write, game: &TrainingGame, with_samples: bool) -> io::Result<()> {
    let TrainingGame { number, rule, size, .. } = game;
    let outcome = match game.outcome {
        Outcome::Won(color) => format!("{color} wins"),
        Outcome::Drawn => "drawn".to_owned(),
    };
    let moves = game.moves.len();
    let inner = game.samples.iter().filter(|sample| sample.source == Source::Inner).count();
    let sides = game.samples.len() - inner;
    let held_out = if game.is_held_out() { ", held out" } else { "" };
    write!(out, "game {number}, {} {size}, {outcome}, {moves} moves, ", rule.name())?;
    writeln!(out, "{sides} sides, {inner} inner nodes{held_out}")?;
    let (opening, searched) = game.moves.split_at(game.opening);
    writeln!(out, "opening {}", written(opening))?;
    for (index, (mv, label)) in searched.iter().zip(&game.labels).enumerate() {
        let ply = game.opening + index;
        let color = Color::ALL[ply % 2];
        let [mv, score] = [mv.to_string(), label.score.to_string()];
        write!(out, "{:3} {color} {mv:4} {score:>6} depth {}", ply + 1, label.depth)?;
        for (mv, score) in &label.others {
            write!(out, ", {mv} {score}")?;
        }
        writeln!(out)?;
    }
    let board = Board::from_moves(*size, Rule::Freestyle, game.moves.iter().copied());
    writeln!(out, "{}", grid(&board, 2, |_| ".".to_owned()).join("\n"))?;
    for sample in game.samples.iter().filter(|_| with_samples) {
        let source = match sample.source {
            Source::Side => "side",
            Source::Inner => "inner",
        };
        let bound = match sample.bound {
            Bound::Upper => "at most ",
            Bound::Lower => "at least ",
            Bound::Exact => "",
        };
        let best = sample.mv.map_or("-".to_owned(), |mv| mv.to_string());
        let (ply, line) = (sample.ply, written(&sample.line));
        write!(out, "{source} after move {ply}: {line}, best {best}, ")?;
        writeln!(out, "{bound}{}, depth {}", sample.score, sample.depth)?;
    }
    Ok(())
}

fn written(moves: &[Coord]) -> String {
    moves.iter().map(Coord::to_string).collect()
}

/// Upper ends of the classes of scores without their signs.
const SCORE_CLASSES: [i32; 7] = [25, 50, 100, 150, 300, 600, Score::EVAL_LIMIT];

#[derive(Default)]
struct Statistics {
    games: u64,
    positions: u64,
    openings: HashSet<u64>,
    /// How often each value of something came.
    tallies: BTreeMap<(&'static str, &'static str), BTreeMap<String, u64>>,
}

impl Statistics {
    fn add(&mut self, game: &TrainingGame) {
        self.games += 1;
        self.openings.insert(game.opening_hash());
        let decade = game.moves.len() / 10 * 10;
        for (what, value) in [
            ("board", format!("{} {}", game.rule.name(), game.size)),
            ("held out", game.is_held_out().to_string()),
            ("winner", game.outcome.to_string()),
            ("points of the side to move after the opening", game.points(game.opening).to_string()),
            ("moves", format!("{decade:3} to {}", decade + 9)),
            ("moves of the opening", format!("{:2}", game.opening)),
        ] {
            self.count("games", what, value);
        }
        for label in &game.labels {
            self.add_position("searches", label.score, label.depth);
            self.count("searches", "other moves", label.others.len().to_string());
        }
        for sample in &game.samples {
            let source = match sample.source {
                Source::Side => "side positions",
                Source::Inner => "inner nodes",
            };
            self.add_position(source, sample.score, sample.depth);
            self.count(source, "bound", format!("{:?}", sample.bound));
            self.count(source, "moves from the game", format!("{:2}", sample.line.len()));
        }
    }

    fn add_position(&mut self, source: &'static str, score: Score, depth: u8) {
        self.positions += 1;
        let class = SCORE_CLASSES.into_iter().find(|&end| score.value().abs() <= end);
        let class = class.map_or("proven".to_owned(), |end| format!("to {end:5}"));
        self.count(source, "score", class);
        self.count(source, "depth", format!("{depth:2}"));
    }

    fn count(&mut self, source: &'static str, what: &'static str, value: String) {
        *self.tallies.entry((source, what)).or_default().entry(value).or_default() += 1;
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Statistics { games, positions, .. } = self;
        writeln!(f, "{games} games, {positions} positions")?;
        writeln!(f, "duplicate openings: {}", games - self.openings.len() as u64)?;
        for ((source, what), tally) in &self.tallies {
            let all: u64 = tally.values().sum();
            let share = |count: &u64| 100.0 * *count as f64 / all as f64;
            let shares =
                tally.iter().map(|(value, count)| format!("{value}: {:.1} %", share(count)));
            let shares: Vec<String> = shares.collect();
            writeln!(f, "{all} {source}, {what}: {}", shares.join(", "))?;
        }
        Ok(())
    }
}

/// The least scores of the table's rows.
const ROWS: [i32; 12] = [0, 50, 100, 150, 200, 250, 300, 350, 400, 600, 800, 1_200];

/// Whether the win rates of scores are what games say: the curve is fitted to most games, and
/// compared with those of openings that are held out.
#[derive(Default)]
struct Calibration {
    fitted: Results,
    held_out: Results,
    rule: Option<Rule>,
}

impl Calibration {
    fn add(&mut self, game: &TrainingGame) -> anyhow::Result<()> {
        let rule = *self.rule.get_or_insert(game.rule);
        ensure!(rule == game.rule, "games of {} and of {}", rule.name(), game.rule.name());
        let results = if game.is_held_out() { &mut self.held_out } else { &mut self.fitted };
        for (index, label) in game.labels.iter().enumerate() {
            if let ScoreKind::Eval(value) = label.score.kind() {
                results.add(value, game.points(game.opening + index));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let in_use = Curve::of(self.rule.unwrap_or_default());
        writeln!(f, "ahead from\tpositions\twin rate\tpoints")?;
        for (row, &first) in ROWS.iter().enumerate() {
            let next = ROWS.get(row + 1).copied().unwrap_or(i32::MAX);
            let (mut all, mut rates, mut points) = (0.0, 0.0, 0.0);
            for (&ahead, (count, sum)) in self.held_out.0.range(first..next) {
                all += count;
                rates += count * in_use.win_rate(ahead);
                points += sum;
            }
            if all > 0.0 {
                let (rate, points) = (rates / all, points / all);
                writeln!(f, "{first}\t{all}\t{rate:.3}\t{points:.3}")?;
            }
        }
        match self.fitted.fit() {
            Some(Curve { scale, bend }) => {
                writeln!(f, "curve that fits: scale {scale:.0}, bend {bend:.2}")
            }
            None => writeln!(f, "too few results of either side to fit a curve"),
        }
    }
}

/// The number of positions, and the points of the side that is ahead, by its score.
#[derive(Default)]
struct Results(BTreeMap<i32, (f64, f64)>);

impl Results {
    fn add(&mut self, score: i32, points: f64) {
        let (count, sum) = self.0.entry(score.abs()).or_default();
        *count += 1.0;
        *sum += if score < 0 { 1.0 - points } else { points };
    }

    fn log_likelihood(&self, curve: Curve) -> f64 {
        let of = |(&ahead, (count, points)): (&i32, &(f64, f64))| {
            points * curve.win_rate(ahead).ln() + (count - points) * curve.win_rate(-ahead).ln()
        };
        self.0.iter().map(of).sum()
    }

    /// Returns the curve under which the results are most likely, of all that have a scale from 40 to
    /// 600 and a bend up to 0.6; `None` where one side has won them all.
    fn fit(&self) -> Option<Curve> {
        let rows = self.0.values();
        let (count, points) = rows.fold((0.0, 0.0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        if points <= 0.0 || points >= count {
            return None;
        }
        let scales = (40..=600).step_by(2).map(f64::from);
        let curves = |scale| (0..=60).map(move |n| Curve { scale, bend: f64::from(n) / 100.0 });
        let likely = scales.flat_map(curves).map(|curve| (self.log_likelihood(curve), curve));
        likely.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, curve)| curve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::BoardSize;
    use tengen_lab::{Label, Sample};

    #[test]
    fn a_game_is_shown_with_all_it_has() {
        let [a, b, c] = [Coord::new(0, 0), Coord::new(1, 1), Coord::new(4, 4)];
        let others = vec![(c, Score::eval(-90))];
        let game = TrainingGame {
            number: 7,
            rule: Rule::Renju,
            size: BoardSize::new(5, 5).unwrap(),
            opening: 1,
            outcome: Outcome::Won(Color::Black),
            moves: vec![a, b],
            labels: vec![Label { score: Score::loss_in(8), depth: 6, others }],
            samples: vec![Sample {
                ply: 1,
                line: vec![c],
                source: Source::Inner,
                mv: None,
                score: Score::eval(31),
                bound: Bound::Lower,
                depth: 4,
            }],
        };
        let expected = "\
game 7, renju 5x5, black wins, 2 moves, 0 sides, 1 inner nodes
opening a1
  2 white b2      -M8 depth 6, e5 -90
   a b c d e
 1 X . . . .
 2 . O . . .
 3 . . . . .
 4 . . . . .
 5 . . . . .
inner after move 1: e5, best -, at least 31, depth 4
";
        let text = |with_samples| {
            let mut bytes = Vec::new();
            show(&mut bytes, &game, with_samples).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(text(true).replace(", held out", ""), expected);
        assert!(!text(false).contains("inner after"));
    }

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
        let mut statistics = Statistics::default();
        statistics.add(&game(Outcome::Won(Color::White), Score::win_in(7)));
        statistics.add(&game(Outcome::Drawn, Score::eval(-120)));
        let text = statistics.to_string();
        for line in [
            "2 games, 2 positions",
            "duplicate openings: 1",
            "2 games, board: caro 15x15: 100.0 %",
            "2 games, moves:   0 to 9: 100.0 %",
            "2 games, moves of the opening:  1: 100.0 %",
            "2 games, winner: draw: 50.0 %, white: 50.0 %",
            "2 games, points of the side to move after the opening: 0.5: 50.0 %, 1: 50.0 %",
            "2 searches, score: proven: 50.0 %, to   150: 50.0 %",
            "2 searches, depth:  6: 100.0 %",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        assert_eq!(Statistics::default().to_string().lines().count(), 2);
    }

    #[test]
    fn every_score_has_a_class() {
        let mut statistics = Statistics::default();
        for score in [0, 25, -26, 20_000].map(Score::eval).into_iter().chain([Score::loss_in(3)]) {
            statistics.add_position("x", score, 1);
        }
        let classes = &statistics.tallies[&("x", "score")];
        let expected = [("proven", 1), ("to    25", 2), ("to    50", 1), ("to 20000", 1)];
        assert!(classes.iter().map(|(class, &count)| (class.as_str(), count)).eq(expected));
    }

    #[test]
    fn rows_hold_what_is_expected_and_what_was_found() {
        let mut calibration = Calibration::default();
        for (score, count, won) in [(0, 10, 4), (2_000, 5, 5), (-3, 4, 1)] {
            for game in 0..count {
                calibration.held_out.add(score, f64::from(u8::from(game < won)));
            }
        }
        let text = calibration.to_string();
        let lines: Vec<&str> = text.lines().collect();
        // Four of ten for the side to move, three of four for the side that moved.
        assert!(lines[1].starts_with("0\t14\t0.50"), "{text}");
        assert!(lines[1].ends_with("\t0.500"), "{text}");
        assert!(lines[2].starts_with("1200\t5\t0.9"), "{text}");
        assert!(lines[2].ends_with("\t1.000"), "{text}");
        assert_eq!(lines.len(), 4);
        assert!(lines[3].starts_with("too few"));
    }

    #[test]
    fn known_curves_are_found_again() {
        for (scale, bend) in [(90.0, 0.0), (340.0, 0.0), (170.0, 0.3), (250.0, 0.15)] {
            let known = Curve { scale, bend };
            let mut results = Results::default();
            for score in (-1_000..=1_000).step_by(10) {
                let won = (1000.0 * known.win_rate(score)).round() as usize;
                (0..1000).for_each(|game| results.add(score, f64::from(u8::from(game < won))));
            }
            let found = results.fit().expect("there are enough results");
            assert!((found.scale / scale - 1.0).abs() < 0.02, "{found:?}");
            assert!((found.bend - bend).abs() < 0.01, "{found:?}");
        }
    }

    #[test]
    fn results_without_information_fit_nothing() {
        let mut results = Results::default();
        assert_eq!(results.fit(), None);
        results.add(100, 1.0);
        assert_eq!(results.fit(), None, "a win and no loss");
    }
}
