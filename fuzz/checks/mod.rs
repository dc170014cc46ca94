//! Checks of the readers of the program's inputs: no bytes may make them panic, hang or allocate absurd amounts of
//! memory. The fuzz targets call these functions. The tests replay the seeds with them (tests/cli/seeds.rs), so that
//! they are built with the tests.

pub mod case;
pub mod checkpoint;
pub mod expression;
pub mod gmsh;
pub mod mesh;
