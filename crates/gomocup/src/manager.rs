//! The manager's side of the protocol: what an engine is told and asked, and why it is given up.

use std::time::Duration;

use tengen_gomoku::types::{Color, Coord, Rule};

use super::{Command, Info, ListItem, ListKind, Point, Reply, milliseconds};

/// Yixin-Board sends this `timeout_turn` with [`UNLIMITED_MATCH`] for no limit. It counts the time
/// left down; once less than one such turn is left, both limits apply.
pub const UNLIMITED_TURN: Duration = Duration::from_millis(2_000_000);
pub const UNLIMITED_MATCH: Duration = Duration::from_millis(100_000_000);
/// The least `time_left` that is no limit.
pub const UNLIMITED_LEFT: i64 = 2_147_483_647;

pub type Stone = (Coord, Color);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Start(String),
    /// It has ended by itself, and how.
    Died(String),
    Deaf,
    Hung(&'static str),
    Flood,
    Refused(String),
    /// An answer that the request does not allow.
    Nonsense(String),
    Illegal(String),
}

pub fn shortened(text: &str) -> String {
    const LENGTH_MAX: usize = 300;
    text.chars().take(LENGTH_MAX).collect()
}

pub fn settings(infos: impl IntoIterator<Item = Info>) -> Vec<String> {
    infos.into_iter().map(|info| Command::Info(info).to_string()).collect()
}

/// Returns what a reply to `START` or `RESTART` says of the game, if it is an answer.
pub fn started(reply: &Reply) -> Option<Result<(), Fault>> {
    match reply {
        Reply::Ok => Some(Ok(())),
        Reply::Error(text) | Reply::Unknown(text) => Some(Err(Fault::Refused(text.clone()))),
        _ => None,
    }
}

/// Returns the settings that follow the begin of a game; `memory` in bytes.
pub fn game(rule: Rule, memory: u64) -> [Info; 2] {
    [Info::Rule(rule.code().into()), Info::MaxMemory(memory)]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTime {
    pub turn: Duration,
    /// For the game, and what is left of it, if that is limited.
    pub game: Option<(Duration, Duration)>,
    pub increment: Duration,
}

impl MoveTime {
    pub fn most(&self) -> Duration {
        self.game.map_or(self.turn, |(_, left)| left.min(self.turn))
    }

    /// Returns all times, each time: an engine keeps what it was told in the game before.
    pub fn infos(&self) -> [Info; 4] {
        let (game, left) = match self.game {
            Some((game, left)) => (milliseconds(game), milliseconds(left)),
            None => (0, UNLIMITED_LEFT),
        };
        [
            Info::TimeoutTurn(milliseconds(self.turn)),
            Info::TimeoutMatch(game),
            Info::TimeLeft(left),
            Info::TimeIncrement(milliseconds(self.increment).unsigned_abs()),
        ]
    }
}

pub fn analysis_times(time: Option<Duration>) -> [Info; 4] {
    let game = Some((UNLIMITED_MATCH, UNLIMITED_MATCH)).filter(|_| time.is_none());
    let turn = time.unwrap_or(UNLIMITED_TURN);
    MoveTime { turn, game, increment: Duration::ZERO }.infos()
}

/// Returns the lines that ask for a move. `is_known` is true if all stones but the last, at least
/// one, are on the engine's board already.
pub fn move_request(rule: Rule, stones: &[Stone], to_move: Color, is_known: bool) -> Vec<String> {
    match stones {
        [] => vec![Command::Begin.to_string()],
        [.., (c, _)] if is_known => vec![Command::Turn((*c).into()).to_string()],
        _ => position(&ListKind::Board, rule, stones, to_move),
    }
}

/// Returns the list that sets the position. If the side to move has one stone more, Rapfi and
/// others would read the owners as colors. Under renju the numbers of stones must say who is black.
/// If need be, the list has passes, so that the moves alternate.
pub fn position(kind: &ListKind, rule: Rule, stones: &[Stone], to_move: Color) -> Vec<String> {
    let count = |color| stones.iter().filter(|stone| stone.1 == color).count();
    let lead = usize::from(to_move == Color::White);
    let tells_color = count(Color::Black) == count(Color::White) + lead;
    let tells_passes = count(to_move) == count(!to_move) + 1 || rule == Rule::Renju && !tells_color;
    let row = |point, color| {
        let owner = if color == to_move { 1 } else { 2 };
        ListItem { point, owner: Some(owner) }
    };
    let mut rows = Vec::new();
    let mut next = Color::Black;
    let stones = stones.iter().map(|&(c, color)| (Some(c), color));
    for (c, color) in stones.chain([(None, to_move)]) {
        if tells_passes && next != color {
            rows.push(row(Point { x: -1, y: -1 }, next));
        }
        rows.extend(c.map(|c| row(c.into(), color)));
        next = !color;
    }
    kind.lines(&rows)
}

/// Returns the lines that ask for the best moves of a position but the excluded ones.
pub fn analysis(
    rule: Rule,
    stones: &[Stone],
    to_move: Color,
    lines: usize,
    excluded: &[Coord],
) -> Vec<String> {
    let mut text = position(&ListKind::YxBoard, rule, stones, to_move);
    text.push(Command::ExcludeReset.to_string());
    if !excluded.is_empty() {
        text.extend(ListKind::Exclude.lines(&unowned(excluded.iter().copied())));
    }
    text.push(Command::NBest(lines).to_string());
    text
}

/// Returns the list that asks for a step of a swap2 opening. Some engines cannot do without the
/// owners of the stones, as [`position`] writes them.
pub fn swap2(stones: &[Stone]) -> Vec<String> {
    ListKind::Swap2.lines(&unowned(stones.iter().map(|stone| stone.0)))
}

fn unowned(cells: impl Iterator<Item = Coord>) -> Vec<ListItem> {
    cells.map(|c| ListItem { point: c.into(), owner: None }).collect()
}

#[cfg(test)]
mod tests {
    use tengen_gomoku::types::BoardSize;

    use super::*;

    const STONES: [Stone; 2] = [(Coord::new(7, 7), Color::Black), (Coord::new(8, 6), Color::White)];

    #[test]
    fn a_game_begins_as_managers_begin_it() {
        let start =
            |width, height| Command::start(BoardSize::new(width, height).unwrap()).to_string();
        assert_eq!(start(15, 15), "START 15");
        assert_eq!(start(20, 15), "RECTSTART 20,15");
        assert_eq!(settings(game(Rule::Caro, 7)), ["INFO rule 8", "INFO max_memory 7"]);
        let started = |line| started(&Reply::parse(line));
        assert_eq!(started("OK"), Some(Ok(())));
        for (line, text) in [("ERROR size", "size"), ("UNKNOWN", "")] {
            assert_eq!(started(line), Some(Err(Fault::Refused(text.into()))), "{line}");
        }
        for line in ["MESSAGE OK", "7,7", "hello"] {
            assert_eq!(started(line), None, "{line}");
        }
    }

    #[test]
    fn a_move_is_asked_for_in_the_shortest_way() {
        let request = |stones, is_known| move_request(Rule::Renju, stones, Color::Black, is_known);
        assert_eq!(request(&[], false), ["BEGIN"]);
        assert_eq!(request(&STONES, true), ["TURN 8,6"]);
        assert_eq!(request(&STONES, false), ["BOARD", "7,7,1", "8,6,2", "DONE"]);
    }

    #[test]
    fn owners_are_seen_from_the_side_to_move() {
        let position = |kind| position(&kind, Rule::Freestyle, &STONES, Color::White);
        assert_eq!(position(ListKind::Board), ["BOARD", "7,7,2", "8,6,1", "DONE"]);
        assert_eq!(swap2(&STONES), ["SWAP2BOARD", "7,7", "8,6", "DONE"]);
        assert_eq!(position(ListKind::Swap2)[1], "7,7,2");
    }

    #[test]
    fn passes_are_told_where_owners_might_be_taken_for_colours() {
        let rows_under = |rule, colors: &str, to_move| {
            let color = |letter| if letter == 'B' { Color::Black } else { Color::White };
            let stones = (0..).zip(colors.chars());
            let stones: Vec<Stone> =
                stones.map(|(x, letter)| (Coord::new(x, 0), color(letter))).collect();
            let lines = position(&ListKind::Board, rule, &stones, to_move);
            lines[1..lines.len() - 1].join(" ")
        };
        let rows = |colors: &str, to_move| rows_under(Rule::Freestyle, colors, to_move);
        assert_eq!(rows("BWB", Color::White), "0,0,2 1,0,1 2,0,2");
        assert_eq!(rows("BWB", Color::Black), "0,0,1 1,0,2 2,0,1 -1,-1,2");
        assert_eq!(rows("BWW", Color::White), "0,0,2 1,0,1 -1,-1,2 2,0,1 -1,-1,2");
        assert_eq!(rows("BBWWW", Color::Black), "0,0,1 1,0,1 2,0,2 3,0,2 4,0,2");
        assert_eq!(rows("BB", Color::Black), "0,0,1 1,0,1");
        // Under renju it matters who is black: as many stones, or white one ahead.
        let rows = |colors: &str, to_move| rows_under(Rule::Renju, colors, to_move);
        assert_eq!(rows("BWB", Color::White), "0,0,2 1,0,1 2,0,2");
        assert_eq!(rows("BW", Color::Black), "0,0,1 1,0,2");
        assert_eq!(rows("BW", Color::White), "0,0,2 1,0,1 -1,-1,2");
        assert_eq!(rows("BWW", Color::Black), "0,0,1 1,0,2 -1,-1,1 2,0,2");
    }

    #[test]
    fn excluded_moves_are_those_of_this_analysis() {
        let analysis = |lines, excluded: &[Coord]| {
            analysis(Rule::Renju, &STONES, Color::Black, lines, excluded)
        };
        let lines = analysis(3, &[Coord::new(1, 2)]);
        let expected = ["YXBLOCKRESET", "YXBLOCK", "1,2", "DONE", "YXNBEST 3"];
        assert_eq!(lines[4..], expected);
        let lines = analysis(1, &[]);
        assert_eq!(lines[4..], ["YXBLOCKRESET", "YXNBEST 1"]);
    }

    #[test]
    fn a_game_without_limit_says_so() {
        let second = Duration::from_secs(1);
        let times = |turn, game, increment| MoveTime { turn, game, increment }.infos();
        let zero = Duration::ZERO;
        let expected = [
            "INFO timeout_turn 1000",
            "INFO timeout_match 0",
            "INFO time_left 2147483647",
            "INFO time_increment 0",
        ];
        assert_eq!(settings(times(second, None, zero)), expected);
        assert_eq!(
            settings(times(second, Some((60 * second, second)), second))[1..],
            ["INFO timeout_match 60000", "INFO time_left 1000", "INFO time_increment 1000"]
        );
        assert_eq!(analysis_times(Some(second)), times(second, None, zero));
        assert_eq!(
            settings(analysis_times(None))[..3],
            [
                "INFO timeout_turn 2000000",
                "INFO timeout_match 100000000",
                "INFO time_left 100000000"
            ]
        );
    }
}
