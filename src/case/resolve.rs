//! Resolves keys to a case: expressions to numbers and fields, choices to one of their forms, ranges checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::nearest;
use super::field::{self, Field};
use super::keys::{Axis, BoundaryKeys, BoundaryType, EveryKeys, GasKeys, Keys, MeshKeys, StateKeys, TimeKeys};
use super::number::Number;
use super::{
    Boundary, BoxMesh, Case, Every, Forcing, Gas, Initial, Output, SolutionOutput, Thermal, Time, TimeStep, Viscosity,
};

/// Most cells of a generated mesh.
const MAX_CELLS: usize = 1 << 31;

/// A wrong value, before it is known where it stands.
#[derive(Debug)]
pub struct Wrong {
    pub key: String,
    pub message: String,
    pub help: Option<String>,
}

fn wrong<T>(key: impl Into<String>, message: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong {
        key: key.into(),
        message: message.into(),
        help: None,
    })
}

fn wrong_with_help<T>(key: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong {
        key: key.into(),
        message: message.into(),
        help: Some(help.into()),
    })
}

/// Named constants, by which expressions are resolved.
struct Constants(BTreeMap<String, f64>);

impl Constants {
    /// Evaluates constants that may refer to each other in any order.
    fn new(given: &BTreeMap<String, Number>) -> Result<Self, Wrong> {
        let mut known = BTreeMap::new();
        for name in given.keys() {
            let valid = !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !valid || field::is_reserved(name) {
                let why = if valid {
                    "is taken: it is a variable or a function"
                } else {
                    "is not a name of letters, digits and _"
                };
                return wrong(format!("constants.{name}"), format!("the constant '{name}' {why}"));
            }
        }
        while known.len() < given.len() {
            let ready = given.iter().find(|(name, number)| {
                !known.contains_key(*name)
                    && field::names(&number.0)
                        .iter()
                        .all(|n| known.contains_key(n) || !given.contains_key(n))
            });
            let Some((name, number)) = ready else {
                let open: Vec<&str> = given
                    .keys()
                    .filter(|n| !known.contains_key(*n))
                    .map(String::as_str)
                    .collect();
                return wrong(
                    format!("constants.{}", open[0]),
                    format!("these constants refer to each other in a circle: {}", open.join(", ")),
                );
            };
            let value = Constants(known.clone()).number(&format!("constants.{name}"), number)?;
            known.insert(name.clone(), value);
        }
        Ok(Constants(known))
    }

    fn field(&self, key: &str, text: &Number) -> Result<Field, Wrong> {
        let field = match Field::parse(&text.0, &self.0) {
            Ok(field) => field,
            Err(message) => return wrong(key, message),
        };
        if field.is_constant() && !field.eval([0.0; 3], 0.0).is_finite() {
            return wrong(key, format!("'{}' is not a finite number", text.0));
        }
        Ok(field)
    }

    fn steady_field(&self, key: &str, text: &Number) -> Result<Field, Wrong> {
        let field = self.field(key, text)?;
        if field.depends_on_time() {
            return wrong(key, "the initial state cannot depend on t");
        }
        Ok(field)
    }

    fn number(&self, key: &str, text: &Number) -> Result<f64, Wrong> {
        let field = self.field(key, text)?;
        if !field.is_constant() {
            return wrong(
                key,
                format!("'{}' depends on position or time; a number is needed here", text.0),
            );
        }
        Ok(field.eval([0.0; 3], 0.0))
    }

    fn positive(&self, key: &str, text: &Number) -> Result<f64, Wrong> {
        let value = self.number(key, text)?;
        if value <= 0.0 {
            wrong(key, format!("{value} is not positive"))
        } else {
            Ok(value)
        }
    }

    fn vector<T>(
        &self,
        key: &str,
        text: &[Number; 3],
        one: impl Fn(&Self, &str, &Number) -> Result<T, Wrong>,
    ) -> Result<[T; 3], Wrong> {
        let each = |i: usize| one(self, &format!("{key}[{i}]"), &text[i]);
        Ok([each(0)?, each(1)?, each(2)?])
    }
}

/// Resolves everything; `text` is kept as provenance.
pub fn resolve(keys: Keys, path: &Path, text: String) -> Result<Case, Wrong> {
    let constants = Constants::new(&keys.constants)?;
    if !(1..=8).contains(&keys.order) {
        return wrong(
            "order",
            format!("order {} is not available; p goes from 1 to 8", keys.order),
        );
    }
    if keys.threads.is_some_and(|t| t == 0 || t > 4096) {
        return wrong(
            "threads",
            "the number of threads goes from 1 to 4096; leave the key out to use all cores",
        );
    }
    let mesh = resolve_mesh(&keys.mesh, &constants)?;
    let boundaries = resolve_boundaries(&keys.boundaries, &mesh, &constants)?;
    let force = keys
        .forcing
        .force
        .as_ref()
        .map(|f| constants.vector("forcing.force", f, Constants::field))
        .transpose()?;
    let output = keys.output;
    let solution = output.solution.map(|s| {
        let period = EveryKeys {
            every: s.every,
            every_steps: s.every_steps,
        };
        resolve_every("output.solution", &period, &constants).map(|every| SolutionOutput {
            every,
            precision: s.precision,
        })
    });
    let integrals = output
        .integrals
        .map(|e| resolve_every("output.integrals", &e, &constants));
    let directory = output.directory.unwrap_or_else(|| "results".to_owned());
    if directory.is_empty() {
        return wrong("output.directory", "the directory has no name");
    }
    Ok(Case {
        title: if keys.title.is_empty() {
            path.display().to_string()
        } else {
            keys.title
        },
        path: path.to_owned(),
        text,
        mesh,
        order: keys.order,
        scheme: super::Scheme {
            split: keys.scheme.split,
            riemann: keys.scheme.riemann,
            correction: keys.scheme.correction,
        },
        precision: keys.precision,
        arithmetic: keys.arithmetic,
        device: keys.device,
        threads: keys.threads,
        gas: resolve_gas(&keys.gas, &constants)?,
        initial: resolve_state("initial", &keys.initial, &constants, Constants::steady_field)?,
        boundaries,
        forcing: Forcing { force },
        time: resolve_time(&keys.time, &constants)?,
        output: Output {
            directory: PathBuf::from(directory),
            solution: solution.transpose()?,
            integrals: integrals.transpose()?,
        },
    })
}

fn resolve_mesh(mesh: &MeshKeys, constants: &Constants) -> Result<BoxMesh, Wrong> {
    let b = &mesh.box_mesh;
    let lower = constants.vector("mesh.box.lower", &b.lower, Constants::number)?;
    let upper = constants.vector("mesh.box.upper", &b.upper, Constants::number)?;
    for d in 0..3 {
        if b.cells[d] == 0 {
            return wrong(
                format!("mesh.box.cells[{d}]"),
                "a box needs at least one cell in every direction",
            );
        }
        if upper[d] <= lower[d] {
            return wrong(
                format!("mesh.box.upper[{d}]"),
                format!("the upper corner {} is not above the lower one {}", upper[d], lower[d]),
            );
        }
    }
    let cells = b.cells.iter().try_fold(1usize, |n, c| n.checked_mul(*c));
    if cells.is_none_or(|n| n > MAX_CELLS) {
        return wrong(
            "mesh.box.cells",
            format!("{:?} are more than {MAX_CELLS} cells", b.cells),
        );
    }
    let axis = |a: Axis| a as usize;
    let mut periodic = [false; 3];
    for (i, a) in b.periodic.iter().enumerate() {
        if std::mem::replace(&mut periodic[axis(*a)], true) {
            return wrong(format!("mesh.box.periodic[{i}]"), "this direction is named twice");
        }
    }
    let mut stretch = [None; 3];
    for (a, s) in &b.stretch {
        let key = format!("mesh.box.stretch.{}.tanh", ["x", "y", "z"][axis(*a)]);
        let lam = constants.positive(&key, &s.tanh)?;
        if lam > 20.0 {
            return wrong(
                key,
                format!("{lam} squeezes cells to nothing; useful values are 1 to 8"),
            );
        }
        stretch[axis(*a)] = Some(lam);
    }
    let warp = constants.number("mesh.box.warp", &b.warp)?;
    if !(0.0..0.5).contains(&warp) {
        return wrong(
            "mesh.box.warp",
            format!("warp {warp} is outside 0 to below 0.5, where cells fold over"),
        );
    }
    Ok(BoxMesh {
        cells: b.cells,
        lower,
        upper,
        periodic,
        stretch,
        warp,
        warp_kind: b.warp_kind,
    })
}

fn resolve_gas(gas: &GasKeys, constants: &Constants) -> Result<Gas, Wrong> {
    let gamma = constants.number("gas.gamma", &gas.gamma)?;
    if gamma <= 1.0 {
        return wrong("gas.gamma", format!("gamma {gamma} is not above 1"));
    }
    let viscosity = match &gas.viscosity {
        None => None,
        Some(law) => match (&law.constant, &law.sutherland) {
            (Some(mu), None) => {
                let mu = constants.number("gas.viscosity.constant", mu)?;
                if mu < 0.0 {
                    return wrong("gas.viscosity.constant", format!("viscosity {mu} is negative"));
                }
                (mu > 0.0).then_some(Viscosity::Constant(mu))
            }
            (None, Some(s)) => Some(Viscosity::Sutherland {
                mu_ref: constants.positive("gas.viscosity.sutherland.mu-ref", &s.mu_ref)?,
                t_ref: constants.positive("gas.viscosity.sutherland.t-ref", &s.t_ref)?,
                s: constants.positive("gas.viscosity.sutherland.s", &s.s)?,
            }),
            _ => {
                return wrong(
                    "gas.viscosity",
                    "viscosity takes exactly one of constant and sutherland",
                );
            }
        },
    };
    Ok(Gas {
        gamma,
        prandtl: constants.positive("gas.prandtl", &gas.prandtl)?,
        gas_constant: constants.positive("gas.gas-constant", &gas.gas_constant)?,
        viscosity,
    })
}

type Resolver = fn(&Constants, &str, &Number) -> Result<Field, Wrong>;

fn resolve_state(key: &str, state: &StateKeys, constants: &Constants, field: Resolver) -> Result<Initial, Wrong> {
    let one = |name: &str, text: &Number| field(constants, &format!("{key}.{name}"), text);
    let positive = |name: &str, text: &Number| -> Result<Field, Wrong> {
        let f = one(name, text)?;
        if f.is_constant() && f.eval([0.0; 3], 0.0) <= 0.0 {
            return wrong(
                format!("{key}.{name}"),
                format!("{} is not positive", f.eval([0.0; 3], 0.0)),
            );
        }
        Ok(f)
    };
    let thermal = match (&state.temperature, &state.rho) {
        (Some(t), None) => Thermal::Temperature(positive("temperature", t)?),
        (None, Some(rho)) => Thermal::Density(positive("rho", rho)?),
        _ => return wrong(key, "exactly one of temperature and rho is needed"),
    };
    Ok(Initial {
        velocity: [one("u", &state.u)?, one("v", &state.v)?, one("w", &state.w)?],
        pressure: positive("p", &state.p)?,
        thermal,
    })
}

fn resolve_boundaries(
    given: &BTreeMap<String, BoundaryKeys>,
    mesh: &BoxMesh,
    constants: &Constants,
) -> Result<BTreeMap<String, Boundary>, Wrong> {
    let sides: Vec<String> = (0..3)
        .filter(|d| !mesh.periodic[*d])
        .flat_map(|d| ["-", "+"].map(|end| format!("{}{end}", ["x", "y", "z"][d])))
        .collect();
    let list = if sides.is_empty() {
        "none, all directions are periodic".to_owned()
    } else {
        sides.join(", ")
    };
    for name in given.keys() {
        if !sides.contains(name) {
            let near = nearest(name, sides.iter().map(String::as_str))
                .map_or(String::new(), |n| format!("did you mean '{n}'? "));
            return wrong_with_help(
                format!("boundaries.{name}"),
                format!("the mesh has no boundary '{name}'"),
                format!("{near}Its boundaries: {list}"),
            );
        }
    }
    for name in &sides {
        if !given.contains_key(name) {
            return wrong_with_help(
                "boundaries",
                format!("the boundary '{name}' has no condition"),
                format!("boundaries of this mesh: {list}; or name the direction in mesh.box.periodic"),
            );
        }
    }
    given
        .iter()
        .map(|(name, keys)| Ok((name.clone(), resolve_boundary(name, keys, constants)?)))
        .collect()
}

fn resolve_boundary(name: &str, keys: &BoundaryKeys, constants: &Constants) -> Result<Boundary, Wrong> {
    let path = format!("boundaries.{name}");
    let kind = match keys.kind {
        BoundaryType::Slip | BoundaryType::Symmetry => "slip",
        BoundaryType::NoSlipAdiabatic => "no-slip-adiabatic",
        BoundaryType::NoSlipIsothermal => "no-slip-isothermal",
        BoundaryType::FarField => "far-field",
    };
    let allowed: &[&str] = match keys.kind {
        BoundaryType::Slip | BoundaryType::Symmetry => &[],
        BoundaryType::NoSlipAdiabatic => &["velocity"],
        BoundaryType::NoSlipIsothermal => &["velocity", "temperature"],
        BoundaryType::FarField => &["u", "v", "w", "p", "temperature", "rho"],
    };
    let given = [
        ("velocity", keys.velocity.is_some()),
        ("temperature", keys.temperature.is_some()),
        ("rho", keys.rho.is_some()),
        ("u", keys.u.is_some()),
        ("v", keys.v.is_some()),
        ("w", keys.w.is_some()),
        ("p", keys.p.is_some()),
    ];
    if let Some((key, _)) = given.iter().find(|(key, is)| *is && !allowed.contains(key)) {
        let help = if allowed.is_empty() {
            "it takes no values".to_owned()
        } else {
            format!("it takes {}", allowed.join(", "))
        };
        return wrong_with_help(
            format!("{path}.{key}"),
            format!("a {kind} boundary has no '{key}'"),
            help,
        );
    }
    let velocity = || match &keys.velocity {
        Some(v) => constants.vector(&format!("{path}.velocity"), v, Constants::field),
        None => Ok([Field::constant(0.0), Field::constant(0.0), Field::constant(0.0)]),
    };
    Ok(match keys.kind {
        BoundaryType::Slip | BoundaryType::Symmetry => Boundary::Slip,
        BoundaryType::NoSlipAdiabatic => Boundary::NoSlipAdiabatic { velocity: velocity()? },
        BoundaryType::NoSlipIsothermal => {
            let Some(temperature) = &keys.temperature else {
                return wrong(path, "an isothermal wall needs its temperature");
            };
            let key = format!("{path}.temperature");
            let temperature = constants.field(&key, temperature)?;
            if temperature.is_constant() && temperature.eval([0.0; 3], 0.0) <= 0.0 {
                return wrong(key, format!("{} is not positive", temperature.eval([0.0; 3], 0.0)));
            }
            Boundary::NoSlipIsothermal {
                velocity: velocity()?,
                temperature,
            }
        }
        BoundaryType::FarField => {
            let (Some(u), Some(v), Some(w), Some(p)) = (&keys.u, &keys.v, &keys.w, &keys.p) else {
                return wrong(path, "a far field needs u, v, w, p and one of temperature and rho");
            };
            let state = StateKeys {
                u: u.clone(),
                v: v.clone(),
                w: w.clone(),
                p: p.clone(),
                temperature: keys.temperature.clone(),
                rho: keys.rho.clone(),
            };
            Boundary::FarField(resolve_state(&path, &state, constants, Constants::field)?)
        }
    })
}

fn resolve_time(time: &TimeKeys, constants: &Constants) -> Result<Time, Wrong> {
    if time.end.is_none() && time.steps.is_none() {
        return wrong("time", "the run has no end: give time.end, time.steps or both");
    }
    let step = match (&time.cfl, &time.dt) {
        (Some(_), Some(_)) => return wrong("time.dt", "dt and cfl are both given; give one of them"),
        (_, Some(dt)) => TimeStep::Fixed(constants.positive("time.dt", dt)?),
        (cfl, None) => {
            let cfl = cfl
                .as_ref()
                .map_or(Ok(0.9), |cfl| constants.positive("time.cfl", cfl))?;
            if cfl > 2.0 {
                return wrong("time.cfl", format!("cfl {cfl} is beyond 2; linear stability ends at 1"));
            }
            TimeStep::Cfl(cfl)
        }
    };
    let end = time
        .end
        .as_ref()
        .map(|end| constants.positive("time.end", end))
        .transpose()?;
    Ok(Time {
        end,
        steps: time.steps,
        step,
        kahan: time.kahan,
    })
}

fn resolve_every(key: &str, period: &EveryKeys, constants: &Constants) -> Result<Every, Wrong> {
    match (&period.every, period.every_steps) {
        (Some(t), None) => Ok(Every::Time(constants.positive(&format!("{key}.every"), t)?)),
        (None, Some(0)) => wrong(format!("{key}.every-steps"), "0 steps are no period; 1 or more are"),
        (None, Some(n)) => Ok(Every::Steps(n)),
        _ => wrong(key, "exactly one of every (time) and every-steps is needed"),
    }
}
