//! Reviews as one page for a browser: the board's page with finished games instead of a program.

use serde::Serialize;

use super::Reviewed;
use crate::web;
use tengen::record::Outcome;
use tengen::record::tree::NodeId;
use tengen_session::json::{GameMoves, ReviewedGame};

#[derive(Serialize)]
struct Page<'a> {
    version: &'static str,
    games: Vec<Game<'a>>,
}

#[derive(Serialize)]
struct Game<'a> {
    place: String,
    players: &'a [String; 2],
    result: Option<String>,
    #[serde(flatten)]
    moves: GameMoves,
    review: ReviewedGame<'a>,
}

/// Returns the text of the page.
pub(super) fn page(reviews: &[Reviewed]) -> String {
    let games = reviews.iter().map(game).collect();
    let page = Page { version: env!("CARGO_PKG_VERSION"), games };
    web::report(&serde_json::to_string(&page).expect("invariant: games are plain data"))
}

fn game(Reviewed { game, review }: &Reviewed) -> Game<'_> {
    let is_found = |node: &NodeId| review.finding(*node).is_some();
    let nodes: Vec<NodeId> = game.main_line.iter().copied().filter(is_found).collect();
    Game {
        place: game.place(),
        players: &game.tree.players,
        result: review.outcome().map(|outcome| match outcome {
            Outcome::Won(color) => format!("{color} won"),
            Outcome::Drawn => "draw".to_owned(),
        }),
        moves: GameMoves::between(review, &nodes),
        review: ReviewedGame::new(review, nodes),
    }
}
