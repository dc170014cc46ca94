//! Spans in rows: the work of several queues over time. The eye compares the rows from top to bottom, so that all bars
//! have the same height and rows keep a gap between them.

use super::axis::Axis;
use super::figure::Lanes;
use super::page::Frame;
use std::fmt::Write;

/// Height of a row, and of the bars in it.
pub(super) const ROW: f64 = 40.0;
const BAR: f64 = 26.0;
/// Smallest width of a bar, so that a short span is visible at all.
const THINNEST: f64 = 0.5;
/// Gap between the end of a bar and the next one, so that consecutive spans can be counted, and the smallest width of a
/// bar that has such a gap.
const GAP: f64 = 0.7;
const WIDE: f64 = 2.5;

/// Draws the spans of panel number `index`.
pub(super) fn draw(body: &mut String, index: usize, lanes: &Lanes, (x_axis, y_axis): (&Axis, &Axis), frame: &Frame) {
    let mut order: Vec<usize> = (0..lanes.spans.len()).collect();
    let length = |span: usize| lanes.spans[span].end - lanes.spans[span].begin;
    // Short spans come on top, where a longer one of the same row would hide them.
    order.sort_by(|&a, &b| length(b).total_cmp(&length(a)));
    for number in order {
        let span = &lanes.spans[number];
        let (left, right) = (frame.x_at(x_axis, span.begin), frame.x_at(x_axis, span.end));
        let gap = if right - left > WIDE { GAP } else { 0.0 };
        let width = (right - left - gap).max(THINNEST);
        let top = frame.y_at(y_axis, span.lane as f64 + 0.5) - BAR / 2.0;
        let color = lanes.kinds[span.kind].1;
        // Writing into a string cannot fail, hence the ignored result.
        let _ = writeln!(
            body,
            "<rect id=\"panel{index}-span{number}\" x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" \
             height=\"{BAR}\" fill=\"{color}\"/>"
        );
    }
}
