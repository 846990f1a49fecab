//! Games of PlayOK: texts in the form of chess's PGN, and links to games, those of gomocalc included.
//!
//! The tag `GameType` has the size of the board after its comma. The tags `Black` and `White` name the
//! players of the first and the second column, which take turns; the tag `Result` is `1-0` if the
//! first one won. A turn without a stone is `--`, or the choice of a color, `black` or `white`; after
//! an odd number of them the columns have the other colors.

use super::error::{Place, REST, Warning};
use super::parsed::ParsedGame;
use super::tree::{Editor, GameTree};
use super::{Outcome, ParseError, ParseErrorKind};
use crate::board::notation::parse_points;
use crate::types::{BoardSize, Color};

/// Words for turns without a stone, and after the last turn.
const OTHERS: [&str; 7] = ["black", "white", "--", "1-0", "0-1", "1/2-1/2", "*"];

/// Where links to games lead, PlayOK's Polish names included.
const HOSTS: [&str; 3] = ["playok.com/", "kurnik.pl/", "kurnik.org/"];
const GOMOCALC: &str = "gomocalc.com/";

/// Returns true for the beginning of such a text.
pub(super) fn begins(start: &str) -> bool {
    let mut tags = start.lines().map_while(tag);
    tags.any(|(name, value)| name == "GameType" || value == "PlayOK")
}

/// Returns the moves of a link such as `https://www.playok.com/p/?g=gm+h8i9g9` or
/// `https://gomocalc.com/#/h8i9g9`, which is split at its `#`.
pub(super) fn moves_of_link<'a>(line: &'a str, fragment: &'a str) -> Option<&'a str> {
    let lower = line.to_ascii_lowercase();
    if lower.ends_with(GOMOCALC) {
        let moves = fragment.trim_start_matches('/');
        return moves.split(|c: char| !c.is_ascii_alphanumeric()).next();
    }
    let host = HOSTS.iter().find_map(|host| lower.find(host))?;
    let game = host + lower[host..].find("g=gm")? + 4;
    let blank = ["+", " ", "%2b", "%20"].into_iter().find(|b| lower[game..].starts_with(b))?;
    line[game + blank.len()..].split('&').next()
}

pub(super) fn parse(text: &str, size: BoardSize) -> Vec<ParsedGame> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let lines: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.is_empty()).collect();
    let is_tag = |line: &str| tag(line).is_some();
    let games = lines.chunk_by(|(_, line), (_, next)| is_tag(line) || !is_tag(next));
    games.map(|game| parse_game(game, size)).collect()
}

/// Returns name and value of a line such as `[Black "ann"]`.
fn tag(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().strip_prefix('[')?.strip_suffix(']')?.split_once(' ')?;
    Some((name, value.trim().strip_prefix('"')?.strip_suffix('"')?))
}

fn parse_game(lines: &[(usize, &str)], size: BoardSize) -> ParsedGame {
    let value = |wanted: &str| {
        let mut tags = lines.iter().filter_map(|(_, line)| tag(line));
        tags.find_map(|(name, value)| (name == wanted).then_some(value))
    };
    let named = value("GameType").and_then(|value| value.split_once(',')?.1.parse().ok());
    let mut tree = GameTree::new(named.unwrap_or(size));
    tree.players = ["Black", "White"].map(|name| value(name).unwrap_or_default().to_owned());
    let mut editor = Editor::new(tree);
    let mut passes = Vec::new();
    let mut warnings = Vec::new();
    let mut is_comment = false;
    let play_line = |&(line, text): &(usize, &str)| {
        if let Some(at) = text.find('{') {
            warnings.push(Warning::new(Place::Line(line), REST, &text[at..]));
        }
        let is_hidden = |c| {
            let is_hidden = is_comment || c == '{';
            is_comment = is_hidden && c != '}';
            is_hidden
        };
        let plain = text.replace(is_hidden, " ");
        let mut words = plain.split_whitespace();
        let played = words.try_for_each(|word| play(&mut editor, &mut passes, word));
        played.map_err(|kind| ParseError::at_line(line, kind))
    };
    let mut rest = lines.iter().filter(|(_, text)| tag(text).is_none());
    let fault = rest.try_for_each(play_line).err();
    passes.retain(|&length| length < editor.tree.len());
    let mut columns = [Color::Black, Color::White];
    if passes.len() % 2 == 1 {
        columns.reverse();
        editor.tree.players.reverse();
    }
    editor.tree.outcome = match value("Result").filter(|_| fault.is_none()) {
        Some("1-0") => Some(Outcome::Won(columns[0])),
        Some("0-1") => Some(Outcome::Won(columns[1])),
        Some("1/2-1/2") => Some(Outcome::Drawn),
        _ => None,
    };
    ParsedGame::of_line(lines[0].0, editor, fault, warnings)
}

/// Plays the stones of a word, or adds the length of the tree to those at turns without a stone.
fn play(editor: &mut Editor, passes: &mut Vec<usize>, word: &str) -> Result<(), ParseErrorKind> {
    // The number of a move may stand alone or before it.
    let word = match word.split_once('.') {
        Some((number, rest)) if number.parse::<u32>().is_ok() => rest,
        _ => word,
    };
    if OTHERS.iter().any(|other| other.eq_ignore_ascii_case(word)) {
        passes.push(editor.tree.len());
        return Ok(());
    }
    let points = parse_points(word, editor.tree.size());
    let points = points.map_err(|_| ParseErrorKind::NoPoint(word.to_owned()))?;
    points.into_iter().try_for_each(|c| editor.play(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Site \"PlayOK\"]\n[Black \"cy\"]\n[White \"di\"]\n[Result \"0-1\"]\n\
                        [GameType \"61,19\"]\n\n1. j10 k9 2. j9 black 3. -- s19 0-1\n";

    fn size(length: u8) -> BoardSize {
        BoardSize::new(length, length).unwrap()
    }

    #[test]
    fn games_and_links_are_read() {
        let text = format!("{GAME}\n{}", GAME.replace("19", "15").replace("s15", "o15"));
        assert!(begins(&text) && !begins("[h8 i9]") && !begins(""));
        let entries = parse(&text, size(10));
        let games: Vec<_> = entries.iter().map(|e| e.record().unwrap()).collect();
        let moves: Vec<_> = games.iter().map(|game| game.to_pos().unwrap()).collect();
        assert_eq!(moves, ["j10k9j9s19", "j10k9j9o15"]);
        assert_eq!((games[0].size().width(), games[1].size().width()), (19, 15));
        assert_eq!((entries[0].tree.players.join(" "), entries[1].line), ("cy di".to_owned(), 9));
        for (moves, players) in [
            ("black 3. s19 --", "di cy"),
            ("white 3. -- s19 --", "cy di"),
            ("k8 3. l8 -- 4. white -- 5. s19", "di cy"),
            ("black", "cy di"),
        ] {
            let game = &parse(&GAME.replace("black 3. -- s19", moves), size(19))[0];
            assert_eq!(game.tree.players.join(" "), players, "{moves}");
            let winner = if players == "cy di" { Color::White } else { Color::Black };
            assert_eq!(game.tree.outcome, Some(Outcome::Won(winner)), "{moves}");
        }
        let wrong = parse(&GAME.replace("k9", "k9!"), size(15));
        let error = wrong[0].record().unwrap_err().to_string();
        assert_eq!(error, "line 7: 'k9!' is not a point of the board");
        assert_eq!(wrong[0].tree.outcome, None);
        assert_eq!(wrong[0].tree.record(wrong[0].tree.end()).to_pos().unwrap(), "j10");
        let text = GAME.replace("black", "Black {one\ntwo} k10 {x}");
        let told = parse(&text, size(15));
        assert_eq!(told[0].record().unwrap().to_pos().unwrap(), "j10k9j9k10s19");
        assert_eq!(told[0].warnings[0], Warning::new(Place::Line(7), REST, "{one"));
        for link in [
            "https://www.playok.com/en/p/?g=gm+h8i9&x",
            "see HTTPS://WWW.PLAYOK.COM/p/?x=1&g=gm%2Bh8i9",
            "www.kurnik.pl/p/?g=gm%20h8i9",
        ] {
            assert_eq!(moves_of_link(link, "3"), Some("h8i9"), "{link}");
        }
        assert_eq!(moves_of_link("https://example.com/?g=gm+h8", "/h8"), None);
    }
}
