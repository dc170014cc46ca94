//! The faces of one side of an interface: rectangles in a plane, which form rows along the direction of the interface.

use super::SetupError;
use crate::element::{FaceShape, gauss_lobatto};
use crate::format::location;
use crate::geometry::{Geometry, extent};
use crate::input::AXES;
use crate::mesh::{Mesh, Side};
use crate::vector::{Vector, length};

/// Largest distance of places that are to be the same, relative to the length of a face: decimals of a mesh file.
pub const SAME: f64 = 1e-6;

/// A face of one side, while its row is sought.
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
    fn name(&self, boundary: usize) -> &str {
        &self.mesh.boundary_names[boundary]
    }

    /// Returns the rows of a side on this rank, in their order across the direction of the interface.
    ///
    /// # Errors
    /// A face is no rectangle along the axes, or the faces form no rows in one plane.
    pub fn rows(&self, boundary: usize, along: usize) -> Result<Vec<Row>, SetupError> {
        let mut all = Vec::new();
        for cell in 0..self.mesh.len() {
            for (face, side) in self.mesh.cell_sides(cell).iter().enumerate() {
                if *side == Side::Boundary(boundary) {
                    all.push(self.rectangle(boundary, cell, face, along)?);
                }
            }
        }
        let Some(plane) = all.first().map(|face| face.plane) else {
            return Ok(Vec::new());
        };
        let size = all.iter().map(|face| face.along[1] - face.along[0]).fold(0.0, f64::max);
        let near = |x: f64, y: f64| (x - y).abs() <= SAME * size;
        if let Some(face) = all
            .iter()
            .find(|face| face.plane.0 != plane.0 || !near(face.plane.1, plane.1))
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
                Some(row) if near(row[0].across[0], face.across[0]) => row.push(face),
                _ => rows.push(vec![face]),
            }
        }
        for row in &mut rows {
            row.sort_by(|a, b| a.along[0].total_cmp(&b.along[0]));
            let ends = row[0].across[1];
            let uneven = row.iter().find(|face| !near(face.across[1], ends));
            let apart = row.windows(2).find(|pair| !near(pair[0].along[1], pair[1].along[0]));
            if let Some(face) = uneven.or(apart.map(|pair| &pair[1])) {
                let what = format!(
                    "its faces must form rows along {}, each without gaps and of one width: that at {} does not go \
                     with its row",
                    AXES[along],
                    location(face.centre)
                );
                return Err(wrong(self.name(boundary), "along", what));
            }
        }
        Ok(rows)
    }

    /// Returns a face as a rectangle along the axes.
    fn rectangle(&self, boundary: usize, cell: usize, face: usize, along: usize) -> Result<Rectangle, SetupError> {
        let (kind, order) = (self.mesh.kinds[cell], self.order);
        let positions = self.geometry.cell_positions(cell);
        let points: Vec<Vector> = kind
            .face_indices(face, order)
            .into_iter()
            .map(|p| positions[p])
            .collect();
        let [low, high] = extent(&points);
        let centre = std::array::from_fn(|d| 0.5 * (low[d] + high[d]));
        let refused = |what: &str| {
            let what = format!("the face at {} is {what}", location(centre));
            Err(wrong(self.name(boundary), "along", what))
        };
        if kind.faces()[face].shape != FaceShape::Quad {
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
        let (nodes, _) = gauss_lobatto(order);
        let n = nodes.len();
        // The numbering by which points go along the row first, then across it.
        let fits = |orientation: usize| {
            (0..n * n).all(|l| {
                let x = points[FaceShape::Quad.oriented_point(orientation, l, order)];
                let place = |d: usize, node: f64| low[d] + 0.5 * (1.0 + node) * (high[d] - low[d]);
                (x[along] - place(along, nodes[l % n])).abs() <= SAME * size
                    && (x[other] - place(other, nodes[l / n])).abs() <= SAME * size
            })
        };
        let Some(orientation) = (0..8).find(|&orientation| fits(orientation)) else {
            let [a, b] = [along, other].map(|d| AXES[d]);
            return refused(&format!("no rectangle along {a} and {b}"));
        };
        let middle = positions.iter().map(|x| x[normal]).sum::<f64>() / positions.len() as f64;
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
}

/// Length of a row.
pub fn length_of(row: &Row) -> f64 {
    row[row.len() - 1].along[1] - row[0].along[0]
}
