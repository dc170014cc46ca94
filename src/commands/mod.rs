//! The verbs of the command line, one file each.

pub mod bench;
pub mod check;
pub mod kernels;
pub mod mesh;
pub mod plot;
pub mod run;
pub mod schema;
