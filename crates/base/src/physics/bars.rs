//! Rows of moving or resting bars, immersed in the mesh: their keys and motion.
//!
//! Wakes of an upstream blade row are modelled by cylindrical bars that pass in front of a cascade. No mesh follows
//! them: inside a bar the gas is driven to the velocity of the bar (ptx/physics/bars.h has the source terms). The mask
//! of a bar is a smooth function of the distance from its axis, so that forces do not jump as points of the mesh enter
//! a bar.

use crate::input::{Number, Problem, Scope, check, is_name, keys, not_negative, positive};

/// Fewest solution points over the diameter of a bar that acts as a body.
pub const FEWEST_POINTS: f64 = 8.0;
/// Largest deviation of a pitch from a divisor of the period, relative to the period: decimals of a case file.
const SLACK: f64 = 1e-6;

keys! {
/// A row of bars: circular cylinders parallel to z that move in y, without cells of their own.
BarKeys as "a mapping with keys such as `x`, `y` and `diameter`" {
    /// x of the axes (length).
    pub x: Number,
    /// y of the axis of one bar at the start (length).
    pub y: Number,
    /// Diameter (length), above 0. With fewer than 8 solution points over it the gas leaks through
    /// a bar, and a warning says so; its drag within 5 % takes 20.
    pub diameter: Number,
    /// Distance of neighbouring bars (length). The period of the domain in y must be a whole multiple of it, and is the
    /// default. In a domain that is not periodic in y there is one bar, and no pitch.
    pub pitch: Option<Number>,
    /// Velocity in y after the ramp; 0 for bars at rest.
    #[serde(default = "at_rest")]
    pub speed: Number,
    /// The first time step over the time eta in which the gas inside takes the velocity of the bar; above 0, at most
    /// 2.7. Eta then stays as it is.
    #[serde(default = "strength")]
    pub strength: Number,
    /// Duration in which velocity and force rise smoothly from 0, at least 0. The default is diameter over speed, and 0
    /// for bars at rest.
    pub ramp: Option<Number>,
    /// Temperature to which the gas inside is driven, above 0. Without it the bars exchange no heat.
    pub temperature: Option<Number>,
}}

fn at_rest() -> Number {
    0.0.into()
}

fn strength() -> Number {
    0.5.into()
}

/// A row of bars, as the case describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    /// Name of the row.
    pub name: String,
    /// x of the axes.
    pub x: f64,
    /// y of the axis of bar 0 at the start.
    pub y: f64,
    /// Diameter.
    pub diameter: f64,
    /// Distance of the bars; `None` for the period of the domain, or a single bar.
    pub pitch: Option<f64>,
    /// Velocity in y after the ramp.
    pub speed: f64,
    /// The first time step over eta.
    pub strength: f64,
    /// Duration of the ramp.
    pub ramp: f64,
    /// Temperature of the bars; `None` if they exchange no heat.
    pub temperature: Option<f64>,
}

impl BarRow {
    /// Evaluates the keys of a row and checks them. `period` is the period of the domain in y where that is known
    /// without the mesh: `Some(None)` if the domain is not periodic in y.
    pub fn resolve(keys: &BarKeys, scope: &Scope, name: &str, period: Option<Option<f64>>) -> Result<Self, Problem> {
        let path = |key: &str| format!("bars.{name}.{key}");
        if !is_name(name) {
            let help = "the name becomes part of the columns of bars.csv: at most 100 letters, digits, `_` and `-`";
            return Err(Problem::new(format!("`{name}` cannot be the name of a row of bars"))
                .key(format!("bars.{name}"))
                .help(help));
        }
        let number = |key: &str, value: &Number| scope.number(&path(key), value);
        let above_zero = |key: &str, value: &Number| scope.number_if(&path(key), value, positive, "above 0");
        let diameter = above_zero("diameter", &keys.diameter)?;
        let speed = number("speed", &keys.speed)?;
        let strength = number("strength", &keys.strength)?;
        let good = strength > 0.0 && strength <= 2.7;
        let limit = "above 0 and at most 2.7 (RK4 is unstable above 2.785)";
        let ramp = keys.ramp.as_ref();
        let ramp = ramp.map(|ramp| scope.number_if(&path("ramp"), ramp, not_negative, "at least 0"));
        let rise = if speed == 0.0 { 0.0 } else { diameter / speed.abs() };
        let pitch = keys.pitch.as_ref().map(|pitch| above_zero("pitch", pitch));
        let row = BarRow {
            name: name.to_owned(),
            x: number("x", &keys.x)?,
            y: number("y", &keys.y)?,
            diameter,
            pitch: pitch.transpose()?,
            speed,
            strength: check(&path("strength"), strength, good, limit)?,
            ramp: ramp.transpose()?.unwrap_or(rise),
            temperature: keys
                .temperature
                .as_ref()
                .map(|t| above_zero("temperature", t))
                .transpose()?,
        };
        if let Some(period) = period {
            row.spacing(period)
                .map_err(|what| Problem::new(what).key(path("pitch")))?;
        }
        Ok(row)
    }

    /// Returns how the bars repeat in a domain with this period in y; `None` if it is not periodic in y.
    ///
    /// # Errors
    /// The pitch does not divide the period, or the bars overlap. The error names pitches that are possible.
    pub fn spacing(&self, period: Option<f64>) -> Result<Spacing, String> {
        let Some(period) = period else {
            return match self.pitch {
                None => Ok(Spacing { pitch: 0.0, count: 1 }),
                Some(_) => Err("the domain is not periodic in y, so that bars would not come back: \
                                leave out `pitch` for a single bar, or make y periodic"
                    .to_owned()),
            };
        };
        let wanted = self.pitch.unwrap_or(period);
        let count = (period / wanted).round();
        if (count * wanted - period).abs() > SLACK * period || count < 1.0 {
            let fewer = (period / wanted).floor().max(1.0);
            let more = fewer + 1.0;
            return Err(format!(
                "the pitch {wanted} does not divide the period {period} of the domain in y: {} ({fewer} in the domain) \
                 and {} ({more}) do",
                period / fewer,
                period / more
            ));
        }
        let pitch = period / count;
        if pitch > self.diameter {
            Ok(Spacing {
                pitch,
                count: count as usize,
            })
        } else {
            Err(format!(
                "bars of diameter {} at a pitch of {pitch} touch each other",
                self.diameter
            ))
        }
    }

    /// Returns the share of velocity and force at this time after the begin, from 0 to 1.
    pub fn level(&self, since: f64) -> f64 {
        let share = self.share(since);
        share * share * (3.0 - 2.0 * share)
    }

    /// Returns the y of bar 0 at this time after the begin.
    pub fn y_at(&self, since: f64) -> f64 {
        let share = self.share(since);
        let rising = share * share * share * (1.0 - 0.5 * share) * self.ramp;
        self.y + self.speed * (rising + (since - self.ramp).max(0.0))
    }

    fn share(&self, since: f64) -> f64 {
        if since < self.ramp {
            since.max(0.0) / self.ramp
        } else {
            1.0
        }
    }

    /// Returns the frequency at which bars pass a fixed point after the ramp.
    pub fn passing_frequency(&self, spacing: Spacing) -> f64 {
        if spacing.pitch > 0.0 {
            self.speed.abs() / spacing.pitch
        } else {
            0.0
        }
    }
}

/// How bars repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spacing {
    /// Distance of the bars; 0 for a single one.
    pub pitch: f64,
    /// Number of bars in the domain.
    pub count: usize,
}

impl Spacing {
    /// Returns 1 over the pitch; 0 for a single bar.
    pub fn inverse_pitch(&self) -> f64 {
        if self.pitch > 0.0 { 1.0 / self.pitch } else { 0.0 }
    }

    /// Returns the number of whole pitches below this y; 0 for a single bar.
    pub fn pitches_below(&self, y: f64) -> f64 {
        (y * self.inverse_pitch()).floor()
    }

    /// Returns the number of the bar that is nearest to this y, if bar 0 is at `bar`, counted without regard to the
    /// period.
    pub fn nearest(&self, y: f64, bar: f64) -> f64 {
        if self.pitch > 0.0 {
            ((y - bar) / self.pitch + 0.5).floor()
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> BarRow {
        BarRow {
            name: "front".to_owned(),
            x: 0.25,
            y: 0.5,
            diameter: 0.25,
            pitch: Some(1.0),
            speed: 0.5,
            strength: 0.5,
            ramp: 0.5,
            temperature: None,
        }
    }

    #[test]
    fn the_path_is_the_integral_of_the_velocity() {
        let row = row();
        let mut path = row.y;
        let dt = 1e-4;
        for step in 0..20_000 {
            let time = dt * f64::from(step);
            assert!((row.y_at(time) - path).abs() < 1e-9, "{time}");
            path += dt * row.speed * row.level(time + 0.5 * dt);
        }
        assert_eq!(row.level(-1.0), 0.0);
        assert_eq!(row.level(7.0), 1.0);
        assert_eq!(row.y_at(-1.0), row.y);
        let sudden = BarRow { ramp: 0.0, ..row };
        assert_eq!((sudden.level(0.0), sudden.y_at(2.0)), (1.0, 1.5));
    }

    #[test]
    fn a_pitch_that_does_not_divide_the_period_is_refused_with_those_that_do() {
        let of = |pitch| BarRow { pitch, ..row() };
        assert_eq!(of(Some(1.0)).spacing(Some(3.0)), Ok(Spacing { pitch: 1.0, count: 3 }));
        assert_eq!(of(None).spacing(Some(3.0)), Ok(Spacing { pitch: 3.0, count: 1 }));
        assert_eq!(of(None).spacing(None), Ok(Spacing { pitch: 0.0, count: 1 }));
        let refused = of(Some(0.8)).spacing(Some(2.0)).expect_err("refused");
        assert!(
            refused.contains("1 (2 in the domain) and 0.6666666666666666 (3) do"),
            "{refused}"
        );
        let refused = of(Some(5.0)).spacing(Some(2.0)).expect_err("refused");
        assert!(refused.contains("2 (1 in the domain) and 1 (2) do"), "{refused}");
        assert!(of(Some(1.0)).spacing(None).is_err());
        let refused = of(Some(0.25)).spacing(Some(2.0)).expect_err("refused");
        assert!(refused.contains("touch"), "{refused}");
    }
}
