//! The cut of one face of a wall by a section, in the coordinates of the face's standard shape.
//!
//! Signs at the corners decide which edges are cut, so that the two faces of an edge agree. A corner within a small
//! distance of the section counts as on it: there the cut goes through the corner itself, which leaves no short pieces,
//! and a section along the edges of faces cuts those on one side of it. The cut goes from one edge to another. Between
//! them its points lie on lines across the straight way, at the fractions of the points of a line element, so that the
//! cut is smooth where the face is.

use super::section::Section;
use crate::element::{Elements, FaceShape};
use crate::vector::Vector;

/// Number of intervals in which a change of sign is looked for on a line across the straight way.
const INTERVALS: usize = 16;
/// Halvings of an interval.
const HALVINGS: usize = 60;

/// A point of a face's standard shape.
pub type At = [f64; 2];

/// A face whose edges are cut more than twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Twisted;

/// A side of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Where its coordinate is smaller.
    Below,
    /// Where it is larger.
    Above,
}

/// What cuts faces.
#[derive(Debug, Clone, Copy)]
pub struct Cutter<'a> {
    /// The elements of the faces.
    pub elements: &'a Elements,
    /// The section.
    pub section: &'a Section,
    /// Distance from the section within which a corner counts as on it.
    pub near: f64,
    /// The side to which such corners belong.
    pub near_is: Side,
}

/// A corner of a face.
struct Corner {
    at: At,
    side: Side,
    on_section: bool,
}

impl Cutter<'_> {
    /// Returns the points of the cut of a face through these positions, as many as a line element has; `None` if the
    /// section does not cut it.
    ///
    /// # Errors
    /// Its edges are cut more than twice.
    pub fn cut(&self, shape: FaceShape, positions: &[Vector]) -> Result<Option<Vec<At>>, Twisted> {
        let corners = self.corners(shape, positions);
        let edges = corners.iter().zip(corners.iter().cycle().skip(1));
        let cut = edges.filter(|(a, b)| a.side != b.side);
        let ends: Vec<At> = cut.map(|(a, b)| self.on_edge(shape, positions, a, b)).collect();
        match ends[..] {
            [] => Ok(None),
            [a, b] if a == b => Ok(None),
            [a, b] => Ok(Some(self.between(shape, positions, [a, b]))),
            _ => Err(Twisted),
        }
    }

    /// Returns how far a point of the face is beyond the section.
    fn height(&self, shape: FaceShape, positions: &[Vector], at: At) -> f64 {
        let row = self.elements.face_interpolation(shape, &[at]);
        self.section.height(interpolated(&row, positions))
    }

    fn corners(&self, shape: FaceShape, positions: &[Vector]) -> Vec<Corner> {
        let n = self.elements.line.len();
        let last = positions.len() - 1;
        let known: &[(usize, At)] = match shape {
            FaceShape::Triangle => &[(0, [-1.0, -1.0]), (n - 1, [1.0, -1.0]), (last, [-1.0, 1.0])],
            FaceShape::Quad => &[
                (0, [-1.0, -1.0]),
                (n - 1, [1.0, -1.0]),
                (last, [1.0, 1.0]),
                (last + 1 - n, [-1.0, 1.0]),
            ],
        };
        let corner = |&(index, at): &(usize, At)| {
            let height = self.section.height(positions[index]);
            let on_section = height.abs() <= self.near;
            let side = match height {
                _ if on_section => self.near_is,
                above if above > 0.0 => Side::Above,
                _ => Side::Below,
            };
            Corner { at, side, on_section }
        };
        known.iter().map(corner).collect()
    }

    /// Returns the point at which the section cuts the edge between corners on both sides of it.
    fn on_edge(&self, shape: FaceShape, positions: &[Vector], a: &Corner, b: &Corner) -> At {
        if let Some(corner) = [a, b].into_iter().find(|corner| corner.on_section) {
            return corner.at;
        }
        // From below, so that both faces of an edge halve the same intervals.
        let (below, above) = if a.side == Side::Below { (a, b) } else { (b, a) };
        let way = std::array::from_fn(|d| above.at[d] - below.at[d]);
        let at = |s: f64| moved(below.at, s, way);
        at(root(|s| self.height(shape, positions, at(s)), [0.0, 1.0]))
    }

    /// Returns points from one end of the cut to the other.
    fn between(&self, shape: FaceShape, positions: &[Vector], [from, to]: [At; 2]) -> Vec<At> {
        let way: At = std::array::from_fn(|d| to[d] - from[d]);
        let across = [-way[1], way[0]];
        let points = &self.elements.line.points;
        let inside = &points[1..points.len() - 1];
        let point = |x: &f64| {
            let middle = moved(from, 0.5 * (1.0 + x), way);
            let height = |s: f64| self.height(shape, positions, moved(middle, s, across));
            moved(middle, nearest_root(height, range(shape, middle, across)), across)
        };
        std::iter::once(from)
            .chain(inside.iter().map(point))
            .chain([to])
            .collect()
    }
}

/// Returns the values at the points of a face times the weights of a row, added.
pub fn interpolated(row: &[f64], values: &[Vector]) -> Vector {
    let pairs = || row.iter().zip(values);
    std::array::from_fn(|d| pairs().map(|(w, x)| w * x[d]).sum())
}

fn moved(at: At, s: f64, way: At) -> At {
    std::array::from_fn(|d| at[d] + s * way[d])
}

/// Returns the range of s in which a point plus s times a direction is in the standard shape.
fn range(shape: FaceShape, at: At, way: At) -> [f64; 2] {
    // Outward vectors of the edges, and the products with them that points of an edge have.
    let edges: &[(At, f64)] = match shape {
        FaceShape::Triangle => &[([-1.0, 0.0], 1.0), ([0.0, -1.0], 1.0), ([1.0, 1.0], 0.0)],
        FaceShape::Quad => &[
            ([-1.0, 0.0], 1.0),
            ([0.0, -1.0], 1.0),
            ([1.0, 0.0], 1.0),
            ([0.0, 1.0], 1.0),
        ],
    };
    let mut ends = [f64::NEG_INFINITY, f64::INFINITY];
    for (outward, most) in edges {
        let rate = outward[0] * way[0] + outward[1] * way[1];
        let s = (most - outward[0] * at[0] - outward[1] * at[1]) / rate;
        if rate > 0.0 {
            ends[1] = ends[1].min(s.max(0.0));
        } else if rate < 0.0 {
            ends[0] = ends[0].max(s.min(0.0));
        }
    }
    ends
}

/// Returns the root next to 0 of a function that has one in a range, or else where it is least of those places that
/// were tried: the surface of a curved face may end before the section.
fn nearest_root(f: impl Fn(f64) -> f64, [low, high]: [f64; 2]) -> f64 {
    let all = 0..=INTERVALS;
    let known: Vec<(f64, f64)> = all
        .map(|k| low + (high - low) * k as f64 / INTERVALS as f64)
        .chain([0.0])
        .map(|s| (s, f(s)))
        .collect();
    let grid = &known[..=INTERVALS];
    let changes = grid.windows(2).filter(|pair| (pair[0].1 > 0.0) != (pair[1].1 > 0.0));
    let distance = |pair: &&[(f64, f64)]| (0.5 * (pair[0].0 + pair[1].0)).abs();
    if let Some(pair) = changes.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
        let [first, second] = [pair[0].0, pair[1].0];
        let rises = pair[1].1 > 0.0;
        return root(&f, if rises { [first, second] } else { [second, first] });
    }
    let least = known.iter().min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    least.map_or(0.0, |(s, _)| *s)
}

/// Returns a root of a function that is at most 0 at the first end and above it at the second.
fn root(f: impl Fn(f64) -> f64, [mut low, mut high]: [f64; 2]) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Correction, ElementKind};

    const ORDER: usize = 3;

    fn elements() -> Elements {
        Elements::new(ORDER, Correction::Radau, &[ElementKind::Hex, ElementKind::Prism])
    }

    fn cutter<'a>(elements: &'a Elements, section: &'a Section, near_is: Side) -> Cutter<'a> {
        Cutter {
            elements,
            section,
            near: 1e-6,
            near_is,
        }
    }

    /// Positions of the points of a face as a function of its coordinates.
    fn positions(elements: &Elements, shape: FaceShape, at: impl Fn(At) -> Vector) -> Vec<Vector> {
        let line = &elements.line.points;
        match shape {
            FaceShape::Triangle => elements.triangle.points.iter().map(|&x| at(x)).collect(),
            FaceShape::Quad => {
                let points = line.iter().flat_map(|&b| line.iter().map(move |&a| [a, b]));
                points.map(at).collect()
            }
        }
    }

    #[test]
    fn points_of_a_cut_lie_on_the_section_of_curved_faces() {
        let elements = elements();
        let bend = |[a, b]: At| [a, 0.3 * a * b, b + 0.2 * a * a + 0.3 * a];
        for shape in [FaceShape::Quad, FaceShape::Triangle] {
            let face = positions(&elements, shape, bend);
            for z in [-0.65, -0.4, 0.05, 0.3, 0.55] {
                let section = Section::Plane(z);
                let cutter = cutter(&elements, &section, Side::Above);
                let cut = cutter.cut(shape, &face).expect("two ends").expect("a cut");
                assert_eq!(cut.len(), ORDER + 1);
                for at in cut {
                    assert!((bend(at)[2] - z).abs() < 1e-14, "{shape:?} {z} {at:?}");
                    assert!(at[0].abs().max(at[1].abs()) < 1.0 + 1e-14);
                }
            }
            let far = Section::Plane(1.6);
            assert_eq!(cutter(&elements, &far, Side::Above).cut(shape, &face), Ok(None));
        }
    }

    #[test]
    fn a_section_along_the_edge_of_two_faces_cuts_one_of_them() {
        let elements = elements();
        let noise = 1e-9;
        let lower = positions(&elements, FaceShape::Quad, |[a, b]| {
            [a, 0.0, 0.5 * (b - 1.0) + noise * a]
        });
        let upper = positions(&elements, FaceShape::Quad, |[a, b]| {
            [a, 0.0, 0.5 * (b + 1.0) - noise * a]
        });
        let section = Section::Plane(0.0);
        for (near_is, number) in [(Side::Above, 0), (Side::Below, 1)] {
            let cutter = cutter(&elements, &section, near_is);
            let cuts = [&lower, &upper].map(|face| cutter.cut(FaceShape::Quad, face).expect("two ends"));
            assert_eq!(cuts.each_ref().map(Option::is_some), [number == 0, number == 1]);
            let cut = cuts[number].as_ref().expect("a cut");
            let edge = if number == 0 { 1.0 } else { -1.0 };
            for at in [cut[0], cut[ORDER]] {
                assert_eq!([at[0].abs(), at[1]], [1.0, edge]);
            }
        }
    }

    #[test]
    fn a_cut_through_a_corner_leaves_no_short_piece() {
        let elements = elements();
        // The corner (-1, -1) touches the section, and the edge between the others crosses it in the middle.
        let height = |[a, b]: At| 0.5 * (a - b);
        let face = positions(&elements, FaceShape::Triangle, |[a, b]| [a, b, height([a, b])]);
        let section = Section::Plane(0.0);
        let cut = cutter(&elements, &section, Side::Above).cut(FaceShape::Triangle, &face);
        let cut = cut.expect("two ends").expect("a cut");
        let ends = [cut[0], cut[ORDER]];
        assert!(ends.contains(&[-1.0, -1.0]), "{ends:?}");
        assert!(
            ends.iter().any(|at| at[0].abs() < 1e-14 && at[1].abs() < 1e-14),
            "{ends:?}"
        );
        // A face that reaches the section with a corner only is not cut.
        let below = positions(&elements, FaceShape::Triangle, |[a, b]| [a, b, -2.0 - a - b]);
        assert_eq!(
            cutter(&elements, &section, Side::Above).cut(FaceShape::Triangle, &below),
            Ok(None)
        );
        // A saddle is cut twice.
        let saddle = positions(&elements, FaceShape::Quad, |[a, b]| [a, b, a * b]);
        assert_eq!(
            cutter(&elements, &section, Side::Above).cut(FaceShape::Quad, &saddle),
            Err(Twisted)
        );
    }
}
