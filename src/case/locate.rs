//! Where each key of a YAML text stands, so that a value that is found wrong later can still be pointed at.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser};

/// Line and column (from 1) of keys and values by their path, as in `time.cfl` or `mesh.box.cells[1]`.
#[derive(Debug, Default)]
pub struct Locations {
    keys: HashMap<String, (usize, usize)>,
    values: HashMap<String, (usize, usize)>,
}

enum Frame {
    Mapping { path: String, key: Option<String> },
    Sequence { path: String, index: usize },
}

impl Locations {
    /// Walks through the text; where it is malformed the walk ends, and what was seen is kept.
    pub fn of(text: &str) -> Self {
        let mut found = Locations::default();
        let mut frames: Vec<Frame> = Vec::new();
        for item in Parser::new_from_str(text) {
            let Ok((event, span)) = item else { break };
            let place = (span.start.line(), span.start.col() + 1);
            match event {
                Event::Scalar(value, ..) => {
                    if let Some(Frame::Mapping { path, key: key @ None }) = frames.last_mut() {
                        let full = join(path, &value);
                        found.keys.insert(full.clone(), place);
                        *key = Some(full);
                    } else {
                        let path = next_path(&mut frames);
                        found.values.insert(path, place);
                    }
                }
                Event::MappingStart(..) => {
                    let path = next_path(&mut frames);
                    found.values.insert(path.clone(), place);
                    frames.push(Frame::Mapping { path, key: None });
                }
                Event::SequenceStart(..) => {
                    let path = next_path(&mut frames);
                    found.values.insert(path.clone(), place);
                    frames.push(Frame::Sequence { path, index: 0 });
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    frames.pop();
                }
                Event::Alias(_) => {
                    next_path(&mut frames);
                }
                _ => {}
            }
        }
        found
    }

    /// Place of the value at `path`, or of the nearest key above it.
    pub fn value(&self, path: &str) -> Option<(usize, usize)> {
        let mut path = path;
        loop {
            if let Some(place) = self.values.get(path).or_else(|| self.keys.get(path)) {
                return Some(*place);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// Path of the key or value at a place, or of the last one that begins before it.
    pub fn path_at(&self, place: (usize, usize)) -> Option<String> {
        let on = |map: &HashMap<String, (usize, usize)>| {
            map.iter()
                .filter(|(_, at)| **at == place)
                .map(|(path, _)| path.clone())
                .max_by_key(String::len)
        };
        on(&self.values).or_else(|| on(&self.keys)).or_else(|| {
            self.keys
                .iter()
                .filter(|(_, at)| **at <= place)
                .max_by_key(|(_, at)| **at)
                .map(|(path, _)| path.clone())
        })
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// Path of the value that comes now.
fn next_path(frames: &mut [Frame]) -> String {
    match frames.last_mut() {
        None => String::new(),
        Some(Frame::Mapping { path, key }) => key.take().unwrap_or_else(|| path.clone()),
        Some(Frame::Sequence { path, index }) => {
            *index += 1;
            format!("{path}[{}]", *index - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_keys_and_list_entries_are_found() {
        let text = "mesh:\n  box:\n    cells: [1, 2, 3]\ntime: {dt: 0.1, end: 2}\n";
        let l = Locations::of(text);
        assert_eq!(l.value("mesh.box.cells[1]"), Some((3, 16)));
        assert_eq!(l.value("time.end"), Some((4, 22)));
        assert_eq!(l.value("time.missing"), Some((4, 7)));
        assert_eq!(l.path_at((4, 17)).as_deref(), Some("time.end"));
    }
}
