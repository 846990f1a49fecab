//! The graph of the files of `src`, or of one of its programs: which file names what of which other.
//!
//! A path of the source resolves to the file that defines what it names, past every re-export on
//! the way. Knows nothing of levels: `tests/layers.rs` says which edges may be.

pub mod cycles;
mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub use paths::Part;
use paths::Scope;

/// Every file, by its path below `src`, and the files it names.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// Imports that may stand for each other before a path is given up: a chain of them may be
/// circular.
const IMPORTS_MAX: usize = 32;

/// Returns the Rust files of a folder and of those in it.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the graph of the library or the program whose root, `lib.rs` or `main.rs`, is in this
/// folder. The programs beside a library (`main.rs` and `bin`) stand above it, which cannot name
/// them, and are left out.
pub fn of_folder(src: &Path, part: Part) -> Graph {
    let is_library = src.join("lib.rs").is_file();
    let mut sources = BTreeMap::new();
    for path in rust_files(src) {
        let name = path.strip_prefix(src).unwrap().to_str().unwrap().replace('\\', "/");
        if !is_library || name != "main.rs" && !name.starts_with("bin/") {
            sources.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    of_sources(&sources, part)
}

/// Returns the file whose module declares this one's: `search.rs` for `search/vcf.rs`, `lib.rs` for
/// `search.rs`, and nothing for `lib.rs`.
pub fn parent(file: &str) -> Option<String> {
    let mut module = module_of(file);
    module.pop()?;
    Some(if module.is_empty() { "lib.rs".into() } else { format!("{}.rs", module.join("/")) })
}

/// Returns the parts of the path of a file's module.
fn module_of(file: &str) -> Vec<String> {
    let name = file.strip_suffix(".rs").expect("a Rust file");
    let is_root = ["lib", "main"].contains(&name);
    if is_root { Vec::new() } else { name.split('/').map(str::to_owned).collect() }
}

/// Returns the graph of these files, each with its text.
fn of_sources(sources: &BTreeMap<String, String>, part: Part) -> Graph {
    let mut library = Library::default();
    for (file, text) in sources {
        library.add(module_of(file), file, paths::read(file, text, part));
    }
    let mut graph: Graph = sources.keys().map(|file| (file.clone(), BTreeSet::new())).collect();
    for (name, module) in &library.modules {
        let own = graph.get_mut(&module.file).expect("the file was added");
        let uses = module.scope.uses.iter().map(|(_, path)| path);
        let named = uses.chain(&module.scope.paths);
        own.extend(named.filter_map(|path| library.resolve(name, path, IMPORTS_MAX)));
        own.remove(&module.file);
    }
    graph
}

/// A module of the library: a file, or a part of one in braces.
struct Module {
    file: String,
    scope: Scope,
}

/// The modules of the library by their paths.
#[derive(Default)]
struct Library {
    modules: BTreeMap<Vec<String>, Module>,
}

impl Library {
    fn add(&mut self, name: Vec<String>, file: &str, mut scope: Scope) {
        for (child, scope) in std::mem::take(&mut scope.modules) {
            let name = name.iter().cloned().chain([child]).collect();
            self.add(name, file, scope);
        }
        self.modules.insert(name, Module { file: file.into(), scope });
    }

    /// Returns the file that defines what this path names inside a module, if the library does.
    fn resolve(&self, module: &[String], path: &[String], imports: usize) -> Option<String> {
        let mut at = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &path[1..]),
            "self" | "super" => {
                while let Some(word) =
                    rest.first().filter(|word| ["self", "super"].contains(&word.as_str()))
                {
                    if word == "super" {
                        at.pop()?;
                    }
                    rest = &rest[1..];
                }
            }
            // The name of another crate, of a type or of a generic parameter is no module's.
            first if !self.has(module, first) => return None,
            _ => {}
        }
        self.descend(at, rest, imports)
    }

    /// Returns true if `name` is a child of the module or something that it imports.
    fn has(&self, module: &[String], name: &str) -> bool {
        let scope = &self.modules[module].scope;
        self.modules.contains_key(&child(module, name))
            || scope.uses.iter().any(|(alias, _)| alias == name)
    }

    /// Returns the file of what a path below a module names.
    fn descend(&self, module: Vec<String>, path: &[String], imports: usize) -> Option<String> {
        let Module { file, scope } = self.modules.get(&module)?;
        // A star stands for the module itself; what it brings is looked up where it is named.
        let Some(name) = path.first().filter(|name| *name != "*") else {
            return Some(file.clone());
        };
        if self.modules.contains_key(&child(&module, name)) {
            return self.descend(child(&module, name), &path[1..], imports);
        }
        if scope.items.contains(name) || imports == 0 {
            return Some(file.clone());
        }
        if let Some((_, target)) = scope.uses.iter().find(|(alias, _)| alias == name) {
            let full: Vec<String> = target.iter().chain(&path[1..]).cloned().collect();
            return self.resolve(&module, &full, imports - 1);
        }
        let stars = scope.uses.iter().filter(|(alias, _)| alias == "*");
        let mut brought = stars.filter_map(|(_, target)| {
            let folder = &target[..target.len() - 1];
            let full: Vec<String> = folder.iter().chain(path).cloned().collect();
            let found = self.resolve(&module, &full, imports - 1)?;
            self.defines(&found, name).then_some(found)
        });
        Some(brought.next().unwrap_or_else(|| file.clone()))
    }

    fn defines(&self, file: &str, name: &str) -> bool {
        self.modules.values().any(|m| m.file == file && m.scope.items.contains(name))
    }
}

fn child(module: &[String], name: &str) -> Vec<String> {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the edges between files, of which each is given by its name and text.
    fn edges(files: &[(&str, &str)]) -> Vec<String> {
        let sources = files.iter().map(|&(file, text)| (file.into(), text.into())).collect();
        let graph = of_sources(&sources, Part::Program);
        graph
            .iter()
            .flat_map(|(file, named)| named.iter().map(move |n| format!("{file} {n}")))
            .collect()
    }

    #[test]
    fn paths_lead_to_the_deepest_file() {
        let files = [
            ("lib.rs", "pub mod board; mod search;"),
            ("board.rs", "pub mod notation; pub struct Board;"),
            ("board/notation.rs", "use super::Board; pub fn point() {}"),
            ("search.rs", "mod tree; fn f() { crate::board::notation::point(); }"),
            (
                "search/tree.rs",
                "use crate::board::{self, Board}; fn f() { board::notation::point() }",
            ),
        ];
        assert_eq!(
            edges(&files),
            [
                "board/notation.rs board.rs",
                "search.rs board/notation.rs",
                "search/tree.rs board.rs",
                "search/tree.rs board/notation.rs",
            ]
        );
    }

    #[test]
    fn a_name_leads_past_those_who_only_pass_it_on() {
        let files = [
            ("lib.rs", "mod a; pub use a::b::Deep;"),
            (
                "a.rs",
                "pub mod b; mod c; pub use b::{Deep, Other as Alias}; pub(crate) use c::*; pub struct Own;",
            ),
            ("a/b.rs", "pub struct Deep; pub struct Other;"),
            ("a/c.rs", "use super::Own; use crate::Deep; pub struct Starred;"),
            ("d.rs", "use crate::a::{Alias, Deep};"),
            ("e.rs", "use crate::a::{Own, Starred};"),
        ];
        assert_eq!(
            edges(&files),
            [
                "a.rs a/b.rs",
                "a.rs a/c.rs",
                "a/c.rs a.rs",
                "a/c.rs a/b.rs",
                "d.rs a/b.rs",
                "e.rs a.rs",
                "e.rs a/c.rs",
                "lib.rs a/b.rs",
            ]
        );
    }

    #[test]
    fn modules_in_braces_belong_to_their_file() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod inner { use super::super::b::f; pub fn g() { super::h() } } fn h() {}"),
            ("b.rs", "pub fn f() { crate::a::inner::g() }"),
        ];
        assert_eq!(edges(&files), ["a.rs b.rs", "b.rs a.rs"]);
    }

    #[test]
    fn circular_imports_end() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::X;"),
            ("b.rs", "use crate::a::X;"),
        ];
        assert_eq!(edges(&files).len(), 2);
    }

    #[test]
    fn parents_are_known() {
        assert_eq!(parent("lib.rs"), None);
        assert_eq!(parent("a.rs").as_deref(), Some("lib.rs"));
        assert_eq!(parent("a/b/c.rs").as_deref(), Some("a/b.rs"));
    }
}
