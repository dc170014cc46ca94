//! Gmsh's element types, by number.

use crate::element::ElementKind;

/// The shape of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// A point or a line; these elements are skipped.
    Lower,
    /// A triangle.
    Triangle,
    /// A quadrilateral.
    Quad,
    /// A cell.
    Cell(ElementKind),
}

/// An element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementType {
    /// Shape of the elements.
    pub family: Family,
    /// Geometric order of the elements.
    pub order: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// True if an element has all nodes of its order, false if it has only those on edges ("serendipity").
    pub complete: bool,
}

/// Highest supported geometric order: that of tetrahedra, prisms and pyramids in the solver.
const MAX_ORDER: usize = 6;
/// The same of cells with nodes on edges only, whose other nodes are placed by rules for these orders.
const MAX_EDGE_ORDER: usize = 4;

/// A family, the numbers of its complete types from order 1 on, the lowest order of its types with nodes on edges only,
/// and the numbers of these.
type Numbers = (Family, &'static [u32], usize, &'static [u32]);

const NUMBERS: [Numbers; 7] = [
    (Family::Lower, &[1, 8, 26, 27, 28, 62, 63, 64, 65, 66], 1, &[]),
    (
        Family::Triangle,
        &[2, 9, 21, 23, 25, 42, 43, 44, 45, 46],
        3,
        &[20, 22, 24, 52, 53, 54, 55, 56],
    ),
    (
        Family::Quad,
        &[3, 10, 36, 37, 38, 47, 48, 49, 50, 51],
        2,
        &[16, 39, 40, 41, 57, 58, 59, 60, 61],
    ),
    (
        Family::Cell(ElementKind::Tet),
        &[4, 11, 29, 30, 31, 71, 72, 73, 74, 75],
        3,
        &[137, 32, 33, 79, 80, 81, 82, 83],
    ),
    (
        Family::Cell(ElementKind::Hex),
        &[5, 12, 92, 93, 94, 95, 96, 97, 98],
        2,
        &[17, 99, 100, 101, 102, 103, 104, 105],
    ),
    (
        Family::Cell(ElementKind::Prism),
        &[6, 13, 90, 91, 106, 107, 108, 109, 110],
        2,
        &[18, 111, 112, 113, 114, 115, 116, 117],
    ),
    (
        Family::Cell(ElementKind::Pyramid),
        &[7, 14, 118, 119, 120, 121, 122, 123, 124],
        2,
        &[19, 125, 126, 127, 128, 129, 130, 131],
    ),
];

impl Family {
    /// Dimension. Points count as lines.
    pub fn dimension(self) -> i64 {
        match self {
            Self::Lower => 1,
            Self::Triangle | Self::Quad => 2,
            Self::Cell(_) => 3,
        }
    }

    /// Number of vertices of an element.
    fn vertices(self) -> usize {
        match self {
            Self::Lower => 2,
            Self::Triangle => 3,
            Self::Quad => 4,
            Self::Cell(kind) => kind.vertices(),
        }
    }

    /// Number of edges of an element.
    fn edges(self) -> usize {
        match self {
            Self::Lower => 1,
            Self::Triangle => 3,
            Self::Quad => 4,
            // Euler: vertices - edges + faces = 2.
            Self::Cell(kind) => kind.vertices() + kind.faces().len() - 2,
        }
    }

    /// Number of nodes of an element of an order.
    fn nodes(self, order: usize) -> usize {
        let n = order + 1;
        match self {
            Self::Lower => n,
            Self::Triangle => n * (n + 1) / 2,
            Self::Quad => n * n,
            Self::Cell(kind) => kind.points(order),
        }
    }
}

impl ElementType {
    /// Highest supported geometric order of cells with all nodes of their order, or with those on edges only, as this
    /// type has them.
    pub fn most(&self) -> usize {
        if self.complete { MAX_ORDER } else { MAX_EDGE_ORDER }
    }

    /// Returns the number of the complete type of a shape and an order; `None` if Gmsh has none.
    pub fn number(family: Family, order: usize) -> Option<u32> {
        let (_, complete, ..) = NUMBERS.iter().find(|(known, ..)| *known == family)?;
        complete.get(order.checked_sub(1)?).copied()
    }

    /// Returns the type with a number; `None` if it does not exist or is of no use in a mesh of cells, like polyhedra.
    pub fn new(number: i64) -> Option<Self> {
        /// The only type of dimension 0.
        const POINT: i64 = 15;
        if number == POINT {
            return Some(Self {
                family: Family::Lower,
                order: 0,
                nodes: 1,
                complete: true,
            });
        }
        let place = |numbers: &[u32]| numbers.iter().position(|n| i64::from(*n) == number);
        NUMBERS.iter().find_map(|&(family, complete, lowest, edges_only)| {
            if let Some(i) = place(complete) {
                return Some(Self {
                    family,
                    order: i + 1,
                    nodes: family.nodes(i + 1),
                    complete: true,
                });
            }
            let order = lowest + place(edges_only)?;
            let vertices = family.vertices();
            let edges = family.edges();
            Some(Self {
                family,
                order,
                nodes: vertices + edges * (order - 1),
                complete: false,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_counts_are_those_of_gmsh() {
        let nodes = |number| ElementType::new(number).map(|t| t.nodes);
        let complete = [(26, 4), (23, 15), (38, 36), (71, 84), (94, 216), (106, 126), (124, 385)];
        let edges_only = [
            (20, 9),
            (22, 12),
            (39, 12),
            (17, 20),
            (100, 44),
            (18, 15),
            (19, 13),
            (126, 29),
            (137, 16),
        ];
        for (number, count) in complete
            .into_iter()
            .chain(edges_only)
            .chain([(15, 1), (4, 4), (14, 14)])
        {
            assert_eq!(nodes(number), Some(count), "type {number}");
        }
        for number in [0, -1, 34, 35, 140, 1 << 40] {
            assert_eq!(nodes(number), None);
        }
    }
}
