//! Writes the manual pages and the shell completions of `tengen`: `manual FOLDER`.
//!
//! They are made from the parser of the arguments, so that they say what `--help` says. The program
//! itself carries none of this.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
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
    clap_mangen::generate_to(parser(), place("man")?).context("cannot write the manual")?;
    let completions = place("completions")?;
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut parser(), PROGRAM, &completions)
            .with_context(|| format!("cannot write the completions for {shell}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
