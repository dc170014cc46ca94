//! Numbers of the pages of validation/ follow from files: `scripts/validation` computes rows of tables from the results
//! that are kept beside a page. A page without such results says so.

use std::path::Path;
use std::process::{Command, Output};

use super::{files, root, text};

/// What a page says whose results are lost.
const NOT_KEPT: &str = "files of these runs were not kept";

/// Runs a copy of `scripts/validation` that belongs to a folder `validation` of one's own.
fn validation(script: &Path, folders: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command.arg(script).args(folders);
    command.output().unwrap_or_else(|e| panic!("python3: {e}"))
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn pages_have_the_rows_that_follow_from_their_kept_files() {
    let output = validation(&root().join("scripts/validation"), &[]);
    assert!(output.status.success(), "{}", printed(&output));
}

#[test]
fn a_changed_digit_of_a_page_or_of_a_kept_file_is_found() {
    for (file, right, wrong) in [
        ("couette/README.md", "| p | 9e-9 |", "| p | 8e-9 |"),
        ("couette/kept/hex-walls.csv", "\n0.00937", "\n0.00938"),
    ] {
        let copy = tempfile::tempdir().expect("a folder");
        let page = files(
            &[
                "validation/couette",
                "validation/channels.py",
                "validation/series.py",
                "scripts/validation",
            ],
            &[""],
        );
        for path in page {
            let target = copy.path().join(&path);
            std::fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
            std::fs::copy(root().join(&path), &target).expect("a copy");
        }
        let script = copy.path().join("scripts/validation");
        let couette = copy.path().join("validation/couette");
        let same = validation(&script, &[&couette.to_string_lossy()]);
        assert!(same.status.success(), "{}", printed(&same));
        let changed = copy.path().join("validation").join(file);
        let before = std::fs::read_to_string(&changed).expect("a file");
        assert!(before.contains(right), "{file}");
        std::fs::write(&changed, before.replace(right, wrong)).expect("a file");
        let other = validation(&script, &[&couette.to_string_lossy()]);
        assert!(!other.status.success(), "{file}: {}", printed(&other));
        assert!(printed(&other).contains("lacks this row"), "{}", printed(&other));
    }
}

#[test]
fn scripts_that_compare_end_with_a_sentence_where_a_file_is_missing_or_another_one() {
    let page = root().join("README.md");
    let page = page.to_string_lossy();
    let scripts = files(&["validation"], &["compare.py"]);
    assert!(scripts.len() > 10, "{scripts:?}");
    for script in scripts {
        for given in [
            &["nowhere"][..],
            &[&page],
            &[&page, &page],
            &["rest", "nowhere", "nowhere"],
        ] {
            let output = validation(&root().join(&script), given);
            let shown = printed(&output);
            let lacks_package = shown.contains("ModuleNotFoundError");
            assert!(!output.status.success(), "{}: {shown}", script.display());
            assert!(
                lacks_package || !shown.contains("Traceback"),
                "{}: {shown}",
                script.display()
            );
        }
    }
    // These need no package.
    for (script, given, part) in [
        (
            "cylinder",
            &["nowhere"][..],
            "No such file or directory: 'nowhere/boundaries.csv'",
        ),
        ("shocks", &[&page], "is not what this script reads"),
        ("rotating-channel", &[&page, &page], "is not what this script reads"),
        (
            "bars",
            &["rest", "nowhere", "nowhere"],
            "No such file or directory: 'nowhere/bars.csv'",
        ),
    ] {
        let shown = printed(&validation(
            &root().join("validation").join(script).join("compare.py"),
            given,
        ));
        assert!(shown.contains(part), "{script}: {shown}");
    }
}

#[test]
fn pages_without_kept_files_say_so() {
    let mut seen = 0;
    for path in files(&["validation"], &["README.md"]) {
        let folder = root().join(path.parent().expect("a folder"));
        seen += 1;
        if path.as_os_str() == "validation/README.md" || folder.join("kept").is_dir() {
            continue;
        }
        let says = text(&path)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains(NOT_KEPT);
        assert!(
            says,
            "{}: no folder 'kept', and not the words '{NOT_KEPT}'",
            path.display()
        );
    }
    assert!(seen > 20, "{seen}");
}
