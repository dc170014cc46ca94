//! The step from the description of a figure to a file.

use super::error::Error;
use super::figure::{Figure, Format, Size};
use super::layout::{self, Target};
use super::render::Renderer;
use crate::io::atomic_write;
use std::path::Path;

/// Returns the drawing of `figure` in a size as a text in SVG, which a page of HTML can hold.
pub fn svg(figure: &Figure, size: Size) -> String {
    layout::drawing(figure, size, Target::File, &Renderer::new()).svg
}

/// Returns `figure` in a size as a PNG file.
///
/// # Errors
/// The drawing cannot be converted into pixels.
pub fn png(figure: &Figure, size: Size) -> Result<Vec<u8>, Error> {
    let renderer = Renderer::new();
    let drawing = layout::drawing(figure, size, Target::Pixels, &renderer);
    renderer.png(figure, &drawing, size)
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
    let bytes = match Format::of(path)? {
        Format::Svg => svg(figure, size).into_bytes(),
        Format::Png => png(figure, size)?,
    };
    Ok(atomic_write(path, &bytes)?)
}
