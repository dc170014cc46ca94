//! The boundaries of the section: their divisions, the strip of equal cells, and the regions that are left to Gmsh.
//!
//! All nodes of the boundaries are placed here, so that those of the two periodic sides are images of each other, and
//! those of a strip or of the layers are what they should be.

use super::layers::BladeLayers;
use super::plane::{Point, between, distance};
use super::section::Section;
use super::settings::{Cascade, Strip};
use super::sides::SideLine;
use super::sizes::{SizeField, Sizes};
use crate::input::Problem;

/// A boundary of the section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The wall.
    Blade,
    /// The inlet.
    Inlet,
    /// The outlet.
    Outlet,
    /// The lower periodic side.
    Low,
    /// The upper periodic side.
    High,
}

/// A region to be filled with triangles or quadrilaterals: vertices round to the left outside, and those of a hole.
#[derive(Debug)]
pub(super) struct Region {
    /// The vertices around it.
    pub outside: Vec<u32>,
    /// The vertices around its hole; empty if there is none.
    pub hole: Vec<u32>,
}

/// The boundaries of the section and the regions inside.
#[derive(Debug)]
pub(super) struct Outline {
    /// Edges of the boundaries.
    pub edges: Vec<([u32; 2], Side)>,
    /// The regions without cells.
    pub regions: Vec<Region>,
}

impl Outline {
    /// Divides the boundaries and adds the cells of a strip to the section. `rim` are the vertices of the layers' outer
    /// edge.
    pub fn new(settings: &Cascade, line: &SideLine, sizes: &Sizes, section: &mut Section, rim: &[u32]) -> Self {
        let [inlet, outlet] = settings.ends.map(|end| end.x);
        let mut outline = Outline {
            edges: Vec::new(),
            regions: Vec::new(),
        };
        let divide = |from: f64, to: f64| line.divide(from, to, |place| sizes.at(place));
        let mut hole: Vec<u32> = rim[..rim.len() - 1].to_vec();
        hole.reverse();
        // From left to right: each upright line is the end of one part and the beginning of the next.
        let mut upright = None;
        let mut main_from = inlet;
        if let Some(strip) = settings.strip {
            if strip.from > inlet {
                let sides = both_sides(section, &divide(inlet, strip.from), settings.pitch);
                let left = upright_line(section, &sides, 0, divisions(settings.pitch, settings.ends[0].size));
                let right = upright_line(section, &sides, sides[0].len() - 1, strip.rows(settings.pitch));
                outline.add_edges(&left, Side::Inlet);
                outline.add_region([&sides[0], &sides[1]], [&left, &right], Vec::new());
                upright = Some(right);
            }
            let right = outline.add_strip(settings, line, section, strip, upright.as_deref());
            upright = Some(right);
            main_from = strip.to;
        }
        let low = divide(main_from, outlet);
        let (sides, left) = match upright {
            Some(line) => {
                // The corners are those of the strip.
                let mut sides = both_sides(section, &low[1..], settings.pitch);
                sides[0].insert(0, line[0]);
                sides[1].insert(0, line[line.len() - 1]);
                (sides, line)
            }
            None => {
                let sides = both_sides(section, &low, settings.pitch);
                let line = upright_line(section, &sides, 0, divisions(settings.pitch, settings.ends[0].size));
                outline.add_edges(&line, Side::Inlet);
                (sides, line)
            }
        };
        let count = divisions(settings.pitch, settings.ends[1].size);
        let right = upright_line(section, &sides, sides[0].len() - 1, count);
        outline.add_edges(&right, Side::Outlet);
        outline.add_region([&sides[0], &sides[1]], [&left, &right], hole);
        outline
    }

    /// Adds the strip. Returns the vertices of its right side; those of its left side are given, or are the inlet.
    fn add_strip(
        &mut self,
        settings: &Cascade,
        line: &SideLine,
        section: &mut Section,
        strip: Strip,
        left: Option<&[u32]>,
    ) -> Vec<u32> {
        let columns = strip.columns();
        let rows = strip.rows(settings.pitch);
        let y = line.y(strip.to);
        let mut before: Vec<u32> = Vec::new();
        for i in 0..=columns {
            let x = strip.from + (strip.to - strip.from) * i as f64 / columns as f64;
            let column: Vec<u32> = match left {
                Some(left) if i == 0 => left.to_vec(),
                _ => (0..=rows)
                    .map(|j| section.node([x, y + settings.pitch * j as f64 / rows as f64]))
                    .collect(),
            };
            if i == 0 && left.is_none() {
                self.add_edges(&column, Side::Inlet);
            }
            for j in 0..if i == 0 { 0 } else { rows } {
                section.add_straight_quad([before[j], column[j], column[j + 1], before[j + 1]]);
            }
            if i > 0 {
                self.edges.push(([before[0], column[0]], Side::Low));
                self.edges.push(([before[rows], column[rows]], Side::High));
            }
            before = column;
        }
        before
    }

    fn add_edges(&mut self, vertices: &[u32], side: Side) {
        self.edges.extend(vertices.windows(2).map(|w| ([w[0], w[1]], side)));
    }

    /// Adds a region between the lower and the upper side and two upright lines, all from left to right or upwards.
    fn add_region(&mut self, [low, high]: [&[u32]; 2], [left, right]: [&[u32]; 2], hole: Vec<u32>) {
        self.add_edges(low, Side::Low);
        self.add_edges(high, Side::High);
        let mut outside: Vec<u32> = low.to_vec();
        outside.extend(&right[1..right.len() - 1]);
        outside.extend(high.iter().rev());
        outside.extend(left[1..left.len() - 1].iter().rev());
        self.regions.push(Region { outside, hole });
    }
}

impl Strip {
    /// Number of cells in x.
    pub fn columns(&self) -> usize {
        divisions(self.to - self.from, self.size)
    }

    /// Number of cells in a pitch.
    pub fn rows(&self, pitch: f64) -> usize {
        divisions(pitch, self.size)
    }
}

fn divisions(length: f64, size: f64) -> usize {
    (length / size).round().max(1.0) as usize
}

/// Adds the points and their images a pitch above.
fn both_sides(section: &mut Section, low: &[Point], pitch: f64) -> [Vec<u32>; 2] {
    let mut add = |shift: f64| low.iter().map(|[x, y]| section.node([*x, y + shift])).collect();
    [add(0.0), add(pitch)]
}

/// Adds the vertices of a straight line between the two sides, in equal parts; the ends are there already.
fn upright_line(section: &mut Section, sides: &[Vec<u32>; 2], at: usize, parts: usize) -> Vec<u32> {
    let [low, high] = [sides[0][at], sides[1][at]];
    let [from, to] = [low, high].map(|v| section.positions[v as usize]);
    let inner = (1..parts).map(|part| section.node(between(from, to, part as f64 / parts as f64)));
    let inner: Vec<u32> = inner.collect();
    [low].into_iter().chain(inner).chain([high]).collect()
}

/// Refuses layers that come too near to the periodic sides, and so to the layers of the next blade, or to the ends.
///
/// # Errors
/// A point of the layers' outer edge is outside, or nearer to a side than half of the cell there.
pub(super) fn refuse_overlap(settings: &Cascade, line: &SideLine, layers: &BladeLayers) -> Result<(), Problem> {
    let [inlet, outlet] = settings.ends;
    for (a, b) in layers.rim_sides() {
        let room = 0.5 * distance(a, b);
        let slope = (line.y(a[0] + 1e-6) - line.y(a[0] - 1e-6)) / 2e-6;
        // Distances from a line that is nearly straight here.
        let above = (a[1] - line.y(a[0])) / slope.hypot(1.0);
        let below = settings.pitch / slope.hypot(1.0) - above;
        let [x, y] = a;
        if above.min(below) < room {
            return Err(Problem::new(format!(
                "the layers reach the middle between two blades at ({x:.5}, {y:.5}): they and the cells of the passage \
                 have {:.5} chords of room there",
                above.min(below).max(0.0)
            ))
            .key("layers")
            .help("thinner layers, or a larger pitch"));
        }
        for (end, key, beyond) in [(inlet, "inlet.x", inlet.x - x), (outlet, "outlet.x", x - outlet.x)] {
            if beyond > -room {
                let what = format!(
                    "the layers of the blade reach x = {x:.5}, but this boundary is at {}",
                    end.x
                );
                return Err(Problem::new(what).key(key));
            }
        }
        if settings.strip.is_some_and(|strip| x - strip.to < room) {
            return Err(Problem::new(format!(
                "the strip meets the layers of the blade, which begin at x = {x:.5}"
            ))
            .key("strip.to"));
        }
    }
    Ok(())
}
