//! The few calls into HDF5's C interface for which the `hdf5` crate has no safe form: collective writing, and texts
//! whose length is known only at run time. All `unsafe` code of this room is here.

use std::ffi::c_void;
use std::marker::PhantomData;

use hdf5::types::TypeDescriptor;
use hdf5::{Attribute, Dataset, Dataspace, Datatype, H5Type, h5check};
use hdf5_sys::h5p::H5FD_mpio_xfer_t::{self, H5FD_MPIO_COLLECTIVE, H5FD_MPIO_INDEPENDENT};
use hdf5_sys::h5s::H5S_seloper_t::H5S_SELECT_SET;
use hdf5_sys::{h5a, h5d, h5i, h5p, h5s};

use super::guarded::check_size;

/// A text of fixed length, as HDF5 stores it.
pub(super) struct Text {
    bytes: Vec<u8>,
    /// Its HDF5 type.
    pub descriptor: TypeDescriptor,
}

impl Text {
    /// Returns a text as HDF5 stores it. HDF5 has no texts of length zero: an empty one becomes one zero byte, which
    /// readers strip. Plain ASCII is marked as such, because older VTK refuses anything else for its own attributes.
    pub fn new(text: &str) -> Self {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(bytes.len().max(1), 0);
        let kind = if text.is_ascii() {
            TypeDescriptor::FixedAscii
        } else {
            TypeDescriptor::FixedUnicode
        };
        Text {
            descriptor: kind(bytes.len()),
            bytes,
        }
    }

    /// Reads the text of a dataset that [`Prepared::text`] wrote.
    pub fn read(dataset: &Dataset) -> hdf5::Result<String> {
        let datatype = dataset.dtype()?;
        let text = matches!(
            datatype.to_descriptor()?,
            TypeDescriptor::FixedAscii(_) | TypeDescriptor::FixedUnicode(_)
        );
        if !text || dataset.size() != 1 {
            return Err("it is not a text of fixed length".into());
        }
        check_size(dataset).map_err(|detail| format!("it {detail}"))?;
        let mut bytes = vec![0_u8; datatype.size()];
        hdf5::sync::sync(|| {
            let (all, list) = (h5s::H5S_ALL, h5p::H5P_DEFAULT);
            // SAFETY: both handles are open; one element of the type, whose size is the length of `bytes`, is written
            // there.
            h5check(unsafe { h5d::H5Dread(dataset.id(), datatype.id(), all, all, list, bytes.as_mut_ptr().cast()) })
        })?;
        let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        bytes.truncate(end);
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".into())
    }

    /// Writes the text to an attribute, which was created with its type.
    pub fn write_to(&self, attribute: &Attribute) -> hdf5::Result<()> {
        let datatype = Datatype::from_descriptor(&self.descriptor)?;
        if attribute.size() != 1 {
            return Err("a text needs a scalar attribute".into());
        }
        hdf5::sync::sync(|| {
            // SAFETY: both handles are open; one element of the type, whose size is the length of `bytes`, is read.
            h5check(unsafe { h5a::H5Awrite(attribute.id(), datatype.id(), self.bytes.as_ptr().cast()) })
        })?;
        Ok(())
    }
}

/// A collective write that is checked and prepared, so that only the write itself can fail.
pub(super) struct Prepared<'a> {
    dataset: &'a Dataset,
    /// Type of the elements at `data`.
    datatype: Datatype,
    /// The selection of the memory at `data`; its extent is that memory.
    memory: Dataspace,
    /// The selection in the dataset.
    file: Dataspace,
    data: *const c_void,
    borrow: PhantomData<&'a [u8]>,
}

impl<'a> Prepared<'a> {
    /// Prepares the write of the rows from `first` on of a dataset. `shape` is their number and, for a dataset of two
    /// dimensions, the number of columns.
    pub fn rows<T: H5Type>(dataset: &'a Dataset, first: usize, shape: &[usize], data: &'a [T]) -> hdf5::Result<Self> {
        let memory = Dataspace::try_new(shape)?;
        let file = dataset.space()?;
        if data.len() != shape.iter().product::<usize>() || shape.len() != file.ndim() {
            return Err(format!("{} values do not fill {shape:?}", data.len()).into());
        }
        if data.is_empty() {
            select_none(&memory)?;
            select_none(&file)?;
        } else {
            let mut start: Vec<u64> = vec![0; shape.len()];
            start[0] = first as u64;
            let count: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
            let (start, count) = (start.as_ptr(), count.as_ptr());
            let (stride, block) = (std::ptr::null(), std::ptr::null());
            hdf5::sync::sync(|| {
                // SAFETY: the space is open, `start` and `count` have its rank, null stride and block mean one.
                h5check(unsafe { h5s::H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start, stride, count, block) })
            })?;
        }
        let datatype = Datatype::from_type::<T>()?;
        Ok(Prepared {
            dataset,
            datatype,
            memory,
            file,
            data: data.as_ptr().cast(),
            borrow: PhantomData,
        })
    }

    /// Prepares the write of the text of a scalar dataset, or this rank's part in it without data.
    pub fn text(dataset: &'a Dataset, text: &'a Text, write: bool) -> hdf5::Result<Self> {
        let datatype = Datatype::from_descriptor(&text.descriptor)?;
        let memory = Dataspace::try_new(())?;
        let file = dataset.space()?;
        if !write {
            select_none(&memory)?;
            select_none(&file)?;
        }
        Ok(Prepared {
            dataset,
            datatype,
            memory,
            file,
            data: text.bytes.as_ptr().cast(),
            borrow: PhantomData,
        })
    }
}

/// Selects nothing of a space: the part of a rank that joins a collective write without data.
fn select_none(space: &Dataspace) -> hdf5::Result<()> {
    // SAFETY: the space is open.
    hdf5::sync::sync(|| h5check(unsafe { h5s::H5Sselect_none(space.id()) }))?;
    Ok(())
}

/// The property list that states whether ranks write collectively or independently; closed on drop.
pub(super) struct Transfer(h5i::hid_t);

impl Transfer {
    /// Returns the property list of collective writing, in few large accesses.
    pub fn collective() -> hdf5::Result<Self> {
        Self::new(H5FD_MPIO_COLLECTIVE)
    }

    /// Returns the property list of independent writing.
    pub fn independent() -> hdf5::Result<Self> {
        Self::new(H5FD_MPIO_INDEPENDENT)
    }

    fn new(mode: H5FD_mpio_xfer_t) -> hdf5::Result<Self> {
        hdf5::sync::sync(|| {
            // SAFETY: the class is a constant of the initialised library (`sync` ensures that).
            let list = Transfer(h5check(unsafe { h5p::H5Pcreate(*hdf5::globals::H5P_DATASET_XFER) })?);
            // SAFETY: the list was just created, and is of the class that takes this property.
            h5check(unsafe { h5p::H5Pset_dxpl_mpio(list.0, mode) })?;
            Ok(list)
        })
    }

    /// Writes the data. Collective: every rank that has the dataset open takes part.
    pub fn write(&self, what: &Prepared) -> hdf5::Result<()> {
        let Prepared {
            dataset,
            datatype,
            memory,
            file,
            data,
            ..
        } = what;
        hdf5::sync::sync(|| {
            // SAFETY: the handles are open as long as their owners live; `data` is borrowed, and the extent of `memory`
            // in elements of `datatype` is its length, by the constructors of `Prepared`.
            h5check(unsafe { h5d::H5Dwrite(dataset.id(), datatype.id(), memory.id(), file.id(), self.0, *data) })
        })?;
        Ok(())
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        // SAFETY: the list is open and closed only here.
        hdf5::sync::sync(|| unsafe { h5p::H5Pclose(self.0) });
    }
}
