//! Sponge layers: their keys, regions and targets.
//!
//! In a sponge the conserved variables U decay towards a target, dU/dt = ... - rate (U - target), at a rate that rises
//! from zero over the thickness of the layer. Sound and vortices that enter the layer fade before they meet a boundary
//! that would reflect them (A. Mani, J. Comput. Phys. 231 (2012) 704). The kernels are in ptx/method/sponge.h.
//!
//! The rate rises by s^2 (3 - 2 s), the polynomial of lowest degree without a kink at either end. For the same damping
//! of a wave its largest rate is half of that of s^3, which matters because the largest rate enters the time step.

use crate::input::{Field, FieldText, Group, InvalidValue, Number, Of, Problem, Scope, finite, keys, positive};
use crate::physics::frame::Surroundings;
use crate::physics::state::{GasState, StateKeys};
use crate::vector::{Vector, dot, minus};

keys! {
/// A sponge: a region in which the state is driven towards a given one, or towards the running mean of the flow. One of
/// `plane`, `box` and `weight` says where, and one of `state` and `mean` says towards what.
SpongeKeys as "a mapping with `strength`, one of `plane`, `box` and `weight`, and one of `state` and `mean`" {
    /// Everything beyond a plane.
    pub plane: Option<SpongePlaneKeys>,
    /// Everything outside of a box.
    pub r#box: Option<SpongeBoxKeys>,
    /// A share of the strength from 0 to 1, a field of x, y, z.
    pub weight: Option<FieldText>,
    /// Largest rate at which the state decays towards its target (1/time), above 0.
    pub strength: Number,
    /// The state that is sought, fields of x, y, z.
    pub state: Option<StateKeys>,
    /// The running mean of the flow itself is sought.
    pub mean: Option<SpongeMeanKeys>,
}}

keys! {
/// A sponge beyond a plane.
SpongePlaneKeys as "a mapping with the keys `point`, `normal` and `thickness`" {
    /// A point of the plane.
    pub point: [Number; 3],
    /// Direction in which the rate rises, of any length.
    pub normal: [Number; 3],
    /// Distance from the plane at which the rate is largest, above 0 (length). It stays so beyond.
    pub thickness: Number,
}}

keys! {
/// A sponge outside of a box.
SpongeBoxKeys as "a mapping with the keys `lower`, `upper` and `ramp`" {
    /// Corner of smallest x, y, z. A side that lies beyond the mesh has no sponge.
    pub lower: [Number; 3],
    /// Corner of largest x, y, z, above `lower` in each.
    pub upper: [Number; 3],
    /// Distance from the box at which the rate is largest, above 0 (length). It stays so beyond.
    pub ramp: Number,
}}

keys! {
/// A running mean of the flow.
SpongeMeanKeys as "a mapping with the key `time`" {
    /// Averaging time of the exponential filter, above 0: changes within this time are damped, and slower ones are
    /// followed.
    pub time: Number,
}}

/// A sponge, as the case describes it.
#[derive(Debug, Clone)]
pub struct Sponge {
    /// Its name in the case.
    pub name: String,
    /// Where it acts.
    pub region: SpongeRegion,
    /// Largest rate (1/time).
    pub strength: f64,
    /// What it drives the state towards.
    pub target: SpongeTarget,
}

/// Where a sponge acts.
#[derive(Debug, Clone)]
pub enum SpongeRegion {
    /// Beyond a plane.
    Plane {
        /// A point of the plane.
        point: Vector,
        /// Unit vector in which the rate rises.
        normal: Vector,
        /// Distance over which the rate rises.
        thickness: f64,
    },
    /// Outside of a box.
    Box {
        /// Corner of smallest coordinates.
        lower: Vector,
        /// Corner of largest coordinates.
        upper: Vector,
        /// Distance over which the rate rises.
        ramp: f64,
    },
    /// Where a field is above 0.
    Weight(Field),
}

/// What a sponge drives the state towards.
#[derive(Debug, Clone)]
pub enum SpongeTarget {
    /// A given state.
    State(GasState),
    /// The running mean of the flow with this averaging time.
    Mean(f64),
}

/// A plane beyond which a sponge acts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpongeSide {
    /// Unit vector into the sponge.
    pub normal: Vector,
    /// Distance of the plane from the origin along the normal.
    pub begin: f64,
    /// Distance over which the rate rises.
    pub thickness: f64,
}

impl Sponge {
    /// Evaluates the keys of a sponge and checks them.
    pub fn resolve(keys: &SpongeKeys, scope: &Scope, name: &str, around: &Surroundings) -> Result<Self, Problem> {
        let key = format!("sponges.{name}");
        let group = Group {
            scope,
            key: &key,
            of: Of::Position,
        };
        let strength = scope.number_if(&group.path("strength"), &keys.strength, positive, "above 0")?;
        let given = [keys.plane.is_some(), keys.r#box.is_some(), keys.weight.is_some()];
        exactly_one(&key, &["plane", "box", "weight"], &given, "says where the sponge acts")?;
        let given = [keys.state.is_some(), keys.mean.is_some()];
        exactly_one(
            &key,
            &["state", "mean"],
            &given,
            "says what the state is driven towards",
        )?;
        let target = match (&keys.state, &keys.mean) {
            (Some(state), _) => {
                let key = &group.path("state");
                let state = GasState::resolve(state, &Group { key, ..group }, around)?;
                if state.fields().into_iter().any(Field::needs_walls) {
                    let problem = Problem::new("a sponge takes no table along wall-distance").key(key);
                    return Err(problem.help("give the state along x, y, z, radius or angle"));
                }
                SpongeTarget::State(state)
            }
            (None, mean) => {
                let time = mean.as_ref().map(|mean| &mean.time).expect("one of both is given");
                SpongeTarget::Mean(scope.number_if(&group.path("mean.time"), time, positive, "above 0")?)
            }
        };
        Ok(Sponge {
            name: name.to_owned(),
            region: SpongeRegion::resolve(keys, &group)?,
            strength,
            target,
        })
    }

    /// Returns the averaging time, if the sponge drives the state towards the running mean.
    pub fn averaging_time(&self) -> Option<f64> {
        match self.target {
            SpongeTarget::State(_) => None,
            SpongeTarget::Mean(time) => Some(time),
        }
    }
}

/// Verifies that exactly one of these keys is given.
fn exactly_one(key: &str, names: &[&str], given: &[bool], purpose: &str) -> Result<(), Problem> {
    let there: Vec<&str> = names
        .iter()
        .zip(given)
        .filter(|(_, given)| **given)
        .map(|(name, _)| *name)
        .collect();
    let quoted = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match there[..] {
        [_] => Ok(()),
        [] => Err(Problem::new(format!("one of the keys {} is missing: it {purpose}", quoted(names))).key(key)),
        [_, second, ..] => {
            let what = format!("{} exclude each other: one of them {purpose}", quoted(&there));
            Err(Problem::new(what).key(format!("{key}.{second}")))
        }
    }
}

impl SpongeRegion {
    fn resolve(keys: &SpongeKeys, group: &Group) -> Result<Self, Problem> {
        let scope = group.scope;
        let length = |name: &str, number| scope.number_if(&group.path(name), number, positive, "above 0");
        if let Some(plane) = &keys.plane {
            return Ok(SpongeRegion::Plane {
                point: scope.numbers(&group.path("plane.point"), &plane.point)?,
                normal: scope.direction(&group.path("plane.normal"), &plane.normal)?,
                thickness: length("plane.thickness", &plane.thickness)?,
            });
        }
        if let Some(rim) = &keys.r#box {
            let lower = scope.numbers(&group.path("box.lower"), &rim.lower)?;
            let upper = scope.numbers(&group.path("box.upper"), &rim.upper)?;
            if let Some(d) = (0..3).find(|&d| lower[d] >= upper[d]) {
                let what = format!(
                    "`upper` is {} where `lower` is {}: it must be above",
                    upper[d], lower[d]
                );
                return Err(Problem::new(what).key(group.path(&format!("box.upper[{d}]"))));
            }
            let ramp = length("box.ramp", &rim.ramp)?;
            return Ok(SpongeRegion::Box { lower, upper, ramp });
        }
        let weight = keys.weight.as_ref().expect("one of the three is given");
        group.field("weight", weight).map(SpongeRegion::Weight)
    }

    /// Returns the key that describes it.
    pub fn key(&self) -> &'static str {
        match self {
            SpongeRegion::Plane { .. } => "plane",
            SpongeRegion::Box { .. } => "box",
            SpongeRegion::Weight(_) => "weight",
        }
    }

    /// Returns the rate over the largest rate at a position, from 0 to 1.
    ///
    /// # Errors
    /// A given weight is not a number from 0 to 1.
    pub fn weight(&self, x: Vector) -> Result<f64, InvalidValue> {
        match self {
            SpongeRegion::Plane {
                point,
                normal,
                thickness,
            } => Ok(ramp(dot(minus(x, *point), *normal) / thickness)),
            SpongeRegion::Box {
                lower,
                upper,
                ramp: over,
            } => {
                let beyond = |d: usize| (lower[d] - x[d]).max(x[d] - upper[d]).max(0.0);
                let distance = crate::vector::length([beyond(0), beyond(1), beyond(2)]);
                Ok(ramp(distance / over))
            }
            SpongeRegion::Weight(field) => {
                let value = finite("weight", field, x, 0.0)?;
                if (0.0..=1.0).contains(&value) {
                    Ok(value)
                } else {
                    Err(InvalidValue {
                        key: "weight",
                        what: "is",
                        value,
                        must: "from 0 to 1".into(),
                    })
                }
            }
        }
    }

    /// Returns the planes beyond which it acts; none if its weight is given.
    pub fn sides(&self) -> Vec<SpongeSide> {
        match self {
            SpongeRegion::Plane {
                point,
                normal,
                thickness,
            } => vec![SpongeSide {
                normal: *normal,
                begin: dot(*point, *normal),
                thickness: *thickness,
            }],
            SpongeRegion::Box { lower, upper, ramp } => {
                let side = |d: usize, sign: f64, begin| {
                    let mut normal = [0.0; 3];
                    normal[d] = sign;
                    let thickness = *ramp;
                    SpongeSide {
                        normal,
                        begin,
                        thickness,
                    }
                };
                let both = |d: usize| [side(d, -1.0, -lower[d]), side(d, 1.0, upper[d])];
                (0..3).flat_map(both).collect()
            }
            SpongeRegion::Weight(_) => Vec::new(),
        }
    }
}

impl SpongeSide {
    /// Returns the integral of the weight from the plane to this distance beyond it.
    pub fn integral(&self, distance: f64) -> f64 {
        let s = (distance / self.thickness).clamp(0.0, 1.0);
        self.thickness * s * s * s * (1.0 - 0.5 * s) + (distance - self.thickness).max(0.0)
    }
}

/// Returns s^2 (3 - 2 s) between 0 and 1, and 0 and 1 beyond.
fn ramp(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_beyond_a_plane_and_outside_of_a_box() {
        let plane = SpongeRegion::Plane {
            point: [8.0, 0.0, 0.0],
            normal: [0.6, 0.8, 0.0],
            thickness: 2.0,
        };
        let at = |region: &SpongeRegion, x| region.weight(x).expect("a weight");
        // Half of the thickness beyond, before, and far beyond.
        assert!((at(&plane, [8.6, 0.8, 5.0]) - 0.5).abs() < 1e-15);
        assert_eq!(at(&plane, [7.9, 0.0, 0.0]), 0.0);
        assert_eq!(at(&plane, [80.0, 0.0, 0.0]), 1.0);
        let rim = SpongeRegion::Box {
            lower: [0.0; 3],
            upper: [1.0, 2.0, 3.0],
            ramp: 10.0,
        };
        assert_eq!(at(&rim, [0.5, 2.0, 0.0]), 0.0);
        assert_eq!(at(&rim, [0.5, 12.0, 1.0]), 1.0);
        // At a corner the distance counts: 3, 4 and 0 beyond.
        assert!((at(&rim, [-3.0, 6.0, 1.0]) - 0.5).abs() < 1e-15);
        assert!((at(&rim, [1.0, 2.0, 5.5]) - (3.0 * 0.0625 - 2.0 * 0.015625)).abs() < 1e-15);
    }

    #[test]
    fn the_sides_of_a_box_are_its_planes_and_their_integrals_those_of_the_weight() {
        let rim = SpongeRegion::Box {
            lower: [-1.0, -2.0, -3.0],
            upper: [1.0, 2.0, 3.0],
            ramp: 0.5,
        };
        for side in rim.sides() {
            let on = side.normal.map(|n| n * side.begin);
            for d in 0..3 {
                assert!(side.normal[d] == 0.0 || on[d].abs() == 1.0 + d as f64, "{side:?}");
            }
            let mut sum = 0.0;
            let step = 1e-4;
            for k in 0..7500 {
                let x = side.normal.map(|n| n * (side.begin + step * (f64::from(k) + 0.5)));
                sum += step * rim.weight(x).expect("a weight");
                if k == 2999 {
                    assert!((side.integral(0.3) - sum).abs() < 1e-8);
                }
            }
            assert!((side.integral(0.75) - sum).abs() < 1e-8);
        }
    }
}
