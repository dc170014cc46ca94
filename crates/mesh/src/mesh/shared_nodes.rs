//! The nodes of a mesh as other programs have them: on equispaced lattices, and once for all cells that meet there.
//!
//! A mesh holds the nodes of each cell apart. Nodes of faces that meet become one here; those on the two sides of a
//! periodic boundary, which are at different places, stay two.

use super::geometry_nodes::{FaceNodes, equispaced_nodes};
use super::motion::{distance, turn};
use super::types::{CellFace, Mesh, Side};

/// The nodes of a mesh, each of which may belong to several cells.
pub struct SharedNodes {
    /// Numbers of the nodes of each cell, in the layout of [`Mesh::nodes`].
    pub numbers: Vec<u32>,
    /// Positions of the nodes, `[node]`.
    pub positions: Vec<[f64; 3]>,
    /// The two sides of each periodic boundary.
    pub periods: Vec<Period>,
}

/// The two sides of a periodic boundary and the motion between them, x_there = R x_here + t.
pub struct Period {
    /// Rows of R.
    pub rotation: [[f64; 3]; 3],
    /// The shift t.
    pub shift: [f64; 3],
    /// Faces of both sides, each beside its partner.
    pub faces: Vec<[CellFace; 2]>,
    /// Numbers of the nodes of both sides, each beside its partner, ascending.
    pub nodes: Vec<[u32; 2]>,
}

const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Largest difference of positions that are the same, relative to the size of the face or to the shift.
const SLACK: f64 = 1e-5;

impl SharedNodes {
    /// Joins the nodes of a whole mesh.
    pub fn of(mesh: &Mesh) -> Self {
        let all = equispaced_nodes(mesh);
        let faces = FaceNodes::new(mesh);
        let mut groups = Groups::new(all.len());
        let mut apart = Vec::new();
        for at in faces_of(mesh) {
            let Some(pairs) = faces.pairs(at) else { continue };
            let (first, corner) = pairs
                .clone()
                .next()
                .map(|[x, y]| (all[x], all[y]))
                .expect("faces have nodes");
            let size = pairs.clone().map(|[x, _]| distance(all[x], first)).fold(0.0, f64::max);
            if distance(first, corner) <= SLACK * size {
                pairs.for_each(|[x, y]| groups.join(x, y))
            } else {
                apart.push(at)
            }
        }
        let (numbers, positions) = groups.numbered(&all);
        let mut nodes = Self {
            numbers,
            positions,
            periods: Vec::new(),
        };
        for at in apart {
            nodes.add_period(mesh, &faces, at);
        }
        for period in &mut nodes.periods {
            period.nodes.sort_unstable();
            period.nodes.dedup();
        }
        nodes
    }

    /// Adds a face whose neighbour lies elsewhere, unless it is the second of the two.
    fn add_period(&mut self, mesh: &Mesh, faces: &FaceNodes, at: CellFace) {
        let side = mesh.cell_sides(at.cell)[at.face];
        let (Some(neighbour), Some(pairs)) = (side.neighbour(), faces.pairs(at)) else {
            return;
        };
        let pairs: Vec<[u32; 2]> = pairs.map(|pair| pair.map(|node| self.numbers[node])).collect();
        let [x, y] = pairs[0].map(|node| self.positions[node as usize]);
        let there = CellFace {
            cell: neighbour.cell,
            face: neighbour.face,
        };
        let rotation = neighbour.rotation.map_or(IDENTITY, |rotation| mesh.rotations[rotation]);
        let moved = turn(&rotation, x);
        let shift: [f64; 3] = std::array::from_fn(|d| y[d] - moved[d]);
        let is_first = match (neighbour.rotation, mesh.cell_sides(there.cell)[there.face]) {
            (Some(here), Side::Rotated { rotation: back, .. }) if here != back => here < back,
            (Some(_), _) => at < there,
            (None, _) => {
                let least = SLACK * distance(shift, [0.0; 3]);
                shift.into_iter().find(|t| t.abs() > least).is_some_and(|t| t > 0.0)
            }
        };
        if !is_first {
            return;
        }
        let slack = SLACK * distance(y, x);
        let same = |period: &Period| period.rotation == rotation && distance(period.shift, shift) <= slack;
        let known = self.periods.iter().position(same).unwrap_or(self.periods.len());
        if known == self.periods.len() {
            self.periods.push(Period {
                rotation,
                shift,
                faces: Vec::new(),
                nodes: Vec::new(),
            });
        }
        let period = &mut self.periods[known];
        period.faces.push([at, there]);
        period.nodes.extend(pairs);
    }
}

/// All faces of a mesh.
fn faces_of(mesh: &Mesh) -> impl Iterator<Item = CellFace> {
    (0..mesh.len()).flat_map(|cell| (0..mesh.kinds[cell].faces().len()).map(move |face| CellFace { cell, face }))
}

/// Disjoint groups of nodes (R. E. Tarjan, Journal of the ACM 22, 1975): each node names another one of its group or
/// itself.
struct Groups(Vec<u32>);

impl Groups {
    fn new(nodes: usize) -> Self {
        Self((0..nodes as u32).collect())
    }

    /// The node that stands for a group: the one with the lowest number.
    fn of(&mut self, node: usize) -> usize {
        let mut at = node as u32;
        while self.0[at as usize] != at {
            let next = self.0[at as usize];
            self.0[at as usize] = self.0[next as usize];
            at = self.0[at as usize];
        }
        at as usize
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b) as u32;
    }

    /// Numbers the groups in the order of their first nodes. Returns the number of each node, and the positions of the
    /// groups.
    fn numbered(mut self, all: &[[f64; 3]]) -> (Vec<u32>, Vec<[f64; 3]>) {
        let mut numbers: Vec<u32> = Vec::with_capacity(all.len());
        let mut positions = Vec::new();
        for (node, &at) in all.iter().enumerate() {
            let first = self.of(node);
            if first == node {
                positions.push(at);
            }
            numbers.push(if first == node {
                positions.len() as u32 - 1
            } else {
                numbers[first]
            });
        }
        (numbers, positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::test_meshes::a_box;
    use crate::mesh::{Annulus, BoxElements, BoxMesh, build_box};

    fn boxed(elements: BoxElements, periodic: [bool; 3]) -> Mesh {
        let with_ends = BoxMesh {
            lower: [0.0; 3],
            upper: [2.0, 1.0, 1.0],
            ..a_box(elements, [4, 2, 2], periodic)
        };
        build_box(&with_ends, 1).expect("a box")
    }

    #[test]
    fn a_box_has_the_nodes_of_its_grid_and_its_periods() {
        for elements in [BoxElements::Hex, BoxElements::Prism, BoxElements::Tet] {
            let nodes = SharedNodes::of(&boxed(elements, [false; 3]));
            assert_eq!(nodes.positions.len(), 5 * 3 * 3);
            assert!(nodes.periods.is_empty());
            let nodes = SharedNodes::of(&boxed(elements, [true, false, true]));
            assert_eq!(nodes.positions.len(), 5 * 3 * 3, "both sides of a period are there");
            assert_eq!(nodes.periods.len(), 2);
            let mut shifts: Vec<[f64; 3]> = nodes.periods.iter().map(|period| period.shift).collect();
            shifts.sort_by(|a, b| a[0].total_cmp(&b[0]));
            assert_eq!(shifts, [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]);
            let counts: Vec<usize> = nodes.periods.iter().map(|period| period.nodes.len()).collect();
            assert_eq!(counts.iter().sum::<usize>(), 9 + 15, "{counts:?}");
        }
        assert_eq!(
            SharedNodes::of(&boxed(BoxElements::Pyramid, [false; 3]))
                .positions
                .len(),
            45 + 16
        );
    }

    #[test]
    fn sectors_turn_into_each_other() {
        let annulus = Annulus {
            inner: 1.0,
            outer: 2.0,
            length: 1.0,
            angle: std::f64::consts::FRAC_PI_2,
            cells: [2, 3, 1],
            growth: 1.0,
            hex_layers: 1,
            geometry_order: 3,
            periodic_angle: true,
            periodic_z: false,
        };
        let mesh = annulus.build().expect("an annulus");
        let nodes = SharedNodes::of(&mesh);
        let [period] = nodes.periods.as_slice() else {
            panic!("{} periods", nodes.periods.len());
        };
        assert_eq!((period.faces.len(), period.nodes.len()), (2, 7 * 4));
        for [here, there] in &period.nodes {
            let [x, y] = [here, there].map(|node| nodes.positions[*node as usize]);
            assert!(distance(turn(&period.rotation, x), y) < 1e-14, "{x:?} {y:?}");
            assert!(x[1].abs() < 1e-14 || x[0].abs() < 1e-14);
        }
    }
}
