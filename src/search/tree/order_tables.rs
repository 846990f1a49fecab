//! The tables of the move order: how early a move should be tried by its shape combinations and its
//! place.
//!
//! Knows boards by the threats of their cells, and neither networks nor searches.

use std::sync::OnceLock;

use anyhow::ensure;

use crate::board::CellThreats;
use crate::shape::{CODE_BITS, CODES, Code};
use crate::types::{CELLS, Color, Coord, Nearness, Rule};

/// Ordering scores under one rule. An entry a combination and colour.
#[derive(Clone)]
pub struct OrderTables {
    /// Ordering score of a move by what it makes for its own colour.
    pub attack: [PerCode; 2],
    /// Ordering score of a move by what it takes from the other colour.
    pub defend: [PerCode; 2],
    /// Ordering score of a move by where it lies as seen from the opponent's last stone, and from
    /// the own last stone.
    pub near: [[i16; Nearness::COUNT]; 2],
}

/// A number for each shape combination.
#[derive(Clone, PartialEq)]
pub struct PerCode(
    /// As long as codes have bits for, so that every code is an index.
    [i16; 1 << CODE_BITS],
);

impl PerCode {
    /// Returns the table of what `number` says of each code.
    pub fn from_fn(mut number: impl FnMut(usize) -> i16) -> PerCode {
        PerCode(std::array::from_fn(|code| if code < CODES { number(code) } else { 0 }))
    }

    fn numbers(&self) -> &[i16] {
        &self.0[..CODES]
    }

    #[inline]
    fn of(&self, code: Code) -> i32 {
        self.0[code as usize % (1 << CODE_BITS)].into()
    }
}

/// The tables in use; `order_tables.md` tells where they come from.
static DATA: &[u8] = include_bytes!("order_tables.bin");
const MAGIC: &[u8; 8] = b"TENGEN03";

impl OrderTables {
    /// Returns the tables of `rule`, read at the first call.
    pub fn of(rule: Rule) -> &'static OrderTables {
        static TABLES: OnceLock<Vec<OrderTables>> = OnceLock::new();
        let tables = TABLES.get_or_init(|| {
            OrderTables::read(DATA).expect("invariant: the tables of the program are complete")
        });
        &tables[rule as usize]
    }

    /// Reads the tables of all rules, in the order of [`Rule::ALL`].
    ///
    /// The format is `TENGEN03` and then, rule by rule and little-endian, the numbers of `attack`,
    /// `defend` (black's before white's each) and `near`.
    ///
    /// # Errors
    ///
    /// If the bytes do not begin or end as they should.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Vec<OrderTables>> {
        const NUMBERS: usize = 2 * (2 * CODES + Nearness::COUNT);
        ensure!(bytes.starts_with(MAGIC), "these are no tables of the move order");
        let body = &bytes[MAGIC.len()..];
        ensure!(body.len() == Rule::ALL.len() * NUMBERS * 2, "the tables have a wrong length");
        let mut numbers = body.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]]));
        let mut next = || numbers.next().unwrap_or_default();
        let tables = Rule::ALL.map(|_| {
            let mut codes = || [(); 2].map(|()| PerCode::from_fn(|_| next()));
            let (attack, defend) = (codes(), codes());
            let near = [(); 2].map(|()| std::array::from_fn(|_| next()));
            OrderTables { attack, defend, near }
        });
        Ok(tables.into())
    }

    /// Returns the bytes that [`OrderTables::read`] reads.
    pub fn write(tables: &[OrderTables]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for rule in tables {
            let codes = rule.attack.iter().chain(&rule.defend).flat_map(PerCode::numbers);
            let numbers = codes.chain(rule.near.as_flattened());
            bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
        }
        bytes
    }

    /// Returns the ordering score of a move of `color` to a cell with these threats.
    #[inline]
    pub fn order(&self, color: Color, threats: &CellThreats) -> i32 {
        self.attack[color].of(threats.code(color)) + self.defend[!color].of(threats.code(!color))
    }

    /// Returns the ordering scores of the moves of `us` after the last two moves, the newest first.
    pub fn move_scores(&self, us: Color, last: [Option<Coord>; 2]) -> MoveScores<'_> {
        MoveScores { tables: self, us, nearness: last.map(Nearness::to) }
    }
}

/// The ordering scores of a position's moves.
pub struct MoveScores<'a> {
    tables: &'a OrderTables,
    us: Color,
    /// Where cells lie as seen from the last two stones.
    nearness: [&'static [Nearness; CELLS]; 2],
}

impl MoveScores<'_> {
    /// Returns the ordering score of a move to a cell with these threats; its nearness to the last
    /// two stones counts.
    #[inline]
    pub fn of(&self, mv: Coord, threats: &CellThreats) -> i32 {
        let near = |stone: usize| {
            i32::from(self.tables.near[stone][self.nearness[stone][mv.index()].index()])
        };
        self.tables.order(self.us, threats) + near(0) + near(1)
    }
}
