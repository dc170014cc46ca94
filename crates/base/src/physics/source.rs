//! Volume sources: a given body force, and a force that holds the mass flow.

use crate::input::{AXES, Axis, Field, FieldText, Number, Of, Problem, Scope, keys};

keys! {
/// Volume sources.
#[derive(Default)]
ForcingKeys as "a mapping with the key `force` or `mass-flow`" {
    /// Body force per unit volume in x, y, z; its work is added to the energy.
    pub force: Option<[FieldText; 3]>,
    /// A force that holds the mass flow.
    pub mass_flow: Option<MassFlowKeys>,
}}

keys! {
/// A uniform body force that holds the mass flow; it is adjusted every 10 steps, and its work is added to the energy.
MassFlowKeys as "a mapping with the keys `direction` and `bulk-velocity`" {
    /// Direction of the flow and of the force; the domain must be periodic in it.
    pub direction: Axis,
    /// The bulk velocity to hold, not 0: momentum over mass of the whole domain (velocity).
    pub bulk_velocity: Number,
}}

/// Volume sources added to the right-hand side, per unit volume and time; fields of x, y, z, t. `None`: no source.
#[derive(Debug, Clone, Default)]
pub struct Forcing {
    /// Body force per unit volume; its work u . f is added to the energy.
    pub force: Option<[Field; 3]>,
    /// A force that holds the mass flow.
    pub mass_flow: Option<MassFlow>,
}

/// A uniform body force that holds the mass flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassFlow {
    /// Direction of the force: 0, 1, 2.
    pub direction: usize,
    /// Momentum over mass of the domain, in this direction.
    pub bulk_velocity: f64,
}

impl Forcing {
    /// Evaluates the keys and checks them. `periodic` are the periodic directions, if they are known without the mesh.
    pub fn resolve(keys: &ForcingKeys, scope: &Scope, periodic: Option<[bool; 3]>) -> Result<Self, Problem> {
        let force = |f| scope.vector("forcing.force", f, Of::PositionAndTime);
        Ok(Forcing {
            force: keys.force.as_ref().map(force).transpose()?,
            mass_flow: keys
                .mass_flow
                .as_ref()
                .map(|m| MassFlow::resolve(m, scope, periodic))
                .transpose()?,
        })
    }
}

impl MassFlow {
    fn resolve(keys: &MassFlowKeys, scope: &Scope, periodic: Option<[bool; 3]>) -> Result<Self, Problem> {
        let direction = keys.direction.index();
        let name = AXES[direction];
        // Of a file it is not known before it is read, and what is periodic in one direction may be a part of it only.
        if periodic.is_some_and(|periodic| !periodic[direction]) {
            let what = format!("the box is not periodic in {name}: only a flow that comes back can be held by a force");
            let problem = Problem::new(what).key("forcing.mass-flow.direction");
            return Err(problem.help(format!(
                "add {name} to `mesh.box.periodic`, or choose a direction that is in it"
            )));
        }
        let key = "forcing.mass-flow.bulk-velocity";
        Ok(MassFlow {
            direction,
            bulk_velocity: scope.number_if(key, &keys.bulk_velocity, |v| v != 0.0, "other than 0")?,
        })
    }
}
