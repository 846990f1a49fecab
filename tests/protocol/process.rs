//! The process: its start, its end, its pipes, its files and memory, and what a manager does to it
//! from outside.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Instant;

use crate::engine_process::{
    Engine, LONG, command, is_skipped, ms, parse_point, program, program_in, skip, slack,
};
use crate::shell;

// Scenarios 51, 52, 111, 113: leaving while idle.
#[test]
fn end_and_end_of_input_leave_at_once() {
    for script in ["", "START 15\n", "START 15\nBOARD\n7,7,1\n"] {
        for ends in [true, false] {
            let mut engine = Engine::new();
            engine.write(script.as_bytes());
            if !script.is_empty() {
                engine.expect("OK");
            }
            sleep(ms(50));
            if ends {
                engine.send("END");
            } else {
                engine.close();
            }
            engine.expect_exit(ms(100));
        }
    }
}

// Scenarios 112, 114: leaving while thinking, later than the batch.
#[test]
fn a_late_end_leaves_without_a_move() {
    for ends in [true, false] {
        for info in ["INFO timeout_turn 30000", "INFO timeout_turn 2147483647"] {
            let mut engine = Engine::with_board(15);
            engine.write(format!("{info}\nTURN 7,7\n").as_bytes());
            // The search runs, so that the request was read; what follows comes later than its batch.
            engine.next_message();
            engine.expect_silence(ms(250));
            if ends {
                engine.send("END");
            } else {
                engine.close();
            }
            engine.expect_exit(ms(100));
        }
    }
}

// Scenario 108: END is honoured though nobody reads.
#[test]
fn a_full_pipe_does_not_hold_the_program() {
    for ends in [true, false] {
        let (mut engine, mut stdout) = Engine::unread();
        // A program that is still starting would take the end for a part of the script.
        engine.write(b"START 15\n");
        let mut first = [0; 3];
        stdout.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"OK\n");
        for _ in 0..40 {
            engine.write("ABOUT\n".repeat(100).as_bytes());
        }
        sleep(ms(300));
        if ends {
            engine.send("END");
        } else {
            engine.close();
        }
        engine.expect_exit(ms(100));
        // What was written before is whole.
        let mut text = String::new();
        stdout.read_to_string(&mut text).unwrap();
        assert!(text.ends_with('\n') && text.lines().all(|line| line.starts_with("name=")));
    }
}

// Scenario 108: whoever reads late gets everything.
#[test]
fn a_slow_reader_gets_every_answer() {
    let (mut engine, stdout) = Engine::unread();
    engine.write("ABOUT\n".repeat(3_000).as_bytes());
    sleep(ms(300));
    engine.read(stdout);
    for _ in 0..3_000 {
        assert!(engine.line(LONG).unwrap().starts_with("name="));
    }
    engine.end();
}

// Scenario 114a: the answers of a script wait for a late reader, and END waits a little.
#[test]
fn a_late_reader_gets_every_answer_of_a_script() {
    for (end, delay) in [("", ms(1_000)), ("END\n", ms(0))] {
        let (mut engine, stdout) = Engine::unread();
        engine.write(("ABOUT\n".repeat(3_000) + end).as_bytes());
        engine.close();
        sleep(delay);
        engine.read(stdout);
        for i in 0..3_000 {
            let line = engine.line(LONG).unwrap_or_else(|| panic!("{i} answers before {end:?}"));
            assert!(line.starts_with("name="), "{line}");
        }
        engine.expect_exit(ms(300));
    }
}

// Scenario 108: a script whose answers nobody reads does not hold the program for ever.
#[test]
fn answers_that_nobody_reads_are_given_up() {
    for (end, least, limit) in [("", ms(9_000), ms(10_300)), ("END\n", ms(350), ms(500))] {
        let start = Instant::now();
        let (mut engine, _stdout) = Engine::unread();
        engine.write(("ABOUT\n".repeat(3_000) + end).as_bytes());
        engine.close();
        engine.expect_exit(limit);
        assert!(start.elapsed() > least, "{end:?}: {:?}", start.elapsed());
    }
}

// Scenario 109: nobody listens any more.
#[test]
fn a_closed_output_ends_the_program_quietly() {
    for lines in ["ABOUT\n", "START 15\nINFO timeout_turn 200\nTURN 7,7\n"] {
        let (mut engine, stdout) = Engine::unread();
        drop(stdout);
        engine.write(lines.as_bytes());
        engine.expect_exit(ms(200));
    }
}

/// Returns the paths of all that lies in a folder.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_in(&path));
        }
        files.push(path);
    }
    files.sort();
    files
}

/// Lets or forbids writing into a folder, where that can be told apart.
fn set_writable(folder: &Path, writable: bool) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = if writable { 0o755 } else { 0o555 };
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = (folder, writable);
}

// Scenarios 94, 126, 140, 146-148: the program may lie anywhere and works in any folder, also in
// one that it cannot write to. It shares the folder with another instance and leaves no file in it.
#[test]
fn no_file_is_needed_or_left() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("any folder");
    let [programs, work, data] = ["Gömoku engines", "work", "data"].map(|name| root.join(name));
    if work.exists() {
        set_writable(&work, true);
        set_writable(&data, true);
        fs::remove_dir_all(&root).unwrap();
    }
    for folder in [&programs, &work, &data] {
        fs::create_dir_all(folder).unwrap();
    }
    let program = program_in(&programs, "pbrain-tengen ž64");
    let before = files_in(&root);
    for writable in [true, false] {
        set_writable(&work, writable);
        set_writable(&data, writable);
        let folder = data.to_str().unwrap();
        for info in ["INFO game_type 1", &format!("INFO folder {folder}"), "INFO folder /dev/full"]
        {
            let mut engines = [(); 2].map(|()| Engine::in_folder(&program, &work));
            for line in ["BOARD 7,7,2 DONE", "TURN 0,0", "SWAP2BOARD 7,7 8,8 9,9 DONE"] {
                for engine in &mut engines {
                    engine.send(&format!("{info}\nSTART 15\nINFO timeout_turn 50\n{line}"));
                }
                for engine in &mut engines {
                    engine.expect("OK");
                    let answer = engine.line(LONG).unwrap();
                    let are_points = || answer.split(' ').all(|p| parse_point(p).is_some());
                    assert!(answer == "SWAP" || are_points(), "{answer}");
                }
            }
            engines.into_iter().for_each(Engine::end);
            assert_eq!(files_in(&root), before);
        }
    }
    set_writable(&work, true);
    set_writable(&data, true);
}

// Scenario 110: a pipe is greeted by nothing.
#[test]
fn a_pipe_is_not_greeted() {
    let mut engine = Engine::new();
    engine.expect_silence(ms(200));
    engine.close();
    engine.expect_exit(ms(100));
    assert!(engine.messages.is_empty(), "{:?}", engine.messages);
}

// Scenario 110: a terminal is greeted by one message. `script` lends one where it is installed.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_is_greeted_by_one_message() {
    if is_skipped("what stands between it and the terminal") {
        return;
    }
    let child = std::process::Command::new("script")
        .args(["-q", "-e", "-c", "exec \"$PROGRAM\"", "/dev/null"])
        .env("PROGRAM", program())
        .env("SHELL", "/bin/sh")
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skip("there is no program `script`");
        return;
    };
    child.stdin.take().unwrap().write_all(b"END\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // The terminal repeats what is typed.
    let lines = text.lines().map(str::trim_end).filter(|line| !line.ends_with("END"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    assert!(output.status.success() && lines.len() == 1, "{text:?}");
    assert!(lines[0].starts_with("MESSAGE "), "{text:?}");
}

// Scenario 149: OK comes soon, with room for a busy machine.
#[test]
fn the_first_ok_comes_soon() {
    if is_skipped("the start of the process") {
        return;
    }
    let start = Instant::now();
    let engine = Engine::with_board(15);
    assert!(start.elapsed() < ms(50) + slack());
    engine.end();
}

/// Suspends the engine and waits until every thread of it stands still.
#[cfg(target_os = "linux")]
fn suspend(engine: &Engine) {
    signal(engine, "STOP");
    let tasks = format!("/proc/{}/task", engine.id());
    let is_still = |task: std::io::Result<std::fs::DirEntry>| {
        let stat = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|fields| fields.starts_with('T'))
    };
    let end = Instant::now() + LONG;
    while !std::fs::read_dir(&tasks).unwrap().all(is_still) {
        assert!(Instant::now() < end, "still running");
        sleep(ms(1));
    }
}

/// Sends a signal by its name.
#[cfg(target_os = "linux")]
fn signal(engine: &Engine, name: &str) {
    let status = std::process::Command::new("kill")
        .args([format!("-{name}"), engine.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

// Scenario 123: the judge suspends the process before it has read anything.
#[test]
#[cfg(target_os = "linux")]
fn a_suspended_process_has_its_full_time() {
    let mut engine = Engine::new();
    suspend(&engine);
    engine.write(b"START 15\nINFO timeout_turn 400\nTURN 7,7\n");
    sleep(ms(700));
    let start = Instant::now();
    signal(&engine, "CONT");
    engine.expect("OK");
    let (at, _) = engine.timed_line(LONG).unwrap();
    let time = at - start;
    assert!(time > ms(300) && time < ms(400) + slack(), "{time:?} {:?}", engine.messages);
    // Scenario 124: between moves nothing happens.
    suspend(&engine);
    sleep(ms(700));
    signal(&engine, "CONT");
    engine.expect_silence(ms(100));
    let (_, time) = engine.ask("TURN 0,0");
    assert!(time < ms(400) + slack(), "{time:?}");
    engine.end();
}

// Scenario 125: suspended anywhere, holding whatever lock, it goes on.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_is_suspended_again_and_again_goes_on() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO timeout_turn 300");
    for turn in ["TURN 0,0", "TURN 14,14", "TURN 0,14"] {
        engine.send(&format!("{turn}\n{}", "ABOUT\n".repeat(100)));
        for _ in 0..10 {
            suspend(&engine);
            sleep(ms(10));
            signal(&engine, "CONT");
            sleep(ms(10));
        }
        engine.expect_move();
        for _ in 0..100 {
            assert!(engine.line(LONG).unwrap().starts_with("name="));
        }
    }
    engine.end();
}

// Scenarios 87, 89, 144: the peak of resident memory stays below the limit.
#[test]
#[cfg(target_os = "linux")]
fn memory_stays_below_the_limit() {
    let limits = [32u64, 64, 128, 350];
    for (megabytes, threads) in limits.into_iter().flat_map(|limit| [(limit, 1), (limit, 64)]) {
        let mut engine = Engine::with_board(15);
        engine.send(&format!("INFO thread_num {threads}"));
        engine.send(&format!("INFO max_memory {}\nINFO timeout_turn 100", megabytes << 20));
        for rule in [0, 1, 4, 8, 9, 0] {
            engine.send(&format!("INFO rule {rule}"));
            engine.send("RESTART");
            engine.expect("OK");
            engine.ask("TURN 14,14");
        }
        let peak = engine.peak_memory();
        let most = if megabytes < 128 { megabytes } else { megabytes / 4 * 3 };
        assert!(peak < most << 10, "{megabytes} MB, {threads} threads: {peak} kB");
        engine.end();
    }
}

// In Piskvork stderr is stdout: a malformed RUST_LOG must not speak there.
#[test]
fn only_a_valid_filter_opens_the_log() {
    let log = |filter: &str| {
        let mut command = command(&program());
        command.env("RUST_LOG", filter);
        let script = "START 15\nINFO max_node 5000\nBOARD\n7,7,2\n8,8,1\n7,8,2\nDONE\n";
        let output = shell::run(command, script);
        assert!(output.status.success() && output.stdout.starts_with(b"OK\n"));
        String::from_utf8(output.stderr).unwrap()
    };
    for filter in ["", " ", "off", "nonsense", "tengen=loud", "a=b=c", "debug/a/b", "///"] {
        assert_eq!(log(filter), "", "{filter:?}");
    }
    for filter in ["debug", "tengen=trace"] {
        let log = log(filter);
        assert!(log.contains("< START 15"), "{filter:?}");
        // Each search once: where its nodes and its time went.
        assert_eq!(log.matches("search depth ").count(), 1, "{filter:?}");
        let line = log.lines().find(|line| line.contains("search depth ")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: &str| -> u64 {
            let place = words.iter().position(|other| *other == word).unwrap();
            words[place + 1].parse().unwrap()
        };
        let nodes = ["tree", "threats", "tests"].map(number);
        assert!(nodes[0] > 2_000 && nodes.iter().sum::<u64>() <= 6_000, "{line}");
        assert!(["ms", "soft", "hard"].iter().all(|word| words.contains(word)), "{line}");
    }
}
