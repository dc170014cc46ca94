//! Malformed case files are refused with a message that helps to correct them.
//!
//! Each file of `tests/bad-cases` begins with the lines `# expect: TEXT` and `# key: KEY`. The message must contain
//! both, the name of the file and a line number, and it must fit on a screen.

use std::fs;
use std::path::{Path, PathBuf};

use fr_les::case::Case;

fn bad_cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad-cases");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("folder")
        .map(|e| e.expect("entry").path())
        .collect();
    files.sort();
    files
}

fn message(path: &Path, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    Case::read(path, &overrides)
        .expect_err(&path.display().to_string())
        .to_string()
}

#[test]
fn every_malformed_case_is_refused_with_place_key_and_help() {
    let files = bad_cases();
    assert!(files.len() >= 20);
    for path in files {
        let text = fs::read_to_string(&path).expect("text");
        let mut head = text.lines();
        let expect = head
            .next()
            .and_then(|l| l.strip_prefix("# expect: "))
            .expect("`# expect: `");
        let key = head
            .next()
            .and_then(|l| l.strip_prefix("# key:"))
            .expect("`# key:`")
            .trim();
        let shown = message(&path, &[]);
        println!("{shown}\n");
        let name = path.file_name().expect("name").to_string_lossy();
        assert!(
            shown.starts_with("error: ") && shown.contains(expect) && shown.contains(key),
            "{name}:\n{shown}"
        );
        let place = shown
            .split_once(&format!("{name}:"))
            .unwrap_or_else(|| panic!("{name}: no line in\n{shown}"))
            .1;
        let line: String = place.chars().take_while(char::is_ascii_digit).collect();
        let line: usize = line.parse().unwrap_or_else(|_| panic!("{name}: no line in\n{shown}"));
        assert!((3..=text.lines().count() + 1).contains(&line), "{name}: line {line}");
        assert!(shown.lines().count() <= 24, "{name}:\n{shown}");
        assert!(shown.lines().all(|l| l.chars().count() < 250), "{name}:\n{shown}");
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().expect("folder");
    let written = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        path
    };
    let cases = [
        (folder.path().join("absent.yaml"), "does not exist"),
        (folder.path().to_path_buf(), "is a directory"),
        (written("empty.yaml", b""), "is empty"),
        (written("comment.yaml", b"# nothing\n\n"), "is empty"),
        (
            written("binary.yaml", b"title: a\norder: \xff\xfe\n"),
            "not UTF-8 text: see line 2",
        ),
        (written("large.yaml", &vec![b' '; 2 << 20]), "larger than"),
        (written("zeros.yaml", &[0; 100]), "error: "),
    ];
    for (path, what) in cases {
        let shown = message(&path, &[]);
        assert!(
            shown.contains(what) && shown.contains(&path.display().to_string()),
            "{shown}"
        );
    }
}

#[test]
fn any_cut_of_a_case_is_an_error_or_a_case_but_no_crash() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad-cases/extra-boundary-key.yaml");
    let text = fs::read_to_string(path).expect("text");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let _ = Case::parse(&text[..end], Path::new("cut.yaml"), &[]);
    }
}
