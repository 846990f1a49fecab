//! The list of parameters: every one of them changes what the search does, and defaults change
//! nothing.

use crate::shell;
use std::time::{Duration, Instant};

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord, Rule};

use crate::positions::random::random_board;
use tengen::bench;
use tengen::score::Score;
use tengen::search::clock::Budget;
use tengen::search::control::Control;
use tengen::search::vcf::Solution;
use tengen::search::vct::Vct;
use tengen::search::{Limits, Override, Param, Params, Searcher};

/// Depth of the bench: less than its own, for time.
const DEPTH: i32 = 11;

fn of(name: &str, value: i64) -> Override {
    Override::new(name, value).expect("a parameter of the list within its range")
}

/// Returns the overrides of a parameter by the ends of its range.
fn extremes(param: &Param) -> [Override; 2] {
    [of(param.name, *param.range.start()), of(param.name, *param.range.end())]
}

#[test]
fn every_parameter_changes_the_search() {
    let defaults: Vec<u64> = bench::nodes(DEPTH, &[]).collect();
    let mut same = Vec::new();
    for param in Params::list() {
        let is_same = |&end: &Override| defaults.iter().copied().eq(bench::nodes(DEPTH, &[end]));
        if extremes(param).iter().all(is_same) {
            same.push(param.name);
        }
    }
    assert!(same.is_empty(), "{same:?}");
}

/// Returns random positions in which the search for a win by fours and threes is a long one.
fn positions() -> Vec<Board> {
    let mut rng = fastrand::Rng::with_seed(0x9a4a);
    let mut found = Vec::new();
    while found.len() < 4 {
        let mut board = random_board(&mut rng, Rule::ALL[found.len()], 15..=15);
        let is_calm = Color::ALL.iter().all(|&us| board.count_from(us, Threat::OpenFour) == 0);
        if is_calm && Vct::default().solve(&mut board, 5_000) == Solution::Unknown {
            found.push(board);
        }
    }
    found
}

/// Returns what two searches in a row with a node limit and much time find in the positions.
fn found(params: impl Fn(Rule) -> Option<Params>) -> Vec<(Score, i32, u64, Vec<Coord>)> {
    let mut found = Vec::new();
    for mut board in positions() {
        let mut searcher = Searcher::new(1 << 22);
        searcher.params = params(board.rule());
        for _ in 0..2 {
            let hour = Duration::from_secs(3600);
            let control = Control::new(Instant::now(), Some(Budget { soft: None, hard: hour }));
            let limits = Limits { nodes: 20_000, ..Limits::default() };
            let report = searcher.search(&board, &limits, &control, &mut |_| ());
            board.play(report.best);
            found.push((report.score, report.depth, report.nodes, report.pv));
        }
    }
    found
}

#[test]
fn defaults_change_nothing() {
    let committed = include_str!("../bench_signature.txt").trim();
    assert_eq!(bench::nodes(12, &[]).sum::<u64>().to_string(), committed);
    assert_eq!(found(|_| None), found(|rule| Some(Params::of(rule))));
}

#[test]
fn the_program_lists_them_and_searches_with_others() {
    let run = |arguments: &[&str], input: &str| {
        let output = shell::run(shell::command(arguments), input);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, list, _) = run(&["params"], "");
    assert_eq!((code, list.lines().count()), (Some(0), Params::list().len()));

    let game = "START 15\nINFO max_depth 7\nBOARD\n7,7,1\n7,8,2\n8,8,1\nDONE\nEND\n";
    let nodes = |arguments: &[&str]| {
        let (code, answers, errors) = run(arguments, game);
        assert_eq!((code, errors.as_str()), (Some(0), ""));
        let messages = answers.lines().filter(|line| line.starts_with("MESSAGE depth"));
        // Up to the nodes; the rest of a line tells times.
        messages.filter_map(|line| Some(line.split_once(" n/ms")?.0.to_owned())).collect::<Vec<_>>()
    };
    let defaults = nodes(&[]);
    assert!(defaults.len() > 3, "{defaults:?}");
    let margin = Params::list().iter().find(|p| p.name == "reverse_futility_margin").unwrap();
    let same = format!("{}={}", margin.name, margin.default(Rule::Freestyle));
    assert_eq!(nodes(&["--param", &same]), defaults);
    assert_ne!(
        nodes(&["--param", "reverse_futility_margin=10", "--param", "killer_score=0"]),
        defaults
    );

    for (arguments, error) in [
        (["--param", "killer_score"], "NAME=VALUE expected"),
        (["--param", "killers=3"], "no parameter killers"),
        (["--param", "killer_score=-1"], "killer_score is 0 to 200, not -1"),
    ] {
        for arguments in [&arguments[..], &["bench", arguments[0], arguments[1]]] {
            let (code, output, errors) = run(arguments, "");
            assert_eq!((code, output.as_str()), (Some(2), ""), "{arguments:?}");
            assert!(errors.contains(error), "{errors}");
        }
    }
    let (code, _, errors) = run(&["--param", "killer_score=1", "params"], "");
    assert_eq!(code, Some(2), "{errors}");
}
