//! What an engine is asked for, as the lines that managers write.

use std::time::Duration;

use tengen::types::{Color, Coord, Rule};
use tengen_gomocup::{Command, Info, ListItem, ListKind, Point, Yixin, milliseconds};
use tengen_session::session::{Position, TimeControl};

/// No limit of time, as Yixin-Board sends it.
const NO_LIMIT: TimeControl = TimeControl {
    turn: Duration::from_millis(2_000_000),
    game: Some((Duration::from_millis(100_000_000), Duration::from_millis(100_000_000))),
    increment: Duration::ZERO,
};
/// `time_left` where a game has no limit.
const UNLIMITED_LEFT: i64 = 2_147_483_647;
const MEMORY: u64 = 350 << 20;

fn settings<const N: usize>(infos: [Info; N]) -> Vec<String> {
    infos.map(|info| Command::Info(info).to_string()).to_vec()
}

/// Returns the lines that follow the begin of a game.
pub fn game_infos(rule: Rule) -> Vec<String> {
    settings([Info::Rule(rule.code().into()), Info::MaxMemory(MEMORY)])
}

/// Returns the lines that set the time of a move.
pub fn times(time: &TimeControl) -> Vec<String> {
    let (game, left) = match time.game {
        Some((game, left)) => (milliseconds(game), milliseconds(left)),
        None => (0, UNLIMITED_LEFT),
    };
    // All of them each time: an engine keeps what it was told in the game before.
    settings([
        Info::TimeoutTurn(milliseconds(time.turn)),
        Info::TimeoutMatch(game),
        Info::TimeLeft(left),
        Info::TimeIncrement(milliseconds(time.increment).unsigned_abs()),
    ])
}

/// Returns the lines that set the time of an analysis.
pub fn analysis_times(time: Option<Duration>) -> Vec<String> {
    let limited = |turn| TimeControl { turn, game: None, increment: Duration::ZERO };
    times(&time.map_or(NO_LIMIT, limited))
}

/// Returns the list that sets the position.
///
/// One stone of the side to move more would make colors of the owners, to Rapfi and others. Passes
/// are told then, so that the moves alternate.
pub fn board(kind: &ListKind, position: &Position) -> Vec<String> {
    let count = |color| position.stones.iter().filter(|stone| stone.1 == color).count();
    let tells_passes = count(position.to_move) == count(!position.to_move) + 1;
    let row = |point, color| {
        let owner = if color == position.to_move { 1 } else { 2 };
        ListItem { point, owner: Some(owner) }
    };
    let mut rows = Vec::new();
    let mut next = Color::Black;
    let mut pass_unless = |rows: &mut Vec<ListItem>, color: Color| {
        if tells_passes && next != color {
            rows.push(row(Point { x: -1, y: -1 }, next));
        }
        next = !color;
    };
    for &(c, color) in &position.stones {
        pass_unless(&mut rows, color);
        rows.push(row(c.into(), color));
    }
    pass_unless(&mut rows, position.to_move);
    kind.lines(&rows)
}

/// Returns the lines that ask for the best moves of a position, of an engine that knows how.
pub fn analysis(position: &Position, lines: usize, blocked: &[Coord]) -> Vec<String> {
    let mut text = board(&ListKind::YxBoard, position);
    text.push(Command::Yixin(Yixin::ExcludeReset).to_string());
    if !blocked.is_empty() {
        text.extend(ListKind::Exclude.lines(&unowned(blocked.iter().copied())));
    }
    text.push(Command::Yixin(Yixin::NBest(lines)).to_string());
    text
}

/// Returns the list that asks for a step of a swap2 opening; with owners for engines that cannot
/// do without.
pub fn swap2(position: &Position, with_owners: bool) -> Vec<String> {
    match with_owners {
        true => board(&ListKind::Swap2, position),
        false => ListKind::Swap2.lines(&unowned(position.stones.iter().map(|stone| stone.0))),
    }
}

fn unowned(cells: impl Iterator<Item = Coord>) -> Vec<ListItem> {
    cells.map(|c| Point::from(c).into()).collect()
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
        let start = |width, height| Command::start(position(width, height).size).to_string();
        assert_eq!(start(15, 15), "START 15");
        assert_eq!(start(20, 15), "RECTSTART 20,15");
        assert_eq!(game_infos(Rule::Caro)[0], "INFO rule 8");
    }

    #[test]
    fn owners_are_seen_from_the_side_to_move() {
        let position = position(15, 15);
        assert_eq!(board(&ListKind::Board, &position), ["BOARD", "7,7,2", "8,6,1", "DONE"]);
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
            let lines = board(&ListKind::Board, &position);
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
