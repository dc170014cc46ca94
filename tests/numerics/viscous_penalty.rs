//! Diffusion across a jump between two cells. One right-hand side of the solver is compared with flux reconstruction
//! along one line, which is computed here from Legendre polynomials alone.

use crate::common::cases::solver;

const MU: f64 = 0.03;
const PRANDTL: f64 = 0.7;
/// Width of a cell.
const H: f64 = 0.5;
/// Jump of velocity or temperature.
const JUMP: f64 = 1e-3;
/// Velocity of the first cell along y.
const V: f64 = 0.25;

/// Legendre polynomial of degree n at x with its derivative, by the explicit sums of (x - 1)/2.
fn legendre(n: usize, x: f64) -> [f64; 2] {
    let mut sums = [0.0; 2];
    let mut coefficient = 1.0;
    for k in 0..=n {
        // C(n, k) C(n + k, k) ((x - 1)/2)^k
        let power = |m: usize| {
            if k < m {
                0.0
            } else {
                ((x - 1.0) / 2.0).powi((k - m) as i32)
            }
        };
        sums[0] += coefficient * power(0);
        sums[1] += coefficient * k as f64 * power(1) / 2.0;
        coefficient *= (n - k) as f64 * (n + k + 1) as f64 / ((k + 1) as f64 * (k + 1) as f64);
    }
    sums
}

/// Gauss-Lobatto points of degree p: the ends and the roots of P_p'. The roots are found by bisection in the intervals
/// of a fine scan.
fn points(p: usize) -> Vec<f64> {
    let slope = |x: f64| legendre(p, x)[1];
    let mut roots = vec![-1.0];
    let n = 1000;
    let at = |i: usize| -1.0 + 2.0 * (i as f64 + 0.5) / n as f64;
    for i in 0..n - 1 {
        let (mut a, mut b) = (at(i), at(i + 1));
        if slope(a) * slope(b) > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (a + b);
            if slope(a) * slope(middle) <= 0.0 {
                b = middle
            } else {
                a = middle
            }
        }
        roots.push(0.5 * (a + b));
    }
    roots.push(1.0);
    assert_eq!(roots.len(), p + 1);
    roots
}

/// Derivative at x of the left correction function, which is 1 at -1 and 0 at 1, of the family of P. E. Vincent, P.
/// Castonguay & A. Jameson, J. Sci. Comput. 47 (2011) 50:
///     (-1)^p/2 (P_p - (eta P_(p-1) + P_(p+1))/(1 + eta))
/// Eta is 0 for the Radau polynomial, and (p + 1)/p for the function that is lumped at the Gauss-Lobatto points.
fn left_slope(correction: &str, p: usize, x: f64) -> f64 {
    let sign = if p.is_multiple_of(2) { 1.0 } else { -1.0 };
    let eta = match correction {
        "radau" => 0.0,
        _ => (p as f64 + 1.0) / p as f64,
    };
    let slope = |n: usize| legendre(n, x)[1];
    0.5 * sign * (slope(p) - (eta * slope(p - 1) + slope(p + 1)) / (1.0 + eta))
}

/// Matrix D of derivatives of the Lagrange polynomials at the points `x`.
fn derivative(x: &[f64]) -> Vec<Vec<f64>> {
    let n = x.len();
    let row = |i: usize| {
        let entry = |k: usize| {
            // Sum over m of prod_(j not k, m) (x_i - x_j)/(x_k - x_j) / (x_k - x_m).
            let others = (0..n).filter(|&m| m != k);
            others
                .map(|m| {
                    let factors = (0..n).filter(|&j| j != k && j != m);
                    factors.map(|j| (x[i] - x[j]) / (x[k] - x[j])).product::<f64>() / (x[k] - x[m])
                })
                .sum()
        };
        (0..n).map(entry).collect()
    };
    (0..n).map(row).collect()
}

/// Returns d/dx (w k dq/dx) at the points of both cells of a periodic line. q is 0 in the first cell and 1 in the
/// second, and w[cell] is a factor of the flux of a cell. The common value of q is the mean of both sides. The flux of
/// a trace uses the corrected gradient plus the penalty lambda (q_o - q_i)/2 with lambda = |g'(-1)|.
fn diffused(correction: &str, p: usize, k: f64, w: [f64; 2]) -> [Vec<f64>; 2] {
    let x = points(p);
    let d = derivative(&x);
    let left: Vec<f64> = x.iter().map(|&x| left_slope(correction, p, x)).collect();
    let right: Vec<f64> = x.iter().map(|&x| -left_slope(correction, p, -x)).collect();
    let scale = 2.0 / H;
    let q = [0.0, 1.0];
    // Corrected gradients. The common value is 1/2 at both ends.
    let gradient = q.map(|own| -> Vec<f64> {
        let jump = 0.5 - own;
        (0..=p).map(|i| scale * jump * (left[i] + right[i])).collect()
    });
    // Flux along x of a cell's trace at its left and right end.
    let lambda = left[0].abs();
    let offered = |cell: usize, end: usize| {
        let outward = if end == 0 { -1.0 } else { 1.0 };
        let pull = scale * lambda * 0.5 * (q[1 - cell] - q[cell]);
        w[cell] * k * (gradient[cell][if end == 0 { 0 } else { p }] + outward * pull)
    };
    [0, 1].map(|cell| {
        let flux: Vec<f64> = gradient[cell].iter().map(|g| w[cell] * k * g).collect();
        let common = [0, 1].map(|end| 0.5 * (offered(cell, end) + offered(1 - cell, 1 - end)));
        (0..=p)
            .map(|i| {
                let inside: f64 = (0..=p).map(|m| d[i][m] * flux[m]).sum();
                scale * (inside + (common[0] - flux[0]) * left[i] + (common[1] - flux[p]) * right[i])
            })
            .collect()
    })
}

/// Returns the rates of the conserved variables at the points of both cells along the line.
fn rates(correction: &str, order: usize, precision: &str, heat: bool) -> [Vec<[f64; 5]>; 2] {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [2, 1, 1], lower: [0, 0, 0], upper: [{}, {H}, {H}], periodic: [x, y, z]}}}}\n\
         order: {order}\n\
         precision: {precision}\nscheme: {{split: none, riemann: central, correction: {correction}}}\n\
         gas: {{prandtl: {PRANDTL}, viscosity: {{constant: {MU}}}}}\n\
         initial: {{u: 0, v: 0, w: 0, p: 1, temperature: 1}}\ntime: {{steps: 1}}\n",
        2.0 * H
    ));
    // The index along x runs fastest in a cell.
    let np = (order + 1).pow(3);
    let mut u = vec![0.0; 10 * np];
    for cell in 0..2 {
        let jump = JUMP * cell as f64;
        let [v, t] = if heat { [V, 1.0 + jump] } else { [V + jump, 1.0] };
        // The pressure is uniform, so that diffusion alone acts.
        let rho = 1.0 / t;
        let values = [rho, 0.0, rho * v, 0.0, 2.5 + 0.5 * rho * v * v];
        for (variable, value) in values.into_iter().enumerate() {
            u[(5 * cell + variable) * np..][..np].fill(value);
        }
    }
    s.device.set_state(&u).unwrap();
    let rhs = s.rhs(0.0).unwrap();
    [0, 1].map(|cell| {
        let at = |i: usize| std::array::from_fn(|v| rhs[(5 * cell + v) * np + i]);
        (0..=order).map(at).collect()
    })
}

fn check(precision: &str, bound: f64) {
    let conductivity = MU * 3.5 / PRANDTL;
    for (correction, order) in [("radau", 2), ("radau", 3), ("lobatto", 2), ("lobatto", 3)] {
        // The flux of momentum across x, its work on the velocity of either cell, and the heat flux.
        for (what, heat, variable, coefficient, w) in [
            ("shear", false, 2, MU, [1.0, 1.0]),
            ("work", false, 4, MU, [V, V + JUMP]),
            ("heat", true, 4, conductivity, [1.0, 1.0]),
        ] {
            let expected = diffused(correction, order, coefficient * JUMP, w);
            let found = rates(correction, order, precision, heat);
            let size = expected.iter().flatten().fold(0.0f64, |a, b| a.max(b.abs()));
            for cell in 0..2 {
                for i in 0..=order {
                    let error = (found[cell][i][variable] - expected[cell][i]) / size;
                    println!(
                        "{precision} {correction} p {order} {what}, cell {cell}, point {i}: {:.12e} of {:.12e}",
                        found[cell][i][variable], expected[cell][i]
                    );
                    assert!(
                        error.abs() < bound,
                        "{precision} {correction} p {order} {what}: {error:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_jump_between_two_cells_diffuses_as_the_formula_says_in_double_precision() {
    check("double", 1e-11);
}

#[test]
fn a_jump_between_two_cells_diffuses_as_the_formula_says_in_single_precision() {
    // The jump is only a thousandth of the temperature.
    check("single", 1e-3);
}
