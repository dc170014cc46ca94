//! Viscosity and conductivity that the kernels compute from the temperature, measured by work and heat flux at a wall.

use crate::common::cases::solver;
use crate::common::gas::gain;

/// Air in SI units: reference viscosity, reference temperature, and Sutherland's temperature.
const MU: f64 = 1.716e-5;
const T: f64 = 273.15;
const S: f64 = 110.4;
const R: f64 = 287.0;

/// Sutherland's law.
fn sutherland(t: f64) -> f64 {
    MU * (t / T).powf(1.5) * (T + S) / (t + S)
}

/// Returns the energy that the gas between two plates gains in unit time, per unit area.
fn energy_gained(precision: &str, elements: &str, initial: &str, lower: &str, upper: &str) -> f64 {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z], \
         elements: {elements}}}}}\n\
         order: 2\nprecision: {precision}\n\
         gas: {{prandtl: 0.7, gas-constant: {R}, viscosity: {{sutherland: {{mu-ref: {MU}, t-ref: {T}, s: {S}}}}}}}\n\
         initial: {{{initial}, v: 0, w: 0, p: 1e-5}}\n\
         boundaries: {{y-: {{{lower}}}, y+: {{{upper}}}}}\ntime: {{steps: 1}}\n"
    ));
    gain(&mut s, 4)
}

/// Compares the viscosity, from the work that a plate does on isothermal gas, and the conductivity, from the heat that
/// leaves through a plate of temperature t, with the formula.
fn check(precision: &str, elements: &str, bound: f64) {
    for t in [100.0, 150.0, 200.0, 273.15, 300.0, 400.0, 600.0, 1000.0, 1500.0, 2500.0] {
        let adiabatic = "type: no-slip-adiabatic";
        let work = energy_gained(
            precision,
            elements,
            &format!("u: 10*y, temperature: {t}"),
            adiabatic,
            &format!("{adiabatic}, velocity: [10, 0, 0]"),
        );
        // T rises by a tenth over the height of 1, and no heat enters through the upper plate.
        let lost = -energy_gained(
            precision,
            elements,
            &format!("u: 0, temperature: {t} + {}*y", 0.1 * t),
            &format!("type: no-slip-isothermal, temperature: {t}"),
            adiabatic,
        );
        let mu = sutherland(t);
        let work = work / 100.0; // the plate moves at 10
        let conductivity = mu * 3.5 * R / 0.7;
        let errors = [work / mu - 1.0, lost / (conductivity * 0.1 * t) - 1.0];
        println!(
            "{precision} {elements} T {t}: mu {work:.12e}, relative errors {:.1e} {:.1e}",
            errors[0], errors[1]
        );
        assert!(
            errors.iter().all(|e| e.abs() < bound),
            "{precision} {elements} T {t}: {errors:?}"
        );
    }
}

#[test]
fn sutherlands_law_is_met_at_ten_temperatures_in_double_precision() {
    check("double", "hex", 1e-11);
    check("double", "mixed", 1e-11);
}

#[test]
fn sutherlands_law_is_met_at_ten_temperatures_in_single_precision() {
    check("single", "hex", 1e-4);
}
