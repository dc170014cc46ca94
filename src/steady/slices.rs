//! The edges of a median dual in slices, as the kernels read them (ptx/steady/vertex.h), and the slots of its vertices.

use super::dual::DualMesh;

/// The order of owned vertices in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// Vertex of each slot, a whole number of slices; `None` of a slot without one.
    pub vertex: Vec<Option<u32>>,
}

impl Arrangement {
    /// Returns the order of the dual's own numbers.
    pub fn natural(dual: &DualMesh, slice: usize) -> Self {
        let mut vertex: Vec<_> = (0..dual.owned as u32).map(Some).collect();
        vertex.resize(dual.owned.next_multiple_of(slice), None);
        Arrangement { vertex }
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
        let mut slices = Slices {
            slots,
            degree: vec![0.0; slots],
            first_edge: vec![0],
            slot_of,
            owned_slots: halo,
            ..Slices::default()
        };
        for begin in (0..halo).step_by(slice) {
            let of_slot = |slot: usize| arrangement.vertex[slot].map_or(0..0, |vertex| dual.edges(vertex as usize));
            let edges: Vec<_> = (begin..begin + slice).map(of_slot).collect();
            let rows = edges.iter().map(|edges| edges.len()).max().unwrap_or(0);
            for row in 0..rows {
                for (lane, edges) in edges.iter().enumerate() {
                    let slot = match edges.clone().nth(row) {
                        Some(edge) => slices.slot(dual.neighbour[edge] as usize),
                        None => begin + lane,
                    };
                    slices.neighbour.push(slot as i32);
                }
                for d in 0..3 {
                    for edges in &edges {
                        let edge = edges.clone().nth(row);
                        slices.area.push(edge.map_or(0.0, |edge| dual.area[edge][d]));
                        slices
                            .displacement
                            .push(edge.map_or(0.0, |edge| dual.displacement[edge][d]));
                    }
                }
            }
            for (lane, edges) in edges.iter().enumerate() {
                slices.degree[begin + lane] = edges.len() as f64;
            }
            slices.first_edge.push(slices.neighbour.len() as i64);
        }
        slices
    }

    /// Returns the slot of a local vertex.
    pub fn slot(&self, vertex: usize) -> usize {
        self.slot_of[vertex] as usize
    }
}
