//! The page of commands of the manual, made from the declarations that also make `--help`.

use clap::{Arg, Command};

/// Widest line of the page.
const WIDTH: usize = 120;

const HEAD: &str = "\
# Commands

This page is made from the declarations that read the command line; `--help` after any command prints the same. A case
named `-` is read from standard input, and `fr-les CASE` is short for `fr-les run CASE`. `--version` names the version,
the commit and the libraries. [Errors and exit codes](errors.md) says how commands end.
";

/// Appends an entry of a list, wrapped.
fn entry(page: &mut String, indent: &str, text: &str) {
    let mut line = format!("{indent}-");
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            page.push_str(&line);
            page.push('\n');
            line = format!("{indent} ");
        }
        line.push(' ');
        line.push_str(word);
    }
    page.push_str(&line);
    page.push('\n');
}

/// The name of an argument as it is typed, with its value.
fn typed(argument: &Arg) -> String {
    let names: Vec<&str> = argument
        .get_value_names()
        .into_iter()
        .flatten()
        .map(|name| name.as_str())
        .collect();
    let takes_value = argument.get_action().takes_values();
    let values = if takes_value { names.join(" ") } else { String::new() };
    match argument.get_long() {
        Some(long) => format!("--{long} {values}").trim_end().to_owned(),
        None => values,
    }
}

/// Appends a command and those below it.
fn command(page: &mut String, command: &Command, path: &str) {
    let name = format!("{path} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.push_str(&format!("\n## `{}`\n\n", name.trim()));
    let mut wrapped = String::new();
    entry(&mut wrapped, "", &format!("{}.", about.trim_end_matches('.')));
    page.push_str(&wrapped.trim_start_matches("- ").replace("\n  ", "\n"));
    let own = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let own: Vec<&Arg> = own
        .filter(|argument| !["help", "version", "quiet", "verbose"].contains(&argument.get_id().as_str()))
        .collect();
    if !own.is_empty() {
        page.push('\n');
    }
    for argument in own {
        let long = argument.get_long_help().or(argument.get_help());
        let help = long.map(ToString::to_string).unwrap_or_default();
        let defaults = argument.get_default_values().iter();
        let defaults: Vec<String> = defaults.map(|value| value.to_string_lossy().into_owned()).collect();
        let needed = match defaults.as_slice() {
            _ if !argument.get_action().takes_values() => String::new(),
            [] if argument.is_required_set() => " (required)".to_owned(),
            [] => String::new(),
            [value] if value.is_empty() => String::new(),
            values => format!(" (default `{}`)", values.join(" ")),
        };
        let help = help.trim_end_matches('.');
        entry(page, "", &format!("**`{}`**{needed}: {help}.", typed(argument)));
        for value in argument.get_possible_values() {
            if let Some(help) = value.get_help().filter(|_| argument.get_action().takes_values()) {
                let help = help.to_string();
                entry(
                    page,
                    "  ",
                    &format!("`{}`: {}.", value.get_name(), help.trim_end_matches('.')),
                );
            }
        }
    }
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        self::command(page, below, name.trim());
    }
}

/// Run with the environment variable `UPDATE_DOCS` set to write the page anew.
#[test]
fn the_page_of_commands_is_that_of_the_declarations() {
    let parser = <super::CommandLine as clap::CommandFactory>::command();
    let mut page = HEAD.to_owned();
    for below in parser.get_subcommands().filter(|below| below.get_name() != "help") {
        command(&mut page, below, "fr-les");
    }
    page.push_str("\n## Every command\n\n");
    for argument in parser.get_arguments().filter(|argument| argument.is_global_set()) {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let short = argument
            .get_short()
            .map(|short| format!("-{short}, "))
            .unwrap_or_default();
        entry(&mut page, "", &format!("**`{short}{}`**: {help}.", typed(argument)));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/commands.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).expect("written");
    }
    let kept = std::fs::read_to_string(path).expect("the page");
    assert!(kept == page, "run with UPDATE_DOCS=1:\n{page}");
    assert!(page.lines().all(|line| line.chars().count() <= WIDTH));
}

/// Every command that does something has an example in its manual page, and every example is a command line that is
/// read without an error.
#[test]
fn every_command_has_examples_that_are_read() {
    let parser = || <super::CommandLine as clap::CommandFactory>::command();
    for (line, _) in fr_les::commands::examples::all() {
        let words: Vec<&str> = line.split(' ').skip_while(|word| *word != "fr-les").collect();
        // A case alone stands for `run`.
        let words = match words.as_slice() {
            [program, case] if case.ends_with(".yaml") => vec![*program, "run", case],
            _ => words,
        };
        parser()
            .try_get_matches_from(words)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    fn leaves(command: &Command, path: &str, found: &mut Vec<String>) {
        let path = format!("{path} {}", command.get_name());
        let below: Vec<&Command> = command
            .get_subcommands()
            .filter(|below| below.get_name() != "help")
            .collect();
        if below.is_empty() && !command.is_hide_set() {
            found.push(path.trim().to_owned());
        }
        below.iter().for_each(|below| leaves(below, &path, found));
    }
    let mut found = Vec::new();
    leaves(&parser(), "", &mut found);
    let without: Vec<&String> = found
        .iter()
        .filter(|command| fr_les::commands::examples::of(command).is_empty())
        .collect();
    assert_eq!(
        without,
        ["fr-les completions", "fr-les man"],
        "these say all in their arguments"
    );
}
