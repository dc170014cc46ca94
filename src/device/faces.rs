//! Every face once: the list for the one kernel that goes over faces, made from the plan's neighbour slots.
//!
//! A row takes one face of a whole block, whose lanes the kernel computes side by side; where both sides of some of these
//! faces would be in the list, the lanes of one side are marked as taken elsewhere.

use std::ops::Range;

use super::contract::{FaceMark, Slot};
use super::{DeviceError, Plan};
use crate::element::ElementKind;

/// Faces of a hexahedron: the loops are compared on hexahedra alone.
pub(super) const FACES: usize = 6;
/// Marks in place of an offset.
const OF_OTHER: i64 = FaceMark::OfOther as i64;
const ALONE: i64 = FaceMark::Alone as i64;

/// Said of other cells.
pub(super) const ONLY_HEXES: DeviceError = DeviceError::Lacking("the interface flux of other cells than hexahedra");

/// Values of the interface flux of a cell; `None` if there are other cells than hexahedra.
pub(super) fn values(plan: &Plan) -> Option<usize> {
    let hexes = plan.groups.iter().all(|g| g.kind == ElementKind::Hex);
    hexes.then(|| FACES * 5 * face_size(plan))
}

/// Points of a face.
fn face_size(plan: &Plan) -> usize {
    (plan.order + 1).pow(2)
}

/// Rows [block * 6 + face, whole, other side of every lane], and those of each group of blocks as a range of rows. `slots` are
/// those of the plan, which a device may have moved elsewhere.
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
            let together = others[0] >= 0 && others[0] % lanes as i64 == 0;
            let whole = together && (0..lanes).all(|lane| others[lane] == others[0] + lane as i64);
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

/// Offset of the values of the other side of a face, or a mark. A face belongs to the side with the odd local number, so that
/// in a box all lanes of a block face belong together; else to the first of both.
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
