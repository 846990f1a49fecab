//! The results of a search: progress while it runs, and a report at the end.

use std::time::Duration;

use tengen_gomoku::types::Coord;

use crate::score::{Score, ScoreKind};

#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// The PVs so far: after each iteration. In an analysis also before the first iteration, after
    /// a proof, and after each PV from the second iteration on.
    Report(&'a Report),
    Entering(Coord),
    Leaving {
        mv: Coord,
        loses: bool,
    },
}

/// Called in the search's own thread.
pub type Listener<'a> = &'a mut (dyn FnMut(Progress) + 'a);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    pub score: Score,
    /// At least one move.
    pub pv: Vec<Coord>,
    /// In plies.
    pub depth: i32,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub best: Coord,
    /// For the side to move.
    pub score: Score,
    /// Plies of the last finished iteration, or of the best PV if that is deeper; 1 for a move
    /// that needed no iteration, 0 for one that was not searched.
    pub depth: i32,
    /// The deepest ply of that iteration.
    pub selective_depth: i32,
    /// Of all threads.
    pub nodes: u64,
    pub elapsed: Duration,
    /// Begins with the best move.
    pub pv: Vec<Coord>,
    /// Further PVs, best first, if more than one is wanted.
    pub others: Vec<Variation>,
    /// True if every other move is excluded or known to lose: at once, by continuous fours or by
    /// its PV.
    pub others_lose: bool,
    /// Nodes of alpha-beta with its VCF searches, and below of the VCT search. The rest tested root
    /// moves. Both are 0 until the search ends.
    pub tree_nodes: u64,
    pub threat_nodes: u64,
}

impl Report {
    pub fn variations(&self) -> impl Iterator<Item = Variation> + '_ {
        let best = Variation { score: self.score, pv: self.pv.clone(), depth: self.depth };
        std::iter::once(best).chain(self.others.iter().cloned())
    }

    pub fn unsearched(mv: Coord) -> Report {
        Report {
            best: mv,
            score: Score::DRAW,
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            pv: vec![mv],
            others: Vec::new(),
            others_lose: false,
            tree_nodes: 0,
            threat_nodes: 0,
        }
    }

    /// Returns this report with the result of a search after its best move.
    pub(super) fn followed_by(&self, next: &Report) -> Report {
        Report {
            best: self.best,
            score: next.score.before_move(),
            depth: next.depth + 1,
            selective_depth: next.selective_depth + 1,
            nodes: self.nodes + next.nodes,
            pv: [&[self.best], &next.pv[..]].concat(),
            others: Vec::new(),
            others_lose: self.others_lose,
            ..*next
        }
    }

    /// Returns the report with `mv` as the best move: with its own PV if it has one, and at least
    /// the score found so far.
    pub fn led_by(mut self, mv: Coord) -> Report {
        if self.best == mv {
            return self;
        }
        let mut variations: Vec<Variation> = self.variations().collect();
        let own = match variations.iter().position(|variation| variation.pv[0] == mv) {
            Some(index) => variations.remove(index),
            None => {
                // The number of PVs stays the same.
                variations.pop();
                Variation { score: self.score, pv: vec![mv], depth: self.depth }
            }
        };
        (self.best, self.pv, self.others) = (mv, own.pv, variations);
        self.score = self.score.max(own.score);
        self
    }

    pub fn is_settled(&self) -> bool {
        is_settled(self.score, self.depth)
    }
}

/// Returns true if more depth would change nothing: for a win, and for a loss searched more than
/// twice as deep as it is long.
pub fn is_settled(score: Score, depth: i32) -> bool {
    match score.kind() {
        ScoreKind::Win(_) => true,
        ScoreKind::Loss(plies) => depth > 2 * plies,
        ScoreKind::Eval(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_settled_by_a_win_and_by_a_loss_searched_twice_as_deep() {
        let report = Report::unsearched(Coord::new(7, 7));
        assert_eq!((report.depth, report.is_settled()), (0, false));
        let won = Report { score: Score::win_in(5), depth: 1, ..report };
        assert!(won.is_settled());
        assert_eq!(won.variations().next().map(|best| best.pv), Some(vec![won.best]));
        let lost = |depth| Report { score: Score::loss_in(4), depth, ..won.clone() };
        assert!(!lost(8).is_settled() && lost(9).is_settled());
    }

    #[test]
    fn a_move_that_overtakes_leads_the_report_with_its_own_variation() {
        let [first, second, third] = [7, 8, 9].map(|x| Coord::new(x, 8));
        let report = Report::unsearched(first).led_by(second);
        assert_eq!((report.best, report.pv, report.others), (second, vec![second], vec![]));
        let other = Variation { score: Score::eval(-9), pv: vec![second, third], depth: 3 };
        let report = Report { others: vec![other], ..Report::unsearched(first) }.led_by(second);
        assert_eq!((report.pv, report.score), (vec![second, third], Score::DRAW));
        assert_eq!(report.others[0].pv, [first]);
    }
}
