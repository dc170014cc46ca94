//! Sections of walls that are not extruded: the pressure, the friction and the force of exact fields on blades that
//! taper and lean, by planes and by cylinders; walls of tetrahedra; the same files on any number of ranks and after
//! stops; and what is refused.

use std::f64::consts::PI;

use tempfile::TempDir;

use crate::blades::PLATES;
use crate::common::program::{folder, refuses, run_case, run_in_pieces, with_case, write};
use fr_les::io::{Table, read_series};
use fr_les::mesh::{Annulus, native};

/// Writes a mesh about a blade of unit height, whose sections are circles of radius 1 before they are mapped.
fn blade(folder: &TempDir, cells: [usize; 3], map: impl Fn([f64; 3]) -> [f64; 3]) {
    let annulus = Annulus {
        inner: 1.0,
        outer: 2.0,
        length: 1.0,
        angle: 2.0 * PI,
        cells,
        growth: 1.0,
        hex_layers: cells[0],
        geometry_order: 3,
        periodic_angle: false,
        periodic_z: false,
    };
    let mut mesh = annulus.build().expect("an annulus");
    mesh.nodes.iter_mut().for_each(|node| *node = map(*node));
    native::write(&mesh, &folder.path().join("mesh.h5")).expect("written");
}

/// One step too short to change the initial state about a blade.
fn one_step(gas: &str, initial: &str, wall: &str, keys: &str) -> TempDir {
    with_case(&format!(
        "mesh: {{file: mesh.h5}}\norder: 3\ndevice: cpu\nthreads: 1\ngas: {{{gas}}}\ninitial: {{{initial}, rho: 1}}\n\
         boundaries: {{inner: {{type: {wall}}}, outer: {{type: slip}}, z-: {{type: slip}}, z+: {{type: slip}}}}\n\
         time: {{steps: 1, dt: 1e-14}}\n\
         output: {{blades: {{b: {{boundary: inner, every-steps: 1, total-pressure: 1.2, pressure: 1, {keys}}}}}}}\n"
    ))
}

fn table(directory: &TempDir, name: &str) -> Table {
    read_series(&directory.path().join(format!("results/blade_{name}.csv"))).unwrap_or_else(|e| panic!("{e}"))
}

fn text(directory: &TempDir, name: &str) -> String {
    let path = directory.path().join(format!("results/blade_{name}.csv"));
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns the value of a result at the head.
fn result(text: &str, name: &str) -> f64 {
    let begin = format!("# result {name} [");
    let line = text.lines().find(|line| line.starts_with(&begin));
    let (_, value) = line
        .unwrap_or_else(|| panic!("no {name} in\n{text}"))
        .split_once("value = ")
        .expect("a value");
    let number = value.split(',').next();
    number.and_then(|number| number.parse().ok()).expect("a number")
}

fn columns<const N: usize>(table: &Table, names: [&str; N]) -> Vec<[f64; N]> {
    let columns = names.map(|name| table.column(name).unwrap_or_else(|| panic!("no {name}")));
    (0..columns[0].len()).map(|row| columns.map(|c| c[row])).collect()
}

/// A blade that tapers to two fifths in x and to half in y, and leans by 0.3 in x.
fn tapered([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x * (1.0 - 0.6 * z) + 0.3 * z, y * (1.0 - 0.5 * z), z]
}

#[test]
fn a_tapered_blade_has_the_pressure_and_the_force_of_a_gradient_at_each_span() {
    let gradient = "p: 1 + 0.05*x + 0.02*y + 0.01*z, u: 0, v: 0, w: 0";
    // The second one and the ends of the blade are boundaries of layers of cells.
    let spans = [0.0, 0.2, 0.5, 0.83, 1.0];
    let directory = one_step(
        "gamma: 1.4",
        gradient,
        "slip",
        "spans: [0, 0.2, 1/2, 0.83, 1], leading-edge: [-1, 0]",
    );
    blade(&directory, [1, 24, 5], tapered);
    run_case(directory.path(), 1, &[], 0);
    for (number, span) in (1..).zip(spans) {
        let name = format!("b.section-{number}");
        let (table, head) = (table(&directory, &name), text(&directory, &name));
        let [a, b] = [1.0 - 0.6 * span, 1.0 - 0.5 * span];
        let rows = columns(&table, ["x", "y", "z", "p", "s_over_S", "x_over_C"]);
        // Both sides have the leading and the trailing edge.
        assert_eq!(rows.len(), 3 * 24 + 2, "{span}");
        let mut worst = [0.0f64; 2];
        for [x, y, z, p, s, place] in rows {
            assert!((z - span).abs() < 1e-15, "{z}");
            let exact = 1.0 + 0.05 * x + 0.02 * y + 0.01 * z;
            worst[0] = worst[0].max((p - exact).abs());
            // The points of the cells of order 3 lie on the ellipse, as the nodes of their geometry do.
            let radius = ((x - 0.3 * span) / a).hypot(y / b);
            worst[1] = worst[1].max((radius - 1.0).abs());
            assert!((place - (x - 0.3 * span + a) / (2.0 * a)).abs() < 1e-12, "{place}");
            assert!((0.0..=1.0).contains(&s));
        }
        println!("z = {span}: pressure {:.1e}, place {:.1e}", worst[0], worst[1]);
        assert!(worst[0] < 1e-13 && worst[1] < 1e-13, "{worst:?}");
        // The gradient times the area of the ellipse, per length of z, and over (p01 - p2) C_ax.
        for (name, gradient) in [("x", 0.05), ("y", 0.02)] {
            let exact = -gradient * PI * a * b;
            for (result, exact) in [
                (result(&head, &format!("force_{name}")), exact),
                (result(&head, &format!("C_{name}")), exact / (0.2 * 2.0 * a)),
            ] {
                assert!((result / exact - 1.0).abs() < 1e-6, "{span} {name}: {result} {exact}");
            }
        }
        assert!(head.contains(&format!("# section: z = {span}, C_ax = ")), "{head}");
    }
}

#[test]
fn a_swirl_that_grows_along_a_cone_has_its_friction_at_each_span() {
    // The wall turns with the gas, whose only rate of strain is that of the planes of constant z against each other:
    // k r across the plane and along z. On the wall it acts along the section with mu k r times the normal in z.
    let initial = "p: 1, u: -0.3*z*y, v: 0.3*z*x, w: 0";
    let wall = "no-slip-adiabatic, velocity: ['-0.3*z*y', '0.3*z*x', 0]";
    let gas = "gamma: 1.4, viscosity: {constant: 0.01}";
    let directory = one_step(gas, initial, wall, "spans: [0.1, 0.45, 0.9], leading-edge: [-0.9, 0]");
    blade(&directory, [2, 24, 3], |[x, y, z]| {
        [x * (1.0 - 0.5 * z), y * (1.0 - 0.5 * z), z]
    });
    run_case(directory.path(), 1, &[], 0);
    for (number, span) in (1..).zip([0.1, 0.45, 0.9]) {
        let table = table(&directory, &format!("b.section-{number}"));
        let radius = 1.0 - 0.5 * span;
        // The wall's normal is (1, 0.5)/sqrt(1.25) in r and z.
        let friction = 0.01 * 0.3 * radius * 0.5 / 1.25f64.sqrt();
        let mut worst = [0.0f64; 2];
        for [y, tau, side, plus] in columns(&table, ["y", "tau", "side", "y_plus"]) {
            // Anticlockwise gas flows towards the leading edge on the side of positive y; the wall feels it.
            if y.abs() > 1e-9 {
                worst[0] = worst[0].max((tau.abs() / friction - 1.0).abs());
                assert!((tau < 0.0) == (y > 0.0), "{side} {y} {tau}");
            }
            // The first point of a cell of height (1 - 0.5 z)/2 at order 3, measured along the normal where the face is
            // narrowest.
            let end = f64::from(number) / 3.0;
            let off = 0.25 * (1.0 - 1.0 / 5f64.sqrt()) * (1.0 - 0.5 * end) / 1.25f64.sqrt();
            let exact = off * friction.sqrt() / 0.01;
            worst[1] = worst[1].max((plus / exact - 1.0).abs());
        }
        println!("z = {span}: friction {:.1e}, y+ {:.1e}", worst[0], worst[1]);
        assert!(worst[0] < 1e-6 && worst[1] < 1e-6, "{worst:?}");
    }
}

/// A blade of an annular row about x, between the radii 3 and 4 around an angle: it tapers along the radius.
fn annular(angle: f64) -> impl Fn([f64; 3]) -> [f64; 3] {
    move |[x, y, z]| {
        let r = 3.0 + z;
        let (sin, cos) = (angle - y * (1.0 - 0.2 * z) / 3.0).sin_cos();
        [x * (1.0 - 0.3 * z), r * cos, r * sin]
    }
}

#[test]
fn an_annular_blade_has_the_pressure_and_the_force_of_a_gradient_at_each_radius() {
    let directory = one_step(
        "gamma: 1.4",
        "p: 1 + 0.05*x + 0.01*y, u: 0, v: 0, w: 0",
        "slip",
        "radii: [3, 3.4, 3.75]",
    );
    // The angle at which atan2 jumps.
    blade(&directory, [1, 24, 4], annular(PI));
    let log = run_case(directory.path(), 1, &["output.blades.b.axis=x"], 0);
    for words in [
        "a closed curve of 72 stations",
        "; to blade_b.section-1.csv and so on to blade_b.section-3.csv",
    ] {
        assert!(log.contains(words), "no '{words}' in {log}");
    }
    for (number, r) in (1..).zip([3.0, 3.4, 3.75]) {
        let name = format!("b.section-{number}");
        let (table, head) = (table(&directory, &name), text(&directory, &name));
        // Half axes along x and around the axis.
        let [a, b] = [1.0 - 0.3 * (r - 3.0), r * (1.0 - 0.2 * (r - 3.0)) / 3.0];
        let rows = columns(&table, ["x", "y", "z", "p"]);
        assert_eq!(rows.len(), 3 * 24 + 2, "{r}");
        let mut worst = [0.0f64; 3];
        for [x, y, z, p] in rows {
            worst[0] = worst[0].max((p - 1.0 - 0.05 * x - 0.01 * y).abs());
            worst[1] = worst[1].max((y.hypot(z) - r).abs());
            let around = r * (-z).atan2(-y);
            worst[2] = worst[2].max(((x / a).hypot(around / b) - 1.0).abs());
        }
        println!(
            "r = {r}: pressure {:.1e}, radius {:.1e}, place {:.1e}",
            worst[0], worst[1], worst[2]
        );
        assert!(worst[0] < 1e-13 && worst[1] < 1e-14 && worst[2] < 1e-7, "{worst:?}");
        // p = 1 + 0.05 x - 0.01 r cos(angle from the middle), which is even, so that it has no force around the axis.
        let [x, around] = ["force_x", "force_y"].map(|name| result(&head, name));
        let exact = -0.05 * PI * a * b;
        println!("force along the axis {:.1e}, around it {around:.1e}", x / exact - 1.0);
        assert!((x / exact - 1.0).abs() < 1e-6, "{r}: {x} {exact}");
        assert!(around.abs() < 1e-14, "{r}: {around}");
        assert!(head.contains(&format!("# section: r about x = {r}, C_ax = ")), "{head}");
    }
}

/// Returns Couette flow between plates of tetrahedra, one of which has sections inside and along the edges of its
/// faces.
fn plates() -> String {
    let (flow, _) = PLATES.split_once("output:").expect("outputs");
    let sections = "lower: {boundary: y-, every-steps: 1, total-pressure: 1.5, pressure: 1, spans: [0.3, 1]}";
    let flow = flow.replace("periodic: [x, z]", "periodic: [x, z], elements: tet");
    format!("{flow}output: {{blades: {{{sections}}}}}\n")
}

#[test]
fn sections_of_triangles_have_the_friction_of_couette_flow() {
    let directory = with_case(&plates());
    run_case(directory.path(), 1, &[], 0);
    // A square of the wall is two triangles, of which the first section cuts both and the second one an edge.
    for (number, pieces) in [(1, 8), (2, 4)] {
        let table = table(&directory, &format!("lower.section-{number}"));
        let rows = columns(&table, ["x", "s_over_S", "tau", "T", "dz_plus"]);
        assert_eq!(rows.len(), 3 * pieces + 1);
        assert!(rows.windows(2).all(|pair| pair[0][0] < pair[1][0]));
        let stress: f64 = 0.05 * 1.5 / 0.5;
        for [x, s, tau, temperature, across] in rows {
            assert!((s - x).abs() < 1e-12, "{s} {x}");
            assert!((tau - stress).abs() < 1e-11, "{x}: {tau}");
            assert!((temperature - 1.0).abs() < 1e-11);
            // The faces are 1 long in z.
            assert!((across - 0.25 * stress.sqrt() / 0.05).abs() < 1e-10, "{across}");
        }
    }
}

/// A flow about an annular blade that sheds from the start.
const SHEDDING: &str = "\
mesh: {file: mesh.h5}
order: 2
device: cpu
gas: {viscosity: {constant: 0.005}}
initial: {u: 0.4 + 0.1*z, v: 0.1*sin(3*x), w: 0.05*sin(4*y), p: 1, rho: 1}
boundaries:
  inner: {type: no-slip-adiabatic}
  outer: {type: far-field, u: 0.7, v: 0, w: 0, p: 1, rho: 1}
  z-: {type: slip}
  z+: {type: slip}
time: {steps: 40, cfl: 0.8}
output:
  blades:
    r: {boundary: inner, from: 0.02, every-steps: 1, total-pressure: 1.4, pressure: 0.98, radii: [3.2, 3.5],
      phase: {period: 0.07, bins: 3}}
    z: {boundary: inner, every-steps: 2, total-pressure: 1.4, pressure: 0.98, spans: [3.4]}
  checkpoint: {every-steps: 10}
restart: latest
";

#[test]
fn the_files_are_the_same_on_any_number_of_ranks_and_after_stops() {
    let names = [
        "r.section-1",
        "r.section-1.phase",
        "r.section-2",
        "r.section-2.phase",
        "z.section-1",
    ];
    let whole = || {
        let directory = with_case(SHEDDING);
        blade(&directory, [2, 10, 3], annular(PI / 2.0));
        directory
    };
    let one = whole();
    run_case(one.path(), 1, &[], 0);
    let expected = names.map(|name| text(&one, name));
    for name in ["r.section-1", "r.section-2", "z.section-1"] {
        let errors = columns(&table(&one, name), ["C_f_error"]);
        assert!(
            errors.iter().all(|[e]| e.is_finite()) && errors.iter().any(|[e]| *e > 1e-6),
            "{name}"
        );
    }
    let first = std::fs::read_to_string(one.path().join("results/results.json")).expect("results");
    assert!(first.contains("blades.r.section-2.C_x"), "{first}");
    for ranks in [2, 3] {
        let other = whole();
        run_case(other.path(), ranks, &[], 0);
        assert!(names.map(|name| text(&other, name)) == expected, "{ranks} ranks");
    }
    let stopped = whole();
    run_in_pieces(stopped.path(), &[]);
    run_case(stopped.path(), 2, &[], 0);
    assert!(names.map(|name| text(&stopped, name)) == expected, "after stops");
    // Another section begins anew, and the others go on.
    let changed = whole();
    run_case(changed.path(), 1, &["time.steps=10"], 0);
    let log = run_case(
        changed.path(),
        1,
        &["time.steps=20", "output.blades.r.radii=[3.2, 3.6]"],
        0,
    );
    assert!(log.contains("output.blades.r.section-2 begins anew"), "{log}");
    assert!(!log.contains("section-1 begins anew"), "{log}");
}

#[test]
fn sections_that_a_wall_does_not_have_are_refused() {
    let folder = folder();
    write(&folder, "run.yaml", plates().as_bytes());
    let set = |keys: &str| {
        format!("output.blades.lower={{boundary: y-, every-steps: 1, total-pressure: 1.5, pressure: 1, {keys}}}")
    };
    for (keys, expected) in [
        (
            "spans: [0.3, 2.5]",
            &[
                "output.blades.lower.spans[1]",
                "has no section at z = 2.5: it reaches from 0 to 2",
            ][..],
        ),
        (
            "radii: [3]",
            &[
                "output.blades.lower.radii[0]",
                "has no section at r about x = 3: it reaches from 0 to 2",
            ],
        ),
        ("spans: [1], radii: [1]", &["output.blades.lower.radii", "and not both"]),
        (
            "spans: [1], axis: x",
            &["output.blades.lower.axis", "`radii`, which are missing"],
        ),
        ("spans: []", &["output.blades.lower.spans", "is empty"]),
        ("radii: [-1]", &["output.blades.lower.radii[0]", "above 0"]),
        (
            "radii: [1], leading-edge: [0, 0]",
            &["output.blades.lower.leading-edge", "with `radii`"],
        ),
        (
            "spans: [1], leading-edge: [0, 0]",
            &["output.blades.lower.leading-edge", "has two ends"],
        ),
    ] {
        refuses(&folder, &["run.yaml", "--set", &set(keys)], expected);
    }
}

#[test]
fn sections_that_leave_a_blade_or_touch_its_wall_are_refused() {
    let directory = one_step("gamma: 1.4", "p: 1, u: 0, v: 0, w: 0", "slip", "spans: [0.5]");
    let refused = |keys: &str, parts: &[&str]| {
        let set = |key: &str| format!("output.blades.b.{key}");
        let settings: Vec<String> = keys.split("; ").map(set).collect();
        let arguments = settings.iter().flat_map(|setting| ["--set", setting]);
        refuses(
            &directory,
            &["run.yaml"].into_iter().chain(arguments).collect::<Vec<&str>>(),
            parts,
        );
    };
    let leaves = "while that at z = 0.475 is closed: it leaves the wall. Right would be a section that goes all around \
                  it, as they do from there to z = 0.04998";
    // An inclined end wall, from -0.1 to 0.1 on the blade, and one that sinks in the middle of the blade.
    blade(&directory, [1, 24, 4], |[x, y, z]| [x, y, z + 0.1 * x * (1.0 - z)]);
    let at_ends = "has two ends, at (0.5, 0.866025, 0.05) and (0.5, -0.866025, 0.05)";
    refused(
        "spans=[0.4, 0.05]",
        &[
            "output.blades.b.spans[1]",
            at_ends,
            "while that at z = 0.45 is closed: it leaves the wall",
            "from there to z = 0.1",
        ],
    );
    blade(&directory, [1, 24, 4], |[x, y, z]| {
        [x, y, z + 0.1 * (x * x - 0.5) * (1.0 - z) * (2.0 * z - 1.0)]
    });
    refused("spans=[0]", &["consists of 2 separate curves", leaves]);
    // A ring of the end wall is a trough, whose bottom is parallel to the section, and a ridge inside of faces.
    blade(&directory, [2, 24, 1], |[x, y, z]| {
        [x, y, z + 0.1 * (x.hypot(y) - 1.5).powi(2) * (1.0 - z)]
    });
    refused(
        "boundary=z-; spans=[0]",
        &[
            "output.blades.b.spans[0]",
            "touches its face at",
            "which is parallel to it there",
        ],
    );
    blade(&directory, [1, 24, 1], |[x, y, z]| {
        [x, y, z - 0.1 * (x.hypot(y) - 1.5).powi(2) * (1.0 - z)]
    });
    refused(
        "boundary=z-; spans=[-0.01]",
        &["it reaches from -0.025 to -0.005, but no edge of its faces crosses the section"],
    );
}
