//! Distances from flat walls, from cylinders, and from images, against those by formula.

use super::*;
use crate::element::{Correction, Elements};
use crate::mesh::test_meshes::{ALL, a_box};
use crate::mesh::{Annulus, BoxMesh, build_box};

/// Numbers in [0, 1) without a pattern.
fn fraction(n: usize) -> f64 {
    (n as f64 * 0.618_033_988_749_895).fract()
}

#[test]
fn distances_from_flat_walls_are_exact_on_all_kinds_of_cells() {
    for elements in ALL {
        let of = BoxMesh {
            warp: 0.0,
            ..a_box(elements, [4, 4, 2], [true, false, false])
        };
        for order in [1, 2, 3] {
            let mesh = build_box(&of, order).expect("a box");
            let reference = Elements::new(order, Correction::Radau, &mesh.kinds_present());
            let geometry = Geometry::new(&mesh, &reference).expect("good cells");
            let wall = |boundary: usize| ["y-", "z+"].contains(&mesh.boundary_names[boundary].as_str());
            let walls = WallDistance::new(&mesh, &geometry, order, wall, &Ranks::alone()).expect("walls");
            for &x in &geometry.points {
                let exact = (x[1] - of.lower[1]).min(of.upper[2] - x[2]);
                assert!(
                    (walls.at(x) - exact).abs() < 1e-14,
                    "{elements:?} {x:?}: {} {exact}",
                    walls.at(x)
                );
            }
            assert!(WallDistance::new(&mesh, &geometry, order, |_| false, &Ranks::alone()).is_none());
        }
    }
}

#[test]
fn distances_from_cylinders_are_right_within_the_height_of_the_triangles() {
    for (cells, order) in [([2, 12, 1], 2), ([2, 12, 1], 4), ([2, 36, 1], 4)] {
        let annulus = Annulus {
            inner: 0.5,
            outer: 2.0,
            length: 0.3,
            angle: std::f64::consts::TAU,
            cells,
            growth: 1.0,
            hex_layers: 1,
            geometry_order: 4,
            periodic_angle: true,
            periodic_z: true,
        };
        let mesh = annulus.build().expect("an annulus");
        let reference = Elements::new(order, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::new(&mesh, &reference).expect("good cells");
        let wall = |boundary: usize| ["inner", "outer"].contains(&mesh.boundary_names[boundary].as_str());
        let walls = WallDistance::new(&mesh, &geometry, order, wall, &Ranks::alone()).expect("walls");
        let mut worst = [0.0f64; 2];
        let mut look = |x: Vector| {
            let r = x[0].hypot(x[1]);
            let (inner, outer) = (r - 0.5, 2.0 - r);
            let (which, exact) = if inner < outer { (0, inner) } else { (1, outer) };
            // Where both are as near, the error is that of either.
            if (inner - outer).abs() < 0.1 {
                return;
            }
            worst[which] = worst[which].max((walls.at(x) - exact).abs());
        };
        geometry.points.iter().copied().for_each(&mut look);
        for n in 0..5000 {
            let r = 0.5 + 1.5 * fraction(n);
            let angle = std::f64::consts::TAU * fraction(7 * n + 3);
            look([r * angle.cos(), r * angle.sin(), 0.3 * fraction(3 * n)]);
        }
        // The largest step between Gauss-Lobatto points is at most pi/2 of the mean one.
        let spacing = |radius: f64| 1.571 * std::f64::consts::TAU * radius / (cells[1] * order) as f64;
        let bounds = [0.5, 2.0].map(|radius| spacing(radius).powi(2) / (8.0 * radius));
        for (error, bound) in worst.iter().zip(bounds) {
            println!("{cells:?} order {order}: error {error:.2e}, height of the arc {bound:.2e}");
        }
        assert!(worst[0] <= bounds[0] && worst[1] <= bounds[1], "{worst:?} {bounds:?}");
        // The bound is no idle one.
        assert!(worst[1] > 0.1 * bounds[1], "{worst:?} {bounds:?}");
    }
}

#[test]
fn the_tree_finds_the_nearest_of_all_triangles_and_of_their_images() {
    let corners: Vec<[Vector; 3]> = (0..300)
        .map(|n| {
            let centre = [1, 2, 3].map(|d| 4.0 * fraction(d * n + 11 * d));
            [0, 1, 2].map(|k| std::array::from_fn(|d| centre[d] + 0.3 * fraction(17 * n + 5 * k + d)))
        })
        .collect();
    let face = |corners: &[Vector; 3]| WallFace {
        key: [0; 2],
        shape: FaceShape::Triangle,
        points: corners.to_vec(),
    };
    let faces: Vec<WallFace> = corners.iter().map(face).collect();
    let with = |periods: &[Vector]| Builder::with_periods(1, periods).of_faces(&faces).expect("walls");
    let alone = with(&[]);
    let repeated = with(&[[5.0, 0.0, 0.0], [0.0, 0.0, 6.0]]);
    assert_eq!(repeated.shifts.len(), 9);
    // The nearest of a fine grid of points of each triangle.
    let sampled = |x: Vector| {
        let of = |face: &[Vector; 3]| {
            let grid = (0..=40).flat_map(|i| (0..=40 - i).map(move |j| [f64::from(i) / 40.0, f64::from(j) / 40.0]));
            let at = |[s, t]: [f64; 2]| -> Vector {
                std::array::from_fn(|d| face[0][d] + s * (face[1][d] - face[0][d]) + t * (face[2][d] - face[0][d]))
            };
            grid.map(|st| crate::vector::length(minus(x, at(st))))
                .fold(f64::INFINITY, f64::min)
        };
        corners.iter().map(of).fold(f64::INFINITY, f64::min)
    };
    for n in 0..60 {
        let x = [2, 5, 7].map(|d| 6.0 * fraction(d * n + 1) - 1.0);
        let found = alone.at(x);
        let near = sampled(x);
        assert!(found <= near + 1e-14 && found > near - 0.01, "{found} {near}");
        let images = [-1.0, 0.0, 1.0]
            .into_iter()
            .flat_map(|a| [-1.0, 0.0, 1.0].map(|b| [5.0 * a, 0.0, 6.0 * b]));
        let nearest = images
            .map(|shift| alone.at(minus(x, shift)))
            .fold(f64::INFINITY, f64::min);
        assert!((repeated.at(x) - nearest).abs() < 1e-14, "{nearest}");
    }
}

#[test]
fn distances_from_the_surfaces_of_cylinders_are_those_of_the_polynomials() {
    for (order, bound) in [(2, 4e-4), (3, 1.2e-4), (4, 2e-6)] {
        let annulus = Annulus {
            inner: 0.5,
            outer: 2.0,
            length: 0.3,
            angle: std::f64::consts::TAU,
            cells: [2, 12, 1],
            growth: 1.0,
            hex_layers: 1,
            geometry_order: 4,
            periodic_angle: true,
            periodic_z: true,
        };
        let mesh = annulus.build().expect("an annulus");
        let reference = Elements::new(order, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::new(&mesh, &reference).expect("good cells");
        let wall = |boundary: usize| ["inner", "outer"].contains(&mesh.boundary_names[boundary].as_str());
        let walls = WallDistance::new(&mesh, &geometry, order, wall, &Ranks::alone()).expect("walls");
        let mut worst = [0.0f64; 2];
        for n in 0..400 {
            let radius = 0.5 + 1.5 * fraction(n);
            let angle = std::f64::consts::TAU * fraction(7 * n + 3);
            let x = [radius * angle.cos(), radius * angle.sin(), 0.3 * fraction(5 * n)];
            let exact = (radius - 0.5).min(2.0 - radius);
            let errors = [walls.from_surfaces(x), walls.at(x)].map(|distance| (distance - exact).abs());
            worst = std::array::from_fn(|i| worst[i].max(errors[i]));
        }
        println!("order {order}: surfaces {:.1e}, triangles {:.1e}", worst[0], worst[1]);
        // Interpolation of an arc of 30 degrees and radius 2 at the points of this degree.
        assert!(worst[0] < bound && worst[1] > 20.0 * worst[0], "{order} {worst:?}");
    }
}

#[test]
fn distances_beyond_the_edge_of_a_wall_are_those_of_its_edge() {
    // One curved face, the parabola z = 1/2 - x^2/2, from x = -1 to 1, over y from 0 to 1.
    let shape = FaceShape::Quad;
    let surface = FaceSurfaces::new(shape, 2);
    let face: Vec<Vector> = shape
        .lattice(2)
        .into_iter()
        .map(|[i, j]| {
            let x = i as f64 - 1.0;
            let y = 0.5 * j as f64;
            [x, y, 0.5 - 0.5 * x * x]
        })
        .collect();
    let square = |x: Vector, start: usize| surface.square_of_distance(x, &face, start);
    // Beyond the end in y, beyond the corner, and above the top.
    assert!((square([0.0, 2.0, 0.5], 7) - 1.0).abs() < 1e-12);
    assert!((square([2.0, 2.0, 0.0], 8) - 2.0).abs() < 1e-12);
    assert!((square([0.0, 0.5, 0.9], 4) - 0.16).abs() < 1e-12);
    // The normal at x = 0.6 is (0.6, 0, 1)/sqrt(1.36).
    let at = [0.6, 0.3, 0.5 - 0.18];
    let away = 0.7 / 1.36f64.sqrt();
    assert!((square([at[0] + 0.6 * away, at[1], at[2] + away], 5) - 0.49).abs() < 1e-12);
}

#[test]
fn the_faces_near_some_positions_give_the_same_bits_as_all_faces() {
    for elements in ALL {
        let of = a_box(elements, [8, 6, 4], [true, false, false]);
        let order = 2;
        let mesh = build_box(&of, order).expect("a box");
        let reference = Elements::new(order, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::new(&mesh, &reference).expect("good cells");
        let wall = |boundary: usize| ["y-", "z+"].contains(&mesh.boundary_names[boundary].as_str());
        let all = WallDistance::new(&mesh, &geometry, order, wall, &Ranks::alone()).expect("walls");
        let share = |x: &Vector, d: usize| (x[d] - of.lower[d]) / (of.upper[d] - of.lower[d]);
        // The octants, and what is near the end of a wall.
        let octant = |part: usize, x: &Vector| (0..3).all(|d| (share(x, d) > 0.5) == (part >> d & 1 == 1));
        let is_here = |part: usize, x: &Vector| match part {
            8 => share(x, 0) < 0.2 && share(x, 1) < 0.2 && share(x, 2) < 0.5,
            _ => octant(part, x),
        };
        for part in 0..9 {
            let here = geometry.points.iter().filter(|x| is_here(part, x));
            let positions: Vec<Vector> = here.copied().collect();
            let alone = Ranks::alone();
            let near = WallDistance::of_positions(&positions, &mesh, &geometry, order, wall, &alone).expect("walls");
            for &x in &positions {
                assert_eq!(near.at(x).to_bits(), all.at(x).to_bits(), "{elements:?} {x:?}");
                assert_eq!(
                    near.from_surfaces(x).to_bits(),
                    all.from_surfaces(x).to_bits(),
                    "{elements:?} {x:?}"
                );
            }
            let [some, whole] = [&near, &all].map(|walls| walls.faces.len());
            println!("{elements:?}, part {part}: {some} faces of {whole}");
            assert!(part < 8 || 3 * some < whole, "{elements:?}: {some} of {whole}");
        }
    }
}
