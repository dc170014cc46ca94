//! What a cascade mesh is made from: the resolved settings.

use super::annular::Annular;
use super::heights::Layers;
use super::plane::Point;
use super::span::Span;

/// The settings of a cascade mesh. Lengths are in chords, angles in radians from the axial direction x.
#[derive(Debug, Clone)]
pub struct Cascade {
    /// Points of the profile, once round to the left, with a round trailing edge.
    pub points: Vec<Point>,
    /// Root mean square distance of the points from the smoothed curve.
    pub tolerance: f64,
    /// Distance of two blades in y, in an annulus along the circle of the section that is meshed.
    pub pitch: f64,
    /// Extent in z; in an annulus its height at the middle of the blade.
    pub span: Span,
    /// The annulus, if the row is not linear. Its middle section has the `points`.
    pub annular: Option<Annular>,
    /// Inlet and outlet.
    pub ends: [End; 2],
    /// Layers of hexahedra at the blade.
    pub layers: Layers,
    /// Lengths of the cells along the blade.
    pub blade: BladeSizes,
    /// Sizes of the cells between the layers and the boundaries.
    pub passage: PassageSizes,
    /// Strip of equal hexahedra upstream of the blade.
    pub strip: Option<Strip>,
    /// Degree of the geometry.
    pub geometry_order: usize,
    /// Reynolds number of the exit velocity and the chord, for the estimate of wall units.
    pub reynolds: Option<f64>,
}

/// The inlet or the outlet.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// Position in x.
    pub x: f64,
    /// Angle of the flow.
    pub angle: f64,
    /// Size of the cells.
    pub size: f64,
}

/// Lengths of the cells along the blade.
#[derive(Debug, Clone, Copy)]
pub struct BladeSizes {
    /// Largest length.
    pub size: f64,
    /// Length at the leading edge, if it is to be shorter than the others allow.
    pub leading: Option<f64>,
    /// Length at the trailing edge, likewise.
    pub trailing: Option<f64>,
    /// Largest turn of the wall over a cell, in radians.
    pub turn: f64,
    /// Growth of the length per distance.
    pub growth: f64,
}

/// Sizes of the cells between the layers and the boundaries.
#[derive(Debug, Clone, Copy)]
pub struct PassageSizes {
    /// Largest size between the blades.
    pub size: f64,
    /// Size in the wake.
    pub wake: f64,
    /// Growth of the size per distance from the layers, the wake and the strip.
    pub growth: f64,
    /// True if triangles are to be joined to quadrilaterals.
    pub quads: bool,
}

/// A strip of equal cells.
#[derive(Debug, Clone, Copy)]
pub struct Strip {
    /// Where it begins in x.
    pub from: f64,
    /// Where it ends in x.
    pub to: f64,
    /// Length of the sides of its cells.
    pub size: f64,
}
