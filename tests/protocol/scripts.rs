//! Scripts: what is said on both sides, a line at a time.
//!
//! A script in `tests/protocol` has one directive a line: `>` sends the rest, `|` does so in one
//! write with the `|` lines next to it, `<` expects an answer, `=` expects silence for so many
//! milliseconds, but for messages of a search, `!` pauses, `?` does so once a search tells of
//! itself, `~` sets how long an answer may take on a quiet machine, `x` expects the exit, `#` is a
//! comment. `@free` in a sent line stands for a free cell. An expected answer stands there
//! literally or as `@move` (on a free cell), `@center` (a move within two cells of the middle),
//! `@one` and `@not` (a move that is one of these or none), `@points n`, `@swap2 n` (`SWAP`, a
//! point, or after three stones two), `@error` or `@about`.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::thread::sleep;

use crate::engine_process::{Engine, LONG, ms, parse_point, slack};
use crate::occupancy::Occupancy;

/// Runs one script.
fn play_script(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protocol").join(name);
    let script = fs::read_to_string(&path).unwrap();
    let mut engine = Engine::new();
    let mut occupancy = Occupancy::default();
    let mut sent = Occupancy::default();
    let mut deadline = LONG;
    let mut batch = String::new();
    for (number, line) in script.lines().enumerate() {
        let (kind, rest) = line.split_at(line.len().min(1));
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let place = format!("{name}:{}: {line}", number + 1);
        let milliseconds = || ms(rest.trim().parse().expect(&place));
        if kind != "|" && !batch.is_empty() {
            engine.write(std::mem::take(&mut batch).as_bytes());
        }
        match kind {
            "" | "#" => {}
            ">" => {
                let line = rest.replace("@free", &occupancy.last_free());
                engine.send(&line);
                // An error takes the line back.
                sent = occupancy.clone();
                occupancy.sent(&line);
            }
            "|" => {
                batch += &format!("{rest}\n");
                occupancy.sent(rest);
            }
            "<" => {
                let answer = engine.line(deadline).unwrap_or_else(|| panic!("{place}: nothing"));
                let place = format!("{place}: {answer}");
                if rest == "@error" || rest.starts_with("ERROR") {
                    occupancy.refused(&sent);
                }
                check_answer(&answer, rest, &mut occupancy, &place);
            }
            "=" => {
                let told = engine.messages.len();
                engine.expect_silence(milliseconds());
                // Only a search tells of itself meanwhile, and Yixin-Board is greeted.
                let is_known = |message: &&String| {
                    ["depth ", "INFO MAX_"]
                        .iter()
                        .any(|begin| message["MESSAGE ".len()..].starts_with(begin))
                };
                let other = engine.messages[told..].iter().find(|message| !is_known(message));
                assert_eq!(other, None, "{place}");
            }
            "!" => sleep(milliseconds()),
            "?" => {
                engine.next_message();
                engine.expect_silence(milliseconds());
            }
            "~" => deadline = milliseconds() + slack(),
            "x" => {
                engine.expect_exit(milliseconds());
                return;
            }
            _ => panic!("{place}: no such directive"),
        }
    }
    engine.end();
}

fn check_answer(answer: &str, expected: &str, occupancy: &mut Occupancy, place: &str) {
    let (word, rest) = expected.split_once(' ').unwrap_or((expected, ""));
    let listed = || rest.split(' ').map(|p| parse_point(p).expect(place)).collect::<HashSet<_>>();
    let points = || answer.split(' ').map(|p| parse_point(p).expect(place)).collect::<Vec<_>>();
    match word {
        "@error" => assert!(answer.starts_with("ERROR "), "{place}"),
        "@about" => assert!(answer.starts_with("name="), "{place}"),
        "@swap2" if answer == "SWAP" => {}
        "@swap2" => {
            let points = points();
            assert!(points.len() == 1 || points.len() == 2 && rest == "3", "{place}");
            points.into_iter().for_each(|point| occupancy.moved(point));
        }
        "@move" | "@center" | "@one" | "@not" => {
            let mv = parse_point(answer).expect(place);
            match word {
                "@center" => assert!(occupancy.is_central(mv), "{place}"),
                "@one" => assert!(listed().contains(&mv), "{place}"),
                "@not" => assert!(!listed().contains(&mv), "{place}"),
                _ => {}
            }
            occupancy.moved(mv);
        }
        "@points" => {
            let points = points();
            assert_eq!(points.len().to_string(), rest, "{place}");
            points.into_iter().for_each(|point| occupancy.moved(point));
        }
        _ => {
            assert_eq!(answer, expected, "{place}");
            if let Some(mv) = parse_point(answer) {
                occupancy.played(mv);
            }
        }
    }
}

macro_rules! scripts {
    ($($name:ident)*) => {
        $(#[test] fn $name() { play_script(concat!(stringify!($name), ".txt")); })*

        #[test]
        fn every_script_is_run() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protocol");
            let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let scripts = names.filter(|name| name.extension().is_some_and(|ext| ext == "txt"));
            assert_eq!(scripts.count(), [$(stringify!($name)),*].len());
        }
    };
}

scripts! { board ends info judge start swap2 takeback threads threats turn words yixin }
