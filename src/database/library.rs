//! Game trees in and out of the database, as RenLib's libraries hold them.
//!
//! A node's comment and the texts on cells become those of its position, and come back as such. In
//! a tree that is made from the database an entry line such as
//! `Tengen: mark !, score +31, depth 14, best move h9` ends the comment, and is understood on the way
//! back; what a board shows on a move stands on its cell. The mark `*` is a bookmark instead.
//! Rapfi's texts on moves are values.

use std::collections::HashSet;

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_point;
use tengen_gomoku::record::signature::{BEST, MARK, OLD_BEST, SCORE, SIGNATURE, split_entry_line};
use tengen_gomoku::record::tree::{Editor, GameTree, NodeId, Step};
use tengen_gomoku::types::{BoardSize, Coord, Rows, Rule};

use super::DatabaseTransaction;
use super::entry::{BOOKMARK, DEPTH_MAX, DatabaseEntry, PLIES_MAX, StoredScore, add_missing};
use super::position::{Images, PositionKey, StoredPosition};
use crate::score::{Bound, Score, ScoreKind};

/// Returns what a tree says about its positions, under this rule. Nodes that say nothing are there
/// too, so that the tree can be found again. Nodes after a pass are left out.
pub fn entries(tree: &GameTree, rule: Rule) -> Vec<(StoredPosition, DatabaseEntry)> {
    let mut entries = Vec::new();
    add_entries(&mut entries, tree, tree.root(), &mut Board::new(tree.size(), rule));
    entries
}

fn add_entries(
    entries: &mut Vec<(StoredPosition, DatabaseEntry)>,
    tree: &GameTree,
    id: NodeId,
    board: &mut Board,
) {
    let stone = match tree.step(id) {
        Some(Step::Stone(color, c)) if color == board.side_to_move() => Some(c),
        None if tree.setup(id).is_none() => None,
        _ => return,
    };
    stone.iter().for_each(|&c| board.play(c));
    let mut entry = entry(tree, id, board);
    entry.evaluation = entry.evaluation.or_else(|| value_of(tree, id, board.stone_count()));
    entries.push((StoredPosition::of(board), entry));
    tree.children(id).for_each(|child| add_entries(entries, tree, child, board));
    stone.iter().for_each(|_| board.undo());
}

fn entry(tree: &GameTree, id: NodeId, board: &Board) -> DatabaseEntry {
    let mut entry = DatabaseEntry::default();
    let Some(notes) = tree.notes(id) else { return entry };
    let (comment, line) = split_entry_line(&notes.comment);
    match line.and_then(|line| parse_entry_line(line, board)) {
        Some(known) => entry = DatabaseEntry { comment: comment.to_owned(), ..known },
        // A person wrote that.
        None => entry.comment = notes.comment.clone(),
    }
    if notes.is_bookmark {
        entry.mark = entry.mark.or(Some(BOOKMARK));
    }
    for (c, text) in &notes.labels {
        let child = tree.child(id, Step::Stone(board.side_to_move(), *c));
        let is_value = child.is_some() && value(text, board.stone_count() + 1).is_some();
        if !is_value && child.is_none_or(|child| !is_tag(tree, child, board.rule(), text)) {
            add_missing(entry.labels.entry(*c).or_default(), text, ' ');
        }
    }
    entry
}

fn value_of(tree: &GameTree, id: NodeId, stones: usize) -> Option<StoredScore> {
    let Some(Step::Stone(_, c)) = tree.step(id) else { return None };
    let labels = &tree.notes(tree.parent(id)?)?.labels;
    labels.iter().filter(|(cell, _)| *cell == c).find_map(|(_, text)| value(text, stones))
}

/// Returns the value that Rapfi means by a text on a move, for the side that moves next: `W9` or
/// `L8` with the number of stones at the end of a game that the move wins or loses, `v120` or `m120`
/// with the score for the side that moved or moves next. `stones` are there after the move.
fn value(text: &str, stones: usize) -> Option<StoredScore> {
    let (letter, number) = text.split_at_checked(1)?;
    let number: i32 = number.parse().ok().filter(|_| !number.starts_with('+'))?;
    let plies = i32::try_from(stones).ok().and_then(|stones| number.checked_sub(stones));
    let plies = plies.filter(|plies| (1..=PLIES_MAX).contains(plies));
    let score = match letter {
        "W" => Score::loss_in(plies?),
        "L" => Score::win_in(plies?),
        "v" | "V" => Score::eval(number.checked_neg()?),
        "m" | "M" => Score::eval(number),
        _ => return None,
    };
    score.is_possible().then_some(StoredScore { score, bound: Bound::Exact, depth: 0 })
}

/// Returns true if the text on the cell of this node is what an export writes there: what a board
/// shows on the move. Any other text is a person's.
fn is_tag(tree: &GameTree, id: NodeId, rule: Rule, text: &str) -> bool {
    let Some(notes) = tree.notes(id) else { return false };
    let empty = Board::new(tree.size(), Rule::Freestyle);
    let (_, line) = split_entry_line(&notes.comment);
    let tag = line.and_then(|line| parse_entry_line(line, &empty)?.tag(rule));
    tag.is_some_and(|tag| tag == text)
        // Earlier versions put bookmarks on their cells.
        || notes.is_bookmark && text.as_bytes() == [BOOKMARK]
}

/// Returns all positions of this rule and size as a tree, and the number of positions that no play
/// of black and white in turns leads to, or that have walls: those are left out. A position that
/// several lines lead to stands in one of them.
pub fn tree(
    reader: &DatabaseTransaction,
    rule: Rule,
    size: BoardSize,
) -> anyhow::Result<(GameTree, u64)> {
    let mut tree = GameTree::new(size);
    (tree.rows, tree.rule) = (Rows::Bottom, Some(rule));
    let (editor, board) = (Editor::new(tree), Board::new(size, rule));
    let mut builder = Builder { reader, editor, board, seen: HashSet::new() };
    builder.walk_from(&[])?;
    // What is left begins in positions of which the database has not the ones before.
    let mut starts = Vec::new();
    let mut left_out = 0;
    reader.for_each(Some((rule, size)), |key, _| {
        match key.moves() {
            Some(moves) => starts.push(moves),
            None => left_out += 1,
        }
        Ok(())
    })?;
    starts.sort_by_key(Vec::len);
    starts.iter().try_for_each(|moves| builder.walk_from(moves))?;
    Ok((builder.editor.tree, left_out))
}

struct Builder<'a, 'b> {
    reader: &'a DatabaseTransaction<'b>,
    editor: Editor,
    board: Board,
    /// The positions that stand in the tree.
    seen: HashSet<PositionKey>,
}

impl Builder<'_, '_> {
    /// Adds the positions that a line leads to, if they are not there.
    fn walk_from(&mut self, moves: &[Coord]) -> anyhow::Result<()> {
        self.board = Board::new(self.board.size(), self.board.rule());
        moves.iter().for_each(|&mv| self.board.play(mv));
        let position = StoredPosition::of(&self.board);
        if !self.seen.insert(position.key.clone()) {
            return Ok(());
        }
        self.editor.go_to(self.editor.tree.root());
        moves.iter().for_each(|&c| self.follow(c));
        if let Some(entry) = self.reader.get(&position)? {
            self.note(&entry);
        }
        self.walk_on()
    }

    /// Adds what the database has about the positions after the current one that are not in the tree
    /// yet.
    fn walk_on(&mut self) -> anyhow::Result<()> {
        let mut children = self.reader.children(&self.board)?;
        let (images, us) = (Images::of(&self.board), self.board.side_to_move());
        children
            .retain(|&(mv, _)| self.seen.insert(images.position(!us, Some((mv, us))).key.clone()));
        for (mv, entry) in children {
            // A board shows a bookmark by itself.
            let tag = entry.tag(self.board.rule()).filter(|_| entry.mark != Some(BOOKMARK));
            let labels = &mut self.editor.notes().labels;
            if labels.iter().all(|(c, _)| *c != mv) {
                labels.extend(tag.map(|tag| (mv, tag)));
            }
            self.follow(mv);
            self.board.play(mv);
            self.note(&entry);
            self.walk_on()?;
            self.board.undo();
            self.editor.leave();
        }
        Ok(())
    }

    fn follow(&mut self, mv: Coord) {
        let step = Step::Stone(self.editor.to_move(), mv);
        self.editor.follow(step).expect("invariant: the stones of a position are on free cells");
    }

    fn note(&mut self, entry: &DatabaseEntry) {
        let comment = Some(entry.comment.clone()).filter(|text| !text.is_empty());
        let parts = [comment, entry_line(entry)];
        let notes = self.editor.notes();
        notes.comment = parts.into_iter().flatten().collect::<Vec<String>>().join("\n");
        notes.is_bookmark = entry.mark == Some(BOOKMARK);
        notes.labels.extend(entry.labels.iter().map(|(&c, text)| (c, text.clone())));
    }
}

/// The words before a score that is a bound, and before an exact one.
const BOUNDS: [(&str, Bound); 3] =
    [("at least ", Bound::Lower), ("at most ", Bound::Upper), ("", Bound::Exact)];

/// Returns the entry line of an entry; `None` if the entry has nothing that belongs there.
fn entry_line(entry: &DatabaseEntry) -> Option<String> {
    let mut parts = Vec::new();
    let mark = entry.mark.filter(|&mark| mark != BOOKMARK);
    parts.extend(mark.map(|mark| format!("{MARK}{}", char::from(mark))));
    if let Some(StoredScore { score, bound, depth }) = entry.evaluation {
        let words = BOUNDS.iter().filter(|(_, known)| *known == bound).map(|(words, _)| *words);
        let bound: String = words.collect();
        parts.push(match score.kind() {
            ScoreKind::Eval(value) => format!("{SCORE}{bound}{value:+}"),
            ScoreKind::Win(plies) => format!("{SCORE}{bound}win in {plies}"),
            ScoreKind::Loss(plies) => format!("{SCORE}{bound}loss in {plies}"),
        });
        parts.push(format!("depth {depth}"));
    }
    parts.extend(entry.best.map(|best| format!("{BEST}{best}")));
    (!parts.is_empty()).then(|| format!("{SIGNATURE}{}", parts.join(", ")))
}

/// Returns the entry that an entry line of this position describes; `None` for any other line.
fn parse_entry_line(line: &str, board: &Board) -> Option<DatabaseEntry> {
    let mut parts = line.strip_prefix(SIGNATURE)?.split(", ").peekable();
    let mut entry = DatabaseEntry::default();
    if let Some(part) = parts.next_if(|part| part.starts_with(MARK)) {
        let &[mark] = &part.as_bytes()[MARK.len()..] else { return None };
        entry.mark = Some(mark).filter(u8::is_ascii_graphic);
        entry.mark?;
    }
    if let Some(part) = parts.next_if(|part| part.starts_with(SCORE)) {
        let text = &part[SCORE.len()..];
        let read = |&(words, bound)| text.strip_prefix(words).map(|value| (value, bound));
        let (value, bound) = BOUNDS.iter().find_map(read)?;
        let plies = |text: &str| text.parse().ok().filter(|plies| (0..=PLIES_MAX).contains(plies));
        let score = if let Some(text) = value.strip_prefix("win in ") {
            Score::win_in(plies(text)?)
        } else if let Some(text) = value.strip_prefix("loss in ") {
            Score::loss_in(plies(text)?)
        } else {
            Score::eval(value.parse().ok()?)
        };
        let depth = parts.next()?.strip_prefix("depth ")?.parse().ok()?;
        if !(0..=DEPTH_MAX).contains(&depth) {
            return None;
        }
        entry.evaluation = Some(StoredScore { score, bound, depth });
    }
    if let Some(text) = parts.next() {
        let c = match text.strip_prefix(BEST) {
            Some(name) => parse_point(name, board.size())?,
            // Version 1.0 counted rows from the top.
            None => board.size().flipped(parse_point(text.strip_prefix(OLD_BEST)?, board.size())?),
        };
        entry.best = Some(c).filter(|&c| board.is_empty(c));
    }
    parts.next().is_none().then_some(entry)
}
