//! The rows of the table `position`.

use anyhow::Context;
use rusqlite::{Params, Row};
use tengen_gomoku::types::{BoardSize, Color, Rule};

use super::DAMAGED;
use super::entry::Entry;
use super::json::Line;
use super::position::{Key, Position};

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

/// The row of a position.
pub const GET: &str = select!(
    " WHERE own = ? AND other = ? AND walls = ? AND to_move = ? AND rule = ? AND width = ? \
      AND height = ?"
);
/// The rows in which the side to move has these stones, which are all after moves of the other side
/// from one position, and more.
pub const GET_AFTER: &str =
    select!(" WHERE own = ? AND to_move = ? AND rule = ? AND width = ? AND height = ?");
/// The rows of a rule and a size, or all rows.
pub const GET_ALL: &str = select!(" WHERE ?1 IS NULL OR (rule, width, height) = (?1, ?2, ?3)");
/// The rules and sizes that there are, with the numbers of their rows.
pub const COUNT_EACH: &str = "SELECT rule || ' on ' || width || 'x' || height AS name, count(*) \
    FROM position GROUP BY name ORDER BY name";
/// Puts a row in the place of any other of the position.
pub const PUT: &str = "REPLACE INTO position (own, other, walls, to_move, rule, width, height, \
    score, win_in, loss_in, bound, depth, best, mark, comment, labels) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
/// Removes the row of a position, and has a row then.
pub const REMOVE: &str = "DELETE FROM position WHERE own = ? AND other = ? AND walls = ? \
    AND to_move = ? AND rule = ? AND width = ? AND height = ? RETURNING 1";
pub const COUNT: &str = "SELECT count(*) FROM position";

/// Returns the values of [`GET`] and [`REMOVE`].
pub fn key(position: &Position) -> impl Params {
    let [own, other, walls] = position.key().texts();
    let &Key { rule, size, to_move, .. } = position.key();
    (own, other, walls, to_move.to_string(), rule.name(), size.width(), size.height())
}

/// Returns the values of [`PUT`].
pub fn row(position: &Position, entry: &Entry) -> impl Params {
    let [own, other, walls] = position.key().texts();
    let &Key { rule, size, to_move, .. } = position.key();
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
pub fn entry(row: &Row, size: BoardSize) -> anyhow::Result<Entry> {
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

/// Returns the position of a row.
pub fn position(row: &Row) -> anyhow::Result<Key> {
    let (to_move, rule): (String, String) = (row.get(3)?, row.get(4)?);
    let to_move = Color::ALL.into_iter().find(|color| color.to_string() == to_move);
    let (rule, size) = (Rule::from_name(&rule), BoardSize::new(row.get(5)?, row.get(6)?));
    let texts: [String; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
    let texts = texts.each_ref().map(String::as_str);
    let named = rule.zip(size).zip(to_move);
    let key = named.and_then(|((rule, size), to_move)| Key::parse(rule, size, to_move, texts));
    key.context(DAMAGED)
}
