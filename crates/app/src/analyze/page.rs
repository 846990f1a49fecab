//! Reviews as one page for a browser: the board's page with finished games instead of a program.

use serde_json::{Value, json};
use tengen_gomoku::record::Outcome;
use tengen_gomoku::record::tree::NodeId;

use super::Reviewed;
use crate::web;
use tengen_session::json::{reviewed_game, step, stones};

/// Returns the text of the page.
pub(super) fn page(reviews: &[Reviewed]) -> String {
    let games: Vec<Value> = reviews.iter().map(game).collect();
    web::report(&json!({ "version": env!("CARGO_PKG_VERSION"), "games": games }).to_string())
}

fn game(Reviewed { game, review }: &Reviewed) -> Value {
    let tree = &game.tree;
    let result = review.outcome().map(|outcome| match outcome {
        Outcome::Won(color) => format!("{color} won"),
        Outcome::Drawn => "draw".to_owned(),
    });
    let is_found = |node: &NodeId| review.finding(*node).is_some();
    let nodes: Vec<NodeId> = game.main_line.iter().copied().filter(is_found).collect();
    json!({
        "place": game.place(),
        "players": tree.players,
        "result": result,
        "rule": game.rule.name(),
        "size": [tree.size().width(), tree.size().height()],
        "set_up": nodes.first().map(|&node| stones(tree.record(node).stones())),
        "moves": nodes.iter().skip(1).map(|&node| step(tree, node)).collect::<Vec<Value>>(),
        "review": reviewed_game(review, &nodes, None),
    })
}
