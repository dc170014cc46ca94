use super::*;

/// Half axes of the ellipse of the tests.
const AXES: [f64; 2] = [0.5, 0.08];

/// A point of the ellipse.
fn on_ellipse(angle: f64) -> Point {
    [AXES[0] * angle.cos(), AXES[1] * angle.sin()]
}

/// Curvature of the ellipse at a point near it.
fn curvature([x, y]: Point) -> f64 {
    let [a, b] = AXES;
    let angle = (y / b).atan2(x / a);
    a * b / (a * a * angle.sin().powi(2) + b * b * angle.cos().powi(2)).powf(1.5)
}

/// Points of the ellipse, dense at its ends, displaced by up to `noise` along and across the axes.
fn points(count: usize, noise: f64) -> Vec<Point> {
    let mut state = 7u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let at = |i: usize| on_ellipse(std::f64::consts::TAU * i as f64 / count as f64);
    (0..count).map(|i| at(i).map(|x| x + noise * random())).collect()
}

/// Largest relative error of the curvature of a curve.
fn worst_curvature(curve: &Smoothed) -> f64 {
    let period = curve.spline.step * curve.spline.control.len() as f64;
    let jets = (0..2000).map(|i| curve.spline.at(period * i as f64 / 2000.0));
    jets.map(|jet| (jet.curvature() / curvature(jet.point) - 1.0).abs())
        .fold(0.0, f64::max)
}

#[test]
fn exact_points_give_the_exact_curvature() {
    let curve = smooth(&points(200, 0.0), 1.0, 1e-6).expect("a curve");
    assert!(curve.largest().0 < 1e-5, "{:e}", curve.largest().0);
    let worst = worst_curvature(&curve);
    assert!(worst < 0.02, "{worst}");
}

#[test]
fn noise_is_removed_from_the_curvature_and_the_ends_stay() {
    // The curvature of circles through three of these points is wrong by more than itself.
    let noisy = points(200, 1e-4);
    let of_three = |i: usize| {
        let [a, b, c] = [noisy[(i + 199) % 200], noisy[i], noisy[(i + 1) % 200]];
        let [x, y] = minus(b, a);
        let [z, w] = minus(c, b);
        let [p, q] = minus(c, a);
        let circle = 2.0 * (x * w - y * z) / (x.hypot(y) * z.hypot(w) * p.hypot(q));
        (circle / curvature(b) - 1.0).abs()
    };
    assert!((0..200).map(of_three).fold(0.0, f64::max) > 1.0);
    // Noise of one direction between -1e-4 and 1e-4 has a root mean square of 5.8e-5.
    let curve = smooth(&noisy, 1.0, 6e-5).expect("a curve");
    assert!(curve.mean() <= 6e-5);
    let worst = worst_curvature(&curve);
    assert!(worst < 0.25, "{worst}");
    for end in [[0.5, 0.0], [-0.5, 0.0]] {
        let step = curve.spline.step / 16.0;
        let near = (0..16 * curve.spline.control.len()).map(|i| curve.spline.at(step * i as f64).point);
        let apart = near.map(|point| distance(point, end)).fold(f64::INFINITY, f64::min);
        assert!(apart < 2e-4, "{apart}");
    }
}

#[test]
fn the_curve_does_not_depend_on_the_first_point() {
    let noisy = points(150, 1e-4);
    let turned: Vec<Point> = (0..150).map(|i| noisy[(i + 37) % 150]).collect();
    let [one, other] = [&noisy, &turned].map(|points| smooth(points, 1.0, 6e-5).expect("a curve"));
    for (i, u) in one.nearest.iter().enumerate() {
        let v = other.nearest[(i + 150 - 37) % 150];
        let apart = distance(one.spline.at(*u).point, other.spline.at(v).point);
        assert!(apart < 1e-5, "{i}: {apart:e}");
    }
}

#[test]
fn the_local_scale_is_the_length_of_a_turn() {
    // A circle of radius 0.1 turns by 60 degrees on pi/3 of its radius.
    let circle: Vec<Point> = (0..300)
        .map(|i| (std::f64::consts::TAU * i as f64 / 300.0).sin_cos())
        .map(|(sin, cos)| [0.1 * cos, 0.1 * sin])
        .collect();
    for scale in local_scales(&circle, 1.0) {
        assert!((scale / (0.1 * TURN) - 1.0).abs() < 0.02, "{scale}");
    }
}

/// The factors are those of a dense factorisation, to the bit.
#[test]
fn factors_of_a_cyclic_matrix_are_those_of_a_dense_one() {
    for n in [2 * SUPPORT, 37] {
        let mut matrix = penalty(n, 0.1);
        (0..n).for_each(|i| matrix[(i, i)] += 1.0 + (i as f64).sin());
        let dense = matrix.clone().cholesky().expect("positive");
        let cyclic = cyclic_cholesky(matrix).expect("positive");
        assert_eq!(cyclic.l(), dense.l());
    }
    assert!(cyclic_cholesky(-DMatrix::identity(12, 12)).is_none());
}

/// A point far from the others makes a spike on which the scale is small; several make the curve too long.
#[test]
fn a_wall_of_spikes_is_refused_and_the_place_is_named() {
    let mut spikes = points(200, 0.0);
    for i in (10..190).step_by(9) {
        spikes[i][1] += 1.0;
    }
    let problem = smooth(&spikes, 1.0, 1e-3).expect_err("refused").to_string();
    assert!(problem.contains("turns too sharply and too often"), "{problem}");
}
