//! Doubts about the units of a case. A gas whose constants are those of air in SI units asks for pascals, kelvins and
//! metres; numbers that are usual in bar, degrees Celsius or millimetres are worth a warning before a run.

use super::extent::Extent;
use super::flow::{DENSITY, Flow, PRESSURE, REYNOLDS, TEMPERATURE};
use crate::format::short;
use crate::physics::{Gas, Viscosity};
use crate::solver::Solver;

/// Specific gas constants that are those of air in J/(kg K), and the one to name.
const AIR: std::ops::RangeInclusive<f64> = 273.0..=301.0;
const OF_AIR: f64 = 287.05;
/// Reference temperatures and viscosities of Sutherland's law that are in kelvins and in Pa s.
const KELVINS: std::ops::RangeInclusive<f64> = 200.0..=400.0;
const PASCAL_SECONDS: std::ops::RangeInclusive<f64> = 5e-6..=5e-5;
/// Pressures above which there are pascals: without units a pressure is about 1/Ma^2.
const PASCALS: f64 = 1e4;
/// Temperatures that are usual in degrees Celsius: a fifth of the usual ones in kelvins, and less.
const CELSIUS: std::ops::RangeInclusive<f64> = 1.0..=60.0;
/// Pressures that are usual in bar and in kilopascals.
const BAR: std::ops::Range<f64> = 0.05..40.0;
const KILOPASCAL: std::ops::Range<f64> = 40.0..1000.0;
/// Reynolds number with the longest extent above which no flow is resolved, and extents that are no millimetres.
const BEYOND: f64 = 1e8;
const SHORT: f64 = 10.0;

/// The numbers of a flow at its start that show its units.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    /// Largest temperature.
    temperature: f64,
    /// Largest pressure.
    pressure: f64,
    /// Largest density.
    density: f64,
    /// Longest extent of the mesh.
    extent: f64,
    /// Reynolds number with it; 0 of an inviscid gas.
    reynolds: f64,
}

/// Warns of numbers at the start that seem to be in other units than the gas.
pub(super) fn warn(solver: &Solver, flow: &Flow, extent: &Extent) {
    let numbers = Numbers {
        temperature: flow.largest(TEMPERATURE),
        pressure: flow.largest(PRESSURE),
        density: flow.largest(DENSITY),
        extent: extent.longest(),
        reynolds: flow.largest(REYNOLDS) * extent.longest(),
    };
    for doubt in doubts(&solver.gas, &numbers) {
        tracing::warn!("{doubt}");
    }
}

/// Returns what seems to be wrong, as texts of warnings.
fn doubts(gas: &Gas, numbers: &Numbers) -> Vec<String> {
    let Numbers {
        temperature,
        pressure,
        density,
        extent,
        reynolds,
    } = *numbers;
    let air = AIR.contains(&gas.gas_constant);
    let kelvins = match gas.viscosity {
        Some(Viscosity::Sutherland { mu_ref, t_ref, .. }) => {
            KELVINS.contains(&t_ref) && PASCAL_SECONDS.contains(&mu_ref)
        }
        _ => false,
    };
    let mut found = Vec::new();
    if !air && !kelvins {
        return found;
    }
    if kelvins && gas.gas_constant == 1.0 {
        if pressure < PASCALS {
            return found;
        }
        found.push(format!(
            "gas.gas-constant is 1, but Sutherland's law is that of a gas in kelvins: air in SI units has {OF_AIR}, \
             and the density would be {} instead of {}",
            short(density / OF_AIR),
            short(density)
        ));
        return found;
    }
    let constants = if air {
        "gas.gas-constant is that of air in SI units"
    } else {
        "Sutherland's law is that of a gas in kelvins"
    };
    if CELSIUS.contains(&temperature) {
        found.push(format!(
            "{constants}, and the temperature is at most {}: are these degrees Celsius? Kelvins are 273.15 more",
            short(temperature)
        ));
    }
    for (range, unit, pascals) in [(BAR, "bar", "1e5"), (KILOPASCAL, "kilopascals", "1000")] {
        if air && range.contains(&pressure) {
            found.push(format!(
                "{constants}, and the pressure is at most {}, the density {}: is the pressure in {unit}? Pascals are \
                 {pascals} times as many",
                short(pressure),
                short(density)
            ));
        }
    }
    if reynolds > BEYOND && extent > SHORT {
        found.push(format!(
            "{constants}, and the Reynolds number with the longest extent of the mesh, {}, is {}: is the mesh in \
             millimetres? `fr-les mesh import --scale 0.001` makes metres of them",
            short(extent),
            short(reynolds)
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUTHERLAND: Viscosity = Viscosity::Sutherland {
        mu_ref: 1.716e-5,
        t_ref: 273.15,
        s: 110.4,
    };

    fn gas(gas_constant: f64, viscosity: Option<Viscosity>) -> Gas {
        Gas {
            gamma: 1.4,
            prandtl: 0.71,
            gas_constant,
            viscosity,
        }
    }

    /// A flow of 100 m/s with this pressure and temperature.
    fn numbers(gas: &Gas, pressure: f64, temperature: f64, extent: f64) -> Numbers {
        let density = pressure / (gas.gas_constant * temperature);
        let mu = gas.viscosity.map(|law| law.mu(temperature));
        Numbers {
            temperature,
            pressure,
            density,
            extent,
            reynolds: mu.map_or(0.0, |mu| density * 100.0 * extent / mu),
        }
    }

    #[test]
    fn numbers_in_other_units_are_doubted_and_usual_ones_are_not() {
        let air = gas(287.05, Some(SUTHERLAND));
        let said = |gas: &Gas, pressure, temperature, extent| {
            doubts(gas, &numbers(gas, pressure, temperature, extent)).join("\n")
        };
        // Sea level, a cascade at low pressure, a turbine, a cold and a hot tunnel.
        for (pressure, temperature) in [
            (101_325.0, 288.15),
            (5e3, 300.0),
            (4e6, 1900.0),
            (1e5, 80.0),
            (2e3, 900.0),
        ] {
            assert_eq!(said(&air, pressure, temperature, 0.5), "");
        }
        // Units of their own: nothing is known of them.
        let own = gas(1.0, Some(Viscosity::Constant(1e-9)));
        assert_eq!(said(&own, 1.0, 20.0, 100.0), "");
        assert_eq!(said(&gas(1.0, Some(SUTHERLAND)), 285.7, 285.7, 10.0), "");
        for (text, part) in [
            (
                said(&air, 101_325.0, 20.0, 0.5),
                "at most 20: are these degrees Celsius?",
            ),
            (said(&air, 1.013, 293.0, 0.5), "is the pressure in bar? Pascals are 1e5"),
            (said(&air, 101.3, 293.0, 0.5), "is the pressure in kilopascals?"),
            (said(&air, 101_325.0, 288.15, 100.0), "is the mesh in millimetres?"),
            (
                said(&gas(1.0, Some(SUTHERLAND)), 101_325.0, 288.15, 0.5),
                "gas.gas-constant is 1",
            ),
        ] {
            assert!(text.contains(part) && !text.contains('\n'), "{text}");
        }
    }
}
