//! The game as a file.

use tengen_gomoku::record::{Format, HUMAN};
use tengen_gomoku::types::Color;

use super::{Session, capital};

impl Session {
    /// Returns the game as a file, with what the review found; or in a sentence why it does not fit
    /// the format.
    pub fn file(&self, format: Format) -> Result<Vec<u8>, String> {
        let players = Color::ALL.map(|color| match self.seat(self.game.player(color)) {
            Some(program) => self.programs[program].name.clone(),
            None => HUMAN.to_owned(),
        });
        let tree = self.review.scan.annotated(&self.game.record_for_file(players));
        format.write(&tree).map_err(|why| capital(format!("{why}.")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::scan::Scan;
    use crate::review::{Evaluation, Finding, Line, Value};
    use tengen_gomoku::record::tree::GameTree;
    use tengen_gomoku::record::{Record, parse};
    use tengen_gomoku::types::{BoardSize, Coord, Rule};

    fn record(text: &str) -> Record {
        let entries = parse(text, BoardSize::new(15, 15).unwrap());
        entries.into_iter().next().unwrap().record().unwrap()
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

    fn write(record: &Record, review: &Scan, format: Format) -> Option<String> {
        let bytes = format.write(&review.annotated(record)).ok()?;
        Some(String::from_utf8(bytes).unwrap())
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
        let plain = GameTree::from(&game).to_sgf().replace('\n', "");
        assert_eq!(text.split_whitespace().collect::<String>(), plain);
        assert_eq!(write(&game, &reviewed(&game, &[]), Format::Moves).unwrap(), "h8i9h10\n");
        assert!(write(&game, &reviewed(&game, &[]), Format::Psq).unwrap().starts_with("Piskvorky"));
    }

    #[test]
    fn games_out_of_turn_have_no_psq() {
        let game = record("(;GM[4]SZ[15]AB[aa][bb]PL[W])");
        let write = |format| write(&game, &reviewed(&game, &[]), format);
        assert_eq!((write(Format::Psq), write(Format::Moves)), (None, None));
        assert!(write(Format::Sgf).unwrap().contains("AB[aa][bb]"));
    }
}
