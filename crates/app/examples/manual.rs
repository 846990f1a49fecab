//! Writes the manual pages of `tengen` and `pbrain-tengen` and the shell completions of `tengen`:
//! `manual FOLDER`.
//!
//! They are made from the parser of the arguments, so that they say what `--help` says. The programs
//! themselves carry none of this.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::Context;
use clap::{Arg, ArgAction, Command, ValueEnum};
use clap_complete::Shell;

const PROGRAM: &str = "tengen";

fn main() -> anyhow::Result<()> {
    let folder = env::args_os().nth(1).context("usage: manual FOLDER")?;
    write(Path::new(&folder))
}

/// Writes the pages into `man` and the completions into `completions` below a folder.
fn write(folder: &Path) -> anyhow::Result<()> {
    let parser = || {
        let parser = tengen_app::parser().display_name(PROGRAM);
        let description = parser.get_about().cloned().unwrap_or_default();
        // The name in a manual is followed by one line.
        parser.about(env!("CARGO_PKG_DESCRIPTION")).long_about(description)
    };
    let place = |name: &str| -> anyhow::Result<_> {
        let place = folder.join(name);
        fs::create_dir_all(&place).with_context(|| format!("cannot make {}", place.display()))?;
        Ok(place)
    };
    for command in [parser(), engine()] {
        clap_mangen::generate_to(command, place("man")?).context("cannot write the manual")?;
    }
    let completions = place("completions")?;
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut parser(), PROGRAM, &completions)
            .with_context(|| format!("cannot write the completions for {shell}"))?;
    }
    Ok(())
}

/// Describes the command line of `pbrain-tengen`, which does not use clap.
fn engine() -> Command {
    let param = || {
        let param = Arg::new("param").long("param").value_name("NAME=VALUE");
        param.action(ArgAction::Append).help("Set a parameter under every rule, as often as needed")
    };
    let moves = Arg::new("moves").long("moves").action(ArgAction::SetTrue);
    let moves = moves.help("Also measure how fast stones are played and taken back");
    let bench = Command::new("bench")
        .about("Search fixed positions to a fixed depth and print the nodes of each")
        .arg(moves)
        .arg(param());
    let params = Command::new("params").about("List the search's tunable parameters");
    Command::new("pbrain-tengen")
        .about("A Gomoku and Renju engine for match managers")
        .long_about(
            "Managers such as Piskvork load this program: it speaks the Gomocup protocol on its \
             standard input and output. People use the program tengen. RUST_LOG=debug writes a log \
             to standard error.",
        )
        .version(env!("CARGO_PKG_VERSION"))
        .arg(param())
        .subcommands([bench, params])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The help of the program for managers names what its pages name.
    #[test]
    fn the_manual_of_the_engine_is_complete() {
        let source = include_str!("../../../src/main.rs");
        let help =
            source.split_once("const HELP: &str = \"").unwrap().1.split_once("\";").unwrap().0;
        let folder = env::temp_dir().join(format!("tengen-engine-{}", std::process::id()));
        write(&folder).unwrap();
        let names = ["pbrain-tengen", "pbrain-tengen-bench", "pbrain-tengen-params"];
        let pages = names.map(|name| fs::read_to_string(folder.join(format!("man/{name}.1"))));
        let pages = pages.map(Result::unwrap).concat().replace('\\', "");
        let words =
            help.lines().filter_map(|line| line.strip_prefix("  ")?.split([' ', ',']).next());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        assert!(words.len() >= 6, "{words:?}");
        assert!(words.iter().all(|word| pages.contains(word)), "{words:?}\n{pages}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn bash_completes_behind_subcommands_and_knows_the_rules() {
        let folder = env::temp_dir().join(format!("tengen-bash-{}", std::process::id()));
        write(&folder).unwrap();
        let rules = tengen_gomoku::types::Rule::ALL.map(|rule| rule.name()).join(" ");
        let commands = ["play", "analyze", "convert", "openings", "database"];
        let of_each = commands.iter().map(|word| (format!("{word} --rule "), rules.as_str()));
        let others = [
            ("", "play analyze board convert openings database engine help"),
            ("ana", "analyze"),
            ("play --lev", "--level"),
            ("analyze --rows ", "bottom top"),
            ("openings --rule re", "renju"),
            ("openings --notation ", "pos offset"),
            ("engine --par", "--param"),
        ];
        for (line, expected) in
            others.map(|(line, words)| (line.to_owned(), words)).into_iter().chain(of_each)
        {
            let script = r#"source "$1"
                IFS=' ' read -ra COMP_WORDS <<<"tengen $2"
                [[ -n $2 && $2 != *' ' ]] || COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _tengen tengen "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo "${COMPREPLY[@]}""#;
            let file = folder.join("completions/tengen.bash");
            let mut bash = std::process::Command::new("bash");
            bash.args(["-c", script, "bash"]).arg(file).arg(&line);
            let output = bash.output().unwrap();
            let found = String::from_utf8(output.stdout).unwrap();
            let found: Vec<&str> = found.split_whitespace().collect();
            let expected: Vec<&str> = expected.split(' ').collect();
            assert!(expected.iter().all(|word| found.contains(word)), "{line}: {found:?}");
            assert!(line.is_empty() || found.len() == expected.len(), "{line}: {found:?}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn every_command_and_option_is_told() {
        let folder = env::temp_dir().join(format!("tengen-manual-{}", std::process::id()));
        write(&folder).unwrap();
        let read = |name: String| fs::read_to_string(folder.join(&name)).expect(&name);
        let names = ["bash", "fish"].map(|shell| format!("completions/{PROGRAM}.{shell}"));
        let completions = [&names[..], &[format!("completions/_{PROGRAM}")]].concat();
        let completions: Vec<String> = completions.into_iter().map(read).collect();
        let mut count = 0;
        for command in tengen_app::parser().get_subcommands() {
            let page = read(format!("man/{PROGRAM}-{}.1", command.get_name())).replace('\\', "");
            let told = command.get_arguments().filter(|argument| !argument.is_hide_set());
            for option in told.filter_map(|argument| argument.get_long()) {
                assert!(page.contains(&format!("--{option}")), "{option} in\n{page}");
                let has_option = |text: &String| text.contains(option);
                assert!(completions.iter().all(has_option), "{option}");
                count += 1;
            }
            assert!(
                read(format!("man/{PROGRAM}.1")).replace('\\', "").contains(command.get_name())
            );
        }
        assert!(count > 20, "{count}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
