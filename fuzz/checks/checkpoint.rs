//! The reader of checkpoints must read or refuse any bytes. MPI must be initialised before.

use fr_les::io::StoredCheckpoint;
use mpi::topology::SimpleCommunicator;

/// Opens bytes as a checkpoint on one rank.
pub fn run(bytes: &[u8]) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("checkpoint_00000001.h5");
    std::fs::write(&path, bytes).expect("written");
    match StoredCheckpoint::open(&path, &SimpleCommunicator::world()) {
        Ok(stored) => {
            for name in stored.fields() {
                assert!(stored.layout_of(name).is_some(), "{name}");
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
