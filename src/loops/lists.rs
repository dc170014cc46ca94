//! Lists of numbers, one list an item: nodes of faces, faces of cells and the like.

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

    /// Returns the lists in slices of 2^bits lists as the kernels read them: the first place of each slice, the length
    /// of each list, the number at each place, and for every number its place before (`None` where a list is padded).
    pub fn sliced(&self, bits: u32) -> Sliced {
        let width = 1usize << bits;
        let mut sliced = Sliced::default();
        sliced.count = (0..self.count()).map(|item| self.of(item).len() as i32).collect();
        for begin in (0..self.count()).step_by(width) {
            sliced.first.push(sliced.origin.len() as i32);
            let items = begin..(begin + width).min(self.count());
            let rows = items.clone().map(|item| self.of(item).len()).max().unwrap_or(0);
            for row in 0..rows {
                for item in begin..begin + width {
                    let is_there = items.contains(&item) && row < self.of(item).len();
                    sliced.origin.push(is_there.then(|| self.first[item] + row as u32));
                }
            }
        }
        sliced.numbers = sliced.values(|place| self.numbers[place], 0);
        sliced
    }
}

/// Lists in slices of equal length.
#[derive(Debug, Default)]
pub struct Sliced {
    /// First place of each slice.
    pub first: Vec<i32>,
    /// Length of each list.
    pub count: Vec<i32>,
    /// Number at each place; 0 beyond the end of a list.
    pub numbers: Vec<i32>,
    /// Place of each number in the lists that were sliced.
    origin: Vec<Option<u32>>,
}

impl Sliced {
    /// Returns the value at each place; `of` has those of the lists that were sliced.
    pub fn values<T: Copy>(&self, of: impl Fn(usize) -> T, padding: T) -> Vec<T> {
        let value = |origin: &Option<u32>| origin.map_or(padding, |place| of(place as usize));
        self.origin.iter().map(value).collect()
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
