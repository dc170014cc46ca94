//! Probes, spectra and correlations, as users meet them.

use crate::common::program::{refuses, run_case, with_case};
use fr_les::io::{Table, read_series};
use tempfile::TempDir;

/// Fields whose conserved variables are linear, so that they are exact in cells of any shape.
const LINEAR: &str = "{u: 0.5, v: -0.25, w: 0.125, rho: 1 + 0.1*x - 0.05*y + 0.02*z, p: 2 - 0.1*x + 0.2*y + 0.3*z}";

/// A case with a curved box of cells between slip walls, and probes at points, along a line and on a plane.
fn curved(elements: &str, order: usize, precision: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [4, 2, 2], lower: [0, -1, 0], upper: [4, 1, 1.5], elements: {elements}, warp: 0.12}}}}\n\
         order: {order}\nprecision: {precision}\ninitial: {LINEAR}\ndevice: cpu\ntime: {{steps: 1, dt: 1e-9}}\n\
         boundaries: {{x-: {{type: slip}}, x+: {{type: slip}}, y-: {{type: slip}}, y+: {{type: slip}}, \
         z-: {{type: slip}}, z+: {{type: slip}}}}\n\
         output:\n  probes:\n    some: {{points: [[0.3, 0.2, 0.1], [2, 0, 0.75], [1, -1, 0], [3.9, 0.95, 1.45], [4, \
         1, 1.5]], every-steps: 1}}\n    \
         rake: {{line: {{from: [0.1, -0.9, 0.2], to: [3.9, 0.9, 1.4], count: 200}}, every-steps: 1}}\n    \
         cut: {{plane: {{origin: [0, -1, 0.7], edges: [[4, 0, 0], [0, 2, 0.1]], counts: [41, 21]}}, every-steps: 1}}\n"
    )
}

/// Taylor-Green vortex between walls in y on a mixed mesh, with all outputs that sample.
const CHANNEL: &str = "\
title: sampled
mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, z], elements: mixed, \
    warp: 0.05}}
order: 2
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/100}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, \
    temperature: p0}
boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: no-slip-adiabatic}}
device: cpu
time: {steps: 24, cfl: 0.9}
output:
  checkpoint: {every-steps: 12}
  probes:
    corner: {points: [[-pi, -pi, -pi], [0, 0, 0], [pi/2, 0, 0.3]], every-steps: 1}
    line: {line: {from: [0, -pi, 0], to: [0, pi, 0], count: 33}, every: 0.05}
    wall: {plane: {origin: [-pi, -pi, -pi], edges: [[2*pi, 0, 0], [0, 0, 2*pi]], counts: [9, 13]}, every-steps: 8}
  spectra: {direction: x, at: [-2, 0.5], from: 0.1, every-steps: 2}
restart: latest
";

fn run(case: &str) -> TempDir {
    let directory = with_case(case);
    run_case(directory.path(), 1, &[], 0);
    directory
}

fn table(directory: &TempDir, name: &str) -> Table {
    read_series(&directory.path().join("results").join(name)).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the rows of the columns with these names.
fn rows<const M: usize>(table: &Table, names: [&str; M]) -> Vec<[f64; M]> {
    let columns = names.map(|name| table.column(name).unwrap_or_else(|| panic!("no {name}")));
    (0..columns[0].len()).map(|i| columns.map(|column| column[i])).collect()
}

/// Density, velocity, pressure and temperature of [`LINEAR`] at a point.
fn linear([x, y, z]: [f64; 3]) -> [f64; 6] {
    let (rho, p) = (1.0 + 0.1 * x - 0.05 * y + 0.02 * z, 2.0 - 0.1 * x + 0.2 * y + 0.3 * z);
    [rho, 0.5, -0.25, 0.125, p, p / rho]
}

/// Returns the values of an array in a file of samples.
fn array(directory: &TempDir, file: &str, name: &str) -> Vec<f64> {
    let path = directory.path().join("results").join(file);
    let file = hdf5::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    file.dataset(name)
        .and_then(|array| array.read_raw())
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn linear_fields_are_sampled_exactly_in_curved_cells_of_all_kinds() {
    for (elements, order, precision, tolerance) in [
        ("hex", 3, "double", 1e-12),
        ("prism", 2, "double", 1e-12),
        ("tet", 3, "double", 1e-12),
        ("pyramid", 3, "double", 1e-12),
        ("mixed", 2, "double", 1e-12),
        ("mixed", 2, "single", 1e-5),
    ] {
        let directory = run(&curved(elements, order, precision));
        let check = |x: [f64; 3], q: [f64; 6]| {
            for (value, exact) in q.into_iter().zip(linear(x)) {
                assert!(
                    (value - exact).abs() < tolerance,
                    "{elements} at {x:?}: {q:?}, not {:?}",
                    linear(x)
                );
            }
        };
        for (name, count) in [("probes_some.csv", 5), ("probes_rake.csv", 200)] {
            let rows = rows(
                &table(&directory, name),
                ["step", "point", "x", "y", "z", "rho", "u", "v", "w", "p", "T"],
            );
            assert_eq!(rows.len(), 2 * count);
            for (i, [step, point, x, y, z, q @ ..]) in rows[..count].iter().copied().enumerate() {
                assert_eq!((step, point), (0.0, i as f64));
                check([x, y, z], q);
            }
        }
        let file = "probes_cut_0000.vtkhdf";
        let of = |name: &str| array(&directory, file, &format!("VTKHDF/{name}"));
        let (points, velocity) = (of("Points"), of("PointData/velocity"));
        let [rho, p, t] = ["density", "pressure", "temperature"].map(|name| of(&format!("PointData/{name}")));
        assert_eq!((rho.len(), of("Types").len()), (41 * 21, 40 * 20));
        for i in 0..rho.len() {
            let [x, v] = [&points, &velocity].map(|a| [a[3 * i], a[3 * i + 1], a[3 * i + 2]]);
            check(x, [rho[i], v[0], v[1], v[2], p[i], t[i]]);
        }
    }
}

#[test]
fn polynomials_of_the_order_are_sampled_exactly_in_straight_cells() {
    for elements in ["hex", "prism", "tet", "pyramid"] {
        let case = curved(elements, 3, "double").replace(", warp: 0.12", "").replace(
            LINEAR,
            "{u: 0.5, v: 0, w: 0, rho: 2 + 0.01*x*y*z - 0.02*x^3, p: 3 + 0.1*y^3 - 0.1*x^2*z}",
        );
        let directory = run(&case);
        for [x, y, z, rho, p] in rows(&table(&directory, "probes_rake.csv"), ["x", "y", "z", "rho", "p"])
            .into_iter()
            .take(200)
        {
            assert!(
                (rho - (2.0 + 0.01 * x * y * z - 0.02 * x.powi(3))).abs() < 1e-12,
                "{elements} {x} {y} {z}: {rho}"
            );
            assert!(
                (p - (3.0 + 0.1 * y.powi(3) - 0.1 * x * x * z)).abs() < 1e-12,
                "{elements} {x} {y} {z}: {p}"
            );
        }
    }
}

/// Returns the bytes of all series that sampling writes, and the values of the files of planes.
fn left_behind(directory: &TempDir) -> Vec<(String, Vec<u8>)> {
    let names = [
        "probes_corner.csv",
        "probes_line.csv",
        "spectra.csv",
        "correlations.csv",
        "probes_wall.vtkhdf.series",
    ];
    let results = directory.path().join("results");
    let read = |name: &str| std::fs::read(results.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut all: Vec<(String, Vec<u8>)> = names.iter().map(|name| ((*name).to_owned(), read(name))).collect();
    for number in 0..4 {
        let file = format!("probes_wall_{number:04}.vtkhdf");
        for name in [
            "Points",
            "PointData/density",
            "PointData/velocity",
            "PointData/temperature",
            "FieldData/time",
        ] {
            let values = array(directory, &file, &format!("VTKHDF/{name}"));
            all.push((
                format!("{file} {name}"),
                values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            ));
        }
    }
    all
}

fn same(one: &[(String, Vec<u8>)], other: &[(String, Vec<u8>)], how: &str) {
    for ((name, one), (_, other)) in one.iter().zip(other) {
        assert!(one == other, "{name} differs {how}");
    }
}

#[test]
fn samples_are_the_same_on_any_number_of_ranks() {
    let expected = left_behind(&run(CHANNEL));
    for ranks in [2, 3] {
        let directory = with_case(CHANNEL);
        run_case(directory.path(), ranks, &[], 0);
        same(&expected, &left_behind(&directory), &format!("on {ranks} ranks"));
    }
}

#[test]
fn a_continued_run_leaves_the_files_of_an_uninterrupted_one() {
    let expected = left_behind(&run(CHANNEL));
    let directory = with_case(CHANNEL);
    // The run passes the checkpoint at step 12, to which the next one returns.
    run_case(directory.path(), 1, &["time.steps=20", "output.checkpoint.keep=3"], 0);
    std::fs::remove_file(directory.path().join("results/checkpoint_00000020.h5")).expect("the last checkpoint");
    run_case(directory.path(), 1, &[], 0);
    same(&expected, &left_behind(&directory), "after a restart");
    let points = table(&directory, "probes_corner.csv");
    let steps: Vec<f64> = rows(&points, ["step"]).iter().map(|[step]| *step).collect();
    assert_eq!(
        steps,
        (0..=24).flat_map(|step| [f64::from(step); 3]).collect::<Vec<_>>()
    );
}

/// A run of 8 steps that was continued to step 16 without changes, and so without warnings.
fn gone_on() -> TempDir {
    let directory = with_case(CHANNEL);
    run_case(
        directory.path(),
        1,
        &["time.steps=8", "output.checkpoint={every-steps: 8}"],
        0,
    );
    let log = run_case(directory.path(), 1, &["time.steps=16"], 0);
    assert!(!log.contains("WARN"), "{log}");
    directory
}

#[test]
fn probes_at_other_points_than_in_the_checkpoint_are_reported() {
    let corner = "output.probes.corner.points=[[1, 0, 1]]";
    let wall = "output.probes.wall.plane.counts=[3, 3]";
    let log = run_case(gone_on().path(), 1, &["time.steps=24", corner, wall], 0);
    for name in ["corner", "wall"] {
        let told = format!("`output.probes.{name}` differs from that of the checkpoint");
        assert!(log.contains(&told), "{log}");
    }
    assert!(!log.contains("`output.probes.line`"), "{log}");
}

#[test]
fn spectra_with_another_start_time_are_not_continued() {
    let log = run_case(gone_on().path(), 1, &["time.steps=24", "output.spectra.from=1e-12"], 0);
    assert!(log.contains("output.spectra begins anew"), "{log}");
}

#[test]
fn a_single_wave_has_its_power_at_its_wave_number_alone() {
    // There is a wave along x at the height 0.25, and none at -0.5.
    let directory = run("\
mesh: {box: {cells: [16, 4, 4], lower: [0, -1, 0], upper: [2*pi, 1, pi], periodic: [x, z]}}
order: 3
initial: {u: 1 + 0.1*step(y)*cos(3*x), v: 0.2*sin(2*z), w: 0.05*step(y)*sin(3*x), p: 10, rho: 1}
boundaries: {y-: {type: slip}, y+: {type: slip}}
device: cpu
time: {steps: 2, dt: 1e-9}
output: {spectra: {direction: x, at: [0.25, -0.5], every-steps: 1}}
");
    let names = ["y", "mode", "k", "E_uu", "E_vv", "E_ww", "E_pp"];
    let spectra = rows(&table(&directory, "spectra.csv"), names);
    assert_eq!(spectra.len(), 2 * 33);
    for [y, mode, k, uu, vv, ww, pp] in spectra {
        assert!((k - mode).abs() < 1e-12);
        let wave = y > 0.0 && mode == 3.0;
        let exact = |amplitude: f64| if wave { 0.5 * amplitude * amplitude } else { 0.0 };
        // The deviation from a cosine is the error of the polynomials, about 1e-4 of the amplitude.
        assert!((uu - exact(0.1)).abs() < 2e-6, "y {y} mode {mode}: uu {uu}");
        assert!((ww - exact(0.05)).abs() < 1e-6, "y {y} mode {mode}: ww {ww}");
        // v is constant along each line and varies from line to line.
        let across = if mode == 0.0 { 0.02 } else { 0.0 };
        assert!((vv - across).abs() < 1e-3 * 0.02, "y {y} mode {mode}: vv {vv}");
        assert!(pp.abs() < 1e-8, "y {y} mode {mode}: pp {pp}");
    }
    let correlations = rows(&table(&directory, "correlations.csv"), ["y", "r", "R_uu", "R_ww"]);
    assert_eq!(correlations.len(), 2 * 33);
    for [y, r, uu, ww] in correlations {
        let cosine = if y > 0.0 { (3.0 * r).cos() } else { 0.0 };
        assert!(
            (uu - 0.005 * cosine).abs() < 4e-6 && (ww - 0.00125 * cosine).abs() < 1e-6,
            "y {y} r {r}: {uu} {ww}"
        );
    }
}

#[test]
fn points_outside_the_mesh_and_spectra_without_a_period_are_refused() {
    let point = "[0.3, 0.2, 0.1]";
    let hex = |from: &str, to: &str| curved("hex", 2, "double").replace(from, to);
    for (case, parts) in [
        (
            hex(point, "[4.5, 0, 0.5]"),
            vec![
                "(4.5, 0, 0.5) lies in no cell",
                "(output.probes.some.points[0])",
                "from (0, -1, 0) to (4, 1, 1.5)",
            ],
        ),
        (
            hex(point, "[4.5, 1/3, 2.203126570066161e-11]"),
            vec!["(4.5, 0.33333, 2.20313e-11) lies in no cell"],
        ),
        (
            hex("count: 200", "count: 1"),
            vec!["(output.probes.rake.line.count)", "from 2 to"],
        ),
        (
            hex("to: [3.9", "to: [4.01"),
            vec!["lies in no cell", "(output.probes.rake.line)"],
        ),
        (
            hex("edges: [[4, 0, 0], [0, 2, 0.1]]", "edges: [[4, 0, 0], [-2, 0, 0]]"),
            vec!["do not span a plane", "(output.probes.cut.plane.edges)"],
        ),
        (
            hex("edges: [[4, 0, 0], [0, 2, 0.1]]", "edges: [[0, 0, 0], [0, 2, 0.1]]"),
            vec!["do not span a plane", "(output.probes.cut.plane.edges)"],
        ),
        (
            CHANNEL.replace("at: [-2, 0.5]", "at: [-2, 0.5, -2]"),
            vec!["the height -2 is there twice", "(output.spectra.at[2])"],
        ),
        (
            hex("origin: [0, -1", "origin: [0, -1.1"),
            vec!["lies in no cell", "(output.probes.cut.plane)"],
        ),
        (
            hex(
                "{points: [[",
                "{line: {from: [0, 0, 0], to: [1, 0, 0], count: 3}, points: [[",
            ),
            vec!["exactly one of the keys `points`, `line` and `plane`"],
        ),
        (
            hex("some:", "a/b:"),
            vec!["`a/b` cannot be the name of a set of probes"],
        ),
        (
            CHANNEL.replace("direction: x", "direction: y"),
            vec!["boundaries at its ends in y", "(output.spectra.direction)"],
        ),
        (
            CHANNEL
                .replace("periodic: [x, z]", "periodic: [x]")
                .replace("boundaries: {", "boundaries: {z-: {type: slip}, z+: {type: slip}, "),
            vec!["periodic in x alone"],
        ),
        (
            CHANNEL.replace("at: [-2, 0.5]", "at: [-2, 3.5]"),
            vec!["lies in no cell", "(output.spectra.at[1])"],
        ),
    ] {
        let directory = with_case(&case);
        for verb in [&["run.yaml"][..], &["check", "run.yaml"]] {
            refuses(&directory, verb, &parts);
        }
    }
}
