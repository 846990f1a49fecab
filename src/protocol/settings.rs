//! Settings: what INFO sets, and the limits of the next search. They outlive the game.

mod match_clock;
mod memory;

use tengen_gomocup::Info;
use tengen_gomoku::board::CandidateRange;
use tengen_gomoku::types::{Color, Rule};

use super::task::Mode;
use super::timing::default_turn;
use crate::eval::Style;
use crate::search::clock::TimeControl;
use crate::search::{Limits, MAX_DEPTH, Override, Params, RootOptions, Strength};
use match_clock::MatchClock;

pub use memory::{MAX_HASH_EXPONENT, MemoryLimits, return_freed_memory};

/// From here on a node limit is none: it would take years.
const UNLIMITED_NODES: u64 = 1_000_000_000_000_000;
/// From here on a depth ends no unattended search in time.
const ENDLESS_DEPTH: i32 = 40;

/// Bits of the rule code.
const EXACT_FIVE: u64 = 1;
const CONTINUOUS: u64 = 2;
const RENJU: u64 = 4;
const CARO: u64 = 8;
/// Yixin's code of renju, elsewhere continuous freestyle.
const YIXIN_RENJU: u64 = 2;

/// Rapfi's codes of freestyle with an opening, elsewhere renju bits.
const RAPFI_SWAP1: u64 = 5;
const RAPFI_SWAP2: u64 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningRule {
    Free,
    /// One stone; then the other player may take its color.
    Swap1,
    /// Three stones; then he may, or place two more.
    Swap2,
}

impl OpeningRule {
    pub fn may_swap(self, stones: usize) -> bool {
        matches!((self, stones), (OpeningRule::Swap1, 1) | (OpeningRule::Swap2, 3 | 5))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub clock: MatchClock,
    pub memory: MemoryLimits,
    rule_code: u64,
    sent: Limits,
    pub leaves_out_symmetric_moves: bool,
    pub shows_realtime: bool,
    pub shows_numbers: bool,
    pub candidate_range: CandidateRange,
    ponders: bool,
    /// Whether our next move may be SWAP. Only managers with Rapfi's rule codes send it.
    pub swapable: Option<bool>,
    pub ignores_database: bool,
    database_is_readonly: bool,
    /// True after YXSHOWINFO, for Yixin-Board: Yixin's rule codes, points by row and column, START
    /// with columns and rows, and one table for all games.
    pub yixin: bool,
    /// True after a word or key that only clients of Rapfi send.
    pub rapfi: bool,
    /// No search exceeds these, whatever the manager sets.
    bounds: Limits,
    overrides: Vec<Override>,
}

impl Settings {
    pub fn new(bounds: Limits, overrides: Vec<Override>) -> Settings {
        Settings { bounds, overrides, ..Settings::default() }
    }

    /// Applies a setting during a search. A turn of 0 ends the search; it lifts no limit.
    pub fn apply_during_search(&mut self, info: Info) {
        let lifted = (self.clock.is_turn_lifted, self.clock.is_game_lifted);
        self.apply(info);
        if matches!(info, Info::TimeoutTurn(..=0) | Info::TimeoutMatch(..=0)) {
            (self.clock.is_turn_lifted, self.clock.is_game_lifted) = lifted;
        }
    }

    pub fn apply(&mut self, info: Info) {
        if matches!(info, Info::ShowDetail(_) | Info::Strength(_) | Info::CautionFactor(_)) {
            self.rapfi = true;
        }
        match info {
            Info::TimeoutTurn(value) => self.clock.set_turn(value),
            Info::TimeoutMatch(value) => self.clock.set_match(value),
            Info::TimeLeft(value) => self.clock.set_left(value),
            Info::MaxMemory(value) => self.memory.limit = value,
            Info::HashSize(value) => self.memory.hash_kilobytes = value,
            Info::Rule(value) => self.rule_code = value,
            Info::MaxDepth(0) => self.sent.depth = MAX_DEPTH,
            Info::MaxDepth(value) => self.sent.depth = plies(value),
            Info::StartDepth(value) => self.sent.first_depth = plies(value).max(1),
            Info::MaxNode(0 | UNLIMITED_NODES..) => self.sent.nodes = u64::MAX,
            Info::MaxNode(value) => self.sent.nodes = value,
            Info::NBestSym(value) => self.leaves_out_symmetric_moves = value != 0,
            Info::ThreadNum(value) => self.memory.threads = value,
            Info::Strength(value) => self.sent.strength = Strength::nearest(value),
            Info::Style(value) => self.sent.style = Style::nearest(value),
            Info::ShowDetail(value) => {
                self.shows_realtime = value & 1 != 0;
                self.shows_numbers = value & 2 != 0;
            }
            Info::TimeIncrement(value) => self.clock.set_increment(value),
            Info::CautionFactor(value) => {
                let range = CandidateRange::ALL.get(usize::try_from(value).unwrap_or(usize::MAX));
                self.candidate_range = range.copied().unwrap_or(self.candidate_range);
            }
            Info::Pondering(value) => self.ponders = value != 0,
            Info::Swapable(value) => self.swapable = Some(value != 0),
            Info::MaxMoves(value) => {
                let moves = usize::try_from(value).ok().filter(|&moves| moves > 0);
                self.sent.draw_rule.moves = moves.unwrap_or(usize::MAX);
            }
            Info::DrawResult(value) => {
                self.sent.draw_rule.winner = match value {
                    1 => Some(Color::Black),
                    2 => Some(Color::White),
                    _ => None,
                };
            }
            Info::Seed(_) | Info::GameType(_) | Info::Ignored => {}
            Info::UseDatabase(value) => self.ignores_database = value == 0,
            Info::DatabaseReadonly(value) => self.database_is_readonly = value != 0,
        }
    }

    pub fn database_mode(&self) -> Mode {
        if self.database_is_readonly { Mode::ReadOnly } else { Mode::Write }
    }

    fn has_rapfi_codes(&self) -> bool {
        self.yixin || self.swapable.is_some()
    }

    /// Returns true if the code means renju only because the manager is a client of Rapfi.
    pub fn is_renju_to_rapfi(&self) -> bool {
        self.rapfi && !self.has_rapfi_codes() && self.rule_code == YIXIN_RENJU
    }

    fn has_yixin_renju(&self) -> bool {
        (self.rapfi || self.has_rapfi_codes()) && self.rule_code == YIXIN_RENJU
    }

    /// Returns true for a continuous game, in which owners of stones are never colors.
    pub fn is_continuous(&self) -> bool {
        let is_opening = self.opening_rule() != OpeningRule::Free;
        self.rule_code & CONTINUOUS != 0 && !is_opening && !self.has_yixin_renju()
    }

    pub fn opening_rule(&self) -> OpeningRule {
        match self.rule_code {
            RAPFI_SWAP1 if self.has_rapfi_codes() => OpeningRule::Swap1,
            RAPFI_SWAP2 if self.has_rapfi_codes() => OpeningRule::Swap2,
            _ => OpeningRule::Free,
        }
    }

    /// Returns the rule: renju has precedence over caro, caro over exact five.
    pub fn rule(&self) -> Rule {
        let has = |bit| self.rule_code & bit != 0;
        if self.opening_rule() != OpeningRule::Free {
            Rule::Freestyle
        } else if has(RENJU) || self.has_yixin_renju() {
            Rule::Renju
        } else if has(CARO) {
            if has(EXACT_FIVE) { Rule::CaroExact } else { Rule::Caro }
        } else if has(EXACT_FIVE) {
            Rule::Standard
        } else {
            Rule::Freestyle
        }
    }

    pub fn params(&self) -> Params {
        Params::with_overrides(self.rule(), &self.overrides)
    }

    pub fn limits(&self) -> Limits {
        self.sent.within(&self.bounds)
    }

    /// Returns the limits of a search in the opponent's time. A weakened player does not ponder,
    /// nor one with a style, whose scores mean nothing with the opponent to move.
    pub fn ponder_limits(&self) -> Option<Limits> {
        let is_whole = self.sent.strength.is_full() && self.sent.style.is_neutral();
        let limits = Limits { draw_rule: self.sent.draw_rule, ..Limits::default() };
        (self.ponders && is_whole).then(|| limits.within(&self.bounds))
    }

    pub fn time_control(&self, root: &RootOptions) -> TimeControl {
        let Limits { depth, nodes, .. } = self.sent;
        let has_node_limit = nodes != u64::MAX;
        let is_plain = !root.is_analysis && !has_node_limit && depth == MAX_DEPTH;
        let control = if is_plain { self.clock.control() } else { self.clock.lifted_control() };
        control.unwrap_or_else(|| {
            // A node limit asks for the same search on every machine.
            let turn = (!has_node_limit).then(default_turn);
            TimeControl { turn, ..TimeControl::default() }
        })
    }

    /// Returns true if only a stop ends such a search.
    pub fn is_endless(&self, root: &RootOptions) -> bool {
        let mut limits = self.sent;
        if limits.depth >= ENDLESS_DEPTH {
            limits.depth = MAX_DEPTH;
        }
        limits.is_endless() && self.time_control(root) == TimeControl::default()
    }

    /// Returns the time limits of a search that nobody can stop: an endless one gets the default.
    pub fn unattended_time_control(&self, root: &RootOptions) -> TimeControl {
        let time = self.time_control(root);
        let turn = if self.is_endless(root) { Some(default_turn()) } else { time.turn };
        TimeControl { turn, ..time }
    }
}

fn plies(value: u64) -> i32 {
    value.min(MAX_DEPTH as u64) as i32
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::search::DrawRule;
    use tengen_gomoku::types::CoordSet;

    const GAME: RootOptions = RootOptions {
        excluded: CoordSet::EMPTY,
        multi_pv: 1,
        all_moves: false,
        is_analysis: false,
    };
    const ANALYSIS: RootOptions = RootOptions { is_analysis: true, ..GAME };

    fn settings(infos: &[Info]) -> Settings {
        let mut settings = Settings::default();
        for &info in infos {
            settings.apply(info);
        }
        settings
    }

    fn times(settings: &Settings) -> (Option<u128>, Option<u128>) {
        let control = settings.time_control(&GAME);
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
            // Yixin-Board subtracts its own measurements.
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
    fn limits_of_0_and_below_are_none_but_for_a_plain_move() {
        use Info::{MaxDepth, MaxNode, TimeLeft, TimeoutMatch, TimeoutTurn};
        let never = TimeLeft(2_147_483_647);
        let (second, at_once) = (Some(1_000), Some(0));
        // Limits of a plain move, and of a search of the extension.
        let cases: [(&[Info], _, _); 16] = [
            (&[TimeoutTurn(0)], (at_once, None), (None, None)),
            (&[TimeoutTurn(-1)], (Some(5_000), None), (None, None)),
            (&[TimeoutMatch(0)], (Some(5_000), None), (None, None)),
            (&[TimeoutTurn(0), TimeoutMatch(0), never], (at_once, None), (None, None)),
            (&[TimeoutTurn(0), TimeoutMatch(0), TimeLeft(0)], (at_once, None), (None, None)),
            (&[TimeoutTurn(-1), TimeoutMatch(-1)], (Some(5_000), None), (None, None)),
            (
                &[TimeoutTurn(0), TimeoutMatch(100_000_000)],
                (at_once, Some(100_000_000)),
                (None, None),
            ),
            (&[TimeoutTurn(0), TimeoutMatch(1_000)], (at_once, second), (None, second)),
            (&[TimeoutTurn(0), TimeLeft(1_000)], (at_once, second), (None, second)),
            (&[TimeoutTurn(0), TimeLeft(-9)], (at_once, Some(0)), (None, Some(0))),
            (&[TimeoutTurn(1_000), TimeoutMatch(0)], (second, None), (second, None)),
            // A negative number keeps the last one.
            (&[TimeoutTurn(1_000), TimeoutTurn(-5)], (second, None), (None, None)),
            (&[TimeoutTurn(-5), TimeoutTurn(1_000)], (second, None), (second, None)),
            (&[TimeoutTurn(0), TimeoutTurn(1_000)], (second, None), (second, None)),
            (
                &[TimeoutTurn(9), TimeoutMatch(1_000), TimeoutMatch(-5)],
                (Some(9), second),
                (Some(9), None),
            ),
            (
                &[TimeoutTurn(0), TimeoutMatch(9), TimeoutMatch(i64::MIN), TimeLeft(0)],
                (at_once, Some(0)),
                (None, None),
            ),
        ];
        for (infos, plain, lifted) in cases {
            let times = |root: &RootOptions, more: &[Info]| {
                let control = settings(&[infos, more].concat()).time_control(root);
                (control.turn.map(|t| t.as_millis()), control.left.map(|t| t.as_millis()))
            };
            assert_eq!(times(&GAME, &[]), plain, "{infos:?}");
            assert_eq!(times(&ANALYSIS, &[]), lifted, "{infos:?}");
            for limit in [MaxNode(1_000), MaxDepth(9)] {
                assert_eq!(times(&GAME, &[limit]), lifted, "{infos:?}");
            }
            for none in [MaxNode(0), MaxNode(u64::MAX), MaxDepth(0), MaxDepth(225)] {
                assert_eq!(times(&GAME, &[none]), plain, "{infos:?}");
            }
        }
    }

    #[test]
    fn a_limit_of_0_during_a_search_lifts_none() {
        use Info::TimeoutTurn;
        let turn = |before: &[Info], during| {
            let mut settings = settings(before);
            settings.apply_during_search(TimeoutTurn(during));
            [&GAME, &ANALYSIS].map(|root| settings.time_control(root).turn)
        };
        let second = Some(Duration::from_secs(1));
        let at_once = Some(Duration::ZERO);
        assert_eq!(turn(&[TimeoutTurn(1_000)], 0), [at_once; 2]);
        assert_eq!(turn(&[TimeoutTurn(1_000)], -1), [second; 2]);
        assert_eq!(turn(&[TimeoutTurn(0)], 0), [at_once, None]);
        assert_eq!(turn(&[TimeoutTurn(0)], 1_000), [second; 2]);
    }

    #[test]
    fn a_search_that_nobody_can_stop_has_a_limit() {
        use Info::{MaxDepth, MaxNode, TimeoutMatch, TimeoutTurn};
        let turn = |more: &[Info]| {
            let unlimited = [TimeoutTurn(2_000_000), TimeoutMatch(100_000_000)];
            settings(&[&unlimited, more].concat()).unattended_time_control(&GAME).turn
        };
        for more in
            [&[][..], &[MaxDepth(225)], &[MaxDepth(99)], &[MaxNode(0)], &[MaxNode(u64::MAX)]]
        {
            assert_eq!(turn(more), Some(Duration::from_secs(5)), "{more:?}");
        }
        for more in [MaxDepth(12), MaxNode(10_000)] {
            assert_eq!(turn(&[more]), None, "{more:?}");
        }
        assert_eq!(turn(&[TimeoutTurn(700)]), Some(Duration::from_millis(700)));
        let lifted = settings(&[TimeoutTurn(0), TimeoutMatch(0)]);
        assert_eq!(lifted.unattended_time_control(&ANALYSIS).turn, Some(default_turn()));
    }

    #[test]
    fn a_caution_factor_that_is_none_changes_nothing() {
        let range = |values: &[u64]| {
            let infos: Vec<Info> = values.iter().map(|&value| Info::CautionFactor(value)).collect();
            settings(&infos).candidate_range
        };
        assert_eq!(range(&[]), CandidateRange::Square3Line4);
        assert_eq!(CandidateRange::ALL.map(|r| range(&[r as u64])), CandidateRange::ALL);
        assert_eq!(range(&[1, 6]), CandidateRange::Square2Line3);
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
        yixin.yixin = true;
        assert_eq!(yixin.rule(), Rule::Renju);
        // Swapable implies the rule codes of Rapfi.
        for swapable in [0, 1] {
            assert_eq!(settings(&[Info::Rule(2), Info::Swapable(swapable)]).rule(), Rule::Renju);
        }
    }

    #[test]
    fn the_codes_of_rapfi_are_openings_of_freestyle_there() {
        for (code, opening) in [(5, OpeningRule::Swap1), (6, OpeningRule::Swap2)] {
            let elsewhere = settings(&[Info::Rule(code)]);
            assert_eq!(
                (elsewhere.rule(), elsewhere.opening_rule()),
                (Rule::Renju, OpeningRule::Free)
            );
            let mut yixin = elsewhere;
            yixin.yixin = true;
            assert_eq!((yixin.rule(), yixin.opening_rule()), (Rule::Freestyle, opening));
            assert_eq!(yixin.swapable, None);
        }
        assert_eq!(
            [0, 1, 3].map(|stones| OpeningRule::Swap1.may_swap(stones)),
            [false, true, false]
        );
        let stones = (0..7).filter(|&stones| OpeningRule::Swap2.may_swap(stones));
        assert_eq!(stones.collect::<Vec<usize>>(), [3, 5]);
    }

    #[test]
    fn draws_are_as_early_and_for_whom_they_are_set() {
        let draw_rule = |infos: &[Info]| settings(infos).limits().draw_rule;
        assert_eq!(draw_rule(&[]), DrawRule::default());
        assert_eq!(draw_rule(&[Info::MaxMoves(0), Info::DrawResult(3)]), DrawRule::default());
        let rule = DrawRule { moves: 200, winner: Some(Color::White) };
        assert_eq!(draw_rule(&[Info::MaxMoves(200), Info::DrawResult(2)]), rule);
        assert_eq!(draw_rule(&[Info::DrawResult(1)]).winner, Some(Color::Black));
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
            settings.unattended_time_control(&GAME).turn
        };
        assert_eq!(turn(Info::Style(80)), Some(default_turn()));
        for info in [Info::Strength(99), Info::MaxDepth(3), Info::MaxNode(9)] {
            assert_eq!(turn(info), None, "{info:?}");
        }
    }
}
