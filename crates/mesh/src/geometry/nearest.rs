//! The point of a cell that is nearest to a point outside of it: the nearest of the nearest points of its faces.

use super::face_surface::FaceSurfaces;
use crate::element::{ElementKind, FaceShape};

/// Surfaces of cells with a mapping of one degree.
#[derive(Debug)]
pub struct CellSurfaces {
    degree: usize,
    /// Faces of each shape, by the number of the shape.
    faces: [FaceSurfaces; 2],
}

impl CellSurfaces {
    /// Creates the surfaces of cells with a mapping of this polynomial degree.
    pub fn new(degree: usize) -> Self {
        let faces = [FaceShape::Triangle, FaceShape::Quad].map(|shape| FaceSurfaces::new(shape, degree));
        CellSurfaces { degree, faces }
    }

    /// Returns the reference coordinates of the point of a cell that is nearest to a point outside of it, and its
    /// distance. `nodes` are the positions of the points of the reference element.
    pub fn nearest(&self, kind: ElementKind, nodes: &[[f64; 3]], x: [f64; 3]) -> ([f64; 3], f64) {
        let of_face = |face: usize| {
            let indices = kind.face_indices(face, self.degree);
            let points: Vec<[f64; 3]> = indices.into_iter().map(|p| nodes[p]).collect();
            let surface = &self.faces[kind.faces()[face].shape as usize];
            let (place, square) = surface.nearest(x, &points);
            (of_place(kind, face, place), square.sqrt())
        };
        let of_faces = (0..kind.faces().len()).map(of_face);
        let nearest = of_faces.min_by(|a, b| a.1.total_cmp(&b.1));
        nearest.expect("a cell has faces")
    }
}

/// Reference coordinates of a place on a face.
fn of_place(kind: ElementKind, face: usize, place: [f64; 2]) -> [f64; 3] {
    let [origin, a, b] = [0, 1, 2].map(|v| kind.vertex(kind.faces()[face].vertices[v]));
    let [s, t] = place.map(|x| 0.5 * (1.0 + x));
    std::array::from_fn(|d| origin[d] + s * (a[d] - origin[d]) + t * (b[d] - origin[d]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Correction, Face, ReferenceElement};
    use crate::geometry::{Locator, MappedCells, extent, multiply};
    use crate::vector::{dot, length, minus};

    /// Nodes of a cell that is thin along one axis, leans over by four of its heights, and is bent across the axis by a
    /// function that its interpolation contains, so that it is not folded. Of degree 1 that is twist, which pyramids
    /// lack.
    fn thin_cell(element: &ReferenceElement, axis: usize, aspect: f64) -> Vec<[f64; 3]> {
        let bend = |x: f64, y: f64| match (element.order, element.kind) {
            (1, ElementKind::Pyramid) => 0.0,
            (1, _) => -0.05 * x * y,
            (2, _) => 0.05 * (x * x - x * y),
            _ => 0.05 * (x * x - x * y) + 0.02 * y * y * y,
        };
        let place = |at: &[f64; 3]| {
            let [x, y, z] = [1, 2, 3].map(|d| at[(axis + d) % 3]);
            let height = z / aspect;
            [x + 0.3 * y + 4.0 * height, y - 2.0 * height, height + bend(x, y)]
        };
        element.points.iter().map(place).collect()
    }

    /// Places on a face, on a grid over the square of this size around one of them, with their positions by the
    /// interpolation of the whole cell. Two sides of the face have length 1.
    fn grid(
        element: &ReferenceElement,
        nodes: &[[f64; 3]],
        face: usize,
        middle: [f64; 2],
        size: f64,
        steps: usize,
    ) -> Vec<([f64; 2], [f64; 3])> {
        let Face { shape, vertices, .. } = element.kind.faces()[face];
        let part = |d: usize, i: usize| (middle[d] + size * (i as f64 / steps as f64 - 0.5)).clamp(0.0, 1.0);
        let all = (0..=steps).flat_map(|i| (0..=steps).map(move |j| [part(0, i), part(1, j)]));
        let places: Vec<[f64; 2]> = all
            .map(|[s, t]| match shape {
                FaceShape::Triangle if s + t > 1.0 => [s / (s + t), t / (s + t)],
                _ => [s, t],
            })
            .collect();
        let [origin, a, b] = [0, 1, 2].map(|v| element.kind.vertex(vertices[v]));
        let at =
            |&[s, t]: &[f64; 2]| std::array::from_fn(|d| origin[d] + s * (a[d] - origin[d]) + t * (b[d] - origin[d]));
        let at: Vec<[f64; 3]> = places.iter().map(at).collect();
        let positions = multiply(&element.interpolation(&at), nodes);
        places.into_iter().zip(positions).collect()
    }

    /// The nearest points of thin, leaning and curved cells of all kinds are as near as the best places of a dense
    /// sampling of their faces, around which ever finer grids are laid.
    #[test]
    fn the_nearest_point_of_a_cell_is_as_near_as_that_of_a_dense_sampling() {
        const STEPS: usize = 32;
        let fraction = |n: usize| (n as f64 * 0.618_033_988_749_895).fract();
        let aspects = [1.0, 100.0, 1000.0];
        let shapes = [1, 2, 3].map(|degree| [0, 1, 2].map(|axis| aspects.map(|aspect| (degree, axis, aspect))));
        let mut compared = 0;
        for kind in ElementKind::ALL {
            for &(degree, axis, aspect) in shapes.as_flattened().as_flattened() {
                let element = ReferenceElement::new(kind, degree, Correction::Radau);
                let nodes = thin_cell(&element, axis, aspect);
                let cells = MappedCells {
                    kinds: &[kind],
                    first: &[0, nodes.len()],
                    nodes: &nodes,
                    degree,
                };
                let locator = Locator::of_cells(cells, 1e-9);
                let surfaces = CellSurfaces::new(degree);
                let faces = (0..kind.faces().len()).map(|face| grid(&element, &nodes, face, [0.5; 2], 1.0, STEPS));
                let faces: Vec<_> = faces.collect();
                let [low, high] = extent(&nodes);
                for n in 0..14 {
                    let x: [f64; 3] = std::array::from_fn(|d| {
                        let middle = 0.5 * (low[d] + high[d]);
                        let side = high[d] - low[d];
                        let reach = if n % 2 == 0 { 2.0 } else { 0.9 };
                        middle + reach * side * (fraction(5 * n + 3 * d + axis + 1) - 0.5)
                    });
                    if locator.find(&[x])[0].is_some() {
                        continue;
                    }
                    let best = |grid: &[([f64; 2], [f64; 3])]| {
                        let places = grid.iter().map(|&(place, y)| (place, length(minus(y, x))));
                        places.min_by(|a, b| a.1.total_cmp(&b.1)).expect("places")
                    };
                    let each = faces.iter().map(|grid| best(grid)).enumerate();
                    let nearest = each.min_by(|a, b| a.1.1.total_cmp(&b.1.1));
                    let (face, (mut place, mut sampled)) = nearest.expect("a cell has faces");
                    let mut size = 4.0 / STEPS as f64;
                    while size > 1e-7 {
                        let found = best(&grid(&element, &nodes, face, place, size, 6));
                        if found.1 < sampled {
                            (place, sampled) = found
                        } else {
                            size *= 0.4
                        }
                    }
                    let (at, distance) = surfaces.nearest(kind, &nodes, x);
                    let there = multiply(&element.interpolation(&[at]), &nodes)[0];
                    let what = format!("{kind} of degree {degree}, thin along {axis} by {aspect}, {x:?}");
                    assert!((length(minus(there, x)) - distance).abs() < 1e-12, "{what}: {distance}");
                    for face in 0..kind.faces().len() {
                        let vertex = kind.vertex(kind.faces()[face].vertices[0]);
                        let beyond = dot(kind.face_normal(face), minus(at, vertex));
                        assert!(beyond < 1e-12, "{what}: {at:?}");
                    }
                    assert!(
                        distance < sampled * (1.0 + 1e-9),
                        "{what}: {distance} and not {sampled}"
                    );
                    compared += 1;
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }
}
