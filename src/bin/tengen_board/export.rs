//! Games as files to take away: .psq, SGF with what a review found, and plain text.
//!
//! The formats themselves are the library's; the notes of a review are put into its SGF here.

use tengen::eval::win_rate::Severity;
use tengen::record::tree::{Editor, GameTree, NodeId, Quality, Step};
use tengen::record::{Record, Stone};
use tengen::types::Color;

use super::review::{Judgement, Review};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Piskvork's.
    Psq,
    /// The Smart Game Format.
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
        Format::Sgf => Some(annotated(record, review)),
    }
}

/// Returns the game as SGF with comments, marks of mistakes, and the better lines as variations.
fn annotated(record: &Record, review: &Review) -> String {
    let mut editor = Editor::new(GameTree::from(record));
    let main_line: Vec<NodeId> = editor.tree().main_line().collect();
    if let Some(judgement) = review.judgement(0) {
        editor.notes().comment = chances(judgement.black);
    }
    for (i, (stone, pair)) in record.moves().iter().zip(main_line.windows(2)).enumerate() {
        let [before, after] = [pair[0], pair[1]];
        let mistake = review.mistake(i);
        if let Some(judgement) = review.judgement(i + 1) {
            let notes = editor.tree_mut().notes_mut(after);
            notes.quality = mistake.map(quality);
            notes.comment = words(stone, judgement.black, mistake);
        }
        if let (Some(_), Some(judgement)) = (mistake, review.judgement(i)) {
            editor.go_to(before);
            better_line(&mut editor, stone.color, judgement);
        }
    }
    editor.into_tree().to_sgf()
}

/// Adds the line that was better than a move of `color`, with the share of black's wins before it.
fn better_line(editor: &mut Editor, mut color: Color, judgement: &Judgement) {
    for (i, &c) in judgement.line.iter().enumerate() {
        // An engine's line may be wrong.
        if editor.follow(Step::Stone(color, c)).is_err() {
            return;
        }
        if i == 0 {
            editor.notes().comment = format!("Better. {}", chances(judgement.black));
        }
        color = !color;
    }
}

fn quality(mistake: Severity) -> Quality {
    match mistake {
        Severity::Inaccuracy => Quality::Doubtful,
        Severity::Mistake => Quality::Bad,
        Severity::Blunder => Quality::VeryBad,
    }
}

fn words(stone: &Stone, black: f64, mistake: Option<Severity>) -> String {
    let kind = match mistake {
        Some(Severity::Inaccuracy) => " An inaccuracy.",
        Some(Severity::Mistake) => " A mistake.",
        Some(Severity::Blunder) => " A blunder.",
        None => "",
    };
    format!("{}.{kind} {}", stone.c, chances(black))
}

/// Returns black's share of the games in words.
fn chances(black: f64) -> String {
    format!("Black's chances: {:.0}%.", 100.0 * black)
}

#[cfg(test)]
mod tests {
    use tengen::record::parse;
    use tengen::types::{BoardSize, Coord};

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
            review.judge(i, Judgement { black, value: String::new(), line, depth: 3 });
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
        assert!(text.contains(";B[aa]C[Better. Black's chances: 50%.]\n;W[ba])"), "{text}");
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
