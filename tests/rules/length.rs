//! No Rust file has more than 500 lines, so that each can be read in one sitting and its first paragraph can say what
//! it is for. A file that grows beyond is split by theme.

use super::{files, text};

const LINES: usize = 500;

#[test]
fn no_file_has_more_than_500_lines() {
    let all = files(
        &[
            "src",
            "crates",
            "tests",
            "examples",
            "fuzz/lib.rs",
            "fuzz/checks",
            "fuzz/fuzz_targets",
            "build.rs",
        ],
        &[".rs"],
    );
    assert!(all.len() > 500, "{}", all.len());
    let lengths = all.iter().map(|path| (path, text(path).lines().count()));
    let long = lengths.filter(|(_, lines)| *lines > LINES);
    let long: Vec<String> = long
        .map(|(path, lines)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "too long:\n{}", long.join("\n"));
}
