//! The log of searches: one line for each, which tells where its nodes and its time went.
//!
//! `scripts/dev/clock_use.py` reads the line.

use std::time::Duration;

use crate::search::Report;
use crate::search::control::Control;

/// Returns the line of a finished search: words and numbers by turns, times in milliseconds.
pub fn line(report: &Report, control: &Control) -> String {
    let limit =
        |time: Option<Duration>| time.map_or("none".into(), |time| time.as_millis().to_string());
    format!(
        "search depth {} tree {} threats {} tests {} ms {} soft {} hard {}",
        report.depth,
        report.tree_nodes,
        report.threat_nodes,
        report.nodes.saturating_sub(report.tree_nodes + report.threat_nodes),
        report.elapsed.as_millis(),
        limit(control.soft()),
        limit(control.hard()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::clock::Budget;
    use crate::types::Coord;

    #[test]
    fn the_line_tells_the_nodes_of_all_parts_and_the_times() {
        let ms = Duration::from_millis;
        let report = Report {
            depth: 12,
            nodes: 1000,
            tree_nodes: 700,
            threat_nodes: 250,
            elapsed: ms(700),
            ..Report::unsearched(Coord::new(7, 7))
        };
        let control = Control::untimed();
        let head = "search depth 12 tree 700 threats 250 tests 50 ms 700";
        assert_eq!(line(&report, &control), format!("{head} soft none hard none"));
        control.set_budget(Some(Budget { soft: Some(ms(900)), hard: ms(2700) }));
        assert_eq!(line(&report, &control), format!("{head} soft 900 hard 2700"));
    }
}
