//! What a boundary condition is good for is a method of its kind or of the condition, in the room `physics`: nobody
//! else names kinds one by one, so that a new condition is one file there.

use super::{files, text};

/// Files that name a kind: the number of a face that has no condition, and a benchmark that makes walls.
const ALLOWED: [&str; 2] = [
    "crates/flow/src/device/plan/boundary.rs",
    "crates/program/src/commands/bench/steady.rs",
];

#[test]
fn kinds_of_conditions_are_named_in_physics_alone() {
    let mut seen = 0;
    for path in files(&["src", "crates"], &[".rs"]) {
        let shown = path.display().to_string();
        if shown.contains("/physics/") || shown.ends_with("tests.rs") {
            seen += 1;
            continue;
        }
        let source = text(&path);
        let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            // A type or a function begins with a small letter.
            let kind = line.split("BoundaryKind::").nth(1).and_then(|rest| rest.chars().next());
            let named = kind.is_some_and(char::is_uppercase) && !line.trim_start().starts_with("//");
            assert!(
                !named || ALLOWED.contains(&shown.as_str()),
                "{shown}:{}: ask the condition by a method of crates/base/src/physics/boundary",
                number + 1
            );
        }
    }
    assert!(seen > 20, "{seen}");
}
