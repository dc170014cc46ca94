//! Colours of items: items of one colour change no common value.

use std::ops::Range;

/// An order of items by colours, and the items of each colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Colours {
    /// Items sorted by colour, those of a colour in ascending order.
    pub order: Vec<u32>,
    /// Ranges of `order`, `[colour]`.
    pub ranges: Vec<Range<usize>>,
}

impl Colours {
    /// Gives each item the first colour that no earlier item with a common value has. `values` has the numbers, below
    /// `count`, of the values that an item changes.
    ///
    /// # Panics
    ///
    /// If more than 128 colours are needed.
    pub fn new<'a>(items: usize, count: usize, values: impl Fn(usize) -> &'a [i32]) -> Self {
        let mut used = vec![0u128; count];
        let mut colour_of = vec![0u8; items];
        for (item, colour) in colour_of.iter_mut().enumerate() {
            let taken = values(item)
                .iter()
                .fold(0, |taken, &value| taken | used[value as usize]);
            *colour = taken.trailing_ones() as u8;
            assert!(*colour < 128, "the meshes of the benchmark need fewer colours");
            values(item)
                .iter()
                .for_each(|&value| used[value as usize] |= 1 << *colour);
        }
        let colours = colour_of.iter().max().map_or(0, |&most| usize::from(most) + 1);
        let mut begin = vec![0; colours + 1];
        colour_of.iter().for_each(|&colour| begin[usize::from(colour) + 1] += 1);
        for colour in 0..colours {
            begin[colour + 1] += begin[colour];
        }
        let (mut next, mut order) = (begin.clone(), vec![0; items]);
        for (item, &colour) in colour_of.iter().enumerate() {
            order[next[usize::from(colour)]] = item as u32;
            next[usize::from(colour)] += 1;
        }
        Colours {
            order,
            ranges: begin.windows(2).map(|ends| ends[0]..ends[1]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_a_colour_share_no_value() {
        // The edges of a ring of 7 nodes, of which an odd number needs a third colour.
        let ends: Vec<[i32; 2]> = (0..7).map(|i| [i, (i + 1) % 7]).collect();
        let colours = Colours::new(7, 7, |edge| &ends[edge]);
        assert_eq!(colours.ranges.len(), 3);
        for range in &colours.ranges {
            let mut seen: Vec<i32> = colours.order[range.clone()]
                .iter()
                .flat_map(|&edge| ends[edge as usize])
                .collect();
            let count = seen.len();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), count);
        }
        let mut all = colours.order.clone();
        all.sort_unstable();
        assert_eq!(all, (0..7).collect::<Vec<u32>>());
    }
}
