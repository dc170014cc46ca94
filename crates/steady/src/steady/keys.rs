//! The keys of the steady solution in a case.
//!
//! The doc comments of the keys are addressed to the user: the JSON schema and docs/reference/case-keys.md are made
//! from them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::controller::Control;
use super::implicit::{Implicit, ImplicitKeys, Preconditioner};
use super::multigrid::Coarsening;
use super::profile::{ProfileKeys, ProfileRequest};
use super::scheme::{EddyScale, Scheme};
use crate::input::{Count, Expression, Number, Problem, Scope, keys, not_negative};
use crate::physics::Gas;
use crate::physics::Turbulence;

keys! {
/// The steady solution of the Reynolds-averaged equations that `fr-les run --steady` computes; `{}` takes all defaults.
SteadyKeys as "a mapping with keys such as `turbulence` and `iterations`" {
    /// Turbulence model.
    #[serde(default)]
    pub turbulence: Turbulence,
    /// Ratio of nu~ to the kinematic viscosity where gas enters, and at the start, at least 0; of `sa-neg`, by default
    /// 3, which is fully turbulent.
    pub ratio: Option<Number>,
    /// Ratio of gas that enters through single boundaries, by the names of these, in place of `ratio`.
    #[serde(default)]
    pub ratios: BTreeMap<String, Number>,
    /// Intensity of the turbulence where gas enters, and at the start: sqrt(2k/3) over the speed there, above 0; of
    /// `k-omega` and `sst`, by default 0.01.
    pub intensity: Option<Number>,
    /// Ratio of the eddy viscosity to the viscosity where gas enters, and at the start, above 0; of `k-omega` and
    /// `sst`, by default 10.
    pub viscosity_ratio: Option<Number>,
    /// Length of the turbulence where gas enters, and at the start, in place of `viscosity-ratio`:
    /// sqrt(k)/(0.09^(1/4) omega), above 0.
    pub turbulence_length: Option<Number>,
    /// Weight of the central difference in the reconstruction, from -1 to 1.
    #[serde(default = "third")]
    pub kappa: Number,
    /// Whether the convection of the turbulence model is of second order.
    #[serde(default)]
    pub second_order_turbulence: bool,
    /// How steps are taken.
    #[serde(default)]
    pub driver: Driver,
    /// Settings of implicit steps.
    pub implicit: Option<ImplicitKeys>,
    /// CFL number of the first steps, above 0.
    #[serde(default = "one")]
    pub cfl_start: Number,
    /// CFL number up to which it grows, above 0 and at most 5.
    #[serde(default = "two_and_a_half")]
    pub cfl: Number,
    /// Largest number of steps; it is rounded up to a multiple of 20, or of 10 of implicit ones. With 0 the files are
    /// those of the state with which the solution begins.
    #[serde(default = "twenty_thousand")]
    pub iterations: Count,
    /// Number of steps of first order at the beginning, at least 1; default: 60, or 10 of implicit ones. More of them
    /// help a flow that forms slowly from the initial state, as that around an airfoil at a large angle of attack.
    pub first_order: Option<Count>,
    /// Residual of the density over the largest so far at which the solution is steady, above 0 and below 1.
    #[serde(default = "millionth")]
    pub residual: Number,
    /// Change of the forces on the no-slip walls over 200 steps at which the solution is steady as well, above 0 and
    /// below 1: that of friction over its own size, and that of pressure over the larger of both. Without it forces do
    /// not end the solution. The residual of the density must have fallen to a thousandth of its largest value, because
    /// very short steps leave the forces unchanged too.
    pub force: Option<Number>,
    /// Degree of the points of the solution, from 1; default: the order. At another degree the run in time interpolates
    /// the solution.
    pub points: Option<Count>,
    /// Profiles that are written at the end, by name (letters, digits, `_`, `-`), as `profile_NAME.csv`: tables that
    /// the keys of boundaries and of their turbulence read.
    #[serde(default)]
    pub profiles: BTreeMap<String, ProfileKeys>,
}}

/// Words of earlier versions that a case may still have: the key, the value if it is that which is gone, and what to
/// use.
pub const GONE: [(&str, Option<&str>, &str); 2] = [
    (
        "steady.multigrid",
        None,
        "multigrid cycles of explicit steps are gone: use `driver: implicit`, which is faster",
    ),
    (
        "steady.implicit.preconditioner",
        Some("jacobi"),
        "the preconditioner `jacobi` is gone: use `gauss-seidel`, the default, which is faster",
    ),
];

/// How the steps of a steady solution are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Driver {
    /// Five stages of Runge and Kutta with a local step of each wave.
    #[default]
    Explicit,
    /// Linearised backward Euler.
    Implicit,
    /// Explicit for 200 steps; then implicit if the explicit solution would take more than 2000 by the fall of the
    /// residual in the last 100.
    Auto,
}

fn third() -> Number {
    (1.0 / 3.0).into()
}

fn one() -> Number {
    1.0.into()
}

fn two_and_a_half() -> Number {
    2.5.into()
}

fn twenty_thousand() -> Count {
    Count(Expression::Value(20_000.0))
}

fn millionth() -> Number {
    1e-6.into()
}

/// The settings of a steady solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The scheme; whether the arithmetic is fast is set by the case.
    pub scheme: Scheme,
    /// How steps are taken.
    pub driver: Driver,
    /// How explicit steps are controlled.
    pub control: Control,
    /// Settings of implicit steps.
    pub implicit: ImplicitSteps,
    /// Largest number of steps.
    pub iterations: u64,
    /// Number of steps of first order at the beginning, if it is not the usual one.
    pub first_order: Option<u64>,
    /// nu~/nu of gas that enters through boundaries of these names, where it is not that of the scheme.
    pub ratios: BTreeMap<String, f64>,
    /// Degree of the points, if it is not the order of the case.
    pub points: Option<usize>,
    /// The profiles that are written at the end.
    pub profiles: Vec<ProfileRequest>,
}

/// The settings of implicit steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImplicitSteps {
    /// How a step is taken.
    pub steps: Implicit,
    /// How the steps are controlled.
    pub control: Control,
}

impl Settings {
    /// nu~/nu of gas that enters through a boundary.
    pub fn ratio(&self, boundary: &str) -> f64 {
        self.ratios.get(boundary).copied().unwrap_or(self.scheme.ratio)
    }

    /// Whether steps are preconditioned by lines.
    pub fn takes_lines(&self) -> bool {
        self.driver != Driver::Explicit && self.implicit.steps.preconditioner == Preconditioner::Lines
    }

    /// How coarse levels are made, if the steps need any.
    pub fn coarsening(&self) -> Option<Coarsening> {
        match self.driver {
            Driver::Explicit => None,
            Driver::Implicit | Driver::Auto => self.implicit.steps.coarsening(),
        }
    }

    /// How the first steps are controlled.
    pub fn first_control(&self) -> &Control {
        match self.driver {
            Driver::Implicit => &self.implicit.control,
            Driver::Explicit | Driver::Auto => &self.control,
        }
    }
}

impl SteadyKeys {
    /// Evaluates the model of turbulence and what it takes where gas enters; the rest of the scheme is the default.
    fn entering(&self, scope: &Scope) -> Result<Scheme, Problem> {
        let model = self.turbulence;
        let default = Scheme::default();
        let two = model.has_two_equations();
        let own = |name: &str, given: bool, belongs: bool| {
            let what = format!("`{name}` does not belong to the model {}", model.name());
            let help = match model {
                Turbulence::SaNeg => "`sa-neg` takes `ratio` and `ratios`",
                Turbulence::KOmega | Turbulence::Sst => {
                    "it takes `intensity`, and `viscosity-ratio` or `turbulence-length`"
                }
                Turbulence::None => "a laminar flow takes none of these",
            };
            if !given || belongs {
                Ok(())
            } else {
                Err(Problem::new(what).key(format!("steady.{name}")).help(help))
            }
        };
        own("ratio", self.ratio.is_some(), model == Turbulence::SaNeg)?;
        own("ratios", !self.ratios.is_empty(), model == Turbulence::SaNeg)?;
        own("intensity", self.intensity.is_some(), two)?;
        own("viscosity-ratio", self.viscosity_ratio.is_some(), two)?;
        own("turbulence-length", self.turbulence_length.is_some(), two)?;
        let above_0 = |name: &str, number| scope.number_if(&format!("steady.{name}"), number, |v| v > 0.0, "above 0");
        let scale = match (&self.viscosity_ratio, &self.turbulence_length) {
            (Some(_), Some(_)) => {
                let what = "`viscosity-ratio` and `turbulence-length` both give the scale of the turbulence; keep one";
                return Err(Problem::new(what).key("steady.turbulence-length"));
            }
            (Some(ratio), None) => EddyScale::Ratio(above_0("viscosity-ratio", ratio)?),
            (None, Some(length)) => EddyScale::Length(above_0("turbulence-length", length)?),
            (None, None) => default.scale,
        };
        let ratio = |ratio| scope.number_if("steady.ratio", ratio, not_negative, "at least 0");
        let intensity = |intensity| above_0("intensity", intensity);
        Ok(Scheme {
            turbulence: model,
            ratio: self.ratio.as_ref().map_or(Ok(default.ratio), ratio)?,
            intensity: self.intensity.as_ref().map_or(Ok(default.intensity), intensity)?,
            scale,
            ..default
        })
    }

    /// Evaluates and checks the keys.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a value is not possible.
    pub fn resolve(&self, scope: &Scope, gas: &Gas) -> Result<Settings, Problem> {
        // A law of viscosity is 0 at all temperatures or at none.
        let inviscid = gas.viscosity.is_none_or(|law| law.mu(1.0) == 0.0);
        if self.turbulence != Turbulence::None && inviscid {
            let what = format!(
                "the model `{}` needs a viscosity, and the gas has none",
                self.turbulence.name()
            );
            return Err(Problem::new(what)
                .key("steady.turbulence")
                .help("add `gas.viscosity`, or set `turbulence: none`"));
        }
        let cfl = |v: f64| v > 0.0 && v <= 5.0;
        let must = "above 0 and at most 5";
        let share = |v: f64| v > 0.0 && v < 1.0;
        let force = |force| scope.number_if("steady.force", force, share, "above 0 and below 1");
        let first_order = |steps| scope.count("steady.first-order", steps);
        let points = |points| scope.count("steady.points", points).map(|points| points as usize);
        let profiles = self.profiles.iter();
        let ratio = |(name, ratio): (&String, &Number)| {
            let key = format!("steady.ratios.{name}");
            let value = scope.number_if(&key, ratio, not_negative, "at least 0")?;
            Ok((name.clone(), value))
        };
        let kappa = scope.number_if("steady.kappa", &self.kappa, |v| v.abs() <= 1.0, "from -1 to 1")?;
        let implicit = self.implicit.clone().unwrap_or_default();
        let steps = implicit.resolve(scope)?;
        let [implicit_start, implicit_cfl] = implicit.cfl_numbers(scope)?;
        let control = Control {
            cfl_start: scope.number_if("steady.cfl-start", &self.cfl_start, cfl, must)?,
            cfl: scope.number_if("steady.cfl", &self.cfl, cfl, must)?,
            residual: scope.number_if("steady.residual", &self.residual, share, "above 0 and below 1")?,
            force: self.force.as_ref().map(force).transpose()?,
            implicit: false,
        };
        let of_implicit = Control {
            cfl_start: implicit_start,
            cfl: implicit_cfl,
            implicit: true,
            ..control
        };
        Ok(Settings {
            scheme: Scheme {
                kappa,
                second_order_turbulence: self.second_order_turbulence,
                ..self.entering(scope)?
            },
            driver: self.driver,
            control,
            implicit: ImplicitSteps {
                steps,
                control: of_implicit,
            },
            iterations: scope.count_or_zero("steady.iterations", &self.iterations)?,
            first_order: self.first_order.as_ref().map(first_order).transpose()?,
            ratios: self.ratios.iter().map(ratio).collect::<Result<_, _>>()?,
            points: self.points.as_ref().map(points).transpose()?,
            profiles: profiles
                .map(|(name, keys)| keys.resolve(name, scope))
                .collect::<Result<_, _>>()?,
        })
    }
}
