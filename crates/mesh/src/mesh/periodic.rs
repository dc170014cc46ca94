//! Joining of the two sides of periodic boundaries by their positions.
//!
//! A hash grid finds faces by their centres; the vertices of two faces are then compared with each other. The tolerance
//! follows from the size of the faces, so that thin cells at walls are distinguished in meshes of any extent.

use std::collections::HashMap;

use super::cells::{Cells, centre};
use super::connect::Faces;
use super::connect_error::{ConnectError, FaceLocation, Nearest};
use super::motion::{RigidMotion, distance};
use super::types::CellFace;

/// Largest distance between two vertices that count as one, for a face with these vertices.
pub fn tolerance(vertices: &[[f64; 3]]) -> f64 {
    /// Fraction of the largest distance between vertices of the face: mesh files may have few digits.
    const OF_LONGEST: f64 = 1e-5;
    /// Fraction of the smallest distance, so that vertices of one face are never confused.
    const OF_SHORTEST: f64 = 0.1;
    let mut longest = 0.0f64;
    let mut shortest = f64::INFINITY;
    for (i, a) in vertices.iter().enumerate() {
        for b in &vertices[..i] {
            let length = distance(*a, *b);
            longest = longest.max(length);
            shortest = shortest.min(length);
        }
    }
    (OF_LONGEST * longest).min(OF_SHORTEST * shortest)
}

/// A hash grid of points.
#[derive(Debug)]
pub struct PointGrid {
    /// Indices of the points in each box, by the integer coordinates of the box.
    boxes: HashMap<[i64; 3], Vec<usize>>,
    /// Edge length of a box.
    spacing: f64,
}

impl PointGrid {
    /// Sorts points into boxes, for lookups with a radius of at most `reach`.
    pub fn new(points: &[[f64; 3]], reach: f64) -> Self {
        let mut grid = Self {
            boxes: HashMap::new(),
            spacing: if reach > 0.0 { 2.0 * reach } else { 1.0 },
        };
        for (i, point) in points.iter().enumerate() {
            grid.boxes.entry(point.map(|x| grid.coordinate(x))).or_default().push(i);
        }
        grid
    }

    /// Integer coordinate of a box. It saturates far from the origin, which costs time only.
    fn coordinate(&self, x: f64) -> i64 {
        (x / self.spacing).floor() as i64
    }

    /// Returns the points within `radius` of a position, and some others near them.
    pub fn near(&self, at: [f64; 3], radius: f64) -> impl Iterator<Item = usize> {
        let radius = radius.min(0.5 * self.spacing);
        let [x, y, z] = at.map(|x| {
            let ends = [self.coordinate(x - radius), self.coordinate(x + radius)];
            ends.into_iter().take(if ends[0] == ends[1] { 1 } else { 2 })
        });
        x.flat_map(move |x| {
            let z = z.clone();
            y.clone().flat_map(move |y| z.clone().map(move |z| [x, y, z]))
        })
        .filter_map(|at| self.boxes.get(&at))
        .flatten()
        .copied()
    }
}

/// Returns, for each of our points, the index of the one of theirs within the tolerance; `None` unless this is a
/// one-to-one correspondence.
pub fn corresponding(ours: &[[f64; 3]], theirs: &[[f64; 3]], tolerance: f64) -> Option<[usize; 4]> {
    if ours.len() != theirs.len() {
        return None;
    }
    let mut at = [usize::MAX; 4];
    for (i, x) in ours.iter().enumerate() {
        let there = theirs.iter().position(|y| distance(*x, *y) <= tolerance)?;
        if at[..i].contains(&there) {
            return None;
        }
        at[i] = there;
    }
    Some(at)
}

/// Positions of a face's vertices.
pub fn vertices(cells: Cells, at: CellFace, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let face = cells.face(at);
    face.as_slice().iter().map(|v| positions[*v as usize]).collect()
}

/// Joins the open faces `here` to the open faces `there`, to which the motion carries them. Unless the motion is a
/// translation, `rotations` are the indices in [`super::Mesh::rotations`] of the rotations there and back.
///
/// # Errors
/// Returns [`ConnectError::Unmatched`] if a face has no partner.
pub fn join_by_motion(
    faces: &mut Faces,
    cells: Cells,
    positions: &[[f64; 3]],
    [here, there]: [&[CellFace]; 2],
    motion: &RigidMotion,
    rotations: Option<[usize; 2]>,
) -> Result<(), ConnectError> {
    let middle = |&at: &CellFace| centre(cells.face(at), positions);
    let centres: Vec<[f64; 3]> = there.iter().map(middle).collect();
    let reach = |list: &[CellFace]| {
        let tolerances = list.iter().map(|at| tolerance(&vertices(cells, *at, positions)));
        tolerances.fold(0.0, f64::max)
    };
    let grid = PointGrid::new(&centres, reach(here).max(reach(there)));

    let mut taken = vec![false; there.len()];
    let mut unmatched = Vec::new();
    for &ours in here {
        let still = vertices(cells, ours, positions);
        let tolerance = tolerance(&still);
        let moved: Vec<[f64; 3]> = still.iter().map(|x| motion.apply(*x)).collect();
        let found = grid.near(motion.apply(middle(&ours)), tolerance).find_map(|i| {
            let at = corresponding(&moved, &vertices(cells, there[i], positions), tolerance)?;
            (!taken[i]).then_some((i, at))
        });
        let joined = found.is_some_and(|(i, at)| {
            taken[i] = true;
            let from = cells.face(ours);
            let to = cells.face(there[i]);
            let map = |vertex| {
                let here = from.as_slice().iter().position(|v| *v == vertex)?;
                Some(to.as_slice()[at[here]])
            };
            faces.connect_pair(cells, ours, there[i], map, rotations)
        });
        if !joined {
            unmatched.push(ours);
        }
    }
    faces.drop_joined();
    if unmatched.is_empty() {
        let spare: Vec<CellFace> = (0..there.len()).filter(|i| !taken[*i]).map(|i| there[i]).collect();
        refuse_unmatched(cells, positions, &spare, &motion.inverse(), here)
    } else {
        refuse_unmatched(cells, positions, &unmatched, motion, there)
    }
}

/// Joins those of the open faces that lie at the same place, such as the two sides of an interface between zones that
/// have nodes of their own. Others stay open.
pub fn join_coincident(faces: &mut Faces, cells: Cells, positions: &[[f64; 3]], open: &[CellFace]) {
    let middle = |&at: &CellFace| centre(cells.face(at), positions);
    let centres: Vec<[f64; 3]> = open.iter().map(middle).collect();
    let reach = open.iter().map(|at| tolerance(&vertices(cells, *at, positions)));
    let grid = PointGrid::new(&centres, reach.fold(0.0, f64::max));
    let mut taken = vec![false; open.len()];
    for (i, &ours) in open.iter().enumerate() {
        let here = vertices(cells, ours, positions);
        let tolerance = tolerance(&here);
        let partner = grid.near(centres[i], tolerance).find_map(|j| {
            let at = corresponding(&here, &vertices(cells, open[j], positions), tolerance)?;
            (j > i && !taken[j]).then_some((j, at))
        });
        let Some((j, at)) = partner.filter(|_| !taken[i]) else {
            continue;
        };
        let from = cells.face(ours);
        let to = cells.face(open[j]);
        let map = |vertex| {
            let here = from.as_slice().iter().position(|v| *v == vertex)?;
            Some(to.as_slice()[at[here]])
        };
        if faces.connect_pair(cells, ours, open[j], map, None) {
            (taken[i], taken[j]) = (true, true);
        }
    }
    faces.drop_joined();
}

/// Refuses faces without a partner, if there are any. `motion` carries them to the `candidates`, of which the nearest
/// to the first face is reported.
fn refuse_unmatched(
    cells: Cells,
    positions: &[[f64; 3]],
    unmatched: &[CellFace],
    motion: &RigidMotion,
    candidates: &[CellFace],
) -> Result<(), ConnectError> {
    let Some(&first) = unmatched.first() else {
        return Ok(());
    };
    let middle = |&at: &CellFace| centre(cells.face(at), positions);
    let moved = motion.apply(middle(&first));
    let nearest = candidates
        .iter()
        .map(|at| distance(moved, middle(at)))
        .min_by(f64::total_cmp);
    Err(ConnectError::Unmatched {
        count: unmatched.len(),
        place: Box::new(FaceLocation::new(first)),
        nearest: Nearest(nearest.map(|d| (d, tolerance(&vertices(cells, first, positions))))),
    })
}
