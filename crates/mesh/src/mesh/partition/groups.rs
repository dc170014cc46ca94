//! Groups of cells that are to be in one part of a division: those at interfaces, and those that meet at divided faces.

/// Groups of cells, of which each begins as a group of its own.
pub struct Groups {
    /// A cell of the same group with a smaller number, or the cell itself if it has the smallest one, `[cell]`.
    earlier: Vec<usize>,
}

impl Groups {
    /// Groups of one cell each.
    pub fn of_single(cells: usize) -> Self {
        Groups {
            earlier: (0..cells).collect(),
        }
    }

    /// The smallest number in the group of a cell.
    fn first_of(&mut self, mut cell: usize) -> usize {
        while self.earlier[cell] != cell {
            self.earlier[cell] = self.earlier[self.earlier[cell]];
            cell = self.earlier[cell];
        }
        cell
    }

    /// Makes one group of those of two cells.
    pub fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [a, b].map(|cell| self.first_of(cell));
        self.earlier[a.max(b)] = a.min(b);
    }

    /// The number of the group of each cell. That of the cell `at_first` has the number 0, and the others follow in the
    /// order of their first cells.
    pub fn numbers(mut self, at_first: Option<usize>) -> Vec<usize> {
        let cells = self.earlier.len();
        let mut number = vec![usize::MAX; cells];
        let mut next = 0;
        for cell in at_first.into_iter().chain(0..cells) {
            let first = self.first_of(cell);
            if number[first] == usize::MAX {
                number[first] = next;
                next += 1;
            }
            number[cell] = number[first];
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_joined_through_others_are_one_group() {
        let mut groups = Groups::of_single(7);
        for [a, b] in [[5, 2], [6, 5], [3, 1]] {
            groups.join(a, b);
        }
        assert_eq!(groups.numbers(Some(3)), [1, 0, 2, 0, 3, 2, 2]);
    }
}
