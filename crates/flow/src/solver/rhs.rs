//! The right-hand side as a list of verbs, the same for one rank and for many.
//!
//! There are two sweeps, each after the ghosts and halos that it reads. Interior cells are computed while the halos
//! travel. A single rank has no neighbours: its exchanges do nothing, and all of its cells are computed at once.

use super::Settings;
use super::scalar_stages::ScalarStages;
use super::stages::{self, Stage};
use crate::device::Exterior;
use crate::device::{Cells, Classes, Device, DeviceError, Launch, Plan, StageUpdate, Traces};
use crate::halo::Exchange;
use crate::physics::Shock;

/// The part of the cells that a sweep computes.
#[derive(Clone, Copy)]
enum Part {
    /// Cells that need nothing from other ranks.
    Interior,
    /// Cells with a neighbour on another rank.
    Frontier,
}

/// The right-hand side of the Navier-Stokes or the Euler equations.
pub(super) struct RightHandSide {
    /// Whether the gas is viscous.
    pub viscous: bool,
    /// Whether there are boundary faces, which have ghosts.
    ghosts: bool,
    /// Whether some ghosts hold the state of another rank, turned by a rotation.
    ghosts_of_halos: bool,
    /// The exchange with other ranks; `None` for a single rank.
    pub exchange: Option<Exchange>,
    /// Whether a wall is modelled.
    modelled_walls: bool,
    /// Passive scalars, if there are some.
    scalars: Option<ScalarStages>,
    /// Filter of the states after each stage.
    pub shock: Shock,
    /// The stages of a time step.
    pub stages: Vec<Stage>,
}

impl RightHandSide {
    /// Returns the right-hand side on the cells of a plan.
    pub fn new(settings: &Settings, plan: &Plan, exchange: Option<Exchange>) -> Self {
        let mut faces = plan.boundary_faces.iter();
        RightHandSide {
            viscous: settings.gas.viscosity.is_some(),
            ghosts: !plan.boundary_faces.is_empty(),
            ghosts_of_halos: faces.any(|face| matches!(face.exterior, Exterior::Remote { .. })),
            exchange,
            modelled_walls: settings.wall_models().any(|_| true),
            scalars: ScalarStages::of(settings),
            shock: settings.scheme.shock,
            stages: stages::of(settings.time_scheme),
        }
    }

    /// Evaluates the right-hand side of the input of a stage, and uses it as the stage prescribes.
    ///
    /// # Errors
    /// The device fails.
    pub fn evaluate(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        if self.viscous {
            self.navier_stokes(device, stage)?;
        } else {
            self.euler(device, stage)?;
        }
        match (&self.scalars, stage.update) {
            (None, _) | (_, StageUpdate::RhsOnly) => Ok(()),
            (Some(scalars), _) => scalars.advance(device, self.exchange.as_mut(), self.ghosts, stage),
        }
    }

    /// Evaluates the right-hand side of the state at the start of the step, which stays on the device. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn evaluate_alone(&mut self, device: &mut dyn Device) -> Result<(), DeviceError> {
        self.evaluate(device, Stage::RHS_ONLY)?;
        if self.viscous {
            return Ok(());
        }
        // The next exchange uses the same buffer again, with no viscous traces in between.
        self.meet(device)
    }

    /// Waits until the devices of all ranks are idle, if there are several. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn meet(&self, device: &mut dyn Device) -> Result<(), DeviceError> {
        self.exchange.as_ref().map_or(Ok(()), |exchange| exchange.meet(device))
    }

    fn navier_stokes(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        if self.modelled_walls {
            device.matching_states(stage.input)?;
        }
        self.start_exchange(device, Traces::States(stage.input))?;
        self.ghost_states(device, stage)?;
        self.viscous_traces(device, stage, Part::Interior)?;
        self.finish_exchange_of_states(device, stage)?;
        self.viscous_traces(device, stage, Part::Frontier)?;
        self.start_exchange(device, Traces::Viscous)?;
        self.ghost_traces(device, stage)?;
        self.divergence_and_update(device, stage, Part::Interior)?;
        self.finish_exchange_of_traces(device, stage)?;
        self.divergence_and_update(device, stage, Part::Frontier)
    }

    fn euler(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        self.start_exchange(device, Traces::States(stage.input))?;
        self.ghost_states(device, stage)?;
        self.divergence_and_update(device, stage, Part::Interior)?;
        self.finish_exchange_of_states(device, stage)?;
        self.divergence_and_update(device, stage, Part::Frontier)
    }

    fn start_exchange(&mut self, device: &mut dyn Device, traces: Traces) -> Result<(), DeviceError> {
        self.exchange.as_mut().map_or(Ok(()), |e| e.start(device, traces))
    }

    /// Waits for the states of other ranks, and writes the ghosts that hold them.
    fn finish_exchange_of_states(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        self.finish_exchange(device)?;
        if self.ghosts_of_halos {
            device.ghost_states(stage.input, stage.moment)
        } else {
            Ok(())
        }
    }

    /// Waits for the viscous traces of other ranks, and writes the ghosts that hold them.
    fn finish_exchange_of_traces(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        self.finish_exchange(device)?;
        if self.ghosts_of_halos {
            device.ghost_traces(stage.input, stage.moment)
        } else {
            Ok(())
        }
    }

    fn finish_exchange(&mut self, device: &mut dyn Device) -> Result<(), DeviceError> {
        self.exchange.as_mut().map_or(Ok(()), |e| e.finish(device))
    }

    fn ghost_states(&self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        if self.ghosts {
            let shares = stage.paired.map(|paired| paired.shares());
            device.ghost_states_and_relaxed(stage.input, stage.moment, stage.output, stage.update, shares)
        } else {
            Ok(())
        }
    }

    fn ghost_traces(&self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        if self.ghosts {
            device.ghost_traces(stage.input, stage.moment)
        } else {
            Ok(())
        }
    }

    /// Runs sweep 1: gradients, and the viscous traces of the cells.
    fn viscous_traces(&self, device: &mut dyn Device, stage: Stage, part: Part) -> Result<(), DeviceError> {
        let classes = stage.paired.map_or(Classes::ALL, |paired| paired.swept());
        match self.cells(part) {
            Some(cells) => device.sweep1(stage.input, (cells, classes)),
            None => Ok(()),
        }
    }

    /// Runs sweep 2: the divergence of the fluxes, and the update of the state. Then filters the new state.
    fn divergence_and_update(&self, device: &mut dyn Device, stage: Stage, part: Part) -> Result<(), DeviceError> {
        let Some(cells) = self.cells(part) else {
            return Ok(());
        };
        let of_part = |launch: Launch| launch.in_stage(stage.number).over(cells);
        let sweep2 = |update| of_part(Launch::sweep2(stage.input, stage.output, update, stage.moment));
        let filter = |update| of_part(Launch::filter(stage.input, stage.output, update));
        let filters = self.shock != Shock::None && stage.update != StageUpdate::RhsOnly;
        if let Some(paired) = &stage.paired {
            let resting = paired.resting().into_iter();
            let resting = resting.map(|(classes, share)| (classes, Launch::rest(stage.output, share)));
            let updated = paired.updates().map(|(classes, update)| (classes, sweep2(update)));
            let launches: Vec<_> = updated.chain(resting).collect();
            let within = |&(classes, launch): &(Classes, Launch)| of_part(launch.within(classes));
            device.launch(&launches.iter().map(within).collect::<Vec<_>>())?;
            let limited = |&(classes, _): &(Classes, Launch)| filter(stage.update).within(classes);
            return if filters {
                device.launch(&launches.iter().map(limited).collect::<Vec<_>>())
            } else {
                Ok(())
            };
        }
        device.launch(&[sweep2(stage.update)])?;
        if filters {
            device.launch(&[filter(stage.update)])
        } else {
            Ok(())
        }
    }

    /// Returns the cells of a part; `None` if there are none, as on the frontier of a single rank.
    fn cells(&self, part: Part) -> Option<Cells> {
        match (&self.exchange, part) {
            (None, Part::Interior) => Some(Cells::All),
            (None, Part::Frontier) => None,
            (Some(_), Part::Interior) => Some(Cells::Interior),
            (Some(_), Part::Frontier) => Some(Cells::Frontier),
        }
    }
}
