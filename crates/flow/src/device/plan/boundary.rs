//! Boundary faces: the offsets of their cells, traces and ghosts. Ghosts follow the cells and the halos in an array.

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
    /// A boundary condition: index into the boundary names of the mesh.
    Condition(usize),
    /// A face of another cell of this rank, joined by a rotation ([`Side::Rotated`]).
    Rotated {
        /// The cell.
        cell: usize,
        /// Local number of the face.
        face: usize,
        /// Orientation of the face.
        orientation: usize,
        /// Index of the rotation.
        rotation: usize,
    },
    /// Smaller faces that divide this one, or a larger one of which it is a part ([`Side::Mortar`]).
    Mortar,
    /// A face of a cell of another rank, joined by a rotation.
    Remote {
        /// Index of the rotation.
        rotation: usize,
    },
}

/// A face on a boundary.
#[derive(Debug, Clone, Copy)]
pub struct BoundaryFace {
    /// Index of the cell in the mesh of this rank.
    pub cell: usize,
    /// Local number of the face in the cell.
    pub face: usize,
    /// Exterior side of the face.
    pub exterior: Exterior,
    /// Number of points of all earlier boundary faces.
    pub first_point: usize,
    /// Number of points of the face.
    pub points: usize,
    /// Offset in the tables of the list of its points in the cell.
    pub table: i32,
    /// Offset of its ghost among the ghost states.
    pub ghost: usize,
}

/// Boundary faces of one group and one shape, which one launch processes.
#[derive(Debug, Clone)]
pub struct BoundarySet {
    /// Index of the group.
    pub group: usize,
    /// Shape of the faces.
    pub shape: FaceShape,
    /// Range of the faces.
    pub faces: Range<usize>,
    /// Number of points of all boundary faces before the first of the set.
    pub first_point: usize,
}

impl BoundarySet {
    /// Returns the number of faces.
    pub fn len(&self) -> usize {
        self.faces.len()
    }
}

impl Plan {
    /// Lists the boundary faces by group and shape, and assigns a ghost to each.
    ///
    /// Ghosts are packed into rows that have the length of a cell's rows. The variables of a ghost then have the same
    /// stride as those of a cell of the same kind.
    pub(super) fn list_boundary_faces(&mut self, mesh: &Mesh, tables: &mut Tables) {
        for (g, group) in self.groups.iter().enumerate() {
            for shape in [FaceShape::Triangle, FaceShape::Quad] {
                let (first, points) = (self.boundary_faces.len(), shape.points(self.order));
                let first_point = self.boundary_faces.last().map_or(0, |b| b.first_point + b.points);
                for at in group.begin * self.lanes..group.end * self.lanes {
                    let cell = self.cell_of_slot[at];
                    if self.slot_of_cell[cell] != at {
                        continue; // padding uses the ghosts of the cell that it repeats
                    }
                    for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
                        let exterior = match *side {
                            Side::Cell { .. } | Side::Remote { rotation: None, .. } => continue,
                            Side::Remote {
                                rotation: Some(rotation),
                                ..
                            } => Exterior::Remote { rotation },
                            Side::Boundary(name) => Exterior::Condition(name),
                            Side::Mortar(_) => Exterior::Mortar,
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

    /// Returns the number of entries of the derivative matrices of triangular and quadrilateral faces.
    pub fn face_derivatives_len(&self) -> usize {
        [FaceShape::Triangle, FaceShape::Quad]
            .map(|shape| 2 * shape.points(self.order).pow(2))
            .iter()
            .sum()
    }

    /// Returns for each boundary face (cell, local face) the offsets of its ghosts among the ghost states and the ghost
    /// traces, and the numbers of points of its cell and of the face.
    pub(super) fn ghost_offsets(&self) -> HashMap<(usize, usize), (usize, usize, usize, usize)> {
        self.boundary_faces
            .iter()
            .map(|b| {
                let offsets = (b.ghost, 4 * b.first_point, self.group(b.cell).points, b.points);
                ((b.cell, b.face), offsets)
            })
            .collect()
    }
}

/// Arrays that the kernels of ptx/kernels/ghosts.cu read, with an entry for each boundary face.
pub struct BoundaryArrays {
    /// Offset of the cell in the state.
    pub cell: Vec<i64>,
    /// Offset of the viscous trace of the cell at the face.
    pub trace: Vec<i64>,
    /// Offset of the ghost state.
    pub ghost: Vec<i64>,
    /// Offset of the ghost trace.
    pub ghost_trace: Vec<i64>,
    /// Offset in the tables of the list of the face's points in the cell.
    pub points: Vec<i32>,
    /// Kind of condition ([`BoundaryKind`]).
    pub kind: Vec<i32>,
    /// Slot of the exterior cell; zeros for faces with a boundary condition.
    pub exterior: Vec<Slot>,
    /// Index of the rotation to the exterior cell.
    pub rotation: Vec<i32>,
    /// Index of the boundary name; 0 for faces without a condition.
    pub name: Vec<i32>,
    /// Level of the cell in the paired scheme; empty in others.
    pub level: Vec<i32>,
    /// Number of boundary names.
    pub names: usize,
    /// Whether a boundary relaxes; the next two are empty otherwise.
    pub relaxed: bool,
    /// Dual base vectors of the surface at the points, `[boundary face][6][face point]`.
    pub dual: Vec<f64>,
    /// Derivative matrices of triangular, then of quadrilateral faces, `[2][face point][face point]` each.
    pub derivatives: Vec<f64>,
    /// Outward unit normals, `[boundary face][3][face point]`.
    pub normals: Vec<f64>,
    /// Outward area vectors and weights of the points, `[boundary face][4][face point]`.
    pub areas: Vec<f64>,
}

impl BoundaryArrays {
    /// Returns the arrays for the boundary faces of a plan. `kinds` holds the condition of every named boundary.
    pub fn new(plan: &Plan, geometry: &Geometry, elements: &Elements, kinds: &[BoundaryKind]) -> Self {
        let faces = &plan.boundary_faces;
        let each = |of: &dyn Fn(&super::BoundaryFace) -> usize| faces.iter().map(|b| of(b) as i64).collect();
        let mut normals = vec![0.0; 3 * plan.boundary_points()];
        let mut areas = vec![0.0; 4 * plan.boundary_points()];
        for b in faces {
            let weights = elements.face_weights(geometry.kinds[b.cell].faces()[b.face].shape);
            for (l, area) in geometry.face_areas(b.cell, b.face).into_iter().enumerate() {
                let size = length(area);
                for m in 0..3 {
                    normals[3 * b.first_point + m * b.points + l] = area[m] / size;
                    areas[4 * b.first_point + m * b.points + l] = area[m];
                }
                areas[4 * b.first_point + 3 * b.points + l] = weights[l];
            }
        }
        let relaxed = kinds.iter().any(|kind| kind.is_relaxed());
        let (mut dual, mut derivatives) = (Vec::new(), Vec::new());
        if relaxed {
            dual = vec![0.0; 6 * plan.boundary_points()];
            for b in faces {
                let kind = geometry.kinds[b.cell];
                let positions = geometry.cell_positions(b.cell);
                let points = kind.face_indices(b.face, plan.order).into_iter().map(|p| positions[p]);
                let base = elements
                    .face(kind.faces()[b.face].shape)
                    .dual_base(&points.collect::<Vec<_>>());
                for (l, vectors) in base.iter().enumerate() {
                    for (m, &component) in vectors.as_flattened().iter().enumerate() {
                        dual[6 * b.first_point + m * b.points + l] = component;
                    }
                }
            }
            let shapes = [FaceShape::Triangle, FaceShape::Quad];
            derivatives = shapes.map(|shape| elements.face(shape).diff.concat()).concat();
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
                    Exterior::Mortar => BoundaryKind::Interface as i32,
                    Exterior::Rotated { .. } | Exterior::Remote { .. } => BoundaryKind::Rotated as i32,
                })
                .collect(),
            exterior: plan.exterior_cells.clone(),
            rotation: faces
                .iter()
                .map(|b| match b.exterior {
                    Exterior::Condition(_) | Exterior::Mortar => 0,
                    Exterior::Rotated { rotation, .. } | Exterior::Remote { rotation } => rotation as i32,
                })
                .collect(),
            name: faces
                .iter()
                .map(|b| match b.exterior {
                    Exterior::Condition(name) => name as i32,
                    Exterior::Mortar | Exterior::Rotated { .. } | Exterior::Remote { .. } => 0,
                })
                .collect(),
            level: if plan.classes.is_empty() {
                Vec::new()
            } else {
                faces.iter().map(|b| plan.level(b.cell) as i32).collect()
            },
            names: kinds.len(),
            relaxed,
            dual,
            derivatives,
            normals,
            areas,
        }
    }
}
