//! Random dialogues: all commands in any order, in any spelling, and at any moment, also while the
//! engine thinks. A model says what must be answered.
//!
//! `TENGEN_DIALOGUES` sets how many are held, `TENGEN_SEED` with which the first one is made. A
//! failure names the seed of its dialogue, which is made anew from it, and shows the lines of it
//! without which it does not fail.

use std::cell::RefCell;
use std::fmt;
use std::time::Duration;

use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::in_process::model::{Answer, Block, Line, Model, Point, Row, Rows};
use crate::in_process::{LATE, Part, converse, is_answer};
use crate::shell::number;
use fastrand::Rng;

/// Dialogues of an ordinary test run.
const DIALOGUES: u64 = 300;
/// Nodes of a search at most.
const NODES: u64 = 400;
/// How long a failing dialogue is shortened, in milliseconds; more than one that hangs.
const SHRINKING_MS: u32 = 60_000;

/// A line of a dialogue, its spelling, and when it comes.
#[derive(Clone)]
struct Turn {
    line: Line,
    text: Vec<u8>,
    later: Duration,
    pause: Duration,
}

/// How a dialogue comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// In one batch: every line waits for its turn.
    Script,
    /// Some lines come late, while the engine thinks or after.
    Late,
    /// The same, and the end comes late: what is not answered then never will be.
    LateEnd,
}

/// Lines, and how they come in.
struct Dialogue {
    seed: u64,
    pace: Pace,
    turns: Vec<Turn>,
    /// The last line, which no answer follows.
    end: &'static [u8],
}

impl fmt::Debug for Dialogue {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "seed {}, {:?}", self.seed, self.pace)?;
        for part in parts(self) {
            let bytes = part.bytes.escape_ascii();
            write!(f, "\n-- {:?} {:?}\n{bytes}", part.later, part.pause)?;
        }
        Ok(())
    }
}

/// What came of dialogues.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    lines: usize,
    answers: usize,
    moves: usize,
    /// Without those that tell where no stone stands.
    errors: usize,
}

// Scenarios 3, 47.
#[test]
fn every_request_has_its_one_answer() {
    let first = number("TENGEN_SEED", 1);
    let dialogues = number("TENGEN_DIALOGUES", DIALOGUES);
    let count = RefCell::default();
    for seed in first..first + dialogues {
        let config = Config {
            cases: 1,
            failure_persistence: None,
            max_shrink_iters: 10_000,
            max_shrink_time: SHRINKING_MS,
            rng_seed: RngSeed::Fixed(seed),
            ..Config::default()
        };
        TestRunner::new(config)
            .run(&dialogue(seed), |dialogue| hold(&dialogue, &mut count.borrow_mut()))
            .unwrap_or_else(|failure| panic!("{failure}"));
    }
    let count = count.into_inner();
    println!("{dialogues} dialogues: {count:?}");
    // A generator that says nothing of interest would find nothing.
    let dialogues = dialogues as usize;
    assert!(count.moves > 2 * dialogues && count.errors > dialogues, "{count:?}");
}

/// Holds a dialogue.
fn hold(dialogue: &Dialogue, count: &mut Count) -> Result<(), TestCaseError> {
    let lines = converse(parts(dialogue), NODES)
        .map_err(|fault| TestCaseError::fail(format!("{fault:?}")))?;
    let mut answers = lines.iter().filter(|line| is_answer(line));
    let mut model = Model::default();
    count.lines += dialogue.turns.len();
    for turn in &dialogue.turns {
        let Some(expected) = model.send(&turn.line) else { continue };
        let Some(answer) = answers.next() else {
            prop_assert!(dialogue.pace == Pace::LateEnd, "no answer to {:?}", turn.line);
            break;
        };
        model.hear(expected, answer).map_err(|what| {
            TestCaseError::fail(format!("{what} to {:?}\n{lines:#?}", turn.line))
        })?;
        let is_probe = matches!(turn.line, Line::TakeBack(_));
        count.answers += 1;
        count.moves += usize::from(matches!(expected, Answer::Move | Answer::MoveOrSwap));
        count.errors += usize::from(expected == Answer::Error && !is_probe);
    }
    prop_assert_eq!(answers.next(), None, "nobody asked");
    Ok(())
}

/// The dialogue of a seed, of which each line may be dropped to find those that matter.
fn dialogue(seed: u64) -> impl Strategy<Value = Dialogue> {
    let mut rng = Rng::with_seed(seed);
    let pace = rng.choice([Pace::Script, Pace::Late, Pace::LateEnd]).unwrap();
    let turns = turns(&mut rng, pace);
    let end = rng.choice([&b"END\nABOUT\n"[..], b"end", b"", b"\n"]).unwrap();
    vec(weighted(1.0), turns.len()).prop_map(move |kept| {
        let (mut kept_turns, mut in_block) = (Vec::new(), false);
        for (turn, is_kept) in turns.iter().zip(kept) {
            if is_kept && may_come(&turn.line, in_block, pace) {
                in_block = is_in_block(&turn.line, in_block);
                kept_turns.push(turn.clone());
            }
        }
        Dialogue { seed, pace, turns: kept_turns, end }
    })
}

/// Returns what of a dialogue comes in together, and its end.
fn parts(dialogue: &Dialogue) -> Vec<Part> {
    let &Dialogue { pace, ref turns, end, .. } = dialogue;
    let mut parts: Vec<Part> = Vec::new();
    for turn in turns {
        match parts.last_mut().filter(|_| turn.later.is_zero()) {
            Some(last) => last.bytes.extend(&turn.text),
            None => parts.push(Part {
                later: turn.later,
                pause: turn.pause,
                bytes: turn.text.clone(),
                ..Part::default()
            }),
        }
    }
    let bytes = end.to_vec();
    let end = match pace {
        Pace::Script => Part { bytes, ..Part::default() },
        Pace::LateEnd => Part { later: LATE, bytes, ..Part::default() },
        Pace::Late => {
            // An end that comes before the answers leaves requests without any.
            let mut model = Model::default();
            let answers = turns.iter().filter(|turn| model.send(&turn.line).is_some()).count();
            Part { later: LATE, answers, bytes, ..Part::default() }
        }
    };
    parts.push(end);
    parts
}

/// Returns the lines of a dialogue.
fn turns(rng: &mut Rng, pace: Pace) -> Vec<Turn> {
    let side = if rng.u8(..4) > 0 { rng.i64(5..=7) } else { rng.i64(5..=22) };
    let mut lines = Vec::new();
    if rng.u8(..8) > 0 {
        lines.push(Line::Start(side, side));
    }
    let mut in_block = false;
    for _ in 0..rng.usize(3..60) {
        let line = match in_block {
            true => loop {
                let line = block_line(rng, side);
                if may_come(&line, in_block, pace) {
                    break line;
                }
            },
            false => any_line(rng, side),
        };
        in_block = is_in_block(&line, in_block);
        lines.push(line);
    }
    if in_block {
        lines.push(Line::Rows(Rows { is_done: true, ..Rows::default() }));
    }
    // What stands where in the end: only stones can be taken back.
    let size = lines.iter().rev().find_map(|line| match line {
        &Line::Start(w, h) | &Line::RectStart(w, h) if w.min(h) >= 5 && w.max(h) <= 22 => {
            Some((w, h))
        }
        _ => None,
    });
    if let Some((width, height)) = size {
        let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        lines.extend(cells.map(Line::TakeBack));
    }
    let mut turns: Vec<Turn> = lines
        .into_iter()
        .map(|line| {
            let is_late = pace != Pace::Script && rng.u8(..4) == 0;
            let is_probe = matches!(line, Line::TakeBack(_)) && rng.u8(..30) > 0;
            let later = if is_late && !is_probe { LATE } else { Duration::ZERO };
            // Long enough for a search to begin, or to end.
            let pause = rng.choice([0, 0, 50, 300, 3_000]).unwrap();
            let text = spell(rng, &line);
            Turn { line, text, later, pause: Duration::from_micros(pause) }
        })
        .collect();
    if pace == Pace::LateEnd {
        turns.truncate(rng.usize(1..=turns.len()));
    }
    turns
}

/// Returns true unless a stop may come late in a block: it ends a search, but spoils the block, and
/// which of the two, time decides.
fn may_come(line: &Line, in_block: bool, pace: Pace) -> bool {
    *line != Line::Silent || !in_block || pace == Pace::Script
}

/// Returns true if a block is open after a line.
fn is_in_block(line: &Line, was_in_block: bool) -> bool {
    match line {
        Line::Block(_, rows) | Line::Rows(rows) if rows.is_done => false,
        Line::Block(..) => true,
        Line::Start(..) | Line::RectStart(..) | Line::Restart => false,
        _ => was_in_block,
    }
}

fn any_line(rng: &mut Rng, side: i64) -> Line {
    match rng.u8(..50) {
        0 => {
            let start = rng.choice([Line::Start, Line::RectStart]).unwrap();
            start(rng.i64(-1..=24), rng.i64(-1..=24))
        }
        1 => Line::BadStart,
        2 => Line::Restart,
        3 | 4 => Line::Begin,
        5..9 => Line::Best,
        9..25 => Line::Turn(any_point(rng, side)),
        25 | 26 => Line::Play(any_point(rng, side)),
        27..31 => Line::TakeBack(any_point(rng, side)),
        31 => Line::BadPoint,
        32..38 => {
            let kind = [Block::Board, Block::Board, Block::YxBoard, Block::Swap2, Block::Exclude];
            Line::Block(rng.choice(kind).unwrap(), any_rows(rng, side))
        }
        38 => Line::Rows(any_rows(rng, side)),
        39 => Line::About,
        40 => Line::ShowForbid,
        41 => Line::Unknown,
        42..45 => Line::Silent,
        45 => Line::ShowInfo,
        _ => Line::Info,
    }
}

/// Returns a line that comes in a block, which is mostly what belongs there.
fn block_line(rng: &mut Rng, side: i64) -> Line {
    match rng.u8(..10) {
        0 => any_line(rng, side),
        1 => Line::Info,
        2..5 => Line::Rows(Rows { is_done: true, ..Rows::default() }),
        _ => Line::Rows(any_rows(rng, side)),
    }
}

fn any_point(rng: &mut Rng, side: i64) -> Point {
    match rng.u8(..12) {
        0 => (rng.i64(-2..=side + 1), rng.i64(-2..=side + 1)),
        1 => (rng.i64(..), rng.i64(..)),
        _ => (rng.i64(..side), rng.i64(..side)),
    }
}

fn any_rows(rng: &mut Rng, side: i64) -> Rows {
    let count = match rng.u8(..8) {
        0..3 => 0,
        3 => rng.choice([3, 5]).unwrap(),
        4 => rng.usize(0..=(side * side) as usize),
        _ => rng.usize(..6),
    };
    // Most blocks are to be right.
    let is_odd = rng.u8(..10) == 0;
    let mut rows: Vec<Row> = Vec::new();
    while rows.len() < count {
        let c = any_point(rng, side);
        let c = if rng.u8(..30) == 0 { (-1, -1) } else { c };
        let is_sound = c == (-1, -1)
            || c.0.min(c.1) >= 0 && c.0.max(c.1) < side && rows.iter().all(|r| r.0 != c);
        let owner = match rng.u8(..20) {
            0 if is_odd => Some(rng.i64(-1..6)),
            1 if is_odd => None,
            2 => Some(3),
            n => Some(1 + i64::from(n % 2)),
        };
        if is_sound || is_odd {
            rows.push((c, owner));
        }
    }
    Rows { rows, is_bad: is_odd && rng.u8(..4) == 0, is_done: rng.u8(..3) == 0 }
}

/// Returns one of the many ways to write a line.
fn spell(rng: &mut Rng, line: &Line) -> Vec<u8> {
    let point = |rng: &mut Rng, (x, y): Point| {
        let comma = rng.choice([",", ",", ",", " , ", " ", ", "]).unwrap();
        format!("{x}{comma}{y}")
    };
    let one = |rng: &mut Rng, words: &[&str]| (*rng.choice(words).unwrap()).to_owned();
    let text = match line {
        Line::Start(w, h) if w == h && rng.bool() => format!("START {w}"),
        &Line::Start(w, h) => one(rng, &["START ", "START\t"]) + &point(rng, (w, h)),
        &Line::RectStart(w, h) => format!("RECTSTART {}", point(rng, (w, h))),
        Line::BadStart => {
            one(rng, &["START", "START x", "RECTSTART 5,5,5", "START 15x", "START ,"])
        }
        Line::Restart => one(rng, &["RESTART", "RESTART 1"]),
        Line::Begin => one(rng, &["BEGIN", "BEGIN 1"]),
        Line::Best => one(rng, &["YXNBEST 1", "YXNBEST", "YXNBEST 3", "YXSEARCHDEFEND"]),
        &Line::Turn(c) => format!("TURN {}", point(rng, c)),
        &Line::Play(c) => format!("PLAY {}", point(rng, c)),
        &Line::TakeBack(c) => format!("TAKEBACK {}", point(rng, c)),
        Line::BadPoint => one(rng, &["TURN", "PLAY x,y", "TAKEBACK 1", "TURN 1,2,3", "TURN 7,"]),
        Line::Block(kind, rows) => {
            let word = match kind {
                Block::Board => "BOARD",
                Block::YxBoard => "YXBOARD",
                Block::Swap2 => "SWAP2BOARD",
                Block::Exclude => rng.choice(["YXBLOCK", "YXBLOCKUNDO"]).unwrap(),
            };
            format!("{word} {}", spell_rows(rows))
        }
        // Nothing at all is no line.
        Line::Rows(rows) if *rows == Rows::default() => String::new(),
        Line::Rows(rows) => match rows.rows[..] {
            [((x, y), Some(owner))] if !rows.is_bad && !rows.is_done && rng.bool() => {
                format!("{x} , {y},{owner}")
            }
            _ => spell_rows(rows),
        },
        Line::About => one(rng, &["ABOUT", "ABOUT you"]),
        Line::ShowForbid => "YXSHOWFORBID".into(),
        Line::Unknown => one(rng, &["FOO", "\u{FE0F}7,7", "STARTS 15", "\0", "é", "1e3"]),
        Line::Silent => one(
            rng,
            &[
                "YXSTOP",
                "STOP",
                "YXHASHCLEAR",
                "YXSHOWHASHUSAGE",
                "YXBLOCKRESET",
                "YXBLOCKPATHRESET",
                "YXDRAW",
            ],
        ),
        Line::ShowInfo => "YXSHOWINFO".into(),
        Line::Info => any_info(rng),
    };
    let mut text = if rng.u8(..4) == 0 { text.to_ascii_lowercase() } else { text };
    if rng.u8(..8) == 0 {
        text = format!(" {text}\t ");
    }
    text += rng.choice(["\n", "\n", "\r\n", "\r", "\n\n"]).unwrap();
    text.into_bytes()
}

fn spell_rows(rows: &Rows) -> String {
    let mut words: Vec<String> = rows
        .rows
        .iter()
        .map(|&((x, y), owner)| match owner {
            Some(owner) => format!("{x},{y},{owner}"),
            None => format!("{x},{y}"),
        })
        .collect();
    if rows.is_bad {
        words.insert(words.len() / 2, "x".into());
    }
    if rows.is_done {
        words.push("DONE".into());
    }
    words.join(" ")
}

fn any_info(rng: &mut Rng) -> String {
    let key = rng
        .choice([
            "timeout_turn",
            "timeout_match",
            "time_left",
            "max_memory",
            "rule",
            "max_depth",
            "max_node",
            "strength",
            "style",
            "show_detail",
            "thread_num",
            "hash_size",
            "game_type",
            "folder",
            "evaluate",
            "foo",
            "",
        ])
        .unwrap();
    let value = match rng.u8(..8) {
        0 => rng.i64(..).to_string(),
        1 => {
            rng.choice(["x", "", "C:\\a b", "1,1", "-", "99999999999999999999999"]).unwrap().into()
        }
        2 => rng.i64(-2..3).to_string(),
        3 => (1i64 << rng.u8(..63)).to_string(),
        _ => rng.i64(..16).to_string(),
    };
    format!("INFO {key} {value}")
}
