//! Positions as lines of JSON, one object each, for other programs and for people, and as rows of the
//! table `position`, which have the same values.
//!
//! Stones are listed by color, since a position has no order of moves.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, anyhow, ensure};
use rusqlite::{Params, Row};
use serde::{Deserialize, Serialize};
use tengen_gomoku::board::notation::parse_point;
use tengen_gomoku::types::{BoardSize, Cell, Color, Coord};

use super::DAMAGED;
use super::entry::{DEPTH_MAX, DatabaseEntry, PLIES_MAX, StoredScore};
use super::position::{PositionKey, StoredPosition};
use crate::score::{Bound, Score, ScoreKind};

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    rule: String,
    size: String,
    to_move: String,
    black: Vec<String>,
    white: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    walls: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    win_in: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss_in: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<char>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    comment: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, String>,
}

/// The names of bounds; an exact score has none.
const BOUNDS: [(Bound, &str); 2] = [(Bound::Upper, "upper"), (Bound::Lower, "lower")];

impl Line {
    fn of(entry: &DatabaseEntry) -> Line {
        let mut line = Line {
            best: entry.best.map(|best| best.to_string()),
            mark: entry.mark.map(char::from),
            comment: entry.comment.clone(),
            labels: entry.labels.iter().map(|(c, text)| (c.to_string(), text.clone())).collect(),
            ..Line::default()
        };
        if let Some(StoredScore { score, bound, depth }) = entry.evaluation {
            // A misled search may report a win or loss in fewer than 0 plies.
            match score.clamp(Score::loss_in(0), Score::win_in(0)).kind() {
                ScoreKind::Eval(value) => line.score = Some(value),
                ScoreKind::Win(plies) => line.win_in = Some(plies),
                ScoreKind::Loss(plies) => line.loss_in = Some(plies),
            }
            line.depth = Some(depth.clamp(0, DEPTH_MAX));
            let name = BOUNDS.iter().find(|(known, _)| *known == bound);
            line.bound = name.map(|(_, name)| (*name).to_owned());
        }
        line
    }

    fn entry(self, size: BoardSize) -> anyhow::Result<DatabaseEntry> {
        let mut entry =
            DatabaseEntry { evaluation: evaluation(&self)?, ..DatabaseEntry::default() };
        if let Some(text) = &self.best {
            entry.best = Some(point("best move", text, size)?);
        }
        if let Some(mark) = self.mark {
            let byte = u8::try_from(mark).ok().filter(u8::is_ascii_graphic);
            entry.mark = Some(byte.ok_or_else(|| value("mark", &mark))?);
        }
        entry.comment = self.comment;
        for (cell, text) in self.labels {
            entry.labels.insert(point("cell of a label", &cell, size)?, text);
        }
        Ok(entry)
    }
}

/// Returns the line of a position, whose cells are those of its key's image.
pub fn json(key: &PositionKey, entry: &DatabaseEntry) -> String {
    let cells = |wanted| key.points(wanted).map(|c| c.to_string()).collect();
    let line = Line {
        rule: key.rule.name().to_owned(),
        size: key.size.to_string(),
        to_move: key.to_move.to_string(),
        black: cells(Cell::Black),
        white: cells(Cell::White),
        walls: cells(Cell::Wall),
        ..Line::of(entry)
    };
    serde_json::to_string(&line).expect("invariant: texts and numbers can always be written")
}

pub fn parse(text: &str) -> anyhow::Result<(StoredPosition, DatabaseEntry)> {
    let line: Line = serde_json::from_str(text).map_err(|error| {
        // It counts lines itself, and sees but one.
        let text = error.to_string().replace(char::is_control, " ");
        let text = text.split(" at line ").next().unwrap_or(&text);
        anyhow!("{text} at column {}", error.column())
    })?;
    let rule = line.rule.parse().map_err(|_| value("rule", &line.rule))?;
    let size = line.size.parse().map_err(|_| value("size", &line.size))?;
    let to_move = color(&line.to_move).ok_or_else(|| value("side to move", &line.to_move))?;
    let cells = cells(&line, size)?;
    let entry = line.entry(size)?;
    if let Some(best) = entry.best.filter(|best| cells.iter().any(|(c, _)| c == best)) {
        return Err(value("best move", &best));
    }
    Ok((StoredPosition::of(&PositionKey { rule, size, to_move, cells }.board()), entry))
}

fn value(name: &str, text: &dyn fmt::Display) -> anyhow::Error {
    let text: String = text.to_string().replace(char::is_control, " ").chars().take(40).collect();
    anyhow!("'{text}' cannot be the {name}")
}

fn color(text: &str) -> Option<Color> {
    Color::ALL.into_iter().find(|color| color.to_string() == text)
}

fn point(name: &str, text: &str, size: BoardSize) -> anyhow::Result<Coord> {
    parse_point(text, size).ok_or_else(|| value(name, &text))
}

/// Returns the stones and walls of a line, each on a cell of its own.
fn cells(line: &Line, size: BoardSize) -> anyhow::Result<Vec<(Coord, Cell)>> {
    let mut cells = Vec::new();
    for (texts, cell, name) in [
        (&line.black, Cell::Black, "cell of a black stone"),
        (&line.white, Cell::White, "cell of a white stone"),
        (&line.walls, Cell::Wall, "cell of a wall"),
    ] {
        for text in texts {
            let c = point(name, text, size)?;
            ensure!(cells.iter().all(|(other, _)| *other != c), value(name, text));
            cells.push((c, cell));
        }
    }
    Ok(cells)
}

fn evaluation(line: &Line) -> anyhow::Result<Option<StoredScore>> {
    let plies = |plies: i32| {
        ensure!((0..=PLIES_MAX).contains(&plies), value("number of plies", &plies));
        Ok(plies)
    };
    let score = match (line.score, line.win_in, line.loss_in) {
        (None, None, None) => {
            return match (&line.bound, line.depth) {
                (None, None) => Ok(None),
                (Some(bound), _) => Err(value("bound of no score", bound)),
                (None, Some(depth)) => Err(value("depth of no score", &depth)),
            };
        }
        (Some(score), None, None) => {
            ensure!(score.unsigned_abs() <= Score::EVAL_LIMIT as u32, value("score", &score));
            Score::eval(score)
        }
        (None, Some(win), None) => Score::win_in(plies(win)?),
        (None, None, Some(loss)) => Score::loss_in(plies(loss)?),
        (_, Some(plies), None) | (_, _, Some(plies)) => {
            return Err(value("score beside another one", &plies));
        }
    };
    let bound = match &line.bound {
        None => Bound::Exact,
        Some(name) => {
            let known = BOUNDS.iter().find(|(_, known)| known == name);
            known.ok_or_else(|| value("bound", name))?.0
        }
    };
    let depth = line.depth.unwrap_or(0);
    ensure!((0..=DEPTH_MAX).contains(&depth), value("depth", &depth));
    Ok(Some(StoredScore { score, bound, depth }))
}

/// The columns of a position, then those of its entry.
macro_rules! select {
    ($where:literal) => {
        concat!(
            "SELECT own, other, walls, to_move, rule, width, height, score, win_in, loss_in, bound, \
             depth, best, mark, comment, labels FROM position",
            $where
        )
    };
}

pub const GET: &str = select!(
    " WHERE own = ? AND other = ? AND walls = ? AND to_move = ? AND rule = ? AND width = ? \
      AND height = ?"
);
/// The rows in which the side to move has these stones. Among them are all positions after a move
/// of the other side, which changes none of these.
pub const GET_AFTER: &str =
    select!(" WHERE own = ? AND to_move = ? AND rule = ? AND width = ? AND height = ?");
/// The rows of a rule and a size, or all rows.
pub const GET_ALL: &str = select!(" WHERE ?1 IS NULL OR (rule, width, height) = (?1, ?2, ?3)");
/// The rules and sizes that there are, with the numbers of their rows.
pub const COUNT_EACH: &str = "SELECT rule || ' on ' || width || 'x' || height AS name, count(*) \
    FROM position GROUP BY name ORDER BY name";
pub const PUT: &str = "REPLACE INTO position (own, other, walls, to_move, rule, width, height, \
    score, win_in, loss_in, bound, depth, best, mark, comment, labels) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
pub const REMOVE: &str = "DELETE FROM position WHERE own = ? AND other = ? AND walls = ? \
    AND to_move = ? AND rule = ? AND width = ? AND height = ?";
pub const COUNT: &str = "SELECT count(*) FROM position";

pub fn key(position: &StoredPosition) -> impl Params {
    let [own, other, walls] = position.key.texts();
    let PositionKey { rule, size, to_move, .. } = position.key;
    (own, other, walls, to_move.to_string(), rule.name(), size.width(), size.height())
}

pub fn row(position: &StoredPosition, entry: &DatabaseEntry) -> impl Params {
    let [own, other, walls] = position.key.texts();
    let PositionKey { rule, size, to_move, .. } = position.key;
    let line = Line::of(&entry.clone().map_cells(|c| position.to_image(c)));
    let labels = (!line.labels.is_empty()).then(|| {
        serde_json::to_string(&line.labels).expect("invariant: texts can always be written")
    });
    (
        own,
        other,
        walls,
        to_move.to_string(),
        rule.name(),
        size.width(),
        size.height(),
        line.score,
        line.win_in,
        line.loss_in,
        line.bound,
        line.depth,
        line.best,
        line.mark.map(String::from),
        Some(line.comment).filter(|comment| !comment.is_empty()),
        labels,
    )
}

/// Returns the entry of a row, with the cells that stand there.
pub fn row_entry(row: &Row, size: BoardSize) -> anyhow::Result<DatabaseEntry> {
    let mark: Option<String> = row.get(13)?;
    let labels: Option<String> = row.get(15)?;
    let line = Line {
        score: row.get(7)?,
        win_in: row.get(8)?,
        loss_in: row.get(9)?,
        bound: row.get(10)?,
        depth: row.get(11)?,
        best: row.get(12)?,
        mark: mark.map(|mark| mark.parse().context(DAMAGED)).transpose()?,
        comment: row.get::<_, Option<String>>(14)?.unwrap_or_default(),
        labels: serde_json::from_str(labels.as_deref().unwrap_or("{}")).context(DAMAGED)?,
        ..Line::default()
    };
    line.entry(size).context(DAMAGED)
}

pub fn row_key(row: &Row) -> anyhow::Result<PositionKey> {
    let (to_move, rule): (String, String) = (row.get(3)?, row.get(4)?);
    let (rule, size) = (rule.parse().ok(), BoardSize::new(row.get(5)?, row.get(6)?));
    let texts: [String; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
    let texts = texts.each_ref().map(String::as_str);
    let key = || PositionKey::parse(rule?, size?, color(&to_move)?, texts);
    key().context(DAMAGED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::Board;
    use tengen_gomoku::types::Rule;

    fn full() -> (StoredPosition, DatabaseEntry) {
        let position = StoredPosition::of(&Board::after(15, Rule::Renju, "h8i9h10"));
        let entry = DatabaseEntry {
            evaluation: Some(StoredScore {
                score: Score::loss_in(8),
                bound: Bound::Upper,
                depth: 17,
            }),
            best: Some(Coord::new(2, 9)),
            mark: Some(b'!'),
            comment: "\"two\"\nlines".to_owned(),
            labels: [(Coord::new(3, 4), "A".to_owned())].into(),
        };
        (position, entry)
    }

    fn written(position: &StoredPosition, entry: &DatabaseEntry) -> String {
        json(&position.key, &entry.clone().map_cells(|c| position.to_image(c)))
    }

    #[test]
    fn lines_round_trip() {
        let (position, entry) = full();
        let text = written(&position, &entry);
        let expected = concat!(
            r#"{"rule":"renju","size":"15x15","to_move":"white","black":["h6","h8"],"white":["g7"],"#,
            r#""loss_in":8,"bound":"upper","depth":17,"best":"m6","mark":"!","#,
            r#""comment":"\"two\"\nlines","labels":{"l11":"A"}}"#
        );
        assert_eq!(text, expected);
        let (again, read) = parse(&text).unwrap();
        assert_eq!(again.key, position.key);
        assert_eq!(written(&again, &read), text);
        for entry in [
            DatabaseEntry::default(),
            DatabaseEntry { best: entry.best, ..DatabaseEntry::default() },
        ] {
            let text = written(&position, &entry);
            let (again, read) = parse(&text).unwrap();
            assert_eq!(written(&again, &read), text);
        }
    }

    #[test]
    fn lines_that_are_wrong_are_refused_in_one_line() {
        let (position, entry) = full();
        let text = written(&position, &entry);
        for (old, new, fault) in [
            ("{", "", "expected"),
            ("\"rule\"", "\"roles\"", "unknown field `roles`"),
            ("renju", "ren\\nju", "'ren ju' cannot be the rule"),
            ("15x15", "15x23", "'15x23' cannot be the size"),
            ("\"white\",\"black", "\"me\",\"black", "'me' cannot be the side to move"),
            ("\"h6\"", "\"h16\"", "'h16' cannot be the cell of a black stone"),
            ("\"g7\"", "\"h8\"", "'h8' cannot be the cell of a white stone"),
            ("\"m6\"", "\"h8\"", "'h8' cannot be the best move"),
            (":8", ":485", "'485' cannot be the number of plies"),
            ("loss_in\":8", "score\":20001", "'20001' cannot be the score"),
            ("loss_in\":8", "score\":-2147483648", "'-2147483648' cannot be the score"),
            ("\"loss", "\"win_in\":3,\"loss", "'8' cannot be the score beside another one"),
            ("\"loss_in\":8", "\"score\":1,\"win_in\":2", "'2' cannot be the score beside another"),
            ("\"loss_in\":8,", "", "'upper' cannot be the bound of no score"),
            ("\"loss_in\":8,\"bound\":\"upper\",", "", "'17' cannot be the depth of no score"),
            ("upper", "most", "'most' cannot be the bound"),
            ("17", "256", "'256' cannot be the depth"),
            ("\"!\"", "\"é\"", "'é' cannot be the mark"),
            ("l11", "l", "'l' cannot be the cell of a label"),
        ] {
            let wrong = text.replacen(old, new, 1);
            let error = parse(&wrong).unwrap_err().to_string();
            assert!(error.contains(fault) && !error.contains('\n'), "{wrong}: {error}");
        }
    }
}
