//! What can be wrong with a mesh, its file or the arguments that name them.

use std::path::PathBuf;

use thiserror::Error;

use crate::case;
use crate::element::ElementKind;
use crate::io;
use crate::mesh::native::NativeError;
use crate::mesh::partition::DivideError;
use crate::mesh::quality::CellLocation;
use crate::mesh::{AnnulusError, BesideError, BoxError, CascadeError, Fault, HexesError, ReadError};
use crate::steady::ExportError;

/// An error of the import, the report or the generation of a mesh.
#[derive(Debug, Error)]
pub enum MeshFailure {
    /// The mesh file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is one of settings.
    #[error(
        "{}: this is a file of settings, and no mesh: `fr-les check FILE` looks at a case, and `fr-les mesh cascade \
         FILE MESH.h5` makes the mesh of a cascade",
        .0.display()
    )]
    NoMesh(PathBuf),
    /// The mesh file cannot be written.
    #[error(transparent)]
    Write(#[from] NativeError),
    /// The output path cannot be written to.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// The box cannot be built.
    #[error(transparent)]
    Box(#[from] BoxError),
    /// The annulus cannot be built.
    #[error(transparent)]
    Annulus(#[from] AnnulusError),
    /// The cells cannot be divided into hexahedra.
    #[error("{}: {source}", path.display())]
    Hexes {
        /// The mesh file.
        path: PathBuf,
        /// The reason.
        source: HexesError,
    },
    /// The mesh to be written is one that is read.
    #[error("{}: this mesh is read: name another file to write", .0.display())]
    OverInput(PathBuf),
    /// Two meshes cannot be put into one.
    #[error(transparent)]
    Beside(#[from] BesideError),
    /// The settings of a cascade cannot be used.
    #[error("{}", headless(.0))]
    Settings(Box<case::Error>),
    /// The section of a cascade cannot be meshed.
    #[error(transparent)]
    Cascade(#[from] CascadeError),
    /// The reader or the generator made a mesh of parts that do not fit.
    #[error("the mesh is inconsistent: {0}")]
    Fault(#[from] Fault),
    /// An argument is out of its range.
    #[error("{what} is {value}, but must be {must}")]
    Argument {
        /// The argument.
        what: String,
        /// Its value.
        value: f64,
        /// The condition that it must satisfy.
        must: String,
    },
    /// The mesh cannot be divided.
    #[error("{}: {source}", path.display())]
    Divide {
        /// The mesh file.
        path: PathBuf,
        /// The reason.
        source: DivideError,
    },
    /// Only native files can hold divisions.
    #[error("{}: this is not a native mesh file, in which divisions are kept: import it first", .0.display())]
    NotNative(PathBuf),
    /// An existing file that is no mesh of this format would be overwritten.
    #[error("{} is there and is no native mesh file: it is not overwritten", .0.display())]
    Foreign(PathBuf),
    /// The ends in z of a mesh that is not extruded are to be joined.
    #[error("`--periodic z` joins the ends of an extruded mesh: it needs --extrude thickness=T,layers=N")]
    NoEnds,
    /// The ending of a file names no format.
    #[error("{}: the ending names no format that is written: use .msh (Gmsh), .vtkhdf (ParaView) or \
         .su2 (SU2)", .0.display())]
    Ending(PathBuf),
    /// An export would replace a file, which may be the mesh of another program.
    #[error("{} is there, and an export replaces no file: remove it first, or name another one", .0.display())]
    There(PathBuf),
    /// A mesh would be exported to the file that it is read from.
    #[error("{}: the mesh would be written over the file from which it is read", .0.display())]
    Onto(PathBuf),
    /// The sub-mesh cannot be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A degree of points or a solution is given for another format than SU2.
    #[error("--points and --solution are for files of SU2 (.su2), whose cells lie between the points of a solution")]
    Points,
    /// Text is asked for in another format than Gmsh's.
    #[error("--text is for files of Gmsh (.msh)")]
    Text,
    /// MPI does not start.
    #[error("MPI could not be initialised")]
    NoMpi,
    /// The mesh has no cells to report.
    #[error("{}: the mesh has no cells", .0.display())]
    Empty(PathBuf),
    /// The degree of the solution is too high for a kind of cell.
    #[error("--order {order} is too high: {kind} cells go up to {}", kind.max_order())]
    Order {
        /// The degree.
        order: usize,
        /// The kind of cell.
        kind: ElementKind,
    },
    /// Cells that cannot be used.
    #[error(
        "{count} {} inverted or degenerate, the worst is {worst}; nothing was written",
        if *.count == 1 { "cell is" } else { "cells are" }
    )]
    Inverted {
        /// Number of such cells.
        count: usize,
        /// Position of the worst of them.
        worst: CellLocation,
    },
}

impl MeshFailure {
    /// An error of a file of settings.
    pub fn settings(error: case::Error) -> Self {
        MeshFailure::Settings(Box::new(error))
    }
}

/// The message of an error of a settings file without its first word, which the command line prints itself.
fn headless(error: &case::Error) -> String {
    let text = error.to_string();
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}
