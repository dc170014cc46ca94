//! The state with which a steady solution begins: the initial fields of the case or those of a file, with the values of
//! walls.

use rayon::prelude::*;

use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::handover::Values;
use super::scheme::Scheme;
use super::solver::VARIABLES;
use super::turbulence::entering;
use crate::input::BadValue;
use crate::physics::Turbulence;
use crate::physics::{Gas, GasState};
use crate::ranks::Ranks;
use crate::vector::{Vector, dot, minus};

/// Returns the values of the initial fields at the vertices, seen from a frame whose velocity is `frame` of the vertex.
///
/// # Errors
/// The initial state has no valid value at a vertex.
pub fn values(
    dual: &DualMesh,
    initial: &GasState,
    gas: &Gas,
    scheme: &Scheme,
    frame: impl Fn(usize) -> Vector + Sync,
) -> Result<Vec<Values>, BadValue> {
    let at = |vertex: usize| {
        let x = dual.position[vertex];
        let state = initial.at(x, 0.0, gas);
        let (rho, velocity, p) = state.map_err(|wrong| BadValue::new("initial", wrong, x, 0.0))?;
        let velocity = minus(velocity, frame(vertex));
        let temperature = p / (rho * gas.gas_constant);
        let ([u, v, w], [first, second]) = (velocity, of_model(scheme, gas, rho, velocity, temperature));
        Ok::<Values, BadValue>([rho, u, v, w, temperature, first, second])
    };
    let all = 0..dual.len();
    let values = all
        .clone()
        .into_par_iter()
        .map(at)
        .collect::<Result<Vec<Values>, BadValue>>();
    // Of several vertices without a valid value the first is named.
    values.map_err(|any| all.clone().find_map(|vertex| at(vertex).err()).unwrap_or(any))
}

/// Returns the variables of the model in gas of this state that has the turbulence of the free stream.
pub fn of_model(scheme: &Scheme, gas: &Gas, rho: f64, velocity: Vector, temperature: f64) -> [f64; 2] {
    let nu = gas.mu(temperature) / rho;
    match scheme.turbulence {
        Turbulence::None => [0.0; 2],
        Turbulence::SaNeg => [scheme.ratio * nu, 0.0],
        // Gas at rest gets the turbulence of gas at a tenth of the speed of sound.
        Turbulence::KOmega | Turbulence::Sst => {
            let sound = (gas.gamma * gas.gas_constant * temperature).sqrt();
            entering(scheme, dot(velocity, velocity).sqrt().max(0.1 * sound), nu)
        }
    }
}

/// Sets the values that no-slip walls hold, at owned vertices only; [`share`] gives them to the halo.
pub fn hold_walls(dual: &DualMesh, boundaries: &[BoundaryList], gas: &Gas, scheme: &Scheme, values: &mut [Values]) {
    for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
        for (&vertex, data) in boundary.vertex.iter().zip(&boundary.data) {
            let value = &mut values[vertex as usize];
            let [u, v, w, wall_temperature, ..] = *data;
            let [rho, _, _, _, temperature, ..] = *value;
            let (rho, temperature) = if boundary.kind.is_isothermal() {
                // The pressure stays as it is.
                (rho * temperature / wall_temperature, wall_temperature)
            } else {
                (rho, temperature)
            };
            let over_nu = scheme.turbulence.wall_omega(dual.distance_off_walls(vertex as usize));
            *value = [rho, u, v, w, temperature, 0.0, over_nu * gas.mu(temperature) / rho];
        }
    }
}

/// Gives the vertices of the halo the values of the ranks that own them. Collective.
pub fn share(dual: &DualMesh, values: &mut [Values], ranks: &Ranks) {
    if ranks.size() == 1 {
        return;
    }
    for i in 0..VARIABLES {
        let mut column: Vec<f64> = values.iter().map(|value| value[i]).collect();
        dual.update_halo(ranks, &mut column);
        values.iter_mut().zip(column).for_each(|(value, x)| value[i] = x);
    }
}
