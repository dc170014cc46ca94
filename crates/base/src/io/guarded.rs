//! The arrays of an HDF5 file, which are compared with the file before they are read.
//!
//! A damaged file can announce an array of any size, for which a reader would take all memory, or numbers of another
//! type, which HDF5 would convert in silence. All readers of this program therefore open their arrays here. An error is
//! the predicate of a sentence about the array, to which each reader adds the name of the file and of the array.

use std::io::ErrorKind;
use std::path::Path;

use hdf5::types::TypeDescriptor;
use hdf5::{Dataset, Datatype, Group, H5Type};

use super::{Error, open_input};

/// Most bytes of values that a byte of a compressed array can stand for: the limit of deflate.
const MOST_PACKED: u64 = 1032;

/// What the values of an array are, whatever their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Whole,
    Real,
    Text,
    Other,
}

impl Class {
    fn of(datatype: &Datatype) -> Self {
        match datatype.to_descriptor() {
            Ok(TypeDescriptor::Integer(_) | TypeDescriptor::Unsigned(_)) => Class::Whole,
            Ok(TypeDescriptor::Float(_)) => Class::Real,
            Ok(TypeDescriptor::FixedAscii(_) | TypeDescriptor::FixedUnicode(_)) => Class::Text,
            _ => Class::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Class::Whole => "whole numbers",
            Class::Real => "real numbers",
            Class::Text => "texts of fixed length",
            Class::Other => "values of another type",
        }
    }
}

/// Returns the size in bytes of a file that is to be opened.
///
/// # Errors
/// The file is not there, may not be read, or is a directory or a pipe, whose opening would wait for a writer.
pub fn readable(path: &Path) -> Result<u64, Error> {
    // The operating system describes better than HDF5 why a file cannot be opened.
    let opened = open_input(path).and_then(|file| file.metadata());
    match opened {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == ErrorKind::InvalidInput => Err(Error::Input {
            path: path.to_path_buf(),
            detail: "this is not a file".to_owned(),
        }),
        Err(error) => Err(Error::os("open", path)(error)),
    }
}

/// Opens an array of whole numbers, of real numbers or of texts of fixed length, as `T` is one of these.
///
/// # Errors
/// The array is not there, holds other values, or has more values than the file can hold.
pub(super) fn open_array<T: H5Type>(group: &Group, name: &str) -> Result<Dataset, String> {
    let dataset = group.dataset(name).map_err(unreadable)?;
    let found = Class::of(&dataset.dtype().map_err(unreadable)?);
    let needed = Class::of(&Datatype::from_type::<T>().map_err(unreadable)?);
    if found != needed {
        return Err(format!("holds {}, but {} are needed", found.name(), needed.name()));
    }
    check_size(&dataset)?;
    Ok(dataset)
}

/// Reads an array with its shape.
///
/// # Errors
/// As `open_array`; or HDF5 cannot read the values.
pub fn read_array<T: H5Type>(group: &Group, name: &str) -> Result<(Vec<usize>, Vec<T>), String> {
    let dataset = open_array::<T>(group, name)?;
    Ok((dataset.shape(), dataset.read_raw().map_err(unreadable)?))
}

/// Compares the size of an array with the bytes that its file holds of it.
///
/// # Errors
/// The file cannot hold so many values.
pub fn check_size(dataset: &Dataset) -> Result<(), String> {
    let shape = dataset.shape();
    let held = dataset.storage_size();
    let file = dataset.file().map_err(unreadable)?.size();
    let width = dataset.dtype().map_err(unreadable)?.size();
    let bytes = shape.iter().try_fold(width, |product, n| product.checked_mul(*n));
    let fits = bytes.is_some_and(|bytes| {
        let bytes = bytes as u64;
        if dataset.is_chunked() {
            bytes / MOST_PACKED <= held
        } else {
            bytes == held
        }
    });
    // The number of bytes that are held is a statement of the file too.
    if fits && held <= file {
        return Ok(());
    }
    Err(format!("has the shape {shape:?}, but {held} bytes"))
}

/// The predicate that HDF5 cannot read an array.
fn unreadable(error: hdf5::Error) -> String {
    format!("cannot be read (HDF5: {error})")
}
