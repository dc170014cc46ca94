//! Why a case cannot be set up, and why its state cannot be advanced.

use thiserror::Error;

use crate::device::DeviceError;
use crate::element::ElementKind;
use crate::geometry::GeometryError;
use crate::halo::{TransportError, TrialError};
use crate::input::BadValue;
use crate::mesh::{BoxError, MeshError, ReadError, TopologyProblem};

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
    /// The key of the case that the error is about, if it can be pointed at.
    pub fn key(&self) -> Option<String> {
        match self {
            SetupError::Geometry(GeometryError::OnOtherRank(_)) => None,
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
