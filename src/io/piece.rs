//! What the solver hands over for a solution file: cells, nodes and fields, borrowed and checked.

use std::path::Path;

use super::Error;

/// Highest polynomial order that is written.
pub const MAX_ORDER: usize = 8;

/// One rank's part of a solution. A rank may hold no cells.
///
/// Each cell has (p+1)^3 nodes, p = `order`, at the equispaced points -1, -1+2/p, ..., 1 of the reference cube in tensor
/// order: node (i, j, k) is at index i + (p+1) (j + (p+1) k).
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// Polynomial order p of cells and fields, 1 to [`MAX_ORDER`]; the same on all ranks.
    pub order: usize,
    /// Whether coordinates and fields are stored in 32 bit instead of 64; the same on all ranks.
    pub single: bool,
    /// Global number of each cell.
    pub cell_ids: &'a [u64],
    /// Positions of the nodes, cell by cell: length cells (p+1)^3, unit of length of the case.
    pub points: &'a [[f64; 3]],
    /// The fields; names and components are the same on all ranks, in the same order.
    pub fields: &'a [PointField<'a>],
}

/// A field given at the nodes of a [`Piece`].
#[derive(Debug, Clone, Copy)]
pub struct PointField<'a> {
    /// Name shown by viewers; without '/' and '.', which HDF5 and VTK keep for themselves.
    pub name: &'a str,
    /// 1 for scalars, 3 for vectors.
    pub components: usize,
    /// Values node by node, components side by side: length nodes x components, unit of the field.
    pub values: &'a [f64],
}

impl Piece<'_> {
    /// Size of this piece's arrays in the file.
    pub(super) fn bytes(&self) -> u64 {
        let (cells, nodes) = (self.cell_ids.len() as u64, self.points.len() as u64);
        let columns = 3 + self.fields.iter().map(|field| field.components as u64).sum::<u64>();
        let float = if self.single { 4 } else { 8 };
        // Connectivity per node; number, type and offset per cell; one more offset and three counts.
        nodes * (columns * float + 8) + cells * (8 + 1 + 8) + 4 * 8
    }

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
        let nodes = self.cell_ids.len() * (self.order + 1).pow(3);
        if self.points.len() != nodes {
            let (points, cells) = (self.points.len(), self.cell_ids.len());
            return refuse(format!(
                "{points} points for {cells} cells of order {}: {nodes} needed",
                self.order
            ));
        }
        for (i, field) in self.fields.iter().enumerate() {
            let &PointField {
                name,
                components,
                values,
            } = field;
            if self.fields[..i].iter().any(|field| field.name == name) {
                return refuse(format!("two fields are named '{name}'"));
            }
            if name.is_empty() || name.contains(['/', '.', '\0']) {
                return refuse(format!("a field cannot be named '{}'", name.escape_debug()));
            }
            if components != 1 && components != 3 {
                return refuse(format!("field '{name}' has {components} components, not 1 or 3"));
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
}
