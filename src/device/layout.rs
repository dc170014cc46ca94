//! From the mesh's order of cells to the device's and back: padding is filled on the way in and left out on the way back.

use rayon::prelude::*;

use super::Plan;
use super::memory::Real;

/// A field of `size` values a cell in device order, gathered to mesh order.
pub fn gather<R: Real>(plan: &Plan, field: &[R], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; plan.place.len() * size];
    out.par_chunks_mut(size).enumerate().for_each(|(cell, values)| {
        let first = plan.offset(cell, size);
        for (i, value) in values.iter_mut().enumerate() {
            *value = field[first + i * plan.lanes].to_f64();
        }
    });
    out
}

/// A field of `size` values a cell in mesh order, scattered to device order in `field`.
pub fn scatter<R: Real>(plan: &Plan, values: &[f64], size: usize, field: &mut [R]) {
    let lanes = plan.lanes;
    field[..plan.occupant.len() * size]
        .par_chunks_mut(size * lanes)
        .zip(plan.occupant.par_chunks(lanes))
        .for_each(|(block, cells)| {
            for (lane, &cell) in cells.iter().enumerate() {
                for i in 0..size {
                    block[lane + i * lanes] = R::from_f64(values[cell * size + i]);
                }
            }
        });
}
