//! Checksums of the contents of a checkpoint, and where the values of its cells lie.

use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::types::Layout;
use crate::element::ElementKind;
use crate::io::Precision;

/// Returns the size of a number in bytes.
pub fn bytes_of(precision: Precision) -> usize {
    match precision {
        Precision::Double => 8,
        Precision::Single => 4,
    }
}

/// Returns the checksum of an array.
pub fn array_checksum(values: &[f64]) -> u64 {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// Returns the offset of each cell's values, and the end of the last, for so many values of a cell of each kind.
pub fn first_values(kinds: &[ElementKind], sizes: [usize; 4]) -> Vec<usize> {
    let mut first = vec![0];
    let mut end = 0;
    for &kind in kinds {
        end += sizes[kind as usize];
        first.push(end);
    }
    first
}

/// Returns this rank's share of the checksum of the cells.
pub fn cells_checksum(
    cells: &[u64],
    kinds: &[ElementKind],
    order: usize,
    fields: &[(Layout, &[f64])],
    precision: Precision,
) -> u64 {
    let first: Vec<Vec<usize>> = fields
        .iter()
        .map(|(layout, _)| first_values(kinds, layout.sizes(order)))
        .collect();
    let of_cell = |bytes: &mut Vec<u8>, cell: usize| {
        bytes.clear();
        bytes.push(kinds[cell] as u8);
        for ((layout, values), first) in fields.iter().zip(&first) {
            let values = values[first[cell]..first[cell + 1]].iter();
            match layout.precision(precision) {
                Precision::Double => bytes.extend(values.flat_map(|value| value.to_le_bytes())),
                Precision::Single => bytes.extend(values.flat_map(|&value| (value as f32).to_le_bytes())),
            }
        }
        xxh3_64_with_seed(bytes, cells[cell])
    };
    let sums = (0..cells.len()).into_par_iter().map_init(Vec::new, of_cell);
    sums.reduce(|| 0, u64::wrapping_add)
}
