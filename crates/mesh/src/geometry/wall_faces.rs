//! The faces of walls: those of all ranks, or those among them that may be the nearest ones of given positions.
//!
//! A rank divides its faces into groups, and all ranks know the boxes around these. The positions of a rank lie in
//! boxes as well. A rank asks others for the distance of the middle of such a box. No position in it is farther from
//! the walls than that and half the diagonal of the box, so that no face beyond this can be the nearest one.

use crate::element::FaceShape;
use crate::mesh::{Mesh, Side};
use crate::ranks::Ranks;
use crate::vector::{Vector, length, minus};

use super::types::Geometry;

/// Most groups of faces of a rank, and most boxes of its positions.
const GROUPS: usize = 64;
/// Numbers of a group: its rank, and its box.
const GROUP_WIDTH: usize = 7;
/// Numbers of a question for faces: a box, and how far they may be from it.
const QUESTION_WIDTH: usize = 7;
/// Share of a distance, and of the size of the walls, by which a distance is enlarged against rounding.
const ROUNDING: f64 = 1e-12;

/// A face of a wall.
pub(super) struct WallFace {
    /// Global number of the cell, and the number of the face in it.
    pub key: [u64; 2],
    /// Its shape.
    pub shape: FaceShape,
    /// Its points, in the order of the lattice.
    pub points: Vec<Vector>,
}

/// A box along the axes.
#[derive(Debug, Clone, Copy)]
struct Extent {
    lower: Vector,
    upper: Vector,
}

impl Extent {
    fn around(points: impl Iterator<Item = Vector>) -> Self {
        let nothing = Extent {
            lower: [f64::INFINITY; 3],
            upper: [f64::NEG_INFINITY; 3],
        };
        points.fold(nothing, |of, x| Extent {
            lower: std::array::from_fn(|d| of.lower[d].min(x[d])),
            upper: std::array::from_fn(|d| of.upper[d].max(x[d])),
        })
    }

    /// The box of nothing but the middle.
    fn middle(&self) -> Self {
        let middle = std::array::from_fn(|d| 0.5 * (self.lower[d] + self.upper[d]));
        Extent {
            lower: middle,
            upper: middle,
        }
    }

    fn diagonal(&self) -> f64 {
        length(minus(self.upper, self.lower))
    }

    /// Least and largest distance of a point of this box from one of the other, which is shifted.
    fn distances(&self, other: &Extent, shift: Vector) -> [f64; 2] {
        let up = |d: usize| other.upper[d] + shift[d] - self.lower[d];
        let down = |d: usize| self.upper[d] - (other.lower[d] + shift[d]);
        // Negative where they overlap along an axis.
        let least: Vector = std::array::from_fn(|d| (-up(d)).max(-down(d)).max(0.0));
        let most: Vector = std::array::from_fn(|d| up(d).max(down(d)));
        [length(least), length(most)]
    }
}

/// Divides items into groups that lie together, at the medians of the longest sides of their boxes.
fn groups(items: Vec<usize>, at: &dyn Fn(usize) -> Vector, most: usize) -> Vec<Vec<usize>> {
    if most < 2 || items.len() < 2 {
        return if items.is_empty() { Vec::new() } else { vec![items] };
    }
    let mut items = items;
    let of = Extent::around(items.iter().map(|&n| at(n)));
    let side = |d: usize| of.upper[d] - of.lower[d];
    let axis = (0..3).fold(0, |best, d| if side(d) > side(best) { d } else { best });
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |&a, &b| at(a)[axis].total_cmp(&at(b)[axis]));
    let rest = items.split_off(middle);
    let mut all = groups(items, at, most / 2);
    all.append(&mut groups(rest, at, most / 2));
    all
}

/// A message of faces.
#[derive(Default, Clone)]
struct Message {
    /// Cell, face, and 1 for a quadrilateral.
    keys: Vec<u64>,
    points: Vec<f64>,
}

impl Message {
    fn add(&mut self, face: &WallFace) {
        let quad = u64::from(face.shape == FaceShape::Quad);
        self.keys.extend([face.key[0], face.key[1], quad]);
        self.points.extend(face.points.as_flattened());
    }
}

/// Returns the faces of messages that were joined, in the order of the global numbers of their cells.
fn faces_of(keys: &[u64], points: &[f64], order: usize) -> Vec<WallFace> {
    let mut rest = points.as_chunks::<3>().0;
    let mut faces = Vec::with_capacity(keys.len() / 3);
    for &[cell, face, quad] in keys.as_chunks().0 {
        let shape = match quad {
            1 => FaceShape::Quad,
            _ => FaceShape::Triangle,
        };
        let (points, others) = rest.split_at(shape.points(order));
        faces.push(WallFace {
            key: [cell, face],
            shape,
            points: points.to_vec(),
        });
        rest = others;
    }
    faces.sort_unstable_by_key(|face| face.key);
    faces
}

/// Returns the faces of this rank's cells on the boundaries for which `is_wall` holds.
pub(super) fn of_rank(
    mesh: &Mesh,
    geometry: &Geometry,
    order: usize,
    is_wall: impl Fn(usize) -> bool,
) -> Vec<WallFace> {
    let mut faces = Vec::new();
    for cell in 0..mesh.len() {
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            if !matches!(*side, Side::Boundary(boundary) if is_wall(boundary)) {
                continue;
            }
            let kind = geometry.kinds[cell];
            let positions = geometry.cell_positions(cell);
            faces.push(WallFace {
                key: [mesh.global(cell) as u64, face as u64],
                shape: kind.faces()[face].shape,
                points: kind
                    .face_indices(face, order)
                    .into_iter()
                    .map(|p| positions[p])
                    .collect(),
            });
        }
    }
    faces
}

/// Returns the faces of all ranks. Collective.
pub(super) fn gathered(mine: &[WallFace], order: usize, ranks: &Ranks) -> Vec<WallFace> {
    let mut message = Message::default();
    mine.iter().for_each(|face| message.add(face));
    faces_of(
        &ranks.allgather(&message.keys),
        &ranks.allgather(&message.points),
        order,
    )
}

/// What may be near to what.
pub(super) struct Search<'a> {
    /// The faces of this rank.
    pub mine: &'a [WallFace],
    /// Returns the distance of a position from these, infinite if there are none.
    pub distance: &'a (dyn Fn(Vector) -> f64 + Sync),
    /// Displacements of the walls and their images.
    pub shifts: &'a [Vector],
    /// How much farther away than the nearest faces others are wanted.
    pub beyond: f64,
    pub order: usize,
    pub ranks: &'a Ranks,
}

impl Search<'_> {
    /// Returns the faces of any rank that may be the nearest one of a position. Collective.
    pub fn near(&self, positions: &[Vector]) -> Vec<WallFace> {
        let ranks = self.ranks;
        let walls = self.boxes_of_walls();
        let groups = groups((0..positions.len()).collect(), &|n| positions[n], GROUPS);
        let here = groups
            .iter()
            .map(|group| Extent::around(group.iter().map(|&n| positions[n])));
        let here: Vec<Extent> = here.collect();
        let middles: Vec<Extent> = here.iter().map(Extent::middle).collect();
        // No group is farther from a middle than its farthest corner.
        let bound = |middle: &Extent| {
            let distances = walls.iter().flat_map(|(_, wall)| self.distances(middle, wall));
            distances.fold(f64::INFINITY, |least, [_, most]| least.min(most))
        };
        let bounds: Vec<f64> = middles.iter().map(bound).collect();
        let asked = self.ranks_near(&walls, &middles, &bounds);
        let questions = asked
            .iter()
            .map(|list| list.iter().flat_map(|&n| middles[n].lower).collect());
        let questions: Vec<Vec<f64>> = ranks.alltoall(questions.collect());
        let answer = |x: &Vector| (self.distance)(*x);
        let answers = questions
            .iter()
            .map(|list| list.as_chunks().0.iter().map(answer).collect());
        let mut reaches = vec![f64::INFINITY; here.len()];
        for (list, answers) in asked.iter().zip(ranks.alltoall(answers.collect())) {
            for (&n, answer) in list.iter().zip(answers) {
                reaches[n] = answer.min(reaches[n]);
            }
        }
        let size = Extent::around(walls.iter().flat_map(|(_, wall)| [wall.lower, wall.upper])).diagonal();
        for (reach, here) in reaches.iter_mut().zip(&here) {
            *reach += 0.5 * here.diagonal() + self.beyond;
            *reach += ROUNDING * (size + *reach);
        }
        let asked = self.ranks_near(&walls, &here, &reaches);
        let question = |n: usize| {
            let Extent { lower, upper } = here[n];
            lower.into_iter().chain(upper).chain([reaches[n]])
        };
        let questions = asked
            .iter()
            .map(|list| list.iter().copied().flat_map(question).collect());
        let messages = ranks.alltoall(questions.collect());
        let messages = messages.iter().map(|list| self.answer(list.as_chunks().0));
        let (keys, points) = messages.map(|message| (message.keys, message.points)).unzip();
        faces_of(
            &ranks.alltoall(keys).concat(),
            &ranks.alltoall(points).concat(),
            self.order,
        )
    }

    /// Returns the boxes of the groups of all ranks, each with its rank. Collective.
    fn boxes_of_walls(&self) -> Vec<(usize, Extent)> {
        let mut mine = Vec::new();
        for group in groups((0..self.mine.len()).collect(), &|n| self.mine[n].points[0], GROUPS) {
            let of = Extent::around(group.iter().flat_map(|&n| self.mine[n].points.iter().copied()));
            mine.push(self.ranks.rank() as f64);
            mine.extend([of.lower, of.upper].as_flattened());
        }
        let all = self.ranks.allgather(&mine);
        let extent = |numbers: &[f64; GROUP_WIDTH]| Extent {
            lower: std::array::from_fn(|d| numbers[1 + d]),
            upper: std::array::from_fn(|d| numbers[4 + d]),
        };
        let all = all.as_chunks().0.iter();
        all.map(|numbers| (numbers[0] as usize, extent(numbers))).collect()
    }

    /// Least and largest distances of the images of a box of walls from another box.
    fn distances(&self, here: &Extent, wall: &Extent) -> impl Iterator<Item = [f64; 2]> {
        self.shifts.iter().map(|&shift| here.distances(wall, shift))
    }

    /// Returns the numbers of the boxes to which a rank has walls within their reach, `[rank]`.
    fn ranks_near(&self, walls: &[(usize, Extent)], boxes: &[Extent], reaches: &[f64]) -> Vec<Vec<usize>> {
        let mut near = vec![Vec::new(); self.ranks.size()];
        for (n, (here, reach)) in boxes.iter().zip(reaches).enumerate() {
            for (rank, wall) in walls {
                let is_asked = near[*rank].last() == Some(&n);
                if !is_asked && self.distances(here, wall).any(|[least, _]| least <= *reach) {
                    near[*rank].push(n);
                }
            }
        }
        near
    }

    /// Returns the faces of this rank that are within reach of any of these boxes.
    fn answer(&self, questions: &[[f64; QUESTION_WIDTH]]) -> Message {
        let mut message = Message::default();
        for face in self.mine {
            let wall = Extent::around(face.points.iter().copied());
            let is_near = |numbers: &[f64; QUESTION_WIDTH]| {
                let here = Extent {
                    lower: std::array::from_fn(|d| numbers[d]),
                    upper: std::array::from_fn(|d| numbers[3 + d]),
                };
                self.distances(&here, &wall)
                    .any(|[least, _]| least <= numbers[QUESTION_WIDTH - 1])
            };
            if questions.iter().any(is_near) {
                message.add(face);
            }
        }
        message
    }
}
