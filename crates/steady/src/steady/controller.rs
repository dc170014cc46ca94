//! The control of the steps: the growth of the CFL number, the refusal of bad steps, and the end.
//!
//! The CFL number of explicit steps grows from check to check. That of implicit ones grows from step to step as the
//! residual falls ("switched evolution relaxation"; W. A. Mulder & B. van Leer, J. Comput. Phys. 59 (1985) 232).

/// Growth of the CFL number from check to check, which is not more than the share below of it.
const GROWTH_OF_CFL: f64 = 0.2;
/// Largest growth of a small CFL number, relative to it.
const RELATIVE_GROWTH_OF_CFL: f64 = 0.25;
/// Largest growth of the CFL number from implicit step to step.
const RELAXATION: f64 = 2.0;
/// Residual that a linear solution leaves, over its right side, above which the CFL number falls.
const POOR: f64 = 0.5;
/// The same, above which it does not grow.
pub const FAIR: f64 = 0.25;
/// Growth of the residual from check to check that is refused.
const GROWTH: f64 = 10.0;
/// Factor of the CFL number after a refusal.
const REFUSED: f64 = 0.25;
/// Number of refusals after which a solution is given up.
const MOST_REFUSALS: u64 = 10;

/// The settings of the control.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Control {
    /// CFL number of the first steps.
    pub cfl_start: f64,
    /// CFL number up to which it grows.
    pub cfl: f64,
    /// Residual over the largest so far at which the solution is steady.
    pub residual: f64,
    /// Whether the steps are implicit.
    pub implicit: bool,
    /// Relative change of the forces at which the solution is steady, if they are looked at.
    pub force: Option<f64>,
}

/// What follows from a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The steps go on.
    GoOn,
    /// The solution is steady.
    Steady,
    /// The steps since the last kept state are taken back; the CFL number is smaller now.
    Refused,
    /// The solution diverges with any CFL number.
    GivenUp,
}

/// The state of the control, with which a continued solution goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Controller {
    /// The present CFL number.
    pub cfl: f64,
    /// The largest residual so far; 0 before the first check.
    pub largest: f64,
    /// The residual of the last check that was not refused; 0 before the first.
    pub last: f64,
    /// The norm of the residual before the last implicit step; 0 before the first.
    pub before: f64,
    /// Number of refusals.
    pub refusals: u64,
}

impl Controller {
    /// Returns the control before the first step.
    pub fn new(control: &Control) -> Self {
        Controller {
            cfl: control.cfl_start.min(control.cfl),
            largest: 0.0,
            last: 0.0,
            before: 0.0,
            refusals: 0,
        }
    }

    /// Goes on with another kind of steps, from their first CFL number.
    pub fn begin(&mut self, control: &Control) {
        (self.cfl, self.before) = (control.cfl_start, 0.0);
    }

    /// Sets the CFL number of the next implicit step from the norm of the residual before this one, and the residual
    /// that the linear solution has left of it: where much is left, the step was too long for the linear solver. It
    /// does not fall below that of the start, unless a refusal has brought it there.
    pub fn relax(&mut self, control: &Control, norm: f64, left: f64) {
        if self.before > 0.0 && norm > 0.0 {
            let factor = (self.before / norm).clamp(1.0 / RELAXATION, RELAXATION);
            let most = match left {
                left if left > POOR => 1.0 / RELAXATION,
                left if left > FAIR => 1.0,
                _ => RELAXATION,
            };
            let factor = factor.min(most);
            let least = control.cfl_start.min(self.cfl);
            self.cfl = (self.cfl * factor).max(least).min(control.cfl);
        }
        self.before = norm;
    }

    /// Lets the CFL number be after an implicit step that was refused, and after the next one.
    pub fn forget(&mut self) {
        self.before = 0.0;
    }

    /// Judges the residual of a check, which is not a number where the state cannot be.
    pub fn judge(&mut self, control: &Control, residual: f64) -> Verdict {
        let grown = self.last > 0.0 && residual > GROWTH * self.last;
        if !residual.is_finite() || grown {
            self.refusals += 1;
            self.cfl *= REFUSED;
            return if self.refusals > MOST_REFUSALS {
                Verdict::GivenUp
            } else {
                Verdict::Refused
            };
        }
        self.last = residual;
        self.largest = self.largest.max(residual);
        if !control.implicit {
            self.cfl = (self.cfl + GROWTH_OF_CFL.min(RELATIVE_GROWTH_OF_CFL * self.cfl)).min(control.cfl);
        }
        if residual <= control.residual * self.largest {
            Verdict::Steady
        } else {
            Verdict::GoOn
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROL: Control = Control {
        cfl_start: 1.0,
        cfl: 2.5,
        residual: 1e-3,
        implicit: false,
        force: None,
    };

    #[test]
    fn the_cfl_number_grows_to_its_limit_and_falls_with_a_refusal() {
        let mut controller = Controller::new(&CONTROL);
        for n in 1..=12 {
            assert_eq!(controller.judge(&CONTROL, 1.0), Verdict::GoOn);
            let expected = (1.0 + 0.2 * f64::from(n)).min(2.5);
            assert!((controller.cfl - expected).abs() < 1e-12);
        }
        assert_eq!(controller.judge(&CONTROL, 10.5), Verdict::Refused);
        assert_eq!((controller.cfl, controller.last), (0.625, 1.0));
        assert_eq!(controller.judge(&CONTROL, f64::NAN), Verdict::Refused);
        assert_eq!(controller.judge(&CONTROL, 9.0), Verdict::GoOn);
        // A small number grows by a quarter of itself.
        assert!((controller.cfl - 1.25 * 0.625 / 4.0).abs() < 1e-12);
        for _ in 0..8 {
            assert_eq!(controller.judge(&CONTROL, f64::INFINITY), Verdict::Refused);
        }
        assert_eq!(controller.judge(&CONTROL, f64::NAN), Verdict::GivenUp);
    }

    #[test]
    fn implicit_steps_grow_as_the_residual_falls_and_shrink_after_poor_linear_solutions() {
        let control = Control {
            cfl_start: 5.0,
            cfl: 100.0,
            implicit: true,
            ..CONTROL
        };
        let mut controller = Controller::new(&control);
        for (norm, left, cfl) in [
            (1.0, 0.1, 5.0),
            (0.8, 0.1, 6.25),
            (0.1, 0.1, 12.5),
            (0.01, 0.3, 12.5),
            (0.01, 0.6, 6.25),
            (0.02, 0.1, 5.0),
            (0.001, 0.1, 10.0),
        ] {
            controller.relax(&control, norm, left);
            assert!(
                (controller.cfl - cfl).abs() < 1e-12,
                "{norm} {left}: {}",
                controller.cfl
            );
        }
        (0..9).for_each(|n| controller.relax(&control, 0.1f64.powi(4 + n), 0.0));
        assert_eq!(controller.cfl, 100.0);
    }

    #[test]
    fn a_solution_is_steady_when_the_residual_has_fallen_from_its_largest_value() {
        let mut controller = Controller::new(&CONTROL);
        let residuals = [1.0, 5.0, 0.1, 0.0051, 0.005];
        let verdicts = residuals.map(|residual| controller.judge(&CONTROL, residual));
        assert_eq!(verdicts[..4], [Verdict::GoOn; 4]);
        assert_eq!(verdicts[4], Verdict::Steady);
    }
}
