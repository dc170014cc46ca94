//! Writing a mesh and its partitions.

use std::path::Path;

use super::error::NativeError;
use super::file_group::FileGroup;
use super::mesh_arrays::MeshArrays;
use super::partitioning::Partitioning;
use super::version::{FORMAT, VERSION, WITHOUT_MORTARS};
use crate::io::{self, Partial};
use crate::mesh::types::Mesh;

/// Writes a mesh and replaces a file of the same name.
///
/// # Errors
/// The format cannot hold the mesh, or the file cannot be written.
pub fn write(mesh: &Mesh, path: &Path) -> Result<(), NativeError> {
    write_partitioned(mesh, &[], path)
}

/// Writes a mesh with partitions of its cells and replaces a file of the same name. The partitions must have different
/// numbers of parts.
///
/// # Errors
/// The format cannot hold the mesh, or the file cannot be written.
pub fn write_partitioned(mesh: &Mesh, partitionings: &[Partitioning], path: &Path) -> Result<(), NativeError> {
    let content = MeshArrays::of(mesh).map_err(|detail| NativeError::Unwritable {
        path: path.to_path_buf(),
        detail,
    })?;
    let partial = Partial::new(path)?;
    // HDF5 would write through a symbolic link that it found under this name.
    partial.create()?;
    // The metadata of version 1.10 has checksums of its own.
    let created = hdf5::FileBuilder::new()
        .with_fapl(|list| list.libver_v110())
        .create(partial.temporary());
    let file = created.map_err(io::Error::hdf5("create the file", path))?;
    let group = file.group("/").map_err(io::Error::hdf5("open /", path))?;
    let root = FileGroup { path, group };
    let checksum = content.checksum();
    write_content(&root.create("mesh")?, &content, mesh.hash(), checksum)?;
    let all = root.create("partitions")?;
    for partitioning in partitionings {
        partitioning.write(&all.create(&partitioning.parts.to_string())?, checksum)?;
    }
    drop((root, all));
    file.flush().map_err(io::Error::hdf5("flush the file", path))?;
    file.close().map_err(io::Error::hdf5("close the file", path))?;
    Ok(partial.publish()?)
}

fn write_content(at: &FileGroup, content: &MeshArrays, hash: u64, checksum: u64) -> Result<(), NativeError> {
    at.write_attribute("format", FORMAT.as_bytes())?;
    let version = if content.mortars.is_empty() {
        WITHOUT_MORTARS
    } else {
        VERSION
    };
    at.write_attribute("version", &[version])?;
    at.write_attribute("geometry_order", &[content.geometry_order])?;
    at.write_attribute("hash", &[hash])?;
    at.write_attribute("checksum", &[checksum])?;
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
    if !content.mortars.is_empty() {
        at.write("mortars", &[content.mortars.len() / 6, 6], &content.mortars)?;
    }
    Ok(())
}
