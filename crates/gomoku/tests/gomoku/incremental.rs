//! The board's incremental updates: in random games it tells the same as a board built from
//! nothing, and as slow readers of whole lines (`tests/reference/shapes.rs`).

use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::board::{Board, CandidateRange, CellThreats};
use tengen_gomoku::shape::{Shape, Threat};
use tengen_gomoku::types::{Color, Coord, CoordSet, Direction, Rule};

use crate::positions::random::{random_stones, rounds};
use crate::positions::{board_after, draw, point, size};
use crate::reference::shapes::{Scanner, line_through, threat_of};

/// Everything a board tells in public.
#[derive(Clone, PartialEq)]
struct Knowledge {
    side_to_move: Color,
    key: Key,
    stones: usize,
    empty: CoordSet,
    candidates: CoordSet,
    threats: Vec<CellThreats>,
    counts: Vec<usize>,
    sets: Vec<CoordSet>,
}

impl Knowledge {
    fn of(board: &Board) -> Knowledge {
        let kinds = || Color::ALL.into_iter().flat_map(|color| Threat::ALL.map(|t| (color, t)));
        Knowledge {
            side_to_move: board.side_to_move(),
            key: board.key(),
            stones: board.stone_count(),
            empty: *board.empty_cells(),
            candidates: board.candidates(),
            threats: board.empty_cells().into_iter().map(|c| *board.threats(c)).collect(),
            counts: kinds().map(|(color, threat)| board.count(color, threat)).collect(),
            sets: kinds()
                .filter(|(_, threat)| threat.rank() >= Threat::RANKS / 2)
                .map(|(color, threat)| *board.cells_with(color, threat))
                .collect(),
        }
    }
}

/// Returns a board with the same stones, put down in another order.
fn rebuilt(board: &Board, rng: &mut fastrand::Rng) -> Board {
    let mut cells: Vec<_> =
        board.size().cells().filter(|&c| !board.is_empty(c)).map(|c| (c, board.cell(c))).collect();
    rng.shuffle(&mut cells);
    Board::from_cells(board.size(), board.rule(), &cells, board.side_to_move())
}

/// Asserts what must hold between the answers of one board.
fn assert_consistent(board: &Board) {
    let free: CoordSet = board.size().cells().filter(|&c| board.is_empty(c)).collect();
    assert_eq!(*board.empty_cells(), free);
    assert_eq!(board.empty_count(), free.len());
    let stones: Vec<Coord> = board.size().cells().filter(|&c| board.stone(c).is_some()).collect();
    assert_eq!(board.stone_count(), stones.len());
    let is_near = |c: &Coord| {
        stones.iter().any(|stone| {
            let (dx, dy) = (c.x().abs_diff(stone.x()), c.y().abs_diff(stone.y()));
            dx.max(dy) <= 3 || dx.max(dy) == 4 && (dx == 0 || dy == 0 || dx == dy)
        })
    };
    assert_eq!(board.candidates(), free.into_iter().filter(is_near).collect());
    for color in Color::ALL {
        for threat in Threat::ALL {
            let holders: CoordSet =
                free.into_iter().filter(|&c| board.threat(c, color) == threat).collect();
            assert_eq!(board.count(color, threat), holders.len());
            if threat.rank() >= Threat::RANKS / 2 {
                assert_eq!(*board.cells_with(color, threat), holders);
            }
            let least: CoordSet =
                free.into_iter().filter(|&c| board.threat(c, color) >= threat).collect();
            if threat >= Threat::Four {
                assert_eq!(board.cells_from(color, threat), least);
            }
            assert_eq!(board.count_from(color, threat), least.len());
        }
    }
}

/// Returns a move near the stones or, now and then, anywhere.
fn random_move(board: &Board, rng: &mut fastrand::Rng) -> Option<Coord> {
    let near = board.candidates();
    let cells = if near.is_empty() || rng.u8(0..10) == 0 { *board.empty_cells() } else { near };
    rng.choice(cells.into_iter().collect::<Vec<_>>())
}

/// Plays a random game of up to `plies` moves with take-backs in between, then takes all back.
fn play_random_game(mut board: Board, plies: usize, rng: &mut fastrand::Rng) {
    let first_stones = board.size().area() - board.empty_count();
    let mut past = vec![(Knowledge::of(&board), None)];
    let mut is_going_back = false;
    loop {
        let played = past.len() - 1;
        if played == plies || board.empty_count() == 0 {
            is_going_back = true;
        }
        if is_going_back && played == 0 {
            break;
        }
        if is_going_back || played > 0 && rng.u8(0..5) == 0 {
            board.undo();
            let (_, mv) = past.pop().expect("the first entry stays");
            assert!(mv.is_some_and(|mv| board.is_empty(mv)), "undone on\n{}", draw(&board));
        } else {
            let mv = random_move(&board, rng).expect("a free cell");
            board.play(mv);
            assert_eq!(board.last_move(0), Some(mv));
            assert_eq!(board.last_move(first_stones + past.len()), None);
            past.push((Knowledge::of(&board), Some(mv)));
            assert_consistent(&board);
            let fresh = rebuilt(&board, rng);
            let expected = Knowledge::of(&fresh);
            assert!(past[played + 1].0 == expected, "after {mv} on\n{}", draw(&board));
        }
        let now = Knowledge::of(&board);
        assert!(past[past.len() - 1].0 == now, "back on\n{}", draw(&board));
    }
}

#[test]
fn random_games_agree_with_boards_built_from_nothing() {
    let mut rng = fastrand::Rng::with_seed(0x1c4e_0001);
    for rule in Rule::ALL {
        for (width, height, plies) in
            [(5, 5, 25), (22, 22, 60), (15, 15, 80), (20, 20, 50), (5, 22, 80), (9, 7, 63)]
        {
            play_random_game(Board::new(size(width, height), rule), plies, &mut rng);
        }
    }
}

#[test]
fn random_games_go_on_from_boards_with_walls_and_stones() {
    let mut rng = fastrand::Rng::with_seed(0x1c4e_0002);
    let mut walls = 0;
    for rule in Rule::ALL {
        for (width, height) in [(5, 6), (8, 8), (12, 9), (15, 15), (22, 10), (22, 22)] {
            for _ in 0..3 {
                let size = size(width, height);
                let stones = random_stones(&mut rng, size);
                let side = if rng.bool() { Color::Black } else { Color::White };
                let board = Board::from_cells(size, rule, &stones, side);
                walls += size.area() - board.empty_count() - board.stone_count();
                play_random_game(board, 25, &mut rng);
            }
        }
    }
    assert!(walls > 20, "{walls}");
}

#[test]
fn keys_tell_positions_sides_rules_and_sizes_apart() {
    let mut keys = std::collections::HashSet::new();
    for rule in Rule::ALL {
        for (width, height) in [(15, 15), (15, 16), (16, 15), (20, 20)] {
            let mut board = Board::new(size(width, height), rule);
            let empty = board.key();
            assert!(keys.insert(empty));
            let passed = Board::from_cells(board.size(), rule, &[], Color::White);
            assert!(keys.insert(passed.key()), "white to move");
            board.play(point("h8"));
            assert!(keys.insert(board.key()));
            board.play(point("h9"));
            assert!(keys.insert(board.key()));
        }
    }
    let transposed = |moves: [&str; 4]| {
        let mut board = Board::new(size(15, 15), Rule::Standard);
        moves.iter().for_each(|mv| board.play(point(mv)));
        board.key()
    };
    assert_eq!(transposed(["a1", "b2", "c3", "d4"]), transposed(["c3", "d4", "a1", "b2"]));
    assert_ne!(transposed(["a1", "b2", "c3", "d4"]), transposed(["b2", "a1", "c3", "d4"]));
}

/// Returns a line on which one side has something going.
fn random_line(rng: &mut fastrand::Rng) -> Vec<char> {
    let length = match rng.u8(0..8) {
        0 => rng.usize(14..=22),
        _ => rng.usize(5..=13),
    };
    let density = rng.u8(10..=75);
    let symbol = |rng: &mut fastrand::Rng| match rng.u8(0..100) {
        n if n >= density => '.',
        _ => ['X', 'X', 'X', 'X', 'X', 'O', 'O', '#'][rng.usize(0..8)],
    };
    (0..length).map(|_| symbol(rng)).collect()
}

/// Returns a board whose row 2 is this line, own stones in `color`.
fn board_of_line(line: &[char], rule: Rule, color: Color) -> Board {
    let cells: Vec<_> = line
        .iter()
        .enumerate()
        .filter_map(|(x, symbol)| {
            let cell = match symbol {
                'X' => color.cell(),
                'O' => (!color).cell(),
                '#' => tengen_gomoku::types::Cell::Wall,
                _ => return None,
            };
            Some((Coord::new(x as u8, 2), cell))
        })
        .collect();
    Board::from_cells(size(line.len(), 5), rule, &cells, Color::Black)
}

#[test]
fn line_shapes_are_those_of_the_whole_line_played_out() {
    let mut rng = fastrand::Rng::with_seed(0x1c4e_0003);
    let mut seen = [0; Shape::COUNT];
    for rule in Rule::ALL {
        for color in Color::ALL {
            for _ in 0..rounds(LINES) {
                let line = random_line(&mut rng);
                let board = board_of_line(&line, rule, color);
                let mut scanner = Scanner::new(rule, color);
                for x in (0..line.len()).filter(|&x| line[x] == '.') {
                    let threats = board.threats(Coord::new(x as u8, 2));
                    let shape = threats.shape(color, Direction::Horizontal);
                    let expected = scanner.shape(&line, x);
                    let text: String = line.iter().collect();
                    assert_eq!(shape, expected, "{rule:?} {color:?} {text} at {x}");
                    seen[shape as usize] += 1;
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n >= 12), "{seen:?}");
}

/// Lines of each rule and color that are compared.
const LINES: usize = 800;

/// Asserts that the numbers of shapes and threats of both colors on the whole board are those
/// the slow scanner finds.
fn assert_census(board: &Board, scanners: &mut [Scanner; 2], name: &str) {
    for color in Color::ALL {
        let (mut shapes, mut slow_shapes) = ([0; Shape::COUNT], [0; Shape::COUNT]);
        let mut slow_threats = [0; Threat::COUNT];
        for c in board.empty_cells() {
            let slow = Direction::ALL.map(|direction| {
                let (line, at) = line_through(board, c, direction, color);
                scanners[color as usize].shape(&line, at)
            });
            for (direction, shape) in Direction::ALL.into_iter().zip(slow) {
                slow_shapes[shape as usize] += 1;
                shapes[board.threats(c).shape(color, direction) as usize] += 1;
            }
            let threat = threat_of(slow, board.rule(), color);
            slow_threats[threat as usize] += 1;
            assert_eq!(board.threat(c, color), threat, "{name} {color:?} {c}\n{}", draw(board));
        }
        assert_eq!(shapes, slow_shapes, "{name}: shapes of {color:?}\n{}", draw(board));
        let threats = Threat::ALL.map(|threat| board.count(color, threat));
        assert_eq!(threats, slow_threats, "{name}: threats of {color:?}\n{}", draw(board));
    }
}

/// Positions of the census: rule, width, height and moves from the empty board.
const CENSUS: [(Rule, usize, usize, &str); 20] = [
    (Rule::Freestyle, 15, 15, "f6j8g8h7h6i8g6i6g7g5m10i5j2i7i9"),
    (Rule::Standard, 20, 20, "j10j11l11m12i9l12k12g10m10j13k10l10"),
    (Rule::Renju, 15, 15, "f10f6g9i7i6e11e9c6g14f9g11d8g10g8e10j7d10h10"),
    (Rule::Caro, 9, 12, "g5e6c6d7d6a7f5a5e5d5c7f4c4c5a9b8g11c8d8b9a10b6b7d4e3a2e7f6g12a3f12a4"),
    (
        Rule::CaroExact,
        22,
        6,
        "j6k4l4l6m3k5k3m2l3j3h3l5i2e2m5j2n3o3g4f5j4i5h5d4h4h2f4i4p6d2g3g2f2d3",
    ),
    (Rule::Freestyle, 15, 15, "i6g10j10i9f10f9g9i12h11i11i10j9k10l10i7h8l9b13h14"),
    (Rule::Standard, 7, 7, "d5d2c5e4c3c4e5b5d4b2b6e3b4e2d3c2f5"),
    (Rule::Renju, 15, 15, "h10j6g10j8i6j7j5j10j9h7i7i5l8m7e10"),
    (Rule::Caro, 20, 20, "m9l12k10j9i11j10j12o10k11l10k13"),
    (Rule::CaroExact, 15, 15, "g7f8h10j7h9f9h8h7f6i9l7i6g8i8i7g6j9i10g9j6k6k8l9j5l8l10g10o5"),
    (Rule::Freestyle, 9, 12, "f5d9f6e7c6g3d8f7e6g5d6g6"),
    (Rule::Standard, 22, 6, "m2n3k3k5m4m5n5l3l2k4o4j4n4l1p4"),
    (
        Rule::Renju,
        15,
        15,
        "i7g6g8j7f8i8e8d8g10j9h7j8j6f11e10f9f10h10g9h8g11g7a9g12j10h12h11f6e5d6l13e6h6",
    ),
    (Rule::Caro, 7, 7, "c4b4b5c2f5f4e2c7a6d3e5d5e3a5e4e1e7e6d2d4d6c1d1g2"),
    (
        Rule::CaroExact,
        15,
        15,
        "i6i9h6j6g10h8g7g9i7f9h9j7j8g5i5k3i8i4j4f8f11e12e7f7g6f5h12h3f6e6g4k6j5k4k5i3j3h5",
    ),
    (Rule::Freestyle, 20, 20, "m13j10l11m9m11k11l10k9l8k14m10l9n9k12k10i9j9h8l12"),
    (Rule::Standard, 15, 15, "i6j6g10f8f9g8e8h11d7c6e6e7g4f5f14g9h10i2c13l6h5"),
    (Rule::Renju, 9, 12, "c9e7d7c6g7i4b4f3e4c11d4c4"),
    (Rule::Caro, 22, 6, "k3k6m4j5j3l3k4l4l5i2k2"),
    (Rule::CaroExact, 15, 15, "g10f8j6f7h9f9f10h10i7g9e7i8g8m6f5i11f1"),
];

#[test]
fn the_census_of_whole_positions_agrees() {
    let mut scanners = Rule::ALL.map(|rule| Color::ALL.map(|color| Scanner::new(rule, color)));
    let mut strong = 0;
    for (rule, width, height, moves) in CENSUS {
        let board = board_after(rule, size(width, height), moves);
        assert_census(&board, &mut scanners[rule as usize], moves);
        strong += Color::ALL
            .map(|color| board.count_from(color, Threat::OpenThree))
            .iter()
            .sum::<usize>();
    }
    assert!(strong > 100, "the positions have threats: {strong}");
}

#[test]
fn the_census_of_random_boards_agrees() {
    let mut rng = fastrand::Rng::with_seed(0x1c4e_0004);
    for rule in Rule::ALL {
        let mut scanners = Color::ALL.map(|color| Scanner::new(rule, color));
        for number in 0..rounds(25) {
            let size = size(rng.usize(5..=12), rng.usize(5..=12));
            let stones = random_stones(&mut rng, size);
            let board = Board::from_cells(size, rule, &stones, Color::Black);
            assert_census(&board, &mut scanners, &format!("board {number}"));
        }
    }
}

#[test]
fn candidates_are_the_cells_within_reach() {
    let mut rng = fastrand::Rng::with_seed(11);
    let parts = [Some((2, 2)), Some((2, 3)), Some((3, 3)), Some((3, 4)), Some((4, 4)), None];
    for _ in 0..40 {
        let size = size(rng.usize(5..=22), rng.usize(5..=22));
        let cells = random_stones(&mut rng, size);
        let mut board = Board::from_cells(size, Rule::Standard, &cells, Color::Black);
        for (range, parts) in CandidateRange::ALL.into_iter().zip(parts) {
            board.set_candidate_range(range);
            let mut after = board.clone();
            if let Some(mv) = board.empty_cells().into_iter().last() {
                after.play(mv);
            }
            let before = board.candidates();
            for board in [&board, &after] {
                let stones: Vec<Coord> =
                    board.size().cells().filter(|&c| board.stone(c).is_some()).collect();
                let is_near = |c: &Coord| {
                    stones.iter().any(|stone| {
                        let (dx, dy) = (c.x().abs_diff(stone.x()), c.y().abs_diff(stone.y()));
                        let (far, is_line) = (dx.max(dy), dx == 0 || dy == 0 || dx == dy);
                        parts.is_none_or(|(square, line)| far <= square || far <= line && is_line)
                    })
                };
                let free = board.empty_cells().into_iter();
                let near: CoordSet = match parts {
                    None => *board.empty_cells(),
                    Some(_) => free.filter(is_near).collect(),
                };
                assert_eq!(board.candidates(), near, "{range:?}\n{}", draw(board));
            }
            if after.stone_count() > board.stone_count() {
                after.undo();
            }
            assert_eq!(after.candidates(), before, "{range:?}");
        }
        // A position that is taken back stone by stone forgets with it.
        board.set_candidate_range(CandidateRange::Square2);
        for _ in &cells {
            board.undo();
        }
        assert_eq!(board.candidates(), CoordSet::EMPTY);
    }
}
