//! The keys of `run.yaml`: each once, with its type, unit, default and meaning.
//!
//! These structs are what serde reads and what the JSON schema and the table of keys are made from; the doc comments
//! are therefore addressed to the user. Values are still as written here; `resolve` evaluates and checks them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arithmetic, BoxElements, DeviceKind, Precision, Scheme, Transport, WarpKind};
use crate::input::{Axis, Count, Number, keys};
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
    /// Polynomial degree p of the solution, 1 to 8, or to 6 if there are other cells than hexahedra; the scheme is of
    /// order p + 1.
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
    /// How ranks exchange what they need of each other; without effect on the result.
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
    /// `latest` continues from the newest whole checkpoint of the output directory, or from the initial state where there
    /// is none yet; else the checkpoint to continue from, relative to the working directory.
    pub restart: Option<String>,
    /// Boundary conditions by the name of the boundary; a box has x-, x+, y-, y+, z-, z+ where it is not periodic, a
    /// mesh file the names of its physical groups.
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
    /// Boundaries of a Gmsh file to join pairwise, beyond those that the file itself says are periodic.
    #[serde(default)]
    pub periodic: Vec<PeriodicKeys>,
}}

keys! {
/// Two boundaries of equal faces that are one place: exactly one of `translation` and `rotation`.
PeriodicKeys as "a mapping with the keys `from`, `to` and `translation` or `rotation`" {
    /// Name of the first boundary.
    pub from: String,
    /// Name of the second boundary.
    pub to: String,
    /// What carries the first to the second (length).
    pub translation: Option<[Number; 3]>,
    /// The rotation that carries the first to the second.
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
    /// What the box's cubes are divided into; `mixed` needs an even number of cubes in every direction, at least 4 in x.
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
    /// What brings the traces of one GPU to another. `auto` takes `peer` wherever GPUs of one machine reach each other, each
    /// has one rank, and a trial succeeds, and elsewhere `staged`. On CPUs all goes through MPI.
    #[serde(default)]
    pub transport: Transport,
    /// Bytes of a message that goes by way of the host, 4096 to 1073741824; 1048576 if not given.
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
    /// Time on the clock, from the start of the program, after which the run writes a checkpoint and ends with exit code
    /// 4: seconds above 0, or hours:minutes:seconds as in 23:50:00. Leave room for one step and the checkpoint.
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
