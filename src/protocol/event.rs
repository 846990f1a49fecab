//! What reaches the event loop: lines from the reader thread, news from the search thread.
//!
//! Both threads send these; neither knows the loop that receives them.

use tengen_gomocup::Reply;

use super::reading::InputLine;
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
    /// The task of this number has ended.
    Finished(u64),
}
