//! PTX made ahead of time, for machines that have a GPU and its driver but no NVRTC.
//!
//! `fr-les kernels --ptx` writes one file a program without frozen constants, for the oldest architecture that NVRTC knows:
//! drivers translate it for that one and all later. Each file starts with a comment that holds the hash of the text
//! it was made from, so that PTX of another version of fr-les is never run in place of its own.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use super::source::Program;
use super::variant::Variant;
use crate::io::{self, atomic_write};

/// The architecture that PTX is made for if nothing else is asked for.
pub const ARCHITECTURE: &str = "compute_75";

/// Why PTX made ahead of time cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PrebuiltError {
    /// It is not there.
    #[error("no PTX made ahead of time: {} is not there; make it by `fr-les kernels --ptx DIR` where NVRTC is", .0.display())]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: std::io::Error,
    },
    /// It was made from other sources.
    #[error("{} was made from other kernels than those of this fr-les; make it again by `fr-les kernels --ptx DIR`", .0.display())]
    Other(PathBuf),
}

/// Precision and arithmetic as file names and listings spell them.
pub fn words(double: bool, fast: bool) -> (&'static str, &'static str) {
    (
        if double { "double" } else { "single" },
        if fast { "fast" } else { "strict" },
    )
}

fn file_name(variant: &Variant, program: &Program) -> String {
    let (order, (precision, arithmetic)) = (variant.order, words(variant.double, variant.fast));
    let label = program.label.replace(' ', "-");
    format!("fr-les_{}_p{order}_{precision}_{arithmetic}_{label}.ptx", variant.kind)
}

/// What ties PTX to the text of its program.
fn seal(program: &Program) -> String {
    let hash = xxh3_128(program.text().as_bytes());
    format!("// fr-les {}, program text {hash:032x}", env!("CARGO_PKG_VERSION"))
}

/// Writes the PTX of one program into a directory; returns the path.
pub fn write(directory: &Path, variant: &Variant, program: &Program, ptx: &[u8]) -> Result<PathBuf, io::Error> {
    let path = directory.join(file_name(variant, program));
    let text = [seal(program).as_bytes(), b"\n", ptx].concat();
    atomic_write(&path, &text)?;
    Ok(path)
}

/// Where PTX is looked for: FR_LES_PTX, else ptx beside the program.
pub fn directory() -> PathBuf {
    let named = std::env::var_os("FR_LES_PTX")
        .filter(|v| !v.is_empty())
        .map(PathBuf::from);
    named.unwrap_or_else(|| {
        let program = std::env::current_exe().unwrap_or_default();
        program.with_file_name("ptx")
    })
}

/// The PTX of one program, as [`write()`] left it in a directory (see [`directory`]).
pub fn read(directory: &Path, variant: &Variant, program: &Program) -> Result<String, PrebuiltError> {
    let path = directory.join(file_name(variant, program));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(PrebuiltError::Missing(path)),
        Err(reason) => return Err(PrebuiltError::Unreadable { path, reason }),
    };
    if text.lines().next() != Some(seal(program).as_str()) {
        return Err(PrebuiltError::Other(path));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_is_found_again_and_refused_for_other_sources() {
        let directory = tempfile::tempdir().unwrap();
        let variant = &Variant {
            kind: crate::element::ElementKind::Hex,
            order: 4,
            double: true,
            fast: false,
            curved: false,
        };
        let program = variant.programs(None).pop().expect("sweep 2 is the last");
        let program = &program;
        let missing = read(directory.path(), variant, program).unwrap_err().to_string();
        assert!(
            missing.contains("fr-les_hex_p4_double_strict_sweep2.ptx is not there"),
            "{missing}"
        );
        let path = write(directory.path(), variant, program, b".version 9.0\n").unwrap();
        let text = read(directory.path(), variant, program).unwrap();
        assert_eq!(text.split_once('\n').unwrap().1, ".version 9.0\n");
        let mut changed = program.clone();
        changed.macros.push(("EXTRA".to_owned(), "1".to_owned()));
        let refused = read(directory.path(), variant, &changed).unwrap_err();
        assert!(matches!(refused, PrebuiltError::Other(p) if p == path));
    }
}
