//! A frame of reference that rotates at a constant angular velocity about a fixed axis.
//!
//! A mesh that turns with a rotor is at rest in such a frame. All velocities of a run are relative to it. Coriolis and
//! centrifugal forces act on the gas (ptx/physics/rotation.h). Values of the initial state and of boundaries may be
//! given in either frame. A velocity in the absolute frame becomes a relative one when the case is read.
//!
//! In a flow of nearly constant density the pressure balances the centrifugal force. Simulations of rotating channels
//! leave this force out, so that the flow can be periodic across the axis.

use super::gas::Gas;
use crate::format::location;
use crate::input::{Field, Group, Number, Problem, Scope, keys};
use crate::vector::{Vector, cross, length, minus};

keys! {
/// A frame of reference that rotates about a fixed axis. The mesh is at rest in it, and velocities are relative to it.
RotatingFrameKeys as "a mapping with the key `angular-velocity`" {
    /// Angular velocity (radians per time) along the axis, by the right-hand rule; not 0, 0, 0.
    pub angular_velocity: [Number; 3],
    /// A point of the axis (length); default 0, 0, 0. It is not given with `forces: coriolis`, a force that is the same
    /// about any axis of this direction.
    pub origin: Option<[Number; 3]>,
    /// Which of its forces act on the gas.
    #[serde(default)]
    pub forces: FrameForces,
}}

/// Which forces of a rotating frame act on the gas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameForces {
    /// Coriolis and centrifugal force.
    #[default]
    All,
    /// The Coriolis force alone, for flows of nearly constant density whose pressure is meant without the part that
    /// balances the centrifugal force. The flow may then be periodic across the axis. Nothing can be given in the
    /// absolute frame.
    Coriolis,
}

/// The frame of reference in which values are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GivenIn {
    /// The frame of the mesh, which rotates if the case has a `rotating-frame`.
    #[default]
    Relative,
    /// The frame at rest, beside a `rotating-frame`.
    Absolute,
}

/// A frame of reference that rotates about a fixed axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RotatingFrame {
    /// Angular velocity (radians per time).
    pub angular_velocity: Vector,
    /// A point of the axis (length).
    pub origin: Vector,
    /// Which of its forces act on the gas.
    pub forces: FrameForces,
}

/// What the keys of states and boundaries depend on.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The gas.
    pub gas: &'a Gas,
    /// The rotating frame, if the case has one.
    pub frame: Option<&'a RotatingFrame>,
}

impl RotatingFrame {
    /// Evaluates the keys and checks them.
    pub fn resolve(keys: &RotatingFrameKeys, scope: &Scope) -> Result<Self, Problem> {
        let angular_velocity = scope.numbers("rotating-frame.angular-velocity", &keys.angular_velocity)?;
        if angular_velocity == [0.0; 3] {
            return Err(Problem::new("the angular velocity is 0, 0, 0, which has no axis")
                .key("rotating-frame.angular-velocity")
                .help("a frame at rest needs no key `rotating-frame`"));
        }
        let origin = keys.origin.as_ref();
        if keys.forces == FrameForces::Coriolis && origin.is_some() {
            return Err(Problem::new(
                "the Coriolis force does not depend on where the axis is: `origin` has no effect",
            )
            .key("rotating-frame.origin")
            .help("leave `origin` out, or leave `forces` out for the centrifugal force as well"));
        }
        let origin = origin.map(|origin| scope.numbers("rotating-frame.origin", origin));
        let origin = origin.transpose()?.unwrap_or_default();
        Ok(RotatingFrame {
            angular_velocity,
            origin,
            forces: keys.forces,
        })
    }

    /// Returns a description for the log: angular speed and axis.
    pub fn describe(&self) -> String {
        let speed = length(self.angular_velocity);
        let axis = self.angular_velocity.map(|component| component / speed);
        let axis = location(axis);
        match self.forces {
            FrameForces::All => format!("turns at {speed} about {axis} through {}", location(self.origin)),
            FrameForces::Coriolis => format!("turns at {speed} about {axis}, without centrifugal force"),
        }
    }

    /// Returns the velocity of the frame at a position, omega x (x - origin).
    pub fn velocity(&self, x: Vector) -> Vector {
        cross(self.angular_velocity, minus(x, self.origin))
    }

    /// Returns the velocity relative to the frame from the velocity in the absolute frame.
    fn relative(&self, absolute: [Field; 3]) -> [Field; 3] {
        // The velocity of the frame is linear in the position.
        let at_zero = self.velocity([0.0; 3]);
        let unit = |d: usize| [0, 1, 2].map(|e| f64::from(u8::from(e == d)));
        let columns = [0, 1, 2].map(|d| cross(self.angular_velocity, unit(d)));
        let mut components = 0..3;
        absolute.map(|field| {
            let d = components.next().unwrap_or_default();
            field.minus_linear(columns.map(|column| column[d]), at_zero[d])
        })
    }
}

impl GivenIn {
    /// Refuses turbulence at an inlet of the group whose values are given in this frame.
    ///
    /// # Errors
    /// The frame is the absolute one: seen from a mesh that rotates, no single velocity carries the turbulence.
    pub fn check_turbulence(self, turbulent: bool, group: &Group) -> Result<(), Problem> {
        if self == GivenIn::Absolute && turbulent {
            let problem = Problem::new("turbulence cannot be added to values of the absolute frame");
            let help = "give the values relative to the rotating frame, or leave the turbulence out";
            Err(problem.key(group.path("turbulence")).help(help.to_owned()))
        } else {
            Ok(())
        }
    }
}

impl Surroundings<'_> {
    /// Returns the frame that rotates against the one in which the values of a group are given; `None` if there is no
    /// such frame. The group has the key `frame`.
    pub fn frame_of(&self, given: GivenIn, group: &Group) -> Result<Option<RotatingFrame>, Problem> {
        match (given, self.frame) {
            (GivenIn::Relative, _) => Ok(None),
            (GivenIn::Absolute, Some(frame)) if frame.forces == FrameForces::Coriolis => {
                let problem = Problem::new("values of the absolute frame need the centrifugal force");
                let help = "give the values relative to the rotating frame, or leave `rotating-frame.forces` out";
                Err(problem.key(group.path("frame")).help(help.to_owned()))
            }
            (GivenIn::Absolute, Some(&frame)) => Ok(Some(frame)),
            (GivenIn::Absolute, None) => {
                let problem = Problem::new("the values are given in the absolute frame, but no other frame is defined");
                let help = "name the frame of the mesh by `rotating-frame`, or leave the key out; in a block that \
                            turns behind an interface, give the velocity that its cells see";
                Err(problem.key(group.path("frame")).help(help.to_owned()))
            }
        }
    }

    /// Returns a velocity relative to the frame of the mesh.
    pub fn velocity(&self, velocity: [Field; 3], given: GivenIn, group: &Group) -> Result<[Field; 3], Problem> {
        Ok(match self.frame_of(given, group)? {
            Some(frame) => frame.relative(velocity),
            None => velocity,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gas_at_rest_moves_backwards_in_the_frame() {
        let frame = RotatingFrame {
            angular_velocity: [0.3, -0.2, 2.0],
            origin: [1.0, 0.5, -0.1],
            forces: FrameForces::All,
        };
        let at_rest = frame.relative([0.0; 3].map(Field::constant));
        // omega x r by its components.
        let x = [0.7, -1.1, 0.4];
        let [a, b, c] = frame.angular_velocity;
        let r = [x[0] - 1.0, x[1] - 0.5, x[2] + 0.1];
        let exact = [b * r[2] - c * r[1], c * r[0] - a * r[2], a * r[1] - b * r[0]];
        for d in 0..3 {
            assert!((at_rest[d].eval(x, 0.0) + exact[d]).abs() < 1e-15, "component {d}");
            assert!(!at_rest[d].is_constant() && !at_rest[d].depends_on_time());
        }
        // Along the axis nothing changes.
        let about_z = RotatingFrame {
            angular_velocity: [0.0, 0.0, 2.0],
            origin: [0.0; 3],
            forces: FrameForces::All,
        };
        let [_, _, w] = about_z.relative([0.0, 0.0, 5.0].map(Field::constant));
        assert_eq!(w.as_constant(), Some(5.0));
    }
}
