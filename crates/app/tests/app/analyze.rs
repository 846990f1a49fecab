//! `analyze`: text and JSON, files and standard input, forced wins.

use std::io::Write;
use std::process::{Output, Stdio};

use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::record::Format;
use tengen_gomoku::types::{BoardSize, Rule};

use crate::positions::board_after;
use crate::scratch::{file, path};
use crate::shell::{command, printed, run};
use serde_json::{Map, Value, json};
use tengen::eval::win_rate::win_rate;
use tengen::score::Score;

/// Black wins by continuous fours.
const FOURS: &str = "h8g8i8a1j8c15k9o1k10e13";
/// White cannot stop black's open four.
const LOST: &str = "h8a1i8a3j8a5k8";
const OVER: &str = "h8a1i8a3j8a5k8a7l8";

fn analyze(arguments: &[&str], input: &str) -> Output {
    run(command(&[&["analyze"], arguments].concat()), input)
}

/// Returns what was printed by an analysis that must have no fault.
fn text(arguments: &[&str], input: &str) -> String {
    printed(analyze(arguments, input))
}

/// Returns the objects of JSON lines.
fn objects(text: &str) -> Vec<Map<String, Value>> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn string(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a number")
}

/// One table lists the formats; what people read says the same.
#[test]
fn the_docs_list_the_formats() {
    let docs = include_str!("../../../../docs/files.md");
    let row = |format: Format| format!("| {} | .{} | ", format.name(), format.extension());
    let read_only = "| PlayOK | read only | ".to_owned();
    let rows: Vec<String> = Format::ALL.into_iter().map(row).chain([read_only]).collect();
    let written: Vec<&str> = docs.lines().filter(|line| line.starts_with("| ")).collect();
    let begins = |line: &str| written.iter().any(|row| row.starts_with(line));
    assert!(rows.iter().all(|row| begins(row)), "{rows:?}");
    let written = Format::ALL.map(|format| format!(".{}", format.extension()));
    let (last, others) = written.split_last().unwrap();
    assert_eq!(Format::EXTENSIONS, format!("{} or {last}", others.join(", ")));
    let help =
        [include_str!("../../../../docs/play.md"), include_str!("../../src/play/command.rs")];
    assert!(help.iter().all(|help| help.contains(Format::EXTENSIONS)));
}

#[test]
fn a_forced_win_is_found_and_played_out() {
    let printed = text(&["--rule", "renju", "--json", FOURS], "");
    let object = &objects(&printed)[0];
    assert!(object["win_in"] == 5 && !object.contains_key("score"), "{printed}");
    // The line ends with black's five, and black plays a four or the five each time.
    let pv = list(&object["pv"]);
    let size = BoardSize::new(15, 15).unwrap();
    let mut board = board_after(Rule::Renju, size, FOURS);
    for (i, name) in pv.iter().enumerate() {
        let mv = parse_points(string(name), size).unwrap()[0];
        let is_five = board.makes_five(mv, board.side_to_move());
        assert_eq!(is_five, i + 1 == pv.len(), "{printed}");
        assert!(i % 2 == 1 || is_five || board.threats(mv).makes_four(board.side_to_move()));
        board.play(mv);
    }
    assert_eq!((pv.len(), string(&object["best"])), (5, string(&pv[0])));
    let printed = text(&["--rule", "renju"], FOURS);
    assert!(printed.starts_with("line 1: renju 15x15, 10 stones, black to move\n  best  "));
    assert!(printed.contains(", black wins in ") && printed.contains("\n  line  "), "{printed}");
    // No line is longer than its win, although other searches find longer wins on the way.
    let positions = ["i6i12k12g11j4g10i10h4k8k11i7i9e5e11", "d10i10e11i4h6l12j8e7h12k7h9g9f10j10"];
    let arguments = ["--lines", "2", "--nodes", "3000", "--threads", "1", "--json"];
    for object in objects(&text(&[&arguments[..], &positions].concat(), "")) {
        assert!(list(&object["pv"]).len() as i64 <= number(&object["win_in"]), "{object:?}");
    }
}

#[test]
fn losses_and_finished_games_are_told() {
    let printed = text(&["--nodes", "1000", LOST, OVER], "");
    assert!(printed.contains("7 stones, white to move\n  best  "), "{printed}");
    assert!(printed.contains(", black wins in 1 move\n"), "{printed}");
    assert!(printed.ends_with("9 stones, black has won\n\n"), "{printed}");
    let printed = text(&["--nodes", "1000", "--json", LOST, OVER], "");
    let objects = objects(&printed);
    assert_eq!(objects[0]["loss_in"], 2);
    assert_eq!((string(&objects[1]["over"]), objects[1].contains_key("best")), ("black", false));
}

#[test]
fn every_position_of_a_game_comes_in_order_whatever_the_threads() {
    let game = file("every.psq", "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,9,0\n8,10,0\n10,9,0\n-1\n");
    let arguments = ["--every", "--json", "--nodes", "3000", &game];
    let without_time = |text: String| {
        let mut objects = objects(&text);
        // The last one is the summary of the game.
        let summary = objects.pop().unwrap();
        assert!(summary.contains_key("summary"), "{text}");
        for object in &mut objects {
            assert!(object.remove("milliseconds").is_some_and(|time| time.is_u64()));
        }
        objects
    };
    let one = without_time(text(&[&arguments[..], &["--threads", "1"]].concat(), ""));
    let many = without_time(text(&[&arguments[..], &["--threads", "4"]].concat(), ""));
    assert_eq!(one, many);
    let positions: Vec<&str> = one.iter().map(|object| string(&object["position"])).collect();
    assert_eq!(positions, ["", "h8", "h8i7", "h8i7h6", "h8i7h6j7"]);
    for object in &one {
        assert_eq!(string(&object["source"]), game);
        assert!((0..=3100).contains(&number(&object["nodes"])), "{object:?}");
        let size = BoardSize::new(15, 15).unwrap();
        assert!(parse_points(string(&object["best"]), size).is_ok());
    }
    let after = objects(&text(&["--after", "2", "--json", "--depth", "2", &game], ""));
    assert_eq!((after.len(), string(&after[0]["position"])), (1, "h8i7"));
}

#[test]
fn several_lines_are_printed_best_first() {
    let arguments = ["--lines", "3", "--nodes", "20000", "--json"];
    let printed = text(&[&arguments[..], &["h8i9h10g7", FOURS, OVER]].concat(), "");
    let objects = objects(&printed);
    let size = BoardSize::new(15, 15).unwrap();
    for object in &objects[..2] {
        let mut moves = vec![string(&object["best"])];
        for other in list(&object["others"]) {
            assert_eq!(other["pv"][0], other["best"]);
            assert!(number(&other["depth"]) >= 1, "{printed}");
            moves.push(string(&other["best"]));
        }
        assert_eq!(moves.len(), 3, "{printed}");
        moves.iter().for_each(|name| assert!(parse_points(name, size).is_ok()));
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 3, "{printed}");
    }
    assert!(objects[1].contains_key("win_in") && !objects[2].contains_key("others"));
    let printed = text(&["--lines", "2", "--nodes", "20000", "h8i9h10g7", LOST], "");
    let games: Vec<&str> = printed.split_terminator("\n\n").collect();
    for game in &games {
        let words: Vec<&str> = game.lines().skip(1).map(|line| &line[2..6]).collect();
        assert_eq!(words, ["best", "line", "next", "line", "dept"], "{printed}");
    }
    assert_eq!(games[1].matches(", black wins in 1 move\n").count(), 2, "{printed}");
    // The one line of an ordinary analysis has no others.
    assert!(!text(&["--nodes", "1000", "--json", "h8i9"], "").contains("others"));
}

#[test]
fn all_kinds_of_input_are_read_and_faults_named() {
    let sgf =
        "(;GM[4]SZ[20]RU[renju];B[jj];W[kk])\n(;GM[4]SZ[15]AB[hh][hi][hj]AW[aa];W[gg])\n(;SZ[99])";
    let sgf = file("three.sgf", sgf);
    let lines = file("lines.txt", "# positions\nh8 i9\n\nz9\nh8h8\nh8i9h10\n");
    let arguments = ["--json", "--depth", "1", &sgf, "missing.sgf", &lines, "-", "j10"];
    let output = analyze(&arguments, "k11\n");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let mut faults = stderr.lines();
    let mut next = || faults.next().unwrap_or_default().strip_prefix("tengen: ").unwrap();
    assert_eq!(next(), format!("{sgf}: line 3: a board of 99 is not supported, 5 to 22 a side"));
    assert!(next().starts_with("missing.sgf: "), "{stderr}");
    assert_eq!(next(), format!("{lines}: line 4: the point at byte 0 is off the board"));
    assert_eq!(next(), format!("{lines}: line 5: h8 is taken"));
    assert_eq!(next(), "4 parts of the input could not be read");
    let objects = objects(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(objects.len(), 6);
    assert_eq!((string(&objects[0]["size"]), string(&objects[0]["rule"])), ("20x20", "renju"));
    // Stones whose colours do not take turns have no "pos" notation.
    assert!(!objects[1].contains_key("position"));
    assert_eq!(objects[1]["black"], json!(["h8", "h7", "h6"]));
    assert_eq!(objects[1]["white"], json!(["a15", "g9"]));
    assert_eq!((string(&objects[1]["to_move"]), number(&objects[1]["line"])), ("black", 2));
    assert_eq!(objects[3]["line"], 6);
    assert_eq!(string(&objects[4]["source"]), "-");
    assert_eq!(string(&objects[5]["source"]), "j10");
}

/// Returns what is told of faults.
fn faults(arguments: &[&str], input: &str) -> String {
    let output = analyze(arguments, input);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn faults_are_called_what_they_are() {
    let line = "letter and number expected at byte 3";
    let told = faults(&["h8,99"], "");
    assert!(told.starts_with(&format!("tengen: h8,99: line 1: {line}\n")), "{told}");
    let told = faults(&["0,0, 1,9"], "");
    assert!(told.contains("0,0, 1,9: line 1: the point at byte 5 is off the board"), "{told}");
    assert!(faults(&["nothing.sgf"], "").starts_with("tengen: nothing.sgf: No such file"));
    let bytes: Vec<u8> = (0..=255).cycle().take(9_000).collect();
    let binary = file("binary.txt", bytes);
    let told = faults(&[&binary], "");
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.starts_with(&format!("tengen: {binary}: the file is not a text\n")), "{told}");
    assert_eq!(faults(&[], "\0\n\0\n").lines().count(), 2);
    let told = faults(&[], "(hh)");
    assert!(told.starts_with("tengen: -: line 1: there is no game in it\n"), "{told}");
    let empty = file("empty.txt", " \n");
    let told = faults(&[&empty], "");
    assert!(told.starts_with(&format!("tengen: {empty}: the file is empty\n")), "{told}");
}

#[test]
fn offsets_are_read() {
    let openings = file("offsets.txt", "0,0, 1,-1, -7,7\n# more\n-1,2\n");
    let printed = text(&["--json", "--depth", "1", &openings, "0,0, -1,0"], "");
    let positions: Vec<String> =
        objects(&printed).iter().map(|object| string(&object["position"]).to_owned()).collect();
    assert_eq!(positions, ["h8i9a1", "g6", "h8g8"]);
    let printed = text(&["--json", "--depth", "1", "--rows", "top", "0,0, 1,-1, -7,7"], "");
    assert_eq!(objects(&printed)[0]["position"], "h8i7a15");
}

#[test]
fn win_rates_stand_beside_scores() {
    let printed = text(&["--depth", "4", "h8i9h10g7"], "");
    assert!(printed.contains(", wins ") && printed.contains(" %\n"), "{printed}");
    let printed = text(&["--depth", "4", "--lines", "2", "--json", "h8i9h10g7", LOST], "");
    let objects = objects(&printed);
    let first = &objects[0];
    let other = &first["others"][0];
    for (score, rate) in
        [(&first["score"], &first["win_rate"]), (&other["score"], &other["win_rate"])]
    {
        let expected = win_rate(Rule::Freestyle, Score::eval(number(score) as i32));
        let rate = rate.as_f64().expect("a fraction");
        assert!((rate - expected).abs() < 0.0001, "{printed}");
    }
    assert_eq!(objects[1]["win_rate"], 0.0);
}

#[test]
fn a_style_weighs_attack_against_defence() {
    let score = |style| {
        let arguments = ["--depth", "2", "--json", "--style", style, "h8k11i8l11a1o15"];
        number(&objects(&text(&arguments, ""))[0]["score"])
    };
    assert!(score("0") < score("50") && score("50") < score("100"));
}

/// The names of threads are those that the search gives its helpers.
#[cfg(target_os = "linux")]
#[test]
fn one_position_is_searched_by_all_threads() {
    use std::fs;
    use std::path::PathBuf;

    for (threads, positions, helpers) in [(3, 1, 2), (4, 3, 1), (2, 3, 0)] {
        let mut child = command(&["analyze", "--time", "0.4", "--threads", &threads.to_string()])
            .args(&["h8i9h10g7", "h8i9g9g7", "h8i9"][..positions])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let tasks = PathBuf::from(format!("/proc/{}/task", child.id()));
        let count = || {
            let names = fs::read_dir(&tasks)
                .into_iter()
                .flatten()
                .filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
            names.filter(|name| name.starts_with("helper")).count()
        };
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            most = most.max(count());
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(child.wait().unwrap().success());
        assert_eq!(most, helpers, "{threads} threads, {positions} positions");
    }
}

#[test]
fn limits_are_kept() {
    // By default a second is spent on each.
    let positions = ["h8i9h10g7"; 12];
    let start = std::time::Instant::now();
    let printed = text(&[&["--time", "0.1", "--threads", "1"], &positions[..]].concat(), "");
    assert_eq!(printed.matches(" s\n").count(), 12, "{printed}");
    assert!(start.elapsed().as_secs_f64() < 6.0);
    assert!(text(&["--depth", "3"], "h8i9h10g7\n").contains("\n  depth 3, "));
    assert_eq!(text(&[], ""), "");
}

/// A reader that goes away ends the work without a word.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = command(&["analyze", "--depth", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all("h8i9\n".repeat(1000).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn no_file_of_another_kind_is_replaced() {
    let psq = "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,9,0\n-1\n";
    let [first, second] = ["first.psq", "second.psq"].map(|name| file(name, psq));
    let game = file("own.sgf", "(;GM[4]SZ[15];B[hh];W[ii])");
    let disguised = file("disguised.sgf", psq);
    let page = file("mine.html", "<!doctype html><p>by hand");
    let library =
        file("own.lib", b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\x40");
    let all = [&first, &second, &game, &disguised, &page, &library];
    let before = all.map(|path| std::fs::read(path).unwrap());
    for arguments in [
        vec!["--html", &first, &second],
        vec!["--sgf", &first, &second],
        vec!["--html", &game, &game],
        vec!["--sgf", &game, &first, &game],
        vec!["--sgf", &disguised, &first],
        vec!["--html", &page, &first],
        vec!["--lib", &library, &library],
        vec!["--lib", &second, &first],
        // The name is wrong, and force does not make it right.
        vec!["--force", "--html", &first, &second],
    ] {
        let told = faults(&[&["--nodes", "100"], &arguments[..]].concat(), "");
        assert!(told.starts_with("tengen: cannot write "), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert_eq!(all.map(|path| std::fs::read(path).unwrap()), before, "{arguments:?}");
    }
    for arguments in [
        ["--html", &page, "--force", &first],
        ["--html", &page, "--every", &second],
        ["--sgf", &disguised, "--force", &first],
        ["--sgf", &disguised, "--every", &second],
        ["--sgf", &game, "--force", &game],
    ] {
        text(&[&["--nodes", "100"], &arguments[..]].concat(), "");
    }
}

/// Returns what is told in warnings by an analysis that loses nothing, and its objects.
fn warnings(arguments: &[&str]) -> (String, Vec<Map<String, Value>>) {
    let output = analyze(&[&["--json", "--nodes", "100"], arguments].concat(), "");
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    (told, objects(&String::from_utf8(output.stdout).unwrap()))
}

#[test]
fn warnings_name_file_line_and_what_was_taken_once_a_kind() {
    let game = file("odd-rules.sgf", "(;GM[4]RU[x];B[hh])\n(;GM[4]RU[y];B[hh])\n(;GM[5];B[hh])");
    let (told, games) = warnings(&[&game]);
    let expected = format!(
        "tengen: warning: {game}: line 1: the rule 'x' is not known, freestyle is taken\n\
         tengen: warning: {game}: line 2: the rule 'y' is not known, freestyle is taken\n\
         tengen: warning: {game}: line 3: GM[5] is not Gomoku, GM[4]; it is read as Gomoku\n"
    );
    assert_eq!((told, games.len()), (expected, 3));
    // A rule that is asked for goes before all, which is told where a file names another one.
    let named = file("named.sgf", "(;GM[4];B[hh])\n(;GM[4]RU[renju];B[hh])");
    let (told, games) = warnings(&["--rule", "standard", &named, &game]);
    let expected = format!(
        "tengen: warning: {named}: line 2: the rule is renju here, standard is taken as asked \
         for\ntengen: warning: {game}: line 1: the rule 'x' is not known, standard is taken\n\
         tengen: warning: {game}: line 2: the rule 'y' is not known, standard is taken\n"
    );
    assert!(told.starts_with(&expected), "{told}");
    assert!(games.iter().all(|game| game["rule"] == "standard"), "{games:?}");
    let out = path("asked.sgf");
    warnings(&["--rule", "caro", "--sgf", &out, &named]);
    assert_eq!(std::fs::read_to_string(&out).unwrap().matches("RU[caro]").count(), 2);
    assert_eq!(warnings(&["--rule", "renju", &named]).0, "");
}

#[test]
fn texts_are_read_in_their_encodings() {
    let bytes = b"(;GM[4]CA[GBK]SZ[15]PB[\xBA\xC3];B[hh])";
    let [named, plain] = [&bytes[..], b"(;GM[4]SZ[15]PB[\xBA\xC3];B[hh])"];
    let [named, plain] = [("gbk.sgf", named), ("plain.sgf", plain)].map(|(name, b)| file(name, b));
    let utf16: Vec<u8> =
        "\u{feff}(;GM[4]SZ[15]PB[好];B[hh])".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let out = path("encoded.sgf");
    for arguments in
        [vec![named.as_str()], vec!["--encoding", "gbk", &plain], vec![&file("utf16.sgf", utf16)]]
    {
        let (told, _) = warnings(&[&["--sgf", &out], &arguments[..]].concat());
        assert_eq!(told, "", "{arguments:?}");
        assert!(std::fs::read_to_string(&out).unwrap().contains("PB[好]"), "{arguments:?}");
    }
    let words = "line 1: the text is not UTF-8, windows-1252 is taken";
    assert_eq!(warnings(&[&plain]).0, format!("tengen: warning: {plain}: {words}\n"));
}

#[test]
fn libraries_keep_their_texts_and_their_rule() {
    let head = b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0";
    let plain = file("plain.lib", [&head[..], b"\x78\x08\xBA\xC3\0\0\x89\x40"].concat());
    let out = path("standard.lib");
    let (_, objects) = warnings(&["--rule", "standard", "--lib", &out, &plain]);
    assert_eq!(objects[0]["rule"], "standard");
    let written = std::fs::read(&out).unwrap();
    assert!(written.windows(3).any(|part| part == b"\xBA\xC3\x08"), "{written:?}");
    let (told, objects) = warnings(&["--encoding", "GBK", &out]);
    assert_eq!((told.as_str(), objects[0]["rule"].as_str()), ("", Some("standard")));
    let (told, objects) = warnings(&["--encoding", "GBK", "--rule", "caro", &out]);
    let words = "line 1: the rule is standard here, caro is taken as asked for";
    assert_eq!(told, format!("tengen: warning: {out}: {words}\n"));
    assert_eq!(objects[0]["rule"], "caro");
    // A library that names no rule is one for renju.
    let (told, objects) = warnings(&["--encoding", "GBK", &plain]);
    assert_eq!((told.as_str(), objects[0]["rule"].as_str()), ("", Some("renju")));
}

#[test]
fn what_is_before_a_fault_is_analysed() {
    let game = file("cut.sgf", "(;GM[4]SZ[15];B[hh];W[ii]\n;B[dundefined];W[jj])");
    let output = analyze(&["--json", "--nodes", "100", &game], "");
    let told = String::from_utf8(output.stderr).unwrap();
    let words = "line 2: 'dundefined' is not a point of the board; what is before it is read";
    assert!(told.starts_with(&format!("tengen: {game}: {words}\n")), "{told}");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(objects(&String::from_utf8(output.stdout).unwrap())[0]["position"], "h8i7");
    let unknown = file("unknown.xml", "<games>\n<move>h8</move>\n</games>\n".repeat(50));
    assert_eq!(faults(&[&unknown], "").lines().count(), 2);
}
