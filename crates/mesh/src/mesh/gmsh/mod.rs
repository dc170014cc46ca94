//! Reading Gmsh files of version 2.2, 4.0 and 4.1, text and binary, with cells of geometric order 1 to 6, or 1 to 4
//! where they have nodes on their edges only.
//!
//! A physical group of surfaces becomes a boundary with the name of the group, or its number if it has no name.
//! Surfaces inside the mesh, with cells on both sides, are not boundaries even if they belong to a group. Surfaces that
//! the file declares as periodic and boundaries that the case names as periodic are joined and are then no boundaries.

mod elements;
mod node_order;
mod reader;
mod types;
mod v2;
mod v4;
mod version;
mod write;

use std::path::Path;

use super::assemble::assemble;
use super::error::{GmshProblem, MeshError};
use super::plane_mesh::PlaneMesh;
use super::source::{Joins, PeriodicPair};
use super::types::Mesh;
use super::unconnected::UnconnectedMesh;

use elements::Elements;
use reader::{Endian, Reader, excerpt};
use version::Version;
pub use write::{GmshForm, write_gmsh};

/// Reads a mesh. The two boundaries of each pair in `periodic` are joined.
///
/// # Errors
/// The file cannot be read, it is not a valid Gmsh file or has content that is not supported, or its mesh cannot be
/// used.
pub fn read_gmsh(path: &Path, periodic: &[PeriodicPair]) -> Result<Mesh, MeshError> {
    let bytes = std::fs::read(path).map_err(|source| MeshError::Read {
        file: path.to_path_buf(),
        source,
    })?;
    read_gmsh_bytes(path, &bytes, periodic)
}

/// Reads a mesh from the bytes of a file; `path` is used in messages only.
///
/// # Errors
/// The bytes are not a valid Gmsh file or have content that is not supported, or the mesh cannot be used.
pub fn read_gmsh_bytes(path: &Path, bytes: &[u8], periodic: &[PeriodicPair]) -> Result<Mesh, MeshError> {
    assemble(parse(path, bytes)?, Joins::of(periodic))
}

/// Reads a mesh of hexahedra, prisms, tetrahedra and pyramids.
///
/// # Errors
/// The bytes are not a valid Gmsh file or have content that is not supported.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<UnconnectedMesh, MeshError> {
    sections(path, bytes, 3)?.finish()
}

/// Reads a mesh of triangles and quadrilaterals.
///
/// # Errors
/// The bytes are not a valid Gmsh file or have content that is not supported.
pub(super) fn parse_plane(path: &Path, bytes: &[u8]) -> Result<PlaneMesh, MeshError> {
    sections(path, bytes, 2)?.finish_plane()
}

/// Reads the sections of a file with cells of this dimension.
fn sections(path: &Path, bytes: &[u8], dimension: usize) -> Result<Elements, MeshError> {
    let mut reader = Reader::new(path, bytes);
    let version = header(&mut reader)?;
    let mut elements = Elements::new(path, dimension);
    let mut seen: Vec<&[u8]> = Vec::new();
    while reader.skip_space() {
        let word = reader.word("a section")?;
        let Some(section) = word.strip_prefix(b"$") else {
            return Err(reader.error(GmshProblem::Unexpected {
                what: "the beginning of a section, such as $Nodes",
                found: excerpt(word),
            }));
        };
        let once: [&[u8]; 6] = [
            b"PhysicalNames",
            b"Entities",
            b"PartitionedEntities",
            b"Nodes",
            b"Elements",
            b"Periodic",
        ];
        if once.contains(&section) && seen.contains(&section) {
            return Err(reader.error(GmshProblem::SecondSection(excerpt(section))));
        }
        seen.push(section);
        match (section, version) {
            (b"PhysicalNames", _) => physical_names(&mut reader, &mut elements)?,
            (b"Entities", Version::V40 | Version::V41) => v4::entities(&mut reader, &mut elements, version)?,
            (b"PartitionedEntities", Version::V40 | Version::V41) => {
                v4::partitioned_entities(&mut reader, &mut elements, version)?;
            }
            (b"Nodes", Version::V2) => v2::nodes(&mut reader, &mut elements)?,
            (b"Nodes", _) => v4::nodes(&mut reader, &mut elements, version)?,
            (b"Elements", _) if elements.mesh.positions.is_empty() => {
                return Err(reader.error(GmshProblem::MissingSection("Nodes")));
            }
            (b"Elements", Version::V2) => v2::elements(&mut reader, &mut elements)?,
            (b"Elements", _) => v4::elements(&mut reader, &mut elements, version)?,
            (b"Periodic", Version::V40) if reader.binary.is_some() => v4::periodic_of_4_0(&mut reader, &mut elements)?,
            (b"Periodic", Version::V2 | Version::V40) => v2::periodic(&mut reader, &mut elements)?,
            (b"Periodic", Version::V41) => v4::periodic(&mut reader, &mut elements)?,
            (b"ParametricNodes", _) => {
                return Err(reader.error(GmshProblem::Section {
                    section: "ParametricNodes",
                    advice: "set Mesh.SaveParametric=0 in Gmsh",
                }));
            }
            _ => {
                let end = [b"$End", section].concat();
                if !reader.skip_past(&end) {
                    return Err(reader.error(GmshProblem::Truncated {
                        what: "the end of this section",
                    }));
                }
            }
        }
    }
    Ok(elements)
}

/// Reads `$MeshFormat`, and determines how numbers are written.
fn header(reader: &mut Reader) -> Result<Version, MeshError> {
    let mut word: &[u8] = b"";
    while reader.skip_space() {
        word = reader.word("$MeshFormat")?;
        if word != b"$Comments" {
            break;
        }
        if !reader.skip_past(b"$EndComments") {
            return Err(reader.error(GmshProblem::Truncated {
                what: "the end of this section",
            }));
        }
    }
    if word != b"$MeshFormat" {
        return Err(reader.error(GmshProblem::NotGmsh(excerpt(word))));
    }
    let word = reader.word("the version of the format")?;
    let version = match word {
        b"2.2" | b"2.1" | b"2.0" | b"2" => Version::V2,
        b"4" | b"4.0" => Version::V40,
        b"4.1" => Version::V41,
        _ => return Err(reader.error(GmshProblem::Version(excerpt(word)))),
    };
    let binary = match reader.text_integer("the type of the file")? {
        0 => false,
        1 => true,
        other => {
            return Err(reader.error(GmshProblem::Unexpected {
                what: "the type of the file, 0 for text or 1 for binary",
                found: other.to_string(),
            }));
        }
    };
    let size = reader.text_integer("the size of numbers")?;
    if size != 8 {
        return Err(reader.error(GmshProblem::DataSize(size)));
    }
    if binary {
        reader.rest_of_line();
        reader.binary = Some(Endian::Little);
        // The file has the number 1 in its own byte order.
        let one = reader.int("the number 1")?;
        if one == i64::from(1i32.swap_bytes()) {
            reader.binary = Some(Endian::Big);
        } else if one != 1 {
            return Err(reader.error(GmshProblem::ByteOrder));
        }
    }
    reader.expect("$EndMeshFormat")?;
    Ok(version)
}

/// Reads the names of physical groups, which are text in all files. Only those of the boundary are kept.
fn physical_names(reader: &mut Reader, elements: &mut Elements) -> Result<(), MeshError> {
    let count = reader.text_count("names of physical groups", 5, 3)?;
    for _ in 0..count {
        let dimension = reader.text_integer("the dimension of a physical group")?;
        let group = reader.text_integer("the number of a physical group")?;
        let line = reader.rest_of_line();
        let name = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        let Some(name) = name.and_then(|name| std::str::from_utf8(name).ok()) else {
            return Err(reader.error(GmshProblem::Unexpected {
                what: "the name of a physical group in double quotes",
                found: excerpt(line),
            }));
        };
        if dimension + 1 == elements.dimension as i64 {
            elements
                .mesh
                .group_names
                .insert(group.saturating_abs(), name.to_string());
        }
    }
    reader.expect("$EndPhysicalNames")
}
