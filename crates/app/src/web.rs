//! The page's files, which are part of the program: served one by one to a board, or made into one
//! file that shows finished reviews.

pub struct Asset {
    /// Its path below the secret address.
    path: &'static str,
    /// Its type, for the browser.
    pub media_type: &'static str,
    pub text: &'static str,
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
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/", $file)),
        }
    };
}

static ASSETS: [Asset; 22] = [
    asset!("", "index.html", HTML),
    asset!("style.css", CSS),
    asset!("icon.svg", SVG),
    asset!("main.js", SCRIPT),
    asset!("link.js", SCRIPT),
    asset!("report.js", SCRIPT),
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

/// What the page of reviews has instead of its icon: it may load nothing.
const POLICY: &str = r#"<meta name="generator" content="Tengen">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">"#;

/// Returns the page as one file that needs no program and no other file, with these games as JSON.
pub fn report(games: &str) -> String {
    let style = format!("<style>\n{}</style>", text("style.css"));
    let mut script = String::new();
    add_module("main.js", &mut script);
    // No text may end the element that it stands in.
    let games = games.replace('<', "\\u003c");
    let scripts = format!(
        "<script type=\"application/json\" id=\"data\">{games}</script>\n\
         <script>\n\"use strict\";\nconst modules = {{}};\n{script}</script>\n</body>"
    );
    let mut page = String::new();
    let mut rest = text("");
    for (marker, part) in [
        ("<link rel=\"icon\" href=\"icon.svg\" type=\"image/svg+xml\">", POLICY),
        ("<link rel=\"stylesheet\" href=\"style.css\">", &style),
        ("<script type=\"module\" src=\"main.js\"></script>\n", ""),
        ("</body>", &scripts),
    ] {
        let (before, after) = rest.split_once(marker).expect("invariant: the page has its markers");
        page += before;
        page += part;
        rest = after;
    }
    page + rest
}

fn text(path: &str) -> &'static str {
    find(path).expect("invariant: every module is a file of the page").text
}

/// Adds a module and those that it imports to a script in which each is a function: browsers import
/// no modules into a page that is a file. Imports and exports have a line of their own.
fn add_module(name: &str, script: &mut String) {
    if script.contains(&format!("modules[\"./{name}\"] =")) {
        return;
    }
    let (mut body, mut exports) = (String::new(), String::new());
    let file = if name == "link.js" { "report.js" } else { name };
    for line in text(file).lines() {
        let mut line = line.to_owned();
        if let Some((what, from)) =
            line.strip_prefix("import ").and_then(|import| import.split_once(" from \"./"))
        {
            let from = from.trim_end_matches("\";");
            add_module(from, script);
            line = format!("const {} = modules[\"./{from}\"];", what.trim_start_matches("* as "));
        } else if let Some(declaration) = line.strip_prefix("export ") {
            let words = declaration.trim_start_matches("async ").split([' ', '(']);
            let export = words.skip(1).find(|word| !word.is_empty()).unwrap_or_default();
            exports += &format!("get {export}() {{ return {export}; }}, ");
            line = declaration.to_owned();
        }
        body += &line;
        body += "\n";
    }
    *script +=
        &format!("modules[\"./{name}\"] = (() => {{\n{body}return {{ {exports}}};\n}})();\n");
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

    #[test]
    fn modules_become_one_script() {
        let page = report(r#"{"games":"</script>"}"#);
        for asset in ASSETS.iter().filter(|asset| asset.media_type == SCRIPT) {
            let modules = page.matches(&format!("modules[\"./{}\"] = ", asset.path)).count();
            assert_eq!(modules, usize::from(asset.path != "report.js"), "{}", asset.path);
        }
        let joins = |line: &str| line.starts_with("import ") || line.starts_with("export ");
        assert!(!page.lines().any(joins), "{page}");
        assert!(page.contains("const { byId, draw, make } = modules[\"./dom.js\"];"));
        assert!(page.contains("const tabs = modules[\"./tabs.js\"];"));
        assert!(page.contains("return { get panel() { return panel; }, get prepare() "));
        assert!(page.contains("get send() { return send; }, "));
        for word in [" src=", "<link", "href=\"http", "url(http", "@import", "fetch("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
