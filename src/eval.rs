//! The evaluation: the value of a position for the side to move.
//!
//! An [`Evaluator`] follows a board move by move and asks the [`network`] for its value, and for its
//! [`policy`] to order moves. The search adds a [`Style`] to the value. Under renju, unless the game
//! is drawn earlier, it also adds [`overline_worth`].

mod accumulator;
pub mod network;
pub mod pattern;
pub mod policy;
pub mod rows;
mod simd;
pub mod threat_counts;
pub mod win_rate;

use std::sync::{Arc, OnceLock};

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::random::{GAMMA, finalized};
use tengen_gomoku::types::{Color, Coord, Rule};

use crate::score::Score;
use accumulator::Accumulator;
use network::Network;
use policy::ScoreMoves;
use simd::{Instructions, Kernel};
use threat_counts::threat_counts;

pub struct Evaluator {
    network: Arc<Network>,
    accumulator: Accumulator,
    policy_accumulator: Accumulator,
}

impl Evaluator {
    pub fn new(board: &Board) -> Evaluator {
        Evaluator::by_network(board, Network::of(board.rule()))
    }

    pub fn by_network(board: &Board, network: Arc<Network>) -> Evaluator {
        let accumulator = |rows| Accumulator::new(rows, board.size(), board.lines());
        Evaluator {
            accumulator: accumulator(&network.rows),
            policy_accumulator: accumulator(&network.policy.rows),
            network,
        }
    }

    #[inline]
    pub fn play(&mut self, mv: Coord, color: Color) {
        self.accumulator.place(mv, color.cell());
        self.policy_accumulator.place(mv, color.cell());
    }

    #[inline]
    pub fn undo(&mut self) {
        self.accumulator.undo();
        self.policy_accumulator.undo();
    }

    /// Returns the evaluation for the side to move, within ±[`Score::EVAL_LIMIT`].
    pub fn evaluate(&mut self, board: &Board) -> Score {
        let Evaluator { network, accumulator, .. } = self;
        let (us, counts) = (board.side_to_move(), threat_counts(board));
        Score::eval(simd::run(Evaluate { network, accumulator, us, counts }))
    }

    /// Replaces the order tables' scores of moves of `us`, who is to move, by the policy's.
    pub fn score_moves(&mut self, us: Color, moves: &mut [(Coord, i32)]) {
        let policy = &self.network.policy;
        simd::run(ScoreMoves { policy, accumulator: &mut self.policy_accumulator, us, moves });
    }
}

struct Evaluate<'a> {
    network: &'a Network,
    accumulator: &'a mut Accumulator,
    us: Color,
    counts: u64,
}

impl Kernel for Evaluate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Instructions>(self) -> i32 {
        self.network.value::<I>(self.us, self.accumulator.regions::<I>(), self.counts)
    }
}

/// Returns the fingerprint of the networks, which saved tables and training data carry.
pub fn fingerprint() -> u64 {
    // Part of every saved fingerprint.
    const FIRST: u64 = 0xffad_9735_9113_8f81;
    static FINGERPRINT: OnceLock<u64> = OnceLock::new();
    *FINGERPRINT.get_or_init(|| {
        let networks = Rule::ALL.map(|rule| hash(network::file_of(rule)));
        let all = [FIRST].into_iter().chain(networks);
        hash(&all.flat_map(u64::to_le_bytes).collect::<Vec<_>>())
    })
}

/// Returns a hash that tells versions apart, no protection against forgery.
pub fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain(std::iter::once(&last)).map(|&word| u64::from_le_bytes(word));
    let length = bytes.len() as u64;
    words.fold(length, |hash, word| finalized((hash ^ word).wrapping_add(GAMMA)))
}

/// The part of the board that must be full for a cost.
const FIRST_FILLED_PERCENT: usize = 60;
/// The cost on a full board, in evaluation units.
const FULL_COST: usize = 600;

/// Returns the gain of the side to move by black's overline cells under renju, in evaluation units.
///
/// The network judges the chances of a five. On a nearly full board none is possible: black may not
/// play on an overline cell, and loses if no other is free, while white need not fill it.
#[inline]
pub fn overline_worth(board: &Board) -> i32 {
    if board.rule() != Rule::Renju {
        return 0;
    }
    let stones = board.stone_count();
    let area = stones + board.empty_count();
    let first = area * FIRST_FILLED_PERCENT / 100;
    // On a board with an even number of cells white has the last move, and takes one.
    let harmless = usize::from(area.is_multiple_of(2));
    if stones <= first || board.forbidden_overlines() <= harmless {
        return 0;
    }
    let cost = (FULL_COST * (stones - first) / (area - first)) as i32;
    if board.side_to_move() == Color::Black { -cost } else { cost }
}

/// The worth of a threat in evaluation units, the weakest first: the mean in a fit of shape
/// combinations to games.
const CHANCES: [i32; Threat::COUNT] = [0, 0, 3, 10, 18, 25, 28, 50, 100, 55, 100, 200, 160, 330];

/// A style of play from 0, which weighs the opponent's chances most, over 50, neutral, to 100,
/// which weighs its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style(u8);

impl Style {
    pub const NEUTRAL: Style = Style(50);

    pub fn nearest(number: u64) -> Style {
        Style(number.min(100) as u8)
    }

    pub const fn number(self) -> u8 {
        self.0
    }

    pub const fn is_neutral(self) -> bool {
        self.0 == Style::NEUTRAL.0
    }

    /// Returns the gain of the side to move if `player` plays in this style N: own chances count
    /// `50 + N` percent, the opponent's `150 - N`. Both changes favour the same side, so the
    /// function adds the chances of both sides.
    pub fn worth(self, player: Color, board: &Board) -> i32 {
        let chances = |color: Color| -> i32 {
            let worth = |threat| board.count(color, threat) as i32 * CHANCES[threat as usize];
            Threat::ALL.into_iter().map(worth).sum()
        };
        let more_percent = i32::from(self.0) - i32::from(Style::NEUTRAL.0);
        let gain = (chances(player) + chances(!player)) * more_percent / 100;
        if board.side_to_move() == player { gain } else { -gain }
    }
}

impl Default for Style {
    fn default() -> Style {
        Style::NEUTRAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;
    use tengen_gomoku::types::{BoardSize, Coord};

    #[test]
    fn an_open_three_to_move_is_better_than_none() {
        let evaluate = |moves: &str| {
            let board = Board::after(15, Rule::Freestyle, moves);
            Evaluator::new(&board).evaluate(&board).value()
        };
        assert!(evaluate("g8a1h8a15") > evaluate("g8a1n3a15") + 10);
    }

    #[test]
    fn every_byte_and_the_length_count() {
        let bytes: Vec<u8> = (0..21).collect();
        let mut all = vec![hash(&bytes), hash(&bytes[..20]), hash(&[])];
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            all.push(hash(&changed));
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        all.push(hash(&longer));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_fingerprint_stays_what_saved_files_carry() {
        assert_eq!(hash(b"fingerprint"), 0x2cb3_edd1_9069_bf69);
    }

    /// Returns a board of nine rows and so many stones, with up to two forbidden overlines at (3,
    /// 0) and (3, 2).
    fn board(width: u8, rule: Rule, overlines: u8, stones: usize) -> Board {
        let mut board = Board::new(BoardSize::new(width, 9).unwrap(), rule);
        let put = |board: &mut Board, x, y, color| {
            turn_to(board, color);
            board.play(Coord::new(x, y));
        };
        for row in 0..overlines {
            for x in [0, 1, 2, 4, 5, 6] {
                put(&mut board, x, 2 * row, Color::Black);
            }
        }
        let free = (3..9).flat_map(|y| (0..width).map(move |x| (x, y)));
        for (x, y) in free.take(stones - board.stone_count()) {
            let color = if (x / 2 + y) % 2 == 0 { Color::White } else { Color::Black };
            put(&mut board, x, y, color);
        }
        board
    }

    fn turn_to(board: &mut Board, color: Color) {
        if board.side_to_move() != color {
            board.pass();
        }
    }

    #[test]
    fn overlines_cost_black_more_as_the_board_fills() {
        let worth_to = |mut board: Board, color| {
            turn_to(&mut board, color);
            overline_worth(&board)
        };
        let of = |stones, color| worth_to(board(9, Rule::Renju, 1, stones), color);
        assert_eq!(of(48, Color::Black), 0);
        let [early, late] = [49, 57].map(|stones| of(stones, Color::White));
        assert!(0 < early && early < late && late < FULL_COST as i32, "{early} {late}");
        assert_eq!(of(57, Color::Black), -late);
        assert_eq!(worth_to(board(9, Rule::Freestyle, 1, 57), Color::Black), 0);
        assert_eq!(worth_to(board(9, Rule::Renju, 0, 54), Color::Black), 0);
        // White takes the only one on a board of an even number of cells.
        assert_eq!(worth_to(board(10, Rule::Renju, 1, 60), Color::Black), 0);
        assert!(worth_to(board(10, Rule::Renju, 2, 60), Color::Black) < 0);
    }

    #[test]
    fn attack_likes_chances_and_defence_fears_them() {
        // Two stones side by side, the player's or the opponent's, and scattered ones.
        for (rule, moves) in Rule::ALL.into_iter().flat_map(|rule| {
            ["h8a1i9o15", "a1h8o15i9", "h8a1i9", "a1h8o15"].map(|moves| (rule, moves))
        }) {
            let mut board = Board::after(15, rule, moves);
            let player = board.side_to_move();
            let worth = |number, board: &Board| Style::nearest(number).worth(player, board);
            let (bold, attack) = (worth(80, &board), worth(100, &board));
            assert!(0 < bold && bold < attack, "{moves}");
            for (number, value) in [(0, -attack), (20, -bold), (50, 0)] {
                assert_eq!(worth(number, &board), value, "{rule:?} {moves}");
            }
            board.pass();
            for (number, value) in [(0, attack), (20, bold), (50, 0), (80, -bold), (100, -attack)] {
                assert_eq!(worth(number, &board), value, "the opponent's, {number}");
            }
        }
    }

    #[test]
    fn stronger_threats_are_better_chances() {
        let attack = |moves: &str| {
            let board = Board::after(15, Rule::Freestyle, moves);
            Style::nearest(100).worth(board.side_to_move(), &board)
        };
        assert_eq!(attack(""), 0);
        let growing = ["h8a1", "h8a1i8a15", "h8a1i8a15j8o1"].map(attack);
        assert!(growing.is_sorted_by(|less, more| 2 * less < *more), "{growing:?}");
    }
}
