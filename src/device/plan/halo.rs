//! What comes from other ranks and goes to them.
//!
//! Exterior the cells of a state lie the halos: for every other rank one piece, as it is received. A piece holds the faces that
//! lead to that rank, those of cells of one kind and faces of one shape together, in the order of their cells in the whole
//! mesh: both sides know all of this, so they agree on every number's place without talking. As many faces as fit share rows as long as
//! a cell's, so that the variables of a halo lie as far apart as those of the cell that reads it, and a mesh of one kind has
//! one distance everywhere. The viscous traces of the same faces follow one another in their own array.

use std::collections::HashMap;
use std::ops::Range;

use super::Plan;
use super::tables::Tables;
use crate::device::Traces;
use crate::device::contract::{GatherIndex, Sent, Slot};
use crate::element::{ElementKind, FaceShape};
use crate::mesh::{FaceKey, Mesh, RemoteFace};

/// Another rank and what is exchanged with it, as ranges of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaloNeighbour {
    /// The rank.
    pub rank: usize,
    /// Faces that lead there.
    pub faces: usize,
    /// The face points that go there, in the lists of all that are sent.
    pub points: Range<usize>,
    /// States that come, counted from the first of all halos.
    pub states_in: Range<usize>,
    /// States that go, counted in all that is sent.
    pub states_out: Range<usize>,
    /// Viscous traces, the same both ways.
    pub traces: Range<usize>,
}

impl HaloNeighbour {
    /// What goes there, counted in all that is sent.
    pub fn values_out(&self, traces: Traces) -> Range<usize> {
        match traces {
            Traces::States(_) => self.states_out.clone(),
            Traces::Viscous => self.traces.clone(),
        }
    }
}

/// The halos of a rank.
#[derive(Debug, Default)]
pub struct HaloPlan {
    /// Other ranks, ascending.
    pub neighbours: Vec<HaloNeighbour>,
    /// Values of the halos behind a state.
    pub state_len: usize,
    /// Values of the halos behind the viscous traces.
    pub trace_len: usize,
    /// Face points whose states are sent.
    pub states: Vec<Sent>,
    /// Face points whose viscous traces are sent.
    pub traces: Vec<Sent>,
    /// Where a cell's face finds its halo.
    pub(super) slots: HashMap<(usize, usize), Slot>,
}

impl HaloPlan {
    /// For the cells of a plan that have been placed.
    pub(super) fn new(plan: &Plan, mesh: &Mesh, tables: &mut Tables) -> Self {
        let mut halo = HaloPlan::default();
        let mut states_out = 0;
        for (rank, mut faces) in mesh.remote_faces() {
            let (states_in, traces_in) = (halo.state_len, halo.trace_len);
            faces.sort_by_key(|f| f.here);
            let (states, rows, traces) = layout(faces.iter().map(|f| f.here), plan.order);
            for (k, f) in faces.iter().enumerate() {
                let table = tables.packed(f.shape(), f.orientation);
                let place = |base: usize, stride: usize| GatherIndex {
                    base: base as i64,
                    stride: stride as i32,
                    table,
                };
                let slot = Slot {
                    state: place(plan.state_len() + states_in + states[k], rows[k]),
                    trace: place(plan.trace_len() + traces_in + traces[k], f.shape().points(plan.order)),
                };
                halo.slots.insert((f.cell, f.face), slot);
            }
            halo.state_len += states[faces.len()];
            halo.trace_len += traces[faces.len()];

            let first_point = halo.states.len();
            faces.sort_by_key(|f| f.there);
            let (states, rows, traces) = layout(faces.iter().map(|f| f.there), plan.order);
            for (k, f) in faces.iter().enumerate() {
                halo.send(plan, tables, f, states_out + states[k], rows[k], traces_in + traces[k]);
            }
            halo.neighbours.push(HaloNeighbour {
                rank,
                faces: faces.len(),
                points: first_point..halo.states.len(),
                states_in: states_in..halo.state_len,
                states_out: states_out..states_out + states[faces.len()],
                traces: traces_in..halo.trace_len,
            });
            states_out += states[faces.len()];
        }
        halo
    }

    /// Lists the points of one face, whose values go to these places.
    fn send(&mut self, plan: &Plan, tables: &mut Tables, f: &RemoteFace, state: usize, row: usize, trace: usize) {
        let (group, lanes, points) = (plan.group(f.cell), plan.lanes, f.shape().points(plan.order));
        let table = tables.of(group.kind, f.face, 0).0 as usize;
        let (cell, own) = (plan.state_offset(f.cell), plan.trace_offset(f.cell, f.face));
        for l in 0..points {
            self.states.push(Sent {
                from: cell as i64 + i64::from(tables.lists[table + l]),
                to: (state + l) as i64,
                from_stride: (group.points * lanes) as i32,
                to_stride: row as i32,
            });
            self.traces.push(Sent {
                from: (own + l * lanes) as i64,
                to: (trace + l) as i64,
                from_stride: (points * lanes) as i32,
                to_stride: points as i32,
            });
        }
    }

    /// Memory of the lists of points.
    pub fn bytes(&self) -> usize {
        (self.states.len() + self.traces.len()) * size_of::<Sent>()
    }

    /// Values of all states that are sent.
    pub fn states_out(&self) -> usize {
        self.neighbours.last().map_or(0, |n| n.states_out.end)
    }
}

impl Plan {
    /// Where a variable of the other side of a face between ranks lies in the halos of a state, for face point `l`.
    pub fn place_in_halo(&self, cell: usize, face: usize, l: usize, variable: usize) -> usize {
        let place = self.halo.slots[&(cell, face)].state;
        let point = self.tables[place.table as usize + l] as usize;
        place.base as usize - self.state_len() + point + variable * place.stride as usize
    }

    /// The same of a viscous trace in the halos of the traces.
    pub fn trace_in_halo(&self, cell: usize, face: usize, l: usize, variable: usize) -> usize {
        let place = self.halo.slots[&(cell, face)].trace;
        let point = self.tables[place.table as usize + l] as usize;
        place.base as usize - self.trace_len() + point + variable * place.stride as usize
    }
}

/// Offsets of the states of sorted faces in a piece, and at the end the length of it; the length of their rows; and offsets and length
/// of their traces.
fn layout(faces: impl Iterator<Item = FaceKey>, order: usize) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let (mut states, mut rows, mut traces) = (Vec::new(), Vec::new(), vec![0]);
    // Begin of the faces of one kind and shape, how many there are so far, and which they are.
    let (mut begin, mut count, mut last) = (0, 0, None);
    let length = |count: usize, (kind, shape): (ElementKind, FaceShape)| {
        let row = kind.points(order);
        count.div_ceil(row / shape.points(order)) * 5 * row
    };
    for (kind, shape, _, _) in faces {
        if let Some(done) = last.replace((kind, shape)).filter(|&done| done != (kind, shape)) {
            begin += length(count, done);
            count = 0;
        }
        let (row, points) = (kind.points(order), shape.points(order));
        let share = row / points;
        states.push(begin + count / share * 5 * row + count % share * points);
        rows.push(row);
        traces.push(traces[traces.len() - 1] + 4 * points);
        count += 1;
    }
    states.push(begin + last.map_or(0, |last| length(count, last)));
    (states, rows, traces)
}
