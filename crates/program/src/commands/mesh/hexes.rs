//! A mesh of hexahedra alone, into which prisms and tetrahedra are divided.

use std::path::PathBuf;

use super::failure::MeshFailure;
use super::files::{read, refuse_over};
use super::report::ReportArgs;
use crate::mesh::Mesh;

/// Arguments of `fr-les mesh hexes`.
#[derive(Debug, clap::Args)]
pub struct HexesArgs {
    /// Mesh file, native or of another program, without pyramids
    input: PathBuf,
    /// Native file to write
    pub output: PathBuf,
    #[command(flatten)]
    pub report: ReportArgs,
}

impl HexesArgs {
    /// Reads the mesh and divides its cells.
    ///
    /// # Errors
    /// The output is the input, it cannot be read, or it has pyramids or hexahedra alone.
    pub fn divide(&self) -> Result<Mesh, MeshFailure> {
        refuse_over(&self.output, &[&self.input])?;
        let mesh = read(&self.input, &[], &[], None)?;
        mesh.into_hexes().map_err(|source| MeshFailure::Hexes {
            path: self.input.clone(),
            source,
        })
    }
}
