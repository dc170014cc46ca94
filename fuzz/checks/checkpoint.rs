//! The reader of checkpoints must read or refuse any bytes. MPI must be initialised before.

use fr_les::element::ElementKind;
use fr_les::io::StoredCheckpoint;
use mpi::topology::SimpleCommunicator;

use super::hdf5_changes;

/// Files that [`super::hdf5_changes`] changes.
const VALID: &[&[u8]] = &[include_bytes!("../seeds/initial/checkpoint.h5")];

/// Opens bytes as a checkpoint of one hexahedron on one rank, and reads its cell.
pub fn run(bytes: &[u8]) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("checkpoint_00000001.h5");
    hdf5_changes::write(&path, bytes, VALID);
    let world = SimpleCommunicator::world();
    match StoredCheckpoint::open(&path, &world) {
        Ok(stored) => {
            for name in stored.fields() {
                assert!(stored.layout_of(name).is_some(), "{name}");
            }
            match stored.cells(&world, &[0], &[ElementKind::Hex]) {
                Ok(fields) => assert_eq!(fields.len(), stored.fields().count()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
