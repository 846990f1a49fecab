//! What reaches the event loop: lines from the reader thread, news from the search thread.
//!
//! Both threads send these; neither knows the loop that receives them.

use super::reading::InputLine;
use super::reply::Reply;
use super::search_thread::Done;
use crate::search::Report;

/// What reaches the event loop.
pub enum Event {
    /// A line of input, or its end.
    Line(InputLine),
    /// The search of this number tells of its variations so far.
    Report(u64, Report),
    /// The search of this number begins or ends a move of the root.
    RootMove(u64, Reply),
    /// Something that the manager should hear, whatever it waits for.
    Notice(Reply),
    /// The task of this number has ended. It left nothing if it panicked or its thread did not start.
    Finished(u64, Option<Done>),
}
