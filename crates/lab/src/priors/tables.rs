//! The tables of priors: their cases, their fit, and their text.

use std::f64::consts::LN_2;
use std::fmt::Write;

use anyhow::Context;
use tengen::search::vct::{DOUBLING, MoveClass, MoveSample};
use tengen::shape::Threat;

use crate::fit::{Cases, Losses, Schedule, fit};
use crate::priors::sampler::Sample;
use crate::tuning::logistic::{Case, Logistic};

/// In the order of the file.
pub const NAMES: [Name; 5] =
    [Name::AttackerToMove, Name::DefenderToMove, Name::Defence, Name::Attack, Name::QuietAttack];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    AttackerToMove,
    DefenderToMove,
    Defence,
    /// Fours and threes.
    Attack,
    QuietAttack,
}

/// Newton's method has come to rest after so many steps, each with all cases.
const SCHEDULE: Schedule = Schedule { epochs: 20, batch: usize::MAX, rate: |_| 1.0, seed: 1 };
/// Holds the weights small, as much as so many cases do.
const L2: f64 = 2.0;

impl Name {
    fn text(self) -> &'static str {
        match self {
            Name::AttackerToMove => "ATTACKER_TO_MOVE",
            Name::DefenderToMove => "DEFENDER_TO_MOVE",
            Name::Defence => "DEFENCE",
            Name::Attack => "ATTACK",
            Name::QuietAttack => "QUIET_ATTACK",
        }
    }

    /// Returns what follows the entry of an outcome: attacks are shifted by hand, by a
    /// constant of the file.
    fn suffix(self, outcome: usize) -> String {
        match self {
            Name::Attack | Name::QuietAttack => format!("\n    .shifted(ATTACK_SHIFT[{outcome}])"),
            Name::AttackerToMove | Name::DefenderToMove | Name::Defence => String::new(),
        }
    }

    /// Returns the type of the table's two entries.
    fn entry_type(self) -> &'static str {
        match self {
            Name::AttackerToMove | Name::DefenderToMove => "PositionModel",
            Name::Defence | Name::Attack | Name::QuietAttack => "MoveModel",
        }
    }

    /// Returns the fields behind the base and the numbers in each, none for a number alone.
    fn fields(self) -> [(&'static str, Option<usize>); 3] {
        match self {
            Name::AttackerToMove | Name::DefenderToMove => {
                let threats = Some(Threat::COUNT - Threat::Forbidden as usize);
                [("attacker", threats), ("defender", threats), ("answer", None)]
            }
            Name::Defence | Name::Attack | Name::QuietAttack => {
                let threats = Some(Threat::COUNT);
                [("node", Some(2)), ("attacker", threats), ("defender", threats)]
            }
        }
    }

    fn weights(self) -> usize {
        1 + self.fields().iter().map(|(_, len)| len.unwrap_or(1)).sum::<usize>()
    }
}

/// Fits a table and returns its text as the file has it, after comments on how well it fits.
pub fn fitted(name: Name, samples: &[Sample]) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut entries = Vec::new();
    for (outcome, outcome_name) in ["proof", "disproof"].into_iter().enumerate() {
        let cases = cases(name, samples, outcome);
        let (weights, losses) =
            fitted_weights(&cases, name.weights()).with_context(|| name.text())?;
        let Losses { training, held_out } = losses;
        let count = cases.len();
        writeln!(
            text,
            "// {outcome_name}: {count} cases, loss {training:.4}, held out {held_out:.4}"
        )?;
        entries.push(weights);
    }
    text += &table_text(name, &entries);
    Ok(text)
}

/// Returns the weights of the log odds in parts of a doubling, and how well they fit.
fn fitted_weights(cases: &Cases<Case>, inputs: usize) -> anyhow::Result<(Vec<i32>, Losses)> {
    let mut model = Logistic::new(inputs, L2 / cases.training.len().max(1) as f64);
    let losses = fit(&mut model, cases, &SCHEDULE, |_, _| Ok(()))?;
    let parts = |weight: &f64| (weight * f64::from(DOUBLING) / LN_2).round() as i32;
    Ok((model.weights.iter().map(parts).collect(), losses))
}

/// Returns the cases of a table with the chances of one outcome, of a proof (0) or a disproof (1).
fn cases(name: Name, samples: &[Sample], outcome: usize) -> Cases<Case> {
    let mut cases = Cases::default();
    for sample in samples {
        let mut add = |case| cases.push(case, sample.is_held_out);
        match name {
            Name::AttackerToMove | Name::DefenderToMove => {
                if sample.is_attack == (name == Name::AttackerToMove) {
                    add(position_case(sample, outcome));
                }
            }
            Name::Defence => moves_of(sample, MoveClass::Defence, outcome).for_each(add),
            Name::Attack => moves_of(sample, MoveClass::Attack, outcome).for_each(add),
            Name::QuietAttack => moves_of(sample, MoveClass::QuietAttack, outcome).for_each(add),
        }
    }
    cases
}

fn position_case(sample: &Sample, outcome: usize) -> Case {
    let features = sample.position.features.iter().map(|&n| f64::from(n));
    let target = f64::from(u8::from(sample.outcomes[outcome]));
    Case { inputs: [1.0].into_iter().chain(features).collect(), target }
}

fn moves_of(sample: &Sample, class: MoveClass, outcome: usize) -> impl Iterator<Item = Case> {
    let case = move |sampled: &MoveSample| {
        let mut inputs = vec![1.0];
        // Doublings already.
        inputs.extend(sample.position.log_odds);
        for threat in sampled.threats {
            let offered = threat as usize;
            inputs.extend((0..Threat::COUNT).map(|n| f64::from(u8::from(n == offered))));
        }
        Case { inputs, target: sampled.probabilities[outcome] }
    };
    sample.position.moves.iter().filter(move |sampled| sampled.class == class).map(case)
}

/// Returns the text of a table of fitted weights, those of a proof and of a disproof.
fn table_text(name: Name, entries: &[Vec<i32>]) -> String {
    let (constant, entry_type) = (name.text(), name.entry_type());
    let mut text = format!("const {constant}: [{entry_type}; 2] = [\n");
    for (outcome, weights) in entries.iter().enumerate() {
        let mut weights = weights.iter().copied();
        let base = weights.next().unwrap_or(0);
        text += &format!("    {entry_type} {{\n        base: {base},\n");
        for (field, len) in name.fields() {
            let numbers: Vec<i32> = weights.by_ref().take(len.unwrap_or(1)).collect();
            text += &match (len, numbers.as_slice()) {
                (None, [number]) => format!("        {field}: {number},\n"),
                (_, numbers) => format!("        {field}: {numbers:?},\n"),
            };
        }
        text += &format!("    }}{},\n", name.suffix(outcome));
    }
    text + "];"
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::types::Random;

    /// The file that the tables stand in.
    const FILE: &str = include_str!("../../../../src/search/threat/vct/priors.rs");

    /// Returns the text of a table in the file.
    fn in_file(name: Name) -> &'static str {
        let start = FILE.find(&format!("const {}:", name.text())).expect("the file has it");
        let end = FILE[start..].find("];\n").expect("a table ends");
        &FILE[start..start + end + 2]
    }

    /// Returns the numbers in the text of a table.
    fn read(text: &str) -> Vec<Vec<i32>> {
        let entry = |text: &str| {
            let fields = text.split('}').next().unwrap_or_default();
            let words = fields.split(|c: char| !c.is_ascii_digit() && c != '-');
            words.filter_map(|word| word.parse().ok()).collect()
        };
        text.split("{\n").skip(1).map(entry).collect()
    }

    #[test]
    fn what_is_printed_is_what_the_file_holds() {
        for name in NAMES {
            let text = in_file(name);
            let entries = read(text);
            assert!(entries.iter().all(|weights| weights.len() == name.weights()), "{name:?}");
            assert_eq!(table_text(name, &entries), text);
            let is_shifted = matches!(name, Name::Attack | Name::QuietAttack);
            assert_eq!(text.matches("shifted(").count(), if is_shifted { 2 } else { 0 });
        }
    }

    #[test]
    fn a_law_is_found_again() {
        // One part of a doubling each, up to 20 of them, and a base.
        let law = [24, -7, 0, 20, -16];
        let mut random = Random::new(6);
        let mut cases = Cases::default();
        for number in 0..20_000 {
            let mut inputs = vec![1.0];
            inputs.extend((0..4).map(|_| random.below(4) as f64));
            let doublings: f64 = inputs.iter().zip(law).map(|(x, w)| x * f64::from(w)).sum();
            let odds = (doublings / f64::from(DOUBLING)).exp2();
            cases.push(Case { inputs, target: odds / (1.0 + odds) }, number % 10 == 0);
        }
        let (weights, losses) = fitted_weights(&cases, 5).unwrap();
        assert_eq!(weights, law);
        assert!((losses.training - losses.held_out).abs() < 0.02);
    }

    #[test]
    fn a_table_without_cases_is_an_error() {
        let error = fitted(Name::Defence, &[]).unwrap_err();
        assert!(format!("{error:#}").contains("DEFENCE"), "{error:#}");
    }
}
