//! What can be wrong with a mesh, said so that it can be found in the file and put right.

use std::fmt;
use std::path::PathBuf;

use super::connect_error::{ConnectError, FacePlace};

/// Where something stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line of text, from 1.
    Line(usize),
    /// A byte of binary data, from 0.
    Byte(usize),
    /// The file as a whole.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}: "),
            Self::Byte(byte) => write!(f, "byte {byte}: "),
            Self::Whole => Ok(()),
        }
    }
}

/// What is wrong at one place of a Gmsh file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GmshProblem {
    /// The file does not begin as mesh files do.
    #[error("this is not a Gmsh mesh file: it does not begin with $MeshFormat, but with `{0}`")]
    NotGmsh(String),
    /// A version that is not read.
    #[error("format version {0} is not read; save the mesh as version 4.1 or 2.2 (`gmsh -format msh41` or `msh22`)")]
    Version(String),
    /// Sizes of numbers other than eight bytes.
    #[error("numbers of {0} bytes are not read, only of 8")]
    DataSize(i64),
    /// The number that tells the order of bytes is not one.
    #[error("the file calls itself binary, but the number that shows the order of bytes is neither way 1")]
    ByteOrder,
    /// The file ends too early.
    #[error("the file ends where {what} should be")]
    Truncated {
        /// What should be there.
        what: &'static str,
    },
    /// Something else stands where a number or a word should be.
    #[error("expected {what}, found `{found}`")]
    Unexpected {
        /// What should be there.
        what: &'static str,
        /// What is there.
        found: String,
    },
    /// A count or a tag below zero.
    #[error("{what} is negative: {value}")]
    Negative {
        /// What the number is.
        what: &'static str,
        /// The number.
        value: i64,
    },
    /// A count that cannot be true.
    #[error("{count} are announced as {what}, but the rest of the file is too short for more than {room}")]
    Count {
        /// What the count is of.
        what: &'static str,
        /// The count.
        count: u64,
        /// How many there can be.
        room: usize,
    },
    /// A section is there twice.
    #[error("a second section ${0}")]
    SecondSection(String),
    /// A section is missing or comes too late.
    #[error("there is no section ${0} before this place")]
    MissingSection(&'static str),
    /// A section that cannot be used.
    #[error("section ${section} is not read: {advice}")]
    Section {
        /// Its name.
        section: &'static str,
        /// What to do about it.
        advice: &'static str,
    },
    /// A coordinate is not a finite number.
    #[error("coordinate {} of node {tag} is {value}", ["x", "y", "z"][*.direction])]
    NotFinite {
        /// The node.
        tag: u64,
        /// Which coordinate.
        direction: usize,
        /// Its value.
        value: f64,
    },
    /// Two nodes have the same tag.
    #[error("node {0} is there twice")]
    NodeTwice(u64),
    /// More nodes than are numbered.
    #[error("{0} nodes are more than can be read")]
    TooManyNodes(usize),
    /// An element has a node that does not exist.
    #[error("element {element} has node {node}, which does not exist")]
    UnknownNode {
        /// The element.
        element: u64,
        /// The node's tag.
        node: u64,
    },
    /// A node in the list of periodic nodes that does not exist.
    #[error("the periodic surface {surface} has node {node}, which does not exist")]
    UnknownPeriodicNode {
        /// Tag of the surface.
        surface: i64,
        /// The node's tag.
        node: u64,
    },
    /// A type of elements that is not read.
    #[error("element {element} is of type {number}, which is not read")]
    ElementType {
        /// The element.
        element: u64,
        /// Number of the type.
        number: i64,
    },
    /// A type that does not fit the dimension of its entity.
    #[error("elements of type {number} cannot belong to an entity of dimension {dimension}")]
    Dimension {
        /// Number of the type.
        number: i64,
        /// Dimension of the entity.
        dimension: i64,
    },
    /// A cell without the nodes inside its faces and its volume.
    #[error(
        "element {element} is a {kind} of order {order} without nodes inside its faces (\"serendipity\"); \
         set Mesh.SecondOrderIncomplete=0 in Gmsh and mesh again"
    )]
    Incomplete {
        /// The element.
        element: u64,
        /// Its kind.
        kind: &'static str,
        /// Its order.
        order: usize,
    },
    /// A cell of too high an order.
    #[error("element {element} is of geometric order {order}; orders up to {most} are read (Gmsh's Mesh.ElementOrder)")]
    Order {
        /// The element.
        element: u64,
        /// Its order.
        order: usize,
        /// The highest that is read.
        most: usize,
    },
    /// Two cells have the same tag.
    #[error("element {0} is there twice")]
    ElementTwice(u64),
}

/// Why a mesh is refused.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The file cannot be read.
    #[error("cannot read the mesh {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not a valid Gmsh file, or has something that is not supported.
    #[error("{}: {place}{problem}", file.display())]
    Gmsh {
        /// The file.
        file: PathBuf,
        /// Where in it.
        place: Place,
        /// What is wrong there.
        problem: Box<GmshProblem>,
    },
    /// The mesh is right in itself, but cannot be used.
    #[error("{}: {problem}", file.display())]
    Topology {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problem: Box<TopologyProblem>,
    },
}

/// What is wrong with a mesh as a whole.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TopologyProblem {
    /// There are no cells.
    #[error("the mesh has no cells{}", if *.surfaces {
        ", only surfaces: a two-dimensional mesh has to be extruded by one layer; \
         if there is a volume in Gmsh, it has to belong to a physical group to be saved"
    } else {
        ""
    })]
    NoCells {
        /// Whether there are surface elements.
        surfaces: bool,
    },
    /// Cells do not fit together.
    #[error("{0}")]
    Connect(ConnectError),
    /// A periodic boundary does not exist.
    #[error("the periodic boundary `{name}` does not exist; the mesh has {}", list(.known))]
    UnknownBoundary {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A boundary is joined with itself.
    #[error("the boundary `{0}` cannot be periodic with itself: a pair has two boundaries")]
    PeriodicWithItself(String),
    /// A boundary is in two periodic pairs.
    #[error("the boundary `{0}` is periodic more than once")]
    PeriodicTwice(String),
    /// A periodic boundary's motion is impossible.
    #[error("the motion from periodic boundary {first} to {second} {problem}")]
    Motion {
        /// First boundary.
        first: String,
        /// Second boundary.
        second: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Two periodic boundaries do not match.
    #[error("periodic boundaries {first} and {second} do not match: {source}")]
    Periodic {
        /// First boundary.
        first: String,
        /// Second boundary.
        second: String,
        /// How they differ.
        source: ConnectError,
    },
    /// Faces on the surface of the mesh belong to no boundary.
    #[error(
        "{count} faces on the surface of the mesh have no boundary condition's name, first {place}; {}",
        match .surface {
            Some(surface) => format!(
                "it lies on surface {surface}, which is in no physical group (Gmsh leaves groups out of files of version 2.2 \
                 if Mesh.SaveAll is set)"
            ),
            None => "no surface element of the file lies on it, so its surface is probably in no physical group".into(),
        }
    )]
    Nameless {
        /// How many.
        count: usize,
        /// The first of them.
        place: FacePlace,
        /// Tag of the surface it lies on.
        surface: Option<i64>,
    },
    /// A face belongs to several boundaries.
    #[error("{place} belongs to {} physical groups, {}: a boundary needs exactly one", .names.len(), list(.names))]
    SeveralNames {
        /// The face.
        place: FacePlace,
        /// The boundaries.
        names: Vec<String>,
    },
    /// Two nodes lie at one place, so that the cells on both sides are not connected.
    #[error(
        "nodes {} and {} lie at the same place, {}, so cells that touch there are not connected, as at {place}; \
         merge them (Gmsh: `Coherence Mesh` or BooleanFragments before meshing)",
        .tags[0], .tags[1], crate::words::place(*.at)
    )]
    DuplicateNodes {
        /// Tags of the nodes.
        tags: [u64; 2],
        /// Where they lie.
        at: [f64; 3],
        /// A face that is open for it.
        place: FacePlace,
    },
    /// Two faces with common vertices have different shapes.
    #[error(
        "{} and {} have common vertices, but not the same curved shape: they differ by {distance:.3e}; \
         cells of different geometric order meet there, or a periodic boundary is curved in different ways",
        .places[0], .places[1]
    )]
    Gap {
        /// The faces.
        places: Box<[FacePlace; 2]>,
        /// By how much they differ.
        distance: f64,
    },
}

/// Names with commas between, cut where they would fill the screen.
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
