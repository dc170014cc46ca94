//! The interface flux by itself, over cells and over faces, for comparing the two loops (ptx/kernels/bench_interface.cu). Built and allocated
//! when it is first asked for; nothing of a run uses it.

use std::ops::Range;

use super::kernels::LoadedKernel;
use super::memory::Array;
use super::programs::Constants;
use super::variant::Variant;
use super::{CudaDevice, CudaError, Real, module};
use crate::device::contract::{Kernel, Slot};
use crate::device::faces::{self, FACES};
use crate::device::layout::gather_cells;
use crate::device::{Buffer, DeviceError};

/// What the two kernels need beyond the arrays of a run.
pub(super) struct Interface {
    /// Outward flux, [cell][face][5][face point].
    flux: Array,
    rows: Array,
    /// Rows of each group of cells.
    ranges: Vec<Range<usize>>,
    /// By cells and by faces, for each group.
    kernels: Vec<[LoadedKernel; 2]>,
}

impl Interface {
    /// Size of its arrays.
    pub(super) fn bytes(&self) -> usize {
        self.flux.bytes() + self.rows.bytes()
    }
}

impl<R: Real> CudaDevice<R> {
    fn new_interface(&self, values: usize) -> Result<Interface, CudaError> {
        let slots: Vec<Slot> =
            self.staging
                .download(&self.gpu, &self.arrays.slots, self.plan.cell_of_slot.len() * FACES)?;
        let (rows, ranges) = faces::list(&self.plan, &slots);
        let constants = Constants::of(&self.params);
        let kernels = self.plan.groups.iter().map(|group| {
            let variant = Variant {
                curved: !group.affine(),
                ..self.variant
            };
            let file = Kernel::InterfaceByCells.spec().files.hex;
            let module = module::assemble_one(&self.gpu, &variant, &constants, file)?;
            let kernel = |kernel| LoadedKernel::new(&module, file, kernel, &variant);
            Ok([kernel(Kernel::InterfaceByCells)?, kernel(Kernel::InterfaceByFaces)?])
        });
        Ok(Interface {
            kernels: kernels.collect::<Result<_, CudaError>>()?,
            flux: Array::zeros(&self.gpu, self.plan.cell_of_slot.len() * values * size_of::<R>())?,
            rows: Array::from_slice(&self.gpu, &rows)?,
            ranges,
        })
    }

    /// Runs one of the two kernels, group by group.
    pub(super) fn run_interface(&mut self, by_faces: bool) -> Result<(), DeviceError> {
        let values = faces::values(&self.plan).ok_or(faces::ONLY_HEXES)?;
        if self.interface.is_none() {
            self.interface = Some(self.new_interface(values)?);
        }
        let Some(interface) = &self.interface else {
            return Ok(());
        };
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        params.own = params.u;
        let size = values / (5 * FACES);
        params.interface_flux = interface.flux.pointer();
        params.faces = interface.rows.pointer();
        for (index, group) in self.plan.groups.iter().enumerate() {
            // Cells are numbered through both groups here.
            let arrays = &self.arrays.groups[index];
            params.metric_points = group.metric_points as i32;
            params.metrics = arrays
                .metrics
                .pointer::<R>()
                .wrapping_sub(group.begin * group.metrics_per_block());
            params.normals = arrays.normals.pointer::<R>().wrapping_sub(group.begin * 4 * FACES);
            let (range, points) = if by_faces {
                (interface.ranges[index].clone(), size)
            } else {
                (group.begin..group.end, FACES * size)
            };
            params.range_begin = (range.start * points) as i64;
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
        let size = interface.flux.bytes() / size_of::<R>() / self.plan.cell_of_slot.len();
        let values: Vec<R> = self
            .staging
            .download(&self.gpu, &interface.flux, self.plan.cell_of_slot.len() * size)?;
        Ok(gather_cells(&self.plan, &values, size))
    }
}
