//! What a match has come to, as its first player sees it.

use std::fmt;

use tengen::record::{Ending, Outcome};
use tengen::types::Color;

use super::game::End;
use crate::statistics::{CLASSES, Pairs, Sprt, elo_of};

#[derive(Clone, Debug, Default)]
pub struct Score {
    pub wins: u64,
    pub losses: u64,
    pub draws: u64,
    pairs: Pairs,
    /// Half points of the first game of a pair whose second one is not there yet.
    open_pair: Option<usize>,
    /// What each player did wrong.
    pub faults: [Faults; 2],
}

/// Games that a player lost by a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    pub time_losses: u64,
    pub illegal_moves: u64,
    pub crashes: u64,
}

impl Score {
    /// Adds the next game, in which the first player had this color.
    pub fn add(&mut self, first: Color, end: &End) {
        let half_points = match end.outcome() {
            Outcome::Won(winner) => 2 * usize::from(winner == first),
            Outcome::Drawn => 1,
        };
        *[&mut self.losses, &mut self.draws, &mut self.wins][half_points] += 1;
        match self.open_pair.take() {
            Some(other) => self.pairs.0[other + half_points] += 1,
            None => self.open_pair = Some(half_points),
        }
        let faults = |color| usize::from(color != first);
        match *end {
            End::Late(color) => self.faults[faults(color)].time_losses += 1,
            End::Illegal(color) => self.faults[faults(color)].illegal_moves += 1,
            End::ByRule(Ending::Foul(_)) => {
                self.faults[faults(Color::Black)].illegal_moves += 1;
            }
            End::Crashed(color) => self.faults[faults(color)].crashes += 1,
            End::ByRule(_) => {}
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    pub fn share(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64
    }

    /// Returns the number of the hypothesis that a test accepts after a whole pair.
    pub fn decision(&self, sprt: &Sprt) -> Option<u8> {
        sprt.decision(&self.pairs).filter(|_| self.open_pair.is_none())
    }

    /// Returns the difference in Elo with its interval of 95 %.
    pub fn elo(&self) -> String {
        let [low, high] = self.pairs.interval().map(elo_of);
        let elo = elo_of(self.pairs.score());
        format!("{elo:+.1} [{low:+.1}, {high:+.1}]")
    }

    /// Returns what is to be said of the test.
    pub fn verdict(&self, sprt: &Sprt) -> String {
        let ratio = self.pairs.log_likelihood_ratio(sprt.elos);
        let [low, high] = sprt.bounds();
        let verdict = match sprt.decision(&self.pairs) {
            Some(1) => "H1 accepted",
            Some(_) => "H0 accepted",
            None => "undecided",
        };
        let [elo0, elo1] = sprt.elos;
        format!("SPRT elo0 {elo0} elo1 {elo1}: LLR {ratio:.2} in [{low:.2}, {high:.2}]: {verdict}")
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Score { wins, losses, draws, .. } = self;
        let (games, share) = (self.games(), 100.0 * self.share());
        writeln!(
            f,
            "W {wins}, L {losses}, D {draws} of {games}: {share:.1} %, Elo {} (95 %)",
            self.elo()
        )?;
        let counts = CLASSES.iter().zip(self.pairs.0);
        let counts: Vec<String> = counts.map(|(class, count)| format!("{class} {count}")).collect();
        write!(f, "pairs: {}", counts.join(", "))?;
        let [low, high] = self.pairs.interval();
        if low < 0.5 && high > 0.5 {
            write!(f, "\ntoo few games to tell which is stronger")?;
        }
        Ok(())
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Faults { time_losses, illegal_moves, crashes } = self;
        write!(
            f,
            "time losses {time_losses}, illegal or forbidden moves {illegal_moves}, crashes {crashes}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::types::{CellSet, Coord};

    fn won(color: Color) -> End {
        End::ByRule(Ending::Five(color, CellSet::default()))
    }

    #[test]
    fn games_are_counted_in_pairs() {
        let mut score = Score::default();
        let full = End::ByRule(Ending::Full);
        for [as_black, as_white] in [
            [won(Color::Black), won(Color::White)],
            [won(Color::Black), won(Color::Black)],
            [full.clone(), full.clone()],
            [full.clone(), won(Color::Black)],
        ] {
            score.add(Color::Black, &as_black);
            score.add(Color::White, &as_white);
        }
        assert_eq!((score.wins, score.losses, score.draws), (3, 2, 3));
        assert_eq!(score.pairs, Pairs([0, 1, 2, 0, 1]));
        // A game whose pair is not whole counts in the games alone.
        score.add(Color::Black, &won(Color::Black));
        assert_eq!((score.wins, score.pairs.total()), (4, 4));
        let text = score.to_string();
        assert!(text.starts_with("W 4, L 2, D 3 of 9: 61.1 %, Elo +43.7 ["), "{text}");
        assert!(text.contains("\npairs: LL 0, LD 1, LW or DD 2, WD 0, WW 1\n"), "{text}");
        assert!(text.ends_with("too few games to tell which is stronger"), "{text}");
    }

    #[test]
    fn a_clear_result_is_told_as_one() {
        let mut score = Score::default();
        for number in 0..60 {
            let first = Color::ALL[number % 2];
            score.add(first, &won(first));
        }
        assert!(!score.to_string().contains("too few"));
        let sprt = Sprt { elos: [0.0, 50.0], errors: [0.05, 0.05] };
        assert_eq!(score.decision(&sprt), Some(1));
        assert!(score.verdict(&sprt).ends_with("H1 accepted"));
        // Half a pair decides nothing.
        score.add(Color::Black, &won(Color::White));
        assert_eq!(score.decision(&sprt), None);
    }

    #[test]
    fn faults_are_those_of_the_player_who_made_them() {
        let mut score = Score::default();
        score.add(Color::Black, &End::Late(Color::White));
        score.add(Color::White, &End::ByRule(Ending::Foul(Coord::new(7, 7))));
        score.add(Color::Black, &End::Crashed(Color::Black));
        score.add(Color::White, &End::Illegal(Color::White));
        let first = Faults { time_losses: 0, illegal_moves: 1, crashes: 1 };
        let second = Faults { time_losses: 1, illegal_moves: 1, crashes: 0 };
        assert_eq!(score.faults, [first, second]);
        let text = "time losses 1, illegal or forbidden moves 1, crashes 0";
        assert_eq!(second.to_string(), text);
    }
}
