//! Conversion between the order of cells in the mesh and on the device.
//!
//! Blocks of the device are padded with copies of cells. Scattering to the device fills the padding, and gathering from
//! the device omits it.

use rayon::prelude::*;

use super::Plan;
use super::memory::Real;
use crate::geometry::by_cells;

/// Smallest number of cells for a task of a thread, if a few numbers of each cell are copied or summed. For fewer cells
/// the start of a thread takes longer than the work.
pub(crate) const CELLS_OF_A_THREAD: usize = 1 << 14;

/// Returns a field of several variables in mesh order, `[cell][variable][point]`, from device order.
pub fn gather<R: Real>(plan: &Plan, field: &[R], variables: usize) -> Vec<f64> {
    let mut gathered = vec![0.0; variables * plan.first_point.last().copied().unwrap_or(0)];
    let cells = by_cells(&mut gathered, &plan.first_point, variables);
    cells.into_par_iter().enumerate().for_each(|(cell, values)| {
        let first = plan.field_offset(cell, variables);
        for (i, to) in values.iter_mut().enumerate() {
            *to = field[first + i * plan.lanes].to_f64();
        }
    });
    gathered
}

/// Writes a field of several variables in mesh order, `[cell][variable][point]`, to `field` in device order.
pub fn scatter<R: Real>(plan: &Plan, values: &[f64], variables: usize, field: &mut [R]) {
    let lanes = plan.lanes;
    let mut rest = &mut field[..plan.state_len() / 5 * variables];
    for group in &plan.groups {
        let size = variables * group.points;
        let (part, others) = rest.split_at_mut((group.end - group.begin) * lanes * size);
        rest = others;
        part.par_chunks_mut(size * lanes)
            .zip(plan.cell_of_slot[group.begin * lanes..].par_chunks(lanes))
            .for_each(|(block, cells)| {
                for (lane, &cell) in cells.iter().enumerate() {
                    let from = &values[variables * plan.first_point[cell]..];
                    for i in 0..size {
                        block[lane + i * lanes] = R::from_f64(from[i]);
                    }
                }
            });
    }
}

/// Returns `size` values of every cell in mesh order, `[cell][size]`, from device order.
pub fn gather_cells<R: Real>(plan: &Plan, values: &[R], size: usize) -> Vec<f64> {
    let mut gathered = vec![0.0; plan.slot_of_cell.len() * size];
    let rows = gathered.par_chunks_mut(size.max(1)).with_min_len(CELLS_OF_A_THREAD);
    rows.enumerate().for_each(|(cell, row)| {
        let first = plan.offset(cell, size);
        for (i, to) in row.iter_mut().enumerate() {
            *to = values[first + i * plan.lanes].to_f64();
        }
    });
    gathered
}

/// Returns the mean of the densities of a state, `[cell][variable][point]`, at the first points of all cells.
pub fn typical_density(plan: &Plan, state: &[f64]) -> f64 {
    let cells = plan.slot_of_cell.len();
    let sum: f64 = plan.first_point[..cells].iter().map(|first| state[5 * first]).sum();
    sum / cells as f64
}
