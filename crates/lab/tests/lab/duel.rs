//! `tengen-lab duel`: matches inside the process.

use std::fs;
use std::process::Command;

use tengen_gomoku::board::Board;
use tengen_gomoku::types::Rule;

use crate::LAB;
use crate::scratch::path;

fn duel(options: &str) -> (String, bool) {
    let output = Command::new(LAB).arg("duel").args(options.split(' ')).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (text.into_owned(), output.status.success())
}

#[test]
fn the_result_is_the_same_for_every_number_of_threads() {
    let options = "--size 9 --nodes 300 --pairs 6 --set razoring_base=0 --threads";
    let [one, two] = [1, 2].map(|threads| duel(&format!("{options} {threads}")));
    assert!(one.1 && one.0.contains("of 12: "), "{}", one.0);
    assert!(one.0.contains("\nfirst with razoring_base=0\nseed 1\n"), "{}", one.0);
    assert_eq!(one, two);
}

#[test]
fn a_sequential_test_ends_a_match() {
    let in_use = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/eval/network-standard.bin");
    let mut network = fs::read(in_use).unwrap();
    // What is evaluated as nothing in all positions.
    network[9..].fill(0);
    let file = path("zero.network");
    fs::write(&file, network).unwrap();
    let (text, ok) = duel(&format!("--nodes 1000 --pairs 300 --sprt -200,0 --network {file}"));
    assert!(ok && text.contains("H0 accepted") && !text.contains("of 600"), "{text}");
}

#[test]
fn openings_that_decide_are_left_out() {
    let [from, to] = [path("all.txt"), path("undecided.txt")];
    // In the last one white has two threes, and black has none.
    let balanced = ["h8i9g7", "h8h9j10"];
    let decided = "a1c3a15c5a8c7n15k3o1k5n2k7";
    fs::write(&from, format!("{}\n{decided}\n", balanced.join("\n"))).unwrap();
    let (text, ok) = duel(&format!("--nodes 500 --openings {from} --undecided {to}"));
    let kept = fs::read_to_string(&to).unwrap();
    assert!(ok && text.starts_with(&format!("{} of 3", kept.lines().count())), "{text}");
    assert!(!kept.contains(decided), "{kept}");
    for line in kept.lines() {
        assert_eq!(Board::after(15, Rule::Freestyle, line).stone_count(), 3);
    }
}

#[test]
fn what_cannot_be_used_is_an_error() {
    let [file, passes, list] = ["no-network", "passes.sgf", "one.txt"].map(path);
    fs::write(&file, "no network").unwrap();
    fs::write(&passes, "(;SZ[15];B[hh];W[ii])(;SZ[15];B[hh];W[];B[ii];W[jj])").unwrap();
    fs::write(&list, "h8i9g7\n").unwrap();
    for (options, words) in [
        (format!("--pairs 1 --network {file}"), "no-network"),
        ("--pairs 1 --set no_such=1".to_owned(), "no_such"),
        ("--pairs 1 --set razoring_base".to_owned(), "NAME=VALUE"),
        ("--pairs 1 --openings /no/such/file".to_owned(), "/no/such/file"),
        (format!("--pairs 1 --openings {passes}"), "passes.sgf: opening 2: "),
        // Told before hours of games.
        (format!("--nodes 1000000000 --openings {list} --undecided {list}"), "is there already"),
        (
            format!("--nodes 1000000000 --openings {list} --undecided /no/such/folder/a.txt"),
            "writing /no/such/folder/a.txt",
        ),
    ] {
        let (text, ok) = duel(&options);
        assert!(!ok && text.contains(words), "{options}: {text}");
    }
}
