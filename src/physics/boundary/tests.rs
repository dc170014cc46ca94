//! Tests of all conditions at single points, and of their numbering.

use super::condition::NoKeys;
use super::*;
use crate::input::FieldText;
use crate::physics::{GasState, Thermal, Viscosity};
use std::collections::BTreeMap;

const GAS: Gas = Gas {
    gamma: 1.4,
    prandtl: 0.71,
    gas_constant: 287.0,
    viscosity: Some(Viscosity::Constant(1e-5)),
};

/// The values of a condition at the origin of a face that looks along x, at time 2.
fn data(keys: BoundaryKeys) -> Result<PointData, InvalidValue> {
    let scope = Scope::new(&BTreeMap::new()).expect("no constants");
    let boundary = Boundary::resolve(&keys, &scope, "side", &GAS).expect("resolves");
    let initial = GasState {
        velocity: [0.0; 3].map(Field::constant),
        pressure: Field::constant(1e5),
        thermal: Thermal::Temperature(Field::constant(300.0)),
    };
    boundary.data(&FacePoint {
        x: [0.0; 3],
        normal: [1.0, 0.0, 0.0],
        time: 2.0,
        gas: &GAS,
        initial: &initial,
    })
}

/// A field that is written as an expression.
fn text(expression: &str) -> FieldText {
    FieldText(crate::input::Expression::Text(expression.to_owned()))
}

fn vector(expressions: [&str; 3]) -> [FieldText; 3] {
    expressions.map(text)
}

#[test]
fn values_lie_in_the_slots_of_their_names() {
    let wall = no_slip_isothermal::NoSlipIsothermalKeys {
        velocity: Some(vector(["0", "t", "3"])),
        temperature: text("100*t"),
    };
    let values = data(BoundaryKeys::NoSlipIsothermal(wall)).expect("values");
    assert_eq!(values, [0.0, 2.0, 3.0, 200.0, 0.0]);
    assert_eq!(values[wall::WallSlot::Temperature as usize], 200.0);
    let outlet = |total_temperature| pressure_outlet::PressureOutletKeys {
        p: text("9e4"),
        total_temperature,
    };
    let values = data(BoundaryKeys::PressureOutlet(outlet(None))).expect("values");
    assert_eq!(values[0], 9e4);
    assert!((values[1] - 300.0).abs() < 1e-12, "the initial temperature: {values:?}");
    let values = data(BoundaryKeys::PressureOutlet(outlet(Some(text("310"))))).expect("values");
    assert_eq!(values[1], 310.0);
    let inlet = velocity_inlet::VelocityInletKeys {
        u: text("-1"),
        v: text("2"),
        w: text("3"),
        temperature: None,
        rho: Some(text("1.2")),
    };
    assert_eq!(
        data(BoundaryKeys::VelocityInlet(inlet)).expect("values"),
        [-1.0, 2.0, 3.0, 0.0, 1.2]
    );
}

#[test]
fn directions_of_inflow_are_scaled_and_must_lead_inwards() {
    let inlet = |direction: Option<[&str; 3]>| {
        data(BoundaryKeys::TotalInlet(total_inlet::TotalInletKeys {
            total_pressure: text("1e5"),
            total_temperature: text("300"),
            direction: direction.map(vector),
        }))
    };
    assert_eq!(inlet(None).expect("values"), [1e5, 300.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        inlet(Some(["-3", "4", "0"])).expect("values"),
        [1e5, 300.0, -0.6, 0.8, 0.0]
    );
    assert!(
        inlet(Some(["1", "0", "0"]))
            .expect_err("outwards")
            .what
            .contains("points out of the domain")
    );
    assert_eq!(
        inlet(Some(["t - 2", "0", "0"])).expect_err("no length").what,
        "has the length"
    );
}

#[test]
fn a_wall_whose_velocity_leaves_it_is_refused() {
    let wall = |velocity| {
        data(BoundaryKeys::NoSlipAdiabatic(no_slip_adiabatic::NoSlipAdiabaticKeys {
            velocity: Some(vector(velocity)),
        }))
    };
    assert!(wall(["0.4", "1", "0"]).is_ok());
    assert!(wall(["1e-8", "0", "0"]).is_ok(), "round-off");
    let wrong = wall(["1", "1", "0"]).expect_err("through the wall");
    assert_eq!((wrong.key, wrong.value), ("velocity", 1.0));
}

#[test]
fn a_no_slip_wall_needs_a_viscous_gas() {
    let inviscid = Gas { viscosity: None, ..GAS };
    let scope = Scope::new(&BTreeMap::new()).expect("no constants");
    let keys = BoundaryKeys::NoSlipAdiabatic(no_slip_adiabatic::NoSlipAdiabaticKeys { velocity: None });
    let problem = Boundary::resolve(&keys, &scope, "side", &inviscid).expect_err("refused");
    assert_eq!(problem.key, "boundaries.side.type");
    assert!(Boundary::resolve(&BoundaryKeys::Symmetry(NoKeys {}), &scope, "side", &inviscid).is_ok());
}
