//! Boundary layers on walls: profiles of means along the normals of a wall that is extruded along z, with their edge
//! and their integral thicknesses.
//!
//! At each station the state is sampled at points along the normal, on lines that are spread over the span. `keys` has
//! what a case asks for, `lines` places the points, `analysis` computes what follows from means over time and span, and
//! `files` writes the tables, with every checkpoint and at the end. Rank 0 has the means, in batches, so that every
//! value has its statistical error. Sums, and thereby the files, do not depend on the number of ranks or on restarts.

mod analysis;
mod files;
mod keys;
mod lines;

use std::path::PathBuf;

use mpi::traits::Communicator;

use super::batch_means::BatchMeans;
use super::error::OutputError;
use super::interface::{Output, SampleContext};
use super::request::{Request, Setup};
use super::sampler::{Sampler, Samples};
use super::schedule::Schedule;
use crate::input::Every;
use crate::io::{CheckpointData, agree};
use crate::physics::Gas;
use crate::solver::Solver;
use analysis::{QUANTITIES, sums_of};
use files::Tables;
pub(super) use keys::BoundaryLayerKeys;
use keys::{BoundaryLayerRequest, NAME};
use lines::{Normal, PLACES, normals, points};

/// The boundary layers of one wall that are being sampled.
struct BoundaryLayers {
    request: BoundaryLayerRequest,
    directory: PathBuf,
    gas: Gas,
    normals: Vec<Normal>,
    sampler: Sampler,
    schedule: Schedule,
    /// Means of the quantities, `[station][point][quantity]`, on rank 0.
    means: BatchMeans,
    /// Number of samples, on all ranks.
    samples: u64,
}

impl BoundaryLayers {
    /// Places the points in the mesh. Collective.
    fn new(setup: &Setup, request: &BoundaryLayerRequest) -> Result<Self, OutputError> {
        let solver = &*setup.solver;
        let normals = normals(solver, request)?;
        let points = points(solver, request, &normals);
        let of = |_| format!("{}.height", request.key());
        Ok(BoundaryLayers {
            directory: setup.directory.to_owned(),
            gas: solver.gas,
            sampler: Sampler::new(solver, &points, of)?,
            schedule: Schedule::after(Some(request.every), request.from, &setup.clock),
            means: BatchMeans::new(
                normals.len() * request.counts[0] * QUANTITIES,
                request.from.max(setup.clock.time),
            ),
            samples: 0,
            request: request.clone(),
            normals,
        })
    }

    /// Returns the settings under which stored sums can be continued.
    fn shape(&self) -> serde_json::Value {
        let at: Vec<f64> = self.normals.iter().flat_map(|normal| normal.at).collect();
        let numbers = [&at[..], &[self.request.height, self.request.from]].concat();
        let numbers: Vec<String> = numbers.iter().map(|x| format!("{x:?}")).collect();
        serde_json::json!({"boundary": self.request.boundary, "at": numbers, "counts": self.request.counts})
    }

    /// Adds samples.
    fn add(&mut self, samples: &Samples) {
        let lines = self.request.counts[1];
        for (&(_, time), values) in samples.times.iter().zip(samples.values.chunks(self.sampler.len())) {
            let of_point = |values: &[_]| sums_of(values.chunks(lines), &self.gas);
            let row: Vec<f64> = values.chunks(PLACES * lines).flat_map(of_point).collect();
            self.means.add(time, &row);
        }
    }

    fn tables(&self) -> Tables<'_> {
        Tables {
            directory: &self.directory,
            request: &self.request,
            gas: &self.gas,
            normals: &self.normals,
            means: &self.means,
        }
    }
}

impl Request for BoundaryLayerRequest {
    fn label(&self) -> String {
        format!("{NAME} {}", self.name)
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(BoundaryLayers::new(setup, self)?)])
    }

    fn samples_from(&self) -> Option<f64> {
        Some(self.from)
    }

    fn replaces_its_file(&self) -> bool {
        true
    }
}

impl Output for BoundaryLayers {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn accumulates(&self) -> bool {
        true
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
        self.add(&samples);
        Ok(())
    }

    fn write(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.flush(context)?;
        if self.samples == 0 {
            context.warn_if_empty(&format!("{NAME}.{}", self.request.name), self.request.from);
            return Ok(());
        }
        let tables = self.tables();
        let written = match context.world.rank() {
            0 => tables.write(context.provenance),
            _ => Ok(()),
        };
        agree(context.world, written)?;
        let paths = tables.paths().into();
        context.wrote(paths);
        Ok(())
    }

    fn save(&mut self, _: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        let entry = self.request.entry();
        data.section.parts.insert(entry.clone(), self.shape());
        self.means.save(&entry, &mut data.section);
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        let (entry, section) = (self.request.entry(), &data.section);
        let Some(shape) = section.parts.get(&entry) else {
            return Ok(false);
        };
        if *shape == self.shape() && self.means.restore(&entry, section) {
            self.samples = self.means.samples();
        } else if context.solver.ranks.rank() == 0 {
            let key = self.request.key();
            tracing::warn!("{key} begins anew: the checkpoint has sums of other points, or another `from`");
        }
        Ok(true)
    }
}
