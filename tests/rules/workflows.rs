//! The workflows of .github run commands that exist: targets of the Makefile, and scripts of the repository.

use super::{files, root, text};

/// Programs that a step may run besides `make` and scripts.
const PROGRAMS: &[&str] = &["apt-get", "cargo", "docker", "echo", "gh", "git", "grep"];

#[test]
fn workflows_run_make_targets_and_scripts_that_exist() {
    let makefile = text("Makefile".as_ref());
    let mut seen = 0;
    for path in files(&[".github/workflows"], &[".yml"]) {
        for line in text(&path).lines() {
            let Some(command) = line.trim_start().strip_prefix("- run: ") else {
                continue;
            };
            seen += 1;
            let (program, arguments) = command.split_once(' ').unwrap_or((command, ""));
            let exists = match program {
                "make" => {
                    let target = arguments.split(' ').next().unwrap_or_default();
                    makefile.lines().any(|line| line.starts_with(&format!("{target}:")))
                }
                _ => PROGRAMS.contains(&program) || root().join(program).is_file(),
            };
            assert!(exists, "{}: nothing runs '{command}'", path.display());
        }
    }
    assert!(seen > 5, "{seen}");
}
