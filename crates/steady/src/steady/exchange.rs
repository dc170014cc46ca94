//! The exchange of values at vertices between ranks, through the memory of the host.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::dual::DualMesh;
use super::machine::{Machine, upload};
use super::slices::Slices;
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::ranks::Ranks;

/// Lists of vertices whose values are exchanged, and room for the values.
pub struct Exchange<M: Machine> {
    ranks: Rc<Ranks>,
    neighbours: Vec<Part>,
    sent: List<M::Array>,
    received: RefCell<List<M::Array>>,
}

/// What is exchanged with one rank: places in the list of what is sent, and in that of what is received.
pub struct Part {
    /// The other rank.
    pub rank: usize,
    /// What it is sent.
    pub sent: Range<usize>,
    /// What comes from it.
    pub received: Range<usize>,
}

/// Sends so many values of each item of a list, `[value][item]`, and returns those of what is received in the same way.
/// Collective among the ranks of the parts.
pub fn exchange(ranks: &Ranks, parts: &[Part], values: usize, packed: &[f64]) -> Vec<f64> {
    let sent = parts.last().map_or(0, |part| part.sent.end);
    let received = parts.last().map_or(0, |part| part.received.end);
    let list = |part: &Part| {
        let row = |v: usize| &packed[v * sent + part.sent.start..v * sent + part.sent.end];
        (part.rank, (0..values).flat_map(|v| row(v).to_vec()).collect())
    };
    let lists: Vec<(usize, Vec<f64>)> = parts.iter().map(list).collect();
    let lengths = parts.iter().map(|part| values * part.received.len());
    let mut all = vec![0.0; values * received];
    for (part, list) in parts.iter().zip(ranks.exchange_lengths(&lists, lengths)) {
        for (v, row) in list.chunks(part.received.len().max(1)).enumerate() {
            all[v * received + part.received.start..][..row.len()].copy_from_slice(row);
        }
    }
    all
}

/// Slots of vertices, and an array of the values there.
struct List<A> {
    slots: A,
    values: A,
    count: usize,
}

impl<M: Machine> Exchange<M> {
    /// Prepares the exchange of up to `most` values of each vertex.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(
        store: &M,
        dual: &DualMesh,
        slices: &Slices,
        most: usize,
        ranks: Rc<Ranks>,
    ) -> Result<Self, DeviceError> {
        let mut sent = Vec::new();
        let mut received = Vec::new();
        let mut neighbours = Vec::new();
        for neighbour in &dual.exchange {
            let begin = (sent.len(), received.len());
            sent.extend(neighbour.send.iter().map(|&vertex| slices.slot(vertex as usize) as i32));
            received.extend(neighbour.receive.clone().map(|vertex| slices.slot(vertex) as i32));
            neighbours.push(Part {
                rank: neighbour.rank,
                sent: begin.0..sent.len(),
                received: begin.1..received.len(),
            });
        }
        let list = |slots: &[i32]| {
            Ok::<_, DeviceError>(List {
                values: store.zeros(most * size_of_val(slots) * 2)?,
                slots: upload(store, slots)?,
                count: slots.len(),
            })
        };
        Ok(Exchange {
            sent: list(&sent)?,
            received: RefCell::new(list(&received)?),
            ranks,
            neighbours,
        })
    }

    /// The ranks among which values are exchanged.
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// The same, for the exchange of another level.
    pub fn shared_ranks(&self) -> Rc<Ranks> {
        self.ranks.clone()
    }

    /// Whether there is no other rank.
    pub fn is_alone(&self) -> bool {
        self.ranks.size() == 1
    }

    /// Gives the halo of an array, with so many values of each vertex, the values of the owners. `params` are those of
    /// any launch of the solver with the array, and `launch` runs a kernel over so many points. Collective.
    pub fn values(
        &self,
        store: &M,
        params: SteadyParams,
        values: usize,
        launch: impl Fn(SteadyKernel, SteadyParams, usize) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        if self.is_alone() {
            return Ok(());
        }
        let over = |list: &List<M::Array>| {
            let mut params = params;
            params.exchanged_values = values as i64;
            params.exchanged_count = list.count as i64;
            params.exchange = list.values.pointer();
            params.exchange_list = list.slots.pointer();
            params
        };
        launch(SteadyKernel::Pack, over(&self.sent), self.sent.count)?;
        let packed = store.read::<f64>(&self.sent.values, 0..values * self.sent.count)?;
        let all = exchange(&self.ranks, &self.neighbours, values, &packed);
        let mut received = self.received.borrow_mut();
        store.write(&mut received.values, &all)?;
        launch(SteadyKernel::Unpack, over(&received), received.count)
    }
}
