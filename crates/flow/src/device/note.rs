//! What kernels note of single cells in words that the host reads when it looks (ptx/method/note.h): the first state
//! that is not physical, and what the filter did.

use super::contract::{FAULT_CELL_BITS, FAULT_STAGE_BITS, FILTERED_CELL_BITS, FilterWord, NO_FAULT};

/// The largest number of a step that a note can hold.
pub(super) const LAST_STEP: u64 = (1 << (63 - FAULT_STAGE_BITS - FAULT_CELL_BITS)) - 1;

/// The first unphysical state that a stage wrote since the last look. Of several the earliest stage counts, and then
/// the least number of a cell: they are ordered so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Number of the step since the last look, from 1; 0 of an initial state.
    pub step: u64,
    /// Number of the stage that wrote it, from 1; 0 of an initial state.
    pub stage: u64,
    /// Number of the cell in the whole mesh.
    pub cell: u64,
}

impl Fault {
    /// Returns the note as one number, of which the least is that of the first fault.
    pub fn word(self) -> i64 {
        let of_stage = (self.step << FAULT_STAGE_BITS) | self.stage;
        ((of_stage << FAULT_CELL_BITS) | self.cell) as i64
    }

    /// Returns what such a number says; `None` if it is [`NO_FAULT`].
    pub fn of_word(word: i64) -> Option<Self> {
        let low = |bits: usize| (1i64 << bits) - 1;
        (word != NO_FAULT).then_some(Fault {
            step: (word >> (FAULT_STAGE_BITS + FAULT_CELL_BITS)) as u64,
            stage: ((word >> FAULT_CELL_BITS) & low(FAULT_STAGE_BITS)) as u64,
            cell: (word & low(FAULT_CELL_BITS)) as u64,
        })
    }
}

/// What the filter did since the last look.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FilterActs {
    /// Number of cells that it changed, each stage counted.
    pub changes: u64,
    /// The strongest change: how far the cell was taken to its mean, from 0 to 1.
    pub strength: f64,
    /// Number of that cell in the whole mesh, the least one of several; `None` without a change.
    pub cell: Option<u64>,
}

impl FilterActs {
    /// Returns what the words say, in the order of [`FilterWord`].
    pub(super) fn of_words(words: &[i64]) -> Self {
        let strongest = words[FilterWord::Strongest as usize];
        let last = (1i64 << FILTERED_CELL_BITS) - 1;
        FilterActs {
            changes: words[FilterWord::Changes as usize] as u64,
            strength: f64::from(f32::from_bits((strongest >> FILTERED_CELL_BITS) as u32)),
            cell: (strongest > 0).then_some((last - (strongest & last)) as u64),
        }
    }

    /// Adds what was done later, or on another rank.
    pub fn add(&mut self, other: &Self) {
        self.changes += other.changes;
        let key = |acts: &Self| (acts.strength, acts.cell.map(std::cmp::Reverse));
        if key(other) > key(self) {
            (self.strength, self.cell) = (other.strength, other.cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_as_it_was_written() {
        assert_eq!(Fault::of_word(NO_FAULT), None);
        let fault = Fault {
            step: 10,
            stage: 14,
            cell: 123_456_789_012,
        };
        assert_eq!(
            fault.word(),
            (((10i64 << FAULT_STAGE_BITS) | 14) << FAULT_CELL_BITS) | 123_456_789_012
        );
        assert_eq!(Fault::of_word(fault.word()), Some(fault));
    }

    #[test]
    fn the_strongest_change_counts_and_then_the_least_number() {
        let acts = |strength: f64, cell: u64| {
            let last = (1i64 << FILTERED_CELL_BITS) - 1;
            let bits = i64::from((strength as f32).to_bits());
            FilterActs::of_words(&[2, (bits << FILTERED_CELL_BITS) | (last - cell as i64), 0])
        };
        let mut all = FilterActs::default();
        for one in [
            acts(0.25, 7),
            acts(0.5, 9),
            acts(0.5, 8),
            acts(0.375, 1),
            FilterActs::default(),
        ] {
            all.add(&one);
        }
        assert_eq!((all.changes, all.strength, all.cell), (8, 0.5, Some(8)));
        assert_eq!(FilterActs::of_words(&[0; FilterWord::COUNT]), FilterActs::default());
    }
}
