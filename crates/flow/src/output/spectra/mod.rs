//! Spectra and two-point correlations along a periodic direction of the domain, at given heights.
//!
//! The state is sampled on lines of equidistant points, as many as the solution has across the domain. The lines are
//! spread over the other periodic direction. All samples have the same weight. The tables are written with each
//! checkpoint and at the end of a run; checkpoints hold the sums.

mod spectrum;

use std::f64::consts::TAU;
use std::path::PathBuf;
use std::sync::Arc;

use mpi::traits::Communicator;

use super::error::OutputError;
use super::interface::{Output, SampleContext};
use super::keys::{Context, Keys};
use super::request::{Request, Setup};
use super::sampler::Sampler;
use super::schedule::Schedule;
use crate::element::ElementKind;
use crate::geometry::extent;
use crate::input::{AXES, Axis, Count, Every, Number, Problem, keys, not_negative};
use crate::io::{CheckpointData, Provenance, agree, write_table};
use crate::mesh::Side;
use crate::ranks::ExactSum;
use crate::solver::Solver;
use spectrum::{QUANTITIES, Spectrum};

/// Largest number of lines of a height. They count as samples beside those in time.
const MOST_LINES: usize = 32;
/// Largest number of points of a line.
const MOST_POINTS: f64 = 65_536.0;
/// Names of the tables, and of the sums in a checkpoint.
const SPECTRA: &str = "spectra";
const CORRELATIONS: &str = "correlations";

/// Spectra and two-point correlations that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectraRequest {
    /// Direction of the lines: 0, 1, 2.
    pub direction: usize,
    /// Heights of the lines, in units of length.
    pub at: Vec<f64>,
    /// Time from which on the state is sampled.
    pub from: f64,
    /// The period of the samples.
    pub every: Every,
}

keys! {
/// Spectra and correlations along lines; exactly one of `every` and `every-steps`.
SpectraKeys as "a mapping with the keys `direction`, `at` and `every` or `every-steps`" {
    /// Direction of the lines.
    pub direction: Axis,
    /// Heights (length) of the lines, in the direction in which the domain is not periodic. If it is periodic in all
    /// three, they are in y, or in z if the lines are along y.
    pub at: Vec<Number>,
    /// Time before which nothing is sampled.
    #[serde(default = "start")]
    pub from: Number,
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
}}

fn start() -> Number {
    0.0.into()
}

impl Keys for SpectraKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let scope = context.scope;
        let key = |i: usize| context.at(&format!("at[{i}]"));
        let heights = self.at.iter().enumerate();
        let at: Vec<f64> = heights
            .map(|(i, n)| scope.number(&key(i), n))
            .collect::<Result<_, _>>()?;
        if at.is_empty() {
            return Err(Problem::new("`at` names no height").key(context.at("at")));
        }
        if let Some(second) = (1..at.len()).find(|&i| at[..i].contains(&at[i])) {
            let what = format!("the height {} is there twice", at[second]);
            return Err(Problem::new(what).key(key(second)));
        }
        Ok(Arc::new(SpectraRequest {
            direction: self.direction.index(),
            at,
            from: scope.number_if(&context.at("from"), &self.from, not_negative, "at least 0")?,
            every: scope.every(&context.key, &self.every, &self.every_steps)?,
        }))
    }
}

impl Request for SpectraRequest {
    fn label(&self) -> String {
        SPECTRA.to_owned()
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(Spectra::new(setup, self)?)])
    }

    fn samples_from(&self) -> Option<f64> {
        Some(self.from)
    }
}

/// The sums of the spectra.
struct Spectra {
    request: SpectraRequest,
    /// Directory of the tables.
    directory: PathBuf,
    /// The direction of heights.
    normal: usize,
    /// Length of the domain along the lines.
    length: f64,
    points: usize,
    lines: usize,
    sampler: Sampler,
    schedule: Schedule,
    sums: Spectrum,
    /// Times of the first and the last sample.
    times: [f64; 2],
}

impl Spectra {
    /// Places the lines in the domain. Collective.
    fn new(setup: &Setup, request: &SpectraRequest) -> Result<Self, OutputError> {
        let solver = &*setup.solver;
        let along = request.direction;
        let [mut low, mut high] = extent(&solver.geometry.points);
        solver.ranks.allreduce_min(&mut low);
        solver.ranks.allreduce_max(&mut high);
        let across = other_directions(along, walls(solver, low, high))?;
        let counts = points_across(solver);
        let length = |d: usize| high[d] - low[d];
        let count = |d: usize| (counts[d] * length(d)).round().clamp(1.0, MOST_POINTS) as usize;
        let points = count(along).next_multiple_of(2);
        let lines = count(across.periodic).min(MOST_LINES);
        let at = |d: usize, i: usize, n: usize| low[d] + (i as f64 + 0.5) / n as f64 * length(d);
        let mut places = Vec::with_capacity(request.at.len() * points * lines);
        for &height in &request.at {
            for (line, point) in (0..lines).flat_map(|line| (0..points).map(move |point| (line, point))) {
                let mut x = [0.0; 3];
                x[along] = at(along, point, points);
                x[across.periodic] = at(across.periodic, line, lines);
                x[across.normal] = height;
                places.push(x);
            }
        }
        let key = |number: usize| format!("output.spectra.at[{}]", number / (points * lines));
        // In an annulus, a line at a valid height can still leave the domain.
        let through_all = |error: OutputError| match error {
            OutputError::Refused { key, what } => OutputError::Refused {
                key,
                what: format!(
                    "{what}; lines go along {} and are spread over {}, each from end to end of the mesh",
                    AXES[along], AXES[across.periodic]
                ),
            },
            other => other,
        };
        Ok(Spectra {
            sampler: Sampler::new(solver, &places, key).map_err(through_all)?,
            schedule: Schedule::new(Some(request.every), &setup.clock),
            sums: Spectrum::new(points, lines, request.at.len()),
            normal: across.normal,
            length: length(along),
            points,
            lines,
            times: [0.0; 2],
            request: request.clone(),
            directory: setup.directory.to_owned(),
        })
    }

    /// Returns the settings, besides the heights, under which stored sums can be continued.
    fn shape(&self) -> serde_json::Value {
        serde_json::json!({
            "direction": self.request.direction, "normal": self.normal, "points": self.points, "lines": self.lines,
            "from": format!("{}", self.request.from),
        })
    }

    /// Writes one of the two tables. `first` is the name of its second column. `rows` returns the values of all
    /// quantities at a height, quantity by quantity. `abscissa` returns the value of the second column.
    fn write_table(
        &self,
        provenance: &Provenance,
        name: &str,
        letter: &str,
        columns: &[(&str, &str)],
        abscissa: impl Fn(usize) -> Vec<f64>,
        values: impl Fn(usize, usize) -> Vec<f64>,
    ) -> Result<(), OutputError> {
        let path = self.directory.join(format!("{name}.csv"));
        let names = QUANTITIES.map(|(name, unit, _)| (format!("{letter}_{name}"), unit));
        let height = [(AXES[self.normal], "m")];
        let columns: Vec<(&str, &str)> = height
            .into_iter()
            .chain(columns.iter().copied())
            .chain(names.iter().map(|(name, unit)| (name.as_str(), *unit)))
            .collect();
        let mut rows = Vec::new();
        for (h, &height) in self.request.at.iter().enumerate() {
            let values: Vec<Vec<f64>> = (0..QUANTITIES.len()).map(|q| values(h, q)).collect();
            for i in 0..self.sums.modes() {
                rows.push(height);
                rows.extend(abscissa(i));
                rows.extend(values.iter().map(|values| values[i]));
            }
        }
        write_table(&path, &columns, &rows, &self.comments(name), provenance)?;
        Ok(())
    }

    fn comments(&self, name: &str) -> Vec<String> {
        let along = AXES[self.request.direction];
        let [from, to] = self.times;
        let about = match name {
            SPECTRA => {
                "power by wave number, one-sided: the sum over all modes of a height is the variance about the mean \
                 over lines and time; divided by 2 pi/L it is a density per wave number"
            }
            _ => {
                "covariances of two points at the distance r: divided by that at r = 0 they are correlation \
                 coefficients"
            }
        };
        vec![
            format!(
                "along {along}, L = {:?}: {} samples from t = {from:?} to {to:?}, every one counting alike, on {} \
                 lines of {} points",
                self.length, self.sums.samples, self.lines, self.points
            ),
            about.to_owned(),
        ]
    }
}

impl Output for Spectra {
    fn name(&self) -> &'static str {
        SPECTRA
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn accumulates(&self) -> bool {
        true
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        if context.clock.time < self.request.from {
            return Ok(());
        }
        self.sampler.take(context.solver, &context.clock)
    }

    fn flush(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.sampler.fetch(context.solver)?;
        self.digest(context)
    }

    fn digest(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let Some(samples) = self.sampler.arrived(context) else {
            return Ok(());
        };
        if let (Some((_, first)), Some((_, last))) = (samples.times.first(), samples.times.last()) {
            self.times = [if self.sums.samples == 0 { *first } else { self.times[0] }, *last];
        }
        match context.world.rank() {
            0 => samples
                .values
                .chunks(self.sampler.len())
                .for_each(|sample| self.sums.add(sample)),
            // The other ranks only count the samples.
            _ => self.sums.samples += samples.times.len() as u64,
        }
        Ok(())
    }

    fn write(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.flush(context)?;
        if self.sums.samples == 0 {
            context.warn_if_empty(SPECTRA, self.request.from);
            return Ok(());
        }
        let written = match context.world.rank() {
            0 => self.write_tables(context.provenance),
            _ => Ok(()),
        };
        agree(context.world, written)?;
        let path = |name: &str| self.directory.join(format!("{name}.csv"));
        context.wrote([SPECTRA, CORRELATIONS].map(path).into());
        Ok(())
    }

    fn save(&mut self, _: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        let section = &mut data.section;
        section.parts.insert(SPECTRA.to_owned(), self.shape());
        let counts = vec![self.sums.samples as f64, self.times[0], self.times[1]];
        for (name, values) in [
            ("at", self.request.at.clone()),
            ("counts", counts),
            ("power", self.sums.power.clone()),
            ("mean", self.sums.mean.clone()),
        ] {
            section.arrays.insert(format!("{SPECTRA}.{name}"), values);
        }
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        let array = |name: &str| data.section.arrays.get(&format!("{SPECTRA}.{name}"));
        let same = data.section.parts.get(SPECTRA) == Some(&self.shape()) && array("at") == Some(&self.request.at);
        let (true, Some(counts), Some(power), Some(mean)) = (same, array("counts"), array("power"), array("mean"))
        else {
            let others = array("counts")
                .and_then(|counts| counts.first())
                .filter(|&&samples| samples > 0.0);
            if let Some(samples) = others.filter(|_| context.solver.ranks.rank() == 0) {
                tracing::warn!(
                    "output.spectra begins anew: the {samples} samples of the checkpoint are of another direction, \
                     other heights, another order or another `from`"
                );
            }
            return Ok(others.is_some());
        };
        let &[samples, first, last] = &counts[..] else {
            return Ok(false);
        };
        if (power.len(), mean.len()) != (self.sums.power.len(), self.sums.mean.len()) {
            return Ok(false);
        }
        (self.sums.samples, self.times) = (samples as u64, [first, last]);
        self.sums.power.clone_from(power);
        self.sums.mean.clone_from(mean);
        Ok(true)
    }
}

impl Spectra {
    fn write_tables(&self, provenance: &Provenance) -> Result<(), OutputError> {
        let mode = |m: usize| vec![m as f64, m as f64 * TAU / self.length];
        let distance = |j: usize| vec![j as f64 * self.length / self.points as f64];
        let spectrum = |height: usize, quantity: usize| self.sums.spectrum(height, quantity);
        let correlation = |height: usize, quantity: usize| self.sums.correlation(&spectrum(height, quantity));
        self.write_table(provenance, SPECTRA, "E", &[("mode", "-"), ("k", "1/m")], mode, spectrum)?;
        self.write_table(provenance, CORRELATIONS, "R", &[("r", "m")], distance, correlation)
    }
}

/// The two directions perpendicular to the lines.
struct Across {
    /// The direction of the heights.
    normal: usize,
    /// The direction over which the lines are spread.
    periodic: usize,
}

/// Assigns the two directions, given the directions in which the domain ends at boundaries.
fn other_directions(along: usize, walls: [bool; 3]) -> Result<Across, OutputError> {
    let refuse = |what: String| {
        let key = "output.spectra.direction".to_owned();
        Err(OutputError::Refused { key, what })
    };
    if walls[along] {
        return refuse(format!(
            "the domain has boundaries at its ends in {}: spectra are taken along a direction in which it is periodic",
            AXES[along]
        ));
    }
    let [low, high] = [(along + 1) % 3, (along + 2) % 3];
    let normal = match (walls[low], walls[high]) {
        (true, true) => {
            return refuse(format!(
                "the domain is periodic in {} alone: spectra need a second direction in which it is, to spread \
                 lines over",
                AXES[along]
            ));
        }
        (true, false) => low,
        (false, true) => high,
        (false, false) if along == 1 => 2,
        (false, false) => 1,
    };
    Ok(Across {
        normal,
        periodic: 3 - along - normal,
    })
}

/// Returns the directions in which the domain ends at boundaries. Collective.
fn walls(solver: &Solver, low: [f64; 3], high: [f64; 3]) -> [bool; 3] {
    let mesh = &solver.mesh;
    let geometry = &solver.geometry;
    let mut found = [0.0; 3];
    for cell in 0..mesh.len() {
        let sides = mesh.cell_sides(cell).iter().enumerate();
        for (face, _) in sides.filter(|(_, side)| matches!(side, Side::Boundary(_))) {
            let points = mesh.kinds[cell].face_indices(face, solver.elements.order);
            let positions = geometry.cell_positions(cell);
            for d in 0..3 {
                let near = |x: f64, end: f64| (x - end).abs() <= 1e-6 * (high[d] - low[d]);
                let at = |end: f64| points.iter().all(|&p| near(positions[p][d], end));
                if at(low[d]) || at(high[d]) {
                    found[d] = 1.0;
                }
            }
        }
    }
    solver.ranks.allreduce_max(&mut found);
    found.map(|f| f > 0.0)
}

/// Returns the solution points per length in each direction, as a mean over the volume: p + 1 for every cell crossed.
/// Collective.
fn points_across(solver: &Solver) -> [f64; 3] {
    let mesh = &solver.mesh;
    let geometry = &solver.geometry;
    let weights = ElementKind::ALL.map(|kind| {
        if mesh.kinds.contains(&kind) {
            solver.elements.weights(kind)
        } else {
            Vec::new()
        }
    });
    let mut terms: [Vec<f64>; 3] = Default::default();
    for cell in 0..mesh.len() {
        let volume = geometry.cell_volume(cell, &weights[mesh.kinds[cell] as usize]);
        let [low, high] = extent(geometry.cell_positions(cell));
        (0..3).for_each(|d| terms[d].push(volume / (high[d] - low[d])));
    }
    let points = (solver.elements.order + 1) as f64 / geometry.volume;
    let terms = terms.map(|terms| terms.into_iter().collect::<ExactSum>());
    ExactSum::allreduce(&solver.ranks, terms).map(|sum| sum.value() * points)
}
