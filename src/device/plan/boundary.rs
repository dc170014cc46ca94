//! Boundary faces: where each finds its cell and its trace, and where its ghosts lie behind the cells.

use std::collections::HashMap;
use std::ops::Range;

use super::Plan;
use super::tables::Tables;
use crate::device::contract::{GHOST_VALUES, Slot};
use crate::element::{Elements, FaceShape};
use crate::geometry::Geometry;
use crate::mesh::{Mesh, Side};
use crate::physics::BoundaryKind;
use crate::vector::length;

/// The exterior side of a boundary face.
#[derive(Debug, Clone, Copy)]
pub enum Exterior {
    /// A boundary condition: index into the mesh's boundary names.
    Condition(usize),
    /// Another cell's face, seen after a rotation ([`Side::Rotated`]).
    Rotated {
        /// The cell.
        cell: usize,
        /// Its face.
        face: usize,
        /// Its orientation.
        orientation: usize,
        /// Index of the rotation.
        rotation: usize,
    },
    /// The same on another rank.
    Remote {
        /// Index of the rotation.
        rotation: usize,
    },
}

/// One face on a boundary.
#[derive(Debug, Clone, Copy)]
pub struct BoundaryFace {
    /// Cell, in mesh numbering.
    pub cell: usize,
    /// Local face.
    pub face: usize,
    /// Its exterior side.
    pub exterior: Exterior,
    /// Points of the boundary faces before it.
    pub first_point: usize,
    /// Its number of points.
    pub points: usize,
    /// Where the tables list its points in the cell.
    pub table: i32,
    /// Offset of its ghost among the ghost states.
    pub ghost: usize,
}

/// Boundary faces of one group and one shape: those of one launch.
#[derive(Debug, Clone)]
pub struct BoundarySet {
    /// The group.
    pub group: usize,
    /// Shape of the faces.
    pub shape: FaceShape,
    /// The faces.
    pub faces: Range<usize>,
    /// Points of the boundary faces before the first.
    pub first_point: usize,
}

impl BoundarySet {
    /// Number of faces.
    pub fn len(&self) -> usize {
        self.faces.len()
    }
}

impl Plan {
    /// Lists the boundary faces by group and shape, and gives each a ghost. As many ghosts as fit share rows as long as a cell's,
    /// so that the variables of a ghost lie as far apart as those of a cell of the same kind.
    pub(super) fn list_boundary_faces(&mut self, mesh: &Mesh, tables: &mut Tables) {
        for (g, group) in self.groups.iter().enumerate() {
            for shape in [FaceShape::Triangle, FaceShape::Quad] {
                let (first, points) = (self.boundary_faces.len(), shape.points(self.order));
                let first_point = self.boundary_faces.last().map_or(0, |b| b.first_point + b.points);
                for at in group.begin * self.lanes..group.end * self.lanes {
                    let cell = self.cell_of_slot[at];
                    if self.slot_of_cell[cell] != at {
                        continue; // padding shares the ghosts of the cell that it repeats
                    }
                    for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
                        let exterior = match *side {
                            Side::Cell { .. } | Side::Remote { rotation: None, .. } => continue,
                            Side::Remote {
                                rotation: Some(rotation),
                                ..
                            } => Exterior::Remote { rotation },
                            Side::Boundary(name) => Exterior::Condition(name),
                            Side::Rotated {
                                cell,
                                face,
                                orientation,
                                rotation,
                            } => Exterior::Rotated {
                                cell,
                                face,
                                orientation,
                                rotation,
                            },
                        };
                        if group.kind.faces()[face].shape != shape {
                            continue;
                        }
                        let (count, share) = (self.boundary_faces.len() - first, group.points / points);
                        self.boundary_faces.push(BoundaryFace {
                            cell,
                            face,
                            exterior,
                            first_point: first_point + count * points,
                            points,
                            table: tables.of(group.kind, face, 0).0,
                            ghost: self.ghost_len
                                + count / share * GHOST_VALUES * group.points
                                + count % share * points,
                        });
                    }
                }
                let faces = first..self.boundary_faces.len();
                if faces.is_empty() {
                    continue;
                }
                self.ghost_len += faces.len().div_ceil(group.points / points) * GHOST_VALUES * group.points;
                self.boundary_sets.push(BoundarySet {
                    group: g,
                    shape,
                    faces,
                    first_point,
                });
            }
        }
    }

    /// Offsets of the ghosts of each boundary face among the ghost states and traces, with the points of its cell and face.
    pub(super) fn ghost_places(&self) -> HashMap<(usize, usize), (usize, usize, usize, usize)> {
        self.boundary_faces
            .iter()
            .map(|b| {
                let place = (b.ghost, 4 * b.first_point, self.group(b.cell).points, b.points);
                ((b.cell, b.face), place)
            })
            .collect()
    }
}

/// What the kernels of ptx/kernels/ghosts.cu read, one entry a boundary face.
pub struct BoundaryArrays {
    /// Offset of the cell in the state.
    pub cell: Vec<i64>,
    /// Offset of the face's own viscous trace.
    pub trace: Vec<i64>,
    /// Offset of its ghost state.
    pub ghost: Vec<i64>,
    /// Offset of its ghost trace.
    pub ghost_trace: Vec<i64>,
    /// Where the tables list its points in the cell.
    pub points: Vec<i32>,
    /// Kind of condition.
    pub kind: Vec<i32>,
    /// The other cell of faces that have one.
    pub partner: Vec<Slot>,
    /// Which rotation leads there.
    pub rotation: Vec<i32>,
    /// Outward unit normals, `[boundary face][3][face point]`.
    pub normals: Vec<f64>,
    /// Outward area vectors and the points' weights on the face, `[boundary face][4][face point]`.
    pub areas: Vec<f64>,
}

impl BoundaryArrays {
    /// For the boundary faces of a plan; `kinds` holds the condition of every named boundary.
    pub fn new(plan: &Plan, geometry: &Geometry, elements: &Elements, kinds: &[BoundaryKind]) -> Self {
        let faces = &plan.boundary_faces;
        let each = |of: &dyn Fn(&super::BoundaryFace) -> usize| faces.iter().map(|b| of(b) as i64).collect();
        let mut normals = vec![0.0; 3 * plan.boundary_points()];
        let mut areas = vec![0.0; 4 * plan.boundary_points()];
        for b in faces {
            let weights = elements.face_weights(geometry.kinds[b.cell].faces()[b.face].shape);
            let start = geometry.face_start(b.cell, b.face, plan.order);
            for (l, area) in geometry.areas[start..start + b.points].iter().enumerate() {
                let size = length(*area);
                for m in 0..3 {
                    normals[3 * b.first_point + m * b.points + l] = area[m] / size;
                    areas[4 * b.first_point + m * b.points + l] = area[m];
                }
                areas[4 * b.first_point + 3 * b.points + l] = weights[l];
            }
        }
        BoundaryArrays {
            cell: each(&|b| plan.state_offset(b.cell)),
            trace: each(&|b| plan.trace_offset(b.cell, b.face)),
            ghost: each(&|b| plan.ghost_start() + b.ghost),
            ghost_trace: each(&|b| plan.ghost_trace_start() + 4 * b.first_point),
            points: faces.iter().map(|b| b.table).collect(),
            kind: faces
                .iter()
                .map(|b| match b.exterior {
                    Exterior::Condition(name) => kinds[name] as i32,
                    Exterior::Rotated { .. } | Exterior::Remote { .. } => BoundaryKind::Rotated as i32,
                })
                .collect(),
            partner: plan.partners.clone(),
            rotation: faces
                .iter()
                .map(|b| match b.exterior {
                    Exterior::Condition(_) => 0,
                    Exterior::Rotated { rotation, .. } | Exterior::Remote { rotation } => rotation as i32,
                })
                .collect(),
            normals,
            areas,
        }
    }
}
