//! The largest stable steps on a tiling over phases and directions, found by bisection: a step is stable if many steps
//! of a scheme with the semi-discrete operator keep a solution bounded.

use num_complex::Complex64;

use super::Tiling;
use crate::element::ElementKind;
use crate::vector::{Vector, length};

impl Tiling {
    /// Largest step times rate that is stable in all cases of du/dt = `operator` u for so many `variables`, at most
    /// `most`. Each case has a rate.
    fn limit<T: Copy>(
        &self,
        variables: usize,
        most: f64,
        cases: &[(T, f64)],
        operator: impl Fn(&[Complex64], T) -> Vec<Complex64>,
    ) -> f64 {
        let size = variables * self.cells.len() * self.element.len();
        let mut limit = most;
        for &(case, rate) in cases {
            let step_of = |u: &[Complex64], dt: f64| self.scheme.amplify(u, dt, |u| operator(u, case));
            let stable = |step: f64| bounded(|u| step_of(u, step / rate), size);
            if stable(limit) {
                continue;
            }
            let mut low = 0.0;
            while limit - low > 0.001 * limit {
                let middle = 0.5 * (low + limit);
                if stable(middle) { low = middle } else { limit = middle }
            }
        }
        limit
    }

    fn advection_limit(&self) -> f64 {
        let directions = directions(self.element.kind);
        let cases: Vec<_> = phases()
            .into_iter()
            .flat_map(|phase| directions.iter().map(move |&v| ((v, phase), self.advection_rate(v))))
            .collect();
        self.limit(1, 16.0, &cases, |u, (velocity, phase)| self.advect(u, velocity, phase))
    }

    fn diffusion_limit(&self) -> f64 {
        let cases: Vec<_> = phases()
            .into_iter()
            .map(|phase| (phase, self.diffusion_rate()))
            .collect();
        self.limit(1, 16.0, &cases, |u, phase| self.diffuse(u, phase))
    }

    /// Limit of sound, none beyond `most` is tried.
    fn sound_limit(&self, most: f64) -> f64 {
        let rate = self.rate(|cell, area| 0.5 * length(area) / cell.jacobian);
        let cases: Vec<_> = phases().into_iter().map(|phase| (phase, rate)).collect();
        self.limit(4, most, &cases, |u, phase| self.sound(u, phase))
    }
}

/// Phases from cube to cube: as long as the mesh, two cubes, four.
fn phases() -> Vec<Vector> {
    const PI: f64 = std::f64::consts::PI;
    (0..8)
        .map(|i| std::array::from_fn(|d| PI * (i >> d & 1) as f64))
        .chain([
            [0.5 * PI, 0.5 * PI, 0.5 * PI],
            [0.5 * PI, -0.5 * PI, 0.5 * PI],
            [0.5 * PI, 0.0, PI],
        ])
        .collect()
}

/// Returns true if solutions that advance by `take_step` stay bounded.
fn bounded(take_step: impl Fn(&[Complex64]) -> Vec<Complex64>, size: usize) -> bool {
    const STEPS: usize = 240;
    let mut u: Vec<Complex64> = (0..size)
        .map(|i| Complex64::new((1.7 * i as f64 + 0.3).sin(), (2.3 * i as f64 + 1.1).cos()))
        .collect();
    let mut growth = 0.0;
    for step in 0..STEPS {
        let next = take_step(&u);
        let norm = next.iter().map(|s| s.norm_sqr()).sum::<f64>().sqrt();
        u = next.into_iter().map(|s| s / norm).collect();
        // The first steps only let the fastest growing solution come forward.
        if step >= STEPS / 3 {
            growth += norm.ln();
        }
    }
    // Within 0.3 % of the limit solutions grow faster than this, and no change of the norm of bounded ones looks like
    // it.
    growth / ((STEPS - STEPS / 3) as f64) < 5e-3
}

/// Directions of advection in which the least stable ones among many were found.
fn directions(kind: ElementKind) -> Vec<Vector> {
    match kind {
        ElementKind::Hex | ElementKind::Prism => vec![[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ElementKind::Tet => vec![[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]],
        ElementKind::Pyramid => vec![[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]],
    }
}

mod tests {
    use rayon::prelude::*;

    use super::*;
    use crate::element::Correction;
    use crate::element::stability::{LSRK10_SHARE, LSRK14_SHARE, PAIRED_SHARE, StabilityLimits, element_limits};
    use crate::runge_kutta::TimeScheme;
    use crate::runge_kutta::paired::MEMBERS;

    /// The kinds of cells with their corrections, of these degrees.
    fn cases(orders: std::ops::RangeInclusive<usize>) -> Vec<(ElementKind, usize, Correction)> {
        let kinds = [
            (ElementKind::Hex, Correction::Radau),
            (ElementKind::Hex, Correction::Lobatto),
            (ElementKind::Prism, Correction::Radau),
            (ElementKind::Prism, Correction::Lobatto),
            (ElementKind::Tet, Correction::Radau),
            (ElementKind::Pyramid, Correction::Radau),
        ];
        let all = orders.flat_map(|order| kinds.map(|(kind, correction)| (kind, order, correction)));
        // The most restrictive phase of degree 1 is not among those tried here, but the one-dimensional analysis has
        // it.
        all.filter(|&case| case != (ElementKind::Hex, 1, Correction::Lobatto))
            .collect()
    }

    /// Compares the limits found on the tiling with those of the table.
    fn check(
        scheme: TimeScheme,
        orders: std::ops::RangeInclusive<usize>,
        limits: impl Fn(ElementKind, &Tiling, StabilityLimits) -> (f64, f64) + Sync,
    ) {
        cases(orders).into_par_iter().for_each(|case| {
            let (kind, order, correction) = case;
            let tiling = Tiling::new(kind, order, correction, scheme);
            let (found, stored) = limits(kind, &tiling, element_limits(kind, order, correction, scheme));
            // The limits of hexahedra are those of a line with many phases.
            let excess = match (kind, scheme) {
                (ElementKind::Hex, TimeScheme::Lsrk10) => 0.07,
                (ElementKind::Hex, TimeScheme::Lsrk14) => 0.13,
                _ => 0.02,
            };
            assert!(
                (-0.02..excess).contains(&(found / stored - 1.0)),
                "{scheme:?} {case:?}: {found} against {stored}"
            );
        });
    }

    fn waves(kind: ElementKind, tiling: &Tiling, table: StabilityLimits) -> (f64, f64) {
        let stored = table.advection;
        let share = match (kind, tiling.scheme) {
            (ElementKind::Hex, _) => 1.0,
            (_, TimeScheme::Lsrk10) => LSRK10_SHARE,
            (_, TimeScheme::Lsrk14) => LSRK14_SHARE,
            _ => 1.0,
        };
        let sound = tiling.sound_limit(1.1 * stored / share);
        // On other elements than hexahedra sound is stable beyond what advection allows.
        assert!(sound > 0.99 * stored, "{sound} against {stored}");
        (share * tiling.advection_limit().min(sound), stored)
    }

    fn diffusion(_: ElementKind, tiling: &Tiling, table: StabilityLimits) -> (f64, f64) {
        (tiling.diffusion_limit(), table.diffusion)
    }

    #[test]
    fn the_table_of_waves_agrees_with_the_operators() {
        check(TimeScheme::Rk4, 1..=2, waves);
    }

    #[test]
    fn the_table_of_diffusion_agrees_with_the_operators() {
        check(TimeScheme::Rk4, 1..=1, diffusion);
    }

    #[test]
    fn the_limits_of_lsrk5_agree_with_the_operators() {
        check(TimeScheme::Lsrk5, 1..=1, waves);
    }

    /// The members of the paired scheme are stable as far as they say, for cells of all kinds.
    fn check_members(orders: std::ops::RangeInclusive<usize>) {
        cases(orders).into_par_iter().for_each(|(kind, order, correction)| {
            let tiling = Tiling::new(kind, order, correction, TimeScheme::Rk4);
            let rk4 = element_limits(kind, order, correction, TimeScheme::Rk4);
            let size = tiling.cells.len() * tiling.element.len();
            for (member, phase) in MEMBERS
                .iter()
                .flat_map(|m| phases().into_iter().map(move |phase| (m, phase)))
            {
                let reach = PAIRED_SHARE * member.reach;
                for v in directions(kind) {
                    let dt = reach * rk4.advection / tiling.advection_rate(v);
                    let step = |u: &[Complex64]| member.amplify(u, dt, |u| tiling.advect(u, v, phase));
                    assert!(bounded(step, size), "{member:?}: waves, {kind} {order} {correction:?}");
                }
                let dt = reach * rk4.diffusion / tiling.diffusion_rate();
                let step = |u: &[Complex64]| member.amplify(u, dt, |u| tiling.diffuse(u, phase));
                assert!(
                    bounded(step, size),
                    "{member:?}: diffusion, {kind} {order} {correction:?}"
                );
            }
        });
    }

    /// A quick substitute for the long tests: a wrong entry of the table breaks the monotonic sequence.
    #[test]
    fn limits_of_diffusion_fall_ever_more_slowly_with_the_degree() {
        for (kind, _, correction) in cases(2..=2) {
            let limits: Vec<f64> = (1..=6)
                .map(|p| element_limits(kind, p, correction, TimeScheme::Rk4).diffusion)
                .collect();
            let falls: Vec<f64> = limits.windows(2).map(|pair| pair[0] / pair[1]).collect();
            assert!(falls.is_sorted_by(|a, b| a > b), "{kind} {correction:?}: {falls:?}");
        }
    }

    mod long {
        use super::*;

        #[test]
        #[ignore = "takes a quarter of an hour"]
        fn the_table_of_waves_agrees_with_the_operators_of_high_order() {
            check(TimeScheme::Rk4, 3..=6, waves);
        }

        #[test]
        #[ignore = "takes half an hour"]
        fn the_limits_of_low_storage_schemes_agree_with_the_operators_of_higher_order() {
            for scheme in [TimeScheme::Lsrk5, TimeScheme::Lsrk10, TimeScheme::Lsrk14] {
                check(scheme, 2..=4, waves);
                check(scheme, 2..=4, diffusion);
            }
        }

        #[test]
        #[ignore = "takes half a minute"]
        fn members_of_the_paired_scheme_are_stable_as_far_as_they_reach() {
            check_members(1..=1);
        }

        #[test]
        #[ignore = "takes half a minute"]
        fn the_limits_of_diffusion_agree_with_the_operators() {
            check(TimeScheme::Lsrk5, 1..=1, diffusion);
            check(TimeScheme::Rk4, 2..=2, diffusion);
        }

        #[test]
        #[ignore = "takes a minute"]
        fn the_limits_of_lsrk10_and_lsrk14_agree_with_the_operators() {
            for scheme in [TimeScheme::Lsrk10, TimeScheme::Lsrk14] {
                check(scheme, 1..=1, waves);
                check(scheme, 1..=1, diffusion);
            }
        }

        #[test]
        #[ignore = "takes a quarter of an hour"]
        fn members_of_the_paired_scheme_are_stable_as_far_as_they_reach_at_higher_order() {
            check_members(2..=4);
        }

        #[test]
        #[ignore = "takes ten minutes"]
        fn the_table_of_diffusion_agrees_with_the_operators_of_high_order() {
            check(TimeScheme::Rk4, 3..=6, diffusion);
        }
    }
}
