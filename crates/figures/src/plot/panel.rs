//! One panel: its frame, grid, ticks and names, and the curves or tiles inside.

use super::axis::{Axis, range_of_constant};
use super::field::Field;
use super::figure::{Curve, Marker, Panel};
use super::page::{Frame, LABEL_SIZE, TICK_SIZE, TITLE_SIZE};
use super::strokes::{escaped, mark, outline, path, stroke, write_text};
use super::tiles;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

/// Draws panel number `index`. `tag` is put before its title.
pub(super) fn draw(body: &mut String, index: usize, panel: &Panel, axes: &(Axis, Axis), frame: &Frame, tag: &str) {
    match &panel.field {
        // The grid would lie upon it.
        Some(field) => {
            let range = range_of_constant(field.range).unwrap_or(field.range);
            tiles::draw_bar(body, field.colours, range, frame);
        }
        None => draw_grid(body, axes, frame),
    }
    if let Some(tiles) = &panel.tiles {
        tiles::draw(body, index, tiles, (&axes.0, &axes.1), frame);
    }
    for (number, band) in panel.bands.iter().enumerate() {
        let x_at = |x| frame.x_at(&axes.0, x).clamp(frame.left, frame.left + frame.width);
        let y_at = |y| frame.y_at(&axes.1, y).clamp(frame.top, frame.top + frame.height);
        // Writing into a string cannot fail, hence the ignored results here and below.
        let _ = writeln!(
            body,
            "<path id=\"panel{index}-band{number}\" d=\"{}\" fill=\"{}\" fill-opacity=\"0.22\"/>",
            outline(band, x_at, y_at),
            band.color
        );
    }
    for (number, curve) in panel.curves.iter().enumerate() {
        draw_curve(body, &format!("panel{index}-curve{number}"), curve, axes, frame);
    }
    let _ = writeln!(
        body,
        "<rect id=\"panel{index}-axes\" x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"none\" \
         stroke=\"#000000\" stroke-width=\"1.4\"/>",
        frame.left, frame.top, frame.width, frame.height
    );
    draw_x_ticks(body, &axes.0, frame);
    draw_y_ticks(body, &axes.1, frame);
    draw_names(body, panel, frame, tag);
}

/// Puts the pixels of the field of panel number `index` into the drawing, two to a unit of length so that they can be
/// enlarged. Nothing is drawn without any pixel.
pub(super) fn draw_field(body: &mut String, index: usize, field: &Field, frame: &Frame) {
    let size = [frame.width, frame.height].map(|side| (2.0 * side).round().max(1.0) as u32);
    let Some(png) = field.pixels(size).and_then(|pixels| pixels.encode_png().ok()) else {
        return;
    };
    let _ = writeln!(
        body,
        "<image id=\"panel{index}-field\" x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" \
         preserveAspectRatio=\"none\" href=\"data:image/png;base64,{}\"/>",
        frame.left,
        frame.top,
        frame.width,
        frame.height,
        STANDARD.encode(png)
    );
}

/// Draws thin lines at the ticks.
fn draw_grid(body: &mut String, (x_axis, y_axis): &(Axis, Axis), frame: &Frame) {
    let (left, top) = (frame.left, frame.top);
    let (right, bottom) = (left + frame.width, top + frame.height);
    let _ = writeln!(body, r##"<g stroke="#e2e2e2" stroke-width="1">"##);
    for x in x_axis.named().map(|(tick, _)| frame.x_at(x_axis, tick)) {
        let _ = writeln!(body, r#"<path d="M{x:.2} {top:.2}V{bottom:.2}"/>"#);
    }
    for y in y_axis.named().map(|(tick, _)| frame.y_at(y_axis, tick)) {
        let _ = writeln!(body, r#"<path d="M{left:.2} {y:.2}H{right:.2}"/>"#);
    }
    body.push_str("</g>\n");
}

/// Returns the name of a curve, which browsers show beside the pointer.
fn name_of(curve: &Curve) -> String {
    if curve.label.is_empty() {
        return String::new();
    }
    format!("<title>{}</title>", escaped(&curve.label))
}

/// Draws the line of a curve, with the identifier `id`, and its marks.
fn draw_curve(body: &mut String, id: &str, curve: &Curve, (x_axis, y_axis): &(Axis, Axis), frame: &Frame) {
    let (x_at, y_at) = (|x| frame.x_at(x_axis, x), |y| frame.y_at(y_axis, y));
    let (path, stroke) = (path(curve, x_at, y_at), stroke(&curve.style));
    if !path.is_empty() && curve.style.width > 0.0 {
        let _ = writeln!(
            body,
            r#"<path id="{id}" d="{path}" fill="none" stroke-linejoin="round" {stroke}>{}</path>"#,
            name_of(curve)
        );
    }
    if curve.style.marker != Marker::None {
        let points = curve.x.iter().zip(&curve.y).map(|(&x, &y)| (x_at(x), y_at(y)));
        for at in points.filter(|(x, y)| x.is_finite() && y.is_finite()) {
            mark(body, &curve.style, at);
        }
    }
}

/// Draws ticks with numbers along the left edge, and the power of ten above it.
fn draw_y_ticks(body: &mut String, axis: &Axis, frame: &Frame) {
    let left = frame.left;
    for (&tick, label) in axis.ticks.iter().zip(&axis.labels) {
        let (y, length) = (frame.y_at(axis, tick), if label.is_empty() { 4 } else { 7 });
        let _ = writeln!(
            body,
            r##"<path d="M{left:.2} {y:.2}h{length}" stroke="#000000" stroke-width="1.4"/>"##
        );
        write_text(body, (left - 8.0, y + 0.36 * TICK_SIZE), TICK_SIZE, "end", label);
    }
    if axis.power != 0 {
        write_text(body, (left, frame.top - 8.0), TICK_SIZE, "start", &axis.power_of_ten());
    }
}

/// Draws the title and the names of the axes.
fn draw_names(body: &mut String, panel: &Panel, frame: &Frame, tag: &str) {
    let (center, middle) = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
    let title = format!("{tag}{}", escaped(&panel.title));
    write_text(body, (center, frame.title), TITLE_SIZE, "middle", &title);
    let below = frame.top + frame.height + 54.0;
    write_text(body, (center, below), LABEL_SIZE, "middle", &escaped(&panel.x_label));
    let _ = writeln!(
        body,
        "<text transform=\"translate({:.2} {middle:.2}) rotate(-90)\" font-size=\"{LABEL_SIZE}\" \
         text-anchor=\"middle\">{}</text>",
        frame.y_label,
        escaped(&panel.y_label)
    );
}

/// Draws ticks with numbers along the lower edge, and the power of ten at its end.
fn draw_x_ticks(body: &mut String, axis: &Axis, frame: &Frame) {
    let bottom = frame.top + frame.height;
    for (&tick, label) in axis.ticks.iter().zip(&axis.labels) {
        let (x, length) = (frame.x_at(axis, tick), if label.is_empty() { 4 } else { 7 });
        let _ = writeln!(
            body,
            r##"<path d="M{x:.2} {bottom:.2}v-{length}" stroke="#000000" stroke-width="1.4"/>"##
        );
        write_text(body, (x, bottom + 24.0), TICK_SIZE, "middle", label);
    }
    if axis.power != 0 {
        let at = (frame.left + frame.width, bottom + 24.0 + 1.3 * TICK_SIZE);
        write_text(body, at, TICK_SIZE, "end", &axis.power_of_ten());
    }
}
