//! The pseudo-inverse of a matrix.

use nalgebra::DMatrix;

/// The Moore-Penrose inverse of a matrix, and its row space.
pub struct PseudoInverse {
    /// Pseudo-inverse of the matrix.
    pub matrix: DMatrix<f64>,
    /// Orthonormal basis of the row space, as columns; their number is the rank.
    pub row_space: DMatrix<f64>,
}

/// Computes the pseudo-inverse by one-sided Jacobi rotations, which find small singular values to full relative
/// accuracy. Singular values below `tolerance` times the largest count as zero.
pub fn pseudo_inverse(a: &DMatrix<f64>, tolerance: f64) -> PseudoInverse {
    let wide = a.nrows() < a.ncols();
    let tall = if wide { a.transpose() } else { a.clone() };
    let n = tall.ncols();
    let (q, r) = tall.qr().unpack();
    let (scaled, v) = rotate(r);
    let norms: Vec<f64> = scaled.column_iter().map(|u| u.norm()).collect();
    let largest = norms.iter().fold(0.0, |m: f64, &s| m.max(s));
    let kept: Vec<usize> = (0..n).filter(|&i| norms[i] > tolerance * largest).collect();
    let v = v.select_columns(&kept);
    let mut u = q * scaled.select_columns(&kept);
    for (column, &i) in kept.iter().enumerate() {
        u.column_mut(column).unscale_mut(norms[i]);
    }
    let inverse = |u: &DMatrix<f64>, v: &DMatrix<f64>| {
        let mut v = v.clone();
        for (column, &i) in kept.iter().enumerate() {
            v.column_mut(column).unscale_mut(norms[i]);
        }
        v * u.transpose()
    };
    if wide {
        PseudoInverse {
            matrix: inverse(&v, &u),
            row_space: u,
        }
    } else {
        PseudoInverse {
            matrix: inverse(&u, &v),
            row_space: v,
        }
    }
}

/// Rotates columns of `r` until they are orthogonal. Returns the columns u_i s_i of r v, and v.
fn rotate(r: DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let n = r.ncols();
    let mut scaled = r;
    let mut v = DMatrix::<f64>::identity(n, n);
    let negligible = f64::EPSILON * scaled.norm();
    for _sweep in 0..60 {
        let mut rotated = false;
        for i in 0..n {
            for j in i + 1..n {
                let (x, y) = (scaled.column(i), scaled.column(j));
                let xx = x.norm_squared();
                let yy = y.norm_squared();
                let xy = x.dot(&y);
                if xy.abs() <= 4.0 * f64::EPSILON * (xx * yy).sqrt() || xx.min(yy).sqrt() <= negligible {
                    continue;
                }
                rotated = true;
                let zeta = (yy - xx) / (2.0 * xy);
                let tan = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let cos = 1.0 / tan.hypot(1.0);
                for columns in [&mut scaled, &mut v] {
                    let (mut x, mut y) = columns.columns_range_pair_mut(i, j);
                    for (x, y) in x.iter_mut().zip(y.iter_mut()) {
                        (*x, *y) = (cos * (*x - tan * *y), cos * (tan * *x + *y));
                    }
                }
            }
        }
        if !rotated {
            break;
        }
    }
    (scaled, v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pseudo_inverse_has_penrose_properties() {
        // Rank 3 of 5 x 4, both ways round.
        let a = DMatrix::from_fn(5, 3, |i, j| ((i + 1) as f64).powi(j as i32))
            * DMatrix::from_fn(3, 4, |i, j| ((i + 1) as f64).powi(j as i32) + (i * j) as f64 * 0.1);
        for a in [a.clone(), a.transpose()] {
            let PseudoInverse { matrix: p, row_space } = pseudo_inverse(&a, 1e-10);
            assert_eq!(row_space.ncols(), 3);
            let (ap, pa) = (&a * &p, &p * &a);
            assert!((&ap * &a - &a).amax() < 1e-12 * a.amax());
            assert!((&pa * &p - &p).amax() < 1e-12);
            assert!((&ap - ap.transpose()).amax() < 1e-12);
            assert!((&pa - &row_space * row_space.transpose()).amax() < 1e-12);
        }
    }
}
