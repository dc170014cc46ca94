//! Von Neumann analysis in space for waves, diffusion and sound. It is the source of the tabulated limits of elements
//! other than hexahedra, and of the reduction for sound in hexahedra.
//!
//! A unit cube is cut into equal cells of one kind such that copies of it fill space. Its sides are periodic with a
//! phase for each direction. The largest step is sought for which the amplification operator of the time scheme,
//! applied many times, keeps solutions bounded.

use num_complex::Complex64;

use crate::element::Correction;
use crate::element::{ElementKind, LineElement, ReferenceElement};
use crate::runge_kutta::TimeScheme;
use crate::vector::{Vector, cross, dot};

mod limits;
mod operators;

/// The point of the neighbour at a face point.
#[derive(Clone, Copy)]
struct Neighbour {
    cell: usize,
    /// Its number among the face points of the neighbour.
    face_point: usize,
    /// Its number among the points of the neighbour.
    point: usize,
    /// Shift, in cubes, of the neighbour relative to its image in this cube.
    shift: Vector,
}

struct Cell {
    jacobian: f64,
    /// Metric terms Ja^d.
    metrics: [Vector; 3],
    /// Area vector of each face point.
    areas: Vec<Vector>,
    neighbours: Vec<Neighbour>,
}

struct Tiling {
    element: ReferenceElement,
    /// Point of the cell at each face point.
    traces: Vec<usize>,
    cells: Vec<Cell>,
    /// Slope of the line's correction function at its end.
    strength: f64,
    /// The time scheme whose limits are sought.
    scheme: TimeScheme,
}

/// Vertices of the cells into which the unit cube is cut, `[cell][vertex]`.
fn cut(kind: ElementKind) -> Vec<Vec<Vector>> {
    let corner = |i: usize| -> Vector { std::array::from_fn(|d| (i >> d & 1) as f64) };
    let pick = |list: &[usize]| list.iter().map(|&i| corner(i)).collect::<Vec<_>>();
    match kind {
        ElementKind::Hex => vec![pick(&[0, 1, 3, 2, 4, 5, 7, 6])],
        ElementKind::Prism => vec![pick(&[0, 1, 3, 4, 5, 7]), pick(&[0, 3, 2, 4, 7, 6])],
        // Kuhn's tetrahedra: paths along the edges of the cube from one end of a diagonal to the other.
        ElementKind::Tet => [[1, 2, 4], [2, 4, 1], [4, 1, 2], [1, 4, 2], [4, 2, 1], [2, 1, 4]]
            .iter()
            .enumerate()
            .map(|(number, [a, b, _])| {
                let mut path = [0, *a, a + b, 7];
                if number >= 3 {
                    path.swap(1, 2);
                }
                pick(&path)
            })
            .collect(),
        ElementKind::Pyramid => [
            [0, 1, 3, 2],
            [4, 6, 7, 5],
            [0, 4, 5, 1],
            [2, 3, 7, 6],
            [0, 2, 6, 4],
            [1, 5, 7, 3],
        ]
        .iter()
        .map(|base| {
            let mut vertices = pick(base);
            vertices.push([0.5; 3]);
            vertices
        })
        .collect(),
    }
}

impl Tiling {
    fn new(kind: ElementKind, order: usize, correction: Correction, scheme: TimeScheme) -> Self {
        let element = ReferenceElement::new(kind, order, correction);
        let vertices = cut(kind);
        let traces: Vec<usize> = element.faces.iter().flat_map(|face| face.points.clone()).collect();
        let cells = (0..vertices.len())
            .map(|cell| {
                let x = &vertices[cell];
                let half = |v: usize| -> Vector { std::array::from_fn(|m| 0.5 * (x[v][m] - x[0][m])) };
                let axes = match kind {
                    ElementKind::Hex => [half(1), half(3), half(4)],
                    ElementKind::Prism | ElementKind::Tet => [half(1), half(2), half(3)],
                    ElementKind::Pyramid => [
                        half(1),
                        half(3),
                        std::array::from_fn(|m| x[4][m] - 0.5 * (x[0][m] + x[2][m])),
                    ],
                };
                let metrics: [Vector; 3] = std::array::from_fn(|d| cross(axes[(d + 1) % 3], axes[(d + 2) % 3]));
                let mut areas = Vec::new();
                let mut neighbours = Vec::new();
                for (number, face) in element.faces.iter().enumerate() {
                    let area = std::array::from_fn(|m| (0..3).map(|d| face.normal[d] * metrics[d][m]).sum());
                    areas.extend(vec![area; face.points.len()]);
                    neighbours.extend(behind(&element, &vertices, cell, number));
                }
                Cell {
                    jacobian: dot(axes[0], metrics[0]),
                    metrics,
                    areas,
                    neighbours,
                }
            })
            .collect();
        let strength = LineElement::new(order, correction).correction[0];
        Tiling {
            element,
            traces,
            cells,
            strength,
            scheme,
        }
    }

    /// Largest advection rate of the cells: half the sum over faces of |v . A|/J.
    fn advection_rate(&self, velocity: Vector) -> f64 {
        self.rate(|cell, area| 0.5 * dot(velocity, area).abs() / cell.jacobian)
    }

    /// Largest diffusion rate of the cells: half the sum over faces of |A|^2/J^2.
    fn diffusion_rate(&self) -> f64 {
        self.rate(|cell, area| 0.5 * dot(area, area) / cell.jacobian.powi(2))
    }

    fn rate(&self, of_face: impl Fn(&Cell, Vector) -> f64) -> f64 {
        let firsts: Vec<usize> = self.element.faces.iter().map(|face| face.first).collect();
        self.cells
            .iter()
            .map(|cell| firsts.iter().map(|&f| of_face(cell, cell.areas[f])).sum())
            .fold(0.0, f64::max)
    }

    /// Values of the other side at all face points of a cell.
    fn outside(&self, cell: &Cell, u: &[Complex64], phase: Vector) -> Vec<Complex64> {
        let np = self.element.len();
        cell.neighbours
            .iter()
            .map(|n| u[n.cell * np + n.point] * Complex64::from_polar(1.0, dot(phase, n.shift)))
            .collect()
    }

    /// Divergence (sum_d D_d f^d + lift jump)/J, where f^d are the contravariant components of the flux.
    fn divergence(&self, cell: &Cell, flux: &[[Complex64; 3]], jump: &[Complex64]) -> Vec<Complex64> {
        let (np, nfp) = (self.element.len(), self.element.face_len());
        let mut result = multiply(&self.element.lift, jump, nfp);
        for d in 0..3 {
            let contravariant: Vec<Complex64> = flux
                .iter()
                .map(|f| (0..3).map(|m| f[m] * cell.metrics[d][m]).sum())
                .collect();
            for (r, term) in result
                .iter_mut()
                .zip(multiply(&self.element.diff[d], &contravariant, np))
            {
                *r += term;
            }
        }
        result.iter_mut().for_each(|r| *r /= cell.jacobian);
        result
    }
}

/// Product of a real matrix and a complex vector.
fn multiply(matrix: &[f64], x: &[Complex64], columns: usize) -> Vec<Complex64> {
    matrix
        .chunks(columns)
        .map(|row| row.iter().zip(x).map(|(m, x)| x * m).sum())
        .collect()
}

/// The neighbours of the points of a face, found by shifting the cube to all positions around it.
fn behind(element: &ReferenceElement, vertices: &[Vec<Vector>], cell: usize, face: usize) -> Vec<Neighbour> {
    let corners = |cell: usize, face: usize, shift: Vector| -> Vec<Vector> {
        let list = element.kind.faces()[face].vertices;
        list.iter()
            .map(|&v| std::array::from_fn(|m| vertices[cell][v][m] + shift[m]))
            .collect()
    };
    let ours = corners(cell, face, [0.0; 3]);
    let shape = element.faces[face].shape;
    for other in 0..vertices.len() {
        for number in 0..element.faces.len() {
            for place in 0..27 {
                let shift = [place % 3, place / 3 % 3, place / 9].map(|i| i as f64 - 1.0);
                if element.faces[number].shape != shape || (other, number, place) == (cell, face, 13) {
                    continue;
                }
                let theirs = corners(other, number, shift);
                if let Some(orientation) = shape.find_orientation(&ours, &theirs, 1e-9) {
                    return (0..element.faces[face].points.len())
                        .map(|f| {
                            let point = shape.oriented_point(orientation, f, element.order);
                            Neighbour {
                                cell: other,
                                face_point: element.faces[number].first + point,
                                point: element.faces[number].points[point],
                                shift,
                            }
                        })
                        .collect();
                }
            }
        }
    }
    panic!("nothing lies behind face {face} of cell {cell}");
}
