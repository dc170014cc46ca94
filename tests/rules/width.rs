//! No line is wider than 120 columns, but tables and addresses in Markdown and generated tables of numbers.

use super::{files, text};

const WIDTH: usize = 120;

/// Files and folders that have wider lines still; empty when there are none.
const WIDE_STILL: &[&str] = &["ptx", "src", "tests"];

#[test]
fn no_line_is_wider_than_120_columns() {
    let folders = [
        "src",
        "tests",
        "ptx",
        "docs",
        "validation",
        "meshes",
        "scripts",
        "fuzz/checks",
        "fuzz/fuzz_targets",
        ".ci",
        ".github",
        "build.rs",
        "Makefile",
        "Cargo.toml",
    ];
    let present: Vec<&str> = folders
        .into_iter()
        .filter(|folder| super::root().join(folder).exists())
        .collect();
    let mut all = files(
        &present,
        &[
            ".rs", ".h", ".cu", ".md", ".py", ".yaml", ".yml", ".toml", "Makefile", ".geo",
        ],
    );
    all.extend(files(
        &["scripts", ".ci"],
        &["setup", "mutants", "slurm", "run", "try-bare"],
    ));
    let top = std::fs::read_dir(super::root()).expect("the repository");
    let names = top.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    all.extend(names.filter(|name| name.ends_with(".md")).map(Into::into));
    assert!(all.len() > 300, "{}", all.len());
    let mut wide = Vec::new();
    for path in &all {
        let shown = path.display().to_string();
        if WIDE_STILL.iter().any(|exempt| shown.starts_with(exempt)) {
            continue;
        }
        for (number, line) in text(path).lines().enumerate() {
            let columns = line.chars().count();
            let table = shown.ends_with(".md") && line.trim_start().starts_with('|');
            if columns > WIDTH && !table && !line.contains("://") {
                wide.push(format!("{shown}:{}: {columns} columns", number + 1));
            }
        }
    }
    assert!(
        wide.is_empty(),
        "{} lines are too wide:\n{}",
        wide.len(),
        wide.join("\n")
    );
}
