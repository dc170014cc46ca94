//! What a solver adjusts or keeps beside the state on the device: the force that holds a mass flow, outlets that hold a
//! mean pressure or a mass flux, the relaxed values of boundaries, the bars, and the running means of sponges.

use super::{Solver, StepError};
use crate::io::CheckpointData;

impl Solver {
    /// Adjusts what the case holds and advances the running means of sponges, unless that was done at this very time.
    /// Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn adjust_controls(&mut self, time: f64) -> Result<(), StepError> {
        self.hold_mass_flow(time)?;
        self.hold_outlets(time)?;
        Ok(self.advance_sponge_means(time)?)
    }

    /// Adds the controls and the relaxed values to a checkpoint. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn save_controls(&self, data: &mut CheckpointData) -> Result<(), StepError> {
        self.save_sponge_means(data)?;
        let section = &mut data.section;
        section.arrays.extend(self.save_mass_flow());
        section.arrays.extend(self.save_bars());
        self.save_outlets(section);
        Ok(self.save_relaxed(section)?)
    }

    /// Continues with the controls and the relaxed values of a checkpoint, of which the device holds the state. `same`
    /// is false if the state was converted to another order or precision. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn restore_controls(&mut self, data: &CheckpointData, same: bool, time: f64) -> Result<(), StepError> {
        let section = &data.section;
        self.restore_relaxed(section)?;
        self.restore_mass_flow(section, same, time)?;
        self.restore_outlets(section, same, time)?;
        Ok(self.restore_sponge_means(data, time)?)
    }
}
