//! What differs from process to process and from game to game, and what a seed makes the same.

use std::collections::HashSet;

use super::engine_process::{Engine, LONG};

/// Returns the stones that a fresh process opens swap2 with.
fn opening(size: u8, settings: &str) -> String {
    let mut engine = Engine::with_board(size);
    engine.send(settings);
    engine.send("SWAP2BOARD DONE");
    let stones = engine.line(LONG).unwrap();
    engine.end();
    stones
}

/// Returns the answers of a fresh process to the same moves.
fn game(settings: &str) -> Vec<(u8, u8)> {
    let mut engine = Engine::with_board(15);
    engine.send(settings);
    engine.send("BOARD 7,7,2 DONE");
    let mut answers = vec![engine.expect_move()];
    for stone in ["0,0", "0,14", "14,0", "14,14", "0,7"] {
        answers.push(engine.ask(&format!("TURN {stone}")).0);
    }
    engine.end();
    answers
}

#[test]
fn swap2_opens_otherwise_in_every_process_unless_a_seed_is_given() {
    for size in [15, 20] {
        // Sixteen openings and more, each in up to eight images.
        let openings: HashSet<String> = (0..8).map(|_| opening(size, "INFO rule 0")).collect();
        assert!(openings.len() > 3, "{openings:?}");
        let seeded: HashSet<String> = (0..3).map(|_| opening(size, "INFO seed 7")).collect();
        assert_eq!(seeded.len(), 1, "{seeded:?}");
        let others = (1..9).map(|seed| opening(size, &format!("INFO seed {seed}")));
        assert!(others.collect::<HashSet<_>>().len() > 3);
    }
}

#[test]
fn a_weak_player_plays_other_games_unless_a_seed_is_given() {
    let weak = "INFO strength 30\nINFO max_node 20000";
    let games: HashSet<_> = (0..4).map(|_| game(weak)).collect();
    assert!(games.len() >= 3, "{games:?}");
    let seeded: HashSet<_> = (0..3).map(|_| game(&format!("{weak}\nINFO seed 7"))).collect();
    assert_eq!(seeded.len(), 1, "{seeded:?}");
    let full: HashSet<_> = (0..2).map(|_| game("INFO max_node 3000")).collect();
    assert_eq!(full.len(), 1, "{full:?}");
}
