//! The interface flux by itself, over cells and over faces, for comparing the two loops (ptx/interface.cu). Built and allocated
//! when it is first asked for; nothing of a run uses it.

use std::ops::Range;

use super::kernels::Kernel;
use super::memory::Array;
use super::programs::{Constants, Variant};
use super::{CudaDevice, CudaError, Real, assembly};
use crate::device::layout::gather;
use crate::device::plan::Slot;
use crate::device::{Buffer, faces};
use crate::mesh::FACES;

/// What the two kernels need beyond the arrays of a run.
pub(super) struct Interface {
    /// Outward flux, [cell][face][5][face point].
    flux: Array,
    rows: Array,
    /// Rows of each group of cells.
    ranges: Vec<Range<usize>>,
    /// By cells and by faces, for each group.
    kernels: Vec<[Kernel; 2]>,
}

impl Interface {
    /// Size of its arrays.
    pub(super) fn bytes(&self) -> usize {
        self.flux.bytes() + self.rows.bytes()
    }
}

impl<R: Real> CudaDevice<R> {
    fn new_interface(&self) -> Result<Interface, CudaError> {
        let slots: Vec<Slot> =
            self.staging
                .download(&self.gpu, &self.arrays.slots, self.plan.occupant.len() * FACES)?;
        let (rows, ranges) = faces::list(&self.plan, &slots);
        let constants = Constants::of(&self.params);
        let kernels = self.plan.groups.iter().map(|group| {
            let variant = Variant {
                curved: group.metric_points > 1,
                ..self.variant
            };
            let module = assembly::assemble_one(&self.gpu, &variant, &constants, "interface.cu")?;
            let kernel = |name| Kernel::new(&module, "interface.cu", name, &variant);
            Ok([kernel("interface_by_cells")?, kernel("interface_by_faces")?])
        });
        Ok(Interface {
            kernels: kernels.collect::<Result<_, CudaError>>()?,
            flux: Array::zeros(
                &self.gpu,
                self.plan.occupant.len() * FACES * 5 * self.plan.nl() * size_of::<R>(),
            )?,
            rows: Array::from_slice(&self.gpu, &rows)?,
            ranges,
        })
    }

    /// Runs one of the two kernels, group by group.
    pub(super) fn run_interface(&mut self, by_faces: bool) -> Result<(), CudaError> {
        if self.interface.is_none() {
            self.interface = Some(self.new_interface()?);
        }
        let Some(interface) = &self.interface else {
            return Ok(());
        };
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        params.interface_flux = interface.flux.pointer();
        params.faces = interface.rows.pointer();
        for (index, group) in self.plan.groups.iter().enumerate() {
            let metrics = self.arrays.metrics[index].pointer::<R>();
            params.metric_points = group.metric_points as i32;
            params.metrics = metrics.wrapping_sub(group.begin * group.metrics_per_block());
            let (range, points) = if by_faces {
                (interface.ranges[index].clone(), self.plan.nl())
            } else {
                (group.begin..group.end, FACES * self.plan.nl())
            };
            params.first_group = (range.start * points) as i64;
            params.range_end = range.end as i64;
            let kernel = &interface.kernels[index][usize::from(by_faces)];
            let blocks = (range.len() * points).div_ceil(kernel.shape.threads);
            kernel.launch(&self.gpu.compute, blocks, &params)?;
        }
        Ok(())
    }

    /// What they left, in mesh order.
    pub(super) fn interface_values(&self) -> Result<Vec<f64>, CudaError> {
        let Some(interface) = &self.interface else {
            return Ok(Vec::new());
        };
        let size = FACES * 5 * self.plan.nl();
        let values: Vec<R> = self
            .staging
            .download(&self.gpu, &interface.flux, self.plan.occupant.len() * size)?;
        Ok(gather(&self.plan, &values, size))
    }
}
