//! The game at the board: its moves, those taken back, its opening, and how it ended.
//!
//! Invariants: the record holds the
//! position, and boards are made anew from it; what was taken back fits onto it.

use std::path::Path;
use std::time::Duration;

use super::refusal::Refusal;
use tengen::board::Board;
use tengen::opening::swap2_procedure::{Choice, Procedure, Stage};
use tengen::record::{self, Ending, Outcome, Record, Stone, first_of_each_kind, overridden};
use tengen::types::{BoardSize, Color, Coord, Rule};

/// How a game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// With a move of black.
    Free,
    /// With swap2.
    Swap2,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By the stones on the board, with the move of this number.
    Board(Ending, usize),
    /// This colour resigned.
    Resigned(Color),
    /// This colour's time was up.
    TimeUp(Color),
}

impl End {
    /// Returns who won.
    pub fn outcome(&self) -> Outcome {
        match self {
            End::Board(ending, _) => ending.outcome(),
            End::Resigned(color) | End::TimeUp(color) => Outcome::Won(!*color),
        }
    }
}

/// A game.
pub struct Game {
    record: Record,
    rule: Rule,
    end: Option<End>,
    /// True for a loaded game that has not changed. It keeps its players' names; a changed game has
    /// those of the players at the board.
    is_as_read: bool,
    /// Moves taken back, the first one last.
    undone: Vec<Stone>,
    opening: Opening,
    /// The opening, until it is over.
    procedure: Option<Procedure>,
    /// Moves of an opening that is over: nobody's to take back.
    fixed: usize,
}

impl Game {
    /// Returns a game that begins.
    pub fn new(size: BoardSize, rule: Rule, opening: Opening) -> Game {
        let procedure = (opening == Opening::Swap2).then(Procedure::new);
        Game { opening, procedure, ..Game::of(Record::new(size), rule) }
    }

    /// Returns a game that goes on.
    fn of(record: Record, rule: Rule) -> Game {
        let mut game = Game {
            record,
            rule,
            end: None,
            is_as_read: false,
            undone: Vec::new(),
            opening: Opening::Free,
            procedure: None,
            fixed: 0,
        };
        game.update_end();
        game
    }

    /// Reads the first game of a file, and warnings in words about what was read otherwise than it
    /// stands there. `size` and `rule` are those of a game that names none; `asked_rule` is the rule
    /// whatever it names.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or holds no game, or begins with a faulty one.
    pub fn load(
        path: &Path,
        size: BoardSize,
        rule: Rule,
        asked_rule: Option<Rule>,
    ) -> Result<(Game, Vec<String>), Refusal> {
        let entries = record::load(path, size).map_err(Refusal::File)?;
        let count = entries.len();
        let entry = entries.into_iter().next().ok_or_else(|| Refusal::NoGame(path.to_owned()))?;
        let record = entry.record.map_err(|error| Refusal::Parse(path.to_owned(), error))?;
        let rule = asked_rule.or(record.rule).unwrap_or(rule);
        let mut words = first_of_each_kind(entry.warnings.iter().map(|warning| (warning, rule)));
        words.extend(
            record.rule.filter(|&named| named != rule).map(|named| overridden(named, rule)),
        );
        if count > 1 {
            words.push(format!("this is the first of {count} games"));
        }
        let words = words.into_iter().map(|words| format!("{}: {words}", path.display()));
        Ok((Game { is_as_read: true, ..Game::of(record, rule) }, words.collect()))
    }

    /// Returns the moves and the stones before them.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the record for a file, with the players' names, black's first. A game that is as it
    /// was read keeps its names and its result.
    pub fn signed(&self, players: [String; 2]) -> Record {
        let mut record = self.record.clone();
        record.rule = Some(self.rule);
        let outcome = self.end.as_ref().map(End::outcome);
        if self.is_as_read {
            record.outcome = outcome.or(record.outcome);
        } else {
            record.players = players;
            record.clear_outcome();
            record.outcome = outcome;
        }
        record
    }

    /// Returns the rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Changes the rule; the stones stay.
    pub fn set_rule(&mut self, rule: Rule) {
        self.is_as_read &= rule == self.rule;
        self.rule = rule;
        self.update_end();
    }

    /// Returns how the game began.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// Returns the opening, if it is still being played.
    pub fn procedure(&self) -> Option<Procedure> {
        self.procedure
    }

    /// Returns how the game ended, if it has.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Returns true if moves are played: the opening is over, and the game is not.
    pub fn is_running(&self) -> bool {
        self.end.is_none() && self.procedure.is_none()
    }

    /// Returns the position.
    pub fn board(&self) -> Board {
        self.record.board(self.rule)
    }

    /// Returns the colour that moves next.
    pub fn to_move(&self) -> Color {
        self.record.to_move()
    }

    /// Plays a move, which took this time, or places a stone of the opening.
    ///
    /// # Errors
    ///
    /// If it is against the rules, or a choice is due instead.
    pub fn play(&mut self, c: Coord, time: Duration) -> Result<(), Refusal> {
        self.check_running()?;
        if self.procedure.is_some_and(|procedure| !procedure.is_placing()) {
            return Err(Refusal::Opening);
        }
        if !self.record.is_empty(c) {
            return Err(Refusal::Taken(c));
        }
        let board = self.board();
        if !board.is_legal(c, board.side_to_move()) {
            return Err(Refusal::Forbidden(c));
        }
        self.put(c, time);
        Ok(())
    }

    /// Plays a move on a free cell, forbidden or not: the program may have no other.
    pub fn put(&mut self, c: Coord, time: Duration) {
        self.place(c, time);
        self.is_as_read = false;
        self.undone.clear();
        self.update_end();
    }

    /// Makes a choice of the opening. Returns the player who has black, 0 or 1, if that ends it.
    ///
    /// # Errors
    ///
    /// If there is no such choice now, or the game is over.
    pub fn choose(&mut self, choice: Choice) -> Result<Option<usize>, Refusal> {
        self.check_running()?;
        let black = self.procedure.as_mut().and_then(|procedure| procedure.choose(choice));
        let black = black.ok_or(Refusal::NoChoice)?;
        if black.is_some() {
            self.procedure = None;
            self.fixed = self.record.moves().len();
        }
        Ok(black)
    }

    /// Takes back the last move of a colour that `is_own`, and what came after it; of the opening
    /// the stone placed last, and of a game given up that alone.
    ///
    /// # Errors
    ///
    /// If there is none, or time ended the game.
    pub fn undo(&mut self, is_own: impl Fn(Color) -> bool) -> Result<(), Refusal> {
        match self.end {
            Some(End::TimeUp(_)) => return Err(Refusal::TimeUp),
            Some(End::Resigned(_)) => {
                self.end = None;
                return Ok(());
            }
            Some(End::Board(..)) | None => {}
        }
        let moves = self.record.moves();
        let first = match self.procedure.map(Procedure::stage) {
            None => self.fixed,
            Some(Stage::PlaceThree) => 0,
            Some(Stage::PlaceTwo) => 3,
            Some(Stage::ChooseOfThree | Stage::ChooseOfFive) => moves.len(),
        };
        let is_placing = self.procedure.is_some();
        let own = moves.iter().rposition(|stone| is_placing || is_own(stone.color));
        let own = own.filter(|&i| i >= first).ok_or(Refusal::NothingToUndo)?;
        self.is_as_read = false;
        while self.record.moves().len() > own {
            self.undone.extend(self.record.undo());
        }
        self.update_end();
        Ok(())
    }

    /// Plays again what was taken back, up to the next move of a colour that `is_own`.
    ///
    /// # Errors
    ///
    /// If there is nothing, or the game is over.
    pub fn redo(&mut self, is_own: impl Fn(Color) -> bool) -> Result<(), Refusal> {
        self.check_running()?;
        if self.undone.is_empty() {
            return Err(Refusal::NothingToRedo);
        }
        while let Some(stone) = self.undone.pop() {
            // Games of files may have passes, so that colours do not take turns.
            let to_move = self.undone.last().map_or(!stone.color, |next| next.color);
            self.record.redo(stone, to_move).expect("invariant: its cell is free again");
            self.count_stones();
            if self.procedure.is_some() || is_own(self.to_move()) {
                break;
            }
        }
        self.update_end();
        Ok(())
    }

    /// Gives the game up for a colour.
    ///
    /// # Errors
    ///
    /// If it is over.
    pub fn resign(&mut self, color: Color) -> Result<(), Refusal> {
        self.check_running()?;
        self.end = Some(End::Resigned(color));
        self.is_as_read = false;
        Ok(())
    }

    /// Ends the game, since this colour's time is up.
    pub fn time_up(&mut self, color: Color) {
        self.end.get_or_insert(End::TimeUp(color));
        self.is_as_read = false;
    }

    /// Puts down a stone on a free cell.
    fn place(&mut self, c: Coord, time: Duration) {
        self.record.play(c, time).expect("invariant: the cell is free");
        self.count_stones();
    }

    /// Goes on with the opening if its stones are there.
    fn count_stones(&mut self) {
        if let Some(procedure) = &mut self.procedure {
            procedure.count_stones(self.record.stones().len());
        }
    }

    /// Lets through what needs a game that goes on.
    ///
    /// # Errors
    ///
    /// If the game is over.
    pub fn check_running(&self) -> Result<(), Refusal> {
        match self.end {
            None => Ok(()),
            Some(End::TimeUp(_)) => Err(Refusal::TimeUp),
            Some(_) => Err(Refusal::Over),
        }
    }

    /// Updates whether and how the board ends the game, where nothing else did.
    fn update_end(&mut self) {
        if !matches!(self.end, Some(End::Resigned(_) | End::TimeUp(_))) {
            let ending = self.record.ending(self.rule);
            self.end = ending.map(|(ending, number)| End::Board(ending, number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::notation::parse_points;

    fn game(opening: Opening) -> Game {
        Game::new(BoardSize::new(15, 15).unwrap(), Rule::Freestyle, opening)
    }

    fn play(game: &mut Game, moves: &str) {
        let points = parse_points(moves, game.record().size()).unwrap();
        points.into_iter().for_each(|c| game.play(c, Duration::ZERO).unwrap());
    }

    fn is_black(color: Color) -> bool {
        color == Color::Black
    }

    #[test]
    fn moves_are_taken_back_and_played_again() {
        let mut game = game(Opening::Free);
        play(&mut game, "h8i9h10g7");
        game.undo(is_black).unwrap();
        game.undo(is_black).unwrap();
        assert!(matches!(game.undo(is_black), Err(Refusal::NothingToUndo)));
        game.redo(is_black).unwrap();
        assert_eq!(game.record().to_pos().unwrap(), "h8i9");
        // Of two persons each takes back one move.
        game.redo(|_| true).unwrap();
        assert_eq!(game.record().to_pos().unwrap(), "h8i9h10");
        game.undo(|_| true).unwrap();
        // Another move ends what can be played again.
        play(&mut game, "a1");
        assert!(matches!(game.redo(is_black), Err(Refusal::NothingToRedo)));
    }

    #[test]
    fn stones_of_one_colour_keep_it_when_they_are_played_again() {
        let moves = "(;SZ[15];B[hh];W[];B[ii];W[jj])";
        let mut entries = tengen::record::parse(moves, BoardSize::new(15, 15).unwrap());
        let record = entries.remove(0).record.unwrap();
        let mut game = Game { record: record.clone(), ..game(Opening::Free) };
        for _ in 0..3 {
            game.undo(|_| true).unwrap();
        }
        for _ in 0..3 {
            game.redo(|_| true).unwrap();
        }
        assert_eq!(*game.record(), record);
    }

    #[test]
    fn a_five_is_taken_back_and_made_again() {
        let mut game = game(Opening::Free);
        play(&mut game, "h8a1i8a3j8a5k8a7l8");
        assert_eq!(game.end().map(End::outcome), Some(Outcome::Won(Color::Black)));
        game.undo(is_black).unwrap();
        assert_eq!(game.end(), None);
        game.redo(is_black).unwrap();
        assert!(game.end().is_some());
    }

    #[test]
    fn a_resignation_is_taken_back_and_the_end_of_time_is_not() {
        let mut game = game(Opening::Free);
        play(&mut game, "h8");
        game.resign(Color::White).unwrap();
        assert_eq!(game.end().map(End::outcome), Some(Outcome::Won(Color::Black)));
        assert!(matches!(game.resign(Color::White), Err(Refusal::Over)));
        game.undo(is_black).unwrap();
        assert_eq!((game.end(), game.record().moves().len()), (None, 1));
        game.time_up(Color::White);
        assert_eq!(game.end(), Some(&End::TimeUp(Color::White)));
        assert!(matches!(game.undo(is_black), Err(Refusal::TimeUp)));
    }

    #[test]
    fn another_rule_changes_what_the_board_says_alone() {
        let mut game = game(Opening::Free);
        // Six black stones in a row.
        play(&mut game, "h8a1i8a3j8a5l8a7m8a9");
        game.time_up(Color::Black);
        game.set_rule(Rule::Renju);
        assert_eq!(game.end(), Some(&End::TimeUp(Color::Black)));
        let mut game = self::game(Opening::Free);
        play(&mut game, "h8a1i8a3j8a5l8a7m8a9k8");
        assert!(matches!(game.end(), Some(End::Board(..))));
        game.set_rule(Rule::Standard);
        assert_eq!(game.end(), None);
    }

    #[test]
    fn the_stones_of_swap2_are_placed_and_chosen_of() {
        let mut game = game(Opening::Swap2);
        play(&mut game, "h8i9");
        assert!(matches!(game.choose(Choice::Black), Err(Refusal::NoChoice)));
        game.undo(|_| false).unwrap();
        play(&mut game, "i8h9");
        assert!(matches!(game.play(Coord::new(0, 0), Duration::ZERO), Err(Refusal::Opening)));
        assert!(matches!(game.undo(|_| true), Err(Refusal::NothingToUndo)));
        assert_eq!(game.choose(Choice::PutTwo).unwrap(), None);
        assert!(matches!(game.undo(|_| true), Err(Refusal::NothingToUndo)));
        play(&mut game, "g7g8");
        assert_eq!(game.choose(Choice::White).unwrap(), Some(1));
        assert_eq!((game.procedure(), game.to_move()), (None, Color::White));
        let mut given_up = self::game(Opening::Swap2);
        play(&mut given_up, "h8i9g7");
        given_up.resign(Color::White).unwrap();
        assert!(matches!(given_up.choose(Choice::Black), Err(Refusal::Over)));
        // The opening stays, what follows does not.
        play(&mut game, "a1");
        game.undo(|_| true).unwrap();
        assert!(matches!(game.undo(|_| true), Err(Refusal::NothingToUndo)));
    }
}
