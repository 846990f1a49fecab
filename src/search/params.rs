//! The tunable parameters: each with its name, default, range and meaning, in one list.
//!
//! The search reads plain fields of [`Params`]; a tuner reads and sets them by name. What follows
//! from several parameters is in `formulas`. Not listed: mathematical constants, capacities, the
//! ageing of table entries, the clock's reserves, the threat search's slices, the search for
//! balanced stones, the weakening of levels, and what is fitted: the evaluation and the priors.
//!
//! Depths and reductions are in 1/1024 ply ([`PLY`]). In the names `max_depth` applies at or below,
//! `min_depth` at or above, a `margin` is per ply, a `base` is added once, a `div` divides, a
//! `factor` is in 1/1024, a `share` in thousandths and a `time` in percent of the plan.

mod formulas;

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

pub use formulas::{LateMove, share, time_share};
use tengen_gomoku::types::Rule;

/// A search depth in 1/1024 ply.
pub type Depth = i32;

/// One ply.
pub const PLY: Depth = 1024;

/// One parameter of the list.
pub struct Param {
    /// Its name, which no other one has.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// The values that the search is sound with.
    pub range: RangeInclusive<i64>,
    get: fn(&Params) -> i64,
    set: fn(&mut Params, i64),
}

impl Param {
    /// Returns its value among `params`.
    pub fn get(&self, params: &Params) -> i64 {
        (self.get)(params)
    }

    /// Returns its default under `rule`.
    pub fn default(&self, rule: Rule) -> i64 {
        self.get(&Params::of(rule))
    }
}

/// Declares the groups of parameters, each a struct, and the list of all of them. A parameter is
/// declared by its meaning, `name: type = default, range;`, where the default may depend on the
/// rule.
macro_rules! params {
    ($rule:ident; $(
        $(#[doc = $about:literal])+
        $group:ident: $Group:ident {
            $($meaning:literal $name:ident: $type:ty = $default:expr, $range:expr;)+
        }
    )+) => {
        /// All parameters under one rule.
        ///
        /// ```
        /// use tengen::search::Params;
        /// use tengen_gomoku::types::Rule;
        ///
        /// let mut params = Params::of(Rule::Renju);
        /// params.set("killer_score", 20)?;
        /// assert_eq!(params.search.killer_score, 20);
        /// assert!(params.set("killer_score", -1).is_err() && params.search.killer_score == 20);
        /// # Ok::<(), tengen::search::ParamError>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[doc = $about])+ pub $group: $Group,)+
        }

        impl Params {
            /// Returns the parameters in use under `rule`.
            pub fn of(rule: Rule) -> Params {
                Params { $($group: $Group::of(rule),)+ }
            }
        }

        $(
            $(#[doc = $about])+
            #[derive(Clone, Debug, PartialEq, Eq)]
            pub struct $Group {
                $(#[doc = $meaning] pub $name: $type,)+
            }

            impl $Group {
                /// Returns the parameters in use under a rule.
                pub fn of($rule: Rule) -> $Group {
                    let _ = $rule;
                    $Group { $($name: $default,)+ }
                }
            }
        )+

        static LIST: &[Param] = &[$($(Param {
            name: stringify!($name),
            meaning: $meaning,
            range: {
                let range: RangeInclusive<$type> = $range;
                *range.start() as i64..=*range.end() as i64
            },
            get: |params| params.$group.$name as i64,
            set: |params, value| params.$group.$name = value as $type,
        },)+)+];
    };
}

params! {
    rule;

    /// Parameters of the alpha-beta search.
    search: SearchParams {
        "Aspiration windows: from this iteration on."
        aspiration_min_depth: Depth = 5 * PLY, PLY..=12 * PLY;
        "Aspiration windows: first half-width."
        aspiration_width: i32 = 24, 4..=200;
        "Aspiration windows: growth of the half-width with each miss."
        aspiration_growth_factor: i32 = 2048, 1200..=4096;
        "Aspiration windows: largest half-width, beyond which the window has no bound."
        aspiration_max_width: i32 = 1000, 50..=4000;
        "Transposition table: how much shallower an entry may be and still cut off."
        table_slack: Depth = 13 * PLY / 16, 0..=2 * PLY;
        "Reverse futility: margin of the evaluation above beta."
        reverse_futility_margin: i32 = 49, 10..=200;
        "Reverse futility: how much smaller the margin is in cut nodes without a table entry."
        reverse_futility_cut_discount: i32 = 18, 0..=100;
        "Razoring: largest depth."
        razoring_max_depth: Depth = 5 * PLY / 2, 0..=6 * PLY;
        "Razoring: margin of the evaluation below alpha, added once."
        razoring_base: i32 = 20, 0..=200;
        "Razoring: margin of the evaluation below alpha, per ply."
        razoring_margin: i32 = 34, 0..=200;
        "Forced replies: extension of the answers to a four."
        forced_reply_extension: Depth = 15 * PLY / 16, 0..=5 * PLY / 4;
        "Trivial move pruning: moves without any threat are skipped at this depth or below."
        trivial_max_depth: Depth = 4 * PLY + 3 * PLY / 4 - 1, 0..=10 * PLY;
        "Late move pruning: factor of the number of moves if the evaluation does not improve."
        not_improving_moves_factor: u32 = 1140, 256..=4096;
        "Late move pruning: factor of the number of moves if it improves."
        improving_moves_factor: u32 = 1850, 256..=4096;
        "Policy: least depth."
        policy_min_depth: Depth = 2 * PLY, PLY..=20 * PLY;
        "Policy: most moves that it scores, best by the order tables."
        policy_moves: u32 = 32, 4..=484;
        "Late move reductions: least depth."
        reduction_min_depth: Depth = 2 * PLY, PLY..=6 * PLY;
        "Late move reductions: factor of ln(depth) times ln(move number)."
        reduction_factor: i32 = if rule.is_caro() { 800 } else { 650 }, 0..=2000;
        "Late move reductions: for each point of the ordering score below the best move's."
        order_reduction: i32 = 8, 0..=50;
        "Late move reductions: how much more in cut nodes."
        cut_reduction: Depth = 2 * PLY, 0..=4 * PLY;
        "Late move reductions: how much more where the evaluation does not improve."
        not_improving_reduction: Depth = 510, 0..=2 * PLY;
        "Late move reductions: how much more for moves without any threat."
        trivial_reduction: Depth = 230, 0..=2 * PLY;
        "Late move reductions: how much more once the opponent refuted several moves of the node."
        cutoff_reduction: Depth = 450, 0..=2 * PLY;
        "Late move reductions: moves of a node that the opponent may have refuted before \
            `cutoff_reduction` applies."
        usual_cutoffs: u32 = 3, 0..=20;
        "Late move reductions: how much less in the principal variation."
        pv_reduction: Depth = 485, 0..=2 * PLY;
        "Late move reductions: divisor of the history score, which is subtracted."
        history_reduction_div: i32 = 12, 2..=100;
        "Late move reductions: how much less for each point that the correction history adds or \
            takes."
        correction_reduction: i32 = 8, 0..=40;
        "Internal iterative reduction: least depth."
        internal_min_depth: Depth = 5 * PLY, 2 * PLY..=12 * PLY;
        "Internal iterative reduction: its amount."
        internal_reduction: Depth = PLY, 0..=3 * PLY;
        "Internal iterative reduction: factor of the depth that a PV node's table entry lacks."
        internal_lag_factor: i32 = 280, 0..=1024;
        "Internal iterative reduction: the most of it in a PV node."
        internal_lag_max: Depth = 7 * PLY / 2, 0..=10 * PLY;
        "Singular extension: least depth."
        singular_min_depth: Depth = 7 * PLY, 3 * PLY..=16 * PLY;
        "Singular extension: margin below the table's score."
        singular_margin: i32 = 1, 0..=10;
        "Singular extension: the table's result may be shallower by this."
        singular_slack: Depth = 5 * PLY / 2, 0..=6 * PLY;
        "Singular extension: its amount."
        singular_extension: Depth = PLY, 0..=3 * PLY / 2;
        "Double extension: the other moves are worse by this."
        double_base: i32 = 18, 0..=200;
        "Double extension: its amount, instead of the singular extension's."
        double_extension: Depth = 2 * PLY, 0..=5 * PLY / 2;
        "Negative extension: its amount, by which the table move is searched less deep."
        negative_extension: Depth = PLY, 0..=3 * PLY;
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
        "History: share that is kept from one move of the game to the next."
        history_age_share: i32 = 800, 0..=1000;
        "Ordering score of the counter move."
        counter_score: i32 = 32, 0..=200;
        "Ordering score of a killer."
        killer_score: i32 = 20, 0..=200;
        "Correction history: largest correction by the last two moves alone."
        correction_max: i32 = 76, 0..=400;
        "Correction history: weight of the error by the stones around the last move."
        correction_surroundings_factor: i32 = 683, 0..=2048;
        "Correction history: part of an error that a result adds, per ply."
        correction_rate_factor: i32 = 175, 16..=1024;
        "Correction history: plies of a result that count."
        correction_max_plies: i32 = 12, 1..=32;
        "Correction history: largest step, in parts of the largest correction."
        correction_step_factor: i32 = 256, 16..=1024;
        "Threads: weight of a vote for a move before the lead of its score is added."
        vote_base: i32 = 15, 1..=200;
    }

    /// Parameters of the threat searches and of their scheduler.
    threat: ThreatParams {
        "Root: most nodes of the search for continuous fours."
        root_vcf_nodes: u64 = 100_000, 0..=1_000_000;
        "Root: most nodes of the search for continuous fours per millisecond of time."
        root_vcf_nodes_per_ms: u64 = 500, 0..=2_000;
        "Root: share of a node limit for the search for continuous fours."
        root_vcf_share: u64 = 250, 0..=1000;
        "Root: nodes of each search for the opponent's continuous fours."
        defence_vcf_nodes: u64 = 2_000, 0..=100_000;
        "Root: share of a node limit for all searches for the opponent's continuous fours."
        defence_share: u64 = 25, 0..=500;
        "Scheduler: share of the planned time before the first iteration."
        first_time_share: u32 = 125, 0..=1000;
        "Scheduler: share of a node limit before the first iteration."
        first_node_share: u64 = 50, 0..=500;
        "Scheduler: nodes of the threat search at the root, as a share of alpha-beta's."
        threat_share: u64 = 50, 0..=2000;
        "Scheduler: nodes of alpha-beta beyond which a search is long."
        long_search_nodes: u64 = 50_000, 0..=10_000_000;
        "Scheduler: further such nodes, as a share of alpha-beta's in the long part."
        long_threat_share: u64 = 2000, 0..=4000;
        "Scheduler: alpha-beta's nodes after its next iteration, as a share of those before."
        iteration_growth_share: u64 = 3000, 1000..=8000;
        "Scheduler: lead of either side from which on the threat search also runs along the PV."
        pv_threat_lead: i32 = 300, 0..=10_000;
        "Scheduler: nodes of the threat search along the PV, as a share of alpha-beta's."
        pv_threat_share: u64 = 150, 0..=1000;
        "Scheduler: moves of the PV after each of which the threat search runs."
        pv_threat_plies: u64 = 16, 0..=100;
        "VCT: nodes of the search for continuous fours at a new root."
        vct_root_vcf_nodes: u64 = 400, 0..=20_000;
        "VCT: nodes of the search for strong fours when a node is expanded."
        vct_expansion_vcf_nodes: u64 = 12, 0..=500;
        "VCT: nodes of the search for strong fours at the first visit of a node."
        vct_visit_vcf_nodes: u64 = 30, 0..=1_000;
        "VCT: nodes of the test whether a quiet move threatens continuous fours."
        vct_quiet_vcf_nodes: u64 = 60, 5..=2_000;
        "VCT: prior proof number of a killer, in parts of another move's."
        vct_killer_factor: u32 = 256, 32..=1024;
        "VCT: slack of the threshold beyond the second best number, in parts of that number."
        vct_slack_factor: u32 = 128, 0..=1024;
        "VCT: slack of the threshold, added once."
        vct_slack_base: u32 = 3, 1..=50;
        "VCT: proof number of all fours of the defender, in parts of the largest."
        vct_fours_factor: u32 = 1536, 1024..=4096;
    }

    /// Parameters of the time manager.
    time: TimeParams {
        "Plan: own moves that a game is expected to take from its first stone on."
        expected_moves: u32 = 12, 4..=80;
        "Plan: own moves that are expected at any later point."
        expected_moves_min: u32 = 9, 4..=80;
        "Plan: thousandths of a move by which each own move lowers the expected number."
        expected_moves_fall: u32 = 250, 0..=1000;
        "Plan: share of the increment that a move may plan with."
        increment_share: u32 = 750, 0..=1000;
        "Plan: hard limit, as a share of the planned time."
        hard_limit_share: u32 = 2450, 1000..=6000;
        "Time manager: percent of the plan after an iteration with a new best move."
        new_move_time: u32 = 115, 50..=300;
        "Time manager: percent less for each iteration that keeps the best move."
        stable_move_time_fall: u32 = 12, 0..=50;
        "Time manager: least percent of the plan by a stable best move."
        stable_move_time_min: u32 = 55, 10..=150;
        "Time manager: percent more for a score that fell by a hundred points."
        score_fall_time: u32 = 100, 0..=500;
        "Time manager: largest fall of the score that counts."
        score_fall_max: u32 = 60, 0..=400;
        "Time manager: usual percent of an iteration's nodes after its best move."
        usual_effort: u32 = 60, 0..=100;
        "Time manager: percent less for each hundred percent of effort above the usual."
        effort_time: u32 = 50, 0..=200;
        "Time manager: least percent of the plan."
        min_time: u32 = 40, 10..=100;
    }
}

impl Params {
    /// Returns all parameters that can be set, group by group.
    pub fn list() -> &'static [Param] {
        LIST
    }

    /// Returns the parameters in use under `rule`, but for those that are overridden. Of several
    /// values for one parameter the last one counts.
    pub fn with_overrides(rule: Rule, overrides: &[Override]) -> Params {
        let mut params = Params::of(rule);
        for Override { param, value } in overrides {
            (param.set)(&mut params, *value);
        }
        params
    }

    /// Sets a parameter by its name.
    ///
    /// # Errors
    ///
    /// If there is no such parameter, or if the value is not in its range; then nothing changes.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), ParamError> {
        let Override { param, value } = Override::new(name, value)?;
        (param.set)(self, value);
        Ok(())
    }
}

/// A parameter with a value in its range that replaces the default under every rule. Its text is
/// `NAME=VALUE`.
#[derive(Clone, Copy)]
pub struct Override {
    param: &'static Param,
    value: i64,
}

impl Override {
    /// Returns the override of a parameter by its name.
    ///
    /// # Errors
    ///
    /// If there is no such parameter, or if the value is not in its range.
    pub fn new(name: &str, value: i64) -> Result<Override, ParamError> {
        let param = LIST.iter().find(|param| param.name == name);
        let param = param.ok_or_else(|| ParamError::Unknown(name.into()))?;
        match param.range.contains(&value) {
            true => Ok(Override { param, value }),
            false => Err(ParamError::OutOfRange(param.name, value, param.range.clone())),
        }
    }
}

impl FromStr for Override {
    type Err = ParamError;

    fn from_str(text: &str) -> Result<Override, ParamError> {
        let malformed = || ParamError::Malformed(text.into());
        let (name, value) = text.split_once('=').ok_or_else(malformed)?;
        Override::new(name, value.parse().map_err(|_| malformed())?)
    }
}

impl fmt::Debug for Override {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}={}", self.param.name, self.value)
    }
}

/// Why a parameter cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// No parameter has this name.
    Unknown(String),
    /// The parameter of this name cannot have this value, but only one of this range.
    OutOfRange(&'static str, i64, RangeInclusive<i64>),
    /// This text is not of the form `NAME=VALUE`.
    Malformed(String),
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ParamError::Unknown(name) => write!(f, "no parameter {name}"),
            ParamError::OutOfRange(name, value, range) => {
                let (min, max) = (range.start(), range.end());
                write!(f, "{name} is {min} to {max}, not {value}")
            }
            ParamError::Malformed(text) => write!(f, "NAME=VALUE expected, not {text}"),
        }
    }
}

impl Error for ParamError {}

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
                assert_eq!(params.set(param.name, value), Ok(()));
                assert_eq!(param.get(&params), value, "{}", param.name);
                assert_eq!(params == defaults, value == param.get(&defaults), "{}", param.name);
                assert_eq!(params.set(param.name, param.get(&defaults)), Ok(()));
                assert_eq!(params, defaults, "{}", param.name);
            }
        }
    }

    #[test]
    fn wrong_names_and_values_are_refused_and_change_nothing() {
        let (mut params, defaults) = (Params::of(Rule::Caro), Params::of(Rule::Caro));
        assert_eq!(
            params.set("no_such_thing", 1),
            Err(ParamError::Unknown("no_such_thing".into()))
        );
        for param in Params::list() {
            for value in [param.range.start() - 1, param.range.end() + 1, i64::MIN, i64::MAX] {
                let error = ParamError::OutOfRange(param.name, value, param.range.clone());
                assert_eq!(params.set(param.name, value), Err(error));
            }
        }
        assert_eq!(params, defaults);
    }

    #[test]
    fn overrides_are_read_and_hold_under_every_rule() {
        let overrides: Vec<Override> = ["killer_score=5", "min_time=40", "killer_score=7"]
            .map(|text| text.parse().unwrap())
            .into();
        for rule in Rule::ALL {
            let params = Params::with_overrides(rule, &overrides);
            assert_eq!((params.search.killer_score, params.time.min_time), (7, 40));
            let mut expected = Params::of(rule);
            (expected.search.killer_score, expected.time.min_time) = (7, 40);
            assert_eq!(params, expected);
        }
        for text in ["", "killer_score", "killer_score=", "killer_score=x", "killer_score=7.5"] {
            let error = text.parse::<Override>().unwrap_err();
            assert_eq!(error, ParamError::Malformed(text.into()));
        }
        assert_eq!(
            "min_time=0".parse::<Override>().unwrap_err().to_string(),
            "min_time is 10 to 100, not 0"
        );
        assert!(matches!("x=1".parse::<Override>(), Err(ParamError::Unknown(_))));
    }
}
