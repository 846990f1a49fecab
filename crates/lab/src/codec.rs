//! A training game as bytes: both directions side by side.
//!
//! All numbers are little-endian. A cell is `row * width + column`, in the lowest nine bits of two
//! bytes; the bits above it are named. A score is an evaluation of at most 20,000, or 32,000 less
//! the plies of a proven win, or the negative of either. A record is
//!
//! ```text
//! bytes
//! 4      number of the game
//! 1      rule, in the order of `Rule::ALL`; bits 4-5: 0 black won, 1 white won, 2 drawn
//! 1, 1   width and height
//! 1      moves of the opening
//! 2      moves of the game, n
//! n times:
//!   2      cell; bits 9-11: number m of other moves
//!   after the opening:
//!     2, 1   score, depth
//!     m times: 2, 2   cell, score
//! to the end of the record:
//!   2      moves of the game before the sample; bits 9-10: bound (1 upper, 2 lower, 3 exact);
//!          bit 11: an inner node
//!   1      moves beside the game, at least one, k
//!   k times: 2   cell
//!   2      cell of the best move, or 511
//!   2, 1   score, depth
//! ```

use tengen::score::{Bound, Score};
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::{BoardSize, Color, Coord, CoordSet, Rule};

use crate::{Label, Sample, Source, TrainingGame};

/// The most other moves of a label; a record drops the others.
pub const MAX_OTHERS: usize = 7;

const CELL_BITS: u32 = 9;
const CELL_MASK: u16 = (1 << CELL_BITS) - 1;
const NO_CELL: u16 = CELL_MASK;
const OUTCOMES: [Outcome; 3] =
    [Outcome::Won(Color::Black), Outcome::Won(Color::White), Outcome::Drawn];
const OUTCOME_SHIFT: u32 = 4;
const INNER_BIT: u32 = 11;

const _: () = assert!(BoardSize::MAX_AREA < NO_CELL as usize);
const _: () = assert!(MAX_OTHERS < 1 << (12 - CELL_BITS));

/// Appends the record of a game.
pub fn encode(game: &TrainingGame, out: &mut Vec<u8>) {
    let cell = |c: Coord| u16::from(c.y()) * u16::from(game.size.width()) + u16::from(c.x());
    let score = |score: Score| score.to_tt(0).to_le_bytes();
    let outcome = OUTCOMES.iter().position(|&outcome| outcome == game.outcome);
    let outcome = outcome.expect("invariant: every outcome has a number") as u8;
    out.extend(game.number.to_le_bytes());
    out.push(game.rule as u8 | outcome << OUTCOME_SHIFT);
    out.extend([game.size.width(), game.size.height()]);
    let (opening, searched) = game.moves.split_at(game.opening);
    out.push(u8::try_from(opening.len()).expect("invariant: an opening is short"));
    out.extend((game.moves.len() as u16).to_le_bytes());
    for &mv in opening {
        out.extend(cell(mv).to_le_bytes());
    }
    assert_eq!(searched.len(), game.labels.len(), "a label for every searched move");
    for (&mv, label) in searched.iter().zip(&game.labels) {
        let others = &label.others[..label.others.len().min(MAX_OTHERS)];
        out.extend((cell(mv) | (others.len() as u16) << CELL_BITS).to_le_bytes());
        out.extend(score(label.score));
        out.push(label.depth);
        for &(mv, other) in others {
            out.extend(cell(mv).to_le_bytes());
            out.extend(score(other));
        }
    }
    for sample in &game.samples {
        let is_inner = u16::from(sample.source == Source::Inner);
        let head = sample.ply as u16 | (sample.bound as u16) << CELL_BITS | is_inner << INNER_BIT;
        out.extend(head.to_le_bytes());
        out.push(
            u8::try_from(sample.line.len()).expect("invariant: the line of a sample is short"),
        );
        for &mv in &sample.line {
            out.extend(cell(mv).to_le_bytes());
        }
        out.extend(sample.mv.map_or(NO_CELL, cell).to_le_bytes());
        out.extend(score(sample.score));
        out.push(sample.depth);
    }
}

/// Reads the record of a game, which must fill the bytes; `None` if they are damaged.
pub fn decode(bytes: &[u8]) -> Option<TrainingGame> {
    let mut input = Input { bytes };
    let number = u32::from_le_bytes(input.take()?);
    let [kind, width, height, opening] = input.take()?;
    let rule = kind & ((1 << OUTCOME_SHIFT) - 1);
    let rule = *Rule::ALL.get(usize::from(rule))?;
    let outcome = *OUTCOMES.get(usize::from(kind >> OUTCOME_SHIFT))?;
    let size = BoardSize::new(width, height)?;
    let opening = usize::from(opening);
    let count = usize::from(input.word()?);
    if count > size.area() || opening > count {
        return None;
    }
    let mut moves = Vec::with_capacity(count);
    let mut labels = Vec::with_capacity(count - opening);
    let mut taken = CoordSet::EMPTY;
    for index in 0..count {
        let word = input.word()?;
        let mv = free_cell(word & CELL_MASK, size, &taken)?;
        moves.push(mv);
        let others = usize::from(word >> CELL_BITS);
        if others > if index < opening { 0 } else { MAX_OTHERS } {
            return None;
        }
        taken.insert(mv);
        if index < opening {
            continue;
        }
        let mut seen = taken;
        let (score, depth) = (input.score()?, input.byte()?);
        let mut read_other = || {
            let mv = free_cell(input.word()?, size, &seen)?;
            seen.insert(mv);
            Some((mv, input.score()?))
        };
        let others = (0..others).map(|_| read_other()).collect::<Option<_>>()?;
        labels.push(Label { score, depth, others });
    }
    let mut samples = Vec::new();
    while !input.bytes.is_empty() {
        samples.push(sample(&mut input, size, &moves, opening)?);
    }
    Some(TrainingGame { number, rule, size, opening, outcome, moves, labels, samples })
}

fn sample(input: &mut Input, size: BoardSize, moves: &[Coord], opening: usize) -> Option<Sample> {
    let word = input.word()?;
    let ply = usize::from(word & CELL_MASK);
    let bound = match word >> CELL_BITS & 3 {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return None,
    };
    let source = match word >> INNER_BIT {
        0 => Source::Side,
        1 => Source::Inner,
        _ => return None,
    };
    let len = usize::from(input.byte()?);
    if ply < opening || ply > moves.len() || len == 0 {
        return None;
    }
    let mut taken: CoordSet = moves[..ply].iter().copied().collect();
    let mut line = Vec::with_capacity(len.min(size.area()));
    for _ in 0..len {
        let mv = free_cell(input.word()?, size, &taken)?;
        taken.insert(mv);
        line.push(mv);
    }
    let mv = match input.word()? {
        NO_CELL => None,
        cell => Some(free_cell(cell, size, &taken)?),
    };
    Some(Sample { ply, line, source, mv, score: input.score()?, bound, depth: input.byte()? })
}

fn free_cell(cell: u16, size: BoardSize, taken: &CoordSet) -> Option<Coord> {
    let width = u16::from(size.width());
    let row = u8::try_from(cell / width).ok()?;
    let c = size.coord((cell % width) as u8, row);
    c.filter(|&c| !taken.contains(c))
}

struct Input<'a> {
    bytes: &'a [u8],
}

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    fn word(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn score(&mut self) -> Option<Score> {
        let score = Score::from_tt(i16::from_le_bytes(self.take()?), 0);
        score.is_possible().then_some(score)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;
    use std::fmt::Debug;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};

    use super::*;

    fn runner(cases: u32) -> TestRunner {
        TestRunner::new(Config {
            cases,
            failure_persistence: None,
            // XorShift is fast without optimisation, which ChaCha, the default, needs.
            rng_algorithm: RngAlgorithm::XorShift,
            rng_seed: RngSeed::Fixed(1),
            ..Config::default()
        })
    }

    /// Checks a property of random values; of a failure it shows the smallest value that it finds.
    fn check<T: Debug>(
        cases: u32,
        values: impl Strategy<Value = T>,
        property: impl Fn(T) -> Result<(), TestCaseError>,
    ) {
        runner(cases).run(&values, property).unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// Returns so many games.
    pub fn random_games(count: usize) -> Vec<TrainingGame> {
        vec(random_game(), count).new_tree(&mut runner(1)).unwrap().current()
    }

    fn score(number: i16) -> Score {
        match i32::from(number) {
            number @ ..-20_000 => Score::loss_in(number.rem_euclid(300)),
            number @ 20_001.. => Score::win_in(number.rem_euclid(300)),
            number => Score::eval(number),
        }
    }

    /// A random game with everything that a game may have.
    fn random_game() -> impl Strategy<Value = TrainingGame> {
        let size = (5..=22u8, 5..=22u8).prop_map(|(w, h)| BoardSize::new(w, h).unwrap());
        // A board of another size would have other moves, so a failing case keeps its size.
        let content = size.no_shrink().prop_flat_map(|size| {
            let cells: Vec<Coord> = size.cells().collect();
            // A label: score, depth, and its other moves as bits, which are quicker to draw.
            let labels = vec((any::<i16>(), any::<u8>(), any::<u64>()), 0..=cells.len());
            (Just(size), Just(cells).prop_shuffle(), labels)
        });
        let source = select(vec![Source::Side, Source::Inner]);
        let bound = select(vec![Bound::Upper, Bound::Lower, Bound::Exact]);
        let sample = (any::<[Index; 2]>(), source, any::<i16>(), bound, any::<u8>());
        let samples = vec(sample, 0..4);
        let header = (any::<u32>(), select(Rule::ALL.to_vec()), select(OUTCOMES.to_vec()));
        (header, 0..=20usize, content, samples).prop_map(|(header, opening, content, samples)| {
            let (number, rule, outcome) = header;
            let (size, cells, labels) = content;
            let (count, opening) = (labels.len(), opening.min(labels.len()));
            let label = |(index, (own, depth, bits)): (usize, (_, _, u64))| {
                let others = cells[index + 1..].iter().rev().take(bits as usize % (MAX_OTHERS + 1));
                let others =
                    others.enumerate().map(|(i, &mv)| (mv, score((bits >> (7 * i)) as i16)));
                Label { score: score(own), depth, others: others.collect() }
            };
            let sample = |([ply, len], source, number, bound, depth): ([Index; 2], _, _, _, _)| {
                let ply = opening + ply.index(count - opening + 1);
                let free: Vec<Coord> = cells[ply..].iter().rev().copied().collect();
                let len = 1 + len.index(free.len().min(255));
                let (line, mv) = (free[..len].to_vec(), free.get(len).copied());
                Sample { ply, line, source, mv, score: score(number), bound, depth }
            };
            // A full board has no room for a sample.
            let samples = samples.into_iter().filter(|_| count < cells.len());
            TrainingGame {
                number,
                rule,
                size,
                opening,
                outcome,
                moves: cells[..count].to_vec(),
                labels: labels.into_iter().enumerate().skip(opening).map(label).collect(),
                samples: samples.map(sample).collect(),
            }
        })
    }

    fn encoded(game: &TrainingGame) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(game, &mut bytes);
        bytes
    }

    #[test]
    fn games_come_back_as_they_were() {
        check(2_000, random_game(), |game| {
            prop_assert_eq!(decode(&encoded(&game)), Some(game));
            Ok(())
        });
    }

    #[test]
    fn a_move_takes_five_bytes() {
        let mut game = random_games(1).remove(0);
        game.samples.clear();
        game.labels.iter_mut().for_each(|label| label.others.clear());
        assert_eq!(encoded(&game).len(), 10 + 2 * game.opening + 5 * game.labels.len());
    }

    #[derive(Clone, Debug)]
    enum Damage {
        Cut(Index),
        Tail(Vec<u8>),
        Bit(Index, u8),
    }

    #[test]
    fn damage_is_refused_or_reads_as_another_game() {
        let damage = prop_oneof![
            any::<Index>().prop_map(Damage::Cut),
            vec(any::<u8>(), 1..9).prop_map(Damage::Tail),
            (any::<Index>(), 0..8u8).prop_map(|(byte, bit)| Damage::Bit(byte, bit)),
        ];
        let refused = Cell::new(0);
        check(2_000, (random_game(), damage), |(game, damage)| {
            let mut bytes = encoded(&game);
            match damage {
                Damage::Cut(at) => bytes.truncate(at.index(bytes.len())),
                Damage::Tail(tail) => bytes.extend(tail),
                Damage::Bit(byte, bit) => *byte.get_mut(&mut bytes) ^= 1 << bit,
            }
            match decode(&bytes) {
                Some(game) => prop_assert_eq!(encoded(&game), bytes),
                None => refused.set(refused.get() + 1),
            }
            Ok(())
        });
        assert!(refused.get() > 1_000, "{refused:?}");
        check(200, vec(any::<u8>(), 0..200), |noise| {
            if let Some(game) = decode(&noise) {
                prop_assert_eq!(encoded(&game), noise);
            }
            Ok(())
        });
    }

    #[test]
    fn every_field_is_checked() {
        let size = BoardSize::new(15, 15).unwrap();
        let [a, b, c] = [Coord::new(7, 7), Coord::new(8, 8), Coord::new(0, 14)];
        let others = vec![(c, Score::eval(3))];
        let game = TrainingGame {
            number: 5,
            rule: Rule::Renju,
            size,
            opening: 1,
            outcome: Outcome::Drawn,
            moves: vec![a, b],
            labels: vec![Label { score: Score::eval(-4), depth: 6, others }],
            samples: vec![Sample {
                ply: 1,
                line: vec![c],
                source: Source::Inner,
                mv: Some(b),
                score: Score::win_in(7),
                bound: Bound::Lower,
                depth: 4,
            }],
        };
        let bytes = encoded(&game);
        // Offset and value: rule, outcome, width, opening, moves; then cells off the board or
        // taken, too many other moves, scores between evaluations and proofs; then the sample's
        // head, the length of its line, and its cells.
        let wrong: [(usize, &[u8]); 15] = [
            (4, &[0x25]),
            (4, &[0x32]),
            (5, &[4]),
            (7, &[3]),
            (8, &[226, 0]),
            (10, &[225, 0]),
            (10, &[112, 2]),
            (12, &[112, 2]),
            (12, &[128, 18]),
            (14, &25_000i16.to_le_bytes()),
            (14, &(-32_001i16).to_le_bytes()),
            (17, &[112, 0]),
            (21, &[0, 12]),
            (21, &[1, 8]),
            (24, &[112, 0]),
        ];
        assert_eq!(decode(&bytes).as_ref(), Some(&game));
        for (at, new) in wrong {
            let mut bytes = bytes.clone();
            bytes[at..at + new.len()].copy_from_slice(new);
            assert_eq!(decode(&bytes), None, "byte {at}");
        }
        let mut empty_line = bytes[..24].to_vec();
        empty_line[23] = 0;
        empty_line.extend(&bytes[26..]);
        assert_eq!(decode(&empty_line), None);
    }
}
