//! The threads of a search: start and end, and the vote for the result.
//!
//! Lazy SMP: every thread runs the iterations on its own board; the transposition table is shared.
//! Only the main thread tests root moves, runs the threat search, reports and watches the planned
//! time. The search ends when the main thread does, or when any thread has settled its PVs. If a
//! helper fails to start or panics, the others go on.

use std::thread;

use super::report::Report;
use super::tree::Shared;
use crate::fault::{InjectedFault, is_injected};

/// Stack of a search. The main thread of a Windows program has 1 MB, which is too little.
pub const STACK_BYTES: usize = 16 << 20;
/// Memory of a helper, 5.5 MiB: board, state, network sums, and its used stack.
pub const HELPER_BYTES: u64 = 5_632 << 10;
const MAX_THREADS: usize = 64;
/// The weight of a vote before the lead of its score is added.
const VOTE_BASE: i32 = 15;

/// Returns the most threads of a search: one for each processor, at most 64; 64 if unknown.
pub fn max_threads() -> usize {
    thread::available_parallelism().map_or(MAX_THREADS, |n| n.get().min(MAX_THREADS))
}

struct End<'a>(&'a Shared<'a>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Runs `main` here and `help` in a thread for each of `helpers` (their states; numbered from 1),
/// until `main` returns. Returns the results, the main one first, without helpers that failed to
/// start or panicked.
pub fn run<S: Send, T: Send>(
    shared: &Shared,
    helpers: &mut [S],
    main: impl FnOnce() -> T,
    help: impl Fn(usize, &mut S) -> T + Sync,
) -> Vec<T> {
    let help = &help;
    thread::scope(|scope| {
        let start = |(i, state)| {
            let thread = thread::Builder::new().name(format!("helper {i}")).stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, move || help(i, state)).ok()
        };
        let helpers = (1..).zip(helpers).take_while(|_| !is_injected(InjectedFault::HelperStart));
        let started: Vec<_> = helpers.map_while(start).collect();
        let end = End(shared);
        let mut results = vec![main()];
        drop(end);
        results.extend(started.into_iter().filter_map(|helper| helper.join().ok()));
        results
    })
}

/// Returns true if a thread skips this iteration. Half of the helpers search even depths, half odd
/// ones: they get ahead, and the main thread finds deep entries in the table.
pub fn skips(thread: usize, depth: i32) -> bool {
    thread > 0 && (depth as usize + thread).is_multiple_of(2)
}

/// Returns the elected report; the first is the main thread's.
///
/// A settled result with the highest score wins. Otherwise threads vote for moves (as in
/// Stockfish) with weight (score - lowest score + base) * depth. Reports shallower than the
/// main thread's cannot win. Of the elected move the report with the most weight wins, of equal
/// ones the first.
pub fn elect(mut reports: Vec<Report>) -> Report {
    let finished = || reports.iter().filter(|report| report.depth > 0);
    let lowest = finished().map(|report| report.score.value()).min().unwrap_or(0);
    let weight = |report: &Report| {
        i64::from(report.score.value() - lowest + VOTE_BASE) * i64::from(report.depth)
    };
    let rank = |report: &Report| {
        let settled = report.is_settled().then_some(report.score);
        let votes: i64 = finished().filter(|other| other.best == report.best).map(weight).sum();
        (settled, report.depth >= reports[0].depth, votes, weight(report))
    };
    let winner = (0..reports.len()).rev().max_by_key(|&i| rank(&reports[i]));
    reports.swap_remove(winner.expect("invariant: the main thread reports"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;
    use crate::search::control::Control;
    use crate::search::table::Table;
    use crate::search::{Limits, Params};
    use tengen_gomoku::types::{Coord, Rule};

    fn report(x: u8, score: Score, depth: i32) -> Report {
        Report { score, depth, ..Report::unsearched(Coord::new(x, 0)) }
    }

    fn elected(reports: &[(u8, Score, i32)]) -> (u8, i32) {
        let reports = reports.iter().map(|&(x, score, depth)| report(x, score, depth)).collect();
        let winner = elect(reports);
        (winner.best.x(), winner.depth)
    }

    #[test]
    fn the_main_thread_wins_ties() {
        let even = Score::eval(10);
        assert_eq!(elected(&[(1, even, 9)]), (1, 9));
        assert_eq!(elected(&[(1, even, 9), (2, even, 9)]), (1, 9));
        assert_eq!(elected(&[(1, Score::DRAW, 0), (2, Score::DRAW, 0)]), (1, 0));
    }

    #[test]
    fn the_vote_counts_scores_depths_and_heads() {
        let eval = Score::eval;
        assert_eq!(elected(&[(1, eval(10), 9), (2, eval(10), 10)]), (2, 10));
        assert_eq!(elected(&[(1, eval(10), 9), (2, eval(40), 9)]), (2, 9));
        assert_eq!(elected(&[(1, eval(10), 9), (2, eval(40), 8)]), (1, 9));
        assert_eq!(elected(&[(1, eval(12), 9), (2, eval(10), 9), (2, eval(10), 9)]), (2, 9));
        assert_eq!(elected(&[(1, Score::DRAW, 0), (2, eval(-50), 1)]), (2, 1));
        assert_eq!(elected(&[(1, eval(5), 3), (1, eval(5), 4), (2, eval(-5), 4)]), (1, 4));
    }

    #[test]
    fn proofs_need_no_majority() {
        let (high, win) = (Score::eval(900), Score::win_in(9));
        assert_eq!(elected(&[(1, high, 20), (1, high, 20), (2, win, 4)]), (2, 4));
        assert_eq!(elected(&[(1, win, 20), (2, Score::win_in(7), 4)]), (2, 4));
        // Lost is lost, whatever a shallower search hopes for, but only if it was looked at long.
        assert_eq!(elected(&[(1, Score::loss_in(8), 17), (2, high, 12)]), (1, 17));
        assert_eq!(elected(&[(1, Score::loss_in(8), 12), (2, high, 12)]), (2, 12));
        assert_eq!(elected(&[(1, Score::loss_in(4), 17), (2, Score::loss_in(6), 17)]), (2, 17));
    }

    #[test]
    fn a_helpers_panic_hurts_nobody() {
        let (table, control) = (Table::new(0), Control::untimed());
        let shared =
            Shared::new(&table, &control, Params::of(Rule::Freestyle), Limits::default(), 4);
        let help = |i, &mut state: &mut usize| {
            assert!(i != 2, "meant to happen");
            while !shared.is_over() {
                thread::yield_now();
            }
            (i, state)
        };
        let results = run(&shared, &mut [10, 20, 30], || (0, 0), help);
        assert_eq!(results, [(0, 0), (1, 10), (3, 30)]);
    }

    #[test]
    fn a_panic_of_the_main_thread_ends_the_helpers() {
        let search = || {
            let (table, control) = (Table::new(0), Control::untimed());
            let shared =
                Shared::new(&table, &control, Params::of(Rule::Freestyle), Limits::default(), 2);
            let help = |_, &mut (): &mut ()| {
                while !shared.is_over() {
                    thread::yield_now();
                }
            };
            run(&shared, &mut [()], || panic!("meant to happen"), help);
        };
        assert!(thread::spawn(search).join().is_err());
    }
}
