//! The export of a mesh to the formats of other programs, which the ending of the file names.

use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;

use super::failure::MeshFailure;
use super::files::read;
use super::typed::Periodic;
use crate::commands::print_progress;
use crate::io;
use crate::mesh::{GmshForm, write_gmsh, write_mesh_vtkhdf};
use crate::steady::{write_su2, write_su2_solution};

/// Arguments of `fr-les mesh export`.
#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// Mesh file, native or of another program
    input: PathBuf,
    /// File to write: Gmsh (.msh, version 4.1, binary or text), VTKHDF for ParaView (.vtkhdf, and its boundaries
    /// beside it), or SU2 (.su2, straight sub-cells between the points of the cells)
    output: PathBuf,
    /// Degree of the points of an SU2 mesh, which are those of a solution of this order; 1, the default, has the
    /// vertices of the mesh alone
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(1..=6))]
    points: Option<u8>,
    /// Checkpoint of a steady solution (steady.h5), which is written beside an SU2 mesh as a restart file (.dat); the
    /// points are then those of the solution
    #[arg(long, value_name = "STEADY.H5", conflicts_with = "points")]
    solution: Option<PathBuf>,
    /// Write a Gmsh file as text, which PyFR reads
    #[arg(long)]
    text: bool,
    /// As for import; not for native files
    #[arg(long, value_name = "A:B:DX,DY,DZ", allow_hyphen_values = true)]
    periodic: Vec<Periodic>,
}

/// The formats of exported meshes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Format {
    Gmsh,
    Vtkhdf,
    Su2,
}

impl Format {
    fn of(path: &Path) -> Result<Self, MeshFailure> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("msh") => Ok(Self::Gmsh),
            Some("vtkhdf") => Ok(Self::Vtkhdf),
            Some("su2") => Ok(Self::Su2),
            _ => Err(MeshFailure::Ending(path.to_path_buf())),
        }
    }
}

/// Reads the mesh and writes it in the other format. `start_mpi` is called where files need it.
///
/// # Errors
/// The mesh cannot be read, the ending names no format, or a file cannot be written.
pub fn run(args: &ExportArgs, comm: impl FnOnce() -> Option<SimpleCommunicator>) -> Result<(), MeshFailure> {
    let format = Format::of(&args.output)?;
    if (args.points.is_some() || args.solution.is_some()) && format != Format::Su2 {
        return Err(MeshFailure::Points);
    }
    if args.text && format != Format::Gmsh {
        return Err(MeshFailure::Text);
    }
    let outputs: Vec<PathBuf> = [args.output.clone()]
        .into_iter()
        .chain(args.solution.as_ref().map(|_| args.output.with_extension("dat")))
        .collect();
    io::check_file(&args.output)?;
    let same = |a: &Path, b: &Path| a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b));
    if same(&args.input, &args.output) {
        return Err(MeshFailure::Onto(args.output.clone()));
    }
    if let Some(there) = outputs.iter().find(|output| output.exists()) {
        return Err(MeshFailure::There(there.clone()));
    }
    let mesh = read(&args.input, &args.periodic, &[], None)?;
    let written = match format {
        Format::Gmsh => {
            let form = if args.text { GmshForm::Text } else { GmshForm::Binary };
            write_gmsh(&mesh, &args.output, form)?;
            vec![args.output.clone()]
        }
        Format::Su2 => {
            let points = match &args.solution {
                Some(solution) => {
                    let comm = comm().ok_or(MeshFailure::NoMpi)?;
                    write_su2_solution(&mesh, solution, &comm, &outputs[1])?
                }
                None => args.points.unwrap_or(1).into(),
            };
            write_su2(&mesh, points, &args.output)?;
            outputs
        }
        Format::Vtkhdf => {
            let comm = comm().ok_or(MeshFailure::NoMpi)?;
            write_mesh_vtkhdf(&mesh, &args.output, &comm)?
        }
    };
    for path in written {
        print_progress(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
