//! The game as a file.

use tengen_gomoku::record::{HUMAN, Record};
use tengen_gomoku::types::Color;

use super::Session;
use crate::review::scan::Scan;

/// The form of a game as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Psq,
    /// With what a review found.
    Sgf,
    /// The moves one after the other, such as `h8i9`.
    Text,
}

/// Returns the text of the file; `None` if the game does not fit the format, because its colours do
/// not take turns.
fn write(record: &Record, review: &Scan, format: Format) -> Option<String> {
    match format {
        Format::Psq => record.to_psq(),
        Format::Text => record.to_pos().map(|text| text + "\n"),
        Format::Sgf => Some(review.annotated(record).to_sgf()),
    }
}

impl Session {
    /// Returns the game as a file; `None` if it does not fit the format, because its colours do not
    /// take turns.
    pub fn file(&self, format: Format) -> Option<String> {
        let players = Color::ALL.map(|color| match self.seat(self.game.player(color)) {
            Some(program) => self.programs[program].name.clone(),
            None => HUMAN.to_owned(),
        });
        write(&self.game.record_for_file(players), &self.review.scan, format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{Evaluation, Finding, Line, Value};
    use tengen_gomoku::record::parse;
    use tengen_gomoku::types::{BoardSize, Coord, Rule};

    fn record(text: &str) -> Record {
        let entries = parse(text, BoardSize::new(15, 15).unwrap());
        entries.into_iter().next().unwrap().record.unwrap()
    }

    /// Returns the review of a game in which black wins these shares.
    fn reviewed(record: &Record, rates: &[f64]) -> Scan {
        let mut review = Scan::new(record, Rule::Freestyle);
        for (after, &black) in rates.iter().enumerate() {
            let win_rate =
                if record.after(after).to_move() == Color::Black { black } else { 1.0 - black };
            let value = Value::Estimate { win_rate, score: None };
            let best = Line { moves: vec![Coord::new(0, 0), Coord::new(1, 0)], value, depth: 3 };
            let evaluation = Evaluation { best, others: Vec::new(), others_lose: false };
            review.add(after, Finding::Evaluated(evaluation));
        }
        review
    }

    #[test]
    fn notes_do_not_change_the_game() {
        let mut game = record("h8i9h10j11");
        game.players = [r"a;[]\".into(), "(b)".into()];
        let review = reviewed(&game, &[0.5, 0.28, 0.35, 0.9, 0.1]);
        let text = write(&game, &review, Format::Sgf).unwrap();
        let again = record(&text);
        assert_eq!(again.to_pos(), game.to_pos());
        assert_eq!(again.players, game.players);
        assert_eq!(text.matches("BM[1]").count(), 1, "{text}");
        let better = ";B[aa]C[Tengen: better: a1 is best for black, win rate 50 %.]\n;W[ba])";
        assert!(text.contains(better), "{text}");
        let words = "Tengen: a mistake; a1 was best. Win rate of black: 50 % before, 28 % after.";
        assert!(text.contains(words), "{text}");
    }

    #[test]
    fn a_game_without_review_is_plain() {
        let mut game = record("h8i9h10");
        game.rule = Some(Rule::Freestyle);
        let text = write(&game, &reviewed(&game, &[]), Format::Sgf).unwrap();
        assert_eq!(text.split_whitespace().collect::<String>(), game.to_sgf().replace('\n', ""));
        assert_eq!(write(&game, &reviewed(&game, &[]), Format::Text).unwrap(), "h8i9h10\n");
        assert!(write(&game, &reviewed(&game, &[]), Format::Psq).unwrap().starts_with("Piskvorky"));
    }

    #[test]
    fn games_out_of_turn_have_no_psq() {
        let game = record("(;GM[4]SZ[15]AB[aa][bb]PL[W])");
        let write = |format| write(&game, &reviewed(&game, &[]), format);
        assert_eq!((write(Format::Psq), write(Format::Text)), (None, None));
        assert!(write(Format::Sgf).unwrap().contains("AB[aa][bb]"));
    }
}
