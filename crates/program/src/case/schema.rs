//! The JSON schema of `run.yaml`, for editors that complete and check while the user types.

use super::keys::CaseKeys;

/// The JSON schema of the case file, made from the typed keys.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(CaseKeys).to_value()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::mesh::CascadeKeys;
    use crate::study::StudyKeys;

    const HEAD: &str = "\
# Keys of the case file

This page is made from the declarations that read the file; `fr-les schema` prints them as a JSON schema. Units are SI
or any consistent set.

- A *number* and a *count* (a whole number) may be expressions of `constants` and `pi`.
- A *field* may also use x, y, z and, except in the initial state and in sponges, t. Instead of an expression it may be
  a mapping that names the columns of a table; its keys are at the [end of the page](#tables).
- Expressions have `+ - * / ^`, parentheses and the functions sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh,
  exp, log (ln), log10, sqrt, abs, sign, step (0 below zero, else 1), min, max, pow. An expression that contains a comma
  needs quotes inside `[...]` and `{...}`.
- In a key, `*` stands for a name, and `[]` for each entry of a list.
";

    const CASCADE_HEAD: &str = "\
# Keys of a cascade mesh

This page is made from the declarations that read the settings of `fr-les mesh cascade`; [Meshes](meshes.md#cascades)
explains the command. Lengths are in chords, from 1e-8 to 100, and angles in degrees from x. A *number* and a *count* (a
whole number) may be expressions of `constants` and `pi`, as in a [case](case-keys.md).
";

    const STUDY_HEAD: &str = "\
# Keys of a study

This page is made from the declarations that read the file of `fr-les study`; [Studies](studies.md) explains the
command. A *number* and a *count* (a whole number) may be expressions of `pi`. In a key, `*` stands for a name.
";

    const TABLES: &str = "
## Tables

[boundaries.md](boundaries.md#profiles-from-files) has an example. `FIELD` stands for the key of the field.

";

    /// Widest line of the page.
    const WIDTH: usize = 120;

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

    /// The words that a value may be, with their descriptions.
    fn words(value: &Value) -> Vec<(&str, Option<&str>)> {
        let of_enum = value["enum"].as_array().into_iter().flatten();
        let of_one = value["oneOf"].as_array().into_iter().flatten();
        let plain = of_enum.filter_map(|word| Some((word.as_str()?, None)));
        plain
            .chain(of_one.filter_map(|word| Some((word["const"].as_str()?, word["description"].as_str()))))
            .collect()
    }

    /// The mappings of which a value is one, by their key `type`.
    fn types(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
        let all = value["oneOf"].as_array().into_iter().flatten();
        all.filter_map(|of| Some((of["properties"]["type"]["const"].as_str()?, of)))
    }

    fn kind(root: &Value, value: &Value) -> String {
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

    /// Appends an entry of a list, wrapped.
    fn entry(page: &mut String, depth: usize, text: &str) {
        let indent = "  ".repeat(depth);
        let mut line = format!("{indent}-");
        for word in text.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                page.push_str(&line);
                page.push('\n');
                line = format!("{indent} ");
            }
            line.push(' ');
            line.push_str(word);
        }
        page.push_str(&line);
        page.push('\n');
    }

    fn is_mapping(value: &Value) -> bool {
        value["properties"].is_object() || types(value).next().is_some()
    }

    /// Appends the keys of a mapping, each with its path from `path` on.
    fn keys(root: &Value, object: &Value, path: &str, depth: usize, page: &mut String) {
        let object = target(root, object);
        let required: Vec<&str> = object["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let dot = if path.is_empty() { "" } else { "." };
        if types(object).next().is_some() {
            let text = format!("**`{path}.type`** (required): The kind, which decides what other keys there are.");
            entry(page, depth, &text);
            for (name, of) in types(object) {
                let text = of["description"].as_str().expect("every type has a description");
                entry(page, depth + 1, &format!("`{name}`: {text}"));
                keys(root, of, path, depth + 2, page);
            }
        }
        for (key, value) in object["properties"].as_object().into_iter().flatten() {
            if value["const"].is_string() {
                continue; // the type itself
            }
            let key_path = format!("{path}{dot}{key}");
            if depth == 0 && path.is_empty() {
                page.push_str(&format!("\n## `{key}`\n\n"));
            }
            let default = match &value["default"] {
                _ if required.contains(&key.as_str()) => ", required".into(),
                Value::Null | Value::Object(_) => String::new(),
                Value::String(text) if text.is_empty() => String::new(),
                other => format!(", default `{}`", other.to_string().trim_matches('"')),
            };
            let meaning = value["description"].as_str().expect("every key has a description");
            entry(
                page,
                depth,
                &format!("**`{key_path}`** ({}{default}): {meaning}", kind(root, value)),
            );
            for (word, meaning) in words(target(root, value)) {
                if let Some(meaning) = meaning {
                    entry(page, depth + 1, &format!("`{word}`: {meaning}"));
                }
            }
            keys(root, value, &key_path, depth, page);
            let items = target(root, &value["items"]);
            if value["type"] == "array" && is_mapping(items) {
                keys(root, items, &format!("{key_path}[]"), depth, page);
            }
        }
        let named = target(root, &object["additionalProperties"]);
        if is_mapping(named) {
            keys(root, named, &format!("{path}.*"), depth, page);
        }
    }

    /// Run with the environment variable `UPDATE_DOCS` set to write the pages anew.
    #[test]
    fn the_page_of_keys_is_that_of_the_schema() {
        let root = schema();
        let mut page = HEAD.to_string();
        keys(&root, &root, "", 0, &mut page);
        page.push_str(TABLES);
        keys(&root, &root["$defs"]["ProfileKeys"], "FIELD", 0, &mut page);
        compare("case-keys.md", &page);
    }

    #[test]
    fn the_page_of_keys_of_cascades_is_that_of_their_schema() {
        let root = schemars::schema_for!(CascadeKeys).to_value();
        let mut page = CASCADE_HEAD.to_string();
        keys(&root, &root, "", 0, &mut page);
        compare("cascade-keys.md", &page);
    }

    #[test]
    fn the_page_of_keys_of_studies_is_that_of_their_schema() {
        let root = schemars::schema_for!(StudyKeys).to_value();
        let mut page = STUDY_HEAD.to_string();
        keys(&root, &root, "", 0, &mut page);
        compare("study-keys.md", &page);
    }

    /// Compares a page of docs/reference/ with what it should be, or writes it.
    fn compare(name: &str, page: &str) {
        let path = format!("{}/../../docs/reference/{name}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, page).expect("written");
        }
        assert!(
            std::fs::read_to_string(&path).expect(name) == page,
            "run with UPDATE_DOCS=1:\n{page}"
        );
        assert!(page.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn the_schema_refuses_unknown_keys_and_lists_the_words() {
        let root = schema();
        assert_eq!(root["additionalProperties"], false);
        for group in ["BoxKeys", "TimeKeys", "GasKeys", "SchemeKeys", "OutputKeys"] {
            assert_eq!(root["$defs"][group]["additionalProperties"], false, "{group}");
        }
        let boundary = &root["$defs"]["BoundaryKeys"];
        assert_eq!(types(boundary).count(), 14);
        for (name, of) in types(boundary) {
            assert_eq!(of["additionalProperties"], false, "{name}");
        }
        let (_, wall) = types(boundary)
            .find(|(name, _)| *name == "no-slip-isothermal")
            .expect("a wall");
        assert_eq!(wall["required"], serde_json::json!(["type", "temperature"]));
        let fluxes = "roe, roe-entropy-stable, hllc, rusanov, central";
        assert_eq!(kind(&root, &root["$defs"]["Riemann"]), fluxes);
    }
}
