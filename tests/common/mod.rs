//! Cases in a few words, errors against exact solutions, and observed orders, for the numerical tests.
#![allow(dead_code)] // each test binary uses a part

pub mod figures;
pub mod flows;
pub mod gas;
pub mod meshes;
pub mod program;
pub mod turned;

use std::path::Path;

use fr_les::case::{Case, Correction};
use fr_les::element::{ElementKind, ReferenceElement, quadrature};
use fr_les::geometry::multiply;
use fr_les::solver::Solver;

/// Parses a case that must be right.
pub fn case(text: &str) -> Case {
    // The same tests run on a GPU, or with another scheme (key=value,...), when they are told so.
    let mut set: Vec<String> = std::env::var("FR_LES_TEST_DEVICE")
        .iter()
        .map(|d| format!("device={d}"))
        .collect();
    let more = std::env::var("FR_LES_TEST_SET").unwrap_or_default();
    set.extend(more.split(',').filter(|s| !s.is_empty()).map(str::to_owned));
    Case::parse(text, Path::new("test.yaml"), &set).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A solver for a case that must be right.
pub fn solver(text: &str) -> Solver {
    Solver::new(&case(text)).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Taylor-Green at Mach 0.1 in a periodic box; `viscosity` is what follows `viscosity:`, empty for Euler; `more` are further
/// lines of the case.
pub fn taylor_green(cells: usize, order: usize, viscosity: &str, more: &str) -> String {
    let viscosity = if viscosity.is_empty() {
        String::new()
    } else {
        format!(", viscosity: {viscosity}")
    };
    let warp = if more.contains("#warp") { "warp: 0.2" } else { "warp: 0" };
    format!(
        "mesh:\n  box:\n    cells: [{cells}, {cells}, {cells}]\n    lower: [-pi, -pi, -pi]\n    upper: [pi, pi, pi]\n    \
         periodic: [x, y, z]\n    {warp}\norder: {order}\nconstants: {{p0: 1/(1.4*0.1^2)}}\n\
         gas: {{gamma: 1.4, prandtl: 0.71, gas-constant: 1.0{viscosity}}}\n\
         initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
         p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\ntime: {{steps: 1, cfl: 0.9}}\n{more}"
    )
}

/// Takes `steps` steps of `dt`; returns the time reached.
pub fn advance(solver: &mut Solver, steps: usize, dt: f64) -> f64 {
    let mut time = 0.0;
    for _ in 0..steps {
        solver.step(time, dt).unwrap();
        time += dt;
    }
    time
}

/// Steps to `end` in equal steps of at most `cfl` of the stability limit at the start.
pub fn advance_to(solver: &mut Solver, end: f64, cfl: f64) {
    let rates = solver.device.rates().unwrap();
    let steps = (end / (cfl * solver.stable_step(&rates))).ceil() as usize;
    advance(solver, steps, end / steps as f64);
    assert!(solver.device.rates().unwrap().unphysical.is_none(), "the run diverged");
}

/// L2 norm of the error of every conserved variable over the square root of the volume, by the points of hexahedra, and in other
/// cells by a quadrature that integrates the square of the solution's polynomial exactly where they are straight.
pub fn l2_error(solver: &Solver, exact: impl Fn([f64; 3]) -> [f64; 5]) -> [f64; 5] {
    let (geometry, order) = (&solver.geometry, solver.elements.order);
    let state = solver.device.state().unwrap();
    let rules: Vec<(Vec<f64>, Vec<f64>)> = ElementKind::ALL
        .iter()
        .map(|&kind| {
            if !geometry.kinds.contains(&kind) {
                return Default::default();
            }
            let element = ReferenceElement::new(kind, order, Correction::Radau);
            if kind == ElementKind::Hex {
                // The solver's own points are a quadrature here, as is usual for these elements.
                return (element.interpolation(&element.points), element.weights);
            }
            let (points, weights): (Vec<[f64; 3]>, Vec<f64>) = quadrature(kind, order + 1).into_iter().unzip();
            (element.interpolation(&points), weights)
        })
        .collect();
    let mut sum = [0.0; 5];
    for (cell, &kind) in geometry.kinds.iter().enumerate() {
        let (first, np) = (geometry.first_point[cell], geometry.cell_points(cell));
        let (matrix, weights) = &rules[kind as usize];
        let at_points: Vec<[f64; 9]> = (0..np)
            .map(|p| {
                let (x, u) = (geometry.points[first + p], |v: usize| state[5 * first + v * np + p]);
                [
                    x[0],
                    x[1],
                    x[2],
                    geometry.jacobian[first + p],
                    u(0),
                    u(1),
                    u(2),
                    u(3),
                    u(4),
                ]
            })
            .collect();
        for (q, w) in multiply(matrix, &at_points).into_iter().zip(weights) {
            let reference = exact([q[0], q[1], q[2]]);
            for v in 0..5 {
                sum[v] += w * q[3] * (q[4 + v] - reference[v]).powi(2);
            }
        }
    }
    sum.map(|s| (s / geometry.volume).sqrt())
}

/// Calls `look(position, state)` for all solution points.
pub fn each_point(solver: &Solver, field: &[f64], mut look: impl FnMut([f64; 3], [f64; 5])) {
    for cell in 0..solver.mesh.len() {
        let (first, np) = (solver.geometry.first_point[cell], solver.geometry.cell_points(cell));
        for p in 0..np {
            let values = std::array::from_fn(|v| field[5 * first + v * np + p]);
            look(solver.geometry.points[first + p], values);
        }
    }
}

/// Prints a table of errors and returns the order over all meshes, the slope of the least-squares line through
/// (ln h, ln error): the least over the given variables.
pub fn observed_order(name: &str, meshes: &[(f64, [f64; 5])], variables: &[usize]) -> f64 {
    for (h, e) in meshes {
        let shown: Vec<String> = variables.iter().map(|&v| format!("{:.3e}", e[v])).collect();
        println!("{name} h {h:.4} errors {}", shown.join(" "));
    }
    let slope = |v: usize| {
        let points: Vec<(f64, f64)> = meshes.iter().map(|(h, e)| (h.ln(), e[v].ln())).collect();
        let n = points.len() as f64;
        let mean = points.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
        let covariance: f64 = points.iter().map(|p| (p.0 - mean.0) * (p.1 - mean.1)).sum();
        covariance / points.iter().map(|p| (p.0 - mean.0).powi(2)).sum::<f64>()
    };
    let orders: Vec<f64> = variables.iter().map(|&v| slope(v)).collect();
    println!("{name} orders {orders:.2?}");
    orders.into_iter().fold(f64::INFINITY, f64::min)
}
