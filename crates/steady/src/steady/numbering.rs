//! The numbering of a rank's vertices, and the lists of what is exchanged with other ranks.

use rayon::prelude::*;

use super::construction::{CHUNK, Construction};
use super::dual::DualMesh;
use super::halo::{AnyVertex, exchange_of};
use super::shares::Edges;
use crate::mesh::ordering;
use crate::ranks::Ranks;

/// The local numbers of vertices and the provisional ones of their construction.
pub struct Numbering {
    /// Provisional number, `[vertex]`.
    pub provisional: Vec<u32>,
    /// Local number, by the provisional one.
    pub local: Vec<u32>,
}

impl Construction<'_> {
    /// Numbers the vertices, and finds what is exchanged. Collective.
    pub fn numbered(&self, incoming: &Edges, ranks: &Ranks) -> (DualMesh, Numbering) {
        let count = self.first_point.len() - 1;
        let is_frontier: Vec<bool> = (0..count as u32)
            .into_par_iter()
            .map(|vertex| {
                if self.others.is_empty() {
                    return false;
                }
                let mut frontier = incoming.of(vertex).iter().any(|share| !self.owns(share.neighbour));
                self.for_edges(vertex, |share| frontier |= !self.owns(share.neighbour));
                frontier
            })
            .collect();
        // Along the curve that the cells follow in the memory of the large-eddy simulation.
        let along_curve = self.owned_along_curve();
        let (mut order, frontier): (Vec<u32>, Vec<u32>) = along_curve
            .into_iter()
            .flatten()
            .partition(|&vertex| !is_frontier[vertex as usize]);
        let interior = order.len();
        order.extend(frontier);
        let owned = order.len();
        let mut halo: Vec<u32> = self.others.iter().map(|&(_, vertex)| vertex).collect();
        halo.sort_by_key(|&v| (self.vertices.owner[v as usize], self.vertices.number[v as usize]));
        order.extend(halo);

        let mut local = vec![0; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(new, &old)| local[old as usize] = new as u32);
        let global: Vec<u64> = order.par_iter().map(|&v| self.vertices.number[v as usize]).collect();
        let mut sum = [owned as u64];
        ranks.allreduce_sum(&mut sum);
        let mut dual = DualMesh {
            interior,
            owned,
            vertices_of_all_ranks: sum[0],
            position: order.par_iter().map(|&v| self.vertices.position[v as usize]).collect(),
            point_vertex: self.vertices.of_point.par_iter().map(|&v| local[v as usize]).collect(),
            ..DualMesh::default()
        };
        let halo = global[owned..].iter().zip(&order[owned..]);
        let halo: Vec<AnyVertex> = halo
            .map(|(&number, &v)| AnyVertex {
                owner: self.vertices.owner[v as usize],
                number,
            })
            .collect();
        let here = |number| local[self.find(number).expect("the owner knows its vertices") as usize];
        dual.exchange = exchange_of(owned, &halo, here, ranks);
        dual.global = global;
        let provisional = order;
        (dual, Numbering { provisional, local })
    }

    /// Returns the owned vertices as the curve reaches them, in pieces.
    fn owned_along_curve(&self) -> Vec<Vec<u32>> {
        let cells: Vec<usize> = (0..self.mesh.len()).collect();
        let curve: Vec<usize> = ordering::cells_by_slot(self.mesh, &cells, 1)
            .into_iter()
            .flatten()
            .collect();
        let mut place = vec![0u32; curve.len()];
        curve.iter().zip(0..).for_each(|(&cell, at)| place[cell] = at);
        // The point of each vertex that the curve reaches first.
        let reached: Vec<Option<u32>> = (0..self.first_point.len() as u32 - 1)
            .into_par_iter()
            .map(|vertex| {
                let points = self.points_at(vertex).iter().copied();
                points.min_by_key(|&point| (place[self.cell_of_point[point as usize] as usize], point))
            })
            .collect();
        let first_of = |point: u32| {
            let vertex = self.vertices.of_point[point as usize];
            (self.owns(vertex) && reached[vertex as usize] == Some(point)).then_some(vertex)
        };
        let of_cell =
            |&cell: &usize| self.geometry.first_point[cell] as u32..self.geometry.first_point[cell + 1] as u32;
        let pieces = curve.par_chunks(CHUNK);
        pieces
            .map(|cells| cells.iter().flat_map(of_cell).filter_map(first_of).collect())
            .collect()
    }
}
