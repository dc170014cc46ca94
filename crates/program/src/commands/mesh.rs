//! `fr-les mesh`: imports meshes into the native format, generates simple ones, divides them among ranks, and reports
//! their contents.

use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use thiserror::Error;

use super::print_line;
use crate::case;
use crate::element::ElementKind;
use crate::io;
use crate::mesh::native::{self, NativeError};
use crate::mesh::partition::DivideError;
use crate::mesh::quality::{CellLocation, Quality};
use crate::mesh::{
    AnnulusError, BoxError, CascadeError, Fault, Joins, Mesh, PeriodicPair, ReadError, is_native, read_joined,
};
use crate::steady::ExportError;

mod cascade;
mod export;
mod generate;
mod partition;
mod typed;

use generate::Shape;
use typed::{Apart, Extrude, Periodic};

/// Arguments of `fr-les mesh`.
#[derive(Debug, clap::Args)]
pub struct MeshArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Read a mesh of another program, check it, and write it in the native format
    Import(ImportArgs),
    /// Write a mesh for another program: Gmsh, ParaView or SU2
    Export(export::ExportArgs),
    /// Divide a native mesh among ranks, and keep that in its file
    Partition(partition::PartitionArgs),
    /// Report cells, boundaries, quality and memory of a mesh, native or of Gmsh, CGNS, SU2 or HOPR
    Info(InfoArgs),
    /// Make a simple mesh
    #[command(subcommand)]
    Generate(Shape),
    /// Make a mesh of a cascade of blades from the points of a profile, with Gmsh
    Cascade(cascade::CascadeArgs),
}

#[derive(Debug, clap::Args)]
struct ImportArgs {
    /// Mesh file of Gmsh (.msh), CGNS (.cgns), SU2 (.su2) or HOPR (.h5)
    input: PathBuf,
    /// Native file to write
    output: PathBuf,
    /// Join boundary A to B, which lies DX,DY,DZ from it; or to B, into which A turns by DEGREES about the axis through
    /// P along V: A:B:DEGREES@PX,PY,PZ/VX,VY,VZ (repeatable). `z` joins the ends z- and z+ of an extruded mesh
    #[arg(long, value_name = "A:B:DX,DY,DZ", allow_hyphen_values = true)]
    periodic: Vec<Periodic>,
    /// Leave boundaries A and B apart, which the file joins as periodic (repeatable). Sides that have no name are
    /// called `unnamed`
    #[arg(long, value_name = "A:B")]
    apart: Vec<Apart>,
    /// Extend a two-dimensional mesh in z: triangles become prisms, quadrilaterals hexahedra; the ends are z- and z+
    #[arg(long, value_name = "thickness=T,layers=N")]
    extrude: Option<Extrude>,
    /// Multiply all coordinates by S, as 0.001 makes metres of millimetres. Lengths of the other options are those of
    /// the file
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    scale: Option<f64>,
    #[command(flatten)]
    report: ReportArgs,
}

#[derive(Debug, clap::Args)]
struct InfoArgs {
    /// Mesh file, native or of another program
    file: PathBuf,
    /// As for import; not for native files
    #[arg(long, value_name = "A:B:DX,DY,DZ", allow_hyphen_values = true)]
    periodic: Vec<Periodic>,
    /// As for import; not for native files
    #[arg(long, value_name = "A:B")]
    apart: Vec<Apart>,
    #[command(flatten)]
    report: ReportArgs,
}

#[derive(Debug, clap::Args)]
struct ReportArgs {
    /// Polynomial degree of the solution that points, wall distances and memory are reported for
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=8))]
    #[arg(allow_negative_numbers = true)]
    order: u64,
}

impl ReportArgs {
    /// Returns the order, if all cells of the mesh can have it.
    fn order_for(&self, mesh: &Mesh) -> Result<usize, MeshFailure> {
        let order = self.order as usize;
        match mesh.kinds.iter().find(|kind| order > kind.max_order()) {
            Some(&kind) => Err(MeshFailure::Order { order, kind }),
            None => Ok(order),
        }
    }
}

/// An error of the import, the report or the generation of a mesh.
#[derive(Debug, Error)]
pub enum MeshFailure {
    /// The mesh file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
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
    fn settings(error: case::Error) -> Self {
        MeshFailure::Settings(Box::new(error))
    }
}

/// The message of an error of a settings file without its first word, which the command line prints itself.
fn headless(error: &case::Error) -> String {
    let text = error.to_string();
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

/// Executes the verb that the arguments name. `comm` starts MPI and returns a communicator of one rank; it is called
/// where files are written that need it.
///
/// # Errors
/// A mesh cannot be read, made, divided or written, or has inverted cells.
pub fn run(args: &MeshArgs, comm: impl FnOnce() -> Option<SimpleCommunicator>) -> Result<(), MeshFailure> {
    match &args.verb {
        Verb::Import(args) => {
            check_output(&args.output)?;
            let mut mesh = read(&args.input, &args.periodic, &args.apart, args.extrude)?;
            if let Some(by) = args.scale {
                scale(&mut mesh, by)?;
            }
            write(&mesh, &args.output, &args.report)
        }
        Verb::Info(args) => {
            let mesh = read(&args.file, &args.periodic, &args.apart, None)?;
            report(&mesh, &args.file, &args.report)?;
            partition::list(&mesh, &args.file)
        }
        Verb::Export(args) => export::run(args, comm),
        Verb::Partition(args) => partition::run(args),
        Verb::Generate(shape) => {
            check_output(shape.output())?;
            write(&shape.build()?, shape.output(), shape.report())
        }
        Verb::Cascade(args) => {
            check_output(&args.output)?;
            write(&args.build()?, &args.output, &args.report)
        }
    }
}

fn read(path: &Path, periodic: &[Periodic], apart: &[Apart], extrude: Option<Extrude>) -> Result<Mesh, MeshFailure> {
    let by = extrude.map(|Extrude(by)| by);
    let pair = |pair: &Periodic| match (pair, &by) {
        (Periodic::Pair(pair), _) => Ok(pair.clone()),
        (Periodic::Ends, Some(by)) => Ok(by.ends()),
        (Periodic::Ends, None) => Err(MeshFailure::NoEnds),
    };
    let pairs: Vec<PeriodicPair> = periodic.iter().map(pair).collect::<Result<_, _>>()?;
    let apart: Vec<[String; 2]> = apart.iter().map(|Apart(names)| names.clone()).collect();
    let joins = Joins {
        pairs: &pairs,
        apart: &apart,
    };
    Ok(read_joined(path, by.as_ref(), joins)?)
}

/// Multiplies the coordinates of a mesh.
fn scale(mesh: &mut Mesh, by: f64) -> Result<(), MeshFailure> {
    let refused = |must: &str| MeshFailure::Argument {
        what: "--scale".to_owned(),
        value: by,
        must: must.to_owned(),
    };
    if !(by > 0.0 && by.is_finite()) {
        return Err(refused("above 0 and finite"));
    }
    mesh.scale(by);
    if mesh.nodes.iter().flatten().any(|x| !(x * x * x).is_finite()) {
        return Err(refused("so small that volumes are finite"));
    }
    Ok(())
}

/// Prints the report.
fn report(mesh: &Mesh, path: &Path, args: &ReportArgs) -> Result<Quality, MeshFailure> {
    let order = args.order_for(mesh)?;
    let quality = Quality::of(mesh, order).ok_or_else(|| MeshFailure::Empty(path.to_path_buf()))?;
    print_line(format_args!("{quality}"));
    Ok(quality)
}

/// Verifies, before the work, that a mesh may be written to this path.
fn check_output(path: &Path) -> Result<(), MeshFailure> {
    io::check_file(path)?;
    // A wrong argument must not overwrite a case or a mesh script.
    if path.exists() && is_native(path).is_ok_and(|native| !native) {
        Err(MeshFailure::Foreign(path.to_path_buf()))
    } else {
        Ok(())
    }
}

/// Checks, reports and writes a mesh.
fn write(mesh: &Mesh, path: &Path, args: &ReportArgs) -> Result<(), MeshFailure> {
    mesh.check()?;
    let quality = report(mesh, path, args)?;
    if quality.inverted > 0 {
        return Err(MeshFailure::Inverted {
            count: quality.inverted,
            worst: quality.worst.place,
        });
    }
    native::write(mesh, path)?;
    print_line(format_args!("wrote {}, mesh hash {:016x}", path.display(), mesh.hash()));
    Ok(())
}
