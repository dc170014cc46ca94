//! The mesh of a section: curved triangles and quadrilaterals with shared nodes of the geometric order.
//!
//! Cells are added one by one. The nodes on an edge are those of the first cell that has the edge; later cells take
//! them over. So the layers at the wall decide the shape of their outer edge, and the triangles follow it.

use std::collections::HashMap;

use super::plane::{Point, between, minus};

/// The shape of a cell of the section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A triangle.
    Triangle,
    /// A quadrilateral.
    Quad,
}

/// Where the cells inside the outline of the blade begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inside {
    /// The first of the cells.
    pub cell: usize,
    /// The first of the nodes that no other cells have.
    pub node: usize,
}

/// The mesh of a section.
#[derive(Debug)]
pub(super) struct Section {
    /// Degree of the geometry.
    pub order: usize,
    /// Positions of the nodes; those of the vertices come in the order in which they were added.
    pub positions: Vec<Point>,
    /// Shape of each cell, `[cell]`.
    pub shapes: Vec<Shape>,
    /// Nodes of each cell on its equispaced lattice (first direction fastest), `[cell][node]`.
    pub cells: Vec<Vec<u32>>,
    /// Where the cells inside the outline of the blade begin, if there are some: all later ones are inside.
    pub inside: Option<Inside>,
    /// Nodes inside each edge, from the vertex with the smaller number to the other one.
    edges: HashMap<[u32; 2], Vec<u32>>,
}

impl Section {
    /// Creates a mesh without cells.
    pub fn new(order: usize) -> Self {
        Section {
            order,
            positions: Vec::new(),
            shapes: Vec::new(),
            cells: Vec::new(),
            inside: None,
            edges: HashMap::new(),
        }
    }

    /// Declares that all cells and nodes that are added from now on are inside the outline of the blade.
    pub fn go_inside(&mut self) {
        self.inside = Some(Inside {
            cell: self.cells.len(),
            node: self.positions.len(),
        });
    }

    /// Number of the cells outside of the outline of the blade, which come first.
    pub fn outside_cells(&self) -> usize {
        self.inside.map_or(self.cells.len(), |inside| inside.cell)
    }

    /// Adds a node.
    pub fn node(&mut self, at: Point) -> u32 {
        self.positions.push(at);
        (self.positions.len() - 1) as u32
    }

    fn position(&self, node: u32) -> Point {
        self.positions[node as usize]
    }

    /// Nodes of the edge from a to b with its ends. Those of a new edge are placed by `place` at fractions of the way
    /// from a to b.
    fn edge(&mut self, a: u32, b: u32, place: impl Fn(usize) -> Point) -> Vec<u32> {
        let key = [a.min(b), a.max(b)];
        let inner = match self.edges.get(&key) {
            Some(inner) => inner.clone(),
            None => {
                let steps = 1..self.order;
                let places: Vec<Point> = if a < b {
                    steps.map(place).collect()
                } else {
                    steps.rev().map(place).collect()
                };
                let inner: Vec<u32> = places.into_iter().map(|at| self.node(at)).collect();
                self.edges.insert(key, inner.clone());
                inner
            }
        };
        let mut nodes = vec![a];
        if a < b {
            nodes.extend(inner)
        } else {
            nodes.extend(inner.into_iter().rev())
        }
        nodes.push(b);
        nodes
    }

    /// Adds a quadrilateral with given vertices, (0, 0), (g, 0), (g, g), (0, g) on the lattice, round to the left, and
    /// the positions of the other points of the lattice.
    pub fn add_quad(&mut self, [a, b, c, d]: [u32; 4], place: impl Fn(usize, usize) -> Point) {
        let g = self.order;
        let low = self.edge(a, b, |i| place(i, 0));
        let high = self.edge(d, c, |i| place(i, g));
        let left = self.edge(a, d, |j| place(0, j));
        let right = self.edge(b, c, |j| place(g, j));
        let mut nodes = Vec::with_capacity((g + 1) * (g + 1));
        nodes.extend(low);
        for j in 1..g {
            nodes.push(left[j]);
            for i in 1..g {
                nodes.push(self.node(place(i, j)));
            }
            nodes.push(right[j]);
        }
        nodes.extend(high);
        self.shapes.push(Shape::Quad);
        self.cells.push(nodes);
    }

    /// Adds a quadrilateral whose edges are straight unless they exist already.
    pub fn add_straight_quad(&mut self, corners: [u32; 4]) {
        let g = self.order;
        let [a, b, c, d] = corners.map(|v| self.position(v));
        let sides = [0, 1, 2, 3].map(|i| self.bulge(corners[i], corners[(i + 1) % 4]));
        let places = lattice(g, g).map(|[i, j]| {
            let (x, y) = (i as f64 / g as f64, j as f64 / g as f64);
            let straight = between(between(a, b, x), between(d, c, x), y);
            let weights = [1.0 - y, x, y, 1.0 - x];
            let along = [x, y, 1.0 - x, 1.0 - y];
            blended(straight, &sides, |side| (weights[side], along[side]))
        });
        let places: Vec<Point> = places.collect();
        self.add_quad(corners, |i, j| match () {
            // Nodes on the edges are the edges' own; new edges are straight.
            () if j == 0 => between(a, b, i as f64 / g as f64),
            () if j == g => between(d, c, i as f64 / g as f64),
            () if i == 0 => between(a, d, j as f64 / g as f64),
            () if i == g => between(b, c, j as f64 / g as f64),
            () => places[j * (g + 1) + i],
        });
    }

    /// Adds a triangle with vertices round to the left, whose edges are straight unless they exist already.
    pub fn add_triangle(&mut self, corners: [u32; 3]) {
        let g = self.order;
        let [a, b, c] = corners.map(|v| self.position(v));
        let sides = [0, 1, 2].map(|i| self.bulge(corners[i], corners[(i + 1) % 3]));
        let low = self.edge(corners[0], corners[1], |i| between(a, b, i as f64 / g as f64));
        let left = self.edge(corners[0], corners[2], |j| between(a, c, j as f64 / g as f64));
        let right = self.edge(corners[1], corners[2], |j| between(b, c, j as f64 / g as f64));
        let mut nodes = low;
        for j in 1..=g {
            nodes.push(left[j]);
            for i in 1..(g - j) {
                let weights = [g - i - j, i, j].map(|w| w as f64 / g as f64);
                let straight = [0, 1].map(|d| weights[0] * a[d] + weights[1] * b[d] + weights[2] * c[d]);
                // The deformation of an edge fades towards the opposite vertex (Szabo and Babuska 1991, Finite Element
                // Analysis, section 6.1).
                let at = blended(straight, &sides, |side| {
                    let p = weights[side];
                    let q = weights[(side + 1) % 3];
                    let x = 0.5 * (1.0 + q - p);
                    (p * q / (x * (1.0 - x)), x)
                });
                nodes.push(self.node(at));
            }
            if j < g {
                nodes.push(right[j]);
            }
        }
        self.shapes.push(Shape::Triangle);
        self.cells.push(nodes);
    }

    /// Differences of the nodes of an existing edge from the straight line, from a to b; empty if there are none.
    fn bulge(&self, a: u32, b: u32) -> Vec<Point> {
        let Some(inner) = self.edges.get(&[a.min(b), a.max(b)]) else {
            return Vec::new();
        };
        let (from, to) = (self.position(a), self.position(b));
        let node = |step: usize| inner[if a < b { step - 1 } else { self.order - 1 - step }];
        let offset = |step: usize| {
            let straight = between(from, to, step as f64 / self.order as f64);
            minus(self.position(node(step)), straight)
        };
        (1..self.order).map(offset).collect()
    }
}

/// Points of a lattice of nodes, first direction fastest.
fn lattice(width: usize, height: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..=height).flat_map(move |j| (0..=width).map(move |i| [i, j]))
}

/// Adds to a point the deformations of the edges, each with a weight and the place along the edge.
fn blended(straight: Point, sides: &[Vec<Point>], at: impl Fn(usize) -> (f64, f64)) -> Point {
    let mut sum = straight;
    for (side, bulge) in sides.iter().enumerate().filter(|(_, bulge)| !bulge.is_empty()) {
        let (weight, x) = at(side);
        let g = bulge.len() + 1;
        for (step, offset) in (1..g).zip(bulge) {
            // Lagrange's polynomial of the equispaced nodes.
            let others = (0..=g).filter(|k| *k != step);
            let value: f64 = others
                .map(|k| (x * g as f64 - k as f64) / (step as f64 - k as f64))
                .product();
            (0..2).for_each(|d| sum[d] += weight * value * offset[d]);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parabola y = x (1 - x) on the edge from (0, 0) to (1, 0).
    fn curved(order: usize) -> (Section, [u32; 2]) {
        let mut section = Section::new(order);
        let low = [section.node([0.0, 0.0]), section.node([1.0, 0.0])];
        let high = [section.node([1.0, -1.0]), section.node([0.0, -1.0])];
        section.add_quad([high[1], high[0], low[1], low[0]], |i, j| {
            let (x, y) = (i as f64 / order as f64, j as f64 / order as f64);
            [x, (y - 1.0) + y * x * (1.0 - x)]
        });
        (section, low)
    }

    #[test]
    fn neighbours_share_the_nodes_of_an_edge() {
        for order in 1..=4 {
            let (mut section, [a, b]) = curved(order);
            let apex = section.node([0.4, 1.0]);
            section.add_triangle([a, b, apex]);
            let low = &section.cells[0][order * (order + 1)..];
            assert_eq!(section.cells[1][..=order], *low);
            assert_eq!(section.cells[1].len(), (order + 1) * (order + 2) / 2);
        }
    }

    #[test]
    fn nodes_inside_a_triangle_follow_its_curved_edge() {
        // The deformation of a parabola is 4 p q h with barycentric coordinates p, q: exact for degree 2.
        let (mut section, [a, b]) = curved(3);
        let apex = section.node([0.4, 1.0]);
        section.add_triangle([a, b, apex]);
        let centre = section.positions[section.cells[1][5] as usize];
        let straight = [1.4 / 3.0, 1.0 / 3.0];
        assert!((centre[0] - straight[0]).abs() < 1e-15);
        assert!((centre[1] - straight[1] - 1.0 / 9.0).abs() < 1e-15);
    }

    #[test]
    fn nodes_inside_a_quadrilateral_follow_its_curved_edge() {
        let (mut section, [a, b]) = curved(4);
        let high = [section.node([1.0, 1.0]), section.node([0.0, 1.0])];
        section.add_straight_quad([a, b, high[0], high[1]]);
        let middle = section.positions[section.cells[1][12] as usize];
        assert!((middle[0] - 0.5).abs() < 1e-15 && (middle[1] - 0.5 - 0.125).abs() < 1e-15);
    }
}
