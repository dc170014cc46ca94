//! The length after which a domain repeats in a direction, found from its connections, since a mesh file that is read
//! does not state it.

use rayon::prelude::*;

use super::types::Geometry;
use crate::mesh::{Mesh, RemoteFace};
use crate::ranks::Ranks;
use crate::vector::{Vector, length, minus};

/// Largest distance of the centres of the two sides of a face that is no period, relative to the period.
const SAME: f64 = 1e-4;

/// The two sides of an inner face: their centres, and the index of the rotation that carries vectors from here to there
/// if the face is periodic by rotation.
#[derive(Debug, Clone, Copy)]
pub struct JoinedFace {
    /// Centre of the face of a cell of this rank.
    pub here: Vector,
    /// Centre of the face of its neighbour.
    pub there: Vector,
    /// Largest distance of a solution point of the face from its centre.
    pub size: f64,
    /// Index into [`Mesh::rotations`].
    pub rotation: Option<usize>,
}

/// Returns all ways by at most one period in each direction, those along the fewest directions first.
pub fn shifts(periods: [Option<f64>; 3]) -> Vec<Vector> {
    let steps = |d: usize| match periods[d] {
        Some(period) => vec![0.0, -period, period],
        None => vec![0.0],
    };
    let mut all = Vec::new();
    for z in steps(2) {
        for x in steps(0) {
            all.extend(steps(1).into_iter().map(|y| [x, y, z]));
        }
    }
    let directions = |shift: &Vector| shift.iter().filter(|s| **s != 0.0).count();
    all.retain(|shift| directions(shift) > 0);
    all.sort_by_key(directions);
    all
}

impl Geometry {
    /// Returns the largest shift between the two sides of a face that is along direction `axis` (0, 1, 2); `None` if
    /// there is none. Collective.
    pub fn period(&self, mesh: &Mesh, order: usize, axis: usize, ranks: &Ranks) -> Option<f64> {
        self.periods(mesh, order, ranks)[axis]
    }

    /// Returns the same for all three directions. Collective.
    pub fn periods(&self, mesh: &Mesh, order: usize, ranks: &Ranks) -> [Option<f64>; 3] {
        let mut longest = [0.0f64; 3];
        for face in self.joined_faces(mesh, order, ranks) {
            let shift = minus(face.there, face.here);
            for (axis, longest) in longest.iter_mut().enumerate() {
                let others = (0..3).filter(|&d| d != axis);
                let across = others.map(|d| shift[d].abs()).fold(0.0, f64::max);
                if face.rotation.is_none() && across <= SAME * length(shift) {
                    *longest = longest.max(shift[axis].abs());
                }
            }
        }
        ranks.allreduce_max(&mut longest);
        // Without a period there is only rounding: a period is at least as long as a cell.
        let cell = self.volume.cbrt() / (mesh.cells_of_all_ranks() as f64).cbrt();
        longest.map(|longest| (longest > SAME * cell).then_some(longest))
    }

    /// Returns the two sides of every inner face of the cells of this rank. Collective.
    pub fn joined_faces(&self, mesh: &Mesh, order: usize, ranks: &Ranks) -> Vec<JoinedFace> {
        let of_cell = |cell: usize| {
            let sides = mesh.cell_sides(cell).iter().enumerate();
            sides.filter_map(move |(face, side)| {
                let neighbour = side.neighbour()?;
                Some(JoinedFace {
                    here: self.face_centre(cell, face, order),
                    there: self.face_centre(neighbour.cell, neighbour.face, order),
                    size: self.face_size(cell, face, order),
                    rotation: neighbour.rotation,
                })
            })
        };
        let mut joined: Vec<JoinedFace> = (0..mesh.len()).into_par_iter().flat_map_iter(of_cell).collect();
        let mut faces = mesh.remote_faces();
        let centre = |f: &RemoteFace| self.face_centre(f.cell, f.face, order);
        let lists: Vec<(usize, Vec<f64>)> = faces
            .iter_mut()
            .map(|(&rank, faces)| {
                faces.sort_by_key(|f| f.there);
                (rank, faces.iter().flat_map(centre).collect())
            })
            .collect();
        for (faces, theirs) in faces.values_mut().zip(ranks.exchange_with(&lists)) {
            faces.sort_by_key(|f| f.here);
            for (face, &there) in faces.iter().zip(theirs.as_chunks::<3>().0) {
                let here = centre(face);
                let rotation = face.rotation;
                let size = self.face_size(face.cell, face.face, order);
                joined.push(JoinedFace {
                    here,
                    there,
                    size,
                    rotation,
                });
            }
        }
        joined
    }

    /// Mean of the solution points of a face.
    pub fn face_centre(&self, cell: usize, face: usize, order: usize) -> Vector {
        let points = self.kinds[cell].face_indices(face, order);
        let positions = self.cell_positions(cell);
        let sum = |d: usize| points.iter().map(|&p| positions[p][d]).sum::<f64>() / points.len() as f64;
        [sum(0), sum(1), sum(2)]
    }

    /// Largest distance of a solution point of a face from their mean.
    fn face_size(&self, cell: usize, face: usize, order: usize) -> f64 {
        let centre = self.face_centre(cell, face, order);
        let positions = self.cell_positions(cell);
        let points = self.kinds[cell].face_indices(face, order).into_iter();
        points.map(|p| length(minus(positions[p], centre))).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Correction, Elements};
    use crate::mesh::test_meshes::a_box;
    use crate::mesh::{BoxElements, build_box};

    #[test]
    fn the_period_of_a_box_is_its_width() {
        for elements in [BoxElements::Hex, BoxElements::Tet, BoxElements::Mixed] {
            let case = a_box(elements, [4, 2, 4], [true, false, true]);
            let mesh = build_box(&case, 2).expect("a box");
            let reference = Elements::new(2, Correction::Radau, &mesh.kinds);
            let geometry = Geometry::new(&mesh, &reference).expect("good cells");
            for axis in 0..3 {
                let found = geometry.period(&mesh, 2, axis, &Ranks::alone());
                let width = case.upper[axis] - case.lower[axis];
                if case.periodic[axis] {
                    assert!((found.expect("a period") / width - 1.0).abs() < 1e-12)
                } else {
                    assert_eq!(found, None, "{elements:?} {axis}")
                }
            }
        }
    }
}
