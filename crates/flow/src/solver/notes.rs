//! What the devices of all ranks noted of single cells since the last look: the first state that is not physical, and
//! what the filter did.

use crate::device::{Device, DeviceError, Fault, FilterActs};
use crate::ranks::Ranks;

/// What was noted since the last look, over all ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Notes {
    /// The first state that a stage left unphysical.
    pub fault: Option<Fault>,
    /// What the filter did.
    pub acts: FilterActs,
    /// Steps since that look.
    pub steps: u64,
    /// Cells of the mesh.
    pub cells: u64,
}

impl Notes {
    /// Returns the cells times the stages of the steps since that look, of which each step has so many.
    pub fn cell_stages(&self, stages: usize) -> f64 {
        (self.cells * self.steps) as f64 * stages as f64
    }

    /// Reads the notes of all ranks. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub(super) fn take(device: &dyn Device, ranks: &Ranks, own_cells: usize, steps: u64) -> Result<Self, DeviceError> {
        let mut first = [device.fault()?.map_or(u64::MAX, |fault| fault.word() as u64)];
        ranks.allreduce_min(&mut first);
        let own = device.filter_acts()?;
        let sent = [
            own.changes,
            own.strength.to_bits(),
            own.cell.unwrap_or(u64::MAX),
            own_cells as u64,
        ];
        let (mut acts, mut cells) = (FilterActs::default(), 0);
        for of_rank in ranks.allgather(&sent).chunks_exact(sent.len()) {
            acts.add(&FilterActs {
                changes: of_rank[0],
                strength: f64::from_bits(of_rank[1]),
                cell: (of_rank[2] != u64::MAX).then_some(of_rank[2]),
            });
            cells += of_rank[3];
        }
        Ok(Notes {
            fault: (first[0] != u64::MAX)
                .then(|| Fault::of_word(first[0] as i64))
                .flatten(),
            acts,
            steps,
            cells,
        })
    }
}
