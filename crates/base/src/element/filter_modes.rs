//! The modes of an element in the order of their degree, which the entropy filter damps one degree after the other
//! (ptx/method/modes.h).

use nalgebra::DMatrix;

use super::basis::{line_modes, modes, triangle_modes};
use super::dense::vandermonde;
use super::kind::ElementKind;
use super::line::gauss_lobatto;
use super::nodes::{nodes, triangle_nodes};

/// The modes at the points of an element.
#[derive(Debug, Clone)]
pub struct FilterModes {
    /// Values `[point][mode]`.
    pub values: DMatrix<f64>,
    /// Coefficients of the modes from values at the points, `[mode][point]`.
    pub coefficients: DMatrix<f64>,
    /// Degree of each mode, ascending: the largest one along a line of hexahedra and prisms, and the total degree in
    /// triangles and tetrahedra. A mode of the pyramid has the least degree of the spaces of pyramids that contain it.
    pub degrees: Vec<usize>,
}

impl FilterModes {
    /// Returns the modes of an element of degree `order`.
    pub fn new(kind: ElementKind, order: usize) -> Self {
        let at_points: Vec<_> = nodes(kind, order).iter().map(|&x| modes(kind, order, x)).collect();
        let values = vandermonde(&at_points);
        let degrees = degrees(kind, order);
        let mut sorted: Vec<usize> = (0..degrees.len()).collect();
        sorted.sort_by_key(|&mode| degrees[mode]);
        Self::of(
            values.select_columns(&sorted),
            sorted.iter().map(|&mode| degrees[mode]).collect(),
        )
    }

    /// Returns the modes of the line of hexahedra.
    pub fn of_line(order: usize) -> Self {
        let (points, _) = gauss_lobatto(order);
        let values = DMatrix::from_fn(order + 1, order + 1, |i, j| line_modes(order, points[i])[j].0);
        Self::of(values, (0..=order).collect())
    }

    /// Returns the modes of the triangle from which prisms are built.
    pub fn of_triangle(order: usize) -> Self {
        let points = triangle_nodes(order);
        let at_points: Vec<_> = points.iter().map(|&x| triangle_modes(order, x)).collect();
        let degrees = (0..=order).flat_map(|i| (0..=order - i).map(move |j| i + j)).collect();
        Self::of(vandermonde(&at_points), degrees)
    }

    /// Returns the matrix that multiplies each mode by (degree/p)^2, `[point][point]`.
    pub fn damping(&self) -> DMatrix<f64> {
        let order = self.degrees.iter().copied().max().unwrap_or(1) as f64;
        let mut damped = self.coefficients.clone();
        for (mut row, &degree) in damped.row_iter_mut().zip(&self.degrees) {
            row *= (degree as f64 / order).powi(2);
        }
        &self.values * damped
    }

    fn of(values: DMatrix<f64>, degrees: Vec<usize>) -> Self {
        let coefficients = values
            .clone()
            .try_inverse()
            .expect("the element's points are unisolvent");
        FilterModes {
            values,
            coefficients,
            degrees,
        }
    }
}

/// Returns the degrees of the modes in the order of [`modes`].
fn degrees(kind: ElementKind, order: usize) -> Vec<usize> {
    let up_to = |least: usize| 0..=order - least;
    let mut degrees = Vec::new();
    for i in 0..=order {
        match kind {
            ElementKind::Hex => {
                (0..=order).for_each(|j| degrees.extend((0..=order).map(|k| i.max(j).max(k))));
            }
            ElementKind::Prism => {
                up_to(i).for_each(|j| degrees.extend((0..=order).map(|k| (i + j).max(k))));
            }
            ElementKind::Tet => {
                up_to(i).for_each(|j| degrees.extend(up_to(i + j).map(|k| i + j + k)));
            }
            ElementKind::Pyramid => {
                (0..=order).for_each(|j| degrees.extend(up_to(i.max(j)).map(|k| i.max(j) + k)));
            }
        }
    }
    degrees
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_below_a_degree_are_those_of_the_element_of_the_degree_before() {
        for kind in ElementKind::ALL {
            for order in 1..=kind.max_order() {
                let modes = FilterModes::new(kind, order);
                for degree in 1..=order {
                    let below = modes.degrees.iter().filter(|&&d| d < degree).count();
                    assert_eq!(below, kind.points(degree - 1), "{kind} {order} {degree}");
                }
                assert!(modes.degrees.is_sorted());
            }
        }
    }

    /// A polynomial of a degree is made of the modes up to this degree alone.
    #[test]
    fn polynomials_have_no_modes_above_their_degree() {
        for kind in ElementKind::ALL {
            for order in 1..=kind.max_order() {
                let modes = FilterModes::new(kind, order);
                let points = nodes(kind, order);
                for degree in 0..=order {
                    let at = |x: &[f64; 3]| (0.3 + x[0] - 0.5 * x[1] + 0.7 * x[2]).powi(degree as i32);
                    let values = DMatrix::from_iterator(points.len(), 1, points.iter().map(at));
                    let coefficients = &modes.coefficients * values;
                    let above = coefficients.iter().zip(&modes.degrees).filter(|(_, d)| **d > degree);
                    let largest = above.map(|(c, _)| c.abs()).fold(0.0, f64::max);
                    assert!(largest < 1e-11, "{kind} {order} {degree}: {largest:e}");
                }
            }
        }
    }
}
