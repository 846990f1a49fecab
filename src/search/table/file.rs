//! The transposition table as a file, so that an analysis can go on another day.
//!
//! The format: eight bytes of [`MAGIC`], eight of the [evaluation's
//! fingerprint](eval::fingerprint()), then 16 bytes for each entry, its key and its data without
//! the generation, all little-endian. The input is checked as a whole before an entry is stored,
//! and refused if it comes from other networks. The settings of the search are not recorded.

use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};

use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::types::{BoardSize, CoordSet};

use super::{GENERATION_BITS, Table, TableEntry, bound_bits};
use crate::eval;
use crate::score::Score;
use crate::search::control::Control;

/// With the number of the format.
pub const MAGIC: [u8; 8] = *b"TENGENT2";

const DATA: u64 = u64::MAX >> GENERATION_BITS;

impl Table {
    /// Writes the entries and returns their number.
    pub fn write(&self, out: &mut impl Write) -> Result<u64> {
        let mut count = 0;
        out.write_all(&MAGIC)?;
        out.write_all(&eval::fingerprint().to_le_bytes())?;
        for slot in (0..self.buckets.used).flat_map(|bucket| self.buckets.get(bucket)) {
            if let Some((key, data)) = self.live_entry(slot) {
                out.write_all(&key.to_le_bytes())?;
                out.write_all(&(data & DATA).to_le_bytes())?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Replaces all entries by those of a saved table, and returns their number. Changes nothing if
    /// the input is no table of this evaluation; if it fails later, some entries may be missing. The
    /// scores are valid only in searches with the settings of those that found them (strength, style,
    /// draw rule, blocked moves, candidate range).
    pub fn read(&mut self, input: &mut (impl Read + Seek)) -> Result<u64> {
        let start = input.stream_position()?;
        let count = for_each_entry(input, |_, _| ())?;
        self.clear();
        self.grow(count, &Control::untimed());
        input.seek(SeekFrom::Start(start))?;
        for_each_entry(input, |key, entry| self.store(key, entry))
    }
}

fn for_each_entry(input: &mut impl Read, mut take: impl FnMut(Key, TableEntry)) -> Result<u64> {
    let foreign = || Error::new(ErrorKind::InvalidData, "this is no table of Tengen");
    let mut magic = [0; MAGIC.len()];
    let mut fingerprint = [0; 8];
    input.read_exact(&mut magic).map_err(|_| foreign())?;
    input.read_exact(&mut fingerprint).map_err(|_| foreign())?;
    if magic != MAGIC {
        return Err(foreign());
    }
    if fingerprint != eval::fingerprint().to_le_bytes() {
        return Err(Error::new(ErrorKind::InvalidData, "this table is of another evaluation"));
    }
    let cells: CoordSet = BoardSize::LARGEST.cells().collect();
    let mut count = 0;
    let mut record = [0; 16];
    loop {
        // The input must end between two entries.
        if input.read(&mut record[..1])? == 0 {
            return Ok(count);
        }
        input.read_exact(&mut record[1..]).map_err(|_| foreign())?;
        let [key, data] = [0, 1].map(|word| u64::from_le_bytes(record.as_chunks().0[word]));
        let is_bound = bound_bits(data) != 0;
        let entry = Some(data).filter(|data| is_bound && data & !DATA == 0).map(TableEntry::unpack);
        let entry = entry.filter(|entry| is_sound(entry, &cells)).ok_or_else(foreign)?;
        take(key, entry);
        count += 1;
    }
}

fn is_sound(entry: &TableEntry, cells: &CoordSet) -> bool {
    entry.mv.is_none_or(|mv| cells.contains(mv))
        && Score::from_tt(entry.score, 0).is_possible()
        && entry.eval.is_none_or(|eval| i32::from(eval).abs() <= Score::EVAL_LIMIT)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::score::Bound;
    use crate::search::params::PLY;
    use tengen_gomoku::types::Coord;
    use tengen_gomoku::types::random::GAMMA;

    fn entry(n: u64) -> TableEntry {
        let mv = Some(Coord::new(n as u8 % 22, n as u8 / 22));
        TableEntry { mv, score: n as i16 - 90, eval: None, depth: 3 * PLY, bound: Bound::Exact }
    }

    /// Returns a table with 200 entries.
    fn table() -> Table {
        let mut table = Table::new(1 << 16);
        table.grow(200, &Control::untimed());
        (0..200).for_each(|n| table.store(key(n), entry(n)));
        table
    }

    fn key(n: u64) -> Key {
        n.wrapping_mul(GAMMA)
    }

    #[test]
    fn a_table_of_another_size_and_age_takes_everything_over() {
        let mut bytes = Vec::new();
        assert_eq!(table().write(&mut bytes).unwrap(), 200);
        let mut other = Table::new(1 << 18);
        for _ in 0..5 {
            other.clear();
        }
        assert_eq!(other.read(&mut Cursor::new(&bytes)).unwrap(), 200);
        assert!((0..200).all(|n| other.probe(key(n)) == Some(entry(n))));
        other.clear();
        assert_eq!(other.write(&mut Vec::new()).unwrap(), 0, "what is forgotten is not kept");
    }

    #[test]
    fn foreign_bytes_change_nothing() {
        let mut bytes = Vec::new();
        table().write(&mut bytes).unwrap();
        let mut cases =
            vec![Vec::new(), b"TENGEN".to_vec(), b"some other file, a long one".to_vec()];
        cases.push(bytes[..bytes.len() - 1].to_vec());
        // A generation, no bound, a move on the wall, scores beyond all proofs and all evaluations.
        for (place, byte) in [(15, 0xff), (14, 0), (8, 1), (11, 0x7f), (11, 0x61)] {
            let mut changed = bytes.clone();
            let record = changed.len() - 16;
            changed[record + place] = byte;
            if place == 8 {
                changed[record + 9] &= !3;
            }
            cases.push(changed);
        }
        for (i, case) in cases.iter().enumerate() {
            let mut table = Table::new(1 << 16);
            let error = table.read(&mut Cursor::new(case)).expect_err("foreign");
            assert_eq!(error.kind(), ErrorKind::InvalidData, "case {i}");
            assert_eq!(table.usage(), 0, "case {i}");
        }
    }

    #[test]
    fn scores_of_another_evaluation_are_refused() {
        let mut bytes = Vec::new();
        table().write(&mut bytes).unwrap();
        bytes[MAGIC.len()] ^= 1;
        let mut table = Table::new(1 << 16);
        let error = table.read(&mut Cursor::new(&bytes)).expect_err("another evaluation");
        assert!(error.to_string().contains("another evaluation"), "{error}");
        assert_eq!(table.usage(), 0);
    }
}
