//! `fr-les explain KEY`: the documentation of a key of a case, a study or a cascade, from the schema.

use thiserror::Error;

use super::{print_line, schema};
use crate::case::{FileKind, Key, keys_of};
use crate::input::{listed, nearest};

/// Arguments of `fr-les explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// The key with its path (time.cfl, boundaries.wall.temperature), the end of one (cfl), or a word that is the value
    /// of a key (far-field)
    key: String,
}

/// The key is not known.
#[derive(Debug, Error)]
#[error("no file of fr-les has a key or a word `{key}`{hint}")]
pub struct UnknownKey {
    key: String,
    hint: String,
}

/// Most keys that are shown where the end of a path fits several.
const MOST: usize = 8;

/// Widest line of the text.
const WIDTH: usize = 100;

/// A key and the kind of file that has it.
type Found = (FileKind, Key);

/// Prints what is known of the key.
///
/// # Errors
/// No file has the key.
pub fn run(args: &ExplainArgs) -> Result<(), UnknownKey> {
    let all = FileKind::ALL.into_iter();
    let all: Vec<Found> = all
        .flat_map(|kind| keys_of(&schema::of(kind)).into_iter().map(move |key| (kind, key)))
        .collect();
    let of_word = of_word(&all, args.key.trim());
    let found = match find(&all, &args.key) {
        Err(_) if (1..=MOST).contains(&of_word.len()) => of_word.iter().collect(),
        found => found?,
    };
    for (number, (kind, key)) in merged(found).into_iter().enumerate() {
        if number > 0 {
            print_line(format_args!(""));
        }
        print(kind, &key);
    }
    Ok(())
}

/// Returns the keys of a path, or those whose path ends so.
fn find<'a>(all: &'a [Found], wanted: &str) -> Result<Vec<&'a Found>, UnknownKey> {
    let wanted = wanted.trim();
    let parts = parts_of(wanted);
    let whole: Vec<&Found> = all
        .iter()
        .filter(|(_, key)| fits(&parts_of(&key.path), &parts))
        .collect();
    if !whole.is_empty() {
        return Ok(whole);
    }
    let ends = |path: &str| {
        let of_path = parts_of(path);
        (0..of_path.len()).any(|first| fits(&of_path[first..], &parts))
    };
    let ending: Vec<&Found> = all
        .iter()
        .filter(|(_, key)| named(&key.path) && ends(&key.path))
        .collect();
    let mut paths: Vec<&str> = ending.iter().map(|(_, key)| key.path.as_str()).collect();
    paths.dedup();
    let refused = |hint: String| {
        let key = wanted.to_owned();
        Err(UnknownKey { key, hint })
    };
    match paths.len() {
        0 => {
            let near = nearest(wanted, all.iter().map(|(_, key)| key.path.as_str()));
            let last = parts.last().map_or("", String::as_str);
            let named_so = nearest(last, all.iter().filter_map(|(_, key)| key.path.rsplit('.').next()));
            let also = all.iter().find(|(_, key)| key.path.rsplit('.').next() == named_so);
            let mut near: Vec<&str> = also.map(|(_, key)| key.path.as_str()).into_iter().chain(near).collect();
            near.dedup();
            if near.is_empty() {
                return refused(format!(": {} lists all of a case", FileKind::Case.page()));
            }
            refused(format!(": did you mean `{}`?", near.join("` or `")))
        }
        1..=MOST => Ok(ending),
        _ => refused(format!(" alone: name more of the path of one of {}", listed(paths))),
    }
}

/// Returns the keys that may be a word, with that word alone. Where the word is a type of mappings, the keys of such a
/// mapping follow.
fn of_word(all: &[Found], wanted: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (kind, key) in all {
        let words = key.words.iter().filter(|(word, _)| word == wanted);
        let of_type = |(other, part): &&Found| {
            other == kind && part.of_type.as_deref() == Some(wanted) && part.path.starts_with(&key.path)
        };
        for word in words {
            let key = Key {
                words: vec![word.clone()],
                ..key.clone()
            };
            found.push((*kind, key));
            found.extend(all.iter().filter(of_type).cloned());
        }
    }
    found
}

/// Returns whether the last part of a path is the name of a key, and not one that stands for any.
fn named(path: &str) -> bool {
    !path.ends_with(['*', ']'])
}

/// Returns the parts of a path; an entry of a list is a part of its own.
fn parts_of(path: &str) -> Vec<String> {
    let path = path.replace('[', ".[");
    path.split('.')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns whether a path of the schema is the one that is wanted, in which names and numbers of entries are given.
fn fits(known: &[String], wanted: &[String]) -> bool {
    let is_number = |part: &str| part.trim_matches(['[', ']']).bytes().all(|byte| byte.is_ascii_digit());
    match (known, wanted) {
        ([], []) => true,
        // The number of an entry may be left out.
        ([entry, known @ ..], wanted) if entry == "[]" => match wanted {
            [number, rest @ ..] if is_number(number) => fits(known, rest),
            wanted => fits(known, wanted),
        },
        // Numbers behind a list of numbers.
        ([], [number]) => is_number(number),
        ([name, known @ ..], [_, wanted @ ..]) if name == "*" => fits(known, wanted),
        ([name, known @ ..], [word, wanted @ ..]) => name == word && fits(known, wanted),
        _ => false,
    }
}

/// Joins keys of several types of a mapping that mean the same.
fn merged(found: Vec<&Found>) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for (kind, key) in found {
        let same = |(other, known): &&mut Found| {
            other == kind && (&known.path, &known.head, &known.meaning) == (&key.path, &key.head, &key.meaning)
        };
        match all.iter_mut().find(same) {
            Some((_, known)) => {
                if let (Some(types), Some(more)) = (&mut known.of_type, &key.of_type) {
                    *types = format!("{types}, {more}");
                }
            }
            None => all.push((*kind, key.clone())),
        }
    }
    all
}

fn print(kind: FileKind, key: &Key) {
    let of_file = match kind {
        FileKind::Case => "",
        FileKind::Study => "of a study, ",
        FileKind::Cascade => "of a cascade, ",
    };
    print_line(format_args!("{} ({of_file}{})", key.path, key.head));
    if let Some(types) = &key.of_type {
        print_wrapped("  ", &format!("of type: {types}"));
    }
    print_wrapped("  ", &key.meaning);
    for (word, meaning) in &key.words {
        let meaning = meaning
            .as_ref()
            .map_or_else(String::new, |meaning| format!(": {meaning}"));
        print_wrapped("    ", &format!("{word}{meaning}"));
    }
    if !key.keys.is_empty() {
        print_wrapped("  ", &format!("keys: {}", key.keys.join(", ")));
    }
    print_line(format_args!("  see {}#{}", kind.page(), key.anchor));
}

/// Prints a text in lines that begin with an indent.
fn print_wrapped(indent: &str, text: &str) {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent.len() + line.chars().count() + 1 + word.chars().count() > WIDTH {
            print_line(format_args!("{indent}{line}"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        print_line(format_args!("{indent}{line}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Found> {
        let of = |kind: FileKind| keys_of(&schema::of(kind)).into_iter().map(move |key| (kind, key));
        FileKind::ALL.into_iter().flat_map(of).collect()
    }

    #[test]
    fn keys_are_found_by_their_paths_and_by_the_ends_of_these() {
        let all = all();
        let paths = |wanted: &str| {
            let found = find(&all, wanted).unwrap_or_else(|error| panic!("{error}"));
            merged(found).into_iter().map(|(_, key)| key.path).collect::<Vec<_>>()
        };
        assert_eq!(paths("time.cfl"), ["time.cfl"]);
        assert_eq!(paths("cfl"), ["time.cfl", "steady.implicit.cfl", "steady.cfl"]);
        assert_eq!(paths("mesh.box.cells[0]"), ["mesh.box.cells"]);
        assert_eq!(paths("mesh.box.cells.0"), ["mesh.box.cells"]);
        assert_eq!(paths("output.slices.mid.normal"), ["output.slices.*.normal"]);
        assert!(
            paths("boundaries.wall.temperature")
                .iter()
                .all(|path| path == "boundaries.*.temperature")
        );
        let title = find(&all, "title").expect("two files have a title");
        assert_eq!(title.len(), 2);
    }

    #[test]
    fn words_are_found_with_the_keys_of_their_type() {
        let all = all();
        let found = of_word(&all, "interface");
        let paths: Vec<&str> = found.iter().map(|(_, key)| key.path.as_str()).collect();
        let [first, ..] = &found[..] else {
            panic!("nothing found")
        };
        assert_eq!(first.1.words.len(), 1);
        assert_eq!(
            paths,
            [
                "boundaries.*",
                "boundaries.*.with",
                "boundaries.*.along",
                "boundaries.*.speed",
                "boundaries.*.axis",
                "boundaries.*.origin",
                "boundaries.*.angular-speed"
            ]
        );
        assert_eq!(of_word(&all, "kennedy-gruber")[0].1.path, "scheme.split");
        assert!(of_word(&all, "interfaces").is_empty());
    }

    #[test]
    fn misspelt_keys_have_near_ones() {
        let all = all();
        let hint = |wanted: &str| find(&all, wanted).expect_err(wanted).to_string();
        assert!(hint("time.clf").contains("`time.cfl`"), "{}", hint("time.clf"));
        assert!(hint("every").contains("name more of the path"), "{}", hint("every"));
    }
}
