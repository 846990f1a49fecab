//! The list of scenarios in `README.md`: complete, and true about where each is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// The scenarios are numbered up to this.
const LAST: u32 = 150;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/protocol")
}

/// Returns the list: the number of each scenario, and the files that show it.
fn list() -> Vec<(String, BTreeSet<String>)> {
    let text = fs::read_to_string(folder().join("README.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ")).map(|line| {
        let columns: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(columns.len(), 4, "{line}");
        let files = columns[3].split('`').skip(1).step_by(2).map(str::to_owned);
        (columns[0].to_owned(), files.collect())
    });
    rows.filter(|(number, _)| number.starts_with(|c: char| c.is_ascii_digit())).collect()
}

/// Returns the numbers that the comments of a file name: `Scenario 5`, `Scenarios 5, 7-9, 114a`.
fn cited(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let comments = text.lines().map(|line| line.trim_start_matches([' ', '/', '#']));
    let numbers = comments
        .filter_map(|line| line.strip_prefix("Scenario"))
        .map(|rest| rest.trim_start_matches('s'))
        .filter(|rest| rest.starts_with(' '));
    for rest in numbers {
        let numbers = rest.split([':', '.', ';']).next().unwrap_or_default();
        for part in numbers.split(',').map(str::trim) {
            let Some((first, last)) = part.split_once('-') else {
                found.insert(part.to_owned());
                continue;
            };
            let number = |text: &str| text.parse::<u32>().unwrap_or_else(|_| panic!("{rest}"));
            found.extend((number(first)..=number(last)).map(|n| n.to_string()));
        }
    }
    found
}

#[test]
fn the_list_is_complete() {
    let numbers: Vec<String> = list().into_iter().map(|(number, _)| number).collect();
    let also = |n: u32| match n {
        38 => &["b", "c"][..],
        59 | 78 | 91 => &["b"],
        114 => &["a"],
        _ => &[],
    };
    let all: Vec<String> = (1..=LAST)
        .flat_map(|n| [""].iter().chain(also(n)).map(move |letter| format!("{n}{letter}")))
        .collect();
    assert_eq!(numbers, all);
}

#[test]
fn every_scenario_is_shown_where_the_list_says() {
    let list: BTreeMap<_, _> = list().into_iter().collect();
    for file in list.values().flatten() {
        assert!(folder().join(file).is_file(), "no file {file}");
    }
    let beside = list.iter().flat_map(|(number, files)| {
        let files = files.iter().filter(|file| !file.contains('/'));
        files.map(move |file| (number.clone(), file.clone()))
    });
    let mut unshown: BTreeSet<(String, String)> = beside.collect();
    let mut count = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if ["README.md", "scenarios.rs"].contains(&name) {
            continue;
        }
        for number in cited(&fs::read_to_string(&path).unwrap()) {
            let shown = list.get(&number).unwrap_or_else(|| panic!("{name}: {number:?}"));
            assert!(shown.contains(name), "{name} shows scenario {number}, the list does not say");
            unshown.remove(&(number, name.to_owned()));
            count += 1;
        }
    }
    assert!(count > LAST / 2, "{count}");
    assert!(unshown.is_empty(), "the list says what these files do not: {unshown:?}");
}

#[test]
fn citations_are_read() {
    let text = "// Scenarios 5, 7-9, 114a: x 3.\n# Scenario 2. And 4\n// Scenario: 6";
    let expected = ["114a", "2", "5", "7", "8", "9"].map(str::to_owned);
    assert_eq!(cited(text), BTreeSet::from(expected));
}
