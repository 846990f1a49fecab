//! Game trees in files: variations, comments, labels and marks, what is wrong in them, and depth.

use std::fmt::Debug;
use std::path::Path;
use std::slice;
use std::time::Duration;

use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};
use tengen_gomoku::record::tree::{Editor, GameTree, Mark, NodeId, Notes, Quality, Step};
use tengen_gomoku::record::{
    Format, Outcome, ParseErrorKind, ParsedGame, Place, ReadOptions, Record, encoding_named, lost,
    parse, parse_file, renlib,
};
use tengen_gomoku::types::{BoardSize, Color, Coord, Rows, Rule};

use crate::positions::{point, size};

/// A game with what analysts write into it.
const ANALYSED: &str = r"(;FF[4]GM[4]SZ[15]RU[renju]PB[Ann]PW[Bo \[2\]]DT[2026-01-02]GC[A game.]
C[The root
has two lines.]
;B[hh];W[ii]C[a \] and \\]LB[aa:1][bb:x\:y]TR[cc][dd:ee]DO[]
(;B[hj]BM[2](;W[jj];B[kk])(;W[gg]HO[1]))
(;B[ij]TE[1]C[better])
(;B[]C[a pass];W[aa]))";

fn only(text: &str) -> ParsedGame {
    let entries = parse(text, size(15, 15));
    assert_eq!(entries.len(), 1, "{text}");
    entries.into_iter().next().unwrap()
}

fn whole(text: &str) -> GameTree {
    let entry = only(text);
    assert_eq!(entry.faults, [], "{text}");
    entry.tree
}

fn pos(record: &Record) -> String {
    record.stones().iter().map(|stone| stone.c.to_string()).collect()
}

/// Returns the games of all nodes without children.
fn lines(tree: &GameTree) -> Vec<String> {
    let leaves = tree.preorder().filter(|&id| tree.children(id).next().is_none());
    leaves.map(|id| pos(&tree.record(id))).collect()
}

fn node(tree: &GameTree, line: &str) -> NodeId {
    tree.preorder().find(|&id| pos(&tree.record(id)) == line).unwrap()
}

fn notes<'a>(tree: &'a GameTree, line: &str) -> &'a Notes {
    tree.notes(node(tree, line)).unwrap()
}

#[test]
fn variations_are_read_with_what_they_say() {
    let tree = whole(ANALYSED);
    assert_eq!(lines(&tree), ["h8i9h10j10k11", "h8i9h10g7", "h8i9i10", "h8i9a1"]);
    assert_eq!(tree.main_line().count(), 6);
    assert_eq!((tree.rule, &tree.players[1]), (Some(Rule::Renju), &"Bo [2]".to_owned()));
    let root = tree.notes(tree.root()).unwrap();
    assert_eq!(root.comment, "The root\nhas two lines.");
    let kept = |name: &str| root.properties.iter().find(|(kept, _)| kept == name).cloned();
    assert_eq!(kept("DT"), Some(("DT".into(), vec!["2026-01-02".into()])));
    let second = notes(&tree, "h8i9");
    assert_eq!((second.comment.as_str(), second.quality), ("a ] and \\", Some(Quality::Doubtful)));
    assert_eq!(second.labels, [(point("a1"), "1".into()), (point("b2"), "x:y".into())]);
    let triangles: Vec<Coord> = second.marks.iter().map(|&(c, _)| c).collect();
    assert_eq!(triangles, ["c3", "d4", "e4", "d5", "e5"].map(point));
    assert!(second.marks.iter().all(|&(_, mark)| mark == Mark::Triangle));
    assert_eq!(notes(&tree, "h8i9h10").quality, Some(Quality::VeryBad));
    assert!(notes(&tree, "h8i9h10g7").is_bookmark);
    let last = node(&tree, "h8i9a1");
    assert_eq!(tree.step(tree.parent(last).unwrap()), Some(Step::Pass(Color::Black)));
    // c-gomoku-cli writes here how a game ended, which is no sign of a good move.
    let ended = whole("(;SZ[15]TE[5 in a row];B[hh]TE[2])");
    let root = ended.notes(ended.root()).unwrap();
    assert_eq!(root.quality, None);
    assert_eq!(root.properties, [("TE".to_owned(), vec!["5 in a row".to_owned()])]);
    assert_eq!(notes(&ended, "h8").quality, Some(Quality::VeryGood));
    // The result of a variation is not that of the game.
    let drawn = whole("(;SZ[15]RE[0];B[hh](;W[ii])(;W[jj]RE[W+R]))");
    assert_eq!(drawn.outcome, Some(Outcome::Drawn));
    for (text, outcome) in [
        ("draw", Outcome::Drawn),
        ("B+Draw", Outcome::Drawn),
        ("b+", Outcome::Won(Color::Black)),
        ("w+r", Outcome::Won(Color::White)),
    ] {
        assert_eq!(whole(&format!("(;SZ[15]RE[{text}])")).outcome, Some(outcome), "{text}");
    }
    // The main line is what a reader without variations sees.
    let record = parse(ANALYSED, size(15, 15))[0].record().unwrap();
    assert_eq!(pos(&record), "h8i9h10j10k11");
}

#[test]
fn a_tree_comes_back_from_its_file() {
    let tree = whole(ANALYSED);
    let text = tree.to_sgf();
    assert_eq!(whole(&text), tree, "{text}");
    assert!(text.contains("PW[Bo [2\\]]") && text.contains("DT[2026-01-02]"), "{text}");
    check(1_000, random_tree(), |tree| {
        Format::ALL.into_iter().try_for_each(|format| check_round_trip(&tree, format))
    });
}

/// Checks a property of random values; of a failure it shows the smallest value that it finds.
pub fn check<T: Debug>(
    cases: u32,
    values: impl Strategy<Value = T>,
    property: impl Fn(T) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases,
        failure_persistence: None,
        // XorShift is fast without optimisation, which ChaCha, the default, needs.
        rng_algorithm: RngAlgorithm::XorShift,
        rng_seed: RngSeed::Fixed(1),
        ..Config::default()
    };
    TestRunner::new(config).run(&values, property).unwrap_or_else(|failure| panic!("{failure}"));
}

/// Checks that all that a format can hold comes back from its file, and that the rest is named.
fn check_round_trip(tree: &GameTree, format: Format) -> Result<(), TestCaseError> {
    let has_setup = tree.preorder().any(|id| tree.setup(id).is_some());
    let main_line = tree.record(tree.end());
    let can_hold = match format {
        Format::Sgf | Format::Json => true,
        Format::Library => tree.size() == size(15, 15) && !has_setup,
        Format::Psq => main_line.to_pos().is_some(),
        Format::Moves => main_line.to_pos().is_some_and(|pos| !pos.is_empty()),
    };
    let file = format.write(tree);
    if !can_hold {
        prop_assert!(format == Format::Moves || file.is_err(), "{format:?}");
        return Ok(());
    }
    let file = file.unwrap();
    let shown = String::from_utf8_lossy(&file);
    let path = Path::new("game").with_extension(format.extension());
    let games = parse_file(&path, &file, tree.size().into()).unwrap();
    let [ParsedGame { tree: again, faults, .. }] = games.as_slice() else {
        return Err(TestCaseError::fail(shown.into_owned()));
    };
    prop_assert_eq!((faults.as_slice(), again.size()), (&[][..], tree.size()), "{}", shown);
    let lost = lost(slice::from_ref(tree), &path, &file, tree.size().into());
    let json = Format::Json.write(tree).unwrap();
    let has_times = String::from_utf8(json).unwrap().contains("\"milliseconds\":");
    match format {
        Format::Json => prop_assert!(again == tree && lost.is_empty(), "{lost:?} {shown}"),
        Format::Sgf if has_times => prop_assert_eq!(lost, ["times of moves"]),
        Format::Sgf => prop_assert!(again == tree && lost.is_empty(), "{lost:?} {shown}"),
        Format::Library => {
            let mut held = tree.clone();
            (held.players, held.outcome) = Default::default();
            for id in tree.preorder() {
                let notes = held.notes_mut(id);
                (notes.marks, notes.quality, notes.properties) = Default::default();
            }
            prop_assert_eq!(again.to_sgf(), held.to_sgf());
            let has = |kind: fn(&Notes) -> bool| {
                tree.preorder().filter_map(|id| tree.notes(id)).any(kind)
            };
            let expected = [
                (has(|notes| notes.properties.iter().any(|(name, _)| name == "5A")), "fifth moves"),
                (has(|notes| notes.quality.is_some()), "judgements of moves"),
                (has(|notes| !notes.marks.is_empty()), "marks"),
                (!tree.players[0].is_empty(), "names of players"),
                (
                    has(|notes| notes.properties.iter().any(|(name, _)| name == "XX")),
                    "other properties of SGF",
                ),
                (tree.outcome.is_some(), "results"),
                (has_times, "times of moves"),
            ];
            let expected =
                expected.into_iter().filter_map(|(is_lost, kind)| is_lost.then_some(kind));
            prop_assert_eq!(lost, expected.collect::<Vec<_>>());
        }
        Format::Psq | Format::Moves => {
            let record = again.record(again.end());
            prop_assert_eq!(record.to_pos(), main_line.to_pos(), "{}", shown);
            let has_more = tree.len() > tree.main_line().count();
            prop_assert_eq!(lost.contains(&"variations"), has_more, "{}", shown);
            if format == Format::Psq {
                prop_assert_eq!(
                    (again.rule, &again.players),
                    (tree.rule, &tree.players),
                    "{}",
                    shown
                );
                let times = |record: &Record| {
                    record.moves().iter().rev().map(|stone| stone.time).collect::<Vec<_>>()
                };
                prop_assert!(times(&record).starts_with(&times(&main_line)), "{shown}");
            }
        }
    }
    Ok(())
}

#[test]
fn games_are_lines_of_one_library() {
    let trees = [
        "(;GM[4]SZ[15]RU[caro]C[a];B[hh];W[ii]C[one](;B[jj])(;B[kk]))",
        "(;SZ[15]C[b];B[hh]C[x];W[ii]C[two];B[kk]HO[1])",
    ];
    let trees = trees.map(whole);
    let file = Format::Library.write_all(&trees).unwrap();
    let games = parse_file(Path::new("a.lib"), &file, size(15, 15).into()).unwrap();
    let tree = &games[0].tree;
    assert_eq!(
        (lines(tree), tree.rule),
        (vec!["h8i9j10".into(), "h8i9k11".into()], Some(Rule::Caro))
    );
    let comments = ["", "h8", "h8i9"].map(|line| notes(tree, line).comment.as_str());
    assert_eq!(comments, ["a\nb", "x", "one\ntwo"]);
    assert!(notes(tree, "h8i9k11").is_bookmark);
}

/// What is whole of a JSON is read, and what is wrong has the line where it stands.
#[test]
fn faults_in_json_have_their_lines() {
    let game = |nodes: &str| format!("{{\"size\":\"15x15\",\"nodes\":[\n{{}},\n{nodes}\n]}}\n");
    for (nodes, faults, expected) in [
        ("{\"move\":\"h8\"},\n{\"move\":\"i9\"}", vec![], "h8i9"),
        (
            "{\"move\":\"h8\"},\n{\"move\":\"h8\"},\n{\"move\":\"i9\"}",
            vec![(4, "h8 is taken")],
            "h8",
        ),
        (
            "{\"move\":\"h8\"},\n{\"parent\":0,\"move\":\"p1\"},\n{\"parent\":1,\"move\":\"i9\"}",
            vec![(4, "'p1' is not a point of the board")],
            "h8i9",
        ),
        (
            "{\"move\":\"h8\"},\n{\"labels\":[[\"h0\",\"A\"]]}",
            vec![(4, "'h0' is not a point of the board")],
            "h8",
        ),
        (
            "{\"move\":\"h8\"},\n{\"marks\":[[\"h8\",\"cross\"]]},\n{\"setup\":[[\"h8\",\"white\"]]}",
            vec![(5, "h8 is taken")],
            "h8",
        ),
        ("{\"parent\":2,\"move\":\"h8\"}", vec![(3, "no such node comes before")], ""),
        ("{\"properties\":[[\"B\",[\"hh\"]]]}", vec![(3, "'B' is no other property of SGF")], ""),
        (
            "{\"properties\":[[\"XX\",[\"a]B[hh\"]]]}",
            vec![(3, "'XX' is no other property of SGF")],
            "",
        ),
        ("{\"move\":7}", vec![(3, "invalid type: integer `7`, expected a string")], ""),
    ] {
        let options = ReadOptions { rows: Rows::Bottom, ..size(15, 15).into() };
        let entry = parse(&game(nodes), options).remove(0);
        let found: Vec<_> = entry.faults.iter().map(|fault| fault.to_string()).collect();
        let faults = faults.into_iter().map(|(line, words)| format!("line {line}: {words}"));
        assert_eq!(found, faults.collect::<Vec<_>>(), "{nodes}");
        assert_eq!(pos(&entry.tree.record(entry.tree.end())), expected, "{nodes}");
    }
    let words = "{\"move\":\"h8\"},{\"move\":\"i9\"},{\"parent\":1,\"move\":\"g7\",\"x\":1}";
    let in_variation = only(&game(words));
    assert!(in_variation.faults.len() == 1 && in_variation.record().is_ok());
    // A game that is no game ends none of the others, and other JSON is one fault.
    let two = parse(
        &format!("{{\"size\":\"4\",\"nodes\":[]}}\n{}{{", game("{\"move\":\"h8\"}")),
        size(15, 15),
    );
    let faults: Vec<_> = two.iter().map(|game| game.record().err().map(|e| e.place)).collect();
    assert_eq!(faults, [Some(Place::Line(1)), None, Some(Place::Line(6))]);
    assert_eq!(only("{\"a\":1}\n{\"a\":2}\n").faults.len(), 1);
    let deep = "{\"size\":".to_owned() + &"[".repeat(100_000);
    assert_eq!(only(&deep).faults.len(), 1);
}

/// What follows a node of a random tree.
#[derive(Clone, Debug)]
struct Child {
    /// How many nodes it goes back first.
    back: u32,
    is_pass: bool,
    cell: Index,
    milliseconds: u64,
    notes: u8,
}

fn child() -> impl Strategy<Value = Child> {
    let place = (any::<u32>(), any::<Index>());
    let content = (weighted(0.05), 0..5_000u64, 0..8u8);
    (place, content).prop_map(|((back, cell), (is_pass, milliseconds, notes))| Child {
        // Each further node back is a quarter as likely.
        back: back.leading_ones() / 2,
        is_pass,
        cell,
        milliseconds,
        notes,
    })
}

/// A random tree, with its nodes numbered in preorder, as the readers of files number them.
fn random_tree() -> impl Strategy<Value = GameTree> {
    let sides = (5..=22usize, 5..=22usize).prop_map(|(width, height)| size(width, height));
    let outcomes = vec![Outcome::Won(Color::Black), Outcome::Won(Color::White), Outcome::Drawn];
    let header = (
        prop_oneof![Just(size(15, 15)), sides],
        select(Rule::ALL.to_vec()),
        option::of(select(outcomes)),
    );
    let setup = prop_oneof![Just(Vec::new()), vec((any::<Index>(), any::<bool>()), 0..10)];
    let is_white_to_move = weighted(1.0 / 3.0);
    let setup = (setup, is_white_to_move);
    (header, setup, any::<bool>(), vec(child(), 0..60)).prop_map(
        |((size, rule, outcome), (setup, is_white_to_move), has_times, children)| {
            let mut tree = GameTree::new(size);
            tree.rule = Some(rule);
            tree.outcome = outcome;
            if outcome.is_some() {
                tree.players = ["Ann \"A\"".into(), "Bo [2] \\ 五".into()];
            }
            let mut editor = Editor::new(tree);
            // What is written of the rule is kept as it stands.
            editor.notes().properties.push(("RU".into(), vec![rule.name().into()]));
            let cells: Vec<Coord> = size.cells().collect();
            for (cell, is_black) in setup {
                let color = if is_black { Color::Black } else { Color::White };
                let _ = editor.set_up(*cell.get(&cells), Some(color));
            }
            if is_white_to_move {
                editor.set_to_move(Color::White);
            }
            // The setup of a file stands by colors.
            editor = Editor::new(whole(&editor.tree.to_sgf()));
            for child in children {
                grow(&mut editor, &cells, &child, has_times);
            }
            editor.tree
        },
    )
}

/// Adds a node, if its step is a move there and no other node has it.
fn grow(editor: &mut Editor, cells: &[Coord], child: &Child, has_times: bool) {
    for _ in 0..child.back {
        editor.leave();
    }
    let color = editor.to_move();
    let step =
        if child.is_pass { Step::Pass(color) } else { Step::Stone(color, *child.cell.get(cells)) };
    let count = editor.tree.len();
    if editor.follow(step).is_err() {
        return;
    }
    // Nodes are numbered in preorder.
    if editor.tree.len() == count {
        editor.leave();
        return;
    }
    if has_times && !child.is_pass {
        let time = Duration::from_millis(child.milliseconds);
        editor.tree.set_time(editor.at(), time);
    }
    let notes = editor.notes();
    match child.notes {
        0 => notes.is_bookmark = true,
        1 => notes.labels.push((cells[0], "a:b]".into())),
        2 => notes.marks = vec![(cells[1], Mark::Circle), (cells[2], Mark::Cross)],
        3 => notes.quality = Some(Quality::Good),
        4 => notes.comment = "two\nlines of \\ ] [ (;B[aa]) é".into(),
        5 => notes.comment = " \"{\u{1f600}}\"\n\nPiskvorky 五目,".into(),
        6 => notes.properties.push(("XX".into(), vec!["a\\]".into(), String::new()])),
        _ => notes.properties.push(("5A".into(), vec!["aa".into(), "bb".into()])),
    }
}

#[test]
fn what_one_game_of_several_loses_is_named() {
    let lost_in = |format: Format, trees: &[&GameTree]| {
        let trees: Vec<GameTree> = trees.iter().map(|&tree| tree.clone()).collect();
        let file = trees.iter().flat_map(|tree| format.write(tree).unwrap()).collect::<Vec<_>>();
        lost(
            &trees,
            &Path::new("games").with_extension(format.extension()),
            &file,
            BoardSize::DEFAULT.into(),
        )
    };
    // Another game holds the same name.
    let both = whole("(;SZ[15]PB[Ann]PW[Bo];B[hh];W[ii])");
    let one = whole("(;SZ[15]PB[Ann];B[hh])");
    assert_eq!(lost_in(Format::Psq, &[&both]), Vec::<&str>::new());
    assert_eq!(lost_in(Format::Psq, &[&both, &one]), ["names of players"]);
    let passes = whole("(;SZ[15];B[hh];W[ii];B[];W[];B[gg])");
    assert_eq!(lost_in(Format::Moves, &[&passes]), ["passes"]);
    assert_eq!(lost_in(Format::Library, &[&passes]), Vec::<&str>::new());
    // What a file holds in another form, such as set-up stones as moves, is not lost.
    let other = whole("(;SZ[15]AB[aa]AW[bb]PB[A\tB]PW[C];B[cc]C[a\tb \r\nc\u{1}];W[dd])");
    assert_eq!(lost_in(Format::Sgf, &[&other]), Vec::<&str>::new());
    assert_eq!(lost_in(Format::Psq, &[&other]), ["comments"]);
    let cleared = whole("(;SZ[15]AB[aa];AW[bb]AE[aa];B[cc](;W[dd])(;AB[ee]))");
    assert_eq!(lost_in(Format::Json, &[&cleared]), Vec::<&str>::new());
    let side = whole("(;SZ[15];B[cc](;W[dd])(;AB[ee]AW[ff]))");
    assert_eq!(lost_in(Format::Psq, &[&side]), ["set-up stones", "variations"]);
    // Comments in another encoding stay as they are, beside new ones.
    let library =
        b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\x78\x48\xC6\xE5\0\0";
    let path = Path::new("games.lib");
    let options = ReadOptions { encoding: encoding_named("GBK"), ..BoardSize::DEFAULT.into() };
    let mut tree = parse_file(path, library, options).unwrap().remove(0).tree;
    tree.notes_mut(tree.root()).comment = "五目".into();
    let file = Format::Library.write(&tree).unwrap();
    let lost = |options| lost(slice::from_ref(&tree), path, &file, options);
    assert_eq!((lost(tree.size().into()), lost(options)), (vec!["comments"], vec![]));
}

#[test]
fn main_lines_of_libraries_end_where_they_did() {
    for (text, end, comment) in [
        ("(;B[hh];W[ii]C[one](;N[end])(;B[jj]))", "h8i9", "one"),
        ("(;B[hh];W[ii]C[one\ntwo](;C[three])(;B[jj]))", "h8i9", "one\ntwo\nthree"),
        ("(;(;N[end])(;B[hh]))", "", ""),
        // No mark is written if nothing follows, or in a variation.
        ("(;B[hh];W[ii])", "h8i9", ""),
        ("(;B[hh](;W[ii])(;W[jj]C[Tengen: end of the main line];B[kk]))", "h8i9", ""),
        // The first of several games.
        ("(;B[hh];W[ii])(;B[hh];W[ii];B[jj])", "h8i9", ""),
    ] {
        let games = parse(text, size(15, 15));
        let mut trees: Vec<GameTree> = games.into_iter().map(|game| game.tree).collect();
        let rule = (trees.len() == 1).then_some(Rule::Caro);
        for _ in 0..2 {
            trees[0].rule = rule;
            let file = Format::Library.write_all(&trees).unwrap();
            let tree = renlib::parse(&file, None).unwrap().tree;
            assert_eq!(pos(&tree.record(tree.end())), end, "{text}");
            let found = tree.notes(tree.end()).map_or("", |notes| &notes.comment);
            assert_eq!((found, tree.rule), (comment, rule), "{text}");
            trees = vec![tree];
        }
    }
}

#[test]
fn libraries_that_are_merged_have_each_text_once() {
    let [a, b] = ["x\ny", "z"]
        .map(|comment| whole(&format!("(;SZ[15]LB[hh:A][aa:B];B[hh]C[{comment}]LB[ii:Q];W[ii])")));
    let merged = |trees: &[GameTree]| {
        let file = Format::Library.write_all(trees).unwrap();
        parse_file(Path::new("a.lib"), &file, size(15, 15).into()).unwrap().remove(0).tree
    };
    let [once, both] = [merged(slice::from_ref(&a)), merged(&[a.clone(), b.clone()])];
    assert_eq!(merged(&[a.clone(), a.clone()]), once);
    assert_eq!(notes(&both, "h8").comment, "x\ny\nz");
    for again in [a.clone(), b] {
        assert_eq!(merged(&[both.clone(), again]), both);
    }
    // What a comment repeats, and its blank lines, stay.
    let diagram = "w\n. . .\n. x .\n. . .\n\nx\nw";
    let long = whole(&format!("(;SZ[15];B[hh]C[{diagram}])"));
    let both = merged(&[a, long.clone()]);
    assert_eq!(notes(&both, "h8").comment, format!("x\ny\n{}", diagram.replace("\nx", "")));
    assert_eq!(merged(&[both.clone(), long]), both);
    // Letters of several encodings.
    let library = |comment: &[u8]| {
        let tail: [&[u8]; 3] = [&[0, 0, 0x78, 0x48], comment, &[0, 0]];
        let bytes = [b"\xFFRenLib\xFF\x03\x04".as_slice(), &[0xFF; 10], &tail.concat()].concat();
        parse_file(Path::new("a.lib"), &bytes, size(15, 15).into()).unwrap().remove(0).tree
    };
    let both = merged(&[library("ä".as_bytes()), library(b"\xF6\x08x!")]);
    assert_eq!(notes(&both, "h8").comment, "ä\nö\nx!");
}

#[test]
fn a_wrong_variation_ends_and_the_rest_is_read() {
    use ParseErrorKind::{NoPoint, Taken, Words};
    let unfinished = || Words("the game does not end, a ')' is missing".into());
    for (text, faults, expected) in [
        // In the main line, before and after other lines.
        (
            "(;SZ[15];B[hh]\n(;W[ii];B[hh](;W[aa])(;W[bb]))\n(;W[jj];B[kk]))",
            vec![(2, Taken(point("h8")), true)],
            vec!["h8i9", "h8j10k11"],
        ),
        (
            "(;SZ[15];B[hh](;W[ii];B[jj])\n(;W[zz];B[kk])\n(;W[gg]?;B[kk])(;W[ff]))",
            vec![(2, NoPoint("zz".into()), false), (3, Words("unexpected '?'".into()), false)],
            vec!["h8i9j10", "h8g7", "h8f6"],
        ),
        // Brackets in a value close nothing.
        (
            "(;SZ[15];B[hh](;W[ii])(;W[hh];C[)];B[aa](;W[bb]))(;W[jj]))",
            vec![(1, Taken(point("h8")), false)],
            vec!["h8i9", "h8j10"],
        ),
        ("(;SZ[15];B[hh](;W[ii])(;W[jj]", vec![(1, unfinished(), false)], vec!["h8i9", "h8j10"]),
        ("(;SZ[15];B[hh];W[ii];B[jj", vec![(1, unfinished(), true)], vec!["h8i9"]),
        // Stones that cannot all be set up are not set up.
        (
            "(;SZ[15]AB[aa];AB[bb][cc]\nAW[aa];B[hh])",
            vec![(2, Taken(point("a1")), true)],
            vec!["a1"],
        ),
        // A wrong label ends nothing.
        (
            "(;SZ[15];B[hh]LB[zz:a]\nTR[?];W[ii])",
            vec![(1, NoPoint("zz".into()), false), (2, NoPoint("?".into()), false)],
            vec!["h8i9"],
        ),
    ] {
        let entry = only(text);
        let found = entry
            .faults
            .iter()
            .map(|fault| (fault.place, fault.kind.clone(), fault.breaks_main_line));
        let places = |(line, kind, breaks)| (Place::Line(line), kind, breaks);
        let faults: Vec<_> = faults.into_iter().map(places).collect();
        assert_eq!(found.collect::<Vec<_>>(), faults, "{text}");
        assert_eq!(lines(&entry.tree), expected, "{text}");
        let breaks = faults.iter().any(|fault| fault.2);
        assert_eq!(parse(text, size(15, 15))[0].record().is_err(), breaks, "{text}");
        // Variations after a broken main line do not stand for it.
        assert_eq!(pos(&entry.tree.record(entry.tree.end())), expected[0], "{text}");
    }
}

#[test]
fn games_of_every_kind_are_trees() {
    let entries = parse("h8i9\n# none\nh8h8\n", size(15, 15));
    assert_eq!(entries.len(), 2);
    assert_eq!((lines(&entries[0].tree), entries[0].line), (vec!["h8i9".to_owned()], 1));
    assert_eq!((entries[1].tree.len(), entries[1].faults[0].place), (1, Place::Line(3)));
    let psq = "Piskvorky 20x20, 11:11, 0\n8,8,0\n9,8,0\nA\nB\n-1\n";
    assert_eq!(lines(&whole(psq)), ["h8i8"]);
    // Moves before a faulty row are kept, and what the file says of the game.
    for row in ["9", "9,", "x,7,0", "8,8,0"] {
        let entry =
            only(&format!("Piskvorky 15x15, 1:1, 0\n8,8,0\n{row}\n9,9,0\nA\nB\n-1\n1,Renju_2"));
        assert_eq!(
            (lines(&entry.tree), entry.faults[0].place),
            (vec!["h8".into()], Place::Line(3)),
            "{row}"
        );
        assert_eq!((entry.tree.rule, &entry.tree.players[1]), (Some(Rule::Renju), &"B".into()));
    }
    for text in ["(h8)(i9)", "(h8, i9)", "(1) h8 (2) i9"] {
        assert_eq!(lines(&whole(text)), ["h8i9"], "{text}");
    }
    for text in ["(;GM[2]SZ[19];B[dd](;W[ee]))", "(;SZ[23];B[dd])"] {
        let entry = only(text);
        assert_eq!((entry.tree.len(), entry.tree.end()), (1, entry.tree.root()), "{text}");
        assert!(entry.faults.len() == 1 && entry.faults[0].breaks_main_line, "{text}");
    }
}

/// Depth costs memory in proportion, no stack, and no time beyond a second.
#[test]
fn depth_and_width_do_no_harm() {
    let depth = 100_000;
    let nested = "(;C[x]".repeat(depth) + &")".repeat(depth);
    assert_eq!(whole(&nested).len(), depth);
    let chain = format!("(;SZ[15]{})", ";C[x]".repeat(depth));
    let tree = whole(&chain);
    assert_eq!((tree.len(), whole(&tree.to_sgf())), (depth + 1, tree.clone()));
    let passes = format!("(;SZ[15]{}{})", "(;B[]".repeat(depth), ")(;W[])".repeat(depth));
    let tree = whole(&passes);
    assert_eq!((tree.len(), whole(&tree.to_sgf()).len()), (2 * depth + 1, 2 * depth + 1));
    assert_eq!(
        lost(
            slice::from_ref(&tree),
            Path::new("game.sgf"),
            tree.to_sgf().as_bytes(),
            tree.size().into()
        ),
        Vec::<&str>::new()
    );
    assert_eq!(only(&"(;B[hh]".repeat(depth)).tree.len(), 2);
    assert_eq!(only(&"(;".repeat(depth)).faults.len(), 1);
    let wide = format!("(;SZ[15]{})", "(;B[hh](;W[hh]))".repeat(depth));
    let entry = only(&wide);
    assert_eq!((entry.tree.len(), entry.faults.len()), (depth + 1, depth));
    assert_eq!(pos(&entry.tree.record(entry.tree.end())), "h8");
}

#[test]
fn openings_of_gomoku_quest_are_moves() {
    let tree = whole("(;GM[4]SZ[15];QPR[gg, hg,ih];QSLB[];QSLW[hi,hh];W[ii];B[jj])");
    assert_eq!(lines(&tree), ["g7h7i8h9h8i9j10"]);
    assert_eq!(lines(&whole(&tree.to_sgf())), lines(&tree));
    let entry = only("(;QPR[gg,gg];B[aa])");
    assert_eq!(entry.faults[0].kind, ParseErrorKind::Taken(point("g7")));
}

#[test]
fn fifth_moves_are_kept() {
    let tree = whole("(;GM[4]SZ[15]5a[jj][kk];B[hh];W[ii]5A[aa];B[hj])");
    assert_eq!(lines(&tree), ["h8i9h10"]);
    let again = whole(&tree.to_sgf());
    for (line, values) in [("", vec!["jj", "kk"]), ("h8i9", vec!["aa"])] {
        let values = values.into_iter().map(str::to_owned).collect();
        assert_eq!(notes(&again, line).properties, [("5A".to_owned(), values)], "{line}");
    }
}

#[test]
fn a_rule_that_was_asked_for_is_written() {
    let mut tree = only("(;GM[4]SZ[15]RU[renju];B[hh];W[ii]RU[x])").tree;
    tree.override_rule(Rule::Caro);
    let text = tree.to_sgf();
    assert!(text.contains("RU[caro]") && text.matches("RU[").count() == 1, "{text}");
}
