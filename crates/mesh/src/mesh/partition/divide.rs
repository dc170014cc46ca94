//! The division of a mesh into parts by METIS: connected parts of equal cost with few face points between them.

use std::sync::{Mutex, PoisonError};

use metis::option;

use super::divide_error::{DivideError, METIS_MAX};
use super::dual_graph::DualGraph;
use super::groups::Groups;
use super::weights::Weights;
use crate::element::ElementKind;
use crate::mesh::types::{Mesh, MortarPart, Side};

/// Seed of METIS's random numbers, fixed so that a mesh is always divided in the same way.
const SEED: i32 = 1;

/// Number of bisections that METIS computes to keep the best.
const TRIES: i32 = 4;

/// Seconds of METIS for a million cells and each doubling of the number of parts.
const SECONDS_PER_MILLION: f64 = 3.0;

/// Estimates how many seconds one processor takes to divide a mesh. For a box of 64^3 hexahedra and 16, 128 and 1000
/// parts METIS took 11.8, 19.8 and 30.3 s per million cells.
pub fn seconds_to_divide(cells: usize, parts: usize) -> f64 {
    SECONDS_PER_MILLION * (cells as f64 / 1e6) * (parts as f64).log2()
}

/// A lock for METIS, which uses C's `rand`: concurrent divisions would disturb each other's random numbers.
static METIS: Mutex<()> = Mutex::new(());

/// Returns the part, from 0, of each cell of a whole mesh. No part is empty, and the costs of all parts are about
/// equal. All cells at the boundaries of the names `together` are in one part, and so are the cells that meet at a
/// divided face.
///
/// # Errors
/// There are fewer cells than parts, the mesh is too large for METIS, or a side does not lead back.
pub fn divide(mesh: &Mesh, parts: usize, weights: &Weights, together: &[String]) -> Result<Vec<u32>, DivideError> {
    let behind = |side: usize| match mesh.sides[side] {
        Side::Cell { cell, .. } | Side::Rotated { cell, .. } => Behind::Cell(cell),
        Side::Boundary(name) if together.contains(&mesh.boundary_names[name]) => Behind::Together,
        Side::Remote { .. } | Side::Mortar(_) | Side::Boundary(_) => Behind::Nothing,
    };
    divide_cells(&mesh.kinds, behind, &mesh.mortars, parts, weights)
}

/// What is behind a side of a cell, for the division.
pub enum Behind {
    /// A cell.
    Cell(usize),
    /// A boundary whose cells are all in one part.
    Together,
    /// Nothing that matters.
    Nothing,
}

/// Does the work of [`divide`] for cells of these kinds, whose sides follow each other without gaps; `behind` returns
/// what is behind a side, and `mortars` are the parts of divided faces.
pub fn divide_cells(
    kinds: &[ElementKind],
    behind: impl Fn(usize) -> Behind + Sync,
    mortars: &[MortarPart],
    parts: usize,
    weights: &Weights,
) -> Result<Vec<u32>, DivideError> {
    let cells = kinds.len();
    if parts == 0 || parts > cells || parts > METIS_MAX {
        return Err(DivideError::Parts { cells, parts });
    }
    if parts == 1 {
        return Ok(vec![0; cells]);
    }
    let cell_behind = |side: usize| match behind(side) {
        Behind::Cell(cell) => Some(cell),
        Behind::Together | Behind::Nothing => None,
    };
    let dual = DualGraph::new(kinds, cell_behind, weights)?;
    let mut sides = 0;
    let is_kept = |kind: &ElementKind| {
        let first = sides;
        sides += kind.faces().len();
        (first..sides).any(|side| matches!(behind(side), Behind::Together))
    };
    let kept: Vec<bool> = kinds.iter().map(is_kept).collect();
    let part_of: Vec<i32> = if kept.contains(&true) || !mortars.is_empty() {
        let mut groups = Groups::of_single(cells);
        let first_kept = kept.iter().position(|&is_kept| is_kept);
        let all_kept = (0..cells).filter(|&cell| kept[cell]);
        all_kept.for_each(|cell| groups.join(first_kept.unwrap_or(cell), cell));
        let pairs = mortars.iter().map(MortarPart::cells);
        // What leads to no cell is refused where the cells are read.
        let pairs = pairs.filter(|pair| pair.iter().all(|&cell| cell < cells));
        pairs.for_each(|[big, small]| groups.join(big, small));
        let (graph, vertex_of_cell) = dual.contracted(groups.numbers(first_kept));
        if parts > graph.costs.len() {
            return Err(DivideError::Together {
                most: graph.costs.len(),
                parts,
            });
        }
        let mut part_of = bisect(&graph, parts)?;
        fill_empty_parts(&mut part_of, parts, &graph.costs);
        vertex_of_cell.into_iter().map(|vertex| part_of[vertex]).collect()
    } else {
        let mut part_of = bisect(&dual, parts)?;
        fill_empty_parts(&mut part_of, parts, &dual.costs);
        part_of
    };
    Ok(part_of.into_iter().map(|part| part as u32).collect())
}

/// Divides the graph by METIS's recursive bisection. On a periodic box of 64^3 hexahedra and 2 to 16 parts it leaves a
/// fifth fewer faces between parts than METIS's direct division into k parts, and it balances mixed cells better. It
/// takes four times as long: seconds for a million cells.
fn bisect(dual: &DualGraph, parts: usize) -> Result<Vec<i32>, DivideError> {
    let failed = |reason: String| DivideError::Metis { parts, reason };
    let graph = metis::Graph::new(1, parts as i32, &dual.first, &dual.neighbours).map_err(|e| failed(e.to_string()))?;
    let graph = graph
        .set_vwgt(&dual.costs)
        .set_adjwgt(&dual.points)
        .set_option(option::Seed(SEED))
        .set_option(option::NCuts(TRIES));
    let mut part_of = vec![0; dual.costs.len()];
    let guard = METIS.lock().unwrap_or_else(PoisonError::into_inner);
    graph.part_recursive(&mut part_of).map_err(|e| failed(e.to_string()))?;
    drop(guard);
    Ok(part_of)
}

/// Gives each empty part a cell of the part that costs most at that moment. METIS may leave parts empty if there are
/// few cells a part.
pub(super) fn fill_empty_parts(part_of: &mut [i32], parts: usize, costs: &[i32]) {
    let mut load = vec![(0, 0); parts];
    for (&part, &cost) in part_of.iter().zip(costs) {
        let (cells, sum): &mut (usize, i64) = &mut load[part as usize];
        (*cells, *sum) = (*cells + 1, *sum + i64::from(cost));
    }
    while let Some(empty) = load.iter().position(|(cells, _)| *cells == 0) {
        // There are at least as many cells as parts, so some part has two.
        let richest = (0..parts)
            .filter(|&part| load[part].0 > 1)
            .max_by_key(|&part| load[part].1);
        let given = richest.and_then(|richest| part_of.iter().rposition(|&part| part as usize == richest));
        let Some(cell) = given else { return };
        let from = part_of[cell] as usize;
        let cost = i64::from(costs[cell]);
        load[from] = (load[from].0 - 1, load[from].1 - cost);
        load[empty] = (1, cost);
        part_of[cell] = empty as i32;
    }
}
