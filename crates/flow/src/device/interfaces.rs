//! Interfaces: the faces on both sides, where they begin and end, and the rows that they meet on the other side.
//!
//! The solver finds them. The plan lists where the values of their points lie.

use std::ops::Range;

/// Copies of a row that a face of the other side can meet: those that lie this number of periods ahead of the one in
/// the mesh, from -1 on.
pub const COPIES: usize = 5;

/// What rounding may leave over at the end of a face that whole faces cover, as a share of its length.
const LEFT_OVER: f64 = 1e-14;

/// The line along which the faces of a row lie one after the other.
#[derive(Debug, Clone)]
pub enum Way {
    /// The direction of a coordinate (0, 1, 2).
    Straight(usize),
    /// A circle about an axis. Lengths along it are angles, and speeds are angular speeds.
    Circle(Circle),
}

/// A face in a row along a circle. Components across the axis are those of the two directions that follow the axis.
#[derive(Debug, Clone)]
pub struct Circle {
    /// Direction (0, 1, 2) of the axis.
    pub axis: usize,
    /// Unit vectors along the circle at the points of a line, across the axis.
    pub tangents: Vec<[f64; 2]>,
    /// Radii of the lines of points.
    pub radii: Vec<f64>,
    /// Cosine and sine of the angles by which vectors of the other side are turned to be those of this side, where the
    /// mesh has both sides, for each of the [`COPIES`] of its row.
    pub copies: Vec<[f64; 2]>,
}

/// A face of an interface, as its row sees it. Where rows lie along circles, lengths and distances are angles.
#[derive(Debug, Clone)]
pub struct SideFace {
    /// The cell.
    pub cell: usize,
    /// Local number of the face.
    pub face: usize,
    /// Orientation by which its points are numbered along the direction of the interface, then along the other one.
    pub orientation: usize,
    /// Number of the interface.
    pub interface: usize,
    /// 1 if the displacement of the interface is that of the other side, -1 if it is that of this side.
    pub sign: f64,
    /// Direction (0, 1, 2) of its normals.
    pub plane: usize,
    /// 1 if its outward normal points in this direction, -1 if it points against it.
    pub facing: f64,
    /// Speed of the other side along the row, seen from this one.
    pub speed: f64,
    /// The line of the row.
    pub way: Way,
    /// Distance of its beginning from that of its row.
    pub first: f64,
    /// Its length.
    pub length: f64,
    /// Distance of the beginning of its row from that of the row on the other side, where the mesh has them; of circles
    /// less whole periods, which [`Circle::copies`] count.
    pub offset: f64,
    /// Length of both rows.
    pub period: f64,
    /// The row on the other side, as a range of [`Interfaces::faces`].
    pub row: Range<usize>,
}

/// The interfaces of a run.
#[derive(Debug, Clone, Default)]
pub struct Interfaces {
    /// The faces, of each row in the order in which they lie.
    pub faces: Vec<SideFace>,
}

impl Interfaces {
    /// Returns the most parts that a face is in, wherever the other side is. An end that rounding alone leaves over
    /// does not count.
    pub fn parts_of(&self, face: &SideFace) -> usize {
        let row = &self.faces[face.row.clone()];
        // A part of the first face, then all others that begin within the length.
        let met = |first: usize| {
            let mut covered = 0.0;
            let later = row.iter().cycle().skip(first + 1).take(row.len());
            1 + later
                .take_while(|other| {
                    let begins_within = covered < face.length * (1.0 - LEFT_OVER);
                    covered += other.length;
                    begins_within
                })
                .count()
        };
        (0..row.len()).map(met).max().unwrap_or(0)
    }
}
