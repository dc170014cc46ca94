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

mod checksums;
mod data;
mod directory;
mod read;
mod types;

use std::ops::Range;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use xxhash_rust::xxh3::xxh3_64;

use super::parallel::{Arrays, Share, Shared, Unfinished, agree, broadcast, write_together};
use super::{Error, Provenance};
use crate::io::Precision;
use checksums::{array_checksum, bytes_of, cells_checksum, first_values};
pub use data::CheckpointData;
pub use directory::{ListedCheckpoint, checkpoint_name, list_checkpoints, remove_old_checkpoints};
pub use read::{StoredCheckpoint, is_checkpoint};
pub use types::{CellField, Checkpoint, CheckpointSection, Header, Layout};
use types::{FORMAT, VERSION};

/// Space for all but the large arrays: a generous estimate.
const METADATA_BYTES: u64 = 1 << 20;

/// Writes a checkpoint by all ranks of `comm` together. It gets its name when it is complete and on the medium. After
/// an error on any rank no part of it remains and every rank returns an error. Returns the time of writing
/// ([`Header::written`]).
///
/// # Errors
/// The data of a rank are inconsistent, or the file cannot be written.
pub fn write_checkpoint(path: &Path, comm: &SimpleCommunicator, checkpoint: &Checkpoint) -> Result<u64, Error> {
    let (written, file) = place_checkpoint(path, comm, checkpoint, Arrays::Now)?;
    file.complete(comm)?;
    Ok(written)
}

/// Does the same, but leaves the arrays to [`super::Beside`]. Collective.
///
/// # Errors
/// As for [`write_checkpoint`].
pub fn begin_checkpoint(
    path: &Path,
    comm: &SimpleCommunicator,
    checkpoint: &Checkpoint,
) -> Result<(u64, Unfinished), Error> {
    place_checkpoint(path, comm, checkpoint, Arrays::Later)
}

fn place_checkpoint(
    path: &Path,
    comm: &SimpleCommunicator,
    checkpoint: &Checkpoint,
    arrays: Arrays,
) -> Result<(u64, Unfinished), Error> {
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
    let numbers: usize = header.arrays.iter().map(|(_, length, _)| 8 * length).sum();
    bytes += METADATA_BYTES + (numbers + text.len() + provenance.case_text.len()) as u64;
    let file = write_together(path, comm, bytes, arrays, Shared::create_checked, |file| {
        write_all(file, comm, checkpoint, &header, &text, &provenance)
    })?;
    Ok((header.written, file))
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
