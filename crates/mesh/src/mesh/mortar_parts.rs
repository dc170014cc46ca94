//! Joins the faces that meet smaller ones in a mesh of another program: finds which part of the larger face each
//! smaller one is, by the places of its corners, and refuses those that do not lie on it.

use std::collections::HashMap;

use super::cells::Cells;
use super::connect::{Faces, OPEN, orientation_of};
use super::error::TopologyProblem;
use super::mortar::DIVISIONS;
use super::motion::distance;
use super::periodic::tolerance;
use super::types::{CellFace, MortarPart, Share, Side};
use super::unconnected::UnconnectedMesh;
use crate::element::{FaceShape, lagrange_matrix};
use crate::format::location;

/// Largest distance of the points of a smaller face from the larger one, relative to the size of the smaller one.
const SLACK: f64 = 1e-5;

/// Joins the faces of all mortars of a file and takes them out of the open faces. Returns the parts of the larger ones.
///
/// # Errors
/// A face is joined with another one, or smaller faces do not cover a larger one by halves of it.
pub fn join_mortars(
    raw: &UnconnectedMesh,
    cells: Cells,
    faces: &mut Faces,
) -> Result<Vec<MortarPart>, TopologyProblem> {
    if raw.mortars.is_empty() {
        return Ok(Vec::new());
    }
    let open: HashMap<[u32; 4], CellFace> = faces.open.iter().map(|&at| (cells.face(at).key(), at)).collect();
    let mut parts: Vec<MortarPart> = Vec::new();
    for mortar in &raw.mortars {
        let refused = |why: String| TopologyProblem::Mortar {
            element: mortar.element,
            side: mortar.side,
            why,
        };
        let find = |key: &[u32; 4]| {
            let missing = || refused("it, or a part of it, has the corners of the side of another element".to_owned());
            open.get(key).copied().ok_or_else(missing)
        };
        let big = find(&mortar.big)?;
        let surface = Surface::new(raw, big);
        let mut own = Vec::with_capacity(mortar.small.len());
        for small in &mortar.small {
            own.push(surface.part(raw, find(small)?).map_err(refused)?);
        }
        own.sort_by_key(|part| [part.share[1], part.share[0]]);
        let shares: Vec<[Share; 2]> = own.iter().map(|part| part.share).collect();
        if !DIVISIONS.contains(&shares.as_slice()) {
            return Err(refused("its smaller sides do not cover it, each once".to_owned()));
        }
        let first = parts.len();
        let sides = own.iter().map(|part| part.small).zip(first..);
        for (at, number) in [(big, first)].into_iter().chain(sides) {
            let side = faces.side(at);
            if *side != OPEN {
                return Err(refused("it, or a part of it, is at two mortars".to_owned()));
            }
            *side = Side::Mortar(number);
        }
        parts.extend(own);
    }
    faces.drop_joined();
    Ok(parts)
}

/// The points of a face of a file, at equal distances.
struct Surface {
    at: CellFace,
    order: usize,
    points: Vec<[f64; 3]>,
}

/// Points at equal distances from -1 to 1.
fn equispaced(order: usize) -> Vec<f64> {
    (0..=order).map(|i| 2.0 * i as f64 / order as f64 - 1.0).collect()
}

impl Surface {
    fn new(raw: &UnconnectedMesh, at: CellFace) -> Self {
        let order = usize::from(raw.orders[at.cell]);
        let nodes = raw.cell_nodes(at.cell);
        let points = raw.kinds[at.cell].face_indices(at.face, order);
        Surface {
            at,
            order,
            points: points
                .into_iter()
                .map(|node| raw.positions[nodes[node] as usize])
                .collect(),
        }
    }

    /// The place at reference coordinates.
    fn place(&self, at: [f64; 2]) -> [f64; 3] {
        let lattice = equispaced(self.order);
        let [along, across] = at.map(|x| lagrange_matrix(&lattice, &[x]));
        let mut place = [0.0; 3];
        for (j, y) in across.iter().enumerate() {
            for (i, x) in along.iter().enumerate() {
                let node = self.points[i + lattice.len() * j];
                (0..3).for_each(|d| place[d] += x * y * node[d]);
            }
        }
        place
    }

    /// The four corners.
    fn corners(&self) -> [[f64; 3]; 4] {
        let p = self.order;
        [0, p, (p + 1) * p, (p + 1) * (p + 1) - 1].map(|point| self.points[point])
    }

    /// Returns the part of this face that a smaller one is.
    ///
    /// # Errors
    /// Returns why it is none.
    fn part(&self, raw: &UnconnectedMesh, small: CellFace) -> Result<MortarPart, String> {
        let theirs = Surface::new(raw, small);
        let named = |what: &str| format!("a side of element {}, a part of it, {what}", raw.tags[small.cell]);
        let corners = theirs.corners();
        let tolerance = tolerance(&corners);
        // Corner, middle and corner in each direction are 0, 1 and 2.
        let mut met = [[0; 2]; 4];
        for (corner, met) in corners.iter().zip(&mut met) {
            let all = (0..9).map(|k| [k % 3, k / 3]);
            let near = |[a, b]: &[usize; 2]| {
                let at = [*a, *b].map(|i| i as f64 - 1.0);
                distance(self.place(at), *corner) <= tolerance
            };
            *met = all.into_iter().find(near).ok_or_else(|| {
                let what = format!(
                    "has a corner at {}, where it has neither a corner nor the middle of an edge or of the side",
                    location(*corner)
                );
                named(&what)
            })?;
        }
        let ends = [0, 1].map(|d| [met.iter().map(|at| at[d]).min(), met.iter().map(|at| at[d]).max()]);
        let share = |d: usize| match ends[d] {
            [Some(0), Some(2)] => Ok(Share::All),
            [Some(0), Some(1)] => Ok(Share::Low),
            [Some(1), Some(2)] => Ok(Share::High),
            _ => Err(named("has corners that are no half of it")),
        };
        let share = [share(0)?, share(1)?];
        let number = |at: [usize; 2]| (at[0] + 3 * at[1]) as u32;
        let corner = |v: usize| [0, 1].map(|d| ends[d][v >> d & 1].unwrap_or(0));
        let ours = [0, 1, 2, 3].map(|v| number(corner(v)));
        let orientation = orientation_of(&ours, &met.map(number));
        let orientation = orientation.ok_or_else(|| named("has corners that are no half of it"))?;
        let part = MortarPart {
            big: self.at,
            small,
            orientation,
            share,
        };
        let apart = self.largest_distance(&theirs, &part);
        let size = distance(corners[0], corners[3]).max(distance(corners[1], corners[2]));
        if apart > SLACK * size {
            return Err(named(&format!(
                "has its corners, but another curved shape: they differ by {apart:.3e}"
            )));
        }
        Ok(part)
    }

    /// Largest distance of the points of a part from this face.
    fn largest_distance(&self, small: &Surface, part: &MortarPart) -> f64 {
        let line = equispaced(small.order);
        let n = line.len();
        let apart = |point: usize| {
            let at = [
                part.share[0].on_face(line[point % n]),
                part.share[1].on_face(line[point / n]),
            ];
            let there = FaceShape::Quad.oriented_point(part.orientation, point, small.order);
            distance(self.place(at), small.points[there])
        };
        (0..n * n).map(apart).fold(0.0, f64::max)
    }
}
