//! The watch over the time step. A run whose stable time step has shrunk to a small part of what it was does not die,
//! but it hardly advances. The limiter keeps nearly empty cells alive, and such cells allow only very short steps.

use super::progress::Progress;

/// A run stalls when its time step is below this share of the longest one.
const LEAST_SHARE: f64 = 1e-3;

/// The longest step so far, and whether the log has the warning.
#[derive(Default)]
pub(super) struct StepWatch {
    longest: f64,
    warned: bool,
}

impl StepWatch {
    /// Warns once of a step that is far shorter than the run began with.
    pub fn look(&mut self, dt: f64, progress: &Progress) {
        if !self.stalls(dt) {
            return;
        }
        let longest = self.longest;
        progress.say(|| {
            tracing::warn!(
                "the stable time step is {dt:.1e} now and was {longest:.1e}: a cell is nearly empty or very fast, and \
                 the run hardly advances; the columns of density, pressure and Mach number in integrals.csv say \
                 since when. A finer mesh, a softer start, `scheme.riemann: hllc` or `scheme.entropy-correction: \
                 cells` may help"
            );
        });
    }

    /// Returns whether a step is the first that is far shorter than another before it.
    fn stalls(&mut self, dt: f64) -> bool {
        self.longest = self.longest.max(dt);
        let stalls = dt < LEAST_SHARE * self.longest && !self.warned;
        self.warned |= stalls;
        stalls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_below_a_thousandth_gets_the_warning() {
        let mut watch = StepWatch::default();
        let warnings = [1e-2, 2e-2, 3e-5, 1.9e-5, 1e-6, 2e-2, 1e-6].map(|dt| watch.stalls(dt));
        assert_eq!(warnings, [false, false, false, true, false, false, false]);
    }
}
