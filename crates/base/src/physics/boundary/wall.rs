//! What walls have in common.

use super::point::{FacePoint, PointData};
use crate::input::{Field, FieldText, Group, InvalidValue, Problem};
use crate::physics::frame::{GivenIn, Surroundings};
use crate::vector::dot;

/// Sine of the angle between a wall's velocity and the wall above which the velocity is refused: 30 degrees. Smaller
/// angles are tolerated because a coarse mesh of a turning wall has them.
const THROUGH: f64 = 0.5;
/// The same above which the user is warned: 1 degree.
const LEANING: f64 = 0.0175;
/// Speed, over the speed of sound, below which a velocity is nothing but round-off, as at a wall's axis of rotation.
const AT_REST: f64 = 1e-9;

/// A wall.
#[derive(Debug, Clone, Copy)]
pub enum Wall<'a> {
    /// Gas slips along it.
    Slip,
    /// Gas sticks to it, on the mesh or in the layer below it that a model stands for.
    NoSlip {
        /// Its velocity.
        velocity: &'a [Field; 3],
    },
}

/// Where a wall model takes the state of the gas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Matching {
    /// At the side of the cell opposite to the wall.
    CellTop,
    /// At this distance from the wall along its normal (length).
    Distance(f64),
}

/// What relates the state at the matching point to friction and heat flux.
#[repr(i32)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WallLaw {
    /// Reichardt's law of the wall (1951) with constant density and viscosity, and Jayatilleke's temperature (1969).
    #[default]
    Reichardt,
    /// The equations of a boundary layer in equilibrium with variable density and viscosity (Kawai & Larsson 2012).
    Equilibrium,
}

/// Slots of a wall with friction.
#[repr(i32)]
pub enum WallSlot {
    /// Velocity: three slots.
    Velocity,
    /// Temperature, if it is given.
    Temperature = 3,
}

/// Evaluates the velocity of a no-slip wall, relative to the mesh; the gas must be viscous.
pub(super) fn resolve(
    velocity: &Option<[FieldText; 3]>,
    frame: GivenIn,
    group: &Group,
    around: &Surroundings,
) -> Result<[Field; 3], Problem> {
    if around.gas.viscosity.is_none() {
        return Err(
            Problem::new("a no-slip wall needs a viscous gas, but gas.viscosity is not given")
                .key(group.path("type"))
                .help("without viscosity a wall is of type `slip`"),
        );
    }
    let velocity = match velocity {
        Some(velocity) => group.vector("velocity", velocity)?,
        None => [0.0; 3].map(Field::constant),
    };
    around.velocity(velocity, frame, group)
}

/// Returns the data of a wall at a point, with its velocity alone, which must lie along the wall.
pub(super) fn data(fields: &[Field; 3], at: &FacePoint) -> Result<PointData, InvalidValue> {
    let velocity = at.vector(["velocity[0]", "velocity[1]", "velocity[2]"], fields)?;
    let through = dot(velocity, at.normal);
    let speed = dot(velocity, velocity).sqrt();
    if through.abs() > THROUGH * speed && through.abs() > AT_REST * at.initial_sound_speed()? {
        return Err(InvalidValue {
            key: "velocity",
            what: "goes through the wall: its component along the outward normal is",
            value: through,
            must: "0, as the mesh does not move".into(),
        });
    }
    let mut data = PointData::default();
    data[WallSlot::Velocity as usize..][..3].copy_from_slice(&velocity);
    Ok(data)
}

impl Wall<'_> {
    /// Returns the sine of the angle between a no-slip wall and its velocity at a point, where it is large enough for a
    /// warning.
    pub fn leaning(&self, at: &FacePoint) -> Option<f64> {
        let Wall::NoSlip { velocity } = self else { return None };
        let v = [0, 1, 2].map(|d| velocity[d].eval(at.x, at.time));
        let through = dot(v, at.normal).abs();
        let speed = dot(v, v).sqrt();
        let real = at.initial_sound_speed().is_ok_and(|c| through > AT_REST * c);
        (real && through > LEANING * speed).then(|| through / speed)
    }
}

#[cfg(test)]
mod tests {
    use crate::physics::Gas;
    use crate::physics::boundary::BoundaryKeys;
    use crate::physics::boundary::condition::NoKeys;
    use crate::physics::boundary::no_slip_adiabatic::NoSlipAdiabaticKeys;
    use crate::physics::boundary::tests::{GAS, data, resolve, vector};

    fn adiabatic(velocity: Option<[&str; 3]>) -> BoundaryKeys {
        BoundaryKeys::NoSlipAdiabatic(NoSlipAdiabaticKeys {
            velocity: velocity.map(vector),
            frame: Default::default(),
        })
    }

    #[test]
    fn a_wall_whose_velocity_leaves_it_is_refused() {
        let wall = |velocity| data(adiabatic(Some(velocity)));
        assert!(wall(["0.4", "1", "0"]).is_ok());
        assert!(wall(["1e-8", "0", "0"]).is_ok(), "round-off");
        let wrong = wall(["1", "1", "0"]).expect_err("through the wall");
        assert_eq!((wrong.key, wrong.value), ("velocity", 1.0));
    }

    #[test]
    fn a_no_slip_wall_needs_a_viscous_gas() {
        let inviscid = Gas { viscosity: None, ..GAS };
        let problem = resolve(&adiabatic(None), &inviscid).expect_err("refused");
        assert_eq!(problem.key, "boundaries.side.type");
        assert!(resolve(&BoundaryKeys::Symmetry(NoKeys {}), &inviscid).is_ok());
    }
}
