//! Game files: round trips, files of other programs, and files cut short or garbled.

use std::path::Path;
use std::slice;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tengen_gomoku::record::tree::{Editor, GameTree};
use tengen_gomoku::record::{
    Ending, Format, HUMAN, Outcome, ParseError, ParseErrorKind, ParsedGame, Place, ReadOptions,
    Record, lost, parse, parse_file, warnings_in_words,
};
use tengen_gomoku::types::{BoardSize, Color, Coord, Rows, Rule};

use crate::positions::{point, size};
use crate::trees::check;

/// A tournament's game as Piskvork writes it on Windows.
const TOURNAMENT: &str = "Piskvorky 20x20, 11:11, 0\r\n8,8,0\r\n9,8,0\r\n8,9,0\r\n10,10,12345\r\n\
                          pbrain-first.exe\r\npbrain-second.exe\r\n0\r\n";
/// A program's game against a person, who moves second, as Piskvork writes it.
const PERSON: &str = "Piskvorky 15x15, 5:0, 1\n8,8,1200\n9,9,31\n-1\n";
/// A game as the organisers' archives keep it.
const ARCHIVE: &str =
    "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,0\nONE25.zip\nTWO25.zip\n-1\n0,Group_1\n";

/// A game as c-gomoku-cli writes it.
const MATCH: &str = "(;FF[4]GM[4]GN[1]EV[A x B]DT[2026.01.02 03:04:05]RO[1.1]RU[4]SZ[15]PB[A]PW[B]\
                     RE[B+1]TE[5 in a row]\n;B[hh]C[opening move];W[hg]C[opening move]\n\
                     ;B[ih]C[12ms];W[ig]C[3ms])\n\n(;FF[4]GM[4]RU[0]SZ[20]\n;B[jj])\n\n";

fn play(length: usize, moves: &str) -> GameTree {
    let only = only(&parse(moves, size(length, length)));
    only.unwrap_or_else(|error| panic!("{moves}: {error:?}"))
}

/// Returns the tree of the only game, if its main line is whole.
fn only(entries: &[ParsedGame]) -> Result<GameTree, ParseErrorKind> {
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries[0].record().map(|_| entries[0].tree.clone()).map_err(|error| error.kind)
}

/// Returns the main line as a .psq file, if it fits one.
fn psq_of(tree: &GameTree) -> Option<String> {
    Some(String::from_utf8(Format::Psq.write(tree).ok()?).unwrap())
}

fn read(text: &str) -> GameTree {
    only(&parse(text, size(15, 15))).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn end(tree: &GameTree) -> Record {
    tree.record(tree.end())
}

fn points(tree: &GameTree) -> String {
    end(tree).stones().iter().map(|stone| stone.c.to_string()).collect()
}

fn whole(game: &ParsedGame) -> GameTree {
    game.record().unwrap();
    game.tree.clone()
}

#[test]
fn a_main_line_ends_before_its_fault_and_not_with_a_variation() {
    let text = "(;GM[4]SZ[15];B[hh];W[ii](;B[ii];W[gg])(;B[gg];W[ff];B[jj]))";
    let game = parse(text, BoardSize::DEFAULT).remove(0);
    assert!(game.record().is_err());
    let mut tree = game.tree;
    for format in [Format::Sgf, Format::Json] {
        let pos = |id| tree.record(id).to_pos().unwrap();
        let variation = tree.preorder().last().unwrap();
        assert_eq!((pos(tree.end()), pos(variation)), ("h8i9".into(), "h8i9g7f6j10".into()));
        let file = String::from_utf8(format.write(&tree).unwrap()).unwrap();
        tree = whole(&parse(&file, BoardSize::DEFAULT)[0]);
    }
    assert_eq!(Format::Moves.write(&tree).unwrap(), b"h8i9\n");
    // A node of this name that nothing follows is the file's own.
    let named = parse("(;SZ[15];B[hh];W[ii];N[end])", BoardSize::DEFAULT).remove(0);
    assert_eq!(named.tree.preorder().count(), 4);
}

#[test]
fn an_empty_branch_is_not_the_main_line() {
    let mut games = parse("(;SZ[15];B[hh](;)(;W[ii];B[jj])(;W[hi]))", BoardSize::DEFAULT);
    let game = games.remove(0);
    assert_eq!(game.record().unwrap().to_pos().unwrap(), "h8i9j10");
    let alone = parse("(;SZ[15];B[hh](;)())", BoardSize::DEFAULT).remove(0);
    assert_eq!(alone.record().unwrap().to_pos().unwrap(), "h8");
}

/// A game of moves alone, with their times.
fn random_game() -> impl Strategy<Value = GameTree> {
    let moves = (5..=22usize, 5..=22usize).prop_flat_map(|(width, height)| {
        let cells: Vec<Coord> = size(width, height).cells().collect();
        let times = vec(0..100_000u64, 0..cells.len());
        (Just(size(width, height)), Just(cells).prop_shuffle(), times)
    });
    (moves, select(Rule::ALL.to_vec()), any::<bool>()).prop_map(
        |((size, cells, times), rule, is_human_white)| {
            let mut editor = Editor::new(GameTree::new(size));
            for (c, time) in cells.into_iter().zip(times) {
                editor.play(c).unwrap();
                editor.tree.set_time(editor.at(), Duration::from_millis(time));
            }
            let mut tree = editor.tree;
            tree.rule = Some(rule);
            tree.players = [HUMAN.to_owned(), "pbrain-tengen".to_owned()];
            tree.players.rotate_left(is_human_white.into());
            tree
        },
    )
}

#[test]
fn a_game_comes_back_from_every_format() {
    check(200, random_game(), |tree| {
        // SGF knows no time, a "pos" line nothing but the stones.
        prop_assert_eq!(&read(&psq_of(&tree).unwrap()), &tree);
        let sgf = read(&tree.to_sgf());
        prop_assert_eq!(&read(&sgf.to_sgf()), &sgf);
        prop_assert_eq!((points(&sgf), sgf.rule), (points(&tree), tree.rule));
        prop_assert_eq!((end(&sgf).to_move(), sgf.size()), (end(&tree).to_move(), tree.size()));
        prop_assert_eq!(&sgf.players, &tree.players);
        let pos = end(&tree).to_pos().unwrap();
        if !pos.is_empty() {
            prop_assert_eq!(points(&only(&parse(&pos, tree.size())).unwrap()), points(&tree));
        }
        Ok(())
    });
}

#[test]
fn files_are_written_exactly_so() {
    let mut tree = play(15, "h8i9");
    tree.players = [HUMAN.to_owned(), "pbrain-tengen".to_owned()];
    let psq = "Piskvorky 15x15, 0:11, 0\n8,8,0\n9,9,0\nhomo-1\npbrain-tengen\n-1\n";
    assert_eq!(psq_of(&tree).as_deref(), Some(psq));
    tree.rule = Some(Rule::Renju);
    tree.outcome = Some(Outcome::Won(Color::White));
    tree.players[Color::White] = "odd [name]: \\".to_owned();
    let version = env!("CARGO_PKG_VERSION");
    let sgf = format!(
        "(;FF[4]GM[4]CA[UTF-8]AP[Tengen:{version}]SZ[15]RU[renju]PB[Human]\
         PW[odd [name\\]: \\\\]RE[W+]\n;B[hh];W[ii])\n"
    );
    assert_eq!(tree.to_sgf(), sgf);
    let again = read(&sgf);
    assert_eq!((end(&again), again.rule, again.outcome), (end(&tree), tree.rule, tree.outcome));
    assert_eq!(again.players, tree.players);
    assert!(psq_of(&tree).unwrap().ends_with("\n0\n\nrule renju\n"));
    // Piskvork reads the end of the line of the code as one name, and the next line as the other.
    tree.players = ["".into(), "".into()];
    tree.outcome = None;
    let psq = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n-1\n\nrule renju\n";
    assert_eq!(psq_of(&tree).as_deref(), Some(psq));
    assert_eq!(read(psq), tree);
}

#[test]
fn a_loss_by_resignation_or_on_time_is_written() {
    for (is_on_time, result, code) in [(false, "RE[B+R]", "0"), (true, "RE[B+T]", "15")] {
        let mut tree = read("(;SZ[15]RE[W+5];B[hh])");
        tree.set_loser(Color::White, is_on_time);
        let sgf = tree.to_sgf();
        assert!(sgf.contains(result) && sgf.matches("RE[").count() == 1, "{sgf}");
        assert_eq!(read(&sgf).outcome, Some(Outcome::Won(Color::Black)));
        assert!(psq_of(&tree).unwrap().ends_with(&format!("\n{code}\n")), "{is_on_time}");
    }
}

#[test]
fn piskvorks_files_are_read() {
    let tree = read(TOURNAMENT);
    assert_eq!((points(&tree).as_str(), tree.size()), ("h8i8h9j10", size(20, 20)));
    assert_eq!(tree.players, ["pbrain-first.exe", "pbrain-second.exe"]);
    assert_eq!(end(&tree).moves()[3].time, Duration::from_millis(12_345));
    // The five of the last move wins a game that is over.
    let row = "1,1,0\n1,9,0\n2,1,0\n2,9,0\n3,1,0\n3,9,0\n4,1,0\n4,9,0\n";
    // A six, and a five after the foul of two threes.
    let six = row.replace("4,1,0", "6,1,0\n9,1,0\n4,1,0");
    let threes = format!(
        "9,11,0\n15,1,0\n10,11,0\n15,3,0\n11,12,0\n15,5,0\n11,13,0\n15,7,0\n\
                          11,11,0\n15,9,0\n{row}"
    );
    let black = Some(Outcome::Won(Color::Black));
    for (row, last, outcome) in [
        (row, "5,1,0", black),
        (row, "6,1,0", None),
        (&six, "5,1,0", None),
        (&threes, "5,1,0", black),
    ] {
        let tree = read(&format!("Piskvorky 15x15, 1:1, 0\n{row}{last}\nA\nB\n0\n"));
        assert_eq!(tree.outcome, outcome);
        assert!(psq_of(&tree).unwrap().ends_with("\n0\n"));
        let sgf = tree.to_sgf();
        let lost =
            lost(slice::from_ref(&tree), Path::new("a.sgf"), sgf.as_bytes(), tree.size().into());
        assert_eq!(lost.is_empty(), outcome.is_some(), "{lost:?}");
    }
    let tree = read(PERSON);
    assert_eq!((points(&tree).as_str(), end(&tree).to_move()), ("h8i9", Color::Black));
    let tree = read(ARCHIVE);
    assert_eq!((points(&tree).as_str(), tree.players[1].as_str()), ("h8i8", "TWO25.zip"));
    assert_eq!(tree.outcome, Some(Outcome::Drawn));
    // The side to move lost, unless the stones show who won.
    let white = Some(Outcome::Won(Color::White));
    let (moves, _) = ARCHIVE.split_once("-1").unwrap();
    for (end, outcome) in [("1,Renju_1", white), ("2,Renju_1", white), ("", None)] {
        assert_eq!(read(&format!("{moves}-1\n{end}")).outcome, outcome, "{end}");
    }
    let tree = read(&format!("Piskvorky 15x15, 1:1, 0\n{row}5,1,0\n7\n8\n-1\n2,Standard_1"));
    assert_eq!((tree.outcome, tree.players.join(" ")), (black, "7 8".to_owned()));
    // Names stand in the order of the players, of whom the header's last number began.
    let tree = read(&TOURNAMENT.replace("11, 0", "11, 1"));
    assert_eq!(tree.players, ["pbrain-second.exe", "pbrain-first.exe"]);
    let tree = read("\u{feff}Piskvorky 22x5,0:0,0\n22,5");
    assert_eq!((points(&tree).as_str(), tree.size()), ("v5", size(22, 5)));
    assert_eq!(end(&read("Piskvorky 15x15, 0:0, 0")).stones(), []);
}

#[test]
fn what_is_wrong_with_a_psq_is_told() {
    use ParseErrorKind::{Move, NoPoint, Size, Taken, Words};
    let header = || Words("'Piskvorky 15x15, 0:0, 0' expected".into());
    let too_large = Size("30x20".into());
    for (text, line, kind) in [
        ("Piskvorky", 1, header()),
        ("Piskvorky 15x15", 1, header()),
        ("Piskvorky 30x20, 0:0, 0\n1,1,0", 1, too_large),
        ("Piskvorky -1x999999999999999999, 0:0, 0", 1, Size("-1x999999999999999999".into())),
        ("Piskvorky 15x15, 0:0, 0\n\n8,8,0\n8,8,0", 4, Taken(point("h8"))),
        ("Piskvorky 15x15, 0:0, 0\n16,8,0", 2, NoPoint("16,8".into())),
        (
            "Piskvorky 15x15, 0:0, 0\n0,-9223372036854775808",
            2,
            NoPoint("0,-9223372036854775808".into()),
        ),
        ("Piskvorky 15x15, 0:0, 0\n8,eight", 2, Move),
        ("Piskvorky 15x15, 0:0, 0\n8,", 2, Move),
        ("Piskvorky 15x15, 0:0, 0\n8;8;0\n9;9;0\n-1", 2, Move),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n9.9,0\n-1", 3, Move),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\neight\n9,9,0\n-1", 3, Move),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n9\n9,9,0\n10,9,0\nA\nB\n-1\n1,Renju_2", 3, Move),
    ] {
        let entries = parse(text, size(15, 15));
        let error = entries[0].record().expect_err(text);
        assert_eq!((error.place, error.kind), (Place::Line(line), kind), "{text}");
    }
}

#[test]
fn sgf_of_other_programs_is_read() {
    let entries = parse(MATCH, size(15, 15));
    let trees: Vec<GameTree> = entries.iter().map(whole).collect();
    assert_eq!((trees.len(), entries[1].line), (2, 5));
    assert_eq!((points(&trees[0]).as_str(), trees[0].rule), ("h8h7i8i7", Some(Rule::Renju)));
    assert_eq!(trees[0].outcome, Some(Outcome::Won(Color::Black)));
    assert_eq!((points(&trees[1]).as_str(), trees[1].size()), ("j10", size(20, 20)));
    for (text, moves, to_move) in [
        // Set-up stones, rectangles and a cleared point.
        ("(;GM[4]FF[4]SZ[15]AB[hh][ig]AW[gi][gh];B[ii];W[jj])", "h8i7g9g8i9j10", Color::Black),
        ("(;SZ[15]AB[aa:cb]AW[oo])", "a1b1c1a2b2c2o15", Color::White),
        ("(;SZ[15]AB[cb:aa])", "a1b1c1a2b2c2", Color::White),
        ("(;SZ[15]AB[aa:cb]AE[ba:ca][bb:cb]PL[W])", "a1a2", Color::White),
        ("(;SZ[15];B[hh];W[ii];AB[aa])", "h8i9a1", Color::White),
        // The main line of a tree.
        ("(;SZ[15];B[hh](;W[ih];B[jj](;W[kk])(;W[ll]))(;W[aa]))", "h8i8j10k11", Color::Black),
        // Passes, no semicolons, old names, blanks, escapes, a comment with brackets.
        ("(;SZ[15];B[hh];W[];B[ii];W[tt];B[aa])", "h8i9a1", Color::White),
        ("(;SZ[20];B[tt])", "t20", Color::White),
        ("(;GM[4]SZ[15]RE[0]B[hh]W[ig]B[gj])", "h8i7g10", Color::White),
        ("(\n;\nSiZe [15]\nBlack [hh] C[a \\] (;W[aa\\]) \\\\] ;\nW [ii]\n)", "h8i9", Color::Black),
        ("(;SZ[15:10];B[oj])", "o10", Color::White),
        ("(;)", "", Color::Black),
        ("(;PL[W])", "", Color::White),
        ("(;B[])", "", Color::White),
    ] {
        let tree = read(text);
        let [record, again] = [end(&tree), end(&read(&tree.to_sgf()))];
        assert_eq!((points(&tree).as_str(), record.to_move()), (moves, to_move), "{text}");
        assert_eq!((again.board(Rule::Freestyle).key(), again.to_move()), {
            (record.board(Rule::Freestyle).key(), to_move)
        });
    }
}

#[test]
fn what_is_wrong_with_an_sgf_is_told_and_the_next_game_read() {
    use ParseErrorKind::{NoPoint, Size, Taken, Words};
    for (text, line, kind) in [
        ("(;GM[2]SZ[19];B[dd])", 1, Words("GM[2] is not Gomoku or Renju, GM[4]".into())),
        ("(;SZ[23])", 1, Size("23".into())),
        ("(;SZ[15]\n;B[hh]\n;W[hh])", 3, Taken(point("h8"))),
        ("(;SZ[15];B[pa])", 1, NoPoint("pa".into())),
        ("(;SZ[15];B[Aa])", 1, NoPoint("Aa".into())),
        ("(;SZ[15];B[é])", 1, NoPoint("é".into())),
        ("(;SZ[15]AB[aa:])", 1, NoPoint("".into())),
        ("(;B[oo]SZ[5])", 1, NoPoint("oo".into())),
        ("(;SZ[15];SZ[16])", 1, Words("SZ[16] is not the size of this game's board".into())),
        ("(;SZ[15];B;W[aa])", 1, Words("unexpected ';'".into())),
        ("(;SZ[15];?)", 1, Words("unexpected '?'".into())),
    ] {
        let entries = parse(&format!("{text}(;SZ[15];B[hh])"), size(15, 15));
        let error = entries[0].record().expect_err(text);
        assert_eq!((error.place, error.kind), (Place::Line(line), kind), "{text}");
        assert_eq!(points(&whole(&entries[1])), "h8", "{text}");
    }
    let unfinished = Words("the game does not end, a ')' is missing".into());
    for text in ["(;", "(;SZ[15", "(;SZ[15];B[hh]", "(;SZ[15];C[a\\"] {
        assert_eq!(only(&parse(text, size(15, 15))), Err(unfinished.clone()), "{text}");
    }
}

#[test]
fn what_is_wrong_is_told_in_one_short_line() {
    let long = "x\n\t".repeat(100);
    for text in [
        format!("(;GM[{long}])"),
        format!("(;SZ[{long}])"),
        format!("(;B[{long}])"),
        format!("Piskvorky 15x15, 0:0, 0\n1,{long}"),
    ] {
        let error = only(&parse(&text, size(15, 15))).expect_err(&text).to_string();
        assert!(!error.contains(char::is_control) && error.len() < 100, "{error:?}");
    }
}

#[test]
fn names_that_a_psq_cannot_hold_are_left_out() {
    for name in ["1,2", "8,8,0 of them", "-1-", "  ", "\n"] {
        let mut tree = play(15, "h8i9");
        tree.players = ["Ann".into(), name.into()];
        let again = only(&parse(&psq_of(&tree).unwrap(), size(15, 15))).unwrap();
        assert_eq!(points(&again), "h8i9", "{name:?}");
        assert_eq!(again.players, ["", ""], "{name:?}");
    }
}

#[test]
fn words_before_the_first_game_are_passed_over() {
    for words in ["Game 1:\n", "# by me\nFrom: Ann\n\n", "(no game) "] {
        let tree = only(&parse(&format!("{words}(;GM[4]SZ[15];B[hh])"), size(15, 15))).unwrap();
        assert_eq!(points(&tree), "h8", "{words}");
    }
    // A `#` comment that contains SGF does not make the file SGF.
    let entries = parse("# as in (;B[aa])\nh8i9 # (;B[bb])\n", size(15, 15));
    assert_eq!(points(&only(&entries).unwrap()), "h8i9");
}

#[test]
fn a_five_that_is_set_up_ends_the_game() {
    let ending = |stones: &str, rule| {
        let tree = only(&parse(&format!("(;SZ[15]{stones})"), size(15, 15))).unwrap();
        end(&tree).ending(rule).map(|(ending, number)| (ending.outcome(), number))
    };
    let black = Some((Outcome::Won(Color::Black), 0));
    let white = Some((Outcome::Won(Color::White), 0));
    let five = "AB[aa][ba][ca][da][ea]";
    assert_eq!(ending(&format!("{five}AW[ao][bo][co][do]"), Rule::Freestyle), black);
    assert_eq!(ending("AW[aa:ae]AB[ob:oe];B[oa]", Rule::Renju), white);
    assert_eq!(ending("AB[aa:ad]AW[oa:od]", Rule::Freestyle), None);
    // The sixth stone makes an overline of it, and stones at both ends block it.
    for (rule, expected) in [(Rule::Freestyle, black), (Rule::Standard, None), (Rule::Renju, None)]
    {
        assert_eq!(ending(&format!("{five}[fa]"), rule), expected, "{}", rule.name());
    }
    let blocked = "AB[ba:fa]AW[aa][ga]";
    assert_eq!(ending(blocked, Rule::Standard), black);
    assert_eq!(ending(blocked, Rule::Caro), None);
}

#[test]
fn lines_are_read_one_by_one() {
    let text = "h8 i9\n\n# a comment\nh8h8 # twice\r\nz1\nH8O15\n";
    let entries = parse(text, size(15, 15));
    assert_eq!(entries.iter().map(|e| e.line).collect::<Vec<_>>(), [1, 4, 5, 6]);
    assert_eq!(points(&whole(&entries[3])), "h8o15");
    let errors: Vec<String> =
        entries.iter().filter_map(|e| e.record().err()).map(|e| e.to_string()).collect();
    assert_eq!(errors, ["line 4: h8 is taken", "line 5: the point at byte 0 is off the board"]);
    // Lines of one game, and numbered games.
    for (text, games) in [
        ("1. h8 i9\n2. g7 f6 # x\n\n3. h9 h10\n", vec!["h8i9g7f6h9h10"]),
        ("1) h8\n2) i9\n3) g7\nh8", vec!["h8i9g7", "h8"]),
        ("1. h8 i9\n2. h8 i8\n", vec!["h8i9", "h8i8"]),
        ("1. h8 i9 h10\n2. h7 i8 h9", vec!["h8i9h10", "h7i8h9"]),
        ("(1) h8 i9\n(2) g7 f6\n", vec!["h8i9g7f6"]),
        ("1. h8 i9\n2. h8 i8\n3. g7 f6\n4. h8 g8", vec!["h8i9", "h8i8", "g7f6", "h8g8"]),
        ("1. h8i9g7f6\n2. e5h8i9j9\n3. h8a1b2c3", vec!["h8i9g7f6", "e5h8i9j9", "h8a1b2c3"]),
        ("7. h8i9g7f6e5\n8. g7f6e5", vec!["h8i9g7f6e5", "g7f6e5"]),
        ("7. h8 i9\n8. h8 i8", vec!["h8i9", "h8i8"]),
        ("1. h8\n1... i9\n2. g7\n2. ... f6\n3. h9 e5", vec!["h8i9g7f6h9e5"]),
        ("1. h8\n2. i9\n2. g7\n4. f6", vec!["h8i9g7f6"]),
        ("1. h8 i9 g7 f6\n3. h9 e5 d4 c3\n5. a1", vec!["h8i9g7f6h9e5d4c3a1"]),
        ("1. h8 i9 2. g7 f6\n3. h9 e5 4. d4 c3", vec!["h8i9g7f6h9e5d4c3"]),
        ("h8i9g7f6\n3. e5 d4", vec!["h8i9g7f6e5d4"]),
        // Numbers without a point, and lines that are broken anywhere.
        ("1 h8\n2 i9\n3 g7", vec!["h8i9g7"]),
        ("1\th8\ti9\n2\tg7\tf6", vec!["h8i9g7f6"]),
        ("1: h8 i9\n2: g7 f6", vec!["h8i9g7f6"]),
        ("h8 i9 g7 4. f6", vec!["h8i9g7f6"]),
        ("[1] h8\n[2] i9", vec!["h8i9"]),
        ("1. h8 i9 2. g7 f6 3. h9\ne5 4. d4\nc3 5. b2", vec!["h8i9g7f6h9e5d4c3b2"]),
        ("1.\nh8 i9\n2.\nh10 g7\n", vec!["h8i9h10g7"]),
        ("1)\nh8\n2)\ni9\n3)\nh10\n", vec!["h8i9h10"]),
        ("1. h8 i9 2. g7 f6 3.\nh9 e5 4. d4", vec!["h8i9g7f6h9e5d4"]),
        ("1. h8 2. i9 3. g7 4. f6 5.\nh9", vec!["h8i9g7f6h9"]),
        ("1. h8 i9 2.\n\ng7 f6 3. h9", vec!["h8i9g7f6h9"]),
        ("1) h8 i9 2)\ng7 f6\n3) h9 e5 4)\nd4", vec!["h8i9g7f6h9e5d4"]),
        ("1 h8 2 i9 3\ng7 4 f6", vec!["h8i9g7f6"]),
        ("[1] h8 [2] i9 [3]\ng7 [4] f6", vec!["h8i9g7f6"]),
        ("1. h8 i9 # 2.\ng7 f6", vec!["h8i9", "g7f6"]),
        ("1. h8 i9\n3. g7 f6", vec!["h8i9g7f6"]),
        // Numbers without a point inside later lines, and of each move after pairs.
        ("1 h8 2 i9\n3 g7 4 f6", vec!["h8i9g7f6"]),
        ("[1] h8 [2] i9\n[3] g7 [4] f6", vec!["h8i9g7f6"]),
        ("1 h8 i9\n2 g7 f6 3 e5 d4", vec!["h8i9g7f6e5d4"]),
        ("1. h8 i9 2. g7 2... f6 3. e5", vec!["h8i9g7f6e5"]),
    ] {
        let found: Vec<_> = parse(text, size(15, 15)).iter().map(|e| points(&whole(e))).collect();
        assert_eq!(found, games, "{text}");
    }
}

/// A list of moves with a fault is one game, which ends there.
#[test]
fn a_fault_in_numbered_lines_makes_no_other_games() {
    for (text, moves, fault) in [
        ("1. h8 i9\n2. zz g7\n3. j10 k11\n4. c3", "h8i9", "line 2: letter and number expected"),
        ("1. h8\n2. i9\n3. h8\n4. j10\n5. k11", "h8i9", "line 3: h8 is taken"),
        ("h8 i9\n2. g7 f6\n\n3. h9 f6\n4. c3 d4", "h8i9g7f6h9", "line 4: f6 is taken"),
        ("1. h8 i9\n2. i9 g7\n3. j10 k11", "h8i9", "line 2: i9 is taken"),
        ("1. h8 z9\n2. g7 f6\n3. h9 f6", "", "line 1: the point at byte 6 is off the board"),
        ("1. h8 i9\n2. g7 f6\n4. h9", "h8i9g7f6", "line 3: 4 is not the number of the next move"),
        ("1. h8\n3. i9\n4. g7", "h8", "line 2: 3 is not the number of the next move"),
        ("1. h8 i9\n2. g7 f6\n2. g8 f7\n3. c3 d4", "h8i9g7f6", "line 3: 2 is not the number of"),
        ("18446744073709551615. h8i9g7\n2. f6", "h8i9g7", "line 2: 2 is not the number"),
        ("h8 i9\n1... g7\n2. f6 e5", "h8i9", "line 2: 1 is not the number of the next move"),
        ("1. h8\n2. i9\n3. \n4. g7", "h8i9", "line 4: 4 is not the number of the next move"),
        // Numbers inside a line.
        ("1. h8 i9 3. g7 f6", "", "line 1: 3 is not the number of the next move"),
        ("1. h8 2. i9 4. g7", "", "line 1: 4 is not the number of the next move"),
        ("1. h8 i9 2. g7 f6 h9 3. e5 d4", "", "line 1: 3 is not the number of the next move"),
        ("1. h8/h9 i9 2. g7 f6", "", "line 1: 2 is not the number of the next move"),
        ("1. h8 i9\n2. g7 f6 4. h9 e5", "h8i9g7f6", "line 2: 4 is not the number of"),
        ("1. h8 i9\ng7 f6 7. h9 e5", "h8i9g7f6", "line 2: 7 is not the number of the next move"),
        ("1. h8 2. i9\n3. g7 4. f6\n5. h9 6. e5/d4 7. c3", "h8i9g7f6h9e5d4", "line 3: 7 is not"),
        // The moves before the fault in its line are read.
        ("1. h8 i9 2. g7 f6\n3. d4 c3 4. b2 zz\n5. k5", "h8i9g7f6d4c3b2", "line 2: letter and"),
    ] {
        let games = parse(&format!("{text}\n1. a1 b2\n"), size(15, 15));
        let [broken, next] = games.as_slice() else { panic!("{text}: {games:?}") };
        let told = broken.record().unwrap_err().to_string();
        assert!(told.starts_with(fault) && broken.faults.len() == 1, "{text}: {told}");
        assert_eq!((points(&broken.tree), points(&whole(next))), (moves.into(), "a1b2".into()));
    }
    // Other games of a list and moves after a title are read.
    for (text, faults, games) in [
        ("1. h8i9zz\n2. h8i9h10\n3. h8i9g7\n", vec![1], vec!["h8i9h10", "h8i9g7"]),
        ("1. h8 zz\n2. h8 i9\n3. h8 i8", vec![1], vec!["h8i9", "h8i8"]),
        ("h8 z9\n2. h8 i9", vec![1], vec!["h8i9"]),
        ("1. g7 h99 h10\n2. h8h9i10\n3. i9h9j9", vec![1], vec!["h8h9i10", "i9h9j9"]),
        ("1. h8h9h10 A\n2. h8h9i10 B\n3. h8h9j9 C\n4. h8h9j8", vec![1, 2, 3], vec!["h8h9j8"]),
        (
            "Direct\n1. h8h9h10\n2. h8h9i10\nIndirect\n3. h8i9j10\n-----\n4. i9h8j9",
            vec![1, 4, 6],
            vec!["h8h9h10", "h8h9i10", "h8i9j10", "i9h8j9"],
        ),
        (
            "My game\n1. h8 i9\n2. g7 f6\nnow it is interesting\n3. h9 f7\n4. a1 b2",
            vec![1, 4],
            vec!["h8i9g7f6h9f7a1b2"],
        ),
        ("1. game\nh8i9h10\n2. game\ng7h7i8", vec![1, 3], vec!["h8i9h10", "g7h7i8"]),
        ("12.05.2024\nh8i9h10\n13.05.2024\ng7h7i8", vec![1, 3], vec!["h8i9h10", "g7h7i8"]),
        ("h8 i9\nz1 a1\n2. g7 f6", vec![2], vec!["h8i9"]),
        ("7. h8 i9\n8. g7 f6\n9. j10 k11", vec![], vec!["h8i9", "g7f6", "j10k11"]),
        ("1. h8 i9\n1,1 draw so far\n2. g7 f6", vec![2], vec!["h8i9g7f6"]),
        (
            "Game 5\n[Round \"3\"]\nBlack: Ann\nWhite: Bo\n1. h8 i9\n2. g7 f6\nThanks",
            vec![1, 2, 3, 4, 7],
            vec!["h8i9g7f6"],
        ),
    ] {
        let (broken, sound): (Vec<_>, Vec<_>) =
            parse(text, size(15, 15)).into_iter().partition(|game| game.record().is_err());
        assert_eq!(broken.iter().map(|game| game.line).collect::<Vec<_>>(), faults, "{text}");
        let found: Vec<_> = sound.iter().map(|game| points(&whole(game))).collect();
        assert_eq!(found, games, "{text}");
    }
}

/// Cuts every file short at every byte and garbles it; whatever comes of it, it is no panic, and
/// what can be read can be written.
#[test]
fn garbled_files_do_no_harm() {
    let variations = "(;SZ[15]AB[hh][ig]AW[aa:cc]PL[W]C[x\\]];W[ii](;B[jj])(;B[kk]))";
    let mut rng = fastrand::Rng::with_seed(11);
    for whole in [TOURNAMENT, PERSON, ARCHIVE, MATCH, variations, "h8i9 # x\nj10\n"] {
        for cut in 0..whole.len() {
            check_all(&parse(&whole[..cut], size(15, 15)));
            let mut bytes = whole.as_bytes()[cut..].to_vec();
            check_all(&parse(&String::from_utf8_lossy(&bytes), size(15, 15)));
            bytes = whole.as_bytes().to_vec();
            for _ in 0..rng.usize(1..6) {
                let at = rng.usize(0..bytes.len());
                bytes[at] = *rng.choice(b"()[];:\\\n,x-0a9z\xc3\xff").unwrap();
            }
            check_all(&parse(&String::from_utf8_lossy(&bytes), size(15, 15)));
        }
    }
    check_all(&parse(&"(;".repeat(100_000), size(15, 15)));
    check_all(&parse(&"(;B[hh]".repeat(10_000), size(15, 15)));
}

fn check_all(entries: &[ParsedGame]) {
    for (entry, record) in entries.iter().filter_map(|e| Some((e, e.record().ok()?))) {
        let (board, again) = (record.board(Rule::Renju), end(&read(&entry.tree.to_sgf())));
        assert_eq!(board.key(), again.board(Rule::Renju).key());
        let _ = (record.ending(Rule::Renju), psq_of(&entry.tree), record.to_pos());
    }
}

#[test]
fn endings_are_found_where_they_are() {
    let five = "h8a1i8a2j8a3k8a4l8";
    let Some((Ending::Five(color, cells), at)) = end(&play(15, five)).ending(Rule::Standard) else {
        panic!("no five");
    };
    assert_eq!((color, cells.len(), at), (Color::Black, 5, 9));
    assert!(["h8", "i8", "j8", "k8", "l8"].iter().all(|name| cells.contains(point(name))));
    // Moves after the five change nothing, and one stone less is no five.
    assert_eq!(end(&play(15, &format!("{five}o15"))).ending(Rule::Standard).unwrap().1, 9);
    assert_eq!(end(&play(15, five)).after(8).ending(Rule::Standard), None);
    // Six in a row: a win, nothing, a foul.
    let six = "h8a1i8a3j8a5l8a7m8c1k8";
    assert!(matches!(end(&play(15, six)).ending(Rule::Freestyle), Some((Ending::Five(..), 11))));
    assert_eq!(end(&play(15, six)).ending(Rule::Standard), None);
    assert_eq!(end(&play(15, six)).ending(Rule::Renju), Some((Ending::Foul(point("k8")), 11)));
    // Two crossing fives are one ending with nine stones.
    let cross = "(;SZ[15]AB[ff][gg][ii][jj][hf][hg][hi][hj];B[hh])";
    let Some((Ending::Five(_, cells), 1)) = end(&read(cross)).ending(Rule::Renju) else { panic!() };
    assert_eq!(cells.len(), 9);
    // A full board.
    let setup = |rows: [&str; 5]| {
        let mut sgf = ["AB".to_owned(), "AW".to_owned()];
        for (y, row) in rows.iter().enumerate() {
            for (x, stone) in row.chars().enumerate().filter(|&(_, stone)| stone != '.') {
                let letters = [x, y].map(|i| char::from(b'a' + i as u8)).iter().collect::<String>();
                sgf[usize::from(stone == 'o')] += &format!("[{letters}]");
            }
        }
        sgf.concat()
    };
    let full = read(&format!("(;SZ[5]{})", setup(["xxoox", "ooxxo", "xxoox", "ooxxo", "xxoox"])));
    assert_eq!(end(&full).ending(Rule::Freestyle), Some((Ending::Full, 0)));
    // On the only free cell black would make a row of six.
    let nearly = setup(["ooxoxo", "oxoxox", "xxx.xx", "ooxxoo", "xxooxx"]);
    for (to_move, ending) in [("B", Some((Ending::NoMove, 0))), ("W", None)] {
        let nearly = read(&format!("(;SZ[6:5]PL[{to_move}]{nearly})"));
        assert_eq!(end(&nearly).ending(Rule::Renju), ending);
        assert_eq!(end(&nearly).ending(Rule::Standard), None);
    }
}

#[test]
fn moves_are_taken_back_but_not_the_setup() {
    let whole = end(&read("(;SZ[15]AB[hh]AW[ii];B[jj];W[kk])"));
    assert_eq!(
        (whole.after(1).to_pos().as_deref(), whole.after(2)),
        (Some("h8i9j10"), whole.clone())
    );
    let record = whole.after(0);
    assert_eq!((record.to_move(), record.stones().len()), (Color::Black, 2));
    assert_eq!(record.to_pos().as_deref(), Some("h8i9"));
    assert_eq!(end(&read("(;SZ[15]AB[hh][ii])")).to_pos(), None);
}

/// Returns the only game of a text, and its warnings in words.
fn warned(text: &str) -> (GameTree, Vec<String>) {
    let entries = parse(text, size(15, 15));
    let words = warnings_in_words(&entries[..1], None, Rule::Standard);
    (only(&entries).unwrap_or_else(|error| panic!("{text}: {error:?}")), words)
}

#[test]
fn what_is_read_otherwise_than_it_stands_is_told() {
    for (text, moves, rule, words) in [
        // Rules by many names, and unknown ones.
        ("(;GM[4]RU[Soosyrv-8];B[hh])", "h8", Some(Rule::Renju), ""),
        ("(;GM[4]RU[basicrule_STANDARD];B[hh])", "h8", Some(Rule::Standard), ""),
        ("(;GN[cy-di(B) : Sakata rule]RU[];B[hh])", "h8", Some(Rule::Renju), ""),
        (
            "(;GM[4]GN[Cup, renju (2020)];B[hh])",
            "h8",
            Some(Rule::Renju),
            "line 1: the rule is taken to be renju from the game's name 'Cup, renju (2020)'",
        ),
        ("(;GM[4]RU[freestyle]GN[RIF];B[hh])", "h8", Some(Rule::Freestyle), ""),
        (
            "(;RU[连珠(無禁)];B[hh])",
            "h8",
            None,
            "line 1: the rule '连珠(無禁)' is not known, standard is taken",
        ),
        (
            "(;GM[4]\nRU[house rules];B[hh])",
            "h8",
            None,
            "line 2: the rule 'house rules' is not known, standard is taken",
        ),
        (
            "(;GN[x : Odd rule];B[hh])",
            "h8",
            None,
            "line 1: the rule 'Odd' is not known, standard is taken",
        ),
        // Other numbers of the game.
        ("(;GM[1];B[hh])", "h8", None, "line 1: GM[1] is not Gomoku, GM[4]; it is read as Gomoku"),
        (
            "(;GM[ 5 ];B[hh])",
            "h8",
            None,
            "line 1: GM[ 5 ] is not Gomoku, GM[4]; it is read as Gomoku",
        ),
        // Brackets in texts, in the last one of a node as well.
        (
            "(;PB[cy [3d]]PW[[k] di];B[hh]N[h8 [best] of all];W[ii])",
            "h8i9",
            None,
            "line 1: a ']' without '\\' before it is taken for a part of the text",
        ),
        ("(;PlayerBlack [cy] PlayerWhite [di] ;Black [hh])", "h8", None, ""),
        // No `;` in the first node.
        ("(\nEV[Cup];B[hh])", "h8", None, "line 2: the game begins without ';', which is added"),
        ("(B[hh];W[ii])", "h8i9", None, "line 1: the game begins without ';', which is added"),
        (
            "(;B[hh][ii];W[jj])",
            "h8i9j10",
            None,
            "line 1: a move has one point, 'ii' is read as one more move",
        ),
        // Points of other kinds, the same once.
        (
            "(;B[h8];W[i7];B[j10])",
            "h8i9j6",
            None,
            "line 1: the point 'h8' should be two small letters; rows are counted from the bottom",
        ),
        ("(;B[HH];W[II])", "h8i9", None, "line 1: the point 'HH' should be two small letters"),
        ("(;B[hh]foo[x];W[ii])", "h8i9", None, "line 1: the property 'foo' is left out"),
        // More than the game.
        ("(;B[hh])\n) end", "h8", None, "line 1: ')' is no part of a game, left out"),
        ("(;B[hh](;W[ii])(;W[jj]))", "h8i9", None, ""),
        // Divisions of a tournament, and what else follows a game of Piskvork.
        ("Piskvorky 15x15, 11:11, 0\n8,8,0\na\nb\n-1\n1,Renju_2\n", "h8", Some(Rule::Renju), ""),
        (
            "Piskvorky 15x15, 11:11, 0\n8,8,0\na\nb\n0\n\nrule standard\n",
            "h8",
            Some(Rule::Standard),
            "",
        ),
        (
            "Piskvorky 15x15, 11:11, 0\n8,8,0\na\nb\n-1\n0,Group_3\n",
            "h8",
            None,
            "line 6: the rule 'Group_3' is not known, standard is taken",
        ),
        (
            "Piskvorky 15x15, 11:11, 0\n8,8,0\na\n-1\n",
            "h8",
            None,
            "line 3: 'a' is no part of a game, left out",
        ),
        (
            "Piskvorky 15x15, 11:11, 0\n8,8,0\na\nb\n-1\nby me\n",
            "h8",
            None,
            "line 6: 'by me' is no part of a game, left out",
        ),
    ] {
        let (tree, told) = warned(text);
        assert_eq!((points(&tree).as_str(), tree.rule), (moves, rule), "{text}");
        assert_eq!(told.join("; "), words, "{text}");
    }
    assert_eq!(warned("(;PB[cy [3d]];B[hh])").0.players[0], "cy [3d]");
    // Every unknown rule is told, once.
    let entries = parse("(;RU[odd];B[hh])(;RU[odder];B[hh])\n(;RU[odd];B[ii])", size(15, 15));
    let told = warnings_in_words(&entries, None, Rule::Renju);
    assert_eq!(told.len(), 2, "{told:?}");
    // A bracket that nothing closes takes no move away.
    let entry = &parse("(;C[a] b;B[hh];W[ii])", size(15, 15))[0];
    assert_eq!(entry.record().unwrap_err().to_string(), "line 1: unexpected ';'");
}

#[test]
fn files_may_hold_several_games_of_piskvork() {
    let text = format!("{ARCHIVE}{PERSON}\n{TOURNAMENT}");
    let entries = parse(&text, size(15, 15));
    let lines: Vec<usize> = entries.iter().map(|entry| entry.line).collect();
    assert_eq!(lines, [1, 8, 13]);
    let games: Vec<String> = entries.iter().map(|e| points(&whole(e))).collect();
    assert_eq!(games, ["h8i8", "h8i9", "h8i8h9j10"]);
    assert_eq!(entries[2].record().unwrap().size(), size(20, 20));
    let entries = parse(&format!("{ARCHIVE}Piskvorky 99x99, 0:0, 0\n1,1,0\n"), size(15, 15));
    assert_eq!(
        entries[1].record(),
        Err(ParseError {
            place: Place::Line(8),
            kind: ParseErrorKind::Size("99x99".into()),
            breaks_main_line: true
        })
    );
}

#[test]
fn unknown_formats_are_one_fault() {
    for text in [
        "<?xml version=\"1.0\"?>\n<game>\n<move>h8 i9</move>\n</game>\n".to_owned(),
        "{\"moves\": [\"h8\"]}\n{}\n".to_owned(),
        "a letter\nto somebody,\nno game.\nh8\n".to_owned(),
        "boardsize 15\n".repeat(1_000),
        "[Event \"x\"]\n[Site \"\"]\n[Date \"\"]\n[White \"a\"]\n[Black \"b\"]\n\n\
         1. e4 e5 2. Nf3 Nc6\n3. Bb5 a6\nd4 d5\n"
            .repeat(9),
        "3,4\n4,4\n".to_owned(),
        "Match: 1\n\n8,9\n4,5\n".to_owned(),
    ] {
        assert_eq!(only(&parse(&text, size(15, 15))), Err(ParseErrorKind::Format), "{text}");
    }
    assert_eq!(parse("My games\nh8\ni9\nzz\n", size(15, 15)).len(), 4);
}

#[test]
fn links_of_gomocalc_are_moves() {
    let options = ReadOptions { rows: Rows::Bottom, ..size(15, 15).into() };
    for line in [
        "https://gomocalc.com/#/h8i9",
        "analysed: HTTPS://WWW.GOMOCALC.COM/#/H8I9/ to move",
        "http://gomocalc.com/#h8i9?x=1 # a comment",
    ] {
        let game = &parse(line, options)[0];
        assert_eq!(points(&whole(game)), "h8i9", "{line}");
        assert_eq!(game.warnings.len(), 0, "{line}");
    }
    assert_eq!(points(&read("h8 # https://gomocalc.com/#/a1")), "h8");
    for line in ["https://gomocalc.com/#/", "https://gomocalc.com/", "gomocalc.com/#/h8z9"] {
        assert!(parse(line, size(15, 15))[0].record().is_err(), "{line}");
    }
}

/// The corner at the top left, the rows of which every format counts in its own way.
#[test]
fn every_format_counts_rows_from_its_side() {
    let library = [&b"\xFFRenLib\xFF\x03\x04"[..], &[0xFF; 10], &[0, 0, 0x02, 0x40]].concat();
    for (file, top, bottom) in [
        (&b"Piskvorky 20x15, 1:1, 0\n2,1,0\n"[..], "b1", "b15"),
        (b"(;GM[4]SZ[20:15];B[ba]LB[ba:x])", "b1", "b15"),
        (b"(;GM[4]SZ[20:15];B[BA])", "b1", "b15"),
        (&library, "b1", "b15"),
        (b"-9,-7", "b1", "b15"),
        (b"b15", "b15", "b15"),
        (b"(;GM[4]SZ[20:15];B[b15])", "b1", "b15"),
        (b"[GameType \"61,20x15\"]\n\n1. b15\n", "b1", "b15"),
        (b"https://www.playok.com/en/p/?g=gm+b15", "b1", "b15"),
        (b"https://gomocalc.com/#/b15", "b1", "b15"),
        (
            b"{\"size\":\"20x15\",\"nodes\":[{},{\"move\":\"b15\",\"labels\":[[\"b15\",\"x\"]]}]}",
            "b1",
            "b15",
        ),
    ] {
        for (rows, name) in [(Rows::Top, top), (Rows::Bottom, bottom)] {
            let options = ReadOptions { rows, ..size(20, 15).into() };
            let games = parse_file(Path::new("game"), file, options).unwrap();
            let shown = String::from_utf8_lossy(file);
            let tree = &games[0].tree;
            assert_eq!((points(&whole(&games[0])), tree.rows), (name.to_owned(), rows), "{shown}");
            let notes = tree.preorder().filter_map(|id| tree.notes(id));
            assert!(
                notes.flat_map(|notes| &notes.labels).all(|(c, _)| *c == point(name)),
                "{shown}"
            );
            // What is written is read as the same, with rows from either side.
            for format in [Format::Psq, Format::Sgf, Format::Json] {
                let file = format.write(tree).unwrap();
                let again = parse_file(Path::new("game"), &file, options).unwrap();
                assert_eq!(points(&whole(&again[0])), name, "{shown}");
                let other = if rows == Rows::Top { Rows::Bottom } else { Rows::Top };
                let again =
                    parse_file(Path::new("game"), &file, ReadOptions { rows: other, ..options });
                let again = whole(&again.unwrap()[0]);
                assert_eq!(points(&again), if name == "b1" { "b15" } else { "b1" }, "{shown}");
            }
        }
    }
    // Faults name points as they are named everywhere.
    let options = ReadOptions { rows: Rows::Bottom, ..size(15, 15).into() };
    let game = &parse("(;SZ[20:15];B[ba];W[ba])", options)[0];
    assert_eq!(game.record().unwrap_err().to_string(), "line 1: b15 is taken");
}
