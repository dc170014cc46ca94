//! Slices through boxes: their areas, and the values on them.

use crate::common::cases;
use fr_les::geometry::{Cut, Plane};
use fr_les::output::derived::{Flow, OfDevice};
use fr_les::output::slices::{ALWAYS, cut_all, facing_in, values};
use fr_les::solver::Solver;
use fr_les::vector::{cross, dot, length, minus};

fn solver(elements: &str, order: usize, warp: f64) -> Solver {
    let text = format!(
        "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], warp: {warp}, \
         elements: {elements}}}}}\norder: {order}\ndevice: cpu\n\
         initial: {{u: x*y - z^2, v: 2*y*z + x, w: x^2 - 3*y, p: 2 + x*y - z^2, temperature: 1}}\n\
         boundaries: {{x-: {{type: slip}}, x+: {{type: slip}}, y-: {{type: slip}}, y+: {{type: slip}}, \
         z-: {{type: slip}}, z+: {{type: slip}}}}\ntime: {{steps: 1}}\n"
    );
    cases::solver(&text)
}

fn plane(point: [f64; 3], normal: [f64; 3]) -> Plane {
    let length = length(normal);
    Plane {
        point,
        normal: normal.map(|x| x / length),
    }
}

/// Returns the area of the triangles, by the component of their normals along the plane's, so that reversed ones
/// count as negative.
fn area(cuts: &[(usize, Cut)], plane: &Plane) -> f64 {
    let of = |points: &[[f64; 3]], t: &[usize; 3]| {
        let [a, b, c] = t.map(|i| points[i]);
        0.5 * dot(cross(minus(b, a), minus(c, a)), plane.normal)
    };
    let triangles = cuts
        .iter()
        .flat_map(|(_, cut)| cut.triangles.iter().map(move |t| of(&cut.points, t)));
    triangles.inspect(|area| assert!(*area > -1e-15, "{area}")).sum()
}

const KINDS: [&str; 5] = ["hex", "prism", "tet", "pyramid", "mixed"];

#[test]
fn a_plane_through_a_box_has_its_area_and_the_polynomials_their_values() {
    // A regular hexagon, a plane along faces of cells, one through cubes, one through an edge of the box.
    let cases = [
        (plane([0.5; 3], [1.0, 1.0, 1.0]), 0.75 * 3f64.sqrt()),
        (plane([0.5, 0.2, 0.2], [1.0, 0.0, 0.0]), 1.0),
        (plane([0.3, 0.2, 0.35], [0.0, 0.0, -2.0]), 1.0),
        (plane([0.0; 3], [1.0, -1.0, 0.0]), 2f64.sqrt()),
    ];
    for kind in KINDS {
        for order in [2, 3] {
            let s = solver(kind, order, 0.0);
            let flow = Flow::read(&s, OfDevice::default()).unwrap();
            for (plane, exact) in &cases {
                let cuts = cut_all(&s.elements, &s.geometry, plane);
                let area = area(&cuts, plane);
                assert!(
                    (area - exact).abs() < 1e-12,
                    "{kind} {order} {plane:?}: {area}, not {exact}"
                );
                let mut worst = 0.0f64;
                for (cell, cut) in &cuts {
                    let (q, more) = values(&flow, &ALWAYS, *cell, cut);
                    for (i, &[x, y, z]) in cut.points.iter().enumerate() {
                        let p = 2.0 + x * y - z * z;
                        let g = [[y, x, -2.0 * z], [1.0, 2.0 * z, 2.0 * y], [2.0 * x, -3.0, 0.0]];
                        let product: f64 = (0..9).map(|k| g[k / 3][k % 3] * g[k % 3][k / 3]).sum();
                        let exact = [
                            p,
                            x * y - z * z,
                            2.0 * y * z + x,
                            x * x - 3.0 * y,
                            p,
                            1.0,
                            g[2][1] - g[1][2],
                            g[0][2] - g[2][0],
                            g[1][0] - g[0][1],
                            0.5 * ((y + 2.0 * z).powi(2) - product),
                        ];
                        // Q is of higher degree than the solution: its polynomial interpolates the values at the
                        // points.
                        let found = q[i].into_iter().chain(more.iter().map(|column| column[i][0]));
                        for (found, exact) in found.zip(exact).take(9) {
                            worst = worst.max((found - exact).abs());
                        }
                    }
                }
                assert!(worst < 1e-11, "{kind} {order} {plane:?}: {worst:e}");
            }
        }
    }
}

#[test]
fn every_side_of_a_box_can_be_cut() {
    for kind in KINDS {
        let s = solver(kind, 2, 0.0);
        for d in 0..3 {
            for (at, up) in [(0.0, 1.0), (0.0, -1.0), (1.0, 1.0), (1.0, -1.0)] {
                let mut normal = [0.0; 3];
                normal[d] = up;
                let plane = facing_in(plane([at; 3], normal), &s, |_, _| {});
                let area = area(&cut_all(&s.elements, &s.geometry, &plane), &plane);
                assert!((area - 1.0).abs() < 1e-12, "{kind}, direction {d}, at {at}: {area}");
            }
        }
    }
}

#[test]
fn in_curved_cells_the_triangles_lie_in_the_plane_and_nearly_fill_it() {
    let cases = [
        (plane([0.5; 3], [1.0, 1.0, 1.0]), 0.75 * 3f64.sqrt()),
        (plane([0.4, 0.3, 0.35], [0.0, 0.0, 1.0]), 1.0),
    ];
    for kind in KINDS {
        let s = solver(kind, 3, 0.1);
        for (plane, exact) in &cases {
            let cuts = cut_all(&s.elements, &s.geometry, plane);
            let off = cuts.iter().flat_map(|(_, cut)| &cut.points).map(|x| {
                let distance: f64 = (0..3).map(|d| (x[d] - plane.point[d]) * plane.normal[d]).sum();
                distance.abs()
            });
            let off = off.fold(0.0, f64::max);
            let area = area(&cuts, plane);
            println!("{kind}: {area} of {exact}, off the plane by {off:.1e}");
            assert!(off < 1e-9, "{kind} {plane:?}: {off:e}");
            assert!(
                (area / exact - 1.0).abs() < 1e-4,
                "{kind} {plane:?}: {area}, not {exact}"
            );
        }
    }
}
