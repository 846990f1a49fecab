//! Lines of comments that Tengen writes: those of reviews, and the entry lines of a database.

/// The prefix of every line that Tengen adds to a comment: those of a review, and last the entry
/// line of a database with mark, score, depth and best move of the position.
pub const SIGNATURE: &str = "Tengen: ";
pub const MARK: &str = "mark ";
pub const SCORE: &str = "score ";
pub const BEST: &str = "best move ";
/// The prefix of the best move in an entry line of version 1.0.
pub const OLD_BEST: &str = "best ";

/// Returns a comment's text before the entry line, and the entry line if its last line is one.
pub fn split_entry_line(comment: &str) -> (&str, Option<&str>) {
    let (before, last) = comment.rsplit_once('\n').unwrap_or(("", comment));
    if is_entry_line(last) { (before, Some(last)) } else { (comment, None) }
}

/// Returns true if the line starts with the signature and a part of an entry line.
pub fn is_entry_line(line: &str) -> bool {
    let words = line.strip_prefix(SIGNATURE);
    words.is_some_and(|words| [MARK, SCORE, OLD_BEST].iter().any(|part| words.starts_with(part)))
}
