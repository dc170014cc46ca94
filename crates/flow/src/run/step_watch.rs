//! The watch over the time step: a run whose stable step has become a small part of what it was lives on and does not
//! arrive. The limiter keeps cells alive that are nearly empty, in which sound, gas or friction is as fast as that.

use super::progress::Progress;

/// The share of the longest step of the run from which on it is said to stall.
const LEAST_SHARE: f64 = 1e-3;

/// The longest step so far, and whether a shorter one was told of.
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
                 the run will hardly arrive; the columns of density, pressure and Mach number in integrals.csv say \
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
    fn the_first_step_of_less_than_a_thousandth_is_told_of() {
        let mut watch = StepWatch::default();
        let told = [1e-2, 2e-2, 3e-5, 1.9e-5, 1e-6, 2e-2, 1e-6].map(|dt| watch.stalls(dt));
        assert_eq!(told, [false, false, false, true, false, false, false]);
    }
}
