//! Sizes that all parts of a page share, the position of a panel on it, and the page when it is drawn.

use super::axis::Axis;

/// Sizes of letters in pixels: at ticks, at axes and in legends, in titles.
pub(super) const TICK_SIZE: f64 = 17.0;
pub(super) const LABEL_SIZE: f64 = 19.0;
pub(super) const TITLE_SIZE: f64 = 20.0;
/// Distance from the edges of the figure and between its parts.
pub(super) const MARGIN: f64 = 18.0;

/// The axes of a panel as a rectangle on the page.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Position of the title, which may have a legend between it and the axes.
    pub(super) title: f64,
    /// Position of the name of the vertical axis, left of the widest tick label of any panel.
    pub(super) y_label: f64,
}

impl Frame {
    pub(super) fn x_at(&self, axis: &Axis, value: f64) -> f64 {
        self.left + axis.fraction(value) * self.width
    }

    pub(super) fn y_at(&self, axis: &Axis, value: f64) -> f64 {
        self.top + (1.0 - axis.fraction(value)) * self.height
    }
}

/// A drawing in SVG.
pub(super) struct Drawing {
    /// The text.
    pub(super) svg: String,
    /// The places of fields: the number of the panel with left, top, width and height.
    pub(super) fields: Vec<(usize, [f64; 4])>,
}
