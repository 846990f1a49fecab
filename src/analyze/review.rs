//! The review of a game: what its moves were worth beside the best ones, by what was found about
//! the positions before and after them.
//!
//! Pure: takes findings and knows no search. `annotation` writes a review into the game's tree,
//! `page` makes a page for a browser of it.

pub(super) mod annotation;
pub(super) mod page;

use std::collections::BTreeMap;
use std::fmt;
use std::iter::successors;
use std::sync::Arc;

use super::finding::Finding;
use super::game::Game;
use super::json::Object;
use super::verdict::{Severity, Verdict};
use crate::record::Ending;
use crate::record::tree::{NodeId, Step};
use crate::types::{Color, Score, ScoreKind};

/// A game and what was found about its positions.
pub(super) struct Review {
    game: Arc<Game>,
    analysed: BTreeMap<NodeId, Analysed>,
}

/// A position that was analysed: what was found, and who moves there.
struct Analysed {
    finding: Finding,
    to_move: Color,
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

    /// Returns the summary as JSON.
    pub fn json(&self) -> Object {
        let mut object = Object::new();
        object.number("moves", self.moves);
        object.number("best", self.best);
        for (severity, count) in Severity::ALL.into_iter().zip(self.bad) {
            object.number(severity.name(), count);
        }
        object.number("missed_wins", self.missed_wins);
        object.number("allowed_wins", self.allowed_wins);
        object.share("average_loss", self.average_loss());
        object
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

    /// Takes what was found about a position, who moves there included.
    pub fn add(&mut self, node: NodeId, to_move: Color, finding: Finding) {
        self.analysed.insert(node, Analysed { finding, to_move });
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
