//! Volume sources: a given body force, and a force that holds the mass flow.

use crate::input::Field;

/// Volume sources added to the right-hand side, per unit volume and time; fields of x, y, z, t. `None`: no source.
#[derive(Debug, Clone, Default)]
pub struct Forcing {
    /// Body force per unit volume; its work u . f is added to the energy.
    pub force: Option<[Field; 3]>,
    /// A force that holds the mass flow.
    pub mass_flow: Option<MassFlow>,
}

/// A uniform body force that holds the mass flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassFlow {
    /// Direction of the force: 0, 1, 2.
    pub direction: usize,
    /// Momentum over mass of the domain, in this direction.
    pub bulk_velocity: f64,
}
