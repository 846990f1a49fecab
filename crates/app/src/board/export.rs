//! Games as files to take away: .psq, SGF with what a review found, and plain text.
//!
//! The formats themselves and the annotator are the library's.

use crate::analyze::annotator::{Annotator, BestLine};
use tengen::record::Record;
use tengen::record::tree::{GameTree, NodeId};

use super::review::Review;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Psq,
    Sgf,
    /// The moves one after the other, such as `h8i9`.
    Text,
}

impl Format {
    /// Returns the format of files whose names end so.
    pub fn from_extension(extension: &str) -> Option<Format> {
        Some(match extension {
            "psq" => Format::Psq,
            "sgf" => Format::Sgf,
            "txt" => Format::Text,
            _ => return None,
        })
    }

    /// Returns the type that a browser is told.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Sgf => "application/x-go-sgf",
            Format::Psq | Format::Text => "text/plain; charset=utf-8",
        }
    }
}

/// Returns the text of the file; `None` if the game does not fit the format, because its colours do
/// not take turns.
pub fn write(record: &Record, review: &Review, format: Format) -> Option<String> {
    match format {
        Format::Psq => record.to_psq(),
        Format::Text => record.to_pos().map(|text| text + "\n"),
        Format::Sgf => Some(annotated(record, review).to_sgf()),
    }
}

/// Returns the game's tree with the review in it: verdicts as comments and marks, better lines as
/// variations.
fn annotated(record: &Record, review: &Review) -> GameTree {
    let tree = GameTree::from(record);
    let main_line: Vec<NodeId> = tree.main_line().collect();
    let mut annotator = Annotator::new(tree);
    for (after, &node) in main_line.iter().enumerate() {
        let before = after.checked_sub(1);
        match before.and_then(|before| Some((before, review.verdict(before)?))) {
            Some((before, verdict)) => {
                annotator.judge(node, &verdict);
                if verdict.is_bad()
                    && let Some(better) = best_line(record, review, before)
                {
                    annotator.add_line(main_line[before], "better", &better);
                }
            }
            None => {
                if let Some(line) = best_line(record, review, after) {
                    annotator.comment(node, &line.to_string());
                }
            }
        }
    }
    annotator.into_tree()
}

/// Returns the best line of the position after the first `after` moves. `None` if the position was
/// not reviewed, or if its review has no line.
fn best_line<'a>(record: &Record, review: &'a Review, after: usize) -> Option<BestLine<'a>> {
    let judgement = review.judgement(after)?;
    let to_move = record.moves().get(after).map_or(record.to_move(), |stone| stone.color);
    Some(BestLine {
        to_move,
        best: *judgement.line.first()?,
        moves: &judgement.line,
        win_rate: judgement.win_rate(to_move),
        proof: None,
    })
}

#[cfg(test)]
mod tests {
    use tengen::record::tree::Notes;
    use tengen::record::{parse, parse_trees};
    use tengen::types::{BoardSize, Coord};

    use super::super::review::Judgement;
    use super::*;

    fn record(text: &str) -> Record {
        let entries = parse(text, BoardSize::new(15, 15).unwrap());
        entries.into_iter().next().unwrap().record.unwrap()
    }

    fn reviewed(record: &Record, rates: &[f64]) -> Review {
        let mut review = Review::default();
        let moves: Vec<_> = record.moves().iter().map(|stone| (stone.c, stone.color)).collect();
        review.fit(&moves);
        for (i, &black) in rates.iter().enumerate() {
            let line = vec![Coord::new(0, 0), Coord::new(1, 0)];
            review.judge(i, Judgement { black, winner: None, line, depth: 3 }, false);
        }
        review
    }

    #[test]
    fn notes_do_not_change_the_game() {
        let mut game = record("h8i9h10j11");
        game.players = [r"a;[]\".into(), "(b)".into()];
        let review = reviewed(&game, &[0.5, 0.3, 0.35, 0.9, 0.1]);
        let text = write(&game, &review, Format::Sgf).unwrap();
        let again = record(&text);
        assert_eq!(again.to_pos(), game.to_pos());
        assert_eq!(again.players, game.players);
        assert_eq!(text.matches("BM[1]").count(), 1, "{text}");
        let better = ";B[aa]C[Tengen: better: a1 is best for black, win rate 50 %.]\n;W[ba])";
        assert!(text.contains(better), "{text}");
        let words = "Tengen: a mistake; a1 was best. Win rate of black: 50 % before, 30 % after.";
        assert!(text.contains(words), "{text}");
    }

    #[test]
    fn another_review_takes_the_place_of_the_first() {
        let game = record("h8i9h10j11");
        let text = write(&game, &reviewed(&game, &[0.5, 0.1, 0.15]), Format::Sgf).unwrap();
        assert!(text.contains("BM[2]CR[aa]MA[hh]"), "{text}");
        let tree = parse_trees(&text, game.size()).remove(0).tree;
        let first_move = tree.main_line().nth(1).unwrap();
        // As `tengen analyze --sgf` goes over a file.
        let mut annotator = Annotator::new(tree);
        let verdict = reviewed(&game, &[0.5, 0.45]).verdict(0).unwrap();
        annotator.judge(first_move, &verdict);
        let tree = annotator.into_tree();
        let notes = tree.preorder().filter_map(|node| tree.notes(node));
        let notes: Vec<&Notes> = notes.filter(|notes| !notes.is_empty()).collect();
        let words = "a good move; a1 was best. Win rate of black: 50 % before, 45 % after.";
        let comment = format!("Tengen: {words}");
        assert_eq!(notes, [&Notes { comment, ..Notes::default() }]);
    }

    #[test]
    fn a_game_without_review_is_plain() {
        let game = record("h8i9h10");
        let text = write(&game, &Review::default(), Format::Sgf).unwrap();
        assert_eq!(text.split_whitespace().collect::<String>(), game.to_sgf().replace('\n', ""));
        assert_eq!(write(&game, &Review::default(), Format::Text).unwrap(), "h8i9h10\n");
        assert!(write(&game, &Review::default(), Format::Psq).unwrap().starts_with("Piskvorky"));
    }

    #[test]
    fn games_out_of_turn_have_no_psq() {
        let game = record("(;GM[4]SZ[15]AB[aa][bb]PL[W])");
        let write = |format| write(&game, &Review::default(), format);
        assert_eq!((write(Format::Psq), write(Format::Text)), (None, None));
        assert!(write(Format::Sgf).unwrap().contains("AB[aa][bb]"));
    }
}
