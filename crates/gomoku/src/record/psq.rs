//! Piskvork's .psq: a header, a line `x,y,milliseconds` for each move with coordinates from 1, the
//! players' names where a tournament wrote the file, and a number that says how the game ended.
//!
//! As `openPsq` and `savePsq` in Piskvork's source/game.cpp read and write it:
//! <https://github.com/plastovicka/Piskvork>. The header's numbers are the size, a level from 1 to
//! 11 for each program or 0 for a person, and the player who began.
//!
//! The format has no rule. Piskvork reads only two lines after the moves, so the rule follows as a
//! third line, `rule renju`. Other tools write one game after another.
//!
//! The code names a winner only if the side to move lost by time or by a fault. Otherwise the stones
//! show who won: the side that has a five.
//!
//! The Gomocup's judge (`end` in its server/server.py, <https://github.com/Gomocup/GomocupJudge>)
//! always writes the code -1 and then a line such as `2,Renju_1`: the result and the division. The
//! result is 0 for a draw, else the number of the winner in the tournament, which does not tell his
//! color. If no five is on the board, the side to move has lost.

use std::time::Duration;

use super::error::{Place, REST, UNKNOWN_RULE, Warning};
use super::parsed::ParsedGame;
use super::text::rule_named;
use super::tree::{Editor, GameTree};
use super::{HUMAN, Outcome, ParseError, ParseErrorKind};
use crate::types::{BoardSize, Color, Coord, Rule};

pub(super) const MAGIC: &str = "Piskvorky";

const HOMO: &str = "homo-";
const LEVEL: u32 = 11;

const RULE: &str = "rule";

/// Codes at the end of a file: the game is over; it goes on, or its end is not known; the side to
/// move ran out of time; its program failed.
const FINISHED: i32 = 0;
const UNFINISHED: i32 = -1;
pub(super) const TIME_UP: i32 = 15;
const FAULT: i32 = -2;

/// Reads a text of games; `size` is the board of those whose header is malformed.
pub(super) fn parse(text: &str, size: BoardSize) -> Vec<ParsedGame> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let lines: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.is_empty()).collect();
    let is_header = |text: &str| {
        text.strip_prefix(MAGIC).is_some_and(|rest| rest.trim_start().starts_with(char::is_numeric))
    };
    let games = lines.chunk_by(|_, (_, next)| !is_header(next));
    games.map(|game| parse_game(game, size)).collect()
}

fn parse_game(lines: &[(usize, &str)], size: BoardSize) -> ParsedGame {
    let (line, header) = lines[0];
    let (size, beginner) = match parse_header(header) {
        Ok(header) => header,
        Err(kind) => return ParsedGame::unreadable(line, size, kind),
    };
    let mut editor = Editor::new(GameTree::new(size));
    let lines = &lines[1..];
    // If moves follow, a line before them is no name and no code but a malformed move.
    let is_row = |(_, text): &(usize, &str)| parse_move(text, size) != Err(ParseErrorKind::Move);
    let rows = lines.iter().rposition(is_row).map_or(0, |last| last + 1);
    let moves = lines.iter().take_while(|(_, text)| is_move(text)).count();
    let (moves, after_moves) = lines.split_at(moves.max(rows));
    let mut play = |&(line, text): &(usize, &str)| {
        let played = parse_move(text, size).and_then(|(c, time)| {
            editor.play(c)?;
            editor.tree.set_time(editor.at(), time);
            Ok(())
        });
        played.map_err(|kind| ParseError::at_line(line, kind))
    };
    let mut fault = moves.iter().try_for_each(&mut play).err();
    // If the third line is the code, the first two are names, even if they are numbers.
    let has_code = after_moves.get(2).is_some_and(|(_, text)| is_number(text));
    let is_named = |text| is_name(text) && (has_code || !is_number(text));
    let names = after_moves.iter().take(2).take_while(|(_, text)| is_named(text)).count();
    let (named, after) = after_moves.split_at(names);
    if let (&[(line, _), ..], Some((_, next))) = (named, after.first())
        && is_move(next)
    {
        fault = fault.or(Some(ParseError::at_line(line, ParseErrorKind::Move)));
    }
    let code: Option<i32> = after.first().and_then(|(_, text)| text.parse().ok());
    let to_move = editor.to_move();
    let tree = &mut editor.tree;
    let mut warnings = Vec::new();
    let judged = after.iter().find_map(|(_, text)| division(text)).map(|(winner, _)| winner);
    let unpaired = if names == 1 { named } else { &[] };
    for &(line, text) in unpaired.iter().chain(&after[usize::from(code.is_some())..]) {
        let name = rule_name(text);
        let (kind, text) = name.map_or((REST, text), |name| (UNKNOWN_RULE, name));
        match name.and_then(rule_named) {
            Some(rule) => tree.rule = tree.rule.or(Some(rule)),
            None => warnings.push(Warning::new(Place::Line(line), kind, text)),
        }
    }
    if fault.is_none() {
        tree.psq_code = code.filter(|&code| code != UNFINISHED);
        tree.outcome = match judged {
            Some(0) => Some(Outcome::Drawn),
            Some(_) => Some(Outcome::Won(!to_move)),
            None => tree.psq_code.and_then(|code| outcome(code, to_move)),
        };
        let record = tree.record(tree.end());
        if (judged.is_some() || tree.psq_code == Some(FINISHED))
            // If the file names no rule: one without fouls if the game went on after one.
            && let [Some((ending, moves)), Some((other, earlier))] =
                [Rule::Freestyle, Rule::Renju].map(|rule| record.ending(tree.rule.unwrap_or(rule)))
            && moves == record.moves().len()
            && (earlier < moves || other == ending)
        {
            tree.outcome = Some(ending.outcome());
        }
    }
    if let &[(_, first), (_, second)] = named {
        let players = if beginner == 1 { [second, first] } else { [first, second] };
        tree.players = players.map(|name| if name.starts_with(HOMO) { HUMAN } else { name }.into());
    }
    ParsedGame::of_line(line, editor, fault, warnings)
}

fn parse_header(text: &str) -> Result<(BoardSize, i64), ParseErrorKind> {
    let numbers = text.strip_prefix(MAGIC).unwrap_or_default().split(['x', ',', ':']);
    let numbers: Option<Vec<i64>> = numbers.map(|number| number.trim().parse().ok()).collect();
    let Some(&[width, height, _, _, beginner]) = numbers.as_deref() else {
        let words = "'Piskvorky 15x15, 0:0, 0' expected";
        return Err(ParseErrorKind::Words(words.to_owned()));
    };
    let size = format!("{width}x{height}");
    Ok((size.parse().map_err(|_| ParseErrorKind::Size(size))?, beginner))
}

/// Returns true for a line that is or should be a move, and is neither a name nor the final code:
/// it begins with a number and a comma, or has digits and no letter.
fn is_move(text: &str) -> bool {
    let has_number_first = text.split_once(',').is_some_and(|(x, _)| is_number(x));
    let has_digits = text.contains(|c: char| c.is_ascii_digit());
    has_number_first || has_digits && !text.contains(char::is_alphabetic) && !is_number(text)
}

/// Returns true for a line that may be a player's name.
fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && !is_move(text)
}

fn is_number(text: &str) -> bool {
    text.trim().parse::<i64>().is_ok()
}

fn outcome(code: i32, to_move: Color) -> Option<Outcome> {
    matches!(code, TIME_UP | FAULT).then_some(Outcome::Won(!to_move))
}

/// Returns the winning player's number and the name of the division in a line such as `2,Renju_1`.
fn division(text: &str) -> Option<(i64, &str)> {
    let (winner, name) = text.split_once(',')?;
    name.contains(char::is_alphabetic).then_some((winner.trim().parse().ok()?, name.trim()))
}

/// Returns the name of the rule in a line after the code, or of the division.
fn rule_name(text: &str) -> Option<&str> {
    let rule = || text.strip_prefix(RULE)?.strip_prefix(char::is_whitespace);
    let name = division(text).map(|(_, name)| name).or_else(rule)?;
    name.contains(char::is_alphabetic).then_some(name.trim())
}

fn parse_move(text: &str, size: BoardSize) -> Result<(Coord, Duration), ParseErrorKind> {
    let mut fields = text.split(',').map(str::trim);
    let mut number = || fields.next().and_then(|field| field.parse::<i64>().ok());
    let (Some(x), Some(y)) = (number(), number()) else { return Err(ParseErrorKind::Move) };
    let time = number().and_then(|time| u64::try_from(time).ok()).unwrap_or(0);
    let index = |number: i64| number.checked_sub(1).and_then(|n| u8::try_from(n).ok());
    let c = index(x).zip(index(y)).and_then(|(x, y)| size.coord(x, y));
    let c = c.ok_or_else(|| ParseErrorKind::NoPoint(format!("{x},{y}")))?;
    Ok((c, Duration::from_millis(time)))
}

/// Returns the text of the file; `None` if the colors do not take turns.
pub(super) fn write(tree: &GameTree) -> Option<String> {
    let record = tree.record(tree.end());
    let stones = record.alternating()?;
    let level = |color: Color| if tree.players[color] == HUMAN { 0 } else { LEVEL };
    let (black, white) = (level(Color::Black), level(Color::White));
    let mut lines = vec![format!("{MAGIC} {}, {black}:{white}, 0", record.size())];
    for stone in stones {
        let (x, y, time) = (stone.c.x() + 1, stone.c.y() + 1, stone.time.as_millis());
        lines.push(format!("{x},{y},{time}"));
    }
    if tree.players.iter().all(|name| is_name(&one_line(name))) {
        for (i, name) in tree.players.iter().enumerate() {
            let is_human = name == HUMAN;
            lines.push(if is_human { format!("{HOMO}{}", i + 1) } else { one_line(name) });
        }
    }
    // The result may be another one since the file was read.
    let read = tree.psq_code.filter(|&code| outcome(code, record.to_move()) == tree.outcome);
    let code = if tree.outcome.is_some() { FINISHED } else { UNFINISHED };
    lines.push(read.unwrap_or(code).to_string());
    if let Some(rule) = tree.rule {
        // Without names Piskvork takes the two lines after the moves for them; the first is the
        // rest of the code's.
        lines.push(String::new());
        lines.push(format!("{RULE} {}", rule.name()));
    }
    Some(lines.join("\n") + "\n")
}

fn one_line(name: &str) -> String {
    name.replace(char::is_control, " ")
}
