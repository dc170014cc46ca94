//! The key of `--set` as its parts, which are separated by dots. A part in double quotes may have dots and `=` in it,
//! as the names of boundaries do: `boundaries."fin.a".type`.

/// The sign around a part that is taken as it is.
const QUOTE: char = '"';

/// Returns the key and the value of `KEY=VALUE`; `None` without a `=`.
pub(super) fn assigned(text: &str) -> Option<(&str, &str)> {
    let at = outside(text, &['='])?;
    Some((text[..at].trim(), &text[at + 1..]))
}

/// Returns the parts of a key without their quotes; `None` if one is empty or a quote is not closed.
pub(super) fn parts(path: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut left = Some(path);
    while let Some(rest) = left {
        let end = outside(rest, &['.']);
        let part = &rest[..end.unwrap_or(rest.len())];
        let inner = match part.strip_prefix(QUOTE) {
            Some(opened) => opened.strip_suffix(QUOTE)?,
            None => part,
        };
        if inner.is_empty() {
            return None;
        }
        found.push(inner);
        left = end.map(|end| &rest[end + 1..]);
    }
    Some(found)
}

/// Returns a name as a part of a key.
pub(super) fn quoted(name: &str) -> String {
    format!("{QUOTE}{name}{QUOTE}")
}

/// Returns whether a name with dots, cut at these, begins some parts.
pub(super) fn begins(parts: &[&str], name: &str) -> bool {
    let count = name.split('.').count();
    parts.len() >= count && name.split('.').eq(parts[..count].iter().copied())
}

/// Returns the first part of a path such as `mesh.box.cells[1]`, and what is behind it.
pub(super) fn first(path: &str) -> (&str, Option<&str>) {
    match path.find(['.', '[']) {
        Some(at) => (&path[..at], Some(&path[at + 1..])),
        None => (path, None),
    }
}

/// Returns the place of the first of some signs that is in no quotes. Quotes open at the beginning of a part alone.
fn outside(text: &str, signs: &[char]) -> Option<usize> {
    let mut quoted = false;
    let mut before = '.';
    for (at, character) in text.char_indices() {
        if character == QUOTE && (quoted || before == '.') {
            quoted = !quoted;
        } else if !quoted && signs.contains(&character) {
            return Some(at);
        }
        before = character;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::physics::BoundaryKind;

    #[test]
    fn names_with_dots_stand_in_quotes() {
        let text = "mesh: {file: a.h5}\norder: 2\ngas: {}\ninitial: {u: 0, v: 0, w: 0, p: 1, rho: 1}\n\
                    boundaries:\n  fin.a: {type: slip}\n  b: {type: far-field, u: 0, v: 0, w: 0, p: 1, rho: 1}\n\
                    time: {steps: 1, cfl: 0.5}\n";
        let of = |set: &str| Case::parse(text, "run.yaml".as_ref(), &[set.to_owned()]);
        let refused = |set: &str| of(set).expect_err("refused").to_string();
        let shown = refused("boundaries.fin.a.type=slip");
        assert!(
            shown.contains("a name with a dot stands in quotes: `boundaries.\"fin.a\"`"),
            "{shown}"
        );
        let pressure = "boundaries.\"fin.a\"={type: pressure-outlet, p: 2}";
        assert!(of(pressure).is_ok_and(|case| case.solver.boundaries["fin.a"].kind() == BoundaryKind::PressureOutlet));
        // A key with such a name is found where it stands.
        let shown = refused("boundaries.\"fin.a\"={type: pressure-outlet, p: cold}");
        assert!(
            shown.contains("--set boundaries.\"fin.a\"={type") && shown.contains("(boundaries.fin.a.p)"),
            "{shown}"
        );
    }

    #[test]
    fn parts_in_quotes_have_dots_and_equal_signs() {
        let text = "boundaries.\"fin.a=1\".type = slip";
        let (path, value) = assigned(text).unwrap();
        assert_eq!((path, value), ("boundaries.\"fin.a=1\".type", " slip"));
        assert_eq!(parts(path), Some(vec!["boundaries", "fin.a=1", "type"]));
        assert_eq!(parts("time.end"), Some(vec!["time", "end"]));
        // A quote inside a name is one of its letters.
        assert_eq!(
            parts("boundaries.fin\"q.type"),
            Some(vec!["boundaries", "fin\"q", "type"])
        );
        for wrong in ["", "a..b", "a.", "a.\"\".b", "a.\"b.c", "a.\"b\"c.d"] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
        assert_eq!(assigned("boundaries.\"a=b\""), None);
        assert!(begins(&["fin", "a", "type"], "fin.a") && !begins(&["fin", "b"], "fin.a"));
    }
}
