//! The gradient of a batch: what the value and the policy have in common.
//!
//! A pattern's row is made once for a micro-batch and its gradient summed there, since a few
//! thousand patterns make up nearly all lines of a batch.

use std::io;

use tengen::eval::network::{LANES, Weights};
use tengen::eval::pattern::PATTERNS;
use tengen::parallel::in_order;
use tengen_gomoku::types::{Color, Rule};

use crate::train::model::{Head, Lanes, Model};
use crate::train::positions::{Data, EmptyBoard, LabelledPosition, Labels};

/// Positions of a micro-batch. One thread computes its gradient. The gradients of all micro-batches
/// are added in a fixed order, so the result is the same for any number of threads.
const MICRO_BATCH: usize = 256;
const STACK_BYTES: usize = 2 << 20;

/// What is learned from positions.
pub trait Objective: Labels {
    type Head: Head;

    /// Returns the loss of a position, in nats, and adds its gradient if there is one to add to.
    fn learn(
        worker: &mut Worker<Self>,
        position: &LabelledPosition<Self::Label>,
        gradient: Option<&mut Gradient<Self::Head>>,
    ) -> f64;

    /// Returns positions by kind, to report the loss of each.
    fn by_kind(
        positions: &[LabelledPosition<Self::Label>],
    ) -> Vec<(&str, Vec<LabelledPosition<Self::Label>>)>;

    /// Returns what else is to be said of the model in these positions.
    fn remark(_: &mut Worker<Self>, _: &[LabelledPosition<Self::Label>]) -> String {
        String::new()
    }

    /// Fails if the values of a network are not those of its model. The default compares nothing.
    fn check(_: &mut Worker<Self>, _: &Weights, _: Rule) -> anyhow::Result<()> {
        Ok(())
    }
}

/// The loss of a micro-batch, and its gradient.
pub struct Gradient<H> {
    pub loss: f64,
    pub heads: Vec<Box<H>>,
    patterns: Vec<u32>,
    /// The gradients of the rows: one for all patterns without a stone, then that of each met.
    rows: Vec<Lanes>,
}

impl<H: Head> Gradient<H> {
    fn zero(model: &Model<H>) -> Gradient<H> {
        Gradient {
            loss: 0.0,
            heads: model.heads.iter().map(|_| Box::new(H::zero())).collect(),
            patterns: Vec::new(),
            rows: vec![[0.0; LANES]],
        }
    }

    pub fn stone_free_row(&self) -> &Lanes {
        &self.rows[0]
    }

    pub fn rows(&self) -> impl Iterator<Item = (usize, &Lanes)> {
        self.patterns.iter().map(|&pattern| pattern as usize).zip(&self.rows[1..])
    }
}

/// What a thread needs for a pass.
pub struct Worker<'a, O: Objective> {
    pub model: &'a Model<O::Head>,
    pub data: &'a Data<O>,
    /// The row of each pattern, as an index of `rows` and [`Gradient::rows`]; 0 for a pattern that
    /// was not met.
    row_of_pattern: Vec<u32>,
    met: Vec<u32>,
    /// The rows, that of patterns without a stone first.
    rows: Vec<Lanes>,
    pub heads: Vec<Box<O::Head>>,
    patterns: Vec<u32>,
    /// The rows of `patterns`, four for each cell, as indexes of `rows`.
    cell_rows: Vec<u32>,
    /// The sum of the rows of each cell, before clipping; zero without a stone on its lines.
    pub sums: Vec<Lanes>,
}

impl<'a, O: Objective> Worker<'a, O> {
    pub fn new(model: &'a Model<O::Head>, data: &'a Data<O>) -> Worker<'a, O> {
        Worker {
            model,
            data,
            row_of_pattern: vec![0; PATTERNS],
            met: Vec::new(),
            rows: vec![model.stone_free_row()],
            heads: model.heads_as_evaluated(),
            patterns: Vec::new(),
            cell_rows: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Returns the summed loss of positions, in nats.
    pub fn loss(&mut self, positions: &[LabelledPosition<O::Label>]) -> f64 {
        positions.iter().map(|position| O::learn(self, position, None)).sum()
    }

    pub fn gradient(&mut self, positions: &[LabelledPosition<O::Label>]) -> Gradient<O::Head> {
        let mut gradient = Gradient::zero(self.model);
        for position in positions {
            let loss = O::learn(self, position, Some(&mut gradient));
            gradient.loss += loss;
        }
        gradient.rows.resize(self.rows.len(), [0.0; LANES]);
        self.rows.truncate(1);
        for &pattern in &self.met {
            self.row_of_pattern[pattern as usize] = 0;
        }
        gradient.patterns = std::mem::take(&mut self.met);
        gradient
    }

    /// Adds up the rows of each cell. The patterns that are new get their rows. Returns the board,
    /// and the perspective of the side to move.
    pub fn sum_cells(&mut self, position: &LabelledPosition<O::Label>) -> (&'a EmptyBoard, usize) {
        let model = self.model;
        let (board, stones) = self.data.stones(position);
        board.patterns(stones, model.is_tied, &mut self.patterns);
        self.cell_rows.clear();
        for &pattern in &self.patterns {
            let pattern = pattern as usize;
            if model.is_stone_free[pattern] {
                self.cell_rows.push(0);
                continue;
            }
            if self.row_of_pattern[pattern] == 0 {
                self.met.push(pattern as u32);
                self.row_of_pattern[pattern] = self.met.len() as u32;
                self.rows.push(model.row(pattern));
            }
            self.cell_rows.push(self.row_of_pattern[pattern]);
        }
        self.sums.clear();
        for rows in self.cell_rows.as_chunks::<4>().0 {
            let mut sum = [0.0f32; LANES];
            if rows.iter().any(|&row| row != 0) {
                for &row in rows {
                    let row = &self.rows[row as usize];
                    sum.iter_mut().zip(row).for_each(|(sum, lane)| *sum += lane);
                }
            }
            self.sums.push(sum);
        }
        (board, model.perspective(Color::ALL[stones.len() % 2]))
    }

    /// Adds the gradient of a cell's sum to those of its rows.
    pub fn add_cell(&self, cell: usize, slopes: &Lanes, gradient: &mut Gradient<O::Head>) {
        let rows = &self.cell_rows.as_chunks::<4>().0[cell];
        if rows.iter().all(|&row| row == 0) {
            return;
        }
        gradient.rows.resize(self.rows.len(), [0.0; LANES]);
        for &row in rows {
            let row = &mut gradient.rows[row as usize];
            row.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
        }
    }
}

/// Returns the mean loss of positions, at least one, in nats.
pub fn mean_loss<O: Objective>(
    model: &Model<O::Head>,
    data: &Data<O>,
    positions: &[LabelledPosition<O::Label>],
    threads: usize,
) -> io::Result<f64> {
    let losses = by_micro_batches(model, data, positions, threads, Worker::loss)?;
    Ok(losses.iter().sum::<f64>() / positions.len() as f64)
}

/// Returns what this work gives for each micro-batch of positions, in order.
pub fn by_micro_batches<'a, O: Objective, T: Send>(
    model: &'a Model<O::Head>,
    data: &'a Data<O>,
    positions: &[LabelledPosition<O::Label>],
    threads: usize,
    work: impl Fn(&mut Worker<'a, O>, &[LabelledPosition<O::Label>]) -> T + Sync,
) -> io::Result<Vec<T>> {
    let batches: Vec<&[LabelledPosition<O::Label>]> = positions.chunks(MICRO_BATCH).collect();
    let worker = || {
        let (mut worker, batches, work) = (Worker::new(model, data), &batches, &work);
        move |index: u64| work(&mut worker, batches[index as usize])
    };
    let mut results = Vec::with_capacity(batches.len());
    in_order(0..batches.len() as u64, threads, STACK_BYTES, worker, |result| {
        results.push(result);
        io::Result::Ok(true)
    })?;
    Ok(results)
}

/// Adds a multiple of a vector to another one.
pub fn add_scaled<const N: usize>(sums: &mut [f32; N], factor: f32, numbers: &[f32; N]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += factor * number);
}

/// Returns the dot product. It keeps sixteen partial sums, so that the compiler uses vector
/// instructions.
pub fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    const { assert!(N.is_multiple_of(16)) };
    let mut sums = [0.0f32; 16];
    for i in 0..N / 16 {
        for j in 0..16 {
            sums[j] += a[16 * i + j] * b[16 * i + j];
        }
    }
    sums.iter().sum()
}
