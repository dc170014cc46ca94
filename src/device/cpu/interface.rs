//! The interface flux by itself, over cells and over faces, for comparing the two loops. Nothing of a run uses it.

use std::ops::Range;

use super::{Aligned, Buffer, CpuDevice, Real};
use crate::device::DeviceError;
use crate::device::contract::Kernel;
use crate::device::faces::{self, FACES};

/// What the two kernels need beyond the arrays of a run.
pub(super) struct Interface<R: Real> {
    /// Outward flux, `[block][face][5][face point][lane]`.
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
    pub(super) fn run_interface(&mut self, by_faces: bool) -> Result<(), DeviceError> {
        let values = faces::values(&self.plan).ok_or(faces::ONLY_HEXES)?;
        if self.interface.is_none() {
            let (rows, ranges) = faces::list(&self.plan, &self.plan.slots);
            let flux = Aligned::zeros(self.plan.cell_of_slot.len() * values);
            self.interface = Some(Interface { flux, rows, ranges });
        }
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        params.own = params.u;
        let Some(arrays) = &mut self.interface else {
            return Ok(());
        };
        params.interface_flux = arrays.flux.as_mut_ptr();
        params.faces = arrays.rows.as_ptr();
        let ranges = arrays.ranges.clone();
        let size = values / (5 * FACES);
        for (index, group) in self.plan.groups.iter().enumerate() {
            // Blocks are numbered through both groups here.
            let (arrays, skipped) = (&self.groups[index], group.begin * self.plan.lanes);
            params.metric_points = group.metric_points as i32;
            params.metrics = arrays
                .metrics
                .as_ptr()
                .wrapping_sub(skipped * group.metrics_per_block());
            params.normals = arrays.normals.as_ptr().wrapping_sub(skipped * 4 * FACES);
            let (kernel, range, points) = if by_faces {
                (Kernel::InterfaceByFaces, ranges[index].clone(), size)
            } else {
                (Kernel::InterfaceByCells, group.begin..group.end, FACES * size)
            };
            params.range_end = range.end as i64;
            self.run(
                arrays.kernels.get(kernel),
                params,
                range.start * points..range.end * points,
            );
        }
        Ok(())
    }
}
