//! Fits the evaluation and ordering tables to games that `datagen` wrote.
//!
//! Usage: `tune TABLES RULE OUTCOME_PERCENT FILE...` reads games, plays them over under one rule,
//! fits that rule's tables and replaces them in the file TABLES (see `eval::EvalTables` for its
//! format). The games may have been played under a rule close to it.
//!
//! The evaluation is fitted by logistic regression: the probability that the side to move wins
//! is `1 / (1 + exp(-evaluation / 200))`, and the target is the result of the game, mixed with
//! the score that the search gave. Positions that the search had decided count like the others:
//! most leaves of a search are of that kind, and without them the fit loses 160 Elo. The ordering
//! scores are fitted by softmax regression on the moves that the search chose. Both are linear in
//! the tables. Each entry is the sum of weights for its four line shapes and its threat, and a
//! deviation of its own that is held small, so that rare combinations get sensible values.
//! Optimiser: Adam (Kingma and Ba, 2015). One tenth of the games is kept back and only measured.

use std::fs;

use anyhow::{Context, bail, ensure};
use tengen::board::Board;
use tengen::eval::{EvalTables, INITIATIVES, PerCode, initiative};
use tengen::record::{Outcome, TrainingGame, TrainingScore};
use tengen::shape::{CODES, RuleTables, Shape, Threat, shapes_of_code};
use tengen::types::{Color, Coord, Nearness, Random, Rule};

/// Evaluation units of one unit of log odds.
const EVAL_SCALE: f64 = 200.0;
/// Ordering units of one unit of log odds.
const ORDER_SCALE: f64 = 32.0;
/// Places near the last stones count more in the order than the fit says: games want it so.
const NEAR_FACTOR: f64 = 1.5625;
/// How strongly the deviations of single combinations are held small.
const VALUE_DECAY: f64 = 1e-2;
const ORDER_DECAY: f64 = 1e-4;
const EPOCHS: usize = 24;
const BATCH: usize = 1024;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, rule, outcome_percent, files @ ..] = args.as_slice() else {
        bail!("usage: tune TABLES RULE OUTCOME_PERCENT FILE...");
    };
    let rule = Rule::from_name(rule).with_context(|| format!("unknown rule {rule}"))?;
    let outcome_weight = outcome_percent.parse::<f64>().context("a percentage")? / 100.0;
    let mut data = Data::default();
    for file in files {
        let text = fs::read_to_string(file).with_context(|| format!("reading {file}"))?;
        let games = TrainingGame::parse_all(&text).with_context(|| format!("reading {file}"))?;
        for (game, is_test) in games {
            data.add_game(&game, rule, outcome_weight, is_test);
        }
    }
    ensure!(data.games >= 20, "too few games");
    println!("{} games, {} values, {} moves", data.games, data.values.len(), data.moves.len());

    let mut tables = EvalTables::read(&fs::read(path)?)?;
    let is_renju = rule == Rule::Renju;
    let threats = |color: Color| {
        let tables = RuleTables::of(rule);
        move |code: usize| tables.threat(color, code as u16)
    };
    let [black, white] = fit_values(&data, is_renju, &threats);
    let fitted = &mut tables[rule as usize];
    for (color, model) in Color::ALL.into_iter().zip([&black, &white]) {
        fitted.cell[color] = PerCode::from_fn(|code| quantized(model.codes[code], EVAL_SCALE));
        fitted.initiative[color] =
            std::array::from_fn(|mask| quantized(model.initiative[mask], EVAL_SCALE));
    }
    let ([black, white], near) = fit_moves(&data, is_renju, &threats);
    for (index, table) in fitted.near.as_flattened_mut().iter_mut().enumerate() {
        *table = quantized(near[index], ORDER_SCALE * NEAR_FACTOR);
    }
    for (color, (own, other)) in Color::ALL.into_iter().zip([&black, &white]) {
        fitted.own[color] = PerCode::from_fn(|code| quantized(own[code], ORDER_SCALE));
        fitted.other[color] = PerCode::from_fn(|code| quantized(other[code], ORDER_SCALE));
    }
    fs::write(path, EvalTables::write(&tables))?;
    Ok(())
}

fn quantized(value: f64, scale: f64) -> i16 {
    (value * scale).round().clamp(-8000.0, 8000.0) as i16
}

/// A position with what the side to move is expected to score.
struct Value {
    mover: Color,
    /// Per code how often the two last positions offer it to black and to white; only codes that
    /// occur.
    codes: [Vec<(u16, f32)>; 2],
    initiative: usize,
    target: f64,
    is_test: bool,
}

/// A position with the candidates' codes for mover and opponent and the number of the move
/// chosen.
struct Choice {
    mover: Color,
    candidates: Vec<[u16; 2]>,
    /// Where each candidate lies as seen from the last two stones.
    near: Vec<[u8; 2]>,
    chosen: usize,
    is_test: bool,
}

#[derive(Default)]
struct Data {
    games: usize,
    values: Vec<Value>,
    moves: Vec<Choice>,
}

impl Data {
    fn add_game(&mut self, game: &TrainingGame, rule: Rule, outcome_weight: f64, is_test: bool) {
        let &TrainingGame { size, opening, result, ref moves, ref scores, .. } = game;
        self.games += 1;
        let mut board = Board::new(size, rule);
        let mut before = code_counts(&board);
        for (index, &mv) in moves.iter().enumerate() {
            let now = code_counts(&board);
            if index >= opening && is_open(&board) {
                let mover = board.side_to_move();
                let searched = match scores[index - opening] {
                    TrainingScore::Win => 1.0,
                    TrainingScore::Loss => 0.0,
                    TrainingScore::Eval(value) => sigmoid(f64::from(value) / EVAL_SCALE),
                };
                let outcome = match result {
                    Some(Outcome::Won(winner)) => f64::from(u8::from(mover == winner)),
                    Some(Outcome::Drawn) => 0.5,
                    None => searched,
                };
                let target = outcome_weight * outcome + (1.0 - outcome_weight) * searched;
                let codes = [0, 1].map(|color| mean(&before[color], &now[color]));
                let initiative = initiative(&board);
                self.values.push(Value { mover, codes, initiative, target, is_test });
                self.add_choice(&board, mv, is_test);
            }
            board.play(mv);
            before = now;
        }
    }

    fn add_choice(&mut self, board: &Board, mv: Coord, is_test: bool) {
        let mover = board.side_to_move();
        let cells: Vec<_> = board.candidates().into_iter().collect();
        if let Some(chosen) = cells.iter().position(|&c| c == mv) {
            let codes = |c| [mover, !mover].map(|color| board.threats(c).code(color));
            let near = |&c: &Coord| {
                [0, 1].map(|plies| {
                    let stone = board.last_move(plies);
                    Nearness::to(stone)[c.index()].index() as u8
                })
            };
            let near = cells.iter().map(near).collect();
            let candidates = cells.into_iter().map(codes).collect();
            self.moves.push(Choice { mover, candidates, near, chosen, is_test });
        }
    }
}

/// Returns true if the threats on the board neither decide the game nor force the next move: only
/// such positions are ever evaluated.
fn is_open(board: &Board) -> bool {
    let (us, them) = (board.side_to_move(), !board.side_to_move());
    let has = |color, threat| board.count(color, threat) > 0;
    let has_double_threat = has(us, Threat::FourThree) || has(us, Threat::DoubleThree);
    !has(us, Threat::Five)
        && !has(them, Threat::Five)
        && !has(us, Threat::OpenFour)
        && (!has_double_threat || board.has_four(them))
}

fn code_counts(board: &Board) -> [Vec<u8>; 2] {
    let mut counts = [vec![0; CODES], vec![0; CODES]];
    for c in board.empty_cells() {
        for color in Color::ALL {
            let count: &mut u8 = &mut counts[color][board.threats(c).code(color) as usize];
            *count = count.saturating_add(1);
        }
    }
    counts
}

fn mean(before: &[u8], now: &[u8]) -> Vec<(u16, f32)> {
    let pairs = before.iter().zip(now).enumerate();
    pairs
        .filter(|(_, (a, b))| **a + **b > 0)
        .map(|(code, (a, b))| (code as u16, (f32::from(*a) + f32::from(*b)) / 2.0))
        .collect()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Weights that Adam moves.
struct Adam {
    weights: Vec<f64>,
    gradient: Vec<f64>,
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
    /// Pulls towards 0.
    decay: f64,
}

impl Adam {
    fn new(len: usize, decay: f64) -> Adam {
        let zeros = || vec![0.0; len];
        Adam {
            weights: zeros(),
            gradient: zeros(),
            mean: zeros(),
            square: zeros(),
            steps: 0,
            decay,
        }
    }

    fn step(&mut self, rate: f64) {
        self.steps += 1;
        let [c1, c2] = [0.9f64, 0.999].map(|b| 1.0 - b.powi(self.steps));
        for i in 0..self.weights.len() {
            let g = std::mem::take(&mut self.gradient[i]) + self.decay * self.weights[i];
            self.mean[i] = 0.9 * self.mean[i] + 0.1 * g;
            self.square[i] = 0.999 * self.square[i] + 0.001 * g * g;
            self.weights[i] -= rate * (self.mean[i] / c1) / ((self.square[i] / c2).sqrt() + 1e-8);
        }
    }
}

/// One number a code: line shapes and threat, and a deviation of its own.
struct CodeModel {
    parts: Vec<Vec<usize>>,
    shared: Adam,
    own: Adam,
    /// The sums, made anew after every step.
    codes: Vec<f64>,
}

impl CodeModel {
    fn new(threat: &dyn Fn(usize) -> Threat, decay: f64) -> CodeModel {
        let parts = |code: usize| {
            let shapes = shapes_of_code(code as u16);
            let mut parts: Vec<usize> = shapes.iter().map(|&s| s as usize).collect();
            parts.push(Shape::COUNT + threat(code) as usize);
            parts
        };
        CodeModel {
            parts: (0..CODES).map(parts).collect(),
            shared: Adam::new(Shape::COUNT + Threat::COUNT, 0.0),
            own: Adam::new(CODES, decay),
            codes: vec![0.0; CODES],
        }
    }

    fn add_gradient(&mut self, code: usize, gradient: f64) {
        self.own.gradient[code] += gradient;
        for &part in &self.parts[code] {
            self.shared.gradient[part] += gradient;
        }
    }

    fn step(&mut self, rate: f64) {
        self.shared.step(rate);
        self.own.step(rate);
        for code in 0..CODES {
            let shared: f64 = self.parts[code].iter().map(|&p| self.shared.weights[p]).sum();
            self.codes[code] = shared + self.own.weights[code];
        }
    }
}

/// What was fitted for one colour.
#[derive(Clone)]
struct ValueModel {
    codes: Vec<f64>,
    initiative: Vec<f64>,
}

type Threats<'a, F> = &'a dyn Fn(Color) -> F;

/// Fits one model for both colours, or one each under renju.
fn fit_values<F: Fn(usize) -> Threat>(
    data: &Data,
    is_renju: bool,
    threats: Threats<F>,
) -> [ValueModel; 2] {
    let of = |color: Color| if is_renju { color as usize } else { 0 };
    let mut cells = Color::ALL.map(|color| CodeModel::new(&threats(color), VALUE_DECAY));
    let mut masks = [(); 2].map(|()| Adam::new(INITIATIVES, 2e-5));
    let mut bits = [(); 2].map(|()| Adam::new(INITIATIVES.ilog2() as usize + 1, 0.0));
    let initiative = |masks: &[Adam; 2], bits: &[Adam; 2], set: usize, mask: usize| -> f64 {
        let bits = &bits[set].weights;
        let on = (0..bits.len() - 1).filter(|i| mask >> i & 1 != 0).map(|i| bits[i]);
        masks[set].weights[mask] + on.sum::<f64>() + bits[bits.len() - 1]
    };
    let predict = |cells: &[CodeModel; 2], masks: &[Adam; 2], bits: &[Adam; 2], value: &Value| {
        let side = |color: Color| -> f64 {
            let model = &cells[of(color)].codes;
            value.codes[color].iter().map(|&(code, n)| model[code as usize] * f64::from(n)).sum()
        };
        let initiative = initiative(masks, bits, of(value.mover), value.initiative);
        sigmoid(side(value.mover) - side(!value.mover) + initiative)
    };
    let mut order: Vec<usize> = (0..data.values.len()).collect();
    let mut random = Random::new(1);
    for epoch in 0..EPOCHS {
        let rate = 0.01 * (1.0 - epoch as f64 / EPOCHS as f64).powi(2) + 1e-5;
        random.shuffle(&mut order);
        let mut losses = [(0.0, 0usize); 2];
        for batch in order.chunks(BATCH) {
            for value in batch.iter().map(|&i| &data.values[i]) {
                let p = predict(&cells, &masks, &bits, value);
                let loss = &mut losses[usize::from(value.is_test)];
                loss.0 -= value.target * p.ln() + (1.0 - value.target) * (1.0 - p).ln();
                loss.1 += 1;
                if value.is_test {
                    continue;
                }
                let error = (p - value.target) / batch.len() as f64;
                for color in Color::ALL {
                    let sign = if color == value.mover { 1.0 } else { -1.0 };
                    for &(code, n) in &value.codes[color] {
                        cells[of(color)].add_gradient(code as usize, sign * error * f64::from(n));
                    }
                }
                let set = of(value.mover);
                masks[set].gradient[value.initiative] += error;
                let last = bits[set].weights.len() - 1;
                bits[set].gradient[last] += error;
                for bit in (0..last).filter(|i| value.initiative >> i & 1 != 0) {
                    bits[set].gradient[bit] += error;
                }
            }
            for set in 0..2 {
                cells[set].step(rate);
                masks[set].step(rate);
                bits[set].step(rate);
            }
        }
        let [train, test] = losses.map(|(sum, n)| sum / n.max(1) as f64);
        println!("values, epoch {epoch}: loss {train:.4}, kept back {test:.4}");
    }
    Color::ALL.map(|color| ValueModel {
        codes: cells[of(color)].codes.clone(),
        initiative: (0..INITIATIVES).map(|m| initiative(&masks, &bits, of(color), m)).collect(),
    })
}

/// Own and other ordering scores by code.
type OrderModel = (Vec<f64>, Vec<f64>);

fn fit_moves<F: Fn(usize) -> Threat>(
    data: &Data,
    is_renju: bool,
    threats: Threats<F>,
) -> ([OrderModel; 2], Vec<f64>) {
    let of = |color: Color| if is_renju { color as usize } else { 0 };
    let mut own = Color::ALL.map(|color| CodeModel::new(&threats(color), ORDER_DECAY));
    let mut other = Color::ALL.map(|color| CodeModel::new(&threats(color), ORDER_DECAY));
    let mut near = Adam::new(2 * Nearness::COUNT, 0.0);
    let slots = |near: &[u8; 2]| [near[0] as usize, Nearness::COUNT + near[1] as usize];
    let mut order: Vec<usize> = (0..data.moves.len()).collect();
    let mut random = Random::new(2);
    for epoch in 0..EPOCHS / 2 {
        let rate = 0.02 * (1.0 - 2.0 * epoch as f64 / EPOCHS as f64).powi(2) + 1e-5;
        random.shuffle(&mut order);
        let mut losses = [(0.0, 0usize); 2];
        for batch in order.chunks(BATCH) {
            for choice in batch.iter().map(|&i| &data.moves[i]) {
                let (us, them) = (of(choice.mover), of(!choice.mover));
                let logits: Vec<f64> = choice
                    .candidates
                    .iter()
                    .zip(&choice.near)
                    .map(|(c, at)| {
                        let near: f64 = slots(at).iter().map(|&slot| near.weights[slot]).sum();
                        own[us].codes[c[0] as usize] + other[them].codes[c[1] as usize] + near
                    })
                    .collect();
                let top = logits.iter().copied().fold(f64::MIN, f64::max);
                let total: f64 = logits.iter().map(|l| (l - top).exp()).sum();
                let loss = &mut losses[usize::from(choice.is_test)];
                loss.0 -= logits[choice.chosen] - top - total.ln();
                loss.1 += 1;
                if choice.is_test {
                    continue;
                }
                for (index, (codes, logit)) in choice.candidates.iter().zip(&logits).enumerate() {
                    let wanted = f64::from(u8::from(index == choice.chosen));
                    let error = ((logit - top).exp() / total - wanted) / batch.len() as f64;
                    own[us].add_gradient(codes[0] as usize, error);
                    other[them].add_gradient(codes[1] as usize, error);
                    for slot in slots(&choice.near[index]) {
                        near.gradient[slot] += error;
                    }
                }
            }
            for set in 0..2 {
                own[set].step(rate);
                other[set].step(rate);
            }
            near.step(rate);
        }
        let [train, test] = losses.map(|(sum, n)| sum / n.max(1) as f64);
        println!("moves, epoch {epoch}: loss {train:.4}, kept back {test:.4}");
    }
    let tables = Color::ALL.map(|c| (own[of(c)].codes.clone(), other[of(c)].codes.clone()));
    (tables, near.weights)
}
