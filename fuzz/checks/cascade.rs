//! Settings of a cascade and the points of its profile must be refused, or planned as far as Gmsh, which is not called.

use clap::Parser;
use fr_les::commands::mesh::{self, MeshArgs};

use super::parts;

/// The command line of `fr-les mesh`.
#[derive(Parser)]
struct Mesh {
    #[command(flatten)]
    args: MeshArgs,
}

/// Reads a part of the bytes as settings, and the next one as a profile.
pub fn run(bytes: &[u8]) {
    let folder = parts::folder(bytes, &["cascade.yaml", "profile.csv"]);
    let path = |name: &str| folder.path().join(name).into_os_string();
    let words = ["mesh", "cascade", "--gmsh"].map(Into::into);
    let arguments = words
        .into_iter()
        .chain([path("no-gmsh"), path("cascade.yaml"), path("mesh.h5")]);
    let arguments = Mesh::try_parse_from(arguments).expect("a command line");
    let error = mesh::run(&arguments.args, || None).expect_err("there is no Gmsh");
    assert!(!error.to_string().is_empty());
}
