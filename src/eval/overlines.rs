//! The cost of black's overline cells under renju as the board fills.
//!
//! The network judges the chances of a five. On a nearly full board none is possible: black may not
//! play on an overline cell, and loses if no other is free, while white need not fill it.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, Rule};

/// The part of the board that must be full for a cost.
const FIRST_FILLED_PERCENT: usize = 60;
/// The cost on a full board, in evaluation units.
const FULL_COST: usize = 600;

/// Returns the gain of the side to move by black's overlines, in evaluation units.
#[inline]
pub fn worth(board: &Board) -> i32 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::{BoardSize, Coord};

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
            worth(&board)
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
}
