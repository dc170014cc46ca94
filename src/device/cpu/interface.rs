//! The interface flux by itself, over cells and over faces, for comparing the two loops. Nothing of a run uses it.

use std::ops::Range;

use super::{Aligned, Buffer, CpuDevice, Real};
use crate::device::faces;
use crate::mesh::FACES;

/// What the two kernels need beyond the arrays of a run.
pub(super) struct Interface<R: Real> {
    /// Outward flux, [block][face][5][face point][lane].
    pub(super) flux: Aligned<R>,
    rows: Vec<i64>,
    /// Rows of each group of blocks.
    ranges: Vec<Range<usize>>,
}

impl<R: Real> Interface<R> {
    pub(super) fn bytes(&self) -> usize {
        self.flux.bytes() + self.rows.len() * 8
    }
}

impl<R: Real> CpuDevice<R> {
    /// Runs one of the two kernels, group by group.
    pub(super) fn run_interface(&mut self, by_faces: bool) {
        if self.interface.is_none() {
            let (rows, ranges) = faces::list(&self.plan, &self.plan.slots);
            let flux = Aligned::zeros(self.plan.occupant.len() * FACES * 5 * self.plan.nl());
            self.interface = Some(Interface { flux, rows, ranges });
        }
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        let Some(arrays) = &mut self.interface else { return };
        params.interface_flux = arrays.flux.as_mut_ptr();
        params.faces = arrays.rows.as_ptr();
        let ranges = arrays.ranges.clone();
        for (index, group) in self.plan.groups.iter().enumerate() {
            params.metric_points = group.metric_points as i32;
            params.metrics = self.metrics[index]
                .as_ptr()
                .wrapping_sub(group.begin * group.metrics_per_block() * self.plan.lanes);
            let (kernel, range, points) = if by_faces {
                (self.kernels.interface_by_faces, ranges[index].clone(), self.plan.nl())
            } else {
                let points = FACES * self.plan.nl();
                (self.kernels.interface_by_cells, group.begin..group.end, points)
            };
            params.range_end = range.end as i64;
            self.launch(kernel, params, range.start * points..range.end * points);
        }
    }
}
