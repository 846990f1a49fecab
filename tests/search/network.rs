//! The network's value: what its definition says in plain loops and 64 bits, the same from all
//! sides, and the same however the position came about. Files that are no sound network are
//! refused.

use std::cmp::Reverse;
use std::sync::Arc;

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{BoardSize, Cell, Color, Coord, Direction, Rule};

use crate::positions::random::{random_board, random_stones, rounds};
use crate::positions::{Diagram, draw, size};
use tengen::eval::Evaluator;
use tengen::eval::hash;
use tengen::eval::network::{
    self, HIDDEN2, Head, KIND, KINDS, LANES, Network, REGION_OUT, Weights,
};
use tengen::eval::pattern::{CLASSES, RADIUS};
use tengen::eval::policy;
use tengen::eval::rows::{Layers, PERSPECTIVE_LANES, REGIONS, region_of};
use tengen::eval::threat_counts::COUNT_LEVELS;
use tengen::search::{OrderTables, Params};

/// The files of the networks in use, with the rules of each.
const FILES: [(Rule, &[u8]); Rule::ALL.len()] = [
    (Rule::Freestyle, include_bytes!("../../src/eval/network-freestyle.bin")),
    (Rule::Standard, include_bytes!("../../src/eval/network-standard.bin")),
    (Rule::Renju, include_bytes!("../../src/eval/network-renju.bin")),
    (Rule::Caro, include_bytes!("../../src/eval/network-caro.bin")),
    (Rule::CaroExact, include_bytes!("../../src/eval/network-caro.bin")),
];

fn weights(bytes: &[u8]) -> Weights {
    Weights::read(bytes).expect("a network of the program")
}

fn value(board: &Board) -> i32 {
    Evaluator::new(board).evaluate(board).value()
}

/// Returns the value for the side to move by the definition. Every number must fit where the
/// network keeps it.
fn value_by_definition(weights: &Weights, board: &Board) -> i64 {
    let us = board.side_to_move();
    let mut regions = [[0_i64; LANES]; REGIONS];
    for c in board.size().cells().filter(|&c| board.cell(c) != Cell::Wall) {
        let mut sums = [0_i64; LANES];
        for direction in Direction::ALL {
            let classes = [false, true].map(|is_swapped| class(board, c, direction, is_swapped));
            let halves = match weights.value.perspectives.as_slice() {
                [own] => classes.map(|class| own[class]),
                [black, white] => [black[classes[0]], white[classes[0]]],
                _ => panic!("one perspective or two"),
            };
            let lanes = halves.as_flattened().iter();
            sums.iter_mut().zip(lanes).for_each(|(sum, &lane)| *sum += i64::from(lane));
        }
        let region = &mut regions[region_of(board.size(), c.x(), c.y())];
        for (total, sum) in region.iter_mut().zip(sums) {
            assert!(i16::try_from(sum).is_ok(), "a cell's sum is {sum}");
            *total += sum.clamp(0, 511);
        }
    }
    assert!(regions.iter().flatten().all(|&sum| i16::try_from(sum).is_ok()));
    let (head, own_is_black) = match weights.value.heads.as_slice() {
        [own] => (own, us == Color::Black),
        heads => (&heads[us as usize], true),
    };
    if !own_is_black {
        regions.iter_mut().for_each(|region| region.rotate_left(PERSPECTIVE_LANES));
    }
    let mut joined = vec![0_i64; KINDS * REGION_OUT];
    let mut all = [0_i64; LANES];
    for (region, kind) in regions.iter().zip(KIND) {
        let inputs = region.map(|sum| (sum + 2) >> 2);
        for output in 0..REGION_OUT {
            let (weights, bias) = (&head.region[kind][output], head.region_bias[kind][output]);
            joined[kind * REGION_OUT + output] += activated(weights, &inputs, bias.into(), 10);
        }
        all.iter_mut().zip(region).for_each(|(all, sum)| *all += (sum + 8) >> 4);
    }
    assert!(joined.iter().chain(&all).all(|&input| i16::try_from(input).is_ok()));
    joined.extend(all.map(|sum| sum.min(8191)));
    let hidden1 = sum_of_counts(head, board).into_iter().zip(head.bias1).zip(&head.hidden1);
    let hidden1: Vec<i64> = hidden1
        .map(|((counts, bias), weights)| activated(weights, &joined, counts + i64::from(bias), 10))
        .collect();
    let hidden2: [i64; HIDDEN2] = std::array::from_fn(|output| {
        activated(&head.hidden2[output], &hidden1, head.bias2[output].into(), 10)
    });
    let sum = sum_of(&head.output, &hidden2, head.bias3.into());
    (sum * 200 / (1024 * 256)).clamp(-10_000, 10_000)
}

/// Returns the policy's scores of all candidates by the definition, without the order tables.
fn policy_by_definition(weights: &Weights, board: &Board) -> Vec<i64> {
    let us = board.side_to_move();
    let policy = &weights.policy;
    let (rows, head, is_swapped) = match (&policy.perspectives[..], &policy.heads[..]) {
        ([rows], [head]) => (rows, head, us == Color::White),
        (rows, heads) => (&rows[us as usize], &heads[us as usize], false),
    };
    let lanes = |c: Coord| {
        let mut sums = [0_i64; PERSPECTIVE_LANES];
        if board.cell(c) != Cell::Wall {
            for direction in Direction::ALL {
                let row = rows[class(board, c, direction, is_swapped)];
                sums.iter_mut().zip(row).for_each(|(sum, lane)| *sum += i64::from(lane));
            }
        }
        sums.map(|sum| sum.clamp(0, 511))
    };
    let mut regions = [[0_i64; PERSPECTIVE_LANES]; REGIONS];
    for c in board.size().cells() {
        let region = &mut regions[region_of(board.size(), c.x(), c.y())];
        region.iter_mut().zip(lanes(c)).for_each(|(sum, lane)| *sum += lane);
    }
    let total: Vec<i64> = (0..PERSPECTIVE_LANES)
        .map(|lane| regions.iter().map(|region| (region[lane] + 8) >> 4).sum::<i64>().min(8191))
        .collect();
    let product = |weights: &[i32], inputs: &[i64], bias: i32| {
        let products = weights.iter().zip(inputs).map(|(&weight, input)| i64::from(weight) * input);
        let sum = i64::from(bias) + products.sum::<i64>();
        assert!(i32::try_from(sum).is_ok(), "a sum is {sum}");
        sum
    };
    let score = |mv: Coord| {
        let around = |steps: [(isize, isize); 4]| {
            let cells = steps.map(|(rows, columns)| {
                lanes(mv.step(Direction::Vertical, rows).step(Direction::Horizontal, columns))
            });
            std::array::from_fn(|lane| cells.iter().map(|lanes| lanes[lane]).sum())
        };
        let inputs: [[i64; PERSPECTIVE_LANES]; 3] = [
            lanes(mv),
            around([(-1, 0), (0, -1), (0, 1), (1, 0)]),
            around([(-1, -1), (-1, 1), (1, -1), (1, 1)]),
        ];
        let conv = (0..PERSPECTIVE_LANES).map(|lane| {
            let products = inputs.iter().zip(&head.conv);
            let products = products.map(|(lanes, weights)| {
                (4 * lanes[lane] * i64::from(weights[lane]) + (1 << 14)) >> 15
            });
            let sum = i64::from(head.conv_bias[lane]) + products.sum::<i64>();
            assert!(i16::try_from(sum).is_ok(), "a convolution is {sum}");
            sum.clamp(0, 4095)
        });
        let inputs: Vec<i64> = inputs[0].into_iter().chain(conv).collect();
        let units = head.hidden.iter().enumerate().map(|(unit, weights)| {
            let hidden = product(weights, &inputs, head.hidden_bias[unit]) >> 10;
            let gate = product(&head.gate[unit], &total, head.gate_bias[unit]) >> 10;
            let output = i64::from(head.output[unit]) * (256 + gate).clamp(0, 512) / 256;
            hidden.clamp(0, 8191) * output
        });
        (units.sum::<i64>() >> 10).clamp(-8_000, 8_000)
    };
    board.candidates().into_iter().map(score).collect()
}

/// Checks the policy's scores of a board against the definition, by a new evaluator and by one that
/// was asked before its last moves.
fn check_policy(weights: &Weights, network: &Arc<Network>, board: &Board) {
    let mut evaluator = Evaluator::by_network(board, Arc::clone(network));
    let mut board = board.clone();
    for _ in 0..2 {
        let mut moves: Vec<_> = board.candidates().into_iter().map(|mv| (mv, 0)).collect();
        evaluator.score_moves(board.side_to_move(), &mut moves);
        for ((mv, by_engine), score) in moves.into_iter().zip(policy_by_definition(weights, &board))
        {
            assert_eq!(i64::from(by_engine), score, "{mv}\n{}", draw(&board));
        }
        let Some(mv) = board.empty_cells().into_iter().next() else { return };
        evaluator.play(mv, board.side_to_move());
        board.play(mv);
    }
}

/// Returns the class of the pattern around a cell, colours exchanged if asked for.
fn class(board: &Board, c: Coord, direction: Direction, is_swapped: bool) -> usize {
    let digit = |c: Coord| match (board.cell(c), is_swapped) {
        (Cell::Empty, _) => Some(0),
        (Cell::Black, false) | (Cell::White, true) => Some(1),
        (Cell::White, false) | (Cell::Black, true) => Some(2),
        (Cell::Wall, _) => None,
    };
    // Halves in the order of their lengths, then of their cells, the nearest first counting least.
    let half = |sign: isize| {
        let steps = (1..=RADIUS as isize).map(|step| c.step(direction, sign * step));
        let digits: Vec<usize> = steps.map_while(digit).collect();
        let shorter: usize = (0..digits.len()).map(|length| 3_usize.pow(length as u32)).sum();
        digits.iter().rev().fold(0, |number, digit| number * 3 + digit) + shorter
    };
    let (a, b) = (half(-1), half(1));
    let (low, high) = (a.min(b), a.max(b));
    (high * (high + 1) / 2 + low) * 3 + digit(c).expect("no wall")
}

fn sum_of(weights: &[i32], inputs: &[i64], bias: i64) -> i64 {
    let products = weights.iter().zip(inputs).map(|(&weight, input)| i64::from(weight) * input);
    let sum = bias + products.sum::<i64>();
    assert!(i32::try_from(sum).is_ok(), "a sum is {sum}");
    sum
}

fn activated(weights: &[i32], inputs: &[i64], bias: i64, shift: u32) -> i64 {
    assert_eq!(weights.len(), inputs.len());
    ((sum_of(weights, inputs, bias) + (1 << (shift - 1))) >> shift).clamp(0, 2047)
}

/// Returns what the counts of threats add to each sum of the first hidden layer.
fn sum_of_counts(head: &Head, board: &Board) -> Vec<i64> {
    let us = board.side_to_move();
    let sides = [us, !us].into_iter();
    let counts = sides.flat_map(|color| Threat::ALL[1..].iter().map(move |&t| (color, t)));
    let mut sums = vec![0; head.bias1.len()];
    for ((color, threat), levels) in counts.zip(&head.counts) {
        let level = &levels[board.count(color, threat).min(COUNT_LEVELS - 1)];
        sums.iter_mut().zip(level).for_each(|(sum, &add)| *sum += i64::from(add));
    }
    sums
}

/// Returns boards on which many cells have the same sum, and that a large one.
fn extreme_boards(rule: Rule) -> impl Iterator<Item = Board> {
    type Pattern = fn(u8, u8) -> Cell;
    const PATTERNS: [Pattern; 7] = [
        |_, _| Cell::Black,
        |_, _| Cell::White,
        |_, _| Cell::Wall,
        |x, y| if (x + y) % 2 == 0 { Cell::Black } else { Cell::White },
        |x, y| if (x + y) % 2 == 0 { Cell::Black } else { Cell::Empty },
        |x, y| [Cell::Black, Cell::White, Cell::Empty, Cell::Wall][usize::from(x + 2 * y) % 4],
        |x, y| if x % 5 == y % 5 { Cell::White } else { Cell::Empty },
    ];
    let sizes = [(22, 22), (5, 5), (22, 5), (15, 15)].map(|(width, height)| size(width, height));
    sizes.into_iter().flat_map(move |size| PATTERNS.into_iter().map(move |p| (size, p))).map(
        move |(size, pattern)| {
            let cells = size.cells().map(|c| (c, pattern(c.x(), c.y())));
            let cells: Vec<_> = cells.filter(|&(_, cell)| cell != Cell::Empty).collect();
            Board::from_cells(size, rule, &cells, Color::White)
        },
    )
}

#[test]
fn values_are_what_the_definition_says() {
    let mut rng = fastrand::Rng::with_seed(1);
    for (rule, bytes) in FILES {
        let weights = weights(bytes);
        let boards = (0..rounds(600)).map(|_| random_board(&mut rng, rule, 5..=22));
        for board in boards.chain(extreme_boards(rule)) {
            assert_eq!(
                i64::from(value(&board)),
                value_by_definition(&weights, &board),
                "{}",
                draw(&board)
            );
        }
    }
}

#[test]
fn policies_are_what_the_definition_says() {
    let mut rng = fastrand::Rng::with_seed(8);
    for (rule, bytes) in FILES {
        let (weights, network) = (weights(bytes), Network::of(rule));
        let boards = (0..rounds(60)).map(|_| random_board(&mut rng, rule, 5..=22));
        for board in boards.chain(extreme_boards(rule)) {
            check_policy(&weights, &network, &board);
        }
    }
}

/// Returns weights up to what is just not refused.
fn extreme_weights(perspectives: usize, rng: &mut fastrand::Rng) -> Weights {
    let mut weights = Weights::zero(perspectives);
    let is_loud = rng.bool();
    let mut number = |most: i16| match rng.u8(0..4) {
        0 if is_loud => most,
        1 if is_loud => -most,
        _ => rng.i16(-most..=most),
    };
    weights.value.perspectives.iter_mut().flatten().flatten().for_each(|lane| *lane = number(4096));
    for head in &mut weights.value.heads {
        // The products of each layer's inputs fit in 30 bits.
        head.region.as_flattened_mut().as_flattened_mut().fill_with(|| number(4000).into());
        head.hidden1.as_flattened_mut().fill_with(|| number(900).into());
        head.hidden2.as_flattened_mut().fill_with(|| number(8000).into());
        head.output.fill_with(|| number(i16::MAX - 1).into());
        head.region_bias.as_flattened_mut().fill_with(|| i32::from(number(30_000)) * 100);
        head.bias1.fill_with(|| i32::from(number(30_000)) * 100);
        let counts = head.counts.as_flattened_mut().as_flattened_mut();
        counts.fill_with(|| i32::from(number(30_000)) * 20);
        head.bias2.fill_with(|| i32::from(number(30_000)) * 100);
        head.bias3 = i32::from(number(30_000)) * 100;
    }
    let lanes = weights.policy.perspectives.iter_mut().flatten().flatten();
    lanes.for_each(|lane| *lane = number(127));
    for head in &mut weights.policy.heads {
        for (field, &(_, max)) in head.fields_mut().into_iter().zip(policy::Head::<i32>::FIELDS) {
            let step = (max / i32::from(i16::MAX)).max(1);
            field.fill_with(|| (i32::from(number(i16::MAX)) * step).clamp(-max, max));
        }
    }
    weights
}

#[test]
fn extreme_weights_do_not_overflow() {
    let mut rng = fastrand::Rng::with_seed(2);
    for perspectives in [1, 2, 1, 2] {
        let weights = extreme_weights(perspectives, &mut rng);
        let weights = Weights::read(&weights.write()).expect("weights within their limits");
        let network = Arc::new(Network::new(&weights));
        let boards = (0..60).map(|_| random_board(&mut rng, Rule::Freestyle, 5..=22));
        for board in boards.chain(extreme_boards(Rule::Freestyle)) {
            let value =
                Evaluator::by_network(&board, Arc::clone(&network)).evaluate(&board).value();
            assert_eq!(i64::from(value), value_by_definition(&weights, &board), "{}", draw(&board));
            check_policy(&weights, &network, &board);
        }
    }
}

#[test]
fn values_do_not_depend_on_the_names_of_colors() {
    let mut rng = fastrand::Rng::with_seed(3);
    for (rule, _) in FILES.iter().filter(|(rule, _)| *rule != Rule::Renju) {
        for _ in 0..rounds(250) {
            let size = random_size(&mut rng);
            let cells = scattered_stones(&mut rng, size);
            let swapped: Vec<_> = cells
                .iter()
                .map(|&(c, cell)| (c, cell.stone().map_or(cell, |color| (!color).cell())))
                .collect();
            let board = Board::from_cells(size, *rule, &cells, Color::Black);
            let other = Board::from_cells(size, *rule, &swapped, Color::White);
            assert_eq!(value(&board), value(&other), "{}", draw(&board));
        }
    }
}

#[test]
fn values_do_not_depend_on_the_side_one_sits_on() {
    let mut rng = fastrand::Rng::with_seed(4);
    for (rule, _) in FILES {
        for _ in 0..rounds(150) {
            let size = random_size(&mut rng);
            let cells = scattered_stones(&mut rng, size);
            let images = Diagram { size, cells, marks: Vec::new() }.symmetries();
            let color = if rng.bool() { Color::Black } else { Color::White };
            let values = images.each_ref().map(|image| value(&image.board(rule, color)));
            let first = images[0].board(rule, color);
            assert!(values.iter().all(|&value| value == values[0]), "{values:?}\n{}", draw(&first));
        }
    }
}

fn random_size(rng: &mut fastrand::Rng) -> BoardSize {
    size(rng.usize(5..=22), rng.usize(5..=22))
}

/// Returns random stones near each other, and some far away from all others.
fn scattered_stones(rng: &mut fastrand::Rng, size: BoardSize) -> Vec<(Coord, Cell)> {
    let mut cells = random_stones(rng, size);
    for _ in 0..rng.usize(0..8) {
        let (x, y) = (rng.u8(0..size.width()), rng.u8(0..size.height()));
        let c = size.coord(x, y).expect("a cell of the board");
        if cells.iter().all(|&(taken, _)| taken != c) {
            cells.push((c, if rng.bool() { Cell::Black } else { Cell::White }));
        }
    }
    cells
}

#[test]
fn values_do_not_depend_on_how_the_position_came_about() {
    let mut rng = fastrand::Rng::with_seed(5);
    for (rule, _) in FILES {
        for _ in 0..rounds(8) {
            let mut board = random_board(&mut rng, rule, 5..=22);
            let mut evaluator = Evaluator::new(&board);
            let mut played = 0;
            for _ in 0..1500 {
                match rng.u8(0..10) {
                    0 | 1 => {
                        let now = evaluator.evaluate(&board).value();
                        assert_eq!(now, value(&board), "{}", draw(&board));
                    }
                    2 => {
                        board.pass();
                        let now = evaluator.evaluate(&board).value();
                        assert_eq!(now, value(&board), "after a pass\n{}", draw(&board));
                        board.pass();
                    }
                    3..=6 if board.empty_count() > 0 => {
                        let free: Vec<Coord> = board.empty_cells().into_iter().collect();
                        let mv = free[rng.usize(..free.len())];
                        evaluator.play(mv, board.side_to_move());
                        board.play(mv);
                        played += 1;
                    }
                    _ if played > 0 => {
                        evaluator.undo();
                        board.undo();
                        played -= 1;
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns a position of so many stones to each of which random moves led: one of the first few of
/// the static order each. `None` if threats decide it.
fn random_position(rng: &mut fastrand::Rng, rule: Rule, stones: usize) -> Option<Board> {
    let mut board = Board::new(size(15, 15), rule);
    board.play(Coord::new(7, 7));
    while board.stone_count() < stones {
        random_move(rng, &mut board, 6)?;
    }
    board.win_by_threats().is_none().then_some(board)
}

fn random_move(rng: &mut fastrand::Rng, board: &mut Board, choices: usize) -> Option<()> {
    let us = board.side_to_move();
    let tables = OrderTables::of(board.rule());
    let mut cells: Vec<Coord> = board.candidates().into_iter().collect();
    cells.sort_by_key(|&c| (Reverse(tables.order(us, board.threats(c))), c));
    let mv = *cells.get(rng.usize(..choices.min(cells.len()).max(1)))?;
    board.is_legal(mv, us).then(|| board.play(mv))
}

/// Futility pruning fires where an evaluation is a margin beyond what was expected. The share of
/// such answers must stay within a fifth of the number here, that of the last network that won its
/// match with these margins. A network with other values may need other margins.
#[test]
fn values_differ_as_margins_expect() {
    const SHARES: [(Rule, f64); 3] =
        [(Rule::Freestyle, 0.6), (Rule::Renju, 0.6), (Rule::Caro, 0.2)];
    const PLIES: i32 = 4;
    let found = SHARES.map(|(rule, _)| {
        let mut rng = fastrand::Rng::with_seed(7);
        let margin = PLIES * Params::of(rule).reverse_futility_margin;
        let (mut answers, mut beyond) = (0, 0);
        while answers < 600 {
            let stones = rng.usize(6..30);
            let Some(mut board) = random_position(&mut rng, rule, stones) else { continue };
            let before = value(&board);
            if random_move(&mut rng, &mut board, 12).is_none() || board.win_by_threats().is_some() {
                continue;
            }
            answers += 1;
            // As bad a move for the one side as it is good for the other.
            beyond += u32::from(before + value(&board) >= margin);
        }
        f64::from(beyond) / f64::from(answers)
    });
    for ((rule, expected), share) in SHARES.into_iter().zip(found) {
        let is_near = (expected * 0.8..expected * 1.2).contains(&share);
        assert!(is_near, "{rule:?}: {share:.3} of the answers, not {expected} ({found:?})");
    }
}

#[test]
fn damaged_files_are_refused() {
    for (_, bytes) in FILES {
        assert_eq!(weights(bytes).write(), bytes, "what is written is what was read");
        for length in [0, 1, 7, 8, 9, 10, bytes.len() / 2, bytes.len() - 1] {
            assert!(Weights::read(&bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(Weights::read(&[bytes, &[0]].concat()).is_err(), "a byte too many");
        for place in 0..9 {
            for bit in 0..8 {
                let mut damaged = bytes.to_vec();
                damaged[place] ^= 1 << bit;
                assert!(Weights::read(&damaged).is_err(), "bit {bit} of byte {place}");
            }
        }
    }
    // The first weight of the head, beyond 16 bits.
    let mut damaged = FILES[0].1.to_vec();
    damaged[9 + CLASSES * PERSPECTIVE_LANES * 2 + 2] ^= 1;
    assert!(Weights::read(&damaged).is_err());
    assert!(Weights::read(b"").is_err());
    assert!(Weights::read(&[0xFF; 100_000]).is_err());
}

#[test]
fn weights_that_overflow_are_refused() {
    let mut rng = fastrand::Rng::with_seed(6);
    let sound = extreme_weights(1, &mut rng);
    let is_refused = |change: fn(&mut Weights)| {
        let mut weights = sound.clone();
        change(&mut weights);
        Weights::read(&weights.write()).is_err()
    };
    assert!(!is_refused(|_| ()));
    assert!(is_refused(|weights| weights.value.perspectives[0][CLASSES - 1][3] = 4097));
    assert!(is_refused(|weights| weights.value.perspectives[0][7][0] = i16::MIN));
    assert!(is_refused(|weights| weights.value.heads[0].region[2][5] = [i16::MAX.into(); LANES]));
    assert!(is_refused(|weights| weights.value.heads[0].region_bias[1][2] = i32::MIN));
    assert!(is_refused(|weights| weights.value.heads[0].hidden1[31].fill(i16::MIN.into())));
    assert!(is_refused(|weights| weights.value.heads[0].bias1[0] = i32::MAX));
    assert!(is_refused(|weights| weights.value.heads[0].counts[25][3][31] = i32::MIN));
    assert!(is_refused(|weights| weights.value.heads[0].hidden2[0].fill(i16::MAX.into())));
    assert!(is_refused(|weights| weights.value.heads[0].bias2[15] = i32::MIN));
    assert!(is_refused(|weights| weights.value.heads[0].bias3 = i32::MIN));
    assert!(is_refused(|weights| weights.policy.heads[0].hidden[3][31] = 8 * 1024 + 1));
    assert!(is_refused(|weights| weights.policy.heads[0].gate_bias[0] = i32::MIN));
    assert!(is_refused(|weights| weights.policy.heads[0].tables = i32::MAX));
}

#[test]
fn the_note_beside_the_networks_names_them() {
    let note = include_str!("../../src/eval/network.md");
    for (rule, bytes) in FILES {
        let name = format!("{:016x}", hash(bytes));
        assert!(note.contains(&name), "{rule:?}: {name} is not in network.md");
        assert_eq!(network::file_of(rule), bytes, "{rule:?}");
    }
}
