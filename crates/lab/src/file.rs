//! Files of training games: a header, then one record a game.
//!
//! A file begins with the eight bytes [`MAGIC`], the version in two bytes, the length of a text in
//! two more, and that text in UTF-8: how the games were made. Each record follows its length in
//! four bytes. All numbers are little-endian. A file whose writer was killed ends in the middle of
//! a record: the reader leaves that out and says so, like every record that is damaged.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tengen::closed_output::note;

use crate::TrainingGame;
use crate::codec::{decode, encode};

const MAGIC: &[u8; 8] = b"TENGAMES";
const VERSION: u16 = 1;
/// The most bytes of a record: more than a game of 22x22 with 255 inner nodes a search has.
const RECORD_MAX: u32 = 1 << 24;
const BUFFER_BYTES: usize = 1 << 18;

/// What a reader had to leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Damaged records, among them one of an impossible length, which ends the file.
    pub records: u64,
    /// Bytes at the end that are no whole record, such as a writer leaves that was killed.
    pub tail: u64,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} damaged games and {} bytes at the end left out", self.records, self.tail)
    }
}

/// Reads the games of a file one by one; as an iterator it passes over what is damaged.
pub struct Reader<R> {
    input: R,
    /// How the games were made.
    pub made_by: String,
    /// What was left out so far.
    pub left_out: LeftOut,
    /// Bytes from the beginning of the file to the end of the last record read.
    pub position: u64,
    record: Vec<u8>,
    is_over: bool,
}

impl Reader<BufReader<File>> {
    pub fn open(path: impl AsRef<Path>) -> anyhow::Result<Reader<BufReader<File>>> {
        let open = || Reader::new(BufReader::with_capacity(BUFFER_BYTES, File::open(&path)?));
        open().with_context(|| format!("cannot read {}", path.as_ref().display()))
    }
}

impl<R: Read> Reader<R> {
    /// Reads the header of training games.
    pub fn new(mut input: R) -> io::Result<Reader<R>> {
        let wrong = |text: &str| io::Error::new(ErrorKind::InvalidData, text);
        let mut header = Vec::new();
        input.by_ref().take(MAGIC.len() as u64 + 4).read_to_end(&mut header)?;
        let Some((MAGIC, &[v0, v1, l0, l1])) = header.split_first_chunk() else {
            return Err(wrong("these are no training games"));
        };
        if u16::from_le_bytes([v0, v1]) != VERSION {
            return Err(wrong("the training games are of another version"));
        }
        let len = u64::from(u16::from_le_bytes([l0, l1]));
        let mut text = Vec::new();
        input.by_ref().take(len).read_to_end(&mut text)?;
        let text = String::from_utf8(text).ok().filter(|text| text.len() as u64 == len);
        let made_by = text.ok_or_else(|| wrong("the head of the training games is damaged"))?;
        Ok(Reader {
            input,
            made_by,
            left_out: LeftOut::default(),
            position: header.len() as u64 + len,
            record: Vec::new(),
            is_over: false,
        })
    }

    /// Notes on standard error what had to be left out of a file.
    pub fn note_left_out(&self, path: &Path) {
        if self.left_out != LeftOut::default() {
            note(format_args!("{}: {}", path.display(), self.left_out));
        }
    }

    /// Reads the next record, whole or not, into `self.record`; returns false at the end.
    fn read_record(&mut self) -> io::Result<bool> {
        self.record.clear();
        let mut prefix = Vec::with_capacity(4);
        self.input.by_ref().take(4).read_to_end(&mut prefix)?;
        let len = prefix.as_slice().try_into().map_or(0, u32::from_le_bytes);
        let is_length = (1..=RECORD_MAX).contains(&len);
        if is_length {
            let len = u64::from(len);
            self.input.by_ref().take(len).read_to_end(&mut self.record)?;
            if self.record.len() as u64 == len {
                self.position += 4 + len;
                return Ok(true);
            }
        }
        let rest = io::copy(&mut self.input, &mut io::sink())?;
        self.left_out.tail = prefix.len() as u64 + self.record.len() as u64 + rest;
        self.left_out.records += u64::from(prefix.len() == 4 && !is_length);
        Ok(false)
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = io::Result<TrainingGame>;

    fn next(&mut self) -> Option<io::Result<TrainingGame>> {
        while !self.is_over {
            let is_record = self.read_record();
            // Nothing is read after a failure.
            self.is_over = !matches!(is_record, Ok(true));
            match (is_record, decode(&self.record)) {
                (Err(error), _) => return Some(Err(error)),
                (Ok(false), _) => {}
                (Ok(true), Some(game)) => return Some(Ok(game)),
                (Ok(true), None) => self.left_out.records += 1,
            }
        }
        None
    }
}

/// Hands each game of files to `take`, and notes on standard error what had to be left out.
pub fn read_files(
    paths: &[PathBuf],
    mut take: impl FnMut(TrainingGame) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for path in paths {
        let mut reader = Reader::open(path)?;
        for game in &mut reader {
            let taken = game.map_err(anyhow::Error::from).and_then(&mut take);
            taken.with_context(|| format!("cannot read {}", path.display()))?;
        }
        reader.note_left_out(path);
    }
    Ok(())
}

/// Returns the head of a file, which says how its games are made.
pub fn header(made_by: &str) -> io::Result<Vec<u8>> {
    let len = u16::try_from(made_by.len()).map_err(|_| too_large("the text of the head"))?;
    let numbers = [VERSION.to_le_bytes(), len.to_le_bytes()];
    Ok([MAGIC, numbers.as_flattened(), made_by.as_bytes()].concat())
}

/// Adds a game to a file that ends after its header or a whole record, in one write.
pub fn write_game(out: &mut impl Write, game: &TrainingGame) -> io::Result<()> {
    let mut record = vec![0; 4];
    encode(game, &mut record);
    let len = u32::try_from(record.len() - 4).ok().filter(|&len| len <= RECORD_MAX);
    let len = len.ok_or_else(|| too_large("the game"))?;
    record[..4].copy_from_slice(&len.to_le_bytes());
    out.write_all(&record)
}

fn too_large(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, format!("{what} is too large for a file of games"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::random_games;
    use crate::{Sample, Source};
    use tengen::score::{Bound, Score};
    use tengen_gomoku::types::Coord;

    fn file(count: usize) -> (Vec<TrainingGame>, Vec<u8>, Vec<usize>) {
        let games = random_games(count);
        let mut bytes = header("by héart").unwrap();
        let mut ends = Vec::new();
        for game in &games {
            ends.push(bytes.len());
            write_game(&mut bytes, game).unwrap();
        }
        ends.push(bytes.len());
        (games, bytes, ends)
    }

    fn read(bytes: &[u8]) -> (Vec<TrainingGame>, LeftOut, u64) {
        let mut reader = Reader::new(bytes).unwrap();
        assert_eq!(reader.made_by, "by héart");
        let games = reader.by_ref().collect::<io::Result<_>>().unwrap();
        (games, reader.left_out, reader.position)
    }

    #[test]
    fn a_game_too_large_for_a_record_is_refused_before_a_byte_is_written() {
        let mut game = random_games(1).remove(0);
        let sample = Sample {
            ply: 0,
            line: vec![Coord::new(0, 0); 200],
            source: Source::Inner,
            mv: None,
            score: Score::eval(0),
            bound: Bound::Exact,
            depth: 4,
        };
        game.samples = vec![sample; (RECORD_MAX / 200) as usize];
        let mut bytes = Vec::new();
        let error = write_game(&mut bytes, &game).unwrap_err();
        assert_eq!((error.kind(), bytes.len()), (ErrorKind::InvalidInput, 0));
    }

    #[test]
    fn files_come_back_as_they_were() {
        for count in [0, 1, 50] {
            let (games, bytes, _) = file(count);
            assert_eq!(read(&bytes), (games, LeftOut::default(), bytes.len() as u64));
        }
    }

    #[test]
    fn a_file_cut_anywhere_gives_its_whole_games() {
        let (games, bytes, ends) = file(6);
        for len in ends[0]..bytes.len() {
            let whole = ends.iter().rposition(|&end| end <= len).unwrap();
            let tail = (len - ends[whole]) as u64;
            let left_out = LeftOut { tail, ..LeftOut::default() };
            let expected = (games[..whole].to_vec(), left_out, ends[whole] as u64);
            assert_eq!(read(&bytes[..len]), expected, "{len}");
        }
        for len in 0..ends[0] {
            assert!(Reader::new(&bytes[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn a_damaged_record_costs_no_other() {
        let (games, mut bytes, ends) = file(6);
        // A rule that is none.
        bytes[ends[2] + 8] = 0xf;
        let mut expected = games.clone();
        expected.remove(2);
        let (games, left_out, _) = read(&bytes);
        assert_eq!((games, left_out), (expected, LeftOut { records: 1, ..LeftOut::default() }));
        // A length that is none ends the file.
        bytes[ends[4]..][..4].copy_from_slice(&u32::MAX.to_le_bytes());
        let (games, left_out, _) = read(&bytes);
        let tail = (bytes.len() - ends[4]) as u64;
        assert_eq!((games.len(), left_out), (3, LeftOut { records: 2, tail }));
    }

    #[test]
    fn other_files_are_refused() {
        let (_, bytes, ends) = file(1);
        for at in [0, 7, 8, 9, 15] {
            let mut bytes = bytes[..ends[0]].to_vec();
            bytes[at] = 0xff;
            assert!(Reader::new(&bytes[..]).is_err(), "byte {at}");
        }
        assert!(header(&"x".repeat(1 << 16)).is_err());
    }
}
