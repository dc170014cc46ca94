//! Prescribed states of the gas, as fields.

use std::path::PathBuf;

use super::channel::{ChannelKeys, Domain};
use super::frame::{GivenIn, Surroundings};
use super::gas::Gas;
use super::isotropic::SpectrumKeys;
use crate::input::{
    Count, Field, FieldText, Group, InvalidValue, Problem, finite, keys, one_of, positive_value as positive,
};

keys! {
/// A state of the gas; exactly one of `temperature` and `rho` is given.
StateKeys as "a mapping with the keys `u`, `v`, `w`, `p` and `temperature` or `rho`" {
    /// Velocity in x.
    pub u: FieldText,
    /// Velocity in y.
    pub v: FieldText,
    /// Velocity in z.
    pub w: FieldText,
    /// Static pressure, above 0.
    pub p: FieldText,
    /// Static temperature, above 0.
    pub temperature: Option<FieldText>,
    /// Density, above 0.
    pub rho: Option<FieldText>,
    /// Frame of the velocity: `relative` (that of the mesh) or `absolute`, beside a `rotating-frame`.
    #[serde(default)]
    pub frame: GivenIn,
}}

keys! {
/// Velocity fluctuations on the initial state of a file.
FluctuationKeys as "a mapping with the key `seed`" {
    /// Number of the realisation, at least 1.
    pub seed: Count,
}}

keys! {
/// The initial state: `u`, `v`, `w`, `channel` or `spectrum`, with `p` and one of `temperature` and `rho`, or `file`
/// alone.
InitialKeys as "a mapping with the keys `u`, `v`, `w`, `p` and `temperature` or `rho`, or `file`" {
    /// Solution (.vtkhdf) of another mesh or order, or checkpoint (.h5) of the same mesh, relative to the case file,
    /// that the run begins with; its time does not matter. It must stay there for as long as the run is continued.
    pub file: Option<String>,
    /// Velocity fluctuations with the Reynolds stresses of a steady solution, whose checkpoint is the `file`.
    pub fluctuations: Option<FluctuationKeys>,
    /// Velocities of a turbulent channel in place of `u`, `v` and `w`: a mean profile and waves that grow into
    /// turbulence within about 15 half heights over bulk velocities. The mesh is a box with two walls.
    pub channel: Option<ChannelKeys>,
    /// Velocities of isotropic turbulence of a given energy spectrum in place of `u`, `v` and `w`, without a mean
    /// velocity and without divergence. The mesh is a cube that is periodic in x, y and z.
    pub spectrum: Option<SpectrumKeys>,
    /// Velocity in x, needed without `file`, `channel` and `spectrum`.
    pub u: Option<FieldText>,
    /// Velocity in y, needed without `file`, `channel` and `spectrum`.
    pub v: Option<FieldText>,
    /// Velocity in z, needed without `file`, `channel` and `spectrum`.
    pub w: Option<FieldText>,
    /// Static pressure, above 0, needed without `file`.
    pub p: Option<FieldText>,
    /// Static temperature, above 0.
    pub temperature: Option<FieldText>,
    /// Density, above 0.
    pub rho: Option<FieldText>,
    /// Frame of the velocity: `relative` (that of the mesh) or `absolute`, beside a `rotating-frame`. Velocities of a
    /// file are relative.
    #[serde(default)]
    pub frame: GivenIn,
}}

/// Returns the field of a key that must be there.
fn needed(group: &Group, name: &str, field: Option<FieldText>) -> Result<FieldText, Problem> {
    field.ok_or_else(|| Problem::new(format!("the key `{name}` is missing")).key(group.path(name)))
}

impl InitialKeys {
    /// Evaluates the velocity, of whichever keys it is given by; `domain` is the box of the mesh, if it is one.
    fn velocity(&self, group: &Group, around: &Surroundings, domain: Option<Domain>) -> Result<[Field; 3], Problem> {
        let components = [("u", &self.u), ("v", &self.v), ("w", &self.w)];
        let alone = |name: &str| {
            if components.iter().any(|(_, field)| field.is_some()) {
                let problem = Problem::new(format!("`{name}` and a velocity exclude each other"));
                return Err(problem.key(group.path(name)).help("leave `u`, `v` and `w` out"));
            }
            if self.frame != GivenIn::default() {
                let problem = format!("`frame` does not apply to `{name}`, whose velocities are those of the mesh");
                return Err(Problem::new(problem).key(group.path("frame")).help("leave `frame` out"));
            }
            Ok(())
        };
        match (&self.channel, &self.spectrum) {
            (Some(_), Some(_)) => {
                let problem = Problem::new("`channel` and `spectrum` exclude each other");
                Err(problem.key(group.path("spectrum")).help("leave one of them out"))
            }
            (Some(channel), None) => {
                alone("channel")?;
                let [u, v, w] = channel.velocity(group, domain)?;
                Ok([group.field("u", &u)?, group.field("v", &v)?, group.field("w", &w)?])
            }
            (None, Some(spectrum)) => {
                alone("spectrum")?;
                spectrum.velocity(group, domain)
            }
            (None, None) => {
                let field =
                    |(name, field): (&str, &Option<FieldText>)| group.field(name, &needed(group, name, field.clone())?);
                let [u, v, w] = components;
                around.velocity([field(u)?, field(v)?, field(w)?], self.frame, group)
            }
        }
    }
}

/// The initial state.
#[derive(Debug, Clone)]
pub enum Initial {
    /// Fields of position.
    State(GasState),
    /// The solution in a file, of any mesh that covers that of the case.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Seed of the velocity fluctuations, if there are any.
        fluctuations: Option<u64>,
    },
}

impl Initial {
    /// Evaluates the keys and checks them. `domain` is the box of the mesh, if it is one.
    pub fn resolve(
        keys: &InitialKeys,
        group: &Group,
        around: &Surroundings,
        domain: Option<Domain>,
    ) -> Result<Self, Problem> {
        let InitialKeys {
            file,
            fluctuations,
            channel,
            spectrum,
            u,
            v,
            w,
            p,
            temperature,
            rho,
            frame,
        } = keys.clone();
        let Some(file) = file else {
            if fluctuations.is_some() {
                let problem = Problem::new("`fluctuations` need a `file` with the checkpoint of a steady solution");
                return Err(problem
                    .key(group.path("fluctuations"))
                    .help("leave `fluctuations` out, or give `file`"));
            }
            let state = GasState {
                velocity: keys.velocity(group, around, domain)?,
                pressure: group.positive("p", &needed(group, "p", p)?)?,
                thermal: Thermal::resolve(&temperature, &rho, group)?,
            };
            if let (Some(channel), Some(domain)) = (channel, domain) {
                channel.check(group, domain, state.density_and_viscosity(around.gas))?;
            }
            return Ok(Initial::State(state));
        };
        let others = [
            ("u", u),
            ("v", v),
            ("w", w),
            ("p", p),
            ("temperature", temperature),
            ("rho", rho),
        ];
        for (name, given) in [("channel", channel.is_some()), ("spectrum", spectrum.is_some())] {
            if given {
                let problem = Problem::new(format!("`file` and `{name}` exclude each other")).key(group.key);
                return Err(problem.help("leave one of them out"));
            }
        }
        if frame != GivenIn::default() {
            let problem = Problem::new("`frame` does not apply to `file`, whose velocities are those of the mesh");
            return Err(problem.key(group.path("frame")).help("leave `frame` out"));
        }
        match others.into_iter().find(|(_, field)| field.is_some()) {
            Some((name, _)) => Err(Problem::new(format!("`file` and `{name}` exclude each other"))
                .key(group.key)
                .help("`file` stands alone; `--set 'initial={file: NAME.vtkhdf}'` replaces the fields of the file")),
            None => {
                let seed = |keys: &FluctuationKeys| group.scope.count(&group.path("fluctuations.seed"), &keys.seed);
                Ok(Initial::File {
                    path: group.scope.path_of(&file),
                    fluctuations: fluctuations.as_ref().map(seed).transpose()?,
                })
            }
        }
    }

    /// Returns the fields, unless it is the solution in a file.
    pub fn state(&self) -> Option<&GasState> {
        match self {
            Initial::State(state) => Some(state),
            Initial::File { .. } => None,
        }
    }
}

/// A prescribed state of the gas: the initial state, or that of the flow outside a boundary. Fields of position and
/// time.
#[derive(Debug, Clone)]
pub struct GasState {
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

impl Thermal {
    /// Evaluates exactly one of the keys `temperature` and `rho`.
    pub fn resolve(temperature: &Option<FieldText>, rho: &Option<FieldText>, group: &Group) -> Result<Self, Problem> {
        match (temperature, rho) {
            (Some(t), None) => Ok(Thermal::Temperature(group.positive("temperature", t)?)),
            (None, Some(rho)) => Ok(Thermal::Density(group.positive("rho", rho)?)),
            (temperature, _) => Err(one_of(group.key, "temperature", "rho", temperature.is_some())),
        }
    }

    /// Returns the field of whichever it is.
    pub fn field(&self) -> &Field {
        let (Thermal::Temperature(field) | Thermal::Density(field)) = self;
        field
    }
}

impl GasState {
    /// Returns density and viscosity, if they are constants and the gas is viscous.
    fn density_and_viscosity(&self, gas: &Gas) -> Option<[f64; 2]> {
        let p = self.pressure.as_constant()?;
        let value = self.thermal.field().as_constant()?;
        let (rho, temperature) = match self.thermal {
            Thermal::Temperature(_) => (p / (gas.gas_constant * value), value),
            Thermal::Density(_) => (value, p / (gas.gas_constant * value)),
        };
        Some([rho, gas.viscosity?.mu(temperature)])
    }

    /// Evaluates the keys and checks them.
    pub fn resolve(keys: &StateKeys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let velocity = [
            group.field("u", &keys.u)?,
            group.field("v", &keys.v)?,
            group.field("w", &keys.w)?,
        ];
        Ok(GasState {
            velocity: around.velocity(velocity, keys.frame, group)?,
            pressure: group.positive("p", &keys.p)?,
            thermal: Thermal::resolve(&keys.temperature, &keys.rho, group)?,
        })
    }

    /// Returns all its fields.
    pub fn fields(&self) -> Vec<&Field> {
        let others = [&self.pressure, self.thermal.field()];
        self.velocity.iter().chain(others).collect()
    }

    /// Returns density, velocity and pressure at position `x` and time `t`.
    ///
    /// # Errors
    /// A value is not finite, or a pressure, temperature or density is not above 0.
    pub fn at(&self, x: [f64; 3], t: f64, gas: &Gas) -> Result<(f64, [f64; 3], f64), InvalidValue> {
        let [u, v, w] = &self.velocity;
        let velocity = [finite("u", u, x, t)?, finite("v", v, x, t)?, finite("w", w, x, t)?];
        let p = positive("p", &self.pressure, x, t)?;
        let rho = match &self.thermal {
            Thermal::Density(rho) => positive("rho", rho, x, t)?,
            Thermal::Temperature(temperature) => p / (gas.gas_constant * positive("temperature", temperature, x, t)?),
        };
        Ok((rho, velocity, p))
    }

    /// Returns the conserved variables at position `x` and time `t`; they are finite.
    ///
    /// # Errors
    /// A value is not finite, or a pressure, temperature or density is not above 0.
    pub fn conserved(&self, x: [f64; 3], t: f64, gas: &Gas) -> Result<[f64; 5], InvalidValue> {
        let (rho, v, p) = self.at(x, t, gas)?;
        let values = gas.conserved(rho, v, p);
        match values.iter().find(|value| !value.is_finite()) {
            None => Ok(values),
            Some(&value) => Err(InvalidValue {
                key: "",
                what: "has a density, momentum or energy of",
                value,
                must: "finite".into(),
            }),
        }
    }
}
