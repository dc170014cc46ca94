//! The wanted size of the cells outside of the layers, as a function of the place.
//!
//! The field is periodic: each blade, wake and strip acts on the places beside its images too. Gmsh reads it from a
//! grid, so that the divisions of the boundaries and the triangles follow the same sizes.

use rayon::prelude::*;

use super::layers::BladeLayers;
use super::plane::{Point, between, distance, to_segment};
use super::settings::{Cascade, Strip};
use crate::input::Problem;

/// Growth of the size in the wake per distance from the trailing edge.
const WAKE_GROWTH: f64 = 0.02;
/// Half of the wake's width at the trailing edge, and its growth per distance.
const WAKE_WIDTH: [f64; 2] = [0.04, 0.06];

/// A function of the place that gives the wanted size of the cells.
pub(super) trait SizeField: Sync {
    /// Returns the wanted size of the cells at a place.
    fn at(&self, place: Point) -> f64;
}

/// The wanted sizes.
#[derive(Debug)]
pub(super) struct Sizes<'a> {
    settings: &'a Cascade,
    /// Middles of the outer edge's sides, with their lengths.
    rim: Vec<(Point, f64)>,
    /// Leading and trailing edge.
    edges: [Point; 2],
}

impl<'a> Sizes<'a> {
    /// Creates the field of sizes around a blade with these leading and trailing edges.
    pub fn new(settings: &'a Cascade, layers: &BladeLayers, edges: [Point; 2]) -> Self {
        let sides = layers.rim_sides();
        Sizes {
            settings,
            rim: sides.map(|(a, b)| (between(a, b, 0.5), distance(a, b))).collect(),
            edges,
        }
    }

    /// The largest size at x.
    fn far(&self, x: f64) -> f64 {
        let [inlet, outlet] = self.settings.ends;
        let [leading, trailing] = self.edges;
        let size = self.settings.passage.size;
        let part = |from: f64, to: f64| ((x - from) / (to - from)).clamp(0.0, 1.0);
        size + (inlet.size - size) * part(leading[0], inlet.x) + (outlet.size - size) * part(trailing[0], outlet.x)
    }

    /// The size that the layers, the wake and the strip of one blade allow.
    fn of_one_blade(&self, place: Point) -> f64 {
        let sizes = self.settings.passage;
        let near = |rest: f64, (middle, length): &(Point, f64)| {
            let beside = (distance(place, *middle) - 0.5 * length).max(0.0);
            rest.min(length + sizes.growth * beside)
        };
        let wall = self.rim.iter().fold(f64::INFINITY, near);
        let strip = self.settings.strip.map_or(f64::INFINITY, |Strip { from, to, size }| {
            let outside = (from - place[0]).max(place[0] - to).max(0.0);
            size + sizes.growth * outside
        });
        wall.min(self.wake(place)).min(strip)
    }

    fn wake(&self, place: Point) -> f64 {
        let sizes = self.settings.passage;
        let outlet = self.settings.ends[1];
        let trailing = self.edges[1];
        let reach = outlet.x - trailing[0];
        let end = [outlet.x, trailing[1] + reach * outlet.angle.tan()];
        let behind = (place[0] - trailing[0]).max(0.0);
        let beside = to_segment(place, trailing, end) - (WAKE_WIDTH[0] + WAKE_WIDTH[1] * behind);
        sizes.wake + WAKE_GROWTH * behind + sizes.growth * beside.max(0.0)
    }
}

impl SizeField for Sizes<'_> {
    fn at(&self, place: Point) -> f64 {
        let [y, pitch] = [place[1], self.settings.pitch];
        let images = [-1.0, 0.0, 1.0].map(|image| [place[0], y + image * pitch]);
        let each = images.into_iter().map(|place| self.of_one_blade(place));
        each.fold(self.far(place[0]), f64::min)
    }
}

/// Sizes on a grid that covers a rectangle.
#[derive(Debug)]
pub(super) struct Grid {
    /// Corner with the smallest coordinates.
    pub origin: Point,
    /// Distance of the points.
    pub step: f64,
    /// Numbers of points in x and y.
    pub points: [usize; 2],
    /// Sizes, y fastest.
    pub values: Vec<f64>,
}

impl Grid {
    /// Evaluates the sizes on a grid that covers these points.
    pub fn new(sizes: &impl SizeField, points: &[Point]) -> Self {
        /// Points along the longer side.
        const POINTS: f64 = 500.0;
        let none = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let (low, high) = points.iter().fold(none, |(low, high), p| {
            ([0, 1].map(|d| low[d].min(p[d])), [0, 1].map(|d| high[d].max(p[d])))
        });
        let step = (high[0] - low[0]).max(high[1] - low[1]) / POINTS;
        let origin = low.map(|x| x - step);
        let points = [0, 1].map(|d| ((high[d] - origin[d]) / step).ceil() as usize + 2);
        let at = |i: usize| {
            [
                origin[0] + (i / points[1]) as f64 * step,
                origin[1] + (i % points[1]) as f64 * step,
            ]
        };
        Grid {
            origin,
            step,
            points,
            values: (0..points[0] * points[1])
                .into_par_iter()
                .map(|i| sizes.at(at(i)))
                .collect(),
        }
    }

    /// Refuses sizes that ask for more triangles than any mesh of this kind has.
    ///
    /// # Errors
    /// The number that equilateral triangles of these sizes would need is too large.
    pub fn refuse_too_many(&self) -> Result<(), Problem> {
        const MOST: f64 = 5e6;
        let area = self.step * self.step;
        let count: f64 = self
            .values
            .iter()
            .map(|size| area / (0.75f64.sqrt() / 2.0 * size * size))
            .sum();
        if count <= MOST {
            Ok(())
        } else {
            Err(Problem::new(format!(
                "the section would have about {count:.1e} triangles: at most {MOST:.0e} are possible"
            ))
            .key("passage"))
        }
    }
}
