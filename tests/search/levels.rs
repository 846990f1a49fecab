//! Levels of play: what even a beginner sees, what he overlooks, and who beats whom.

use std::collections::HashSet;

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord, Rule};

use crate::positions::{board_after, draw, size};
use crate::unclocked::search;
use tengen::eval::Style;
use tengen::score::Score;
use tengen::search::{Limits, Searcher, Strength};

const TABLE: usize = 1 << 20;

fn strength(number: u8) -> Strength {
    Strength::new(number).unwrap()
}

/// Plays stones at random near each other up to a position in which a side could make a five, and
/// gives either side the move.
fn scramble(rule: Rule, random: &mut fastrand::Rng) -> Board {
    let mut board = board_after(rule, size(15, 15), "h8");
    loop {
        let us = board.side_to_move();
        let has_five = Color::ALL.iter().any(|&color| board.count(color, Threat::Five) > 0);
        if has_five || board.empty_count() == 0 {
            if random.bool() {
                board.pass();
            }
            return board;
        }
        let cells: Vec<_> = board.candidates().into_iter().collect();
        let mv = cells[random.usize(..cells.len())];
        if board.is_legal(mv, us) {
            board.play(mv);
        }
    }
}

/// A move that is overlooked may not lose.
#[test]
fn a_weak_player_proves_no_loss() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut searcher = Searcher::new(TABLE);
    let mut lost = 0;
    for _ in 0..60 {
        let mut board = board_after(Rule::Renju, size(15, 15), "h8");
        for _ in 0..20 {
            let cells: Vec<_> = board.candidates().into_iter().collect();
            let mv = cells[random.usize(..cells.len())];
            if !board.is_legal(mv, board.side_to_move()) {
                continue;
            }
            board.play(mv);
            if Color::ALL.iter().any(|&color| board.count(color, Threat::Five) > 0) {
                board.undo();
            }
        }
        let limits = Limits { strength: strength(40), nodes: 500, ..Limits::default() };
        let score = search(&mut searcher, &board, limits).score;
        assert!(!score.is_loss(), "{score}\n{}", draw(&board));
        lost += usize::from(score == Score::eval(-Score::EVAL_LIMIT));
    }
    assert!(lost > 2, "{lost}");
}

#[test]
fn even_a_beginner_makes_a_five_and_stops_one() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut searcher = Searcher::new(TABLE);
    let (mut own, mut other) = (0, 0);
    for rule in Rule::ALL {
        for _ in 0..60 {
            let board = scramble(rule, &mut random);
            let (us, them) = (board.side_to_move(), !board.side_to_move());
            let stops = board.legal_cells(board.common_refutations(them, Threat::Five), us);
            for number in [0, 35, 70] {
                let limits = Limits { strength: strength(number), ..Limits::default() };
                let best = search(&mut searcher, &board, limits).best;
                if board.count(us, Threat::Five) > 0 {
                    own += 1;
                    assert!(board.makes_five(best, us), "{number}, {best}\n{}", draw(&board));
                } else if !stops.is_empty() {
                    other += 1;
                    assert!(stops.contains(best), "{number}, {best}\n{}", draw(&board));
                }
            }
        }
    }
    assert!(own > 100 && other > 100, "{own} own fives, {other} of the others");
}

#[test]
fn who_is_weak_overlooks_threats_but_plays_where_the_game_is() {
    // White threatens an open four from every one of the places of his three.
    let size = size(15, 15);
    let mut searcher = Searcher::new(TABLE);
    let mut missed = [0; 3];
    let mut count = 0;
    for (x, y) in (2..10).flat_map(|x| (2..13).map(move |y| (x, y))) {
        let mut board = Board::new(size, Rule::Freestyle);
        for (dx, dy) in [(0, 1), (0, 0), (2, 1), (1, 0), (1, 2), (2, 0)] {
            board.play(size.coord(x + dx, y + dy).unwrap());
        }
        count += 1;
        for (missed, number) in missed.iter_mut().zip([0, 50, 100]) {
            let limits = Limits { nodes: 3_000, strength: strength(number), ..Limits::default() };
            let best = search(&mut searcher, &board, limits).best;
            let near = size.cells().filter(|&c| !board.is_empty(c)).any(|c| c.distance(best) <= 4);
            assert!(near, "{number}: {best}\n{}", draw(&board));
            let mut after = board.clone();
            after.play(best);
            *missed += usize::from(after.count(Color::White, Threat::OpenFour) > 0);
        }
    }
    let [beginner, middle, full] = missed;
    assert!(beginner * 10 > count && beginner * 10 < count * 9, "{beginner} of {count}");
    assert!(beginner > 2 * middle && middle > full && full == 0, "{missed:?}");
}

#[test]
fn the_same_position_is_overlooked_in_the_same_way() {
    let board = board_after(Rule::Renju, size(15, 15), "h8i9g9f7j11");
    for number in [0, 40, 80] {
        let limits = Limits { strength: strength(number), ..Limits::default() };
        let [first, second] = [(); 2].map(|()| search(&mut Searcher::new(TABLE), &board, limits));
        assert_eq!((first.best, first.nodes), (second.best, second.nodes));
        assert!(first.nodes < 20_000, "{number}: {}", first.nodes);
    }
}

/// Returns the moves of a game against an opponent who plays every game in the same way.
fn game(strength: Strength, seed: u64) -> Vec<Coord> {
    let weak = Limits { strength, seed, nodes: 4_000, ..Limits::default() };
    let full = Limits { nodes: 500, ..Limits::default() };
    let mut board = board_after(Rule::Freestyle, size(15, 15), "h8i9g7");
    let mut searchers = [(); 2].map(|()| Searcher::new(TABLE));
    let mut moves = Vec::new();
    while moves.len() < 30 {
        let player = moves.len() % 2;
        let mv = search(&mut searchers[player], &board, [weak, full][player]).best;
        moves.push(mv);
        if board.makes_five(mv, board.side_to_move()) {
            break;
        }
        board.play(mv);
    }
    moves
}

#[test]
fn a_level_plays_another_game_with_another_seed() {
    for number in [0, 50, 99] {
        let games = [1, 2, 3, 4, 5].map(|seed| game(strength(number), seed));
        assert_eq!(game(strength(number), 3), games[2], "level {number}");
        let different: HashSet<&Vec<Coord>> = games.iter().collect();
        assert!(different.len() >= 3, "level {number}: {games:?}");
    }
    let weak = Limits { nodes: 3_000, ..Limits::default() };
    let board = board_after(Rule::Freestyle, size(15, 15), "h8i9g7");
    let full = [1, 2].map(|seed| {
        let limits = Limits { seed, ..weak };
        let report = search(&mut Searcher::new(TABLE), &board, limits);
        (report.best, report.nodes, report.score)
    });
    assert_eq!(full[0], full[1], "full strength knows no chance");
}

/// Plays from balanced openings with both colours; returns the wins of the one and the other.
fn play_match(first: Limits, second: Limits) -> [usize; 2] {
    let openings = ["h12j8j10j11j9", "k6l8j6i8l10", "i8f6i5g5h5", "f9i9g8j7i8", "g8g7e5i9f7"];
    let mut wins = [0; 2];
    let games = (1..=2).flat_map(|seed| openings.map(|opening| (seed, opening)));
    for ((seed, opening), seat) in games.flat_map(|game| [(game, 0), (game, 1)]) {
        let limits = [first, second].map(|limits| Limits { seed, ..limits });
        let mut board = board_after(Rule::Freestyle, size(15, 15), opening);
        let mut searchers = [(); 2].map(|()| Searcher::new(TABLE));
        while board.empty_count() > 0 {
            let us = board.side_to_move();
            let player = us as usize ^ seat;
            let mv = search(&mut searchers[player], &board, limits[player]).best;
            if board.makes_five(mv, us) {
                wins[player] += 1;
                break;
            }
            board.play(mv);
        }
    }
    wins
}

#[test]
fn the_higher_level_wins() {
    let level = |number| Limits { strength: strength(number), nodes: 3_000, ..Limits::default() };
    for (high, low) in [(25, 0), (50, 25), (100, 50)] {
        let [wins, losses] = play_match(level(high), level(low));
        assert!(wins >= 13 && losses <= 7, "{high} against {low}: {wins} to {losses}");
    }
}

#[test]
fn nothing_is_left_of_a_weak_or_styled_search() {
    let board = board_after(Rule::Standard, size(15, 15), "g7h8i9h7f8h9");
    let full = Limits { nodes: 20_000, ..Limits::default() };
    let fresh = search(&mut Searcher::new(TABLE), &board, full);
    let mut used = Searcher::new(TABLE);
    for manner in
        [Limits { strength: strength(60), ..full }, Limits { style: Style::nearest(100), ..full }]
    {
        search(&mut used, &board, manner);
        let again = search(&mut used, &board, full);
        assert_eq!((again.best, again.nodes, again.score), (fresh.best, fresh.nodes, fresh.score));
    }
}

#[test]
fn style_decides_between_attack_and_defence() {
    let choices = |style| {
        let limits = Limits { style: Style::nearest(style), depth: 2, ..Limits::default() };
        let mut random = fastrand::Rng::with_seed(7);
        let mut searcher = Searcher::new(TABLE);
        let (mut sum, mut attacks, mut defences, mut moves) = (0, 0, 0, Vec::new());
        for _ in 0..60 {
            // Stones near each other, so few that nobody wins at once.
            let mut board = board_after(Rule::Freestyle, size(15, 15), "h8");
            while board.stone_count() < 8 {
                let c = Coord::new(random.u8(4..11), random.u8(4..11));
                if board.is_empty(c) {
                    board.play(c);
                }
            }
            let us = board.side_to_move();
            let report = search(&mut searcher, &board, limits);
            sum += report.score.value();
            moves.push(report.best);
            let [own, other] = [us, !us].map(|color| board.threat(report.best, color));
            attacks += usize::from(own > other);
            defences += usize::from(own < other);
        }
        (sum, attacks, defences, moves)
    };
    let styles = [0, 50, 100].map(choices);
    let [(low, few, many, careful), (middle, ..), (high, attacks, defences, bold)] = styles;
    assert!(low < middle && middle < high, "{low} {middle} {high}");
    assert!(few < attacks && defences < many, "{few} {attacks} {defences} {many}");
    let others = careful.iter().zip(&bold).filter(|(careful, bold)| careful != bold).count();
    assert!(others > 5, "{others} of {} moves are others", bold.len());
}
