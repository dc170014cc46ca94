//! Boundary layers at stations of no-slip walls, along normals of the walls.
//!
//! A station is a solution point of a face. The faces are spread over the largest extent of the wall. Along the normal
//! into the gas the polynomials through the points of the cells are sampled at distances that grow by 2 %, also beyond
//! a periodic side, as far as the mesh reaches. [`BoundaryLayer`] then finds the edge and integrates.

use std::collections::HashMap;

use super::walls::{WallFace, corner_points, flat_normal};
use crate::element::{Correction, PerKind, ReferenceElement};
use crate::geometry::{Geometry, Locator, extent};
use crate::mesh::Side;
use crate::ranks::Ranks;
use crate::steady::boundary_layer::{BoundaryLayer, Place};
use crate::steady::handover::Solution;
use crate::vector::{Vector, dot, length, minus};

/// Stations of a wall at most.
const STATIONS: usize = 12;
/// Growth of the distances of the samples. The place of the edge has this accuracy.
const GROWTH: f64 = 1.02;
/// First distance over the height of the cell at the wall and the degree.
const FIRST: f64 = 0.1;

/// A boundary layer at a station.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallLayer {
    /// Index of the boundary.
    pub boundary: usize,
    /// The point on the wall.
    pub place: Vector,
    /// The layer.
    pub layer: BoundaryLayer,
}

/// Point on the wall and normal into the gas of a station.
const STATION: usize = 6;
/// Density, velocity, temperature and distance from walls at a sample.
type Sample = [f64; 6];

/// Returns the layers of the walls with these faces, of all ranks. Stations whose normal meets no edge of a layer have
/// none. Collective; the same on all ranks, to the bit on any number of them.
pub fn wall_layers(solution: &Solution, geometry: &Geometry, walls: &[WallFace], ranks: &Ranks) -> Vec<WallLayer> {
    let boundaries = 0..solution.mesh.boundary_names.len();
    let stations: Vec<&WallFace> = boundaries.flat_map(|boundary| stations(walls, boundary)).collect();
    if stations.is_empty() {
        return Vec::new();
    }
    let mut feet = feet(solution, geometry, &stations);
    ranks.allreduce_sum(feet.as_flattened_mut());
    let [mut low, mut high] = extent(&geometry.points);
    ranks.allreduce_min(&mut low);
    ranks.allreduce_max(&mut high);
    let reach = length(minus(high, low));
    let distances = |face: &WallFace| {
        let first = FIRST * face.cell_height / solution.order as f64;
        let grown = std::iter::successors(Some(first), |distance| Some(GROWTH * distance));
        [0.0]
            .into_iter()
            .chain(grown.take_while(|distance| *distance < reach))
            .collect::<Vec<f64>>()
    };
    let lines: Vec<Vec<f64>> = stations.iter().map(|face| distances(face)).collect();
    let places = feet
        .iter()
        .zip(&lines)
        .flat_map(|(&[x, y, z, a, b, c], line)| line.iter().map(move |d| [x + d * a, y + d * b, z + d * c]));
    let places: Vec<Vector> = places.collect();
    let samples = Sampled::new(solution, geometry, ranks).at(&places);
    let mut rest = &samples[..];
    let mut layers = Vec::new();
    for ((face, line), &[x, y, z, ..]) in stations.iter().zip(&lines).zip(&feet) {
        let (here, others) = rest.split_at(line.len());
        rest = others;
        let inside = here.iter().map_while(|sample| *sample).zip(line);
        let profile = inside.map(|([rho, u, v, w, temperature, distance], &coordinate)| Place {
            coordinate,
            distance,
            rho,
            velocity: [u, v, w],
            temperature,
        });
        let profile: Vec<Place> = profile.collect();
        // The other end of the profile may lie on a wall as well.
        let of_profile = BoundaryLayer::of_profile(&profile, solution.gas).into_iter();
        layers.extend(of_profile.filter(|layer| layer.wall == 0.0).map(|layer| WallLayer {
            boundary: face.boundary,
            place: [x, y, z],
            layer,
        }));
    }
    layers
}

/// Returns faces of a wall that are spread evenly along its largest extent.
fn stations(walls: &[WallFace], boundary: usize) -> Vec<&WallFace> {
    let mut faces: Vec<&WallFace> = walls.iter().filter(|face| face.boundary == boundary).collect();
    let centres: Vec<Vector> = faces.iter().map(|face| face.centre).collect();
    let [low, high] = extent(&centres);
    let size = |d: usize| high[d] - low[d];
    let along = (1..3).fold(0, |best, d| if size(d) > size(best) { d } else { best });
    faces.sort_by(|a, b| {
        let order = a.centre[along].total_cmp(&b.centre[along]);
        order.then((a.cell, a.face).cmp(&(b.cell, b.face)))
    });
    let count = faces.len().min(STATIONS);
    (0..count)
        .map(|i| faces[(2 * i + 1) * faces.len() / (2 * count)])
        .collect()
}

/// Returns the stations, 0 for those whose cells other ranks have.
fn feet(solution: &Solution, geometry: &Geometry, stations: &[&WallFace]) -> Vec<[f64; STATION]> {
    let (mesh, order) = (solution.mesh, solution.order);
    let on_boundaries = (0..mesh.len()).filter(|&cell| {
        let mut sides = mesh.cell_sides(cell).iter();
        sides.any(|side| matches!(side, Side::Boundary(_)))
    });
    let local: HashMap<usize, usize> = on_boundaries.map(|cell| (mesh.global(cell), cell)).collect();
    let station = |face: &&WallFace| {
        let Some(&cell) = local.get(&face.cell) else {
            return [0.0; STATION];
        };
        let (kind, x) = (mesh.kinds[cell], geometry.cell_positions(cell));
        let corners: Vec<Vector> = corner_points(kind, face.face, order)
            .into_iter()
            .map(|p| x[p])
            .collect();
        let normal = flat_normal(&corners);
        let middle = x.iter().fold([0.0; 3], |sum: Vector, x| {
            std::array::from_fn(|d| sum[d] + x[d] / x.len() as f64)
        });
        let sign = dot(minus(middle, corners[0]), normal).signum();
        // The centre may lie off a curved wall; the point of the solution that is nearest to it does not.
        let away = |p: &usize| length(minus(x[*p], face.centre));
        let points = kind.face_indices(face.face, order).into_iter();
        let foot = points
            .min_by(|a, b| away(a).total_cmp(&away(b)))
            .map_or(face.centre, |p| x[p]);
        let [a, b, c] = normal.map(|n| sign * n);
        [foot[0], foot[1], foot[2], a, b, c]
    };
    stations.iter().map(station).collect()
}

/// The solution between the points, of all ranks.
struct Sampled<'a> {
    solution: &'a Solution<'a>,
    geometry: &'a Geometry,
    ranks: &'a Ranks,
    locator: Locator<'a>,
    elements: PerKind<Option<ReferenceElement>>,
    /// Displacements through the periods of the domain, there and back.
    shifts: Vec<Vector>,
}

impl<'a> Sampled<'a> {
    fn new(solution: &'a Solution<'a>, geometry: &'a Geometry, ranks: &'a Ranks) -> Self {
        let (mesh, order) = (solution.mesh, solution.order);
        let shifts = (0..3).filter_map(|axis| Some((axis, geometry.period(mesh, order, axis, ranks)?)));
        let both = shifts.flat_map(|(axis, period)| [period, -period].map(|shift| (axis, shift)));
        Sampled {
            locator: Locator::new(mesh, geometry, order),
            elements: PerKind::new(|kind| {
                let present = mesh.kinds.contains(&kind);
                present.then(|| ReferenceElement::new(kind, order, Correction::Radau))
            }),
            shifts: both
                .map(|(axis, shift)| std::array::from_fn(|d| if d == axis { shift } else { 0.0 }))
                .collect(),
            solution,
            geometry,
            ranks,
        }
    }

    /// Returns the samples at places, `None` outside of the mesh and of its images one period away. Collective.
    fn at(&self, places: &[Vector]) -> Vec<Option<Sample>> {
        let mut samples = self.inside(places);
        for shift in &self.shifts {
            let outside: Vec<usize> = (0..places.len()).filter(|&i| samples[i].is_none()).collect();
            let moved = outside
                .iter()
                .map(|&i| std::array::from_fn(|d| places[i][d] + shift[d]));
            let moved = self.inside(&moved.collect::<Vec<Vector>>());
            outside
                .into_iter()
                .zip(moved)
                .for_each(|(i, sample)| samples[i] = sample);
        }
        samples
    }

    /// Returns the samples at places, `None` outside of the mesh. Collective.
    fn inside(&self, places: &[Vector]) -> Vec<Option<Sample>> {
        let mesh = self.solution.mesh;
        let found = self.locator.find(places);
        let global = |cell: usize| mesh.global(cell) as u64;
        let mut cells: Vec<u64> = found
            .iter()
            .map(|found| found.map_or(u64::MAX, |found| global(found.cell)))
            .collect();
        self.ranks.allreduce_min(&mut cells);
        let mine = found.iter().zip(&cells).map(|(found, cell)| match found {
            Some(found) if global(found.cell) == *cell => self.sample(found.cell, found.at),
            _ => [0.0; 6],
        });
        let mut values: Vec<Sample> = mine.collect();
        self.ranks.allreduce_sum(values.as_flattened_mut());
        let there = cells.iter().zip(values);
        there
            .map(|(cell, sample)| (*cell != u64::MAX).then_some(sample))
            .collect()
    }

    /// Returns the sample at reference coordinates of a cell.
    fn sample(&self, cell: usize, at: Vector) -> Sample {
        let solution = self.solution;
        let kind = solution.mesh.kinds[cell];
        let weights = self.elements[kind]
            .as_ref()
            .expect("the kind occurs")
            .interpolation(&[at]);
        let points = self.geometry.first_point[cell]..self.geometry.first_point[cell + 1];
        let vertices = solution.dual.point_vertex[points].iter();
        vertices.zip(weights).fold([0.0; 6], |sum: Sample, (&vertex, weight)| {
            let [rho, u, v, w, temperature, ..] = solution.values[vertex as usize];
            let distance = solution.dual.wall_distance[vertex as usize];
            let value = [rho, u, v, w, temperature, distance];
            std::array::from_fn(|i| sum[i] + weight * value[i])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Elements;
    use crate::mesh::test_meshes::a_box;
    use crate::mesh::{BoxElements, build_box};
    use crate::physics::Gas;
    use crate::steady::dual::DualMesh;
    use crate::steady::handover::Values;
    use crate::steady::scheme::Turbulence;

    #[test]
    fn samples_are_those_of_linear_fields_also_beyond_one_periodic_side() {
        let b = a_box(BoxElements::Mixed, [4, 2, 2], [true, false, true]);
        let (mesh, ranks) = (build_box(&b, 2).expect("a box"), Ranks::alone());
        let elements = Elements::new(3, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::on_ranks(&mesh, &elements, &ranks).expect("good cells");
        let wall = |boundary: usize| mesh.boundary_names[boundary] == "y-";
        let dual = DualMesh::new(&mesh, &geometry, 3, wall, &ranks).expect("a dual");
        let values = |x: &Vector| [1.5, x[1], 2.0 * x[1], -x[1], 1.0 + x[1], 0.0, 0.0];
        let values: Vec<Values> = dual.position.iter().map(values).collect();
        let gas = Gas {
            gamma: 1.4,
            prandtl: 0.71,
            gas_constant: 1.0,
            viscosity: None,
        };
        let solution = Solution {
            mesh: &mesh,
            order: 3,
            dual: &dual,
            gas: &gas,
            model: Turbulence::None,
            values: &values,
            gradient: &[],
        };
        // The box reaches from -1 to 2 in x, from 0.25 to 1.5 in y, and from 0.1 to 1.7 in z.
        let [x, y, z] = [0.3, 0.8, 0.9];
        let places = [
            [x, y, z],
            [x + 3.0, y, z],
            [x - 3.0, y, z],
            [x, y, z + 1.6],
            [x, 1.6, z],
            [x + 6.0, y, z],
        ];
        let samples = Sampled::new(&solution, &geometry, &ranks).at(&places);
        for sample in &samples[..4] {
            let sample = sample.expect("in the mesh");
            let exact = [1.5, y, 2.0 * y, -y, 1.0 + y, y - 0.25];
            assert!(
                sample.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-9),
                "{sample:?}"
            );
        }
        assert_eq!(samples[4..], [None, None]);
    }
}
