//! The contents of a solution file: cells, nodes and fields, borrowed and checked.
//!
//! A cell is a polynomial given at equispaced points of its reference element. Pyramids are the exception: VTK has no
//! high-order ones, so they are drawn as hexahedra of which one face is collapsed to the apex, and are given at the
//! points of that hexahedron. Nothing is lost, as the polynomials and the rational functions of pyramids are
//! polynomials of the same degree in the hexahedron's coordinates.

use std::borrow::Cow;
use std::path::Path;

use super::Error;
use crate::element::ElementKind;

/// Highest polynomial order that is written.
pub const MAX_ORDER: usize = 8;

/// Returns the number of nodes of a cell of order `p` in a file.
pub fn node_count(kind: ElementKind, p: usize) -> usize {
    match kind {
        ElementKind::Pyramid => ElementKind::Hex.points(p),
        _ => kind.points(p),
    }
}

/// Returns the reference coordinates of the nodes of a cell of order `p` >= 1, in the order of its points.
///
/// They are equispaced, at -1 + 2 (i, j, k) / p. A pyramid has the nodes of a hexahedron, moved from (x, y, z) to
/// (x (1-z), y (1-z), z) where z = k / p.
pub fn nodes(kind: ElementKind, p: usize) -> Vec<[f64; 3]> {
    let at = |index: usize| (2 * index) as f64 / p as f64 - 1.0;
    let lattice = match kind {
        ElementKind::Pyramid => ElementKind::Hex.lattice(p),
        _ => kind.lattice(p),
    };
    let place = |[i, j, k]: [usize; 3]| match kind {
        ElementKind::Pyramid => {
            let wide = (p - k) as f64 / p as f64;
            [at(i) * wide, at(j) * wide, k as f64 / p as f64]
        }
        _ => [at(i), at(j), at(k)],
    };
    lattice.into_iter().map(place).collect()
}

/// One rank's part of a solution, which may be empty.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// Polynomial order p of cells and fields, 1 to [`MAX_ORDER`]; the same on all ranks.
    pub order: usize,
    /// True to store coordinates and fields in 32 bits, false for 64 bits; the same on all ranks.
    pub single: bool,
    /// Global number of each cell.
    pub cell_ids: &'a [u64],
    /// Shape of each cell.
    pub shapes: &'a [ElementKind],
    /// Positions of the nodes, cell by cell as `ElementKind::nodes` has them, unit of length of the case.
    pub points: &'a [[f64; 3]],
    /// The fields; names and components are the same on all ranks, in the same order.
    pub fields: &'a [PointField<'a>],
    /// Name and text of an attribute of the file; the same on all ranks.
    pub note: Option<(&'a str, &'a str)>,
}

/// A field given at the nodes of a [`Piece`].
#[derive(Debug, Clone, Copy)]
pub struct PointField<'a> {
    /// Name shown by viewers; without '/' and '.', which HDF5 and VTK keep for themselves.
    pub name: &'a str,
    /// 1 for scalars, 3 for vectors, 9 for tensors, row by row.
    pub components: usize,
    /// Values node by node, components side by side: length nodes x components, unit of the field.
    pub values: &'a [f64],
}

/// A field that owns its values, as an output collects them for a [`PointField`].
#[derive(Debug, Clone)]
pub struct NamedField {
    /// Name shown by viewers.
    pub name: Cow<'static, str>,
    /// 1 for scalars, 3 for vectors, 9 for tensors, row by row.
    pub components: usize,
    /// Values node by node, components side by side.
    pub values: Vec<f64>,
}

impl NamedField {
    /// A field with one number at a node.
    pub fn scalar(name: impl Into<Cow<'static, str>>, values: Vec<f64>) -> Self {
        let components = 1;
        NamedField {
            name: name.into(),
            components,
            values,
        }
    }

    /// A field with three numbers at a node.
    pub fn vector(name: &'static str, values: Vec<f64>) -> Self {
        let components = 3;
        NamedField {
            name: name.into(),
            components,
            values,
        }
    }
}

/// Returns the fields in the form in which files take them.
pub fn point_fields(fields: &[NamedField]) -> Vec<PointField<'_>> {
    fields
        .iter()
        .map(|field| PointField {
            name: &field.name,
            components: field.components,
            values: &field.values,
        })
        .collect()
}

impl Piece<'_> {
    /// Checks lengths and names.
    pub(super) fn check(&self, path: &Path) -> Result<(), Error> {
        let refuse = |detail: String| {
            Err(Error::Input {
                path: path.to_path_buf(),
                detail,
            })
        };
        if !(1..=MAX_ORDER).contains(&self.order) {
            return refuse(format!("order {} is not in 1..={MAX_ORDER}", self.order));
        }
        let (shapes, cells) = (self.shapes.len(), self.cell_ids.len());
        if shapes != cells {
            return refuse(format!("{shapes} shapes for {cells} cells"));
        }
        let nodes = self
            .shapes
            .iter()
            .map(|&kind| node_count(kind, self.order))
            .sum::<usize>();
        if self.points.len() != nodes {
            let points = self.points.len();
            return refuse(format!(
                "{points} points for {cells} cells of order {}: {nodes} needed",
                self.order
            ));
        }
        check_fields(path, self.fields, nodes)
    }
}

/// Checks the fields at so many nodes.
pub(super) fn check_fields(path: &Path, fields: &[PointField], nodes: usize) -> Result<(), Error> {
    let refuse = |detail: String| {
        Err(Error::Input {
            path: path.to_path_buf(),
            detail,
        })
    };
    for (i, field) in fields.iter().enumerate() {
        let &PointField {
            name,
            components,
            values,
        } = field;
        if fields[..i].iter().any(|field| field.name == name) {
            return refuse(format!("two fields are named '{name}'"));
        }
        if name.is_empty() || name.contains(['/', '.', '\0']) {
            return refuse(format!("a field cannot be named '{}'", name.escape_debug()));
        }
        if ![1, 3, 9].contains(&components) {
            return refuse(format!("field '{name}' has {components} components, not 1, 3 or 9"));
        }
        if values.len() != nodes * components {
            return refuse(format!(
                "field '{name}' has {} values, not {nodes} x {components}",
                values.len()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [ElementKind; 4] = [
        ElementKind::Hex,
        ElementKind::Prism,
        ElementKind::Tet,
        ElementKind::Pyramid,
    ];

    #[test]
    fn nodes_are_as_many_as_counted() {
        for p in 1..=MAX_ORDER {
            for shape in SHAPES {
                assert_eq!(nodes(shape, p).len(), node_count(shape, p), "{shape:?}, p = {p}");
            }
        }
    }

    #[test]
    fn pyramid_ends_in_its_apex() {
        let nodes = nodes(ElementKind::Pyramid, 3);
        assert_eq!(nodes[0], [-1.0, -1.0, 0.0]);
        assert_eq!(nodes[15], [1.0, 1.0, 0.0]);
        assert!(nodes[48..].iter().all(|node| *node == [0.0, 0.0, 1.0]));
    }

    #[test]
    fn every_cell_has_its_shape_and_its_nodes() {
        let refusal = |shapes: &[ElementKind], points: usize| {
            let points = vec![[0.0; 3]; points];
            let piece = Piece {
                order: 2,
                single: false,
                cell_ids: &[0, 1],
                shapes,
                points: &points,
                fields: &[],
                note: None,
            };
            piece.check(Path::new("a")).err().map(|error| error.to_string())
        };
        assert_eq!(refusal(&[ElementKind::Tet, ElementKind::Prism], 10 + 18), None);
        let message = refusal(&[ElementKind::Tet, ElementKind::Prism], 20).unwrap();
        assert!(
            message.contains("20 points for 2 cells of order 2: 28 needed"),
            "{message}"
        );
        let message = refusal(&[ElementKind::Tet], 10).unwrap();
        assert!(message.contains("1 shapes for 2 cells"), "{message}");
    }
}
