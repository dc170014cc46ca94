//! The modules of all crates as those of one tree, as `fr_les` hands them on, and their imports, read from the text:
//! `use` declarations and paths that begin with `crate`, `super` or `self`. Tests inside the source are excluded, since
//! they may import anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{files, text};

/// A module by its names from the root of the crate.
pub type Name = Vec<String>;

/// A file of the source.
#[derive(Debug, Default)]
pub struct Module {
    pub file: String,
    /// Imported paths and the names that they get.
    uses: Vec<(Name, String)>,
    /// Re-exports (`pub use`), as indices into `uses`.
    handed_on: BTreeSet<usize>,
    /// Paths in the code.
    paths: Vec<Name>,
}

/// All modules of the library, by name; the root has the empty name.
pub struct Source {
    pub modules: BTreeMap<Name, Module>,
}

/// Returns code without comments, strings and items for tests.
fn stripped(text: &str) -> String {
    let mut out = String::new();
    let bytes: Vec<char> = text.chars().collect();
    let mut i = 0;
    while i < bytes.len() {
        let next = |k: usize| bytes.get(i + k).copied().unwrap_or(' ');
        match bytes[i] {
            '/' if next(1) == '/' => {
                while i < bytes.len() && bytes[i] != '\n' {
                    i += 1;
                }
            }
            '/' if next(1) == '*' => {
                while i < bytes.len() && !(bytes[i] == '*' && bytes.get(i + 1) == Some(&'/')) {
                    i += 1;
                }
                i += 2;
            }
            'r' if next(1) == '"' || (next(1) == '#' && (next(2) == '"' || next(2) == '#')) => {
                let hashes = bytes[i + 1..].iter().take_while(|c| **c == '#').count();
                let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
                i += 2 + hashes;
                while i < bytes.len() && !bytes[i..].starts_with(&close) {
                    i += 1;
                }
                i += close.len();
            }
            '"' => {
                i += 1;
                while i < bytes.len() && bytes[i] != '"' {
                    i += if bytes[i] == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            // This is a character, not a lifetime.
            '\'' if next(2) == '\'' || next(1) == '\\' => {
                i += 1;
                while i < bytes.len() && bytes[i] != '\'' {
                    i += if bytes[i] == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            c => {
                out.push(c);
                i += 1;
            }
        }
    }
    // Items for tests reach from the attribute to the end of the item.
    while let Some(at) = out.find("#[cfg(test)]") {
        let rest = &out[at..];
        let (brace, semicolon) = (rest.find('{'), rest.find(';'));
        let length = match (brace, semicolon) {
            (Some(b), s) if s.is_none_or(|s| b < s) => {
                let mut depth = 0;
                let end = rest[b..].char_indices().find(|(_, c)| {
                    depth += match c {
                        '{' => 1,
                        '}' => -1,
                        _ => 0,
                    };
                    depth == 0
                });
                b + end.expect("braces close").0 + 1
            }
            (_, Some(s)) => s + 1,
            _ => rest.len(),
        };
        out.replace_range(at..at + length, "");
    }
    out
}

/// Splits the tree of a `use` declaration into paths with the names that they get.
fn expand(prefix: &[String], tree: &str, all: &mut Vec<(Name, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let mut path = prefix.to_vec();
        path.extend(
            tree[..open]
                .split("::")
                .map(str::trim)
                .filter(|s| !s.is_empty())
                .map(str::to_owned),
        );
        let (mut depth, mut part) = (0, String::new());
        for c in tree[open + 1..tree.rfind('}').expect("braces close")].chars() {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            if c == ',' && depth == 0 {
                expand(&path, &std::mem::take(&mut part), all);
            } else {
                part.push(c);
            }
        }
        if !part.trim().is_empty() {
            expand(&path, &part, all);
        }
        return;
    }
    let (path, name) = match tree.split_once(" as ") {
        Some((path, name)) => (path, Some(name.trim().to_owned())),
        None => (tree, None),
    };
    let mut full = prefix.to_vec();
    full.extend(path.split("::").map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()));
    if full.last().is_some_and(|last| last == "self") && full.len() > 1 {
        full.pop();
    }
    if let Some(last) = full.last().cloned() {
        all.push((full, name.unwrap_or(last)));
    }
}

/// Whether a character can be part of a name.
fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn parse(file: String, code: &str) -> Module {
    let mut module = Module {
        file,
        ..Module::default()
    };
    let mut rest = String::new();
    for item in code.split_inclusive(';') {
        let words: Vec<&str> = item.split_whitespace().collect();
        let Some(at) = words.iter().position(|w| *w == "use") else {
            rest.push_str(item);
            continue;
        };
        // The text before the word belongs to the item before, or is the visibility.
        let before = item.find("use ").or_else(|| item.find("use\n")).expect("the word");
        rest.push_str(&item[..before]);
        let public = at > 0 && words[at - 1].starts_with("pub") || at > 1 && words[at - 2].starts_with("pub(");
        let first = module.uses.len();
        expand(&[], item[before + 3..].trim_end_matches(';'), &mut module.uses);
        if public {
            module.handed_on.extend(first..module.uses.len());
        }
    }
    let children = rest.split(';').filter_map(|item| item.trim().rsplit_once("mod "));
    let children: Vec<String> = children.map(|(_, name)| format!("{name}::")).collect();
    let starts = ["crate::", "super::", "self::"].into_iter();
    for start in starts.chain(children.iter().map(String::as_str)) {
        for (at, _) in rest.match_indices(start) {
            if rest[..at]
                .chars()
                .next_back()
                .is_some_and(|c| in_name(c) || c == ':' || c == '$')
            {
                continue;
            }
            let end = rest[at..]
                .find(|c: char| !in_name(c) && c != ':')
                .map_or(rest.len(), |e| at + e);
            let path = rest[at..end].split("::").filter(|s| !s.is_empty()).map(str::to_owned);
            module.paths.push(path.collect());
        }
    }
    module
}

/// The name of a file below a folder `src`, by its path.
fn name_of(path: &Path) -> Option<Name> {
    let parts = path.with_extension("");
    let parts: Name = parts.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let below = parts.iter().position(|part| part == "src")?;
    Some(parts[below + 1..].to_vec())
}

impl Source {
    /// Reads src/ and crates/*/src/.
    pub fn read() -> Self {
        let all = files(&["src", "crates"], &[".rs"]);
        let mut for_tests = BTreeSet::new();
        let mut texts = Vec::new();
        for path in &all {
            // crates/NAME/build holds build scripts.
            let Some(mut name) = name_of(path) else {
                continue;
            };
            if name.last().is_some_and(|last| last == "mod") || name == ["lib"] {
                name.pop();
            }
            let raw = text(path);
            // These files are modules of tests alone.
            for (at, _) in raw.match_indices("#[cfg(test)]") {
                let item = raw[at + 12..].trim_start();
                if let Some(attribute) = item.strip_prefix("#[path = \"") {
                    let file = attribute.split('"').next().expect("a name");
                    for_tests.extend(name_of(&path.with_file_name(file)));
                } else if let Some(module) = item.strip_prefix("mod ").and_then(|rest| rest.split_once(';')) {
                    let mut child = name.clone();
                    child.push(module.0.trim().to_owned());
                    for_tests.insert(child);
                }
            }
            texts.push((name, path.display().to_string(), raw));
        }
        let modules = texts
            .into_iter()
            .filter(|(name, ..)| !(1..=name.len()).any(|n| for_tests.contains(&name[..n])))
            .map(|(name, file, raw)| (name, parse(file, &stripped(&raw))))
            .collect();
        Source { modules }
    }

    /// The absolute path that `path` means in a module, if it is one of this crate.
    fn absolute(&self, module: &Name, path: &Name) -> Option<Name> {
        let mut base = match path[0].as_str() {
            "crate" => Vec::new(),
            "self" | "super" => module.clone(),
            first => {
                // A child module, or another crate.
                let mut child = module.clone();
                child.push(first.to_owned());
                return self
                    .modules
                    .contains_key(&child)
                    .then(|| [module.clone(), path.clone()].concat());
            }
        };
        let mut rest = &path[..];
        while let Some(first) = rest.first() {
            match first.as_str() {
                "super" => drop(base.pop()),
                "crate" | "self" => {}
                _ => break,
            }
            rest = &rest[1..];
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// Returns the module that defines what a path names, following re-exports.
    fn definition(&self, module: &Name, path: &Name, depth: usize) -> Option<Name> {
        let absolute = self.absolute(module, path)?;
        let inside = (0..=absolute.len())
            .rev()
            .find(|&n| self.modules.contains_key(&absolute[..n]))?;
        let (found, rest) = absolute.split_at(inside);
        let found = found.to_vec();
        let Some(name) = rest.first() else {
            return Some(found);
        };
        if depth < 8 {
            let here = &self.modules[&found];
            if let Some((path, _)) = here.uses.iter().find(|(_, given)| given == name) {
                return self.definition(&found, path, depth + 1);
            }
        }
        Some(found)
    }

    /// Returns the modules from which a module imports something, by the place of its definition. Re-exports do not
    /// count.
    pub fn imports(&self, module: &Name) -> BTreeSet<Name> {
        let here = &self.modules[module];
        let used = here
            .uses
            .iter()
            .enumerate()
            .filter(|(i, _)| !here.handed_on.contains(i));
        let paths = used.map(|(_, (path, _))| path).chain(&here.paths);
        let mut all: BTreeSet<Name> = paths.filter_map(|path| self.definition(module, path, 0)).collect();
        all.remove(module);
        all
    }

    /// Returns the modules below a module from which it hands something on, by the place of its definition.
    pub fn handed_on(&self, module: &Name) -> BTreeSet<Name> {
        let here = &self.modules[module];
        let paths = here.handed_on.iter().map(|&i| &here.uses[i].0);
        let defined = paths.filter_map(|path| self.definition(module, path, 0));
        defined
            .filter(|other| other != module && other.starts_with(module))
            .collect()
    }

    /// Returns the rooms that a module names, re-exports included.
    pub fn rooms(&self, module: &Name) -> BTreeSet<String> {
        let here = &self.modules[module];
        let paths = here.uses.iter().map(|(path, _)| path).chain(&here.paths);
        paths
            .filter_map(|path| self.absolute(module, path))
            .filter_map(|path| path.first().cloned())
            .filter(|room| self.modules.contains_key(&vec![room.clone()]))
            .collect()
    }
}

#[test]
fn imports_are_read_from_the_text() {
    let code = "pub use a::B; use crate::{x::{self, Y as Z}, w}; \
                fn f() { \"crate::no\"; crate::q::R::new() } // crate::no\n\
                #[cfg(test)] mod tests { use crate::no; }";
    let module = parse(String::new(), &stripped(code));
    let uses: Vec<String> = module
        .uses
        .iter()
        .map(|(path, name)| format!("{} {name}", path.join("::")))
        .collect();
    assert_eq!(uses, ["a::B B", "crate::x x", "crate::x::Y Z", "crate::w w"]);
    assert_eq!(module.handed_on.into_iter().collect::<Vec<_>>(), [0]);
    assert_eq!(module.paths, [["crate", "q", "R", "new"].map(str::to_owned)]);
}
