//! Coordinates of the geometry nodes of the cells in a divided cube (see [`super::cube_division`]).
//!
//! The coordinates of a node depend only on the vertex, edge or face of the cube on which it lies. Cells that share it
//! therefore get the same node to the last bit, whatever their kinds.

use std::collections::HashMap;

use crate::element::{ElementKind, FaceShape, gauss_lobatto, nodes, triangle_nodes};

/// Number of the centre among the vertices of a cube. Corners are numbered by their coordinates as bits, x + 2 y + 4 z.
pub(super) const CENTRE: u32 = 8;

/// The coordinates of geometry nodes in a cube. Coordinates take few distinct values, called levels, and nodes refer to
/// these by index: a mapping that acts on each direction separately is evaluated once a level.
#[derive(Debug)]
pub(super) struct CubeNodes {
    order: usize,
    /// Gauss-Lobatto points of [0, 1].
    line: Vec<f64>,
    /// Barycentric coordinates of the triangle's nodes; node (i, j) is entry i + (order + 1) j.
    triangle: Vec<[f64; 3]>,
    levels: Vec<f64>,
    /// Index of each level by its bits.
    index: HashMap<u64, usize>,
}

impl CubeNodes {
    /// Creates a set without levels for geometry of degree `order`.
    pub fn new(order: usize) -> Self {
        let line: Vec<f64> = gauss_lobatto(order).0.iter().map(|x| 0.5 * (1.0 + x)).collect();
        let reference = triangle_nodes(order);
        let mut triangle = vec![[0.0; 3]; (order + 1) * (order + 1)];
        for [i, j] in FaceShape::Triangle.lattice(order) {
            triangle[i + (order + 1) * j] = symmetric(order, [order - i - j, i, j], &line, &reference);
        }
        CubeNodes {
            order,
            line,
            triangle,
            levels: Vec::new(),
            index: HashMap::new(),
        }
    }

    /// Levels found so far, in [0, 1].
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// Index of a level, which is added if it is new.
    fn level(&mut self, x: f64) -> usize {
        *self.index.entry(x.to_bits()).or_insert_with(|| {
            self.levels.push(x);
            self.levels.len() - 1
        })
    }

    /// Levels of the nodes of a cell in the three directions, `[node]`; `v` are the vertices of the cube at its
    /// corners.
    pub fn cell(&mut self, kind: ElementKind, v: &[u32]) -> Vec<[usize; 3]> {
        let reference = nodes(kind, self.order);
        let lattice = kind.lattice(self.order);
        let places = lattice.into_iter().zip(reference).map(|(at, reference)| match kind {
            ElementKind::Hex => at.map(|i| self.line[i]),
            ElementKind::Prism => {
                let [x, y, _] = self.on_triangle([v[0], v[1], v[2]], at[0], at[1]);
                [x, y, self.line[at[2]]]
            }
            ElementKind::Tet => self.in_tet(v, at, reference),
            ElementKind::Pyramid => self.in_pyramid(v, at, reference),
        });
        let places: Vec<[f64; 3]> = places.collect();
        places.iter().map(|x| x.map(|x| self.level(x))).collect()
    }

    fn in_tet(&self, v: &[u32], [i, j, k]: [usize; 3], reference: [f64; 3]) -> [f64; 3] {
        match (self.order - i - j - k, i, j, k) {
            (_, _, _, 0) => self.on_triangle([v[0], v[1], v[2]], i, j),
            (_, _, 0, _) => self.on_triangle([v[0], v[1], v[3]], i, k),
            (_, 0, _, _) => self.on_triangle([v[0], v[2], v[3]], j, k),
            (0, _, _, _) => self.on_triangle([v[1], v[2], v[3]], j, k),
            _ => {
                let [r, s, t] = reference.map(|x| 0.5 * (1.0 + x));
                weighted([(v[0], 1.0 - r - s - t), (v[1], r), (v[2], s), (v[3], t)])
            }
        }
    }

    fn in_pyramid(&self, v: &[u32], [i, j, k]: [usize; 3], reference: [f64; 3]) -> [f64; 3] {
        let layer = self.order - k;
        let corner: Vec<[f64; 3]> = v.iter().map(|&v| vertex(v)).collect();
        match (i, j, k) {
            // On the base one coordinate changes with i, one with j, and the third is constant.
            (_, _, 0) => std::array::from_fn(|d| {
                let (from, to) = (corner[0][d], corner[2][d]);
                let along = if corner[1][d] == from { j } else { i };
                if from == to {
                    from
                } else if from < to {
                    self.line[along]
                } else {
                    self.line[self.order - along]
                }
            }),
            (_, 0, _) => self.on_triangle([v[0], v[1], v[4]], i, k),
            (0, _, _) => self.on_triangle([v[0], v[3], v[4]], j, k),
            _ if i == layer => self.on_triangle([v[1], v[2], v[4]], j, k),
            _ if j == layer => self.on_triangle([v[3], v[2], v[4]], i, k),
            _ => std::array::from_fn(|d| {
                let middle = 0.5 * (corner[0][d] + corner[2][d]);
                let [x, y] = [1, 3].map(|to: usize| 0.5 * (corner[to][d] - corner[0][d]));
                middle + reference[0] * x + reference[1] * y + reference[2] * (corner[4][d] - middle)
            }),
        }
    }

    fn on_triangle(&self, v: [u32; 3], i: usize, j: usize) -> [f64; 3] {
        let [a, b, c] = self.triangle[i + (self.order + 1) * j];
        weighted([(v[0], a), (v[1], b), (v[2], c)])
    }
}

/// Returns the barycentric coordinates of the triangle's node whose distances from the opposite edges are `at`. They do
/// not depend on the order in which the vertices are taken; on edges they are those of the line.
fn symmetric(order: usize, at: [usize; 3], line: &[f64], nodes: &[[f64; 2]]) -> [f64; 3] {
    let mut sorted = at;
    sorted.sort_unstable();
    let [c, b, a] = sorted;
    let mut of = if c == 0 {
        [line[a], line[b], 0.0]
    } else {
        let row: usize = (0..c).map(|j| order + 1 - j).sum();
        let [r, s] = nodes[row + b];
        [-0.5 * (r + s), 0.5 * (1.0 + r), 0.5 * (1.0 + s)]
    };
    if a == b {
        of[1] = of[0];
    }
    if b == c {
        of[2] = of[1];
    }
    at.map(|n| of[[a, b, c].iter().position(|&m| m == n).expect("one of the three")])
}

/// Coordinates of a vertex of the cube.
fn vertex(v: u32) -> [f64; 3] {
    std::array::from_fn(|d| if v == CENTRE { 0.5 } else { f64::from(v >> d & 1) })
}

/// Weighted mean of vertices. The sum is taken in the order of the vertices' numbers, and a coordinate that all of them
/// share is kept exactly.
fn weighted<const N: usize>(mut of: [(u32, f64); N]) -> [f64; 3] {
    of.sort_unstable_by_key(|(v, _)| *v);
    std::array::from_fn(|d| {
        let terms = of.iter().filter(|(_, w)| *w != 0.0).map(|&(v, w)| (vertex(v)[d], w));
        let first = terms.clone().next().map_or(0.0, |(x, _)| x);
        if terms.clone().all(|(x, _)| x == first) {
            first
        } else {
            terms.fold(0.0, |sum, (x, w)| sum + x * w)
        }
    })
}
