//! `ptx_sources.rs`: the table of the sources of all kernels, with their texts. The program contains these texts,
//! because NVRTC compiles the GPU kernels at the start of a run.

use std::fmt::Write as _;
use std::path::Path;

use crate::files_below;

/// The headers that the build script generates.
pub const GENERATED: [&str; 3] = ["params.h", "kinds.h", "elements.h"];

/// Returns the table as an expression of Rust. Its rows are the paths below ptx/ or the names of generated headers, and
/// the texts.
pub fn table(out: &Path) -> String {
    let root = std::env::current_dir().expect("the repository is there").join("ptx");
    let mut text = String::from("&[\n");
    let mut row = |name: &str, path: &Path| {
        let _ = writeln!(text, "    ({name:?}, include_str!({:?})),", path.display().to_string());
    };
    for path in files_below(&root, &["cu", "h"]) {
        let name = path.strip_prefix(&root).expect("below ptx/").display().to_string();
        row(&name, &path);
    }
    GENERATED.iter().for_each(|name| row(name, &out.join(name)));
    text.push_str("]\n");
    text
}

/// Appends the text of a source and of all headers that it includes by quoted names, each once.
pub fn with_includes(name: &str, out: &Path, seen: &mut Vec<String>, text: &mut String) {
    if seen.iter().any(|known| known == name) {
        return;
    }
    seen.push(name.to_owned());
    let folder = if GENERATED.contains(&name) {
        out
    } else {
        Path::new("ptx")
    };
    let source =
        std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}, which a kernel includes: {e}"));
    for line in source.lines() {
        let quoted = line.trim_start().strip_prefix("#include \"");
        if let Some(header) = quoted.and_then(|rest| rest.split('"').next()) {
            with_includes(header, out, seen, text);
        }
    }
    *text += &source;
}
