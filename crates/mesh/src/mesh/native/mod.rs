//! The native mesh file: HDF5, with arrays in cell order, so that every process can read its own cells only.
//!
//! ```text
//! /mesh                       attributes: format = "fr-les mesh", version, geometry_order, hash (Mesh::hash),
//!                             checksum, structured (cubes in x, y, z, and cells of a cube; boxes only)
//!     kinds           u8  [cells]       0 hex, 1 prism, 2 tet, 3 pyramid
//!     first_node      u64 [cells + 1]   offset of each cell in nodes
//!     nodes           f64 [nodes, 3]    positions of the element's points of degree geometry_order
//!     first_side      u64 [cells + 1]   offset of each cell in side_cells and side_codes
//!     side_cells      i64 [sides]       the neighbour, -1 - i for boundary i, or -2^40 - i for the side of a divided
//!                                       face or of its part i (of version 2)
//!     side_codes      u16 [sides]       its face + 8 orientation + 64 (1 + rotation, 0 without); 0 without neighbour
//!     boundary_names  u8  [bytes]       UTF-8, a line feed after each name
//!     joined          u8  [bytes]       pairs of names of boundaries joined as periodic, in the form of
//!                                       boundary_names; may be absent
//!     rotations       f64 [n, 3, 3]     rows of R in x there = R x here
//!     tags            u64 [cells]       tags of the cells in the file they were read from; empty if generated
//!     mortars         u64 [n, 6]        parts of divided faces, those of a face one after the other: its cell and
//!                                       face, cell and face of the smaller face, orientation, share along the first
//!                                       direction + 3 share along the second one (0 all, 1 low half, 2 high half);
//!                                       in files of version 2 alone, which have some
//! /partitions                 partitions of the cells, one group each
//!     <n>                     attributes: order of the solution for which it is made, weights (costs of the four
//!                             kinds of cells), checksum
//!         parts       u32 [cells]       the part of each cell, from 0 to n - 1
//!         cells       u64 [cells]       the cells sorted by part, ascending in each part
//!         first_cell  u64 [n + 1]       offset of each part in cells
//! ```
//!
//! The checksum is a sum over cells, so that processes can verify it together: the xxh3 of every cell's kind, nodes,
//! sides and tag, with the number of the cell as seed, are added to the xxh3 of the rest, wrapping at 64 bits. The
//! checksum of a partition is formed in the same way from the part of every cell and from the attributes and the
//! checksum of the mesh. HDF5 itself checks its metadata, in the format of version 1.10. A file appears whole or not at
//! all.

mod error;
mod file_group;
mod mesh_arrays;
mod partitioning;
mod read;
mod read_part;
mod version;
mod write;

pub use error::NativeError;
pub use partitioning::Partitioning;
pub use read::{partitionings, read};
pub use read_part::read_part;
pub use write::{write, write_partitioned};

#[cfg(test)]
mod partition_tests;
#[cfg(test)]
mod tests;
