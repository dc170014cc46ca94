//! Boundary layers at two stations of each wall: the faces of the largest and of the mean y1+.
//!
//! The solution is followed along the normal of the wall by the polynomials of the cells. The edge of the layer is
//! where the vorticity times the distance falls below a fiftieth of its largest value so far, and stays there for half
//! of the distance again: the potential flow outside has no vorticity, whatever its velocity does. The line ends where
//! it leaves the mesh or comes nearer to a wall again. A layer whose edge is not on it, as in a developed channel, has
//! none. Neither has one that has regained its total pressure long before: near a stagnation point the vorticity is so
//! weak that errors of gradients further out are as large.

use super::walls::WallFace;
use crate::element::{Correction, Elements, PerKind, ReferenceElement};
use crate::geometry::{Geometry, Locator, extent, gradient, multiply, shifts};
use crate::ranks::Ranks;
use crate::steady::boundary_layer::{BoundaryLayer, Place};
use crate::steady::handover::{Solution, Values};
use crate::vector::{Vector, length, minus};

/// Vorticity times distance, over its largest value so far, below which the edge is reached.
const EDGE: f64 = 0.02;
/// Distance over that of the edge up to which it has to stay below.
const BEYOND: f64 = 1.5;
/// Share of the total pressure at the edge, above the pressure on the wall, that a layer has at a quarter of the
/// distance of its edge or more.
const REGAINED: f64 = 0.95;
const QUARTER: f64 = 0.25;
/// Distance of the first place off the wall over the height of the cell.
const FIRST: f64 = 0.02;
/// Ratio of the distances of places that follow each other.
const RATIO: f64 = 1.03;
/// Number of values at a place: density, velocity, temperature, vorticity and distance from the nearest wall.
const VALUES: usize = 9;

/// A station of a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Station {
    /// Index of the boundary.
    pub boundary: usize,
    /// What distinguishes it.
    pub name: &'static str,
    /// The place on the wall.
    pub wall: Vector,
    /// The layer; `None` if no edge is found.
    pub layer: Option<BoundaryLayer>,
}

/// Returns the boundary layers at the stations of all walls, which have these faces. Collective; the same on all ranks,
/// to the bit on any number of them.
pub fn stations(
    solution: &Solution,
    geometry: &Geometry,
    elements: &Elements,
    faces: &[WallFace],
    ranks: &Ranks,
) -> Vec<Station> {
    let kinds = solution.mesh.kinds_present();
    let reference = |kind| ReferenceElement::new(kind, solution.order, Correction::Radau);
    let mut ways = vec![[0.0; 3]];
    ways.extend(shifts(geometry.periods(solution.mesh, solution.order, ranks)));
    let walk = Walk {
        solution,
        geometry,
        elements,
        reference: PerKind::new(|kind| kinds.contains(&kind).then(|| reference(kind))),
        locator: Locator::new(solution.mesh, geometry, solution.order),
        ways,
        size: size(geometry, ranks),
        ranks,
    };
    let mut stations = Vec::new();
    for boundary in 0..solution.mesh.boundary_names.len() {
        let of_wall: Vec<&WallFace> = faces.iter().filter(|face| face.boundary == boundary).collect();
        for (name, face) in chosen(&of_wall) {
            stations.push(Station {
                boundary,
                name,
                wall: face.point,
                layer: walk.layer(face),
            });
        }
    }
    stations
}

/// Returns the faces of the largest and of the mean y1+, the first ones of several.
fn chosen<'a>(faces: &[&'a WallFace]) -> Vec<(&'static str, &'a WallFace)> {
    let area: f64 = faces.iter().map(|face| face.area).sum();
    let mean = faces.iter().map(|face| face.area * face.spacing[0]).sum::<f64>() / area;
    let least = |key: &dyn Fn(&WallFace) -> f64| faces.iter().copied().min_by(|a, b| key(a).total_cmp(&key(b)));
    let largest = least(&|face| -face.spacing[0]).map(|face| ("largest y1+", face));
    let near_mean = least(&|face| (face.spacing[0] - mean).abs()).map(|face| ("mean y1+", face));
    largest.into_iter().chain(near_mean).collect()
}

/// Longest side of the mesh of all ranks. Collective.
fn size(geometry: &Geometry, ranks: &Ranks) -> f64 {
    let [low, high] = extent(&geometry.points);
    let mut below = low.map(|x| -x);
    let mut above = high;
    ranks.allreduce_max(&mut below);
    ranks.allreduce_max(&mut above);
    (0..3).map(|d| below[d] + above[d]).fold(0.0, f64::max)
}

/// What a line through the solution needs.
struct Walk<'a> {
    solution: &'a Solution<'a>,
    geometry: &'a Geometry,
    elements: &'a Elements,
    /// What interpolates between the points of cells of a kind.
    reference: PerKind<Option<ReferenceElement>>,
    locator: Locator<'a>,
    /// No way, and the ways to places where the flow is the same.
    ways: Vec<Vector>,
    /// Longest side of the mesh.
    size: f64,
    ranks: &'a Ranks,
}

impl Walk<'_> {
    /// Returns the layer at a face. Collective.
    fn layer(&self, face: &WallFace) -> Option<BoundaryLayer> {
        let mut distances = vec![0.0];
        let mut next = FIRST * face.cell_height;
        while next < self.size {
            distances.push(next);
            next *= RATIO;
        }
        let positions: Vec<Vector> = distances
            .iter()
            .map(|n| std::array::from_fn(|d| face.point[d] + n * face.normal[d]))
            .collect();
        let values = self.values(&positions);
        // The place on the wall may lie outside of the mesh by its rounding, and its distance is 0.
        let rising = (1..values.len())
            .take_while(|&i| {
                values[i].is_some_and(|here| i == 1 || values[i - 1].is_some_and(|last| here[8] > last[8]))
            })
            .count();
        let place = |i: usize| {
            let [rho, u, v, w, temperature, ..] = values[i].unwrap_or_default();
            Place {
                coordinate: distances[i],
                distance: distances[i],
                rho,
                velocity: [u, v, w],
                temperature,
            }
        };
        let strength: Vec<f64> = (1..=rising)
            .map(|i| values[i].map_or(f64::NAN, |[.., a, b, c, _]| distances[i] * length([a, b, c])))
            .collect();
        let edge = 1 + edge(&distances[1..=rising], &strength)?;
        let mut places: Vec<Place> = (0..=edge).map(place).collect();
        places[0] = Place {
            velocity: face.velocity,
            rho: places[1].rho,
            temperature: places[1].temperature,
            ..places[0]
        };
        let regained = self.regained(&places)?;
        (regained >= QUARTER * distances[edge])
            .then(|| BoundaryLayer::up_to_edge(&places, self.solution.gas))
            .flatten()
    }

    /// Returns the distance at which the gas has nearly the total pressure of the edge, which is the last place.
    fn regained(&self, places: &[Place]) -> Option<f64> {
        let gas = self.solution.gas;
        let wall = places.first()?;
        let edge = places.last()?;
        let pressure = |place: &Place| place.rho * gas.gas_constant * place.temperature;
        let head = |place: &Place| {
            let velocity = minus(place.velocity, wall.velocity);
            gas.total_pressure(place.rho, velocity, pressure(place)) - pressure(wall)
        };
        let enough = REGAINED * head(edge);
        places
            .iter()
            .find(|place| head(place) >= enough)
            .map(|place| place.distance)
    }

    /// Returns the values at positions, of the cell of the lowest number that contains each of them. Collective.
    fn values(&self, positions: &[Vector]) -> Vec<Option<[f64; VALUES]>> {
        let mut values = vec![None; positions.len()];
        for shift in &self.ways {
            let missing: Vec<usize> = (0..values.len()).filter(|&i| values[i].is_none()).collect();
            if missing.is_empty() {
                break;
            }
            let there: Vec<Vector> = missing
                .iter()
                .map(|&i| std::array::from_fn(|d| positions[i][d] + shift[d]))
                .collect();
            let mut mine = Vec::new();
            for (found, &i) in self.locator.find(&there).into_iter().zip(&missing) {
                let Some(found) = found else { continue };
                mine.extend([i as f64, self.solution.mesh.global(found.cell) as f64]);
                let element = &self.reference[self.solution.mesh.kinds[found.cell]];
                let weights = element.as_ref().expect("the kind occurs").interpolation(&[found.at]);
                mine.extend(multiply(&weights, &self.in_cell(found.cell))[0]);
            }
            let mut all = self.ranks.allgather(&mine).as_chunks::<{ 2 + VALUES }>().0.to_vec();
            all.sort_by(|a, b| a[1].total_cmp(&b[1]));
            for [i, _, of_place @ ..] in all {
                values[i as usize].get_or_insert(of_place);
            }
        }
        values
    }

    /// Values at the points of a cell.
    fn in_cell(&self, cell: usize) -> Vec<[f64; VALUES]> {
        let first = self.geometry.first_point[cell];
        let points = first..first + self.geometry.cell_points(cell);
        let of_points: Vec<Values> = points.clone().map(|point| self.solution.values_at(point)).collect();
        let values = |i: usize| -> Vec<f64> { of_points.iter().map(|values| values[i]).collect() };
        let [du, dv, dw] = [1, 2, 3].map(|i| gradient(self.elements, self.geometry, cell, &values(i)));
        let at = |(p, &vertex): (usize, &u32)| {
            let [rho, u, v, w, temperature, ..] = of_points[p];
            let curl = [dw[p][1] - dv[p][2], du[p][2] - dw[p][0], dv[p][0] - du[p][1]];
            let distance = self.solution.dual.wall_distance[vertex as usize];
            [rho, u, v, w, temperature, curl[0], curl[1], curl[2], distance]
        };
        self.solution.dual.point_vertex[points]
            .iter()
            .enumerate()
            .map(at)
            .collect()
    }
}

/// Returns the place of the edge among distances at which vorticity times distance has these values.
fn edge(distances: &[f64], strength: &[f64]) -> Option<usize> {
    let mut largest = 0.0f64;
    for (i, of_place) in strength.iter().enumerate() {
        largest = largest.max(*of_place);
        let end = distances.partition_point(|n| *n < BEYOND * distances[i]);
        if end == distances.len() {
            return None;
        }
        if strength[i..=end].iter().all(|other| *other < EDGE * largest) {
            return Some(i);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_is_where_the_vorticity_stays_away() {
        let distances: Vec<f64> = (1..=1000).map(|i| 1e-3 * f64::from(i)).collect();
        let of = |vorticity: &dyn Fn(f64) -> f64| {
            let strength: Vec<f64> = distances.iter().map(|n| n * vorticity(*n).abs()).collect();
            edge(&distances, &strength).map(|i| distances[i])
        };
        // n exp(-n/a) is largest at a, and 0.02 of that at 6.834 a.
        let found = of(&|n| (-n / 0.05).exp()).expect("an edge");
        assert!((found - 6.834 * 0.05).abs() < 2e-3, "{found}");
        // A change of sign within the layer, as in a separated one, is no edge.
        let found = of(&|n| (n - 0.1) * (-(n / 0.2).powi(2)).exp()).expect("an edge");
        assert!(found > 0.3, "{found}");
        // The middle of a channel and a shear without end have none.
        assert_eq!(of(&|n| 1.0 - n), None);
        assert_eq!(of(&|_| 1.0), None);
    }
}
