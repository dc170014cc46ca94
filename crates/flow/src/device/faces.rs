//! A list with every face of the mesh once, for the benchmark kernel that loops over faces. It is made from the
//! neighbour slots of the plan.
//!
//! A row of the list is one local face of a block, whose lanes the kernel computes together. A face between two cells
//! appears in the rows of both blocks, and is marked in one of them as belonging to the other row.

use std::ops::Range;

use super::contract::{FaceMark, Slot};
use super::{DeviceError, Plan};
use crate::element::ElementKind;

/// Faces of a cell. The list exists for hexahedra only.
pub(super) const FACES: usize = 6;
/// The mark of a face that is in another row, in place of an offset.
const OF_OTHER: i64 = FaceMark::OfOther as i64;
/// The mark of a face on a boundary, in place of an offset.
const ALONE: i64 = FaceMark::Alone as i64;

/// The error for cells that are not hexahedra.
pub(super) const ONLY_HEXES: DeviceError = DeviceError::Lacking("the interface flux of other cells than hexahedra");

/// Returns the number of values of the interface flux of a cell, or `None` if there are other cells than hexahedra.
pub(super) fn values(plan: &Plan) -> Option<usize> {
    let hexes = plan.groups.iter().all(|g| g.kind == ElementKind::Hex);
    hexes.then(|| FACES * 5 * face_size(plan))
}

/// Returns the number of points of a face.
fn face_size(plan: &Plan) -> usize {
    (plan.order + 1).pow(2)
}

/// Returns the rows of the list, and the range of rows of each group. A row is `[block * 6 + face, whole, other side of
/// every lane]`, where `whole` is 1 if the other sides of all lanes are adjacent in memory. `slots` are the neighbour
/// slots of the plan, which the plan itself no longer holds once they are on a device.
pub(super) fn list(plan: &Plan, slots: &[Slot]) -> (Vec<i64>, Vec<Range<usize>>) {
    let lanes = plan.lanes;
    let (mut rows, mut ranges, mut count) = (Vec::new(), Vec::new(), 0);
    for group in &plan.groups {
        let first = count;
        for slot in group.begin * FACES..group.end * FACES {
            let others: Vec<i64> = (0..lanes).map(|lane| other_side(plan, slots, slot, lane)).collect();
            if others.iter().all(|&other| other == OF_OTHER) {
                continue;
            }
            let aligned = others[0] >= 0 && others[0] % lanes as i64 == 0;
            let whole = aligned && (0..lanes).all(|lane| others[lane] == others[0] + lane as i64);
            let table = |lane: usize| slots[slot * lanes + lane].trace.table;
            let same_table = (1..lanes).all(|lane| table(lane) == table(0));
            rows.extend([slot as i64, i64::from(whole && same_table)]);
            rows.extend(others);
            count += 1;
        }
        ranges.push(first..count);
    }
    (rows, ranges)
}

/// Returns the offset of the values of the other side of a face, or a mark.
///
/// A face belongs to the side with the odd local number, so that in a box all lanes of a row are computed together. If
/// both numbers are odd or both even, it belongs to the first side.
fn other_side(plan: &Plan, slots: &[Slot], slot: usize, lane: usize) -> i64 {
    let (lanes, nl) = (plan.lanes, face_size(plan));
    let at = slot / FACES * lanes + lane;
    let padding = plan.slot_of_cell[plan.cell_of_slot[at]] != at;
    let trace = slots[slot * lanes + lane].trace.base as usize;
    if padding {
        return OF_OTHER;
    }
    if trace >= plan.trace_len() {
        return ALONE;
    }
    // Traces are [block][face][4][face point][lane].
    let (other, other_lane) = (trace / (4 * nl * lanes), trace % lanes);
    let (odd, other_odd) = (slot % 2 == 1, other % 2 == 1);
    let mine = if odd == other_odd {
        (slot, lane) < (other, other_lane)
    } else {
        odd
    };
    if mine {
        (other * 5 * nl * lanes + other_lane) as i64
    } else {
        OF_OTHER
    }
}
