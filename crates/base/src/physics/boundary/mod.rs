//! Boundary conditions: one file for each.
//!
//! The file of a condition holds its keys, what they resolve to, the values that the kernels need at a point of a face,
//! the names of these values (a `Slot` enumeration, which the kernels share) and its tests. What a condition does with
//! the values is a function in ptx/physics/boundary.h. To add one, write its file, name it in [`conditions!`] below,
//! and write its function there.

mod condition;
mod far_field;
mod interface;
mod interface_side;
mod no_slip_adiabatic;
mod no_slip_isothermal;
mod point;
mod pressure_outlet;
mod relaxation;
mod relaxed_outlet;
mod relaxed_total_inlet;
mod relaxed_velocity_inlet;
mod slip;
mod supersonic_inlet;
mod supersonic_outlet;
mod total_inlet;
mod velocity_inlet;
mod wall;
mod wall_model;

use condition::Condition;
pub use condition::Inflow;
use far_field::FarField;
use interface::Interface;
pub use interface_side::{Course, InterfaceSide};
use no_slip_adiabatic::NoSlipAdiabatic;
use no_slip_isothermal::NoSlipIsothermal;
pub use point::{FacePoint, InitialGas, PointData};
use pressure_outlet::PressureOutlet;
pub use relaxation::{Hold, Relaxation, RelaxedSlot};
use relaxed_outlet::RelaxedOutlet;
pub use relaxed_outlet::{Transverse, outlet_pressure, outlet_temperature};
use relaxed_total_inlet::RelaxedTotalInlet;
use relaxed_velocity_inlet::RelaxedVelocityInlet;
use slip::Slip;
use supersonic_inlet::SupersonicInlet;
use supersonic_outlet::SupersonicOutlet;
use total_inlet::TotalInlet;
pub use total_inlet::TotalSlot;
pub use velocity_inlet::InletSlot;
use velocity_inlet::VelocityInlet;
pub use wall::{Matching, Wall, WallLaw, WallSlot};
use wall_model::WallModel;

use super::frame::Surroundings;
use crate::input::{Field, Group, InvalidValue, Of, Problem, Scope};

/// Declares the conditions: the enumeration that the kernels share, the keys of all of them, and [`Boundary`].
macro_rules! conditions {
    ($(#[$attribute:meta])* pub enum $kinds:ident {
        $($(#[$doc:meta])* $name:ident),*; $(#[$other_doc:meta])* $other:ident
    }) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $kinds {
            $($(#[$doc])* $name,)*
            $(#[$other_doc])* $other,
        }

        /// A boundary condition. Fields are of x, y, z, t.
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename = "boundary by type", rename_all = "kebab-case")]
        #[schemars(rename = "BoundaryKeys", tag = "type")]
        pub enum BoundaryKeys {
            $($(#[$doc])* $name(<$name as Condition>::Keys),)*
            /// Another name of `slip`.
            Symmetry(<Slip as Condition>::Keys),
        }

        /// A boundary condition with its values.
        #[derive(Debug, Clone)]
        pub struct Boundary(Conditions);

        #[derive(Debug, Clone)]
        enum Conditions {
            $($name($name),)*
        }

        impl Boundary {
            /// Evaluates the keys of the boundary `name` and checks them.
            pub fn resolve(
                keys: &BoundaryKeys, scope: &Scope, name: &str, around: &Surroundings,
            ) -> Result<Self, Problem> {
                let key = &format!("boundaries.{name}");
                let group = Group { scope, key, of: Of::PositionAndTime };
                Ok(Boundary(match keys {
                    $(BoundaryKeys::$name(keys) => Conditions::$name(Condition::resolve(keys, &group, around)?),)*
                    BoundaryKeys::Symmetry(keys) => Conditions::Slip(Condition::resolve(keys, &group, around)?),
                }))
            }

            /// Returns its kind.
            pub fn kind(&self) -> $kinds {
                match self.0 {
                    $(Conditions::$name(_) => $kinds::$name,)*
                }
            }

            /// Returns what the kernels need at a point, in the slots of its kind; the others are 0.
            ///
            /// # Errors
            /// A value is not finite or not possible there.
            pub fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.data(at),)*
                }
            }

            /// Returns which wall it is, if it is one.
            pub fn wall(&self) -> Option<Wall<'_>> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.wall(),)*
                }
            }

            /// Returns the matching point and the law, if it is a modelled wall.
            pub fn matching(&self) -> Option<(Matching, WallLaw)> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.matching(),)*
                }
            }

            /// Returns the velocity at a position of the frame in which the mesh is at rest, seen from that of the
            /// values, if the kernels must apply the condition in the frame of the values.
            pub fn frame_velocity(&self, x: [f64; 3]) -> Option<[f64; 3]> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.frame_velocity(x),)*
                }
            }

            /// Returns the turbulence that is added to its velocity, if there is any.
            pub fn turbulence(&self) -> Option<Inflow<'_>> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.turbulence(),)*
                }
            }

            /// Returns the same condition without turbulence that is added to its velocity.
            pub fn without_turbulence(&self) -> Self {
                let mut calm = self.clone();
                match &mut calm.0 {
                    $(Conditions::$name(condition) => condition.remove_turbulence(),)*
                }
                calm
            }

            /// Returns the pressure or total pressure that it prescribes at a point with this data, if it does so.
            pub fn pressure(&self, data: &PointData) -> Option<f64> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.pressure(data),)*
                }
            }

            /// Returns the side of an interface, if it is one.
            pub fn interface(&self) -> Option<&InterfaceSide> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.interface(),)*
                }
            }

            /// Returns its rate, if it relaxes.
            pub fn relaxation(&self) -> Option<&Relaxation> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.relaxation(),)*
                }
            }

            /// Returns what it holds over its whole area, if it does so.
            pub fn hold(&self) -> Option<Hold> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.hold(),)*
                }
            }

            /// Returns the rate (1/time) at which it holds that at a point.
            pub fn held_rate(&self, at: &FacePoint) -> Option<f64> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.held_rate(at),)*
                }
            }

            /// Returns all its fields.
            pub fn fields(&self) -> Vec<&Field> {
                match &self.0 {
                    $(Conditions::$name(condition) => condition.fields(),)*
                }
            }
        }
    };
}

// The build script reads the numbers of the kinds from these lines.
conditions! {
#[repr(i32)]
/// Kind of what lies across a boundary face.
pub enum BoundaryKind {
    /// Slip wall or symmetry plane: no flow through it, no shear, no heat.
    Slip,
    /// No-slip wall without heat flux.
    NoSlipAdiabatic,
    /// No-slip wall of given temperature.
    NoSlipIsothermal,
    /// Far field of given state, which waves leave through.
    FarField,
    /// Inflow faster than sound, of given state.
    SupersonicInlet,
    /// Outflow faster than sound: nothing is prescribed.
    SupersonicOutlet,
    /// Inflow of given total pressure, total temperature and direction.
    TotalInlet,
    /// Outflow of given static pressure.
    PressureOutlet,
    /// Inflow of given velocity and temperature or density.
    VelocityInlet,
    /// Outflow that lets sound leave, and holds a static pressure or a mass flux in the mean.
    RelaxedOutlet,
    /// Inflow that lets sound leave, and holds total pressure, total temperature and direction in the mean.
    RelaxedTotalInlet,
    /// Inflow that lets sound leave, and holds velocity and temperature or density in the mean.
    RelaxedVelocityInlet,
    /// Wall with friction and heat flux from a model of the layer that the mesh does not resolve.
    WallModel,
    /// Cells of another block, which meet those of this one anywhere along a direction.
    Interface;
    /// No condition: another cell, seen after a rotation.
    Rotated
}
}

impl BoundaryKind {
    /// Whether its points have a relaxed value.
    pub fn is_relaxed(self) -> bool {
        use BoundaryKind::{RelaxedOutlet, RelaxedTotalInlet, RelaxedVelocityInlet};
        matches!(self, RelaxedOutlet | RelaxedTotalInlet | RelaxedVelocityInlet)
    }

    /// Whether gas is to enter there.
    pub fn is_inlet(self) -> bool {
        use BoundaryKind::{RelaxedTotalInlet, RelaxedVelocityInlet, SupersonicInlet, TotalInlet, VelocityInlet};
        matches!(
            self,
            SupersonicInlet | TotalInlet | VelocityInlet | RelaxedTotalInlet | RelaxedVelocityInlet
        )
    }

    /// Whether gas is to leave there.
    pub fn is_outlet(self) -> bool {
        use BoundaryKind::{PressureOutlet, RelaxedOutlet, SupersonicOutlet};
        matches!(self, SupersonicOutlet | PressureOutlet | RelaxedOutlet)
    }

    /// Whether it prescribes total pressure and total temperature.
    pub fn is_total_inlet(self) -> bool {
        matches!(self, BoundaryKind::TotalInlet | BoundaryKind::RelaxedTotalInlet)
    }

    /// Whether it is a wall whose layer is modelled.
    pub fn is_modelled(self) -> bool {
        self == BoundaryKind::WallModel
    }

    /// Whether it is a wall, resolved or modelled, whose data may have a temperature.
    pub fn may_have_temperature(self) -> bool {
        self.is_isothermal() || self.is_modelled()
    }

    /// Whether it is a resolved wall of given temperature.
    pub fn is_isothermal(self) -> bool {
        self == BoundaryKind::NoSlipIsothermal
    }

    /// Whether it is a resolved wall with friction.
    pub fn is_resolved_no_slip(self) -> bool {
        self == BoundaryKind::NoSlipAdiabatic || self.is_isothermal()
    }

    /// Whether it is a wall without a model, with friction or without.
    pub fn is_resolved_wall(self) -> bool {
        self == BoundaryKind::Slip || self.is_resolved_no_slip()
    }

    /// Returns the kind that holds at each moment what this one holds in the mean; `None` of a modelled wall, which
    /// needs the moment. That of an interface is a far field, whose state outside is a mean of the other side.
    pub fn held(self) -> Option<Self> {
        match self {
            BoundaryKind::RelaxedOutlet => Some(BoundaryKind::PressureOutlet),
            BoundaryKind::RelaxedTotalInlet => Some(BoundaryKind::TotalInlet),
            BoundaryKind::RelaxedVelocityInlet => Some(BoundaryKind::VelocityInlet),
            BoundaryKind::Interface => Some(BoundaryKind::FarField),
            BoundaryKind::WallModel | BoundaryKind::Rotated => None,
            other => Some(other),
        }
    }

    /// Returns the reflection coefficient of the pressure of sound that meets the end of a duct at which the values are
    /// held at each moment, where `m` is the Mach number of the flow times its speed over that along the normal. `None`
    /// of a condition that is no end, or that no sound comes back from.
    pub fn reflection(self, m: f64) -> Option<f64> {
        match self {
            BoundaryKind::VelocityInlet | BoundaryKind::RelaxedVelocityInlet => Some(1.0),
            BoundaryKind::TotalInlet | BoundaryKind::RelaxedTotalInlet => Some(-(1.0 - m) / (1.0 + m)),
            BoundaryKind::PressureOutlet | BoundaryKind::RelaxedOutlet => Some(-1.0),
            _ => None,
        }
    }
}

impl Boundary {
    /// Returns the condition that prescribes nothing.
    pub fn of_nothing() -> Self {
        Boundary(Conditions::SupersonicOutlet(SupersonicOutlet))
    }

    /// Returns the condition that a steady flow has in its place: where an outlet relaxes, the pressure outlet of the
    /// same values, which gas may pass at any speed.
    pub fn without_relaxation(&self) -> Self {
        match &self.0 {
            Conditions::RelaxedOutlet(relaxed) => Boundary(Conditions::PressureOutlet(relaxed.held())),
            _ => self.clone(),
        }
    }

    /// Returns the pressure and the temperature that it prescribes at a point; either may be a total value.
    pub fn prescribed(&self, at: &FacePoint) -> [Option<f64>; 2] {
        let Ok(data) = self.data(at) else {
            return [None; 2];
        };
        // The data have a zero where no temperature is given.
        let given = |slot: usize| Some(data[slot]).filter(|temperature| *temperature > 0.0);
        match self.kind() {
            BoundaryKind::FarField | BoundaryKind::SupersonicInlet => {
                let [_, _, _, _, p, t] = at.gas.primitive(std::array::from_fn(|variable| data[variable]));
                [Some(p), Some(t)]
            }
            BoundaryKind::TotalInlet | BoundaryKind::RelaxedTotalInlet => {
                [self.pressure(&data), Some(data[TotalSlot::Temperature as usize])]
            }
            BoundaryKind::VelocityInlet | BoundaryKind::RelaxedVelocityInlet => {
                [self.pressure(&data), given(InletSlot::Temperature as usize)]
            }
            BoundaryKind::NoSlipIsothermal | BoundaryKind::WallModel => [None, given(WallSlot::Temperature as usize)],
            _ => [self.pressure(&data), None],
        }
    }

    /// Returns the velocity at which gas enters at a point where the condition prescribes it at each moment. The
    /// pressure is then that of the inside.
    pub fn prescribed_velocity(&self, at: &FacePoint) -> Option<[f64; 3]> {
        let data = match self.kind() {
            BoundaryKind::VelocityInlet => self.data(at).ok()?,
            _ => return None,
        };
        let first = InletSlot::Velocity as usize;
        Some(std::array::from_fn(|direction| data[first + direction]))
    }

    /// Whether its values change in time.
    pub fn varies(&self) -> bool {
        self.fields().into_iter().any(Field::depends_on_time)
    }

    /// Whether its values are the same everywhere and at all times.
    pub fn is_uniform(&self) -> bool {
        self.fields().into_iter().all(Field::is_constant)
    }

    /// Returns a description of each table among its values.
    pub fn tables(&self) -> Vec<String> {
        self.fields().into_iter().filter_map(Field::describe_table).collect()
    }

    /// Returns the velocity of a wall with friction.
    pub fn no_slip_velocity(&self) -> Option<&[Field; 3]> {
        match self.wall() {
            Some(Wall::NoSlip { velocity }) => Some(velocity),
            Some(Wall::Slip) | None => None,
        }
    }

    /// Whether it is a wall with friction, resolved or modelled.
    pub fn is_no_slip(&self) -> bool {
        self.no_slip_velocity().is_some()
    }
}

#[cfg(test)]
mod tests;
