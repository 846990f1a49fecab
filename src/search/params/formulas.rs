//! Formulas of the search parameters, in whole numbers, so that every machine computes the same.

use std::time::Duration;

use super::{Depth, PLY, SearchParams};

impl SearchParams {
    /// Returns the margin of reverse futility pruning, 0 or more: by how much the evaluation must
    /// exceed beta. `is_new_cut`: an expected cut node without a table entry.
    pub fn reverse_futility(&self, depth: Depth, is_improving: bool, is_new_cut: bool) -> i32 {
        let discount = if is_new_cut { self.reverse_futility_cut_discount } else { 0 };
        let plies = (depth - if is_improving { PLY } else { 0 }).max(0);
        let margin = (self.reverse_futility_margin as i64 * plies as i64 / PLY as i64) as i32;
        (margin - discount).max(0)
    }

    /// Returns the margin of razoring: by how much the evaluation must be below alpha. `None` above
    /// the largest depth.
    pub fn razoring(&self, depth: Depth) -> Option<i32> {
        (depth <= self.razoring_max_depth)
            .then(|| self.razoring_base + self.razoring_margin * depth / PLY)
    }

    /// Returns the number of moves that late move pruning leaves.
    pub fn late_move_count(&self, depth: Depth, is_improving: bool) -> usize {
        let plies = ((depth / PLY).max(0) as usize).min(LATE_MOVES.len() - 1);
        let factor = if is_improving {
            self.improving_moves_factor
        } else {
            self.not_improving_moves_factor
        };
        LATE_MOVES[plies] * factor as usize / 1024
    }

    /// Returns the late move reduction, negative for a good move.
    pub fn reduction(&self, late: &LateMove) -> Depth {
        let when = |is_so: bool, plies: Depth| if is_so { plies } else { 0 };
        let product = ln_1024((late.depth / PLY).max(1) as u32) * ln_1024(late.count as u32) / 1024;
        product * self.reduction_factor / 1024 + self.order_reduction * late.order_gap
            - late.history / self.history_reduction_div
            - late.correction * self.correction_reduction
            - when(late.is_pv, self.pv_reduction)
            + when(late.cut_node, self.cut_reduction)
            + when(!late.is_improving, self.not_improving_reduction)
            + when(late.is_threatless, self.trivial_reduction)
            + when(late.cutoffs > self.usual_cutoffs, self.cutoff_reduction)
    }

    pub fn history_bonus(&self, depth: Depth) -> i32 {
        let plies = (depth / PLY).max(1);
        let bonus = (self.history_bonus_square * plies + self.history_bonus_linear) * plies;
        bonus.min(self.history_bonus_max)
    }

    /// Returns the malus of the moves searched before the one that cut off with this bonus.
    pub fn history_malus(&self, bonus: i32) -> i32 {
        bonus * self.history_malus_factor / 1024
    }
}

pub fn share(n: u64, thousandths: u64) -> u64 {
    let share = u128::from(n) * u128::from(thousandths) / 1000;
    share.min(u64::MAX.into()) as u64
}

pub fn time_share(time: Duration, thousandths: u32) -> Duration {
    time.saturating_mul(thousandths) / 1000
}

#[derive(Clone, Copy, Debug)]
pub struct LateMove {
    pub depth: Depth,
    /// Number in the move order, from 1.
    pub count: usize,
    /// Ordering score of the best move minus that of this one.
    pub order_gap: i32,
    pub history: i32,
    /// Absolute value of the correction history. If it is large, the evaluation is often wrong, and
    /// so is the move order.
    pub correction: i32,
    /// Beta cutoffs so far at the next ply (cutoff count).
    pub cutoffs: u32,
    pub is_pv: bool,
    pub cut_node: bool,
    pub is_improving: bool,
    pub is_threatless: bool,
}

/// Moves before late move pruning, by depth in plies: 2 + 0.75 depth^1.4.
const LATE_MOVES: [usize; 24] =
    [2, 3, 4, 5, 7, 9, 11, 13, 16, 18, 21, 24, 26, 29, 32, 35, 38, 42, 45, 48, 52, 55, 59, 62];

/// Returns the natural logarithm of `n` in 1/1024, exact to about 0.01.
const fn ln_1024(n: u32) -> i32 {
    // log2 with a linear fraction, corrected quadratically; ln = log2 * 0.6931.
    let n = if n == 0 { 1 } else { n };
    let whole = n.ilog2();
    let fraction = (((n as u64) << 10) >> whole) as i32 - 1024;
    let correction = fraction * (1024 - fraction) / 1024 * 351 / 1024;
    ((whole as i32 * 1024) + fraction + correction) * 710 / 1024
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

    #[test]
    fn whole_number_logarithm_is_close() {
        for n in 1..=400u32 {
            let exact = f64::from(n).ln() * 1024.0;
            assert!((f64::from(ln_1024(n)) - exact).abs() < 12.0, "ln {n}");
        }
    }

    #[test]
    fn margins_grow_with_depth() {
        let params = SearchParams::of(Rule::Renju);
        assert!(
            params.reverse_futility(3 * PLY, false, false)
                > params.reverse_futility(3 * PLY, true, false)
        );
        assert!(
            params.reverse_futility(3 * PLY, false, false)
                > params.reverse_futility(2 * PLY, false, false)
        );
        assert!(params.razoring(2 * PLY) > params.razoring(PLY));
        assert_eq!(params.razoring(9 * PLY), None);
        assert!(params.late_move_count(8 * PLY, true) > params.late_move_count(8 * PLY, false));
        assert!(params.late_move_count(8 * PLY, true) > params.late_move_count(7 * PLY, true));
        let late = |count| LateMove {
            depth: 8 * PLY,
            count,
            order_gap: 10,
            history: 0,
            correction: 0,
            cutoffs: 0,
            is_pv: false,
            cut_node: false,
            is_improving: true,
            is_threatless: false,
        };
        assert!(params.reduction(&late(20)) > params.reduction(&late(4)));
        let shallow = LateMove { depth: 4 * PLY, ..late(20) };
        assert!(params.reduction(&late(20)) > params.reduction(&shallow));
        let cut = LateMove { cut_node: true, is_improving: false, ..late(4) };
        assert!(params.reduction(&cut) > params.reduction(&late(4)));
        let good = LateMove { history: 8000, is_pv: true, ..late(4) };
        assert!(params.reduction(&good) < params.reduction(&late(4)));
        let doubtful = LateMove { correction: 50, ..late(4) };
        assert!(params.reduction(&doubtful) < params.reduction(&late(4)));
        let refuted = LateMove { cutoffs: 9, ..late(4) };
        assert!(params.reduction(&refuted) > params.reduction(&late(4)));
        assert!(params.history_bonus(PLY) < params.history_bonus(3 * PLY));
        assert_eq!(params.history_bonus(100 * PLY), params.history_bonus_max);
    }

    #[test]
    fn shares_are_exact_and_never_overflow() {
        assert_eq!((share(1_999, 50), share(0, 50), share(7, 2000)), (99, 0, 14));
        assert_eq!((share(u64::MAX, 1000), share(u64::MAX, 4000)), (u64::MAX, u64::MAX));
        assert_eq!(time_share(Duration::from_millis(30), 125), Duration::from_micros(3_750));
        assert!(time_share(Duration::MAX, 6000) > Duration::from_secs(1 << 40));
    }
}
