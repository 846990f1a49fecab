//! Time: scripts that arrive in one batch, lines that come late, and limits.
//!
//! A line belongs to the batch of the line before it when it follows at once. The requests of a
//! batch are answered in order, each in its full time; a late line takes effect while the engine
//! thinks. `README.md` beside this file has the rule in full.

use std::thread::sleep;
use std::time::Instant;

use crate::engine_process::{Engine, LONG, ms, parse_point, run_script, slack};

// Scenario 114a: a script gives all its answers, the same ones as a dialogue.
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

// Scenarios 17, 114a: a script of many lines that cost little is answered to its end.
#[test]
fn a_long_script_is_answered_to_the_end() {
    let answers = run_script(&("START 15\nBOARD\nDONE\n".repeat(5_000) + "END\n"));
    assert_eq!(answers.len(), 10_000);
    assert!(answers.chunks(2).all(|pair| pair == ["OK", "7,7"]));
}

// Each request of a script has its full time, and its lines have no effect before their turn.
#[test]
fn requests_of_a_script_have_their_full_time() {
    let mut engine = Engine::new();
    let start = Instant::now();
    engine.write(
        b"START 15\nINFO timeout_turn 300\nTURN 7,7\nYXSTOP\nINFO timeout_turn 900\n\
          RESTART\nTURN 7,7\nEND\n",
    );
    engine.expect("OK");
    let (first, _) = engine.timed_line(LONG).unwrap();
    engine.expect("OK");
    let (second, _) = engine.timed_line(LONG).unwrap();
    let (first, second) = (first - start, second - start);
    assert!(first > ms(200) && first < ms(300) + slack(), "{first:?}");
    // An answer may be read late, too.
    assert!(second > ms(200 + 800) && second < first + ms(900) + slack(), "{second:?}");
    engine.expect_exit(ms(300));
}

// Scenarios 78b, 86: a script is left when it ends, also if it lifts every limit or sets a node limit
// beyond reach.
#[test]
fn a_script_without_any_limit_comes_to_its_end() {
    let unlimited = "INFO timeout_turn 2000000\nINFO timeout_match 100000000\nTURN 7,7";
    let nodes = "INFO max_node 99999999999999999999\nTURN 7,7";
    let zero = "INFO timeout_turn 0\nINFO max_depth 100\nYXBOARD 7,7,1 8,8,2 DONE\nYXNBEST 2\nSTOP";
    let scripts =
        [(unlimited, true), (unlimited, false), (nodes, true), (zero, true), (zero, false)];
    let mut engines = scripts.map(|(lines, ends)| {
        let mut engine = Engine::with_fault("ShortTurn");
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

// A script that keeps the program busy when its END is read is carried out to the end.
#[test]
fn end_waits_for_lines_behind_a_search() {
    let mut engine = Engine::new();
    engine.write(b"START 15\nINFO timeout_turn 30\nTURN 7,7\n");
    engine.write("START 20\nBOARD\nDONE\n".repeat(3_000).as_bytes());
    for _ in 0..5 {
        sleep(ms(10));
        engine.write(b"ABOUT\n");
    }
    engine.send("END");
    engine.expect("OK");
    engine.expect_move();
    for _ in 0..3_000 {
        engine.expect("OK");
        engine.expect("10,10");
    }
    for _ in 0..5 {
        assert!(engine.line(LONG).unwrap().starts_with("name="));
    }
    engine.expect_exit(ms(300));
}

/// Starts an engine that thinks for a long time.
fn thinking_engine() -> Engine {
    thinking_about("INFO timeout_turn 30000\nTURN 7,7")
}

/// Starts an engine that thinks about a request which takes long.
fn thinking_about(request: &str) -> Engine {
    let mut engine = Engine::with_board(15);
    engine.send(request);
    // The search runs, so that the request was read; what follows comes later than its batch.
    engine.next_message();
    engine.expect_silence(ms(250));
    engine
}

// Scenarios 115, 118: a stop and a shorter limit bring the move.
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

// Scenario 116: a new limit counts from the start of the move.
#[test]
fn a_late_limit_counts_from_the_start_of_the_move() {
    for limit in ["INFO timeout_turn 800", "INFO time_left 800"] {
        let mut engine = Engine::with_board(15);
        let start = Instant::now();
        engine.send("INFO timeout_turn 30000\nTURN 7,7");
        sleep(ms(500));
        engine.send(limit);
        let (at, _) = engine.timed_line(LONG).unwrap();
        let time = at - start;
        assert!(time > ms(500) && time < ms(800) + slack(), "{limit}: {time:?}");
        engine.end();
    }
    // A longer one as well.
    let mut engine = Engine::with_board(15);
    let start = Instant::now();
    engine.send("INFO timeout_turn 600\nTURN 7,7");
    sleep(ms(250));
    engine.send("INFO timeout_turn 1200");
    let (at, _) = engine.timed_line(LONG).unwrap();
    assert!(at - start > ms(800) && at - start < ms(1_200) + slack(), "{:?}", at - start);
    engine.end();
}

// Scenario 116: limits of nodes and depth as well, and they are never lost.
#[test]
fn a_late_limit_of_nodes_or_depth_ends_the_search() {
    for limit in ["INFO max_node 1000", "INFO max_depth 1"] {
        let mut engine = thinking_engine();
        let (_, time) = engine.ask(limit);
        assert!(time < ms(50) + slack(), "{limit}: {time:?}");
        engine.end();
    }
    // They take the place of the time: of the default, and of what Yixin-Board lifts when its level
    // is changed.
    let level = "INFO max_node 10000\nINFO timeout_match 100000000\nINFO time_left 100000000\n\
                 INFO timeout_turn 2000000\nINFO max_depth 225\nINFO time_increment 0";
    let timed = "INFO timeout_turn 30000\nINFO timeout_match 600000\nTURN 7,7";
    let balance = "YXBOARD 7,7,1 8,8,2 DONE\nINFO timeout_turn 30000\nYXBALANCEONE 0";
    for (request, limits) in [
        ("TURN 7,7", "INFO max_node 1000"),
        (timed, level),
        (balance, "INFO max_node 1000"),
        (balance, "INFO max_depth 1"),
    ] {
        let mut engine = thinking_about(request);
        let (_, time) = engine.ask(limits);
        assert!(time < ms(50) + slack(), "{limits}: {time:?}");
        engine.end();
    }
}

// A node limit that is lifted during a search still ends that search.
#[test]
fn a_lifted_node_limit_still_ends_the_search() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO max_node 200000\nTURN 7,7");
    engine.expect_silence(ms(100));
    engine.send("INFO max_node 0");
    engine.expect_move();
    engine.end();
}

// Scenarios 75, 117, 121: what does not disturb a search.
#[test]
fn other_late_lines_wait_or_pass_unnoticed() {
    let mut engine = thinking_engine();
    for line in ["INFO rule 4", "INFO max_memory 100000000", "INFO evaluate 5,5", "INFO foo", ""] {
        engine.send(line);
        sleep(ms(5));
    }
    engine.send("ABOUT\nFOO\nTURN 7,7\nTURN 99,99\nSTART 99\nTAKEBACK 99,3\nyxswap2step3");
    engine.send("BOARD 7,7,9 DONE\nBEGIN\nyxshowforbid");
    engine.expect_silence(ms(150));
    engine.send("YXSTOP");
    engine.expect_move();
    assert!(engine.line(LONG).unwrap().starts_with("name="));
    engine.expect("UNKNOWN command");
    for _ in 0..7 {
        engine.expect_error();
    }
    assert!(engine.line(LONG).unwrap().starts_with("FORBID "));
    engine.end();
}

// Scenario 120: a command that changes the game brings the pending move first.
#[test]
fn a_late_command_comes_after_the_pending_move() {
    let cases: [(&str, &[&str]); 8] = [
        ("START 20", &["OK"]),
        ("RESTART", &["OK"]),
        ("TAKEBACK 7,7", &["OK"]),
        ("BOARD", &[]),
        ("yxboard", &[]),
        ("PLAY 0,0", &["0,0"]),
        ("INFO timeout_turn 20\nRESTART\nBEGIN", &["OK", "@move"]),
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

// A limit behind a command of the same late batch is for what comes after the command.
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

// Of two settings of a late batch the last one holds, whatever stands between them.
#[test]
fn the_last_of_two_late_limits_holds() {
    let mut engine = thinking_engine();
    engine.ask("INFO timeout_turn 300\nABOUT\nINFO timeout_turn 1500\nTURN 0,0");
    assert!(engine.line(LONG).is_some_and(|line| line.starts_with("name=")));
    let start = Instant::now();
    engine.expect_move();
    assert!(start.elapsed() > ms(900), "{:?}", start.elapsed());
    engine.end();
}

// What is left when a request cuts a search short is not charged for that search.
#[test]
fn time_left_belongs_to_the_request_it_comes_with() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO timeout_turn 30000\nTURN 7,7");
    sleep(ms(1_000));
    engine.send("INFO time_left 1000\nTURN 0,0");
    engine.expect_move();
    engine.expect_move();
    // With no time left at all the move would come within milliseconds.
    let message = engine.messages.last().unwrap();
    let time = message.split(' ').skip_while(|&word| word != "tm").nth(1).unwrap();
    assert!(time.parse::<u64>().unwrap() > 15, "{message}");
    engine.end();
}

// Nothing of a script is dropped when a late command cuts it short.
#[test]
fn a_late_command_hurries_a_script() {
    let mut engine = Engine::new();
    engine.write(b"START 15\nINFO timeout_turn 30000\nTURN 7,7\nTURN 0,0\nTURN 14,14\n");
    engine.expect("OK");
    engine.expect_silence(ms(300));
    let start = Instant::now();
    engine.send("START 20");
    for _ in 0..3 {
        engine.expect_move();
    }
    engine.expect("OK");
    assert!(start.elapsed() < ms(100) + slack(), "{:?}", start.elapsed());
    engine.end();
}

// A late batch is a script of its own once it has cut the search short.
#[test]
fn requests_of_a_late_batch_have_their_full_time() {
    let mut engine = thinking_engine();
    engine.send("INFO timeout_turn 900\nSTART 15\nTURN 3,3\nSTART 15\nTURN 3,3");
    let (mut before, _) = engine.timed_line(ms(200) + slack()).unwrap();
    for _ in 0..2 {
        engine.expect("OK");
        let (at, _) = engine.timed_line(LONG).unwrap();
        // The answer before may have been read late.
        let time = at - before;
        assert!(time > ms(900).saturating_sub(slack()) && time < ms(900) + slack(), "{time:?}");
        before = at;
    }
    engine.end();
}

// Scenarios 78, 79, 81-83, 85: short limits are kept.
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

// Scenarios 78b, 81, 115: times of 0 and below, sent while nothing is searched, are no limit but
// for a plain move, and one of 0 ends a search that runs.
#[test]
fn times_of_zero_are_no_limit_but_for_a_plain_move() {
    // No search proves a win here soon.
    const POSITION: &str = "BOARD 7,7,1 8,8,2 DONE";
    let analysis = format!("YX{POSITION}\nYXNBEST 2");
    let balance = format!("YX{POSITION}\nYXBALANCEONE 0");
    for (limits, request) in [
        ("INFO timeout_turn 0", analysis.as_str()),
        ("INFO TIMEOUT_TURN 0\nINFO TIMEOUT_MATCH 0\nINFO MAX_DEPTH 100", &analysis),
        ("INFO timeout_match -1\nINFO timeout_turn -1\nyxshowinfo", &analysis),
        ("INFO timeout_turn 0\nINFO timeout_match 100000000", &analysis),
        ("INFO timeout_turn 60\nINFO timeout_turn 0\nINFO time_left 2147483647", &balance),
        ("INFO timeout_turn 0\nINFO max_depth 99", POSITION),
        ("INFO max_node 900000000\nINFO timeout_turn -3", "BEGIN\nTURN 0,0"),
    ] {
        for stop in ["YXSTOP", "INFO timeout_turn 0"] {
            let mut engine = Engine::with_board(15);
            engine.send(&format!("{limits}\n{request}"));
            if request.starts_with("BEGIN") {
                engine.expect("7,7");
            }
            engine.expect_silence(ms(200));
            let (_, time) = engine.ask(stop);
            assert!(time < ms(50) + slack(), "{limits}: {time:?}");
            engine.expect_silence(ms(30));
            engine.end();
        }
    }
    // A depth that is reached ends a search, and a limit that is one holds.
    for (limits, request, least, most) in [
        ("INFO timeout_turn 0\nINFO max_depth 5", analysis.as_str(), 0, 2_000),
        ("INFO timeout_turn 0\nINFO timeout_match 0\nINFO max_depth 5", POSITION, 0, 2_000),
        ("INFO timeout_match 0\nINFO timeout_turn 300", &analysis, 200, 300),
        ("INFO timeout_turn 0\nINFO timeout_turn 300", &analysis, 200, 300),
        ("INFO timeout_turn 0\nINFO time_left 100", &analysis, 0, 100),
        ("INFO timeout_turn 0\nINFO timeout_match 5\nINFO time_left -500", &analysis, 0, 50),
        ("INFO timeout_turn 300\nINFO timeout_turn -1", POSITION, 200, 300),
        ("INFO timeout_turn 0\nINFO timeout_turn -1", POSITION, 0, 20),
        ("INFO timeout_turn 0\nINFO max_depth -1\nINFO max_node -1", POSITION, 0, 20),
    ] {
        let mut engine = Engine::with_board(15);
        engine.send(limits);
        sleep(ms(20));
        let (_, time) = engine.ask(request);
        assert!(time >= ms(least) && time < ms(most) + slack(), "{limits}: {time:?}");
        if limits.ends_with("max_depth 5") {
            assert!(engine.messages.last().unwrap().contains(" depth 5-"), "{:?}", engine.messages);
        }
        engine.end();
    }
}

// Scenario 78b: a new analysis in one batch ends the one that runs, and is not limited itself.
#[test]
fn a_limit_of_zero_for_the_next_analysis_ends_the_one_before() {
    let analysis = "INFO timeout_turn 0\nYXBOARD 7,7,1 8,8,2 DONE\nYXNBEST 1";
    let mut engine = thinking_about(analysis);
    let (_, time) = engine.ask(analysis);
    assert!(time < ms(50) + slack(), "{time:?}");
    engine.expect_silence(ms(400));
    engine.send("YXSTOP");
    engine.expect_move();
    // A limit that came during a search is one for the next, too.
    let position = "YXBOARD 7,7,1 8,8,2 DONE\nYXNBEST 1";
    engine.send(&format!("INFO timeout_turn 30000\n{position}"));
    engine.expect_silence(ms(250));
    engine.ask("INFO timeout_turn 0");
    sleep(ms(50));
    let (_, time) = engine.ask(position);
    assert!(time < ms(50) + slack(), "{time:?}");
    engine.end();
}

// Scenarios 78b, 118: a script can stop a search that has no limit, and goes on behind it all the same.
#[test]
fn a_script_stops_its_own_search_without_a_limit() {
    let analysis = "YXBOARD 7,7,1 8,8,2 DONE\nYXNBEST 1\n";
    let mut engine = Engine::with_fault("ShortTurn");
    engine.send("START 15\nINFO timeout_turn 0");
    engine.expect("OK");
    let stopped = format!("{analysis}YXSTOP");
    let (_, time) = engine.ask(&stopped);
    assert!(time < ms(100) + slack(), "{time:?}");
    // The stop is that of the second search; the first one has the time of one nobody can stop.
    engine.send(&format!("{analysis}{stopped}"));
    engine.expect_move();
    engine.expect_move();
    engine.expect_silence(ms(50));
    // A stop in a script does not shorten a search that has a limit.
    let (_, time) = engine.ask(&format!("INFO timeout_turn 400\n{stopped}"));
    assert!(time > ms(300), "{time:?}");
    engine.end();
}

// With a turn limit alone, a search where nothing is forced uses it but for a small reserve.
#[test]
fn a_turn_limit_is_used() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO timeout_turn 600");
    let (_, time) = engine.ask("TURN 7,7");
    assert!(time > ms(500) && time < ms(600) + slack(), "{time:?}");
    engine.end();
}
