//! The sums over all slots that lie at the same place, on any rank.
//!
//! Coordinates of the same place differ by rounding from cell to cell. All ranks get the sorted list of all coordinates
//! and group it in the same way, so that the places and the order of their rows do not depend on the division of the
//! cells. For the same reason sums are exact before they are rounded. Each coordinate is grouped by itself, so that the
//! places of a column have the same coordinate to the last bit.

use std::cmp::Ordering;
use std::ops::Range;

use super::slots::TOLERANCE;
use crate::device::statistics::Slots;
use crate::geometry::{Geometry, sides};
use crate::ranks::{ExactSum, Ranks};

/// Number of bins of each rank that are summed at a time: exact sums are large.
const ROWS: usize = 512;

/// The bins of all slots. Slots at the same place share a bin, whichever cell they belong to.
#[derive(Debug)]
pub struct Bins {
    /// Coordinates of the bins in the directions over which no mean is taken; ascending.
    pub at: Vec<Vec<f64>>,
    /// The bin of each slot, `[cell][slot]`.
    pub bin_of_slot: Vec<usize>,
    /// Number of quantities.
    quantities: usize,
    /// The slots in the order of their bins.
    entries: Vec<Entry>,
}

/// A slot and the bin to which it belongs.
#[derive(Debug)]
struct Entry {
    bin: usize,
    /// Offset of the first sum of the slot.
    first: usize,
    /// Stride of its sums.
    stride: usize,
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
        let groups: Vec<Vec<f64>> = (0..width)
            .map(|d| grouped(all.iter().map(|x| x[d]).collect(), TOLERANCE * smallest[0]))
            .collect();
        let place = |x: &[f64]| -> Vec<f64> { x.iter().zip(&groups).map(|(&x, group)| of_group(group, x)).collect() };
        let at = sorted(all.iter().map(|x| place(x)).collect());
        let number = |x: &[f64]| at.partition_point(|other| order(other, &place(x)).is_lt());
        let bin_of_slot: Vec<usize> = mine.chunks(width).map(number).collect();
        let mut entries = Vec::with_capacity(bin_of_slot.len());
        let mut first = 0;
        for &kind in &geometry.kinds {
            let count = slots.slots[kind as usize];
            for slot in 0..count {
                entries.push(Entry {
                    bin: bin_of_slot[entries.len()],
                    first: first + slot,
                    stride: count,
                });
            }
            first += slots.sums_of(kind);
        }
        entries.sort_by_key(|entry: &Entry| entry.bin);
        Bins {
            at,
            bin_of_slot,
            quantities: slots.factors.len(),
            entries,
        }
    }

    /// Computes the sums of all quantities in each bin, `[bin][quantity]`, from those of this rank's cells. Each rank
    /// adds what all have of its share of the bins, so that exact sums travel once, and results to all. Collective.
    pub fn sums(&self, sums: &[f64], ranks: &Ranks) -> Vec<f64> {
        let (width, bins) = (self.quantities, self.at.len());
        let size = ranks.size();
        let share = |rank: usize| rank * bins / size..(rank + 1) * bins / size;
        let mine = share(ranks.rank());
        let mut values = Vec::with_capacity(mine.len() * width);
        for round in (0..bins.div_ceil(size)).step_by(ROWS) {
            let part = |of: Range<usize>| (of.start + round).min(of.end)..(of.start + round + ROWS).min(of.end);
            let lists = (0..size).map(|rank| self.written(part(share(rank)), sums)).collect();
            let own = part(mine.clone());
            let mut totals = vec![ExactSum::default(); own.len() * width];
            for list in ranks.alltoall(lists) {
                let mut rest = &list[..];
                while let Some((&bin, words)) = rest.split_first() {
                    let row = &mut totals[(bin as usize - own.start) * width..][..width];
                    rest = row.iter_mut().fold(words, |words, total| total.merge_written(words));
                }
            }
            values.extend(totals.into_iter().map(ExactSum::value));
        }
        ranks.allgather(&values)
    }

    /// Returns the sums of this rank in these bins as words: the number of a bin, and the sums of its quantities.
    fn written(&self, bins: Range<usize>, sums: &[f64]) -> Vec<i64> {
        let at = |bin: usize| self.entries.partition_point(|entry| entry.bin < bin);
        let mut words = Vec::new();
        for entries in self.entries[at(bins.start)..at(bins.end)].chunk_by(|a, b| a.bin == b.bin) {
            words.push(entries[0].bin as i64);
            for quantity in 0..self.quantities {
                let terms = entries.iter().map(|entry| sums[entry.first + quantity * entry.stride]);
                terms.collect::<ExactSum>().write(&mut words);
            }
        }
        words
    }

    /// Computes the means of all quantities in each bin from the sums of this rank's cells. Collective.
    pub fn means(&self, sums: &[f64], ranks: &Ranks) -> Vec<Vec<f64>> {
        self.sums(sums, ranks).chunks(self.quantities).map(means_of).collect()
    }
}

/// Returns means from sums. The first sum is that of the weights.
pub(super) fn means_of(sums: &[f64]) -> Vec<f64> {
    sums.iter().map(|sum| sum / sums[0]).collect()
}

/// The order of places: by the first coordinate, then by the second.
fn order(a: &[f64], b: &[f64]) -> Ordering {
    let pairs = a.iter().zip(b);
    pairs.fold(Ordering::Equal, |o, (x, y)| o.then(x.total_cmp(y)))
}

/// Returns the values sorted, each once.
fn sorted(mut list: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    list.sort_unstable_by(|a, b| order(a, b));
    list.dedup();
    list
}

/// Returns the smallest value of each group of values that differ by at most `tolerance` from it; ascending.
fn grouped(mut values: Vec<f64>, tolerance: f64) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let mut groups: Vec<f64> = Vec::new();
    for x in values {
        if groups.last().is_none_or(|&first| x - first > tolerance) {
            groups.push(x);
        }
    }
    groups
}

/// Returns the group of a value: the last one that is not above it.
fn of_group(groups: &[f64], x: f64) -> f64 {
    groups[groups.partition_point(|&first| first <= x) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_that_differ_by_rounding_are_one_place_and_others_are_not() {
        let list: Vec<f64> = (0..200)
            .flat_map(|k| {
                let x = f64::from(k) * 0.1;
                [x, x + 3e-9, x - 2e-9]
            })
            .collect();
        let groups = grouped(list.clone(), 1e-8);
        assert_eq!(groups.len(), 200);
        assert!(groups.is_sorted());
        for (k, &x) in list.iter().enumerate() {
            assert_eq!(of_group(&groups, x), groups[k / 3]);
        }
    }
}
