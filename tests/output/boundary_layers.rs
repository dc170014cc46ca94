//! Boundary layers along normals of walls: Blasius' profile on a mesh, a flow of uniform vorticity on a cylinder, the
//! same files on any number of ranks and after stops, and keys that are refused.

use std::fmt::Write as _;

use tempfile::TempDir;

use crate::common::program::{ended, refuses, run, run_case, with_case};
use fr_les::io::{Table, read_series};

fn table(directory: &TempDir, name: &str) -> Table {
    read_series(&directory.path().join(format!("results/boundary_layer_{name}.csv"))).unwrap_or_else(|e| panic!("{e}"))
}

fn column(table: &Table, name: &str) -> Vec<f64> {
    table.column(name).unwrap_or_else(|| panic!("no {name}")).to_vec()
}

/// Writes Blasius' profile u(y) with the length scale sqrt(nu x/U) = 0.1 as `blasius.csv`.
fn write_blasius(directory: &TempDir) {
    let rate = |[f, g, h]: [f64; 3]| [g, h, -0.5 * f * h];
    let step = 0.005;
    let mut y = [0.0, 0.0, 0.332_057_336_215_196];
    let mut text = "y,u\n".to_owned();
    for k in 0..=2000 {
        writeln!(text, "{},{}", 0.1 * step * f64::from(k), y[1]).unwrap();
        let plus = |k: [f64; 3], by: f64| std::array::from_fn(|i| y[i] + by * k[i]);
        let a = rate(y);
        let b = rate(plus(a, 0.5 * step));
        let c = rate(plus(b, 0.5 * step));
        let d = rate(plus(c, step));
        y = std::array::from_fn(|i| y[i] + step / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    std::fs::write(directory.path().join("blasius.csv"), text).unwrap();
}

const PLATE: &str = "\
title: plate
mesh: {box: {cells: [3, 8, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}
order: 4
precision: double
gas: {viscosity: {constant: 2e-4}}
initial: {u: {file: blasius.csv, along: y, interpolation: cubic}, v: 0, w: 0, p: 100/1.4, rho: 1}
boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: slip}}
device: cpu
time: {steps: 1, dt: 1e-13}
output:
  boundary-layers:
    plate: {boundary: y-, at: [[0.3, 0], [0.7, 0.01]], height: 0.9, counts: [101, 2], every-steps: 1}
";

#[test]
fn the_profile_of_blasius_on_a_mesh_has_its_thicknesses() {
    for edge in ["pseudo-velocity", "total-pressure"] {
        let directory = with_case(PLATE);
        write_blasius(&directory);
        run_case(
            directory.path(),
            1,
            &[&format!("output.boundary-layers.plate.edge={edge}")],
            0,
        );
        let table_of = table(&directory, "plate");
        assert_eq!(column(&table_of, "station"), [0.0, 1.0]);
        let x = column(&table_of, "x");
        assert!((x[0] - 0.3).abs() < 0.06 && (x[1] - 0.7).abs() < 0.06, "{x:?}");
        assert!(column(&table_of, "y").iter().all(|y| y.abs() < 1e-12));
        // The density is uniform, and so is its share in the integrals.
        for (name, exact) in [
            ("delta99", 0.490_999),
            ("displacement_thickness", 0.172_078_8),
            ("momentum_thickness", 0.066_411_5),
            ("shape_factor", 2.591_100),
            ("re_theta", 0.066_411_5 / 2e-4),
            ("outer_velocity", 1.0),
        ] {
            for found in column(&table_of, name) {
                println!("{edge} {name}: {found} for {exact}");
                assert!((found / exact - 1.0).abs() < 5e-4, "{edge} {name}: {found} for {exact}");
            }
        }
        let profile = table(&directory, "plate.profile");
        let distance = column(&profile, "distance");
        assert_eq!(distance.len(), 202);
        assert!(distance[..101].is_sorted() && distance[0] == 0.0 && (distance[100] - 0.9).abs() < 1e-12);
        assert!(column(&profile, "u_n").iter().all(|u| u.abs() < 1e-9));
        assert!(column(&profile, "ss").iter().all(|u| u.abs() < 1e-9));
    }
}

#[test]
fn the_normals_of_a_cylinder_are_its_radii_and_vorticity_makes_the_pseudo_velocity() {
    // Gas that turns with u = r - 1/r has the vorticity 2, and the pseudo-velocity 2 (r - 1).
    let case = "\
mesh: {file: ring.h5}
order: 4
device: cpu
gas: {viscosity: {constant: 1e-3}}
initial: {u: -y*(1 - 1/(x^2 + y^2)), v: x*(1 - 1/(x^2 + y^2)), w: 0, p: 100/1.4, rho: 1}
boundaries: {inner: {type: no-slip-adiabatic}, outer: {type: slip}}
time: {steps: 1, dt: 1e-14}
output:
  boundary-layers:
    ring: {boundary: inner, at: [[0.6, 0.8], [-1, 0], [0, -0.95]], height: 0.8, counts: [81, 3], every-steps: 1}
";
    let directory = with_case(case);
    let arguments = "mesh generate annulus ring.h5 --inner 1 --outer 2 --length 0.5 --periodic z --cells 4,16,2 \
                     --geometry-order 4";
    ended(
        &run(directory.path(), &arguments.split_whitespace().collect::<Vec<_>>()),
        0,
    );
    run_case(directory.path(), 1, &[], 0);
    let stations = table(&directory, "ring");
    let (x, y) = (column(&stations, "x"), column(&stations, "y"));
    assert!(
        x.iter().zip(&y).all(|(x, y)| (x.hypot(*y) - 1.0).abs() < 1e-5),
        "{x:?} {y:?}"
    );
    let profile = table(&directory, "ring.profile");
    let of = |name: &str| column(&profile, name);
    let distance = of("distance");
    let along = of("u_s");
    let away = of("u_n");
    let edge = of("u_edge");
    for (i, n) in distance.iter().enumerate() {
        let u = 1.0 + n - 1.0 / (1.0 + n);
        assert!(
            (along[i] - u).abs() < 1e-3 && away[i].abs() < 1e-3,
            "{n}: {} {}",
            along[i],
            away[i]
        );
        assert!((edge[i] - 2.0 * n).abs() < 5e-3, "{n}: {}", edge[i]);
    }
}

/// A flow along a wall that changes in time.
const RUBBING: &str = "\
title: rubbing
mesh: {box: {cells: [3, 3, 2], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [x, z]}}
order: 2
gas: {viscosity: {constant: 1e-2}}
initial: {u: 0.5*y*(2 - y), v: 0.1*sin(pi*x)*y*(1 - y), w: 0.05*cos(2*pi*z)*y, p: 1/1.4, rho: 1}
boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: slip}}
device: cpu
time: {steps: 20, cfl: 0.9}
output:
  boundary-layers: {wall: {boundary: y-, at: [[0.5, 0], [1.5, 0]], height: 0.9, counts: [17, 3], every-steps: 1}}
  checkpoint: {every-steps: 5}
restart: latest
";

#[test]
fn boundary_layers_are_the_same_on_any_number_of_ranks_and_after_a_restart() {
    let files = |pieces: &[(usize, u32)]| {
        let directory = with_case(RUBBING);
        for (ranks, steps) in pieces {
            run_case(directory.path(), *ranks, &[&format!("time.steps={steps}")], 0);
        }
        ["wall", "wall.profile"].map(|name| {
            let path = directory.path().join(format!("results/boundary_layer_{name}.csv"));
            std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{e}"))
        })
    };
    let alone = files(&[(1, 20)]);
    assert!(alone[0].contains("\n# samples: 20\n") && alone[0].contains("delta99,delta99_error,delta99_at_least"));
    assert!(!alone[0].contains("NaN"), "{}", alone[0]);
    assert!(files(&[(2, 20)]) == alone);
    assert!(files(&[(3, 5), (1, 15), (2, 20)]) == alone);
}

#[test]
fn boundary_layers_that_cannot_be_are_refused_with_their_key() {
    for (set, parts) in [
        (
            "boundary=y+",
            &["is not a wall", "(output.boundary-layers.wall.boundary)"][..],
        ),
        ("boundary=y", &["there is no boundary `y`"]),
        ("at=[]", &["`at` names no station", "(output.boundary-layers.wall.at)"]),
        (
            "at=[[0.5, 0.9]]",
            &["lies 0.9153 off the boundary `y-`", "output.boundary-layers.wall.at[0]"],
        ),
        ("height=1.5", &["lies in no cell", "output.boundary-layers.wall.height"]),
        ("height=0", &["above 0", "(output.boundary-layers.wall.height)"]),
        (
            "counts=[16, 3]",
            &["odd and at least 9", "(output.boundary-layers.wall.counts[0])"],
        ),
        (
            "counts=[17, 0]",
            &["at least 1", "(output.boundary-layers.wall.counts[1])"],
        ),
        ("edge=vorticity", &["pseudo-velocity"]),
    ] {
        let directory = with_case(&RUBBING.replace("y+: {type: slip}", "y+: {type: supersonic-outlet}"));
        let set = format!("output.boundary-layers.wall.{set}");
        refuses(&directory, &["run.yaml", "--set", &set], parts);
    }
}
