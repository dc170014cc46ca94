//! Clamped B-splines on the interval from 0 to 1 with knots at equal distances, of degree 3 where there are enough
//! control values (C. de Boor, A Practical Guide to Splines, 1978).

/// Highest degree.
const DEGREE: usize = 3;

/// Returns the degree of a spline of so many control values, of which there are at least two.
fn degree(count: usize) -> usize {
    DEGREE.min(count - 1)
}

/// Returns the knot of a number.
fn knot(count: usize, at: usize) -> f64 {
    let degree = degree(count);
    let pieces = count - degree;
    (at.saturating_sub(degree).min(pieces)) as f64 / pieces as f64
}

/// Returns the basis functions of all control values at a parameter from 0 to 1.
pub(super) fn basis(count: usize, s: f64) -> Vec<f64> {
    let degree = degree(count);
    let pieces = count - degree;
    let piece = ((s * pieces as f64) as usize).min(pieces - 1);
    let first = piece + degree;
    let mut values = vec![0.0; count];
    values[first.min(count - 1)] = 1.0;
    for d in 1..=degree {
        for i in first - d..=first.min(count - 1) {
            let left = knot(count, i);
            let right = knot(count, i + d + 1);
            let rising = match knot(count, i + d) - left {
                width if width > 0.0 => (s - left) / width * values[i],
                _ => 0.0,
            };
            let next = if i + 1 < count { values[i + 1] } else { 0.0 };
            let falling = match right - knot(count, i + 1) {
                width if width > 0.0 => (right - s) / width * next,
                _ => 0.0,
            };
            values[i] = rising + falling;
        }
    }
    values
}

/// Returns the value of a spline.
pub(super) fn value(control: &[f64], s: f64) -> f64 {
    basis(control.len(), s).iter().zip(control).map(|(b, c)| b * c).sum()
}

/// Returns the derivative of a spline at 1.
pub(super) fn slope_at_end(control: &[f64]) -> f64 {
    let count = control.len();
    let degree = degree(count);
    (degree * (count - degree)) as f64 * (control[count - 1] - control[count - 2])
}

/// Returns the parameter at which a control value counts most: the mean of its knots, of T. N. E. Greville.
pub(super) fn place(count: usize, i: usize) -> f64 {
    let degree = degree(count);
    (1..=degree).map(|k| knot(count, i + k)).sum::<f64>() / degree as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splines_have_unit_sum_reach_their_ends_and_reproduce_lines() {
        for count in [2, 3, 4, 5, 9] {
            let line: Vec<f64> = (0..count).map(|i| 2.0 - 3.0 * place(count, i)).collect();
            for s in [0.0, 0.1, 0.37, 0.5, 0.81, 1.0] {
                assert!((basis(count, s).iter().sum::<f64>() - 1.0).abs() < 1e-14, "{count} {s}");
                assert!((value(&line, s) - (2.0 - 3.0 * s)).abs() < 1e-14, "{count} {s}");
            }
            assert!((slope_at_end(&line) + 3.0).abs() < 1e-13, "{count}");
            let bent: Vec<f64> = (0..count).map(|i| (i * i) as f64).collect();
            let ends = [value(&bent, 0.0), value(&bent, 1.0)];
            assert_eq!(ends, [0.0, ((count - 1) * (count - 1)) as f64]);
            let near = (value(&bent, 1.0) - value(&bent, 1.0 - 1e-6)) / 1e-6;
            assert!((near - slope_at_end(&bent)).abs() < 1e-3 * near, "{near}");
        }
    }
}
