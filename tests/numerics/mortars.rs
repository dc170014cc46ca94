//! Hanging nodes: uniform flow stays uniform across faces that meet smaller ones, straight and curved, both sides
//! exchange the same fluxes, and flows that cross have the error of a mesh of the larger cells.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::Path;

use fr_les::case::Case;
use fr_les::element::{FaceShape, mortar_rule};
use fr_les::mesh::partition::{Weights, divide};
use fr_les::mesh::{BoxElements, Mesh};
use fr_les::solver::Solver;

use crate::common::blocks;
use crate::common::cases::advance_to;
use crate::common::refined::Refined;
use crate::interfaces::totals;

fn solver_on(mesh: Mesh, text: &str) -> Result<Solver, String> {
    let mut set = vec!["threads=1".to_owned(), "scheme.shock=none".to_owned()];
    set.extend((!text.contains("paired")).then(|| "time.scheme=rk4".to_owned()));
    let case = Case::parse(text, Path::new("test.yaml"), &set).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Solver::on_mesh(&case.solver, mesh).map_err(|error| error.to_string())
}

/// A box of cells of which those beyond the middle in x are halved in these directions.
fn half(cells: [i64; 3], halved: [bool; 3]) -> Refined {
    Refined::new(cells, |at| if 2 * at[0] >= cells[0] { halved } else { [false; 3] })
}

/// Ways to halve cells: their names and the directions.
const WAYS: [(&str, [bool; 3]); 4] = [
    ("four", [true; 3]),
    ("four, in the plane alone", [false, true, true]),
    ("two", [true, true, false]),
    ("two, the other direction", [false, false, true]),
];

const UNIFORM: &str = "u: 0.3, v: 0.4, w: 0.1, p: 1/1.4, rho: 1";

fn far_fields(names: &[&str], state: &str) -> String {
    let all: String = names
        .iter()
        .map(|name| format!("  {name}: {{type: far-field, {state}}}\n"))
        .collect();
    format!("boundaries:\n{all}")
}

const ALL: [&str; 6] = ["x-", "x+", "y-", "y+", "z-", "z+"];

/// Largest change of a uniform flow in some steps.
fn change_of_uniform_flow(mesh: Mesh, order: usize) -> f64 {
    let text = format!(
        "mesh: {{file: none.h5}}\norder: {order}\ngas: {{viscosity: {{constant: 0.01}}}}\ninitial: {{{UNIFORM}}}\n\
         time: {{steps: 1}}\n{}",
        far_fields(&ALL, UNIFORM)
    );
    let mut solver = solver_on(mesh, &text).expect("a solver");
    for step in 0..60 {
        solver.step(0.002 * step as f64, 0.002).unwrap();
    }
    let uniform = [1.0, 0.3, 0.4, 0.1, 1.0 / (1.4 * 0.4) + 0.5 * 0.26];
    let state = solver.device.state().unwrap();
    let mut largest = 0.0f64;
    for cell in 0..solver.mesh.len() {
        let (first, np) = (solver.geometry.first_point[cell], solver.geometry.cell_points(cell));
        for p in 0..5 * np {
            largest = largest.max((state[5 * first + p] - uniform[p / np]).abs());
        }
    }
    largest
}

/// A map of the lattice of a box of 2 x 2 x 2 cells to a curved body, a polynomial of degree `n` in each direction.
fn bent(n: usize) -> impl Fn([f64; 3]) -> [f64; 3] {
    move |x| {
        let [a, b, c] = x.map(|x| x / 4.0);
        let wave = |s: f64| (s - 0.3).powi(n as i32);
        [
            a + 0.2 * wave(b) * (1.0 + c) - 0.1 * wave(c),
            b + 0.15 * wave(c) * (1.0 - a),
            c + 0.2 * wave(a) * wave(b),
        ]
    }
}

#[test]
fn uniform_flow_stays_uniform_on_straight_and_curved_meshes() {
    for (name, halved) in WAYS {
        for order in [2, 3, 4, 5] {
            let straight = half([2, 2, 2], halved).mesh(|x| x.map(|x| 0.5 * x));
            let change = change_of_uniform_flow(straight, order);
            println!("{name}, straight, p {order}: {change:.2e}");
            assert!(change < 1e-12, "{name}, straight, p {order}: {change:e}");
        }
    }
    for (name, halved) in WAYS {
        for (geometry, order) in [(1, 2), (2, 2), (2, 3), (2, 4), (3, 3), (4, 4), (3, 2), (4, 2)] {
            let mut refined = half([2, 2, 2], halved);
            refined.order = geometry;
            let change = change_of_uniform_flow(refined.mesh(bent(geometry)), order);
            println!("{name}, degree {geometry}, p {order}: {change:.2e}");
            assert!(change < 1e-12, "{name}, degree {geometry}, p {order}: {change:e}");
        }
    }
}

/// Largest change of the totals of what walls of slip do not take, mass and energy.
fn change_of_totals(mesh: Mesh, order: usize, viscosity: &str) -> f64 {
    let walls: String = ALL.iter().map(|name| format!("  {name}: {{type: slip}}\n")).collect();
    let text = format!(
        "mesh: {{file: none.h5}}\norder: {order}\n{viscosity}initial: {{u: 0.2*sin(pi*x)*cos(2*pi*y), \
         v: 0.3*cos(pi*x)*sin(2*pi*y), w: 0.2*sin(pi*z), rho: 1 + 0.1*cos(2*pi*(y + x)), p: 1/1.4}}\n\
         time: {{steps: 1}}\nboundaries:\n{walls}"
    );
    let mut solver = solver_on(mesh, &text).expect("a solver");
    let before = totals(&solver, 0.0);
    for step in 0..100 {
        solver.step(0.002 * step as f64, 0.002).unwrap();
    }
    let after = totals(&solver, 0.0);
    [0, 4]
        .into_iter()
        .map(|v| (after[v] - before[v]).abs())
        .fold(0.0, f64::max)
}

#[test]
fn what_leaves_one_side_enters_the_other() {
    let viscous = "gas: {viscosity: {constant: 0.01}}\n";
    for (name, halved) in WAYS {
        for viscosity in ["", viscous] {
            let straight = half([2, 2, 2], halved).mesh(|x| x.map(|x| 0.25 * x));
            let change = change_of_totals(straight, 3, viscosity);
            println!("{name}, straight, {viscosity:?}: {change:.2e}");
            assert!(change < 1e-13, "{name}, straight: {change:e}");
        }
        // Where the degree of the geometry is not above that of the solution.
        for (geometry, order) in [(1, 2), (2, 2), (2, 3), (3, 3), (3, 4), (4, 4)] {
            let mut refined = half([2, 2, 2], halved);
            refined.order = geometry;
            let change = change_of_totals(refined.mesh(bent(geometry)), order, viscous);
            println!("{name}, degree {geometry}, p {order}: {change:.2e}");
            assert!(change < 1e-13, "{name}, degree {geometry}, p {order}: {change:e}");
        }
    }
    for (geometry, order) in [(3, 2), (4, 2), (4, 3)] {
        let mut refined = half([2, 2, 2], [true; 3]);
        refined.order = geometry;
        let change = change_of_totals(refined.mesh(bent(geometry)), order, viscous);
        println!("degree {geometry}, p {order}: {change:.2e}");
        assert!(change < 1e-5, "degree {geometry}, p {order}: {change:e}");
    }
}

/// Root mean square of the error of the density at the time 1 of a wave of it that a uniform flow carries through a box
/// of n x n x n cells, periodic in y and z, of which those beyond the middle are halved in these directions.
fn error_of_a_wave(n: i64, halved: [bool; 3], order: usize, geometry: usize) -> f64 {
    let mut refined = half([n, n, n], halved);
    refined.periodic = [false, true, true];
    refined.order = geometry;
    let width = 2.0 * n as f64;
    // Periodic sides stay plane, and the plane of the hanging nodes is curved.
    let bend = if geometry == 1 { 0.0 } else { 0.05 };
    let mesh = refined.mesh(|x| {
        let [a, b, c] = x.map(|x| x / width);
        let (s, t) = (2.0 * PI * b, 2.0 * PI * c);
        [a + bend * (PI * a).sin() * s.sin() * t.cos(), b, c]
    });
    let wave = |x: [f64; 3], t: f64| {
        let phase = |d: usize, u: f64| 2.0 * PI * (x[d] - u * t);
        1.0 + 0.1 * (phase(0, 0.5).sin() * phase(1, 0.3).sin() + phase(2, 0.2).cos())
    };
    let state = "u: 0.5, v: 0.3, w: 0.2, p: 1/1.4, rho: 1 + 0.1*(sin(2*pi*(x - 0.5*t))*sin(2*pi*(y - 0.3*t)) \
                 + cos(2*pi*(z - 0.2*t)))";
    let initial = state
        .replace(" - 0.5*t", "")
        .replace(" - 0.3*t", "")
        .replace(" - 0.2*t", "");
    let text = format!(
        "mesh: {{file: none.h5}}\norder: {order}\ninitial: {{{initial}}}\ntime: {{steps: 1}}\n{}",
        far_fields(&["x-", "x+"], state)
    );
    let mut solver = solver_on(mesh, &text).expect("a solver");
    advance_to(&mut solver, 1.0, 0.5);
    let state = solver.device.state().unwrap();
    let (_, weights) = fr_les::element::gauss_lobatto(order);
    let m = weights.len();
    let (mut sum, mut volume) = (0.0, 0.0);
    for cell in 0..solver.mesh.len() {
        let first = solver.geometry.first_point[cell];
        for (p, x) in solver.geometry.cell_positions(cell).iter().enumerate() {
            let size = weights[p % m] * weights[p / m % m] * weights[p / m / m];
            let size = size * solver.geometry.metrics[cell].jacobian(p);
            sum += size * (state[5 * first + p] - wave(*x, 1.0)).powi(2);
            volume += size;
        }
    }
    (sum / volume).sqrt()
}

#[test]
fn a_wave_that_crosses_has_no_larger_error_than_on_the_larger_cells_and_the_order_of_the_scheme() {
    for (geometry, order, sizes) in [
        (1, 2, [4, 6]),
        (1, 3, [2, 4]),
        (1, 4, [2, 4]),
        (2, 2, [4, 6]),
        (2, 3, [2, 4]),
    ] {
        for (name, halved) in [("four", [true; 3]), ("two", [false, true, false])] {
            let coarse = sizes.map(|n| error_of_a_wave(n, [false; 3], order, geometry));
            let with = sizes.map(|n| error_of_a_wave(n, halved, order, geometry));
            let refinement = (sizes[1] as f64 / sizes[0] as f64).ln();
            let observed = |errors: [f64; 2]| (errors[0] / errors[1]).ln() / refinement;
            let what = format!("{name}, degree {geometry}, p {order}");
            println!(
                "{what}: {:.2e} and {:.2e} beside {:.2e} and {:.2e}, orders {:.2} beside {:.2}",
                with[0],
                with[1],
                coarse[0],
                coarse[1],
                observed(with),
                observed(coarse)
            );
            assert!(with[1] < 1.1 * coarse[1], "{what}: {with:?} {coarse:?}");
            assert!(observed(with) > order as f64 + 0.6, "{what}: {}", observed(with));
        }
    }
}

/// A viscous flow that varies in x alone does not see cells that are halved in the other directions: its states are
/// those of a mesh without hanging nodes, between a cold wall that moves and a hot one.
#[test]
fn what_does_not_vary_along_the_faces_does_not_see_hanging_nodes() {
    let run = |halved: [bool; 3]| {
        let mut refined = half([4, 2, 2], halved);
        refined.periodic = [false, true, true];
        let mesh = refined.mesh(|x| x.map(|x| 0.25 * x));
        let text = "mesh: {file: none.h5}\norder: 3\ngas: {viscosity: {constant: 0.02}}\ninitial: {u: 0.2*sin(pi*x), \
                    v: 0.3*cos(pi*x), w: 0.1, rho: 1 + 0.1*cos(pi*x), p: 1/1.4}\ntime: {steps: 1}\nboundaries:\n  \
                    x-: {type: no-slip-isothermal, temperature: 0.7, velocity: [0, 0.2, 0]}\n  \
                    x+: {type: no-slip-isothermal, temperature: 0.8, velocity: [0, 0, 0.1]}\n";
        let mut solver = solver_on(mesh, text).expect("a solver");
        for step in 0..100 {
            solver.step(0.002 * step as f64, 0.002).unwrap();
        }
        let state = solver.device.state().unwrap();
        let mut by_place: BTreeMap<[i64; 2], Vec<[f64; 5]>> = BTreeMap::new();
        for cell in 0..solver.mesh.len() {
            let (first, np) = (solver.geometry.first_point[cell], solver.geometry.cell_points(cell));
            let centre = solver.mesh.center(cell)[0];
            for (p, x) in solver.geometry.cell_positions(cell).iter().enumerate() {
                let place = [centre, x[0]].map(|x| (x * 1e9).round() as i64);
                let u = std::array::from_fn(|v| state[5 * first + v * np + p]);
                by_place.entry(place).or_default().push(u);
            }
        }
        by_place
    };
    let expected = run([false; 3]);
    for halved in [[false, true, true], [false, true, false], [false, false, true]] {
        let found = run(halved);
        assert_eq!(found.len(), expected.len());
        let mut change = 0.0f64;
        for (place, states) in found {
            for state in states {
                (0..5).for_each(|v| change = change.max((state[v] - expected[&place][0][v]).abs()));
            }
        }
        println!("{halved:?}: {change:.2e}");
        assert!(change < 1e-12, "{halved:?}: {change:e}");
    }
}

#[test]
fn the_paired_scheme_refuses_hanging_nodes() {
    let text = format!(
        "mesh: {{file: none.h5}}\norder: 2\ninitial: {{{UNIFORM}}}\ntime: {{steps: 1, scheme: paired}}\n{}",
        far_fields(&ALL, UNIFORM)
    );
    let mesh = half([2, 2, 2], [true; 3]).mesh(|x| x);
    let error = solver_on(mesh, &text).map(|_| ()).expect_err("is refused");
    assert!(
        error.contains("time.scheme: `paired` does not go with hanging nodes, and 4 faces of this mesh meet 16"),
        "{error}"
    );
}

#[test]
fn the_cells_of_a_mortar_are_on_one_rank_and_others_are_divided() {
    let refined = Refined::new([5, 3, 2], |at| [at[0] == 1; 3]);
    let mesh = refined.mesh(|x| x);
    // Each of the six cells on either side of the layer meets four of those in it, and these meet no other ones.
    assert_eq!((mesh.divided_faces().count(), mesh.mortars.len()), (12, 48));
    for parts in [2, 3, 5, 12] {
        let part_of = divide(&mesh, parts, &Weights::of(2), &[]).expect("a division");
        let together = mesh.mortars.iter().all(|part| {
            let [big, small] = part.cells();
            part_of[big] == part_of[small]
        });
        assert!(together, "{parts} parts");
        let cells = (0..parts).map(|part| part_of.iter().filter(|&&p| p as usize == part).count());
        let most = cells.max().unwrap_or(0);
        assert!(
            most <= mesh.len() / parts + 10,
            "{parts} parts: {most} of {} cells",
            mesh.len()
        );
    }
    // 12 groups of 5 cells, and 12 cells that are in none.
    let error = divide(&mesh, 25, &Weights::of(2), &[]).expect_err("too many parts");
    assert!(error.to_string().contains("at most 24 ranks"), "{error}");
}

/// A block with hanging nodes beside one that slides: both kinds of faces in one mesh, on each of them the ghosts of
/// their own kind.
#[test]
fn hanging_nodes_and_an_interface_go_together() {
    let mut refined = Refined::new([3, 2, 2], |at| [at[0] == 1; 3]);
    refined.periodic = [false, true, true];
    let mut first = refined.mesh(|[x, y, z]| [0.5 * x - 3.0, 0.5 * y, 0.5 * z]);
    blocks::rename(&mut first, "a-");
    let corners = [[0.0, 0.0, 0.0], [2.0, 2.0, 2.0]];
    let second = blocks::block("b-", BoxElements::Hex, [2, 3, 2], corners, [true; 2]);
    let seconds = "u: 0.3, v: 0.4 - 0.7, w: 0.1, p: 1/1.4, rho: 1";
    let text = format!(
        "mesh: {{file: none.h5}}\norder: 3\ngas: {{viscosity: {{constant: 0.01}}}}\ninitial: {{{UNIFORM}}}\n\
         time: {{steps: 1}}\nboundaries:\n  a-x-: {{type: far-field, {UNIFORM}}}\n  \
         a-x+: {{type: interface, with: b-x-}}\n  b-x-: {{type: interface, with: a-x+, speed: 0.7}}\n  \
         b-x+: {{type: far-field, {seconds}}}\n"
    );
    let mesh = first.beside(second).expect("two blocks");
    mesh.check().expect("is consistent");
    assert_eq!(mesh.divided_faces().count(), 8);
    let mut solver = solver_on(mesh, &text).expect("a solver");
    for step in 0..60 {
        solver.step(0.005 * step as f64, 0.005).unwrap();
    }
    let state = solver.device.state().unwrap();
    let mut largest = 0.0f64;
    for cell in 0..solver.mesh.len() {
        let v = if solver.mesh.center(cell)[0] > 0.0 {
            0.4 - 0.7
        } else {
            0.4
        };
        let wanted = [1.0, 0.3, v, 0.1, 1.0 / (1.4 * 0.4) + 0.5 * (0.09 + v * v + 0.01)];
        let (first, np) = (solver.geometry.first_point[cell], solver.geometry.cell_points(cell));
        for p in 0..5 * np {
            largest = largest.max((state[5 * first + p] - wanted[p / np]).abs());
        }
    }
    println!("{largest:.2e}");
    assert!(largest < 1e-12, "{largest:e}");
}

/// Largest difference of the area vectors of larger faces from the projections of those of their parts, relative to the
/// area vectors.
fn apart(solver: &Solver, order: usize) -> f64 {
    let (n, rule) = (order + 1, mortar_rule(order));
    let at = |share: usize, g: usize| &rule[(share * n + g) * n..][..n];
    let mut largest = 0.0f64;
    for (_, parts) in solver.mesh.divided_faces() {
        let big = parts[0].big;
        let own = solver.geometry.face_areas(big.cell, big.face);
        let mut sums = own.clone();
        for part in parts {
            let small = solver.geometry.face_areas(part.small.cell, part.small.face);
            let [along, across] = part.share.map(|share| 3 + share as usize);
            for g in 0..n * n {
                let [x, y] = [at(0, g % n), at(0, g / n)];
                let mut area = [0.0; 3];
                for l in 0..n * n {
                    let there = small[FaceShape::Quad.oriented_point(part.orientation, l, order)];
                    (0..3).for_each(|d| area[d] += x[l % n] * y[l / n] * there[d]);
                }
                let [s, t] = [at(along, g % n), at(across, g / n)];
                for l in 0..n * n {
                    (0..3).for_each(|d| sums[l][d] += s[l % n] * t[l / n] * area[d]);
                }
            }
        }
        let size = own.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
        largest = sums.iter().flatten().fold(largest, |most, x| most.max(x.abs() / size));
    }
    largest
}

/// The flux of the mean state has something to make up for where the degree of the solution is below twice that of the
/// geometry, and nothing elsewhere.
#[test]
fn area_vectors_of_both_sides_agree_where_the_solution_represents_them() {
    for (geometry, order) in [(1, 2), (2, 4), (2, 5), (2, 2), (2, 3), (3, 3), (3, 4), (4, 4)] {
        let mut refined = half([2, 2, 2], [true; 3]);
        refined.order = geometry;
        let text = format!(
            "mesh: {{file: none.h5}}\norder: {order}\ninitial: {{{UNIFORM}}}\ntime: {{steps: 1}}\n{}",
            far_fields(&ALL, UNIFORM)
        );
        let solver = solver_on(refined.mesh(bent(geometry)), &text).expect("a solver");
        let difference = apart(&solver, order);
        println!("degree {geometry}, p {order}: {difference:.2e}");
        assert!(
            (difference < 1e-12) == (order >= 2 * geometry),
            "degree {geometry}, p {order}: {difference:e}"
        );
    }
}
