//! Values on triangles in a plane, such as the cut of a plane through a flow, turned into pixels: a value at each
//! corner, linear between them.

use resvg::tiny_skia::{Color, ColorU8, Pixmap};

use super::colours::Map;

/// Values on triangles, drawn as colours with a bar of the colours beside the axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Positions, `[point]`.
    pub points: Vec<[f64; 2]>,
    /// Points of each triangle.
    pub triangles: Vec<[usize; 3]>,
    /// Values, `[point]`.
    pub values: Vec<f64>,
    /// Lower left and upper right corner of the part that is drawn.
    pub window: [[f64; 2]; 2],
    /// Shifts at which the triangles are drawn; one of zero draws them where they are.
    pub shifts: Vec<[f64; 2]>,
    /// The values at both ends of the colours; values beyond have the colours of the ends.
    pub range: [f64; 2],
    /// The colours.
    pub colours: &'static Map,
}

impl Field {
    /// Returns the height of the window over its width.
    pub(super) fn shape(&self) -> f64 {
        let [low, high] = self.window;
        (high[1] - low[1]) / (high[0] - low[0])
    }

    /// Returns the window in pixels: white where no triangle is. `None` without any pixel.
    pub(super) fn pixels(&self, [width, height]: [u32; 2]) -> Option<Pixmap> {
        let mut pixels = Pixmap::new(width, height)?;
        pixels.fill(Color::WHITE);
        let [from, to] = self.window;
        let scale = [
            f64::from(width) / (to[0] - from[0]),
            f64::from(height) / (to[1] - from[1]),
        ];
        let [low, high] = self.range;
        let colours = pixels.pixels_mut();
        for shift in &self.shifts {
            let place = |node: usize| {
                let [x, y] = self.points[node];
                [
                    (x + shift[0] - from[0]) * scale[0],
                    f64::from(height) - (y + shift[1] - from[1]) * scale[1],
                ]
            };
            for nodes in &self.triangles {
                fill(nodes.map(place), [width, height], |pixel, weights| {
                    let corners = nodes.iter().zip(weights);
                    let value: f64 = corners.map(|(&node, weight)| weight * self.values[node]).sum();
                    let share = if high > low { (value - low) / (high - low) } else { 0.5 };
                    if share.is_finite() {
                        let [r, g, b] = self.colours.at(share);
                        colours[pixel] = ColorU8::from_rgba(r, g, b, 255).premultiply();
                    }
                });
            }
        }
        Some(pixels)
    }
}

/// Calls `put` with each pixel whose middle lies in a triangle, or on its edges, and with the weights of the corners
/// there.
fn fill([a, b, c]: [[f64; 2]; 3], [width, height]: [u32; 2], mut put: impl FnMut(usize, [f64; 3])) {
    let cross = |o: [f64; 2], p: [f64; 2], q: [f64; 2]| (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    let area = cross(a, b, c);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let range = |d: usize, most: u32| {
        let (low, high) = (a[d].min(b[d]).min(c[d]), a[d].max(b[d]).max(c[d]));
        let first = (low - 0.5).ceil().max(0.0) as u32;
        first..((high - 0.5).floor() + 1.0).clamp(0.0, f64::from(most)) as u32
    };
    // Pixels on a common edge belong to both triangles, so that rounding leaves no gap.
    let rounding = -1e-9;
    for j in range(1, height) {
        for i in range(0, width) {
            let x = [f64::from(i) + 0.5, f64::from(j) + 0.5];
            let weights = [cross(x, b, c), cross(x, c, a), cross(x, a, b)].map(|part| part / area);
            if weights.iter().all(|&weight| weight >= rounding) {
                put((j * width + i) as usize, weights);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::colours::LOW_TO_HIGH;
    use super::*;

    /// A rectangle of two triangles with the value x at its corners.
    fn rectangle(width: f64, height: f64) -> Field {
        let points = vec![[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]];
        Field {
            values: points.iter().map(|[x, _]| *x).collect(),
            window: [[0.0; 2], [width, height]],
            points,
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            shifts: vec![[0.0; 2]],
            range: [0.0, width],
            colours: &LOW_TO_HIGH,
        }
    }

    fn colour(picture: &Pixmap, i: u32, j: u32) -> [u8; 3] {
        let found = picture.pixel(i, j).unwrap().demultiply();
        [found.red(), found.green(), found.blue()]
    }

    #[test]
    fn a_rectangle_is_filled_with_the_colours_of_its_values() {
        let field = rectangle(2.0, 1.0);
        assert_eq!(field.shape(), 0.5);
        let picture = field.pixels([1100, 550]).unwrap();
        for i in [0, 300, 549, 550, 800, 1099] {
            for j in [0, 274, 549] {
                let exact = LOW_TO_HIGH.at((f64::from(i) + 0.5) / 1100.0);
                assert_eq!(colour(&picture, i, j), exact, "{i} {j}");
            }
        }
    }

    #[test]
    fn a_window_shows_its_part_and_copies_stand_beside_the_first() {
        let mut field = rectangle(2.0, 1.0);
        field.window = [[1.0, 0.0], [5.0, 1.0]];
        field.shifts = vec![[0.0; 2], [2.0, 0.0]];
        let picture = field.pixels([400, 100]).unwrap();
        // x = 1.505, then 0.505 in the copy, and nothing right of it.
        assert_eq!(colour(&picture, 50, 50), LOW_TO_HIGH.at(1.505 / 2.0));
        assert_eq!(colour(&picture, 150, 50), LOW_TO_HIGH.at(0.505 / 2.0));
        assert_eq!(colour(&picture, 350, 50), [255; 3]);
    }

    #[test]
    fn the_upper_end_of_a_plane_is_at_the_top() {
        let mut field = rectangle(1.0, 1.0);
        field.points = vec![[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]];
        field.triangles = vec![[0, 1, 2]];
        field.values = vec![0.0, 0.0, 1.0];
        let picture = field.pixels([900, 900]).unwrap();
        // Bright near the tip, dark at the base, and white beside the tip.
        assert!(colour(&picture, 450, 20)[1] > 200);
        assert!(colour(&picture, 450, 898)[1] < 20);
        assert_eq!(colour(&picture, 2, 2)[2], 255);
    }
}
