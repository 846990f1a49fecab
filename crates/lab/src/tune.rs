//! Fits the tables of the move order to games that `datagen` wrote.
//!
//! Reads games, plays them over under one rule, fits that rule's tables and replaces them in a file
//! (see `search::OrderTables` for its format). The games may have been played under a rule close to
//! it. One opening in twenty is held out with its games and only measured.
//!
//! The fit is the softmax regression of the move that a search chose among all candidates: a move
//! is worth the sum of what its cell's codes are worth to the mover and to the opponent, and of
//! where it lies as seen from the last two stones.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use tengen::closed_output::note;
use tengen::search::{CodeTable, NEARNESS_COUNT, OrderTables, nearness};
use tengen_gomoku::board::Board;
use tengen_gomoku::shape::{CODES, RuleTables, Shape, ShapeCode, Threat, shapes_of_code};
use tengen_gomoku::types::{Color, Coord, Random, Rule};
use tengen_lab::{Source, TrainingGame, read_files};

use crate::train::trainer::{Moments, schedule};

/// Ordering units of one unit of log odds.
const ORDER_SCALE: f32 = 32.0;
/// Places near the last stones count more in the order than the fit gives: that won more games.
const NEAR_FACTOR: f32 = 1.5625;
const ENTRY_LIMIT: f32 = 8_000.0;
const MIN_GAMES: usize = 20;
const EPOCHS: usize = 12;
const BATCH: usize = 256;
const RATE: f32 = 0.02;
/// The factor of half the square of a code's own weight in the loss: codes that are rarely met are
/// worth what their shapes and threats are.
const CODE_L2: f32 = 1e-4;

/// Fits the tables of the move order to games that datagen wrote
#[derive(Args)]
pub struct Options {
    /// The file of the tables, which is replaced
    #[arg(value_name = "TABLES")]
    path: PathBuf,
    /// freestyle, standard, renju, caro or caro-exact
    rule: Rule,
    /// Games of datagen
    #[arg(value_name = "GAMES", required = true)]
    files: Vec<PathBuf>,
}

pub fn run(options: Options) -> anyhow::Result<()> {
    let Options { path, rule, files } = options;
    let mut tables = crate::read_file(&path, OrderTables::read)?;
    let (mut games, mut training, mut held_out) = (0, Vec::new(), Vec::new());
    read_files(&files, |game| {
        games += 1;
        let cases = if game.is_held_out() { &mut held_out } else { &mut training };
        cases.extend(order_cases(&game, rule));
        Ok(())
    })?;
    ensure!(games >= MIN_GAMES, "too few games");
    ensure!(!training.is_empty() && !held_out.is_empty(), "too few moves");
    note(format_args!("{games} games, {} moves", training.len() + held_out.len()));
    let mut ordering = Ordering::new(rule);
    ordering.fit(&training, BATCH, |epoch, ordering, loss| {
        let held_out =
            held_out.iter().map(|case| ordering.loss(case)).sum::<f64>() / held_out.len() as f64;
        note(format_args!("epoch {epoch}: loss {loss:.4}, held out {held_out:.4}"));
    });
    ordering.write(&mut tables[rule as usize]);
    crate::write_file(&path, &OrderTables::write(&tables))
}

struct OrderCase {
    mover: Color,
    candidates: Vec<Candidate>,
    chosen: usize,
}

struct Candidate {
    /// The codes of its cell for the mover and for the opponent.
    codes: [ShapeCode; 2],
    /// Where it lies as seen from the last two stones: [`nearness`].
    near: [usize; 2],
}

/// Returns the cases of a game that is played over under this rule: the positions in which a search
/// chose one of the candidates and no threat forced it. Inner nodes are left out, since no
/// search chose a move there.
fn order_cases(game: &TrainingGame, rule: Rule) -> impl Iterator<Item = OrderCase> {
    let searched = game.examples().filter(|example| example.source != Some(Source::Inner));
    searched.filter_map(move |example| {
        let board = Board::from_moves(game.size, rule, example.moves());
        let mover = board.side_to_move();
        let is_forced = board.win_by_threats().is_some() || board.count(!mover, Threat::Five) > 0;
        let cells: Vec<Coord> = board.candidates().into_iter().collect();
        let chosen = cells.iter().position(|&c| Some(c) == example.mv && !is_forced)?;
        let candidate = |c: Coord| Candidate {
            codes: [mover, !mover].map(|color| board.threats(c).code(color)),
            near: [0, 1].map(|plies| nearness(board.last_move(plies))[c.index()].into()),
        };
        let candidates = cells.into_iter().map(candidate).collect();
        Some(OrderCase { mover, candidates, chosen })
    })
}

/// What a code is worth is the sum of the weights of its four shapes, of its threat, and its own.
const CODE_PARTS: usize = Shape::COUNT + Threat::COUNT;
/// Weights of the codes of one color, to the side that moves or to the other.
const CODE_WEIGHTS: usize = CODE_PARTS + CODES;
const NEAR_WEIGHTS: usize = 4 * CODE_WEIGHTS;

#[derive(Clone)]
struct Ordering {
    rule: Rule,
    /// Weights of the mover's codes (black's, then white's), of the opponent's codes (black's, then
    /// white's), of the nearness to the last stone, and to the one before it. Except under renju
    /// both colors use black's.
    weights: Vec<f32>,
    gradient: Vec<f32>,
    moments: Vec<Moments>,
}

impl Ordering {
    fn new(rule: Rule) -> Ordering {
        let len = NEAR_WEIGHTS + 2 * NEARNESS_COUNT;
        let (weights, moments) = (vec![0.0; len], vec![Moments::default(); len]);
        Ordering { rule, gradient: weights.clone(), weights, moments }
    }

    /// Returns the indexes of a code's six weights. `side`: 0 for a code of the side to move, 1 for
    /// one of the opponent.
    fn code_weight_indexes(&self, side: usize, color: Color, code: ShapeCode) -> [usize; 6] {
        let set = if self.rule == Rule::Renju { color as usize } else { 0 };
        let threat = RuleTables::of(self.rule).threat(color, code) as usize;
        let [a, b, c, d] = shapes_of_code(code).map(|shape| shape as usize);
        [a, b, c, d, Shape::COUNT + threat, CODE_PARTS + usize::from(code)]
            .map(|part| (2 * side + set) * CODE_WEIGHTS + part)
    }

    /// Returns the indexes of the weights whose sum is the score of a candidate.
    fn weight_indexes(
        &self,
        mover: Color,
        candidate: &Candidate,
    ) -> impl Iterator<Item = usize> + use<> {
        let [own, other] = candidate.codes;
        let codes =
            [self.code_weight_indexes(0, mover, own), self.code_weight_indexes(1, !mover, other)];
        let [last, before] = candidate.near;
        let near = [NEAR_WEIGHTS + last, NEAR_WEIGHTS + NEARNESS_COUNT + before];
        codes.into_iter().flatten().chain(near)
    }

    fn sum(&self, weights: impl IntoIterator<Item = usize>) -> f64 {
        weights.into_iter().map(|index| f64::from(self.weights[index])).sum()
    }

    fn probabilities(&self, case: &OrderCase) -> Vec<f64> {
        let score = |candidate| self.sum(self.weight_indexes(case.mover, candidate));
        let scores: Vec<f64> = case.candidates.iter().map(score).collect();
        // The greatest is taken off, so that no exponential overflows.
        let greatest = scores.iter().copied().fold(f64::MIN, f64::max);
        let total: f64 = scores.iter().map(|score| (score - greatest).exp()).sum();
        scores.iter().map(|score| (score - greatest).exp() / total).collect()
    }

    /// Returns the cross entropy of a case, in nats.
    fn loss(&self, case: &OrderCase) -> f64 {
        loss_of(self.probabilities(case)[case.chosen])
    }

    /// Adds the gradient of the loss on a case, times `share`, and returns the loss.
    fn add_gradient(&mut self, case: &OrderCase, share: f32) -> f64 {
        let probabilities = self.probabilities(case);
        for (index, (candidate, &p)) in case.candidates.iter().zip(&probabilities).enumerate() {
            let error = share * (p as f32 - f32::from(u8::from(index == case.chosen)));
            for weight in self.weight_indexes(case.mover, candidate) {
                self.gradient[weight] += error;
            }
        }
        loss_of(probabilities[case.chosen])
    }

    /// Moves the weights against the gradients added since the last step.
    fn step(&mut self, rate: f32) {
        let gradients = self.gradient.iter_mut().map(std::mem::take);
        let steps = self.weights.iter_mut().zip(gradients).zip(&mut self.moments);
        for (index, ((weight, gradient), moments)) in steps.enumerate() {
            let is_own = index < NEAR_WEIGHTS && index % CODE_WEIGHTS >= CODE_PARTS;
            let decay = if is_own { CODE_L2 * *weight } else { 0.0 };
            moments.step(weight, gradient + decay, rate);
        }
    }

    /// Fits the weights to cases. `report` gets the number of each epoch and its mean loss.
    fn fit(&mut self, cases: &[OrderCase], batch: usize, report: impl Fn(usize, &Ordering, f64)) {
        let mut order: Vec<usize> = (0..cases.len()).collect();
        let mut random = Random::new(2);
        let steps = EPOCHS * cases.len().div_ceil(batch);
        let mut step = 0;
        for epoch in 0..EPOCHS {
            random.shuffle(&mut order);
            let mut loss = 0.0;
            for batch in order.chunks(batch) {
                for &case in batch {
                    loss += self.add_gradient(&cases[case], 1.0 / batch.len() as f32);
                }
                step += 1;
                self.step(RATE * schedule(step as f32 / steps as f32, step));
            }
            report(epoch, self, loss / cases.len() as f64);
        }
    }

    fn write(&self, tables: &mut OrderTables) {
        for (side, tables) in [&mut tables.attack, &mut tables.defend].into_iter().enumerate() {
            for color in Color::ALL {
                tables[color] = CodeTable::from_fn(|code| {
                    let worth = self.sum(self.code_weight_indexes(side, color, code as ShapeCode));
                    entry(worth as f32, ORDER_SCALE)
                });
            }
        }
        let near = tables.near.as_flattened_mut().iter_mut();
        for (near, &fitted) in near.zip(&self.weights[NEAR_WEIGHTS..]) {
            *near = entry(fitted, ORDER_SCALE * NEAR_FACTOR);
        }
    }
}

fn loss_of(p: f64) -> f64 {
    -p.max(f64::MIN_POSITIVE).ln()
}

fn entry(worth: f32, scale: f32) -> i16 {
    (worth * scale).round().clamp(-ENTRY_LIMIT, ENTRY_LIMIT) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::score::{Bound, Score};
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::record::Outcome;
    use tengen_gomoku::types::BoardSize;
    use tengen_lab::{Label, Sample};

    #[test]
    fn entries_are_rounded_and_bounded() {
        assert_eq!(entry(0.0174, 200.0), 3);
        assert_eq!(entry(1e6, ORDER_SCALE), 8_000);
        assert_eq!(entry(-1e6, ORDER_SCALE), -8_000);
    }

    #[test]
    fn every_entry_of_the_rule_is_replaced() {
        let mut tables = OrderTables::of(Rule::Renju).clone();
        Ordering::new(Rule::Renju).write(&mut tables);
        let zeros = CodeTable::from_fn(|_| 0);
        let is_zero = |tables: &[CodeTable; 2]| tables.iter().all(|table| *table == zeros);
        assert!([&tables.attack, &tables.defend].into_iter().all(is_zero));
        assert!(tables.near.as_flattened().iter().all(|&entry| entry == 0));
    }

    /// Returns a drawn game that a search played from the `opening`th move on.
    fn game(moves: &str, opening: usize) -> TrainingGame {
        let size = BoardSize::new(15, 15).unwrap();
        let moves = parse_points(moves, size).unwrap();
        let label = Label { score: Score::DRAW, depth: 5, others: Vec::new() };
        TrainingGame {
            number: 0,
            rule: Rule::Freestyle,
            size,
            opening,
            outcome: Outcome::Drawn,
            labels: vec![label; moves.len() - opening],
            moves,
            samples: Vec::new(),
        }
    }

    #[test]
    fn forced_and_decided_positions_are_left_out() {
        // Black makes a four; white stops it; black makes an open four.
        let game = game("h8a1h9a2h10a3h11h12i8", 6);
        assert_eq!(order_cases(&game, Rule::Freestyle).count(), 0);
    }

    #[test]
    fn the_chosen_move_is_found_among_the_candidates() {
        // The corner is no candidate.
        let cases: Vec<_> = order_cases(&game("h8i9h9a15", 2), Rule::Renju).collect();
        let [OrderCase { mover, candidates, chosen }] = &cases[..] else { panic!() };
        assert_eq!((*mover, candidates[*chosen].near), (Color::Black, [0, 0]));
    }

    #[test]
    fn inner_nodes_are_left_out() {
        let mut game = game("h8i9", 2);
        let side = Sample {
            ply: 2,
            line: parse_points("j9", game.size).unwrap(),
            source: Source::Side,
            mv: parse_points("j10", game.size).unwrap().pop(),
            score: Score::DRAW,
            bound: Bound::Exact,
            depth: 4,
        };
        game.samples = vec![Sample { source: Source::Inner, ..side.clone() }, side];
        let movers = order_cases(&game, Rule::Freestyle).map(|case| case.mover);
        assert_eq!(movers.collect::<Vec<_>>(), [Color::White]);
    }

    /// Returns a position with codes out of a few, which come as often as common ones in games.
    fn random_case(random: &mut Random, candidates: usize) -> OrderCase {
        const DISTANCE: usize = 61;
        let mut candidate = || Candidate {
            codes: [(); 2].map(|()| (DISTANCE * random.below(CODES / DISTANCE)) as u16),
            near: [(); 2].map(|()| random.below(NEARNESS_COUNT)),
        };
        let candidates = (0..candidates).map(|_| candidate()).collect();
        OrderCase { mover: Color::ALL[random.below(2)], candidates, chosen: 0 }
    }

    /// Returns random weights of shapes, threats and places.
    fn law(rule: Rule, random: &mut Random) -> Ordering {
        let mut law = Ordering::new(rule);
        for (index, weight) in law.weights.iter_mut().enumerate() {
            let limit = match index {
                NEAR_WEIGHTS.. => 1.0,
                _ if index % CODE_WEIGHTS < CODE_PARTS => 0.5,
                _ => 0.0,
            };
            *weight = limit * (random.below(2_001) as f32 / 1_000.0 - 1.0);
        }
        law
    }

    /// Chooses a move with the probabilities of a law.
    fn choose(law: &Ordering, case: &OrderCase, random: &mut Random) -> usize {
        let mut left = random.below(1 << 30) as f64 / f64::from(1 << 30);
        let probabilities = law.probabilities(case);
        let found = probabilities.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        found.unwrap_or(probabilities.len() - 1)
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        for rule in [Rule::Standard, Rule::Renju] {
            let mut random = Random::new(4);
            let mut model = law(rule, &mut random);
            let mut case = random_case(&mut random, 5);
            case.chosen = 3;
            model.add_gradient(&case, 0.5);
            for index in 0..model.weights.len() {
                // Codes that no case has have the gradient 0 anyway; a part of them will do.
                if model.gradient[index] == 0.0 && index % 50 != 0 {
                    continue;
                }
                let at = |shift: f32| {
                    let mut moved = model.clone();
                    moved.weights[index] += shift;
                    (f64::from(moved.weights[index]), 0.5 * moved.loss(&case))
                };
                let [(low, below), (high, above)] = [-1e-3, 1e-3].map(at);
                let difference = (above - below) / (high - low);
                assert!((f64::from(model.gradient[index]) - difference).abs() < 1e-6, "{index}");
            }
        }
    }

    #[test]
    fn a_law_is_found_in_the_moves_it_chooses() {
        let mut random = Random::new(8);
        let law = law(Rule::Standard, &mut random);
        let mut case = || {
            let mut case = random_case(&mut random, 8);
            case.chosen = choose(&law, &case, &mut random);
            case
        };
        let training: Vec<OrderCase> = (0..11_000).map(|_| case()).collect();
        let held_out: Vec<OrderCase> = (0..1_000).map(|_| case()).collect();
        let mut model = Ordering::new(Rule::Standard);
        let before = model.clone();
        model.fit(&training, 200, |_, _, _| ());
        let error = |model: &Ordering| {
            let of = |case| {
                let pairs = model.probabilities(case).into_iter().zip(law.probabilities(case));
                pairs.map(|(p, wanted)| (p - wanted).abs()).sum::<f64>() / 2.0
            };
            held_out.iter().map(of).sum::<f64>() / held_out.len() as f64
        };
        // The part of the probability that is on wrong moves.
        let (before, after) = (error(&before), error(&model));
        assert!(before > 0.3 && after < 0.1, "{before} {after}");
    }

    #[test]
    fn codes_share_the_weights_of_their_shapes_and_threat() {
        let mut ordering = Ordering::new(Rule::Freestyle);
        let threats = RuleTables::of(Rule::Freestyle);
        let code_of = |threat| {
            let is_of = |&code: &u16| threats.threat(Color::Black, code) == threat;
            (0..CODES as u16).find(is_of).expect("some code has this threat")
        };
        let (five, four) = (code_of(Threat::Five), code_of(Threat::Four));
        let worth = |ordering: &Ordering, code| {
            ordering.sum(ordering.code_weight_indexes(0, Color::Black, code))
        };
        for weight in ordering.code_weight_indexes(0, Color::Black, five) {
            ordering.gradient[weight] -= 1.0;
        }
        ordering.step(0.1);
        // Its own weight and all of its five parts move, and three dead lines are one weight.
        let dead = ordering.weights[Shape::Dead as usize];
        assert!(dead > 0.05 && worth(&ordering, five) > 5.9 * f64::from(dead));
        // Shared with it are the dead lines only.
        let count = shapes_of_code(four).iter().filter(|&&shape| shape == Shape::Dead).count();
        assert!((worth(&ordering, four) - f64::from(dead) * count as f64).abs() < 1e-6);
        // The rest, and the other side, stay.
        assert_eq!(ordering.sum(ordering.code_weight_indexes(1, Color::Black, five)), 0.0);
    }
}
