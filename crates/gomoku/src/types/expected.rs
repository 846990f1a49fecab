//! The error of a text that stands for no value.

use std::error::Error;
use std::fmt;

/// What was expected in place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected(pub &'static str);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} expected", self.0)
    }
}

impl Error for Expected {}
