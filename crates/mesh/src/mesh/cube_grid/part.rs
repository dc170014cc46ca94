//! A rank's part of a grid whose cubes are all divided alike, built without the rest of the grid.

use std::ops::Range;

use rayon::prelude::*;

use super::{CubeGrid, Place};
use crate::mesh::hash::MeshHash;
use crate::mesh::partition::{OtherRank, localise};
use crate::mesh::types::{Mesh, Part};

impl CubeGrid {
    /// Builds the cells of the cubes in the ranges `own`. `rank_of` returns the rank that holds another cube, and
    /// `position` is that of [`CubeGrid::mesh`]. The hash of the whole mesh is left at zero.
    pub fn part(
        &self,
        own: &[Range<usize>; 3],
        rank_of: impl Fn([usize; 3]) -> usize,
        position: impl Fn([usize; 3], [usize; 3]) -> [f64; 3] + Sync,
    ) -> Mesh {
        let cube = &self.kinds[0];
        let links = self.links();
        let names = self.boundary_names();
        let per_cube = cube.parts.len();
        let lengths: [usize; 3] = std::array::from_fn(|d| own[d].len());
        let count = lengths.iter().product::<usize>();
        let at = |i: usize| {
            let local = [
                i % lengths[0],
                i / lengths[0] % lengths[1],
                i / (lengths[0] * lengths[1]),
            ];
            std::array::from_fn(|d| own[d].start + local[d])
        };
        let local = |cell: usize| {
            let at = self.at(cell / per_cube);
            let inside = (0..3).all(|d| own[d].contains(&at[d]));
            let [x, y, z]: [usize; 3] = std::array::from_fn(|d| at[d].wrapping_sub(own[d].start));
            inside.then(|| (x + lengths[0] * (y + lengths[1] * z)) * per_cube + cell % per_cube)
        };
        let other = |cell: usize| OtherRank {
            rank: rank_of(self.at(cell / per_cube)),
            kind: cube.parts[cell % per_cube].kind,
        };

        let mut nodes = vec![[0.0; 3]; count * cube.nodes];
        nodes
            .par_chunks_mut(lengths[0] * cube.nodes)
            .enumerate()
            .for_each(|(row, nodes)| {
                let of_cube = nodes.chunks_mut(cube.nodes).zip(row * lengths[0]..);
                for (node, (at, levels)) in of_cube
                    .flat_map(|(nodes, i)| nodes.iter_mut().zip(cube.levels().map(move |levels| (at(i), levels))))
                {
                    *node = position(at, levels);
                }
            });
        let mut mesh = Mesh {
            geometry_order: self.order,
            kinds: Vec::with_capacity(count * per_cube),
            nodes,
            first_node: vec![0],
            sides: Vec::with_capacity(count * cube.faces),
            first_side: vec![0],
            ..Mesh::default()
        };
        let mut global = Vec::with_capacity(count * per_cube);
        for i in 0..count {
            for part in &cube.parts {
                mesh.kinds.push(part.kind);
                mesh.first_node
                    .push(mesh.first_node[mesh.first_node.len() - 1] + part.nodes.len());
                mesh.first_side
                    .push(mesh.first_side[mesh.first_side.len() - 1] + part.faces.len());
            }
            let place = self.place(at(i));
            global.extend(place.first_cell..place.first_cell + per_cube);
            let sides = self.sides(place, &names, &links, |next| (0, self.place(next).first_cell));
            mesh.sides.extend(sides.map(|side| localise(side, local, other)));
        }
        mesh.boundary_names = names;
        mesh.part = Some(Part {
            global,
            cells: self.len() * per_cube,
            hash: 0,
        });
        mesh
    }

    /// Computes the hash of the whole mesh, [`Mesh::hash`], without holding it.
    pub fn hash(&self, position: impl Fn([usize; 3], [usize; 3]) -> [f64; 3]) -> u64 {
        let cube = &self.kinds[0];
        let links = self.links();
        let names = self.boundary_names();
        let mut hash = MeshHash::default();
        hash.add_kinds((0..self.len()).flat_map(|_| cube.parts.iter().map(|part| part.kind)));
        hash.add_sides((0..self.len()).flat_map(|i| {
            let place = self.place(self.at(i));
            self.sides(place, &names, &links, |next| (0, self.place(next).first_cell))
        }));
        let nodes = (0..self.len()).flat_map(|i| {
            let at = self.at(i);
            let position = &position;
            cube.levels().map(move |levels| position(at, levels))
        });
        hash.add_numbers(nodes.flatten());
        hash.digest()
    }

    /// Returns the cube at a position, in a grid of cubes that are all divided alike.
    fn place(&self, at: [usize; 3]) -> Place {
        Place {
            at,
            kind: 0,
            first_cell: self.number(at) * self.kinds[0].parts.len(),
        }
    }
}
