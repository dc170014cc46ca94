//! The nodes of the sub-mesh, in the order of their first points in the whole mesh.
//!
//! Points at the same place are one node, and those a period apart are different ones. A vertex of the median dual is
//! the node of the point after which it is numbered; its nodes a period away have first points of their own.

use std::collections::HashMap;

use crate::element::{Correction, Elements};
use crate::geometry::Geometry;
use crate::mesh::{Mesh, Side};
use crate::ranks::Ranks;
use crate::steady::error::{DualError, ExportError};
use crate::steady::periods::{Image, Periods};
use crate::steady::vertices::{Vertices, points_of_a_cell};

/// The points of a whole mesh.
pub struct Points {
    /// Their places in the cells.
    pub geometry: Geometry,
    /// The vertices to which they belong.
    pub vertices: Vertices,
    /// Node of each point, `[cell][point]`.
    pub nodes: Vec<u32>,
}

impl Points {
    /// Numbers the nodes of the points of degree `order`.
    ///
    /// # Errors
    /// A cell is inverted, or the mesh is periodic by rotation.
    pub fn new(mesh: &Mesh, order: usize) -> Result<Self, ExportError> {
        if mesh.sides.iter().any(|side| matches!(side, Side::Rotated { .. })) {
            return Err(DualError::Rotated.into());
        }
        let ranks = Ranks::alone();
        let elements = Elements::new(order, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::new(mesh, &elements)?;
        let periods = Periods::new(mesh, &geometry, order, &ranks)?;
        let vertices = Vertices::new(mesh, &geometry, order, &periods, &ranks)?;
        Ok(Points {
            nodes: of_points(&vertices),
            geometry,
            vertices,
        })
    }

    /// Number of nodes.
    pub fn count(&self) -> usize {
        self.nodes.iter().max().map_or(0, |last| *last as usize + 1)
    }
}

/// Returns the node of each point of a whole mesh.
fn of_points(vertices: &Vertices) -> Vec<u32> {
    let mut numbers: HashMap<(u32, Image), u32> = HashMap::new();
    let of_point = vertices.of_point.iter().enumerate();
    of_point
        .map(|(point, &vertex)| {
            let next = numbers.len() as u32;
            *numbers.entry((vertex, image(vertices, point))).or_insert(next)
        })
        .collect()
}

/// Returns the numbers of the first points of the nodes of all ranks, in ascending order: the n-th one is that of node
/// n, counted from 0. Numbers are those after which vertices are numbered. Collective.
///
/// # Errors
/// The mesh has no median dual.
pub fn first_points(mesh: &Mesh, geometry: &Geometry, order: usize, ranks: &Ranks) -> Result<Vec<u64>, DualError> {
    let periods = Periods::new(mesh, geometry, order, ranks)?;
    let vertices = Vertices::new(mesh, geometry, order, &periods, ranks)?;
    let mut mine: HashMap<(u32, Image), u64> = HashMap::new();
    for cell in 0..mesh.len() {
        let first = geometry.first_point[cell];
        let number = mesh.global(cell) as u64 * points_of_a_cell(order);
        for point in 0..geometry.cell_points(cell) {
            let node = (vertices.of_point[first + point], image(&vertices, first + point));
            let number = number + point as u64;
            mine.entry(node)
                .and_modify(|least| *least = number.min(*least))
                .or_insert(number);
        }
    }
    let listed = mine.into_iter().flat_map(|((vertex, image), number)| {
        let image = u32::from_ne_bytes(image.map(|n| n as u8));
        [vertices.number[vertex as usize], u64::from(image), number]
    });
    let all = ranks.allgather(&listed.collect::<Vec<u64>>());
    let mut nodes = all.as_chunks::<3>().0.to_vec();
    nodes.sort_unstable();
    nodes.dedup_by_key(|[vertex, image, _]| [*vertex, *image]);
    let mut first: Vec<u64> = nodes.into_iter().map(|[_, _, number]| number).collect();
    first.sort_unstable();
    Ok(first)
}

fn image(vertices: &Vertices, point: usize) -> Image {
    vertices.image.get(point).copied().unwrap_or_default()
}
