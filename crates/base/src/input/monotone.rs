//! Interpolation on a line of points with increasing abscissae: linear, or by a monotone cubic.
//!
//! The monotone cubic is the piecewise Hermite polynomial of F. N. Fritsch & R. E. Carlson, *Monotone piecewise cubic
//! interpolation*, SIAM J. Numer. Anal. 17 (1980) 238, with the slopes of F. N. Fritsch & J. Butland, *A method for
//! constructing local monotone piecewise cubic interpolants*, SIAM J. Sci. Stat. Comput. 5 (1984) 300, with weights for
//! unequal intervals. It has a continuous slope, lies between the neighbouring values everywhere, and depends on four
//! points only. At the ends the slope is that of the parabola through three points, limited so that the curve
//! stays monotone (C. Moler, *Numerical Computing with MATLAB*, SIAM 2004, section 3.6).

use super::profile_keys::Interpolation;

/// Returns the value at `at`, which lies from the first to the last of the abscissae `x`, of which there are at least
/// two; `value` gives the value at a point.
pub fn interpolate(how: Interpolation, x: &[f64], at: f64, value: impl Fn(usize) -> f64) -> f64 {
    let left = (x.partition_point(|&x| x <= at).max(1) - 1).min(x.len() - 2);
    let width = x[left + 1] - x[left];
    let from = value(left);
    let to = value(left + 1);
    let share = (at - x[left]) / width;
    match how {
        Interpolation::Linear => from + share * (to - from),
        Interpolation::Cubic => {
            let [start, end] = [left, left + 1].map(|point| width * slope(x, &value, point));
            let rest = 1.0 - share;
            // The difference to the straight line, so that lines come out exactly.
            let bend = rest * (start - (to - from)) - share * (end - (to - from));
            from + share * (to - from) + share * rest * bend
        }
    }
}

/// Returns the slope of the monotone cubic at a point.
fn slope(x: &[f64], value: &impl Fn(usize) -> f64, point: usize) -> f64 {
    // The interval that begins at a point.
    let interval = |point: usize| {
        let width = x[point + 1] - x[point];
        Interval {
            width,
            slope: (value(point + 1) - value(point)) / width,
        }
    };
    let last = x.len() - 1;
    match point {
        _ if last == 1 => interval(0).slope,
        0 => end_slope(interval(0), interval(1)),
        _ if point == last => end_slope(interval(last - 1), interval(last - 2)),
        _ => {
            let Interval { width: h0, slope: s0 } = interval(point - 1);
            let Interval { width: h1, slope: s1 } = interval(point);
            if s0 * s1 <= 0.0 {
                return 0.0; // an extreme of the values is one of the curve
            }
            let w0 = 2.0 * h1 + h0;
            let w1 = h1 + 2.0 * h0;
            (w0 + w1) / (w0 / s0 + w1 / s1)
        }
    }
}

/// The interval between two neighbouring points.
struct Interval {
    width: f64,
    /// Slope of the straight line between the points.
    slope: f64,
}

/// Returns the slope at an end, from the two intervals nearest to it.
fn end_slope(first: Interval, second: Interval) -> f64 {
    let Interval { width: h0, slope: s0 } = first;
    let Interval { width: h1, slope: s1 } = second;
    let slope = ((2.0 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
    if slope * s0 <= 0.0 {
        0.0
    } else if s0 * s1 <= 0.0 && slope.abs() > 3.0 * s0.abs() {
        3.0 * s0
    } else {
        slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(how: Interpolation, x: &[f64], y: &[f64], at: f64) -> f64 {
        interpolate(how, x, at, |point| y[point])
    }

    #[test]
    fn points_and_straight_lines_come_out_exactly() {
        let x = [-1.0, 0.0, 0.5, 2.0, 2.25];
        let line = x.map(|x| 3.0 - 2.0 * x);
        let any = [1.0, -2.0, 4.0, 4.0, 8.0];
        for how in [Interpolation::Linear, Interpolation::Cubic] {
            for point in 0..5 {
                assert_eq!(at(how, &x, &any, x[point]), any[point], "{how:?}");
            }
            for share in 0..=100 {
                let x_here = -1.0 + 3.25 * f64::from(share) / 100.0;
                let error = at(how, &x, &line, x_here) - (3.0 - 2.0 * x_here);
                assert!(error.abs() < 2e-15, "{how:?} {error:e}");
                assert_eq!(at(how, &x, &[7.1; 5], x_here), 7.1, "{how:?}");
            }
        }
    }

    /// Widths 1, 2 and 1, slopes 1, 2 and 1/2: the slopes at the points are 2/3, 9/7, 3/4 and 0, worked by hand.
    #[test]
    fn the_cubic_has_the_published_slopes() {
        let (x, y) = ([0.0, 1.0, 3.0, 4.0], [0.0, 1.0, 5.0, 5.5]);
        let expected = [2.0 / 3.0, 9.0 / 7.0, 0.75, 0.0];
        for (point, expected) in expected.into_iter().enumerate() {
            let slope = slope(&x, &|i| y[i], point);
            assert!((slope - expected).abs() < 1e-15, "{point}: {slope} {expected}");
        }
        // Hermite's formula in the middle of the second interval: mean of the values, and width/8 of the slopes.
        let middle = 3.0 + 2.0 / 8.0 * (9.0 / 7.0 - 0.75);
        assert!((at(Interpolation::Cubic, &x, &y, 2.0) - middle).abs() < 1e-15);
    }

    #[test]
    fn the_cubic_is_monotone_where_the_points_are_and_of_third_order() {
        let x = [0.0, 1.0, 1.5, 2.0, 4.0, 4.5];
        let y = [0.0, 0.1, 5.0, 5.0, 6.0, 100.0];
        let values: Vec<f64> = (0..=900)
            .map(|i| at(Interpolation::Cubic, &x, &y, f64::from(i) / 200.0))
            .collect();
        assert!(values.windows(2).all(|pair| pair[1] >= pair[0] - 1e-14));
        let error = |n: i32| {
            let x: Vec<f64> = (0..=n).map(|i| f64::from(i) / f64::from(n)).collect();
            let y: Vec<f64> = x.iter().map(|x| x.exp()).collect();
            let errors = (0..=1000).map(|i| {
                let x_here = f64::from(i) / 1000.0;
                (at(Interpolation::Cubic, &x, &y, x_here) - x_here.exp()).abs()
            });
            errors.fold(0.0, f64::max)
        };
        let order = (error(20) / error(40)).log2();
        assert!(order > 2.9, "{order}");
    }
}
