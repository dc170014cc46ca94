//! The native mesh file: HDF5, in cell order, so that many processes can each read their own cells.
//!
//! ```text
//! /mesh                       attributes: format = "fr-les mesh", version, geometry_order, hash (Mesh::hash),
//!                             checksum, structured (cubes in x, y, z, and cells of a cube; boxes only)
//!     kinds           u8  [cells]       0 hex, 1 prism, 2 tet, 3 pyramid
//!     first_node      u64 [cells + 1]   where each cell's nodes begin in nodes
//!     nodes           f64 [nodes, 3]    on the element's points of degree geometry_order
//!     first_side      u64 [cells + 1]   where each cell's sides begin in side_cells and side_codes
//!     side_cells      i64 [sides]       the cell behind a face; -1 - i for boundary i
//!     side_codes      u16 [sides]       its face + 8 orientation + 64 (1 + rotation, 0 without); 0 for boundaries
//!     boundary_names  u8  [bytes]       UTF-8, each name ended by a line feed
//!     joined          u8  [bytes]       names of boundaries joined as periodic, two by two; as boundary_names; may be absent
//!     rotations       f64 [n, 3, 3]     x there = R x here, rows of R
//!     tags            u64 [cells]       tags of the cells in the file they were read from; empty if generated
//! /partitions                 one group <n> for n processes; reserved
//! ```
//!
//! The checksum is a sum over cells, so that processes can check it together: to xxh3 of the rest are added, wrapping
//! at 64 bits, the xxh3 of every cell's kind, nodes, sides and tag, with the cell's number as seed. HDF5 itself checks
//! what it keeps between the arrays, in the format of version 1.10. A file appears whole or not at all.

mod content;

use std::path::{Path, PathBuf};

use hdf5::{Group, H5Type};
use mpi::topology::SimpleCommunicator;
use thiserror::Error;

use super::{Fault, Mesh, partition};
use crate::io::{self, Partial};
use content::Content;

/// Version of the format that is written, and the newest that is read.
const VERSION: u32 = 1;

/// What the attribute `format` says.
const FORMAT: &str = "fr-les mesh";

/// A failure to read or write a native mesh file.
#[derive(Debug, Error)]
pub enum NativeError {
    /// The file could not be put in its place.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The operating system refused to open the file.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The HDF5 library refused, mostly because the file is damaged or something else.
    #[error("{}: HDF5 cannot {action}: {detail}", path.display())]
    Hdf5 {
        /// What was tried, as a verb with its object: "read /mesh/nodes".
        action: String,
        /// The file.
        path: PathBuf,
        /// The library's reason.
        detail: String,
    },
    /// An HDF5 file of something else.
    #[error("{}: this is not a mesh of fr-les: {detail}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing or different.
        detail: String,
    },
    /// A file from the future.
    #[error("{}: the file has version {version} of the format, but this program reads up to {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The contents do not make sense.
    #[error("{}: the mesh is damaged: {detail}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        detail: String,
    },
    /// The parts of the mesh do not fit together.
    #[error("{}: the mesh is damaged: {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        fault: Fault,
    },
    /// A mesh that the format cannot hold.
    #[error("{}: the mesh cannot be written: {detail}", path.display())]
    Unwritable {
        /// The file that was to be written.
        path: PathBuf,
        /// Why.
        detail: String,
    },
}

/// An open file with its name for messages.
struct At<'a> {
    path: &'a Path,
    group: Group,
}

impl At<'_> {
    fn step<T>(&self, verb: &str, name: &str, result: hdf5::Result<T>) -> Result<T, NativeError> {
        result.map_err(|error| hdf5_error(format!("{verb} {}/{name}", self.group.name()), self.path, &error))
    }

    fn write<T: H5Type>(&self, name: &str, shape: &[usize], values: &[T]) -> Result<(), NativeError> {
        let write = || {
            self.group
                .new_dataset::<T>()
                .shape(shape)
                .create(name)?
                .write_raw(values)
        };
        self.step("write", name, write())
    }

    fn write_attribute<T: H5Type>(&self, name: &str, values: &[T]) -> Result<(), NativeError> {
        let write = || match values {
            [one] => self.group.new_attr::<T>().create(name)?.write_scalar(one),
            all => self.group.new_attr::<T>().shape(all.len()).create(name)?.write_raw(all),
        };
        self.step("write", name, write())
    }

    /// Values of a dataset whose shape beyond the first dimension is `row`.
    fn read<T: H5Type>(&self, name: &str, row: &[usize]) -> Result<Vec<T>, NativeError> {
        let dataset = self.step("read", name, self.group.dataset(name))?;
        let shape = dataset.shape();
        let damaged = |detail: String| NativeError::Content {
            path: self.path.to_path_buf(),
            detail: format!("/mesh/{name} {detail}"),
        };
        if shape.get(1..) != Some(row) {
            return Err(damaged(format!("has the shape {shape:?}")));
        }
        let datatype = self.step("read", name, dataset.dtype())?;
        let expected = self.step("read", name, hdf5::Datatype::from_type::<T>())?;
        if datatype != expected {
            return Err(damaged("holds numbers of another type".to_owned()));
        }
        // A damaged length could ask for more memory than there is.
        let bytes = shape
            .iter()
            .try_fold(size_of::<T>(), |product, n| product.checked_mul(*n));
        if bytes.is_none_or(|bytes| bytes as u64 != dataset.storage_size()) {
            return Err(damaged(format!(
                "has the shape {shape:?}, but {} bytes",
                dataset.storage_size()
            )));
        }
        self.step("read", name, dataset.read_raw())
    }

    fn read_attribute<T: H5Type>(&self, name: &str, count: usize) -> Result<Vec<T>, NativeError> {
        let read = || {
            let attribute = self.group.attr(name)?;
            match attribute.size() == count {
                true => attribute.read_raw(),
                false => Err(format!("it has {} values instead of {count}", attribute.size()).into()),
            }
        };
        self.step("read the attribute", name, read())
    }
}

fn hdf5_error(action: String, path: &Path, error: &hdf5::Error) -> NativeError {
    NativeError::Hdf5 {
        action,
        path: path.to_path_buf(),
        detail: error.to_string(),
    }
}

/// Writes a mesh, replacing what was there.
pub fn write(mesh: &Mesh, path: &Path) -> Result<(), NativeError> {
    let content = Content::of(mesh).map_err(|detail| NativeError::Unwritable {
        path: path.to_path_buf(),
        detail,
    })?;
    let partial = Partial::new(path)?;
    // The metadata of version 1.10 has checksums of its own.
    let file = hdf5::FileBuilder::new()
        .with_fapl(|list| list.libver_v110())
        .create(partial.temporary())
        .map_err(|e| hdf5_error("create the file".to_owned(), path, &e))?;
    let group = |name: &str| {
        file.create_group(name)
            .map_err(|e| hdf5_error(format!("create /{name}"), path, &e))
    };
    let at = At {
        path,
        group: group("mesh")?,
    };
    group("partitions")?;
    at.write_attribute("format", FORMAT.as_bytes())?;
    at.write_attribute("version", &[VERSION])?;
    at.write_attribute("geometry_order", &[content.geometry_order])?;
    at.write_attribute("hash", &[mesh.hash()])?;
    at.write_attribute("checksum", &[content.checksum()])?;
    if let Some(structured) = &content.structured {
        at.write_attribute("structured", structured)?;
    }
    at.write("kinds", &[content.kinds.len()], &content.kinds)?;
    at.write("first_node", &[content.first_node.len()], &content.first_node)?;
    at.write("nodes", &[content.nodes.len() / 3, 3], &content.nodes)?;
    at.write("first_side", &[content.first_side.len()], &content.first_side)?;
    at.write("side_cells", &[content.side_cells.len()], &content.side_cells)?;
    at.write("side_codes", &[content.side_codes.len()], &content.side_codes)?;
    at.write(
        "boundary_names",
        &[content.boundary_names.len()],
        &content.boundary_names,
    )?;
    at.write("joined", &[content.joined.len()], &content.joined)?;
    at.write("rotations", &[content.rotations.len() / 9, 3, 3], &content.rotations)?;
    at.write("tags", &[content.tags.len()], &content.tags)?;
    drop(at);
    file.flush()
        .map_err(|e| hdf5_error("flush the file".to_owned(), path, &e))?;
    file.close()
        .map_err(|e| hdf5_error("close the file".to_owned(), path, &e))?;
    Ok(partial.publish()?)
}

/// Reads a mesh and checks all of it.
pub fn read(path: &Path) -> Result<Mesh, NativeError> {
    // The operating system says better than HDF5 why a file cannot be opened.
    std::fs::File::open(path).map_err(|source| NativeError::Open {
        path: path.to_path_buf(),
        source,
    })?;
    let file = hdf5::File::open(path).map_err(|e| hdf5_error("open the file".to_owned(), path, &e))?;
    let foreign = |detail: &str| NativeError::Foreign {
        path: path.to_path_buf(),
        detail: detail.to_owned(),
    };
    if !file.link_exists("mesh") {
        return Err(foreign("it has no group /mesh"));
    }
    let group = file
        .group("mesh")
        .map_err(|e| hdf5_error("open /mesh".to_owned(), path, &e))?;
    let at = At { path, group };
    match at.read_attribute::<u8>("format", FORMAT.len()) {
        Ok(format) if format == FORMAT.as_bytes() => {}
        _ => return Err(foreign("its group /mesh does not name the format")),
    }
    let version = at.read_attribute::<u32>("version", 1)?[0];
    if version == 0 || version > VERSION {
        return Err(NativeError::Version {
            path: path.to_path_buf(),
            version,
        });
    }
    let structured = match at.group.attr("structured") {
        Ok(_) => Some(std::array::from_fn({
            let values = at.read_attribute::<u64>("structured", 4)?;
            move |i| values[i]
        })),
        Err(_) => None,
    };
    let content = Content {
        geometry_order: at.read_attribute("geometry_order", 1)?[0],
        structured,
        kinds: at.read("kinds", &[])?,
        first_node: at.read("first_node", &[])?,
        nodes: at.read("nodes", &[3])?,
        first_side: at.read("first_side", &[])?,
        side_cells: at.read("side_cells", &[])?,
        side_codes: at.read("side_codes", &[])?,
        boundary_names: at.read("boundary_names", &[])?,
        joined: match at.group.link_exists("joined") {
            true => at.read("joined", &[])?,
            false => Vec::new(),
        },
        rotations: at.read("rotations", &[3, 3])?,
        tags: at.read("tags", &[])?,
    };
    let damaged = |detail: String| NativeError::Content {
        path: path.to_path_buf(),
        detail,
    };
    let mesh = content.mesh().map_err(damaged)?;
    mesh.check().map_err(|fault| NativeError::Fault {
        path: path.to_path_buf(),
        fault,
    })?;
    let (stored, found) = (at.read_attribute::<u64>("checksum", 1)?[0], content.checksum());
    if stored != found {
        return Err(damaged(format!(
            "its checksum is {found:016x}, but should be {stored:016x}"
        )));
    }
    Ok(mesh)
}

/// The part of a rank. Collective.
pub fn read_share(path: &Path, comm: &SimpleCommunicator, order: usize) -> Result<Mesh, NativeError> {
    let mesh = io::agree(comm, read(path))?;
    partition::share(mesh, comm, order).map_err(|e| NativeError::Content {
        path: path.to_path_buf(),
        detail: e.to_string(),
    })
}

#[cfg(test)]
mod tests;
