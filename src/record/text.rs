//! Texts of files that name no encoding: UTF-8, or else Latin-1.
//!
//! Latin-1 has a character for every byte. A text in a third encoding looks wrong, but none of its
//! bytes is lost.

/// The control character that ends text files of DOS programs.
const CTRL_Z: u8 = 0x1a;

/// Returns the bytes as text, without a Ctrl-Z at the end, or `None` if they hold a control character
/// that no text has.
pub fn text_of(mut bytes: &[u8]) -> Option<String> {
    while let Some(text) = bytes.strip_suffix(&[CTRL_Z]) {
        bytes = text;
    }
    let is_text = |b: &u8| !b.is_ascii_control() || b.is_ascii_whitespace() || *b == CTRL_Z;
    bytes.iter().all(is_text).then(|| decoded(bytes))
}

/// Returns the bytes as text, with whatever control characters.
pub(super) fn decoded(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_another_encoding_loses_nothing() {
        for bytes in [&b"PB[M\xFCller]"[..], "PB[Müller]".as_bytes()] {
            assert_eq!(text_of(bytes).as_deref(), Some("PB[Müller]"));
        }
        // A name in GBK.
        let bytes = b"PW[\xB2\xCC]";
        let text = text_of(bytes).unwrap();
        assert_eq!(text.chars().map(|c| c as u8).collect::<Vec<_>>(), bytes);
        assert_eq!(text_of(b"PB[\x02]"), None);
        assert_eq!(text_of(b"h8i9\r\n\x1a\x1a").as_deref(), Some("h8i9\r\n"));
    }
}
