//! Relaxed outlets that hold their mean pressure or their mass flux.
//!
//! Each point of such an outlet seeks the mean pressure of its face, at a rate lambda (ptx/method/relaxed_value.h).
//! What the mean of a face changes is taken for plane sound and passes. At fixed step numbers the host compares the
//! means of the faces, `p_f`, with their mean over the outlet, `<p_f>`, and gives numbers that are the same at all
//! points. Each face is moved towards `<p_f>` by the share g of their difference at the rate lambda, and the mean
//! pressure of the common flux, `<p>`, towards what is held at the rate kappa:
//!
//! ```text
//! pressure that a point seeks:  p_f(t) - g p_f(noted) + g <p_f> - kappa/lambda (<p> - <p given> - offset)
//!                                 + <z_0 T>/(2 lambda)
//! share:                        g = min(1, 1/2 / (lambda interval))
//! mean pressure:                offset = 0
//! mass flux:                    d offset/dt = kappa/4 c/A (m - m given)
//! ```
//!
//! `<p_f>` is the mean of the very numbers that were noted. With `<p>` in its place, which differs from it where the
//! flow fluctuates, the difference would act at the rate lambda on the mean pressure, and nothing would hold it.
//!
//! T are the terms along the face, which move r with the flow. In a flow of unequal speed their mean over the outlet is
//! not 0, for none of its terms is one of a conserved quantity, and it would act on the mean pressure as a source: with
//! it, a flow of 20 % unequal speed left at a mean pressure that was 2 % too high. The last term takes it away. It is
//! the mean of what was noted, z_0 T at each point, so that over many adjustments as much is taken away as was added.
//!
//! The share makes half of a difference vanish until the next adjustment at most. The rate kappa is limited to lambda
//! and, because what is adjusted acts until the next adjustment, to one half over the interval. In the last line c/A is
//! the change of pressure over that of the mass flux in a plane wave. The quarter makes the outlet, which itself needs
//! a time of 1/kappa, approach its mass flux without overshoot.
//!
//! Between adjustments these numbers are constant, so that a stage of a time step needs no sum over ranks.

use super::boundary_fluxes::BoundaryFluxes;
use super::{Solver, StepError};
use crate::device::{BOUNDARY_VALUES, BoundaryFace, Exterior, Field};
use crate::io::CheckpointSection;
use crate::physics::{Hold, RelaxedSlot, outlet_pressure, outlet_temperature};
use crate::ranks::{ExactSum, Ranks};
use crate::vector::length;

/// Rate of the shift over that of the relaxed values, where a mass flux is held.
const MASS_FLOW_RATE: f64 = 0.25;
/// Largest share of the difference between the mean pressure of a face and that of the outlet that vanishes until the
/// next adjustment.
const MOST_EVENED: f64 = 0.5;

/// An outlet and the pressure that it seeks at present.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeldOutlet {
    /// Index of the boundary.
    boundary: usize,
    /// Its points on this rank and their shares of the area (length squared).
    points: Vec<(usize, f64)>,
    /// Its area on all ranks (length squared).
    area: f64,
    hold: Hold,
    /// Mean of the given pressure.
    pressure: f64,
    /// Change of pressure over that of the mass flux, times the rate: c kappa/(4 A).
    gain: f64,
    /// Rate of the points, lambda (1/time).
    rate: f64,
    /// Rate of the mean over that of the points, kappa/lambda.
    ratio: f64,
    /// Difference between the mean pressure that the outlet seeks and the given one.
    offset: f64,
    /// The pressure that the points seek, but for those of their faces, and the share g of the noted ones.
    sought: [f64; 2],
    /// Time of the last adjustment.
    adjusted: Option<f64>,
}

impl HeldOutlet {
    /// Returns the means over the outlet of values of each point. Collective.
    fn means_of(&self, values: [&[f64]; 2], ranks: &Ranks) -> [f64; 2] {
        let sums = values.map(|values| self.points.iter().map(|&(i, area)| area * values[i]).collect());
        ExactSum::allreduce(ranks, sums).map(|sum| sum.value() / self.area)
    }

    /// Computes what the points seek next, from the means of the pressures and of the terms along the face that were
    /// noted, the mean pressure of the common flux, and the mass flux.
    fn adjust(&mut self, time: f64, [noted, along]: [f64; 2], pressure: f64, mass: f64) {
        let interval = self.adjusted.map_or(0.0, |last| time - last);
        let most = MOST_EVENED / (self.rate * interval);
        let share = if interval > 0.0 { most.min(1.0) } else { 0.0 };
        let ratio = self.ratio.min(most).min(1.0);
        match self.hold {
            Hold::Mean => {}
            Hold::MassFlow { target } => {
                self.offset += interval * self.gain * (ratio / self.ratio) * (mass - target);
            }
        }
        let excess = pressure - self.pressure - self.offset;
        self.sought = [share * noted - ratio * excess + along / (2.0 * self.rate), share];
        self.adjusted = Some(time);
    }
}

/// Returns the name of the entry of an outlet in a checkpoint: what it seeks (2), its offset, and the time of the last
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
                points: self.areas_of_points(boundary),
                area: 0.0,
                hold,
                pressure: 0.0,
                gain: 0.0,
                rate: 0.0,
                ratio: 1.0,
                offset: 0.0,
                sought: [0.0; 2],
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
        let adjusted = if held.outlets.iter().all(|outlet| outlet.adjusted == Some(time)) {
            Ok(())
        } else {
            self.adjust_outlets(&mut held, time)
        };
        let sought = adjusted.and_then(|()| self.write_sought(&held.outlets));
        self.held = Some(held);
        sought
    }

    fn adjust_outlets(&mut self, held: &mut HeldOutlets, time: f64) -> Result<(), StepError> {
        self.device.note_pressures()?;
        let [noted, along] = [Field::NotedPressure, Field::NotedAlong].map(|field| self.device.read(field));
        let (noted, along) = (noted?, along?);
        let sums = self.device.boundary_fluxes()?;
        for outlet in &mut held.outlets {
            if self.boundaries[outlet.boundary].varies() {
                self.set_means(outlet, time)?;
            }
            let flux = held.fluxes.of_boundary(outlet.boundary, &sums, &self.ranks);
            let means = outlet.means_of([&noted, &along], &self.ranks);
            outlet.adjust(time, means, flux.pressure, flux.mass);
        }
        Ok(())
    }

    /// Writes what the outlets seek to the device.
    fn write_sought(&mut self, outlets: &[HeldOutlet]) -> Result<(), StepError> {
        let mut sought = vec![0.0; 2 * self.boundaries.len()];
        for outlet in outlets {
            sought[2 * outlet.boundary..][..2].copy_from_slice(&outlet.sought);
        }
        Ok(self.device.set_held_pressure(&sought)?)
    }

    /// Adds what the outlets seek to a checkpoint.
    pub(super) fn save_outlets(&self, section: &mut CheckpointSection) {
        for outlet in self.held.iter().flat_map(|held| &held.outlets) {
            if let Some(last) = outlet.adjusted {
                let name = entry(&self.mesh.boundary_names[outlet.boundary]);
                section
                    .arrays
                    .insert(name, vec![outlet.sought[0], outlet.sought[1], outlet.offset, last]);
            }
        }
    }

    /// Continues with what the outlets sought in a checkpoint. If the state is not the `same` but was converted to
    /// another order or precision, the adjustment begins anew. Collective.
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
            if let Some(&[pressure, share, offset, last]) = section.arrays.get(&name).map(Vec::as_slice) {
                (outlet.sought, outlet.offset) = ([pressure, share], offset);
                outlet.adjusted = same.then_some(last);
            }
        }
        let held = self.held.iter().flat_map(|held| &held.outlets);
        let complete: Vec<HeldOutlet> = held.filter(|outlet| outlet.adjusted.is_some()).cloned().collect();
        if self
            .held
            .as_ref()
            .is_some_and(|held| held.outlets.len() > complete.len())
        {
            self.hold_outlets(time)
        } else {
            self.write_sought(&complete)
        }
    }

    /// Returns the points of the faces of a boundary on this rank, and their shares of its area.
    fn areas_of_points(&self, boundary: usize) -> Vec<(usize, f64)> {
        let faces = self.device.plan().boundary_faces.iter();
        let areas = |b: &BoundaryFace| {
            let kind = self.geometry.kinds[b.cell];
            let weights = self.elements.face_weights(kind.faces()[b.face].shape);
            let areas = self.geometry.face_areas(b.cell, b.face);
            let sizes: Vec<f64> = weights.iter().zip(&areas).map(|(w, &area)| w * length(area)).collect();
            (b.first_point..).zip(sizes)
        };
        faces
            .filter(|b| matches!(b.exterior, Exterior::Condition(name) if name == boundary))
            .flat_map(areas)
            .collect()
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
            let size = weights[l] * length(self.geometry.face_areas(face.cell, face.face)[l]);
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
        outlet.area = area;
        outlet.pressure = pressure / area;
        (outlet.rate, outlet.ratio) = (of_points / area, rate / of_points);
        outlet.gain = MASS_FLOW_RATE * rate / area * sound / area / area;
        Ok(())
    }
}
