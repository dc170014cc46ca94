//! The stations of a section of a wall: where planes z = const or cylinders about an axis cut its faces.
//!
//! Each face that is cut adds a piece of the curve, with as many points as a line element has; the first and the last
//! one are also those of its neighbours. The pieces are chained as those of a wall that is extruded along z, so that
//! the order of the stations does not depend on the division of the mesh. A station has the value that the polynomial
//! of a face has there, and the mean of both, weighted by their lengths, where two faces meet.

use super::curve::{Curve, Fault, Place};
use super::cut::{At, Cutter, Side, interpolated};
use super::section::{Frame, Section};
use super::stations::{Directions, Extent, Line, StationSums, Stations, TOLERANCE, in_words};
use crate::element::Elements;
use crate::format::{location, number};
use crate::geometry::Geometry;
use crate::output::error::OutputError;
use crate::output::surface_points::SurfaceFace;
use crate::ranks::{ExactSum, Ranks};
use crate::solver::Solver;
use crate::vector::Vector;

/// Largest distance of a corner of a face from a section that goes through it, as a fraction of the extent of the wall.
/// Pieces of the curve are longer than this, and thereby far longer than the distance of places that are the same.
const NEAR: f64 = 1e-5;
/// Largest area of the wall over that of its shadow: the wall then leans by less than 0.1 degrees against the section.
const MOST_LEAN: f64 = 1e3;
/// Halvings of the distance between a section that leaves the wall and one that does not.
const HALVINGS: usize = 12;

/// A face of this rank that is cut.
struct Piece<'a> {
    /// Index of the face.
    number: usize,
    face: &'a SurfaceFace,
    /// Values of the Lagrange functions of the face at the points of the cut, `[point][face point]`.
    rows: Vec<Vec<f64>>,
    positions: Vec<Vector>,
    frames: Vec<Frame>,
    /// Extent of the face along the coordinate that is constant on the section.
    across: f64,
}

/// Ends of a wall: along the coordinate that is constant on a section, and in space.
struct Ends {
    low: f64,
    high: f64,
    /// The largest extent in x, y or z.
    size: f64,
}

/// Positions of the points of a face, in its order.
fn positions(geometry: &Geometry, elements: &Elements, face: &SurfaceFace) -> Vec<Vector> {
    let all = geometry.cell_positions(face.cell);
    let on = geometry.kinds[face.cell].face_indices(face.face, elements.order);
    on.iter().map(|&i| all[i]).collect()
}

/// A wall that is cut.
struct Wall<'a> {
    solver: &'a Solver,
    faces: &'a [SurfaceFace],
    ends: Ends,
}

/// The cut of a wall by a section: its pieces on this rank, and the curve that those of all ranks form.
struct Chain<'a> {
    pieces: Vec<Piece<'a>>,
    /// Places of the points of the pieces.
    places: Vec<Vec<Place>>,
    /// The direction across the axis of a cylinder from which angles count.
    zero: [f64; 2],
    curve: Curve,
}

/// Why a section has no curve. Places are those of faces.
enum Failure {
    /// It cuts a face more than once.
    Twisted(String),
    /// A face is parallel to it.
    Parallel(String),
    /// It cuts no face.
    Beside,
    /// Its pieces are not one curve.
    NotOne(Fault),
    /// Another rank has the reason.
    OnOtherRank,
}

impl Stations {
    /// Finds the stations of a section of the faces of a wall. `key` is that of the section in the case. Collective.
    ///
    /// # Errors
    /// The section does not cut the wall, touches it, is not one curve, or leaves a wall that is closed in its middle.
    pub fn of_section(
        solver: &Solver,
        faces: &[SurfaceFace],
        section: &Section,
        key: &str,
        name: &str,
    ) -> Result<Self, OutputError> {
        let wall = Wall {
            solver,
            faces,
            ends: ends(solver, faces, section),
        };
        let refused = |what: String| OutputError::Refused {
            key: key.to_owned(),
            what,
        };
        let here = format!("the section of the boundary `{name}` at {}", section.words());
        let found = wall.cut(section);
        if let Some(how) = wall.is_left(section, &found) {
            return Err(refused(format!("{here} {how}")));
        }
        let chain = found.map_err(|failure| match failure {
            Failure::Twisted(at) => refused(format!(
                "{here} cuts its face at {at} more than once: right would be another section"
            )),
            Failure::Parallel(at) => refused(format!(
                "{here} touches its face at {at}, which is parallel to it there: right would be another section"
            )),
            Failure::Beside => {
                let place = section.words();
                let reach = wall.ends.in_words(section);
                refused(format!("the boundary `{name}` has no section at {place}: {reach}"))
            }
            Failure::NotOne(fault) => refused(format!("{here} {}", in_words(fault, section.coordinates()))),
            Failure::OnOtherRank => OutputError::OnOtherRank,
        })?;
        Ok(chain.stations(solver, faces.len(), section))
    }
}

impl Ends {
    /// Says from where to where a wall reaches that a section does not cut.
    fn in_words(&self, section: &Section) -> String {
        let shown = |end: f64| number(if end.abs() <= TOLERANCE * self.size { 0.0 } else { end });
        let within = self.low < section.level() && section.level() < self.high;
        let cure = if within {
            ", but no edge of its faces crosses the section: right would be one farther from these ends"
        } else {
            ""
        };
        format!("it reaches from {} to {}{cure}", shown(self.low), shown(self.high))
    }
}

impl<'a> Wall<'a> {
    /// Cuts the wall. Collective.
    fn cut(&self, section: &Section) -> Result<Chain<'a>, Failure> {
        Chain::new(self.solver, self.faces, section, &self.ends)
    }

    /// Returns how a section that has been cut leaves a wall whose section in the middle is closed; `None` if it does
    /// not. Collective.
    fn is_left(&self, section: &Section, found: &Result<Chain, Failure>) -> Option<String> {
        let open = match found {
            Ok(chain) if !chain.curve.closed => format!("has two ends, {}", chain.ends_in_words(section)),
            Err(Failure::NotOne(Fault::Curves(n))) => format!("consists of {n} separate curves"),
            _ => return None,
        };
        let closed = |level: f64| {
            let chain = self.cut(&section.at_level(level));
            chain.is_ok_and(|chain| chain.curve.closed)
        };
        let middle = 0.5 * (self.ends.low + self.ends.high);
        if !closed(middle) {
            return None;
        }
        let mut nearest = [section.level(), middle];
        for _ in 0..HALVINGS {
            let level = 0.5 * (nearest[0] + nearest[1]);
            nearest[usize::from(closed(level))] = level;
        }
        let [middle, last] = [middle, nearest[1]].map(|level| section.at_level(level).words());
        Some(format!(
            "{open}, while that at {middle} is closed: it leaves the wall. Right would be a section that goes all \
             around it, as they do from there to {last}"
        ))
    }
}

impl<'a> Chain<'a> {
    /// Cuts the faces of a wall with these ends. Collective.
    fn new(solver: &Solver, faces: &'a [SurfaceFace], section: &Section, ends: &Ends) -> Result<Self, Failure> {
        let ranks = &solver.ranks;
        let near = NEAR * ends.size;
        let cutter = Cutter {
            elements: &solver.elements,
            section,
            near,
            // Where the wall begins, no face is below.
            near_is: if section.level() - ends.low <= near {
                Side::Below
            } else {
                Side::Above
            },
        };
        let cuts = faces.iter().enumerate();
        let cuts = cuts.map(|(number, face)| piece(solver, &cutter, number, face));
        let cuts: Result<Vec<Option<Piece>>, Failure> = cuts.collect();
        let pieces: Vec<Piece> = ranks
            .agree(cuts, |_| Failure::OnOtherRank)?
            .into_iter()
            .flatten()
            .collect();
        let mut found = [pieces.len() as u64];
        ranks.allreduce_sum(&mut found);
        if found == [0] {
            return Err(Failure::Beside);
        }
        let zero = middle(section, &pieces, ranks);
        let tolerance = TOLERANCE * ends.size;
        let (pieces, places) = in_order(section, zero, pieces, tolerance);
        let flat: Vec<f64> = places.iter().flatten().flatten().copied().collect();
        let curve = Curve::new(&ranks.allgather(&flat), &solver.elements, tolerance).map_err(Failure::NotOne)?;
        Ok(Chain {
            pieces,
            places,
            zero,
            curve,
        })
    }

    /// Says where both ends of an open curve are.
    fn ends_in_words(&self, section: &Section) -> String {
        let at = &self.curve.at;
        let [first, last] = [at[0], at[at.len() - 1]].map(|at| location(section.point(at, self.zero)));
        format!("at {first} and {last}")
    }

    /// Assigns the points of all pieces to their stations. Collective.
    fn stations(self, solver: &Solver, faces: usize, section: &Section) -> Stations {
        let line = &solver.elements.line;
        let n = line.len();
        let curve = self.curve;
        let mut sums = StationSums::new(curve.len());
        let mut lines = vec![Vec::new(); faces];
        for (piece, places) in self.pieces.iter().zip(&self.places) {
            let along = curve.piece_length(places[0]) / n as f64;
            for k in 0..n {
                let slope = |d: usize| (0..n).map(|i| line.diff[k * n + i] * places[i][d]).sum::<f64>();
                let length = line.weights[k] * slope(0).hypot(slope(1));
                let station = curve.station(places[k]);
                sums.add(station, &[length], [piece.face.spacing, along, piece.across / n as f64]);
                lines[piece.number].push(Line {
                    station,
                    points: (0..piece.rows[k].len()).collect(),
                    areas: piece.rows[k].iter().map(|weight| weight * length).collect(),
                    directions: Directions::Of(piece.frames[k]),
                });
            }
        }
        let (areas, sizes) = sums.of_all_ranks(&solver.ranks);
        Stations {
            extent: Extent::Section(*section, self.zero),
            sizes,
            areas,
            lines,
            curve,
        }
    }
}

/// Returns the ends of a wall. Collective.
fn ends(solver: &Solver, faces: &[SurfaceFace], section: &Section) -> Ends {
    // The negative of the least values, so that one reduction finds all.
    let mut ends = [f64::NEG_INFINITY; 8];
    for face in faces {
        for x in positions(&solver.geometry, &solver.elements, face) {
            let level = section.level_of(x);
            let here = [x[0], x[1], x[2], level, -x[0], -x[1], -x[2], -level];
            ends.iter_mut().zip(here).for_each(|(end, x)| *end = end.max(x));
        }
    }
    solver.ranks.allreduce_max(&mut ends);
    Ends {
        low: -ends[7],
        high: ends[3],
        size: (0..3).map(|d| ends[d] + ends[4 + d]).fold(0.0, f64::max),
    }
}

/// Cuts a face.
fn piece<'a>(
    solver: &Solver,
    cutter: &Cutter,
    number: usize,
    face: &'a SurfaceFace,
) -> Result<Option<Piece<'a>>, Failure> {
    let geometry = &solver.geometry;
    let elements = &solver.elements;
    let section = cutter.section;
    let on_face = positions(geometry, elements, face);
    let place = || location(geometry.face_centre(face.cell, face.face, elements.order));
    let cut = cutter.cut(face.shape, &on_face);
    let Some(cut) = cut.map_err(|_| Failure::Twisted(place()))? else {
        return Ok(None);
    };
    let row = |at: &At| elements.face_interpolation(face.shape, &[*at]);
    let rows: Vec<Vec<f64>> = cut.iter().map(row).collect();
    let at: Vec<Vector> = rows.iter().map(|row| interpolated(row, &on_face)).collect();
    let areas = geometry.face_areas(face.cell, face.face);
    let frame = |(row, x): (&Vec<f64>, &Vector)| section.frame(*x, interpolated(row, &areas));
    let frames: Vec<Frame> = rows.iter().zip(&at).map(frame).collect();
    if !frames.iter().all(|frame| frame.lean <= MOST_LEAN) {
        return Err(Failure::Parallel(place()));
    }
    let levels = || on_face.iter().map(|&x| section.level_of(x));
    Ok(Some(Piece {
        number,
        face,
        frames,
        positions: at,
        rows,
        across: levels().fold(f64::NEG_INFINITY, f64::max) - levels().fold(f64::INFINITY, f64::min),
    }))
}

/// Returns the direction across the axis of a cylinder towards the middle of the pieces, so that the angles of a wall
/// that does not surround the axis have no jump. Collective.
fn middle(section: &Section, pieces: &[Piece], ranks: &Ranks) -> [f64; 2] {
    let Section::Cylinder(axis, _) = *section else {
        return [1.0, 0.0];
    };
    let mut sums = [ExactSum::default(), ExactSum::default()];
    for x in pieces.iter().flat_map(|piece| &piece.positions) {
        sums[0].add(x[(axis + 1) % 3]);
        sums[1].add(x[(axis + 2) % 3]);
    }
    let [a, b] = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
    let size = a.hypot(b);
    if size > 0.0 { [a / size, b / size] } else { [1.0, 0.0] }
}

/// Returns the pieces with their points in the order of the curve, and the places of these points. Pieces that are one
/// place are left out: their neighbours meet there.
fn in_order<'a>(
    section: &Section,
    zero: [f64; 2],
    pieces: Vec<Piece<'a>>,
    tolerance: f64,
) -> (Vec<Piece<'a>>, Vec<Vec<Place>>) {
    let with_places = pieces.into_iter().filter_map(|mut piece| {
        let mut places: Vec<Place> = piece.positions.iter().map(|&x| section.place(x, zero)).collect();
        let [first, last] = [places[0], places[places.len() - 1]];
        let way = [last[0] - first[0], last[1] - first[1]];
        let forward = |frame: &Frame| {
            let [a, b] = frame.outward();
            way[0] * b - way[1] * a
        };
        if piece.frames.iter().map(forward).sum::<f64>() < 0.0 {
            places.reverse();
            piece.rows.reverse();
            piece.frames.reverse();
        }
        (way[0].hypot(way[1]) > tolerance).then_some((piece, places))
    });
    with_places.unzip()
}
