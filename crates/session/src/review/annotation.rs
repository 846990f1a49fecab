//! Notes of a review in a game's tree: comments, marks, and better lines as variations.
//!
//! The notes of a review begin with Tengen's signature. A new review replaces them where it has
//! judged the position. All other notes stay, and the database's entry line is still the last line
//! of its comment.

use tengen_gomoku::board::notation::names;
use tengen_gomoku::record::signature::{SIGNATURE, is_entry_line, split_entry_line};
use tengen_gomoku::record::tree::{Editor, GameTree, Mark, NodeId, Notes, Quality, Step};
use tengen_gomoku::types::{Color, Coord};

use super::verdict::{Severity, Verdict};
use super::{Line, Review, percent};

/// Part of every verdict's comment.
const JUDGEMENT: &str = "Win rate of ";
/// Beginnings of verdicts on moves that are not bad.
const NOT_BAD: [&str; 2] = ["the best move", "a good move"];
/// Beginnings of the comments on lines, which are at their first moves.
const BETTER: &str = "better: ";
const FORCED_WIN: &str = "the forced win: ";

/// Returns a tree with the nodes of the reviewed one, with the review.
pub fn annotate(review: &Review, mut tree: GameTree) -> GameTree {
    tree.rule = Some(review.rule);
    tree.outcome = tree.outcome.or(review.outcome());
    let nodes: Vec<NodeId> = tree.preorder().collect();
    nodes.iter().for_each(|&node| remove_old(review, &mut tree, node));
    // Best lines never extend the main line.
    let end = tree.main_line().filter(|&node| tree.is_position(node)).last();
    let end = end.unwrap_or(tree.root());
    let mut editor = Editor::new(tree);
    for (color, summary) in Color::ALL.into_iter().zip(review.summaries()) {
        if summary.moves > 0 {
            add_comment(editor.tree.notes_mut(nodes[0]), &format!("{color}: {summary}."));
        }
    }
    for node in nodes {
        let best = review.best_line(node);
        let Some(verdict) = review.verdict(node) else {
            if let Some((line, to_move)) = best {
                add_comment(editor.tree.notes_mut(node), &line.words(to_move));
            }
            continue;
        };
        judge(editor.tree.notes_mut(node), &verdict);
        if verdict.is_bad()
            && let Some(before) = review.position_before(node)
            && let Some(better) = review.best_line(before)
        {
            add_line(&mut editor, end, before, BETTER, better);
        }
        if let Some(win) = best.filter(|_| verdict.is_allowed_win) {
            add_line(&mut editor, end, node, FORCED_WIN, win);
        }
    }
    editor.tree
}

/// Adds the verdict on a move: a comment, a sign and marks.
fn judge(notes: &mut Notes, verdict: &Verdict) {
    let Verdict { color, best, before, after, .. } = verdict;
    let better = if verdict.is_best { String::new() } else { format!("; {best} was best") };
    let (before, after) = (percent(*before), percent(*after));
    let rates = format!("{JUDGEMENT}{color}: {before} before, {after} after.");
    add_comment(notes, &format!("{verdict}{better}. {rates}"));
    notes.quality = notes.quality.or(verdict.marked_severity().map(quality_of));
    if verdict.is_bad() {
        let played = verdict.played.map(|c| (c, Mark::Cross));
        for mark in played.into_iter().chain([(*best, Mark::Circle)]) {
            if !notes.marks.contains(&mark) {
                notes.marks.push(mark);
            }
        }
    }
}

/// Adds the best line of a position as a variation, or as a comment at the end of the main line.
/// The comment begins with `what`. The variation ends before a move that cannot be played.
fn add_line(
    editor: &mut Editor,
    end: NodeId,
    node: NodeId,
    what: &str,
    (line, to_move): (&Line, Color),
) {
    let words = format!("{what}{}", line.words(to_move));
    if node == end {
        let line = names(&line.moves).join(" ");
        return add_comment(editor.tree.notes_mut(node), &format!("{words} Line: {line}."));
    }
    editor.go_to(node);
    let mut color = to_move;
    for (i, &mv) in line.moves.iter().enumerate() {
        if editor.at() == end || editor.follow(Step::Stone(color, mv)).is_err() {
            break;
        }
        if i == 0 {
            add_comment(editor.notes(), &words);
        }
        color = !color;
    }
}

fn quality_of(severity: Severity) -> Quality {
    match severity {
        Severity::Inaccuracy => Quality::Doubtful,
        Severity::Mistake => Quality::Bad,
        Severity::Blunder => Quality::VeryBad,
    }
}

fn add_comment(notes: &mut Notes, words: &str) {
    let line = format!("{SIGNATURE}{words}");
    // Two mistakes may have the same better line, whose comment is added once.
    if notes.comment.lines().any(|old| old == line) {
        return;
    }
    let (before, entry_line) = split_entry_line(&notes.comment);
    let lines = [before, &line, entry_line.unwrap_or_default()];
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    notes.comment = lines.join("\n");
}

pub fn is_review_line(line: &str) -> bool {
    line.starts_with(SIGNATURE) && !is_entry_line(line)
}

/// Returns the sign of a bad move with these words of an earlier review.
fn quality_in(words: &str) -> Quality {
    quality_of(if words.starts_with("a blunder") {
        Severity::Blunder
    } else if words.starts_with("an inaccuracy;") {
        Severity::Inaccuracy
    } else {
        // An inaccuracy that misses or allows a forced win has the sign of a mistake.
        Severity::Mistake
    })
}

/// Returns true if this review replaces a comment of an earlier one: the summaries by new ones, any
/// other comment where it knows the position, or for a line the one before.
fn replaces(review: &Review, node: NodeId, words: &str) -> bool {
    if Color::ALL.iter().any(|color| words.starts_with(&format!("{color}: "))) {
        return review.summaries().iter().any(|summary| summary.moves > 0);
    }
    let is_line = [BETTER, FORCED_WIN].iter().any(|what| words.starts_with(what));
    let before = review.position_before(node).filter(|_| is_line);
    [Some(node), before].into_iter().flatten().any(|node| review.finding(node).is_some())
}

/// Removes from a node what this review replaces of an earlier one: comments, the sign of a bad
/// move, and the marks on that move and on the better one. A sign that the review cannot have set
/// stays.
fn remove_old(review: &Review, tree: &mut GameTree, node: NodeId) {
    let comment = tree.notes(node).map_or(String::new(), |notes| notes.comment.clone());
    let is_old =
        |line: &&str| is_review_line(line) && replaces(review, node, &line[SIGNATURE.len()..]);
    let (old, kept): (Vec<&str>, Vec<&str>) = comment.lines().partition(is_old);
    if old.is_empty() {
        return;
    }
    let (size, step) = (tree.size(), tree.step(node));
    let notes = tree.notes_mut(node);
    let judgement = old.iter().filter_map(|line| line.strip_prefix(SIGNATURE));
    let judgement = judgement.filter(|words| words.contains(JUDGEMENT));
    for words in judgement.filter(|words| !NOT_BAD.iter().any(|good| words.starts_with(good))) {
        notes.quality = notes.quality.filter(|&sign| sign != quality_in(words));
        let is_best = |c: Coord| words.contains(&format!("; {c} was best"));
        notes.marks.retain(|&(c, mark)| match mark {
            Mark::Cross => !matches!(step, Some(Step::Stone(_, played)) if played == c),
            // The rows may have been counted from the other side.
            Mark::Circle => !is_best(c) && !is_best(size.flipped(c)),
            _ => true,
        });
    }
    notes.comment = kept.join("\n");
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Finding, Value};
    use super::*;
    use tengen_gomoku::record::parse;
    use tengen_gomoku::types::{BoardSize, Rule};

    /// Returns the annotated game of a text whose first positions have these win rates.
    fn reviewed(text: &str, rates: &[f64]) -> GameTree {
        let tree = parse(text, BoardSize::new(15, 15).unwrap()).remove(0).tree;
        let main_line: Vec<NodeId> = tree.main_line().collect();
        let mut review = Review::new(Arc::new(tree), main_line.clone(), Rule::Freestyle);
        for (node, &win_rate) in main_line.into_iter().zip(rates) {
            let value = Value::Estimate { win_rate, score: None };
            let moves = vec![Coord::new(0, 0), Coord::new(1, 0)];
            let lines = vec![Line { moves, value, depth: 3 }];
            review.add(node, Finding::Evaluated { lines, others_lose: false });
        }
        annotate(&review, GameTree::clone(&review.tree))
    }

    #[test]
    fn another_review_takes_the_place_of_the_first() {
        let text = reviewed("h8i9h10j11", &[0.5, 0.9, 0.15]).to_sgf();
        assert!(text.contains("BM[2]CR[aa]MA[hh]"), "{text}");
        let tree = reviewed(&text, &[0.5, 0.55]);
        let first_move = tree.main_line().nth(1).unwrap();
        let words = "a good move; a1 was best. Win rate of black: 50 % before, 45 % after.";
        let comment = format!("Tengen: {words}");
        assert_eq!(tree.notes(first_move), Some(&Notes { comment, ..Notes::default() }));
        let turned = text.replace("; a1 was", "; a15 was");
        assert!(turned != text && !reviewed(&turned, &[0.5, 0.55]).to_sgf().contains("CR["));
        // The better line of the first review stays, without its words.
        let words = |word: &str| tree.to_sgf().matches(word).count();
        assert_eq!((words("better"), words("BM["), words("MA[")), (0, 0, 0));
        assert_eq!(words("Tengen: black: 1 move"), 1);
    }

    #[test]
    fn notes_stay_where_there_is_no_new_review() {
        let text = reviewed("h8i9h10j11", &[0.5, 0.9, 0.15]).to_sgf();
        assert_eq!(reviewed(&text, &[]).to_sgf(), text);
        let words = "a blunder; a1 was best. Win rate of white: 80 % before, 20 % after.";
        let aside = format!("(;W[ii]C[Tengen: {words}]BM[2]CR[ao]MA[ii])");
        let tree = reviewed(&format!("(;SZ[15];B[hh](;W[hi]){aside})"), &[0.5, 0.5, 0.5]);
        let first_move = tree.main_line().nth(1).unwrap();
        let notes = tree.children(first_move).last().and_then(|node| tree.notes(node)).unwrap();
        assert!(notes.comment.ends_with(words) && notes.quality == Some(Quality::VeryBad));
        assert_eq!(notes.marks.len(), 2);
    }
}
