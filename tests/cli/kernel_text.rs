//! The text of ptx/ as a C++ compiler and its tools see it. Every header compiles alone, and its tables of elements
//! agree with those of the host.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fr_les::element::ElementKind;
use rayon::prelude::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx")
}

/// All headers of ptx/, as paths relative to it.
fn headers() -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["dialect", "element", "physics", "method"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("a folder of ptx/") {
            let name = entry.expect("readable").file_name().into_string().expect("a name");
            names.push(format!("{folder}/{name}"));
        }
    }
    names.sort();
    names
}

/// Runs the C++ compiler on a text, with the include folders with which the kernels are built.
fn compiler(text: &str, directory: &Path, name: &str, kind: ElementKind, order: usize, flags: &[&str]) -> Output {
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
        .arg(format!("-DORDER={order}"))
        .arg("-I")
        .arg(root())
        .arg("-I")
        .arg(env!("OUT_DIR"))
        .args(flags)
        .arg(file)
        .output()
        .expect("the compiler that built the kernels")
}

#[test]
fn every_header_parses_alone() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let headers = headers();
    assert!(headers.len() > 20, "{headers:?}");
    let failures: Vec<String> = ElementKind::ALL
        .par_iter()
        .flat_map(|&kind| headers.par_iter().map(move |header| (kind, header)))
        .filter_map(|(kind, header)| {
            let name = format!("{}_{}", kind.name(), header.replace(['/', '.'], "_"));
            let text = format!("#include \"{header}\"\n");
            let output = compiler(&text, directory.path(), &name, kind, 2, &["-fsyntax-only"]);
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

#[test]
fn elements_are_those_of_the_host() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let text = "#include \"dialect/dialect.h\"\n#include <stdio.h>\nint main() {\n\
        printf(\"%d %d %d %.17g\\n\", NP, FACES, FACE_POINTS, (double)REFERENCE_VOLUME);\n\
        for (int f = 0; f < FACES; ++f) {\n\
        printf(\"%d %d\", face_size(f), face_offset(f));\n\
        #if ELEMENT != HEX\n\
        for (int d = 0; d < 3; ++d) printf(\" %.17g\", normal_component(f, 1.0 * (d == 0), 1.0 * (d == 1), \
        1.0 * (d == 2)) + 0.0);\n\
        #endif\n\
        printf(\"\\n\");\n}\n}\n";
    for (kind, order) in ElementKind::ALL
        .into_iter()
        .flat_map(|kind| [1, 2, 4].map(|order| (kind, order)))
    {
        let program = directory.path().join(format!("{}{order}", kind.name()));
        let path = program.to_str().expect("a path");
        let output = compiler(text, directory.path(), "facts", kind, order, &["-o", path]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = Command::new(&program).output().expect("it was just built").stdout;
        let (points, face_points) = (kind.points(order), kind.total_face_points(order));
        let mut expected = format!("{points} {} {face_points} {}\n", kind.faces().len(), kind.volume());
        let mut offset = 0;
        for face in 0..kind.faces().len() {
            let size = kind.face_points(face, order);
            let _ = write!(expected, "{size} {offset}");
            if kind != ElementKind::Hex {
                for component in kind.face_normal(face) {
                    let _ = write!(expected, " {}", component + 0.0);
                }
            }
            expected.push('\n');
            offset += size;
        }
        let numbers =
            |text: &str| -> Vec<f64> { text.split_whitespace().map(|w| w.parse().expect("a number")).collect() };
        let printed = String::from_utf8(printed).expect("numbers");
        assert_eq!(numbers(&printed), numbers(&expected), "{kind} {order}");
    }
}
