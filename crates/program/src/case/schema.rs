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
    use super::super::schema_keys::{Place, all, head, is_mapping, kind, target, types, words};
    use super::*;

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

    /// Appends an entry of a list, wrapped. No line begins with a sign, which would begin a list of its own.
    fn entry(page: &mut String, depth: usize, text: &str) {
        let indent = "  ".repeat(depth);
        let mut line = format!("{indent}-");
        let mut words: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match words.last_mut() {
                Some(last) if ["-", "+", "*"].contains(&word) => last.extend([" ", word]),
                _ => words.push(word.to_owned()),
            }
        }
        for word in &words {
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

    /// Appends the keys of a mapping at a place, each with its path and an anchor.
    fn keys(root: &Value, object: &Value, place: &Place, depth: usize, page: &mut String) {
        let object = target(root, object);
        if types(object).next().is_some() {
            let of_type = place.key("type");
            let text = format!(
                "{}**`{}`** (required): The kind, which decides what other keys there are.",
                mark(&of_type.anchor),
                of_type.path
            );
            entry(page, depth, &text);
            for (name, of) in types(object) {
                let text = of["description"].as_str().expect("every type has a description");
                let place = place.of_type(name);
                entry(page, depth + 1, &format!("{}`{name}`: {text}", mark(&place.anchor)));
                keys(root, of, &place, depth + 2, page);
            }
        }
        for (key, value) in object["properties"].as_object().into_iter().flatten() {
            if value["const"].is_string() {
                continue; // the type itself
            }
            let key_place = place.key(key);
            // The heading of a first key is its anchor.
            let mark = if place.path.is_empty() {
                page.push_str(&format!("\n## `{key}`\n\n"));
                String::new()
            } else {
                mark(&key_place.anchor)
            };
            let head = head(root, object, key);
            let meaning = value["description"].as_str().expect("every key has a description");
            entry(
                page,
                depth,
                &format!("{mark}**`{}`** ({head}): {meaning}", key_place.path),
            );
            for (word, meaning) in words(target(root, value)) {
                if let Some(meaning) = meaning {
                    entry(page, depth + 1, &format!("`{word}`: {meaning}"));
                }
            }
            keys(root, value, &key_place, depth, page);
            let items = target(root, &value["items"]);
            if value["type"] == "array" && is_mapping(items) {
                keys(root, items, &key_place.entry(), depth, page);
            }
        }
        let named = target(root, &object["additionalProperties"]);
        if is_mapping(named) {
            keys(root, named, &place.any_name(), depth, page);
        }
    }

    /// Returns an anchor, to which links lead.
    fn mark(anchor: &str) -> String {
        format!("<a id=\"{anchor}\"></a>")
    }

    /// Every key can be linked to: `fr-les explain` names these places.
    #[test]
    fn every_key_has_an_anchor_of_its_own_on_its_page() {
        for kind in FileKind::ALL {
            let page = page_of(kind);
            for key in all(&crate::commands::schema::of(kind)) {
                let anchor = key.anchor;
                let heading = page.matches(&format!("\n## `{anchor}`\n")).count();
                let places = heading + page.matches(&mark(&anchor)).count();
                assert_eq!(places, 1, "{}: {anchor}", key.path);
            }
        }
    }

    /// Returns the page of the keys of a kind of file.
    fn page_of(kind: FileKind) -> String {
        let root = crate::commands::schema::of(kind);
        let head = match kind {
            FileKind::Case => HEAD,
            FileKind::Study => STUDY_HEAD,
            FileKind::Cascade => CASCADE_HEAD,
        };
        let mut page = head.to_string();
        keys(&root, &root, &Place::default(), 0, &mut page);
        if kind == FileKind::Case {
            page.push_str(TABLES);
            let place = Place::default().key("FIELD");
            keys(&root, &root["$defs"]["ProfileKeys"], &place, 0, &mut page);
        }
        page
    }

    /// Run with the environment variable `UPDATE_DOCS` set to write the pages anew.
    #[test]
    fn the_pages_of_keys_are_those_of_the_schemas() {
        for kind in FileKind::ALL {
            let (name, page) = (kind.page(), page_of(kind));
            let path = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
            if std::env::var_os("UPDATE_DOCS").is_some() {
                std::fs::write(&path, &page).expect("written");
            }
            assert!(
                std::fs::read_to_string(&path).expect(name) == page,
                "run with UPDATE_DOCS=1:\n{page}"
            );
            assert!(page.lines().all(|line| line.chars().count() <= WIDTH));
        }
    }

    #[test]
    fn the_schema_refuses_unknown_keys_and_lists_the_words() {
        let root = schema();
        assert_eq!(root["additionalProperties"], false);
        for group in ["BoxKeys", "TimeKeys", "GasKeys", "SchemeKeys", "OutputKeys"] {
            assert_eq!(root["$defs"][group]["additionalProperties"], false, "{group}");
        }
        let boundary = &root["$defs"]["BoundaryKeys"];
        assert_eq!(types(boundary).count(), 15);
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
