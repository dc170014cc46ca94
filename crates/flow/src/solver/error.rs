//! Errors of the set-up of a case and of the advance of its state.

use std::path::PathBuf;

use thiserror::Error;

use crate::device::{CudaError, DeviceError};
use crate::element::ElementKind;
use crate::geometry::GeometryError;
use crate::halo::{SelfTestError, TransportError};
use crate::input::BadValue;
use crate::io;
use crate::mesh::{BoxError, MeshError, ReadError, TopologyProblem};

/// An error of the set-up of a case.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The box of the case cannot be built.
    #[error("mesh: {0}")]
    Box(#[from] BoxError),
    /// The mesh file cannot be used.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A boundary of the mesh has no condition.
    #[error("the boundary `{name}` of the mesh ({faces} faces) has no boundary condition; the mesh has {there}")]
    NoCondition {
        /// Name of the boundary.
        name: String,
        /// Number of its faces.
        faces: usize,
        /// Names of all boundaries of the mesh.
        there: String,
    },
    /// The case names a boundary that the mesh does not have.
    #[error("the mesh has no boundary `{name}`; it has {there}")]
    UnknownBoundary {
        /// The name in the case.
        name: String,
        /// Names of all boundaries of the mesh.
        there: String,
    },
    /// The case gives a condition to a boundary that a periodic pair has joined.
    #[error(
        "`{name}` is joined with `{other}`, as periodic boundaries are, and takes no condition; the mesh has {there} \
         (`fr-les mesh import --apart {name}:{other}` leaves apart what a file joins)"
    )]
    JoinedBoundary {
        /// The name in the case.
        name: String,
        /// The other boundary of the pair.
        other: String,
        /// Names of all boundaries of the mesh.
        there: String,
    },
    /// The two sides of an interface do not go together.
    #[error("{key}: {what}")]
    Interface {
        /// Key path.
        key: String,
        /// What is wrong.
        what: String,
    },
    /// A table is along the distance from walls, and the mesh has none.
    #[error(
        "{key}: a table along wall-distance needs a wall, and no boundary of this mesh is no-slip-adiabatic, \
         no-slip-isothermal or wall-model"
    )]
    NoWall {
        /// Key path of the group that has the table.
        key: String,
    },
    /// A relaxed boundary has no direction along which the domain has a length.
    #[error("boundaries.{name} faces all directions alike: give the `length` that its relaxation refers to")]
    NoLength {
        /// Name of the boundary.
        name: String,
    },
    /// The order is above the highest one of a kind of cell.
    #[error("order: {order} is above {most}, the highest order of {kind} cells")]
    Order {
        /// The order in the case.
        order: usize,
        /// The highest order of this kind of cell.
        most: usize,
        /// The kind of cell.
        kind: ElementKind,
    },
    /// The mesh has unusable cells.
    #[error("mesh: {0}")]
    Geometry(#[from] GeometryError),
    /// The case needs more memory than is available.
    #[error(
        "mesh: {points:.3e} solution points need about {needed:.2} GB to set up, and {available:.2} GB are available \
         {of}: fewer cells, a lower order, or precision: single"
    )]
    Memory {
        /// Solution points.
        points: f64,
        /// Gigabytes that the case needs.
        needed: f64,
        /// Gigabytes that are available.
        available: f64,
        /// What has them, as the end of a sentence.
        of: &'static str,
    },
    /// Bars do not fit into the mesh.
    #[error("{what}")]
    Bars {
        /// Path of the key of the case.
        key: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// A matching point of a modelled wall lies in no cell.
    #[error(
        "{key}: the point at {at}, {height} off the wall along its normal, lies outside of the mesh{}; give `exchange` \
         a smaller distance",
        if *rotates { " (the gas across sides that are periodic by a rotation is not sought)" } else { "" }
    )]
    MatchingPoint {
        /// Key path of `exchange`.
        key: String,
        /// Distance from the wall.
        height: f64,
        /// The point.
        at: String,
        /// Whether sides of the mesh are periodic by a rotation.
        rotates: bool,
    },
    /// A matching point of a modelled wall is too near to it.
    #[error(
        "{key}: the distance {height} is less than a thousandth of the height of the cell at {at}, {of_cell:.3e}, \
         which resolves no velocity there; give a distance of about that height, or `cell-top`"
    )]
    MatchingNear {
        /// Key path of `exchange`.
        key: String,
        /// Distance from the wall.
        height: f64,
        /// Height of the cell.
        of_cell: f64,
        /// A point of the wall.
        at: String,
    },
    /// A sponge does not go with the mesh, or with another one.
    #[error("{what}")]
    Sponges {
        /// Path of the key of the case.
        key: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// The mesh does not go with passive scalars.
    #[error("{0}")]
    Scalars(String),
    /// The mesh does not go with the rotating frame.
    #[error("{0}")]
    RotatingFrame(String),
    /// The device cannot be used.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// The self-test of the exchange between ranks failed.
    #[error("{0}")]
    Exchange(#[from] SelfTestError),
    /// There are more ranks than cells.
    #[error("{ranks} ranks cannot share {cells} cells: start one rank a cell at most, and better far fewer")]
    TooManyRanks {
        /// Number of ranks.
        ranks: usize,
        /// Number of cells of the mesh.
        cells: usize,
    },
    /// The transport that the case asks for is not available.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The turbulence of an inlet does not go with its mesh.
    #[error("{key}: {what}")]
    Turbulence {
        /// Key path in the case.
        key: String,
        /// What is wrong.
        what: String,
    },
    /// Another rank failed and reports the reason.
    #[error("rank {0} cannot set up the case")]
    OnOtherRank(usize),
    /// The file of the initial state cannot be used.
    #[error(transparent)]
    Initial(io::Error),
    /// The file of the initial state is of another domain.
    #[error(
        "{}: no solution point of this case lies in the mesh of this solution; the farthest is {distance:.3e} away",
        path.display()
    )]
    NoOverlap {
        /// The file.
        path: PathBuf,
        /// Largest distance of a solution point from the mesh of the file.
        distance: f64,
    },
    /// An initial or boundary value is not valid.
    #[error(transparent)]
    Value(#[from] BadValue),
}

impl SetupError {
    /// Returns whether the case needs more memory than the machine or its GPU has free.
    pub fn lacks_memory(&self) -> bool {
        matches!(
            self,
            SetupError::Memory { .. } | SetupError::Device(DeviceError::Cuda(CudaError::Memory { .. }))
        )
    }

    /// Returns the key of the case that the error is about, if there is one.
    pub fn key(&self) -> Option<String> {
        match self {
            SetupError::Geometry(GeometryError::OnOtherRank(_)) => None,
            SetupError::Box(_) | SetupError::Geometry(_) => Some("mesh".to_owned()),
            SetupError::Read(error) => Some(key_of_read(error).to_owned()),
            SetupError::NoCondition { name, .. }
            | SetupError::UnknownBoundary { name, .. }
            | SetupError::JoinedBoundary { name, .. }
            | SetupError::NoLength { name } => Some(format!("boundaries.{name}")),
            SetupError::Order { .. } => Some("order".to_owned()),
            SetupError::Initial(_) | SetupError::NoOverlap { .. } => Some("initial.file".to_owned()),
            SetupError::Value(value) => Some(value.key.clone()),
            SetupError::RotatingFrame(_) => Some("rotating-frame".to_owned()),
            SetupError::Scalars(_) => Some("scalars".to_owned()),
            SetupError::Turbulence { key, .. }
            | SetupError::Interface { key, .. }
            | SetupError::Bars { key, .. }
            | SetupError::Sponges { key, .. }
            | SetupError::MatchingPoint { key, .. }
            | SetupError::MatchingNear { key, .. }
            | SetupError::NoWall { key } => Some(key.clone()),
            SetupError::Transport(
                TransportError::NoPeers(_) | TransportError::NoNccl(_) | TransportError::NotCudaAware,
            ) => Some("exchange.transport".to_owned()),
            SetupError::Memory { .. }
            | SetupError::TooManyRanks { .. }
            | SetupError::Device(_)
            | SetupError::Transport(_)
            | SetupError::Exchange(_)
            | SetupError::OnOtherRank(_) => None,
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

/// An error of the advance of the state.
#[derive(Debug, Error)]
pub enum StepError {
    /// The device failed.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// Another rank failed and reports the reason.
    #[error("rank {0} failed")]
    OnOtherRank(usize),
    /// A boundary value is not valid at the present time.
    #[error(transparent)]
    Value(#[from] BadValue),
}

impl From<StepError> for SetupError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Device(error) => error.into(),
            StepError::OnOtherRank(rank) => SetupError::OnOtherRank(rank),
            StepError::Value(value) => value.into(),
        }
    }
}
