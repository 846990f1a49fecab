//! The file of a tuning: what is played, and how far it is.
//!
//! Its first line is `rule NAME size N nodes N`, the rest is `tuning::spsa`'s.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use tengen::types::{BoardSize, Rule};

use crate::spsa::optimizer::Spsa;
use crate::spsa::pair::Setting;

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub setting: Setting,
    pub spsa: Spsa,
}

impl State {
    /// Takes the file of a state for this run, as long as what is returned lives. The lock is on a
    /// file beside, which stays there: each state that is written is a new file.
    pub fn lock(path: &Path) -> anyhow::Result<File> {
        let mut name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
        name.push(".lock");
        let (name, mut options) = (PathBuf::from(name), OpenOptions::new());
        let file = options.write(true).create(true).truncate(false).open(&name);
        let file = file.with_context(|| format!("writing {}", name.display()))?;
        crate::lock(&file, path)?;
        Ok(file)
    }

    pub fn read(path: &Path) -> anyhow::Result<State> {
        let text = fs::read_to_string(path);
        let state = text.map_err(anyhow::Error::from).and_then(|text| text.parse());
        state.with_context(|| format!("reading {}", path.display()))
    }

    /// Writes the state to a file, which holds either the old or the new one at any time.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        crate::write_file(path, self.to_string().as_bytes())
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Setting { rule, size, nodes } = self.setting;
        writeln!(f, "rule {} size {} nodes {nodes}", rule.name(), size.width())?;
        self.spsa.fmt(f)
    }
}

impl FromStr for State {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<State> {
        let (first, rest) = text.split_once('\n').context("two lines at least expected")?;
        let words: Vec<&str> = first.split(' ').collect();
        let ["rule", rule, "size", size, "nodes", nodes] = words.as_slice() else {
            bail!("rule, size and nodes expected");
        };
        let rule = Rule::from_name(rule).with_context(|| format!("unknown rule {rule}"))?;
        let size = size.parse().ok().and_then(|size| BoardSize::new(size, size));
        let size = size.context("a board size expected")?;
        let setting = Setting { rule, size, nodes: nodes.parse().context("nodes expected")? };
        Ok(State { setting, spsa: rest.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spsa::optimizer::Parameter;
    use std::env;

    #[test]
    fn a_state_is_for_one_run_at_a_time() {
        let path = env::temp_dir().join(format!("tengen-spsa-lock-{}", std::process::id()));
        let lock = State::lock(&path).unwrap();
        fs::write(&path, "").unwrap();
        let error = State::lock(&path).unwrap_err().to_string();
        assert!(error.starts_with("another run is at work on ") && path.exists(), "{error}");
        drop(lock);
        State::lock(&path).unwrap();
        fs::remove_file(path.with_extension("lock")).unwrap();
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_gives_back_the_state() {
        let size = BoardSize::new(15, 15).unwrap();
        let setting = Setting { rule: Rule::Renju, size, nodes: 8_000 };
        let parameter =
            Parameter { name: "x".to_owned(), range: -5..=5, start: 1, c_end: 0.5, r_end: 0.002 };
        let state = State { setting, spsa: Spsa::new(vec![parameter], 10, 7).unwrap() };
        let path = env::temp_dir().join(format!("tengen-spsa-{}", std::process::id()));
        for _ in 0..2 {
            state.write(&path).unwrap();
        }
        assert_eq!(State::read(&path).unwrap(), state);
        fs::write(&path, state.to_string().replace("renju", "go")).unwrap();
        assert!(State::read(&path).is_err());
        fs::remove_file(&path).unwrap();
        assert!(format!("{:#}", State::read(&path).unwrap_err()).contains("tengen-spsa"));
    }
}
