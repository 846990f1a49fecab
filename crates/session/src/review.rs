//! The review of a game: the value of its moves beside the best ones, from findings about the
//! positions before and after them.
//!
//! A proof extends along the game: back as far as the loser had no choice, and on after a proven
//! loss. [`annotation`] writes the review into the game's tree.

pub mod annotation;
pub mod verdict;

use std::collections::BTreeMap;
use std::fmt;
use std::iter::successors;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use tengen_gomoku::record::tree::{GameTree, NodeId, Step};
use tengen_gomoku::record::{Ending, Outcome};
use tengen_gomoku::types::{Color, Coord, Rule};

use verdict::{Severity, Verdict};

pub(crate) fn share(share: f64) -> Box<RawValue> {
    RawValue::from_string(format!("{share:.4}")).expect("invariant: a share is a number")
}

fn as_share<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    share(*value).serialize(serializer)
}

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Estimate { win_rate: f64, score: Option<i32> },
    // The side to move wins after so many plies; 0 if unknown.
    Win(i32),
    // The opponent wins after so many plies; 0 if unknown.
    Loss(i32),
}

impl Value {
    pub fn win_rate(self) -> f64 {
        match self {
            Value::Estimate { win_rate, .. } => win_rate,
            Value::Win(_) => 1.0,
            Value::Loss(_) => 0.0,
        }
    }

    /// Returns the proven winner, such as `black wins in 3 moves`; `None` for an estimate.
    pub fn proof(self, to_move: Color) -> Option<String> {
        let (winner, plies) = match self {
            Value::Estimate { .. } => return None,
            Value::Win(plies) => (to_move, plies),
            Value::Loss(plies) => (!to_move, plies),
        };
        Some(match (plies + 1) / 2 {
            0 => format!("{winner} wins"),
            1 => format!("{winner} wins in 1 move"),
            moves => format!("{winner} wins in {moves} moves"),
        })
    }

    fn is_estimate(self) -> bool {
        matches!(self, Value::Estimate { .. })
    }

    /// Returns the value before a move to a proven position.
    fn before_move(self) -> Option<Value> {
        let before = |plies| if plies == 0 { 0 } else { plies + 1 };
        match self {
            Value::Estimate { .. } => None,
            Value::Win(plies) => Some(Value::Loss(before(plies))),
            Value::Loss(plies) => Some(Value::Win(before(plies))),
        }
    }

    /// Orders values; larger is better.
    fn rank(self) -> f64 {
        const PROVEN: f64 = 10_000.0;
        match self {
            Value::Estimate { win_rate, .. } => win_rate,
            Value::Win(plies) => PROVEN - f64::from(plies),
            Value::Loss(plies) => f64::from(plies) - PROVEN,
        }
    }
}

/// Returns a share in percent; only proofs are 0 or 100.
pub fn percent(share: f64) -> String {
    let percent = (100.0 * share).round();
    let percent = if share > 0.0 && share < 1.0 { percent.clamp(1.0, 99.0) } else { percent };
    format!("{percent} %")
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// At least one.
    pub moves: Vec<Coord>,
    pub value: Value,
    pub depth: i32,
}

impl Line {
    pub fn words(&self, to_move: Color) -> String {
        let best = self.moves[0];
        match self.value.proof(to_move) {
            Some(proof) => format!("{best} is best for {to_move}; {proof}."),
            None => {
                let rate = percent(self.value.win_rate());
                format!("{best} is best for {to_move}, win rate {rate}.")
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    // At least one line, the best first, and true if every other move is known to lose.
    Evaluated { lines: Vec<Line>, others_lose: bool },
    Over(Ending),
}

impl Finding {
    pub fn best(&self) -> Option<&Line> {
        match self {
            Finding::Evaluated { lines, .. } => Some(&lines[0]),
            Finding::Over(_) => None,
        }
    }

    fn value(&self, to_move: Color) -> Value {
        match self {
            Finding::Evaluated { lines, .. } => lines[0].value,
            Finding::Over(ending) => match ending.outcome() {
                Outcome::Won(winner) if winner == to_move => Value::Win(0),
                Outcome::Won(_) => Value::Loss(0),
                Outcome::Drawn => Value::Estimate { win_rate: 0.5, score: None },
            },
        }
    }
}

#[derive(Clone, Debug)]
pub struct Review {
    pub tree: Arc<GameTree>,
    pub main_line: Vec<NodeId>,
    pub rule: Rule,
    pub(crate) findings: BTreeMap<NodeId, Known>,
}

#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub finding: Finding,
    pub to_move: Color,
    /// True if the win follows from a proven loss before it, and its moves are unknown.
    is_win_without_line: bool,
}

impl Known {
    /// Returns the expected share of games won by `color`.
    pub fn win_rate(&self, color: Color) -> f64 {
        let rate = self.finding.value(self.to_move).win_rate();
        if color == self.to_move { rate } else { 1.0 - rate }
    }

    fn winner(&self) -> Option<Color> {
        match self.finding.value(self.to_move) {
            Value::Win(_) => Some(self.to_move),
            Value::Loss(_) => Some(!self.to_move),
            Value::Estimate { .. } => None,
        }
    }
}

/// What the moves of one side were worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    pub moves: usize,
    pub best: usize,
    inaccuracy: usize,
    mistake: usize,
    blunder: usize,
    pub missed_wins: usize,
    pub allowed_wins: usize,
    /// The share of games that a move gave away on average.
    #[serde(serialize_with = "as_share")]
    average_loss: f64,
}

impl Summary {
    fn add(&mut self, verdict: &Verdict) {
        self.moves += 1;
        self.best += usize::from(verdict.is_best);
        match verdict.severity {
            Some(Severity::Inaccuracy) => self.inaccuracy += 1,
            Some(Severity::Mistake) => self.mistake += 1,
            Some(Severity::Blunder) => self.blunder += 1,
            None => {}
        }
        self.missed_wins += usize::from(verdict.is_missed_win);
        self.allowed_wins += usize::from(verdict.is_allowed_win);
        let loss = if verdict.is_best { 0.0 } else { (verdict.before - verdict.after).max(0.0) };
        self.average_loss += (loss - self.average_loss) / self.moves as f64;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let count = |number: usize, one: &str, more: &str| match number {
            1 => format!("1 {one}"),
            number => format!("{number} {more}"),
        };
        write!(
            f,
            "{}, {} of them best; {}, {}, {}; {} missed, {} allowed; average loss {:.1} %",
            count(self.moves, "move", "moves"),
            self.best,
            count(self.inaccuracy, "inaccuracy", "inaccuracies"),
            count(self.mistake, "mistake", "mistakes"),
            count(self.blunder, "blunder", "blunders"),
            count(self.missed_wins, "forced win", "forced wins"),
            self.allowed_wins,
            100.0 * self.average_loss,
        )
    }
}

/// Returns true if a move from a position of this value is known to win as soon or lose as late as
/// the best one. `after`: what is known of the position after the move.
fn is_as_good(before: Value, after: &Known) -> bool {
    match (before, after.finding.value(after.to_move)) {
        (Value::Win(plies), Value::Loss(left)) => {
            left < plies || matches!(after.finding, Finding::Over(_))
        }
        // The plies of a position without a line may be more than needed.
        (Value::Loss(plies), Value::Win(left)) => left + 1 == plies && !after.is_win_without_line,
        _ => false,
    }
}

impl Review {
    pub fn new(tree: Arc<GameTree>, main_line: Vec<NodeId>, rule: Rule) -> Review {
        Review { tree, main_line, rule, findings: BTreeMap::new() }
    }

    /// Returns the result by the file or by the stones.
    pub fn outcome(&self) -> Option<Outcome> {
        let last = self.main_line.last().copied().unwrap_or(self.tree.root());
        let ending = || self.tree.record(last).ending(self.rule);
        self.tree.outcome.or_else(|| ending().map(|(ending, _)| ending.outcome()))
    }

    /// Adds a finding about a position. A proof extends along the game: back as far as the loser
    /// had no choice, and on as long as the winner plays its moves.
    pub fn add(&mut self, node: NodeId, finding: Finding) {
        let to_move = self.tree.record(node).to_move();
        self.findings.insert(node, Known { finding, to_move, is_win_without_line: false });
        self.carry_forward(node);
        // Later positions may have been known before.
        let mut after = self.positions_after(node);
        for &node in &after {
            self.carry_back(node);
        }
        let mut before = node;
        while let Some(changed) = self.carry_back(before) {
            before = changed;
        }
        while let Some(node) = after.pop() {
            if self.carry_forward(node) {
                after.extend(self.positions_after(node));
            }
        }
    }

    /// If the position before is proven, so is this one: after the winning move, and after any move of
    /// the loser. A proof of its own stays, unless a line is known that wins sooner. Returns true if
    /// it was carried.
    fn carry_forward(&mut self, node: NodeId) -> bool {
        let Some((before, Some(played))) = self.known_before(node) else { return false };
        let Some(best) = before.finding.best() else { return false };
        let rest = match best.moves.split_first() {
            Some((&first, rest)) if first == played => rest.to_vec(),
            _ => Vec::new(),
        };
        let value = match best.value {
            Value::Win(plies) if !before.is_win_without_line && !rest.is_empty() => {
                Value::Loss((plies - 1).max(0))
            }
            Value::Loss(plies) => Value::Win((plies - 1).max(0)),
            _ => return false,
        };
        let Some(known) = self.findings.get_mut(&node) else { return false };
        let Finding::Evaluated { lines, .. } = &mut known.finding else { return false };
        let is_undecided = match (lines[0].value, value) {
            (Value::Estimate { .. }, _) => true,
            (Value::Win(own), Value::Win(plies)) | (Value::Loss(own), Value::Loss(plies)) => {
                !rest.is_empty() && (1..own).contains(&plies)
            }
            _ => false,
        };
        if !is_undecided {
            return false;
        }
        lines.truncate(1);
        lines[0].value = value;
        known.is_win_without_line = rest.is_empty();
        if !rest.is_empty() {
            lines[0].moves = rest;
        }
        true
    }

    /// Carries the proof of a position to the one before, unless that is decided: to a win by the
    /// move played, to a loss if all other moves lose. Returns the changed node.
    fn carry_back(&mut self, node: NodeId) -> Option<NodeId> {
        let (before, Some(played)) = self.known_before(node)? else { return None };
        let Finding::Evaluated { lines, others_lose } = &before.finding else { return None };
        let is_decided = !lines[0].value.is_estimate();
        let has_choice = lines[0].moves[0] != played || !others_lose;
        let known = self.findings.get(&node)?;
        let (value, rest) = match &known.finding {
            Finding::Evaluated { lines, .. } => {
                (lines[0].value.before_move()?, lines[0].moves.as_slice())
            }
            Finding::Over(_) if known.winner()? == known.to_move => return None,
            Finding::Over(_) => (Value::Win(1), [].as_slice()),
        };
        if is_decided || has_choice && matches!(value, Value::Loss(_)) {
            return None;
        }
        let moves = [&[played], rest].concat();
        let before = self.position_before(node)?;
        let known = self.findings.get_mut(&before)?;
        let Finding::Evaluated { lines, .. } = &mut known.finding else { return None };
        let (count, depth) = (lines.len(), lines[0].depth);
        lines.retain(|line| line.moves[0] != played);
        // A loss is that of the last of all moves.
        lines.truncate(count - 1);
        lines.push(Line { moves, value, depth });
        lines.sort_by(|a, b| b.value.rank().total_cmp(&a.value.rank()));
        Some(before)
    }

    /// Returns what is known of the position before this node, and the move that led here in turn,
    /// `None` for a pass.
    fn known_before(&self, node: NodeId) -> Option<(&Known, Option<Coord>)> {
        let (color, played) = match self.tree.step(node)? {
            Step::Stone(color, c) => (color, Some(c)),
            Step::Pass(color) => (color, None),
        };
        let before = self.findings.get(&self.position_before(node)?)?;
        (before.to_move == color).then_some((before, played))
    }

    /// Returns true if a later proof may still prove a loss here.
    pub fn may_turn_out_lost(&self, node: NodeId) -> bool {
        matches!(self.finding(node), Some(Finding::Evaluated { lines, others_lose: true })
            if lines[0].value.is_estimate())
    }

    pub fn finding(&self, node: NodeId) -> Option<&Finding> {
        Some(&self.findings.get(&node)?.finding)
    }

    pub fn best_line(&self, node: NodeId) -> Option<(&Line, Color)> {
        let known = self.findings.get(&node)?;
        Some((known.finding.best()?, known.to_move))
    }

    /// Returns the verdict on the move to this node, if both positions are known.
    pub fn verdict(&self, node: NodeId) -> Option<Verdict> {
        let (before, played) = self.known_before(node)?;
        let (color, after) = (before.to_move, self.findings.get(&node)?);
        let line = before.finding.best()?;
        let best = line.moves[0];
        let is_best = played == Some(best) || is_as_good(line.value, after);
        let (winner_before, winner_after) = (before.winner(), after.winner());
        let (before, rate_after) = (before.win_rate(color), after.win_rate(color));
        let is_over = matches!(after.finding, Finding::Over(_));
        let gives = |from: bool, to: bool| !is_best && from && !to;
        Some(Verdict {
            color,
            played,
            best,
            before,
            after: rate_after,
            severity: Severity::of_move(before, rate_after).filter(|_| !is_best),
            is_missed_win: gives(winner_before == Some(color), winner_after == Some(color)),
            is_allowed_win: gives(winner_before != Some(!color), winner_after != Some(!color))
                && !is_over,
            is_foul: matches!(after.finding, Finding::Over(Ending::Foul(_))),
            is_best,
        })
    }

    /// Returns the summaries of the main line, black's first.
    pub fn summaries(&self) -> [Summary; 2] {
        let mut summaries = [Summary::default(), Summary::default()];
        for verdict in self.main_line.iter().filter_map(|&node| self.verdict(node)) {
            summaries[verdict.color].add(&verdict);
        }
        summaries
    }

    fn position_before(&self, node: NodeId) -> Option<NodeId> {
        let tree = &self.tree;
        successors(tree.parent(node), |&node| tree.parent(node))
            .find(|&node| tree.is_position(node))
    }

    fn positions_after(&self, node: NodeId) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.tree.children(node).collect();
        let mut found = Vec::new();
        while let Some(node) = nodes.pop() {
            match self.tree.is_position(node) {
                true => found.push(node),
                false => nodes.extend(self.tree.children(node)),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::record::parse;
    use tengen_gomoku::types::BoardSize;

    /// Value, line, and whether all other moves lose.
    type Found = (Value, &'static str, bool);

    const LEVEL: Value = Value::Estimate { win_rate: 0.5, score: None };

    /// Returns a review with these findings, added from the first or from the last, and the nodes of
    /// its positions.
    fn review_of(moves: &str, found: &[Found], is_from_last: bool) -> (Review, Vec<NodeId>) {
        let size = BoardSize::new(15, 15).expect("a valid size");
        let tree = parse(moves, size).remove(0).tree;
        let main_line: Vec<NodeId> = tree.main_line().collect();
        let mut review = Review::new(Arc::new(tree), main_line.clone(), Rule::Freestyle);
        let mut all: Vec<_> = main_line.iter().copied().zip(found).collect();
        if is_from_last {
            all.reverse();
        }
        for (node, &(value, line, others_lose)) in all {
            let moves = parse_points(line, size).expect("a line");
            let lines = vec![Line { moves, value, depth: 1 }];
            review.add(node, Finding::Evaluated { lines, others_lose });
        }
        (review, main_line)
    }

    /// Returns the values and best moves of such a review.
    fn reviewed_from(moves: &str, found: &[Found], is_from_last: bool) -> Vec<(Value, String)> {
        let (review, main_line) = review_of(moves, found, is_from_last);
        let of = |node: &NodeId| {
            let line = review.finding(*node).and_then(Finding::best).expect("a finding");
            (line.value, line.moves[0].to_string())
        };
        main_line.iter().zip(found).map(|(node, _)| of(node)).collect()
    }

    fn reviewed(moves: &str, found: &[Found]) -> Vec<(Value, String)> {
        let result = reviewed_from(moves, found, false);
        assert_eq!(result, reviewed_from(moves, found, true), "the order does not count");
        result
    }

    fn values(found: &[Found]) -> Vec<Value> {
        reviewed("h8h9i8", found).into_iter().map(|(value, _)| value).collect()
    }

    #[test]
    fn a_proof_reaches_back_to_the_winners_move() {
        let win = Value::Win(9);
        let found = [(LEVEL, "a1", false), (LEVEL, "a2", false), (win, "i8j8", false)];
        assert_eq!(values(&found), [LEVEL, LEVEL, win]);
        // Black's move was not the best one, but white is lost after it.
        let lost = (Value::Loss(8), "h9i8", false);
        let found = [(LEVEL, "a1", false), lost];
        assert_eq!(reviewed("h8h9", &found)[0], (Value::Win(9), "h8".to_owned()));
    }

    #[test]
    fn a_proof_passes_the_losers_move_where_there_was_no_other() {
        let win = Value::Win(9);
        let before = |line, others_lose| {
            let found = [(LEVEL, "a1", false), (LEVEL, line, others_lose), (win, "i8j8", false)];
            values(&found)
        };
        let proven = [Value::Win(11), Value::Loss(10), win];
        assert_eq!(before("h9i8", true), proven);
        assert_eq!(before("h9i8", false), [LEVEL, LEVEL, win]);
        // The move played is not the one left.
        assert_eq!(before("a2", true), [LEVEL, LEVEL, win]);
    }

    #[test]
    fn a_proof_goes_on_along_its_line() {
        let found = |played: &'static str| {
            [(Value::Win(9), played, false), (LEVEL, "a1", false), (LEVEL, "a2", false)]
        };
        let expected = [Value::Win(9), Value::Loss(8), Value::Win(7)];
        assert_eq!(values(&found("h8h9i8j8k8")), expected);
        // Whatever the loser plays; but then the winner's moves are unknown.
        assert_eq!(values(&found("h8i9i8j8k8")), expected);
        let mut longer = found("h8i9i8j8k8").to_vec();
        longer[2].1 = "i8";
        longer.push((LEVEL, "a3", false));
        let found_after = reviewed("h8h9i8", &longer);
        assert_eq!(found_after[2..], [(expected[2], "i8".into()), (LEVEL, "a3".into())]);
        assert_eq!(values(&found("i8h9i8j8k8")), [Value::Win(9), LEVEL, LEVEL]);
        // A search's own proof stays, unless the line wins sooner.
        let mut own = found("h8h9i8j8k8");
        own[1].0 = Value::Loss(4);
        assert_eq!(values(&own)[..2], [Value::Win(9), Value::Loss(4)]);
        for line in ["h8h9i8j8k8", "h8i9i8j8k8"] {
            let mut own = found(line);
            own[1].0 = Value::Loss(14);
            own[2].0 = Value::Win(13);
            let is_line = line.starts_with("h8h9");
            let last = if is_line { Value::Win(7) } else { Value::Win(13) };
            assert_eq!(values(&own), [Value::Win(9), Value::Loss(8), last]);
        }
    }

    #[test]
    fn a_loss_is_as_late_only_if_that_is_known() {
        let loss = |plies| (Value::Loss(plies), "a1", false);
        let is_best = |found: &[Found]| {
            let (review, nodes) = review_of("h8h9i8", found, false);
            review.verdict(nodes[2]).expect("a verdict").is_best
        };
        let after = |value| is_best(&[(LEVEL, "a2", false), loss(8), (value, "i8j8", false)]);
        assert_eq!([7, 5, 13].map(|plies| after(Value::Win(plies))), [true, false, false]);
        assert!(!after(LEVEL));
    }

    #[test]
    fn only_what_is_proven_is_certain() {
        let texts = [0.0, 0.001, 0.5, 0.999, 1.0].map(percent);
        assert_eq!(texts, ["0 %", "1 %", "50 %", "99 %", "100 %"]);
    }
}
