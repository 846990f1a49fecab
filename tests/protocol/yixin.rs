//! Yixin-Board and gomocalc as users of the analysis: what their commands make the engine do. What
//! they merely swallow is in `protocol/yixin.txt`.

use crate::shell;
use std::collections::HashSet;
use std::fs;

use crate::engine_process::{Engine, LONG, command, is_reply, ms, parse_point, program};
use crate::scratch::folder;

/// Black has an open three, white is to move.
const THREE: &str = "YXBOARD 7,7,2 0,0,1 8,7,2 0,14,1 9,7,2 DONE";
/// A quiet opening, black to move.
const QUIET: &str = "YXBOARD 7,7,1 8,8,2 7,9,1 6,6,2 DONE";

type Point = (u8, u8);

/// Returns an engine with a board of 15 that searches so many nodes.
fn engine(nodes: u64) -> Engine {
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO max_node {nodes}"));
    engine
}

/// Returns the answer to a request in a position.
fn ask(engine: &mut Engine, position: &str, request: &str) -> Point {
    engine.send(position);
    engine.ask(request).0
}

/// Returns what stands behind a word in a message.
fn value<'a>(message: &'a str, word: &str) -> Option<&'a str> {
    let mut words = message.split(' ').skip_while(|&w| w != word);
    words.nth(1)
}

/// Returns the point of a name such as h8.
fn named(name: &str) -> Point {
    let (column, row) = name.split_at(1);
    (column.as_bytes()[0] - b'a', row.parse::<u8>().unwrap() - 1)
}

/// Returns the points of all messages with this head.
fn marked(engine: &Engine, head: &str) -> Vec<Point> {
    let heads = engine.messages.iter().filter_map(|message| message.strip_prefix(head));
    heads.map(|point| parse_point(point).unwrap()).collect()
}

#[test]
fn nbest_tells_every_line_and_plays_the_best_one() {
    let mut engine = engine(20_000);
    let mv = ask(&mut engine, QUIET, "yxnbest 3");
    // The last messages are those of the result.
    let last = &engine.messages[engine.messages.len() - 3..];
    let numbers: Vec<_> = last.iter().map(|message| value(message, "multipv").unwrap()).collect();
    assert_eq!(numbers, ["1", "2", "3"], "{last:?}");
    let moves: Vec<Point> = last.iter().map(|m| named(value(m, "pv").unwrap())).collect();
    assert_eq!(moves[0], mv, "{last:?}");
    assert_eq!(moves.iter().collect::<HashSet<_>>().len(), 3, "{last:?}");
    assert!(last.iter().all(|message| value(message, "ev").is_some()), "{last:?}");
    // The move stays on the board.
    engine.send(&format!("TURN {},{}", mv.0, mv.1));
    engine.expect_error();
    // One line is an ordinary search, which has no numbers.
    engine.messages.clear();
    ask(&mut engine, QUIET, "YXNBEST 1");
    assert!(engine.messages.iter().all(|message| value(message, "multipv").is_none()));
    engine.end();
}

#[test]
fn what_ends_an_analysis_is_told_and_is_what_is_answered() {
    let mut engine = engine(5_000);
    for round in 0..7 {
        for (detail, count) in (0..4).flat_map(|detail| [1, 2, 4].map(|count| (detail, count))) {
            engine.messages.clear();
            engine.infos = Some(Vec::new());
            engine.send(&format!("yxhashclear\nINFO show_detail {detail}"));
            let mv = ask(&mut engine, QUIET, &format!("YXNBEST {count}"));
            let place = format!("round {round}, detail {detail}, {count} lines");
            let last = |head: &str| engine.messages.iter().rfind(|m| m.contains(head)).unwrap();
            let best = last(if count == 1 { "MESSAGE depth " } else { " multipv 1 " });
            assert_eq!(named(value(best, "pv").unwrap()), mv, "{place}: {best}");
            // The lines of the last report come together, the best one first.
            let summaries: Vec<&String> =
                engine.messages.iter().filter(|m| m.starts_with("MESSAGE depth ")).collect();
            let numbers = summaries.iter().rev().take(count).rev();
            let numbers: Vec<Option<&str>> = numbers.map(|m| value(m, "multipv")).collect();
            let expected = (1..=count).map(|n| (count > 1).then(|| n.to_string()));
            assert!(expected.eq(numbers.iter().map(|n| n.map(str::to_owned))), "{place}");
            if detail & 1 != 0 {
                assert_eq!(marked(&engine, "MESSAGE REALTIME BEST ").last(), Some(&mv), "{place}");
                assert_eq!(named(value(last("REALTIME PV"), "PV").unwrap()), mv, "{place}");
            }
            if detail & 2 != 0 {
                let infos = engine.infos.as_ref().unwrap();
                let group = &infos[infos.len() - 12 * count..];
                let points = group.iter().filter_map(|info| info.strip_prefix("BESTLINE "));
                let firsts: Vec<Point> = points
                    .map(|line| parse_point(line.split(' ').next().unwrap()).unwrap())
                    .collect();
                let told = summaries[summaries.len() - count..].iter();
                assert!(told.map(|m| named(value(m, "pv").unwrap())).eq(firsts.clone()), "{place}");
                assert_eq!((firsts.len(), firsts[0]), (count, mv), "{place}");
            }
        }
    }
    engine.end();
}

#[test]
fn an_empty_board_is_analysed_too() {
    for rule in ["INFO rule 0", "INFO rule 4", "YXBOARD 3,3,3 DONE"] {
        let mut engine = engine(20_000);
        engine.send(rule);
        let mv = engine.ask("YXNBEST 2").0;
        let last = &engine.messages[engine.messages.len() - 2..];
        let moves: Vec<Point> = last.iter().map(|m| named(value(m, "pv").unwrap())).collect();
        assert!(moves[0] == mv && moves[1] != mv, "{last:?}");
        engine.end();
    }
    // One line costs no time, but is told.
    let mut engine = engine(20_000);
    engine.send("INFO show_detail 3");
    engine.infos = Some(Vec::new());
    assert_eq!(engine.ask("YXNBEST 1").0, (7, 7));
    assert!(engine.messages[0].ends_with(" pv h8"), "{:?}", engine.messages);
    assert_eq!(marked(&engine, "MESSAGE REALTIME BEST "), [(7, 7)]);
    assert!(engine.infos.as_ref().unwrap().iter().any(|info| info == "BESTLINE 7,7"));
    engine.end();
}

#[test]
fn a_first_move_is_told_as_any_other() {
    for (rule, size) in [("0", "15"), ("1", "20"), ("4", "15"), ("8", "9 12"), ("9", "5")] {
        let mut engine = Engine::new();
        engine.send(&format!("INFO rule {rule}\nSTART {size}"));
        engine.expect("OK");
        for request in ["BEGIN", "BOARD\nDONE", "yxnbest 1"] {
            engine.messages.clear();
            let mv = engine.ask(request).0;
            let told = std::mem::take(&mut engine.messages);
            assert!(told.len() == 1 && is_summary(&told[0]), "{request}: {told:?}");
            assert!(told[0].starts_with("MESSAGE depth 0-0 ev "), "{told:?}");
            assert!(told[0].contains(" n 0 n/ms 0 tm 0 pv "), "{told:?}");
            assert_eq!(named(value(&told[0], "pv").unwrap()), mv, "{told:?}");
            // Black, who begins, stands better than level to the network where there is room.
            let score: i32 = value(&told[0], "ev").unwrap().parse().unwrap();
            assert!(score.abs() < 1_000 && (size == "5" || score > 0), "{told:?}");
            engine.send("RESTART");
            engine.expect("OK");
        }
        engine.end();
    }
    // With all that there is to tell.
    let mut engine = engine(1_000);
    engine.send("INFO show_detail 3");
    engine.infos = Some(Vec::new());
    assert_eq!(engine.ask("BEGIN").0, (7, 7));
    assert_eq!(marked(&engine, "MESSAGE REALTIME BEST "), [(7, 7)]);
    assert_eq!(engine.infos.as_ref().unwrap().len(), 12);
    engine.end();
}

// Scenario 38.
#[test]
fn numbers_of_rows_may_be_colours_and_2_is_to_move() {
    // Each side has a four.
    let black = [(2, 6), (3, 6), (4, 6), (5, 6)];
    let white = [(9, 1), (9, 2), (9, 3), (9, 4)];
    let mut rows: Vec<String> = black.iter().map(|(x, y)| format!("{x},{y},1")).collect();
    rows.extend(white.iter().map(|(x, y)| format!("{x},{y},2")));
    let mut engine = engine(3_000);
    let blacks: HashSet<Point> = [(1, 6), (6, 6)].into();
    let whites: HashSet<Point> = [(9, 0), (9, 5)].into();
    for (rule, more, wins) in [
        ("0", "12,12,1", &whites),
        ("4", "12,12,1", &whites),
        ("9", "-1,-1,1", &whites),
        ("1", "12,12,1 -1,-1,2", &blacks),
        ("0", "12,12,1 0,0,3", &blacks),
        ("3", "12,12,1", &blacks),
        ("10", "12,12,1", &blacks),
        ("0", "", &blacks),
        ("0", "12,12,2", &blacks),
        ("0", "12,12,1 12,13,1", &blacks),
    ] {
        for turn in 0..rows.len() {
            rows.rotate_left(turn);
            let text = format!("board {more} {} done", rows.join(" "));
            engine.send(&format!("INFO rule {rule}"));
            assert!(wins.contains(&engine.ask(&text).0), "{rule} {text}");
            let mv = ask(&mut engine, &format!("yx{text}"), "yxnbest 2");
            assert!(wins.contains(&mv), "{rule} yx{text}");
            engine.send("TURN 14,14");
            engine.expect_move();
        }
    }
    engine.end();
}

// Scenario 91b.
#[test]
fn rule_2_is_renju_to_a_client_of_rapfi_which_is_told_so() {
    let cross = "yxboard\n6,7,1\n0,0,2\n8,7,1\n0,4,2\n7,6,1\n4,0,2\n7,8,1\n14,14,2\ndone";
    let told = |engine: &Engine| engine.messages.iter().filter(|m| m.contains("renju")).count();
    for first in ["INFO rule 2", "INFO show_detail 0", "info strength 100"] {
        let mut engine = Engine::new();
        engine.send(&format!("{first}\nSTART 15\nINFO rule 2"));
        engine.expect("OK");
        engine.send(&format!("{cross}\nyxshowforbid"));
        engine.expect("FORBID 0707.");
        assert_eq!(told(&engine), 1);
        engine.send(&format!("INFO max_node 1000\nINFO rule 2\n{cross}"));
        assert_ne!(engine.ask("YXNBEST 1").0, (7, 7));
        engine.send("INFO rule 6\nYXSHOWFORBID");
        engine.expect("FORBID .");
        assert_eq!(told(&engine), 1);
        engine.end();
    }
    // During a search it is told with the move that is pending.
    let mut engine = Engine::with_board(15);
    engine.send("INFO rule 2\nINFO timeout_turn 30000\nTURN 7,7");
    engine.expect_silence(ms(300));
    engine.send("INFO caution_factor 4");
    engine.expect_silence(ms(50));
    engine.ask("YXSTOP");
    assert_eq!(told(&engine), 1);
    engine.end();
}

#[test]
fn an_author_is_shown_what_the_engine_knows() {
    let mut engine = engine(20_000);
    let trace = |engine: &mut Engine, word: &str| {
        let told = messages(engine, word);
        assert!(told.iter().all(|line| line.starts_with("MESSAGE ")), "{told:?}");
        told
    };
    engine.send(THREE);
    let told = trace(&mut engine, "traceboard");
    assert!(told[0].ends_with("rule freestyle, board 15x15, white to move"), "{told:?}");
    for head in ["threats of black: 5", "threats of white: 5", "evaluation after", "order of"] {
        assert!(told.iter().any(|line| line.starts_with(&format!("MESSAGE {head}"))), "{told:?}");
    }
    assert_eq!(told.iter().filter(|line| line.starts_with("MESSAGE 15")).count(), 5);
    let no_entry = "MESSAGE table: no entry".to_owned();
    assert!(trace(&mut engine, "TRACESEARCH").contains(&no_entry));
    engine.send("INFO max_node 0\nINFO max_depth 6");
    let mv = ask(&mut engine, QUIET, "YXNBEST 1");
    // After our move it is the opponent's turn.
    let after = trace(&mut engine, "TRACEBOARD");
    engine.send(&format!("TAKEBACK {},{}", mv.0, mv.1));
    engine.expect("OK");
    assert_ne!(trace(&mut engine, "TRACEBOARD")[0], after[0]);
    let told = trace(&mut engine, "TRACESEARCH");
    let entry = told.last().unwrap();
    let name = format!("{}{}", char::from(b'a' + mv.0), mv.1 + 1);
    assert!(
        entry.starts_with("MESSAGE table: score exactly ") && entry.ends_with(&name),
        "{entry}"
    );
    for command in ["RELOADCONFIG", "reloadconfig config.toml"] {
        let told = trace(&mut engine, command);
        assert!(told.len() == 1 && told[0].contains("no configuration is needed"), "{told:?}");
    }
    engine.end();
    let mut engine = Engine::new();
    for command in ["TRACEBOARD", "TRACESEARCH"] {
        engine.send(command);
        engine.expect_error();
    }
    engine.end();
}

#[test]
fn blocked_moves_are_not_played_until_they_are_free_again() {
    let mut engine = engine(3_000);
    let stops = HashSet::from([(6, 7), (10, 7)]);
    let first = ask(&mut engine, THREE, "YXNBEST 1");
    assert!(stops.contains(&first));
    engine.send(&format!("yxblock\n{},{}\ndone", first.0, first.1));
    let second = ask(&mut engine, THREE, "YXNBEST 1");
    assert!(stops.contains(&second) && second != first);
    // Yixin-Board starts a game before every move.
    engine.send("start 15 15");
    engine.expect("OK");
    assert_eq!(ask(&mut engine, THREE, "YXNBEST 2"), second);
    engine.send("YXBLOCK 6,7 10,7 DONE");
    assert!(!stops.contains(&ask(&mut engine, THREE, "YXNBEST 1")));
    let board = THREE.replace("YXBOARD", "BOARD");
    assert!(!stops.contains(&engine.ask(&board).0));
    engine.send(&format!("yxblockundo\n{},{}\ndone", second.0, second.1));
    assert_eq!(ask(&mut engine, THREE, "YXNBEST 1"), second);
    engine.send("yxblockreset");
    assert!(stops.contains(&ask(&mut engine, THREE, "YXNBEST 1")));
    engine.end();
}

#[test]
fn a_blocked_path_counts_in_its_position() {
    let mut engine = engine(3_000);
    let path = "7,7 0,0 8,7 0,14 9,7";
    engine.send(&format!("YXBLOCKPATH {path} 6,7 DONE"));
    engine.send(&format!("YXBLOCKPATH {path} 5,7 DONE"));
    assert_eq!(ask(&mut engine, THREE, "YXNBEST 1"), (10, 7));
    engine.send(&format!("YXBLOCKPATHUNDO {path} 6,7 DONE\nYXBLOCKPATH {path} 10,7 DONE"));
    assert_eq!(ask(&mut engine, THREE, "YXNBEST 1"), (6, 7));
    engine.send(&format!("YXBLOCKPATH {path} 6,7 DONE"));
    let elsewhere = THREE.replace("0,0", "14,0");
    let stops = [(6, 7), (10, 7)];
    assert!(!stops.contains(&ask(&mut engine, THREE, "YXNBEST 1")));
    assert!(stops.contains(&ask(&mut engine, &elsewhere, "YXNBEST 1")));
    engine.send("yxblockpathreset");
    assert!(stops.contains(&ask(&mut engine, THREE, "YXNBEST 1")));
    // The second stone of a pair as well.
    let pair = |engine: &mut Engine| {
        engine.send("YXBOARD 7,7,1 8,8,2 DONE\nYXBALANCETWO 0");
        engine.line(LONG).unwrap()
    };
    let free = pair(&mut engine);
    engine.send(&format!("YXBLOCKPATH 7,7 8,8 {free} DONE"));
    assert_ne!(pair(&mut engine), free);
    engine.end();
}

#[test]
fn a_blocked_path_counts_in_the_lines_that_lead_to_it() {
    // Black's four has one answer; where that is blocked, the four wins.
    let position = "YXBOARD 7,7,1 6,7,2 8,7,1 0,0,2 9,7,1 0,14,2 DONE";
    let mut engine = engine(3_000);
    let score = |engine: &mut Engine| {
        let mv = ask(engine, position, "YXNBEST 1");
        (mv, value(engine.messages.last().unwrap(), "ev").unwrap().to_owned())
    };
    assert_ne!(score(&mut engine).1, "+M3");
    engine.send("YXBLOCKPATH 7,7 6,7 8,7 0,0 9,7 0,14 10,7 11,7 DONE");
    assert_eq!(score(&mut engine), ((10, 7), "+M3".to_owned()));
    engine.send("YXBLOCKPATHRESET");
    assert_ne!(score(&mut engine).1, "+M3");
    engine.end();
}

#[test]
fn a_search_begins_and_ends_with_the_depths_that_are_asked_for() {
    let depths = |limits: &str| {
        let mut engine = engine(20_000);
        engine.send(limits);
        ask(&mut engine, QUIET, "YXNBEST 1");
        let depth = |message: &String| {
            let plies = value(message, "depth").unwrap();
            plies.split_once('-').unwrap().0.parse::<u8>().unwrap()
        };
        engine.messages.iter().map(depth).collect::<Vec<_>>()
    };
    assert_eq!(depths("info start_depth 0")[..2], [1, 2]);
    assert_eq!(depths("info start_depth 5")[..2], [5, 6]);
    // The last message is that of the result.
    assert_eq!(depths("info max_depth 3"), [1, 2, 3, 3]);
    assert_eq!(depths("info max_depth 3\ninfo start_depth 5"), [3, 3]);
}

#[test]
fn who_is_weak_looks_at_less() {
    let nodes = |strength: u8| {
        let mut engine = engine(9_000);
        engine.send(&format!("INFO strength {strength}"));
        ask(&mut engine, QUIET, "YXNBEST 1");
        value(engine.messages.last().unwrap(), "n").unwrap().parse::<u32>().unwrap()
    };
    let [beginner, middle, full] = [0, 50, 100].map(nodes);
    assert!(beginner < middle && middle < full && full >= 9_000, "{beginner} {middle} {full}");
}

#[test]
fn of_symmetric_moves_one_is_told_if_that_is_asked_for() {
    // The stones lie on the diagonal, so that x,y is the same move as y,x.
    let position = "YXBOARD 7,7,2 8,8,1 6,6,2 DONE";
    let count_symmetric = |nbestsym: u8| {
        let mut engine = engine(20_000);
        engine.send(&format!("INFO nbestsym {nbestsym}"));
        ask(&mut engine, position, "YXNBEST 6");
        let last = &engine.messages[engine.messages.len() - 6..];
        let moves: Vec<Point> = last.iter().map(|m| named(value(m, "pv").unwrap())).collect();
        moves.iter().filter(|&&(x, y)| x < y && moves.contains(&(y, x))).count()
    };
    assert!(count_symmetric(0) > 0);
    assert_eq!(count_symmetric(1), 0);
}

#[test]
fn searchdefend_marks_all_moves_that_lose() {
    let mut engine = engine(60_000);
    let mv = ask(&mut engine, THREE, "yxsearchdefend");
    let losers = marked(&engine, "MESSAGE REALTIME LOST ");
    let stops = [(6, 7), (10, 7)];
    assert!(stops.contains(&mv) && losers.len() > 20, "{mv:?} {losers:?}");
    assert!(stops.iter().all(|stop| !losers.contains(stop)), "{losers:?}");
    assert!([(7, 6), (5, 7), (9, 9)].iter().all(|c| losers.contains(c)), "{losers:?}");
    engine.end();
}

#[test]
fn realtime_marks_come_when_they_are_asked_for() {
    // The moves of the root are marked after 0.2 s only.
    let mut engine = engine(0);
    engine.send("info timeout_turn 1500\ninfo show_detail 1");
    let mv = ask(&mut engine, QUIET, "YXNBEST 1");
    let best = marked(&engine, "MESSAGE REALTIME BEST ");
    assert_eq!(best.last(), Some(&mv));
    let last = engine.messages[engine.messages.len() - 4..].iter();
    let words: Vec<&str> = last.map(|message| message.split(' ').nth(2).unwrap()).collect();
    assert_eq!(words, ["REFRESH", "BEST", "VAL", "PV"]);
    let entered = marked(&engine, "MESSAGE REALTIME POS ");
    let left = marked(&engine, "MESSAGE REALTIME DONE ");
    assert!(!entered.is_empty() && !left.is_empty(), "{:?}", engine.messages);
    let values = engine.messages.iter().filter_map(|m| m.strip_prefix("MESSAGE REALTIME VAL "));
    values.for_each(|value| assert!(value.parse::<i32>().is_ok()));
    engine.messages.clear();
    engine.send("INFO show_detail 0\nINFO max_node 2000");
    ask(&mut engine, QUIET, "YXNBEST 1");
    assert!(engine.messages.iter().all(|message| !message.contains("REALTIME")));
    engine.end();
}

#[test]
fn names_of_points_are_those_of_yixin_board_there() {
    let mut engine = engine(2_000);
    engine.send("info show_detail 1\nyxshowinfo");
    let (row, column) = ask(&mut engine, QUIET, "yxnbest 1");
    let name = format!("{}{}", char::from(b'a' + column), 15 - row);
    let pv = engine.messages.iter().rfind(|message| message.starts_with("MESSAGE REALTIME PV "));
    assert_eq!(value(pv.unwrap(), "PV"), Some(name.as_str()));
    let summary = engine.messages.iter().rfind(|message| message.starts_with("MESSAGE depth "));
    assert_eq!(value(summary.unwrap(), "pv"), Some(name.as_str()));
    engine.end();
}

#[test]
fn a_rectangle_of_yixin_board_has_rows_as_first_coordinates() {
    let mut engine = Engine::new();
    // 15 columns and 20 rows.
    engine.send("INFO max_node 2000\nyxshowinfo\nSTART 15 20");
    engine.expect("OK");
    let row = engine.ask("board\n18,13,2\n17,12,1\n19,13,2\n17,13,1\ndone").0.0;
    assert!(row > 10, "{row}");
    // The row is counted from below in messages: 20 - 18.
    engine.messages.clear();
    engine.send("yxblockreset\nyxnbest 1");
    let (row, column) = engine.expect_move();
    let name = format!("{}{}", char::from(b'a' + column), 20 - row);
    assert_eq!(value(engine.messages.last().unwrap(), "pv"), Some(name.as_str()));
    engine.send("TURN 0,15");
    engine.expect_error();
    // The Gomocup's own word is what it was.
    engine.send("RECTSTART 20,15\nTURN 19,14");
    engine.expect("OK");
    engine.expect_move();
    engine.end();
}

#[test]
fn numbers_come_line_by_line_for_gomocalc() {
    let mut engine = engine(20_000);
    engine.infos = Some(Vec::new());
    engine.send("INFO SHOW_DETAIL 2");
    let mv = ask(&mut engine, QUIET, "YXNBEST 2");
    assert!(engine.messages.iter().all(|message| !message.contains("REALTIME")));
    let infos = engine.infos.clone().unwrap();
    let keys = [
        "PV",
        "NUMPV",
        "DEPTH",
        "SELDEPTH",
        "NODES",
        "TOTALNODES",
        "TOTALTIME",
        "SPEED",
        "EVAL",
        "WINRATE",
        "BESTLINE",
        "PV",
    ];
    assert!(infos.len() >= 24 && infos.len().is_multiple_of(12));
    let groups: Vec<&[String]> = infos.chunks(12).collect();
    let number = |group: &[String]| group[0].clone();
    assert_eq!(groups[..2].iter().map(|group| number(group)).collect::<Vec<_>>(), ["PV 0", "PV 1"]);
    for group in &groups {
        let pairs: Vec<(&str, &str)> = group.iter().map(|l| l.split_once(' ').unwrap()).collect();
        assert!(pairs.iter().map(|pair| pair.0).eq(keys), "{group:?}");
        assert!(["0", "1"].contains(&pairs[0].1), "{group:?}");
        assert_eq!((pairs[1].1, pairs[11].1), ("2", "DONE"));
        let rate: f64 = pairs[9].1.parse().unwrap();
        assert!((0.0..=1.0).contains(&rate));
        assert!(pairs[10].1.split(' ').all(|point| parse_point(point).is_some()), "{group:?}");
    }
    let best = infos[infos.len() - 24..][10].strip_prefix("BESTLINE ").unwrap();
    assert!(best.starts_with(&format!("{},{}", mv.0, mv.1)));
    engine.end();
}

/// Returns everything that the engine writes in answer to a script.
fn raw(script: &str) -> Vec<String> {
    let text = shell::printed(shell::run(command(&program()), script));
    text.lines().map(str::to_owned).collect()
}

/// Returns true for the message that managers get about a search, word by word.
fn is_summary(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    words.len() > 12
        && [0, 1, 3, 5, 7, 9, 11].map(|i| words[i])
            == ["MESSAGE", "depth", "ev", "n", "n/ms", "tm", "pv"]
        && words[2].split('-').all(|plies| plies.parse::<u32>().is_ok())
}

/// The extension changes no answer to what Gomocup's managers send, and neither do the settings
/// that Yixin-Board sends besides.
#[test]
fn a_tournament_sees_nothing_of_the_extension() {
    let script = "ABOUT\nINFO seed 1\nSTART 15\nINFO timeout_turn 30000\nINFO max_node 4000\nINFO rule 2\n\
        BEGIN\nTURN 8,8\nTAKEBACK 8,8\nTURN 6,8\nRESTART\nINFO rule 4\nBOARD\n7,7,1\n8,8,2\n\
        DONE\nPLAY 0,0\nTURN 7,7\nSTART 20\nINFO rule 1\nSWAP2BOARD\nDONE\nBOARD\nDONE\n\
        START 15\nSWAP2BOARD\n7,7\n8,8\n9,9\nDONE\nFOO\nSTART 99\nEND\n";
    let lines = raw(script);
    let (messages, answers): (Vec<&String>, Vec<&String>) =
        lines.iter().partition(|line| line.starts_with("MESSAGE"));
    assert!(messages.iter().all(|message| is_summary(message)), "{messages:?}");
    for answer in &answers {
        let was_asked_for = ["INFO ", "FORBID "].iter().all(|word| !answer.starts_with(word));
        assert!(is_reply(answer) && was_asked_for, "{answer}");
    }
    let more = "INFO nbestsym 1\nINFO usedatabase 1\nINFO checkmate 1\n\
        INFO vcthread 2\nINFO thread_split_depth 5\nINFO pondering 0\nyxblockreset\n\
        yxblockpathreset\nyxquerydatabaseone\n1,1\ndone\nyxdbcheck\n";
    let with_more = script.replace("START", &format!("{more}START"));
    let with_more = raw(&with_more.replace(&format!("RE{more}START"), &format!("{more}RESTART")));
    let answers_with_more = with_more.iter().filter(|line| !line.starts_with("MESSAGE"));
    assert!(answers_with_more.eq(answers), "{lines:#?}\n{with_more:#?}");
}

#[test]
fn stop_ends_a_search_for_several_lines_with_one_move() {
    let mut engine = Engine::with_board(15);
    engine.send("INFO timeout_turn 2000000\nINFO timeout_match 100000000");
    engine.send(QUIET);
    engine.send("yxnbest 5");
    // The search runs, so that the request was read; what follows comes later than its batch.
    engine.next_message();
    engine.expect_silence(ms(250));
    engine.send("yxstop");
    engine.expect_move();
    engine.expect_silence(ms(200));
    engine.end();
}

#[test]
fn the_table_goes_to_a_file_and_back() {
    let folder = folder("table");
    let file = folder.join("my table.bin").into_os_string().into_string().unwrap();
    let mut engine = engine(100_000);
    // A small table, which a short search fills far enough to see it.
    engine.send("yxshowinfo\nINFO hash_size 4096\nABOUT");
    assert!(engine.line(LONG).unwrap().starts_with("name="));
    assert_eq!(table_usage(&mut engine), 0.0);
    ask(&mut engine, QUIET, "YXNBEST 1");
    let full = table_usage(&mut engine);
    assert!(full > 0.5, "{full}");
    let text = message(&mut engine, &format!("yxhashdump\n{file}"));
    assert!(text.contains(" written to ") && text.ends_with(" entries"), "{text}");
    // Another number of threads changes the table's size at the next search only.
    let again = message(&mut engine, &format!("INFO thread_num 2\nyxhashdump\n{file}"));
    assert_eq!(again, text);
    engine.send("INFO thread_num 1\nyxhashclear");
    assert_eq!(table_usage(&mut engine), 0.0);
    let empty = message(&mut engine, &format!("yxhashdump\n{file}"));
    assert!(empty.ends_with(": it has no entry"), "{empty}");
    let text = message(&mut engine, &format!("yxhashload\n{file}"));
    assert!(text.contains(" read from ") && text.ends_with(" entries"), "{text}");
    // A table that is loaded after a change of settings survives the next search.
    ask(&mut engine, QUIET, "INFO max_node 100\nYXNBEST 1");
    message(&mut engine, &format!("INFO draw_result 1\nINFO max_moves 90\nyxhashload\n{file}"));
    ask(&mut engine, QUIET, "YXNBEST 1");
    assert!(table_usage(&mut engine) > full / 2.0);
    // A new game under Yixin-Board keeps it.
    engine.send("start 15 15");
    engine.expect("OK");
    // The sample of its slots and what an older search left differ a little.
    assert!((table_usage(&mut engine) - full).abs() < full / 4.0);
    // Over an older table, but over nothing else.
    assert!(message(&mut engine, &format!("YXHASHDUMP {file}")).contains(" written to "));
    let other = folder.join("letter.txt");
    fs::write(&other, "Dear reader").unwrap();
    let other_name = other.display().to_string();
    assert!(
        message(&mut engine, &format!("yxhashdump\n{other_name}")).contains(" not written to ")
    );
    assert!(message(&mut engine, &format!("yxhashload\n{other_name}")).contains(" not read from "));
    assert_eq!(fs::read_to_string(&other).unwrap(), "Dear reader");
    let missing = folder.join("no folder").join("x").display().to_string();
    assert!(message(&mut engine, &format!("yxhashdump\n{missing}")).contains(" not written to "));
    assert!(message(&mut engine, &format!("yxhashload\n{missing}")).contains(" not read from "));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing unfinished is left");
    // A name in another encoding cannot be read as what it is.
    for line in [&b"YXHASHDUMP \xc6\xe5.bin\n"[..], b"yxhashload\n\xc6\xe5.bin\n"] {
        engine.write(line);
        engine.expect_error();
    }
    engine.end();
}

#[test]
fn only_under_yixin_board_a_new_game_keeps_the_table() {
    for is_yixin in [false, true] {
        let mut engine = engine(20_000);
        engine.send("INFO hash_size 1024");
        if is_yixin {
            engine.send("yxshowinfo");
        }
        for new_game in ["START 15 15", "RESTART"] {
            ask(&mut engine, QUIET, "YXNBEST 1");
            assert!(table_usage(&mut engine) > 2.0, "{new_game}");
            engine.send(new_game);
            engine.expect("OK");
            assert_eq!(table_usage(&mut engine) > 2.0, is_yixin, "{new_game}");
        }
        engine.end();
    }
}

#[test]
fn the_caution_factor_is_how_far_moves_may_be() {
    // Only the far cells are free to be played, and only a wide range holds them.
    let near = |range: i16| {
        let cells = (-range..=range).flat_map(|dx| (-range..=range).map(move |dy| (dx, dy)));
        cells.map(|(dx, dy)| format!("{},{}", 7 + dx, 7 + dy)).collect::<Vec<_>>().join(" ")
    };
    let mut engine = engine(2_000);
    engine.send(&format!("YXBLOCK {} DONE", near(2)));
    for (factor, square, line) in [(1, 2, 3), (2, 3, 3), (3, 3, 4), (4, 4, 4)] {
        engine.send(&format!("INFO caution_factor {factor}"));
        let (x, y) = ask(&mut engine, "YXBOARD 7,7,2 DONE", "YXNBEST 1");
        let (dx, dy) = (x.abs_diff(7), y.abs_diff(7));
        let is_line = dx == 0 || dy == 0 || dx == dy;
        assert!(dx.max(dy) <= square || is_line && dx.max(dy) <= line, "{factor}: {x},{y}");
    }
    // With all cells of a square of 4 blocked there is nothing but the rest of the board.
    engine.send(&format!("YXBLOCK {} DONE\nINFO caution_factor 5\nINFO max_node 20000", near(4)));
    engine.send("YXBOARD 7,7,2 DONE");
    engine.messages.clear();
    let ((x, y), _) = engine.ask("YXNBEST 3");
    assert!(x.abs_diff(7).max(y.abs_diff(7)) > 4, "{x},{y}");
    assert!(engine.messages.iter().any(|message| value(message, "multipv") == Some("3")));
    engine.end();
}

#[test]
fn pondering_fills_the_table_in_the_opponents_time() {
    let mut growth = Vec::new();
    for pondering in [0, 1] {
        let mut engine = engine(2_000);
        engine.send(&format!("yxshowinfo\nINFO hash_size 1024\nINFO pondering {pondering}"));
        engine.send(&QUIET.replace("YX", ""));
        engine.expect_move();
        // Messages are no answers: nobody hears of what is pondered.
        engine.messages.clear();
        engine.expect_silence(ms(1_500));
        assert_eq!(engine.messages, Vec::<String>::new());
        growth.push(table_usage(&mut engine));
        // The game goes on, and a late END leaves at once.
        engine.ask("TURN 0,0");
        engine.expect_silence(ms(300));
        engine.end();
    }
    assert!(growth[1] > growth[0] + 2.0, "{growth:?}");
}

#[test]
fn a_first_move_without_a_search_is_pondered_behind_as_well() {
    let mut engine = engine(2_000);
    engine.send("yxshowinfo\nINFO hash_size 1024\nINFO pondering 1\nSTART 15 15");
    engine.expect("OK");
    engine.ask("BEGIN");
    engine.expect_silence(ms(1_500));
    let usage = table_usage(&mut engine);
    assert!(usage > 2.0, "{usage}");
    engine.end();
}

#[test]
fn no_pondering_follows_a_search_that_was_stopped() {
    let mut engine = engine(1_000_000_000);
    engine.send("yxshowinfo\nINFO hash_size 65536\nINFO pondering 1");
    engine.send(&QUIET.replace("YX", ""));
    engine.expect_silence(ms(100));
    engine.send("yxstop");
    engine.expect_move();
    let stopped = table_usage(&mut engine);
    engine.expect_silence(ms(1_000));
    assert_eq!(table_usage(&mut engine), stopped);
    engine.end();
}

#[test]
fn what_changes_nothing_does_not_keep_the_engine_from_pondering() {
    let usage = |lines: &str| {
        let mut engine = engine(2_000);
        engine.send("yxshowinfo\nINFO hash_size 1024\nINFO rule 2\nINFO pondering 1");
        engine.send(&QUIET.replace("YX", ""));
        // As Yixin-Board does with each move.
        engine.send("yxquerydatabaseall\n7,7\n8,8\n7,9\n6,6\ndone");
        engine.expect_move();
        engine.send(lines);
        engine.expect_silence(ms(800));
        let usage = table_usage(&mut engine);
        engine.end();
        usage
    };
    let queries = "yxquerydatabaseall\n7,7\ndone\nINFO evaluate 5,5\nINFO time_left 9000";
    let [idle, pondered] = ["yxstop", queries].map(usage);
    assert!(pondered > idle + 2.0, "{idle} {pondered}");
}

/// Sends lines and returns the messages that come until the engine answers another command.
fn messages(engine: &mut Engine, lines: &str) -> Vec<String> {
    engine.messages.clear();
    engine.send(&format!("{lines}\nABOUT"));
    assert!(engine.line(LONG).unwrap().starts_with("name="));
    let told = engine.messages.iter().filter(|message| !message.starts_with("MESSAGE depth "));
    told.cloned().collect()
}

/// Sends lines that are answered by one message, and returns that.
fn message(engine: &mut Engine, lines: &str) -> String {
    let mut told = messages(engine, lines);
    assert_eq!(told.len(), 1, "{told:?}");
    told.remove(0)
}

/// Returns how full the table is, in percent.
fn table_usage(engine: &mut Engine) -> f64 {
    let told = messages(engine, "yxshowhashusage");
    value(told.last().expect("a message"), "table").unwrap().parse().unwrap()
}

#[test]
fn a_database_that_cannot_be_opened_leaves_the_table_alone() {
    let mut engine = engine(100_000);
    // A small table, which a short search fills far enough to see it.
    engine.send("INFO hash_size 4096");
    ask(&mut engine, QUIET, "YXNBEST 1");
    let full = table_usage(&mut engine);
    assert!(full > 0.0);
    engine.send("INFO database /no/such/folder/games.db");
    engine.expect_error();
    assert_eq!(table_usage(&mut engine), full);
    engine.end();
}

/// Returns the point behind the head of a message.
fn stone(message: &str, head: &str) -> Point {
    let rest = message.strip_prefix(head).unwrap_or_else(|| panic!("{message}"));
    parse_point(&rest.trim().replace(' ', ",")).unwrap_or_else(|| panic!("{message}"))
}

#[test]
fn balance_places_stones_that_leave_the_wished_score() {
    let mut engine = engine(100_000);
    engine.send("INFO show_detail 1");
    for bias in [0, 100, 200] {
        let mv = ask(&mut engine, QUIET, &format!("YXBALANCEONE {bias}"));
        let value =
            engine.messages.iter().rev().find_map(|m| m.strip_prefix("MESSAGE REALTIME VAL "));
        let value: i32 = value.unwrap().parse().unwrap();
        assert!((value - bias).abs() < 75, "{bias}: {value}");
        engine.send(&format!("PLAY {},{}", mv.0, mv.1));
        engine.expect_error();
    }
    // A style is no part of the score.
    let one = format!("YXHASHCLEAR\n{QUIET}\nINFO max_node 3000\nYXBALANCEONE 0");
    let (neutral, _) = engine.ask(&one);
    for style in [0, 100] {
        assert_eq!(engine.ask(&format!("INFO style {style}\n{one}")).0, neutral, "{style}");
    }
    engine.send(QUIET);
    engine.send("yxbalancetwo 0");
    let line = engine.line(LONG).unwrap();
    let points: Vec<Point> = line.split(' ').map(|point| parse_point(point).unwrap()).collect();
    assert!(points.len() == 2 && points[0] != points[1], "{line}");
    // Both are on the board, one of them ours.
    for (x, y) in points {
        engine.send(&format!("TAKEBACK {x},{y}"));
        engine.expect("OK");
    }
    engine.end();
}

#[test]
fn swap2_is_played_in_the_messages_of_yixin_board() {
    let mut engine = engine(10_000);
    let opening = messages(&mut engine, "yxswap2step1");
    let stones: HashSet<Point> = opening
        .iter()
        .zip(["MOVE1 ", "MOVE2 ", "MOVE3 "])
        .map(|(message, head)| stone(message, &format!("MESSAGE SWAP2 {head}")))
        .collect();
    assert_eq!((opening.len(), stones.len()), (3, 3));
    // Black has an open two and the move after next; white wants to be black.
    let three = "YXBOARD 7,7,2 0,0,1 9,7,2 DONE";
    let told = messages(&mut engine, &format!("{three}\nyxswap2step2"));
    assert_eq!(told, ["MESSAGE SWAP2 SWAP1 YES"]);
    let won = "YXBOARD 7,7,2 0,0,1 8,7,2 0,14,1 9,7,2 DONE";
    let told = messages(&mut engine, &format!("{won}\nyxswap2step3"));
    assert_eq!(told, ["MESSAGE SWAP2 SWAP2 YES"]);
    // We are black now: the next stone is white's, and black completes its four.
    assert!([(6, 7), (10, 7)].contains(&engine.ask("TURN 14,14").0));
    // Two stones that we put down stay, and the next one is white's.
    let level = [
        "5,4,2 6,5,1 10,3,2",
        "7,9,2 8,10,1 10,6,2",
        "6,1,2 0,8,1 0,3,2",
        "1,0,2 0,2,1 9,1,2",
        "1,8,2 3,3,1 1,5,2",
        "0,8,2 0,9,1 8,1,2",
        "7,5,2 8,1,1 0,0,2",
        "8,4,2 1,9,1 6,9,2",
    ];
    let mut told = level.iter().map(|stones| {
        let position = format!("YXHASHCLEAR\nYXBOARD {stones} DONE");
        messages(&mut engine, &format!("{position}\nyxswap2step2"))
    });
    let told = told.find(|told| told.len() == 2).expect("two stones after some of these");
    let (x, y) = stone(&told[0], "MESSAGE SWAP2 MOVE4 ");
    engine.send(&format!("TURN {x},{y}"));
    assert!(engine.line(LONG).unwrap().starts_with("ERROR "));
    // Whose stone the last one is called does not matter.
    for owners in [[2, 1, 2], [1, 2, 1]] {
        let [first, second, third] = owners;
        let level = format!("YXBOARD 7,7,{first} 8,8,{second} 9,7,{third} DONE\nyxswap2step2");
        engine.send("YXHASHCLEAR");
        assert_eq!(messages(&mut engine, &level), ["MESSAGE SWAP2 SWAP1 YES"], "{owners:?}");
    }
    let lost = "YXBOARD 0,0,2 7,7,1 0,14,2 9,7,1 14,14,2 DONE";
    let told = messages(&mut engine, &format!("{lost}\nyxswap2step3"));
    assert_eq!(told, ["MESSAGE SWAP2 SWAP2 NO"]);
    // Another manager is answered in its own words afterwards.
    engine.send("SWAP2BOARD 7,7 0,0 8,7 0,14 9,7 DONE");
    engine.expect("SWAP");
    engine.send(&format!("{won}\nyxswap2step2"));
    engine.expect_error();
    engine.end();
}

#[test]
fn swap1_and_swap2_of_rapfi_are_freestyle_with_a_choice() {
    // To a manager of the Gomocup these codes are renju.
    let forbidden = "YXBOARD 6,7,1 8,7,1 7,6,1 7,8,1 DONE\nYXSHOWFORBID";
    let mut engine = engine(20_000);
    for (code, before) in [(5, ""), (6, ""), (5, "yxshowinfo"), (6, "INFO swapable 0")] {
        engine.send("START 15");
        engine.expect("OK");
        engine.send(&format!("INFO rule {code}\n{before}\n{forbidden}"));
        // An empty line is none.
        let expected = if before.is_empty() { "FORBID 0707." } else { "FORBID ." };
        engine.expect(expected);
    }
    // The first stone is level: on the second line, and another one from game to game.
    engine.send("yxshowinfo\nINFO rule 5\nINFO swapable 1");
    let mut stones = HashSet::new();
    for _ in 0..8 {
        engine.send("START 15 15");
        engine.expect("OK");
        let (x, y) = engine.ask("BEGIN").0;
        let edge = |c: u8| c.min(14 - c);
        assert_eq!(edge(x).min(edge(y)), 1, "{x},{y}");
        stones.insert((x, y));
    }
    assert!(stones.len() > 2, "{stones:?}");
    // The better colour is taken, if that may be.
    for request in ["BOARD 7,7,2 DONE", "START 15 15\nTURN 7,7"] {
        engine.send(request);
        if request.starts_with("START") {
            engine.expect("OK");
        }
        engine.expect("SWAP");
        // We are black now, and white's stone is answered.
        engine.ask("TURN 8,8");
    }
    // gomocalc waits for a move in any case.
    ask(&mut engine, "YXBOARD 7,7,2 DONE", "YXNBEST 1");
    ask(&mut engine, "YXBOARD 0,0,2 DONE", "YXNBEST 1");
    ask(&mut engine, "YXBOARD 7,7,2 8,8,1 7,8,2 DONE", "YXNBEST 1");
    engine.send("INFO swapable 0");
    ask(&mut engine, "YXBOARD 7,7,2 DONE", "YXNBEST 1");
    engine.send("INFO rule 6\nINFO swapable 1\nBOARD 7,7,2 0,0,1 8,7,2 DONE");
    engine.expect("SWAP");
    ask(&mut engine, "YXBOARD 0,0,2 7,7,1 14,14,2 DONE", "YXNBEST 1");
    ask(&mut engine, "YXBOARD 7,7,2 DONE", "YXNBEST 1");
    engine.end();
}

#[test]
fn a_game_of_so_many_moves_is_a_draw_or_who_wins_it() {
    // Black, to move, makes an open four and wins with the third ply, the ninth stone.
    let position = "YXBOARD 7,7,1 0,0,2 8,7,1 0,14,2 9,7,1 14,0,2 DONE";
    let mut engine = engine(20_000);
    let mut value_of = |infos: &str| {
        engine.messages.clear();
        engine.send(infos);
        ask(&mut engine, position, "YXNBEST 1");
        value(engine.messages.last().unwrap(), "ev").unwrap().to_owned()
    };
    assert_eq!(value_of("INFO max_moves 9"), "+M3");
    assert_eq!(value_of("INFO max_moves 8"), "0");
    assert_eq!(value_of("INFO draw_result 1"), "+M2");
    assert_eq!(value_of("INFO draw_result 2"), "-M2");
    assert_eq!(value_of("INFO draw_result 3"), "0");
    assert_eq!(value_of("INFO max_moves -1\nINFO draw_result 2"), "+M3");
    // A game that goes on all the same does so as if it had no end.
    assert_eq!(value_of("INFO max_moves 6\nINFO draw_result 0"), "+M3");
    engine.end();
}

#[test]
fn soosorv_is_played_in_the_messages_of_yixin_board() {
    let mut engine = engine(10_000);
    engine.send("yxshowinfo\nINFO rule 2");
    let opening = messages(&mut engine, "yxsoosorvstep1");
    let opening = &opening[opening.len() - 3..];
    let three: Vec<Point> = opening
        .iter()
        .zip(["MOVE1", "MOVE2", "MOVE3"])
        .map(|(message, head)| stone(message, &format!("MESSAGE SOOSORV {head}")))
        .collect();
    assert_eq!(three[0], (7, 7));
    let rows = |points: &[Point]| {
        points.iter().map(|(x, y)| format!("{x},{y}\n")).collect::<String>() + "done"
    };
    let told = messages(&mut engine, &format!("yxsoosorvstep2\n{}", rows(&three)));
    assert!(["MESSAGE SOOSORV SWAP1 YES", "MESSAGE SOOSORV SWAP1 NO"].contains(&told[0].as_str()));
    let told = messages(&mut engine, &format!("yxsoosorvstep3\n{}", rows(&three)));
    // Fifth moves are told as a number, not as other choices of the fourth.
    assert!(engine.messages.iter().all(|message| !message.contains("multipv")));
    let (point, count) = told[0].rsplit_once(' ').unwrap();
    let four = [&three[..], &[stone(point, "MESSAGE SOOSORV MOVE4")]].concat();
    assert!((1..=8).contains(&count.parse::<usize>().unwrap()), "{told:?}");
    let told = messages(&mut engine, &format!("yxsoosorvstep4 3\n{}", rows(&four)));
    assert!(["MESSAGE SOOSORV SWAP2 YES", "MESSAGE SOOSORV SWAP2 NO"].contains(&told[0].as_str()));
    let told = messages(&mut engine, &format!("yxsoosorvstep5 3\n{}", rows(&four)));
    assert_eq!((told.len(), told[0].as_str()), (5, "MESSAGE SOOSORV MOVE5 REFRESH"));
    assert_eq!(told[4], "MESSAGE SOOSORV MOVE5 DONE");
    let fifth: Vec<Point> =
        told[1..4].iter().map(|message| stone(message, "MESSAGE SOOSORV MOVE5")).collect();
    assert_eq!(fifth.iter().collect::<HashSet<_>>().len(), 3);
    assert!(fifth.iter().all(|point| !four.contains(point)));
    let all = [&four[..], &fifth].concat();
    let told = messages(&mut engine, &format!("yxsoosorvstep6\n{}", rows(&all)));
    assert!(fifth.contains(&stone(&told[0], "MESSAGE SOOSORV MOVE5C")), "{told:?}");
    // Black's weakest fifth move is white's choice.
    let weak = [&four[..], &[fifth[0], (0, 0)]].concat();
    let told = messages(&mut engine, &format!("yxsoosorvstep6\n{}", rows(&weak)));
    assert_eq!(told, ["MESSAGE SOOSORV MOVE5C 0 0"]);
    for wrong in ["yxsoosorvstep4 9", "yxsoosorvstep4", "yxsoosorvstep5 0"] {
        engine.send(&format!("{wrong}\n{}", rows(&four)));
        engine.expect_error();
    }
    for (step, points) in [(2, &four[..]), (4, &three), (6, &four)] {
        let count = if step == 4 { " 2" } else { "" };
        engine.send(&format!("yxsoosorvstep{step}{count}\n{}", rows(points)));
        engine.expect_error();
    }
    engine.end();
}
