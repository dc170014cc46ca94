//! Layers of thin cells on curved walls, along which gradients and reconstructions follow the wall.
//!
//! Where cells are long along a wall and thin across it, the line from a vertex to its neighbour along the wall leaves
//! the layer by more than a cell, although both vertices lie at the same distance from the wall. Slopes along straight
//! lines then miss the layer. The distance from the wall takes the place of the displacement across it (the
//! approximate mapping of B. Diskin & J. L. Thomas, "Accuracy of gradient reconstruction on grids with high aspect
//! ratio", NIA Report 2008-12).

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::dual::DualMesh;
use crate::ranks::Ranks;
use crate::vector::{Vector, dot, length};

/// Rise of an edge over its length from which it is across the layer, and not along it.
const ACROSS: f64 = 0.5;
/// Shortest edge across the layer over the edge along it that bends most, up to which its cells are thin.
const THIN: f64 = 0.25;
/// What the distance of an end from the layer's tangent plane lacks of the rise, over the shortest edge across the
/// layer, from which the layer counts as curved.
const CURVED: f64 = 0.05;
/// The same over the length of an edge along the layer, and of one across it, above which there is no layer: the walls
/// that are nearest to both ends differ.
const BROKEN: [f64; 2] = [0.1, 0.05];
/// Departure of the modulus of the distance's gradient from 1 above which there is none either.
const SMOOTH: f64 = 0.1;

/// Returns the components of the unit normals of the layers at the owned vertices and the halo, `[3][vertex]`, which
/// point away from the wall; zero where no curved layer is. Collective.
pub fn normals(dual: &DualMesh, ranks: &Ranks) -> [Vec<f64>; 3] {
    let normals: Vec<Vector> = (0..dual.owned)
        .into_par_iter()
        .map(|vertex| normal(dual, vertex).unwrap_or_default())
        .collect();
    std::array::from_fn(|d| {
        let mut component: Vec<f64> = normals.iter().map(|normal| normal[d]).collect();
        component.resize(dual.len(), 0.0);
        dual.update_halo(ranks, &mut component);
        component
    })
}

/// Returns the normal of the curved layer in which a vertex is.
fn normal(dual: &DualMesh, vertex: usize) -> Option<Vector> {
    let edges = || {
        dual.edges(vertex).map(|edge| {
            let rise = dual.wall_distance[dual.neighbour[edge] as usize] - dual.wall_distance[vertex];
            (dual.displacement[edge], rise)
        })
    };
    if !edges().all(|(_, rise)| rise.is_finite()) {
        return None;
    }
    // Least squares with the weight 1/|r|^2, to which the long edges along the wall contribute no more than the short
    // ones across it.
    let mut moments = Matrix3::zeros();
    let mut sums = Vector3::zeros();
    for (r, rise) in edges() {
        let weight = 1.0 / dot(r, r);
        let r = Vector3::from(r);
        moments += weight * r * r.transpose();
        sums += weight * rise * r;
    }
    let gradient = moments.try_inverse()? * sums;
    let modulus = gradient.norm();
    if (modulus - 1.0).abs() > SMOOTH {
        return None;
    }
    let normal: Vector = (gradient / modulus).into();
    let mut bend = 0.0f64;
    let mut of_bend = 0.0f64;
    let mut thickness = f64::INFINITY;
    for (r, rise) in edges() {
        let off = (dot(normal, r) - rise).abs();
        let size = length(r);
        let across = rise.abs() > ACROSS * size;
        if off > BROKEN[usize::from(across)] * size {
            return None;
        }
        if across {
            thickness = thickness.min(size);
        } else if off > bend {
            (bend, of_bend) = (off, size);
        }
    }
    (thickness < THIN * of_bend && bend > CURVED * thickness).then_some(normal)
}
