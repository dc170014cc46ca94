//! The slots of a cell: the groups of its points over which a mean over directions is taken.
//!
//! The points of a slot may differ in these directions only. In a hexahedron this holds if one or two of its directions
//! run along them: slots are lines or planes of points. In a prism the line across, or the layers, can satisfy it. The
//! points of tetrahedra and pyramids do not form lines.

use std::collections::HashMap;

use thiserror::Error;

use super::products::Products;
use crate::device::statistics::Slots;
use crate::element::ElementKind;
use crate::format::location;
use crate::geometry::{Geometry, sides};
use crate::input::AXES;
use crate::mesh::Mesh;

/// Largest distance between the points of a slot in the other directions, as a fraction of the cell's extent. Mesh
/// files may have few digits.
pub(super) const TOLERANCE: f64 = 1e-5;

/// Returns the names of directions for a message.
pub fn in_words(directions: [bool; 3]) -> String {
    let names: Vec<&str> = (0..3).filter(|&d| directions[d]).map(|d| AXES[d]).collect();
    names.join(" and ")
}

/// A cell whose points cannot be averaged.
#[derive(Debug, Error)]
#[error(
    "means over {along} need {wanted} along {along}, which {cell} at {} does not have: right would be hexahedra, \
     or prisms, that are extruded in {along}, or fewer directions, as in `average: []`", location(*at)
)]
pub struct Misaligned {
    along: String,
    wanted: &'static str,
    cell: String,
    at: [f64; 3],
}

/// Returns lists of points, `[slot][member]`, for each orientation in which a cell of this kind may lie, for means over
/// so many directions.
fn ways(kind: ElementKind, order: usize, directions: usize) -> Vec<Vec<Vec<usize>>> {
    let lattice = kind.lattice(order);
    // Points with the same kept coordinates, in the order of their first occurrence.
    let grouped = |key: &dyn Fn([usize; 3]) -> [usize; 3]| {
        let mut slots: Vec<([usize; 3], Vec<usize>)> = Vec::new();
        for (point, &at) in lattice.iter().enumerate() {
            let key = key(at);
            match slots.iter_mut().find(|(k, _)| *k == key) {
                Some((_, members)) => members.push(point),
                None => slots.push((key, vec![point])),
            }
        }
        slots.into_iter().map(|(_, members)| members).collect::<Vec<_>>()
    };
    match (kind, directions) {
        (_, 0) => vec![(0..lattice.len()).map(|point| vec![point]).collect()],
        (ElementKind::Hex, 1) => (0..3)
            .map(|along| grouped(&|at| std::array::from_fn(|d| if d == along { 0 } else { at[d] })))
            .collect(),
        (ElementKind::Hex, _) => (0..3)
            .map(|across| grouped(&|at| std::array::from_fn(|d| if d == across { at[d] } else { 0 })))
            .collect(),
        (ElementKind::Prism, 1) => vec![grouped(&|[i, j, _]| [i, j, 0])],
        (ElementKind::Prism, _) => vec![grouped(&|[_, _, k]| [0, 0, k])],
        _ => Vec::new(),
    }
}

/// Returns the slots of a cell for means over so many directions; none if its points cannot be averaged.
pub fn slots_per_cell(kind: ElementKind, order: usize, directions: usize) -> usize {
    let n = order + 1;
    match (kind, directions) {
        (_, 0) => kind.points(order),
        (ElementKind::Hex, 1) => n * n,
        (ElementKind::Prism, 1) => kind.points(order) / n,
        (ElementKind::Hex | ElementKind::Prism, _) => n,
        _ => 0,
    }
}

/// Finds the slots of the cells of a mesh for means of these products over these directions.
///
/// # Errors
/// The points of a cell do not lie along the directions.
pub fn slots_of(
    mesh: &Mesh,
    geometry: &Geometry,
    order: usize,
    average: [bool; 3],
    products: &Products,
) -> Result<Slots, Misaligned> {
    let directions = average.iter().filter(|&&a| a).count();
    // Of kinds that this rank has no cells of, too: the layout of a checkpoint is that of all ranks.
    let of_kind = ElementKind::ALL.map(|kind| ways(kind, order, directions));
    let first = |kind: usize| of_kind[kind].first();
    let mut slots = Slots {
        factors: products.factors(),
        of_strain: products.of_strain().len(),
        of_scalars: products.of_scalars().len(),
        slots: std::array::from_fn(|kind| first(kind).map_or(0, Vec::len)),
        members: std::array::from_fn(|kind| first(kind).map_or(0, |way| way[0].len())),
        lists: Vec::new(),
        list_of_cell: Vec::with_capacity(mesh.len()),
    };
    let mut made: HashMap<(usize, usize), i32> = HashMap::new();
    for cell in 0..mesh.len() {
        let kind = mesh.kinds[cell] as usize;
        let points = geometry.cell_positions(cell);
        let extent = sides(points);
        let fits = |way: &Vec<Vec<usize>>| {
            way.iter()
                .flat_map(|slot| slot.iter().map(|p| (points[slot[0]], points[*p])))
                .all(|(a, b)| (0..3).all(|d| average[d] || (a[d] - b[d]).abs() <= TOLERANCE * extent[d]))
        };
        let Some(way) = of_kind[kind].iter().position(fits) else {
            return Err(Misaligned {
                along: in_words(average),
                wanted: if directions == 1 {
                    "lines of points"
                } else {
                    "planes of points"
                },
                cell: mesh.name_of(cell),
                at: mesh.center(cell),
            });
        };
        let lists = &mut slots.lists;
        slots.list_of_cell.push(*made.entry((kind, way)).or_insert_with(|| {
            let begin = lists.len() as i32;
            lists.extend(of_kind[kind][way].iter().flatten().map(|&point| point as i32));
            begin
        }));
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_hold_every_point_once_and_are_of_one_size() {
        for kind in ElementKind::ALL {
            for directions in 0..3 {
                let count = slots_per_cell(kind, 3, directions);
                assert_eq!(ways(kind, 3, directions).first().map_or(0, Vec::len), count);
                for way in ways(kind, 3, directions) {
                    let mut all: Vec<usize> = way.concat();
                    all.sort_unstable();
                    assert_eq!(all, (0..kind.points(3)).collect::<Vec<_>>(), "{kind} {directions}");
                    assert!(way.iter().all(|slot| slot.len() == way[0].len() && slot.is_sorted()));
                }
            }
        }
        assert_eq!(ways(ElementKind::Hex, 3, 2).len(), 3);
        assert!(ways(ElementKind::Tet, 2, 1).is_empty());
    }
}
