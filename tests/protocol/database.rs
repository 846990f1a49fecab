//! The database by the words of Yixin-Board and Rapfi, and many positions in it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tengen_gomoku::board::Board;
use tengen_gomoku::record::{load, renlib};
use tengen_gomoku::types::{BoardSize, Coord, Rule};

use crate::engine_process::{Engine, LONG};
use crate::positions::random::random_moves;
use crate::positions::{board_after, size};
use crate::scratch::{folder, text_of};
use crate::shell::{number, numbers};
use fastrand::Rng;
use tengen::database::entry::{DatabaseEntry, StoredScore};
use tengen::database::position::StoredPosition;
use tengen::database::{Database, DatabaseTransaction};
use tengen::score::{Bound, Score};

#[test]
fn files_that_are_no_databases_are_refused_in_one_line() {
    let file = folder("refused").join("notes.db");
    fs::write(&file, "not a database\n").unwrap();
    let name = text_of(&file);
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO database {name}"));
    let answer = engine.line(LONG).unwrap();
    assert_eq!(answer, format!("ERROR database {name}: this is no database of Tengen"));
    engine.end();
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a database\n");
}

/// Returns the numbers and the text of the lines about moves that a query is answered by.
fn all(engine: &mut Engine, moves: &str) -> Vec<String> {
    engine.send(&format!("yxquerydatabaseall\n{moves}done"));
    let lines = engine.messages_to("MESSAGE DATABASE DONE");
    let head = "MESSAGE DATABASE ";
    let start = lines.iter().position(|line| line == "MESSAGE DATABASE REFRESH").unwrap();
    let middle = &lines[start + 1..lines.len() - 1];
    middle.iter().map(|line| line.strip_prefix(head).unwrap().to_owned()).collect()
}

/// Sends a command on a position and returns the message that answers it.
fn one(engine: &mut Engine, command: &str, moves: &str) -> String {
    engine.send(&format!("{command}\n{moves}done\nyxsavedatabase"));
    let mut messages = Vec::new();
    while messages.last().is_none_or(|line: &String| !line.contains(" positions")) {
        messages.push(engine.next_message());
    }
    messages.pop();
    messages.join("|")
}

#[test]
fn yixin_board_is_shown_what_the_database_holds() {
    let file = text_of(&folder("yixin").join("my games.db"));
    let mut engine = Engine::with_board(15);
    engine.send(&format!("yxsetdatabase\n{file}"));
    engine.messages_to(&format!("MESSAGE 0 positions in {file}"));
    assert_eq!(all(&mut engine, "7,7\n"), [""; 0]);
    engine.send("INFO max_node 3000\nyxboard\n7,7,1\n8,8,2\ndone\nyxnbest 1");
    engine.expect_move();
    // The move is known now, seen by the one who makes it; four moves are its images.
    let lines = all(&mut engine, "7,7\n");
    let numbers: Vec<Vec<i32>> = lines
        .iter()
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    let points: Vec<&[i32]> = numbers.iter().map(|line| &line[..2]).collect();
    assert_eq!(points, [[6, 6], [8, 6], [6, 8], [8, 8]]);
    let [.., tag, value, depth, 3, 0] = numbers[3][..] else { panic!("{lines:?}") };
    let percent = |tag: i32| {
        let digit = |c: i32| char::from(c as u8).to_digit(10).unwrap();
        10 * digit(tag >> 8) + digit(tag & 255)
    };
    assert!(depth > 3 && (value < 0) == (percent(tag) >= 50), "{lines:?}");
    let known = one(&mut engine, "yxquerydatabaseone", "7,7\n8,8\n");
    assert_eq!(known, format!("MESSAGE DATABASE ONE -1 {value} {depth} 3 {}", percent(tag)));
    assert_eq!(one(&mut engine, "yxquerydatabaseone", "0,0\n"), "MESSAGE DATABASE ONE 0 0 0 0");
    engine.end();
}

#[test]
fn yixin_board_edits_the_database() {
    let file = text_of(&folder("edits").join("e.db"));
    let mut engine = Engine::with_board(15);
    engine.send(&format!("info database {file}"));
    engine.messages_to(&format!("MESSAGE 0 positions in {file}"));
    let engine = &mut engine;
    let h8 = "7,7\n";
    let tagged = one(engine, "yxedittvddatabase 1 87 0 0", h8);
    assert_eq!(tagged, "MESSAGE DATABASE ONE 119 0 0 0 w");
    assert_eq!(
        one(engine, "yxedittvddatabase 2 -1 -40 0", h8),
        "MESSAGE DATABASE ONE 119 -40 0 3 w"
    );
    assert_eq!(
        one(engine, "yxedittvddatabase 4 -1 0 12", h8),
        "MESSAGE DATABASE ONE 119 -40 12 3 w"
    );
    assert_eq!(
        one(engine, "yxedittvddatabase 1 -1 0 0", h8),
        "MESSAGE DATABASE ONE -1 -40 12 3 55"
    );
    assert_eq!(one(engine, "yxedittextdatabase \"a \\\"b\\\" \\\\ 五\"", h8), "");
    let comment = one(engine, "yxquerydatabasetext", h8);
    assert_eq!(comment, "MESSAGE DATABASE TEXT \"a \\\"b\\\" \\\\ 五\"");
    assert_eq!(one(engine, "yxeditlabeldatabase 3,4 here it is", ""), "");
    assert_eq!(all(engine, ""), ["3 4 -1 0 0 0 0 here it is", "7 7 13621 -40 12 3 1"]);
    assert_eq!(one(engine, "yxeditlabeldatabase 3,4", ""), "");
    assert_eq!(all(engine, ""), ["7 7 13621 -40 12 3 1"]);
    // Yixin-Board sends no point: the text is for the last move.
    assert_eq!(one(engine, "yxeditlabeldatabase two, three", "3,4\n"), "");
    assert_eq!(all(engine, "")[0], "3 4 -1 0 0 0 0 two, three");
    assert_eq!(one(engine, "yxeditlabeldatabase", "3,4\n"), "");
    assert_eq!(all(engine, "").len(), 1);
    for none in ["of no move\ndone", "3,4 of a cell with a stone\n3,4\ndone"] {
        engine.send(&format!("yxeditlabeldatabase {none}"));
        engine.expect_error();
    }
    // Of a long label a line has the beginning.
    let long = "五".repeat(2_000);
    assert_eq!(one(engine, &format!("yxeditlabeldatabase 3,4 {long}"), ""), "");
    assert_eq!(all(engine, "")[0], format!("3 4 -1 0 0 0 0 {}", "五".repeat(200)));
    assert_eq!(one(engine, "yxeditlabeldatabase 3,4", ""), "");
    // Comments are told whole, with their line breaks, and no line of them is a command.
    for text in ["a\nEND\n\ndone\n\"b\" 五\n7,7".to_owned(), "a\"五".repeat(10_000)] {
        let quoted = format!("\"{}\"", text.replace('"', "\\\""));
        engine.send(&format!("yxedittextdatabase {quoted}9,9\ndone"));
        let comment = one(engine, "yxquerydatabasetext", "9,9\n");
        assert_eq!(comment, format!("MESSAGE DATABASE TEXT {quoted}"));
    }
    assert_eq!(one(engine, "yxdeletedatabaseone", "9,9\n"), "");
    // The best move of the position before the last move.
    assert_eq!(one(engine, "yxsetbestmovedatabase", "7,7\n8,8\n"), "");
    engine.send("yxdbtotxt\n/no folder/x.jsonl");
    engine.expect_error();
    let export = text_of(&folder("edits-out").join("e.jsonl"));
    engine.send(&format!("yxdbtotxtall\n{export}"));
    engine.messages_to(&format!("MESSAGE 2 positions written: {export}"));
    assert!(
        fs::read_to_string(&export).unwrap().contains("\"best\":\"i9\"")
            || fs::read_to_string(&export).unwrap().contains("\"best\":\"g7\"")
    );
    assert_eq!(one(engine, "yxclearbestmovedatabase", "7,7\n8,8\n"), "");
    assert_eq!(one(engine, "yxdeletedatabaseone", "7,7\n6,6\n"), "");
    assert_eq!(all(engine, "7,7\n").len(), 0);
    for wrong in ["yxedittvddatabase x", "yxdeletedatabaseall some"] {
        engine.send(&format!("{wrong}\n7,7\ndone"));
        engine.expect_error();
    }
    for path in ["7,7\n7,7\n", "15,0\n", "x\n"] {
        engine.send(&format!("yxquerydatabaseone\n{path}done"));
        engine.expect_error();
    }
    engine.send("yxdbcheck");
    engine.messages_to(&format!("MESSAGE 2 sound positions in {file}"));
}

#[test]
fn filters_of_rapfi_delete_what_they_name() {
    // Each is the row of a move, what is known of it, and a person's mark.
    let moves = [
        (7, Score::loss_in(2), None),
        (6, Score::loss_in(6), None),
        (5, Score::win_in(4), None),
        (4, Score::eval(9), None),
        (3, Score::eval(1), Some(b'w')),
        (2, Score::eval(1), Some(b'l')),
    ];
    // The moves that are left, and those after which an open position and a won one are left.
    for (filter, left, open, won) in [
        ("", "", "", ""),
        ("w", "542", "542", "542"),
        ("L", "7643", "7643", "7643"),
        ("wl", "4", "4", "4"),
        ("nonwl", "76532", "76532", "76532"),
        ("wlnostep", "7654", "7654", "7654"),
        ("wlinstep 5", "6432", "6432", "6432"),
        ("wlinstep 2", "765432", "765432", "765432"),
        ("wlrecursive", "4", "4", ""),
        ("nonwlrecursive", "76532", "", "76532"),
        ("WRecursive", "542", "542", ""),
        ("lrecursive", "7643", "7643", "7643"),
        ("wlnosteprecursive", "7654", "7654", "7654"),
        ("wlinsteprecursive 5", "6432", "6432", ""),
        ("wld", "4", "4", "4"),
        ("nonwldrecursive", "76532", "", "76532"),
    ] {
        let file = folder("filters").join("f.db");
        let database = Database::open(&file).unwrap();
        let after =
            |row: i32, rest: &str| StoredPosition::of(&board_of(&cells(&format!("7,{row}{rest}"))));
        let put = |position: StoredPosition, score, mark| {
            let evaluation = Some(StoredScore { score, bound: Bound::Exact, depth: 4 });
            let entry = DatabaseEntry { evaluation, mark, ..DatabaseEntry::default() };
            database.update(|writer| writer.put(&position, &entry)).unwrap();
        };
        for (row, score, mark) in moves {
            put(after(row, ""), score, mark);
            put(after(row, " 0,0"), Score::eval(5), None);
            put(after(row, " 0,1"), Score::loss_in(4), None);
        }
        // No move leads to it from a known position.
        put(after(7, " 0,5 0,7"), Score::loss_in(2), None);
        let mut engine = Engine::with_board(15);
        let name = text_of(&file);
        engine.send(&format!("INFO database {name}\nYXDELETEDATABASEALL {filter}\nDONE"));
        engine.messages_to("MESSAGE DATABASE DONE");
        engine.end();
        let is_known = |row, rest| database.get(&after(row, rest)).unwrap().is_some();
        let known = |rest| -> String {
            let rows = moves.iter().filter(|(row, ..)| is_known(*row, rest));
            rows.map(|(row, ..)| row.to_string()).collect()
        };
        assert_eq!([known(""), known(" 0,0"), known(" 0,1")], [left, open, won], "{filter}");
        assert!(is_known(7, " 0,5 0,7"), "{filter}");
    }
}

/// Returns the cells of `x,y` pairs.
fn cells(text: &str) -> Vec<Coord> {
    let pair = |pair: &str| {
        let (x, y) = pair.split_once(',').unwrap();
        Coord::new(x.parse().unwrap(), y.parse().unwrap())
    };
    text.split(' ').map(pair).collect()
}

/// `TENGEN_WRITES` sets the number of positions.
#[test]
fn three_engines_write_to_one_database_at_once() {
    let file = folder("three").join("t.db");
    let name = text_of(&file);
    let count = number("TENGEN_WRITES", 90) as usize / 3;
    let mut engines = [0, 1, 2].map(|_| Engine::with_board(15));
    // The one that makes it, and two that find it.
    engines.iter_mut().for_each(|engine| engine.send(&format!("INFO database {name}")));
    engines.iter_mut().for_each(|engine| {
        engine.messages_to(&format!("MESSAGE 0 positions in {name}"));
    });
    let mut rows = Vec::new();
    for i in 0..count {
        for (number, engine) in engines.iter_mut().enumerate() {
            let row = format!("{},{} {},{number}", i % 15, i / 15 % 15, 14 - i / 225 % 15);
            let points = cells(&row);
            if points[0] != points[1] {
                let list = row.replace(' ', "\n");
                engine.send(&format!("yxedittextdatabase \"by {number}\"\n{list}\ndone"));
                rows.push(points);
            }
        }
        if i % 10 == 9 || i + 1 == count {
            for engine in &mut engines {
                engine.send("yxsavedatabase");
                while !engine.next_message().ends_with(&format!(" positions in {name}")) {}
            }
        }
    }
    engines.into_iter().for_each(Engine::end);
    let database = Database::open(&file).unwrap();
    for points in rows {
        let entry = database.get(&StoredPosition::of(&board_of(&points))).unwrap();
        assert!(entry.is_some_and(|entry| entry.comment.starts_with("by ")), "{points:?}");
    }
}

/// Opens a database under the engine and gives each of these positions a comment.
fn engine_with(file: &str, positions: &[&str]) -> Engine {
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO database {file}"));
    engine.messages_to(&format!("MESSAGE 0 positions in {file}"));
    for moves in positions {
        let rows = moves.replace(' ', "\n");
        engine.send(&format!("yxedittextdatabase \"of {moves}\"\n{rows}\ndone"));
    }
    engine.send("yxsavedatabase");
    engine.messages_to(&format!("MESSAGE {} positions in {file}", positions.len()));
    engine
}

#[test]
fn databases_are_merged_and_split_by_the_words_of_rapfi() {
    let folder = folder("merge");
    let [first, second, third] = ["a.db", "b.db", "c.db"].map(|name| text_of(&folder.join(name)));
    let engine = engine_with(&first, &["7,7", "7,7 8,8", "7,7 8,8 9,9", "0,0"]);
    engine.end();
    let mut engine = engine_with(&second, &["7,7 8,8", "7,7 7,8"]);
    let before = fs::read(&first).unwrap();
    // What people wrote stays, and what is missing comes.
    engine.send(&format!("yxdbmerge\n{first}"));
    engine.messages_to(&format!("MESSAGE 4 positions merged: {first}"));
    assert!(fs::read(&first).unwrap() == before);
    engine.send("yxsavedatabase");
    engine.messages_to(&format!("MESSAGE 5 positions in {second}"));
    // The position on the board, what led to it and what is behind it.
    engine.send(&format!("yxboard\n7,7,1\n8,8,2\ndone\nyxdbsplit {third}"));
    engine.messages_to(&format!("MESSAGE 3 positions copied: {third}"));
    engine.send(&format!("yxdbsplit {third}\nyxdbfix"));
    engine.messages_to(&format!("MESSAGE 3 positions copied: {third}"));
    engine.messages_to(&format!("MESSAGE 5 sound positions in {second}"));
    assert_eq!(
        one(&mut engine, "yxquerydatabasetext", "7,7\n6,6\n"),
        "MESSAGE DATABASE TEXT \"of 7,7 8,8\""
    );
    engine.end();
    let copied = Database::open(Path::new(&third)).unwrap();
    assert_eq!(copied.count().unwrap(), 3);
}

#[test]
fn an_import_tells_of_its_first_faults_and_reads_no_device() {
    let folder = folder("import-faults");
    let [own, bad] = ["a.db", "bad.txt"].map(|name| text_of(&folder.join(name)));
    fs::write(&bad, "{}\n".repeat(25)).unwrap();
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO database {own}"));
    engine.messages_to(&format!("MESSAGE 0 positions in {own}"));
    engine.send(&format!("yxtxttodb\n{bad}"));
    let told = engine.messages_to(&format!("MESSAGE 0 positions read: {bad}"));
    let is_fault = |line: &&String| line.starts_with(&format!("MESSAGE fault in {bad}: line "));
    assert_eq!(told.iter().filter(is_fault).count(), 20, "{told:?}");
    assert!(told.contains(&"MESSAGE and 5 further faults".to_owned()), "{told:?}");
    let device = text_of(&folder);
    engine.send(&format!("yxtxttodb\n{device}"));
    assert_eq!(engine.line(LONG).unwrap(), format!("ERROR cannot read {device}: this is no file"));
    engine.end();
}

#[test]
fn files_that_cannot_be_merged_change_nothing() {
    let folder = folder("merge-faults");
    let [own, other, notes, none] =
        ["a.db", "b.db", "notes.txt", "none.db"].map(|name| text_of(&folder.join(name)));
    fs::write(&notes, "dear reader").unwrap();
    engine_with(&own, &["7,7"]).end();
    let mut damaged = fs::read(&own).unwrap();
    let place = damaged.len() - 4096;
    damaged[place..].fill(1);
    fs::write(&other, &damaged).unwrap();
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO database {own}"));
    engine.messages_to(&format!("MESSAGE 1 positions in {own}"));
    let mut fault = |line: String| {
        engine.send(&line);
        let answer = engine.line(LONG).unwrap();
        assert!(answer.starts_with("ERROR "), "{line}: {answer}");
        answer
    };
    for word in ["yxdbmerge", "yxdbsplit"] {
        assert_eq!(
            fault(format!("{word}\n{own}")),
            format!("ERROR {own}: this is the open database")
        );
        let foreign = format!("ERROR {notes}: this is no database of Tengen");
        assert_eq!(fault(format!("{word} {notes}")), foreign);
        assert_eq!(
            fault(format!("{word} {other}")),
            format!("ERROR {other}: the database is damaged")
        );
        assert!(fault(format!("{word} {}/x/y.db", folder.display())).contains("y.db"));
    }
    assert!(fault(format!("yxdbmerge {none}")).contains("none.db"));
    // No export takes the place of a database.
    for word in ["yxdbtotxt", "yxdbtolib", "yxdbtopos", "yxdbtotxtall"] {
        assert!(fault(format!("{word} {own}")).ends_with("this is a database"));
        assert!(fault(format!("{word} {other}")).ends_with("this is a database"));
    }
    engine.send("yxdbcheck");
    engine.messages_to(&format!("MESSAGE 1 sound positions in {own}"));
    engine.end();
    assert_eq!(fs::read_to_string(&notes).unwrap(), "dear reader");
    assert!(fs::read(&other).unwrap() == damaged);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing new is left");
}

#[test]
fn positions_and_libraries_are_written_whatever_the_name() {
    let folder = folder("positions");
    let [file, lines, library] =
        ["a.db", "lines.txt", "tree"].map(|name| text_of(&folder.join(name)));
    let mut engine = engine_with(&file, &["7,7", "7,7 8,8 9,9"]);
    engine.send(&format!("yxdbtopos\n{lines}"));
    engine.messages_to(&format!("MESSAGE 2 positions written: {lines}"));
    engine.send(&format!("yxdbtolib\n{library}"));
    let told = engine.next_message();
    assert!(
        told.starts_with("MESSAGE ") && told.ends_with(&format!(" nodes written: {library}")),
        "{told}"
    );
    engine.end();
    let text = fs::read_to_string(&lines).unwrap();
    assert_eq!(text.lines().count(), 2);
    let games = load(Path::new(&lines), size(15, 15)).unwrap();
    assert!(games.len() == 2 && games.iter().all(|game| game.record().is_ok()));
    assert!(renlib::parse(&fs::read(&library).unwrap(), None).unwrap().faults.is_empty());
}

/// The store's cache is part of the memory that the manager allows.
#[test]
#[cfg(target_os = "linux")]
fn memory_stays_below_the_limit_with_a_database() {
    let file = folder("memory").join("m.db");
    let mut rng = Rng::with_seed(6);
    let database = Database::open(&file).unwrap();
    // Several times as large as the cache.
    let comment = "x".repeat(1_000);
    database
        .update(|writer| {
            (0..20_000).try_for_each(|_| {
                let board = board_of(&random_moves(&mut rng, 12));
                let entry = DatabaseEntry { comment: comment.clone(), ..DatabaseEntry::default() };
                writer.put(&StoredPosition::of(&board), &entry)
            })
        })
        .unwrap();
    let count = database.count().unwrap();
    drop(database);
    for megabytes in [32u64, 64, 128] {
        let mut engine = Engine::with_board(15);
        engine.send(&format!("INFO max_memory {}\nINFO timeout_turn 150", megabytes << 20));
        // What is found now would be counted the next time.
        engine.send("INFO database_readonly 1");
        let name = text_of(&file);
        engine.send(&format!("INFO database {name}"));
        engine.messages_to(&format!("MESSAGE {count} positions in {name}"));
        for turn in ["TURN 0,0", "TURN 14,14", "TURN 0,14"] {
            engine.ask(turn);
        }
        engine.send("yxdbcheck\nyxquerydatabaseall\n7,7\ndone");
        engine.messages_to("MESSAGE DATABASE DONE");
        let peak = engine.peak_memory();
        println!("{megabytes} MB: a peak of {peak} kB");
        let most = if megabytes < 128 { megabytes } else { megabytes / 4 * 3 };
        assert!(peak < most << 10, "{megabytes} MB: {peak} kB");
        engine.end();
    }
}

#[test]
fn a_search_begins_behind_what_is_known_and_readonly_keeps_nothing() {
    let file = text_of(&folder("protocol").join("p.db"));
    let position = "yxboard\n7,7,1\n8,8,2\n7,9,1\n6,6,2\ndone\nyxnbest 1";
    let depths = |settings: &str| -> Vec<u64> {
        let mut engine = Engine::with_board(15);
        engine.send(&format!("INFO database {file}\n{settings}\n{position}"));
        engine.expect_move();
        let depths =
            engine.messages.iter().flat_map(|line| numbers(line, "MESSAGE depth ")).collect();
        engine.end();
        depths
    };
    assert_eq!(depths("INFO max_depth 4\nINFO database_readonly 1")[..2], [1, 2]);
    assert_eq!(depths("INFO max_depth 4")[..2], [1, 2]);
    assert_eq!(depths("INFO max_depth 6")[..2], [5, 6]);
    let known = depths("INFO max_depth 6");
    assert!(known.iter().all(|&depth| depth == 6), "{known:?}");
    assert_eq!(depths("INFO max_depth 6\nINFO usedatabase 0")[..2], [1, 2]);
    // What is left out, or a weaker level, is another question.
    assert_eq!(depths("INFO max_depth 6\nyxblock\n0,0\ndone")[..2], [1, 2]);
    assert_eq!(depths("INFO max_depth 6\nINFO strength 50")[..1], [1]);
}

#[test]
fn a_search_answered_by_the_database_stores_nothing_of_another_search() {
    let file = text_of(&folder("other").join("o.db"));
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO database {file}\nINFO max_depth 4"));
    let held = |engine: &mut Engine| all(engine, "7,7\n8,8\n7,9\n6,6\n");
    let position = "BOARD\n7,7,1\n8,8,2\n7,9,1\n6,6,2\nDONE";
    engine.ask(position);
    let before = held(&mut engine);
    assert!(!before.is_empty());
    // The game ends after four more moves, and a draw is a win of black.
    engine.ask(&format!("INFO max_moves 8\nINFO draw_result 1\n{position}"));
    engine.ask(&format!("INFO max_moves 0\nINFO draw_result 0\n{position}"));
    assert_eq!(held(&mut engine), before);
    engine.end();
}

#[test]
fn searches_wait_for_no_other_program_and_what_they_found_is_stored_later() {
    let file = folder("locked").join("l.db");
    let name = text_of(&file);
    let database = Database::open(&file).unwrap();
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO database {name}\nINFO max_node 2000"));
    engine.messages_to(&format!("MESSAGE 0 positions in {name}"));
    let start = Instant::now();
    let writing = database.update(|_| {
        for stones in ["7,7,1\n8,8,2", "7,7,1\n8,7,2", "7,7,1\n9,9,2"] {
            engine.messages.clear();
            engine.ask(&format!("BOARD\n{stones}\nDONE"));
            assert!(engine.messages.iter().any(|line| line.contains("depth ")), "{stones}");
        }
        // No other database is opened, with which they would be lost.
        engine.send(&format!("INFO database {name}"));
        assert!(engine.line(LONG).unwrap().contains("another program is writing"));
        Ok(())
    });
    writing.unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let stored = Instant::now();
    while database.count().unwrap() == 0 {
        assert!(stored.elapsed() < LONG);
    }
    assert!(database.count().unwrap() > 3);
    engine.end();
}

#[test]
fn what_a_search_found_is_stored_at_the_end_of_the_program() {
    let file = folder("end").join("e.db");
    let is_stored = |stop: &str| {
        let _ = fs::remove_file(&file);
        let mut engine = Engine::with_fault("ShortTurn");
        engine.send("START 15");
        engine.expect("OK");
        engine.send(&format!("INFO database {}\nINFO timeout_turn 0", text_of(&file)));
        engine.send("YXBOARD\n7,7,1\n8,8,2\nDONE\nYXNBEST 1");
        while !engine.next_message().contains("depth 5") {}
        engine.send(&format!("{stop}END"));
        while engine.line(LONG).is_some() {}
        Database::open(&file).unwrap().count().unwrap() > 1
    };
    for stop in ["", "YXSTOP\n"] {
        // On a busy machine the time for it may be too short.
        assert!((0..5).any(|_| is_stored(stop)), "{stop}");
    }
}

#[cfg(unix)]
#[test]
fn a_database_that_was_replaced_is_opened_anew() {
    let file = folder("replaced").join("r.db");
    let name = text_of(&file);
    let mut engine = engine_with(&name, &["7,7", "7,7 8,8"]);
    fs::rename(&file, file.with_extension("old")).unwrap();
    engine.send("yxedittextdatabase \"more\"\n7,7\ndone");
    let told = engine.line(LONG).unwrap();
    assert!(told.starts_with("ERROR ") && told.contains("moved or replaced"), "{told}");
    engine.send(&format!("INFO database {name}"));
    engine.messages_to(&format!("MESSAGE 0 positions in {name}"));
    engine.end();
}

#[test]
fn a_read_only_database_refuses_every_change() {
    let file = text_of(&folder("readonly").join("r.db"));
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO database {file}"));
    engine.messages_to(&format!("MESSAGE 0 positions in {file}"));
    assert_eq!(one(&mut engine, "yxedittextdatabase \"kept\"", "7,7\n"), "");
    engine.send("INFO database_readonly 1");
    for change in [
        "yxdeletedatabaseall\ndone",
        "yxdeletedatabaseone\n7,7\ndone",
        "yxedittextdatabase \"new\"\n7,7\ndone",
        "yxedittvddatabase 1 87 0 0\n7,7\ndone",
        "yxtxttodb\n/no folder/x.jsonl",
        "yxdbmerge\n/no folder/x.db",
    ] {
        engine.send(change);
        let refusal = "ERROR the database is read-only, INFO database_readonly 0 expected";
        assert_eq!(engine.line(LONG).as_deref(), Some(refusal), "{change}");
    }
    let kept = "MESSAGE DATABASE TEXT \"kept\"";
    assert_eq!(one(&mut engine, "yxquerydatabasetext", "7,7\n"), kept);
    // One that is opened now is opened to be read.
    let before = fs::read(&file).unwrap();
    engine.send(&format!("INFO database {file}"));
    engine.messages_to(&format!("MESSAGE 1 positions in {file}"));
    engine.send("INFO max_node 3000\nyxboard\n7,7,1\n8,8,2\ndone\nyxnbest 1");
    engine.expect_move();
    assert_eq!(one(&mut engine, "yxquerydatabasetext", "7,7\n"), kept);
    assert!(fs::read(&file).unwrap() == before);
    let missing = Path::new(&file).with_file_name("missing.db");
    engine.send(&format!("INFO database {}", text_of(&missing)));
    let told = engine.line(LONG).unwrap();
    assert!(told.starts_with("ERROR ") && told.contains("missing.db"), "{told}");
    assert_eq!(fs::read_dir(missing.parent().unwrap()).unwrap().count(), 1);
    // An edit opens it to be written to.
    engine.send("INFO database_readonly 0");
    assert_eq!(one(&mut engine, "yxdeletedatabaseone", "7,7\n"), "");
    assert_ne!(one(&mut engine, "yxquerydatabasetext", "7,7\n"), kept);
    engine.end();
}

/// Stones of a random game in a large database.
const GAME: usize = 30;

fn board_of(moves: &[Coord]) -> Board {
    Board::from_moves(BoardSize::new(15, 15).unwrap(), Rule::Freestyle, moves.iter().copied())
}

/// `TENGEN_POSITIONS` sets the number of positions.
#[test]
fn a_large_database_answers_at_once() {
    let file = folder("large").join("l.db");
    let count = number("TENGEN_POSITIONS", 20_000) as usize;
    let mut rng = Rng::with_seed(5);
    let database = Database::open(&file).unwrap();
    let mut boards = Vec::new();
    let start = Instant::now();
    let mut games = count / GAME;
    while games > 0 {
        let batch = games.min(50_000 / GAME);
        let put = |writer: &mut DatabaseTransaction| {
            (0..batch).try_for_each(|i| {
                let mut board = board_of(&[]);
                for mv in random_moves(&mut rng, GAME) {
                    board.play(mv);
                    let score = Score::eval(rng.i32(-2_000..2_000));
                    let evaluation = Some(StoredScore { score, bound: Bound::Exact, depth: 9 });
                    let best = board.empty_cells().first();
                    let entry = DatabaseEntry { evaluation, best, ..DatabaseEntry::default() };
                    if i % (batch / 100).max(1) == 0 && board.stone_count() == 8 + i % 16 {
                        boards.push((board.clone(), entry.clone()));
                    }
                    writer.put(&StoredPosition::of(&board), &entry)?;
                }
                anyhow::Ok(())
            })
        };
        database.update(put).unwrap();
        games -= batch;
    }
    drop(database);
    let filling = start.elapsed();
    let start = Instant::now();
    let database = Database::open(&file).unwrap();
    let opening = start.elapsed();
    let held = database.count().unwrap();
    // Games begin alike.
    assert!(held as usize > count * 8 / 10, "{held} of {count}");
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    for (board, entry) in &boards {
        let start = Instant::now();
        let found = database.get(&StoredPosition::of(board)).unwrap();
        times[0].push(start.elapsed());
        assert_eq!(found.as_ref(), Some(entry));
        let start = Instant::now();
        let children = database.read(|reader| reader.children(board)).unwrap();
        times[1].push(start.elapsed());
        assert!(!children.is_empty());
    }
    drop(database);
    let [one, all] = times.each_mut().map(|times| {
        times.sort();
        [times[times.len() / 2], times[times.len() * 99 / 100]]
    });
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO database {}", text_of(&file)));
    engine.messages_to(&format!("MESSAGE {held} positions in {}", text_of(&file)));
    let start = Instant::now();
    engine.send("yxdeletedatabaseall\ndone\nyxdbtopos");
    engine.send(&text_of(&file));
    // The last line waits for the one before.
    assert!(engine.line(Duration::from_secs(600)).unwrap().starts_with("ERROR "));
    let deleting = start.elapsed();
    engine.end();
    println!(
        "{held} positions in {} MB, written in {filling:?}, opened in {opening:?}; an answer takes \
         {one:?} (median, 99 of 100), all moves of a position {all:?}, deleting all {deleting:?}",
        fs::metadata(&file).unwrap().len() >> 20
    );
    assert_eq!(Database::open(&file).unwrap().count().unwrap(), 0);
    assert!(one[0] < Duration::from_millis(1) && all[0] < Duration::from_millis(1));
}

#[test]
fn a_depth_that_a_person_sets_makes_no_bound_exact() {
    let file = text_of(&folder("depth").join("d.db"));
    let position = StoredPosition::of(&board_after(Rule::Renju, size(15, 15), "h8"));
    let evaluation = |score, bound, depth| Some(StoredScore { score, bound, depth });
    let lower = DatabaseEntry {
        evaluation: evaluation(Score::win_in(9), Bound::Lower, 5),
        ..DatabaseEntry::default()
    };
    let database = Database::open(Path::new(&file)).unwrap();
    database.update(|writer| writer.put(&position, &lower)).unwrap();
    drop(database);
    let mut engine = Engine::with_board(15);
    engine.send(&format!("INFO rule 4\nINFO database {file}"));
    engine.messages_to(&format!("MESSAGE 1 positions in {file}"));
    for (edit, expected) in [
        ("4 0 0 12", evaluation(Score::win_in(9), Bound::Lower, 12)),
        ("6 0 30 14", evaluation(Score::eval(30), Bound::Exact, 14)),
    ] {
        engine.send(&format!("YXEDITTVDDATABASE {edit}\n7,7\nDONE"));
        let told = engine.next_message();
        let StoredScore { score, bound, depth } = expected.unwrap();
        let numbers = format!(" {} {depth} {}", score.value(), bound as u8);
        assert!(told.starts_with("MESSAGE DATABASE ONE") && told.contains(&numbers), "{told}");
    }
    engine.end();
}
