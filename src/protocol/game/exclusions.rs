//! Excluded moves: moves that the user of an analysis does not want, in every position or in one. A
//! search gets those of its root as *excluded*, those of its tree as *blocked* ([`Blocked`]). They
//! outlive the game, since Yixin-Board starts a new one before every move. Points are cells of the
//! largest board. What is refused changes nothing.

use std::collections::BTreeMap;

use tengen_gomocup::ListItem;
use tengen_gomoku::types::{BoardSize, Color, Coord, CoordSet};

use super::position::on_board;
use super::{ErrorText, errors};
use crate::search::{Blocked, StoneSets};

const POSITIONS_MAX: usize = 1_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    pub everywhere: CoordSet,
    /// By the stones of the position.
    pub single: BTreeMap<StoneSets, CoordSet>,
}

impl Exclusions {
    pub fn at(&self, stones: &StoneSets) -> CoordSet {
        self.everywhere | self.single.get(stones).copied().unwrap_or_default()
    }

    pub fn blocked(&self, size: BoardSize) -> Blocked {
        Blocked::new(size, self.single.iter().map(|(&stones, &moves)| (stones, moves)))
    }

    pub fn add(&mut self, items: &[ListItem]) -> Result<(), ErrorText> {
        self.everywhere = self.everywhere | cells(items)?.into_iter().collect();
        Ok(())
    }

    pub fn remove(&mut self, items: &[ListItem]) -> Result<(), ErrorText> {
        self.everywhere = self.everywhere.without(&cells(items)?.into_iter().collect());
        Ok(())
    }

    /// Excludes the last move of a game begun by black, after the moves before it.
    pub fn add_path(&mut self, items: &[ListItem]) -> Result<(), ErrorText> {
        let (stones, mv) = path(items)?;
        if self.single.len() >= POSITIONS_MAX && !self.single.contains_key(&stones) {
            return Err(errors::MANY_POSITIONS);
        }
        self.single.entry(stones).or_default().insert(mv);
        Ok(())
    }

    pub fn remove_path(&mut self, items: &[ListItem]) -> Result<(), ErrorText> {
        let (stones, mv) = path(items)?;
        if let Some(moves) = self.single.get_mut(&stones) {
            moves.remove(mv);
        }
        self.single.retain(|_, moves| !moves.is_empty());
        Ok(())
    }
}

fn path(items: &[ListItem]) -> Result<(StoneSets, Coord), ErrorText> {
    let cells = cells(items)?;
    let (&mv, before) = cells.split_last().ok_or(errors::LIST_ITEM)?;
    let stones_of = |color: Color| before.iter().skip(color as usize).step_by(2).copied().collect();
    Ok((Color::ALL.map(stones_of), mv))
}

fn cells(items: &[ListItem]) -> Result<Vec<Coord>, ErrorText> {
    items.iter().map(|item| on_board(BoardSize::LARGEST, item.point)).collect()
}

#[cfg(test)]
mod tests {
    use tengen_gomocup::ListLine;

    use super::*;

    fn items(text: &str) -> Vec<ListItem> {
        ListLine::parse(text).items.unwrap()
    }

    fn set(points: &[(u8, u8)]) -> CoordSet {
        points.iter().map(|&(x, y)| Coord::new(x, y)).collect()
    }

    #[test]
    fn moves_are_excluded_until_they_are_taken_back() {
        let mut exclusions = Exclusions::default();
        let anywhere = [CoordSet::EMPTY; 2];
        exclusions.add(&items("7,7 8,8 7,7")).unwrap();
        assert_eq!(exclusions.at(&anywhere), set(&[(7, 7), (8, 8)]));
        exclusions.remove(&items("7,7 1,1")).unwrap();
        assert_eq!(exclusions.at(&anywhere), set(&[(8, 8)]));
        exclusions.single.clear();
        assert_eq!(exclusions.at(&anywhere), set(&[(8, 8)]));
        exclusions.everywhere = CoordSet::EMPTY;
        assert_eq!(exclusions, Exclusions::default());
    }

    #[test]
    fn a_path_counts_in_its_position_only() {
        let mut exclusions = Exclusions::default();
        exclusions.add_path(&items("7,7 8,8 9,9")).unwrap();
        exclusions.add_path(&items("7,7 8,8 1,1")).unwrap();
        let there = [set(&[(7, 7)]), set(&[(8, 8)])];
        assert_eq!(exclusions.at(&there), set(&[(9, 9), (1, 1)]));
        let elsewhere = [there[1], there[0]];
        assert_eq!(exclusions.at(&elsewhere), CoordSet::EMPTY);
        exclusions.everywhere = CoordSet::EMPTY;
        exclusions.remove_path(&items("7,7 8,8 9,9")).unwrap();
        assert_eq!(exclusions.at(&there), set(&[(1, 1)]));
        exclusions.remove_path(&items("7,7 8,8 1,1")).unwrap();
        assert_eq!(exclusions, Exclusions::default());
        // Of an empty board.
        exclusions.add_path(&items("7,7")).unwrap();
        assert_eq!(exclusions.at(&[CoordSet::EMPTY; 2]), set(&[(7, 7)]));
        exclusions.single.clear();
        assert_eq!(exclusions, Exclusions::default());
    }

    #[test]
    fn what_is_refused_changes_nothing_and_memory_is_bounded() {
        let mut exclusions = Exclusions::default();
        assert_eq!(exclusions.add(&items("1,1 22,0")), Err(errors::OFF_BOARD));
        assert_eq!(exclusions.add_path(&items("1,1 -1,0")), Err(errors::OFF_BOARD));
        assert_eq!(exclusions.add_path(&[]), Err(errors::LIST_ITEM));
        assert_eq!(exclusions, Exclusions::default());
        for i in 0..22 * 22 {
            for j in 0..5 {
                let line = format!("{},{} 0,{j} 9,9", i % 22, i / 22);
                let added = exclusions.add_path(&items(&line));
                let fits = 5 * i + j < POSITIONS_MAX;
                assert_eq!(
                    added,
                    if fits { Ok(()) } else { Err(errors::MANY_POSITIONS) },
                    "{line}"
                );
            }
        }
        assert_eq!(exclusions.single.len(), POSITIONS_MAX);
    }
}
