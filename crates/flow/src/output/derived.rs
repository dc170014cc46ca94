//! Fields that follow from the state and its gradients: vorticity, Q, Mach number, entropy and others.
//!
//! They are computed at the points of a cell from the polynomials of the cell alone, and then interpolated as the state
//! is. A field of higher degree than the solution, as Q, is the polynomial through its values at the points.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::{Primitives, primitives_of};
use super::keys::Context;
use crate::device::DeviceError;
use crate::element::Elements;
use crate::geometry::{Geometry, gradient};
use crate::input::Problem;
use crate::io::NamedField;
use crate::physics::Gas;
use crate::solver::Solver;

/// A field that follows from the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Derived {
    /// The curl of the velocity.
    Vorticity,
    /// Half the square of the rotation rate less that of the strain rate.
    QCriterion,
    /// Mach number.
    Mach,
    /// Specific entropy, cv ln(p/rho^gamma); only its differences have a meaning.
    Entropy,
    /// Total pressure: that of the gas at rest after an isentropic change.
    TotalPressure,
    /// Total temperature.
    TotalTemperature,
    /// Gradient of the velocity: du/dx, du/dy, du/dz, dv/dx and so on.
    VelocityGradient,
    /// Gradient of the density.
    DensityGradient,
    /// Gradient of the pressure.
    PressureGradient,
    /// Eddy viscosity of the sub-grid model (`sgs`), as the scheme adds it to the viscosity of the gas.
    MuT,
    /// How far the filter of `scheme.shock` took the cell to its mean in the last step, from 0 (untouched) to 1.
    Filter,
}

/// Number of components of a tensor.
const MOST: usize = 9;

impl Derived {
    /// Returns name and number of components in files.
    pub fn name(self) -> (&'static str, usize) {
        match self {
            Derived::Vorticity => ("vorticity", 3),
            Derived::QCriterion => ("q_criterion", 1),
            Derived::Mach => ("mach", 1),
            Derived::Entropy => ("entropy", 1),
            Derived::TotalPressure => ("total_pressure", 1),
            Derived::TotalTemperature => ("total_temperature", 1),
            Derived::VelocityGradient => ("velocity_gradient", MOST),
            Derived::DensityGradient => ("density_gradient", 3),
            Derived::PressureGradient => ("pressure_gradient", 3),
            Derived::MuT => ("mu_t", 1),
            Derived::Filter => ("filter", 1),
        }
    }

    /// Returns the columns of the state, as in [`Primitives`], whose gradients it needs.
    fn gradients(self) -> std::ops::Range<usize> {
        match self {
            Derived::Vorticity | Derived::QCriterion | Derived::VelocityGradient => 1..4,
            Derived::DensityGradient => 0..1,
            Derived::PressureGradient => 4..5,
            _ => 0..0,
        }
    }

    /// Returns the components at a point, given the state, the gradients of its columns, the eddy viscosity with the
    /// strength of the filter, and the gas; the rest is 0.
    fn at(self, q: &Primitives, g: &[[f64; 3]; 6], [eddy, filter]: [f64; 2], gas: &Gas) -> [f64; MOST] {
        let [rho, u, v, w, p, t] = *q;
        let gamma = gas.gamma;
        let mach = || ((u * u + v * v + w * w) / (gamma * gas.gas_constant * t)).sqrt();
        // T0/T.
        let ratio = || 1.0 + 0.5 * (gamma - 1.0) * mach().powi(2);
        let of = |values: &[f64]| std::array::from_fn(|i| values.get(i).copied().unwrap_or_default());
        match self {
            Derived::Vorticity => of(&[g[3][1] - g[2][2], g[1][2] - g[3][0], g[2][0] - g[1][1]]),
            Derived::QCriterion => {
                // The second invariant of the velocity gradient: (div^2 - g_ij g_ji)/2 = (|Omega|^2 - |S|^2 + div^2)/2.
                let dilatation = g[1][0] + g[2][1] + g[3][2];
                let product: f64 = (0..9).map(|k| g[1 + k / 3][k % 3] * g[1 + k % 3][k / 3]).sum();
                of(&[0.5 * (dilatation * dilatation - product)])
            }
            Derived::Mach => of(&[mach()]),
            Derived::Entropy => of(&[gas.gas_constant / (gamma - 1.0) * (p / rho.powf(gamma)).ln()]),
            Derived::TotalPressure => of(&[p * ratio().powf(gamma / (gamma - 1.0))]),
            Derived::TotalTemperature => of(&[t * ratio()]),
            Derived::VelocityGradient => of(g[1..4].as_flattened()),
            Derived::DensityGradient => of(&g[0]),
            Derived::PressureGradient => of(&g[4]),
            Derived::MuT => of(&[eddy]),
            Derived::Filter => of(&[filter]),
        }
    }
}

/// Returns the fields of the list `fields` of an output, none of which may be named twice.
///
/// # Errors
/// A field is named twice, or is that of a sub-grid model or a filter that the case does not have.
pub fn checked(fields: &[Derived], context: &Context) -> Result<Vec<Derived>, Problem> {
    let key = |i: usize| context.at(&format!("fields[{i}]"));
    if let Some(i) = (1..fields.len()).find(|&i| fields[..i].contains(&fields[i])) {
        return Err(Problem::new("a field is named twice").key(key(i)));
    }
    let lacking = |field: Derived, there: bool| fields.iter().position(|&f| f == field).filter(|_| !there);
    if let Some(i) = lacking(Derived::MuT, context.facts.sgs) {
        let problem = Problem::new("mu-t is the eddy viscosity of a sub-grid model, and the case has none");
        return Err(problem
            .key(key(i))
            .help("choose a model, as in `sgs: {model: wale}`, or leave mu-t out"));
    }
    if let Some(i) = lacking(Derived::Filter, context.facts.filters) {
        let problem = Problem::new("filter is what `scheme.shock` does, and the case has no filter");
        return Err(problem
            .key(key(i))
            .help("choose one, as in `scheme: {shock: entropy-filter}`, or leave filter out"));
    }
    Ok(fields.to_vec())
}

/// Returns whether a field needs the right-hand side of the state on the device.
pub fn need_rhs(fields: &[Derived]) -> bool {
    fields.contains(&Derived::MuT)
}

/// Returns the number of components of all fields.
pub fn components(fields: &[Derived]) -> usize {
    fields.iter().map(|field| field.name().1).sum()
}

/// What the device computes for some of the fields; nothing for the others.
#[derive(Debug, Default)]
pub struct OfDevice {
    /// Eddy viscosity, `[cell][point]`.
    eddy: Vec<f64>,
    /// Strength of the filter, `[cell]`.
    filter: Vec<f64>,
}

impl OfDevice {
    /// Computes what these fields need of the present state, of which the device holds the right-hand side if they need
    /// it.
    pub fn compute(solver: &mut Solver, fields: &[Derived]) -> Result<Self, DeviceError> {
        let mut all = OfDevice::default();
        if fields.contains(&Derived::MuT) {
            all.eddy = solver.device.eddy_viscosity()?;
        }
        if fields.contains(&Derived::Filter) {
            all.filter = solver.device.filter_strength()?;
        }
        Ok(all)
    }
}

/// What fields are computed from: the present state on the host, its mesh and its gas.
pub struct Flow<'a> {
    elements: &'a Elements,
    geometry: &'a Geometry,
    gas: &'a Gas,
    /// `[cell][5][point]`.
    state: Vec<f64>,
    of_device: OfDevice,
    /// Names of the passive scalars, and their values `[cell][point]`.
    scalars: Vec<(String, Vec<f64>)>,
}

impl<'a> Flow<'a> {
    /// Reads the state. `of_device` is what the device has computed for the fields.
    pub fn read(solver: &'a Solver, of_device: OfDevice) -> Result<Self, DeviceError> {
        Ok(Flow {
            elements: &solver.elements,
            geometry: &solver.geometry,
            gas: &solver.gas,
            state: solver.device.state()?,
            of_device,
            scalars: solver.scalar_values()?,
        })
    }

    /// Returns the state at the points of a cell.
    pub fn primitives(&self, cell: usize) -> Vec<Primitives> {
        let first = self.geometry.first_point[cell];
        let np = self.geometry.cell_points(cell);
        primitives_of(&self.state[5 * first..5 * (first + np)], self.gas)
    }

    /// Returns the fields at the points of a cell of state `q`, `[component of all fields][point]`; the passive scalars
    /// come last.
    pub fn of_cell(&self, fields: &[Derived], cell: usize, q: &[Primitives]) -> Vec<Vec<[f64; 1]>> {
        let needed = |i: usize| fields.iter().any(|field| field.gradients().contains(&i));
        let column = |i: usize| q.iter().map(|q| q[i]).collect::<Vec<f64>>();
        let gradients: [Vec<[f64; 3]>; 6] = std::array::from_fn(|i| {
            if needed(i) {
                gradient(self.elements, self.geometry, cell, &column(i))
            } else {
                vec![[0.0; 3]; q.len()]
            }
        });
        let first = self.geometry.first_point[cell];
        let one = |values: &[f64], at: usize| values.get(at).copied().unwrap_or_default();
        let of_device = |p: usize| [one(&self.of_device.eddy, first + p), one(&self.of_device.filter, cell)];
        let of_field = |field: &Derived| {
            let at = |p: usize| field.at(&q[p], &gradients.each_ref().map(|g| g[p]), of_device(p), self.gas);
            let values: Vec<[f64; MOST]> = (0..q.len()).map(at).collect();
            let column = move |c: usize| values.iter().map(|v| [v[c]]).collect();
            (0..field.name().1).map(column).collect::<Vec<Vec<[f64; 1]>>>()
        };
        let of_scalar =
            |(_, values): &(String, Vec<f64>)| values[first..first + q.len()].iter().map(|&c| [c]).collect();
        let scalars = self.scalars.iter().map(of_scalar);
        fields.iter().flat_map(of_field).chain(scalars).collect()
    }

    /// Returns the fields of a file from the values of all cells at its nodes, `[cell][component of all fields][node]`,
    /// as [`Flow::of_cell`] has them.
    pub fn named(&self, fields: &[Derived], cells: &[Vec<Vec<[f64; 1]>>]) -> Vec<NamedField> {
        let first = components(fields);
        let of_scalar = |(number, (name, _)): (usize, &(String, Vec<f64>))| {
            let nodes = cells.iter().filter_map(|cell| cell.get(first + number));
            NamedField::scalar(name.clone(), nodes.flatten().map(|value| value[0]).collect())
        };
        let scalars = self.scalars.iter().enumerate().map(of_scalar);
        named(fields, cells).into_iter().chain(scalars).collect()
    }

    /// Returns whether a file has fields beside density, velocity, pressure and temperature.
    pub fn has_more(&self, fields: &[Derived]) -> bool {
        !fields.is_empty() || !self.scalars.is_empty()
    }
}

/// Returns the derived fields of a file from the values of all cells at its nodes, `[cell][component][node]`.
fn named(fields: &[Derived], cells: &[Vec<Vec<[f64; 1]>>]) -> Vec<NamedField> {
    let mut first = 0;
    let of_field = |field: &Derived| {
        let (name, components) = field.name();
        let columns = first..first + components;
        first += components;
        let nodes = cells.iter().flat_map(|cell| {
            let columns = columns.clone();
            let count = cell.first().map_or(0, Vec::len);
            (0..count).flat_map(move |node| columns.clone().map(move |c| cell[c][node][0]))
        });
        NamedField {
            name: name.into(),
            components,
            values: nodes.collect(),
        }
    };
    fields.iter().map(of_field).collect()
}
