//! The program is one file that plays the same wherever it lies, whatever it is called, wherever
//! its manager started it, and with every kind of line end.

use std::fs;

use crate::engine_process::{Engine, LONG, ms, program_in};
use crate::scratch::folder;

/// Folders and names of the program in them: managers unpack into paths that their users chose.
const PLACES: [(&str, &str); 6] = [
    ("plain", "pbrain-tengen"),
    ("two  words", "pbrain tengen"),
    ("Přílišný žluťoučký kůň", "pbrain-tengen"),
    ("五目並べ", "pbrain-天元"),
    ("100% (a) & b; it's #1!", "pbrain-tengen"),
    ("deep/er/and deeper", "PBRAIN-TENGEN"),
];

/// The lines of a game as Piskvork and the judge send them, with the number of answers to each.
const GAME: [(&str, usize); 19] = [
    ("START 15", 1),
    ("INFO max_memory 83886080", 0),
    ("INFO timeout_match 1000000", 0),
    ("INFO timeout_turn 30000", 0),
    ("INFO game_type 2", 0),
    ("INFO rule 0", 0),
    ("INFO max_node 2000", 0),
    ("INFO time_left 1000000", 0),
    ("INFO folder C:\\Users\\Jan Čapek\\Gomocup 五", 0),
    ("ABOUT", 1),
    ("BEGIN", 1),
    ("TURN 0,0", 1),
    ("BOARD", 0),
    ("7,7,1", 0),
    ("8,8,2", 0),
    ("DONE", 1),
    ("TAKEBACK 8,8", 1),
    ("RESTART", 1),
    ("TURN 9,5", 1),
];

/// Plays the game and returns all answers; `ends` are the line ends, in turns.
fn play(engine: &mut Engine, ends: &[&str]) -> Vec<String> {
    let mut answers = Vec::new();
    for ((line, count), end) in GAME.iter().zip(ends.iter().cycle()) {
        engine.write(format!("{line}{end}").as_bytes());
        for _ in 0..*count {
            answers.push(engine.line(LONG).unwrap_or_else(|| panic!("{line}: no answer")));
        }
    }
    engine.expect_silence(ms(20));
    engine.write(format!("END{}", ends[0]).as_bytes());
    engine.expect_exit(ms(300));
    answers
}

// Scenarios 49, 103.
#[test]
fn answers_do_not_depend_on_line_ends() {
    let expected = play(&mut Engine::new(), &["\n"]);
    assert!(expected.iter().all(|answer| !answer.starts_with("ERROR")), "{expected:?}");
    // Each kind alone, as qpiskvork mixes them, and with blanks before the end.
    let kinds: [&[&str]; 5] =
        [&["\r\n"], &["\r"], &["\r\n", "\n"], &["\n", "\r\n", "\r"], &[" \r\n"]];
    for ends in kinds {
        assert_eq!(play(&mut Engine::new(), ends), expected, "{ends:?}");
    }
}

// Scenario 140.
#[test]
fn a_copy_plays_wherever_it_lies() {
    let expected = play(&mut Engine::new(), &["\n"]);
    let root = folder("places");
    // Piskvork starts programs in a temporary folder of its own, the judge in theirs.
    let elsewhere = root.join("working folder ß 囲");
    fs::create_dir_all(&elsewhere).unwrap();
    for (place, name) in PLACES {
        let home = root.join(place);
        fs::create_dir_all(&home).unwrap();
        let program = program_in(&home, name);
        for folder in [&elsewhere, &home] {
            let answers = play(&mut Engine::in_folder(&program, folder), &["\r\n"]);
            assert_eq!(answers, expected, "{} in {}", program.display(), folder.display());
        }
    }
}
