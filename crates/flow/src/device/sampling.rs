//! Points within cells at which the kernels sample the state.
//!
//! A sample point is a cell and the values of the Lagrange functions of the cell at the point. In hexahedra and prisms
//! these functions are products, and only their factors are stored. At p = 7 these are 24 numbers for each point
//! instead of 512, and a plane has 100,000 points.

use std::ops::Range;

use super::Plan;
use super::contract::SampledPoint;

/// What is sampled at points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampled {
    /// The conserved variables.
    State,
    /// The passive scalars rho c, and in the last of five places the density.
    Scalars,
}

/// A point in a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplePoint {
    /// Index of the cell in the mesh of this rank.
    pub cell: usize,
    /// Values of the Lagrange functions: of the lines in the three reference directions for a hexahedron, of the
    /// triangle and the line for a prism, of all points for a tetrahedron or pyramid.
    pub weights: Vec<f64>,
}

/// Sample points in the order in which the kernels process them: group by group.
#[derive(Debug)]
pub struct SamplePlan {
    /// The points.
    pub points: Vec<SampledPoint>,
    /// Range of the points of each group of cells.
    pub groups: Vec<Range<usize>>,
    /// Weights of all points.
    pub weights: Vec<f64>,
}

impl SamplePlan {
    /// Sorts points by the groups of their cells.
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
        let groups = by_group.iter().map(|points| {
            let begin = end;
            end += points.len();
            begin..end
        });
        SamplePlan {
            groups: groups.collect(),
            points: by_group.concat(),
            weights,
        }
    }
}
