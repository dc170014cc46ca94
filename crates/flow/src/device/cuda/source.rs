//! The text of the kernels, which is part of the executable, and the programs of a run.
//!
//! NVRTC compiles a single text. A [`Program`] is therefore a file of ptx/ in which each include is replaced by the
//! text of the header, with the macros of the run in front. `#line` directives make the messages of the compiler refer
//! to the original files.

use std::fmt::Write as _;

use crate::device::contract::Stage;

/// Path and text of every file of ptx/ and of the headers that the build script writes.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/ptx_sources.rs"));

/// A translation unit: a file of kernels with its macros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Name in listings, e.g. "sweep2".
    pub label: String,
    /// Folder of the file in ptx/, e.g. "kernels".
    pub folder: &'static str,
    /// Name of the file there, e.g. "sweep2.cu".
    pub file: &'static str,
    /// Stage of the time step, if there is one program for each stage.
    pub stage: Option<Stage>,
    /// Names and values of the macros, which precede the file.
    pub macros: Vec<(String, String)>,
}

impl Program {
    /// Returns the text for the compiler: the macros, then the file with its headers.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.macros {
            // A directive ends with its line, so a value of several lines is joined into one.
            let _ = writeln!(text, "#define {name} {}", value.replace('\n', " "));
        }
        expand(&self.path(), &mut Vec::new(), &mut text);
        text
    }

    /// Returns the path of the file in ptx/.
    pub fn path(&self) -> String {
        format!("{}/{}", self.folder, self.file)
    }
}

/// Appends `file` to the text. Each include is replaced by its header, or by nothing if the header is in `seen`, as
/// `#pragma once` requires.
fn expand(file: &str, seen: &mut Vec<&'static str>, text: &mut String) {
    let &(file, source) = entry(file).unwrap_or_else(|| panic!("{file} is not in SOURCES"));
    seen.push(file);
    let _ = writeln!(text, "#line 1 \"ptx/{file}\"");
    for (number, line) in source.lines().enumerate() {
        if let Some(name) = included(line) {
            let &(header, _) = entry(name).unwrap_or_else(|| panic!("ptx/{file} includes {name}, which is not there"));
            if !seen.contains(&header) {
                expand(header, seen, text);
            }
            let _ = writeln!(text, "#line {} \"ptx/{file}\"", number + 2);
        } else if line.trim() == "#pragma once" {
            text.push('\n'); // the pragma would cause a warning; the empty line keeps the line numbers
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
}

/// Returns the path and text of a file.
fn entry(name: &str) -> Option<&'static (&'static str, &'static str)> {
    SOURCES.iter().find(|(n, _)| *n == name)
}

/// Returns the header that a line includes by a quoted name. System headers are not replaced: only the CPU's dialect
/// includes them.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("#include")?;
    rest.trim_start().strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_whole_texts_that_keep_their_line_numbers() {
        let macros = [("ORDER", "3"), ("FROZEN", "int a = 1;\nint b = 2;")];
        let program = Program {
            label: "sweep2 first".to_owned(),
            folder: "kernels",
            file: "sweep2.cu",
            stage: None,
            macros: macros.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        };
        let text = program.text();
        assert!(text.starts_with("#define ORDER 3\n#define FROZEN int a = 1; int b = 2;\n"));
        // Follow the directives as the compiler does: every line must be the one that it claims to be.
        let (mut file, mut number) = ("", 0);
        let mut entered = Vec::new();
        for line in text.lines().skip(2) {
            if let Some(rest) = line.strip_prefix("#line ") {
                let (n, name) = rest.split_once(' ').unwrap();
                (number, file) = (n.parse().unwrap(), name.trim_matches('"').trim_start_matches("ptx/"));
                if number == 1 {
                    entered.push(file);
                }
                continue;
            }
            let original = entry(file).unwrap().1.lines().nth(number - 1).unwrap();
            assert!(
                line == original || original == "#pragma once",
                "ptx/{file}:{number}: {line}"
            );
            assert!(included(line).is_none(), "ptx/{file}:{number}: {line}");
            number += 1;
        }
        assert_eq!(entered[0], "kernels/sweep2.cu");
        let count = entered.len();
        entered.sort_unstable();
        entered.dedup();
        assert_eq!(entered.len(), count, "a header came twice");
    }
}
