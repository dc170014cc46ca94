//! What the rows of the convergence say of a solution that fails: whether its residual grows, slower than a check
//! refuses, or stands still.

use crate::steady::controller::Control;
use crate::steady::monitor::{Row, residual_of};

/// Number of the first checks, in which the flow forms: the largest residual of these measures the later ones.
pub(super) const FIRST_CHECKS: usize = 5;
/// Residuals of density, momentum and energy over the largest of the first checks above which a solution diverges.
/// Those of momentum and energy may be small at first, as that of the energy where only friction heats the gas.
const DIVERGED: [f64; 3] = [1e3, 1e6, 1e6];
/// Number of checks over which a solution must stand still to be given up.
const STANDING_CHECKS: usize = 10;
/// Change of the residual over these checks, relative to it, that is none.
const UNCHANGED: f64 = 1e-3;
/// Residual over its largest value below which nothing but round-off is left.
const ROUND_OFF: f64 = 1e-10;

/// Returns an equation whose residual shows that the solution diverges, with its residual over the largest of the first
/// checks.
pub(super) fn growth(rows: &[Row]) -> Option<(usize, f64)> {
    let (first, later) = rows.split_at_checked(FIRST_CHECKS)?;
    let last = later.last()?;
    let grown = |(equation, most): (usize, &f64)| {
        let largest = first.iter().map(|row| residual_of(row, equation)).fold(0.0, f64::max);
        let growth = residual_of(last, equation) / largest;
        (largest > 0.0 && growth > *most).then_some((equation, growth))
    };
    DIVERGED.iter().enumerate().find_map(grown)
}

/// Returns whether the residual has not changed over the last checks, before only round-off is left.
fn is_unchanged(rows: &[Row]) -> bool {
    let Some(first) = rows.len().checked_sub(STANDING_CHECKS) else {
        return false;
    };
    let largest = rows.iter().map(|row| row[2]).fold(0.0, f64::max);
    let [least, most] = rows[first..].iter().fold([f64::INFINITY, 0.0], |[least, most], row| {
        [row[2].min(least), row[2].max(most)]
    });
    least > ROUND_OFF * largest && most - least <= UNCHANGED * most
}

/// The checks in a row after which no step was accepted, or only steps with a CFL number that has fallen.
#[derive(Debug, Default)]
pub(super) struct Idle {
    checks: usize,
}

impl Idle {
    /// Counts a check; `accepted` is the number of steps that were accepted since the last one.
    pub fn count(&mut self, control: &Control, cfl: f64, accepted: u64) {
        let moves = accepted > 0 && cfl >= control.cfl_start.min(control.cfl);
        self.checks = if moves { 0 } else { self.checks + 1 };
    }

    /// Returns whether the solution stands still.
    pub fn stands(&self, rows: &[Row]) -> bool {
        self.checks >= STANDING_CHECKS && is_unchanged(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(residuals: &[f64]) -> Vec<Row> {
        let row = |&residual: &f64| std::array::from_fn(|n| if n == 2 { residual } else { 0.0 });
        residuals.iter().map(row).collect()
    }

    #[test]
    fn a_solution_diverges_when_its_residual_is_a_thousand_times_those_of_the_first_checks() {
        assert_eq!(growth(&rows(&[1.0, 2.0, 1e4, 1.0, 1.0])), None, "the flow forms");
        assert_eq!(growth(&rows(&[1.0, 2.0, 1.0, 1.0, 1.0, 1999.0])), None);
        assert_eq!(
            growth(&rows(&[1.0, 2.0, 1.0, 1.0, 1.0, 3.0, 2002.0])),
            Some((0, 1001.0))
        );
        let mut hot = rows(&[1.0; 6]);
        hot.iter_mut().for_each(|row| row[4] = 2.0);
        hot[5][4] = 2e6;
        assert_eq!(growth(&hot), None);
        hot[5][4] = 4e6;
        assert_eq!(growth(&hot), Some((2, 2e6)));
        assert_eq!(
            growth(&rows(&[0.0, 0.0, 0.0, 0.0, 0.0, 1e-15])),
            None,
            "no residual at all"
        );
    }

    #[test]
    fn a_solution_stands_still_when_small_or_no_steps_leave_its_residual() {
        let control = Control {
            cfl_start: 5.0,
            cfl: 50.0,
            residual: 1e-6,
            implicit: true,
            force: None,
        };
        let constant = rows(&[1.0; 12]);
        let after = |cfl: f64, accepted: u64, rows: &[Row]| {
            let mut idle = Idle::default();
            (0..STANDING_CHECKS).for_each(|_| idle.count(&control, cfl, accepted));
            idle.stands(rows)
        };
        assert!(after(5.0, 0, &constant) && after(0.01, 10, &constant));
        assert!(!after(5.0, 10, &constant), "steps of the usual size are taken");
        let mut falling = constant.clone();
        falling[11][2] = 0.99;
        assert!(!after(0.01, 10, &falling));
        let mut converged = constant.clone();
        converged[0][2] = 1e11;
        assert!(!after(0.01, 10, &converged), "only round-off is left");
        let mut idle = Idle::default();
        (0..30).for_each(|n| idle.count(&control, 5.0, u64::from(n % 5 == 0)));
        assert!(!idle.stands(&constant), "a step is accepted now and then");
    }
}
