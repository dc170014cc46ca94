//! Files of HOPR with hanging nodes: boxes of hexahedra of which some are halved in some directions.

use std::collections::BTreeMap;
use std::path::Path;

use fr_les::element::lagrange_matrix;
use fr_les::mesh::{Mesh, read_mesh};
use hdf5::types::FixedAscii;

/// Corners of the sides of a hexahedron in the order of CGNS, as coordinates of 0 or 1: the first direction of a side
/// runs from its first corner to the second one, the second direction from the first corner to the fourth one.
const SIDES: [[[usize; 3]; 4]; 6] = [
    [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]],
    [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]],
    [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]],
    [[1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1]],
    [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]],
    [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
];

/// The global directions of the local ones of a cell, and whether they run backwards: turns of a cube.
const TURNS: [[(usize, bool); 3]; 6] = [
    [(0, false), (1, false), (2, false)],
    [(1, false), (2, false), (0, false)],
    [(2, false), (0, false), (1, false)],
    [(0, true), (1, true), (2, false)],
    [(1, true), (0, false), (2, false)],
    [(0, false), (2, true), (1, false)],
];

/// Two corners of a cell or of a side on the lattice.
type Range = [[i64; 3]; 2];

/// A box of cells on a lattice of whole numbers.
#[derive(Debug, Clone)]
pub struct Refined {
    /// The cells.
    pub cells: Vec<Range>,
    /// Number of lattice intervals in each direction; those of an undivided cell are 2.
    pub size: [i64; 3],
    /// Directions in which the box is periodic.
    pub periodic: [bool; 3],
    /// Degree of the geometry.
    pub order: usize,
    /// Whether the cells count their directions in different ways.
    pub turned: bool,
}

/// The rows of `SideInfo` of a file, and where those of an element begin.
#[derive(Debug, Clone)]
pub struct Rows {
    pub rows: Vec<[i32; 5]>,
    pub first: Vec<usize>,
}

impl Refined {
    /// A box of `cells` cells, each of which is halved in the directions that `halved` returns for it.
    pub fn new(cells: [i64; 3], halved: impl Fn([i64; 3]) -> [bool; 3]) -> Self {
        let mut all = Vec::new();
        for k in 0..cells[2] {
            for j in 0..cells[1] {
                for i in 0..cells[0] {
                    let at = [i, j, k];
                    let steps = halved(at).map(|is_halved| if is_halved { 1 } else { 2 });
                    for c in (0..2).step_by(steps[2]) {
                        for b in (0..2).step_by(steps[1]) {
                            for a in (0..2).step_by(steps[0]) {
                                let sub = [a, b, c].map(|x: usize| x as i64);
                                let low: [i64; 3] = std::array::from_fn(|d| 2 * at[d] + sub[d]);
                                all.push([low, std::array::from_fn(|d| low[d] + steps[d] as i64)]);
                            }
                        }
                    }
                }
            }
        }
        Refined {
            cells: all,
            size: cells.map(|n| 2 * n),
            periodic: [false; 3],
            order: 1,
            turned: true,
        }
    }

    /// The place in the cell of local coordinates from 0 to `n`, times `n`.
    fn place(&self, cell: usize, local: [usize; 3], n: usize) -> [i64; 3] {
        let [low, high] = self.cells[cell];
        let turn = TURNS[if self.turned { cell % TURNS.len() } else { 0 }];
        let mut global = [0; 3];
        for (x, (d, backwards)) in local.into_iter().zip(turn) {
            global[d] = if backwards { n - x } else { x } as i64;
        }
        std::array::from_fn(|d| low[d] * n as i64 + (high[d] - low[d]) * global[d])
    }

    /// Corners of a side, in its order.
    fn corners(&self, cell: usize, side: usize) -> [[i64; 3]; 4] {
        SIDES[side].map(|local| self.place(cell, local, 1))
    }

    /// What a side covers.
    fn range(&self, cell: usize, side: usize) -> Range {
        let corners = self.corners(cell, side);
        let of =
            |pick: fn(i64, i64) -> i64| std::array::from_fn(|d| corners.iter().map(|x| x[d]).reduce(pick).unwrap());
        [of(i64::min), of(i64::max)]
    }

    /// The rows of the sides of all elements.
    pub fn rows(&self) -> Rows {
        let all: Vec<(usize, usize)> = (0..self.cells.len())
            .flat_map(|c| (0..6).map(move |s| (c, s)))
            .collect();
        let ranges: BTreeMap<(usize, usize), Range> = all.iter().map(|&at| (at, self.range(at.0, at.1))).collect();
        let mut by_range: BTreeMap<Range, Vec<(usize, usize)>> = BTreeMap::new();
        for (&at, &range) in &ranges {
            by_range.entry(range).or_default().push(at);
        }
        let normal = |range: &Range| (0..3).position(|d| range[0][d] == range[1][d]).expect("a side");
        // The side that meets this one by the period of the box.
        let moved = |range: &Range| {
            let d = normal(range);
            let shift = match range[0][d] {
                0 => self.size[d],
                x if x == self.size[d] => -x,
                _ => return None,
            };
            let mut there = *range;
            there.iter_mut().for_each(|x| x[d] += shift);
            self.periodic[d].then_some(there)
        };
        // Larger sides of which each side is a part.
        let mut parts: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        let mut larger: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
        for (&big, range) in &ranges {
            for (&small, within) in &ranges {
                let d = normal(range);
                let inside = (0..3).all(|d| range[0][d] <= within[0][d] && within[1][d] <= range[1][d]);
                if inside && range != within && big.0 != small.0 && normal(within) == d {
                    let beyond = |at: &(usize, usize)| self.cells[at.0][0][d] < range[0][d];
                    if beyond(&big) != beyond(&small) && by_range[range].len() == 1 {
                        parts.entry(big).or_default().push(small);
                        larger.insert(small, big);
                    }
                }
            }
        }
        let mut ids: BTreeMap<Range, i32> = BTreeMap::new();
        let mut rows = Rows {
            rows: Vec::new(),
            first: vec![0],
        };
        let mut id = |range: Range| {
            let next = ids.len() as i32 + 1;
            *ids.entry(range).or_insert(next)
        };
        for cell in 0..self.cells.len() {
            for side in 0..6 {
                let (at, range) = ((cell, side), ranges[&(cell, side)]);
                let d = normal(&range);
                let others: Vec<_> = by_range[&range].iter().filter(|other| **other != at).collect();
                if let Some(small) = parts.get(&at) {
                    let corners = self.corners(cell, side);
                    // The half of a part along the direction from the first corner to this one.
                    let half = |small: &Range, to: usize| {
                        let d = (0..3).find(|&d| corners[to][d] != corners[0][d]).expect("an edge");
                        let middle = corners[0][d] + corners[to][d];
                        let centre = small[0][d] + small[1][d];
                        let forwards = corners[to][d] > corners[0][d];
                        (centre != middle).then_some((centre > middle) == forwards)
                    };
                    let mut sorted: Vec<_> = small
                        .iter()
                        .map(|at| ([half(&ranges[at], 3), half(&ranges[at], 1)], *at))
                        .collect();
                    sorted.sort();
                    let kind = match sorted[0].0 {
                        [Some(_), Some(_)] => 1,
                        [Some(_), None] => 2,
                        _ => 3,
                    };
                    rows.rows.push([104, id(range), -kind, 0, 0]);
                    for (_, small) in sorted {
                        rows.rows.push([104, id(ranges[&small]), small.0 as i32 + 1, 0, 0]);
                    }
                } else if let Some(big) = larger.get(&at) {
                    rows.rows.push([-104, -id(range), big.0 as i32 + 1, 0, 0]);
                } else if let [(other, there)] = others[..] {
                    let sign = if *other < cell { -1 } else { 1 };
                    let code = 10 * (*there as i32 + 1);
                    rows.rows.push([4, sign * id(range), *other as i32 + 1, code, 0]);
                } else {
                    let boundary = 2 * d as i32 + 1 + i32::from(range[0][d] > 0);
                    let there = moved(&range)
                        .and_then(|there| by_range.get(&there))
                        .and_then(|at| at.first());
                    let (neighbour, code) =
                        there.map_or((0, 0), |(other, there)| (*other as i32 + 1, 10 * (*there as i32 + 1)));
                    rows.rows.push([4, id(range), neighbour, code, boundary]);
                }
            }
            rows.first.push(rows.rows.len());
        }
        rows
    }

    /// Where the undivided cell has a point of one of its parts: `map` places the points of its own nodes alone, so
    /// that parts follow its polynomials.
    fn on_undivided(&self, cell: usize, at: [f64; 3], map: &impl Fn([f64; 3]) -> [f64; 3]) -> [f64; 3] {
        let low = self.cells[cell][0].map(|x| (x - x.rem_euclid(2)) as f64);
        let lattice: Vec<f64> = (0..=self.order).map(|i| 2.0 * i as f64 / self.order as f64).collect();
        let shares: [Vec<f64>; 3] = std::array::from_fn(|d| lagrange_matrix(&lattice, &[at[d] - low[d]]));
        let mut place = [0.0; 3];
        for (k, z) in shares[2].iter().enumerate() {
            for (j, y) in shares[1].iter().enumerate() {
                for (i, x) in shares[0].iter().enumerate() {
                    let node = map([low[0] + lattice[i], low[1] + lattice[j], low[2] + lattice[k]]);
                    (0..3).for_each(|d| place[d] += x * y * z * node[d]);
                }
            }
        }
        place
    }

    /// Writes a file with these rows of sides. `map` places the points of the lattice.
    pub fn write(&self, path: &Path, rows: &Rows, map: impl Fn([f64; 3]) -> [f64; 3]) {
        let n = self.order;
        let (mut nodes, mut numbers) = (Vec::new(), Vec::new());
        let mut known: BTreeMap<[i64; 3], i32> = BTreeMap::new();
        for cell in 0..self.cells.len() {
            for point in 0..(n + 1).pow(3) {
                let local = [point % (n + 1), point / (n + 1) % (n + 1), point / (n + 1).pow(2)];
                let at = self.place(cell, local, n);
                let next = known.len() as i32 + 1;
                numbers.push(*known.entry(at).or_insert(next));
                nodes.extend(self.on_undivided(cell, at.map(|x| x as f64 / n as f64), &map));
            }
        }
        let each = (n + 1).pow(3);
        let elements: Vec<i32> = (0..self.cells.len())
            .flat_map(|c| {
                [
                    108,
                    1,
                    rows.first[c] as i32,
                    rows.first[c + 1] as i32,
                    (c * each) as i32,
                    ((c + 1) * each) as i32,
                ]
            })
            .collect();
        let file = hdf5::File::create(path).expect("a file");
        let order = file.new_attr::<i32>().shape([1]).create("Ngeo").expect("an attribute");
        order.write(&[n as i32]).expect("written");
        let whole = |name: &str, width: usize, values: &[i32]| {
            let shape = [values.len() / width, width];
            let dataset = file.new_dataset::<i32>().shape(shape).create(name).expect(name);
            dataset.write_raw(values).expect(name);
        };
        whole("ElemInfo", 6, &elements);
        whole("SideInfo", 5, rows.rows.as_flattened());
        let types: Vec<i32> = self
            .periodic
            .iter()
            .flat_map(|&is| [[i32::from(is), 0, 0, 0]; 2].concat())
            .collect();
        whole("BCType", 4, &types);
        let names =
            ["x-", "x+", "y-", "y+", "z-", "z+"].map(|name| FixedAscii::<255>::from_ascii(name).expect("a name"));
        let dataset = file
            .new_dataset::<FixedAscii<255>>()
            .shape([6])
            .create("BCNames")
            .expect("names");
        dataset.write_raw(&names).expect("names");
        let dataset = file
            .new_dataset::<i32>()
            .shape([numbers.len()])
            .create("GlobalNodeIDs")
            .expect("numbers");
        dataset.write_raw(&numbers).expect("numbers");
        let dataset = file
            .new_dataset::<f64>()
            .shape([nodes.len() / 3, 3])
            .create("NodeCoords")
            .expect("nodes");
        dataset.write_raw(&nodes).expect("nodes");
    }

    /// The mesh that is read from a file of this box.
    pub fn mesh(&self, map: impl Fn([f64; 3]) -> [f64; 3]) -> Mesh {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("refined.h5");
        self.write(&path, &self.rows(), map);
        let mesh = read_mesh(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        mesh.check().unwrap_or_else(|error| panic!("{error}"));
        mesh
    }
}
