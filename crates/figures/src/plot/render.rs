//! Text measurement and pixels, both by resvg over one embedded font. A computer that runs large jobs often has no
//! fonts, and a figure must look the same everywhere.

use super::error::Error;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// The family of the embedded font, DejaVu Sans. It has the Greek, superscript and mathematical characters of labels,
/// and its licence (that of Bitstream Vera) permits the embedding.
pub(super) const FONT_FAMILY: &str = "DejaVu Sans";

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

    /// Returns the drawing as a PNG file, one pixel for one unit of length.
    pub(super) fn png(&self, svg: &str) -> Result<Vec<u8>, Error> {
        let failed = |message: String| Error::Rasterise(message);
        let tree = Tree::from_str(svg, &self.options).map_err(|error| failed(error.to_string()))?;
        let size = tree.size().to_int_size();
        let mut pixels = Pixmap::new(size.width(), size.height())
            .ok_or_else(|| failed(format!("no room for {} x {} pixels", size.width(), size.height())))?;
        pixels.fill(Color::WHITE);
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| failed(error.to_string()))
    }
}
