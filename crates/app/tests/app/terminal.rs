//! The program at a terminal, which is a pseudo-terminal here: lines are edited and remembered, the
//! board fits and has colors, long work has a bar.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};

/// How long to wait for what should be shown, or for the end of the program.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Shown when a line is wanted, after the terminal has been told to pass on every key.
const PROMPT: &str = "> ";

/// Shown when the editor has taken a line. Until the next prompt the terminal would take Ctrl-C.
const TAKEN: &str = "\x1b[?2004l";

const UP: &str = "\x1b[A";
const LEFT: &str = "\x1b[D";

/// The program at a terminal.
struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// What was shown and not yet expected.
    shown: String,
}

impl Terminal {
    fn play(columns: u16, arguments: &[&str]) -> Terminal {
        let arguments = [&["play", "--level", "0"], arguments].concat();
        Terminal::start(columns, &arguments, &[("NO_COLOR", "1")])
    }

    fn start(columns: u16, arguments: &[&str], variables: &[(&str, &str)]) -> Terminal {
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = openpty(&size, None).unwrap();
        let end = || pair.slave.try_clone().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(arguments)
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied())
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let keyboard = File::from(pair.master);
        let mut output = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        // It reads until the last end of the terminal is closed, or the test is over.
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keyboard, screen, shown: String::new() }
    }

    /// Types these keys and Enter.
    fn type_line(&mut self, keys: &str) {
        self.keyboard.write_all(format!("{keys}\r").as_bytes()).unwrap();
    }

    /// Waits until this is shown, and returns what was shown before it.
    fn expect(&mut self, text: &str) -> String {
        let deadline = Instant::now() + TIME_LIMIT;
        loop {
            if let Some((before, after)) = self.shown.split_once(text) {
                let before = before.to_owned();
                self.shown = after.to_owned();
                return before;
            }
            let time = deadline.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.screen.recv_timeout(time) else {
                panic!("no {text:?} in {:?}", self.shown);
            };
            self.shown += &String::from_utf8_lossy(&bytes);
        }
    }

    /// Waits until this is shown and the next line is wanted.
    ///
    /// Keys are for the editor from then on. Before, the terminal itself would take Ctrl-D, and
    /// nobody would ever hear of it.
    fn expect_prompt_after(&mut self, text: &str) {
        self.expect(text);
        self.expect(PROMPT);
    }

    /// Waits until the program has left, and returns whether without an error.
    fn leaves_well(&mut self) -> bool {
        let deadline = Instant::now() + TIME_LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            assert!(Instant::now() < deadline, "still running after {:?}", self.shown);
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn lines_are_edited_and_remembered() {
    let mut terminal = Terminal::play(80, &[]);
    terminal.expect("Move 1: it is your turn");
    terminal.type_line("h9");
    let board = terminal.expect("Move 3: it is your turn");
    assert!(!board.contains("^["), "{board:?}");
    // The line before, of which the last character is another.
    terminal.type_line(&format!("{UP}{LEFT}\x1b[3~9"));
    terminal.expect("h9 is taken");
    terminal.type_line(&format!("evel 7{LEFT}{LEFT}{LEFT}{LEFT}{LEFT}{LEFT}l"));
    terminal.expect("Tengen plays at level 7.");
    terminal.type_line("save! edited.psq");
    terminal.expect_prompt_after("Saved to edited.psq.");
    terminal.type_line("quit");
    assert!(terminal.leaves_well());
}

#[test]
fn ctrl_c_clears_the_line_and_nothing_else() {
    let mut terminal = Terminal::play(80, &["--players", "2"]);
    terminal.expect_prompt_after("Move 1: ");
    terminal.keyboard.write_all(b"h8\x03").unwrap();
    terminal.expect("type quit to leave");
    terminal.type_line("h9");
    terminal.expect_prompt_after("Move 2: ");
    terminal.type_line("moves");
    terminal.expect("  1 h9\r\n");
}

#[test]
fn a_thought_can_be_ended() {
    let start = Instant::now();
    for stop in ["\x03", "stop\r", " STOP\r"] {
        let mut terminal = Terminal::start(80, &["play", "--time", "3600"], &[("NO_COLOR", "1")]);
        terminal.expect_prompt_after("Move 1: ");
        terminal.type_line("h8");
        terminal.expect_prompt_after("Tengen thinks ...");
        // What is typed meanwhile is done afterwards.
        terminal.type_line("level 7");
        terminal.expect_prompt_after(TAKEN);
        terminal.keyboard.write_all(stop.as_bytes()).unwrap();
        terminal.expect("Tengen plays ");
        terminal.expect("Move 3: ");
        terminal.expect_prompt_after("Tengen plays at level 7.");
        terminal.type_line("hint");
        terminal.expect_prompt_after(TAKEN);
        terminal.keyboard.write_all(stop.as_bytes()).unwrap();
        terminal.expect_prompt_after("Tengen would play ");
        terminal.type_line("stop");
        terminal.expect("Tengen is not thinking.");
    }
    assert!(start.elapsed() < TIME_LIMIT);
}

#[test]
fn a_game_is_lost_only_by_a_second_word() {
    let mut terminal = Terminal::play(80, &["--players", "2"]);
    terminal.expect_prompt_after("Move 1: ");
    for command in ["new", "swap2", "size 9", "load no.psq", "quit"] {
        terminal.type_line("h8");
        terminal.type_line(command);
        terminal.expect("This game is not saved");
        // Another command forgets the question.
        terminal.type_line("moves");
        terminal.expect("  1 h8\r\n");
        terminal.type_line(command);
        terminal.expect_prompt_after("This game is not saved");
        terminal.type_line("undo");
        terminal.expect_prompt_after("Move 1: ");
    }
    terminal.type_line("new");
    terminal.expect("This game is not saved");
    terminal.type_line("new");
    terminal.expect_prompt_after("Move 1: ");
    terminal.type_line("h8");
    terminal.expect_prompt_after("Move 2: ");
    terminal.keyboard.write_all(b"\x04").unwrap();
    terminal.expect_prompt_after("This game is not saved");
    terminal.keyboard.write_all(b"\x04").unwrap();
    assert!(terminal.leaves_well());
}

#[test]
fn no_end_redone_move_or_opening_is_lost_unasked() {
    let mut terminal = Terminal::play(80, &["--players", "2"]);
    terminal.expect_prompt_after("Move 1: ");
    terminal.type_line("h8");
    terminal.type_line("save! kept.psq");
    terminal.type_line("undo");
    terminal.type_line("redo");
    terminal.expect_prompt_after("Saved to kept.psq.");
    terminal.type_line("new");
    terminal.expect_prompt_after("This game is not saved");
    terminal.type_line("save kept.psq");
    terminal.type_line("resign");
    terminal.expect_prompt_after("Black wins: white has resigned.");
    for command in ["", "new", "quit"] {
        terminal.type_line(command);
        terminal.expect_prompt_after("This game is not saved");
    }
    terminal.type_line("save kept.psq");
    terminal.expect_prompt_after("Saved to kept.psq.");
    terminal.type_line("swap2");
    terminal.expect_prompt_after("place stone 1 of 3");
    terminal.type_line("h8");
    terminal.expect_prompt_after("place stone 2 of 3");
    terminal.type_line("quit");
    terminal.expect_prompt_after("This game is not saved");
}

#[test]
fn no_line_is_lost_that_comes_early() {
    let mut terminal = Terminal::play(80, &["--players", "2"]);
    terminal.expect("Move 1: ");
    // Typed at once, and pasted into a terminal that says so.
    terminal.type_line("h8\rh9\rh10");
    terminal.expect("Move 4: ");
    terminal.type_line("\x1b[200~i8\ri9\x1b[201~");
    terminal.expect("Move 6: ");
    terminal.type_line("moves");
    terminal.expect("  1 h8    2 h9    3 h10   4 i8    5 i9\r\n");
}

#[test]
fn a_line_that_is_not_utf8_ends_no_game() {
    let mut terminal = Terminal::play(80, &["--players", "2"]);
    terminal.expect("Move 1: ");
    terminal.type_line("h8");
    terminal.expect_prompt_after("Move 2: ");
    // A byte that is never part of UTF-8, and a character that is not complete.
    for bytes in [&b"i9\xff"[..], b"i9\xe9\r"] {
        terminal.keyboard.write_all(bytes).unwrap();
        terminal.expect_prompt_after("this line is not UTF-8 text; type it again");
    }
    terminal.type_line("h9");
    terminal.expect_prompt_after("Move 3: ");
    terminal.type_line("moves");
    terminal.expect("  1 h8    2 h9\r\n");
}

#[test]
fn a_board_is_no_wider_than_the_terminal() {
    let mut terminal = Terminal::play(40, &["--size", "22"]);
    let text = terminal.expect("Move 1: it is your turn");
    assert!(text.contains("\n   abcdefghijklmnopqrstuv\r\n"), "{text:?}");
    let board = text.lines().filter(|line| line.starts_with([' ', '1', '2']));
    assert!(board.map(|line| line.trim_end().len()).max() == Some(28), "{text:?}");
    let text = Terminal::play(49, &["--size", "22"]).expect("Move 1: it is your turn");
    assert!(text.contains("\n   a b c d e f"), "{text:?}");
}

#[test]
fn another_game_is_a_key_away() {
    let mut terminal = Terminal::play(80, &["--rule", "renju", "--white"]);
    terminal.expect("Move 2: it is your turn");
    terminal.type_line("resign");
    terminal.expect("Black wins: white has resigned.\r\nPress Enter for another game");
    terminal.type_line("");
    terminal.expect("This game is not saved");
    terminal.type_line("");
    let text = terminal.expect("Move 2: it is your turn, white (O).");
    assert!(text.contains("Rule renju, ") && text.contains("Tengen plays h8."), "{text:?}");
    // An empty line in a game is nothing.
    terminal.type_line("");
    terminal.type_line("moves");
    terminal.expect("  1 h8\r\n");
}

#[test]
fn the_end_of_the_time_is_told_while_a_line_is_typed() {
    let mut terminal = Terminal::play(80, &["--clock", "1s"]);
    terminal.expect("Move 1: it is your turn");
    terminal.keyboard.write_all(b"h").unwrap();
    terminal.expect("White wins on time.");
    // The line is still there.
    terminal.type_line("8");
    terminal.expect_prompt_after("the time is up; type new");
    terminal.keyboard.write_all(b"\x04").unwrap();
    assert!(terminal.leaves_well());
}

#[test]
fn a_board_has_colors_unless_they_are_unwanted() {
    let has_colors = |variables: &[(&str, &str)]| {
        let mut terminal = Terminal::start(80, &["play", "--white", "--level", "0"], variables);
        terminal.expect("Move 2: it is your turn").contains("\x1b[2m")
    };
    assert!(has_colors(&[]));
    assert!(!has_colors(&[("NO_COLOR", "1")]) && !has_colors(&[("TERM", "dumb")]));
}

#[test]
fn long_work_has_a_bar_that_goes() {
    let positions = ["h8i9h10g7"; 6];
    let arguments = [&["analyze", "--time", "0.25", "--threads", "1"], &positions[..]].concat();
    let mut terminal = Terminal::start(80, &arguments, &[]);
    let mut dumb = Terminal::start(80, &arguments, &[("TERM", "dumb")]);
    // A narrow terminal would show the rest of the bar in further lines.
    terminal.expect("\x1b[?7l\r[");
    terminal.expect("/6 ");
    let bar = terminal.expect(" left");
    assert!(bar.contains('%'), "{bar}");
    // Blanks take the place of the bar before a result is printed there.
    terminal.expect(&format!("\r{}\r\x1b[?7h", " ".repeat(78)));
    terminal.expect("line 1: freestyle 15x15, 4 stones");
    assert!(terminal.leaves_well());
    let text: String = (0..6).map(|_| dumb.expect("line 1: ")).collect();
    assert!(!text.contains(" left"), "{text}");
}

#[test]
fn the_protocol_greets_a_person_in_one_line() {
    let mut terminal = Terminal::start(80, &["engine"], &[]);
    let before = terminal.expect("MESSAGE Tengen");
    assert_eq!(before, "");
    terminal.expect("tengen play\r\n");
    terminal.type_line("START 15");
    terminal.expect("OK\r\n");
    terminal.type_line("END");
    assert!(terminal.leaves_well());
}
