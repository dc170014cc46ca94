//! The native mesh file: HDF5, in cell order, so that many processes can each read their own cells.
//!
//! ```text
//! /mesh                       attributes: format = "fr-les mesh", version, geometry_order, hash (Mesh::hash),
//!                             checksum, structured (cubes in x, y, z, and cells of a cube; boxes only)
//!     kinds           u8  [cells]       0 hex, 1 prism, 2 tet, 3 pyramid
//!     first_node      u64 [cells + 1]   where each cell's nodes begin in nodes
//!     nodes           f64 [nodes, 3]    on the element's points of degree geometry_order
//!     first_side      u64 [cells + 1]   where each cell's sides begin in side_cells and side_codes
//!     side_cells      i64 [sides]       the cell behind a face; -1 - i for boundary i
//!     side_codes      u16 [sides]       its face + 8 orientation + 64 (1 + rotation, 0 without); 0 for boundaries
//!     boundary_names  u8  [bytes]       UTF-8, each name ended by a line feed
//!     joined          u8  [bytes]       names of boundaries joined as periodic, two by two; as boundary_names; may be absent
//!     rotations       f64 [n, 3, 3]     x there = R x here, rows of R
//!     tags            u64 [cells]       tags of the cells in the file they were read from; empty if generated
//! /partitions                 divisions of the cells, as many as there are groups in it
//!     <n>                     attributes: order of the solution that it is meant for, weights (what cells of the four kinds cost),
//!                             checksum
//!         parts       u32 [cells]       the part of each cell, from 0 to n - 1
//!         cells       u64 [cells]       the cells sorted by part; those of a part ascending
//!         first_cell  u64 [n + 1]       where the cells of each part begin in cells
//! ```
//!
//! The checksum is a sum over cells, so that processes can check it together: to xxh3 of the rest are added, wrapping
//! at 64 bits, the xxh3 of every cell's kind, nodes, sides and tag, with the cell's number as seed. That of a division is
//! made in the same way of every cell's part, and of the attributes and the checksum of the mesh. HDF5 itself checks what
//! it keeps between the arrays, in the format of version 1.10. A file appears whole or not at all.

mod arrays;
mod error;
mod file_group;
mod partitioning;
mod read;
mod read_part;
mod write;

pub use error::NativeError;
pub use partitioning::Partitioning;
pub use read::{partitionings, read};
pub use read_part::read_part;
pub use write::{write, write_partitioned};

/// Version of the format that is written, and the newest that is read.
const VERSION: u32 = 1;

/// What the attribute `format` says.
const FORMAT: &str = "fr-les mesh";

#[cfg(test)]
mod partition_tests;
#[cfg(test)]
mod tests;
