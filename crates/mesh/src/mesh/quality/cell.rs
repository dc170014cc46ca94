//! Measures of one cell: volume, areas of its faces, lengths of its edges, scaled Jacobian, and affinity of its
//! mapping.

use super::face::FaceRule;
use crate::element::Correction;
use crate::element::{ElementKind, FaceShape, ReferenceElement};
use crate::mesh::types::Mesh;
use crate::vector::{cross, dot, length};

/// Largest relative variation of the mapping's derivatives over an affine cell.
const AFFINE_TOLERANCE: f64 = 1e-12;

/// Measures of a cell.
#[derive(Debug, Clone, Copy)]
pub struct CellMeasure {
    /// Volume; negative if the cell is inside out.
    pub volume: f64,
    /// Areas of the faces, `[face]`; zero beyond their number.
    pub areas: [f64; 6],
    /// Shortest and longest straight distance between two vertices that share an edge.
    pub edges: [f64; 2],
    /// Smallest scaled Jacobian: 1 for the ideal cell, negative where the mapping is inside out.
    pub scaled_jacobian: f64,
    /// True if the mapping is affine.
    pub affine: bool,
}

/// Three edges in reference space that meet in a vertex, and the volume that they span in the ideal cell if each has
/// length 1.
struct Corner {
    edges: [[f64; 3]; 3],
    ideal: f64,
}

/// The tables to measure cells of one kind.
struct CellMeasurer {
    kind: ElementKind,
    /// Nodes of the vertices.
    vertices: Vec<usize>,
    /// Pairs of vertices.
    edges: Vec<[usize; 2]>,
    /// Nodes of each face, its sign, and true if it is a triangle.
    faces: Vec<(Vec<usize>, f64, bool)>,
    /// Derivatives along the three reference directions, `[sample point][direction]`: nodes and their weights.
    derivatives: Vec<[Vec<(usize, f64)>; 3]>,
    corners: Vec<Corner>,
}

impl CellMeasurer {
    fn new(kind: ElementKind, g: usize) -> Self {
        // Cells of degree 1 are sampled between their vertices too.
        let sampled = ReferenceElement::new(kind, g.max(2), Correction::Radau);
        let nodes = ReferenceElement::new(kind, g, Correction::Radau);
        let to_samples = nodes.interpolation(&sampled.points);
        let (np, ns) = (nodes.len(), sampled.len());
        let row = |d: usize, s: usize| -> Vec<(usize, f64)> {
            let diff = &sampled.diff[d][s * ns..(s + 1) * ns];
            let weights = (0..np).map(|i| (i, (0..ns).map(|k| diff[k] * to_samples[k * np + i]).sum::<f64>()));
            weights.filter(|(_, w)| w.abs() > 1e-13).collect()
        };
        let edges = edges(kind);
        CellMeasurer {
            kind,
            vertices: vertex_nodes(kind, g),
            faces: (0..kind.faces().len())
                .map(|f| {
                    let face = kind.faces()[f];
                    (kind.face_indices(f, g), face.sign, face.shape == FaceShape::Triangle)
                })
                .collect(),
            derivatives: (0..ns).map(|s| [0, 1, 2].map(|d| row(d, s))).collect(),
            corners: corners(kind, &edges),
            edges,
        }
    }

    fn measure(&self, x: &[[f64; 3]], rules: &[FaceRule; 2]) -> CellMeasure {
        let mut areas = [0.0; 6];
        let mut volume = 0.0;
        let mut face_points = Vec::with_capacity(self.faces[0].0.len().max(self.faces[self.faces.len() - 1].0.len()));
        for (f, (points, sign, triangle)) in self.faces.iter().enumerate() {
            face_points.clear();
            face_points.extend(points.iter().map(|&i| x[i]));
            let (area, flux) = rules[usize::from(*triangle)].integrate(&face_points, x[0]);
            areas[f] = area;
            volume += sign * flux / 3.0;
        }
        let lengths = self.edges.iter().map(|&[a, b]| {
            let (a, b) = (x[self.vertices[a]], x[self.vertices[b]]);
            length(std::array::from_fn(|d| b[d] - a[d]))
        });
        let edges = lengths.fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], l| {
            [low.min(l), high.max(l)]
        });
        let (scaled_jacobian, affine) = self.mapping(x);
        CellMeasure {
            volume,
            areas,
            edges,
            scaled_jacobian,
            affine,
        }
    }

    /// Returns the smallest scaled Jacobian, and true if the mapping is affine.
    fn mapping(&self, x: &[[f64; 3]]) -> (f64, bool) {
        let (mut least, mut affine) = (1.0f64, true);
        let mut first = [[0.0; 3]; 3];
        for (s, rows) in self.derivatives.iter().enumerate() {
            let columns: [[f64; 3]; 3] = rows.each_ref().map(|row| {
                let mut sum = [0.0; 3];
                // A shift of the origin does not change the derivative; one close to the cell keeps rounding small.
                row.iter()
                    .for_each(|&(i, w)| (0..3).for_each(|m| sum[m] += w * (x[i][m] - x[0][m])));
                sum
            });
            if s == 0 {
                first = columns;
            }
            let size = columns.iter().flatten().fold(0.0f64, |a, b| a.max(b.abs()));
            let changes = columns.iter().flatten().zip(first.iter().flatten());
            affine &= changes
                .into_iter()
                .all(|(a, b)| (a - b).abs() <= AFFINE_TOLERANCE * size);
            for Corner { edges, ideal } in &self.corners {
                let [u, v, w] = edges
                    .map(|edge| -> [f64; 3] { std::array::from_fn(|m| (0..3).map(|d| edge[d] * columns[d][m]).sum()) });
                let scaled = dot(u, cross(v, w)) / (length(u) * length(v) * length(w)) / ideal;
                // An edge of length zero counts as a flat corner.
                least = least.min(if scaled.is_nan() { 0.0 } else { scaled });
            }
        }
        (least, affine)
    }
}

/// Nodes of degree `g` at the vertices.
fn vertex_nodes(kind: ElementKind, g: usize) -> Vec<usize> {
    let mut nodes = vec![0; kind.vertices()];
    for (f, face) in kind.faces().iter().enumerate() {
        let points = kind.face_indices(f, g);
        let corners: &[usize] = match face.shape {
            FaceShape::Triangle => &[0, g, points.len() - 1],
            FaceShape::Quad => &[0, g, g * (g + 1), points.len() - 1],
        };
        for (&vertex, &corner) in face.vertices.iter().zip(corners) {
            nodes[vertex] = points[corner];
        }
    }
    nodes
}

/// Pairs of vertices that share an edge.
fn edges(kind: ElementKind) -> Vec<[usize; 2]> {
    let mut edges: Vec<[usize; 2]> = Vec::new();
    for face in kind.faces() {
        let v = face.vertices;
        let around: &[usize] = if v.len() == 3 { &[0, 1, 2] } else { &[0, 1, 3, 2] };
        for i in 0..around.len() {
            let a = v[around[i]];
            let b = v[around[(i + 1) % around.len()]];
            edges.push([a.min(b), a.max(b)]);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Position of a vertex in the ideal cell, all edges of which have the same length.
fn ideal_vertex(kind: ElementKind, v: usize) -> [f64; 3] {
    let [x, y, z] = kind.vertex(v);
    match kind {
        ElementKind::Hex => [x, y, z],
        ElementKind::Prism => [x + 0.5 * y, 0.75f64.sqrt() * y, z],
        ElementKind::Tet => [
            x + 0.5 * (y + z),
            0.75f64.sqrt() * (y + z / 3.0),
            (2.0f64 / 3.0).sqrt() * z,
        ],
        ElementKind::Pyramid => [x, y, 2.0f64.sqrt() * z],
    }
}

/// Triples of edges that meet in a vertex; there are four at the apex of a pyramid. Triples of parallel edges occur
/// once.
fn corners(kind: ElementKind, edges: &[[usize; 2]]) -> Vec<Corner> {
    let mut corners = Vec::new();
    for v in 0..kind.vertices() {
        let others: Vec<usize> = edges
            .iter()
            .filter(|e| e.contains(&v))
            .map(|e| e[0] + e[1] - v)
            .collect();
        for skip in 0..if others.len() > 3 { others.len() } else { 1 } {
            let ends: Vec<usize> = match others.len() {
                3 => others.clone(),
                _ => others
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| *i != skip)
                    .map(|(_, o)| *o)
                    .collect(),
            };
            let span = |position: &dyn Fn(usize) -> [f64; 3]| -> [[f64; 3]; 3] {
                let from = position(v);
                std::array::from_fn(|i| std::array::from_fn(|d| position(ends[i])[d] - from[d]))
            };
            let mut reference = span(&|v| kind.vertex(v));
            let [a, b, c] = span(&|v| ideal_vertex(kind, v));
            let volume = dot(a, cross(b, c)) / (length(a) * length(b) * length(c));
            if volume < 0.0 {
                reference.swap(1, 2);
            }
            corners.push(Corner {
                edges: reference,
                ideal: volume.abs(),
            });
        }
    }
    distinct(corners)
}

/// Drops corners whose edges are parallel to those of another: a hexahedron keeps one corner, a prism three.
fn distinct(corners: Vec<Corner>) -> Vec<Corner> {
    let mut distinct: Vec<Corner> = Vec::new();
    for corner in corners {
        let same = |other: &Corner| {
            let parallel = |u: &[f64; 3]| other.edges.iter().any(|v| length(cross(*u, *v)) < 1e-12);
            corner.edges.iter().all(parallel)
        };
        if !distinct.iter().any(same) {
            distinct.push(corner);
        }
    }
    distinct
}

/// The tables to measure the cells of a mesh.
pub(super) struct CellMeasurers {
    measurers: Vec<CellMeasurer>,
    rules: [FaceRule; 2],
}

impl CellMeasurers {
    /// Creates the tables for the kinds of cells that occur in the mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let kinds = ElementKind::ALL.into_iter().filter(|kind| mesh.kinds.contains(kind));
        CellMeasurers {
            measurers: kinds.map(|kind| CellMeasurer::new(kind, mesh.geometry_order)).collect(),
            rules: [FaceShape::Quad, FaceShape::Triangle].map(|shape| FaceRule::new(shape, mesh.geometry_order)),
        }
    }

    fn of(&self, kind: ElementKind) -> &CellMeasurer {
        self.measurers
            .iter()
            .find(|measurer| measurer.kind == kind)
            .expect("there are tables for every kind of the mesh")
    }

    /// Measures a cell.
    pub fn measure(&self, mesh: &Mesh, cell: usize) -> CellMeasure {
        self.of(mesh.kinds[cell]).measure(mesh.cell_nodes(cell), &self.rules)
    }

    /// Mean of a cell's vertices.
    pub fn centre(&self, mesh: &Mesh, cell: usize) -> [f64; 3] {
        let vertices = &self.of(mesh.kinds[cell]).vertices;
        let nodes = mesh.cell_nodes(cell);
        std::array::from_fn(|d| vertices.iter().map(|&v| nodes[v][d]).sum::<f64>() / vertices.len() as f64)
    }
}
