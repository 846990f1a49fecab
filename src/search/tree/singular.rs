//! The singular search: a node's table move is extended where no other move is as good, and the
//! node is cut where several are good enough.

use super::node::Node;
use super::{Stopped, Worker};
use crate::search::params::{Depth, PLY};
use crate::types::{Bound, Coord, Score, Window};

/// What the singular search of a node says.
pub(super) enum Singular {
    /// The change of the table move's depth; below 0 it is a negative extension.
    Extend(Depth),
    /// The node reaches beta.
    MultiCut(Score),
}

impl Worker<'_> {
    /// Singular extension (Anantharaman, Campbell and Hsu, 1988, in Stockfish's form): a shallower
    /// search without the table move, here called singular search. If all other moves stay below
    /// the table's score by a margin, the table move is the only good one and is searched deeper.
    pub(super) fn singular_extension<const PV: bool>(
        &mut self,
        node: &Node,
        mv: Coord,
    ) -> Result<Singular, Stopped> {
        let Some(entry) = node.entry else { return Ok(Singular::Extend(0)) };
        let tt_score = entry.score_at(node.ply);
        let is_candidate = !node.is_root()
            && !node.is_forced
            && node.depth >= self.params.singular_min_depth
            && entry.bound != Bound::Upper
            && entry.depth >= node.depth - self.params.singular_slack
            && !tt_score.is_decisive();
        if !is_candidate {
            return Ok(Singular::Extend(0));
        }
        let threshold = tt_score.shift(-self.params.singular_margin * node.depth / PLY);
        let test = node.without(mv, (node.depth - PLY) / 2, Window::null_below(threshold));
        let score = self.negamax::<false>(test)?;
        Ok(if score < threshold {
            let is_clear = !PV && score < threshold.shift(-self.params.double_base);
            Singular::Extend(match is_clear {
                true => self.params.double_extension,
                false => self.params.singular_extension,
            })
        } else if threshold >= node.window.beta {
            // Multi-cut (Björnsson and Marsland, 1998): beta is reached without the table move too.
            Singular::MultiCut(threshold)
        } else if tt_score >= node.window.beta {
            // Negative extension: the others are nearly as good, so that one of them may do.
            Singular::Extend(-self.params.negative_extension)
        } else {
            Singular::Extend(0)
        })
    }
}
