//! What the fuzz targets share: the checks, and MPI for those that read on several ranks.

pub mod checks;

/// Initialises MPI until the process ends. The universe is forgotten, since dropping it would finalise MPI.
pub fn initialise_mpi() {
    std::mem::forget(mpi::initialize().expect("MPI"));
}
