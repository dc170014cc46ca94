//! Relaxed outlets that hold their mean pressure or their mass flux.
//!
//! A relaxed outlet seeks a pressure p at each point, at a rate lambda. Such an outlet seeks the mean over its area,
//! so that differences along it vanish quickly and plane sound leaves. The mean itself is held at the slower rate kappa.
//! Both follow from a shift of the pressure that the points seek. The shift is the same at all points and is adjusted
//! at fixed step numbers:
//!
//! ```text
//! shift = (1 - kappa/lambda) (<p> - <p given>) + kappa/lambda offset
//! mean pressure:  offset = 0
//! mass flux:      d offset/dt = kappa/4 c/A (m - m given)
//! ```
//!
//! In the last line c/A is the change of pressure over that of the mass flux in a plane wave. The quarter makes the
//! outlet, which itself needs a time of 1/kappa, approach its mass flux without overshoot.
//!
//! Between adjustments the shift is constant, so that a stage of a time step needs no sum over ranks.

use super::boundary_fluxes::BoundaryFluxes;
use super::{Solver, StepError};
use crate::device::{BOUNDARY_VALUES, Buffer};
use crate::io::CheckpointSection;
use crate::physics::{Hold, RelaxedSlot, outlet_pressure, outlet_temperature};
use crate::ranks::ExactSum;
use crate::vector::length;

/// Rate of the shift over that of the relaxed values, where a mass flux is held.
const MASS_FLOW_RATE: f64 = 0.25;

/// An outlet and the present shift of the pressure that it seeks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct HeldOutlet {
    /// Index of the boundary.
    boundary: usize,
    hold: Hold,
    /// Mean of the given pressure.
    pressure: f64,
    /// Change of pressure over that of the mass flux, times the rate: c kappa/(4 A).
    gain: f64,
    /// Rate of the mean over that of the points, kappa/lambda.
    ratio: f64,
    /// Difference between the mean pressure that the outlet seeks and the given one.
    offset: f64,
    /// Difference between the pressure that the points seek and the given one.
    shift: f64,
    /// Time of the last adjustment.
    adjusted: Option<f64>,
}

impl HeldOutlet {
    /// Computes the next shift from the mean pressure and the mass flux.
    fn adjust(&mut self, time: f64, pressure: f64, mass: f64) {
        match self.hold {
            Hold::Mean => {}
            Hold::MassFlow { target } => {
                let interval = self.adjusted.map_or(0.0, |last| time - last);
                self.offset += interval * self.gain * (mass - target);
            }
        }
        self.shift = (1.0 - self.ratio) * (pressure - self.pressure) + self.ratio * self.offset;
        self.adjusted = Some(time);
    }
}

/// Returns the name of the entry of an outlet in a checkpoint: its shift, its offset, and the time of the last
/// adjustment.
fn entry(name: &str) -> String {
    format!("boundaries.{name}.hold")
}

/// The outlets of a case that hold something over their area.
#[derive(Debug)]
pub(super) struct HeldOutlets {
    fluxes: BoundaryFluxes,
    outlets: Vec<HeldOutlet>,
}

impl Solver {
    /// Prepares the outlets that hold something over their area. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid.
    pub(super) fn prepare_outlets(&mut self) -> Result<(), StepError> {
        let holds = self.boundaries.iter().enumerate();
        let holds: Vec<_> = holds
            .filter_map(|(b, condition)| Some((b, condition.hold()?)))
            .collect();
        if holds.is_empty() {
            return Ok(());
        }
        let mut outlets = Vec::new();
        for (boundary, hold) in holds {
            let mut outlet = HeldOutlet {
                boundary,
                hold,
                pressure: 0.0,
                gain: 0.0,
                ratio: 1.0,
                offset: 0.0,
                shift: 0.0,
                adjusted: None,
            };
            self.set_means(&mut outlet, 0.0)?;
            outlets.push(outlet);
        }
        let fluxes = BoundaryFluxes::of_solver(self);
        self.held = Some(HeldOutlets { fluxes, outlets });
        Ok(())
    }

    /// Adjusts the outlets that hold something over their area, unless that was done at this very time. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub(super) fn hold_outlets(&mut self, time: f64) -> Result<(), StepError> {
        let Some(mut held) = self.held.take() else {
            return Ok(());
        };
        let adjusted = match held.outlets.iter().all(|outlet| outlet.adjusted == Some(time)) {
            true => Ok(()),
            false => self.adjust_outlets(&mut held, time),
        };
        let shifts = adjusted.and_then(|()| self.write_shifts(&held.outlets));
        self.held = Some(held);
        shifts
    }

    fn adjust_outlets(&mut self, held: &mut HeldOutlets, time: f64) -> Result<(), StepError> {
        self.device.ghost_states(Buffer::Start)?;
        let sums = self.device.boundary_fluxes()?;
        for outlet in &mut held.outlets {
            if self.boundaries[outlet.boundary].varies() {
                self.set_means(outlet, time)?;
            }
            let flux = held.fluxes.of_boundary(outlet.boundary, &sums, &self.ranks);
            outlet.adjust(time, flux.pressure, flux.mass);
        }
        Ok(())
    }

    /// Writes the shifts of all boundaries to the device.
    fn write_shifts(&mut self, outlets: &[HeldOutlet]) -> Result<(), StepError> {
        let mut shifts = vec![0.0; self.boundaries.len()];
        for outlet in outlets {
            shifts[outlet.boundary] = outlet.shift;
        }
        Ok(self.device.set_pressure_shift(&shifts)?)
    }

    /// Adds the shifts to a checkpoint.
    pub(super) fn save_outlets(&self, section: &mut CheckpointSection) {
        for outlet in self.held.iter().flat_map(|held| &held.outlets) {
            if let Some(last) = outlet.adjusted {
                let name = entry(&self.mesh.boundary_names[outlet.boundary]);
                section.arrays.insert(name, vec![outlet.shift, outlet.offset, last]);
            }
        }
    }

    /// Continues with the shifts of a checkpoint. If the state is not the `same` but was converted to another order or
    /// precision, the adjustment begins anew from the stored shift. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub(super) fn restore_outlets(
        &mut self,
        section: &CheckpointSection,
        same: bool,
        time: f64,
    ) -> Result<(), StepError> {
        for outlet in self.held.iter_mut().flat_map(|held| &mut held.outlets) {
            let name = entry(&self.mesh.boundary_names[outlet.boundary]);
            if let Some(&[shift, offset, last]) = section.arrays.get(&name).map(Vec::as_slice) {
                (outlet.shift, outlet.offset) = (shift, offset);
                outlet.adjusted = same.then_some(last);
            }
        }
        let held = self.held.iter().flat_map(|held| &held.outlets);
        let complete: Vec<HeldOutlet> = held.copied().filter(|outlet| outlet.adjusted.is_some()).collect();
        match self
            .held
            .as_ref()
            .is_some_and(|held| held.outlets.len() > complete.len())
        {
            true => self.hold_outlets(time),
            false => self.write_shifts(&complete),
        }
    }

    /// Sets the means over an outlet of the values that are given at this time. Collective.
    fn set_means(&self, outlet: &mut HeldOutlet, time: f64) -> Result<(), StepError> {
        let data = self.boundary_values().data(time);
        let data = self
            .ranks
            .agree(data.map_err(StepError::from), StepError::OnOtherRank)?;
        let mut sums: [ExactSum; 5] = Default::default();
        self.boundary_values().each_point(time, |face, boundary, l, at| {
            if boundary != outlet.boundary {
                return;
            }
            let kind = self.geometry.kinds[face.cell];
            let weights = self.elements.face_weights(kind.faces()[face.face].shape);
            let start = self.geometry.face_start(face.cell, face.face, self.elements.order);
            let size = weights[l] * length(self.geometry.areas[start + l]);
            let values = std::array::from_fn(|v| data[BOUNDARY_VALUES * face.first_point + v * face.points + l]);
            let rate = self.boundaries[boundary].held_rate(at).unwrap_or_default();
            let sound = self.gas.sound_speed_at(outlet_temperature(&values));
            let of_points = values[RelaxedSlot::Rate as usize];
            let means = [1.0, outlet_pressure(&values), rate, of_points, sound];
            sums.iter_mut()
                .zip(means)
                .for_each(|(sum, value)| sum.add(size * value));
        });
        let [area, pressure, rate, of_points, sound] = ExactSum::allreduce(&self.ranks, sums).map(ExactSum::value);
        outlet.pressure = pressure / area;
        outlet.ratio = rate / of_points;
        outlet.gain = MASS_FLOW_RATE * rate / area * sound / area / area;
        Ok(())
    }
}
