//! The text of ptx/ as a C++ compiler and its tools see it: every header compiles alone, for hexahedra and pyramids;
//! `long` has the other kinds of elements.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fr_les_base::element::ElementKind;
use rayon::prelude::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ptx")
}

/// All headers of ptx/, as paths relative to it.
fn headers() -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["dialect", "element", "physics", "method", "steady"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("a folder of ptx/") {
            let name = entry.expect("readable").file_name().into_string().expect("a name");
            if name.ends_with(".h") {
                names.push(format!("{folder}/{name}"));
            }
        }
    }
    names.sort();
    names
}

/// Parses a text with the C++ compiler and the include folders with which the kernels are built.
fn parse(text: &str, directory: &Path, name: &str, kind: ElementKind) -> Output {
    let file = directory.join(format!("{name}.cpp"));
    std::fs::write(&file, text).expect("the temporary directory is writable");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut words = compiler.split_whitespace();
    Command::new(words.next().expect("a name"))
        .args(words)
        .args([
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-Wno-unused-function",
            "-Wno-psabi",
            "-Wno-ignored-attributes",
        ])
        .arg(format!("-DELEMENT={}", kind.name().to_uppercase()))
        .arg("-DORDER=2")
        .arg("-I")
        .arg(root())
        .arg("-I")
        .arg(env!("OUT_DIR"))
        .arg("-fsyntax-only")
        .arg(file)
        .output()
        .expect("the compiler that built the kernels")
}

#[test]
fn every_header_parses_alone() {
    // Pyramids have faces of both shapes, and bases of polynomials that no other kind has.
    check(&[ElementKind::Hex, ElementKind::Pyramid]);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "takes half a minute"]
    fn every_header_parses_alone_for_tetrahedra_and_prisms() {
        check(&[ElementKind::Tet, ElementKind::Prism]);
    }
}

fn check(kinds: &[ElementKind]) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let headers = headers();
    assert!(headers.len() > 20, "{headers:?}");
    let failures: Vec<String> = kinds
        .par_iter()
        .flat_map(|&kind| headers.par_iter().map(move |header| (kind, header)))
        // The steady solver knows no elements.
        .filter(|(kind, header)| *kind == ElementKind::Hex || !header.starts_with("steady/"))
        .filter_map(|(kind, header)| {
            let name = format!("{}_{}", kind.name(), header.replace(['/', '.'], "_"));
            // The parameters of the steady solver have the place of those of the others.
            let steady = if header.starts_with("steady/") {
                "#define STEADY\n"
            } else {
                ""
            };
            let text = format!("{steady}#include \"{header}\"\n");
            let output = parse(&text, directory.path(), &name, kind);
            let log = String::from_utf8_lossy(&output.stderr).into_owned();
            (!output.status.success() || log.contains("warning")).then(|| format!("{header}, {kind}:\n{log}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_include_depends_on_a_condition() {
    // The text that NVRTC compiles has each header once, where it is first included. If that include were conditional,
    // later users of the header might not have it.
    let mut names = headers();
    let kernels = std::fs::read_dir(root().join("kernels")).expect("a folder of ptx/");
    names.extend(kernels.map(|e| format!("kernels/{}", e.expect("readable").file_name().to_string_lossy())));
    for name in &names {
        let text = std::fs::read_to_string(root().join(name)).expect("readable");
        let mut depth = 0;
        for line in text.lines().map(str::trim_start) {
            depth += i32::from(line.starts_with("#if")) - i32::from(line.starts_with("#endif"));
            assert!(depth == 0 || !line.starts_with("#include \""), "{name}: {line}");
        }
    }
}
