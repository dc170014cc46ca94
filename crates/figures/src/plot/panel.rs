//! One panel: its frame, grid, ticks and names, and the curves, tiles, bars or spans inside.

use super::axis::Axis;
use super::figure::{Bar, Bars, Curve, Marker, Panel, Style};
use super::lanes;
use super::page::{Frame, LABEL_SIZE, LINE, TICK_SIZE, TITLE_SIZE};
use super::render::Renderer;
use super::strokes::{escaped, mark, outline, path, stroke, write_text};
use super::tiles;
use std::fmt::Write;

/// Draws panel number `index`. `tag` is put before its title.
pub(super) fn draw(
    body: &mut String,
    index: usize,
    panel: &Panel,
    axes: &(Axis, Axis),
    frame: &Frame,
    tag: &str,
    renderer: &Renderer,
) {
    draw_grid(body, panel, axes, frame);
    if let Some(bars) = &panel.bars {
        draw_bars(body, index, bars, &axes.1, frame, renderer);
    }
    if let Some(lanes) = &panel.lanes {
        lanes::draw(body, index, lanes, (&axes.0, &axes.1), frame);
    }
    if let Some(tiles) = &panel.tiles {
        tiles::draw(body, index, tiles, (&axes.0, &axes.1), frame);
    }
    for (number, band) in panel.bands.iter().enumerate() {
        let (x_at, y_at) = (|x| frame.x_at(&axes.0, x), |y| frame.y_at(&axes.1, y));
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
    if panel.bars.is_none() {
        let numbers = panel.lanes.is_none() || !panel.x_label.is_empty();
        draw_x_ticks(body, &axes.0, frame, numbers);
    }
    // Beside a row of spans a tick could be mistaken for a span.
    draw_y_ticks(body, &axes.1, frame, panel.lanes.is_none());
    draw_names(body, panel, frame, tag);
}

/// Draws thin lines at the ticks, or between the rows of spans.
fn draw_grid(body: &mut String, panel: &Panel, (x_axis, y_axis): &(Axis, Axis), frame: &Frame) {
    let (left, top) = (frame.left, frame.top);
    let (right, bottom) = (left + frame.width, top + frame.height);
    let _ = writeln!(body, r##"<g stroke="#e2e2e2" stroke-width="1">"##);
    if panel.bars.is_none() {
        for x in x_axis.named().map(|(tick, _)| frame.x_at(x_axis, tick)) {
            let _ = writeln!(body, r#"<path d="M{x:.2} {top:.2}V{bottom:.2}"/>"#);
        }
    }
    let half = if panel.lanes.is_some() { 0.5 } else { 0.0 };
    for y in y_axis.named().map(|(tick, _)| frame.y_at(y_axis, tick + half)) {
        let _ = writeln!(body, r#"<path d="M{left:.2} {y:.2}H{right:.2}"/>"#);
    }
    body.push_str("</g>\n");
}

/// Draws the line of a curve, with the identifier `id`, and its marks.
fn draw_curve(body: &mut String, id: &str, curve: &Curve, (x_axis, y_axis): &(Axis, Axis), frame: &Frame) {
    let (x_at, y_at) = (|x| frame.x_at(x_axis, x), |y| frame.y_at(y_axis, y));
    let (path, stroke) = (path(curve, x_at, y_at), stroke(&curve.style));
    if !path.is_empty() && curve.style.width > 0.0 {
        let _ = writeln!(
            body,
            r#"<path id="{id}" d="{path}" fill="none" stroke-linejoin="round" {stroke}/>"#
        );
    }
    if curve.style.marker != Marker::None {
        let points = curve.x.iter().zip(&curve.y).map(|(&x, &y)| (x_at(x), y_at(y)));
        for at in points.filter(|(x, y)| x.is_finite() && y.is_finite()) {
            mark(body, &curve.style, at);
        }
    }
}

/// Draws numbers along the left edge, with `ticks` or without, and the power of ten above it.
fn draw_y_ticks(body: &mut String, axis: &Axis, frame: &Frame, ticks: bool) {
    let left = frame.left;
    for (&tick, label) in axis.ticks.iter().zip(&axis.labels) {
        let (y, length) = (frame.y_at(axis, tick), if label.is_empty() { 4 } else { 7 });
        if ticks {
            let _ = writeln!(
                body,
                r##"<path d="M{left:.2} {y:.2}h{length}" stroke="#000000" stroke-width="1.4"/>"##
            );
        }
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
    let below = frame.top + frame.height + 54.0 + (panel.label_lines() - 1) as f64 * LINE;
    write_text(body, (center, below), LABEL_SIZE, "middle", &escaped(&panel.x_label));
    let _ = writeln!(
        body,
        "<text transform=\"translate({:.2} {middle:.2}) rotate(-90)\" font-size=\"{LABEL_SIZE}\" \
         text-anchor=\"middle\">{}</text>",
        frame.y_label,
        escaped(&panel.y_label)
    );
}

/// Draws ticks along the lower edge. Without `numbers` the panel below has these.
fn draw_x_ticks(body: &mut String, axis: &Axis, frame: &Frame, numbers: bool) {
    let bottom = frame.top + frame.height;
    for (&tick, label) in axis.ticks.iter().zip(&axis.labels) {
        let (x, length) = (frame.x_at(axis, tick), if label.is_empty() { 4 } else { 7 });
        let _ = writeln!(
            body,
            r##"<path d="M{x:.2} {bottom:.2}v-{length}" stroke="#000000" stroke-width="1.4"/>"##
        );
        if numbers {
            write_text(body, (x, bottom + 24.0), TICK_SIZE, "middle", label);
        }
    }
    if axis.power != 0 && numbers {
        let at = (frame.left + frame.width, bottom + 24.0 + 1.3 * TICK_SIZE);
        write_text(body, at, TICK_SIZE, "end", &axis.power_of_ten());
    }
}

/// Draws bars side by side, each with its label below.
fn draw_bars(body: &mut String, index: usize, bars: &Bars, axis: &Axis, frame: &Frame, renderer: &Renderer) {
    let pitch = frame.width / bars.bars.len().max(1) as f64;
    let width = (0.66 * pitch).min(90.0);
    // Letters are small enough for the longest line below a bar.
    let lines = bars.bars.iter().flat_map(|bar| &bar.label);
    let longest = lines
        .map(|line| renderer.text_width(&escaped(line), TICK_SIZE))
        .fold(0.0, f64::max);
    let size = TICK_SIZE * ((pitch - 6.0) / longest.max(1.0)).min(1.0);
    for (number, bar) in bars.bars.iter().enumerate() {
        let center = frame.left + (number as f64 + 0.5) * pitch;
        let id = format!("panel{index}-bar{number}");
        let height = draw_parts(body, &id, bars, bar, (center, width), axis, frame, renderer);
        draw_total(body, bar, (center, width, height), axis, frame, size);
        for (line, text) in bar.label.iter().enumerate() {
            let y = frame.top + frame.height + 24.0 + line as f64 * LINE;
            write_text(body, (center, y), size, "middle", &escaped(text));
        }
    }
}

/// Draws the parts of a bar of some centre and width, with their shares of its total. Returns the sum of the parts.
#[allow(clippy::too_many_arguments)]
fn draw_parts(
    body: &mut String,
    id: &str,
    bars: &Bars,
    bar: &Bar,
    (center, width): (f64, f64),
    axis: &Axis,
    frame: &Frame,
    renderer: &Renderer,
) -> f64 {
    let left = center - width / 2.0;
    let mut height = 0.0;
    // The share of a single part says nothing.
    let is_divided = bar.parts.iter().filter(|&&value| value > 0.0).count() > 1;
    for (part, (&value, (_, color))) in bar.parts.iter().zip(&bars.parts).enumerate() {
        let (low, high) = (frame.y_at(axis, height), frame.y_at(axis, height + value));
        height += value;
        if low - high < 0.05 {
            continue;
        }
        let _ = writeln!(
            body,
            "<rect id=\"{id}-part{part}\" x=\"{left:.2}\" y=\"{high:.2}\" width=\"{width:.2}\" height=\"{:.2}\" \
             fill=\"{color}\"/>",
            low - high
        );
        let share = format!("{:.0} %", 100.0 * value / bar.total);
        if is_divided && low - high > 20.0 && width > renderer.text_width(&share, 0.85 * TICK_SIZE) + 6.0 {
            let ink = if is_dark(color) { "#ffffff" } else { "#000000" };
            let _ = write!(body, r#"<g fill="{ink}">"#);
            let at = (center, (low + high) / 2.0 + 0.3 * TICK_SIZE);
            write_text(body, at, 0.85 * TICK_SIZE, "middle", &share);
            body.push_str("</g>\n");
        }
    }
    height
}

/// Draws the line across a bar at its total, and its number above the bar, whose parts are `height` high together.
fn draw_total(
    body: &mut String,
    bar: &Bar,
    (center, width, height): (f64, f64, f64),
    axis: &Axis,
    frame: &Frame,
    size: f64,
) {
    let y = frame.y_at(axis, bar.total);
    let _ = writeln!(
        body,
        r#"<path d="M{:.2} {y:.2}h{:.2}" fill="none" {}/>"#,
        center - width / 2.0 - 4.0,
        width + 8.0,
        stroke(&Style::total())
    );
    let top = y.min(frame.y_at(axis, height)) - 8.0;
    // If the parts extend beyond the line, its number could be taken for theirs.
    let below = if bar.is_exceeded() { "line: " } else { "" };
    let number = format!("{below}{}", three_digits(bar.total));
    write_text(body, (center, top), size, "middle", &number);
}

/// Returns whether white letters are more legible than black ones on a colour `#RRGGBB`.
fn is_dark(color: &str) -> bool {
    let part = |at: usize| color.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
    let light = |at, weight: f64| f64::from(part(at).unwrap_or(255)) * weight;
    light(1, 0.3) + light(3, 0.59) + light(5, 0.11) < 140.0
}

/// Returns a number with three significant digits.
fn three_digits(value: f64) -> String {
    let digits = if value > 0.0 {
        (2 - value.log10().floor() as i32).clamp(0, 9)
    } else {
        0
    };
    format!("{value:.*}", digits as usize)
}
