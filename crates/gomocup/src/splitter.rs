//! From bytes to lines.
//!
//! Lines end with LF, CR or CRLF; the byte order mark at the start goes, and so do blank lines.
//! A line keeps its first [`LINE_MAX`] bytes and its last [`TAIL`]: enough to judge an over-long
//! one by its first word and to see a DONE at its end.

/// Bytes of a line beyond which it is over-long. A full board of 22 x 22 on one line fits.
const LINE_MAX: usize = 16 * 1024;
/// Bytes kept of the end of an over-long line.
const TAIL: usize = 16;
/// Stands between the two kept parts; no number and no command holds it.
const CUT: &str = " \u{1} ";
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns true if a line is over-long, so that its middle is missing.
pub(crate) fn is_cut(line: &str) -> bool {
    line.contains(CUT)
}

/// Cuts a stream of bytes into lines.
#[derive(Clone, Debug, Default)]
pub struct LineSplitter {
    head: Vec<u8>,
    /// The bytes beyond the head, the last [`TAIL`] of them at the least.
    tail: Vec<u8>,
    /// False until the first line has ended.
    first_is_over: bool,
}

impl LineSplitter {
    /// Takes one byte and returns a line if it ended one. CRLF ends a line and a blank one, so it
    /// needs no case of its own.
    pub fn push(&mut self, byte: u8) -> Option<String> {
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

    pub fn finish(&mut self) -> Option<String> {
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
        let mut splitter = LineSplitter::default();
        let mut lines: Vec<String> = input.iter().filter_map(|&byte| splitter.push(byte)).collect();
        lines.extend(splitter.finish());
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
}
