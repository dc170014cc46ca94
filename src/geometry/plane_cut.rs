//! The cut of a plane through a cell.
//!
//! The cell is divided into the tetrahedra between its solution points, and the plane goes through these one by one. What an
//! edge of a tetrahedron meets the plane at is a place of the reference element, at which the cell's polynomials are evaluated:
//! nothing is interpolated linearly but the plane's own shape, and where the cell is curved the places are moved along their
//! edges until they lie in the plane. A cell is cut alone, so its triangles do not depend on which rank holds it.

use std::collections::HashMap;

use super::{longest_side, multiply};
use crate::element::{ElementKind, Elements};
use crate::vector::{cross, dot, minus};

/// Distances from the plane that count as none, over the size of the cell: nodes of two cells at one place then lie on one side,
/// and a plane along a layer of faces cuts one of the two cells that share them.
pub const IN_PLANE: f64 = 1e-9;
/// Steps along the edges of curved cells, each of which gains a digit at least.
const STEPS: usize = 6;
/// Distance from the plane, over the size of the cell, at which a place has been found.
const FOUND: f64 = 1e-13;

/// A plane.
#[derive(Debug, Clone, Copy)]
pub struct Plane {
    /// A point of it.
    pub point: [f64; 3],
    /// Its normal, of length one.
    pub normal: [f64; 3],
}

impl Plane {
    /// Signed distance of a point, positive on the side that the normal points to.
    pub fn distance(&self, x: [f64; 3]) -> f64 {
        dot(minus(x, self.point), self.normal)
    }

    /// The same plane with the opposite normal.
    pub fn turned(self) -> Plane {
        Plane {
            point: self.point,
            normal: self.normal.map(|x| -x),
        }
    }
}

/// What a plane cuts of a cell.
pub struct Cut {
    /// Values of the cell's Lagrange functions at the vertices of the triangles, a row for each.
    pub matrix: Vec<f64>,
    /// Where these vertices are.
    pub points: Vec<[f64; 3]>,
    /// Their numbers; seen against the plane's normal the triangles run counter-clockwise.
    pub triangles: Vec<[usize; 3]>,
}

/// Cuts cells of one kind.
pub struct CellSlicer {
    kind: ElementKind,
    nodes: Vec<[f64; 3]>,
    tetrahedra: Vec<[usize; 4]>,
}

/// Where an edge between two solution points meets the plane: from one with the place 0 to one with the place 1.
struct Crossing {
    ends: [usize; 2],
    at: f64,
}

impl CellSlicer {
    /// The nodes and tetrahedra of cells of this kind and order.
    pub fn new(kind: ElementKind, order: usize) -> Self {
        CellSlicer {
            kind,
            nodes: crate::element::nodes(kind, order),
            tetrahedra: crate::element::tetrahedra(kind, order),
        }
    }

    /// The cut through a cell with its solution points at `positions`; `None` if the plane passes it by.
    pub fn cut(&self, elements: &Elements, positions: &[[f64; 3]], affine: bool, plane: &Plane) -> Option<Cut> {
        let mut distances: Vec<f64> = positions.iter().map(|&x| plane.distance(x)).collect();
        // Most cells are far away: they are told by two numbers.
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
        let matrix = elements.interpolation(self.kind, &self.places(&crossings));
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

    /// Goes through the tetrahedra. Points at no distance count as above the plane.
    fn march(&self, distances: &[f64]) -> (Vec<Crossing>, Vec<[usize; 3]>) {
        let mut numbers: HashMap<[usize; 2], usize> = HashMap::new();
        let mut crossings = Vec::new();
        let mut triangles = Vec::new();
        for tet in &self.tetrahedra {
            let below: Vec<usize> = tet.iter().copied().filter(|&i| distances[i] < 0.0).collect();
            let above: Vec<usize> = tet.iter().copied().filter(|&i| distances[i] >= 0.0).collect();
            let mut crossing = |low: usize, high: usize| {
                // All edges meet the plane at a point that lies in it.
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

    fn places(&self, crossings: &[Crossing]) -> Vec<[f64; 3]> {
        let place = |c: &Crossing| {
            let [a, b] = c.ends.map(|i| self.nodes[i]);
            std::array::from_fn(|d| a[d] + c.at * (b[d] - a[d]))
        };
        crossings.iter().map(place).collect()
    }

    /// Moves the crossings along their edges into the plane, by the rule of false position with the Illinois change.
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
            let matrix = elements.interpolation(self.kind, &self.places(crossings));
            let mut moved = false;
            for ((c, b), x) in crossings
                .iter_mut()
                .zip(&mut brackets)
                .zip(multiply(&matrix, positions))
            {
                let distance = plane.distance(x);
                if c.ends[0] == c.ends[1] || distance.abs() <= FOUND * size {
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
