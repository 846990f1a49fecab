//! A review as notes in the game's own tree: comments, marks, and better lines as variations.
//!
//! What the file said before stays, and so do the lines of the database, which is to find them last.
//! Notes of an earlier review are replaced, known by how their comments begin. Knows no file format.

use super::{Review, Verdict};
use crate::analyze::finding::{Finding, proven_win};
use crate::database::entry_line::{SIGNATURE, is_entry_line, split_entry_line};
use crate::eval::win_rate::{Severity, percent, win_rate};
use crate::record::tree::{Editor, GameTree, Mark, NodeId, Notes, Quality, Step};
use crate::search::Report;
use crate::types::{Color, Coord, Rule};

/// Words of every line that judges a move.
const JUDGEMENT: &str = "Win rate of ";
/// The beginnings of such a line about a move that is not bad.
const NOT_BAD: [&str; 2] = ["the best move", "a good move"];

/// Returns the game with what the review found.
pub(in crate::analyze) fn annotated(review: &Review) -> GameTree {
    let tree = review.game.tree.clone();
    let end = tree.main_line().last().unwrap_or(tree.root());
    let nodes: Vec<NodeId> = tree.preorder().collect();
    let mut writer = Writer { review, editor: Editor::new(tree), end };
    for &node in &nodes {
        let tree = writer.editor.tree_mut();
        if tree.notes(node).is_some() {
            let played = match tree.step(node) {
                Some(Step::Stone(_, c)) => Some(c),
                _ => None,
            };
            remove_old(tree.notes_mut(node), played);
        }
    }
    writer.root();
    nodes.into_iter().for_each(|node| writer.node(node));
    writer.editor.into_tree()
}

struct Writer<'a> {
    review: &'a Review,
    editor: Editor,
    /// The end of the main line, which no line may make longer.
    end: NodeId,
}

impl Writer<'_> {
    /// Notes what holds for the game as a whole.
    fn root(&mut self) {
        let summaries = self.review.summaries();
        let game = &self.review.game;
        let ending = game.tree.record(self.end).ending(game.rule);
        let tree = self.editor.tree_mut();
        tree.rule = Some(game.rule);
        tree.outcome = tree.outcome.or(ending.map(|(ending, _)| ending.outcome()));
        let root = tree.root();
        let notes = tree.notes_mut(root);
        for (color, summary) in Color::ALL.into_iter().zip(summaries) {
            if summary.moves > 0 {
                add_comment(notes, &format!("{color}: {summary}."));
            }
        }
    }

    /// Notes what was found about a position and the move that led there.
    fn node(&mut self, node: NodeId) {
        let (Some(analysed), verdict) =
            (self.review.analysed.get(&node), self.review.verdict(node))
        else {
            return;
        };
        let Some(verdict) = verdict else {
            if let Finding::Best(report) = &analysed.finding {
                let words = best_words(self.review.game.rule, analysed.to_move, report);
                add_comment(self.editor.tree_mut().notes_mut(node), &words);
            }
            return;
        };
        let notes = self.editor.tree_mut().notes_mut(node);
        add_comment(notes, &move_words(&verdict));
        notes.quality = notes.quality.or(quality(&verdict));
        if !verdict.is_bad() {
            return;
        }
        if let Some(played) = verdict.played {
            mark(notes, played, Mark::Cross);
        }
        mark(notes, verdict.best, Mark::Circle);
        if let Some(before) = self.review.position_before(node) {
            self.line(before, "better");
        }
        if verdict.is_allowed_win {
            self.line(node, "the forced win");
        }
    }

    /// Adds the best line of a position as a variation, or as a comment where the main line ends.
    fn line(&mut self, node: NodeId, what: &str) {
        let Some(analysed) = self.review.analysed.get(&node) else { return };
        let Finding::Best(report) = &analysed.finding else { return };
        let words =
            format!("{what}: {}", best_words(self.review.game.rule, analysed.to_move, report));
        if node == self.end {
            let names: Vec<String> = report.pv.iter().map(Coord::to_string).collect();
            let notes = self.editor.tree_mut().notes_mut(node);
            add_comment(notes, &format!("{words} Line: {}.", names.join(" ")));
            return;
        }
        self.editor.go_to(node);
        let mut color = analysed.to_move;
        for (i, &mv) in report.pv.iter().enumerate() {
            if self.editor.at() == self.end {
                break;
            }
            let step = Step::Stone(color, mv);
            if self.editor.follow(step).is_err() {
                break;
            }
            if i == 0 {
                add_comment(self.editor.notes(), &words);
            }
            color = !color;
        }
    }
}

/// Returns what a move was worth, in words.
fn move_words(verdict: &Verdict) -> String {
    let Verdict { color, best, before, after, .. } = verdict;
    let better = if verdict.is_best { String::new() } else { format!("; {best} was best") };
    format!(
        "{verdict}{better}. {JUDGEMENT}{color}: {} before, {} after.",
        percent(*before),
        percent(*after)
    )
}

/// Returns the best move of a position and what it promises, in words.
fn best_words(rule: Rule, to_move: Color, report: &Report) -> String {
    let best = report.pv[0];
    match proven_win(report.score, to_move) {
        Some(win) => format!("{best} is best for {to_move}; {win}."),
        None => {
            let rate = percent(win_rate(rule, report.score));
            format!("{best} is best for {to_move}, win rate {rate}.")
        }
    }
}

/// Returns the annotator's sign for a move.
fn quality(verdict: &Verdict) -> Option<Quality> {
    verdict.marked_severity().map(|severity| match severity {
        Severity::Inaccuracy => Quality::Doubtful,
        Severity::Mistake => Quality::Bad,
        Severity::Blunder => Quality::VeryBad,
    })
}

fn mark(notes: &mut Notes, c: Coord, mark: Mark) {
    if !notes.marks.contains(&(c, mark)) {
        notes.marks.push((c, mark));
    }
}

fn add_comment(notes: &mut Notes, words: &str) {
    let line = format!("{SIGNATURE}{words}");
    // A line of one mistake may begin as that of another.
    if notes.comment.lines().any(|old| old == line) {
        return;
    }
    let (before, entry_line) = split_entry_line(&notes.comment);
    let lines = [before, &line, entry_line.unwrap_or_default()];
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    notes.comment = lines.join("\n");
}

/// Returns true if a line of a comment comes from a review.
pub(super) fn is_review_line(line: &str) -> bool {
    line.starts_with(SIGNATURE) && !is_entry_line(line)
}

/// Removes an earlier review from a node: its comments, the sign of a bad move, and the marks on
/// that move and on the better one.
fn remove_old(notes: &mut Notes, played: Option<Coord>) {
    let (old, kept): (Vec<&str>, Vec<&str>) =
        notes.comment.lines().partition(|line| is_review_line(line));
    let judgement = old.iter().filter_map(|line| line.strip_prefix(SIGNATURE));
    let judgement = judgement.filter(|words| words.contains(JUDGEMENT));
    for words in judgement.filter(|words| !NOT_BAD.iter().any(|good| words.starts_with(good))) {
        notes.quality = None;
        notes.marks.retain(|&(c, mark)| match mark {
            Mark::Cross => Some(c) != played,
            Mark::Circle => !words.contains(&format!("; {c} was best")),
            _ => true,
        });
    }
    if !old.is_empty() {
        notes.comment = kept.join("\n");
    }
}
