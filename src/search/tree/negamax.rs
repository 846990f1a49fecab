//! The recursive search: principal variation search with the threats of the board as its guide.
//!
//! Knows one thread's state only. Every technique is a helper or a few lines under one comment;
//! the numbers are in `params`. `static_result` judges a node by its threats, `pruning` by the window;
//! `learning` is what nodes know from each other.
//! Never allocates or logs, and looks at the clock and the other threads only as often as
//! [`Shared::allowance`] says.

use arrayvec::ArrayVec;

use super::history::MoveKind;
use super::node::Node;
use super::picker::{self, Context, Moves, Pick, Picker};
use super::pruning::Singular;
use super::static_result::StaticResult;
use super::{MAX_PLY, Stopped, Worker};
use crate::search::params::{Depth, LateMove, PLY};
#[cfg(doc)]
use crate::search::pool::Shared;
use crate::search::report::Progress;
use crate::shape::Threat;
use crate::types::{Bound, CellSet, Coord, Score, Window};

impl Worker<'_> {
    /// Returns the score of the root for the side to move, searched `depth` deep; only `root_moves`
    /// are searched.
    pub fn search_root(&mut self, depth: Depth, window: Window) -> Result<Score, Stopped> {
        self.negamax::<true>(Node::new(0, depth, window, false))
    }

    /// Returns the score of a node for the side to move; beyond the window it is a bound (fail
    /// soft).
    pub(super) fn negamax<const PV: bool>(&mut self, mut node: Node) -> Result<Score, Stopped> {
        let (ply, is_root) = (node.ply, node.is_root());
        self.frames[ply].pv_len = 0;
        self.selective_depth = self.selective_depth.max(ply);
        if is_root {
            self.root_effort = [0, 0];
        } else {
            if self.board.empty_count() == 0 {
                return Ok(Score::DRAW);
            }
            // Mate distance: a shorter win is known already, or even the quickest loss is better.
            node.window.alpha = node.window.alpha.max(Score::loss_in(ply as i32 + 2));
            node.window.beta = node.window.beta.min(Score::win_in(ply as i32 + 1));
            if node.window.is_empty() {
                return Ok(node.window.alpha);
            }
            if ply + 1 >= MAX_PLY {
                return Ok(self.evaluator.evaluate(&self.board));
            }
        }

        let listed = self.listed_moves(ply);
        let result = match listed {
            Some(moves) => self.listed_result(moves, ply),
            None => self.static_result(ply),
        };
        let forced = match result {
            StaticResult::Decided(score) => return Ok(score),
            StaticResult::Forced(answers) => Some(answers),
            StaticResult::Open => None,
        };
        node.is_forced = forced.is_some();
        if node.is_forced && !is_root {
            // Forced reply extension: answering a four costs next to no depth.
            node.depth += self.params.forced_reply_extension;
        }

        // Transposition table.
        if node.excluded.is_none() {
            node.entry = self.shared.table.probe(self.board.key());
        }
        if let Some(entry) = node.entry {
            let score = entry.score_at(ply);
            let is_deep_enough = self.is_deep_enough(entry, node.depth);
            if !PV && is_deep_enough && is_cutoff(entry.bound, score, node.window) {
                return Ok(score);
            }
        }
        if node.depth <= 0 && !node.is_forced {
            return Ok(match listed {
                Some(_) => self.static_score(),
                None => self.leaf(&node),
            });
        }

        // Static evaluation, corrected by what searches said.
        if !node.is_forced {
            let raw_eval = self.own_eval(node.entry);
            node.raw_eval = Some(raw_eval);
            node.static_eval = Some(raw_eval + self.correction());
        }
        self.frames[ply].static_eval = node.static_eval;
        let before = ply.checked_sub(2).and_then(|ply| self.frames[ply].static_eval);
        node.is_improving = node.static_eval.zip(before).is_none_or(|(now, before)| now > before);
        if !PV && node.excluded.is_none() && listed.is_none() {
            if let Some(score) = self.prune_node(&node) {
                return Ok(score);
            }
        }

        // Internal iterative reduction: without a table move the order is a guess, and a
        // shallower search will put one into the table.
        let hint = if is_root { self.root_view.hint } else { None };
        let tt_move = node.entry.and_then(|e| e.mv).filter(|&mv| self.board.is_empty(mv));
        let tt_move = hint.or(tt_move);
        if tt_move.is_none()
            && !node.is_forced
            && (PV || node.cut_node)
            && node.depth >= self.params.internal_min_depth
        {
            node.depth -= PLY;
        }

        let us = self.board.side_to_move();
        let mut moves = match (listed, forced) {
            (Some(moves), _) => moves,
            (None, Some(answers)) => Moves { cells: answers, reserve: CellSet::EMPTY },
            (None, None) => picker::moves(&self.board),
        };
        if let Some(mv) = node.excluded {
            moves.cells.remove(mv);
        }
        // Near the leaves moves without any threat are not worth a search, nor a place in the order.
        let skips_trivial =
            !is_root && !node.is_forced && node.depth < self.params.trivial_max_depth;
        let mut picker = Picker::new(moves.cells, tt_move, skips_trivial);
        let mut best: Option<(Score, Coord)> = None;
        let mut alpha = node.window.alpha;
        let mut count = 0;
        let mut top_order = None;
        let mut tried: ArrayVec<(Coord, MoveKind), 64> = ArrayVec::new();

        loop {
            let Some(Pick { mv, score: order }) = self.next_move(&mut picker, ply) else {
                let all_lose = best.is_none_or(|(score, _)| score.is_loss());
                if !all_lose || moves.reserve.is_empty() || node.excluded.is_some() {
                    break;
                }
                picker = Picker::new(moves.reserve, tt_move, false);
                moves.reserve = CellSet::EMPTY;
                continue;
            };
            let own = self.board.threat(mv, us);
            let other = self.board.threat(mv, !us);
            if own == Threat::Forbidden && self.board.is_forbidden(mv) {
                continue;
            }
            count += 1;
            if let Some(upcoming) = picker.upcoming() {
                self.shared.table.prefetch(self.board.key_after(upcoming));
            }
            top_order = top_order.or(order);

            // Move count pruning: late moves of a quiet node hardly ever change the verdict.
            let can_skip =
                !is_root && !node.is_forced && best.is_some_and(|(score, _)| !score.is_loss());
            let is_trivial = own.max(other) == Threat::None;
            if can_skip {
                if count > self.params.late_move_count(node.depth, node.is_improving) {
                    break;
                }
                if skips_trivial && is_trivial {
                    break;
                }
            }

            let mut next_depth = node.depth - PLY;
            if tt_move == Some(mv) {
                match self.singular_extension::<PV>(&node, mv)? {
                    Singular::Extend(extension) => next_depth += extension,
                    Singular::MultiCut(score) => return Ok(score),
                }
            }
            let kind = picker::kind_of(own);
            let reduction = if count > 1 && node.depth >= 2 * PLY && !node.is_forced {
                let late = LateMove {
                    depth: node.depth,
                    count,
                    gap: top_order.zip(order).map_or(0, |(top, order)| top - order),
                    merit: self.history.merit(us, kind, mv),
                    is_pv: PV,
                    is_cut: node.cut_node,
                    is_improving: node.is_improving,
                    is_trivial,
                };
                self.params.reduction(&late).clamp(0, next_depth.max(0))
            } else {
                0
            };
            let nodes_before = self.nodes;
            let known = match PV && count == 1 || is_root {
                true => None,
                false => self.known_failure(mv, own, next_depth - reduction, ply, alpha),
            };
            let score = match known {
                Some(score) => score,
                None => {
                    if is_root {
                        self.tell(Progress::Entering(mv));
                    }
                    self.play(mv)?;
                    let window = Window::new(alpha, node.window.beta);
                    let result = if count == 1 {
                        let child = node.child(next_depth, window, !PV && !node.cut_node);
                        self.negamax::<PV>(child).map(|score| -score)
                    } else {
                        self.search_late::<PV>(&node, next_depth, reduction, window)
                    };
                    self.undo();
                    result?
                }
            };

            if is_root && count == 1 || score > alpha {
                self.note_pv(ply, mv);
                if is_root {
                    self.root_effort[0] = self.nodes - nodes_before;
                }
                if is_root && self.thread == 0 && !self.root_view.is_secondary {
                    self.shared.control.publish(mv);
                }
            }
            if is_root {
                self.root_effort[1] += self.nodes - nodes_before;
                self.tell(Progress::Leaving { mv, loses: score.is_loss() });
            }
            if best.is_none_or(|(old, _)| score > old) {
                best = Some((score, mv));
            }
            alpha = alpha.max(score);
            if alpha >= node.window.beta {
                self.note_cutoff(&node, mv, kind, &tried);
                break;
            }
            if !tried.is_full() {
                tried.push((mv, kind));
            }
        }

        let Some((score, mv)) = best else {
            // Nothing was left to play: in singular tests all but the table move are worse;
            // otherwise every answer is forbidden, or no answer exists at all.
            return Ok(match node.excluded {
                Some(_) => node.window.alpha,
                None => self.no_move_score(&node),
            });
        };
        if node.excluded.is_none() && !(is_root && self.root_view.is_partial) {
            let bound = node.window.bound(score);
            self.note_error(&node, score, bound);
            let mv = if bound == Bound::Upper { tt_move } else { Some(mv) };
            self.store(&node, mv, score, bound);
        }
        Ok(score)
    }

    /// Returns the score, searched `depth` deep, of playing these moves, which are legal and no
    /// fives; at least one of them if `ply` is 0.
    pub fn search_line(
        &mut self,
        moves: &[Coord],
        depth: Depth,
        ply: usize,
        window: Window,
    ) -> Result<Score, Stopped> {
        let Some((&mv, rest)) = moves.split_first() else {
            return self.negamax::<true>(Node::new(ply, depth, window, false));
        };
        self.play(mv)?;
        let result = self.search_line(rest, depth - PLY, ply + 1, -window);
        self.undo();
        Ok(-result?)
    }

    /// Returns the move of a node to search next.
    #[inline]
    fn next_move(&self, picker: &mut Picker, ply: usize) -> Option<Pick> {
        let context = Context {
            tables: self.evaluator.tables(),
            history: self.history,
            ply,
            last: self.last_moves(),
            history_shift: self.params.history_order_shift,
        };
        picker.next(&self.board, &context)
    }

    /// Late move reduction and principal variation search. Ordering puts good moves first, so
    /// later ones are only asked whether they beat alpha, shallower at first, and searched in
    /// full if they surprise.
    fn search_late<const PV: bool>(
        &mut self,
        node: &Node,
        depth: Depth,
        reduction: Depth,
        window: Window,
    ) -> Result<Score, Stopped> {
        let null = Window::null_at(window.alpha);
        let mut score = -self.negamax::<false>(node.child(depth - reduction, null, true))?;
        if score > window.alpha && reduction > 0 {
            score = -self.negamax::<false>(node.child(depth, null, false))?;
        }
        if PV && score > window.alpha && score < window.beta {
            score = -self.negamax::<true>(node.child(depth, window, false))?;
        }
        Ok(score)
    }

    /// Plays a move in the tree.
    fn play(&mut self, mv: Coord) -> Result<(), Stopped> {
        if self.nodes >= self.next_check {
            self.count_nodes();
            if self.shared.must_stop() {
                return Err(Stopped);
            }
            self.next_check = self.nodes + self.shared.allowance();
        }
        self.nodes += 1;
        self.board.play_with(mv, &mut self.evaluator);
        Ok(())
    }

    fn undo(&mut self) {
        self.board.undo_with(&mut self.evaluator);
    }
}

/// Returns true if a table score settles a question asked with `window`.
fn is_cutoff(bound: Bound, score: Score, window: Window) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
    }
}
