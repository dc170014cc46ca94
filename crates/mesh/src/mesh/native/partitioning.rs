//! A partition stored with the mesh: the part of each cell, and the cells of each part. With both arrays a rank finds
//! its own cells and the ranks of their neighbours without reading either array whole.

use std::ops::Range;

use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use super::NativeError;
use super::error::damaged;
use super::file_group::{FileGroup, check_stored, joined};
use crate::mesh::partition::Weights;

/// A partition of the cells of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitioning {
    /// Number of parts.
    pub parts: usize,
    /// Order of the solution for which the partition is made.
    pub order: u32,
    /// Cost of a cell of each kind in thousandths of a hexahedron, in the order of
    /// [`crate::element::ElementKind::ALL`].
    pub weights: [u32; 4],
    /// The part of each cell, `[cell]`.
    pub part_of: Vec<u32>,
}

/// The cells of one part in the file.
pub(super) struct OwnCells {
    /// Numbers of the cells, ascending.
    pub cells: Vec<usize>,
    /// Contribution of the cells to the checksum.
    pub sum: u64,
}

impl Partitioning {
    /// Creates the partition that [`crate::mesh::partition::divide`] returned for these weights.
    pub fn new(part_of: Vec<u32>, parts: usize, weights: &Weights) -> Self {
        Partitioning {
            parts,
            order: weights.order() as u32,
            weights: weights.cells(),
            part_of,
        }
    }

    /// Writes the partition into its group; `mesh` is the checksum of the mesh.
    pub(super) fn write(&self, at: &FileGroup, mesh: u64) -> Result<(), NativeError> {
        let sum = sum_of_cells(self.part_of.iter().copied().enumerate());
        let (cells, first) = self.index();
        at.write_attribute("order", &[self.order])?;
        at.write_attribute("weights", &self.weights)?;
        at.write_attribute(
            "checksum",
            &[sum.wrapping_add(sum_of_rest(self.order, self.weights, mesh))],
        )?;
        at.write("parts", &[self.part_of.len()], &self.part_of)?;
        at.write("cells", &[cells.len()], &cells)?;
        at.write("first_cell", &[first.len()], &first)
    }

    /// The cells sorted by part, and the offset of each part.
    fn index(&self) -> (Vec<u64>, Vec<u64>) {
        let mut first = vec![0; self.parts + 1];
        self.part_of.iter().for_each(|&part| first[part as usize + 1] += 1);
        let mut end = 0;
        for count in &mut first {
            end += *count;
            *count = end;
        }
        let mut next = first.clone();
        let mut cells = vec![0; self.part_of.len()];
        for (cell, &part) in self.part_of.iter().enumerate() {
            let slot = &mut next[part as usize];
            cells[*slot as usize] = cell as u64;
            *slot += 1;
        }
        (cells, first)
    }

    /// Reads a whole partition and checks that it covers `cells` cells; `mesh` is the checksum of the mesh.
    pub(super) fn read(at: &FileGroup, parts: usize, cells: usize, mesh: u64) -> Result<Self, NativeError> {
        let bounds = bounds(at, parts, cells)?;
        let (order, weights) = attributes(at)?;
        let part_of: Vec<u32> = at.read_of("parts", cells)?;
        let listed: Vec<u64> = at.read_of("cells", cells)?;
        for (part, bounds) in bounds.iter().enumerate() {
            check_cells(at, &listed[bounds.clone()], cells)?;
            let of = |&cell: &u64| part_of[cell as usize];
            check_parts(at, part, &listed[bounds.clone()], listed[bounds.clone()].iter().map(of))?;
        }
        let sum = sum_of_cells(part_of.iter().copied().enumerate());
        check_stored(at, "checksum", sum.wrapping_add(sum_of_rest(order, weights, mesh)))?;
        Ok(Partitioning {
            parts,
            order,
            weights,
            part_of,
        })
    }
}

/// Reads the cells of one part and checks them as far as one rank can. If all parts pass and the checksum is right,
/// every cell is in exactly one part: the lists of two parts have no cell in common, and all lists together have as
/// many entries as there are cells.
pub(super) fn read_own(at: &FileGroup, parts: usize, part: usize, cells: usize) -> Result<OwnCells, NativeError> {
    let bounds = bounds(at, parts, cells)?;
    at.check_length::<u32>("parts", &[], cells)?;
    at.check_length::<u64>("cells", &[], cells)?;
    let listed: Vec<u64> = at.read_rows("cells", &[], &[bounds[part].clone()])?;
    check_cells(at, &listed, cells)?;
    let own: Vec<usize> = listed.iter().map(|&cell| cell as usize).collect();
    let found = parts_of(at, &own, parts)?;
    check_parts(at, part, &listed, found.iter().copied())?;
    Ok(OwnCells {
        sum: sum_of_cells(own.iter().copied().zip(found)),
        cells: own,
    })
}

/// Reads the parts of some cells, given in ascending order, and checks that these parts exist.
pub(super) fn parts_of(at: &FileGroup, cells: &[usize], parts: usize) -> Result<Vec<u32>, NativeError> {
    let found: Vec<u32> = at.read_rows("parts", &[], &joined(cells.iter().map(|&cell| cell..cell + 1)))?;
    match found.iter().zip(cells).find(|(part, _)| **part as usize >= parts) {
        None => Ok(found),
        Some((part, cell)) => {
            let detail = format!(
                "{} has cell {cell} in part {part}, but there are {parts}",
                at.group.name()
            );
            Err(damaged(at.path, detail))
        }
    }
}

/// Checks the checksum, given the contributions of the cells of all parts and the checksum of the mesh.
pub(super) fn check_together(at: &FileGroup, sum: u64, mesh: u64) -> Result<(), NativeError> {
    let (order, weights) = attributes(at)?;
    check_stored(at, "checksum", sum.wrapping_add(sum_of_rest(order, weights, mesh)))
}

/// Reads the order and the weights.
fn attributes(at: &FileGroup) -> Result<(u32, [u32; 4]), NativeError> {
    let weights = at.read_attribute::<u32>("weights", 4)?;
    Ok((
        at.read_attribute("order", 1)?[0],
        std::array::from_fn(|kind| weights[kind]),
    ))
}

/// Reads the ranges of the parts in the list of cells, and checks that none is empty and that they cover the list.
fn bounds(at: &FileGroup, parts: usize, cells: usize) -> Result<Vec<Range<usize>>, NativeError> {
    let (_, length) = at.dataset::<u64>("first_cell", &[])?;
    let first: Vec<u64> = if Some(length) == parts.checked_add(1) {
        at.read("first_cell", &[])?
    } else {
        vec![]
    };
    let rises = |pair: &[u64]| pair[0] < pair[1];
    let whole = first.first() == Some(&0) && first.last() == Some(&(cells as u64));
    if whole && first.windows(2).all(rises) {
        Ok(first
            .windows(2)
            .map(|pair| pair[0] as usize..pair[1] as usize)
            .collect())
    } else {
        let detail = format!(
            "{}/first_cell does not divide {cells} cells into {parts} parts",
            at.group.name()
        );
        Err(damaged(at.path, detail))
    }
}

/// Checks that listed cells exist and ascend.
fn check_cells(at: &FileGroup, listed: &[u64], cells: usize) -> Result<(), NativeError> {
    let ascend = listed.windows(2).all(|pair| pair[0] < pair[1]);
    if ascend && listed.last().is_none_or(|&last| last < cells as u64) {
        Ok(())
    } else {
        let detail = format!(
            "{}/cells does not list cells of the mesh in ascending order",
            at.group.name()
        );
        Err(damaged(at.path, detail))
    }
}

/// Checks that the cells listed for a part belong to it; `found` are their parts.
fn check_parts(
    at: &FileGroup,
    part: usize,
    listed: &[u64],
    mut found: impl Iterator<Item = u32>,
) -> Result<(), NativeError> {
    match listed.iter().zip(&mut found).find(|(_, found)| *found as usize != part) {
        None => Ok(()),
        Some((cell, found)) => {
            let detail = format!(
                "{} lists cell {cell} in part {part}, but has it in part {found}",
                at.group.name()
            );
            Err(damaged(at.path, detail))
        }
    }
}

/// Contribution of some cells to the checksum.
fn sum_of_cells(cells: impl Iterator<Item = (usize, u32)>) -> u64 {
    let each = cells.map(|(cell, part)| xxh3_64_with_seed(&part.to_le_bytes(), cell as u64));
    each.fold(0, u64::wrapping_add)
}

/// Contribution of everything but the cells to the checksum; `mesh` is the checksum of the mesh.
fn sum_of_rest(order: u32, weights: [u32; 4], mesh: u64) -> u64 {
    let mut rest = Xxh3::new();
    rest.update(&mesh.to_le_bytes());
    [order]
        .iter()
        .chain(&weights)
        .for_each(|n| rest.update(&n.to_le_bytes()));
    rest.digest()
}
