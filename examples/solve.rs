//! Asks one of the threat solvers alone, for scripts: `solve vcf|vct NODES < POSITIONS`.
//!
//! A position is a line of its name, rule, board length, side to move, black's and white's stones
//! as points in one word each (`-` for none). The answer is a line of the name, `win`, `no` or
//! `unknown`, the nodes, the milliseconds and, of a win, the first move and the plies.

use std::io::{self, BufRead};
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use tengen::search::vcf::{Solution, Vcf};
use tengen::search::vct::Vct;
use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::types::{BoardSize, Cell, Color};

/// The most that the table of the search by fours and threes may take.
const TABLE_BYTES: usize = 1 << 28;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, solver, nodes] = &arguments[..] else { bail!("usage: solve vcf|vct NODES") };
    let nodes = nodes.parse()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (name, mut board) = parse(&line).with_context(|| line.clone())?;
        let start = Instant::now();
        let (outcome, searched) = match solver.as_str() {
            "vcf" => {
                let mut vcf = Vcf::default();
                (vcf.solve(&mut board, nodes), vcf.nodes)
            }
            "vct" => {
                let mut vct = Vct::default();
                vct.table.resize(TABLE_BYTES);
                vct.table.grow(nodes);
                (vct.solve(&mut board, nodes), vct.nodes)
            }
            _ => bail!("no solver {solver}"),
        };
        let ms = start.elapsed().as_millis();
        match outcome {
            Solution::Win { mv, plies } => println!("{name} win {searched} {ms} {mv} {plies}"),
            Solution::No => println!("{name} no {searched} {ms}"),
            Solution::Unknown => println!("{name} unknown {searched} {ms}"),
        }
    }
    Ok(())
}

fn parse(line: &str) -> anyhow::Result<(&str, Board)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, rule, length, to_move, black, white] = words[..] else { bail!("six words wanted") };
    let rule = rule.parse()?;
    let length = length.parse()?;
    let size = BoardSize::new(length, length).context("no board of this size")?;
    let mut cells = Vec::new();
    for (text, cell) in [(black, Cell::Black), (white, Cell::White)] {
        let points = parse_points(text.trim_matches('-'), size).map_err(|e| anyhow!("{e:?}"))?;
        cells.extend(points.into_iter().map(|c| (c, cell)));
    }
    let to_move = match to_move {
        "black" => Color::Black,
        "white" => Color::White,
        _ => bail!("no side {to_move}"),
    };
    Ok((name, Board::from_cells(size, rule, &cells, to_move)))
}
