//! The state at places within cells, on the CPU: every sample is there when the call returns.

use super::{Buffer, CpuDevice, Real};
use crate::device::contract::Kernel;
use crate::device::sampling::{SamplePlan, SamplePoint};

/// A set of places and what was sampled there.
pub(super) struct Sampling {
    plan: SamplePlan,
    room: usize,
    /// Samples that nobody has asked for yet, `[sample][place][5]`.
    pub(super) taken: Vec<f64>,
}

impl Sampling {
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.plan.places.as_slice()) + 8 * (self.plan.weights.len() + self.taken.capacity())
    }
}

impl<R: Real> CpuDevice<R> {
    pub(super) fn add_sampling(&mut self, points: &[SamplePoint], room: usize) -> usize {
        self.samplings.push(Sampling {
            plan: SamplePlan::new(&self.plan, points),
            room,
            taken: Vec::new(),
        });
        self.samplings.len() - 1
    }

    pub(super) fn take_sample(&mut self, set: usize) {
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        let sampling = &mut self.samplings[set];
        let (before, values) = (sampling.taken.len(), 5 * sampling.plan.places.len());
        assert!(
            before < (sampling.room * values).max(1),
            "samples are fetched before there is no room"
        );
        sampling.taken.resize(before + values, 0.0);
        params.samples = sampling.taken[before..].as_mut_ptr();
        params.sample_weights = sampling.plan.weights.as_ptr();
        let sampling = &self.samplings[set];
        for (arrays, places) in self.groups.iter().zip(&sampling.plan.groups) {
            params.sampled = sampling.plan.places[places.start..].as_ptr();
            params.boundary_count = 5 * places.len() as i64;
            self.run(arrays.kernels.get(Kernel::Sample), params, 0..5 * places.len());
        }
    }
}
