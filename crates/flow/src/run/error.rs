//! Errors that end a run early.

use thiserror::Error;

use super::divergence::{Place, When};
use crate::device::DeviceError;
use crate::format::physical_time;
use crate::io;
use crate::output::OutputError;
use crate::solver::BadValue;

/// An error that ends a run early.
#[derive(Debug, Error)]
pub enum RunError {
    /// The state is not physical any more.
    #[error(
        "diverged at {when}: density or pressure is not a positive number in {} at {}\n  {}\n{}  near: {}\n{}{}  \
         last good output: {last_output}\n  \
         help: {}{}",
        place.cell, place.at, place.states,
        match place.lost {
            [cells, all] if cells > 0 && !filters => format!(
                "  {cells} of {all} cells have no number left now; without `scheme.shock` no earlier state is kept\n"
            ),
            _ => String::new(),
        },
        place.near,
        tried.as_ref().map_or_else(String::new, |tried| format!("  tried: {tried}\n")),
        file.as_ref().map_or_else(String::new, |file| format!("  the cells around it: {file}\n")),
        if *filters {
            "a finer mesh, a smaller cfl or dt, or boundaries that agree with the flow"
        } else {
            "`scheme.shock: positivity` damps such a cell, takes the steps back if that does not help, and repeats \
             them with 1/2 to 1/64 of the time step; a checkpoint can be continued with it. Or take a smaller cfl or \
             dt, or a finer mesh"
        },
        if *bars {
            "; bars need cells that resolve their wakes, or a longer `ramp`"
        } else {
            ""
        }
    )]
    Diverged {
        /// The step and the stage that left the state unphysical, and the step at which this was found.
        when: When,
        /// The cell and what is known of it.
        place: Box<Place>,
        /// What was tried to save the run.
        tried: Option<String>,
        /// Whether the states are filtered, and steps taken back.
        filters: bool,
        /// The file with the cells around it, if it could be written.
        file: Option<String>,
        /// Path of the file, or 'none'.
        last_output: String,
        /// Whether the case has bars.
        bars: bool,
    },
    /// The state is not physical in a cell of another rank, which reports the details.
    #[error("diverged at step {step}")]
    DivergedOnOtherRank {
        /// The step that left it so.
        step: u64,
    },
    /// The run cannot continue from the given checkpoint.
    #[error("restart: {0}")]
    Restart(io::Error),
    /// Another rank failed and reports the reason.
    #[error("another rank failed")]
    OnOtherRank,
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The mesh does not have what an output asks for.
    #[error("{what}")]
    Refused {
        /// Path of the key of the case.
        key: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// The output directory cannot be written to.
    #[error("{0}")]
    Directory(io::Error),
    /// The device failed.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// The device failed during the run.
    #[error(
        "the device failed at step {step} or up to ten before, t = {}: {error}\n  last good output: {last_output}",
        physical_time(*time)
    )]
    Stopped {
        /// Step at which the failure was found.
        step: u64,
        /// Its time.
        time: f64,
        /// The error of the device.
        error: Box<DeviceError>,
        /// Path of the file, or 'none'.
        last_output: String,
    },
    /// A boundary value is not valid at the present time.
    #[error("{value}\n  last good output: {last_output}")]
    Value {
        /// The value.
        value: Box<BadValue>,
        /// Path of the file, or 'none'.
        last_output: String,
    },
}

impl From<OutputError> for RunError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Refused { key, what } => RunError::Refused { key, what },
            OutputError::Io(error) => RunError::Io(error),
            OutputError::Device(error) => RunError::Device(error),
            OutputError::OnOtherRank => RunError::OnOtherRank,
        }
    }
}
