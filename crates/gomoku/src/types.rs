//! Colors, cell contents, rules, coordinates, sets of cells.

/// Declares an enum with the list of its variants, and with `of`, which returns a variant's value.
macro_rules! variants {
    (
        $(#[$meta:meta])*
        pub enum $type:ident { $($(#[$doc:meta])* $name:ident,)* }
    ) => {
        $(#[$meta])*
        pub enum $type { $($(#[$doc])* $name,)* }

        impl $type {
            pub const ALL: [$type; $type::COUNT] = [$($type::$name,)*];
            pub const COUNT: usize = [$(stringify!($name)),*].len();

            #[allow(dead_code, reason = "not every enum has values")]
            const fn of<T: Copy>(self, values: [T; $type::COUNT]) -> T {
                values[self as usize]
            }
        }
    };
}
pub(crate) use variants;

mod coord;
mod coord_set;
#[doc(hidden)]
pub mod random;

pub use coord::{BoardSize, Coord, Direction, Rows};
#[doc(hidden)]
pub use coord::{CELLS, SPAN, STRIDE};
pub use coord_set::CoordSet;
#[doc(hidden)]
pub use random::Random;

use std::error::Error;
use std::fmt;
use std::ops::{Index, IndexMut, Not};
use std::str::FromStr;

#[cfg(feature = "records")]
use serde::{Deserialize, Serialize};

variants! {
    /// One of the two players; black moves first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "records", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
    #[repr(u8)]
    pub enum Color {
        Black,
        White,
    }
}

impl Color {
    pub const fn cell(self) -> Cell {
        match self {
            Color::Black => Cell::Black,
            Color::White => Cell::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.of(["black", "white"]))
    }
}

impl Not for Color {
    type Output = Color;

    fn not(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

impl<T> Index<Color> for [T; 2] {
    type Output = T;

    fn index(&self, color: Color) -> &T {
        &self[color as usize]
    }
}

impl<T> IndexMut<Color> for [T; 2] {
    fn index_mut(&mut self, color: Color) -> &mut T {
        &mut self[color as usize]
    }
}

/// The content of a cell; its two-bit code in a bit line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Cell {
    Black = 0,
    White = 1,
    Empty = 2,
    /// Off the board or blocked.
    Wall = 3,
}

impl Cell {
    pub const fn stone(self) -> Option<Color> {
        match self {
            Cell::Black => Some(Color::Black),
            Cell::White => Some(Color::White),
            Cell::Empty | Cell::Wall => None,
        }
    }
}

variants! {
    /// What wins, and what black may not play.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "records", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
    #[repr(u8)]
    pub enum Rule {
        /// Five or more in a row win.
        #[default]
        Freestyle,
        /// Exactly five in a row win.
        Standard,
        /// Black wins with exactly five and may not make an overline, a double four or a double
        /// three; white wins with five or more.
        Renju,
        /// Six or more win; five win unless enemy stones are at both ends.
        Caro,
        /// Exactly five win unless enemy stones are at both ends.
        CaroExact,
    }
}

impl Rule {
    pub const fn name(self) -> &'static str {
        self.of(["freestyle", "standard", "renju", "caro", "caro-exact"])
    }

    /// Returns the rule's number in the Gomocup protocol.
    pub const fn code(self) -> u8 {
        self.of([0, 1, 4, 8, 9])
    }

    /// Returns true for caro, where enemy stones at both ends spoil a five, and a four may have two
    /// answers.
    pub const fn is_caro(self) -> bool {
        matches!(self, Rule::Caro | Rule::CaroExact)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = Expected;

    /// Reads a [name](Rule::name), in any case.
    fn from_str(text: &str) -> Result<Rule, Expected> {
        let named = Rule::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(text));
        named.ok_or(Expected("freestyle, standard, renju, caro or caro-exact"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected(pub &'static str);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} expected", self.0)
    }
}

impl Error for Expected {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_by_the_names_that_they_print() {
        for rule in Rule::ALL {
            assert_eq!(rule.to_string().to_uppercase().parse(), Ok(rule));
        }
        assert_eq!(Rule::CaroExact.to_string(), "caro-exact");
        assert!("go".parse::<Rule>().is_err());
    }
}
