//! The order conditions of the schemes, their stability on the real axis, and their order for an equation that is not
//! linear.

use super::*;

/// Rows a_mj and weights b_j of the Butcher array of a scheme.
fn butcher(scheme: TimeScheme) -> (Vec<Vec<f64>>, Vec<f64>) {
    let Some(LowStorage { a, b }) = scheme.low_storage() else {
        let rows = vec![
            vec![0.0; 4],
            vec![0.5, 0.0, 0.0, 0.0],
            vec![0.0, 0.5, 0.0, 0.0],
            vec![0.0, 0.0, 1.0, 0.0],
        ];
        return (rows, vec![1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]);
    };
    // a_mj is the sum over the stages i from j to m - 1 of B_i A_i A_(i-1) ... A_(j+1).
    let entry = |m: usize, j: usize| -> f64 { (j..m).map(|i| b[i] * a[j + 1..=i].iter().product::<f64>()).sum() };
    let stages = b.len();
    let row = |m: usize| (0..stages).map(|j| if j < m { entry(m, j) } else { 0.0 }).collect();
    (
        (0..stages).map(row).collect(),
        (0..stages).map(|j| entry(stages, j)).collect(),
    )
}

#[test]
fn the_eight_conditions_of_order_4_hold() {
    for scheme in TimeScheme::SINGLE {
        let (rows, b) = butcher(scheme);
        let c: Vec<f64> = rows.iter().map(|row| row.iter().sum()).collect();
        let times = scheme.stage_times();
        assert_eq!(times.len(), scheme.stages());
        assert!(
            c.iter().zip(&times).all(|(c, time)| (c - time).abs() < 1e-14),
            "{scheme:?}: {c:?}"
        );
        let sum = |f: &dyn Fn(usize) -> f64| (0..b.len()).map(|i| b[i] * f(i)).sum::<f64>();
        let inner = |i: usize, f: &dyn Fn(usize) -> f64| (0..b.len()).map(|j| rows[i][j] * f(j)).sum::<f64>();
        let conditions = [
            (sum(&|_| 1.0), 1.0),
            (sum(&|i| c[i]), 1.0 / 2.0),
            (sum(&|i| c[i].powi(2)), 1.0 / 3.0),
            (sum(&|i| inner(i, &|j| c[j])), 1.0 / 6.0),
            (sum(&|i| c[i].powi(3)), 1.0 / 4.0),
            (sum(&|i| c[i] * inner(i, &|j| c[j])), 1.0 / 8.0),
            (sum(&|i| inner(i, &|j| c[j].powi(2))), 1.0 / 12.0),
            (sum(&|i| inner(i, &|j| inner(j, &|k| c[k]))), 1.0 / 24.0),
        ];
        // The coefficients of the scheme with 14 stages are given with 16 decimals, and its weights reach 39.
        let tolerance = if scheme == TimeScheme::Lsrk14 { 1e-13 } else { 1e-14 };
        for (number, (found, exact)) in conditions.into_iter().enumerate() {
            let off = (found - exact).abs();
            assert!(off < tolerance, "{scheme:?}, condition {}: off by {off:e}", number + 1);
        }
    }
}

#[test]
fn the_times_are_those_that_the_papers_list() {
    let close = |scheme: TimeScheme, listed: &[f64]| {
        let times = scheme.stage_times();
        assert_eq!(times.len(), listed.len());
        for (time, listed) in times.iter().zip(listed) {
            assert!((time - listed).abs() < 1e-14, "{scheme:?}: {time} against {listed}");
        }
    };
    close(
        TimeScheme::Lsrk5,
        &[
            0.0,
            1432997174477.0 / 9575080441755.0,
            2526269341429.0 / 6820363962896.0,
            2006345519317.0 / 3224310063776.0,
            2802321613138.0 / 2924317926251.0,
        ],
    );
    close(
        TimeScheme::Lsrk14,
        &[
            0.0,
            0.0367762454319673,
            0.1249685262725025,
            0.2446177702277698,
            0.247614953107042,
            0.2969311120382472,
            0.3978149645802642,
            0.5270854589440328,
            0.6981269994175695,
            0.8190890835352128,
            0.8527059887098624,
            0.8604711817462826,
            0.8627060376969976,
            0.8734213127600976,
        ],
    );
}

#[test]
fn decay_is_stable_up_to_the_limit_and_not_beyond() {
    for scheme in TimeScheme::SINGLE {
        let growth = |x: f64| scheme.amplify(&[1.0], x, |u| vec![-u[0]])[0].abs();
        let limit = scheme.damping_limit();
        assert!(
            (1..=10_000).all(|i| growth(1e-4 * i as f64 * limit) <= 1.0),
            "{scheme:?}"
        );
        assert!(growth(1.001 * limit) > 1.0, "{scheme:?}: {}", growth(1.001 * limit));
    }
    let rk4 = TimeScheme::Rk4;
    let growth = rk4.amplify(&[1.0], rk4.damping_limit(), |u| vec![-u[0]])[0];
    assert!((growth - 1.0).abs() < 1e-13);
}

/// u' = u cos t, of which exp(sin t) is the solution, in the form in which the solver has it: stages at their times.
#[test]
fn the_order_is_4_with_a_rate_that_varies_in_time() {
    for scheme in TimeScheme::SINGLE {
        let (rows, b) = butcher(scheme);
        let times = scheme.stage_times();
        let error = |steps: usize| {
            let dt = 2.0 / steps as f64;
            let mut u = 1.0f64;
            for n in 0..steps {
                let mut rates: Vec<f64> = Vec::new();
                for (row, c) in rows.iter().zip(&times) {
                    let stage = u + dt * rates.iter().zip(row).map(|(k, a)| k * a).sum::<f64>();
                    rates.push(stage * ((n as f64 + c) * dt).cos());
                }
                u += dt * rates.iter().zip(&b).map(|(k, b)| k * b).sum::<f64>();
            }
            (u - 2f64.sin().exp()).abs()
        };
        let order = (error(16) / error(32)).log2();
        assert!((order - 4.0).abs() < 0.3, "{scheme:?}: {order}, {:e}", error(16));
    }
}
