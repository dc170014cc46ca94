//! One HDF5 file that all ranks write together.
//!
//! Two facts determine the form of this module. First, a call into parallel HDF5 waits for all ranks, so that a rank
//! that stops at an error of its own would leave the others waiting for ever. After every step the ranks therefore
//! [`agree`] whether all of them succeeded, and otherwise all stop. Second, the `hdf5` crate writes datasets rank by
//! rank (independently). The collective write, in which the ranks' pieces are merged into few large accesses, exists in
//! the C interface only.
//!
//! A file can also be laid out alone: HDF5 then creates all datasets and writes texts and attributes, and the arrays
//! are kept for a thread that writes them beside the run ([`super::beside`]).

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fmt::Display;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hdf5::plist::FileAccessBuilder;
use hdf5::{Group, H5Type};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::Error;
use super::collective::{Prepared, Text, Transfer};
use super::files::open_regular;
use super::partial::Partial;
use super::stretch::{Number, Stretch, write_stretches};

/// Largest number of bytes that a rank converts and writes at a time. It bounds the memory for the copy in the format
/// of the file, and stays well below 2 GiB, the limit of MPI's 32-bit counts.
const ROUND_BYTES: usize = 32 << 20;

/// Bytes of a chunk of a compressed array; smaller arrays are not compressed.
const PACKED_BYTES: usize = 1 << 18;

/// Level of deflate. Higher levels take several times as long and save a few hundredths of the size.
const DEFLATE: u8 = 1;

/// Completes a step that all ranks take. Returns `Ok` only if all ranks succeeded. A rank that failed keeps its own
/// error; the others return the error of the lowest rank that failed. Collective.
pub fn agree<T, E: Display + From<Error>>(comm: &SimpleCommunicator, result: Result<T, E>) -> Result<T, E> {
    let mine = if result.is_err() { comm.rank() } else { comm.size() };
    let mut first = 0;
    comm.all_reduce_into(&mine, &mut first, SystemOperation::min());
    if first == comm.size() {
        return result;
    }
    let message = broadcast(comm, first, || {
        result
            .as_ref()
            .err()
            .map_or(vec![], |error| error.to_string().into_bytes())
    });
    result.and_then(|_| {
        let message = String::from_utf8_lossy(&message).into_owned();
        Err(Error::OnOtherRank { rank: first, message }.into())
    })
}

/// Returns the bytes that rank `root` computes on every rank. Collective.
pub(super) fn broadcast(comm: &SimpleCommunicator, root: i32, bytes: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let mut buffer = if comm.rank() == root { bytes() } else { vec![] };
    let mut length = buffer.len();
    let root = comm.process_at_rank(root);
    root.broadcast_into(&mut length);
    buffer.resize(length, 0);
    // An empty buffer may have an address to which MPI gives another meaning.
    if length > 0 {
        root.broadcast_into(&mut buffer[..]);
    }
    buffer
}

/// Returns the paths of rank 0 on every rank. Collective.
pub fn of_rank_0(comm: &SimpleCommunicator, paths: Vec<PathBuf>) -> Vec<PathBuf> {
    // They are joined by a zero byte, which no path contains.
    let bytes = broadcast(comm, 0, || {
        let names = paths.iter().map(|path| path.as_os_str().as_bytes());
        names.flat_map(|name| [name, b"\0"].concat()).collect()
    });
    let names = bytes.split_inclusive(|&byte| byte == 0);
    names
        .map(|name| OsStr::from_bytes(&name[..name.len() - 1]).into())
        .collect()
}

/// A file that has all but some arrays, under a temporary name. It is removed on drop.
pub struct Unfinished {
    pub(super) partial: Partial,
    pub(super) stretches: Vec<Stretch>,
}

impl Unfinished {
    /// Writes what the file lacks and gives it its name. Collective.
    ///
    /// # Errors
    /// The file cannot be written; no part of it then remains.
    pub fn complete(self, comm: &SimpleCommunicator) -> Result<(), Error> {
        let Unfinished { partial, stretches } = self;
        agree(comm, write_stretches(partial.temporary(), &stretches))?;
        publish(comm, partial)
    }
}

/// Gives a file that all ranks have written its name. Collective.
pub(super) fn publish(comm: &SimpleCommunicator, partial: Partial) -> Result<(), Error> {
    agree(comm, if comm.rank() == 0 { partial.publish() } else { Ok(()) })
}

/// When the arrays of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrays {
    /// With the rest of the file, by all ranks together.
    Now,
    /// The same, compressed.
    Packed,
    /// Later, by each rank for itself.
    Later,
}

/// Writes a file of about `bytes` bytes under a temporary name by all ranks together, flushed. It is complete, with its
/// arrays if they are not written now, and has its name when [`Unfinished::complete`] returns. After an error on any
/// rank no part of it remains, and every rank returns an error. `create` is one of the constructors of [`Shared`].
pub(super) fn write_together<'c>(
    path: &Path,
    comm: &'c SimpleCommunicator,
    bytes: u64,
    arrays: Arrays,
    create: impl FnOnce(&Path, &Path, &'c SimpleCommunicator) -> Result<Shared<'c>, Error>,
    write: impl FnOnce(&Shared<'c>) -> Result<(), Error>,
) -> Result<Unfinished, Error> {
    let root = comm.rank() == 0;
    let partial = agree(comm, Partial::new(path))?;
    let partial = if root { partial } else { partial.of_rank_0() };
    // Rank 0 creates the file with plain system calls first, and the other ranks check that they see it. A directory
    // that is missing, or missing on one node only, then gives a clear error in place of an error of MPI or a hang.
    agree(comm, if root { partial.create().map(drop) } else { Ok(()) })?;
    agree(comm, partial.open().map(drop))?;
    let mut file = create(path, partial.temporary(), comm)?;
    file.kept = (arrays == Arrays::Later).then(RefCell::default);
    file.packs = arrays == Arrays::Packed;
    // The space is reserved only now, because the creation has emptied the file.
    let reserved = agree(comm, if root { partial.reserve(bytes) } else { Ok(false) });
    let reserved = reserved.map(|reserved| broadcast(comm, 0, || vec![u8::from(reserved)]) == [1]);
    let written = reserved.and_then(|reserved| {
        // Ranks cannot write chunks that are compressed independently of each other.
        if !reserved && comm.size() > 1 && arrays != Arrays::Packed {
            file.write_alone()?;
        }
        write(&file)
    });
    let stretches = file.close(written)?;
    Ok(Unfinished { partial, stretches })
}

/// A rank's share of the rows of an array: rows follow each other in the order of the ranks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    first: usize,
    local: usize,
    total: usize,
    /// Number of rows of the rank that holds the most.
    most: usize,
}

impl Share {
    /// Returns the share of a rank that holds `local` rows. Collective.
    pub fn new(comm: &SimpleCommunicator, local: usize) -> Self {
        let mut first = 0;
        let mut total = 0;
        let mut most = 0;
        comm.exclusive_scan_into(&local, &mut first, SystemOperation::sum());
        comm.all_reduce_into(&local, &mut total, SystemOperation::sum());
        comm.all_reduce_into(&local, &mut most, SystemOperation::max());
        // The scan leaves the result of rank 0 undefined.
        Share {
            first: if comm.rank() == 0 { 0 } else { first },
            local,
            total,
            most,
        }
    }
}

/// A file that all ranks of a communicator have open for writing. Every method is collective: all ranks call it with
/// the same arguments, except for the rows and their number.
pub(super) struct Shared<'c> {
    comm: &'c SimpleCommunicator,
    /// Final path, for messages.
    path: PathBuf,
    /// Present path.
    temporary: PathBuf,
    transfer: Transfer,
    file: hdf5::File,
    /// This rank's rows of the arrays, if they are written later.
    kept: Option<RefCell<Vec<Stretch>>>,
    /// Whether arrays are compressed.
    packs: bool,
}

impl<'c> Shared<'c> {
    /// Creates the file `temporary`, which will become `path`.
    pub fn create(path: &Path, temporary: &Path, comm: &'c SimpleCommunicator) -> Result<Self, Error> {
        Self::create_with(path, temporary, comm, |_| ())
    }

    /// Creates the file in version 1.10 of HDF5's format, whose metadata has checksums.
    pub fn create_checked(path: &Path, temporary: &Path, comm: &'c SimpleCommunicator) -> Result<Self, Error> {
        Self::create_with(path, temporary, comm, |list| {
            list.libver_v110();
        })
    }

    fn create_with(
        path: &Path,
        temporary: &Path,
        comm: &'c SimpleCommunicator,
        options: impl Fn(&mut FileAccessBuilder),
    ) -> Result<Self, Error> {
        let transfer = agree(
            comm,
            Transfer::collective().map_err(Error::hdf5("prepare collective writing", path)),
        )?;
        let file = hdf5::FileBuilder::new()
            .with_fapl(|list| {
                options(list);
                list.mpio(comm.as_raw(), None)
            })
            .create(temporary);
        let file = agree(comm, file.map_err(Error::hdf5("create the file", path)))?;
        Ok(Shared {
            comm,
            path: path.to_path_buf(),
            temporary: temporary.to_path_buf(),
            transfer,
            file,
            kept: None,
            packs: false,
        })
    }

    /// Lets every rank write its rows independently from now on, which may be slower. A rank whose write fails then
    /// reports that to the others, which inside a collective write would wait for it for ever.
    fn write_alone(&mut self) -> Result<(), Error> {
        let transfer = Transfer::independent().map_err(Error::hdf5("prepare writing", &self.path));
        self.transfer = agree(self.comm, transfer)?;
        Ok(())
    }

    /// Returns the root group.
    pub fn root(&self) -> &Group {
        &self.file
    }

    /// Flushes and closes the file, and returns the rows that are to be written later, or the first error: that of
    /// `written`, on which the ranks agree, or one of its own. All groups must have been dropped, since a parallel file
    /// does not close before.
    pub fn close(self, written: Result<(), Error>) -> Result<Vec<Stretch>, Error> {
        let Shared {
            comm,
            path,
            temporary,
            transfer,
            file,
            kept,
            packs: _,
        } = self;
        drop(transfer);
        // The flush lets every rank write its own data; closing writes only the last of the metadata.
        let flush = |()| agree(comm, file.flush().map_err(Error::hdf5("flush the file", &path)));
        let result = written.and_then(flush);
        if result.is_err() {
            // HDF5 writes its metadata before it closes a file. If it cannot, as on a full disk, the file stays half
            // closed, and the library crashes on it when MPI is finalised. The space is therefore released first.
            let emptied = || open_regular(&temporary, std::fs::File::options().write(true))?.set_len(0);
            let emptied = if comm.rank() == 0 {
                emptied().map_err(Error::os("empty", &temporary))
            } else {
                Ok(())
            };
            // The file is closed next in either case; the agreement makes the other ranks wait for that.
            let _ = agree(comm, emptied);
        }
        let closed = agree(comm, file.close().map_err(Error::hdf5("close the file", &path)));
        result.and(closed)?;
        Ok(kept.map(RefCell::into_inner).unwrap_or_default())
    }

    /// Creates a group.
    pub fn group(&self, parent: &Group, name: &str) -> Result<Group, Error> {
        self.step(parent, name, || parent.create_group(name))
    }

    /// Makes an array of a group that of the same name in another file of the same folder.
    pub fn link(&self, group: &Group, name: &str, file: &str) -> Result<(), Error> {
        let target = format!("{}/{name}", group.name());
        self.step(group, name, || group.link_external(file, &target, name))
    }

    /// Writes a list of numbers as an attribute.
    pub fn attribute<T: H5Type>(&self, group: &Group, name: &str, values: &[T]) -> Result<(), Error> {
        self.step(group, name, || {
            group.new_attr::<T>().shape(values.len()).create(name)?.write(values)
        })
    }

    /// Writes one number as an attribute.
    pub fn scalar_attribute<T: H5Type>(&self, group: &Group, name: &str, value: T) -> Result<(), Error> {
        self.step(group, name, || group.new_attr::<T>().create(name)?.write_scalar(&value))
    }

    /// Writes a text of fixed length, up to 64 kB, as an attribute.
    pub fn text_attribute(&self, group: &Group, name: &str, text: &str) -> Result<(), Error> {
        let text = Text::new(text);
        self.step(group, name, || {
            text.write_to(
                &group
                    .new_attr_builder()
                    .empty_as(&text.descriptor)
                    .shape(())
                    .create(name)?,
            )
        })
    }

    /// Writes a text of fixed length and any size as a dataset. h5dump shows it, and unlike a string of variable length
    /// it can be written in parallel.
    pub fn text(&self, group: &Group, name: &str, text: &str) -> Result<(), Error> {
        let text = Text::new(text);
        let dataset = self.step(group, name, || {
            group
                .new_dataset_builder()
                .empty_as(&text.descriptor)
                .shape(())
                .create(name)
        })?;
        self.write(group, name, || Prepared::text(&dataset, &text, self.comm.rank() == 0))
    }

    /// Writes an array of one column (`width` `None`) or of `width` columns, now or later. `rows` appends the local
    /// rows of a range to a buffer, row by row, converted to the type of the file: a conversion by HDF5 itself would
    /// make the write fall back to an independent one.
    pub fn array<T: Number>(
        &self,
        group: &Group,
        name: &str,
        share: &Share,
        width: Option<usize>,
        rows: impl Fn(Range<usize>, &mut Vec<T>),
    ) -> Result<(), Error> {
        let shape = |length: usize| -> Vec<usize> { [length].into_iter().chain(width).collect() };
        let row = width.unwrap_or(1) * size_of::<T>();
        let dataset = self.step(group, name, || {
            let array = group.new_dataset::<T>().shape(shape(share.total));
            if self.packs && share.total * row > PACKED_BYTES {
                let chunk = shape(PACKED_BYTES / row);
                array.chunk(chunk).shuffle().deflate(DEFLATE).create(name)
            } else {
                array.create(name)
            }
        })?;
        if let Some(kept) = &self.kept {
            let offset = self.step(group, name, || {
                // HDF5 places an array of a parallel file when it creates it, unless it is empty.
                let offset = dataset.offset().or((share.total == 0).then_some(0));
                offset.ok_or_else(|| "it has no place in the file".into())
            })?;
            let mut values = Vec::with_capacity(share.local * width.unwrap_or(1));
            rows(0..share.local, &mut values);
            kept.borrow_mut().push(Stretch {
                offset: offset + (share.first * row) as u64,
                values: Box::new(values),
            });
            return Ok(());
        }
        let per_round = (ROUND_BYTES / row).max(1);
        let mut buffer = Vec::new();
        // Every rank takes part in every round, with nothing to write once all of its rows are written.
        for round in 0..share.most.div_ceil(per_round) {
            let range = (round * per_round).min(share.local)..((round + 1) * per_round).min(share.local);
            buffer.clear();
            rows(range.clone(), &mut buffer);
            let first = share.first + range.start;
            self.write(group, name, || {
                Prepared::rows(&dataset, first, &shape(range.len()), &buffer)
            })?;
        }
        Ok(())
    }

    /// Writes collectively. The ranks agree that all of them are ready before any of them enters the call that waits
    /// for all.
    fn write<'a>(
        &self,
        group: &Group,
        name: &str,
        prepare: impl FnOnce() -> hdf5::Result<Prepared<'a>>,
    ) -> Result<(), Error> {
        let prepared = self.step(group, name, prepare)?;
        self.step(group, name, || self.transfer.write(&prepared))
    }

    /// Takes one step on an object, describes its error, and agrees on the outcome with the other ranks.
    fn step<T>(&self, group: &Group, name: &str, work: impl FnOnce() -> hdf5::Result<T>) -> Result<T, Error> {
        let result = work().map_err(|error| {
            let action = format!("write {}/{name}", group.name().trim_end_matches('/'));
            Error::hdf5(action, &self.path)(error)
        });
        agree(self.comm, result)
    }
}
