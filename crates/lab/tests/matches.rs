//! Matches: `tengen-lab match` as it is run, with the engine and with players that do what no
//! engine should.
#![cfg(unix)]

#[path = "../../../tests/scratch/mod.rs"]
mod scratch;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use scratch::folder;
use tengen::record::{Outcome, Record, load};
use tengen::types::{BoardSize, Color, Rule};

const LAB: &str = env!("CARGO_BIN_EXE_tengen-lab");
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
    let mut command = Command::new(LAB);
    command.arg("match").args([first, second]).args(options.split_whitespace()).output().unwrap()
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
    assert_eq!(lines.len(), 8);
    let score: Vec<&str> = lines[7].split(' ').collect();
    assert_eq!(&score[..5], ["Score", "of", "first", "vs", "second:"]);
    assert_eq!((score[5], *score.last().unwrap()), (score[7], "4"), "{lines:?}");
    // The games are there, and end as is said.
    let size = BoardSize::new(15, 15).unwrap();
    let games: Vec<Record> =
        load(&sgf, size).unwrap().into_iter().map(|entry| entry.record.unwrap()).collect();
    assert_eq!(games.len(), 4);
    for (game, line) in games.iter().zip(lines.iter().step_by(2)) {
        assert_eq!(game.rule, Some(Rule::Caro));
        let (ending, plies) = game.ending(Rule::Caro).unwrap();
        assert_eq!(plies, game.moves().len());
        assert_eq!(game.outcome, Some(ending.outcome()));
        let result = match ending.outcome() {
            Outcome::Won(Color::Black) => ": 1-0 {Black win by five in a row}",
            Outcome::Won(Color::White) => ": 0-1 {White win by five in a row}",
            Outcome::Drawn => ": 1/2-1/2 {Draw}",
        };
        assert!(line.ends_with(result), "{line}");
    }
    assert_eq!(games[0].moves(), games[1].moves(), "the seats alone are exchanged");
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
    for (name, turn, reason) in [
        ("silent", "exec sleep 60", "time forfeit"),
        ("late", "sleep 3; echo 7,7", "time forfeit"),
        ("talks", "exec yes MESSAGE wait", "time forfeit"),
        ("off", "echo 15,0", "opponent's illegal move"),
        ("taken", "echo 7,7", "opponent's illegal move"),
        ("words", "echo MESSAGE 1,1; echo resigned", "opponent's illegal move"),
        ("refuses", "echo ERROR no", "opponent's crash"),
        ("leaves", "exit 3", "opponent's crash"),
    ] {
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
    }
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "no player is waited for longer than allowed"
    );
    // A program that is none, and one that knows no START.
    assert!(!referee(&sound, &folder.join("missing"), "--games 1").status.success());
    let mute = folder.join("mute");
    fs::write(&mute, "#!/bin/sh\necho no\n").unwrap();
    fs::set_permissions(&mute, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(printed(&sound, &mute, "--games 1")[0].ends_with("{Black win by opponent's crash}"));
}

#[test]
fn the_match_clock_is_charged() {
    let folder = folder("clock");
    // Each move takes half a second, and the game's clock has 1.2: the third move is late.
    let slow = player(&folder, "slow", "sleep 0.5; echo $n,0");
    let quick = player(&folder, "quick", "echo $n,$((n * 5 % 14 + 1))");
    let lines = printed(&slow, &quick, "--games 1 --tc 1.2/5 --tolerance 0.1");
    assert!(lines[0].ends_with("0-1 {White win by time forfeit}"), "{lines:?}");
    let lines = printed(&slow, &quick, "--games 1 --tc 1.2/5+1 --tolerance 0.1");
    assert!(lines[0].ends_with("1-0 {Black win by five in a row}"), "{lines:?}");
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
