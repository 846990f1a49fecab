//! A review as notes in the game's own tree.

use super::Review;
use crate::analyze::annotator::{Annotator, BestLine};
use crate::analyze::finding::{Finding, proven_win};
use tengen::eval::win_rate::win_rate;
use tengen::record::tree::{GameTree, NodeId};
use tengen::types::Color;

/// Returns the game's tree with the review in it.
pub(in crate::analyze) fn annotated(review: &Review) -> GameTree {
    let mut annotator = Annotator::new(review.game.tree.clone());
    note_game(review, &mut annotator);
    for node in review.game.tree.preorder() {
        note_position(review, node, &mut annotator);
    }
    annotator.into_tree()
}

/// Adds the rule, the result and a summary for each colour.
fn note_game(review: &Review, annotator: &mut Annotator) {
    let game = &review.game;
    let end = game.tree.main_line().last().unwrap_or(game.tree.root());
    let ending = game.tree.record(end).ending(game.rule);
    let tree = annotator.tree_mut();
    tree.rule = Some(game.rule);
    tree.outcome = tree.outcome.or(ending.map(|(ending, _)| ending.outcome()));
    for (color, summary) in Color::ALL.into_iter().zip(review.summaries()) {
        if summary.moves > 0 {
            annotator.comment(game.tree.root(), &format!("{color}: {summary}."));
        }
    }
}

/// Adds the verdict on the move that led to a node, and the lines that explain it.
fn note_position(review: &Review, node: NodeId, annotator: &mut Annotator) {
    let line = best_line(review, node);
    let Some(verdict) = review.verdict(node) else {
        if let Some(line) = line {
            annotator.comment(node, &line.to_string());
        }
        return;
    };
    annotator.judge(node, &verdict);
    if verdict.is_bad()
        && let Some(before) = review.position_before(node)
        && let Some(better) = best_line(review, before)
    {
        annotator.add_line(before, "better", &better);
    }
    if verdict.is_allowed_win
        && let Some(line) = line
    {
        annotator.add_line(node, "the forced win", &line);
    }
}

/// Returns the best line of a position, if it was analysed and the game is not over.
fn best_line(review: &Review, node: NodeId) -> Option<BestLine<'_>> {
    let analysed = review.analysed.get(&node)?;
    let Finding::Best(report) = &analysed.finding else { return None };
    Some(BestLine {
        to_move: analysed.to_move,
        best: report.pv[0],
        moves: &report.pv,
        win_rate: win_rate(review.game.rule, report.score),
        proof: proven_win(report.score, analysed.to_move),
    })
}
