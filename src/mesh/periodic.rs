//! Joins the two sides of periodic boundaries by their positions.
//!
//! Faces are found by their middles in a hash grid, then vertices by comparing the few of two faces. What is close enough
//! is measured by the faces themselves, so that thin cells at walls are told apart in meshes of any extent.

use std::collections::HashMap;

use super::cells::{Cells, centre};
use super::connect::Faces;
use super::connect_error::{ConnectError, FaceLocation, Nearest};
use super::motion::{RigidMotion, distance};

/// How far apart two vertices of a face may be to count as one.
pub fn tolerance(vertices: &[[f64; 3]]) -> f64 {
    /// Share of the largest distance in the face: mesh files may have few digits.
    const OF_LONGEST: f64 = 1e-5;
    /// Share of the smallest, so that vertices of one face are never mistaken for each other.
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

/// Points that can be looked up by place.
#[derive(Debug)]
pub struct PointGrid {
    boxes: HashMap<[i64; 3], Vec<usize>>,
    spacing: f64,
}

impl PointGrid {
    /// Sorts points into boxes; lookups will have a radius of at most `reach`.
    pub fn new(points: &[[f64; 3]], reach: f64) -> Self {
        let mut grid = Self {
            boxes: HashMap::new(),
            spacing: if reach > 0.0 { 2.0 * reach } else { 1.0 },
        };
        for (i, point) in points.iter().enumerate() {
            grid.boxes.entry(point.map(|x| grid.place(x))).or_default().push(i);
        }
        grid
    }

    /// Numbers of boxes far away all become the same, which costs time only.
    fn place(&self, x: f64) -> i64 {
        (x / self.spacing).floor() as i64
    }

    /// All points within `radius` of a place, and some more.
    pub fn near(&self, at: [f64; 3], radius: f64) -> impl Iterator<Item = usize> {
        let radius = radius.min(0.5 * self.spacing);
        let [x, y, z] = at.map(|x| {
            let ends = [self.place(x - radius), self.place(x + radius)];
            ends.into_iter().take(if ends[0] == ends[1] { 1 } else { 2 })
        });
        x.flat_map(move |x| {
            let z = z.clone();
            y.clone().flat_map(move |y| z.clone().map(move |z| [x, y, z]))
        })
        .filter_map(|place| self.boxes.get(&place))
        .flatten()
        .copied()
    }
}

/// For each of our points, the place in the list of that one of theirs that is close enough; `None` unless all have one each.
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
pub fn vertices(cells: Cells, (cell, face): (usize, usize), positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let face = cells.face(cell, face);
    face.as_slice().iter().map(|v| positions[*v as usize]).collect()
}

/// Joins the open faces `here` to the open faces `there`, to which the motion carries them. `rotations` are the indices of
/// the rotations there and back in the mesh's list, unless the motion is a translation.
pub fn join_by_motion(
    faces: &mut Faces,
    cells: Cells,
    positions: &[[f64; 3]],
    [here, there]: [&[(usize, usize)]; 2],
    motion: &RigidMotion,
    rotations: Option<[usize; 2]>,
) -> Result<(), ConnectError> {
    let middle = |&(cell, face): &(usize, usize)| centre(cells.face(cell, face), positions);
    let centres: Vec<[f64; 3]> = there.iter().map(middle).collect();
    let reach = |list: &[(usize, usize)]| {
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
            let (from, to) = (cells.face(ours.0, ours.1), cells.face(there[i].0, there[i].1));
            let map = |vertex| {
                let place = from.as_slice().iter().position(|v| *v == vertex)?;
                Some(to.as_slice()[at[place]])
            };
            faces.connect_pair(cells, ours, there[i], map, rotations)
        });
        if !joined {
            unmatched.push(ours);
        }
    }
    faces.drop_joined();

    // What is left over, on our side or else on the other, and how far the nearest candidate is away.
    let spare: Vec<(usize, usize)> = (0..there.len()).filter(|i| !taken[*i]).map(|i| there[i]).collect();
    let (left, motion, others) = if unmatched.is_empty() {
        (spare, motion.inverse(), here)
    } else {
        (unmatched, *motion, there)
    };
    let Some(&first) = left.first() else {
        return Ok(());
    };
    let moved = motion.apply(middle(&first));
    let nearest = others
        .iter()
        .map(|at| distance(moved, middle(at)))
        .min_by(f64::total_cmp);
    Err(ConnectError::Unmatched {
        count: left.len(),
        place: Box::new(FaceLocation::new(first)),
        nearest: Nearest(nearest.map(|d| (d, tolerance(&vertices(cells, first, positions))))),
    })
}
