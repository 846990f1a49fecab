//! The clock that the engine reads. All other files go through here, so that WebAssembly, for which
//! the standard library has none, can have its own.

pub use std::time::{Duration, Instant};
