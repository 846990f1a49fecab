//! Self-play data: `tengen-lab datagen` as it is run, and the files that it writes.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tengen::eval::Evaluator;
use tengen::score::Bound;
use tengen::search::control::Control;
use tengen::search::{Limits, Searcher};
use tengen_gomoku::board::Board;
use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::{Coord, Rule};
use tengen_lab::{LeftOut, Reader, Source, TrainingGame};

use crate::LAB;
use crate::scratch::path;

fn command(path: &str, options: &str) -> Command {
    let mut command = Command::new(LAB);
    command.arg("datagen").args(options.split(' ')).arg("--out").arg(path).stdout(Stdio::null());
    command
}

fn run(path: &str, options: &str) -> Output {
    command(path, options).stderr(Stdio::piped()).output().unwrap()
}

/// Returns the bytes of the file that `datagen` makes.
fn made(path: &str, options: &str) -> Vec<u8> {
    let output = run(path, options);
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
    fs::read(path).unwrap()
}

fn games(path: &str) -> Vec<TrainingGame> {
    let mut reader = Reader::open(path).unwrap();
    let games = reader.by_ref().collect::<Result<_, _>>().unwrap();
    assert_eq!(reader.left_out, LeftOut::default());
    games
}

#[test]
fn the_file_does_not_depend_on_the_threads() {
    let options = "--size 9,11 --nodes 300 --seed 5 --games 12";
    let one = made(&path("threads1.games"), &format!("{options} --threads 1"));
    let two = made(&path("threads2.games"), &format!("{options} --threads 2"));
    assert!(one == two);
    let other = made(&path("threads3.games"), &options.replace("seed 5", "seed 6"));
    assert!(one != other);
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let options = "--rule renju --size 11 --nodes 200 --threads 2 --games";
    let whole = made(&path("whole.games"), &format!("{options} 8"));
    let file = path("killed.games");
    // Far more games than are compared: the kill comes in their midst on any machine.
    let mut child =
        command(&file, &format!("{options} 2000")).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while fs::metadata(&file).map_or(0, |data| data.len()) < whole.len() as u64 / 4 {
        assert!(start.elapsed() < Duration::from_secs(120), "no games");
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = fs::read(&file).unwrap();
    let common = killed.len().min(whole.len());
    assert!(killed[..common] == whole[..common]);
    assert!(made(&file, &format!("{options} 8")).starts_with(&whole));
    // In the midst of a record, of the length of one, of the head.
    for len in [whole.len() - 1, whole.len() / 2, whole.len() / 3, 100, 50, 7, 0] {
        OpenOptions::new().write(true).open(&file).unwrap().set_len(len as u64).unwrap();
        assert!(made(&file, &format!("{options} 8")) == whole, "cut to {len}");
    }
    // Fewer games at first, and more of them than wanted.
    let file = path("grown.games");
    made(&file, &format!("{options} 3"));
    assert!(made(&file, &format!("{options} 8")) == whole);
    assert!(made(&file, &format!("{options} 2")) == whole);
}

#[test]
fn a_file_that_another_run_writes_is_left_to_it() {
    let file = path("locked.games");
    let bytes = made(&file, "--size 9 --nodes 200 --games 2");
    let other_run = OpenOptions::new().write(true).open(&file).unwrap();
    other_run.try_lock().unwrap();
    let output = run(&file, "--size 9 --nodes 200 --games 3");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("another run"), "{errors}");
    // A child that another test has just forked may still hold the file.
    other_run.unlock().unwrap();
    assert!(fs::read(&file).unwrap() == bytes);
    assert!(made(&file, "--size 9 --nodes 200 --games 3").starts_with(&bytes));
}

#[test]
fn a_file_of_other_games_stays_as_it_is() {
    let file = path("others.games");
    let bytes = made(&file, "--size 9 --nodes 200 --games 2");
    for options in [
        "--size 9 --nodes 201 --games 4",
        "--size 10 --nodes 200 --games 4",
        "--size 9 --nodes 200 --games 4 --seed 2",
        "--size 9 --nodes 200 --games 4 --inner 0",
        "--size 9 --nodes 200 --games 4 --rule caro",
    ] {
        let output = run(&file, options);
        assert!(!output.status.success(), "{options}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("made otherwise"), "{options}");
        assert!(fs::read(&file).unwrap() == bytes);
    }
    fs::write(&file, "my diary, which is no training data").unwrap();
    assert!(!run(&file, "--size 9 --nodes 200 --games 4").status.success());
    assert_eq!(fs::read(&file).unwrap(), b"my diary, which is no training data");
    let mut damaged = bytes.clone();
    let last = damaged.len() - 1;
    // The length of the first record stands behind the head.
    let head = 12 + usize::from(u16::from_le_bytes([bytes[10], bytes[11]]));
    damaged[head + 8] = 0xf;
    damaged[last] ^= 1;
    fs::write(&file, &damaged).unwrap();
    let output = run(&file, "--size 9 --nodes 200 --games 4");
    assert!(String::from_utf8_lossy(&output.stderr).contains("damaged"));
    assert!(fs::read(&file).unwrap() == damaged);
    // Behind a length that is none there may be games.
    let mut broken = bytes.clone();
    broken[head..][..4].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(&file, &broken).unwrap();
    let output = run(&file, "--size 9 --nodes 200 --games 4");
    assert!(String::from_utf8_lossy(&output.stderr).contains("damaged"));
    assert!(fs::read(&file).unwrap() == broken);
    fs::write(&file, &damaged).unwrap();
    // `data show` reports the damage, too.
    let mut data = Command::new(LAB);
    let output = data.args(["data", "show", "--count", "2"]).arg(&file).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 damaged games"));
}

#[test]
fn games_are_legal_and_end_at_the_first_proof() {
    for rule in Rule::ALL {
        let file = path(&format!("{}.games", rule.name()));
        made(&file, &format!("--rule {} --size 12,15 --nodes 500 --games 6", rule.name()));
        for game in games(&file) {
            assert!(game.rule == rule && [12, 15].contains(&game.size.width()));
            let mut board = Board::new(game.size, rule);
            let mut positions = vec![board.clone()];
            for &mv in &game.moves {
                assert!(board.is_legal(mv, board.side_to_move()));
                board.play(mv);
                positions.push(board.clone());
            }
            let (last, before) = game.labels.split_last().unwrap();
            assert!(before.iter().all(|label| !label.score.is_decisive()));
            let mover = positions[game.moves.len() - 1].side_to_move();
            let expected = match (last.score.is_win(), last.score.is_loss()) {
                (true, _) => Outcome::Won(mover),
                (_, true) => Outcome::Won(!mover),
                _ => Outcome::Drawn,
            };
            assert_eq!(game.outcome, expected);
            assert!(game.labels.iter().all(|label| label.depth > 0));
            for sample in &game.samples {
                let mut board = positions[sample.ply].clone();
                sample.line.iter().for_each(|&mv| board.play(mv));
                if sample.source == Source::Inner {
                    assert!(sample.depth >= 4);
                    // Nothing is searched behind a five.
                    let five = |mv: &Coord| board.makes_five(*mv, board.side_to_move());
                    assert!(!board.empty_cells().into_iter().any(|mv| five(&mv)));
                } else {
                    assert_eq!((sample.bound, sample.line.len() <= 3), (Bound::Exact, true));
                }
            }
        }
    }
}

/// Sums of pairs of numbers, for their correlation.
#[derive(Clone, Copy, Default)]
struct Pairs {
    count: f64,
    sums: [f64; 2],
    squares: [f64; 2],
    products: f64,
}

impl Pairs {
    fn add(&mut self, a: f64, b: f64) {
        self.count += 1.0;
        self.sums = [self.sums[0] + a, self.sums[1] + b];
        self.squares = [self.squares[0] + a * a, self.squares[1] + b * b];
        self.products += a * b;
    }

    fn correlation(&self) -> f64 {
        let Pairs { count, sums, squares, products } = *self;
        let spread = |i: usize| (count * squares[i] - sums[i] * sums[i]).sqrt();
        (count * products - sums[0] * sums[1]) / (spread(0) * spread(1))
    }
}

/// Scores are seen by the side to move, whichever it is, early and late in a game, in the game and
/// beside it: they go with the results and with the evaluations.
#[test]
fn scores_have_the_sign_of_the_side_to_move() {
    let file = path("signs.games");
    made(&file, "--size 11 --nodes 200 --inner 8 --seed 3 --games 320");
    let mut with_results = [[Pairs::default(); 2]; 2];
    let mut with_values = [[Pairs::default(); 3]; 2];
    let (mut winners, mut points_of_winners) = (0, 0.0);
    for game in games(&file) {
        for (index, label) in game.labels.iter().enumerate() {
            let us = game.moves.len() - game.labels.len() + index;
            let (score, points) =
                (f64::from(label.score.value().clamp(-600, 600)), game.points(us));
            let is_late = 2 * index > game.labels.len();
            with_results[us % 2][usize::from(is_late)].add(score, points);
            // One ply before the proof the winner is far ahead.
            if index + 2 == game.labels.len() && label.score.value() > 400 {
                (winners, points_of_winners) = (winners + 1, points_of_winners + points);
            }
        }
        for example in game.examples().filter(|example| !example.score.is_decisive()) {
            let mut board = Board::new(game.size, game.rule);
            example.moves().for_each(|mv| board.play(mv));
            let value = Evaluator::new(&board).evaluate(&board).value().clamp(-600, 600);
            let score = example.score.value().clamp(-600, 600);
            let kind = match example.source {
                None => 0,
                Some(Source::Side) => 1,
                Some(Source::Inner) => 2,
            };
            with_values[board.side_to_move() as usize][kind].add(score.into(), value.into());
        }
    }
    for [early, late] in with_results {
        assert!(early.count > 100.0 && late.count > 100.0, "{} {}", early.count, late.count);
        // Openings are level, so that the first scores say little.
        let correlations = (early.correlation(), late.correlation());
        assert!(correlations.0 > 0.05 && correlations.1 > 0.3, "{correlations:?}");
    }
    for pairs in with_values.as_flattened() {
        assert!(pairs.count > 100.0 && pairs.correlation() > 0.3, "{}", pairs.correlation());
    }
    let points = points_of_winners;
    assert!(winners > 5 && points > 0.8 * f64::from(winners), "{points} of {winners}");
}

#[test]
fn openings_are_distinct_level_and_everywhere() {
    let file = path("openings.games");
    made(&file, "--size 15 --nodes 200 --inner 2 --games 50");
    let games = games(&file);
    assert_eq!(games.len(), 50);
    assert_eq!(games.iter().map(TrainingGame::opening_hash).collect::<HashSet<_>>().len(), 50);
    let white = games.iter().filter(|game| game.opening % 2 == 1).count();
    // More often than not: a last stone of black weighs up his first move.
    assert!((12..42).contains(&white), "white begins {white} times");
    let edge = |mv: &Coord| [mv.x(), mv.y()].iter().any(|&at| at == 0 || at == 14);
    let at_edge = games.iter().filter(|game| game.moves[..game.opening].iter().any(edge)).count();
    assert!((5..38).contains(&at_edge), "{at_edge} at the edge");
    // A search of more nodes than the one that made them agrees.
    let mut level = 0;
    for game in &games {
        let mut board = Board::new(game.size, game.rule);
        game.moves[..game.opening].iter().for_each(|&mv| board.play(mv));
        let control = Control::untimed();
        let limits = Limits { nodes: 5_000, ..Limits::default() };
        let report = Searcher::new(1 << 20).search(&board, &limits, &control, &mut |_| ());
        level += usize::from(report.score.value().abs() <= 150);
    }
    assert!(level >= 40, "{level} of 50 within 150");
}

#[test]
fn some_searches_find_several_moves_and_give_inner_nodes() {
    let file = path("inner.games");
    made(&file, "--size 15 --nodes 1500 --games 12");
    let games = games(&file);
    let labels: Vec<_> = games.iter().flat_map(|game| &game.labels).collect();
    let several = labels.iter().filter(|label| label.others.len() >= 2).count();
    let share = several as f64 / labels.len() as f64;
    assert!((0.1..0.3).contains(&share), "{share}");
    let inner: Vec<_> = games
        .iter()
        .flat_map(|game| game.examples().map(move |example| (game, example)))
        .filter(|(_, example)| example.source == Some(Source::Inner))
        .collect();
    assert!(inner.len() > labels.len(), "{} of {}", inner.len(), labels.len());
    let bounds = [Bound::Upper, Bound::Lower];
    assert!(bounds.iter().all(|bound| inner.iter().any(|(_, example)| example.bound == *bound)));
    // No position comes twice in a game.
    for game in &games {
        let key = |moves: &mut dyn Iterator<Item = Coord>| -> Key {
            let mut board = Board::new(game.size, game.rule);
            moves.for_each(|mv| board.play(mv));
            board.key()
        };
        let keys: Vec<Key> = game.examples().map(|example| key(&mut example.moves())).collect();
        let distinct: HashSet<Key> = keys.iter().copied().collect();
        assert_eq!(distinct.len(), keys.len());
    }
}
