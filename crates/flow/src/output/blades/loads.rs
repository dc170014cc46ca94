//! The loads of one sample: means over the span at each station, or values at those of a section, and the force on the
//! whole wall, or that per span at the section.

use rayon::prelude::*;

use super::section::Frame;
use super::stations::{Directions, Extent, Line, Stations};
use crate::element::{Elements, FaceShape};
use crate::output::surface_points::{SurfacePoint, tangential};
use crate::ranks::{ExactSum, Ranks};
use crate::vector::{dot, length};

/// The means at a station, by their index: pressure, components of the traction along the curve and along z, density,
/// temperature, and heat flux into the wall.
pub const PRESSURE: usize = 0;
pub const ALONG: usize = 1;
pub const ACROSS: usize = 2;
pub const DENSITY: usize = 3;
pub const TEMPERATURE: usize = 4;
pub const HEAT: usize = 5;
/// Number of means at a station.
pub const AT_STATION: usize = 6;
/// Number of components of forces: those of the pressure in x and y, or along both coordinates of a section, and those
/// of the viscous traction.
pub const FORCES: usize = 4;

/// Number of stations whose sums one task forms.
const STATIONS_OF_A_TASK: usize = 32;

/// Returns the means over the span at all stations, `[station][mean]`, and then the forces, from the values at the
/// points of the faces. Collective.
pub fn of_sample(stations: &Stations, values: &[Vec<SurfacePoint>], elements: &Elements, ranks: &Ranks) -> Vec<f64> {
    let count = AT_STATION * stations.areas.len();
    let mut sums = at_stations(stations, values);
    sums.extend(forces(stations, values, elements.face_weights(FaceShape::Quad)));
    let mut values: Vec<f64> = ExactSum::allreduce_vec(ranks, sums)
        .into_par_iter()
        .map(ExactSum::value)
        .collect();
    for (row, area) in values[..count].chunks_mut(AT_STATION).zip(&stations.areas) {
        row.iter_mut().for_each(|sum| *sum /= area);
    }
    values
}

/// Returns the sums at all stations over the points of this rank. One rank has all points of a line, because a line
/// lies in one face. The sum over a line is therefore rounded in the same way on any ranks. The sums over lines are
/// exact. Each task has some of the stations, and finds their lines among those of all faces.
fn at_stations(stations: &Stations, values: &[Vec<SurfacePoint>]) -> Vec<ExactSum> {
    let mut sums = vec![ExactSum::default(); AT_STATION * stations.areas.len()];
    let tasks = sums.par_chunks_mut(AT_STATION * STATIONS_OF_A_TASK).enumerate();
    tasks.for_each(|(task, sums)| {
        let of_task = |line: &&Line| line.station / STATIONS_OF_A_TASK == task;
        for (lines, points) in stations.lines.iter().zip(values) {
            for line in lines.iter().filter(of_task) {
                let row = &mut sums[AT_STATION * (line.station % STATIONS_OF_A_TASK)..][..AT_STATION];
                let mut of_line = [0.0; AT_STATION];
                for (&l, area) in line.points.iter().zip(&line.areas) {
                    let here = at_point(&points[l], &line.directions);
                    of_line
                        .iter_mut()
                        .zip(here)
                        .for_each(|(sum, value)| *sum += area * value);
                }
                row.iter_mut().zip(of_line).for_each(|(sum, value)| sum.add(value));
            }
        }
    });
    sums
}

/// Returns the sums of the forces over the faces of this rank. `weights` are those of the points of a face.
fn forces(stations: &Stations, values: &[Vec<SurfacePoint>], weights: &[f64]) -> Vec<ExactSum> {
    let none = || vec![ExactSum::default(); FORCES];
    let with_face = |mut forces: Vec<ExactSum>, (lines, points): (&Vec<Line>, &Vec<SurfacePoint>)| {
        let mut of_face = [0.0; FORCES];
        for line in lines {
            if let Directions::Of(frame) = &line.directions {
                for (&l, area) in line.points.iter().zip(&line.areas) {
                    add(&mut of_face, *area, on_section(&points[l], frame));
                }
            }
        }
        if let Extent::Span(_) = stations.extent {
            for (point, weight) in points.iter().zip(weights) {
                let size = length(point.area);
                let [x, y] = [0, 1].map(|d| point.pressure * point.area[d]);
                let [viscous_x, viscous_y] = [0, 1].map(|d| point.traction[d] * size);
                add(&mut of_face, *weight, [x, y, viscous_x, viscous_y]);
            }
        }
        forces.iter_mut().zip(of_face).for_each(|(sum, part)| sum.add(part));
        forces
    };
    let both = |a: Vec<ExactSum>, b: Vec<ExactSum>| a.into_iter().zip(b).map(|(a, b)| a.merge(b)).collect();
    let faces = stations.lines.par_iter().zip(values);
    faces.fold(none, with_face).reduce(none, both)
}

/// Adds weighted components of forces.
fn add(sums: &mut [f64; FORCES], weight: f64, parts: [f64; FORCES]) {
    sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += weight * part);
}

/// Returns the force on a wall at a point of a section, per length along the section and per span, in the order of the
/// forces: the coordinates of the section stand in place of x and y.
fn on_section(point: &SurfacePoint, frame: &Frame) -> [f64; FORCES] {
    let [a, b] = frame.outward().map(|normal| point.pressure * normal);
    let [viscous_a, viscous_b] = frame.coordinates.map(|e| dot(e, point.traction) * frame.lean);
    [a, b, viscous_a, viscous_b]
}

/// Returns the values of a point whose means are taken.
fn at_point(point: &SurfacePoint, directions: &Directions) -> [f64; AT_STATION] {
    let [along, across] = match directions {
        Directions::OfPoints => {
            let [x, y, _] = point.area;
            let traction = tangential(point.traction, point.area);
            // The wall is on the left of the curve.
            [(traction[0] * y - traction[1] * x) / x.hypot(y), traction[2]]
        }
        Directions::Of(frame) => [frame.along, frame.across].map(|e| dot(e, point.traction)),
    };
    [
        point.pressure,
        along,
        across,
        point.density,
        point.temperature,
        point.heat,
    ]
}
