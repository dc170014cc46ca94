//! Checks of the readers of the program's inputs: no bytes may make them panic, hang or allocate absurd amounts of
//! memory. The fuzz targets call these functions. The tests replay the seeds with them (tests/cli/seeds.rs), so that
//! they are built with the tests.

pub mod cascade;
pub mod case;
pub mod cgns;
pub mod checkpoint;
pub mod expression;
pub mod gmsh;
pub mod hdf5_changes;
pub mod hopr;
pub mod initial;
pub mod mesh;
mod parts;
pub mod report;
pub mod study;
pub mod su2;
pub mod table;
