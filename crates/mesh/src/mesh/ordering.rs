//! The order of cells in memory: blocks of `lanes` cells side by side.
//!
//! The cells of a block fill the lanes of vector registers. If they come from `lanes` congruent sub-boxes, each from
//! the same position in its sub-box, then their neighbours also lie side by side in one block. A single vector load
//! then fetches them instead of one load a lane. Inside a sub-box cells follow a Morton curve, so that neighbours are
//! close in the cache. In a mesh without such a structure all cells follow a Morton curve through their centres.

use rayon::prelude::*;

use super::types::Mesh;

/// Returns the cell in each slot: entry `b * lanes + l` is the cell in lane l of block b. `None` pads the last block.
pub fn cells_by_slot(mesh: &Mesh, cells: &[usize], lanes: usize) -> Vec<Option<usize>> {
    let whole = cells.len() == mesh.len();
    let mut slots: Vec<Option<usize>> = match mesh
        .structured
        .filter(|_| whole)
        .and_then(|s| sub_boxes(s.dims, lanes).map(|sub| (s, sub)))
    {
        Some((s, sub)) => by_sub_boxes(s.dims, sub)
            .chunks(lanes)
            .flat_map(|cubes| {
                (0..s.per_cube).flat_map(move |part| cubes.iter().map(move |cube| Some(cube * s.per_cube + part)))
            })
            .collect(),
        None => along_curve(mesh, cells).into_iter().map(Some).collect(),
    };
    slots.resize(slots.len().div_ceil(lanes) * lanes, None);
    slots
}

/// Sorts cells along a Morton curve through their centres.
fn along_curve(mesh: &Mesh, cells: &[usize]) -> Vec<usize> {
    let centers: Vec<[f64; 3]> = cells.par_iter().map(|&cell| mesh.center(cell)).collect();
    let mut keyed: Vec<(u64, usize)> = curve_places(&centers).into_iter().zip(cells.iter().copied()).collect();
    keyed.par_sort_unstable();
    keyed.into_iter().map(|(_, cell)| cell).collect()
}

/// Returns the places of points along a Morton curve through the cube that holds them.
fn curve_places(points: &[[f64; 3]]) -> Vec<u64> {
    let lower: [f64; 3] = std::array::from_fn(|d| points.iter().map(|x| x[d]).fold(f64::INFINITY, f64::min));
    let upper: [f64; 3] = std::array::from_fn(|d| points.iter().map(|x| x[d]).fold(f64::NEG_INFINITY, f64::max));
    let span = (0..3).map(|d| upper[d] - lower[d]).fold(f64::MIN_POSITIVE, f64::max);
    let place = |x: &[f64; 3]| {
        morton(std::array::from_fn(|d| {
            ((x[d] - lower[d]) / span * 2_097_151.0) as usize
        }))
    };
    points.iter().map(place).collect()
}

/// Returns the number of sub-boxes in each direction: `lanes` in all, dividing the box evenly, as cubic as possible.
fn sub_boxes(n: [usize; 3], lanes: usize) -> Option<[usize; 3]> {
    let mut best: Option<([usize; 3], usize)> = None;
    for sx in (1..=lanes).filter(|s| lanes.is_multiple_of(*s) && n[0].is_multiple_of(*s)) {
        for sy in (1..=lanes / sx).filter(|s| (lanes / sx).is_multiple_of(*s) && n[1].is_multiple_of(*s)) {
            let sz = lanes / sx / sy;
            if !n[2].is_multiple_of(sz) {
                continue;
            }
            // Number of faces between sub-boxes, across which neighbours do not lie side by side.
            let cut = (sx - 1) * n[1] * n[2] + (sy - 1) * n[0] * n[2] + (sz - 1) * n[0] * n[1];
            if best.is_none_or(|(_, least)| cut < least) {
                best = Some(([sx, sy, sz], cut));
            }
        }
    }
    best.map(|(s, _)| s)
}

/// Returns the cubes in the order of their slots, one from each sub-box in turn.
fn by_sub_boxes(n: [usize; 3], s: [usize; 3]) -> Vec<usize> {
    let m: [usize; 3] = std::array::from_fn(|d| n[d] / s[d]);
    let mut local: Vec<[usize; 3]> = (0..m[0] * m[1] * m[2])
        .map(|i| [i % m[0], i / m[0] % m[1], i / (m[0] * m[1])])
        .collect();
    local.par_sort_by_cached_key(|&at| morton(at));
    let mut cubes = Vec::with_capacity(n[0] * n[1] * n[2]);
    for at in local {
        for lane in 0..s[0] * s[1] * s[2] {
            let sub = [lane % s[0], lane / s[0] % s[1], lane / (s[0] * s[1])];
            let g: [usize; 3] = std::array::from_fn(|d| sub[d] * m[d] + at[d]);
            cubes.push(g[0] + n[0] * (g[1] + n[1] * g[2]));
        }
    }
    cubes
}

/// Interleaves the bits of three indices.
fn morton(at: [usize; 3]) -> u64 {
    let spread = |x: usize| (0..21).fold(0u64, |m, bit| m | ((x as u64 >> bit & 1) << (3 * bit)));
    spread(at[0]) | spread(at[1]) << 1 | spread(at[2]) << 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sub_box_placement_is_a_permutation_of_all_cells() {
        for (n, lanes) in [([16, 16, 16], 8), ([6, 4, 2], 4), ([8, 2, 2], 16)] {
            let s = sub_boxes(n, lanes).expect("divides");
            let mut seen = by_sub_boxes(n, s);
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..n[0] * n[1] * n[2]), "{n:?} {lanes}");
        }
    }

    #[test]
    fn boxes_that_do_not_divide_into_lanes_are_left_alone() {
        assert_eq!(sub_boxes([3, 5, 7], 4), None);
    }
}
