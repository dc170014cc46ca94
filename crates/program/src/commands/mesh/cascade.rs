//! `fr-les mesh cascade`: a mesh of a cascade of blades, from the points of a profile.

use std::path::PathBuf;

use super::failure::MeshFailure;
use super::report::ReportArgs;
use crate::case::{FileKind, SettingsFile};
use crate::commands::print_progress;
use crate::input::Scope;
use crate::mesh::{CascadeKeys, Mesh};

/// Arguments of `fr-les mesh cascade`.
#[derive(Debug, clap::Args)]
pub struct CascadeArgs {
    /// Settings file (YAML); docs/reference/meshes.md explains it
    settings: PathBuf,
    /// Native file to write
    pub output: PathBuf,
    /// Override a key of the settings file, e.g. --set span.cells=4 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// The program Gmsh [default: the first in PATH or in a Python environment of the user]
    #[arg(long, value_name = "PROGRAM")]
    gmsh: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArgs,
}

impl CascadeArgs {
    /// Prints what is known of the blade and makes the mesh.
    ///
    /// # Errors
    /// The settings cannot be used, or Gmsh is missing or fails.
    pub fn build(&self) -> Result<Mesh, MeshFailure> {
        let file = SettingsFile::<CascadeKeys>::read(&self.settings, FileKind::Cascade, &self.overrides);
        let file = file.map_err(MeshFailure::settings)?;
        let keys = &file.keys;
        let scope = Scope::new(&keys.constants).map(|scope| scope.relative_to(file.directory()));
        let plan = scope.and_then(|scope| keys.resolve(&scope)?.plan());
        let plan = plan.map_err(|problem| MeshFailure::settings(file.refuse(problem)))?;
        print_progress(format_args!("{}", plan.report));
        Ok(plan.mesh(self.gmsh.as_deref(), &self.settings)?)
    }
}
