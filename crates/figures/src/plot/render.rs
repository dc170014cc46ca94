//! Text measurement and pixels, both by resvg over one embedded font. A computer that runs large jobs often has no
//! fonts, and a figure must look the same everywhere.

use super::error::Error;
use super::figure::{Figure, Size};
use super::page::Drawing;
use png::{BitDepth, ColorType, Encoder, EncodingError, PixelDimensions, Unit};
use resvg::tiny_skia::{Color, Pixmap, PixmapPaint, Transform};
use resvg::usvg::{Options, Tree};

/// The family of the embedded font, DejaVu Sans. It has the Greek, superscript and mathematical characters of labels,
/// and its licence (that of Bitstream Vera) permits the embedding.
pub(super) const FONT_FAMILY: &str = "DejaVu Sans";

/// Pixels on an inch of paper, as journals ask for drawings of lines.
const PIXELS_PER_INCH: f32 = 600.0;

/// The converter of SVG into measurements and pixels.
pub(super) struct Renderer {
    options: Options<'static>,
}

impl Renderer {
    /// Returns a converter that uses the embedded font and none of the system's.
    pub(super) fn new() -> Renderer {
        let mut options = Options {
            font_family: FONT_FAMILY.into(),
            ..Options::default()
        };
        options.fontdb_mut().load_font_data(dejavu::sans::regular().to_vec());
        Renderer { options }
    }

    /// Returns the width in pixels of a line of `text` (escaped for SVG) in letters of the given size.
    pub(super) fn text_width(&self, text: &str, size: f64) -> f64 {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\">\
             <text font-size=\"{size}\">{text}</text></svg>"
        );
        // A text that cannot be measured (empty, or of no known character) takes no room.
        Tree::from_str(&svg, &self.options).map_or(0.0, |tree| f64::from(tree.root().bounding_box().width()))
    }

    /// Returns the figure as a PNG file: one pixel for one unit of length, or [`PIXELS_PER_INCH`] of a size on paper,
    /// which the file then states. `drawing` is that of the figure for pixels.
    pub(super) fn png(&self, figure: &Figure, drawing: &Drawing, size: Size) -> Result<Vec<u8>, Error> {
        let failed = |message: String| Error::Rasterise(message);
        let tree = Tree::from_str(&drawing.svg, &self.options).map_err(|error| failed(error.to_string()))?;
        let scale = match size {
            Size::Screen | Size::Picture => 1.0,
            // The tree counts lengths in the pixels of its resolution.
            Size::Paper(_) => PIXELS_PER_INCH / self.options.dpi,
        };
        let whole = tree.size().scale_by(scale).unwrap_or(tree.size()).to_int_size();
        let mut pixels = Pixmap::new(whole.width(), whole.height())
            .ok_or_else(|| failed(format!("no room for {} x {} pixels", whole.width(), whole.height())))?;
        pixels.fill(Color::WHITE);
        for (panel, place) in &drawing.fields {
            // Whole pixels, so that the field reaches the frame on all sides.
            let [left, top, width, height] = place.map(|length| length * f64::from(scale));
            let ([left, right], [top, bottom]) = ([left, left + width], [top, top + height]);
            let [left, right, top, bottom] = [left, right, top, bottom].map(f64::round);
            let size = [right - left, bottom - top].map(|side| side.max(1.0) as u32);
            let field = figure.panels[*panel]
                .field
                .as_ref()
                .and_then(|field| field.pixels(size));
            if let Some(field) = field {
                let (paint, still) = (PixmapPaint::default(), Transform::identity());
                pixels.draw_pixmap(left as i32, top as i32, field.as_ref(), &paint, still, None);
            }
        }
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        encoded(&pixels, size).map_err(|error| failed(error.to_string()))
    }
}

/// Returns pixels as a PNG file, which states the resolution of a size on paper.
fn encoded(pixels: &Pixmap, size: Size) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    if let Size::Paper(_) = size {
        let per_metre = (f64::from(PIXELS_PER_INCH) / 0.0254).round() as u32;
        encoder.set_pixel_dims(Some(PixelDimensions {
            xppu: per_metre,
            yppu: per_metre,
            unit: Unit::Meter,
        }));
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels.clone().take_demultiplied())?;
    writer.finish()?;
    Ok(bytes)
}
