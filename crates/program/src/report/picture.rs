//! The figures of a report as files of their own.

use crate::plot::figure::{Figure, Size};
use crate::plot::{self, Error};

/// A figure of a report as a file of its own.
#[derive(Debug)]
pub struct Picture {
    /// Name of the file without its extension.
    pub name: String,
    /// The figure.
    figure: Figure,
    size: Size,
}

impl Picture {
    /// A figure in the size in which the page shows it.
    pub(crate) fn new(name: String, figure: Figure, size: Size) -> Self {
        Picture { name, figure, size }
    }

    /// Returns the drawing in SVG, which the page holds.
    pub(crate) fn svg(&self) -> String {
        plot::svg(&self.figure, self.size)
    }

    /// Returns the figure as a PNG file.
    ///
    /// # Errors
    /// The drawing cannot be converted into pixels.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        plot::png(&self.figure, self.size)
    }
}
