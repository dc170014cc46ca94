//! Whether a case fits this machine, before anything large of it is built.

use super::SetupError;
use crate::case::Case;
use crate::device::DeviceError;
use crate::device::Precision;
use crate::device::cuda::{Gpu, Needs};
use crate::element::{ElementKind, FaceShape};
use crate::mesh::{BoxElements, BoxMesh};
use crate::mesh::{Mesh, Side};

/// The numbers of a mesh that memory depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Census {
    /// Affine and other cells of each kind.
    pub cells: [[usize; 2]; 4],
    /// Triangles and quadrilaterals on boundaries.
    pub boundary: [usize; 2],
}

impl Census {
    /// Of a box, from its keys alone, where its cells are of one kind.
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
        let mut census = Census::default();
        census.cells[kind as usize][usize::from(b.warp != 0.0)] = per_cube * nx * ny * nz;
        for (d, count) in [ny * nz, nx * nz, nx * ny].into_iter().enumerate() {
            if !b.periodic[d] {
                (0..2).for_each(|shape| census.boundary[shape] += 2 * count * sides[d][shape]);
            }
        }
        Some(census)
    }

    /// Of a mesh that is there.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        let mut census = Census::default();
        for (cell, &kind) in mesh.kinds.iter().enumerate() {
            census.cells[kind as usize][usize::from(!is_affine(mesh, cell))] += 1;
            for (side, face) in mesh.cell_sides(cell).iter().zip(kind.faces()) {
                if !matches!(side, Side::Cell { .. }) {
                    census.boundary[usize::from(face.shape == FaceShape::Quad)] += 1;
                }
            }
        }
        census
    }

    /// About what each of some ranks gets.
    pub fn shared_by(mut self, ranks: usize) -> Self {
        let numbers = self.cells.as_flattened_mut().iter_mut().chain(&mut self.boundary);
        numbers.for_each(|number| *number = number.div_ceil(ranks));
        self
    }

    /// Sum over the cells of `of(kind, affine)`.
    fn sum(&self, of: impl Fn(ElementKind, bool) -> f64) -> f64 {
        ElementKind::ALL
            .into_iter()
            .flat_map(|kind| [(kind, true), (kind, false)])
            .map(|(kind, affine)| self.cells[kind as usize][usize::from(!affine)] as f64 * of(kind, affine))
            .sum()
    }
}

/// Whether a cell's geometry nodes lie as an affine map would put them.
fn is_affine(mesh: &Mesh, cell: usize) -> bool {
    let (kind, nodes) = (mesh.kinds[cell], mesh.cell_nodes(cell));
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

/// Refuses a case that needs more memory than the GPU, if it runs on one, or the host has free. On the host the device's arrays
/// (on the CPU) or their copies on the way to the GPU exist beside the double-precision geometry; a few per cent are left out.
/// `ranks` share the host's memory.
pub fn check(case: &Case, census: &Census, gpu: Option<&Gpu>, ranks: usize) -> Result<(), SetupError> {
    let double = case.precision == Precision::Double;
    let viscous = case.gas.viscosity.is_some();
    let sums = case.output.doubles_per_cell(case.order);
    if let Some(gpu) = gpu {
        let needs = Needs {
            real: if double { 8 } else { 4 },
            order: case.order,
            cells: census.cells,
            boundary: census.boundary,
            viscous,
            kahan: case.time.kahan,
            sums,
        };
        needs.check(gpu).map_err(DeviceError::from)?;
    }
    let Some(available) = available().map(|bytes| bytes / ranks as f64) else {
        return Ok(());
    };
    let np = |kind: ElementKind| kind.points(case.order) as f64;
    let nf = |kind: ElementKind| kind.total_face_points(case.order) as f64;
    let real = if double { 8.0 } else { 4.0 };
    let metrics = |kind, affine| if affine { 36.0 } else { 10.0 * np(kind) };
    let state = if case.time.kahan { 25.0 } else { 20.0 };
    let device = |kind: ElementKind, affine| {
        let kept = if viscous && kind != ElementKind::Hex { 12.0 } else { 0.0 };
        let traces = if viscous { 4.0 * nf(kind) } else { 0.0 };
        let fields = if gpu.is_some() {
            5.0 * np(kind)
        } else {
            (state + kept) * np(kind) + traces
        };
        fields + metrics(kind, affine)
    };
    // Geometry nodes, points, metric terms, Jacobian, areas, initial state.
    let host = |kind, affine| (3.0 + 3.0 + 9.0 + 1.0 + 5.0) * np(kind) + 3.0 * nf(kind) + metrics(kind, affine);
    // On the CPU the sums of statistics stay, and with a GPU they come here for checkpoints.
    let kept = |kind: ElementKind| 8.0 * sums[kind as usize] as f64;
    let needed = census.sum(|kind, affine| real * device(kind, affine) + 8.0 * host(kind, affine) + kept(kind));
    if needed > available {
        return Err(SetupError::Memory {
            points: census.sum(|kind, _| np(kind)),
            needed: needed / 1e9,
            available: available / 1e9,
        });
    }
    Ok(())
}

/// Bytes that the system can still hand out, where it says so.
fn available() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}
