//! What games are asked for.

use std::fmt;

use tengen::eval;
use tengen::types::{BoardSize, Random, Rule};

/// What games are asked for. Its text names all of it, the version and the evaluation, but not the
/// search: a program whose search has changed since would go on with other games.
pub struct Plan {
    pub rule: Rule,
    pub sizes: Sizes,
    /// Nodes of a search, a fifth more or less.
    pub nodes: u64,
    pub inner: usize,
    pub seed: u64,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Plan { rule, sizes, nodes, inner, seed } = self;
        // Games of another evaluation are other games.
        let evaluation = eval::fingerprint();
        write!(f, "datagen {}, {}, size {sizes}, ", env!("CARGO_PKG_VERSION"), rule.name())?;
        write!(f, "{nodes} nodes, {inner} inner nodes, seed {seed}, evaluation {evaluation:016x}")
    }
}

/// Lengths of square boards with how often each is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(Vec<(BoardSize, usize)>);

impl Sizes {
    /// Returns the usual sizes for a rule: freestyle is played on 15 and on 20, the others on 15.
    pub fn usual(rule: Rule) -> Sizes {
        let text = if rule == Rule::Freestyle { "13-14,15:9,16-19,20:6" } else { "15" };
        Sizes::parse(text).expect("invariant: the text is well-formed")
    }

    /// Reads a list such as `15:9,20:6,13-14`: lengths or ranges of them, and after a colon how
    /// often each is drawn, once if nothing is said.
    pub fn parse(text: &str) -> Result<Sizes, String> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            let wrong = || format!("'{part}' is no size from 5 to 22, range or size:times");
            let (range, times) = part.split_once(':').unwrap_or((part, "1"));
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let [first, last] = [first, last].map(|side| side.trim().parse::<u8>());
            let (Ok(first), Ok(last), Ok(times)) = (first, last, times.trim().parse::<u16>())
            else {
                return Err(wrong());
            };
            if first > last || times == 0 {
                return Err(wrong());
            }
            for side in first..=last {
                sizes.push((BoardSize::new(side, side).ok_or_else(wrong)?, times.into()));
            }
        }
        Ok(Sizes(sizes))
    }

    pub fn all(&self) -> impl Iterator<Item = BoardSize> {
        self.0.iter().map(|&(size, _)| size)
    }

    pub fn draw(&self, random: &mut Random) -> BoardSize {
        let total = self.0.iter().map(|(_, times)| times).sum();
        let mut rest = random.below(total);
        for &(size, times) in &self.0 {
            if rest < times {
                return size;
            }
            rest -= times;
        }
        unreachable!("the rest is below the sum of all times");
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (index, (size, times)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}:{times}", size.width())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_drawn_as_often_as_they_say() {
        let sizes = Sizes::parse("13-14,15:6, 20:2").unwrap();
        assert_eq!(sizes.to_string(), "13:1,14:1,15:6,20:2");
        let mut random = Random::new(1);
        let mut counts = [0; 23];
        (0..10_000).for_each(|_| counts[sizes.draw(&mut random).width() as usize] += 1);
        for (side, expected) in [(13, 1_000), (14, 1_000), (15, 6_000), (20, 2_000)] {
            assert!((expected * 9 / 10..expected * 11 / 10).contains(&counts[side]), "{counts:?}");
        }
        assert_eq!(counts.iter().sum::<i32>(), 10_000);
        for wrong in ["", "4", "23", "15-14", "15:0", "15:x", "15,", "13-", "13-23", "-3"] {
            assert!(Sizes::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn freestyle_is_played_on_13_to_20() {
        assert_eq!(Sizes::usual(Rule::Freestyle).0.len(), 8);
        assert_eq!(Sizes::usual(Rule::Renju), Sizes::parse("15").unwrap());
    }
}
