//! The edges of a median dual in slices, as the kernels read them (ptx/steady/vertex.h), and the slots of its vertices.

use super::dual::DualMesh;

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
    /// Number of owned vertices.
    owned: usize,
    /// Slot of the first vertex of the halo.
    halo: usize,
}

impl Slices {
    /// Returns the slices of so many vertices each.
    pub fn new(dual: &DualMesh, slice: usize) -> Self {
        let halo = dual.owned.next_multiple_of(slice);
        let slots = (halo + dual.len() - dual.owned).next_multiple_of(slice);
        let mut slices = Slices {
            slots,
            degree: vec![0.0; slots],
            first_edge: vec![0],
            owned: dual.owned,
            halo,
            ..Slices::default()
        };
        for begin in (0..halo).step_by(slice) {
            let edges: Vec<_> = (begin..begin + slice)
                .map(|vertex| if vertex < dual.owned { dual.edges(vertex) } else { 0..0 })
                .collect();
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
        if vertex < self.owned {
            vertex
        } else {
            self.halo + vertex - self.owned
        }
    }
}
