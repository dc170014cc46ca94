//! The description of a figure: panels of curves, bars or spans, and the conventions (colours, marks, dashes) that make
//! all figures of the project look alike.

use super::error::Error;
use std::path::Path;

/// Width of every figure in pixels; its height follows from its panels.
pub const WIDTH: u32 = 1600;

/// Colours by Okabe and Ito, which people with the common colour deficiencies can tell apart, without their yellow,
/// which is too light for a line on white, and their black, which is kept for references.
const COLORS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// Two more for as many as eight lines: dark enough to be told from the others by lightness.
const MORE_COLORS: [&str; 2] = ["#4B2E83", "#7A4B1E"];

const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond];

/// A picture of one or more panels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// What holds for all panels, above them; may be empty.
    pub title: String,
    /// Lines below the title: what the panels say in numbers, or leave out.
    pub notes: Vec<String>,
    /// Whether every panel has a legend of its own, instead of one for all above them.
    pub own_legends: bool,
    /// The panels, from left to right, at most three side by side.
    pub panels: Vec<Panel>,
}

/// A pair of axes with curves, with bars, or with spans.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// What stands above the axes.
    pub title: String,
    /// Quantity and unit along the horizontal axis; empty for spans over the axis of the panel below.
    pub x_label: String,
    /// Quantity and unit along the vertical axis.
    pub y_label: String,
    /// The curves; later ones lie on top.
    pub curves: Vec<Curve>,
    /// Bars in place of curves.
    pub bars: Option<Bars>,
    /// Spans in place of curves.
    pub lanes: Option<Lanes>,
    /// How numbers are laid out along the horizontal axis.
    pub x_scale: Scale,
    /// The same for the vertical axis.
    pub y_scale: Scale,
    /// Whether the panel takes a row of its own.
    pub wide: bool,
}

impl Panel {
    /// Number of lines that the labels below the axes take.
    pub(super) fn label_lines(&self) -> usize {
        let bars = self.bars.iter().flat_map(|bars| &bars.bars);
        bars.map(|bar| bar.label.len()).max().unwrap_or(1).max(1)
    }
}

/// How numbers are laid out along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, over the range of the data.
    #[default]
    Fitted,
    /// Evenly from zero, so that lengths can be compared.
    FromZero,
    /// Whole numbers, with room beyond both ends.
    Whole,
    /// By their logarithm; numbers that have none are left out.
    Logarithmic,
}

/// Bars, each a pile of the same parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bars {
    /// Name and colour (`#RRGGBB`) of the parts, from the bottom.
    pub parts: Vec<(String, &'static str)>,
    /// What the line across a bar at its total is called in the legend.
    pub total: String,
    /// The bars from left to right.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bar {
    /// What stands below it, in lines.
    pub label: Vec<String>,
    /// Heights of the parts.
    pub parts: Vec<f64>,
    /// Where the line across the bar is; its number stands above the bar.
    pub total: f64,
}

impl Bar {
    /// Whether the parts reach beyond the line at the total by more than they may be wrong.
    pub fn is_exceeded(&self) -> bool {
        self.parts.iter().sum::<f64>() > 1.02 * self.total
    }
}

/// Spans in rows, one row above the other, along an axis that starts at zero.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lanes {
    /// What stands before the rows, from the top.
    pub names: Vec<String>,
    /// Name and colour (`#RRGGBB`) of the kinds of span.
    pub kinds: Vec<(String, &'static str)>,
    /// The spans.
    pub spans: Vec<Span>,
    /// Where the axis ends, the same in panels that are to be compared.
    pub end: f64,
}

/// A bar along a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Number of its row.
    pub lane: usize,
    /// Number of its kind.
    pub kind: usize,
    /// Where it begins.
    pub begin: f64,
    /// Where it ends.
    pub end: f64,
}

/// A line through points.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name in the legend; empty for no entry there. Curves of equal name and style share one entry, also across
    /// panels, and a curve without points is an entry alone.
    pub label: String,
    /// Horizontal positions.
    pub x: Vec<f64>,
    /// Vertical positions; the line is broken where one is not finite.
    pub y: Vec<f64>,
    /// How the line looks.
    pub style: Style,
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Colour as `#RRGGBB`.
    pub color: &'static str,
    /// Width in pixels.
    pub width: f64,
    /// Lengths of stroke and gap in pixels in the manner of SVG; empty for an unbroken line.
    pub dashes: &'static str,
    /// The mark at the points.
    pub marker: Marker,
}

/// A mark at the points of a curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Marker {
    /// Nothing.
    #[default]
    None,
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points upward.
    Triangle,
    /// A square on its corner.
    Diamond,
}

impl Style {
    /// The style of the run number `index` of a comparison. Colours come round again after six runs, then dashed.
    pub fn run(index: usize) -> Style {
        let dashes = if index < COLORS.len() { "" } else { "12 3 3 3" };
        Style {
            color: COLORS[index % COLORS.len()],
            width: 2.6,
            dashes,
            marker: Marker::None,
        }
    }

    /// The style of few measured points, with a mark at every point: one property of what was measured chooses the
    /// colour, the others the mark and the dashes.
    pub fn measured(color: usize, mark: usize) -> Style {
        const DASHES: [&str; 4] = ["", "10 5", "3 3", "12 3 3 3"];
        Style {
            color: [&COLORS[..], &MORE_COLORS].concat()[color % (COLORS.len() + MORE_COLORS.len())],
            width: 2.6,
            dashes: DASHES[mark % DASHES.len()],
            marker: MARKERS[mark % MARKERS.len()],
        }
    }

    /// Open marks without a line, for numbers from elsewhere.
    pub fn elsewhere(index: usize) -> Style {
        Style {
            color: "#000000",
            width: 0.0,
            dashes: "",
            marker: MARKERS[(index + 3) % MARKERS.len()],
        }
    }

    /// The style of data that runs are compared with: dashed, so that a run that matches is seen between the strokes.
    pub fn reference() -> Style {
        Style {
            color: "#000000",
            width: 2.2,
            dashes: "9 5",
            marker: Marker::None,
        }
    }

    /// The line across a bar at its total.
    pub(super) fn total() -> Style {
        Style {
            width: 2.4,
            dashes: "",
            ..Style::reference()
        }
    }

    /// A thin, dotted line of the same colour, for a part of what the line shows.
    pub fn part(self) -> Style {
        Style {
            width: 1.8,
            dashes: "2.5 3",
            ..self
        }
    }

    /// The same line in grey, for legend entries that hold for any colour.
    pub fn grey(self) -> Style {
        Style {
            color: "#666666",
            ..self
        }
    }
}

/// Kinds of file a figure can be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Pixels.
    Png,
    /// Lines and text.
    Svg,
}

impl Format {
    /// The format that the extension of `path` asks for.
    ///
    /// # Errors
    /// The extension is neither `png` nor `svg`.
    pub fn of(path: &Path) -> Result<Format, Error> {
        match path
            .extension()
            .and_then(|extension| extension.to_str())
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            Some("png") => Ok(Format::Png),
            Some("svg") => Ok(Format::Svg),
            _ => Err(Error::Format { path: path.into() }),
        }
    }
}
