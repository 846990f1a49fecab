//! The lines that ask an engine for something, as managers write them.
//!
//! Pure: a task in, lines out.

use std::time::Duration;

use tengen::types::{Color, Coord, Rule};

use super::super::position::Position;
use super::task::TimeControl;

/// No limit of time, as Yixin-Board sends it.
const NO_LIMIT: TimeControl = TimeControl {
    turn: Duration::from_millis(2_000_000),
    game: Some((Duration::from_millis(100_000_000), Duration::from_millis(100_000_000))),
    increment: Duration::ZERO,
};
/// `time_left` where a game has no limit.
const UNLIMITED_LEFT: u128 = 2_147_483_647;
/// The memory of an engine.
const MEMORY: u64 = 350 << 20;

/// Returns the line that begins a game.
pub fn start(position: &Position) -> String {
    let (width, height) = (position.size.width(), position.size.height());
    if width == height { format!("START {width}") } else { format!("RECTSTART {width},{height}") }
}

/// Returns the lines that follow the begin of a game.
pub fn game_infos(rule: Rule) -> Vec<String> {
    vec![format!("INFO rule {}", rule.code()), format!("INFO max_memory {MEMORY}")]
}

/// Returns the lines that set the time of a move.
pub fn times(time: &TimeControl) -> Vec<String> {
    let (game, left) = match time.game {
        Some((game, left)) => (game.as_millis(), left.as_millis()),
        None => (0, UNLIMITED_LEFT),
    };
    // All of them each time: an engine keeps what it was told in the game before.
    vec![
        format!("INFO timeout_turn {}", time.turn.as_millis()),
        format!("INFO timeout_match {game}"),
        format!("INFO time_left {left}"),
        format!("INFO time_increment {}", time.increment.as_millis()),
    ]
}

/// Returns the lines that set the time of an analysis.
pub fn analysis_times(time: Option<Duration>) -> Vec<String> {
    let limited = |turn| TimeControl { turn, game: None, increment: Duration::ZERO };
    times(&time.map_or(NO_LIMIT, limited))
}

/// Returns the block that sets the position, opened by `word`.
///
/// One stone of the side to move more would make colours of the owners, to Rapfi and others. Passes
/// are told then, so that the moves alternate.
pub fn board(word: &str, position: &Position) -> Vec<String> {
    let mut lines = vec![word.to_owned()];
    let count = |color| position.stones.iter().filter(|stone| stone.1 == color).count();
    let tells_passes = count(position.to_move) == count(!position.to_move) + 1;
    let mut next = Color::Black;
    let mut pass_unless = |lines: &mut Vec<String>, color: Color| {
        if tells_passes && next != color {
            lines.push(format!("-1,-1,{}", owner(next, position)));
        }
        next = !color;
    };
    for &(c, color) in &position.stones {
        pass_unless(&mut lines, color);
        lines.push(format!("{},{},{}", c.x(), c.y(), owner(color, position)));
    }
    pass_unless(&mut lines, position.to_move);
    lines.push("DONE".to_owned());
    lines
}

/// Returns whose stones of this colour are: 1 of the side to move, 2 of the other.
fn owner(color: Color, position: &Position) -> u8 {
    if color == position.to_move { 1 } else { 2 }
}

/// Returns the lines that ask for the best moves of a position, of an engine that knows how.
pub fn analysis(position: &Position, lines: usize, blocked: &[Coord]) -> Vec<String> {
    let mut text = board("YXBOARD", position);
    text.push("YXBLOCKRESET".into());
    if !blocked.is_empty() {
        text.push("YXBLOCK".into());
        text.extend(blocked.iter().map(|c| format!("{},{}", c.x(), c.y())));
        text.push("DONE".into());
    }
    text.push(format!("YXNBEST {lines}"));
    text
}

/// Returns the block that asks for a step of a swap2 opening; with owners for engines that cannot
/// do without.
pub fn swap2(position: &Position, with_owners: bool) -> Vec<String> {
    if with_owners {
        return board("SWAP2BOARD", position);
    }
    let rows = position.stones.iter().map(|(c, _)| format!("{},{}", c.x(), c.y()));
    ["SWAP2BOARD".to_owned()].into_iter().chain(rows).chain(["DONE".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use tengen::types::BoardSize;

    use super::*;

    fn position(width: u8, height: u8) -> Position {
        Position {
            size: BoardSize::new(width, height).unwrap(),
            rule: Rule::Renju,
            stones: vec![(Coord::new(7, 7), Color::Black), (Coord::new(8, 6), Color::White)],
            to_move: Color::White,
        }
    }

    #[test]
    fn a_game_begins_as_managers_begin_it() {
        assert_eq!(start(&position(15, 15)), "START 15");
        assert_eq!(start(&position(20, 15)), "RECTSTART 20,15");
        assert_eq!(game_infos(Rule::Caro)[0], "INFO rule 8");
    }

    #[test]
    fn owners_are_seen_from_the_side_to_move() {
        let position = position(15, 15);
        assert_eq!(board("BOARD", &position), ["BOARD", "7,7,2", "8,6,1", "DONE"]);
        assert_eq!(swap2(&position, false), ["SWAP2BOARD", "7,7", "8,6", "DONE"]);
        assert_eq!(swap2(&position, true)[1], "7,7,2");
    }

    #[test]
    fn passes_are_told_where_owners_might_be_taken_for_colours() {
        let rows = |colors: &str, to_move| {
            let color = |letter| if letter == 'B' { Color::Black } else { Color::White };
            let stones = (0..).zip(colors.chars());
            let stones = stones.map(|(x, letter)| (Coord::new(x, 0), color(letter))).collect();
            let position = Position { stones, to_move, ..position(15, 15) };
            let lines = board("BOARD", &position);
            lines[1..lines.len() - 1].join(" ")
        };
        assert_eq!(rows("BWB", Color::White), "0,0,2 1,0,1 2,0,2");
        assert_eq!(rows("BWB", Color::Black), "0,0,1 1,0,2 2,0,1 -1,-1,2");
        assert_eq!(rows("BWW", Color::White), "0,0,2 1,0,1 -1,-1,2 2,0,1 -1,-1,2");
        assert_eq!(rows("BBWWW", Color::Black), "0,0,1 1,0,1 2,0,2 3,0,2 4,0,2");
        assert_eq!(rows("BB", Color::Black), "0,0,1 1,0,1");
    }

    #[test]
    fn blocked_moves_are_those_of_this_analysis() {
        let lines = analysis(&position(15, 15), 3, &[Coord::new(1, 2)]);
        let expected = ["YXBLOCKRESET", "YXBLOCK", "1,2", "DONE", "YXNBEST 3"];
        assert_eq!(lines[4..], expected);
        assert_eq!(analysis(&position(15, 15), 1, &[])[4..], ["YXBLOCKRESET", "YXNBEST 1"]);
    }

    #[test]
    fn a_game_without_limit_says_so() {
        let second = Duration::from_secs(1);
        let time = TimeControl { turn: second, game: None, increment: Duration::ZERO };
        let expected = [
            "INFO timeout_turn 1000",
            "INFO timeout_match 0",
            "INFO time_left 2147483647",
            "INFO time_increment 0",
        ];
        assert_eq!(times(&time), expected);
        let time = TimeControl { game: Some((60 * second, second)), increment: second, ..time };
        assert_eq!(
            times(&time)[1..],
            ["INFO timeout_match 60000", "INFO time_left 1000", "INFO time_increment 1000"]
        );
        assert_eq!(analysis_times(Some(second))[0], "INFO timeout_turn 1000");
        assert_eq!(analysis_times(None)[0], "INFO timeout_turn 2000000");
    }
}
