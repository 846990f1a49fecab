//! A game looked through: what an engine thinks of each of its positions, and which moves were
//! mistakes.
//!
//! Judgement `n` is of the position after `n` moves.

use crate::analyze::verdict::{Severity, Verdict};
use tengen::types::{Color, Coord};

/// What is thought of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The share of games that black is expected to win.
    pub black: f64,
    pub winner: Option<Color>,
    /// The best line; empty where the game is over.
    pub line: Vec<Coord>,
    pub depth: u32,
}

impl Judgement {
    /// Returns the share of games that a colour is expected to win.
    pub fn win_rate(&self, color: Color) -> f64 {
        match color {
            Color::Black => self.black,
            Color::White => 1.0 - self.black,
        }
    }
}

/// How far a position was looked at.
#[derive(Clone, Debug, PartialEq)]
enum Look {
    Due,
    /// The engine told nothing, as some do about an empty board.
    Vain,
    Known(Judgement),
}

#[derive(Clone, Debug, Default)]
pub struct Review {
    moves: Vec<(Coord, Color)>,
    looks: Vec<Look>,
}

impl Review {
    /// Makes this a review of these moves. What was found of the positions that both games have
    /// stays. Returns the number of moves that both have.
    pub fn fit(&mut self, moves: &[(Coord, Color)]) -> usize {
        let same = self.moves.iter().zip(moves).take_while(|(a, b)| a == b).count();
        let kept = if self.looks.is_empty() { 0 } else { same + 1 };
        self.looks.truncate(kept);
        self.looks.resize(moves.len() + 1, Look::Due);
        self.moves = moves.to_vec();
        same
    }

    /// Returns the position to look at next, by its number of moves. The last one comes first:
    /// what is found there helps with those before it.
    pub fn next(&self) -> Option<usize> {
        self.looks.iter().rposition(|look| *look == Look::Due)
    }

    /// Returns the number of positions that were looked at, and of all.
    pub fn progress(&self) -> (usize, usize) {
        (self.looks.iter().filter(|&look| *look != Look::Due).count(), self.looks.len())
    }

    /// Returns the number of positions of which nothing was found out, if there is no other.
    pub fn vain(&self) -> usize {
        // A game that is over is no finding.
        let is_known = |look: &Look| matches!(look, Look::Known(found) if !found.line.is_empty());
        let is_vain = |look: &&Look| **look == Look::Vain;
        if self.looks.iter().any(is_known) { 0 } else { self.looks.iter().filter(is_vain).count() }
    }

    /// Notes that nothing was found out about a position.
    pub fn skip(&mut self, after: usize) {
        if let Some(look) = self.looks.get_mut(after) {
            *look = Look::Vain;
        }
    }

    /// Forgets that nothing was found out, so that it is tried again.
    pub fn retry(&mut self) {
        self.looks
            .iter_mut()
            .filter(|look| **look == Look::Vain)
            .for_each(|look| *look = Look::Due);
    }

    pub fn restart(&mut self) {
        self.looks.fill(Look::Due);
    }

    /// Takes the judgement of a position. The proof of the next position, if that is known, holds
    /// for this one too if the winner has moved or, with `is_forced`, the loser had no other move.
    pub fn judge(&mut self, after: usize, mut judgement: Judgement, is_forced: bool) {
        let next = self.judgement(after + 1).zip(self.moves.get(after));
        if let Some((next, &(played, color))) = next
            && let Some(winner) = next.winner.filter(|&winner| winner == color || is_forced)
            && judgement.winner.is_none()
        {
            let line = [&[played], next.line.as_slice()].concat();
            judgement = Judgement { black: next.black, winner: Some(winner), line, ..judgement };
        }
        if let Some(look) = self.looks.get_mut(after) {
            *look = Look::Known(judgement);
        }
    }

    /// Returns the judgement of the position after so many moves, if there is one.
    pub fn judgement(&self, after: usize) -> Option<&Judgement> {
        match self.looks.get(after)? {
            Look::Known(judgement) => Some(judgement),
            Look::Due | Look::Vain => None,
        }
    }

    /// Returns what the move after `before` moves was worth, if both positions are known.
    pub fn verdict(&self, before: usize) -> Option<Verdict> {
        let &(mv, color) = self.moves.get(before)?;
        let (first, second) = (self.judgement(before)?, self.judgement(before + 1)?);
        let best = *first.line.first()?;
        let is_best = best == mv;
        let (before, after) = (first.win_rate(color), second.win_rate(color));
        Some(Verdict {
            color,
            played: Some(mv),
            best,
            before,
            after,
            severity: Severity::of_move(before, after).filter(|_| !is_best),
            // Engines tell win rates, and no proofs.
            is_missed_win: false,
            is_allowed_win: false,
            is_foul: false,
            is_best,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(count: u8) -> Vec<(Coord, Color)> {
        (0..count).map(|i| (Coord::new(i, 0), Color::ALL[usize::from(i) % 2])).collect()
    }

    fn judgement(black: f64, best: Option<Coord>) -> Judgement {
        Judgement { black, winner: None, line: best.into_iter().collect(), depth: 5 }
    }

    #[test]
    fn positions_are_looked_at_from_the_end() {
        let mut review = Review::default();
        assert_eq!(review.next(), None);
        review.fit(&moves(2));
        assert_eq!((review.next(), review.progress()), (Some(2), (0, 3)));
        review.judge(2, judgement(0.5, None), false);
        assert_eq!((review.next(), review.progress()), (Some(1), (1, 3)));
        review.judge(9, judgement(0.5, None), false);
        review.judge(1, judgement(0.5, None), false);
        review.judge(0, judgement(0.5, None), false);
        assert_eq!(review.next(), None);
    }

    #[test]
    fn positions_without_a_value_leave_a_gap() {
        let mut review = Review::default();
        review.fit(&moves(2));
        review.skip(2);
        review.skip(1);
        assert_eq!((review.next(), review.progress(), review.vain()), (Some(0), (2, 3), 2));
        review.judge(2, judgement(1.0, None), false);
        assert_eq!(review.vain(), 1);
        review.judge(0, judgement(0.5, Some(Coord::new(9, 9))), false);
        assert_eq!((review.next(), review.vain()), (None, 0));
        review.retry();
        assert_eq!((review.next(), review.progress()), (Some(1), (2, 3)));
    }

    #[test]
    fn a_review_that_restarts_has_everything_before_it() {
        let mut review = Review::default();
        review.fit(&moves(2));
        (0..=2).for_each(|after| review.judge(after, judgement(0.5, None), false));
        assert_eq!((review.next(), review.progress()), (None, (3, 3)));
        review.restart();
        assert_eq!((review.next(), review.progress()), (Some(2), (0, 3)));
        assert_eq!(review.judgement(1), None);
    }

    #[test]
    fn what_two_games_share_stays() {
        let mut review = Review::default();
        review.fit(&moves(4));
        (0..=4).for_each(|after| review.judge(after, judgement(0.5, None), false));
        let mut other = moves(4);
        other[2].0 = Coord::new(9, 9);
        review.fit(&other);
        assert_eq!(review.progress(), (3, 5));
        assert!(review.judgement(2).is_some() && review.judgement(3).is_none());
        review.fit(&[]);
        assert_eq!(review.progress(), (1, 1));
    }

    #[test]
    fn mistakes_are_seen_from_their_own_side() {
        let best = Some(Coord::new(9, 9));
        let mut review = Review::default();
        review.fit(&moves(3));
        let rates = [0.8, 0.65, 0.9, 0.5];
        rates
            .iter()
            .enumerate()
            .for_each(|(i, &rate)| review.judge(i, judgement(rate, best), false));
        let severity = |before| review.verdict(before).and_then(|verdict| verdict.severity);
        let found = [0, 1, 2, 3].map(severity);
        let expected =
            [Some(Severity::Inaccuracy), Some(Severity::Mistake), Some(Severity::Blunder), None];
        assert_eq!(found, expected);
        // The best move is none, whatever the numbers say.
        review.judge(1, judgement(0.65, Some(Coord::new(1, 0))), false);
        let verdict = review.verdict(1).unwrap();
        assert_eq!((verdict.severity, verdict.is_best, verdict.is_bad()), (None, true, false));
    }

    #[test]
    fn proofs_reach_back_as_far_as_the_loser_had_no_choice() {
        // Black wins after the last move. White's one before it was forced, that before was not.
        let proof = Judgement { winner: Some(Color::Black), ..judgement(1.0, None) };
        let winners = |forced: [bool; 5]| {
            let mut review = Review::default();
            review.fit(&moves(5));
            review.judge(5, proof.clone(), false);
            for after in (0..5).rev() {
                review.judge(after, judgement(0.5, Some(Coord::new(9, 9))), forced[after]);
            }
            [0, 1, 2, 3, 4].map(|after| review.judgement(after).unwrap().winner.is_some())
        };
        assert_eq!(winners([false; 5]), [false, false, false, false, true]);
        let forced = [false, false, false, true, false];
        assert_eq!(winners(forced), [false, false, true, true, true]);
        assert_eq!(winners([true; 5]), [true; 5]);
        let mut review = Review::default();
        review.fit(&moves(5));
        review.judge(5, proof.clone(), false);
        review.judge(4, judgement(0.5, Some(Coord::new(9, 9))), false);
        let found = review.judgement(4).unwrap();
        assert_eq!((found.black, found.line[0]), (1.0, Coord::new(4, 0)));
        // What is proven otherwise stays.
        let lost = Judgement { winner: Some(Color::White), ..judgement(0.0, None) };
        review.judge(4, lost.clone(), true);
        assert_eq!(review.judgement(4), Some(&lost));
    }
}
