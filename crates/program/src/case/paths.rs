//! The paths in a file of settings. There is one rule: all of them are relative to the file that has them, whatever the
//! working directory is. A path that leads somewhere from the working directory alone is named with the one that would
//! be right.

use std::path::{Component, Path, PathBuf};

use super::tree::{Entry, Node, Value};
use crate::input::Problem;

/// The keys of a case that hold the path of a file to read, and the word that is none.
const FILE: &str = "file";
const RESTART: &str = "restart";
const LATEST: &str = "latest";

/// Returns the path of a file to read that an entry of a case holds.
fn path_in(entry: &mut Entry) -> Option<&mut String> {
    match &mut entry.node.value {
        Value::Text(path) if entry.key == FILE || entry.key == RESTART && path != LATEST => Some(path),
        _ => None,
    }
}

/// Puts a directory before the relative paths of files to read.
pub(super) fn move_files(node: &mut Node, directory: &Path) {
    match &mut node.value {
        Value::Map(entries) => {
            for entry in entries {
                match path_in(entry) {
                    Some(path) => *path = directory.join(&path).to_string_lossy().into_owned(),
                    None => move_files(&mut entry.node, directory),
                }
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| move_files(item, directory)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => (),
    }
}

/// Adds the path that would be right to a problem of a key whose path leads to a file from the working directory, but
/// not from the directory of the case.
pub(super) fn help(problem: Problem, tree: &Node, directory: &Path) -> Problem {
    let named = tree.node_at(&problem.key).and_then(|(key, node)| match &node.value {
        Value::Text(path) if key == FILE || key == RESTART => Some(path),
        Value::Map(entries) => entries.iter().find_map(|entry| match &entry.node.value {
            Value::Text(path) if entry.key == FILE => Some(path),
            _ => None,
        }),
        _ => None,
    });
    let named = named.map(Path::new).filter(|named| named.is_relative());
    let Some(named) = named.filter(|named| !directory.join(named).exists() && named.exists()) else {
        return problem;
    };
    let help = format!(
        "the working directory has {}, but paths in a settings file are relative to that file: write {}",
        named.display(),
        seen_from(directory, named).display()
    );
    problem.help(help)
}

/// Returns the path of a file of the working directory as a directory sees it.
fn seen_from(directory: &Path, file: &Path) -> PathBuf {
    let whole = || std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    let parts = directory.components().filter(|part| *part != Component::CurDir);
    let up = parts.map(|part| matches!(part, Component::Normal(_)).then_some(".."));
    let path = up.collect::<Option<PathBuf>>().map(|up| up.join(file));
    path.filter(|path| directory.join(path).exists()).unwrap_or_else(whole)
}

/// Warns of a directory that a settings file names for what is written, if the working directory has results under this
/// name (a file `mark` in it), and the directory of the settings file has none. `key` is the key that names it.
pub(crate) fn warn_of_results_elsewhere(key: &str, output: &Path, settings: &Path, mark: &str) {
    let Ok(named) = output.strip_prefix(settings) else {
        return;
    };
    if named.join(mark).is_file() && !output.join(mark).exists() {
        tracing::warn!(
            "{key}: the working directory has results in {}, but paths in a settings file are relative to that file, \
             so that this one is {}",
            named.display(),
            output.display()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_of_files_get_the_directory() {
        let text = "{mesh: {file: a.h5}, l: [{file: /b.csv}], profile: {file: c/d.csv}, title: file, restart: r.h5}";
        let mut node = Node::parse(text).expect("YAML");
        move_files(&mut node, Path::new("/base"));
        let written = serde_saphyr::to_string(&node).expect("written");
        for part in [
            "file: /base/a.h5",
            "file: /b.csv",
            "file: /base/c/d.csv",
            "title: file",
            "restart: /base/r.h5",
        ] {
            assert!(written.contains(part), "{written}");
        }
        let mut latest = Node::parse("{restart: latest}").expect("YAML");
        move_files(&mut latest, Path::new("/base"));
        assert_eq!(
            serde_saphyr::to_string(&latest).expect("written").trim(),
            "restart: latest"
        );
    }

    #[test]
    fn a_file_of_the_working_directory_is_seen_from_the_case() {
        let (here, file) = (Path::new("src"), Path::new("Cargo.toml"));
        assert_eq!(seen_from(here, file), Path::new("../Cargo.toml"));
        assert_eq!(seen_from(Path::new("./src/case"), file), Path::new("../../Cargo.toml"));
        let whole = std::path::absolute(file).expect("absolute");
        assert_eq!(seen_from(Path::new("/tmp"), file), whole);
        assert_eq!(seen_from(Path::new("src/../src"), file), whole);
    }
}
