//! Games of PlayOK: texts in the form of chess's PGN, and links to games.
//!
//! The tag `GameType` has the size of the board behind its comma. A turn without a stone is `--`, the
//! choice of a colour `black` or `white`.

use std::time::Duration;

use super::entry::Entry;
use super::warning::{Warning, WarningKind};
use super::{ParseError, ParseErrorKind, Record};
use crate::board::notation::parse_points;
use crate::types::{BoardSize, Color};

/// Words between moves that are none.
const OTHERS: [&str; 7] = ["black", "white", "--", "1-0", "0-1", "1/2-1/2", "*"];

/// Returns true for the beginning of such a text.
pub(super) fn is_text(start: &str) -> bool {
    start
        .lines()
        .take_while(|line| tag(line).is_some())
        .any(|line| tag(line).is_some_and(|(name, value)| name == "GameType" || value == "PlayOK"))
}

/// Returns the moves of a link such as `https://www.playok.com/p/?g=gm+h8i9g9`.
pub(super) fn moves_of_link(line: &str) -> Option<&str> {
    let (_, moves) = line.split_once("playok.com/")?.1.split_once("g=gm+")?;
    moves.split('&').next()
}

/// Reads a text of games; `size` is the board of those that name none.
pub(super) fn parse(text: &str, size: BoardSize) -> Vec<Entry> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let lines: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.is_empty()).collect();
    let is_tag = |line: &str| tag(line).is_some();
    let games = lines.chunk_by(|(_, line), (_, next)| is_tag(line) || !is_tag(next));
    let entry = |game: &[(usize, &str)]| {
        let line = game[0].0;
        let warnings = vec![Warning::at_line(line, WarningKind::Rows)];
        Entry { line, record: parse_game(game, size), warnings }
    };
    games.map(entry).collect()
}

/// Returns name and value of a line such as `[Black "ann"]`.
fn tag(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().strip_prefix('[')?.strip_suffix(']')?.split_once(' ')?;
    Some((name, value.trim().strip_prefix('"')?.strip_suffix('"')?))
}

fn parse_game(lines: &[(usize, &str)], size: BoardSize) -> Result<Record, ParseError> {
    let value = |wanted: &str| {
        lines.iter().find_map(|(_, line)| tag(line).filter(|(name, _)| *name == wanted))
    };
    let named = value("GameType").and_then(|(_, value)| BoardSize::parse(value.split_once(',')?.1));
    let mut record = Record::new(named.unwrap_or(size));
    for (color, name) in Color::ALL.into_iter().zip(["Black", "White"]) {
        record.players[color] = value(name).map_or(String::new(), |(_, name)| name.to_owned());
    }
    for &(line, text) in lines.iter().filter(|(_, text)| tag(text).is_none()) {
        for word in text.split_whitespace() {
            // The number of a move may stand alone or before it.
            let word = match word.split_once('.') {
                Some((number, rest)) if number.parse::<u32>().is_ok() => rest,
                _ => word,
            };
            if word.is_empty() || OTHERS.contains(&word) {
                continue;
            }
            let points = parse_points(word, record.size());
            let points = points.map_err(|_| ParseErrorKind::NoPoint(word.to_owned()));
            points
                .and_then(|points| {
                    points.into_iter().try_for_each(|c| record.play(c, Duration::ZERO))
                })
                .map_err(|kind| ParseError { line, kind })?;
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Site \"PlayOK\"]\n[Black \"cy\"]\n[White \"di\"]\n\
                        [GameType \"61,19\"]\n\n1. j10 k9 2. j9 black 3. -- s19 0-1\n";

    #[test]
    fn games_and_links_are_read() {
        let text = format!("{GAME}\n{}", GAME.replace("19", "15").replace("s15", "o15"));
        assert!(is_text(&text) && !is_text("[h8 i9]") && !is_text(""));
        let entries = parse(&text, BoardSize::new(10, 10).unwrap());
        let games: Vec<_> = entries.iter().map(|e| e.record.as_ref().unwrap()).collect();
        let moves: Vec<_> = games.iter().map(|game| game.to_pos().unwrap()).collect();
        assert_eq!(moves, ["j10k9j9s19", "j10k9j9o15"]);
        assert_eq!((games[0].size().width(), games[1].size().width()), (19, 15));
        assert_eq!((games[0].players.join(" "), entries[1].line), ("cy di".to_owned(), 8));
        let wrong = parse(&GAME.replace("k9", "k9!"), BoardSize::new(15, 15).unwrap());
        let error = wrong[0].record.as_ref().unwrap_err().to_string();
        assert_eq!(error, "line 6: 'k9!' is not a point of the board");
        let link = "https://www.playok.com/en/p/?g=gm+h8i9&x";
        assert_eq!(moves_of_link(link), Some("h8i9"));
        assert_eq!(moves_of_link("https://example.com/?g=gm+h8"), None);
    }
}
