//! The bytes of an SGF file taken apart: brackets, semicolons, names of properties and values.
//!
//! Knows no property's meaning.

use std::borrow::Cow;

/// A text, and where in it reading has come.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    /// Returns a scanner at the start of the text.
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0, line: 1 }
    }

    /// Returns the line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    /// Skips blanks and returns the next byte without taking it.
    pub fn peek_nonblank(&mut self) -> Option<u8> {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.next();
        }
        self.peek()
    }

    /// Skips blanks and takes the next byte.
    pub fn next_nonblank(&mut self) -> Option<u8> {
        self.peek_nonblank()?;
        self.next()
    }

    /// Takes the name of a property and returns what counts of it: older files write names such as
    /// White, of which the capital letters do.
    pub fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(byte) = self.peek().filter(u8::is_ascii_alphanumeric) {
            if !byte.is_ascii_lowercase() {
                name.push(char::from(byte));
            }
            self.next();
        }
        name
    }

    /// Takes the value in the brackets that open here and returns it as it stands, escapes
    /// included; `None` if they do not close.
    pub fn value(&mut self) -> Option<&'a str> {
        self.next();
        let start = self.at;
        loop {
            match self.next()? {
                b']' => return self.text.get(start..self.at - 1),
                b'\\' => _ = self.next()?,
                _ => {}
            }
        }
    }

    /// Goes to the next `(` that a `;` follows, and returns true if there is one.
    pub fn skip_to_game(&mut self) -> bool {
        while self.peek().is_some() {
            if self.peek() == Some(b'(') {
                let rest = &self.text.as_bytes()[self.at + 1..];
                if rest.trim_ascii_start().first() == Some(&b';') {
                    return true;
                }
            }
            self.next();
        }
        false
    }

    /// Goes to the `)` that closes the innermost open bracket; returns false if there is none.
    pub fn skip_branch(&mut self) -> bool {
        let mut depth = 0_usize;
        loop {
            match self.peek_nonblank() {
                Some(b'[') => {
                    if self.value().is_none() {
                        return false;
                    }
                    continue;
                }
                Some(b'(') => depth += 1,
                Some(b')') if depth == 0 => return true,
                Some(b')') => depth -= 1,
                Some(_) => {}
                None => return false,
            }
            self.next();
        }
    }

    /// Returns the character that comes next, of whatever length.
    pub fn peek_char(&self) -> Option<char> {
        // A fault may be found inside a character of several bytes, never before its first one.
        self.text.get(self.at..)?.chars().next()
    }
}

/// Returns a value without its escapes, and with line breaks as `\n`; an escaped one is none.
pub(super) fn text(value: &str) -> Cow<'_, str> {
    if !value.contains(['\\', '\r']) {
        return Cow::Borrowed(value);
    }
    let mut text = String::new();
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        let (c, is_escaped) = match c {
            '\\' => match chars.next() {
                Some(c) => (c, true),
                None => break,
            },
            c => (c, false),
        };
        let is_break = matches!(c, '\r' | '\n');
        if is_break {
            // The two characters of a line break, in either order.
            chars.next_if(|&next| matches!(next, '\r' | '\n') && next != c);
        }
        match (is_break, is_escaped) {
            (true, true) => {}
            (true, false) => text.push('\n'),
            (false, _) => text.push(c),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_line_breaks_are_resolved() {
        for (value, expected) in [
            ("plain", "plain"),
            (r"a\]b\\c\d", r"a]b\cd"),
            ("a\r\nb\rc\nd\n\re", "a\nb\nc\nd\ne"),
            ("a\\\r\nb\\\nc", "abc"),
            ("\\", ""),
            ("\n\n", "\n\n"),
            ("\r\r", "\n\n"),
            ("é\\é", "éé"),
        ] {
            assert_eq!(text(value), expected, "{value:?}");
        }
    }

    #[test]
    fn branches_are_skipped_with_their_brackets() {
        let mut scanner = Scanner::new("B[a)](;W[x\\](])\n(()) )rest");
        assert!(scanner.skip_branch());
        assert_eq!(
            (scanner.next_nonblank(), scanner.peek_char(), scanner.line()),
            (Some(b')'), Some('r'), 2)
        );
        for text in ["", "(", "[", "(;B[aa])", "a[\\"] {
            assert!(!Scanner::new(text).skip_branch(), "{text}");
        }
    }
}
