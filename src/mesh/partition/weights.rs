//! What a cell costs, and what passes through a face, for balancing ranks.

use crate::element::{ElementKind, FaceShape};

/// Solution points that the solver advances on a GPU in a given time, relative to each other, by [`ElementKind::ALL`]:
/// measured in double precision at order 3 and 4. Between kinds the speeds differ more than with the order, so that the
/// nearer of the two columns serves for all: order 3 up to there, order 4 beyond.
const SPEEDS: [[f64; 4]; 2] = [[6.4, 3.1, 2.0, 1.8], [5.9, 2.7, 1.8, 1.5]];

/// What a hexahedron costs, in the units of [`Weights::cell`]: fine enough for the ratios between kinds.
const HEX: f64 = 1000.0;

/// Relative costs of cells and of faces between ranks at an order of the solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    order: usize,
    cells: [u32; 4],
}

impl Weights {
    /// The costs at an order.
    pub fn of(order: usize) -> Self {
        let speeds = SPEEDS[usize::from(order > 3)];
        let time = |kind: ElementKind| kind.points(order) as f64 / speeds[kind as usize];
        Weights {
            order,
            cells: ElementKind::ALL.map(|kind| (HEX * time(kind) / time(ElementKind::Hex)).round() as u32),
        }
    }

    /// The order of the solution.
    pub fn order(&self) -> usize {
        self.order
    }

    /// What a cell costs, in thousandths of a hexahedron.
    pub fn cell(&self, kind: ElementKind) -> u32 {
        self.cells[kind as usize]
    }

    /// The costs of all kinds, in the order of [`ElementKind::ALL`].
    pub fn cells(&self) -> [u32; 4] {
        self.cells
    }

    /// Points of a face, over what those of all shapes have in common: (p + 1) / 2.
    pub(super) fn face(&self, shape: FaceShape) -> i32 {
        match shape {
            FaceShape::Triangle => self.order as i32 + 2,
            FaceShape::Quad => 2 * (self.order as i32 + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_points_over_speed_in_thousandths_of_a_hexahedron() {
        assert_eq!(Weights::of(3).cells(), [1000, 1290, 1000, 1667]);
        assert_eq!(Weights::of(4).cell(ElementKind::Pyramid), 1731);
        for order in 1..=6 {
            let weights = Weights::of(order);
            assert_eq!(weights.cell(ElementKind::Hex), 1000);
            for shape in [FaceShape::Triangle, FaceShape::Quad] {
                let points = weights.face(shape) as usize * (order + 1) / 2;
                assert_eq!(points, shape.points(order));
            }
        }
    }
}
