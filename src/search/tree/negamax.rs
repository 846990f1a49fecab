//! The recursive search: principal variation search with the threats of the board as its guide.
//!
//! Knows one thread's state only. Every technique is a helper or a few lines under one comment;
//! the numbers are in `params`. `situation` judges a node by its threats, `pruning` by the window;
//! `learning` is what nodes know from each other.
//! Never allocates or logs, and looks at the clock and the other threads only as often as
//! [`Shared::allowance`] says.

use super::history::MoveKind;
use super::picker::{self, Context, Moves, Pick, Picker};
use super::pruning::{Singular, sharpened};
use super::situation::Situation;
use super::{MAX_PLY, Stopped, Worker};
use crate::search::params::{Depth, LateMove, PLY};
#[cfg(doc)]
use crate::search::pool::Shared;
use crate::search::report::Progress;
use crate::shape::Threat;
use crate::types::{Bound, CellSet, Coord, Score, Window};

impl Worker<'_> {
    /// Returns the score of the position for the side to move, searched `depth` deep. At the
    /// root (`ply` 0) only `root_moves` are searched.
    pub fn negamax<const PV: bool>(
        &mut self,
        mut depth: Depth,
        ply: usize,
        mut window: Window,
        is_cut: bool,
    ) -> Result<Score, Stopped> {
        let is_root = ply == 0;
        if is_root {
            self.root_effort = [0, 0];
        }
        self.frames[ply].pv_len = 0;
        self.selective_depth = self.selective_depth.max(ply);
        if !is_root {
            if self.board.empty_count() == 0 {
                return Ok(Score::DRAW);
            }
            // Mate distance: a shorter win is known already, or even the quickest loss is better.
            window.alpha = window.alpha.max(Score::loss_in(ply as i32 + 2));
            window.beta = window.beta.min(Score::win_in(ply as i32 + 1));
            if window.is_empty() {
                return Ok(window.alpha);
            }
            if ply + 1 >= MAX_PLY {
                return Ok(self.evaluator.evaluate(&self.board));
            }
        }

        let listed = self.listed_moves(ply);
        let situation = match listed {
            Some(moves) => self.listed_situation(moves, ply),
            None => self.situation(ply),
        };
        let forced = match situation {
            Situation::Decided(score) => return Ok(score),
            Situation::Forced(answers) => Some(answers),
            Situation::Open => None,
        };
        if forced.is_some() && !is_root {
            // Forced reply extension: answering a four costs next to no depth.
            depth += self.params.forced_reply_extension;
        }

        // Transposition table.
        let excluded = self.frames[ply].excluded;
        let key = self.board.key();
        let entry = if excluded.is_some() { None } else { self.shared.table.probe(key) };
        if let Some(entry) = entry {
            let score = entry.score_at(ply);
            if !PV && self.is_deep_enough(entry, depth) && is_cutoff(entry.bound, score, window) {
                return Ok(score);
            }
        }
        if depth <= 0 && forced.is_none() {
            return Ok(match listed {
                Some(_) => self.static_score(),
                None => self.leaf(ply, window, entry),
            });
        }

        // Static evaluation, corrected by what searches said, sharpened by what the table knows.
        let own_eval = forced.is_none().then(|| self.own_eval(entry));
        let static_eval = own_eval.map(|eval| eval + self.correction());
        self.frames[ply].static_eval = static_eval;
        let is_improving =
            match (static_eval, ply.checked_sub(2).map(|p| self.frames[p].static_eval)) {
                (Some(now), Some(Some(before))) => now > before,
                _ => true,
            };
        if !PV && excluded.is_none() && listed.is_none() {
            if let Some(eval) = static_eval {
                let eval = sharpened(eval, entry, ply);
                let is_new_cut = is_cut && entry.is_none();
                let surplus = self.params.futility(depth, is_improving, is_new_cut);
                if let Some(score) = self.prune_node(eval, depth, ply, window, surplus, entry) {
                    return Ok(score);
                }
            }
        }

        // Internal iterative reduction: without a table move the order is a guess, and a
        // shallower search will put one into the table.
        let hint = if is_root { self.root_view.hint } else { None };
        let tt_move = entry.and_then(|e| e.mv).filter(|&mv| self.board.is_empty(mv));
        let tt_move = hint.or(tt_move);
        if tt_move.is_none()
            && forced.is_none()
            && (PV || is_cut)
            && depth >= self.params.internal_min_depth
        {
            depth -= PLY;
        }

        let us = self.board.side_to_move();
        let mut moves = match (listed, forced) {
            (Some(moves), _) => moves,
            (None, Some(answers)) => Moves { cells: answers, reserve: CellSet::EMPTY },
            (None, None) => picker::moves(&self.board),
        };
        if let Some(mv) = excluded {
            moves.cells.remove(mv);
        }
        // Near the leaves moves without any threat are not worth a search, nor a place in the order.
        let skips_trivial = !is_root && forced.is_none() && depth < self.params.trivial_max_depth;
        let mut picker = Picker::new(moves.cells, tt_move, skips_trivial);
        let mut best: Option<(Score, Coord)> = None;
        let mut alpha = window.alpha;
        let mut count = 0;
        let mut top_order = None;
        let mut tried: arrayvec::ArrayVec<(Coord, MoveKind), 64> = arrayvec::ArrayVec::new();

        loop {
            let Some(Pick { mv, score: order }) = self.next_move(&mut picker, ply) else {
                let all_lose = best.is_none_or(|(score, _)| score.is_loss());
                if !all_lose || moves.reserve.is_empty() || excluded.is_some() {
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
                !is_root && forced.is_none() && best.is_some_and(|(score, _)| !score.is_loss());
            if can_skip {
                if count > self.params.late_move_count(depth, is_improving) {
                    break;
                }
                if skips_trivial && own.max(other) == Threat::None {
                    break;
                }
            }

            let extension = match (tt_move == Some(mv), entry) {
                (true, Some(entry)) if !is_root && excluded.is_none() && forced.is_none() => {
                    match self.singular_extension::<PV>(mv, entry, depth, ply, window, is_cut)? {
                        Singular::Extend(extension) => extension,
                        Singular::MultiCut(score) => return Ok(score),
                    }
                }
                _ => 0,
            };
            let next_depth = depth - PLY + extension;
            let kind = picker::kind_of(own);
            let reduction = if count > 1 && depth >= 2 * PLY && forced.is_none() {
                let late = LateMove {
                    depth,
                    count,
                    gap: top_order.zip(order).map_or(0, |(top, order)| top - order),
                    merit: self.history.merit(us, kind, mv),
                    is_pv: PV,
                    is_cut,
                    is_improving,
                    is_trivial: own.max(other) == Threat::None,
                };
                self.params.reduction(&late).clamp(0, next_depth.max(0))
            } else {
                0
            };
            let nodes_before = self.nodes;
            let child = Window::new(alpha, window.beta);
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
                    let result = if count == 1 {
                        self.search_child::<PV>(next_depth, ply, child, !PV && !is_cut)
                    } else {
                        self.search_late::<PV>(next_depth, reduction, ply, child)
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
            if alpha >= window.beta {
                self.note_cutoff(ply, mv, kind, depth, &tried);
                break;
            }
            if !tried.is_full() {
                tried.push((mv, kind));
            }
        }

        let Some((score, mv)) = best else {
            // Nothing was left to play: in singular tests all but the table move are worse;
            // otherwise every answer is forbidden, or no answer exists at all.
            return Ok(match excluded {
                Some(_) => window.alpha,
                None => self.no_move_score(ply, forced.is_some()),
            });
        };
        if excluded.is_none() && !(is_root && self.root_view.is_partial) {
            let bound = window.bound(score);
            self.note_error(own_eval, static_eval, score, bound, depth);
            let mv = if bound == Bound::Upper { tt_move } else { Some(mv) };
            self.store(ply, score, bound, depth, mv, own_eval);
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
            return self.negamax::<true>(depth, ply, window, false);
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
            params: &self.params,
        };
        picker.next(&self.board, &context)
    }

    /// Searches the first child of a node with the node's window.
    fn search_child<const PV: bool>(
        &mut self,
        depth: Depth,
        ply: usize,
        window: Window,
        is_cut: bool,
    ) -> Result<Score, Stopped> {
        Ok(-self.negamax::<PV>(depth, ply + 1, -window, is_cut)?)
    }

    /// Late move reduction and principal variation search. Ordering puts good moves first, so
    /// later ones are only asked whether they beat alpha, shallower at first, and searched in
    /// full if they surprise.
    fn search_late<const PV: bool>(
        &mut self,
        depth: Depth,
        reduction: Depth,
        ply: usize,
        window: Window,
    ) -> Result<Score, Stopped> {
        let null = -Window::null_at(window.alpha);
        let mut score = -self.negamax::<false>(depth - reduction, ply + 1, null, true)?;
        if score > window.alpha && reduction > 0 {
            score = -self.negamax::<false>(depth, ply + 1, null, false)?;
        }
        if PV && score > window.alpha && score < window.beta {
            score = -self.negamax::<true>(depth, ply + 1, -window, false)?;
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
