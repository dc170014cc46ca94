//! The plan: the layout of all arrays on the device, and the connectivity of the cells, as numbers for any device.
//!
//! Cells of one kind that are all affine or all curved form a group, which is divided into blocks of `lanes` cells.
//! Every face of every cell has a neighbour slot: an offset, a stride and a list of points. Kernels read the exterior
//! side through this slot, whether it is a cell, a halo or a ghost.
//!
//! The plan is built once on the host in double precision.

mod boundary;
mod classes;
mod group;
mod halo;
mod interfaces;
mod matching;
mod metrics;
mod mortars;
mod tables;

use super::contract::{GHOST_VALUES, GatherIndex, Slot, SlotKind};
use crate::device::matching::Conditions;
use crate::element::{ElementKind, FaceShape};
use crate::geometry::Geometry;
use crate::mesh::{CellCounts, Mesh, Side, ordering};
pub use boundary::{BoundaryArrays, BoundaryFace, BoundarySet, Exterior};
pub use classes::Classes;
pub use group::Group;
pub use halo::{HaloNeighbour, HaloPlan};
pub use interfaces::InterfacePlan;
pub use matching::MatchingPlan;
pub use mortars::MortarPlan;
use tables::Tables;

/// Layout and connectivity on the device.
#[derive(Debug)]
pub struct Plan {
    /// Polynomial degree.
    pub order: usize,
    /// Number of cells of a block.
    pub lanes: usize,
    /// Cell in each slot (block * lanes + lane). Padding repeats a cell of its block.
    pub cell_of_slot: Vec<usize>,
    /// Slot of each cell.
    pub slot_of_cell: Vec<usize>,
    /// Groups of blocks.
    pub groups: Vec<Group>,
    /// Group of each cell.
    group_of: Vec<u8>,
    /// Class of each cell in the paired scheme; empty in others.
    pub classes: Vec<u8>,
    /// Number of points of all earlier cells in mesh order, for each cell, and of all cells at the end.
    pub first_point: Vec<usize>,
    /// Rotations of vectors to cells on the other side of boundary faces, in rows of nine.
    pub rotations: Vec<f64>,
    /// Neighbour slots, for each group `[block][face][lane]`.
    pub slots: Vec<Slot>,
    /// Kinds of the neighbour slots, for each group `[block][face]`.
    pub slot_kind: Vec<u8>,
    /// Lists of face points: offsets in the state and in the traces.
    pub tables: Vec<i32>,
    /// Boundary faces in the order of their ghosts.
    pub boundary_faces: Vec<BoundaryFace>,
    /// Sets of boundary faces of one group and one shape.
    pub boundary_sets: Vec<BoundarySet>,
    /// Slots of the exterior cells of boundary faces; zeros for faces with a boundary condition.
    exterior_cells: Vec<Slot>,
    /// Number of values of the ghost states, which follow the halos in a state.
    pub ghost_len: usize,
    /// Layout of the exchange with other ranks.
    pub halo: HaloPlan,
    /// Matching points of modelled walls.
    pub matching: MatchingPlan,
    /// Faces of interfaces.
    pub interfaces: InterfacePlan,
    /// Faces that meet smaller ones.
    pub mortars: MortarPlan,
    /// Whether a state holds the least entropy of each cell, which follows the states at matching points.
    pub entropy: bool,
    /// Offset in a state of the least entropy of the other side of each face, in the order of [`Plan::slots`]; empty
    /// without entropies. At a boundary it is -1 or, at a wall that may have a temperature, -2 - the place of the first
    /// of its data.
    pub entropy_slots: Vec<i64>,
}

impl Plan {
    /// Arranges the cells of `mesh` in blocks of `lanes` and connects them, and the matching points of modelled walls.
    /// Every group has a multiple of `width(kind)` blocks. With `entropy` a state holds the least entropies of the
    /// cells, and ranks exchange them.
    pub fn new(
        mesh: &Mesh,
        geometry: &Geometry,
        conditions: &Conditions,
        order: usize,
        lanes: usize,
        width: impl Fn(ElementKind) -> usize,
        entropy: bool,
    ) -> Self {
        let mut plan = Plan {
            entropy,
            slot_of_cell: vec![usize::MAX; mesh.len()],
            group_of: vec![0; mesh.len()],
            classes: conditions.classes.to_vec(),
            first_point: geometry.first_point.clone(),
            rotations: mesh.rotations.iter().flatten().flatten().copied().collect(),
            ..Plan::empty(order, lanes)
        };
        for kind in ElementKind::ALL {
            for affine in [true, false] {
                // Frontier cells come last.
                let (frontier, interior): (Vec<usize>, Vec<usize>) = (0..mesh.len())
                    .filter(|&c| mesh.kinds[c] == kind && geometry.is_affine(c) == affine)
                    .partition(|&c| {
                        mesh.cell_sides(c)
                            .iter()
                            .any(|side| matches!(side, Side::Remote { .. }))
                    });
                if !(frontier.is_empty() && interior.is_empty()) {
                    plan.add_group(mesh, kind, affine, [&interior, &frontier], width(kind));
                }
            }
        }
        for (at, &cell) in plan.cell_of_slot.iter().enumerate() {
            if plan.slot_of_cell[cell] == usize::MAX {
                plan.slot_of_cell[cell] = at;
            }
        }
        let mut tables = Tables::new(order, lanes);
        plan.halo = HaloPlan::new(&plan, mesh, conditions.matching, &mut tables);
        plan.list_boundary_faces(mesh, &mut tables);
        plan.place_matching_points(conditions.matching);
        plan.place_interfaces(conditions.interfaces, &mut tables);
        plan.place_mortars(mesh, &mut tables);
        plan.connect(mesh, &mut tables);
        if entropy {
            plan.connect_entropies(mesh, conditions.kinds);
        }
        plan.tables = tables.lists;
        plan
    }

    /// Returns a plan with the sizes that a mesh with these numbers of cells and boundary faces has on one rank, but
    /// without contents. The arrays of such a plan cannot be filled; their sizes are estimates.
    pub fn of_counts(counts: &CellCounts, order: usize, width: impl Fn(ElementKind) -> usize) -> Self {
        let mut plan = Plan::empty(order, 1);
        for kind in ElementKind::ALL {
            for (affine, count) in [true, false].into_iter().zip(counts.cells[kind]) {
                let begin = plan.groups.last().map_or(0, |last| last.end);
                let end = begin + count.next_multiple_of(width(kind));
                if end > begin {
                    plan.push_group(kind, affine, [vec![begin, end], vec![end, end]]);
                }
            }
        }
        for (shape, count) in [FaceShape::Triangle, FaceShape::Quad].into_iter().zip(counts.boundary) {
            let (first, first_point) = (plan.boundary_len(), plan.boundary_points());
            plan.boundary_sets.push(BoundarySet {
                group: 0,
                shape,
                faces: first..first + count,
                first_point,
            });
        }
        plan.ghost_len = GHOST_VALUES * plan.boundary_points();
        plan
    }

    /// Returns a plan without cells.
    fn empty(order: usize, lanes: usize) -> Self {
        Plan {
            order,
            lanes,
            cell_of_slot: Vec::new(),
            slot_of_cell: Vec::new(),
            groups: Vec::new(),
            group_of: Vec::new(),
            classes: Vec::new(),
            first_point: Vec::new(),
            rotations: Vec::new(),
            slots: Vec::new(),
            slot_kind: Vec::new(),
            tables: Vec::new(),
            boundary_faces: Vec::new(),
            boundary_sets: Vec::new(),
            exterior_cells: Vec::new(),
            ghost_len: 0,
            halo: HaloPlan::default(),
            matching: MatchingPlan::default(),
            interfaces: InterfacePlan::default(),
            mortars: MortarPlan::default(),
            entropy: false,
            entropy_slots: Vec::new(),
        }
    }

    /// Adds a group with these interior and frontier cells, each in the order of their classes.
    fn add_group(&mut self, mesh: &Mesh, kind: ElementKind, affine: bool, cells: [&[usize]; 2], width: usize) {
        let (lanes, begin) = (self.lanes, self.cell_of_slot.len() / self.lanes);
        let parts = cells.map(|cells| {
            let mut begins = vec![self.cell_of_slot.len() / lanes];
            for class in self.by_class(cells) {
                for block in ordering::cells_by_slot(mesh, &class, lanes).chunks(lanes) {
                    let first = block[0].expect("the first lane of a block is never padding");
                    self.cell_of_slot.extend(block.iter().map(|c| c.unwrap_or(first)));
                }
                while !(self.cell_of_slot.len() / lanes - begin).is_multiple_of(width) {
                    self.cell_of_slot.extend_from_within(self.cell_of_slot.len() - lanes..);
                }
                begins.push(self.cell_of_slot.len() / lanes);
            }
            cells.iter().for_each(|&c| self.group_of[c] = self.groups.len() as u8);
            begins
        });
        self.push_group(kind, affine, parts);
    }

    /// Adds a group. `parts` are the first blocks of the classes of the interior and of the frontier cells, each with
    /// the end of the last one.
    fn push_group(&mut self, kind: ElementKind, affine: bool, parts: [Vec<usize>; 2]) {
        let (points, face_points) = (kind.points(self.order), kind.total_face_points(self.order));
        let before = |of: fn(&Group) -> (usize, usize)| {
            self.groups.last().map_or(0, |last| {
                let (first, size) = of(last);
                first + size * last.cells(self.lanes)
            })
        };
        let group = Group {
            kind,
            begin: parts[0][0],
            frontier: parts[1][0],
            end: parts[1][parts[1].len() - 1],
            parts,
            points,
            face_points,
            first_point: before(|g| (g.first_point, g.points)),
            first_face_point: before(|g| (g.first_face_point, g.face_points)),
            first_slot: before(|g| (g.first_slot, g.faces())),
            metric_points: if affine { 1 } else { points },
        };
        self.groups.push(group);
    }

    /// Returns the sum of `size` over all cells, padding included.
    fn sum(&self, size: impl Fn(&Group) -> usize) -> usize {
        self.groups.iter().map(|g| size(g) * g.cells(self.lanes)).sum()
    }

    /// Returns whether all cells have the same kind.
    pub fn uniform(&self) -> bool {
        self.groups.iter().all(|g| g.kind == self.groups[0].kind)
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.padded_cells() / self.lanes
    }

    /// Returns the blocks that have a cell of a set, with their number, their group and the cells of their lanes.
    pub fn blocks_with<'a>(
        &'a self,
        contains: impl Fn(usize) -> bool + 'a,
    ) -> impl Iterator<Item = (usize, &'a Group, &'a [usize])> {
        let blocks = |group: &'a Group| (group.begin..group.end).map(move |block| (block, group));
        let of_lanes = |block: usize| &self.cell_of_slot[block * self.lanes..(block + 1) * self.lanes];
        let all = self.groups.iter().flat_map(blocks);
        let all = all.map(move |(block, group)| (block, group, of_lanes(block)));
        all.filter(move |(_, _, cells)| cells.iter().any(|&cell| contains(cell)))
    }

    /// Returns the number of cells, padding included.
    pub fn padded_cells(&self) -> usize {
        self.sum(|_| 1)
    }

    /// Returns the number of neighbour slots.
    pub fn slot_len(&self) -> usize {
        self.sum(Group::faces)
    }

    /// Returns the number of boundary faces.
    pub fn boundary_len(&self) -> usize {
        self.boundary_sets.last().map_or(0, |set| set.faces.end)
    }

    /// Returns the number of values of a field of 5 variables, without halos and ghosts.
    pub fn state_len(&self) -> usize {
        self.sum(|g| 5 * g.points)
    }

    /// Returns the number of values of the viscous traces, without halos and ghosts.
    pub fn trace_len(&self) -> usize {
        self.sum(|g| 4 * g.face_points)
    }

    /// Returns the number of values of the viscous divergence that dense elements store at their points.
    pub fn viscous_len(&self) -> usize {
        self.sum(|g| if g.kind == ElementKind::Hex { 0 } else { 4 * g.points })
    }

    /// Returns the offset of the first value of a group in the viscous divergence.
    pub fn viscous_start(&self, group: usize) -> usize {
        let hexes: usize = self.groups[..group]
            .iter()
            .filter(|g| g.kind == ElementKind::Hex)
            .map(|g| 4 * g.points * g.cells(self.lanes))
            .sum();
        4 * self.groups[group].first_point - hexes
    }

    /// Returns the number of values of the ghost traces.
    pub fn ghost_trace_len(&self) -> usize {
        4 * self.boundary_points()
    }

    /// Returns the offset of the first ghost state in a state. Ghosts follow the cells and the halos.
    pub fn ghost_start(&self) -> usize {
        self.state_len() + self.halo.state_len
    }

    /// Returns the offset of the first ghost trace in the viscous traces.
    pub fn ghost_trace_start(&self) -> usize {
        self.trace_len() + self.halo.trace_len
    }

    /// Returns the offset of the least entropy of the first cell in a state. They follow the states at matching points,
    /// and begin where registers of any machine may.
    pub fn entropy_start(&self) -> usize {
        (self.ghost_start() + self.ghost_len + self.matching_len()).next_multiple_of(64)
    }

    /// Returns the number of points of all boundary faces.
    pub fn boundary_points(&self) -> usize {
        self.boundary_sets
            .last()
            .map_or(0, |set| set.first_point + set.len() * set.shape.points(self.order))
    }

    /// Returns the group of a cell.
    pub fn group(&self, cell: usize) -> &Group {
        &self.groups[self.group_number(cell)]
    }

    /// Returns the index of the group of a cell.
    pub fn group_number(&self, cell: usize) -> usize {
        usize::from(self.group_of[cell])
    }

    /// Returns the offset of the first value of a cell in an array with `size` values for a cell of any kind.
    pub fn offset(&self, cell: usize, size: usize) -> usize {
        let at = self.slot_of_cell[cell];
        at / self.lanes * self.lanes * size + at % self.lanes
    }

    /// Returns the offset of the first value of a cell in a field of 5 variables.
    pub fn state_offset(&self, cell: usize) -> usize {
        self.field_offset(cell, 5)
    }

    /// Returns the offset of the first value of a cell in a field of `variables` variables a point.
    pub fn field_offset(&self, cell: usize, variables: usize) -> usize {
        let (group, at) = (self.group(cell), self.slot_of_cell[cell]);
        variables * (group.first_point + (at / self.lanes - group.begin) * self.lanes * group.points) + at % self.lanes
    }

    /// Returns the offset of the first value of a face in the viscous traces.
    pub fn trace_offset(&self, cell: usize, face: usize) -> usize {
        let (group, at) = (self.group(cell), self.slot_of_cell[cell]);
        let before: usize = (0..face).map(|f| group.kind.face_points(f, self.order)).sum();
        let block =
            group.first_face_point + ((at / self.lanes - group.begin) * group.face_points + before) * self.lanes;
        4 * block + at % self.lanes
    }

    /// Fills the neighbour slots of all faces, and the slots of the exterior cells of boundary faces.
    fn connect(&mut self, mesh: &Mesh, tables: &mut Tables) {
        let lanes = self.lanes;
        let ghosts = self.ghost_offsets();
        let (ghost_start, trace_start) = (self.ghost_start(), self.ghost_trace_start());
        let mut slots = Vec::with_capacity(self.slot_len());
        let mut kinds = Vec::with_capacity(self.slot_len() / lanes);
        for group in &self.groups {
            for (block, face) in (group.begin..group.end).flat_map(|b| (0..group.faces()).map(move |f| (b, f))) {
                let first = slots.len();
                let mut boundary = false;
                for lane in 0..lanes {
                    let cell = self.cell_of_slot[block * lanes + lane];
                    slots.push(match mesh.cell_sides(cell)[face] {
                        Side::Cell {
                            cell,
                            face,
                            orientation,
                        } => self.slot_of(cell, face, orientation, tables),
                        Side::Remote { rotation: None, .. } => self.halo.slots[&(cell, face)],
                        _ => {
                            boundary = true;
                            let (state, trace, points, size) = ghosts[&(cell, face)];
                            let table = self.interfaces.table_of_ghost(cell, face).unwrap_or(tables.identity);
                            let index = |base: usize, stride: usize| GatherIndex {
                                base: base as i64,
                                stride: stride as i32,
                                table,
                            };
                            Slot {
                                state: index(ghost_start + state, points),
                                trace: index(trace_start + trace, size),
                            }
                        }
                    });
                }
                let side_by_side = (0..lanes).all(|l| {
                    let (one, first) = (&slots[first + l].state, &slots[first].state);
                    one.base == first.base + l as i64 && one.table == first.table
                }) && slots[first].state.base % lanes as i64 == 0;
                let kind = match (boundary, side_by_side) {
                    (true, _) => SlotKind::Boundary,
                    (false, true) => SlotKind::SideBySide,
                    (false, false) => SlotKind::Scattered,
                };
                kinds.push(kind as u8);
            }
        }
        self.slots = slots;
        self.slot_kind = kinds;
        let exterior_cell = |b: &BoundaryFace| match b.exterior {
            Exterior::Condition(_) | Exterior::Mortar => Slot::default(),
            Exterior::Rotated {
                cell,
                face,
                orientation,
                ..
            } => self.slot_of(cell, face, orientation, tables),
            Exterior::Remote { .. } => self.halo.slots[&(b.cell, b.face)],
        };
        self.exterior_cells = self.boundary_faces.iter().map(exterior_cell).collect();
    }

    /// Returns the neighbour slot for a face of a cell of this rank, as its neighbour with this orientation reads it.
    fn slot_of(&self, cell: usize, face: usize, orientation: usize, tables: &mut Tables) -> Slot {
        let there = self.group(cell);
        let (in_state, in_traces) = tables.of(there.kind, face, orientation);
        Slot {
            state: GatherIndex {
                base: self.state_offset(cell) as i64,
                stride: (there.points * self.lanes) as i32,
                table: in_state,
            },
            trace: GatherIndex {
                base: self.trace_offset(cell, face) as i64,
                stride: (there.kind.face_points(face, self.order) * self.lanes) as i32,
                table: in_traces,
            },
        }
    }
}
