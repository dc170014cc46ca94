//! The solution of another mesh or order in a file, and its values at positions.
//!
//! A value depends on the file and the position alone: of several cells that contain a point the one of lowest global
//! number is taken. It therefore has the same bits on any number of ranks. A position that lies in no cell takes the
//! value a period away, if it lies in one there, or that at the nearest point of the mesh.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::prelude::*;

use super::SetupError;
use super::stored_boxes::{Boxes, TIE, cell_nodes, reach};
use super::stored_interpolation::{Matrices, volume};
use crate::element::{Correction, ElementKind, PerKind, ReferenceElement};
use crate::format::location;
use crate::geometry::{CellSurfaces, Found, Locator, MappedCells, extent, multiply, shifts};
use crate::io::{self, StoredCells, StoredSolution};
use crate::mesh::Mesh;
use crate::ranks::{ExactSum, Ranks};
use crate::vector::{length, minus};

/// Number of cells that are read at a time.
const BLOCK: usize = 4096;
/// Rounding of coordinates, over the largest of them, in files of single and of double precision.
const ROUNDING: [f64; 2] = [1e-6, 1e-14];
/// Volume of all cells over that of the box around them, above which cells overlap. A search among cells that all lie
/// at the same place would not end. It is 1 but for cells of which the corners alone are looked at.
const MOST_COVERED: f64 = 2.0;

/// The solution of another mesh in a file, of which N values are interpolated. `read` returns these at the nodes of a
/// range of its cells: the conserved variables, and others, which stay within the range of those of their cell.
pub struct OtherSolution<R, const N: usize> {
    /// The solution as it is stored.
    pub stored: StoredSolution,
    path: PathBuf,
    read: R,
    /// Ways to places where the flow is the same.
    shifts: Vec<[f64; 3]>,
    /// Computed for the kinds that occur.
    matrices: PerKind<OnceLock<Matrices>>,
}

/// A position that lies in no cell of the other mesh: its place in the list, and its distance from the mesh.
pub type Outside = (usize, f64);

/// What a rank finds in its part of a file.
struct Part {
    /// Its share of the checksum.
    checksum: u64,
    /// Volumes between the corners of its cells.
    volumes: Vec<f64>,
    /// Corners of the box around its cells.
    low: [f64; 3],
    high: [f64; 3],
}

/// Cells of the other mesh with their solution.
struct Cells<const N: usize> {
    kinds: Vec<ElementKind>,
    ids: Vec<u64>,
    /// Polynomial degree of the mapping.
    degree: usize,
    /// First node of each cell's mapping, and the number of nodes.
    first_node: Vec<usize>,
    /// Positions of these nodes.
    nodes: Vec<[f64; 3]>,
    /// Values at the solution points of each cell.
    states: Vec<Vec<[f64; N]>>,
}

impl<const N: usize> Cells<N> {
    fn locator(&self, tolerance: f64) -> Locator<'_> {
        let cells = MappedCells {
            kinds: &self.kinds,
            first: &self.first_node,
            nodes: &self.nodes,
            degree: self.degree,
        };
        Locator::of_cells(cells, tolerance)
    }
}

/// The values at a position, if it lies in a cell.
type Inside<const N: usize> = Option<[f64; N]>;

/// The nearest point of a mesh as far as it has been searched.
#[derive(Debug, Clone, Copy)]
struct Near {
    distance: f64,
    /// Global number of its cell.
    id: u64,
    /// Place of the cell in the file.
    place: usize,
    /// Reference coordinates.
    at: [f64; 3],
}

impl<R, const N: usize> OtherSolution<R, N>
where
    R: Fn(&StoredSolution, Range<usize>) -> Result<Vec<[f64; N]>, io::Error> + Sync,
{
    /// Opens a file, for a domain with these periods in x, y and z. Collective.
    ///
    /// # Errors
    /// The file cannot be read or is no solution.
    pub fn open(path: &Path, periods: [Option<f64>; 3], read: R, ranks: &Ranks) -> Result<Self, SetupError> {
        let stored = StoredSolution::open(path).map_err(SetupError::Initial);
        let other = OtherSolution {
            stored: ranks.agree(stored, SetupError::OnOtherRank)?,
            path: path.to_path_buf(),
            read,
            shifts: shifts(periods),
            matrices: PerKind::new(|_| OnceLock::new()),
        };
        other.check(ranks)?;
        Ok(other)
    }

    /// Checks all of the file, each rank a part of it: values, cells and the checksum. Collective.
    ///
    /// # Errors
    /// The file is damaged, or holds values or cells of which no solution consists.
    fn check(&self, ranks: &Ranks) -> Result<(), SetupError> {
        let checked = self.check_part(ranks).map_err(SetupError::Initial);
        let mut part = ranks.agree(checked, SetupError::OnOtherRank)?;
        let mut checksum = [part.checksum];
        ranks.allreduce_sum(&mut checksum);
        self.stored.compare(checksum[0]).map_err(SetupError::Initial)?;
        if !self.stored.has_checksum() && ranks.rank() == 0 {
            tracing::info!(
                "{} has no checksum, as files of other programs and of early versions of this one: damage that leaves \
                 its values finite is not found",
                self.path.display()
            );
        }
        let [volume] = ExactSum::allreduce(ranks, [part.volumes.into_iter().collect()]).map(ExactSum::value);
        ranks.allreduce_min(&mut part.low);
        ranks.allreduce_max(&mut part.high);
        let around: f64 = (0..3).map(|d| part.high[d] - part.low[d]).product();
        if volume > MOST_COVERED * around {
            return Err(SetupError::Initial(self.stored.wrong(format!(
                "its cells overlap: their volumes sum to {:.3e}, but that of the box around them is {around:.3e}",
                volume
            ))));
        }
        Ok(())
    }

    /// Checks this rank's part of the cells.
    fn check_part(&self, ranks: &Ranks) -> Result<Part, io::Error> {
        let (all, size) = (self.stored.cells(), ranks.size());
        let [begin, end] = [ranks.rank(), ranks.rank() + 1].map(|rank| all * rank / size);
        let mut part = Part {
            checksum: 0,
            volumes: Vec::with_capacity(end - begin),
            low: [f64::INFINITY; 3],
            high: [f64::NEG_INFINITY; 3],
        };
        for begin in (begin..end).step_by(BLOCK) {
            let cells = begin..(begin + BLOCK).min(end);
            let share = self.stored.check(cells.clone())?;
            part.checksum = part.checksum.wrapping_add(share);
            let block = self.stored.positions(cells)?;
            let [low, high] = extent(&block.nodes);
            part.low = std::array::from_fn(|d| part.low[d].min(low[d]));
            part.high = std::array::from_fn(|d| part.high[d].max(high[d]));
            for cell in 0..block.kinds.len() {
                part.volumes.push(self.checked_volume(&block, cell)?);
            }
        }
        Ok(part)
    }

    /// Returns the volume between the corners of a cell.
    ///
    /// # Errors
    /// The cell is degenerate, or so large that its volume is no number.
    fn checked_volume(&self, block: &StoredCells, cell: usize) -> Result<f64, io::Error> {
        let (nodes, matrices) = (cell_nodes(block, cell), self.of(block.kinds[cell]));
        let [low, high] = extent(nodes);
        let size = length(minus(high, low));
        let largest = nodes.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        // In single precision thin cells may be flat.
        let least = if self.stored.single {
            -1.0
        } else {
            ROUNDING[1] * largest * size * size
        };
        let corners: Vec<[f64; 3]> = matrices.corners.iter().map(|&corner| nodes[corner]).collect();
        let between = volume(&matrices.linear, &corners).abs();
        // The corners of a curved cell may lie in a plane.
        let sound = |volume: f64| size > 0.0 && volume.is_finite() && volume > least;
        if sound(between) || sound(volume(&matrices.element, &multiply(&matrices.to_points, nodes)).abs()) {
            return Ok(between);
        }
        Err(self.stored.wrong(format!(
            "cell {} at {} is degenerate: its volume is {between:.3e}, and its size {size:.3e}",
            block.ids[cell],
            location(nodes[0])
        )))
    }

    /// Returns the values at each position, and the positions that lie outside of the mesh, which have those of its
    /// nearest point. Collective.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn values(&self, positions: &[[f64; 3]], ranks: &Ranks) -> Result<(Vec<[f64; N]>, Vec<Outside>), SetupError> {
        let values = self.values_of_rank(positions).map_err(SetupError::Initial);
        ranks.agree(values, SetupError::OnOtherRank)
    }

    /// Says how many of the positions lay outside of the mesh. Collective.
    ///
    /// # Errors
    /// None of the positions of all ranks lies in the mesh.
    pub fn judge(&self, positions: usize, outside: &[Outside], ranks: &Ranks) -> Result<(), SetupError> {
        let mut counts = [positions as u64, outside.len() as u64];
        ranks.allreduce_sum(&mut counts);
        let mut farthest = [outside.iter().map(|outside| outside.1).fold(0.0, f64::max)];
        ranks.allreduce_max(&mut farthest);
        let order = self.stored.order;
        let cells = self.stored.cells();
        let file = self.path.display();
        match counts {
            [all, out] if all == out => {
                return Err(SetupError::NoOverlap {
                    path: self.path.clone(),
                    distance: farthest[0],
                });
            }
            _ if ranks.rank() > 0 => {}
            [all, 0] => {
                tracing::info!("initial state from {file} ({cells} cells of order {order}): all {all} points lie in it")
            }
            [all, out] => tracing::warn!(
                "initial state from {file} ({cells} cells of order {order}): {out} of {all} points lie outside of its \
                 mesh, the farthest by {:.3e}, and take the value at its nearest point",
                farthest[0]
            ),
        }
        Ok(())
    }

    /// Returns the values of the cells of a mesh, which is that of the file, at the points of degree `order`,
    /// `[cell][point]`.
    pub fn values_of_cells(&self, mesh: &Mesh, order: usize) -> Result<Vec<[f64; N]>, io::Error> {
        let ids: Vec<u64> = (0..mesh.len()).map(|cell| mesh.global(cell) as u64).collect();
        let mut places = self.stored.places(&ids)?;
        places.sort_unstable();
        // The corners of the cells are enough, because no position is looked for.
        let cells = self.load(&places, true)?;
        let matrix = |kind: ElementKind| {
            let points = ReferenceElement::new(kind, order, Correction::Radau).points;
            self.of(kind).element.interpolation(&points)
        };
        let to_points = PerKind::new(|_| OnceLock::new());
        let mut values = Vec::new();
        for (id, &kind) in ids.iter().zip(&mesh.kinds) {
            // The numbers of the loaded cells ascend, and each of these is there.
            let cell = cells.ids.partition_point(|other| other < id);
            if cells.kinds[cell] != kind {
                let wrong = format!(
                    "its cell {id} is a {}, but that of the mesh is a {kind}",
                    cells.kinds[cell]
                );
                return Err(self.stored.wrong(wrong));
            }
            if order == self.stored.order {
                values.extend_from_slice(&cells.states[cell]);
            } else {
                let to_points: &Vec<f64> = to_points[kind].get_or_init(|| matrix(kind));
                values.extend(multiply(to_points, &cells.states[cell]));
            }
        }
        Ok(values)
    }

    /// Returns the values at each position, and the positions that lie outside of the mesh.
    fn values_of_rank(&self, positions: &[[f64; 3]]) -> Result<(Vec<[f64; N]>, Vec<Outside>), io::Error> {
        if positions.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let (mut values, straight) = self.inside(positions)?;
        let missing =
            |values: &[Inside<N>]| -> Vec<usize> { (0..values.len()).filter(|&i| values[i].is_none()).collect() };
        for shift in &self.shifts {
            let outside = missing(&values);
            if outside.is_empty() {
                break;
            }
            let there: Vec<[f64; 3]> = outside
                .iter()
                .map(|&i| std::array::from_fn(|d| positions[i][d] + shift[d]))
                .collect();
            for (i, value) in outside.into_iter().zip(self.inside(&there)?.0) {
                values[i] = value;
            }
        }
        let outside = missing(&values);
        let lost: Vec<[f64; 3]> = outside.iter().map(|&i| positions[i]).collect();
        let near = self.nearest(&lost, straight)?;
        for (&i, &(state, _)) in outside.iter().zip(&near) {
            values[i] = Some(state);
        }
        let values = values.into_iter().map(|value| value.unwrap_or([0.0; N])).collect();
        let distances = near.into_iter().map(|(_, distance)| distance);
        Ok((values, outside.into_iter().zip(distances).collect()))
    }

    /// Returns the state at each position that lies in a cell, and whether all cells of the file are straight.
    fn inside(&self, positions: &[[f64; 3]]) -> Result<(Vec<Inside<N>>, bool), io::Error> {
        // Coordinates in single precision are rounded by up to 1e-7 of their distance from the origin.
        let tolerance = if self.stored.single { 1e-5 } else { 1e-9 };
        let (touching, straight) = self.survey(positions)?;
        let cells = self.load(&touching, straight)?;
        let found = cells.locator(tolerance).find(positions);
        let value = |found: &Option<Found>| found.map(|found| self.at(&cells, &found));
        Ok((found.par_iter().map(value).collect(), straight))
    }

    /// Returns the state at a place in a cell.
    fn at(&self, cells: &Cells<N>, found: &Found) -> [f64; N] {
        let (weights, of_cell) = (
            self.of(cells.kinds[found.cell]).element.interpolation(&[found.at]),
            &cells.states[found.cell],
        );
        let mut values = multiply(&weights, of_cell)[0];
        for (i, value) in values.iter_mut().enumerate().skip(5) {
            let [least, most] = [f64::min, f64::max].map(|pick: fn(f64, f64) -> f64| {
                let all = of_cell.iter().map(|values| values[i]);
                all.reduce(pick).unwrap_or(*value)
            });
            *value = value.max(least).min(most);
        }
        values
    }

    fn of(&self, kind: ElementKind) -> &Matrices {
        self.matrices[kind].get_or_init(|| Matrices::new(kind, self.stored.order))
    }

    /// Returns the cells that may contain one of the positions, those whose boxes touch that of all positions, and
    /// whether all cells of the file are straight. Most meshes are, and the search is then much faster.
    fn survey(&self, positions: &[[f64; 3]]) -> Result<(Vec<usize>, bool), io::Error> {
        let (mut touching, mut straight) = (Vec::new(), true);
        let [lowest, highest] = extent(positions);
        let rounding = ROUNDING[usize::from(!self.stored.single)];
        self.each_block(|begin, block| {
            for cell in 0..block.kinds.len() {
                let nodes = cell_nodes(block, cell);
                let [low, high] = reach(nodes);
                if (0..3).all(|d| low[d] <= highest[d] && lowest[d] <= high[d]) {
                    touching.push(begin + cell);
                }
                straight = straight && self.of(block.kinds[cell]).is_straight(nodes, rounding);
            }
        })?;
        Ok((touching, straight))
    }

    /// Returns state and distance of the nearest point of the mesh for each position, which lies outside of all cells.
    /// Of several cells that are as near it is the one of lowest global number.
    fn nearest(&self, positions: &[[f64; 3]], straight: bool) -> Result<Vec<([f64; N], f64)>, io::Error> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        // The nearest node bounds the search. In thin layers it may belong to another cell than the nearest point.
        let mut bounds = vec![f64::INFINITY; positions.len()];
        self.each_block(|_, block| {
            let boxes = Boxes::new(block, straight);
            bounds.par_iter_mut().zip(positions).for_each(|(bound, &x)| {
                for (gap, cell) in boxes.nearer(x, *bound) {
                    if gap <= *bound {
                        let distances = cell_nodes(block, cell).iter().map(|&node| length(minus(node, x)));
                        *bound = distances.fold(*bound, f64::min);
                    }
                }
            });
        })?;
        let mut near: Vec<Option<Near>> = vec![None; positions.len()];
        let surfaces = CellSurfaces::new(self.degree(straight));
        self.each_block(|begin, block| {
            let boxes = Boxes::new(block, straight);
            let all = 0..block.kinds.len();
            let nodes: Vec<_> = all.map(|cell| self.mapped(block, cell, straight)).collect();
            let each = near.par_iter_mut().zip(&bounds).zip(positions);
            each.for_each(|((near, &bound), &x)| {
                let least = |near: &Option<Near>| near.map_or(bound, |near| bound.min(near.distance));
                let mut candidates = boxes.nearer(x, least(near));
                candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
                for (gap, cell) in candidates {
                    if gap > (1.0 + TIE) * least(near) {
                        break;
                    }
                    let (at, distance) = surfaces.nearest(block.kinds[cell], &nodes[cell], x);
                    let (id, place) = (block.ids[cell], begin + cell);
                    if near.is_none_or(|near| (distance, id) < (near.distance, near.id)) {
                        *near = Some(Near {
                            distance,
                            id,
                            place,
                            at,
                        });
                    }
                }
            });
        })?;
        let mut wanted: Vec<usize> = near.iter().flatten().map(|near| near.place).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let cells = self.load(&wanted, straight)?;
        let value = |near: &Near| {
            // The numbers of the loaded cells ascend.
            let cell = cells.ids.partition_point(|&other| other < near.id);
            (self.at(&cells, &Found { cell, at: near.at }), near.distance)
        };
        let values = near
            .par_iter()
            .map(|near| near.as_ref().map_or(([0.0; N], f64::INFINITY), value));
        Ok(values.collect())
    }

    /// Degree of the mapping of cells, of which those that are straight need no more than their corners.
    fn degree(&self, straight: bool) -> usize {
        if straight { 1 } else { self.stored.order }
    }

    /// Returns the nodes of the mapping of a cell in a block.
    fn mapped(&self, block: &StoredCells, cell: usize, straight: bool) -> Vec<[f64; 3]> {
        let (matrices, nodes) = (self.of(block.kinds[cell]), cell_nodes(block, cell));
        if straight {
            matrices.corners.iter().map(|&corner| nodes[corner]).collect()
        } else {
            multiply(&matrices.to_points, nodes)
        }
    }

    /// Calls `look` with the first cell and the mesh of each block of cells.
    fn each_block(&self, mut look: impl FnMut(usize, &StoredCells)) -> Result<(), io::Error> {
        let all = self.stored.cells();
        for begin in (0..all).step_by(BLOCK) {
            look(begin, &self.stored.positions(begin..(begin + BLOCK).min(all))?);
        }
        Ok(())
    }

    /// Reads cells, given by their places in the file in ascending order, and sorts them by their global numbers.
    fn load(&self, places: &[usize], straight: bool) -> Result<Cells<N>, io::Error> {
        let mut loaded = Vec::with_capacity(places.len());
        for run in runs(places) {
            let mesh = self.stored.positions(run.clone())?;
            let states = (self.read)(&self.stored, run)?;
            for cell in 0..mesh.kinds.len() {
                let range = mesh.first[cell]..mesh.first[cell + 1];
                let nodes = self.mapped(&mesh, cell, straight);
                let states = multiply(&self.of(mesh.kinds[cell]).to_points, &states[range]);
                loaded.push((mesh.ids[cell], mesh.kinds[cell], nodes, states));
            }
        }
        loaded.sort_by_key(|cell| cell.0);
        let mut cells = Cells {
            kinds: Vec::new(),
            ids: Vec::new(),
            degree: self.degree(straight),
            first_node: vec![0],
            nodes: Vec::new(),
            states: Vec::new(),
        };
        for (id, kind, nodes, states) in loaded {
            cells.ids.push(id);
            cells.kinds.push(kind);
            cells.nodes.extend(nodes);
            cells.first_node.push(cells.nodes.len());
            cells.states.push(states);
        }
        Ok(cells)
    }
}

/// Returns the runs of consecutive numbers, of which each has at most the length of a block.
fn runs(numbers: &[usize]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some(run) if run.end == number && run.len() < BLOCK => run.end += 1,
            _ => runs.push(number..number + 1),
        }
    }
    runs
}
