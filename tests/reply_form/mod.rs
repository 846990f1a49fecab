//! The forms that a line of the engine may have.

/// The beginning of the only answer that may hold line breaks.
pub const COMMENT: &str = "MESSAGE DATABASE TEXT \"";

/// Returns true for a line that managers can read. SUGGEST is none.
pub fn is_reply(line: &str) -> bool {
    // Yixin-Board reads a comment of any length, over all its lines to the closing quote.
    let is_comment = line.starts_with(COMMENT) && line.ends_with('"');
    let is_short = line.len() < 1_000 || line.starts_with("FORBID ") || is_comment;
    is_short
        && is_clear_message(line)
        && !line.contains(|c: char| c.is_control() && !(is_comment && c == '\n'))
        && (matches!(line, "OK" | "SWAP" | "UNKNOWN command")
            || ["ERROR ", "MESSAGE ", "INFO ", "FORBID ", "name="]
                .iter()
                .any(|word| line.starts_with(word))
            || line.split(' ').all(|point| parse_point(point).is_some()))
}

/// Returns false for a text that Yixin-Board would mistake for one of the messages it acts on: it
/// ignores case and reads numbers behind their first words.
fn is_clear_message(line: &str) -> bool {
    let text = line.strip_prefix("MESSAGE ").unwrap_or_default();
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let kinds = ["DATABASE", "REALTIME", "SWAP2", "SOOSORV", "INFO"];
    let begins_with =
        |kind: &str| word.get(..kind.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(kind));
    !kinds.into_iter().any(begins_with)
        || kinds.contains(&word)
            && rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
}

/// Reads `x,y` in the one form that every manager takes.
pub fn parse_point(text: &str) -> Option<(u8, u8)> {
    let number = |text: &str| {
        let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if plain { text.parse().ok() } else { None }
    };
    let (x, y) = text.split_once(',')?;
    Some((number(x)?, number(y)?))
}
