//! Steady solutions that begin with the solution of another mesh.

use std::collections::HashMap;
use std::path::Path;

use crate::common::program::{case_command, hash, output, with_case};
use fr_les::case::{BoxElements, BoxMesh, WarpKind};
use fr_les::mesh::{build_box, native};

/// A box with a wall, whose fields have no gradients that vanish.
const CASE: &str = "\
mesh: {box: {cells: [2, 4, 2], lower: [0, 0, 0], upper: [1, 1, 1], elements: hex}}
order: 1
gas: {viscosity: {constant: 0.01}}
constants: {cells: 1}
boundaries:
  x-: {type: far-field, u: 0.1, v: 0, w: 0, p: 1, temperature: 1}
  x+: {type: far-field, u: 0.1, v: 0, w: 0, p: 1, temperature: 1}
  y-: {type: no-slip-adiabatic}
  y+: {type: symmetry}
  z-: {type: symmetry}
  z+: {type: symmetry}
initial: {u: 0.1 + 0.2*x*x + 0.1*y, v: 0.05*y*z, w: 0.02*x, p: 1 + 0.3*x*y, temperature: 1 + 0.2*z + 0.1*x*y*z}
device: cpu
steady: {turbulence: sa-neg, ratio: 5, cfl: 1e-12, iterations: 20}
time: {steps: 1}
";

/// A flow between walls that a force drives.
const CHANNEL: &str = "\
mesh: {box: {cells: [2, 4, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z], elements: hex}}
order: 2
gas: {viscosity: {constant: 0.01}}
boundaries:
  y-: {type: no-slip-isothermal, temperature: 1}
  y+: {type: no-slip-isothermal, temperature: 1}
forcing: {force: [0.02, 0, 0]}
initial: {u: 0.1, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
steady: {turbulence: sa-neg, driver: implicit, implicit: {cfl: [1, 20]}, iterations: 400, residual: 1e-10}
time: {steps: 1}
";

/// Values at the nodes of a file of fields: density, velocity, pressure and one more field, by their places.
fn fields(directory: &Path, of: &str, more: &str) -> Vec<([f64; 3], [f64; 6])> {
    let file = hdf5::File::open(directory.join(of).join("steady/steady.vtkhdf")).expect("a file");
    let read = |name: &str| -> Vec<f64> {
        let dataset = file.dataset(&format!("VTKHDF/{name}")).expect("a dataset");
        dataset.read_raw().expect("numbers")
    };
    let (x, v) = (read("Points"), read("PointData/velocity"));
    let [rho, p, other] = ["density", "pressure", more].map(|name| read(&format!("PointData/{name}")));
    let at = |i: usize| {
        let (place, velocity) = (&x[3 * i..], &v[3 * i..]);
        let values = [rho[i], velocity[0], velocity[1], velocity[2], p[i], other[i]];
        ([place[0], place[1], place[2]], values)
    };
    (0..rho.len()).map(at).collect()
}

/// Conserved variables with the last value as it is, and back.
fn conserved([rho, u, v, w, p, other]: [f64; 6]) -> [f64; 6] {
    let energy = p / 0.4 + 0.5 * rho * (u * u + v * v + w * w);
    [rho, rho * u, rho * v, rho * w, energy, other]
}

fn primitive([rho, mx, my, mz, energy, other]: [f64; 6]) -> [f64; 6] {
    let p = 0.4 * (energy - 0.5 * (mx * mx + my * my + mz * mz) / rho);
    [rho, mx / rho, my / rho, mz / rho, p, other]
}

#[test]
fn vertices_take_the_values_of_the_other_mesh_at_their_places() {
    let directory = with_case(CASE);
    let path = directory.path();
    let steady = |ranks: usize, set: &[&str]| output(case_command(path, ranks, set).arg("--steady"), 0);
    steady(1, &["output.directory=coarse"]);
    let fine = [
        "mesh.box.cells=[5, 8, 3]",
        "initial={file: coarse/steady/steady.vtkhdf}",
        "output.directory=fine",
    ];
    let log = steady(1, &fine);
    assert!(log.contains("all 216 points lie in it"), "{log}");
    // The corners of a coarse cell by their places in units of its sides, and the products of linear functions.
    let sides = [0.5, 0.25, 0.5];
    let place = |x: &[f64; 3]| [0, 1, 2].map(|d| (x[d] / sides[d]).round() as i64);
    let coarse: HashMap<[i64; 3], [f64; 6]> = fields(path, "coarse", "nu_tilde")
        .into_iter()
        .map(|(x, values)| (place(&x), conserved(values)))
        .collect();
    let mut compared = 0;
    for (x, values) in fields(path, "fine", "nu_tilde") {
        // Walls have values of their own.
        if x[1] == 0.0 {
            assert_eq!((values[1], values[5]), (0.0, 0.0));
            continue;
        }
        let low = [0, 1, 2].map(|d| ((x[d] / sides[d] - 1e-5).floor().max(0.0)) as i64);
        let mut expected = [0.0; 6];
        for corner in 0..8i64 {
            let up = [corner & 1, corner >> 1 & 1, corner >> 2];
            let weight: f64 = (0..3)
                .map(|d| {
                    let part = x[d] / sides[d] - low[d] as f64;
                    if up[d] == 1 { part } else { 1.0 - part }
                })
                .product();
            let values = coarse[&[0, 1, 2].map(|d| low[d] + up[d])];
            expected
                .iter_mut()
                .zip(values)
                .for_each(|(sum, value)| *sum += weight * value);
        }
        for (value, expected) in values.into_iter().zip(primitive(expected)) {
            assert!((value - expected).abs() < 3e-6, "{value} and not {expected} at {x:?}");
        }
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
    let once = hash(&steady(1, &[fine[0], fine[1], "output.directory=again"]));
    assert_eq!(hash(&steady(3, &[fine[0], fine[1], "output.directory=three"])), once);
}

#[test]
fn the_solution_of_a_coarse_mesh_is_a_start_that_saves_steps() {
    let directory = with_case(CHANNEL);
    let path = directory.path();
    let run = |set: &[&str]| output(case_command(path, 1, set).arg("--steady"), 0);
    // The friction on both walls is the force on the gas between them, 0.02. Returns the first step from which it is so
    // to a thousandth, and what it is at last.
    let settled = |of: &str| {
        let table = fr_les::io::read_series(&path.join(of).join("steady/convergence.csv")).expect("a table");
        let [step, friction] = ["iteration", "friction_x"].map(|name| table.column(name).expect("a column"));
        let off = friction.iter().rposition(|f| (f - 0.02).abs() > 2e-5);
        (off.map_or(step[0], |off| step[off + 1]), friction[friction.len() - 1])
    };
    let fine = "mesh.box.cells=[2, 12, 2]";
    run(&["output.directory=coarse"]);
    run(&[fine, "output.directory=uniform"]);
    let file = "initial={file: coarse/steady/steady.vtkhdf}";
    run(&[fine, file, "output.directory=fine"]);
    let ((steps, friction), (fewer, same)) = (settled("uniform"), settled("fine"));
    assert!(fewer <= 0.5 * steps, "{fewer} and {steps} steps");
    assert!(
        (same - friction).abs() < 1e-10 && (same - 0.02).abs() < 1e-10,
        "{same} and {friction}"
    );
}

#[test]
fn a_file_without_the_variables_of_the_model_or_of_another_place_is_named() {
    let directory = with_case(CASE);
    let path = directory.path();
    let run = |set: &[&str], code: i32| output(case_command(path, 1, set).arg("--steady"), code);
    run(&["output.directory=coarse"], 0);
    let file = "initial={file: coarse/steady/steady.vtkhdf}";
    let sst = "steady={turbulence: sst, intensity: 0.05, viscosity-ratio: 20, cfl: 1e-12, iterations: 20}";
    let log = run(&[file, sst, "output.directory=sst"], 0);
    assert!(
        log.contains("has no k and omega: the model sst begins with the turbulence of"),
        "{log}"
    );
    let away = ["mesh.box.lower=[3, 3, 3]", "mesh.box.upper=[4, 4, 4]", file];
    let log = run(&away, 2);
    assert!(log.contains("steady.vtkhdf"), "{log}");
    for (initial, part) in [
        ("initial={file: coarse/steady/steady.h5}", "`restart` continues"),
        (
            "initial={file: coarse/steady/steady.vtkhdf, fluctuations: {seed: 1}}",
            "has no fluctuations",
        ),
        ("initial={file: absent.vtkhdf}", "absent.vtkhdf"),
    ] {
        let log = run(&[initial], 2);
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
}

/// Writes a mesh of flat cells on a convex wall of radius 1: `cells` along it and `layers` across.
fn write_arc(path: &Path, cells: usize, layers: usize) {
    let flat = BoxMesh {
        cells: [cells, layers, 1],
        lower: [0.0; 3],
        upper: [1.2, 4e-3, 0.2],
        periodic: [false; 3],
        elements: BoxElements::Hex,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    let mut mesh = build_box(&flat, 1).expect("a box");
    for node in &mut mesh.nodes {
        let [angle, height, z] = *node;
        *node = [(1.0 + height) * angle.sin(), (1.0 + height) * angle.cos(), z];
    }
    native::write(&mesh, path).expect("a mesh");
}

#[test]
fn a_layer_on_a_curved_wall_comes_over_by_its_distance_from_the_wall() {
    let case = "\
mesh: {file: coarse.h5}
order: 1
gas: {viscosity: {constant: 0.01}}
constants: {h: 4e-3}
boundaries:
  x-: {type: symmetry}
  x+: {type: symmetry}
  y-: {type: no-slip-adiabatic}
  y+: {type: symmetry}
  z-: {type: symmetry}
  z+: {type: symmetry}
initial: {u: 0, v: 0, w: (sqrt(x*x + y*y) - 1)/h, p: 10, temperature: 1}
device: cpu
steady: {turbulence: none, cfl: 1e-12, iterations: 20}
time: {steps: 1}
";
    let directory = with_case(case);
    let path = directory.path();
    // A chord of the coarse mesh lies up to 1.25e-3 below its arc, five heights of its cells.
    write_arc(&path.join("coarse.h5"), 12, 16);
    write_arc(&path.join("fine.h5"), 24, 32);
    let run = |set: &[&str]| output(case_command(path, 1, set).arg("--steady"), 0);
    run(&["output.directory=coarse"]);
    run(&[
        "mesh.file=fine.h5",
        "initial={file: coarse/steady/steady.vtkhdf}",
        "output.directory=fine",
    ]);
    let mut worst = 0.0f64;
    for (x, values) in fields(path, "fine", "wall_distance") {
        // The layer has no normal at the ends of the arc, where its neighbours are on one side. The top lies outside of
        // the coarse mesh.
        if (0.06..1.14).contains(&x[0].atan2(x[1])) {
            worst = worst.max((values[3] - values[5] / 4e-3).abs());
        }
    }
    assert!(worst < 0.01, "{worst}");
}
