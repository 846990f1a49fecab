//! What INFO sets: time, memory, rule and limits, and what follows from it for the next search.
//!
//! Settings outlive the game; only the match clock, what was used and what is left of it, starts
//! anew with each one. They know neither the position nor the search thread.

use std::time::Duration;

use super::command::Info;
use crate::board::Reach;
use crate::eval::Style;
use crate::search::clock::TimeControl;
use crate::search::{HELPER_BYTES, Limits, MAX_DEPTH, Strength, max_threads};
use crate::types::Rule;

/// The time for a move if no limit was ever sent.
const DEFAULT_TURN: Duration = Duration::from_secs(5);
/// From here on a time left is no limit.
const UNLIMITED_LEFT: i64 = 2_147_483_647;
/// Yixin-Board's way to say that there is no time limit: both of these, and as time left what the
/// match has beyond the time used. Less left than one such turn is a real limit.
const YIXIN_UNLIMITED_TURN: Duration = Duration::from_millis(2_000_000);
const YIXIN_UNLIMITED_MATCH: Duration = Duration::from_millis(100_000_000);

/// From here on a node limit is none: years would not be enough for it.
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

const MEBIBYTE: u64 = 1 << 20;
/// The memory limit that Gomocup sets in practice.
const DEFAULT_MEMORY: u64 = 350 * MEBIBYTE;
/// From here on a memory limit is a manager's way to say that there is none.
const UNLIMITED_MEMORY: u64 = 2_147_483_647;
/// Room for everything but the table and the helper threads: the program, rule tables, stacks, the input.
const PROGRAM_MEMORY: u64 = 20 * MEBIBYTE;
/// Below this limit the aim is the limit itself, from it on three quarters of the limit.
const SMALL_MEMORY: u64 = 128 * MEBIBYTE;
const TABLE_MIN: u64 = MEBIBYTE;
/// The largest exponent of two whose kilobytes a table may have under any limit: 1 GB.
pub const MAX_HASH_EXPONENT: u32 = 20;

/// Everything that INFO can change, with its use so far.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    turn: Option<Duration>,
    /// `Some(None)` is an explicit "no limit".
    game: Option<Option<Duration>>,
    /// What was left, and how much of `used` lay behind us then; may be negative.
    left: Option<(i64, Duration)>,
    /// Thinking time of this game.
    used: Duration,
    memory: u64,
    hash_kilobytes: u64,
    rule_code: u64,
    depth: u64,
    start_depth: u64,
    nodes: u64,
    leaves_out_twins: bool,
    threads: u64,
    strength: Strength,
    style: Style,
    show_detail: u64,
    increment: Duration,
    reach: Reach,
    ponders: bool,
    /// True after YXSHOWINFO: the manager counts rules as Yixin does.
    yixin: bool,
}

impl Settings {
    /// Takes over one value.
    pub fn apply(&mut self, info: Info) {
        match info {
            Info::TimeoutTurn(value) => self.turn = Some(milliseconds(value)),
            Info::TimeoutMatch(value) => {
                self.game = Some((value > 0).then(|| milliseconds(value)));
            }
            Info::TimeLeft(value) => self.left = Some((value, self.used)),
            Info::MaxMemory(value) => self.memory = value,
            Info::HashSize(value) => self.hash_kilobytes = value,
            Info::Rule(value) => self.rule_code = value,
            Info::MaxDepth(value) => self.depth = value,
            Info::StartDepth(value) => self.start_depth = value,
            Info::MaxNode(value) => self.nodes = value,
            Info::NBestSym(value) => self.leaves_out_twins = value != 0,
            Info::ThreadNum(value) => self.threads = value,
            Info::Strength(value) => self.strength = Strength::nearest(value),
            Info::Style(value) => self.style = Style::nearest(value),
            Info::ShowDetail(value) => self.show_detail = value,
            Info::TimeIncrement(value) => self.increment = milliseconds(value),
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

    /// Returns true if of best moves that are alike but for a symmetry only one is wanted.
    pub fn leaves_out_twins(&self) -> bool {
        self.leaves_out_twins
    }

    /// Returns true if what is thought about is to be marked on the manager's board.
    pub fn shows_realtime(&self) -> bool {
        self.show_detail & SHOW_REALTIME != 0
    }

    /// Returns true if the manager wants the numbers of the search one by one.
    pub fn shows_numbers(&self) -> bool {
        self.show_detail & SHOW_NUMBERS != 0
    }

    /// Starts the match clock of a new game.
    pub fn start_game(&mut self) {
        // Once a move was thought about, what was left then belongs to the old game.
        let is_new = |&(_, used_then): &(i64, Duration)| used_then == self.used;
        self.left = self.left.filter(is_new).map(|(left, _)| (left, Duration::ZERO));
        self.used = Duration::ZERO;
    }

    /// Counts time that a move of ours took.
    pub fn spend(&mut self, time: Duration) {
        self.used += time;
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
        let left = self.time_left();
        if left.is_none() && self.turn.is_none() {
            // A node limit is a wish for the same search on every machine.
            let has_node_limit = self.limits().nodes != u64::MAX;
            let turn = (!has_node_limit).then_some(DEFAULT_TURN);
            return TimeControl { turn, ..TimeControl::default() };
        }
        let unlimited = self.turn.is_some_and(|turn| turn >= YIXIN_UNLIMITED_TURN)
            && self.game.flatten().is_some_and(|game| game >= YIXIN_UNLIMITED_MATCH)
            && left.is_none_or(|left| left >= YIXIN_UNLIMITED_TURN);
        match unlimited {
            true => TimeControl::default(),
            false => TimeControl { turn: self.turn, left, increment: self.increment },
        }
    }

    /// Returns the time limits of the next move when nobody is left to stop it: a search that
    /// nothing else would end has the default time.
    pub fn unattended_time_control(&self) -> TimeControl {
        let time = self.time_control();
        let is_endless = time == TimeControl::default() && self.limits().is_endless();
        match is_endless {
            true => TimeControl { turn: Some(DEFAULT_TURN), ..time },
            false => time,
        }
    }

    /// Returns the match time left, or `None` if there is no limit.
    fn time_left(&self) -> Option<Duration> {
        match (self.left, self.game) {
            // The manager sends what is left, or did at some time.
            (Some((left, used_then)), game) if left < UNLIMITED_LEFT => {
                if left <= 0 && game == Some(None) {
                    return None;
                }
                let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
                Some(left.saturating_sub(self.used.saturating_sub(used_then)))
            }
            (_, Some(Some(game))) => Some(game.saturating_sub(self.used)),
            _ => None,
        }
    }

    /// Returns the number of threads that search.
    pub fn threads(&self) -> usize {
        // Asking for the number of processors takes time.
        if self.threads > 1 { self.threads_of(max_threads()) } else { 1 }
    }

    /// Returns the number of threads if there may be `most`. Helpers get half of the memory that
    /// could be the table's at most.
    fn threads_of(&self, most: usize) -> usize {
        let helpers = (self.room() / 2 / HELPER_BYTES).min(most.saturating_sub(1) as u64);
        1 + self.threads.saturating_sub(1).min(helpers) as usize
    }

    /// Returns the size of the transposition table that keeps the whole program below the memory
    /// limit.
    pub fn table_bytes(&self) -> usize {
        self.table_bytes_beside(self.threads())
    }

    /// Returns the size of the table if this many threads search.
    fn table_bytes_beside(&self, threads: usize) -> usize {
        let room = self.room().saturating_sub((threads as u64 - 1) * HELPER_BYTES);
        let wish = match self.hash_kilobytes {
            0 => room,
            kilobytes => kilobytes.saturating_mul(1024),
        };
        let most = room.min(1 << (MAX_HASH_EXPONENT + 10));
        usize::try_from(wish.min(most).max(TABLE_MIN)).unwrap_or(usize::MAX)
    }

    /// Returns the memory that the table and the helper threads may take.
    fn room(&self) -> u64 {
        let limit = match self.memory {
            0 | UNLIMITED_MEMORY.. => DEFAULT_MEMORY,
            limit => limit,
        };
        if limit < SMALL_MEMORY {
            // 32 MB leave 12, and the two lines meet at 128 MB.
            (limit / 3 * 2).saturating_sub(28 * MEBIBYTE / 3)
        } else {
            limit / 4 * 3 - PROGRAM_MEMORY
        }
    }
}

/// Returns the time, cut off where no limit could ever be meant.
fn milliseconds(value: u64) -> Duration {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    Duration::from_millis(value).min(CENTURY)
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
    fn own_time_is_taken_off_where_the_manager_does_not() {
        let mut settings = settings(&[Info::TimeoutMatch(9_000)]);
        settings.spend(Duration::from_millis(1_000));
        assert_eq!(times(&settings), (None, Some(8_000)));
        settings.apply(Info::TimeLeft(7_000));
        assert_eq!(times(&settings), (None, Some(7_000)));
        settings.spend(Duration::from_millis(500));
        assert_eq!(times(&settings), (None, Some(6_500)));
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
    fn an_increment_counts_where_the_match_is_limited() {
        let increment = |infos: &[Info]| settings(infos).time_control().increment.as_millis();
        use Info::{TimeIncrement, TimeLeft, TimeoutMatch, TimeoutTurn};
        assert_eq!(increment(&[TimeLeft(9_000), TimeIncrement(500)]), 500);
        assert_eq!(increment(&[TimeIncrement(500)]), 0);
        let unlimited = [TimeoutTurn(2_000_000), TimeoutMatch(100_000_000), TimeIncrement(500)];
        assert_eq!(increment(&unlimited), 0);
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
    fn time_left_of_a_game_ends_with_it() {
        let mut settings = settings(&[Info::TimeoutMatch(9_000), Info::TimeLeft(8_000)]);
        settings.spend(Duration::from_millis(500));
        settings.start_game();
        assert_eq!(times(&settings), (None, Some(9_000)));
        settings.spend(Duration::from_millis(500));
        settings.apply(Info::TimeoutMatch(60_000));
        assert_eq!(times(&settings), (None, Some(59_500)));
        // What is sent ahead of START belongs to the new game.
        settings.apply(Info::TimeLeft(7_000));
        settings.start_game();
        assert_eq!(times(&settings), (None, Some(7_000)));
        settings.spend(Duration::from_millis(500));
        assert_eq!(times(&settings), (None, Some(6_500)));
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
    fn the_table_leaves_room_under_every_memory_limit() {
        let table = |memory, hash| {
            settings(&[Info::MaxMemory(memory), Info::HashSize(hash)]).table_bytes() as u64
        };
        for megabytes in 32..=2047 {
            let limit = megabytes * MEBIBYTE;
            let aim = if megabytes < 128 { limit } else { limit / 4 * 3 };
            assert!(table(limit, 0) + 20 * MEBIBYTE <= aim, "{megabytes}");
            assert!(table(limit, 0) >= table(limit - MEBIBYTE, 0));
        }
        for limit in [0, 2_147_483_647, 1_099_511_627_776, u64::MAX] {
            assert_eq!(table(limit, 0), table(DEFAULT_MEMORY, 0));
        }
        assert_eq!(table(1, 0), TABLE_MIN);
        assert_eq!(table(0, 65_536), 64 * MEBIBYTE);
        assert_eq!(table(0, u64::MAX), table(0, 0));
    }

    #[test]
    fn threads_are_paid_for_by_the_table() {
        let threads = |memory, number, most| {
            settings(&[Info::MaxMemory(memory), Info::ThreadNum(number)]).threads_of(most)
        };
        let cases = [(0, 1), (1, 1), (2, 2), (8, 8), (9, 8), (u64::MAX, 8)];
        for (number, expected) in cases {
            assert_eq!(threads(DEFAULT_MEMORY, number, 8), expected);
        }
        assert_eq!(threads(DEFAULT_MEMORY, 64, 1), 1);
        assert_eq!(threads(1, 64, 64), 1, "no memory, no help");
        for megabytes in 32..=2047 {
            let settings = settings(&[Info::MaxMemory(megabytes * MEBIBYTE), Info::ThreadNum(64)]);
            let threads = settings.threads_of(64);
            let table = settings.table_bytes_beside(threads) as u64;
            let both = table + (threads as u64 - 1) * HELPER_BYTES;
            let most = settings.room().min(1 << (MAX_HASH_EXPONENT + 10));
            assert!(threads > 2 && both >= most && both <= settings.room(), "{megabytes}");
            assert!(both <= 2 * table, "{megabytes}");
        }
        assert!((1..=64).contains(&settings(&[Info::ThreadNum(64)]).threads()));
        assert_eq!(settings(&[]).threads(), 1);
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
