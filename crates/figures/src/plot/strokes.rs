//! The elements of a drawing as SVG: text, lines and marks.

use std::fmt::Write;

use super::exponents::raised;
use super::figure::{Band, Curve, Marker, Style};
use crate::format::plain;

/// Points closer than this to the last one drawn are left out: they are not visible, and long series would make huge
/// files.
const RESOLUTION: f64 = 0.25;
/// Half the width of a mark.
const MARK: f64 = 6.0;

pub(super) fn drawable(x: f64, y: f64) -> bool {
    x.is_finite() && y.is_finite()
}

/// Returns the line through the points of a curve, without those that are not visible.
pub(super) fn path(curve: &Curve, x_at: impl Fn(f64) -> f64, y_at: impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for (&x, &y) in curve.x.iter().zip(&curve.y) {
        let point = (x_at(x), y_at(y));
        if !drawable(point.0, point.1) {
            last = None;
            continue;
        }
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

/// Returns the outlines of the uninterrupted parts of a band.
pub(super) fn outline(band: &Band, x_at: impl Fn(f64) -> f64, y_at: impl Fn(f64) -> f64) -> String {
    let point = |i: usize| [(band.x[i], band.low[i]), (band.x[i], band.high[i])].map(|(x, y)| (x_at(x), y_at(y)));
    let points: Vec<[(f64, f64); 2]> = (0..band.x.len()).map(point).collect();
    let complete = |ends: &[(f64, f64); 2]| ends.iter().all(|(x, y)| drawable(*x, *y));
    let mut outline = String::new();
    for part in points.split(|ends| !complete(ends)).filter(|part| part.len() > 1) {
        let there = part.iter().map(|ends| ends[0]);
        let back = part.iter().rev().map(|ends| ends[1]);
        for (i, (x, y)) in there.chain(back).enumerate() {
            let _ = write!(outline, "{}{x:.2} {y:.2}", if i == 0 { 'M' } else { 'L' });
        }
        outline.push('Z');
    }
    outline
}

pub(super) fn stroke(style: &Style) -> String {
    let dashes = if style.dashes.is_empty() {
        String::new()
    } else {
        format!(r#" stroke-dasharray="{}""#, style.dashes)
    };
    format!(r#"stroke="{}" stroke-width="{}"{dashes}"#, style.color, style.width)
}

/// Returns the mark of a style: filled, or open if it has no line.
pub(super) fn mark(body: &mut String, style: &Style, (x, y): (f64, f64)) {
    let shape = match style.marker {
        Marker::None => return,
        Marker::Circle => format!(r#"<circle cx="{x:.2}" cy="{y:.2}" r="{MARK}""#),
        Marker::Square => {
            let (side, half) = (1.8 * MARK, 0.9 * MARK);
            let (left, top) = (x - half, y - half);
            format!(r#"<rect x="{left:.2}" y="{top:.2}" width="{side:.2}" height="{side:.2}""#)
        }
        Marker::Triangle => {
            let (top, half) = (y - 1.25 * MARK, 1.15 * MARK);
            format!(
                r#"<path d="M{x:.2} {top:.2}l{half:.2} {:.2}h-{:.2}z""#,
                2.0 * MARK,
                2.0 * half
            )
        }
        Marker::Diamond => {
            let (left, half) = (x - 1.3 * MARK, 1.3 * MARK);
            format!(r#"<path d="M{left:.2} {y:.2}l{half:.2} -{half:.2}l{half:.2} {half:.2}l-{half:.2} {half:.2}z""#)
        }
    };
    let (fill, edge) = if style.width > 0.0 {
        (style.color, "#ffffff")
    } else {
        ("#ffffff", style.color)
    };
    let width = if style.width > 0.0 { 1.0 } else { 2.2 };
    let _ = writeln!(
        body,
        r#"{shape} fill="{fill}" stroke="{edge}" stroke-width="{width}"/>"#
    );
}

pub(super) fn write_text(body: &mut String, (x, y): (f64, f64), size: f64, anchor: &str, text: &str) {
    let _ = writeln!(
        body,
        r#"<text x="{x:.2}" y="{y:.2}" font-size="{size}" text-anchor="{anchor}">{text}</text>"#
    );
}

/// Returns `text` with raised exponents, the characters that have a meaning in SVG escaped, and those that turn its
/// direction replaced.
pub(super) fn escaped(text: &str) -> String {
    raised(&plain(text))
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
