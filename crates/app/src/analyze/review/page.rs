//! Reviews as one page for a browser, which needs nothing else: neither a network nor other files.
//!
//! The data stand in the page as JSON. The board is drawn by the script of the board's page,
//! whose modules become one script here, and in its style.

use super::{Review, Summary};
use crate::analyze::annotator::is_review_line;
use crate::analyze::finding::Finding;
use crate::analyze::json::Object;
use crate::analyze::verdict::Verdict;
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
    let mut data = Object::new();
    data.string("version", env!("CARGO_PKG_VERSION"));
    data.objects("games", reviews.iter().map(game));
    // No text may end the element that it stands in.
    let data = data.finish().replace('<', "\\u003c");
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

fn game(review: &Review) -> Object {
    let game = &review.game;
    let mut object = Object::new();
    object.string("place", &game.place());
    object.string("rule", game.rule.name());
    object.number("width", game.tree.size().width());
    object.number("height", game.tree.size().height());
    for (color, key) in [(Color::Black, "black"), (Color::White, "white")] {
        object.string(key, &game.tree.players[color]);
    }
    let last = game.main_line.last().copied().unwrap_or(game.tree.root());
    let ending = game.tree.record(last).ending(game.rule).map(|(ending, _)| ending.outcome());
    if let Some(outcome) = game.tree.outcome.or(ending) {
        object.string(
            "result",
            match outcome {
                Outcome::Won(Color::Black) => "black won",
                Outcome::Won(Color::White) => "white won",
                Outcome::Drawn => "draw",
            },
        );
    }
    object.objects("summaries", review.summaries().iter().map(Summary::json));
    let nodes = game.main_line.iter().filter(|&node| review.analysed.contains_key(node));
    object.objects("positions", nodes.enumerate().map(|(i, &node)| position(review, node, i == 0)));
    object
}

/// Returns a position: how it comes from the one before it, and what was found about it.
fn position(review: &Review, node: NodeId, is_first: bool) -> Object {
    let game = &review.game;
    let record = game.tree.record(node);
    let mut object = Object::new();
    match game.tree.step(node).filter(|_| !is_first && game.tree.setup(node).is_none()) {
        Some(Step::Stone(color, c)) => {
            object.string("by", &color.to_string());
            object.string("move", &c.to_string());
        }
        Some(Step::Pass(color)) => object.string("by", &color.to_string()),
        None => object.object("stones", stones(&record)),
    }
    object.string("toMove", &record.to_move().to_string());
    if let Some(notes) = game.tree.notes(node) {
        let lines = notes.comment.lines().filter(|line| !is_review_line(line));
        let comment = lines.collect::<Vec<&str>>().join("\n");
        if !comment.is_empty() {
            object.string("comment", &comment);
        }
    }
    if let Some(verdict) = review.verdict(node) {
        object.object("verdict", judged(&verdict));
    }
    let Some(analysed) = review.analysed.get(&node) else { return object };
    let rate = analysed.finding.win_rate(game.rule, Color::Black, analysed.to_move);
    object.share("rate", rate);
    match &analysed.finding {
        Finding::Best(report) => {
            object.strings("line", &names(&report.pv));
            object.number("depth", report.depth);
            match report.score.kind() {
                ScoreKind::Eval(value) => object.number("score", value),
                ScoreKind::Win(plies) => object.number("winIn", winner_moves(plies)),
                ScoreKind::Loss(plies) => object.number("lossIn", winner_moves(plies)),
            }
        }
        Finding::Over(ending) => {
            object.string("over", &ending.to_string());
            if let Ending::Five(_, row) = ending {
                object.strings("row", &names(&row.into_iter().collect::<Vec<Coord>>()));
            }
        }
    }
    object
}

fn judged(verdict: &Verdict) -> Object {
    let mut object = Object::new();
    object.string("words", &verdict.to_string());
    if !verdict.is_best {
        object.string("best", &verdict.best.to_string());
    }
    object.share("before", verdict.before);
    object.share("after", verdict.after);
    if let Some(severity) = verdict.marked_severity() {
        object.string("mark", severity.name());
    }
    object
}

fn stones(record: &Record) -> Object {
    let mut object = Object::new();
    for color in Color::ALL {
        let stones = record.stones().iter().filter(|stone| stone.color == color);
        object.strings(&color.to_string(), &names(&stones.map(|s| s.c).collect::<Vec<Coord>>()));
    }
    object
}

fn names(points: &[Coord]) -> Vec<String> {
    points.iter().map(Coord::to_string).collect()
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
