//! Errors relative to exact solutions, and observed orders.

use fr_les::case::Correction;
use fr_les::element::{ElementKind, ReferenceElement, quadrature};
use fr_les::geometry::multiply;
use fr_les::solver::Solver;

/// Returns the L2 norm of the error of every conserved variable, divided by the square root of the volume. In hexahedra
/// the solution points are the quadrature. In other cells the quadrature integrates the square of the polynomial
/// solution exactly if the cell is straight.
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
                // The quadrature at the solution points is usual for these elements.
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
                    geometry.metrics[cell].jacobian(p),
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

/// Prints a table of errors and returns the least observed order of the given variables. The order of a variable is the
/// slope of the least-squares line through (ln h, ln error) of all meshes.
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
