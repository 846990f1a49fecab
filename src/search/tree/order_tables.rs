//! The fitted tables of the move order.

use std::sync::OnceLock;

use anyhow::ensure;

use tengen_gomoku::board::{Board, CellThreats};
use tengen_gomoku::shape::{CODE_BITS, CODES, ShapeCode};
use tengen_gomoku::types::{CELLS, Color, Coord, Rule, STRIDE};

/// The order tables of a rule: ordering scores of moves by shape combinations (one entry for each
/// combination and color) and by place.
#[derive(Clone)]
pub struct OrderTables {
    /// By what a move makes for its own color.
    pub attack: [CodeTable; 2],
    /// By what it takes from the other color.
    pub defend: [CodeTable; 2],
    /// By its place relative to the opponent's last stone and to the own last stone.
    pub near: [[i16; NEARNESS_COUNT]; 2],
}

/// A number for each shape combination.
#[derive(Clone, PartialEq)]
pub struct CodeTable(
    /// As long as codes have bits, so that every code is an index.
    [i16; 1 << CODE_BITS],
);

impl CodeTable {
    pub fn from_fn(mut number: impl FnMut(usize) -> i16) -> CodeTable {
        CodeTable(std::array::from_fn(|code| if code < CODES { number(code) } else { 0 }))
    }

    #[inline]
    fn of(&self, code: ShapeCode) -> i32 {
        self.0[code as usize % (1 << CODE_BITS)].into()
    }
}

/// The tables in use; `order_tables.md` describes their origin.
static DATA: &[u8] = include_bytes!("order_tables.bin");
const MAGIC: &[u8; 8] = b"TENGEN03";

impl OrderTables {
    /// Returns the tables of `rule`, which the first call reads.
    pub fn of(rule: Rule) -> &'static OrderTables {
        static TABLES: OnceLock<Vec<OrderTables>> = OnceLock::new();
        let tables = TABLES.get_or_init(|| {
            OrderTables::read(DATA).expect("invariant: the tables of the program are complete")
        });
        &tables[rule as usize]
    }

    /// Reads the tables of all rules, in the order of [`Rule::ALL`]: `TENGEN03`, then for each rule
    /// the numbers of `attack`, `defend` (black before white) and `near`, little-endian.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Vec<OrderTables>> {
        const NUMBERS: usize = 2 * (2 * CODES + NEARNESS_COUNT);
        ensure!(bytes.starts_with(MAGIC), "these are no tables of the move order");
        let body = &bytes[MAGIC.len()..];
        ensure!(body.len() == Rule::ALL.len() * NUMBERS * 2, "the tables have a wrong length");
        let mut numbers = body.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]]));
        let mut next = || numbers.next().unwrap_or_default();
        let tables = Rule::ALL.map(|_| {
            let mut codes = || [(); 2].map(|()| CodeTable::from_fn(|_| next()));
            let (attack, defend) = (codes(), codes());
            let near = [(); 2].map(|()| std::array::from_fn(|_| next()));
            OrderTables { attack, defend, near }
        });
        Ok(tables.into())
    }

    pub fn write(tables: &[OrderTables]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for rule in tables {
            let codes = rule.attack.iter().chain(&rule.defend).flat_map(|table| &table.0[..CODES]);
            let numbers = codes.chain(rule.near.as_flattened());
            bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
        }
        bytes
    }

    #[inline]
    pub fn order(&self, color: Color, threats: &CellThreats) -> i32 {
        self.attack[color].of(threats.code(color)) + self.defend[!color].of(threats.code(!color))
    }

    pub fn move_scores(&self, board: &Board) -> MoveScores<'_> {
        let nearness = [0, 1].map(|plies| nearness(board.last_move(plies)));
        MoveScores { tables: self, us: board.side_to_move(), nearness }
    }
}

pub struct MoveScores<'a> {
    tables: &'a OrderTables,
    us: Color,
    nearness: [&'static [u8; CELLS]; 2],
}

impl MoveScores<'_> {
    #[inline]
    pub fn of(&self, mv: Coord, threats: &CellThreats) -> i32 {
        let near = |stone: usize| {
            let nearness = usize::from(self.nearness[stone][mv.index()]) % NEARNESS_COUNT;
            i32::from(self.tables.near[stone][nearness])
        };
        self.tables.order(self.us, threats) + near(0) + near(1)
    }
}

/// Numbers for the distance of a cell from another one, and whether they are on a line.
pub const NEARNESS_COUNT: usize = 8;
/// More than four cells away.
const FAR: u8 = 7;

/// Returns the nearness of each cell, by its padded index, to a stone; far without one.
#[inline]
pub fn nearness(stone: Option<Coord>) -> &'static [u8; CELLS] {
    let first = stone.map_or(2 * CELLS, |stone| CELLS - stone.index());
    NEARNESS[first..].first_chunk().expect("invariant: a whole board of entries follows")
}

const fn nearness_at(dx: isize, dy: isize) -> u8 {
    let (dx, dy) = (dx.unsigned_abs() as u8, dy.unsigned_abs() as u8);
    let is_on_line = dx == 0 || dy == 0 || dx == dy;
    match (if dx > dy { dx } else { dy }, is_on_line) {
        (0..=1, _) => 0,
        (distance @ 2..=4, true) => distance - 1,
        (distance @ 2..=4, false) => distance + 2,
        _ => FAR,
    }
}

/// By difference of padded indices, from -CELLS up, followed by far cells for a missing stone.
/// Within four rows and columns the differences are unique.
static NEARNESS: [u8; 3 * CELLS] = {
    let mut table = [FAR; 3 * CELLS];
    let mut dy = -4;
    while dy <= 4 {
        let mut dx = -4;
        while dx <= 4 {
            let difference = dy * STRIDE as isize + dx;
            table[(CELLS as isize + difference) as usize] = nearness_at(dx, dy);
            dx += 1;
        }
        dy += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_written_as_they_are_read() {
        let tables = OrderTables::read(DATA).expect("complete tables");
        assert_eq!(OrderTables::write(&tables), DATA);
        assert!(OrderTables::read(&DATA[..DATA.len() - 1]).is_err());
        assert!(OrderTables::read(&DATA[1..]).is_err());
    }

    #[test]
    fn nearness_tells_lines_and_distances_apart() {
        let from = Coord::new(7, 7);
        let seen = [(8, 8), (9, 7), (10, 10), (7, 3), (9, 8), (10, 8), (11, 8), (12, 7)]
            .map(|(x, y)| nearness(Some(from))[Coord::new(x, y).index()]);
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(nearness(None).iter().all(|&nearness| nearness == FAR));
    }
}
