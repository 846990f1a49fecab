//! The game on the board: its stones, the part of them that is shown, its rule and how it ended.
//!
//! Invariant: the shown part is never longer than the game, and a move played before the end of the game drops what came after.

use std::fmt;
use std::time::Duration;

use tengen::board::Board;
use tengen::record::tree::{Editor, GameTree};
use tengen::record::{Ending, Outcome, ParsedRecord, Record, Stone, first_of_each_kind, parse};
use tengen::search::{RootOptions, root_moves};
use tengen::types::{BoardSize, Color, Coord, Rule};

use super::position::Position;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    Board(Ending),
    Resigned(Color),
    Time(Color),
}

impl Over {
    pub fn outcome(&self) -> Outcome {
        match self {
            Over::Board(ending) => ending.outcome(),
            Over::Resigned(loser) | Over::Time(loser) => Outcome::Won(!*loser),
        }
    }
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Over::Board(Ending::Five(winner, _)) => write!(f, "{} wins by five", name(*winner)),
            Over::Board(Ending::Foul(c)) => write!(f, "White wins: {c} is forbidden for black"),
            Over::Board(Ending::Full) => f.write_str("Draw: the board is full"),
            Over::Board(Ending::NoMove) => f.write_str("White wins: black has no legal move"),
            Over::Resigned(loser) => {
                write!(f, "{} wins: {loser} has resigned", name(!*loser))
            }
            Over::Time(loser) => write!(f, "{} wins on time", name(!*loser)),
        }
    }
}

/// Returns the colour's name at the beginning of a sentence.
fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// Why a move or a position is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The point is not on the board.
    OffBoard,
    Taken(Coord),
    Forbidden(Coord),
    Over,
    /// The text holds no game, and why.
    NoGame(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::OffBoard => f.write_str("That point is not on the board."),
            Refusal::Taken(c) => write!(f, "{c} is taken."),
            Refusal::Forbidden(c) => write!(f, "{c} is forbidden for black."),
            Refusal::Over => f.write_str("The game is over."),
            Refusal::NoGame(why) => write!(f, "No game can be read: {why}."),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Game {
    rule: Rule,
    record: Record,
    shown: usize,
    /// What ended the game other than its stones.
    given_up: Option<Over>,
    /// True if a move or the end of the game was made at the board, and not read.
    is_played: bool,
    /// True if that happened since the game was saved.
    is_changed: bool,
}

impl Game {
    pub fn new(size: BoardSize, rule: Rule) -> Game {
        Game::of(Record::new(size), rule)
    }

    /// Returns the game of a record, shown to its end. The record's rule goes before `rule`.
    pub fn of(record: Record, rule: Rule) -> Game {
        let rule = record.rule.unwrap_or(rule);
        let shown = record.moves().len();
        Game { rule, shown, record, given_up: None, is_played: false, is_changed: false }
    }

    /// Returns the game that begins with these stones, `to_move` next.
    ///
    /// # Errors
    ///
    /// If a cell comes twice.
    pub fn set_up(
        size: BoardSize,
        rule: Rule,
        stones: [&[Coord]; 2],
        to_move: Color,
    ) -> Result<Game, Refusal> {
        let mut editor = Editor::new(GameTree::new(size));
        for (color, cells) in Color::ALL.into_iter().zip(stones) {
            for &c in cells {
                editor.set_up(c, Some(color)).map_err(|_| Refusal::Taken(c))?;
            }
        }
        editor.set_to_move(to_move);
        let tree = editor.into_tree();
        Ok(Game::of(tree.record(tree.root()), rule))
    }

    /// Returns the first game of a file's text, and what is to be told about it. `size` and `rule`
    /// are those of files that name none.
    ///
    /// # Errors
    ///
    /// If there is no game that can be read.
    pub fn read(text: &str, size: BoardSize, rule: Rule) -> Result<(Game, Vec<String>), Refusal> {
        let (game, mut notes) = Game::first_of(parse(text, size), rule)?;
        if text.contains(char::REPLACEMENT_CHARACTER) {
            notes.push("Some texts are not in UTF-8 and cannot be read.".to_owned());
        }
        Ok((game, notes))
    }

    /// Returns the first of a file's games, and what is to be told about it. `rule` is that of games
    /// that name none.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn first_of(
        entries: Vec<ParsedRecord>,
        rule: Rule,
    ) -> Result<(Game, Vec<String>), Refusal> {
        let count = entries.len();
        let first = entries.into_iter().next();
        let first = first.ok_or_else(|| Refusal::NoGame("the text is empty".into()))?;
        let record = first.record.map_err(|error| Refusal::NoGame(error.to_string()))?;
        let game = Game::of(record, rule);
        let warnings = first.warnings.iter().map(|warning| (warning, game.rule));
        let mut notes: Vec<String> =
            first_of_each_kind(warnings).iter().map(|words| format!("Warning: {words}.")).collect();
        if count > 1 {
            notes.push(format!("This is the first of {count} games."));
        }
        Ok((game, notes))
    }

    pub fn size(&self) -> BoardSize {
        self.record.size()
    }

    pub fn rule(&self) -> Rule {
        self.rule
    }

    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the moves of the whole game.
    pub fn moves(&self) -> &[Stone] {
        self.record.moves()
    }

    /// Returns how many of the moves are shown.
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// Returns true if all moves are shown.
    pub fn is_at_end(&self) -> bool {
        self.shown == self.moves().len()
    }

    /// Shows so many moves, or all.
    pub fn show(&mut self, moves: usize) {
        self.shown = moves.min(self.moves().len());
    }

    /// Returns the colour that moves next in the position shown.
    pub fn to_move(&self) -> Color {
        self.moves().get(self.shown).map_or(self.record.to_move(), |stone| stone.color)
    }

    pub fn position(&self) -> Position {
        self.position_after(self.shown)
    }

    /// Returns true if all moves but one lose at once after so many moves.
    pub fn is_forced_after(&self, moves: usize) -> bool {
        let board = self.record.after(moves).board(self.rule);
        root_moves(&board, &RootOptions::default()).only().is_some()
    }

    /// Returns the position after so many moves.
    pub fn position_after(&self, moves: usize) -> Position {
        let record = self.record.after(moves);
        let stones = record.alternating().unwrap_or_else(|| {
            // Engines take the owner of the first stone for black.
            let mut stones = record.stones().to_vec();
            stones.sort_by_key(|stone| stone.color == Color::White);
            stones
        });
        Position {
            size: record.size(),
            rule: self.rule,
            stones: stones.iter().map(|stone| (stone.c, stone.color)).collect(),
            to_move: record.to_move(),
        }
    }

    fn board(&self) -> Board {
        self.record.after(self.shown).board(self.rule)
    }

    /// Returns the points of the position shown that black, if it is his move, may not play.
    pub fn forbidden(&self) -> Vec<Coord> {
        if self.rule != Rule::Renju || self.to_move() != Color::Black || self.over().is_some() {
            return Vec::new();
        }
        let board = self.board();
        let cells = *board.empty_cells();
        cells.into_iter().filter(|&c| board.is_forbidden(c)).collect()
    }

    /// Returns why the game is over in the position shown, if it is.
    pub fn over(&self) -> Option<Over> {
        let ending = self.ending_after(self.shown).map(Over::Board);
        ending.or_else(|| self.given_up.clone().filter(|_| self.is_at_end()))
    }

    /// Returns how the stones end the game after so many moves, if they do.
    pub fn ending_after(&self, moves: usize) -> Option<Ending> {
        self.record.after(moves).ending(self.rule).map(|(ending, _)| ending)
    }

    /// Plays a move of the side to move in the position shown.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn play(&mut self, x: u8, y: u8, time: Duration) -> Result<(), Refusal> {
        let c = self.size().coord(x, y).ok_or(Refusal::OffBoard)?;
        if self.forbidden().contains(&c) {
            return Err(Refusal::Forbidden(c));
        }
        self.place(c, time)
    }

    /// Plays a move that may be a forbidden one, which ends the game.
    ///
    /// # Errors
    ///
    /// If the cell has a stone or the game is over.
    pub fn place(&mut self, c: Coord, time: Duration) -> Result<(), Refusal> {
        if self.over().is_some() {
            return Err(Refusal::Over);
        }
        let mut record = self.record.after(self.shown);
        record.play(c, time).map_err(|_| Refusal::Taken(c))?;
        self.record = record;
        self.shown = self.moves().len();
        self.given_up = None;
        (self.is_played, self.is_changed) = (true, true);
        Ok(())
    }

    /// Drops the moves that are not shown.
    pub fn cut(&mut self) {
        if !self.is_at_end() {
            self.record = self.record.after(self.shown);
            self.given_up = None;
        }
    }

    /// Ends the game by something other than its stones, in the position shown.
    pub fn give_up(&mut self, over: Over) {
        self.cut();
        self.given_up = Some(over);
        (self.is_played, self.is_changed) = (true, true);
    }

    /// Returns true if moves would be lost with the game: some were played, or ended it, since it
    /// was opened or saved.
    pub fn is_unsaved(&self) -> bool {
        self.is_changed && !self.moves().is_empty()
    }

    /// Notes that somebody has the game as a file.
    pub fn saved(&mut self) {
        self.is_changed = false;
    }

    /// Returns the record with rule and result, for a file. The players at the board give it their
    /// names if they have played; until then it has those that were read.
    pub fn record_for_file(&self, players: [String; 2]) -> Record {
        let stones = self.record.ending(self.rule).map(|(ending, _)| ending.outcome());
        let given_up = self.given_up.as_ref().map(Over::outcome);
        let outcome = stones.or(given_up).or(self.record.outcome);
        let mut record = self.record.clone();
        record.rule = Some(self.rule);
        if self.is_played {
            record.players = players;
        }
        record.outcome = outcome;
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(text: &str, rule: Rule) -> Game {
        Game::read(text, BoardSize::new(15, 15).unwrap(), rule).unwrap().0
    }

    fn coord(text: &str) -> Coord {
        game(text, Rule::Freestyle).moves()[0].c
    }

    #[test]
    fn a_move_drops_what_came_after_the_position_shown() {
        let mut game = game("h8i9h10", Rule::Freestyle);
        assert_eq!((game.shown(), game.to_move()), (3, Color::White));
        game.show(2);
        game.cut();
        assert_eq!((game.moves().len(), game.is_at_end()), (2, true));
        game.show(1);
        assert_eq!((game.to_move(), game.is_at_end()), (Color::White, false));
        assert_eq!(game.play(0, 0, Duration::ZERO), Ok(()));
        assert_eq!(game.record().to_pos().as_deref(), Some("h8a1"));
        assert!(game.is_at_end());
    }

    #[test]
    fn bad_moves_are_refused_and_change_nothing() {
        // Black has two open threes that meet on h8.
        let mut game = game("g8a1i8c1h7e1h9g1", Rule::Renju);
        assert_eq!(game.forbidden(), [coord("h8")]);
        assert_eq!(game.play(7, 7, Duration::ZERO), Err(Refusal::Forbidden(coord("h8"))));
        assert_eq!(game.play(6, 7, Duration::ZERO), Err(Refusal::Taken(coord("g8"))));
        assert_eq!(game.play(15, 7, Duration::ZERO), Err(Refusal::OffBoard));
        assert_eq!(game.moves().len(), 8);
        // An engine that plays there has lost.
        game.place(coord("h8"), Duration::ZERO).unwrap();
        assert_eq!(game.over().unwrap().outcome(), Outcome::Won(Color::White));
        assert_eq!(game.play(0, 5, Duration::ZERO), Err(Refusal::Over));
    }

    #[test]
    fn positions_are_set_up_with_any_stones() {
        let size = BoardSize::new(20, 15).unwrap();
        let (a, b, c) = (coord("a1"), coord("h8"), coord("i9"));
        let game = Game::set_up(size, Rule::Caro, [&[a, b], &[c]], Color::Black).unwrap();
        let position = game.position();
        assert_eq!((position.size, position.to_move), (size, Color::Black));
        assert_eq!(position.stones.len(), 3);
        assert_eq!(position.stones[0].1, Color::Black);
        assert!(position.is_empty(coord("b2")) && !position.is_empty(c));
        assert!(Game::set_up(size, Rule::Caro, [&[a, a], &[]], Color::Black).is_err());
        let empty = Game::set_up(size, Rule::Caro, [&[], &[]], Color::White).unwrap();
        assert_eq!(empty.to_move(), Color::White);
    }

    #[test]
    fn a_game_ends_by_stones_resignation_and_time() {
        let mut five = game("h8a1h9a2h10a3h11a4h12", Rule::Freestyle);
        assert_eq!(five.over().unwrap().to_string(), "Black wins by five");
        five.show(8);
        assert_eq!(five.over(), None);
        let mut game = game("h8i9", Rule::Freestyle);
        game.give_up(Over::Resigned(Color::Black));
        assert_eq!(game.over().unwrap().to_string(), "White wins: black has resigned");
        let record = game.record_for_file(["A".into(), "B".into()]);
        assert_eq!(record.outcome, Some(Outcome::Won(Color::White)));
        game.show(1);
        assert_eq!(game.over(), None);
        game.play(0, 0, Duration::ZERO).unwrap();
        assert_eq!(game.over(), None);
    }

    #[test]
    fn a_game_keeps_its_players_until_others_play() {
        let text = "(;GM[4]SZ[15]PB[Alice]PW[Bob]RE[B+R];B[hh];W[ii];B[hj])";
        let read = game(text, Rule::Freestyle);
        let saved = |game: &Game| {
            let record = game.record_for_file(["Human".into(), "Engine".into()]);
            (record.players.join(" "), record.outcome)
        };
        let as_read = ("Alice Bob".to_owned(), Some(Outcome::Won(Color::Black)));
        assert_eq!(saved(&read), as_read);
        let mut looked_at = read.clone();
        looked_at.show(1);
        assert_eq!(saved(&looked_at), as_read);
        let mut played = looked_at.clone();
        played.play(0, 0, Duration::ZERO).unwrap();
        assert_eq!(saved(&played), ("Human Engine".to_owned(), None));
        let mut resigned = read;
        resigned.give_up(Over::Resigned(Color::White));
        assert_eq!(saved(&resigned).0, "Human Engine");
        // Who played a game without names is not known.
        assert_eq!(saved(&game("h8i9", Rule::Freestyle)), (" ".to_owned(), None));
    }

    #[test]
    fn a_game_is_unsaved_from_a_move_on_until_it_is_saved() {
        let mut played = game("h8i9", Rule::Freestyle);
        played.show(1);
        assert!(played.play(7, 7, Duration::ZERO).is_err() && !played.is_unsaved());
        played.play(0, 0, Duration::ZERO).unwrap();
        played.show(0);
        assert!(played.is_unsaved());
        played.saved();
        assert!(!played.is_unsaved());
        let mut ended = game("h8i9", Rule::Freestyle);
        ended.give_up(Over::Resigned(Color::Black));
        assert!(ended.is_unsaved());
        // Without a move nothing is lost.
        ended = Game::new(ended.size(), Rule::Freestyle);
        ended.give_up(Over::Time(Color::Black));
        assert!(!ended.is_unsaved());
    }

    #[test]
    fn texts_without_a_game_are_refused() {
        let size = BoardSize::new(15, 15).unwrap();
        for text in ["", "hello", "h8h8", "(;GM[2])"] {
            let result = Game::read(text, size, Rule::Freestyle);
            assert!(matches!(result, Err(Refusal::NoGame(_))), "{text}");
        }
    }
}
