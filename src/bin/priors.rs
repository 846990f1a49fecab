//! Fits the first numbers of the proof search (`search::vct::priors`) to games that `datagen` wrote.
//!
//! Usage: `odds SEARCHES SEED FILE...` takes positions of the games at random, lets the proof search
//! look for a win in each, and draws from the positions that it met. A position counts as won if a
//! search of [`WIN_PLAYS`] wins it, as failed if one of [`FAILURE_PLAYS`] gives it up: short wins
//! are the ones that a search should try first. The chances of both are fitted to the numbers of
//! cells with each threat, those of moves to their node's odds and what their cells offer, by
//! logistic regression with Newton's method. One tenth of the games is kept back and only measured.
//!
//! The tables are printed as they stand in `priors.rs`, which shifts those of attacks by a constant of
//! its own. The priors of moves rest on the position model in use: put that there first, and run
//! this again for the moves. Results of matches between the numbers are in `scripts/README.md`.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::thread;

use anyhow::{Context, bail, ensure};
use tengen::board::Board;
use tengen::parallel;
use tengen::record::TrainingGame;
use tengen::search::STACK_BYTES;
use tengen::search::vct::{DOUBLING, MoveClass, MoveSample, PositionSample, Vct};
use tengen::shape::Threat;
use tengen::types::{Coord, Random};

/// Plays of the searches whose positions are drawn from.
const SEARCH_PLAYS: u64 = 3_000;
/// Plays within which a win counts, and a failure.
const WIN_PLAYS: u64 = 500;
const FAILURE_PLAYS: u64 = 20_000;
/// Positions drawn from each search, out of the first ones that are found again.
const DRAWN: usize = 20;
const MOST_MET: usize = 2_000;
/// Moves drawn from each of these.
const DRAWN_MOVES: usize = 4;
/// What holds the weights small, and steps of Newton's method.
const DECAY: f64 = 2.0;
const STEPS: usize = 20;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [searches, seed, files @ ..] = args.as_slice() else {
        bail!("usage: odds SEARCHES SEED FILE...");
    };
    let searches = searches.parse().context("the searches are a number")?;
    let seed: u64 = seed.parse().context("the seed is a number")?;
    let mut games = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).with_context(|| format!("reading {file}"))?;
        games.extend(TrainingGame::parse_all(&text).with_context(|| format!("reading {file}"))?);
    }
    ensure!(games.len() >= 20, "too few games");

    let mut samples = Vec::new();
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let worker = || {
        let mut sampler = Sampler { met: Vct::new(), judge: Vct::new() };
        let games = &games;
        move |number| sampler.draw(games, &mut Random::new(seed ^ number << 32))
    };
    parallel::in_order(0..searches, threads, STACK_BYTES, worker, |drawn| {
        samples.extend(drawn);
        true
    })?;
    let mut output = io::stdout().lock();
    writeln!(output, "{} positions", samples.len())?;
    for (name, is_attack) in [("ATTACKER_TO_MOVE", true), ("DEFENDER_TO_MOVE", false)] {
        writeln!(output, "{}", positions_table(name, is_attack, &samples)?)?;
    }
    for (name, kind) in [
        ("DEFENCE", MoveClass::Defence),
        ("ATTACK", MoveClass::Attack),
        ("QUIET_ATTACK", MoveClass::QuietAttack),
    ] {
        writeln!(output, "{}", moves_table(name, kind, &samples)?)?;
    }
    Ok(())
}

/// A position that a search met, with what came of it.
struct Sample {
    is_attack: bool,
    position: PositionSample,
    /// Whether it is won soon, and whether it fails.
    outcomes: [bool; 2],
    is_test: bool,
}

struct Sampler {
    /// The search whose positions are drawn.
    met: Vct,
    /// Tells what they are.
    judge: Vct,
}

impl Sampler {
    /// Searches one position of a game and returns samples of what the search met.
    fn draw(&mut self, games: &[(TrainingGame, bool)], random: &mut Random) -> Vec<Sample> {
        let (game, is_test) = &games[random.below(games.len())];
        let mut board = Board::new(game.size, game.rule);
        let moves = game.opening + random.below(game.scores.len());
        game.moves[..moves].iter().for_each(|&mv| board.play(mv));
        let attacker = board.side_to_move();
        self.met.clear();
        self.met.solve(&mut board, SEARCH_PLAYS);
        let mut walk = Walk { vct: &self.met, seen: HashSet::new(), lines: Vec::new() };
        walk.collect(&mut board, &mut Vec::new());
        let mut lines = walk.lines;
        let mut samples = Vec::new();
        for _ in 0..DRAWN.min(lines.len()) {
            let line = lines.swap_remove(random.below(lines.len()));
            let mut board = board.clone();
            line.iter().for_each(|&mv| board.play(mv));
            let Some(mut position) = self.judge.sample(&mut board, attacker) else { continue };
            while position.moves.len() > DRAWN_MOVES {
                position.moves.swap_remove(random.below(position.moves.len()));
            }
            let mut is = |verdict, plays| {
                self.judge.clear();
                self.judge.verdict(&mut board, attacker, plays) == Some(verdict)
            };
            let won = is(true, WIN_PLAYS);
            let outcomes = [won, !won && is(false, FAILURE_PLAYS)];
            let is_attack = board.side_to_move() == attacker;
            samples.push(Sample { is_attack, position, outcomes, is_test: *is_test });
        }
        samples
    }
}

/// A walk through what a search met.
struct Walk<'a> {
    vct: &'a Vct,
    seen: HashSet<u64>,
    /// The moves that lead to each position.
    lines: Vec<Vec<Coord>>,
}

impl Walk<'_> {
    fn collect(&mut self, board: &mut Board, line: &mut Vec<Coord>) {
        for mv in &{ board.candidates() } {
            let is_new = self.vct.has_expanded(board, mv)
                && self.lines.len() < MOST_MET
                && self.seen.insert(board.key_after(mv).bits());
            if is_new {
                board.play(mv);
                line.push(mv);
                self.lines.push(line.clone());
                self.collect(board, line);
                line.pop();
                board.undo();
            }
        }
    }
}

/// What is known of one case, and how likely its outcomes are.
struct Row {
    known: Vec<f64>,
    outcomes: [f64; 2],
    is_test: bool,
}

impl Row {
    /// Returns what is known, behind a one that the base goes with.
    fn with_base(&self) -> Vec<f64> {
        [&[1.0], &self.known[..]].concat()
    }
}

/// Returns the table of the odds of positions with one side to move.
fn positions_table(name: &str, is_attack: bool, samples: &[Sample]) -> anyhow::Result<String> {
    let row = |sample: &Sample| Row {
        known: sample.position.features.iter().map(|&n| f64::from(n)).collect(),
        outcomes: sample.outcomes.map(|is| f64::from(u8::from(is))),
        is_test: sample.is_test,
    };
    let rows: Vec<Row> =
        samples.iter().filter(|sample| sample.is_attack == is_attack).map(row).collect();
    table(name, "PositionModel", &rows, |weights| {
        let (answer, threats) = weights.split_last()?;
        let (attacker, defender) = threats.split_at(threats.len() / 2);
        Some(format!(
            "attacker: {attacker:?},\n        defender: {defender:?},\n        answer: {answer},"
        ))
    })
}

/// Returns the table of the odds behind moves of a kind.
fn moves_table(name: &str, class: MoveClass, samples: &[Sample]) -> anyhow::Result<String> {
    let row = |sample: &Sample, look: &MoveSample| {
        let mut known = sample.position.log_odds.to_vec();
        for threat in look.threats {
            known.extend((0..Threat::COUNT).map(|n| f64::from(u8::from(n == threat as usize))));
        }
        Row { known, outcomes: look.probabilities, is_test: sample.is_test }
    };
    let rows: Vec<Row> = samples
        .iter()
        .flat_map(|sample| sample.position.moves.iter().map(move |look| (sample, look)))
        .filter(|(_, look)| look.class == class)
        .map(|(sample, look)| row(sample, look))
        .collect();
    table(name, "MoveModel", &rows, |weights| {
        // The node's odds are doublings already.
        let (node, threats) = weights.split_at_checked(2)?;
        let (attacker, defender) = threats.split_at(threats.len() / 2);
        Some(format!(
            "node: {node:?},\n        attacker: {attacker:?},\n        defender: {defender:?},"
        ))
    })
}

/// Fits both outcomes and returns the table as it stands in `priors.rs`, with how well each fits;
/// `fields` are those of the weights behind the base.
fn table(
    name: &str,
    kind: &str,
    rows: &[Row],
    fields: impl Fn(&[i32]) -> Option<String>,
) -> anyhow::Result<String> {
    let mut text = format!("const {name}: [{kind}; 2] = [\n");
    for outcome in 0..2 {
        let weights = fit(rows, outcome);
        let [train, test] = losses(rows, outcome, &weights);
        let weights: Vec<i32> = weights.into_iter().map(parts).collect();
        let fields = weights.split_first().and_then(|(base, rest)| Some((base, fields(rest)?)));
        let (base, fields) = fields.with_context(|| format!("no cases for {name}"))?;
        text += &format!(
            "    // {} cases: loss {train:.4}, kept back {test:.4}\n    {kind} {{\n        base: {base},\n        {fields}\n    }},\n",
            rows.len()
        );
    }
    Ok(text + "];")
}

/// Returns a weight of natural log odds in parts of a doubling.
fn parts(weight: f64) -> i32 {
    (weight * f64::from(DOUBLING) / std::f64::consts::LN_2).round() as i32
}

/// Returns the base and the weights of the log odds of an outcome.
fn fit(rows: &[Row], outcome: usize) -> Vec<f64> {
    let len = 1 + rows.first().map_or(0, |row| row.known.len());
    let mut weights = vec![0.0; len];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|w| DECAY * w).collect();
        let mut curvature = vec![vec![0.0; len]; len];
        (0..len).for_each(|i| curvature[i][i] = DECAY);
        for row in rows.iter().filter(|row| !row.is_test) {
            let known = row.with_base();
            let p = chance(&weights, &known);
            for i in (0..len).filter(|&i| known[i] != 0.0) {
                gradient[i] += (p - row.outcomes[outcome]) * known[i];
                for (sum, other) in curvature[i].iter_mut().zip(&known) {
                    *sum += p * (1.0 - p) * known[i] * other;
                }
            }
        }
        for (weight, step) in weights.iter_mut().zip(solve(curvature, gradient)) {
            *weight -= step;
        }
    }
    weights
}

/// Returns the loss a case on those that were fitted, and on those kept back.
fn losses(rows: &[Row], outcome: usize, weights: &[f64]) -> [f64; 2] {
    let mut losses = [(0.0, 0usize); 2];
    for row in rows {
        let p = chance(weights, &row.with_base()).clamp(1e-9, 1.0 - 1e-9);
        let target = row.outcomes[outcome];
        let loss = &mut losses[usize::from(row.is_test)];
        loss.0 -= target * p.ln() + (1.0 - target) * (1.0 - p).ln();
        loss.1 += 1;
    }
    losses.map(|(sum, n)| sum / n.max(1) as f64)
}

fn chance(weights: &[f64], known: &[f64]) -> f64 {
    let odds: f64 = weights.iter().zip(known).map(|(w, k)| w * k).sum();
    1.0 / (1.0 + (-odds).exp())
}

/// Returns the solution of linear equations with a positive definite matrix.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let len = right.len();
    for i in 0..len {
        let pivot = matrix[i].clone();
        for j in i + 1..len {
            let factor = matrix[j][i] / pivot[i];
            matrix[j].iter_mut().zip(&pivot).skip(i).for_each(|(m, p)| *m -= factor * p);
            right[j] -= factor * right[i];
        }
    }
    for i in (0..len).rev() {
        let known: f64 = (i + 1..len).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}
