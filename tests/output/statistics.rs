//! Turbulence statistics by the program: a profile with its walls, the means of known flows, the same files on any
//! number of ranks and after any restarts, and averages that are refused.

mod budget;
mod errors;
mod sums;

use crate::common::program::{refuses, run_case, succeeds, with_case};
use fr_les::io::read_series;
use tempfile::TempDir;

/// A vortex between walls, on hexahedra of different heights.
const CHANNEL: &str = "\
title: small channel
mesh: {box: {cells: [3, 4, 3], lower: [-pi, -1, -pi], upper: [pi, 1, pi], periodic: [x, z], stretch: {y: {tanh: 1.5}}}}
order: 2
constants: {p0: 1/(1.4*0.2^2)}
gas: {viscosity: {constant: 1/20}}
initial: {u: 1 - y^2 + 0.1*sin(x)*cos(z), v: 0.1*cos(x)*(1 - y^2), w: 0.1*sin(x + z), p: p0, temperature: p0}
boundaries: {y-: {type: no-slip-isothermal, temperature: p0}, y+: {type: no-slip-isothermal, temperature: p0}}
forcing: {force: [0.1, 0, 0]}
device: cpu
scheme: {shock: none, entropy-correction: none}
time: {steps: 40, cfl: 0.9, scheme: rk4}
output: {statistics: {from: 0.05, every-steps: 3, average: [x, z]}, checkpoint: {every-steps: 10}}
restart: latest
";

fn read(directory: &TempDir, name: &str) -> String {
    std::fs::read_to_string(directory.path().join("results").join(name)).unwrap()
}

/// Returns the checksum of all cells of a checkpoint, including the sums of statistics. It does not depend on the order
/// of the cells.
fn checksum(directory: &TempDir, step: usize) -> String {
    let file = hdf5::File::open(directory.path().join(format!("results/checkpoint_{step:08}.h5"))).unwrap();
    let header = file.dataset("checkpoint/header").unwrap();
    let text = String::from_utf8(
        header.read_raw::<hdf5::types::FixedAscii<8192>>().unwrap()[0]
            .as_bytes()
            .to_vec(),
    );
    let header: serde_json::Value = serde_json::from_str(&text.unwrap()).unwrap();
    assert!(header["fields"].to_string().contains("statistics"), "{header}");
    header["cells_checksum"].to_string()
}

#[test]
fn files_and_sums_are_the_same_on_any_number_of_ranks_and_after_any_stops() {
    for (precision, every) in [("double", "every-steps: 3"), ("single", "every: 0.031")] {
        let text = CHANNEL
            .replace("order: 2", &format!("order: 2\nprecision: {precision}"))
            .replace("output:", "scalars: {dye: {schmidt: 1, initial: sin(x)}}\noutput:")
            .replace("every-steps: 3", every);
        let whole = with_case(&text);
        run_case(whole.path(), 1, &[], 0);
        let bytes = |of: &TempDir| {
            ["csv", "h5"].map(|kind| std::fs::read(of.path().join("results/statistics").with_extension(kind)).unwrap())
        };
        let (expected, sums) = (bytes(&whole), checksum(&whole, 40));
        for ranks in [2, 3] {
            let other = with_case(&text);
            run_case(other.path(), ranks, &[], 0);
            assert!(bytes(&other) == expected, "{ranks} ranks, {precision}");
            assert_eq!(checksum(&other, 40), sums, "{ranks} ranks, {precision}");
        }
        let stopped = with_case(&text);
        for (ranks, steps) in [(2, 10), (1, 20), (3, 30), (2, 40)] {
            run_case(stopped.path(), ranks, &[&format!("time.steps={steps}")], 0);
        }
        assert!(bytes(&stopped) == expected, "stopped, {precision}");
        assert_eq!(checksum(&stopped, 40), sums, "stopped, {precision}");
    }
}

#[test]
fn sums_continue_on_ranks_that_have_no_cells_of_some_kinds() {
    let ring = "mesh: {file: ring.h5}\norder: 2\ngas: {viscosity: {constant: 0.01}}\n\
        initial: {u: sin(x), v: 0, w: 0, p: 10, temperature: 10}\n\
        boundaries: {inner: {type: slip}, outer: {type: slip}}\ndevice: cpu\ntime: {steps: 20, dt: 0.001}\n\
        output: {statistics: {from: 0, every-steps: 2, average: [z]}, checkpoint: {every-steps: 10}}\n\
        restart: latest\n";
    let case = || {
        let directory = with_case(ring);
        let words = "mesh generate annulus ring.h5 --inner 1 --outer 2 --length 1 --cells 4,6,2 --hex-layers 2 \
            --periodic theta,z --order 2";
        succeeds(&directory, &words.split_whitespace().collect::<Vec<_>>());
        directory
    };
    let whole = case();
    run_case(whole.path(), 1, &[], 0);
    let expected = checksum(&whole, 20);
    // On four and five ranks some have cells of one kind alone.
    for (before, after) in [(1, 4), (1, 5), (4, 1), (5, 2), (2, 3)] {
        let stopped = case();
        run_case(stopped.path(), before, &["time.steps=10"], 0);
        let log = run_case(stopped.path(), after, &[], 0);
        assert!(!log.contains("begins anew"), "{before} to {after} ranks\n{log}");
        assert_eq!(checksum(&stopped, 20), expected, "{before} to {after} ranks");
    }
}

#[test]
fn mean_fields_are_the_same_on_any_number_of_ranks() {
    let text = CHANNEL.replace("[x, z]}, checkpoint", "[z]}, checkpoint");
    let directories = [1, 3].map(|ranks| {
        let directory = with_case(&text);
        run_case(directory.path(), ranks, &["time.steps=20"], 0);
        directory
    });
    for name in ["velocity", "stress_uv_uw_vw", "third_uuv_vvv_vww"] {
        let fields = directories.each_ref().map(|directory| {
            let file = hdf5::File::open(directory.path().join("results/statistics.vtkhdf")).unwrap();
            let ids = file.dataset("VTKHDF/CellData/global_cell_id").unwrap();
            let ids: Vec<u64> = ids.read_raw().unwrap();
            let values: Vec<f64> = file
                .dataset(&format!("VTKHDF/PointData/{name}"))
                .unwrap()
                .read_raw()
                .unwrap();
            let size = values.len() / ids.len();
            let mut cells: Vec<(u64, Vec<f64>)> =
                ids.into_iter().zip(values.chunks(size).map(<[f64]>::to_vec)).collect();
            cells.sort_by_key(|(id, _)| *id);
            cells
        });
        assert_eq!(fields[0].len(), 36);
        assert!(fields[0] == fields[1], "{name}");
    }
    // The same means, each place once: 3 cells along x and 4 along y with 3 points each, of which neighbours share one.
    let planes = directories.each_ref().map(|directory| {
        let path = directory.path().join("results/statistics.h5");
        let file = hdf5::File::open(&path).unwrap();
        let column = |name: &str| file.dataset(name).unwrap().read_raw::<f64>().unwrap();
        let x = column("x");
        let y = column("y");
        let u = column("u");
        assert_eq!([x.len(), y.len(), u.len()], [7 * 9; 3]);
        assert!((0..7).all(|i| y[9 * i..9 * i + 9].is_sorted() && x[9 * i..9 * i + 9].iter().all(|a| *a == x[9 * i])));
        // Both ends of a column are next to the walls, where the gas nearly stands.
        assert!((0..7).all(|i| u[9 * i].abs() < 0.1 && u[9 * i + 4] > 0.8), "{u:?}");
        std::fs::read(path).unwrap()
    });
    assert!(planes[0] == planes[1], "statistics.h5");
    // The attribute has the same text as the comments of a profile.
    let notes = directories.each_ref().map(|directory| {
        let file = hdf5::File::open(directory.path().join("results/statistics.vtkhdf")).unwrap();
        let note: hdf5::types::FixedAscii<4096> = file.attr("statistics").unwrap().read_scalar().unwrap();
        note.to_string()
    });
    assert_eq!(notes[0], notes[1]);
    for part in ["samples: 5", "sample-time: ", "wall y-: tau = ", "re_tau: "] {
        assert!(notes[0].contains(part), "{}", notes[0]);
    }
}

#[test]
fn a_profile_contains_its_walls_and_means() {
    let directory = with_case(CHANNEL);
    let log = succeeds(&directory, &["run.yaml"]);
    assert!(log.contains("planes along x and z"), "{log}");
    let text = read(&directory, "statistics.csv");
    println!("{text}");
    let table = read_series(&directory.path().join("results/statistics.csv")).unwrap();
    let y = table.column("y").unwrap();
    // Four cells have three points each and share the points between them.
    assert_eq!(y.len(), 9);
    assert!(y.is_sorted() && (y[0] + 1.0).abs() < 1e-12 && (y[8] - 1.0).abs() < 1e-12);
    let u = table.column("u").unwrap();
    assert!(u[4] > 0.9 && u[0].abs() < 0.1 && (u[0] - u[8]).abs() < 0.1, "{u:?}");
    let uu = table.column("uu").unwrap();
    assert!(uu.iter().all(|x| (-1e-12..0.1).contains(x)), "{uu:?}");
    let line = |name: &str| {
        let start = format!("# {name}: ");
        let found = text.lines().find_map(|line| line.strip_prefix(&start));
        found.unwrap_or_else(|| panic!("no {name}")).to_owned()
    };
    let value = |line: &str, name: &str| -> f64 {
        let of = line
            .split(", ")
            .find_map(|part| part.strip_prefix(&format!("{name} = ")));
        of.unwrap_or_else(|| panic!("no {name} in {line}")).parse().unwrap()
    };
    assert_eq!(line("samples"), "12");
    let mut reynolds = [0.0; 2];
    for (wall, number) in ["wall y-", "wall y+"].iter().zip(&mut reynolds) {
        let wall = line(wall);
        let [tau, rho, mu, u_tau, nu] = ["tau", "rho", "mu", "u_tau", "nu"].map(|name| value(&wall, name));
        assert_eq!(mu, 0.05);
        assert!((nu - mu / rho).abs() < 1e-15 && (u_tau - (tau / rho).sqrt()).abs() < 1e-15);
        // mu du/dy of the profile at a wall is close to 2 mu.
        assert!((tau - 0.1).abs() < 0.03, "{wall}");
        assert!(value(&wall, "heat_flux").abs() < 1.0, "{wall}");
        *number = u_tau / nu;
    }
    let re_tau: f64 = line("re_tau").parse().unwrap();
    assert!(re_tau >= 0.99 * reynolds[0].min(reynolds[1]) && re_tau <= 1.01 * reynolds[0].max(reynolds[1]));
    let file = hdf5::File::open(directory.path().join("results/statistics.h5")).unwrap();
    assert_eq!(file.dataset("u").unwrap().read_raw::<f64>().unwrap(), u);
    let number: f64 = file.attr("re_tau").unwrap().read_scalar().unwrap();
    assert_eq!(number, re_tau);
}

#[test]
fn a_uniform_flow_is_its_own_mean_without_fluctuations_in_all_cells() {
    // Vertices of triangles of order 2 and of tetrahedra of order 3 have zero weights.
    for (elements, average, precision, order) in [
        ("mixed", "[]", "double", 2),
        ("tet", "[]", "single", 3),
        ("prism", "[]", "double", 2),
        ("prism", "[z]", "double", 2),
        ("hex", "[y]", "single", 2),
    ] {
        let text = format!(
            "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], \
             elements: {elements}}}}}\n\
             order: {order}\nprecision: {precision}\ngas: {{viscosity: {{constant: 1/100}}}}\n\
             initial: {{u: 0.5, v: 0.25, w: 0.125, p: 1, rho: 1}}\ndevice: cpu\ntime: {{steps: 6, cfl: 0.5}}\n\
             output: {{statistics: {{every-steps: 2, average: {average}}}}}\n"
        );
        let directory = with_case(&text);
        succeeds(&directory, &["run.yaml"]);
        let file = hdf5::File::open(directory.path().join("results/statistics.vtkhdf")).unwrap();
        let field = |name: &str| {
            let dataset = file.dataset(&format!("VTKHDF/PointData/{name}")).unwrap();
            dataset.read_raw::<f64>().unwrap()
        };
        let tolerance = if precision == "double" { 1e-12 } else { 1e-5 };
        let near = |name: &str, values: &[f64]| {
            let (found, width) = (field(name), values.len());
            let near = |(i, x): (usize, &f64)| (x - values[i % width]).abs() < tolerance;
            assert!(
                found.iter().enumerate().all(near),
                "{elements} p {order} {name}: {found:?}"
            );
        };
        near("velocity", &[0.5, 0.25, 0.125]);
        near("pressure", &[1.0]);
        near("stress_uu_vv_ww", &[0.0; 3]);
        near("third_uuu_uvv_uww", &[0.0; 3]);
        assert!(!directory.path().join("results/statistics.csv").exists());
    }
}

#[test]
fn impossible_averages_are_refused_before_anything_is_written() {
    let with = |more: &str| {
        with_case(
            &CHANNEL
                .replace("stretch: {y: {tanh: 1.5}}", more)
                .replace("[3, 4, 3]", "[4, 4, 4]"),
        )
    };
    for (more, part) in [
        ("elements: tet", "tet 0"),
        ("elements: prism", "prism 0"),
        ("elements: mixed", "does not have"),
        ("warp: 0.1", "hex"),
    ] {
        let directory = with(more);
        for arguments in [vec!["run.yaml"], vec!["check", "run.yaml"]] {
            refuses(
                &directory,
                &arguments,
                &[
                    "output.statistics.average",
                    part,
                    "planes of points along x and z",
                    "average: []",
                ],
            );
        }
        succeeds(
            &directory,
            &["check", "run.yaml", "--set", "output.statistics.average=[]"],
        );
    }
    let directory = with_case(CHANNEL);
    for (set, part) in [
        ("output.statistics.average=[x, x]", "named twice"),
        ("output.statistics.average=[x, y, z]", "not periodic in y"),
        ("output.statistics.from=-1", "at least 0"),
        ("output.statistics.every=1", "exclude each other"),
    ] {
        refuses(&directory, &["run.yaml", "--set", set], &["output.statistics", part]);
    }
}

#[test]
fn sums_of_other_settings_are_not_continued() {
    let directory = with_case(CHANNEL);
    succeeds(&directory, &["run.yaml", "--set", "time.steps=20"]);
    let samples = |directory: &TempDir| {
        let text = read(directory, "statistics.csv");
        text.lines()
            .find(|line| line.starts_with("# samples"))
            .unwrap()
            .to_owned()
    };
    let other = |set: &[&str]| run_case(directory.path(), 1, set, 0);
    assert_eq!(samples(&directory), "# samples: 5");
    let log = other(&["time.steps=30", "output.statistics.from=1e-9"]);
    assert!(
        log.contains("begins anew") && log.contains("averaged over [x and z]"),
        "{log}"
    );
    assert_eq!(samples(&directory), "# samples: 4");
    assert!(read(&directory, "statistics.csv").contains("\ny,rho,rho_error,rho_at_least,u,"));
    let log = other(&["time.steps=40", "output.statistics.from=1e-9", "order=3"]);
    assert!(log.contains("another order"), "{log}");
    let log = other(&["time.steps=42", "output.statistics=null", "order=3"]);
    assert!(log.contains("the checkpoint has sums of output.statistics"), "{log}");
    let log = other(&["time.steps=45", "output.statistics.from=1e9", "order=3"]);
    assert!(log.contains("output.statistics: nothing has been sampled"), "{log}");
    let log = other(&["time.steps=50", "output.statistics.average=[z]", "order=3"]);
    assert!(
        log.contains("statistics.csv is of means over other directions"),
        "{log}"
    );
}

/// A constant scalar has its value as means, and neither fluctuations nor fluxes. One between walls that hold it keeps
/// nearly its linear profile.
#[test]
fn statistics_have_the_means_and_fluxes_of_passive_scalars() {
    let scalars = "scalars: {dye: {schmidt: 1, initial: 2}, \
        smoke: {schmidt: 1, initial: 1 + y, boundaries: {y-: 0, y+: 2}}}\noutput:";
    let favre = CHANNEL
        .replacen("output:", scalars, 1)
        .replace("every-steps: 3,", "every-steps: 3, favre: true,");
    let directory = with_case(&favre);
    succeeds(&directory, &["run.yaml"]);
    let table = read_series(&directory.path().join("results/statistics.csv")).unwrap();
    let column = |name: &str| table.column(name).unwrap_or_else(|| panic!("no {name}"));
    assert!(
        column("dye")
            .iter()
            .chain(column("dye_favre"))
            .all(|c| (c - 2.0).abs() < 1e-12)
    );
    for name in ["u_dye", "v_dye", "w_dye", "u_dye_favre"] {
        assert!(column(name).iter().all(|flux| flux.abs() < 1e-12), "{name}");
    }
    assert!(column("dye_rms").iter().all(|rms| rms.abs() < 1e-6));
    let (y, smoke) = (column("y"), column("smoke"));
    assert!(
        smoke.iter().zip(y).all(|(c, y)| (c - 1.0 - y).abs() < 0.05),
        "{smoke:?}"
    );
    assert!(column("smoke_rms").iter().any(|rms| *rms > 0.0));

    let fields = favre.replace("average: [x, z]", "average: []");
    let directory = with_case(&fields);
    succeeds(&directory, &["run.yaml"]);
    let file = hdf5::File::open(directory.path().join("results/statistics.vtkhdf")).unwrap();
    let values = |name: &str| {
        file.dataset(&format!("VTKHDF/PointData/{name}"))
            .unwrap()
            .read_raw::<f64>()
            .unwrap()
    };
    let points = values("density").len();
    assert!(values("dye").iter().all(|c| (c - 2.0).abs() < 1e-12));
    for (name, components) in [
        ("smoke_rms", 1),
        ("smoke_flux", 3),
        ("smoke_favre", 1),
        ("smoke_flux_favre", 3),
    ] {
        assert_eq!(values(name).len(), components * points, "{name}");
    }

    let twice = fields.replace("smoke:", "p_rms:");
    let parts = ["two columns of the statistics would have the name `p_rms`"];
    refuses(&with_case(&twice), &["run.yaml"], &parts);
}

/// Probes have the scalars where they are, with the same bytes on several ranks, in series and in files.
#[test]
fn probes_have_the_passive_scalars() {
    let scalars = "scalars: {dye: {schmidt: 1, initial: 2}, \
        smoke: {schmidt: 1, initial: 1 + y, boundaries: {y-: 0, y+: 2}}}\noutput:";
    let probes = "probes: {some: {points: [[0, -0.5, 0], [1, 0.5, 1]], every-steps: 20}, \
        plane: {plane: {origin: [0, -0.5, 0], edges: [[1, 0, 0], [0, 1, 0]], counts: [2, 3]}, \
        every-steps: 40}}, statistics:";
    let text = CHANNEL.replacen("output:", scalars, 1).replace("statistics:", probes);
    let files = [1, 3].map(|ranks| {
        let directory = with_case(&text);
        run_case(directory.path(), ranks, &[], 0);
        let table = read_series(&directory.path().join("results/probes_some.csv")).unwrap();
        let column = |name: &str| table.column(name).unwrap_or_else(|| panic!("no {name}")).to_vec();
        assert!(column("dye").iter().all(|c| (c - 2.0).abs() < 1e-12));
        for (smoke, y) in column("smoke").iter().zip(column("y")) {
            assert!((smoke - 1.0 - y).abs() < 0.05, "{smoke} at {y}");
        }
        let file = hdf5::File::open(directory.path().join("results/probes_plane_0001.vtkhdf")).unwrap();
        let smoke = file
            .dataset("VTKHDF/PointData/smoke")
            .unwrap()
            .read_raw::<f64>()
            .unwrap();
        assert_eq!(smoke.len(), 6);
        (
            std::fs::read(directory.path().join("results/probes_some.csv")).unwrap(),
            smoke,
        )
    });
    assert!(files[0] == files[1]);
}
