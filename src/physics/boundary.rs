//! Boundary conditions.

use super::state::{GasState, Thermal};
use crate::input::Field;

/// A boundary condition. Fields are of x, y, z, t.
#[derive(Debug, Clone)]
pub enum Boundary {
    /// Slip wall or symmetry plane: no flow through it, no shear, no heat.
    Slip,
    /// No-slip wall without heat flux, moving with `velocity`.
    NoSlipAdiabatic {
        /// Wall velocity.
        velocity: [Field; 3],
    },
    /// No-slip wall of given temperature, moving with `velocity`.
    NoSlipIsothermal {
        /// Wall velocity.
        velocity: [Field; 3],
        /// Wall temperature.
        temperature: Field,
    },
    /// Far field of given state, by characteristic variables.
    FarField(GasState),
    /// Supersonic inflow of given state.
    SupersonicInlet(GasState),
    /// Supersonic outflow: nothing is prescribed.
    SupersonicOutlet,
    /// Inflow from a reservoir.
    TotalInlet {
        /// Total pressure.
        pressure: Field,
        /// Total temperature.
        temperature: Field,
        /// Direction of the flow, of any length; `None` is normal to the boundary.
        direction: Option<[Field; 3]>,
    },
    /// Outflow of given static pressure.
    PressureOutlet {
        /// Static pressure.
        pressure: Field,
        /// Total temperature of gas that flows back; `None` takes the temperature of the initial state.
        temperature: Option<Field>,
    },
    /// Inflow of given velocity and temperature or density.
    VelocityInlet {
        /// Velocity.
        velocity: [Field; 3],
        /// Temperature or density.
        thermal: Thermal,
    },
}

impl Boundary {
    /// Whether it is a wall at which the gas sticks.
    pub fn is_no_slip(&self) -> bool {
        matches!(
            self,
            Boundary::NoSlipAdiabatic { .. } | Boundary::NoSlipIsothermal { .. }
        )
    }
}
