//! Analysis of the position shown, hints, and the review of the game.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tengen_gomoku::board::Board;
use tengen_gomoku::record::tree::{GameTree, NodeId};
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::Coord;

use crate::game::Game;
use crate::json::reviewed_game;
use crate::review::annotation::annotate;
use crate::review::{Finding, Line, Review};

use super::engines::{EngineQuery, PendingTask, Role, Task, TaskKind};
use super::thinking::{Thinking, Thought};
use super::{Session, message};

const PROGRAM: usize = 0;
/// So many positions without a value, and none with one, end a review.
const UNEVALUATED_MAX: usize = 3;
const HINT: Duration = Duration::from_secs(3);

#[derive(Default)]
pub(super) struct Analysis {
    pub(super) is_on: bool,
    pub(super) lines: usize,
    pub(super) excluded: Vec<Coord>,
    pub(super) hinting: bool,
    pub(super) hint: Option<Coord>,
    /// The number of the last request of a page.
    pub(super) request: u64,
    /// The analysis that came to its end by itself.
    pub(super) finished: Option<PendingTask>,
}

impl Analysis {
    pub(super) fn task(&self, id: u64) -> PendingTask {
        PendingTask::Analysis(id, self.request)
    }
}

impl Session {
    pub(super) fn position(&self) -> EngineQuery {
        EngineQuery::of(&self.game.record_shown(), self.game.rule())
    }

    pub(super) fn proceed_with_analysis(&mut self) {
        let Analysis { is_on, hinting, .. } = self.analysis;
        let is_wanted = (is_on || hinting) && self.game.end().is_none();
        let wanted = is_wanted.then_some(self.analysis.task(self.id));
        let pending = self.pending(Role::Analyst);
        if wanted == pending || wanted.is_some() && wanted == self.analysis.finished {
            return;
        }
        self.analysis.finished = None;
        if wanted.is_none() {
            return self.cancel(Role::Analyst);
        }
        let kind = TaskKind::Analyse {
            lines: if is_on { self.analysis.lines } else { 1 },
            excluded: if is_on { self.analysis.excluded.clone() } else { Vec::new() },
            time: (!is_on).then(|| self.settings.turn().min(HINT)),
        };
        let task = Task { position: self.position(), kind, resources: self.resources() };
        self.give(Role::Analyst, PROGRAM, task, wanted);
    }

    pub(super) fn take_thought(&mut self, role: Role, task: PendingTask, thinking: &Thinking) {
        let name = &self.programs[self.slots[&role].program].name;
        let thought = |id| Some(Thought::new(thinking, id, self.game.to_move(), name));
        match (task, role) {
            (PendingTask::Move(id), Role::Player(player)) => {
                self.thoughts.players[self.game.color(player)] = thought(id);
            }
            (PendingTask::Analysis(id, _), _) if self.analysis.is_on => {
                self.thoughts.analysis = thought(id);
            }
            (PendingTask::Review(_), _) => self.review.thinking = Some(thinking.clone()),
            _ => {}
        }
    }

    /// Takes the end of an analysis in: nothing more can be found, or a hint's time is over.
    pub(super) fn finish_analysis(&mut self, task: PendingTask, points: &[Coord]) {
        let analysis = &mut self.analysis;
        if analysis.hinting {
            analysis.hint = points.first().copied();
        }
        analysis.hinting = false;
        // Asked once more it would find the same, or search as long again.
        analysis.finished = analysis.is_on.then_some(task);
    }

    pub(super) fn proceed_with_review(&mut self) {
        while let (Some(time), Some(node)) = (self.review.time, self.review.next()) {
            let pending = PendingTask::Review(node);
            if self.pending(Role::Reviewer) == Some(pending) {
                return;
            }
            let record = self.game.tree().record(node);
            if let Some((ending, _)) = record.ending(self.game.rule()) {
                self.review.add(node, Finding::Over(ending));
                continue;
            }
            self.review.thinking = None;
            let position = EngineQuery::of(&record, self.game.rule());
            let kind = TaskKind::Analyse { lines: 1, excluded: Vec::new(), time: Some(time) };
            let task = Task { position, kind, resources: self.resources() };
            return self.give(Role::Reviewer, PROGRAM, task, Some(pending));
        }
        self.review.time = None;
        self.dismiss(Role::Reviewer);
    }

    pub(super) fn finish_reviewed_position(&mut self, node: NodeId) {
        let thinking = self.review.thinking.take();
        let best = thinking.as_ref().and_then(|thinking| thinking.lines.first());
        let Some((best, value)) = best.and_then(|line| Some((line, line.value?))) else {
            self.review.unevaluated.insert(node);
            if self.review.unevaluated() >= UNEVALUATED_MAX {
                self.note_of(PROGRAM, message("no_evaluation"), true);
                self.review.time = None;
            }
            return;
        };
        let board = self.game.tree().record(node).board(self.game.rule());
        let others_lose = only_move(&board) == Some(best.moves[0]);
        let depth = i32::try_from(best.depth).unwrap_or(i32::MAX);
        let lines = vec![Line { moves: best.moves.clone(), value, depth }];
        self.review.add(node, Finding::Evaluated { lines, others_lose });
    }
}

/// The review of a game in play, finished or not: of its tree, and of the line in play first. The
/// last position is looked at first, since its finding helps with earlier ones.
pub(super) struct Scan {
    review: Review,
    /// Positions about which the engine said nothing, as some do about an empty board.
    pub unevaluated: BTreeSet<NodeId>,
    /// The time for each position while the review goes on.
    pub time: Option<Duration>,
    /// What is known so far of the position that is searched.
    thinking: Option<Thinking>,
}

impl Scan {
    pub fn new(game: &Game) -> Scan {
        let review = Review::new(Arc::new(game.tree().clone()), game.positions(), game.rule());
        Scan { review, unevaluated: BTreeSet::new(), time: None, thinking: None }
    }

    /// Takes the tree and the line of the game as they are now, of which nodes keep their findings.
    pub fn fit(&mut self, game: &Game) {
        // To compare two trees takes less time than to copy one.
        if *self.review.tree != *game.tree() {
            self.review.tree = Arc::new(game.tree().clone());
        }
        self.review.main_line = game.positions();
    }

    pub fn next(&self) -> Option<NodeId> {
        self.review.main_line.iter().copied().rev().find(|&node| !self.is_done(node))
    }

    fn is_done(&self, node: NodeId) -> bool {
        self.unevaluated.contains(&node) || self.review.findings.contains_key(&node)
    }

    /// Returns the number of finished positions of the line.
    pub fn done(&self) -> usize {
        self.review.main_line.iter().filter(|&&node| self.is_done(node)).count()
    }

    /// Returns the number of positions without a finding, if there is no other.
    pub fn unevaluated(&self) -> usize {
        // The end of the game is no finding.
        let line = &self.review.main_line;
        let is_found = line.iter().any(|&node| self.review.best_line(node).is_some());
        let count = line.iter().filter(|node| self.unevaluated.contains(node)).count();
        if is_found { 0 } else { count }
    }

    /// Begins again with the positions without a finding, or if there are none, with all.
    pub fn resume(&mut self) {
        if self.next().is_none() {
            self.unevaluated.clear();
        }
        if self.next().is_none() {
            self.review.findings.clear();
        }
    }

    pub fn add(&mut self, node: NodeId, finding: Finding) {
        self.unevaluated.remove(&node);
        self.review.add(node, finding);
    }

    pub fn json(&self, game: &Game) -> Json {
        let mut review = reviewed_game(&self.review, game.line());
        review["running"] = self.time.is_some().into();
        review["done"] = self.done().into();
        review["total"] = self.review.main_line.len().into();
        review
    }

    /// Returns the game's tree, which may have other properties, with the review. The summary is of
    /// the tree's main line, and the outcome the tree's own.
    pub fn annotated(&self, tree: GameTree) -> GameTree {
        let (outcome, mut review) = (tree.outcome, self.review.clone());
        review.main_line = tree.main_line().collect();
        let mut tree = annotate(&review, tree);
        tree.outcome = outcome;
        tree
    }
}

/// Returns the only answer to a four or an open three, if there is just one.
pub fn only_move(board: &Board) -> Option<Coord> {
    let (us, them) = (board.side_to_move(), !board.side_to_move());
    if board.count(us, Threat::Five) > 0 {
        return None;
    }
    let answers = if board.count(them, Threat::Five) > 0 {
        board.common_refutations(them, Threat::Five)
    } else if board.count(them, Threat::OpenFour) > 0 {
        board.common_refutations(them, Threat::OpenFour) | board.four_cells(us)
    } else {
        return None;
    };
    let answers = board.legal_cells(answers, us);
    answers.first().filter(|_| answers.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::Opening;
    use crate::review::Value;
    use crate::review::verdict::{Severity, Verdict};
    use std::time::Duration;
    use tengen_gomoku::record::Ending;
    use tengen_gomoku::types::{BoardSize, Color, Rule};

    const ELSEWHERE: Coord = Coord::new(9, 9);

    fn game(count: u8) -> Game {
        let mut game = Game::new(BoardSize::new(15, 15).unwrap(), Rule::Freestyle, Opening::Free);
        (0..count).for_each(|x| game.place(Coord::new(x, 0), Duration::ZERO).unwrap());
        game
    }

    fn scan(count: u8) -> Scan {
        Scan::new(&game(count))
    }

    fn add(scan: &mut Scan, after: usize, finding: Finding) {
        scan.add(scan.review.main_line[after], finding);
    }

    fn next(scan: &Scan) -> Option<usize> {
        let next = scan.next()?;
        scan.review.main_line.iter().position(|&node| node == next)
    }

    fn found(value: Value, best: Coord, others_lose: bool) -> Finding {
        let lines = vec![Line { moves: vec![best], value, depth: 5 }];
        Finding::Evaluated { lines, others_lose }
    }

    fn estimate(win_rate: f64) -> Finding {
        found(Value::Estimate { win_rate, score: None }, ELSEWHERE, false)
    }

    fn at(scan: &Scan, after: usize) -> Option<(&Review, NodeId)> {
        Some((&scan.review, *scan.review.main_line.get(after)?))
    }

    fn black_win_rate(scan: &Scan, after: usize) -> Option<f64> {
        let (review, node) = at(scan, after)?;
        Some(review.findings.get(&node)?.win_rate(Color::Black))
    }

    fn proof(scan: &Scan, after: usize) -> Option<String> {
        let (review, node) = at(scan, after)?;
        let (line, to_move) = review.best_line(node)?;
        line.value.proof(to_move)
    }

    fn verdict(scan: &Scan, after: usize) -> Option<Verdict> {
        let (review, node) = at(scan, after)?;
        review.verdict(node)
    }

    #[test]
    fn positions_are_looked_at_from_the_end() {
        let mut scan = scan(2);
        assert_eq!((next(&scan), scan.done()), (Some(2), 0));
        add(&mut scan, 2, estimate(0.5));
        assert_eq!((next(&scan), scan.done()), (Some(1), 1));
        [1, 0].into_iter().for_each(|after| add(&mut scan, after, estimate(0.5)));
        assert_eq!(next(&scan), None);
    }

    #[test]
    fn positions_without_a_value_leave_a_gap_and_are_tried_again() {
        let mut scan = scan(2);
        for after in [2, 1] {
            scan.unevaluated.insert(scan.review.main_line[after]);
        }
        assert_eq!((next(&scan), scan.done(), scan.unevaluated()), (Some(0), 2, 2));
        add(&mut scan, 2, Finding::Over(Ending::Full));
        assert_eq!(scan.unevaluated(), 1);
        add(&mut scan, 0, estimate(0.5));
        assert_eq!((next(&scan), scan.unevaluated()), (None, 0));
        scan.resume();
        assert_eq!((next(&scan), scan.done()), (Some(1), 2));
        add(&mut scan, 1, estimate(0.5));
        assert_eq!(next(&scan), None);
        scan.resume();
        assert_eq!((next(&scan), scan.done()), (Some(2), 0));
        assert_eq!(black_win_rate(&scan, 1), None);
    }

    #[test]
    fn what_two_games_share_stays() {
        let mut scan = scan(4);
        (0..=4).for_each(|after| add(&mut scan, after, estimate(0.5)));
        let mut game = game(4);
        game.show(2);
        game.place(ELSEWHERE, Duration::ZERO).unwrap();
        game.place(Coord::new(3, 0), Duration::ZERO).unwrap();
        scan.fit(&game);
        assert_eq!(scan.done(), 3);
        assert!(black_win_rate(&scan, 2).is_some() && black_win_rate(&scan, 3).is_none());
        // The other line is still known.
        game.go_to(game.tree().end());
        scan.fit(&game);
        assert_eq!(scan.done(), 5);
    }

    #[test]
    fn mistakes_are_seen_from_their_own_side() {
        let mut scan = scan(3);
        // Black's rates are 80, 65, 90 and 50 %.
        for (after, rate) in [0.8, 0.35, 0.9, 0.5].into_iter().enumerate() {
            add(&mut scan, after, estimate(rate));
        }
        let severity = |after| verdict(&scan, after).and_then(|verdict| verdict.severity);
        let expected =
            [None, Some(Severity::Inaccuracy), Some(Severity::Mistake), Some(Severity::Blunder)];
        assert_eq!([0, 1, 2, 3].map(severity), expected);
        let rates = [0, 1, 2, 3, 4].map(|after| black_win_rate(&scan, after));
        assert_eq!(rates, [Some(0.8), Some(0.65), Some(0.9), Some(0.5), None]);
        // The best move is not bad, whatever the numbers say.
        let value = Value::Estimate { win_rate: 0.35, score: None };
        add(&mut scan, 1, found(value, Coord::new(1, 0), false));
        let verdict = verdict(&scan, 2).unwrap();
        assert_eq!((verdict.severity, verdict.is_best, verdict.is_bad()), (None, true, false));
    }

    #[test]
    fn proofs_reach_back_as_far_as_the_loser_had_no_choice() {
        // Black wins after the last move.
        let proven = |only: [bool; 4]| {
            let mut scan = scan(5);
            add(&mut scan, 5, found(Value::Loss(2), ELSEWHERE, false));
            for (after, only) in
                [false, only[1], false, only[3], false].into_iter().enumerate().rev()
            {
                let best = if only { Coord::new(after as u8, 0) } else { ELSEWHERE };
                let value = Value::Estimate { win_rate: 0.5, score: None };
                add(&mut scan, after, found(value, best, only));
            }
            [0, 1, 2, 3, 4].map(|after| proof(&scan, after).is_some())
        };
        assert_eq!(proven([false; 4]), [false, false, false, false, true]);
        assert_eq!(proven([false, false, false, true]), [false, false, true, true, true]);
        assert_eq!(proven([true; 4]), [true; 5]);
    }

    #[test]
    fn missed_and_allowed_wins_and_fouls_are_marked() {
        let mut scan = scan(3);
        add(&mut scan, 0, estimate(0.5));
        add(&mut scan, 1, found(Value::Win(5), ELSEWHERE, false));
        add(&mut scan, 2, estimate(0.6));
        add(&mut scan, 3, Finding::Over(Ending::Foul(Coord::new(2, 0))));
        let [allowed, missed, foul] = [1, 2, 3].map(|after| verdict(&scan, after).unwrap());
        assert!(allowed.is_allowed_win && !allowed.is_missed_win && !allowed.is_foul);
        assert!(missed.is_missed_win && !missed.is_allowed_win && !missed.is_foul);
        assert!(foul.is_foul && !foul.is_missed_win);
        // The rates alone would call two of them less.
        assert!(
            [allowed, missed, foul]
                .iter()
                .all(|verdict| { verdict.marked_severity() >= Some(Severity::Mistake) })
        );
        assert_eq!(proof(&scan, 1).as_deref(), Some("white wins in 3 moves"));
    }

    #[test]
    fn a_four_has_one_answer() {
        let only = |moves| only_move(&Board::after(15, Rule::Freestyle, moves));
        // White closes one end.
        assert_eq!(only("h8g8i8a1j8a3k8"), Some(Coord::new(11, 7)));
        assert_eq!(only("h8a1i8a3j8a5k8"), None);
        assert_eq!(only("h8a1i8a3"), None);
        // White has a five.
        assert_eq!(only("h8g8i8a1j8b1o1c1k1d1k8"), None);
    }

    /// The game as a file.
    mod file {
        use super::*;
        use tengen_gomoku::record::{Format, parse};

        fn game(text: &str) -> Game {
            let games = parse(text, BoardSize::new(15, 15).unwrap());
            Game::first_of(games, Rule::Freestyle, None).unwrap().0
        }

        /// Returns the review of a game; `rates` are black's win rates, one for each position.
        fn reviewed(game: &Game, rates: &[f64]) -> Scan {
            let mut review = Scan::new(game);
            for (&node, &black) in game.line().iter().zip(rates) {
                let is_black = game.tree().record(node).to_move() == Color::Black;
                let win_rate = if is_black { black } else { 1.0 - black };
                let value = Value::Estimate { win_rate, score: None };
                let moves = vec![Coord::new(0, 0), Coord::new(1, 0)];
                let lines = vec![Line { moves, value, depth: 3 }];
                review.add(node, Finding::Evaluated { lines, others_lose: false });
            }
            review
        }

        fn write(game: &Game, review: &Scan, format: Format) -> Option<String> {
            let bytes = format.write(&review.annotated(game.tree().clone())).ok()?;
            Some(String::from_utf8(bytes).unwrap())
        }

        #[test]
        fn notes_do_not_change_the_game() {
            let game = game(r"(;SZ[15]PB[a;[\]\\]PW[(b)];B[hh];W[ii];B[hj];W[jk])");
            let review = reviewed(&game, &[0.5, 0.28, 0.35, 0.9, 0.1]);
            let text = write(&game, &review, Format::Sgf).unwrap();
            let again = self::game(&text);
            assert_eq!(again.record().to_pos(), game.record().to_pos());
            assert_eq!(again.tree().players, [r"a;[]\", "(b)"]);
            assert_eq!(text.matches("BM[1]").count(), 1, "{text}");
            let better = ";B[aa]C[Tengen: better: a1 is best for black, win rate 50 %.]\n;W[ba])";
            assert!(text.contains(better), "{text}");
            let words =
                "Tengen: a mistake; a1 was best. Win rate of black: 50 % before, 28 % after.";
            assert!(text.contains(words), "{text}");
            // The result is that of the tree, which may go on.
            let finished = self::game("(;SZ[15]RE[B+];B[hh];W[ii])");
            let review = reviewed(&finished, &[0.5, 0.5, 0.5]);
            let mut tree = finished.tree().clone();
            tree.outcome = None;
            assert_eq!(review.annotated(tree).outcome, None);
        }

        #[test]
        fn passes_and_the_moves_after_them_are_judged() {
            let game = game("(;SZ[15];B[hh];W[];B[hi])");
            let mut scan = Scan::new(&game);
            (0..4).for_each(|after| add(&mut scan, after, estimate(0.5)));
            let played = |after| verdict(&scan, after).map(|verdict| verdict.played);
            assert_eq!([2, 3].map(played), [Some(None), Some(Some(Coord::new(7, 8)))]);
            // Pages show the positions after stones.
            let json = scan.json(&game);
            assert_eq!((&json["done"], &json["total"]), (&4.into(), &4.into()));
            assert_eq!(json["positions"].as_array().map(Vec::len), Some(3));
        }

        #[test]
        fn a_game_without_review_is_plain() {
            let game = game("h8i9h10");
            let text = write(&game, &reviewed(&game, &[]), Format::Sgf).unwrap();
            let plain = game.tree_for_file(Default::default()).to_sgf().replace('\n', "");
            assert_eq!(text.split_whitespace().collect::<String>(), plain);
            assert_eq!(write(&game, &reviewed(&game, &[]), Format::Moves).unwrap(), "h8i9h10\n");
            assert!(
                write(&game, &reviewed(&game, &[]), Format::Psq).unwrap().starts_with("Piskvorky")
            );
        }

        #[test]
        fn games_out_of_turn_have_no_psq() {
            let game = game("(;GM[4]SZ[15]AB[aa][bb]PL[W])");
            let write = |format| write(&game, &reviewed(&game, &[]), format);
            assert_eq!((write(Format::Psq), write(Format::Moves)), (None, None));
            assert!(write(Format::Sgf).unwrap().contains("AB[aa][bb]"));
        }
    }
}
