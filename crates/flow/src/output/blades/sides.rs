//! The sides of a wall: the stations from the leading to the trailing edge, and where the flow separates on them.

use super::curve::{Curve, Place};

/// A side of a wall.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// The stations, from the leading edge on.
    pub stations: Vec<usize>,
    /// 1 if the side goes along the curve of the wall, -1 if it goes against it.
    pub sense: f64,
    /// Length along the side from its beginning to each station.
    pub s: Vec<f64>,
}

/// A zero of the mean skin friction of a side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// True where the flow separates, false where it reattaches.
    pub separates: bool,
    /// Index on the side of the last station before it, and the fraction of the way to the next one.
    pub at: (usize, f64),
}

impl Crossing {
    /// Interpolates values at the stations of the side.
    pub fn value(&self, values: &[f64]) -> f64 {
        let (i, fraction) = self.at;
        values[i] + fraction * (values[i + 1] - values[i])
    }
}

/// Returns the sides of a wall. One that has two ends has one side, which begins at the end of smaller x. A closed one
/// has two sides from the station `leading` to that of largest x; first comes the one whose mean pressure is lower.
pub fn sides(curve: &Curve, leading: usize, pressure: impl Fn(usize) -> f64) -> Vec<Side> {
    let n = curve.len();
    if !curve.closed {
        let forward = curve.at[0][0] <= curve.at[n - 1][0];
        let (from, to) = if forward { (0, n - 1) } else { (n - 1, 0) };
        return vec![side(curve, from, to)];
    }
    // The trailing edge is station 0, and again n.
    let mut both = vec![side(curve, leading, n), side(curve, leading, 0)];
    let mean = |side: &Side| {
        let p: Vec<f64> = side.stations.iter().map(|&i| pressure(i)).collect();
        let pieces = side.s.windows(2).zip(p.windows(2));
        let integral: f64 = pieces.map(|(s, p)| 0.5 * (s[1] - s[0]) * (p[0] + p[1])).sum();
        integral / side.s[side.s.len() - 1]
    };
    if mean(&both[1]) < mean(&both[0]) {
        both.swap(0, 1);
    }
    both
}

/// Returns the side from one station to another. The number n stands for station 0 at the end of a closed curve.
fn side(curve: &Curve, from: usize, to: usize) -> Side {
    let n = curve.len();
    let list: Vec<usize> = if from < to {
        (from..=to).collect()
    } else {
        (to..=from).rev().collect()
    };
    let arc = |i: usize| curve.arc.get(i).copied().unwrap_or(curve.length);
    Side {
        s: list.iter().map(|&i| (arc(i) - arc(from)).abs()).collect(),
        stations: list.into_iter().map(|i| i % n).collect(),
        sense: if from < to { 1.0 } else { -1.0 },
    }
}

/// Returns the station at which the sides of a closed wall begin: that nearest to a place, or else that of the largest
/// pressure in the front half of the wall.
pub fn leading_edge(curve: &Curve, place: Option<Place>, pressure: impl Fn(usize) -> f64) -> usize {
    let all = 1..curve.len();
    if let Some(place) = place {
        let distance = |i: &usize| (curve.at[*i][0] - place[0]).hypot(curve.at[*i][1] - place[1]);
        return all
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap_or_default();
    }
    let least = curve.at.iter().map(|x| x[0]).fold(f64::INFINITY, f64::min);
    let middle = 0.5 * (least + curve.at[0][0]);
    let front = all.filter(|&i| curve.at[i][0] < middle);
    front
        .max_by(|&a, &b| pressure(a).total_cmp(&pressure(b)))
        .unwrap_or_default()
}

/// Returns the zeros of the skin friction along a side. The flow counts as attached from the first station on where the
/// friction points downstream: before it, the friction of the stagnation point changes sign.
pub fn crossings(friction: &[f64]) -> Vec<Crossing> {
    let attached = friction.iter().position(|&f| f > 0.0).unwrap_or(friction.len());
    let pairs = friction.windows(2).enumerate().skip(attached);
    let crossing = |(i, pair): (usize, &[f64])| {
        let separates = pair[0] > 0.0;
        (separates != (pair[1] > 0.0)).then(|| Crossing {
            separates,
            at: (i, pair[0] / (pair[0] - pair[1])),
        })
    };
    pairs.filter_map(crossing).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    #[test]
    fn flow_with_the_friction_cos_s_separates_at_a_quarter_of_the_circle() {
        for n in [7, 50, 333] {
            let s: Vec<f64> = (0..n)
                .map(|i| PI * (f64::from(i) / f64::from(n - 1)).powf(1.2))
                .collect();
            let friction: Vec<f64> = s.iter().map(|s| s.cos()).collect();
            let [found] = crossings(&friction)[..] else {
                panic!("one crossing")
            };
            assert!(found.separates);
            // The error of linear interpolation is that of cos'' = -cos, which vanishes at the zero: h^3/6 at most.
            let error = (found.value(&s) - FRAC_PI_2).abs();
            let spacing = s[found.at.0 + 1] - s[found.at.0];
            assert!(error < spacing.powi(3) / 6.0, "{n}: {error:e}");
            assert!(n < 333 || error < 1e-6, "{n}: {error:e}");
        }
    }

    #[test]
    fn bubbles_have_two_ends_and_the_stagnation_point_none() {
        let friction = [-0.1, -0.05, 0.2, 0.1, -0.1, -0.3, 0.3, 0.0, -1.0];
        let found = crossings(&friction);
        let of: Vec<(bool, usize, f64)> = found.iter().map(|c| (c.separates, c.at.0, c.at.1)).collect();
        assert_eq!(of, [(true, 3, 0.5), (false, 5, 0.5), (true, 6, 1.0)]);
        assert_eq!(found[0].value(&[0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0, 9.0]), 4.0);
        assert!(crossings(&[-1.0, -2.0]).is_empty());
        assert!(crossings(&[0.0, 0.0]).is_empty());
    }
}
