//! The tools as they are run, from games to what the engine takes: counts, a network, tables,
//! parameters.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tengen::eval::Evaluator;
use tengen::eval::network::Weights;
use tengen::search::OrderTables;
use tengen_gomoku::board::Board;
use tengen_lab::Reader;

use crate::LAB;
use crate::scratch::folder;

/// Runs a tool in a folder with arguments between blanks.
fn run(tool: &str, folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(LAB);
    command.arg(tool).args(arguments.split(' ')).current_dir(folder).output().unwrap()
}

/// Returns what a tool prints, which must succeed; it may tell on standard error how far it is.
fn printed(tool: &str, folder: &Path, arguments: &str) -> String {
    let output = run(tool, folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn games_become_a_network_and_tables() {
    let folder = folder("games");
    let make = "--out x.games --size 9 --nodes 200 --games 80";
    printed("datagen", &folder, make);
    assert!(printed("data", &folder, "stats x.games").contains("80 games"));
    assert!(printed("data", &folder, "show --count 2 x.games").lines().count() > 10);
    assert!(!printed("data", &folder, "calibrate x.games").is_empty());
    printed("data", &folder, "static x.games static.games");
    assert!(!run("data", &folder, "static x.games x.games").status.success());
    let games = |name: &str| Reader::open(folder.join(name)).unwrap().map(Result::unwrap);
    assert_eq!(games("static.games").count(), 80);
    for (game, mut of_values) in games("x.games").zip(games("static.games")) {
        for (example, of_value) in game.examples().zip(of_values.clone().examples()) {
            let board = Board::from_moves(game.size, game.rule, example.moves());
            let value = Evaluator::new(&board).evaluate(&board);
            let is_proof = example.score.is_decisive();
            assert_eq!(of_value.score, if is_proof { example.score } else { value });
        }
        let labels = of_values.labels.iter_mut().zip(&game.labels);
        labels.for_each(|(of_value, label)| of_value.score = label.score);
        let samples = of_values.samples.iter_mut().zip(&game.samples);
        samples.for_each(|(of_value, sample)| of_value.score = sample.score);
        assert_eq!(of_values, game);
    }

    for (under, name) in [("eval", "network-freestyle.bin"), ("search/tree", "order_tables.bin")] {
        let file = format!("{}/../../src/{under}/{name}", env!("CARGO_MANIFEST_DIR"));
        fs::copy(file, folder.join(name)).unwrap();
    }
    let network = |name: &str| Weights::read(&fs::read(folder.join(name)).unwrap()).unwrap();
    let start = network("network-freestyle.bin");
    // One part of the network is trained, the other stays.
    let train = "--epochs 0.2 --batch 64 x.games";
    let from = |start: &str, out: &str| format!("--start {start} --out {out} {train}");
    printed("train-policy", &folder, &from("network-freestyle.bin", "policy.bin"));
    let policy = network("policy.bin");
    assert!(policy.value == start.value && policy.policy != start.policy);
    let training = run("train", &folder, &from("policy.bin", "net.bin"));
    let losses = String::from_utf8_lossy(&training.stderr);
    let is_report = |line: &&str| {
        let numbers = line.split([' ', ',']).filter_map(|word| word.parse::<f64>().ok());
        line.starts_with("epoch ") && numbers.filter(|&number| number > 0.0).count() >= 3
    };
    assert!(training.status.success() && losses.lines().filter(is_report).count() > 4, "{losses}");
    let trained = network("net.bin");
    assert!(trained.value != start.value && trained.policy == policy.policy);
    printed("train", &folder, &from("net.bin.float", "again.bin"));
    let again = network("again.bin");
    assert!(again.value != trained.value && again.policy == policy.policy);
    assert!(folder.join("net.bin.float").metadata().unwrap().len() > 0);

    // What is learned by such steps does not fit the network.
    let files = ["net.bin", "net.bin.float"].map(|name| folder.join(name));
    let kept = files.each_ref().map(|path| fs::read(path).unwrap());
    let refused = run("train", &folder, &format!("--rate 1000 --out net.bin {train}"));
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && errors.contains("the quantised network"));
    assert!(kept == files.each_ref().map(|path| fs::read(path).unwrap()));

    let before = fs::read(folder.join("order_tables.bin")).unwrap();
    printed("tune", &folder, "order_tables.bin freestyle x.games");
    let after = fs::read(folder.join("order_tables.bin")).unwrap();
    assert!(OrderTables::read(&after).is_ok() && after != before);
}

#[test]
fn a_tuning_goes_on_where_it_was() {
    let (folder, spsa) = (folder("tuning"), "spsa");
    let begin = "x.spsa freestyle 9 100 4 1 killer_score=2 reverse_futility_margin";
    let table = printed(spsa, &folder, begin);
    assert!(table.starts_with("4 of 4 pairs") && table.contains("killer_score"), "{table}");
    assert_eq!(printed(spsa, &folder, "x.spsa"), table);
    // It draws its openings from the file it was begun with.
    fs::write(folder.join("list.txt"), "e5f6d4\ne5e6f7\n").unwrap();
    let listed = begin.replace('x', "w") + " --openings list.txt";
    assert!(printed(spsa, &folder, &listed).starts_with("4 of 4 pairs"));
    for (list, words) in [("a1b2p3\n", "list.txt"), ("e5f6d4\n", "other networks or openings")] {
        fs::write(folder.join("list.txt"), list).unwrap();
        let errors = run(spsa, &folder, "w.spsa").stderr;
        assert!(String::from_utf8_lossy(&errors).contains(words), "{words}");
    }
    // It is begun once, and what is no tuning is left alone.
    assert!(!run(spsa, &folder, begin).status.success());
    assert!(!run(spsa, &folder, "y.spsa").status.success());
    fs::write(folder.join("z.spsa"), "").unwrap();
    assert!(!run(spsa, &folder, &begin.replace('x', "z")).status.success());
    assert!(!folder.join("y.spsa.lock").exists() && !folder.join("z.spsa.lock").exists());
}

#[test]
fn command_lines_that_are_wrong_are_told() {
    let folder = folder("wrong");
    for (tool, arguments, told) in [
        ("tune", "x.bin freestyle", "GAMES"),
        ("tune", "x.bin go x.games", "freestyle, standard, renju"),
        ("spsa", "x.spsa freestyle 9 100 4 1", "NAME[=C_END[,R_END]]"),
        ("train", "--out x.bin", "GAMES"),
        ("train-policy", "--out x.bin", "GAMES"),
    ] {
        let output = run(tool, &folder, arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(told), "{arguments}: {errors}");
    }
}
