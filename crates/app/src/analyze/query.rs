//! From games to queries: the positions that are analysed.

use std::sync::Arc;

use tengen_gomoku::record::Record;
use tengen_gomoku::record::tree::NodeId;

use crate::input::SourceGame;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The one after the last move.
    Last,
    /// The one after this many moves, or after the last of a shorter game.
    After(usize),
    /// All, from the first to the last.
    Every,
    /// All, those of variations as well.
    Variations,
}

impl Selection {
    pub fn of_game(self, game: &Arc<SourceGame>) -> impl Iterator<Item = Query> {
        let nodes: Vec<NodeId> = match self {
            Selection::Last => game.main_line.last().copied().into_iter().collect(),
            Selection::After(moves) => game.after(moves).into_iter().collect(),
            Selection::Every => game.main_line.clone(),
            Selection::Variations => game.tree.preorder().collect(),
        };
        let is_single = nodes.len() == 1;
        let nodes = nodes.into_iter().filter(move |&node| is_single || game.tree.is_position(node));
        nodes.map(|node| Query { game: Arc::clone(game), node })
    }
}

#[derive(Clone)]
pub(super) struct Query {
    pub game: Arc<SourceGame>,
    pub node: NodeId,
}

impl Query {
    pub fn record(&self) -> Record {
        self.game.tree.record(self.node)
    }

    pub fn is_variation(&self) -> bool {
        // Parents have smaller numbers than their children.
        self.game.main_line.binary_search(&self.node).is_err()
    }
}
