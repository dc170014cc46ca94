//! Mean loads on no-slip walls: shear stress, heat flux, and the state of the gas from which wall units follow.
//!
//! The stress is the viscous force on a boundary divided by its area, without the component along the normal if the
//! wall is flat. Density and temperature are the means at the points of the wall, from the statistics themselves.

use crate::device::statistics::Slots;
use crate::device::{Exterior, Plan};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::output::estimate::StandardError;
use crate::physics::Gas;
use crate::ranks::{ExactSum, Ranks};
use crate::solver::BoundaryFlux;
use crate::vector::{dot, length, minus};

/// Rows of density and temperature among the quantities.
const RHO: usize = 1;
const T: usize = 6;
/// Largest relative defect of the sum of area vectors of a flat wall.
const FLAT: f64 = 1e-10;

/// A no-slip wall and its loads: sums over the samples with their weights.
#[derive(Debug, Clone)]
pub struct WallSurface {
    /// Name of the boundary.
    pub name: String,
    /// Its index in the mesh.
    pub number: usize,
    /// Its velocity, if it is uniform and constant.
    pub velocity: Option<[f64; 3]>,
    /// Viscous force, and energy flux.
    pub sums: [f64; 4],
}

/// Mean loads on a wall.
#[derive(Debug, Clone)]
pub struct Wall {
    /// Name of the boundary.
    pub name: String,
    /// Mean shear stress that the gas exerts on the wall.
    pub stress: [f64; 3],
    /// Magnitude of the shear stress.
    pub tau: f64,
    /// Mean density at the wall.
    pub rho: f64,
    /// Viscosity at the wall.
    pub mu: f64,
    /// Mean heat flux per area into the wall.
    pub heat_flux: f64,
    /// Largest distance from a point of the wall to the nearest point off the wall.
    pub first_point: f64,
    /// Standard errors of the shear stress and of the heat flux; not known where they are not computed.
    pub errors: [StandardError; 2],
    /// Area.
    area: f64,
    /// Centre, and unit normal if the wall is flat.
    at: [f64; 3],
    normal: Option<[f64; 3]>,
}

impl WallSurface {
    /// Adds the present fluxes through the boundary.
    pub fn add(&mut self, weight: f64, flux: &BoundaryFlux) {
        for (sum, force) in self.sums.iter_mut().zip(flux.viscous) {
            *sum += weight * force;
        }
        // A moving wall also receives the work of the force.
        let work = self.velocity.map_or(0.0, |velocity| dot(flux.viscous, velocity));
        self.sums[3] += weight * (flux.energy - work);
    }

    /// Computes the means over `time`. `sums` are those of the statistics. Collective.
    #[allow(clippy::too_many_arguments)]
    pub fn mean(
        &self,
        time: f64,
        slots: &Slots,
        sums: &[f64],
        plan: &Plan,
        geometry: &Geometry,
        elements: &Elements,
        gas: &Gas,
        ranks: &Ranks,
    ) -> Wall {
        let order = elements.order;
        let first_sum: Vec<usize> = geometry
            .kinds
            .iter()
            .scan(0, |end, &kind| {
                let first = *end;
                *end += slots.sums_of(kind);
                Some(first)
            })
            .collect();
        // Area, area vector, area times position, density, temperature.
        let mut totals: [ExactSum; 9] = std::array::from_fn(|_| ExactSum::default());
        let mut first_point = [0.0f64];
        let faces = plan.boundary_faces.iter();
        for b in faces.filter(|b| matches!(b.exterior, Exterior::Condition(n) if n == self.number)) {
            let kind = geometry.kinds[b.cell];
            let points = geometry.cell_positions(b.cell);
            let (count, members) = (slots.slots[kind as usize], slots.members[kind as usize]);
            let list = slots.list(b.cell, kind);
            let mine = &sums[first_sum[b.cell]..][..slots.sums_of(kind)];
            let indices = kind.face_indices(b.face, order);
            let areas = geometry.face_areas(b.cell, b.face);
            let weights = elements.face_weights(kind.faces()[b.face].shape);
            let off: Vec<usize> = (0..points.len()).filter(|q| !indices.contains(q)).collect();
            let mut slot_of = vec![0; points.len()];
            for (at, &p) in list.iter().enumerate() {
                slot_of[p as usize] = at / members;
            }
            for (l, &p) in indices.iter().enumerate() {
                let area = areas[l].map(|a| a * weights[l]);
                let size = length(area);
                let slot = slot_of[p];
                let mean = |quantity: usize| mine[quantity * count + slot] / mine[slot];
                let terms = [size, area[0], area[1], area[2]].into_iter();
                let terms = terms.chain(points[p].map(|x| size * x));
                let terms = terms.chain([size * mean(RHO), size * mean(T)]);
                totals.iter_mut().zip(terms).for_each(|(total, term)| total.add(term));
                let distance = |&q: &usize| length(minus(points[q], points[p]));
                first_point[0] = first_point[0].max(off.iter().map(distance).fold(f64::INFINITY, f64::min));
            }
        }
        ranks.allreduce_max(&mut first_point);
        let totals = ExactSum::allreduce(ranks, totals).map(ExactSum::value);
        let area = totals[0];
        let mean = |k: usize| totals[k] / area;
        let vector = [mean(1), mean(2), mean(3)];
        let norm = length(vector);
        let normal = (norm > 1.0 - FLAT).then(|| vector.map(|x| x / norm));
        let force = std::array::from_fn(|d| self.sums[d] / (time * area));
        let stress = shear(force, normal);
        Wall {
            name: self.name.clone(),
            tau: length(stress),
            stress,
            rho: mean(7),
            mu: gas.mu(mean(8)),
            heat_flux: self.sums[3] / (time * area),
            first_point: first_point[0],
            errors: [StandardError::UNKNOWN; 2],
            area,
            at: [mean(4), mean(5), mean(6)],
            normal,
        }
    }
}

/// Returns the part along a wall of a force per area.
fn shear(force: [f64; 3], normal: Option<[f64; 3]>) -> [f64; 3] {
    let across = normal.map_or(0.0, |n| dot(force, n));
    std::array::from_fn(|d| force[d] - normal.map_or(0.0, |n| across * n[d]))
}

impl Wall {
    /// Returns the standard errors with the names of the means to which they belong.
    pub fn named_errors(&self) -> [(&'static str, StandardError); 2] {
        let [tau, heat_flux] = self.errors;
        [("tau", tau), ("heat_flux", heat_flux)]
    }

    /// Returns shear stress and heat flux for means over time of the sums of [`WallSurface`].
    pub fn loads(&self, means: &[f64]) -> Vec<f64> {
        let stress = shear(std::array::from_fn(|d| means[d] / self.area), self.normal);
        vec![length(stress), means[3] / self.area]
    }

    /// Returns the wall with another shear stress.
    pub fn with_stress(&self, tau: f64) -> Wall {
        Wall { tau, ..self.clone() }
    }

    /// Returns the kinematic viscosity at the wall.
    pub fn nu(&self) -> f64 {
        self.mu / self.rho
    }

    /// Returns the friction velocity.
    pub fn u_tau(&self) -> f64 {
        (self.tau / self.rho).sqrt()
    }
}

/// Returns the friction Reynolds number of the gap between two parallel walls, from half its width and the means of
/// both walls.
pub fn reynolds_number(walls: &[Wall]) -> Option<f64> {
    let [a, b] = walls else { return None };
    let (n, m) = (a.normal?, b.normal?);
    // Outward normals of a gap point away from each other.
    let facing = dot(n, m) < -1.0 + FLAT;
    let half = 0.5 * dot(minus(a.at, b.at), n);
    let tau = 0.5 * (a.tau + b.tau);
    let rho = 0.5 * (a.rho + b.rho);
    let mu = 0.5 * (a.mu + b.mu);
    // Without viscosity there is none.
    (facing && half > 0.0 && mu > 0.0).then(|| half * (tau / rho).sqrt() / (mu / rho))
}
