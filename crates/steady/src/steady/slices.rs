//! The edges of a median dual in slices, as the kernels read them (ptx/steady/vertex.h), and the slots of its vertices.

use std::ops::Range;

use rayon::prelude::*;

use super::dual::DualMesh;
use super::rotation::Rotation;
use crate::geometry::by_cells;

/// The order of owned vertices in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// Vertex of each slot, a whole number of slices; `None` of a slot without one.
    pub vertex: Vec<Option<u32>>,
    /// Slots of each colour, where vertices lie colour by colour.
    pub colours: Vec<Range<usize>>,
}

impl Arrangement {
    /// Returns the order of the dual's own numbers.
    pub fn natural(dual: &DualMesh, slice: usize) -> Self {
        let mut vertex: Vec<_> = (0..dual.owned as u32).map(Some).collect();
        vertex.resize(dual.owned.next_multiple_of(slice), None);
        Arrangement {
            vertex,
            colours: Vec::new(),
        }
    }
}

/// Slots and edges. Slots are those of owned vertices, filled up to whole slices, and then those of the halo.
#[derive(Debug, Default)]
pub struct Slices {
    /// Number of slots, a multiple of the vertices of a slice.
    pub slots: usize,
    /// Number of edges of each vertex, `[slot]`.
    pub degree: Vec<f64>,
    /// First edge of each slice, and their end.
    pub first_edge: Vec<i64>,
    /// Slot at the other end, `[slice][edge of the vertex][vertex of the slice]`.
    pub neighbour: Vec<i32>,
    /// Area vectors, `[slice][edge of the vertex][3][vertex of the slice]`.
    pub area: Vec<f64>,
    /// Vectors to the other ends, in the same way.
    pub displacement: Vec<f64>,
    /// Place of the rotation across each edge in the kernels' table of rotations, as `neighbour`; empty without one.
    pub turn: Vec<i32>,
    /// Slot of each local vertex.
    slot_of: Vec<u32>,
    /// Number of slots of owned vertices, whole slices; the first of the halo.
    pub owned_slots: usize,
}

impl Slices {
    /// Returns the slices of so many vertices each, with the owned vertices in this order.
    pub fn new(dual: &DualMesh, slice: usize, arrangement: &Arrangement) -> Self {
        let halo = arrangement.vertex.len();
        assert!(halo.is_multiple_of(slice), "an arrangement has whole slices");
        let mut slot_of: Vec<u32> = (0..dual.len())
            .map(|vertex| (halo + vertex).saturating_sub(dual.owned) as u32)
            .collect();
        for (slot, vertex) in arrangement.vertex.iter().enumerate() {
            if let Some(vertex) = vertex {
                slot_of[*vertex as usize] = slot as u32;
            }
        }
        let slots = (halo + dual.len() - dual.owned).next_multiple_of(slice);
        let edges_of = |slot: &Option<u32>| slot.map_or(0..0, |vertex| dual.edges(vertex as usize));
        let of_slices = || arrangement.vertex.par_chunks(slice);
        let rows: Vec<usize> = of_slices()
            .map(|slots| slots.iter().map(|slot| edges_of(slot).len()).max().unwrap_or(0))
            .collect();
        let ends = rows.iter().scan(0, |end, rows| {
            *end += rows * slice;
            Some(*end)
        });
        let first: Vec<usize> = [0].into_iter().chain(ends).collect();
        let mut slices = Slices {
            slots,
            degree: vec![0.0; slots],
            first_edge: first.iter().map(|&first| first as i64).collect(),
            neighbour: vec![0; first[rows.len()]],
            area: vec![0.0; 3 * first[rows.len()]],
            displacement: vec![0.0; 3 * first[rows.len()]],
            turn: vec![0; dual.rotation.as_ref().map_or(0, |_| first[rows.len()])],
            slot_of,
            owned_slots: halo,
        };
        let degree = slices.degree[..halo].par_chunks_mut(slice).zip(of_slices());
        degree.for_each(|(degree, slots)| {
            for (degree, slot) in degree.iter_mut().zip(slots) {
                *degree = edges_of(slot).len() as f64;
            }
        });
        let neighbours = by_cells(&mut slices.neighbour, &first, 1)
            .into_par_iter()
            .zip(of_slices());
        neighbours.enumerate().for_each(|(n, (neighbours, slots))| {
            for (k, row) in neighbours.chunks_mut(slice).enumerate() {
                for (lane, (to, slot)) in row.iter_mut().zip(slots).enumerate() {
                    let own = (n * slice + lane) as u32;
                    let there = edges_of(slot)
                        .nth(k)
                        .map(|edge| slices.slot_of[dual.neighbour[edge] as usize]);
                    *to = there.unwrap_or(own) as i32;
                }
            }
        });
        if dual.rotation.is_some() {
            let of_slices = by_cells(&mut slices.turn, &first, 1).into_par_iter().zip(of_slices());
            of_slices.for_each(|(places, slots)| {
                for (k, row) in places.chunks_mut(slice).enumerate() {
                    for (place, slot) in row.iter_mut().zip(slots) {
                        let Some(edge) = edges_of(slot).nth(k) else { continue };
                        *place = 9 * Rotation::place(dual.turns[edge]) as i32;
                    }
                }
            });
        }
        for (values, vectors) in [
            (&mut slices.area, &dual.area),
            (&mut slices.displacement, &dual.displacement),
        ] {
            let of_slices = by_cells(values, &first, 3).into_par_iter().zip(of_slices());
            of_slices.for_each(|(values, slots)| {
                for (k, row) in values.chunks_mut(3 * slice).enumerate() {
                    for (lane, slot) in slots.iter().enumerate() {
                        let Some(edge) = edges_of(slot).nth(k) else { continue };
                        (0..3).for_each(|d| row[d * slice + lane] = vectors[edge][d]);
                    }
                }
            });
        }
        slices
    }

    /// Returns the place of the k-th edge of an owned vertex in `neighbour`, in slices of this size.
    pub fn place_of_edge(&self, vertex: usize, k: usize, slice: usize) -> usize {
        let slot = self.slot(vertex);
        self.first_edge[slot / slice] as usize + k * slice + slot % slice
    }

    /// Returns the slot of a local vertex.
    pub fn slot(&self, vertex: usize) -> usize {
        self.slot_of[vertex] as usize
    }
}
