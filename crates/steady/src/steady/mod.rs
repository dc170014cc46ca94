//! The steady solution of the Reynolds-averaged equations on the points of the large-eddy simulation.
//!
//! Coincident solution points of neighbouring cells are one vertex. The cells are cut into sub-cells between their
//! points, and a finite-volume scheme balances the fluxes of the median dual of this sub-mesh. A converged solution
//! starts a large-eddy simulation by copying, point by point.

mod adequacy;
mod arrays;
mod blocks;
mod boundary_layer;
mod build;
mod conditions;
mod construction;
mod controller;
mod dual;
mod error;
mod exchange;
mod fields;
mod force;
mod gradient;
mod grid;
mod halo;
mod handover;
mod implicit;
mod keys;
mod layers;
mod machine;
mod memory;
mod migration;
mod mixing;
mod monitor;
mod multigrid;
mod numbering;
mod other_mesh;
mod periods;
mod profile;
mod rotation;
mod rows;
mod run;
mod scheme;
mod shares;
mod slices;
mod solver;
mod start;
mod stepper;
mod su2;
mod turbulence;
mod vertices;

pub use crate::physics::Turbulence;
pub use adequacy::{
    Adequacy, INNER, Station, TurbulentCell, WallFace, text as adequacy_text, warnings as adequacy_warnings,
};
pub use conditions::{BoundaryList, ConditionError, evaluate};
pub use controller::{Control, Controller, Verdict};
pub use dual::{BoundaryVertices, DualMesh, VertexNeighbour};
pub use error::{DualError, ExportError};
pub use handover::{STEADY, Solution, Stored, Values};
pub use implicit::{
    Implicit, ImplicitSolver, LinearSystem, Lines, Preconditioner, Refresh, Solutions, Solved, Step, System, Timings,
    keep_lines_whole, seconds_of_explicit_step,
};
pub use keys::{Driver, GONE, ImplicitSteps, Settings, SteadyKeys};
pub use machine::Machine;
pub use mixing::{Agreement, Annulus, BandPoints, MixingPlane, find as find_mixing_planes};
pub use monitor::columns as convergence_columns;
pub use multigrid::{Coarsening, Level, Levels, Meshes};
pub use profile::Profile;
pub use run::{Examination, Finish, SteadyError, examine, run, solver_at_start};
pub use scheme::{EddyScale, Scheme};
pub use slices::Arrangement;
pub use solver::Solver;
pub use su2::{write_su2, write_su2_solution};
pub use turbulence::{eddy_viscosity, kinetic_energy, sst_viscosity, strain, wilcox_viscosity};
