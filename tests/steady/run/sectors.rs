//! Steady solutions on sectors by the program: ranks and restarts to the bit, radial distributions, the start of a
//! large-eddy simulation, and meshes that are refused.

use std::fmt::Write;
use std::path::Path;

use super::steady;
use crate::common::program::{case_command, ended, output, program, run, run_case, with_case};
use fr_les::io::{Table, read_series};

/// A free vortex between a hub with friction and a casing that lets it slip.
const CASE: &str = "\
mesh: {file: sector.h5}
order: 2
gas: {gas-constant: 1, viscosity: {constant: 1e-4}}
constants: {c: 0.4}
boundaries:
  inner: {type: no-slip-adiabatic}
  outer: {type: slip}
  z-: {type: far-field, u: -c*y/(x^2 + y^2), v: c*x/(x^2 + y^2), w: 0.3, p: 1/1.4 - c^2/2/(x^2 + y^2), rho: 1}
  z+: {type: pressure-outlet, p: 1/1.4 - c^2/2/(x^2 + y^2)}
initial: {u: -c*y/(x^2 + y^2), v: c*x/(x^2 + y^2), w: 0.3, p: 1/1.4 - c^2/2/(x^2 + y^2), rho: 1}
device: cpu
steady: {turbulence: sa-neg, iterations: 40}
output:
  annuli: {exit: {axis: z, x: 0.5, radii: [1.2, 1.8], counts: [6, 3], every-steps: 1}}
  boundaries: {every-steps: 1}
time: {steps: 2}
";

/// Makes a sector of an eighth, or of another angle in degrees, about the z axis.
fn make_mesh(directory: &Path, file: &str, angle: &str) {
    let generate = ["mesh", "generate", "annulus", file, "--inner", "1", "--outer", "2"];
    let sizes = ["--length", "1", "--cells", "4,3,3", "--angle", angle];
    let more = ["--growth", "1.5", "--hex-layers", "2", "--periodic", "theta"];
    ended(&run(directory, &[&generate[..], &sizes, &more].concat()), 0);
}

fn table(path: &Path) -> Table {
    read_series(path).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_solution_on_a_sector_continues_to_the_bit_on_any_number_of_ranks_and_begins_a_run() {
    let directory = with_case(CASE);
    let path = directory.path();
    make_mesh(path, "sector.h5", "45");
    let check = output(program(path).args(["check", "run.yaml", "--steady"]), 0);
    assert!(
        check.contains("378 vertices of 54 cells, points of degree 2"),
        "{check}"
    );
    for driver in ["explicit", "implicit"] {
        let driver = format!("steady.driver={driver}");
        let set = |more: &[&str]| -> Vec<String> {
            [&[driver.as_str()], more]
                .concat()
                .iter()
                .map(|&key| key.to_owned())
                .collect()
        };
        let solve = |ranks: usize, more: &[&str]| {
            let keys = set(more);
            steady(path, ranks, &keys.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let whole = solve(1, &[]);
        assert_eq!(solve(3, &["output.directory=three"]), whole, "{driver}");
        solve(2, &["output.directory=half", "steady.iterations=20"]);
        let continued = solve(1, &["output.directory=half", "restart=half/steady/steady.h5"]);
        assert_eq!(continued, whole, "{driver}");
        let [one, three] = ["results", "three"].map(|folder| {
            std::fs::read_to_string(path.join(folder).join("steady/annulus_exit.csv")).expect("a distribution")
        });
        let rows = |text: &str| -> Vec<String> {
            text.lines()
                .skip_while(|line| line.starts_with('#'))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(rows(&one), rows(&three));
    }
    let log = run_case(
        path,
        1,
        &["initial={file: results/steady/steady.h5}", "output.directory=les"],
        0,
    );
    assert!(log.contains("initial state from the checkpoint"), "{log}");
}

/// Without a step the outputs sample the initial state, so that they show how the points of the sector are filled.
#[test]
fn radial_distributions_and_files_of_a_solution_are_those_of_its_swirl() {
    let directory = with_case(CASE);
    let path = directory.path();
    make_mesh(path, "sector.h5", "45");
    let set = ["steady.iterations=0", "boundaries.inner={type: slip}"];
    output(case_command(path, 2, &set).arg("--steady"), 0);
    let exit = table(&path.join("results/steady/annulus_exit.csv"));
    let column = |name: &str| {
        exit.column(name)
            .unwrap_or_else(|| panic!("no {name} in {:?}", exit.names))
    };
    let radii = column("r");
    assert_eq!(radii.len(), 3);
    let exact = |name: &str, r: f64| match name {
        "u_theta" => 0.4 / r,
        "u_axial" => 0.3,
        _ => 0.0,
    };
    for name in ["u_theta", "u_axial", "u_radial"] {
        for (value, &r) in column(name).iter().zip(radii) {
            assert!((value - exact(name, r)).abs() < 3e-3, "{name} at {r}: {value}");
        }
    }
    // So has the file for ParaView at the nodes of all cells.
    let file = hdf5::File::open(path.join("results/steady/steady.vtkhdf")).expect("an HDF5 file");
    let of = |name: &str| -> Vec<f64> { file.dataset(name).and_then(|data| data.read_raw()).expect("values") };
    let [points, velocities] = ["VTKHDF/Points", "VTKHDF/PointData/velocity"].map(of);
    assert!(!points.is_empty() && points.len() == velocities.len());
    for (x, v) in points.as_chunks::<3>().0.iter().zip(velocities.as_chunks::<3>().0) {
        let square = x[0] * x[0] + x[1] * x[1];
        for (found, exact) in v.iter().zip([-0.4 * x[1] / square, 0.4 * x[0] / square, 0.3]) {
            assert!((found - exact).abs() < 1e-6, "{found} for {exact} at {x:?}");
        }
    }
}

#[test]
fn a_solution_in_a_rotating_frame_has_the_same_bits_on_any_number_of_ranks_and_begins_a_run() {
    let directory = with_case(CASE);
    let path = directory.path();
    make_mesh(path, "sector.h5", "45");
    // The casing is at rest, and gas enters along the axis.
    let turning = [
        "rotating-frame={angular-velocity: [0, 0, 0.3]}",
        "initial={u: 0, v: 0, w: 0.3, p: 1/1.4, temperature: 1/1.4, frame: absolute}",
        "boundaries.outer={type: no-slip-adiabatic, frame: absolute}",
        "boundaries.z-={type: total-inlet, total-pressure: 1.065/1.4, total-temperature: 1.018/1.4, \
         direction: [0, 0, 1], frame: absolute}",
        "boundaries.z+.p=1/1.4",
        "steady.driver=implicit",
    ];
    let with = |more: &[&'static str]| [&turning[..], more].concat();
    let whole = steady(path, 1, &turning);
    assert_eq!(steady(path, 3, &with(&["output.directory=three"])), whole);
    let log = run_case(
        path,
        2,
        &with(&["initial={file: results/steady/steady.h5}", "output.directory=les"]),
        0,
    );
    assert!(log.contains("initial state from the checkpoint"), "{log}");
    let check = output(
        program(path)
            .args(["check", "run.yaml", "--steady"])
            .args(turning.iter().flat_map(|set| ["--set", *set])),
        0,
    );
    assert!(
        check.contains("model sa-neg, in a frame that turns at 0.3 about"),
        "{check}"
    );
    // The sides of the sector do not go with another axis.
    for set in [
        &with(&["rotating-frame.angular-velocity=[0.3, 0, 0]"])[..],
        &with(&["rotating-frame.angular-velocity=[0.3, 0, 0]", "output={}"]),
    ] {
        let log = output(case_command(path, 1, set).arg("--steady"), 2);
        assert!(log.contains("the centrifugal force of the frame differs"), "{log}");
    }
}

#[test]
fn sectors_that_do_not_go_together_and_axes_in_the_mesh_are_refused() {
    let directory = with_case(CASE);
    let path = directory.path();
    make_mesh(path, "a.h5", "45");
    make_mesh(path, "b.h5", "30");
    // The second one lies about another axis.
    let join = [
        "mesh",
        "join",
        "a.h5",
        "b.h5",
        "sector.h5",
        "--prefix",
        "a-,b-",
        "--move",
        "0.5,0,1",
    ];
    ended(&run(path, &join), 0);
    let mut boundaries = String::from("boundaries={");
    for name in ["inner", "outer", "z-", "z+"] {
        write!(boundaries, "a-{name}: {{type: slip}}, b-{name}: {{type: slip}}, ").expect("text");
    }
    boundaries.push('}');
    let log = output(case_command(path, 1, &[&boundaries, "output={}"]).arg("--steady"), 2);
    assert!(log.contains("periodic by rotations about different axes"), "{log}");

    // A wedge of one prism whose edge lies on the axis.
    let wedge = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 1 \"low\"\n2 2 \"high\"\n2 3 \"wall\"\n\
                 3 4 \"gas\"\n$EndPhysicalNames\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0.5 0.8660254037844386 0\n4 0 0 1\n\
                 5 1 0 1\n6 0.5 0.8660254037844386 1\n$EndNodes\n$Elements\n6\n1 6 2 4 4 1 2 3 4 5 6\n\
                 2 3 2 1 1 1 2 5 4\n3 3 2 2 2 1 3 6 4\n4 3 2 3 3 2 3 6 5\n5 2 2 3 3 1 2 3\n6 2 2 3 3 4 5 6\n\
                 $EndElements\n";
    std::fs::write(path.join("wedge.msh"), wedge).expect("written");
    let mesh = "mesh={file: wedge.msh, periodic: [{from: low, to: high, rotation: {axis: [0, 0, 1], angle: 60}}]}";
    let set = [
        mesh,
        "boundaries={wall: {type: slip}}",
        "output={}",
        "initial={u: 0, v: 0, w: 0, p: 1, rho: 1}",
    ];
    let log = output(case_command(path, 1, &set).arg("--steady"), 2);
    assert!(log.contains("lies on the axis of the rotation"), "{log}");
}
