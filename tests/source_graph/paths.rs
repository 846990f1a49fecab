//! Reads the paths of a Rust source: what it imports, names in full, defines and nests.
//!
//! The text is cut into tokens by `proc_macro2`, so that strings and comments name nothing. Knows
//! one file at a time: what a path means is for the whole graph to say.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream::IntoIter};

/// What stands in a module: in a file, or in braces inside one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The imports: the name that each has here, `*` for all names, and the path.
    pub uses: Vec<(String, Vec<String>)>,
    /// The paths of two parts or more that stand in the code.
    pub paths: BTreeSet<Vec<String>>,
    /// The names of what is defined here.
    pub items: BTreeSet<String>,
    /// The modules in braces.
    pub modules: BTreeMap<String, Scope>,
}

/// Which part of a source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the program is built from.
    Program,
    /// The same with its tests and documentation.
    Everything,
}

type Tokens = Peekable<IntoIter>;

/// Returns what stands in a file.
///
/// # Panics
///
/// If the text is no Rust.
pub fn read(file: &str, text: &str, part: Part) -> Scope {
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut scope = Scope::default();
    scope.read(tokens, part, true);
    scope
}

impl Scope {
    /// Takes notice of tokens, which stand directly in the module or deeper inside an item.
    fn read(&mut self, tokens: TokenStream, part: Part, is_top: bool) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    let attribute = attribute(&mut tokens);
                    if part == Part::Everything {
                        self.paths.extend(links(&attribute));
                    } else if attribute == "cfg(test)" || attribute == "cfg(doc)" {
                        skip_item(&mut tokens);
                    }
                }
                TokenTree::Group(group) => self.read(group.stream(), part, false),
                TokenTree::Ident(word) => {
                    self.read_word(word.to_string(), &mut tokens, part, is_top)
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn read_word(&mut self, word: String, tokens: &mut Tokens, part: Part, is_top: bool) {
        match word.as_str() {
            "use" => self.read_use(tokens, Vec::new()),
            // `pub(in crate::search)` names no dependency.
            "pub" => {
                let is_visibility = |token: &TokenTree| {
                    matches!(token, TokenTree::Group(group)
                    if group.stream().into_iter().next().is_some_and(|first| first.to_string() == "in"))
                };
                tokens.next_if(is_visibility);
            }
            "mod" if is_top => {
                let name = tokens.next().map_or(String::new(), |name| name.to_string());
                if let Some(body) = group(tokens, Delimiter::Brace) {
                    self.modules.entry(name).or_default().read(body, part, true);
                }
            }
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                if is_top =>
            {
                if let Some(TokenTree::Ident(name)) = tokens.peek() {
                    self.items.insert(name.to_string());
                }
            }
            _ => {
                let mut path = vec![word];
                while is_path_separator(tokens) {
                    match tokens.next_if(|token| matches!(token, TokenTree::Ident(_))) {
                        Some(part) => path.push(part.to_string()),
                        None => break,
                    }
                }
                if path.len() > 1 {
                    self.paths.insert(path);
                }
            }
        }
    }

    /// Reads one tree of an import, behind the parts that it shares with others.
    fn read_use(&mut self, tokens: &mut Tokens, mut path: Vec<String>) {
        while let Some(token) = tokens.next_if(|token| token.to_string() != ",") {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    let alias = tokens.next().expect("a name").to_string();
                    self.uses.push((alias, path));
                    return;
                }
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let mut trees = group.stream().into_iter().peekable();
                    while trees.peek().is_some() {
                        self.read_use(&mut trees, path.clone());
                        trees.next_if(|token| token.to_string() == ",");
                    }
                    return;
                }
                TokenTree::Punct(punct) => match punct.as_char() {
                    '*' => path.push("*".into()),
                    ';' => break,
                    _ => {}
                },
                TokenTree::Literal(_) => {}
            }
        }
        // `self` in a group is what stands before it.
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(name) = path.last().cloned() {
            self.uses.push((name, path));
        }
    }
}

/// Reads the rest of an attribute and returns its text without blanks.
fn attribute(tokens: &mut Tokens) -> String {
    tokens.next_if(|token| token.to_string() == "!");
    let text = group(tokens, Delimiter::Bracket).map_or(String::new(), |body| body.to_string());
    text.split_whitespace().collect()
}

/// Returns the full paths that a documentation comment names.
fn links(attribute: &str) -> Vec<Vec<String>> {
    if !attribute.starts_with("doc=") {
        return Vec::new();
    }
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let starts = attribute.match_indices("crate::").map(|(at, _)| &attribute[at..]);
    starts
        .map(|text| &text[..text.find(|c| !is_path(c)).unwrap_or(text.len())])
        .map(|path| path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect())
        .collect()
}

/// Skips an item up to its body or semicolon.
fn skip_item(tokens: &mut Tokens) {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => token.to_string() == ";",
    };
    tokens.find(is_end).expect("the end of the item");
}

/// Returns the content of the group that comes next, if it is one of this kind.
fn group(tokens: &mut Tokens, delimiter: Delimiter) -> Option<TokenStream> {
    let is_wanted = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter);
    match tokens.next_if(is_wanted) {
        Some(TokenTree::Group(group)) => Some(group.stream()),
        _ => None,
    }
}

/// Takes a `::`, if it comes next.
fn is_path_separator(tokens: &mut Tokens) -> bool {
    let is_colon =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
    let Some(TokenTree::Punct(first)) = tokens.peek() else { return false };
    if first.as_char() != ':' || first.spacing() != proc_macro2::Spacing::Joint {
        return false;
    }
    tokens.next();
    tokens.next_if(is_colon).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(text: &str) -> Vec<String> {
        let scope = read("file.rs", text, Part::Program);
        scope.uses.iter().map(|(name, path)| format!("{name}={}", path.join("::"))).collect()
    }

    fn paths(text: &str, part: Part) -> Vec<String> {
        read("file.rs", text, part).paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn imports_are_trees() {
        assert_eq!(uses("use crate::a::B;"), ["B=crate::a::B"]);
        assert_eq!(
            uses("pub use super::{a::{self, B as C}, d::*,};"),
            ["a=super::a", "C=super::a::B", "*=super::d::*",]
        );
        assert_eq!(
            uses("pub(in crate::x) use a; fn f() { use self::g::H; }"),
            ["a=a", "H=self::g::H"]
        );
    }

    #[test]
    fn paths_stand_anywhere_in_the_code() {
        let text =
            "fn f(x: crate::a::A) -> Option<super::B<c::D>> { g!(h::i(), \"j::k\"); x.l::<m::N>() }
            pub(in crate::o) struct P(pub crate::q::R); /* s::t */ // u::v
            /// [`crate::w::x`]
            #[cfg(test)] mod tests { fn f() { y::z() } }
            #[cfg(doc)] use crate::doc::Link;";
        let program = ["c::D", "crate::a::A", "crate::q::R", "h::i", "m::N", "super::B"];
        assert_eq!(paths(text, Part::Program), program);
        let everything = paths(text, Part::Everything);
        assert!(everything.contains(&"crate::w::x".into()), "{everything:?}");
        let scope = read("file.rs", text, Part::Everything);
        assert!(scope.modules["tests"].paths.contains(&vec!["y".into(), "z".into()]));
        assert_eq!(scope.uses.len(), 1);
    }

    #[test]
    fn what_is_defined_is_told_apart_from_what_is_nested() {
        let scope = read(
            "file.rs",
            "mod a; mod b { fn c() {} } enum D {} fn e() { struct F; }",
            Part::Program,
        );
        assert_eq!(scope.items.into_iter().collect::<Vec<_>>(), ["D", "e"]);
        assert_eq!(scope.modules.into_keys().collect::<Vec<_>>(), ["b"]);
    }
}
