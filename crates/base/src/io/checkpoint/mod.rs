//! Checkpoints: all data with which a run continues as if it had never stopped, on any number of ranks.
//!
//! ```text
//! /checkpoint                 attributes: format = "fr-les checkpoint", version, checksum (xxh3 of header)
//!     header    text          JSON, see Header: step, order, precision, mesh, fields, checksums, data of parts
//!     cells     u64 [cells]   numbers of the cells in the whole mesh, rank after rank
//!     kinds     u8  [cells]   0 hex, 1 prism, 2 tet, 3 pyramid
//!     fields/NAME  f32 or f64 [values]   cell after cell: [variable][point] (state, compensation), or as many values
//!                                        of each kind of cell as the header states (sums of statistics; always f64)
//!     arrays/NAME  f64 [values]          numbers of parts of the program
//! /provenance                 as in solutions
//! ```
//!
//! Rows are in the order of the ranks that wrote them, so that every rank writes one contiguous piece. A rank that
//! reads finds its cells by their numbers. The checksum of the cells is a sum, modulo 2^64, of the xxh3 of every cell's
//! kind and values in the precision of the file, with the number of the cell as seed, so that any number of ranks can
//! verify it. It is part of the header, as are the checksums of the arrays and the case text. The checksum of the
//! header is an attribute. HDF5 itself checks attributes and shapes, in its format of version 1.10.
//!
//! Version 2 brought fields whose number of values depends on the kind of cell: in the header such a field has a list
//! of four numbers in place of its number of variables. It also keeps the numbers of the solution files beside those of
//! other files. Files of version 1 are refused.
//!
//! Each part of the program that keeps data between steps stores them in the [`CheckpointSection`] under a name of its
//! own.

mod data;
mod directory;
mod read;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::parallel::{Share, Shared, agree, broadcast, write_together};
use super::{Error, Provenance};
use crate::element::ElementKind;
use crate::io::Precision;
pub use data::CheckpointData;
pub use directory::{ListedCheckpoint, checkpoint_name, list_checkpoints, remove_old_checkpoints};
pub use read::{StoredCheckpoint, is_checkpoint};

/// Version of the format that is written, and the only one that is read.
const VERSION: u32 = 2;

/// Value of the attribute `format`.
const FORMAT: &str = "fr-les checkpoint";

/// Space for all but the large arrays: a generous estimate.
const METADATA_BYTES: u64 = 1 << 20;

/// Data that parts of the program keep between steps. They are the same on all ranks, or those of rank 0 are used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckpointSection {
    /// Texts and whole numbers, by the name of the part. Floating-point numbers go into `arrays`, because JSON does not
    /// keep every bit of them.
    pub parts: BTreeMap<String, serde_json::Value>,
    /// Numbers by name, kept to the bit.
    pub arrays: BTreeMap<String, Vec<f64>>,
}

/// The number of values of a field in each cell, and their precision in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Layout {
    /// So many variables at every solution point, `[variable][point]`, in the precision of the checkpoint.
    Points(usize),
    /// So many values of a cell of each kind, always in double precision.
    Cells([usize; 4]),
}

impl Layout {
    /// Returns the number of values of a cell of each kind.
    fn sizes(self, order: usize) -> [usize; 4] {
        match self {
            Layout::Points(variables) => ElementKind::ALL.map(|kind| variables * kind.points(order)),
            Layout::Cells(sizes) => sizes,
        }
    }

    /// Returns the precision in the file, if that of the checkpoint is `general`.
    fn precision(self, general: Precision) -> Precision {
        match self {
            Layout::Points(_) => general,
            Layout::Cells(_) => Precision::Double,
        }
    }
}

/// One quantity of every cell.
#[derive(Debug, Clone, Copy)]
pub struct CellField<'a> {
    /// Name in the file.
    pub name: &'a str,
    /// Number and precision of the values of a cell.
    pub layout: Layout,
    /// Values of this rank's cells, one cell after the other.
    pub values: &'a [f64],
}

/// The contents of a checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct Checkpoint<'a> {
    /// Number of completed steps.
    pub step: u64,
    /// Physical time, for information; the clock of the run is in `section`.
    pub time: f64,
    /// Polynomial degree.
    pub order: usize,
    /// Precision of the fields at points, which is that of the run.
    pub precision: Precision,
    /// Time at which the checkpoint from which the run continued was written ([`Header::written`]); 0 without one.
    pub after: u64,
    /// Number of each cell of this rank in the whole mesh.
    pub cells: &'a [u64],
    /// Kinds of these cells.
    pub kinds: &'a [ElementKind],
    /// Fields of these cells.
    pub fields: &'a [CellField<'a>],
    /// Data of the parts of the program.
    pub section: &'a CheckpointSection,
    /// Provenance; that of rank 0 is written.
    pub provenance: &'a Provenance,
}

/// The header of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Number of completed steps.
    pub step: u64,
    /// Physical time, to the digits that JSON keeps.
    pub time: f64,
    /// Polynomial degree.
    pub order: usize,
    /// Precision of the fields at points.
    pub precision: Precision,
    /// Hash of the whole mesh.
    pub mesh_hash: u64,
    /// Number of cells of the whole mesh.
    pub cells: u64,
    /// Time of writing in milliseconds since 1970; later than that of the checkpoint from which the run continued.
    pub written: u64,
    /// Names and layouts of the fields.
    fields: Vec<(String, Layout)>,
    cells_checksum: u64,
    /// Names of the arrays, their lengths and checksums.
    arrays: Vec<(String, usize, u64)>,
    case_checksum: u64,
    parts: BTreeMap<String, serde_json::Value>,
}

/// Writes a checkpoint by all ranks of `comm` together. It gets its name when it is complete and on the medium. After
/// an error on any rank no part of it remains and every rank returns an error. Returns the time of writing
/// ([`Header::written`]).
///
/// # Errors
/// The data of a rank are inconsistent, or the file cannot be written.
pub fn write_checkpoint(path: &Path, comm: &SimpleCommunicator, checkpoint: &Checkpoint) -> Result<u64, Error> {
    agree(comm, checkpoint.check(path))?;
    let provenance = agree(comm, checkpoint.provenance.of_root(comm, path))?;
    let Checkpoint {
        cells: numbers,
        kinds,
        order,
        precision,
        ..
    } = *checkpoint;
    let fields: Vec<(Layout, &[f64])> = checkpoint.fields.iter().map(|f| (f.layout, f.values)).collect();
    let mine = cells_checksum(numbers, kinds, order, &fields, precision);
    let (mut sum, mut cells) = (0, 0);
    comm.all_reduce_into(&mine, &mut sum, SystemOperation::sum());
    comm.all_reduce_into(&(numbers.len() as u64), &mut cells, SystemOperation::sum());
    // The time of rank 0, because the clocks of the ranks differ.
    let header = broadcast(comm, 0, || {
        let header = checkpoint.header(cells, sum, &provenance);
        serde_json::to_vec_pretty(&header).unwrap_or_default()
    });
    let text = String::from_utf8_lossy(&header).into_owned();
    let header: Header = agree(
        comm,
        serde_json::from_str(&text).map_err(|error| Error::Input {
            path: path.to_path_buf(),
            detail: error.to_string(),
        }),
    )?;

    let sizes = fields
        .iter()
        .map(|(layout, values)| values.len() * bytes_of(layout.precision(precision)));
    let mine = (sizes.sum::<usize>() + 9 * numbers.len()) as u64;
    let mut bytes = 0;
    comm.all_reduce_into(&mine, &mut bytes, SystemOperation::sum());
    let arrays: usize = header.arrays.iter().map(|(_, length, _)| 8 * length).sum();
    bytes += METADATA_BYTES + (arrays + text.len() + provenance.case_text.len()) as u64;
    write_together(path, comm, bytes, Shared::create_checked, |file| {
        write_all(file, comm, checkpoint, &header, &text, &provenance)
    })?;
    Ok(header.written)
}

/// Writes all groups. They are dropped on return, as closing the file requires.
fn write_all(
    file: &Shared,
    comm: &SimpleCommunicator,
    checkpoint: &Checkpoint,
    header: &Header,
    text: &str,
    provenance: &Provenance,
) -> Result<(), Error> {
    let group = file.group(file.root(), "checkpoint")?;
    file.attribute(&group, "format", FORMAT.as_bytes())?;
    file.scalar_attribute(&group, "version", VERSION)?;
    file.scalar_attribute(&group, "checksum", xxh3_64(text.as_bytes()))?;
    file.text(&group, "header", text)?;
    let share = Share::new(comm, checkpoint.cells.len());
    file.array(&group, "cells", &share, None, |rows, out: &mut Vec<u64>| {
        out.extend_from_slice(&checkpoint.cells[rows]);
    })?;
    file.array(&group, "kinds", &share, None, |rows, out: &mut Vec<u8>| {
        out.extend(checkpoint.kinds[rows].iter().map(|&kind| kind as u8));
    })?;
    let fields = file.group(&group, "fields")?;
    for field in checkpoint.fields {
        let share = Share::new(comm, field.values.len());
        let of = |rows: Range<usize>| field.values[rows].iter();
        match field.layout.precision(checkpoint.precision) {
            Precision::Double => file.array(&fields, field.name, &share, None, |rows, out: &mut Vec<f64>| {
                out.extend(of(rows));
            })?,
            Precision::Single => file.array(&fields, field.name, &share, None, |rows, out: &mut Vec<f32>| {
                out.extend(of(rows).map(|&value| value as f32));
            })?,
        }
    }
    let arrays = file.group(&group, "arrays")?;
    let root = comm.rank() == 0;
    for (name, length, _) in &header.arrays {
        let share = Share::new(comm, if root { *length } else { 0 });
        file.array(&arrays, name, &share, None, |rows, out: &mut Vec<f64>| {
            out.extend_from_slice(&checkpoint.section.arrays[name][rows]);
        })?;
    }
    provenance.write(file, file.root())
}

impl Checkpoint<'_> {
    /// Checks that the parts of this rank fit together.
    fn check(&self, path: &Path) -> Result<(), Error> {
        let size = |field: &CellField| first_values(self.kinds, field.layout.sizes(self.order))[self.kinds.len()];
        let wrong = |field: &&CellField| field.values.len() != size(field);
        let detail = match self.fields.iter().find(wrong) {
            Some(field) => format!("{} values of {} for {}", field.values.len(), field.name, size(field)),
            None if self.cells.len() != self.kinds.len() => {
                format!("{} cells of {} kinds", self.cells.len(), self.kinds.len())
            }
            None => return Ok(()),
        };
        let path = path.to_path_buf();
        Err(Error::Input { path, detail })
    }

    fn header(&self, cells: u64, cells_checksum: u64, provenance: &Provenance) -> Header {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as u64);
        let arrays = self.section.arrays.iter();
        Header {
            step: self.step,
            time: self.time,
            order: self.order,
            precision: self.precision,
            mesh_hash: provenance.mesh_hash,
            cells,
            // If the clock was set back, an older checkpoint must not become the newest one.
            written: now.max(self.after + 1),
            fields: self.fields.iter().map(|f| (f.name.to_owned(), f.layout)).collect(),
            cells_checksum,
            arrays: arrays
                .map(|(name, values)| (name.clone(), values.len(), array_checksum(values)))
                .collect(),
            case_checksum: xxh3_64(provenance.case_text.as_bytes()),
            parts: self.section.parts.clone(),
        }
    }
}

/// Returns the size of a number in bytes.
fn bytes_of(precision: Precision) -> usize {
    match precision {
        Precision::Double => 8,
        Precision::Single => 4,
    }
}

fn array_checksum(values: &[f64]) -> u64 {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// Returns the offset of each cell's values, and the end of the last, for so many values of a cell of each kind.
fn first_values(kinds: &[ElementKind], sizes: [usize; 4]) -> Vec<usize> {
    let mut first = vec![0];
    let mut end = 0;
    for &kind in kinds {
        end += sizes[kind as usize];
        first.push(end);
    }
    first
}

/// Returns this rank's share of the checksum of the cells.
fn cells_checksum(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_numbers_as_in_the_first_version_or_lists() {
        let old: Vec<(String, Layout)> = serde_json::from_str(r#"[["state", 5], ["compensation", 5]]"#).unwrap();
        assert!(old.iter().all(|(_, layout)| *layout == Layout::Points(5)));
        let new = Layout::Cells([160, 40, 0, 0]);
        let text = serde_json::to_string(&new).unwrap();
        assert_eq!(text, "[160,40,0,0]");
        assert_eq!(serde_json::from_str::<Layout>(&text).unwrap(), new);
    }
}
