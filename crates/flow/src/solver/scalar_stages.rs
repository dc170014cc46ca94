//! A stage of the passive scalars, which follows that of the flow: it reads the input of the flow's stage with its
//! halos and ghosts, which are still there, and in the end the density that the flow has in the output.

use super::Settings;
use super::stages::Stage;
use crate::device::contract::Kernel;
use crate::device::{Device, DeviceError, Launch, Traces};
use crate::halo::Exchange;

/// What the stages of passive scalars do.
pub(super) struct ScalarStages {
    /// Whether they diffuse.
    viscous: bool,
    /// Whether a sub-grid model adds to their diffusion.
    eddy: bool,
}

impl ScalarStages {
    /// Returns the stages of the scalars of a case; `None` if it has none.
    pub fn of(settings: &Settings) -> Option<Self> {
        (!settings.scalars.is_empty()).then(|| ScalarStages {
            viscous: settings.gas.viscosity.is_some(),
            eddy: settings.sgs.is_some(),
        })
    }

    /// Advances the scalars by a stage. `ghosts` says whether there are boundary faces. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn advance(
        &self,
        device: &mut dyn Device,
        mut exchange: Option<&mut Exchange>,
        ghosts: bool,
        stage: Stage,
    ) -> Result<(), DeviceError> {
        let over = |kernel| {
            Launch::new(kernel)
                .of(stage.input)
                .at(stage.moment)
                .in_stage(stage.number)
        };
        let mut bring = |device: &mut dyn Device, traces| match &mut exchange {
            None => Ok(()),
            Some(exchange) => {
                exchange.start(device, traces)?;
                exchange.finish(device)
            }
        };
        bring(device, Traces::Scalars(stage.input))?;
        if ghosts {
            device.launch(&[over(Kernel::ScalarGhosts)])?;
        }
        if self.viscous {
            if self.eddy {
                device.launch(&[over(Kernel::EddyViscosities)])?;
            }
            device.launch(&[over(Kernel::ScalarSweep1)])?;
            bring(device, Traces::ScalarFluxes)?;
            if ghosts {
                device.launch(&[over(Kernel::ScalarGhostTraces)])?;
            }
        }
        device.launch(&[over(Kernel::ScalarSweep2).into(stage.output, stage.update)])?;
        device.launch(&[Launch::new(Kernel::ScalarClosure).of(stage.output)])
    }
}
