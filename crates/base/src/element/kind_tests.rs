//! Tests of the kinds of elements.

use super::*;

#[test]
fn numbers_count_the_lattice_and_faces_lie_on_it() {
    for kind in ElementKind::ALL {
        for order in 1..=kind.max_order() {
            let lattice = kind.lattice(order);
            assert_eq!(lattice.len(), kind.points(order), "{kind} {order}");
            for (number, &at) in lattice.iter().enumerate() {
                assert_eq!(kind.index(at, order), number, "{kind} {order} {at:?}");
            }
            for face in 0..kind.faces().len() {
                let mut points = kind.face_indices(face, order);
                assert_eq!(points.len(), kind.face_points(face, order));
                points.sort();
                points.dedup();
                assert_eq!(
                    points.len(),
                    kind.face_points(face, order),
                    "{kind} {order} face {face}"
                );
            }
        }
    }
}

#[test]
fn face_normals_point_outward_and_close_the_surface() {
    for kind in ElementKind::ALL {
        let n = kind.vertices() as f64;
        let center: [f64; 3] =
            std::array::from_fn(|d| (0..kind.vertices()).map(|v| kind.vertex(v)[d]).sum::<f64>() / n);
        let mut sum = [0.0; 3];
        for (number, face) in kind.faces().iter().enumerate() {
            let normal = kind.face_normal(number);
            let corner = kind.vertex(face.vertices[0]);
            let out: f64 = (0..3).map(|d| normal[d] * (corner[d] - center[d])).sum();
            assert!(out > 0.0, "{kind} face {number}");
            let area = if face.shape == FaceShape::Quad { 4.0 } else { 2.0 };
            for d in 0..3 {
                sum[d] += area * normal[d];
            }
            for v in face.vertices {
                let level: f64 = (0..3).map(|d| normal[d] * (kind.vertex(*v)[d] - corner[d])).sum();
                assert_eq!(level, 0.0, "{kind} face {number} vertex {v}");
            }
        }
        assert_eq!(sum, [0.0; 3], "{kind}");
    }
}

#[test]
fn orientations_permute_points_as_they_permute_vertices() {
    for shape in [FaceShape::Triangle, FaceShape::Quad] {
        for orientation in 0..shape.orientations() {
            // Positions of our points by linear interpolation between vertices are those of their counterparts.
            let corners: Vec<[f64; 3]> = shape
                .lattice(1)
                .iter()
                .map(|&[i, j]| [i as f64, j as f64, 0.0])
                .collect();
            let mut theirs = corners.clone();
            for (v, corner) in corners.iter().enumerate() {
                theirs[shape.oriented_point(orientation, v, 1)] = *corner;
            }
            assert_eq!(shape.find_orientation(&corners, &theirs, 1e-12), Some(orientation));
            for order in 1..=6 {
                let lattice = shape.lattice(order);
                for (point, at) in lattice.iter().enumerate() {
                    let [i, j] =
                        lattice[shape.oriented_point(orientation, point, order)].map(|i| i as f64 / order as f64);
                    let [a, b, c] = [theirs[0], theirs[1], theirs[2]];
                    for d in 0..2 {
                        let x = a[d] + i * (b[d] - a[d]) + j * (c[d] - a[d]);
                        assert!(
                            (x - at[d] as f64 / order as f64).abs() < 1e-14,
                            "{shape:?} {orientation} {order}"
                        );
                    }
                }
            }
        }
    }
}
