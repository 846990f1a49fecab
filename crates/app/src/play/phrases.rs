//! The texts about a game: settings, turns, clocks, the moves, a choice, a hint, the end.
//!
//! A phrase ends with a line end where it stands alone.

use std::time::Duration;

use crate::analyze::{value, value_words};
use tengen::opening::Swap2;
use tengen::search::Report;
use tengen_gomoku::board::Board;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::Color;
use tengen_session::game::{Game, GameEnd};
use tengen_session::json::names;
use tengen_session::swap2::Stage;

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
    let Some(stage) = game.swap2() else {
        return match person {
            Some(_) => format!("Move {number}: it is your turn, {color}.\n"),
            None => format!("Move {number}: it is the turn of {color}.\n"),
        };
    };
    let who = match (person, stage.player()) {
        (Some(_), _) => "Swap2",
        (None, 0) => "Swap2, first player",
        (None, _) => "Swap2, second player",
    };
    match stage {
        Stage::PlaceThree => format!("{who}: place stone {number} of 3, {color}.\n"),
        Stage::PlaceTwo => format!("{who}: place stone {number} of 5, {color}.\n"),
        Stage::ChooseOfThree => format!(
            "{who}: type black or white to take that colour, \
             or place to put down two more stones.\n"
        ),
        Stage::ChooseOfFive => {
            format!("{who}: type black or white to take that colour.\n")
        }
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
    use tengen_gomoku::types::{BoardSize, Coord, Rule};
    use tengen_session::game::Opening;

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
            "h8 (score +200, wins 69 %)",
            "h8 (score -200, wins 31 %)",
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
