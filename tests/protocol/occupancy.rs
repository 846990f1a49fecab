//! The position of a dialogue as its lines tell it, to judge whether a move is legal.
//!
//! Knows no rule but that a stone needs a free cell.

use std::collections::HashSet;

/// What stands on the board.
#[derive(Clone, Default)]
pub struct Occupancy {
    width: u8,
    height: u8,
    taken: HashSet<(u8, u8)>,
    block: Option<Vec<(u8, u8)>>,
}

impl Occupancy {
    /// Takes notice of a line to the engine that is no error.
    pub fn sent(&mut self, line: &str) {
        let upper = line.trim().to_ascii_uppercase();
        let words = || upper.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let word = words().next().unwrap_or_default();
        let numbers: Vec<u8> = words().filter_map(|word| word.parse().ok()).collect();
        if matches!(word, "START" | "RECTSTART" | "RESTART") {
            self.block = None;
        }
        let is_block = matches!(word, "BOARD" | "YXBOARD" | "SWAP2BOARD");
        if is_block && self.block.is_none() {
            self.block = Some(Vec::new());
        }
        if let Some(block) = &mut self.block {
            // Several rows on one line have two numbers each in swap2 and three otherwise.
            let fields = if word == "SWAP2BOARD" { 2 } else { 3 };
            let numbers: Vec<i64> = words().filter_map(|word| word.parse().ok()).collect();
            let rows = numbers.chunks(fields).filter(|row| row.len() >= 2);
            // A pass is no cell.
            block.extend(rows.filter(|row| row[0] >= 0).map(|row| (row[0] as u8, row[1] as u8)));
            if upper.ends_with("DONE") {
                self.taken = self.block.take().unwrap().into_iter().collect();
            }
            return;
        }
        match (word, numbers.as_slice()) {
            ("START" | "RECTSTART", &[side]) => self.start(side, side),
            ("START" | "RECTSTART", &[width, height]) => self.start(width, height),
            ("RESTART", _) => self.taken.clear(),
            ("TURN" | "PLAY", &[x, y]) => {
                self.taken.insert((x, y));
            }
            ("TAKEBACK", &[x, y]) => {
                self.taken.remove(&(x, y));
            }
            _ => {}
        }
    }

    /// Takes notice that the last line was refused; `before` is the state before it.
    pub fn refused(&mut self, before: &Occupancy) {
        self.clone_from(before);
        self.block = None;
    }

    fn start(&mut self, width: u8, height: u8) {
        (self.width, self.height) = (width, height);
        self.taken.clear();
    }

    /// Takes notice of a move of the engine, which must be legal.
    pub fn moved(&mut self, (x, y): (u8, u8)) {
        assert!(x < self.width && y < self.height, "{x},{y} is off the board");
        assert!(self.taken.insert((x, y)), "{x},{y} is taken");
    }

    /// Takes notice of a stone that may be known already.
    pub fn played(&mut self, mv: (u8, u8)) {
        self.taken.insert(mv);
    }

    /// Returns the last free cell, row by row.
    pub fn last_free(&self) -> String {
        let mut cells = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        let last = cells.rfind(|cell| !self.taken.contains(cell));
        last.map_or(String::new(), |(x, y)| format!("{x},{y}"))
    }

    /// Returns true if the point is within two cells of the board's centre.
    pub fn is_central(&self, (x, y): (u8, u8)) -> bool {
        x.abs_diff(self.width / 2) <= 2 && y.abs_diff(self.height / 2) <= 2
    }
}
