//! Outflow that lets sound leave, and holds a static pressure or a mass flux in the mean.

use super::condition::Condition;
use super::point::{FacePoint, PointData};
use super::pressure_outlet::{OutletSlot, PressureOutlet, PressureOutletKeys};
use super::relaxation::{Hold, Relaxation, RelaxedSlot, default_relaxation};
use crate::input::{Field, FieldText, Group, InvalidValue, Number, Problem, keys};
use crate::physics::frame::Surroundings;

/// Rate at which the pressure at each point approaches the mean over the boundary, over the speed of sound divided by
/// the size of a face. Eddies of the size of a face then pass nearly as through an outlet of given pressure.
const EVEN: f64 = 3.0;

/// What a relaxed outlet holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HoldKey {
    /// The mean pressure over the boundary; differences from it are evened out quickly.
    #[default]
    Mean,
    /// The pressure at each point, without regard to the others: for laminar flow.
    Local,
    /// The mass flux through the boundary, by a mean pressure that is adjusted slowly.
    MassFlow,
}

/// Terms along the face in the equation of a relaxed outlet.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transverse {
    /// None.
    None,
    /// Those of a velocity that the flow carries along; not with `hold: local`.
    Convective,
    /// Those of Lodato, Domingo & Vervisch (2008), for outflow along the normal.
    Lodato,
}

keys! {
/// Outflow that lets sound leave, and holds a static pressure or a mass flux in the mean.
RelaxedOutletKeys as "a mapping with the key `type`" {
    /// Static pressure, above 0; with `hold: mass-flow` the pressure at the start.
    pub p: FieldText,
    /// Total temperature, above 0, of gas that flows back; default: the temperature of the initial state there.
    pub total_temperature: Option<FieldText>,
    /// Factor sigma of the rate sigma (1 - M^2) c/(2 length) at which the mean is held, above 0.
    #[serde(default = "default_relaxation")]
    pub relaxation: Number,
    /// Length that the rate refers to, above 0 (length); default: the extent of the domain along the mean normal.
    pub length: Option<Number>,
    /// What is held.
    #[serde(default)]
    pub hold: HoldKey,
    /// Mass per time through the whole boundary, above 0; with `hold: mass-flow` only.
    pub mass_flow: Option<Number>,
    /// Terms along the face; default: `convective`, with `hold: local` `none`.
    pub transverse: Option<Transverse>,
}}

/// Outflow that lets sound leave.
#[derive(Debug, Clone)]
pub struct RelaxedOutlet {
    outlet: PressureOutlet,
    relaxation: Relaxation,
    hold: Option<Hold>,
    transverse: Transverse,
}

impl RelaxedOutlet {
    /// Returns the outlet that holds its pressure at each moment.
    pub(super) fn held(&self) -> PressureOutlet {
        self.outlet.clone()
    }
}

impl Condition for RelaxedOutlet {
    type Keys = RelaxedOutletKeys;

    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let outlet = PressureOutletKeys {
            p: keys.p.clone(),
            total_temperature: keys.total_temperature.clone(),
        };
        let target = |text: &Number| {
            let key = group.path("mass-flow");
            group.scope.number_if(&key, text, crate::input::positive, "above 0")
        };
        if keys.hold == HoldKey::Local && keys.transverse == Some(Transverse::Convective) {
            // The terms leave out pressure, and what is missing adds up over the time 1/kappa, which is many turnovers
            // of an eddy.
            let problem =
                Problem::new("`transverse: convective` does not go with `hold: local`: turbulence makes it diverge");
            let problem = problem.key(group.path("transverse"));
            return Err(problem.help("leave out `hold: local`, or take `transverse: lodato` or `none`"));
        }
        let hold = match (keys.hold, &keys.mass_flow) {
            (HoldKey::Local, None) => None,
            (HoldKey::Mean, None) => Some(Hold::Mean),
            (HoldKey::MassFlow, Some(text)) => Some(Hold::MassFlow { target: target(text)? }),
            (HoldKey::MassFlow, None) => {
                let problem = Problem::new("`hold: mass-flow` needs the key `mass-flow`").key(group.path("hold"));
                return Err(problem.help("add `mass-flow`, the mass per time that leaves through the whole boundary"));
            }
            (_, Some(_)) => {
                let problem = Problem::new("`mass-flow` is used with `hold: mass-flow` only");
                return Err(problem.key(group.path("mass-flow")));
            }
        };
        Ok(RelaxedOutlet {
            outlet: PressureOutlet::resolve(&outlet, group, around)?,
            relaxation: Relaxation::resolve(&keys.relaxation, &keys.length, group)?,
            hold,
            transverse: keys.transverse.unwrap_or(match keys.hold {
                HoldKey::Mean | HoldKey::MassFlow => Transverse::Convective,
                HoldKey::Local => Transverse::None,
            }),
        })
    }

    fn fields(&self) -> Vec<&Field> {
        self.outlet.fields()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        let mut data = self.outlet.data(at)?;
        let (rate, mach) = self.relaxation.rate_of_outlet(at)?;
        data[RelaxedSlot::Transverse as usize] = f64::from(self.transverse as i32);
        data[RelaxedSlot::Mach as usize] = mach;
        let (rho, _, p) = at.initial_gas()?;
        let c = at.gas.sound_speed(rho, p);
        let (rate, impedance) = match self.hold {
            Some(_) => (EVEN * c / at.face_size, rho * c),
            None => (rate, 0.0),
        };
        data[RelaxedSlot::Rate as usize] = rate;
        data[RelaxedSlot::Impedance as usize] = impedance;
        Ok(data)
    }

    fn pressure(&self, data: &PointData) -> Option<f64> {
        Some(data[OutletSlot::Pressure as usize])
    }

    fn relaxation(&self) -> Option<&Relaxation> {
        Some(&self.relaxation)
    }

    fn hold(&self) -> Option<Hold> {
        self.hold
    }

    fn held_rate(&self, at: &FacePoint) -> Option<f64> {
        self.hold
            .and(self.relaxation.rate_of_outlet(at).ok())
            .map(|(rate, _)| rate)
    }
}

/// Returns the pressure that the values of a relaxed outlet prescribe.
pub fn outlet_pressure(data: &PointData) -> f64 {
    data[OutletSlot::Pressure as usize]
}

/// Returns the total temperature of gas that flows back, which the values of a relaxed outlet prescribe.
pub fn outlet_temperature(data: &PointData) -> f64 {
    data[OutletSlot::TotalTemperature as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::boundary::BoundaryKeys;
    use crate::physics::boundary::tests::{GAS, data, resolve, text};

    fn keys(hold: HoldKey, mass_flow: Option<Number>) -> RelaxedOutletKeys {
        RelaxedOutletKeys {
            p: text("9e4"),
            total_temperature: None,
            relaxation: default_relaxation(),
            length: None,
            hold,
            mass_flow,
            transverse: Some(Transverse::Lodato),
        }
    }

    /// The initial state of the tests is at rest and at 300. Their domain is 2 long, and its faces have the size 0.1.
    #[test]
    fn the_rate_is_that_of_the_initial_state() {
        let values = data(BoundaryKeys::RelaxedOutlet(keys(HoldKey::Local, None))).expect("values");
        let rate = 0.25 * (1.4f64 * 287.0 * 300.0).sqrt() / 4.0;
        assert_eq!((values[0], values[2], values[3]), (9e4, 2.0, 0.0));
        assert!(
            (values[1] - 300.0).abs() < 1e-12 && (values[5] / rate - 1.0).abs() < 1e-14,
            "{values:?}"
        );
        let values = data(BoundaryKeys::RelaxedOutlet(keys(HoldKey::Mean, None))).expect("values");
        let sound = (1.4f64 * 287.0 * 300.0).sqrt();
        // The initial pressure is 1e5.
        let expected = [1e5 / (287.0 * 300.0) * sound, 3.0 * sound / 0.1];
        let off = [4, 5].map(|slot| (values[slot] / expected[slot - 4] - 1.0).abs());
        assert!(off.iter().all(|off| *off < 1e-14), "{values:?}");
    }

    #[test]
    fn a_mass_flux_is_given_where_it_is_held_and_only_there() {
        let flux = || Some(Number(crate::input::Expression::Value(2.0)));
        let held = resolve(&BoundaryKeys::RelaxedOutlet(keys(HoldKey::MassFlow, flux())), &GAS);
        assert_eq!(held.expect("resolves").hold(), Some(Hold::MassFlow { target: 2.0 }));
        for wrong in [keys(HoldKey::MassFlow, None), keys(HoldKey::Mean, flux())] {
            let refused = resolve(&BoundaryKeys::RelaxedOutlet(wrong), &GAS);
            assert!(refused.expect_err("refused").to_string().contains("mass-flow"));
        }
    }

    #[test]
    fn convective_terms_do_not_go_with_a_pressure_that_each_point_holds() {
        for (hold, transverse, goes) in [
            (HoldKey::Local, Some(Transverse::Convective), false),
            (HoldKey::Local, Some(Transverse::Lodato), true),
            (HoldKey::Local, None, true),
            (HoldKey::Mean, Some(Transverse::Convective), true),
        ] {
            let keys = RelaxedOutletKeys {
                transverse,
                ..keys(hold, None)
            };
            let resolved = resolve(&BoundaryKeys::RelaxedOutlet(keys), &GAS);
            assert_eq!(resolved.is_ok(), goes, "{hold:?} {transverse:?}");
        }
    }
}
