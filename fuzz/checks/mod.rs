//! What the readers of the program's inputs must stand, whatever the bytes: no panics, no hangs, no absurd allocations.
//! The fuzz targets call these functions; the tests replay the seeds through them (tests/cli/seeds.rs), so that they
//! build with the tests.

pub mod case;
pub mod checkpoint;
pub mod expression;
pub mod gmsh;
pub mod mesh;
