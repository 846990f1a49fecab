//! A training game as text.
//!
//! Pure: returns texts and knows no file.

use std::fmt::Write;

use tengen::board::Board;
use tengen::record::Outcome;
use tengen::types::{BoardSize, Bound, Color, Coord, Rule, Score};
use tengen_lab::{Source, TrainingGame};

/// Returns the text of a game: its head, a line for each move, the last position, and the samples
/// if wanted.
pub fn text(game: &TrainingGame, with_samples: bool) -> String {
    let mut text = String::new();
    let outcome = match game.outcome {
        Outcome::Won(color) => format!("{color} wins"),
        Outcome::Drawn => "drawn".to_owned(),
    };
    let TrainingGame { number, rule, size, .. } = game;
    let inner = game.samples.iter().filter(|sample| sample.source == Source::Inner).count();
    let sides = game.samples.len() - inner;
    let held_out = if game.is_held_out() { ", held out" } else { "" };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "game {number}, {} {size}, {outcome}, {} moves, {sides} sides, {inner} inner nodes{held_out}",
        rule.name(),
        game.moves.len(),
    );
    let (opening, searched) = game.moves.split_at(game.opening);
    let _ = writeln!(text, "opening {}", written(opening));
    for (index, (mv, label)) in searched.iter().zip(&game.labels).enumerate() {
        let ply = game.opening + index;
        let color = Color::to_move_after(ply);
        let [mv, score] = [mv.to_string(), label.score.to_string()];
        let _ = write!(text, "{:3} {color} {mv:4} {score:>6} depth {}", ply + 1, label.depth);
        for (mv, score) in &label.others {
            let _ = write!(text, ", {mv} {score}");
        }
        text.push('\n');
    }
    text += &drawing(game.size, &game.moves);
    for sample in game.samples.iter().filter(|_| with_samples) {
        let source = match sample.source {
            Source::Side => "side",
            Source::Inner => "inner",
        };
        let best = sample.mv.map_or("-".to_owned(), |mv| mv.to_string());
        let _ = writeln!(
            text,
            "{source} after move {}: {}, best {best}, {}, depth {}",
            sample.ply,
            written(&sample.line),
            bounded(sample.bound, sample.score),
            sample.depth
        );
    }
    text
}

fn written(moves: &[Coord]) -> String {
    moves.iter().map(Coord::to_string).collect()
}

fn bounded(bound: Bound, score: Score) -> String {
    let sign = match bound {
        Bound::Upper => "at most ",
        Bound::Lower => "at least ",
        Bound::Exact => "",
    };
    format!("{sign}{score}")
}

/// Returns the board after these moves, row 1 first.
fn drawing(size: BoardSize, moves: &[Coord]) -> String {
    let mut board = Board::new(size, Rule::Freestyle);
    moves.iter().for_each(|&mv| board.play(mv));
    let mut text = String::new();
    for y in 0..size.height() {
        let _ = write!(text, "{:3}", y + 1);
        for x in 0..size.width() {
            text += match board.stone(Coord::new(x, y)) {
                Some(Color::Black) => " X",
                Some(Color::White) => " O",
                None => " .",
            };
        }
        text.push('\n');
    }
    let letters = (b'a'..).take(size.width().into()).map(|letter| format!(" {}", letter as char));
    text + "   " + &letters.collect::<String>() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_lab::{Label, Sample};

    #[test]
    fn a_game_is_shown_with_all_it_has() {
        let [a, b, c] = [Coord::new(0, 0), Coord::new(1, 1), Coord::new(4, 4)];
        let others = vec![(c, Score::eval(-90))];
        let game = TrainingGame {
            number: 7,
            rule: Rule::Renju,
            size: BoardSize::new(5, 5).unwrap(),
            opening: 1,
            outcome: Outcome::Won(Color::Black),
            moves: vec![a, b],
            labels: vec![Label { score: Score::loss_in(8), depth: 6, others }],
            samples: vec![Sample {
                ply: 1,
                line: vec![c],
                source: Source::Inner,
                mv: None,
                score: Score::eval(31),
                bound: Bound::Lower,
                depth: 4,
            }],
        };
        let expected = "\
game 7, renju 5x5, black wins, 2 moves, 0 sides, 1 inner nodes
opening a1
  2 white b2      -M8 depth 6, e5 -90
  1 X . . . .
  2 . O . . .
  3 . . . . .
  4 . . . . .
  5 . . . . .
    a b c d e
inner after move 1: e5, best -, at least 31, depth 4
";
        let shown = text(&game, true);
        assert_eq!(shown.replace(", held out", ""), expected);
        assert!(!text(&game, false).contains("inner after"));
    }
}
