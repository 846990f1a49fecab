//! The review of a game: what its moves were worth beside the best ones, by what was found about
//! the positions before and after them.
//!
//! A proof reaches along the game: back as far as the loser had no choice, and on after a proven
//! loss. Pure: takes findings and runs no search. `annotation` writes a review into the game's tree,
//! `page` makes a page for a browser of it.

pub(super) mod annotation;
pub(super) mod page;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::iter::successors;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::finding::Finding;
use super::game::Game;
use super::output::share;
use super::verdict::{Severity, Verdict};
use tengen::record::Ending;
use tengen::record::tree::{NodeId, Step};
use tengen::search::{Report, Variation};
use tengen::types::{Color, Coord, Score, ScoreKind};

/// A game and what was found about its positions.
pub(super) struct Review {
    game: Arc<Game>,
    analysed: BTreeMap<NodeId, Analysed>,
}

/// A position that was analysed: what was found, and who moves there.
struct Analysed {
    finding: Finding,
    to_move: Color,
    /// True if the win is that of a proven loss before it, and none of its moves is known.
    is_win_without_line: bool,
}

/// What the moves of one side were worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Summary {
    /// The moves that were judged.
    pub moves: usize,
    /// Those that were the best ones.
    pub best: usize,
    /// The bad ones, by [`Severity::ALL`].
    pub bad: [usize; Severity::ALL.len()],
    /// Forced wins that were there and were not kept.
    pub missed_wins: usize,
    /// Moves that gave the opponent a forced win.
    pub allowed_wins: usize,
    /// The sum of what the moves gave away, in games.
    pub given_away: f64,
}

impl Summary {
    fn add(&mut self, verdict: &Verdict) {
        self.moves += 1;
        self.best += usize::from(verdict.is_best);
        for (severity, count) in Severity::ALL.into_iter().zip(&mut self.bad) {
            *count += usize::from(verdict.severity == Some(severity));
        }
        self.missed_wins += usize::from(verdict.is_missed_win);
        self.allowed_wins += usize::from(verdict.is_allowed_win);
        if !verdict.is_best {
            self.given_away += (verdict.before - verdict.after).max(0.0);
        }
    }

    /// Returns the share of games that a move gave away on average.
    pub fn average_loss(&self) -> f64 {
        if self.moves == 0 { 0.0 } else { self.given_away / self.moves as f64 }
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("moves", &self.moves)?;
        map.serialize_entry("best", &self.best)?;
        for (severity, count) in Severity::ALL.into_iter().zip(self.bad) {
            map.serialize_entry(severity.name(), &count)?;
        }
        map.serialize_entry("missed_wins", &self.missed_wins)?;
        map.serialize_entry("allowed_wins", &self.allowed_wins)?;
        map.serialize_entry("average_loss", &share(self.average_loss()))?;
        map.end()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let count = |number: usize, one: &str, more: &str| match number {
            1 => format!("1 {one}"),
            number => format!("{number} {more}"),
        };
        let [inaccuracies, mistakes, blunders] = self.bad;
        write!(
            f,
            "{}, {} of them best; {}, {}, {}; {} missed, {} allowed; {:.1} % given away a move",
            count(self.moves, "move", "moves"),
            self.best,
            count(inaccuracies, "inaccuracy", "inaccuracies"),
            count(mistakes, "mistake", "mistakes"),
            count(blunders, "blunder", "blunders"),
            count(self.missed_wins, "forced win", "forced wins"),
            self.allowed_wins,
            100.0 * self.average_loss(),
        )
    }
}

/// Returns true if a move to a position of which `after` is known wins as soon, or loses as late,
/// as the best move of a position with this score.
fn is_as_good(before: Score, after: &Finding) -> bool {
    match (before.kind(), after) {
        (ScoreKind::Win(_), Finding::Over(Ending::Five(..) | Ending::NoMove)) => true,
        (ScoreKind::Win(plies), Finding::Best(report)) => {
            matches!(report.score.kind(), ScoreKind::Loss(left) if left < plies)
        }
        (ScoreKind::Loss(plies), Finding::Best(report)) => {
            matches!(report.score.kind(), ScoreKind::Win(left) if left + 1 >= plies)
        }
        _ => false,
    }
}

impl Review {
    /// Returns the review of a game about which nothing was found yet.
    pub fn new(game: Arc<Game>) -> Review {
        Review { game, analysed: BTreeMap::new() }
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// Takes what was found about a position, who moves there included. A proof reaches along the
    /// game: back to the positions before it as far as the loser had no choice, and on to the
    /// positions after it as long as the winner plays its moves.
    pub fn add(&mut self, node: NodeId, to_move: Color, finding: Finding) {
        let analysed = Analysed { finding, to_move, is_win_without_line: false };
        self.analysed.insert(node, analysed);
        self.carry_forward(node);
        let mut node = node;
        while let Some(before) = self.carry_back(node) {
            node = before;
        }
    }

    /// Carries the proof of the position before to that of this node, if that is not decided: that
    /// of a win if its move was played, that of a loss whatever was played.
    fn carry_forward(&mut self, node: NodeId) {
        let Some((before, played)) = self.report_before(node) else { return };
        let score = before.score;
        let rest: Vec<Coord> = match before.pv.split_first() {
            Some((&best, rest)) if best == played => rest.to_vec(),
            _ => Vec::new(),
        };
        let is_line_known = self
            .position_before(node)
            .and_then(|before| self.analysed.get(&before))
            .is_some_and(|before| !before.is_win_without_line);
        let keeps_win = score.is_win() && is_line_known && !rest.is_empty();
        if !keeps_win && !score.is_loss() {
            return;
        }
        let Some(report) = self.undecided(node) else { return };
        report.score = score.after_move();
        report.others.clear();
        if let Some(&next) = rest.first() {
            (report.best, report.pv) = (next, rest);
        } else if let Some(analysed) = self.analysed.get_mut(&node) {
            analysed.is_win_without_line = true;
        }
    }

    /// Carries the proof of a position to the one before, if that is not decided: to a win by the
    /// move that was played, and to a loss where all other moves lose. Returns the node of the
    /// position before if it has changed.
    fn carry_back(&mut self, node: NodeId) -> Option<NodeId> {
        let (before, played) = self.report_before(node)?;
        let has_choice = before.best != played || !before.others_lose;
        let analysed = self.analysed.get(&node)?;
        let (score, rest) = match &analysed.finding {
            Finding::Best(report) => (report.score.before_move(), report.pv.as_slice()),
            Finding::Over(_) if analysed.finding.winner(analysed.to_move)? == analysed.to_move => {
                return None;
            }
            Finding::Over(_) => (Score::win_in(1), [].as_slice()),
        };
        if !score.is_win() && (!score.is_loss() || has_choice) {
            return None;
        }
        let pv = [&[played], rest].concat();
        let before = self.position_before(node)?;
        let report = self.undecided(before)?;
        let proof = Variation { score, pv, depth: report.depth };
        let mut variations: Vec<Variation> =
            report.variations().filter(|variation| variation.pv[0] != played).collect();
        // A loss is that of the last of all moves.
        variations.truncate(report.others.len());
        variations.push(proof);
        variations.sort_by_key(|variation| Reverse(variation.score));
        let mut variations = variations.into_iter();
        let Variation { score, pv, .. } = variations.next()?;
        let others = variations.collect();
        *report = Report { best: pv[0], score, pv, others, ..report.clone() };
        Some(before)
    }

    /// Returns what was found about the position before this node, and the stone that was played
    /// there in turn.
    fn report_before(&self, node: NodeId) -> Option<(&Report, Coord)> {
        let Some(Step::Stone(color, played)) = self.game.tree.step(node) else { return None };
        let before = self.analysed.get(&self.position_before(node)?)?;
        match &before.finding {
            Finding::Best(report) if before.to_move == color => Some((report, played)),
            _ => None,
        }
    }

    /// Returns the report of a position in which no win is proven.
    fn undecided(&mut self, node: NodeId) -> Option<&mut Report> {
        match &mut self.analysed.get_mut(&node)?.finding {
            Finding::Best(report) if !report.score.is_decisive() => Some(report),
            _ => None,
        }
    }

    /// Returns true if a proof of a later position may still prove a loss here.
    pub fn may_turn_out_lost(&self, node: NodeId) -> bool {
        matches!(self.finding(node), Some(Finding::Best(report))
            if report.others_lose && !report.score.is_decisive())
    }

    /// Returns what was found about a position.
    pub fn finding(&self, node: NodeId) -> Option<&Finding> {
        Some(&self.analysed.get(&node)?.finding)
    }

    /// Returns what the move was worth that led to this node, if both positions were looked at.
    pub fn verdict(&self, node: NodeId) -> Option<Verdict> {
        let (color, played) = match self.game.tree.step(node)? {
            Step::Stone(color, c) => (color, Some(c)),
            Step::Pass(color) => (color, None),
        };
        let before = self.analysed.get(&self.position_before(node)?)?;
        let after = self.analysed.get(&node)?;
        let Finding::Best(report) = &before.finding else { return None };
        // Stones may be out of turn.
        if before.to_move != color {
            return None;
        }
        let rate = |analysed: &Analysed| {
            analysed.finding.win_rate(self.game.rule, color, analysed.to_move)
        };
        let winner = |analysed: &Analysed| analysed.finding.winner(analysed.to_move);
        let best = report.pv[0];
        let is_best = played == Some(best) || is_as_good(report.score, &after.finding);
        let (winner_before, winner_after) = (winner(before), winner(after));
        let is_over = matches!(after.finding, Finding::Over(_));
        let gives = |from: bool, to: bool| !is_best && from && !to;
        Some(Verdict {
            color,
            played,
            best,
            before: rate(before),
            after: rate(after),
            severity: Severity::of_move(rate(before), rate(after)).filter(|_| !is_best),
            is_missed_win: gives(winner_before == Some(color), winner_after == Some(color)),
            is_allowed_win: gives(winner_before != Some(!color), winner_after != Some(!color))
                && !is_over,
            is_foul: matches!(after.finding, Finding::Over(Ending::Foul(_))),
            is_best,
        })
    }

    /// Returns what the moves of the main line were worth, black's first.
    pub fn summaries(&self) -> [Summary; 2] {
        let mut summaries = [Summary::default(), Summary::default()];
        for verdict in self.game.main_line.iter().filter_map(|&node| self.verdict(node)) {
            summaries[verdict.color].add(&verdict);
        }
        summaries
    }

    /// Returns the node of the position in which a move was chosen.
    fn position_before(&self, node: NodeId) -> Option<NodeId> {
        let tree = &self.game.tree;
        successors(tree.parent(node), |&node| tree.parent(node))
            .find(|&node| self.game.is_position(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::notation::parse_points;
    use tengen::record::parse_trees;
    use tengen::types::{BoardSize, Rule};

    /// What a search found: its score, the moves of its line, and whether all other moves lose.
    type Found = (Score, &'static str, bool);

    const LEVEL: Score = Score::DRAW;

    /// Returns the scores and the best moves in the review of a game, of whose positions this was
    /// found, in order.
    fn reviewed(moves: &str, found: &[Found]) -> Vec<(Score, String)> {
        let size = BoardSize::new(15, 15).expect("a valid size");
        let tree = parse_trees(moves, size).remove(0).tree;
        let main_line: Vec<NodeId> = tree.main_line().collect();
        let (source, rule) = (moves.to_owned(), Rule::Freestyle);
        let game = Game { source, line: 1, tree, main_line: main_line.clone(), rule };
        let mut review = Review::new(Arc::new(game));
        for (&node, &(score, line, others_lose)) in main_line.iter().zip(found) {
            let pv = parse_points(line, size).expect("a line");
            let report = Report { score, pv: pv.clone(), others_lose, ..Report::unsearched(pv[0]) };
            let to_move = review.game.tree.record(node).to_move();
            review.add(node, to_move, Finding::Best(report));
        }
        let of = |node: &NodeId| match review.finding(*node) {
            Some(Finding::Best(report)) => {
                assert_eq!(report.best, report.pv[0]);
                (report.score, report.best.to_string())
            }
            _ => panic!("nothing was found"),
        };
        main_line.iter().zip(found).map(|(node, _)| of(node)).collect()
    }

    fn scores(found: &[Found]) -> Vec<Score> {
        reviewed("h8h9i8", found).into_iter().map(|(score, _)| score).collect()
    }

    #[test]
    fn a_proof_reaches_back_to_the_winners_move() {
        let win = Score::win_in(9);
        let found = [(LEVEL, "a1", false), (LEVEL, "a2", false), (win, "i8j8", false)];
        assert_eq!(scores(&found), [LEVEL, LEVEL, win]);
        // Black has moved to a position that white loses, with a move that was not the best one.
        let lost = (Score::loss_in(8), "h9i8", false);
        let found = [(LEVEL, "a1", false), lost];
        assert_eq!(reviewed("h8h9", &found)[0], (Score::win_in(9), "h8".to_owned()));
    }

    #[test]
    fn a_proof_passes_the_losers_move_where_there_was_no_other() {
        let win = Score::win_in(9);
        let before = |line, others_lose| {
            let found = [(LEVEL, "a1", false), (LEVEL, line, others_lose), (win, "i8j8", false)];
            scores(&found)
        };
        let proven = [Score::win_in(11), Score::loss_in(10), win];
        assert_eq!(before("h9i8", true), proven);
        assert_eq!(before("h9i8", false), [LEVEL, LEVEL, win]);
        // The move that was played is not the one that is left.
        assert_eq!(before("a2", true), [LEVEL, LEVEL, win]);
    }

    #[test]
    fn a_proof_goes_on_along_its_line() {
        let found = |played: &'static str| {
            [(Score::win_in(9), played, false), (LEVEL, "a1", false), (LEVEL, "a2", false)]
        };
        let expected = [Score::win_in(9), Score::loss_in(8), Score::win_in(7)];
        assert_eq!(scores(&found("h8h9i8j8k8")), expected);
        // Whatever the loser plays; but the winner's moves after that are not known.
        assert_eq!(scores(&found("h8i9i8j8k8")), expected);
        let mut longer = found("h8i9i8j8k8").to_vec();
        longer[2].1 = "i8";
        longer.push((LEVEL, "a3", false));
        let found_after = reviewed("h8h9i8", &longer);
        assert_eq!(found_after[2..], [(expected[2], "i8".into()), (LEVEL, "a3".into())]);
        assert_eq!(scores(&found("i8h9i8j8k8")), [Score::win_in(9), LEVEL, LEVEL]);
        // What a search has proven itself stays.
        let mut found = found("h8h9i8j8k8");
        found[1].0 = Score::loss_in(4);
        assert_eq!(scores(&found)[..2], [Score::win_in(9), Score::loss_in(4)]);
    }
}
