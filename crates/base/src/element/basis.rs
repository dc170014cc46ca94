//! Orthonormal modal bases of the reference elements, their gradients, and quadratures that are exact for products of
//! two modes.
//!
//! Triangle and tetrahedron: Proriol-Koornwinder-Dubiner-Owens. Prism and hexahedron: tensor products. Pyramid: the
//! rational space of M. Bergot, G. Cohen & M. Durufle, J. Sci. Comput. 42 (2010) 345, which contains all polynomials of
//! degree p and has the traces of the triangle and the square. Gauss points in collapsed coordinates integrate all of
//! these exactly.

use std::f64::consts::SQRT_2;

use super::kind::ElementKind;

/// Values of all modes at a point, each with its gradient in reference coordinates.
pub type Modes<const D: usize> = Vec<(f64, [f64; D])>;

/// Jacobi polynomial of degree `n` for the weight (1 - x)^alpha (1 + x)^beta on [-1, 1], of unit norm.
fn jacobi(n: usize, alpha: f64, beta: f64, x: f64) -> f64 {
    // The exponents are integers, so that gamma functions are factorials.
    let gamma = |z: f64| (1..z as usize).map(|k| k as f64).product::<f64>();
    let sum = alpha + beta;
    let norm = 2f64.powf(sum + 1.0) / (sum + 1.0) * gamma(alpha + 1.0) * gamma(beta + 1.0) / gamma(sum + 1.0);
    let mut p0 = 1.0 / norm.sqrt();
    if n == 0 {
        return p0;
    }
    let norm = (alpha + 1.0) * (beta + 1.0) / (sum + 3.0) * norm;
    let mut p1 = ((sum + 2.0) * x / 2.0 + (alpha - beta) / 2.0) / norm.sqrt();
    let mut a0 = 2.0 / (2.0 + sum) * ((alpha + 1.0) * (beta + 1.0) / (sum + 3.0)).sqrt();
    for i in 1..n {
        let i = i as f64;
        let h = 2.0 * i + sum;
        let a1 = 2.0 / (h + 2.0)
            * ((i + 1.0) * (i + 1.0 + sum) * (i + 1.0 + alpha) * (i + 1.0 + beta) / (h + 1.0) / (h + 3.0)).sqrt();
        let b = -(alpha * alpha - beta * beta) / h / (h + 2.0);
        (p0, p1) = (p1, ((x - b) * p1 - a0 * p0) / a1);
        a0 = a1;
    }
    p1
}

/// Value and derivative of [`jacobi`] with beta = 0.
fn jacobi_slope(n: usize, alpha: usize, x: f64) -> (f64, f64) {
    let a = alpha as f64;
    let slope = if n == 0 {
        0.0
    } else {
        (n as f64 * (n as f64 + a + 1.0)).sqrt() * jacobi(n - 1, a + 1.0, 1.0, x)
    };
    (jacobi(n, a, 0.0, x), slope)
}

/// Gauss points and weights for the weight (1 - x)^alpha on [-1, 1], exact to degree 2 n - 1.
pub fn gauss_jacobi(n: usize, alpha: usize) -> (Vec<f64>, Vec<f64>) {
    let mut points: Vec<f64> = Vec::with_capacity(n);
    for i in 0..n {
        // Newton's method from a Chebyshev point; roots found so far are divided out.
        let mut x = -(std::f64::consts::PI * (2.0 * i as f64 + 1.0) / (2.0 * n as f64)).cos();
        if let Some(last) = points.last() {
            x = 0.5 * (x + last);
        }
        for _ in 0..100 {
            let (value, slope) = jacobi_slope(n, alpha, x);
            let found: f64 = points.iter().map(|root| 1.0 / (x - root)).sum();
            let step = value / (slope - value * found);
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        points.push(x);
    }
    let weights = points
        .iter()
        .map(|&x| 1.0 / (0..n).map(|k| jacobi(k, alpha as f64, 0.0, x).powi(2)).sum::<f64>())
        .collect();
    (points, weights)
}

/// Legendre polynomials of unit norm up to degree `order`, each with its derivative.
pub fn line_modes(order: usize, x: f64) -> Vec<(f64, f64)> {
    (0..=order).map(|i| jacobi_slope(i, 0, x)).collect()
}

/// Modes of the triangle with their gradients, valid at vertices too.
pub fn triangle_modes(order: usize, [r, s]: [f64; 2]) -> Modes<2> {
    let a = if s < 1.0 {
        2.0 * (1.0 + r) / (1.0 - s) - 1.0
    } else {
        -1.0
    };
    let half = 0.5 * (1.0 - s);
    let mut modes = Vec::new();
    for i in 0..=order {
        let (fa, da) = jacobi_slope(i, 0, a);
        // Powers of (1 - s)/2 as the derivatives of the collapsed coordinates need them.
        let power = half.powi(i as i32);
        let lower = half.powi(i as i32 - i32::from(i > 0));
        for j in 0..=order - i {
            let (gb, db) = jacobi_slope(j, 2 * i + 1, s);
            let scale = SQRT_2 * 2f64.powi(i as i32);
            let dr = da * gb * lower;
            let ds = 0.5 * (1.0 + a) * da * gb * lower + fa * (db * power - 0.5 * i as f64 * gb * lower);
            modes.push((scale * fa * gb * power, [scale * dr, scale * ds]));
        }
    }
    modes
}

/// Modes of the tetrahedron with their gradients, valid at vertices and edges too.
fn tet_modes(order: usize, [r, s, t]: [f64; 3]) -> Modes<3> {
    let a = if s + t < 0.0 {
        -2.0 * (1.0 + r) / (s + t) - 1.0
    } else {
        -1.0
    };
    let b = if t < 1.0 {
        2.0 * (1.0 + s) / (1.0 - t) - 1.0
    } else {
        -1.0
    };
    let (hb, hc) = (0.5 * (1.0 - b), 0.5 * (1.0 - t));
    let mut modes = Vec::new();
    for i in 0..=order {
        let (fa, da) = jacobi_slope(i, 0, a);
        let pb = hb.powi(i as i32);
        let lb = hb.powi(i as i32 - i32::from(i > 0));
        for j in 0..=order - i {
            let (gb, db) = jacobi_slope(j, 2 * i + 1, b);
            let ij = (i + j) as i32;
            let pc = hc.powi(ij);
            let lc = hc.powi(ij - i32::from(ij > 0));
            for k in 0..=order - i - j {
                let (hk, dk) = jacobi_slope(k, 2 * (i + j) + 2, t);
                let scale = 2.0 * SQRT_2 * 2f64.powi((2 * i + j) as i32);
                // d/da and d/db with the powers of (1 - b)/2 and (1 - c)/2 that the chain rule takes away.
                let along_a = da * gb * hk * lb * lc;
                let along_b = fa * (db * pb - 0.5 * i as f64 * gb * lb) * hk * lc;
                let along_c = fa * gb * pb * (dk * pc - 0.5 * f64::from(ij) * hk * lc);
                let dr = along_a;
                let ds = 0.5 * (1.0 + a) * along_a + along_b;
                let dt = 0.5 * (1.0 + a) * along_a + 0.5 * (1.0 + b) * along_b + along_c;
                modes.push((scale * fa * gb * pb * hk * pc, [dr, ds, dt].map(|d| scale * d)));
            }
        }
    }
    modes
}

/// Modes of the pyramid with their gradients. At the apex, where the gradients of the rational modes depend on the
/// direction, they are the limit along the axis.
fn pyramid_modes(order: usize, [x, y, z]: [f64; 3]) -> Modes<3> {
    let h = 1.0 - z;
    let (a, b) = if h > 0.0 { (x / h, y / h) } else { (0.0, 0.0) };
    let (along_x, along_y) = (line_modes(order, a), line_modes(order, b));
    let mut modes = Vec::new();
    for (i, (fa, da)) in along_x.into_iter().enumerate() {
        for (j, &(gb, db)) in along_y.iter().enumerate() {
            let m = i.max(j);
            let power = h.powi(m as i32);
            let lower = h.powi(m as i32 - i32::from(m > 0));
            for k in 0..=order - m {
                let (hk, dk) = jacobi_slope(k, 2 * m + 2, 2.0 * z - 1.0);
                let scale = 2f64.powi(m as i32 + 1) * SQRT_2;
                let dx = da * gb * hk * lower;
                let dy = fa * db * hk * lower;
                let dz = a * dx + b * dy + fa * gb * (2.0 * dk * power - m as f64 * hk * lower);
                modes.push((scale * fa * gb * hk * power, [dx, dy, dz].map(|d| scale * d)));
            }
        }
    }
    modes
}

/// Orthonormal modes of an element at a point, with their gradients. The first mode is the constant.
pub fn modes(kind: ElementKind, order: usize, point: [f64; 3]) -> Modes<3> {
    match kind {
        ElementKind::Hex => {
            let [x, y, z] = point.map(|x| line_modes(order, x));
            let mut modes = Vec::new();
            for &(f, df) in &x {
                for &(g, dg) in &y {
                    modes.extend(
                        z.iter()
                            .map(|&(h, dh)| (f * g * h, [df * g * h, f * dg * h, f * g * dh])),
                    );
                }
            }
            modes
        }
        ElementKind::Prism => {
            let line = line_modes(order, point[2]);
            triangle_modes(order, [point[0], point[1]])
                .into_iter()
                .flat_map(|(f, [dr, ds])| line.iter().map(move |&(h, dh)| (f * h, [dr * h, ds * h, f * dh])))
                .collect()
        }
        ElementKind::Tet => tet_modes(order, point),
        ElementKind::Pyramid => pyramid_modes(order, point),
    }
}

/// Quadrature of the triangle that is exact for products of two modes.
pub fn triangle_quadrature(order: usize) -> Vec<([f64; 2], f64)> {
    let (line, line_weights) = gauss_jacobi(order + 1, 0);
    let (points, weights) = gauss_jacobi(order + 1, 1);
    let mut rule = Vec::new();
    for (b, wb) in points.into_iter().zip(weights) {
        rule.extend(
            line.iter()
                .zip(&line_weights)
                .map(|(a, wa)| ([0.5 * (1.0 + a) * (1.0 - b) - 1.0, b], 0.5 * wa * wb)),
        );
    }
    rule
}

/// Quadrature of an element that is exact for products of two modes or of a mode and a derivative of another.
pub fn quadrature(kind: ElementKind, order: usize) -> Vec<([f64; 3], f64)> {
    let n = order + 1;
    let (line, line_weights) = gauss_jacobi(n, 0);
    let rule = |alpha: usize| {
        let (points, weights) = gauss_jacobi(n, alpha);
        points.into_iter().zip(weights).collect::<Vec<_>>()
    };
    let straight: Vec<(f64, f64)> = line.into_iter().zip(line_weights).collect();
    let (second, third) = match kind {
        ElementKind::Hex => (straight.clone(), straight.clone()),
        ElementKind::Prism => (rule(1), straight.clone()),
        ElementKind::Tet => (rule(1), rule(2)),
        ElementKind::Pyramid => (straight.clone(), rule(2)),
    };
    let mut points = Vec::with_capacity(n * n * n);
    for &(c, wc) in &third {
        for &(b, wb) in &second {
            for &(a, wa) in &straight {
                let w = wa * wb * wc;
                points.push(match kind {
                    ElementKind::Hex => ([a, b, c], w),
                    ElementKind::Prism => ([0.5 * (1.0 + a) * (1.0 - b) - 1.0, b, c], w / 2.0),
                    ElementKind::Tet => {
                        let s = 0.5 * (1.0 + b) * (1.0 - c) - 1.0;
                        ([-0.5 * (1.0 + a) * (s + c) - 1.0, s, c], w / 8.0)
                    }
                    ElementKind::Pyramid => {
                        let h = 0.5 * (1.0 - c);
                        ([a * h, b * h, 1.0 - h], w / 8.0)
                    }
                });
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_orthonormal() {
        for kind in ElementKind::ALL {
            for order in 1..=6 {
                let rule: Vec<_> = quadrature(kind, order)
                    .into_iter()
                    .map(|(x, w)| (modes(kind, order, x), w))
                    .collect();
                let n = kind.points(order);
                assert_eq!(rule[0].0.len(), n);
                for i in 0..n {
                    for j in 0..=i {
                        let sum: f64 = rule.iter().map(|(f, w)| w * f[i].0 * f[j].0).sum();
                        let exact = if i == j { 1.0 } else { 0.0 };
                        assert!((sum - exact).abs() < 1e-13, "{kind} {order} ({i}, {j}): {sum}");
                    }
                }
            }
        }
    }

    #[test]
    fn gradients_are_those_of_the_values() {
        let h = 1e-5;
        for kind in ElementKind::ALL {
            for (point, _) in quadrature(kind, 3) {
                let exact = modes(kind, 4, point);
                for d in 0..3 {
                    let shifted = |h: f64| {
                        let mut x = point;
                        x[d] += h;
                        modes(kind, 4, x)
                    };
                    let (up, down) = (shifted(h), shifted(-h));
                    for (m, mode) in exact.iter().enumerate() {
                        let slope = (up[m].0 - down[m].0) / (2.0 * h);
                        assert!((slope - mode.1[d]).abs() < 2e-5, "{kind} mode {m} direction {d}");
                    }
                }
            }
        }
    }

    #[test]
    fn gauss_jacobi_is_exact_to_degree_2n_minus_1() {
        for alpha in 0..3 {
            for n in 1..=9 {
                let (x, w) = gauss_jacobi(n, alpha);
                for degree in 0..2 * n {
                    // In powers of 1 - x: int (1 - x)^(alpha + degree) = 2^(alpha + degree + 1)/(alpha + degree + 1).
                    let sum: f64 = x
                        .iter()
                        .zip(&w)
                        .map(|(x, w)| w * ((1.0 - x) / 2.0).powi(degree as i32))
                        .sum();
                    let exact = 2f64.powi(alpha as i32 + 1) / (alpha + degree + 1) as f64;
                    assert!((sum / exact - 1.0).abs() < 1e-13, "alpha {alpha} n {n} degree {degree}");
                }
            }
        }
    }
}
