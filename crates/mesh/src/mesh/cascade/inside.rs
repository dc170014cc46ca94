//! Cells inside the outline of the blade, for a gap between its tip and an end wall.
//!
//! The gas over the tip needs cells where the blade is not, and their faces fit those of the layers around it. Inside
//! of the wall lie layers as well, since a shear layer begins at the edge of the tip; the rest is left to Gmsh. The
//! layers have the first height of those outside wherever the blade has room for them: together they take no more than
//! a part of the radius of the largest circle inside that touches the wall there, so that they become thin towards the
//! leading and the trailing edge. There are only as many as leave them a quarter of their first height at the thinnest
//! place, the trailing edge, since cells that are thinner shorten the time step of all. Where there are fewer than
//! outside they grow faster, so that the last of them comes near to the cells that are left to Gmsh.

use super::heights::Layers;
use super::layers::BladeLayers;
use super::plane::{Point, between, crossing, distance};
use super::section::Section;
use super::sizes::SizeField;
use super::wall::{Foot, Wall};
use crate::input::Problem;

/// Part of the radius of a circle inside the blade that the layers may take.
const SHARE: f64 = 0.6;
/// Least height of a layer at the thinnest place, relative to the first one, that decides how many layers there are.
const THINNEST: f64 = 0.25;
/// Largest growth of the layers.
const LARGEST_GROWTH: f64 = 2.0;

/// The layers inside the outline.
#[derive(Debug, Clone)]
pub(super) struct InsideLayers {
    /// Arc lengths of the cells' ends, those of the layers outside.
    arcs: Vec<f64>,
    /// Distances of the layers' edges from the wall at each of them, `[end][edge]`; the last end is the first one.
    offsets: Vec<Vec<f64>>,
    /// Inner edge of the last layer, one point a cell, round to the left.
    pub rim: Vec<Point>,
}

impl InsideLayers {
    /// Lays as many layers as there is room for, with the first height of `layers`, those outside.
    ///
    /// # Errors
    /// The inner edge crosses itself.
    pub fn new(layers: &Layers, around: &BladeLayers, wall: &Wall) -> Result<Self, Problem> {
        let rooms = rooms(&around.arcs, wall);
        let least = rooms.iter().copied().fold(f64::INFINITY, f64::min);
        let most = (least / (THINNEST * layers.first)).floor() as usize;
        Self::with_number(most.clamp(1, layers.number), layers, around, wall)
    }

    /// Lays as many layers inside another section of the blade.
    ///
    /// # Errors
    /// The inner edge crosses itself.
    pub fn inside_another(&self, layers: &Layers, around: &BladeLayers, wall: &Wall) -> Result<Self, Problem> {
        Self::with_number(self.number(), layers, around, wall)
    }

    /// Lays this number of layers.
    fn with_number(number: usize, layers: &Layers, around: &BladeLayers, wall: &Wall) -> Result<Self, Problem> {
        let arcs = around.arcs.clone();
        let fitted = |room: &f64| fitted(number, layers, *room);
        let mut offsets: Vec<Vec<f64>> = rooms(&arcs, wall).iter().map(fitted).collect();
        offsets.push(offsets[0].clone());
        let inner = |(arc, offsets): (&f64, &Vec<f64>)| wall.at(*arc).above(-offsets[number]);
        let ends = arcs.iter().zip(&offsets).take(around.around());
        let rim: Vec<Point> = ends.map(inner).collect();
        match crossing(&rim) {
            None => Ok(InsideLayers { arcs, offsets, rim }),
            Some([x, y]) => Err(Problem::new(format!(
                "the cells along the blade are too long for its thickness at ({x:.5}, {y:.5}): the cells over the tip \
                 overlap there"
            ))
            .key("blade")
            .help("a smaller `blade.size`, `blade.trailing-edge` or `blade.growth`")),
        }
    }

    /// Number of layers.
    pub fn number(&self) -> usize {
        self.offsets[0].len() - 1
    }

    /// Least and largest height of the layers together.
    pub fn thicknesses(&self) -> [f64; 2] {
        let each = self.offsets.iter().map(|offsets| offsets[self.number()]);
        each.fold([f64::INFINITY, 0.0], |[low, high], t| [low.min(t), high.max(t)])
    }

    /// Distance from the wall of the k-th edge at a fraction of cell i. It is linear along the wall in a cell.
    fn offset(&self, i: usize, k: usize, fraction: f64) -> f64 {
        let [from, to] = [self.offsets[i][k], self.offsets[i + 1][k]];
        from + fraction * (to - from)
    }

    fn foot(&self, wall: &Wall, i: usize, fraction: f64) -> Foot {
        wall.at(self.arcs[i] + fraction * (self.arcs[i + 1] - self.arcs[i]))
    }

    /// Points of the inner edge, so many for each cell.
    pub fn inner_edge(&self, wall: &Wall, points: usize) -> Vec<Point> {
        let last = self.number();
        let cells = (0..self.rim.len()).flat_map(|i| (0..points).map(move |k| (i, (k as f64 + 0.5) / points as f64)));
        cells
            .map(|(i, f)| self.foot(wall, i, f).above(-self.offset(i, last, f)))
            .collect()
    }

    /// Adds the cells to the section, in which `foot` are the vertices on the wall, first and last the same. Returns
    /// the vertices of the inner edge, round to the left.
    pub fn add_to(&self, section: &mut Section, wall: &Wall, foot: &[u32]) -> Vec<u32> {
        let n = self.rim.len();
        let g = section.order;
        let mut rows: Vec<Vec<u32>> = vec![foot.to_vec()];
        for k in 1..=self.number() {
            let at = |i: usize| self.foot(wall, i, 0.0).above(-self.offsets[i][k]);
            let mut row: Vec<u32> = (0..n).map(|i| section.node(at(i))).collect();
            row.push(row[0]);
            rows.push(row);
        }
        // From the trailing edge round to the left, so inwards is to the left.
        for i in 0..n {
            let along = |step: usize| step as f64 / g as f64;
            let feet: Vec<Foot> = (0..=g).map(|step| self.foot(wall, i, along(step))).collect();
            for k in 0..self.number() {
                let corners = [rows[k][i], rows[k][i + 1], rows[k + 1][i + 1], rows[k + 1][i]];
                section.add_quad(corners, |a, b| {
                    let [low, high] = [k, k + 1].map(|edge| self.offset(i, edge, along(a)));
                    feet[a].above(-(low + along(b) * (high - low)))
                });
            }
        }
        let mut rim = rows.pop().unwrap_or_default();
        rim.truncate(n);
        rim
    }
}

/// The wanted sizes of the cells inside of the layers: they begin with the lengths of the inner edge's sides.
pub(super) struct InsideSizes {
    /// Middles of the sides, with their lengths.
    sides: Vec<(Point, f64)>,
    growth: f64,
}

impl InsideSizes {
    pub fn new(layers: &InsideLayers, growth: f64) -> Self {
        let n = layers.rim.len();
        let ends = (0..n).map(|i| (layers.rim[i], layers.rim[(i + 1) % n]));
        InsideSizes {
            sides: ends.map(|(a, b)| (between(a, b, 0.5), distance(a, b))).collect(),
            growth,
        }
    }
}

impl SizeField for InsideSizes {
    fn at(&self, place: Point) -> f64 {
        let near = |rest: f64, (middle, length): &(Point, f64)| {
            let beside = (distance(place, *middle) - 0.5 * length).max(0.0);
            rest.min(length + self.growth * beside)
        };
        self.sides.iter().fold(f64::INFINITY, near)
    }
}

/// The part of the largest circle inside the blade that touches the wall at each arc length that the layers may take.
/// The last arc length is that of the first one again, and has none.
fn rooms(arcs: &[f64], wall: &Wall) -> Vec<f64> {
    /// Places of the wall that the circles may meet: everywhere, and in each cell.
    const EVERYWHERE: usize = 2000;
    const IN_A_CELL: usize = 4;
    /// Places nearer than this are left to the curvature.
    const SAME: f64 = 1e-5;
    let length = wall.length();
    let all = (0..EVERYWHERE).map(|i| length * i as f64 / EVERYWHERE as f64);
    let in_cells = arcs.windows(2).flat_map(|w| {
        let at = move |k: usize| w[0] + (w[1] - w[0]) * k as f64 / IN_A_CELL as f64;
        (0..IN_A_CELL).map(at)
    });
    let others: Vec<Point> = all.chain(in_cells).map(|s| wall.at(s).point).collect();
    let radius = |arc: &f64| {
        let foot = wall.at(*arc);
        let bent = if foot.curvature > 0.0 {
            1.0 / foot.curvature
        } else {
            f64::INFINITY
        };
        others.iter().fold(bent, |least, other| {
            let [x, y] = [other[0] - foot.point[0], other[1] - foot.point[1]];
            let squared = x * x + y * y;
            let inwards = -(x * foot.normal[0] + y * foot.normal[1]);
            if squared < SAME * SAME || inwards <= 0.0 {
                least
            } else {
                least.min(0.5 * squared / inwards)
            }
        })
    };
    arcs[..arcs.len() - 1].iter().map(|arc| SHARE * radius(arc)).collect()
}

/// Distances of the edges of so many layers that take no more than a room, and no more than `layers`, those outside.
/// Where the room is small, the growth falls first, then the first height.
fn fitted(number: usize, layers: &Layers, room: f64) -> Vec<f64> {
    let equal = room / number as f64;
    if equal <= layers.first {
        return (0..=number).map(|k| k as f64 * equal).collect();
    }
    let with = |growth: f64| Layers {
        growth,
        number,
        ..*layers
    };
    let most = layers.thickness().min(room);
    let [mut low, mut high] = [1.0, LARGEST_GROWTH];
    for _ in 0..60 {
        let growth = 0.5 * (low + high);
        if with(growth).thickness() <= most {
            low = growth
        } else {
            high = growth
        }
    }
    with(low).offsets()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_keep_their_first_height_as_long_as_there_is_room() {
        let layers = Layers {
            first: 0.1,
            growth: 1.5,
            number: 4,
        };
        for (number, room, first, all) in [
            (4, 9.0, 0.1, layers.thickness()),
            (2, 9.0, 0.1, 0.3), // they grow by 2, and no more
            (3, 0.4, 0.1, 0.4),
            (3, 0.15, 0.05, 0.15),
        ] {
            let offsets = fitted(number, &layers, room);
            assert_eq!(offsets.len(), number + 1);
            assert!((offsets[1] - first).abs() < 1e-12, "{number} {room}: {offsets:?}");
            assert!((offsets[number] - all).abs() < 1e-12, "{number} {room}: {offsets:?}");
        }
    }
}
