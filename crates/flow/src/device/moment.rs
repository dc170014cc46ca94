//! Times within a time step at which its stages need the fluctuations of turbulent inlets and the positions of bars.

/// A time within a step, by its number among those that the host has set for the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment(usize);

impl Moment {
    /// The start of the step.
    pub const BEGIN: Moment = Moment(0);

    /// Returns the moment of this number.
    pub fn new(number: usize) -> Self {
        Moment(number)
    }

    /// Returns its number.
    pub fn number(self) -> usize {
        self.0
    }
}
