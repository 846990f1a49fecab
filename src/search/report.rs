//! The results of a search: its progress while it runs, and its report at the end.

use std::time::Duration;

#[cfg(doc)]
use super::limits::RootOptions;
use crate::types::{Bound, Coord, Score, ScoreKind};

/// The progress of a running search.
///
/// ```
/// # use tengen::board::Board;
/// # use tengen::search::control::Control;
/// # use tengen::types::{BoardSize, Rule};
/// use tengen::search::{Limits, Progress, Searcher};
///
/// # let size = BoardSize::new(15, 15).expect("a valid size");
/// # let mut board = Board::new(size, Rule::Freestyle);
/// # board.play(size.center());
/// # let control = Control::untimed();
/// let mut depths = Vec::new();
/// let listener = &mut |progress: Progress| {
///     if let Progress::Report(report) = progress {
///         depths.push(report.depth);
///     }
/// };
/// let limits = Limits { depth: 3, ..Limits::default() };
/// Searcher::new(1 << 20).search(&board, &limits, &control, listener);
/// assert_eq!(depths, [1, 2, 3]);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// The variations so far: after each iteration and, in an [analysis](RootOptions::is_analysis),
    /// before the first iteration, after each variation and after a proof.
    Report(&'a Report),
    /// A move of the root is about to be searched.
    Entering(Coord),
    /// A move of the root has been searched.
    Leaving {
        mv: Coord,
        /// True if the search proved that it loses.
        loses: bool,
    },
}

/// The function that receives the progress of a search, in the search's own thread.
pub type Listener<'a> = &'a mut (dyn FnMut(Progress) + 'a);

/// A variation of the root with its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The score for the side to move.
    pub score: Score,
    /// The principal variation, at least one move.
    pub pv: Vec<Coord>,
    /// The depth of the search that found the score, in plies.
    pub depth: i32,
}

/// What the transposition table has of a position, usually one inside the tree of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// The best move, if one is known. Two positions may share a key, so that it may be illegal.
    pub mv: Option<Coord>,
    /// The value for the side to move; a proven win or loss counts its plies from this position.
    pub score: Score,
    /// What the score says about the true one.
    pub bound: Bound,
    /// Whole plies of the search that found the score.
    pub depth: i32,
}

/// The result of a search or of one iteration.
///
/// ```
/// use tengen::search::Report;
/// use tengen::types::{Coord, Score};
///
/// let report = Report::unsearched(Coord::new(7, 7));
/// assert_eq!((report.depth, report.is_settled()), (0, false));
/// let won = Report { score: Score::win_in(5), depth: 1, ..report };
/// assert!(won.is_settled());
/// assert_eq!(won.variations().next().map(|best| best.pv), Some(vec![won.best]));
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    pub best: Coord,
    /// Its score for the side to move.
    pub score: Score,
    /// The depth of the last finished iteration, in plies, or of the best variation if that is
    /// deeper; 1 for a move that needed none, 0 for one that was not searched.
    pub depth: i32,
    /// The deepest ply of that iteration, counted from the root.
    pub selective_depth: i32,
    /// Nodes so far, of all threads.
    pub nodes: u64,
    pub elapsed: Duration,
    /// The principal variation, which begins with the best move.
    pub pv: Vec<Coord>,
    /// The second best variation and those after it, if [`RootOptions::multi_pv`] is above 1.
    pub others: Vec<Variation>,
    /// True if every move but the best one is excluded or known to lose: at once, to continuous
    /// fours, or by its variation.
    pub others_lose: bool,
    /// Nodes of alpha-beta and of its searches for continuous fours, and of the threat search; the
    /// rest tested the moves of the root. Both are 0 until the search ends.
    pub tree_nodes: u64,
    /// Nodes of the searches for a win by fours and threes.
    pub threat_nodes: u64,
}

impl Report {
    /// Returns all variations, the best one first.
    pub fn variations(&self) -> impl Iterator<Item = Variation> + '_ {
        let best = Variation { score: self.score, pv: self.pv.clone(), depth: self.depth };
        std::iter::once(best).chain(self.others.iter().cloned())
    }

    /// Returns the report of a move that was not searched.
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

    /// Returns the report of a position in which these moves, each the only one, lead to the
    /// position of this report.
    pub(super) fn after(self, forced: &[Coord]) -> Report {
        let Some(&best) = forced.first() else { return self };
        let plies = forced.len() as i32;
        Report {
            best,
            score: forced.iter().fold(self.score, |score, _| score.before_move()),
            depth: self.depth + plies,
            selective_depth: self.selective_depth + plies,
            pv: [forced, &self.pv].concat(),
            others: Vec::new(),
            ..self
        }
    }

    /// Returns the report with `mv` as the best move, which has overtaken the one before: with its
    /// own variation where it has one, and no less than the score that the search had last.
    ///
    /// ```
    /// use tengen::search::Report;
    /// use tengen::types::Coord;
    ///
    /// let report = Report::unsearched(Coord::new(7, 7)).led_by(Coord::new(8, 8));
    /// assert_eq!((report.best, report.pv), (Coord::new(8, 8), vec![Coord::new(8, 8)]));
    /// ```
    pub fn led_by(mut self, mv: Coord) -> Report {
        if self.best == mv {
            return self;
        }
        let mut variations: Vec<Variation> = self.variations().collect();
        let own = variations
            .iter()
            .position(|variation| variation.pv[0] == mv)
            .map(|index| variations.remove(index));
        if own.is_none() {
            // As many variations as before.
            variations.pop();
        }
        let own = own.unwrap_or(Variation { score: self.score, pv: vec![mv], depth: self.depth });
        (self.best, self.pv, self.others) = (mv, own.pv, variations);
        self.score = self.score.max(own.score);
        self
    }

    /// Returns true if more depth would change nothing.
    pub fn is_settled(&self) -> bool {
        is_settled(self.score, self.depth)
    }
}

/// Returns true if more depth would change nothing: a proven win is played at once; a loss
/// searched twice as deep as it is long stays one.
pub fn is_settled(score: Score, depth: i32) -> bool {
    match score.kind() {
        ScoreKind::Win(_) => true,
        ScoreKind::Loss(plies) => depth > 2 * plies,
        ScoreKind::Eval(_) => false,
    }
}
