//! The one direction of dependency: no file of `src` names a module of its own level or above. And
//! where unsafe code may stand.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the crate, lowest level first.
const LEVELS: [(&str, u8); 18] = [
    ("fault", 0),
    ("types", 0),
    ("parallel", 0),
    ("closed_output", 0),
    ("tuning", 1),
    ("shape", 1),
    ("board", 2),
    ("eval", 3),
    ("record", 3),
    ("search", 4),
    ("opening", 5),
    ("bench", 6),
    ("protocol", 6),
    ("play", 6),
    ("analyze", 6),
    ("opening_list", 6),
    ("cli", 7),
    ("lib", 8),
];

fn level(module: &str) -> u8 {
    let found = LEVELS.iter().find(|(name, _)| *name == module);
    found.unwrap_or_else(|| panic!("{module} has no level")).1
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the first parts of the paths that stand behind every `crate::`, groups included.
fn modules_named(source: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let mut named = Vec::new();
    for (at, prefix) in source.match_indices("crate::") {
        let rest = &source[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            named.push(word(rest));
            continue;
        };
        let mut depth = 1;
        let mut expects_word = true;
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => expects_word = true,
                c if expects_word && c.is_alphabetic() => {
                    named.push(word(&group[i..]));
                    expects_word = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    named
}

#[test]
fn dependencies_point_down_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&src, &mut found);
    assert!(found.len() > 10);
    for path in found {
        let relative = path.strip_prefix(&src).unwrap().with_extension("");
        let own = relative.iter().next().unwrap().to_str().unwrap();
        // Programs are crates of their own: what they name stands in themselves.
        if own == "main" || own == "bin" {
            continue;
        }
        for named in modules_named(&fs::read_to_string(&path).unwrap()) {
            // Items of the crate root are not modules.
            let is_module = LEVELS.iter().any(|(name, _)| *name == named);
            assert!(is_module, "{}: crate::{named} has no level", path.display());
            let is_down = named == own || level(&named) < level(own);
            assert!(is_down, "{} names crate::{named}", path.display());
        }
    }
}

/// The files that may have unsafe code: what a processor can do, and how memory comes.
const UNSAFE: [&str; 3] = ["eval/simd.rs", "search/table.rs", "search/table/buckets.rs"];

/// Cargo.toml denies unsafe code; this finds who allows it to himself. A note on why it is sound is
/// clippy's business.
#[test]
fn unsafe_code_stands_where_it_may() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let denial = ["unsafe_code = \"deny\"", "undocumented_unsafe_blocks = \"warn\""];
    assert!(denial.iter().all(|lint| manifest.contains(lint)));
    let mut found = Vec::new();
    ["src", "tests", "examples"].iter().for_each(|folder| files(&package.join(folder), &mut found));
    let word = concat!("unsafe", "_code");
    for path in found {
        let may = UNSAFE.iter().any(|name| path == package.join("src").join(name));
        let allows = |line: &str| line.trim_start().starts_with('#') && line.contains(word);
        let text = fs::read_to_string(&path).unwrap();
        assert!(may || !text.lines().any(allows), "{} allows unsafe code", path.display());
    }
}

#[test]
fn groups_are_understood() {
    let source = "use crate::{board::{Board, Key}, types::Coord}; crate::eval::f()";
    assert_eq!(modules_named(source), ["board", "types", "eval"]);
}
