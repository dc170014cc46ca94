//! Where everything of a figure goes: from the description of a figure to SVG. Written as SVG directly, since the few
//! elements of a journal figure (frame, grid, lines, text) are less work than bending a charting library to equal
//! plot sizes, a common legend and true dashes, and all text is measured before it is placed.

use super::axis::{Axis, Fit, superscript};
use super::figure::{Curve, Figure, Panel, Style, WIDTH};
use super::render::{FONT_FAMILY, Renderer};
use std::fmt::Write;

const TICK_SIZE: f64 = 17.0;
const LABEL_SIZE: f64 = 19.0;
const TITLE_SIZE: f64 = 20.0;
/// Distance from the edges of the figure and between its parts.
const MARGIN: f64 = 18.0;
/// Room above the axes for title and power of ten, and below them for tick labels and the name of the axis.
const HEAD: f64 = 70.0;
const FOOT: f64 = 66.0;
/// Length of a line in the legend, the room between it and its text, between entries, and of one row.
const SWATCH: f64 = 46.0;
const SWATCH_GAP: f64 = 10.0;
const ENTRY_GAP: f64 = 34.0;
const LEGEND_ROW: f64 = 30.0;
/// Points nearer than this to the last one drawn cannot be told from it; long series would make huge files otherwise.
const RESOLUTION: f64 = 0.25;

/// The axes of a panel as a rectangle on the page.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// Where the name of the vertical axis runs, left of the widest tick label of any panel.
    y_label: f64,
}

/// An entry of the legend: its text, the line before it, and the width of both with the gap behind them.
struct Entry {
    text: String,
    style: Style,
    width: f64,
}

/// The figure as SVG.
pub(super) fn svg(figure: &Figure, renderer: &Renderer) -> String {
    let axes: Vec<(Axis, Axis)> = figure.panels.iter().map(axes).collect();
    let columns = figure.panels.len().clamp(1, 3);
    let rows = figure.panels.len().div_ceil(columns);
    let tick_width = axes
        .iter()
        .flat_map(|(_, y)| &y.labels)
        .map(|label| renderer.text_width(label, TICK_SIZE))
        .fold(0.0, f64::max);
    let width = f64::from(WIDTH);
    // The same room for tick labels in all panels, so that their plots are of one size.
    let left = MARGIN + LABEL_SIZE + 14.0 + tick_width + 8.0;
    let cell = (width - MARGIN) / columns as f64;
    let plot_width = cell - left - MARGIN;
    let plot_height = (0.85 * plot_width).min(620.0);

    let mut body = String::new();
    let legend_height = legend(&mut body, figure, renderer);
    for (index, (panel, axes)) in figure.panels.iter().zip(&axes).enumerate() {
        let frame = Frame {
            left: (index % columns) as f64 * cell + left,
            top: legend_height + (index / columns) as f64 * (HEAD + plot_height + FOOT) + HEAD,
            width: plot_width,
            height: plot_height,
            y_label: (index % columns) as f64 * cell + MARGIN + LABEL_SIZE,
        };
        let tag = if figure.panels.len() > 1 {
            format!("({}) ", letter(index))
        } else {
            String::new()
        };
        draw_panel(&mut body, index, panel, axes, &frame, &tag);
    }
    let height = (legend_height + rows as f64 * (HEAD + plot_height + FOOT)).ceil();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"'{FONT_FAMILY}', Verdana, sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// The letter by which a caption refers to the panel number `index`.
fn letter(index: usize) -> char {
    char::from(b'a' + (index % 26) as u8)
}

fn axes(panel: &Panel) -> (Axis, Axis) {
    // Only whole points count: what is not drawn must not stretch an axis.
    let points = || {
        panel
            .curves
            .iter()
            .flat_map(|curve| curve.x.iter().zip(&curve.y))
            .filter(|(x, y)| drawable(**x, **y))
    };
    (
        Axis::over(points().map(|(x, _)| *x), Fit::Tight),
        Axis::over(points().map(|(_, y)| *y), Fit::Roomy),
    )
}

fn drawable(x: f64, y: f64) -> bool {
    x.is_finite() && y.is_finite()
}

/// One legend for all panels, in rows above them where it can cover no curve. Returns the height it takes.
fn legend(body: &mut String, figure: &Figure, renderer: &Renderer) -> f64 {
    let mut entries: Vec<(&str, Style)> = Vec::new();
    for curve in figure.panels.iter().flat_map(|panel| &panel.curves) {
        let entry = (curve.label.as_str(), curve.style);
        if !curve.label.is_empty() && !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    if entries.is_empty() {
        return 0.0;
    }
    let room = f64::from(WIDTH) - 2.0 * MARGIN;
    let mut rows: Vec<(f64, Vec<Entry>)> = Vec::new();
    for (label, style) in entries {
        let text = escaped(label);
        let width = SWATCH + SWATCH_GAP + renderer.text_width(&text, LABEL_SIZE) + ENTRY_GAP;
        match rows.last_mut() {
            Some((used, row)) if *used + width - ENTRY_GAP <= room => {
                *used += width;
                row.push(Entry { text, style, width });
            }
            _ => rows.push((width, vec![Entry { text, style, width }])),
        }
    }
    for (index, (used, row)) in rows.iter().enumerate() {
        let y = MARGIN + (index as f64 + 0.5) * LEGEND_ROW;
        let mut x = (f64::from(WIDTH) - (used - ENTRY_GAP)) / 2.0;
        for Entry { text, style, width } in row {
            let (end, stroke) = (x + SWATCH, stroke(style));
            let _ = writeln!(body, r#"<path d="M{x:.2} {y:.2}H{end:.2}" fill="none" {stroke}/>"#);
            write_text(
                body,
                (end + SWATCH_GAP, y + 0.36 * LABEL_SIZE),
                LABEL_SIZE,
                "start",
                text,
            );
            x += width;
        }
    }
    MARGIN + rows.len() as f64 * LEGEND_ROW
}

fn draw_panel(
    body: &mut String,
    index: usize,
    panel: &Panel,
    (x_axis, y_axis): &(Axis, Axis),
    frame: &Frame,
    tag: &str,
) {
    let Frame {
        left,
        top,
        width,
        height,
        y_label,
    } = *frame;
    let (right, bottom) = (left + width, top + height);
    let x_at = |value: f64| left + x_axis.fraction(value) * width;
    let y_at = |value: f64| bottom - y_axis.fraction(value) * height;
    // Writing into a string cannot fail, hence the ignored results here and below.
    let _ = writeln!(body, r##"<g stroke="#e2e2e2" stroke-width="1">"##);
    for x in x_axis.ticks.iter().map(|&tick| x_at(tick)) {
        let _ = writeln!(body, r#"<path d="M{x:.2} {top:.2}V{bottom:.2}"/>"#);
    }
    for y in y_axis.ticks.iter().map(|&tick| y_at(tick)) {
        let _ = writeln!(body, r#"<path d="M{left:.2} {y:.2}H{right:.2}"/>"#);
    }
    body.push_str("</g>\n");

    for (number, curve) in panel.curves.iter().enumerate() {
        let (path, stroke) = (path(curve, x_at, y_at), stroke(&curve.style));
        if !path.is_empty() {
            let id = format!("panel{index}-curve{number}");
            let _ = writeln!(
                body,
                r#"<path id="{id}" d="{path}" fill="none" stroke-linejoin="round" {stroke}/>"#
            );
        }
    }

    let _ = writeln!(
        body,
        r##"<rect id="panel{index}-axes" x="{left:.2}" y="{top:.2}" width="{width:.2}" height="{height:.2}" fill="none" stroke="#000000" stroke-width="1.4"/>"##
    );
    for (&tick, label) in x_axis.ticks.iter().zip(&x_axis.labels) {
        let x = x_at(tick);
        let _ = writeln!(
            body,
            r##"<path d="M{x:.2} {bottom:.2}v-7" stroke="#000000" stroke-width="1.4"/>"##
        );
        write_text(body, (x, bottom + 24.0), TICK_SIZE, "middle", label);
    }
    for (&tick, label) in y_axis.ticks.iter().zip(&y_axis.labels) {
        let y = y_at(tick);
        let _ = writeln!(
            body,
            r##"<path d="M{left:.2} {y:.2}h7" stroke="#000000" stroke-width="1.4"/>"##
        );
        write_text(body, (left - 8.0, y + 0.36 * TICK_SIZE), TICK_SIZE, "end", label);
    }
    if y_axis.power != 0 {
        write_text(body, (left, top - 8.0), TICK_SIZE, "start", &power_of_ten(y_axis.power));
    }
    if x_axis.power != 0 {
        write_text(
            body,
            (right, bottom + 24.0 + 1.3 * TICK_SIZE),
            TICK_SIZE,
            "end",
            &power_of_ten(x_axis.power),
        );
    }

    let (center, middle) = (left + width / 2.0, top + height / 2.0);
    let title = format!("{tag}{}", escaped(&panel.title));
    write_text(body, (center, top - 32.0), TITLE_SIZE, "middle", &title);
    write_text(
        body,
        (center, bottom + 54.0),
        LABEL_SIZE,
        "middle",
        &escaped(&panel.x_label),
    );
    let _ = writeln!(
        body,
        r#"<text transform="translate({:.2} {middle:.2}) rotate(-90)" font-size="{LABEL_SIZE}" text-anchor="middle">{}</text>"#,
        y_label,
        escaped(&panel.y_label)
    );
}

fn power_of_ten(power: i32) -> String {
    format!("×10{}", superscript(&power.to_string()))
}

/// The line through the points of a curve, without those that would not be seen.
fn path(curve: &Curve, x_at: impl Fn(f64) -> f64, y_at: impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for (&x, &y) in curve.x.iter().zip(&curve.y) {
        if !drawable(x, y) {
            last = None;
            continue;
        }
        let point = (x_at(x), y_at(y));
        let command = match last {
            Some(last) if (point.0 - last.0).abs().max((point.1 - last.1).abs()) < RESOLUTION => continue,
            Some(_) => 'L',
            None => 'M',
        };
        let _ = write!(path, "{command}{:.2} {:.2}", point.0, point.1);
        last = Some(point);
    }
    path
}

fn stroke(style: &Style) -> String {
    let dashes = if style.dashes.is_empty() {
        String::new()
    } else {
        format!(r#" stroke-dasharray="{}""#, style.dashes)
    };
    format!(r#"stroke="{}" stroke-width="{}"{dashes}"#, style.color, style.width)
}

fn write_text(body: &mut String, (x, y): (f64, f64), size: f64, anchor: &str, text: &str) {
    let _ = writeln!(
        body,
        r#"<text x="{x:.2}" y="{y:.2}" font-size="{size}" text-anchor="{anchor}">{text}</text>"#
    );
}

/// `text` with the characters that mean something in SVG written out.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
