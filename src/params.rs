//! Prints the tunable parameters of `search::params`.

use std::io::{self, Write};

use anyhow::Context;

use crate::search::{Param, Params};
use crate::types::Rule;

/// Prints a line for each parameter: name, the default of most rules, range, meaning, and other
/// rules' defaults.
pub fn run() -> anyhow::Result<()> {
    print(&mut io::stdout().lock()).context("cannot write the list")
}

fn print(out: &mut impl Write) -> io::Result<()> {
    for param in Params::list() {
        let range = format!("{}..={}", param.range.start(), param.range.end());
        let (name, meaning) = (param.name, param.meaning);
        writeln!(
            out,
            "{name:<24} {:>6} {range:<12} {meaning}{}",
            common(param),
            exceptions(param)
        )?;
    }
    Ok(())
}

fn common(param: &Param) -> i64 {
    let defaults = Rule::ALL.map(|rule| param.default(rule));
    let count = |value: &i64| defaults.iter().filter(|&other| other == value).count();
    defaults.into_iter().max_by_key(count).expect("invariant: there are rules")
}

fn exceptions(param: &Param) -> String {
    let rules = Rule::ALL.into_iter().filter(|&rule| param.default(rule) != common(param));
    rules.map(|rule| format!(" {}: {}.", rule.name(), param.default(rule))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_has_a_line() {
        let mut printed = Vec::new();
        print(&mut printed).unwrap();
        let text = String::from_utf8(printed).unwrap();
        assert_eq!(text.lines().count(), Params::list().len());
        for (line, param) in text.lines().zip(Params::list()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let default = common(param).to_string();
            let range = format!("{}..={}", param.range.start(), param.range.end());
            assert_eq!(words[..3], [param.name, &default, &range]);
        }
        let line = text.lines().find(|line| line.starts_with("reduction_factor")).unwrap();
        assert!(line.contains(" 650 ") && line.ends_with(" caro: 800. caro-exact: 800."), "{line}");
    }
}
