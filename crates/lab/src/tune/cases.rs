//! The cases of the fit, from games played over: which move a search chose in a position.

use tengen::board::Board;
use tengen::shape::{ShapeCode, Threat};
use tengen::types::{Color, Coord, Nearness, Rule};
use tengen_lab::{Source, TrainingGame};

/// A position, with the move that a search chose.
pub struct OrderCase {
    pub mover: Color,
    pub candidates: Vec<Candidate>,
    pub chosen: usize,
}

/// What the order of a move rests on.
pub struct Candidate {
    /// The codes of its cell for the mover and for the opponent.
    pub codes: [ShapeCode; 2],
    /// Where it lies as seen from the last two stones: [`Nearness::index`].
    pub near: [usize; 2],
}

/// Returns the cases of a game that is played over under this rule: the positions in which a search
/// chose one of the candidates and threats decide nothing. Inner nodes are left out, since no
/// search chose a move there.
pub fn order_cases(game: &TrainingGame, rule: Rule) -> impl Iterator<Item = OrderCase> {
    game.examples().filter(|example| example.source != Some(Source::Inner)).filter_map(
        move |example| {
            let mut board = Board::new(game.size, rule);
            example.moves().for_each(|mv| board.play(mv));
            example.mv.filter(|_| is_open(&board)).and_then(|mv| order_case(&board, mv))
        },
    )
}

fn order_case(board: &Board, mv: Coord) -> Option<OrderCase> {
    let mover = board.side_to_move();
    let cells: Vec<Coord> = board.candidates().into_iter().collect();
    let chosen = cells.iter().position(|&c| c == mv)?;
    let candidate = |c: Coord| Candidate {
        codes: [mover, !mover].map(|color| board.threats(c).code(color)),
        near: [0, 1].map(|plies| Nearness::to(board.last_move(plies))[c.index()].index()),
    };
    let candidates = cells.into_iter().map(candidate).collect();
    Some(OrderCase { mover, candidates, chosen })
}

/// Returns true if the threats on the board neither decide the game nor force the next move.
fn is_open(board: &Board) -> bool {
    board.win_by_threats().is_none() && board.count(!board.side_to_move(), Threat::Five) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::notation::parse_points;
    use tengen::record::Outcome;
    use tengen::types::{BoardSize, Bound, Score};
    use tengen_lab::{Label, Sample};

    /// Returns a drawn game that a search played from the `opening`th move on.
    fn game(moves: &str, opening: usize) -> TrainingGame {
        let size = BoardSize::new(15, 15).unwrap();
        let moves = parse_points(moves, size).unwrap();
        let label = Label { score: Score::DRAW, depth: 5, others: Vec::new() };
        TrainingGame {
            number: 0,
            rule: Rule::Freestyle,
            size,
            opening,
            outcome: Outcome::Drawn,
            labels: vec![label; moves.len() - opening],
            moves,
            samples: Vec::new(),
        }
    }

    #[test]
    fn forced_and_decided_positions_are_left_out() {
        // Black makes a four; white stops it; black makes an open four.
        let game = game("h8a1h9a2h10a3h11h12i8", 6);
        assert_eq!(order_cases(&game, Rule::Freestyle).count(), 0);
    }

    #[test]
    fn the_chosen_move_is_found_among_the_candidates() {
        // The corner is no candidate.
        let cases: Vec<_> = order_cases(&game("h8i9h9a15", 2), Rule::Renju).collect();
        let [OrderCase { mover, candidates, chosen }] = &cases[..] else { panic!() };
        assert_eq!((*mover, candidates[*chosen].near), (Color::Black, [0, 0]));
    }

    #[test]
    fn inner_nodes_are_left_out() {
        let mut game = game("h8i9", 2);
        let side = Sample {
            ply: 2,
            line: parse_points("j9", game.size).unwrap(),
            source: Source::Side,
            mv: parse_points("j10", game.size).unwrap().pop(),
            score: Score::DRAW,
            bound: Bound::Exact,
            depth: 4,
        };
        game.samples = vec![Sample { source: Source::Inner, ..side.clone() }, side];
        let movers = order_cases(&game, Rule::Freestyle).map(|case| case.mover);
        assert_eq!(movers.collect::<Vec<_>>(), [Color::White]);
    }
}
