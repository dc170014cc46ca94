//! The places of the states at matching points, and the lists from which the kernels compute them.

use super::{Exterior, Plan};
use crate::device::contract::MatchingRow;
use crate::device::matching::{MatchingPoints, MatchingSource};

/// The matching points of a plan.
#[derive(Debug, Default)]
pub struct MatchingPlan {
    /// A row for each point in a cell of this rank.
    pub rows: Vec<MatchingRow>,
    /// Offsets of the points of the cells of all rows.
    pub points: Vec<i32>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// Offset of the state of each boundary point in a state; empty without modelled walls.
    pub states: Vec<i64>,
    /// Height of the matching point of each boundary point over the wall.
    pub heights: Vec<f64>,
    /// Whether states go to other ranks.
    pub sends: bool,
}

impl Plan {
    /// Returns the number of values of the states at matching points, which follow the ghosts.
    pub fn matching_len(&self) -> usize {
        5 * self.matching.rows.len()
    }

    /// Places the matching points, when cells, halos and ghosts have their places.
    pub(super) fn place_matching_points(&mut self, all: &MatchingPoints) {
        let start = self.ghost_start() + self.ghost_len;
        self.halo.place_matching_states(start);
        let mut placed = MatchingPlan {
            sends: !all.sent.is_empty(),
            ..MatchingPlan::default()
        };
        for (number, row) in all.rows.iter().enumerate() {
            let stride = self.group(row.cell).points * self.lanes;
            placed.rows.push(MatchingRow {
                from: self.state_offset(row.cell) as i64,
                to: (start + 5 * number) as i64,
                first: placed.points.len() as i64,
                count: row.weights.len() as i32,
                stride: stride as i32,
            });
            for &(point, weight) in &row.weights {
                placed.points.push((point * self.lanes) as i32);
                placed.weights.push(weight);
            }
        }
        if !all.of_face.is_empty() || !all.rows.is_empty() {
            placed.states = vec![0; self.boundary_points()];
            placed.heights = vec![0.0; self.boundary_points()];
        }
        for b in &self.boundary_faces {
            let Some(points) = all.of_face.get(&(b.cell, b.face)) else {
                continue;
            };
            debug_assert!(matches!(b.exterior, Exterior::Condition(_)));
            for (l, &(source, height)) in points.iter().enumerate() {
                let state = match source {
                    MatchingSource::Here(row) => start + 5 * row,
                    MatchingSource::There { rank, number } => self.state_len() + self.halo.matching[&rank] + 5 * number,
                };
                placed.states[b.first_point + l] = state as i64;
                placed.heights[b.first_point + l] = height;
            }
        }
        self.matching = placed;
    }
}
