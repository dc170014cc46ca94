//! The layers of quadrilaterals around the blade.
//!
//! The lines between the layers are parallel curves of the wall, and the lines across them are its normals, so every
//! cell is the exact image of a rectangle: arc length along the wall by distance from it.

use super::plane::{Point, crossing, minus};
use super::section::Section;
use super::settings::Cascade;
use super::wall::Wall;
use crate::input::Problem;

/// The layers around the blade.
#[derive(Debug, Clone)]
pub(super) struct BladeLayers {
    /// Arc lengths of the cells' ends from the trailing edge on, one more than cells.
    pub arcs: Vec<f64>,
    /// Distances of the layers' edges from the wall.
    pub offsets: Vec<f64>,
    /// Outer edge of the last layer, one point a cell.
    pub rim: Vec<Point>,
}

impl BladeLayers {
    /// Divides the wall into cells and builds the layers.
    ///
    /// # Errors
    /// The layers are thicker than a concave part of the wall allows, or their outer edge crosses itself.
    pub fn new(settings: &Cascade, wall: &Wall) -> Result<Self, Problem> {
        Self::with_arcs(division(settings, wall)?, settings.layers.offsets(), wall)
    }

    /// Lays the same layers, with as many cells, around another section of the blade, whose sides are divided in the
    /// same proportions.
    ///
    /// # Errors
    /// They do not fit there.
    pub fn around_another(&self, wall: &Wall, other: &Wall) -> Result<Self, Problem> {
        let arc = |&s: &f64| {
            if s <= wall.leading {
                s / wall.leading * other.leading
            } else {
                let share = (s - wall.leading) / (wall.length() - wall.leading);
                other.leading + share * (other.length() - other.leading)
            }
        };
        Self::with_arcs(self.arcs.iter().map(arc).collect(), self.offsets.clone(), other)
    }

    fn with_arcs(arcs: Vec<f64>, offsets: Vec<f64>, wall: &Wall) -> Result<Self, Problem> {
        let thickness = offsets[offsets.len() - 1];
        refuse_folds(wall, &arcs, thickness)?;
        let rim: Vec<Point> = arcs[1..].iter().map(|s| wall.at(*s).above(thickness)).collect();
        match crossing(&rim) {
            None => Ok(BladeLayers { arcs, offsets, rim }),
            Some([x, y]) => Err(Problem::new(format!(
                "the layers are {thickness:.5} chords thick and overlap at ({x:.5}, {y:.5})"
            ))
            .key("layers")),
        }
    }

    /// Number of cells around the blade.
    pub fn around(&self) -> usize {
        self.rim.len()
    }

    /// Lengths of the outer edge's sides, with the middle of each.
    pub fn rim_sides(&self) -> impl Iterator<Item = (Point, Point)> {
        let n = self.rim.len();
        (0..n).map(move |i| (self.rim[i], self.rim[(i + 1) % n]))
    }

    /// Points of the outer edge, so many for each cell.
    pub fn outer_edge(&self, wall: &Wall, points: usize) -> Vec<Point> {
        let thickness = self.offsets[self.offsets.len() - 1];
        let cells = self.arcs.windows(2);
        let arcs = cells.flat_map(|w| {
            let at = move |i: usize| w[0] + (w[1] - w[0]) * (i as f64 + 0.5) / points as f64;
            (0..points).map(at)
        });
        arcs.map(|s| wall.at(s).above(thickness)).collect()
    }

    /// Adds the cells to the section. Returns the vertices on the wall and those on the outer edge, which begin and
    /// end at the trailing edge: cell i lies between vertices i and i + 1.
    pub fn add_to(&self, section: &mut Section, wall: &Wall) -> [Vec<u32>; 2] {
        let n = self.around();
        let g = section.order;
        let feet: Vec<_> = self.arcs[..n].iter().map(|s| wall.at(*s)).collect();
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(self.offsets.len());
        for offset in &self.offsets {
            let mut row: Vec<u32> = feet.iter().map(|foot| section.node(foot.above(*offset))).collect();
            row.push(row[0]);
            rows.push(row);
        }
        let along = |i: usize, step: usize| {
            let f = step as f64 / g as f64;
            self.arcs[i] + f * (self.arcs[i + 1] - self.arcs[i])
        };
        // From the trailing edge round to the left, so outwards is to the right.
        for i in 0..n {
            let feet: Vec<_> = (0..=g).map(|step| wall.at(along(i, step))).collect();
            for (k, pair) in self.offsets.windows(2).enumerate() {
                let corners = [rows[k][i + 1], rows[k][i], rows[k + 1][i], rows[k + 1][i + 1]];
                section.add_quad(corners, |a, b| {
                    let height = pair[0] + b as f64 / g as f64 * (pair[1] - pair[0]);
                    feet[g - a].above(height)
                });
            }
        }
        let last = rows.pop().unwrap_or_default();
        [rows.swap_remove(0), last]
    }

    /// Shortest and longest cell along the wall.
    pub fn lengths(&self) -> [f64; 2] {
        let each = self.arcs.windows(2).map(|w| w[1] - w[0]);
        each.fold([f64::INFINITY, 0.0], |[low, high], l| [low.min(l), high.max(l)])
    }
}

/// Divides the wall so that each cell has about the wanted length.
fn division(settings: &Cascade, wall: &Wall) -> Result<Vec<f64>, Problem> {
    /// Fewest and most cells around a blade.
    const FEWEST: usize = 12;
    const MOST: f64 = 100_000.0;
    let wanted = wanted_lengths(settings, wall);
    let step = wall.length() / wanted.len() as f64;
    let mut counts = vec![0.0];
    for (i, length) in wanted.iter().enumerate() {
        counts.push(counts[i] + step / length);
    }
    let total = counts[wanted.len()];
    if total > MOST {
        let what = format!("the blade would have {total:.0} cells around it: at most {MOST:.0} are possible");
        return Err(Problem::new(what).key("blade"));
    }
    let cells = (total.round() as usize).max(FEWEST);
    let arc = |cell: usize| {
        let count = total * cell as f64 / cells as f64;
        let i = counts.partition_point(|c| *c <= count).clamp(1, wanted.len());
        step * ((i - 1) as f64 + (count - counts[i - 1]) / (counts[i] - counts[i - 1]))
    };
    let mut arcs: Vec<f64> = (0..cells).map(arc).collect();
    arcs.push(wall.length());
    Ok(arcs)
}

/// The wanted lengths of cells at the middles of equal steps of the wall, from the trailing edge on.
fn wanted_lengths(settings: &Cascade, wall: &Wall) -> Vec<f64> {
    const STEPS: usize = 20_000;
    let sizes = settings.blade;
    let step = wall.length() / STEPS as f64;
    let mut wanted: Vec<f64> = (0..STEPS)
        .map(|i| {
            let curvature = wall.at((i as f64 + 0.5) * step).curvature.abs();
            sizes.size.min(sizes.turn / curvature.max(1e-9))
        })
        .collect();
    let edges = [(sizes.trailing, 0), (sizes.leading, (wall.leading / step) as usize)];
    for (size, at) in edges.into_iter().filter_map(|(size, at)| Some((size?, at))) {
        for i in [at % STEPS, (at + STEPS - 1) % STEPS] {
            wanted[i] = wanted[i].min(size);
        }
    }
    // Round twice in both senses: the length grows slowly from every short one.
    for i in 0..2 * STEPS {
        let here = i % STEPS;
        let next = (i + 1) % STEPS;
        wanted[next] = wanted[next].min(wanted[here] + sizes.growth * step);
    }
    for i in (0..2 * STEPS).rev() {
        let here = i % STEPS;
        let next = (i + 1) % STEPS;
        wanted[here] = wanted[here].min(wanted[next] + sizes.growth * step);
    }
    wanted
}

/// Refuses layers in which the lines across the wall come too close to each other.
fn refuse_folds(wall: &Wall, arcs: &[f64], thickness: f64) -> Result<(), Problem> {
    /// Least width of the outer edge over that at the wall.
    const NARROWEST: f64 = 0.3;
    for pair in arcs.windows(2) {
        for step in 0..4 {
            let foot = wall.at(pair[0] + 0.25 * step as f64 * (pair[1] - pair[0]));
            if 1.0 + thickness * foot.curvature < NARROWEST {
                let [x, y] = foot.point;
                return Err(Problem::new(format!(
                    "the layers are {thickness:.5} chords thick, but at ({x:.5}, {y:.5}) the wall is concave with a \
                     radius of {:.5}",
                    -1.0 / foot.curvature
                ))
                .key("layers")
                .help(format!(
                    "here they can be {:.5} thick",
                    (NARROWEST - 1.0) / foot.curvature
                )));
            }
        }
    }
    Ok(())
}

/// Returns the largest turn of the wall over a cell and the largest angle between the shapes of two cells where they
/// meet, both in radians, and the largest distance of a shape from the wall. The shapes are the polynomials of the
/// geometry's degree.
pub(super) fn shape_errors(layers: &BladeLayers, wall: &Wall, order: usize) -> [f64; 3] {
    /// Points of a cell at which the shape is compared with the wall.
    const SAMPLES: usize = 12;
    let n = layers.around();
    let angle = |a: Point, b: Point| (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1]).abs();
    let shapes: Vec<Vec<Point>> = (0..n)
        .map(|i| {
            let at = |step: usize| {
                let f = step as f64 / order as f64;
                wall.at(layers.arcs[i] + f * (layers.arcs[i + 1] - layers.arcs[i]))
                    .point
            };
            (0..=order).map(at).collect()
        })
        .collect();
    let mut turn = 0.0f64;
    let mut kink = 0.0f64;
    let mut apart = 0.0f64;
    for i in 0..n {
        let [s, t] = [layers.arcs[i], layers.arcs[i + 1]];
        turn = turn.max(angle(wall.at(s).normal, wall.at(t).normal));
        let end = |nodes: &[Point], x: f64| {
            let h = 1e-4;
            minus(lagrange(nodes, x + h), lagrange(nodes, x - h))
        };
        kink = kink.max(angle(end(&shapes[i], 1.0), end(&shapes[(i + 1) % n], 0.0)));
        for sample in 0..=SAMPLES {
            let x = sample as f64 / SAMPLES as f64;
            let point = lagrange(&shapes[i], x);
            let foot = wall.at(s + x * (t - s));
            // To second order the distance along the normal is the distance from the wall.
            let [a, b] = minus(point, foot.point);
            apart = apart.max((a * foot.normal[0] + b * foot.normal[1]).abs());
        }
    }
    [turn, kink, apart]
}

/// Evaluates the polynomial through points at equal steps of the parameter, from 0 to 1.
fn lagrange(nodes: &[Point], x: f64) -> Point {
    let g = nodes.len() - 1;
    let mut sum = [0.0; 2];
    for (i, node) in nodes.iter().enumerate() {
        let others = (0..=g).filter(|k| *k != i);
        let value: f64 = others
            .map(|k| (x * g as f64 - k as f64) / (i as f64 - k as f64))
            .product();
        (0..2).for_each(|d| sum[d] += value * node[d]);
    }
    sum
}
