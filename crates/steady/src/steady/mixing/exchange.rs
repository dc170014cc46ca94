//! The mixing planes of a solver on its machine: the states at their points are read, balanced, and what follows is
//! written to the data of both boundaries.

use rayon::prelude::*;

use std::f64::consts::TAU;

use super::balance::{AGREES, Balanced, Band, Flow, Fluxes, Point, outside_upstream};
use super::plane::{BandPoints, MixingPlane, PlanePoint};
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::physics::{Gas, PointData};
use crate::steady::arrays::FLOW;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::grid::Grid;
use crate::steady::machine::{Machine, upload};
use crate::vector::dot;

/// How far the fluxes of both sides of a plane agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Mass that passes from the first side to the second, per time and area.
    pub mass_flux: f64,
    /// The largest difference of the mean fluxes of mass, momentum and energy in a band, relative to those of the flow.
    pub difference: f64,
    /// Where along the span it is.
    pub at: f64,
    /// What passes the whole circumference of a plane around an axis, as each side has it.
    pub annulus: Option<[Annulus; 2]>,
}

/// What passes the whole circumference of a plane around an axis from the first side to the second, per time, seen from
/// the frame of the first sides of all planes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Annulus {
    /// Area of the plane.
    pub area: f64,
    /// Mass.
    pub mass: f64,
    /// Momentum along the axis.
    pub axial: f64,
    /// Moment of the momentum about the axis.
    pub angular: f64,
    /// Energy.
    pub energy: f64,
}

impl Agreement {
    /// Whether the fluxes of all bands agree.
    pub fn holds(&self) -> bool {
        self.difference <= AGREES
    }
}

/// The mixing planes of a solver.
pub struct OnMachine<M: Machine> {
    planes: Vec<MixingPlane>,
    gas: Gas,
    /// Slots of this rank's vertices on all sides, in the order of the sides.
    slots: M::Array,
    /// Their states, `[place][variable]`.
    values: M::Array,
    /// Number of these vertices.
    count: usize,
    /// For each plane and side: the place in the list of all points of the side of each vertex of this rank.
    own: Vec<[Vec<usize>; 2]>,
    agreements: Vec<Agreement>,
}

/// What a side gets.
struct Given {
    /// The state outside of each point.
    outside: Vec<Flow>,
    /// Variables of the model in gas that enters there.
    inflow: Vec<[f64; 2]>,
}

/// The states of the points of a side.
struct SideState {
    points: Vec<Point>,
    model: Vec<[f64; 2]>,
}

impl<M: Machine> OnMachine<M> {
    /// Prepares the planes of a rank, whose boundaries are `lists`, for a state of so many variables.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(
        planes: &[MixingPlane],
        grid: &Grid<M>,
        dual: &DualMesh,
        lists: &[BoundaryList],
        variables: usize,
        gas: &Gas,
    ) -> Result<Self, DeviceError> {
        let vertices = |boundary: usize| lists[boundary].vertex.iter().map(|&vertex| vertex as usize);
        let sides = || planes.iter().flat_map(|plane| plane.boundaries);
        let slots: Vec<i32> = sides()
            .flat_map(vertices)
            .map(|vertex| grid.slices.slot(vertex) as i32)
            .collect();
        let place = |points: &[PlanePoint], vertex: usize| {
            let number = dual.global[vertex];
            let place = points.binary_search_by_key(&number, |point| point.number);
            place.expect("the plane has all vertices of its boundaries")
        };
        let own = planes.iter().map(|plane| {
            [0, 1].map(|side| {
                let places = vertices(plane.boundaries[side]).map(|vertex| place(&plane.points[side], vertex));
                places.collect()
            })
        });
        Ok(OnMachine {
            planes: planes.to_vec(),
            gas: *gas,
            values: grid.store.zeros(slots.len() * variables * size_of::<f64>())?,
            count: slots.len(),
            slots: upload(&*grid.store, &slots)?,
            own: own.collect(),
            agreements: Vec::new(),
        })
    }

    /// Returns how far the fluxes of each plane agreed at the last balance.
    pub fn agreements(&self) -> &[Agreement] {
        &self.agreements
    }

    /// Balances all planes for the present state, to which `params` lead with so many variables, and writes what
    /// follows to the arrays of a boundary by `write`. Collective.
    pub fn balance(
        &mut self,
        grid: &Grid<M>,
        params: &SteadyParams,
        variables: usize,
        mut write: impl FnMut(usize, &[PointData], &[f64]) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let all = self.states(grid, params, variables)?;
        let mut rest = &all[..];
        self.agreements.clear();
        for (plane, own) in self.planes.iter().zip(&self.own) {
            let sides = [0, 1].map(|side| {
                let (values, others) = rest.split_at(plane.points[side].len());
                rest = others;
                side_state(plane, side, &self.gas, values)
            });
            let (given, agreement) = balanced(plane, &self.gas, &sides);
            self.agreements.push(agreement);
            for side in 0..2 {
                let data = |&place: &usize| {
                    let point = &plane.points[side][place];
                    let Flow { rho, v, p } = plane.seen_from_side(side, point, &given[side].outside[place]);
                    let [mass, x, y, z, energy] = self.gas.conserved(rho, v, p);
                    [mass, x, y, z, energy, 0.0]
                };
                let data: Vec<PointData> = own[side].iter().map(data).collect();
                let inflow = (0..variables - FLOW)
                    .flat_map(|e| own[side].iter().map(move |&place| (e, place)))
                    .map(|(e, place)| given[side].inflow[place][e]);
                write(plane.boundaries[side], &data, &inflow.collect::<Vec<f64>>())?;
            }
        }
        Ok(())
    }

    /// Returns the states at the points of all sides, side by side, each in the order of the global numbers.
    /// Collective.
    fn states(&self, grid: &Grid<M>, params: &SteadyParams, variables: usize) -> Result<Vec<[f64; 7]>, DeviceError> {
        let mut params = *params;
        params.exchanged = params.out;
        params.exchanged_values = variables as i64;
        params.exchange = self.values.pointer();
        params.exchange_list = self.slots.pointer();
        grid.launch(SteadyKernel::Pack, params, 0..self.count)?;
        let packed = grid.store.read::<f64>(&self.values, 0..variables * self.count)?;
        let totals: Vec<usize> = self
            .planes
            .iter()
            .flat_map(|plane| plane.points.each_ref().map(Vec::len))
            .collect();
        let mut all = vec![[0.0; 7]; totals.iter().sum()];
        // The places of this rank's vertices among all, with their states.
        let mut mine = Vec::new();
        let (mut vertex, mut first) = (0, 0);
        for (places, total) in self.own.iter().flatten().zip(&totals) {
            for place in places {
                mine.push((first + place) as f64);
                mine.extend_from_slice(&packed[variables * vertex..variables * (vertex + 1)]);
                vertex += 1;
            }
            first += total;
        }
        for record in grid.ranks().allgather(&mine).chunks_exact(1 + variables) {
            all[record[0] as usize][..variables].copy_from_slice(&record[1..]);
        }
        Ok(all)
    }
}

/// Returns the states of the points of a side, as the balance sees them.
fn side_state(plane: &MixingPlane, side: usize, gas: &Gas, values: &[[f64; 7]]) -> SideState {
    let point = |(point, value): (&PlanePoint, &[f64; 7])| {
        let [flow @ .., _, _] = *value;
        plane.seen(side, point, gas, flow)
    };
    SideState {
        points: plane.points[side].iter().zip(values).map(point).collect(),
        model: values.iter().map(|value| [value[5], value[6]]).collect(),
    }
}

/// What a band gives to its points.
struct OfBand<'a> {
    band: &'a BandPoints,
    /// Number of the side upstream.
    up: usize,
    balanced: Balanced,
    /// Variables of the model in gas that enters.
    model: [f64; 2],
    /// Fluxes per area from the first side to the second, as each side has them.
    passing: [Fluxes; 2],
}

/// Balances all bands of a plane, and returns what its sides get.
fn balanced(plane: &MixingPlane, gas: &Gas, sides: &[SideState; 2]) -> ([Given; 2], Agreement) {
    let of_band = |band| balance_of_band(plane, band, gas, sides);
    let bands: Vec<OfBand> = plane.bands.par_iter().map(of_band).collect();
    let mut given = sides.each_ref().map(|side| Given {
        outside: side.points.iter().map(|point| point.own).collect(),
        inflow: side.model.clone(),
    });
    let mut agreement = Agreement {
        mass_flux: 0.0,
        difference: 0.0,
        at: plane.bands[0].at,
        annulus: None,
    };
    let (mut mass, mut area) = (0.0, 0.0);
    for of_band in &bands {
        for side in 0..2 {
            for &point in &of_band.band.points[side] {
                given[side].outside[point] = if side == of_band.up {
                    outside_upstream(gas, &sides[side].points[point], &of_band.balanced.state)
                } else {
                    of_band.balanced.state
                };
                given[side].inflow[point] = of_band.model;
            }
        }
        mass += of_band.passing[0][0] * of_band.band.areas[0];
        area += of_band.band.areas[0];
        if of_band.balanced.difference > agreement.difference {
            agreement.difference = of_band.balanced.difference;
            agreement.at = of_band.band.at;
        }
    }
    agreement.mass_flux = mass / area;
    agreement.annulus = annulus(plane, &bands);
    (given, agreement)
}

/// Returns what passes the whole circumference, as each side has it; `None` along a coordinate.
fn annulus(plane: &MixingPlane, bands: &[OfBand]) -> Option<[Annulus; 2]> {
    let around = plane.span.circumference()?;
    let of_side = |side: usize| {
        let sectors = TAU / plane.pitches[side];
        let mut sum = Annulus::default();
        for of_band in bands {
            let area = sectors * of_band.band.areas[side];
            let [mass, momentum @ .., energy] = of_band.passing[side];
            sum.area += area;
            sum.mass += area * mass;
            sum.axial += area * momentum[plane.motion.normal];
            sum.angular += area * of_band.band.at * momentum[around];
            sum.energy += area * energy;
        }
        sum
    };
    Some([0, 1].map(of_side))
}

/// Balances a band. The gas leaves the side from which it flows to the other one in the mean.
fn balance_of_band<'a>(plane: &MixingPlane, band: &'a BandPoints, gas: &Gas, sides: &[SideState; 2]) -> OfBand<'a> {
    let points = [0, 1].map(|side| {
        let of_side = band.points[side].iter().map(|&point| Point {
            arms: plane.arms(band, &plane.points[side][point]),
            ..sides[side].points[point]
        });
        of_side.collect::<Vec<Point>>()
    });
    let leaving = [0, 1].map(|side| {
        let mass = |point: &Point| point.own.rho * dot(point.own.v, point.area);
        points[side].iter().map(mass).sum::<f64>() / band.areas[side]
    });
    let up = if leaving[0] >= leaving[1] { 0 } else { 1 };
    let of_band = Band {
        gas,
        up: &points[up],
        down: &points[1 - up],
        areas: [band.areas[up], band.areas[1 - up]],
    };
    let balanced = of_band.balance();
    let model = mean_of_model(&points[up], &band.points[up], &sides[up].model);
    let sense = if up == 0 { 1.0 } else { -1.0 };
    let mut passing = [of_band.leaving(&balanced.state), of_band.entering(&balanced.state)];
    passing.rotate_left(up);
    OfBand {
        band,
        up,
        passing: passing.map(|fluxes| fluxes.map(|flux| sense * flux)),
        model,
        balanced,
    }
}

/// Returns the means of the variables of the model over points, weighed by the mass that leaves there; by the areas if
/// none does.
fn mean_of_model(points: &[Point], places: &[usize], model: &[[f64; 2]]) -> [f64; 2] {
    let mean = |weight: &dyn Fn(&Point) -> f64| {
        let (mut sum, mut total) = ([0.0; 2], 0.0);
        for (point, &place) in points.iter().zip(places) {
            let weight = weight(point);
            (0..2).for_each(|e| sum[e] += weight * model[place][e]);
            total += weight;
        }
        (total > 0.0).then(|| sum.map(|x| x / total))
    };
    mean(&|point| (point.own.rho * dot(point.own.v, point.area)).max(0.0))
        .or_else(|| mean(&|point| dot(point.area, point.normal)))
        .unwrap_or_default()
}
