//! A `let` binds one fact, or a pair that belongs together: no tuple of three or more names to a tuple of as many
//! values. Taking apart what a function returns is free, and so are `if let` and `let ... else`, which compare.

use super::{files, text};

/// Least number of names that are too many.
const TOO_MANY: usize = 3;

/// Returns the number of entries of the tuple at the begin of a text, and what follows it; `None` if the text does not
/// begin with a parenthesis that closes.
fn tuple(text: &str) -> Option<(usize, &str)> {
    let inside = text.strip_prefix('(')?;
    let mut depth = 1;
    let mut commas = 0;
    let mut last = '(';
    for (at, c) in inside.char_indices() {
        depth += match c {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        if depth == 0 {
            let entries = commas + usize::from(last != ',');
            return Some((entries, &inside[at + 1..]));
        }
        commas += usize::from(c == ',' && depth == 1);
        last = if c.is_whitespace() { last } else { c };
    }
    None
}

/// Returns whether a text that follows `let ` binds too many names to a tuple of values.
fn is_crowded(rest: &str) -> bool {
    let Some((names, rest)) = tuple(rest) else { return false };
    let Some((of_type, values)) = rest.split_once('=') else {
        return false;
    };
    let of_type = of_type.trim();
    let is_bound = of_type.is_empty() || of_type.starts_with(':');
    let behind = tuple(values.trim_start()).map(|(values, behind)| values > 1 && behind.starts_with(';'));
    names >= TOO_MANY && is_bound && behind == Some(true)
}

/// Returns the numbers of the lines on which a crowded `let` begins.
fn crowded(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut begin = 0;
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let rest = &source[begin..];
        if rest.trim_start().strip_prefix("let ").is_some_and(is_crowded) && !line.trim().is_empty() {
            found.push(number + 1);
        }
        begin += line.len();
    }
    found
}

#[test]
fn a_let_binds_one_fact_or_a_pair() {
    let text_of_all = "let (a, b) = (1, 2);\n    let (a, mut b, c) = (1,\n        f(2, 3), [4, 5]);\n\
                       let (a, b, c) = f(1, 2, 3);\nlet (a, b, _): (i32, i32, i32) = (1, 2, 3,);\n\
                       let (Some(a), Some(b), Some(c)) = (a, b, c) else {\n};\nlet (a, b, c) = (f(1, 2)).three();\n";
    assert_eq!(crowded(text_of_all), [2, 5]);
    let mut found = Vec::new();
    let mut seen = 0;
    for path in files(&["src", "crates", "tests"], &[".rs"]) {
        if path.ends_with("tests/rules/lets.rs") {
            continue;
        }
        seen += 1;
        let lines = crowded(&text(&path));
        found.extend(lines.iter().map(|line| format!("{}:{line}", path.display())));
    }
    assert!(seen > 300, "{seen}");
    assert!(
        found.is_empty(),
        "three or more names in one `let`; write a `let` for each fact:\n{}",
        found.join("\n")
    );
}
