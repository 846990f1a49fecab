//! Many training games in memory, as the bytes of their records: some ten bytes a position.

use std::fs;
use std::io;
use std::path::Path;

use super::TrainingGame;
use super::file::{LeftOut, Reader};
use super::record::decode;

/// Games that are unpacked one at a time. Invariant: each record was read once and found sound.
#[derive(Clone, Debug, Default)]
pub struct TrainingSet {
    records: Vec<u8>,
    /// Where the record of each game ends.
    ends: Vec<usize>,
}

impl TrainingSet {
    /// Adds the games of a file and returns what of it had to be left out.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or holds no training games.
    pub fn add_file(&mut self, path: impl AsRef<Path>) -> io::Result<LeftOut> {
        let len = fs::metadata(&path)?.len();
        // What a device or a pipe tells of its length is no promise.
        self.records.try_reserve(usize::try_from(len).unwrap_or(0)).map_err(io::Error::other)?;
        self.add(&mut Reader::open(path)?)
    }

    fn add<R: io::Read>(&mut self, reader: &mut Reader<R>) -> io::Result<LeftOut> {
        while let Some((_, record)) = reader.next_record()? {
            self.records.extend(record);
            self.ends.push(self.records.len());
        }
        Ok(reader.left_out())
    }

    /// Returns the number of games.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there is no game.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a game by its number from 0 in the order in which they were added.
    ///
    /// # Panics
    ///
    /// If there are not as many.
    pub fn game(&self, index: usize) -> TrainingGame {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        decode(&self.records[start..self.ends[index]]).expect("invariant: every record is sound")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Writer;
    use super::super::record::tests::random_game;
    use super::*;

    #[test]
    fn games_come_back_in_order_without_the_damaged() {
        let mut rng = fastrand::Rng::with_seed(3);
        let games: Vec<_> = (0..30).map(|_| random_game(&mut rng)).collect();
        let mut set = TrainingSet::default();
        assert!(set.is_empty());
        for half in games.chunks(15) {
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes, "").unwrap();
            half.iter().for_each(|game| writer.write(game).unwrap());
            bytes.extend([9; 9]);
            let left_out = set.add(&mut Reader::new(&bytes[..]).unwrap()).unwrap();
            assert_eq!(left_out, LeftOut { records: 0, tail: 9 });
        }
        assert_eq!(set.len(), 30);
        assert!((0..30).all(|index| set.game(index) == games[index]));
    }
}
