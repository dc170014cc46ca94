//! The places of the values at the faces of interfaces, and the numbers of the line of their points.

use std::collections::HashMap;

use super::Plan;
use super::tables::Tables;
use crate::device::contract::{InterfaceFace, Slot};
use crate::device::interfaces::{Interfaces, Way};
use crate::element::{FaceShape, interface_rule};

/// The interfaces of a plan.
#[derive(Debug, Default)]
pub struct InterfacePlan {
    /// The faces, of each row in the order in which they lie.
    pub faces: Vec<InterfaceFace>,
    /// Which of them each boundary face is, -1 if it is none, -2 - m if it is face m of mortars; empty without both.
    pub of_boundary_face: Vec<i32>,
    /// Most parts that a face is in, wherever the other side is.
    pub parts: usize,
    /// Numbers of the line of points ([`interface_rule`]); empty without interfaces.
    pub rule: Vec<f64>,
    /// Numbers of the faces that turn, as kernels read them; empty where none does.
    pub circles: Vec<f64>,
    /// Offset in the tables of the list of the points of their ghosts and those at mortars, by which kernels know them;
    /// `None` without both.
    pub table: Option<i32>,
    /// Entry of each face in `of_boundary_face`, by cell and local face.
    pub(super) number: HashMap<(usize, usize), i32>,
}

impl InterfacePlan {
    /// Lines of all Gauss points of the parts that the faces can be in, of cells of this order.
    pub fn items(&self, order: usize) -> usize {
        self.faces.len() * self.parts * (order + 1).pow(2)
    }

    /// Returns the offset in the tables of the list of the points of a ghost if it is at an interface.
    pub(super) fn table_of_ghost(&self, cell: usize, face: usize) -> Option<i32> {
        self.table.filter(|_| self.number.contains_key(&(cell, face)))
    }
}

impl Plan {
    /// Places the faces of interfaces, when cells and boundary faces have their places.
    pub(super) fn place_interfaces(&mut self, interfaces: &Interfaces, tables: &mut Tables) {
        if interfaces.faces.is_empty() {
            return;
        }
        let mut placed = InterfacePlan {
            parts: interfaces
                .faces
                .iter()
                .map(|face| interfaces.parts_of(face))
                .max()
                .unwrap_or(0),
            rule: interface_rule(self.order),
            table: Some(tables.another_identity()),
            ..InterfacePlan::default()
        };
        for (number, side) in interfaces.faces.iter().enumerate() {
            let Slot { state, trace } = self.slot_of(side.cell, side.face, side.orientation, tables);
            placed.number.insert((side.cell, side.face), number as i32);
            let circle = placed.circles.len();
            if let Way::Circle(circle) = &side.way {
                placed.circles.extend(circle.tangents.as_flattened());
                placed.circles.extend(&circle.radii);
            }
            let copies = placed.circles.len();
            let along = match &side.way {
                Way::Straight(along) => *along,
                Way::Circle(circle) => {
                    placed.circles.extend(circle.copies.as_flattened());
                    circle.axis
                }
            };
            placed.faces.push(InterfaceFace {
                state,
                trace,
                first: side.first,
                length: side.length,
                offset: side.offset,
                period: side.period,
                speed: side.speed,
                row: side.row.start as i32,
                count: side.row.len() as i32,
                sign: side.sign as i32,
                points: tables.packed(FaceShape::Quad, side.orientation),
                interface: side.interface as i32,
                along: along as i32,
                plane: side.plane as i64,
                facing: side.facing,
                circle: circle as i64,
                copies: copies as i64,
            });
        }
        let of = |b: &super::BoundaryFace| placed.number.get(&(b.cell, b.face)).copied().unwrap_or(-1);
        placed.of_boundary_face = self.boundary_faces.iter().map(of).collect();
        self.interfaces = placed;
    }
}
