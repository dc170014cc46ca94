//! Legends: the names of the lines, marks and bars of one or more panels, in rows above them, where they cover no
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
/// Side of the square for a part of a bar or for a kind of span.
const SQUARE: f64 = 20.0;

/// The symbol before the text of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Swatch {
    Line(Style),
    Square(&'static str),
}

impl Swatch {
    fn width(self) -> f64 {
        match self {
            Swatch::Line(style) if style.width == 0.0 => SQUARE,
            Swatch::Line(_) => SWATCH,
            Swatch::Square(_) => SQUARE,
        }
    }
}

/// An entry: its text (escaped) and its symbol.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    text: String,
    swatch: Swatch,
}

/// Returns the entries of panels, each once.
pub(super) fn entries<'a>(panels: impl Iterator<Item = &'a Panel>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut add = |label: &str, swatch| {
        let entry = Entry {
            text: escaped(label),
            swatch,
        };
        if !label.is_empty() && !entries.contains(&entry) {
            entries.push(entry);
        }
    };
    for panel in panels {
        for curve in &panel.curves {
            add(&curve.label, Swatch::Line(curve.style));
        }
        if let Some(bars) = &panel.bars {
            for (name, color) in &bars.parts {
                add(name, Swatch::Square(color));
            }
            add(&bars.total, Swatch::Line(Style::total()));
        }
        for (name, color) in panel.lanes.iter().flat_map(|lanes| &lanes.kinds) {
            add(name, Swatch::Square(color));
        }
    }
    entries
}

/// Arranges entries in rows of at most `width`, each with its own width. Entries of several rows are aligned in
/// columns.
fn rows<'a>(entries: &'a [Entry], width: f64, renderer: &Renderer) -> Vec<(f64, Vec<(&'a Entry, f64)>)> {
    let size =
        |entry: &Entry| entry.swatch.width() + SWATCH_GAP + renderer.text_width(&entry.text, LABEL_SIZE) + ENTRY_GAP;
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
            let end = x + entry.swatch.width();
            // Writing into a string cannot fail, hence the ignored results here and elsewhere.
            match entry.swatch {
                Swatch::Line(style) => {
                    if style.width > 0.0 {
                        let stroke = stroke(&style);
                        let _ = writeln!(body, r#"<path d="M{x:.2} {y:.2}H{end:.2}" fill="none" {stroke}/>"#);
                    }
                    if style.marker != Marker::None {
                        mark(body, &style, ((x + end) / 2.0, y));
                    }
                }
                Swatch::Square(color) => {
                    let top = y - SQUARE / 2.0;
                    let _ = writeln!(
                        body,
                        r#"<rect x="{x:.2}" y="{top:.2}" width="{SQUARE}" height="{SQUARE}" fill="{color}"/>"#
                    );
                }
            }
            let at = (end + SWATCH_GAP, y + 0.36 * LABEL_SIZE);
            write_text(body, at, LABEL_SIZE, "start", &entry.text);
            x += size;
        }
    }
    height(entries, width, renderer)
}
