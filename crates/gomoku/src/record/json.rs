//! Games as JSON, one object each: what is known of the game, and in `nodes` its tree in preorder. A
//! node follows the one before it unless it names the number of another `parent`; node 0 is the
//! root. The format keeps the whole tree, except for the raw bytes of a library's texts.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::parsed::ParsedGame;
use super::sgf::is_property;
use super::tree::{Editor, GameTree, Mark, NodeId, Notes, Quality, Step, end_name};
use super::{Outcome, ParseError, ParseErrorKind, Place};
use crate::board::notation::parse_point;
use crate::types::{BoardSize, Color, Coord, Rule};

const PASS: &str = "pass";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonGame<N> {
    size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Rule>,
    #[serde(default)]
    players: [String; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    nodes: Vec<N>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct JsonNode {
    parent: Option<usize>,
    /// A point, or `pass`.
    r#move: Option<String>,
    color: Option<Color>,
    milliseconds: Option<u64>,
    setup: Vec<(String, Option<Color>)>,
    to_move: Option<Color>,
    comment: String,
    labels: Vec<(String, String)>,
    marks: Vec<(String, Mark)>,
    quality: Option<Quality>,
    bookmark: bool,
    properties: Vec<(String, Vec<String>)>,
}

/// Returns the text of a game, a node a line.
pub(super) fn write(tree: &GameTree) -> String {
    let game = JsonGame::<JsonNode> {
        size: Some(tree.size().to_string()),
        rule: tree.rule,
        players: tree.players.clone(),
        result: tree.outcome.map(|outcome| outcome.to_string()),
        nodes: Vec::new(),
    };
    let mut numbers = vec![0; tree.len()];
    let mut nodes = Vec::new();
    for id in tree.preorder() {
        let number = nodes.len();
        numbers[id.index()] = number;
        let parent = tree.parent(id).map(|parent| numbers[parent.index()]);
        let parent = parent.filter(|parent| parent + 1 < number);
        let mut node = json!(JsonNode { parent, ..node(tree, id) });
        let defaults = [json!(null), json!(""), json!([]), json!(false)];
        if let Value::Object(node) = &mut node {
            node.retain(|_, value| !defaults.contains(value));
        }
        nodes.push(node.to_string());
        if tree.has_end_mark(id) {
            nodes.push(json!({ "properties": [end_name()] }).to_string());
        }
    }
    let head = serde_json::to_string(&game).expect("invariant: texts can always be written");
    let head = head.strip_suffix("]}").unwrap_or(&head);
    format!("{head}\n{}\n]}}\n", nodes.join(",\n"))
}

fn node(tree: &GameTree, id: NodeId) -> JsonNode {
    let name = |c: Coord| c.to_string();
    let (color, mv) = match tree.step(id) {
        Some(Step::Stone(color, c)) => (Some(color), Some(name(c))),
        Some(Step::Pass(color)) => (Some(color), Some(PASS.to_owned())),
        None => (None, None),
    };
    let time = u64::try_from(tree.time(id).as_millis()).ok().filter(|&time| time > 0);
    let mut node = JsonNode { r#move: mv, color, milliseconds: time, ..JsonNode::default() };
    if let Some(setup) = tree.setup(id) {
        node.setup = setup.cells.iter().map(|&(c, color)| (name(c), color)).collect();
        node.to_move = setup.to_move;
    }
    if let Some(notes) = tree.notes(id).cloned() {
        node.comment = notes.comment;
        node.labels = notes.labels.into_iter().map(|(c, text)| (name(c), text)).collect();
        node.marks = notes.marks.into_iter().map(|(c, mark)| (name(c), mark)).collect();
        (node.quality, node.bookmark) = (notes.quality, notes.is_bookmark);
        node.properties = notes.properties;
    }
    node
}

/// Returns true for the beginning of such a text.
pub(super) fn begins(start: &str) -> bool {
    start.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'))
}

pub(super) fn parse(text: &str, size: BoardSize) -> Vec<ParsedGame> {
    let (mut at, mut line) = (0, 1);
    // The line in which a part of the text begins, asked for in order.
    let mut line_of = |part: &str| {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        let between = text.as_bytes().get(at..start).unwrap_or_default();
        line += between.iter().filter(|&&byte| byte == b'\n').count();
        at = start;
        line
    };
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let games = values.map(|value| match value {
        Ok(value) => {
            let line = line_of(value.get());
            let game = parse_game(value, line, size, &mut line_of);
            game.unwrap_or_else(|kind| ParsedGame::unreadable(line, size, kind))
        }
        Err(error) => ParsedGame::unreadable(error.line(), size, json_error(error)),
    });
    let games: Vec<ParsedGame> = games.collect();
    // Other JSON is one fault.
    let is_other = |game: &ParsedGame| game.tree.len() == 1 && !game.faults.is_empty();
    if !text.contains("\"nodes\"") && games.iter().all(is_other) {
        return vec![ParsedGame::unreadable(1, size, ParseErrorKind::Format)];
    }
    games
}

fn json_error(error: serde_json::Error) -> ParseErrorKind {
    let words = error.to_string();
    ParseErrorKind::Words(words.split(" at line ").next().unwrap_or_default().to_owned())
}

fn parse_game(
    value: &RawValue,
    line: usize,
    size: BoardSize,
    line_of: &mut impl FnMut(&str) -> usize,
) -> Result<ParsedGame, ParseErrorKind> {
    let game: JsonGame<&RawValue> = serde_json::from_str(value.get()).map_err(json_error)?;
    let named = game.size.map(|text| text.parse().map_err(|_| ParseErrorKind::Size(text)));
    let mut tree = GameTree::new(named.transpose()?.unwrap_or(size));
    (tree.rule, tree.players) = (game.rule, game.players);
    let outcomes = [Outcome::Won(Color::Black), Outcome::Won(Color::White), Outcome::Drawn];
    let outcome = |text: String| {
        let found = outcomes.into_iter().find(|outcome| outcome.to_string() == text);
        found.ok_or_else(|| ParseErrorKind::Words(format!("'{text}' is no result")))
    };
    tree.outcome = game.result.map(outcome).transpose()?;
    let mut editor = Editor::new(tree);
    let mut nodes: Vec<Option<NodeId>> = Vec::new();
    let mut faults = Vec::new();
    let mut end = None;
    for value in game.nodes {
        let line = line_of(value.get());
        let node = serde_json::from_str(value.get()).map_err(json_error);
        if node.is_err() {
            let node = serde_json::from_str(value.get()).unwrap_or(Value::Null);
            let parent = node["parent"].as_u64().and_then(|number| *nodes.get(number as usize)?);
            parent.into_iter().for_each(|parent| editor.go_to(parent));
        }
        let added = node.and_then(|node| add_node(&mut editor, &nodes, node));
        nodes.push(added.unwrap_or_else(|kind| {
            let breaks_main_line = end.is_none() && editor.at() == editor.tree.end();
            end = end.or(breaks_main_line.then_some(editor.at()));
            faults.push(ParseError { place: Place::Line(line), kind, breaks_main_line });
            None
        }));
    }
    let mut tree = editor.tree;
    tree.take_end_mark();
    end.into_iter().for_each(|end| tree.end_main_line(end));
    Ok(ParsedGame { line, tree, faults, warnings: Vec::new(), default_rule: None })
}

/// Adds a node after those that have been read; `None` after one that could not be.
fn add_node(
    editor: &mut Editor,
    nodes: &[Option<NodeId>],
    node: JsonNode,
) -> Result<Option<NodeId>, ParseErrorKind> {
    let size = editor.tree.size();
    let point = |name: String| parse_point(&name, size).ok_or(ParseErrorKind::NoPoint(name));
    if let Some(last) = nodes.len().checked_sub(1) {
        match nodes.get(node.parent.unwrap_or(last)) {
            None => return Err(ParseErrorKind::Words("no such node comes before".to_owned())),
            Some(None) => return Ok(None),
            Some(&Some(parent)) if editor.at() != parent => editor.go_to(parent),
            Some(_) => {}
        }
    } else if node.parent.is_some() || node.r#move.is_some() {
        return Err(ParseErrorKind::Words("the first node comes before the moves".to_owned()));
    }
    let labels = node.labels.into_iter().map(|(name, text)| Ok((point(name)?, text)));
    let marks = node.marks.into_iter().map(|(name, mark)| Ok((point(name)?, mark)));
    let notes = Notes {
        comment: node.comment,
        labels: labels.collect::<Result<_, _>>()?,
        marks: marks.collect::<Result<_, _>>()?,
        quality: node.quality,
        is_bookmark: node.bookmark,
        properties: node.properties,
        raw: Vec::new(),
    };
    let is_other = |(name, values): &&(String, Vec<String>)| !is_property(name, values, size);
    if let Some((name, _)) = notes.properties.iter().find(is_other) {
        return Err(ParseErrorKind::Words(format!("'{name}' is no other property of SGF")));
    }
    let color = node.color.unwrap_or(editor.to_move());
    let step = match node.r#move {
        Some(name) if name == PASS => Some(Step::Pass(color)),
        Some(name) => Some(Step::Stone(color, point(name)?)),
        None => None,
    };
    if !nodes.is_empty() {
        editor.add(step)?;
    }
    let set_up = |(name, color)| editor.set_up(point(name)?, color);
    node.setup.into_iter().try_for_each(set_up).inspect_err(|_| editor.clear_setup())?;
    node.to_move.into_iter().for_each(|color| editor.set_to_move(color));
    let time = Duration::from_millis(node.milliseconds.unwrap_or_default());
    editor.tree.set_time(editor.at(), time);
    if !notes.is_empty() {
        *editor.notes() = notes;
    }
    Ok(Some(editor.at()))
}
