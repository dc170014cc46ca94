//! The places of the values at faces that meet smaller ones, and the numbers of the line of their points.

use std::collections::HashMap;

use super::tables::Tables;
use super::{Exterior, Plan};
use crate::device::contract::{MortarFace, MortarPart, Slot};
use crate::element::{FaceShape, mortar_rule};
use crate::mesh::Mesh;

/// The faces at mortars of a plan.
#[derive(Debug, Default)]
pub struct MortarPlan {
    /// The parts of faces that meet smaller ones, in the order of [`Mesh::mortars`].
    pub parts: Vec<MortarPart>,
    /// The faces on both sides.
    pub faces: Vec<MortarFace>,
    /// Numbers of the line of points ([`mortar_rule`]); empty without mortars.
    pub rule: Vec<f64>,
}

impl MortarPlan {
    /// Gauss points of all parts, of cells of this order.
    pub fn items(&self, order: usize) -> usize {
        self.parts.len() * (order + 1).pow(2)
    }
}

impl Plan {
    /// Places the faces at mortars, when cells, boundary faces and faces of interfaces have their places.
    pub(super) fn place_mortars(&mut self, mesh: &Mesh, tables: &mut Tables) {
        if mesh.mortars.is_empty() {
            return;
        }
        self.interfaces.table.get_or_insert_with(|| tables.another_identity());
        let mut placed = MortarPlan {
            rule: mortar_rule(self.order),
            ..MortarPlan::default()
        };
        let faces = self.boundary_faces.iter();
        let first_point: HashMap<(usize, usize), usize> = faces.map(|b| ((b.cell, b.face), b.first_point)).collect();
        let mut numbers = Vec::new();
        for (first, parts) in mesh.divided_faces() {
            let big = parts[0].big;
            let Slot { state, trace } = self.slot_of(big.cell, big.face, 0, tables);
            numbers.push((big, placed.faces.len()));
            placed.faces.push(MortarFace {
                first: first as i32,
                count: parts.len() as i32,
                larger: 1,
                points: tables.packed(FaceShape::Quad, 0),
            });
            for (number, part) in (first..).zip(parts) {
                let small = part.small;
                let points = tables.packed(FaceShape::Quad, part.orientation);
                let there = self.slot_of(small.cell, small.face, part.orientation, tables);
                let [along, across] = part.share;
                placed.parts.push(MortarPart {
                    larger: state,
                    larger_trace: trace,
                    smaller: there.state,
                    smaller_trace: there.trace,
                    area: 4 * first_point[&(small.cell, small.face)] as i64,
                    length: along.length() * across.length(),
                    points,
                    along: along as i32,
                    across: across as i32,
                    unused: 0,
                });
                numbers.push((small, placed.faces.len()));
                placed.faces.push(MortarFace {
                    first: number as i32,
                    count: 1,
                    larger: 0,
                    points,
                });
            }
        }
        let interfaces = &mut self.interfaces;
        if interfaces.of_boundary_face.is_empty() {
            interfaces.of_boundary_face = vec![-1; self.boundary_faces.len()];
        }
        for (at, number) in numbers {
            interfaces.number.insert((at.cell, at.face), -2 - number as i32);
        }
        for (b, of) in self.boundary_faces.iter().zip(&mut interfaces.of_boundary_face) {
            if let Exterior::Mortar = b.exterior {
                *of = interfaces.number[&(b.cell, b.face)];
            }
        }
        self.mortars = placed;
    }
}
