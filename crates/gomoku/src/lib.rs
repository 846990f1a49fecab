//! Boards, rules, shapes and game files of Gomoku and Renju.
//!
//! A [`Board`](board::Board) plays and takes back moves under a [`Rule`](types::Rule), and knows
//! at any time what a stone on each empty cell would make: a [`Threat`](shape::Threat), from an
//! open two to a five, and under renju the points that are forbidden to black.
//!
//! ```
//! use tengen_gomoku::board::Board;
//! use tengen_gomoku::shape::Threat;
//! use tengen_gomoku::types::{BoardSize, Color, Rule};
//!
//! let size = BoardSize::new(15, 15).unwrap();
//! let mut board = Board::new(size, Rule::Renju);
//! board.play(size.center());
//! assert_eq!(board.threat(size.coord(8, 8).unwrap(), Color::Black), Threat::OpenTwo);
//! assert_eq!(board.side_to_move(), Color::White);
//! ```
//!
//! A [`GameTree`](record::tree::GameTree) is a game as files keep it, with variations and comments,
//! and a [`Record`](record::Record) one of its positions with the moves to it. The formats are
//! .psq, SGF, RenLib, PlayOK, JSON and lines of moves; [`record::load`] recognises them.
//!
//! ```
//! use tengen_gomoku::record::parse;
//! use tengen_gomoku::types::{BoardSize, Rule};
//!
//! let size = BoardSize::new(15, 15).unwrap();
//! for game in parse("(;GM[4]SZ[15];B[hh];W[ii];B[hj])", size) {
//!     let record = game.record()?;
//!     assert_eq!(record.to_pos().as_deref(), Some("h8i9h10"));
//!     assert_eq!(record.board(Rule::Renju).stone_count(), 3);
//! }
//! # Ok::<(), tengen_gomoku::record::ParseError>(())
//! ```

pub mod atomic_file;
pub mod board;
#[cfg(feature = "records")]
pub mod record;
pub mod shape;
pub mod types;
