//! What a device needs to know to gather statistics: the products that are summed up, and the slots into which the points of
//! each cell fall (ptx/kernels/statistics.cu).
//!
//! A slot is what averaging leaves of a cell's points: one of its planes, lines or points. Cells that lie differently in their
//! reference directions have different lists of the points of their slots, but cells of one kind always as many slots.

use super::Plan;
use crate::element::ElementKind;

/// Rows of factors as the kernel numbers them; the weight of a point is part of every product.
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

/// Quantities and slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots {
    /// Each quantity: the rows of its factors, in four bits each.
    pub factors: Vec<i32>,
    /// Slots of a cell of each kind.
    pub slots: [usize; 4],
    /// Points of a slot.
    pub members: [usize; 4],
    /// Lists of points, `[slot][member]`, one after the other.
    pub lists: Vec<i32>,
    /// Where the list of each cell begins.
    pub list_of_cell: Vec<i32>,
}

impl Slots {
    /// Sums of a cell, `[quantity][slot]`.
    pub fn sums_of(&self, kind: ElementKind) -> usize {
        self.factors.len() * self.slots[kind as usize]
    }

    /// The points of a cell's slots, `[slot][member]`.
    pub fn list(&self, cell: usize, kind: ElementKind) -> &[i32] {
        let first = self.list_of_cell[cell] as usize;
        &self.lists[first..first + self.slots[kind as usize] * self.members[kind as usize]]
    }

    /// Where the lists of the cells begin in the order of the device.
    pub(super) fn placed_lists(&self, plan: &Plan) -> Vec<i32> {
        plan.cell_of_slot.iter().map(|&cell| self.list_of_cell[cell]).collect()
    }

    /// Where the sums of each group begin on the device, and the end of the last.
    pub(super) fn starts(&self, plan: &Plan) -> Vec<usize> {
        let mut end = 0;
        let ends = plan.groups.iter().map(|group| {
            end += (group.end - group.begin) * plan.lanes * self.sums_of(group.kind);
            end
        });
        [0].into_iter().chain(ends).collect()
    }

    /// Where each cell's sums lie on the device; they are `lanes` apart.
    fn places<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = (usize, usize)> + 'a {
        let starts = self.starts(plan);
        (0..plan.slot_of_cell.len()).map(move |cell| {
            let (number, at) = (plan.group_number(cell), plan.slot_of_cell[cell]);
            let group = &plan.groups[number];
            let size = self.sums_of(group.kind);
            let block = at / plan.lanes - group.begin;
            (starts[number] + block * plan.lanes * size + at % plan.lanes, size)
        })
    }

    /// The sums from the order of the device to `[cell][quantity][slot]` in mesh order.
    pub(super) fn gather(&self, plan: &Plan, sums: &[f64]) -> Vec<f64> {
        self.places(plan)
            .flat_map(|(first, size)| (0..size).map(move |i| sums[first + i * plan.lanes]))
            .collect()
    }

    /// The way back; places that only fill a block get zeros.
    pub(super) fn scatter(&self, plan: &Plan, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.starts(plan).last().copied().unwrap_or(0)];
        let mut rest = values;
        for (first, size) in self.places(plan) {
            let (mine, others) = rest.split_at(size);
            rest = others;
            for (i, value) in mine.iter().enumerate() {
                sums[first + i * plan.lanes] = *value;
            }
        }
        sums
    }
}
