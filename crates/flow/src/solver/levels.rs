//! The levels of the cells in the paired scheme.
//!
//! They follow from the geometry alone, so that a run continues with the same ones after a restart and on any number of
//! ranks. Waves are taken to be equally fast everywhere. Where they are not, the bounds on the time step still hold,
//! since each cell is bounded by the member of its level ([`crate::device::TimeStepBounds`]).

use super::domain::Domain;
use crate::device::Classes;
use crate::element::StabilityLimits;
use crate::geometry::Geometry;
use crate::mesh::{Mesh, Neighbour};
use crate::ranks::Ranks;
use crate::runge_kutta::paired::{LEVELS, MEMBERS, Member};

/// Share of the reach of a member that the cells of its level may need where waves are equally fast. The rest is for
/// flow that is faster away from the smallest cells, which are at walls.
const SHARE: f64 = 1.0 / 1.2;

/// Returns the class of each cell. Level 0 has the smallest cells; two rings of cells lie between levels that differ by
/// two. Collective.
pub fn classes(mesh: &Mesh, geometry: &Geometry, limits: &[StabilityLimits; 4], ranks: &Ranks) -> Vec<u8> {
    let rates: Vec<f64> = (0..mesh.len())
        .map(|cell| rate(geometry, cell) / limits[mesh.kinds[cell] as usize].advection)
        .collect();
    let mut most = [rates.iter().copied().fold(0.0, f64::max)];
    ranks.allreduce_max(&mut most);
    let mut levels: Vec<i32> = rates.iter().map(|rate| level_for(rate / most[0]) as i32).collect();
    for _ in 1..LEVELS {
        let beside = least(mesh, &levels, ranks);
        let two_away = least(mesh, &beside, ranks);
        levels
            .iter_mut()
            .zip(two_away)
            .for_each(|(level, near)| *level = (*level).min(near + 1));
    }
    let beside = least(mesh, &levels, ranks);
    let first_ring = |cell: usize| beside[cell] < levels[cell];
    // Twice the level, and one more outside the first ring: twice its own level is what a cell of the second ring sees.
    let marks: Vec<i32> = (0..mesh.len())
        .map(|c| 2 * levels[c] + i32::from(!first_ring(c)))
        .collect();
    let marks_beside = least(mesh, &marks, ranks);
    let class = |cell: usize| {
        let level = levels[cell] as usize;
        let ring = match marks_beside[cell] {
            _ if first_ring(cell) => 1,
            mark if mark == 2 * levels[cell] => 2,
            _ => 3,
        };
        Classes::number(level, ring)
    };
    (0..mesh.len()).map(class).collect()
}

/// Returns the level with the fewest evaluations that reaches the common step, for a cell with this share of the
/// largest rate.
fn level_for(share: f64) -> usize {
    let needed = share * MEMBERS[0].reach;
    let reaches = |level: &usize| *level == 0 || SHARE * MEMBERS[*level].reach >= needed;
    (0..LEVELS).rev().find(reaches).unwrap_or(0)
}

/// Returns the largest half sum of |A|/J over the faces of a cell, at its points.
fn rate(geometry: &Geometry, cell: usize) -> f64 {
    let (kind, metrics) = (geometry.kinds[cell], &geometry.metrics[cell]);
    let at = |p: usize| {
        let area = |normal: [f64; 3]| {
            let component = |m: usize| (0..3).map(|d| normal[d] * metrics.term(d, m, p)).sum::<f64>();
            (0..3).map(|m| component(m).powi(2)).sum::<f64>().sqrt()
        };
        let sum: f64 = (0..kind.faces().len()).map(|face| area(kind.face_normal(face))).sum();
        0.5 * sum / metrics.jacobian(p)
    };
    let points = if geometry.is_affine(cell) {
        1
    } else {
        geometry.cell_points(cell)
    };
    (0..points).map(at).fold(0.0, f64::max)
}

/// Returns the least of the value of each cell and those of its neighbours. Collective.
fn least(mesh: &Mesh, values: &[i32], ranks: &Ranks) -> Vec<i32> {
    let mut found = values.to_vec();
    for (cell, found) in found.iter_mut().enumerate() {
        for side in mesh.cell_sides(cell) {
            if let Some(Neighbour { cell: other, .. }) = side.neighbour() {
                *found = (*found).min(values[other]);
            }
        }
    }
    let mut faces = mesh.remote_faces();
    let lists: Vec<(usize, Vec<i32>)> = faces
        .iter_mut()
        .map(|(&rank, faces)| {
            faces.sort_by_key(|f| f.there);
            (rank, faces.iter().map(|f| values[f.cell]).collect())
        })
        .collect();
    for (faces, theirs) in faces.values_mut().zip(ranks.exchange_with(&lists)) {
        faces.sort_by_key(|f| f.here);
        for (face, there) in faces.iter().zip(theirs) {
            found[face.cell] = found[face.cell].min(there);
        }
    }
    found
}

/// The shares of the points of all ranks in each level.
pub struct LevelShares([f64; LEVELS]);

impl LevelShares {
    /// Counts the points of each level, for these classes of the cells. Collective.
    pub(super) fn new(domain: &Domain, classes: &[u8]) -> Self {
        let mut points = [0u64; LEVELS];
        for (cell, &class) in classes.iter().enumerate() {
            points[Classes::level(class)] += domain.geometry.cell_points(cell) as u64;
        }
        domain.ranks.allreduce_sum(&mut points);
        let all: u64 = points.iter().sum();
        LevelShares(points.map(|points| points as f64 / all as f64))
    }

    /// Returns the mean number of right-hand sides of a point in a step.
    pub fn evaluations(&self) -> f64 {
        let of_level = |(share, member): (&f64, &Member)| share * member.evaluations as f64;
        self.0.iter().zip(&MEMBERS).map(of_level).sum()
    }

    /// Returns the shares in words.
    pub fn describe(&self) -> String {
        let of_level = |(share, member): (&f64, &Member)| {
            format!("{:.0} % of the points evaluate {}", 100.0 * share, member.evaluations)
        };
        let levels: Vec<String> = self.0.iter().zip(&MEMBERS).map(of_level).collect();
        levels.join(", ")
    }
}
