//! Numbers that the environment sets.

use std::env;

/// Returns the number that a variable names, or the default where there is no such variable.
pub fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect(name))
}
