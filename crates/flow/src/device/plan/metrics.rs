//! Metric terms and area vectors of a group of cells in the order of the device. They are converted on their way to the
//! arrays of the device, so that the host holds no second copy.

use rayon::prelude::*;

use super::{Group, Plan};
use crate::device::layout::CELLS_OF_A_THREAD;
use crate::device::memory::Real;
use crate::geometry::Geometry;

impl Plan {
    /// Writes the metric terms of a group: of curved cells `[block][10][point][lane]`, with Ja^d_m at 3 d + m, then
    /// 1/J; of affine cells `[block][3][4][lane]` (ptx/method/metrics.h).
    pub fn write_metrics<R: Real>(&self, group: &Group, geometry: &Geometry, to: &mut [R]) {
        let points = group.metric_points;
        self.each_lane(group, to, group.metrics_per_block(), |cell, set| {
            for (i, &value) in geometry.metrics[cell].values().iter().enumerate() {
                let (term, p) = (i / points, i % points);
                // Metric terms of an affine cell are rows of four: Ja^d, with 1/J at the end of the first row.
                let at = match (points, term) {
                    (1, 9) => 3,
                    (1, _) => term / 3 * 4 + term % 3,
                    _ => term * points + p,
                };
                set(at, if term == 9 { 1.0 / value } else { value });
            }
        });
    }

    /// Writes the outward area vectors of a group in rows of four, whose ends stay as they are: of affine cells
    /// `[block][face][4][lane]`; of curved cells `[block][face point][4][lane]`, except for hexahedra, which have none.
    pub fn write_normals<R: Real>(&self, group: &Group, geometry: &Geometry, to: &mut [R]) {
        self.each_lane(group, to, 4 * group.normals_per_block(), |cell, set| {
            let mut row = 0;
            for face in 0..group.faces() {
                let areas = if group.affine() {
                    vec![geometry.constant_area(cell, face)]
                } else {
                    geometry.face_areas(cell, face)
                };
                for area in areas {
                    (0..3).for_each(|m| set(4 * row + m, area[m]));
                    row += 1;
                }
            }
        });
    }

    /// Calls `write` for every lane of the blocks of a group, with its cell and a function that sets the lane's value
    /// at a place of the block. A block has `size` values a lane.
    fn each_lane<R: Real>(
        &self,
        group: &Group,
        to: &mut [R],
        size: usize,
        write: impl Fn(usize, &mut dyn FnMut(usize, f64)) + Sync,
    ) {
        let lanes = self.lanes;
        to.par_chunks_mut((size * lanes).max(1))
            .zip(self.cell_of_slot[group.begin * lanes..group.end * lanes].par_chunks(lanes))
            .with_min_len(CELLS_OF_A_THREAD / (lanes * group.metric_points))
            .for_each(|(block, cells)| {
                for (lane, &cell) in cells.iter().enumerate() {
                    write(cell, &mut |at, value| block[at * lanes + lane] = R::from_f64(value));
                }
            });
    }
}
