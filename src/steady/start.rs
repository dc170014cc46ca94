//! The state with which a steady solution begins: the initial fields of the case, with the values of walls.

use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::handover::Values;
use super::scheme::{Scheme, Turbulence};
use crate::input::BadValue;
use crate::physics::{BoundaryKind, Gas, GasState};
use crate::ranks::Ranks;

/// Returns the values at the vertices. Those of walls are set at owned vertices only; [`share`] gives them to the halo.
///
/// # Errors
/// The initial state has no valid value at a vertex.
pub fn values(
    dual: &DualMesh,
    boundaries: &[BoundaryList],
    initial: &GasState,
    gas: &Gas,
    scheme: &Scheme,
) -> Result<Vec<Values>, BadValue> {
    let ratio = match scheme.turbulence {
        Turbulence::None => 0.0,
        Turbulence::SaNeg => scheme.ratio,
    };
    let at = |&x: &[f64; 3]| {
        let state = initial.at(x, 0.0, gas);
        let (rho, [u, v, w], p) = state.map_err(|wrong| BadValue::new("initial", wrong, x, 0.0))?;
        let temperature = p / (rho * gas.gas_constant);
        Ok::<Values, BadValue>([rho, u, v, w, temperature, ratio * gas.mu(temperature) / rho])
    };
    let mut values = dual
        .position
        .iter()
        .map(at)
        .collect::<Result<Vec<Values>, BadValue>>()?;
    for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
        for (&vertex, data) in boundary.vertex.iter().zip(&boundary.data) {
            let value = &mut values[vertex as usize];
            let [u, v, w, wall_temperature, ..] = *data;
            let [rho, _, _, _, temperature, _] = *value;
            *value = match boundary.kind {
                // The pressure stays as it is.
                BoundaryKind::NoSlipIsothermal => {
                    [rho * temperature / wall_temperature, u, v, w, wall_temperature, 0.0]
                }
                _ => [rho, u, v, w, temperature, 0.0],
            };
        }
    }
    Ok(values)
}

/// Gives the vertices of the halo the values of the ranks that own them. Collective.
pub fn share(dual: &DualMesh, values: &mut [Values], ranks: &Ranks) {
    for i in 0..6 {
        let mut column: Vec<f64> = values.iter().map(|value| value[i]).collect();
        dual.update_halo(ranks, &mut column);
        values.iter_mut().zip(column).for_each(|(value, x)| value[i] = x);
    }
}
