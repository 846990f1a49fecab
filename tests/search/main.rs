//! The search and the evaluation, inside the process: no clock decides.

#[path = "../positions/mod.rs"]
mod positions;
#[path = "../reference/mod.rs"]
mod reference;
#[path = "../shell/mod.rs"]
mod shell;

mod blocked;
mod determinism;
mod docs;
mod draws;
mod exact;
mod false_wins;
mod fours;
mod levels;
mod multi_pv;
mod network;
mod params;
mod proofs;
mod tactics;
mod threads;

/// Searches without a clock: their limits alone end them.
mod unclocked {
    use std::sync::{Arc, LazyLock};

    use tengen::eval::network::Network;
    use tengen::search::control::Control;
    use tengen::search::{Limits, Report, Searcher};
    use tengen_gomoku::board::Board;
    use tengen_gomoku::types::Rule;

    /// All networks, so that tests of several rules side by side do not load them for each search.
    static NETWORKS: LazyLock<[Arc<Network>; Rule::ALL.len()]> =
        LazyLock::new(|| Rule::ALL.map(Network::of));

    /// Searches a position within the limits.
    pub fn search(searcher: &mut Searcher, board: &Board, limits: Limits) -> Report {
        LazyLock::force(&NETWORKS);
        let control = Control::untimed();
        searcher.search(board, &limits, &control, &mut |_| ())
    }
}
