//! Tests that `cargo test` ignores are in a module `gpu`, `long` or `browser`, by whose names `make test-gpu`, `make
//! test-long` and `make test` find them.

use super::{files, text};

const MODULES: [&str; 3] = ["gpu", "long", "browser"];

#[test]
fn ignored_tests_are_in_a_module_that_the_makefile_names() {
    let mut seen = 0;
    for path in files(&["src", "crates", "tests"], &[".rs"]) {
        if path.ends_with("tests/rules/ignored.rs") {
            continue;
        }
        let by_file = MODULES
            .iter()
            .any(|name| path.file_stem().is_some_and(|stem| stem == *name));
        let mut module = String::new();
        for (number, line) in text(&path).lines().enumerate() {
            let line = line.trim_start();
            if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
                module = name.to_owned();
            }
            if line.starts_with("#[ignore") {
                seen += 1;
                assert!(
                    by_file || MODULES.contains(&module.as_str()),
                    "{}:{}: an ignored test outside of the modules {MODULES:?}",
                    path.display(),
                    number + 1
                );
                assert!(line.contains(" = \""), "{}:{}: no reason", path.display(), number + 1);
            }
        }
    }
    assert!(seen > 10, "{seen}");
}
