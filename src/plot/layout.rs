//! Where everything of a figure goes: from the description of a figure to SVG. Written as SVG directly, since the few
//! elements of a journal figure (frame, grid, lines, bars, text) are less work than bending a charting library to equal
//! plot sizes, a common legend and true dashes, and all text is measured before it is placed.

use super::axis::{Axis, Fit};
use super::figure::{Figure, Panel, Scale, WIDTH};
use super::lanes;
use super::legend;
use super::panel::{self, Frame};
use super::render::{FONT_FAMILY, Renderer};
use super::strokes::{drawable, escaped, write_text};

pub(super) const TICK_SIZE: f64 = 17.0;
pub(super) const LABEL_SIZE: f64 = 19.0;
pub(super) const TITLE_SIZE: f64 = 20.0;
/// Distance from the edges of the figure and between its parts.
pub(super) const MARGIN: f64 = 18.0;
/// Room above the axes for title and power of ten, and below them for tick labels and the name of the axis.
const HEAD: f64 = 70.0;
const FOOT: f64 = 66.0;
/// The same for spans, which have no power of ten, and below those whose axis stands below the next panel.
const LANES_HEAD: f64 = 40.0;
const LANES_FOOT: f64 = 10.0;
/// Room for the title of the figure, and for a note below it.
const TITLE_ROW: f64 = 40.0;
const NOTE_ROW: f64 = 28.0;
/// Most room for a bar, and how many bars a panel has room for at least.
const BAR: f64 = 170.0;
const FEWEST: f64 = 4.0;
/// From one line below a bar to the next.
pub(super) const LINE: f64 = 1.3 * TICK_SIZE;

/// The figure as SVG.
pub(super) fn svg(figure: &Figure, renderer: &Renderer) -> String {
    let axes: Vec<(Axis, Axis)> = figure.panels.iter().map(axes).collect();
    let rows = rows(&figure.panels);
    let columns = rows.iter().map(Vec::len).max().unwrap_or(1);
    let tick_width = axes
        .iter()
        .flat_map(|(_, y)| &y.labels)
        .map(|label| renderer.text_width(label, TICK_SIZE))
        .fold(0.0, f64::max);
    let width = f64::from(WIDTH);
    // The same room for tick labels in all panels, so that their plots are of one size.
    let named = figure.panels.iter().any(|panel| !panel.y_label.is_empty());
    let left = MARGIN + if named { LABEL_SIZE + 14.0 } else { 0.0 } + tick_width + 8.0;

    let mut body = String::new();
    let mut y = draw_heading(&mut body, figure, renderer);
    if !figure.own_legends {
        let entries = legend::entries(figure.panels.iter());
        y += legend::draw(&mut body, &entries, (0.0, y), width, renderer);
    }
    for row in &rows {
        let cell = (width - MARGIN)
            / if figure.panels[row[0]].wide {
                1.0
            } else {
                columns as f64
            };
        let (plot_width, shift) = match &figure.panels[row[0]].bars {
            // Few bars need not fill the page.
            Some(bars) if row.len() == 1 => {
                let room = cell - left - MARGIN;
                let width = room.min((BAR * bars.bars.len() as f64).max(FEWEST * BAR));
                (width, (room - width) / 2.0)
            }
            _ => (cell - left - MARGIN, 0.0),
        };
        let lanes = figure.panels[row[0]].lanes.as_ref();
        let plot_height = match lanes {
            Some(lanes) => lanes.names.len() as f64 * lanes::ROW,
            None => (0.85 * plot_width).min(if row.len() == 1 && columns > 1 { 480.0 } else { 620.0 }),
        };
        let (head, title, foot) = match lanes {
            Some(_) if figure.panels[row[0]].x_label.is_empty() => (LANES_HEAD, LANES_HEAD - 10.0, LANES_FOOT),
            Some(_) => (LANES_HEAD, LANES_HEAD - 10.0, FOOT),
            None => (HEAD, HEAD - 32.0, FOOT),
        };
        // Legends of a row take the same room, so that its axes stand at one height.
        let legends: Vec<_> = row
            .iter()
            .filter(|_| figure.own_legends)
            .map(|&index| legend::entries(std::iter::once(&figure.panels[index])))
            .collect();
        let heights = legends
            .iter()
            .map(|entries| legend::height(entries, plot_width, renderer));
        let legend_height = heights.fold(0.0, f64::max);
        for (column, &index) in row.iter().enumerate() {
            let frame = Frame {
                left: column as f64 * cell + left + shift,
                top: y + head + legend_height,
                width: plot_width,
                height: plot_height,
                title: y + title,
                y_label: column as f64 * cell + MARGIN + LABEL_SIZE + shift,
            };
            if let Some(entries) = legends.get(column) {
                // Between the title and the axes, just above these.
                let top = frame.top - legend::height(entries, plot_width, renderer) - 26.0;
                legend::draw(&mut body, entries, (frame.left, top), plot_width, renderer);
            }
            let tag = if figure.panels.len() > 1 {
                format!("({}) ", letter(index))
            } else {
                String::new()
            };
            panel::draw(
                &mut body,
                index,
                &figure.panels[index],
                &axes[index],
                &frame,
                &tag,
                renderer,
            );
        }
        let lines = row
            .iter()
            .map(|&index| label_lines(&figure.panels[index]))
            .max()
            .unwrap_or(1);
        y += head + legend_height + plot_height + foot + (lines - 1) as f64 * LINE;
    }
    let height = y.ceil();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"'{FONT_FAMILY}', Verdana, sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// Draws the title and the notes of the figure, in letters as small as the width of the page asks for. Returns the height that they
/// take.
fn draw_heading(body: &mut String, figure: &Figure, renderer: &Renderer) -> f64 {
    let width = f64::from(WIDTH);
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

/// Numbers of the panels that stand side by side, at most three, a wide one alone.
fn rows(panels: &[Panel]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (index, panel) in panels.iter().enumerate() {
        match rows.last_mut() {
            Some(row) if !panel.wide && !panels[row[0]].wide && row.len() < 3 => row.push(index),
            _ => rows.push(vec![index]),
        }
    }
    rows
}

/// Lines that the labels below the axes take.
pub(super) fn label_lines(panel: &Panel) -> usize {
    let bars = panel.bars.iter().flat_map(|bars| &bars.bars);
    bars.map(|bar| bar.label.len()).max().unwrap_or(1).max(1)
}

/// The letter by which a caption refers to the panel number `index`.
fn letter(index: usize) -> char {
    char::from(b'a' + (index % 26) as u8)
}

fn axes(panel: &Panel) -> (Axis, Axis) {
    if let Some(lanes) = &panel.lanes {
        return (
            Axis::scaled([0.0, lanes.end].into_iter(), Scale::Fitted, Fit::Tight),
            Axis::rows(lanes.names.iter().map(|name| escaped(name)).collect()),
        );
    }
    if let Some(bars) = &panel.bars {
        let heights = bars.bars.iter().map(|bar| bar.parts.iter().sum::<f64>().max(bar.total));
        // The horizontal axis counts bars and has no numbers.
        return (
            Axis::scaled(std::iter::empty(), Scale::Fitted, Fit::Tight),
            Axis::scaled(heights, Scale::FromZero, Fit::Roomy),
        );
    }
    // Only whole points count: what is not drawn must not stretch an axis.
    let points = || {
        panel
            .curves
            .iter()
            .flat_map(|curve| curve.x.iter().zip(&curve.y))
            .filter(|(x, y)| drawable(**x, **y))
    };
    (
        Axis::scaled(points().map(|(x, _)| *x), panel.x_scale, Fit::Tight),
        Axis::scaled(points().map(|(_, y)| *y), panel.y_scale, Fit::Roomy),
    )
}
