//! Every number of the search that a tuning run might move, grouped by technique.
//!
//! Depths and reductions are in 1/1024 ply ([`PLY`]). Names: `MAX_DEPTH` applies at or below,
//! `MIN_DEPTH` at or above, `MARGIN` is per ply, `BASE` is added once, `DIV` divides.

use crate::types::Rule;

/// A search depth in 1/1024 ply.
pub type Depth = i32;

/// One ply.
pub const PLY: Depth = 1024;

/// Tunable numbers of the search under one rule.
#[derive(Clone, Debug)]
pub struct Params {
    /// First half-width of the aspiration window.
    pub aspiration_width: i32,
    /// Transposition table: results that are shallower by this will do.
    pub table_slack: Depth,
    /// Reverse futility: evaluation margin per ply.
    pub futility_margin: i32,
    /// Reverse futility: less for nodes expected to be cut that the table knows nothing of.
    pub futility_cut_bonus: i32,
    /// Razoring: at or below this depth.
    pub razoring_max_depth: Depth,
    /// Razoring: added once.
    pub razoring_base: i32,
    /// Razoring: margin per ply.
    pub razoring_margin: i32,
    /// Extension of the only answer to a four.
    pub forced_reply_extension: Depth,
    /// Moves without any threat for either side are skipped below this depth.
    pub trivial_max_depth: Depth,
    /// Late moves that are searched where the position improves, in 1/1024 of those elsewhere.
    pub improving_moves_factor: usize,
    /// Late move reductions: factor of ln(depth) * ln(move), in 1/1024.
    pub reduction_factor: i32,
    /// Late move reductions: more for each unit by which a move's ordering score falls short of
    /// the best one's.
    pub order_reduction: i32,
    /// Late move reductions: more where the opponent's last move is expected to be refuted.
    pub cut_reduction: Depth,
    /// Late move reductions: more where the position does not improve.
    pub stagnation_reduction: Depth,
    /// Late move reductions: more for moves without any threat for either side.
    pub trivial_reduction: Depth,
    /// Late move reductions: less in the principal variation.
    pub pv_relief: Depth,
    /// Internal iterative reduction: at or above this depth.
    pub internal_min_depth: Depth,
    /// Singular extension: at or above this depth.
    pub singular_min_depth: Depth,
    /// Singular extension: margin per ply.
    pub singular_margin: i32,
    /// Singular extension: the table's result may be shallower by this.
    pub singular_slack: Depth,
    /// Double extension: the others are worse by this.
    pub double_margin: i32,
    /// Plays in the four search of a leaf.
    pub leaf_vcf_nodes: u64,
    /// Divisor that turns history into reduction.
    pub history_reduction_div: i32,
    /// Right shift that turns history into ordering score.
    pub history_order_shift: u32,
    /// What moves lose that were tried in vain, in 1/1024 of what the good one gains.
    pub history_penalty: i32,
}

impl Params {
    /// Returns the numbers in use under `rule`.
    pub fn of(rule: Rule) -> Params {
        Params {
            aspiration_width: 26,
            table_slack: PLY * 3 / 8,
            futility_margin: 46,
            futility_cut_bonus: 18,
            razoring_max_depth: 2 * PLY + PLY / 2,
            razoring_base: 20,
            razoring_margin: 24,
            forced_reply_extension: PLY,
            trivial_max_depth: 4 * PLY + 3 * PLY / 4,
            improving_moves_factor: 1485,
            reduction_factor: match rule {
                Rule::Freestyle => 720,
                _ => 800,
            },
            order_reduction: 9,
            cut_reduction: 2 * PLY,
            stagnation_reduction: 560,
            trivial_reduction: 350,
            pv_relief: PLY / 2,
            internal_min_depth: 5 * PLY,
            singular_min_depth: 7 * PLY,
            singular_margin: 1,
            singular_slack: 5 * PLY / 2,
            double_margin: 20,
            leaf_vcf_nodes: 6,
            history_reduction_div: 12,
            history_order_shift: 7,
            history_penalty: 1250,
        }
    }

    /// Returns the evaluation surplus over beta at which a node need not be searched, less if it is
    /// expected to be cut and the table does not know it.
    pub fn futility(&self, depth: Depth, is_improving: bool, is_new_cut: bool) -> i32 {
        let bonus = if is_new_cut { self.futility_cut_bonus } else { 0 };
        let plies = (depth - if is_improving { PLY } else { 0 }).max(0);
        (self.futility_margin as i64 * plies as i64 / PLY as i64) as i32 - bonus
    }

    /// Returns the evaluation deficit to alpha below which only fours can help, if the depth is
    /// small enough to trust it.
    pub fn razoring(&self, depth: Depth) -> Option<i32> {
        (depth <= self.razoring_max_depth)
            .then(|| self.razoring_base + self.razoring_margin * depth / PLY)
    }

    /// Returns after how many moves the rest of a quiet node's moves is skipped.
    pub fn late_move_count(&self, depth: Depth, is_improving: bool) -> usize {
        let plies = ((depth / PLY).max(0) as usize).min(LATE_MOVES.len() - 1);
        let factor = if is_improving { self.improving_moves_factor } else { 1024 };
        LATE_MOVES[plies] * factor / 1024
    }

    /// Returns by how much less deep a late move is searched at first; below 0 for a good one.
    pub fn reduction(&self, late: &LateMove) -> Depth {
        let when = |is_so: bool, plies: Depth| if is_so { plies } else { 0 };
        let product = ln_1024((late.depth / PLY).max(1) as u32) * ln_1024(late.count as u32) / 1024;
        product * self.reduction_factor / 1024 + self.order_reduction * late.gap
            - late.merit / self.history_reduction_div
            - when(late.is_pv, self.pv_relief)
            + when(late.is_cut, self.cut_reduction)
            + when(!late.is_improving, self.stagnation_reduction)
            + when(late.is_trivial, self.trivial_reduction)
    }
}

/// What the reduction of a late move depends on.
#[derive(Clone, Copy, Debug)]
pub struct LateMove {
    /// The depth of the node.
    pub depth: Depth,
    /// The move's number in the order, from 1.
    pub count: usize,
    /// By how much its ordering score falls short of the best one's.
    pub gap: i32,
    /// What history says of it.
    pub merit: i32,
    /// True in the principal variation.
    pub is_pv: bool,
    /// True if the opponent's last move is expected to be refuted.
    pub is_cut: bool,
    /// True if the evaluation rose since the mover's last turn.
    pub is_improving: bool,
    /// True if it makes and stops no threat.
    pub is_trivial: bool,
}

/// Moves searched before the rest of a node is skipped, by depth in plies: 2 + 0.75 depth^1.4.
const LATE_MOVES: [usize; 24] =
    [2, 3, 4, 5, 7, 9, 11, 13, 16, 18, 21, 24, 26, 29, 32, 35, 38, 42, 45, 48, 52, 55, 59, 62];

/// Returns the natural logarithm of `n` in 1/1024, exact to about 0.01, by whole numbers only.
pub const fn ln_1024(n: u32) -> i32 {
    // log2 with a linear, then quadratically corrected fraction; ln = log2 * 0.6931.
    let n = if n == 0 { 1 } else { n };
    let whole = n.ilog2();
    let fraction = (((n as u64) << 10) >> whole) as i32 - 1024;
    let correction = fraction * (1024 - fraction) / 1024 * 351 / 1024;
    ((whole as i32 * 1024) + fraction + correction) * 710 / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_number_logarithm_is_close() {
        for n in 1..=400u32 {
            let exact = f64::from(n).ln() * 1024.0;
            assert!((f64::from(ln_1024(n)) - exact).abs() < 12.0, "ln {n}");
        }
    }

    #[test]
    fn margins_grow_with_depth() {
        let params = Params::of(Rule::Renju);
        assert!(params.futility(3 * PLY, false, false) > params.futility(3 * PLY, true, false));
        assert_eq!(params.razoring(9 * PLY), None);
        assert!(params.late_move_count(8 * PLY, true) > params.late_move_count(8 * PLY, false));
        let late = |count| LateMove {
            depth: 8 * PLY,
            count,
            gap: 10,
            merit: 0,
            is_pv: false,
            is_cut: false,
            is_improving: true,
            is_trivial: false,
        };
        assert!(params.reduction(&late(20)) > params.reduction(&late(4)));
        let cut = LateMove { is_cut: true, is_improving: false, ..late(4) };
        assert!(params.reduction(&cut) > params.reduction(&late(4)));
        let good = LateMove { merit: 8000, is_pv: true, ..late(4) };
        assert!(params.reduction(&good) < params.reduction(&late(4)));
    }
}
