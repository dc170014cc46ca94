//! The points of a profile as a file has them, brought into one form: once around, to the left, in chords, with a round
//! trailing edge.

use super::plane::{Point, crossing, distance, minus};
use crate::input::{Problem, Table};

/// Fewest and most points of a profile.
const FEWEST: usize = 20;
const MOST: usize = 10_000;
/// Distance in chords below which two points are the same.
const SAME: f64 = 1e-7;
/// Turning of the outline at a corner, in radians.
const CORNER: f64 = 50.0 * std::f64::consts::PI / 180.0;

/// Reads the points from the columns x and y of a table and divides them by the chord. An open or sharp trailing edge
/// is closed by a half circle, of the radius `trailing_radius` (in chords) or wider where the edge is.
///
/// # Errors
/// A column is missing, there are too few points or too many, or the outline crosses itself or has a corner elsewhere.
pub(super) fn points(table: &Table, chord: f64, trailing_radius: f64) -> Result<Vec<Point>, Problem> {
    let column = |name: &str| {
        let known: Vec<&str> = table.names.iter().map(String::as_str).collect();
        let missing = || {
            Problem::new(format!("the profile has no column `{name}`"))
                .help(format!("its columns are: {}", known.join(", ")))
        };
        table.column(name).ok_or_else(missing)
    };
    let (x, y) = (column("x")?, column("y")?);
    let mut points: Vec<Point> = Vec::with_capacity(x.len());
    for (row, (x, y)) in x.iter().zip(y).enumerate() {
        let point = [x / chord, y / chord];
        if !point.iter().all(|v| v.is_finite()) {
            let line = table.lines[row];
            return Err(Problem::new(format!(
                "line {line} of the profile has a value that is not finite"
            )));
        }
        if points.last().is_none_or(|last| distance(*last, point) > SAME) {
            points.push(point);
        }
    }
    while points.len() > 1 && distance(points[0], points[points.len() - 1]) <= SAME {
        points.pop();
    }
    if points.len() < FEWEST {
        let what = format!("the profile has {} points: at least {FEWEST} are needed", points.len());
        return Err(Problem::new(what));
    }
    if points.len() > MOST {
        let what = format!("the profile has {} points: at most {MOST} are possible", points.len());
        return Err(Problem::new(what).help("take every so many of them: the wall is a smooth curve near the points"));
    }
    if area(&points) < 0.0 {
        points.reverse();
    }
    refuse_crossing(&points)?;
    round_end(points, trailing_radius)
}

/// Area inside, positive if the outline goes round to the left.
fn area(points: &[Point]) -> f64 {
    let n = points.len();
    let terms = (0..n).map(|i| (points[i], points[(i + 1) % n]));
    0.5 * terms.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
}

/// Refuses an outline that crosses itself.
///
/// # Errors
/// It crosses itself.
pub(super) fn refuse_crossing(points: &[Point]) -> Result<(), Problem> {
    match crossing(points) {
        None => Ok(()),
        Some([x, y]) => Err(
            Problem::new(format!("the profile crosses itself at ({x:.5}, {y:.5}) chords"))
                .help("the points go round once: along one side to the trailing edge and back along the other"),
        ),
    }
}

/// Turning of the outline at point i, in radians.
fn turning(points: &[Point], i: usize) -> f64 {
    let n = points.len();
    let [a, b] = minus(points[i], points[(i + n - 1) % n]);
    let [c, d] = minus(points[(i + 1) % n], points[i]);
    (a * d - b * c).atan2(a * c + b * d).abs()
}

/// Replaces the corners of a trailing edge, if it has some, by a half circle.
fn round_end(points: Vec<Point>, radius: f64) -> Result<Vec<Point>, Problem> {
    let n = points.len();
    let corners: Vec<usize> = (0..n).filter(|&i| turning(&points, i) > CORNER).collect();
    let start = match corners[..] {
        [] => return Ok(points),
        [one] => one,
        [a, b] if b == a + 1 => b,
        [0, b] if b == n - 1 => 0,
        _ => {
            let places: Vec<String> = corners
                .iter()
                .map(|&i| format!("({:.5}, {:.5})", points[i][0], points[i][1]))
                .collect();
            return Err(Problem::new(format!(
                "the profile has corners of more than 50 degrees at {}",
                places.join(", ")
            ))
            .help("only a trailing edge may have them, one if it is sharp and two if it is cut off"));
        }
    };
    // From the corner (the later one of two) once round to it, or to the other corner.
    let mut open: Vec<Point> = (0..n).map(|i| points[(start + i) % n]).collect();
    if corners.len() == 1 {
        open.push(open[0]);
    }
    let cut = |end: Point, inner: Point, back: f64| -> Point {
        let f = back / distance(end, inner);
        [0, 1].map(|d| end[d] + f * (inner[d] - end[d]))
    };
    // Both sides are shortened in steps until they are as far apart as the circle is wide.
    let step = radius / 8.0;
    while distance(open[0], open[open.len() - 1]) < 2.0 * radius && open.len() > FEWEST {
        for _ in 0..2 {
            open.reverse();
            if distance(open[0], open[1]) <= step {
                open.remove(0);
            } else {
                open[0] = cut(open[0], open[1], step);
            }
        }
    }
    if open.len() <= FEWEST {
        let what = format!("the trailing edge cannot be rounded with a radius of {radius} chords");
        return Err(Problem::new(what).key("trailing-radius"));
    }
    open.extend(half_circle(open[open.len() - 1], open[0]));
    Ok(open)
}

/// Points inside a half circle that turns to the left from a to b.
fn half_circle(a: Point, b: Point) -> impl Iterator<Item = Point> {
    const POINTS: usize = 12;
    let centre = [0, 1].map(|d| 0.5 * (a[d] + b[d]));
    let arm = minus(a, centre);
    (1..POINTS).map(move |i| {
        let (sin, cos) = (std::f64::consts::PI * i as f64 / POINTS as f64).sin_cos();
        [
            centre[0] + cos * arm[0] - sin * arm[1],
            centre[1] + sin * arm[0] + cos * arm[1],
        ]
    })
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
