//! Inflow faster than sound, of given state.

use super::condition::Condition;
use super::point::{FacePoint, PointData};
use crate::input::{Field, Group, InvalidValue, Problem};
use crate::physics::frame::Surroundings;
use crate::physics::state::{GasState, StateKeys};

/// Inflow faster than sound, of given state. Its slots are the conserved variables of that state.
#[derive(Debug, Clone)]
pub struct SupersonicInlet(GasState);

impl Condition for SupersonicInlet {
    type Keys = StateKeys;

    fn resolve(keys: &StateKeys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        GasState::resolve(keys, group, around).map(SupersonicInlet)
    }

    fn fields(&self) -> Vec<&Field> {
        self.0.fields()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        at.conserved(&self.0)
    }
}
