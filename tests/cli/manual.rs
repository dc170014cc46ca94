//! Manual pages and completions know every command and every option that `--help` names.

use std::process::Command;

use crate::common::program::{folder, names, refuses, succeeds, write};

/// The commands in the help of a command, but `help` itself.
fn commands(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    let list = list.lines().take_while(|line| line.starts_with("  "));
    let first = list
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    first.filter(|word| *word != "help").map(str::to_owned).collect()
}

/// The long options in a help.
fn options(help: &str) -> Vec<String> {
    let words = help.split(|c: char| c.is_whitespace() || ",[]=<".contains(c));
    words
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .map(|word| word.trim_end_matches(['.', '`', ')', ';']).to_owned())
        .collect()
}

#[test]
fn there_is_a_page_for_each_command_with_its_options() {
    let folder = folder();
    succeeds(&folder, &["man", "pages/man1"]);
    let pages = names(&folder.path().join("pages/man1"));
    let top = commands(&succeeds(&folder, &["--help"]));
    assert!(top.len() >= 10 && top.contains(&"doctor".to_owned()), "{top:?}");
    for command in top {
        assert!(pages.contains(&format!("fr-les-{command}.1")), "{command}: {pages:?}");
        let help = succeeds(&folder, &[&command, "--help"]);
        for verb in commands(&help) {
            assert!(
                pages.contains(&format!("fr-les-{command}-{verb}.1")),
                "{command} {verb}: {pages:?}"
            );
        }
        let page = folder.path().join(format!("pages/man1/fr-les-{command}.1"));
        let text = std::fs::read_to_string(page).expect("a page").replace("\\-", "-");
        let own = help.split("Options:\n").nth(1).unwrap_or_default();
        let named = own.lines().filter(|line| line.trim_start().starts_with('-'));
        for option in named.flat_map(options) {
            assert!(text.contains(&option), "{command}: no {option}");
        }
    }
    write(&folder, "file", b"");
    refuses(&folder, &["man", "file/man1"], &["file/man1"]);
}

#[test]
fn completions_name_all_commands() {
    let folder = folder();
    let top = commands(&succeeds(&folder, &["--help"]));
    for shell in ["bash", "zsh", "fish"] {
        let text = succeeds(&folder, &["completions", shell]);
        for command in &top {
            assert!(text.contains(command.as_str()), "{shell}: no {command}");
        }
        for option in ["threads", "no-graph", "extrude"] {
            assert!(text.contains(option), "{shell}: no {option}");
        }
    }
    refuses(&folder, &["completions", "csh"], &["csh", "bash"]);
}

#[test]
fn bash_completes_commands_their_verbs_and_options() {
    let folder = folder();
    let script = succeeds(&folder, &["completions", "bash"]);
    for (words, expected) in [
        ("fr-les do", "doctor"),
        ("fr-les mesh gen", "generate"),
        ("fr-les mesh generate annulus --grow", "--growth"),
        ("fr-les run --hash --thr", "--threads"),
    ] {
        // bash calls the function with the program, the word that is completed, and the one before it.
        let commands = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             complete=$(complete -p fr-les | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n\
             $complete fr-les \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"\n\
             echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["-c", &commands]).output().expect("bash");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{words}");
    }
}
