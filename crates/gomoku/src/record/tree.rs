//! A game tree: positions with their variations, comments, labels and marks.
//!
//! Independent of file formats: readers build a tree with an [`Editor`], writers walk over it.
//! Nodes stand in one list and name each other by number, so that no depth needs recursion.
//! Invariant: on the way from the root to any node each stone comes on a free cell of the board.

use std::collections::BTreeMap;
use std::iter::successors;
use std::mem;
use std::num::NonZeroU32;
use std::time::Duration;

use super::{Outcome, ParseErrorKind, Record, Stone};
use crate::types::{BoardSize, CELLS, Color, Coord, Rule};

/// A node of the tree that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    const ROOT: NodeId = NodeId(NonZeroU32::MIN);

    /// Returns the number of the node: 0 for the root, and always below [`GameTree::len`].
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    fn from_index(index: usize) -> NodeId {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        NodeId(number.expect("invariant: a tree has fewer than 2^32 nodes"))
    }
}

/// What a node does to the position of its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A stone of this colour is played.
    Stone(Color, Coord),
    /// This colour passes.
    Pass(Color),
}

/// A sign on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A circle.
    Circle,
    /// A cross.
    Cross,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// The cell is selected.
    Selected,
}

/// What an annotator thinks of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Very good.
    VeryGood,
    /// Good.
    Good,
    /// Interesting.
    Interesting,
    /// Doubtful.
    Doubtful,
    /// Bad.
    Bad,
    /// Very bad.
    VeryBad,
}

/// What a node says about its position or its move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The comment; its lines end with `\n`. Empty if there is none.
    pub comment: String,
    /// Short texts on cells.
    pub labels: Vec<(Coord, String)>,
    /// Signs on cells.
    pub marks: Vec<(Coord, Mark)>,
    /// What is thought of the move.
    pub quality: Option<Quality>,
    /// True if the node is worth finding again: RenLib's mark, SGF's hotspot.
    pub is_bookmark: bool,
    /// SGF properties that mean nothing here, by their names, with values as they stand between the
    /// brackets, escapes included.
    pub properties: Vec<(String, Vec<String>)>,
    /// Texts above, and lines of the comment, whose bytes in a library were not those that would be
    /// written.
    pub raw: Vec<RawText>,
}

/// A text of a library and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawText {
    /// The cell that it stands on; `None` for the comment or a line of it.
    pub cell: Option<Coord>,
    /// The text as it was read.
    pub text: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Notes {
    /// Returns true if nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Notes::default()
    }
}

/// Stones that stand or vanish without being played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The cells in order, and whose stone each gets; `None` clears it.
    pub cells: Vec<(Coord, Option<Color>)>,
    /// Who moves next, if that is told.
    pub to_move: Option<Color>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    step: Option<Step>,
    parent: Option<NodeId>,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
    notes: Option<Box<Notes>>,
}

/// A game with its variations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTree {
    size: BoardSize,
    /// By their numbers; a parent always comes before its children.
    nodes: Vec<Node>,
    /// Of the few nodes that have one.
    setups: BTreeMap<NodeId, Setup>,
    /// The rule, where the file names it.
    pub rule: Option<Rule>,
    /// The players' names, black's first; empty if unknown.
    pub players: [String; 2],
    /// The result of the main line that the file names or is to name.
    pub outcome: Option<Outcome>,
}

impl GameTree {
    /// Returns a tree of a root without stones.
    pub fn new(size: BoardSize) -> GameTree {
        let mut tree = GameTree {
            size,
            nodes: Vec::new(),
            setups: BTreeMap::new(),
            rule: None,
            players: [const { String::new() }; 2],
            outcome: None,
        };
        tree.push(None, None);
        tree
    }

    /// Returns the size of the board.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns the number of nodes, which is 1 at least.
    #[expect(clippy::len_without_is_empty, reason = "a tree has a root")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the root.
    pub fn root(&self) -> NodeId {
        NodeId::ROOT
    }

    /// Returns the node that this one follows; the root follows none.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent
    }

    /// Returns the nodes that follow this one, that of the main line first.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        successors(self.node(id).first_child, |&child| self.node(child).next_sibling)
    }

    /// Returns the next child of the same parent.
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).next_sibling
    }

    /// Returns the child that makes this step, the first of several.
    pub fn child(&self, id: NodeId, step: Step) -> Option<NodeId> {
        self.children(id).find(|&child| self.step(child) == Some(step))
    }

    /// Returns the move or pass of a node; `None` for the root and for nodes that only set stones
    /// up or say something.
    pub fn step(&self, id: NodeId) -> Option<Step> {
        self.node(id).step
    }

    /// Returns true if the position of this node is not that of its parent.
    pub fn is_position(&self, id: NodeId) -> bool {
        id == self.root() || self.step(id).is_some() || self.setup(id).is_some()
    }

    /// Returns the stones that a node sets up, if it does.
    pub fn setup(&self, id: NodeId) -> Option<&Setup> {
        self.setups.get(&id)
    }

    /// Returns what a node says, if anything.
    pub fn notes(&self, id: NodeId) -> Option<&Notes> {
        self.node(id).notes.as_deref()
    }

    /// Returns what a node says, to be changed.
    pub fn notes_mut(&mut self, id: NodeId) -> &mut Notes {
        self.nodes[id.index()].notes.get_or_insert_default()
    }

    /// Returns all nodes, each one before its children and these in their order.
    pub fn preorder(&self) -> impl Iterator<Item = NodeId> {
        successors(Some(self.root()), |&id| {
            let up = successors(Some(id), |&id| self.parent(id));
            self.node(id)
                .first_child
                .or_else(|| up.into_iter().find_map(|id| self.next_sibling(id)))
        })
    }

    /// Returns the nodes from the root to the end of the main line, which is always the first
    /// child.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> {
        successors(Some(self.root()), |&id| self.node(id).first_child)
    }

    /// Returns the nodes from the root to this one, both included.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = successors(Some(id), |&id| self.parent(id)).collect();
        path.reverse();
        path
    }

    /// Returns the game up to a node. The result of the game is that of the main line's end.
    pub fn record(&self, id: NodeId) -> Record {
        let is_end = self.node(id).first_child.is_none() && self.main_line().any(|end| end == id);
        let mut record = Record {
            rule: self.rule,
            players: self.players.clone(),
            outcome: self.outcome.filter(|_| is_end),
            ..Record::new(self.size)
        };
        let mut turn_is_told = false;
        for id in self.path(id) {
            match self.step(id) {
                Some(Step::Stone(color, c)) => record
                    .place(Stone { c, color, time: Duration::ZERO })
                    .expect("invariant: each stone comes on a free cell"),
                Some(Step::Pass(color)) => record.to_move = !color,
                None => {}
            }
            let Some(setup) = self.setup(id) else { continue };
            for &(c, color) in &setup.cells {
                match color {
                    Some(color) => {
                        record.set_up(c, color).expect("invariant: each stone comes on a free cell")
                    }
                    None => record.clear(c),
                }
            }
            turn_is_told |= setup.to_move.is_some();
            match setup.to_move {
                Some(color) => record.to_move = color,
                None if !turn_is_told => record.turn_by_count(),
                None => {}
            }
        }
        record
    }

    /// Sets the rule, whatever the file says.
    pub fn override_rule(&mut self, rule: Rule) {
        self.rule = Some(rule);
        for node in &mut self.nodes {
            if let Some(notes) = &mut node.notes {
                notes.properties.retain(|(name, _)| name != "RU");
            }
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Adds a last child.
    fn push(&mut self, parent: Option<NodeId>, step: Option<Step>) -> NodeId {
        let id = NodeId::from_index(self.nodes.len());
        self.nodes.push(Node {
            step,
            parent,
            first_child: None,
            last_child: None,
            next_sibling: None,
            notes: None,
        });
        if let Some(parent) = parent {
            match self.nodes[parent.index()].last_child.replace(id) {
                Some(elder) => self.nodes[elder.index()].next_sibling = Some(id),
                None => self.nodes[parent.index()].first_child = Some(id),
            }
        }
        id
    }
}

impl From<&Record> for GameTree {
    /// Returns the game as a tree without variations; the times of its moves are left out.
    fn from(record: &Record) -> GameTree {
        let mut tree = GameTree::new(record.size());
        tree.rule = record.rule;
        tree.players = record.players.clone();
        tree.outcome = record.outcome;
        let first = record.moves().first().map_or(record.to_move(), |stone| stone.color);
        let setup = &record.stones()[..record.stones().len() - record.moves().len()];
        // Otherwise black begins.
        if !setup.is_empty() || first == Color::White {
            let cells = setup.iter().map(|stone| (stone.c, Some(stone.color))).collect();
            tree.setups.insert(NodeId::ROOT, Setup { cells, to_move: Some(first) });
        }
        let mut at = tree.root();
        for stone in record.moves() {
            at = tree.push(Some(at), Some(Step::Stone(stone.color, stone.c)));
        }
        // Only a pass can leave the move to the one who moved last.
        if record.moves().last().is_some_and(|stone| stone.color == record.to_move()) {
            tree.push(Some(at), Some(Step::Pass(!record.to_move())));
        }
        tree
    }
}

/// The stones at a node on the way from the root, with what is needed to go back up.
#[derive(Clone, Debug)]
struct Position {
    /// By the padded index of the cell.
    stones: Vec<Option<Color>>,
    /// The number of each colour's stones.
    counts: [usize; 2],
    to_move: Color,
    turn_is_told: bool,
    /// Cells that changed, and what was there before.
    changes: Vec<(Coord, Option<Color>)>,
}

impl Position {
    /// Returns the position without stones.
    fn new() -> Position {
        Position {
            stones: vec![None; CELLS],
            counts: [0; 2],
            to_move: Color::Black,
            turn_is_told: false,
            changes: Vec::new(),
        }
    }

    fn set(&mut self, c: Coord, color: Option<Color>) {
        let before = self.replace(c, color);
        self.changes.push((c, before));
    }

    /// Takes back all but so many changes.
    fn undo(&mut self, changes: usize) {
        while self.changes.len() > changes {
            let Some((c, before)) = self.changes.pop() else { break };
            self.replace(c, before);
        }
    }

    fn replace(&mut self, c: Coord, color: Option<Color>) -> Option<Color> {
        let before = mem::replace(&mut self.stones[c.index()], color);
        before.iter().for_each(|&color| self.counts[color] -= 1);
        color.iter().for_each(|&color| self.counts[color] += 1);
        before
    }

    fn turn_by_count(&mut self) {
        let is_due = self.counts[Color::Black] <= self.counts[Color::White];
        self.to_move = if is_due { Color::Black } else { Color::White };
    }
}

/// A node on the way from the root, and how things stood before it.
#[derive(Clone, Debug)]
struct Frame {
    id: NodeId,
    changes: usize,
    to_move: Color,
    turn_is_told: bool,
}

/// Builds a tree, or goes through it and adds to it, from node to node.
#[derive(Clone, Debug)]
pub struct Editor {
    tree: GameTree,
    position: Position,
    /// The nodes behind the root up to the current one.
    frames: Vec<Frame>,
}

impl Editor {
    /// Returns an editor at the root of the tree.
    pub fn new(tree: GameTree) -> Editor {
        let mut editor = Editor { tree, position: Position::new(), frames: Vec::new() };
        editor.apply(NodeId::ROOT);
        editor
    }

    /// Returns the tree.
    pub fn tree(&self) -> &GameTree {
        &self.tree
    }

    /// Returns the tree, to change what its nodes and it itself say.
    pub fn tree_mut(&mut self) -> &mut GameTree {
        &mut self.tree
    }

    /// Returns the finished tree.
    pub fn into_tree(self) -> GameTree {
        self.tree
    }

    /// Returns the current node.
    pub fn at(&self) -> NodeId {
        self.frames.last().map_or(NodeId::ROOT, |frame| frame.id)
    }

    /// Returns who moves next at the current node.
    pub fn to_move(&self) -> Color {
        self.position.to_move
    }

    /// Returns whose stone stands on the cell at the current node.
    pub fn stone(&self, c: Coord) -> Option<Color> {
        self.position.stones[c.index()]
    }

    /// Returns what the current node says, to be changed.
    pub fn notes(&mut self) -> &mut Notes {
        self.tree.notes_mut(self.at())
    }

    /// Adds a child that makes the step, behind all others, and goes there; without a step it only
    /// says something or sets stones up.
    ///
    /// # Errors
    ///
    /// If the cell is off the board or taken.
    pub fn add(&mut self, step: Option<Step>) -> Result<NodeId, ParseErrorKind> {
        if let Some(Step::Stone(_, c)) = step {
            self.check(c)?;
        }
        let id = self.tree.push(Some(self.at()), step);
        self.enter(id);
        Ok(id)
    }

    /// Goes to the child that makes the step, and adds it if there is none.
    ///
    /// # Errors
    ///
    /// If the cell is off the board or taken.
    pub fn follow(&mut self, step: Step) -> Result<NodeId, ParseErrorKind> {
        match self.tree.child(self.at(), step) {
            Some(id) => {
                self.enter(id);
                Ok(id)
            }
            None => self.add(Some(step)),
        }
    }

    /// Sets a stone up at the current node, or clears the cell. Unless the turn is told, the side
    /// moves that is due by the numbers of stones.
    ///
    /// # Errors
    ///
    /// If the cell is off the board, or taken and to get a stone.
    ///
    /// # Panics
    ///
    /// If the current node has children.
    pub fn set_up(&mut self, c: Coord, color: Option<Color>) -> Result<(), ParseErrorKind> {
        match color {
            Some(_) => self.check(c)?,
            None if self.is_off_board(c) => return Err(ParseErrorKind::OffBoard(c)),
            None => {}
        }
        self.setup().cells.push((c, color));
        self.position.set(c, color);
        if !self.position.turn_is_told {
            self.position.turn_by_count();
        }
        Ok(())
    }

    /// Tells at the current node who moves next.
    ///
    /// # Panics
    ///
    /// If the current node has children.
    pub fn set_to_move(&mut self, color: Color) {
        self.setup().to_move = Some(color);
        self.position.to_move = color;
        self.position.turn_is_told = true;
    }

    /// Takes back all that the current node sets up, the turn included.
    ///
    /// # Panics
    ///
    /// If the current node has children.
    pub fn clear_setup(&mut self) {
        self.setup();
        let at = self.at();
        self.tree.setups.remove(&at);
        match self.frames.last() {
            Some(_) => {
                self.leave();
                self.enter(at);
            }
            None => self.position = Position::new(),
        }
    }

    /// Goes back to the parent; returns false at the root.
    pub fn leave(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        self.position.undo(frame.changes);
        self.position.to_move = frame.to_move;
        self.position.turn_is_told = frame.turn_is_told;
        true
    }

    /// Goes to any node of the tree.
    pub fn go_to(&mut self, id: NodeId) {
        let path = self.tree.path(id);
        let behind_root = &path[1..];
        let ours = self.frames.iter().map(|frame| frame.id);
        let common = ours.zip(behind_root).take_while(|(a, b)| a == *b).count();
        while self.frames.len() > common {
            self.leave();
        }
        behind_root[common..].iter().for_each(|&id| self.enter(id));
    }

    fn setup(&mut self) -> &mut Setup {
        let at = self.at();
        assert!(
            self.tree.node(at).first_child.is_none(),
            "stones are set up before children are added"
        );
        self.tree.setups.entry(at).or_default()
    }

    fn enter(&mut self, id: NodeId) {
        self.frames.push(Frame {
            id,
            changes: self.position.changes.len(),
            to_move: self.position.to_move,
            turn_is_told: self.position.turn_is_told,
        });
        self.apply(id);
    }

    /// Puts the stones of a node on the board.
    fn apply(&mut self, id: NodeId) {
        let position = &mut self.position;
        match self.tree.step(id) {
            Some(Step::Stone(color, c)) => {
                position.set(c, Some(color));
                position.to_move = !color;
            }
            Some(Step::Pass(color)) => position.to_move = !color,
            None => {}
        }
        let Some(setup) = self.tree.setups.get(&id) else { return };
        setup.cells.iter().for_each(|&(c, color)| position.set(c, color));
        position.turn_is_told |= setup.to_move.is_some();
        match setup.to_move {
            Some(color) => position.to_move = color,
            None if !position.turn_is_told => position.turn_by_count(),
            None => {}
        }
    }

    fn is_off_board(&self, c: Coord) -> bool {
        self.tree.size.coord(c.x(), c.y()).is_none()
    }

    fn check(&self, c: Coord) -> Result<(), ParseErrorKind> {
        match self.stone(c) {
            _ if self.is_off_board(c) => Err(ParseErrorKind::OffBoard(c)),
            Some(_) => Err(ParseErrorKind::Taken(c)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let tree = editor.tree();
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
        editor.tree_mut().outcome = Some(Outcome::Drawn);
        let tree = editor.tree();
        let pos = |id| tree.record(id).to_pos().unwrap();
        assert_eq!([pos(c), pos(d), pos(e)], ["h8i9h10", "h8h9", "h8h9i9"]);
        assert_eq!((tree.record(c).outcome, tree.record(e).outcome), (tree.outcome, None));
        assert_eq!(GameTree::from(&tree.record(c)).record(c), tree.record(c));
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
        assert_eq!(editor.tree().len(), 6);
        // A variation does not keep cells from another one.
        editor.go_to(a);
        assert_eq!((editor.stone(h8), editor.stone(Coord::new(8, 8))), (Some(Black), None));
        editor.go_to(editor.tree().root());
        assert_eq!((editor.stone(h8), editor.leave()), (None, false));
        editor.add(Some(stone(Black, 8, 8))).unwrap();
    }

    #[test]
    fn steps_that_are_there_are_followed() {
        let (mut editor, [a, b, ..]) = small_tree();
        editor.go_to(editor.tree().root());
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
        assert_eq!(editor.tree().record(node).stones().len(), 1);
        assert_eq!(editor.tree().record(node).to_move(), White);
        editor.leave();
        assert_eq!(
            (editor.stone(a), editor.stone(b), editor.to_move()),
            (Some(Black), None, White)
        );
        assert_eq!(editor.tree().record(editor.at()).to_pos().as_deref(), Some("a1"));
    }
}
