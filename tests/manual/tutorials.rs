//! The tutorials of the manual, executed as their readers do.
//!
//! A tutorial is a page of docs/tutorials. Its blocks of YAML and of Gmsh's scripts (`geo`) are files, which are named
//! in their first line (`# NAME: ...` and `// NAME: ...`). Its blocks of `sh` are run in their order, in a folder with
//! the parts of the repository that they read. Each line of a block of `text` must be in what the block of `sh` before
//! it printed; numbers may differ in the seventh digit, and three dots stand for the rest of a line. Each picture that
//! a command draws is compared with that of the page; with the environment variable `UPDATE_DOCS` it is written there
//! instead.
//!
//! A run that takes minutes is shortened here by `--set`. What follows it then only has to work: its numbers and
//! pictures are compared by the tests in `long`, which run the whole page.

use std::path::{Path, PathBuf};
use std::process::Command;

use resvg::tiny_skia::Pixmap;
use tempfile::TempDir;

use crate::root;

/// A block of code of a page.
struct Block<'a> {
    language: &'a str,
    text: String,
}

/// The fenced blocks of a page, in their order.
fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let text = inside.join("\n") + "\n";
            found.push(Block { language, text });
        }
    }
    found
}

/// Whether a line of a page is in a line of output.
fn agrees(expected: &str, printed: &str) -> bool {
    let apart = |line: &str| -> Vec<String> {
        let words = line
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (open, expected) = match expected.strip_suffix("...") {
        Some(begin) => (true, begin),
        None => (false, expected),
    };
    let (expected, printed) = (apart(expected), apart(printed));
    let same = |(a, b): (&String, &String)| {
        let numbers = (a.parse::<f64>(), b.parse::<f64>());
        a == b || matches!(numbers, (Ok(a), Ok(b)) if (a - b).abs() <= 1e-7 * a.abs().max(b.abs()))
    };
    (open || expected.len() == printed.len())
        && expected.len() <= printed.len()
        && expected.iter().zip(&printed).all(same)
}

/// A folder like a clone of the repository, without results.
fn clone() -> TempDir {
    let folder = tempfile::tempdir().expect("temporary directory");
    for (from, endings) in [
        ("validation/taylor-green", ["csv", "yaml"]),
        ("validation/channel-180", ["csv", "yaml"]),
        ("validation/t106c", ["csv", "yaml"]),
        ("validation/stage", ["csv", "yaml"]),
        ("meshes/profiles", ["csv", "csv"]),
    ] {
        std::fs::create_dir_all(folder.path().join(from)).expect("folder");
        for entry in std::fs::read_dir(root().join(from)).expect(from) {
            let path = entry.expect("entry").path();
            if path
                .extension()
                .is_some_and(|ending| endings.iter().any(|e| ending == *e))
            {
                let name = path.file_name().expect("a name");
                std::fs::copy(&path, folder.path().join(from).join(name)).expect("copied");
            }
        }
    }
    folder
}

/// Runs commands in a folder with the program in `PATH`, and returns what they print.
fn shell(folder: &Path, commands: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_fr-les")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{path}", program.display(), root().join(".venv/bin").display());
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &format!("exec 2>&1\n{commands}")])
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("RUST_LOG")
        .envs(crate::common::program::MPI)
        .output()
        .expect("bash starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{commands}\n{printed}");
    printed
}

/// Compares the pictures that commands have left in the folder with those of the manual, or writes these.
fn compare_pictures(folder: &Path, commands: &str) {
    let words = commands.split_whitespace();
    for name in words.filter(|word| word.ends_with(".png") && !word.contains('/')) {
        let (new, kept) = (folder.join(name), root().join("docs/images").join(name));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::copy(&new, &kept).expect("written");
        }
        let [new, kept]: [Pixmap; 2] = [new, kept].map(|path: PathBuf| {
            let file = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            Pixmap::decode_png(&file).expect("a picture")
        });
        assert_eq!([new.width(), new.height()], [kept.width(), kept.height()], "{name}");
        let pairs = new.data().iter().zip(kept.data());
        let different = pairs.filter(|(a, b)| a.abs_diff(**b) > 8).count();
        let share = different as f64 / new.data().len() as f64;
        assert!(
            share < 1e-3,
            "{name}: {share} of the values differ; UPDATE_DOCS=1 writes it anew"
        );
    }
}

/// Executes a tutorial. The first command that contains `long.0` is given the words `long.1` as well.
fn execute(name: &str, long: Option<(&str, &str)>) {
    let page = std::fs::read_to_string(root().join(format!("docs/tutorials/{name}.md"))).expect(name);
    let folder = clone();
    let mut printed = String::new();
    let mut whole = true;
    let mut compared = 0;
    let mut run = 0;
    for block in blocks(&page) {
        match block.language {
            "yaml" | "geo" => {
                let comment = if block.language == "yaml" { "# " } else { "// " };
                let file = block.text.strip_prefix(comment).and_then(|text| text.split_once(':'));
                let (file, _) = file.expect("the name of the file in its first line");
                std::fs::write(folder.path().join(file), &block.text).expect("written");
            }
            "sh" => {
                let mut commands = block.text.clone();
                if let Some((command, more)) = long.filter(|(command, _)| commands.contains(command) && whole) {
                    commands = commands.replacen(command, &format!("{command} {more}"), 1);
                    whole = false;
                }
                printed = shell(folder.path(), &commands);
                run += 1;
                if whole {
                    compare_pictures(folder.path(), &commands);
                }
            }
            "text" if whole => {
                for line in block.text.lines() {
                    let found = printed.lines().any(|found| agrees(line, found));
                    assert!(found, "{name}: no line\n{line}\nin\n{printed}");
                    compared += 1;
                }
            }
            "text" => (),
            other => panic!("{name}: a block of the language '{other}'"),
        }
    }
    assert!(
        run >= 3 && compared >= 4,
        "{name}: {run} blocks run, {compared} lines compared"
    );
}

#[test]
fn lines_agree_in_words_and_in_seven_digits() {
    assert!(agrees("a 1.0,2", " a 1.00000001,2"));
    assert!(!agrees("a 1.0,2", "a 1.000001,2"));
    assert!(!agrees("a 1.0", "a 1.0 more"));
    assert!(!agrees("a 1.0 more", "a 1.0"));
    assert!(agrees("a ...", "a 1.0 more"));
}

#[test]
fn first_run() {
    let short = "--set time.end=1 --set output.solution.every=0.5 --set output.slices.middle.every=0.5";
    execute("first-run", Some(("fr-les first.yaml", short)));
}

#[test]
fn a_steady_solution() {
    execute("steady", None);
}

#[test]
fn a_cylinder() {
    // Ten samples of the mean and of the spectrum.
    let short = "--set time.end=2 --set output.boundaries.means-from=0.5";
    execute("cylinder", Some(("fr-les cylinder.yaml", short)));
}

#[test]
fn own_geometry() {
    let short = "--set time.end=1.5 --set output.boundaries.means-from=0.5";
    execute("own-geometry", Some(("fr-les wedge.yaml", short)));
}

#[test]
fn a_channel() {
    let short = "--set time.end=0.6 --set output.statistics.from=0.2 --set output.statistics.every-steps=10 \
                 --set output.forcing.means-from=0.2";
    execute("channel", Some(("fr-les channel.yaml", short)));
}

#[test]
fn a_blade() {
    let short = "--set time.end=0.03 --set output.blades.blade.from=0.01";
    execute("blade", Some(("fr-les validation/t106c/run-tiny.yaml", short)));
}

#[test]
fn a_stage() {
    let short = "--set time.end=0.02 --set output.slices.mid.every=0.005 --set output.blades.rotor.from=0.005 \
                 --set output.blades.rotor.every-steps=1";
    execute("stage", Some(("fr-les validation/stage/run.yaml", short)));
}

/// The tutorials at their full sizes, and those of studies and of clusters: 40 minutes on two cores.
mod long {
    use super::execute;

    #[test]
    #[ignore = "a minute"]
    fn a_whole_first_run() {
        execute("first-run", None);
    }

    #[test]
    #[ignore = "a minute"]
    fn a_study() {
        execute("study", None);
    }

    #[test]
    #[ignore = "five minutes"]
    fn a_study_of_a_cylinder() {
        execute("study-cylinder", None);
    }

    #[test]
    #[ignore = "a minute"]
    fn restart_and_clusters() {
        execute("restart-and-clusters", None);
    }

    #[test]
    #[ignore = "two to four minutes"]
    fn a_whole_cylinder() {
        execute("cylinder", None);
    }

    #[test]
    #[ignore = "one to four minutes"]
    fn a_whole_own_geometry() {
        execute("own-geometry", None);
    }

    #[test]
    #[ignore = "up to half an hour"]
    fn a_whole_channel() {
        execute("channel", None);
    }

    #[test]
    #[ignore = "a quarter of an hour"]
    fn a_whole_stage() {
        execute("stage", None);
    }

    #[test]
    #[ignore = "four minutes"]
    fn a_whole_blade() {
        execute("blade", None);
    }
}
