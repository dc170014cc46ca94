//! Reading mesh files of all formats, which the contents of the file tell apart.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use thiserror::Error;

use super::assemble::assemble;
use super::native::{self, NativeError};
use super::partition::{self, DistributeError};
use super::plane_mesh::{Extrusion, PlaneMesh};
use super::source::Joins;
use super::su2::{self, Su2Mesh};
use super::types::Mesh;
use super::unconnected::UnconnectedMesh;
use super::{FilePosition, MeshError, PeriodicPair};
use super::{cgns, gmsh, hopr, unread};
use crate::io::{self, agree};

/// The first bytes of every HDF5 file.
const HDF5_SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";

/// An error in reading a mesh file.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system cannot read the file.
    #[error("cannot read the mesh {}: {source}", path.display())]
    Os {
        /// The file.
        path: PathBuf,
        /// The reason given by the operating system.
        source: std::io::Error,
    },
    /// The path is a directory, a pipe or a device.
    #[error("cannot read the mesh {}: it is not a regular file", .0.display())]
    NoFile(PathBuf),
    /// A file of another program is refused.
    #[error(transparent)]
    Gmsh(#[from] MeshError),
    /// A native file is refused.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// Periodic pairs were requested for a native file, whose boundaries cannot be joined any more.
    #[error("{}: boundaries of a native mesh file cannot be joined; join them when it is imported", .0.display())]
    Periodic(PathBuf),
    /// Boundaries of a native file are to stay apart, which have been joined for good.
    #[error(
        "{}: boundaries of a native mesh file that were joined cannot be parted; leave them apart (--apart) when it is \
         imported", .0.display()
    )]
    Apart(PathBuf),
    /// The mesh cannot be distributed over the ranks.
    #[error(transparent)]
    Distribute(#[from] DistributeError),
    /// Another rank failed.
    #[error(transparent)]
    OnOtherRank(#[from] io::Error),
}

/// Reads a mesh file. In a file that is not native the two boundaries of each pair in `periodic` are joined.
///
/// # Errors
/// The file cannot be read, its contents are not valid, or pairs are given for a native file.
pub fn read_mesh(path: &Path, periodic: &[PeriodicPair]) -> Result<Mesh, ReadError> {
    read_joined(path, None, Joins::of(periodic))
}

/// Reads a mesh file, and extrudes it where `by` is given. Pairs that the file joins may stay apart; those that are
/// joined may have the ends z- and z+ of an extruded mesh.
///
/// # Errors
/// As [`read_mesh`] and [`read_extruded`], and if the file does not join boundaries that are to stay apart.
pub fn read_joined(path: &Path, by: Option<&Extrusion>, joins: Joins) -> Result<Mesh, ReadError> {
    if let Some(by) = by {
        let plane = if is_native(path)? {
            return Err(refused(path, "a native mesh file cannot be extruded".to_owned()).into());
        } else {
            parse_plane(path)?
        };
        return Ok(assemble(plane.extruded(by)?, joins)?);
    }
    if !is_native(path)? {
        return Ok(read_foreign(path, joins)?);
    }
    if !joins.pairs.is_empty() {
        return Err(ReadError::Periodic(path.to_path_buf()));
    }
    if !joins.apart.is_empty() {
        return Err(ReadError::Apart(path.to_path_buf()));
    }
    Ok(native::read(path)?)
}

/// Reads a two-dimensional mesh and extrudes it. The two boundaries of each pair in `periodic` are joined, which may be
/// z- and z+.
///
/// # Errors
/// The file cannot be read, or it is not a valid two-dimensional mesh.
pub fn read_extruded(path: &Path, by: &Extrusion, periodic: &[PeriodicPair]) -> Result<Mesh, ReadError> {
    read_joined(path, Some(by), Joins::of(periodic))
}

fn read_foreign(path: &Path, joins: Joins) -> Result<Mesh, MeshError> {
    assemble(parse(path)?, joins)
}

/// Reads the cells of a file that is not native.
fn parse(path: &Path) -> Result<UnconnectedMesh, MeshError> {
    match Foreign::of(path)? {
        Foreign::Cgns => cgns::parse(path),
        Foreign::Hopr => hopr::parse(path),
        Foreign::Su2(bytes) => match su2::parse(path, &bytes)? {
            Su2Mesh::Space(raw) => Ok(raw),
            Su2Mesh::Plane(_) => Err(refused(
                path,
                "the mesh has two dimensions (NDIME= 2): it is extruded by `fr-les mesh import --extrude`".to_owned(),
            )),
        },
        Foreign::Gmsh(bytes) => gmsh::parse(path, &bytes),
    }
}

/// Reads the triangles and quadrilaterals of a file that is not native.
fn parse_plane(path: &Path) -> Result<PlaneMesh, MeshError> {
    match Foreign::of(path)? {
        Foreign::Cgns => cgns::parse_plane(path),
        Foreign::Hopr => Err(refused(path, "only a two-dimensional mesh is extruded".to_owned())),
        Foreign::Su2(bytes) => match su2::parse(path, &bytes)? {
            Su2Mesh::Plane(plane) => Ok(plane),
            Su2Mesh::Space(_) => Err(refused(
                path,
                "the mesh has three dimensions (NDIME= 3): only a two-dimensional one is extruded".to_owned(),
            )),
        },
        Foreign::Gmsh(bytes) => gmsh::parse_plane(path, &bytes),
    }
}

/// The formats of other programs, with the contents of those that are no HDF5 files.
enum Foreign {
    Cgns,
    Hopr,
    Gmsh(Vec<u8>),
    Su2(Vec<u8>),
}

impl Foreign {
    /// Tells the format of a file from its contents.
    fn of(path: &Path) -> Result<Self, MeshError> {
        if root_of(path, cgns::VERSION_NODE) {
            return Ok(Foreign::Cgns);
        }
        if root_of(path, hopr::ELEMENTS) {
            return Ok(Foreign::Hopr);
        }
        let bytes = bytes(path)?;
        if let Some(reason) = unread::reason(path, &bytes) {
            return Err(refused(path, reason));
        }
        Ok(if su2::is_su2(&bytes[..bytes.len().min(1 << 16)]) {
            Foreign::Su2(bytes)
        } else {
            Foreign::Gmsh(bytes)
        })
    }
}

/// Returns true if a file is HDF5 and has an object of this name at its root.
fn root_of(path: &Path, object: &str) -> bool {
    let found = || Ok::<_, hdf5::Error>(hdf5::File::open(path)?.group("/")?.link_exists(object));
    is_hdf5(path).unwrap_or(false) && found().unwrap_or(false)
}

fn bytes(path: &Path) -> Result<Vec<u8>, MeshError> {
    std::fs::read(path).map_err(|source| MeshError::Read {
        file: path.to_path_buf(),
        source,
    })
}

fn refused(path: &Path, detail: String) -> MeshError {
    MeshError::Content {
        file: path.to_path_buf(),
        place: FilePosition::Whole,
        detail,
    }
}

/// Reads this rank's part of a mesh file for a solution of the given order; a single rank gets the whole mesh.
/// Collective: all ranks succeed, or none.
///
/// All cells at the boundaries of the names `together` go to one rank; a partition that the file holds is not used
/// then. Each rank reads only its own cells of a native file. Of another file every rank first reads the whole mesh,
/// which takes time and memory: large meshes should be imported into a native file.
///
/// # Errors
/// Returns an error in the cases of [`read_mesh`], if the mesh cannot be distributed, or if another rank fails.
pub fn read_part(
    path: &Path,
    periodic: &[PeriodicPair],
    comm: &SimpleCommunicator,
    order: usize,
    together: &[String],
) -> Result<Mesh, ReadError> {
    if comm.size() == 1 {
        return read_mesh(path, periodic);
    }
    // All ranks must take the same branch, or they would wait for each other forever.
    let mut native = agree(comm, is_native(path))?;
    comm.process_at_rank(0).broadcast_into(&mut native);
    if !native {
        let mesh = agree(comm, read_foreign(path, Joins::of(periodic)).map_err(ReadError::from))?;
        return Ok(partition::distribute(mesh, comm, order, together)?);
    }
    if !periodic.is_empty() {
        return Err(ReadError::Periodic(path.to_path_buf()));
    }
    Ok(native::read_part(path, comm, order, together)?)
}

/// Returns true if a file is HDF5 but not of another program: the native format, if any.
///
/// # Errors
/// The file cannot be read or is not a regular file.
pub fn is_native(path: &Path) -> Result<bool, ReadError> {
    let objects = [cgns::VERSION_NODE, hopr::ELEMENTS];
    Ok(is_hdf5(path)? && !objects.iter().any(|object| root_of(path, object)))
}

/// Returns true if a file is HDF5.
fn is_hdf5(path: &Path) -> Result<bool, ReadError> {
    let os = |source| ReadError::Os {
        path: path.to_path_buf(),
        source,
    };
    // Opening a pipe would wait for someone to write to it.
    if !std::fs::metadata(path).map_err(os)?.is_file() {
        return Err(ReadError::NoFile(path.to_path_buf()));
    }
    let mut file = File::open(path).map_err(os)?;
    let length = file.metadata().map_err(os)?.len();
    // A file may begin with a block of its user, of 512 bytes or of twice, four times ... as many.
    let mut at = 0;
    while at + HDF5_SIGNATURE.len() as u64 <= length {
        let mut start = [0; HDF5_SIGNATURE.len()];
        file.seek(SeekFrom::Start(at)).map_err(os)?;
        file.read_exact(&mut start).map_err(os)?;
        if &start == HDF5_SIGNATURE {
            return Ok(true);
        }
        at = (2 * at).max(512);
    }
    Ok(false)
}
