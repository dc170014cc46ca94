//! A surface of a square and two triangles, and a cut of plain triangles. `surface.py` has the same cells and formulas.

use std::path::Path;

use fr_les::element::FaceShape;
use fr_les::io::{PointField, Provenance, Surface, SurfaceCells, face_nodes, write_surface};
use mpi::topology::SimpleCommunicator;

/// Shape, position of the corner (-1, -1), and the two edges there.
pub type Cell = (FaceShape, [f64; 2], [[f64; 2]; 2]);

#[rustfmt::skip]
pub const CELLS: [Cell; 3] = [
    (FaceShape::Triangle, [0.5, 0.0], [[0.5, 0.0], [0.0, 1.0]]),
    (FaceShape::Quad, [0.0, 0.0], [[0.5, 0.0], [0.0, 1.0]]),
    (FaceShape::Triangle, [1.0, 1.0], [[-0.5, 0.0], [0.0, -1.0]]),
];

/// The shape and the field have total degree p, so that faces of order p represent them exactly.
fn warp(p: usize, [x, y]: [f64; 2]) -> [f64; 3] {
    let (q, p) = (p as i32 - 1, p as i32);
    [
        x + 0.1 * y.powi(p),
        y + 0.05 * x.powi(q),
        0.3 * x.powi(p) - 0.2 * x.powi(q) * y,
    ]
}

fn scalar(p: usize, [x, y]: [f64; 2]) -> f64 {
    let (q, p) = (p as i32 - 1, p as i32);
    1.0 + x.powi(p) - 2.0 * y.powi(q) * x
}

/// Writes the cells of a rank as faces of order `p`.
pub fn write(directory: &Path, world: &SimpleCommunicator, p: usize, cells: std::ops::Range<usize>, from: &Provenance) {
    let of_cell = |(shape, corner, edges): &Cell| -> Vec<[f64; 2]> {
        let nodes = face_nodes(*shape, p).into_iter();
        nodes
            .map(|ab| {
                std::array::from_fn(|d| corner[d] + (0..2).map(|e| 0.5 * (ab[e] + 1.0) * edges[e][d]).sum::<f64>())
            })
            .collect()
    };
    let places: Vec<_> = CELLS[cells.clone()].iter().flat_map(of_cell).collect();
    let points: Vec<_> = places.iter().map(|&at| warp(p, at)).collect();
    let pressure: Vec<_> = places.iter().map(|&at| scalar(p, at)).collect();
    let shapes: Vec<_> = CELLS[cells.clone()].iter().map(|cell| cell.0).collect();
    let ids: Vec<_> = cells.clone().map(|cell| 1000 + cell as u64).collect();
    let boundaries: Vec<_> = cells.map(|cell| cell as u64 % 2).collect();
    let surface = Surface {
        single: false,
        points: &points,
        cells: SurfaceCells::Faces {
            order: p,
            shapes: &shapes,
        },
        fields: &[PointField {
            name: "pressure",
            components: 1,
            values: &pressure,
        }],
        numbers: &[("global_cell_id", &ids), ("boundary", &boundaries)],
        note: Some(("boundaries", "0 wall, 1 lid")),
    };
    let path = directory.join(format!("surface-{p}.vtkhdf"));
    write_surface(&path, world, 0.5, 7, &surface, from).unwrap();
}

/// Writes a square of two triangles that share points for each of the cells, and a file without any.
pub fn write_triangles(directory: &Path, world: &SimpleCommunicator, cells: std::ops::Range<usize>, from: &Provenance) {
    let points: Vec<[f64; 3]> = cells
        .clone()
        .flat_map(|cell| [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[x, y]| [(cell + x) as f64, y as f64, 0.0]))
        .collect();
    let triangles: Vec<[usize; 3]> = (0..cells.len())
        .flat_map(|cell| [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|node| 4 * cell + node)))
        .collect();
    let density: Vec<f64> = points.iter().map(|x| 2.0 * x[0] - x[1]).collect();
    let ids: Vec<u64> = cells.flat_map(|cell| [cell as u64; 2]).collect();
    for (name, all) in [("triangles", true), ("nothing", false)] {
        let shown = |length: usize| if all { length } else { 0 };
        let surface = Surface {
            single: false,
            points: &points[..shown(points.len())],
            cells: SurfaceCells::Triangles(&triangles[..shown(triangles.len())]),
            fields: &[PointField {
                name: "density",
                components: 1,
                values: &density[..shown(density.len())],
            }],
            numbers: &[("global_cell_id", &ids[..shown(ids.len())])],
            note: None,
        };
        let path = directory.join(format!("{name}.vtkhdf"));
        write_surface(&path, world, 0.0, 0, &surface, from).unwrap();
    }
}
