//! From the section to the mesh: the cells that Gmsh made are added, and all are extended over the span.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use super::super::assemble::assemble;
use super::super::cells::FaceVertices;
use super::super::error::MeshError;
use super::super::motion::Motion;
use super::super::source::{Joins, PeriodicPair};
use super::super::types::Mesh;
use super::super::unconnected::{Surface, UnconnectedMesh};
use super::outline::Side;
use super::plane::{Point, orientation};
use super::section::{Section, Shape};
use super::stack::{Ends, Stack};
use crate::element::ElementKind;

/// Names of the boundaries in the order of their numbers, from 1, without those of the ends of the span.
const NAMES: [&str; 5] = ["blade", "inlet", "outlet", "periodic-low", "periodic-high"];
/// Name of the flat end of the blade before a gap, whose number follows those of the ends of the span.
const TIP: &str = "tip";
/// Names of the ends of a span that is periodic.
const PERIODIC_ENDS: [&str; 2] = ["z-", "z+"];

fn number(side: Side) -> usize {
    match side {
        Side::Blade => 1,
        Side::Inlet => 2,
        Side::Outlet => 3,
        Side::Low => 4,
        Side::High => 5,
    }
}

/// Adds the triangles and quadrilaterals of a Gmsh mesh. Nodes at the place of a vertex are that vertex.
pub(super) fn add_cells(section: &mut Section, made: &UnconnectedMesh) {
    let key = |[x, y]: Point| [(x + 0.0).to_bits(), (y + 0.0).to_bits()];
    let known: HashMap<[u64; 2], u32> = section.positions.iter().map(|at| key(*at)).zip(0..).collect();
    let nodes: Vec<u32> = made
        .positions
        .iter()
        .map(|[x, y, _]| {
            known
                .get(&key([*x, *y]))
                .copied()
                .unwrap_or_else(|| section.node([*x, *y]))
        })
        .collect();
    for (patch, _) in &made.patches {
        let [a, b, c, d] = patch.map(|node| nodes[node as usize]);
        let position = |v: u32| section.positions[v as usize];
        if patch[2] != patch[3] {
            section.add_straight_quad(round([a, b, c, d], position));
        } else if orientation(position(a), position(b), position(c)) > 0.0 {
            section.add_triangle([a, b, c]);
        } else {
            section.add_triangle([a, c, b]);
        }
    }
}

/// The vertices of a convex quadrilateral in order, round to the left.
fn round(mut vertices: [u32; 4], position: impl Fn(u32) -> Point) -> [u32; 4] {
    let centre = [0, 1].map(|d| vertices.iter().map(|v| 0.25 * position(*v)[d]).sum::<f64>());
    let angle = |v: &u32| {
        let [x, y] = position(*v);
        (y - centre[1]).atan2(x - centre[0])
    };
    vertices.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    vertices
}

/// Extends the section over the levels of a stack and joins the sides, and the ends unless they are walls.
///
/// # Errors
/// The cells do not fit together.
pub(super) fn extrude(
    section: &Section,
    edges: &[([u32; 2], Side)],
    stack: Stack,
    settings: &Path,
) -> Result<Mesh, MeshError> {
    let g = section.order;
    let plane = section.positions.len() as u32;
    let layers = stack.cells;
    let ends = match stack.ends {
        Ends::Periodic(_) => PERIODIC_ENDS,
        Ends::Walls(names) => names,
    };
    let names: Vec<&str> = NAMES.into_iter().chain(ends).chain([TIP]).collect();
    let mut raw = UnconnectedMesh {
        file: settings.to_path_buf(),
        group_names: (1..).zip(names.iter().map(|name| (*name).to_owned())).collect(),
        surfaces: (1..=names.len() as i64)
            .map(|i| Surface {
                entity: i,
                groups: vec![i],
            })
            .collect(),
        positions: stack.positions,
        ..UnconnectedMesh::default()
    };
    raw.node_tags = (1..=raw.positions.len() as u64).collect();
    for layer in 0..layers {
        let cells = cells_of(section, &stack.gap, layer);
        for (cell, shape) in section.cells[..cells].iter().zip(&section.shapes) {
            let kind = match shape {
                Shape::Triangle => ElementKind::Prism,
                Shape::Quad => ElementKind::Hex,
            };
            let level = |k: usize| (g * layer + k) as u32 * plane;
            let nodes: Vec<u32> = (0..=g)
                .flat_map(|k| cell.iter().map(move |node| node + level(k)))
                .collect();
            let tag = raw.kinds.len() as u64 + 1;
            raw.push_cell(kind, g as u8, tag, &nodes);
        }
    }
    add_surfaces(&mut raw, section, edges, layers, &stack.gap);
    let pair = |[first, second]: [&str; 2], motion: Motion| PeriodicPair {
        first: first.to_owned(),
        second: second.to_owned(),
        motion,
    };
    let mut pairs = vec![pair(["periodic-low", "periodic-high"], stack.pitch)];
    if let Ends::Periodic(motion) = stack.ends {
        pairs.push(pair(ends, motion));
    }
    let mesh = assemble(raw, Joins::of(&pairs))?;
    // The tags number the cells of no file.
    Ok(Mesh {
        tags: Vec::new(),
        ..mesh
    })
}

/// Number of the cells of the section that are in a layer: those inside the outline of the blade are only in the gap.
fn cells_of(section: &Section, gap: &Range<usize>, layer: usize) -> usize {
    if gap.contains(&layer) {
        section.cells.len()
    } else {
        section.outside_cells()
    }
}

/// Adds the faces of all boundaries.
fn add_surfaces(
    raw: &mut UnconnectedMesh,
    section: &Section,
    edges: &[([u32; 2], Side)],
    layers: usize,
    gap: &Range<usize>,
) {
    let g = section.order;
    let plane = section.positions.len() as u32;
    let level = |k: usize| (g * k) as u32 * plane;
    let mut add = |vertices: &[u32], boundary: usize| {
        let key = FaceVertices::new(vertices).key();
        raw.patches.push((key, boundary as u32 - 1));
    };
    for ([a, b], side) in edges {
        for layer in (0..layers).filter(|layer| *side != Side::Blade || !gap.contains(layer)) {
            let low = level(layer);
            let high = level(layer + 1);
            add(&[a + low, b + low, a + high, b + high], number(*side));
        }
    }
    let mut add_level = |cells: Range<usize>, at: usize, boundary: usize| {
        for (cell, shape) in section.cells[cells.clone()].iter().zip(&section.shapes[cells]) {
            let corners: Vec<u32> = match shape {
                Shape::Triangle => vec![cell[0], cell[g], cell[cell.len() - 1]],
                Shape::Quad => vec![cell[0], cell[g], cell[g * (g + 1)], cell[cell.len() - 1]],
            };
            let vertices: Vec<u32> = corners.iter().map(|v| v + level(at)).collect();
            add(&vertices, boundary);
        }
    };
    add_level(0..cells_of(section, gap, 0), 0, NAMES.len() + 1);
    add_level(0..cells_of(section, gap, layers - 1), layers, NAMES.len() + 2);
    if !gap.is_empty() {
        let tip = if gap.start == 0 { gap.end } else { gap.start };
        add_level(section.outside_cells()..section.cells.len(), tip, NAMES.len() + 3);
    }
}
