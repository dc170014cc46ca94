//! Why a case cannot be set up, and why a run ends early.

use thiserror::Error;

use super::divergence::Extent;
use crate::case::{self, Case};
use crate::device::DeviceError;
use crate::element::ElementKind;
use crate::geometry::GeometryError;
use crate::halo::{TransportError, TrialError};
use crate::input::BadValue;
use crate::io;
use crate::mesh::{BoxError, MeshError, ReadError, TopologyProblem};
use crate::words::{place, shown};

/// Why a case cannot be set up.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The box cannot be built.
    #[error("mesh: {0}")]
    Box(#[from] BoxError),
    /// The mesh file cannot be used.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A boundary of the mesh has no condition.
    #[error("the boundary `{name}` of the mesh ({faces} faces) has no boundary condition; the mesh has {there}")]
    Unnamed {
        /// The boundary.
        name: String,
        /// Its faces.
        faces: usize,
        /// All boundaries of the mesh.
        there: String,
    },
    /// The case names a boundary that the mesh does not have.
    #[error("the mesh has no boundary `{name}`; it has {there}")]
    Unknown {
        /// What the case names.
        name: String,
        /// All boundaries of the mesh.
        there: String,
    },
    /// The case names a boundary that is none any more.
    #[error(
        "`{name}` is joined with `{other}`, as periodic boundaries are, and takes no condition; the mesh has {there}"
    )]
    Joined {
        /// What the case names.
        name: String,
        /// The boundary on its other side.
        other: String,
        /// All boundaries of the mesh.
        there: String,
    },
    /// The elements do not go up to the order.
    #[error("order: {order} is above {most}, the highest order of {kind} cells")]
    Order {
        /// What the case asks for.
        order: usize,
        /// What there is.
        most: usize,
        /// The kind of cell.
        kind: ElementKind,
    },
    /// The mesh has unusable cells.
    #[error("mesh: {0}")]
    Geometry(#[from] GeometryError),
    /// The case does not fit.
    #[error(
        "mesh: {points:.3e} solution points need about {needed:.1} GB to set up, and {available:.1} GB are available: \
         fewer cells, a lower order, or precision: single"
    )]
    Memory {
        /// Solution points.
        points: f64,
        /// Gigabytes needed.
        needed: f64,
        /// Gigabytes available.
        available: f64,
    },
    /// The device cannot be used.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// The exchange between ranks cannot be trusted.
    #[error("{0}")]
    Exchange(#[from] TrialError),
    /// More ranks than cells.
    #[error("{ranks} ranks cannot share {cells} cells: start one rank a cell at most, and better far fewer")]
    Ranks {
        /// How many ranks were started.
        ranks: usize,
        /// How many cells the mesh has.
        cells: usize,
    },
    /// The case asks for a transport between ranks that cannot be had.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// Another rank failed, and says why.
    #[error("rank {0} cannot set up the case")]
    Elsewhere(usize),
    /// An initial value or one of a boundary means nothing.
    #[error(transparent)]
    Value(#[from] BadValue),
}

impl SetupError {
    /// The key of the case that it is about, if it is one that can be pointed at.
    fn key(&self) -> Option<String> {
        match self {
            SetupError::Geometry(GeometryError::Elsewhere(_)) => None,
            SetupError::Box(_) | SetupError::Geometry(_) => Some("mesh".to_owned()),
            SetupError::Read(error) => Some(key_of_read(error).to_owned()),
            SetupError::Unnamed { name, .. } | SetupError::Unknown { name, .. } | SetupError::Joined { name, .. } => {
                Some(format!("boundaries.{name}"))
            }
            SetupError::Order { .. } => Some("order".to_owned()),
            SetupError::Value(value) => Some(value.key.clone()),
            SetupError::Transport(TransportError::NoPeers(_) | TransportError::NotAware) => {
                Some("exchange.transport".to_owned())
            }
            SetupError::Memory { .. }
            | SetupError::Ranks { .. }
            | SetupError::Device(_)
            | SetupError::Transport(_)
            | SetupError::Exchange(_)
            | SetupError::Elsewhere(_) => None,
        }
    }

    /// The same as an error of the case, with the line that has to be corrected; what has none comes back.
    pub fn in_case(self, case: &Case) -> Result<case::Error, SetupError> {
        match self.key() {
            Some(key) => Ok(case.refuse(&key, self.to_string())),
            None => Err(self),
        }
    }
}

fn key_of_read(error: &ReadError) -> &'static str {
    match error {
        ReadError::Periodic(_) => "mesh.periodic",
        ReadError::Gmsh(MeshError::Topology { problem, .. }) => match **problem {
            TopologyProblem::UnknownBoundary { .. } | TopologyProblem::PeriodicTwice(_) => "mesh.periodic",
            _ => "mesh.file",
        },
        _ => "mesh.file",
    }
}

/// Why the state cannot be advanced.
#[derive(Debug, Error)]
pub enum StepError {
    /// The device failed.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// Another rank failed, and says why.
    #[error("rank {0} failed")]
    Elsewhere(usize),
    /// A value of a boundary means nothing any more.
    #[error(transparent)]
    Value(#[from] BadValue),
}

impl From<StepError> for SetupError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Device(error) => error.into(),
            StepError::Elsewhere(rank) => SetupError::Elsewhere(rank),
            StepError::Value(value) => value.into(),
        }
    }
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError {
    /// The state is not physical any more.
    #[error(
        "diverged at step {step}, t = {}: {what} = {value:.4e} in {cell} at {}\n  {extent}\n  \
         last good output: {last_output}\n  \
         help: a smaller cfl or dt, a finer mesh, split: kennedy-gruber if it is not on", shown(*time), place(*at)
    )]
    Diverged {
        /// Step at which it was seen, at most ten after it happened.
        step: u64,
        /// Its time.
        time: f64,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Cell, by number, and by tag if it has one.
        cell: String,
        /// Coordinates of the point.
        at: [f64; 3],
        /// How far it has spread.
        extent: Box<Extent>,
        /// File or 'none'.
        last_output: String,
    },
    /// The same, but in a cell of another rank, which says where.
    #[error("diverged at step {step}")]
    DivergedElsewhere {
        /// Step at which it was seen.
        step: u64,
    },
    /// The run cannot continue from what it was told to.
    #[error("restart: {0}")]
    Restart(io::Error),
    /// Means cannot be taken over the directions that the case names.
    #[error("{0}")]
    Average(String),
    /// Another rank failed, and says why.
    #[error("another rank failed")]
    Elsewhere,
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The state is wanted where it cannot be had.
    #[error("{what}")]
    Place {
        /// The key of the case that asks for it.
        key: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// The directory of the output cannot be written to.
    #[error("{0}")]
    Directory(io::Error),
    /// The device failed.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// The device failed during the run.
    #[error(
        "the device failed at step {step} or up to ten before, t = {}: {error}\n  last good output: {last_output}",
        shown(*time)
    )]
    Stopped {
        /// Step at which it was seen.
        step: u64,
        /// Its time.
        time: f64,
        /// What the device says.
        error: Box<DeviceError>,
        /// File or 'none'.
        last_output: String,
    },
    /// A value of a boundary means nothing any more.
    #[error("{value}\n  last good output: {last_output}")]
    Value {
        /// The value.
        value: Box<BadValue>,
        /// File or 'none'.
        last_output: String,
    },
}

impl RunError {
    /// The same as an error of the case, with the line that has to be corrected; what has none comes back.
    pub fn in_case(self, case: &Case) -> Result<case::Error, RunError> {
        match self {
            RunError::Value { value, last_output } => Ok(case
                .refuse(&value.key, value.to_string())
                .help(&format!("last good output: {last_output}"))),
            RunError::Average(what) => Ok(case.refuse("output.statistics.average", what)),
            RunError::Place { key, what } => Ok(case.refuse(&key, what)),
            RunError::Directory(error) => Ok(case.refuse("output.directory", error.to_string())),
            // Where another rank failed, that one says it.
            RunError::Restart(error) if !matches!(error, io::Error::Elsewhere { .. }) => {
                Ok(case.refuse("restart", error.to_string()))
            }
            other => Err(other),
        }
    }
}
