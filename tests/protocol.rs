//! The protocol as managers speak it: scripts for what is said, and tests for when.
//!
//! A script in `tests/protocol` has one directive a line: `>` sends the rest, `|` does so in one
//! write with the `|` lines next to it, `<` expects an answer, `=` expects silence for so many
//! milliseconds, `!` pauses, `~` sets how long an answer may take on a quiet machine, `x` expects
//! the exit, `#` is a comment. `@free` in a sent line stands for a free cell. An expected answer
//! stands there literally or as `@move` (on a free cell), `@center` (a move within two cells of
//! the middle), `@one` and `@not` (a move that is one of these or none), `@points n`, `@swap2 n`
//! (`SWAP`, a point, or after three stones two), `@error` or `@about`. Rows are those of the
//! protocol page's checklist.

mod engine_process;

use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Instant;

use engine_process::{
    Engine, LONG, Referee, command, is_skipped, ms, parse_point, program, program_in, run_script,
    slack,
};

/// Runs one script.
fn play_script(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protocol").join(name);
    let script = fs::read_to_string(&path).unwrap();
    let mut engine = Engine::new();
    let mut referee = Referee::default();
    let mut sent = Referee::default();
    let mut deadline = LONG;
    let mut burst = String::new();
    for (number, line) in script.lines().enumerate() {
        let (kind, rest) = line.split_at(line.len().min(1));
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let place = format!("{name}:{}: {line}", number + 1);
        let milliseconds = || ms(rest.trim().parse().expect(&place));
        if kind != "|" && !burst.is_empty() {
            engine.write(std::mem::take(&mut burst).as_bytes());
        }
        match kind {
            "" | "#" => {}
            ">" => {
                let line = rest.replace("@free", &referee.last_free());
                engine.send(&line);
                // An error takes the line back.
                sent = referee.clone();
                referee.sent(&line);
            }
            "|" => {
                burst += &format!("{rest}\n");
                referee.sent(rest);
            }
            "<" => {
                let answer = engine.line(deadline).unwrap_or_else(|| panic!("{place}: nothing"));
                let place = format!("{place}: {answer}");
                if rest == "@error" || rest.starts_with("ERROR") {
                    referee.refused(&sent);
                }
                check_answer(&answer, rest, &mut referee, &place);
            }
            "=" => engine.expect_silence(milliseconds()),
            "!" => sleep(milliseconds()),
            "~" => deadline = milliseconds() + slack(),
            "x" => {
                engine.expect_exit(milliseconds());
                return;
            }
            _ => panic!("{place}: no such directive"),
        }
    }
    engine.end();
}

fn check_answer(answer: &str, expected: &str, referee: &mut Referee, place: &str) {
    let (word, rest) = expected.split_once(' ').unwrap_or((expected, ""));
    let listed = || rest.split(' ').map(|p| parse_point(p).expect(place)).collect::<HashSet<_>>();
    let points = || answer.split(' ').map(|p| parse_point(p).expect(place)).collect::<Vec<_>>();
    match word {
        "@error" => assert!(answer.starts_with("ERROR "), "{place}"),
        "@about" => assert!(answer.starts_with("name="), "{place}"),
        "@swap2" if answer == "SWAP" => {}
        "@swap2" => {
            let points = points();
            assert!(points.len() == 1 || points.len() == 2 && rest == "3", "{place}");
            points.into_iter().for_each(|point| referee.moved(point));
        }
        "@move" | "@center" | "@one" | "@not" => {
            let mv = parse_point(answer).expect(place);
            match word {
                "@center" => assert!(referee.is_central(mv), "{place}"),
                "@one" => assert!(listed().contains(&mv), "{place}"),
                "@not" => assert!(!listed().contains(&mv), "{place}"),
                _ => {}
            }
            referee.moved(mv);
        }
        "@points" => {
            let points = points();
            assert_eq!(points.len().to_string(), rest, "{place}");
            points.into_iter().for_each(|point| referee.moved(point));
        }
        _ => {
            assert_eq!(answer, expected, "{place}");
            if let Some(mv) = parse_point(answer) {
                referee.played(mv);
            }
        }
    }
}

macro_rules! scripts {
    ($($name:ident)*) => {
        $(#[test] fn $name() { play_script(concat!(stringify!($name), ".txt")); })*

        #[test]
        fn every_script_is_run() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protocol");
            let found = fs::read_dir(folder).unwrap().count();
            assert_eq!(found, [$(stringify!($name)),*].len());
        }
    };
}

scripts! { board five full info judge start swap2 takeback threads threats turn words yixin }

// Rows 16, 17: many games in one process.
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

// Row 23: a game to the last cell, under every rule. Row 136 comes with it.
#[test]
fn games_go_on_until_the_board_is_full() {
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
                let (x, y) = free.remove(fastrand::Rng::with_seed(7).usize(..free.len()));
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

// Row 54: a long block in one write and byte by byte; row 107.
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

// Rows 103, 106.
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

// Row 105.
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

// Rows 51, 52, 111, 113: leaving while idle.
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

// Rows 112, 114: leaving while thinking, later than the burst.
#[test]
fn a_late_end_leaves_without_a_move() {
    for ends in [true, false] {
        for info in ["INFO timeout_turn 30000", "INFO timeout_turn 2147483647"] {
            let mut engine = Engine::with_board(15);
            engine.write(format!("{info}\nTURN 7,7\n").as_bytes());
            sleep(ms(300));
            if ends {
                engine.send("END");
            } else {
                engine.close();
            }
            engine.expect_exit(ms(100));
        }
    }
}

// Row 114a: a script gives all its answers, the same ones as a dialogue.
#[test]
fn a_script_is_carried_out_in_order() {
    let lines = ["START 15", "INFO max_node 3000", "BEGIN", "TURN 0,0", "ABOUT", "TURN 14,14"];
    let script = lines.join("\n");
    let answers = run_script(&format!("{script}\nEND\n"));
    assert_eq!(answers.len(), 5, "{answers:?}");
    assert!(answers[0] == "OK" && answers[3].starts_with("name="), "{answers:?}");
    assert_eq!(run_script(&script), answers);
    assert_eq!(run_script(&script.replace('\n', "\r\n")), answers);
    let mut engine = Engine::new();
    for (line, answer) in lines.iter().filter(|line| !line.starts_with("INFO")).zip(&answers) {
        engine.send(line);
        if *line == "START 15" {
            engine.send("INFO max_node 3000");
        }
        engine.expect(answer);
        sleep(ms(120));
    }
    engine.end();
}

// Rows 17, 114a: a script of many lines that cost little is answered to its end.
#[test]
fn a_long_script_is_answered_to_the_end() {
    let answers = run_script(&("START 15\nBOARD\nDONE\n".repeat(5_000) + "END\n"));
    assert_eq!(answers.len(), 10_000);
    assert!(answers.chunks(2).all(|pair| pair == ["OK", "7,7"]));
}

// Section 2.H: each request of a script has its full time, and its lines have no effect before
// their turn.
#[test]
fn requests_of_a_script_have_their_full_time() {
    let mut engine = Engine::new();
    let start = Instant::now();
    engine.write(
        b"START 15\nINFO timeout_turn 300\nTURN 7,7\nYXSTOP\nINFO timeout_turn 200\n\
          RESTART\nTURN 7,7\nEND\n",
    );
    engine.expect("OK");
    let (first, _) = engine.timed_line(LONG).unwrap();
    engine.expect("OK");
    let (second, _) = engine.timed_line(LONG).unwrap();
    let (first, second) = (first - start, second - start);
    assert!(first > ms(95) && first < ms(300) + slack(), "{first:?}");
    assert!(second > first + ms(60) && second < first + ms(200) + slack(), "{second:?}");
    engine.expect_exit(ms(300));
}

// A script is left when it ends, also if it lifts every limit; so does a node limit beyond reach.
#[test]
fn a_script_without_any_limit_comes_to_its_end() {
    let unlimited = "INFO timeout_turn 2000000\nINFO timeout_match 100000000\nTURN 7,7";
    let nodes = "INFO max_node 99999999999999999999\nTURN 7,7";
    let scripts = [(unlimited, true), (unlimited, false), (nodes, true), (nodes, false)];
    let mut engines = scripts.map(|(lines, ends)| {
        let mut engine = Engine::new();
        engine.write(format!("START 15\n{lines}\n{}", if ends { "END\n" } else { "" }).as_bytes());
        engine.close();
        engine
    });
    for engine in &mut engines {
        engine.expect("OK");
        engine.expect_move();
        engine.expect_exit(ms(300));
    }
}

/// Starts an engine that thinks for a long time.
fn thinking_engine() -> Engine {
    let mut engine = Engine::with_board(15);
    engine.send("INFO timeout_turn 30000\nTURN 7,7");
    sleep(ms(300));
    engine
}

// Rows 115, 118: a stop and a shorter limit bring the move.
#[test]
fn a_late_stop_brings_the_move() {
    for stop in
        ["YXSTOP", "STOP", "INFO timeout_turn 0", "INFO timeout_turn 100", "INFO time_left 0"]
    {
        let mut engine = thinking_engine();
        let (_, time) = engine.ask(stop);
        assert!(time < ms(50) + slack(), "{stop}: {time:?}");
        engine.expect_silence(ms(50));
        engine.end();
    }
}

// Row 116: a new limit counts from the start of the move.
#[test]
fn a_late_limit_counts_from_the_start_of_the_move() {
    for limit in ["INFO timeout_turn 1600", "INFO time_left 1600"] {
        let mut engine = Engine::with_board(15);
        let start = Instant::now();
        engine.send("INFO timeout_turn 30000\nTURN 7,7");
        sleep(ms(1_200));
        engine.send(limit);
        let (at, _) = engine.timed_line(LONG).unwrap();
        assert!(at - start < ms(1_600) + slack(), "{limit}: {:?}", at - start);
        engine.end();
    }
    // A longer one as well.
    let mut engine = Engine::with_board(15);
    let start = Instant::now();
    engine.send("INFO timeout_turn 600\nTURN 7,7");
    sleep(ms(100));
    engine.send("INFO timeout_turn 3000");
    let (at, _) = engine.timed_line(LONG).unwrap();
    assert!(at - start > ms(900) && at - start < ms(3_000) + slack(), "{:?}", at - start);
    engine.end();
}

// Rows 75, 117, 121: what does not disturb a search.
#[test]
fn other_late_lines_wait_or_pass_unnoticed() {
    let mut engine = thinking_engine();
    for line in ["INFO rule 4", "INFO max_memory 100000000", "INFO evaluate 5,5", "INFO foo", ""] {
        engine.send(line);
        sleep(ms(5));
    }
    engine.send("ABOUT\nFOO\nTURN 7,7\nTURN 99,99\nSTART 99\nTAKEBACK 99,3\nyxshowforbid");
    engine.expect_silence(ms(150));
    engine.send("YXSTOP");
    engine.expect_move();
    assert!(engine.line(LONG).unwrap().starts_with("name="));
    engine.expect("UNKNOWN command");
    for _ in 0..4 {
        engine.expect_error();
    }
    assert!(engine.line(LONG).unwrap().starts_with("FORBID "));
    engine.end();
}

// Row 120: a command that changes the game brings the pending move first.
#[test]
fn a_late_command_comes_after_the_pending_move() {
    let cases: [(&str, &[&str]); 8] = [
        ("START 20", &["OK"]),
        ("RESTART", &["OK"]),
        ("TAKEBACK 7,7", &["OK"]),
        ("BOARD", &[]),
        ("yxboard", &[]),
        ("PLAY 0,0", &["0,0"]),
        ("INFO timeout_turn 20\nBEGIN", &["@move"]),
        ("INFO timeout_turn 20\nTURN 0,0\nABOUT", &["@move", "@about"]),
    ];
    for (lines, answers) in cases {
        let mut engine = thinking_engine();
        let (_, time) = engine.ask(lines);
        assert!(time < ms(50) + slack(), "{lines}: {time:?}");
        for answer in answers {
            let line = engine.line(ms(50) + slack()).expect(lines);
            match *answer {
                "@move" => assert!(parse_point(&line).is_some(), "{lines}: {line}"),
                "@about" => assert!(line.starts_with("name="), "{lines}: {line}"),
                answer => assert_eq!(line, answer, "{lines}"),
            }
        }
        engine.expect_silence(ms(30));
        engine.end();
    }
}

// A limit behind a command of the same late burst is for what comes after the command.
#[test]
fn a_late_limit_keeps_its_place_behind_a_command() {
    let mut engine = thinking_engine();
    // Ahead of START it would be the old game's, and the new one would have 30 seconds a move.
    engine.ask("START 20\nINFO time_left 2000");
    engine.expect("OK");
    let (_, time) = engine.ask("TURN 0,0");
    assert!(time < ms(200) + slack(), "{time:?}");
    engine.end();
}

// What is left when a request cuts a search short is not charged for that search.
#[test]
fn time_left_belongs_to_the_request_it_comes_with() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO timeout_turn 30000\nTURN 7,7");
    sleep(ms(3_000));
    engine.send("INFO time_left 3000\nTURN 0,0");
    engine.expect_move();
    engine.expect_move();
    // With no time left at all the move would come within milliseconds.
    let message = engine.messages.last().unwrap();
    let time = message.split(' ').skip_while(|&word| word != "tm").nth(1).unwrap();
    assert!(time.parse::<u64>().unwrap() > 30, "{message}");
    engine.end();
}

// Nothing of a script is dropped when a late command cuts it short.
#[test]
fn a_late_command_hurries_a_script() {
    let mut engine = Engine::new();
    engine.write(b"START 15\nINFO timeout_turn 30000\nTURN 7,7\nTURN 0,0\nTURN 14,14\n");
    engine.expect("OK");
    sleep(ms(300));
    let start = Instant::now();
    engine.send("START 20");
    for _ in 0..3 {
        engine.expect_move();
    }
    engine.expect("OK");
    assert!(start.elapsed() < ms(100) + slack(), "{:?}", start.elapsed());
    engine.end();
}

// Section 2.H: a late burst is a script of its own once it has cut the search short.
#[test]
fn requests_of_a_late_burst_have_their_full_time() {
    let mut engine = thinking_engine();
    engine.send("INFO timeout_turn 400\nSTART 15\nTURN 3,3\nSTART 15\nTURN 3,3");
    let (mut before, _) = engine.timed_line(ms(200) + slack()).unwrap();
    for _ in 0..2 {
        engine.expect("OK");
        let (at, _) = engine.timed_line(LONG).unwrap();
        assert!(at - before > ms(130) && at - before < ms(400) + slack(), "{:?}", at - before);
        before = at;
    }
    engine.end();
}

// Row 122: the judge's first lines in one write.
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

// Rows 78, 81-83, 85: short limits.
#[test]
fn short_limits_are_kept() {
    for (limits, limit) in [
        ("INFO timeout_turn 0", 20),
        ("INFO timeout_turn 5", 10),
        ("INFO timeout_turn 20", 20),
        ("INFO timeout_turn 50", 50),
        ("INFO timeout_turn 300", 300),
        ("INFO timeout_turn 30000\nINFO timeout_match 60000\nINFO time_left -500", 50),
        ("INFO timeout_turn 30000\nINFO time_left 30", 30),
        ("INFO timeout_turn 30000\nINFO time_left 100", 100),
        ("INFO timeout_match 1000", 100),
        ("INFO timeout_match 1000\nINFO timeout_turn 30", 30),
    ] {
        let mut engine = Engine::with_board(20);
        engine.send(limits);
        sleep(ms(20));
        for i in 0..3 {
            let (_, time) = engine.ask(["TURN 0,0", "TURN 19,19", "TURN 0,19"][i]);
            assert!(time < ms(limit) + slack(), "{limits}: {time:?}");
        }
        engine.end();
    }
}

// With a turn limit alone at least a third of the time is used where nothing is forced.
#[test]
fn a_turn_limit_is_used() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO timeout_turn 600");
    let (_, time) = engine.ask("TURN 7,7");
    assert!(time > ms(195) && time < ms(600) + slack(), "{time:?}");
    engine.end();
}

// Messages tell what managers look for, and the last one comes with the move.
#[test]
fn messages_have_the_form_that_managers_parse() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO timeout_turn 300\nTURN 7,7");
    engine.expect_move();
    assert!(engine.messages.len() >= 2, "{:?}", engine.messages);
    for message in &engine.messages {
        let words: Vec<&str> = message.split(' ').collect();
        let keys = [words[1], words[3], words[5], words[7], words[9], words[11]];
        assert_eq!(keys, ["depth", "ev", "n", "n/s", "tm", "pv"], "{message}");
        assert!(words[2].split('-').all(|depth| depth.parse::<u32>().is_ok()), "{message}");
        assert!(words.len() > 12, "{message}");
    }
    engine.end();
}

// Row 108: END is honoured though nobody reads.
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
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        assert!(bytes.starts_with(b"name="));
    }
}

// Row 108: whoever reads late gets everything.
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

// Row 114a: the answers of a script wait for whoever reads them late, and END waits a little.
#[test]
fn a_late_reader_gets_every_answer_of_a_script() {
    for (end, delay) in [("", ms(1_000)), ("END\n", ms(200))] {
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

// Row 108: a script whose answers nobody reads does not hold the program for ever.
#[test]
fn answers_that_nobody_reads_are_given_up() {
    for (end, limit) in [("", ms(10_300)), ("END\n", ms(500))] {
        let (mut engine, _stdout) = Engine::unread();
        engine.write(("ABOUT\n".repeat(3_000) + end).as_bytes());
        engine.close();
        engine.expect_exit(limit);
    }
}

// A script that keeps the program busy when its END is read is carried out to the end.
#[test]
fn end_waits_for_lines_behind_a_search() {
    let mut engine = Engine::new();
    engine.write(b"START 15\nINFO timeout_turn 30\nTURN 7,7\n");
    engine.write("START 20\nBOARD\nDONE\n".repeat(10_000).as_bytes());
    for _ in 0..5 {
        sleep(ms(10));
        engine.write(b"ABOUT\n");
    }
    engine.send("END");
    engine.expect("OK");
    engine.expect_move();
    for _ in 0..10_000 {
        engine.expect("OK");
        engine.expect("10,10");
    }
    for _ in 0..5 {
        assert!(engine.line(LONG).unwrap().starts_with("name="));
    }
    engine.expect_exit(ms(300));
}

// Row 109: nobody listens any more.
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

// Rows 126, 140, 146 to 148: the program may lie anywhere, works in any folder, also in one that it
// cannot write to, shares it with another instance, and leaves no file in it.
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

// Row 110: a pipe is greeted by nothing.
#[test]
fn a_pipe_is_not_greeted() {
    let mut engine = Engine::new();
    engine.expect_silence(ms(200));
    engine.close();
    engine.expect_exit(ms(100));
    assert!(engine.messages.is_empty(), "{:?}", engine.messages);
}

// Row 110: a terminal is greeted by one message. `script` lends one where it is installed.
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
    let Ok(mut child) = child else { return };
    child.stdin.take().unwrap().write_all(b"END\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // The terminal repeats what is typed.
    let lines = text.lines().map(str::trim_end).filter(|line| !line.ends_with("END"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    assert!(output.status.success() && lines.len() == 1, "{text:?}");
    assert!(lines[0].starts_with("MESSAGE "), "{text:?}");
}

// Row 149, with room for a busy machine.
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

// Row 123: the judge suspends the process before it has read anything.
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
    assert!(time > ms(130) && time < ms(400) + slack(), "{time:?} {:?}", engine.messages);
    // Row 124: between moves nothing happens.
    suspend(&engine);
    sleep(ms(700));
    signal(&engine, "CONT");
    engine.expect_silence(ms(100));
    let (_, time) = engine.ask("TURN 0,0");
    assert!(time < ms(400) + slack(), "{time:?}");
    engine.end();
}

// Row 125: suspended anywhere, holding whatever lock, it goes on.
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

// Rows 87, 89, 144: the peak of resident memory stays below the limit.
#[test]
#[cfg(target_os = "linux")]
fn memory_stays_below_the_limit() {
    let limits = [32u64, 64, 128, 350];
    for (megabytes, threads) in limits.into_iter().flat_map(|limit| [(limit, 1), (limit, 64)]) {
        let mut engine = Engine::with_board(15);
        engine.send(&format!("INFO thread_num {threads}"));
        engine.send(&format!("INFO max_memory {}\nINFO timeout_turn 400", megabytes << 20));
        for turn in ["TURN 0,0", "TURN 14,14", "TURN 0,14"] {
            engine.ask(turn);
        }
        let status = fs::read_to_string(format!("/proc/{}/status", engine.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        let most = if megabytes < 128 { megabytes } else { megabytes / 4 * 3 };
        assert!(peak < most << 10, "{megabytes} MB, {threads} threads: {peak} kB");
        engine.end();
    }
}

// In Piskvork stderr is stdout: a malformed RUST_LOG must not speak there.
#[test]
fn only_a_valid_filter_opens_the_log() {
    let log = |filter: &str| {
        let mut child = command(&program())
            .env("RUST_LOG", filter)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"START 15\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stdout == b"OK\n");
        String::from_utf8(output.stderr).unwrap()
    };
    for filter in ["", " ", "off", "nonsense", "tengen=loud", "a=b=c", "debug/a/b", "///"] {
        assert_eq!(log(filter), "", "{filter:?}");
    }
    for filter in ["debug", "tengen=trace"] {
        assert!(log(filter).contains("< START 15"), "{filter:?}");
    }
}

#[test]
fn harness_reads_points() {
    assert!(parse_point("7,07").is_some() && parse_point("7,7 ").is_none());
    assert!(parse_point("7, 7").is_none() && parse_point("+7,7").is_none());
}
