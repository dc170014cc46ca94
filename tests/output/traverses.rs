//! Traverses: exact fields on meshes whose sides are slanted, files after restarts and on any number of ranks, and what
//! is refused.

use std::path::Path;

use crate::common::program::{refuses, run_case, with_case};
use fr_les::io::{Table, read_series};
use fr_les::mesh::{BoxElements, BoxMesh, WarpKind, build_box, native};
use tempfile::TempDir;

const REPEATED: [bool; 3] = [false, true, true];

/// A box whose sides in y are slanted: at x the domain is 0.8 x < y < 0.8 x + 1.
fn slanted(path: &Path, elements: BoxElements, periodic: [bool; 3]) {
    let mut mesh = build_box(
        &BoxMesh {
            cells: [4, 3, 2],
            lower: [0.0; 3],
            upper: [2.0, 1.0, 0.5],
            periodic,
            elements,
            stretch: [None; 3],
            warp: 0.0,
            warp_kind: WarpKind::Curved,
        },
        2,
    )
    .expect("a box");
    mesh.nodes.iter_mut().for_each(|x| x[1] += 0.8 * x[0]);
    mesh.structured = None;
    native::write(&mesh, path).expect("written");
}

/// Fields whose conserved variables are quadratic. They do not repeat in y, so that a point shows how it was moved.
const FIELDS: &str = "{u: 0.5 + 0.2*y, v: 0.1 - 0.3*y + 0.1*x, w: 0.1*z, rho: 1, p: 2 + 0.1*y^2 - 0.1*x + 0.05*z}";

/// Density, velocity, pressure and temperature of [`FIELDS`] for R = 1.
fn exact([x, y, z]: [f64; 3]) -> [f64; 6] {
    let p = 2.0 + 0.1 * y * y - 0.1 * x + 0.05 * z;
    [1.0, 0.5 + 0.2 * y, 0.1 - 0.3 * y + 0.1 * x, 0.1 * z, p, p]
}

/// A single sample of the fields on the slanted mesh.
fn one_sample(more: &str) -> String {
    format!(
        "mesh: {{file: mesh.h5}}\norder: 2\ninitial: {FIELDS}\ndevice: cpu\ntime: {{steps: 1, dt: 1e-15}}\n\
         boundaries: {{x-: {{type: slip}}, x+: {{type: slip}}}}\n\
         output: {{traverses: {{wake: {{x: 1.3, counts: [5, 4], every-steps: 1{more}}}}}}}\n"
    )
}

fn table(directory: &TempDir, name: &str) -> Table {
    read_series(&directory.path().join("results").join(name)).unwrap_or_else(|e| panic!("{e}"))
}

fn text(directory: &TempDir, name: &str) -> String {
    std::fs::read_to_string(directory.path().join("results").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns the value of a result in the comments of a table.
fn result(text: &str, name: &str) -> f64 {
    let begin = format!("# result {name} [");
    let line = text.lines().find(|line| line.starts_with(&begin));
    let line = line.unwrap_or_else(|| panic!("no {name} in\n{text}"));
    let (_, value) = line.split_once("value = ").expect("a value");
    value
        .split(',')
        .next()
        .and_then(|value| value.parse().ok())
        .expect("a number")
}

/// Means over the lines of a point, and of the whole plane, of a function of the state.
fn mean(x: f64, ordinates: &[f64], of: impl Fn([f64; 6]) -> f64) -> f64 {
    let lines = [0.0625, 0.1875, 0.3125, 0.4375];
    let points = ordinates.iter().flat_map(|&y| lines.map(|z| of(exact([x, y, z]))));
    points.sum::<f64>() / (4 * ordinates.len()) as f64
}

fn square([_, u, v, w, ..]: [f64; 6]) -> f64 {
    u * u + v * v + w * w
}

fn total_pressure(q: [f64; 6]) -> f64 {
    q[4] * (1.0 + 0.2 * square(q) / (1.4 * q[5])).powf(3.5)
}

fn total_temperature(q: [f64; 6]) -> f64 {
    q[5] + square(q) / 7.0
}

#[test]
fn means_of_exact_fields_are_exact_on_a_pitch_line_that_leaves_the_mesh() {
    for elements in [BoxElements::Hex, BoxElements::Prism, BoxElements::Tet] {
        let directory = with_case(&one_sample(", inlet-x: 0.1, y: 0.05"));
        slanted(&directory.path().join("mesh.h5"), elements, REPEATED);
        run_case(directory.path(), 1, &[], 0);
        // The domain is 1.04 < y < 2.04 at the plane, and 0.08 < y < 1.08 at the inlet.
        for (file, x, moved) in [
            ("traverse_wake.csv", 1.3, [1.05, 1.25, 1.45, 1.65, 1.85]),
            ("traverse_wake.inlet.csv", 0.1, [1.05, 0.25, 0.45, 0.65, 0.85]),
        ] {
            let table = table(&directory, file);
            let column = |name: &str| table.column(name).unwrap_or_else(|| panic!("no {name}"));
            for (i, y) in moved.into_iter().enumerate() {
                assert!((column("y")[i] - (0.05 + 0.2 * i as f64)).abs() < 1e-14);
                let check = |name: &str, of: &dyn Fn([f64; 6]) -> f64| {
                    let (value, expected) = (column(name)[i], mean(x, &[y], of));
                    assert!(
                        (value - expected).abs() < 1e-12,
                        "{file} {name} {y}: {value} {expected}"
                    );
                };
                for (name, at) in [("rho", 0), ("u", 1), ("v", 2), ("w", 3), ("p", 4), ("T", 5)] {
                    check(name, &|q| q[at]);
                }
                check("rho_u", &|q| q[0] * q[1]);
                for (name, at) in [("rho_u_u", 1), ("rho_u_v", 2), ("rho_u_w", 3)] {
                    check(name, &|q| q[0] * q[1] * q[at]);
                }
                check("rho_u_h0", &|q| 3.5 * q[0] * q[1] * total_temperature(q));
                check("p0", &total_pressure);
                check("T0", &total_temperature);
                check("rho_u_p0", &|q| q[0] * q[1] * total_pressure(q));
                for (name, a, b) in [
                    ("uu", 1, 1),
                    ("vv", 2, 2),
                    ("ww", 3, 3),
                    ("uv", 1, 2),
                    ("uw", 1, 3),
                    ("vw", 2, 3),
                ] {
                    let (of_a, of_b) = (mean(x, &[y], |q| q[a]), mean(x, &[y], |q| q[b]));
                    check(name, &|q| (q[a] - of_a) * (q[b] - of_b));
                }
                // The span counts as time does; only w varies over it.
                let of_w = |power| mean(x, &[y], |q| q[3].powi(power));
                let speed = mean(x, &[y], |q| q[1].powi(2) + q[2].powi(2)) + of_w(1).powi(2);
                check("Tu", &|_| ((of_w(2) - of_w(1).powi(2)) / (3.0 * speed)).sqrt());
                // One sample has no error.
                assert!(column("u_error")[i].is_nan());
            }
        }
        let text = text(&directory, "traverse_wake.csv");
        let whole = |x: f64, of: &dyn Fn([f64; 6]) -> f64| {
            let y = if x > 1.0 {
                [1.05, 1.25, 1.45, 1.65, 1.85]
            } else {
                [1.05, 0.25, 0.45, 0.65, 0.85]
            };
            mean(x, &y, of)
        };
        let near = |name: &str, expected: f64| {
            let value = result(&text, name);
            assert!((value - expected).abs() < 1e-12, "{name}: {value} {expected}");
        };
        let (mass, momentum) = (
            |x| whole(x, &|q| q[0] * q[1]),
            |x| whole(x, &|q| q[0] * q[1] * q[1] + q[4]),
        );
        near("mass_flux", mass(1.3));
        near("inlet_mass_flux", mass(0.1));
        near("momentum_x", momentum(1.3));
        let total = whole(0.1, &|q| q[0] * q[1] * total_pressure(q)) / mass(0.1);
        near("inlet_p0_mass", total);
        near("p01", total);
        let [p2, p02] = ["p_mixed", "p0_mixed"].map(|name| result(&text, name));
        near("omega", (total - p02) / (total - p2));
        let behind = whole(1.3, &|q| q[0] * q[1] * total_pressure(q)) / mass(1.3);
        near("omega_mass", (total - behind) / (total - p2));
        near("omega_mixing", (behind - p02) / (total - p2));
        let head = |total: f64| 1.0 - (p2 / total).powf(2.0 / 7.0);
        near("zeta_mixing", (head(behind) - head(p02)) / head(total));
        // The area is that of a pitch of 1 and a span of 0.5.
        near("force_x", 0.5 * (momentum(0.1) - momentum(1.3)));
        let head = |name: &str| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix(": "));
            let value = line.and_then(|value| value.parse::<f64>().ok());
            value.unwrap_or_else(|| panic!("no {name} in\n{text}"))
        };
        assert_eq!([head("samples"), head("x")], [1.0, 1.3]);
        assert!((head("pitch") - 1.0).abs() < 1e-14 && (head("span") - 0.5).abs() < 1e-14);
        let history = table_of_history(&directory);
        assert_eq!(history.column("omega").expect("omega"), [result(&text, "omega")]);
    }
}

/// Means of scalars stand behind the columns of the flow, and means that are weighted with the mass flux among the
/// results.
#[test]
fn passive_scalars_have_columns_and_means_weighted_with_the_mass_flux() {
    let scalars = "scalars: {dye: {schmidt: 1, initial: 1 + 0.5*y}, smoke: {schmidt: 1, initial: 0.2 + z}}\ninitial:";
    let case = one_sample(", inlet-x: 0.1, y: 0.05").replacen("initial:", scalars, 1);
    let directory = with_case(&case);
    slanted(&directory.path().join("mesh.h5"), BoxElements::Prism, REPEATED);
    run_case(directory.path(), 1, &[], 0);
    let text = text(&directory, "traverse_wake.csv");
    let history = table_of_history(&directory);
    for (file, plane, moved) in [
        ("traverse_wake.csv", "", [1.05, 1.25, 1.45, 1.65, 1.85]),
        ("traverse_wake.inlet.csv", "inlet_", [1.05, 0.25, 0.45, 0.65, 0.85]),
    ] {
        let table = table(&directory, file);
        for (y, dye) in moved.iter().zip(table.column("dye").expect("dye")) {
            assert!((dye - (1.0 + 0.5 * y)).abs() < 1e-12, "{file} {y}: {dye}");
        }
        // The lines lie in the middle of equal parts of the span 0.5.
        assert!(
            table
                .column("smoke")
                .expect("smoke")
                .iter()
                .all(|c| (c - 0.45).abs() < 1e-12)
        );
        assert!(table.column("dye_error").expect("an error")[0].is_nan());
        let flux = |y: &f64| 0.5 + 0.2 * y;
        let mass = moved.iter().map(flux).sum::<f64>();
        let expected = moved.iter().map(|y| flux(y) * (1.0 + 0.5 * y)).sum::<f64>() / mass;
        let dye = result(&text, &format!("{plane}dye_mass"));
        assert!((dye - expected).abs() < 1e-12, "{plane}: {dye} {expected}");
        assert!((result(&text, &format!("{plane}smoke_mass")) - 0.45).abs() < 1e-12);
        assert_eq!(history.column(&format!("{plane}dye_mass")).expect("a result"), [dye]);
    }
    for (name, of_two) in [
        ("p0", "p0"),
        ("zeta", "zeta_mass"),
        ("inlet_dye", "inlet_dye_mass"),
        ("dye_error", "dye_error"),
    ] {
        let directory = with_case(&case.replace("smoke", name));
        slanted(&directory.path().join("mesh.h5"), BoxElements::Prism, REPEATED);
        let said = format!("two columns or results `{of_two}`");
        refuses(&directory, &["run.yaml"], &[&said, "output.traverses.wake"]);
    }
}

fn table_of_history(directory: &TempDir) -> Table {
    table(directory, "traverse_wake.history.csv")
}

/// A wake that a periodic box carries along, with a mean over 24 samples, of which the first is not at the start.
const WAKE: &str = "\
title: wake
mesh: {box: {cells: [4, 4, 2], lower: [0, 0, 0], upper: [1, 1, 0.5], periodic: [x, y, z], elements: mixed}}
order: 2
gas: {viscosity: {constant: 1e-3}}
initial: {u: 0.5 - 0.2*sin(2*pi*y)^4, v: 0.1 + 0.05*sin(2*pi*x), w: 0.02*sin(4*pi*z), p: 1/1.4, rho: 1}
scalars: {dye: {schmidt: 1, initial: sin(2*pi*y)}}
device: cpu
time: {steps: 60, cfl: 0.9}
output:
  checkpoint: {every-steps: 20}
  traverses:
    wake: {x: 0.9, counts: [8, 3], inlet-x: 0.15, from: 0.1, every-steps: 2}
    plain: {x: 0.9, counts: [8, 3], total-pressure: 0.85, pressure: 0.71, phase: {period: 0.11, bins: 3}, every: 0.05}
restart: latest
";

/// Returns the bytes of all files of the traverses of [`WAKE`].
fn left_behind(directory: &TempDir) -> Vec<(&'static str, String)> {
    let names = [
        "traverse_wake.csv",
        "traverse_wake.inlet.csv",
        "traverse_wake.history.csv",
        "traverse_plain.csv",
        "traverse_plain.history.csv",
        "traverse_plain.phase.csv",
    ];
    names.map(|name| (name, text(directory, name))).into()
}

#[test]
fn files_are_the_same_on_any_number_of_ranks_and_after_restarts() {
    let alone = with_case(WAKE);
    let log = run_case(alone.path(), 1, &[], 0);
    assert!(
        log.contains("traverse wake: angle_mixed ") && log.contains(" +- "),
        "{log}"
    );
    let expected = left_behind(&alone);
    // Samples at steps between `from` and the end, each a batch, and 16 of them before the first error.
    let history = table_of_history(&alone);
    let [samples, omega, error] = ["samples", "omega", "omega_error"].map(|name| history.column(name).expect(name));
    let count = samples.len();
    assert!((20..30).contains(&count), "{count}");
    assert_eq!(samples, (1..=count).map(|n| n as f64).collect::<Vec<_>>());
    assert!(
        error[14].is_nan() && error[15] > 0.0 && error[count - 1] > 0.0,
        "{error:?}"
    );
    assert_eq!(omega[count - 1], result(&expected[0].1, "omega"));
    intensity_is_that_of_the_columns(&alone);
    // Weighted with the time of each, the means at phases have the mean over all time.
    let (phases, whole) = (
        table(&alone, "traverse_plain.phase.csv"),
        table(&alone, "traverse_plain.csv"),
    );
    let [time, y, u] = ["sample_time", "y", "u"].map(|name| phases.column(name).expect(name));
    assert_eq!(time.len(), 3 * 8);
    for (point, mean) in whole.column("u").expect("u").iter().enumerate() {
        let at = [point, point + 8, point + 16];
        assert!(at.iter().all(|&row| time[row] > 0.0 && y[row] == y[point]));
        let [sum, all] = [1, 0].map(|power| at.iter().map(|&row| time[row] * u[row].powi(power)).sum::<f64>());
        assert!((sum / all - mean).abs() < 1e-14);
    }
    for ranks in [2, 3] {
        let directory = with_case(WAKE);
        run_case(directory.path(), ranks, &[], 0);
        assert!(left_behind(&directory) == expected, "on {ranks} ranks");
    }
    let directory = with_case(WAKE);
    for (ranks, steps) in [(3, 20), (1, 40), (2, 60)] {
        run_case(directory.path(), ranks, &[&format!("time.steps={steps}")], 0);
    }
    assert!(left_behind(&directory) == expected, "after restarts");
}

/// The turbulence intensity of both planes is the mean of its column, and this is that of the stresses beside it; it
/// has an error everywhere. `results.json` has it, too.
fn intensity_is_that_of_the_columns(directory: &TempDir) {
    let results: serde_json::Value = serde_json::from_str(&text(directory, "results.json")).expect("JSON");
    let text = text(directory, "traverse_wake.csv");
    for (file, name) in [("traverse_wake.csv", "Tu"), ("traverse_wake.inlet.csv", "inlet_Tu")] {
        let table = table(directory, file);
        let column = |name: &str| table.column(name).unwrap_or_else(|| panic!("no {name}"));
        let square = |name: &str, point: usize| column(name)[point].powi(2);
        let (tu, flux) = (column("Tu"), column("rho_u"));
        for (point, tu) in tu.iter().enumerate() {
            let energy = ["uu", "vv", "ww"].map(|name| column(name)[point]).iter().sum::<f64>();
            let speed = ["u", "v", "w"].map(|name| square(name, point)).iter().sum::<f64>();
            assert!((tu - (energy / (3.0 * speed)).sqrt()).abs() < 1e-12 && *tu > 1e-3);
            assert!(column("Tu_error")[point] > 0.0);
        }
        let weighted = tu.iter().zip(flux).map(|(tu, flux)| tu * flux).sum::<f64>();
        let expected = weighted / flux.iter().sum::<f64>();
        assert!((result(&text, name) - expected).abs() < 1e-14, "{name}");
        let entry = &results["results"][&format!("traverses.wake.{name}")];
        assert_eq!(entry["value"].as_f64(), Some(result(&text, name)));
        assert!(entry["error"].as_f64() > Some(0.0) && entry["unit"] == "-", "{entry}");
    }
}

#[test]
fn sums_of_other_points_are_not_continued_and_unused_ones_are_named() {
    let directory = with_case(WAKE);
    run_case(directory.path(), 1, &["time.steps=20"], 0);
    let log = run_case(
        directory.path(),
        1,
        &["time.steps=40", "output.traverses.wake.x=0.8"],
        0,
    );
    assert!(log.contains("output.traverses.wake begins anew"), "{log}");
    assert!(
        log.contains("`output.traverses.wake` differs from that of the checkpoint"),
        "{log}"
    );
    assert!(!log.contains("output.traverses.plain"), "{log}");
    let log = run_case(directory.path(), 1, &["time.steps=60", "output.traverses=null"], 0);
    assert!(log.contains("sums of output.traverses"), "{log}");
}

#[test]
fn traverses_that_the_mesh_cannot_have_are_refused() {
    for (change, parts) in [
        (
            ", inlet-x: -0.1",
            vec!["lies in no cell", "output.traverses.wake.inlet-x"],
        ),
        (", from: -1", vec!["at least 0", "output.traverses.wake.from"]),
    ] {
        let directory = with_case(&one_sample(change));
        slanted(&directory.path().join("mesh.h5"), BoxElements::Hex, REPEATED);
        refuses(&directory, &["run.yaml"], &parts);
        refuses(&directory, &["check", "run.yaml"], &parts);
    }
    let directory = with_case(&one_sample("").replace("x+:", "y-: {type: slip}, y+: {type: slip}, x+:"));
    slanted(
        &directory.path().join("mesh.h5"),
        BoxElements::Hex,
        [false, false, true],
    );
    refuses(
        &directory,
        &["run.yaml"],
        &["does not repeat in y", "output.traverses.wake"],
    );
}

/// Tests that need a GPU.
mod gpu {
    use super::*;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn files_are_those_of_the_cpu_in_strict_arithmetic() {
        let on = |set: &[&str]| {
            let directory = with_case(WAKE);
            run_case(directory.path(), 1, set, 0);
            left_behind(&directory)
        };
        assert!(on(&["device=cuda", "arithmetic=strict"]) == on(&[]));
    }
}
