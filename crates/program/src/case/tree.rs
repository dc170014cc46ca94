//! The case file as a tree of values that remember where they stand, and the overrides of the command line on it.
//!
//! Both sources must give errors that point at the right place, so the YAML library reads into this tree first and the
//! typed keys are read from it afterwards.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{Location, MessageFormatter, Spanned, UserMessageFormatter};

use super::key_path;
use crate::input::{Place, Problem};

/// A value and its place.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub value: Value,
    pub place: Place,
}

/// A YAML value. Whole numbers are `f64` too: none that a case needs is beyond 2^53.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key of a mapping.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Default for Node {
    /// An empty file.
    fn default() -> Self {
        Node {
            value: Value::Null,
            place: Place::Whole,
        }
    }
}

impl Node {
    /// Reads the case file.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let options = serde_saphyr::options! {
            // A case is small: these stop nests and alias bombs long before they cost memory.
            budget: serde_saphyr::budget! { max_depth: 64, max_nodes: 100_000 },
            alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 10_000 },
            strict_booleans: true,
            reject_unsupported_tags: true,
            non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
            with_snippet: false,
        };
        serde_saphyr::from_str_with_options(text, options).map_err(|e| {
            let place = e.location().map_or(Place::Whole, place);
            let message = Problem::new(UserMessageFormatter.format_message(&e)).at(place);
            match e {
                serde_saphyr::Error::ExternalMessage { .. } => message
                    .help("this is not YAML: is a bracket or quote of an earlier line not closed?")
                    .help("text with `: `, ` #` or a first character like * & [ { ! needs quotes"),
                serde_saphyr::Error::MultipleDocuments { .. } => Problem {
                    what: "there is more than one YAML document: is there a line `---`?".into(),
                    ..message
                },
                _ => message,
            }
        })
    }

    /// Applies the `--set KEY=VALUE` number `index`; the value is YAML, and null removes the key. In a key, entries of
    /// lists have numbers from 0 on.
    pub fn set(&mut self, index: usize, assignment: &str) -> Result<(), Problem> {
        let here = Place::Set(index);
        let shape = || Problem::new("`--set` needs KEY=VALUE, as in `--set time.end=1.0`").at(here);
        let (path, value) = key_path::assigned(assignment).ok_or_else(shape)?;
        let parts = key_path::parts(path).ok_or_else(shape)?;
        let mut value = match value.trim() {
            // An unset variable of a script, most likely.
            "" => {
                let text = format!("`--set {path}=` has no value; `--set {path}=null` removes a key");
                return Err(Problem::new(text).at(here));
            }
            _ => Node::parse(value).map_err(|e| Problem { place: Some(here), ..e }.key(path))?,
        };
        value.place_at(here);
        let mut node = self;
        for (depth, part) in parts.iter().enumerate() {
            if matches!(node.value, Value::Null) {
                node.value = Value::Map(Vec::new());
            }
            let found_instead = node.value.describe();
            let refused = |what| Err(Problem::new(what).key(path).at(here));
            node = match &mut node.value {
                Value::List(items) => match entry_of(items, part) {
                    Ok(item) => item,
                    Err(what) => return refused(what),
                },
                Value::Map(entries) => {
                    let found = entries.iter().position(|e| e.key == *part);
                    let dotted = |e: &&Entry| e.key.contains('.') && key_path::begins(&parts[depth..], &e.key);
                    if let Some(entry) = entries.iter().find(dotted).filter(|_| found.is_none()) {
                        let above = parts[..depth].iter().map(|part| format!("{part}."));
                        let quoted = above.collect::<String>() + &key_path::quoted(&entry.key);
                        let what = format!("`{part}` is not there, and `{}` is", entry.key);
                        let help = format!("a name with a dot stands in quotes: `{quoted}`");
                        return Err(Problem::new(what).key(path).at(here).help(help));
                    }
                    if depth + 1 == parts.len() && matches!(value.value, Value::Null) {
                        found.map(|i| entries.remove(i));
                        return Ok(());
                    }
                    let at = found.unwrap_or_else(|| {
                        let node = Node {
                            value: Value::Null,
                            place: here,
                        };
                        entries.push(Entry {
                            key: part.to_string(),
                            key_place: here,
                            node,
                        });
                        entries.len() - 1
                    });
                    &mut entries[at].node
                }
                _ => {
                    let what = format!("`{part}` cannot be set: what it would be in is {found_instead}");
                    return refused(what);
                }
            };
        }
        if matches!(value.value, Value::Null) {
            let what = "an entry of a list is not removed: set the whole list";
            return Err(Problem::new(what).key(path).at(here));
        }
        *node = value;
        Ok(())
    }

    fn place_at(&mut self, place: Place) {
        self.place = place;
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|n| n.place_at(place)),
            Value::Map(entries) => entries.iter_mut().for_each(|e| {
                e.key_place = place;
                e.node.place_at(place);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => (),
        }
    }

    /// The place of a key path such as `mesh.box.cells[1]`, or of the nearest part of it that exists.
    pub fn place_of(&self, path: &str) -> Place {
        let (_, node) = self.nearest(path);
        node.place
    }

    /// The last part of a key path, and what is there.
    pub fn node_at<'a>(&'a self, path: &'a str) -> Option<(&'a str, &'a Node)> {
        let (rest, node) = self.nearest(path);
        let last = path.rsplit(['.', '[']).next()?;
        rest.is_none().then_some((last, node))
    }

    /// The words of all texts in it that could be names of constants, added to `found`.
    pub fn words<'a>(&'a self, found: &mut Vec<&'a str>) {
        match &self.value {
            Value::Text(text) => found.extend(text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')),
            Value::List(items) => items.iter().for_each(|item| item.words(found)),
            Value::Map(entries) => entries.iter().for_each(|entry| entry.node.words(found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => (),
        }
    }

    /// The nearest part of a key path that exists, and the first part that does not. A name may have dots.
    fn nearest<'a>(&'a self, path: &'a str) -> (Option<&'a str>, &'a Node) {
        let mut node = self;
        let mut left = Some(path);
        while let Some(rest) = left {
            let (part, behind) = key_path::first(rest);
            let next = match &node.value {
                Value::Map(entries) => entries.iter().find_map(|e| {
                    let behind = rest.strip_prefix(e.key.as_str())?;
                    let ends = behind.is_empty() || behind.starts_with(['.', '[']);
                    ends.then(|| (behind.get(1..), &e.node))
                }),
                Value::List(items) => part
                    .trim_end_matches(']')
                    .parse()
                    .ok()
                    .and_then(|i: usize| items.get(i))
                    .map(|item| (behind, item)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => None,
            };
            match next {
                Some((behind, next)) => (left, node) = (behind, next),
                None => return (Some(part), node),
            }
        }
        (None, node)
    }
}

impl Value {
    /// What it is, for a message.
    pub fn describe(&self) -> String {
        match self {
            Value::Null => "an empty value".into(),
            Value::Bool(b) => format!("`{b}`"),
            Value::Number(v) => format!("the number {v}"),
            Value::Text(s) => format!("the text `{s}`"),
            Value::List(_) => "a list".into(),
            Value::Map(_) => "a mapping".into(),
        }
    }
}

/// Returns the entry of a list that a part of a key names.
fn entry_of<'a>(items: &'a mut [Node], part: &str) -> Result<&'a mut Node, String> {
    let count = items.len();
    let number: Option<usize> = part.parse().ok();
    match number.and_then(|number| items.get_mut(number)) {
        Some(item) => Ok(item),
        None if count == 0 => Err(format!("`{part}` cannot be set: the list has no entries")),
        None => Err(format!(
            "`{part}` cannot be set: what it would be in is a list, whose entries are 0 to {}",
            count - 1
        )),
    }
}

fn place(location: Location) -> Place {
    let number = |v: u64| u32::try_from(v).unwrap_or(u32::MAX);
    match location.line() {
        0 => Place::Whole,
        line => Place::At {
            line: number(line),
            column: number(location.column()).max(1),
            length: number(location.span().len()).max(1),
        },
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        Ok(Node {
            value: spanned.value,
            place: place(spanned.defined),
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a YAML value")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
                Ok(Value::Bool(v))
            }
            fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
                Ok(Value::Number(v as f64))
            }
            fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
                Ok(Value::Number(v as f64))
            }
            fn visit_f64<E>(self, v: f64) -> Result<Value, E> {
                Ok(Value::Number(v))
            }
            fn visit_str<E>(self, v: &str) -> Result<Value, E> {
                Ok(Value::Text(v.to_string()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Value::List(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, mut node)) = map.next_entry::<Spanned<String>, Node>()? {
                    let key_place = place(key.defined);
                    // A group is best pointed at by its name: in block style its own first line is the next one.
                    if matches!(node.value, Value::List(_) | Value::Map(_)) {
                        node.place = key_place;
                    }
                    entries.push(Entry {
                        key: key.value,
                        key_place,
                        node,
                    });
                }
                Ok(Value::Map(entries))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
