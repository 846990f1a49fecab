//! A game with a person, or between two, at a terminal: lines typed, boards drawn.
//!
//! The same loop serves a pipe, without prompt and colours. Each line is at most one command; a
//! refused line is answered with one line and changes nothing.

pub mod command;
mod engine;
mod input;
mod text;

use std::io::{self, IsTerminal, Write, stdout};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::slice;
use std::thread;
use std::time::{Duration, Instant};

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::names;
use tengen_gomoku::record::{self, HUMAN};
use tengen_gomoku::types::{BoardSize, Color, Coord, CoordSet, Rule};

use crate::input::Reading;
use crate::typed;
use anyhow::{Context, anyhow};
use clap::Args;
use tengen::database::Database;
use tengen::eval;
use tengen::opening::{Swap2, swap2};
use tengen::search::clock::TimeControl;
use tengen::search::control::Control;
use tengen::search::{GameSeeds, Limits, STACK_BYTES, Searcher, Strength};
use tengen_session::clock::{Clock, Moment};
use tengen_session::game::{Game, GameEnd, Refusal, Seat};
use tengen_session::opening::{Choice, Opening, Stage};

use command::{Command, HELP};
use engine::Engine;
use input::{Event, Input};
use text::{Drawing, described, stdout_has_colors};

/// The program's name in files, by which Piskvork finds it.
const PROGRAM: &str = "pbrain-tengen";
const TABLE_BYTES: usize = 64 << 20;
const UNSAVED: &str =
    "This game is not saved: save FILE keeps it, the same command again gives it up.\n";

const ABOUT: &str = "\
Plays a game with you at the terminal. Type a move such as h8: a letter for the column and a \
number for the row. Type help for everything else: undo, hint, swap, level, time, rule, size, new, \
save, load, moves, resign, quit and more.";

/// How a session begins.
#[derive(Clone, Debug, Args)]
#[command(after_help = ABOUT)]
pub struct Options {
    #[command(flatten)]
    reading: Reading,
    /// How strong Tengen plays
    #[arg(long, value_name = "0-100", value_parser = typed::level, default_value = "100")]
    level: Strength,
    /// Random seed: repeats the stones of swap2 and, below level 100, the games
    #[arg(long)]
    seed: Option<u64>,
    /// How long Tengen may think about a move
    #[arg(long, value_name = "SECONDS", value_parser = typed::time, default_value = "2")]
    time: Duration,
    /// Tengen's style: 0 defends most, 50 is neutral, 100 attacks most
    #[arg(long, value_name = "0-100", value_parser = typed::style, default_value = "50")]
    style: eval::Style,
    /// Clocks of a game: 5m, 90s, or 5m+3 with 3 s more a move
    #[arg(long, value_name = "TIME", value_parser = typed::clock)]
    clock: Option<Clock>,
    /// Take the white stones; Tengen has black
    #[arg(long, conflicts_with = "players")]
    white: bool,
    /// How many persons play; with 2, Tengen gives hints
    #[arg(long, value_name = "1|2", value_parser = typed::persons, default_value = "1")]
    players: u8,
    /// Begin with swap2: three stones, and a choice of colours
    #[arg(long)]
    swap2: bool,
    /// Begin with what this database knows, and keep there what is found
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// A game to continue, in any format; without --white you play the side to move
    #[arg(conflicts_with = "swap2")]
    file: Option<PathBuf>,
}

/// Plays games with the person at standard input and output, and returns when the person quits or
/// the input ends.
pub fn run(options: Options) -> anyhow::Result<()> {
    let database = options.database.as_deref().map(Database::open).transpose()?;
    let mut session = Session::new(&options, database)?;
    session.run().context("cannot talk to the player")
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    /// This text, line ends and all, and another command.
    Say(String),
    Draw,
    Explain,
    Leave,
}

struct Session {
    game: Game,
    /// How files are read.
    reading: Reading,
    /// Of the first player and the second: who of them has black is told by the game.
    seats: [Seat; 2],
    engine: Engine,
    clock: Clock,
    /// The origin of the clock's moments.
    start: Instant,
    input: Input,
    /// The files that this game was saved to, which may be overwritten.
    saved: Vec<PathBuf>,
    /// True after a person's move, a resignation or a loss on time that no file holds.
    is_unsaved: bool,
    /// The command that would have lost the game, and was asked about.
    asked: Option<String>,
    /// What is still to be told about the file that was read.
    warnings: Vec<String>,
}

impl Session {
    fn new(options: &Options, database: Option<Database>) -> anyhow::Result<Session> {
        let reading = options.reading.clone();
        let rule = reading.rule.unwrap_or_default();
        let (game, warnings) = match &options.file {
            None => {
                let opening = if options.swap2 { Opening::Swap2 } else { Opening::Free };
                let game = Game::new(reading.size, rule, opening);
                (game.with_rows(reading.rows), Vec::new())
            }
            Some(path) => load(path, &reading, rule)?,
        };
        let seats = match options.players {
            1 if options.white => person(Color::White as usize),
            1 => person(game.to_act()),
            _ => [Seat::Person; 2],
        };
        let engine = Engine {
            searcher: Searcher::new(TABLE_BYTES),
            seeds: options.seed.map_or_else(GameSeeds::default, GameSeeds::new),
            database,
            level: options.level,
            style: options.style,
            time: options.time,
        };
        Ok(Session {
            game,
            reading,
            seats,
            engine,
            clock: options.clock.clone().unwrap_or_default(),
            start: Instant::now(),
            input: Input::open().context("cannot read from the player")?,
            saved: Vec::new(),
            is_unsaved: false,
            asked: None,
            warnings,
        })
    }

    fn run(&mut self) -> io::Result<()> {
        let out = &mut Vec::new();
        writeln!(out, "Type a move such as h8, or help.")?;
        let mut next = Next::Explain;
        loop {
            for warning in self.warnings.drain(..) {
                writeln!(out, "Warning: {warning}.")?;
            }
            if next == Next::Explain {
                self.write_settings(out)?;
            }
            while self.game.end().is_none() && self.seats[self.game.to_act()] != Seat::Person {
                self.answer(out)?;
                next = Next::Draw;
            }
            match &next {
                Next::Say(text) => out.write_all(text.as_bytes())?,
                Next::Draw | Next::Explain => self.write_board(out)?,
                Next::Leave => return Ok(()),
            }
            self.input.show(out)?;
            let player = self.game.is_running().then_some(self.game.to_act());
            self.clock.run(player, self.now());
            next = match self.input.read(self.clock.flag().map(|at| self.start + at))? {
                Event::Line(line) => self.obey(&line),
                Event::Unreadable => {
                    Next::Say("this line is not UTF-8 text; type it again\n".to_owned())
                }
                Event::Deadline => {
                    self.time_up();
                    // His line is still being typed.
                    self.input.print_meanwhile(&self.end_text())?;
                    Next::Say(String::new())
                }
                Event::End => self.obey("quit"),
                Event::Interrupt | Event::Done => Next::Say("type quit to leave\n".to_owned()),
            };
        }
    }

    fn obey(&mut self, line: &str) -> Next {
        let command = Command::parse(line, self.game.size());
        let result = command.and_then(|command| {
            let asks = self.must_ask(line, &command);
            if asks { Ok(Next::Say(UNSAVED.to_owned())) } else { self.execute(command) }
        });
        result.unwrap_or_else(|refusal| {
            let hint = match refusal.downcast_ref() {
                Some(Refusal::Over) => "; type undo, new, load or quit",
                Some(Refusal::TimeUp) => "; type new, load or quit",
                _ => "",
            };
            Next::Say(format!("{refusal}{hint}\n"))
        })
    }

    /// Returns true for a command that would lose moves, unless it was asked about just before.
    fn must_ask(&mut self, line: &str, command: &Command) -> bool {
        let loses = match command {
            Command::New(_) | Command::Size(_) | Command::Load(_) | Command::Quit => true,
            Command::Nothing => self.game.end().is_some(),
            _ => false,
        };
        let asks = loses && self.is_unsaved && self.input.is_terminal;
        let asked = std::mem::replace(&mut self.asked, asks.then(|| line.to_owned()));
        asks && asked.as_deref() != Some(line)
    }

    fn execute(&mut self, command: Command) -> anyhow::Result<Next> {
        Ok(match command {
            Command::Nothing if self.game.end().is_some() && self.input.is_terminal => {
                self.begin(self.game.size(), self.game.opening)
            }
            Command::Nothing => Next::Say(String::new()),
            Command::Help => Next::Say(HELP.to_owned()),
            Command::Quit => Next::Leave,
            Command::Stop => Next::Say("Tengen is not thinking.\n".to_owned()),
            Command::Board => Next::Explain,
            Command::Moves => Next::Say(text::moves(&self.game)),
            Command::Hint => Next::Say(format!("Tengen would {}.\n", self.hint()?)),
            Command::Level(level) => {
                self.engine.level = level;
                Next::Say(format!("Tengen plays at level {}.\n", level.number()))
            }
            Command::Style(style) => {
                self.engine.style = style;
                Next::Say(format!("Tengen plays in style {}.\n", style.number()))
            }
            Command::Time(time) => {
                self.engine.time = time;
                Next::Say(format!("Tengen thinks for {} s at most.\n", time.as_secs_f64()))
            }
            Command::Clock => Next::Say(self.clocks().unwrap_or("There is no clock.\n".into())),
            Command::SetClock(clock) => {
                self.clock = clock;
                Next::Say(self.clocks().unwrap_or("The clocks are off.\n".into()))
            }
            Command::Save(path, overwrites) => {
                self.save(&path, overwrites)?;
                Next::Say(format!("Saved to {}.\n", path.display()))
            }
            Command::Move(c) => {
                let now = self.now();
                if self.is_time_up(now) {
                    self.time_up();
                    return Ok(Next::Draw);
                }
                let time = self.clock.time(now);
                self.game.play(c, time)?;
                self.is_unsaved = true;
                self.clock.end_turn(time, self.game.shown());
                Next::Draw
            }
            Command::Choose(choice) => self.game.choose(choice).map(|()| Next::Explain)?,
            Command::Undo => self.game.undo(self.seats).map(|()| Next::Draw)?,
            Command::Redo => {
                self.game.redo(self.seats)?;
                self.is_unsaved = true;
                Next::Draw
            }
            Command::Resign => {
                let to_act = self.game.color(self.game.to_act());
                self.game.resign(self.person().unwrap_or(to_act))?;
                self.is_unsaved = true;
                Next::Draw
            }
            Command::Load(path) => {
                let reading = Reading { rule: None, size: self.game.size(), ..self.reading };
                (self.game, self.warnings) = load(&path, &reading, self.game.rule())?;
                if self.person().is_some() {
                    self.seats = person(self.game.to_act());
                }
                self.start()
            }
            Command::Swap => {
                self.game.check_opening()?;
                self.person().context("two persons play: no side is Tengen's")?;
                self.seats.swap(0, 1);
                Next::Explain
            }
            Command::Persons(number) => {
                self.game.check_opening()?;
                if number == 2 {
                    self.seats = [Seat::Person; 2];
                } else if self.person().is_none() {
                    self.seats = person(self.game.to_act());
                }
                Next::Explain
            }
            Command::New(opening) => self.begin(self.game.size(), opening),
            Command::Size(size) => self.begin(size, self.game.opening),
            Command::Rule(rule) => {
                self.game.set_rule(rule);
                self.engine.searcher.clear();
                Next::Explain
            }
        })
    }

    fn begin(&mut self, size: BoardSize, opening: Opening) -> Next {
        let game = Game::new(size, self.game.rule(), opening);
        self.game = game.with_rows(self.game.rows());
        self.start()
    }

    fn person(&self) -> Option<Color> {
        let engine = self.seats.iter().position(|&seat| seat != Seat::Person)?;
        Some(self.game.color(1 - engine))
    }

    /// Makes everything around a game ready for another one.
    fn start(&mut self) -> Next {
        self.engine.start_game();
        self.clock = Clock::new(self.clock.limit, self.clock.increment);
        self.saved.clear();
        self.is_unsaved = false;
        Next::Explain
    }

    /// Returns what the program would do in the person's place.
    fn hint(&mut self) -> anyhow::Result<String> {
        self.game.check_running()?;
        let (board, limits) = (self.game.board(), Limits::default());
        match self.game.opening_state {
            None => {
                let control = self.engine.control(&board, TimeControl::default());
                let report =
                    self.think(&control, |engine| engine.search(&board, &limits, &control))?;
                Ok(format!("play {}", text::opinion(&board, &report)))
            }
            Some(opening_state) if opening_state.is_placing() => Err(Refusal::Opening.into()),
            Some(_) => Ok(text::choice(self.choose(&board, &limits)?, "")),
        }
    }

    /// Has the engine work in a thread with the stack that it needs, while the person may end it.
    fn think<T: Send>(
        &mut self,
        control: &Control,
        task: impl FnOnce(&mut Engine) -> T + Send,
    ) -> io::Result<T> {
        let Session { engine, input, .. } = self;
        let notice = input.notice();
        let work = move || {
            let _notice = notice;
            task(engine)
        };
        thread::scope(|scope| {
            let thread = thread::Builder::new().name("think".into()).stack_size(STACK_BYTES);
            let thread = thread.spawn_scoped(scope, work)?;
            let waited = input.wait_for_notice(|| control.stop());
            let result = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            waited.map(|()| result)
        })
    }

    /// Returns Tengen's choice after three or five stones of swap2.
    fn choose(&mut self, board: &Board, limits: &Limits) -> io::Result<Swap2> {
        let control = self.engine.choice_control(board);
        self.think(&control, |engine| engine.choose(board, limits, &control))
    }

    fn save(&mut self, path: &Path, overwrites: bool) -> anyhow::Result<()> {
        let name =
            |color| if self.game.is_person(color, self.seats) { HUMAN } else { PROGRAM }.to_owned();
        let mut game = self.game.clone();
        game.end_main_line();
        let tree = game.tree_for_file(Color::ALL.map(name));
        let is_own = self.saved.iter().any(|saved| saved == path);
        record::save(&tree, path, is_own || overwrites).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                anyhow!("{0} is there already; save! {0} overwrites it", path.display())
            }
            _ => error.into(),
        })?;
        if !is_own {
            self.saved.push(path.to_owned());
        }
        self.is_unsaved = false;
        Ok(())
    }

    fn now(&self) -> Moment {
        self.start.elapsed()
    }

    fn time_up(&mut self) {
        self.game.time_up(self.game.to_move());
        self.is_unsaved |= !self.game.moves().is_empty();
    }

    /// Returns true if the time of whoever is to move is up, and nothing has said so yet.
    fn is_time_up(&self, now: Moment) -> bool {
        let left = self.clock.left(self.game.to_act(), now);
        self.game.is_running() && left.is_some_and(|left| left.is_zero())
    }

    fn answer(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let board = self.game.board();
        if board.stone_count() > 0 && stdout().is_terminal() {
            writeln!(out, "Tengen thinks ...")?;
        }
        self.input.show(out)?;
        match self.game.opening_state {
            None => {
                let player = self.game.to_act();
                self.clock.run(Some(player), self.now());
                let left = self.clock.left(player, self.now());
                let time = TimeControl { turn: None, left, increment: self.clock.increment };
                let (limits, control) = (self.engine.limits(), self.engine.control(&board, time));
                let mv = match board.stone_count() {
                    0 => board.size().center(),
                    _ => {
                        let search = |engine: &mut Engine| engine.search(&board, &limits, &control);
                        self.think(&control, search)?.best
                    }
                };
                let now = self.now();
                if self.is_time_up(now) {
                    self.time_up();
                    return Ok(());
                }
                let time = self.clock.time(now);
                self.place(mv, time);
                self.clock.end_turn(time, self.game.shown());
                writeln!(out, "Tengen plays {mv}.")
            }
            Some(opening_state) if opening_state.stage == Stage::PlaceThree => {
                let seed = self.engine.seeds.current;
                let stones = swap2::stones(board.size(), board.rule(), seed);
                stones.into_iter().for_each(|c| self.place(c, Duration::ZERO));
                writeln!(out, "Tengen places {}.", names(&stones).join(", "))
            }
            Some(_) => {
                let answer = self.choose(&board, &self.engine.limits())?;
                let (choice, stones) = match &answer {
                    Swap2::Black => (Choice::Black, [].as_slice()),
                    Swap2::White(c) => (Choice::White, slice::from_ref(c)),
                    Swap2::PutTwo(stones) => (Choice::PutTwo, stones.as_slice()),
                };
                self.game.choose(choice).expect("invariant: a choice is due");
                stones.iter().for_each(|&c| self.place(c, Duration::ZERO));
                writeln!(out, "Tengen {}.", text::choice(answer, "s"))
            }
        }
    }

    /// Plays a move of the program, forbidden or not: it may have no other.
    fn place(&mut self, c: Coord, time: Duration) {
        self.game.place(c, time).expect("invariant: the game goes on, and the cell is free");
    }

    fn clocks(&self) -> Option<String> {
        let now = self.now();
        let left = |color: Color| self.clock.left(self.game.player(color), now);
        Some(text::clocks([left(Color::Black)?, left(Color::White)?]))
    }

    fn write_settings(&self, out: &mut impl Write) -> io::Result<()> {
        let (rule, size) = (self.game.rule().name(), self.game.size());
        let (level, time) = (self.engine.level.number(), self.engine.time.as_secs_f64());
        let style = match self.engine.style {
            style if style.is_neutral() => String::new(),
            style => format!(" style {},", style.number()),
        };
        let players = match (self.person(), self.game.opening_state) {
            (None, _) => "two persons play".to_owned(),
            (Some(_), Some(_)) => "colours come with the opening".to_owned(),
            (Some(color), None) => format!("you are {}", described(color)),
        };
        write!(out, "Rule {rule}, board {size}, level {level},{style} ")?;
        writeln!(out, "{time} s a move; {players}.")
    }

    fn write_board(&self, out: &mut impl Write) -> io::Result<()> {
        let forbidden: CoordSet = self.game.forbidden().into_iter().map(|(c, _)| c).collect();
        let drawing = Drawing {
            board: &self.game.board(),
            rows: self.game.rows(),
            last: self.game.shown().checked_sub(1).map(|last| self.game.moves()[last].c),
            five: self.game.end().iter().flat_map(GameEnd::five).collect(),
            forbidden,
            has_colors: stdout_has_colors(),
            columns: self.input.columns,
        };
        write!(out, "\n{}", drawing.text())?;
        if !forbidden.is_empty() {
            writeln!(out, "Points marked ! are forbidden for black.")?;
        }
        let clocks = self.clocks().unwrap_or_default();
        let turn = match self.game.end() {
            Some(_) => self.end_text(),
            None => text::turn(&self.game, self.person()),
        };
        write!(out, "{clocks}{turn}")
    }

    /// Returns how the game ended, and at a terminal what can follow.
    fn end_text(&self) -> String {
        let end = self.game.end();
        let words = end.as_ref().map(|end| text::end(&self.game, end, self.person()));
        let mut text = words.unwrap_or_default();
        if self.input.is_terminal {
            let undo = if matches!(end, Some(GameEnd::TimeUp(_))) { "" } else { "undo, " };
            text += &format!("Press Enter for another game, or type {undo}save FILE, quit.\n");
        }
        text
    }
}

/// Returns the seats of one person, the player of this number, and the program.
fn person(player: usize) -> [Seat; 2] {
    [0, 1].map(|seat| if seat == player { Seat::Person } else { Seat::Engine1 })
}

/// Reads the first game of a file, and warnings in words; `rule` is for a game that names none.
fn load(path: &Path, reading: &Reading, rule: Rule) -> anyhow::Result<(Game, Vec<String>)> {
    let games = record::load(path, reading.options())?;
    let (game, words) = Game::first_of(games, rule, reading.rule)
        .map_err(|error| anyhow!("{}: {error}", path.display()))?;
    Ok((game, words.into_iter().map(|words| format!("{}: {words}", path.display())).collect()))
}
