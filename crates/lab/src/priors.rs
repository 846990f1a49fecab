//! Fits the priors of the proof search (`search::vct`) to games that `datagen` wrote: the proof and
//! disproof numbers that positions and moves begin with.
//!
//! Takes positions of the games at random, lets the proof search look for a win in each, and draws
//! from the positions that it met. The probabilities of a proof and of a disproof are fitted to the
//! numbers of cells with each threat, those of moves to their node's log odds and what their cells
//! offer, by logistic regression. One opening in twenty is held out with its games and only
//! measured.
//!
//! The tables are printed as they stand in `src/search/threat/vct/priors.rs`. The move tables depend on
//! the position model in use: put the new one there first, then run this again.

mod tables;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use tengen::parallel::in_order;
use tengen::search::STACK_BYTES;
use tengen::search::vct::{PositionSample, Vct};
use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Coord, Random};
use tengen_lab::{TrainingGame, read_files};

use self::tables::TABLES;

const MIN_GAMES: usize = 20;

/// Fits the priors of the proof search to games that datagen wrote
#[derive(Args)]
pub struct Options {
    /// Positions in which the proof search looks for a win
    searches: u64,
    /// Random seed of these positions
    seed: u64,
    /// Games of datagen
    #[arg(value_name = "GAMES", required = true)]
    files: Vec<PathBuf>,
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let &Options { searches, seed, ref files } = options;
    let mut games = Vec::new();
    read_files(files, |game| {
        // A game without a searched move has no position to draw.
        games.extend(Some(game).filter(|game| !game.labels.is_empty()));
        Ok(())
    })?;
    ensure!(games.len() >= MIN_GAMES, "too few games");

    let mut samples = Vec::new();
    let worker = || {
        let (mut sampler, games) = (Sampler::default(), &games);
        move |number| sampler.draw(games, &mut Random::new(seed ^ number << 32))
    };
    in_order(0..searches, crate::threads(None), STACK_BYTES, worker, |drawn| {
        samples.extend(drawn);
        true
    })?;
    let mut output = io::stdout().lock();
    writeln!(output, "// {} positions", samples.len())?;
    for table in TABLES {
        writeln!(output, "{}", table.fitted(&samples)?)?;
        output.flush()?;
    }
    Ok(())
}

const SEARCH_NODES: u64 = 3_000;
/// Nodes within which a proof counts, and a disproof: short wins are the ones that a search should
/// try first.
const PROOF_NODES: u64 = 500;
const DISPROOF_NODES: u64 = 20_000;
/// Positions drawn from each search, out of the first ones that are found again.
const DRAWN: usize = 20;
const MOST_MET: usize = 2_000;
const DRAWN_MOVES: usize = 4;

pub struct Sample {
    pub is_attack: bool,
    /// What the priors of the position and of its moves rest on.
    pub position: PositionSample,
    /// Whether it is proven soon, and whether it is disproven.
    pub outcomes: [bool; 2],
    pub is_held_out: bool,
}

pub struct Sampler {
    met: Vct,
    judge: Vct,
}

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler { met: Vct::new(), judge: Vct::new() }
    }
}

impl Sampler {
    /// Searches one position of the games, each of which has a searched move, and returns samples
    /// of what the search met.
    pub fn draw(&mut self, games: &[TrainingGame], random: &mut Random) -> Vec<Sample> {
        let game = &games[random.below(games.len())];
        let is_held_out = game.is_held_out();
        let mut board = Board::new(game.size, game.rule);
        let moves = game.opening + random.below(game.labels.len());
        game.moves[..moves].iter().for_each(|&mv| board.play(mv));
        let attacker = board.side_to_move();
        self.met.clear();
        self.met.solve(&mut board, SEARCH_NODES);
        let mut walk = Walk { vct: &self.met, seen: HashSet::new(), paths: Vec::new() };
        walk.collect(&mut board, &mut Vec::new());
        let mut paths = walk.paths;
        let mut samples = Vec::new();
        for _ in 0..DRAWN.min(paths.len()) {
            let path = paths.swap_remove(random.below(paths.len()));
            let mut board = board.clone();
            path.iter().for_each(|&mv| board.play(mv));
            let Some(mut position) = self.judge.sample(&mut board, attacker) else { continue };
            while position.moves.len() > DRAWN_MOVES {
                position.moves.swap_remove(random.below(position.moves.len()));
            }
            let mut is = |verdict, nodes| {
                self.judge.clear();
                self.judge.verdict(&mut board, attacker, nodes) == Some(verdict)
            };
            let is_proven = is(true, PROOF_NODES);
            let outcomes = [is_proven, !is_proven && is(false, DISPROOF_NODES)];
            let is_attack = board.side_to_move() == attacker;
            samples.push(Sample { is_attack, position, outcomes, is_held_out });
        }
        samples
    }
}

struct Walk<'a> {
    vct: &'a Vct,
    seen: HashSet<u64>,
    paths: Vec<Vec<Coord>>,
}

impl Walk<'_> {
    fn collect(&mut self, board: &mut Board, path: &mut Vec<Coord>) {
        for mv in &board.candidates() {
            let is_new = self.vct.has_expanded(board, mv)
                && self.paths.len() < MOST_MET
                && self.seen.insert(board.key_after(mv).bits());
            if is_new {
                board.play(mv);
                path.push(mv);
                self.paths.push(path.clone());
                self.collect(board, path);
                path.pop();
                board.undo();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::score::Score;
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::record::Outcome;
    use tengen_gomoku::types::{BoardSize, Color, Rule};
    use tengen_lab::Label;

    /// Returns a game in which black has three open twos around h8 when the last stone is searched.
    fn game() -> TrainingGame {
        let size = BoardSize::new(15, 15).unwrap();
        TrainingGame {
            number: 0,
            rule: Rule::Freestyle,
            size,
            opening: 10,
            outcome: Outcome::Won(Color::Black),
            moves: parse_points("h8a1i8a3h9a5i10a8c11d14g10", size).unwrap(),
            labels: vec![Label { score: Score::win_in(9), depth: 5, others: Vec::new() }],
            samples: Vec::new(),
        }
    }

    #[test]
    fn positions_that_a_search_met_are_drawn_with_their_outcomes() {
        let games = [game()];
        let samples = Sampler::default().draw(&games, &mut Random::new(1));
        assert!(!samples.is_empty() && samples.len() <= DRAWN);
        for sample in &samples {
            assert_eq!(sample.is_held_out, games[0].is_held_out());
            assert!(sample.outcomes != [true, true]);
            assert!((1..=DRAWN_MOVES).contains(&sample.position.moves.len()));
        }
        assert!(samples.iter().any(|sample| sample.outcomes[0]));
        let again = Sampler::default().draw(&games, &mut Random::new(1));
        let features = |samples: &[Sample]| -> Vec<_> {
            samples.iter().map(|sample| (sample.position.features, sample.outcomes)).collect()
        };
        assert_eq!(features(&again), features(&samples));
    }
}
