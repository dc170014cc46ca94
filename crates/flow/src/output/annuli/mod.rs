//! Traverses of annular rows: means over time on a grid of angles and bands of radius, on a plane across the axis or a
//! cone about it; radial distributions; losses; each with its statistical error.
//!
//! `surface` has the points and the directions, `passage` the mesh around the axis in which they lie, and `analysis`
//! what follows from the means. The quantities that are averaged, the mixed-out state and the losses are those of
//! `traverses`, with the velocity in directions of the surface. The weight of a sample is the time since the sample
//! before it. Rank 0 has the means. Sums, and thereby the files, do not depend on the number of ranks or on restarts.

mod analysis;
mod files;
mod keys;
mod passage;
mod surface;

use std::path::PathBuf;

use mpi::traits::Communicator;

use super::batch_means::BatchMeans;
use super::error::OutputError;
use super::estimate::{Estimate, columns_with_errors, values_with_errors};
use super::interface::{Columns, Output, SampleContext};
use super::request::{Request, Setup};
use super::results::NamedResult;
use super::sampler::{Sampler, Samples};
use super::schedule::Schedule;
use super::traverses::Frame;
use super::traverses::means::{self, QUANTITIES, Row};
use crate::format::number;
use crate::input::Every;
use crate::io::{CheckpointData, agree};
use crate::solver::Solver;
use crate::vector::Vector;
use analysis::Analysis;
use files::Tables;
pub(super) use keys::AnnulusKeys;
use keys::AnnulusRequest;
use surface::{Place, RULE, Surface};

/// Results that the log names.
const LOGGED: [&str; 4] = ["mass_flow", "p0_mixed", "swirl", "omega"];

/// A traverse of an annulus that is being sampled.
struct AnnulusTraverse {
    request: AnnulusRequest,
    /// Name of the files and of the entries in checkpoints.
    name: String,
    directory: PathBuf,
    analysis: Analysis,
    /// The points, at which the directions of the velocity are known.
    points: Vec<[f64; 3]>,
    /// Velocity of the cells at each point, seen from the frame of the traverse; empty where all are at rest in it.
    moving: Vec<Vector>,
    sampler: Sampler,
    schedule: Schedule,
    /// Means of the quantities, `[band][angle][quantity]`, on rank 0.
    means: BatchMeans,
    /// Number of samples, on all ranks.
    samples: u64,
}

impl AnnulusTraverse {
    /// Places the points in the mesh. Collective.
    fn new(setup: &Setup, request: &AnnulusRequest) -> Result<Self, OutputError> {
        let solver = &*setup.solver;
        let key = key_of(&request.name);
        let surface = Surface::new(solver, &request.place, &key)?;
        let points = surface.points(solver, &key)?;
        refuse_two_frames(solver, request, &points, &key)?;
        let moving = match request.frame {
            Frame::First if solver.motions.turning().is_some() => {
                points.iter().map(|&x| solver.motions.velocity(x, x)).collect()
            }
            _ => Vec::new(),
        };
        let [around, bands] = request.place.counts;
        Ok(AnnulusTraverse {
            name: format!("annulus_{}", request.name),
            directory: setup.directory.to_owned(),
            sampler: Sampler::new(solver, &points, |_| format!("{key}.radii"))?,
            schedule: Schedule::after(Some(request.every), request.from, &setup.clock),
            means: BatchMeans::new(around * bands * QUANTITIES, request.from.max(setup.clock.time)),
            samples: 0,
            analysis: Analysis {
                gas: solver.gas,
                surface,
                total_pressure: request.total_pressure,
            },
            request: request.clone(),
            points,
            moving,
        })
    }

    /// Returns the settings under which stored sums can be continued.
    fn shape(&self) -> serde_json::Value {
        let Place { axis, x, radii, counts } = &self.request.place;
        let numbers = x.iter().chain(radii.iter().flatten()).chain([&self.request.from]);
        let numbers: Vec<String> = numbers.map(|x| format!("{x:?}")).collect();
        serde_json::json!({"at": numbers, "axis": axis, "counts": counts})
    }

    /// Adds samples, and returns the rows of the history: one for each batch that they complete.
    fn add(&mut self, samples: &Samples) -> Vec<f64> {
        let mut rows = Vec::new();
        let values = samples.values.chunks(self.sampler.len());
        for (&(_, time), values) in samples.times.iter().zip(values) {
            let local = values.iter().zip(&self.points).enumerate().map(|(point, (state, at))| {
                let mut state = *state;
                if let Some(velocity) = self.moving.get(point) {
                    state[1..4].iter_mut().zip(velocity).for_each(|(v, more)| *v += more);
                }
                let state = self.analysis.surface.local(*at, &state);
                means::products(&state, &self.analysis.gas)
            });
            let local: Vec<Row> = local.collect();
            let row: Vec<f64> = local.chunks(RULE.len()).flat_map(over_height).collect();
            self.means.add(time, &row);
            if self.means.completed_a_batch() {
                rows.extend([time, self.means.samples() as f64]);
                rows.extend(values_with_errors(&self.estimates()));
            }
        }
        rows
    }

    /// Returns the estimates of the results of the whole surface.
    fn estimates(&self) -> Vec<Estimate> {
        self.estimates_of(&self.means)
    }

    /// Returns the same estimates from some of the samples.
    fn estimates_of(&self, means: &BatchMeans) -> Vec<Estimate> {
        means.estimates(|means| self.analysis.whole(means))
    }

    fn tables(&self) -> Tables<'_> {
        Tables {
            directory: &self.directory,
            name: &self.name,
            analysis: &self.analysis,
            means: &self.means,
        }
    }

    /// Returns the line of the log: the results that matter most, with their errors.
    fn in_words(&self, results: &[Estimate]) -> String {
        let names = self.analysis.of_all();
        let logged = names.iter().zip(results).filter(|((name, _), _)| LOGGED.contains(name));
        let words: Vec<String> = logged
            .map(|((name, _), estimate)| format!("{name} {}", estimate.with_error(number)))
            .collect();
        format!(
            "annulus {}: {} ({} samples)",
            self.request.name,
            words.join(", "),
            self.samples
        )
    }
}

/// Returns the key of a traverse in the case.
fn key_of(name: &str) -> String {
    format!("output.annuli.{name}")
}

/// Refuses a surface on which cells of blocks that turn past each other lie. All cells of a surface have one frame.
fn refuse_two_frames(
    solver: &Solver,
    request: &AnnulusRequest,
    points: &[Vector],
    key: &str,
) -> Result<(), OutputError> {
    let Some(motion) = solver.motions.turning() else {
        return Ok(());
    };
    let place = &request.place;
    let [first, second] = place.x;
    let in_plane = first == second && solver.motions.in_plane(place.axis, first).is_some();
    let speed = solver.motions.angular_speed(points[0]);
    if in_plane || points.iter().any(|&x| solver.motions.angular_speed(x) != speed) {
        let [first, second] = &motion.names;
        return Err(OutputError::Refused {
            key: format!("{key}.x"),
            what: format!(
                "the surface meets an interface whose blocks turn past each other, as {first} to {second}: place it \
                 before or behind it"
            ),
        });
    }
    Ok(())
}

/// Mean over the height of a band, by the rule of its points.
fn over_height(rows: &[Row]) -> Row {
    let mut sums = [0.0; QUANTITIES];
    for (row, (_, weight)) in rows.iter().zip(RULE) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value);
    }
    sums
}

impl Request for AnnulusRequest {
    fn label(&self) -> String {
        format!("annuli {}", self.name)
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(AnnulusTraverse::new(setup, self)?)])
    }

    fn describe(&self, solver: &Solver) -> Result<Option<String>, OutputError> {
        let surface = Surface::new(solver, &self.place, &key_of(&self.name))?;
        Ok(Some(format!(
            "{} from t = {} on: {}; to annulus_{name}.csv and annulus_{name}.map.csv",
            self.every,
            self.from,
            surface.words(),
            name = self.name
        )))
    }

    fn fingerprints(&self) -> Vec<(String, String)> {
        let text = format!("{:?} {:?}", self.place, self.total_pressure);
        vec![(key_of(&self.name), text)]
    }

    fn samples_from(&self) -> Option<f64> {
        Some(self.from)
    }

    fn replaces_its_file(&self) -> bool {
        true
    }
}

impl Output for AnnulusTraverse {
    fn name(&self) -> &'static str {
        "annuli"
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn accumulates(&self) -> bool {
        true
    }

    fn series(&self) -> Vec<(String, Columns)> {
        let columns = columns_with_errors([("time", "s"), ("samples", "-")], self.analysis.of_all());
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
        let Some(samples) = self.sampler.arrived(context) else {
            return Ok(());
        };
        self.samples += samples.times.len() as u64;
        let rows = self.add(&samples);
        context.append(&format!("{}.history", self.name), &rows)
    }

    fn results(&self) -> Vec<String> {
        let names = self.analysis.of_all().into_iter();
        names
            .map(|(name, _)| format!("annuli.{}.{name}", self.request.name))
            .collect()
    }

    fn result(&mut self, name: &str, context: &mut SampleContext) -> Result<Option<Estimate>, OutputError> {
        let Some(number) = self.results().iter().position(|known| known == name) else {
            return Ok(None);
        };
        self.flush(context)?;
        let reliable = self.means.reliable(|means| self.estimates_of(means));
        Ok(reliable.map(|results| results[number]))
    }

    fn write(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.flush(context)?;
        if self.samples == 0 {
            context.warn_if_empty(&format!("annuli.{}", self.request.name), self.request.from);
            return Ok(());
        }
        let tables = self.tables();
        let written = match context.world.rank() {
            0 => {
                let results = self.estimates();
                let units = self.analysis.of_all().into_iter().map(|(_, unit)| unit);
                let named = self.results().into_iter().zip(units).zip(&results);
                context.found(named.map(|((name, unit), estimate)| NamedResult::new(name, unit, *estimate)));
                (context.log)(format_args!("{}", self.in_words(&results)));
                tables.write(&results, context.provenance)
            }
            _ => Ok(()),
        };
        agree(context.world, written)?;
        let paths = tables.paths();
        context.wrote(paths.to_vec());
        Ok(())
    }

    fn save(&mut self, _: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        data.section.parts.insert(self.name.clone(), self.shape());
        self.means.save(&self.name, &mut data.section);
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        let section = &data.section;
        let Some(shape) = section.parts.get(&self.name) else {
            return Ok(false);
        };
        if *shape != self.shape() || !self.means.restore(&self.name, section) {
            if context.solver.ranks.rank() == 0 {
                let name = &self.request.name;
                tracing::warn!(
                    "output.annuli.{name} begins anew: the checkpoint has sums of other points, or another `from`"
                );
            }
            return Ok(true);
        }
        self.samples = self.means.samples();
        Ok(true)
    }
}
