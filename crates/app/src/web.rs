//! The page's files, which are part of the program.

pub struct Asset {
    /// Its path below the secret address.
    path: &'static str,
    /// Its type, for the browser.
    pub media_type: &'static str,
    pub bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! asset {
    ($path:literal, $media_type:expr) => {
        asset!($path, $path, $media_type)
    };
    ($path:literal, $file:literal, $media_type:expr) => {
        Asset {
            path: $path,
            media_type: $media_type,
            bytes: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/", $file)),
        }
    };
}

static ASSETS: [Asset; 21] = [
    asset!("", "index.html", HTML),
    asset!("style.css", CSS),
    asset!("icon.svg", SVG),
    asset!("main.js", SCRIPT),
    asset!("link.js", SCRIPT),
    asset!("dom.js", SCRIPT),
    asset!("words.js", SCRIPT),
    asset!("drawing.js", SCRIPT),
    asset!("curve.js", SCRIPT),
    asset!("board.js", SCRIPT),
    asset!("picture.js", SCRIPT),
    asset!("game.js", SCRIPT),
    asset!("analysis.js", SCRIPT),
    asset!("review.js", SCRIPT),
    asset!("setup.js", SCRIPT),
    asset!("dialogs.js", SCRIPT),
    asset!("memory.js", SCRIPT),
    asset!("tabs.js", SCRIPT),
    asset!("keys.js", SCRIPT),
    asset!("notes.js", SCRIPT),
    asset!("theme.js", SCRIPT),
];

/// Returns the file of this path, if there is one.
pub fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let mut count = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = if name == "index.html" { "" } else { name.as_str() };
            assert!(find(path).is_some(), "{name}");
            count += 1;
        }
        assert_eq!(count, ASSETS.len());
        assert!(find("Cargo.toml").is_none() && find("../Cargo.toml").is_none());
    }
}
