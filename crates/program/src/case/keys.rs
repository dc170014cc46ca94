//! The keys of `run.yaml`: each once, with its type, unit, default and meaning.
//!
//! serde reads these structs, and the JSON schema and docs/reference/case-keys.md are made from them; the doc comments
//! are therefore addressed to the user. Values are held as they are written; `resolve` evaluates and checks them. The
//! keys of the mesh, the gas, the boundary conditions, the exchange, the time step and the outputs are in their rooms.

use std::collections::BTreeMap;

use crate::device::{Arithmetic, DeviceKind, Precision, SchemeKeys};
use crate::halo::ExchangeKeys;
use crate::input::{Count, Number, keys};
use crate::mesh::MeshKeys;
use crate::output::OutputKeys;
use crate::physics::{
    BarKeys, BoundaryKeys, ForcingKeys, GasKeys, InitialKeys, RotatingFrameKeys, ScalarKeys, SgsKeys, SpongeKeys,
};
use crate::run::TimeKeys;
use crate::steady::SteadyKeys;

keys! {
#[schemars(title = "fr-les case")]
/// A run of fr-les. Units are SI or any consistent set; every number may be an expression.
CaseKeys as "a mapping of keys such as `mesh` and `order`" {
    /// Title for logs and files.
    #[serde(default)]
    pub title: String,
    /// The mesh.
    pub mesh: MeshKeys,
    /// Polynomial degree p of the solution, from 1 to 8, or to 6 if the mesh has cells other than hexahedra. The scheme
    /// is of order p + 1.
    pub order: Count,
    /// The spatial scheme.
    #[serde(default)]
    pub scheme: SchemeKeys,
    /// Precision of the state and of all kernels.
    #[serde(default)]
    pub precision: Precision,
    /// Strict (IEEE) or fast arithmetic of the kernels.
    #[serde(default)]
    pub arithmetic: Arithmetic,
    /// Which kind of device runs the kernels.
    #[serde(default)]
    pub device: DeviceKind,
    /// Number of CPU threads, 1 to 1024; without it all cores are used.
    pub threads: Option<Count>,
    /// How ranks exchange data. It has no effect on the result.
    #[serde(default)]
    pub exchange: ExchangeKeys,
    /// Numbers by name, for use in expressions; they may refer to each other in any order.
    #[serde(default)]
    pub constants: BTreeMap<String, Number>,
    /// The gas.
    #[serde(default)]
    pub gas: GasKeys,
    /// Sub-grid model of a large-eddy simulation; without it none is used.
    pub sgs: Option<SgsKeys>,
    /// The initial state: fields of x, y, z, the start of a channel or of isotropic turbulence, or the solution of
    /// another mesh or order.
    pub initial: InitialKeys,
    /// The checkpoint to continue from, relative to the case file. `latest` is the newest complete checkpoint
    /// of the output directory; if that has no results yet, the run begins from the initial state. A solution
    /// (`solution_0012.vtkhdf`) of the same mesh serves as well, but has the state alone.
    pub restart: Option<String>,
    /// Boundary conditions by the name of the boundary. A box has the boundaries x-, x+, y-, y+, z-, z+ where it is not
    /// periodic; those of a mesh file are named by its physical groups.
    #[serde(default)]
    pub boundaries: BTreeMap<String, BoundaryKeys>,
    /// Volume sources, fields of x, y, z, t.
    #[serde(default)]
    pub forcing: ForcingKeys,
    /// Rows of bars that move through the mesh or rest in it, by name (letters, digits, `_`, `-`).
    #[serde(default)]
    pub bars: BTreeMap<String, BarKeys>,
    /// Sponge layers by name: regions in which the state is driven towards a given one or towards its running mean.
    #[serde(default)]
    pub sponges: BTreeMap<String, SpongeKeys>,
    /// Passive scalars by name (letters, digits, `_`, `-`), at most four: what the flow carries and does not feel.
    #[serde(default)]
    pub scalars: BTreeMap<String, ScalarKeys>,
    /// A rotating frame of reference, in which the mesh is at rest.
    pub rotating_frame: Option<RotatingFrameKeys>,
    /// Time integration.
    pub time: TimeKeys,
    /// The steady solution of the same case.
    pub steady: Option<SteadyKeys>,
    /// What is written, where and when.
    #[serde(default)]
    pub output: OutputKeys,
}}
