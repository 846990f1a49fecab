//! `play` through a pipe: the same game as at a terminal, without colours and prompts.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use tengen_gomoku::record::tree::GameTree;
use tengen_gomoku::record::{HUMAN, Outcome, load};
use tengen_gomoku::types::{BoardSize, Color, Rule};

use crate::scratch::{file, path};
use crate::shell::{command, printed, run};

/// Plays with these arguments and lines, and returns what was printed.
fn play(arguments: &[&str], lines: &str) -> String {
    let text = printed(output_of(arguments, lines));
    assert!(!text.contains(['\x1b', '\r', '>']), "{text}");
    text
}

/// Runs the program with these arguments and lines to its end.
fn output_of(arguments: &[&str], lines: &str) -> Output {
    let options = ["play", "--level", "20", "--time", "5"];
    run(command(&[&options, arguments].concat()), lines)
}

fn read(path: &str) -> GameTree {
    let game = load(Path::new(path), BoardSize::new(15, 15).unwrap()).unwrap().swap_remove(0);
    game.record().unwrap();
    game.tree
}

/// Returns the lines of the last board that was drawn.
fn last_board(text: &str) -> Vec<&str> {
    let board = &text[text.rfind("\n\n   a b").expect("a board") + 2..];
    board.lines().collect()
}

#[test]
fn a_game_begins_with_the_person() {
    let text = play(&[], "h8\n");
    assert!(
        text.contains("\nRule freestyle, board 15x15, level 20, 5 s a move; you are black (X).\n")
    );
    assert!(text.contains("\nMove 1: it is your turn, black (X).\nTengen plays "), "{text}");
    let board = last_board(&text);
    assert_eq!(board[0], "   a b c d e f g h i j k l m n o");
    assert_eq!(board[17], "Move 3: it is your turn, black (X).");
    assert!(board[8].starts_with(" 8 ") && board[8].contains('X') && board[1].starts_with("15 "));
    assert_eq!(board[1..16].concat().matches('O').count(), 1);
}

#[test]
fn tengen_begins_when_asked() {
    for text in [play(&["--white"], ""), play(&[], "swap\n")] {
        assert!(text.contains("Tengen plays h8.\n"), "{text}");
        assert_eq!(last_board(&text)[8], " 8 . . . . . . .(X). . . . . . . 8");
        assert!(text.ends_with("Move 2: it is your turn, white (O).\n"));
    }
    // There is nothing of the person's to take back, and a new game begins the same way.
    let text = play(&["--white", "--size", "6x5"], "undo\nnew\n");
    assert!(text.contains("\nthere is no move of yours to take back\n"));
    assert_eq!(text.matches("Tengen plays d3.\n").count(), 2, "{text}");
}

#[test]
fn what_cannot_be_done_is_one_line_and_the_game_goes_on() {
    let lines = "foo\n\nh16\n\u{e9}8\nh8 i9\nlevel 200\nrule go\nsize 3\ntime x\nsave\nundo\n\
                 load no such file\nsave x.doc\nh8\nh8\n";
    let text = play(&[], lines);
    let (_, after) = text.split_once("it is your turn, black (X).\n").unwrap();
    let (refusals, after) = after.split_once("Tengen plays ").unwrap();
    let refusals: Vec<&str> = refusals.lines().collect();
    assert_eq!(refusals.len(), 12, "{refusals:?}");
    assert_eq!(refusals[0], "'foo' is neither a move such as h8 nor a command; type help");
    assert_eq!(refusals[1], "that is off the board, which goes from a1 to o15");
    assert!(refusals[10].starts_with("no such file: "), "{refusals:?}");
    assert_eq!(refusals[11], "x.doc: a file to save to ends with .psq, .sgf, .lib, .txt or .json");
    assert!(after.ends_with("Move 3: it is your turn, black (X).\nh8 is taken\n"), "{after}");
}

#[test]
fn any_bytes_do_no_harm() {
    let mut rng = fastrand::Rng::with_seed(3);
    let words = "h8 undo hint swap new rule_renju size_5 level_0 board i redo moves resign swap2 \
                 black white place players_1 players_2 clock_3s clock style_0";
    let words: Vec<String> = words.split(' ').map(|word| word.replace('_', " ")).collect();
    let mut lines = String::from("time 0.01\nlevel 0\n");
    for _ in 0..200 {
        let word = match rng.usize(0..4) {
            0 => format!("{}{}", rng.char('a'..='h'), rng.u8(0..9)),
            1 => (0..rng.usize(0..9))
                .map(|_| rng.char(..))
                .filter(|&c| c != '>' && !c.is_control())
                .collect(),
            _ => rng.choice(&words).unwrap().clone(),
        };
        if !word.starts_with(['q', 'Q']) {
            lines += &format!("{word}\n");
        }
    }
    let text = play(&["--size", "7"], &format!("{lines}\nnew\nplayers 2\nnew\nquit\nh8\n"));
    assert!(text.ends_with("Move 1: it is the turn of black (X).\n"), "{text}");
}

#[test]
fn help_names_every_command() {
    let text = play(&[], "help\nquit\n");
    let words = "h8 undo redo hint stop moves resign new swap2 swap players level style time clock rule \
                 size save load board help quit";
    for word in words.split(' ') {
        assert!(text.contains(&format!("\n  {word} ")), "{word}");
    }
}

#[test]
fn a_five_of_the_person_wins_and_is_marked() {
    let four = file("four.sgf", "(;GM[4]SZ[15];B[hh];W[aa];B[ih];W[ca];B[jh];W[ea];B[kh];W[ga])");
    let saved = path("won.psq");
    let lines = format!("l8\na5\nhint\nsave {saved}\nundo\n");
    let text = play(&[&four], &lines);
    let (won, undone) = text.split_once("Saved to").unwrap();
    assert!(won.contains("\n 8 . . . . . . .[X-X-X-X(X). . . 8\n"), "{won}");
    assert!(won.contains("\nBlack wins by five. Well done!\n"));
    assert!(won.ends_with(&"the game is over; type undo, new, load or quit\n".repeat(2)), "{won}");
    assert!(undone.ends_with("Move 9: it is your turn, black (X).\n"), "{undone}");
    // A finished game has another code at its end than one that goes on.
    let text = fs::read_to_string(&saved).unwrap();
    assert!(text.starts_with("Piskvorky 15x15, 0:11, 0\n8,8,0\n1,1,0\n"), "{text}");
    assert!(text.ends_with("\nhomo-1\npbrain-tengen\n0\n\nrule freestyle\n"), "{text}");
    let text = play(&[&saved], "o15\n");
    assert!(text.contains("Black wins by five.\nthe game is over"), "{text}");
}

#[test]
fn a_five_of_tengen_wins() {
    let four = "Piskvorky 15x15, 0:0, 0\n1,1,0\n8,5,0\n3,1,0\n8,6,0\n5,1,0\n8,7,0\n7,1,0\n8,8,0\n";
    let text = play(&[&file("lost.psq", four)], "o15\n");
    assert!(text.ends_with("White wins by five.\n"), "{text}");
    let board = last_board(&text);
    let marked = (4..=9).filter(|&row| board[row].contains("[O]") || board[row].contains("(O)"));
    assert_eq!(marked.count(), 5);
}

#[test]
fn forbidden_points_are_shown_and_refused() {
    let threes = file("threes.sgf", "(;SZ[15]RU[renju]AB[hf][hg][fh][gh]AW[aa][oa][ao][oo])");
    let text = play(&[&threes], "h8\nrule freestyle\nlevel 0\nh8\n");
    let (renju, freestyle) = text.split_once("h8 is forbidden for black: double three\n").unwrap();
    assert!(renju.contains("Rule renju, "));
    assert!(renju.contains("\n 8 . . . . . X X ! . . . . . . . 8\n"), "{renju}");
    assert!(renju.contains("\nPoints marked ! are forbidden for black.\n"));
    assert!(!freestyle.contains('!') && freestyle.contains("Tengen plays"), "{freestyle}");
    // A file that holds a forbidden move is lost for black at that move.
    let foul = file("foul.sgf", "(;SZ[15]AB[hf][hg][fh][gh]AW[aa][oa][ao][oo];B[hh];W[dd])");
    let text = play(&["--rule", "renju", &foul], "");
    assert!(text.contains("White wins: h8 is forbidden for black (move 9).\n"), "{text}");
    let five = file("five.sgf", "(;SZ[15]AB[aa:ea]AW[ao][bo][co][do];W[hh])");
    let text = play(&[&five], "");
    assert!(text.contains("Black wins by five (before the first move)."), "{text}");
}

#[test]
fn black_without_a_legal_move_has_lost() {
    // Whoever fills the last cell as black makes an overline.
    let mut text = String::from("(;SZ[6]RU[renju]PL[B]");
    for (x, y) in (0..6).flat_map(|y| (0..6).map(move |x| (x, y))).filter(|&c| c != (2, 0)) {
        // The colours alternate in pairs, so that there is no five.
        let color = if y == 0 || (x / 2 + y) % 2 == 0 { 'B' } else { 'W' };
        text += &format!("A{color}[{}{}]", char::from(b'a' + x), char::from(b'a' + y));
    }
    let text = play(&["--white", &file("overline.sgf", format!("{text})"))], "");
    assert!(!text.contains("Tengen plays"), "{text}");
    assert!(text.contains("White wins: black has no legal move"), "{text}");
}

#[test]
fn a_full_board_is_a_draw() {
    let almost = "(;SZ[5]AB[aa][ba][ea][cb][db][ac][bc][ec][cd][dd][ae][be]\
                  AW[ca][da][ab][bb][eb][cc][dc][ad][bd][ed][ce][de])";
    let text = play(&[&file("full.sgf", almost)], "e1\n");
    assert!(text.ends_with("Draw: the board is full.\n"), "{text}");
}

#[test]
fn games_are_saved_and_loaded() {
    for name in ["game.psq", "game.SGF"] {
        let saved = path(name);
        let lines = format!("time 0.1\nrule standard\nsize 20x15\nk8\nsave {saved}\n");
        play(&[], &lines);
        let tree = read(&saved);
        let record = tree.record(tree.end());
        assert_eq!((tree.size().width(), tree.size().height()), (20, 15));
        assert_eq!((record.moves().len(), record.to_move()), (2, Color::Black));
        assert_eq!(tree.players, [HUMAN, "pbrain-tengen"]);
        assert_eq!((tree.outcome, tree.rule), (None, Some(Rule::Standard)));
        let text = play(&[], &format!("load {saved}\n"));
        assert!(text.ends_with("Move 3: it is your turn, black (X).\n"), "{text}");
        assert!(text.contains("Rule standard, board 20x15"), "{text}");
    }
    // Formats that cannot hold all of it.
    for (name, rule) in [("game.lib", Some(Rule::Standard)), ("game.txt", None)] {
        let saved = path(name);
        play(&[], &format!("time 0.1\nrule standard\nk8\nsave {saved}\nsave! {saved}\n"));
        let tree = read(&saved);
        assert_eq!((tree.record(tree.end()).moves().len(), tree.rule), (2, rule), "{name}");
    }
    let text = play(&[], &format!("size 20x15\nk8\nsave {}\n", path("large.lib")));
    assert!(text.contains("large.lib: RenLib has boards of 15x15 only"), "{text}");
    let saved = path("white.sgf");
    let lines = format!("save {saved}\n");
    play(
        &[&file(
            "win.sgf",
            "(;SZ[15];B[aa];W[hh];B[ca];W[ih];B[ea];W[jh];B[ga];W[kh];B[ia];W[lh])",
        )],
        &lines,
    );
    assert_eq!(read(&saved).outcome, Some(Outcome::Won(Color::White)));
}

#[test]
fn what_a_file_says_otherwise_is_told() {
    let odd = file("odd.sgf", "(;GM[1]SZ[15]RU[house];B[hh](;W[ii])(;W[jj]))\n(;B[aa])");
    let warnings = format!(
        "Warning: {odd}: line 1: GM[1] is not Gomoku, GM[4]; it is read as Gomoku.\n\
         Warning: {odd}: line 1: the rule 'house' is not known, freestyle is taken.\n\
         Warning: {odd}: this is the first of 2 games.\n"
    );
    let text = play(&["--players", "2"], &format!("load {odd}\nmoves\n"));
    assert_eq!(text.matches(&warnings).count(), 1, "{text}");
    assert!(play(&[&odd], "").contains(&warnings));
    // The rule of the command line goes before that of the file.
    let named = file("named.sgf", "(;GM[4]SZ[15]RU[renju];B[hh];W[ii])");
    let words =
        format!("Warning: {named}: line 1: the rule is renju here, caro is taken as asked for.\n");
    let saved = path("asked.sgf");
    assert!(play(&["--rule", "caro", &named], &format!("save {saved}\n")).contains(&words));
    assert_eq!(read(&saved).rule, Some(Rule::Caro));
    assert!(!play(&[&named], "").contains("Warning"));
}

#[test]
fn files_that_are_no_games_change_nothing() {
    for (name, text, fault) in [
        ("empty.psq", "", "the file is empty"),
        ("comment.txt", "# nothing\n", "line 1: there is no game in it"),
        ("bad.psq", "Piskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0\n", "line 3: h8 is taken"),
        (
            "large.psq",
            "Piskvorky 30x30, 0:0, 0\n",
            "line 1: a board of 30x30 is not supported, 5 to 22 a side",
        ),
        ("bad.sgf", "(;GM[2]SZ[19])", "line 1: GM[2] is not Gomoku or Renju, GM[4]"),
    ] {
        let name = file(name, text);
        let text = play(&[], &format!("load {name}\n"));
        assert!(text.ends_with(&format!("black (X).\n{name}: {fault}\n")), "{text}");
        // Named as an argument it is the end, before a game began.
        assert_eq!(failure(&[&name]), format!("tengen: {name}: {fault}\n"));
    }
    let missing = path("nosuch.psq");
    assert!(failure(&[&missing]).starts_with(&format!("tengen: {missing}: ")));
}

/// Expects that the program fails without a word on standard output, and returns its error.
fn failure(arguments: &[&str]) -> String {
    let output = output_of(arguments, "h8\n");
    let told = (output.status.code(), String::from_utf8(output.stdout).unwrap());
    assert_eq!(told, (Some(1), String::new()), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn white_is_white_in_the_game_of_a_file_too() {
    let game = file("two.sgf", "(;SZ[15];B[hh];W[ii])");
    let text = play(&[&game], "");
    assert!(text.ends_with("Move 3: it is your turn, black (X).\n"), "{text}");
    let text = play(&["--white", &game], "");
    assert!(text.contains("you are white (O).\nTengen plays "), "{text}");
    assert!(text.ends_with("Move 4: it is your turn, white (O).\n"), "{text}");
}

#[test]
fn renju_comes_back_from_a_psq() {
    let threes =
        file("renju.sgf", "(;SZ[15]RU[renju];B[hf];W[aa];B[hg];W[oa];B[fh];W[ao];B[gh];W[oo])");
    let saved = path("renju.psq");
    play(&[&threes], &format!("save {saved}\n"));
    let text = play(&[&saved], "h8\n");
    assert!(text.contains("\nRule renju, "), "{text}");
    assert!(text.ends_with("h8 is forbidden for black: double three\n"), "{text}");
}

#[test]
fn a_file_is_overwritten_only_by_force() {
    let notes = file("notes.sgf", "not a game at all");
    let own = path("own.sgf");
    let other = path("own.psq");
    let text = play(&[], &format!("save {notes}\nsave {own}\nsave {other}\nsave {own}\n"));
    assert!(text.contains(&format!("{notes} is there already; save! {notes} overwrites it\n")));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "not a game at all");
    // What this game saved, it may save again.
    assert_eq!(text.matches(&format!("Saved to {own}.\n")).count(), 2, "{text}");
    let text = play(&[], &format!("save {own}\nsave! {notes}\n"));
    assert!(text.contains("own.sgf is there already"), "{text}");
    assert!(fs::read_to_string(&notes).unwrap().starts_with("(;FF[4]"), "{text}");
    // Another game did not save it.
    let first = path("first.psq");
    let load = format!("load {notes}\n");
    for next in ["new\n", "size 19\n", &load] {
        let _ = fs::remove_file(&first);
        let text = play(&["--players", "2"], &format!("h8\nsave {first}\n{next}save {first}\n"));
        assert!(text.contains(&format!("{first} is there already")), "{next}: {text}");
    }
}

#[test]
fn a_game_keeps_its_players_until_something_changes() {
    let named = file("named.sgf", "(;SZ[15]PB[Ann]PW[Bob]RE[W+R];B[hh];W[ii];B[jj])");
    let saved = path("named-again.sgf");
    for (lines, players, outcome) in [
        ("", ["Ann", "Bob"], Some(Outcome::Won(Color::White))),
        ("a1\n", ["Human", "Human"], None),
        ("undo\n", ["Human", "Human"], None),
        ("rule freestyle\n", ["Ann", "Bob"], Some(Outcome::Won(Color::White))),
        ("rule renju\n", ["Human", "Human"], None),
        ("resign\n", ["Human", "Human"], Some(Outcome::Won(Color::Black))),
    ] {
        let _ = fs::remove_file(&saved);
        play(&["--players", "2", &named], &format!("{lines}save {saved}\n"));
        let tree = read(&saved);
        assert_eq!((tree.players, tree.outcome), (players.map(str::to_owned), outcome));
    }
}

#[test]
fn a_psq_keeps_its_result_until_something_changes() {
    let saved = path("result-again.psq");
    // The final code of the loaded file, the typed lines, the final code of the saved file, and the
    // winner that the saved file names.
    for (code, lines, again, winner) in [
        (0, "", 0, None),
        (-1, "", -1, None),
        (15, "", 15, Some(Color::White)),
        (-2, "", -2, Some(Color::White)),
        (7, "", 7, None),
        (0, "a1\n", -1, None),
        (0, "undo\n", -1, None),
        (0, "rule renju\n", -1, None),
        (15, "undo\nredo\n", -1, None),
        (15, "resign\n", 0, None),
    ] {
        let names = "Ann\nBob\n";
        let text = format!("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n{names}{code}\n");
        let game = file("result.psq", &text);
        let _ = fs::remove_file(&saved);
        play(&["--players", "2", &game], &format!("{lines}save {saved}\n"));
        let text = fs::read_to_string(&saved).unwrap();
        assert!(text.contains(&format!("\n{again}\n\nrule ")), "{code} {lines}: {text}");
        let outcome = winner.map(Outcome::Won);
        assert_eq!(read(&saved).outcome, outcome, "{code} {lines}: {text}");
    }
}

#[test]
fn what_was_taken_back_is_played_again() {
    let game = file("redo.sgf", "(;SZ[15];B[hh];W[ii];B[hj];W[gg])");
    let text =
        play(&[&game], "redo\nundo\nundo\nmoves\nredo\nmoves\nredo\nmoves\nundo\na1\nredo\n");
    assert!(text.contains("black (X).\nnothing was taken back\n"), "{text}");
    assert!(text.contains("\nNo move was played.\n"), "{text}");
    assert!(text.contains("\n  1 h8    2 i7\n"), "{text}");
    assert!(text.contains("\n  1 h8    2 i7    3 h6    4 g9\n"), "{text}");
    assert!(text.ends_with("\nnothing was taken back\n"), "{text}");
}

#[test]
fn what_was_taken_back_is_no_part_of_a_saved_game() {
    for (lines, moves) in [("h8\ni9\nundo\nj10\nundo\n", "h8"), ("h8\nundo\nh7\nundo\n", "")] {
        for name in ["taken-back.sgf", "taken-back.psq", "taken-back.json"] {
            let saved = path(name);
            play(&["--players", "2"], &format!("{lines}save! {saved}\n"));
            let tree = read(&saved);
            assert_eq!(tree.record(tree.end()).to_pos().unwrap(), moves, "{name}");
        }
    }
    // Variations of a file stay.
    let text = "(;SZ[15];B[hh];W[ii](;B[jj])(;B[ao]C[mine];W[bn]))";
    let (game, saved) = (file("varied.sgf", text), path("varied-again.sgf"));
    play(&["--players", "2", &game], &format!("undo\nsave! {saved}\n"));
    let tree = read(&saved);
    assert_eq!(tree.record(tree.end()).stones().len(), 2);
    assert_eq!(tree.preorder().count(), 6);
    // A pass at the end stays.
    let (game, saved) = (file("pass.sgf", "(;SZ[15];B[hh];W[])"), path("passed.sgf"));
    play(&["--players", "2", &game], &format!("save! {saved}\n"));
    let tree = read(&saved);
    assert_eq!(tree.record(tree.end()).to_move(), Color::Black);
}

#[test]
fn a_game_can_be_given_up() {
    let saved = path("resigned.sgf");
    let lines = format!("resign\nsave {saved}\nh8\nresign\nundo\nh8\nquit\n");
    let text = play(&[], &lines);
    assert!(text.contains("\nWhite wins: black has resigned.\nSaved"), "{text}");
    assert!(text.contains(&"the game is over; type undo, new, load or quit\n".repeat(2)), "{text}");
    assert!(text.ends_with("Move 3: it is your turn, black (X).\n"), "{text}");
    assert_eq!(read(&saved).outcome, Some(Outcome::Won(Color::White)));
}

#[test]
fn a_hint_has_a_win_rate() {
    let text =
        play(&["--players", "2", "--style", "80"], "time 1\nh8\ni9\nhint\nstyle 50\nboard\n");
    let (_, hint) = text.split_once("\nTengen would play ").unwrap();
    let (_, rate) = hint.split_once(", wins ").expect("a win rate");
    let (rate, _) = rate.split_once(" %).\n").expect("a win rate");
    assert!((1..100).contains(&rate.parse().unwrap()), "{text}");
    // Black's third stone near his first wins more than half of the games.
    assert!(rate.parse::<u32>().unwrap() > 50, "{text}");
    assert!(text.contains(" level 20, style 80, 5 s a move"), "{text}");
    assert!(text.contains("\nTengen plays in style 50.\n"), "{text}");
}

#[test]
fn two_persons_play() {
    let saved = path("persons.sgf");
    let lines = format!("h8\ni9\nundo\nswap\ni8\nsave {saved}\nresign\n");
    let text = play(&["--players", "2"], &lines);
    assert!(text.contains(" s a move; two persons play.\n"), "{text}");
    assert!(!text.contains("Tengen plays"), "{text}");
    assert!(text.contains("Move 2: it is the turn of white (O).\n"), "{text}");
    assert!(text.contains("\ntwo persons play: no side is Tengen's\n"), "{text}");
    assert!(text.ends_with("White wins: black has resigned.\n"), "{text}");
    let tree = read(&saved);
    assert_eq!(
        (tree.record(tree.end()).to_pos().unwrap().as_str(), tree.players),
        ("h8i8", [HUMAN, HUMAN].map(str::to_owned))
    );
    // Tengen takes over the side that is not to move.
    let text = play(&[], "players 2\nh8\nplayers 1\ni9\n");
    assert!(text.contains("you are white (O).\n") && text.contains("\nTengen plays "), "{text}");
    assert!(text.ends_with("Move 4: it is your turn, white (O).\n"), "{text}");
}

#[test]
fn a_seed_gives_the_same_stones_of_swap2_again() {
    let told = |seed: &str| play(&["--white", "--swap2", "--seed", seed], "");
    assert_eq!(told("7"), told("7"));
    let all: HashSet<String> = (1..6).map(|seed| told(&seed.to_string())).collect();
    assert!(all.len() > 2, "{all:?}");
}

#[test]
fn swap2_is_played_at_the_board() {
    // Tengen chooses after three stones of the person.
    let text = play(&["--swap2"], "time 0.2\nswap\nh8\ni9\nundo\ni10\nh10\n");
    assert!(text.contains("s a move; colours come with the opening.\n"), "{text}");
    assert!(text.contains("\nSwap2: place stone 1 of 3, black (X).\n"), "{text}");
    assert!(text.contains("\nthe opening comes first\n"), "{text}");
    assert!(text.contains("\nSwap2: place stone 3 of 3, black (X).\n"), "{text}");
    let ends = [
        "Move 4: it is your turn, white (O).",
        "Move 5: it is your turn, black (X).",
        "Swap2: type black or white to take that colour.",
    ];
    assert!(text.contains("\nTengen takes ") || text.contains("\nTengen places "), "{text}");
    assert!(ends.iter().any(|end| text.trim_end().ends_with(end)), "{text}");
    // The person chooses after three stones of Tengen.
    let text = play(&["--white"], "time 0.2\nswap2\nh8\nplace\n");
    assert!(text.contains("\nTengen places "), "{text}");
    assert!(text.contains("\nthe opening comes first\n"), "{text}");
    assert!(text.ends_with("\nSwap2: place stone 4 of 5, white (O).\n"), "{text}");
    let text = play(&["--white", "--swap2"], "time 0.2\nhint\nblack\nundo\nwhite\n");
    assert!(text.contains("\nTengen would "), "{text}");
    assert!(text.contains("you are black (X).\nTengen plays "), "{text}");
    assert!(
        text.ends_with("there is no move of yours to take back\nthere is no such choice now\n"),
        "{text}"
    );
    // Whoever placed the first stones places those of the next game as well.
    for (options, placer) in [
        (&["--white", "--swap2"][..], "Tengen places "),
        (&["--swap2"], "Swap2: place stone 1 of 3"),
    ] {
        for colour in ["black", "white"] {
            let opening = if options.len() == 1 { "h8\ni9\nh10\n" } else { "" };
            let lines = format!("time 0.1\n{opening}{colour}\nnew\nswap2\n");
            let text = play(options, &lines);
            assert_eq!(text.matches(placer).count(), 2, "{text}");
        }
    }
    let text = play(&["--players", "2"], "swap2\nh8\ni9\nh10\nplace\na1\nb2\nwhite\nc3\n");
    assert!(text.contains("\nSwap2, second player: type black or white to take that"), "{text}");
    assert!(text.contains("\nSwap2, first player: type black or white to take that"), "{text}");
    assert!(text.ends_with("Move 7: it is the turn of black (X).\n"), "{text}");
}

#[test]
fn clocks_are_shown_and_end_the_game() {
    let text = play(&["--players", "2", "--clock", "5m+3"], "h8\nclock off\nclock\nclock 90s\n");
    assert!(text.contains("\nClocks: black (X) 5:00, white (O) 5:00.\nMove 1"), "{text}");
    // A slow machine may take a second or two for the move.
    let left = ["5:03", "5:02", "5:01", "5:00"];
    let is_told = |left| text.contains(&format!("black (X) {left}, white (O) 5:00.\nMove 2"));
    assert!(left.into_iter().any(is_told), "{text}");
    assert!(text.contains("\nThe clocks are off.\nThere is no clock.\n"), "{text}");
    assert!(text.ends_with("Clocks: black (X) 1:30, white (O) 1:30.\n"), "{text}");
    // A move that is refused stops no clock and adds nothing. One that is played again adds nothing.
    let moves = "h8\nundo\nh8\nh8\nclock\n";
    let text = play(&["--players", "2", "--clock", "5m+60"], moves);
    assert!(text.contains("\nh8 is taken\nClocks: black (X) 5:5"), "{text}");
    assert!(!text.contains("white (O) 5:5") && !text.contains("white (O) 6:"), "{text}");
    // Nothing is typed, and the time is up all the same.
    let mut child = command(&["play", "--clock", "0.5s"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let end = "White wins on time.";
    assert!(lines.map_while(Result::ok).any(|line| line == end));
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_empty_line_after_the_end_is_nothing_in_a_pipe() {
    let text = play(&[], "resign\n\n\n");
    assert!(text.ends_with("White wins: black has resigned.\n"), "{text}");
}
