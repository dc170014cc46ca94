//! The cut of a plane through a cell.
//!
//! The cell is divided into the tetrahedra between its solution points, each of which is cut separately. The
//! intersection of an edge with the plane is a point of the reference element, at which the polynomials of the cell are
//! evaluated. Only the shape of the cut is interpolated linearly. In curved cells the points are moved along their
//! edges until they lie in the plane. Every cell is cut by itself, so that its triangles do not depend on the rank that
//! holds it.

use std::collections::HashMap;

use super::extent::longest_side;
use super::interpolation::multiply;
use crate::element::{ElementKind, Elements};
use crate::vector::{cross, dot, minus};

/// Distance from the plane, relative to the size of the cell, that counts as zero. Coincident nodes of two cells then
/// lie on the same side, and a plane along a layer of faces cuts one of the two cells at each face.
pub const IN_PLANE: f64 = 1e-9;
/// Number of steps along the edges of curved cells, each of which gains at least one digit.
const STEPS: usize = 6;
/// Distance from the plane, relative to the size of the cell, at which the iteration has converged.
const CONVERGED: f64 = 1e-13;

/// A plane.
#[derive(Debug, Clone, Copy)]
pub struct Plane {
    /// A point in the plane.
    pub point: [f64; 3],
    /// Unit normal of the plane.
    pub normal: [f64; 3],
}

impl Plane {
    /// Signed distance of a point, positive on the side that the normal points to.
    pub fn distance(&self, x: [f64; 3]) -> f64 {
        dot(minus(x, self.point), self.normal)
    }

    /// Returns the plane with the opposite normal.
    pub fn turned(self) -> Plane {
        Plane {
            point: self.point,
            normal: self.normal.map(|x| -x),
        }
    }
}

/// The cut of a plane through a cell.
pub struct Cut {
    /// Values of the cell's Lagrange functions at the vertices of the triangles, `[vertex][point]`.
    pub matrix: Vec<f64>,
    /// Positions of these vertices, `[vertex]`.
    pub points: Vec<[f64; 3]>,
    /// Vertices of the triangles; they run counter-clockwise as seen against the plane's normal.
    pub triangles: Vec<[usize; 3]>,
}

/// The tables to cut cells of one kind.
pub struct CellSlicer {
    kind: ElementKind,
    nodes: Vec<[f64; 3]>,
    tetrahedra: Vec<[usize; 4]>,
}

/// The intersection of the plane with an edge between two solution points.
struct Crossing {
    ends: [usize; 2],
    /// Position on the edge, from 0 at the first end to 1 at the second.
    at: f64,
}

impl CellSlicer {
    /// Creates the tables for cells of this kind and order.
    pub fn new(kind: ElementKind, order: usize) -> Self {
        CellSlicer {
            kind,
            nodes: crate::element::nodes(kind, order),
            tetrahedra: crate::element::tetrahedra(kind, order),
        }
    }

    /// Cuts a cell with the solution points `positions`; `None` if the plane does not meet it.
    pub fn cut(&self, elements: &Elements, positions: &[[f64; 3]], affine: bool, plane: &Plane) -> Option<Cut> {
        let mut distances: Vec<f64> = positions.iter().map(|&x| plane.distance(x)).collect();
        // Two numbers suffice to skip the many cells that are far from the plane.
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let most = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let size = longest_side(positions);
        if least > -IN_PLANE * size || most < -IN_PLANE * size {
            return None;
        }
        for d in distances.iter_mut().filter(|d| d.abs() <= IN_PLANE * size) {
            *d = 0.0;
        }
        let (mut crossings, triangles) = self.march(&distances);
        if triangles.is_empty() {
            return None;
        }
        if !affine {
            self.move_into_plane(elements, positions, &distances, size, plane, &mut crossings);
        }
        let matrix = elements.interpolation(self.kind, &self.targets(&crossings));
        let points = multiply(&matrix, positions);
        let against = |t: [usize; 3]| {
            let [a, b, c] = t.map(|i| points[i]);
            dot(cross(minus(b, a), minus(c, a)), plane.normal) < 0.0
        };
        let turned = |t: [usize; 3]| if against(t) { [t[0], t[2], t[1]] } else { t };
        let triangles = triangles.into_iter().map(turned).collect();
        Some(Cut {
            matrix,
            points,
            triangles,
        })
    }

    /// Cuts the tetrahedra one by one. Points in the plane count as above it.
    fn march(&self, distances: &[f64]) -> (Vec<Crossing>, Vec<[usize; 3]>) {
        let mut numbers: HashMap<[usize; 2], usize> = HashMap::new();
        let mut crossings = Vec::new();
        let mut triangles = Vec::new();
        for tet in &self.tetrahedra {
            let below: Vec<usize> = tet.iter().copied().filter(|&i| distances[i] < 0.0).collect();
            let above: Vec<usize> = tet.iter().copied().filter(|&i| distances[i] >= 0.0).collect();
            let mut crossing = |low: usize, high: usize| {
                // All edges to a point in the plane share one crossing.
                let ends = if distances[high] == 0.0 {
                    [high, high]
                } else {
                    [low, high]
                };
                *numbers.entry(ends).or_insert_with(|| {
                    let (a, b) = (distances[ends[0]], distances[ends[1]]);
                    let at = if a == b { 0.0 } else { a / (a - b) };
                    crossings.push(Crossing { ends, at });
                    crossings.len() - 1
                })
            };
            let mut add = |t: [usize; 3]| {
                if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                    triangles.push(t);
                }
            };
            match (&below[..], &above[..]) {
                (&[a], &[b, c, d]) => add([b, c, d].map(|high| crossing(a, high))),
                (&[b, c, d], &[a]) => add([b, c, d].map(|low| crossing(low, a))),
                (&[a, b], &[c, d]) => {
                    let [ac, bc, bd, ad] = [(a, c), (b, c), (b, d), (a, d)].map(|(low, high)| crossing(low, high));
                    add([ac, bc, bd]);
                    add([ac, bd, ad]);
                }
                _ => (),
            }
        }
        (crossings, triangles)
    }

    /// Reference coordinates of the crossings.
    fn targets(&self, crossings: &[Crossing]) -> Vec<[f64; 3]> {
        let target = |c: &Crossing| {
            let [a, b] = c.ends.map(|i| self.nodes[i]);
            std::array::from_fn(|d| a[d] + c.at * (b[d] - a[d]))
        };
        crossings.iter().map(target).collect()
    }

    /// Moves the crossings along their edges into the plane by the Illinois variant of the false-position method.
    fn move_into_plane(
        &self,
        elements: &Elements,
        positions: &[[f64; 3]],
        distances: &[f64],
        size: f64,
        plane: &Plane,
        crossings: &mut [Crossing],
    ) {
        struct Bracket {
            at: [f64; 2],
            distance: [f64; 2],
            last: Option<usize>,
        }
        let bracket = |c: &Crossing| Bracket {
            at: [0.0, 1.0],
            distance: c.ends.map(|i| distances[i]),
            last: None,
        };
        let mut brackets: Vec<Bracket> = crossings.iter().map(bracket).collect();
        for _ in 0..STEPS {
            let matrix = elements.interpolation(self.kind, &self.targets(crossings));
            let mut moved = false;
            for ((c, b), x) in crossings
                .iter_mut()
                .zip(&mut brackets)
                .zip(multiply(&matrix, positions))
            {
                let distance = plane.distance(x);
                if c.ends[0] == c.ends[1] || distance.abs() <= CONVERGED * size {
                    continue;
                }
                let end = usize::from(distance >= 0.0);
                (b.at[end], b.distance[end]) = (c.at, distance);
                if b.last == Some(end) {
                    b.distance[1 - end] *= 0.5;
                }
                b.last = Some(end);
                let [low, high] = b.distance;
                c.at = b.at[0] + (b.at[1] - b.at[0]) * (low / (low - high));
                moved = true;
            }
            if !moved {
                break;
            }
        }
    }
}
