//! The classes of cells by which the paired scheme sorts them, so that a stage goes over one range of blocks.
//!
//! Level 0 has the smallest cells, and a stage computes the right-hand side of the first levels. A level is divided
//! into the cells beside the level before, the cells beside these, and all others: what a stage needs of cells that
//! compute no right-hand side is then the beginning of the next level.

use super::Plan;
use crate::device::contract::LEVELS;

/// Cells of a range of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classes {
    begin: usize,
    end: usize,
}

impl Classes {
    /// All cells.
    pub const ALL: Classes = Classes {
        begin: 0,
        end: usize::MAX,
    };

    /// Returns the class of a cell of a level: in ring 1 beside the level before, in ring 2 beside such a cell, or in
    /// ring 3.
    pub fn number(level: usize, ring: usize) -> u8 {
        (if level == 0 { 0 } else { first(level) + ring - 1 }) as u8
    }

    /// Returns the level of a class.
    pub fn level(class: u8) -> usize {
        usize::from(class).div_ceil(3)
    }

    /// Returns the cells of these levels.
    pub fn of_levels(levels: std::ops::Range<usize>) -> Self {
        Classes {
            begin: first(levels.start),
            end: first(levels.end),
        }
    }

    /// Returns the cells of the first `levels` levels and those beside them.
    pub fn with_ring(levels: usize) -> Self {
        Classes {
            begin: 0,
            end: first(levels) + 1,
        }
    }

    /// Returns these and the cells beside them.
    pub fn with_two_rings(levels: usize) -> Self {
        Classes {
            begin: 0,
            end: first(levels) + 2,
        }
    }

    /// Returns the cells of these that are not in the first `levels` levels.
    pub fn behind_levels(self, levels: usize) -> Self {
        Classes {
            begin: self.begin.max(first(levels)),
            ..self
        }
    }

    /// Returns where the cells begin and end in a list of the beginnings of all classes, with the end of the last one.
    pub(super) fn among(self, begins: &[usize]) -> std::ops::Range<usize> {
        let last = begins.len() - 1;
        begins[self.begin.min(last)]..begins[self.end.min(last)]
    }
}

/// Returns the first class of a level.
fn first(level: usize) -> usize {
    (3 * level).saturating_sub(2)
}

impl Plan {
    /// Returns these cells divided by their classes.
    pub(super) fn by_class(&self, cells: &[usize]) -> Vec<Vec<usize>> {
        if self.classes.is_empty() {
            return vec![cells.to_vec()];
        }
        let mut classes = vec![Vec::new(); usize::from(Classes::number(LEVELS - 1, 3)) + 1];
        for &cell in cells {
            classes[usize::from(self.classes[cell])].push(cell);
        }
        classes
    }

    /// Returns the level of a cell in the paired scheme.
    pub fn level(&self, cell: usize) -> usize {
        Classes::level(self.classes[cell])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_the_classes_of_levels_and_rings() {
        let mut next = 0;
        for level in 0..4 {
            for ring in if level == 0 { 3..=3 } else { 1..=3 } {
                let class = Classes::number(level, ring);
                assert_eq!((usize::from(class), Classes::level(class)), (next, level));
                next += 1;
            }
        }
        let begins: Vec<usize> = (0..=10).collect();
        assert_eq!(Classes::ALL.among(&begins), 0..10);
        assert_eq!(Classes::of_levels(0..1).among(&begins), 0..1);
        assert_eq!(Classes::of_levels(1..3).among(&begins), 1..7);
        assert_eq!(Classes::with_ring(1).among(&begins), 0..2);
        assert_eq!(Classes::with_two_rings(2).behind_levels(1).among(&begins), 1..6);
        assert_eq!(Classes::with_ring(4).among(&begins), 0..10);
        assert_eq!(Classes::ALL.among(&[3, 5]), 3..5);
    }
}
