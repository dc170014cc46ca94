//! Numbers of cells and boundary faces of a mesh, which tell the memory that a case needs before anything large is
//! built.

use super::types::{Mesh, Side};
use super::{BoxElements, BoxMesh};
use crate::element::{ElementKind, FaceShape, PerKind};

/// Numbers of cells and boundary faces, on which the memory that a case needs depends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CellCounts {
    /// Affine and other cells of each kind.
    pub cells: PerKind<[usize; 2]>,
    /// Triangles and quadrilaterals on boundaries.
    pub boundary: [usize; 2],
}

impl CellCounts {
    /// The counts of a box, from its keys alone; `None` where its cells are not of one kind.
    pub fn of_box(b: &BoxMesh) -> Option<Self> {
        // Cells of a cube, then triangles and quadrilaterals on its sides in x, y and z.
        let (kind, per_cube, sides) = match b.elements {
            BoxElements::Hex => (ElementKind::Hex, 1, [[0, 1]; 3]),
            BoxElements::Prism => (ElementKind::Prism, 2, [[0, 1], [0, 1], [2, 0]]),
            BoxElements::Tet => (ElementKind::Tet, 6, [[2, 0]; 3]),
            BoxElements::Pyramid => (ElementKind::Pyramid, 6, [[0, 1]; 3]),
            BoxElements::Mixed => return None,
        };
        let [nx, ny, nz] = b.cells;
        let mut counts = CellCounts::default();
        counts.cells[kind][usize::from(b.warp != 0.0)] = per_cube * nx * ny * nz;
        for (d, count) in [ny * nz, nx * nz, nx * ny].into_iter().enumerate() {
            if !b.periodic[d] {
                (0..2).for_each(|shape| counts.boundary[shape] += 2 * count * sides[d][shape]);
            }
        }
        Some(counts)
    }

    /// The counts of a mesh.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        let mut counts = CellCounts::default();
        for (cell, &kind) in mesh.kinds.iter().enumerate() {
            counts.cells[kind][usize::from(!is_affine(mesh, cell))] += 1;
            for (side, face) in mesh.cell_sides(cell).iter().zip(kind.faces()) {
                if !matches!(side, Side::Cell { .. }) {
                    counts.boundary[usize::from(face.shape == FaceShape::Quad)] += 1;
                }
            }
        }
        counts
    }

    /// About the counts that each of some ranks gets.
    pub fn shared_by(self, ranks: usize) -> Self {
        let share = |number: usize| number.div_ceil(ranks);
        CellCounts {
            cells: PerKind::new(|kind| self.cells[kind].map(share)),
            boundary: self.boundary.map(share),
        }
    }

    /// Sum over the cells of `of(kind, affine)`.
    pub fn sum(&self, of: impl Fn(ElementKind, bool) -> f64) -> f64 {
        ElementKind::ALL
            .into_iter()
            .flat_map(|kind| [(kind, true), (kind, false)])
            .map(|(kind, affine)| self.cells[kind][usize::from(!affine)] as f64 * of(kind, affine))
            .sum()
    }
}

/// Returns true if the geometry nodes of a cell lie where an affine map would put them.
///
/// This test serves the estimate of memory, for which the metric terms do not exist yet. The geometry, which is built
/// on the mesh, has a test of its own: it decides from the variation of the metric terms over the solution points of
/// the cell, because the solver replaces them by their mean. The two can differ only for cells near their tolerances,
/// which does not matter to an estimate.
fn is_affine(mesh: &Mesh, cell: usize) -> bool {
    let kind = mesh.kinds[cell];
    let nodes = mesh.cell_nodes(cell);
    if mesh.geometry_order > 1 {
        return false;
    }
    let lattice = kind.lattice(1);
    let along = |d: usize, m: usize| {
        let other = lattice
            .iter()
            .position(|at| at.iter().sum::<usize>() == 1 && at[d] == 1);
        other.map_or(0.0, |i| nodes[i][m] - nodes[0][m])
    };
    (0..3).all(|m| {
        let edges = [0, 1, 2].map(|d| along(d, m));
        let size = edges.iter().map(|x| x.abs()).sum::<f64>();
        lattice.iter().zip(nodes).all(|(at, x)| {
            let expected = nodes[0][m] + (0..3).map(|d| at[d] as f64 * edges[d]).sum::<f64>();
            // A pyramid's apex may be anywhere.
            (kind == ElementKind::Pyramid && at[2] == 1) || (x[m] - expected).abs() <= 1e-10 * size
        })
    })
}
