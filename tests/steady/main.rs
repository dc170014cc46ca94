//! The steady solution: its median dual, and what it hands over.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod blocks;
    pub mod cases;
    pub mod program;
}

mod adequacy;
mod dual;
mod dual_ranks;
mod force;
mod handover;
mod implicit;
mod layers;
mod linear;
mod manufactured;
mod meshes;
mod mixing;
mod multigrid;
mod other_mesh;
mod products;
mod run;
mod sectors;
mod share;
mod solver;
mod solver_ranks;
mod su2;
mod two_equations;
