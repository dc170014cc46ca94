//! Mesh files that are not read as they are: packed ones, and formats for which another program is needed. They are
//! recognised by their first bytes or by the ending of their name, so that the refusal names a converter.

use std::ffi::OsStr;
use std::path::Path;

use super::cgns;

/// First bytes of packed files, and the program that unpacks them.
const PACKED: [(&[u8], &str); 5] = [
    (b"\x1f\x8b", "gunzip"),
    (b"\xfd7zXZ\0", "unxz"),
    (b"BZh", "bunzip2"),
    (b"\x28\xb5\x2f\xfd", "unzstd"),
    (b"PK\x03\x04", "unzip"),
];

/// Endings of the names of other formats, what these are, and what makes a mesh of them that is read.
const FORMATS: [(&[&str], &str, &str); 7] = [
    (&["neu"], "Gambit", HOPR),
    (&["e", "exo", "exii"], "Exodus II", MESHIO),
    (&["inp"], "Abaqus", MESHIO),
    (
        &["cas", "msh"],
        "Fluent",
        "export it as CGNS, or convert it with meshio (`meshio convert FILE NEW.msh`)",
    ),
    (&["mesh", "meshb"], "Medit", GMSH),
    (&["unv", "bdf", "nas", "med"], "I-DEAS, Nastran or Salome", GMSH),
    (&["vtk", "vtu"], "VTK", MESHIO),
];

/// Endings of the names of files that have shapes without cells, and what these are.
const SHAPES: [(&[&str], &str); 4] = [
    (&["step", "stp"], "STEP"),
    (&["iges", "igs"], "IGES"),
    (&["brep"], "OpenCASCADE"),
    (&["stl"], "STL"),
];

/// Objects at the root of other formats that are HDF5 files, what these are, and what makes a mesh of them that is
/// read.
const HDF5_FORMATS: [(&str, &str, &str); 3] = [
    (
        "meshes",
        "Fluent (.cas.h5)",
        "export it as CGNS, or as .msh and convert that",
    ),
    ("coordx", "Exodus II", MESHIO),
    ("ENS_MAA", "Salome (.med)", GMSH),
];

const HOPR: &str = "convert it with HOPR, whose meshes (.h5) are read";
const MESHIO: &str = "convert it with meshio (`meshio convert FILE NEW.msh`)";
const GMSH: &str = "convert it with Gmsh (`gmsh FILE -save -format msh41 -o NEW.msh`)";

/// Returns what an HDF5 file is that is no mesh of fr-les, CGNS or HOPR, if that is known.
pub fn hdf5_reason(root: &hdf5::Group) -> Option<String> {
    let (_, name, advice) = HDF5_FORMATS.iter().find(|(object, ..)| root.link_exists(object))?;
    Some(format!("it seems to be one of {name}, which is not read: {advice}"))
}

/// Returns why a file that begins with these bytes is not read; `None` if it may be a mesh.
pub fn reason(path: &Path, begin: &[u8]) -> Option<String> {
    if begin.is_empty() {
        return Some("the file is empty".to_owned());
    }
    if cgns::is_adf(begin) {
        return Some(cgns::ADF_ADVICE.to_owned());
    }
    if let Some((_, program)) = PACKED.iter().find(|(signature, _)| begin.starts_with(signature)) {
        return Some(format!("the file is packed: unpack it with `{program}`"));
    }
    let ending = path
        .extension()
        .and_then(OsStr::to_str)
        .unwrap_or_default()
        .to_lowercase();
    if let Some((_, name)) = SHAPES.iter().find(|(endings, _)| endings.contains(&ending.as_str())) {
        return Some(format!(
            "this is a shape ({name}), and no mesh: mesh its volume with Gmsh, and give its surfaces names as physical \
             groups"
        ));
    }
    let (_, name, advice) = FORMATS
        .iter()
        .find(|(endings, ..)| endings.contains(&ending.as_str()))?;
    // Fluent and Gmsh use the same ending.
    let fluent = begin.trim_ascii_start().starts_with(b"(");
    (ending != "msh" || fluent).then(|| format!("this is a mesh of {name}, which is not read: {advice}"))
}
