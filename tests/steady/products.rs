//! What users see around a steady solution: the outputs of the case, profiles, other points, the check before, the
//! view, the figure and the report.

use std::path::Path;

use crate::common::program::{case_command, hash, output, program, run_case, with_case};
use fr_les::io::{Table, read_series};

/// Couette flow between isothermal walls, with outputs.
const CASE: &str = "\
title: Couette flow
mesh: {box: {cells: [2, 4, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}
order: 2
gas: {viscosity: {constant: 0.1}}
boundaries:
  y-: {type: no-slip-isothermal, temperature: 1}
  y+: {type: no-slip-isothermal, temperature: 1, velocity: [0.3, 0, 0]}
initial: {u: 0.3*y, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
steady: {turbulence: none, iterations: 2000, residual: 1e-9}
time: {steps: 2}
output:
  boundaries: {every-steps: 1}
  probes: {middle: {points: [[0.5, 0.5, 0.5], [0.5, 0.75, 0.5]], every-steps: 1}}
  slices: {mid: {point: [0.5, 0.5, 0.5], normal: [0, 0, 1], every: 1}}
  surfaces: {every: 1}
  statistics: {from: 3, every-steps: 1, average: [x, z]}
";

fn steady(directory: &Path, ranks: usize, set: &[&str]) -> String {
    output(case_command(directory, ranks, set).arg("--steady"), 0)
}

fn table(path: &Path) -> Table {
    read_series(path).unwrap_or_else(|error| panic!("{error}"))
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    table
        .column(name)
        .unwrap_or_else(|| panic!("no {name} in {:?}", table.names))
}

#[test]
fn the_outputs_of_the_case_sample_the_solution() {
    let directory = with_case(CASE);
    let path = directory.path();
    let check = output(program(path).args(["check", "run.yaml", "--steady"]), 0);
    // 4 x 9 x 4 points.
    for part in [
        "144 vertices of 16 cells, points of degree 2",
        "bytes a vertex",
        "after 2000 steps",
        "for 2000 steps",
        "slices mid",
    ] {
        assert!(check.contains(part), "no '{part}' in\n{check}");
    }
    assert!(!path.join("results").exists(), "a check writes nothing");
    let log = steady(path, 1, &[]);
    let folder = path.join("results/steady");
    let convergence = table(&folder.join("convergence.csv"));
    let boundaries = table(&folder.join("boundaries.csv"));
    // The drag of the moving wall, mu du/dy = 0.1 * 0.3: the gas holds it back.
    let drag = column(&boundaries, "y+_viscous_x");
    assert!(drag.len() == 1 && (drag[0] + 0.03).abs() < 1e-4, "{drag:?}");
    let sum = column(&boundaries, "y+_viscous_x")[0] + column(&boundaries, "y-_viscous_x")[0];
    let friction = column(&convergence, "friction_x");
    assert!((sum - friction[friction.len() - 1]).abs() < 1e-6, "{sum} {friction:?}");
    let probes = table(&folder.join("probes_middle.csv"));
    let speeds: Vec<f64> = probes
        .names
        .iter()
        .zip(&probes.columns)
        .filter(|(name, _)| name.ends_with('u') || name.contains("_u"))
        .map(|(_, values)| values[0])
        .collect();
    assert!(
        speeds.iter().any(|u| (u - 0.15).abs() < 1e-4),
        "{:?} {speeds:?}",
        probes.names
    );
    let statistics = table(&folder.join("statistics.csv"));
    assert_eq!(statistics.columns[0].len(), 9, "{:?}", statistics.names);
    for file in ["slices_mid_0000.vtkhdf", "surfaces_0000.vtkhdf"] {
        assert!(folder.join(file).exists() && log.contains(file), "{file}\n{log}");
    }

    // The file of the walls has wall units of u_tau = sqrt(mu du/dy/rho); the points are 1/8 and 1/4 apart.
    let walls = folder.join("adequacy.vtkhdf");
    let units = 0.03_f64.sqrt() / 0.1;
    for (name, size) in [("y1_plus", 0.125), ("dx_plus", 0.25), ("dz_plus", 0.25)] {
        let values = field(&walls, name);
        assert_eq!(values.len(), 2 * 4 * 4, "{name}");
        // The density differs from 1 by the heat of friction.
        assert!(
            values.iter().all(|v| (v / (size * units) - 1.0).abs() < 0.02),
            "{name}: {values:?}"
        );
    }
    let solution = hdf5::File::open(folder.join("steady.vtkhdf")).expect("an HDF5 file");
    assert!(solution.dataset("VTKHDF/PointData/velocity").is_ok());
    assert!(solution.dataset("VTKHDF/PointData/nu_t").is_err(), "a laminar solution");

    // The view, the figure and the report find the solution from both directories.
    for named in ["results", "results/steady"] {
        let view = output(program(path).args(["watch", "--once", named]), 0);
        for part in [
            "Couette flow: 16 cells",
            "finished at iteration",
            "density",
            "friction_x",
        ] {
            assert!(view.contains(part), "no '{part}' in\n{view}");
        }
        let drawn = output(program(path).args(["plot", named]), 0);
        assert!(
            drawn.contains("convergence.png") && drawn.contains("residual of density"),
            "{drawn}"
        );
        assert!(folder.join("convergence.png").exists());
        let report = path.join("page.html");
        output(program(path).args(["report", named, "--output", "page.html"]), 0);
        let page = std::fs::read_to_string(&report).expect("a page");
        for part in [
            "Convergence",
            "Resolution of the mesh",
            "a steady solution at iteration",
            "Wall y-",
            "laminar",
        ] {
            assert!(page.contains(part), "no '{part}' in the page");
        }
    }
}

/// Values of a field of a file for ParaView.
fn field(path: &Path, name: &str) -> Vec<f64> {
    let file = hdf5::File::open(path).expect("an HDF5 file");
    let at = if name == "Points" { "" } else { "PointData/" };
    let data = file
        .dataset(&format!("VTKHDF/{at}{name}"))
        .and_then(|data| data.read_raw());
    data.unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_file_for_paraview_has_the_eddy_viscosity_at_the_points() {
    let directory = with_case(CASE);
    let path = directory.path();
    let set = [
        "steady={turbulence: sa-neg, iterations: 60}",
        "mesh.box.elements=prism",
        "output.statistics=null",
        "gas.viscosity.constant=0.001",
    ];
    let mut contents = Vec::new();
    for ranks in [1, 3] {
        let folder = format!("output.directory=on-{ranks}");
        steady(path, ranks, &[set[0], set[1], set[2], set[3], &folder]);
        let file = path.join(format!("on-{ranks}/steady/steady.vtkhdf"));
        let (points, velocity) = (field(&file, "Points"), field(&file, "velocity"));
        let names = ["density", "nu_tilde", "nu_t", "nu_t_over_nu", "wall_distance"];
        let columns = names.map(|name| field(&file, name));
        let mut rows = Vec::new();
        for (node, x) in points.as_chunks::<3>().0.iter().enumerate() {
            let [rho, first, eddy, ratio, distance] = [0, 1, 2, 3, 4].map(|i| columns[i][node]);
            let (nu, y) = (0.001 / rho, x[1]);
            let chi = first.max(0.0) / nu;
            let exact = first.max(0.0) * chi.powi(3) / (chi.powi(3) + 7.1_f64.powi(3));
            assert!((eddy - exact).abs() < 1e-5 * exact + 1e-12, "{x:?}: {eddy} {exact}");
            assert!((ratio - eddy / nu).abs() < 1e-5 * ratio + 1e-12, "{ratio} {eddy}");
            assert!((distance - y.min(1.0 - y)).abs() < 1e-6, "{x:?}: {distance}");
            // Walls hold their values.
            if y == 0.0 || y == 1.0 {
                assert!(eddy == 0.0 && (velocity[3 * node] - 0.3 * y).abs() < 1e-6, "{x:?}");
            }
            rows.push([x[0], x[1], x[2], eddy, first, rho].map(f64::to_bits));
        }
        assert!(columns[3].iter().any(|ratio| *ratio > 0.05), "no turbulence");
        rows.sort_unstable();
        contents.push(rows);
    }
    assert!(contents[0] == contents[1], "other bits on three ranks");
    // A run on another mesh begins with it.
    let begin = ["initial={file: on-1/steady/steady.vtkhdf}", "mesh.box.cells=[4, 6, 3]"];
    run_case(path, 1, &[begin[0], begin[1], set[2], "output.directory=les"], 0);
}

#[test]
fn a_solution_has_no_time_and_no_phase() {
    let directory = with_case(&CASE.replace("periodic: [x, z]", "periodic: [z]"));
    let path = directory.path();
    let set = [
        "boundaries.x-={type: velocity-inlet, u: 0.3*y, v: 0, w: 0, temperature: 1}",
        "boundaries.x+={type: pressure-outlet, p: 1}",
        "steady.iterations=20",
        "output={blades: {floor: {boundary: y-, every-steps: 1, total-pressure: 1.1, pressure: 1, \
         phase: {period: 1, bins: 4}}}}",
    ];
    let log = steady(path, 1, &set);
    assert!(log.contains("blade_floor.csv") && !log.contains("INFO t "), "{log}");
    assert!(!path.join("results/steady/blade_floor.phase.csv").exists());
    run_case(path, 1, &set, 0);
    assert!(path.join("results/blade_floor.phase.csv").exists());
}

#[test]
fn the_files_of_outputs_have_the_same_bits_on_any_number_of_ranks() {
    let directory = with_case(CASE);
    let path = directory.path();
    let few = "steady.iterations=100";
    let one = hash(&steady(path, 1, &[few]));
    assert_eq!(hash(&steady(path, 3, &[few, "output.directory=three"])), one);
    for file in ["boundaries.csv", "probes_middle.csv", "statistics.csv"] {
        let read = |folder: &str| table(&path.join(folder).join("steady").join(file)).columns.concat();
        // Columns that are not known are no numbers.
        let bits = |folder: &str| read(folder).into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits("results"), bits("three"), "{file}");
    }
}

#[test]
fn other_points_are_interpolated_and_other_settings_are_told() {
    let directory = with_case(CASE);
    let path = directory.path();
    let log = steady(path, 1, &["steady.points=3", "steady.iterations=200"]);
    assert!(log.contains("points of degree 3"), "{log}");
    let log = run_case(
        path,
        1,
        &["initial={file: results/steady/steady.h5}", "output.directory=les"],
        0,
    );
    assert!(log.contains("interpolated from order 3"), "{log}");
    let on = [
        "restart=results/steady/steady.h5",
        "steady.points=3",
        "output.directory=on",
    ];
    let log = steady(path, 1, &[&on[..], &["steady.iterations=220"]].concat());
    assert!(!log.contains("differs"), "{log}");
    let last_cfl = || {
        let rows = table(&path.join("on/steady/convergence.csv"));
        let cfl = column(&rows, "cfl");
        cfl[cfl.len() - 1]
    };
    assert_eq!(last_cfl(), 2.5);
    let log = steady(
        path,
        1,
        &[&on[..], &["steady.iterations=220", "gas.viscosity.constant=0.2"]].concat(),
    );
    assert!(log.contains("`gas` differs from that of the checkpoint"), "{log}");
    assert!(!log.contains("`steady` differs"), "{log}");
    let log = steady(
        path,
        1,
        &[&on[..], &["steady.iterations=220", "steady.kappa=0"]].concat(),
    );
    assert!(log.contains("`steady` differs from that of the checkpoint"), "{log}");
    // The solution with other settings begins with the first CFL number.
    assert_eq!(last_cfl(), 1.0);
}

#[test]
#[allow(clippy::manual_range_contains)]
fn steady_forces_end_a_solution() {
    // The friction of both walls of a Couette flow cancels, and that of a duct does not.
    let duct = CASE
        .replace("periodic: [x, z]", "periodic: [z]")
        .replace(", velocity: [0.3, 0, 0]", "")
        .replace(
            "initial:",
            "  x-: {type: velocity-inlet, u: 0.3, v: 0, w: 0, temperature: 1}\n  x+: {type: pressure-outlet, p: 1}\n\
         initial:",
        );
    let duct = duct
        .split("output:")
        .next()
        .expect("a case")
        .replace("u: 0.3*y", "u: 0.3");
    let directory = with_case(&duct);
    let path = directory.path();
    let set = ["steady.residual=1e-14", "steady.iterations=8000"];
    let log = steady(path, 1, &[&set[..], &["steady.force=1e-2"]].concat());
    let rows = table(&path.join("results/steady/convergence.csv"));
    let iterations = column(&rows, "iteration");
    let last = iterations[iterations.len() - 1];
    assert!(
        last < 8000.0 && last >= 220.0 && !log.contains("steady.iterations is reached"),
        "{last} {log}"
    );
    let density = column(&rows, "density");
    let largest = density.iter().copied().fold(0.0, f64::max);
    assert!(
        density[density.len() - 1] <= 1e-3 * largest,
        "the residual has not fallen"
    );
    let slip = CASE.replace("no-slip-isothermal, temperature: 1, velocity: [0.3, 0, 0]", "slip");
    let slip = with_case(&slip.replace("no-slip-isothermal, temperature: 1", "slip"));
    let log = output(case_command(slip.path(), 1, &["steady.force=1e-3"]).arg("--steady"), 2);
    assert!(log.contains("no no-slip wall"), "{log}");
}

/// A turbulent shear between walls, whose profile an inlet reads.
const SHEAR: &str = "\
mesh: {box: {cells: [2, 6, 2], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [x, z]}}
order: 2
gas: {viscosity: {constant: 1e-4}}
boundaries:
  y-: {type: no-slip-adiabatic}
  y+: {type: no-slip-adiabatic, velocity: [0.5, 0, 0]}
initial: {u: 0.5*y, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
steady: {ratio: 100, iterations: 60, profiles: {inlet: {x: 0.75, along: y}}}
time: {steps: 1}
";

/// The run in time behind it.
const INLET: &str = "\
mesh: {box: {cells: [3, 6, 8], lower: [0, 0, 0], upper: [2, 1, 3], periodic: [z]}}
order: 2
gas: {viscosity: {constant: 1e-4}}
constants: {}
boundaries:
  y-: {type: no-slip-adiabatic}
  y+: {type: no-slip-adiabatic, velocity: [0.5, 0, 0]}
  x+: {type: pressure-outlet, p: 1}
  x-:
    type: velocity-inlet
    u: {file: PROFILE, along: y}
    v: {file: PROFILE, along: y}
    w: {file: PROFILE, along: y}
    temperature: {file: PROFILE, along: y, column: T}
    turbulence:
      length: {file: PROFILE, along: y}
      stresses:
        - {file: PROFILE, along: y, column: uu}
        - {file: PROFILE, along: y, column: vv}
        - {file: PROFILE, along: y, column: ww}
        - {file: PROFILE, along: y, column: uv}
        - {file: PROFILE, along: y, column: uw}
        - {file: PROFILE, along: y, column: vw}
initial: {u: 0.5*y, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
time: {steps: 2}
output: {boundaries: {every-steps: 1}}
";

#[test]
fn an_inlet_with_synthetic_turbulence_reads_a_profile_of_the_solution() {
    let directory = with_case(SHEAR);
    let path = directory.path();
    let log = steady(path, 1, &[]);
    let file = path.join("results/steady/profile_inlet.csv");
    assert!(log.contains("profile_inlet.csv"), "{log}");
    let profile = table(&file);
    let y = column(&profile, "y");
    assert_eq!(y.len(), 13);
    // Mean over the height by the trapezoidal rule, as the profile is linear between its rows.
    let mean = |values: &[f64]| -> f64 {
        y.windows(2)
            .zip(values.windows(2))
            .map(|(y, f)| (y[1] - y[0]) * 0.5 * (f[0] + f[1]))
            .sum()
    };
    assert!((mean(column(&profile, "u")) - 0.25).abs() < 1e-3);
    let uu = mean(column(&profile, "uu"));
    assert!(uu > 1e-6, "{uu}");

    let les = with_case(
        &INLET
            .replace("PROFILE", &file.display().to_string())
            .replace("constants: {}\n", ""),
    );
    let check = output(program(les.path()).args(["check", "--long", "run.yaml"]), 0);
    let line = check
        .lines()
        .find(|line| line.contains("mean stresses uu"))
        .unwrap_or_else(|| panic!("{check}"));
    let said: f64 = line
        .split("uu ")
        .nth(1)
        .and_then(|rest| rest.split(',').next()?.parse().ok())
        .expect("a number");
    // The mean over the area by the quadrature of the faces.
    assert!((said / uu - 1.0).abs() < 0.05, "{line}, {uu}");
    run_case(les.path(), 1, &[], 0);
    let fluxes = table(&les.path().join("results/boundaries.csv"));
    // The inlet is 3 wide.
    let inflow = -column(&fluxes, "x-_mass_flux")[0] / 3.0;
    let rho_u: Vec<f64> = column(&profile, "rho")
        .iter()
        .zip(column(&profile, "u"))
        .map(|(a, b)| a * b)
        .collect();
    assert!((inflow / mean(&rho_u) - 1.0).abs() < 0.05, "{inflow} {}", mean(&rho_u));
}

/// Uniform flow through a box.
const STREAM: &str = "\
mesh: {box: {cells: [4, 3, 3], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z]}}
order: 1
gas: {viscosity: {constant: 1e-3}}
boundaries:
  x-: {type: velocity-inlet, u: 0.3, v: 0, w: 0, temperature: 1}
  x+: {type: pressure-outlet, p: 1}
initial: {u: 0.3, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
steady: {ratio: 1, driver: implicit, iterations: 100}
time: {steps: 1}
";

#[test]
fn an_inlet_has_an_eddy_viscosity_of_its_own() {
    let directory = with_case(STREAM);
    let path = directory.path();
    let report = |set: &[&str]| {
        steady(path, 1, set);
        std::fs::read_to_string(path.join("results/steady/adequacy.md")).expect("a report")
    };
    // nu_t is nu chi^4/(chi^3 + 7.1^3) of chi = nu~/nu.
    let of_all = report(&[]);
    assert!(of_all.contains("No cell that touches no wall"), "{of_all}");
    let of_inlet = report(&["steady.ratios={x-: 40}"]);
    assert!(of_inlet.contains("36 cells with 100.0 % of the volume"), "{of_inlet}");
    let of_outlet = report(&["steady.ratios={x+: 40}"]);
    assert!(of_outlet.contains("No cell that touches no wall"), "{of_outlet}");
    let log = output(case_command(path, 1, &["steady.ratios={inlet: 40}"]).arg("--steady"), 2);
    assert!(log.contains("the case has no boundary `inlet`"), "{log}");
}
