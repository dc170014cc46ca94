//! Costs of cells and weights of faces for load balancing.

use crate::element::{ElementKind, FaceShape, PerKind};

/// Relative speeds, as solution points that the solver advances on a GPU in a given time, `[order][kind]`, measured in
/// double precision at orders 3 and 4. Speeds differ more between kinds than between orders, so the first row serves
/// all orders up to 3 and the second all above.
const SPEEDS: [[f64; 4]; 2] = [[6.4, 3.1, 2.0, 1.8], [5.9, 2.7, 1.8, 1.5]];

/// Cost of a hexahedron in the unit of [`Weights::cell`]; large enough to resolve the ratios between kinds.
const HEX: f64 = 1000.0;

/// Relative costs of cells, and of faces between ranks, at an order of the solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    order: usize,
    /// Cost of a cell of each kind in thousandths of a hexahedron.
    cells: PerKind<u32>,
}

impl Weights {
    /// Returns the costs at an order of the solution.
    pub fn of(order: usize) -> Self {
        let speeds = SPEEDS[usize::from(order > 3)];
        let time = |kind: ElementKind| kind.points(order) as f64 / speeds[kind as usize];
        Weights {
            order,
            cells: PerKind::new(|kind| (HEX * time(kind) / time(ElementKind::Hex)).round() as u32),
        }
    }

    /// Order of the solution.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Cost of a cell in thousandths of a hexahedron.
    pub fn cell(&self, kind: ElementKind) -> u32 {
        self.cells[kind]
    }

    /// Costs of all kinds in thousandths of a hexahedron, in the order of [`ElementKind::ALL`].
    pub fn cells(&self) -> [u32; 4] {
        ElementKind::ALL.map(|kind| self.cells[kind])
    }

    /// Number of points of a face divided by (p + 1) / 2, the common factor of all shapes.
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
        for order in 1..=6 {
            let weights = Weights::of(order);
            assert_eq!(weights.cell(ElementKind::Hex), 1000);
            for kind in ElementKind::ALL {
                // No point costs less than one of a hexahedron, and none ten times as much.
                let points = kind.points(order) as f64 / ElementKind::Hex.points(order) as f64;
                let cost = f64::from(weights.cell(kind)) / 1000.0 / points;
                assert!((1.0..10.0).contains(&cost), "{kind} p {order}: {cost}");
            }
            for shape in [FaceShape::Triangle, FaceShape::Quad] {
                let points = weights.face(shape) as usize * (order + 1) / 2;
                assert_eq!(points, shape.points(order));
            }
        }
    }
}
