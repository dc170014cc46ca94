//! The checksum of a solution file, which reading compares.
//!
//! It is a sum, modulo 2^64, of the xxh3 of every cell's kind, nodes and fields in the precision of the file, with the
//! number of the cell as seed, and of the xxh3 of time and step. Any number of ranks can write or read parts of it. It
//! is the attribute `checksum` of the group /VTKHDF, which VTK's readers pass over. Fields enter with their names, in
//! the order of these.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Name of the attribute.
pub(super) const CHECKSUM: &str = "checksum";

/// A cell's values of a field, or the positions of its nodes.
pub(super) struct CellValues<'a> {
    /// Name of the field, or of the array of positions.
    pub name: &'a str,
    /// Its values at the cell's nodes.
    pub values: &'a [f64],
}

/// Returns the part of a cell with this number and VTK's number of its kind. `bytes` is memory to work in.
pub(super) fn of_cell(id: u64, kind: u8, parts: &[CellValues], single: bool, bytes: &mut Vec<u8>) -> u64 {
    bytes.clear();
    bytes.push(kind);
    for CellValues { name, values } in parts {
        bytes.extend(name.as_bytes());
        if single {
            bytes.extend(values.iter().flat_map(|&value| (value as f32).to_le_bytes()));
        } else {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    xxh3_64_with_seed(bytes, id)
}

/// Returns the part of the time and of the number of steps.
pub(super) fn of_clock(time: f64, step: u64) -> u64 {
    xxh3_64(&[time.to_le_bytes(), step.to_le_bytes()].concat())
}
