//! Pictures of values on triangles in a plane, drawn into pixels: a value at each corner, linear between them. And the
//! figures of a report as files of their own.

use resvg::tiny_skia::{Color, ColorU8, Pixmap, PixmapPaint, Transform};

use crate::plot::colours::Map;
use crate::plot::{self, Error};

/// Largest width and height of a picture in pixels.
const LARGEST: [f64; 2] = [1100.0, 900.0];

/// A figure of a report as a file of its own.
#[derive(Debug)]
pub struct Picture {
    /// Name of the file without its extension.
    pub name: String,
    /// The drawing in SVG.
    svg: String,
    /// A picture in PNG, and its left and upper edge in the drawing.
    inside: Option<(Vec<u8>, [u32; 2])>,
}

impl Picture {
    /// A figure that is complete.
    pub(crate) fn drawn(name: String, svg: String) -> Self {
        Picture {
            name,
            svg,
            inside: None,
        }
    }

    /// A picture in PNG inside a drawing, with its left and upper edge there.
    pub(super) fn inside(name: String, svg: String, png: Vec<u8>, place: [u32; 2]) -> Self {
        Picture {
            name,
            svg,
            inside: Some((png, place)),
        }
    }

    /// Returns the figure as a PNG file.
    ///
    /// # Errors
    /// The drawing cannot be converted into pixels.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let frame = plot::png(&self.svg)?;
        let Some((inside, [left, top])) = &self.inside else {
            return Ok(frame);
        };
        let failed = |message: String| Error::Rasterise(message);
        let decode = |png: &[u8]| Pixmap::decode_png(png).map_err(|error| failed(error.to_string()));
        let (mut pixels, inside) = (decode(&frame)?, decode(inside)?);
        let (paint, still) = (PixmapPaint::default(), Transform::identity());
        pixels.draw_pixmap(*left as i32, *top as i32, inside.as_ref(), &paint, still, None);
        pixels.encode_png().map_err(|error| failed(error.to_string()))
    }
}

/// Triangles in a plane.
pub(super) struct Triangles<'a> {
    /// Positions, `[point]`.
    pub points: &'a [[f64; 2]],
    /// Points of each triangle.
    pub nodes: &'a [[usize; 3]],
}

impl Triangles<'_> {
    /// Returns the corners of the smallest rectangle around all triangles; `None` without any.
    fn frame(&self) -> Option<[[f64; 2]; 2]> {
        let points = self.nodes.iter().flatten().map(|&node| self.points[node]);
        let grown = |[low, high]: [[f64; 2]; 2], x: [f64; 2]| {
            [
                std::array::from_fn(|d| f64::min(low[d], x[d])),
                std::array::from_fn(|d| f64::max(high[d], x[d])),
            ]
        };
        let frame = points.fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], grown);
        (frame[0][0] < frame[1][0] && frame[0][1] < frame[1][1]).then_some(frame)
    }

    /// Draws values at the points between `low` and `high` in the colours of a map, as a PNG file; `None` if there is
    /// nothing to draw.
    pub fn draw(&self, values: &[f64], [low, high]: [f64; 2], map: &Map) -> Option<Vec<u8>> {
        let [from, to] = self.frame()?;
        let size: [f64; 2] = std::array::from_fn(|d| to[d] - from[d]);
        let scale = (LARGEST[0] / size[0]).min(LARGEST[1] / size[1]);
        let [width, height] = size.map(|side| ((side * scale).ceil() as u32).max(1));
        let mut pixels = Pixmap::new(width, height)?;
        pixels.fill(Color::WHITE);
        let place = |node: usize| {
            let [x, y] = self.points[node];
            [(x - from[0]) * scale, f64::from(height) - (y - from[1]) * scale]
        };
        let colours = pixels.pixels_mut();
        for nodes in self.nodes {
            let corners = nodes.map(place);
            fill(corners, [width, height], |pixel, weights| {
                let value: f64 = nodes
                    .iter()
                    .zip(weights)
                    .map(|(&node, weight)| weight * values[node])
                    .sum();
                let share = if high > low { (value - low) / (high - low) } else { 0.5 };
                if share.is_finite() {
                    let [r, g, b] = map.at(share);
                    colours[pixel] = ColorU8::from_rgba(r, g, b, 255).premultiply();
                }
            });
        }
        pixels.encode_png().ok()
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
    use super::*;
    use crate::plot::colours::LOW_TO_HIGH;

    /// A rectangle of two triangles with the value x at its corners.
    fn drawn(width: f64, height: f64) -> Pixmap {
        let points = [[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]];
        let triangles = Triangles {
            points: &points,
            nodes: &[[0, 1, 2], [0, 2, 3]],
        };
        let values = points.map(|[x, _]| x);
        let png = triangles.draw(&values, [0.0, width], &LOW_TO_HIGH).unwrap();
        Pixmap::decode_png(&png).unwrap()
    }

    #[test]
    fn a_rectangle_is_filled_with_the_colours_of_its_values() {
        let picture = drawn(2.0, 1.0);
        assert_eq!((picture.width(), picture.height()), (1100, 550));
        for i in [0, 300, 549, 550, 800, 1099] {
            for j in [0, 274, 549] {
                let found = picture.pixel(i, j).unwrap().demultiply();
                let exact = LOW_TO_HIGH.at((f64::from(i) + 0.5) / 1100.0);
                assert_eq!([found.red(), found.green(), found.blue()], exact, "{i} {j}");
            }
        }
    }

    #[test]
    fn a_tall_domain_is_limited_by_its_height() {
        let picture = drawn(1.0, 10.0);
        assert_eq!((picture.width(), picture.height()), (90, 900));
    }

    #[test]
    fn the_upper_end_of_a_plane_is_at_the_top() {
        let points = [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]];
        let triangles = Triangles {
            points: &points,
            nodes: &[[0, 1, 2]],
        };
        let png = triangles.draw(&[0.0, 0.0, 1.0], [0.0, 1.0], &LOW_TO_HIGH).unwrap();
        let picture = Pixmap::decode_png(&png).unwrap();
        // Bright near the tip, dark at the base, and white beside the tip.
        let middle = picture.width() / 2;
        assert!(picture.pixel(middle, 20).unwrap().green() > 200);
        assert!(picture.pixel(middle, picture.height() - 2).unwrap().green() < 20);
        assert_eq!(picture.pixel(2, 2).unwrap().blue(), 255);
    }
}
