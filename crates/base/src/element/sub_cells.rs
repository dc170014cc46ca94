//! The division of an element into straight sub-cells between its points, with the edges and faces between them.
//!
//! A hexahedron of degree q has q^3 hexahedra, a prism q^3 prisms. A tetrahedron has q (q + 1) (q + 2) / 6 upright
//! tetrahedra, (q - 2) (q - 1) q / 6 inverted ones, and (q - 1) q (q + 1) / 6 octahedra between them, which stay whole.
//! A layer of a pyramid with k x k squares has k^2 upright pyramids, (k - 1)^2 inverted ones, and 2 k (k - 1)
//! tetrahedra. Every edge of a sub-cell lies between two of its faces, which is all that a median dual needs.

use std::collections::{BTreeMap, HashMap};

use super::kind::{ElementKind, FaceShape};

/// The shape of a sub-cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubCellShape {
    /// An element of degree 1, with its vertices in the order of the reference element.
    Element(ElementKind),
    /// An octahedron: a pole, the four vertices around the equator, and the other pole.
    Octahedron,
}

/// A sub-cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubCell {
    /// Shape.
    pub shape: SubCellShape,
    /// Points of the element at its vertices.
    pub points: Vec<usize>,
}

/// An edge of sub-cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubEdge {
    /// Points of the element at its ends, the lower one first.
    pub ends: [usize; 2],
    /// The sub-cells around it, each with its faces to the left and to the right of the edge, seen from outside of the
    /// sub-cell with the edge upwards.
    pub around: Vec<SubCellAtEdge>,
}

/// A sub-cell at an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubCellAtEdge {
    /// Number of the sub-cell.
    pub cell: usize,
    /// Number of its face to the left of the edge.
    pub left: usize,
    /// Number of its face to the right of the edge.
    pub right: usize,
}

/// An edge at one of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeEnd {
    /// Number of the edge.
    pub edge: usize,
    /// Point at the other end.
    pub other: usize,
    /// Sign of the edge's direction, as seen from this end.
    pub sign: f64,
}

/// The sub-cells of an element, with their faces and edges.
#[derive(Debug, Clone)]
pub struct SubCells {
    /// Sub-cells.
    pub cells: Vec<SubCell>,
    /// Points of the faces of sub-cells, in the order around the face; each face once.
    pub faces: Vec<Vec<usize>>,
    /// Edges of sub-cells, sorted by their ends.
    pub edges: Vec<SubEdge>,
    /// Edges at each point, sorted by their numbers.
    pub edges_of_point: Vec<Vec<EdgeEnd>>,
    /// Faces of sub-cells on each face of the element: their face points, anticlockwise as seen from outside.
    pub boundary: Vec<Vec<Vec<usize>>>,
}

impl SubCells {
    /// Divides an element of degree `order`.
    pub fn new(kind: ElementKind, order: usize) -> Self {
        let cells: Vec<SubCell> = match kind {
            ElementKind::Hex => hexahedra(order),
            ElementKind::Prism => prisms(order),
            ElementKind::Tet => tetrahedra_and_octahedra(order),
            ElementKind::Pyramid => pyramids_and_tetrahedra(order),
        };
        let mut faces: Vec<Vec<usize>> = Vec::new();
        let mut number_of_face: HashMap<Vec<usize>, usize> = HashMap::new();
        // The sub-cells at each edge, each with its faces where the edge runs along and against its direction.
        let mut around: BTreeMap<[usize; 2], BTreeMap<usize, [usize; 2]>> = BTreeMap::new();
        for (number, cell) in cells.iter().enumerate() {
            for outline in cell.shape.outlines() {
                let points: Vec<usize> = outline.iter().map(|&v| cell.points[v]).collect();
                let mut key = points.clone();
                key.sort_unstable();
                let face = *number_of_face.entry(key).or_insert(faces.len());
                for (i, &from) in points.iter().enumerate() {
                    let to = points[(i + 1) % points.len()];
                    let at_edge = around.entry([from.min(to), from.max(to)]).or_default();
                    at_edge.entry(number).or_default()[usize::from(from > to)] = face;
                }
                if face == faces.len() {
                    faces.push(points);
                }
            }
        }
        let at_edge = |(cell, [left, right]): (usize, [usize; 2])| SubCellAtEdge { cell, left, right };
        let edges: Vec<SubEdge> = around
            .into_iter()
            .map(|(ends, cells)| SubEdge {
                ends,
                around: cells.into_iter().map(at_edge).collect(),
            })
            .collect();
        let mut edges_of_point = vec![Vec::new(); kind.points(order)];
        for (edge, SubEdge { ends: [a, b], .. }) in edges.iter().enumerate() {
            for (point, other, sign) in [(*a, *b, 1.0), (*b, *a, -1.0)] {
                edges_of_point[point].push(EdgeEnd { edge, other, sign });
            }
        }
        let boundary = kind
            .faces()
            .iter()
            .map(|face| outlines_on_face(face.shape, face.sign, order));
        SubCells {
            cells,
            faces,
            edges,
            edges_of_point,
            boundary: boundary.collect(),
        }
    }
}

impl SubCellShape {
    /// Returns the vertices of each face, anticlockwise as seen from outside.
    fn outlines(self) -> Vec<Vec<usize>> {
        match self {
            SubCellShape::Element(kind) => {
                let outline = |face: &super::Face| {
                    let [corners] = &outlines_on_face(face.shape, face.sign, 1)[..] else {
                        unreachable!("a face of degree 1 is one sub-face");
                    };
                    corners.iter().map(|&corner| face.vertices[corner]).collect()
                };
                kind.faces().iter().map(outline).collect()
            }
            SubCellShape::Octahedron => (0..4)
                .flat_map(|i| {
                    let here = 1 + i;
                    let next = 1 + (i + 1) % 4;
                    [vec![0, here, next], vec![5, next, here]]
                })
                .collect(),
        }
    }
}

/// Returns the sub-faces of a face by its face points, anticlockwise as seen from the side to which the normal points
/// that has this triple product with the directions of the face.
fn outlines_on_face(shape: FaceShape, sign: f64, order: usize) -> Vec<Vec<usize>> {
    let lattice = shape.lattice(order);
    let number: HashMap<[usize; 2], usize> = lattice.iter().copied().zip(0..).collect();
    let mut outlines = Vec::new();
    for &[i, j] in &lattice {
        let corners: &[&[[usize; 2]]] = match shape {
            FaceShape::Quad => &[&[[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]],
            FaceShape::Triangle => &[
                &[[i, j], [i + 1, j], [i, j + 1]],
                &[[i + 1, j], [i + 1, j + 1], [i, j + 1]],
            ],
        };
        for outline in corners {
            let points: Option<Vec<usize>> = outline.iter().map(|at| number.get(at).copied()).collect();
            if let Some(mut points) = points {
                if sign < 0.0 {
                    points.reverse();
                }
                outlines.push(points);
            }
        }
    }
    outlines
}

/// Returns a sub-cell with the points of the element at these places of its lattice.
fn sub_cell(shape: SubCellShape, kind: ElementKind, order: usize, places: &[[usize; 3]]) -> SubCell {
    SubCell {
        shape,
        points: places.iter().map(|&at| kind.index(at, order)).collect(),
    }
}

fn plus([i, j, k]: [usize; 3], [a, b, c]: [usize; 3]) -> [usize; 3] {
    [i + a, j + b, k + c]
}

fn hexahedra(order: usize) -> Vec<SubCell> {
    let kind = ElementKind::Hex;
    let corner = kind
        .lattice(order)
        .into_iter()
        .filter(|at| at.iter().all(|&i| i < order));
    corner
        .map(|at| {
            let places: Vec<[usize; 3]> = kind.lattice_vertices(1).iter().map(|&v| plus(at, v)).collect();
            sub_cell(SubCellShape::Element(kind), kind, order, &places)
        })
        .collect()
}

fn prisms(order: usize) -> Vec<SubCell> {
    let kind = ElementKind::Prism;
    let mut cells = Vec::new();
    for [i, j, k] in kind.lattice(order) {
        if k == order {
            continue;
        }
        let mut add = |triangle: [[usize; 2]; 3]| {
            let places = [k, k + 1].map(|k| triangle.map(|[i, j]| [i, j, k]));
            cells.push(sub_cell(
                SubCellShape::Element(kind),
                kind,
                order,
                places.as_flattened(),
            ));
        };
        if i + j < order {
            add([[i, j], [i + 1, j], [i, j + 1]]);
        }
        if i + j + 1 < order {
            add([[i + 1, j + 1], [i, j + 1], [i + 1, j]]);
        }
    }
    cells
}

fn tetrahedra_and_octahedra(order: usize) -> Vec<SubCell> {
    let kind = ElementKind::Tet;
    let mut cells = Vec::new();
    for at in kind.lattice(order) {
        let layers = order - at.iter().sum::<usize>();
        let mut add = |shape, steps: &[[usize; 3]]| {
            let places: Vec<[usize; 3]> = steps.iter().map(|&step| plus(at, step)).collect();
            cells.push(sub_cell(shape, kind, order, &places));
        };
        let tet = SubCellShape::Element(kind);
        if layers >= 1 {
            add(tet, &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        }
        if layers >= 2 {
            let around = [[0, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1]];
            let [a, b, c, d] = around;
            add(SubCellShape::Octahedron, &[[1, 0, 0], a, b, c, d, [0, 1, 1]]);
        }
        if layers >= 3 {
            add(tet, &[[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]]);
        }
    }
    cells
}

fn pyramids_and_tetrahedra(order: usize) -> Vec<SubCell> {
    let kind = ElementKind::Pyramid;
    let [pyramid, tet] = [kind, ElementKind::Tet].map(SubCellShape::Element);
    let mut cells = Vec::new();
    for [i, j, k] in kind.lattice(order) {
        // Squares along each side of the layer above point (i, j, k).
        let squares = order - k;
        let mut add = |shape, places: &[[usize; 3]]| cells.push(sub_cell(shape, kind, order, places));
        let square = |k: usize| [[i, j, k], [i + 1, j, k], [i + 1, j + 1, k], [i, j + 1, k]];
        let up = k + 1;
        if i < squares && j < squares {
            let [a, b, c, d] = square(k);
            add(pyramid, &[a, b, c, d, [i, j, up]]);
        }
        if i + 1 < squares && j + 1 < squares {
            let [a, b, c, d] = square(up);
            add(pyramid, &[a, d, c, b, [i + 1, j + 1, k]]);
        }
        if i > 0 && i < squares && j < squares {
            add(tet, &[[i, j, k], [i, j + 1, k], [i - 1, j, up], [i, j, up]]);
        }
        if j > 0 && j < squares && i < squares {
            add(tet, &[[i + 1, j, k], [i, j, k], [i, j - 1, up], [i, j, up]]);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::nodes;
    use crate::vector::{Vector, cross, dot};

    fn mean(points: &[usize], x: &[Vector]) -> Vector {
        std::array::from_fn(|d| points.iter().map(|&p| x[p][d]).sum::<f64>() / points.len() as f64)
    }

    /// Volume by the divergence theorem: each face is a fan of triangles around its mean.
    fn volume(cell: &SubCell, x: &[Vector]) -> f64 {
        let triangles = cell.shape.outlines().into_iter().flat_map(|outline| {
            let points: Vec<usize> = outline.iter().map(|&v| cell.points[v]).collect();
            let centre = mean(&points, x);
            (0..points.len())
                .map(|i| dot(centre, cross(x[points[i]], x[points[(i + 1) % points.len()]])) / 6.0)
                .collect::<Vec<f64>>()
        });
        triangles.sum()
    }

    #[test]
    fn sub_cells_fill_the_element_and_all_have_positive_volumes() {
        for kind in ElementKind::ALL {
            for order in 1..=kind.max_order() {
                let sub = SubCells::new(kind, order);
                let x = nodes(kind, order);
                let volumes: Vec<f64> = sub.cells.iter().map(|cell| volume(cell, &x)).collect();
                let least = volumes.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(least > 1e-6, "{kind} {order}: {least}");
                let sum: f64 = volumes.iter().sum();
                assert!((sum - kind.volume()).abs() < 1e-12, "{kind} {order}: {sum}");
            }
        }
    }

    #[test]
    fn there_are_as_many_of_each_shape_as_the_formulas_say() {
        for q in 1..=6usize {
            let count = |kind, shape| {
                let sub = SubCells::new(kind, q);
                sub.cells.iter().filter(|cell| cell.shape == shape).count()
            };
            let element = SubCellShape::Element;
            for kind in [ElementKind::Hex, ElementKind::Prism] {
                assert_eq!(count(kind, element(kind)), q.pow(3));
            }
            let (tet, pyramid) = (ElementKind::Tet, ElementKind::Pyramid);
            let inverted = q * (q - 1) * q.saturating_sub(2) / 6;
            assert_eq!(count(tet, element(tet)), q * (q + 1) * (q + 2) / 6 + inverted);
            assert_eq!(count(tet, SubCellShape::Octahedron), (q - 1) * q * (q + 1) / 6);
            let pyramids: usize = (1..=q).map(|k| k * k + (k - 1) * (k - 1)).sum();
            let tets: usize = (1..=q).map(|k| 2 * k * (k - 1)).sum();
            assert_eq!(count(pyramid, element(pyramid)), pyramids);
            assert_eq!(count(pyramid, element(tet)), tets);
        }
    }

    #[test]
    fn every_face_is_shared_by_two_sub_cells_or_lies_on_the_element() {
        for kind in ElementKind::ALL {
            for order in 1..=6 {
                let sub = SubCells::new(kind, order);
                let mut uses = vec![0; sub.faces.len()];
                let key = |points: &[usize]| {
                    let mut key = points.to_vec();
                    key.sort_unstable();
                    key
                };
                let number: HashMap<Vec<usize>, usize> = sub.faces.iter().map(|f| key(f)).zip(0..).collect();
                for cell in &sub.cells {
                    for outline in cell.shape.outlines() {
                        let points: Vec<usize> = outline.iter().map(|&v| cell.points[v]).collect();
                        uses[number[&key(&points)]] += 1;
                    }
                }
                for (face, outlines) in sub.boundary.iter().enumerate() {
                    let in_cell = kind.face_indices(face, order);
                    for outline in outlines {
                        let points: Vec<usize> = outline.iter().map(|&p| in_cell[p]).collect();
                        uses[number[&key(&points)]] += 1;
                    }
                }
                assert!(uses.iter().all(|&uses| uses == 2), "{kind} {order}: {uses:?}");
            }
        }
    }
}
