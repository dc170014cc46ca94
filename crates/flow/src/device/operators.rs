//! The operators of elements in the layout that the kernels read (ptx/method/dense_operators.h, output_rule.h and
//! modes.h).

use crate::element::{ElementKind, Elements, FilterModes, OutputRule, Triangle};

/// Operators and face points of one kind of cell.
#[derive(Debug, Clone, Default)]
pub struct Operators {
    /// Operators, one after the other. Those of hexahedra are among the parameters of a launch, except for the output
    /// rule and the modes.
    pub values: Vec<f64>,
    /// Solution point of the cell at each face point, `[face][face point]`.
    pub face_points: Vec<i32>,
}

impl Operators {
    /// Returns the operators of one kind of cell. With `columns` dense matrices are stored column by column, so that
    /// neighbouring threads of a GPU, which are neighbouring points, read neighbouring values. With `modes` the modes
    /// are among the operators (ptx/method/modes.h).
    pub fn new(elements: &Elements, kind: ElementKind, columns: bool, modes: bool) -> Self {
        let order = elements.order;
        let face_points = (0..kind.faces().len())
            .flat_map(|face| kind.face_indices(face, order))
            .map(|p| p as i32)
            .collect();
        if kind == ElementKind::Hex {
            let mut values = rule(kind, order, columns);
            if modes {
                values.extend(mode_matrices(&FilterModes::of_line(order), false));
            }
            return Operators { values, face_points };
        }
        let element = elements.dense(kind);
        let (diff, lift): (&[Vec<f64>], &[f64]) = match kind {
            ElementKind::Prism => (&elements.triangle.diff, &elements.triangle.edge_lift),
            _ => (&element.diff, &element.lift),
        };
        let size = diff[0].len().isqrt();
        let faces = lift.len() / size;
        let mut values = Vec::new();
        list_derivatives(diff, columns, &mut values);
        if columns {
            values.extend((0..faces).flat_map(|f| (0..size).map(move |i| lift[i * faces + f])));
        } else {
            values.extend(lift);
        }
        values.extend(&element.weights);
        values.push(1.0 / element.weights.iter().sum::<f64>());
        values.extend(&elements.line.diff);
        values.extend(&elements.line.correction);
        list_derivatives(&weak_derivatives(elements, kind, diff, lift), columns, &mut values);
        values.extend(weak_line(elements, kind));
        let points = element.weights.len();
        for d in &element.diff {
            let column = |k| (0..points).map(|i| element.weights[i] * d[i * points + k]).sum::<f64>();
            values.extend((0..points).map(column));
        }
        values.extend(&element.face_weights);
        // Pairs begin at an even place.
        values.resize(values.len().next_multiple_of(2), 0.0);
        values.extend(entropy_matrices(kind, order, columns));
        values.extend(rule(kind, order, columns));
        if modes {
            values.extend(mode_matrices(&FilterModes::new(kind, order), columns));
        }
        Operators { values, face_points }
    }
}

/// Appends dense derivatives along each direction, `[point][point]`, in the layout of the machine.
fn list_derivatives(diff: &[Vec<f64>], columns: bool, values: &mut Vec<f64>) {
    let size = diff[0].len().isqrt();
    if columns {
        for k in 0..size {
            diff.iter()
                .for_each(|d| values.extend((0..size).map(|i| d[i * size + k])));
        }
    } else {
        for entry in 0..size * size {
            values.extend(diff.iter().map(|d| d[entry]));
        }
    }
}

/// Returns the weak derivatives of a set of points: the derivatives minus the lifting of the values at the face points
/// of the set, times the component of the outward normal.
fn weak_derivatives(elements: &Elements, kind: ElementKind, diff: &[Vec<f64>], lift: &[f64]) -> Vec<Vec<f64>> {
    let size = diff[0].len().isqrt();
    let faces = &elements.dense(kind).faces;
    // Outward normal and points of each face, or of each edge of a triangle.
    let sides: Vec<([f64; 3], Vec<usize>)> = match kind {
        ElementKind::Prism => {
            let edges = Triangle::edges(elements.order).into_iter();
            edges.zip(&faces[2..]).map(|(edge, face)| (face.normal, edge)).collect()
        }
        _ => faces.iter().map(|face| (face.normal, face.points.clone())).collect(),
    };
    let columns = lift.len() / size;
    let mut weak = diff.to_vec();
    for (d, matrix) in weak.iter_mut().enumerate() {
        let ends = sides
            .iter()
            .flat_map(|(normal, points)| points.iter().map(|&k| (normal[d], k)));
        for (f, (normal, k)) in ends.enumerate() {
            for i in 0..size {
                matrix[i * size + k] -= lift[i * columns + f] * normal;
            }
        }
    }
    weak
}

/// Returns the weak derivative along the line across the layers of a prism, `[layer][layer]`.
fn weak_line(elements: &Elements, kind: ElementKind) -> Vec<f64> {
    let line = &elements.line;
    let n = line.len();
    let mut weak = line.diff.clone();
    if kind == ElementKind::Prism {
        let [lower, upper] = [0, 1].map(|face| elements.dense(kind).faces[face].normal[2]);
        for j in 0..n {
            weak[j * n] += line.correction[j] * lower;
            weak[j * n + n - 1] += line.correction[n - 1 - j] * upper;
        }
    }
    weak
}

/// Returns the pairs of entries of the mass matrix of a set of points and of the matrix that multiplies each of its
/// modes by (degree/p)^2, and then that matrix of the line across the layers of a prism.
fn entropy_matrices(kind: ElementKind, order: usize, columns: bool) -> Vec<f64> {
    let modes = match kind {
        ElementKind::Prism => FilterModes::of_triangle(order),
        _ => FilterModes::new(kind, order),
    };
    // The mass matrix is symmetric.
    let mass = modes.coefficients.tr_mul(&modes.coefficients);
    let damping = modes.damping();
    let listed = if columns { damping } else { damping.transpose() };
    let pairs = mass.as_slice().iter().zip(listed.as_slice());
    let mut values: Vec<f64> = pairs.flat_map(|(mass, damping)| [*mass, *damping]).collect();
    let line = FilterModes::of_line(order).damping();
    values.extend(line.transpose().as_slice());
    values
}

/// Returns the output rule of a kind of cell: values and derivatives of the Lagrange functions at the points of a
/// level, and the weights of these points; values and derivatives across the layers, and the weights of the levels.
fn rule(kind: ElementKind, order: usize, columns: bool) -> Vec<f64> {
    let OutputRule { level, across } = OutputRule::new(kind, order);
    let (points, nodes) = level.values.shape();
    let at = |q, i| std::iter::once(level.values[(q, i)]).chain(level.slopes.iter().map(move |slope| slope[(q, i)]));
    let mut values = Vec::new();
    if columns {
        for i in 0..nodes {
            for matrix in std::iter::once(&level.values).chain(&level.slopes) {
                values.extend(matrix.column(i).iter());
            }
        }
    } else {
        (0..points).for_each(|q| (0..nodes).for_each(|i| values.extend(at(q, i))));
    }
    values.extend(&level.weights);
    for l in 0..across.values.nrows() {
        for m in 0..across.values.ncols() {
            values.extend([across.values[(l, m)], across.slopes[0][(l, m)]]);
        }
    }
    values.extend(&across.weights);
    values
}

/// Returns the values of modes at the points, and then the coefficients of modes from values, row by row or column by
/// column.
fn mode_matrices(modes: &FilterModes, columns: bool) -> Vec<f64> {
    let both = [&modes.values, &modes.coefficients];
    let listed = both.map(|matrix| {
        if columns {
            matrix.as_slice().to_vec()
        } else {
            matrix.transpose().as_slice().to_vec()
        }
    });
    listed.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Correction;

    /// The product of a row and a matrix with this many columns.
    fn row_times(row: &[f64], matrix: &[f64]) -> Vec<f64> {
        let columns = matrix.len() / row.len();
        let entry = |k| (0..row.len()).map(|i| row[i] * matrix[i * columns + k]).sum();
        (0..columns).map(entry).collect()
    }

    fn largest(values: &[f64]) -> f64 {
        values.iter().fold(0.0, |most, x| most.max(x.abs()))
    }

    #[test]
    fn the_weak_derivative_of_any_values_has_no_integral() {
        for order in 1..=6 {
            let kinds = [ElementKind::Prism, ElementKind::Tet, ElementKind::Pyramid];
            for correction in [Correction::Radau, Correction::Lobatto] {
                let elements = Elements::new(order, correction, &kinds);
                for kind in kinds {
                    let element = elements.dense(kind);
                    let triangle = &elements.triangle;
                    let (weights, diff, lift) = match kind {
                        ElementKind::Prism => (&triangle.weights, &triangle.diff[..], &triangle.edge_lift),
                        _ => (&element.weights, &element.diff[..], &element.lift),
                    };
                    for weak in weak_derivatives(&elements, kind, diff, lift) {
                        assert!(largest(&row_times(weights, &weak)) < 1e-12, "{kind} {order}");
                    }
                }
                let line = weak_line(&elements, ElementKind::Prism);
                assert!(largest(&row_times(&elements.line.weights, &line)) < 1e-12, "{order}");
            }
        }
    }

    #[test]
    fn the_integral_of_a_derivative_is_that_over_the_faces() {
        for kind in [ElementKind::Prism, ElementKind::Tet, ElementKind::Pyramid] {
            for order in 1..=6 {
                let elements = Elements::new(order, Correction::Radau, &[kind]);
                let element = elements.dense(kind);
                let mut expected = vec![0.0; 3 * element.weights.len()];
                for face in &element.faces {
                    for (f, &p) in face.points.iter().enumerate() {
                        let weight = element.face_weights[face.first + f];
                        for (d, normal) in face.normal.iter().enumerate() {
                            expected[d * element.weights.len() + p] += weight * normal;
                        }
                    }
                }
                let values = Operators::new(&elements, kind, true, false).values;
                let after = rule(kind, order, true).len() + entropy_matrices(kind, order, true).len();
                // The face weights, and what fills their place up to an even one.
                let end = (1..=2)
                    .map(|fill| values.len() - after - element.face_weights.len() + 1 - fill)
                    .find(|end| values[*end..].starts_with(&element.face_weights))
                    .expect("the face weights are there");
                let found = &values[end - expected.len()..end];
                let worst = found
                    .iter()
                    .zip(&expected)
                    .fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
                assert!(worst < 1e-12, "{kind} {order}: {worst:e}");
            }
        }
    }
}
