//! The step from the description of a figure to a file.

use super::error::Error;
use super::figure::{Figure, Format, Size};
use super::layout;
use super::render::Renderer;
use crate::io::atomic_write;
use std::path::Path;

/// Returns the drawing of `figure` as a text in SVG, which a page of HTML can hold.
pub fn svg(figure: &Figure) -> String {
    layout::svg(figure, Size::Screen, &Renderer::new())
}

/// Returns a drawing in SVG as a PNG file, one pixel for one unit of length.
///
/// # Errors
/// The drawing cannot be converted into pixels.
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    Renderer::new().png(svg, Size::Screen)
}

/// Draws `figure` into the file at `path`, whose extension gives the format: `.png` or `.svg`. The file gets its name
/// when it is complete.
///
/// # Errors
/// The extension is another one, the drawing cannot be converted into pixels, or the file cannot be written.
pub fn draw(figure: &Figure, path: &Path) -> Result<(), Error> {
    draw_sized(figure, Size::Screen, path)
}

/// Draws `figure` as [`draw`] does, in a size.
///
/// # Errors
/// Those of [`draw`].
pub fn draw_sized(figure: &Figure, size: Size, path: &Path) -> Result<(), Error> {
    let format = Format::of(path)?;
    let renderer = Renderer::new();
    let svg = layout::svg(figure, size, &renderer);
    let bytes = match format {
        Format::Svg => svg.into_bytes(),
        Format::Png => renderer.png(&svg, size)?,
    };
    Ok(atomic_write(path, &bytes)?)
}
