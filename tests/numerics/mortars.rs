//! Hanging nodes: uniform flow stays uniform across faces that meet smaller ones, straight and curved, both sides
//! exchange the same fluxes, and flows that cross have the error of a mesh of the larger cells.

use std::path::Path;

use fr_les::case::Case;
use fr_les::mesh::Mesh;
use fr_les::solver::Solver;

use crate::common::cases::advance_to;
use crate::common::refined::Refined;

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
    let all: String = names.iter().map(|name| format!("  {name}: {{type: far-field, {state}}}\n")).collect();
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

/// Mass, momentum and energy.
fn totals(solver: &Solver) -> [f64; 5] {
    let (_, weights) = fr_les::element::gauss_lobatto(solver.elements.order);
    let n = weights.len();
    let state = solver.device.state().unwrap();
    let mut sums = [0.0; 5];
    for cell in 0..solver.mesh.len() {
        let first = solver.geometry.first_point[cell];
        for p in 0..n * n * n {
            let volume = weights[p % n] * weights[p / n % n] * weights[p / n / n];
            let volume = volume * solver.geometry.metrics[cell].jacobian(p);
            (0..5).for_each(|v| sums[v] += volume * state[5 * first + v * n * n * n + p]);
        }
    }
    sums
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
    let before = totals(&solver);
    for step in 0..100 {
        solver.step(0.002 * step as f64, 0.002).unwrap();
    }
    let after = totals(&solver);
    [0, 4].into_iter().map(|v| (after[v] - before[v]).abs()).fold(0.0, f64::max)
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
