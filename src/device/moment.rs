//! The moments of a time step at which its stages need what moves: the fluctuations of inlets and the places of bars.

/// A moment of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Its begin.
    Begin,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl Moment {
    /// Number of moments.
    pub const COUNT: usize = 3;

    /// Returns the times of all moments of a step from `time` on, in their order.
    pub fn times(time: f64, dt: f64) -> [f64; Self::COUNT] {
        [Moment::Begin, Moment::Middle, Moment::End].map(|moment| time + moment.share() * dt)
    }

    /// Returns the share of the step before the moment.
    pub fn share(self) -> f64 {
        match self {
            Moment::Begin => 0.0,
            Moment::Middle => 0.5,
            Moment::End => 1.0,
        }
    }
}
