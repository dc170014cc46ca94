//! Matching points of modelled walls: where they lie, and the cells that hold them.
//!
//! The top of a hexahedron or of a prism that stands on a wall is one of its points for each point of the wall. Any
//! other matching point lies at a distance along the normal, in whatever cell of whatever rank is there, or in its
//! periodic image. A rank asks those ranks for a point whose boxes of cells hold it. Of all cells that do, the one with
//! the lowest number in the whole mesh gives the values, so that the choice does not depend on the ranks.

use std::collections::HashMap;

use super::SetupError;
use crate::device::{CellWeights, MatchingPoints, MatchingSource};
use crate::element::{ElementKind, Elements};
use crate::format::location;
use crate::geometry::{Found, Geometry, Locator, longest_side};
use crate::mesh::{Mesh, Side};
use crate::physics::{Boundary, Matching};
use crate::ranks::Ranks;
use crate::vector::{Vector, dot, length, minus};

/// Value of a Lagrange function below which a point has no weight.
const NO_WEIGHT: f64 = 1e-13;

/// What the search needs.
pub(super) struct Parts<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Its metric terms and points.
    pub geometry: &'a Geometry,
    /// The reference elements.
    pub elements: &'a Elements,
    /// Condition of every boundary of the mesh.
    pub boundaries: &'a [Boundary],
    /// The ranks.
    pub ranks: &'a Ranks,
}

/// Least distance of a matching point from the wall over the height of the cell there.
const NEAREST: f64 = 1e-3;

/// A matching point of this rank that is to be located.
struct Wanted {
    /// Cell, local face and number of the point of the wall.
    of: (usize, usize, usize),
    boundary: usize,
    height: f64,
    x: Vector,
}

impl Parts<'_> {
    /// Finds the matching points of all modelled walls. Collective.
    ///
    /// # Errors
    /// A matching point lies in no cell.
    pub fn find(&self) -> Result<MatchingPoints, SetupError> {
        let mut all = MatchingPoints::default();
        if self.boundaries.iter().all(|boundary| boundary.matching().is_none()) {
            return Ok(all);
        }
        let mut wanted = Vec::new();
        let mut near = Ok(());
        for cell in 0..self.mesh.len() {
            for (face, side) in self.mesh.cell_sides(cell).iter().enumerate() {
                let Side::Boundary(boundary) = *side else { continue };
                if let Some((matching, _)) = self.boundaries[boundary].matching() {
                    near = near.and(self.refuse_near(cell, face, boundary, matching));
                    self.add_face(cell, face, boundary, matching, &mut all, &mut wanted);
                }
            }
        }
        // All ranks take part in the search, whatever they have found.
        let located = self.locate(&wanted, &mut all);
        self.ranks.agree(near.and(located), SetupError::OnOtherRank)?;
        Ok(all)
    }

    /// Refuses a distance that is nearly nothing beside the height of the cell of a face: the wall law would divide
    /// what the cell does not resolve by it.
    fn refuse_near(&self, cell: usize, face: usize, boundary: usize, matching: Matching) -> Result<(), SetupError> {
        let Matching::Distance(height) = matching else {
            return Ok(());
        };
        let on = self.mesh.kinds[cell].face_indices(face, self.elements.order);
        let positions = self.geometry.cell_positions(cell);
        let area: Vector = self.geometry.face_areas(cell, face)[0];
        let foot = positions[on[0]];
        let heights = positions.iter().map(|&x| dot(minus(foot, x), area) / length(area));
        let of_cell = heights.fold(0.0, f64::max);
        if height >= NEAREST * of_cell {
            return Ok(());
        }
        Err(SetupError::MatchingNear {
            key: format!("boundaries.{}.exchange", self.mesh.boundary_names[boundary]),
            height,
            of_cell,
            at: location(foot),
        })
    }

    /// Adds the matching points of a face: those at the top of its cell to `all`, others to `wanted`.
    fn add_face(
        &self,
        cell: usize,
        face: usize,
        boundary: usize,
        matching: Matching,
        all: &mut MatchingPoints,
        wanted: &mut Vec<Wanted>,
    ) {
        let (kind, order) = (self.mesh.kinds[cell], self.elements.order);
        let (positions, on) = (self.geometry.cell_positions(cell), kind.face_indices(face, order));
        let areas = self.geometry.face_areas(cell, face);
        let normal = |l: usize| {
            let area: [f64; 3] = areas[l];
            area.map(|a| a / length(area))
        };
        let top = match matching {
            Matching::CellTop => opposite(kind, &on, order),
            Matching::Distance(_) => None,
        };
        let mut sources = Vec::new();
        for (l, &point) in on.iter().enumerate() {
            let n = normal(l);
            if let Some(top) = &top {
                let height = dot(minus(positions[point], positions[top[l]]), n);
                sources.push((MatchingSource::Here(all.rows.len()), height));
                let weights = vec![(top[l], 1.0)];
                all.rows.push(CellWeights { cell, weights });
                continue;
            }
            let height = match matching {
                Matching::Distance(distance) => distance,
                // The largest distance of a point of the cell from the wall.
                Matching::CellTop => {
                    let heights = positions.iter().map(|&x| dot(minus(positions[point], x), n));
                    heights.fold(0.0, f64::max)
                }
            };
            let x = std::array::from_fn(|d| positions[point][d] - height * n[d]);
            let of = (cell, face, l);
            wanted.push(Wanted {
                of,
                boundary,
                height,
                x,
            });
            // Replaced when the point is located.
            sources.push((MatchingSource::Here(usize::MAX), height));
        }
        all.of_face.insert((cell, face), sources);
    }

    /// Finds the cells of these points, and notes those of this rank that others need. Collective.
    fn locate(&self, mine: &[Wanted], all: &mut MatchingPoints) -> Result<(), SetupError> {
        let (mesh, ranks) = (self.mesh, self.ranks);
        let order = self.elements.order;
        let mut left: Vec<usize> = (0..mine.len()).collect();
        if ranks.first_rank_where(!left.is_empty()).is_none() {
            return Ok(());
        }
        let periods: [f64; 3] = std::array::from_fn(|axis| {
            let period = self.geometry.period(mesh, order, axis, ranks);
            period.unwrap_or(0.0)
        });
        let locator = Locator::new(mesh, self.geometry, order);
        let boxes = boxes_of_ranks(mesh, ranks);
        // A point outside of the mesh may lie in it after a shift by a period. The shift 0 comes first.
        for image in 0..27 {
            if ranks.first_rank_where(!left.is_empty()).is_none() {
                break;
            }
            let shift: Vector = std::array::from_fn(|d| match image / 3usize.pow(d as u32) % 3 {
                0 => 0.0,
                1 => periods[d],
                _ => -periods[d],
            });
            let shifted = |n: usize| -> Vector { std::array::from_fn(|d| mine[n].x[d] + shift[d]) };
            let asked: Vec<Vec<usize>> = boxes
                .iter()
                .map(|of_rank| left.iter().copied().filter(|&n| of_rank.holds(shifted(n))).collect())
                .collect();
            let points = asked
                .iter()
                .map(|of_rank| of_rank.iter().flat_map(|&n| shifted(n)).collect());
            let found: Vec<Vec<Option<Found>>> = ranks
                .alltoall(points.collect())
                .iter()
                .map(|points| locator.find(points.as_chunks::<3>().0))
                .collect();
            let cell = |found: &Option<Found>| found.map_or(u64::MAX, |found| mesh.global(found.cell) as u64);
            let answers = ranks.alltoall(found.iter().map(|found| found.iter().map(cell).collect()).collect());
            // Of each point the lowest cell, and of those that hold it the lowest rank.
            let mut best = HashMap::new();
            for (rank, (points, cells)) in asked.iter().zip(&answers).enumerate() {
                for (&n, &cell) in points.iter().zip(cells).filter(|&(_, &cell)| cell != u64::MAX) {
                    let before = best.entry(n).or_insert((cell, rank));
                    *before = (*before).min((cell, rank));
                }
            }
            let gives = |rank: usize, n: usize| best.get(&n).is_some_and(|&(_, of)| of == rank);
            let chosen: Vec<Vec<u8>> = asked
                .iter()
                .enumerate()
                .map(|(rank, points)| points.iter().map(|n| u8::from(gives(rank, *n))).collect())
                .collect();
            for (asker, (found, wanted)) in found.iter().zip(ranks.alltoall(chosen)).enumerate() {
                let rows = found
                    .iter()
                    .zip(wanted)
                    .enumerate()
                    .filter(|(_, (_, wanted))| *wanted == 1);
                for (number, (found, _)) in rows {
                    let row = all.rows.len();
                    all.rows.push(self.weights(found.expect("a cell that was answered")));
                    if asker == ranks.rank() {
                        set(&mut all.of_face, &mine[asked[asker][number]], MatchingSource::Here(row));
                    } else {
                        all.sent.entry(asker).or_default().push(row);
                    }
                }
            }
            for (rank, points) in asked.iter().enumerate().filter(|(rank, _)| *rank != ranks.rank()) {
                for &n in points.iter().filter(|&&n| gives(rank, n)) {
                    let received = all.received.entry(rank).or_default();
                    let number = *received;
                    *received += 1;
                    set(&mut all.of_face, &mine[n], MatchingSource::There { rank, number });
                }
            }
            left.retain(|n| !best.contains_key(n));
        }
        left.first().map_or(Ok(()), |&n| Err(self.outside(&mine[n])))
    }

    /// Returns the weights of the points of a cell at a location within it.
    fn weights(&self, found: Found) -> CellWeights {
        let values = self.elements.interpolation(self.mesh.kinds[found.cell], &[found.at]);
        let weights = values.into_iter().enumerate();
        CellWeights {
            cell: found.cell,
            weights: weights.filter(|(_, weight)| weight.abs() > NO_WEIGHT).collect(),
        }
    }

    /// Returns the error for a matching point that lies in no cell.
    fn outside(&self, wanted: &Wanted) -> SetupError {
        let name = &self.mesh.boundary_names[wanted.boundary];
        SetupError::MatchingPoint {
            key: format!("boundaries.{name}.exchange"),
            height: wanted.height,
            at: location(wanted.x),
            rotates: !self.mesh.rotations.is_empty(),
        }
    }
}

/// A box along the axes.
struct Extent {
    lower: Vector,
    upper: Vector,
}

impl Extent {
    /// Returns whether the box holds a point.
    fn holds(&self, x: Vector) -> bool {
        (0..3).all(|d| self.lower[d] <= x[d] && x[d] <= self.upper[d])
    }
}

/// Returns a box around the cells of each rank. Curved cells may reach beyond their nodes, by less than the size of the
/// largest. Collective.
fn boxes_of_ranks(mesh: &Mesh, ranks: &Ranks) -> Vec<Extent> {
    let mut mine = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let mut size = 0.0;
    for cell in 0..mesh.len() {
        size = longest_side(mesh.cell_nodes(cell)).max(size);
        for x in mesh.cell_nodes(cell) {
            for d in 0..3 {
                mine[0][d] = mine[0][d].min(x[d]);
                mine[1][d] = mine[1][d].max(x[d]);
            }
        }
    }
    let mine = [mine[0].map(|x| x - size), mine[1].map(|x| x + size)];
    let all = ranks.allgather(mine.as_flattened());
    let boxes = all.as_chunks::<3>().0.as_chunks::<2>().0.iter();
    boxes.map(|&[lower, upper]| Extent { lower, upper }).collect()
}

/// Sets the source of a point that was located.
fn set(of_face: &mut HashMap<(usize, usize), Vec<(MatchingSource, f64)>>, wanted: &Wanted, source: MatchingSource) {
    let (cell, face, l) = wanted.of;
    let points = of_face.get_mut(&(cell, face)).expect("a face whose points are wanted");
    points[l].0 = source;
}

/// Returns the points at the other end of the lines that begin at the points `on` of a face; `None` if lines do not
/// begin there.
fn opposite(kind: ElementKind, on: &[usize], order: usize) -> Option<Vec<usize>> {
    let n = order + 1;
    // Distance of the points of a line in memory.
    let strides = match kind {
        ElementKind::Hex => vec![1, n, n * n],
        ElementKind::Prism => vec![kind.points(order) / n],
        ElementKind::Tet | ElementKind::Pyramid => Vec::new(),
    };
    let end = strides.into_iter().find_map(|stride| {
        let level = |p: usize| p / stride % n;
        let first = level(on[0]);
        on.iter().all(|&p| level(p) == first).then_some((stride, first))
    });
    end.map(|(stride, level)| {
        let far = order - level;
        on.iter().map(|&p| p + far * stride - level * stride).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_the_opposite_face() {
        for order in [1, 3] {
            for (kind, pairs) in [
                (ElementKind::Hex, vec![(0, 1), (2, 3), (4, 5)]),
                (ElementKind::Prism, vec![(0, 1)]),
            ] {
                for (a, b) in pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]) {
                    let far = opposite(kind, &kind.face_indices(a, order), order).expect("lines");
                    let (mut far, mut face) = (far, kind.face_indices(b, order));
                    far.sort_unstable();
                    face.sort_unstable();
                    assert_eq!(far, face, "{kind:?} {a}");
                }
            }
            for kind in [ElementKind::Prism, ElementKind::Tet, ElementKind::Pyramid] {
                let last = kind.faces().len() - 1;
                assert_eq!(opposite(kind, &kind.face_indices(last, order), order), None, "{kind:?}");
            }
        }
    }
}
