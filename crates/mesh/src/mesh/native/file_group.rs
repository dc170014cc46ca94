//! Arrays and attributes of an HDF5 file, whose sizes are checked before reading: a damaged length must not exhaust
//! memory.

use std::ops::Range;
use std::path::Path;

use hdf5::{Dataset, Group, H5Type, Hyperslab};

use super::NativeError;
use super::error::{damaged, not_opened, unreadable};
use crate::io;

/// Largest gap between requested rows, in bytes, that is read along with them.
const MAX_GAP: usize = 64 << 10;

/// Largest block, in bytes, that is read with such gaps; a copy of it is held during the read.
const MAX_BLOCK: usize = 32 << 20;

/// A group of an open file, with the name of the file for messages.
pub struct FileGroup<'a> {
    /// Path of the file.
    pub path: &'a Path,
    /// The group.
    pub group: Group,
}

impl<'a> FileGroup<'a> {
    /// Adds the names of the object and the file to the error of a read.
    pub fn reading<T>(&self, name: &str, result: hdf5::Result<T>) -> Result<T, NativeError> {
        result.map_err(unreadable(self.name_of(name), self.path))
    }

    /// Adds the names of the object and the file to the error of a write.
    fn writing<T>(&self, name: &str, result: hdf5::Result<T>) -> Result<T, NativeError> {
        let action = format!("write {}", self.name_of(name));
        Ok(result.map_err(io::Error::hdf5(action, self.path))?)
    }

    /// Writes a dataset.
    pub fn write<T: H5Type>(&self, name: &str, shape: &[usize], values: &[T]) -> Result<(), NativeError> {
        let write = || {
            self.group
                .new_dataset::<T>()
                .shape(shape)
                .create(name)?
                .write_raw(values)
        };
        self.writing(name, write())
    }

    /// Writes an attribute: a single number or a list.
    pub fn write_attribute<T: H5Type>(&self, name: &str, values: &[T]) -> Result<(), NativeError> {
        let write = || match values {
            [one] => self.group.new_attr::<T>().create(name)?.write_scalar(one),
            all => self.group.new_attr::<T>().shape(all.len()).create(name)?.write_raw(all),
        };
        self.writing(name, write())
    }

    /// Opens a group in this one.
    ///
    /// # Errors
    /// There is no such group.
    pub fn open(&self, name: &str) -> Result<FileGroup<'a>, NativeError> {
        let group = self.reading(name, self.group.group(name))?;
        Ok(FileGroup { path: self.path, group })
    }

    /// Creates a group in this one.
    pub fn create(&self, name: &str) -> Result<FileGroup<'a>, NativeError> {
        let group = self.writing(name, self.group.create_group(name))?;
        Ok(FileGroup { path: self.path, group })
    }

    /// Full name of an object in the group.
    fn name_of(&self, name: &str) -> String {
        format!("{}/{name}", self.group.name().trim_end_matches('/'))
    }

    /// Opens a dataset of shape `[length, row...]` and returns it with its length.
    ///
    /// # Errors
    /// The dataset does not exist, or has another shape, type or size in the file.
    pub fn dataset<T: H5Type>(&self, name: &str, row: &[usize]) -> Result<(Dataset, usize), NativeError> {
        let dataset = self.reading(name, self.group.dataset(name))?;
        let shape = dataset.shape();
        let refused = |detail: String| damaged(self.path, format!("{} {detail}", self.name_of(name)));
        let Some((&length, _)) = shape.split_first().filter(|(_, others)| *others == row) else {
            return Err(refused(format!("has the shape {shape:?}")));
        };
        let datatype = self.reading(name, dataset.dtype())?;
        let expected = self.reading(name, hdf5::Datatype::from_type::<T>())?;
        if datatype != expected {
            return Err(refused("holds numbers of another type".to_owned()));
        }
        io::check_size(&dataset).map_err(refused)?;
        Ok((dataset, length))
    }

    /// Reads all values of a dataset of shape `[length, row...]`.
    ///
    /// # Errors
    /// The dataset cannot be read or does not have this shape.
    pub fn read<T: H5Type>(&self, name: &str, row: &[usize]) -> Result<Vec<T>, NativeError> {
        let (dataset, _) = self.dataset::<T>(name, row)?;
        self.reading(name, dataset.read_raw())
    }

    /// Reads all values of a dataset of shape `[length]`.
    ///
    /// # Errors
    /// The dataset cannot be read or has another length.
    pub fn read_of<T: H5Type>(&self, name: &str, length: usize) -> Result<Vec<T>, NativeError> {
        self.check_length::<T>(name, &[], length)?;
        self.read(name, &[])
    }

    /// Checks that a dataset has `length` rows.
    ///
    /// # Errors
    /// The dataset cannot be opened or has another length.
    pub fn check_length<T: H5Type>(&self, name: &str, row: &[usize], length: usize) -> Result<(), NativeError> {
        let (_, found) = self.dataset::<T>(name, row)?;
        if found == length {
            Ok(())
        } else {
            let name = self.name_of(name);
            Err(damaged(
                self.path,
                format!("{name} has {found} rows, but {length} are needed"),
            ))
        }
    }

    /// Reads ranges of rows, which must be ascending and disjoint, and concatenates them. `row` has at most one
    /// dimension.
    ///
    /// # Errors
    /// The dataset cannot be read or does not have this shape.
    pub fn read_rows<T: H5Type + Copy>(
        &self,
        name: &str,
        row: &[usize],
        runs: &[Range<usize>],
    ) -> Result<Vec<T>, NativeError> {
        let (dataset, _) = self.dataset::<T>(name, row)?;
        let width = row.iter().product::<usize>();
        let bytes = |rows: usize| rows * width * size_of::<T>();
        let mut values = Vec::with_capacity(width * runs.iter().map(Range::len).sum::<usize>());
        let mut rest = runs;
        while let Some(first) = rest.first() {
            // Reading a short gap along with its neighbours is faster than another access.
            let joins = |pair: &[Range<usize>]| {
                bytes(pair[1].start - pair[0].end) <= MAX_GAP && bytes(pair[1].end - first.start) <= MAX_BLOCK
            };
            let count = 1 + rest.windows(2).take_while(|pair| joins(pair)).count();
            let block = first.start..rest[count - 1].end;
            let read = match width {
                1 => dataset
                    .read_slice_1d(block.clone())
                    .map(|array| array.into_raw_vec_and_offset().0),
                _ => {
                    let slab = Hyperslab::from(vec![block.clone().into(), (..).into()]);
                    dataset
                        .read_slice_2d(slab)
                        .map(|array| array.into_raw_vec_and_offset().0)
                }
            };
            let read: Vec<T> = self.reading(name, read)?;
            for run in &rest[..count] {
                values.extend_from_slice(&read[width * (run.start - block.start)..width * (run.end - block.start)]);
            }
            rest = &rest[count..];
        }
        Ok(values)
    }

    /// Reads an attribute of `count` numbers.
    ///
    /// # Errors
    /// The attribute cannot be read or has another number of values.
    pub fn read_attribute<T: H5Type>(&self, name: &str, count: usize) -> Result<Vec<T>, NativeError> {
        let read = || {
            let attribute = self.group.attr(name)?;
            if attribute.size() == count {
                attribute.read_raw()
            } else {
                Err(format!("it has {} values instead of {count}", attribute.size()).into())
            }
        };
        let what = format!("the attribute {}", self.name_of(name));
        read().map_err(unreadable(what, self.path))
    }
}

/// Opens a file for reading and returns its root group.
///
/// # Errors
/// The file cannot be opened or is not a valid HDF5 file.
pub fn open(path: &Path) -> Result<FileGroup<'_>, NativeError> {
    let length = io::readable(path)?;
    let file = hdf5::File::open(path).map_err(not_opened(path, length))?;
    let group = file.group("/").map_err(unreadable("/".to_owned(), path))?;
    Ok(FileGroup { path, group })
}

/// Joins ascending ranges that follow each other without a gap.
pub fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = vec![];
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

/// Compares a checksum with the attribute that stores it.
///
/// # Errors
/// They differ, or the attribute cannot be read.
pub fn check_stored(at: &FileGroup, name: &str, found: u64) -> Result<(), NativeError> {
    let stored = at.read_attribute::<u64>(name, 1)?[0];
    if stored == found {
        Ok(())
    } else {
        let detail = format!(
            "the {name} of {} is {found:016x}, but should be {stored:016x}",
            at.group.name()
        );
        Err(damaged(at.path, detail))
    }
}
