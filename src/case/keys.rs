//! The keys of `run.yaml`: each once, with its type, unit, default and meaning.
//!
//! serde reads these structs, and the JSON schema and docs/case-keys.md are made from them; the doc comments are
//! therefore addressed to the user. Values are held as they are written; `resolve` evaluates and checks them. The keys
//! of the gas, the boundary conditions, the sub-grid model and the sources are in `physics`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::{Arithmetic, DeviceKind, Precision, Scheme};
use crate::halo::Transport;
use crate::input::{Axis, Count, Number, keys};
use crate::mesh::{BoxElements, WarpKind};
use crate::output::OutputKeys;
use crate::physics::{BoundaryKeys, ForcingKeys, GasKeys, SgsKeys, StateKeys};

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
    pub scheme: Scheme,
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
    /// The initial state, fields of x, y, z.
    pub initial: StateKeys,
    /// The checkpoint to continue from, relative to the working directory. `latest` is the newest complete checkpoint
    /// of the output directory; if there is none yet, the run begins from the initial state.
    pub restart: Option<String>,
    /// Boundary conditions by the name of the boundary. A box has the boundaries x-, x+, y-, y+, z-, z+ where it is not
    /// periodic; those of a mesh file are named by its physical groups.
    #[serde(default)]
    pub boundaries: BTreeMap<String, BoundaryKeys>,
    /// Volume sources, fields of x, y, z, t.
    #[serde(default)]
    pub forcing: ForcingKeys,
    /// Time integration.
    pub time: TimeKeys,
    /// What is written, where and when.
    #[serde(default)]
    pub output: OutputKeys,
}}

keys! {
/// The mesh: exactly one of `box` and `file`.
MeshKeys as "a mapping with the key `box` or `file`" {
    /// A box of cells.
    pub r#box: Option<BoxKeys>,
    /// Mesh file, from Gmsh (.msh) or `fr-les mesh` (.h5), relative to the case file.
    pub file: Option<String>,
    /// Pairs of boundaries of a Gmsh file to join, in addition to those that the file declares periodic.
    #[serde(default)]
    pub periodic: Vec<PeriodicKeys>,
}}

keys! {
/// Two boundaries with matching faces to be joined: exactly one of `translation` and `rotation`.
PeriodicKeys as "a mapping with the keys `from`, `to` and `translation` or `rotation`" {
    /// Name of the first boundary.
    pub from: String,
    /// Name of the second boundary.
    pub to: String,
    /// Translation that carries the first boundary to the second (length).
    pub translation: Option<[Number; 3]>,
    /// Rotation that carries the first boundary to the second.
    pub rotation: Option<RotationKeys>,
}}

keys! {
/// A rotation.
RotationKeys as "a mapping with the keys `axis` and `angle`" {
    /// Direction of the axis; the rotation is right-handed about it.
    pub axis: [Number; 3],
    /// A point of the axis (length).
    #[serde(default = "origin")]
    pub point: [Number; 3],
    /// Angle in degrees.
    pub angle: Number,
}}

keys! {
/// A box of cells.
BoxKeys as "a mapping with the keys `cells`, `lower`, `upper`" {
    /// Number of cubes in x, y, z, each at least 1.
    pub cells: [Count; 3],
    /// Lower corner (length).
    pub lower: [Number; 3],
    /// Upper corner (length), above the lower one.
    pub upper: [Number; 3],
    /// Directions that are periodic; the other sides need an entry in `boundaries`.
    #[serde(default)]
    pub periodic: Vec<Axis>,
    /// Elements into which the cubes of the box are divided; `mixed` needs an even number of cubes in every direction,
    /// at least 4 in x.
    #[serde(default)]
    pub elements: BoxElements,
    /// Clustering of the cells towards both ends of a direction; without it they are of one size.
    #[serde(default)]
    pub stretch: StretchKeys,
    /// Amplitude of a smooth distortion of the whole box, relative to its size, from 0 to below 0.5.
    #[serde(default = "no_warp")]
    pub warp: Number,
    /// How the distortion acts on the cells.
    #[serde(default)]
    pub warp_kind: WarpKind,
}}

keys! {
/// Clustering by direction.
#[derive(Default)]
StretchKeys as "a mapping of directions, as in `y: {tanh: 2}`" {
    /// In x.
    pub x: Option<StretchLawKeys>,
    /// In y.
    pub y: Option<StretchLawKeys>,
    /// In z.
    pub z: Option<StretchLawKeys>,
}}

keys! {
/// Law of the clustering.
StretchLawKeys as "a mapping with the key `tanh`" {
    /// Strength s of point n of N at (1 - tanh(s (1/2 - n/N))/tanh(s/2))/2 of the width; above 0, at most 20.
    pub tanh: Number,
}}

keys! {
#[derive(Default)]
/// The exchange between ranks.
ExchangeKeys as "a mapping with keys such as `transport`" {
    /// Transport of traces between GPUs. `auto` takes `peer` where the GPUs of one machine reach each other, each has
    /// one rank and a trial succeeds, and `staged` elsewhere. On CPUs all messages go through MPI.
    #[serde(default)]
    pub transport: Transport,
    /// Bytes of a message that goes through the host, from 4096 to 1073741824; default 1048576.
    pub piece: Option<Count>,
}}

keys! {
/// Time integration. At least one of `end` and `steps` is given, and not both of `cfl` and `dt`.
TimeKeys as "a mapping with keys such as `end` and `cfl`" {
    /// Time integrator.
    #[serde(default)]
    pub scheme: TimeScheme,
    /// Time at which the run ends, above 0.
    pub end: Option<Number>,
    /// Largest number of steps, at least 1.
    pub steps: Option<Count>,
    /// Step as a fraction of the limit of linear stability, above 0, at most 2 (above 1 is beyond linear theory);
    /// default 0.9 unless `dt` is given.
    pub cfl: Option<Number>,
    /// Fixed step (time), above 0.
    pub dt: Option<Number>,
    /// Kahan-compensated update of the state.
    #[serde(default = "kahan")]
    pub kahan: bool,
    /// Wall-clock time from the start of the program after which the run writes a checkpoint and ends with exit code 4:
    /// seconds above 0, or hours:minutes:seconds as in 23:50:00. Leave time for one step and the checkpoint.
    pub wall_clock: Option<Number>,
}}

/// Time integrator.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TimeScheme {
    /// Classical Runge-Kutta scheme of order 4.
    #[default]
    Rk4,
}

fn origin() -> [Number; 3] {
    [0.0, 0.0, 0.0].map(Number::from)
}

fn no_warp() -> Number {
    0.0.into()
}

fn kahan() -> bool {
    true
}
