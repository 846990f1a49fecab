//! The database by the command line: what analysis keeps from one run to the next, files that go in
//! and out, and kills in the middle of writing.

use crate::shell;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use tengen_gomoku::board::Board;
use tengen_gomoku::record::{ParsedGame, renlib};
use tengen_gomoku::types::{BoardSize, Coord, Rule};

use crate::positions::{board_after, point, size};
use crate::scratch::folder;
use crate::shell::command;
use crate::shell::number;
use fastrand::Rng;
use tengen::database::entry::{Entry, Evaluation};
use tengen::database::position::Position;
use tengen::database::{Database, Writer};
use tengen::score::{Bound, Score};

fn text_of(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

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

/// Returns the numbers that follow a word.
fn numbers(text: &str, word: &str) -> Vec<u64> {
    let parts = text.split(word).skip(1);
    parts
        .map(|part| part.trim_start().split(|c: char| !c.is_ascii_digit()).next().unwrap())
        .map(|n| n.parse().unwrap())
        .collect()
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
fn a_library_comes_back_under_its_rule() {
    let folder = folder("rule-of-library");
    let [first, second, library] =
        ["a.db", "b.db", "a.lib"].map(|name| text_of(&folder.join(name)));
    let lines = folder.join("in.jsonl");
    let line = "{\"rule\":\"caro\",\"size\":\"15x15\",\"to_move\":\"white\",\"black\":[\"h8\"],\
                \"white\":[],\"comment\":\"五目\"}\n";
    fs::write(&lines, line).unwrap();
    let lines = text_of(&lines);
    printed(&["database", &first, "--import", &lines, "--export", &library, "--rule", "caro"]);
    let out = text_of(&folder.join("out.jsonl"));
    printed(&["database", &second, "--import", &library, "--export", &out]);
    let rules = |text: String| {
        let is_caro = |line: &str| line.contains("\"caro\"");
        (text.lines().count() > 0, text.lines().all(is_caro), text.contains("五目"))
    };
    assert_eq!(rules(fs::read_to_string(&out).unwrap()), (true, true, true));
    // What is asked for goes before that, with a word.
    let third = text_of(&folder.join("c.db"));
    let output = run(&["database", &third, "--import", &library, "--rule", "renju"]);
    let told = String::from_utf8(output.stderr).unwrap();
    let words = "the rule is caro here, renju is taken as asked for";
    assert_eq!(told, format!("tengen: warning: {library}: {words}\n"));
    assert!(output.status.success());
    // What is neither is one fault.
    let game = folder.join("game.sgf");
    for text in ["(;GM[4]\n;B[hh]\n;W[ii]\n)\n", "(;GM[4];B[hh])", "h8"] {
        fs::write(&game, text).unwrap();
        let output = run(&["database", &third, "--import", &text_of(&game)]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("this format is not known") && told.lines().count() == 2, "{told}");
    }
}

/// The best move of a library stands in its picture, whichever way its version counted rows.
#[test]
fn best_moves_of_libraries_are_places_in_the_picture() {
    let folder = folder("best");
    // The stones h8 and i7 of RenLib, and the next point of their diagonal.
    for (i, words) in ["best j10", "best move j6"].into_iter().enumerate() {
        let mut bytes =
            b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\x78\0\x89\x48"
                .to_vec();
        bytes.extend(format!("Tengen: score +31, depth 14, {words}\0").bytes());
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        let names = ["in.lib", "a.db", "a.jsonl", "out.lib"];
        let [input, database, lines, output] =
            names.map(|name| text_of(&folder.join(format!("{i}{name}"))));
        fs::write(&input, &bytes).unwrap();
        printed(&["database", &database, "--import", &input, "--export", &lines]);
        printed(&["database", &database, "--export", &output]);
        let lines = fs::read_to_string(lines).unwrap();
        let line = lines.lines().find(|line| line.contains("best")).unwrap();
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let row = [&line["black"][0], &line["white"][0], &line["best"]];
        let [first, second, best] = row.map(|name| point(name.as_str().unwrap()));
        let step = |a: Coord, b: Coord| (b.x() as i8 - a.x() as i8, b.y() as i8 - a.y() as i8);
        assert_eq!(step(first, second), step(second, best), "{lines}");
        let library = fs::read(output).unwrap();
        assert!(String::from_utf8_lossy(&library).contains("depth 14, best move "), "{words}");
    }
}

#[test]
fn texts_of_rapfi_are_values() {
    let folder = folder("rapfi");
    let head = b"\xFFRenLib\xFF\x03\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\x78\0";
    let siblings: [&[u8]; 5] = [
        b"\x89\xC1\0\x01W10\0",
        b"\x8A\xC1\0\x01L9\0\0",
        b"\xAA\xC1\0\x01v-35\0\0",
        b"\xBA\xC1\0\x01W1\0\0",
        b"\x68\x41\0\x01A\0",
    ];
    let library = folder.join("r.lib");
    fs::write(&library, [&head[..], &siblings.concat()].concat()).unwrap();
    let out = folder.join("r.jsonl");
    let database = text_of(&folder.join("r.db"));
    printed(&["database", &database, "--import", &text_of(&library), "--export", &text_of(&out)]);
    let text = fs::read_to_string(&out).unwrap();
    for words in ["\"loss_in\":8", "\"win_in\":7", "\"score\":35", "\"W1\"", "\"A\""] {
        assert_eq!(text.matches(words).count(), 1, "{words}: {text}");
    }
    assert!(!text.contains("W10") && !text.contains("L9") && !text.contains("v-35"), "{text}");
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
    let evaluation = Evaluation { score: Score::win_in(9), bound: Bound::Exact, depth: 9 };
    let entry = Entry { evaluation: Some(evaluation), ..Entry::default() };
    let database = Database::open(Path::new(&file)).unwrap();
    database.update(|writer| writer.merge(&Position::of(&board), entry)).unwrap();
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
        let entry = Entry { comment: "of a person".into(), ..Entry::default() };
        let put = |writer: &mut Writer| {
            positions.iter().try_for_each(|at| writer.put(&Position::of(&renju(at)), &entry))
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

/// Returns a position of random stones near the centre.
fn random_moves(rng: &mut Rng, stones: usize) -> Vec<Coord> {
    let size = BoardSize::new(15, 15).unwrap();
    let mut cells: Vec<Coord> =
        size.cells().filter(|c| (2..13).contains(&c.x()) && (2..13).contains(&c.y())).collect();
    rng.shuffle(&mut cells);
    cells.truncate(stones);
    cells
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
            let entry = database.get(&Position::of(board)).unwrap();
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

#[test]
fn json_lines_and_libraries_go_out_and_come_back() {
    let folder = folder("exchange");
    let [first, second, third] = ["a.db", "b.db", "c.db"].map(|name| text_of(&folder.join(name)));
    let game = ["analyze", "--every", "--depth", "5", "--rule", "renju", "--database", &first];
    printed(&[&game[..], &["h8i9h10g7"]].concat());
    // What people add: marks, the last of which is a bookmark, a comment and labels.
    let database = Database::open(Path::new(&first)).unwrap();
    let label = |c: &str, text: &str| (point(c), text.to_owned());
    for (moves, mark, labels) in [
        ("", Some(b'?'), vec![label("h8", "here"), label("c4", "57")]),
        ("h8", Some(b'!'), vec![]),
        ("h8i9", Some(b','), vec![label("a1", "A")]),
        ("a1", Some(b'9'), vec![]),
        ("a1b2", Some(b'*'), vec![]),
        ("h8i9h10", Some(b'*'), vec![]),
        ("o1", None, vec![label("o2", "*")]),
    ] {
        let position = Position::of(&renju(moves));
        let comment = format!("of {moves}\nTengen: a word");
        let entry =
            Entry { mark, comment, labels: labels.into_iter().collect(), ..Entry::default() };
        database.update(|writer| writer.merge(&position, entry)).unwrap();
    }
    drop(database);
    let [json, library] = ["p.jsonl", "p.lib"].map(|name| text_of(&folder.join(name)));
    let count = numbers(&printed(&["database", &first, "--export", &json]), ": ")[0];
    assert_eq!(fs::read_to_string(&json).unwrap().lines().count() as u64, count);
    let read = printed(&[
        "database",
        &second,
        "--import",
        &json,
        "--export",
        &text_of(&folder.join("q.jsonl")),
    ]);
    assert_eq!(numbers(&read, ": ")[..2], [count, count]);
    assert_eq!(fs::read(&json).unwrap(), fs::read(folder.join("q.jsonl")).unwrap());
    // RenLib keeps the same.
    printed(&["database", &first, "--export", &library]);
    let ParsedGame { tree, faults, .. } =
        renlib::parse(&fs::read(&library).unwrap(), None).unwrap();
    assert!(faults.is_empty() && tree.len() as u64 >= count, "{} nodes", tree.len());
    let out = text_of(&folder.join("r.jsonl"));
    printed(&["database", &third, "--import", &library, "--export", &out]);
    // The positions on the way to others have come too, of which nothing is said.
    let again = fs::read_to_string(&out).unwrap();
    let again: Vec<&str> = again.lines().filter(|line| !line.ends_with("]}")).collect();
    let kept = fs::read_to_string(&json).unwrap();
    assert_eq!(again, kept.lines().collect::<Vec<_>>());
}

#[test]
fn a_review_of_a_library_keeps_what_the_database_said() {
    let folder = folder("reviewed");
    let [first, second] = ["a.db", "b.db"].map(|name| text_of(&folder.join(name)));
    let libraries = ["a.lib", "b.lib", "c.lib"].map(|name| text_of(&folder.join(name)));
    let board = renju("h8");
    let evaluation = Evaluation { score: Score::eval(31), bound: Bound::Exact, depth: 14 };
    let entry = Entry {
        evaluation: Some(evaluation),
        best: Some(point("i9")),
        mark: Some(b'!'),
        comment: "a note".to_owned(),
        ..Entry::default()
    };
    let database = Database::open(Path::new(&first)).unwrap();
    database.update(|writer| writer.put(&Position::of(&board), &entry)).unwrap();
    drop(database);
    printed(&["database", &first, "--rule", "renju", "--export", &libraries[0]]);
    for pair in libraries.windows(2) {
        let analyze = ["analyze", "--variations", "--rule", "renju", "--nodes", "300"];
        printed(&[&analyze[..], &["--threads", "1", "--lib", &pair[1], &pair[0]]].concat());
    }
    // A second review takes the place of the first.
    assert!(fs::read(&libraries[1]).unwrap() == fs::read(&libraries[2]).unwrap());
    printed(&["database", &second, "--rule", "renju", "--import", &libraries[1]]);
    let database = Database::open(Path::new(&second)).unwrap();
    let found = database.get(&Position::of(&board)).unwrap().unwrap();
    assert!(found.comment.starts_with("a note\nTengen: the best move. "), "{}", found.comment);
    assert_eq!(Entry { comment: entry.comment.clone(), ..found }, entry);
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

#[test]
fn a_library_is_analysed_node_by_node_and_written() {
    let folder = folder("library");
    let file = folder.join("l.lib");
    let mut bytes = b"\xFFRenLib\xFF\x03\x04".to_vec();
    bytes.resize(20, 0xFF);
    // h8 with a comment, then i7 and i8 as variations.
    bytes.extend([0, 0, 0x78, 0x08, b'a', b' ', b'n', b'o', b't', b'e', 0, 0]);
    bytes.extend([0x89, 0xC0, 0x79, 0x40]);
    fs::write(&file, &bytes).unwrap();
    let (input, output) = (text_of(&file), text_of(&folder.join("out.lib")));
    let analyze = ["analyze", "--variations", "--json", "--depth", "4", "--lib", &output, &input];
    let text = printed(&analyze);
    let positions = ["", "h8", "h8i7", "h8i8"];
    for position in positions {
        assert!(text.contains(&format!("\"position\":\"{position}\"")), "{position}: {text}");
    }
    // A library names no rule, and is one of renju unless the command names another.
    assert!(text.contains("\"rule\":\"renju\"") && !text.contains("freestyle"), "{text}");
    let text = printed(&["analyze", "--json", "--depth", "1", "--rule", "freestyle", &input]);
    assert!(text.contains("\"rule\":\"freestyle\""), "{text}");
    let ParsedGame { tree, faults, .. } = renlib::parse(&fs::read(&output).unwrap(), None).unwrap();
    assert!(faults.is_empty() && tree.len() >= 4);
    let first = tree.children(tree.root()).next().unwrap();
    let comment = &tree.notes(first).unwrap().comment;
    assert!(comment.contains("a note") && comment.contains("Tengen: "), "{comment}");
    // What is cut off is told, and the rest analysed.
    fs::write(&file, &bytes[..bytes.len() - 2]).unwrap();
    let cut = run(&["analyze", "--variations", "--json", "--depth", "4", &input]);
    assert_eq!(cut.status.code(), Some(1));
    let errors = String::from_utf8(cut.stderr).unwrap();
    let fault =
        format!("tengen: {input}: byte 34: the file ends here, in the middle of the library\n");
    assert!(errors.starts_with(&fault), "{errors}");
    assert!(String::from_utf8(cut.stdout).unwrap().contains("\"position\":\"h8i7\""));
    fs::write(&file, "a library it is not").unwrap();
    let errors = String::from_utf8(run(&["analyze", &input]).stderr).unwrap();
    assert!(
        errors.contains(&format!("{input}: byte 0: this is no library of RenLib\n")),
        "{errors}"
    );
}

#[test]
fn numbers_that_a_person_writes_on_cells_come_back_from_a_library() {
    let folder = folder("numbers");
    let [first, second] = ["a.db", "b.db"].map(|name| text_of(&folder.join(name)));
    let library = text_of(&folder.join("a.lib"));
    let labels = [("g6", "1"), ("i8", "2"), ("h9", "3")];
    let root = Entry {
        labels: labels.map(|(c, text)| (point(c), text.to_owned())).into(),
        ..Entry::default()
    };
    let database = Database::open(Path::new(&first)).unwrap();
    let evaluation = Evaluation { score: Score::eval(-120), bound: Bound::Exact, depth: 8 };
    let known = Entry { evaluation: Some(evaluation), ..Entry::default() };
    database
        .update(|writer| {
            writer.put(&Position::of(&renju("h8i10k9")), &root)?;
            // g6 has a percentage of its own.
            writer.put(&Position::of(&renju("h8i10k9g6")), &known)?;
            // That of h7 stands on its cell.
            writer.put(&Position::of(&renju("h8i10k9h7")), &known)
        })
        .unwrap();
    drop(database);
    printed(&["database", &first, "--export", &library]);
    printed(&["database", &second, "--import", &library]);
    let database = Database::open(Path::new(&second)).unwrap();
    assert_eq!(database.get(&Position::of(&renju("h8i10k9"))).unwrap(), Some(root));
    assert_eq!(database.get(&Position::of(&renju("h8i10k9g6"))).unwrap(), Some(known));
}

#[test]
fn an_export_tells_what_it_leaves_out() {
    let folder = folder("left-out");
    let [database, lines, library] =
        ["o.db", "o.jsonl", "o.lib"].map(|name| text_of(&folder.join(name)));
    let line = |rule: &str, size: &str| {
        format!(
            r#"{{"rule":"{rule}","size":"{size}","to_move":"white","black":["h8"],"white":[]}}"#
        )
    };
    let positions = [("freestyle", "15x15"), ("standard", "15x15"), ("standard", "20x20")];
    fs::write(&lines, positions.map(|(rule, size)| line(rule, size)).join("\n")).unwrap();
    fs::write(&library, b"\xFFRenLib\xFFan old one").unwrap();
    printed(&["database", &database, "--import", &lines]);
    let told = fault(&["database", &database, "--export", &library]);
    let expected = format!(
        "tengen: cannot write {library}: the database has positions of freestyle on 15x15, \
         standard on 15x15, standard on 20x20, none of renju on 15x15\n"
    );
    assert_eq!(told, expected);
    assert_eq!(fs::read(&library).unwrap(), b"\xFFRenLib\xFFan old one");
    let told = printed(&["database", &database, "--rule", "standard", "--export", &library]);
    let expected = format!(
        "{database}: 3 positions\n\
         {library}: 2 nodes written, 2 positions left out (of other rules or sizes)\n"
    );
    assert_eq!(told, expected);
    // Nothing is left out of nothing.
    let empty = text_of(&folder.join("empty.db"));
    fs::write(&lines, "").unwrap();
    let told = printed(&["database", &empty, "--import", &lines, "--export", &library]);
    assert!(told.ends_with(&format!("{library}: 1 nodes written\n")), "{told}");
}
