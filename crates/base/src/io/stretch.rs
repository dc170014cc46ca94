//! Rows of arrays in memory, and their places in a file that HDF5 has laid out and closed.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use hdf5::H5Type;

use super::Error;
use super::files::open_regular;

/// Numbers that are converted and written at a time.
const NUMBERS_AT_ONCE: usize = 1 << 20;

/// A number as a file has it.
pub trait Number: H5Type + Copy + Send + 'static {
    /// Appends the bytes of numbers, in the order of this machine, in which HDF5 stores them.
    fn append(numbers: &[Self], bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            fn append(numbers: &[Self], bytes: &mut Vec<u8>) {
                bytes.extend(numbers.iter().flat_map(|number| number.to_ne_bytes()));
            }
        }
    )*};
}

numbers!(f32, f64, i64, u8, u64);

/// Rows of an array in memory.
pub(super) trait Values: Send {
    /// Writes them to a place in a file.
    fn write(&self, file: &File, offset: u64) -> std::io::Result<()>;
}

impl<T: Number> Values for Vec<T> {
    fn write(&self, file: &File, mut offset: u64) -> std::io::Result<()> {
        let mut bytes = Vec::with_capacity(self.len().min(NUMBERS_AT_ONCE) * size_of::<T>());
        for numbers in self.chunks(NUMBERS_AT_ONCE) {
            bytes.clear();
            T::append(numbers, &mut bytes);
            file.write_all_at(&bytes, offset)?;
            offset += bytes.len() as u64;
        }
        Ok(())
    }
}

/// Rows of an array and their place in the file.
pub(super) struct Stretch {
    /// Offset of their first byte in the file.
    pub offset: u64,
    /// The rows.
    pub values: Box<dyn Values>,
}

/// Writes rows into an existing file, and flushes it to the medium.
pub(super) fn write_stretches(path: &Path, stretches: &[Stretch]) -> Result<(), Error> {
    if stretches.is_empty() {
        return Ok(());
    }
    let file = open_regular(path, File::options().write(true)).map_err(Error::os("open", path))?;
    let write = |stretch: &Stretch| stretch.values.write(&file, stretch.offset);
    stretches.iter().try_for_each(write).map_err(Error::os("write", path))?;
    file.sync_data().map_err(Error::os("flush", path))
}
