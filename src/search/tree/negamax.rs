//! The recursive search: principal variation search in negamax form, guided by the threats on the
//! board. Techniques have the names of the Chess Programming Wiki (www.chessprogramming.org). The
//! search never allocates or logs.
//!
//! Two techniques of chess engines are missing. Null move pruning (Donninger, 1993): against a
//! threat a pass loses at once, and reverse futility pruning cuts quiet nodes above beta. In
//! matches null move pruning showed no gain (docs/experiments.md). Quiescence search: a
//! VCF search takes its place at the leaves, after the test of the threats on the board.

use arrayvec::ArrayVec;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord, CoordSet};

use super::history::HistoryMove;
use super::movegen::{self, Moves};
use super::movepick::{Picker, ScoredMove};
use super::node::{Node, table_adjusted};
use super::terminal::StaticResult;
use super::{MAX_PLY, Stopped, Worker};
use crate::eval::overline_worth;
use crate::score::{Bound, Score, Window};
use crate::search::params::{Depth, PLY, ln_1024};
use crate::search::report::Progress;
use crate::search::threat::vcf::Solution;

/// Most moves whose history scores a cutoff lowers.
const TRIED_MAX: usize = 64;
/// Later moves are reduced more if the cutoff count of the node's children exceeds this.
const USUAL_CUTOFFS: u32 = 3;

enum Singular {
    // Negative for a negative extension.
    Extend(Depth),
    MultiCut(Score),
}

impl Worker<'_> {
    /// Searches the position after these moves from `ply` on: legal ones, no fives.
    pub fn search_after(
        &mut self,
        ply: usize,
        moves: &[Coord],
        depth: Depth,
        window: Window,
    ) -> Result<Score, Stopped> {
        let Some((&mv, rest)) = moves.split_first() else {
            return self.negamax::<true>(Node::new(ply, depth, window, false));
        };
        self.play(mv)?;
        let result = self.search_after(ply + 1, rest, depth - PLY, -window);
        self.undo();
        Ok(-result?)
    }

    /// Returns the score of a node; outside of the window a bound (fail-soft).
    fn negamax<const PV: bool>(&mut self, mut node: Node) -> Result<Score, Stopped> {
        let (ply, is_root) = (node.ply, node.is_root());
        self.stack[ply].pv.clear();
        self.selective_depth = self.selective_depth.max(ply);
        if is_root {
            (self.best_move_nodes, self.root_nodes) = (0, 0);
        } else {
            if let Some(score) = self.draw_rule.terminal_score(&self.board, ply) {
                return Ok(score);
            }
            // Mate distance pruning: the side to move needs one ply for a five, the opponent two.
            // If either has as short a win elsewhere, the node cannot matter. A loss before that (no
            // legal move, or a draw that counts for the opponent) is below this alpha, too.
            node.window.alpha = node.window.alpha.max(Score::loss_in(ply as i32 + 2));
            node.window.beta = node.window.beta.min(Score::win_in(ply as i32 + 1));
            if node.window.is_empty() {
                return Ok(node.window.alpha);
            }
            if ply + 1 >= MAX_PLY {
                return Ok(self.raw_score());
            }
        }

        // The moves of the root (as UCI's `searchmoves`), or of a node from which a blocked move can
        // be reached.
        let restricted =
            if is_root { Some(self.root_moves) } else { self.shared.blocked.moves(&self.board) };
        // Win or loss by the threats on the board, or a four that must be answered.
        let result = match restricted {
            Some(moves) => self.restricted_result(moves, ply),
            None => self.static_result(ply),
        };
        let forced = match result {
            StaticResult::Decided(score) => {
                return Ok(self.draw_rule.before_draw(&self.board, score, ply));
            }
            StaticResult::Forced(answers) => Some(answers),
            StaticResult::Open => None,
        };
        node.is_forced = forced.is_some();
        // Forced reply extension ("one reply extension").
        if node.is_forced && !is_root {
            node.depth += self.params().forced_reply_extension;
        }

        // Transposition table (Greenblatt, 1967), but not for a singular search: the entry is of
        // all moves.
        if node.excluded_move.is_none() {
            node.entry = self.shared.table.probe(self.board.key());
        }
        if let Some(score) = self.table_cutoff::<PV>(&node) {
            return Ok(score);
        }

        // Horizon: VCF or static evaluation. Forced nodes are searched on.
        if node.depth <= 0 && !node.is_forced {
            return Ok(match restricted {
                Some(_) => self.raw_score(),
                None => self.leaf(&node),
            });
        }

        // Static evaluation with correction history. Improving: better than at our last turn, so
        // that the node is pruned less below alpha and more above beta.
        if !node.is_forced {
            let raw_eval = self.raw_eval(node.entry);
            node.raw_eval = Some(raw_eval);
            node.static_eval = Some(raw_eval + self.correction());
        }
        self.stack[ply].static_eval = node.static_eval;
        self.stack[ply + 1].cutoffs = 0;
        let before = ply.checked_sub(2).and_then(|ply| self.stack[ply].static_eval);
        node.is_improving = node.static_eval.zip(before).is_none_or(|(now, before)| now > before);

        if !PV
            && node.excluded_move.is_none()
            && restricted.is_none()
            && let Some(score) = self.prune_node(&node)
        {
            return Ok(score);
        }

        let pv_move = if is_root { self.root_context.pv_move } else { None };
        let tt_move = node.entry.and_then(|e| e.mv).filter(|&mv| self.board.is_empty(mv));
        let first_move = pv_move.or(tt_move);
        node.depth -= self.internal_reduction::<PV>(&node, first_move.is_some());

        // Move generation. Near the leaves moves that neither make nor stop a threat come last.
        let us = self.board.side_to_move();
        let mut moves = match (restricted, forced) {
            (Some(moves), _) => moves,
            (None, Some(answers)) => Moves::of(answers),
            (None, None) => movegen::moves(&self.board),
        };
        if let Some(mv) = node.excluded_move {
            moves.cells.remove(mv);
            moves.deferred.remove(mv);
        }
        // But not where black's overline cells decide who runs out of legal moves.
        let is_shallow = node.depth <= self.params().threatless_max_depth;
        let prunes_threatless =
            is_shallow && !is_root && !node.is_forced && overline_worth(&self.board) == 0;
        let mut picker = Picker::new(moves.cells, first_move, prunes_threatless);
        let mut best: Option<(Score, Coord)> = None;
        let window = node.window;
        let mut move_count = 0;
        let mut top_order = None;
        let mut tried: ArrayVec<HistoryMove, TRIED_MAX> = ArrayVec::new();

        loop {
            // Pruning, once a move is known that does not lose. Late move pruning (move count based
            // pruning): late moves rarely change the result. Threatless moves (Rapfi's trivial
            // moves) rarely do near the leaves.
            let can_prune =
                !is_root && !node.is_forced && best.is_some_and(|(score, _)| !score.is_loss());
            if can_prune {
                let is_late =
                    move_count >= self.params().late_move_count(node.depth, node.is_improving);
                if is_late || prunes_threatless && picker.has_only_threatless() {
                    break;
                }
            }

            // Deferred moves only if all others lose.
            let Some(ScoredMove { mv, score: order }) = picker.next(self, &node) else {
                let all_lose = best.is_none_or(|(score, _)| score.is_loss());
                // A refuted root move loses no later than the longest of their refutations.
                let (refuted, longest_loss) = self.refuted_moves;
                let is_longer = is_root
                    && !refuted.is_empty()
                    && best.is_some_and(|(score, _)| score >= longest_loss);
                if !all_lose || is_longer || moves.deferred.is_empty() {
                    break;
                }
                picker = Picker::new(moves.deferred, first_move, prunes_threatless);
                moves.deferred = CoordSet::EMPTY;
                continue;
            };
            let threat = self.board.threat(mv, us);
            if threat == Threat::Forbidden && self.board.is_forbidden(mv) {
                continue;
            }
            let current = HistoryMove::new(mv, threat);
            move_count += 1;
            if let Some(upcoming) = picker.upcoming() {
                self.shared.table.prefetch(self.board.key_after(upcoming));
            }

            // Singular extension and multi-cut.
            let mut next_depth = node.depth - PLY;
            if move_count == 1 && first_move == Some(mv) {
                let singular = self.singular_extension::<PV>(&node, mv)?;
                // The singular search has overwritten the PV of this ply.
                self.stack[ply].pv.clear();
                match singular {
                    Singular::Extend(extension) => next_depth += extension,
                    Singular::MultiCut(score) => return Ok(score),
                }
            }

            top_order = top_order.or(order);
            let is_reducible = node.depth >= self.params().reduction_min_depth && !node.is_forced;
            let reduction = if move_count > 1 && is_reducible {
                let gap = top_order.zip(order).map_or(0, |(top, order)| top - order);
                let reduction = self.late_move_reduction::<PV>(&node, current, move_count, gap);
                reduction.clamp(0, next_depth.max(0))
            } else {
                0
            };

            // Enhanced transposition cutoff, or a search of the child.
            let nodes_before = self.nodes;
            let known = if is_root || PV && move_count == 1 {
                None
            } else {
                let null = Window::null_at(node.window.alpha);
                let child = node.child(next_depth - reduction, null, true);
                self.enhanced_transposition_cutoff(mv, threat, &child)
            };
            let score = match known {
                Some(score) => score,
                None => {
                    if is_root {
                        self.notify(Progress::Entering(mv));
                    }
                    self.play(mv)?;
                    let result = if move_count == 1 {
                        let child = node.child(next_depth, node.window, !PV && !node.cut_node);
                        self.negamax::<PV>(child).map(|score| -score)
                    } else {
                        self.search_later_move::<PV>(&node, mv, next_depth, reduction)
                    };
                    self.undo();
                    result?
                }
            };

            // Principal variation.
            if is_root && move_count == 1 || score > node.window.alpha {
                if is_root {
                    self.best_move_nodes = self.nodes - nodes_before;
                    self.set_root_move(mv);
                } else {
                    self.update_pv(ply, mv);
                }
            }
            if is_root {
                self.root_nodes += self.nodes - nodes_before;
                self.notify(Progress::Leaving { mv, loses: score.is_loss() });
            }

            // Beta cutoff.
            if best.is_none_or(|(old, _)| score > old) {
                best = Some((score, mv));
            }
            node.window.alpha = node.window.alpha.max(score);
            if node.window.is_empty() {
                // The answer to a four was forced and says nothing about the order.
                if !node.is_forced {
                    self.update_histories(&node, current, &tried);
                }
                self.stack[ply].cutoffs += 1;
                break;
            }
            if !tried.is_full() {
                tried.push(current);
            }
        }

        // No move: a singular search without another move fails low; elsewhere all answers are
        // forbidden or there is none.
        let Some((score, mv)) = best else {
            return Ok(match node.excluded_move {
                Some(_) => node.window.alpha,
                None => self.no_move_score(&node),
            });
        };
        // The result is stored if it is that of all moves. The best of moves that all fail low says
        // nothing about the best move, unless all lose: then it is the longest defence found.
        if node.excluded_move.is_none() && !(is_root && self.root_context.is_partial) {
            let bound = window.bound(score);
            self.update_correction(&node, score, bound);
            let is_known = bound != Bound::Upper || score.is_loss();
            let mv = if is_known { Some(mv) } else { first_move };
            self.store(&node, mv, score, bound);
        }
        Ok(score)
    }

    fn leaf(&mut self, node: &Node) -> Score {
        let raw_eval = self.raw_eval(node.entry);
        let static_eval = node.static_eval.unwrap_or_else(|| raw_eval + self.correction());
        let eval = Score::eval(static_eval);
        let us = self.board.side_to_move();
        let (mut score, mut best) = (eval, None);
        let can_make_four = self.board.can_make_four(us);
        if eval < node.window.beta
            && can_make_four
            && let Solution::Win { mv, plies } = self.solve_vcf(self.params().leaf_vcf_nodes)
        {
            (score, best) = (Score::win_in(node.ply as i32 + plies), Some(mv));
        }
        // A deeper entry of the same position stays.
        if node.entry.is_none_or(|entry| entry.depth <= 0) || score.is_win() {
            // Fours that were not searched may win; a search cut short counts as none.
            let is_lower = score.is_win() || can_make_four && eval >= node.window.beta;
            let bound = if is_lower { Bound::Lower } else { Bound::Exact };
            let leaf = Node { depth: 0, raw_eval: Some(raw_eval), ..*node };
            self.store(&leaf, best, score, bound);
        }
        score
    }

    fn prune_node(&mut self, node: &Node) -> Option<Score> {
        let eval = table_adjusted(node.static_eval?, node);
        // Razoring (Birmingham and Kent, 1977): far below alpha, or against an open three, only a
        // VCF can help, and a leaf searches for one. If it finds one, the node is solved too.
        let alpha = node.window.alpha;
        let them = !self.board.side_to_move();
        let faces_open_three = self.board.count(them, Threat::OpenFour) > 0;
        if let Some(margin) = self.params().razoring(node.depth)
            && !alpha.is_decisive()
            && (faces_open_three || eval + margin < alpha.value())
        {
            let score = self.leaf(node);
            if score <= alpha || score.is_win() {
                return Some(score);
            }
        }
        let faces_forbidden_answer =
            || them == Color::White && !self.forbidden_answers().is_empty();
        if faces_open_three || faces_forbidden_answer() {
            return None;
        }
        // Reverse futility pruning (static null move pruning).
        let is_cut_without_entry = node.cut_node && node.entry.is_none();
        let margin =
            self.params().reverse_futility(node.depth, node.is_improving, is_cut_without_entry);
        let beta = node.window.beta;
        (!beta.is_decisive() && eval - margin >= beta.value()).then(|| Score::eval(eval - margin))
    }

    /// Returns the internal iterative reduction, 0 or more:
    /// - Of a deep PV node or expected cut node without a table move (Schröder, 2020): its move
    ///   order is a guess; a shallower search costs less and stores a move for the next iteration.
    /// - Of a PV node below the root with a shallow table entry: a part of the missing depth
    ///   (Rapfi).
    /// - Forced nodes and singular searches, which leave out the table move, are not reduced.
    #[inline(always)]
    fn internal_reduction<const PV: bool>(&self, node: &Node, has_first_move: bool) -> Depth {
        if node.is_forced || node.excluded_move.is_some() {
            return 0;
        }
        if has_first_move {
            let entry = node.entry.filter(|_| PV && !node.is_root());
            let lag = entry.map_or(0, |entry| (node.depth - entry.depth).max(0));
            let params = self.params();
            return (lag * params.iir_lag_factor / 1024).min(params.iir_lag_max);
        }
        let is_deep = node.depth >= self.params().iir_min_depth;
        if (PV || node.cut_node) && is_deep { PLY } else { 0 }
    }

    /// Late move reduction (Romstad, 2006): good moves come first, so that later ones are searched
    /// shallower at first. `gap`: the best move's ordering score minus that of this one.
    #[inline(always)]
    fn late_move_reduction<const PV: bool>(
        &self,
        node: &Node,
        current: HistoryMove,
        move_count: usize,
        gap: i32,
    ) -> Depth {
        let (us, params) = (self.board.side_to_move(), self.params());
        let history = self.state.history.scores(us, self.board.last_move(0)).of(current);
        // Where the evaluation is often wrong, so is the move order.
        let correction = node.correction().abs();
        let when = |is_so: bool, plies: Depth| if is_so { plies } else { 0 };
        let product = ln_1024((node.depth / PLY).max(1) as u32) * ln_1024(move_count as u32) / 1024;
        product * params.reduction_factor / 1024 + params.order_reduction * gap
            - history / params.history_reduction_div
            - correction * params.correction_reduction
            - when(PV, params.pv_reduction)
            + when(node.cut_node, 2 * PLY)
            + when(!node.is_improving, params.not_improving_reduction)
            + when(self.board.threats(current.mv).is_threatless(), params.threatless_reduction)
            + when(self.stack[node.ply + 1].cutoffs > USUAL_CUTOFFS, params.cutoff_reduction)
    }

    /// Singular extension (Anantharaman, Campbell and Hsu, 1988, in Stockfish's form): a shallower
    /// search without the table move (singular search). If all other moves fail low below the
    /// table's score minus a margin, the table move is searched deeper.
    fn singular_extension<const PV: bool>(
        &mut self,
        node: &Node,
        mv: Coord,
    ) -> Result<Singular, Stopped> {
        let Some(entry) = node.entry else { return Ok(Singular::Extend(0)) };
        let tt_score = entry.score_at(node.ply);
        let is_candidate = !node.is_root()
            && !node.is_forced
            && node.depth >= self.params().singular_min_depth
            && entry.bound != Bound::Upper
            && entry.depth >= node.depth - self.params().singular_slack
            && !tt_score.is_decisive();
        if !is_candidate {
            return Ok(Singular::Extend(0));
        }
        let threshold = tt_score.shift(-node.depth / PLY);
        let window = Window::null_below(threshold);
        let test = Node::new(node.ply, (node.depth - PLY) / 2, window, node.cut_node);
        let score = self.negamax::<false>(Node { excluded_move: Some(mv), ..test })?;
        Ok(if score < threshold {
            let is_double = !PV && score < threshold.shift(-self.params().double_extension_margin);
            Singular::Extend(if is_double { 2 * PLY } else { PLY })
        } else if threshold >= node.window.beta {
            // Multi-cut (Björnsson and Marsland, 1998): another move reaches beta too.
            Singular::MultiCut(threshold)
        } else if tt_score >= node.window.beta {
            // Negative extension: other moves are nearly as good.
            Singular::Extend(-PLY)
        } else {
            Singular::Extend(0)
        })
    }

    /// Searches the child after any move but the first. Principal variation search (Marsland and
    /// Campbell, 1982): with a null window and `reduction` shallower at first, in full if the score
    /// beats alpha.
    fn search_later_move<const PV: bool>(
        &mut self,
        node: &Node,
        mv: Coord,
        depth: Depth,
        reduction: Depth,
    ) -> Result<Score, Stopped> {
        let window = node.window;
        let null = Window::null_at(window.alpha);
        let mut score = -self.negamax::<false>(node.child(depth - reduction, null, true))?;
        if score > window.alpha && reduction > 0 {
            score = -self.negamax::<false>(node.child(depth, null, false))?;
        }
        if PV && score > window.alpha && score < window.beta {
            let result = self.negamax::<true>(node.child(depth, window, false));
            if result.is_err() && node.is_root() {
                // The move has beaten alpha; only its exact score is unknown.
                self.set_root_move(mv);
            }
            score = -result?;
        }
        Ok(score)
    }

    fn set_root_move(&mut self, mv: Coord) {
        self.update_pv(0, mv);
        if self.thread == 0 && self.root_context.pv_index == 0 {
            self.shared.control.publish(mv);
        }
    }

    fn update_pv(&mut self, ply: usize, mv: Coord) {
        let (head, tail) = self.stack.split_at_mut(ply + 1);
        let (pv, child) = (&mut head[ply].pv, &tail[0].pv);
        pv.clear();
        pv.push(mv);
        pv.extend(child.iter().copied());
    }

    fn update_histories(&mut self, node: &Node, best: HistoryMove, tried: &[HistoryMove]) {
        let (us, previous) = (self.board.side_to_move(), self.board.last_move(0));
        let bonus = self.params().history_bonus(node.depth);
        let malus = bonus * self.params().history_malus_factor / 1024;
        let history = &mut self.state.history;
        history.update(us, previous, best, bonus);
        for &other in tried {
            history.update(us, previous, other, -malus);
        }
        history.set_killer(node.ply, best.mv);
        history.set_counter_move(us, previous, best.mv);
    }

    fn play(&mut self, mv: Coord) -> Result<(), Stopped> {
        if self.nodes >= self.next_check {
            self.count_nodes();
            if self.shared.must_stop() {
                return Err(Stopped);
            }
            self.next_check = self.nodes + self.shared.nodes_until_check();
        }
        self.nodes += 1;
        self.evaluator.play(mv, self.board.side_to_move());
        self.board.play(mv);
        Ok(())
    }

    fn undo(&mut self) {
        self.evaluator.undo();
        self.board.undo();
    }
}
