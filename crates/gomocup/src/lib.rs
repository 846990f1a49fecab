//! The Gomocup protocol and its extensions by Yixin-Board, gomocalc and Rapfi, parsed and printed:
//! a [`Command`] is a line of a manager, a [`ListLine`] one of a list such as `BOARD`, a [`Reply`]
//! one of an engine; [`manager`] is what a manager says in a game, `process` an engine that it has
//! started.
//!
//! Both sides write `x,y` as a [`Point`], which need not lie on a board. Whatever is printed is
//! parsed as the same value again, and no input panics or fills the memory.

mod command;
mod database;
mod list;
pub mod manager;
#[cfg(feature = "process")]
pub mod process;
mod reply;
mod words;

pub use command::{BAD_POINT, BAD_SIZE, Command, FileKind, Info, ParseError};
pub use database::{DatabaseCommand, DeleteFilter, quoted};
pub use list::{ListItem, ListKind, ListLine};
pub use reply::search::{Evaluation, PvInfo, Realtime, Summary};
pub use reply::{About, Reply};
pub use words::{LineSplitter, Point, milliseconds};
