//! The quadrature by which outputs integrate products of the solution over a cell.
//!
//! The solution points have weights that are exact to degree p only, or to degree 2p - 1 in a hexahedron, while energy
//! and enstrophy have twice the degree of the solution and more. Outputs therefore interpolate the solution to the
//! points of another rule: Gauss points along each collapsed coordinate that are exact to degree 3p, so that products
//! of three functions in affine cells, such as density and two velocities, have no error of the rule.
//!
//! A hexahedron or prism is a stack of sections, each with the points of a square or triangle. Its rule lies on levels
//! across the stack: values go to a level first, and within the level to the points. Other cells are one section and
//! one level.

use nalgebra::DMatrix;

use super::basis::{Modes, gauss_jacobi, line_modes, modes, quadrature, triangle_modes, triangle_quadrature};
use super::dense::vandermonde;
use super::kind::ElementKind;
use super::line::gauss_lobatto;
use super::nodes::{nodes, triangle_nodes};

/// The rule of one kind of cell.
#[derive(Debug, Clone)]
pub struct OutputRule {
    /// From the points of a section to those of a level.
    pub level: Interpolation,
    /// From the sections to the levels.
    pub across: Interpolation,
}

/// Interpolation to the points of a quadrature.
#[derive(Debug, Clone)]
pub struct Interpolation {
    /// Values of the Lagrange functions, `[point of the rule][solution point]`.
    pub values: DMatrix<f64>,
    /// Their derivatives along each direction.
    pub slopes: Vec<DMatrix<f64>>,
    /// Weights of the points of the rule; all are positive.
    pub weights: Vec<f64>,
}

impl OutputRule {
    /// Creates the rule of an element of degree `order`.
    pub fn new(kind: ElementKind, order: usize) -> Self {
        let lobatto = gauss_lobatto(order).0;
        let points = ElementKind::rule_line_points(order);
        let gauss = gauss_jacobi(points, 0);
        let line = || gauss.0.iter().copied().zip(gauss.1.iter().copied());
        let along = |x: f64| -> Modes<1> { line_modes(order, x).into_iter().map(|(f, d)| (f, [d])).collect() };
        let across = || Interpolation::new(&lobatto, line().collect(), along);
        match kind {
            ElementKind::Hex => {
                let square: Vec<[f64; 2]> = lobatto
                    .iter()
                    .flat_map(|&y| lobatto.iter().map(move |&x| [x, y]))
                    .collect();
                let rule = line().flat_map(|(y, v)| line().map(move |(x, w)| ([x, y], v * w)));
                OutputRule {
                    level: Interpolation::new(&square, rule.collect(), |x| square_modes(order, x)),
                    across: across(),
                }
            }
            ElementKind::Prism => OutputRule {
                level: Interpolation::new(&triangle_nodes(order), triangle_quadrature(points - 1), |x| {
                    triangle_modes(order, x)
                }),
                across: across(),
            },
            ElementKind::Tet | ElementKind::Pyramid => OutputRule {
                level: Interpolation::new(&nodes(kind, order), quadrature(kind, points - 1), |x| {
                    modes(kind, order, x)
                }),
                across: Interpolation {
                    values: DMatrix::from_element(1, 1, 1.0),
                    slopes: vec![DMatrix::zeros(1, 1)],
                    weights: vec![1.0],
                },
            },
        }
    }
}

impl Interpolation {
    /// Creates the interpolation from points to those of a rule, which has pairs of a point and its weight.
    fn new<X: Copy, const D: usize>(points: &[X], rule: Vec<(X, f64)>, modes: impl Fn(X) -> Modes<D>) -> Self {
        let at_points: Vec<_> = points.iter().map(|&x| modes(x)).collect();
        let inverse = vandermonde(&at_points)
            .try_inverse()
            .expect("the element's points are unisolvent");
        let at_rule: Vec<_> = rule.iter().map(|&(x, _)| modes(x)).collect();
        let slope = |d: usize| DMatrix::from_fn(rule.len(), points.len(), |q, m| at_rule[q][m].1[d]) * &inverse;
        Interpolation {
            values: vandermonde(&at_rule) * &inverse,
            slopes: (0..D).map(slope).collect(),
            weights: rule.into_iter().map(|(_, weight)| weight).collect(),
        }
    }
}

/// Modes of the square [-1, 1]^2 with their gradients.
fn square_modes(order: usize, [x, y]: [f64; 2]) -> Modes<2> {
    let along_y = line_modes(order, y);
    let product = |(f, df): (f64, f64)| along_y.iter().map(move |&(g, dg)| (f * g, [df * g, f * dg]));
    line_modes(order, x).into_iter().flat_map(product).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at all points of the rule of a function given at the solution points, and the derivatives along the
    /// reference directions, each with its weight.
    fn at_rule(rule: &OutputRule, f: &[f64]) -> Vec<([f64; 4], f64)> {
        let level = &rule.level;
        let across = &rule.across;
        let size = level.values.ncols();
        let mut all = Vec::new();
        for l in 0..across.weights.len() {
            let on_level = |matrix: &DMatrix<f64>| {
                let layers = 0..matrix.ncols();
                DMatrix::from_fn(size, 1, |i, _| {
                    layers.clone().map(|m| matrix[(l, m)] * f[i + size * m]).sum::<f64>()
                })
            };
            let values = on_level(&across.values);
            let mut slopes: Vec<DMatrix<f64>> = level.slopes.iter().map(|slope| slope * &values).collect();
            if slopes.len() == 2 {
                slopes.push(&level.values * on_level(&across.slopes[0]));
            }
            let values = &level.values * values;
            for (q, weight) in level.weights.iter().enumerate() {
                let at = [values[q], slopes[0][q], slopes[1][q], slopes[2][q]];
                all.push((at, weight * across.weights[l]));
            }
        }
        all
    }

    #[test]
    fn weights_are_positive_and_sum_to_the_volume() {
        for kind in ElementKind::ALL {
            for order in 1..=kind.max_order() {
                let rule = OutputRule::new(kind, order);
                let (points, levels) = (rule.level.weights.len(), rule.across.weights.len());
                assert_eq!(
                    (points, levels),
                    (kind.rule_points(order), kind.rule_levels(order)),
                    "{kind} {order}"
                );
                assert!(rule.level.weights.iter().chain(&rule.across.weights).all(|w| *w > 0.0));
                let volume = rule.level.weights.iter().sum::<f64>() * rule.across.weights.iter().sum::<f64>();
                assert!((volume / kind.volume() - 1.0).abs() < 1e-13, "{kind} {order}: {volume}");
            }
        }
    }

    /// The sums of products of three functions of the element, and of one with derivatives of the two others, are those
    /// of a rule with twice as many points along every direction.
    #[test]
    fn products_of_three_functions_and_of_one_and_two_derivatives_are_integrated_exactly() {
        for kind in ElementKind::ALL {
            for order in 1..=kind.max_order() {
                let rule = OutputRule::new(kind, order);
                let inverse = vandermonde(
                    &nodes(kind, order)
                        .iter()
                        .map(|&x| modes(kind, order, x))
                        .collect::<Vec<_>>(),
                )
                .try_inverse()
                .expect("unisolvent");
                let finer: Vec<_> = quadrature(kind, 2 * order + 3)
                    .into_iter()
                    .map(|(x, w)| (modes(kind, order, x), w))
                    .collect();
                let points = kind.points(order);
                for k in 0..4 {
                    let of_seed = |seed: usize| -> Vec<f64> {
                        (0..points).map(|p| (1.7 * (p * seed + 3 * k) as f64).sin()).collect()
                    };
                    let functions = [5, 7, 11].map(of_seed);
                    let add = |sum: &mut [f64; 2], [f, g, h]: [[f64; 4]; 3], w: f64| {
                        sum[0] += w * f[0] * g[0] * h[0];
                        sum[1] += w * f[0] * (1..4).map(|d| g[d] * h[d]).sum::<f64>();
                    };
                    let mut found = [0.0; 2];
                    let [f, g, h] = functions.each_ref().map(|f| at_rule(&rule, f));
                    for ((f, g), h) in f.into_iter().zip(g).zip(h) {
                        add(&mut found, [f.0, g.0, h.0], f.1);
                    }
                    let coefficients = functions.map(|f| &inverse * DMatrix::from_vec(points, 1, f));
                    let mut exact = [0.0; 2];
                    for (modes, w) in &finer {
                        let values = coefficients.each_ref().map(|c| {
                            let mut at = [0.0; 4];
                            for (m, (value, slope)) in modes.iter().enumerate() {
                                at[0] += c[m] * value;
                                (0..3).for_each(|d| at[1 + d] += c[m] * slope[d]);
                            }
                            at
                        });
                        add(&mut exact, values, *w);
                    }
                    for (found, exact) in found.into_iter().zip(exact) {
                        let scale = exact.abs().max(1.0);
                        assert!((found - exact).abs() < 1e-10 * scale, "{kind} {order}: {found} {exact}");
                    }
                }
            }
        }
    }
}
