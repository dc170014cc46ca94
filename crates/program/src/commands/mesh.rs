//! `fr-les mesh`: imports meshes into the native format, generates simple ones, divides them among ranks, and reports
//! their contents.

use std::path::PathBuf;

use mpi::topology::SimpleCommunicator;

use super::json::{Form, FormArgs, print_json};
use super::print_line;
use crate::mesh::Mesh;

mod cascade;
mod export;
mod failure;
mod files;
mod generate;
mod hexes;
mod info;
mod join;
mod partition;
mod report;
mod typed;

pub use failure::MeshFailure;
use files::{check_output, read, write};
use generate::Shape;
use info::MeshFacts;
use report::{ReportArgs, measure};
use typed::{Apart, Extrude, Periodic};

/// Arguments of `fr-les mesh`.
#[derive(Debug, clap::Args)]
pub struct MeshArgs {
    #[command(subcommand)]
    verb: Verb,
}

impl MeshArgs {
    /// Returns the form of the result.
    pub fn form(&self) -> Form {
        match &self.verb {
            Verb::Info(args) => args.form.form(),
            _ => Form::Text,
        }
    }
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
    /// Put two meshes into one file, side by side, for the interfaces of a run to join
    Join(join::JoinArgs),
    /// Divide prisms and tetrahedra into hexahedra, and their neighbours to fit: the same shape in faster cells
    Hexes(hexes::HexesArgs),
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
    #[command(flatten)]
    form: FormArgs,
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
            let quality = measure(&mesh, &args.file, &args.report)?;
            let divisions = partition::divisions(&mesh, &args.file)?;
            match args.form.form() {
                Form::Text => {
                    print_line(format_args!("{quality}"));
                    divisions.iter().for_each(partition::print);
                }
                Form::Json => {
                    let file = args.file.display().to_string();
                    print_json("mesh info", &MeshFacts::new(file, mesh.hash(), quality, &divisions));
                }
            }
            Ok(())
        }
        Verb::Export(args) => export::run(args, comm),
        Verb::Partition(args) => partition::run(args),
        Verb::Join(args) => {
            check_output(&args.output)?;
            write(&args.join()?, &args.output, &args.report)
        }
        Verb::Hexes(args) => {
            check_output(&args.output)?;
            write(&args.divide()?, &args.output, &args.report)
        }
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
