//! No line is wider than 120 columns. Exempt are tables in Markdown, lines with an address, and lines of at most two
//! words, which cannot be wrapped.

use super::{files, text};

const WIDTH: usize = 120;

#[test]
fn no_line_is_wider_than_120_columns() {
    let folders = [
        "src",
        "crates",
        "tests",
        "ptx",
        "docs",
        "validation",
        "meshes",
        "scripts",
        "examples",
        "python",
        "fuzz/Cargo.toml",
        "fuzz/lib.rs",
        "fuzz/checks",
        "fuzz/fuzz_targets",
        ".ci",
        ".github",
        "build.rs",
        "Makefile",
        "Cargo.toml",
    ];
    for folder in folders {
        assert!(super::root().join(folder).exists(), "{folder} has moved");
    }
    let mut all = files(
        &folders,
        &[
            ".rs", ".h", ".cu", ".md", ".py", ".yaml", ".yml", ".toml", "Makefile", ".geo",
        ],
    );
    // Scripts have no ending.
    all.extend(files(&["scripts", ".ci"], &[""]));
    let top = std::fs::read_dir(super::root()).expect("the repository");
    let names = top.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    all.extend(names.filter(|name| name.ends_with(".md")).map(Into::into));
    assert!(all.len() > 300, "{}", all.len());
    let mut wide = Vec::new();
    for path in &all {
        let shown = path.display().to_string();
        for (number, line) in text(path).lines().enumerate() {
            let columns = line.chars().count();
            let table = shown.ends_with(".md") && line.trim_start().starts_with('|');
            let breakable = line.split_whitespace().count() > 2;
            if columns > WIDTH && !table && breakable && !line.contains("://") {
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
