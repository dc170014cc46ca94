//! Prebuilt PTX, for machines that have a GPU and its driver but no NVRTC.
//!
//! `fr-les kernels --ptx` writes one file for each program, without frozen constants, for the oldest architecture that
//! NVRTC supports. Drivers translate it for that architecture and all later ones. Each file begins with a comment that
//! holds the hash of the program's text, so that PTX of another version of fr-les is rejected.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use super::source::Program;
use super::variant::Variant;
use crate::io::{self, atomic_write};

/// The default architecture of prebuilt PTX.
pub const ARCHITECTURE: &str = "compute_75";

/// The reason why prebuilt PTX cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PrebuiltError {
    /// The file does not exist.
    #[error(
        "no prebuilt PTX: {} is not there; write it by `fr-les kernels --ptx DIR` on a machine with NVRTC",
        .0.display()
    )]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// The reason that the system gives.
        reason: std::io::Error,
    },
    /// The file was compiled from other sources.
    #[error(
        "{} was compiled from other kernels than those of this fr-les; write it again by `fr-les kernels --ptx DIR`",
        .0.display()
    )]
    Other(PathBuf),
}

/// Returns the names of precision and arithmetic in file names and listings.
pub fn words(double: bool, fast: bool) -> (&'static str, &'static str) {
    (
        if double { "double" } else { "single" },
        if fast { "fast" } else { "strict" },
    )
}

/// Returns the name of the file of a program.
fn file_name(variant: &Variant, program: &Program) -> String {
    let (order, (precision, arithmetic)) = (variant.order, words(variant.double, variant.fast));
    let label = program.label.replace(' ', "-");
    format!("fr-les_{}_p{order}_{precision}_{arithmetic}_{label}.ptx", variant.kind)
}

/// Returns the first line of a file, which holds the hash of the program's text.
fn header(program: &Program) -> String {
    let hash = xxh3_128(program.text().as_bytes());
    format!("// fr-les {}, program text {hash:032x}", env!("CARGO_PKG_VERSION"))
}

/// Writes the PTX of one program into a directory and returns the path.
///
/// # Errors
/// The file cannot be written.
pub fn write(directory: &Path, variant: &Variant, program: &Program, ptx: &[u8]) -> Result<PathBuf, io::Error> {
    let path = directory.join(file_name(variant, program));
    let text = [header(program).as_bytes(), b"\n", ptx].concat();
    atomic_write(&path, &text)?;
    Ok(path)
}

/// Returns the directory of prebuilt PTX: FR_LES_PTX, else `ptx` beside the program.
pub fn directory() -> PathBuf {
    let named = std::env::var_os("FR_LES_PTX")
        .filter(|v| !v.is_empty())
        .map(PathBuf::from);
    named.unwrap_or_else(|| {
        let program = std::env::current_exe().unwrap_or_default();
        program.with_file_name("ptx")
    })
}

/// Returns the PTX of one program, which [`write()`] has written into a directory ([`directory`]).
///
/// # Errors
/// The file does not exist, cannot be read, or was compiled from other sources.
pub fn read(directory: &Path, variant: &Variant, program: &Program) -> Result<String, PrebuiltError> {
    let path = directory.join(file_name(variant, program));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(PrebuiltError::Missing(path)),
        Err(reason) => return Err(PrebuiltError::Unreadable { path, reason }),
    };
    if text.lines().next() != Some(header(program).as_str()) {
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
            corrects_entropy: false,
        };
        let programs = variant.programs(None);
        let program = programs.iter().find(|program| program.label == "sweep2");
        let program = program.expect("a program of sweep 2");
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
