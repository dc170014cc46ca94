//! A face of a reference element.

use super::kind::FaceShape;

/// A face of a reference element.
#[derive(Debug, Clone)]
pub struct ReferenceFace {
    /// Shape of the face.
    pub shape: FaceShape,
    /// Outward normal in reference space; its length is the ratio of the face's area to that of its standard shape.
    pub normal: [f64; 3],
    /// Points of the cell on the face, `[face point]`, in the order of the face.
    pub points: Vec<usize>,
    /// Number of its first point among the points of all faces, which are the columns of
    /// [`super::ReferenceElement::lift`].
    pub first: usize,
}
