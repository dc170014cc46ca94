//! Mesh files and the commands that write and report them.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod cases;
    pub mod meshes;
    pub mod program;
    pub mod refined;
}

mod cascade;
mod cgns;
mod cgns_files;
mod command;
mod export;
mod gmsh;
mod gmsh_errors;
mod gmsh_forms;
mod gmsh_orders;
mod gmsh_periodic;
mod hopr;
mod mirrored;
mod mortars;
mod plane;
mod refusals;
mod rows;
mod su2;
mod table;
mod tip_gaps;
