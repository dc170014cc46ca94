//! Four cells that share faces, one of each shape: a cube, a pyramid on top of it, a prism at its side, and a
//! tetrahedron between the pyramid and the prism. `mixed.py` has the same cells and formulas.

use std::path::Path;

use fr_les::element::ElementKind;
use fr_les::io::{Piece, PointField, Provenance, nodes, write_solution};
use mpi::topology::SimpleCommunicator;

/// Shape, position of the corner (-1, -1, -1) or (-1, -1, 0) of the reference element, and half of its three edges
/// there. A pyramid has its axis in place of the third edge.
pub type Cell = (ElementKind, [f64; 3], [[f64; 3]; 3]);

#[rustfmt::skip]
pub const CELLS: [Cell; 4] = [
    (ElementKind::Tet, [0.5, 0.0, 0.5], [[0.25, 0.125, 0.0], [0.0, 0.25, 0.0], [-0.125, 0.125, 0.125]]),
    (ElementKind::Hex, [0.0, 0.0, 0.0], [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.25]]),
    (ElementKind::Pyramid, [0.0, 0.0, 0.5], [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.25]]),
    (ElementKind::Prism, [0.5, 0.0, 0.0], [[0.25, 0.125, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.25]]),
];

pub fn file_name(p: usize) -> String {
    format!("mixed-{p}.vtkhdf")
}

/// The warp and the field have total degree p, so that every shape of order p represents them exactly.
fn warp(p: usize, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let (q, p) = (p as i32 - 1, p as i32);
    [
        x + 0.1 * y.powi(p) + 0.05 * x.powi(q) * z,
        y + 0.08 * z.powi(p),
        z - 0.07 * x.powi(q) * y,
    ]
}

fn scalar(p: usize, [x, y, z]: [f64; 3]) -> f64 {
    let (q, p) = (p as i32 - 1, p as i32);
    1.0 + x.powi(p) - 2.0 * y.powi(q) * z + 3.0 * z.powi(q) * x + 0.5 * y.powi(p)
}

/// Positions of the nodes of a cell before the warp.
fn places(p: usize, (shape, corner, edges): &Cell) -> Vec<[f64; 3]> {
    let lowest = if *shape == ElementKind::Pyramid { 0.0 } else { -1.0 };
    let nodes = nodes(*shape, p).into_iter();
    nodes
        .map(|[x, y, z]| {
            let along = [x + 1.0, y + 1.0, z - lowest];
            std::array::from_fn(|d| corner[d] + (0..3).map(|e| along[e] * edges[e][d]).sum::<f64>())
        })
        .collect()
}

/// Writes the cells of a rank.
pub fn write(directory: &Path, world: &SimpleCommunicator, p: usize, cells: std::ops::Range<usize>, from: &Provenance) {
    let places: Vec<_> = CELLS[cells.clone()].iter().flat_map(|cell| places(p, cell)).collect();
    let points: Vec<_> = places.iter().map(|&at| warp(p, at)).collect();
    let density: Vec<_> = places.iter().map(|&at| scalar(p, at)).collect();
    let shapes: Vec<_> = CELLS[cells.clone()].iter().map(|cell| cell.0).collect();
    let cell_ids: Vec<_> = cells.map(|cell| 1000 + cell as u64).collect();
    let piece = Piece {
        order: p,
        single: false,
        cell_ids: &cell_ids,
        shapes: &shapes,
        points: &points,
        fields: &[PointField {
            name: "density",
            components: 1,
            values: &density,
        }],
        note: None,
    };
    write_solution(&directory.join(file_name(p)), world, 0.0, 0, &piece, from).unwrap();
}
