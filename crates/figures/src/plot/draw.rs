//! The step from the description of a figure to a file.

use super::error::Error;
use super::figure::{Figure, Format};
use super::layout;
use super::render::Renderer;
use crate::io::atomic_write;
use std::path::Path;

/// Returns the drawing of `figure` as a text in SVG, which a page of HTML can hold.
pub fn svg(figure: &Figure) -> String {
    layout::svg(figure, &Renderer::new())
}

/// Returns a drawing in SVG as a PNG file, one pixel for one unit of length.
///
/// # Errors
/// The drawing cannot be converted into pixels.
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    Renderer::new().png(svg)
}

/// Draws `figure` into the file at `path`, whose extension gives the format: `.png` or `.svg`. The file gets its name
/// when it is complete.
///
/// # Errors
/// The extension is another one, the drawing cannot be converted into pixels, or the file cannot be written.
pub fn draw(figure: &Figure, path: &Path) -> Result<(), Error> {
    let format = Format::of(path)?;
    let renderer = Renderer::new();
    let svg = layout::svg(figure, &renderer);
    let bytes = match format {
        Format::Svg => svg.into_bytes(),
        Format::Png => renderer.png(&svg)?,
    };
    Ok(atomic_write(path, &bytes)?)
}
