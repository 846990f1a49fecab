//! `tengen-lab duel`: matches inside the process.

use std::fs;
use std::process::Command;

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
fn what_is_no_network_or_parameter_is_an_error() {
    let [file, passes] = [path("no-network"), path("passes.sgf")];
    fs::write(&file, "no network").unwrap();
    fs::write(&passes, "(;SZ[15];B[hh];W[ii])(;SZ[15];B[hh];W[];B[ii];W[jj])").unwrap();
    for (options, words) in [
        (format!("--pairs 1 --network {file}"), "no-network"),
        ("--pairs 1 --set no_such=1".to_owned(), "no_such"),
        ("--pairs 1 --set razoring_base".to_owned(), "NAME=VALUE"),
        ("--pairs 1 --openings /no/such/file".to_owned(), "/no/such/file"),
        (format!("--pairs 1 --openings {passes}"), "passes.sgf: opening 2: "),
    ] {
        let (text, ok) = duel(&options);
        assert!(!ok && text.contains(words), "{options}: {text}");
    }
}
