//! The JSON schema of `run.yaml`, for editors that complete and check while the user types.

use super::keys::CaseKeys;

/// The JSON schema of the case file, made from the typed keys.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(CaseKeys).to_value()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use serde_json::Value;

    use super::*;

    const HEAD: &str = "\
# Keys of the case file

Made from the same declarations that read the file; `fr-les schema` prints them as a JSON schema. Units are SI or any
consistent set. *number* and *count* (a whole number) may be expressions of `constants` and `pi`; *field* may also use
x, y, z and, except in the initial state, t. Expressions have `+ - * / ^`, parentheses and the functions sin, cos, tan,
asin, acos, atan, atan2, sinh, cosh, tanh, exp, log (ln), log10, sqrt, abs, sign, step (0 below zero, else 1), min, max,
pow; one that contains a comma needs quotes inside `[...]` and `{...}`. `*` in a key stands for a name, `[]` for each
entry of a list.

| key | value | default | meaning |
| --- | --- | --- | --- |
";

    /// Follows a reference, and takes what is not null of an optional value.
    fn target<'a>(root: &'a Value, value: &'a Value) -> &'a Value {
        if let Some(name) = value["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) {
            return target(root, &root["$defs"][name]);
        }
        match value["anyOf"].as_array() {
            Some(options) => target(root, options.iter().find(|o| o["type"] != "null").expect("an option")),
            None => value,
        }
    }

    fn kind(root: &Value, value: &Value) -> String {
        let defs = root["$defs"].as_object().expect("definitions");
        let value = target(root, value);
        let named = defs.iter().find(|(_, v)| *v == value).map(|(name, _)| name.as_str());
        let words = |key: &str, of: fn(&Value) -> &Value| -> Option<Vec<&str>> {
            Some(value[key].as_array()?.iter().filter_map(|v| of(v).as_str()).collect())
        };
        match named {
            Some("Number") => return "number".into(),
            Some("Count") => return "count".into(),
            Some("FieldText") => return "field".into(),
            _ => (),
        }
        if let Some(words) = words("oneOf", |v| &v["const"]).or_else(|| words("enum", |v| v)) {
            return words.join(", ");
        }
        let kind = match &value["type"] {
            Value::Array(kinds) => kinds.iter().find(|k| *k != "null").expect("a type"),
            kind => kind,
        };
        match kind.as_str() {
            Some("array") => {
                let length = value["minItems"]
                    .as_u64()
                    .map_or("list".into(), |n| format!("list of {n}"));
                format!("{length}: {}", kind_of_items(root, value))
            }
            Some("object") => "mapping".into(),
            Some("string") => "text".into(),
            Some(other) => other.into(),
            None => panic!("no type: {value}"),
        }
    }

    fn kind_of_items(root: &Value, value: &Value) -> String {
        kind(root, &value["items"])
    }

    fn rows(root: &Value, object: &Value, path: &str, table: &mut String) {
        let object = target(root, object);
        let required: Vec<&str> = object["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (key, value) in object["properties"].as_object().into_iter().flatten() {
            let key_path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            let default = match &value["default"] {
                _ if required.contains(&key.as_str()) => "required".into(),
                Value::Null | Value::Object(_) => String::new(),
                Value::String(text) if text.is_empty() => String::new(),
                other => format!("`{}`", other.to_string().trim_matches('"')),
            };
            let meaning = value["description"]
                .as_str()
                .expect("every key has a description")
                .replace('\n', " ");
            writeln!(
                table,
                "| `{key_path}` | {} | {default} | {meaning} |",
                kind(root, value)
            )
            .expect("written");
            rows(root, value, &key_path, table);
            let of_list = value["type"] == "array" && target(root, &value["items"])["properties"].is_object();
            if of_list {
                rows(root, &value["items"], &format!("{key_path}[]"), table);
            }
        }
        if object["additionalProperties"].is_object() {
            let named = format!("{path}.*");
            if target(root, &object["additionalProperties"])["properties"].is_object() {
                rows(root, &object["additionalProperties"], &named, table);
            }
        }
    }

    /// Run with the environment variable `UPDATE_DOCS` set to write the table anew.
    #[test]
    fn the_table_of_keys_is_that_of_the_schema() {
        let root = schema();
        let mut table = HEAD.to_string();
        rows(&root, &root, "", &mut table);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/case-keys.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, &table).expect("written");
        }
        assert!(
            std::fs::read_to_string(path).expect("docs/case-keys.md") == table,
            "run with UPDATE_DOCS=1:\n{table}"
        );
    }

    #[test]
    fn the_schema_refuses_unknown_keys_and_lists_the_words() {
        let root = schema();
        assert_eq!(root["additionalProperties"], false);
        for group in ["BoxKeys", "TimeKeys", "GasKeys", "Scheme", "OutputKeys", "BoundaryKeys"] {
            assert_eq!(root["$defs"][group]["additionalProperties"], false, "{group}");
        }
        assert_eq!(kind(&root, &root["$defs"]["Riemann"]), "roe, hllc, rusanov, central");
    }
}
