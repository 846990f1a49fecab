//! Trains the value (`train`) or the policy (`train-policy`) of a network on games that `datagen`
//! wrote.
//!
//! Reads the games, plays them over under one rule, and fits the value to results and scores, or
//! the policy to the best moves, by Adam, from random weights or those of `--start`; the same seed
//! gives the same network, whatever the number of threads. Writes the quantised network as the
//! engine reads it (OUT) and its floats to go on from (OUT.float). One opening in twenty is held out.

mod gradient;
mod model;
mod policy;
mod positions;
pub mod trainer;
mod value;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::{Args, value_parser};
use tengen::closed_output::note;
use tengen::eval::network::{Weights, file_of};
use tengen::parallel;
use tengen_gomoku::types::{Random, Rule};
use tengen_lab::read_files;

use self::gradient::{Objective, Worker, by_micro_batches, mean_loss};
use self::model::{Head, Model};
pub use self::policy::PolicyObjective;
use self::positions::{Data, LabelledPosition};
use self::trainer::{Trainer, WeightAverage};
use self::value::ValueObjective;

const REPORTS: usize = 30;
/// Held-out positions that are looked at for a report.
const REPORTED: usize = 20_000;
/// The last 1 / `AVERAGED_DIV` of all steps rounds the model and averages it.
const AVERAGED_DIV: usize = 5;
const DECAY: f32 = 0.1;
/// Steps from one averaged model to the next.
const AVERAGED_STEPS: usize = 20;

/// Trains the value of a network on games that datagen wrote
#[derive(Args)]
pub struct ValueOptions {
    #[command(flatten)]
    shared: Options,
    /// The weight of a game's result against the search's score
    #[arg(long, value_name = "NUMBER", default_value = "0.2")]
    result: f32,
}

#[derive(Args)]
pub struct Options {
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(long, default_value = "freestyle")]
    rule: Rule,
    /// The network
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Goes on from this network, or its OUT.float beside it, instead of random weights
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// How often each position is seen
    #[arg(long, value_name = "NUMBER", default_value = "2")]
    epochs: f64,
    /// Learning rate
    #[arg(long, value_name = "NUMBER", default_value = "0.004")]
    rate: f32,
    /// Batch size
    #[arg(long, value_name = "NUMBER", default_value = "1024")]
    batch: usize,
    /// Threads, of which a small batch cannot use many [default: all cores]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Random seed of the first weights and of the order
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: u64,
    #[arg(value_name = "GAMES", required = true)]
    files: Vec<PathBuf>,
}

pub fn run_value(options: ValueOptions) -> anyhow::Result<()> {
    let ValueOptions { shared, result } = options;
    ensure!((0.0..=1.0).contains(&result), "--result is from 0 to 1");
    run(ValueObjective { result_weight: result }, shared)
}

pub fn run<O: Objective>(objective: O, options: Options) -> anyhow::Result<()> {
    let options = options.checked()?;
    let mut random = Random::new(options.seed);
    let mut model = Model::new(options.rule != Rule::Renju, options.seed);
    let mut weights = options.start(&mut model)?;
    let data = read(objective, &options, &mut random)?;
    let model = train(model, &data, &options, &mut random)?;
    let mut worker = Worker::new(&model, &data);
    for (kind, positions) in O::by_kind(&data.held_out) {
        if !positions.is_empty() {
            let loss = mean_loss(&model, &data, &positions, parallel::threads(options.threads))?;
            let (count, remark) = (positions.len(), O::remark(&mut worker, &positions));
            note(format_args!("{kind}: held out {loss:.5} in {count} positions{remark}"));
        }
    }
    model.quantize(&mut weights);
    // No file is written if the engine cannot read the network, or if quantisation changes its
    // values too much.
    let bytes = weights.write();
    Weights::read(&bytes).context("the quantised network")?;
    O::check(&mut worker, &weights, options.rule)?;
    let mut float_path = options.out.clone().into_os_string();
    float_path.push(".float");
    crate::write_file(Path::new(&float_path), &model.write())?;
    crate::write_file(&options.out, &bytes)
}

impl Options {
    fn checked(self) -> anyhow::Result<Options> {
        let Options { epochs, rate, batch, .. } = self;
        ensure!(epochs.is_finite() && epochs > 0.0, "--epochs is above 0");
        ensure!(rate.is_finite() && rate > 0.0, "--rate is above 0");
        ensure!(batch > 0, "--batch is above 0");
        let out = &self.out;
        ensure!(!has_float_name(out), "{}: the floats of a network have such names", out.display());
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
        ensure!(folder.is_none_or(Path::is_dir), "there is no folder for {}", out.display());
        let is_network = || fs::read(out).is_ok_and(|bytes| Weights::read(&bytes).is_ok());
        ensure!(!out.exists() || is_network(), "{}: another kind of file is there", out.display());
        Ok(self)
    }

    /// Gives a model the weights of `--start`, a network or its OUT.float. Returns the network
    /// whose other part stays: that one, or the program's without `--start`.
    fn start<H: Head>(&self, model: &mut Model<H>) -> anyhow::Result<Weights> {
        let Some(path) = &self.start else { return Weights::read(file_of(self.rule)) };
        let is_float = has_float_name(path);
        let network = if is_float { path.with_extension("") } else { path.clone() };
        let weights = crate::read_file(&network, |bytes| {
            let weights = Weights::read(bytes)?;
            model.dequantize(&weights)?;
            Ok(weights)
        })?;
        if is_float {
            crate::read_file(path, |bytes| model.read(bytes))?;
        }
        Ok(weights)
    }
}

fn has_float_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "float")
}

fn read<O: Objective>(
    objective: O,
    options: &Options,
    random: &mut Random,
) -> anyhow::Result<Data<O>> {
    let start = Instant::now();
    let mut data = Data::new(objective);
    read_files(&options.files, |game| {
        let is_alike = (game.rule == Rule::Renju) == (options.rule == Rule::Renju);
        let [of, wanted] = [game.rule, options.rule].map(Rule::name);
        ensure!(is_alike, "games of {of} do not teach {wanted}");
        data.add(&game, options.rule, game.is_held_out());
        Ok(())
    })?;
    random.shuffle(&mut data.training);
    random.shuffle(&mut data.held_out);
    ensure!(data.training.len() >= options.batch, "fewer positions than a batch has");
    ensure!(!data.held_out.is_empty(), "no opening is held out");
    let [games, training, held_out] = [data.games, data.training.len(), data.held_out.len()];
    let seconds = start.elapsed().as_secs_f64();
    note(format_args!(
        "{games} games, {training} positions, {held_out} held out, read in {seconds:.0} s"
    ));
    Ok(data)
}

/// Trains a model. Returns the mean of the last models, and reports its loss.
fn train<O: Objective>(
    model: Model<O::Head>,
    data: &Data<O>,
    options: &Options,
    random: &mut Random,
) -> anyhow::Result<Model<O::Head>> {
    let mut trainer = Trainer::new(model, options.rate, DECAY);
    let epoch_steps = data.training.len() / options.batch;
    let steps = (epoch_steps as f64 * options.epochs) as usize;
    ensure!(steps >= AVERAGED_DIV, "too few positions and epochs: {steps} batches");
    let mut average = WeightAverage::default();
    let mut order: Vec<u32> = (0..data.training.len() as u32).collect();
    let (mut loss, mut seen) = (0.0, 0);
    let threads = parallel::threads(options.threads);
    let reported = &data.held_out[..data.held_out.len().min(REPORTED)];
    let start = Instant::now();
    for step in 0..steps {
        if step % epoch_steps == 0 {
            random.shuffle(&mut order);
        }
        let first = step % epoch_steps * options.batch;
        let batch = order[first..first + options.batch].iter();
        let batch: Vec<LabelledPosition<O::Label>> =
            batch.map(|&index| data.training[index as usize]).collect();
        let gradients = by_micro_batches(&trainer.model, data, &batch, threads, Worker::gradient)?;
        let progress = step as f32 / steps as f32;
        loss += trainer.step(&gradients, batch.len(), progress, step + 1);
        seen += batch.len();
        let left = steps - step - 1;
        if left < steps / AVERAGED_DIV {
            trainer.model.is_rounded = true;
            if left.is_multiple_of(AVERAGED_STEPS) {
                average.add(&trainer.model);
            }
        }
        if (step + 1).is_multiple_of(steps.div_ceil(REPORTS)) || left == 0 {
            let epoch = (step + 1) as f64 / epoch_steps as f64;
            let held_out = mean_loss(&trainer.model, data, reported, threads)?;
            let training = loss / seen as f64;
            let speed = ((step + 1) * options.batch) as f64 / start.elapsed().as_secs_f64();
            note(format_args!(
                "epoch {epoch:.2}: loss {training:.5}, held out {held_out:.5}, {speed:.0} positions/s"
            ));
            (loss, seen) = (0.0, 0);
        }
    }
    let mut model = trainer.model;
    average.write(&mut model);
    model.is_rounded = true;
    let loss = mean_loss(&model, data, &data.held_out, threads)?;
    note(format_args!("mean of the last models: held out {loss:.5}"));
    Ok(model)
}
