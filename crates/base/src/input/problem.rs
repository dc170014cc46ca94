//! A problem of the input: its description, its key, and its position in the file.
//!
//! A [`Problem`] is created where a value is read or resolved, and collects the key path and the position on its way
//! out. The case adds the source text and so makes an error that shows the line.

use std::ops::Range;

/// A position in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A part of a line.
    At {
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
        /// Length in characters.
        length: u32,
    },
    /// The `--set` with this index.
    Set(usize),
}

/// The subject of a problem. It decides the wording, and which help is added once the whole key is known.
#[derive(Debug)]
pub enum Kind {
    /// A key that does not exist; the last part of the key path.
    UnknownKey,
    /// Anything else, described in `what`.
    Other,
}

/// A problem of the case, without the source text.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Problem {
    /// The subject.
    pub kind: Kind,
    /// What is wrong.
    pub what: String,
    /// Key path, as `time.cfl` or `mesh.box.cells[1]`; empty for the whole case.
    pub key: String,
    /// Where it is, once that is known.
    pub place: Option<Place>,
    /// The part of the value that is wrong, and the length of the whole, in characters.
    pub part: Option<Box<(Range<u32>, u32)>>,
    /// What would be right, each in a line of its own.
    pub help: Vec<String>,
}

impl Problem {
    /// A problem in words, without a key or a place.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            kind: Kind::Other,
            what: what.into(),
            key: String::new(),
            place: None,
            part: None,
            help: Vec::new(),
        }
    }

    /// Adds a line of help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Sets the path of the key.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Sets the position unless a more precise one is known.
    pub fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// Sets the position to that of the value, or to the wrong part of it if the file has the value in one piece.
    pub fn within(self, value: Place) -> Self {
        let place = match (value, self.part.as_deref()) {
            (Place::At { line, column, length }, Some((part, whole))) if length == *whole || length == whole + 2 => {
                let quote = (length - whole) / 2;
                Place::At {
                    line,
                    column: column + quote + part.start,
                    length: (part.end - part.start).max(1),
                }
            }
            _ => value,
        };
        self.at(place)
    }

    /// Adds one more part in front of the key path.
    pub fn under(mut self, part: &str) -> Self {
        self.key = join(part, &self.key);
        self
    }

    /// Adds the nearest name and all known names as help.
    pub fn suggest(self, name: &str, known: &[&str], kind: &str) -> Self {
        if known.is_empty() {
            return self;
        }
        let list = format!("{kind} known here: {}", listed(known.iter().copied()));
        match nearest(name, known.iter().copied()) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
        .help(list)
    }
}

/// Returns `a.b`, `a[0]`, or just `a`.
fn join(parent: &str, child: &str) -> String {
    let dot = if parent.is_empty() || child.is_empty() || child.starts_with('[') {
        ""
    } else {
        "."
    };
    format!("{parent}{dot}{child}")
}

/// Words of other programs, and what they are called here.
const ELSEWHERE: [(&str, &str); 9] = [
    ("gpu", "cuda"),
    ("forces", "boundaries"),
    ("mu", "viscosity"),
    ("nu", "viscosity"),
    ("wall", "no-slip-adiabatic"),
    ("no-slip", "no-slip-adiabatic"),
    ("inlet", "velocity-inlet"),
    ("outlet", "pressure-outlet"),
    ("lax-friedrichs", "rusanov"),
];

/// Words that switch something on or off, where a key names what is done or is `none`.
const ON: [&str; 3] = ["on", "yes", "true"];
const OFF: [&str; 3] = ["off", "no", "false"];
const NONE: &str = "none";

/// Returns the name that is meant by `name`: what a word of other programs is called here, what is switched on or off
/// by it, or the nearest one, if it is close enough.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let known: Vec<&str> = known.into_iter().collect();
    let here = |(word, here): &(&str, &str)| known.iter().copied().find(|known| *word == lower && known == here);
    if let Some(here) = ELSEWHERE.iter().find_map(here) {
        return Some(here);
    }
    if known.contains(&NONE) {
        let mut others = known.iter().copied().filter(|known| *known != NONE);
        match lower.as_str() {
            word if OFF.contains(&word) => return Some(NONE),
            // Of several ways to do something none is nearer.
            word if ON.contains(&word) => return others.next().filter(|_| known.len() == 2),
            _ => {}
        }
    }
    known
        .into_iter()
        .map(|k| (k, strsim::normalized_damerau_levenshtein(&lower, &k.to_lowercase())))
        .filter(|(_, likeness)| *likeness >= 0.34)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(k, _)| k)
}

/// Returns the names separated by commas, shortened if they would fill the screen.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 24;
    let names: Vec<&str> = names.into_iter().collect();
    let more = if names.len() > MOST {
        format!(", ... ({} more)", names.len() - MOST)
    } else {
        String::new()
    };
    names[..names.len().min(MOST)].join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_but_nothing_far() {
        assert_eq!(nearest("clf", ["end", "cfl", "dt"]), Some("cfl"));
        assert_eq!(nearest("Order", ["order", "title"]), Some("order"));
        assert_eq!(nearest("zzzzzz", ["end", "cfl", "dt"]), None);
        // A word of other programs, where what it means is known, and a name that is near where it is not.
        assert_eq!(nearest("GPU", ["auto", "cpu", "cuda"]), Some("cuda"));
        assert_eq!(nearest("gpu", ["auto", "cpu"]), Some("cpu"));
    }

    #[test]
    fn what_is_switched_on_is_what_a_key_can_do() {
        assert_eq!(nearest("on", ["none", "cells"]), Some("cells"));
        assert_eq!(nearest("On", ["none", "positivity", "entropy-filter"]), None);
        assert_eq!(nearest("off", ["none", "positivity", "entropy-filter"]), Some("none"));
        assert_eq!(nearest("on", ["one", "two"]), Some("one"));
    }
}
