//! Totals over the cells of a rank of what a kernel left of each: sums without rounding, and extremes
//! (ptx/kernels/totals.cu). They are taken where the values are, so that the host gets a few numbers. The arrays are
//! allocated when a total is first asked for.

use super::Engine;
use crate::device::contract::{Kernel, SUM_DIGITS, Stage, TOTAL_WORDS};
use crate::device::memory::Real;
use crate::device::store::{Memory, Store};
use crate::device::{CellTotals, Cells, DeviceError};
use crate::ranks::{DIGITS, ExactSum};

const _: () = assert!(
    SUM_DIGITS == DIGITS,
    "kernels and host must agree on the digits of a sum"
);

/// Largest number of chunks of cells, each of which has its totals before they are added: enough for all threads of a
/// GPU, and few enough to be added by a thread for each word.
const MOST_CHUNKS: usize = 1024;
/// Smallest number of cells of a chunk. For fewer it takes longer to add the chunks.
const LEAST_CELLS: usize = 64;

/// Arrays of the totals of one kernel.
pub struct Totals<S: Store> {
    kernel: Kernel,
    /// Slots of the cells, without padding.
    slots: S::Array,
    chunks: S::Array,
    totals: S::Array,
}

impl<S: Store> Totals<S> {
    /// Memory of the arrays.
    pub fn bytes(&self) -> usize {
        self.slots.bytes() + self.chunks.bytes() + self.totals.bytes()
    }
}

impl<S: Store, R: Real> Engine<S, R> {
    /// Returns the totals of what a kernel, the last that left values of each cell, left of them
    /// ([`Diagnostics::totals`](crate::device::Diagnostics::totals)).
    ///
    /// # Errors
    /// The device fails.
    pub fn totals(&mut self, kernel: Kernel) -> Result<CellTotals, DeviceError> {
        let (cells, values) = (self.plan.slot_of_cell.len(), kernel.spec().values);
        let chunk_cells = cells.div_ceil(MOST_CHUNKS).max(LEAST_CELLS);
        let chunks = cells.div_ceil(chunk_cells).max(1);
        let words = TOTAL_WORDS * values;
        let store = &*self.store;
        let known = self.totals.iter().position(|totals| totals.kernel == kernel);
        if known.is_none() {
            let list: Vec<i32> = self.plan.slot_of_cell.iter().map(|&slot| slot as i32).collect();
            let mut slots = store.zeros(size_of_val(list.as_slice()))?;
            store.write(&mut slots, &list)?;
            self.totals.push(Totals {
                kernel,
                slots,
                chunks: store.zeros(chunks * words * size_of::<i64>())?,
                totals: store.zeros(words * size_of::<i64>())?,
            });
        }
        let arrays = &self.totals[known.unwrap_or(self.totals.len() - 1)];
        let mut params = self.params;
        params.total_slots = arrays.slots.pointer();
        params.total_cells = cells as i64;
        params.total_values = values as i64;
        params.chunk_cells = chunk_cells as i64;
        params.total_chunks = chunks as i64;
        params.chunk_totals = arrays.chunks.pointer();
        params.totals = arrays.totals.pointer();
        store.submit(Cells::All, "totals", |queue| {
            let kernels = &self.kernels[0];
            let (of_chunks, of_all) = (
                kernels.get(Kernel::ChunkTotals, Stage::RhsOnly),
                kernels.get(Kernel::Totals, Stage::RhsOnly),
            );
            // SAFETY: the parameters lead to the values of all cells, the slots of the cells, and the totals of as many
            // chunks as there are; an item writes the words of one value of one chunk.
            unsafe { store.launch(queue, of_chunks, 0..chunks * values, &params)? };
            // SAFETY: as above; an item writes one word.
            unsafe { store.launch(queue, of_all, 0..words, &params) }
        })?;
        let totals = store.read::<i64>(&arrays.totals, 0..words)?;
        let word = |word: usize, value: usize| totals[word * values + value];
        let extreme = |place: usize, value: usize| f64::from_bits(word(place, value) as u64);
        Ok(CellTotals {
            sums: (0..values)
                .map(|value| ExactSum::of_digits(|digit| word(digit, value), word(SUM_DIGITS, value)))
                .collect(),
            least: (0..values).map(|value| extreme(SUM_DIGITS + 1, value)).collect(),
            greatest: (0..values).map(|value| extreme(SUM_DIGITS + 2, value)).collect(),
        })
    }
}
