//! The state at places within cells, on a GPU: samples gather there, and come to the host many at a time, so that no step waits
//! for them.

use super::memory::Array;
use super::queue_trace::KERNELS;
use super::{CudaDevice, CudaError, Real};
use crate::device::Buffer;
use crate::device::contract::{Kernel, SampledPoint, Stage};
use crate::device::sampling::{SamplePlan, SamplePoint};
use std::ops::Range;

/// A set of places with the samples that nobody has fetched yet.
pub(super) struct Sampling {
    places: Array,
    /// Those of each group of cells.
    groups: Vec<Range<usize>>,
    weights: Array,
    samples: Array,
    /// Values of a sample.
    values: usize,
    room: usize,
    taken: usize,
}

impl Sampling {
    pub(super) fn bytes(&self) -> usize {
        self.places.bytes() + self.weights.bytes() + self.samples.bytes()
    }
}

impl<R: Real> CudaDevice<R> {
    pub(super) fn add_sampling(&mut self, points: &[SamplePoint], room: usize) -> Result<usize, CudaError> {
        let plan = SamplePlan::new(&self.plan, points);
        let values = 5 * points.len();
        self.samplings.push(Sampling {
            places: Array::from_slice(&self.gpu, &plan.places)?,
            groups: plan.groups,
            weights: Array::from_slice(&self.gpu, &plan.weights)?,
            samples: Array::zeros(&self.gpu, room * values * size_of::<f64>())?,
            values,
            room,
            taken: 0,
        });
        Ok(self.samplings.len() - 1)
    }

    pub(super) fn take_sample(&mut self, set: usize) -> Result<(), CudaError> {
        let sampling = &self.samplings[set];
        assert!(
            sampling.taken < sampling.room,
            "samples are fetched before there is no room"
        );
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        params.sample_weights = sampling.weights.pointer();
        params.samples = sampling
            .samples
            .pointer::<f64>()
            .wrapping_add(sampling.taken * sampling.values);
        self.join_frontier()?;
        self.noted(&self.gpu.compute, KERNELS, "samples", || {
            for (kernels, places) in self.kernels.iter().zip(&sampling.groups) {
                params.sampled = sampling.places.pointer::<SampledPoint>().wrapping_add(places.start);
                params.boundary_count = 5 * places.len() as i64;
                let kernel = kernels.get(Kernel::Sample, Stage::RhsOnly);
                let blocks = (5 * places.len()).div_ceil(kernel.shape.threads);
                kernel.launch(&self.gpu.compute, blocks, &params)?;
            }
            Ok::<_, CudaError>(())
        })?;
        // The next step writes over what is read here.
        self.mark_before()?;
        self.samplings[set].taken += 1;
        Ok(())
    }

    pub(super) fn fetch_samples(&mut self, set: usize) -> Result<Vec<f64>, CudaError> {
        let sampling = &mut self.samplings[set];
        let values = std::mem::take(&mut sampling.taken) * sampling.values;
        self.staging.download(&self.gpu, &sampling.samples, values)
    }
}
