//! The operators of dense elements in the layout that the kernels read (ptx/method/dense_operators.h).

use crate::element::{ElementKind, Elements, FilterModes};

/// Operators and face points of one kind of cell.
#[derive(Debug, Clone, Default)]
pub struct Operators {
    /// Operators, one after the other. Those of hexahedra are among the parameters of a launch, except for the modes.
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
            let values = match modes {
                true => mode_matrices(&FilterModes::of_line(order), false),
                false => Vec::new(),
            };
            return Operators { values, face_points };
        }
        let element = elements.dense(kind);
        let (diff, lift): (Vec<&[f64]>, &[f64]) = match kind {
            ElementKind::Prism => {
                let triangle = &elements.triangle;
                (triangle.diff.iter().map(Vec::as_slice).collect(), &triangle.edge_lift)
            }
            _ => (element.diff.iter().map(Vec::as_slice).collect(), &element.lift),
        };
        let size = diff[0].len().isqrt();
        let faces = lift.len() / size;
        let mut values = Vec::new();
        if columns {
            for k in 0..size {
                diff.iter()
                    .for_each(|d| values.extend((0..size).map(|i| d[i * size + k])));
            }
            values.extend((0..faces).flat_map(|f| (0..size).map(move |i| lift[i * faces + f])));
        } else {
            for entry in 0..size * size {
                values.extend(diff.iter().map(|d| d[entry]));
            }
            values.extend(lift);
        }
        values.extend(&element.weights);
        values.extend(&element.face_weights);
        values.push(1.0 / element.weights.iter().sum::<f64>());
        values.extend(&elements.line.diff);
        values.extend(&elements.line.correction);
        if modes {
            values.extend(mode_matrices(&FilterModes::new(kind, order), columns));
        }
        Operators { values, face_points }
    }
}

/// Returns the values of modes at the points, and then the coefficients of modes from values, row by row or column by
/// column.
fn mode_matrices(modes: &FilterModes, columns: bool) -> Vec<f64> {
    let both = [&modes.values, &modes.coefficients];
    let listed = both.map(|matrix| match columns {
        true => matrix.as_slice().to_vec(),
        false => matrix.transpose().as_slice().to_vec(),
    });
    listed.concat()
}
