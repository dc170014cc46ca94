//! Boxes of hexahedra: uniform or stretched to the walls, straight, trilinear or smoothly curved.

use super::face::{FACES, face_corners, find_orientation};
use super::{Mesh, Side};
use crate::case::{BoxMesh, WarpKind};
use crate::element::gauss_lobatto;

/// Builds the box; curved cells get geometry of degree `order`, so that the solution's own points carry it exactly.
pub fn build_box(b: &BoxMesh, order: usize) -> Mesh {
    let curved = b.warp != 0.0 && b.warp_kind == WarpKind::Curved;
    let geometry_order = if curved { order } else { 1 };
    let n = geometry_order + 1;
    let positions: Vec<f64> = gauss_lobatto(geometry_order)
        .0
        .iter()
        .map(|x| 0.5 * (1.0 + x))
        .collect();
    let vertices: [Vec<f64>; 3] = std::array::from_fn(|d| {
        (0..=b.cells[d])
            .map(|i| relative_vertex(i, b.cells[d], b.stretch[d]))
            .collect()
    });

    let [nx, ny, nz] = b.cells;
    let count = nx * ny * nz;
    let shortest = (0..3).map(|d| b.upper[d] - b.lower[d]).fold(f64::INFINITY, f64::min);
    let mut nodes = Vec::with_capacity(count * n * n * n);
    for cell in 0..count {
        let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
        for node in 0..n * n * n {
            let local = [node % n, node / n % n, node / (n * n)];
            let relative: [f64; 3] = std::array::from_fn(|d| {
                let (low, high) = (vertices[d][at[d]], vertices[d][at[d] + 1]);
                // Exactly `high` at the upper end, so that neighbours share their nodes to the last bit.
                if local[d] == n - 1 {
                    high
                } else {
                    low + positions[local[d]] * (high - low)
                }
            });
            let shift = displacement(relative);
            nodes.push(std::array::from_fn(|d| {
                b.lower[d] + relative[d] * (b.upper[d] - b.lower[d]) + b.warp * shortest * shift[d]
            }));
        }
    }

    let mut mesh = Mesh {
        geometry_order,
        nodes,
        sides: Vec::with_capacity(count),
        boundary_names: Vec::new(),
        structured: Some(b.cells),
    };
    for cell in 0..count {
        let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
        let sides: [Side; FACES] = std::array::from_fn(|face| box_side(b, &mut mesh, cell, at, face));
        mesh.sides.push(sides);
    }
    mesh
}

/// Vertex `i` of `cells` in [0, 1]: uniform, or clustered to both ends by
/// (1 - tanh(lam (1/2 - i/n))/tanh(lam/2))/2.
fn relative_vertex(i: usize, cells: usize, stretch: Option<f64>) -> f64 {
    let s = i as f64 / cells as f64;
    match stretch {
        Some(lam) if i != 0 && i != cells => 0.5 * (1.0 - (lam * (0.5 - s)).tanh() / (0.5 * lam).tanh()),
        _ => s,
    }
}

/// Smooth displacement of the unit box, periodic in every direction, that keeps the box's sides flat. Its largest slope is 1:
/// times `warp` and the shortest side of the box, it leaves cells of any box valid for warp < 1/2.
fn displacement(x: [f64; 3]) -> [f64; 3] {
    let turn = 2.0 * std::f64::consts::PI;
    let phase = [0.3, 1.1, 2.3];
    std::array::from_fn(|d| {
        let (e, f) = ((d + 1) % 3, (d + 2) % 3);
        // No shift on the sides themselves, not even by rounding: sin(2 pi) is not zero in floating point.
        let along = if x[d] == 0.0 || x[d] == 1.0 {
            0.0
        } else {
            (turn * x[d]).sin()
        };
        // The two ends of the other directions are the same place in a periodic box: equal to the last bit.
        let wave = |s: f64, shift: f64| (turn * (if s == 1.0 { 0.0 } else { s }) + shift).cos();
        along * wave(x[e], phase[e]) * wave(x[f], phase[f]) / turn
    })
}

/// What lies behind one face of a box cell.
fn box_side(b: &BoxMesh, mesh: &mut Mesh, cell: usize, at: [usize; 3], face: usize) -> Side {
    let (d, high) = (face / 2, face % 2 == 1);
    let outermost = at[d] == if high { b.cells[d] - 1 } else { 0 };
    if outermost && !b.periodic[d] {
        let name = format!("{}{}", ["x", "y", "z"][d], if high { "+" } else { "-" });
        let index = mesh.boundary_names.iter().position(|n| *n == name).unwrap_or_else(|| {
            mesh.boundary_names.push(name);
            mesh.boundary_names.len() - 1
        });
        return Side::Boundary(index);
    }
    let stride = [1, b.cells[0], b.cells[0] * b.cells[1]][d];
    let span = stride * (b.cells[d] - 1);
    let neighbour = match (outermost, high) {
        (true, true) => cell - span,
        (true, false) => cell + span,
        (false, true) => cell + stride,
        (false, false) => cell - stride,
    };
    let n = mesh.geometry_order + 1;
    let corners = |cell: usize, face: usize| face_corners(face, n).map(|i| mesh.cell_nodes(cell)[i]);
    let mut ours = corners(cell, face);
    if outermost {
        let length = b.upper[d] - b.lower[d];
        ours.iter_mut()
            .for_each(|x| x[d] += if high { -length } else { length });
    }
    let size = (0..3).map(|d| b.upper[d] - b.lower[d]).fold(0.0, f64::max);
    let orientation = find_orientation(ours, corners(neighbour, face ^ 1), 1e-10 * size)
        .expect("faces of neighbouring box cells coincide by construction");
    Side::Cell {
        cell: neighbour,
        face: face ^ 1,
        orientation,
    }
}
