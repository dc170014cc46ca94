//! The JSON schemas of files, for editors that complete and check while the user types.

use schemars::JsonSchema;
use serde_json::Value;

use super::file_kind::FileKind;
use super::keys::CaseKeys;

/// The JSON schema of the case file, made from the typed keys.
pub fn schema() -> Value {
    schema_of::<CaseKeys>(FileKind::Case)
}

/// The JSON schema of a kind of file, which has these keys, with the address at which it can be found.
pub(crate) fn schema_of<K: JsonSchema>(kind: FileKind) -> Value {
    let mut schema = schemars::schema_for!(K);
    schema.insert("$id".to_owned(), kind.address().into());
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::super::schema_keys::{head, is_mapping, kind, target, types, words};
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

    /// Appends the keys of a mapping, each with its path from `path` on.
    fn keys(root: &Value, object: &Value, path: &str, depth: usize, page: &mut String) {
        let object = target(root, object);
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
            let head = head(root, object, key);
            let meaning = value["description"].as_str().expect("every key has a description");
            entry(page, depth, &format!("**`{key_path}`** ({head}): {meaning}"));
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
