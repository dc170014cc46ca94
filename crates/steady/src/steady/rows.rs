//! Vertices on boundaries as the kernels read them: rows of values, and the row of each slot. All other vertices have
//! row 0.

use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::slices::Slices;
use crate::physics::Turbulence;
use crate::vector::Vector;

/// Rows of no-slip walls as the kernels read them: the row of each slot, and `[5][row]` velocity, temperature, and
/// omega over the kinematic viscosity. Row 0 is that of all other vertices.
pub fn walls(
    dual: &DualMesh,
    boundaries: &[BoundaryList],
    slices: &Slices,
    turbulence: Turbulence,
) -> (Vec<i32>, Vec<f64>, usize) {
    let (mut row_of, mut rows) = (vec![0i32; slices.slots], vec![[0.0; 5]]);
    for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
        for (&vertex, data) in boundary.vertex.iter().zip(&boundary.data) {
            let row = &mut row_of[slices.slot(vertex as usize)];
            if *row == 0 {
                *row = rows.len() as i32;
                let omega = turbulence.wall_omega(dual.distance_off_walls(vertex as usize));
                rows.push([data[0], data[1], data[2], data[3], omega]);
            }
        }
    }
    let values = (0..5).flat_map(|v| rows.iter().map(move |row| row[v])).collect();
    (row_of, values, rows.len())
}

/// Areas of vertices on boundaries as the kernels read them: the row of each slot, `[part][3][row]` the area vectors,
/// and the numbers of rows and of parts. A part is one of the boundaries of a vertex. Row 0 is that of all other
/// vertices.
pub fn boundary_parts(boundaries: &[BoundaryList], slices: &Slices) -> (Vec<i32>, Vec<f64>, usize, usize) {
    let (mut row_of, mut rows) = (vec![0i32; slices.slots], vec![Vec::<Vector>::new()]);
    for boundary in boundaries {
        for (&vertex, &area) in boundary.vertex.iter().zip(&boundary.area) {
            let row = &mut row_of[slices.slot(vertex as usize)];
            if *row == 0 {
                *row = rows.len() as i32;
                rows.push(Vec::new());
            }
            rows[*row as usize].push(area);
        }
    }
    let parts = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut areas = vec![0.0; parts * 3 * rows.len()];
    for (row, of_row) in rows.iter().enumerate() {
        for (component, area) in of_row.as_flattened().iter().enumerate() {
            areas[component * rows.len() + row] = *area;
        }
    }
    (row_of, areas, rows.len(), parts)
}
