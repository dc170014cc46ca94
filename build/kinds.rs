//! `kinds.h`: the C++ twins of the enumerations in `src/` that are marked `#[repr(i32)]`.

use std::fmt::Write as _;
use std::path::Path;

use crate::files_below;

const MARK: &str = "#[repr(i32)]";

/// An enumeration: its name, and its variants with their numbers.
struct Enumeration {
    name: String,
    variants: Vec<(String, i32)>,
}

/// The header, with the enumerations in the order of their names.
pub fn header(sources: &Path) -> String {
    let mut all = Vec::new();
    for path in files_below(sources, &["rs"]) {
        let text = std::fs::read_to_string(&path).expect("sources are readable text");
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once(&format!("\n{MARK}\n")) {
            all.push(read(after).unwrap_or_else(|problem| panic!("{}: {MARK}: {problem}", path.display())));
            rest = after;
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let mut text = format!(
        "// Written by the build script: the enumerations in src/ that are marked {MARK}. A variant is named by the first word of\n\
         // its type and its own name; where none has the number 0, that is the absence of all of them.\n#pragma once\n\n"
    );
    for one in &all {
        let _ = writeln!(text, "{}", one.declaration());
    }
    text
}

/// Reads the enumeration that follows the mark, in the form that rustfmt gives it.
fn read(text: &str) -> Result<Enumeration, String> {
    let mut lines = text
        .lines()
        .skip_while(|line| line.starts_with("#[") || line.starts_with("///"));
    let head = lines.next().unwrap_or_default();
    let name = head
        .trim_start_matches("pub ")
        .strip_prefix("enum ")
        .and_then(|rest| rest.strip_suffix(" {"))
        .ok_or_else(|| format!("'{head}' is not the head of an enumeration"))?;
    let (mut variants, mut next) = (Vec::new(), 0);
    for line in lines.take_while(|line| *line != "}") {
        // Variants are indented by four spaces; what belongs to one is indented further, or a comment or an attribute.
        let Some(variant) = line
            .strip_prefix("    ")
            .filter(|l| l.starts_with(|c: char| c.is_ascii_uppercase()))
        else {
            continue;
        };
        let end = variant
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(variant.len());
        if let Some((_, number)) = variant.trim_end_matches(',').split_once(" = ") {
            next = number
                .parse()
                .map_err(|_| format!("'{number}' is not a whole number"))?;
        }
        variants.push((variant[..end].to_owned(), next));
        next += 1;
    }
    Ok(Enumeration {
        name: name.to_owned(),
        variants,
    })
}

impl Enumeration {
    fn declaration(&self) -> String {
        let words = capitals(&self.name);
        let prefix = words.split('_').next().unwrap_or_default();
        let absent = self.variants.iter().all(|(_, number)| *number != 0);
        let mut list = Vec::new();
        if absent && self.variants.iter().all(|(_, number)| *number > 0) {
            list.push(format!("{prefix}_NONE = 0"));
        }
        list.extend(
            self.variants
                .iter()
                .map(|(variant, number)| format!("{prefix}_{} = {number}", capitals(variant))),
        );
        format!("enum {} {{\n    {}\n}};\n", self.name, list.join(",\n    "))
    }
}

/// `KennedyGruber` as KENNEDY_GRUBER.
fn capitals(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}
