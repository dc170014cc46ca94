//! Lines along which a function on a grid has the value zero.

/// Returns the line of zeros of values on a grid, `[row][column]`, as positions of a curve that is broken by numbers
/// that are not finite. Each cell of the grid is two triangles, in which the function is linear; triangles with a value
/// that is not finite are left out.
pub(super) fn zeros(x: &[f64], y: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let columns = x.len();
    let at = |i: usize, j: usize| (x[i], y[j], values[j * columns + i]);
    let mut line = (Vec::new(), Vec::new());
    for j in 1..y.len() {
        for i in 1..columns {
            let [a, b, c, d] = [at(i - 1, j - 1), at(i, j - 1), at(i, j), at(i - 1, j)];
            for corners in [[a, b, c], [a, c, d]] {
                if let Some(ends) = within(corners) {
                    for (x, y) in ends.into_iter().chain([(f64::NAN, f64::NAN)]) {
                        line.0.push(x);
                        line.1.push(y);
                    }
                }
            }
        }
    }
    line
}

/// Returns the ends of the line of zeros in a triangle, whose corners are given with their values.
fn within(corners: [(f64, f64, f64); 3]) -> Option<[(f64, f64); 2]> {
    if corners.iter().any(|corner| !corner.2.is_finite()) {
        return None;
    }
    let crossing = |k: usize| {
        let ((x0, y0, v0), (x1, y1, v1)) = (corners[k], corners[(k + 1) % 3]);
        let share = v0 / (v0 - v1);
        ((v0 > 0.0) != (v1 > 0.0)).then_some((x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
    };
    let mut found = (0..3).filter_map(crossing);
    Some([found.next()?, found.next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zeros_of_a_plane_are_exact_and_those_of_a_circle_close_to_it() {
        let places: Vec<f64> = (0..41).map(|i| -1.0 + 0.05 * f64::from(i)).collect();
        let on_grid = |f: &dyn Fn(f64, f64) -> f64| -> (Vec<f64>, Vec<f64>) {
            let values: Vec<f64> = places
                .iter()
                .flat_map(|&y| places.iter().map(move |&x| f(x, y)))
                .collect();
            zeros(&places, &places, &values)
        };
        let (x, y) = on_grid(&|x, y| x + 0.3 * y - 0.111);
        let pairs = || x.iter().zip(&y).filter(|(x, _)| x.is_finite());
        assert!(pairs().all(|(x, y)| (x + 0.3 * y - 0.111).abs() < 1e-14));
        // Each row of cells has a part of the line, which leaves no gap.
        let length: f64 = x
            .chunks(3)
            .zip(y.chunks(3))
            .map(|(x, y)| (x[1] - x[0]).hypot(y[1] - y[0]))
            .sum();
        assert!((length - 2.0 * 1.09f64.sqrt()).abs() < 1e-12, "{length}");
        let (x, y) = on_grid(&|x, y| x.hypot(y) - 0.7);
        let away = x.iter().zip(&y).filter(|(x, _)| x.is_finite());
        // The error of linear interpolation, h^2/(8 r) with the diagonal h.
        assert!(away.map(|(x, y)| (x.hypot(*y) - 0.7).abs()).fold(0.0, f64::max) < 2.0 * 0.05f64.powi(2) / (8.0 * 0.6));
        assert!(!x.is_empty());
    }

    #[test]
    fn values_without_a_zero_or_that_are_not_known_have_no_line() {
        assert!(zeros(&[0.0, 1.0], &[0.0, 1.0], &[1.0, 2.0, 3.0, 4.0]).0.is_empty());
        let (x, _) = zeros(&[0.0, 1.0], &[0.0, 1.0], &[-1.0, f64::NAN, 1.0, 1.0]);
        assert_eq!(x.len(), 3);
    }
}
