//! Folders of inputs: a file for each input with a name, and one file with a line for each other.
//!
//! A line is the input as `escape_ascii` writes it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The file of the inputs without a name.
const LINES: &str = "inputs.txt";

/// Returns the inputs of a folder, each with where it stands.
pub fn read(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let mut inputs = Vec::new();
    for path in paths {
        let content = fs::read(&path)?;
        if !path.ends_with(LINES) {
            inputs.push((path.display().to_string(), content));
            continue;
        }
        for (i, line) in content.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let place = format!("{}:{}", path.display(), i + 1);
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let input =
                unescape(line).ok_or_else(|| io::Error::other(format!("{place}: no input")))?;
            inputs.push((place, input));
        }
    }
    Ok(inputs)
}

/// Adds an input without a name to a folder.
pub fn add(folder: &Path, input: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join(LINES))?;
    file.write_all(format!("{}\n", input.escape_ascii()).as_bytes())
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
