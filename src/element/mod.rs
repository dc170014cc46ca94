//! Reference elements: solution points and the operators that act on them, in double precision on the host.
//!
//! Everything the kernels know of an element comes from here as small tables, so that a new element or a new correction
//! function is data, not code. The hexahedron is a tensor product, so its element is one line of points.

mod line;
mod stability;

pub use line::{LineElement, gauss_lobatto, lagrange_matrix};
pub use stability::{StabilityLimits, stability_limits};
