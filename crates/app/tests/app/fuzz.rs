//! Bytes from strangers: every input that once went wrong or led somewhere new, and a little random
//! change of them. `fuzz/run.sh` does the same for hours, guided by coverage.
//!
//! `TENGEN_FUZZ` sets the number of changed inputs of each target, `TENGEN_SEED` the first one.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use crate::shell::number;
use crate::targets;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The longest changed input.
const LENGTH_MAX: usize = 4096;
/// The binary logarithm of the most changes of one input.
const CHANGES_LOG_MAX: u32 = 4;

/// Tries the inputs of a corpus, and as many changed ones, which takes a few seconds.
fn fuzz(name: &str, target: fn(&[u8]) -> Result<(), String>, changed: u64) {
    let corpus = format!("{ROOT}/tests/corpus/{name}.txt");
    let inputs: Vec<_> = lines(&corpus).iter().map(|line| unescape(line)).collect();
    assert!(inputs.len() > 10, "the corpus of {name} is gone");
    for input in &inputs {
        assert_eq!(target(input), Ok(()), "{}", input.escape_ascii());
    }
    let [own, binary] = [name, "binary"].map(|name| format!("{ROOT}/fuzz/dict/{name}.dict"));
    let quoted = lines(if Path::new(&own).exists() { &own } else { &binary });
    let words = quoted.iter().map(|word| unescape(&word[1..word.len() - 1]));
    let words: Vec<_> = words.collect();
    let first = number("TENGEN_SEED", 1);
    for seed in first..first + number("TENGEN_FUZZ", changed) {
        let input = mutate(&mut Rng::with_seed(seed), &inputs, &words);
        assert_eq!(target(&input), Ok(()), "seed {seed}: {}", input.escape_ascii());
    }
}

/// Returns the lines of a file that are no comments.
fn lines(path: &str) -> Vec<String> {
    let content = fs::read_to_string(path).unwrap();
    content
        .split_terminator('\n')
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// Returns the bytes that `escape_ascii` writes so.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next().unwrap() {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                b'x' => {
                    let mut digit = || char::from(rest.next().unwrap()).to_digit(16).unwrap();
                    (digit() << 4 | digit()) as u8
                }
                quoted @ (b'\\' | b'\'' | b'"') => quoted,
                _ => panic!("no input: {text}"),
            },
            _ => byte,
        });
    }
    bytes
}

/// Returns a changed copy of one of the inputs.
fn mutate(rng: &mut Rng, inputs: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let pick = |rng: &mut Rng| rng.choice(inputs).cloned().unwrap_or_default();
    let mut input = pick(rng);
    for _ in 0..1 << rng.u32(0..=CHANGES_LOG_MAX) {
        let at = rng.usize(..=input.len());
        let most = 1 << rng.u32(..8);
        let length = rng.usize(..=(input.len() - at).min(most));
        match rng.u8(..10) {
            0 => drop(input.drain(at..at + length)),
            1 | 2 if at < input.len() => input[at] ^= 1 << rng.u8(..8),
            3 if at < input.len() => input[at] = rng.u8(..),
            4 if at < input.len() => input[at] = *rng.choice(b"0123456789,- \n\x1E").unwrap_or(&0),
            5 => {
                let copy = input[at..at + length].to_vec();
                let to = rng.usize(..=input.len());
                drop(input.splice(to..to, copy));
            }
            6 => {
                let other = pick(rng);
                let from = rng.usize(..=other.len());
                let to = from + rng.usize(..=(other.len() - from).min(64));
                drop(input.splice(at..at + length, other[from..to].iter().copied()));
            }
            // Any other way in which one input becomes another one: whole words.
            n => {
                let word = rng.choice(words).map_or(&[][..], Vec::as_slice);
                let replaced = if n % 2 == 0 { length.min(word.len()) } else { 0 };
                drop(input.splice(at..at + replaced, word.iter().copied()));
            }
        }
    }
    input.truncate(LENGTH_MAX);
    input
}

#[test]
fn every_corpus_has_its_target() {
    let names = |folder: &str| {
        let files = fs::read_dir(format!("{ROOT}/{folder}")).unwrap();
        let mut names: Vec<_> =
            files.map(|file| file.unwrap().path().file_stem().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("tests/corpus"), names("fuzz/fuzz_targets"));
    // The targets of binary files share a dictionary.
    assert_eq!(names("fuzz/dict"), ["binary", "protocol", "record", "typed"]);
}

#[test]
fn inputs_are_read_as_they_were() {
    let every: Vec<u8> = (0..=u8::MAX).collect();
    for input in [&every[..], b"", b"\\x41\\n\r\n", b"'\"\n"] {
        assert_eq!(unescape(&input.escape_ascii().to_string()), input);
    }
}

#[test]
fn no_bytes_upset_the_protocol() {
    fuzz("protocol", targets::protocol, 1_500);
}

#[test]
fn no_bytes_upset_the_readers_of_files() {
    fuzz("record", targets::record, 4_000);
}

#[test]
fn no_bytes_upset_the_reader_of_typed_commands() {
    fuzz("typed", targets::typed, 4_000);
}

/// Each input is two searches.
#[test]
fn no_table_upsets_the_search() {
    fuzz("table", targets::table, 250);
}

#[test]
fn no_bytes_upset_the_reader_of_libraries() {
    fuzz("library", targets::library, 4_000);
}

/// Each input is two files.
#[test]
fn no_bytes_upset_the_opening_of_a_database() {
    fuzz("database", targets::database, 100);
}
