//! The keys of run.yaml, each once: its type, unit, default and meaning. The JSON schema is derived from these structs, so
//! editors show the same words. Units are SI, or any consistent set.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::number::Number;
use super::{Arithmetic, Correction, DeviceKind, Precision, Riemann, Split, WarpKind};

/// A case of fr-les.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Keys {
    /// Title for logs and files.
    #[serde(default)]
    pub title: String,
    /// The mesh.
    pub mesh: MeshKeys,
    /// Polynomial degree p of the solution, 1 to 8.
    pub order: usize,
    /// Spatial scheme.
    #[serde(default)]
    pub scheme: SchemeKeys,
    /// Floating-point format of the state and of the kernels: double (default) or single.
    #[serde(default = "double")]
    pub precision: Precision,
    /// strict: IEEE division and root, the same bits on CPU and GPU. fast: approximate where the device has it. auto (default):
    /// strict on the CPU.
    #[serde(default = "auto_arithmetic")]
    pub arithmetic: Arithmetic,
    /// auto (default), cpu or cuda.
    #[serde(default = "auto_device")]
    pub device: DeviceKind,
    /// Number of CPU threads; all cores by default.
    pub threads: Option<usize>,
    /// Named numbers, which may refer to each other and to pi; usable in every number and field.
    #[serde(default)]
    pub constants: BTreeMap<String, Number>,
    /// The gas.
    #[serde(default)]
    pub gas: GasKeys,
    /// The initial state, as fields of x, y, z.
    pub initial: StateKeys,
    /// Boundary conditions by name of the boundary; the sides of a box that are not periodic are x-, x+, y-, y+, z-, z+.
    #[serde(default)]
    pub boundaries: BTreeMap<String, BoundaryKeys>,
    /// Volume sources.
    #[serde(default)]
    pub forcing: ForcingKeys,
    /// Time integration.
    pub time: TimeKeys,
    /// What is written, where and when.
    #[serde(default)]
    pub output: OutputKeys,
}

fn double() -> Precision {
    Precision::Double
}

fn single() -> Precision {
    Precision::Single
}

fn auto_arithmetic() -> Arithmetic {
    Arithmetic::Auto
}

fn auto_device() -> DeviceKind {
    DeviceKind::Auto
}

/// The mesh.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeshKeys {
    /// A box of cells.
    #[serde(rename = "box")]
    pub box_mesh: BoxKeys,
}

/// A box of cells.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoxKeys {
    /// Number of cells in x, y, z.
    pub cells: [usize; 3],
    /// Lower corner, length.
    pub lower: [Number; 3],
    /// Upper corner, length.
    pub upper: [Number; 3],
    /// Periodic directions, for example [x, z]; none by default.
    #[serde(default)]
    pub periodic: Vec<Axis>,
    /// Cell shape: hex (default).
    #[serde(default, rename = "elements")]
    pub _elements: Elements,
    /// Clustering of the cells per direction; uniform by default.
    #[serde(default)]
    pub stretch: BTreeMap<Axis, StretchKeys>,
    /// Largest slope of a smooth distortion of the whole box, 0 (default) to below 0.5.
    #[serde(default)]
    pub warp: Number,
    /// Whether the distortion bends the cells (curved, default) or moves their vertices only (trilinear).
    #[serde(default = "curved")]
    pub warp_kind: WarpKind,
}

fn curved() -> WarpKind {
    WarpKind::Curved
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// First direction.
    X,
    /// Second direction.
    Y,
    /// Third direction.
    Z,
}

/// Cell shape.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Elements {
    /// Hexahedra.
    #[default]
    Hex,
}

/// Clustering of cells.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StretchKeys {
    /// Clustering lam to both ends: y_n/L = (1 - tanh(lam (1/2 - n/N))/tanh(lam/2))/2.
    pub tanh: Number,
}

/// Spatial scheme.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SchemeKeys {
    /// Convective derivative inside a cell: kennedy-gruber (default) or none (divergence form).
    pub split: Split,
    /// Common convective flux: roe (default), hllc, rusanov, or central (no upwinding, for tests).
    pub riemann: Riemann,
    /// Correction function: radau (default) or lobatto.
    pub correction: Correction,
}

impl Default for SchemeKeys {
    fn default() -> Self {
        SchemeKeys {
            split: Split::KennedyGruber,
            riemann: Riemann::Roe,
            correction: Correction::Radau,
        }
    }
}

/// A perfect gas.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GasKeys {
    /// Ratio of specific heats, 1.4 by default.
    pub gamma: Number,
    /// Prandtl number, 0.71 by default.
    pub prandtl: Number,
    /// Specific gas constant, 1.0 by default.
    pub gas_constant: Number,
    /// Viscosity law; without it the Euler equations are solved.
    pub viscosity: Option<ViscosityKeys>,
}

impl Default for GasKeys {
    fn default() -> Self {
        GasKeys {
            gamma: Number::from(1.4),
            prandtl: Number::from(0.71),
            gas_constant: Number::from(1.0),
            viscosity: None,
        }
    }
}

/// Viscosity law, one of the two.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ViscosityKeys {
    /// Constant dynamic viscosity.
    pub constant: Option<Number>,
    /// Sutherland's law.
    pub sutherland: Option<SutherlandKeys>,
}

/// mu = mu-ref (T/t-ref)^1.5 (t-ref + s)/(T + s).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SutherlandKeys {
    /// Viscosity at the reference temperature.
    pub mu_ref: Number,
    /// Reference temperature.
    pub t_ref: Number,
    /// Sutherland temperature.
    pub s: Number,
}

/// A state as fields of position (and of time, at boundaries).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StateKeys {
    /// Velocity in x.
    pub u: Number,
    /// Velocity in y.
    pub v: Number,
    /// Velocity in z.
    pub w: Number,
    /// Static pressure.
    pub p: Number,
    /// Static temperature; this or rho.
    pub temperature: Option<Number>,
    /// Density; this or temperature.
    pub rho: Option<Number>,
}

/// A boundary condition. Which keys it takes depends on its type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoundaryKeys {
    /// slip or symmetry; no-slip-adiabatic; no-slip-isothermal; far-field.
    #[serde(rename = "type")]
    pub kind: BoundaryType,
    /// Walls: velocity of the wall, [0, 0, 0] by default; fields of x, y, z, t.
    pub velocity: Option<[Number; 3]>,
    /// Isothermal wall: its temperature. Far field: outer temperature; this or rho.
    pub temperature: Option<Number>,
    /// Far field: outer density; this or temperature.
    pub rho: Option<Number>,
    /// Far field: outer velocity in x.
    pub u: Option<Number>,
    /// Far field: outer velocity in y.
    pub v: Option<Number>,
    /// Far field: outer velocity in z.
    pub w: Option<Number>,
    /// Far field: outer static pressure.
    pub p: Option<Number>,
}

/// Type of a boundary condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryType {
    /// Slip wall.
    Slip,
    /// Symmetry plane; the same as slip.
    Symmetry,
    /// No-slip wall without heat flux.
    NoSlipAdiabatic,
    /// No-slip wall of given temperature.
    NoSlipIsothermal,
    /// Far field: the interface flux is taken against a given outer state.
    FarField,
}

/// Volume sources.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ForcingKeys {
    /// Body force per unit volume, fields of x, y, z, t; its work is added to the energy.
    pub force: Option<[Number; 3]>,
}

/// Time integration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TimeKeys {
    /// Scheme: rk4 (default).
    #[serde(default, rename = "scheme")]
    pub _scheme: TimeScheme,
    /// End time.
    pub end: Option<Number>,
    /// Largest number of steps; end, steps or both.
    pub steps: Option<u64>,
    /// Time step as a share of the linear stability limit, 0.9 by default; above 1 is beyond linear theory.
    pub cfl: Option<Number>,
    /// Fixed time step, instead of cfl.
    pub dt: Option<Number>,
    /// Kahan-compensated update, true by default; false saves five values a point.
    #[serde(default = "yes")]
    pub kahan: bool,
}

fn yes() -> bool {
    true
}

/// Time integration scheme.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeScheme {
    /// Classical four-stage Runge-Kutta.
    #[default]
    Rk4,
}

/// What is written.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OutputKeys {
    /// Directory of all files, `results` by default.
    pub directory: Option<String>,
    /// Solution files that ParaView opens.
    pub solution: Option<SolutionKeys>,
    /// Integrals over the domain, as a CSV series.
    pub integrals: Option<EveryKeys>,
}

/// Solution files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SolutionKeys {
    /// Period in time; this or every-steps.
    pub every: Option<Number>,
    /// Period in steps.
    pub every_steps: Option<u64>,
    /// Precision in the file, single by default.
    #[serde(default = "single")]
    pub precision: Precision,
}

/// A period.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EveryKeys {
    /// Period in time; this or every-steps.
    pub every: Option<Number>,
    /// Period in steps.
    pub every_steps: Option<u64>,
}
