//! The plan: where everything lies on the device, as plain numbers that any device can take over.
//!
//! Cells are placed in blocks of `lanes`; every side of every cell gets a neighbour slot (offset, stride, numbering table), so
//! that kernels never ask whether the other side is a cell, a halo or a boundary. Built once on the host in double precision.

use crate::element::LineElement;
use crate::geometry::Geometry;
use crate::mesh::{FACES, Mesh, Side, face_index, ordering, orient};

/// Values a ghost trace holds per face point: state (5) and what the gradient sees (4).
const NEIGHBOUR_ROW: usize = 9;
/// Slot kinds of ptx/params.h.
const SIDE_BY_SIDE: u8 = 0;
const SCATTERED: u8 = 1;
const BOUNDARY: u8 = 2;
const ORIENTATIONS: usize = 8;

/// Blocks whose cells hold their metric terms in the same way.
#[derive(Debug, Clone)]
pub struct Group {
    /// First block.
    pub begin: usize,
    /// One past the last block.
    pub end: usize,
    /// Metric terms per cell and component: 1 (affine) or n^3.
    pub metric_points: usize,
    /// Metric terms [block][10][n^3][lane], Ja^d_m at 3 d + m and 1/J, or [block][3][4][lane] (ptx/cell.h).
    pub metrics: Vec<f64>,
    /// Boundary faces of these blocks, as a range of `Plan::boundary_faces`.
    pub boundary: std::ops::Range<usize>,
}

impl Group {
    /// Metric terms of a block and lane.
    pub fn metrics_per_block(&self) -> usize {
        if self.metric_points == 1 {
            12
        } else {
            10 * self.metric_points
        }
    }
}

/// One face on a boundary.
#[derive(Debug, Clone, Copy)]
pub struct BoundaryFace {
    /// Cell, in mesh numbering.
    pub cell: usize,
    /// Local face.
    pub face: usize,
    /// Index into the mesh's boundary names.
    pub name: usize,
}

/// Where the other side of a face lies in one array; `struct Place` of ptx/params.h.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    /// Offset.
    pub base: i64,
    /// Distance between variables.
    pub stride: i32,
    /// Row of the numbering tables.
    pub table: i32,
}

/// Where the other side of a face lies.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Slot {
    /// In the state.
    pub state: Place,
    /// In the viscous traces.
    pub trace: Place,
}

/// Layout and connectivity on the device.
#[derive(Debug)]
pub struct Plan {
    /// Points of a line.
    pub n: usize,
    /// Cells side by side in a block.
    pub lanes: usize,
    /// Cell in each place; padding repeats a cell of its block.
    pub occupant: Vec<usize>,
    /// Place (block * lanes + lane) of each cell.
    pub place: Vec<usize>,
    /// Groups of blocks.
    pub groups: Vec<Group>,
    /// Outward area vectors in rows of four, [block][face][4][lane]; used by affine groups.
    pub normals: Vec<f64>,
    /// Neighbour slots, [block][face][lane].
    pub slots: Vec<Slot>,
    /// Kind, [block][face].
    pub slot_kind: Vec<u8>,
    /// Numbering tables [row][2][face point]: offsets in the state and in the traces.
    pub tables: Vec<i32>,
    /// Boundary faces in the order of their ghosts.
    pub boundary_faces: Vec<BoundaryFace>,
}

impl Plan {
    /// Places the cells of `mesh` in blocks of `lanes` and connects them.
    /// Every group gets a multiple of `width` blocks.
    pub fn new(mesh: &Mesh, geometry: &Geometry, line: &LineElement, lanes: usize, width: usize) -> Self {
        let n = line.len();
        let (mut occupant, mut groups) = (Vec::new(), Vec::new());
        for affine in [true, false] {
            let cells: Vec<usize> = (0..mesh.len()).filter(|&c| geometry.affine[c] == affine).collect();
            if cells.is_empty() {
                continue;
            }
            let begin = occupant.len() / lanes;
            for block in ordering::place_cells(mesh, &cells, lanes).chunks(lanes) {
                let first = block[0].expect("the first lane of a block is never padding");
                occupant.extend(block.iter().map(|c| c.unwrap_or(first)));
            }
            while !(occupant.len() / lanes).is_multiple_of(width) {
                occupant.extend_from_within(occupant.len() - lanes..);
            }
            let end = occupant.len() / lanes;
            groups.push(Group {
                begin,
                end,
                metric_points: if affine { 1 } else { n * n * n },
                metrics: Vec::new(),
                boundary: 0..0,
            });
        }
        let mut place = vec![usize::MAX; mesh.len()];
        for (at, &cell) in occupant.iter().enumerate() {
            if place[cell] == usize::MAX {
                place[cell] = at;
            }
        }
        let mut plan = Plan {
            n,
            lanes,
            normals: vec![0.0; occupant.len() * FACES * 4],
            slots: vec![Slot::default(); occupant.len() * FACES],
            slot_kind: vec![0; occupant.len() / lanes * FACES],
            tables: numbering_tables(n, lanes),
            boundary_faces: Vec::new(),
            occupant,
            place,
            groups,
        };
        plan.list_boundary_faces(mesh);
        plan.connect(mesh);
        plan.place_geometry(geometry);
        plan
    }

    /// Points of a cell.
    pub fn np(&self) -> usize {
        self.n.pow(3)
    }

    /// Points of a face.
    pub fn nl(&self) -> usize {
        self.n * self.n
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.occupant.len() / self.lanes
    }

    /// Values of a field of 5 variables without ghosts.
    pub fn state_len(&self) -> usize {
        self.occupant.len() * 5 * self.np()
    }

    /// Values of the ghosts behind a state: n of them share rows as long as a cell's.
    pub fn ghost_len(&self) -> usize {
        self.boundary_faces.len().div_ceil(self.n) * NEIGHBOUR_ROW * self.np()
    }

    /// Values of the viscous traces without ghosts.
    pub fn trace_len(&self) -> usize {
        self.occupant.len() * FACES * 4 * self.nl()
    }

    /// Offset of a cell's first value in an array of `size` values a cell.
    pub fn offset(&self, cell: usize, size: usize) -> usize {
        let at = self.place[cell];
        at / self.lanes * self.lanes * size + at % self.lanes
    }

    fn list_boundary_faces(&mut self, mesh: &Mesh) {
        for group in &mut self.groups {
            let first = self.boundary_faces.len();
            for at in group.begin * self.lanes..group.end * self.lanes {
                let cell = self.occupant[at];
                if self.place[cell] != at {
                    continue; // padding shares the ghosts of the cell that it repeats
                }
                for (face, side) in mesh.sides[cell].iter().enumerate() {
                    if let Side::Boundary(name) = *side {
                        self.boundary_faces.push(BoundaryFace { cell, face, name });
                    }
                }
            }
            group.boundary = first..self.boundary_faces.len();
        }
    }

    fn connect(&mut self, mesh: &Mesh) {
        let (n, np, nl, lanes) = (self.n, self.np(), self.nl(), self.lanes);
        let mut ghost_of = std::collections::HashMap::new();
        for (ghost, b) in self.boundary_faces.iter().enumerate() {
            ghost_of.insert((b.cell, b.face), ghost);
        }
        for block in 0..self.blocks() {
            for face in 0..FACES {
                let slots = (block * FACES + face) * lanes;
                let mut boundary = false;
                for lane in 0..lanes {
                    let cell = self.occupant[block * lanes + lane];
                    let s = slots + lane;
                    match mesh.sides[cell][face] {
                        Side::Cell {
                            cell: c,
                            face: f,
                            orientation,
                        } => {
                            let row = 2 * (f * ORIENTATIONS + orientation) as i32;
                            self.slots[s] = Slot {
                                state: Place {
                                    base: self.offset(c, 5 * np) as i64,
                                    stride: (np * lanes) as i32,
                                    table: row,
                                },
                                trace: Place {
                                    base: (self.offset(c, FACES * 4 * nl) + f * 4 * nl * lanes) as i64,
                                    stride: (nl * lanes) as i32,
                                    table: row + 1,
                                },
                            };
                        }
                        Side::Boundary(_) => {
                            let ghost = ghost_of[&(cell, face)];
                            let row = 2 * (FACES * ORIENTATIONS) as i32;
                            self.slots[s] = Slot {
                                state: Place {
                                    base: (self.state_len() + ghost / n * NEIGHBOUR_ROW * np + ghost % n * nl) as i64,
                                    stride: np as i32,
                                    table: row,
                                },
                                trace: Place {
                                    base: (self.trace_len() + ghost * 4 * nl) as i64,
                                    stride: nl as i32,
                                    table: row + 1,
                                },
                            };
                            boundary = true;
                        }
                    }
                }
                let together = (0..lanes).all(|l| {
                    let (one, first) = (&self.slots[slots + l].state, &self.slots[slots].state);
                    one.base == first.base + l as i64 && one.table == first.table
                }) && self.slots[slots].state.base % lanes as i64 == 0;
                self.slot_kind[block * FACES + face] = match (boundary, together) {
                    (true, _) => BOUNDARY,
                    (false, true) => SIDE_BY_SIDE,
                    (false, false) => SCATTERED,
                };
            }
        }
    }

    fn place_geometry(&mut self, geometry: &Geometry) {
        let (np, nl, lanes) = (self.np(), self.nl(), self.lanes);
        for (at, &cell) in self.occupant.iter().enumerate() {
            for face in 0..FACES {
                for m in 0..3 {
                    self.normals[((at / lanes * FACES + face) * 4 + m) * lanes + at % lanes] =
                        geometry.areas[(cell * FACES + face) * nl][m];
                }
            }
        }
        for group in &mut self.groups {
            let points = group.metric_points;
            let size = group.metrics_per_block();
            group.metrics = vec![0.0; (group.end - group.begin) * lanes * size];
            for at in group.begin * lanes..group.end * lanes {
                let (cell, block) = (self.occupant[at], at / lanes - group.begin);
                for term in 0..10 {
                    for p in 0..points {
                        let value = match term {
                            9 => 1.0 / geometry.jacobian[cell * np + p],
                            _ => geometry.metrics[(cell * 9 + term) * np + p],
                        };
                        // Rows of four where there is one point: Ja^d, and 1/J at the end of the first.
                        let at_term = match (points, term) {
                            (1, 9) => 3,
                            (1, _) => term / 3 * 4 + term % 3,
                            _ => term * points + p,
                        };
                        group.metrics[(block * size + at_term) * lanes + at % lanes] = value;
                    }
                }
            }
        }
    }

    /// Share of block faces whose neighbours lie side by side.
    pub fn side_by_side(&self) -> f64 {
        self.slot_kind.iter().filter(|&&k| k == SIDE_BY_SIDE).count() as f64 / self.slot_kind.len() as f64
    }
}

/// Row face * 8 + orientation numbers the neighbour's face points; the last row is that of packed ghosts.
fn numbering_tables(n: usize, lanes: usize) -> Vec<i32> {
    let nl = n * n;
    let mut tables = Vec::with_capacity((FACES * ORIENTATIONS + 1) * 2 * nl);
    for face in 0..FACES {
        for orientation in 0..ORIENTATIONS {
            let theirs: Vec<(usize, usize)> = (0..nl).map(|l| orient(orientation, (l % n, l / n), n)).collect();
            tables.extend(theirs.iter().map(|&(a, b)| (face_index(face, a, b, n) * lanes) as i32));
            tables.extend(theirs.iter().map(|&(a, b)| ((a + n * b) * lanes) as i32));
        }
    }
    for _ in 0..2 {
        tables.extend(0..nl as i32);
    }
    tables
}
