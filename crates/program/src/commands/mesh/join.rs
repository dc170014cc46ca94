//! Two meshes in one file: the blocks on both sides of an interface, which are meshed on their own.

use std::path::PathBuf;
use std::str::FromStr;

use super::failure::MeshFailure;
use super::files::{read, refuse_over};
use super::report::ReportArgs;
use super::typed::Triple;
use crate::mesh::{LONGEST_NAME, Mesh};

/// What the names of the boundaries of two meshes begin with.
#[derive(Debug, Clone)]
struct Prefixes([String; 2]);

impl FromStr for Prefixes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split(',').collect::<Vec<_>>()[..] {
            [first, second] => Ok(Prefixes([first, second].map(str::to_owned))),
            _ => Err(format!("'{text}' is not of the form A,B, such as stator-,rotor-")),
        }
    }
}

/// Arguments of `fr-les mesh join`.
#[derive(Debug, clap::Args)]
pub struct JoinArgs {
    /// Mesh file, native or of another program
    first: PathBuf,
    /// Mesh file with the cells that follow
    second: PathBuf,
    /// Native file to write
    pub output: PathBuf,
    /// What the names of the boundaries of the first and of the second mesh begin with from now on, as
    /// `stator-,rotor-`. Boundaries of the same name become one
    #[arg(long, value_name = "A,B")]
    prefix: Option<Prefixes>,
    /// Displacement of the second mesh
    #[arg(long = "move", value_name = "X,Y,Z", allow_hyphen_values = true)]
    displacement: Option<Triple<f64>>,
    #[command(flatten)]
    pub report: ReportArgs,
}

impl JoinArgs {
    /// Reads both meshes and puts them into one.
    ///
    /// # Errors
    /// The output is one of them, one cannot be read, they have geometries of different degrees, or a name becomes too
    /// long.
    pub fn join(&self) -> Result<Mesh, MeshFailure> {
        refuse_over(&self.output, &[&self.first, &self.second])?;
        let mut meshes = [read(&self.first, &[], &[], None)?, read(&self.second, &[], &[], None)?];
        let prefixes = self.prefix.iter().flat_map(|Prefixes(both)| both);
        for (mesh, prefix) in meshes.iter_mut().zip(prefixes) {
            let names = mesh.joined.iter_mut().flatten().chain(&mut mesh.boundary_names);
            for name in names {
                *name = format!("{prefix}{name}");
                if name.len() > LONGEST_NAME {
                    return Err(MeshFailure::Argument {
                        what: "the length of a name with its --prefix".to_owned(),
                        value: name.len() as f64,
                        must: format!("at most {LONGEST_NAME}"),
                    });
                }
            }
        }
        let [first, mut second] = meshes;
        if let Some(Triple(displacement)) = self.displacement {
            for node in &mut second.nodes {
                node.iter_mut().zip(displacement).for_each(|(x, by)| *x += by);
            }
        }
        Ok(first.beside(second)?)
    }
}
