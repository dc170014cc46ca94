//! The stations of a wall: where means over the span are taken, in their order along the wall. `sections` has those of
//! a section, which are single points; here are those of a wall that is extruded along z.
//!
//! Every face of the wall has lines of points along z. Lines of the same x and y, of all layers of cells and of both
//! faces that meet at an edge, are one station. In the plane of x and y each column of faces is a piece of a curve
//! between two stations, and the pieces are chained by the stations that they share. All ranks chain the same sorted
//! list of pieces, so that the stations do not depend on the division of the mesh; they do not depend on the flow
//! either.
//!
//! The curve goes along with the wall on its left and the gas on its right: anticlockwise around a blade.

use super::curve::{Curve, Fault};
use super::section::{Frame, Section};
use crate::element::{Elements, FaceShape};
use crate::format::location;
use crate::geometry::Geometry;
use crate::output::error::OutputError;
use crate::output::surface_points::SurfaceFace;
use crate::ranks::{ExactSum, Ranks};
use crate::solver::Solver;
use crate::vector::length;

/// Largest distance in x and y between points of a station, as a fraction of the extent of the wall. Nodes that Gmsh
/// places on extruded curved surfaces differ by 1e-9 of it.
pub const TOLERANCE: f64 = 1e-7;
/// Largest relative difference of the span between pieces of the curve.
const SAME_SPAN: f64 = 1e-6;

/// The points of a face that belong to one station.
#[derive(Debug, Clone)]
pub struct Line {
    /// Number of the station.
    pub station: usize,
    /// Indices of the points in the face.
    pub points: Vec<usize>,
    /// The areas that the points stand for. At a station of a section they are lengths, times the weights with which
    /// the points of the face interpolate its value.
    pub areas: Vec<f64>,
    /// The directions of the traction.
    pub directions: Directions,
}

/// The directions along which tractions are taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Directions {
    /// Along the wall across z, at each point of the face for itself, and along z.
    OfPoints,
    /// Those of a point of a section.
    Of(Frame),
}

/// What the stations stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// The whole wall, with its length in z.
    Span(f64),
    /// A section, with the direction across its axis from which angles count.
    Section(Section, [f64; 2]),
}

impl Extent {
    /// Returns the span to which forces belong: those of a section are per length.
    pub fn span(&self) -> f64 {
        match *self {
            Extent::Span(span) => span,
            Extent::Section(..) => 1.0,
        }
    }
}

/// Sizes of the cells at a station: the largest of all faces that have the station.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sizes {
    /// Distance of the first solution point off the wall.
    pub off_wall: f64,
    /// Length of the face along the curve, over the order + 1.
    pub along: f64,
    /// Length of the face along z, or along the radius for cylindrical sections, over the order + 1.
    pub across: f64,
}

/// The stations of a wall.
#[derive(Debug)]
pub struct Stations {
    /// The curve of the wall in the plane of x and y, and the places of the stations along it.
    pub curve: Curve,
    /// What the stations stand for.
    pub extent: Extent,
    /// Sizes of the cells at each station.
    pub sizes: Vec<Sizes>,
    /// Area for which each station stands, or length of a section. A station at an edge has parts of both faces.
    pub areas: Vec<f64>,
    /// The lines of each face of this rank, in the order of the faces.
    pub lines: Vec<Vec<Line>>,
}

/// A face of this rank: lines of points in the order of the curve.
struct Strip {
    lines: Vec<Vec<usize>>,
    /// x and y of the lines.
    at: Vec<[f64; 2]>,
    /// Length in z.
    span: f64,
}

impl Stations {
    /// Finds the stations of the faces of a wall. `key` is that of the boundary in the case. Collective.
    ///
    /// # Errors
    /// The wall is not extruded along z, or is not one curve in the plane of x and y.
    pub fn new(solver: &Solver, faces: &[SurfaceFace], key: &str, name: &str) -> Result<Self, OutputError> {
        let refused = |what: String| OutputError::Refused {
            key: key.to_owned(),
            what: format!("the boundary `{name}` {what}"),
        };
        let geometry = &solver.geometry;
        let elements = &solver.elements;
        let ranks = &solver.ranks;
        let tolerance = TOLERANCE * extent(geometry, elements, faces, ranks);
        let strips: Result<Vec<Strip>, OutputError> = faces
            .iter()
            .map(|face| {
                strip(geometry, elements, face, tolerance).ok_or_else(|| {
                    let at = location(geometry.face_centre(face.cell, face.face, elements.order));
                    refused(format!(
                        "is not extruded along z: the points of its face at {at} do not form lines along z. Right \
                         would be a wall of hexahedra or prisms that are extruded along z"
                    ))
                })
            })
            .collect();
        let strips = ranks.agree(strips, |_| OutputError::OnOtherRank)?;
        let mine: Vec<f64> = strips
            .iter()
            .flat_map(|strip| strip.at.as_flattened().to_vec())
            .collect();
        let curve = Curve::new(
            &ranks.allgather(&distinct(&mine, elements.line.len())),
            elements,
            tolerance,
        );
        let curve = curve.map_err(|fault| refused(in_words(fault, ["x", "y"])))?;
        let span = common_span(&strips, &curve, ranks).map_err(|[least, most]| {
            refused(format!(
                "is not extruded along z: it is {least} long in z at some places and {most} at others"
            ))
        })?;
        Ok(Self::of_strips(geometry, elements, ranks, faces, &strips, curve, span))
    }

    /// Assigns the lines of all faces to their stations. Collective.
    fn of_strips(
        geometry: &Geometry,
        elements: &Elements,
        ranks: &Ranks,
        faces: &[SurfaceFace],
        strips: &[Strip],
        curve: Curve,
        span: f64,
    ) -> Self {
        let weights = elements.face_weights(FaceShape::Quad);
        let n = elements.line.len() as f64;
        let mut sums = StationSums::new(curve.len());
        let mut lines = Vec::with_capacity(faces.len());
        for (face, strip) in faces.iter().zip(strips) {
            let areas_of_face = geometry.face_areas(face.cell, face.face);
            let along = curve.piece_length(strip.at[0]);
            let of_face = strip.lines.iter().zip(&strip.at).map(|(points, &at)| {
                let station = curve.station(at);
                let area = |&l: &usize| weights[l] * length(areas_of_face[l]);
                let line = Line {
                    station,
                    points: points.clone(),
                    areas: points.iter().map(area).collect(),
                    directions: Directions::OfPoints,
                };
                sums.add(station, &line.areas, [face.spacing, along / n, strip.span / n]);
                line
            });
            lines.push(of_face.collect());
        }
        let (areas, sizes) = sums.of_all_ranks(ranks);
        Stations {
            extent: Extent::Span(span),
            sizes,
            areas,
            lines,
            curve,
        }
    }
}

/// Areas and sizes of the stations, while faces are added.
pub struct StationSums {
    areas: Vec<ExactSum>,
    /// `[station][size]`, in the order of [`Sizes`].
    sizes: Vec<f64>,
}

impl StationSums {
    /// Begins without faces.
    pub fn new(stations: usize) -> Self {
        StationSums {
            areas: vec![ExactSum::default(); stations],
            sizes: vec![0.0; 3 * stations],
        }
    }

    /// Adds a face to a station, with parts of its area and its sizes in the order of [`Sizes`].
    pub fn add(&mut self, station: usize, areas: &[f64], sizes: [f64; 3]) {
        areas.iter().for_each(|&area| self.areas[station].add(area));
        let most = &mut self.sizes[3 * station..3 * station + 3];
        most.iter_mut()
            .zip(sizes)
            .for_each(|(most, size)| *most = most.max(size));
    }

    /// Returns areas and sizes of the faces of all ranks. Collective.
    pub fn of_all_ranks(mut self, ranks: &Ranks) -> (Vec<f64>, Vec<Sizes>) {
        ranks.allreduce_max(&mut self.sizes);
        let areas = ExactSum::allreduce_vec(ranks, self.areas);
        let sizes = self.sizes.chunks(3).map(|s| Sizes {
            off_wall: s[0],
            along: s[1],
            across: s[2],
        });
        (areas.into_iter().map(ExactSum::value).collect(), sizes.collect())
    }
}

/// Returns the larger of the extents of the faces in x and y. Collective.
fn extent(geometry: &Geometry, elements: &Elements, faces: &[SurfaceFace], ranks: &Ranks) -> f64 {
    // The negative of the least coordinates, so that one reduction finds all four.
    let mut ends = [f64::NEG_INFINITY; 4];
    for face in faces {
        let positions = geometry.cell_positions(face.cell);
        for l in geometry.kinds[face.cell].face_indices(face.face, elements.order) {
            let [x, y, _] = positions[l];
            let here = [x, y, -x, -y];
            ends.iter_mut().zip(here).for_each(|(end, x)| *end = end.max(x));
        }
    }
    ranks.allreduce_max(&mut ends);
    (ends[0] + ends[2]).max(ends[1] + ends[3])
}

/// Returns the lines of a face in the order of the curve; `None` if its points do not form lines along z.
fn strip(geometry: &Geometry, elements: &Elements, face: &SurfaceFace, tolerance: f64) -> Option<Strip> {
    if face.shape != FaceShape::Quad {
        return None;
    }
    let n = elements.line.len();
    let kind = geometry.kinds[face.cell];
    let indices = kind.face_indices(face.face, elements.order);
    let positions = geometry.cell_positions(face.cell);
    let x: Vec<[f64; 3]> = indices.iter().map(|&i| positions[i]).collect();
    let is_line = |line: &Vec<usize>| {
        let near = |&l: &usize| (0..2).all(|d| (x[l][d] - x[line[0]][d]).abs() <= tolerance);
        line.iter().all(near)
    };
    let ways = [(n, 1), (1, n)].map(|(from_line, from_point)| {
        let line = |k: usize| (0..n).map(|m| k * from_line + m * from_point).collect();
        (0..n).map(line).collect::<Vec<Vec<usize>>>()
    });
    let mut lines = ways.into_iter().find(|lines| lines.iter().all(is_line))?;
    let areas_of_face = geometry.face_areas(face.cell, face.face);
    let weights = elements.face_weights(FaceShape::Quad);
    let outward = |d: usize| (0..x.len()).map(|l| weights[l] * areas_of_face[l][d]).sum::<f64>();
    let from = x[lines[0][0]];
    let to = x[lines[n - 1][0]];
    // The area vector points out of the gas into the wall, which is on the left.
    let tangent = [outward(1), -outward(0)];
    if tangent[0] * (to[0] - from[0]) + tangent[1] * (to[1] - from[1]) < 0.0 {
        lines.reverse();
    }
    // Adding zero turns -0 into 0.
    let at = lines
        .iter()
        .map(|line| [x[line[0]][0] + 0.0, x[line[0]][1] + 0.0])
        .collect();
    let ends = [lines[0][0], lines[0][n - 1]];
    let span = (x[ends[1]][2] - x[ends[0]][2]).abs();
    Some(Strip { lines, at, span })
}

/// Returns the pieces, each of `n` places in the plane, sorted and each once.
fn distinct(pieces: &[f64], n: usize) -> Vec<f64> {
    let mut pieces: Vec<&[f64]> = pieces.chunks(2 * n).collect();
    pieces.sort_unstable_by(|a, b| super::curve::order(a, b));
    pieces.dedup();
    pieces.concat()
}

/// Returns the length in z that all pieces of the curve have, or else the least and the largest. Collective.
fn common_span(strips: &[Strip], curve: &Curve, ranks: &Ranks) -> Result<f64, [f64; 2]> {
    let mut spans = vec![ExactSum::default(); curve.len()];
    // No two pieces begin at the same station.
    for strip in strips {
        spans[curve.station(strip.at[0])].add(strip.span);
    }
    let spans: Vec<f64> = ExactSum::allreduce_vec(ranks, spans)
        .into_iter()
        .map(ExactSum::value)
        .filter(|&span| span > 0.0)
        .collect();
    let least = spans.iter().copied().fold(f64::INFINITY, f64::min);
    let most = spans.iter().copied().fold(0.0, f64::max);
    if most - least <= SAME_SPAN * most {
        Ok(most)
    } else {
        Err([least, most])
    }
}

/// Says what is wrong with a curve in the plane of coordinates with these names.
pub fn in_words(fault: Fault, [a, b]: [&str; 2]) -> String {
    match fault {
        Fault::Curves(0) => "has no faces".to_owned(),
        Fault::Curves(n) => format!(
            "consists of {n} separate curves in the plane of {a} and {b}, but is to be one. Right would be a boundary \
             of its own for each"
        ),
        Fault::Fork([x, y]) => {
            format!("forks at {a} = {x}, {b} = {y}: more than two of its faces meet there in the plane of {a} and {b}")
        }
    }
}
