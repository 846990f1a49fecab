//! Wins by continuous fours, of any length, against a plain search on the grid
//! (`reference/fours.rs`).

use crate::unclocked;
use std::thread;

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Cell, Color, Coord, Rule};

use crate::positions::random::{random_board, random_stones, rounds};
use crate::positions::{draw, size};
use crate::reference::fours::Fours;
use crate::reference::grid::{Grid, point_of, stone};
use tengen::score::ScoreKind;
use tengen::search::vcf::{Solution, Vcf};
use tengen::search::{Limits, RootOptions, Searcher, Variation};

use Color::{Black, White};

/// Boards of each rule that are compared.
const BOARDS: usize = 1_500;
/// Nodes of the solver at most: hardly ever reached on these boards.
const NODES: u64 = 100_000;
/// The longest win that the plain search looks for, in fours ahead of the five.
const MOST: u32 = 4;
/// Fours that the plain search tries at most.
const TRIES: u32 = 3_000;

#[test]
fn continuous_fours_win_where_a_plain_search_says() {
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0x4f02_0000 | rule as u64);
        let (mut wins, mut long, mut none, mut unknown) = (0, 0, 0, 0);
        for _ in 0..rounds(BOARDS) {
            let mut board = random_board(&mut rng, rule, 5..=11);
            let own = stone(board.side_to_move());
            let mut grid = Grid::of(&board);
            let expected = Fours::wins(&mut grid, own, rule, MOST, TRIES);
            let outcome = Vcf::default().solve(&mut board, NODES);
            let message = || format!("{outcome:?}, {expected:?} expected\n{}", draw(&board));
            let fours = match outcome {
                Solution::Win { plies, .. } => (plies as u32 - 1) / 2,
                Solution::No => 0,
                Solution::Unknown => {
                    unknown += 1;
                    continue;
                }
            };
            match (outcome, expected) {
                (Solution::Win { mv, .. }, _) if fours <= MOST => {
                    assert_ne!(expected, Some(false), "{}", message());
                    let is_five = grid.five_points(own, rule).contains(&point_of(mv));
                    let is_right = if fours == 0 {
                        is_five
                    } else {
                        Fours::four_wins(&mut grid, own, rule, point_of(mv), fours)
                    };
                    assert!(is_right, "{}", message());
                    (wins, long) = (wins + 1, long + usize::from(fours > 1));
                }
                (Solution::No, _) => {
                    assert_ne!(expected, Some(true), "{}", message());
                    none += 1;
                }
                _ => {}
            }
        }
        println!("{rule:?}: {wins} wins, {long} long, {none} without, {unknown} not settled");
        assert!(wins > BOARDS / 8 && long > 8 && none > BOARDS / 8, "{rule:?}: {wins}, {long}");
        assert!(unknown < rounds(BOARDS) / 1_000 + 1, "{rule:?}: {unknown}");
    }
}

/// A position that is won by continuous fours, by its rule, the length of its board, the side to
/// move, and black's and white's stones.
struct Won(Rule, usize, Color, &'static str, &'static str);

impl Won {
    fn board(&self) -> Board {
        let &Won(rule, length, to_move, black, white) = self;
        let size = size(length, length);
        let points = |text| parse_points(text, size).expect("valid points").into_iter();
        let black = points(black).map(|c| (c, Cell::Black));
        let cells: Vec<_> = black.chain(points(white).map(|c| (c, Cell::White))).collect();
        Board::from_cells(size, rule, &cells, to_move)
    }
}

/// Chains of fours all over a board, made at random: each four is the only one there is, but for
/// one that exchanges it with its answer and ends the chain.
const CHAINS: [Won; 5] = [
    Won(
        Rule::Freestyle,
        22,
        Black,
        "f1g1k1n1d2h2k2o2q2e3j3r3u3h4m4u4c5d5s5m6g7h7m7s7c8m8r8a9d9i9l9p9t9a10b10n10u10s11a12\
         g12i12n12k13o13v13g14h14u14v14c15e15r15s15b16k16l16c17m17t17b19l19q19u19c20g20h20n20\
         s20v20a21f21j21n21p21s21a22k22p22v22",
        "i1f2u2m5q5h6o6s6u8o9u9k10p10a11f11j11b13p13f14g15k15q15v16l17o17v17c18b20f20q20i22",
    ),
    Won(
        Rule::Standard,
        22,
        Black,
        "f1g1n1d2p2v2e3o3u3a4h4j4d5h5n5o5q5t5b6s6c7g7h7a8b8k8u8k9j10p10v10b11k11a12i12p12v12\
         i13n13t13q14s14e15l15n15d16h16o16b17d17g17i17k17r17v17a18m18f19l19o19u19a20e20p20s20\
         b21c21g21k21t21u21j22",
        "i1f2p5h6l6d7k7s7h8p9a10l10j11h12n12k13v13k14r14u15a16c16f16g16k16q16h17m17n17b18j18\
         q18i19f21p21u22",
    ),
    Won(
        Rule::Renju,
        22,
        White,
        "j1k1v1c2q3v4k5e6f6n6u6v6i8e9k9d10h10p10t11c12a13h13v13k15q15h16p16i17t19g20q21l22s22",
        "g1h1m1n1r1t1e2j2o2p2u2k3u3a4b4o4e5s5a6g6k6i7u7v7h8h9q9t9v9j10t10i11l11t12d13e13i13\
         m13o13t13a14b14j14o14r14a15f15u15d16v16r17u17h18p18h20l20p20q20v20j21m21s21t21u21j22\
         k22m22o22v22",
    ),
    Won(
        Rule::CaroExact,
        22,
        Black,
        "b1e1g1k1l1u1v1f2i2n2r2s2a3f3i3a4l4q4a5h5n5s5u5b6q6g7h7r7u7a8b8t8d9t10c11u11v11e12a13\
         b13r13u13d14v15e16s16c17s17t17h18k18n18a19l19u19c20h20l20q20a21b21i21m21t21v21d22f22\
         r22s22",
        "i1q1c2k2a6i6j6o6q7t9v9e10c15q15t15f16j16m16l17o17e18i18q18s19o21",
    ),
    Won(
        Rule::Caro,
        22,
        White,
        "f1g2c4m6o6v6q7f9p9u10c11p11f14g14v14b16a17h17k17q17c18q20m21v21f22v22",
        "c1d1e1l1v1c2d2j2k2q2r3u3e4m4o4u4c5j5s5v5c7k7a8l8m8t8v8d9e9r9t9c10k10v10c12u12b13c13\
         r13u13t14a15b15t15v15c17d17i17j17b18o18r18h19m19v19a20b20f20h20u20v20a21c21l21n21p21\
         s21d22e22g22i22l22p22r22",
    ),
];

/// Positions made at random with fours in every corner, in which the first four in the order of
/// their threats leads astray.
const CROWDED: [Won; 4] = [
    Won(
        Rule::Standard,
        15,
        White,
        "c4o2h1l10d1h5j7c12e12m6k10j4l11b2m10j5k6k7f4n15",
        "h4m1k9e11e6f2c10e2i11k3h14g5l15j12o5c9b9h7e1i1o8o11o12k1f12d13d14n10n13",
    ),
    Won(
        Rule::Renju,
        15,
        Black,
        "l3m1l14m6o1k9e14k15o9c11n11i5h8h7o8i15o13m12k12l7k11b5e12b9d11j1a1n15o15h3d3j14i2k7\
         m7m3o3o4a13a12a9f7i7o12o10j3c5d4f2n14n13a4",
        "i8h6n12d14b6k2g4b14f1k10e8o6j11m13m9a8e15l2a7c1i9f10",
    ),
    Won(
        Rule::Caro,
        20,
        Black,
        "f18i17p8p14t4k20l18s17h6g11t2j7s11e9r17o9a15o1n11s1o7k4q1b8b10l4e7d3l14h16h20f17t6\
         r14k17s13t17l6d20b9f20l7c18i11k11b18b13m16",
        "n17b6s5l2i13n13m10m13d12p19c8t8j16t9o5d6i19l10j18d17p3q16l9m8a20i18l16g5a18q18d14s7",
    ),
    Won(
        Rule::Freestyle,
        15,
        White,
        "e2e7i10b8h13e5m1k3j11e11j1g6i9j4e12o2",
        "m14i15a1i3f13g7b3g12c13o9n4l2h7b5b1f6o13l15m3k10o14k5h11d1i2c14c15a15k14b12g3f9e3",
    ),
];

/// Asserts that a variation of continuous fours keeps the rules, and that the last move wins.
fn assert_fours(board: &Board, pv: &[Coord]) {
    let (attacker, rule) = (board.side_to_move(), board.rule());
    let mut line = board.clone();
    for (ply, &mv) in pv.iter().enumerate() {
        let (mut grid, us) = (Grid::of(&line), stone(line.side_to_move()));
        let p = point_of(mv);
        let message = || format!("ply {ply} of {pv:?}\n{}", draw(board));
        assert!(line.is_empty(mv) && !grid.is_foul(p, us, rule), "{}", message());
        let has_won = grid.with(p, us, |grid| grid.has_won(p, rule));
        assert_eq!(has_won, ply + 1 == pv.len(), "{}", message());
        if line.side_to_move() == attacker && !has_won {
            let fives = grid.with(p, us, |grid| grid.fives_near(p, us, rule));
            assert!(!fives.is_empty(), "{}", message());
        }
        line.play(mv);
    }
    assert_eq!(line.side_to_move(), !attacker, "{pv:?}");
}

/// Searches a position with the nodes of a turn of some milliseconds and returns the plies of the
/// win, whose variation is asserted to lead to the five.
fn plies_of_win(board: &Board, nodes: u64) -> Option<i32> {
    let limits = Limits { nodes, ..Limits::default() };
    let report = unclocked::search(&mut Searcher::new(1 << 20), board, limits);
    let ScoreKind::Win(plies) = report.score.kind() else { return None };
    assert_fours(board, &report.pv);
    assert!(report.pv.len() <= plies as usize, "{report:?}");
    Some(plies)
}

#[test]
fn a_chain_of_fours_has_no_longest_length() {
    for won in &CHAINS {
        let board = won.board();
        let plies = plies_of_win(&board, 16_000).unwrap_or_else(|| panic!("{}", draw(&board)));
        assert!(plies > 81, "{plies}\n{}", draw(&board));
    }
}

#[test]
fn a_wrong_four_at_first_does_not_hide_a_win() {
    for won in &CROWDED {
        let board = won.board();
        assert!(plies_of_win(&board, 400_000).is_some(), "{}", draw(&board));
    }
}

#[test]
fn the_win_by_fours_is_one_of_several_variations() {
    let board = CHAINS[0].board();
    let root = RootOptions { multi_pv: 2, ..RootOptions::default() };
    let limits = Limits { nodes: 40_000, root, ..Limits::default() };
    let report = unclocked::search(&mut Searcher::new(1 << 20), &board, limits);
    let plies = |variation: &Variation| match variation.score.kind() {
        ScoreKind::Win(plies) => plies,
        _ => 0,
    };
    let longest = report.variations().max_by_key(plies).expect("two variations");
    assert!(plies(&longest) > 81, "{report:?}");
    assert_fours(&board, &longest.pv);
    assert_eq!(report.others.len(), 1, "{report:?}");
}

/// Fours that are independent of each other, three in each row of the largest board.
#[test]
fn a_small_stack_holds_fours_all_over_the_board() {
    let size = size(22, 22);
    let cells = |cell, columns: &'static [u8]| {
        (0..22).flat_map(move |y| columns.iter().map(move |&x| (Coord::new(x, y), cell)))
    };
    let white = cells(Cell::White, &[0, 7, 14]);
    let stones: Vec<_> =
        cells(Cell::Black, &[1, 2, 3, 8, 9, 10, 15, 16, 17]).chain(white).collect();
    for rule in Rule::ALL {
        let mut board = Board::from_cells(size, rule, &stones, Black);
        let solve = move || Vcf::default().solve(&mut board, 2_000);
        // What 242 fours have of a megabyte.
        let stack = (1 << 20) * 66 / 242;
        let thread = thread::Builder::new().stack_size(stack).spawn(solve).expect("a thread");
        thread.join().expect("the stack is large enough");
    }
}

/// Returns a random board that is full of threats, on which no five or open four is at hand.
fn crowded_board(rng: &mut fastrand::Rng, rule: Rule) -> Board {
    loop {
        let size = size(rng.usize(15..=22), rng.usize(15..=22));
        let mut stones: Vec<(Coord, Cell)> = Vec::new();
        for _ in 0..rng.usize(3..=7) {
            for (c, cell) in random_stones(rng, size) {
                if stones.iter().all(|&(other, _)| other != c) {
                    stones.push((c, cell));
                }
            }
        }
        let board = Board::from_cells(size, rule, &stones, if rng.bool() { Black } else { White });
        let us = board.side_to_move();
        if board.count_from(us, Threat::OpenFour) + board.count(!us, Threat::Five) == 0 {
            return board;
        }
    }
}

#[test]
fn long_wins_are_found_where_a_plain_search_finds_one() {
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0x4f03_0000 | rule as u64);
        let (mut wins, mut long) = (0, 0);
        for _ in 0..rounds(80) {
            let board = crowded_board(&mut rng, rule);
            let own = stone(board.side_to_move());
            if Fours::wins(&mut Grid::of(&board), own, rule, 242, 300) == Some(true) {
                let plies = plies_of_win(&board, 400_000);
                let plies = plies.unwrap_or_else(|| panic!("{}", draw(&board)));
                (wins, long) = (wins + 1, long + usize::from(plies > 9));
            }
        }
        println!("{rule:?}: {wins} wins, {long} long");
        assert!(wins > 8 && long > 0, "{rule:?}: {wins} {long}");
    }
}
