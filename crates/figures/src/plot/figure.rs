//! The description of a figure: panels of curves or tiles, and the conventions (colours, marks, dashes)
//! that make all figures of the project look alike.

use super::colours::Map;
use super::error::Error;
use super::field::Field;
use crate::output::Certainty;
use std::path::Path;
use std::str::FromStr;

/// Width in pixels of a figure without a size on paper; its height follows from its panels.
pub const WIDTH: u32 = 1600;

/// Width in pixels of a picture that stands beside others.
const PICTURE: u32 = 1000;

/// Millimetres on paper of a unit of length of a drawing: letters of 19 units, those of axes and legends, have 8
/// points, and those of 17, at the ticks, 7.
const UNIT: f64 = 0.1485;

/// Least and largest width on paper in millimetres: half a column, in which a panel still has room beside its numbers,
/// and a poster.
const WIDTHS: std::ops::RangeInclusive<f64> = 60.0..=1000.0;

/// Colours by Okabe and Ito, which people with the common colour deficiencies can distinguish, without their yellow,
/// which is too light for a line on white, and their black, which is reserved for references.
const COLORS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// Two more for up to eight lines: dark enough to differ from the others in lightness.
const MORE_COLORS: [&str; 2] = ["#4B2E83", "#7A4B1E"];

const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond];

/// Number of standard errors to either side of a mean that bands and tables show. Headings of tables say it in words.
pub const SHOWN_ERRORS: f64 = 2.0;

/// A picture of one or more panels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// Text above all panels about what they have in common; may be empty.
    pub title: String,
    /// Lines below the title: numbers that belong to the panels, or what they omit.
    pub notes: Vec<String>,
    /// Whether every panel has a legend of its own, instead of one for all above them.
    pub own_legends: bool,
    /// The panels, from left to right, at most three side by side.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// Returns what the figure shows in words: its title, or else those of its panels.
    pub(super) fn name(&self) -> String {
        if !self.title.is_empty() {
            return self.title.clone();
        }
        let of_panel = |panel: &Panel| match (panel.title.as_str(), panel.y_label.as_str()) {
            ("", label) => format!("{label} over {}", panel.x_label),
            (title, _) => title.to_owned(),
        };
        self.panels.iter().map(of_panel).collect::<Vec<_>>().join("; ")
    }
}

/// A pair of axes with curves or tiles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// Text above the axes.
    pub title: String,
    /// Quantity and unit along the horizontal axis.
    pub x_label: String,
    /// Quantity and unit along the vertical axis.
    pub y_label: String,
    /// The curves; later ones lie on top.
    pub curves: Vec<Curve>,
    /// Bands below all curves, such as the errors of their points.
    pub bands: Vec<Band>,
    /// Values as colours, below all curves.
    pub tiles: Option<Tiles>,
    /// Values on triangles as colours, below all curves. The panel stands alone in its row, with one scale of length
    /// for both axes.
    pub field: Option<Field>,
    /// Scale of the horizontal axis.
    pub x_scale: Scale,
    /// Names of the whole numbers from 0 on, which stand at the horizontal axis in place of numbers; none for a scale.
    pub x_names: Vec<String>,
    /// Scale of the vertical axis.
    pub y_scale: Scale,
    /// Whether the panel takes a row of its own.
    pub wide: bool,
}

/// Values on a grid of rectangles, drawn as colours, with a bar of the colours beside the axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Tiles {
    /// Edges of the columns, ascending: one more than there are columns.
    pub x: Vec<f64>,
    /// Edges of the rows, ascending: one more than there are rows.
    pub y: Vec<f64>,
    /// Values, `[row][column]`; a tile whose value is not finite stays white.
    pub values: Vec<f64>,
    /// The values at both ends of the colours; values beyond have the colours of the ends.
    pub range: [f64; 2],
    /// The colours.
    pub colours: &'static Map,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, over the range of the data.
    #[default]
    Fitted,
    /// Evenly, with some room beyond the data, for marks.
    Roomy,
    /// Whole numbers, with room beyond both ends.
    Whole,
    /// Logarithmic; numbers without a logarithm are left out.
    Logarithmic,
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
    /// Appearance of the line.
    pub style: Style,
}

/// The band between two lines over the same horizontal positions. An end that is infinite reaches the frame, and does
/// not count for the axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Horizontal positions.
    pub x: Vec<f64>,
    /// Lower ends; the band is interrupted where one is no number.
    pub low: Vec<f64>,
    /// Upper ends.
    pub high: Vec<f64>,
    /// Colour as `#RRGGBB`, drawn lightly.
    pub color: &'static str,
}

impl Band {
    /// Returns the band of [`SHOWN_ERRORS`] to either side of values; `None` if no error is known.
    pub fn of_errors(x: &[f64], y: &[f64], errors: &[f64], color: &'static str) -> Option<Band> {
        let shifted = |errors_away: f64| -> Vec<f64> {
            let pairs = y.iter().zip(errors);
            pairs.map(|(y, error)| y + errors_away * error).collect()
        };
        errors.iter().any(|error| error.is_finite()).then(|| Band {
            x: x.to_vec(),
            low: shifted(-SHOWN_ERRORS),
            high: shifted(SHOWN_ERRORS),
            color,
        })
    }

    /// Returns the notes about such bands below the title of a figure; none if no panel has one. `certainty` is that of
    /// all errors together.
    pub fn notes(panels: &[Panel], certainty: Certainty) -> Vec<String> {
        let any = panels.iter().any(|panel| !panel.bands.is_empty());
        let note = any.then(|| format!("bands: {SHOWN_ERRORS} standard errors of the means to either side"));
        let bound = "some of these errors are lower bounds, because the samples are too short to know them";
        let bound = (any && certainty == Certainty::AtLeast).then(|| bound.to_owned());
        note.into_iter().chain(bound).collect()
    }
}

/// The appearance of a line.
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
    /// Returns the style of run number `index` of a comparison. Colours are repeated after six runs, then dashed.
    pub fn run(index: usize) -> Style {
        let dashes = if index < COLORS.len() { "" } else { "12 3 3 3" };
        Style {
            color: COLORS[index % COLORS.len()],
            width: 2.6,
            dashes,
            marker: Marker::None,
        }
    }

    /// Returns the style of few measured points, with a mark at every point. One property of the measurement selects
    /// the colour, the others the mark and the dashes.
    pub fn measured(color: usize, mark: usize) -> Style {
        const DASHES: [&str; 4] = ["", "10 5", "3 3", "12 3 3 3"];
        Style {
            color: [&COLORS[..], &MORE_COLORS].concat()[color % (COLORS.len() + MORE_COLORS.len())],
            width: 2.6,
            dashes: DASHES[mark % DASHES.len()],
            marker: MARKERS[mark % MARKERS.len()],
        }
    }

    /// Returns open marks without a line, for reference data.
    pub fn elsewhere(index: usize) -> Style {
        Style {
            color: "#000000",
            width: 0.0,
            dashes: "",
            marker: MARKERS[(index + 3) % MARKERS.len()],
        }
    }

    /// Returns the style of data with which runs are compared: dashed, so that a run that agrees is visible between the
    /// dashes.
    pub fn reference() -> Style {
        Style {
            color: "#000000",
            width: 2.2,
            dashes: "9 5",
            marker: Marker::None,
        }
    }

    /// Returns a thin, dotted line of the same colour, for a part of the quantity that the line shows.
    pub fn part(self) -> Style {
        Style {
            width: 1.8,
            dashes: "2.5 3",
            ..self
        }
    }

    /// Returns the same line in grey, for legend entries that apply to any colour.
    pub fn grey(self) -> Style {
        Style {
            color: "#666666",
            ..self
        }
    }
}

/// The size of a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Size {
    /// [`WIDTH`] pixels.
    #[default]
    Screen,
    /// `PICTURE` pixels: a picture that stands beside others on a page.
    Picture,
    /// A width on paper in millimetres.
    Paper(f64),
}

impl Size {
    /// Returns the width of the drawing in its units of length.
    pub(super) fn width(self) -> f64 {
        match self {
            Size::Screen => f64::from(WIDTH),
            Size::Picture => f64::from(PICTURE),
            Size::Paper(millimetres) => (millimetres / UNIT).round(),
        }
    }

    /// Returns the millimetres of a unit of length.
    pub(super) fn unit(self) -> Option<f64> {
        match self {
            Size::Screen | Size::Picture => None,
            Size::Paper(millimetres) => Some(millimetres / self.width()),
        }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix("mm").and_then(|number| number.trim().parse().ok());
        number
            .filter(|width| WIDTHS.contains(width))
            .map(Size::Paper)
            .ok_or_else(|| {
                let (least, most) = (WIDTHS.start(), WIDTHS.end());
                format!("a width is a number of millimetres from {least} to {most} with its unit, such as 84mm")
            })
    }
}

/// The file formats of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Pixels.
    Png,
    /// Lines and text.
    Svg,
}

impl Format {
    /// Returns the format of the extension of `path`.
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
