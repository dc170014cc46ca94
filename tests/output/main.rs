//! The files that a run writes.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod blocks;
    pub mod cases;
    pub mod couette;
    pub mod program;
    pub mod random;
    pub mod sectors;
    pub mod turned;
}

mod annuli;
mod blades;
mod boundary_layers;
mod derived;
mod derived_exact;
mod divergence;
mod frames;
mod initial_file;
mod known;
mod moments;
mod norms;
mod python;
mod sampling;
mod sections;
mod slice_values;
mod statistics;
mod sub_cells;
mod surfaces;
mod traverses;
mod vtk_reader;
