//! The normals of a wall and the points along them.
//!
//! Stations are solution points of the wall, so that a normal is that of the mesh there, the mean of both faces where
//! two meet. Besides each point of a normal, two points are sampled beside it along the wall, from which the change of
//! the normal velocity follows. Their distance shrinks with that from the wall, so that they lie in the gas also where
//! the wall is curved.

use super::keys::BoundaryLayerRequest;
use crate::element::FaceShape;
use crate::format::number;
use crate::geometry::extent;
use crate::output::blades::Stations;
use crate::output::error::OutputError;
use crate::output::surface_points::Surfaces;
use crate::ranks::ExactSum;
use crate::solver::Solver;
use crate::vector::length;

/// Places that are sampled at each distance from the wall: on the normal, and beside it to both sides.
pub const PLACES: usize = 3;
/// Distance of the places beside a normal over that from the wall.
pub const BESIDE: f64 = 0.1;

/// The normal at a station.
#[derive(Debug, Clone, PartialEq)]
pub struct Normal {
    /// x and y of the station.
    pub at: [f64; 2],
    /// Unit vector from the wall into the gas.
    pub normal: [f64; 2],
    /// Distances of the points from the wall.
    pub distances: Vec<f64>,
}

impl Normal {
    /// Returns the unit vector along the wall, with the gas on its left.
    pub fn tangent(&self) -> [f64; 2] {
        [self.normal[1], -self.normal[0]]
    }
}

/// Returns the distances of points from the wall, of which the last is `height` away.
pub fn distances(height: f64, count: usize) -> Vec<f64> {
    let of = |k: usize| height * (k as f64 / (count - 1) as f64).powi(2);
    (0..count).map(of).collect()
}

/// Finds the normals. Collective.
///
/// # Errors
/// The wall is not extruded along z, is not one curve, or does not pass near a station.
pub fn normals(solver: &Solver, request: &BoundaryLayerRequest) -> Result<Vec<Normal>, OutputError> {
    let names = &solver.mesh.boundary_names;
    let surfaces = Surfaces::of_solver(solver, |b| names[b] == request.boundary);
    let key = |part: &str| format!("{}.{part}", request.key());
    let stations = Stations::new(solver, &surfaces.faces, &key("boundary"), &request.boundary)?;
    let mut found = Vec::new();
    for (i, place) in request.at.iter().enumerate() {
        let distance = |at: &[f64; 2]| length([at[0] - place[0], at[1] - place[1], 0.0]);
        let known = stations.curve.at.iter().enumerate();
        let nearest = known.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
        // `Stations` refuses a wall without faces.
        let (station, at) = nearest.unwrap_or((0, place));
        let face = stations.sizes[station].along * solver.elements.line.len() as f64;
        if distance(at) > face {
            return Err(OutputError::Refused {
                key: key(&format!("at[{i}]")),
                what: format!(
                    "the station ({}, {}) lies {} off the boundary `{}`, whose nearest point is ({}, {})",
                    number(place[0]),
                    number(place[1]),
                    number(distance(at)),
                    request.boundary,
                    number(at[0]),
                    number(at[1])
                ),
            });
        }
        found.push((station, *at));
    }
    let weights = solver.elements.face_weights(FaceShape::Quad);
    let mut areas = vec![ExactSum::default(); 2 * found.len()];
    for (face, lines) in surfaces.faces.iter().zip(&stations.lines) {
        let of_face = solver.geometry.face_areas(face.cell, face.face);
        for line in lines {
            for (i, _) in found
                .iter()
                .enumerate()
                .filter(|(_, (station, _))| *station == line.station)
            {
                for (l, d) in line.points.iter().flat_map(|&l| [(l, 0), (l, 1)]) {
                    areas[2 * i + d].add(weights[l] * of_face[l][d]);
                }
            }
        }
    }
    let areas = ExactSum::allreduce_vec(&solver.ranks, areas);
    let areas: Vec<f64> = areas.into_iter().map(ExactSum::value).collect();
    let normal = |((_, at), area): (&(usize, [f64; 2]), &[f64])| {
        // Area vectors point out of the gas.
        let size = length([area[0], area[1], 0.0]);
        Normal {
            at: *at,
            normal: [-area[0] / size, -area[1] / size],
            distances: distances(request.height, request.counts[0]),
        }
    };
    Ok(found.iter().zip(areas.chunks(2)).map(normal).collect())
}

/// Returns the points, `[station][distance][place][line]`. Lines lie in the middle of equal parts of the span.
/// Collective.
pub fn points(solver: &Solver, request: &BoundaryLayerRequest, normals: &[Normal]) -> Vec<[f64; 3]> {
    let [mut low, mut high] = extent(&solver.geometry.points);
    solver.ranks.allreduce_min(&mut low);
    solver.ranks.allreduce_max(&mut high);
    let lines = request.counts[1];
    let mut points = Vec::new();
    for normal in normals {
        for (distance, beside) in normal
            .distances
            .iter()
            .flat_map(|&n| [0.0, -BESIDE, BESIDE].map(|b| (n, b * n)))
        {
            let (n, t) = (normal.normal, normal.tangent());
            let at = [0, 1].map(|d| normal.at[d] + distance * n[d] + beside * t[d]);
            let of_line = |line: usize| {
                let z = low[2] + (high[2] - low[2]) * (line as f64 + 0.5) / lines as f64;
                [at[0], at[1], z]
            };
            points.extend((0..lines).map(of_line));
        }
    }
    points
}
