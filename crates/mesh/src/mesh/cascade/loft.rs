//! From the plane mesh of one section to an annular row: the nodes follow the sections of the blade over the radius.
//!
//! The plane mesh is that of the middle section in (x, y), where y is the arc length on its cylinder. All sections have
//! the same layers, whose cells lie at corresponding places of their walls, so that each section gives a position to
//! every node of the layers. The other nodes are carried along: the position that a section gives to the outer edge of
//! the layers is averaged over this edge with the weights length/distance^2.5 (inverse distances: D. Shepard, 23rd ACM
//! National Conference, 1968; for meshes E. Luke, E. Collins, E. Blades, Journal of Computational Physics 231, 2012),
//! and fades towards the inlet and the outlet. With the exponent 2 the average changes linearly from blade to blade,
//! with larger ones the cells near a blade move more like rigid bodies, at the cost of those in the middle of the
//! passage: the worst cell of an annular row of LS89 vanes is best with 2.5, and 4 folds some. Between the sections all
//! is a cubic spline of the radius. Low and high side are carried alike, so that they stay images of each other under
//! the rotation by a pitch.

use std::f64::consts::{PI, TAU};

use rayon::prelude::*;

use super::annular::Annular;
use super::curve::Curve;
use super::inside::InsideLayers;
use super::layers::BladeLayers;
use super::plane::{Point, distance, extent};
use super::section::Section;
use super::settings::Cascade;
use super::smooth::smooth;
use super::wall::Wall;
use crate::input::Problem;

/// The shape of an annular row: where it places the nodes of the plane mesh.
#[derive(Debug)]
pub(super) struct Loft {
    annular: Annular,
    /// Inlet and outlet.
    ends: [f64; 2],
    pitch: f64,
    /// Shares of the sections, functions of the radius.
    shares: Vec<Curve>,
    /// The layers around the blade.
    outside: Carriers,
    /// Those inside its outline, for a gap over its tip; empty without one.
    inside: Carriers,
    /// Radii of the other sections, with the root mean square distance of their points from the smoothed wall.
    pub distances: Vec<(f64, f64)>,
}

/// The layers on one side of the blade's wall at each section, which carry the other nodes along.
#[derive(Debug, Default)]
struct Carriers {
    /// Positions of the nodes of the layers, `[section][node]`.
    layers: Vec<Vec<Point>>,
    /// Points of the layers' edge that is away from the wall, `[section][point]`.
    rims: Vec<Vec<Point>>,
}

impl Carriers {
    /// The positions of a node of the layers at all sections; `None` for other nodes.
    fn of_layers(&self, node: usize) -> Option<Vec<Point>> {
        self.layers.iter().map(|section| section.get(node).copied()).collect()
    }
}

/// The positions that the sections give to the nodes of a plane mesh, `[node][section]`.
#[derive(Debug)]
pub(super) struct Carried(Vec<Vec<Point>>);

/// A node whose radius cannot be found.
#[derive(Debug)]
pub(super) struct Lost;

impl Loft {
    /// Lays the layers of the middle section around all sections.
    ///
    /// # Errors
    /// A section cannot be smoothed, or the layers do not fit around it.
    pub fn new(
        settings: &Cascade,
        annular: &Annular,
        wall: &Wall,
        layers: &BladeLayers,
        inside: Option<&InsideLayers>,
    ) -> Result<Self, Problem> {
        /// Points of the layers' edge for each cell there.
        const POINTS: usize = 8;
        let mut loft = Loft {
            shares: Curve::cardinal(
                &annular
                    .sections
                    .iter()
                    .map(|section| section.radius)
                    .collect::<Vec<f64>>(),
            ),
            annular: annular.clone(),
            ends: settings.ends.map(|end| end.x),
            pitch: settings.pitch,
            outside: Carriers::default(),
            inside: Carriers::default(),
            distances: Vec::new(),
        };
        for (k, section) in annular.sections.iter().enumerate() {
            let of = |problem: Problem| {
                Problem::new(format!("at the radius {}: {}", section.radius, problem.what))
                    .key(format!("profile.sections[{k}]"))
            };
            let (here, around) = match &section.points {
                None => (wall.clone(), layers.clone()),
                Some(points) => {
                    let smoothed = smooth(points, 1.0, settings.tolerance).map_err(of)?;
                    let here = Wall::new(&smoothed, settings.ends.map(|end| end.angle));
                    let around = layers.around_another(wall, &here).map_err(of)?;
                    loft.distances.push((section.radius, smoothed.mean()));
                    (here, around)
                }
            };
            let mut nodes = Section::new(settings.geometry_order);
            let [foot, _] = around.add_to(&mut nodes, &here);
            loft.outside.layers.push(nodes.positions.clone());
            loft.outside.rims.push(around.outer_edge(&here, POINTS));
            if let Some(inside) = inside {
                let here_inside = inside.inside_another(&settings.layers, &around, &here).map_err(of)?;
                let known = nodes.positions.len();
                here_inside.add_to(&mut nodes, &here, &foot);
                loft.inside.layers.push(nodes.positions.split_off(known));
                loft.inside.rims.push(here_inside.inner_edge(&here, POINTS));
            }
        }
        Ok(loft)
    }

    /// Carries the nodes of the plane mesh along with each section. The first of them, and the first inside the outline
    /// of the blade, are those of the layers.
    pub fn carry(&self, section: &Section) -> Carried {
        let inside = section.inside.map_or(section.positions.len(), |inside| inside.node);
        let [around, within] = [&self.outside, &self.inside].map(|carriers| self.weighted(carriers));
        let of = |(node, at): (usize, &Point)| -> Vec<Point> {
            if node < inside {
                self.outside.of_layers(node).unwrap_or_else(|| around(*at))
            } else {
                self.inside.of_layers(node - inside).unwrap_or_else(|| within(*at))
            }
        };
        Carried(section.positions.par_iter().enumerate().map(of).collect())
    }

    /// The function of the place that averages the positions of an edge at each section.
    fn weighted<'a>(&'a self, carriers: &'a Carriers) -> impl Fn(Point) -> Vec<Point> + 'a {
        let rim: &[Point] = carriers.rims.get(self.annular.middle).map_or(&[], |rim| rim);
        let n = rim.len();
        let lengths: Vec<f64> = (0..n).map(|i| distance(rim[i], rim[(i + 1) % n])).collect();
        let blade = extent(rim);
        move |at| {
            let mut sums = vec![[0.0; 2]; carriers.rims.len()];
            let mut all = 0.0;
            for (i, (point, length)) in rim.iter().zip(&lengths).enumerate() {
                let squared = self.squared_distance(at, *point);
                let weight = length / (squared * squared.sqrt().sqrt());
                all += weight;
                for (sum, rim) in sums.iter_mut().zip(&carriers.rims) {
                    (0..2).for_each(|d| sum[d] += weight * rim[i][d]);
                }
            }
            let share = fading(at[0], self.ends, blade) / all;
            sums.into_iter().map(|sum| sum.map(|x| share * x)).collect()
        }
    }

    /// Square of a distance that repeats with the pitch; near 0 it is the ordinary one.
    fn squared_distance(&self, a: Point, b: Point) -> f64 {
        let y = self.pitch / PI * (PI * (a[1] - b[1]) / self.pitch).sin();
        (a[0] - b[0]).powi(2) + y * y
    }

    /// Returns x, the angle about the axis and the radius of a node of the plane mesh at a fraction of the height.
    ///
    /// # Errors
    /// The radius, which decides the section, depends on x, which the section decides: hub or casing and the sections
    /// are so steep that no radius is found.
    pub fn place(&self, carried: &Carried, node: usize, at: Point, fraction: f64) -> Result<[f64; 3], Lost> {
        /// Most rounds, and the change of the radius, relative to it, at which they end.
        const ROUNDS: usize = 100;
        const SAME: f64 = 1e-14;
        let sections = &carried.0[node];
        let middle = sections[self.annular.middle];
        let mut radius = self.annular.radius(at[0], fraction);
        for _ in 0..ROUNDS {
            let mut shared = [0.0; 2];
            for (share, position) in self.shares.iter().zip(sections) {
                let share = share.at(radius);
                (0..2).for_each(|d| shared[d] += share * position[d]);
            }
            let x = at[0] - middle[0] + shared[0];
            let next = self.annular.radius(x, fraction);
            let change = (next - radius).abs();
            radius = next;
            if change <= SAME * radius {
                let angle = (at[1] - middle[1]) / self.meshed_radius() + shared[1] / radius;
                return Ok([x, angle, radius]);
            }
        }
        Err(Lost)
    }

    /// Angle between two blades.
    pub fn pitch_angle(&self) -> f64 {
        TAU / self.annular.blades as f64
    }

    /// Radius of the section that is meshed.
    pub fn meshed_radius(&self) -> f64 {
        self.annular.sections[self.annular.middle].radius
    }

    /// The radii of the sections.
    pub fn radii(&self) -> impl Iterator<Item = f64> {
        self.annular.sections.iter().map(|section| section.radius)
    }
}

/// Falls smoothly from 1 at the blade, which extends between two x, to 0 at the ends.
fn fading(x: f64, ends: [f64; 2], blade: [f64; 2]) -> f64 {
    let part = |end: f64, blade: f64| ((x - end) / (blade - end)).clamp(0.0, 1.0);
    let f = part(ends[0], blade[0]).min(part(ends[1], blade[1]));
    f * f * f * (10.0 - f * (15.0 - 6.0 * f))
}
