//! Values of boundaries and initial states from tables: values at points against those worked by hand, flows against
//! those of expressions, and what is refused.

use std::path::Path;

use crate::common::cases::advance;
use fr_les::case::{Case, Field};
use fr_les::solver::Solver;
use tempfile::TempDir;

const SHEAR: &str =
    "# measured\ny [m], u [m/s], temperature (K)\n0, 10, 300\n0.25, 12, 300\n0.5, 30, 310\n1, 50, 320\n";

/// Returns a folder with files of these names and contents.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("temporary directory");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

/// Reads a case that lies in a folder.
fn case_in(folder: &Path, text: &str) -> Case {
    let one_thread = ["threads=1".to_owned()];
    Case::parse(text, &folder.join("run.yaml"), &one_thread).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Returns the text of a case whose initial velocity in x is as given.
fn with_velocity(u: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [2, 2, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}}}\norder: 2\n\
         initial: {{u: {u}, v: 0, w: 0, p: 1, rho: 1}}\ntime: {{steps: 1}}\n"
    )
}

/// Returns the field of a table that lies in a file of this text.
fn field(table: &str, keys: &str) -> Field {
    let folder = folder(&[("table.csv", table)]);
    let text = with_velocity(&format!("{{file: table.csv, {keys}}}"));
    let case = case_in(folder.path(), &text);
    case.solver.initial.state().expect("fields").velocity[0].clone()
}

/// Compares values at points with those expected.
fn compare(field: &Field, expected: &[([f64; 3], f64)]) {
    for &(x, value) in expected {
        let found = field.eval(x, 0.0);
        assert!(
            (found - value).abs() <= 2e-15 * value.abs(),
            "{x:?}: {found}, expected {value}"
        );
    }
}

#[test]
fn a_table_along_a_direction_is_read_between_its_rows_and_held_just_beyond_its_ends() {
    let linear = field(SHEAR, "along: y");
    compare(
        &linear,
        &[
            ([7.0, 0.0, -1.0], 10.0),
            ([7.0, 0.125, 5.0], 11.0),
            ([0.0, 0.25, 0.0], 12.0),
            ([0.0, 0.75, 0.0], 40.0),
            ([0.0, 1.0, 0.0], 50.0),
            // By a ten thousandth of the length.
            ([0.0, -0.9e-4, 0.0], 10.0),
            ([0.0, 1.0 + 0.9e-4, 0.0], 50.0),
        ],
    );
    assert!(linear.eval([0.0, -1.1e-4, 0.0], 0.0).is_nan() && linear.eval([0.0, 1.1, 0.0], 0.0).is_nan());
    // The lines have the slopes 8, 72 and 40; harmonic means of them are the slopes of the cubic at the rows.
    let at_quarter = 2.0 / (1.0 / 8.0 + 1.0 / 72.0);
    let at_half = 2.25 / (1.25 / 72.0 + 1.0 / 40.0);
    let middle = 21.0 + 0.25 / 8.0 * (at_quarter - at_half);
    compare(
        &field(SHEAR, "along: y, interpolation: cubic"),
        &[([0.0, 0.375, 0.0], middle), ([0.0, 0.5, 0.0], 30.0)],
    );
    compare(
        &field(SHEAR, "along: y, column: temperature"),
        &[([0.0, 0.375, 0.0], 305.0)],
    );
    // Units in a row of their own, and no line feed at the end.
    compare(
        &field("x,u\nm,m/s\n-1,0\n1,4", "along: x"),
        &[([0.5, 0.0, 0.0], 3.0), ([1.0, 9.0, 9.0], 4.0)],
    );
}

/// A channel whose velocity is a table along the distance from its walls; `walls` are the types of y- and y+.
fn channel(walls: [&str; 2]) -> (TempDir, String) {
    let folder = folder(&[("layer.csv", "wall-distance [m], u [m/s]\n0, 0\n0.25, 4\n0.5, 5\n")]);
    let [lower, upper] = walls;
    let u = "{file: layer.csv, along: wall-distance}";
    let text = format!(
        "mesh: {{box: {{cells: [2, 6, 2], lower: [0, 1, 0], upper: [1, 2, 1], periodic: [z], elements: prism}}}}\n\
         order: 2\ngas: {{viscosity: {{constant: 1}}}}\n\
         initial: {{u: {u}, v: 0, w: 0, p: 1, rho: 1}}\nboundaries:\n  x-: {{type: velocity-inlet, u: {u}, v: 0, w: 0, \
         rho: 1}}\n  x+: {{type: pressure-outlet, p: 1}}\n  y-: {{type: {lower}}}\n  y+: {{type: {upper}}}\n\
         time: {{steps: 1}}\n"
    );
    (folder, text)
}

#[test]
fn the_distance_from_walls_is_that_of_the_mesh() {
    let (folder, text) = channel(["no-slip-adiabatic", "no-slip-isothermal, temperature: 1"]);
    let solver = Solver::new(&case_in(folder.path(), &text).solver).expect("a solver");
    let state = solver.device.state().expect("the state");
    for (cell, &kind) in solver.geometry.kinds.iter().enumerate() {
        let (first, points) = (solver.geometry.first_point[cell], solver.geometry.cell_points(cell));
        for (p, x) in solver.geometry.cell_positions(cell).iter().enumerate() {
            let d = (x[1] - 1.0).min(2.0 - x[1]);
            let expected = if d < 0.25 { 16.0 * d } else { 4.0 + 4.0 * (d - 0.25) };
            let found = state[5 * first + points + p];
            assert!((found - expected).abs() < 1e-13, "{kind:?} {x:?}: {found} {expected}");
        }
    }
    // The case itself knows no mesh.
    let Some(state) = case_in(folder.path(), &text).solver.initial.state().cloned() else {
        panic!("fields")
    };
    assert!(state.velocity[0].eval([0.0, 1.5, 0.0], 0.0).is_nan());
}

#[test]
fn a_table_along_the_distance_from_walls_needs_a_wall_and_covers_the_distances() {
    for (walls, key, part) in [
        (
            ["slip", "slip"],
            "boundaries.x-",
            "needs a wall, and no boundary of this mesh is no-slip",
        ),
        (
            ["slip", "no-slip-adiabatic"],
            "initial.u",
            "is needed at wall-distance = 1 at (0, 1, 0) and t = 0; it must be within 0 to 0.5",
        ),
    ] {
        let (folder, text) = channel(walls);
        let case = case_in(folder.path(), &text);
        let Err(error) = Solver::new(&case.solver) else {
            panic!("{walls:?} is accepted")
        };
        let message = error.to_string();
        println!("{message}");
        assert!(message.contains(part), "{message}");
        assert_eq!(error.key().as_deref(), Some(key));
    }
}

#[test]
fn radius_and_angle_are_those_about_the_axis() {
    let swirl = "radius,u\n0,1\n5,11\n20,11\n";
    compare(
        &field(swirl, "along: radius"),
        &[([3.0, -4.0, 8.0], 11.0), ([0.0, 2.5, 1.0], 6.0)],
    );
    compare(
        &field(swirl, "along: radius, axis: x, origin: [9, 1, 1]"),
        &[([-3.0, 2.5, 3.0], 6.0), ([0.0, 1.0, 1.0], 1.0)],
    );
    // A quarter of a turn that passes the half turn, where the angle of a point jumps.
    let quarter = "angle [deg],u\n135,0\n180,45\n225,90\n";
    let angle = field(quarter, "along: angle");
    let (c, s) = 10_f64.to_radians().sin_cos();
    compare(&angle, &[([-2.0, 0.0, 0.0], 45.0), ([-1.0, -0.0, 3.0], 45.0)]);
    assert!((angle.eval([-s, -c, 0.0], 0.0) - 55.0).abs() < 1e-12);
    assert!((angle.eval([-s, c, 0.0], 0.0) - 35.0).abs() < 1e-12);
    assert!(
        (angle.eval([-1.0, -1.0, 0.0], 0.0) - 90.0).abs() < 1e-12,
        "the end of the table"
    );
    assert!(angle.eval([1.0, 0.0, 0.0], 0.0).is_nan());
    // The angle about x is that from y towards z.
    let about_x = field("angle (rad),u\n0,0\n1.5,3\n", "along: angle, axis: x");
    assert!((about_x.eval([5.0, 0.75_f64.cos(), 0.75_f64.sin()], 0.0) - 1.5).abs() < 1e-14);
    // A whole turn, whose seam is at the angle 0.
    let turn = field("angle [deg],u\n0,1\n180,2\n360,1\n", "along: angle");
    for (y, expected) in [(-1e-17, 1.0), (0.0, 1.0), (1e-17, 1.0)] {
        assert!((turn.eval([1.0, y, 0.0], 0.0) - expected).abs() < 1e-14);
    }
}

#[test]
fn a_table_of_two_coordinates_takes_its_rows_in_any_order() {
    // 1 + 2 r + 3 a + 4 r a, of which a bilinear interpolant makes no error.
    let value = |r: f64, a: f64| 1.0 + 2.0 * r + 3.0 * a + 4.0 * r * a;
    let (radii, angles) = ([1.0, 1.5, 4.0], [0.0, 0.25, 1.0, 1.5]);
    let mut rows: Vec<String> = Vec::new();
    for r in radii {
        rows.extend(angles.map(|a| format!("{a},{},{r}", value(r, a))));
    }
    rows.reverse();
    rows.swap(2, 9);
    let table = format!("angle [rad],u [m/s],radius [m]\n{}\n", rows.join("\n"));
    for how in ["linear", "cubic"] {
        let plane = field(&table, &format!("along: [radius, angle], interpolation: {how}"));
        for (r, a) in [(1.0, 0.0), (1.2, 0.1), (3.0, 1.2), (3.9, 1.5)] {
            let (sine, cosine) = f64::sin_cos(a);
            let found = plane.eval([r * cosine, r * sine, 3.0], 0.0);
            assert!((found - value(r, a)).abs() < 1e-13, "{how} {r} {a}: {found}");
        }
        assert!(plane.eval([0.9, 0.0, 0.0], 0.0).is_nan() && plane.eval([-2.0, -0.1, 0.0], 0.0).is_nan());
    }
}

/// A jet through a box, with the values of its inlet and of its start.
fn jet(inlet: &str, initial: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [3, 2, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z]}}}}\norder: 3\n\
         gas: {{viscosity: {{constant: 1e-2}}}}\ninitial: {{{initial}, v: 0, w: 0, p: 1/1.4, rho: 1}}\nboundaries:\n  \
         x-: {{type: total-inlet, total-temperature: 1/1.4, {inlet}}}\n  x+: {{type: pressure-outlet, p: 1/1.4}}\n  \
         y-: {{type: slip}}\n  y+: {{type: slip}}\ntime: {{steps: 1}}\n"
    )
}

#[test]
fn a_flow_from_tables_has_the_bits_of_that_from_expressions() {
    let folder = folder(&[("inlet.csv", "y,u,total-pressure\n0,0.125,0.75\n1,0.375,1\n")]);
    let table = |more: &str| format!("{{file: inlet.csv, along: y{more}}}");
    let by_expression = jet("total-pressure: 0.75 + y*0.25", "u: 0.125 + y*0.25");
    let by_table = jet(
        &format!("total-pressure: {}", table(", interpolation: cubic")),
        &format!("u: {}", table("")),
    );
    let hash = |text: &str| {
        let mut solver = Solver::new(&case_in(folder.path(), text).solver).unwrap_or_else(|e| panic!("{e}"));
        advance(&mut solver, 5, 1e-3);
        solver.hash().expect("a state")
    };
    assert_eq!(hash(&by_table), hash(&by_expression));
}

#[test]
fn a_table_that_ends_before_the_boundary_is_refused_with_file_range_and_place() {
    let folder = folder(&[("inlet.csv", "y [m],u,total-pressure\n0,0.1,0.75\n0.95,0.35,1\n")]);
    let refused = |text: &str| {
        let refused = Solver::new(&case_in(folder.path(), text).solver).err();
        let shown = refused.expect("refused").to_string();
        println!("{shown}");
        shown
    };
    let table = "{file: inlet.csv, along: y}";
    let shown = refused(&jet(&format!("total-pressure: {table}"), "u: 0"));
    let expected = "boundaries.x-.total-pressure is needed at y = 1 at (0, 1, 0) and t = 0; it must be within 0 to \
                    0.95, which inlet.csv covers";
    assert!(
        shown.starts_with("boundaries.x-.total-pressure is needed at y = 1 at (0, 1, "),
        "{shown}"
    );
    assert!(
        shown.ends_with(expected.split_once("t = 0").expect("parts").1),
        "{shown}"
    );
    let shown = refused(&jet("total-pressure: 1", &format!("u: {table}")));
    assert!(shown.starts_with("initial.u is needed at y = "), "{shown}");
}

#[test]
fn the_settings_that_a_restart_compares_change_with_the_contents_of_a_table() {
    let text = |file: &str| jet(&format!("total-pressure: {{file: {file}, along: y}}"), "u: 0");
    let table = "y,total-pressure\n0,0.75\n1,1\n";
    let folder = folder(&[
        ("a.csv", table),
        ("b.csv", &format!("# the same\n{table}")),
        ("c.csv", &table.replace("0.75", "0.76")),
    ]);
    let [a, b, c] = ["a.csv", "b.csv", "c.csv"].map(|f| case_in(folder.path(), &text(f)).solver.fingerprints());
    assert!(a == b && a != c);
}
