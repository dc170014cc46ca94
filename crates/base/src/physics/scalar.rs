//! Passive scalars: what the flow carries and does not feel, such as a tracer or the coolant of a film.
//!
//! d(rho c)/dt + div(rho u c) = div((mu/Sc + mu_t/Sc_t) grad c)
//!
//! The kernels are in ptx/method/scalar.h. A scalar has its values at boundaries beside its other keys, so that
//! all that a case says of it stands together.

use std::collections::BTreeMap;

use crate::input::{Field, FieldText, Number, Of, Problem, Scope, keys, listed, positive};
use crate::input::{is_name, nearest};
use crate::physics::subgrid::turbulent_prandtl;
use crate::physics::{Boundary, BoundaryKind, Gas, Sgs};

/// Most scalars of a case: the kernels hold them as the state is held, four beside the density.
pub const MOST_SCALARS: usize = 4;

/// Names of fields and columns that outputs write (`output/fields.rs`, `derived.rs`, `surfaces.rs`, `region.rs` and
/// `probes.rs` of the crate `flow`), which no scalar may have.
const TAKEN: &[&str] = &[
    "step",
    "time",
    "point",
    "x",
    "y",
    "z",
    "rho",
    "u",
    "v",
    "w",
    "p",
    "T",
    "density",
    "velocity",
    "pressure",
    "temperature",
    "vorticity",
    "q_criterion",
    "mach",
    "entropy",
    "total_pressure",
    "total_temperature",
    "velocity_gradient",
    "density_gradient",
    "pressure_gradient",
    "mu_t",
    "filter",
    "viscous_traction",
    "heat_flux",
    "y_plus",
    "pressure_coefficient",
    "skin_friction_coefficient",
    "density_before",
    "velocity_before",
    "pressure_before",
    "temperature_before",
];

keys! {
/// A passive scalar c, which the flow carries: d(rho c)/dt + div(rho u c) = div((mu/Sc + mu_t/Sc_t) grad c).
ScalarKeys as "a mapping with the key `schmidt`" {
    /// Schmidt number Sc = mu/(rho D), above 0, and not below 1/max(4/3, gamma/Pr), where a scalar would diffuse faster
    /// than momentum and heat, which bound the time step. Without viscosity nothing diffuses, whatever it is.
    pub schmidt: Number,
    /// Turbulent Schmidt number Sc_t of a sub-grid model (`sgs`), with the same limits. The default is 0.9, as that of
    /// the turbulent Prandtl number (`sgs.prandtl`): the scalar is then mixed as heat is.
    pub turbulent_schmidt: Option<Number>,
    /// Initial value, a field of x, y, z.
    #[serde(default = "zero")]
    pub initial: FieldText,
    /// Values by the name of the boundary, fields of x, y, z. At an inlet, an outlet or a far field it is the value of
    /// what flows in, and 0 without one; a no-slip wall with a value holds it, and nothing diffuses through others.
    #[serde(default)]
    pub boundaries: BTreeMap<String, FieldText>,
}}

fn zero() -> FieldText {
    FieldText::from("0")
}

/// A passive scalar, as the case describes it.
#[derive(Debug, Clone)]
pub struct Scalar {
    /// Its name in the case and in outputs.
    pub name: String,
    /// Schmidt number.
    pub schmidt: f64,
    /// Turbulent Schmidt number.
    pub turbulent_schmidt: f64,
    /// Initial value.
    pub initial: Field,
    /// Values by the name of the boundary.
    pub boundaries: BTreeMap<String, Field>,
}

/// What the kernels get as constants of all scalars.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ScalarConstants {
    /// Number of scalars.
    pub count: usize,
    /// 1 over the Schmidt numbers.
    pub diffusion: [f64; MOST_SCALARS],
    /// 1 over the turbulent Schmidt numbers.
    pub eddy_diffusion: [f64; MOST_SCALARS],
}

impl ScalarConstants {
    /// The constants of the scalars of a case, at most [`MOST_SCALARS`].
    pub fn of(scalars: &[Scalar]) -> Self {
        let mut constants = ScalarConstants {
            count: scalars.len(),
            ..ScalarConstants::default()
        };
        for (v, scalar) in scalars.iter().enumerate() {
            constants.diffusion[v] = 1.0 / scalar.schmidt;
            constants.eddy_diffusion[v] = 1.0 / scalar.turbulent_schmidt;
        }
        constants
    }
}

impl Scalar {
    /// Evaluates the keys of a scalar and checks them, also against the boundaries of the case.
    ///
    /// # Errors
    /// A value is not valid, the name is that of another field, a boundary is unknown or takes no value.
    pub fn resolve(
        keys: &ScalarKeys,
        scope: &Scope,
        name: &str,
        boundaries: &BTreeMap<String, Boundary>,
    ) -> Result<Self, Problem> {
        let key = format!("scalars.{name}");
        if !is_name(name) {
            let what = format!("the name `{name}` of a scalar must consist of letters, digits, `_` and `-`");
            return Err(Problem::new(what).key(key));
        }
        if TAKEN.contains(&name) {
            let what = format!("a scalar cannot be called `{name}`, which outputs write themselves");
            return Err(Problem::new(what).key(key).help("give it another name"));
        }
        let path = |part: &str| format!("{key}.{part}");
        let number = |part: &str, number| scope.number_if(&path(part), number, positive, "above 0");
        let values = keys.boundaries.iter().map(|(boundary, text)| {
            let key = path(&format!("boundaries.{boundary}"));
            let kind = boundaries.get(boundary).map(Boundary::kind);
            refuse_boundary(&key, boundary, kind, boundaries)?;
            Ok((boundary.clone(), field(scope, &key, text)?))
        });
        let turbulent_schmidt = keys.turbulent_schmidt.clone().unwrap_or_else(turbulent_prandtl);
        Ok(Scalar {
            name: name.to_owned(),
            schmidt: number("schmidt", &keys.schmidt)?,
            turbulent_schmidt: number("turbulent-schmidt", &turbulent_schmidt)?,
            initial: field(scope, &path("initial"), &keys.initial)?,
            boundaries: values.collect::<Result<_, Problem>>()?,
        })
    }
}

impl Scalar {
    /// Refuses a scalar that diffuses faster than momentum and heat, which bound the time step.
    ///
    /// # Errors
    /// A Schmidt number is too low.
    pub fn check_diffusion(&self, gas: &Gas, sgs: Option<&Sgs>) -> Result<(), Problem> {
        let refuse = |part: &str, value: f64, prandtl: f64| {
            // The bound of the step is max(4/3 mu, gamma mu/Pr)/rho.
            let least = 1.0 / (gas.gamma / prandtl).max(4.0 / 3.0);
            if value >= least {
                return Ok(());
            }
            let what = format!(
                "{value} is below {least:.4}: the scalar would diffuse faster than momentum and heat, by which the \
                 time step is bounded"
            );
            Err(Problem::new(what).key(format!("scalars.{}.{part}", self.name)))
        };
        if gas.viscosity.is_some() {
            refuse("schmidt", self.schmidt, gas.prandtl)?;
        }
        sgs.map_or(Ok(()), |sgs| {
            refuse("turbulent-schmidt", self.turbulent_schmidt, sgs.prandtl)
        })
    }
}

/// Returns a field of position alone.
fn field(scope: &Scope, key: &str, text: &FieldText) -> Result<Field, Problem> {
    let field = scope.field(key, text, Of::Position)?;
    if field.needs_walls() {
        let problem = Problem::new("a scalar takes no table along wall-distance").key(key);
        return Err(problem.help("give it along x, y, z, radius or angle"));
    }
    Ok(field)
}

/// Refuses a boundary that the case does not have, or that takes no value of a scalar.
fn refuse_boundary(
    key: &str,
    boundary: &str,
    kind: Option<BoundaryKind>,
    boundaries: &BTreeMap<String, Boundary>,
) -> Result<(), Problem> {
    let known = || boundaries.keys().map(String::as_str);
    match kind {
        None => {
            let problem = Problem::new(format!("the case has no boundary `{boundary}`")).key(key);
            Err(match nearest(boundary, known()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("the boundaries are {}", listed(known()))),
            })
        }
        Some(BoundaryKind::Slip) => Err(Problem::new(format!(
            "nothing diffuses through the slip wall or symmetry plane `{boundary}`, which takes no value"
        ))
        .key(key)
        .help("leave it out, or make the boundary a no-slip wall")),
        Some(BoundaryKind::WallModel) => Err(Problem::new(format!(
            "the modelled wall `{boundary}` holds no scalar: its wall model has no flux of one"
        ))
        .key(key)
        .help("leave it out: nothing diffuses through the wall then; or resolve the wall")),
        Some(BoundaryKind::Interface) => Err(Problem::new(format!("`{boundary}` is a side of an interface")).key(key)),
        Some(_) => Ok(()),
    }
}
