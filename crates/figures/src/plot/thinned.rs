//! Curves of few points in place of those of long series, which would make huge files and look the same.

/// Most points of a curve; of longer series the extremes of equal parts are drawn.
const POINTS: usize = 2000;

/// Returns a curve of few points with the extremes of the whole one: the least and the largest value of each of equal
/// parts, in their order.
pub fn thinned(x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    if x.len() <= POINTS {
        return (x.to_vec(), y.to_vec());
    }
    let part = (2 * x.len()).div_ceil(POINTS);
    let mut kept = Vec::with_capacity(POINTS);
    for first in (0..y.len()).step_by(part) {
        let of_part = first..(first + part).min(y.len());
        let least = of_part.clone().min_by(|&a, &b| y[a].total_cmp(&y[b]));
        let most = of_part.max_by(|&a, &b| y[a].total_cmp(&y[b]));
        let (Some(least), Some(most)) = (least, most) else {
            continue;
        };
        kept.push(least.min(most));
        if least != most {
            kept.push(least.max(most));
        }
    }
    kept.iter().map(|&row| (x[row], y[row])).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_its_ends_in_order_and_its_extremes() {
        let x: Vec<f64> = (0..100_000).map(f64::from).collect();
        let mut y: Vec<f64> = x.iter().map(|x| (x * 1e-3).sin()).collect();
        y[54_321] = 9.0;
        let (thin_x, thin_y) = thinned(&x, &y);
        assert!(thin_x.len() <= POINTS && thin_x.len() > POINTS / 2, "{}", thin_x.len());
        assert!(thin_x.is_sorted());
        assert!(thin_y.contains(&9.0));
        assert_eq!(thinned(&x[..10], &y[..10]).0, x[..10]);
    }
}
