//! Extraction of a rank's part from the whole mesh.

use super::super::types::{Mesh, MortarPart, Neighbour, Part, Side};
use crate::element::ElementKind;

/// A cell of another rank.
#[derive(Debug, Clone, Copy)]
pub struct OtherRank {
    /// The rank.
    pub rank: usize,
    /// Kind of the cell.
    pub kind: ElementKind,
}

/// Returns the cells of a rank and their sides. The lists of boundaries and rotations stay complete, so that their
/// indices mean the same on all ranks.
pub fn extract(mesh: &Mesh, part_of: &[u32], rank: usize) -> Mesh {
    let cells = |cell: &usize| part_of[*cell] as usize == rank;
    let global: Vec<usize> = (0..mesh.len()).filter(cells).collect();
    let own = |cell: usize| global.binary_search(&cell).ok();
    let other = |cell: usize| OtherRank {
        rank: part_of[cell] as usize,
        kind: mesh.kinds[cell],
    };
    let mut part = Mesh {
        geometry_order: mesh.geometry_order,
        kinds: global.iter().map(|&cell| mesh.kinds[cell]).collect(),
        boundary_names: mesh.boundary_names.clone(),
        joined: mesh.joined.clone(),
        rotations: mesh.rotations.clone(),
        first_node: vec![0],
        first_side: vec![0],
        ..Mesh::default()
    };
    for &cell in &global {
        part.nodes.extend_from_slice(mesh.cell_nodes(cell));
        part.first_node.push(part.nodes.len());
        part.sides
            .extend(mesh.cell_sides(cell).iter().map(|&side| localise(side, own, other)));
        part.first_side.push(part.sides.len());
        part.tags.extend(mesh.tags.get(cell));
    }
    localise_mortars(&mut part, &mesh.mortars, own).expect("the division keeps both sides of divided faces together");
    part.part = Some(Part {
        global,
        cells: mesh.len(),
        hash: mesh.hash(),
    });
    part
}

/// Gives a rank's part its parts of divided faces out of those of the whole mesh, whose numbers its sides have until
/// then; `own` is as for [`localise`].
///
/// # Errors
/// Returns the two cells of a part that are not on one rank.
pub fn localise_mortars(
    mesh: &mut Mesh,
    all: &[MortarPart],
    own: impl Fn(usize) -> Option<usize>,
) -> Result<(), [usize; 2]> {
    let mut number = vec![0; all.len()];
    for (part, number) in all.iter().zip(&mut number) {
        match part.cells().map(&own) {
            [None, None] => {}
            [Some(big), Some(small)] => {
                *number = mesh.mortars.len();
                mesh.mortars
                    .push(part.with_cells(|cell| if cell == part.big.cell { big } else { small }));
            }
            _ => return Err(part.cells()),
        }
    }
    for side in &mut mesh.sides {
        if let Side::Mortar(of_all) = side {
            // A number that does not exist stays one.
            *of_all = number.get(*of_all).copied().unwrap_or(*of_all);
        }
    }
    Ok(())
}

/// Converts a side of the whole mesh to one of a rank; `own` returns the number on this rank of a cell that it holds.
pub fn localise(side: Side, own: impl Fn(usize) -> Option<usize>, other: impl Fn(usize) -> OtherRank) -> Side {
    let Some(Neighbour {
        cell,
        face,
        orientation,
        rotation,
    }) = side.neighbour()
    else {
        return side;
    };
    match (own(cell), rotation) {
        (Some(cell), None) => Side::Cell {
            cell,
            face,
            orientation,
        },
        (Some(cell), Some(rotation)) => Side::Rotated {
            cell,
            face,
            orientation,
            rotation,
        },
        (None, rotation) => {
            let OtherRank { rank, kind } = other(cell);
            Side::Remote {
                rank,
                cell,
                kind,
                face,
                orientation,
                rotation,
            }
        }
    }
}
