//! Interfaces that turn: the numbers of a face in a row around an axis, and the angle after which the mesh repeats.

use super::interface_rows::{Rectangle, SAME, angle_about};
use crate::device::{COPIES, Circle};
use crate::element::gauss_lobatto;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::ranks::Ranks;
use crate::vector::{Vector, length, minus};

/// Returns what a face in a row around an axis has beside its ends. Its row begins `periods` whole periods ahead of
/// that of the other side.
pub fn circle(face: &Rectangle, axis: usize, order: usize, periods: f64, period: f64) -> Circle {
    let (nodes, _) = gauss_lobatto(order);
    let between = |[low, high]: [f64; 2], node: f64| low + 0.5 * (1.0 + node) * (high - low);
    let tangent = |&node: &f64| {
        let (sine, cosine) = between(face.along, node).sin_cos();
        [-sine, cosine]
    };
    let turn = |copy: usize| {
        let (sine, cosine) = ((periods + copy as f64 - 1.0) * period).sin_cos();
        [cosine, sine]
    };
    Circle {
        axis,
        tangents: nodes.iter().map(tangent).collect(),
        radii: nodes.iter().map(|&node| between(face.across, node)).collect(),
        copies: (0..COPIES).map(turn).collect(),
    }
}

/// Returns the largest angle between the two sides of a face of a mesh that is periodic by a rotation about an axis;
/// `None` if there is none, or if a rotation is about another axis. Collective.
pub fn period_about(
    axis: usize,
    origin: Vector,
    geometry: &Geometry,
    mesh: &Mesh,
    order: usize,
    ranks: &Ranks,
) -> Option<f64> {
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let (mut angle, mut is_other) = (0.0f64, 0.0f64);
    for face in geometry.joined_faces(mesh, order, ranks) {
        if face.rotation.is_none() {
            continue;
        }
        let [here, there] = [face.here, face.there].map(|x| minus(x, origin));
        let between = angle_about(axis, there) - angle_about(axis, here);
        let (sine, cosine) = between.sin_cos();
        let mut carried = here;
        carried[a] = cosine * here[a] - sine * here[b];
        carried[b] = sine * here[a] + cosine * here[b];
        angle = angle.max(sine.atan2(cosine).abs());
        if length(minus(carried, there)) > SAME.sqrt() * face.size.max(SAME * length(there)) {
            is_other = 1.0;
        }
    }
    let mut found = [angle, is_other];
    ranks.allreduce_max(&mut found);
    (found[0] > 0.0 && found[1] == 0.0).then_some(found[0])
}
