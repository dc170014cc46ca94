//! Reading of checkpoints. Every rank finds its cells by their numbers, whichever ranks wrote them.
//!
//! Ranks read independently, without parallel HDF5: rows of one rank may be scattered over the file, and a collective
//! read of such a selection is slower than a few large reads. Rank 0 reads the list of cells and broadcasts it in
//! pieces.

use std::path::{Path, PathBuf};

use hdf5::{Dataset, Group, H5Type};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use xxhash_rust::xxh3::xxh3_64;

use super::checksums::{array_checksum, cells_checksum, first_values};
use super::types::{CheckpointSection, FORMAT, Header, Layout, VERSION};
use crate::element::ElementKind;
use crate::io::Precision;
use crate::io::collective::Text;
use crate::io::guarded::{check_size, readable};
use crate::io::parallel::{agree, broadcast};
use crate::io::su2_restart::looks_like_su2;
use crate::io::{Error, kind_of_file, open_input, whole_length};

/// Number of rows of the list of cells that are broadcast at a time.
const LIST_ROWS: usize = 1 << 20;
/// Largest number of values that are read at a time.
const RUN_VALUES: usize = 4 << 20;
/// Number of values of other ranks that are read along, to save a second read.
const GAP_VALUES: usize = 16 << 10;

/// Returns whether a file is a checkpoint, which may be damaged. To be called by any rank.
pub fn is_checkpoint(path: &Path) -> bool {
    open_input(path).is_ok() && hdf5::File::open(path).is_ok_and(|file| file.link_exists("checkpoint"))
}

/// A checkpoint that is open for reading, with its header checked.
#[derive(Debug)]
pub struct StoredCheckpoint {
    /// Its header.
    pub header: Header,
    /// The data of the parts of the program.
    pub section: CheckpointSection,
    at: At,
}

/// The file, with its path for messages.
#[derive(Debug)]
struct At {
    path: PathBuf,
    group: Group,
}

/// The position of a cell of this rank in the file.
struct Row {
    /// Index of the cell on this rank.
    cell: usize,
    /// Number of cells of each kind in all rows before it.
    before: [usize; 4],
}

/// Returns the number of values of so many cells of each kind.
fn values_of(cells: &[usize; 4], sizes: [usize; 4]) -> usize {
    cells.iter().zip(sizes).map(|(count, size)| count * size).sum()
}

impl StoredCheckpoint {
    /// Opens a checkpoint and reads all but the cells. Collective; the ranks agree on the outcome.
    ///
    /// # Errors
    /// The file cannot be read, is no checkpoint of this version, or is damaged.
    pub fn open(path: &Path, comm: &SimpleCommunicator) -> Result<Self, Error> {
        let open = || {
            let at = At::open(path)?;
            let header = at.header()?;
            let section = at.section(&header)?;
            Ok(StoredCheckpoint { header, section, at })
        };
        agree(comm, open())
    }

    /// Reads the header alone, by one rank.
    ///
    /// # Errors
    /// The file cannot be read, is no checkpoint of this version, or is damaged.
    pub fn header_of(path: &Path) -> Result<Header, Error> {
        At::open(path)?.header()
    }

    /// Returns the names of the fields, in the order in which [`StoredCheckpoint::cells`] returns them.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.header.fields.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the layout of a field, if the checkpoint has that field.
    pub fn layout_of(&self, name: &str) -> Option<Layout> {
        let field = self.header.fields.iter().find(|(field, _)| field == name);
        field.map(|(_, layout)| *layout)
    }

    /// Reads the fields of the cells with the given `numbers` in the whole mesh, ascending, and of the given `kinds`,
    /// one cell after the other. Fields at points are at the points of the order of the file. Together the ranks must
    /// ask for every cell once. The checksum is verified. Collective.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or does not have the cells.
    pub fn cells(
        &self,
        comm: &SimpleCommunicator,
        numbers: &[u64],
        kinds: &[ElementKind],
    ) -> Result<Vec<Vec<f64>>, Error> {
        let order = self.header.order;
        if let Some(kind) = kinds.iter().find(|kind| order == 0 || kind.max_order() < order) {
            return agree(
                comm,
                Err(self.at.wrong(format!("it has {kind} cells of order {order}"))),
            );
        }
        let (rows, all) = self.rows(comm, numbers, kinds)?;
        let read = || {
            let group = self.at.step("open fields", self.at.group.group("fields"))?;
            let mut fields = Vec::new();
            for (name, layout) in &self.header.fields {
                let sizes = layout.sizes(order);
                let first = first_values(kinds, sizes);
                let length = values_of(&all, sizes);
                fields.push(match layout.precision(self.header.precision) {
                    Precision::Double => self.field(&group, name, sizes, length, &rows, &first, |x: f64| x)?,
                    Precision::Single => self.field(&group, name, sizes, length, &rows, &first, f32::into)?,
                });
            }
            Ok(fields)
        };
        let fields = agree(comm, read())?;

        let parts: Vec<(Layout, &[f64])> = self
            .header
            .fields
            .iter()
            .zip(&fields)
            .map(|((_, layout), values)| (*layout, values.as_slice()))
            .collect();
        let mine = cells_checksum(numbers, kinds, order, &parts, self.header.precision);
        let mut sum = 0;
        comm.all_reduce_into(&mine, &mut sum, SystemOperation::sum());
        if sum != self.header.cells_checksum {
            let expected = self.header.cells_checksum;
            return Err(self.at.wrong(format!(
                "it is damaged: the checksum of its cells is {sum:016x}, but should be {expected:016x}"
            )));
        }
        Ok(fields)
    }

    /// Finds this rank's rows, in the order of the file, and counts the cells of each kind in all rows.
    fn rows(
        &self,
        comm: &SimpleCommunicator,
        numbers: &[u64],
        kinds: &[ElementKind],
    ) -> Result<(Vec<Row>, [usize; 4]), Error> {
        let total = self.header.cells as usize;
        let open = || {
            Ok((
                self.at.dataset::<u64>(&self.at.group, "cells", total)?,
                self.at.dataset::<u8>(&self.at.group, "kinds", total)?,
            ))
        };
        let (cells, codes) = agree(comm, open())?;
        let mut rows = Vec::with_capacity(numbers.len());
        let mut found = vec![false; numbers.len()];
        let mut before = [0; 4];
        let mut fault = None;
        for begin in (0..total).step_by(LIST_ROWS) {
            let range = begin..(begin + LIST_ROWS).min(total);
            let read = || -> Result<Vec<u8>, Error> {
                let cells = self
                    .at
                    .step("read cells", cells.read_slice_1d::<u64, _>(range.clone()))?;
                let codes = self
                    .at
                    .step("read kinds", codes.read_slice_1d::<u8, _>(range.clone()))?;
                Ok(cells.iter().flat_map(|n| n.to_le_bytes()).chain(codes).collect())
            };
            let piece = agree(comm, if comm.rank() == 0 { read() } else { Ok(Vec::new()) })?;
            let piece = broadcast(comm, 0, || piece);
            let (list, codes) = piece.split_at(8 * range.len());
            for (number, &code) in list.as_chunks::<8>().0.iter().zip(codes) {
                let number = u64::from_le_bytes(*number);
                let Some(kind) = ElementKind::ALL.into_iter().find(|kind| *kind as u8 == code) else {
                    fault.get_or_insert(format!("cell {number} is of kind {code}, which does not exist"));
                    continue;
                };
                if let Ok(cell) = numbers.binary_search(&number) {
                    if std::mem::replace(&mut found[cell], true) || kinds[cell] != kind {
                        fault.get_or_insert(format!("cell {number} is there twice, or of another kind"));
                    }
                    rows.push(Row { cell, before });
                }
                before[kind as usize] += 1;
            }
        }
        if let Some(cell) = found.iter().position(|found| !found) {
            fault.get_or_insert(format!("cell {} is not there", numbers[cell]));
        }
        let complete = fault.map_or(Ok(()), |fault| Err(self.at.wrong(format!("it is damaged: {fault}"))));
        agree(comm, complete)?;
        Ok((rows, before))
    }

    /// Reads one field of this rank's cells. Rows that lie close together are read at once.
    #[allow(clippy::too_many_arguments)]
    fn field<T: H5Type + Copy>(
        &self,
        group: &Group,
        name: &str,
        sizes: [usize; 4],
        length: usize,
        rows: &[Row],
        first: &[usize],
        convert: impl Fn(T) -> f64,
    ) -> Result<Vec<f64>, Error> {
        let dataset = self.at.dataset::<T>(group, name, length)?;
        let mut values = vec![0.0; first[first.len() - 1]];
        let start = |row: &Row| values_of(&row.before, sizes);
        let size = |row: &Row| first[row.cell + 1] - first[row.cell];
        let mut rest = rows;
        while let Some(head) = rest.first() {
            let begin = start(head);
            let mut end = begin;
            let mut count = 0;
            for row in rest {
                let start = start(row);
                let stop = start + size(row);
                if count > 0 && (start > end + GAP_VALUES || stop > begin + RUN_VALUES) {
                    break;
                }
                (end, count) = (stop, count + 1);
            }
            let run = dataset.read_slice_1d::<T, _>(begin..end);
            let run = self.at.step(&format!("read fields/{name}"), run)?;
            for row in &rest[..count] {
                let to = &mut values[first[row.cell]..first[row.cell + 1]];
                for (to, &value) in to.iter_mut().zip(run.iter().skip(start(row) - begin)) {
                    *to = convert(value);
                }
            }
            rest = &rest[count..];
        }
        Ok(values)
    }
}

impl At {
    fn open(path: &Path) -> Result<Self, Error> {
        let length = readable(path)?;
        let path = path.to_path_buf();
        let wrong = |detail: String| Error::Checkpoint {
            path: path.clone(),
            detail,
        };
        let file = hdf5::File::open(&path).map_err(|error| {
            wrong(match whole_length(&error.to_string()) {
                Some(whole) => format!("it is cut short: {length} bytes of {whole}"),
                None if looks_like_su2(&path) => "it is a restart file of SU2: a steady solution begins with it \
                                                  (`fr-les run CASE --steady`), if its name ends in .dat, or in .csv \
                                                  for a table"
                    .to_owned(),
                None => "it is not an HDF5 file, or its beginning is damaged".to_owned(),
            })
        })?;
        let group = file.group("checkpoint");
        let group = group.map_err(|_| wrong(kind_of_file(&file, "checkpoint")))?;
        Ok(At { path, group })
    }

    fn wrong(&self, detail: String) -> Error {
        let path = self.path.clone();
        Error::Checkpoint { path, detail }
    }

    fn step<T>(&self, action: &str, result: hdf5::Result<T>) -> Result<T, Error> {
        result.map_err(Error::hdf5(action, &self.path))
    }

    /// Reads and checks the header.
    fn header(&self) -> Result<Header, Error> {
        let format = self.group.attr("format").and_then(|a| a.read_raw::<u8>());
        if format.is_ok_and(|format| format != FORMAT.as_bytes()) || !self.group.link_exists("header") {
            return Err(self.wrong("its group /checkpoint is not one of fr-les".to_owned()));
        }
        let version = self.group.attr("version").and_then(|a| a.read_scalar::<u32>());
        let version = self.step("read the version", version)?;
        if version != VERSION {
            return Err(self.wrong(format!(
                "it has version {version} of the format, but this program reads version {VERSION}"
            )));
        }
        let text = self.group.dataset("header").and_then(|dataset| Text::read(&dataset));
        let text = self.step("read the header", text)?;
        let checksum = self.group.attr("checksum").and_then(|a| a.read_scalar::<u64>());
        if self.step("read the checksum", checksum)? != xxh3_64(text.as_bytes()) {
            return Err(self.wrong("it is damaged: its header does not have its checksum".to_owned()));
        }
        serde_json::from_str(&text).map_err(|error| self.wrong(format!("its header cannot be understood: {error}")))
    }

    /// Reads the arrays of the parts of the program, and checks the case text.
    fn section(&self, header: &Header) -> Result<CheckpointSection, Error> {
        let group = self.step("open arrays", self.group.group("arrays"))?;
        let mut section = CheckpointSection {
            parts: header.parts.clone(),
            ..CheckpointSection::default()
        };
        for (name, length, checksum) in &header.arrays {
            let dataset = self.dataset::<f64>(&group, name, *length)?;
            let values = self.step(&format!("read arrays/{name}"), dataset.read_raw::<f64>())?;
            if array_checksum(&values) != *checksum {
                return Err(self.wrong(format!("it is damaged: arrays/{name} does not have its checksum")));
            }
            section.arrays.insert(name.clone(), values);
        }
        let case = self.group.file().and_then(|file| file.dataset("provenance/case"));
        let case = self.step("read the case", case.and_then(|dataset| Text::read(&dataset)))?;
        // Zero bytes at the end of a text are not restored, but no case has any.
        if xxh3_64(case.as_bytes()) != header.case_checksum {
            return Err(self.wrong("it is damaged: its case does not have its checksum".to_owned()));
        }
        Ok(section)
    }

    /// Opens a dataset of one dimension, with `length` numbers of the type.
    fn dataset<T: H5Type>(&self, group: &Group, name: &str, length: usize) -> Result<Dataset, Error> {
        let action = format!("open {name}");
        let dataset = self.step(&action, group.dataset(name))?;
        let datatype = self.step(&action, dataset.dtype())?;
        let expected = self.step(&action, hdf5::Datatype::from_type::<T>())?;
        if dataset.shape() != [length] || datatype != expected {
            let shape = dataset.shape();
            return Err(self.wrong(format!("it is damaged: {name} has the shape {shape:?} or another type")));
        }
        let wrong = |detail| self.wrong(format!("it is damaged: {name} {detail}"));
        check_size(&dataset).map_err(wrong)?;
        Ok(dataset)
    }
}
