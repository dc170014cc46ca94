//! What is known of a cascade mesh beyond the report of every mesh: how far the smoothing went, how well the curved
//! cells follow the wall, and the resolution of the wall in wall units.

use std::fmt::{self, Display, Formatter};

use super::heights::Layers;
use super::inside::InsideLayers;
use super::layers::{BladeLayers, shape_errors};
use super::loft::Loft;
use super::plane::{Point, minus};
use super::settings::Cascade;
use super::smooth::{Smoothed, local_scales};
use super::span::TipGap;
use super::wall::Wall;
use crate::element::gauss_lobatto;

/// Orders for which points and wall units are reported.
const ORDERS: [usize; 3] = [2, 3, 4];

/// The report of a cascade mesh. Lengths are in chords.
#[derive(Debug, Clone)]
pub struct CascadeReport {
    /// Number of published points.
    pub points: usize,
    /// Length of the wall.
    pub wall_length: f64,
    /// Root mean square of the distances of the points from the wall.
    pub mean_distance: f64,
    /// Largest of these distances.
    pub largest_distance: f64,
    /// The point that has it.
    pub farthest: Point,
    /// Largest change of curvature by the smoothing.
    pub curvature: RemovedCurvature,
    /// Number of cells around the blade.
    pub around: usize,
    /// Lengths of the shortest and the longest of them along the wall.
    pub lengths: [f64; 2],
    /// Heights of the first and the last layer, and the thickness of all.
    pub heights: [f64; 3],
    /// Largest turn of the wall over a cell, and largest angle between two cells where they meet, in degrees.
    pub turns: [f64; 2],
    /// Largest distance of the shape of a cell from the wall between its nodes.
    pub shape: f64,
    /// Height of the cells in z, outside of the layers of end walls.
    pub depth: f64,
    /// Layers of each end wall, if there are some; with a gap those of the wall without it.
    pub end_walls: Option<Layers>,
    /// The gap over the tip of the blade, if there is one.
    pub tip: Option<TipReport>,
    /// The annulus, if the row is not linear.
    pub annulus: Option<AnnulusReport>,
    /// Reynolds number of the estimate.
    pub reynolds: Option<f64>,
}

/// What is known of an annular row.
#[derive(Debug, Clone)]
pub struct AnnulusReport {
    /// Number of blades.
    pub blades: usize,
    /// Radius of the section that is meshed.
    pub radius: f64,
    /// Pitch of this section.
    pub pitch: f64,
    /// Height between hub and casing at the middle of the blade.
    pub height: f64,
    /// Radii of the other sections, with the root mean square distance of their points from the wall.
    pub sections: Vec<(f64, f64)>,
}

/// What is known of a gap over the tip of the blade.
#[derive(Debug, Clone, Copy)]
pub struct TipReport {
    /// The gap.
    pub gap: TipGap,
    /// Number of layers on the blade's side of the tip.
    pub blade_side: usize,
    /// Number of layers inside the outline of the blade.
    pub inside: usize,
    /// Least and largest height of these layers together.
    pub thicknesses: [f64; 2],
}

/// The largest change of curvature by the smoothing at a point where the wall is not sharply curved.
#[derive(Debug, Clone, Copy)]
pub struct RemovedCurvature {
    /// The change.
    pub change: f64,
    /// The curvature that remains there.
    pub rest: f64,
    /// The point.
    pub at: Point,
}

impl CascadeReport {
    pub(super) fn new(
        settings: &Cascade,
        smoothed: &Smoothed,
        wall: &Wall,
        layers: &BladeLayers,
        loft: Option<&Loft>,
        inside: Option<&InsideLayers>,
    ) -> Self {
        let (distance, at) = smoothed.largest();
        let [turn, kink, shape] = shape_errors(layers, wall, settings.geometry_order);
        let offsets = &layers.offsets;
        let last = offsets.len() - 1;
        CascadeReport {
            points: settings.points.len(),
            wall_length: wall.length(),
            mean_distance: smoothed.mean(),
            largest_distance: distance,
            farthest: settings.points[at],
            curvature: removed_curvature(settings, smoothed, wall),
            around: layers.around(),
            lengths: layers.lengths(),
            heights: [offsets[1], offsets[last] - offsets[last - 1], offsets[last]],
            turns: [turn, kink].map(f64::to_degrees),
            shape,
            depth: settings.span.core_height(),
            end_walls: settings.span.walls,
            tip: settings.span.gap.zip(inside).map(|(gap, inside)| TipReport {
                gap,
                blade_side: settings.span.blade_side_layers(),
                inside: inside.number(),
                thicknesses: inside.thicknesses(),
            }),
            annulus: settings.annular.as_ref().map(|row| AnnulusReport {
                blades: row.blades,
                radius: row.sections[row.middle].radius,
                pitch: settings.pitch,
                height: row.height,
                sections: loft.map(|loft| loft.distances.clone()).unwrap_or_default(),
            }),
            reynolds: settings.reynolds,
        }
    }
}

/// Curvature of the circle through three points, positive where they turn to the left.
fn of_three(a: Point, b: Point, c: Point) -> f64 {
    let [x, y] = minus(b, a);
    let [z, w] = minus(c, b);
    let [p, q] = minus(c, a);
    2.0 * (x * w - y * z) / (x.hypot(y) * z.hypot(w) * p.hypot(q))
}

/// Largest difference between the curvature of the points and that of the wall, where the wall does not turn sharply.
fn removed_curvature(settings: &Cascade, smoothed: &Smoothed, wall: &Wall) -> RemovedCurvature {
    /// Part of the longest local scale above which the wall is not sharply curved.
    const GENTLE: f64 = 0.5;
    let points = &settings.points;
    let n = points.len();
    let scales = local_scales(points, 1.0);
    let longest = scales.iter().copied().fold(0.0, f64::max);
    let mut most = RemovedCurvature {
        change: 0.0,
        rest: 0.0,
        at: points[0],
    };
    for i in (0..n).filter(|&i| scales[i] > GENTLE * longest) {
        let before = of_three(points[(i + n - 1) % n], points[i], points[(i + 1) % n]);
        let after = wall.at(wall.arc_of(smoothed.nearest[i])).curvature;
        let change = (before - after).abs();
        if change > most.change {
            most = RemovedCurvature {
                change,
                rest: after,
                at: points[i],
            };
        }
    }
    most
}

fn line(f: &mut Formatter, label: &str, text: fmt::Arguments) -> fmt::Result {
    writeln!(f, "{label:<28} {text}")
}

impl Display for CascadeReport {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        line(
            f,
            "profile",
            format_args!("{} points, length of the wall {:.5}", self.points, self.wall_length),
        )?;
        if let Some(AnnulusReport {
            blades,
            radius,
            pitch,
            height,
            sections,
        }) = &self.annulus
        {
            line(
                f,
                "annulus",
                format_args!("{blades} blades, {height:.5} high; at the radius {radius:.5} the pitch is {pitch:.5}"),
            )?;
            for (radius, mean) in sections {
                line(
                    f,
                    "section at the radius",
                    format_args!("{radius:.5}, points from the wall {mean:.2e} (rms)"),
                )?;
            }
        }
        let mean = self.mean_distance;
        let most = self.largest_distance;
        let [x, y] = self.farthest;
        line(
            f,
            "points from the wall",
            format_args!("{mean:.2e} (rms), at most {most:.2e} at ({x:.5}, {y:.5})"),
        )?;
        let RemovedCurvature {
            change,
            rest,
            at: [x, y],
        } = self.curvature;
        line(
            f,
            "curvature removed, at most",
            format_args!("{change:.3} at ({x:.5}, {y:.5}), where {rest:.3} remains"),
        )?;
        let around = self.around;
        let [low, high] = self.lengths;
        line(
            f,
            "cells around the blade",
            format_args!("{around}, {low:.5} to {high:.5} long"),
        )?;
        let [first, last, all] = self.heights;
        line(
            f,
            "layers",
            format_args!("first {first:.3e}, last {last:.3e}, together {all:.5} thick"),
        )?;
        if let Some(layers) = self.end_walls {
            line(
                f,
                "layers at end walls",
                format_args!(
                    "first {:.3e}, last {:.3e}, together {:.5} thick; {:.3e} between them",
                    layers.first,
                    layers.last(),
                    layers.thickness(),
                    self.depth
                ),
            )?;
        }
        self.tip.iter().try_for_each(|tip| tip.write(f))?;
        let [turn, kink] = self.turns;
        line(
            f,
            "turn of the wall in a cell",
            format_args!("at most {turn:.2} degrees"),
        )?;
        line(
            f,
            "kink of the wall at a node",
            format_args!("at most {kink:.2e} degrees"),
        )?;
        line(f, "cells from the wall", format_args!("at most {:.2e}", self.shape))?;
        self.write_wall_units(f)
    }
}

impl TipReport {
    fn write(&self, f: &mut Formatter) -> fmt::Result {
        let gap = self.gap;
        line(
            f,
            "tip gap",
            format_args!(
                "{:.5} high, {} cells; first {:.3e}, last {:.3e}, {:.3e} between the layers",
                gap.height,
                gap.all_cells(),
                gap.layers.first,
                gap.layers.last(),
                gap.core_height()
            ),
        )?;
        let [thin, thick] = self.thicknesses;
        line(
            f,
            "layers beside the tip",
            format_args!(
                "{} along the span; {} inside the outline, together {thin:.3e} to {thick:.3e} thick",
                self.blade_side, self.inside
            ),
        )
    }
}

impl CascadeReport {
    /// Friction velocity over the exit velocity from the turbulent boundary layer of a flat plate of one chord,
    /// c_f = 0.0592 Re^-1/5 (White 2006, Viscous Fluid Flow, section 6-6); wall units are estimated with it.
    fn write_wall_units(&self, f: &mut Formatter) -> fmt::Result {
        let Some(reynolds) = self.reynolds else { return Ok(()) };
        let friction = (0.5 * 0.0592 * reynolds.powf(-0.2)).sqrt();
        let unit = 1.0 / (reynolds * friction);
        writeln!(
            f,
            "\nwall units, estimated for Re = {reynolds:.0} ({unit:.3e} chords each)"
        )?;
        writeln!(
            f,
            "{:<8} {:>16} {:>16} {:>16}",
            "order", "first point", "points along", "points in z"
        )?;
        for order in ORDERS {
            let [a, b] = gauss_lobatto(order).0[..2] else { continue };
            let first = 0.5 * (b - a) * self.heights[0] / unit;
            let spaced = |length: f64| length / order as f64 / unit;
            let [along, deep] = [self.lengths[1], self.depth].map(spaced);
            writeln!(f, "{order:<8} {first:>16.2} {along:>16.1} {deep:>16.1}")?;
        }
        Ok(())
    }
}
