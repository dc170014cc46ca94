//! Places within cells where the state is wanted, as the kernels find them.
//!
//! A place is a cell and what the cell's Lagrange functions are there. In hexahedra and prisms these are products, of which the
//! factors are kept: at p = 7 that is 24 numbers a place where 512 would be the products, and a plane has 100,000 places.

use std::ops::Range;

use super::Plan;
use super::contract::SampledPoint;

/// A place in a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplePoint {
    /// The cell, by its number in the mesh of this rank.
    pub cell: usize,
    /// Values of the Lagrange functions: of the lines in x, y and z for a hexahedron, of the triangle and the line for a prism,
    /// of all points for a tetrahedron or pyramid.
    pub weights: Vec<f64>,
}

/// Places in the order in which the kernels go through them: group by group.
#[derive(Debug)]
pub struct SamplePlan {
    /// The places.
    pub places: Vec<SampledPoint>,
    /// Those of each group of cells.
    pub groups: Vec<Range<usize>>,
    /// The weights of all.
    pub weights: Vec<f64>,
}

impl SamplePlan {
    /// Sorts places by the groups of their cells.
    pub fn new(plan: &Plan, points: &[SamplePoint]) -> Self {
        let (mut weights, mut by_group) = (Vec::new(), vec![Vec::new(); plan.groups.len()]);
        for (to, point) in points.iter().enumerate() {
            by_group[plan.group_number(point.cell)].push(SampledPoint {
                from: plan.state_offset(point.cell) as i64,
                weights: weights.len() as i64,
                to: to as i64,
            });
            weights.extend(&point.weights);
        }
        let mut end = 0;
        let groups = by_group.iter().map(|places| {
            let begin = end;
            end += places.len();
            begin..end
        });
        SamplePlan {
            groups: groups.collect(),
            places: by_group.concat(),
            weights,
        }
    }
}
