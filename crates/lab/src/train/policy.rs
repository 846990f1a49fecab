//! The policy: which move is the best, and its head, a pass forward and one backward.
//!
//! The loss is the cross entropy of the moves' scores, with that of the order tables in them. A
//! search that judged several moves says how good each is; elsewhere the best move is all.

#![expect(clippy::needless_range_loop, reason = "one index runs through several arrays")]

use tengen::eval::network::{LANES, Weights};
use tengen::eval::policy::{self, HIDDEN, ORDER_ONE};
use tengen::eval::rows::{Layers, PERSPECTIVE_LANES, Part};
use tengen::score::Bound;
use tengen::search::OrderTables;
use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::Coord;
use tengen_lab::{Example, Source};

use crate::train::gradient::{Gradient, Objective, Worker, add_scaled, dot};
use crate::train::model::{CELL_CLIP, Head, Lanes};
use crate::train::positions::{self, EmptyBoard, LabelledPosition, Labels};

/// Softmax temperature, in evaluation units, of the scores of a search that judged several moves.
const TEMPERATURE: f32 = 60.0;
/// A move counts as at most so many units worse than the best one.
const WORST: i32 = 2_000;
/// What the gate multiplies the sums of lanes of the whole board by.
const TOTAL_SCALE: f32 = 1.0 / 64.0;
const ORDER_UNIT: f32 = 1.0 / ORDER_ONE as f32;
/// The factor of the order tables near which their own loss is least.
const TABLES: f32 = 0.85;

#[derive(Clone, Copy)]
pub struct PolicyLabel {
    /// The first of its [candidates](PolicyObjective::candidates), and their number.
    first: u32,
    count: u16,
    /// The index of the best move among them.
    best: u16,
    is_inner: bool,
    /// The first of its [targets](PolicyObjective::targets), and their number.
    first_target: u32,
    targets: u8,
}

/// A move, by the number of its cell, and its score by the order tables.
#[derive(Clone, Copy)]
struct Candidate {
    cell: u16,
    order: i16,
}

/// The training objective of the policy, with the candidates and targets of all positions.
#[derive(Default)]
pub struct PolicyObjective {
    candidates: Vec<Candidate>,
    /// Probabilities of moves, by their index among a position's candidates.
    targets: Vec<(u16, f32)>,
}

pub type PolicyHead = policy::Head<f32>;

impl Head for PolicyHead {
    type Quantized = policy::Head;

    fn random(noise: &mut dyn FnMut() -> f32) -> Box<PolicyHead> {
        let mut head = Box::new(PolicyHead::zero());
        let mut fill = |weights: &mut [f32], spread: f32| {
            weights.iter_mut().for_each(|weight| *weight = noise() * spread);
        };
        fill(head.conv.as_flattened_mut(), 0.15);
        fill(head.gate.as_flattened_mut(), 0.1);
        fill(head.hidden.as_flattened_mut(), 0.3);
        fill(&mut head.output, 0.3);
        head.conv[0].fill(1.0);
        head.conv_bias.fill(0.1);
        head.hidden_bias.fill(0.1);
        head.tables = 1.0;
        head
    }

    fn part(weights: &mut Weights) -> &mut Part<policy::Head> {
        &mut weights.policy
    }
}

impl Labels for PolicyObjective {
    type Label = PolicyLabel;

    /// There is something to learn if the best move is known and no threat forces it. The best of
    /// moves that all failed low is not known.
    fn label(&mut self, board: &Board, example: &Example) -> Option<PolicyLabel> {
        let mv = example.mv?;
        let us = board.side_to_move();
        let is_inner = example.source == Some(Source::Inner);
        let is_known = !is_inner || example.bound != Bound::Upper;
        let is_forced = board.win_by_threats().is_some() || board.count(!us, Threat::Five) > 0;
        if !is_known || is_forced {
            return None;
        }
        let moves: Vec<Coord> = board.candidates().into_iter().collect();
        let index_of = |mv| moves.iter().position(|&c| c == mv);
        let best = index_of(mv)? as u16;
        let index = |len: usize| u32::try_from(len).expect("invariant: moves fit the memory");
        let (first, count) = (index(self.candidates.len()), moves.len() as u16);
        let scores = OrderTables::of(board.rule()).move_scores(board);
        self.candidates.extend(moves.iter().map(|&mv| Candidate {
            cell: u16::from(mv.y()) * u16::from(board.size().width()) + u16::from(mv.x()),
            order: scores.of(mv, board.threats(mv)).clamp(i16::MIN.into(), i16::MAX.into()) as i16,
        }));
        let first_target = index(self.targets.len());
        let judged = || example.others.iter().copied().chain([(mv, example.score)]);
        let top = judged().map(|(_, score)| score.value()).max().unwrap_or(0);
        let weight = |value: i32| ((value - top).max(-WORST) as f32 / TEMPERATURE).exp();
        self.targets.extend(
            judged().filter_map(|(mv, score)| Some((index_of(mv)? as u16, weight(score.value())))),
        );
        let targets = &mut self.targets[first_target as usize..];
        let sum: f32 = targets.iter().map(|(_, weight)| weight).sum();
        targets.iter_mut().for_each(|(_, weight)| *weight /= sum);
        let targets = targets.len() as u8;
        Some(PolicyLabel { first, count, best, is_inner, first_target, targets })
    }
}

impl Objective for PolicyObjective {
    type Head = PolicyHead;

    fn learn(
        worker: &mut Worker<PolicyObjective>,
        position: &LabelledPosition<PolicyLabel>,
        gradient: Option<&mut Gradient<PolicyHead>>,
    ) -> f64 {
        let (policy, label) = (&worker.data.objective, &position.label);
        let activations = policy.forward(worker, position);
        let scores: Vec<f32> = activations.moves.iter().map(|mv| mv.score).collect();
        let targets = policy.targets(label);
        let (loss, log_sum) = cross_entropy(&scores, &targets);
        if let Some(gradient) = gradient {
            let slopes = scores.iter().zip(&targets).map(|(score, t)| (score - log_sum).exp() - t);
            let slopes: Vec<f32> = slopes.collect();
            policy.backward(worker, label, &activations, &slopes, gradient);
        }
        loss.into()
    }

    fn by_kind(
        positions: &[LabelledPosition<PolicyLabel>],
    ) -> Vec<(&str, Vec<LabelledPosition<PolicyLabel>>)> {
        let positions = positions.iter().copied();
        let (inner, searched) = positions.partition(|position| position.label.is_inner);
        vec![("searches", searched), ("inner nodes", inner)]
    }

    fn remark(
        worker: &mut Worker<PolicyObjective>,
        positions: &[LabelledPosition<PolicyLabel>],
    ) -> String {
        let policy = &worker.data.objective;
        let (mut first, mut first_by_tables, mut loss_of_tables) = (0.0, 0.0, 0.0);
        for position in positions {
            let label = &position.label;
            let is_first = |scores: &[f32]| {
                let (best, mut others) = (usize::from(label.best), scores.iter().enumerate());
                f64::from(u8::from(others.all(|(i, score)| i == best || *score < scores[best])))
            };
            let moves = policy.forward(worker, position).moves;
            first += is_first(&moves.iter().map(|mv| mv.score).collect::<Vec<f32>>());
            let orders = policy.candidates(label).iter().map(|candidate| candidate.order);
            let orders: Vec<f32> = orders.map(|n| TABLES * ORDER_UNIT * f32::from(n)).collect();
            first_by_tables += is_first(&orders);
            loss_of_tables += f64::from(cross_entropy(&orders, &policy.targets(label)).0);
        }
        let count = positions.len() as f64;
        let [first, by_tables] = [first, first_by_tables].map(|number| 100.0 * number / count);
        let loss = loss_of_tables / count;
        format!(
            ", best move first in {first:.1} %; by the order tables {loss:.4}, {by_tables:.1} %"
        )
    }
}

/// Returns the loss of scores, and the logarithm of the sum of their exponentials.
fn cross_entropy(scores: &[f32], targets: &[f32]) -> (f32, f32) {
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let log_sum = top + scores.iter().map(|score| (score - top).exp()).sum::<f32>().ln();
    let loss = scores.iter().zip(targets).map(|(score, t)| t * (log_sum - score)).sum();
    (loss, log_sum)
}

impl PolicyObjective {
    fn candidates(&self, label: &PolicyLabel) -> &[Candidate] {
        &self.candidates[label.first as usize..][..usize::from(label.count)]
    }

    fn targets(&self, label: &PolicyLabel) -> Vec<f32> {
        let mut targets = vec![0.0; usize::from(label.count)];
        for &(index, share) in &self.targets[label.first_target as usize..][..label.targets.into()]
        {
            targets[usize::from(index)] += share;
        }
        targets
    }

    fn forward<'a>(
        &self,
        worker: &mut Worker<'a, PolicyObjective>,
        position: &LabelledPosition<PolicyLabel>,
    ) -> Activations<'a> {
        let (board, half) = worker.sum_cells(position);
        let head = &*worker.heads[half];
        let own = |sum: &Lanes| {
            let lanes = &sum[half * PERSPECTIVE_LANES..];
            std::array::from_fn(|i| lanes[i].clamp(0.0, CELL_CLIP))
        };
        let cells: Vec<HalfLanes> = worker.sums.iter().map(own).collect();
        let mut total = [0.0f32; PERSPECTIVE_LANES];
        for cell in &cells {
            add_scaled(&mut total, TOTAL_SCALE, cell);
        }
        let gate: [f32; HIDDEN] = std::array::from_fn(|k| {
            (1.0 + head.gate_bias[k] + dot(&head.gate[k], &total)).clamp(0.0, 2.0)
        });
        let candidates = self.candidates(&position.label);
        let moves = candidates.iter().map(|candidate| {
            let cell = usize::from(candidate.cell);
            let mut around = [[0.0; PERSPECTIVE_LANES]; 3];
            for (kind, neighbor) in neighbors(board, cell) {
                add_scaled(&mut around[kind], 1.0, &cells[neighbor]);
            }
            let mut inputs = [0.0; LANES];
            let mut conv = [0.0; PERSPECTIVE_LANES];
            for i in 0..PERSPECTIVE_LANES {
                inputs[i] = cells[cell][i];
                conv[i] = head.conv_bias[i];
                for kind in 0..3 {
                    conv[i] += head.conv[kind][i] * around[kind][i];
                }
                inputs[PERSPECTIVE_LANES + i] = conv[i].max(0.0);
            }
            let mut score = head.tables * f32::from(candidate.order) * ORDER_UNIT;
            let hidden = std::array::from_fn(|k| {
                (head.hidden_bias[k] + dot(&head.hidden[k], &inputs)).max(0.0)
            });
            for k in 0..HIDDEN {
                score += head.output[k] * gate[k] * hidden[k];
            }
            MoveActivations { around, inputs, conv, hidden, score }
        });
        Activations { board, half, moves: moves.collect(), cells, total, gate }
    }

    fn backward(
        &self,
        worker: &Worker<PolicyObjective>,
        label: &PolicyLabel,
        activations: &Activations,
        slopes: &[f32],
        gradient: &mut Gradient<PolicyHead>,
    ) {
        let Activations { board, half, cells, total, gate, moves } = activations;
        let head = &*worker.heads[*half];
        let mut d_cells = vec![[0.0f32; PERSPECTIVE_LANES]; cells.len()];
        let mut d_gate = [0.0f32; HIDDEN];
        let grad = &mut gradient.heads[*half];
        for ((candidate, mv), &d) in self.candidates(label).iter().zip(moves).zip(slopes) {
            // A move that is as likely as it should be teaches nothing.
            if d.abs() < 1e-5 {
                continue;
            }
            grad.tables += d * f32::from(candidate.order) * ORDER_UNIT;
            let mut d_inputs = [0.0; LANES];
            for k in 0..HIDDEN {
                if mv.hidden[k] <= 0.0 {
                    continue;
                }
                grad.output[k] += d * gate[k] * mv.hidden[k];
                d_gate[k] += d * head.output[k] * mv.hidden[k];
                let d_hidden = d * head.output[k] * gate[k];
                grad.hidden_bias[k] += d_hidden;
                add_scaled(&mut grad.hidden[k], d_hidden, &mv.inputs);
                add_scaled(&mut d_inputs, d_hidden, &head.hidden[k]);
            }
            let cell = usize::from(candidate.cell);
            let mut d_around = [[0.0f32; PERSPECTIVE_LANES]; 3];
            for i in 0..PERSPECTIVE_LANES {
                d_cells[cell][i] += d_inputs[i];
                if mv.conv[i] <= 0.0 {
                    continue;
                }
                let d_conv = d_inputs[PERSPECTIVE_LANES + i];
                grad.conv_bias[i] += d_conv;
                for kind in 0..3 {
                    grad.conv[kind][i] += d_conv * mv.around[kind][i];
                    d_around[kind][i] = d_conv * head.conv[kind][i];
                }
            }
            for (kind, neighbor) in neighbors(board, cell) {
                add_scaled(&mut d_cells[neighbor], 1.0, &d_around[kind]);
            }
        }
        let mut d_total = [0.0f32; PERSPECTIVE_LANES];
        for k in 0..HIDDEN {
            if gate[k] <= 0.0 || gate[k] >= 2.0 {
                continue;
            }
            grad.gate_bias[k] += d_gate[k];
            for i in 0..PERSPECTIVE_LANES {
                grad.gate[k][i] += d_gate[k] * total[i];
                d_total[i] += d_gate[k] * head.gate[k][i] * TOTAL_SCALE;
            }
        }
        for (cell, d_cell) in d_cells.iter().enumerate() {
            let mut slopes = [0.0; LANES];
            for i in 0..PERSPECTIVE_LANES {
                if cells[cell][i] > 0.0 && cells[cell][i] < CELL_CLIP {
                    slopes[half * PERSPECTIVE_LANES + i] = d_cell[i] + d_total[i];
                }
            }
            worker.add_cell(cell, &slopes, gradient);
        }
    }
}

type HalfLanes = [f32; PERSPECTIVE_LANES];

/// What a pass forward found, and a pass backward needs.
struct Activations<'a> {
    board: &'a EmptyBoard,
    half: usize,
    cells: Vec<HalfLanes>,
    total: HalfLanes,
    gate: [f32; HIDDEN],
    moves: Vec<MoveActivations>,
}

struct MoveActivations {
    /// The lanes of the cell, and the sums of those of its [`neighbors`], by their kind.
    around: [HalfLanes; 3],
    inputs: Lanes,
    /// Before clipping.
    conv: HalfLanes,
    hidden: [f32; HIDDEN],
    score: f32,
}

/// Steps to a cell itself, to its orthogonal and to its diagonal neighbours.
const NEIGHBORS: [(isize, isize); 9] =
    [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)];

/// Returns the cells of [`NEIGHBORS`] that are on the board, each after its kind: 0 for the cell
/// itself, 1 for an orthogonal neighbour, 2 for a diagonal one.
fn neighbors(board: &EmptyBoard, cell: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (size, width) = (board.size, board.size.width() as isize);
    let (x, y) = (cell as isize % width, cell as isize / width);
    NEIGHBORS.into_iter().filter_map(move |(dx, dy)| {
        let kind = dx.unsigned_abs() + dy.unsigned_abs();
        Some((kind, positions::cell(size, x + dx, y + dy)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::gradient::{by_micro_batches, mean_loss};
    use crate::train::model::Model;
    use crate::train::positions::Data;
    use crate::train::trainer::Trainer;
    use std::sync::Arc;
    use tengen::eval::Evaluator;
    use tengen::eval::network::Network;
    use tengen::score::Score;
    use tengen_gomoku::record::Outcome;
    use tengen_gomoku::types::{BoardSize, CoordSet, Random, Rule};
    use tengen_lab::{Label, TrainingGame};

    /// Returns a random game in which each search found the cell on the right of the last stone
    /// best, if it is free, or the one on the left.
    fn game(random: &mut Random, rule: Rule) -> TrainingGame {
        let size = BoardSize::new(11, 9).unwrap();
        let mut board = Board::new(size, rule);
        let mut moves = vec![size.center()];
        board.play(size.center());
        let free = |board: &Board, mv: &Coord| board.candidates().contains(*mv);
        while moves.len() < 14 {
            let last = moves.last().copied().unwrap_or(size.center());
            let beside = [1, -1].map(|step| last.x().wrapping_add_signed(step));
            let beside = beside.map(|x| Coord::new(x.min(10), last.y()));
            let all: Vec<Coord> = board.candidates().into_iter().collect();
            let other = all[random.below(all.len())];
            let mv = beside.into_iter().find(|mv| free(&board, mv)).unwrap_or(other);
            let played = if moves.len() % 2 == 0 { other } else { mv };
            moves.push(played);
            board.play(played);
        }
        let label = Label { score: Score::DRAW, depth: 1, others: Vec::new() };
        TrainingGame {
            number: 0,
            rule,
            size,
            opening: 1,
            outcome: Outcome::Drawn,
            labels: vec![label; moves.len() - 1],
            moves,
            samples: Vec::new(),
        }
    }

    fn positions(rule: Rule, games: usize) -> Data<PolicyObjective> {
        let (mut data, mut random) = (Data::new(PolicyObjective::default()), Random::new(7));
        for _ in 0..games {
            let mut game = game(&mut random, rule);
            // Several moves judged, in some positions.
            game.labels[4].others = vec![(game.moves[9], Score::eval(30))];
            data.add(&game, rule, false);
        }
        data
    }

    fn model(rule: Rule) -> Model<PolicyHead> {
        Model::new(rule != Rule::Renju, 5)
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for rule in [Rule::Freestyle, Rule::Renju] {
            let data = positions(rule, 2);
            let mut model = model(rule);
            let gradient = Worker::new(&model, &data).gradient(&data.training);
            let numbers = model.numbers().count();
            let head: Vec<f32> = gradient.heads.iter().flat_map(|head| head.numbers()).collect();
            let rows: Vec<(usize, f32)> = gradient
                .rows()
                .step_by(17)
                .filter(|&(pattern, _)| {
                    let embedding = model.embeddings[pattern][0][2];
                    let is_alone = |(other, _): (usize, _)| {
                        let halves = model.embeddings[other].iter().flatten();
                        other == pattern || halves.copied().all(|other| other != embedding)
                    };
                    gradient.rows().all(is_alone)
                })
                .map(|(pattern, row)| {
                    let (perspective, number) = model.embeddings[pattern][0][2];
                    let embeddings = model.perspectives[0].len() * usize::from(perspective);
                    ((embeddings + number as usize) * PERSPECTIVE_LANES + 3, row[3])
                })
                .collect();
            let first = numbers - head.len();
            let heads = head.iter().copied().enumerate().step_by(13);
            let slopes = heads.map(|(index, slope)| (first + index, slope)).chain(rows);
            let here = Worker::new(&model, &data).loss(&data.training);
            let mut checked = 0;
            for (index, slope) in slopes {
                let [above, below] = [2e-3, -2e-3].map(|step| {
                    let number = model.numbers().nth(index).unwrap();
                    *model.numbers_mut().nth(index).unwrap() = number + step;
                    let loss = Worker::new(&model, &data).loss(&data.training);
                    *model.numbers_mut().nth(index).unwrap() = number;
                    (loss - here) / f64::from(step)
                });
                // Where a unit begins or ends to be active there is no slope.
                if (above - below).abs() < 0.01 + 0.02 * above.abs() {
                    let error = ((above + below) / 2.0 - f64::from(slope)).abs();
                    assert!(error < 0.02 + 0.05 * above.abs(), "{index}: {above} {slope}");
                    checked += usize::from(slope.abs() > 0.02);
                }
            }
            assert!(checked > 20, "{checked}");
        }
    }

    #[test]
    fn a_law_is_learned_and_the_engine_has_the_scores_of_the_model() {
        for rule in [Rule::Freestyle, Rule::Renju] {
            let data = positions(rule, 40);
            let mut trainer = Trainer::new(model(rule), 5e-3, 0.0);
            let batch = &data.training;
            for step in 0..60 {
                let gradients =
                    by_micro_batches(&trainer.model, &data, batch, 2, Worker::gradient).unwrap();
                trainer.step(&gradients, batch.len(), 0.0, 300 + step);
            }
            let mut model = trainer.model;
            model.is_rounded = true;
            let loss = |model| mean_loss(model, &data, batch, 2).unwrap();
            assert!(loss(&model) < loss(&self::model(rule)) / 1.5);
            let mut weights = Weights::zero(model.heads.len());
            model.quantize(&mut weights);
            let weights = Weights::read(&weights.write()).unwrap();
            let network = Arc::new(Network::new(&weights));
            let mut worker = Worker::new(&model, &data);
            let (mut sum, mut count) = (0.0, 0.0);
            for position in &data.training[..60] {
                let board = data.board(position, rule);
                let moves: CoordSet = board.candidates();
                let mut evaluator = Evaluator::by_network(&board, Arc::clone(&network));
                let mut by_engine: Vec<_> = moves.into_iter().map(|mv| (mv, 0)).collect();
                evaluator.score_moves(board.side_to_move(), &mut by_engine);
                let found = data.objective.forward(&mut worker, position).moves;
                let candidates = data.objective.candidates(&position.label).iter().zip(found);
                for ((_, score), (candidate, found)) in by_engine.into_iter().zip(candidates) {
                    let head = &model.heads[model.perspective(board.side_to_move())];
                    let tables = head.tables * f32::from(candidate.order) * ORDER_UNIT;
                    let exact = (found.score - tables) / ORDER_UNIT;
                    let error = (exact - score as f32).abs();
                    assert!(error < 16.0, "{exact} {score}");
                    (sum, count) = (sum + error, count + 1.0);
                }
            }
            // A tenth of a unit of log odds.
            assert!(sum / count < 3.2, "{}", sum / count);
            let mut other = self::model(rule);
            other.dequantize(&weights).unwrap();
            let mut again = Weights::zero(model.heads.len());
            other.quantize(&mut again);
            assert!(again.policy == weights.policy);
        }
    }
}
