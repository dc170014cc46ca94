//! Orders in which cells and nodes are numbered. Faces and edges follow the numbers of their cells and ends, except in
//! the random order, in which they are shuffled as well.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::lists::Lists;
use super::tables::Tables;
use crate::mesh::ordering::curve_places;

/// An order of the cells and nodes of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Numbering {
    /// That of the mesh.
    Natural,
    /// Reverse Cuthill-McKee (E. Cuthill & J. McKee, Proc. ACM Nat. Conf. (1969) 157).
    Rcm,
    /// Along a Morton curve.
    Curve,
    /// Shuffled.
    Random,
}

impl Numbering {
    /// Returns the tables in this order.
    pub fn apply(self, tables: &Tables) -> Tables {
        let sizes = tables.sizes();
        let cells = self.order(
            || neighbours(&tables.faces.cells, sizes.cells),
            &tables.cells.centre[..sizes.cells],
        );
        let nodes = self.order(|| neighbours(&tables.edges.ends, sizes.nodes), &tables.nodes);
        let (new_cell, new_node) = (inverse(&cells), inverse(&nodes));
        let mut faces = tables.faces.clone();
        faces.nodes.renumber(&new_node);
        // Ghosts get their numbers from the order of the faces.
        let of_face = |cells: &[i32; 2]| cells.map(|cell| new_cell.get(cell as usize).copied().unwrap_or(u32::MAX));
        let keys: Vec<[u32; 2]> = faces.cells.iter().map(of_face).collect();
        let order = self.order_of_pairs(&keys);
        let mut centre: Vec<_> = cells.iter().map(|&old| tables.cells.centre[old as usize]).collect();
        faces = faces.permuted(&order);
        for (face, &old) in order.iter().enumerate() {
            let [owner, neighbour] = keys[old as usize];
            faces.cells[face] = [owner as i32, neighbour as i32];
            if neighbour == u32::MAX {
                faces.cells[face][1] = centre.len() as i32;
                centre.push(faces.centre[face]);
            }
        }
        let mut edges = tables.edges.clone();
        let new_end = |end: &mut i32| *end = new_node[*end as usize] as i32;
        edges.ends.as_flattened_mut().iter_mut().for_each(new_end);
        let keys: Vec<[u32; 2]> = edges.ends.iter().map(|ends| ends.map(|end| end as u32)).collect();
        let edges = edges.permuted(&self.order_of_pairs(&keys));
        let mut renumbered = tables.cells.permuted(&cells);
        renumbered.nodes.renumber(&new_node);
        renumbered.centre = centre;
        Tables {
            cells: renumbered,
            faces,
            edges,
            nodes: nodes.iter().map(|&old| tables.nodes[old as usize]).collect(),
        }
    }

    /// Returns the old numbers of cells or nodes in their new order.
    fn order(self, neighbours: impl FnOnce() -> Lists, positions: &[[f64; 3]]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..positions.len() as u32).collect();
        match self {
            Numbering::Natural => {}
            Numbering::Rcm => order = reverse_cuthill_mckee(&neighbours()),
            Numbering::Curve => {
                let places = curve_places(positions);
                order.sort_by_key(|&item| places[item as usize]);
            }
            Numbering::Random => shuffle(&mut order),
        }
        order
    }

    /// Returns an order of faces or edges by the new numbers of their cells or ends.
    fn order_of_pairs(self, pairs: &[[u32; 2]]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        match self {
            Numbering::Random => shuffle(&mut order),
            _ => order.sort_by_key(|&item| {
                let [a, b] = pairs[item as usize];
                (a.min(b), a.max(b))
            }),
        }
        order
    }
}

/// Sorts numbers by their hashes.
fn shuffle(order: &mut [u32]) {
    order.sort_by_cached_key(|item| xxh3_64_with_seed(&item.to_le_bytes(), 1));
}

/// Returns the new number of each old one.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut new = vec![0; order.len()];
    order
        .iter()
        .zip(0..)
        .for_each(|(&old, number)| new[old as usize] = number);
    new
}

/// Returns the neighbours of the items below `count`, which pairs of numbers connect.
fn neighbours(pairs: &[[i32; 2]], count: usize) -> Lists {
    let inside = pairs
        .iter()
        .filter(|pair| pair.iter().all(|&item| (item as usize) < count));
    let pairs: Vec<[i32; 2]> = inside.copied().collect();
    let entry = |pair: usize, side: usize| pairs[pair][1 - side];
    Lists::new(pairs.iter().copied()).transposed(count, entry)
}

/// Returns the items level by level from one that lies far out, neighbours of few neighbours first, in reverse.
fn reverse_cuthill_mckee(neighbours: &Lists) -> Vec<u32> {
    let count = neighbours.count();
    let degree = |item: u32| neighbours.of(item as usize).len();
    let mut order: Vec<u32> = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for start in 0..count as u32 {
        if seen[start as usize] {
            continue;
        }
        // The last item of a search from anywhere lies far out.
        let far = search(neighbours, start, &mut vec![false; count], degree);
        let from = far.last().copied().unwrap_or(start);
        order.extend(search(neighbours, from, &mut seen, degree));
    }
    order.reverse();
    order
}

/// Returns the items that are connected to `start`, in the order of a breadth-first search.
fn search(neighbours: &Lists, start: u32, seen: &mut [bool], degree: impl Fn(u32) -> usize) -> Vec<u32> {
    let (mut found, mut queue) = (Vec::new(), VecDeque::from([start]));
    seen[start as usize] = true;
    while let Some(item) = queue.pop_front() {
        found.push(item);
        let mut next: Vec<u32> = neighbours.of(item as usize).iter().map(|&other| other as u32).collect();
        next.retain(|&other| !std::mem::replace(&mut seen[other as usize], true));
        next.sort_by_key(|&other| (degree(other), other));
        queue.extend(next);
    }
    found
}
