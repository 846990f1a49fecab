//! Settings: what INFO sets (time, memory, rule, limits), and what the next search gets of it.
//!
//! Settings outlive the game; only the match clock starts anew with each game. They know neither
//! the position nor the search thread.

mod match_clock;
mod memory;

use std::time::Duration;

use super::reading::command::Info;
use crate::board::Reach;
use crate::eval::Style;
use crate::search::clock::TimeControl;
use crate::search::{Limits, MAX_DEPTH, Strength};
use crate::types::Rule;
use match_clock::MatchClock;

pub use memory::{MAX_HASH_EXPONENT, MemoryLimits};

/// The time for a move if no limit was ever sent.
const DEFAULT_TURN: Duration = Duration::from_secs(5);
/// A node limit from here on is no limit: years would not be enough to reach it.
const UNLIMITED_NODES: u64 = 1_000_000_000_000_000;

/// Bits of the rule code.
const EXACT_FIVE: u64 = 1;
const RENJU: u64 = 4;
const CARO: u64 = 8;
/// Yixin's code for renju, which is continuous freestyle to everybody else.
const YIXIN_RENJU: u64 = 2;

/// Bits of show_detail.
const SHOW_REALTIME: u64 = 1;
const SHOW_NUMBERS: u64 = 2;

/// Everything that INFO can change, and the time used so far.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    clock: MatchClock,
    memory: MemoryLimits,
    rule_code: u64,
    depth: u64,
    start_depth: u64,
    nodes: u64,
    leaves_out_symmetric_moves: bool,
    strength: Strength,
    style: Style,
    show_detail: u64,
    reach: Reach,
    ponders: bool,
    /// True after YXSHOWINFO: the manager counts rules as Yixin does.
    yixin: bool,
}

impl Settings {
    /// Takes over one value.
    pub fn apply(&mut self, info: Info) {
        match info {
            Info::TimeoutTurn(value) => self.clock.set_turn(value),
            Info::TimeoutMatch(value) => self.clock.set_match(value),
            Info::TimeLeft(value) => self.clock.set_left(value),
            Info::MaxMemory(value) => self.memory.limit = value,
            Info::HashSize(value) => self.memory.hash_kilobytes = value,
            Info::Rule(value) => self.rule_code = value,
            Info::MaxDepth(value) => self.depth = value,
            Info::StartDepth(value) => self.start_depth = value,
            Info::MaxNode(value) => self.nodes = value,
            Info::NBestSym(value) => self.leaves_out_symmetric_moves = value != 0,
            Info::ThreadNum(value) => self.memory.threads = value,
            Info::Strength(value) => self.strength = Strength::nearest(value),
            Info::Style(value) => self.style = Style::nearest(value),
            Info::ShowDetail(value) => self.show_detail = value,
            Info::TimeIncrement(value) => self.clock.set_increment(value),
            Info::CautionFactor(value) => {
                let reach = usize::try_from(value).ok().and_then(|index| Reach::ALL.get(index));
                self.reach = reach.copied().unwrap_or(self.reach);
            }
            Info::Pondering(value) => self.ponders = value != 0,
            Info::Ignored => {}
        }
    }

    /// Reads the rules as Yixin counts them from now on.
    pub fn speak_yixin(&mut self) {
        self.yixin = true;
    }

    /// Returns true if the manager is Yixin-Board.
    pub fn is_yixin(&self) -> bool {
        self.yixin
    }

    /// Returns how far from the stones candidates are.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Returns true if the opponent's time is to be used too.
    pub fn ponders(&self) -> bool {
        self.ponders
    }

    /// Returns true if only one of several moves that a symmetry of the position maps onto each
    /// other is wanted among the best moves.
    pub fn leaves_out_symmetric_moves(&self) -> bool {
        self.leaves_out_symmetric_moves
    }

    /// Returns true if the manager marks the search on its board.
    pub fn shows_realtime(&self) -> bool {
        self.show_detail & SHOW_REALTIME != 0
    }

    /// Returns true if the manager wants the numbers of the search one by one.
    pub fn shows_numbers(&self) -> bool {
        self.show_detail & SHOW_NUMBERS != 0
    }

    /// Returns the match clock, to start it and to add time used.
    pub fn clock_mut(&mut self) -> &mut MatchClock {
        &mut self.clock
    }

    /// Returns the limits of memory and threads.
    pub fn memory(&self) -> MemoryLimits {
        self.memory
    }

    /// Returns the rule of the game. Of several bits renju goes before caro, caro before exact
    /// five; the continuous bit changes nothing, since play goes on after a five anyway.
    pub fn rule(&self) -> Rule {
        let has = |bit| self.rule_code & bit != 0;
        if has(RENJU) || self.yixin && self.rule_code == YIXIN_RENJU {
            Rule::Renju
        } else if has(CARO) {
            if has(EXACT_FIVE) { Rule::CaroExact } else { Rule::Caro }
        } else if has(EXACT_FIVE) {
            Rule::Standard
        } else {
            Rule::Freestyle
        }
    }

    /// Returns the limits of the next search besides its time.
    pub fn limits(&self) -> Limits {
        let plies = |value: u64| value.min(MAX_DEPTH as u64) as i32;
        Limits {
            depth: if self.depth == 0 { MAX_DEPTH } else { plies(self.depth) },
            first_depth: plies(self.start_depth).max(1),
            nodes: match self.nodes {
                0 | UNLIMITED_NODES.. => u64::MAX,
                nodes => nodes,
            },
            strength: self.strength,
            style: self.style,
            ..Limits::default()
        }
    }

    /// Returns the time limits of the next move.
    pub fn time_control(&self) -> TimeControl {
        self.clock.control().unwrap_or_else(|| {
            // Whoever limits nodes wants the same search on every machine.
            let has_node_limit = self.limits().nodes != u64::MAX;
            let turn = (!has_node_limit).then_some(DEFAULT_TURN);
            TimeControl { turn, ..TimeControl::default() }
        })
    }

    /// Returns the time limits of the next move when nobody is left to stop it. They are the same,
    /// but a search without any limit gets the default time.
    pub fn unattended_time_control(&self) -> TimeControl {
        let time = self.time_control();
        let is_endless = time == TimeControl::default() && self.limits().is_endless();
        match is_endless {
            true => TimeControl { turn: Some(DEFAULT_TURN), ..time },
            false => time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(infos: &[Info]) -> Settings {
        let mut settings = Settings::default();
        for &info in infos {
            settings.apply(info);
        }
        settings
    }

    fn times(settings: &Settings) -> (Option<u128>, Option<u128>) {
        let control = settings.time_control();
        (control.turn.map(|t| t.as_millis()), control.left.map(|t| t.as_millis()))
    }

    #[test]
    fn time_limits_follow_from_what_was_sent() {
        use Info::{MaxNode, TimeLeft, TimeoutMatch, TimeoutTurn};
        let never = TimeLeft(2_147_483_647);
        let cases: [(&[Info], _); 18] = [
            (&[], (Some(5_000), None)),
            (&[MaxNode(1_000)], (None, None)),
            (&[MaxNode(1_000_000_000_000_000)], (Some(5_000), None)),
            (&[MaxNode(u64::MAX)], (Some(5_000), None)),
            (&[never], (Some(5_000), None)),
            (&[TimeoutTurn(0)], (Some(0), None)),
            (&[TimeoutTurn(700), TimeoutMatch(0), never], (Some(700), None)),
            (&[TimeoutTurn(700), TimeoutMatch(0), TimeLeft(0)], (Some(700), None)),
            (&[TimeoutTurn(700), TimeoutMatch(0), TimeLeft(-5)], (Some(700), None)),
            (&[TimeoutTurn(700), TimeoutMatch(9), TimeLeft(-5)], (Some(700), Some(0))),
            (&[TimeoutTurn(700), TimeLeft(30)], (Some(700), Some(30))),
            (&[TimeLeft(30)], (None, Some(30))),
            (&[TimeoutTurn(700), TimeoutMatch(9_000)], (Some(700), Some(9_000))),
            (&[TimeoutTurn(700), TimeoutMatch(9_000), never], (Some(700), Some(9_000))),
            (&[TimeoutTurn(2_000_000), TimeoutMatch(100_000_000)], (None, None)),
            (
                &[TimeoutTurn(2_000_000), TimeoutMatch(100_000_000), TimeLeft(100_000_000)],
                (None, None),
            ),
            // Yixin-Board takes off what it measured itself.
            (
                &[TimeoutTurn(2_000_000), TimeoutMatch(100_000_000), TimeLeft(99_000_000)],
                (None, None),
            ),
            (
                &[TimeoutTurn(2_000_000), TimeoutMatch(100_000_000), TimeLeft(1_999_999)],
                (Some(2_000_000), Some(1_999_999)),
            ),
        ];
        for (infos, expected) in cases {
            assert_eq!(times(&settings(infos)), expected, "{infos:?}");
        }
    }

    #[test]
    fn a_search_that_nobody_can_stop_has_a_limit() {
        use Info::{MaxDepth, MaxNode, TimeoutMatch, TimeoutTurn};
        let turn = |more: &[Info]| {
            let unlimited = [TimeoutTurn(2_000_000), TimeoutMatch(100_000_000)];
            settings(&[&unlimited, more].concat()).unattended_time_control().turn
        };
        for more in [&[][..], &[MaxDepth(225)], &[MaxNode(0)], &[MaxNode(u64::MAX)]] {
            assert_eq!(turn(more), Some(DEFAULT_TURN), "{more:?}");
        }
        for more in [MaxDepth(12), MaxNode(10_000)] {
            assert_eq!(turn(&[more]), None, "{more:?}");
        }
        assert_eq!(turn(&[TimeoutTurn(700)]), Some(Duration::from_millis(700)));
    }

    #[test]
    fn a_caution_factor_that_is_none_changes_nothing() {
        let reach = |values: &[u64]| {
            let infos: Vec<Info> = values.iter().map(|&value| Info::CautionFactor(value)).collect();
            settings(&infos).reach()
        };
        assert_eq!(reach(&[]), Reach::Square3Line4);
        assert_eq!(Reach::ALL.map(|r| reach(&[r as u64])), Reach::ALL);
        assert_eq!(reach(&[1, 6]), Reach::Square2Line3);
    }

    #[test]
    fn rule_codes_are_bits() {
        let rule = |code| settings(&[Info::Rule(code)]).rule();
        let expected = [
            (Rule::Freestyle, [0, 2, 16].as_slice()),
            (Rule::Standard, &[1, 3]),
            (Rule::Renju, &[4, 6, 5, 12, 13, 15, 255]),
            (Rule::Caro, &[8, 10]),
            (Rule::CaroExact, &[9, 11]),
        ];
        for (expected, codes) in expected {
            for &code in codes {
                assert_eq!(rule(code), expected, "code {code}");
            }
        }
        let mut yixin = settings(&[Info::Rule(2)]);
        yixin.speak_yixin();
        assert_eq!(yixin.rule(), Rule::Renju);
    }

    #[test]
    fn limits_of_zero_or_beyond_reach_are_none() {
        let limits = settings(&[Info::MaxDepth(u64::MAX), Info::MaxNode(0)]).limits();
        assert_eq!((limits.depth, limits.nodes), (MAX_DEPTH, u64::MAX));
        let limits = settings(&[Info::MaxDepth(7), Info::MaxNode(20_000)]).limits();
        assert_eq!((limits.depth, limits.nodes), (7, 20_000));
    }

    #[test]
    fn strength_and_style_are_taken_within_their_range() {
        assert_eq!(settings(&[]).limits(), Limits::default());
        let limits = |info| settings(&[info]).limits();
        assert_eq!(limits(Info::Strength(30)).strength.number(), 30);
        assert_eq!(limits(Info::Strength(u64::MAX)), Limits::default());
        assert_eq!(limits(Info::Style(50)), Limits::default());
        assert_eq!(limits(Info::Style(0)).style, Style::nearest(0));
        assert_eq!(limits(Info::Style(300)).style, Style::nearest(100));
    }

    #[test]
    fn nothing_but_a_limit_ends_an_unattended_search() {
        let unlimited = [Info::TimeoutTurn(2_000_000), Info::TimeoutMatch(100_000_000)];
        let turn = |info| {
            let settings = settings(&[unlimited[0], unlimited[1], info]);
            settings.unattended_time_control().turn
        };
        assert_eq!(turn(Info::Style(80)), Some(DEFAULT_TURN));
        for info in [Info::Strength(99), Info::MaxDepth(3), Info::MaxNode(9)] {
            assert_eq!(turn(info), None, "{info:?}");
        }
    }
}
