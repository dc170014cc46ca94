//! The types of elements of CGNS, by number (SIDS, section 3.3 and `ElementType_t`).

use crate::element::{ElementKind, FaceShape};

/// The shape of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A vertex.
    Point,
    /// A line.
    Line,
    /// A triangle or a quadrilateral.
    Face(FaceShape),
    /// A cell.
    Cell(ElementKind),
}

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ElementType {
    /// Shape of the elements.
    pub shape: Shape,
    /// Geometric order.
    pub order: usize,
    /// Number of nodes.
    pub nodes: usize,
}

/// The type number of a section (`MIXED`) whose elements have several types. Each element begins with its own number.
pub const MIXED: i64 = 20;

use ElementKind::{Hex, Prism, Pyramid, Tet};
use FaceShape::{Quad, Triangle};

/// A shape, an order, and the types of both, each with its number and its number of nodes: first the complete one, then
/// those that lack nodes inside the volume, or inside the faces too.
type Types = (Shape, usize, &'static [(i64, usize)]);

const TYPES: [Types; 29] = [
    (Shape::Point, 0, &[(2, 1)]),
    (Shape::Line, 1, &[(3, 2)]),
    (Shape::Line, 2, &[(4, 3)]),
    (Shape::Line, 3, &[(24, 4)]),
    (Shape::Line, 4, &[(40, 5)]),
    (Shape::Face(Triangle), 1, &[(5, 3)]),
    (Shape::Face(Triangle), 2, &[(6, 6)]),
    (Shape::Face(Triangle), 3, &[(26, 10), (25, 9)]),
    (Shape::Face(Triangle), 4, &[(42, 15), (41, 12)]),
    (Shape::Face(Quad), 1, &[(7, 4)]),
    (Shape::Face(Quad), 2, &[(9, 9), (8, 8)]),
    (Shape::Face(Quad), 3, &[(28, 16), (27, 12)]),
    (Shape::Face(Quad), 4, &[(44, 25), (43, 16)]),
    (Shape::Cell(Tet), 1, &[(10, 4)]),
    (Shape::Cell(Tet), 2, &[(11, 10)]),
    (Shape::Cell(Tet), 3, &[(30, 20), (29, 16)]),
    (Shape::Cell(Tet), 4, &[(47, 35), (46, 34), (45, 22)]),
    (Shape::Cell(Pyramid), 1, &[(12, 5)]),
    (Shape::Cell(Pyramid), 2, &[(13, 14), (21, 13)]),
    (Shape::Cell(Pyramid), 3, &[(33, 30), (32, 29), (31, 21)]),
    (Shape::Cell(Pyramid), 4, &[(50, 55), (49, 50), (48, 29)]),
    (Shape::Cell(Prism), 1, &[(14, 6)]),
    (Shape::Cell(Prism), 2, &[(16, 18), (15, 15)]),
    (Shape::Cell(Prism), 3, &[(36, 40), (35, 38), (34, 24)]),
    (Shape::Cell(Prism), 4, &[(53, 75), (52, 66), (51, 33)]),
    (Shape::Cell(Hex), 1, &[(17, 8)]),
    (Shape::Cell(Hex), 2, &[(19, 27), (18, 20)]),
    (Shape::Cell(Hex), 3, &[(39, 64), (38, 56), (37, 32)]),
    (Shape::Cell(Hex), 4, &[(56, 125), (55, 98), (54, 44)]),
];

impl Shape {
    /// Number of dimensions.
    pub fn dimension(self) -> usize {
        match self {
            Shape::Point => 0,
            Shape::Line => 1,
            Shape::Face(_) => 2,
            Shape::Cell(_) => 3,
        }
    }
}

/// Returns the number of the standard for a number of version 3.0 of the CGNS library, which had the pyramid of 13
/// nodes as number 13 and the types from there on one higher.
pub fn of_version_3_0(number: i64) -> i64 {
    match number {
        13 => 21,
        14..=21 => number - 1,
        other => other,
    }
}

impl ElementType {
    /// Returns the type with a number; `None` if its nodes are not fixed, as those of polygons and polyhedra.
    pub fn new(number: i64) -> Option<Self> {
        TYPES.iter().find_map(|&(shape, order, numbers)| {
            let &(_, nodes) = numbers.iter().find(|(known, _)| *known == number)?;
            Some(ElementType { shape, order, nodes })
        })
    }

    /// Number of nodes of the complete element of the same shape and order.
    pub fn complete(self) -> usize {
        match self.shape {
            Shape::Point => 1,
            Shape::Line => self.order + 1,
            Shape::Face(shape) => shape.points(self.order),
            Shape::Cell(kind) => kind.points(self.order),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_version_3_0_are_those_of_all_other_versions_in_another_order() {
        let mut all: Vec<i64> = (2..=23).map(of_version_3_0).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(2..=23));
        assert_eq!([13, 14, 18, 21].map(of_version_3_0), [21, 13, 17, MIXED]);
    }

    #[test]
    fn every_number_has_one_type_and_complete_ones_have_all_nodes() {
        let fixed: Vec<i64> = (2..=56).filter(|n| ![MIXED, 22, 23].contains(n)).collect();
        for number in fixed {
            let found = ElementType::new(number).unwrap_or_else(|| panic!("type {number}"));
            assert!(found.nodes <= found.complete(), "{found:?}");
        }
        assert!(
            [0, 1, MIXED, 22, 23, 57, -1]
                .iter()
                .all(|n| ElementType::new(*n).is_none())
        );
        for (shape, order, numbers) in TYPES {
            let complete = ElementType::new(numbers[0].0).expect("a type");
            assert_eq!(complete.nodes, complete.complete(), "{shape:?} of order {order}");
        }
    }
}
