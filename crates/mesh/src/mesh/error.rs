//! Errors in mesh files and meshes, with the position in the file, the cell or the remedy.

use std::fmt;
use std::path::PathBuf;

use super::connect_error::{ConnectError, FaceLocation};
use super::types::LONGEST_NAME;
use crate::format::shortened;

/// A position in a mesh file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilePosition {
    /// A line of text, counted from 1.
    Line(usize),
    /// A byte of binary data, counted from 0.
    Byte(usize),
    /// An object of an HDF5 file, by its path.
    Object(String),
    /// The file as a whole.
    Whole,
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}: "),
            Self::Byte(byte) => write!(f, "byte {byte}: "),
            Self::Object(path) => write!(f, "{path}: "),
            Self::Whole => Ok(()),
        }
    }
}

/// A problem at one position of a Gmsh file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GmshProblem {
    /// The file does not begin as Gmsh files do.
    #[error(
        "this is not a Gmsh mesh file: it does not begin with $MeshFormat, but with `{0}`; meshes of other \
             programs have the endings .cgns, .su2 and .h5"
    )]
    NotGmsh(String),
    /// The format version is not supported.
    #[error(
        "format version {0} is not supported; save the mesh as version 4.1 or 2.2 (`gmsh -format msh41` or `msh22`)"
    )]
    Version(String),
    /// Numbers do not have eight bytes.
    #[error("numbers of {0} bytes are not supported, only of 8")]
    DataSize(i64),
    /// The number that shows the byte order is not 1.
    #[error("the file is marked as binary, but the number that shows its byte order is not 1 in either order")]
    ByteOrder,
    /// The file ends too early.
    #[error("the file ends where {what} should be")]
    Truncated {
        /// The item that is missing.
        what: &'static str,
    },
    /// Something else stands where a number or a word should be.
    #[error("expected {what}, found `{found}`")]
    Unexpected {
        /// The item that is expected.
        what: &'static str,
        /// The text that was found.
        found: String,
    },
    /// A count or a tag is negative.
    #[error("{what} is negative: {value}")]
    Negative {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: i64,
    },
    /// A count exceeds what the file can hold.
    #[error("the file announces {count} {what}, but the rest of it has room for at most {room}")]
    Count {
        /// Name of the things that are counted.
        what: &'static str,
        /// Their number according to the file.
        count: u64,
        /// The largest number that the rest of the file can hold.
        room: usize,
    },
    /// A section occurs twice.
    #[error("this is the second section ${0} of the file")]
    SecondSection(String),
    /// A section is missing or comes too late.
    #[error("section ${0} is missing: it must come before this one")]
    MissingSection(&'static str),
    /// A section is not supported.
    #[error("section ${section} is not supported: {advice}")]
    Section {
        /// Name of the section.
        section: &'static str,
        /// The remedy.
        advice: &'static str,
    },
    /// A coordinate is not a finite number.
    #[error("coordinate {} of node {tag} is {value}", ["x", "y", "z"][*.direction])]
    NotFinite {
        /// Tag of the node.
        tag: u64,
        /// Direction of the coordinate: 0 is x, 1 y, 2 z.
        direction: usize,
        /// Value of the coordinate.
        value: f64,
    },
    /// Two nodes have the same tag.
    #[error("node {0} occurs twice")]
    NodeTwice(u64),
    /// The nodes cannot be numbered in 32 bits.
    #[error("the mesh has {0} nodes; at most {max} are supported", max = u32::MAX)]
    TooManyNodes(usize),
    /// An element has a node that does not exist.
    #[error("element {element} has node {node}, which does not exist")]
    UnknownNode {
        /// Tag of the element.
        element: u64,
        /// Tag of the node.
        node: u64,
    },
    /// The list of periodic nodes has a node that does not exist.
    #[error("the periodic surface {surface} has node {node}, which does not exist")]
    UnknownPeriodicNode {
        /// Tag of the surface.
        surface: i64,
        /// Tag of the node.
        node: u64,
    },
    /// The element type is not supported.
    #[error("element {element} is of type {number}, which is not supported")]
    ElementType {
        /// Tag of the element.
        element: u64,
        /// Gmsh's number of the type.
        number: i64,
    },
    /// The element type does not fit the dimension of its entity.
    #[error("elements of type {number} cannot belong to an entity of dimension {dimension}")]
    Dimension {
        /// Gmsh's number of the type.
        number: i64,
        /// Dimension of the entity.
        dimension: i64,
    },
    /// The cells of a mesh that is to be extruded are not two-dimensional.
    #[error("element {element} is a {kind}: only a two-dimensional mesh, of triangles and quadrilaterals, is extruded")]
    Spatial {
        /// Tag of the element.
        element: u64,
        /// Kind of the cell.
        kind: &'static str,
    },
    /// The geometric order of a cell is too high.
    #[error(
        "element {element} is of geometric order {order}{nodes}; orders up to {most} are supported (Gmsh's \
         Mesh.ElementOrder)"
    )]
    Order {
        /// Tag of the element.
        element: u64,
        /// Geometric order of the cell.
        order: usize,
        /// Which nodes it has, if not all of its order.
        nodes: &'static str,
        /// The highest supported order.
        most: usize,
    },
    /// Two cells have the same tag.
    #[error("element {0} occurs twice")]
    ElementTwice(u64),
}

/// An error in a Gmsh file or in the mesh that it describes.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The file cannot be read.
    #[error("cannot read the mesh {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The reason given by the operating system.
        source: std::io::Error,
    },
    /// The file is not a valid Gmsh file, or it has content that is not supported.
    #[error("{}: {place}{problem}", file.display())]
    Gmsh {
        /// The file.
        file: PathBuf,
        /// The position in the file.
        place: FilePosition,
        /// The problem at that position.
        problem: Box<GmshProblem>,
    },
    /// The contents of the file are not valid or not supported.
    #[error("{}: {place}{detail}", file.display())]
    Content {
        /// The file.
        file: PathBuf,
        /// The position in the file.
        place: FilePosition,
        /// The problem, as a sentence.
        detail: String,
    },
    /// The file is valid, but its mesh cannot be used.
    #[error("{}: {problem}", file.display())]
    Topology {
        /// The file.
        file: PathBuf,
        /// The problem with the mesh.
        problem: Box<TopologyProblem>,
    },
}

/// A problem with a mesh as a whole.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TopologyProblem {
    /// There are no cells.
    #[error("the mesh has no cells{}", match (.surfaces, .gmsh) {
        (false, false) => "",
        (false, true) =>
            ": where a part of Gmsh has a name, all that is to be saved has to belong to a physical group (`Physical \
             Surface` of a plane mesh, `Physical Volume`)",
        (true, false) =>
            ", only surfaces: a two-dimensional mesh is extruded by `fr-les mesh import --extrude`",
        (true, true) =>
            ", only surfaces: a two-dimensional mesh is extruded by `fr-les mesh import --extrude`; \
             if there is a volume in Gmsh, it has to belong to a physical group to be saved",
    })]
    NoCells {
        /// True if there are surface elements.
        surfaces: bool,
        /// True if the file is one of Gmsh.
        gmsh: bool,
    },
    /// Cells do not fit together.
    #[error("{0}")]
    Connect(ConnectError),
    /// A periodic boundary does not exist.
    #[error("the periodic boundary `{name}` does not exist; the mesh has {}", list(.known))]
    UnknownBoundary {
        /// The requested name.
        name: String,
        /// Names of the existing boundaries.
        known: Vec<String>,
    },
    /// The name of a boundary is too long.
    #[error("the name {} of a boundary has {} bytes; at most {LONGEST_NAME} are possible", shortened(.0), .0.len())]
    LongName(String),
    /// Two boundaries are to stay apart that the file does not join.
    #[error("the file does not join `{}` with `{}`, which are to stay apart; it joins {}", .pair[0], .pair[1],
        list(.joined))]
    NotJoined {
        /// Names of the boundaries.
        pair: [String; 2],
        /// Pairs that the file joins.
        joined: Vec<String>,
    },
    /// A boundary is joined with itself.
    #[error("the boundary `{0}` cannot be periodic with itself: a pair has two boundaries")]
    PeriodicWithItself(String),
    /// A boundary is in two periodic pairs.
    #[error("the boundary `{0}` is periodic more than once")]
    PeriodicTwice(String),
    /// The motion between two periodic boundaries is not valid.
    #[error("the motion from periodic boundary {first} to {second} {problem}")]
    Motion {
        /// First boundary.
        first: String,
        /// Second boundary.
        second: String,
        /// The problem, as the predicate of a sentence about the motion.
        problem: &'static str,
    },
    /// Two periodic boundaries do not match.
    #[error("periodic boundaries {first} and {second} do not match: {source}")]
    Periodic {
        /// First boundary.
        first: String,
        /// Second boundary.
        second: String,
        /// The faces that differ.
        source: ConnectError,
    },
    /// A face belongs to several boundaries.
    #[error("{place} belongs to {} boundaries, {}: a boundary needs exactly one", .names.len(), list(.names))]
    SeveralNames {
        /// The face.
        place: FaceLocation,
        /// Names of the boundaries.
        names: Vec<String>,
    },
    /// Two nodes lie at the same point, so that the cells on both sides are not connected.
    #[error(
        "nodes {} and {} lie at the same place, {}, so cells that touch there are not connected, as at {place}; \
         merge them{}",
        .tags[0], .tags[1], crate::format::location(*.at),
        if *.gmsh { " (Gmsh: `Coherence Mesh` or BooleanFragments before meshing)" } else { "" }
    )]
    DuplicateNodes {
        /// Tags of the nodes.
        tags: [u64; 2],
        /// Position of the first node.
        at: [f64; 3],
        /// A face that is not connected for this reason.
        place: FaceLocation,
        /// True if the file is one of Gmsh.
        gmsh: bool,
    },
    /// A face and the smaller ones that it meets do not fit together.
    #[error("element {element}, side {side}: {why}")]
    Mortar {
        /// Tag of the cell of the larger face.
        element: u64,
        /// Number of the face in the file, from 1.
        side: usize,
        /// The problem, as a sentence.
        why: String,
    },
    /// Two faces with common vertices have different shapes.
    #[error(
        "{} and {} have common vertices, but not the same curved shape: they differ by {distance:.3e}; \
         cells of different geometric order meet there, or a periodic boundary is curved in different ways",
        .places[0], .places[1]
    )]
    Gap {
        /// The faces.
        places: Box<[FaceLocation; 2]>,
        /// Largest distance between corresponding points.
        distance: f64,
    },
}

/// Joins names with commas and leaves out those beyond the first few.
fn list(names: &[String]) -> String {
    const MOST: usize = 24;
    if names.is_empty() {
        return "none".into();
    }
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MOST);
    shown.join(", ")
        + &if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        }
}
