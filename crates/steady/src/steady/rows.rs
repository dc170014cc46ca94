//! Vertices on boundaries as the kernels read them: rows of values, and the row of each slot. All other vertices have
//! row 0, which is zero.

use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::slices::Slices;
use crate::physics::Turbulence;
use crate::vector::Vector;

/// Rows of no-slip walls as the kernels read them.
pub struct Walls {
    /// Row of each slot.
    pub row_of: Vec<i32>,
    /// Velocity, temperature, and omega over the kinematic viscosity, `[5][row]`.
    pub values: Vec<f64>,
    /// Number of rows.
    pub rows: usize,
}

impl Walls {
    /// Collects what the walls hold.
    pub fn new(dual: &DualMesh, boundaries: &[BoundaryList], slices: &Slices, turbulence: Turbulence) -> Self {
        let mut row_of = vec![0i32; slices.slots];
        let mut rows = vec![[0.0; 5]];
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
        Walls {
            row_of,
            values: (0..5).flat_map(|v| rows.iter().map(move |row| row[v])).collect(),
            rows: rows.len(),
        }
    }
}

/// Areas of vertices on boundaries as the kernels read them. A part is one of the boundaries of a vertex.
pub struct Parts {
    /// Row of each slot.
    pub row_of: Vec<i32>,
    /// Area vectors, `[part][3][row]`.
    pub areas: Vec<f64>,
    /// Number of rows.
    pub rows: usize,
    /// Most parts of a vertex.
    pub most: usize,
}

impl Parts {
    /// Collects the areas of all boundaries.
    pub fn new(boundaries: &[BoundaryList], slices: &Slices) -> Self {
        let mut row_of = vec![0i32; slices.slots];
        let mut rows = vec![Vec::<Vector>::new()];
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
        let most = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut areas = vec![0.0; most * 3 * rows.len()];
        for (row, of_row) in rows.iter().enumerate() {
            for (component, area) in of_row.as_flattened().iter().enumerate() {
                areas[component * rows.len() + row] = *area;
            }
        }
        Parts {
            row_of,
            areas,
            rows: rows.len(),
            most,
        }
    }
}
