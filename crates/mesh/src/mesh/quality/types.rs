//! The measures of which the report of a mesh consists.

use crate::element::ElementKind;

/// The location of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellLocation {
    /// The cell.
    pub cell: usize,
    /// Tag of the cell in the mesh file.
    pub tag: Option<u64>,
    /// Mean of the cell's vertices.
    pub centre: [f64; 3],
}

/// An extreme value and the cell that has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extreme {
    /// The extreme value.
    pub value: f64,
    /// The cell.
    pub place: CellLocation,
}

/// The numbers of cells of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindCount {
    /// Kind of the cells.
    pub kind: ElementKind,
    /// Number of cells.
    pub cells: usize,
    /// Number of affine cells among them.
    pub affine: usize,
}

/// The measures of a boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundaryReport {
    /// Name of the boundary.
    pub name: String,
    /// Number of faces.
    pub faces: usize,
    /// Area of the faces.
    pub area: f64,
    /// Least distance of the first solution points from the boundary; `None` if it has no faces.
    pub first_point: Option<Extreme>,
}

/// A histogram of cells or faces: entry i counts values from `limits[i - 1]` up to but not including `limits[i]`, the
/// last entry all others.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Upper limits in ascending order.
    pub limits: &'static [f64],
    /// Counts, one more than limits.
    pub counts: Vec<usize>,
}

impl Distribution {
    pub(super) fn new(limits: &'static [f64], values: impl Iterator<Item = f64>) -> Self {
        let mut counts = vec![0; limits.len() + 1];
        values.for_each(|value| counts[limits.partition_point(|limit| *limit <= value)] += 1);
        Distribution { limits, counts }
    }
}

/// The size in bytes of the largest arrays of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// Size in double precision.
    pub double: usize,
    /// Size in single precision.
    pub single: usize,
}

/// The measures of a mesh. Lengths, areas and volumes are in the unit of length of the mesh.
#[derive(Debug, Clone)]
pub struct Quality {
    /// Degree of the geometry.
    pub geometry_order: usize,
    /// Degree of the solution to which points, wall distances and memory refer.
    pub order: usize,
    /// Numbers of cells of the kinds that occur.
    pub kinds: Vec<KindCount>,
    /// Number of solution points.
    pub points: usize,
    /// Number of faces between two cells, and of those among them that are periodic by rotation.
    pub inner_faces: [usize; 2],
    /// Number of faces that meet two or four smaller ones, and of these smaller ones.
    pub divided_faces: [usize; 2],
    /// Measures of the boundaries.
    pub boundaries: Vec<BoundaryReport>,
    /// Lower and upper corner of the bounding box of all nodes.
    pub bounds: [[f64; 3]; 2],
    /// Volume of all cells.
    pub volume: f64,
    /// Smallest volume of a cell.
    pub smallest: Extreme,
    /// Largest volume of a cell.
    pub largest: Extreme,
    /// Smallest scaled Jacobian.
    pub worst: Extreme,
    /// Number of cells whose mapping folds.
    pub inverted: usize,
    /// Distribution of scaled Jacobians.
    pub jacobians: Distribution,
    /// Largest ratio of a cell's longest edge to its shortest.
    pub aspect: Extreme,
    /// Distribution of these ratios.
    pub aspects: Distribution,
    /// Largest ratio of the extents of two cells across their common face.
    pub growth: Option<Extreme>,
    /// Distribution of these ratios.
    pub growths: Distribution,
    /// Length of the shortest edge.
    pub shortest_edge: Extreme,
    /// Memory of a run.
    pub memory: MemoryEstimate,
}
