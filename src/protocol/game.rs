//! The game as the manager tells it: the meaning and effect of each line.
//!
//! One line in, one [`Action`] out, without input, output or search. A refused command changes
//! nothing, except that the stones of a command that fills the board stay.

mod exclusions;
mod position;
mod result;
mod yixin;

use std::mem;
use std::time::Duration;

use tengen_gomocup::{Command, FileKind, Info, ListItem, ListKind, ListLine, ParseError, Reply};
use tengen_gomoku::board::CandidateRange;
use tengen_gomoku::shape::RuleTables;
use tengen_gomoku::types::{BoardSize, Coord};

use super::detail::Detail;
use super::settings::{OpeningRule, Settings};
use super::task::{Purpose, Resources, SearchTask, Task};
use crate::eval::Evaluator;
use crate::opening::{self, swap2};
use crate::score::Score;
use crate::search::{Blocked, GameSeeds, Limits, Override, Report, RootOptions};
use exclusions::Exclusions;
use position::Position;

pub enum Action {
    Nothing,
    Answer(Vec<Reply>),
    /// Run this search, and pass the result to [`Game::answers`].
    Search(Box<SearchTask>),
    Task(Task),
    Exit,
}

/// Why a command is refused; the text follows `ERROR`.
type ErrorText = &'static str;

type Executed = Result<Action, ErrorText>;

mod errors {
    pub const NO_GAME: &str = "no game started, START 20 expected";
    // Piskvork looks for the number and offers a board of 20 x 20.
    pub const SIZE: &str = "unsupported board size, 5 to 22, for example 20";
    pub const OFF_BOARD: &str = "bad coordinates, the point is not on the board";
    pub const OCCUPIED: &str = "bad coordinates, the cell is not empty";
    pub const BEGUN: &str = "the board is not empty";
    pub const NO_STONE: &str = "bad coordinates, there is no stone";
    pub const LIST_ITEM: &str =
        "bad row, x,y,owner expected up to DONE, or x,y where stones have no owner";
    pub const SWAP2_STONES: &str = "bad opening, 0, 3 or 5 stones expected";
    pub const OPENING_STONES: &str = "bad opening, another number of stones expected";
    pub const FIFTH_MOVES: &str = "bad number of fifth moves, 1 to 8 expected";
    pub const FULL: &str = "no empty square";
    pub const FILE_NAME: &str = "bad file name, at most 500 bytes of UTF-8 expected";
    pub const MANY_POSITIONS: &str = "too many positions have excluded moves";
    pub const READ_ONLY: &str = "the database is read-only, INFO database_readonly 0 expected";
}

/// What the next lines of input belong to: an unfinished list, a file's name or a configuration.
#[derive(Default)]
enum PendingInput {
    #[default]
    Nothing,
    List(ListKind, ListLine),
    File(FileKind),
    /// A line that is no command names a configuration: some clients send a name, some do not.
    Config,
}

#[derive(Default)]
pub struct Game {
    pub settings: Settings,
    position: Option<Position>,
    pending: PendingInput,
    /// The fifth moves of a Soosõrv opening.
    offered: Vec<Coord>,
    exclusions: Exclusions,
    seeds: GameSeeds,
    /// True if the next search forgets earlier ones.
    forget: bool,
    /// True if the manager must be told how the rule's code was understood.
    tells_rule: bool,
}

impl Game {
    /// Returns the state before the first START. No search exceeds `bounds`.
    pub fn new(bounds: Limits, overrides: Vec<Override>) -> Game {
        Game { settings: Settings::new(bounds, overrides), ..Game::default() }
    }

    /// Returns the resources of the next search, which forgets at most once.
    pub fn take_resources(&mut self) -> Resources {
        let memory = &self.settings.memory;
        let threads = memory.threads();
        let table_bytes = memory.table_bytes(threads);
        let forget = mem::take(&mut self.forget);
        Resources { table_bytes, threads, forget, keeps_size: false }
    }

    /// Returns the resources of a task. One that looks at the table does not empty it by a new size.
    pub fn task_resources(&mut self, task: &Task) -> Resources {
        Resources { keeps_size: task.looks_at_table(), ..self.take_resources() }
    }

    pub fn take_notice(&mut self) -> Option<Reply> {
        let text = || Reply::Message("rule 2 is taken for renju, as by Rapfi".to_owned());
        mem::take(&mut self.tells_rule).then(text)
    }

    pub fn set(&mut self, info: Info, apply: impl FnOnce(&mut Settings, Info)) {
        if let Info::Seed(seed) = info {
            self.seeds = GameSeeds::new(seed);
        }
        self.change_settings(|settings| apply(settings, info));
    }

    /// Changes the settings; a new rule makes the search forget.
    fn change_settings(&mut self, change: impl FnOnce(&mut Settings)) {
        let rule = self.settings.rule();
        let was_told = self.settings.is_renju_to_rapfi() && !self.tells_rule;
        change(&mut self.settings);
        self.tells_rule = self.settings.is_renju_to_rapfi() && !was_told;
        if self.settings.rule() != rule {
            self.forget = true;
            self.prepare_rule();
        }
    }

    /// Returns true if the command changes the game or asks for another search.
    pub fn ends_search(&self, command: &Command) -> bool {
        match *command {
            Command::Start { width, height, .. } => board_size(width, height).is_ok(),
            Command::Turn(point) | Command::Play(point) => {
                self.position.as_ref().is_some_and(|position| position.free_cell(point).is_ok())
            }
            Command::TakeBack(point) => {
                let position = self.position.as_ref();
                position.is_some_and(|position| position.stone_to_take_back(point).is_ok())
            }
            Command::List { ref kind, ref first } => self.list_ends_search(kind, first),
            Command::Restart
            | Command::NBest(_)
            | Command::SearchDefend
            | Command::BalanceOne(_)
            | Command::BalanceTwo(_)
            | Command::Swap2Open
            | Command::SoosorvOpen => self.position.is_some(),
            Command::Swap2AfterThree => self.has_stones(3),
            Command::Swap2AfterFive => self.has_stones(5),
            // After the search has placed a stone, BEGIN is an error.
            _ => false,
        }
    }

    /// Returns true for a list that changes the position: an unfinished one, or a finished one with
    /// valid points and, except for Soosõrv, a valid number of them.
    fn list_ends_search(&self, kind: &ListKind, line: &ListLine) -> bool {
        use ListKind::{Board, Soosorv, Swap2, YxBoard};
        let points = || Some((self.position.as_ref()?, line.items.as_ref()?));
        match (kind, points()) {
            (Board | YxBoard | Swap2 | Soosorv { .. }, _) if !line.done => true,
            (Board | YxBoard, Some((position, items))) => {
                position.clone().set_up(items, !self.settings.is_continuous()).is_ok()
            }
            (Swap2, Some((position, items))) => {
                position.points(items).is_ok_and(|cells| matches!(cells.len(), 0 | 3 | 5))
            }
            (Soosorv { .. }, Some((position, items))) => position.points(items).is_ok(),
            _ => false,
        }
    }

    /// Executes a line: `command`, or the text as part of a list or as the name of a file.
    pub fn execute(&mut self, text: &str, command: Result<Command, ParseError>) -> Action {
        use Command::{End, Restart, Start};
        let ends_list = matches!(command, Ok(Start { .. } | Restart | End));
        let is_setting = match &command {
            Ok(Command::File { kind: FileKind::Database, name }) => !name.is_empty(),
            command => matches!(command, Ok(Command::Info(_))),
        };
        let action = match (mem::take(&mut self.pending), command) {
            (PendingInput::Config, Ok(Command::Unknown)) => Ok(Action::Nothing),
            (PendingInput::File(kind), command) if command != Ok(End) => self.take_file(kind, text),
            (PendingInput::List(kind, list), Ok(command)) if is_setting => {
                self.pending = PendingInput::List(kind, list);
                self.command(command)
            }
            (PendingInput::List(kind, mut list), _) if !ends_list => {
                list.extend(ListLine::parse(text));
                self.take_list(kind, list)
            }
            (_, command) => command.and_then(|command| self.command(command)),
        };
        action.unwrap_or_else(error)
    }

    fn command(&mut self, command: Command) -> Executed {
        use Command::{List, NBest, ShowForbid};
        // Gomocup's managers send none of these.
        if matches!(command, NBest(_) | ShowForbid | List { kind: ListKind::YxBoard, .. }) {
            self.change_settings(|settings| settings.rapfi = true);
        }
        Ok(match command {
            Command::Start { width, height, is_rect } => {
                // Yixin-Board names the row of a point first, but the columns of a size.
                let is_turned = self.settings.yixin && !is_rect;
                let (x_side, y_side) = if is_turned { (height, width) } else { (width, height) };
                self.start(board_size(x_side, y_side)?);
                answer(Reply::Ok)
            }
            Command::Restart => {
                let size = self.position()?.size;
                self.start(size);
                answer(Reply::Ok)
            }
            Command::Begin if self.position()?.stone_count() > 0 => return Err(errors::BEGUN),
            Command::Begin => self.think(Purpose::Move, RootOptions::default())?,
            Command::Turn(point) => {
                let position = self.position()?;
                let c = position.free_cell(point)?;
                position.place_opponent(c);
                self.think(Purpose::Move, RootOptions::default())?
            }
            Command::Play(point) => {
                let position = self.position()?;
                let c = position.free_cell(point)?;
                position.place_own(c);
                answer(Reply::points([c]))
            }
            Command::TakeBack(point) => {
                self.position()?.take_back(point)?;
                answer(Reply::Ok)
            }
            Command::List { kind, first } => self.take_list(kind, first)?,
            Command::Info(info) => {
                self.set(info, Settings::apply);
                Action::Nothing
            }
            Command::About => answer(super::about()),
            Command::End => Action::Exit,
            Command::Unknown => answer(Reply::Unknown("command".to_owned())),
            command => self.execute_yixin(command)?,
        })
    }

    fn position(&mut self) -> Result<&mut Position, ErrorText> {
        self.position.as_mut().ok_or(errors::NO_GAME)
    }

    fn start(&mut self, size: BoardSize) {
        self.position = Some(Position::new(size));
        // Yixin-Board starts a game before every move, and clears the table by another command.
        self.forget |= !self.settings.yixin;
        self.settings.clock.start_game();
        self.seeds.start_game();
        self.prepare_rule();
    }

    /// Builds the rule's shape tables before the clock of the next search runs.
    fn prepare_rule(&self) {
        if self.position.is_some() {
            RuleTables::of(self.settings.rule());
        }
    }

    /// Asks for a search with these root options and the excluded moves, or answers without one.
    fn think(&mut self, purpose: Purpose, root: RootOptions) -> Executed {
        let (settings, seed) = (&self.settings, self.seeds.current);
        let position = self.position.as_mut().ok_or(errors::NO_GAME)?;
        if position.is_full() {
            return Err(errors::FULL);
        }
        let excluded = self.exclusions.at(&position.stones());
        let is_swap1 = settings.opening_rule() == OpeningRule::Swap1;
        let has_known_first_move = match purpose {
            // Several first moves need a search, unless swap1 asks for a balanced stone.
            Purpose::Move => root.multi_pv <= 1 || is_swap1,
            Purpose::Defence => true,
            _ => false,
        };
        if position.is_empty() && excluded.is_empty() && has_known_first_move {
            let mv = match is_swap1 {
                true => opening::balanced_first_move(position.size, seed),
                false => position.size.center(),
            };
            return self.play_unsearched(mv);
        }
        let may_swap = settings.opening_rule().may_swap(position.stone_count());
        let purpose = match purpose {
            Purpose::Move if may_swap && !root.is_analysis && settings.swapable == Some(true) => {
                Purpose::MoveOrSwap
            }
            other => other,
        };
        let root = RootOptions { excluded: root.excluded | excluded, ..root };
        let mut board = position.board_to_move(settings.rule());
        board.set_candidate_range(settings.candidate_range);
        let limits = Limits { root, seed, ..settings.limits() };
        let (blocked, detail) = (self.blocked(), self.detail(&root));
        // A search without some moves is not valid for others.
        let is_whole = self.exclusions == Exclusions::default()
            && self.settings.candidate_range == CandidateRange::default()
            && purpose == Purpose::Move
            && !self.settings.ignores_database;
        let database = is_whole.then(|| self.settings.database_mode());
        let params = self.settings.params();
        let task = SearchTask { board, purpose, limits, params, blocked, detail, database };
        Ok(Action::Search(Box::new(task)))
    }

    fn play_unsearched(&mut self, mv: Coord) -> Executed {
        let rule = self.settings.rule();
        let position = self.position()?;
        position.place_own(mv);
        let after = position.board_after_own_move(rule);
        let score = after.map(|board| -Evaluator::new(&board).evaluate(&board));
        let report = Report { score: score.unwrap_or(Score::DRAW), ..Report::unsearched(mv) };
        self.settings.clock.spend(Duration::ZERO);
        let told = self.detail(&RootOptions::default()).of_report(&report, &[]);
        Ok(Action::Answer([told, vec![Reply::points([mv])]].concat()))
    }

    fn blocked(&self) -> Blocked {
        let size = self.position.as_ref().map(|position| position.size);
        size.map_or(Blocked::default(), |size| self.exclusions.blocked(size))
    }

    /// Returns the search in the opponent's time, if wanted, after our move.
    pub fn ponder_task(&self) -> Option<SearchTask> {
        let settings = &self.settings;
        let limits = settings.ponder_limits()?;
        let mut board = self.position.as_ref()?.board_after_own_move(settings.rule())?;
        board.set_candidate_range(settings.candidate_range);
        let (purpose, detail, database) = (Purpose::Move, Detail::default(), None);
        let (params, blocked) = (settings.params(), self.blocked());
        Some(SearchTask { board, purpose, limits, params, blocked, detail, database })
    }

    fn take_list(&mut self, kind: ListKind, list: ListLine) -> Executed {
        if list.done {
            return self.execute_list(kind, list.items);
        }
        self.pending = PendingInput::List(kind, list);
        Ok(Action::Nothing)
    }

    fn execute_list(&mut self, kind: ListKind, items: Option<Vec<ListItem>>) -> Executed {
        let items = items.ok_or(errors::LIST_ITEM);
        // In a continuous game either side may have any number of stones.
        let may_be_colors = !self.settings.is_continuous();
        match kind {
            ListKind::Board => {
                self.position()?.set_up(&items?, may_be_colors)?;
                return self.think(Purpose::Move, RootOptions::default());
            }
            ListKind::YxBoard => self.position()?.set_up(&items?, may_be_colors)?,
            ListKind::Swap2 => {
                let (rule, seed) = (self.settings.rule(), self.seeds.current);
                let position = self.position()?;
                let points = position.points(&items?)?;
                return match points.len() {
                    0 => {
                        let stones = swap2::stones(position.size, rule, seed);
                        position.open(&stones);
                        // A manager may play several games without START.
                        self.seeds.start_game();
                        self.settings.clock.spend(Duration::ZERO);
                        Ok(answer(Reply::points(stones)))
                    }
                    3 | 5 => {
                        position.set_up_opening(&points);
                        self.think(Purpose::Swap2, RootOptions::default())
                    }
                    _ => Err(errors::SWAP2_STONES),
                };
            }
            ListKind::Exclude => self.exclusions.add(&items?)?,
            ListKind::ExcludeUndo => self.exclusions.remove(&items?)?,
            ListKind::ExcludePath => self.exclusions.add_path(&items?)?,
            ListKind::ExcludePathUndo => self.exclusions.remove_path(&items?)?,
            ListKind::Soosorv { step, count } => {
                return self.soosorv_step(step, count, &items?);
            }
            ListKind::Database(command) => return self.execute_database_list(command, items),
        }
        Ok(Action::Nothing)
    }
}

fn board_size(width: i64, height: i64) -> Result<BoardSize, ErrorText> {
    let side = |side| u8::try_from(side).map_err(|_| errors::SIZE);
    BoardSize::new(side(width)?, side(height)?).ok_or(errors::SIZE)
}

fn answer(reply: Reply) -> Action {
    Action::Answer(vec![reply])
}

fn error(why: &str) -> Action {
    answer(Reply::Error(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::task::Mode;
    use super::*;
    use tengen_gomoku::types::Color;

    impl Game {
        /// Executes a line given as text.
        pub(super) fn execute_text(&mut self, text: &str) -> Action {
            self.execute(text, Command::parse(text))
        }
    }

    fn game(lines: &[&str]) -> Game {
        let mut game = Game::default();
        for line in lines {
            game.execute_text(line);
        }
        game
    }

    /// Executes lines, the last of which asks for a search, and returns our color.
    fn color_after(lines: &[&str]) -> Color {
        let (last, before) = lines.split_last().unwrap();
        match game(before).execute_text(last) {
            Action::Search(task) => task.board.side_to_move(),
            _ => panic!("no search: {lines:?}"),
        }
    }

    fn replies(game: &mut Game, line: &str) -> Vec<String> {
        match game.execute_text(line) {
            Action::Answer(replies) => replies.iter().map(Reply::to_string).collect(),
            Action::Nothing => Vec::new(),
            Action::Search(_) | Action::Task(_) | Action::Exit => {
                panic!("no answer to {line}")
            }
        }
    }

    #[test]
    fn only_a_whole_search_for_a_move_uses_the_database() {
        let access = |setting, request| {
            let mut game = game(&["START 15", setting, "YXBOARD 7,7,1 8,8,2 7,9,1 DONE"]);
            let Action::Search(task) = game.execute_text(request) else { panic!("{request}") };
            task.database
        };
        assert_eq!(access("INFO rule 0", "YXNBEST 1"), Some(Mode::Write));
        for setting in ["INFO caution_factor 4", "YXBLOCK 0,0 DONE", "INFO usedatabase 0"] {
            assert_eq!(access(setting, "YXNBEST 1"), None, "{setting}");
        }
        for request in ["YXSEARCHDEFEND", "YXBALANCEONE 0", "YXBALANCETWO 0", "YXSWAP2STEP2"] {
            assert_eq!(access("INFO rule 0", request), None, "{request}");
        }
    }

    #[test]
    fn only_a_whole_and_neutral_player_ponders() {
        let ponders = |info| {
            game(&["START 15", "INFO pondering 1", info, "PLAY 7,7"]).ponder_task().is_some()
        };
        assert!(ponders("INFO strength 100"));
        for info in ["INFO pondering 0", "INFO strength 99", "INFO style 100"] {
            assert!(!ponders(info), "{info}");
        }
    }

    #[test]
    fn forbidden_points_are_shown_when_a_list_gives_black_the_move() {
        let list = "YXBOARD 6,7,1 8,7,1 7,6,1 7,8,1 DONE";
        let mut game = game(&["START 15", "INFO rule 4", list]);
        assert_eq!(replies(&mut game, "YXSHOWFORBID"), ["FORBID 0707."]);
        assert_eq!(replies(&mut game, "PLAY 0,0"), ["0,0"]);
        assert_eq!(replies(&mut game, "YXSHOWFORBID"), ["FORBID ."]);
    }

    #[test]
    fn our_colour_follows_from_a_list() {
        for (items, color) in
            [("7,7,2", Color::White), ("7,7,1 7,8,2", Color::Black), ("7,7,1", Color::White)]
        {
            let board = format!("BOARD {items} DONE");
            assert_eq!(color_after(&["START 15", &board]), color, "{items}");
            let board = format!("YXBOARD {items} DONE");
            assert_eq!(color_after(&["START 15", &board, "YXNBEST 1"]), color, "{items}");
        }
    }

    #[test]
    fn our_colour_stays_until_the_board_is_empty() {
        assert_eq!(color_after(&["START 15", "BEGIN", "TURN 1,1"]), Color::Black);
        assert_eq!(color_after(&["START 15", "TURN 1,1"]), Color::White);
        assert_eq!(color_after(&["START 15", "BEGIN", "RESTART", "TURN 1,1"]), Color::White);
        let emptied = ["START 15", "BEGIN", "TAKEBACK 7,7", "TURN 1,1"];
        assert_eq!(color_after(&emptied), Color::White);
        // The counts alone would say otherwise.
        let skipped = ["START 15", "BEGIN", "TURN 1,1", "TURN 2,2", "TURN 3,3"];
        assert_eq!(color_after(&skipped), Color::Black);
        assert_eq!(color_after(&["START 15", "PLAY 1,1", "PLAY 2,2", "TURN 3,3"]), Color::Black);
        for board in ["BOARD 7,7,2 DONE", "YXBOARD 7,7,1 8,8,2 9,9,1 DONE", "BOARD 7,7,1 DONE"] {
            for more in [&["TURN 3,3", "TURN 4,4"], &["TAKEBACK 7,7", "YXNBEST 2"]] {
                let lines = ["START 15", board, "PLAY 14,14", more[0], more[1]];
                assert_eq!(color_after(&lines), Color::White, "{lines:?}");
            }
        }
        // In a continuous game 1 is us.
        for (rule, color) in [(1, Color::White), (3, Color::Black), (10, Color::Black)] {
            let rule = format!("INFO rule {rule}");
            let lines = ["START 15", &rule, "BOARD 7,7,1 8,8,2 9,9,1 DONE"];
            assert_eq!(color_after(&lines), color, "{rule}");
        }
    }

    #[test]
    fn a_refused_command_changes_nothing() {
        let mut game = game(&["START 15", "YXBOARD 7,7,1 8,8,2 0,0,3 DONE"]);
        let before = game.position.clone();
        for line in [
            "START 4",
            "START 23",
            "START x",
            "BEGIN",
            "TURN 7,7",
            "TURN 0,0",
            "TURN 15,0",
            "TURN",
            "PLAY 8,8",
            "TAKEBACK 1,1",
            "TAKEBACK 0,0",
            "BOARD 1,1,1 1,1,2 DONE",
            "BOARD 1,1,4 DONE",
            "BOARD 1,1 DONE",
            "YXBOARD 1,15,1 DONE",
            "SWAP2BOARD 1,1 2,2 1,1 DONE",
            "SWAP2BOARD 1,1 2,2 -1,1 DONE",
            "SWAP2BOARD 1,1 2,2 -1,-1 DONE",
        ] {
            let replies = replies(&mut game, line);
            assert!(replies.len() == 1 && replies[0].starts_with("ERROR "), "{line}: {replies:?}");
            assert_eq!(game.position, before, "{line}");
        }
        for stones in ["1,1 2,2", "1,1 2,2 3,3 4,4 5,5 6,6"] {
            let replies = replies(&mut game, &format!("SWAP2BOARD {stones} DONE"));
            assert_eq!(replies, ["ERROR bad opening, 0, 3 or 5 stones expected"]);
            assert_eq!(game.position, before, "{stones}");
        }
    }

    #[test]
    fn a_move_without_a_search_belongs_to_the_game_that_it_opened() {
        for opening in ["BEGIN", "SWAP2BOARD DONE"] {
            let lines = ["START 15", "INFO timeout_turn 700", "INFO time_left 300", opening];
            let mut game = game(&lines);
            assert!(
                game.settings.time_control(&RootOptions::default()).left.is_some(),
                "{opening}"
            );
            game.execute_text("START 15");
            assert_eq!(game.settings.time_control(&RootOptions::default()).left, None, "{opening}");
        }
    }

    fn notice_after(lines: &[&str]) -> Option<String> {
        game(lines).take_notice().map(|notice| notice.to_string())
    }

    #[test]
    fn rule_2_is_renju_to_clients_of_rapfi_which_are_told_so_once() {
        let cross = "YXBOARD 6,7,1 0,0,2 8,7,1 0,4,2 7,6,1 4,0,2 7,8,1 14,14,2 DONE";
        let forbids = |line| {
            let mut game = game(&["START 15", "INFO rule 2", line, &cross[2..]]);
            let color = game.settings.rule();
            (color == tengen_gomoku::types::Rule::Renju, game.take_notice().is_some())
        };
        for line in [
            cross,
            "yxboard",
            "YXNBEST 2",
            "yxshowforbid",
            "INFO show_detail 0",
            "info strength 100",
            "INFO Caution_Factor 3",
        ] {
            assert_eq!(forbids(line), (true, true), "{line}");
            let before = ["START 15", line, "DONE", "INFO rule 2"];
            assert!(notice_after(&before).unwrap().contains("renju"), "{line}");
            assert_eq!(notice_after(&["INFO rule 10", line]), None, "{line}");
        }
        for line in [
            "INFO max_node 9",
            "INFO max_depth 9",
            "INFO thread_num 2",
            "INFO show_detail x",
            "YXHASHCLEAR",
            "YXSEARCHDEFEND",
            "YXBLOCK 1,1 DONE",
            "INFO swapable x",
        ] {
            assert_eq!(forbids(line), (false, false), "{line}");
        }
        // These count rules as Rapfi does, and need not be told.
        for line in ["YXSHOWINFO", "INFO swapable 0"] {
            assert_eq!(forbids(line), (true, false), "{line}");
        }
        let mut game = game(&["INFO rule 2", "INFO strength 50"]);
        assert!(game.take_notice().is_some() && game.take_notice().is_none());
        for (line, is_told) in [
            ("INFO rule 2", false),
            ("INFO strength 60", false),
            ("INFO rule 6", false),
            ("INFO rule 2", true),
        ] {
            game.execute_text(line);
            assert_eq!(game.take_notice().is_some(), is_told, "{line}");
        }
    }

    #[test]
    fn only_a_change_of_the_game_or_another_search_ends_a_search() {
        let game = game(&["START 15", "YXBOARD 7,7,1 8,8,2 DONE"]);
        let changes = |line| Command::parse(line).is_ok_and(|c| game.ends_search(&c));
        for line in ["START 20", "RESTART", "TURN 1,1", "PLAY 1,1", "TAKEBACK 7,7", "TAKEBACK 0,0"]
        {
            assert!(changes(line), "{line}");
        }
        assert!(!changes("BEGIN"), "the move that is pending makes it an error");
        for line in ["BOARD", "yxboard 1,1,1", "BOARD 7,7,2 DONE", "SWAP2BOARD DONE", "YXNBEST 2"] {
            assert!(changes(line), "{line}");
        }
        for line in ["YXSWAP2STEP1", "YXSOOSORVSTEP1"] {
            assert!(changes(line), "{line}: another game");
        }
        for line in ["START 4", "TURN 7,7", "TAKEBACK 1,1", "ABOUT", "FOO", "DONE", "YXSHOWFORBID"]
        {
            assert!(!changes(line), "{line}");
        }
        for line in ["BOARD 7,7,9 DONE", "YXBOARD 7,7 DONE", "SWAP2BOARD 1,1 DONE", "BOARD a DONE"]
        {
            assert!(!changes(line), "{line}: an error");
        }
        for line in ["YXSWAP2STEP2", "YXSWAP2STEP3"] {
            assert!(!changes(line), "{line}");
        }
    }
}
