//! Faults that are not the manager's: panics, threads that do not start, too little memory, a
//! manager that is gone. The engine still answers with a legal and sane move, or leaves.
//!
//! `TENGEN_FAULT` makes the engine fail on demand; a release does not know it.

use crate::engine_process;
use crate::scratch;
use std::time::{Duration, Instant};

use crate::engine_process::{Engine, LONG, command, ms, program, slack};

/// The rows of a position, its sane moves and the rule. `!` stands before the only move that is not
/// sane.
const POSITIONS: [(&str, &str, u8); 5] = [
    // Our own five.
    ("7,7,1 7,8,1 7,9,1 7,10,1 0,0,2 2,0,2 4,0,2 6,0,2", "7,6 7,11", 0),
    // Our five goes before theirs.
    ("7,7,1 7,8,1 7,9,1 7,10,1 0,0,2 1,0,2 2,0,2 3,0,2", "7,6 7,11", 1),
    // Their four has one end.
    ("0,3,2 1,3,2 2,3,2 3,3,2 9,9,1 10,12,1 5,9,1", "4,3", 0),
    // A four with a gap.
    ("5,5,2 6,5,2 8,5,2 9,5,2 9,9,1 10,12,1 5,9,1", "7,5", 8),
    // Black may not play on the crossing of two threes, under renju.
    ("6,7,1 8,7,1 7,6,1 7,8,1 0,0,2 2,0,2 0,2,2 2,2,2", "!7,7", 4),
];

/// Returns true, and says so, if the program is a release, in which nothing goes wrong on demand.
fn is_release() -> bool {
    let is_release = !cfg!(debug_assertions) || std::env::var_os("TENGEN_ENGINE").is_some();
    if is_release {
        engine_process::skip("the program knows no TENGEN_FAULT");
    }
    is_release
}

/// Asks for a move in every position and returns the time it took at most.
fn play_all(engine: &mut Engine, fault: &str) -> Duration {
    let mut longest = Duration::ZERO;
    for (rows, sane, rule) in POSITIONS {
        engine.send(&format!("INFO rule {rule}\nSTART 15"));
        engine.expect("OK");
        let ((x, y), time) = engine.ask(&format!("BOARD {rows} DONE"));
        let mv = format!("{x},{y}");
        let is_sane = match sane.strip_prefix('!') {
            Some(foul) => mv != foul && x < 15 && y < 15,
            None => sane.split(' ').any(|sane| mv == sane),
        };
        assert!(
            is_sane && !rows.split(' ').any(|row| row.starts_with(&format!("{mv},"))),
            "{fault}, {rows}: {mv}"
        );
        longest = longest.max(time);
    }
    longest
}

/// Returns true if a search told anything since the last time.
fn has_searched(engine: &mut Engine) -> bool {
    let messages = std::mem::take(&mut engine.messages);
    messages.iter().any(|message| message.starts_with("MESSAGE depth "))
}

#[test]
fn whatever_goes_wrong_in_a_search_a_sane_move_comes() {
    if is_release() {
        return;
    }
    for fault in ["SearchStart", "EarlyPanic", "LatePanic", "HelperStart", "Table", "Deaf"] {
        let mut engine = Engine::with_fault(fault);
        let limit = if fault == "Deaf" { ms(100) } else { ms(2_000) };
        for threads in [1, 2] {
            let milliseconds = limit.as_millis();
            engine.send(&format!("INFO thread_num {threads}\nINFO timeout_turn {milliseconds}"));
            let time = play_all(&mut engine, fault);
            assert!(time < limit + slack(), "{fault}: {time:?}");
            let is_lost = matches!(fault, "SearchStart" | "EarlyPanic" | "Deaf");
            assert_ne!(has_searched(&mut engine), is_lost, "{fault}");
        }
        engine.end();
    }
}

// Scenario 145.
#[test]
fn a_panic_is_answered_at_once() {
    if is_release() {
        return;
    }
    for fault in ["EarlyPanic", "LatePanic", "SearchStart"] {
        let mut engine = Engine::with_fault(fault);
        engine.send("START 15\nINFO timeout_turn 20000");
        engine.expect("OK");
        let (_, time) = engine.ask("TURN 7,7");
        assert!(time < ms(2_000) + slack(), "{fault}: {time:?}");
        engine.end();
    }
}

#[test]
fn the_next_search_is_whole_again() {
    if is_release() {
        return;
    }
    for fault in ["SearchStart 1", "EarlyPanic 1", "LatePanic 1", "Table 3", "Deaf 1"] {
        let mut engine = Engine::with_fault(fault);
        engine.send("START 15\nINFO timeout_turn 300");
        engine.expect("OK");
        engine.ask("TURN 7,7");
        // The search ignores its limits for a second. Then it stops, and the next one begins.
        std::thread::sleep(ms(1_200));
        has_searched(&mut engine);
        engine.ask("TURN 0,0");
        assert!(has_searched(&mut engine), "{fault}");
        engine.end();
    }
}

/// Returns the command that runs the program with so much memory to be had, stacks and all.
#[cfg(target_os = "linux")]
fn limited(kilobytes: u64) -> std::process::Command {
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {kilobytes} && exec \"$PROGRAM\"")])
        .env("PROGRAM", program())
        // The C library would reserve memory for each thread that nobody uses.
        .env("MALLOC_ARENA_MAX", "1")
        .env_remove("RUST_LOG");
    command
}

// Real allocations fail: that of the table, of a thread's stack, all of them.
#[test]
#[cfg(target_os = "linux")]
fn where_memory_is_short_the_engine_still_plays() {
    if engine_process::is_skipped("the memory that the runner takes") {
        return;
    }
    // The program with its stacks and the networks of all rules needs some 105 MB of addresses to
    // search.
    for megabytes in (64..=96).step_by(4).chain((128..=448).step_by(64)) {
        let mut engine = Engine::of(limited(megabytes << 10));
        engine.send("INFO timeout_turn 60\nINFO thread_num 1");
        play_all(&mut engine, &format!("{megabytes} MB"));
        engine.send("INFO thread_num 64\nINFO hash_size 2000000");
        play_all(&mut engine, &format!("{megabytes} MB"));
        engine.end();
    }
}

// A manager that is killed takes both ends of the pipes with it.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_manager_takes_the_engine_with_it() {
    use std::fs::File;
    use std::process::{Command, Stdio};

    if engine_process::is_skipped("what becomes of the runner") {
        return;
    }
    for (name, lines, sign) in [
        ("idle", "START 15", "OK"),
        ("thinking", "START 15\nINFO timeout_turn 30000\nTURN 7,7", "MESSAGE depth"),
    ] {
        let folder = scratch::folder(name);
        let [input, output] = ["in", "out"].map(|name| folder.join(name));
        assert!(Command::new("mkfifo").args([&input, &output]).status().unwrap().success());
        // The manager alone holds the other ends, and reads what comes. It shows when the engine
        // has answered or begun to think.
        let script = "exec 3>in 4<out; printf \"$LINES\" >&3
            while read -r line <&4; do case $line in $SIGN*) : >sign ;; esac; done";
        let mut manager = Command::new("sh")
            .args(["-c", script])
            .env("LINES", lines.to_owned() + "\n")
            .env("SIGN", sign)
            .current_dir(&folder)
            .spawn()
            .unwrap();
        let mut engine = command(&program())
            .stdin(File::open(&input).unwrap())
            .stdout(File::create(&output).unwrap())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while !folder.join("sign").exists() {
            assert!(started.elapsed() < LONG, "no {sign}");
            std::thread::sleep(ms(1));
        }
        // What comes later than this is no part of the script.
        std::thread::sleep(ms(250));
        assert!(engine.try_wait().unwrap().is_none() && manager.try_wait().unwrap().is_none());
        manager.kill().unwrap();
        let killed = Instant::now();
        manager.wait().unwrap();
        while engine.try_wait().unwrap().is_none() {
            assert!(killed.elapsed() < LONG, "still running");
            std::thread::sleep(ms(1));
        }
        let time = killed.elapsed();
        assert!(time < ms(200) + slack(), "{name}: {time:?}");
    }
}
