//! An editor of game trees: a current node with its stones, where nodes are added.

use std::mem;

use super::{GameTree, NodeId, Notes, Setup, Step};
use crate::record::ParseErrorKind;
use crate::types::{BoardSize, CELLS, Color, Coord};

#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub color: Color,
    /// A node named the side, so that the numbers of stones say nothing.
    is_set: bool,
}

/// The stones at the current node, with what is needed to go back up.
#[derive(Clone, Debug)]
pub(super) struct Stones {
    size: BoardSize,
    /// By the padded index of the cell.
    cells: Vec<Option<Color>>,
    counts: [usize; 2],
    pub turn: Turn,
    /// Cells that changed, with what was there before.
    changes: Vec<(Coord, Option<Color>)>,
}

impl Stones {
    pub fn new(size: BoardSize) -> Stones {
        let turn = Turn { color: Color::Black, is_set: false };
        Stones { size, cells: vec![None; CELLS], counts: [0; 2], turn, changes: Vec::new() }
    }

    /// Makes the step of a node and sets up its stones.
    pub fn apply(&mut self, tree: &GameTree, id: NodeId) {
        if let Some(Step::Stone(color, c)) = tree.step(id) {
            self.set(c, Some(color));
        }
        if let Some(Step::Stone(color, _) | Step::Pass(color)) = tree.step(id) {
            self.turn.color = !color;
        }
        let Some(setup) = tree.setup(id) else { return };
        setup.cells.iter().for_each(|&(c, color)| self.set(c, color));
        match setup.to_move {
            Some(color) => self.turn = Turn { color, is_set: true },
            None => self.turn_by_count(),
        }
    }

    fn set(&mut self, c: Coord, color: Option<Color>) {
        let before = self.replace(c, color);
        self.changes.push((c, before));
    }

    fn replace(&mut self, c: Coord, color: Option<Color>) -> Option<Color> {
        let before = mem::replace(&mut self.cells[c.index()], color);
        before.iter().for_each(|&color| self.counts[color] -= 1);
        color.iter().for_each(|&color| self.counts[color] += 1);
        before
    }

    /// Fails if the cell is off the board, or taken where a stone is to be put.
    pub fn check(&self, c: Coord, stone: Option<Color>) -> Result<(), ParseErrorKind> {
        if self.size.coord(c.x(), c.y()).is_none() {
            return Err(ParseErrorKind::OffBoard(c));
        }
        match stone.and(self.cells[c.index()]) {
            Some(_) => Err(ParseErrorKind::Taken(c)),
            None => Ok(()),
        }
    }

    /// Makes it the move of white if black has more stones, else of black, unless it was set.
    fn turn_by_count(&mut self) {
        if !self.turn.is_set {
            let is_due = self.counts[Color::Black] <= self.counts[Color::White];
            self.turn.color = if is_due { Color::Black } else { Color::White };
        }
    }
}

/// A node on the path from the root, and how things stood before it.
#[derive(Clone, Debug)]
struct PathNode {
    id: NodeId,
    changes: usize,
    turn: Turn,
}

/// A tree with a current node, at which nodes are added.
#[derive(Clone, Debug)]
pub struct Editor {
    /// The tree, whose properties and notes may be changed at any time.
    pub tree: GameTree,
    stones: Stones,
    /// The nodes after the root up to the current one.
    path: Vec<PathNode>,
}

impl Editor {
    pub fn new(tree: GameTree) -> Editor {
        let stones = Stones::new(tree.size);
        let mut editor = Editor { tree, stones, path: Vec::new() };
        editor.stones.apply(&editor.tree, NodeId::ROOT);
        editor
    }

    pub fn at(&self) -> NodeId {
        self.path.last().map_or(NodeId::ROOT, |node| node.id)
    }

    pub fn to_move(&self) -> Color {
        self.stones.turn.color
    }

    pub fn stone(&self, c: Coord) -> Option<Color> {
        self.stones.cells[c.index()]
    }

    pub fn notes(&mut self) -> &mut Notes {
        self.tree.notes_mut(self.at())
    }

    /// Adds a last child and goes there; an error if its cell is off the board or taken. Without a
    /// step it is for notes or stones to set up.
    pub fn add(&mut self, step: Option<Step>) -> Result<NodeId, ParseErrorKind> {
        if let Some(Step::Stone(color, c)) = step {
            self.stones.check(c, Some(color))?;
        }
        let id = self.tree.push(self.at(), step);
        self.enter(id);
        Ok(id)
    }

    /// [Adds](Editor::add) a stone of the side to move.
    pub fn play(&mut self, c: Coord) -> Result<(), ParseErrorKind> {
        self.add(Some(Step::Stone(self.to_move(), c))).map(drop)
    }

    /// Goes to the child that makes the step, and [adds](Editor::add) it if there is none.
    pub fn follow(&mut self, step: Step) -> Result<NodeId, ParseErrorKind> {
        let Some(id) = self.tree.child(self.at(), step) else { return self.add(Some(step)) };
        self.enter(id);
        Ok(id)
    }

    /// Sets a stone up at the current node, or clears the cell. Unless the side to move is
    /// [set](Editor::set_to_move), it follows from the numbers of stones. An error if the cell is off
    /// the board, or taken and to get a stone. Panics if the current node has children.
    pub fn set_up(&mut self, c: Coord, color: Option<Color>) -> Result<(), ParseErrorKind> {
        self.stones.check(c, color)?;
        self.setup().cells.push((c, color));
        self.stones.set(c, color);
        self.stones.turn_by_count();
        Ok(())
    }

    /// Sets the side to move at the current node. Panics if it has children.
    pub fn set_to_move(&mut self, color: Color) {
        self.setup().to_move = Some(color);
        self.stones.turn = Turn { color, is_set: true };
    }

    /// Takes back all that the current node sets up, the side to move included.
    pub(in crate::record) fn clear_setup(&mut self) {
        self.setup();
        let at = self.at();
        self.tree.setups.remove(&at);
        if self.leave() {
            self.enter(at);
        } else {
            self.stones = Stones::new(self.tree.size);
        }
    }

    /// Goes back to the parent; returns false at the root.
    pub fn leave(&mut self) -> bool {
        let Some(node) = self.path.pop() else { return false };
        for (c, before) in self.stones.changes.split_off(node.changes).into_iter().rev() {
            self.stones.replace(c, before);
        }
        self.stones.turn = node.turn;
        true
    }

    pub fn go_to(&mut self, id: NodeId) {
        let path = self.tree.path(id);
        let below_root = &path[1..];
        let common = self.path.iter().zip(below_root).take_while(|(a, b)| a.id == **b).count();
        while self.path.len() > common {
            self.leave();
        }
        below_root[common..].iter().for_each(|&id| self.enter(id));
    }

    fn setup(&mut self) -> &mut Setup {
        let at = self.at();
        let has_child = self.tree.node(at).first_child.is_some();
        assert!(!has_child, "stones are set up before children are added");
        self.tree.setups.entry(at).or_default()
    }

    fn enter(&mut self, id: NodeId) {
        let (changes, turn) = (self.stones.changes.len(), self.stones.turn);
        self.path.push(PathNode { id, changes, turn });
        self.stones.apply(&self.tree, id);
    }
}
