//! The database by the command line: what analysis keeps from one run to the next, files that go in
//! and out, and kills in the middle of writing.

mod libraries;

use crate::shell;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use tengen_gomoku::board::Board;
use tengen_gomoku::record::{ParsedGame, renlib};
use tengen_gomoku::types::{Coord, Rule};

use crate::positions::random::random_moves;
use crate::positions::{board_after, point, size};
use crate::scratch::{folder, text_of};
use crate::shell::{command, number, numbers};
use fastrand::Rng;
use tengen::database::entry::{DatabaseEntry, StoredScore};
use tengen::database::position::StoredPosition;
use tengen::database::{Database, DatabaseTransaction};
use tengen::score::{Bound, Score};

/// Returns a renju board after these moves.
fn renju(moves: &str) -> Board {
    board_after(Rule::Renju, size(15, 15), moves)
}

/// Runs the program with these arguments.
fn run(arguments: &[&str]) -> Output {
    shell::run(command(arguments), "")
}

/// Returns what the program printed, which must have no fault.
fn printed(arguments: &[&str]) -> String {
    shell::printed(run(arguments))
}

/// Returns the only line on standard error of a program that must fail.
fn fault(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[test]
fn a_second_analysis_of_a_game_starts_where_the_first_one_ended() {
    let file = text_of(&folder("analysis").join("game.db"));
    let game = "h8i9h10g7f8g9h9h11";
    let analyze = |depth: &str| {
        let options = ["analyze", "--json", "--every", "--depth", depth, "--database", &file, game];
        printed(&options)
    };
    let first = analyze("6");
    assert_eq!(first.matches("\"position\"").count(), 9);
    assert!(numbers(&first, "\"nodes\":").iter().sum::<u64>() > 0);
    let second = analyze("6");
    assert_eq!(numbers(&second, "\"nodes\":").iter().sum::<u64>(), 0, "{second}");
    let best = |text: &str| -> Vec<String> {
        let parts = text.split("\"best\":\"").skip(1);
        parts.map(|part| part.split('"').next().unwrap().to_owned()).collect()
    };
    assert_eq!(best(&first), best(&second));
    let third = analyze("7");
    let without = printed(&["analyze", "--json", "--every", "--depth", "7", game]);
    let sum = |text: &str| numbers(text, "\"nodes\":").iter().sum::<u64>();
    assert!(sum(&third) > 0 && sum(&third) < sum(&without), "{} {}", sum(&third), sum(&without));
    // The same game turned by a quarter is no other game.
    let turned = "h8i7j8g9h10i9i8k8";
    let options = ["analyze", "--json", "--every", "--depth", "6", "--database", &file, turned];
    assert_eq!(numbers(&printed(&options), "\"nodes\":").iter().sum::<u64>(), 0);
}

#[test]
fn without_a_database_no_file_is_made() {
    let folder = folder("none");
    let in_folder = |arguments: &[&str], input: &str| {
        let mut command = command(arguments);
        command.current_dir(&folder);
        shell::printed(shell::run(command, input))
    };
    in_folder(&["analyze", "--depth", "3", "h8i9"], "");
    let script = "START 15\nINFO max_node 500\nINFO usedatabase 1\nTURN 7,7\nyxquerydatabaseall\n7,7\ndone\nEND\n";
    let output = in_folder(&["engine"], script);
    assert!(output.contains("MESSAGE DATABASE REFRESH\nMESSAGE DATABASE DONE\n"), "{output}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn files_that_are_no_databases_are_refused_in_one_line() {
    let folder = folder("refused");
    let file = folder.join("notes.db");
    fs::write(&file, "not a database\n").unwrap();
    let name = text_of(&file);
    let expected = format!("tengen: {name}: this is no database of Tengen\n");
    assert_eq!(fault(&["analyze", "--depth", "2", "--database", &name, "h8"]), expected);
    assert_eq!(fault(&["openings", "--count", "1", "--database", &name]), expected);
    assert_eq!(fault(&["play", "--database", &name]), expected);
    assert_eq!(fault(&["database", &name]), expected);
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a database\n");
}

#[test]
fn a_wrong_name_makes_no_database_and_empties_no_file() {
    let folder = folder("wrong-name");
    let [database, lines, missing] =
        ["reel.db", "good.jsonl", "missing.jsonl"].map(|name| text_of(&folder.join(name)));
    fs::write(&lines, "\n").unwrap();
    let told = format!("tengen: {database}: no such database, --import makes one\n");
    assert_eq!(fault(&["database", &database]), told);
    assert_eq!(fault(&["database", &database, "--export", &lines]), told);
    for input in [missing, text_of(&folder)] {
        let told = fault(&["database", &database, "--import", &lines, "--import", &input]);
        assert!(told.starts_with(&format!("tengen: cannot read {input}: ")), "{told}");
    }
    assert_eq!(fs::read_to_string(&lines).unwrap(), "\n");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn exports_replace_no_file_of_another_kind() {
    let folder = folder("kinds");
    let file = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        text_of(&folder.join(name))
    };
    let name = text_of(&folder.join("k.db"));
    let lines = file(
        "in.jsonl",
        "{\"rule\":\"renju\",\"size\":\"15x15\",\"to_move\":\"white\",\"black\":[\"h8\"],\"white\":[]}\n",
    );
    printed(&["database", &name, "--import", &lines]);
    let notes = file("notes.txt", "to be kept\n");
    let package = file("package.json", "{\n  \"name\": \"x\"\n}\n");
    let library = file("a.lib", "no library");
    let game = file("a.sgf", "(;B[hh])");
    for (export, rest) in [
        (&notes, vec![]),
        (&package, vec![]),
        (&library, vec![]),
        (&game, vec![]),
        (&game, vec!["--force"]),
        (&lines, vec!["--import", &lines]),
    ] {
        let before = fs::read(export).unwrap();
        let output = run(&[&["database", &name, "--export", export], &rest[..]].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.starts_with("tengen: cannot write "), "{told}");
        assert_eq!((output.status.code(), fs::read(export).unwrap()), (Some(1), before), "{told}");
    }
    for export in [&notes, &library, &lines] {
        printed(&["database", &name, "--export", export, "--force"]);
        printed(&["database", &name, "--export", export]);
    }
}

#[test]
fn no_result_takes_the_place_of_a_database() {
    let folder = folder("result");
    let name = text_of(&folder.join("games.db"));
    for option in ["--sgf", "--html", "--lib"] {
        // The database that is just made, and one that is there.
        for _ in 0..2 {
            let arguments = [
                "analyze",
                "--every",
                "--nodes",
                "100",
                "--database",
                &name,
                option,
                &name,
                "h8i9",
            ];
            let output = run(&arguments);
            let told = String::from_utf8(output.stderr).unwrap();
            assert!(told.ends_with("this is a database\n"), "{option}: {told}");
            // Nothing is analysed in vain.
            assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{option}");
            assert!(fs::read(&name).unwrap().starts_with(b"SQLite format 3"), "{option}");
        }
        fs::remove_file(&name).unwrap();
    }
}

#[test]
fn a_database_that_three_make_is_one() {
    let folder = folder("three");
    let imports = ["h8", "a1", "h1"].map(|stone| {
        let path = folder.join(format!("{stone}.jsonl"));
        let line = format!(
            r#"{{"rule":"renju","size":"15x15","to_move":"white","black":["{stone}"],"white":[]}}"#
        );
        fs::write(&path, line).unwrap();
        text_of(&path)
    });
    for round in 0..12 {
        let name = text_of(&folder.join(format!("{round}.db")));
        // An empty file is none either.
        if round % 2 == 1 {
            fs::write(&name, "").unwrap();
        }
        let start = |import: &String| {
            let mut command = command(&["database", &name, "--import", import]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        for mut child in imports.each_ref().map(start) {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(printed(&["database", &name]), format!("{name}: 3 positions\n"));
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 12 + 3, "nothing is left beside");
}

#[test]
fn openings_and_games_use_the_database() {
    let file = text_of(&folder("openings").join("o.db"));
    let options = ["openings", "--count", "3", "--nodes", "2000", "--database", &file];
    let first = printed(&options);
    assert_eq!(first.lines().count(), 3);
    assert_eq!(printed(&["database", &file]), format!("{file}: 3 positions\n"));
    assert_eq!(printed(&options), first);
    // What the database knows better decides.
    let opening = first.lines().next().unwrap();
    let board = board_after(Rule::Freestyle, size(15, 15), opening);
    let evaluation = StoredScore { score: Score::win_in(9), bound: Bound::Exact, depth: 9 };
    let entry = DatabaseEntry { evaluation: Some(evaluation), ..DatabaseEntry::default() };
    let database = Database::open(Path::new(&file)).unwrap();
    database.update(|writer| writer.merge(&StoredPosition::of(&board), entry)).unwrap();
    drop(database);
    assert!(!printed(&options).contains(opening));

    let play = command(&["play", "--time", "0.2", "--database", &file]);
    shell::printed(shell::run(play, "h8\nquit\n"));
    let count = numbers(&printed(&["database", &file]), ": ")[0];
    assert!(count > 3, "{count}");
}

#[test]
fn a_database_is_imported_into_another_one() {
    let folder = folder("merged");
    let [first, second] = ["a.db", "b.db"].map(|name| folder.join(name));
    for (path, positions) in [(&first, &["h8", "h8i9", "a1"][..]), (&second, &["h8i9", "h8h9"])] {
        let database = Database::open(path).unwrap();
        let entry = DatabaseEntry { comment: "of a person".into(), ..DatabaseEntry::default() };
        let put = |writer: &mut DatabaseTransaction| {
            positions.iter().try_for_each(|at| writer.put(&StoredPosition::of(&renju(at)), &entry))
        };
        database.update(put).unwrap();
    }
    let [first, second] = [text_of(&first), text_of(&second)];
    let all = printed(&["database", &first, "--import", &second]);
    assert_eq!(all, format!("{second}: 2 positions read\n{first}: 4 positions\n"));
}

#[test]
fn an_import_tells_of_all_faults() {
    let folder = folder("faults");
    let [own, bad] = ["a.db", "bad.txt"].map(|name| text_of(&folder.join(name)));
    fs::write(&bad, "{}\n".repeat(25)).unwrap();
    let output = run(&["database", &own, "--import", &bad]);
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 26);
}

/// `TENGEN_KILLS` sets the number of kills.
#[test]
fn a_kill_loses_nothing_that_was_confirmed() {
    let folder = folder("kills");
    let file = folder.join("k.db");
    let mut rng = Rng::with_seed(11);
    // What was printed: the position, the best move and the depth.
    let mut confirmed: Vec<(Board, String, i32)> = Vec::new();
    let kills = number("TENGEN_KILLS", 10) as usize;
    let mut in_the_middle = 0;
    for kill in 0..kills {
        let lines: Vec<String> = (0..400)
            .map(|_| {
                let stones = rng.usize(3..30);
                random_moves(&mut rng, stones).iter().map(Coord::to_string).collect()
            })
            .collect();
        let input = folder.join("positions.txt");
        fs::write(&input, lines.join("\n")).unwrap();
        let options = ["--json", "--nodes", "150", "--threads", "2", "--memory", "1"];
        let mut child = command(&["analyze"])
            .args(options)
            .args([Path::new("--database"), &file, &input])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        let mut count = 0;
        let wanted = rng.usize(0..60);
        let mut is_killed = false;
        loop {
            if count >= wanted && !is_killed {
                std::thread::sleep(Duration::from_micros(rng.u64(0..20_000)));
                // SIGKILL on Unix.
                child.kill().unwrap();
                is_killed = true;
            }
            line.clear();
            if output.read_line(&mut line).unwrap() == 0 {
                break;
            }
            // A line that was cut off was not read by anybody.
            if !line.ends_with('\n') {
                break;
            }
            count += 1;
            let value = |key: &str| {
                let rest = line.split(&format!("\"{key}\":")).nth(1)?;
                Some(rest.trim_start_matches('"').split(['"', ',', '}']).next().unwrap().to_owned())
            };
            let (Some(best), Some(depth)) = (value("best"), value("depth")) else { continue };
            // Without an iteration there is nothing to keep.
            if depth == "0" {
                continue;
            }
            let position = value("position").unwrap();
            let board = board_after(Rule::Freestyle, size(15, 15), &position);
            confirmed.push((board, best, depth.parse().unwrap()));
        }
        child.wait().unwrap();
        in_the_middle += usize::from(count < 400);
        if !file.exists() {
            assert!(confirmed.is_empty(), "kill {kill}: the file is gone");
            continue;
        }
        let database = Database::open(&file).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
        for (board, best, depth) in &confirmed {
            let entry = database.get(&StoredPosition::of(board)).unwrap();
            let entry = entry.unwrap_or_else(|| panic!("kill {kill}: a position is lost"));
            // What a search of a neighbour found later may be deeper.
            let evaluation = entry.evaluation.unwrap();
            assert!(evaluation.depth >= *depth || evaluation.is_proof(), "{evaluation:?}");
            if evaluation.depth == *depth {
                assert_eq!(entry.best.map(|best| best.to_string()).as_ref(), Some(best));
            }
        }
    }
    assert!(in_the_middle * 2 > kills, "{in_the_middle} of {kills} kills came before the end");
    assert!(confirmed.len() > kills, "{} positions in {kills} kills", confirmed.len());
    println!("{kills} kills, {} positions confirmed, none lost", confirmed.len());
}

/// White has to stop a four: one move is possible.
const ONE_MOVE: &str = "h8a1j8a2h12a3l3a4";

#[test]
fn a_position_with_one_move_is_searched_further() {
    let file = text_of(&folder("one-move").join("o.db"));
    let analyze = |nodes: &str| {
        let options = ["analyze", "--json", "--threads", "1", "--nodes", nodes];
        printed(&[&options[..], &["--database", &file, ONE_MOVE]].concat())
    };
    let depth = |text: &str| numbers(text, "\"depth\":")[0];
    let (first, second) = (analyze("500"), analyze("20000"));
    assert!(depth(&first) > 1 && depth(&second) > depth(&first), "{first}{second}");
    assert!(numbers(&second, "\"nodes\":")[0] > 500, "{second}");
    // Fewer nodes take nothing away.
    assert_eq!(depth(&analyze("30")), depth(&second));
    let options = ["analyze", "--json", "--depth", "4", "--database", &file, ONE_MOVE];
    assert_eq!(numbers(&printed(&options), "\"nodes\":"), [0]);
}

#[test]
fn fewer_moves_than_lines_are_answered_at_once() {
    let file = text_of(&folder("few-moves").join("f.db"));
    let options = ["analyze", "--json", "--lines", "2", "--depth", "6", "--database", &file];
    let analyze = || printed(&[&options[..], &[ONE_MOVE]].concat());
    let (first, second) = (analyze(), analyze());
    assert!(numbers(&first, "\"nodes\":")[0] > 0, "{first}");
    assert_eq!(numbers(&second, "\"nodes\":"), [0], "{second}");
    assert_eq!(numbers(&second, "\"depth\":"), [6], "{second}");
}

#[test]
fn lines_in_another_encoding_need_its_name() {
    let folder = folder("encoded_lines");
    let lines = text_of(&folder.join("gbk.jsonl"));
    let [before, after] = [
        r#"{"rule":"renju","size":"15x15","to_move":"white","black":["h8"],"white":[],"comment":""#,
        "\"}\n",
    ];
    fs::write(&lines, [before.as_bytes(), b"\xC1\xAC\xD6\xE9", after.as_bytes()].concat()).unwrap();
    let database = text_of(&folder.join("a.db"));
    let output = run(&["database", &database, "--import", &lines]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("line 1: the text is in another encoding"), "{told}");
    let export = text_of(&folder.join("out.jsonl"));
    let encoded =
        ["database", &database, "--encoding", "GBK", "--import", &lines, "--export", &export];
    assert_eq!(run(&encoded).status.code(), Some(0));
    assert!(fs::read_to_string(&export).unwrap().contains("连珠"));
}

#[test]
fn what_is_wrong_in_a_file_is_told_and_the_rest_is_read() {
    let folder = folder("faulty_lines");
    let database = text_of(&folder.join("f.db"));
    let good = r#"{"rule":"renju","size":"15x15","to_move":"white","black":["h8"],"white":[],"score":9,"depth":3}"#;
    let lines = text_of(&folder.join("f.jsonl"));
    // Other programs begin a text with a byte order mark.
    fs::write(&lines, format!("\u{feff}{good}\n\n{{\"rule\":1}}\n")).unwrap();
    let library = folder.join("f.lib");
    let mut bytes = b"\xFFRenLib\xFF\x03\x04".to_vec();
    bytes.resize(20, 0xFF);
    bytes.extend([0x78, 0, 0x89, 0xC0]);
    fs::write(&library, bytes).unwrap();
    let library = text_of(&library);
    let output = run(&["database", &database, "--import", &lines, "--import", &library]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    let expected = format!(
        "tengen: {lines}: line 3: invalid type: integer `1`, expected a string at column 9\n\
         tengen: {library}: byte 24: the file ends here, in the middle of the library\n\
         tengen: 2 parts of the input could not be read\n"
    );
    assert_eq!(errors, expected);
    // An input with faults is not overwritten.
    let before = fs::read(&lines).unwrap();
    let replaced = run(&["database", &database, "--import", &lines, "--export", &lines, "--force"]);
    let told = format!("{lines} is not replaced, since not all of it could be read\n");
    assert!(String::from_utf8_lossy(&replaced.stderr).ends_with(&told));
    assert_eq!(fs::read(&lines).unwrap(), before);
    // The position after h8 twice, the empty board and one more.
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.ends_with(&format!("{database}: 3 positions\n")), "{told}");
    assert!(
        fault(&["database", &database, "--import", &text_of(&folder.join("none"))])
            .contains("none")
    );
}
