//! Input of any form and length: many games, large blocks, single bytes, foreign bytes, odd line
//! ends, endless lines; and the form of the messages that come back.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, sleep};

use crate::engine_process::{Engine, LONG, command, ms, parse_point, program};

// Scenarios 16, 17: many games fit one process.
#[test]
fn a_thousand_games_fit_one_process() {
    let mut engine = Engine::new();
    for i in 0..1_000 {
        let side = 15 + 5 * (i % 2);
        engine.write(format!("START {side}\nBOARD\nDONE\n").as_bytes());
        engine.expect("OK");
        engine.expect_move();
    }
    engine.end();
}

// Scenarios 23, 136: a game goes to the last cell under every rule, though it be forbidden.
#[test]
fn games_go_on_until_the_board_is_full() {
    let mut rng = fastrand::Rng::with_seed(7);
    for rule in [0, 1, 4, 8, 9] {
        for begins in [true, false] {
            let mut engine = Engine::with_board(5);
            engine.send(&format!("INFO rule {rule}\nINFO timeout_turn 5"));
            let mut free: Vec<(u8, u8)> = (0..25).map(|i| (i % 5, i / 5)).collect();
            let take = |free: &mut Vec<(u8, u8)>, mv| {
                let before = free.len();
                free.retain(|&c| c != mv);
                assert_eq!(free.len() + 1, before, "{mv:?}");
            };
            if begins {
                let (mv, _) = engine.ask("BEGIN");
                take(&mut free, mv);
            }
            while free.len() > 1 {
                let (x, y) = free.remove(rng.usize(..free.len()));
                let (mv, _) = engine.ask(&format!("TURN {x},{y}"));
                take(&mut free, mv);
            }
            if let Some((x, y)) = free.pop() {
                engine.send(&format!("TURN {x},{y}"));
                engine.expect_error();
            }
            engine.end();
        }
    }
}

// Scenarios 54, 107: a long block comes in one write, then byte by byte.
#[test]
fn a_block_of_all_but_one_cell_is_read() {
    for side in [15u8, 20] {
        let mut block = String::from("BOARD\r\n");
        for i in 1..u32::from(side).pow(2) {
            let (x, y) = (i % u32::from(side), i / u32::from(side));
            block += &format!("{x},{y},{}\r\n", 1 + i % 2);
        }
        block += "DONE\r\n";
        let mut engine = Engine::with_board(side);
        engine.send("INFO timeout_turn 100");
        engine.write(block.as_bytes());
        engine.expect("0,0");
        for byte in block.as_bytes() {
            engine.write(&[*byte]);
        }
        engine.expect("0,0");
        engine.end();
    }
}

#[test]
fn commands_may_come_byte_by_byte() {
    let mut engine = Engine::new();
    for byte in b"START 15\r\nABOUT\nBEGIN\r" {
        engine.write(&[*byte]);
        sleep(ms(10));
    }
    engine.expect("OK");
    assert!(engine.line(LONG).unwrap().starts_with("name="));
    engine.expect("7,7");
    engine.end();
}

// Scenarios 49, 101, 103, 106.
#[test]
fn foreign_bytes_and_all_line_ends_are_read() {
    let mut engine = Engine::new();
    engine.write(b"\xEF\xBB\xBFSTART 15\rABOUT\r\n\r\n\r\n\n");
    engine.expect("OK");
    assert!(engine.line(LONG).unwrap().starts_with("name="));
    engine.write(b"\xFF\xFE\0\x80\n\0\n");
    engine.expect("UNKNOWN command");
    engine.expect("UNKNOWN command");
    engine.write(b"board\r\n7,7,1\n8,8,2\nINFO timeout_turn 10\ndone\r\n");
    engine.expect_move();
    // The last line has no end.
    engine.write(b"ABOUT");
    engine.close();
    assert!(engine.line(LONG).unwrap().starts_with("name="));
    engine.expect_exit(ms(300));
}

// Scenario 105.
#[test]
fn an_over_long_line_is_judged_by_its_first_word() {
    let long = "x".repeat(1 << 20);
    let mut engine = Engine::new();
    engine.send(&long);
    engine.expect("UNKNOWN command");
    engine.send(&format!("INFO folder {long}"));
    engine.send(&format!("START 15 {long}"));
    engine.expect_error();
    engine.send("START 15");
    engine.expect("OK");
    engine.send(&format!("TURN 7,7 {long}"));
    engine.expect_error();
    engine.send(&format!("BOARD {long}\nDONE"));
    engine.expect_error();
    engine.send(&format!("BOARD {long} DONE"));
    engine.expect_error();
    engine.send(&format!("ABOUT {long}"));
    assert!(engine.line(LONG).unwrap().starts_with("name="));
    engine.send(&format!("END {long}"));
    engine.expect_exit(ms(300));
}

// Scenarios 32, 122: the judge sends all its first lines in one write.
#[test]
fn the_judges_prologue_is_answered() {
    let mut engine = Engine::new();
    engine.write(
        b"START 15\r\nINFO timeout_turn 30000\r\nINFO timeout_match 180000\r\n\
          INFO max_memory 367001600\r\nINFO game_type 3\r\nINFO rule 0\r\n\
          INFO folder C:\\gomocup folder\\x\r\nINFO time_left 180000\r\nBOARD\r\nDONE\r\n",
    );
    engine.expect("OK");
    engine.expect("7,7");
    engine.end();
}

// Messages tell what managers look for, and the last one comes with the move.
#[test]
fn messages_have_the_form_that_managers_parse() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO max_node 100000\nTURN 7,7");
    engine.expect_move();
    assert!(engine.messages.len() >= 2, "{:?}", engine.messages);
    for message in &engine.messages {
        let words: Vec<&str> = message.split(' ').collect();
        let keys = [words[1], words[3], words[5], words[7], words[9], words[11]];
        assert_eq!(keys, ["depth", "ev", "n", "n/ms", "tm", "pv"], "{message}");
        assert!(words[2].split('-').all(|depth| depth.parse::<u32>().is_ok()), "{message}");
        assert!(words.len() > 12, "{message}");
    }
    engine.end();
}

#[test]
fn harness_reads_points() {
    assert!(parse_point("7,07").is_some() && parse_point("7,7 ").is_none());
    assert!(parse_point("7, 7").is_none() && parse_point("+7,7").is_none());
}

// Scenario 105: lines without end wait in the pipe and not in memory, and none is lost.
#[test]
fn a_flood_of_lines_waits_in_the_pipe() {
    const LINES: usize = 150_000;
    const AT_ONCE: usize = 1_000;
    let mut command = command(&program());
    let mut engine = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = engine.stdin.take().unwrap();
    input.write_all(b"START 15\nINFO timeout_turn 2000\nTURN 7,7\n").unwrap();
    let written = Arc::new(AtomicUsize::new(0));
    let writer = {
        let written = Arc::clone(&written);
        thread::spawn(move || {
            for _ in 0..LINES / AT_ONCE {
                input.write_all("ABOUT\n".repeat(AT_ONCE).as_bytes()).unwrap();
                written.fetch_add(AT_ONCE, Ordering::Relaxed);
            }
        })
    };
    sleep(ms(1_500));
    assert!(written.load(Ordering::Relaxed) < LINES, "all lines are read while it thinks");
    let output = BufReader::new(engine.stdout.take().unwrap());
    let lines = output.lines().map_while(Result::ok).filter(|line| !line.starts_with("MESSAGE"));
    let (answers, others): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with("name="));
    writer.join().unwrap();
    assert_eq!((answers.len(), others.len()), (LINES, 2), "{others:?}");
    assert!(engine.wait().unwrap().success());
}
