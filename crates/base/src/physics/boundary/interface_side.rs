//! What one side of an interface says of it.

/// One side of an interface.
#[derive(Debug, Clone, PartialEq)]
pub struct InterfaceSide {
    /// Name of the boundary on the other side.
    pub with: String,
    /// The direction in which the sides are divided independently of each other, and move.
    pub along: usize,
    /// Speed of the cells of this side in that direction.
    pub speed: f64,
}
