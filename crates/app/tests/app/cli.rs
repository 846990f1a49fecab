//! The command line: help, version, and arguments that are wrong.

use crate::shell;
use std::fs;
use std::process::{Output, Stdio};

use crate::scratch::folder;
use crate::shell::command;

fn run(arguments: &[&str]) -> Output {
    shell::run(command(arguments), "")
}

fn printed(arguments: &[&str]) -> String {
    shell::printed(run(arguments))
}

#[test]
fn help_and_version_are_printed() {
    assert_eq!(printed(&["--version"]), format!("Tengen {}\n", env!("CARGO_PKG_VERSION")));
    let help = printed(&["--help"]);
    for command in ["play", "analyze", "board", "openings", "database", "engine"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
        let help = printed(&[command, "--help"]);
        assert!(help.contains(&format!("Usage: tengen {command}")), "{help}");
    }
}

#[test]
fn wrong_arguments_are_told() {
    for arguments in [
        &["--nonsense"][..],
        &["chess"],
        &["bench"],
        &["engine", "more"],
        &["engine", "--param", "killers=3"],
        &["board", "--port", "65536"],
        &["board", "--engine", "/no/such/engine"],
        &["database"],
        &["play", "--level", "101"],
        &["play", "--rule", "go"],
        &["play", "--time", "-1"],
        &["analyze", "--size", "23"],
        &["analyze", "--depth", "0"],
        &["analyze", "--every", "--after", "3"],
        &["analyze", "--html", "x.html", "--style", "60"],
        &["openings", "--stones", "21"],
        &["openings", "--count", "0"],
        &["openings", "--notation", "sgf"],
    ] {
        let output = run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(stderr.starts_with("error: ") && stderr.contains("--help"), "{stderr}");
    }
}

#[test]
fn mistakes_are_called_what_they_are() {
    for (arguments, words) in [
        (&["analyze", "--time", "-1"][..], "a time of up to 86400 seconds, such as 2.5, expected"),
        (&["play", "--level", "-1"], "a level from 0 to 100 expected"),
        (&["analyze", "--style", "-1"], "a style from 0 to 100 expected"),
        (&["analise"], "'analyze'"),
        (&["analyze", "--detph", "3"], "'--depth'"),
    ] {
        let stderr = String::from_utf8(run(arguments).stderr).unwrap();
        assert!(stderr.starts_with("error: ") && stderr.contains(words), "{stderr}");
    }
}

#[test]
fn the_engine_speaks_the_protocol() {
    let play = |arguments: &[&str]| {
        let input = "START 15\nINFO max_depth 3\nBEGIN\nEND\n";
        shell::printed(shell::run(command(arguments), input))
    };
    assert!(play(&["engine"]).starts_with("OK\n"), "{}", play(&["engine"]));
    let answers = play(&["engine", "--param", "killer_score=0", "--param=policy_moves=8"]);
    assert!(answers.starts_with("OK\n"), "{answers}");
}

#[test]
fn help_is_a_word_too() {
    assert_eq!(printed(&["help"]), printed(&["--help"]));
    assert_eq!(printed(&["help", "analyze"]), printed(&["analyze", "--help"]));
}

#[test]
fn openings_are_printed_one_a_line() {
    let plan = ["openings", "--count", "3", "--nodes", "1000", "--window", "100", "--stones", "4"];
    let list = printed(&plan);
    let points = |line: &str| line.matches(|c: char| c.is_ascii_lowercase()).count();
    assert_eq!(list.lines().map(points).collect::<Vec<_>>(), [4, 4, 4]);
    assert_eq!(printed(&[&plan[..], &["--threads", "1"]].concat()), list);
    let offsets = printed(&[&plan[..], &["--notation", "offset"]].concat());
    assert_eq!(offsets.lines().map(|line| line.split(", ").count()).collect::<Vec<_>>(), [4, 4, 4]);
}

/// Returns an output that nobody reads any more.
fn closed() -> Stdio {
    let mut command = command(&["--version"]);
    let mut reader = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let output = reader.stdin.take().unwrap();
    assert!(reader.wait().unwrap().success());
    output.into()
}

#[test]
fn a_closed_output_hides_neither_the_work_nor_its_faults() {
    let folder = folder("closed-output");
    let code = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.current_dir(&folder);
        command.stdin(Stdio::null()).stdout(closed()).stderr(Stdio::null());
        command.status().unwrap().code()
    };
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    let import = ["database", "a.db", "--import", "empty.jsonl"];
    assert_eq!(code(&[&import[..], &["--export", "a.jsonl"]].concat()), Some(0));
    assert!(folder.join("a.jsonl").is_file());
    fs::write(folder.join("bad.jsonl"), "{}\n").unwrap();
    assert_eq!(code(&["database", "a.db", "--import", "bad.jsonl"]), Some(1));
    let analyze = ["analyze", "--nodes", "100"];
    let files = ["--sgf", "a.sgf", "--html", "a.html", "--lib", "a.lib"];
    assert_eq!(code(&[&analyze[..], &files, &["h8i9h10"]].concat()), Some(0));
    for name in ["a.sgf", "a.html", "a.lib"] {
        assert!(folder.join(name).is_file(), "{name}");
    }
    assert_eq!(code(&[&analyze[..], &["h8i9", "h8h8"]].concat()), Some(1));
    assert_eq!(code(&[&analyze[..], &["--sgf", "b.sgf", "h8i9", "h8h8"]].concat()), Some(1));
    assert!(folder.join("b.sgf").is_file());
    assert_eq!(code(&[&analyze[..], &["h8i9"]].concat()), Some(0));
}
