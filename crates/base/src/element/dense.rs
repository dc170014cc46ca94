//! Operators of a nodal element from an orthonormal modal basis.

use nalgebra::DMatrix;

use super::basis::Modes;

/// Entries of a matrix in row-major order.
pub fn rows(m: &DMatrix<f64>) -> Vec<f64> {
    m.transpose().as_slice().to_vec()
}

/// Values of modes (columns) at points (rows).
pub fn vandermonde<const D: usize>(modes: &[Modes<D>]) -> DMatrix<f64> {
    DMatrix::from_fn(modes.len(), modes[0].len(), |i, j| modes[i][j].0)
}

/// Nodal derivative matrices M^-1 S_d, computed from the modes as V (integral of phi_i d_d phi_j) V^-1.
///
/// `rule` holds the modes and the weight at each point of an exact quadrature; `inverse` is V^-1.
pub fn derivatives<const D: usize>(
    vandermonde: &DMatrix<f64>,
    inverse: &DMatrix<f64>,
    rule: &[(Modes<D>, f64)],
) -> [Vec<f64>; D] {
    let n = vandermonde.nrows();
    let values = DMatrix::from_fn(rule.len(), n, |q, i| rule[q].1 * rule[q].0[i].0);
    std::array::from_fn(|d| {
        let slopes = DMatrix::from_fn(rule.len(), n, |q, j| rule[q].0[j].1[d]);
        let mut diff = vandermonde * values.tr_mul(&slopes) * inverse;
        // The derivative of a constant must be exactly zero.
        for i in 0..n {
            let others: f64 = (0..n).filter(|&k| k != i).map(|k| diff[(i, k)]).sum();
            diff[(i, i)] = -others;
        }
        rows(&diff)
    })
}
