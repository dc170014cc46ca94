//! The right-hand side as a list of verbs, the same for one rank and for many.
//!
//! Two sweeps, each after the ghosts and the halos that it reads. Cells that need no halo are computed while the halos travel.
//! A rank alone has no neighbours: its exchanges do nothing, and all of its cells are computed at once.

use crate::device::Exterior;
use crate::device::{Buffer, Cells, Device, DeviceError, Plan, StageUpdate, Traces};
use crate::halo::Exchange;

/// One stage of a Runge-Kutta step, or a right-hand side by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    /// The state of which the right-hand side is taken.
    pub input: Buffer,
    /// Where the next state, or the right-hand side, goes.
    pub output: Buffer,
    /// What becomes of the right-hand side.
    pub update: StageUpdate,
    /// Time of the input as a share of the step.
    pub time: f64,
}

impl Stage {
    /// The right-hand side of the state at the start of the step, which stays on the device.
    pub const RHS_ONLY: Stage = Stage {
        input: Buffer::Start,
        output: Buffer::A,
        update: StageUpdate::RhsOnly,
        time: 0.0,
    };
}

/// The part of the cells that a sweep computes.
#[derive(Clone, Copy)]
enum Part {
    /// Cells that need nothing of other ranks.
    Interior,
    /// The others.
    Frontier,
}

/// The right-hand side of the Navier-Stokes or the Euler equations.
pub(super) struct RightHandSide {
    /// Whether the gas is viscous.
    pub viscous: bool,
    /// Whether there are boundary faces, which have ghosts.
    ghosts: bool,
    /// Whether some ghosts show the state of another rank, turned by a rotation.
    ghosts_of_halos: bool,
    /// The exchange with other ranks; `None` for a rank alone.
    pub exchange: Option<Exchange>,
}

impl RightHandSide {
    /// The right-hand side on the cells of a plan, without neighbours.
    pub fn new(viscous: bool, plan: &Plan) -> Self {
        let mut faces = plan.boundary_faces.iter();
        RightHandSide {
            viscous,
            ghosts: !plan.boundary_faces.is_empty(),
            ghosts_of_halos: faces.any(|face| matches!(face.exterior, Exterior::Remote { .. })),
            exchange: None,
        }
    }

    /// Evaluates the right-hand side of a stage's input and uses it as the stage says.
    pub fn evaluate(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        match self.viscous {
            true => self.navier_stokes(device, stage),
            false => self.euler(device, stage),
        }
    }

    fn navier_stokes(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
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

    /// Waits for the states of other ranks, and writes the ghosts that show them.
    fn finish_exchange_of_states(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        self.finish_exchange(device)?;
        match self.ghosts_of_halos {
            true => device.ghost_states(stage.input),
            false => Ok(()),
        }
    }

    /// Waits for the viscous traces of other ranks, and writes the ghosts that show them.
    fn finish_exchange_of_traces(&mut self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        self.finish_exchange(device)?;
        match self.ghosts_of_halos {
            true => device.ghost_traces(stage.input),
            false => Ok(()),
        }
    }

    fn finish_exchange(&mut self, device: &mut dyn Device) -> Result<(), DeviceError> {
        self.exchange.as_mut().map_or(Ok(()), |e| e.finish(device))
    }

    fn ghost_states(&self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        match self.ghosts {
            true => device.ghost_states(stage.input),
            false => Ok(()),
        }
    }

    fn ghost_traces(&self, device: &mut dyn Device, stage: Stage) -> Result<(), DeviceError> {
        match self.ghosts {
            true => device.ghost_traces(stage.input),
            false => Ok(()),
        }
    }

    /// Sweep 1: gradients, and the viscous traces of the cells.
    fn viscous_traces(&self, device: &mut dyn Device, stage: Stage, part: Part) -> Result<(), DeviceError> {
        match self.cells(part) {
            Some(cells) => device.sweep1(stage.input, cells),
            None => Ok(()),
        }
    }

    /// Sweep 2: the divergence of the fluxes, and the update of the state.
    fn divergence_and_update(&self, device: &mut dyn Device, stage: Stage, part: Part) -> Result<(), DeviceError> {
        match self.cells(part) {
            Some(cells) => device.sweep2(stage.input, stage.output, stage.update, cells),
            None => Ok(()),
        }
    }

    /// The cells of a part; `None` if there are none, as on the frontier of a rank alone.
    fn cells(&self, part: Part) -> Option<Cells> {
        match (&self.exchange, part) {
            (None, Part::Interior) => Some(Cells::All),
            (None, Part::Frontier) => None,
            (Some(_), Part::Interior) => Some(Cells::Interior),
            (Some(_), Part::Frontier) => Some(Cells::Frontier),
        }
    }
}
