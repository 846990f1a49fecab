//! A game against a person at a terminal: lines typed, boards drawn.
//!
//! The same loop serves a pipe, without prompt and colours. Each line is at most one command; a
//! refused line is answered with one line and changes nothing. Knows nothing of managers and their
//! protocol. Invariant: the record holds the position, and boards are made anew from it.

pub mod command;
mod drawing;

use std::io::{self, BufRead, IsTerminal, Write, stdin, stdout};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::opening;
use crate::record::{self, Ending, HUMAN, Outcome, Record};
use crate::search::clock::{Control, TimeControl};
use crate::search::{Limits, Params, Report, STACK_BYTES, Searcher, Strength};
use crate::types::{BoardSize, CellSet, Color, Coord, Rule, ScoreKind};
use command::{Command, HELP, Refusal};
use drawing::{Marks, Style, draw};

/// Memory of the transposition table.
const TABLE_BYTES: usize = 64 << 20;
/// The program's name in files, by which Piskvork finds it.
const PROGRAM: &str = "pbrain-tengen";

/// How a session begins.
#[derive(Clone, Debug)]
pub struct Options {
    /// The rule of games that name none.
    pub rule: Rule,
    /// The size of the board.
    pub size: BoardSize,
    /// How strong the program plays.
    pub level: Strength,
    /// How long it may think about a move.
    pub time: Duration,
    /// The person's colour.
    pub human: Color,
    /// The file of a game to go on with.
    pub file: Option<PathBuf>,
}

/// Plays with the person at standard input and output until he leaves.
///
/// # Errors
///
/// If the thread of the game cannot be started, or input or output fails.
pub fn run(options: Options) -> anyhow::Result<()> {
    let game = move || {
        let mut session = Session::new(&options);
        session.run(options.file.as_deref(), &mut stdin().lock(), &mut stdout().lock())
    };
    // The search needs the stack.
    let thread = thread::Builder::new().name("play".into()).stack_size(STACK_BYTES).spawn(game);
    let result = thread.context("cannot start the game")?.join();
    result.unwrap_or_else(|panic| resume_unwind(panic)).context("cannot talk to the player")
}

/// What follows a command.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    /// This text, line ends and all, and another command.
    Say(String),
    /// The board.
    Draw,
    /// The settings, and the board.
    Explain,
    /// The end.
    Leave,
}

/// A person, the program, and the game between them.
struct Session {
    record: Record,
    rule: Rule,
    ending: Option<(Ending, usize)>,
    human: Color,
    level: Strength,
    time: Duration,
    searcher: Searcher,
    style: Style,
}

impl Session {
    fn new(options: &Options) -> Session {
        Session {
            record: Record::new(options.size),
            rule: options.rule,
            ending: None,
            human: options.human,
            level: options.level,
            time: options.time,
            searcher: Searcher::new(TABLE_BYTES),
            style: Style::of_stdout(),
        }
    }

    fn run(
        &mut self,
        file: Option<&Path>,
        input: &mut impl BufRead,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let has_prompt = stdin().is_terminal();
        writeln!(out, "Type a move such as h8, or help.")?;
        if let Some(path) = file
            && let Err(refusal) = self.load(path)
        {
            writeln!(out, "{refusal}")?;
        }
        let mut next = Next::Explain;
        loop {
            if next == Next::Explain {
                self.write_settings(out)?;
            }
            if next != Next::Leave && self.ending.is_none() && self.record.to_move() != self.human {
                self.answer(out)?;
                next = Next::Draw;
            }
            match &next {
                Next::Say(text) => out.write_all(text.as_bytes())?,
                Next::Draw | Next::Explain => self.write_board(out)?,
                Next::Leave => return Ok(()),
            }
            if has_prompt {
                write!(out, "> ")?;
            }
            out.flush()?;
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let command = Command::parse(&String::from_utf8_lossy(&line), self.record.size());
            let result = command.and_then(|command| self.execute(command));
            next = result.unwrap_or_else(|refusal| Next::Say(format!("{refusal}\n")));
        }
    }

    fn execute(&mut self, command: Command) -> Result<Next, Refusal> {
        Ok(match command {
            Command::Nothing => Next::Say(String::new()),
            Command::Help => Next::Say(HELP.to_owned()),
            Command::Quit => Next::Leave,
            Command::Board => Next::Explain,
            Command::Hint => {
                if self.ending.is_some() {
                    return Err(Refusal::Over);
                }
                let report = self.think(Limits::default());
                Next::Say(format!("Tengen would play {}.\n", opinion(&report)))
            }
            Command::Level(level) => {
                self.level = level;
                Next::Say(format!("Tengen plays at level {}.\n", level.number()))
            }
            Command::Time(time) => {
                self.time = time;
                Next::Say(format!("Tengen thinks for {} s at most.\n", time.as_secs_f64()))
            }
            Command::Save(path) => {
                self.save(&path)?;
                Next::Say(format!("Saved to {}.\n", path.display()))
            }
            Command::Move(c) => {
                self.play(c)?;
                Next::Draw
            }
            Command::Undo => {
                self.undo()?;
                Next::Draw
            }
            Command::Load(path) => {
                self.load(&path)?;
                Next::Explain
            }
            Command::Swap => {
                self.human = !self.human;
                Next::Explain
            }
            Command::New => {
                self.begin(self.record.size());
                Next::Draw
            }
            Command::Size(size) => {
                self.begin(size);
                Next::Explain
            }
            Command::Rule(rule) => {
                self.rule = rule;
                self.searcher.clear();
                self.update_ending();
                Next::Explain
            }
        })
    }

    fn begin(&mut self, size: BoardSize) {
        self.record = Record::new(size);
        self.searcher.clear();
        self.update_ending();
    }

    /// Plays the person's move.
    fn play(&mut self, c: Coord) -> Result<(), Refusal> {
        if self.ending.is_some() {
            return Err(Refusal::Over);
        }
        if !self.record.is_empty(c) {
            return Err(Refusal::Taken(c));
        }
        let mut board = self.record.board(self.rule);
        if board.side_to_move() == Color::Black && board.is_forbidden(c) {
            return Err(Refusal::Forbidden(c));
        }
        self.put(c, Duration::ZERO);
        Ok(())
    }

    /// Takes back the person's last move and what came after it.
    fn undo(&mut self) -> Result<(), Refusal> {
        let own = self.record.moves().iter().rposition(|stone| stone.color == self.human);
        self.record = self.record.after(own.ok_or(Refusal::NothingToUndo)?);
        self.update_ending();
        Ok(())
    }

    fn save(&mut self, path: &Path) -> Result<(), Refusal> {
        let mut players = [PROGRAM, PROGRAM];
        players[self.human] = HUMAN;
        self.record.players = players.map(str::to_owned);
        self.record.rule = Some(self.rule);
        self.record.outcome = self.ending.as_ref().map(|(ending, _)| ending.outcome());
        self.record.save(path).map_err(Refusal::File)
    }

    /// Takes over the first game of a file, in which the person moves next.
    fn load(&mut self, path: &Path) -> Result<(), Refusal> {
        let entries = record::load(path, self.record.size()).map_err(Refusal::File)?;
        let entry = entries.into_iter().next().ok_or_else(|| Refusal::NoGame(path.to_owned()))?;
        let record = entry.record.map_err(|error| Refusal::Parse(path.to_owned(), error))?;
        self.rule = record.rule.unwrap_or(self.rule);
        self.human = record.to_move();
        self.record = record;
        self.searcher.clear();
        self.update_ending();
        Ok(())
    }

    /// Puts down a stone on a free cell.
    fn put(&mut self, c: Coord, time: Duration) {
        self.record.play(c, time).expect("invariant: the cell is free");
        self.update_ending();
    }

    /// Updates whether and how the game is over.
    fn update_ending(&mut self) {
        self.ending = self.record.ending(self.rule);
    }

    /// Plays the program's move.
    fn answer(&mut self, out: &mut impl Write) -> io::Result<()> {
        let start = Instant::now();
        let mv = if self.record.stones().is_empty() {
            opening::first_move(self.record.size())
        } else {
            if stdout().is_terminal() {
                writeln!(out, "Tengen thinks ...")?;
                out.flush()?;
            }
            self.think(Limits { strength: self.level, ..Limits::default() }).best
        };
        self.put(mv, start.elapsed());
        writeln!(out, "Tengen plays {mv}.")
    }

    /// Searches the position, in which a cell is free.
    fn think(&mut self, limits: Limits) -> Report {
        let board = self.record.board(self.rule);
        let time = TimeControl { turn: Some(self.time), ..TimeControl::default() };
        let params = Params::of(board.rule());
        let budget = time.budget(&params.time, board.stone_count(), board.empty_count());
        let control = Control::new(Instant::now(), budget);
        self.searcher.search(&board, &limits, &control, &mut |_| ())
    }

    fn write_settings(&self, out: &mut impl Write) -> io::Result<()> {
        let (rule, size, level) = (self.rule.name(), self.record.size(), self.level.number());
        let (time, you) = (self.time.as_secs_f64(), described(self.human));
        writeln!(out, "Rule {rule}, board {size}, level {level}, {time} s a move; you are {you}.")
    }

    /// Draws the board, and tells whose turn it is or how the game ended.
    fn write_board(&self, out: &mut impl Write) -> io::Result<()> {
        let mut board = self.record.board(self.rule);
        let mut marks = Marks {
            last: self.record.moves().last().map(|stone| stone.c),
            five: CellSet::EMPTY,
            forbidden: CellSet::EMPTY,
        };
        match &self.ending {
            Some((Ending::Five(_, five), _)) => marks.five = *five,
            Some(_) => {}
            None => {
                let size = self.record.size();
                let free = size.cells().filter(|&c| self.record.is_empty(c));
                marks.forbidden = free.filter(|&c| board.is_forbidden(c)).collect();
            }
        }
        write!(out, "\n{}", draw(&board, &marks, self.style))?;
        let Some((ending, at)) = &self.ending else {
            if !marks.forbidden.is_empty() {
                writeln!(out, "Points marked ! are forbidden for black.")?;
            }
            let (number, you) = (self.record.stones().len() + 1, described(self.human));
            return writeln!(out, "Move {number}: it is your turn, {you}.");
        };
        match ending {
            Ending::Five(color, _) => write!(out, "Five in a row: {} wins", described(*color))?,
            Ending::Foul(c) => write!(out, "{c} is forbidden for black: white (O) wins")?,
            Ending::Full => write!(out, "The board is full: nobody wins")?,
        }
        if *at < self.record.moves().len() {
            write!(out, " with move {at}")?;
        }
        writeln!(
            out,
            "{}",
            match ending.outcome() {
                Outcome::Won(color) if color == self.human => ". Well done!",
                _ => ".",
            }
        )
    }
}

/// Returns the colour and its letter on the board.
fn described(color: Color) -> &'static str {
    match color {
        Color::Black => "black (X)",
        Color::White => "white (O)",
    }
}

/// Returns a move and what the program thinks of it.
fn opinion(report: &Report) -> String {
    // The winner plays every other ply, the last one included.
    let moves = |plies: i32| match (plies + 1) / 2 {
        1 => "1 move".to_owned(),
        count => format!("{count} moves"),
    };
    match report.score.kind() {
        ScoreKind::Win(plies) => format!("{}, which wins in {}", report.best, moves(plies)),
        ScoreKind::Loss(plies) => format!("{}, but loses in {}", report.best, moves(plies)),
        ScoreKind::Eval(value) => format!("{} (score {value:+})", report.best),
    }
}
