//! The output of `fr-les --version`: the program, the commit and the libraries.

use std::sync::LazyLock;

use crate::device::cpu::vector_sets;
use crate::io::Provenance;

/// The output of `--version` after the name of the program.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let program = Provenance::of_this_program();
        let (standard, revision) = mpi::environment::version();
        format!(
            "{}\ncommit   {}\nHDF5     {}\nMPI      {} (MPI {standard}.{revision})\nvectors  {}",
            program.version,
            program.git,
            hdf5_library(),
            mpi_library(),
            vector_sets().join(", ")
        )
    });
    &TEXT
}

/// Returns version and commit of the program.
pub(super) fn program() -> String {
    let program = Provenance::of_this_program();
    format!("{}, commit {}", program.version, program.git)
}

/// Returns the version of the HDF5 library.
pub(super) fn hdf5_library() -> String {
    let (major, minor, patch) = hdf5::library_version();
    format!("{major}.{minor}.{patch}")
}

/// Returns name and version of the MPI library, without the details of its build.
pub(super) fn mpi_library() -> String {
    let text = mpi::environment::library_version().unwrap_or_else(|_| "unknown".to_owned());
    let first = text.lines().next().unwrap_or_default();
    first.split(',').next().unwrap_or_default().trim().to_owned()
}
