//! The tunable parameters: each with its name, default, range and meaning, in one list.
//!
//! The search reads plain fields of [`Params`]; a tuner reads and sets them by name. Numbers for which
//! no match showed a better value are not listed: they are constants where they are used.
//!
//! Depths and reductions are in 1/1024 ply ([`PLY`]). In the names `max_depth` applies at or below,
//! `min_depth` at or above, a `margin` is per ply (except `double_extension_margin`), a `base` is
//! added once, a `div` divides, and a `factor` is in 1/1024.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use anyhow::{Context, ensure};
use tengen_gomoku::types::Rule;

/// A depth in the tree, in 1/1024 ply. Limits, reports and variations count whole plies, as `i32`.
pub type Depth = i32;

pub const PLY: Depth = 1024;

#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub meaning: &'static str,
    /// The values that the search is sound with.
    pub range: RangeInclusive<i64>,
    get: fn(&Params) -> i64,
    set: fn(&mut Params, i64),
}

impl Param {
    pub fn get(&self, params: &Params) -> i64 {
        (self.get)(params)
    }

    pub fn default(&self, rule: Rule) -> i64 {
        self.get(&Params::of(rule))
    }
}

/// Declares the parameters and their list. A parameter is declared by its meaning, `name: type =
/// default, range;`, where the default may depend on the rule.
macro_rules! params {
    ($rule:ident; $($meaning:literal $name:ident: $type:ty = $default:expr, $range:expr;)+) => {
        /// All parameters under one rule.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params {
            $(#[doc = $meaning] pub $name: $type,)+
        }

        impl Params {
            pub fn of($rule: Rule) -> Params {
                Params { $($name: $default,)+ }
            }
        }

        static LIST: &[Param] = &[$(Param {
            name: stringify!($name),
            meaning: $meaning,
            range: {
                let range: RangeInclusive<$type> = $range;
                *range.start() as i64..=*range.end() as i64
            },
            get: |params| params.$name as i64,
            set: |params, value| params.$name = value as $type,
        },)+];
    };
}

/// Returns the value for this rule: freestyle and renju were tuned by themselves.
fn tuned(rule: Rule, freestyle: i32, renju: i32, others: i32) -> i32 {
    match rule {
        Rule::Freestyle => freestyle,
        Rule::Renju => renju,
        _ => others,
    }
}

params! {
    rule;

    "Aspiration windows: first half-width."
    aspiration_width: i32 = 24, 4..=200;
    "Transposition table: how much shallower an entry may be and still cut off."
    table_slack: Depth = if rule.is_caro() { 832 } else { 1045 }, 0..=2 * PLY;
    "Reverse futility: margin of the evaluation above beta."
    reverse_futility_margin: i32 = 49, 10..=200;
    "Reverse futility: how much smaller the margin is in cut nodes without a table entry."
    reverse_futility_cut_discount: i32 = 18, 0..=100;
    "Razoring: largest depth."
    razoring_max_depth: Depth = 5 * PLY / 2, 0..=6 * PLY;
    "Razoring: margin of the evaluation below alpha, added once."
    razoring_base: i32 = 20, 0..=200;
    "Razoring: margin of the evaluation below alpha, per ply."
    razoring_margin: i32 = if rule == Rule::Freestyle { 24 } else { 34 }, 0..=200;
    "Forced replies: extension of the answers to a four."
    forced_reply_extension: Depth = 15 * PLY / 16, 0..=5 * PLY / 4;
    "Threatless moves: those without any threat are skipped at this depth or below."
    threatless_max_depth: Depth = 4 * PLY + 3 * PLY / 4 - 1, 0..=10 * PLY;
    "Late move pruning: factor of the number of moves if the evaluation does not improve."
    not_improving_moves_factor: u32 = if rule == Rule::Freestyle { 868 } else { 1140 }, 256..=4096;
    "Late move pruning: factor of the number of moves if it improves."
    improving_moves_factor: u32 = if rule == Rule::Renju { 2213 } else { 1850 }, 256..=4096;
    "Policy: least depth."
    policy_min_depth: Depth = 2 * PLY, PLY..=20 * PLY;
    "Policy: most moves that it scores, best by the order tables."
    policy_moves: u32 = 16, 4..=484;
    "Late move reductions: least depth."
    reduction_min_depth: Depth = 2 * PLY, PLY..=6 * PLY;
    "Late move reductions: factor of ln(depth) times ln(move number)."
    reduction_factor: i32 = match rule {
        Rule::Renju => 539,
        Rule::Caro | Rule::CaroExact => 800,
        _ => 650,
    }, 0..=2000;
    "Late move reductions: for each point of the ordering score below the best move's."
    order_reduction: i32 = if rule.is_caro() { 8 } else { 13 }, 0..=50;
    "Late move reductions: how much more where the evaluation does not improve."
    not_improving_reduction: Depth = if rule == Rule::Renju { 343 } else { 510 }, 0..=2 * PLY;
    "Late move reductions: how much more for moves without any threat."
    threatless_reduction: Depth = if rule == Rule::Freestyle { 439 } else { 230 }, 0..=2 * PLY;
    "Late move reductions: how much more after four beta cutoffs at the next ply."
    cutoff_reduction: Depth = if rule == Rule::Renju { 19 } else { 450 }, 0..=2 * PLY;
    "Late move reductions: how much less in the principal variation."
    pv_reduction: Depth = if rule == Rule::Freestyle { 726 } else { 485 }, 0..=2 * PLY;
    "Late move reductions: divisor of the history score, which is subtracted."
    history_reduction_div: i32 = tuned(rule, 17, 9, 12), 2..=100;
    "Late move reductions: how much less for each point that the correction history adds or \
        takes."
    correction_reduction: i32 = 8, 0..=40;
    "Internal iterative reduction: least depth."
    iir_min_depth: Depth = 5 * PLY, 2 * PLY..=12 * PLY;
    "Internal iterative reduction: factor of the depth that a PV node's table entry lacks."
    iir_lag_factor: i32 = 280, 0..=1024;
    "Internal iterative reduction: the most of it in a PV node."
    iir_lag_max: Depth = 7 * PLY / 2, 0..=10 * PLY;
    "Singular extension: least depth."
    singular_min_depth: Depth = 7 * PLY, 3 * PLY..=16 * PLY;
    "Singular extension: the table's result may be shallower by this."
    singular_slack: Depth = if rule == Rule::Freestyle { 3298 } else { 5 * PLY / 2 }, 0..=6 * PLY;
    "Double extension: the other moves are worse by this."
    double_extension_margin: i32 = if rule.is_caro() { 18 } else { 34 }, 0..=200;
    "Leaves: nodes of the search for continuous fours."
    leaf_vcf_nodes: u64 = 3, 0..=200;
    "History: right shift of the history that is added to the ordering score."
    history_order_shift: u32 = 7, 3..=13;
    "History: bonus of a move that cuts off, per squared ply."
    history_bonus_square: i32 = 26, 0..=64;
    "History: bonus of a move that cuts off, per ply."
    history_bonus_linear: i32 = 64, 0..=256;
    "History: largest bonus."
    history_bonus_max: i32 = 1600, 100..=8000;
    "History: malus of the moves searched before a cutoff, in parts of the bonus."
    history_malus_factor: i32 = 1700, 0..=4096;
    "Ordering score of the counter move."
    counter_score: i32 = tuned(rule, 16, 39, 32), 0..=200;
    "Ordering score of a killer."
    killer_score: i32 = if rule == Rule::Freestyle { 45 } else { 20 }, 0..=200;
    "Correction history: largest correction by the last two moves alone."
    correction_max: i32 = if rule.is_caro() { 76 } else { 112 }, 0..=400;
    "Correction history: weight of the error by the stones around the last move."
    correction_surroundings_factor: i32 = 683, 0..=2048;
    "Correction history: what a result adds to an entry, for each ply and point of its error."
    correction_rate_factor: i32 = 175, 16..=1024;
}

impl Params {
    pub fn list() -> &'static [Param] {
        LIST
    }

    /// Returns the defaults of `rule` with the overrides applied. Of several values for one
    /// parameter the last one counts.
    pub fn with_overrides(rule: Rule, overrides: &[Override]) -> Params {
        let mut params = Params::of(rule);
        for Override { param, value } in overrides {
            (param.set)(&mut params, *value);
        }
        params
    }

    /// Returns the margin of reverse futility pruning, 0 or more: by how much the evaluation must
    /// exceed beta. `is_cut_without_entry`: an expected cut node without a table entry.
    pub fn reverse_futility(
        &self,
        depth: Depth,
        is_improving: bool,
        is_cut_without_entry: bool,
    ) -> i32 {
        let discount = if is_cut_without_entry { self.reverse_futility_cut_discount } else { 0 };
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

    pub fn late_move_count(&self, depth: Depth, is_improving: bool) -> usize {
        let plies = ((depth / PLY).max(0) as usize).min(LATE_MOVES.len() - 1);
        let factor = if is_improving {
            self.improving_moves_factor
        } else {
            self.not_improving_moves_factor
        };
        LATE_MOVES[plies] * factor as usize / 1024
    }

    pub fn history_bonus(&self, depth: Depth) -> i32 {
        let plies = (depth / PLY).max(1);
        let bonus = (self.history_bonus_square * plies + self.history_bonus_linear) * plies;
        bonus.min(self.history_bonus_max)
    }
}

/// A parameter with a value in its range that replaces the default under every rule. Its text is
/// `NAME=VALUE`.
#[derive(Clone, Copy, Debug)]
pub struct Override {
    param: &'static Param,
    value: i64,
}

impl Override {
    pub fn new(name: &str, value: i64) -> anyhow::Result<Override> {
        let param = LIST.iter().find(|param| param.name == name);
        let param = param.with_context(|| format!("no parameter {name}"))?;
        let (min, max) = (param.range.start(), param.range.end());
        ensure!(param.range.contains(&value), "{name} is {min} to {max}, not {value}");
        Ok(Override { param, value })
    }
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}={}", self.param.name, self.value)
    }
}

impl FromStr for Override {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Override> {
        let malformed = || format!("NAME=VALUE expected, not {text}");
        let (name, value) = text.split_once('=').with_context(malformed)?;
        Override::new(name, value.parse().ok().with_context(malformed)?)
    }
}

/// Moves before late move pruning, by depth in plies: 2 + 0.75 depth^1.4.
const LATE_MOVES: [usize; 24] =
    [2, 3, 4, 5, 7, 9, 11, 13, 16, 18, 21, 24, 26, 29, 32, 35, 38, 42, 45, 48, 52, 55, 59, 62];

/// Returns the natural logarithm of `n` in 1/1024, exact to about 0.01.
pub const fn ln_1024(n: u32) -> i32 {
    // log2 with a linear fraction, corrected quadratically; ln = log2 * 0.6931.
    let n = if n == 0 { 1 } else { n };
    let whole = n.ilog2();
    let fraction = (((n as u64) << 10) >> whole) as i32 - 1024;
    let correction = fraction * (1024 - fraction) / 1024 * 351 / 1024;
    ((whole as i32 * 1024) + fraction + correction) * 710 / 1024
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_meanings_one_line() {
        let names: HashSet<_> = Params::list().iter().map(|param| param.name).collect();
        assert_eq!(names.len(), Params::list().len());
        for Param { name, meaning, .. } in Params::list() {
            assert!((10..110).contains(&meaning.len()) && meaning.ends_with('.'), "{name}");
        }
    }

    #[test]
    fn defaults_are_within_their_ranges() {
        for param in Params::list() {
            assert!(param.range.start() < param.range.end(), "{}", param.name);
            for rule in Rule::ALL {
                assert!(param.range.contains(&param.default(rule)), "{} {rule:?}", param.name);
            }
        }
    }

    #[test]
    fn every_parameter_can_be_set_and_changes_no_other() {
        let defaults = Params::of(Rule::Renju);
        for param in Params::list() {
            for &value in [param.range.start(), param.range.end()] {
                let mut params = defaults.clone();
                let set = |params: &mut Params, value| {
                    (Override::new(param.name, value).unwrap().param.set)(params, value);
                };
                set(&mut params, value);
                assert_eq!(param.get(&params), value, "{}", param.name);
                assert_eq!(params == defaults, value == param.get(&defaults), "{}", param.name);
                set(&mut params, param.get(&defaults));
                assert_eq!(params, defaults, "{}", param.name);
            }
        }
    }

    #[test]
    fn wrong_names_and_values_are_refused() {
        let error = Override::new("no_such_thing", 1).unwrap_err();
        assert_eq!(error.to_string(), "no parameter no_such_thing");
        for param in Params::list() {
            for value in [param.range.start() - 1, param.range.end() + 1, i64::MIN, i64::MAX] {
                let error = Override::new(param.name, value).unwrap_err().to_string();
                let (min, max) = (param.range.start(), param.range.end());
                assert_eq!(error, format!("{} is {min} to {max}, not {value}", param.name));
            }
        }
    }

    #[test]
    fn overrides_are_read_and_hold_under_every_rule() {
        let overrides: Vec<Override> = ["killer_score=5", "table_slack=40", "killer_score=7"]
            .map(|text| text.parse().unwrap())
            .into();
        for rule in Rule::ALL {
            let params = Params::with_overrides(rule, &overrides);
            assert_eq!((params.killer_score, params.table_slack), (7, 40));
            let mut expected = Params::of(rule);
            (expected.killer_score, expected.table_slack) = (7, 40);
            assert_eq!(params, expected);
        }
        assert_eq!(overrides[0].to_string(), "killer_score=5");
        for text in ["", "killer_score", "killer_score=", "killer_score=x", "killer_score=7.5"] {
            let error = text.parse::<Override>().unwrap_err();
            assert_eq!(error.to_string(), format!("NAME=VALUE expected, not {text}"));
        }
        let error = |text: &str| text.parse::<Override>().unwrap_err().to_string();
        assert_eq!(error("killer_score=-1"), "killer_score is 0 to 200, not -1");
        assert_eq!(error("x=1"), "no parameter x");
    }

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
        assert!(params.history_bonus(PLY) < params.history_bonus(3 * PLY));
        assert_eq!(params.history_bonus(100 * PLY), params.history_bonus_max);
    }
}
