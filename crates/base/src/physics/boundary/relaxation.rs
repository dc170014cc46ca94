//! What relaxed inlets and outlets share: the rate at which they hold what they prescribe.
//!
//! A relaxed boundary lets sound leave. It holds its values in the mean, at a rate kappa: a wave of angular frequency
//! omega returns with the reflection of the condition without relaxation, divided by 1 + i omega/kappa. The rate is
//! sigma c/L for inlets and sigma (1 - M^2) c/(2 L) for outlets (T. Poinsot & S. Lele, J. Comput. Phys. 101 (1992) 104,
//! with K = 2 kappa), where L is a length of the domain, and c and M are those of the prescribed and the initial state.
//! They are constant, so that the rate does not depend on the flow.

use super::point::FacePoint;
use crate::input::{Group, InvalidValue, Number, Problem, positive};
use crate::vector::dot;

/// Slots of relaxed boundaries, beside those of the condition without relaxation.
#[repr(i32)]
pub enum RelaxedSlot {
    /// Terms along the face ([`super::Transverse`]), of an outlet.
    Transverse = 2,
    /// Mach number of the outflow, of an outlet with the terms of Lodato.
    Mach,
    /// Impedance of the initial state, of an outlet that evens out the pressure along it, else 0.
    Impedance,
    /// Rate (1/time).
    Rate,
}

/// Default of the key `relaxation`.
pub(super) fn default_relaxation() -> Number {
    Number(crate::input::Expression::Value(0.25))
}

/// What a relaxed outlet holds over its whole area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// The mean pressure.
    Mean,
    /// The mass flux.
    MassFlow {
        /// Mass per time through the whole boundary.
        target: f64,
    },
}

/// The rate of a relaxed boundary, as the case gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relaxation {
    /// The factor sigma.
    pub sigma: f64,
    /// Length that the rate refers to; `None` takes the extent of the domain along the mean normal.
    pub length: Option<f64>,
}

impl Relaxation {
    /// Evaluates the keys `relaxation` and `length`.
    ///
    /// # Errors
    /// One of them is not above 0.
    pub(super) fn resolve(sigma: &Number, length: &Option<Number>, group: &Group) -> Result<Self, Problem> {
        let number = |name: &str, value| group.scope.number_if(&group.path(name), value, positive, "above 0");
        Ok(Relaxation {
            sigma: number("relaxation", sigma)?,
            length: length.as_ref().map(|length| number("length", length)).transpose()?,
        })
    }

    /// Returns the rate of an inlet whose gas has the speed of sound c (1/time).
    pub(super) fn rate_of_inlet(&self, c: f64, at: &FacePoint) -> f64 {
        self.sigma * c / self.length.unwrap_or(at.extent)
    }

    /// Returns the rate of an outlet (1/time) and the normal Mach number, both of the initial state.
    ///
    /// # Errors
    /// The initial state leaves or enters at the speed of sound or faster.
    pub(super) fn rate_of_outlet(&self, at: &FacePoint) -> Result<(f64, f64), InvalidValue> {
        let (rho, velocity, p) = at.initial_gas()?;
        let c = at.gas.sound_speed(rho, p);
        let mach = dot(velocity, at.normal) / c;
        if mach.abs() >= 1.0 {
            return Err(InvalidValue {
                key: "type",
                what: "relaxes, but the initial state passes it at the Mach number",
                value: mach,
                must: "between -1 and 1".into(),
            });
        }
        let length = self.length.unwrap_or(at.extent);
        Ok((self.sigma * (1.0 - mach * mach) * c / (2.0 * length), mach.max(0.0)))
    }
}
