//! Writing the arrays of boundary faces that only some runs have: modelled walls, interfaces and hanging nodes.

use super::Arrays;
use crate::device::contract::{WALL_LAW_CELLS, WALL_LAW_END};
use crate::device::memory::Real;
use crate::device::plan::Plan;
use crate::device::rounding::round_into;
use crate::device::store::Store;
use crate::device::{DeviceError, Physics};
use crate::physics::law_of_the_wall;

impl<S: Store> Arrays<S> {
    /// Writes the matching points of modelled walls and the law of the wall, if there are some.
    pub(super) fn write_walls<R: Real>(
        &mut self,
        store: &S,
        plan: &Plan,
        physics: &Physics,
    ) -> Result<(), DeviceError> {
        if !physics.wall_models {
            return Ok(());
        }
        store.write(&mut self.matching_rows, &plan.matching.rows)?;
        store.write(&mut self.matching_points, &plan.matching.points)?;
        round_into::<S, R>(store, &mut self.matching_weights, &plan.matching.weights)?;
        store.write(&mut self.matching_state, &plan.matching.states)?;
        round_into::<S, R>(store, &mut self.matching_height, &plan.matching.heights)?;
        let law = law_of_the_wall(WALL_LAW_CELLS, WALL_LAW_END as f64);
        round_into::<S, R>(store, &mut self.wall_law, &law)
    }

    /// Writes the faces of interfaces and mortars, if there are some.
    pub(super) fn write_interfaces(&mut self, store: &S, plan: &Plan) -> Result<(), DeviceError> {
        let (interfaces, mortars) = (&plan.interfaces, &plan.mortars);
        if interfaces.table.is_none() {
            return Ok(());
        }
        store.write(&mut self.interface_face, &interfaces.of_boundary_face)?;
        store.write(&mut self.interface_faces, &interfaces.faces)?;
        store.write(&mut self.interface_rule, &interfaces.rule)?;
        store.write(&mut self.interface_circles, &interfaces.circles)?;
        store.write(&mut self.mortar_parts, &mortars.parts)?;
        store.write(&mut self.mortar_faces, &mortars.faces)?;
        store.write(&mut self.mortar_rule, &mortars.rule)
    }
}
