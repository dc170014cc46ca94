//! Samples of the state at points of the domain: the rank that owns each point, the samples on the device, and their
//! transfer to rank 0.
//!
//! A GPU keeps its samples and returns many at a time, so that no step waits for them. A CPU returns each one at once.
//! Samples that have arrived wait for [`Output::digest`](super::interface::Output::digest). Values and their order
//! depend on the points alone, not on the division of the mesh among ranks.

use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use rayon::prelude::*;

use super::error::OutputError;
use super::fields::Primitives;
use super::interface::SampleContext;
use crate::device::contract::SCALARS;
use crate::device::{SamplePoint, Sampled};
use crate::element::{ElementKind, Elements, lagrange_matrix};
use crate::format::number;
use crate::geometry::{Found, Locator, extent};
use crate::ranks::Ranks;
use crate::solver::{Clock, Solver};

/// Samples that a GPU keeps at most, and bytes of them.
const MOST_KEPT: usize = 64;
const MOST_BYTES: usize = 64 << 20;
/// Steps between two samples above which a GPU need not keep any: the run reads the state more often than that.
const RARE: u64 = 10;

/// Samples the state at a set of points, and the passive scalars where that is asked for.
pub struct Sampler {
    /// The rank that owns each point.
    owners: Vec<usize>,
    /// The points of this rank.
    mine: Vec<SamplePoint>,
    /// What is sampled.
    of: Vec<Sampled>,
    /// Indices on the device of the sets of what is sampled, once they are registered there.
    sets: Vec<usize>,
    /// Number of samples for which the device has room.
    room: usize,
    /// Step and time of the samples that the device holds.
    kept: Vec<(u64, f64)>,
    /// Step and time of the samples that have arrived, and the values of each set at the points of this rank.
    arrived: (Vec<(u64, f64)>, Vec<Vec<f64>>),
    /// Step of the last sample.
    last: Option<u64>,
}

/// Samples that have arrived at rank 0.
pub struct Samples {
    /// Step and time of each.
    pub times: Vec<(u64, f64)>,
    /// Values, `[sample][point]`; empty on other ranks.
    pub values: Vec<Primitives>,
    /// Passive scalars, `[sample][point]`, each in the order of the case and 0 beyond; empty if they are not sampled.
    pub scalars: Vec<[f64; SCALARS]>,
}

impl Sampler {
    /// Finds the cells of the points. `key` returns the key of the case that gives point `number`. Collective.
    ///
    /// # Errors
    /// A point lies in no cell.
    pub fn new(solver: &Solver, points: &[[f64; 3]], key: impl Fn(usize) -> String) -> Result<Self, OutputError> {
        let mesh = &solver.mesh;
        let ranks = &solver.ranks;
        let order = solver.elements.order;
        let found = Locator::new(mesh, &solver.geometry, order).find(points);
        let mut cells: Vec<u64> = found
            .iter()
            .map(|f| f.map_or(u64::MAX, |f| mesh.global(f.cell) as u64))
            .collect();
        ranks.allreduce_min(&mut cells);
        if let Some(number) = cells.iter().position(|&cell| cell == u64::MAX) {
            return Err(OutputError::Refused {
                key: key(number),
                what: outside(solver, points[number]),
            });
        }
        let here = |number: usize| found[number].filter(|f| mesh.global(f.cell) as u64 == cells[number]);
        let mut owners: Vec<u64> = (0..points.len())
            .map(|number| here(number).map_or(u64::MAX, |_| ranks.rank() as u64))
            .collect();
        ranks.allreduce_min(&mut owners);
        let mine = (0..points.len()).filter_map(here);
        let mut gpus = [f64::from(u8::from(solver.device.is_gpu()))];
        ranks.allreduce_max(&mut gpus);
        let kept = (MOST_BYTES / (40 * points.len()).max(1)).clamp(1, MOST_KEPT);
        Ok(Sampler {
            mine: mine
                .map(|f| sample_point(&solver.elements, mesh.kinds[f.cell], f))
                .collect(),
            owners: owners.into_iter().map(|rank| rank as usize).collect(),
            of: vec![Sampled::State],
            sets: Vec::new(),
            room: if gpus[0] > 0.0 { kept } else { 1 },
            kept: Vec::new(),
            arrived: Default::default(),
            last: None,
        })
    }

    /// Samples the passive scalars of the case as well.
    pub fn with_scalars(mut self, solver: &Solver) -> Self {
        if solver.scalar_names().next().is_some() {
            self.of.push(Sampled::Scalars);
        }
        self
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Samples the present state. The samples arrive if the device has no room for another, or keeps none.
    pub fn take(&mut self, solver: &mut Solver, clock: &Clock) -> Result<(), OutputError> {
        let device = solver.device.as_mut();
        if self.sets.is_empty() {
            let points = std::mem::take(&mut self.mine);
            for &of in &self.of {
                self.sets.push(device.plan_samples(of, &points, self.room)?);
            }
        }
        for &set in &self.sets {
            device.sample(set)?;
        }
        self.kept.push((clock.step, clock.time));
        let rare = self.last.is_some_and(|last| clock.step - last >= RARE);
        self.last = Some(clock.step);
        if rare || self.kept.len() == self.room {
            self.fetch(solver)?;
        }
        Ok(())
    }

    /// Lets the samples arrive that the device holds.
    pub fn fetch(&mut self, solver: &mut Solver) -> Result<(), OutputError> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let (times, values) = &mut self.arrived;
        times.append(&mut self.kept);
        values.resize(self.sets.len(), Vec::new());
        for (values, &set) in values.iter_mut().zip(&self.sets) {
            values.append(&mut solver.device.samples(set)?);
        }
        Ok(())
    }

    /// Moves the samples that have arrived since the last call to rank 0. Returns `None`, on all ranks, if there are
    /// none. Collective.
    pub fn arrived(&mut self, context: &SampleContext) -> Option<Samples> {
        let (times, here) = std::mem::take(&mut self.arrived);
        if times.is_empty() {
            return None;
        }
        let ranks = &context.solver.ranks;
        let mut counts = vec![0; ranks.size()];
        let rows: Vec<usize> = self
            .owners
            .iter()
            .map(|&rank| {
                counts[rank] += 1;
                counts[rank] - 1
            })
            .collect();
        let gas = &context.solver.gas;
        let points = self.len();
        let mut samples = Samples {
            times,
            values: Vec::new(),
            scalars: Vec::new(),
        };
        for (of, here) in self.of.iter().zip(&here) {
            let Some(all) = gathered(context.world, ranks, here, &counts, samples.times.len()) else {
                continue;
            };
            let at = |number: usize| -> [f64; 5] {
                let (sample, point) = (number / points, number % points);
                let rank = self.owners[point];
                let first = 5 * (sample * counts[rank] + rows[point]);
                std::array::from_fn(|v| all[rank][first + v])
            };
            let numbers = (0..samples.times.len() * points).into_par_iter();
            match of {
                Sampled::State => samples.values = numbers.map(|number| gas.primitive(at(number))).collect(),
                Sampled::Scalars => {
                    let values = |[a, b, c, d, rho]: [f64; 5]| [a, b, c, d].map(|rho_c| rho_c / rho);
                    samples.scalars = numbers.map(|number| values(at(number))).collect();
                }
            }
        }
        Some(samples)
    }
}

/// Returns the values of all ranks, rank by rank, on rank 0; `None` on others. `points` is the number of points of each
/// rank. Collective.
fn gathered(
    world: &SimpleCommunicator,
    ranks: &Ranks,
    here: &[f64],
    points: &[usize],
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
    // The number of samples is limited so that 32 bits can count the values.
    let counts: Vec<i32> = points.iter().map(|&n| (5 * n * samples) as i32).collect();
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

/// Returns a point with the values of its cell's Lagrange functions, as devices expect it.
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

/// Returns the error for a point that lies in no cell, with the extent of the mesh. Collective.
fn outside(solver: &Solver, x: [f64; 3]) -> String {
    let mesh = &solver.mesh;
    let geometry = &solver.geometry;
    let ranks = &solver.ranks;
    let [mut low, mut high] = extent(&geometry.points);
    ranks.allreduce_min(&mut low);
    ranks.allreduce_max(&mut high);
    let distance = |y: &[f64; 3]| (0..3).map(|d| (x[d] - y[d]).powi(2)).sum::<f64>();
    let near = (0..geometry.points.len())
        .map(|point| (distance(&geometry.points[point]), point))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = [near.map_or(f64::INFINITY, |(distance, _)| distance)];
    ranks.allreduce_min(&mut least);
    let near = near.filter(|(distance, _)| *distance == least[0]);
    let cell = |point: usize| mesh.global(geometry.cell_of_point(point)) as u64;
    let mut first = [near.map_or(u64::MAX, |(_, point)| cell(point))];
    ranks.allreduce_min(&mut first);
    let near = near.filter(|(_, point)| cell(*point) == first[0]);
    let mut at = near.map_or([f64::INFINITY; 3], |(_, point)| geometry.points[point]);
    ranks.allreduce_min(&mut at);
    let show = |x: [f64; 3]| format!("({})", x.map(number).join(", "));
    format!(
        "the point {} lies in no cell: the mesh reaches from {} to {}, and its nearest solution point is {} of cell {}",
        show(x),
        show(low),
        show(high),
        show(at),
        first[0]
    )
}
