//! The page's files, which are part of the program: served one by one to a board, or made into one
//! file that shows finished reviews.

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/", $name)))),*]
    };
}

static FILES: [(&str, &str); 20] = files! {
    "index.html" "style.css" "icon.svg" "main.js" "link.js" "report.js" "dom.js" "words.js"
    "drawing.js" "board.js" "game.js" "analysis.js" "review.js" "setup.js"
    "dialogs.js" "tabs.js" "keys.js" "notes.js" "theme.js" "tree.js"
};

/// Returns the file of this path and its type, if there is one.
pub fn find(path: &str) -> Option<(&'static str, &'static str)> {
    let name = if path.is_empty() { "index.html" } else { path };
    let &(name, text) = FILES.iter().find(|(file, _)| *file == name)?;
    let media_type = match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    Some((media_type, text))
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
    text("")
        .replacen("<link rel=\"icon\" href=\"icon.svg\" type=\"image/svg+xml\">", POLICY, 1)
        .replacen("<link rel=\"stylesheet\" href=\"style.css\">", &style, 1)
        .replacen("<script type=\"module\" src=\"main.js\"></script>\n", "", 1)
        .replacen("</body>", &scripts, 1)
}

fn text(path: &str) -> &'static str {
    find(path).expect("invariant: every module is a file of the page").1
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
            assert!(find(&name).is_some(), "{name}");
            count += 1;
        }
        assert_eq!(count, FILES.len());
        assert_eq!(find(""), find("index.html"));
        assert!(find("Cargo.toml").is_none() && find("../Cargo.toml").is_none());
    }

    #[test]
    fn modules_become_one_script() {
        let page = report(r#"{"games":"</script>"}"#);
        for (name, _) in FILES.iter().filter(|(name, _)| name.ends_with(".js")) {
            let modules = page.matches(&format!("modules[\"./{name}\"] = ")).count();
            assert_eq!(modules, usize::from(*name != "report.js"), "{name}");
        }
        let joins = |line: &str| line.starts_with("import ") || line.starts_with("export ");
        assert!(!page.lines().any(joins), "{page}");
        assert!(page.contains("const { draw, make } = modules[\"./dom.js\"];"));
        assert!(page.contains("const tabs = modules[\"./tabs.js\"];"));
        assert!(page.contains("return { get panel() { return panel; }, get prepare() "));
        assert!(page.contains("get send() { return send; }, "));
        for word in [" src=", "<link", "href=\"http", "url(http", "@import", "fetch("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
