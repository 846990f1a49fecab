//! Game trees in and out of the database, as RenLib's libraries hold them.
//!
//! A node's comment and the texts on cells become those of its position, and come back as such. In
//! a tree that is made from the database a last line of the comment tells what a search found, such
//! as `Tengen: score +31, depth 14, best h9`, which is understood on the way back; what a board
//! shows on a move stands on its cell. Knows no format of files.

use std::collections::HashSet;

use super::entry::{Entry, Evaluation};
use super::position::{Images, Position};
use super::{DatabaseError, Reader};
use crate::board::Board;
use crate::board::notation::parse_points;
use crate::record::tree::{Editor, GameTree, NodeId, Step};
use crate::types::{BoardSize, Bound, Coord, Rule, Score, ScoreKind};

/// The begin of the line about a search.
const SIGNATURE: &str = "Tengen: ";
/// The mark that stands for a bookmark of the tree.
const BOOKMARK: u8 = b'*';

/// Returns what a tree says about its positions, under this rule. Nodes that say nothing are there
/// too, so that the tree can be found again. Nodes behind a pass are left out.
pub fn entries(tree: &GameTree, rule: Rule) -> Vec<(Position, Entry)> {
    let mut entries = Vec::new();
    let mut board = Board::new(tree.size(), rule);
    // The nodes from the root to the last one, and how many stones each has put on the board.
    let mut path: Vec<(NodeId, usize)> = Vec::new();
    let mut skipped: Option<NodeId> = None;
    for id in tree.preorder() {
        while path.last().is_some_and(|&(last, _)| tree.parent(id) != Some(last)) {
            let (last, stones) = path.pop().expect("invariant: the loop saw a last node");
            (0..stones).for_each(|_| board.undo());
            skipped = skipped.filter(|&skipped| skipped != last);
        }
        let mut stones = 0;
        if skipped.is_none() {
            match tree.step(id) {
                Some(Step::Stone(color, c)) if color == board.side_to_move() => {
                    board.play(c);
                    stones = 1;
                }
                None if tree.setup(id).is_none() => {}
                _ => skipped = Some(id),
            }
        }
        path.push((id, stones));
        if skipped.is_none() {
            entries.push((Position::of(&board), entry(tree, id, &board)));
        }
    }
    entries
}

/// Returns what a node says about the position on the board.
fn entry(tree: &GameTree, id: NodeId, board: &Board) -> Entry {
    let mut entry = Entry::default();
    let Some(notes) = tree.notes(id) else { return entry };
    let (comment, found) = match notes.comment.rsplit_once('\n') {
        Some((before, last)) if last.starts_with(SIGNATURE) => (before, Some(last)),
        None if notes.comment.starts_with(SIGNATURE) => ("", Some(notes.comment.as_str())),
        _ => (notes.comment.as_str(), None),
    };
    match found.map(|text| parse_search_line(text, board)) {
        Some(Some((evaluation, best))) => {
            entry.comment = comment.to_owned();
            (entry.evaluation, entry.best) = (evaluation, best);
        }
        // A person wrote that.
        _ => entry.comment = notes.comment.clone(),
    }
    entry.mark = notes.is_bookmark.then_some(BOOKMARK);
    for (c, text) in &notes.labels {
        let child = tree.child(id, Step::Stone(board.side_to_move(), *c));
        if child.is_none_or(|child| !is_tag(tree, child, board.rule(), text)) {
            entry.labels.insert(*c, text.clone());
        }
    }
    entry
}

/// Returns true if a search put the text on the cell of this node. Percentages depend on the scale
/// of the program that wrote them.
fn is_tag(tree: &GameTree, id: NodeId, rule: Rule, text: &str) -> bool {
    let last = tree.notes(id).and_then(|notes| notes.comment.lines().next_back());
    let empty = Board::new(tree.size(), Rule::Freestyle);
    let found = last.and_then(|line| parse_search_line(line, &empty));
    found.is_some_and(|(evaluation, best)| {
        let tag = Entry { evaluation, best, ..Entry::default() }.tag(rule);
        let is_percentage = |text: &str| text.parse::<u8>().is_ok();
        tag.is_some_and(|tag| tag == text || is_percentage(&tag) && is_percentage(text))
    })
}

/// Returns the line about a search; `None` if there was none.
fn search_line(entry: &Entry) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(Evaluation { score, bound, depth }) = entry.evaluation {
        let bound = match bound {
            Bound::Exact => "",
            Bound::Lower => "at least ",
            Bound::Upper => "at most ",
        };
        parts.push(match score.kind() {
            ScoreKind::Eval(value) => format!("score {bound}{value:+}"),
            ScoreKind::Win(plies) => format!("score {bound}win in {plies}"),
            ScoreKind::Loss(plies) => format!("score {bound}loss in {plies}"),
        });
        parts.push(format!("depth {depth}"));
    }
    parts.extend(entry.best.map(|best| format!("best {best}")));
    (!parts.is_empty()).then(|| format!("{SIGNATURE}{}", parts.join(", ")))
}

/// Returns what the line about a search of this position tells; `None` if it is none.
fn parse_search_line(line: &str, board: &Board) -> Option<(Option<Evaluation>, Option<Coord>)> {
    let mut parts = line.strip_prefix(SIGNATURE)?.split(", ").peekable();
    let mut evaluation = None;
    if let Some(text) = parts.peek().and_then(|part| part.strip_prefix("score ")) {
        parts.next();
        let bounds = [("at least ", Bound::Lower), ("at most ", Bound::Upper), ("", Bound::Exact)];
        let mut read = bounds
            .iter()
            .filter_map(|&(word, bound)| text.strip_prefix(word).map(|value| (value, bound)));
        let (value, bound) = read.next()?;
        let plies = |text: &str| text.parse().ok().filter(|plies| (0..500).contains(plies));
        let score = if let Some(text) = value.strip_prefix("win in ") {
            Score::win_in(plies(text)?)
        } else if let Some(text) = value.strip_prefix("loss in ") {
            Score::loss_in(plies(text)?)
        } else {
            Score::eval(value.parse().ok()?)
        };
        let depth = parts.next()?.strip_prefix("depth ")?.parse().ok()?;
        if !(0..=255).contains(&depth) {
            return None;
        }
        evaluation = Some(Evaluation { score, bound, depth });
    }
    let mut best = None;
    if let Some(text) = parts.next() {
        let points = parse_points(text.strip_prefix("best ")?, board.size()).ok()?;
        let &[c] = points.as_slice() else { return None };
        best = Some(c).filter(|&c| board.is_empty(c));
    }
    parts.next().is_none().then_some((evaluation, best))
}

/// Returns all positions of this rule and size as a tree, and the number of positions that no play
/// of black and white in turns leads to, or that have walls: those are left out. A position that
/// several lines lead to stands in one of them.
///
/// # Errors
///
/// If the database cannot be read.
pub fn tree(
    reader: &Reader,
    rule: Rule,
    size: BoardSize,
) -> Result<(GameTree, u64), DatabaseError> {
    let mut tree = GameTree::new(size);
    tree.rule = Some(rule);
    let mut builder = Builder {
        reader,
        editor: Editor::new(tree),
        board: Board::new(size, rule),
        seen: HashSet::new(),
    };
    builder.walk()?;
    // What is left begins in positions of which the database has not the ones before.
    let mut starts = Vec::new();
    let mut left_out = 0;
    reader.for_each(|content, _| {
        if content.rule == rule && content.size == size {
            match content.moves() {
                Some(moves) => starts.push(moves),
                None => left_out += 1,
            }
        }
        true
    })?;
    starts.sort_by_key(Vec::len);
    for moves in starts {
        builder.walk_from(&moves)?;
    }
    Ok((builder.editor.into_tree(), left_out))
}

/// Makes a tree of the database.
struct Builder<'a> {
    reader: &'a Reader<'a>,
    editor: Editor,
    /// The position at the editor's node.
    board: Board,
    /// The keys of the positions that stand in the tree.
    seen: HashSet<Vec<u8>>,
}

impl Builder<'_> {
    /// Adds the positions that a line leads to, if they are not there.
    fn walk_from(&mut self, moves: &[Coord]) -> Result<(), DatabaseError> {
        let mut board = Board::new(self.board.size(), self.board.rule());
        moves.iter().for_each(|&mv| board.play(mv));
        if self.seen.contains(Position::of(&board).key()) {
            return Ok(());
        }
        self.board = board;
        self.editor.go_to(self.editor.tree().root());
        for &c in moves {
            let step = Step::Stone(self.editor.to_move(), c);
            self.editor
                .follow(step)
                .expect("invariant: the stones of a position are on free cells");
        }
        self.walk()?;
        Ok(())
    }

    /// Adds what the database has about the current position and those behind it.
    fn walk(&mut self) -> Result<(), DatabaseError> {
        let position = Position::of(&self.board);
        self.seen.insert(position.key().to_vec());
        if let Some(entry) = self.reader.get(&position)? {
            self.note(&entry);
        }
        // The moves that are still to be followed, of each node from here to the last one.
        let mut path = vec![self.children()?.into_iter()];
        while let Some(children) = path.last_mut() {
            let Some((mv, entry)) = children.next() else {
                path.pop();
                if !path.is_empty() {
                    self.board.undo();
                    self.editor.leave();
                }
                continue;
            };
            let tag = entry.tag(self.board.rule());
            let has_label = |labels: &[(Coord, String)]| labels.iter().any(|(c, _)| *c == mv);
            if let Some(tag) = tag
                && !has_label(&self.editor.notes().labels)
            {
                self.editor.notes().labels.push((mv, tag));
            }
            let step = Step::Stone(self.board.side_to_move(), mv);
            self.editor.follow(step).expect("invariant: the cells of moves are free");
            self.board.play(mv);
            self.note(&entry);
            path.push(self.children()?.into_iter());
        }
        Ok(())
    }

    /// Returns the moves from here to positions that are not in the tree yet, which they are then.
    fn children(&mut self) -> Result<Vec<(Coord, Entry)>, DatabaseError> {
        let mut children = self.reader.children(&self.board)?;
        let (images, us) = (Images::of(&self.board), self.board.side_to_move());
        children.retain(|&(mv, _)| {
            self.seen.insert(images.position(!us, Some((mv, us))).key().to_vec())
        });
        Ok(children)
    }

    /// Writes to the current node what the database has about its position.
    fn note(&mut self, entry: &Entry) {
        let parts =
            [Some(entry.comment.clone()).filter(|text| !text.is_empty()), search_line(entry)];
        let notes = self.editor.notes();
        notes.comment = parts.into_iter().flatten().collect::<Vec<String>>().join("\n");
        notes.is_bookmark = entry.mark == Some(BOOKMARK);
        notes.labels.extend(entry.labels.iter().map(|(&c, text)| (c, text.clone())));
    }
}
