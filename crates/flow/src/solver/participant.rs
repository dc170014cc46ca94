//! What takes part in a run beside the state: what moves, what is held, and what the host writes to the device.
//!
//! A [`Participant`] has the verbs of a run. Each does nothing unless the participant has something to do, so that one
//! writes only what it needs. [`Participants`] is the list of all, and has the loop over it of each verb. Its order is
//! that of `participants/mod.rs`; it is the same on all ranks, since the methods are collective.

use std::any::Any;
use std::sync::Arc;

use super::domain::Domain;
use super::interfaces::Found;
use super::{Settings, SetupError, StepError};
use crate::device::{Device, DeviceError, Later, Moment};
use crate::geometry::{Geometry, WallDistance};
use crate::io::CheckpointData;
use crate::mesh::Mesh;
use crate::physics::{Boundary, Forcing};
use crate::ranks::Ranks;

/// What participants are made of, before there is a device.
pub struct Case<'a> {
    /// The settings.
    pub settings: &'a Settings,
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Metric terms and solution points.
    pub geometry: &'a Geometry,
    /// Condition of every boundary of the mesh.
    pub boundaries: &'a [Boundary],
    /// The interfaces between blocks of cells.
    pub interfaces: &'a Found,
    /// Volume sources, with their distances from walls.
    pub forcing: &'a Forcing,
    /// The no-slip walls, if something needs the distance from them.
    pub walls: Option<&'a Arc<WallDistance>>,
    /// The ranks.
    pub ranks: &'a Ranks,
}

/// A checkpoint or a solution from which a run continues; the device holds its state.
#[derive(Clone, Copy)]
pub struct Restart<'a> {
    /// The data beside the state.
    pub data: &'a CheckpointData,
    /// What became of the state.
    pub state: RestartState,
    /// The time of the state.
    pub time: f64,
}

/// How a state relates to that with which the data beside it were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartState {
    /// It is the same to the bit.
    Same,
    /// It was converted to another order or precision, or has no data beside it.
    Converted,
}

/// Something that takes part in a run. All methods are collective.
pub trait Participant: Any {
    /// Adds what it will need on the device to the estimate of memory.
    fn reserve(&self, _geometry: &Geometry, _later: &mut Later) {}

    /// Writes what it needs for the whole run to the device, which holds the initial state.
    ///
    /// # Errors
    /// It does not go with the mesh or the state, or the device fails.
    fn place(&mut self, _domain: &Domain, _device: &mut dyn Device) -> Result<(), SetupError> {
        Ok(())
    }

    /// Is told the first time step, unless it knows it from a checkpoint. Returns whether it begins now, so that the
    /// time step must be taken anew.
    fn begin(&mut self, _time: f64, _dt: f64) -> bool {
        false
    }

    /// Returns the largest rate (1/time) at which it damps the state, which shortens the time step.
    fn damping(&self) -> f64 {
        0.0
    }

    /// Prepares a step: `moments` are the times of its stages.
    ///
    /// # Errors
    /// The device fails.
    fn begin_step(&mut self, _device: &mut dyn Device, _moments: &[f64]) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Lets the device compute what it needs at another moment than the first of the step. The launches are recorded
    /// with those of the step, and must be the same in each.
    ///
    /// # Errors
    /// The device fails.
    fn reach(&self, _device: &mut dyn Device, _moment: Moment) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Returns whether the host writes its data for every stage ([`set_data`](Self::set_data)). Steps are not recorded
    /// then.
    fn varies(&self) -> bool {
        false
    }

    /// Writes the data of a time to the device.
    ///
    /// # Errors
    /// A value is not valid at this time, or the device fails.
    fn set_data(&mut self, _domain: &Domain, _device: &mut dyn Device, _time: f64) -> Result<(), StepError> {
        Ok(())
    }

    /// Adjusts itself to the present state, unless that was done at this very time. Called at fixed step numbers.
    ///
    /// # Errors
    /// A value is not valid at this time, or the device fails.
    fn adjust(&mut self, _domain: &Domain, _device: &mut dyn Device, _time: f64) -> Result<(), StepError> {
        Ok(())
    }

    /// Adds what it continues from to a checkpoint.
    ///
    /// # Errors
    /// The device fails.
    fn save(&self, _domain: &Domain, _device: &dyn Device, _data: &mut CheckpointData) -> Result<(), StepError> {
        Ok(())
    }

    /// Continues from a checkpoint; begins anew if it has nothing of it.
    ///
    /// # Errors
    /// A value is not valid at this time, or the device fails.
    fn restore(&mut self, _domain: &Domain, _device: &mut dyn Device, _from: &Restart) -> Result<(), StepError> {
        Ok(())
    }
}

/// The participants of a case, in their order.
#[derive(Default)]
pub struct Participants(Vec<Box<dyn Participant>>);

impl Participants {
    /// Adds a participant at the end, if the case has it.
    pub fn add<T: Participant>(&mut self, made: Option<T>) {
        self.0.extend(made.map(|one| Box::new(one) as Box<dyn Participant>));
    }

    /// Puts a participant in the place of the one of its kind, or at the end.
    pub fn replace<T: Participant>(&mut self, by: T) {
        match self.find_mut() {
            Some(one) => *one = by,
            None => self.add(Some(by)),
        }
    }

    /// Returns the participant of a kind.
    pub fn find<T: Participant>(&self) -> Option<&T> {
        self.0.iter().find_map(|one| (one.as_ref() as &dyn Any).downcast_ref())
    }

    /// Returns the participant of a kind, to change it.
    pub fn find_mut<T: Participant>(&mut self) -> Option<&mut T> {
        let mut all = self.0.iter_mut();
        all.find_map(|one| (one.as_mut() as &mut dyn Any).downcast_mut())
    }

    /// Returns the memory that all will need on the device.
    pub fn reserve(&self, geometry: &Geometry) -> Later {
        let mut later = Later::default();
        self.0.iter().for_each(|one| one.reserve(geometry, &mut later));
        later
    }

    /// Places all on the device, which holds the initial state.
    ///
    /// # Errors
    /// One of them does not go with the mesh or the state, or the device fails.
    pub fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        self.0.iter_mut().try_for_each(|one| {
            let placed = one.place(domain, device);
            domain.ranks.agree(placed, SetupError::OnOtherRank)
        })
    }

    /// Tells all the first time step; returns whether one begins now.
    pub fn begin(&mut self, time: f64, dt: f64) -> bool {
        let begun = self.0.iter_mut().map(|one| one.begin(time, dt));
        begun.filter(|begun| *begun).count() > 0
    }

    /// Returns the share of a step in the largest stable one that all take by damping, over the step (1/time), for a
    /// scheme that damps at most `limit` in a step.
    pub fn damping(&self, limit: f64) -> f64 {
        self.0.iter().map(|one| one.damping() / limit).sum()
    }

    /// Prepares a step with these times of its stages.
    ///
    /// # Errors
    /// The device fails.
    pub fn begin_step(&mut self, device: &mut dyn Device, moments: &[f64]) -> Result<(), DeviceError> {
        self.0.iter_mut().try_for_each(|one| one.begin_step(device, moments))
    }

    /// Lets the device compute what all need at another moment of the step.
    ///
    /// # Errors
    /// The device fails.
    pub fn reach(&self, device: &mut dyn Device, moment: Moment) -> Result<(), DeviceError> {
        self.0.iter().try_for_each(|one| one.reach(device, moment))
    }

    /// Returns whether the host writes data of one for every stage.
    pub fn vary(&self) -> bool {
        self.0.iter().any(|one| one.varies())
    }

    /// Writes the data that vary to the device.
    ///
    /// # Errors
    /// A value is not valid at this time, or the device fails.
    pub fn set_data(&mut self, domain: &Domain, device: &mut dyn Device, time: f64) -> Result<(), StepError> {
        let mut varying = self.0.iter_mut().filter(|one| one.varies());
        varying.try_for_each(|one| one.set_data(domain, device, time))
    }

    /// Adjusts all to the present state.
    ///
    /// # Errors
    /// A value is not valid at this time, or the device fails.
    pub fn adjust(&mut self, domain: &Domain, device: &mut dyn Device, time: f64) -> Result<(), StepError> {
        self.0.iter_mut().try_for_each(|one| one.adjust(domain, device, time))
    }

    /// Adds what all continue from to a checkpoint.
    ///
    /// # Errors
    /// The device fails.
    pub fn save(&self, domain: &Domain, device: &dyn Device, data: &mut CheckpointData) -> Result<(), StepError> {
        self.0.iter().try_for_each(|one| one.save(domain, device, data))
    }

    /// Continues with all from a checkpoint.
    ///
    /// # Errors
    /// A value is not valid at this time, or the device fails.
    pub fn restore(&mut self, domain: &Domain, device: &mut dyn Device, from: &Restart) -> Result<(), StepError> {
        self.0.iter_mut().try_for_each(|one| one.restore(domain, device, from))
    }
}
