//! The Gomocup protocol and its extensions by Yixin-Board, gomocalc and Rapfi: what a manager says
//! and what an engine replies, parsed and printed.
//!
//! - [`Command`] is one line of a manager, [`ListLine`] a line of a list such as `BOARD`;
//! - [`Reply`] is one line of an engine;
//! - [`LineSplitter`] cuts bytes into lines, whatever ends them;
//! - [`manager`] is what a manager says in a game, `process` an engine that it has started.
//!
//! Both sides write `x,y` as a [`Point`], which need not lie on a board. Whatever is printed is
//! parsed as the same value again, and no input panics or fills the memory.
//!
//! ```
//! use tengen_gomocup::{Command, Evaluation, Info, ListItem, ListKind, Point, Reply};
//! use tengen_gomoku::types::{BoardSize, Coord};
//!
//! // An engine reads what managers write, in all its forms.
//! let point = Point { x: 7, y: 8 };
//! assert_eq!(Command::parse("turn 7 , 8"), Ok(Command::Turn(point)));
//! assert_eq!(Command::parse("INFO rule 4"), Ok(Command::Info(Info::Rule(4))));
//! let refused = Command::parse("TURN 7").unwrap_err();
//! assert_eq!(Reply::Error(refused.to_string()).to_string(), "ERROR bad coordinates, x,y expected");
//!
//! // A manager writes commands, and reads the engine's replies.
//! let size = BoardSize::new(15, 15).expect("a size within the limits");
//! assert_eq!(Command::start(size).to_string(), "START 15");
//! let stone = ListItem { point, owner: Some(2) };
//! assert_eq!(ListKind::Board.lines(&[stone]), ["BOARD", "7,8,2", "DONE"]);
//! let Reply::Summary(summary) =
//!     Reply::parse("MESSAGE depth 12-20 ev +M9 n 450K n/ms 900 tm 500 pv h8 i9")
//! else {
//!     panic!("a summary of the search");
//! };
//! assert_eq!((summary.depth, summary.nodes), (12, Some(450_000)));
//! assert_eq!(summary.evaluation, Some(Evaluation::Win(9)));
//! assert_eq!(summary.pv, [Coord::new(7, 7), Coord::new(8, 8)]);
//! assert_eq!(Reply::parse("7,9"), Reply::Points(vec![Point { x: 7, y: 9 }]));
//! ```

mod command;
mod database;
mod list;
pub mod manager;
#[cfg(feature = "process")]
pub mod process;
mod reply;
mod splitter;
mod words;

pub use command::{Command, FileKind, Info, ParseError, Yixin};
pub use database::{DatabaseCommand, DeleteFilter, quoted};
pub use list::{ListItem, ListKind, ListLine};
pub use reply::search::{Evaluation, PvInfo, Realtime, Summary};
pub use reply::{About, Reply};
pub use splitter::LineSplitter;
pub use words::{Point, milliseconds};
