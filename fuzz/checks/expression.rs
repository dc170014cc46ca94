//! Expressions of a case file must be refused, or evaluated at any point.

use std::path::Path;

use fr_les::case::Case;

const CASE: &str = "\
mesh: {box: {cells: [1, 1, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 2
constants: {a: 2, b: a^2}
initial: {u: 0, v: 0, w: 0, p: 1, rho: 1}
time: {steps: 1}
";

/// Uses bytes as the expression of the initial velocity.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match Case::parse(CASE, Path::new("fuzz.yaml"), &[format!("initial.u={text}")]) {
        Ok(case) => {
            let field = &case.solver.initial.state().expect("fields").velocity[0];
            for x in [[0.0; 3], [1.0, -2.0, 1e300], [f64::MIN_POSITIVE, -0.0, 0.5]] {
                let value = field.eval(x, 0.0);
                assert!(
                    !field.is_constant() || value.to_bits() == field.eval([7.0; 3], 0.0).to_bits(),
                    "{text}"
                );
            }
        }
        Err(error) => assert!(error.to_string().starts_with("error: ")),
    }
}
