//! The bytes of an SGF file taken apart: brackets, semicolons, names of properties and values.

#[derive(Clone, Copy)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Counted from 1.
    pub line: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0, line: 1 }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    pub fn peek_nonblank(&mut self) -> Option<u8> {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.next();
        }
        self.peek()
    }

    /// Takes the name of a property and returns its capital letters: older files write names such as
    /// White. The name 5A may be written with a small letter.
    pub fn name(&mut self) -> String {
        let start = self.at;
        let mut name = String::new();
        while let Some(byte) = self.peek().filter(u8::is_ascii_alphanumeric) {
            if !byte.is_ascii_lowercase() {
                name.push(char::from(byte));
            }
            self.next();
        }
        if self.text[start..self.at].eq_ignore_ascii_case("5a") { "5A".into() } else { name }
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

    /// Takes a text as [`Scanner::value`] does. But a `]` ends it only if what follows may come
    /// after a value; if the text holds another `]`, the function returns true. If no `]` before
    /// the next node ends the text in this way, the first one does.
    pub fn text_value(&mut self) -> Option<(&'a str, bool)> {
        let start = self.at + 1;
        let first = self.value()?;
        if self.may_follow_value() {
            return Some((first, false));
        }
        let after_first = *self;
        while let Some(sign) = self.next() {
            match sign {
                b'\\' => _ = self.next(),
                b';' | b'(' if self.begins_node() => break,
                b']' if self.may_follow_value() => {
                    return Some((self.text.get(start..self.at - 1)?, true));
                }
                _ => {}
            }
        }
        *self = after_first;
        Some((first, false))
    }

    /// Returns true if what comes next may follow a value.
    fn may_follow_value(mut self) -> bool {
        match self.peek_nonblank() {
            None | Some(b'[' | b'(' | b')' | b';') => true,
            Some(_) => self.begins_property(),
        }
    }

    /// Returns true if a node or a game begins here, after its sign.
    fn begins_node(mut self) -> bool {
        self.peek_nonblank() == Some(b';') || self.begins_property()
    }

    /// Returns true if a property comes next. A name may have small letters, as may a word before a
    /// bracket: that one has a blank between them.
    fn begins_property(mut self) -> bool {
        self.peek_nonblank();
        let start = self.at;
        let name = self.name();
        let is_short = self.at - start == name.len();
        let has_blank = self.peek().is_some_and(|byte| byte.is_ascii_whitespace());
        let is_old = !has_blank || name.len() > 1 || ["B", "W", "C"].contains(&name.as_str());
        is_name(&name) && (is_short || is_old) && self.peek_nonblank() == Some(b'[')
    }

    /// Goes to the next `(` that a `;` or a property follows, and returns true if there is one.
    pub fn skip_to_game(&mut self) -> bool {
        while let Some(sign) = self.peek() {
            let mut inside = *self;
            inside.next();
            if sign == b'(' && inside.begins_node() {
                return true;
            }
            *self = inside;
        }
        false
    }

    /// Returns the first word that comes before `other`, a later place in the same text.
    pub fn word_before(&self, other: &Scanner) -> Option<&'a str> {
        self.text.get(self.at..other.at)?.split_whitespace().next()
    }

    /// Goes to the `)` that closes the innermost open bracket; `None` if there is none.
    pub fn skip_branch(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek_nonblank()? {
                b'[' => {
                    self.value()?;
                    continue;
                }
                b'(' => depth += 1,
                b')' if depth == 0 => return Some(()),
                b')' => depth -= 1,
                _ => {}
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

/// Returns true for what counts of a property's name, such as `B` and `5A`.
pub(super) fn is_name(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Returns a value without its escapes, and with line breaks as `\n`; an escaped one is none.
pub(super) fn text(value: &str) -> String {
    let mut text = String::new();
    let mut chars = value.chars().peekable();
    while let Some(sign) = chars.next() {
        let is_escaped = sign == '\\';
        let Some(c) = (if is_escaped { chars.next() } else { Some(sign) }) else { break };
        if !matches!(c, '\r' | '\n') {
            text.push(c);
            continue;
        }
        // The two characters of a line break, in either order.
        chars.next_if(|&next| matches!(next, '\r' | '\n') && next != c);
        if !is_escaped {
            text.push('\n');
        }
    }
    text
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
        assert!(scanner.skip_branch().is_some());
        assert_eq!((scanner.next(), scanner.peek_char(), scanner.line), (Some(b')'), Some('r'), 2));
        for text in ["", "(", "[", "(;B[aa])", "a[\\"] {
            assert!(Scanner::new(text).skip_branch().is_none(), "{text}");
        }
    }
}
