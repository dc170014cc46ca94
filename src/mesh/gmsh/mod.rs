//! Reads meshes of Gmsh: files of version 2.2 and 4.1, text and binary, with cells of geometric order 1 to 4.
//!
//! A boundary is a physical group of surfaces: it has the group's name, or its number if it has no name. Surfaces inside the
//! mesh, with cells on both sides, are no boundaries, whatever groups they belong to. Surfaces that the file links as
//! periodic are joined, and so are those that the case names; neither are boundaries any more.

mod elements;
mod lattice;
mod source;
mod types;
mod v2;
mod v4;

use std::path::Path;

use super::assemble::assemble;
use super::error::{GmshProblem, MeshError};
use super::source::PeriodicPair;
use super::{Mesh, raw::RawMesh};
pub(super) use lattice::vertices;

use elements::Elements;
use source::{Endian, Source, excerpt};

/// Versions that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    V2,
    V4,
}

/// Reads a mesh. The two boundaries of each pair in `periodic` are joined.
pub fn read_gmsh(path: &Path, periodic: &[PeriodicPair]) -> Result<Mesh, MeshError> {
    let bytes = std::fs::read(path).map_err(|source| MeshError::Read {
        file: path.to_path_buf(),
        source,
    })?;
    read_gmsh_bytes(path, &bytes, periodic)
}

/// Reads a mesh from the bytes of a file; `path` is for messages only.
pub fn read_gmsh_bytes(path: &Path, bytes: &[u8], periodic: &[PeriodicPair]) -> Result<Mesh, MeshError> {
    assemble(parse(path, bytes)?, periodic)
}

/// Reads the sections of a file.
fn parse(path: &Path, bytes: &[u8]) -> Result<RawMesh, MeshError> {
    let mut source = Source::new(path, bytes);
    let version = header(&mut source)?;
    let mut elements = Elements::new(path);
    let mut seen: Vec<&[u8]> = Vec::new();
    while source.skip_space() {
        let word = source.word("a section")?;
        let Some(section) = word.strip_prefix(b"$") else {
            return Err(source.error(GmshProblem::Unexpected {
                what: "the beginning of a section, such as $Nodes",
                found: excerpt(word),
            }));
        };
        let once: [&[u8]; 5] = [b"PhysicalNames", b"Entities", b"Nodes", b"Elements", b"Periodic"];
        if once.contains(&section) && seen.contains(&section) {
            return Err(source.error(GmshProblem::SecondSection(excerpt(section))));
        }
        seen.push(section);
        match (section, version) {
            (b"PhysicalNames", _) => physical_names(&mut source, &mut elements.mesh)?,
            (b"Entities", Version::V4) => v4::entities(&mut source, &mut elements)?,
            (b"Nodes", Version::V2) => v2::nodes(&mut source, &mut elements)?,
            (b"Nodes", Version::V4) => v4::nodes(&mut source, &mut elements)?,
            (b"Elements", _) if elements.mesh.positions.is_empty() => {
                return Err(source.error(GmshProblem::MissingSection("Nodes")));
            }
            (b"Elements", Version::V2) => v2::elements(&mut source, &mut elements)?,
            (b"Elements", Version::V4) => v4::elements(&mut source, &mut elements)?,
            (b"Periodic", Version::V2) => v2::periodic(&mut source, &mut elements)?,
            (b"Periodic", Version::V4) => v4::periodic(&mut source, &mut elements)?,
            (b"ParametricNodes", _) => {
                return Err(source.error(GmshProblem::Section {
                    section: "ParametricNodes",
                    advice: "set Mesh.SaveParametric=0 in Gmsh",
                }));
            }
            (b"PartitionedEntities", _) => {
                return Err(source.error(GmshProblem::Section {
                    section: "PartitionedEntities",
                    advice: "save the mesh without partitions; fr-les partitions it itself",
                }));
            }
            _ => {
                let end = [b"$End", section].concat();
                if !source.skip_past(&end) {
                    return Err(source.error(GmshProblem::Truncated {
                        what: "the end of this section",
                    }));
                }
            }
        }
    }
    elements.finish()
}

/// Reads `$MeshFormat`, and finds out how numbers are written.
fn header(source: &mut Source) -> Result<Version, MeshError> {
    let word = if source.skip_space() {
        source.word("$MeshFormat")?
    } else {
        b""
    };
    if word != b"$MeshFormat" {
        return Err(source.error(GmshProblem::NotGmsh(excerpt(word))));
    }
    let word = source.word("the version of the format")?;
    let version = match word {
        b"2.2" | b"2.1" | b"2" => Version::V2,
        b"4.1" => Version::V4,
        _ => return Err(source.error(GmshProblem::Version(excerpt(word)))),
    };
    let binary = match source.text_integer("the type of the file")? {
        0 => false,
        1 => true,
        other => {
            return Err(source.error(GmshProblem::Unexpected {
                what: "the type of the file, 0 for text or 1 for binary",
                found: other.to_string(),
            }));
        }
    };
    let size = source.text_integer("the size of numbers")?;
    if size != 8 {
        return Err(source.error(GmshProblem::DataSize(size)));
    }
    if binary {
        source.rest_of_line();
        source.binary = Some(Endian::Little);
        // 1 in the file's own order of bytes.
        let one = source.int("the number 1")?;
        if one == i64::from(1i32.swap_bytes()) {
            source.binary = Some(Endian::Big);
        } else if one != 1 {
            return Err(source.error(GmshProblem::ByteOrder));
        }
    }
    source.expect("$EndMeshFormat")?;
    Ok(version)
}

/// Reads the names of physical groups, which are text in all files; only those of surfaces are kept.
fn physical_names(source: &mut Source, mesh: &mut RawMesh) -> Result<(), MeshError> {
    let count = source.text_count("names of physical groups", 5, 3)?;
    for _ in 0..count {
        let dimension = source.text_integer("the dimension of a physical group")?;
        let group = source.text_integer("the number of a physical group")?;
        let line = source.rest_of_line();
        let name = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        let Some(name) = name.and_then(|name| std::str::from_utf8(name).ok()) else {
            return Err(source.error(GmshProblem::Unexpected {
                what: "the name of a physical group in double quotes",
                found: excerpt(line),
            }));
        };
        if dimension == 2 {
            mesh.group_names.insert(group.saturating_abs(), name.to_string());
        }
    }
    source.expect("$EndPhysicalNames")
}
