//! The sides of elements in `SideInfo`, and those with hanging nodes, which HOPR, PyHOPE and FLEXI call mortars.
//!
//! An element has the rows of its six sides. The neighbour of a side that meets smaller ones is -1 (four, halved in
//! both directions), -2 or -3 (two, halved in one direction), and the rows of the smaller sides follow: each names the
//! element of that side, and the number of the side, which the row of that element has, too, with a negative sign. The
//! type of the smaller side is negative there, and its neighbour the element of the larger one. FLEXI takes the smaller
//! sides in an order, along the first direction of the side and then along the second one; here their places tell which
//! part each is. Sources: FLEXI, src/mesh/mesh_readin.f90 and src/mortar/mortar_metrics.f90; what PyHOPE
//! and HOPR write to `SideInfo`.

use std::collections::BTreeSet;

use super::{Arrays, MeshError, refused};
use crate::element::ElementKind;
use crate::mesh::cells::FaceVertices;
use crate::mesh::cgns;
use crate::mesh::unconnected::{RawMortar, UnconnectedMesh};

/// Rows of the smaller sides that follow a side of each type of mortar, 1 to 3.
const SMALLER: [usize; 3] = [4, 2, 2];

/// A side of an element.
pub(super) struct ElementSide<'a> {
    /// Its row.
    pub row: &'a [i64],
    /// Rows of the smaller sides that it meets; empty if it has one neighbour or none.
    pub smaller: &'a [Vec<i64>],
}

impl Arrays<'_> {
    fn side_refused(&self, element: usize, side: usize, what: &str) -> MeshError {
        let place = format!("element {}, side {}: {what}", element + 1, side + 1);
        refused(self.file, "SideInfo", place)
    }

    /// Returns the sides of an element, in the order of CGNS.
    pub(super) fn sides_of(&self, element: usize) -> Result<Vec<ElementSide<'_>>, MeshError> {
        let count = ElementKind::Hex.faces().len();
        let mut rest = &self.sides[self.range(element, 2, self.sides.len())?];
        let total = rest.len();
        let mut sides = Vec::with_capacity(count);
        while sides.len() < count {
            let Some((row, after)) = rest.split_first() else {
                let what = format!(
                    "the element has {total} rows, too few for its {count} sides and the smaller sides that they meet"
                );
                return Err(self.side_refused(element, sides.len(), &what));
            };
            let smaller = match row[2] {
                0.. => 0,
                kind @ -3..=-1 => SMALLER[kind.unsigned_abs() as usize - 1],
                other => {
                    let what = format!("its neighbour is {other}; mortars are of the types -1, -2 and -3");
                    return Err(self.side_refused(element, sides.len(), &what));
                }
            };
            if after.len() < smaller {
                let what = format!(
                    "its mortar of type {} needs the rows of {smaller} smaller sides, but {} follow",
                    -row[2],
                    after.len()
                );
                return Err(self.side_refused(element, sides.len(), &what));
            }
            let (smaller, after) = after.split_at(smaller);
            sides.push(ElementSide { row, smaller });
            rest = after;
        }
        if rest.is_empty() {
            Ok(sides)
        } else {
            let what = format!(
                "element {} has {total} rows, but its {count} sides and the smaller sides that they meet take {}",
                element + 1,
                total - rest.len()
            );
            Err(refused(self.file, "SideInfo", what))
        }
    }

    /// Adds the sides that meet smaller ones.
    pub(super) fn push_mortars(&self, raw: &mut UnconnectedMesh) -> Result<(), MeshError> {
        let faces = cgns::faces(ElementKind::Hex);
        let (corners, _) = raw.corners();
        let key = |element: usize, side: usize| {
            let vertices: Vec<u32> = faces[side].iter().map(|corner| corners[8 * element + corner]).collect();
            FaceVertices::new(&vertices).key()
        };
        let mut taken: BTreeSet<[usize; 2]> = BTreeSet::new();
        let mut marked: BTreeSet<[usize; 2]> = BTreeSet::new();
        for element in 0..self.elements.len() {
            for (side, of) in self.sides_of(element)?.into_iter().enumerate() {
                if of.row[0] < 0 {
                    marked.insert([element, side]);
                }
                if of.smaller.is_empty() {
                    continue;
                }
                let found: Result<Vec<[usize; 2]>, String> = of
                    .smaller
                    .iter()
                    .map(|row| self.smaller_side(element, of.row, row))
                    .collect();
                let found = found.map_err(|what| self.side_refused(element, side, &what))?;
                for &[other, its_side] in &found {
                    if !taken.insert([other, its_side]) {
                        let what = format!(
                            "side {} of element {} is a part of it and of another side, or twice",
                            its_side + 1,
                            other + 1
                        );
                        return Err(self.side_refused(element, side, &what));
                    }
                }
                raw.mortars.push(RawMortar {
                    element: element as u64 + 1,
                    side: side + 1,
                    big: key(element, side),
                    small: found.into_iter().map(|[element, side]| key(element, side)).collect(),
                });
            }
        }
        if let Some(&[element, side]) = marked.difference(&taken).next() {
            let what = "its negative type marks it as a part of a larger side, but no side lists it";
            return Err(self.side_refused(element, side, what));
        }
        // HOPR's tools for refined trees number the nodes of every element anew.
        raw.coincident = !raw.mortars.is_empty();
        Ok(())
    }

    /// Returns the element and the side that the row of a smaller side names, which is listed after the row `larger` of
    /// an element.
    ///
    /// # Errors
    /// Returns what is wrong with the larger side.
    fn smaller_side(&self, element: usize, larger: &[i64], row: &[i64]) -> Result<[usize; 2], String> {
        let other = usize::try_from(row[2])
            .ok()
            .and_then(|number| number.checked_sub(1))
            .filter(|other| *other < self.elements.len());
        let Some(other) = other else {
            return Err(format!(
                "a smaller side is of element {}, but there are {}",
                row[2],
                self.elements.len()
            ));
        };
        if other == element {
            return Err("a smaller side is of the same element".to_owned());
        }
        let sides = self.sides_of(other).map_err(|error| error.to_string())?;
        let same = |side: &ElementSide| side.row[1].unsigned_abs() == row[1].unsigned_abs();
        let Some(side) = sides.iter().position(same) else {
            return Err(format!(
                "its smaller side {} is of element {}, which has no side of this number",
                row[1],
                other + 1
            ));
        };
        let theirs = sides[side].row;
        let name = format!("side {} of element {}, a part of it,", side + 1, other + 1);
        if theirs[2] != element as i64 + 1 {
            return Err(format!("{name} leads to element {} instead", theirs[2]));
        }
        if [larger, row, theirs].iter().any(|row| row[4] != 0) {
            return Err(format!(
                "it or {name} belongs to a boundary: periodic sides with hanging nodes are not read"
            ));
        }
        Ok([other, side])
    }
}
