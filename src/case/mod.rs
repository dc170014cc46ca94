//! The case: what the user asked for, read from `run.yaml`, checked, and resolved to plain numbers and fields.
//!
//! The rest of the solver sees only [`Case`]: every expression of `constants` is already a number, every field is an
//! evaluable [`Field`], every default is filled in, and everything that can be refused without building the mesh has
//! been refused, with the file, line, column and key in the message.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::input::{AXES, Every, Field};
use crate::mesh::PeriodicPair;
pub use cuts::{Reference, SliceOutput, SurfaceOutput};
pub use error::Error;
pub use output::{CheckpointOutput, DEFAULT_KEEP, Output, Restart, SolutionOutput, StatisticsOutput};
use read::Source;
pub use sampling::{Places, Probes, Spectra};
pub use schema::schema;
pub use sgs::{Sgs, SgsModel};

mod boundaries;
mod cuts;
mod de;
mod error;
mod keys;
mod output;
mod read;
mod resolve;
mod sampling;
mod schema;
mod sgs;
mod tree;

/// One run, fully resolved. Units are SI or any consistent set.
#[derive(Debug, Clone)]
pub struct Case {
    /// Title for logs and files.
    pub title: String,
    /// Path of the case file, as given.
    pub path: PathBuf,
    /// Full text of the case file, with one comment line per `--set` appended; written into every file as provenance.
    pub text: String,
    /// The mesh.
    pub mesh: MeshSource,
    /// Polynomial degree p, 1..=8.
    pub order: usize,
    /// Spatial scheme.
    pub scheme: Scheme,
    /// Precision of the state and of all kernels.
    pub precision: Precision,
    /// Strict (IEEE) or fast arithmetic.
    pub arithmetic: Arithmetic,
    /// Which kind of device runs the kernels.
    pub device: DeviceKind,
    /// Number of CPU threads; `None` takes all cores.
    pub threads: Option<usize>,
    /// How ranks exchange traces.
    pub exchange: Exchange,
    /// Whether a GPU replays recorded time steps; set by the command line, not by a key.
    pub graph: bool,
    /// The gas.
    pub gas: Gas,
    /// Sub-grid model.
    pub sgs: Option<Sgs>,
    /// The initial state.
    pub initial: Initial,
    /// What to continue from instead of the initial state.
    pub restart: Option<Restart>,
    /// Boundary conditions by boundary name.
    pub boundaries: BTreeMap<String, Boundary>,
    /// Volume sources.
    pub forcing: Forcing,
    /// Time integration.
    pub time: Time,
    /// What is written, where and when.
    pub output: Output,
    /// Where the keys stand, for what is found out about them later.
    source: Arc<Source>,
}

/// Where the mesh comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum MeshSource {
    /// A box, made at the start.
    Box(BoxMesh),
    /// A file.
    File {
        /// Its path.
        path: PathBuf,
        /// Pairs of boundaries to join.
        periodic: Vec<PeriodicPair>,
    },
}

/// A box of cells, optionally stretched and warped.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxMesh {
    /// Number of cells in x, y, z.
    pub cells: [usize; 3],
    /// Lower corner.
    pub lower: [f64; 3],
    /// Upper corner.
    pub upper: [f64; 3],
    /// Directions that are periodic.
    pub periodic: [bool; 3],
    /// What the cubes are divided into.
    pub elements: BoxElements,
    /// Per direction: `Some(lam)` clusters the points to both ends, y_n = (1 - tanh(lam (1/2 - n/N))/tanh(lam/2))/2.
    pub stretch: [Option<f64>; 3],
    /// Relative amplitude of a smooth distortion of the whole box (0: straight).
    pub warp: f64,
    /// Whether the distortion bends the cells or only moves their vertices (then cells stay trilinear).
    pub warp_kind: WarpKind,
}

/// What the cubes of a box are divided into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum BoxElements {
    /// Hexahedra: every cube is one.
    #[default]
    Hex,
    /// Two prisms a cube, along z.
    Prism,
    /// Six tetrahedra a cube.
    Tet,
    /// Six pyramids a cube, about its centre.
    Pyramid,
    /// All four kinds in a fixed pattern, in which every pair of kinds meets that can; an even number of cubes each way, 4 in x.
    Mixed,
}

/// How `warp` acts on cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarpKind {
    /// Cells are curved: every geometry node follows the distortion.
    #[default]
    Curved,
    /// Only the vertices follow it: cells are trilinear.
    Trilinear,
}

/// Spatial scheme.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a mapping with keys such as `split` and `riemann`"
)]
pub struct Scheme {
    /// Form of the convective derivative inside a cell.
    pub split: Split,
    /// Common convective flux at interfaces.
    pub riemann: Riemann,
    /// Correction function.
    pub correction: Correction,
}

/// Form of the convective derivative inside a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Divergence form.
    None,
    /// Kennedy-Gruber-Pirozzoli split form.
    #[default]
    KennedyGruber,
}

/// Common convective flux at interfaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Riemann {
    /// Roe with an entropy fix on the acoustic waves.
    #[default]
    Roe,
    /// HLLC.
    Hllc,
    /// Rusanov (local Lax-Friedrichs).
    Rusanov,
    /// The split form's own two-point flux, without upwinding: kinetic-energy preserving, for tests.
    Central,
}

/// Correction function of the flux reconstruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Correction {
    /// Radau polynomials: g_DG.
    #[default]
    Radau,
    /// Huynh's g_2, lumped Lobatto: only end points are corrected.
    Lobatto,
}

/// Floating-point format of state and kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 64 bit.
    #[default]
    Double,
    /// 32 bit.
    Single,
}

/// Arithmetic of the kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// The device's default.
    #[default]
    Auto,
    /// IEEE division and square root: the same bits on CPU and GPU.
    Strict,
    /// Approximate reciprocals where the device has them.
    Fast,
}

/// Kind of device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// A GPU where there is one, else the CPU.
    #[default]
    Auto,
    /// CPU cores.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// What brings traces from the GPU of one rank to that of another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// The fastest that works.
    #[default]
    Auto,
    /// Pinned memory of the host, and MPI; works everywhere.
    Staged,
    /// GPUs of one machine write into each other's memory; ranks on other machines are reached by way of the host.
    Peer,
    /// MPI is given addresses on the GPU; for an MPI library that is built for that.
    CudaAware,
}

/// Bytes of a message that may be asked for: below, messages cost more than what they carry; above, MPI cannot count them.
pub const PIECES: std::ops::RangeInclusive<u64> = 4096..=1 << 30;
/// Bytes of a message where nothing is asked for: small enough to overlap, large enough to reach full bandwidth.
pub const DEFAULT_PIECE: u64 = 1 << 20;

/// How ranks exchange traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exchange {
    /// What brings them.
    pub transport: Transport,
    /// Bytes of a message by way of the host.
    pub piece: usize,
}

/// A perfect gas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gas {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// Prandtl number.
    pub prandtl: f64,
    /// Specific gas constant R.
    pub gas_constant: f64,
    /// Viscosity law; `None` solves the Euler equations.
    pub viscosity: Option<Viscosity>,
}

/// Viscosity law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Viscosity {
    /// Constant dynamic viscosity.
    Constant(f64),
    /// mu_ref (T/T_ref)^1.5 (T_ref + S)/(T + S).
    Sutherland {
        /// Viscosity at the reference temperature.
        mu_ref: f64,
        /// Reference temperature.
        t_ref: f64,
        /// Sutherland temperature S.
        s: f64,
    },
}

/// The initial state as fields of x, y, z.
#[derive(Debug, Clone)]
pub struct Initial {
    /// Velocity components.
    pub velocity: [Field; 3],
    /// Static pressure.
    pub pressure: Field,
    /// Temperature or density.
    pub thermal: Thermal,
}

/// The second thermodynamic variable beside the pressure.
#[derive(Debug, Clone)]
pub enum Thermal {
    /// Static temperature.
    Temperature(Field),
    /// Density.
    Density(Field),
}

/// A boundary condition. Fields are of x, y, z, t.
#[derive(Debug, Clone)]
pub enum Boundary {
    /// Slip wall or symmetry plane: no flow through it, no shear, no heat.
    Slip,
    /// No-slip wall without heat flux, moving with `velocity`.
    NoSlipAdiabatic {
        /// Wall velocity.
        velocity: [Field; 3],
    },
    /// No-slip wall of given temperature, moving with `velocity`.
    NoSlipIsothermal {
        /// Wall velocity.
        velocity: [Field; 3],
        /// Wall temperature.
        temperature: Field,
    },
    /// Far field of given state, by characteristic variables.
    FarField(Initial),
    /// Supersonic inflow of given state.
    SupersonicInlet(Initial),
    /// Supersonic outflow: nothing is prescribed.
    SupersonicOutlet,
    /// Inflow from a reservoir.
    TotalInlet {
        /// Total pressure.
        pressure: Field,
        /// Total temperature.
        temperature: Field,
        /// Direction of the flow, of any length; `None` is normal to the boundary.
        direction: Option<[Field; 3]>,
    },
    /// Outflow of given static pressure.
    PressureOutlet {
        /// Static pressure.
        pressure: Field,
        /// Total temperature of gas that flows back; `None` takes the temperature of the initial state.
        temperature: Option<Field>,
    },
    /// Inflow of given velocity and temperature or density.
    VelocityInlet {
        /// Velocity.
        velocity: [Field; 3],
        /// Temperature or density.
        thermal: Thermal,
    },
}

impl Boundary {
    /// Whether it is a wall at which the gas sticks.
    pub fn is_no_slip(&self) -> bool {
        matches!(
            self,
            Boundary::NoSlipAdiabatic { .. } | Boundary::NoSlipIsothermal { .. }
        )
    }
}

/// Volume sources added to the right-hand side, per unit volume and time; fields of x, y, z, t. `None`: no source.
#[derive(Debug, Clone, Default)]
pub struct Forcing {
    /// Body force per unit volume; its work u . f is added to the energy.
    pub force: Option<[Field; 3]>,
    /// A force that holds the mass flow.
    pub mass_flow: Option<MassFlow>,
}

/// A uniform body force that holds the mass flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassFlow {
    /// Direction of the force: 0, 1, 2.
    pub direction: usize,
    /// Momentum over mass of the domain, in this direction.
    pub bulk_velocity: f64,
}

/// Time integration (classical RK4).
#[derive(Debug, Clone, PartialEq)]
pub struct Time {
    /// End time; at least one of `end` and `steps` is given.
    pub end: Option<f64>,
    /// Largest number of steps.
    pub steps: Option<u64>,
    /// Size of the step.
    pub step: TimeStep,
    /// Kahan-compensated update.
    pub kahan: bool,
    /// Time on the clock after which the run ends with a checkpoint.
    pub wall_clock: Option<Duration>,
}

/// How the time step is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeStep {
    /// Fixed.
    Fixed(f64),
    /// Fraction of the linear stability limit.
    Cfl(f64),
}
