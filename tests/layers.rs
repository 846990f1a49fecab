//! The one direction of dependency: no file of `src` names another module of its own level or
//! above. No cyclic dependencies but those of a parent and its own children, which go through the
//! parent. And where unsafe code may stand.

mod source_graph;

use std::fs;
use std::path::{Path, PathBuf};

use source_graph::cycles::forbidden_cycles;
use source_graph::{Part, of_folder, rust_files};

/// The modules of the crate, lowest level first.
const LEVELS: [(&str, u8); 25] = [
    ("fault", 0),
    ("types", 0),
    ("parallel", 0),
    ("closed_output", 0),
    ("whole_file", 0),
    ("tuning", 1),
    ("shape", 1),
    ("board", 2),
    ("eval", 3),
    ("record", 3),
    ("output_file", 4),
    ("search", 4),
    ("database", 5),
    ("opening", 5),
    ("argument", 5),
    ("typed", 5),
    ("bench", 6),
    ("protocol", 6),
    ("play", 6),
    ("analyze", 6),
    ("exchange", 6),
    ("opening_list", 6),
    ("parameter_list", 6),
    ("cli", 7),
    ("lib", 8),
];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns the module of the crate root that a file belongs to.
fn module(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

fn level(file: &str) -> u8 {
    let found = LEVELS.iter().find(|(name, _)| *name == module(file));
    found.unwrap_or_else(|| panic!("{file} has no level")).1
}

/// The tests inside the files and the links of their documentation point down as well.
#[test]
fn dependencies_point_down_only() {
    let graph = of_folder(&src(), Part::Everything);
    assert!(graph.len() > 10);
    for (file, named) in &graph {
        for other in named {
            let is_down = module(other) == module(file) || level(other) < level(file);
            assert!(is_down, "{file} names {other}");
        }
    }
}

#[test]
fn files_stand_in_no_cycle() {
    let programs = fs::read_dir(src().join("bin")).unwrap().map(|entry| entry.unwrap().path());
    for folder in programs.chain([src()]) {
        let graph = of_folder(&folder, Part::Program);
        assert!(graph.values().any(|named| !named.is_empty()), "{}", folder.display());
        let found = forbidden_cycles(&graph);
        let drawn: Vec<String> = found.iter().map(|walk| walk.join(" -> ")).collect();
        assert!(found.is_empty(), "{}: cycles:\n{}", folder.display(), drawn.join("\n"));
    }
}

#[test]
fn every_level_is_of_a_module_that_is_there() {
    for (name, _) in LEVELS {
        assert!(src().join(name).with_extension("rs").is_file(), "no module {name}");
    }
    for file in of_folder(&src(), Part::Program).keys() {
        level(file);
    }
}

/// The files that may have unsafe code: what a processor can do, and how memory comes.
const UNSAFE: [&str; 2] = ["eval/simd.rs", "search/table/buckets.rs"];

/// Cargo.toml denies unsafe code; this finds who allows it to himself. A note on why it is sound is
/// clippy's business.
#[test]
fn unsafe_blocks_stand_where_they_may() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    assert!(UNSAFE.iter().all(|name| src().join(name).is_file()));
    let word = concat!("unsafe", "_code");
    let denial = [&format!("{word} = \"deny\""), "undocumented_unsafe_blocks = \"warn\""];
    assert!(denial.iter().all(|lint| manifest.contains(lint)));
    let folders = ["src", "tests", "examples"];
    for path in folders.iter().flat_map(|folder| rust_files(&package.join(folder))) {
        let may = UNSAFE.iter().any(|name| path == package.join("src").join(name));
        // An attribute may have the word on a line of its own.
        let allows = |line: &str| !line.trim_start().starts_with("//") && line.contains(word);
        let text = fs::read_to_string(&path).unwrap();
        // A file of the list that allows none has lost its place there.
        assert_eq!(text.lines().any(allows), may, "unsafe code in {}", path.display());
    }
}
