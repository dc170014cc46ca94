//! The output of `fr-les --version`: the program, the commit and the libraries.

use std::sync::LazyLock;

use crate::device::cpu::vector_sets;
use crate::io::Provenance;

/// The output of `--version` after the name of the program.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let program = Provenance::of_this_program();
        let (major, minor, patch) = hdf5::library_version();
        let (standard, revision) = mpi::environment::version();
        format!(
            "{}\ncommit   {}\nHDF5     {major}.{minor}.{patch}\nMPI      {} (MPI {standard}.{revision})\nvectors  {}",
            program.version,
            program.git,
            mpi_library(),
            vector_sets().join(", ")
        )
    });
    &TEXT
}

/// Returns name and version of the MPI library, without the details of its build.
fn mpi_library() -> String {
    let text = mpi::environment::library_version().unwrap_or_else(|_| "unknown".to_owned());
    let first = text.lines().next().unwrap_or_default();
    first.split(',').next().unwrap_or_default().trim().to_owned()
}
