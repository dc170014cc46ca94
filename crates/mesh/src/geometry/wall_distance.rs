//! The distance from the nearest point of given boundaries, which are the no-slip walls.
//!
//! A face of a wall is a surface through its solution points. It is replaced by flat triangles between neighbouring
//! points, so that the distance from flat walls is exact. At a wall of radius of curvature R with points of spacing s
//! the triangles lie up to s^2/(4 R) off the wall: the diagonal of a square of points spans the arc s sqrt(2), whose
//! height is s^2/(4 R). The distance from the wall is wrong by that much at most; at its points it is exact.
//! [`WallDistance::from_surfaces`] goes on from the nearest triangles to the curved surfaces through the points.
//!
//! Walls of all ranks are gathered, or those of them that may be the nearest ones of given positions, in the order of
//! the global numbers of their cells. A tree of boxes finds the triangle with the least number for its distance: it
//! leaves out boxes that are farther away by more than rounding, so that every rank finds the same number to the last
//! bit, whatever else is in its tree. A wall also counts with its images across sides that are periodic along x, y or
//! z; images by rotation do not.

use super::face_surface::FaceSurfaces;
use super::types::Geometry;
use super::wall_faces::{self, Search, WallFace};
use crate::element::FaceShape;
use crate::mesh::Mesh;
use crate::ranks::Ranks;
use crate::vector::{Vector, dot, length, minus};

/// Most triangles in a leaf of the tree.
const LEAF: usize = 8;
/// Faces whose surfaces are looked at: those of the nearest triangles.
const CANDIDATES: usize = 4;
/// Rounding of the distance from a triangle, over the size of the walls and that distance.
const ROUNDING: f64 = 1e-12;

/// The walls of a mesh.
#[derive(Debug)]
pub struct WallDistance {
    /// Points of the faces, face after face.
    points: Vec<Vector>,
    /// Triangles between three points.
    triangles: Vec<[u32; 3]>,
    /// The tree; the first box holds all triangles.
    tree: Vec<Node>,
    /// Displacements of the walls and their images, the walls themselves first.
    shifts: Vec<Vector>,
    /// Shape and first point of each face.
    faces: Vec<(FaceShape, u32)>,
    /// Surfaces of quadrilaterals and triangles.
    surfaces: [FaceSurfaces; 2],
    /// Largest distance of a surface from its triangles, as found above the middles of these.
    height: f64,
}

/// A box around triangles.
#[derive(Debug, Clone, Copy)]
struct Node {
    lower: Vector,
    upper: Vector,
    /// The triangles in it.
    first: usize,
    end: usize,
    /// The first of the two boxes that it is divided into; 0 in a leaf.
    half: usize,
}

impl Node {
    /// Returns the square of the distance of a point.
    fn distance(&self, x: Vector) -> f64 {
        let outside: Vector = std::array::from_fn(|d| (self.lower[d] - x[d]).max(x[d] - self.upper[d]).max(0.0));
        dot(outside, outside)
    }
}

/// A face whose triangles are near a point.
struct NearFace {
    /// Square of the distance of its nearest triangle.
    square: f64,
    /// Index of the shift by which the face is near.
    shift: usize,
    /// Index of the face.
    face: usize,
    /// The nearest corner of that triangle.
    corner: u32,
}

/// What walls are built with.
#[derive(Clone)]
struct Builder {
    order: usize,
    shifts: Vec<Vector>,
    surfaces: [FaceSurfaces; 2],
    height: f64,
}

impl Builder {
    /// Finds the shifts, and the height above its triangles of any rank's face. Collective.
    fn new(mesh: &Mesh, geometry: &Geometry, order: usize, mine: &[WallFace], ranks: &Ranks) -> Self {
        let periods = geometry.periods(mesh, order, ranks).into_iter().enumerate();
        let periods: Vec<Vector> = periods
            .filter_map(|(axis, period)| {
                period.map(|period| std::array::from_fn(|d| if d == axis { period } else { 0.0 }))
            })
            .collect();
        let mut builder = Builder::with_periods(order, &periods);
        let mut height = [mine.iter().map(|face| builder.height_of(face)).fold(0.0, f64::max)];
        ranks.allreduce_max(&mut height);
        builder.height = height[0];
        builder
    }

    fn with_periods(order: usize, periods: &[Vector]) -> Self {
        let mut shifts = vec![[0.0; 3]];
        for period in periods {
            let images = |sign: f64| move |x: &Vector| std::array::from_fn(|d| x[d] + sign * period[d]);
            let more: Vec<Vector> = shifts
                .iter()
                .map(images(1.0))
                .chain(shifts.iter().map(images(-1.0)))
                .collect();
            shifts.extend(more);
        }
        Builder {
            order,
            shifts,
            surfaces: [FaceShape::Quad, FaceShape::Triangle].map(|shape| FaceSurfaces::new(shape, order)),
            height: 0.0,
        }
    }

    /// Returns the largest distance of a face from its triangles, as found above the middles of these.
    fn height_of(&self, face: &WallFace) -> f64 {
        let surface = &self.surfaces[usize::from(face.shape == FaceShape::Triangle)];
        let above = |corners: [u32; 3]| {
            let corners = corners.map(|p| p as usize);
            let above = surface.position(&face.points, surface.middle(corners));
            square_of_distance(above, corners.map(|p| face.points[p])).sqrt()
        };
        triangles_of(face.shape, self.order)
            .into_iter()
            .map(above)
            .fold(0.0, f64::max)
    }

    /// Builds the triangles and the tree of faces.
    fn of_faces(self, faces: &[WallFace]) -> Option<WallDistance> {
        let [quad, triangle] = [FaceShape::Quad, FaceShape::Triangle].map(|shape| triangles_of(shape, self.order));
        let mut points = Vec::new();
        let mut triangles = Vec::new();
        let mut starts = Vec::new();
        for WallFace {
            shape, points: of_face, ..
        } in faces
        {
            let first = points.len() as u32;
            starts.push((*shape, first));
            let list = if *shape == FaceShape::Quad { &quad } else { &triangle };
            triangles.extend(list.iter().map(|corners| corners.map(|p| first + p)));
            points.extend_from_slice(of_face);
        }
        if triangles.is_empty() {
            return None;
        }
        let mut walls = WallDistance {
            points,
            triangles,
            tree: Vec::new(),
            shifts: self.shifts,
            faces: starts,
            surfaces: self.surfaces,
            height: self.height,
        };
        walls.tree.push(walls.bounds(0, walls.triangles.len()));
        walls.divide(0);
        Some(walls)
    }
}

impl WallDistance {
    /// Gathers the faces of the boundaries for which `is_wall` holds; `None` if there are none. Collective.
    pub fn new(
        mesh: &Mesh,
        geometry: &Geometry,
        order: usize,
        is_wall: impl Fn(usize) -> bool,
        ranks: &Ranks,
    ) -> Option<Self> {
        let mine = wall_faces::of_rank(mesh, geometry, order, is_wall);
        let builder = Builder::new(mesh, geometry, order, &mine, ranks);
        builder.of_faces(&wall_faces::gathered(&mine, order, ranks))
    }

    /// Does the same with the faces that can be the nearest ones of these positions alone: the distances of others are
    /// wrong. `None` if there are no walls or no positions. Collective.
    pub fn of_positions(
        positions: &[Vector],
        mesh: &Mesh,
        geometry: &Geometry,
        order: usize,
        is_wall: impl Fn(usize) -> bool,
        ranks: &Ranks,
    ) -> Option<Self> {
        let mine = wall_faces::of_rank(mesh, geometry, order, is_wall);
        let builder = Builder::new(mesh, geometry, order, &mine, ranks);
        let of_rank = builder.clone().of_faces(&mine);
        let search = Search {
            mine: &mine,
            distance: &|x| of_rank.as_ref().map_or(f64::INFINITY, |walls| walls.at(x)),
            shifts: &builder.shifts,
            // Surfaces beyond the nearest triangle are looked at as well.
            beyond: 3.0 * builder.height,
            order,
            ranks,
        };
        let near = search.near(positions);
        builder.of_faces(&near)
    }

    /// Returns the box of a range of triangles.
    fn bounds(&self, first: usize, end: usize) -> Node {
        let (mut lower, mut upper) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for &corner in self.triangles[first..end].as_flattened() {
            let x = self.points[corner as usize];
            lower = std::array::from_fn(|d| lower[d].min(x[d]));
            upper = std::array::from_fn(|d| upper[d].max(x[d]));
        }
        Node {
            lower,
            upper,
            first,
            end,
            half: 0,
        }
    }

    /// Divides a box at the median of its longest side, and its halves in turn.
    fn divide(&mut self, number: usize) {
        let Node {
            lower,
            upper,
            first,
            end,
            ..
        } = self.tree[number];
        if end - first <= LEAF {
            return;
        }
        let sides = minus(upper, lower);
        let axis = (0..3).fold(0, |best, d| if sides[d] > sides[best] { d } else { best });
        let points = &self.points;
        let centre = |triangle: &[u32; 3]| triangle.iter().map(|&p| points[p as usize][axis]).sum::<f64>();
        let middle = (first + end) / 2;
        self.triangles[first..end]
            .select_nth_unstable_by(middle - first, |a, b| centre(a).total_cmp(&centre(b)).then(a.cmp(b)));
        let half = self.tree.len();
        self.tree[number].half = half;
        let halves = [self.bounds(first, middle), self.bounds(middle, end)];
        self.tree.extend(halves);
        self.divide(half);
        self.divide(half + 1);
    }

    /// Returns the distance of a position from the nearest wall.
    pub fn at(&self, x: Vector) -> f64 {
        let nearest = |nearest: f64, shift: &Vector| self.nearest(minus(x, *shift), nearest);
        self.shifts.iter().fold(f64::INFINITY, nearest).sqrt()
    }

    /// Returns the distance of a position from the nearest wall, where a wall is the curved surface through the points
    /// of its faces.
    pub fn from_surfaces(&self, x: Vector) -> f64 {
        let flat = self.at(x);
        let rounding = 1e-13 * x.iter().fold(flat, |most, c| most.max(c.abs()));
        if self.height <= rounding {
            return flat;
        }
        let mut near: Vec<NearFace> = Vec::new();
        let bound = (flat + 2.0 * self.height).powi(2);
        for (number, shift) in self.shifts.iter().enumerate() {
            let there = minus(x, *shift);
            self.visit(there, bound, |distance, corners| {
                let square = |&corner: &u32| {
                    let away = minus(there, self.points[corner as usize]);
                    dot(away, away)
                };
                let corner = corners.into_iter().min_by(|a, b| square(a).total_cmp(&square(b)));
                let corner = corner.expect("a triangle has corners");
                let face = self.faces.partition_point(|(_, first)| *first <= corner) - 1;
                near.push(NearFace {
                    square: distance,
                    shift: number,
                    face,
                    corner,
                });
            });
        }
        let place = |near: &NearFace| (near.shift, near.face, near.corner);
        near.sort_by(|a, b| a.square.total_cmp(&b.square).then(place(a).cmp(&place(b))));
        let mut seen: Vec<(usize, usize)> = Vec::new();
        let mut nearest = f64::INFINITY;
        for NearFace {
            shift, face, corner, ..
        } in near
        {
            if seen.len() == CANDIDATES {
                break;
            }
            if seen.contains(&(shift, face)) {
                continue;
            }
            seen.push((shift, face));
            let (shape, first) = self.faces[face];
            let end = self
                .faces
                .get(face + 1)
                .map_or(self.points.len(), |(_, next)| *next as usize);
            let points = &self.points[first as usize..end];
            let surface = &self.surfaces[usize::from(shape == FaceShape::Triangle)];
            let there = minus(x, self.shifts[shift]);
            nearest = nearest.min(surface.square_of_distance(there, points, (corner - first) as usize));
        }
        nearest.sqrt()
    }

    /// Returns the square of a distance that is larger than that of this square by more than rounding.
    fn beyond(&self, square: f64) -> f64 {
        let Node { lower, upper, .. } = self.tree[0];
        let distance = square.sqrt();
        (distance + ROUNDING * (length(minus(upper, lower)) + distance)).powi(2)
    }

    /// Calls a function with the square of the distance and the corners of every triangle whose distance squared is at
    /// most `bound`.
    fn visit(&self, x: Vector, bound: f64, mut near: impl FnMut(f64, [u32; 3])) {
        let limit = self.beyond(bound);
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            let of = &self.tree[number];
            if of.distance(x) > limit {
                continue;
            }
            if of.half != 0 {
                open.extend([of.half, of.half + 1]);
                continue;
            }
            for &corners in &self.triangles[of.first..of.end] {
                let distance = square_of_distance(x, corners.map(|p| self.points[p as usize]));
                if distance <= bound {
                    near(distance, corners);
                }
            }
        }
    }

    /// Returns the square of the distance of the nearest triangle, or `bound` if that is smaller.
    fn nearest(&self, x: Vector, bound: f64) -> f64 {
        // Each level of the tree, of which there are at most 32, leaves one box open.
        let mut nearest = bound;
        let mut limit = self.beyond(bound);
        let mut open = [0; 64];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let of = &self.tree[open[count]];
            if of.distance(x) > limit {
                continue;
            }
            if of.half == 0 {
                for corners in &self.triangles[of.first..of.end] {
                    let corners = corners.map(|p| self.points[p as usize]);
                    nearest = nearest.min(square_of_distance(x, corners));
                }
                limit = self.beyond(nearest);
                continue;
            }
            // The nearer half is looked at first.
            let [a, b] = [of.half, of.half + 1];
            let a_is_nearer = self.tree[a].distance(x) <= self.tree[b].distance(x);
            [open[count], open[count + 1]] = if a_is_nearer { [b, a] } else { [a, b] };
            count += 2;
        }
        nearest
    }
}

/// Returns the triangles between the points of a face, by the numbers of the points.
fn triangles_of(shape: FaceShape, order: usize) -> Vec<[u32; 3]> {
    let lattice = shape.lattice(order);
    let number = |at: [usize; 2]| lattice.iter().position(|&other| other == at).map(|p| p as u32);
    let of_square = |&[i, j]: &[usize; 2]| {
        let [right, above, across] = [[i + 1, j], [i, j + 1], [i + 1, j + 1]].map(number);
        let lower = right
            .zip(above)
            .and_then(|(right, above)| Some([number([i, j])?, right, above]));
        let upper = right
            .zip(above)
            .and_then(|(right, above)| Some([right, across?, above]));
        [lower, upper].into_iter().flatten()
    };
    lattice.iter().flat_map(of_square).collect()
}

/// Returns the square of the distance of a point from a triangle: from its plane, or from the edge or the corner whose
/// region the point lies in (C. Ericson, Real-Time Collision Detection, 2005, 5.1.5).
fn square_of_distance(x: Vector, [a, b, c]: [Vector; 3]) -> f64 {
    let square = |v: Vector| dot(v, v);
    let (ab, ac) = (minus(b, a), minus(c, a));
    let from_segment = |origin: Vector, along: Vector| {
        let v = minus(x, origin);
        let share = (dot(v, along) / square(along)).clamp(0.0, 1.0);
        square(std::array::from_fn(|d| v[d] - share * along[d]))
    };
    let [ax, bx, cx] = [a, b, c].map(|corner| minus(x, corner));
    let (d1, d2) = (dot(ab, ax), dot(ac, ax));
    let (d3, d4) = (dot(ab, bx), dot(ac, bx));
    let (d5, d6) = (dot(ab, cx), dot(ac, cx));
    // Twice the areas of the triangles of the projection with each edge, times that of the whole.
    let va = d3 * d6 - d5 * d4;
    let vb = d5 * d2 - d1 * d6;
    let vc = d1 * d4 - d3 * d2;
    if va > 0.0 && vb > 0.0 && vc > 0.0 {
        let sum = va + vb + vc;
        let (v, w) = (vb / sum, vc / sum);
        return square(std::array::from_fn(|d| ax[d] - v * ab[d] - w * ac[d]));
    }
    from_segment(a, ab)
        .min(from_segment(a, ac))
        .min(from_segment(b, minus(c, b)))
}

#[cfg(test)]
#[path = "wall_distance_tests.rs"]
mod tests;
