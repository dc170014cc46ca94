//! A point of a boundary face.

use crate::input::{Field, InvalidValue, finite};
use crate::physics::gas::Gas;
use crate::physics::state::GasState;

/// What the kernels know of a point of a boundary face; the `Slot` enumeration of a condition names the values.
pub type PointData = [f64; 6];

/// The initial state at a point of a boundary face.
#[derive(Debug, Clone, Copy)]
pub enum InitialGas<'a> {
    /// Fields that have yet to be evaluated.
    State(&'a GasState),
    /// Density, velocity and pressure.
    Known(f64, [f64; 3], f64),
}

/// A point of a boundary face, and what the values of a condition depend on there.
#[derive(Debug, Clone, Copy)]
pub struct FacePoint<'a> {
    /// Position.
    pub x: [f64; 3],
    /// Outward normal of length 1.
    pub normal: [f64; 3],
    /// Extent of the domain along the mean normal of the boundary (length).
    pub extent: f64,
    /// Size of a face of the boundary, the root of the mean area (length).
    pub face_size: f64,
    /// Time.
    pub time: f64,
    /// The gas.
    pub gas: &'a Gas,
    /// The initial state.
    pub initial: InitialGas<'a>,
}

impl FacePoint<'_> {
    /// Returns the values of three fields, which must be finite; `keys` are their names.
    pub(super) fn vector(&self, keys: [&'static str; 3], fields: &[Field; 3]) -> Result<[f64; 3], InvalidValue> {
        let [a, b, c] = fields;
        Ok([
            finite(keys[0], a, self.x, self.time)?,
            finite(keys[1], b, self.x, self.time)?,
            finite(keys[2], c, self.x, self.time)?,
        ])
    }

    /// Returns the conserved variables of a state in the first five slots.
    pub(super) fn conserved(&self, state: &GasState) -> Result<PointData, InvalidValue> {
        let mut data = PointData::default();
        data[..5].copy_from_slice(&state.conserved(self.x, self.time, self.gas)?);
        Ok(data)
    }

    /// Returns the value of a field that must be positive.
    pub(super) fn positive(&self, key: &'static str, field: &Field) -> Result<f64, InvalidValue> {
        crate::input::positive_value(key, field, self.x, self.time)
    }

    /// Returns density, velocity and pressure of the initial state.
    pub(super) fn initial_gas(&self) -> Result<(f64, [f64; 3], f64), InvalidValue> {
        match self.initial {
            InitialGas::State(state) => state.at(self.x, 0.0, self.gas),
            InitialGas::Known(rho, velocity, p) => Ok((rho, velocity, p)),
        }
    }

    /// Returns the initial pressure, where there is one.
    pub fn initial_pressure(&self) -> Option<f64> {
        self.initial_gas().ok().map(|(_, _, p)| p)
    }

    /// Returns the initial temperature.
    ///
    /// # Errors
    /// The initial state has no valid value there.
    pub fn initial_temperature(&self) -> Result<f64, InvalidValue> {
        let (rho, _, p) = self.initial_gas()?;
        Ok(p / (rho * self.gas.gas_constant))
    }

    /// Returns the initial speed of sound.
    pub(super) fn initial_sound_speed(&self) -> Result<f64, InvalidValue> {
        let (rho, _, p) = self.initial_gas()?;
        Ok(self.gas.sound_speed(rho, p))
    }
}
