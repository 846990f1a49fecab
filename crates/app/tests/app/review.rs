//! Reviews of games by `analyze`: the moves beside the best ones, and the files SGF and HTML.

use std::fs;
use std::path::Path;
use std::process::Output;

use tengen_gomoku::record::tree::{GameTree, Mark, NodeId, Quality, Step};
use tengen_gomoku::record::{Outcome, parse};
use tengen_gomoku::types::{BoardSize, Color, Rule};

use crate::positions::point;
use crate::scratch::{file, path};
use crate::shell::{command, printed, run};
use serde_json::{Value, json};

/// White does not stop an open three, black does not use it and goes astray.
const GAME: &str = "h8i9i8h9j8o15o1k8h10g8";
/// Black wins.
const WON: &str = "h8a1i8a3j8a5k8a7l8";

fn analyze(arguments: &[&str]) -> Output {
    let options = ["analyze", "--nodes", "5000", "--threads", "1"];
    run(command(&[&options, arguments].concat()), "")
}

/// Returns what was printed by a review that must have no fault.
fn text(arguments: &[&str]) -> String {
    printed(analyze(arguments))
}

/// Returns the trees of a file that must have no fault.
fn trees(path: &str) -> Vec<GameTree> {
    let text = fs::read_to_string(path).unwrap();
    let entries = parse(&text, BoardSize::new(15, 15).unwrap());
    entries.iter().for_each(|entry| assert_eq!(entry.faults, [], "{text}"));
    entries.into_iter().map(|entry| entry.tree).collect()
}

fn pos(tree: &GameTree, node: NodeId) -> String {
    tree.record(node).to_pos().unwrap()
}

fn node(tree: &GameTree, line: &str) -> NodeId {
    tree.preorder().find(|&id| pos(tree, id) == line).unwrap_or_else(|| panic!("{line}"))
}

/// Returns the lines about moves.
fn moves(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("  move  ")).collect()
}

#[test]
fn moves_stand_beside_the_best_ones() {
    let text = text(&["--every", GAME, WON]);
    let moves = moves(&text);
    assert_eq!(moves.len(), 10 + 9, "{text}");
    assert!(moves[0].starts_with("black h8, the best move: win rate "), "{text}");
    let beside = |mv: &str, words: &str| {
        let line = moves.iter().find(|line| line.starts_with(&format!("{mv},"))).unwrap();
        assert!(line.contains(words), "{line}");
        line.contains("; best was ")
    };
    assert!(beside("white o15", " that allows a forced win: win rate "), "{text}");
    assert!(beside("black o1", " that misses a forced win: win rate 100 % before, "), "{text}");
    // Any five is as good as the best one.
    assert!(!beside("black l8", "the best move: win rate 100 % before, 100 % after"), "{text}");
    let summaries: Vec<&str> =
        text.lines().skip_while(|line| !line.ends_with(": review")).collect();
    assert!(summaries[1].starts_with("  black  5 moves, "), "{text}");
    assert!(summaries[1].contains("; 1 forced win missed, "), "{text}");
    assert!(summaries[2].contains("; 0 forced wins missed, 1 allowed; "), "{text}");
    assert_eq!(text.matches(": review\n").count(), 2);
}

#[test]
fn one_position_is_no_review() {
    let text = text(&["--json", GAME]);
    assert!(text.lines().count() == 1 && !text.contains("played"), "{text}");
}

#[test]
fn json_tells_the_same() {
    let text = text(&["--every", "--json", GAME]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 12);
    assert!(!lines[0].contains("played"), "{text}");
    let played = r#""played":{"by":"black","move":"o1","best":""#;
    let rates = r#"","win_rate_before":1.0000,"win_rate_after":0."#;
    assert!(lines[7].contains(played) && lines[7].contains(rates), "{}", lines[7]);
    assert!(lines[7].contains("\"missed_win\"]}"), "{}", lines[7]);
    assert!(lines[6].contains("\"allowed_win\"]}"), "{}", lines[6]);
    assert!(lines[1].contains("\"marks\":[]}"), "{}", lines[1]);
    let summary = lines[11];
    assert!(summary.contains(r#""summary":{"black":{"moves":5,"#), "{summary}");
    assert!(summary.contains(r#""missed_wins":1,"allowed_wins":"#), "{summary}");
}

#[test]
fn an_annotated_game_has_comments_marks_and_lines() {
    let (plain, out) = (path("plain.sgf"), path("annotated.sgf"));
    let game = format!(
        "(;SZ[15]RU[renju]PB[Ann]DT[2026];B[hh]C[mine]CR[aa]TE[1](;W[ii])(;W[hi]C[aside]))\n{}",
        "(;SZ[15];B[hh];W[ii];B[ih];W[hi];B[jh];W[oo];B[oa];W[kh];B[hj];W[gh])"
    );
    fs::write(&plain, game).unwrap();
    text(&["--sgf", &out, &plain]);
    let games = trees(&out);
    assert_eq!(games.len(), 2);
    // What the file said stays.
    let first = &games[0];
    assert_eq!(
        (pos(first, node(first, "h8h9")), &first.players[0]),
        ("h8h9".into(), &"Ann".into())
    );
    let comment = |tree: &GameTree, line: &str| {
        tree.notes(node(tree, line)).map(|notes| notes.comment.clone()).unwrap_or_default()
    };
    assert!(comment(first, "h8").starts_with("mine\nTengen: the best move. Win rate of black: "));
    assert_eq!(comment(first, "h8h9"), "aside");
    let root = first.notes(first.root()).unwrap();
    assert!(root.properties.contains(&("DT".into(), vec!["2026".into()])), "{root:?}");
    assert!(root.comment.starts_with("Tengen: black: 1 move, 1 of them best; "), "{root:?}");
    // The main line stays, and bad moves have better ones beside them.
    let second = &games[1];
    let main: Vec<NodeId> = second.main_line().collect();
    assert_eq!(pos(second, *main.last().unwrap()), GAME);
    let missed = second.notes(node(second, "h8i9i8h9j8o15o1")).unwrap();
    assert!(matches!(missed.quality, Some(Quality::Bad | Quality::VeryBad)), "{missed:?}");
    let before = node(second, "h8i9i8h9j8o15");
    let better = second.children(before).nth(1).unwrap();
    let Some(Step::Stone(Color::Black, best)) = second.step(better) else { panic!("no move") };
    assert!(missed.marks.contains(&(point("o1"), Mark::Cross)), "{missed:?}");
    assert!(missed.marks.contains(&(best, Mark::Circle)), "{missed:?}");
    let words = format!("Tengen: better: {best} is best for black; black wins in ");
    assert!(second.notes(better).unwrap().comment.contains(&words));
    // The line of a forced win goes on to the five.
    let mut end = better;
    while let Some(child) = second.children(end).next() {
        end = child;
    }
    let record = second.record(end);
    let outcome = record.ending(Rule::Freestyle).map(|(ending, _)| ending.outcome());
    assert_eq!(outcome, Some(Outcome::Won(Color::Black)));
    // A second review takes the place of the first, and of nothing else.
    let again = path("again.sgf");
    text(&["--sgf", &again, &out]);
    let own = fs::read_to_string(&again).unwrap();
    assert!(own.contains("CR[aa]") && own.contains("TE[1]"), "{own}");
    assert_eq!(fs::read_to_string(&again).unwrap(), fs::read_to_string(&out).unwrap());
    // A page has the comments of the game without it.
    let html = path("again.html");
    text(&["--html", &html, &out]);
    let page = fs::read_to_string(&html).unwrap();
    assert_eq!((page.matches("\"comment\":\"").count(), page.contains("\"mine\"")), (1, true));
}

#[test]
fn an_annotators_own_sign_stays_through_reviews() {
    let text_of = |sign: &str| {
        format!("(;SZ[15];B[hh];W[ii];B[ih];W[hi];B[jh];W[oo];B[oa]{sign};W[kh];B[hj];W[gh])")
    };
    let (first, second) = (path("sign-1.sgf"), path("sign-2.sgf"));
    let signs = |path: &str| {
        let tree = trees(path).remove(0);
        tree.notes(node(&tree, "h8i9i8h9j8o15o1")).and_then(|notes| notes.quality)
    };
    text(&["--sgf", &first, &file("sign.sgf", text_of("TE[2]"))]);
    text(&["--sgf", &second, &first]);
    assert_eq!([&first, &second].map(|path| signs(path)), [Some(Quality::VeryGood); 2]);
}

#[test]
fn variations_are_reviewed_on_request() {
    let game = file("tree.sgf", "(;SZ[15];B[hh](;W[ii];B[ih])(;W[oo]C[x](;B[ii])(;B[oa])))");
    let main = text(&["--every", &game]);
    assert_eq!((moves(&main).len(), main.matches(", variation: ").count()), (3, 0), "{main}");
    let all = text(&["--variations", &game]);
    assert_eq!((moves(&all).len(), all.matches(", variation: ").count()), (6, 3), "{all}");
    let of_last = all.lines().find(|line| line.contains("black o15,")).unwrap();
    assert!(of_last.contains("best was"), "{all}");
    // The summary is that of the game as it was played.
    assert!(all.contains("  black  2 moves, "), "{all}");
    // The last position is that of the main line.
    assert!(text(&[&game]).contains("3 stones"));
}

#[test]
fn a_page_holds_all_it_needs() {
    let html = path("review.html");
    let odd =
        "(;SZ[15]PB[</script><b>]AB[hh]AW[ii];B[ih]C[<!-- \\]\n\"];W[];B[hi];AE[hi]AB[aa];W[bb])";
    let odd = file("odd.sgf", odd);
    text(&["--html", &html, GAME, WON, &odd]);
    let page = fs::read_to_string(&html).unwrap();
    for word in ["<link", "<img", " src=", "import ", "@import", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    assert!(!data.contains('<') && data.contains("\\u003c/script>\\u003cb>"), "{data}");
    let data: Value = serde_json::from_str(data).unwrap();
    let games = data["games"].as_array().unwrap();
    let positions = games.iter().flat_map(|game| game["review"]["positions"].as_array().unwrap());
    let positions: Vec<&Value> = positions.collect();
    let row = json!(["h8", "i8", "j8", "k8", "l8"]);
    for part in [
        json!({ "over": "black", "text": "Black wins by five", "five": row, "pv": null }),
        json!({ "to_move": "white", "comment": "<!-- ]\n\"" }),
    ] {
        let is_part = |position: &&&Value| {
            part.as_object().unwrap().iter().all(|(key, value)| position[key] == *value)
        };
        assert!(positions.iter().any(|position| is_part(&position)), "{part} in {data}");
    }
    // Each position but the first comes from a move, and stones that are set up from none.
    for game in games {
        let (moves, positions) = (&game["moves"], game["review"]["positions"].as_array().unwrap());
        assert_eq!(moves.as_array().unwrap().len() + 1, positions.len(), "{data}");
        for (ply, position) in positions.iter().enumerate().skip(1) {
            let (step, played) = (&moves[ply - 1], &position["played"]);
            if step["stones"].is_array() {
                assert!(played.is_null(), "{data}");
                continue;
            }
            assert_eq!(played["by"], step["color"], "{data}");
            assert_eq!(played["move"], *step.get("at").unwrap_or(&json!("pass")), "{data}");
            assert!(played["verdict"].is_string(), "{data}");
        }
    }
    let stone = |at: &str, color: &str| json!({ "at": at, "color": color });
    assert_eq!(games[0]["moves"][5], stone("o15", "white"));
    let set_up = |at: &str, color: &str| json!({ "at": at, "color": color, "time": 0 });
    assert_eq!(games[2]["set_up"], json!([set_up("h8", "black"), set_up("i7", "white")]));
    let moves = games[2]["moves"].as_array().unwrap();
    let pass = json!({ "color": "white" });
    assert_eq!(moves[..3], [stone("i8", "black"), pass, stone("h7", "black")]);
    let stones = moves[3]["stones"].as_array().unwrap();
    assert!(stones.contains(&set_up("a15", "black")) && stones.len() == 4, "{data}");
    assert_eq!(moves[4], stone("b14", "white"));
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn page_and_json_have_one_shape() {
    let html = path("shape.html");
    let printed = text(&["--json", "--html", &html, GAME, WON]);
    let page = fs::read_to_string(&html).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let mut lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    for game in data["games"].as_array().unwrap() {
        for position in game["review"]["positions"].as_array().unwrap() {
            let line = lines.next().unwrap();
            for (key, value) in position.as_object().unwrap() {
                assert_eq!(line[key], *value, "{key} in {line}");
            }
        }
        assert_eq!(lines.next().unwrap()["summary"], game["review"]["summary"]);
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn faults_are_told_and_the_rest_is_reviewed() {
    let out = path("rest.sgf");
    let game = file(
        "faults.sgf",
        "(;SZ[15];B[hh](;W[ii];B[ih]\n;W[hh])(;W[oo]))\n(;SZ[15];B[hh](;W[ii])(;W[hh]))\n(;GM[2]SZ[19];B[dd])",
    );
    let output = analyze(&["--sgf", &out, &game]);
    assert_eq!(output.status.code(), Some(1));
    let expected = format!(
        "tengen: {game}: line 2: h8 is taken; what is before it is read\n\
         tengen: {game}: line 3: h8 is taken\n\
         tengen: {game}: line 4: GM[2] is not Gomoku or Renju, GM[4]\n\
         tengen: 3 parts of the input could not be read\n"
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    let games = trees(&out);
    assert_eq!(games.len(), 2);
    assert_eq!(moves(&String::from_utf8_lossy(&output.stdout)).len(), 3 + 2);
    // An input with faults is not overwritten.
    let before = fs::read_to_string(&game).unwrap();
    let output = analyze(&["--sgf", &game, "--force", &game]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let told = format!("{game} is not replaced, since not all of it could be read\n");
    assert!(String::from_utf8_lossy(&output.stderr).ends_with(&told));
    assert_eq!(fs::read_to_string(&game).unwrap(), before);
    // Of the first game the last position before its fault is analysed.
    let output = analyze(&[&game]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches(" to move\n").count(), 2);
}

#[test]
fn a_file_without_a_game_is_a_fault() {
    let empty = file("no-game.sgf", "(hh)");
    let output = analyze(&[&empty]);
    let told = format!("tengen: {empty}: line 1: there is no game in it\n");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with(&told));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let missing = path("no-such-folder/review.sgf");
    for argument in ["--sgf", "--html"] {
        let output = analyze(&[argument, &missing, GAME]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.starts_with(&format!("tengen: cannot write {missing}: ")), "{stderr}");
        // Nothing is analysed in vain.
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    }
    let kept = file("kept.sgf", "(;SZ[15];B[hh])");
    let output = analyze(&["--sgf", &kept, "h8h8"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&kept).unwrap(), "(;SZ[15];B[hh])");
    // A file can be reviewed in its own place, if that is meant.
    let told = analyze(&["--sgf", &kept, &kept]).stderr;
    let input = format!("tengen: cannot write {kept}: it is an input; --force replaces it\n");
    assert_eq!(String::from_utf8_lossy(&told), input);
    text(&["--sgf", &kept, "--force", &kept]);
    assert!(fs::read_to_string(&kept).unwrap().contains("Tengen: "));
    let folder = Path::new(&kept).parent().unwrap().read_dir().unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.contains("kept.sgf.")), "something is left");
    // Errors about the output files come before any analysis.
    let library = path("review.lib");
    let (folder, name) = kept.rsplit_once(std::path::MAIN_SEPARATOR).unwrap();
    let other_name = format!("{folder}/./{name}");
    let cases = [
        (vec!["--sgf", &kept, "--html", &kept, GAME], "its name should end with .html"),
        (vec!["--sgf", &kept, "--lib", &other_name, GAME], "its name should end with .lib"),
        (vec!["--sgf", folder, GAME], ": it is not a file"),
        #[cfg(unix)]
        (vec!["--sgf", "/dev/null", GAME], "cannot write /dev/null: it is not a file"),
        (vec!["--lib", &library, GAME, "h8i9"], "a library of RenLib holds one game"),
        (vec!["--lib", &library, "--size", "20", GAME], "no library is written: "),
    ];
    for (arguments, words) in cases {
        let output = analyze(&arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(words), "{stderr}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    }
    let output = analyze(&["--sgf", &kept, "--after", "3", GAME]);
    assert_eq!(output.status.code(), Some(2));
}
