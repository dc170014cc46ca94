//! A structured grid of cubes, each divided into cells in its own way: the common part of boxes and annuli.
//!
//! Neighbours follow from the structure of the grid. Comparing vertices would confuse the faces of periodic grids that
//! are one or two cubes wide.

mod part;

use rayon::prelude::*;

use super::cube_division::{BehindFace, CubeDivision, DividedCube, Link, SubCellFace};
use super::cube_nodes::CubeNodes;
use super::types::{Mesh, Side, Structured};

/// The condition at the two ends of a direction.
#[derive(Debug, Clone)]
pub(super) enum Ends {
    /// Periodic by translation.
    Periodic,
    /// Periodic by rotation: indices of the rotations that lead from the low end to the high end and back.
    Rotated([usize; 2]),
    /// Boundaries with these names.
    Boundaries([String; 2]),
}

/// The neighbour behind each outer face of each sub-cell of a cube, `[sub-cell][face]`.
type Links = Vec<Vec<Link>>;

/// A structured grid of divided cubes.
pub(super) struct CubeGrid {
    dims: [usize; 3],
    ends: [Ends; 3],
    order: usize,
    nodes: CubeNodes,
    /// The different cubes that occur.
    kinds: Vec<DividedCube>,
    /// Index in `kinds` of each cube, the first direction fastest; empty if all cubes are divided alike.
    cubes: Vec<usize>,
}

impl CubeGrid {
    /// Divides the cube at each position as `division` returns, for geometry of degree `order`. A face is split if one
    /// of its two cubes requires it.
    pub fn new(dims: [usize; 3], ends: [Ends; 3], order: usize, division: impl Fn([usize; 3]) -> CubeDivision) -> Self {
        let mut grid = CubeGrid {
            dims,
            ends,
            order,
            nodes: CubeNodes::new(order),
            kinds: Vec::new(),
            cubes: Vec::with_capacity(dims.iter().product()),
        };
        let mut known: Vec<(CubeDivision, [bool; 6])> = Vec::new();
        for cube in 0..dims.iter().product() {
            let at = grid.at(cube);
            let own = division(at);
            let split = std::array::from_fn(|end| {
                let d = end / 2;
                let high = end % 2 == 1;
                let theirs = grid.beyond(at, end).and_then(|at| division(at).wants_split(d, !high));
                let ours = own.wants_split(d, high);
                debug_assert!(
                    ours.is_none() || theirs.is_none() || ours == theirs,
                    "cubes at {at:?} disagree"
                );
                ours.or(theirs).unwrap_or(false)
            });
            let kind = known.iter().position(|k| *k == (own, split)).unwrap_or_else(|| {
                known.push((own, split));
                grid.kinds.push(DividedCube::new(own, split, &mut grid.nodes));
                known.len() - 1
            });
            grid.cubes.push(kind);
        }
        grid
    }

    /// Divides all cubes in one way. Every face is split that this way of division requires to be split.
    pub fn uniform(dims: [usize; 3], ends: [Ends; 3], order: usize, division: CubeDivision) -> Self {
        let split = std::array::from_fn(|end| division.wants_split(end / 2, end % 2 == 1).unwrap_or(false));
        let mut nodes = CubeNodes::new(order);
        CubeGrid {
            dims,
            ends,
            order,
            kinds: vec![DividedCube::new(division, split, &mut nodes)],
            nodes,
            cubes: Vec::new(),
        }
    }

    /// Number of cubes.
    fn len(&self) -> usize {
        self.dims.iter().product()
    }

    /// Index in `kinds` of a cube.
    fn kind_of(&self, cube: usize) -> usize {
        self.cubes.get(cube).copied().unwrap_or(0)
    }

    /// Distinct coordinates of nodes in their cubes, in [0, 1].
    pub fn levels(&self) -> &[f64] {
        self.nodes.levels()
    }

    /// Position of a cube in the grid.
    fn at(&self, cube: usize) -> [usize; 3] {
        let [n0, n1, _] = self.dims;
        [cube % n0, cube / n0 % n1, cube / (n0 * n1)]
    }

    /// Number of the cube at a position.
    fn number(&self, at: [usize; 3]) -> usize {
        at[0] + self.dims[0] * (at[1] + self.dims[1] * at[2])
    }

    /// The cube beyond a face of the cube at `at`; `None` at a boundary.
    fn beyond(&self, mut at: [usize; 3], end: usize) -> Option<[usize; 3]> {
        let d = end / 2;
        let high = end % 2 == 1;
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

    /// Builds the mesh. `position(at, levels)` returns the position of the node with the given levels in the cube `at`.
    /// It must return the same position for a shared node whichever cube asks: level 1.0 of a cube is level 0.0 of the
    /// next.
    pub fn mesh(&self, position: impl Fn([usize; 3], [usize; 3]) -> [f64; 3] + Sync) -> Mesh {
        let first_cell = self.offsets(|kind| kind.parts.len());
        let cells = first_cell[self.len()];
        let mut mesh = Mesh {
            geometry_order: self.order,
            kinds: Vec::with_capacity(cells),
            nodes: self.positions(&self.offsets(|kind| kind.nodes), position),
            first_node: Vec::with_capacity(cells + 1),
            sides: Vec::with_capacity((0..self.len()).map(|cube| self.kinds[self.kind_of(cube)].faces).sum()),
            first_side: Vec::with_capacity(cells + 1),
            boundary_names: Vec::new(),
            joined: Vec::new(),
            rotations: Vec::new(),
            mortars: Vec::new(),
            tags: Vec::new(),
            structured: (self.kinds.len() == 1).then(|| Structured {
                dims: self.dims,
                per_cube: self.kinds[0].parts.len(),
            }),
            part: None,
        };
        mesh.first_node.push(0);
        mesh.first_side.push(0);
        self.add_cells(&mut mesh, &first_cell);
        mesh
    }

    /// Offsets of the cubes in a list in which each has `count` entries, `[cube + 1]`.
    fn offsets(&self, count: impl Fn(&DividedCube) -> usize) -> Vec<usize> {
        let ends = (0..self.len()).scan(0, |sum, cube| {
            *sum += count(&self.kinds[self.kind_of(cube)]);
            Some(*sum)
        });
        [0].into_iter().chain(ends).collect()
    }

    /// Adds the kinds and sides of all cells to the mesh; `first_cell` are the offsets of the cubes.
    fn add_cells(&self, mesh: &mut Mesh, first_cell: &[usize]) {
        let links = self.links();
        mesh.boundary_names = self.boundary_names();
        for cube in 0..self.len() {
            let (at, kind) = (self.at(cube), self.kind_of(cube));
            for part in &self.kinds[kind].parts {
                mesh.kinds.push(part.kind);
                mesh.first_node
                    .push(mesh.first_node[mesh.first_node.len() - 1] + part.nodes.len());
                mesh.first_side
                    .push(mesh.first_side[mesh.first_side.len() - 1] + part.faces.len());
            }
            let place = Place {
                at,
                kind,
                first_cell: first_cell[cube],
            };
            let beyond = |next: [usize; 3]| {
                let cube = self.number(next);
                (self.kind_of(cube), first_cell[cube])
            };
            mesh.sides
                .extend(self.sides(place, &mesh.boundary_names, &links, beyond));
        }
    }

    /// Returns the sides of the cells of a cube. `beyond` returns the kind of another cube and its first cell.
    fn sides<'a>(
        &'a self,
        place: Place,
        names: &'a [String],
        links: &'a [Vec<Links>],
        beyond: impl Fn([usize; 3]) -> (usize, usize) + 'a,
    ) -> impl Iterator<Item = Side> + 'a {
        let Place { at, kind, first_cell } = place;
        let parts = self.kinds[kind].parts.iter().enumerate();
        let faces = parts.flat_map(|(own, part)| part.faces.iter().enumerate().map(move |(f, face)| (own, f, face)));
        faces.map(move |(own, f, face)| match face.to {
            BehindFace::Inner {
                part,
                face,
                orientation,
            } => Side::Cell {
                cell: first_cell + part,
                face,
                orientation,
            },
            BehindFace::Outer(end) => match self.beyond(at, end) {
                None => Side::Boundary(self.boundary(names, end)),
                Some(next) => {
                    let (theirs, first) = beyond(next);
                    self.side(at, end, first, links[kind][theirs][own][f])
                }
            },
        })
    }

    /// Positions of the geometry nodes of all cells; `first` are the offsets of the cubes.
    fn positions(
        &self,
        first: &[usize],
        position: impl Fn([usize; 3], [usize; 3]) -> [f64; 3] + Sync,
    ) -> Vec<[f64; 3]> {
        let mut nodes = vec![[0.0; 3]; first[self.len()]];
        let mut rest = nodes.as_mut_slice();
        let mut rows = Vec::with_capacity(self.len() / self.dims[0]);
        for row in 0..self.len() / self.dims[0] {
            let start = row * self.dims[0];
            let end = (row + 1) * self.dims[0];
            let (these, others) = rest.split_at_mut(first[end] - first[start]);
            rows.push((start, these));
            rest = others;
        }
        rows.into_par_iter().for_each(|(start, nodes)| {
            let mut nodes = nodes.iter_mut();
            for cube in start..start + self.dims[0] {
                let at = self.at(cube);
                let levels = self.kinds[self.kind_of(cube)].levels();
                levels
                    .zip(&mut nodes)
                    .for_each(|(levels, node)| *node = position(at, levels));
            }
        });
        nodes
    }

    /// Links between cubes of any two kinds, `[kind here][kind there]`. Faces that cannot meet get zeros, which are
    /// never used.
    fn links(&self) -> Vec<Vec<Links>> {
        let link = |ours: &DividedCube, theirs: &DividedCube| {
            let parts = ours.parts.iter().map(|part| {
                let faces = part.faces.iter().map(|face| match face.to {
                    BehindFace::Outer(end) => theirs.facing(end ^ 1, &face.vertices).unwrap_or_default(),
                    BehindFace::Inner { .. } => Link::default(),
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

    /// The side of a face at `end` of the cube `at`, behind which another cube lies, whose first cell is `first`.
    fn side(&self, at: [usize; 3], end: usize, first: usize, link: Link) -> Side {
        let Link {
            part,
            face,
            orientation,
        } = link;
        let cell = first + part;
        let d = end / 2;
        let high = end % 2;
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

    /// Index of the boundary at an end of the grid.
    fn boundary(&self, names: &[String], end: usize) -> usize {
        let Ends::Boundaries(both) = &self.ends[end / 2] else {
            unreachable!("only boundaries have nothing beyond them");
        };
        let found = names.iter().position(|name| *name == both[end % 2]);
        found.expect("names are those of all ends")
    }

    /// Names of the boundaries in the order in which the cells of the grid meet them.
    fn boundary_names(&self) -> Vec<String> {
        let mut met: Vec<(usize, usize, usize, &String)> = Vec::new();
        for end in 0..6 {
            let Ends::Boundaries(both) = &self.ends[end / 2] else {
                continue;
            };
            // The first cube at this end of the grid.
            let mut at = [0; 3];
            at[end / 2] = end % 2 * (self.dims[end / 2] - 1);
            let cube = self.number(at);
            for (p, part) in self.kinds[self.kind_of(cube)].parts.iter().enumerate() {
                let at_end = |face: &SubCellFace| matches!(face.to, BehindFace::Outer(e) if e == end);
                if let Some(f) = part.faces.iter().position(at_end) {
                    met.push((cube, p, f, &both[end % 2]));
                }
            }
        }
        met.sort_unstable();
        let mut names: Vec<String> = Vec::new();
        for (.., name) in met {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}

/// A cube in the grid.
#[derive(Clone, Copy)]
struct Place {
    at: [usize; 3],
    /// Index of its kind.
    kind: usize,
    /// Number of its first cell.
    first_cell: usize,
}
