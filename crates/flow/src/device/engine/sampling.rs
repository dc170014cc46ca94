//! The state at points within cells: samples gather on the device and come to the host many at a time, so that no time
//! step waits for them.

use std::ops::Range;

use super::Engine;
use crate::device::contract::{Kernel, SampledPoint, Stage};
use crate::device::memory::Real;
use crate::device::sampling::{SamplePlan, SamplePoint, Sampled};
use crate::device::store::{Memory, Store};
use crate::device::{Buffer, Cells, DeviceError};

/// A set of points with the samples that nobody has fetched yet.
pub struct Sampling<S: Store> {
    of: Sampled,
    points: S::Array,
    /// The points in each group of cells.
    groups: Vec<Range<usize>>,
    weights: S::Array,
    /// Samples, `[sample][point][5]`.
    samples: S::Array,
    /// Values of a sample.
    values: usize,
    /// Samples that there is room for.
    room: usize,
    /// Samples taken.
    taken: usize,
}

impl<S: Store> Sampling<S> {
    /// Memory of the arrays.
    pub fn bytes(&self) -> usize {
        self.points.bytes() + self.weights.bytes() + self.samples.bytes()
    }
}

impl<S: Store, R: Real> Engine<S, R> {
    /// Prepares to sample the state or the passive scalars at these points; returns the number of the set.
    ///
    /// # Errors
    /// The device fails.
    pub fn plan_samples(&mut self, of: Sampled, points: &[SamplePoint], room: usize) -> Result<usize, DeviceError> {
        let plan = SamplePlan::new(&self.plan, points);
        let values = 5 * points.len();
        let mut places = self.store.zeros(size_of_val(plan.points.as_slice()))?;
        self.store.write(&mut places, &plan.points)?;
        let mut weights = self.store.zeros(size_of_val(plan.weights.as_slice()))?;
        self.store.write(&mut weights, &plan.weights)?;
        self.samplings.push(Sampling {
            of,
            points: places,
            groups: plan.groups,
            weights,
            samples: self.store.zeros(room * values * size_of::<f64>())?,
            values,
            room,
            taken: 0,
        });
        Ok(self.samplings.len() - 1)
    }

    /// Takes a sample at the start of the step at the points of a set.
    ///
    /// # Errors
    /// The device fails.
    pub fn sample(&mut self, set: usize) -> Result<(), DeviceError> {
        let sampling = &self.samplings[set];
        assert!(
            sampling.taken < sampling.room,
            "samples are fetched before there is no room"
        );
        let mut params = self.params;
        params.u = match sampling.of {
            Sampled::State => self.buffer(Buffer::Start),
            // They are arranged as the state.
            Sampled::Scalars => self.scalars(Buffer::Start),
        };
        params.sample_weights = sampling.weights.pointer();
        let samples = sampling.samples.pointer::<f64>();
        params.samples = samples.wrapping_add(sampling.taken * sampling.values);
        self.store.submit(Cells::All, "samples", |queue| {
            for (kernels, points) in self.kernels.iter().zip(&sampling.groups) {
                let kernel = kernels.get(Kernel::Sample, Stage::RhsOnly);
                params.sampled = sampling.points.pointer::<SampledPoint>().wrapping_add(points.start);
                params.boundary_count = 5 * points.len() as i64;
                // SAFETY: the parameters lead to the points, their weights and as many samples as there are points.
                unsafe { self.store.launch(queue, kernel, 0..5 * points.len(), &params)? };
            }
            Ok(())
        })?;
        self.samplings[set].taken += 1;
        Ok(())
    }

    /// Returns the samples of a set taken since the last call, `[sample][point][5]`.
    ///
    /// # Errors
    /// The device fails.
    pub fn samples(&mut self, set: usize) -> Result<Vec<f64>, DeviceError> {
        let sampling = &mut self.samplings[set];
        let values = std::mem::take(&mut sampling.taken) * sampling.values;
        Ok(self.store.read(&sampling.samples, 0..values)?.into_owned())
    }
}
