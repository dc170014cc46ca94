//! Reference elements: solution points and the operators that act on them, in double precision on the host.
//!
//! The kernels receive elements as small tables, so that a new element or correction function is data, not code. A
//! hexahedron is a product of lines, a prism the product of a triangle and a line. Tetrahedra and pyramids have
//! matrices over all their points.

mod basis;
mod correction;
mod dense;
mod elements;
mod face_derivatives;
mod filter_modes;
mod interface_rule;
mod kind;
mod line;
mod mapping;
mod mortar_rule;
mod nodes;
mod operators;
mod output_rule;
mod per_kind;
mod reference;
mod reference_face;
mod stability;
mod sub_cells;
mod tetrahedra;
mod triangle;

pub use basis::quadrature;
pub use correction::Correction;
pub use elements::Elements;
pub use face_derivatives::{FaceDerivatives, bend, curl_metrics, differentiate};
pub use filter_modes::FilterModes;
pub use interface_rule::interface_rule;
pub use kind::{ElementKind, Face, FaceShape, triangle_index};
pub use line::{LineElement, gauss_lobatto, lagrange_matrix};
pub use mapping::{Mapping, MappingBasis};
pub use mortar_rule::mortar_rule;
pub use nodes::{nodes, triangle_nodes};
pub use output_rule::OutputRule;
pub use per_kind::PerKind;
pub use reference::ReferenceElement;
pub use reference_face::ReferenceFace;
pub use stability::{StabilityLimits, element_limits};
pub use sub_cells::{EdgeEnd, SubCell, SubCellShape, SubCells, SubEdge};
pub use tetrahedra::tetrahedra;
pub use triangle::Triangle;
