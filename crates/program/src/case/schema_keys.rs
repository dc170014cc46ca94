//! The keys in a JSON schema: what the pages of keys and `fr-les explain` say of each.

use serde_json::Value;

/// Follows a reference, and returns what is not null of an optional value.
pub fn target<'a>(root: &'a Value, value: &'a Value) -> &'a Value {
    if let Some(name) = value["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) {
        return target(root, &root["$defs"][name]);
    }
    match value["anyOf"].as_array() {
        Some(options) => target(root, options.iter().find(|o| o["type"] != "null").expect("an option")),
        None => value,
    }
}

/// Returns the words that a value may be, with their descriptions.
pub fn words(value: &Value) -> Vec<(&str, Option<&str>)> {
    let of_enum = value["enum"].as_array().into_iter().flatten();
    let of_one = value["oneOf"].as_array().into_iter().flatten();
    let plain = of_enum.filter_map(|word| Some((word.as_str()?, None)));
    plain
        .chain(of_one.filter_map(|word| Some((word["const"].as_str()?, word["description"].as_str()))))
        .collect()
}

/// Returns the mappings of which a value is one, by their key `type`.
pub fn types(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let all = value["oneOf"].as_array().into_iter().flatten();
    all.filter_map(|of| Some((of["properties"]["type"]["const"].as_str()?, of)))
}

/// Returns what a value is, in words.
pub fn kind(root: &Value, value: &Value) -> String {
    let defs = root["$defs"].as_object().expect("definitions");
    let value = target(root, value);
    let named = defs.iter().find(|(_, v)| *v == value).map(|(name, _)| name.as_str());
    match named {
        Some("Number") => return "number".into(),
        Some("Count") => return "count".into(),
        Some("FieldText") => return "field".into(),
        _ => (),
    }
    let words: Vec<&str> = words(value).into_iter().map(|(word, _)| word).collect();
    if !words.is_empty() {
        return words.join(", ");
    }
    let json = match &value["type"] {
        Value::Array(all) => all.iter().find(|one| *one != "null").expect("a type"),
        one => one,
    };
    match json.as_str() {
        Some("array") => {
            let length = value["minItems"]
                .as_u64()
                .map_or("list".into(), |n| format!("list of {n}"));
            format!("{length}: {}", kind(root, &value["items"]))
        }
        Some("object") => "mapping".into(),
        Some("string") => "text".into(),
        Some(other) => other.into(),
        None => panic!("no type: {value}"),
    }
}

/// Returns whether a value is a mapping with keys of its own.
pub fn is_mapping(value: &Value) -> bool {
    value["properties"].is_object() || types(value).next().is_some()
}

/// Returns what stands behind the name of a key: what its value is, whether it is required, and its default.
pub fn head(root: &Value, object: &Value, key: &str) -> String {
    let value = &object["properties"][key];
    let required = object["required"].as_array().into_iter().flatten();
    let default = match &value["default"] {
        _ if required.into_iter().any(|name| name == key) => ", required".into(),
        Value::Null | Value::Object(_) => String::new(),
        Value::String(text) if text.is_empty() => String::new(),
        other => format!(", default `{}`", other.to_string().trim_matches('"')),
    };
    format!("{}{default}", kind(root, value))
}

/// A key with its documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Its path: `*` stands for a name, and `[]` for each entry of a list.
    pub path: String,
    /// Its anchor on the page of keys.
    pub anchor: String,
    /// The type of the mapping that it belongs to, if that has types.
    pub of_type: Option<String>,
    /// What its value is, and its default.
    pub head: String,
    /// What it means.
    pub meaning: String,
    /// Words that it may be, with their meanings.
    pub words: Vec<(String, Option<String>)>,
    /// Names of the keys in it, and the types that it may have with their meanings.
    pub keys: Vec<String>,
}

/// The place of a mapping in a schema.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// Path of the keys that lead to it: `*` stands for a name, and `[]` for each entry of a list.
    pub path: String,
    /// The same keys as an anchor of the page of keys: without `*` and `[]`, and with the types of mappings, so that no
    /// two keys have the same.
    pub anchor: String,
}

impl Place {
    /// Returns the place of a key in this mapping.
    pub fn key(&self, key: &str) -> Place {
        Place {
            path: dotted(&self.path, key),
            anchor: dotted(&self.anchor, key),
        }
    }

    /// Returns the place where the mapping has a type.
    pub fn of_type(&self, name: &str) -> Place {
        Place {
            path: self.path.clone(),
            anchor: dotted(&self.anchor, name),
        }
    }

    /// Returns the place of what belongs to any name.
    pub fn any_name(&self) -> Place {
        Place {
            path: dotted(&self.path, "*"),
            anchor: self.anchor.clone(),
        }
    }

    /// Returns the place of an entry of a list.
    pub fn entry(&self) -> Place {
        Place {
            path: format!("{}[]", self.path),
            anchor: self.anchor.clone(),
        }
    }
}

fn dotted(path: &str, name: &str) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    format!("{path}{dot}{name}")
}

/// Returns all keys of a schema.
pub fn all(root: &Value) -> Vec<Key> {
    let mut found = Vec::new();
    collect(root, root, &Place::default(), None, &mut found);
    found
}

fn collect(root: &Value, object: &Value, place: &Place, of_type: Option<&str>, found: &mut Vec<Key>) {
    let object = target(root, object);
    for (name, of) in types(object) {
        collect(root, of, &place.of_type(name), Some(name), found);
    }
    for (key, value) in object["properties"].as_object().into_iter().flatten() {
        if value["const"].is_string() {
            continue;
        }
        let place = place.key(key);
        let inner = target(root, value);
        let owned = |(word, meaning): (&str, Option<&str>)| (word.to_owned(), meaning.map(str::to_owned));
        let of_types = types(inner).map(|(name, of)| (name, of["description"].as_str()));
        found.push(Key {
            path: place.path.clone(),
            anchor: place.anchor.clone(),
            of_type: of_type.map(str::to_owned),
            head: head(root, object, key),
            meaning: value["description"].as_str().unwrap_or_default().to_owned(),
            words: words(inner).into_iter().chain(of_types).map(owned).collect(),
            keys: names(inner),
        });
        collect(root, value, &place, None, found);
        let items = target(root, &value["items"]);
        if value["type"] == "array" && is_mapping(items) {
            collect(root, items, &place.entry(), None, found);
        }
    }
    let named = target(root, &object["additionalProperties"]);
    if is_mapping(named) {
        let place = place.any_name();
        let of_types = types(named).map(|(name, of)| (name.to_owned(), of["description"].as_str().map(str::to_owned)));
        found.push(Key {
            path: place.path.clone(),
            anchor: place.anchor.clone(),
            of_type: None,
            head: "mapping".to_owned(),
            meaning: named["description"].as_str().unwrap_or_default().to_owned(),
            words: of_types.collect(),
            keys: names(named),
        });
        collect(root, named, &place, None, found);
    }
}

/// Returns the names of the keys in a mapping.
fn names(object: &Value) -> Vec<String> {
    object["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect()
}
