//! The order of designs with constraints.

use std::cmp::Ordering;

/// Compares two designs by the rules of K. Deb, Computer Methods in Applied Mechanics and Engineering 186 (2000) 311: a
/// feasible one is before one that is not, of two infeasible ones that with the smaller violation is first, and of two
/// feasible ones that with the better objective. Each is given as its violation and its objective, of which less is
/// better.
pub fn by_debs_rules(a: [f64; 2], b: [f64; 2]) -> Ordering {
    if a[0] > 0.0 || b[0] > 0.0 {
        a[0].total_cmp(&b[0])
    } else {
        a[1].total_cmp(&b[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feasible_designs_come_before_the_others() {
        let sorted = |mut designs: Vec<[f64; 2]>| {
            designs.sort_by(|a, b| by_debs_rules(*a, *b));
            designs
        };
        let [good, better, beyond, far] = [[0.0, 5.0], [0.0, -1.0], [0.1, -9.0], [0.2, -99.0]];
        assert_eq!(sorted(vec![far, good, beyond, better]), [better, good, beyond, far]);
        // A failed design, beyond every limit.
        let failed = [f64::INFINITY, f64::INFINITY];
        assert_eq!(by_debs_rules(far, failed), Ordering::Less);
    }
}
