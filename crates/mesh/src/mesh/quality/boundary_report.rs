//! Measures of boundaries: their faces, areas and distances of the first solution points.

use rayon::prelude::*;

use super::cell::CellMeasure;
use super::types::{BoundaryReport, Extreme};
use crate::element::Correction;
use crate::element::{ElementKind, FaceDerivatives, ReferenceElement};
use crate::mesh::types::{CellFace, Mesh, Side};
use crate::vector::length;

/// The tables to locate the solution points of cells of one kind.
struct Points {
    /// Interpolation from geometry nodes to solution points, `[point][node]`.
    matrix: Vec<f64>,
    count: usize,
    /// Solution points of each face, `[face][face point]`.
    faces: Vec<Vec<usize>>,
    derivatives: Vec<FaceDerivatives>,
}

impl Points {
    fn new(kind: ElementKind, g: usize, order: usize) -> Self {
        let target = ReferenceElement::new(kind, order, Correction::Radau);
        Points {
            matrix: ReferenceElement::new(kind, g, Correction::Radau).interpolation(&target.points),
            count: target.len(),
            faces: target.faces.iter().map(|face| face.points.clone()).collect(),
            derivatives: kind
                .faces()
                .iter()
                .map(|face| FaceDerivatives::new(face.shape, order))
                .collect(),
        }
    }

    /// Least distance from a face of the points that are not on it, measured along the normal at the nearest point of
    /// the face.
    fn distance(&self, nodes: &[[f64; 3]], face: usize) -> f64 {
        let position =
            |row: &[f64]| -> [f64; 3] { std::array::from_fn(|d| row.iter().zip(nodes).map(|(w, x)| w * x[d]).sum()) };
        let points: Vec<[f64; 3]> = self.matrix.chunks(nodes.len()).map(position).collect();
        let on = &self.faces[face];
        let wall: Vec<[f64; 3]> = on.iter().map(|&i| points[i]).collect();
        let normals = self.derivatives[face].areas(&wall);
        let off = (0..self.count).filter(|i| !on.contains(i)).map(|i| {
            let squared = |x: &[f64; 3]| (0..3).map(|d| (points[i][d] - x[d]).powi(2)).sum::<f64>();
            let nearest = (0..wall.len()).min_by(|&a, &b| squared(&wall[a]).total_cmp(&squared(&wall[b])));
            let Some(nearest) = nearest else { return f64::INFINITY };
            let length = length(normals[nearest]);
            let along: f64 = (0..3)
                .map(|d| (points[i][d] - wall[nearest][d]) * normals[nearest][d])
                .sum();
            (along / length).abs()
        });
        off.fold(f64::INFINITY, f64::min)
    }
}

/// Measures all boundaries.
pub(super) fn boundaries(
    mesh: &Mesh,
    cells: &[CellMeasure],
    order: usize,
    extreme: impl Fn(f64, usize) -> Extreme,
) -> Vec<BoundaryReport> {
    let mut faces: Vec<Vec<CellFace>> = vec![Vec::new(); mesh.boundary_names.len()];
    for cell in 0..mesh.len() {
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            if let Side::Boundary(name) = *side {
                faces[name].push(CellFace { cell, face });
            }
        }
    }
    let at_boundaries = |kind: ElementKind| faces.iter().flatten().any(|at| mesh.kinds[at.cell] == kind);
    let points =
        ElementKind::ALL.map(|kind| at_boundaries(kind).then(|| Points::new(kind, mesh.geometry_order, order)));
    let of_kind = |kind: ElementKind| {
        points
            .iter()
            .zip(ElementKind::ALL)
            .find(|(_, k)| *k == kind)
            .and_then(|(p, _)| p.as_ref())
    };
    let report = |name: &String, faces: &Vec<CellFace>| {
        let distance = |&CellFace { cell, face }: &CellFace| {
            let points = of_kind(mesh.kinds[cell])?;
            Some((points.distance(mesh.cell_nodes(cell), face), cell))
        };
        let nearest = faces
            .par_iter()
            .filter_map(distance)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        BoundaryReport {
            name: name.clone(),
            faces: faces.len(),
            area: faces.iter().map(|at| cells[at.cell].areas[at.face]).sum(),
            first_point: nearest.map(|(distance, cell)| extreme(distance, cell)),
        }
    };
    mesh.boundary_names
        .iter()
        .zip(&faces)
        .map(|(name, faces)| report(name, faces))
        .collect()
}
