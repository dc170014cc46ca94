//! The lowest point of a function of the unit cube that costs little: a Latin hypercube of candidates, the best of
//! which are improved by the simplex method of J. A. Nelder and R. Mead, The Computer Journal 7 (1965) 308.

use super::experiment::latin_hypercube;

/// How much is spent on a search.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Points of the Latin hypercube.
    pub candidates: usize,
    /// Candidates that are improved.
    pub starts: usize,
    /// Evaluations of the function for each of them.
    pub evaluations: usize,
}

/// Edge of the first simplex.
const EDGE: f64 = 0.1;

/// Returns the lowest point that is found, and the value there. `known` are candidates besides those of the hypercube.
/// The result is a function of the arguments alone.
pub fn lowest(
    f: impl Fn(&[f64]) -> f64,
    dimensions: usize,
    effort: Effort,
    seed: u64,
    known: &[Vec<f64>],
) -> (Vec<f64>, f64) {
    let cube = latin_hypercube(dimensions, effort.candidates, seed);
    let with_value = |point: Vec<f64>| {
        let value = f(&point);
        (point, value)
    };
    let mut found: Vec<_> = cube.into_iter().chain(known.iter().cloned()).map(with_value).collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found.truncate(effort.starts.max(1));
    let improved = found
        .into_iter()
        .map(|(start, _)| descend(&f, start, effort.evaluations));
    improved
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there is a candidate")
}

/// Returns the lowest vertex of a simplex that has moved downhill from a point for so many evaluations.
fn descend(f: &impl Fn(&[f64]) -> f64, start: Vec<f64>, evaluations: usize) -> (Vec<f64>, f64) {
    let dimensions = start.len();
    let at = |point: Vec<f64>| {
        let inside: Vec<f64> = point.iter().map(|x| x.clamp(0.0, 1.0)).collect();
        let value = f(&inside);
        (inside, value)
    };
    let corner = |d: usize| {
        let mut point = start.clone();
        point[d] += if point[d] > 0.5 { -EDGE } else { EDGE };
        at(point)
    };
    let mut simplex: Vec<_> = (0..dimensions).map(corner).chain([at(start.clone())]).collect();
    let mut spent = dimensions + 1;
    loop {
        simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        if spent >= evaluations {
            return simplex.swap_remove(0);
        }
        let worst = simplex[dimensions].clone();
        let centre: Vec<f64> = (0..dimensions)
            .map(|d| simplex[..dimensions].iter().map(|(p, _)| p[d]).sum::<f64>() / dimensions as f64)
            .collect();
        let on_line = |share: f64| {
            at((0..dimensions)
                .map(|d| centre[d] + share * (worst.0[d] - centre[d]))
                .collect())
        };
        let reflected = on_line(-1.0);
        spent += 1;
        let second = simplex[dimensions.saturating_sub(1)].1;
        let next = if reflected.1 < simplex[0].1 {
            spent += 1;
            let expanded = on_line(-2.0);
            if expanded.1 < reflected.1 { expanded } else { reflected }
        } else if reflected.1 < second {
            reflected
        } else {
            spent += 1;
            let contracted = on_line(if reflected.1 < worst.1 { -0.5 } else { 0.5 });
            if contracted.1 >= worst.1.min(reflected.1) {
                let best = simplex[0].0.clone();
                for vertex in &mut simplex[1..] {
                    *vertex = at(best.iter().zip(&vertex.0).map(|(b, v)| 0.5 * (b + v)).collect());
                }
                spent += dimensions;
                continue;
            }
            contracted
        };
        simplex[dimensions] = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EFFORT: Effort = Effort {
        candidates: 40,
        starts: 3,
        evaluations: 300,
    };

    #[test]
    fn minima_inside_and_on_faces_are_found() {
        // The second coordinate would be lowest outside of the cube.
        let bowl = |p: &[f64]| (p[0] - 0.3).powi(2) + 4.0 * (p[1] - 1.2).powi(2) + (p[2] - 0.9).powi(2);
        let (point, value) = lowest(bowl, 3, EFFORT, 1, &[]);
        for (x, exact) in point.iter().zip([0.3, 1.0, 0.9]) {
            assert!((x - exact).abs() < 1e-3, "{point:?}");
        }
        assert!((value - 0.16).abs() < 1e-5, "{value}");
    }

    #[test]
    fn a_known_point_in_a_narrow_valley_is_not_missed() {
        let well = |p: &[f64]| -(-1e8 * ((p[0] - 0.5).powi(2) + (p[1] - 0.25).powi(2))).exp();
        assert_eq!(lowest(well, 2, EFFORT, 1, &[]).1, 0.0, "candidates alone");
        assert_eq!(lowest(well, 2, EFFORT, 1, &[vec![0.5, 0.25]]).1, -1.0);
    }
}
