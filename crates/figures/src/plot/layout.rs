//! The layout of a figure: from its description to SVG. The drawing is written as SVG directly, because the few
//! elements of a journal figure (frame, grid, lines, text) are less work than adapting a charting library to
//! equal plot sizes, a common legend and true dashes. All text is measured before it is placed.

use super::axis::{Axis, Fit};
use super::figure::{Figure, Panel, Scale, Size};
use super::legend;
use super::page::{Drawing, Frame, LABEL_SIZE, MARGIN, TICK_SIZE, TITLE_SIZE};
use super::panel;
use super::render::{FONT_FAMILY, Renderer};
use super::strokes::{drawable, escaped, write_text};
use super::tiles;

/// Room above the axes for title and power of ten, and below them for tick labels and the name of the axis.
const HEAD: f64 = 70.0;
const FOOT: f64 = 66.0;
/// Room for the title of the figure, and for a note below it.
const TITLE_ROW: f64 = 40.0;
const NOTE_ROW: f64 = 28.0;
/// Most panels side by side, and the least width of one of several.
const SIDE_BY_SIDE: f64 = 3.0;
const LEAST_WIDTH: f64 = 480.0;

/// Highest axes of a field.
const HIGHEST_FIELD: f64 = 900.0;

/// What a drawing is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A file in SVG, with the pixels of fields inside.
    File,
    /// Pixels: fields are drawn first, and all else upon them, so that the drawing has no ground of its own.
    Pixels,
}

/// Returns the figure in a size as SVG.
pub(super) fn drawing(figure: &Figure, size: Size, target: Target, renderer: &Renderer) -> Drawing {
    let page = Page::new(figure, size.width(), target, renderer);
    let mut body = String::new();
    let mut fields = Vec::new();
    let mut y = draw_heading(&mut body, figure, page.width, renderer);
    if !figure.own_legends {
        let entries = legend::entries(figure.panels.iter());
        y += legend::draw(&mut body, &entries, (0.0, y), page.width, renderer);
    }
    for row in &page.rows {
        y += page.draw_row(&mut body, &mut fields, row, y);
    }
    let ground = match target {
        Target::File => "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        Target::Pixels => "",
    };
    let svg = document(figure, &(ground.to_owned() + &body), size, y.ceil());
    Drawing { svg, fields }
}

/// Returns the whole drawing of a figure from its elements, its size and its height.
fn document(figure: &Figure, body: &str, size: Size, height: f64) -> String {
    let width = size.width();
    let on_paper = |length: f64| match size.unit() {
        None => length.to_string(),
        Some(unit) => format!("{:.3}mm", length * unit),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"'{FONT_FAMILY}', Verdana, sans-serif\" role=\"img\">\n\
         <title>{}</title>\n{body}</svg>\n",
        on_paper(width),
        on_paper(height),
        escaped(&figure.name())
    )
}

/// A figure with its axes, and the arrangement of its panels on the page.
struct Page<'a> {
    figure: &'a Figure,
    /// Its width.
    width: f64,
    target: Target,
    renderer: &'a Renderer,
    axes: Vec<(Axis, Axis)>,
    /// Indices of the panels of each row.
    rows: Vec<Vec<usize>>,
    /// Largest number of panels side by side.
    columns: usize,
    /// Room left of the axes of a panel.
    left: f64,
}

/// Sizes of one row of panels in pixels.
struct Row {
    /// Width of a panel with its names.
    cell: f64,
    /// Width and height of the axes; those of panels with small legends are higher.
    width: f64,
    height: f64,
}

impl<'a> Page<'a> {
    fn new(figure: &'a Figure, width: f64, target: Target, renderer: &'a Renderer) -> Self {
        let axes: Vec<(Axis, Axis)> = figure.panels.iter().map(axes).collect();
        let most = (width / LEAST_WIDTH).floor().clamp(1.0, SIDE_BY_SIDE);
        let rows = rows(&figure.panels, most as usize);
        let labels = axes.iter().flat_map(|(_, y)| &y.labels);
        let tick_width = labels.map(|label| renderer.text_width(label, TICK_SIZE));
        // The same room for tick labels in all panels, so that their plots are of one size.
        let named = figure.panels.iter().any(|panel| !panel.y_label.is_empty());
        let left = MARGIN + if named { LABEL_SIZE + 14.0 } else { 0.0 } + tick_width.fold(0.0, f64::max) + 8.0;
        Page {
            figure,
            width,
            target,
            renderer,
            axes,
            columns: rows.iter().map(Vec::len).max().unwrap_or(1),
            rows,
            left,
        }
    }

    /// Returns the sizes of a row of panels.
    fn row(&self, panels: &[usize]) -> Row {
        let first = &self.figure.panels[panels[0]];
        let cell = (self.width - MARGIN) / if alone(first) { 1.0 } else { self.columns as f64 };
        let bar = panels.iter().any(|&index| has_bar(&self.figure.panels[index]));
        let width = cell - self.left - MARGIN - if bar { tiles::BAR_ROOM } else { 0.0 };
        if let Some(field) = &first.field {
            let height = (field.shape() * width).min(HIGHEST_FIELD);
            // Of a wide field at least the frame can be seen.
            return Row {
                cell,
                width: (height / field.shape()).max(1.0),
                height: height.max(1.0),
            };
        }
        let highest = if panels.len() == 1 && self.columns > 1 {
            480.0
        } else {
            620.0
        };
        Row {
            cell,
            width,
            height: (0.85 * width).min(highest),
        }
    }

    /// Returns the legend of each panel of a row, with its height; empty if one legend applies to all panels.
    fn own_legends(&self, panels: &[usize], width: f64) -> Vec<(Vec<legend::Entry>, f64)> {
        let own = panels.iter().filter(|_| self.figure.own_legends);
        own.map(|&index| {
            let entries = legend::entries(std::iter::once(&self.figure.panels[index]));
            let height = legend::height(&entries, width, self.renderer);
            (entries, height)
        })
        .collect()
    }

    /// Draws a row of panels from `top` on, and adds the places of its fields. Returns its height.
    fn draw_row(&self, body: &mut String, fields: &mut Vec<(usize, [f64; 4])>, panels: &[usize], top: f64) -> f64 {
        let row = self.row(panels);
        let legends = self.own_legends(panels, row.width);
        let legend_height = legends.iter().map(|(_, height)| *height).fold(0.0, f64::max);
        for (column, &index) in panels.iter().enumerate() {
            // A field that is narrower than its row stands in the middle of it.
            let room = row.cell
                - self.left
                - MARGIN
                - if has_bar(&self.figure.panels[index]) {
                    tiles::BAR_ROOM
                } else {
                    0.0
                };
            let left = column as f64 * row.cell + 0.5 * (room - row.width).max(0.0);
            // Axes of a row end at one height; below a small legend they begin further up.
            let own_height = legends.get(column).map_or(legend_height, |(_, height)| *height);
            let frame = Frame {
                left: left + self.left,
                top: top + HEAD + own_height,
                width: row.width,
                height: row.height + legend_height - own_height,
                title: top + HEAD - 32.0,
                y_label: left + MARGIN + LABEL_SIZE,
            };
            if let Some((entries, height)) = legends.get(column) {
                // Between the title and the axes, just above the axes.
                let above = (frame.left, frame.top - height - 26.0);
                legend::draw(body, entries, above, row.width, self.renderer);
            }
            let panel = &self.figure.panels[index];
            if let Some(field) = &panel.field {
                fields.push((index, [frame.left, frame.top, frame.width, frame.height]));
                if self.target == Target::File {
                    panel::draw_field(body, index, field, &frame);
                }
            }
            panel::draw(body, index, panel, &self.axes[index], &frame, &self.tag(index));
        }
        HEAD + legend_height + row.height + FOOT
    }

    /// Returns the text before the title of a panel: a letter if there are several.
    fn tag(&self, index: usize) -> String {
        match self.figure.panels.len() {
            1 => String::new(),
            _ => format!("({}) ", letter(index)),
        }
    }
}

/// Draws the title and the notes of the figure, in letters small enough for the width of the page. Returns their
/// height.
fn draw_heading(body: &mut String, figure: &Figure, width: f64, renderer: &Renderer) -> f64 {
    let mut line = |text: &str, size: f64, y: f64| {
        let text = escaped(text);
        let fits = (width - 2.0 * MARGIN) / renderer.text_width(&text, size).max(1.0);
        write_text(body, (width / 2.0, y), size * fits.min(1.0), "middle", &text);
    };
    let mut height = 0.0;
    if !figure.title.is_empty() {
        line(&figure.title, TITLE_SIZE, MARGIN + TITLE_SIZE);
        height += TITLE_ROW;
    }
    for note in &figure.notes {
        height += NOTE_ROW;
        line(note, LABEL_SIZE, height - 2.0);
    }
    height
}

/// Returns whether a panel takes a row of its own.
fn alone(panel: &Panel) -> bool {
    panel.wide || panel.field.is_some()
}

/// Returns whether a bar of colours stands beside the axes.
fn has_bar(panel: &Panel) -> bool {
    panel.tiles.is_some() || panel.field.is_some()
}

/// Returns the indices of the panels of each row: at most `most`, a wide one alone.
fn rows(panels: &[Panel], most: usize) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (index, panel) in panels.iter().enumerate() {
        match rows.last_mut() {
            Some(row) if !alone(panel) && !alone(&panels[row[0]]) && row.len() < most => row.push(index),
            _ => rows.push(vec![index]),
        }
    }
    rows
}

/// Returns the letter by which a caption refers to panel number `index`.
fn letter(index: usize) -> char {
    char::from(b'a' + (index % 26) as u8)
}

fn axes(panel: &Panel) -> (Axis, Axis) {
    if let Some(tiles) = &panel.tiles {
        let over = |edges: &[f64]| Axis::scaled(edges.iter().copied(), Scale::Fitted, Fit::Tight);
        return (over(&tiles.x), over(&tiles.y));
    }
    if let Some(field) = &panel.field {
        let [low, high] = field.window;
        let along = |d: usize| Axis::between(low[d], high[d]);
        return (along(0), along(1));
    }
    // Only complete points count: what is not drawn must not extend an axis.
    let points = || {
        panel
            .curves
            .iter()
            .flat_map(|curve| curve.x.iter().zip(&curve.y))
            .filter(|(x, y)| drawable(**x, **y))
    };
    let bands = panel.bands.iter().flat_map(|band| band.low.iter().chain(&band.high));
    let heights = points().map(|(_, y)| *y).chain(bands.copied());
    let x_axis = match panel.x_names.as_slice() {
        [] => Axis::scaled(points().map(|(x, _)| *x), panel.x_scale, Fit::Tight),
        names => Axis::named_by(names),
    };
    (x_axis, Axis::scaled(heights, panel.y_scale, Fit::Roomy))
}
