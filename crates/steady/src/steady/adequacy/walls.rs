//! The resolution at no-slip walls, face by face, in wall units of the steady solution.
//!
//! The shear stress is that between the points on the wall and the first layer of points off it, which holds while that
//! layer lies in the viscous sublayer.

use rayon::prelude::*;

use crate::element::{Correction, ElementKind, FaceShape, PerKind, ReferenceElement};
use crate::geometry::{Geometry, multiply};
use crate::mesh::Side;
use crate::ranks::Ranks;
use crate::steady::handover::Solution;
use crate::vector::{Vector, cross, dot, length, minus};

/// Distance from the wall in wall units up to which layers of points are counted.
pub const INNER: f64 = 10.0;

/// A face of a no-slip wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallFace {
    /// Index of the boundary.
    pub boundary: usize,
    /// Global number of the cell.
    pub cell: usize,
    /// Number of the face in the cell.
    pub face: usize,
    /// Mean of the points of the face.
    pub centre: Vector,
    /// The middle of the face, on its curved surface.
    pub point: Vector,
    /// Unit normal there, into the gas.
    pub normal: Vector,
    /// Velocity of the wall there.
    pub velocity: Vector,
    /// Area of the flat face between the corners.
    pub area: f64,
    /// Friction velocity.
    pub friction_velocity: f64,
    /// Height of the cell.
    pub cell_height: f64,
    /// In wall units: distance of the first layer of points off the wall, and the longest extents of an edge of the
    /// face along the shear and across it, over the degree.
    pub spacing: [f64; 3],
    /// Layers of points of the cell off the wall that lie within [`INNER`] wall units.
    pub inner_layers: usize,
}

/// Length over that of an edge, in reference coordinates, by which tangents are difference quotients.
const TANGENT: f64 = 1e-4;
/// Number of values of a face that ranks exchange.
const VALUES: usize = 22;

impl WallFace {
    fn to_values(self) -> [f64; VALUES] {
        let [boundary, cell, face, layers] = [self.boundary, self.cell, self.face, self.inner_layers].map(|n| n as f64);
        let ([x, y, z], [first, along, across]) = (self.centre, self.spacing);
        let [a, b, c] = self.point;
        let [l, m, n] = self.normal;
        let [u, v, w] = self.velocity;
        let area = self.area;
        let velocity = self.friction_velocity;
        let height = self.cell_height;
        [
            boundary, cell, face, layers, x, y, z, a, b, c, l, m, n, u, v, w, area, velocity, height, first, along,
            across,
        ]
    }

    fn of_values(values: &[f64; VALUES]) -> Self {
        let [boundary, cell, face, layers, rest @ ..] = *values;
        let [x, y, z, a, b, c, l, m, n, u, v, w, rest @ ..] = rest;
        let [area, velocity, height, first, along, across] = rest;
        WallFace {
            boundary: boundary as usize,
            cell: cell as usize,
            face: face as usize,
            inner_layers: layers as usize,
            centre: [x, y, z],
            point: [a, b, c],
            normal: [l, m, n],
            velocity: [u, v, w],
            area,
            friction_velocity: velocity,
            cell_height: height,
            spacing: [first, along, across],
        }
    }
}

/// Returns the faces of the boundaries for which `is_wall` holds, of all ranks, sorted by cell and face. Collective.
pub fn wall_faces(
    solution: &Solution,
    geometry: &Geometry,
    is_wall: impl Fn(usize) -> bool + Sync,
    ranks: &Ranks,
) -> Vec<WallFace> {
    let mesh = solution.mesh;
    let kinds = solution.mesh.kinds_present();
    let element = |kind| ReferenceElement::new(kind, solution.order, Correction::Radau);
    let elements = PerKind::new(|kind| kinds.contains(&kind).then(|| element(kind)));
    let of_cell = |cell: usize| {
        let faces = mesh.cell_sides(cell).iter().enumerate();
        let walls = faces.filter_map(|(face, side)| match side {
            Side::Boundary(boundary) if is_wall(*boundary) => Some((*boundary, face)),
            _ => None,
        });
        walls
            .map(|(boundary, face)| {
                let element = elements[mesh.kinds[cell]].as_ref().expect("the kind occurs");
                wall_face(solution, geometry, element, boundary, cell, face).to_values()
            })
            .collect::<Vec<_>>()
    };
    let mine: Vec<f64> = (0..mesh.len())
        .into_par_iter()
        .flat_map_iter(of_cell)
        .flatten()
        .collect();
    let all = ranks.allgather(&mine);
    let mut faces: Vec<WallFace> = all.as_chunks::<VALUES>().0.iter().map(WallFace::of_values).collect();
    faces.sort_by_key(|face| (face.cell, face.face));
    faces
}

/// Measures a face.
fn wall_face(
    solution: &Solution,
    geometry: &Geometry,
    element: &ReferenceElement,
    boundary: usize,
    cell: usize,
    face: usize,
) -> WallFace {
    let mesh = solution.mesh;
    let order = solution.order;
    let kind = mesh.kinds[cell];
    let first = geometry.first_point[cell];
    let x = geometry.cell_positions(cell);
    let corners: Vec<Vector> = corner_points(kind, face, order).into_iter().map(|p| x[p]).collect();
    let normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
    let normal = normal.map(|c| c / length(normal));
    // Means over the points of each layer.
    let layers = layers_of(kind, face, order);
    let mean = |layer: usize, value: &dyn Fn(usize) -> Vector| -> Vector {
        let points: Vec<usize> = (0..layers.len()).filter(|&p| layers[p] == layer).collect();
        let sum = points.iter().fold([0.0; 3], |sum: Vector, &p| {
            let value = value(p);
            std::array::from_fn(|d| sum[d] + value[d])
        });
        sum.map(|s| s / points.len() as f64)
    };
    let values = |p: usize| solution.values_at(first + p);
    let velocity = |p: usize| {
        let [_, u, v, w, ..] = values(p);
        [u, v, w]
    };
    let material = |p: usize| {
        let [rho, _, _, _, temperature, ..] = values(p);
        [rho, solution.gas.mu(temperature), 0.0]
    };
    let position = |p: usize| x[p];
    let (centre, [rho, mu, _]) = (mean(0, &position), mean(0, &material));
    let height = |layer: usize| dot(minus(mean(layer, &position), centre), normal).abs();
    let slip = minus(mean(1, &velocity), mean(0, &velocity));
    let across_wall = dot(slip, normal);
    let shear: Vector = std::array::from_fn(|d| slip[d] - across_wall * normal[d]);
    let stress = mu * length(shear) / height(1);
    let friction_velocity = (stress / rho).sqrt();
    let units = friction_velocity * rho / mu;
    let last = layers.iter().copied().max().unwrap_or(0);
    let along = if length(shear) > 0.0 {
        shear.map(|c| c / length(shear))
    } else {
        [0.0; 3]
    };
    let across = cross(normal, along);
    let extent = |direction: Vector| {
        let n = corners.len();
        let edges = (0..n).map(|i| dot(minus(corners[(i + 1) % n], corners[i]), direction).abs());
        edges.fold(0.0, f64::max) / order as f64
    };
    let [middle, a, b] = middle_and_edges(element, face);
    let mapped = |at: Vector, of: &[Vector]| multiply(&element.interpolation(&[at]), of)[0];
    let along_face = |edge: Vector| {
        let there = |way: f64| mapped(std::array::from_fn(|d| middle[d] + way * TANGENT * edge[d]), x);
        minus(there(1.0), there(-1.0))
    };
    let square = cross(along_face(a), along_face(b));
    let inward = dot(square, minus(mean(1, &position), centre)).signum() / length(square);
    let velocities: Vec<Vector> = (0..layers.len()).map(velocity).collect();
    WallFace {
        boundary,
        cell: mesh.global(cell),
        face,
        centre,
        point: mapped(middle, x),
        normal: square.map(|c| inward * c),
        velocity: mapped(middle, &velocities),
        area: area_of(&corners),
        friction_velocity,
        cell_height: height(last),
        spacing: [height(1), extent(along), extent(across)].map(|size| size * units),
        inner_layers: (1..=last).filter(|&layer| height(layer) * units <= INNER).count(),
    }
}

/// Returns the middle of a face in reference coordinates, and two of its edges.
fn middle_and_edges(element: &ReferenceElement, face: usize) -> [Vector; 3] {
    let corners = corner_points(element.kind, face, element.order);
    let corners: Vec<Vector> = corners.into_iter().map(|p| element.points[p]).collect();
    let middle = std::array::from_fn(|d| corners.iter().map(|corner| corner[d]).sum::<f64>() / corners.len() as f64);
    [middle, minus(corners[1], corners[0]), minus(corners[2], corners[1])]
}

/// Points of a cell at the corners of a face, in the order around the face.
fn corner_points(kind: ElementKind, face: usize, order: usize) -> Vec<usize> {
    let lattice = kind.lattice_vertices(order);
    let shape = kind.faces()[face].shape;
    let around: &[usize] = match shape {
        FaceShape::Triangle => &[0, 1, 2],
        FaceShape::Quad => &[0, 1, 3, 2],
    };
    let vertices = kind.faces()[face].vertices;
    around
        .iter()
        .map(|&v| kind.index(lattice[vertices[v]], order))
        .collect()
}

/// Returns the layer of each point of a cell, counted from a face, which is layer 0.
fn layers_of(kind: ElementKind, face: usize, order: usize) -> Vec<usize> {
    // Layers of a pyramid shrink towards its apex; these coordinates are those of equispaced points.
    let equispaced = |[i, j, k]: [usize; 3]| match kind {
        ElementKind::Pyramid => [2 * i + k, 2 * j + k, k].map(|i| i as f64),
        _ => [i, j, k].map(|i| i as f64),
    };
    let vertices = kind.lattice_vertices(order);
    let corner = |v: usize| equispaced(vertices[kind.faces()[face].vertices[v]]);
    let origin = corner(0);
    let a = corner(1);
    let b = corner(2);
    let normal = cross(minus(a, origin), minus(b, origin));
    let lattice = kind.lattice(order).into_iter();
    let distances: Vec<f64> = lattice
        .map(|at| dot(minus(equispaced(at), origin), normal).abs())
        .collect();
    let mut sorted = distances.clone();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    // The coordinates are whole numbers, and the products of these are exact.
    let layer = |distance: &f64| sorted.partition_point(|other| other < distance);
    distances.iter().map(layer).collect()
}

/// Area of the polygon through some points.
fn area_of(corners: &[Vector]) -> f64 {
    let fan = corners
        .windows(2)
        .skip(1)
        .map(|w| cross(minus(w[0], corners[0]), minus(w[1], corners[0])));
    0.5 * length(fan.fold([0.0; 3], |sum: Vector, a| std::array::from_fn(|d| sum[d] + a[d])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_counted_from_each_face_of_each_kind() {
        for kind in ElementKind::ALL {
            for order in 1..=6 {
                for face in 0..kind.faces().len() {
                    let layers = layers_of(kind, face, order);
                    let on_face = kind.face_indices(face, order);
                    let first: Vec<usize> = (0..layers.len()).filter(|&p| layers[p] == 0).collect();
                    let mut expected = on_face.clone();
                    expected.sort_unstable();
                    assert_eq!(first, expected, "{kind} {order} {face}");
                    let most = layers.iter().max().copied();
                    assert_eq!(most, Some(order), "{kind} {order} {face}: {layers:?}");
                    assert_eq!(
                        corner_points(kind, face, order).len(),
                        kind.faces()[face].vertices.len()
                    );
                }
            }
        }
    }

    #[test]
    fn the_area_of_a_square_is_that_of_its_side() {
        let square = [[0.0; 3], [2.0, 0.0, 0.0], [2.0, 0.0, 2.0], [0.0, 0.0, 2.0]];
        assert_eq!(area_of(&square), 4.0);
    }
}
