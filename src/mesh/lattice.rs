//! A lattice of cubes, each divided into cells in its own way, as a mesh: the part that boxes and annuli share.
//!
//! Neighbours are found from the lattice itself, not by comparing vertices, which would confuse the faces of periodic
//! lattices one or two cubes wide.

use rayon::prelude::*;

use super::division::{Divided, Division, Towards};
use super::places::Places;
use super::{Mesh, Side, Structured};

/// What lies beyond the two ends of a direction.
#[derive(Debug, Clone)]
pub(super) enum Ends {
    /// The other end.
    Periodic,
    /// The other end, turned: the rotations that lead there from the low and from the high end.
    Rotated([usize; 2]),
    /// Boundaries of these names.
    Boundaries([String; 2]),
}

/// Part, face and orientation behind each outer face of each part of a cube.
type Links = Vec<Vec<(usize, usize, usize)>>;

/// A lattice of divided cubes.
pub(super) struct Lattice {
    dims: [usize; 3],
    ends: [Ends; 3],
    order: usize,
    places: Places,
    /// The different cubes.
    kinds: Vec<Divided>,
    /// Which of them each cube is, the first direction fastest.
    cubes: Vec<usize>,
}

impl Lattice {
    /// Divides every cube as `division` says, for geometry of degree `order`. A face is split if one of its two cubes
    /// wants that.
    pub fn new(dims: [usize; 3], ends: [Ends; 3], order: usize, division: impl Fn([usize; 3]) -> Division) -> Self {
        let mut lattice = Lattice {
            dims,
            ends,
            order,
            places: Places::new(order),
            kinds: Vec::new(),
            cubes: Vec::with_capacity(dims.iter().product()),
        };
        let mut known: Vec<(Division, [bool; 6])> = Vec::new();
        for cube in 0..dims.iter().product() {
            let at = lattice.at(cube);
            let own = division(at);
            let split = std::array::from_fn(|end| {
                let (d, high) = (end / 2, end % 2 == 1);
                let theirs = lattice
                    .beyond(at, end)
                    .and_then(|at| division(at).wants_split(d, !high));
                let ours = own.wants_split(d, high);
                debug_assert!(
                    ours.is_none() || theirs.is_none() || ours == theirs,
                    "cubes at {at:?} disagree"
                );
                ours.or(theirs).unwrap_or(false)
            });
            let kind = known.iter().position(|k| *k == (own, split)).unwrap_or_else(|| {
                known.push((own, split));
                lattice.kinds.push(Divided::new(own, split, &mut lattice.places));
                known.len() - 1
            });
            lattice.cubes.push(kind);
        }
        lattice
    }

    /// Coordinates in [0, 1] that a node can have in its cube.
    pub fn levels(&self) -> &[f64] {
        self.places.levels()
    }

    fn at(&self, cube: usize) -> [usize; 3] {
        let [n0, n1, _] = self.dims;
        [cube % n0, cube / n0 % n1, cube / (n0 * n1)]
    }

    /// The cube beyond a face of the cube at `at`; `None` at a boundary.
    fn beyond(&self, mut at: [usize; 3], end: usize) -> Option<[usize; 3]> {
        let (d, high) = (end / 2, end % 2 == 1);
        let last = self.dims[d] - 1;
        if at[d] == if high { last } else { 0 } {
            if matches!(self.ends[d], Ends::Boundaries(_)) {
                return None;
            }
            at[d] = if high { 0 } else { last };
        } else if high {
            at[d] += 1;
        } else {
            at[d] -= 1;
        }
        Some(at)
    }

    /// The mesh, with the node at `levels` of the cube `at` placed by `place(at, levels)`. It must give shared nodes
    /// the same place whichever cube asks: level 1.0 of a cube is level 0.0 of the next.
    pub fn mesh(&self, place: impl Fn([usize; 3], [usize; 3]) -> [f64; 3] + Sync) -> Mesh {
        let sums = |count: &dyn Fn(&Divided) -> usize| -> Vec<usize> {
            let counts = self.cubes.iter().scan(0, |sum, &kind| {
                *sum += count(&self.kinds[kind]);
                Some(*sum)
            });
            [0].into_iter().chain(counts).collect()
        };
        let first_cell = sums(&|kind| kind.parts.len());
        let cells = first_cell[self.cubes.len()];
        let mut mesh = Mesh {
            geometry_order: self.order,
            kinds: Vec::with_capacity(cells),
            nodes: self.nodes(&sums(&|kind| kind.nodes), place),
            first_node: Vec::with_capacity(cells + 1),
            sides: Vec::with_capacity(self.cubes.iter().map(|&kind| self.kinds[kind].faces).sum()),
            first_side: Vec::with_capacity(cells + 1),
            boundary_names: Vec::new(),
            joined: Vec::new(),
            rotations: Vec::new(),
            tags: Vec::new(),
            structured: (self.kinds.len() == 1).then(|| Structured {
                dims: self.dims,
                per_cube: self.kinds[0].parts.len(),
            }),
            part: None,
        };
        mesh.first_node.push(0);
        mesh.first_side.push(0);
        let links = self.links();
        for (cube, &kind) in self.cubes.iter().enumerate() {
            let at = self.at(cube);
            for (own, part) in self.kinds[kind].parts.iter().enumerate() {
                mesh.kinds.push(part.kind);
                mesh.first_node
                    .push(mesh.first_node[mesh.first_node.len() - 1] + part.nodes.len());
                for (f, face) in part.faces.iter().enumerate() {
                    let side = match face.to {
                        Towards::Inner {
                            part,
                            face,
                            orientation,
                        } => Side::Cell {
                            cell: first_cell[cube] + part,
                            face,
                            orientation,
                        },
                        Towards::Outer(end) => match self.beyond(at, end) {
                            None => Side::Boundary(self.boundary(&mut mesh.boundary_names, end)),
                            Some(next) => {
                                let cube = next[0] + self.dims[0] * (next[1] + self.dims[1] * next[2]);
                                let (part, face, orientation) = links[kind][self.cubes[cube]][own][f];
                                self.side(at, end, first_cell[cube] + part, face, orientation)
                            }
                        },
                    };
                    mesh.sides.push(side);
                }
                mesh.first_side.push(mesh.sides.len());
            }
        }
        mesh
    }

    fn nodes(&self, first: &[usize], place: impl Fn([usize; 3], [usize; 3]) -> [f64; 3] + Sync) -> Vec<[f64; 3]> {
        let mut nodes = vec![[0.0; 3]; first[self.cubes.len()]];
        let mut rest = nodes.as_mut_slice();
        let mut rows = Vec::with_capacity(self.cubes.len() / self.dims[0]);
        for row in 0..self.cubes.len() / self.dims[0] {
            let (start, end) = (row * self.dims[0], (row + 1) * self.dims[0]);
            let (these, others) = rest.split_at_mut(first[end] - first[start]);
            rows.push((start, these));
            rest = others;
        }
        rows.into_par_iter().for_each(|(start, nodes)| {
            let mut nodes = nodes.iter_mut();
            for cube in start..start + self.dims[0] {
                let at = self.at(cube);
                for part in &self.kinds[self.cubes[cube]].parts {
                    for (&levels, node) in part.nodes.iter().zip(&mut nodes) {
                        *node = place(at, levels);
                    }
                }
            }
        });
        nodes
    }

    /// The links between cubes of any two kinds. Not all of them meet: those that cannot get numbers that are never
    /// used.
    fn links(&self) -> Vec<Vec<Links>> {
        let link = |ours: &Divided, theirs: &Divided| {
            let parts = ours.parts.iter().map(|part| {
                let faces = part.faces.iter().map(|face| match face.to {
                    Towards::Outer(end) => theirs.facing(end ^ 1, &face.vertices).unwrap_or_default(),
                    Towards::Inner { .. } => Default::default(),
                });
                faces.collect()
            });
            parts.collect()
        };
        self.kinds
            .iter()
            .map(|ours| self.kinds.iter().map(|theirs| link(ours, theirs)).collect())
            .collect()
    }

    fn side(&self, at: [usize; 3], end: usize, cell: usize, face: usize, orientation: usize) -> Side {
        let (d, high) = (end / 2, end % 2);
        match self.ends[d] {
            Ends::Rotated(rotations) if at[d] == high * (self.dims[d] - 1) => Side::Rotated {
                cell,
                face,
                orientation,
                rotation: rotations[high],
            },
            _ => Side::Cell {
                cell,
                face,
                orientation,
            },
        }
    }

    /// Index of the boundary at an end of the lattice. Boundaries are numbered as the cells come upon them.
    fn boundary(&self, names: &mut Vec<String>, end: usize) -> usize {
        let Ends::Boundaries(both) = &self.ends[end / 2] else {
            unreachable!("only boundaries have nothing beyond them");
        };
        let name = &both[end % 2];
        names.iter().position(|n| n == name).unwrap_or_else(|| {
            names.push(name.clone());
            names.len() - 1
        })
    }
}
