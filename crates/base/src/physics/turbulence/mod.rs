//! Synthetic turbulence of an inlet: a sum of Fourier modes that is carried through the boundary.
//!
//! The method is that of M. L. Shur, P. R. Spalart, M. K. Strelets & A. K. Travin, Flow Turbul. Combust. 93 (2014) 63,
//! 10.1007/s10494-014-9534-8. A fluctuation is a function of seed, position and time alone, so that it needs no state:
//! ranks, restarts and clipped steps do not change it. Conditions that prescribe a velocity take `TurbulenceKeys`
//! among their keys. `solver` places the modes on the mesh, and ptx/kernels/turbulence.cu evaluates them.

use std::ops::RangeInclusive;

mod convection;
mod modes;
mod random;
mod spectra;
mod spectrum;
mod stresses;
mod waves;

pub use convection::Convection;
pub use modes::{MODES_OF_A_SHELL, Mode, Stream, amplitude, correction, modes, velocity};
pub use random::Draw;
pub use spectra::Spectra;
pub use spectrum::{Ends, Shell, Spectrum};
pub use stresses::{Factor, apply, cholesky, product, realisable};
pub use waves::{cosine_of_turns, fraction};

use crate::input::{Count, Field, FieldText, Group, InvalidValue, Number, Of, Problem, finite, keys, one_of};

/// Fewest and most shells of wave numbers.
const SHELLS: RangeInclusive<u64> = 10..=2000;

keys! {
/// Synthetic turbulence of an inlet. A case gives exactly one of `intensity` and `stresses`. Fields depend on x, y and
/// z only.
TurbulenceKeys as "a mapping with the keys `length` and `intensity` or `stresses`" {
    /// Root mean square of one component over the mean speed at the same point, above 0: isotropic turbulence.
    pub intensity: Option<FieldText>,
    /// Stresses uu, vv, ww, uv, uw, vw (velocity squared), positive definite or all 0.
    pub stresses: Option<[FieldText; 6]>,
    /// Longitudinal integral length L11 (length), above 0. The largest scale l_e that it stands for, about 2 to 5 times
    /// as long, must fit into a period of the inlet. Where it varies it may be 0 at a wall, and l_e is at most twice
    /// the distance from the nearest no-slip wall.
    pub length: FieldText,
    /// How the modes are carried; default frozen, or shur if the length varies.
    pub convection: Option<Convection>,
    /// Velocity that carries the modes; by default the mean over the area of the inlet at t = 0.
    pub speed: Option<[Number; 3]>,
    /// Shells of wave numbers, of three modes each, from 10 to 2000.
    #[serde(default = "hundred")]
    pub shells: Count,
    /// Number of the realisation, at least 1.
    #[serde(default = "one")]
    pub seed: Count,
}}

fn hundred() -> Count {
    Count(crate::input::Expression::Value(100.0))
}

fn one() -> Count {
    Count(crate::input::Expression::Value(1.0))
}

/// How strong the turbulence is, as fields of position.
#[derive(Debug, Clone)]
enum Strength {
    /// Root mean square of one component over the mean speed.
    Intensity(Field),
    /// Components 11, 22, 33, 12, 13, 23.
    Stresses(Box<[Field; 6]>),
}

/// Synthetic turbulence of an inlet.
#[derive(Debug, Clone)]
pub struct Turbulence {
    strength: Strength,
    /// Longitudinal integral length.
    length: Field,
    /// How the modes are carried.
    pub convection: Convection,
    /// Velocity that carries the modes, if it is not the mean of the inlet.
    pub speed: Option<[f64; 3]>,
    /// Shells of wave numbers.
    pub shells: usize,
    /// Number of the realisation.
    pub seed: u64,
}

impl Turbulence {
    /// Evaluates the keys of the group `group.turbulence` and checks them.
    ///
    /// # Errors
    /// A value is not possible.
    pub fn resolve(keys: &TurbulenceKeys, group: &Group) -> Result<Self, Problem> {
        let scope = group.scope;
        let key = &group.path("turbulence");
        let of = Of::Position;
        let group = Group { scope, key, of };
        let strength = match (&keys.intensity, &keys.stresses) {
            (Some(intensity), None) => {
                let field = group.positive("intensity", intensity)?;
                if let Some(value) = field.as_constant() {
                    let must = "at most 1, since it is a share of the mean speed and no percentage";
                    crate::input::check(&group.path("intensity"), value, value <= 1.0, must)?;
                }
                Strength::Intensity(field)
            }
            (None, Some(stresses)) => {
                let mut fields = Vec::new();
                for (i, stress) in stresses.iter().enumerate() {
                    fields.push(group.field(&format!("stresses[{i}]"), stress)?);
                }
                let fields: Box<[Field; 6]> = fields.try_into().expect("six stresses");
                refuse_constant(&fields, &group)?;
                Strength::Stresses(fields)
            }
            (intensity, _) => return Err(one_of(key, "intensity", "stresses", intensity.is_some())),
        };
        let length = group.field("length", &keys.length)?;
        let by_length = match length.as_constant() {
            Some(value) => {
                crate::input::check(&group.path("length"), value, crate::input::positive(value), "above 0")?;
                Convection::Frozen
            }
            None => Convection::Shur,
        };
        let path = group.path("shells");
        let shells = scope.count(&path, &keys.shells)?;
        crate::input::check(&path, shells as f64, SHELLS.contains(&shells), "from 10 to 2000")?;
        let speed = |speed| scope.numbers(&group.path("speed"), speed);
        Ok(Turbulence {
            strength,
            length,
            convection: keys.convection.unwrap_or(by_length),
            speed: keys.speed.as_ref().map(speed).transpose()?,
            shells: shells as usize,
            seed: scope.count(&group.path("seed"), &keys.seed)?,
        })
    }

    /// Returns its fields.
    pub fn fields(&self) -> Vec<&Field> {
        let mut all = vec![&self.length];
        match &self.strength {
            Strength::Intensity(field) => all.push(field),
            Strength::Stresses(fields) => all.extend(fields.iter()),
        }
        all
    }

    /// Whether the length varies along the inlet.
    pub fn varies(&self) -> bool {
        !self.length.is_constant()
    }

    /// Returns the longitudinal integral length at a point.
    ///
    /// # Errors
    /// It is negative or not finite there.
    pub fn length(&self, x: [f64; 3]) -> Result<f64, InvalidValue> {
        let value = finite("turbulence.length", &self.length, x, 0.0)?;
        // At a wall a rounded position may make an expression that vanishes there negative.
        let rounding = 1e-12 * x.iter().map(|c| c.abs()).sum::<f64>();
        if value >= -rounding {
            Ok(value.max(0.0))
        } else {
            Err(InvalidValue {
                key: "turbulence.length",
                what: "is",
                value,
                must: "0 or above".into(),
            })
        }
    }

    /// Returns the Cholesky factor of the stresses at a point with this mean speed; zeros where there is no turbulence.
    ///
    /// # Errors
    /// The stresses are not positive definite there.
    pub fn factor(&self, x: [f64; 3], speed: f64) -> Result<Factor, InvalidValue> {
        match &self.strength {
            Strength::Intensity(field) => {
                let key = "turbulence.intensity";
                let rms = crate::input::positive_value(key, field, x, 0.0)? * speed;
                Ok([rms, 0.0, rms, 0.0, 0.0, rms])
            }
            Strength::Stresses(fields) => {
                let mut stresses = [0.0; 6];
                for (stress, field) in stresses.iter_mut().zip(fields.iter()) {
                    *stress = finite("turbulence.stresses", field, x, 0.0)?;
                }
                // Turbulence ends at walls.
                if stresses == [0.0; 6] {
                    return Ok(stresses);
                }
                cholesky(stresses).ok_or_else(|| InvalidValue {
                    key: "turbulence.stresses",
                    what: "has the determinant",
                    value: determinant(stresses),
                    must: "a positive definite matrix of uu, vv, ww, uv, uw, vw".into(),
                })
            }
        }
    }
}

/// Refuses constant stresses that are not positive definite.
fn refuse_constant(fields: &[Field; 6], group: &Group) -> Result<(), Problem> {
    let values: Vec<f64> = fields.iter().filter_map(Field::as_constant).collect();
    match <[f64; 6]>::try_from(values) {
        Ok(stresses) if stresses != [0.0; 6] && cholesky(stresses).is_none() => {
            let what = "the stresses uu, vv, ww, uv, uw, vw are not positive definite: no velocity has them";
            let problem = Problem::new(what).key(group.path("stresses"));
            let help = "uu, vv, ww must be above 0, uv^2 below uu vv, uw^2 below uu ww, vw^2 below vv ww, and the \
                        determinant above 0";
            Err(problem.help(help))
        }
        _ => Ok(()),
    }
}

/// Returns the determinant of the symmetric matrix of components 11, 22, 33, 12, 13, 23.
fn determinant([a, b, c, ab, ac, bc]: [f64; 6]) -> f64 {
    a * (b * c - bc * bc) - ab * (ab * c - bc * ac) + ac * (ab * bc - b * ac)
}
