//! The mesh: cells with their geometry nodes, and the connectivity of their faces.
//!
//! A mesh does not depend on the order of the solution or on the device. Every cell has a global number that no
//! reordering or partition changes. Sums and hashes are taken in the order of these numbers, so results depend on
//! neither.
//!
//! Meshes are generated ([`build_box`], [`Annulus`]), read from the files of other programs ([`read_mesh`]), or read
//! from the native HDF5 format ([`native`]). [`partition`] divides them among ranks, [`ordering`] sorts cells for a
//! device, and [`quality`] measures them.

mod annulus;
mod assemble;
mod beside;
mod boundary_faces;
mod box_mesh;
mod box_part;
mod cascade;
mod cell_counts;
mod cells;
mod cgns;
mod check;
pub mod connect;
mod connect_error;
mod cube_division;
mod cube_grid;
mod cube_nodes;
mod error;
mod export_vtkhdf;
mod geometry_nodes;
mod gmsh;
mod handedness;
mod hash;
mod hexes;
mod hopr;
mod keys;
mod mortar;
mod mortar_parts;
mod motion;
pub mod native;
pub mod ordering;
pub mod partition;
mod periodic;
mod plane_mesh;
pub mod quality;
mod rank_faces;
mod read;
mod serendipity;
mod shared_nodes;
mod source;
mod su2;
pub mod test_meshes;
mod types;
mod unconnected;
mod unread;

pub use annulus::{Annulus, AnnulusError};
pub use beside::BesideError;
pub use box_mesh::{BoxError, build_box, check_box};
pub use box_part::{box_on_ranks, is_built_by_parts};
pub use cascade::{
    Annular, AnnulusReport, BladeSection, Cascade, CascadeKeys, RemovedCurvature, StackError, read_profile,
};
pub use cascade::{Blade, BladeFit, CascadeError, CascadeReport, ProgramError, call_gmsh, find_gmsh};
pub use cell_counts::CellCounts;
pub use check::Fault;
pub use connect_error::{ConnectError, FaceLocation, Nearest};
pub use error::{FilePosition, GmshProblem, MeshError, TopologyProblem};
pub use export_vtkhdf::write_mesh_vtkhdf;
pub use gmsh::{GmshForm, read_gmsh, read_gmsh_bytes, write_gmsh};
pub use hexes::HexesError;
pub use keys::MeshKeys;
pub use motion::{Motion, RigidMotion};
pub use plane_mesh::Extrusion;
pub use rank_faces::{FaceKey, RemoteFace};
pub use read::is_native;
pub use read::{ReadError, read_extruded, read_joined, read_mesh, read_part};
pub use source::{BoxElements, BoxMesh, Joins, MeshSource, PeriodicPair, WarpKind};
pub use types::{CellFace, LONGEST_NAME, Mesh, MortarPart, Neighbour, Part, Share, Side, Structured};
