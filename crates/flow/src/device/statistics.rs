//! Quantities and slots of statistics on a device (ptx/kernels/statistics.cu).
//!
//! A quantity is a product of factors such as density and velocity. A slot is a set of points of a cell over which
//! averages are taken: a plane, a line or a single point of the cell. A device sums each quantity over the points of
//! each slot, or over the points of the output rule ([`crate::element::OutputRule`]) on the line or plane.
//!
//! All cells of one kind have the same number of slots. The points of a slot depend on how the reference directions of
//! the cell are oriented.

use std::ops::Range;

use super::Plan;
use crate::element::ElementKind;

/// Rows of factors in the numbering of the kernel. The weight of a point is a factor of every product.
pub mod factor {
    /// Density.
    pub const RHO: i32 = 1;
    /// Velocity in x.
    pub const U: i32 = 2;
    /// Velocity in y.
    pub const V: i32 = 3;
    /// Velocity in z.
    pub const W: i32 = 4;
    /// Pressure.
    pub const P: i32 = 5;
    /// Temperature.
    pub const T: i32 = 6;
}

/// Rows of factors of the quantities of strain. The weight of a point is a factor of every product, and velocity and
/// pressure have the same rows as in [`factor`].
pub mod strain {
    /// Dynamic viscosity of the gas and of the sub-grid model together.
    pub const MU: i32 = 1;
    /// Rate of strain du/dx.
    pub const XX: i32 = 6;
    /// Rate of strain dv/dy.
    pub const YY: i32 = 7;
    /// Rate of strain dw/dz.
    pub const ZZ: i32 = 8;
    /// Rate of strain (du/dy + dv/dx)/2.
    pub const XY: i32 = 9;
    /// Rate of strain (du/dz + dw/dx)/2.
    pub const XZ: i32 = 10;
    /// Rate of strain (dv/dz + dw/dy)/2.
    pub const YZ: i32 = 11;
}

/// Rows of factors of the quantities of passive scalars, which have density and velocity in the rows of [`factor`].
pub mod scalar {
    /// The first scalar; the others follow.
    pub const FIRST: i32 = 5;
}

/// Quantities and slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots {
    /// Rows of the factors of each quantity, in four bits each: of the state, then of strain, then of passive scalars.
    pub factors: Vec<i32>,
    /// Number of the quantities of strain.
    pub of_strain: usize,
    /// Number of the quantities of passive scalars.
    pub of_scalars: usize,
    /// Number of slots of a cell, by kind of cell.
    pub slots: [usize; 4],
    /// Number of points of a slot, by kind of cell.
    pub members: [usize; 4],
    /// Lists of points, `[slot][member]`, one after the other.
    pub lists: Vec<i32>,
    /// Offset in `lists` of the list of each cell.
    pub list_of_cell: Vec<i32>,
}

impl Slots {
    /// Returns the quantities of the state, those of strain and those of passive scalars.
    pub fn quantities(&self) -> [Range<usize>; 3] {
        let of_flow = self.factors.len() - self.of_scalars;
        let of_state = of_flow - self.of_strain;
        [0..of_state, of_state..of_flow, of_flow..self.factors.len()]
    }

    /// Returns the number of sums of a cell, which are `[quantity][slot]`.
    pub fn sums_of(&self, kind: ElementKind) -> usize {
        self.factors.len() * self.slots[kind as usize]
    }

    /// Returns the points of the slots of a cell, `[slot][member]`.
    pub fn list(&self, cell: usize, kind: ElementKind) -> &[i32] {
        let first = self.list_of_cell[cell] as usize;
        &self.lists[first..first + self.slots[kind as usize] * self.members[kind as usize]]
    }

    /// Returns the offsets in `lists` of the lists of all cells, in device order.
    pub(super) fn lists_in_device_order(&self, plan: &Plan) -> Vec<i32> {
        plan.cell_of_slot.iter().map(|&cell| self.list_of_cell[cell]).collect()
    }

    /// Returns the offsets of the sums of each group on the device, and the end of the last group.
    pub(super) fn group_offsets(&self, plan: &Plan) -> Vec<usize> {
        let mut end = 0;
        let ends = plan.groups.iter().map(|group| {
            end += (group.end - group.begin) * plan.lanes * self.sums_of(group.kind);
            end
        });
        [0].into_iter().chain(ends).collect()
    }

    /// Returns for each cell in mesh order the offset of its first sum on the device and the number of its sums. The
    /// sums of a cell are `lanes` values apart.
    fn cell_offsets<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = (usize, usize)> + 'a {
        let starts = self.group_offsets(plan);
        (0..plan.slot_of_cell.len()).map(move |cell| {
            let (number, at) = (plan.group_number(cell), plan.slot_of_cell[cell]);
            let group = &plan.groups[number];
            let size = self.sums_of(group.kind);
            let block = at / plan.lanes - group.begin;
            (starts[number] + block * plan.lanes * size + at % plan.lanes, size)
        })
    }

    /// Returns the sums in mesh order, `[cell][quantity][slot]`, from device order.
    pub(super) fn gather(&self, plan: &Plan, sums: &[f64]) -> Vec<f64> {
        self.cell_offsets(plan)
            .flat_map(|(first, size)| (0..size).map(move |i| sums[first + i * plan.lanes]))
            .collect()
    }

    /// Returns the sums in device order, from mesh order. The sums of padding are zero.
    pub(super) fn scatter(&self, plan: &Plan, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.group_offsets(plan).last().copied().unwrap_or(0)];
        let mut rest = values;
        for (first, size) in self.cell_offsets(plan) {
            let (mine, others) = rest.split_at(size);
            rest = others;
            for (i, value) in mine.iter().enumerate() {
                sums[first + i * plan.lanes] = *value;
            }
        }
        sums
    }
}
