//! Cycles in a graph of files.
//!
//! A parent and its own children may reach each other through the parent, which holds the type that
//! a child extends. Nothing else may.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Graph, parent};

/// Returns a walk from a file back to itself for every cycle that must not be:
///
/// - one that stands without the edges from a child to its own parent, or
/// - one that is more than a parent and its own children.
pub fn forbidden_cycles(graph: &Graph) -> BTreeSet<Vec<String>> {
    let mut downward = graph.clone();
    for (file, named) in &mut downward {
        let parent = parent(file);
        named.retain(|other| Some(other) != parent.as_ref());
    }
    let between_siblings = connected_sets(&downward).into_iter().map(|set| {
        let file = set.first().expect("a cycle has files");
        walk(&downward, file, file)
    });
    let beyond_families = connected_sets(graph).into_iter().filter_map(|set| {
        // The last of the largest is taken: in reverse order the one nearest to the root.
        let head = set.iter().rev().max_by_key(|file| family(&set, file).len())?;
        let stranger = set.difference(&family(&set, head)).next()?.clone();
        let back = walk(graph, &stranger, head);
        Some(walk(graph, head, &stranger).into_iter().chain(back.into_iter().skip(1)).collect())
    });
    between_siblings.chain(beyond_families).collect()
}

/// Returns the file and its own children, as far as they are in the set.
fn family(set: &BTreeSet<String>, file: &str) -> BTreeSet<String> {
    let is_child = |other: &&String| parent(other).as_deref() == Some(file);
    set.iter().filter(|other| *other == file || is_child(other)).cloned().collect()
}

/// Returns the sets of two files or more that all reach each other.
fn connected_sets(graph: &Graph) -> BTreeSet<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|file| (file, reach(graph, file))).collect();
    let sets = reached.iter().map(|(file, others)| {
        let both = others.iter().filter(|other| reached[*other].contains(file));
        both.map(|other| (*other).clone()).collect::<BTreeSet<String>>()
    });
    sets.filter(|set| set.len() > 1).collect()
}

/// Returns what can be reached from a file by one edge or more.
fn reach<'a>(graph: &'a Graph, file: &'a str) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        open.extend(graph[file].iter().filter(|next| found.insert(*next)).map(String::as_str));
    }
    found
}

/// Returns the shortest walk of one edge or more between two files.
///
/// # Panics
///
/// If there is none.
fn walk(graph: &Graph, from: &str, to: &str) -> Vec<String> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = VecDeque::from([from]);
    while !before.contains_key(to) {
        let file = open.pop_front().expect("a walk exists");
        for next in &graph[file] {
            if !before.contains_key(next.as_str()) {
                before.insert(next, file);
                open.push_back(next);
            }
        }
    }
    let mut walk = vec![to.to_owned()];
    let mut at = to;
    while at != from || walk.len() == 1 {
        at = before[at];
        walk.insert(0, at.to_owned());
    }
    walk
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the forbidden cycles of a graph written as "a.rs: b.rs c.rs" a line.
    fn cycles(lines: &str) -> Vec<String> {
        let mut graph = Graph::new();
        for (file, named) in lines.lines().filter_map(|line| line.trim().split_once(':')) {
            let named: BTreeSet<String> = named.split_whitespace().map(str::to_owned).collect();
            for other in &named {
                graph.entry(other.clone()).or_default();
            }
            graph.entry(file.into()).or_default().extend(named);
        }
        forbidden_cycles(&graph).iter().map(|walk| walk.join(" ")).collect()
    }

    #[test]
    fn no_cycle_is_found_where_there_is_none() {
        assert_eq!(cycles("a.rs: b.rs c.rs\n b.rs: d.rs\n c.rs: d.rs"), [""; 0]);
        assert_eq!(cycles(""), [""; 0]);
    }

    #[test]
    fn a_parent_and_its_children_are_one() {
        assert_eq!(cycles("a.rs: a/b.rs a/c.rs\n a/b.rs: a.rs a/c.rs\n a/c.rs: a.rs"), [""; 0]);
        // Two families that do not meet.
        assert_eq!(
            cycles("a.rs: a/b.rs c.rs\n a/b.rs: a.rs\n c.rs: c/d.rs\n c/d.rs: c.rs"),
            [""; 0]
        );
    }

    #[test]
    fn siblings_make_a_cycle() {
        assert_eq!(
            cycles("a.rs: a/b.rs a/c.rs\n a/b.rs: a/c.rs\n a/c.rs: a/b.rs"),
            ["a/b.rs a/c.rs a/b.rs"]
        );
        let three = cycles("a/b.rs: a/c.rs\n a/c.rs: a/d.rs x.rs\n a/d.rs: a/b.rs");
        assert_eq!(three[0], "a/b.rs a/c.rs a/d.rs a/b.rs");
    }

    #[test]
    fn a_child_that_leads_back_from_outside_makes_a_cycle() {
        let lines = "a.rs: a/b.rs\n a/b.rs: c.rs\n c.rs: a.rs";
        assert_eq!(cycles(lines)[0], "a.rs a/b.rs c.rs a.rs");
        // A child's own child is not of the family.
        let lines = "a.rs: a/b.rs\n a/b.rs: a.rs a/b/c.rs\n a/b/c.rs: a/b.rs";
        assert_eq!(cycles(lines), ["a.rs a/b.rs a/b/c.rs a/b.rs a.rs"]);
        let lines = "a.rs: a/b.rs\n a/b.rs: a/b/c.rs\n a/b/c.rs: a.rs";
        assert_eq!(cycles(lines)[0], "a.rs a/b.rs a/b/c.rs a.rs");
    }
}
