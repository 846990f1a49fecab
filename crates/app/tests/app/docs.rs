//! Runs the commands that README and the documents show, with the files of `docs/examples`. A block
//! that is not run says why. CONTRIBUTING.md has the rules for blocks.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scratch::{folder, text_of};
use crate::shell::{command, printed, run};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A fenced block: its place, what follows the fence, its lines.
struct Block {
    place: String,
    info: String,
    lines: Vec<String>,
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let names = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];
    let mut paths: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
    for folder in ["docs", "scripts", "tests"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        paths.extend(entries.map(|entry| entry.unwrap().path()));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths
}

fn blocks(path: &Path) -> Vec<Block> {
    let text = fs::read_to_string(path).unwrap();
    let (mut blocks, mut is_inside, mut is_after_blank) = (Vec::<Block>::new(), false, true);
    for (number, line) in text.lines().enumerate() {
        let place = format!("{}:{}", path.display(), number + 1);
        match line.trim_start().strip_prefix("```") {
            Some(_) if is_inside => is_inside = false,
            Some(info) => {
                is_inside = true;
                blocks.push(Block { place, info: info.to_owned(), lines: Vec::new() });
            }
            None if is_inside => blocks.last_mut().unwrap().lines.push(line.to_owned()),
            // Deeper lines of a list go on with it.
            None => {
                let is_block = is_after_blank && line.starts_with("    ");
                assert!(!is_block, "{place}: a block without fence");
            }
        }
        is_after_blank = line.is_empty();
    }
    blocks
}

/// Makes the folder in which a document's commands run, with the files that they name.
fn prepare(name: &str) -> PathBuf {
    let folder = folder(name);
    let files = Path::new(ROOT).join("docs/examples");
    let copy = Command::new("cp").arg("-r").arg(files.join(".")).arg(&folder).status();
    assert!(copy.unwrap().success());
    folder
}

/// Makes the folder of programs, which comes first on PATH.
fn programs() -> PathBuf {
    let folder = folder("programs");
    symlink(env!("CARGO_BIN_EXE_tengen"), folder.join("tengen")).unwrap();
    // Cargo builds `pbrain-tengen` for another package; `tengen engine` is the same engine.
    let engine = folder.join("pbrain-tengen");
    fs::write(&engine, "#!/bin/sh\nexec tengen engine \"$@\"\n").unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Runs a command line in a folder and returns what it printed.
fn output_of(programs: &Path, folder: &Path, line: &str, input: &str, place: &str) -> String {
    let path = format!("{}:{}", text_of(programs), std::env::var("PATH").unwrap());
    let line = line.replace("cargo run --release -p tengen-app --", "tengen");
    let line = line.replace("cargo run --release", "pbrain-tengen");
    let mut shell = Command::new("bash");
    shell.args(["-e", "-o", "pipefail", "-c", &line]).current_dir(folder).env("PATH", path);
    let output = run(shell, input);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{place}: {line}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a line without what differs from run to run: numbers, and points in a row.
fn words(line: &str) -> Vec<String> {
    let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let mut words: Vec<String> =
        words.map(|word| if is_number(word) { "#" } else { word }.to_owned()).collect();
    words.dedup_by(|a, b| a == "#" && b == "#");
    words
}

/// Returns true if the lines are those expected, of which `...` stands for any.
fn is_alike(expected: &[&str], found: &[&str]) -> bool {
    match (expected, found) {
        (["...", rest @ ..], _) => {
            (0..=found.len()).any(|skipped| is_alike(rest, &found[skipped..]))
        }
        ([a, expected @ ..], [b, found @ ..]) => words(a) == words(b) && is_alike(expected, found),
        _ => expected.is_empty() && found.is_empty(),
    }
}

/// Runs the commands of a transcript, in which `$ ` begins a command and `> ` a line that is typed.
fn run_transcript(programs: &Path, folder: &Path, block: &Block) -> usize {
    let text = format!("\n{}", block.lines.join("\n"));
    assert!(text.starts_with("\n$ "), "{}: a command is expected", block.place);
    let transcripts = text.split("\n$ ").skip(1);
    transcripts
        .map(|transcript| {
            let is_last = |line: &&str| !line.ends_with('\\');
            let count = transcript.lines().position(|line| is_last(&line)).unwrap() + 1;
            let lines: Vec<&str> = transcript.lines().collect();
            let (command, answer) = lines.split_at(count);
            let typed = answer.iter().filter_map(|line| line.strip_prefix("> "));
            let typed: String = typed.map(|line| format!("{line}\n")).collect();
            let found = output_of(programs, folder, &command.join("\n"), &typed, &block.place);
            let is_shown = |line: &&str| !line.is_empty() && !line.starts_with("> ");
            let expected: Vec<&str> = answer.iter().copied().filter(is_shown).collect();
            let lines: Vec<&str> = found.lines().filter(is_shown).collect();
            assert!(is_alike(&expected, &lines), "{}: it prints\n{found}", block.place);
        })
        .count()
}

#[test]
fn every_command_is_run_or_says_why_not() {
    let checks = [".ci/run", "scripts/check.sh", ".github/workflows/ci.yml"];
    let checks = checks.map(|name| fs::read_to_string(Path::new(ROOT).join(name)).unwrap());
    let programs = programs();
    let mut count = 0;
    for path in documents() {
        let mut folder = None;
        for block in blocks(&path) {
            let place = &block.place;
            let (language, mark) = block.info.split_once(' ').unwrap_or((&block.info, ""));
            assert!(["sh", "console", "json", "sql", "text"].contains(&language), "{place}");
            let reason = mark.strip_prefix("not run: ").map(str::trim);
            assert!(mark.is_empty() || reason.is_some_and(|reason| !reason.is_empty()), "{place}");
            if reason.is_some() || !["sh", "console"].contains(&language) {
                continue;
            }
            let name = path.file_stem().unwrap().to_str().unwrap();
            let folder = folder.get_or_insert_with(|| prepare(name));
            if language == "console" {
                count += run_transcript(&programs, folder, &block);
                continue;
            }
            for line in &block.lines {
                let line = line.split(" #").next().unwrap().trim();
                if line.starts_with("cargo ") && !line.starts_with("cargo run ") {
                    let is_checked = checks.iter().any(|check| check.contains(line));
                    assert!(is_checked, "{place}: {line} is in no script of the CI");
                } else {
                    output_of(&programs, folder, line, "", place);
                }
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn every_option_is_known() {
    let mut helps = BTreeMap::new();
    let mut count = 0;
    for path in documents().into_iter().filter(|path| !path.ends_with("experiments.md")) {
        let text = fs::read_to_string(&path).unwrap();
        for span in text.split('`').filter(|span| span.starts_with("tengen ")) {
            let words: Vec<&str> = span.split_whitespace().skip(1).collect();
            let Some(&word) = words.first() else { continue };
            let help = helps
                .entry(word.to_owned())
                .or_insert_with(|| printed(run(command(&[word, "--help"]), "")));
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let is_known = help.split_whitespace().any(|known| known == *option);
                assert!(is_known, "{}: {span}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 3, "{count}");
}

/// Returns the text of all sources of Rust below a folder.
fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(extension) if extension == "rs" => fs::read_to_string(&path).unwrap(),
        _ => String::new(),
    });
    texts.collect()
}

/// A promise is kept by tests and scripts that are there.
#[test]
fn every_test_and_script_that_is_named_is_there() {
    let root = Path::new(ROOT);
    let code: String = ["src", "crates", "tests"].map(|name| sources(&root.join(name))).concat();
    let is_there = |name: &str| {
        let is_test = |(at, _): (usize, &str)| {
            let before = code[..at].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
            before.ends_with("fn ") || code[at..].starts_with(&format!("{name};"))
        };
        code.match_indices(name).any(is_test)
    };
    let mut count = 0;
    for path in documents().into_iter().filter(|path| !path.ends_with("experiments.md")) {
        let text = fs::read_to_string(&path).unwrap();
        for span in text.split('`').skip(1).step_by(2) {
            let mut words = span.split_whitespace().skip_while(|word| word.contains('='));
            let Some(program) = words.next() else { continue };
            if ["scripts/", "fuzz/"].iter().any(|folder| program.starts_with(folder)) {
                let is_pattern = program.contains(['*', '{']);
                assert!(is_pattern || root.join(program).exists(), "{}: {span}", path.display());
                count += 1;
            }
            if program != "cargo" || words.next() != Some("test") {
                continue;
            }
            let words: Vec<&str> = words.collect();
            let is_value = |at: usize| at > 0 && ["-p", "--test"].contains(&words[at - 1]);
            let filters =
                (0..words.len()).filter(|&at| !words[at].starts_with('-') && !is_value(at));
            for name in filters.flat_map(|at| words[at].split("::")).filter(|name| !name.is_empty())
            {
                assert!(is_there(name), "{}: {span}: no test {name}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 30, "{count}");
}
