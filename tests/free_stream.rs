//! A uniform oblique flow stays uniform on strongly distorted meshes: the discrete metric identities hold.

mod common;

/// Largest |dU/dt| of a uniform flow relative to the variable's own scale and to the rate at which the fastest wave crosses half
/// a cell: 1 would mean that the flow changes by its own size in that time.
fn relative_change(order: usize, precision: &str, mesh: &str, rest: &str) -> f64 {
    let text = format!(
        "mesh:\n  box:\n    cells: [4, 3, 4]\n    lower: [0, 0, 0]\n    upper: [1, 2, 1.5]\n{mesh}\norder: {order}\n\
         precision: {precision}\ngas: {{viscosity: {{constant: 0.01}}}}\n\
         initial: {{u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}}\ntime: {{steps: 1}}\n{rest}"
    );
    let mut solver = common::solver(&text);
    let rhs = solver.rhs(0.0).unwrap();
    let rate = solver.device.rates().unwrap().acoustic;
    let np = solver.geometry.n.pow(3);
    let speed = 1.0 + (0.7f64 * 0.7 + 0.4 * 0.4 + 0.3 * 0.3).sqrt();
    let energy = 1.0 / (1.4 * 0.4) + 0.5 * 0.74;
    let scale = [1.0, speed, speed, speed, energy];
    rhs.iter()
        .enumerate()
        .map(|(i, r)| r.abs() / (scale[i / np % 5] * rate))
        .fold(0.0, f64::max)
}

const CURVED: &str = "    periodic: [x, y, z]\n    warp: 0.4";
const TRILINEAR: &str = "    periodic: [x, y, z]\n    warp: 0.4\n    warp-kind: trilinear";
const STRETCHED: &str = "    periodic: [x, z]\n    stretch: {y: {tanh: 5.4}}\n    warp: 0.3";
const OUTER: &str = "boundaries:\n  y-: {type: far-field, u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}\n  \
                     y+: {type: far-field, u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}\n";

fn check(precision: &str, bound: f64) {
    for order in 1..=8 {
        for (name, mesh, rest) in [
            ("curved", CURVED, ""),
            ("curved lobatto", CURVED, "scheme: {correction: lobatto}\n"),
            (
                "curved divergence form, HLLC",
                CURVED,
                "scheme: {split: none, riemann: hllc}\n",
            ),
            ("trilinear, Rusanov", TRILINEAR, "scheme: {riemann: rusanov}\n"),
            ("stretched, far field", STRETCHED, OUTER),
        ] {
            let change = relative_change(order, precision, mesh, rest);
            println!("free stream {precision} p {order} {name}: {change:.2e}");
            assert!(change <= bound, "{precision} p {order} {name}: {change:e} > {bound:e}");
        }
    }
}

#[test]
fn uniform_flow_is_preserved_in_double_precision() {
    check("double", 1e-12);
}

#[test]
fn uniform_flow_is_preserved_in_single_precision() {
    check("single", 1e-5);
}
