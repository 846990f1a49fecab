//! What a person reads: the board, and texts about a game, each with a line end where it stands alone.
//!
//! Every cell is one character with one before it, which is a bracket where something is marked:
//! `(X)` is the last move, `[X]` a stone of the winning five, `!` a point forbidden for black.
//! Where the terminal is too narrow for that, the characters between the cells are left out, and
//! what is marked is a small letter. The marks are there with and without colours.

use std::env;
use std::io::{IsTerminal, stdout};
use std::time::Duration;

use crate::analyze::{value, value_words};
use tengen::opening::Swap2;
use tengen::search::Report;
use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::names;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::{Cell, Color, Coord, CoordSet, Rows};
use tengen_session::game::{Game, GameEnd};
use tengen_session::opening::Stage;

/// Returns true for a terminal that is not dumb, unless NO_COLOR says otherwise
/// (<https://no-color.org>).
pub fn stdout_has_colors() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    // Windows consoles that know no colours set none of these.
    let knows_colors = is_set("TERM") || is_set("WT_SESSION") || is_set("ANSICON");
    stdout().is_terminal() && knows_colors && !is_dumb && !is_set("NO_COLOR")
}

const BLACK: &str = "1;36";
const WHITE: &str = "1;33";
const FREE: &str = "2";
const FORBIDDEN: &str = "31";
const MARK: &str = "1;35";
/// What is put before the colour of a stone of the winning five.
const WINNING: &str = "7;";

pub struct Drawing<'a> {
    pub board: &'a Board,
    pub rows: Rows,
    pub last: Option<Coord>,
    pub five: CoordSet,
    pub forbidden: CoordSet,
    pub has_colors: bool,
    pub columns: Option<usize>,
}

impl Drawing<'_> {
    /// Returns the board as lines of text, row 1 on its side, that fit into the columns if they can.
    pub fn text(&self) -> String {
        let (width, height) = (self.board.size().width(), self.board.size().height());
        let letters: Vec<String> =
            (b'a'..b'a' + width).map(|c| char::from(c).to_string()).collect();
        let letters = letters.join(if self.is_narrow() { "" } else { " " });
        let mut text = format!("   {letters}\n");
        for line in 0..height {
            let y = if self.rows == Rows::Top { line } else { height - 1 - line };
            text += &format!("{:2}", y + 1);
            let at = |x: u8| self.board.size().coord(x, y);
            for x in 0..width {
                if !self.is_narrow() || x == 0 {
                    text += &self.bracket(x.checked_sub(1).and_then(at), at(x));
                }
                text += &at(x).map(|c| self.cell(c)).unwrap_or_default();
            }
            text += &self.bracket(at(width - 1), None);
            text += &format!("{}\n", y + 1);
        }
        text + &format!("   {letters}\n")
    }

    fn is_narrow(&self) -> bool {
        // Two numbers of rows, and a character after the last cell.
        let wide = 2 * usize::from(self.board.size().width()) + 5;
        self.columns.is_some_and(|columns| columns < wide)
    }

    fn bracket(&self, left: Option<Coord>, right: Option<Coord>) -> String {
        let is_last = |c: Option<Coord>| c.is_some() && c == self.last;
        let is_winning = |c: Option<Coord>| c.is_some_and(|c| self.five.contains(c));
        let bracket = match (left, right) {
            _ if self.is_narrow() => return " ".to_owned(),
            _ if is_last(right) => '(',
            _ if is_last(left) => ')',
            _ if is_winning(left) && is_winning(right) => '-',
            _ if is_winning(right) => '[',
            _ if is_winning(left) => ']',
            _ => return " ".to_owned(),
        };
        self.painted(MARK, bracket)
    }

    fn cell(&self, c: Coord) -> String {
        let (color, symbol) = match self.board.cell(c) {
            Cell::Black => (BLACK, 'X'),
            Cell::White => (WHITE, 'O'),
            Cell::Wall => (FREE, '#'),
            Cell::Empty if self.forbidden.contains(c) => (FORBIDDEN, '!'),
            Cell::Empty => (FREE, '.'),
        };
        let is_winning = self.five.contains(c);
        let is_marked = is_winning || self.last == Some(c);
        let is_small = self.is_narrow() && is_marked;
        let symbol = if is_small { symbol.to_ascii_lowercase() } else { symbol };
        let style = if is_winning { WINNING } else { "" };
        self.painted(&format!("{style}{color}"), symbol)
    }

    fn painted(&self, color: &str, text: char) -> String {
        if self.has_colors { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_string() }
    }
}

const MOVES_A_LINE: usize = 8;

/// Returns the colour and its letter on the board.
pub fn described(color: Color) -> &'static str {
    match color {
        Color::Black => "black (X)",
        Color::White => "white (O)",
    }
}

/// Returns who is about to do what; `person` is the colour of the only person who plays, if another
/// one does not.
pub fn turn(game: &Game, person: Option<Color>) -> String {
    let number = set_up(game) + game.shown() + 1;
    let color = described(game.to_move());
    let Some(opening_state) = game.opening_state else {
        return match person {
            Some(_) => format!("Move {number}: it is your turn, {color}.\n"),
            None => format!("Move {number}: it is the turn of {color}.\n"),
        };
    };
    let who = match (person, game.to_act()) {
        (Some(_), _) => "Swap2",
        (None, 0) => "Swap2, first player",
        (None, _) => "Swap2, second player",
    };
    match opening_state.stage {
        Stage::PlaceThree => format!("{who}: place stone {number} of 3, {color}.\n"),
        Stage::PlaceTwo => format!("{who}: place stone {number} of 5, {color}.\n"),
        Stage::ChooseOfThree => format!(
            "{who}: type black or white to take that colour, \
             or place to put down two more stones.\n"
        ),
        _ => format!("{who}: type black or white to take that colour.\n"),
    }
}

pub fn end(game: &Game, end: &GameEnd, person: Option<Color>) -> String {
    let moves = game.shown();
    let number = match end {
        GameEnd::Stones(_, number) => *number,
        GameEnd::Resigned(_) | GameEnd::TimeUp(_) => moves,
    };
    let at = match number {
        _ if number == moves => String::new(),
        0 => " (before the first move)".to_owned(),
        // The list of moves counts set-up stones, too.
        _ => format!(" (move {})", set_up(game) + number),
    };
    let is_won = person.is_some_and(|person| end.outcome() == Outcome::Won(person));
    let praise = if is_won { " Well done!" } else { "" };
    format!("{end}{at}.{praise}\n")
}

pub fn clocks(left: [Duration; 2]) -> String {
    let [black, white] = left.map(clock_time);
    format!("Clocks: {} {black}, {} {white}.\n", described(Color::Black), described(Color::White))
}

/// Returns a time as minutes and seconds, with tenths where it is short.
fn clock_time(time: Duration) -> String {
    const SHORT: u64 = 20;
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match (hours, seconds) {
        (0, ..SHORT) => format!("0:{:02}.{}", seconds, time.subsec_millis() / 100),
        (0, _) => format!("{minutes}:{:02}", seconds % 60),
        _ => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
    }
}

/// Returns the number of stones that stood before the first move.
fn set_up(game: &Game) -> usize {
    game.record().stones().len() - game.moves().len()
}

pub fn moves(game: &Game) -> String {
    let (before, moves) = (set_up(game), &game.moves()[..game.shown()]);
    let mut text = match before {
        0 => String::new(),
        1 => "1 stone stood before the first move.\n".to_owned(),
        _ => format!("{before} stones stood before the first move.\n"),
    };
    if moves.is_empty() {
        text += "No move was played.\n";
    }
    for (line, chunk) in moves.chunks(MOVES_A_LINE).enumerate() {
        let first = before + line * MOVES_A_LINE + 1;
        let numbered = chunk.iter().enumerate();
        let words =
            numbered.map(|(i, stone)| format!("{:>3} {:<4}", first + i, stone.c.to_string()));
        text += words.collect::<String>().trim_end();
        text += "\n";
    }
    text
}

/// Returns a move and what the program thinks of it in this position.
pub fn opinion(board: &Board, report: &Report) -> String {
    let words = value_words(value(board.rule(), report.score), board.side_to_move());
    format!("{} ({words})", report.best)
}

/// Returns a choice of swap2 as what somebody does, with this ending of the verbs.
pub fn choice(choice: Swap2, ending: &str) -> String {
    match choice {
        Swap2::Black => format!("take{ending} black"),
        Swap2::White(c) => format!("take{ending} white and play{ending} {c}"),
        Swap2::PutTwo(stones) => format!("place{ending} {}", names(&stones).join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::score::Score;
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::types::{BoardSize, Rule};
    use tengen_session::opening::Opening;

    fn drawn(moves: &str, five: &str, has_colors: bool) -> String {
        drawn_in(None, moves, five, has_colors)
    }

    fn drawn_in(columns: Option<usize>, moves: &str, five: &str, has_colors: bool) -> String {
        let size = BoardSize::new(6, 5).unwrap();
        let points = |text| parse_points(text, size).unwrap();
        let mut board = Board::new(size, Rule::Freestyle);
        points(moves).into_iter().for_each(|mv| board.play(mv));
        let drawing = Drawing {
            board: &board,
            rows: Rows::Top,
            last: points(moves).last().copied(),
            five: points(five).into_iter().collect(),
            forbidden: points("f5").into_iter().collect(),
            has_colors,
            columns,
        };
        drawing.text()
    }

    #[test]
    fn the_board_is_drawn_with_its_marks() {
        let text = drawn("a1a2b1b2d1d2e1e2c1", "a1b1c1d1e1", false);
        let expected = "   a b c d e f\n 1[X-X(X)X-X]. 1\n 2 O O . O O . 2\n 3 . . . . . . 3\n \
                        4 . . . . . . 4\n 5 . . . . . ! 5\n   a b c d e f\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_narrow_terminal_gets_a_narrow_board() {
        let (moves, five) = ("a1a2b1b2d1d2e1e2c1", "a1b1c1d1e1");
        let text = drawn_in(Some(16), moves, five, false);
        let expected = "   abcdef\n 1 xxxxx. 1\n 2 OO.OO. 2\n 3 ...... 3\n \
                        4 ...... 4\n 5 .....! 5\n   abcdef\n";
        assert_eq!(text, expected);
        assert!(drawn_in(Some(16), "c3d4", "", false).contains("\n 4 ...o.. 4\n"));
        let wide = drawn(moves, five, false);
        assert_eq!(drawn_in(Some(17), moves, five, false), wide);
        assert!(wide.lines().all(|line| line.len() <= 17));
        // The largest board fits into 28 columns.
        let size = BoardSize::new(22, 22).unwrap();
        let drawing = Drawing {
            board: &Board::new(size, Rule::Freestyle),
            rows: Rows::Bottom,
            last: None,
            five: CoordSet::EMPTY,
            forbidden: CoordSet::EMPTY,
            has_colors: false,
            columns: Some(28),
        };
        let text = drawing.text();
        assert!(text.lines().all(|line| line.len() <= 28));
    }

    #[test]
    fn colors_change_nothing_else() {
        let colored = drawn("c3d4", "", true);
        let mut plain = String::new();
        for part in colored.split("\x1b[") {
            plain += part.split_once('m').map_or(part, |(_, rest)| rest);
        }
        assert_eq!(plain, drawn("c3d4", "", false));
        assert!(plain.contains("\n 4 . . .(O). . 4\n"));
    }

    #[test]
    fn times_are_written_as_clocks_show_them() {
        let times = [0, 9_940, 19_999, 20_000, 61_000, 3_600_000, 36_061_000];
        let texts = times.map(|ms| clock_time(Duration::from_millis(ms)));
        assert_eq!(texts, ["0:00.0", "0:09.9", "0:19.9", "0:20", "1:01", "1:00:00", "10:01:01"]);
    }

    #[test]
    fn moves_are_listed_in_lines() {
        let size = BoardSize::new(15, 15).unwrap();
        let mut game = Game::new(size, Rule::Freestyle, Opening::Free);
        assert_eq!(moves(&game), "No move was played.\n");
        for c in parse_points("h8i9h10g7o15a1b2c3d4", size).unwrap() {
            game.play(c, Duration::ZERO).unwrap();
        }
        let list = "  1 h8    2 i9    3 h10   4 g7    5 o15   6 a1    7 b2    8 c3\n  9 d4\n";
        assert_eq!(moves(&game), list);
    }

    #[test]
    fn a_score_comes_with_its_win_rate() {
        let report = |score| Report { score, ..Report::unsearched(Coord::new(7, 7)) };
        let board = Board::new(BoardSize::new(15, 15).unwrap(), Rule::Renju);
        let opinion = |score| opinion(&board, &report(score));
        let rates = [0, 200, -200].map(|value| opinion(Score::eval(value)));
        let texts = [
            "h8 (score +0, wins 50 %)",
            "h8 (score +200, wins 71 %)",
            "h8 (score -200, wins 29 %)",
        ];
        assert_eq!(rates, texts);
        let sure = opinion(Score::eval(3_000));
        assert_eq!(sure, "h8 (score +3000, wins 94 %)", "certain is only what is proven");
        assert_eq!(opinion(Score::win_in(5)), "h8 (black wins in 3 moves)");
        assert_eq!(opinion(Score::loss_in(2)), "h8 (white wins in 1 move)");
    }

    #[test]
    fn a_choice_is_told_in_words() {
        let [a, b] = [Coord::new(7, 7), Coord::new(0, 0)];
        assert_eq!(choice(Swap2::Black, "s"), "takes black");
        assert_eq!(choice(Swap2::White(a), ""), "take white and play h8");
        assert_eq!(choice(Swap2::PutTwo([a, b]), "s"), "places h8, a1");
    }
}
