//! Traverses: means over time and span on a pitch line behind a cascade, the mixed-out state, and the losses.
//!
//! The state is sampled on a plane x = const, at equidistant points over a pitch in y and lines over the span. `means`
//! has the quantities that are averaged over time and span, `analysis` what follows from them, and each result has a
//! statistical error. If the inlet is a plane of the flow, the same samples include it: the results then refer to means
//! over the same time, and their errors know how the fluctuations of both planes go together. Means at equal
//! phases of a periodic event are those of `phase_means`.
//!
//! The weight of a sample is the time since the sample before it; that of the first is the time since `from`, or since
//! the start of the run if that is later. Rank 0 has the means. Sums, and thereby the files, do not depend on the
//! number of ranks or on restarts.

mod analysis;
mod files;
mod keys;
pub(super) mod loss;
pub(super) mod means;
pub(super) mod mixed_out;
mod scalars;
mod section;

use std::path::PathBuf;

use mpi::traits::Communicator;
use rayon::prelude::*;

use super::batch_means::BatchMeans;
use super::error::OutputError;
use super::estimate::{Estimate, columns_with_errors, values_with_errors};
use super::fields::Primitives;
use super::interface::{Columns, Output, SampleContext};
use super::other_names::other_names;
use super::phase_means::PhaseMeans;
use super::request::{Phases, Request, Setup};
use super::results::NamedResult;
use super::sampler::{Sampler, Samples};
use super::schedule::Schedule;
use crate::format::number;
use crate::input::Every;
use crate::io::{CheckpointData, agree};
use crate::solver::Solver;
use crate::vector::{Vector, minus};
use analysis::{Analysis, Inlet};
use files::Tables;
use keys::TraverseRequest;
pub(super) use keys::{Frame, TraverseKeys};
use means::QUANTITIES;
use scalars::{ScalarMeans, twice};
use section::Section;

/// Results that the log names.
const LOGGED: [&str; 3] = ["omega", "zeta", "angle_mixed"];

/// A traverse that is being sampled.
struct Traverse {
    request: TraverseRequest,
    /// Name of the files and of the entries in checkpoints.
    name: String,
    directory: PathBuf,
    analysis: Analysis,
    section: Section,
    /// Position of each plane.
    x: Vec<f64>,
    /// Ordinates of the points.
    y: Vec<f64>,
    /// Velocity of the cells at each point, seen from the frame of the traverse; empty where all are at rest in it.
    moving: Vec<Vector>,
    sampler: Sampler,
    schedule: Schedule,
    /// Means of the quantities, `[plane][point][quantity]`, on rank 0.
    means: BatchMeans,
    /// Means at phases on the plane behind, on rank 0, if they are asked for.
    phases: Option<PhaseMeans>,
    /// Means of the passive scalars, on rank 0, if the case has any.
    scalars: Option<ScalarMeans>,
    /// Number of samples, on all ranks.
    samples: u64,
}

impl Traverse {
    /// Places the points in the mesh. Collective.
    fn new(setup: &Setup, request: &TraverseRequest) -> Result<Self, OutputError> {
        let solver = &*setup.solver;
        let key = format!("output.traverses.{}", request.name);
        if let Some(motion) = solver.motions.turning() {
            return Err(OutputError::Refused {
                key,
                what: format!(
                    "the blocks at the interface {} to {} turn past each other, and traverses are of linear rows: \
                     `output.annuli` has those of annular rows",
                    motion.names[0], motion.names[1]
                ),
            });
        }
        let section = Section::new(solver, &key)?;
        let [count, lines] = request.counts;
        let y = section.ordinates(request.y, count);
        let x: Vec<f64> = match request.inlet {
            Inlet::Plane(inlet) => vec![request.x, inlet],
            _ => vec![request.x],
        };
        for (&at, name) in x.iter().zip(["x", "inlet-x"]) {
            if let Some(motion) = solver.motions.in_plane(0, at) {
                return Err(OutputError::Refused {
                    key: format!("{key}.{name}"),
                    what: format!(
                        "the plane is that of the interface {} to {}, whose blocks move past each other: place it \
                         before or behind it",
                        motion.names[0], motion.names[1]
                    ),
                });
            }
        }
        let points: Vec<[f64; 3]> = x.iter().flat_map(|&x| section.points(solver, x, &y, lines)).collect();
        let of = |number: usize| format!("{key}.{}", ["x", "inlet-x"][number / (count * lines)]);
        let motions = &solver.motions;
        let frame = match request.frame {
            Frame::Block => motions.velocity(points[0], points[0]),
            Frame::First => [0.0; 3],
        };
        let moving: Vec<Vector> = points.iter().map(|&x| minus(motions.velocity(x, x), frame)).collect();
        let at_rest = moving.iter().all(|velocity| *velocity == [0.0; 3]);
        let phase = setup.sampled.phases(request.phase);
        let analysis = Analysis {
            gas: solver.gas,
            area: section.pitch * section.span,
            inlet: request.inlet,
            pressure: request.pressure,
        };
        let names: Vec<String> = solver.scalar_names().map(str::to_owned).collect();
        let from = request.from.max(setup.clock.time);
        let traverse = Traverse {
            moving: if at_rest { Vec::new() } else { moving },
            name: format!("traverse_{}", request.name),
            directory: setup.directory.to_owned(),
            analysis,
            sampler: Sampler::new(solver, &points, of)?.with_scalars(solver),
            schedule: Schedule::after(Some(request.every), request.from, &setup.clock),
            scalars: ScalarMeans::new(names, x.len(), count, from),
            means: BatchMeans::new(x.len() * count * QUANTITIES, from),
            phases: phase.map(|phases| PhaseMeans::new(phases, count * QUANTITIES)),
            samples: 0,
            request: TraverseRequest {
                phase,
                ..request.clone()
            },
            section,
            x,
            y,
        };
        match traverse.name_of_two() {
            Some(name) => Err(OutputError::Refused {
                key,
                what: format!(
                    "traverses would have two columns or results `{name}`: call the passive scalar otherwise"
                ),
            }),
            None => Ok(traverse),
        }
    }

    /// Returns a name that two columns of a table or two results would have, which passive scalars may bring about.
    fn name_of_two(&self) -> Option<String> {
        let scalars = self.scalars.iter().flat_map(ScalarMeans::names);
        let columns = self.analysis.columns(0);
        let columns = columns.iter().copied().chain(scalars.map(|name| (name.as_str(), "-")));
        let of_table = columns_with_errors([("y", "m")], columns);
        let results = self.names();
        let results = results.iter().map(|(name, unit)| (name.as_str(), *unit));
        let of_history = columns_with_errors([("time", "s"), ("samples", "-")], results);
        [of_table, of_history]
            .into_iter()
            .find_map(|columns| twice(columns.into_iter().map(|(name, _)| name)))
    }

    /// Returns the settings under which stored sums can be continued.
    fn shape(&self) -> serde_json::Value {
        let numbers = [&self.x[..], &[self.request.y, self.request.from]].concat();
        let numbers: Vec<String> = numbers.iter().map(|x| format!("{x:?}")).collect();
        let phase = self.request.phase.map(|phases| format!("{phases:?}"));
        let mut shape = serde_json::json!({"at": numbers, "counts": self.request.counts, "phase": phase});
        if let Some(scalars) = &self.scalars {
            shape["scalars"] = serde_json::json!(scalars.names());
        }
        shape
    }

    /// Returns names and units of the results.
    fn names(&self) -> Vec<(String, &'static str)> {
        let scalars = self.scalars.iter().flat_map(ScalarMeans::results);
        self.analysis.inlet.results().into_iter().chain(scalars).collect()
    }

    /// Adds the velocities of the cells in the frame of the traverse to those that the cells see, `[sample][point]`.
    fn see_from_frame(&self, values: &mut [Primitives]) {
        for of_sample in values.chunks_mut(self.sampler.len()) {
            for ([_, u, v, w, ..], velocity) in of_sample.iter_mut().zip(&self.moving) {
                *u += velocity[0];
                *v += velocity[1];
                *w += velocity[2];
            }
        }
    }

    /// Adds samples, and returns the rows of the history: one for each batch that they complete.
    fn add(&mut self, samples: &Samples) -> Vec<f64> {
        let lines = self.request.counts[1];
        let gas = self.analysis.gas;
        let mut rows = Vec::new();
        let values = samples.values.chunks(self.sampler.len());
        let mut scalars = samples.scalars.chunks(self.sampler.len());
        for (&(_, time), values) in samples.times.iter().zip(values) {
            let mean = |line: &[_]| {
                let products: Vec<means::Row> = line.iter().map(|state| means::products(state, &gas)).collect();
                means::over_points(&products)
            };
            let row: Vec<f64> = values.par_chunks(lines).flat_map_iter(mean).collect();
            if let Some(phases) = &mut self.phases {
                let [_, before] = self.means.span();
                phases.add(time, time - before, &row[..self.y.len() * QUANTITIES]);
            }
            self.means.add(time, &row);
            if let (Some(means), Some(scalars)) = (&mut self.scalars, scalars.next()) {
                means.add(time, values, scalars, lines);
            }
            if self.means.completed_a_batch() {
                rows.extend([time, self.means.samples() as f64]);
                rows.extend(values_with_errors(&self.estimates()));
            }
        }
        rows
    }

    /// Returns the estimates of the results.
    fn estimates(&self) -> Vec<Estimate> {
        let scalars = self.scalars.iter().flat_map(ScalarMeans::estimates);
        self.estimates_of_flow(&self.means).into_iter().chain(scalars).collect()
    }

    /// Returns the estimates of the results of the flow from some of the samples.
    fn estimates_of_flow(&self, means: &BatchMeans) -> Vec<Estimate> {
        means.estimates(|means| self.analysis.evaluate(means))
    }

    fn tables(&self) -> Tables<'_> {
        Tables {
            directory: &self.directory,
            name: &self.name,
            analysis: &self.analysis,
            x: &self.x,
            y: &self.y,
            pitch: self.section.pitch,
            span: self.section.span,
            means: &self.means,
            phases: self.phases.as_ref(),
            scalars: self.scalars.as_ref(),
            names: self.names(),
        }
    }

    /// Returns the line of the log: the results that matter most, with their errors.
    fn in_words(&self, results: &[Estimate]) -> String {
        let names = self.names();
        let logged = names
            .iter()
            .zip(results)
            .filter(|((name, _), _)| LOGGED.contains(&name.as_str()));
        let words = logged.map(|((name, _), estimate)| format!("{name} {}", estimate.with_error(number)));
        let words: Vec<String> = words.collect();
        format!(
            "traverse {}: {} ({} samples)",
            self.request.name,
            words.join(", "),
            self.samples
        )
    }
}

impl Request for TraverseRequest {
    fn label(&self) -> String {
        format!("traverses {}", self.name)
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(Traverse::new(setup, self)?)])
    }

    fn fingerprints(&self) -> Vec<(String, String)> {
        let TraverseRequest {
            x,
            y,
            counts,
            inlet,
            pressure,
            phase,
            frame,
            ..
        } = self;
        let text = format!("{x:?} {y:?} {counts:?} {inlet:?} {pressure:?} {phase:?} {frame:?}");
        vec![(format!("output.traverses.{}", self.name), text)]
    }

    fn samples_from(&self) -> Option<f64> {
        Some(self.from)
    }

    fn phases(&self) -> Option<Phases> {
        self.phase
    }

    fn replaces_its_file(&self) -> bool {
        true
    }
}

impl Output for Traverse {
    fn name(&self) -> &'static str {
        "traverses"
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn accumulates(&self) -> bool {
        true
    }

    fn series(&self) -> Vec<(String, Columns)> {
        let results = self.names();
        let results = results.iter().map(|(name, unit)| (name.as_str(), *unit));
        let columns = columns_with_errors([("time", "s"), ("samples", "-")], results);
        vec![(format!("{}.history", self.name), columns)]
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.sampler.take(context.solver, &context.clock)
    }

    fn flush(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.sampler.fetch(context.solver)?;
        self.digest(context)
    }

    fn digest(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let Some(mut samples) = self.sampler.arrived(context) else {
            return Ok(());
        };
        self.see_from_frame(&mut samples.values);
        self.samples += samples.times.len() as u64;
        let rows = self.add(&samples);
        context.append(&format!("{}.history", self.name), &rows)
    }

    fn results(&self) -> Vec<String> {
        let of = |(name, _)| format!("traverses.{}.{name}", self.request.name);
        self.names().into_iter().map(of).collect()
    }

    fn result(&mut self, name: &str, context: &mut SampleContext) -> Result<Option<Estimate>, OutputError> {
        let Some(number) = self.results().iter().position(|known| known == name) else {
            return Ok(None);
        };
        self.flush(context)?;
        let of_scalars = self.scalars.as_ref().map_or(Some(Vec::new()), ScalarMeans::reliable);
        let reliable = self
            .means
            .reliable(|means| self.estimates_of_flow(means))
            .zip(of_scalars);
        Ok(reliable.map(|(flow, scalars)| {
            *flow
                .iter()
                .chain(&scalars)
                .nth(number)
                .expect("a result of this number")
        }))
    }

    fn write(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.flush(context)?;
        if self.samples == 0 {
            context.warn_if_empty(&format!("traverses.{}", self.request.name), self.request.from);
            return Ok(());
        }
        let tables = self.tables();
        let written = match context.world.rank() {
            0 => {
                let results = self.estimates();
                let units = self.names().into_iter().map(|(_, unit)| unit);
                let named = self.results().into_iter().zip(units).zip(&results);
                context.found(named.map(|((name, unit), estimate)| NamedResult::new(name, unit, *estimate)));
                (context.log)(format_args!("{}", self.in_words(&results)));
                tables.write(&results, context.provenance)
            }
            _ => Ok(()),
        };
        agree(context.world, written)?;
        let paths = tables.paths();
        context.wrote(paths);
        Ok(())
    }

    fn save(&mut self, _: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        data.section.parts.insert(self.name.clone(), self.shape());
        self.means.save(&self.name, &mut data.section);
        self.phases
            .iter()
            .for_each(|phases| phases.save(&self.name, &mut data.section));
        self.scalars
            .iter()
            .for_each(|scalars| scalars.save(&self.name, &mut data.section));
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        let section = &data.section;
        let Some(shape) = section.parts.get(&self.name) else {
            return Ok(false);
        };
        let phases = |phases: &mut PhaseMeans| phases.restore(&self.name, section);
        let scalars = |scalars: &mut ScalarMeans| scalars.restore(&self.name, section);
        let same = *shape == self.shape()
            && self.phases.as_mut().is_none_or(phases)
            && self.scalars.as_mut().is_none_or(scalars);
        if !same || !self.means.restore(&self.name, section) {
            if context.solver.ranks.rank() == 0 {
                let name = &self.request.name;
                let scalars = other_names("scalars", &shape["scalars"], &self.shape()["scalars"]);
                let why = scalars.unwrap_or_else(|| "are of other points or phases, or another `from`".to_owned());
                tracing::warn!("output.traverses.{name} begins anew: the sums of the checkpoint {why}");
            }
            return Ok(true);
        }
        self.samples = self.means.samples();
        Ok(true)
    }
}
