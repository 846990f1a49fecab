//! Looks at training data: prints games, counts what files hold, compares scores with results.

mod calibration;
mod counts;

use std::fs::metadata;
use std::io::{self, BufWriter, Write, stdout};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use tengen::score::Bound;
use tengen_gomoku::board::Board;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};
use tengen_lab::{Reader, Source, TrainingGame, read_files};

use self::calibration::Calibration;
use self::counts::Statistics;

/// Looks at training data.
#[derive(Args)]
#[command(disable_help_subcommand = true)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print games as text
    Show(ShowOptions),
    /// Count what files hold
    Stats(Files),
    /// Compare the win rates of scores with results, and fit their scale
    Calibrate(Files),
}

#[derive(Args)]
struct ShowOptions {
    /// The games
    file: PathBuf,
    /// The first game to print, counted from 0
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    game: usize,
    /// How many to print
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    count: usize,
    /// Print the positions beside the game too
    #[arg(long)]
    samples: bool,
}

#[derive(Args)]
struct Files {
    /// The games
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub fn run(options: Options) -> anyhow::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    match options.command {
        Command::Show(ShowOptions { file, game, count, samples }) => {
            let mut reader = Reader::open(&file)?;
            writeln!(out, "{}", reader.made_by())?;
            for game in reader.by_ref().skip(game).take(count) {
                writeln!(out)?;
                show(&mut out, &game?, samples)?;
            }
            out.flush()?;
            reader.note_left_out(&file);
        }
        Command::Stats(Files { files }) => {
            let mut statistics = Statistics::default();
            for path in &files {
                statistics.bytes += metadata(path)?.len();
            }
            read_files(&files, |game| {
                statistics.add(&game);
                Ok(())
            })?;
            write!(out, "{statistics}")?;
        }
        Command::Calibrate(Files { files }) => {
            let mut calibration = Calibration::default();
            read_files(&files, |game| calibration.add(&game))?;
            write!(out, "{calibration}")?;
        }
    }
    Ok(out.flush()?)
}

/// Writes a game: its head, a line for each move, the last position, and the samples if wanted.
fn show(out: &mut impl Write, game: &TrainingGame, with_samples: bool) -> io::Result<()> {
    let outcome = match game.outcome {
        Outcome::Won(color) => format!("{color} wins"),
        Outcome::Drawn => "drawn".to_owned(),
    };
    let TrainingGame { number, rule, size, .. } = game;
    let moves = game.moves.len();
    let inner = game.samples.iter().filter(|sample| sample.source == Source::Inner).count();
    let sides = game.samples.len() - inner;
    let held_out = if game.is_held_out() { ", held out" } else { "" };
    write!(out, "game {number}, {} {size}, {outcome}, {moves} moves, ", rule.name())?;
    writeln!(out, "{sides} sides, {inner} inner nodes{held_out}")?;
    let (opening, searched) = game.moves.split_at(game.opening);
    writeln!(out, "opening {}", written(opening))?;
    for (index, (mv, label)) in searched.iter().zip(&game.labels).enumerate() {
        let ply = game.opening + index;
        let color = Color::to_move_after(ply);
        let [mv, score] = [mv.to_string(), label.score.to_string()];
        write!(out, "{:3} {color} {mv:4} {score:>6} depth {}", ply + 1, label.depth)?;
        for (mv, score) in &label.others {
            write!(out, ", {mv} {score}")?;
        }
        writeln!(out)?;
    }
    draw(out, game.size, &game.moves)?;
    for sample in game.samples.iter().filter(|_| with_samples) {
        let source = match sample.source {
            Source::Side => "side",
            Source::Inner => "inner",
        };
        let bound = match sample.bound {
            Bound::Upper => "at most ",
            Bound::Lower => "at least ",
            Bound::Exact => "",
        };
        let best = sample.mv.map_or("-".to_owned(), |mv| mv.to_string());
        let (ply, line) = (sample.ply, written(&sample.line));
        write!(out, "{source} after move {ply}: {line}, best {best}, ")?;
        writeln!(out, "{bound}{}, depth {}", sample.score, sample.depth)?;
    }
    Ok(())
}

fn written(moves: &[Coord]) -> String {
    moves.iter().map(Coord::to_string).collect()
}

/// Draws the board after these moves, row 1 first.
fn draw(out: &mut impl Write, size: BoardSize, moves: &[Coord]) -> io::Result<()> {
    let mut board = Board::new(size, Rule::Freestyle);
    moves.iter().for_each(|&mv| board.play(mv));
    for y in 0..size.height() {
        write!(out, "{:3}", y + 1)?;
        for x in 0..size.width() {
            let stone = match board.stone(Coord::new(x, y)) {
                Some(Color::Black) => " X",
                Some(Color::White) => " O",
                None => " .",
            };
            out.write_all(stone.as_bytes())?;
        }
        writeln!(out)?;
    }
    let letters = (b'a'..).take(size.width().into()).map(|letter| format!(" {}", letter as char));
    writeln!(out, "   {}", letters.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::score::Score;
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
        let text = |with_samples| {
            let mut bytes = Vec::new();
            show(&mut bytes, &game, with_samples).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(text(true).replace(", held out", ""), expected);
        assert!(!text(false).contains("inner after"));
    }
}
