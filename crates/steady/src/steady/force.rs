//! The volume force of a case in its steady solution.
//!
//! A given force enters as momentum and as its work. The force that holds a mass flow is found with the solution: at
//! every check it becomes the drag of the walls per volume, times the ratio of the bulk velocity that is asked for to
//! the present one, between 1/2 and 2. That ratio makes the force converge where the steps between two checks are so
//! long that the drag follows the force: a drag that grows with a power n of the velocity leaves 1 - 1/n of the gap.
//! The velocity is shifted at the same time, as a force that acts at once would do it, which closes the gap where these
//! steps are short. The drag and the bulk velocity are those that are asked for when nothing changes any more.
//!
//! In a domain without openings nothing but the initial state says how much gas is there, and local steps do not keep
//! its mass. The density is scaled to it at every check.

use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::handover::Values;
use super::start;
use crate::physics::{Forcing, MassFlow};
use crate::ranks::{ExactSum, Ranks};
use crate::vector::{Vector, dot};

/// Limits of the change of the force from check to check, beside that of the drag.
const CHANGE: [f64; 2] = [0.5, 2.0];

/// The volume force on a rank's vertices.
pub struct VolumeForce {
    /// The given force per volume at the owned vertices; empty without one.
    given: Vec<Vector>,
    /// Its sum over the domain.
    given_sum: Vector,
    /// The mass flow that is held.
    mass_flow: Option<MassFlow>,
    /// Whether a wall holds the velocity, `[owned vertex]`.
    on_wall: Vec<bool>,
    /// Volume of the domain.
    volume: f64,
    /// Whether gas neither enters nor leaves.
    closed: bool,
}

/// What changes from check to check.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Held {
    /// The force per volume that holds the mass flow.
    pub force: f64,
    /// The mass of the gas in the domain.
    pub mass: f64,
}

impl VolumeForce {
    /// Evaluates the force of a case; `None` if it has none. Collective.
    pub fn new(forcing: &Forcing, dual: &DualMesh, boundaries: &[BoundaryList], ranks: &Ranks) -> Option<Self> {
        if forcing.force.is_none() && forcing.mass_flow.is_none() {
            return None;
        }
        let at = |&x: &Vector| forcing.force.as_ref().map(|f| [0, 1, 2].map(|d| f[d].eval(x, 0.0)));
        let given: Vec<Vector> = dual.position[..dual.owned].iter().filter_map(at).collect();
        let mut on_wall = vec![false; dual.owned];
        for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
            boundary
                .vertex
                .iter()
                .for_each(|&vertex| on_wall[vertex as usize] = true);
        }
        let mut sums = [(); 4].map(|()| ExactSum::default());
        for vertex in 0..dual.owned {
            sums[3].add(dual.volume[vertex]);
            for (d, sum) in sums[..3].iter_mut().enumerate() {
                sum.add(given.get(vertex).map_or(0.0, |f| f[d] * dual.volume[vertex]));
            }
        }
        let [x, y, z, volume] = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
        Some(VolumeForce {
            given,
            given_sum: [x, y, z],
            mass_flow: forcing.mass_flow,
            on_wall,
            volume,
            closed: boundaries.iter().all(BoundaryList::is_wall),
        })
    }

    /// Returns what enters the dual cells of the owned vertices per time.
    pub fn sources(&self, dual: &DualMesh, state: &[Values], held: Held) -> Vec<Values> {
        let source = |vertex: usize| {
            let mut force = self.given.get(vertex).copied().unwrap_or_default();
            if let Some(flow) = self.mass_flow {
                force[flow.direction] += held.force;
            }
            let [_, u, v, w, ..] = state[vertex];
            let [x, y, z] = force.map(|f| f * dual.volume[vertex]);
            [0.0, x, y, z, dot([u, v, w], [x, y, z]), 0.0, 0.0]
        };
        (0..dual.owned).map(source).collect()
    }

    /// Finds the next force, and brings the state of all local vertices to the bulk velocity and the mass that are
    /// held. `drag` is the force of the gas on the no-slip walls. Collective.
    pub fn adjust(&self, dual: &DualMesh, state: &mut [Values], drag: Vector, held: Held, ranks: &Ranks) -> Held {
        let direction = self.mass_flow.map_or(0, |flow| flow.direction);
        let mut sums = [(); 3].map(|()| ExactSum::default());
        for (vertex, value) in state[..dual.owned].iter().enumerate() {
            let mass = value[0] * dual.volume[vertex];
            sums[0].add(mass);
            sums[1].add(if self.on_wall[vertex] { 0.0 } else { mass });
            sums[2].add(mass * value[1 + direction]);
        }
        let [mass, free, momentum] = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
        let mut next = held;
        let density = if self.closed { held.mass / mass } else { 1.0 };
        let mut shift = 0.0;
        if let Some(MassFlow { bulk_velocity, .. }) = self.mass_flow {
            let bulk = momentum / mass;
            let change = (bulk_velocity / bulk).clamp(CHANGE[0], CHANGE[1]);
            next.force = (change * drag[direction] - self.given_sum[direction]) / self.volume;
            shift = (bulk_velocity * mass - momentum) / free;
        }
        for (value, on_wall) in state.iter_mut().zip(&self.on_wall) {
            value[0] *= density;
            value[1 + direction] += if *on_wall { 0.0 } else { shift };
        }
        start::share(dual, state, ranks);
        next
    }
}

impl Held {
    /// Returns the state before the first check: no force, and the mass of the initial state. Collective.
    pub fn initial(dual: &DualMesh, state: &[Values], ranks: &Ranks) -> Self {
        let mut mass = ExactSum::default();
        let of_vertex = state.iter().zip(&dual.volume[..dual.owned]);
        of_vertex.for_each(|(value, volume)| mass.add(value[0] * volume));
        let [mass] = ExactSum::allreduce(ranks, [mass]).map(ExactSum::value);
        Held { force: 0.0, mass }
    }
}
