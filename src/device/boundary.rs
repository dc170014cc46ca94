//! Where each boundary face finds its cell, its trace and its normal, as the kernels of ptx/boundary.cu read it.

use super::Plan;
use crate::mesh::FACES;

/// One entry a boundary face, in the order of the ghosts.
pub struct BoundaryArrays {
    /// Offset of the cell in the state.
    pub cell: Vec<i64>,
    /// Offset of the face's own viscous trace.
    pub trace: Vec<i64>,
    /// Offset of the cell in its group's metric terms, or of the face in the normals (affine cells).
    pub metric: Vec<i64>,
    /// Local face.
    pub face: Vec<i32>,
    /// Kind of condition.
    pub kind: Vec<i32>,
}

impl BoundaryArrays {
    /// For the boundary faces of a plan; `kinds` holds the condition of every named boundary.
    pub fn new(plan: &Plan, kinds: &[i32]) -> Self {
        let (np, nl, lanes) = (plan.np(), plan.nl(), plan.lanes);
        let faces = &plan.boundary_faces;
        let metric = plan.groups.iter().flat_map(|group| {
            faces[group.boundary.clone()].iter().map(move |b| {
                let at = plan.place[b.cell];
                let (block, lane) = (at / lanes, at % lanes);
                let offset = if group.metric_points == 1 {
                    (block * FACES + b.face) * 4 * lanes
                } else {
                    (block - group.begin) * 10 * np * lanes
                };
                (offset + lane) as i64
            })
        });
        BoundaryArrays {
            cell: faces.iter().map(|b| plan.offset(b.cell, 5 * np) as i64).collect(),
            trace: faces
                .iter()
                .map(|b| (plan.offset(b.cell, FACES * 4 * nl) + b.face * 4 * nl * lanes) as i64)
                .collect(),
            metric: metric.collect(),
            face: faces.iter().map(|b| b.face as i32).collect(),
            kind: faces.iter().map(|b| kinds[b.name]).collect(),
        }
    }

    /// Memory of these arrays.
    pub fn bytes(&self) -> usize {
        self.cell.len() * (3 * 8 + 2 * 4)
    }
}
