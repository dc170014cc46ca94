//! What every boundary condition provides.

use super::interface_side::InterfaceSide;
use super::point::{FacePoint, PointData};
use super::relaxation::{Hold, Relaxation};
use super::wall::{Matching, Wall, WallLaw};
use crate::input::{Field, Group, InvalidValue, Problem};
use crate::physics::frame::Surroundings;
use crate::physics::turbulence::Turbulence;

/// A boundary condition with all its values known as fields.
pub trait Condition: std::fmt::Debug + Clone {
    /// Its keys beside `type`.
    type Keys;

    /// Evaluates and checks the keys.
    ///
    /// # Errors
    /// An expression cannot be evaluated, or the condition does not go with the gas.
    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem>;

    /// Returns all its fields.
    fn fields(&self) -> Vec<&Field>;

    /// Returns what the kernels need at a point.
    ///
    /// # Errors
    /// A value is not finite or not possible there.
    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue>;

    /// Returns the pressure or total pressure that it prescribes at a point with this data, if it does so.
    fn pressure(&self, _: &PointData) -> Option<f64> {
        None
    }

    /// Returns its rate, if it relaxes.
    fn relaxation(&self) -> Option<&Relaxation> {
        None
    }

    /// Returns what it holds over its whole area, if it does so.
    fn hold(&self) -> Option<Hold> {
        None
    }

    /// Returns the rate (1/time) at which it holds that at a point.
    fn held_rate(&self, _: &FacePoint) -> Option<f64> {
        None
    }

    /// Returns the velocity at a position of the frame in which the mesh is at rest, seen from that of the values, if
    /// the kernels must apply the condition in the frame of the values.
    fn frame_velocity(&self, _: [f64; 3]) -> Option<[f64; 3]> {
        None
    }

    /// Returns which wall it is, if it is one.
    fn wall(&self) -> Option<Wall<'_>> {
        None
    }

    /// Returns the matching point and the law, if it is a modelled wall.
    fn matching(&self) -> Option<(Matching, WallLaw)> {
        None
    }

    /// Returns the side of an interface, if it is one.
    fn interface(&self) -> Option<&InterfaceSide> {
        None
    }

    /// Returns the turbulence that is added to its velocity, if there is any.
    fn turbulence(&self) -> Option<Inflow<'_>> {
        None
    }

    /// Takes this turbulence away.
    fn remove_turbulence(&mut self) {}
}

/// Turbulence that comes in through a boundary, and the mean velocity.
#[derive(Debug, Clone, Copy)]
pub struct Inflow<'a> {
    /// The turbulence.
    pub turbulence: &'a Turbulence,
    /// The mean velocity that the condition prescribes; `None` if it prescribes none, and `turbulence.speed` is it.
    pub velocity: Option<&'a [Field; 3]>,
}

/// The condition of a boundary without keys.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoKeys {}
