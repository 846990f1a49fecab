//! The documents and the sources: every file that they name is there; one file reads the time.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files below a folder whose names end so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_str().unwrap().ends_with(ending) {
            found.push(path);
        }
    }
    found
}

/// Returns the names in backticks that are paths of source files.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let is_path = |word: &&str| {
        let endings = [".rs", ".py", ".sh", ".md", ".js", ".html"];
        let has_ending = endings.iter().any(|ending| word.ends_with(ending));
        let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
        word.contains('/') && has_ending && is_plain
    };
    text.split('`').skip(1).step_by(2).filter(is_path)
}

#[test]
fn every_file_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    for folder in ["docs", "tests", "scripts"] {
        texts.extend(files(&root.join(folder), ".md").into_iter().map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        }));
    }
    // What a log or a changelog names may be gone.
    texts.retain(|(path, _)| !path.ends_with("experiments.md"));
    texts.push((root.join("README.md"), fs::read_to_string(root.join("README.md")).unwrap()));
    for folder in ["src", "crates", "tests"] {
        for path in files(&root.join(folder), ".rs") {
            let text = fs::read_to_string(&path).unwrap();
            let head = text.lines().take_while(|line| line.starts_with("//!"));
            let head = head.map(|line| &line[3..]).collect::<Vec<&str>>().join("\n");
            texts.push((path, head));
        }
    }
    let mut count = 0;
    for (path, text) in &texts {
        let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        let folders: Vec<&Path> = folders.collect();
        for name in named(text) {
            let is_there = folders.iter().any(|folder| folder.join(name).is_file());
            assert!(is_there, "{} names {name}", path.display());
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn the_engine_reads_time_through_one_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = files(&root.join("src"), ".rs");
    let has_clock = |path: &&PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let is_clock = |line: &str| line.contains("std::time") && line.contains("Instant");
        text.contains("SystemTime") || text.lines().any(is_clock)
    };
    let with_clock: Vec<&PathBuf> = sources.iter().filter(has_clock).collect();
    assert_eq!(with_clock, [&root.join("src/time.rs")]);
}
