//! Bytes from strangers: every input that once went wrong or led somewhere new, and a little random
//! change of them. `fuzz/run.sh` does the same for hours, guided by coverage.
//!
//! `TENGEN_FUZZ` sets the number of changed inputs of each target, `TENGEN_SEED` the first one.

use crate::corpus;
use crate::scratch;
use std::fs;
use std::path::{Path, PathBuf};

use crate::mutate::mutate;
use crate::shell::number;
use crate::targets::Target;
use fastrand::Rng;

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

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

fn fuzz(target: Target) {
    let mut inputs = Vec::new();
    for (place, input) in corpus::read(&folder().join(target.name()).with_extension("txt")).unwrap()
    {
        let result = target.run(&input);
        assert_eq!(result, Ok(()), "{place}");
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
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let names = files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let targets = names.map(|name| Target::named(&name).expect("a target"));
    assert_eq!(targets.count(), Target::ALL.len());
}

#[test]
fn added_inputs_are_read_as_they_were() {
    let path = scratch::path("corpus.txt");
    let path = Path::new(&path);
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let inputs = [&bytes[..], b"", b"#", b"\\x41\\n\r\n", b"'\"\n"];
    fs::write(path, "# What was wrong.\n").unwrap();
    for input in inputs {
        corpus::add(path, input).unwrap();
    }
    let read = corpus::read(path).unwrap();
    assert_eq!(read.into_iter().map(|(_, input)| input).collect::<Vec<_>>(), inputs);
    fs::write(path, "\\x4").unwrap();
    assert!(corpus::read(path).is_err());
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
