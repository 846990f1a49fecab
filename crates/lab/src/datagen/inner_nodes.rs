//! Positions from inside the search tree, with what the transposition table holds of them.
//!
//! They are what an evaluation really meets, and cost nothing: TreeStrap learns from them (Veness,
//! Silver, Uther and Blair, "Bootstrapping from Game Tree Search", 2009).

use std::collections::HashSet;

use tengen::board::Board;
use tengen::board::zobrist::Key;
use tengen::search::{Searcher, TableEntry};
use tengen::shape::Threat;
use tengen::types::{Coord, Random};

/// The least depth of a node's search, in plies. Nodes of depth 3 double the number of positions,
/// but the network trained on them is weaker (log of experiments).
pub const DEPTH_MIN: i32 = 4;
/// Moves from the root, at most.
const LINE_MAX: usize = 16;

pub struct InnerNode {
    pub line: Vec<Coord>,
    pub key: u64,
    /// What the table holds, its move on a free cell.
    pub entry: TableEntry,
}

/// Follows a random line from the root as long as the table knows its positions deep enough, and
/// returns one of them that is not in `seen`. Each move is the table move with probability 1/2,
/// otherwise any move after which the table knows enough.
pub fn sample(
    searcher: &Searcher,
    board: &mut Board,
    random: &mut Random,
    seen: &HashSet<u64>,
) -> Option<InnerNode> {
    let mut line = Vec::new();
    let mut found = Vec::new();
    while line.len() < LINE_MAX {
        let Some(mv) = next_move(searcher, board, random) else { break };
        board.play(mv);
        line.push(mv);
        let key = board.key();
        // Proven variations go on to the five, before which nothing is evaluated.
        let wins_at_once = board.count(board.side_to_move(), Threat::Five) > 0;
        let is_new = !wins_at_once && !seen.contains(&key.bits());
        if let Some(entry) = deep_entry(searcher, key).filter(|_| is_new) {
            let mv = entry.mv.filter(|&mv| board.is_empty(mv));
            found.push((line.len(), key.bits(), TableEntry { mv, ..entry }));
        }
    }
    line.iter().for_each(|_| board.undo());
    if found.is_empty() {
        return None;
    }
    let (len, key, entry) = found.swap_remove(random.below(found.len()));
    line.truncate(len);
    Some(InnerNode { line, key, entry })
}

/// Returns a move after which the table knows enough.
fn next_move(searcher: &Searcher, board: &Board, random: &mut Random) -> Option<Coord> {
    let is_known = |&mv: &Coord| deep_entry(searcher, board.key_after(mv)).is_some();
    let cells: Vec<Coord> = board.candidates().into_iter().filter(is_known).collect();
    let best = searcher.probe(board.key()).and_then(|entry| entry.mv);
    match best.filter(|mv| cells.contains(mv)) {
        Some(mv) if random.below(2) == 0 => Some(mv),
        _ => cells.get(random.below(cells.len().max(1))).copied(),
    }
}

/// Returns what the table knows of a position that was searched deep enough.
fn deep_entry(searcher: &Searcher, key: Key) -> Option<TableEntry> {
    searcher.probe(key).filter(|entry| entry.depth >= DEPTH_MIN)
}
