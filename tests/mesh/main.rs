//! Mesh files and the commands that write and report them.

#[path = "../common"]
mod common {
    pub mod meshes;
    pub mod program;
}

mod command;
mod gmsh;
mod gmsh_errors;
mod gmsh_periodic;
mod refusals;
