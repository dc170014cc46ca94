//! The frame of a picture of a slice that has a file of its own: the title above it and the scale of its colours below
//! it, which the page of the report has beside the picture.

use std::fmt::Write;

use resvg::tiny_skia::Pixmap;

use super::html::escaped;
use super::picture::Picture;
use crate::format::number;
use crate::plot::colours::Map;

/// Room around the picture, and above and below it for title and scale, in pixels.
const MARGIN: u32 = 20;
const HEAD: u32 = 58;
const FOOT: u32 = 84;
/// Least width of the file, which has room for the title.
const NARROWEST: u32 = 820;

/// Returns a picture in PNG with its title and the scale of its colours, between the values at both ends.
pub(super) fn framed(name: String, png: Vec<u8>, title: &str, [low, high]: [f64; 2], map: &Map) -> Picture {
    let [width, height] = Pixmap::decode_png(&png).map_or([0, 0], |pixels| [pixels.width(), pixels.height()]);
    let whole = (width + 2 * MARGIN).max(NARROWEST);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"{}\" font-size=\"20\">\n\
         <text x=\"{}\" y=\"37\" text-anchor=\"middle\">{}</text>\n",
        HEAD + height + FOOT,
        whole / 2,
        escaped(title)
    );
    let bar = whole - 2 * MARGIN;
    let top = HEAD + height + 18;
    for x in 0..bar {
        let [r, g, b] = map.at((f64::from(x) + 0.5) / f64::from(bar));
        // Writing into a string cannot fail, hence the ignored results.
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{top}\" width=\"1\" height=\"20\" fill=\"rgb({r},{g},{b})\"/>",
            MARGIN + x
        );
    }
    let marks = [
        (MARGIN, "start", low),
        (whole / 2, "middle", 0.5 * (low + high)),
        (whole - MARGIN, "end", high),
    ];
    for (x, anchor, value) in marks {
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            top + 44,
            number(value)
        );
    }
    Picture::inside(name, svg + "</svg>\n", png, [(whole - width) / 2, HEAD])
}
