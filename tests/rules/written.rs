//! Files are created and opened for writing in `crates/base/src/io/files.rs` alone, whose functions write through no
//! symbolic link. Libraries that write files by their names (HDF5, Gmsh) get names that were created or freed there
//! before.

use super::{files, text};

/// Files that open for writing what is no file of a run: the functions themselves, and memory of another process.
const ALLOWED: [&str; 2] = ["crates/base/src/io/files.rs", "crates/base/src/ranks/shared_memory.rs"];

/// Returns the lines before the tests of a module that create or open files for writing by themselves.
fn writers(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let own = |line: &&str| {
        (line.contains("File::create(") && !line.contains("hdf5::"))
            || line.contains("fs::write(")
            || line.contains("OpenOptions::new")
            || (line.contains("File::options()") && !line.contains("open_regular("))
    };
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    code.lines().filter(is_code).filter(own).collect()
}

#[test]
fn files_are_written_by_the_functions_that_follow_no_link() {
    let text_of_all = "let a = File::create(&path);\nstd::fs::write(&path, text)\n// fs::write(x)\n\
                       open_regular(path, File::options().read(true))\n#[cfg(test)]\nmod tests {\nfs::write(a, b)";
    assert_eq!(writers(text_of_all).len(), 2);
    let mut seen = 0;
    for path in files(&["src", "crates"], &[".rs"]) {
        let of_tests = path.to_string_lossy().ends_with("tests.rs") || path.ends_with("commands_page.rs");
        let of_tests = of_tests
            || ["crates/flow/build", "crates/flow/tests"]
                .iter()
                .any(|tests| path.starts_with(tests));
        if of_tests || ALLOWED.iter().any(|allowed| path.ends_with(allowed)) {
            continue;
        }
        seen += 1;
        let source = text(&path);
        let found = writers(&source);
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
    assert!(seen > 100, "{seen}");
}
