//! The build script. It generates headers of the kernels from the contract between host and kernels
//! (crates/flow/src/device/contract), from enumerations and from the kinds of elements
//! (crates/base/src/element/kind.rs). It compiles the kernels of ptx/ for the CPU.
//!
//! The kernels are compiled once for every kind of cell, order, precision and vector width, which takes minutes;
//! `selection` says how to choose some of them, for work on the kernels.

mod cpu_kernels;
mod elements;
mod kinds;
mod params;
mod selection;
mod sources;

#[path = "../src/device/contract/mod.rs"]
#[allow(dead_code, unused_imports)]
mod contract;
#[path = "../../base/src/element/kind.rs"]
#[allow(dead_code)]
mod kind;
#[path = "../../base/src/vector.rs"]
#[allow(dead_code)]
mod vector;

/// The part of the room `element` that the contract needs.
mod element {
    pub use crate::kind::ElementKind;
}

use std::path::{Path, PathBuf};

/// The files that this script reads.
const READ: &[&str] = &[
    "ptx",
    "crates/flow/build",
    CONTRACT,
    PHYSICS,
    "crates/base/src/element/kind.rs",
    "crates/base/src/vector.rs",
];
/// What host and kernels state in the same way.
const CONTRACT: &str = "crates/flow/src/device/contract";
/// The models, whose enumerations the kernels know.
const PHYSICS: &str = "crates/base/src/physics";

fn main() {
    // Paths are relative to the repository, and so is what the compiler is given.
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    std::env::set_current_dir(Path::new(&here).join("../..")).expect("the package lies in the repository");
    // What is read: a build after a change of anything else compiles no kernel.
    for path in READ {
        println!("cargo:rerun-if-changed=../../{path}");
    }
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    write(&out.join("elements.h"), &elements::header());
    write(&out.join("kinds.h"), &kinds::header(&[CONTRACT, PHYSICS]));
    write(&out.join("params.h"), &params::header());
    write(&out.join("params_check.rs"), &params::check());
    write(&out.join("ptx_sources.rs"), &sources::table(&out));
    write(&out.join("kernels.rs"), &cpu_kernels::compile(&out));
}

/// Writes a generated file, unless it exists with the same text.
fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    std::fs::write(path, text).expect("OUT_DIR is writable");
}

/// Returns the files below a folder whose extension is one of `endings`, sorted by path.
fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources are readable") {
            let path = entry.expect("the sources are readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|e| endings.iter().any(|ending| e == *ending))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
