//! Reading a whole mesh and the partitions stored with it.

use std::path::Path;

use super::error::{NativeError, damaged, faulty};
use super::file_group::{FileGroup, check_stored, open};
use super::mesh_arrays::MeshArrays;
use super::partitioning::Partitioning;
use super::version::{FORMAT, VERSION};
use crate::io::kind_of_file;
use crate::mesh::types::Mesh;
use crate::mesh::unread;

/// Name of the group of the partitions.
const PARTITIONS: &str = "partitions";

/// Reads a mesh and checks all of it.
///
/// # Errors
/// The file cannot be read, is not a native mesh file, or is damaged.
pub fn read(path: &Path) -> Result<Mesh, NativeError> {
    let at = open_mesh(&open(path)?)?;
    let content = MeshArrays {
        kinds: at.read("kinds", &[])?,
        first_node: at.read("first_node", &[])?,
        nodes: at.read("nodes", &[3])?,
        first_side: at.read("first_side", &[])?,
        side_cells: at.read("side_cells", &[])?,
        side_codes: at.read("side_codes", &[])?,
        tags: at.read("tags", &[])?,
        ..common(&at)?
    };
    let mesh = content.mesh().map_err(|detail| damaged(path, detail))?;
    mesh.check().map_err(|fault| faulty(path, fault))?;
    check_stored(&at, "checksum", content.checksum())?;
    check_stored(&at, "hash", mesh.hash())?;
    Ok(mesh)
}

/// Reads and checks all partitions stored in a file, sorted by their numbers of parts.
///
/// # Errors
/// The file cannot be read, is not a native mesh file, or is damaged.
pub fn partitionings(path: &Path) -> Result<Vec<Partitioning>, NativeError> {
    let root = open(path)?;
    let at = open_mesh(&root)?;
    let (_, cells) = at.dataset::<u8>("kinds", &[])?;
    let checksum = at.read_attribute::<u64>("checksum", 1)?[0];
    if !root.group.link_exists(PARTITIONS) {
        return Ok(vec![]);
    }
    let all = root.open(PARTITIONS)?;
    let names = all.reading("", all.group.member_names())?;
    let read = |name: &String| {
        let parts = name.parse().ok().filter(|parts: &usize| parts.to_string() == *name);
        let unknown = || damaged(path, format!("/{PARTITIONS}/{name} is not a number of parts"));
        Partitioning::read(&all.open(name)?, parts.ok_or_else(unknown)?, cells, checksum)
    };
    let mut found = names.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    found.sort_by_key(|partitioning| partitioning.parts);
    Ok(found)
}

/// Opens the partition into `parts` parts, if the file has one.
pub fn open_partitioning<'a>(root: &FileGroup<'a>, parts: usize) -> Result<Option<FileGroup<'a>>, NativeError> {
    let name = parts.to_string();
    if !root.group.link_exists(PARTITIONS) {
        return Ok(None);
    }
    let all = root.open(PARTITIONS)?;
    if all.group.link_exists(&name) {
        all.open(&name).map(Some)
    } else {
        Ok(None)
    }
}

/// Opens the group of the mesh.
///
/// # Errors
/// The file is not a native mesh file, or its version is not supported.
pub fn open_mesh<'a>(root: &FileGroup<'a>) -> Result<FileGroup<'a>, NativeError> {
    let foreign = |detail: &str| NativeError::Foreign {
        path: root.path.to_path_buf(),
        detail: detail.to_owned(),
    };
    if !root.group.link_exists("mesh") {
        let known = unread::hdf5_reason(&root.group);
        return Err(foreign(&known.unwrap_or_else(|| kind_of_file(&root.group, "mesh"))));
    }
    let at = root.open("mesh")?;
    match at.read_attribute::<u8>("format", FORMAT.len()) {
        Ok(format) if format == FORMAT.as_bytes() => {}
        _ => return Err(foreign("its group /mesh does not name the format")),
    }
    let version = at.read_attribute::<u32>("version", 1)?[0];
    if version == 0 || version > VERSION {
        Err(NativeError::Version {
            path: root.path.to_path_buf(),
            version,
        })
    } else {
        Ok(at)
    }
}

/// Reads the contents that do not belong to single cells; the arrays of cells stay empty.
pub fn common(at: &FileGroup) -> Result<MeshArrays, NativeError> {
    let structured = match at.group.attr("structured") {
        Ok(_) => Some(std::array::from_fn({
            let values = at.read_attribute::<u64>("structured", 4)?;
            move |i| values[i]
        })),
        Err(_) => None,
    };
    Ok(MeshArrays {
        geometry_order: at.read_attribute("geometry_order", 1)?[0],
        structured,
        boundary_names: at.read("boundary_names", &[])?,
        joined: if at.group.link_exists("joined") {
            at.read("joined", &[])?
        } else {
            Vec::new()
        },
        rotations: at.read("rotations", &[3, 3])?,
        mortars: if at.group.link_exists("mortars") {
            at.read("mortars", &[6])?
        } else {
            Vec::new()
        },
        ..MeshArrays::default()
    })
}
