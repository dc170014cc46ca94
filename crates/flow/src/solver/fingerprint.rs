//! Fingerprints of settings: texts that change with the settings, by which a checkpoint knows those of its run.

use std::fmt::Debug;

/// Returns the fingerprint of a value: the text of its type's `Debug`, without the names of fields, so that these may
/// be renamed.
pub fn fingerprint(value: &impl Debug) -> String {
    without_labels(&format!("{value:?}"))
}

/// Returns whether two fingerprints describe the same settings. The comparison ignores the names of fields, which
/// the fingerprints in older checkpoints contain.
pub fn same_settings(one: &str, other: &str) -> bool {
    without_labels(one) == without_labels(other)
}

/// Removes the names of fields from the text of a `Debug`: a name behind a brace or a comma, and its colon. What stands
/// in quotes stays.
fn without_labels(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut quoted) = (text, false);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        out.push(c);
        match c {
            '"' => quoted = !quoted,
            '\\' if quoted => {
                let escaped = rest.chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..escaped]);
                rest = &rest[escaped..];
            }
            '{' | ',' if !quoted => {
                let name = rest.trim_start();
                let end = name
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(name.len());
                if end > 0 && name[end..].starts_with(": ") {
                    rest = &name[end + 1..];
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    #[expect(dead_code, reason = "only its text is read")]
    struct Old {
        name: &'static str,
        value: Option<f64>,
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "only its text is read")]
    struct New {
        label: &'static str,
        size: Option<f64>,
    }

    #[test]
    fn names_of_fields_do_not_count_and_values_do() {
        let old = |name, value| format!("{:?}", Old { name, value }).replace("Old", "New");
        let new = |label, size| fingerprint(&New { label, size });
        assert_eq!(new("a, b: \"c\"", Some(1.5)), "New { \"a, b: \\\"c\\\"\", Some(1.5) }");
        assert!(same_settings(&old("a", None), &new("a", None)));
        assert!(!same_settings(&old("a", None), &new("b", None)));
        assert!(!same_settings(&old("a", Some(1.0)), &new("a", Some(2.0))));
        assert!(!same_settings("[(1.0, x: 2)]", "[(1.0, x: 3)]"));
    }
}
