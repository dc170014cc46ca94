//! From the text of run.yaml to a [`Case`]: syntax and types by serde, then everything that types cannot say.

use std::path::Path;

use serde_json::Value;

use super::Case;
use super::error::{Error, Place, nearest};
use super::keys::Keys;
use super::locate::Locations;
use super::resolve::{Wrong, resolve};

/// Keys that are planned and not there yet; naming them says so rather than calling them unknown.
const NOT_YET: [&str; 10] = [
    "file",
    "restart",
    "checkpoint",
    "statistics",
    "probes",
    "mass-flow",
    "sub-grid",
    "prism",
    "tet",
    "pyramid",
];

/// Largest case file.
const MAX_BYTES: usize = 1 << 20;

impl Case {
    /// Reads a case file; `overrides` are `key=value` in the order in which they apply.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Case, Error> {
        let whole = |message: String| Error {
            message,
            path: path.to_owned(),
            key: String::new(),
            place: Place::File,
            help: None,
        };
        let bytes = std::fs::read(path).map_err(|e| whole(format!("cannot read the case file: {e}")))?;
        if bytes.len() > MAX_BYTES {
            return Err(whole(format!(
                "this is no case file: it has {} bytes, more than {MAX_BYTES}",
                bytes.len()
            )));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            whole(format!(
                "the case file is not text: byte {} is not UTF-8",
                e.utf8_error().valid_up_to()
            ))
        })?;
        Case::parse(&text, path, overrides)
    }

    /// As [`Case::read`], from a text.
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Case, Error> {
        let reader = Reader {
            text,
            path,
            overrides,
            locations: Locations::of(text),
        };
        let keys = if overrides.is_empty() {
            reader.from_file()?
        } else {
            reader.with_overrides()?
        };
        let provenance: String = overrides.iter().map(|o| format!("# --set {o}\n")).collect();
        let separator = if text.ends_with('\n') || overrides.is_empty() {
            ""
        } else {
            "\n"
        };
        resolve(keys, path, format!("{text}{separator}{provenance}")).map_err(|wrong| reader.locate(wrong))
    }
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    overrides: &'a [String],
    locations: Locations,
}

impl Reader<'_> {
    fn from_file<T: serde::de::DeserializeOwned>(&self) -> Result<T, Error> {
        if self.text.trim().is_empty() {
            return Err(self.error("the case file is empty".to_owned(), "", Place::File, None));
        }
        from_yaml(self.text).map_err(|e| {
            let place = e.location().map(|l| (l.line() as usize, l.column() as usize));
            let key = place.and_then(|p| self.locations.path_at(p)).unwrap_or_default();
            let mut message = e.without_snippet().to_string();
            if let Some(at) = message.rfind(" at line ") {
                message.truncate(at);
            }
            let (message, help) = explain(&message);
            // A tagged value is reported where its mapping begins: point at the wrong key itself.
            let place = unknown_name(&message)
                .and_then(|name| {
                    self.locations
                        .value(&format!("{key}.{name}"))
                        .filter(|_| !key.ends_with(name))
                })
                .or(place);
            let place = place.map_or(Place::File, |p| self.line(p));
            self.error(message, &key, place, help)
        })
    }

    fn with_overrides(&self) -> Result<Keys, Error> {
        let mut tree: Value = self.from_file()?;
        for text in self.overrides {
            let wrong =
                |message: String, key: &str, help| self.error(message, key, Place::Override(text.clone()), help);
            let Some((key, value)) = text.split_once('=') else {
                return Err(wrong(
                    "an override has the form key=value".to_owned(),
                    "",
                    Some("for example --set time.end=1.0".to_owned()),
                ));
            };
            let key = key.trim();
            let value: Value = from_yaml(value)
                .map_err(|e| wrong(format!("the value is not YAML: {}", e.without_snippet()), key, None))?;
            set(&mut tree, key, value).map_err(|message| wrong(message, key, None))?;
        }
        serde_json::from_value(tree).map_err(|e| {
            // Is the file itself to blame? Then its own error points at the line.
            if let Err(error) = self.from_file::<Keys>() {
                return error;
            }
            let (message, help) = explain(&e.to_string());
            self.error(message, "", Place::Override(self.overrides.join(" --set ")), help)
        })
    }

    /// Puts a place to a wrong value: the override that set it, or its line.
    fn locate(&self, wrong: Wrong) -> Error {
        let set_by = self.overrides.iter().rev().find(|o| {
            o.split_once('=').is_some_and(|(k, _)| {
                let k = k.trim();
                wrong.key == k
                    || wrong
                        .key
                        .strip_prefix(k)
                        .is_some_and(|rest| rest.starts_with(['.', '[']))
            })
        });
        let place = match set_by {
            Some(text) => Place::Override(text.clone()),
            None => self.locations.value(&wrong.key).map_or(Place::File, |p| self.line(p)),
        };
        self.error(wrong.message, &wrong.key, place, wrong.help)
    }

    fn line(&self, (line, column): (usize, usize)) -> Place {
        let text = self
            .text
            .lines()
            .nth(line.saturating_sub(1))
            .unwrap_or_default()
            .to_owned();
        Place::Line {
            line,
            column: column.max(1),
            text,
        }
    }

    fn error(&self, message: String, key: &str, place: Place, help: Option<String>) -> Error {
        Error {
            message,
            path: self.path.to_owned(),
            key: key.to_owned(),
            place,
            help,
        }
    }
}

/// Only true and false are truth values: `y` is a direction and a coordinate.
fn from_yaml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    serde_saphyr::from_str_with_options(text, serde_saphyr::options! { strict_booleans: true })
}

/// Sets the value at a dotted path, making mappings on the way.
fn set(tree: &mut Value, key: &str, value: Value) -> Result<(), String> {
    let mut at = tree;
    let parts: Vec<&str> = key.split('.').collect();
    for (i, part) in parts.iter().enumerate() {
        if part.is_empty() {
            return Err(format!("'{key}' is not a key"));
        }
        if at.is_null() {
            *at = Value::Object(serde_json::Map::new());
        }
        let Value::Object(map) = at else {
            return Err(format!(
                "'{}' is not a mapping, so it has no key '{part}'",
                parts[..i].join(".")
            ));
        };
        at = map.entry(*part).or_insert(Value::Null);
    }
    *at = value;
    Ok(())
}

/// The name between the first pair of back ticks or quotes of an 'unknown ...' message.
fn unknown_name(message: &str) -> Option<&str> {
    message
        .starts_with("unknown")
        .then(|| message.split('\'').nth(1))
        .flatten()
}

/// Words serde's message for people, with the nearest known name.
fn explain(message: &str) -> (String, Option<String>) {
    let message = message.replace('`', "'");
    let (head, known) = match message.split_once(", expected ") {
        Some((head, known)) => (head.to_owned(), known.trim_start_matches("one of ").to_owned()),
        None => return (types_in_words(&message), None),
    };
    let Some(name) = unknown_name(&head) else {
        return (message, None);
    };
    let head = head
        .replace("unknown field", "unknown key")
        .replace("unknown variant", "unknown value");
    if NOT_YET.contains(&name) {
        return (head.clone(), Some(format!("'{name}' is not available in this version")));
    }
    let names: Vec<&str> = known
        .split([',', ' '])
        .map(|k| k.trim_matches('\''))
        .filter(|k| !k.is_empty() && *k != "or")
        .collect();
    let list = names.join(", ");
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean '{near}'? Known here: {list}"),
        None => format!("known here: {list}"),
    };
    (head, Some(help))
}

/// Rust's names of types mean nothing to users.
fn types_in_words(message: &str) -> String {
    message
        .replace("invalid floating point", "this is not a number")
        .replace("missing field", "missing key")
        .replace("invalid u32", "this is not a whole number of 0 or more")
        .replace("invalid u64", "this is not a whole number of 0 or more")
        .replace("invalid usize", "this is not a whole number of 0 or more")
        .replace(
            ", set DuplicateKeyPolicy in Options if acceptable",
            "; each key stands once",
        )
}
