//! Hanging nodes: a face of a hexahedron that meets two or four smaller faces, which divide it at its middle.
//!
//! Each smaller face is a part of the larger one ([`MortarPart`]). In each of the two directions of the larger face it
//! is the whole of it, or the half at the beginning or at the end ([`Share`]). The parts of a face follow each other in
//! [`Mesh::mortars`], and the sides of both faces are [`Side::Mortar`]. Solvers join such faces by mortars.

use super::check::Fault;
use super::types::{CellFace, Mesh, MortarPart, Share, Side};
use crate::element::{ElementKind, FaceShape};

/// The ways in which a face is divided, each as the shares of its parts along both directions, in the order in which
/// [`Mesh::mortars`] lists them.
pub const DIVISIONS: [&[[Share; 2]]; 3] = [
    &[
        [Share::Low, Share::Low],
        [Share::High, Share::Low],
        [Share::Low, Share::High],
        [Share::High, Share::High],
    ],
    &[[Share::Low, Share::All], [Share::High, Share::All]],
    &[[Share::All, Share::Low], [Share::All, Share::High]],
];

impl Mesh {
    /// The parts of the faces that are divided, each with the number of its first part in [`Mesh::mortars`].
    pub fn divided_faces(&self) -> impl Iterator<Item = (usize, &[MortarPart])> {
        let mut first = 0;
        self.mortars.chunk_by(|a, b| a.big == b.big).map(move |parts| {
            first += parts.len();
            (first - parts.len(), parts)
        })
    }

    /// Checks that parts belong to faces of hexahedra that exist, that those of a face cover it, and that the sides of
    /// all faces lead to their parts and back.
    pub(super) fn check_mortars(&self) -> Result<(), Fault> {
        for part in &self.mortars {
            let (CellFace { cell, face }, small) = (part.big, part.small);
            for at in [part.big, small] {
                if at.cell >= self.len() {
                    return Err(Fault::Mortar(format!(
                        "a part of face {face} of cell {cell} leads to cell {}, but there are {}",
                        at.cell,
                        self.len()
                    )));
                }
            }
            self.check_part(part).map_err(|why| self.fault(part.big, why))?;
        }
        for (first, parts) in self.divided_faces() {
            let shares: Vec<[Share; 2]> = parts.iter().map(|part| part.share).collect();
            let big = parts[0].big;
            if !DIVISIONS.contains(&shares.as_slice()) {
                return Err(self.fault(big, "its parts do not cover it".to_owned()));
            }
            let leads = |at: CellFace, number: usize| match self.cell_sides(at.cell)[at.face] {
                Side::Mortar(found) if found == number => Ok(()),
                _ => Err(self.fault(at, format!("it does not lead to part {number} of the divided faces"))),
            };
            leads(big, first)?;
            for (number, part) in (first..).zip(parts) {
                leads(part.small, number)?;
            }
        }
        Ok(())
    }

    /// Checks what one part says of its faces, whose cells exist.
    fn check_part(&self, part: &MortarPart) -> Result<(), String> {
        for at in [part.big, part.small] {
            let kind = self.kinds[at.cell];
            if kind != ElementKind::Hex || at.face >= kind.faces().len() {
                return Err(format!(
                    "a divided face leads to face {} of cell {}, a {kind}, instead of a hexahedron",
                    at.face,
                    self.global(at.cell)
                ));
            }
        }
        if part.orientation >= FaceShape::Quad.orientations() {
            return Err(format!("orientation {} does not exist", part.orientation));
        }
        if part.big.cell == part.small.cell {
            return Err("it is divided by a face of its own cell".to_owned());
        }
        Ok(())
    }

    /// Checks that a side with this number of a part is one of the faces of the part.
    pub(super) fn check_mortar_side(&self, at: CellFace, number: usize) -> Result<(), String> {
        let count = self.mortars.len();
        let part = self
            .mortars
            .get(number)
            .ok_or_else(|| format!("it leads to part {number} of the divided faces, but there are {count}"))?;
        if part.big == at || part.small == at {
            Ok(())
        } else {
            Err(format!(
                "it leads to part {number} of the divided faces, which is that of others"
            ))
        }
    }

    fn fault(&self, CellFace { cell, face }: CellFace, why: String) -> Fault {
        Fault::Face {
            cell: self.global(cell),
            kind: self.kinds[cell],
            face,
            why,
        }
    }
}
