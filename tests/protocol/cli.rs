//! The few words of the engine's own command line.

use crate::shell::{command, printed, run};

/// Returns the exit code and the error, where nothing is printed.
fn refusal(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(command(arguments), "");
    assert_eq!(output.stdout, b"", "{arguments:?}");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn help_and_version_are_printed() {
    let version = format!("Tengen {}\n", env!("CARGO_PKG_VERSION"));
    for word in ["--version", "-V"] {
        assert_eq!(printed(run(command(&[word]), "")), version);
    }
    for arguments in [&["--help"][..], &["-h"], &["help"], &["bench", "--help"], &["params", "-h"]]
    {
        let help = printed(run(command(arguments), ""));
        assert!(["bench", "params", "--param NAME=VALUE"].iter().all(|word| help.contains(word)));
    }
}

#[test]
fn a_word_that_moved_names_the_new_command() {
    for word in ["play", "analyze", "board", "openings", "database"] {
        for arguments in [&[word][..], &[word, "--help"], &[word, "--time", "5", "game.sgf"]] {
            let (code, error) = refusal(arguments);
            assert_eq!((code, error.lines().count()), (Some(2), 1), "{error}");
            assert!(error.contains(&format!("tengen {word}")), "{error}");
        }
    }
}

#[test]
fn wrong_arguments_are_one_error() {
    for arguments in [
        &["chess"][..],
        &[""],
        &["--"],
        &["-"],
        &["--nonsense"],
        &["--version=1"],
        &["--moves"],
        &["--param"],
        &["bench", "more"],
        &["bench", "--param"],
        &["bench", "--moves=1"],
        &["bench", "bench"],
        &["params", "--param", "killer_score=1"],
        &["--param", "killer_score=1", "bench"],
        &["--param=killer_score=1", "play"],
    ] {
        let (code, error) = refusal(arguments);
        assert_eq!((code, error.lines().count()), (Some(2), 1), "{arguments:?} {error}");
        assert!(error.starts_with("pbrain-tengen: ") && error.contains("--help"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_an_error() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let mut command = command(&[]);
    command.arg(OsStr::from_bytes(b"\xff"));
    let output = run(command, "");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

/// `check.sh` builds it so.
#[cfg(not(feature = "database"))]
#[test]
fn without_the_database_its_words_are_errors() {
    let words = "START 15\nINFO database x.db\nYXDBTOTXT x.txt\nYXQUERYDATABASEALL\nDONE\n";
    let answers = printed(run(command(&[]), &format!("{words}INFO max_depth 2\nTURN 7,7\nEND\n")));
    let lines: Vec<&str> = answers.lines().filter(|line| !line.starts_with("MESSAGE d")).collect();
    let built = "this program is built without the database";
    let expected = [
        "OK",
        &format!("ERROR database x.db: {built}"),
        "ERROR no database is open, INFO database FILE opens one",
        "MESSAGE DATABASE REFRESH",
        "MESSAGE DATABASE DONE",
    ];
    assert_eq!(lines[..5], expected, "{answers}");
    assert!(lines[5].contains(','), "{answers}");
}
