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

use crate::device::{BOUNDARY_VALUES, BoundaryFace, Device, DeviceError, Exterior, Field, Plan};
use crate::io::CheckpointData;
use crate::physics::{Hold, RelaxedSlot, outlet_pressure, outlet_temperature};
use crate::ranks::{ExactSum, Ranks};
use crate::solver::boundary_fluxes::BoundaryFluxes;
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant, Restart, RestartState};
use crate::solver::{SetupError, StepError};
use crate::vector::length;

/// Rate of the shift over that of the relaxed values, where a mass flux is held.
const MASS_FLOW_RATE: f64 = 0.25;
/// Largest share of the difference between the mean pressure of a face and that of the outlet that vanishes until the
/// next adjustment.
const MOST_EVENED: f64 = 0.5;

/// An outlet and the pressure that it seeks at present.
#[derive(Debug)]
struct HeldOutlet {
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

    /// Sets the means over the outlet of the values that are given at this time. Collective.
    fn set_means(&mut self, domain: &Domain, plan: &Plan, time: f64) -> Result<(), StepError> {
        let boundary_values = domain.boundary_values(plan);
        let data = boundary_values.data(time).map_err(StepError::from);
        let data = domain.ranks.agree(data, StepError::OnOtherRank)?;
        let mut sums: [ExactSum; 5] = Default::default();
        boundary_values.each_point(time, |face, boundary, l, at| {
            if boundary != self.boundary {
                return;
            }
            let kind = domain.geometry.kinds[face.cell];
            let weights = domain.elements.face_weights(kind.faces()[face.face].shape);
            let size = weights[l] * length(domain.geometry.face_areas(face.cell, face.face)[l]);
            let values = std::array::from_fn(|v| data[BOUNDARY_VALUES * face.first_point + v * face.points + l]);
            let rate = domain.boundaries[boundary].held_rate(at).unwrap_or_default();
            let sound = domain.gas.sound_speed_at(outlet_temperature(&values));
            let of_points = values[RelaxedSlot::Rate as usize];
            let means = [1.0, outlet_pressure(&values), rate, of_points, sound];
            sums.iter_mut()
                .zip(means)
                .for_each(|(sum, value)| sum.add(size * value));
        });
        let [area, pressure, rate, of_points, sound] = ExactSum::allreduce(&domain.ranks, sums).map(ExactSum::value);
        self.area = area;
        self.pressure = pressure / area;
        (self.rate, self.ratio) = (of_points / area, rate / of_points);
        self.gain = MASS_FLOW_RATE * rate / area * sound / area / area;
        Ok(())
    }
}

/// Returns the name of the entry of an outlet in a checkpoint: what it seeks (2), its offset, and the time of the last
/// adjustment.
fn entry(name: &str) -> String {
    format!("boundaries.{name}.hold")
}

/// The outlets of a case that hold something over their area.
#[derive(Debug, Default)]
pub struct HeldOutlets {
    /// Index of the boundary of each outlet, and what it holds.
    held: Vec<(usize, Hold)>,
    /// The fluxes through the boundaries, and the outlets; none until these are placed.
    fluxes: BoundaryFluxes,
    outlets: Vec<HeldOutlet>,
}

impl HeldOutlets {
    /// Returns the outlets of a case that hold something, if there are any.
    pub fn of_case(case: &Case) -> Option<Self> {
        let conditions = case.boundaries.iter().enumerate();
        let held: Vec<_> = conditions
            .filter_map(|(b, condition)| Some((b, condition.hold()?)))
            .collect();
        (!held.is_empty()).then(|| HeldOutlets {
            held,
            ..HeldOutlets::default()
        })
    }

    fn adjust_outlets(&mut self, domain: &Domain, device: &mut dyn Device, time: f64) -> Result<(), StepError> {
        device.note_pressures()?;
        let [noted, along] = [Field::NotedPressure, Field::NotedAlong].map(|field| device.read(field));
        let (noted, along) = (noted?, along?);
        let sums = device.boundary_fluxes()?;
        for outlet in &mut self.outlets {
            if domain.boundaries[outlet.boundary].varies() {
                outlet.set_means(domain, device.plan(), time)?;
            }
            let flux = self.fluxes.of_boundary(outlet.boundary, &sums, &domain.ranks);
            let means = outlet.means_of([&noted, &along], &domain.ranks);
            outlet.adjust(time, means, flux.pressure, flux.mass);
        }
        Ok(())
    }

    /// Writes what the outlets seek to the device.
    fn write_sought(&self, domain: &Domain, device: &mut dyn Device) -> Result<(), DeviceError> {
        let mut sought = vec![0.0; 2 * domain.boundaries.len()];
        for outlet in &self.outlets {
            sought[2 * outlet.boundary..][..2].copy_from_slice(&outlet.sought);
        }
        device.set_held_pressure(&sought)
    }
}

impl Participant for HeldOutlets {
    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        for &(boundary, hold) in &self.held {
            let mut outlet = HeldOutlet {
                boundary,
                points: areas_of_points(domain, device.plan(), boundary),
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
            outlet.set_means(domain, device.plan(), 0.0)?;
            self.outlets.push(outlet);
        }
        self.fluxes = domain.boundary_fluxes(device.plan());
        Ok(())
    }

    fn adjust(&mut self, domain: &Domain, device: &mut dyn Device, time: f64) -> Result<(), StepError> {
        if self.outlets.iter().any(|outlet| outlet.adjusted != Some(time)) {
            self.adjust_outlets(domain, device, time)?;
        }
        Ok(self.write_sought(domain, device)?)
    }

    /// Adds what the outlets seek.
    fn save(&self, domain: &Domain, _: &dyn Device, data: &mut CheckpointData) -> Result<(), StepError> {
        for outlet in &self.outlets {
            if let Some(last) = outlet.adjusted {
                let name = entry(&domain.mesh.boundary_names[outlet.boundary]);
                let numbers = vec![outlet.sought[0], outlet.sought[1], outlet.offset, last];
                data.section.arrays.insert(name, numbers);
            }
        }
        Ok(())
    }

    /// Continues with what the outlets sought in a checkpoint. If the state was converted, the adjustment begins anew.
    fn restore(&mut self, domain: &Domain, device: &mut dyn Device, from: &Restart) -> Result<(), StepError> {
        for outlet in &mut self.outlets {
            let name = entry(&domain.mesh.boundary_names[outlet.boundary]);
            if let Some(&[pressure, share, offset, last]) = from.data.section.arrays.get(&name).map(Vec::as_slice) {
                (outlet.sought, outlet.offset) = ([pressure, share], offset);
                outlet.adjusted = (from.state == RestartState::Same).then_some(last);
            }
        }
        if self.outlets.iter().any(|outlet| outlet.adjusted.is_none()) {
            self.adjust(domain, device, from.time)
        } else {
            Ok(self.write_sought(domain, device)?)
        }
    }
}

/// Returns the points of the faces of a boundary on this rank, and their shares of its area.
fn areas_of_points(domain: &Domain, plan: &Plan, boundary: usize) -> Vec<(usize, f64)> {
    let areas = |b: &BoundaryFace| {
        let kind = domain.geometry.kinds[b.cell];
        let weights = domain.elements.face_weights(kind.faces()[b.face].shape);
        let areas = domain.geometry.face_areas(b.cell, b.face);
        let sizes: Vec<f64> = weights.iter().zip(&areas).map(|(w, &area)| w * length(area)).collect();
        (b.first_point..).zip(sizes)
    };
    let faces = plan.boundary_faces.iter();
    faces
        .filter(|b| matches!(b.exterior, Exterior::Condition(name) if name == boundary))
        .flat_map(areas)
        .collect()
}
