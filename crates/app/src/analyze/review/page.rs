//! Reviews as one page for a browser, which needs nothing else: neither a network nor other files.
//!
//! The data stand in the page as JSON. The board is drawn by the script of the board's page,
//! whose modules become one script here, and in its style.

use serde_json::{Value, json};

use super::Review;
use crate::analyze::annotator::is_review_line;
use crate::analyze::finding::Finding;
use crate::analyze::output::names;
use crate::analyze::verdict::Severity;
use tengen::record::tree::{NodeId, Step};
use tengen::record::{Ending, Outcome, Record};
use tengen::types::{Color, Coord, ScoreKind, winner_moves};

const PAGE: &str = include_str!("page/page.html");
const STYLES: [&str; 2] = [include_str!("../../../web/style.css"), include_str!("page/page.css")];
/// In an order in which each uses only those before it.
const SCRIPTS: [&str; 5] = [
    include_str!("../../../web/dom.js"),
    include_str!("../../../web/words.js"),
    include_str!("../../../web/drawing.js"),
    include_str!("../../../web/curve.js"),
    include_str!("page/page.js"),
];

/// Returns the text of the page.
pub(in crate::analyze) fn page(reviews: &[Review]) -> String {
    let games: Vec<Value> = reviews.iter().map(game).collect();
    let data = json!({ "version": env!("CARGO_PKG_VERSION"), "games": games }).to_string();
    // No text may end the element that it stands in.
    let data = data.replace('<', "\\u003c");
    let script: String = SCRIPTS.iter().map(|module| plain_script(module)).collect();
    let mut page = String::new();
    let mut rest = PAGE;
    for (marker, text) in
        [("/* styles */", &STYLES.concat()), ("/* data */", &data), ("/* script */", &script)]
    {
        let (before, after) = rest.split_once(marker).expect("invariant: the page has its markers");
        page += before;
        page += text;
        rest = after;
    }
    page + rest
}

/// Returns a module without what joins it to others.
fn plain_script(module: &str) -> String {
    let lines = module.lines().filter(|line| !line.starts_with("import "));
    lines.flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"]).collect()
}

fn game(review: &Review) -> Value {
    let game = &review.game;
    let last = game.main_line.last().copied().unwrap_or(game.tree.root());
    let ending = game.tree.record(last).ending(game.rule).map(|(ending, _)| ending.outcome());
    let result = game.tree.outcome.or(ending).map(|outcome| match outcome {
        Outcome::Won(color) => format!("{color} won"),
        Outcome::Drawn => "draw".to_owned(),
    });
    let nodes = game.main_line.iter().filter(|&node| review.analysed.contains_key(node));
    let positions = nodes.enumerate().map(|(i, &node)| position(review, node, i == 0));
    json!({
        "place": game.place(),
        "rule": game.rule.name(),
        "width": game.tree.size().width(),
        "height": game.tree.size().height(),
        "black": game.tree.players[Color::Black],
        "white": game.tree.players[Color::White],
        "result": result,
        "summaries": review.summaries(),
        "positions": positions.collect::<Vec<Value>>(),
    })
}

/// Returns a position: how it comes from the one before it, and what was found about it.
fn position(review: &Review, node: NodeId, is_first: bool) -> Value {
    let game = &review.game;
    let record = game.tree.record(node);
    let mut data =
        match game.tree.step(node).filter(|_| !is_first && game.tree.setup(node).is_none()) {
            Some(Step::Stone(color, c)) => {
                json!({ "by": color.to_string(), "move": c.to_string() })
            }
            Some(Step::Pass(color)) => json!({ "by": color.to_string() }),
            None => json!({ "stones": stones(&record) }),
        };
    data["toMove"] = record.to_move().to_string().into();
    if let Some(notes) = game.tree.notes(node) {
        let lines = notes.comment.lines().filter(|line| !is_review_line(line));
        let comment = lines.collect::<Vec<&str>>().join("\n");
        if !comment.is_empty() {
            data["comment"] = comment.into();
        }
    }
    if let Some(verdict) = review.verdict(node) {
        data["verdict"] = json!({
            "words": verdict.to_string(),
            "best": (!verdict.is_best).then(|| verdict.best.to_string()),
            "before": verdict.before,
            "after": verdict.after,
            "mark": verdict.marked_severity().map(Severity::name),
        });
    }
    let Some(analysed) = review.analysed.get(&node) else { return data };
    data["rate"] = analysed.finding.win_rate(game.rule, Color::Black, analysed.to_move).into();
    match &analysed.finding {
        Finding::Best(report) => {
            data["line"] = names(&report.pv).into();
            data["depth"] = report.depth.into();
            match report.score.kind() {
                ScoreKind::Eval(value) => data["score"] = value.into(),
                ScoreKind::Win(plies) => data["winIn"] = winner_moves(plies).into(),
                ScoreKind::Loss(plies) => data["lossIn"] = winner_moves(plies).into(),
            }
        }
        Finding::Over(ending) => {
            data["over"] = ending.to_string().into();
            if let Ending::Five(_, row) = ending {
                data["row"] = names(&row.into_iter().collect::<Vec<Coord>>()).into();
            }
        }
    }
    data
}

fn stones(record: &Record) -> Value {
    let of = |color| {
        let stones = record.stones().iter().filter(|stone| stone.color == color);
        names(&stones.map(|stone| stone.c).collect::<Vec<Coord>>())
    };
    json!({ "black": of(Color::Black), "white": of(Color::White) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_one_script() {
        let text = plain_script(
            "import { a } from \"./a.js\";\nexport const b = a;\nexport function c() {}\n",
        );
        assert_eq!(text, "const b = a;\nfunction c() {}\n");
        for module in SCRIPTS {
            let text = plain_script(module);
            let joins =
                |line: &str| line.trim_start().starts_with("import") || line.contains("export ");
            assert!(!text.lines().any(joins) && !text.contains("</"), "{text}");
        }
    }

    #[test]
    fn a_page_loads_nothing() {
        let page = page(&[]);
        for word in ["src=", "href=\"http", "url(http", "@import", "fetch("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
