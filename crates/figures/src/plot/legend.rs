//! Legends: the names of the lines and marks of one or more panels, in rows above them, where they cover no
//! curve.

use super::figure::{Marker, Panel, Style};
use super::page::{LABEL_SIZE, MARGIN};
use super::render::Renderer;
use super::strokes::{escaped, mark, stroke, write_text};
use std::fmt::Write;

/// Length of a line in the legend, its distance from its text, the distance between entries, and the height of a row.
const SWATCH: f64 = 46.0;
const SWATCH_GAP: f64 = 10.0;
const ENTRY_GAP: f64 = 34.0;
const ROW: f64 = 30.0;
/// Length of a mark without a line.
const LONE_MARK: f64 = 20.0;

/// An entry: its text (escaped) and the style of the line before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    text: String,
    style: Style,
}

impl Entry {
    /// Returns the length of the line or mark.
    fn swatch(&self) -> f64 {
        if self.style.width == 0.0 { LONE_MARK } else { SWATCH }
    }
}

/// Returns the entries of panels, each once.
pub(super) fn entries<'a>(panels: impl Iterator<Item = &'a Panel>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for curve in panels.flat_map(|panel| &panel.curves) {
        let entry = Entry {
            text: escaped(&curve.label),
            style: curve.style,
        };
        if !curve.label.is_empty() && !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries
}

/// Arranges entries in rows of at most `width`, each with its own width. Entries of several rows are aligned in
/// columns.
fn rows<'a>(entries: &'a [Entry], width: f64, renderer: &Renderer) -> Vec<(f64, Vec<(&'a Entry, f64)>)> {
    let size = |entry: &Entry| entry.swatch() + SWATCH_GAP + renderer.text_width(&entry.text, LABEL_SIZE) + ENTRY_GAP;
    let sizes: Vec<f64> = entries.iter().map(size).collect();
    let (whole, widest) = (sizes.iter().sum::<f64>(), sizes.iter().copied().fold(1.0, f64::max));
    if whole - ENTRY_GAP <= width {
        return (!entries.is_empty())
            .then(|| (whole, entries.iter().zip(sizes).collect()))
            .into_iter()
            .collect();
    }
    let most = (((width + ENTRY_GAP) / widest) as usize).max(1);
    // As many rows as needed, filled evenly.
    let columns = entries.len().div_ceil(entries.len().div_ceil(most));
    entries
        .chunks(columns)
        .map(|row| {
            (
                columns as f64 * widest,
                row.iter().map(|entry| (entry, widest)).collect(),
            )
        })
        .collect()
}

/// Returns the height that [`draw`] takes.
pub(super) fn height(entries: &[Entry], width: f64, renderer: &Renderer) -> f64 {
    match rows(entries, width - 2.0 * MARGIN, renderer).len() {
        0 => 0.0,
        rows => MARGIN + rows as f64 * ROW,
    }
}

/// Draws the entries in centred rows from `top` on, between `left` and `left + width`. Returns the height of the rows.
pub(super) fn draw(
    body: &mut String,
    entries: &[Entry],
    (left, top): (f64, f64),
    width: f64,
    renderer: &Renderer,
) -> f64 {
    for (index, (used, row)) in rows(entries, width - 2.0 * MARGIN, renderer).iter().enumerate() {
        let y = top + MARGIN + (index as f64 + 0.5) * ROW;
        let mut x = left + (width - (used - ENTRY_GAP)) / 2.0;
        for (entry, size) in row {
            let (style, end) = (&entry.style, x + entry.swatch());
            // Writing into a string cannot fail, hence the ignored results here and elsewhere.
            if style.width > 0.0 {
                let stroke = stroke(style);
                let _ = writeln!(body, r#"<path d="M{x:.2} {y:.2}H{end:.2}" fill="none" {stroke}/>"#);
            }
            if style.marker != Marker::None {
                mark(body, style, ((x + end) / 2.0, y));
            }
            let at = (end + SWATCH_GAP, y + 0.36 * LABEL_SIZE);
            write_text(body, at, LABEL_SIZE, "start", &entry.text);
            x += size;
        }
    }
    height(entries, width, renderer)
}
