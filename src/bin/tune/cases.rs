//! The cases of both fits, from games played over: what a position was worth, and which move a
//! search chose in it.

use tengen::board::Board;
use tengen::eval::network::EVAL_SCALE;
use tengen::eval::tempo_index;
use tengen::record::Outcome;
use tengen::record::training::{Example, Source, TrainingGame};
use tengen::shape::{CODES, Code, Threat};
use tengen::tuning::fit::Cases;
use tengen::types::{Color, Coord, Nearness, Rule, ScoreKind, sigmoid};

/// A position, with what the side to move is expected to score.
pub struct EvalCase {
    pub mover: Color,
    /// For black and for white the codes that occur, each with the number of empty cells that have
    /// it: the mean of this position and the one before, as a style's evaluation takes both.
    pub codes: [Vec<(Code, f32)>; 2],
    /// What [`tempo_index`] says.
    pub tempo_index: usize,
    /// From 0 for a loss to 1 for a win.
    pub target: f64,
}

/// A position, with the move that a search chose.
pub struct OrderCase {
    pub mover: Color,
    pub candidates: Vec<Candidate>,
    /// The place of the move among the candidates.
    pub chosen: usize,
}

/// What the order of a move rests on.
pub struct Candidate {
    /// The codes of its cell for the mover and for the opponent.
    pub codes: [Code; 2],
    /// Where it lies as seen from the last two stones: [`Nearness::index`].
    pub near: [usize; 2],
}

/// The cases of games, all played over under one rule.
pub struct GameCases {
    rule: Rule,
    /// How much the result counts in a target, from 0 to 1; the score of the search is the rest.
    outcome_weight: f64,
    pub evaluations: Cases<EvalCase>,
    pub orders: Cases<OrderCase>,
}

impl GameCases {
    pub fn new(rule: Rule, outcome_weight: f64) -> GameCases {
        let (evaluations, orders) = (Cases::default(), Cases::default());
        GameCases { rule, outcome_weight, evaluations, orders }
    }

    /// Adds the positions of a game in which a search chose a move and threats decide nothing: no
    /// others are ever evaluated. Those that the search had decided count: most leaves of a search
    /// are of that kind, and without them the fit lost 160 Elo where the tables alone evaluated.
    ///
    /// Inner nodes are left out: no search chose a move there, and their scores are bounds.
    pub fn add(&mut self, game: &TrainingGame, is_held_out: bool) {
        for example in game.examples().filter(|example| example.source != Some(Source::Inner)) {
            self.add_example(game, &example, is_held_out);
        }
    }

    fn add_example(&mut self, game: &TrainingGame, example: &Example, is_held_out: bool) {
        let mut board = Board::new(game.size, self.rule);
        let last = example.moves().count().saturating_sub(1);
        example.moves().take(last).for_each(|mv| board.play(mv));
        let before = code_counts(&board);
        example.moves().skip(last).for_each(|mv| board.play(mv));
        if !is_open(&board) {
            return;
        }
        let now = code_counts(&board);
        let mover = board.side_to_move();
        let target = self.target(game, example, mover);
        let codes = [0, 1].map(|color| mean(&before[color], &now[color]));
        let tempo_index = tempo_index(&board);
        self.evaluations.push(EvalCase { mover, codes, tempo_index, target }, is_held_out);
        if let Some(case) = example.mv.and_then(|mv| order_case(&board, mv)) {
            self.orders.push(case, is_held_out);
        }
    }

    /// Returns what the side to move is expected to score. Beside the game's path its result says
    /// nothing.
    fn target(&self, game: &TrainingGame, example: &Example, mover: Color) -> f64 {
        let score = match example.score.kind() {
            ScoreKind::Win(_) => 1.0,
            ScoreKind::Loss(_) => 0.0,
            ScoreKind::Eval(value) => sigmoid(f64::from(value) / f64::from(EVAL_SCALE)),
        };
        let outcome = match (example.source, game.outcome) {
            (None, Outcome::Won(winner)) => f64::from(u8::from(mover == winner)),
            (None, Outcome::Drawn) => 0.5,
            (Some(_), _) => score,
        };
        self.outcome_weight * outcome + (1.0 - self.outcome_weight) * score
    }
}

/// Returns the case of the move that was chosen, if it is a candidate.
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

/// Returns for both colours the number of empty cells of each code.
fn code_counts(board: &Board) -> [Vec<u16>; 2] {
    let mut counts = [vec![0; CODES], vec![0; CODES]];
    for c in board.empty_cells() {
        for color in Color::ALL {
            counts[color][board.threats(c).code(color) as usize] += 1;
        }
    }
    counts
}

/// Returns the means of the counts of two positions, where they are not 0.
fn mean(before: &[u16], now: &[u16]) -> Vec<(Code, f32)> {
    let pairs = before.iter().zip(now).enumerate();
    pairs
        .filter(|(_, (a, b))| **a > 0 || **b > 0)
        .map(|(code, (&a, &b))| (code as Code, (f32::from(a) + f32::from(b)) / 2.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::notation::parse_points;
    use tengen::record::training::{Label, Sample};
    use tengen::types::{BoardSize, Bound, Score};

    fn game(moves: &str, outcome: Outcome, scores: &[Score]) -> TrainingGame {
        let size = BoardSize::new(15, 15).unwrap();
        let moves = parse_points(moves, size).unwrap();
        let label = |&score: &Score| Label { score, depth: 5, others: Vec::new() };
        TrainingGame {
            number: 0,
            rule: Rule::Freestyle,
            size,
            opening: moves.len() - scores.len(),
            outcome,
            moves,
            labels: scores.iter().map(label).collect(),
            samples: Vec::new(),
        }
    }

    fn cases(game: &TrainingGame, rule: Rule) -> GameCases {
        let mut cases = GameCases::new(rule, 0.5);
        cases.add(game, false);
        cases
    }

    #[test]
    fn a_target_mixes_result_and_score() {
        // White answers black's first search, and wins.
        let scores = [Score::DRAW, Score::win_in(3)];
        let cases = cases(&game("h8i9h9", Outcome::Won(Color::White), &scores), Rule::Freestyle);
        let targets = cases.evaluations.training.iter().map(|case| (case.mover, case.target));
        let wanted = [(Color::White, 0.5 + 0.5 * 0.5), (Color::Black, 0.5)];
        assert!(targets.eq(wanted));
        let mut drawn = game("h8i9", Outcome::Drawn, &[Score::loss_in(4)]);
        let alone = self::cases(&drawn, Rule::Freestyle);
        assert_eq!(alone.evaluations.training[0].target, 0.25);
        // Beside the path of a game there is no result, and inner nodes are left out.
        let line = parse_points("j9", drawn.size).unwrap();
        let side = Sample {
            ply: 2,
            line,
            source: Source::Side,
            mv: None,
            score: Score::eval(200),
            bound: Bound::Exact,
            depth: 4,
        };
        drawn.samples = vec![Sample { source: Source::Inner, ..side.clone() }, side];
        let beside = self::cases(&drawn, Rule::Freestyle).evaluations.training;
        assert_eq!(beside.len(), 2);
        assert!((beside[1].target - sigmoid(1.0)).abs() < 1e-12);
    }

    #[test]
    fn counts_are_the_mean_of_two_positions() {
        let cases = cases(&game("h8i9h9", Outcome::Drawn, &[Score::DRAW; 2]), Rule::Freestyle);
        let total = |case: &EvalCase| case.codes[0].iter().map(|(_, n)| n).sum::<f32>();
        // 225 and 224 empty cells, then 224 and 223.
        let totals: Vec<f32> = cases.evaluations.training.iter().map(total).collect();
        assert_eq!(totals, [224.5, 223.5]);
    }

    #[test]
    fn forced_and_decided_positions_are_left_out() {
        // Black makes a four; white stops it; black makes an open four.
        let scores = [Score::win_in(5), Score::loss_in(4), Score::win_in(3)];
        let game = game("h8a1h9a2h10a3h11h12i8", Outcome::Won(Color::Black), &scores);
        let cases = cases(&game, Rule::Freestyle);
        assert_eq!(cases.evaluations.len(), 0);
        assert!(cases.orders.is_empty());
    }

    #[test]
    fn the_chosen_move_is_found_among_the_candidates() {
        let cases = cases(&game("h8i9h9a15", Outcome::Drawn, &[Score::eval(5); 2]), Rule::Renju);
        // The corner is no candidate.
        assert_eq!((cases.orders.len(), cases.evaluations.len()), (1, 2));
        let OrderCase { mover, candidates, chosen } = &cases.orders.training[0];
        assert_eq!((*mover, candidates[*chosen].near), (Color::Black, [0, 0]));
    }
}
