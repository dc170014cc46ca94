//! The layout of the exchange with other ranks.
//!
//! The halos follow the cells in a state, with one piece for each other rank, in the layout in which it is received. A
//! piece holds the faces between this rank and the other one. They are sorted by the kind of the receiving cell, the
//! shape of the face, and the order of the cells in the whole mesh. Both ranks know these, so that they use the same
//! layout without communication.
//!
//! Faces are packed into rows that have the length of a cell's rows. The variables of a halo then have the same stride
//! as those of the cell that reads it, and a mesh of one kind has a single stride. The viscous traces of the same faces
//! are stored one after the other in their own array.
//!
//! If states hold the least entropies of cells, those of the cells at the faces follow, one for each face.
//!
//! The states of a rank that has matching points of this rank's walls in its cells, or walls with matching points in
//! this rank's cells, end with those of these points. Such a rank is a neighbour even if it shares no face.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::tables::Tables;
use super::{Exterior, Plan};
use crate::device::Traces;
use crate::device::contract::{BOUNDARY_VALUES, GatherIndex, Sent, Slot};
use crate::device::matching::MatchingPoints;
use crate::element::{ElementKind, FaceShape};
use crate::mesh::{FaceKey, Mesh, RemoteFace, Side};
use crate::physics::BoundaryKind;

/// A neighbouring rank, and the ranges of points and values that are exchanged with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaloNeighbour {
    /// Number of the rank.
    pub rank: usize,
    /// Number of faces between the ranks.
    pub faces: usize,
    /// What is sent of states and of viscous traces, as ranges in [`HaloPlan::states`] and [`HaloPlan::traces`].
    pub sent: [Range<usize>; 2],
    /// Values of the states that are received, counted from the beginning of the halos.
    pub states_in: Range<usize>,
    /// Values of the states that are sent, counted from the beginning of the packed values.
    pub states_out: Range<usize>,
    /// Values of the viscous traces, in the halos and in the packed values alike.
    pub traces: Range<usize>,
}

impl HaloNeighbour {
    /// Returns the range of the values for this neighbour in the packed values.
    pub fn values_out(&self, traces: Traces) -> Range<usize> {
        match traces {
            Traces::States(_) | Traces::Scalars(_) => self.states_out.clone(),
            Traces::Viscous | Traces::ScalarFluxes => self.traces.clone(),
        }
    }

    /// Returns the range of the values of this neighbour in the halos.
    pub fn values_in(&self, traces: Traces) -> Range<usize> {
        match traces {
            Traces::States(_) | Traces::Scalars(_) => self.states_in.clone(),
            Traces::Viscous | Traces::ScalarFluxes => self.traces.clone(),
        }
    }
}

/// The halos of a rank.
#[derive(Debug, Default)]
pub struct HaloPlan {
    /// Neighbouring ranks: first those with the most faces, and in ascending order where these are equal.
    pub neighbours: Vec<HaloNeighbour>,
    /// Number of values of the halos of a state.
    pub state_len: usize,
    /// Number of values of the halos of the viscous traces.
    pub trace_len: usize,
    /// Face points whose states are sent; for each neighbour they are followed by the least entropies of the cells at
    /// its faces, if states hold them, and by matching points. The entry of an entropy has strides of 0, so that all
    /// five variables are that number.
    pub states: Vec<Sent>,
    /// Face points whose viscous traces are sent.
    pub traces: Vec<Sent>,
    /// Neighbour slots of the faces to other ranks, by cell and local face.
    pub(super) slots: HashMap<(usize, usize), Slot>,
    /// Offset in the halos of the first state at a matching point that comes from a rank.
    pub(super) matching: HashMap<usize, usize>,
    /// Ranges of `states` that are matching points.
    sent_matching: Vec<Range<usize>>,
    /// Offsets in a state of the least entropies of the cells across these faces; empty if states do not hold them.
    pub(super) entropies: HashMap<(usize, usize), usize>,
    /// Entries of `states` with the least entropy of a cell, and that cell.
    pub(super) sent_entropies: Vec<(usize, usize)>,
}

impl HaloPlan {
    /// Returns the layout for a plan whose cells have slots already.
    pub(super) fn new(plan: &Plan, mesh: &Mesh, matching: &MatchingPoints, tables: &mut Tables) -> Self {
        let mut halo = HaloPlan::default();
        let mut states_out = 0;
        let mut by_rank = mesh.remote_faces();
        let ranks: BTreeSet<usize> = by_rank
            .keys()
            .chain(matching.sent.keys())
            .chain(matching.received.keys())
            .copied()
            .collect();
        // The longest messages leave first.
        let mut ranks = Vec::from_iter(ranks);
        ranks.sort_by_key(|rank| std::cmp::Reverse(by_rank.get(rank).map_or(0, Vec::len)));
        for rank in ranks {
            let mut faces = by_rank.remove(&rank).unwrap_or_default();
            let (states_in, traces_in) = (halo.state_len, halo.trace_len);
            faces.sort_by_key(|f| f.here);
            let Layout { states, rows, traces } = layout(faces.iter().map(|f| f.here), plan.order);
            for (k, f) in faces.iter().enumerate() {
                let table = tables.packed(f.shape(), f.orientation);
                let index = |base: usize, stride: usize| GatherIndex {
                    base: base as i64,
                    stride: stride as i32,
                    table,
                };
                let slot = Slot {
                    state: index(plan.state_len() + states_in + states[k], rows[k]),
                    trace: index(plan.trace_len() + traces_in + traces[k], f.shape().points(plan.order)),
                };
                halo.slots.insert((f.cell, f.face), slot);
                if plan.entropy {
                    let offset = plan.state_len() + states_in + states[faces.len()] + k;
                    halo.entropies.insert((f.cell, f.face), offset);
                }
            }
            let entropies = if plan.entropy { faces.len() } else { 0 };
            halo.state_len += states[faces.len()] + entropies;
            halo.matching.insert(rank, halo.state_len);
            halo.state_len += 5 * matching.received.get(&rank).copied().unwrap_or(0);
            halo.trace_len += traces[faces.len()];

            let first = [halo.states.len(), halo.traces.len()];
            faces.sort_by_key(|f| f.there);
            let Layout { states, rows, traces } = layout(faces.iter().map(|f| f.there), plan.order);
            for (k, f) in faces.iter().enumerate() {
                halo.send(plan, tables, f, states_out + states[k], rows[k], traces_in + traces[k]);
            }
            let mut states_end = states_out + states[faces.len()];
            for f in faces.iter().filter(|_| plan.entropy) {
                halo.sent_entropies.push((halo.states.len(), f.cell));
                // Where the number lies is known when all halos and ghosts are.
                halo.states.push(Sent {
                    to: states_end as i64,
                    ..Sent::default()
                });
                states_end += 1;
            }
            let first_matching = halo.states.len();
            for &row in matching.sent.get(&rank).into_iter().flatten() {
                halo.states.push(Sent {
                    from: 5 * row as i64,
                    to: states_end as i64,
                    from_stride: 1,
                    to_stride: 1,
                });
                states_end += 5;
            }
            halo.sent_matching.push(first_matching..halo.states.len());
            halo.neighbours.push(HaloNeighbour {
                rank,
                faces: faces.len(),
                sent: [first[0]..halo.states.len(), first[1]..halo.traces.len()],
                states_in: states_in..halo.state_len,
                states_out: states_out..states_end,
                traces: traces_in..halo.trace_len,
            });
            states_out = states_end;
        }
        halo
    }

    /// Sets where the states at matching points begin in a state.
    pub(super) fn place_matching_states(&mut self, start: usize) {
        for range in &self.sent_matching {
            self.states[range.clone()]
                .iter_mut()
                .for_each(|sent| sent.from += start as i64);
        }
    }

    /// Lists the points of a face that is sent. `state` and `trace` are the offsets of its packed values, and `row` is
    /// the stride of its packed states.
    fn send(&mut self, plan: &Plan, tables: &mut Tables, f: &RemoteFace, state: usize, row: usize, trace: usize) {
        let group = plan.group(f.cell);
        let lanes = plan.lanes;
        let points = f.shape().points(plan.order);
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

    /// Returns what is sent of these traces.
    pub fn sent(&self, traces: Traces) -> &[Sent] {
        match traces {
            Traces::States(_) | Traces::Scalars(_) => &self.states,
            Traces::Viscous | Traces::ScalarFluxes => &self.traces,
        }
    }

    /// Returns the memory of the lists of points, in bytes.
    pub fn bytes(&self) -> usize {
        (self.states.len() + self.traces.len()) * size_of::<Sent>()
    }

    /// Returns the number of values of all states that are sent.
    pub fn states_out(&self) -> usize {
        self.neighbours.last().map_or(0, |n| n.states_out.end)
    }
}

/// What the filter finds on the other side of a face.
enum Beyond {
    /// A cell, whose least entropy stands here in a state.
    Cell(usize),
    /// A wall that may have a temperature, whose data begin here.
    Wall(usize),
    /// Another boundary.
    Open,
}

impl Beyond {
    /// Returns the number by which the kernel knows it (`Beyond` in ptx/kernels/filter.cu).
    fn encoded(self) -> i64 {
        match self {
            Beyond::Cell(at) => at as i64,
            Beyond::Open => -1,
            Beyond::Wall(data) => -2 - data as i64,
        }
    }
}

impl Plan {
    /// Finds the least entropies on the other side of all faces, and those that are sent. `kinds` are the conditions of
    /// the boundaries.
    pub(super) fn connect_entropies(&mut self, mesh: &Mesh, kinds: &[BoundaryKind]) {
        let start = self.entropy_start();
        // Where the data of walls begin that may have a temperature.
        let walls = self.boundary_faces.iter().filter(|b| match b.exterior {
            Exterior::Condition(name) => kinds[name].may_have_temperature(),
            Exterior::Mortar | Exterior::Rotated { .. } | Exterior::Remote { .. } => false,
        });
        let data: HashMap<_, _> = walls
            .map(|b| ((b.cell, b.face), BOUNDARY_VALUES * b.first_point))
            .collect();
        for &(entry, cell) in &self.halo.sent_entropies {
            self.halo.states[entry].from = (start + self.slot_of_cell[cell]) as i64;
        }
        for group in &self.groups {
            for (block, face) in (group.begin..group.end).flat_map(|b| (0..group.faces()).map(move |f| (b, f))) {
                for lane in 0..self.lanes {
                    let cell = self.cell_of_slot[block * self.lanes + lane];
                    let beyond = match mesh.cell_sides(cell)[face] {
                        Side::Cell { cell, .. } | Side::Rotated { cell, .. } => {
                            Beyond::Cell(start + self.slot_of_cell[cell])
                        }
                        Side::Remote { .. } => Beyond::Cell(self.halo.entropies[&(cell, face)]),
                        Side::Mortar(_) => Beyond::Open,
                        Side::Boundary(_) => data.get(&(cell, face)).map_or(Beyond::Open, |&at| Beyond::Wall(at)),
                    };
                    self.entropy_slots.push(beyond.encoded());
                }
            }
        }
    }

    /// Returns the offset, in the halos of a state, of a variable of the exterior side at face point `l`. The face must
    /// be between two ranks.
    pub fn state_offset_in_halo(&self, cell: usize, face: usize, l: usize, variable: usize) -> usize {
        let index = self.halo.slots[&(cell, face)].state;
        let point = self.tables[index.table as usize + l] as usize;
        index.base as usize - self.state_len() + point + variable * index.stride as usize
    }

    /// Returns the same offset in the halos of the viscous traces.
    pub fn trace_offset_in_halo(&self, cell: usize, face: usize, l: usize, variable: usize) -> usize {
        let index = self.halo.slots[&(cell, face)].trace;
        let point = self.tables[index.table as usize + l] as usize;
        index.base as usize - self.trace_len() + point + variable * index.stride as usize
    }
}

/// The layout of the piece of a neighbour, in numbers of values.
struct Layout {
    /// The offset of the state of each face, and the length of all states at the end.
    states: Vec<usize>,
    /// The length of the row of each face.
    rows: Vec<usize>,
    /// The offset of the trace of each face, and the length of all traces at the end.
    traces: Vec<usize>,
}

/// Returns the layout of the piece of a neighbour with these sorted faces.
fn layout(faces: impl Iterator<Item = FaceKey>, order: usize) -> Layout {
    let mut states = Vec::new();
    let mut rows = Vec::new();
    let mut traces = vec![0];
    // Faces of one kind and shape: their offset, their number so far, and the kind and shape.
    let mut begin = 0;
    let mut count = 0;
    let mut last = None;
    let length = |count: usize, (kind, shape): (ElementKind, FaceShape)| {
        let row = kind.points(order);
        count.div_ceil(row / shape.points(order)) * 5 * row
    };
    for FaceKey { kind, shape, .. } in faces {
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
    Layout { states, rows, traces }
}
