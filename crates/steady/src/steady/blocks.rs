//! The blocks of cells that mixing planes join, as their vertices know them: the angle after which each repeats, and
//! the frame in which its cells are at rest.
//!
//! No edge leads from one block to another, so that an angle spreads along the edges from the sides of its sector.

use rayon::prelude::*;

use super::dual::DualMesh;
use super::rotation::Rotation;
use crate::ranks::Ranks;
use crate::solver::Motions;
use crate::vector::Vector;

/// In place of the number of an angle: none.
const NONE: i32 = -1;

impl DualMesh {
    /// Returns the number of the angle after which the block of each local vertex repeats, owned ones and the halo;
    /// `None` in a block that is no sector. Collective.
    pub fn angles(&self, ranks: &Ranks) -> Vec<Option<usize>> {
        let mut angles = vec![NONE; self.len()];
        if self.rotation.is_some() {
            for vertex in 0..self.owned {
                let found = self
                    .edges(vertex)
                    .find_map(|edge| Rotation::angle_of(self.turns_of_edge(edge)));
                angles[vertex] = found.map_or(NONE, |angle| angle as i32);
            }
            self.spread(ranks, &mut angles);
        }
        let known = |angle: i32| (angle != NONE).then_some(angle as usize);
        angles.into_iter().map(known).collect()
    }

    /// Gives the vertices of each block the number that some of them have. Collective.
    fn spread(&self, ranks: &Ranks, numbers: &mut [i32]) {
        loop {
            self.update_halo(ranks, numbers);
            let mut reached: Vec<u32> = Vec::new();
            for vertex in (0..self.owned)
                .filter(|&vertex| numbers[vertex] == NONE)
                .collect::<Vec<_>>()
            {
                let near = self.edges(vertex).map(|edge| numbers[self.neighbour[edge] as usize]);
                if let Some(number) = near.into_iter().find(|number| *number != NONE) {
                    numbers[vertex] = number;
                    reached.push(vertex as u32);
                }
            }
            let mut changed = [u64::from(!reached.is_empty())];
            while let Some(vertex) = reached.pop() {
                for edge in self.edges(vertex as usize) {
                    let next = self.neighbour[edge];
                    if (next as usize) < self.owned && numbers[next as usize] == NONE {
                        numbers[next as usize] = numbers[vertex as usize];
                        reached.push(next);
                    }
                }
            }
            ranks.allreduce_sum(&mut changed);
            if changed == [0] {
                return;
            }
        }
    }

    /// Returns a place within the block of cells around an owned vertex, which may lie on a plane between two blocks:
    /// the mean of the places of its neighbours.
    pub fn within(&self, vertex: usize) -> Vector {
        let edges = self.edges(vertex);
        let count = edges.len() as f64;
        let ends = edges.fold([0.0; 3], |sum: Vector, edge| {
            std::array::from_fn(|d| sum[d] + self.displacement[edge][d])
        });
        std::array::from_fn(|d| self.position[vertex][d] + ends[d] / count)
    }

    /// Gives the vertices the frames of their blocks, which turn about one axis if they do. Collective.
    pub fn turn_blocks(&mut self, motions: &Motions, ranks: &Ranks) {
        if motions.turning().is_none() {
            return;
        }
        self.frame = motions.axis_frame();
        let mut speed = vec![0.0; self.len()];
        let of_owned = speed[..self.owned].par_iter_mut().enumerate();
        of_owned.for_each(|(vertex, speed)| *speed = motions.angular_speed(self.within(vertex)));
        self.update_halo(ranks, &mut speed);
        self.frame_speed = speed;
    }
}
