//! The interface flux by itself, over cells and over faces, for comparing the two loops
//! (ptx/kernels/bench_interface.cu). It is allocated when it is first asked for, and nothing of a run uses it.

use std::ops::Range;

use super::Engine;
use crate::device::contract::Slot;
use crate::device::faces::{self, FACES};
use crate::device::layout::gather_cells;
use crate::device::memory::Real;
use crate::device::store::{Memory, Store};
use crate::device::{Buffer, Cells, DeviceError, InterfaceLoop};

/// What the two kernels need beyond the arrays of a run.
pub struct Interface<S: Store> {
    /// Outward flux, `[block][face][5][face point][lane]`.
    flux: S::Array,
    rows: S::Array,
    /// Rows of each group of cells.
    ranges: Vec<Range<usize>>,
    /// The kernels over cells and over faces, for each group.
    kernels: Vec<[S::Kernel; 2]>,
}

impl<S: Store> Interface<S> {
    /// Memory of the arrays.
    pub fn bytes(&self) -> usize {
        self.flux.bytes() + self.rows.bytes()
    }
}

impl<S: Store, R: Real> Engine<S, R> {
    /// Computes the interface flux ([`crate::device::Device::interface_flux`]); `load` gives the kernels over
    /// cells and over faces of each group.
    ///
    /// # Errors
    /// The device fails, or there are other cells than hexahedra.
    pub fn interface_flux(
        &mut self,
        over: InterfaceLoop,
        load: impl FnOnce(&Self) -> Result<Vec<[S::Kernel; 2]>, DeviceError>,
    ) -> Result<(), DeviceError> {
        let values = faces::values(&self.plan).ok_or(faces::ONLY_HEXES)?;
        if self.interface.is_none() {
            let slots = 0..self.plan.padded_cells() * FACES;
            let (list, ranges) = faces::list(&self.plan, &self.store.read::<Slot>(&self.arrays.slots, slots)?);
            let mut rows = self.store.zeros(size_of_val(list.as_slice()))?;
            self.store.write(&mut rows, &list)?;
            self.interface = Some(Interface {
                flux: self.store.zeros(self.plan.padded_cells() * values * size_of::<R>())?,
                rows,
                ranges,
                kernels: load(self)?,
            });
        }
        let Some(interface) = &self.interface else {
            return Ok(());
        };
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        params.own = params.u;
        params.interface_flux = interface.flux.pointer();
        params.faces = interface.rows.pointer();
        let size = values / (5 * FACES);
        self.store.submit(Cells::All, "interface flux", |queue| {
            for (g, group) in self.plan.groups.iter().enumerate() {
                // Blocks are numbered through all groups here, so that the arrays of a group begin before its own.
                let skipped = group.begin * self.plan.lanes;
                self.arrays.groups[g].connect(&mut params);
                params.metric_points = group.metric_points as i32;
                params.metrics = params.metrics.wrapping_sub(skipped * group.metrics_per_block());
                params.normals = params.normals.wrapping_sub(skipped * 4 * FACES);
                let (range, points) = match over {
                    InterfaceLoop::Cells => (group.begin..group.end, FACES * size),
                    InterfaceLoop::Faces => (interface.ranges[g].clone(), size),
                };
                let items = range.start * points..range.end * points;
                (params.range_begin, params.range_end) = (items.start as i64, range.end as i64);
                let kernel = &interface.kernels[g][over as usize];
                // SAFETY: the parameters lead to the arrays of this run, the list of faces and the flux of all cells;
                // an item writes only its own points.
                unsafe { self.store.launch(queue, kernel, items, &params)? };
            }
            Ok(())
        })
    }

    /// The interface flux in mesh order; empty before it is computed.
    pub(super) fn interface_values(&self) -> Result<Vec<f64>, DeviceError> {
        let Some(interface) = &self.interface else {
            return Ok(Vec::new());
        };
        let values = interface.flux.bytes() / size_of::<R>();
        let flux = self.store.read::<R>(&interface.flux, 0..values)?;
        Ok(gather_cells(&self.plan, &flux, values / self.plan.padded_cells()))
    }
}
