//! The sums over all slots that lie at the same place, on any rank.
//!
//! Coordinates of the same place differ by rounding from cell to cell. All ranks get the sorted list of all coordinates
//! and group it in the same way, so that the places and the order of their rows do not depend on the division of the
//! cells. For the same reason sums are exact before they are rounded.

use std::collections::HashMap;

use super::moments::QUANTITIES;
use super::slots::TOLERANCE;
use crate::device::statistics::Slots;
use crate::geometry::{Geometry, sides};
use crate::ranks::{ExactSum, Ranks};

/// Number of rows that are summed at a time: exact sums are large.
const ROWS: usize = 512;

/// The bins of all slots. Slots at the same place share a bin, whichever cell they belong to.
#[derive(Debug)]
pub struct Bins {
    /// Coordinates of the bins in the directions over which no mean is taken; ascending.
    pub at: Vec<Vec<f64>>,
    /// The bin of each slot, `[cell][slot]`.
    pub bin_of_slot: Vec<usize>,
    /// For each slot its bin, the offset of its first sum, and the stride of its sums; in the order of the bins.
    entries: Vec<(usize, usize, usize)>,
}

impl Bins {
    /// Finds the bins of the slots of this rank's cells. Collective.
    pub fn new(slots: &Slots, geometry: &Geometry, average: [bool; 3], ranks: &Ranks) -> Self {
        let kept: Vec<usize> = (0..3).filter(|&d| !average[d]).collect();
        let mut smallest = [f64::INFINITY];
        let mut mine = Vec::new();
        for (cell, &kind) in geometry.kinds.iter().enumerate() {
            let points = geometry.cell_positions(cell);
            let extent = sides(points);
            kept.iter().for_each(|&d| smallest[0] = smallest[0].min(extent[d]));
            let members = slots.members[kind as usize];
            for slot in slots.list(cell, kind).chunks(members) {
                // Adding zero turns -0 into 0.
                mine.extend(kept.iter().map(|&d| points[slot[0] as usize][d] + 0.0));
            }
        }
        ranks.allreduce_min(&mut smallest);
        let width = kept.len();
        let list = |values: &[f64]| sorted(values.chunks(width).map(<[f64]>::to_vec).collect());
        let distinct: Vec<f64> = list(&mine).concat();
        let all = list(&ranks.allgather(&distinct));
        let (at, number_of) = grouped(all, TOLERANCE * smallest[0]);
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        let bin_of_slot: Vec<usize> = mine.chunks(width).map(|x| number_of[&bits(x)]).collect();
        let mut entries = Vec::with_capacity(bin_of_slot.len());
        let mut first = 0;
        for &kind in &geometry.kinds {
            let count = slots.slots[kind as usize];
            for slot in 0..count {
                entries.push((bin_of_slot[entries.len()], first + slot, count));
            }
            first += slots.sums_of(kind);
        }
        entries.sort_by_key(|(bin, ..)| *bin);
        Bins {
            at,
            bin_of_slot,
            entries,
        }
    }

    /// Computes the means of all quantities in each bin from the sums of this rank's cells. Collective.
    pub fn means(&self, sums: &[f64], ranks: &Ranks) -> Vec<[f64; QUANTITIES.len()]> {
        let mut means = Vec::with_capacity(self.at.len());
        let mut rest = &self.entries[..];
        for begin in (0..self.at.len()).step_by(ROWS) {
            let end = (begin + ROWS).min(self.at.len());
            let mut rows = vec![ExactSum::default(); (end - begin) * QUANTITIES.len()];
            let here = rest.partition_point(|(bin, ..)| *bin < end);
            for &(bin, first, stride) in &rest[..here] {
                let row = &mut rows[(bin - begin) * QUANTITIES.len()..][..QUANTITIES.len()];
                for (quantity, sum) in row.iter_mut().enumerate() {
                    sum.add(sums[first + quantity * stride]);
                }
            }
            rest = &rest[here..];
            let values: Vec<f64> = ExactSum::allreduce_vec(ranks, rows)
                .into_iter()
                .map(ExactSum::value)
                .collect();
            means.extend(values.chunks(QUANTITIES.len()).map(means_of));
        }
        means
    }
}

/// Returns means from sums. The first sum is that of the weights.
pub(super) fn means_of(sums: &[f64]) -> [f64; QUANTITIES.len()] {
    std::array::from_fn(|quantity| sums[quantity] / sums[0])
}

/// Returns the values sorted, each once.
fn sorted(mut list: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let order = |a: &Vec<f64>, b: &Vec<f64>| {
        let pairs = a.iter().zip(b);
        pairs.fold(std::cmp::Ordering::Equal, |o, (x, y)| o.then(x.total_cmp(y)))
    };
    list.sort_unstable_by(order);
    list.dedup();
    list
}

/// Returns the coordinates that differ by more than `tolerance`, and the index of the one to which each value of the
/// list belongs, by its bits.
fn grouped(list: Vec<Vec<f64>>, tolerance: f64) -> (Vec<Vec<f64>>, HashMap<Vec<u64>, usize>) {
    let mut at: Vec<Vec<f64>> = Vec::new();
    let mut boxes: HashMap<Vec<i64>, Vec<usize>> = HashMap::new();
    let mut number_of = HashMap::with_capacity(list.len());
    // Boxes are far wider than the tolerance, so that few values are near two of them.
    let interval = |x: f64| (x / (16.0 * tolerance)).floor() as i64;
    for x in list {
        let near = x.iter().fold(vec![Vec::new()], |corners, &x| {
            let ends = [interval(x - tolerance), interval(x + tolerance)];
            let ends = &ends[..if ends[0] == ends[1] { 1 } else { 2 }];
            let with = |corner: &Vec<i64>| {
                ends.iter()
                    .map(|&e| [corner.as_slice(), &[e]].concat())
                    .collect::<Vec<_>>()
            };
            corners.iter().flat_map(with).collect::<Vec<Vec<i64>>>()
        });
        let close = |&&number: &&usize| at[number].iter().zip(&x).all(|(a, b)| (a - b).abs() <= tolerance);
        let found = near.iter().filter_map(|b| boxes.get(b)).flatten().find(close).copied();
        let number = found.unwrap_or_else(|| {
            boxes
                .entry(x.iter().map(|&x| interval(x)).collect())
                .or_default()
                .push(at.len());
            at.push(x.clone());
            at.len() - 1
        });
        number_of.insert(x.iter().map(|x| x.to_bits()).collect(), number);
    }
    (at, number_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_that_differ_by_rounding_are_one_place_and_others_are_not() {
        let list: Vec<Vec<f64>> = (0..200)
            .flat_map(|k| {
                let x = f64::from(k) * 0.1;
                [vec![x], vec![x + 3e-9], vec![x - 2e-9]]
            })
            .collect();
        let (at, number_of) = grouped(sorted(list.clone()), 1e-8);
        assert_eq!(at.len(), 200);
        assert!(at.is_sorted());
        for (k, x) in list.iter().enumerate() {
            assert_eq!(number_of[&vec![x[0].to_bits()]], k / 3);
        }
    }
}
