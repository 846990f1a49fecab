//! Bytes from strangers: every input that once went wrong or led somewhere new, and a little random
//! change of them. `fuzz/run.sh` does the same for hours, guided by coverage.
//!
//! `TENGEN_FUZZ` sets the number of changed inputs of each target, `TENGEN_SEED` the first one.

mod environment;
mod in_process;
#[path = "../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../fuzz/src/targets.rs"]
mod targets;

use std::fs;
use std::path::{Path, PathBuf};

use environment::number;
use fastrand::Rng;
use mutate::mutate;
use targets::Target;

/// Returns the number of changed inputs of an ordinary test run, which takes a few seconds.
fn runs(target: Target) -> u64 {
    match target {
        Target::Protocol => 1_500,
        Target::Record | Target::Typed => 4_000,
        Target::Library => 4_000,
        // Each is two searches.
        Target::Table => 250,
        // Each is two files.
        Target::Database => 100,
    }
}

/// Returns the inputs of a target and their files.
fn corpus(target: Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(target.name());
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn fuzz(target: Target) {
    let mut inputs = Vec::new();
    for (path, input) in corpus(target) {
        let result = target.run(&input);
        assert_eq!(result, Ok(()), "{}", path.display());
        inputs.push(input);
    }
    assert!(inputs.len() > 10, "the corpus of {} is gone", target.name());
    let first = number("TENGEN_SEED", 1);
    for seed in first..first + number("TENGEN_FUZZ", runs(target)) {
        let input = mutate(&mut Rng::with_seed(seed), &inputs, target.words());
        let result = target.run(&input);
        assert_eq!(result, Ok(()), "seed {seed}: {}", input.escape_ascii());
    }
}

#[test]
fn every_corpus_has_its_target() {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let names = fs::read_dir(folders).unwrap().map(|entry| entry.unwrap().file_name());
    let targets = names.map(|name| Target::named(name.to_str().unwrap()).expect("a target"));
    assert_eq!(targets.count(), Target::ALL.len());
}

#[test]
fn no_bytes_upset_the_protocol() {
    fuzz(Target::Protocol);
}

#[test]
fn no_bytes_upset_the_readers_of_files() {
    fuzz(Target::Record);
}

#[test]
fn no_bytes_upset_the_reader_of_typed_commands() {
    fuzz(Target::Typed);
}

#[test]
fn no_table_upsets_the_search() {
    fuzz(Target::Table);
}

#[test]
fn no_bytes_upset_the_reader_of_libraries() {
    fuzz(Target::Library);
}

#[test]
fn no_bytes_upset_the_opening_of_a_database() {
    fuzz(Target::Database);
}
