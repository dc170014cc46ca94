//! Lists of numbers, one list an item: nodes of faces, faces of cells and the like.

use rayon::prelude::*;

/// Lists of numbers, one after the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lists {
    /// Place of the first number of each list, and the end of the last list, `[list + 1]`.
    pub first: Vec<u32>,
    /// The numbers of all lists.
    pub numbers: Vec<i32>,
}

impl Lists {
    /// Returns lists with these numbers.
    pub fn new<L: IntoIterator<Item = i32>>(lists: impl Iterator<Item = L>) -> Self {
        let mut all = Lists {
            first: vec![0],
            numbers: Vec::new(),
        };
        for list in lists {
            all.numbers.extend(list);
            all.first.push(all.numbers.len() as u32);
        }
        all
    }

    /// Number of lists.
    pub fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// One list.
    pub fn of(&self, item: usize) -> &[i32] {
        &self.numbers[self.first[item] as usize..self.first[item + 1] as usize]
    }

    /// Returns the list of every number below `count`: the entries of those lists in which it is, in their order.
    /// `entry` makes an entry from the number of a list and a place in it.
    pub fn transposed(&self, count: usize, entry: impl Fn(usize, usize) -> i32) -> Lists {
        let mut first = vec![0u32; count + 1];
        self.numbers.iter().for_each(|&number| first[number as usize + 1] += 1);
        for item in 0..count {
            first[item + 1] += first[item];
        }
        let (mut next, mut numbers) = (first.clone(), vec![0; self.numbers.len()]);
        for list in 0..self.count() {
            for (place, &number) in self.of(list).iter().enumerate() {
                let at = &mut next[number as usize];
                numbers[*at as usize] = entry(list, place);
                *at += 1;
            }
        }
        Lists { first, numbers }
    }

    /// Returns the lists in another order: list i is the old list `order[i]`.
    pub fn permuted(&self, order: &[u32]) -> Lists {
        Lists::new(order.iter().map(|&old| self.of(old as usize).iter().copied()))
    }

    /// Gives every number a new one.
    pub fn renumber(&mut self, new: &[u32]) {
        let number = |number: &mut i32| *number = new[*number as usize] as i32;
        self.numbers.iter_mut().for_each(number);
    }

    /// Returns the lists in slices of 2^bits lists as the kernels read them.
    pub fn sliced(&self, bits: u32) -> Sliced {
        let (width, count) = (1usize << bits, self.count());
        let length = |item: usize| (self.first[item + 1] - self.first[item]) as usize;
        let mut first = Vec::with_capacity(count.div_ceil(width) + 1);
        let mut origin = Vec::with_capacity(self.numbers.len());
        for begin in (0..count).step_by(width) {
            first.push(origin.len() as i32);
            let items = begin..(begin + width).min(count);
            let rows = items.clone().map(length).max().unwrap_or(0);
            for row in 0..rows {
                let place = |item: usize| {
                    if row < length(item) {
                        self.first[item] + row as u32
                    } else {
                        PADDING
                    }
                };
                origin.extend(items.clone().map(place));
                origin.resize(origin.len() + width - items.len(), PADDING);
            }
        }
        let mut sliced = Sliced {
            first,
            count: (0..count).map(|item| length(item) as i32).collect(),
            numbers: Vec::new(),
            origin,
        };
        sliced.numbers = sliced.values(|place| self.numbers[place], 0);
        sliced
    }
}

/// The mark of a place beyond the end of a list.
const PADDING: u32 = u32::MAX;

/// Lists in slices, so that row k of a slice has the k-th numbers of its lists; slices of one list have no padding.
#[derive(Debug)]
pub struct Sliced {
    /// First place of each slice.
    pub first: Vec<i32>,
    /// Length of each list.
    pub count: Vec<i32>,
    /// Number at each place; 0 beyond the end of a list.
    pub numbers: Vec<i32>,
    /// Place of each number in the lists that were sliced, or [`PADDING`].
    origin: Vec<u32>,
}

impl Sliced {
    /// Returns the value at each place; `of` has those of the lists that were sliced.
    pub fn values<T: Copy + Send + Sync>(&self, of: impl Fn(usize) -> T + Sync, padding: T) -> Vec<T> {
        let value = |&origin: &u32| match origin {
            PADDING => padding,
            place => of(place as usize),
        };
        self.origin.par_iter().map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_transposed_and_sliced() {
        let lists = Lists::new([vec![0, 2], vec![1], vec![2, 1, 0]].into_iter());
        let back = lists.transposed(3, |list, _| list as i32);
        assert_eq!(back, Lists::new([vec![0, 2], vec![1, 2], vec![0, 2]].into_iter()));
        assert_eq!(back.transposed(3, |list, _| list as i32).of(2), [0, 1, 2]);
        let same = lists.sliced(0);
        assert_eq!(same.numbers, lists.numbers);
        assert_eq!((same.first, same.count), (vec![0, 2, 3], vec![2, 1, 3]));
        let pairs = lists.sliced(1);
        assert_eq!(pairs.first, [0, 4]);
        assert_eq!(pairs.numbers, [0, 1, 2, 0, 2, 0, 1, 0, 0, 0]);
        assert_eq!(lists.permuted(&[2, 0, 1]).of(0), [2, 1, 0]);
    }
}
