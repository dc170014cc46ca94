//! Times within a time step at which the stages of the Runge-Kutta method need the fluctuations of turbulent inlets and
//! the positions of bars.

/// A time within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The start of the step.
    Begin,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl Moment {
    /// Number of moments.
    pub const COUNT: usize = 3;

    /// Returns the times of all moments, in their order, of a step of length `dt` that starts at `time`.
    pub fn times(time: f64, dt: f64) -> [f64; Self::COUNT] {
        [Moment::Begin, Moment::Middle, Moment::End].map(|moment| time + moment.share() * dt)
    }

    /// Returns the share of the step before the moment.
    fn share(self) -> f64 {
        match self {
            Moment::Begin => 0.0,
            Moment::Middle => 0.5,
            Moment::End => 1.0,
        }
    }
}
