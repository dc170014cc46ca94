//! Drawing of values on a grid of rectangles as colours, with a colour bar beside the axes.

use super::axis::{Axis, Fit, range_of_constant};
use super::colours::Map;
use super::figure::Tiles;
use super::page::{Frame, TICK_SIZE};
use super::strokes::write_text;
use std::fmt::Write;

/// Room right of the axes for the bar of colours: its distance, its width, and the rest for its labels.
pub(super) const BAR_ROOM: f64 = 110.0;
const BAR_GAP: f64 = 20.0;
const BAR: f64 = 22.0;
/// Number of colours. More cannot be told apart; neighbours of the same colour become one rectangle.
const COLOURS: f64 = 128.0;

/// Draws the tiles of panel number `index`, and the bar.
pub(super) fn draw(body: &mut String, index: usize, tiles: &Tiles, (x_axis, y_axis): (&Axis, &Axis), frame: &Frame) {
    // Without smoothing, no light lines are left between neighbours.
    let _ = writeln!(body, r#"<g id="panel{index}-tiles" shape-rendering="crispEdges">"#);
    let columns = tiles.x.len() - 1;
    let range = range_of_constant(tiles.range).unwrap_or(tiles.range);
    for (row, ends) in tiles.values.chunks(columns).zip(tiles.y.windows(2)) {
        let (top, bottom) = (frame.y_at(y_axis, ends[1]), frame.y_at(y_axis, ends[0]));
        let colours: Vec<Option<usize>> = row.iter().map(|&value| colour(range, value)).collect();
        let mut first = 0;
        for same in colours.chunk_by(|a, b| a == b) {
            let [left, right] = [first, first + same.len()].map(|edge| frame.x_at(x_axis, tiles.x[edge]));
            first += same.len();
            let Some(colour) = same[0] else { continue };
            // A narrow tile covers the middle of no pixel. Below its neighbour, to which it extends, no gap is left.
            let width = (right + 1.0).min(frame.left + frame.width) - left;
            rectangle(body, [left, top, width, bottom - top], tiles.colours, colour);
        }
    }
    body.push_str("</g>\n");
    draw_bar(body, tiles.colours, range, frame);
}

/// Returns the number of the colour of a value, from 0 to `COLOURS` - 1. The range has an extent.
fn colour([low, high]: [f64; 2], value: f64) -> Option<usize> {
    let share = (value - low) / (high - low);
    value
        .is_finite()
        .then(|| (share * COLOURS).clamp(0.0, COLOURS - 1.0) as usize)
}

/// Draws a rectangle (left, top, width, height) in a colour.
fn rectangle(body: &mut String, [left, top, width, height]: [f64; 4], colours: &Map, colour: usize) {
    let [r, g, b] = colours.at((colour as f64 + 0.5) / COLOURS);
    // Writing into a string cannot fail, hence the ignored results here and below.
    let _ = writeln!(
        body,
        r##"<path d="M{left:.2} {top:.2}h{width:.2}v{height:.2}h-{width:.2}z" fill="#{r:02x}{g:02x}{b:02x}"/>"##
    );
}

/// Draws the bar of all colours with its numbers, over a range with an extent.
pub(super) fn draw_bar(body: &mut String, colours: &Map, range: [f64; 2], frame: &Frame) {
    let left = frame.left + frame.width + BAR_GAP;
    let _ = writeln!(body, r#"<g shape-rendering="crispEdges">"#);
    let height = frame.height / COLOURS;
    for colour in 0..COLOURS as usize {
        let top = frame.top + frame.height - (colour + 1) as f64 * height;
        rectangle(body, [left, top, BAR, height], colours, colour);
    }
    body.push_str("</g>\n");
    let _ = writeln!(
        body,
        r##"<path d="M{left:.2} {:.2}h{BAR}v{:.2}h-{BAR}z" fill="none" stroke="#000000" stroke-width="1.4"/>"##,
        frame.top, frame.height
    );
    let [low, high] = range;
    let axis = Axis::over(range.into_iter(), Fit::Tight);
    for (tick, label) in axis.named().filter(|(tick, _)| (low..=high).contains(tick)) {
        let y = frame.top + (high - tick) / (high - low) * frame.height;
        let _ = writeln!(
            body,
            r##"<path d="M{:.2} {y:.2}h6" stroke="#000000" stroke-width="1.4"/>"##,
            left + BAR
        );
        write_text(
            body,
            (left + BAR + 10.0, y + 0.36 * TICK_SIZE),
            TICK_SIZE,
            "start",
            label,
        );
    }
    if axis.power != 0 {
        let at = (left, frame.top - 8.0);
        write_text(body, at, TICK_SIZE, "start", &axis.power_of_ten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_the_range_have_the_colours_of_its_ends() {
        let of = |value| colour([-1.0, 1.0], value);
        assert_eq!([-2.0, -1.0, 0.0, 1.0, 7.0].map(of), [0, 0, 64, 127, 127].map(Some));
        assert_eq!(of(f64::NAN), None);
    }

    #[test]
    fn a_constant_has_the_colour_in_the_middle_of_a_bar_with_numbers_around_it() {
        let axis = Axis::over([0.0, 1.0].into_iter(), Fit::Tight);
        let frame = Frame {
            left: 0.0,
            top: 0.0,
            width: 100.0,
            height: 100.0,
            title: 0.0,
            y_label: 0.0,
        };
        for value in [0.0, 2.0] {
            let tiles = Tiles {
                x: vec![0.0, 1.0],
                y: vec![0.0, 1.0],
                values: vec![value],
                range: [value; 2],
                colours: &super::super::colours::AROUND_ZERO,
            };
            let mut body = String::new();
            draw(&mut body, 0, &tiles, (&axis, &axis), &frame);
            assert!(!body.contains("NaN"), "{body}");
            // The only tile is next to white.
            let tile = body.lines().nth(1).unwrap();
            assert!(tile.contains("#f"), "{tile}");
            // The number of the value is at half the height.
            assert!(body.contains("50.00h6"), "{body}");
        }
    }
}
