//! A coverage-guided fuzzer in one process: changes inputs at random, and keeps those that make the
//! engine do what none before has done.
//!
//! `run.sh` builds it with the instrumentation that tells so. What it keeps goes into a folder;
//! what fails is written beside it, told, and ends the run.

mod corpus;
mod coverage;
#[path = "../../tests/in_process/mod.rs"]
mod in_process;
mod mutate;
#[path = "../../tests/reply_form/mod.rs"]
mod reply_form;
mod targets;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs, panic};

use coverage::Coverage;
use fastrand::Rng;
use targets::Target;

const USAGE: &str = "usage: tengen-fuzz TARGET FOUND RUNS [CORPUS...]
TARGET is protocol, record, library, database, typed or table; what is new goes into the file FOUND, and begins with what
is there and in the CORPUS files. With RUNS 0 only what reaches edges of its own is kept.";

/// Time between two lines of the report.
const REPORT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [target, found, runs, corpus @ ..] = arguments.as_slice() else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let (Some(target), Ok(runs)) = (Target::named(target), runs.parse()) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let mut fuzzer = Fuzzer::new(target, found.into());
    match fuzzer.run(runs, corpus) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tengen-fuzz: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Fuzzer {
    target: Target,
    /// The file of what is kept.
    found: PathBuf,
    /// What is in that file.
    kept: HashSet<Vec<u8>>,
    inputs: Vec<Vec<u8>>,
    coverage: Coverage,
    runs: u64,
}

impl Fuzzer {
    fn new(target: Target, found: PathBuf) -> Fuzzer {
        let (kept, inputs, coverage) = (HashSet::new(), Vec::new(), Coverage::new());
        Fuzzer { target, found, kept, inputs, coverage, runs: 0 }
    }

    /// Tries the corpus, the shortest inputs first, and then `runs` inputs made from it.
    fn run(&mut self, runs: u64, files: &[String]) -> Result<(), String> {
        let mut seeds = if self.found.exists() { inputs(&self.found)? } else { Vec::new() };
        self.kept.extend(seeds.iter().cloned());
        for file in files {
            seeds.extend(inputs(Path::new(file))?);
        }
        seeds.sort_by_key(Vec::len);
        for input in seeds {
            let (_, before) = self.coverage.edges();
            let is_new = self.try_input(&input)? && (runs > 0 || self.coverage.edges().1 > before);
            if is_new {
                self.keep(input)?;
            }
        }
        let start = Instant::now();
        let mut next_report = start + REPORT;
        let mut rng = Rng::new();
        let last = self.runs + runs;
        while self.runs < last {
            let input = mutate::mutate(&mut rng, &self.inputs, self.target.words());
            if self.try_input(&input)? {
                self.keep(input)?;
            }
            if Instant::now() >= next_report {
                next_report += REPORT;
                self.report(start);
            }
        }
        self.report(start);
        Ok(())
    }

    /// Lets the target have an input, and returns true if that brought something new.
    fn try_input(&mut self, input: &[u8]) -> Result<bool, String> {
        self.coverage.reset();
        let result = panic::catch_unwind(|| self.target.run(input));
        self.runs += 1;
        let fault = match result {
            Ok(Ok(())) => return Ok(self.coverage.grow()),
            Ok(Err(fault)) => fault,
            Err(_) => "a panic".into(),
        };
        let path = self.found.with_extension("fault");
        fs::write(&path, input).map_err(|error| error.to_string())?;
        Err(format!("{fault}\ninput: {}", path.display()))
    }

    /// Makes an input one of those that others are made from.
    fn keep(&mut self, input: Vec<u8>) -> Result<(), String> {
        if self.kept.insert(input.clone()) {
            corpus::add(&self.found, &input).map_err(|error| error.to_string())?;
        }
        self.inputs.push(input);
        Ok(())
    }

    fn report(&self, start: Instant) {
        let (all, reached) = self.coverage.edges();
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{}: {} runs in {seconds:.0} s, {} inputs kept, {reached} of {all} edges",
            self.target.name(),
            self.runs,
            self.inputs.len(),
        );
    }
}

fn inputs(file: &Path) -> Result<Vec<Vec<u8>>, String> {
    let inputs = corpus::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(inputs.into_iter().map(|(_, input)| input).collect())
}
