//! Reference elements: solution points and the operators that act on them, in double precision on the host.
//!
//! Everything the kernels know of an element comes from here as small tables, so that a new element or a new correction
//! function is data, not code. A hexahedron is a product of lines, a prism one of a triangle and a line; tetrahedra and pyramids
//! have matrices over all their points.

mod area;
mod basis;
mod correction;
mod dense;
mod elements;
mod kind;
mod line;
mod metric_fix;
mod nodes;
mod operators;
mod reference;
mod stability;
mod tetrahedra;
mod triangle;

pub use area::{FaceDerivatives, differentiate};
pub use basis::quadrature;
pub use correction::Correction;
pub use elements::Elements;
pub use kind::{ElementKind, Face, FaceShape};
pub use line::{LineElement, gauss_lobatto, lagrange_matrix};
pub use metric_fix::{Identity, PyramidMetrics};
pub use nodes::{nodes, triangle_nodes};
pub use reference::{ReferenceElement, ReferenceFace};
pub use stability::{StabilityLimits, element_limits};
pub use tetrahedra::tetrahedra;
pub use triangle::Triangle;
