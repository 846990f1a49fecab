//! A game tree: positions with their variations, comments, labels and marks.
//!
//! Nodes stand in one list and name each other by number, so that no depth needs recursion.
//! Invariant: on the path from the root to any node each stone comes on a free cell of the board.

mod editor;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::iter::successors;
use std::num::NonZeroU32;
use std::time::Duration;

pub use editor::Editor;
use editor::Stones;

use serde::{Deserialize, Serialize};

use super::{Outcome, ParseErrorKind, Record, Stone, psq};
use crate::types::{BoardSize, Color, Coord, Rows, Rule};

/// In files, the name of an empty node that stands before the variations after the last move of the
/// main line.
pub(super) const END_NAME: &str = "end";

/// Returns the property of SGF that gives a node this name.
pub(super) fn end_name() -> (String, Vec<String>) {
    ("N".to_owned(), vec![END_NAME.to_owned()])
}

/// A node of the tree that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    const ROOT: NodeId = NodeId(NonZeroU32::MIN);

    /// Returns the number of the node, below [`GameTree::len`] and 0 for the root.
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What a node does to the position of its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Stone(Color, Coord),
    Pass(Color),
}

/// Stones that stand or vanish without being played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The cells in order, and the stone that each gets; `None` clears it.
    pub cells: Vec<(Coord, Option<Color>)>,
    /// Who moves next, if the node names the side.
    pub to_move: Option<Color>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    Circle,
    Cross,
    Square,
    Triangle,
    Selected,
}

/// How good a move is: !!, !, !?, ?!, ?, ??.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quality {
    VeryGood,
    Good,
    Interesting,
    Doubtful,
    Bad,
    VeryBad,
}

/// What a node says about its position or its move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The comment, with `\n` between its lines.
    pub comment: String,
    pub labels: Vec<(Coord, String)>,
    pub marks: Vec<(Coord, Mark)>,
    pub quality: Option<Quality>,
    /// RenLib's mark, SGF's hotspot.
    pub is_bookmark: bool,
    /// SGF properties without a meaning here: names, and values with their escapes.
    pub properties: Vec<(String, Vec<String>)>,
    /// Labels, the comment and lines of it whose bytes in a library were no plain UTF-8.
    pub raw: Vec<RawText>,
}

/// A text of a library with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawText {
    /// The cell of a label.
    pub cell: Option<Coord>,
    pub text: String,
    pub bytes: Vec<u8>,
}

impl Notes {
    pub fn is_empty(&self) -> bool {
        *self == Notes::default()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Node {
    step: Option<Step>,
    parent: Option<NodeId>,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
    notes: Option<Box<Notes>>,
}

/// A game with its variations.
///
/// ```
/// use tengen_gomoku::record::tree::{Editor, GameTree, Step};
/// use tengen_gomoku::types::{BoardSize, Color, Coord};
///
/// let mut editor = Editor::new(GameTree::new(BoardSize::new(15, 15).unwrap()));
/// let first = editor.follow(Step::Stone(Color::Black, Coord::new(7, 7)))?;
/// editor.follow(Step::Stone(Color::White, Coord::new(8, 8)))?;
/// editor.go_to(first);
/// editor.follow(Step::Stone(Color::White, Coord::new(7, 8)))?;
/// editor.notes().comment = "A direct opening.".to_owned();
/// assert_eq!(editor.tree.children(first).count(), 2);
/// assert_eq!(editor.tree.record(editor.at()).to_pos().as_deref(), Some("h8h9"));
/// # Ok::<(), tengen_gomoku::record::ParseErrorKind>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTree {
    size: BoardSize,
    /// The side from which rows are counted.
    pub rows: Rows,
    /// By their numbers; a parent always comes before its children.
    nodes: Vec<Node>,
    setups: BTreeMap<NodeId, Setup>,
    /// Where the main line ends although variations go on.
    main_end: Option<NodeId>,
    /// How long the players thought, where that is known.
    times: BTreeMap<NodeId, Duration>,
    pub rule: Option<Rule>,
    /// The players' names, black's first; empty if unknown.
    pub players: [String; 2],
    /// The result of the main line, where it is known.
    pub outcome: Option<Outcome>,
    /// The code for the result in a .psq: it may say that the game is over and not who won.
    pub(super) psq_code: Option<i32>,
}

impl GameTree {
    pub fn new(size: BoardSize) -> GameTree {
        GameTree {
            size,
            rows: Rows::default(),
            nodes: vec![Node::default()],
            setups: BTreeMap::new(),
            main_end: None,
            times: BTreeMap::new(),
            rule: None,
            players: Default::default(),
            outcome: None,
            psq_code: None,
        }
    }

    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns the number of nodes that there ever were, 1 at least.
    #[expect(clippy::len_without_is_empty, reason = "a tree has a root")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn root(&self) -> NodeId {
        NodeId::ROOT
    }

    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent
    }

    /// Returns the nodes that follow this one, that of the main line first.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        successors(self.node(id).first_child, |&child| self.node(child).next_sibling)
    }

    /// Returns the first child that makes this step.
    pub fn child(&self, id: NodeId, step: Step) -> Option<NodeId> {
        self.children(id).find(|&child| self.step(child) == Some(step))
    }

    /// Returns the move or pass of a node; `None` if it only sets stones up or has notes.
    pub fn step(&self, id: NodeId) -> Option<Step> {
        self.node(id).step
    }

    /// Returns true if the position of this node is not that of its parent.
    pub fn is_position(&self, id: NodeId) -> bool {
        id == self.root() || self.step(id).is_some() || self.setup(id).is_some()
    }

    pub fn setup(&self, id: NodeId) -> Option<&Setup> {
        self.setups.get(&id)
    }

    pub fn notes(&self, id: NodeId) -> Option<&Notes> {
        self.node(id).notes.as_deref()
    }

    pub fn notes_mut(&mut self, id: NodeId) -> &mut Notes {
        self.nodes[id.index()].notes.get_or_insert_default()
    }

    /// Returns all nodes, each one before its children.
    pub fn preorder(&self) -> impl Iterator<Item = NodeId> {
        successors(Some(self.root()), |&id| {
            let up = successors(Some(id), |&id| self.parent(id));
            let first = self.node(id).first_child;
            first.or_else(|| up.into_iter().find_map(|id| self.node(id).next_sibling))
        })
    }

    /// Returns how many nodes a node and all that follows it are.
    pub fn subtree_len(&self, id: NodeId) -> usize {
        let mut open = vec![id];
        successors(open.pop(), |&id| {
            open.extend(self.children(id));
            open.pop()
        })
        .count()
    }

    /// Returns the first child of a node, unless the main line ends there.
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).first_child.filter(|_| self.main_end != Some(id))
    }

    pub fn main_line(&self) -> impl Iterator<Item = NodeId> {
        successors(Some(self.root()), |&id| self.next(id))
    }

    pub fn end(&self) -> NodeId {
        self.main_line().last().unwrap_or(NodeId::ROOT)
    }

    /// Ends the main line at a node of it: all that follows are variations.
    pub fn end_main_line(&mut self, id: NodeId) {
        self.main_end = self.node(id).first_child.map(|_| id);
    }

    /// Returns true if the main line ends at this node although it has children. Files then have an
    /// empty node named [`END_NAME`] before these.
    pub(super) fn has_end_mark(&self, id: NodeId) -> bool {
        self.main_end == Some(id) && self.node(id).first_child.is_some()
    }

    /// Removes such a node, read from a file, and ends the main line before it.
    pub(super) fn take_end_mark(&mut self) {
        let last = self.end();
        let name = Notes { properties: vec![end_name()], ..Notes::default() };
        if let Some(parent) = self.parent(last)
            && self.children(parent).count() > 1
            && !self.is_position(last)
            && self.notes(last) == Some(&name)
        {
            self.remove(last);
            self.end_main_line(parent);
        }
    }

    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = successors(Some(id), |&id| self.parent(id)).collect();
        path.reverse();
        path
    }

    /// Returns the position of a node with the way to it.
    pub fn record(&self, id: NodeId) -> Record {
        let mut record = Record::new(self.size);
        let mut stones = Stones::new(self.size);
        for id in self.path(id) {
            stones.apply(self, id);
            if let Some(Step::Stone(color, c)) = self.step(id) {
                record.stones.push(Stone { c, color, time: self.time(id) });
            }
            for &(c, color) in self.setup(id).iter().flat_map(|setup| &setup.cells) {
                record.stones.retain(|stone| stone.c != c);
                let stone = color.map(|color| Stone { c, color, time: Duration::ZERO });
                record.stones.extend(stone);
                record.setup = record.stones.len();
            }
        }
        record.to_move = stones.turn.color;
        record
    }

    /// Returns how long the player of a node's move thought, or zero.
    pub fn time(&self, id: NodeId) -> Duration {
        self.times.get(&id).copied().unwrap_or_default()
    }

    /// Notes how long the player of a node's move thought.
    pub fn set_time(&mut self, id: NodeId, time: Duration) {
        if !time.is_zero() {
            self.times.insert(id, time);
        }
    }

    /// Takes a node that is not the root out of the tree, with all that follows it.
    pub fn remove(&mut self, id: NodeId) {
        self.set_siblings(id, |siblings, place| _ = siblings.remove(place));
    }

    /// Makes the way to a node the beginning of the main line.
    pub fn promote(&mut self, id: NodeId) {
        if self.main_line().all(|node| node != id) {
            self.main_end = None;
        }
        for id in self.path(id) {
            self.set_siblings(id, |siblings, place| siblings[..=place].rotate_right(1));
        }
    }

    /// Returns the node of this number, unless it or one on the way to it was removed.
    pub fn node_at(&self, index: usize) -> Option<NodeId> {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        let id = number.map(NodeId).filter(|_| index < self.len())?;
        let has_child = |pair: &[NodeId]| self.children(pair[0]).any(|child| child == pair[1]);
        self.path(id).windows(2).all(has_child).then_some(id)
    }

    /// Plays a stone after a node, and returns the child that this makes or that has it already; an
    /// error if the cell is off the board or taken.
    pub fn play(&mut self, id: NodeId, color: Color, c: Coord) -> Result<NodeId, ParseErrorKind> {
        let step = Step::Stone(color, c);
        if let Some(child) = self.child(id, step) {
            return Ok(child);
        }
        let mut stones = Stones::new(self.size);
        self.path(id).into_iter().for_each(|id| stones.apply(self, id));
        stones.check(c, Some(color))?;
        Ok(self.push(id, Some(step)))
    }

    fn set_siblings(&mut self, id: NodeId, change: impl FnOnce(&mut Vec<NodeId>, usize)) {
        let Some(parent) = self.parent(id) else { return };
        let mut siblings: Vec<NodeId> = self.children(parent).collect();
        let Some(place) = siblings.iter().position(|&sibling| sibling == id) else { return };
        change(&mut siblings, place);
        let parent = &mut self.nodes[parent.index()];
        (parent.first_child, parent.last_child) =
            (siblings.first().copied(), siblings.last().copied());
        for (i, sibling) in siblings.iter().enumerate() {
            self.nodes[sibling.index()].next_sibling = siblings.get(i + 1).copied();
        }
    }

    /// Returns the tree with rows counted from this side.
    pub fn counted_from(&self, rows: Rows) -> Cow<'_, GameTree> {
        if rows == self.rows {
            return Cow::Borrowed(self);
        }
        let mut tree = self.clone();
        let flip = |c: &mut Coord| *c = self.size.flipped(*c);
        for node in &mut tree.nodes {
            if let Some(Step::Stone(_, c)) = &mut node.step {
                flip(c);
            }
            if let Some(notes) = &mut node.notes {
                notes.labels.iter_mut().for_each(|(c, _)| flip(c));
                notes.marks.iter_mut().for_each(|(c, _)| flip(c));
                notes.raw.iter_mut().filter_map(|raw| raw.cell.as_mut()).for_each(flip);
            }
        }
        tree.setups.values_mut().flat_map(|setup| &mut setup.cells).for_each(|(c, _)| flip(c));
        tree.rows = rows;
        Cow::Owned(tree)
    }

    pub fn clear_outcome(&mut self) {
        (self.outcome, self.psq_code) = (None, None);
        self.remove_property("RE");
    }

    /// Sets the result of a game that a player resigned, or lost on time.
    pub fn set_loser(&mut self, loser: Color, is_on_time: bool) {
        self.clear_outcome();
        self.outcome = Some(Outcome::Won(!loser));
        self.psq_code = is_on_time.then_some(psq::TIME_UP);
        let winner = if loser == Color::Black { "W" } else { "B" };
        let result = format!("{winner}+{}", if is_on_time { "T" } else { "R" });
        let root = self.root();
        self.notes_mut(root).properties.push(("RE".to_owned(), vec![result]));
    }

    /// Sets the rule, whatever the file names.
    pub fn override_rule(&mut self, rule: Rule) {
        if self.rule.replace(rule) != Some(rule) {
            self.remove_property("RU");
        }
    }

    fn remove_property(&mut self, removed: &str) {
        for notes in self.nodes.iter_mut().filter_map(|node| node.notes.as_mut()) {
            notes.properties.retain(|(name, _)| name != removed);
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    fn push(&mut self, parent: NodeId, step: Option<Step>) -> NodeId {
        let number = u32::try_from(self.nodes.len() + 1).ok().and_then(NonZeroU32::new);
        let id = NodeId(number.expect("invariant: a tree has fewer than 2^32 nodes"));
        self.nodes.push(Node { step, parent: Some(parent), ..Node::default() });
        match self.nodes[parent.index()].last_child.replace(id) {
            Some(elder) => self.nodes[elder.index()].next_sibling = Some(id),
            None => self.nodes[parent.index()].first_child = Some(id),
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ParseErrorKind;

    fn stone(color: Color, x: u8, y: u8) -> Step {
        Step::Stone(color, Coord::new(x, y))
    }

    fn editor() -> Editor {
        Editor::new(GameTree::new(BoardSize::new(15, 15).expect("a size from 5 to 22")))
    }

    /// A main line of three moves with a variation of its second one.
    fn small_tree() -> (Editor, [NodeId; 5]) {
        use Color::{Black, White};
        let mut editor = editor();
        let a = editor.add(Some(stone(Black, 7, 7))).unwrap();
        let b = editor.add(Some(stone(White, 8, 8))).unwrap();
        let c = editor.add(Some(stone(Black, 7, 9))).unwrap();
        editor.go_to(a);
        let d = editor.add(Some(stone(White, 7, 8))).unwrap();
        let e = editor.add(Some(stone(Black, 8, 8))).unwrap();
        (editor, [a, b, c, d, e])
    }

    #[test]
    fn nodes_come_in_order() {
        let (editor, [a, b, c, d, e]) = small_tree();
        let tree = &editor.tree;
        let root = tree.root();
        assert_eq!(tree.preorder().collect::<Vec<_>>(), [root, a, b, c, d, e]);
        assert_eq!(tree.main_line().collect::<Vec<_>>(), [root, a, b, c]);
        assert_eq!(tree.children(a).collect::<Vec<_>>(), [b, d]);
        assert_eq!(tree.path(e), [root, a, d, e]);
        assert_eq!((tree.parent(d), tree.parent(root), tree.len()), (Some(a), None, 6));
    }

    #[test]
    fn records_are_those_of_the_way_to_a_node() {
        let (mut editor, [_, _, c, d, e]) = small_tree();
        editor.tree.outcome = Some(Outcome::Drawn);
        let tree = &editor.tree;
        let pos = |id| tree.record(id).to_pos().unwrap();
        assert_eq!([pos(c), pos(d), pos(e)], ["h8i9h10", "h8h9", "h8h9i9"]);
    }

    #[test]
    fn stones_come_on_free_cells_of_the_board() {
        use Color::{Black, White};
        let (mut editor, [a, ..]) = small_tree();
        let h8 = Coord::new(7, 7);
        assert_eq!(editor.add(Some(stone(White, 7, 7))), Err(ParseErrorKind::Taken(h8)));
        let off = Coord::new(15, 0);
        assert_eq!(editor.add(Some(stone(White, 15, 0))), Err(ParseErrorKind::OffBoard(off)));
        assert_eq!(editor.set_up(off, None), Err(ParseErrorKind::OffBoard(off)));
        assert_eq!(editor.tree.len(), 6);
        // A variation does not keep cells from another one.
        editor.go_to(a);
        assert_eq!((editor.stone(h8), editor.stone(Coord::new(8, 8))), (Some(Black), None));
        editor.go_to(editor.tree.root());
        assert_eq!((editor.stone(h8), editor.leave()), (None, false));
        editor.add(Some(stone(Black, 8, 8))).unwrap();
    }

    #[test]
    fn variations_are_moved_and_removed() {
        let (editor, [a, b, c, d, e]) = small_tree();
        let mut tree = editor.tree;
        let root = tree.root();
        tree.promote(e);
        assert_eq!(tree.preorder().collect::<Vec<_>>(), [root, a, d, e, b, c]);
        tree.remove(d);
        assert_eq!(tree.preorder().collect::<Vec<_>>(), [root, a, b, c]);
        assert_eq!([b, d, e].map(|id| tree.node_at(id.index())), [Some(b), None, None]);
        assert_eq!((tree.node_at(0), tree.node_at(6)), (Some(root), None));
        tree.remove(a);
        assert_eq!((tree.end(), tree.children(root).count()), (root, 0));
        let fresh = tree.play(root, Color::White, Coord::new(7, 7)).unwrap();
        assert_eq!(tree.preorder().collect::<Vec<_>>(), [root, fresh]);
        assert_eq!(tree.play(root, Color::White, Coord::new(7, 7)), Ok(fresh));
        let taken = tree.play(fresh, Color::Black, Coord::new(7, 7));
        assert_eq!(taken, Err(ParseErrorKind::Taken(Coord::new(7, 7))));
    }

    #[test]
    fn steps_that_are_there_are_followed() {
        let (mut editor, [a, b, ..]) = small_tree();
        editor.go_to(editor.tree.root());
        assert_eq!(editor.follow(stone(Color::Black, 7, 7)), Ok(a));
        assert_eq!(editor.follow(stone(Color::White, 8, 8)), Ok(b));
        let fresh = editor.follow(Step::Pass(Color::Black)).unwrap();
        assert_eq!((fresh.index(), editor.to_move()), (6, Color::White));
    }

    #[test]
    fn set_up_stones_come_and_go() {
        use Color::{Black, White};
        let mut editor = editor();
        let [a, b] = [Coord::new(0, 0), Coord::new(1, 0)];
        editor.set_up(a, Some(Black)).unwrap();
        assert_eq!(editor.to_move(), White);
        let node = editor.add(None).unwrap();
        editor.set_up(a, None).unwrap();
        editor.set_up(b, Some(White)).unwrap();
        assert_eq!(
            (editor.stone(a), editor.stone(b), editor.to_move()),
            (None, Some(White), Black)
        );
        editor.set_to_move(White);
        assert_eq!(editor.tree.record(node).stones().len(), 1);
        assert_eq!(editor.tree.record(node).to_move(), White);
        editor.leave();
        assert_eq!(
            (editor.stone(a), editor.stone(b), editor.to_move()),
            (Some(Black), None, White)
        );
        assert_eq!(editor.tree.record(editor.at()).to_pos().as_deref(), Some("a1"));
    }
}
