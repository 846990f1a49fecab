//! Tests of a game: moves, undo, openings, ends, and what is kept for a file.

use super::*;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::record::{Format, Outcome, parse};

fn game(opening: Opening) -> Game {
    Game::new(BoardSize::new(15, 15).unwrap(), Rule::Freestyle, opening)
}

fn play(game: &mut Game, moves: &str) {
    let points = parse_points(moves, game.size()).unwrap();
    points.into_iter().for_each(|c| game.play(c, Duration::ZERO).unwrap());
}

const BLACK: [Seat; 2] = [Seat::Person, Seat::Engine1];
const BOTH: [Seat; 2] = [Seat::Person; 2];

#[test]
fn moves_are_taken_back_and_played_again() {
    let mut game = game(Opening::Free);
    play(&mut game, "h8i9h10g7");
    game.undo(BLACK).unwrap();
    game.undo(BLACK).unwrap();
    assert!(matches!(game.undo(BLACK), Err(Refusal::NothingToUndo)));
    game.redo(BLACK).unwrap();
    assert_eq!(game.record_shown().to_pos().unwrap(), "h8i9");
    // Of two persons each takes back one move.
    game.redo(BOTH).unwrap();
    assert_eq!(game.record_shown().to_pos().unwrap(), "h8i9h10");
    game.undo(BOTH).unwrap();
    // Another move ends what can be played again.
    play(&mut game, "a1");
    assert!(matches!(game.redo(BLACK), Err(Refusal::NothingToRedo)));
}

#[test]
fn stones_of_one_colour_keep_it_when_they_are_played_again() {
    let moves = "(;SZ[15];B[hh];W[];B[ii];W[jj])";
    let mut entries = parse(moves, BoardSize::new(15, 15).unwrap());
    let tree = entries.remove(0).tree;
    let record = tree.record(tree.end());
    let mut game = Game::of(tree, Rule::Freestyle);
    for _ in 0..3 {
        game.undo(BOTH).unwrap();
    }
    for _ in 0..3 {
        game.redo(BOTH).unwrap();
    }
    assert_eq!(game.record_shown(), record);
}

#[test]
fn a_five_is_taken_back_and_made_again() {
    let mut game = game(Opening::Free);
    play(&mut game, "h8a1i8a3j8a5k8a7l8");
    assert_eq!(game.end().map(|end| end.outcome()), Some(Outcome::Won(Color::Black)));
    game.undo(BLACK).unwrap();
    assert_eq!(game.end(), None);
    game.redo(BLACK).unwrap();
    assert!(game.end().is_some());
}

#[test]
fn a_resignation_is_taken_back_and_the_end_of_time_is_not() {
    let mut game = game(Opening::Free);
    play(&mut game, "h8");
    game.resign(Color::White).unwrap();
    assert_eq!(game.end().map(|end| end.outcome()), Some(Outcome::Won(Color::Black)));
    assert!(matches!(game.resign(Color::White), Err(Refusal::Over)));
    game.undo(BLACK).unwrap();
    assert_eq!((game.end(), game.shown()), (None, 1));
    game.time_up(Color::White);
    assert_eq!(game.end(), Some(GameEnd::TimeUp(Color::White)));
    assert!(matches!(game.undo(BLACK), Err(Refusal::TimeUp)));
}

#[test]
fn another_rule_changes_what_the_board_says_alone() {
    let mut game = game(Opening::Free);
    // Six black stones in a row.
    play(&mut game, "h8a1i8a3j8a5l8a7m8a9");
    game.time_up(Color::Black);
    game.set_rule(Rule::Renju);
    assert_eq!(game.end(), Some(GameEnd::TimeUp(Color::Black)));
    let mut game = self::game(Opening::Free);
    play(&mut game, "h8a1i8a3j8a5l8a7m8a9k8");
    assert!(matches!(game.end(), Some(GameEnd::Stones(..))));
    game.set_rule(Rule::Standard);
    assert_eq!(game.end(), None);
}

#[test]
fn the_stones_of_swap2_are_placed_and_chosen_of() {
    let mut game = game(Opening::Swap2);
    play(&mut game, "h8i9");
    assert!(matches!(game.choose(Choice::Black), Err(Refusal::NoChoice)));
    game.undo([Seat::Engine1; 2]).unwrap();
    play(&mut game, "i8h9");
    assert!(matches!(game.play(Coord::new(0, 0), Duration::ZERO), Err(Refusal::Opening)));
    assert!(matches!(game.undo(BOTH), Err(Refusal::NothingToUndo)));
    assert_eq!(game.choose(Choice::PutTwo), Ok(()));
    assert!(matches!(game.undo(BOTH), Err(Refusal::NothingToUndo)));
    play(&mut game, "g7g8");
    assert_eq!((game.to_act(), game.player(Color::Black)), (0, 0));
    game.choose(Choice::White).unwrap();
    assert_eq!((game.opening_state, game.to_move()), (None, Color::White));
    assert_eq!((game.to_act(), game.player(Color::Black), game.color(0)), (0, 1, Color::White));
    let mut given_up = self::game(Opening::Swap2);
    play(&mut given_up, "h8i9g7");
    given_up.resign(Color::White).unwrap();
    assert!(matches!(given_up.choose(Choice::Black), Err(Refusal::Over)));
    // The opening stays, later moves do not.
    play(&mut game, "a1");
    game.undo(BOTH).unwrap();
    assert!(matches!(game.undo(BOTH), Err(Refusal::NothingToUndo)));
}

fn game_of(text: &str, rule: Rule) -> Game {
    let entries = parse(text, BoardSize::new(15, 15).unwrap());
    Game::first_of(entries, rule, None).unwrap().0
}

fn coord(text: &str) -> Coord {
    game_of(text, Rule::Freestyle).moves()[0].c
}

#[test]
fn a_move_begins_a_line_and_drops_no_other() {
    let mut game = game_of("h8i9h10", Rule::Freestyle);
    assert_eq!((game.shown(), game.to_move()), (3, Color::White));
    game.show(2);
    game.cut();
    assert_eq!((game.moves().len(), game.is_at_end()), (2, true));
    game.show(1);
    assert_eq!((game.to_move(), game.is_at_end()), (Color::White, false));
    assert_eq!(game.play(Coord::new(0, 0), Duration::ZERO), Ok(()));
    assert_eq!(game.record().to_pos().as_deref(), Some("h8a1"));
    assert!(game.is_at_end());
    let tree = game.tree();
    let second: Vec<NodeId> = tree.children(game.line()[1]).collect();
    assert_eq!(second.len(), 2);
    // The other line again, with its rest.
    game.go_to(second[0]);
    assert_eq!(game.record().to_pos().as_deref(), Some("h8i9"));
    game.add_line(1, &[Coord::new(0, 1), Coord::new(0, 2), Coord::new(0, 2)]).unwrap();
    assert_eq!((game.record().to_pos().as_deref(), game.shown()), (Some("h8i9"), 2));
    let third = game.tree().children(game.line()[1]).nth(2).unwrap();
    game.go_to(third);
    assert_eq!((game.record().to_pos().as_deref(), game.shown()), (Some("h8a2a3"), 2));
    game.promote();
    let pos = |game: &Game| game.tree().record(game.tree().end()).to_pos().unwrap();
    assert_eq!(pos(&game), "h8a2a3");
    game.remove().unwrap();
    assert_eq!((pos(&game), game.record().to_pos().unwrap()), ("h8i9".into(), "h8i9".into()));
    assert_eq!((game.shown(), game.tree().node_at(third.index())), (1, None));
}

#[test]
fn a_pass_at_the_end_changes_the_side_to_move() {
    for text in ["(;SZ[15];B[hh];W[ii];B[])", "(;SZ[15]AB[hh]AW[ii];PL[W])"] {
        let mut game = game_of(text, Rule::Freestyle);
        assert_eq!((game.to_move(), game.record().stones().len()), (Color::White, 2), "{text}");
        play(&mut game, "a1");
        assert_eq!((game.to_move(), game.record().stones().len()), (Color::Black, 3), "{text}");
    }
    let mut game = game_of("(;SZ[15];B[hh];W[ii];B[];W[jj])", Rule::Freestyle);
    game.show(2);
    assert_eq!(game.to_move(), Color::White);
    let mut ended = game.clone();
    ended.end_main_line();
    assert_eq!(ended.tree().record(ended.tree().end()).to_move(), Color::White);
    game.cut();
    assert_eq!((game.moves().len(), game.to_move()), (2, Color::White));
}

#[test]
fn the_game_goes_on_as_the_main_line_after_a_line_was_kept() {
    let mut game = game_of("h8i9", Rule::Freestyle);
    let kept = [Coord::new(0, 0), Coord::new(1, 1)];
    game.add_line(2, &kept).unwrap();
    assert_eq!(game.record().to_pos().as_deref(), Some("h8i9"));
    // Until then the game ends before it, in files too.
    let end = |tree: &GameTree| tree.record(tree.end()).to_pos();
    assert_eq!(end(game.tree()).as_deref(), Some("h8i9"));
    for format in [Format::Sgf, Format::Json, Format::Psq, Format::Moves] {
        let file = String::from_utf8(format.write(game.tree()).unwrap()).unwrap();
        let read = parse(&file, BoardSize::new(15, 15).unwrap()).remove(0);
        assert_eq!(end(&read.tree).as_deref(), Some("h8i9"), "{file}");
        let count = if [Format::Sgf, Format::Json].contains(&format) { 5 } else { 3 };
        assert_eq!(read.tree.preorder().count(), count, "{file}");
    }
    let mut resigned = game.clone();
    resigned.resign(Color::Black).unwrap();
    assert_eq!(resigned.add_line(2, &kept), Err(Refusal::Over));
    let tree = resigned.tree_for_file(Default::default());
    assert_eq!(
        (end(&tree).as_deref(), tree.outcome),
        (Some("h8i9"), Some(Outcome::Won(Color::White)))
    );
    // A variation changes neither the end nor the result.
    resigned.show(1);
    play(&mut resigned, "a1");
    resigned.remove().unwrap();
    let tree = resigned.tree_for_file(Default::default());
    assert_eq!(
        (end(&tree).as_deref(), tree.outcome),
        (Some("h8i9"), Some(Outcome::Won(Color::White)))
    );
    play(&mut game, "h10");
    let tree = game.tree();
    assert_eq!(tree.record(tree.end()).to_pos().as_deref(), Some("h8i9h10"));
    assert_eq!(tree.children(game.line()[2]).count(), 2);
    // A line through the end of the game is none of its moves.
    let mut through = game_of("h8i9", Rule::Freestyle);
    through.add_line(1, &[coord("i9"), kept[0]]).unwrap();
    assert_eq!(end(through.tree()).as_deref(), Some("h8i9"));
    // The end of a resigned game comes back with its main line.
    through.go_to(through.tree().end());
    through.resign(Color::Black).unwrap();
    let last = through.at();
    through.show(1);
    play(&mut through, "d4");
    through.promote();
    through.go_to(last);
    through.promote();
    assert_eq!(end(through.tree()).as_deref(), Some("h8i9"));
    // The first move of a kept line is played, the others are not.
    let mut played = game_of("h8i9", Rule::Freestyle);
    played.add_line(2, &kept).unwrap();
    played.play(kept[0], Duration::from_secs(3)).unwrap();
    assert_eq!(end(played.tree()).as_deref(), Some("h8i9a1"));
    assert_eq!(played.moves()[2].time, Duration::from_secs(3));
    // Another main line has its own end.
    let mut other = game_of("h8i9", Rule::Freestyle);
    other.add_line(2, &kept).unwrap();
    other.show(1);
    play(&mut other, "j10");
    other.promote();
    assert_eq!(end(other.tree()).as_deref(), Some("h8j10"));
    assert!(!other.tree().to_sgf().contains("N[end]"));
    // A move beside the main line is a variation.
    game.show(1);
    play(&mut game, "a1");
    assert_eq!(game.tree().record(game.tree().end()).to_pos().as_deref(), Some("h8i9h10"));
}

#[test]
fn fifth_moves_that_were_only_offered_are_not_played() {
    let size = BoardSize::new(15, 15).unwrap();
    let mut game = Game::new(size, Rule::Renju, Opening::Soosorv);
    play(&mut game, "h8i9j10");
    game.choose(Choice::Black).unwrap();
    play(&mut game, "o1");
    game.choose(Choice::Fifths(3)).unwrap();
    game.choose(Choice::Black).unwrap();
    play(&mut game, "a1b5");
    let end = |game: &Game| {
        let tree = game.tree_for_file(Default::default());
        (tree.record(tree.end()).to_pos().unwrap(), tree.outcome)
    };
    assert_eq!(end(&game), ("h8i9j10o1".into(), None));
    let mut taken = game.clone();
    play(&mut taken, "c9b5");
    assert_eq!(end(&taken), ("h8i9j10o1b5".into(), None));
    game.time_up(Color::Black);
    assert_eq!(end(&game), ("h8i9j10o1".into(), Some(Outcome::Won(Color::White))));
}

#[test]
fn lines_begin_where_stones_are_set_up() {
    let text = "(;SZ[15];B[hh];W[ii]C[note];AB[aa][bb]PL[W];W[cc](;B[dd];C[end])(;B[ee]))";
    let mut game = game_of(text, Rule::Freestyle);
    assert_eq!((game.moves().len(), game.line().len(), game.to_move()), (2, 3, Color::White));
    assert_eq!(game.record().stones().len(), 6);
    game.show(1);
    play(&mut game, "o1");
    assert_eq!((game.moves().len(), game.line().len()), (2, 3));
    let second = game.tree().children(game.tree().root()).next().unwrap();
    game.go_to(second);
    assert_eq!(
        (game.shown(), game.moves().len(), game.record().to_pos().unwrap().as_str()),
        (1, 2, "h8i9")
    );
}

#[test]
fn bad_moves_are_refused_and_change_nothing() {
    // Black has two open threes that meet on h8.
    let mut game = game_of("g8a1i8c1h7e1h9g1", Rule::Renju);
    assert_eq!(game.forbidden(), [(coord("h8"), "double three")]);
    assert_eq!(
        game.play(Coord::new(7, 7), Duration::ZERO),
        Err(Refusal::Forbidden(coord("h8"), "double three"))
    );
    assert_eq!(game.play(Coord::new(6, 7), Duration::ZERO), Err(Refusal::Taken(coord("g8"))));
    assert_eq!(game.moves().len(), 8);
    // An engine that plays there has lost.
    game.place(coord("h8"), Duration::ZERO).unwrap();
    assert_eq!(game.end().unwrap().outcome(), Outcome::Won(Color::White));
    assert_eq!(game.play(Coord::new(0, 5), Duration::ZERO), Err(Refusal::Over));
}

#[test]
fn threats_are_those_of_both_sides() {
    let mut game = game_of("h8a1i8a2j8a3", Rule::Renju);
    let names = |game: &Game, color| {
        game.threats(color).map(|points| tengen_gomoku::board::notation::names(&points).join(" "))
    };
    assert_eq!(names(&game, Color::Black), ["".to_owned(), "g8 k8".to_owned()]);
    assert_eq!(names(&game, Color::White), ["", ""]);
    play(&mut game, "k8a4");
    assert_eq!(names(&game, Color::Black), ["g8 l8", ""]);
    assert_eq!(names(&game, Color::White), ["a5", ""]);
    play(&mut game, "g8");
    assert!(names(&game, Color::White).concat().is_empty());
}

#[test]
fn positions_are_set_up_with_any_stones() {
    let size = BoardSize::new(20, 15).unwrap();
    let (a, b, c) = (coord("a1"), coord("h8"), coord("i9"));
    let game = Game::set_up(size, Rule::Caro, [&[a, b], &[c]], Color::Black).unwrap();
    assert_eq!((game.size(), game.to_move()), (size, Color::Black));
    assert_eq!(game.record().stones().len(), 3);
    assert!(game.moves().is_empty() && !game.record().is_empty(c));
    assert!(Game::set_up(size, Rule::Caro, [&[a, a], &[]], Color::Black).is_err());
    let empty = Game::set_up(size, Rule::Caro, [&[], &[]], Color::White).unwrap();
    assert_eq!(empty.to_move(), Color::White);
}

#[test]
fn a_game_ends_by_stones_resignation_and_time() {
    let mut five = game_of("h8a1h9a2h10a3h11a4h12", Rule::Freestyle);
    assert_eq!(five.end().map(|end| end.outcome()), Some(Outcome::Won(Color::Black)));
    five.show(8);
    assert_eq!(five.end(), None);
    let mut game = game_of("h8i9", Rule::Freestyle);
    game.resign(Color::Black).unwrap();
    assert_eq!(game.end(), Some(GameEnd::Resigned(Color::Black)));
    let tree = game.tree_for_file(["A".into(), "B".into()]);
    assert_eq!(tree.outcome, Some(Outcome::Won(Color::White)));
    game.show(1);
    assert_eq!(game.end(), None);
    game.play(Coord::new(0, 0), Duration::ZERO).unwrap();
    assert_eq!(game.end(), None);
    let mut late = game_of("h8i9", Rule::Freestyle);
    late.time_up(Color::Black);
    let psq = Format::Psq.write(&late.tree_for_file(Default::default())).unwrap();
    assert!(String::from_utf8(psq).unwrap().contains("\n15\n"));
}

#[test]
fn a_game_keeps_its_players_until_others_play() {
    let text = "(;GM[4]SZ[15]PB[Alice]PW[Bob]RE[B+R];B[hh];W[ii];B[hj])";
    let read = game_of(text, Rule::Freestyle);
    let saved = |game: &Game| {
        let tree = game.tree_for_file(["Human".into(), "Engine".into()]);
        (tree.players.join(" "), tree.outcome)
    };
    let as_read = ("Alice Bob".to_owned(), Some(Outcome::Won(Color::Black)));
    assert_eq!(saved(&read), as_read);
    let mut looked_at = read.clone();
    looked_at.show(1);
    assert_eq!(saved(&looked_at), as_read);
    // A variation is not the game.
    looked_at.play(Coord::new(0, 0), Duration::ZERO).unwrap();
    assert_eq!(saved(&looked_at), as_read);
    let mut played = read.clone();
    played.play(Coord::new(0, 0), Duration::ZERO).unwrap();
    assert_eq!(saved(&played), ("Human Engine".to_owned(), None));
    let mut resigned = read;
    resigned.resign(Color::White).unwrap();
    assert_eq!(saved(&resigned).0, "Human Engine");
    // Who played a game without names is not known.
    assert_eq!(saved(&game_of("h8i9", Rule::Freestyle)), (" ".to_owned(), None));
}

#[test]
fn a_game_is_unsaved_from_a_move_on_until_it_is_saved() {
    let mut played = game_of("h8i9", Rule::Freestyle);
    played.show(1);
    assert!(played.play(Coord::new(7, 7), Duration::ZERO).is_err() && !played.is_unsaved());
    played.play(Coord::new(0, 0), Duration::ZERO).unwrap();
    played.show(0);
    assert!(played.is_unsaved());
    played.is_unsaved = false;
    assert!(!played.is_unsaved());
    let mut ended = game_of("h8i9", Rule::Freestyle);
    ended.resign(Color::Black).unwrap();
    assert!(ended.is_unsaved());
    let set_up = |black: &str| {
        let size = BoardSize::new(15, 15).unwrap();
        let black = parse_points(black, size).unwrap();
        Game::set_up(size, Rule::Freestyle, [&black, &[]], Color::White).unwrap()
    };
    assert!(set_up("h8").is_unsaved() && !set_up("").is_unsaved());
    // Without a move nothing is lost.
    ended = Game::new(ended.size(), Rule::Freestyle, Opening::Free);
    ended.time_up(Color::Black);
    assert!(!ended.is_unsaved());
}

#[test]
fn a_fault_in_a_variation_is_told() {
    let text = "(;SZ[15];B[hh];W[ii](;B[hg])(;B[hh];W[aa]))";
    let games = parse(text, BoardSize::new(15, 15).unwrap());
    let (game, words) = Game::first_of(games, Rule::Freestyle, None).unwrap();
    assert_eq!(words, ["line 1: h8 is taken; the rest is read"]);
    assert_eq!(game.moves().len(), 3);
}

#[test]
fn the_first_game_that_can_be_read_is_taken() {
    let games = parse("Title\nh8 zz\ni9 h8 h9\ng7", BoardSize::new(15, 15).unwrap());
    let (game, words) = Game::first_of(games, Rule::Freestyle, None).unwrap();
    assert_eq!(game.moves().len(), 3);
    let skipped =
        |line| words.iter().any(|w| w.starts_with(line) && w.ends_with("; it is skipped"));
    assert!(skipped("line 1: ") && skipped("line 2: ") && words.len() == 3, "{words:?}");
    assert_eq!(words[2], "this is the first of 2 games");
}

#[test]
fn texts_without_a_game_have_none() {
    let size = BoardSize::new(15, 15).unwrap();
    for text in ["", "hello", "h8h8", "(;GM[2])"] {
        let game = Game::first_of(parse(text, size), Rule::Freestyle, None);
        let is_empty = game.err().unwrap().to_string() == "line 1: there is no game in it";
        assert_eq!(is_empty, text.is_empty(), "{text}");
    }
}
