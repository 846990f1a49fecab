//! Notes of a review in a game's tree: comments, marks, and better lines as variations.
//!
//! A new review replaces the notes of an earlier one, whose comments begin with Tengen's signature.
//! All other notes are kept; an entry line of the database remains the last line of its comment.

use std::fmt;

use super::verdict::{Severity, Verdict};
use tengen::database::entry_line::{SIGNATURE, is_entry_line, split_entry_line};
use tengen::eval::win_rate::percent;
use tengen::record::tree::{Editor, GameTree, Mark, NodeId, Notes, Quality, Step};
use tengen::types::{Color, Coord};

/// Words that every comment with a verdict contains.
const JUDGEMENT: &str = "Win rate of ";
/// The first words of such a comment on a move that is not bad.
const NOT_BAD: [&str; 2] = ["the best move", "a good move"];

/// The best line of a position, and what it promises.
pub struct BestLine<'a> {
    /// Who moves.
    pub to_move: Color,
    /// The best move.
    pub best: Coord,
    /// The moves, the best one first.
    pub moves: &'a [Coord],
    /// The share of games that the side to move is expected to win.
    pub win_rate: f64,
    /// What is proven, such as `black wins in 3 moves`.
    pub proof: Option<String>,
}

impl fmt::Display for BestLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let BestLine { to_move, best, .. } = self;
        match &self.proof {
            Some(proof) => write!(f, "{best} is best for {to_move}; {proof}."),
            None => {
                write!(f, "{best} is best for {to_move}, win rate {}.", percent(self.win_rate))
            }
        }
    }
}

/// Writes a review into the tree of its game.
pub struct Annotator {
    editor: Editor,
    /// The last node of the main line. Best lines never extend the main line beyond it.
    end: NodeId,
}

impl Annotator {
    /// Returns the annotator of a game. Removes the notes of an earlier review from it.
    pub fn new(mut tree: GameTree) -> Annotator {
        let nodes: Vec<NodeId> = tree.preorder().collect();
        for node in nodes {
            if tree.notes(node).is_some() {
                let played = match tree.step(node) {
                    Some(Step::Stone(_, c)) => Some(c),
                    _ => None,
                };
                remove_old(tree.notes_mut(node), played);
            }
        }
        let end = tree.main_line().last().unwrap_or(tree.root());
        Annotator { editor: Editor::new(tree), end }
    }

    /// Returns the tree, for changes of the game's rule and result.
    pub fn tree_mut(&mut self) -> &mut GameTree {
        self.editor.tree_mut()
    }

    /// Returns the tree with the review.
    pub fn into_tree(self) -> GameTree {
        self.editor.into_tree()
    }

    /// Adds a comment to a node.
    pub fn comment(&mut self, node: NodeId, words: &str) {
        add_comment(self.editor.tree_mut().notes_mut(node), words);
    }

    /// Adds the verdict on the move that led to a node: a comment, a sign and marks.
    pub fn judge(&mut self, node: NodeId, verdict: &Verdict) {
        let notes = self.editor.tree_mut().notes_mut(node);
        add_comment(notes, &move_words(verdict));
        notes.quality = notes.quality.or(quality(verdict));
        if !verdict.is_bad() {
            return;
        }
        if let Some(played) = verdict.played {
            mark(notes, played, Mark::Cross);
        }
        mark(notes, verdict.best, Mark::Circle);
    }

    /// Adds the best line of a node's position as a variation, or as a comment at the end of the
    /// main line. `what` names the line in the comment. The variation ends before a move that cannot
    /// be played.
    pub fn add_line(&mut self, node: NodeId, what: &str, line: &BestLine) {
        let words = format!("{what}: {line}");
        if node == self.end {
            let names: Vec<String> = line.moves.iter().map(Coord::to_string).collect();
            self.comment(node, &format!("{words} Line: {}.", names.join(" ")));
            return;
        }
        self.editor.go_to(node);
        let mut color = line.to_move;
        for (i, &mv) in line.moves.iter().enumerate() {
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

/// Returns the annotator's sign for a move.
fn quality(verdict: &Verdict) -> Option<Quality> {
    verdict.marked_severity().map(quality_of)
}

/// Returns the annotator's sign for a move of this severity.
fn quality_of(severity: Severity) -> Quality {
    match severity {
        Severity::Inaccuracy => Quality::Doubtful,
        Severity::Mistake => Quality::Bad,
        Severity::Blunder => Quality::VeryBad,
    }
}

fn mark(notes: &mut Notes, c: Coord, mark: Mark) {
    if !notes.marks.contains(&(c, mark)) {
        notes.marks.push((c, mark));
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

/// Returns true if a line of a comment comes from a review.
pub(super) fn is_review_line(line: &str) -> bool {
    line.starts_with(SIGNATURE) && !is_entry_line(line)
}

/// Returns the sign of a bad move that an earlier review describes in these words.
fn quality_in(words: &str) -> Quality {
    let is_plain = |name: &str| words.strip_prefix(name).is_some_and(|rest| rest.starts_with(';'));
    quality_of(if words.starts_with("a blunder") {
        Severity::Blunder
    } else if is_plain("an inaccuracy") {
        Severity::Inaccuracy
    } else {
        // An inaccuracy that misses or allows a forced win has the sign of a mistake.
        Severity::Mistake
    })
}

/// Removes an earlier review from a node: its comments, the sign of a bad move, and the marks on
/// that move and on the better one. Another sign, which the review cannot have set, is kept.
fn remove_old(notes: &mut Notes, played: Option<Coord>) {
    let (old, kept): (Vec<&str>, Vec<&str>) =
        notes.comment.lines().partition(|line| is_review_line(line));
    let judgement = old.iter().filter_map(|line| line.strip_prefix(SIGNATURE));
    let judgement = judgement.filter(|words| words.contains(JUDGEMENT));
    for words in judgement.filter(|words| !NOT_BAD.iter().any(|good| words.starts_with(good))) {
        notes.quality = notes.quality.filter(|&sign| sign != quality_in(words));
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
