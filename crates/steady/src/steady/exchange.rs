//! The exchange of values at vertices between ranks, through a network that the machines reach themselves or else
//! through the memory of the hosts. Where vertices lie colour by colour, those of one colour can be exchanged alone.

use std::cell::RefCell;
use std::rc::Rc;

use super::dual::{DualMesh, VertexNeighbour};
use super::machine::{Machine, upload};
use super::slices::{Arrangement, Slices};
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::device::{DeviceError, ListPart};
use crate::ranks::Ranks;

/// Vertices whose values are exchanged at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halo {
    /// All that other ranks read.
    All,
    /// Those of one colour.
    Colour(usize),
}

/// Lists of vertices whose values are exchanged, and room for the values.
pub struct Exchange<M: Machine> {
    ranks: Rc<Ranks>,
    all: Lists<M>,
    of_colour: Vec<Lists<M>>,
    sent: M::Array,
    received: RefCell<M::Array>,
}

/// Vertices that are exchanged at once, by their slots.
struct Lists<M: Machine> {
    parts: Vec<ListPart>,
    sent: List<M::Array>,
    received: List<M::Array>,
}

/// Slots of vertices.
struct List<A> {
    slots: A,
    count: usize,
}

/// Sends so many values of each item of a list, `[item][value]`, and returns those of what is received in the same way.
/// Collective among the ranks of the parts.
fn exchange(ranks: &Ranks, parts: &[ListPart], values: usize, packed: &[f64]) -> Vec<f64> {
    let of = |part: &ListPart| packed[values * part.sent.start..values * part.sent.end].to_vec();
    let lists: Vec<(usize, Vec<f64>)> = parts.iter().map(|part| (part.rank, of(part))).collect();
    let lengths = parts.iter().map(|part| values * part.received.len());
    ranks.exchange_lengths(&lists, lengths).concat()
}

/// Exchanges so many values of each item of lists, `[item][value]`. Parts follow each other without gaps. Collective
/// among the ranks of the parts.
///
/// # Errors
/// The machine or the network fails.
pub fn exchange_arrays<M: Machine>(
    store: &M,
    ranks: &Ranks,
    parts: &[ListPart],
    values: usize,
    sent: &M::Array,
    received: &mut M::Array,
) -> Result<(), DeviceError> {
    if store.is_in_network() {
        return store.exchange(parts, values * size_of::<f64>(), sent, received);
    }
    let count = parts.last().map_or(0, |part| part.sent.end);
    let packed = store.read::<f64>(sent, 0..values * count)?;
    let all = exchange(ranks, parts, values, &packed);
    drop(packed);
    store.write(received, &all)
}

/// A vertex that is exchanged.
#[derive(Clone, Copy)]
struct Place {
    slot: i32,
    /// Its colour; zero where vertices have none.
    colour: u32,
}

/// What is exchanged with a rank, in an order that both know.
struct Neighbour {
    rank: usize,
    sent: Vec<Place>,
    received: Vec<Place>,
}

impl<M: Machine> Lists<M> {
    /// Uploads the lists of the vertices for which `chosen` holds. Neighbours without any are left out.
    fn new(store: &M, neighbours: &[Neighbour], chosen: impl Fn(&Place) -> bool) -> Result<Self, DeviceError> {
        let mut sent = Vec::new();
        let mut received = Vec::new();
        let mut parts = Vec::new();
        let add = |places: &[Place], to: &mut Vec<i32>| {
            let first = to.len();
            to.extend(places.iter().filter(|place| chosen(place)).map(|place| place.slot));
            first..to.len()
        };
        for neighbour in neighbours {
            let part = ListPart {
                rank: neighbour.rank,
                sent: add(&neighbour.sent, &mut sent),
                received: add(&neighbour.received, &mut received),
            };
            if !(part.sent.is_empty() && part.received.is_empty()) {
                parts.push(part);
            }
        }
        let list = |slots: &[i32]| {
            Ok::<_, DeviceError>(List {
                slots: upload(store, slots)?,
                count: slots.len(),
            })
        };
        Ok(Lists {
            parts,
            sent: list(&sent)?,
            received: list(&received)?,
        })
    }
}

/// Returns what is exchanged with each neighbour. Collective.
fn neighbours(dual: &DualMesh, slices: &Slices, arrangement: &Arrangement, ranks: &Ranks) -> Vec<Neighbour> {
    let place = |vertex: usize| {
        let slot = slices.slot(vertex);
        let colour = arrangement.colours.partition_point(|colour| colour.end <= slot);
        Place {
            slot: slot as i32,
            colour: colour as u32,
        }
    };
    let sent = |neighbour: &VertexNeighbour| neighbour.send.iter().map(|&vertex| place(vertex as usize)).collect();
    let sent: Vec<Vec<Place>> = dual.exchange.iter().map(sent).collect();
    // The owners know the colours.
    let colours = |list: &Vec<Place>| list.iter().map(|place| place.colour).collect();
    let to = dual.exchange.iter().map(|neighbour| neighbour.rank);
    let lists: Vec<(usize, Vec<u32>)> = to.zip(sent.iter().map(colours)).collect();
    let lengths = dual.exchange.iter().map(|neighbour| neighbour.receive.len());
    let colours = ranks.exchange_lengths(&lists, lengths);
    let received = dual.exchange.iter().zip(colours).map(|(neighbour, colours)| {
        let slots = neighbour.receive.clone().map(|vertex| slices.slot(vertex) as i32);
        slots
            .zip(colours)
            .map(|(slot, colour)| Place { slot, colour })
            .collect()
    });
    let lists = sent.into_iter().zip(received);
    let all = dual.exchange.iter().zip(lists);
    all.map(|(neighbour, (sent, received))| Neighbour {
        rank: neighbour.rank,
        sent,
        received,
    })
    .collect()
}

impl<M: Machine> Exchange<M> {
    /// Prepares the exchange of up to `most` values of each vertex. Collective.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(
        store: &M,
        dual: &DualMesh,
        slices: &Slices,
        arrangement: &Arrangement,
        most: usize,
        ranks: Rc<Ranks>,
    ) -> Result<Self, DeviceError> {
        let neighbours = neighbours(dual, slices, arrangement, &ranks);
        let of_colour = (0..arrangement.colours.len() as u32)
            .map(|colour| Lists::new(store, &neighbours, |place| place.colour == colour))
            .collect::<Result<_, DeviceError>>()?;
        let all = Lists::new(store, &neighbours, |_| true)?;
        let room = |list: &List<M::Array>| store.zeros(most * list.count * size_of::<f64>());
        Ok(Exchange {
            sent: room(&all.sent)?,
            received: RefCell::new(room(&all.received)?),
            all,
            of_colour,
            ranks,
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

    /// Gives vertices of the halo of an array, with so many values of each vertex, the values of the owners. `params`
    /// are those of any launch of the solver with the array, and `launch` runs a kernel over so many points.
    /// Collective.
    pub fn values(
        &self,
        store: &M,
        halo: Halo,
        params: SteadyParams,
        values: usize,
        launch: impl Fn(SteadyKernel, SteadyParams, usize) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let lists = match halo {
            Halo::All => &self.all,
            Halo::Colour(colour) => &self.of_colour[colour],
        };
        if lists.parts.is_empty() {
            return Ok(());
        }
        let over = |list: &List<M::Array>, packed: &M::Array| {
            let mut params = params;
            params.exchanged_values = values as i64;
            params.exchange = packed.pointer();
            params.exchange_list = list.slots.pointer();
            params
        };
        if lists.sent.count > 0 {
            launch(SteadyKernel::Pack, over(&lists.sent, &self.sent), lists.sent.count)?;
        }
        let mut received = self.received.borrow_mut();
        exchange_arrays(store, &self.ranks, &lists.parts, values, &self.sent, &mut received)?;
        match lists.received.count {
            0 => Ok(()),
            count => launch(SteadyKernel::Unpack, over(&lists.received, &received), count),
        }
    }
}
