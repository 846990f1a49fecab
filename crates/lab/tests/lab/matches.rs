//! Matches: `tengen-lab match` as it is run, with the engine and with players that do what no
//! engine should.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tengen_gomoku::record::tree::GameTree;
use tengen_gomoku::record::{Outcome, Record, load};
use tengen_gomoku::types::{BoardSize, Color, Rule};

use crate::LAB;
use crate::scratch::folder;

const ENGINE: &str = concat!(env!("CARGO_BIN_EXE_tengen-lab"), " engine");

/// Makes a player that does what `turn` says, in the shell, whenever it is its turn.
fn player(folder: &Path, name: &str, turn: &str) -> PathBuf {
    let path = folder.join(name);
    let script = format!(
        "#!/bin/sh\nn=0\nwhile read -r line; do\ncase $line in\nSTART*) echo OK ;;\n\
         END*) exit ;;\nBEGIN* | TURN* | DONE*) n=$((n + 1)); {turn} ;;\nesac\ndone\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Makes a player of these moves.
fn player_of(folder: &Path, name: &str, moves: &[&str]) -> PathBuf {
    player(folder, name, &format!("echo {} none | cut -d ' ' -f $n", moves.join(" ")))
}

fn referee(first: &Path, second: &Path, options: &str) -> Output {
    lab(&[first, second], options)
}

/// Runs a match of these players.
fn lab(players: &[&Path], options: &str) -> Output {
    let mut command = Command::new(LAB);
    // An empty name is none.
    command.env("TENGEN_OPENINGS", "").arg("match").args(players);
    command.args(options.split_whitespace()).output().unwrap()
}

/// Returns what is printed.
fn printed(first: &Path, second: &Path, options: &str) -> Vec<String> {
    let output = referee(first, second, options);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{options}: {errors}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_program_and_its_like_share_the_points() {
    let folder = folder("alike");
    let (openings, sgf) = (folder.join("openings.txt"), folder.join("games.sgf"));
    fs::write(&openings, "h8i9\nh8h7j9\n").unwrap();
    let options = format!(
        "--rule caro --nodes 300 --games 4 --memory 20 --concurrency 2 --openings {} --sgf {}",
        openings.display(),
        sgf.display()
    );
    let lines = printed(ENGINE.as_ref(), ENGINE.as_ref(), &options);
    let (games, summary) = lines.split_at(8);
    let score: Vec<&str> = lines[7].split(' ').collect();
    assert_eq!(&score[..5], ["Score", "of", "first", "vs", "second:"]);
    assert_eq!((score[5], *score.last().unwrap()), (score[7], "4"), "{lines:?}");
    // Pairs that are shared tell neither player's strength.
    assert!(summary[0].is_empty() && summary[1].ends_with(&format!(" against {ENGINE}")));
    assert_eq!(summary[2], "caro, 15x15, 20 MB, 300 nodes a move, openings openings.txt (seed 1)");
    assert!(summary[3].starts_with(&format!("W {0}, L {0}, D ", score[5])), "{summary:?}");
    assert!(summary[3].contains(" of 4: 50.0 %, Elo +0.0 ["), "{summary:?}");
    assert_eq!(summary[4], "pairs: LL 0, LD 0, LW or DD 2, WD 0, WW 0");
    assert_eq!(summary[5], "too few games to tell which is stronger");
    for (line, name) in summary[6..].iter().zip(["first", "second"]) {
        let faults = "time losses 0, illegal or forbidden moves 0, crashes 0";
        assert_eq!(*line, format!("{name}: {faults}"));
    }
    assert_eq!(summary.len(), 8);
    // The games are there, and end as is said.
    let size = BoardSize::new(15, 15).unwrap();
    let entries = load(&sgf, size).unwrap();
    let records: Vec<Record> = entries.iter().map(|entry| entry.record().unwrap()).collect();
    assert_eq!(records.len(), 4);
    for ((entry, record), line) in entries.iter().zip(&records).zip(games.iter().step_by(2)) {
        let (ending, plies) = record.ending(Rule::Caro).unwrap();
        assert_eq!(plies, record.moves().len());
        let GameTree { rule, outcome, ref players, .. } = entry.tree;
        let mut names = players.clone();
        names.sort();
        assert_eq!(names, ["tengen-lab (first)", "tengen-lab (second)"]);
        assert_eq!((rule, outcome), (Some(Rule::Caro), Some(ending.outcome())));
        let result = match ending.outcome() {
            Outcome::Won(Color::Black) => ": 1-0 {Black win by five in a row}",
            Outcome::Won(Color::White) => ": 0-1 {White win by five in a row}",
            Outcome::Drawn => ": 1/2-1/2 {Draw}",
        };
        assert!(line.ends_with(result), "{line}");
    }
    assert_eq!(records[0].moves(), records[1].moves(), "the seats alone are exchanged");
}

/// Black makes five in a row between two white stones, which wins in freestyle only, and then six.
#[test]
fn the_rule_of_the_match_decides() {
    let folder = folder("rules");
    let black = player_of(&folder, "black", &["3,3", "4,3", "5,3", "6,3", "7,3", "9,9"]);
    let white = player_of(&folder, "white", &["2,3", "8,3", "0,0", "0,14", "14,0", "14,14"]);
    let end = |rule| printed(&black, &white, &format!("--rule {rule} --games 1"))[0].clone();
    for rule in ["freestyle", "standard", "renju"] {
        assert_eq!(
            end(rule),
            "Finished game 1 (first vs second): 1-0 {Black win by five in a row}"
        );
    }
    for rule in ["caro", "caro-exact"] {
        // The game went on beyond the five, until black had no move left to say.
        let end = end(rule);
        assert_eq!(
            end,
            "Finished game 1 (first vs second): 0-1 {White win by opponent's illegal move}"
        );
    }
    let six = ["2,2", "3,2", "4,2", "6,2", "7,2", "5,2"];
    let black = player_of(&folder, "six", &six);
    let end = |rule| printed(&black, &white, &format!("--rule {rule} --games 1"))[0].clone();
    assert!(end("caro").ends_with("1-0 {Black win by five in a row}"));
    assert!(end("caro-exact").ends_with("0-1 {White win by opponent's illegal move}"));
}

/// Renju's forbidden moves are black's loss.
#[test]
fn forbidden_moves_lose() {
    let folder = folder("forbidden");
    let black = player_of(&folder, "black", &["6,7", "8,7", "7,6", "7,8", "7,7"]);
    let white = player_of(&folder, "white", &["0,0", "0,14", "14,0", "14,14"]);
    let lines = printed(&black, &white, "--rule renju --games 1");
    assert!(lines[0].ends_with("0-1 {White win by opponent's illegal move}"), "{lines:?}");
}

#[test]
fn whoever_fails_loses_in_time() {
    let folder = folder("faults");
    let sound = player(&folder, "sound", "echo $n,$((n * 3 % 15))");
    let start = Instant::now();
    let loses = &|(name, turn, reason)| {
        let faulty = player(&folder, name, turn);
        let options = "--rule caro --games 2 --tc 0/0.5 --tolerance 0.5";
        let lines = printed(&sound, &faulty, options);
        assert!(
            lines[0].ends_with(&format!(" 1-0 {{Black win by {reason}}}")),
            "{name}: {lines:?}"
        );
        assert!(
            lines[2].ends_with(&format!(" 0-1 {{White win by {reason}}}")),
            "{name}: {lines:?}"
        );
        assert_eq!(lines[3], "Score of first vs second: 2 - 0 - 0  [1.000] 2");
        let [late, illegal, crashes] =
            ["time forfeit", "opponent's illegal move", "opponent's crash"]
                .map(|kind| if kind == reason { 2 } else { 0 });
        let faults =
            format!("time losses {late}, illegal or forbidden moves {illegal}, crashes {crashes}");
        assert_eq!(*lines.last().unwrap(), format!("second: {faults}"));
    };
    std::thread::scope(|scope| {
        for case in [
            ("silent", "exec sleep 60", "time forfeit"),
            ("late", "sleep 3; echo 7,7", "time forfeit"),
            ("talks", "exec yes MESSAGE wait", "time forfeit"),
            ("off", "echo 15,0", "opponent's illegal move"),
            ("taken", "echo 7,7", "opponent's illegal move"),
            ("words", "echo MESSAGE 1,1; echo resigned", "opponent's illegal move"),
            ("refuses", "echo ERROR no", "opponent's crash"),
            ("leaves", "exit 3", "opponent's crash"),
        ] {
            scope.spawn(move || loses(case));
        }
    });
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "no player is waited for longer than allowed"
    );
    // A program that is none, and one that knows no START.
    let sgf = folder.join("games.sgf");
    let options = format!("--games 1 --sgf {}", sgf.display());
    assert!(!referee(&sound, &folder.join("missing"), &options).status.success() && !sgf.exists());
    let mute = folder.join("mute");
    fs::write(&mute, "#!/bin/sh\necho no\n").unwrap();
    fs::set_permissions(&mute, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(printed(&sound, &mute, "--games 1")[0].ends_with("{Black win by opponent's crash}"));
}

/// One starts a child that would live on, the other does not read what it is told.
#[test]
fn no_player_leaves_anything() {
    let folder = folder("left-over");
    let sound = player(&folder, "sound", "echo $n,$((n * 3 % 15))");
    let number = folder.join("number");
    let parent = format!("sleep 1000 > /dev/null 2>&1 & echo $! > {}; exit 3", number.display());
    let parent = player(&folder, "parent", &parent);
    let lines = printed(&sound, &parent, "--games 1");
    assert!(lines[0].ends_with("{Black win by opponent's crash}"), "{lines:?}");
    let child = fs::read_to_string(&number).unwrap();
    let is_there = || {
        // What is dead may still wait to be collected.
        let status = fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        status.is_ok_and(|status| !status.contains(") Z"))
    };
    let start = Instant::now();
    while is_there() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!is_there());
}

#[test]
fn a_player_that_reads_nothing_does_not_hold_up_the_match() {
    let folder = folder("deaf");
    let sound = player(&folder, "sound", "echo $n,$((n * 3 % 15))");
    let deaf = folder.join("deaf");
    fs::write(&deaf, "#!/bin/sh\necho OK\nexec sleep 1000\n").unwrap();
    fs::set_permissions(&deaf, fs::Permissions::from_mode(0o755)).unwrap();
    // More than a pipe holds.
    let more = format!("--second-info x={}", "y".repeat(100_000));
    let options = format!("--games 1 --tc 0/0.5 --tolerance 0.5 {more}");
    let lines = printed(&sound, &deaf, &options);
    assert!(lines[0].ends_with("{Black win by time forfeit}"), "{}", lines[0]);
}

#[test]
fn the_match_clock_is_charged() {
    let folder = folder("clock");
    // Each move takes half a second, and the game's clock has 1.2: the third move is late.
    let slow = player(&folder, "slow", "sleep 0.5; echo $n,0");
    let quick = player(&folder, "quick", "echo $n,$((n * 5 % 14 + 1))");
    let cases =
        [("", "0-1 {White win by time forfeit}"), ("+1", "1-0 {Black win by five in a row}")];
    std::thread::scope(|scope| {
        for (increment, end) in cases {
            let (slow, quick) = (&slow, &quick);
            scope.spawn(move || {
                let options = format!("--games 1 --tc 1.2/5{increment} --tolerance 0.1");
                let lines = printed(slow, quick, &options);
                assert!(lines[0].ends_with(end), "{lines:?}");
            });
        }
    });
}

#[test]
fn openings_that_leave_nothing_to_play_are_refused() {
    let folder = folder("openings");
    let openings = folder.join("openings.txt");
    for (text, words) in [
        ("h8h9\nh8h8\n", "line 2"),
        ("a1b1a2b2a3b3a4b4a5\n", "the game is over"),
        ("", "openings.txt"),
    ] {
        fs::write(&openings, text).unwrap();
        let options = format!("--games 2 --openings {}", openings.display());
        let output = referee(ENGINE.as_ref(), ENGINE.as_ref(), &options);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(words), "{text}: {errors}");
    }
}

/// A player who always fails loses to one that plays on, pair after pair, until the test says so.
#[test]
fn a_sequential_test_ends_the_match() {
    let folder = folder("sprt");
    let sound = player(&folder, "sound", "echo $n,$((n * 3 % 15))");
    let faulty = player(&folder, "faulty", "exit 3");
    for (first, second, verdict) in
        [(&sound, &faulty, "H1 accepted"), (&faulty, &sound, "H0 accepted")]
    {
        let lines = printed(first, second, "--games 1000 --sprt 0,200 --concurrency 2");
        let finished = lines.iter().filter(|line| line.starts_with("Finished")).count();
        assert!(finished % 2 == 0 && (4..200).contains(&finished), "{finished}");
        let found = lines.iter().find(|line| line.starts_with("SPRT")).unwrap();
        assert!(found.starts_with("SPRT elo0 0 elo1 200: LLR "), "{found}");
        assert!(found.ends_with(&format!(" in [-2.94, 2.94]: {verdict}")), "{found}");
    }
    let lines = printed(&sound, &faulty, "--games 2 --sprt -5,0");
    assert!(lines.iter().any(|line| line.ends_with(" in [-2.94, 2.94]: undecided")), "{lines:?}");
    for options in ["--sprt 5,0", "--sprt 5", "--games 0", "--table x.txt --sgf x.sgf"] {
        let output = referee(&sound, &faulty, options);
        assert_eq!(output.status.code(), Some(2), "{options}");
    }
}

#[test]
fn a_gauntlet_has_a_row_for_each_opponent() {
    let folder = folder("gauntlet");
    let sound = player(&folder, "sound", "echo $n,$((n * 3 % 15))");
    let [crashes, cheats] = [("crashes", "exit 3"), ("cheats", "echo 7,7")]
        .map(|(name, turn)| player(&folder, name, turn));
    let output = lab(&[&sound, &crashes, &cheats], "--games 4");
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "| Opponent | Wins, losses, draws | Score | Elo (95 %) |");
    assert_eq!(lines.len(), 4);
    for (line, opponent) in lines[2..].iter().zip([&crashes, &cheats]) {
        let row = format!("| {} | 4-0-0 | 100.0 % | +inf [", opponent.display());
        assert!(line.starts_with(&row), "{line}");
    }
    let faults = String::from_utf8(output.stderr).unwrap();
    assert!(faults.contains("crashes: time losses 0, illegal or forbidden moves 0, crashes 4"));
    assert!(faults.contains("cheats: time losses 0, illegal or forbidden moves 4, crashes 0"));
}

#[test]
fn levels_play_those_below_them() {
    let folder = folder("levels");
    // Whoever has the higher level plays on, and the other one goes.
    let path = folder.join("levels");
    let script = "#!/bin/sh\nn=0\nwhile read -r line; do\ncase $line in\nSTART*) echo OK ;;\n\
                  'INFO max_node '*) nodes=${line##* } ;;\n'INFO strength '*) level=${line##* } ;;\n\
                  END*) exit ;;\nBEGIN* | TURN* | DONE*) n=$((n + 1))\n\
                  [ $nodes = 30000 ] && [ $level != 0 ] && [ $level != 50 ] || exit 3\n\
                  echo $n,$((n * 3 % 15)) ;;\nesac\ndone\n";
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let output = lab(&[&path], "--levels 50 --games 4");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "| Level | Against | Wins, losses, draws | Elo (95 %) |");
    assert!(lines[2].starts_with("| 50 | 0 | 2-2-0 | +0.0 ["), "{lines:?}");
    assert!(lines[3].starts_with("| 100 | 50 | 4-0-0 | +inf ["), "{lines:?}");
    assert_eq!(lines.len(), 4);
}

/// Plays by `scripts/match.sh` with a judge that says how so many games ended, and returns the
/// report.
fn judged(folder: &Path, second: &str, games: u8) -> String {
    let judge = folder.join("judge");
    let script = "#!/bin/bash\nfor word; do case $word in name=*) names+=(${word#*=}) ;; esac; done\n\
                  for ((n = 1; n <= GAMES; n++)); do\n\
                  black=${names[(n + 1) % 2]} white=${names[n % 2]}\n\
                  echo \"Finished game $n ($black vs $white): 0-1 {White win by time forfeit}\"\ndone\n\
                  echo \"Score of ${names[0]} vs ${names[1]}: $((GAMES / 2)) - $((GAMES / 2)) - 0\"\n";
    fs::write(&judge, script).unwrap();
    fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
    let first = player_of(folder, "Old 1.exe", &[]);
    let second = player_of(folder, second, &[]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/match.sh");
    let mut command = Command::new(script);
    command.env("GOMOKU_CLI", judge).env("GAMES", games.to_string()).args([first, second]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_judge_of_another_author_knows_names_and_few_games_have_no_interval() {
    let folder = folder("judged");
    let report = judged(&folder, "New", 4);
    assert!(report.contains("50.0 %, Elo +0.0; too few games for an interval\n"), "{report}");
    let faults = "time losses 2, illegal or forbidden moves 0, crashes 0\n";
    assert!(report.ends_with(&format!("Old_1: {faults}New: {faults}")), "{report}");
    let report = judged(&folder, "Old 1", 4);
    assert!(report.contains(&format!("Old_1-1: {faults}Old_1-2: {faults}")), "{report}");
}

/// The second player has a clock of its own.
#[test]
fn clocks_may_differ() {
    let folder = folder("clocks");
    let slow = player(&folder, "slow", "sleep 0.5; echo $n,0");
    let quick = player(&folder, "quick", "echo $n,$((n * 5 % 14 + 1))");
    let options = "--games 1 --tc 60/5 --second-tc 60/0.2 --tolerance 0.1";
    let lines = printed(&slow, &quick, options);
    assert!(lines[0].ends_with("1-0 {Black win by five in a row}"), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains(", tc 60/5 to 60/0.2")), "{lines:?}");
    let lines = printed(&quick, &slow, options);
    assert!(lines[0].ends_with("1-0 {Black win by time forfeit}"), "{lines:?}");
}

/// The same opening at fixed nodes is the same pair again, which would be counted as a new one.
#[test]
fn equal_pairs_are_not_played_again() {
    let folder = folder("repeated");
    let sound = player(&folder, "sound", "echo $n,$((n * 3 % 15))");
    let faulty = player(&folder, "faulty", "exit 3");
    let output = referee(&sound, &faulty, "--nodes 100 --games 50");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("at fixed nodes these openings make 2 games, not more"), "{errors}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(" of 2: "));
    let lines = printed(&sound, &faulty, "--nodes 100 --games 6 --second-info strength=50");
    assert!(lines.iter().any(|line| line.contains(" of 6: ")), "{lines:?}");
}

/// Makes a player that answers the three questions of swap2 by these lines, and then makes moves.
fn swap2_player(folder: &Path, name: &str, answers: [&str; 3], turn: &str) -> PathBuf {
    let [none, three, five] = answers;
    let path = folder.join(name);
    let script = format!(
        "#!/bin/sh\nn=0\nwhile read -r line; do\ncase $line in\nSTART*) echo OK; n=0 ;;\n\
         SWAP2BOARD*) stones=0; while read -r row && [ $row != DONE ]; do stones=$((stones + 1)); \
         done\ncase $stones in 0) echo {none} ;; 3) echo {three} ;; 5) echo {five} ;; esac ;;\n\
         END*) exit ;;\nBOARD*) while read -r row && [ $row != DONE ]; do :; done\n\
         n=$((n + 1)); {turn} ;;\nTURN*) n=$((n + 1)); {turn} ;;\nesac\ndone\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Whoever makes a move on the last row plays on; whoever goes loses.
#[test]
fn players_open_games_by_swap2() {
    let folder = folder("swap2");
    let three = "7,7 8,8 6,6";
    let wins = "echo $n,14";
    for (number, (answers, decision, black)) in [
        (["SWAP", "x"], "swap", "second"),
        (["9,9", "x"], "stay", "first"),
        (["'9,9 5,6'", "SWAP"], "two stones, swap", "first"),
        (["'9,9 5,6'", "4,4"], "two stones, stay", "second"),
    ]
    .into_iter()
    .enumerate()
    {
        let [second, last] = answers;
        let name = |who: &str| format!("{who}{number}");
        let opener = swap2_player(&folder, &name("opener"), [three, "x", last], wins);
        let other = swap2_player(&folder, &name("other"), ["x", second, "x"], "exit 3");
        let lines = printed(&opener, &other, "--swap2 --games 1 --rule standard");
        let white = if black == "first" { "second" } else { "first" };
        let start = format!("Finished game 1 ({black} vs {white}): ");
        assert!(lines[0].starts_with(&start), "{decision}: {lines:?}");
        // The one who opens wins, whichever color it has.
        assert_eq!(lines[1], "Score of first vs second: 1 - 0 - 0  [1.000] 1");
        assert!(lines.iter().any(|line| line.ends_with(", swap2")), "{lines:?}");
        let black_share = if black == "first" { "100.0" } else { "0.0" };
        let [.., seats, decided] = lines.as_slice() else { panic!("{lines:?}") };
        let expected = format!("swap2: the opener 100.0 %, the other 0.0 %, black {black_share} %");
        assert_eq!((seats, decided), (&expected, &format!("{decision}: 1")));
    }
    // Wrong numbers of stones, taken cells, and stones off the board.
    for (number, (none, second)) in [
        ("'7,7 8,8'", "x"),
        ("SWAP", "x"),
        ("'7,7 8,8 7,7'", "x"),
        ("'7,7 8,8 15,0'", "x"),
        (three, "7,7"),
        (three, "'9,9 5,6 4,4'"),
    ]
    .into_iter()
    .enumerate()
    {
        let none = if none == three { "'7,7 8,8 6,6'" } else { none };
        let name = |who: &str| format!("{who}-wrong{number}");
        let opener = swap2_player(&folder, &name("opener"), [none, "x", "x"], wins);
        let other = swap2_player(&folder, &name("other"), ["x", second, "x"], wins);
        let lines = printed(&opener, &other, "--swap2 --games 1");
        let loser = if second == "x" { "0-1 {White" } else { "1-0 {Black" };
        let end = format!("{loser} win by opponent's illegal move}}");
        assert!(lines[0].ends_with(&end), "{none} {second}: {lines:?}");
    }
}

#[test]
fn the_engine_opens_by_swap2() {
    let engine: &Path = ENGINE.as_ref();
    let lines = printed(engine, engine, "--swap2 --games 4 --nodes 200 --rule renju --memory 20");
    let faults = "time losses 0, illegal or forbidden moves 0, crashes 0";
    assert!(lines.contains(&format!("first: {faults}")), "{lines:?}");
    assert!(lines.contains(&format!("second: {faults}")), "{lines:?}");
}

/// Black wins from every image of the row for this rule and size.
#[test]
fn a_table_is_measured_by_its_images() {
    let folder = folder("table");
    let sound = player(&folder, "sound", "echo $n,0");
    let faulty = player(&folder, "faulty", "exit 3");
    let table = folder.join("table.txt");
    fs::write(&table, "# a comment\nstandard 15 h8i8h10\ncaro 15 h8i8h9\nstandard 20 h8i8h9\n")
        .unwrap();
    let options = format!("--rule standard --concurrency 2 --table {}", table.display());
    assert_eq!(printed(&sound, &faulty, &options), ["standard 15 h8i8h10 8"]);
    assert_eq!(printed(&faulty, &sound, &options), ["standard 15 h8i8h10 0"]);
    let errors = referee(&sound, &faulty, &options).stderr;
    let faults = "second: time losses 0, illegal or forbidden moves 0, crashes 8";
    let expected = format!("standard 15 h8i8h10: {faults}\n");
    assert_eq!(String::from_utf8_lossy(&errors), expected);
}
