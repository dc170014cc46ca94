//! The state at places of the domain, wherever their cells are: which rank has each, samples on the device, and their way to
//! rank 0.
//!
//! A GPU keeps its samples and hands over many at a time, so that no step waits for them; a CPU hands over each at once. Values
//! and their order depend on the places alone, not on how the ranks share them.

use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::observer::Moment;
use super::{Clock, RunError, Solver};
use crate::device::SamplePoint;
use crate::element::{ElementKind, Elements, lagrange_matrix};
use crate::geometry::{Found, Locator, extent};
use crate::monitor::Primitives;
use crate::ranks::Ranks;

/// Samples that a GPU keeps at most, and bytes of them.
const MOST_KEPT: usize = 64;
const MOST_BYTES: usize = 64 << 20;
/// Steps between two samples above which a GPU need not keep any: the run looks at the state more often than that.
const RARE: u64 = 10;

/// Samples of a set of places.
pub(super) struct Sampler {
    /// The rank that has each place.
    owners: Vec<usize>,
    /// Those of this rank.
    mine: Vec<SamplePoint>,
    /// Number of the set on the device, once it knows of it.
    set: Option<usize>,
    room: usize,
    /// Step and time of the samples that the device holds.
    kept: Vec<(u64, f64)>,
    last: Option<u64>,
}

/// Samples that have come to rank 0.
pub(super) struct Samples {
    /// Step and time of each.
    pub moments: Vec<(u64, f64)>,
    /// Values, [sample][place]; none on other ranks.
    pub values: Vec<Primitives>,
}

impl Sampler {
    /// Finds the cells of the places; `key` names the key of the case that place `number` is from. Collective.
    pub fn new(solver: &Solver, places: &[[f64; 3]], key: impl Fn(usize) -> String) -> Result<Self, RunError> {
        let (mesh, ranks, order) = (&solver.mesh, &solver.ranks, solver.elements.order);
        let found = Locator::new(mesh, &solver.geometry, order).find(places);
        let mut cells: Vec<u64> = found
            .iter()
            .map(|f| f.map_or(u64::MAX, |f| mesh.global(f.cell) as u64))
            .collect();
        ranks.least(&mut cells);
        if let Some(number) = cells.iter().position(|&cell| cell == u64::MAX) {
            return Err(RunError::Place {
                key: key(number),
                what: outside(solver, places[number]),
            });
        }
        let here = |number: usize| found[number].filter(|f| mesh.global(f.cell) as u64 == cells[number]);
        let mut owners: Vec<u64> = (0..places.len())
            .map(|number| here(number).map_or(u64::MAX, |_| ranks.rank() as u64))
            .collect();
        ranks.least(&mut owners);
        let mine = (0..places.len()).filter_map(here);
        let mut gpus = [f64::from(u8::from(solver.device.is_gpu()))];
        ranks.greatest(&mut gpus);
        let kept = (MOST_BYTES / (40 * places.len()).max(1)).clamp(1, MOST_KEPT);
        Ok(Sampler {
            mine: mine
                .map(|f| sample_point(&solver.elements, mesh.kinds[f.cell], f))
                .collect(),
            owners: owners.into_iter().map(|rank| rank as usize).collect(),
            set: None,
            room: if gpus[0] > 0.0 { kept } else { 1 },
            kept: Vec::new(),
            last: None,
        })
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Samples the present state; whether it is time to fetch what has gathered, on all ranks alike.
    pub fn take(&mut self, solver: &mut Solver, clock: &Clock) -> Result<bool, RunError> {
        let device = solver.device.as_mut();
        let set = match self.set {
            Some(set) => set,
            None => *self
                .set
                .insert(device.plan_samples(&std::mem::take(&mut self.mine), self.room)?),
        };
        device.sample(set)?;
        self.kept.push((clock.step, clock.time));
        let rare = self.last.is_some_and(|last| clock.step - last >= RARE);
        self.last = Some(clock.step);
        Ok(rare || self.kept.len() == self.room)
    }

    /// Brings the samples since the last call to rank 0. Collective.
    pub fn fetch(&mut self, moment: &mut Moment) -> Result<Samples, RunError> {
        let moments = std::mem::take(&mut self.kept);
        let Some(set) = self.set.filter(|_| !moments.is_empty()) else {
            return Ok(Samples {
                moments,
                values: Vec::new(),
            });
        };
        let here = moment.solver.device.samples(set)?;
        let ranks = &moment.solver.ranks;
        let mut places = vec![0; ranks.size()];
        let rows: Vec<usize> = self
            .owners
            .iter()
            .map(|&rank| {
                places[rank] += 1;
                places[rank] - 1
            })
            .collect();
        let Some(all) = gathered(moment.world, ranks, &here, &places, moments.len()) else {
            return Ok(Samples {
                moments,
                values: Vec::new(),
            });
        };
        let gas = &moment.case.gas;
        let value = |sample: usize, place: usize| {
            let rank = self.owners[place];
            let at = 5 * (sample * places[rank] + rows[place]);
            gas.primitive(std::array::from_fn(|v| all[rank][at + v]))
        };
        let values = (0..moments.len()).flat_map(|sample| (0..self.len()).map(move |place| (sample, place)));
        Ok(Samples {
            values: values.map(|(sample, place)| value(sample, place)).collect(),
            moments,
        })
    }
}

/// What the ranks have, rank by rank, on rank 0; `None` on others. Collective.
fn gathered(
    world: &SimpleCommunicator,
    ranks: &Ranks,
    here: &[f64],
    places: &[usize],
    samples: usize,
) -> Option<Vec<Vec<f64>>> {
    if ranks.size() == 1 {
        return Some(vec![here.to_vec()]);
    }
    let root = world.process_at_rank(0);
    if world.rank() > 0 {
        root.gather_varcount_into(here);
        return None;
    }
    // Rooms are such that 32 bits can count the values.
    let counts: Vec<i32> = places.iter().map(|&n| (5 * n * samples) as i32).collect();
    let begins: Vec<i32> = counts
        .iter()
        .scan(0, |sum, &count| Some(std::mem::replace(sum, *sum + count)))
        .collect();
    let mut all = vec![0.0; counts.iter().map(|&count| count as usize).sum()];
    root.gather_varcount_into_root(here, &mut PartitionMut::new(&mut all[..], &counts[..], &begins[..]));
    let mut rest = &all[..];
    let split = counts.iter().map(|&count| {
        let (one, others) = rest.split_at(count as usize);
        rest = others;
        one.to_vec()
    });
    Some(split.collect())
}

/// A place with the values of its cell's Lagrange functions, as devices take them.
fn sample_point(elements: &Elements, kind: ElementKind, found: Found) -> SamplePoint {
    let line = |d: usize| lagrange_matrix(&elements.line.points, &[found.at[d]]);
    SamplePoint {
        cell: found.cell,
        weights: match kind {
            ElementKind::Hex => [line(0), line(1), line(2)].concat(),
            ElementKind::Prism => [elements.triangle.interpolation(&[[found.at[0], found.at[1]]]), line(2)].concat(),
            _ => elements.dense(kind).interpolation(&[found.at]),
        },
    }
}

/// Says that a point lies in no cell, and where the mesh is. Collective.
fn outside(solver: &Solver, x: [f64; 3]) -> String {
    let (mesh, geometry, ranks) = (&solver.mesh, &solver.geometry, &solver.ranks);
    let [mut low, mut high] = extent(&geometry.points);
    ranks.least(&mut low);
    ranks.greatest(&mut high);
    let distance = |y: &[f64; 3]| (0..3).map(|d| (x[d] - y[d]).powi(2)).sum::<f64>();
    let near = (0..geometry.points.len())
        .map(|point| (distance(&geometry.points[point]), point))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = [near.map_or(f64::INFINITY, |(distance, _)| distance)];
    ranks.least(&mut least);
    let near = near.filter(|(distance, _)| *distance == least[0]);
    let cell = |point: usize| mesh.global(geometry.cell_of_point(point)) as u64;
    let mut first = [near.map_or(u64::MAX, |(_, point)| cell(point))];
    ranks.least(&mut first);
    let near = near.filter(|(_, point)| cell(*point) == first[0]);
    let mut at = near.map_or([f64::INFINITY; 3], |(_, point)| geometry.points[point]);
    ranks.least(&mut at);
    let show = |[x, y, z]: [f64; 3]| format!("({x}, {y}, {z})");
    format!(
        "the point {} lies in no cell: the mesh reaches from {} to {}, and its nearest solution point is {} of cell {}",
        show(x),
        show(low),
        show(high),
        show(at),
        first[0]
    )
}
