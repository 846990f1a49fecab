//! The page's files, which are part of the program: served one by one to a board, or made into one
//! file that shows finished reviews.

macro_rules! file {
    ($name:expr) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/", $name))
    };
}

/// Lists files by their names, and those of languages, which become modules.
macro_rules! files {
    ($($name:literal)*, $($language:literal)*) => {
        [
            $(($name, file!($name)),)*
            $((
                concat!("words/", $language, ".js"),
                concat!("export const words = ", file!(concat!("words/", $language, ".json")), ";\n"),
            )),*
        ]
    };
}

static FILES: [(&str, &str); 28] = files! {
    "index.html" "style.css" "icon.svg" "main.js" "link.js" "report.js" "dom.js" "words.js"
    "drawing.js" "board.js" "game.js" "analysis.js" "review.js" "setup.js"
    "dialogs.js" "tabs.js" "keys.js" "notes.js" "theme.js" "tree.js" "sound.js", "de" "en" "ja" "ko" "ru" "vi" "zh"
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
        let import = line.strip_prefix("import ");
        if let Some((what, from)) = import.and_then(|import| import.split_once(" from \"./")) {
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
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let names = |folder: &Path, prefix: &str| -> Vec<String> {
            let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
            let files = files.filter(|file| file.file_type().unwrap().is_file());
            let names = files.map(|file| file.file_name().into_string().unwrap());
            names.map(|name| prefix.to_owned() + &name.replace(".json", ".js")).collect()
        };
        let names = [names(&folder, ""), names(&folder.join("words"), "words/")].concat();
        assert!(names.iter().all(|name| find(name).is_some()), "{names:?}");
        assert_eq!(names.len(), FILES.len());
        assert_eq!(find(""), find("index.html"));
        assert!(find("Cargo.toml").is_none() && find("../Cargo.toml").is_none());
    }

    fn words(language: &str) -> BTreeMap<String, Json> {
        let file = text(&format!("words/{language}.js"));
        let json =
            file.strip_prefix("export const words = ").unwrap().strip_suffix("\n;\n").unwrap();
        let words: BTreeMap<String, Json> = serde_json::from_str(json).unwrap();
        let entries = json.lines().filter(|line| line.starts_with("  \"")).count();
        assert_eq!(entries, words.len(), "{language} has a key twice");
        words
    }

    /// Returns what stands between each `begin` and the next quote.
    fn quoted<'a>(text: &'a str, begin: &str) -> Vec<&'a str> {
        text.split(begin).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
    }

    fn values(text: &Json) -> BTreeSet<&str> {
        let parts = text.as_str().unwrap().split('{').skip(1);
        parts.map(|part| part.split_once('}').unwrap().0).collect()
    }

    /// Returns the forms of words, those of a number as one, with the names of their values.
    fn forms(words: &Json) -> BTreeMap<&str, BTreeSet<&str>> {
        const NUMBERS: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];
        match words {
            Json::Object(forms) => {
                let name = |form| if NUMBERS.contains(&form) { "other" } else { form };
                forms.iter().map(|(form, text)| (name(form.as_str()), values(text))).collect()
            }
            text => [("", values(text))].into(),
        }
    }

    #[test]
    fn languages_have_the_same_words() {
        let english = words("en");
        let languages = FILES.iter().filter_map(|(name, _)| {
            name.strip_prefix("words/").and_then(|name| name.strip_suffix(".js"))
        });
        for language in languages {
            let words = words(language);
            assert!(words.keys().eq(english.keys()), "{language}");
            for (key, text) in &words {
                assert_eq!(forms(text), forms(&english[key]), "{language}: {key}");
            }
            let import = format!("import * as {language} from \"./words/{language}.js\";");
            assert!(text("words.js").contains(&import), "{language} is not in words.js");
        }
    }

    #[test]
    fn the_page_uses_each_word_and_no_other() {
        let words = words("en");
        let files = FILES.iter().filter(|(name, _)| !name.starts_with("words/"));
        let page: String = files.map(|(_, text)| *text).collect();
        let attributes = page.split(" data-word").skip(1).map(|rest| quoted(rest, "=\"")[0]);
        let used = quoted(&page, "say(\"").into_iter().chain(attributes);
        // Each language names itself in the list of languages.
        let used: BTreeSet<&str> = used.chain(["language"]).collect();
        assert_eq!(used, words.keys().map(String::as_str).collect());
        // A key that is put together could not be found.
        let others = page.split("say(").skip(1).filter(|rest| !rest.starts_with('"'));
        assert_eq!(others.count(), 2, "the declaration, and what the page names itself");
    }

    #[test]
    fn the_page_has_words_for_what_the_session_says() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../session/src");
        let sources =
            ["session.rs", "session/command.rs", "session/study.rs", "session/engines.rs"];
        let session: String =
            sources.map(|file| fs::read_to_string(folder.join(file)).unwrap()).concat();
        let said: BTreeSet<&str> = quoted(&session, "message(\"").into_iter().collect();
        let words = words("en");
        assert_eq!(said, forms(&words["told"]).into_keys().collect());
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
        assert!(page.contains("const { draw, hasModifier, make } = modules[\"./dom.js\"];"));
        assert!(page.contains("const tabs = modules[\"./tabs.js\"];"));
        assert!(page.contains("return { get panel() { return panel; }, get prepare() "));
        assert!(page.contains("get send() { return send; }, "));
        for word in [" src=", "<link", "href=\"http", "url(http", "@import", "fetch("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
