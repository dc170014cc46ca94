//! The order conditions of the members of the paired scheme and between them, and their stability on the real axis.

use super::*;
use crate::runge_kutta::TimeScheme;

/// Row m of the Butcher array of a member.
fn row(member: &Member, stage: usize) -> Vec<f64> {
    let mut row = vec![0.0; STAGES];
    if stage > 0 {
        row[0] = stage_time(stage) - member.share_of_last(stage);
        row[stage - 1] += member.share_of_last(stage);
    }
    row
}

#[test]
fn the_four_conditions_of_order_3_hold_for_members_and_between_them() {
    let mut b = [0.0; STAGES];
    [b[0], b[STAGES - 1]] = WEIGHTS;
    let sum = |f: &dyn Fn(usize) -> f64| (0..STAGES).map(|m| b[m] * f(m)).sum::<f64>();
    for member in MEMBERS {
        // The times are those of all members, so that the condition with two of them is that with one.
        let c = |m: usize| row(&member, m).iter().sum::<f64>();
        assert!((0..STAGES).all(|m| (c(m) - stage_time(m)).abs() < 2e-16));
        let inner = |m: usize| {
            row(&member, m)
                .iter()
                .enumerate()
                .map(|(j, a)| a * stage_time(j))
                .sum::<f64>()
        };
        let conditions = [
            (sum(&|_| 1.0), 1.0),
            (sum(&c), 1.0 / 2.0),
            (sum(&|m| c(m).powi(2)), 1.0 / 3.0),
            (sum(&inner), 1.0 / 6.0),
        ];
        for (number, (found, exact)) in conditions.into_iter().enumerate() {
            assert!(
                (found - exact).abs() < 1e-15,
                "{member:?}, condition {}: {found}",
                number + 1
            );
        }
    }
}

#[test]
fn a_member_uses_only_the_rates_that_it_evaluates() {
    for member in MEMBERS {
        let used = |rate: usize| rate == STAGES - 1 || (rate + 1..STAGES).any(|m| row(&member, m)[rate] != 0.0);
        for rate in 0..STAGES {
            assert_eq!(used(rate), member.evaluates(rate), "{member:?}, rate {rate}");
        }
        assert_eq!((0..STAGES).filter(|&m| member.evaluates(m)).count(), member.evaluations);
    }
}

#[test]
fn decay_is_stable_as_far_as_a_member_reaches() {
    for member in MEMBERS {
        let limit = member.reach * TimeScheme::Rk4.damping_limit();
        let growth = |x: f64| member.amplify(&[1.0], x, |u| vec![-u[0]])[0].abs();
        assert!(
            (1..=10_000).all(|i| growth(1e-4 * f64::from(i) * limit) <= 1.0),
            "{member:?}"
        );
        assert!(growth(1.1 * limit) > 1.0, "{member:?}: {}", growth(1.1 * limit));
    }
}

/// u' = u cos t in two halves with any two members, each of which sees the other half.
#[test]
fn the_order_is_3_with_any_two_members() {
    for one in MEMBERS {
        for other in MEMBERS {
            let error = |steps: usize| {
                let dt = 2.0 / steps as f64;
                let mut u = [1.0f64, 1.0];
                for n in 0..steps {
                    let rate = |u: [f64; 2], c: f64| {
                        let cosine = ((n as f64 + c) * dt).cos();
                        [u[1] * cosine, u[0] * u[0] / u[1] * cosine]
                    };
                    let first = rate(u, 0.0);
                    let mut last = first;
                    for stage in 1..STAGES {
                        let shares = [one, other].map(|member| member.share_of_last(stage));
                        let c = stage_time(stage);
                        let at = |i: usize| u[i] + dt * ((c - shares[i]) * first[i] + shares[i] * last[i]);
                        last = rate([at(0), at(1)], c);
                    }
                    let [b, b_last] = WEIGHTS;
                    u = std::array::from_fn(|i| u[i] + dt * (b * first[i] + b_last * last[i]));
                }
                let exact = 2f64.sin().exp();
                (u[0] - exact).hypot(u[1] - exact)
            };
            let order = (error(40) / error(80)).log2();
            assert!(order > 2.8, "{} and {}: {order}", one.evaluations, other.evaluations);
        }
    }
}
