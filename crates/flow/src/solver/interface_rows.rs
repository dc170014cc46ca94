//! The faces of one side of an interface: rectangles in a plane, which form rows along the direction of the interface,
//! or sectors, which form rows around its axis.

use std::f64::consts::TAU;

use super::SetupError;
use crate::element::{FaceShape, gauss_lobatto};
use crate::format::location;
use crate::geometry::{Geometry, extent};
use crate::input::AXES;
use crate::mesh::{Mesh, Side};
use crate::physics::Course;
use crate::vector::{Vector, length, minus};

/// Largest distance of places that are to be the same, relative to the length of a face: decimals of a mesh file.
pub const SAME: f64 = 1e-6;

/// Largest distance of the points of a sector from its circles and radii, relative to the length of a face: curved
/// cells of a mesh file follow them to the order of their geometry. A straight chord of 0.5 degrees is as far from its
/// circle.
const ROUND: f64 = 1e-3;

/// A face of one side, while its row is sought. In rows around an axis, places along the interface are angles, and
/// those in the other direction are radii.
pub struct Rectangle {
    /// The cell.
    pub cell: usize,
    /// Local number of the face.
    pub face: usize,
    /// Orientation by which its points are numbered along the interface, then across it.
    pub orientation: usize,
    /// Where it begins and ends along the interface.
    pub along: [f64; 2],
    /// Where it begins and ends in the other direction.
    pub across: [f64; 2],
    /// Its plane, and whether its cell lies below it.
    pub plane: (usize, f64, bool),
    /// Its centre.
    pub centre: Vector,
}

/// Faces that begin and end at the same places across the direction of the interface, in their order along it.
pub type Row = Vec<Rectangle>;

/// Where the faces come from.
pub struct Faces<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Its points.
    pub geometry: &'a Geometry,
    /// Degree of the solution.
    pub order: usize,
    /// The lines along which the rows lie.
    pub course: Course,
}

/// Returns an error of a boundary at one of its keys, or at all of them.
pub fn wrong(boundary: &str, key: &str, what: impl Into<String>) -> SetupError {
    let key = if key.is_empty() {
        key.to_owned()
    } else {
        format!(".{key}")
    };
    SetupError::Interface {
        key: format!("boundaries.{boundary}{key}"),
        what: what.into(),
    }
}

impl Faces<'_> {
    /// Returns the name of a boundary.
    pub fn name(&self, boundary: usize) -> &str {
        &self.mesh.boundary_names[boundary]
    }

    /// Returns the rows of a side on this rank, in their order across the direction of the interface.
    ///
    /// # Errors
    /// A face is no rectangle along the axes, or no sector about the axis, or the faces form no rows in one plane.
    pub fn rows(&self, boundary: usize) -> Result<Vec<Row>, SetupError> {
        let mut all = Vec::new();
        for cell in 0..self.mesh.len() {
            for (face, side) in self.mesh.cell_sides(cell).iter().enumerate() {
                if *side == Side::Boundary(boundary) {
                    all.push(match self.course {
                        Course::Straight(along) => self.rectangle(boundary, cell, face, along)?,
                        Course::Around { axis, origin } => self.sector(boundary, cell, face, (axis, origin))?,
                    });
                }
            }
        }
        let Some(plane) = all.first().map(|face| face.plane) else {
            return Ok(Vec::new());
        };
        let longest = |size: fn(&Rectangle) -> f64| all.iter().map(size).fold(0.0, f64::max);
        let size = longest(|face| face.along[1] - face.along[0]);
        let width = match self.course {
            Course::Straight(_) => size,
            Course::Around { .. } => longest(|face| face.across[1]),
        };
        let near = |x: f64, y: f64| (x - y).abs() <= SAME * size;
        let level = |x: f64, y: f64| (x - y).abs() <= SAME * width;
        if let Some(face) = all
            .iter()
            .find(|face| face.plane.0 != plane.0 || !level(face.plane.1, plane.1))
        {
            let what = format!(
                "its faces must lie in one plane: that at {} does not",
                location(face.centre)
            );
            return Err(wrong(self.name(boundary), "", what));
        }
        all.sort_by(|a, b| a.across[0].total_cmp(&b.across[0]));
        let mut rows: Vec<Row> = Vec::new();
        for face in all {
            match rows.last_mut() {
                Some(row) if level(row[0].across[0], face.across[0]) => row.push(face),
                _ => rows.push(vec![face]),
            }
        }
        for row in &mut rows {
            row.sort_by(|a, b| a.along[0].total_cmp(&b.along[0]));
            if let Course::Around { .. } = self.course {
                // Angles jump by a turn where the row passes the end of their range: it begins behind its gap.
                let gap = row
                    .windows(2)
                    .position(|pair| !near(pair[0].along[1], pair[1].along[0]));
                let before = gap.map_or(0, |gap| gap + 1);
                row.rotate_left(before);
                let behind = row.len() - before;
                row[behind..]
                    .iter_mut()
                    .for_each(|face| face.along = face.along.map(|angle| angle + TAU));
            }
            let ends = row[0].across[1];
            let uneven = row.iter().find(|face| !level(face.across[1], ends));
            let apart = row.windows(2).find(|pair| !near(pair[0].along[1], pair[1].along[0]));
            if let Some(face) = uneven.or(apart.map(|pair| &pair[1])) {
                let what = format!(
                    "its faces must form rows {}, each without gaps and of one width: that at {} does not go with \
                     its row",
                    self.course.words(),
                    location(face.centre)
                );
                return Err(wrong(self.name(boundary), self.key(), what));
            }
        }
        Ok(rows)
    }

    /// Returns the key of a boundary that says how its rows lie.
    pub fn key(&self) -> &'static str {
        match self.course {
            Course::Straight(_) => "along",
            Course::Around { .. } => "axis",
        }
    }

    /// Returns the points of a face.
    fn face_points(&self, cell: usize, face: usize) -> Vec<Vector> {
        let positions = self.geometry.cell_positions(cell);
        let indices = self.mesh.kinds[cell].face_indices(face, self.order);
        indices.into_iter().map(|p| positions[p]).collect()
    }

    /// Returns the mean of a coordinate over the points of a cell.
    fn cell_mean(&self, cell: usize, direction: usize) -> f64 {
        let positions = self.geometry.cell_positions(cell);
        positions.iter().map(|x| x[direction]).sum::<f64>() / positions.len() as f64
    }

    /// Returns a face as a rectangle along the axes.
    fn rectangle(&self, boundary: usize, cell: usize, face: usize, along: usize) -> Result<Rectangle, SetupError> {
        let points = self.face_points(cell, face);
        let [low, high] = extent(&points);
        let centre = std::array::from_fn(|d| 0.5 * (low[d] + high[d]));
        let refused = |what: &str| {
            let what = format!("the face at {} is {what}", location(centre));
            Err(wrong(self.name(boundary), "along", what))
        };
        if self.mesh.kinds[cell].faces()[face].shape != FaceShape::Quad {
            return refused("a triangle: the faces of an interface are quadrilaterals, of hexahedra or prisms");
        }
        let size = length(std::array::from_fn(|d| high[d] - low[d]));
        let flat = |d: usize| high[d] - low[d] <= SAME * size;
        let Some(normal) = (0..3).find(|&d| d != along && flat(d)).filter(|_| !flat(along)) else {
            return refused(&format!(
                "not in a plane along {} that is normal to an axis",
                AXES[along]
            ));
        };
        let other = 3 - along - normal;
        let (nodes, _) = gauss_lobatto(self.order);
        let n = nodes.len();
        // The numbering by which points go along the row first, then across it.
        let fits = |orientation: usize| {
            (0..n * n).all(|l| {
                let x = points[FaceShape::Quad.oriented_point(orientation, l, self.order)];
                let place = |d: usize, node: f64| low[d] + 0.5 * (1.0 + node) * (high[d] - low[d]);
                (x[along] - place(along, nodes[l % n])).abs() <= SAME * size
                    && (x[other] - place(other, nodes[l / n])).abs() <= SAME * size
            })
        };
        let Some(orientation) = (0..8).find(|&orientation| fits(orientation)) else {
            let [a, b] = [along, other].map(|d| AXES[d]);
            return refused(&format!("no rectangle along {a} and {b}"));
        };
        let middle = self.cell_mean(cell, normal);
        Ok(Rectangle {
            cell,
            face,
            orientation,
            along: [low[along], high[along]],
            across: [low[other], high[other]],
            plane: (normal, centre[normal], middle < centre[normal]),
            centre,
        })
    }

    /// Returns a face as a sector between two radii and two angles about an axis, a direction and a point.
    fn sector(
        &self,
        boundary: usize,
        cell: usize,
        face: usize,
        (axis, origin): (usize, Vector),
    ) -> Result<Rectangle, SetupError> {
        let points = self.face_points(cell, face);
        let [low, high] = extent(&points);
        let centre: Vector = std::array::from_fn(|d| 0.5 * (low[d] + high[d]));
        let name = AXES[axis];
        let refused = |what: &str| {
            let what = format!("the face at {} is {what}", location(centre));
            Err(wrong(self.name(boundary), "axis", what))
        };
        if self.mesh.kinds[cell].faces()[face].shape != FaceShape::Quad {
            return refused("a triangle: the faces of an interface are quadrilaterals, of hexahedra or prisms");
        }
        let size = length(minus(high, low));
        if high[axis] - low[axis] > SAME * size {
            return refused(&format!("not in a plane normal to the {name} axis"));
        }
        let middle = angle_about(axis, minus(centre, origin));
        let polar: Vec<[f64; 2]> = points
            .iter()
            .map(|&x| {
                let r = minus(x, origin);
                let angle = angle_about(axis, r) - middle;
                let turns = (angle / TAU).round();
                [angle - TAU * turns, r[(axis + 1) % 3].hypot(r[(axis + 2) % 3])]
            })
            .collect();
        let (nodes, _) = gauss_lobatto(self.order);
        let n = nodes.len();
        let corners = [0, n - 1, n * (n - 1), n * n - 1].map(|corner| polar[corner]);
        let ends = [0, 1].map(|d| {
            let of = corners.map(|corner| corner[d]);
            [
                of.into_iter().fold(f64::MAX, f64::min),
                of.into_iter().fold(f64::MIN, f64::max),
            ]
        });
        let [around, radii] = ends;
        // The numbering by which points go around the axis first, then along the radius.
        let fits = |orientation: usize| {
            (0..n * n).all(|l| {
                let [angle, radius] = polar[FaceShape::Quad.oriented_point(orientation, l, self.order)];
                let place = |[low, high]: [f64; 2], node: f64| low + 0.5 * (1.0 + node) * (high - low);
                (angle - place(around, nodes[l % n])).abs() * radius <= ROUND * size
                    && (radius - place(radii, nodes[l / n])).abs() <= ROUND * size
            })
        };
        let is_wide = radii[0] > SAME * size && around[1] - around[0] > 0.0 && radii[1] > radii[0];
        let Some(orientation) = (0..8).find(|&orientation| is_wide && fits(orientation)) else {
            return refused(&format!(
                "no sector between two radii and two angles about the {name} axis: two of its edges must lie along \
                 circles, which needs curved cells (a geometry of order 2 or more), and two along radii"
            ));
        };
        let inside = self.cell_mean(cell, axis);
        Ok(Rectangle {
            cell,
            face,
            orientation,
            along: around.map(|angle| middle + angle),
            across: radii,
            plane: (axis, centre[axis], inside < centre[axis]),
            centre,
        })
    }
}

/// Returns the angle of a place about a coordinate axis from the direction that follows the axis, by the right-hand
/// rule.
pub fn angle_about(axis: usize, r: Vector) -> f64 {
    r[(axis + 2) % 3].atan2(r[(axis + 1) % 3])
}

/// Distance within which planes at the faces of a row are the same.
pub fn reach_of(row: &Row, course: Course) -> f64 {
    match course {
        Course::Straight(_) => SAME * length_of(row),
        Course::Around { .. } => SAME * row[0].across[1],
    }
}

/// Length of a row, or its angle.
pub fn length_of(row: &Row) -> f64 {
    row[row.len() - 1].along[1] - row[0].along[0]
}
