//! Games as files to take away: .psq, SGF with what a review found, and plain text.
//!
//! The formats themselves are the library's; the notes of a review are put into its SGF here.

use tengen::record::{Record, Stone};
use tengen::types::{Color, Coord};

use super::review::{Review, Severity};

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
    let plain = record.to_sgf();
    let nodes = nodes(&plain);
    let Some((root, rest)) = nodes.split_first() else { return plain };
    let mut text = (*root).to_owned();
    if let Some(judgement) = review.judgement(0) {
        text += &comment(&chances(judgement.black));
    }
    // Variations that stand behind the main line, the last one first.
    let mut variations = Vec::new();
    for (i, node) in rest.iter().enumerate() {
        let stone = record.moves().get(i);
        let mistake = review.mistake(i);
        if let (Some(_), Some(stone), Some(before)) = (mistake, stone, review.judgement(i))
            && !before.line.is_empty()
        {
            text += "\n(";
            variations.push(variation(stone, before.black, &before.line));
        }
        text += node.trim_end();
        if let (Some(stone), Some(after)) = (stone, review.judgement(i + 1)) {
            text += match mistake {
                Some(Severity::Inaccuracy) => "DO[]",
                Some(Severity::Mistake) => "BM[1]",
                Some(Severity::Blunder) => "BM[2]",
                None => "",
            };
            text += &comment(&words(stone, after.black, mistake));
        }
    }
    while let Some(variation) = variations.pop() {
        text += &format!("\n){variation}");
    }
    text + "\n)\n"
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

/// Returns the line that was better than a move, with the share of black's wins before it.
fn variation(stone: &Stone, black: f64, line: &[Coord]) -> String {
    let mut text = String::from("(");
    let mut color = stone.color;
    for (i, c) in line.iter().enumerate() {
        let letter = if color == Color::Black { 'B' } else { 'W' };
        let point: String = [b'a' + c.x(), b'a' + c.y()].map(char::from).iter().collect();
        text += &format!(";{letter}[{point}]");
        if i == 0 {
            text += &comment(&format!("Better. {}", chances(black)));
        }
        color = !color;
    }
    text + ")"
}

/// Returns black's share of the games in words.
fn chances(black: f64) -> String {
    format!("Black's chances: {:.0}%.", 100.0 * black)
}

/// Returns a comment. Its text holds no bracket.
fn comment(text: &str) -> String {
    format!("C[{text}]")
}

/// Returns the nodes of a game without variations, the first one with the bracket before it and
/// the last one without the bracket behind.
fn nodes(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let (mut is_value, mut is_escaped) = (false, false);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'[' => is_value = true,
            b']' => is_value = false,
            b';' if !is_value => starts.push(i),
            _ => {}
        }
    }
    let end = text.rfind(')').unwrap_or(text.len());
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    let ends = starts.iter().skip(1).copied().chain([end]);
    starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
}

#[cfg(test)]
mod tests {
    use tengen::record::parse;
    use tengen::types::BoardSize;

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
        assert!(text.contains(";B[aa]C[Better. Black's chances: 50%.];W[ba])"), "{text}");
        assert_eq!(text.matches('(').count() - 1, text.matches(')').count() - 1);
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
