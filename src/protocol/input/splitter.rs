//! From bytes to lines, with the time of each.
//!
//! Lines end with LF, CR or CRLF; the byte order mark at the start goes, and so do blank lines.
//! A line keeps its first [`LINE_MAX`] bytes and its last [`TAIL`]: enough to judge an over-long
//! one by its first word and to see a DONE at its end.

use std::io::{ErrorKind, Read};
use std::time::Instant;

/// Bytes of a line beyond which it is over-long. A full board of 22 x 22 on one line fits.
const LINE_MAX: usize = 16 * 1024;
/// Bytes kept of the end of an over-long line.
const TAIL: usize = 16;
/// Stands between the two kept parts; no number and no command holds it.
const CUT: &str = " \u{1} ";
/// Bytes read at once at most.
const CHUNK_MAX: usize = 8 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns true if a line is over-long, so that its middle is missing.
pub fn is_cut(line: &str) -> bool {
    line.contains(CUT)
}

/// Bytes of input that were read at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// When they were read.
    pub at: Instant,
    /// The bytes; none at the end of input.
    pub bytes: Vec<u8>,
    /// True if they may have come long before, when nothing more was read.
    pub is_delayed: bool,
}

/// Returns a function that reads the next chunk of `input`.
pub fn chunks(mut input: impl Read) -> impl FnMut() -> Chunk {
    let mut buffer = [0; CHUNK_MAX];
    move || loop {
        let length = match input.read(&mut buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // A manager that is gone can look like an error, too.
            Err(_) => 0,
        };
        let bytes = buffer[..length].to_vec();
        return Chunk { at: Instant::now(), bytes, is_delayed: false };
    }
}

/// Receives chunks until the end of input, or until `handle` returns false. Calls `handle` with the
/// chunk of each line's last byte and the line without its end; `None` is the end of input.
pub fn split_lines(
    mut receive: impl FnMut() -> Chunk,
    mut handle: impl FnMut(&Chunk, Option<String>) -> bool,
) {
    let mut splitter = Splitter::default();
    loop {
        let chunk = receive();
        for &byte in &chunk.bytes {
            if let Some(text) = splitter.push(byte)
                && !handle(&chunk, Some(text))
            {
                return;
            }
        }
        if chunk.bytes.is_empty() {
            if let Some(text) = splitter.finish()
                && !handle(&chunk, Some(text))
            {
                return;
            }
            handle(&chunk, None);
            return;
        }
    }
}

/// Cuts a stream of bytes into lines.
#[derive(Default)]
struct Splitter {
    head: Vec<u8>,
    /// The bytes beyond the head, the last [`TAIL`] of them at the least.
    tail: Vec<u8>,
    /// False until the first line has ended.
    first_is_over: bool,
}

impl Splitter {
    /// Takes one byte and returns a line if it ended one. CRLF ends a line and a blank one, so it
    /// needs no case of its own.
    fn push(&mut self, byte: u8) -> Option<String> {
        match byte {
            b'\n' | b'\r' => return self.finish(),
            // Leading blanks say nothing and must not fill the head.
            b' ' | b'\t' if self.head.is_empty() => {}
            _ if self.head.len() < LINE_MAX => self.head.push(byte),
            _ => {
                if self.tail.len() >= 2 * TAIL {
                    self.tail.drain(..TAIL);
                }
                self.tail.push(byte);
            }
        }
        None
    }

    /// Ends the line and returns it unless it is blank.
    fn finish(&mut self) -> Option<String> {
        let mut head = self.head.as_slice();
        if !self.first_is_over {
            head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        }
        let mut text = String::from_utf8_lossy(head).into_owned();
        if !self.tail.is_empty() {
            text.push_str(CUT);
            text.push_str(&String::from_utf8_lossy(&self.tail));
        }
        self.first_is_over = true;
        self.head.clear();
        self.tail.clear();
        let text = text.trim_ascii();
        if text.is_empty() { None } else { Some(text.to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut ended = false;
        split_lines(chunks(input), |_, text| {
            match text {
                Some(text) => lines.push(text),
                None => ended = true,
            }
            true
        });
        assert!(ended);
        lines
    }

    #[test]
    fn every_line_end_is_recognised() {
        assert_eq!(lines(b"a\rb\nc\r\nd\r\n\r\n\n\r e f \t\ng"), ["a", "b", "c", "d", "e f", "g"]);
        assert!(lines(b"").is_empty() && lines(b" \t\r\n").is_empty());
    }

    #[test]
    fn foreign_bytes_are_survived() {
        assert_eq!(lines(b"\xEF\xBB\xBFSTART 15\n"), ["START 15"]);
        assert_eq!(lines(b"\n\xFF\xFE\0x\n"), ["\u{FFFD}\u{FFFD}\0x"]);
    }

    #[test]
    fn an_over_long_line_keeps_its_first_word_and_its_end() {
        let mut input = b"BOARD ".to_vec();
        input.extend(std::iter::repeat_n(b'x', 1 << 20));
        input.extend(b" DONE\nSTART 15\n");
        let lines = lines(&input);
        assert!(lines[0].len() <= LINE_MAX + 2 * TAIL + CUT.len());
        assert!(lines[0].starts_with("BOARD x") && lines[0].ends_with(" DONE"));
        assert_eq!(lines[1..], ["START 15"]);
    }

    #[test]
    fn reading_ends_when_nobody_listens() {
        let mut count = 0;
        split_lines(chunks(b"a\nb\nc\n".as_slice()), |_, _| {
            count += 1;
            count < 2
        });
        assert_eq!(count, 2);
    }
}
