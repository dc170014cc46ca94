//! What the tests in the files of the conditions share.

use super::*;
use crate::input::FieldText;
use crate::physics::{Gas, GasState, Thermal, Viscosity};
use std::collections::BTreeMap;

/// A viscous gas.
pub(super) const GAS: Gas = Gas {
    gamma: 1.4,
    prandtl: 0.71,
    gas_constant: 287.0,
    viscosity: Some(Viscosity::Constant(1e-5)),
};

/// Resolves a condition of the boundary `side`.
pub(super) fn resolve(keys: &BoundaryKeys, gas: &Gas) -> Result<Boundary, Problem> {
    let around = Surroundings { gas, frame: None };
    let scope = Scope::new(&BTreeMap::new()).expect("no constants");
    Boundary::resolve(keys, &scope, "side", &around)
}

/// Returns the values of a condition at the origin of a face that looks along x, at time 2. The initial state has the
/// pressure 1e5 and the temperature 300.
pub(super) fn data(keys: BoundaryKeys) -> Result<PointData, InvalidValue> {
    let boundary = resolve(&keys, &GAS).expect("resolves");
    let initial = GasState {
        velocity: [0.0; 3].map(Field::constant),
        pressure: Field::constant(1e5),
        thermal: Thermal::Temperature(Field::constant(300.0)),
    };
    boundary.data(&FacePoint {
        x: [0.0; 3],
        normal: [1.0, 0.0, 0.0],
        extent: 2.0,
        face_size: 0.1,
        time: 2.0,
        gas: &GAS,
        initial: InitialGas::State(&initial),
    })
}

/// Returns a field that is written as an expression.
pub(super) fn text(expression: &str) -> FieldText {
    FieldText::from(expression)
}

/// Returns a vector that is written as three expressions.
pub(super) fn vector(expressions: [&str; 3]) -> [FieldText; 3] {
    expressions.map(text)
}
