//! `fr-les man` and `fr-les completions`: the manual pages and the completions of shells, which are made of the same
//! declarations as `--help`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap_complete::Shell;
use clap_mangen::Man;

use super::{examples, print_line};
use crate::io::{Error, atomic_write, create_directory};

/// Arguments of `fr-les completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Arguments of `fr-les man`.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Directory to write the pages to, such as ~/.local/share/man/man1; it is created if it is missing
    directory: PathBuf,
}

/// Prints the completions of a command line for a shell.
pub fn completions(args: &CompletionsArgs, mut command: clap::Command) -> io::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "fr-les", &mut text);
    // For bash clap_complete 4.6 mangles the hyphen of the program in two ways, and finds no command then.
    let text = String::from_utf8_lossy(&text).replace("fr__subcmd__les", "fr__les");
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a manual page for the program and one for each of its commands.
///
/// # Errors
/// The directory or a page cannot be written.
pub fn man(args: &ManArgs, command: clap::Command) -> Result<(), Error> {
    let directory: &Path = &args.directory;
    create_directory(directory)?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_pages(command, directory)?;
    print_line(format_args!("wrote manual pages to {}", directory.display()));
    Ok(())
}

/// Writes the pages of a command and of all below it.
fn write_pages(command: clap::Command, directory: &Path) -> Result<(), Error> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below.clone(), directory)?;
    }
    let shown = examples::of(command.get_bin_name().unwrap_or(command.get_name()));
    let page = Man::new(command);
    let path = directory.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text).map_err(|source| Error::Os {
        action: "write",
        path: path.clone(),
        source,
    })?;
    text.extend(section(shown).into_bytes());
    atomic_write(&path, &text)
}

/// Returns the section of examples of a manual page; nothing without any.
fn section(shown: &[examples::Example]) -> String {
    if shown.is_empty() {
        return String::new();
    }
    let plain = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let of = |(line, about): &examples::Example| format!(".TP\n\\fB{}\\fR\n{}\n", plain(line), plain(about));
    format!(".SH EXAMPLES\n{}", shown.iter().map(of).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_page_has_its_examples() {
        let shown = section(&[("fr-les doctor --x", "Look.")]);
        assert_eq!(shown, ".SH EXAMPLES\n.TP\n\\fBfr\\-les doctor \\-\\-x\\fR\nLook.\n");
        assert_eq!(section(&[]), "");
    }
}
