//! Files of inputs, one a line as `escape_ascii` writes it. A line that begins with `#` says what
//! was wrong with the next one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Returns the inputs of a file, each with where it stands.
pub fn read(path: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let content = fs::read(path)?;
    let mut inputs = Vec::new();
    for (i, line) in content.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if line.starts_with(b"#") {
            continue;
        }
        let place = format!("{}:{}", path.display(), i + 1);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let input = unescape(line).ok_or_else(|| io::Error::other(format!("{place}: no input")))?;
        inputs.push((place, input));
    }
    Ok(inputs)
}

/// Adds an input to a file.
pub fn add(path: &Path, input: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let line = input.escape_ascii().to_string();
    let line = line.strip_prefix('#').map_or(line.clone(), |rest| format!("\\x23{rest}"));
    writeln!(file, "{line}")
}

/// Returns the bytes that `escape_ascii` has written.
fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                b'x' => {
                    let mut digit = || char::from(*rest.next()?).to_digit(16);
                    u8::try_from(digit()? << 4 | digit()?).ok()?
                }
                &quoted @ (b'\\' | b'\'' | b'"') => quoted,
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(bytes)
}
