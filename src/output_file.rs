//! An output file that is written when all work is done, whole or not at all. It replaces an
//! existing file only if that is of the same kind and no input, or by force.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use tengen_gomoku::atomic_file::{check_writable, is_same_file, write_atomically};
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::record::{Format, renlib};
use tengen_gomoku::types::BoardSize;

const RENJUNET: &str = "rif";
/// The keys of the first row of an exported database.
const ROW_KEYS: [&str; 4] = ["\"rule\":", "\"size\":", "\"to_move\":", "\"black\":"];
const HEAD_BYTES: u64 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Game(Format),
    /// HTML.
    Page,
    /// Positions of a database, as lines of JSON.
    Positions,
}

/// The kinds of which the name tells.
const NAMED: [Kind; 4] =
    [Kind::Game(Format::Psq), Kind::Game(Format::Sgf), Kind::Game(Format::Library), Kind::Page];

impl Kind {
    /// Returns the extensions of the kind; empty if any will do.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Kind::Game(Format::Psq) => &["psq"],
            Kind::Game(Format::Sgf) => &["sgf"],
            Kind::Game(Format::Library) => &["lib", ""],
            Kind::Page => &["html", "htm"],
            Kind::Game(Format::Moves | Format::Json) | Kind::Positions => &[],
        }
    }

    /// Returns true if a file with this head is of this kind; a page must be Tengen's.
    fn begins(self, head: &[u8]) -> bool {
        let has =
            |word: &[u8]| head.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
        // A byte order mark.
        let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
        let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
        match self {
            Kind::Game(Format::Psq) => first.starts_with(b"Piskvorky "),
            Kind::Game(Format::Json) => first.starts_with(b"{") && has(b"\"nodes\""),
            Kind::Game(Format::Sgf) => head.trim_ascii_start().starts_with(b"("),
            Kind::Page => has(b"<!doctype html") && has(b"Tengen"),
            Kind::Game(Format::Library) => head.starts_with(&renlib::MAGIC),
            Kind::Positions => {
                let has = |key: &&str| first.windows(key.len()).any(|part| part == key.as_bytes());
                first.starts_with(b"{") && ROW_KEYS.iter().all(has)
            }
            Kind::Game(Format::Moves) => {
                let points = |line| parse_points(line, BoardSize::LARGEST).ok();
                let points = str::from_utf8(first).ok().and_then(points);
                points.is_some_and(|points| !points.is_empty())
            }
        }
    }

    /// Checks that the extension is one of the kind, or, if any will do, none of another kind.
    fn check_name(self, path: &Path) -> anyhow::Result<()> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let extension = extension.to_str().unwrap_or_default();
        let own = self.extensions();
        match own {
            [first, ..] => {
                ensure!(own.contains(&extension), "its name should end with .{first}");
            }
            [] => {
                let others = NAMED.iter().flat_map(|kind| kind.extensions());
                let others = others.chain(&[RENJUNET]);
                let is_other = others.copied().any(|name| name == extension && !name.is_empty());
                ensure!(
                    !is_other,
                    "its name ends with .{extension}, but another kind of file is written"
                );
            }
        }
        Ok(())
    }
}

pub struct OutputFile {
    pub path: PathBuf,
    kind: Kind,
    is_forced: bool,
}

impl OutputFile {
    /// Returns the file of this name without touching it, if it may be written.
    pub fn new(
        path: &Path,
        kind: Kind,
        inputs: &[impl AsRef<Path>],
        is_forced: bool,
    ) -> anyhow::Result<OutputFile> {
        let file = OutputFile { path: path.to_owned(), kind, is_forced };
        let check = || {
            check_writable(path)?;
            kind.check_name(path)?;
            file.check()?;
            let is_input = inputs.iter().any(|input| file.is_at(input.as_ref()));
            ensure!(is_forced || !is_input, "it is an input; --force replaces it");
            Ok(())
        };
        check().with_context(|| format!("cannot write {file}"))?;
        Ok(file)
    }

    pub fn is_at(&self, path: &Path) -> bool {
        is_same_file(&self.path, path)
    }

    /// Writes the file in place of an existing one, which stays as it is after an error.
    pub fn write<T>(&self, write: impl FnOnce(File) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let written = self.check().and_then(|()| write_atomically(&self.path, write));
        written.with_context(|| format!("cannot write {self}"))
    }

    fn check(&self) -> anyhow::Result<()> {
        let path = &self.path;
        if self.is_forced {
            return Ok(());
        }
        // A rename would replace a write-protected file.
        let is_protected = fs::metadata(path).is_ok_and(|old| old.permissions().readonly());
        let denied = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        let is_denied = File::options().write(true).open(path).is_err_and(denied);
        ensure!(!is_protected && !is_denied, "it is write-protected; --force replaces it");
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Ok(0) => Ok(()),
            Ok(_) if self.kind.begins(&head) => Ok(()),
            _ => bail!("another kind of file is there; --force replaces it"),
        }
    }
}

impl fmt::Display for OutputFile {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::{env, process};

    use tengen_gomoku::atomic_file::create_part;

    use super::*;

    const ROW: &str =
        "{\"rule\":\"renju\",\"size\":\"15x15\",\"to_move\":\"white\",\"black\":[\"h8\"]}";

    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("tengen-output-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn write(file: &OutputFile, text: &str) -> anyhow::Result<()> {
        file.write(|mut file| Ok(file.write_all(text.as_bytes())?))
    }

    #[test]
    fn what_a_killed_program_left_is_no_obstacle() {
        let folder = folder("killed");
        let path = folder.join("a.sgf");
        // Its process id may be the same.
        let (_, part) = create_part(&path).unwrap();
        fs::write(&part, "half").unwrap();
        let file = OutputFile::new(&path, Kind::Game(Format::Sgf), &[] as &[&str], false).unwrap();
        assert!(!path.exists());
        write(&file, "whole").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(fs::read_to_string(&part).unwrap(), "half");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_files_of_the_same_kind_are_replaced_without_force() {
        let folder = folder("kinds");
        let contents: [(&str, &[u8], Option<Kind>); 15] = [
            (
                "a.json",
                b"{\"size\":\"15x15\",\"players\":[\"\",\"\"],\"nodes\":[\n",
                Some(Kind::Game(Format::Json)),
            ),
            (
                "other.json",
                b"{\"nodes\": [{}, {\"move\": \"h8\"}]}",
                Some(Kind::Game(Format::Json)),
            ),
            ("a.sgf", b"\n(;GM[4])", Some(Kind::Game(Format::Sgf))),
            ("marked.sgf", b"\xEF\xBB\xBF(;GM[4])", Some(Kind::Game(Format::Sgf))),
            ("a.html", b"<!DOCTYPE html><title>Tengen</title>", Some(Kind::Page)),
            ("b.html", b"<!doctype html><p>a page of another kind", None),
            ("a.lib", b"\xFFRenLib\xFF\x03\x04", Some(Kind::Game(Format::Library))),
            ("a.jsonl", ROW.as_bytes(), Some(Kind::Positions)),
            ("package.json", b"{\"name\":\"a\",\"size\":1}\n", None),
            ("late.json", [&b"{}\n"[..], ROW.as_bytes()].concat().leak(), None),
            ("words", b"notes\n", None),
            ("a.txt", b"h8i9\nh8\n", Some(Kind::Game(Format::Moves))),
            ("b.sgf", b"Piskvorky 15x15, 0:0, 0\n", None),
            ("a.psq", b"Piskvorky 15x15, 0:0, 0\n", Some(Kind::Game(Format::Psq))),
            ("notes", b"to be kept", None),
        ];
        let kinds = NAMED.into_iter().chain([Format::Moves, Format::Json].map(Kind::Game));
        let kinds: Vec<Kind> = kinds.chain([Kind::Positions]).collect();
        for (name, content, own) in contents {
            let path = folder.join(name);
            for &kind in &kinds {
                fs::write(&path, content).unwrap();
                let open = |is_forced| OutputFile::new(&path, kind, &[] as &[&str], is_forced);
                let has_name = kind.check_name(&path).is_ok();
                assert_eq!(open(false).is_ok(), has_name && own == Some(kind), "{name} {kind:?}");
                assert_eq!(open(true).is_ok(), has_name, "{name} {kind:?}");
                assert_eq!(fs::read(&path).unwrap(), content);
            }
        }
        // A file may come while the work is done.
        let path = folder.join("late.sgf");
        let file = OutputFile::new(&path, Kind::Game(Format::Sgf), &[] as &[&str], false).unwrap();
        fs::write(&path, "to be kept").unwrap();
        assert!(write(&file, "(;)").is_err());
        fs::write(&path, "").unwrap();
        write(&file, "(;)").unwrap();
        write(&file, "(;B[hh])").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"(;B[hh])");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn write_protected_files_are_replaced_by_force_alone() {
        let folder = folder("protected");
        let path = folder.join("a.sgf");
        let open =
            |is_forced| OutputFile::new(&path, Kind::Game(Format::Sgf), &[] as &[&str], is_forced);
        let late = open(false).unwrap();
        fs::write(&path, "(;)").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        for error in [open(false).err().unwrap(), write(&late, "(;B[hh])").unwrap_err()] {
            assert!(format!("{error:#}").contains("is write-protected"), "{error:#}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "(;)");
        write(&open(true).unwrap(), "(;B[hh])").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "(;B[hh])");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn no_input_is_replaced_by_any_of_its_names() {
        let folder = folder("inputs");
        let path = folder.join("a.sgf");
        fs::write(&path, "(;)").unwrap();
        let mut names = vec![path.clone(), folder.join(".").join("a.sgf")];
        let link = folder.join("hard.sgf");
        if cfg!(unix) && fs::hard_link(&path, &link).is_ok() {
            names.push(link);
        }
        #[cfg(unix)]
        {
            let link = folder.join("link.sgf");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            names.push(link);
        }
        for name in names {
            let open = |is_forced| {
                OutputFile::new(
                    &name,
                    Kind::Game(Format::Sgf),
                    &["-".into(), path.clone()],
                    is_forced,
                )
            };
            assert!(open(false).is_err() && open(true).is_ok(), "{}", name.display());
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
