//! The forms that a line of the engine may have.

/// Returns true for a line that managers can read. SUGGEST is none.
pub fn is_reply(line: &str) -> bool {
    let is_short = line.len() < 1_000 || line.starts_with("FORBID ");
    is_short
        && !line.contains(|c: char| c.is_control())
        && (matches!(line, "OK" | "SWAP" | "UNKNOWN command")
            || ["ERROR ", "MESSAGE ", "INFO ", "FORBID ", "name="]
                .iter()
                .any(|word| line.starts_with(word))
            || line.split(' ').all(|point| parse_point(point).is_some()))
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
