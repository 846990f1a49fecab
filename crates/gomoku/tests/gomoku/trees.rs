//! Game trees in files: variations, comments, labels and marks, what is wrong in them, and depth.

use tengen_gomoku::record::tree::{Editor, GameTree, Mark, NodeId, Notes, Quality, Step};
use tengen_gomoku::record::{Outcome, ParseErrorKind, ParsedGame, Place, Record, parse};
use tengen_gomoku::types::{Color, Coord, Rule};

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
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..200 {
        let tree = random_tree(&mut rng);
        let text = tree.to_sgf();
        assert_eq!(whole(&text), tree, "{text}");
    }
}

/// Returns a tree as a reader makes it: its nodes are numbered in preorder.
fn random_tree(rng: &mut fastrand::Rng) -> GameTree {
    let size = size(rng.usize(5..=22), rng.usize(5..=22));
    let mut tree = GameTree::new(size);
    tree.rule = rng.choice(Rule::ALL);
    let mut editor = Editor::new(tree);
    // What is written of the rule is kept as it stands.
    if let Some(rule) = editor.tree().rule {
        editor.notes().properties.push(("RU".into(), vec![rule.name().into()]));
    }
    let cells: Vec<Coord> = size.cells().collect();
    for _ in 0..rng.usize(0..10) {
        let color = [Some(Color::Black), Some(Color::White)][rng.usize(0..2)];
        let _ = editor.set_up(rng.choice(&cells).copied().unwrap(), color);
    }
    if rng.bool() {
        editor.set_to_move(Color::White);
    }
    // The setup of a file stands by colors.
    editor = Editor::new(whole(&editor.into_tree().to_sgf()));
    for _ in 0..rng.usize(0..60) {
        while rng.usize(0..4) == 0 && editor.leave() {}
        let step = match rng.usize(0..20) {
            0 => Step::Pass(editor.to_move()),
            _ => Step::Stone(editor.to_move(), rng.choice(&cells).copied().unwrap()),
        };
        if editor.add(Some(step)).is_err() {
            continue;
        }
        let notes = editor.notes();
        match rng.usize(0..6) {
            0 => notes.comment = "two\nlines of \\ ] [ ;B[aa]) é".into(),
            1 => notes.labels.push((cells[0], "a:b]".into())),
            2 => notes.marks = vec![(cells[1], Mark::Circle), (cells[2], Mark::Cross)],
            3 => notes.quality = Some(Quality::Good),
            4 => notes.properties.push(("XX".into(), vec!["a\\]".into(), String::new()])),
            _ => notes.is_bookmark = true,
        }
    }
    editor.into_tree()
}

#[test]
fn a_wrong_variation_ends_and_the_rest_is_read() {
    use ParseErrorKind::{NoPoint, Taken, Unexpected, Unfinished};
    for (text, faults, expected) in [
        // In the main line, before and after other lines.
        (
            "(;SZ[15];B[hh]\n(;W[ii];B[hh](;W[aa])(;W[bb]))\n(;W[jj];B[kk]))",
            vec![(2, Taken(point("h8")), true)],
            vec!["h8i9", "h8j10k11"],
        ),
        (
            "(;SZ[15];B[hh](;W[ii];B[jj])\n(;W[zz];B[kk])\n(;W[gg]?;B[kk])(;W[ff]))",
            vec![(2, NoPoint("zz".into()), false), (3, Unexpected('?'), false)],
            vec!["h8i9j10", "h8g7", "h8f6"],
        ),
        // Brackets in a value close nothing.
        (
            "(;SZ[15];B[hh](;W[ii])(;W[hh];C[)];B[aa](;W[bb]))(;W[jj]))",
            vec![(1, Taken(point("h8")), false)],
            vec!["h8i9", "h8j10"],
        ),
        ("(;SZ[15];B[hh](;W[ii])(;W[jj]", vec![(1, Unfinished, false)], vec!["h8i9", "h8j10"]),
        ("(;SZ[15];B[hh];W[ii];B[jj", vec![(1, Unfinished, true)], vec!["h8i9"]),
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
            .map(|fault| (fault.error.place, fault.error.kind.clone(), fault.breaks_main_line));
        let places = |(line, kind, breaks)| (Place::Line(line), kind, breaks);
        let faults: Vec<_> = faults.into_iter().map(places).collect();
        assert_eq!(found.collect::<Vec<_>>(), faults, "{text}");
        assert_eq!(lines(&entry.tree), expected, "{text}");
        let breaks = faults.iter().any(|fault| fault.2);
        assert_eq!(parse(text, size(15, 15))[0].record().is_err(), breaks, "{text}");
        // Variations after a broken main line do not stand for it.
        assert_eq!(pos(&entry.tree.record(entry.end)), expected[0], "{text}");
    }
}

#[test]
fn games_of_every_kind_are_trees() {
    let entries = parse("h8i9\n# none\nh8h8\n", size(15, 15));
    assert_eq!(entries.len(), 2);
    assert_eq!((lines(&entries[0].tree), entries[0].line), (vec!["h8i9".to_owned()], 1));
    assert_eq!((entries[1].tree.len(), entries[1].faults[0].error.place), (1, Place::Line(3)));
    let psq = "Piskvorky 20x20, 11:11, 0\n8,8,0\n9,8,0\nA\nB\n-1\n";
    assert_eq!(lines(&whole(psq)), ["h8i8"]);
    // Moves before a faulty row are kept, and what the file says of the game.
    for row in ["9", "9,", "x,7,0", "8,8,0"] {
        let entry =
            only(&format!("Piskvorky 15x15, 1:1, 0\n8,8,0\n{row}\n9,9,0\nA\nB\n-1\n1,Renju_2"));
        assert_eq!(
            (lines(&entry.tree), entry.faults[0].error.place),
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
        assert_eq!((entry.tree.len(), entry.end), (1, entry.tree.root()), "{text}");
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
    assert_eq!(only(&"(;B[hh]".repeat(depth)).tree.len(), 2);
    assert_eq!(only(&"(;".repeat(depth)).faults.len(), 1);
    let wide = format!("(;SZ[15]{})", "(;B[hh](;W[hh]))".repeat(depth));
    let entry = only(&wide);
    assert_eq!((entry.tree.len(), entry.faults.len()), (depth + 1, depth));
    assert_eq!(pos(&entry.tree.record(entry.end)), "h8");
}

#[test]
fn openings_of_gomoku_quest_are_moves() {
    let tree = whole("(;GM[4]SZ[15];QPR[gg, hg,ih];QSLB[];QSLW[hi,hh];W[ii];B[jj])");
    assert_eq!(lines(&tree), ["g7h7i8h9h8i9j10"]);
    assert_eq!(lines(&whole(&tree.to_sgf())), lines(&tree));
    let entry = only("(;QPR[gg,gg];B[aa])");
    assert_eq!(entry.faults[0].error.kind, ParseErrorKind::Taken(point("g7")));
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
