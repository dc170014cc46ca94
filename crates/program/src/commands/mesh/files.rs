//! Mesh files: those of any format are read, and native ones are written after a check of the mesh.

use std::path::Path;

use super::failure::MeshFailure;
use super::report::{ReportArgs, measure};
use super::typed::{Apart, Extrude, Periodic};
use crate::commands::print_progress;
use crate::io;
use crate::mesh::native;
use crate::mesh::{Joins, Mesh, PeriodicPair, is_native, read_joined};

/// Reads a mesh, joins the pairs of its boundaries, leaves those apart that its file joins but shall not, and extends
/// it in z if it is to be extruded.
pub fn read(
    path: &Path,
    periodic: &[Periodic],
    apart: &[Apart],
    extrude: Option<Extrude>,
) -> Result<Mesh, MeshFailure> {
    if path
        .extension()
        .is_some_and(|ending| ending == "yaml" || ending == "yml")
    {
        return Err(MeshFailure::NoMesh(path.to_path_buf()));
    }
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

/// Verifies, before the work, that a mesh may be written to this path.
pub fn check_output(path: &Path) -> Result<(), MeshFailure> {
    io::check_file(path)?;
    // A wrong argument must not overwrite a case or a mesh script.
    if path.exists() && is_native(path).is_ok_and(|native| !native) {
        Err(MeshFailure::Foreign(path.to_path_buf()))
    } else {
        Ok(())
    }
}

/// Verifies, before the work, that a mesh is not written over one of those that are read.
pub fn refuse_over(output: &Path, inputs: &[&Path]) -> Result<(), MeshFailure> {
    let is_output = |input: &&Path| input.exists() && input.canonicalize().ok() == output.canonicalize().ok();
    if inputs.iter().any(is_output) {
        Err(MeshFailure::OverInput(output.to_path_buf()))
    } else {
        Ok(())
    }
}

/// Checks, reports and writes a mesh.
pub fn write(mesh: &Mesh, path: &Path, args: &ReportArgs) -> Result<(), MeshFailure> {
    mesh.check()?;
    let quality = measure(mesh, path, args)?;
    print_progress(format_args!("{quality}"));
    if quality.inverted > 0 {
        return Err(MeshFailure::Inverted {
            count: quality.inverted,
            worst: quality.worst.place,
        });
    }
    native::write(mesh, path)?;
    print_progress(format_args!("wrote {}, mesh hash {:016x}", path.display(), mesh.hash()));
    Ok(())
}
