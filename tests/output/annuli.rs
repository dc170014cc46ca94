//! Traverses of annuli: exact fields on planes and cones, radii of hub and casing that are found, steady solutions,
//! files after restarts and on any number of ranks, and what is refused.

use std::f64::consts::{FRAC_PI_4, PI};

use crate::common::program::{case_command, output, program, refuses, run_case, with_case};
use fr_les::io::{Table, read_series};
use fr_les::mesh::{Annulus, native};
use tempfile::TempDir;

/// Number of cells around a sector of an eighth.
const AROUND: usize = 4;

/// Writes a sector about the z axis, of straight cells: polynomials of the coordinates are polynomials in the cells.
/// The radii of hub and casing, 1 and 2, grow by what a function of the nodes gives.
fn mapped(directory: &TempDir, angle: f64, periodic_angle: bool, growth: impl Fn([f64; 3]) -> [f64; 2]) {
    let annulus = Annulus {
        inner: 1.0,
        outer: 2.0,
        length: 1.0,
        angle,
        cells: [3, (angle / FRAC_PI_4).round() as usize * AROUND, 2],
        growth: 1.0,
        hex_layers: 3,
        geometry_order: 1,
        periodic_angle,
        periodic_z: false,
    };
    let mut mesh = annulus.build().expect("a sector");
    for node in &mut mesh.nodes {
        let r = node[0].hypot(node[1]);
        let [hub, casing] = growth(*node);
        let factor = (r + hub * (2.0 - r) + casing * (r - 1.0)) / r;
        node[..2].iter_mut().for_each(|x| *x *= factor);
    }
    native::write(&mesh, &directory.path().join("mesh.h5")).expect("written");
}

/// Writes a sector whose hub and casing grow with z by these slopes.
fn tapered(directory: &TempDir, angle: f64, periodic_angle: bool, slopes: [f64; 2]) {
    mapped(directory, angle, periodic_angle, |[_, _, z]| {
        slopes.map(|slope| slope * z)
    });
}

/// Writes a sector of an eighth, between cylinders.
fn sector(directory: &TempDir) {
    tapered(directory, FRAC_PI_4, true, [0.0; 2]);
}

/// Points and weights of Gauss's rule on [0, 1].
const RULE: [(f64, f64); 3] = [
    (0.5 - 0.387_298_334_620_741_7, 5.0 / 18.0),
    (0.5, 4.0 / 9.0),
    (0.5 + 0.387_298_334_620_741_7, 5.0 / 18.0),
];
const RADII: [f64; 2] = [1.15, 1.8];
const BANDS: usize = 4;

/// One sample of gas that turns like a solid body with an axial velocity and a pressure that grow with r^2 and z.
fn one_sample(more: &str) -> String {
    format!(
        "mesh: {{file: mesh.h5}}\norder: 4\ngas: {{gas-constant: 1}}\ndevice: cpu\ntime: {{steps: 1, dt: 1e-15}}\n\
         initial: {{u: -0.3*y, v: 0.3*x, w: 0.4 + 0.1*z, rho: 1, p: 2 + 0.045*(x^2 + y^2)}}\n\
         boundaries: {{inner: {{type: slip}}, outer: {{type: slip}}, z-: {{type: slip}}, z+: {{type: slip}}}}\n\
         output: {{annuli: {{exit: {{axis: z, radii: [1.15, 1.8], counts: [5, 4], every-steps: 1{more}}}}}}}\n"
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

/// Mean of a function of the radius over a band, by the rule.
fn band_mean(band: usize, of: impl Fn(f64) -> f64) -> f64 {
    let [low, high] = RADII.map(|r| r * r);
    let radius = |f: f64| (low + (high - low) * (band as f64 + f) / BANDS as f64).sqrt();
    RULE.iter().map(|(f, weight)| weight * of(radius(*f))).sum()
}

/// Total pressure of the state with this axial velocity at a radius.
fn total_pressure(axial: f64, r: f64) -> f64 {
    let p = 2.0 + 0.045 * r * r;
    let square = axial * axial + 0.09 * r * r;
    p * (1.0 + 0.2 * square / (1.4 * p)).powf(3.5)
}

#[test]
fn a_solid_body_on_planes_and_cones_has_the_means_of_the_formulas() {
    // The sector is sampled at angles beyond its own, which are turned back into it.
    for (cone, tip, x) in [(0.0, 0.6, "0.6"), (0.25, 0.2, "[0.4875, 0.2 + 0.25*1.8]")] {
        let directory = with_case(&one_sample(&format!(", x: {x}, total-pressure: 2.4")));
        sector(&directory);
        run_case(directory.path(), 1, &[], 0);
        let bands = table(&directory, "annulus_exit.csv");
        let column = |name: &str| bands.column(name).unwrap_or_else(|| panic!("no {name}"));
        let slant = f64::hypot(1.0, cone);
        // The normal of the cone has the axial part 1/slant, and there is no radial velocity.
        let axial = |r: f64| 0.4 + 0.1 * (tip + cone * r);
        let flux = |r: f64| axial(r) / slant;
        for band in 0..BANDS {
            let mean = |of: &dyn Fn(f64) -> f64| band_mean(band, of);
            let mass = mean(&flux);
            let near = |name: &str, wanted: f64| {
                let value = column(name)[band];
                assert!(
                    (value - wanted).abs() < 1e-12 * wanted.abs().max(1.0),
                    "{name} {value} {wanted}"
                );
            };
            near("mass_flux", mass);
            near("p", mean(&|r| 2.0 + 0.045 * r * r));
            near("p0_mass", mean(&|r| flux(r) * total_pressure(axial(r), r)) / mass);
            let around = mean(&|r| flux(r) * 0.3 * r) / mass;
            let along = mean(&|r| flux(r) * axial(r)) / mass;
            near("u_theta", around);
            near("u_axial", along);
            near("u_radial", 0.0);
            near("swirl", around.atan2(along).to_degrees());
            near("pitch", 0.0);
            let enthalpy = |r: f64| 3.5 * (2.0 + 0.045 * r * r) + 0.5 * (axial(r).powi(2) + 0.09 * r * r);
            near("T0_mass", mean(&|r| flux(r) * enthalpy(r)) / mass / 3.5);
            // The band is uniform but for its own height, so that mixing loses little.
            let [mixed, weighted] = ["p0_mixed", "p0_mass"].map(|name| column(name)[band]);
            assert!(mixed < weighted && weighted - mixed < 2e-3, "{mixed} {weighted}");
            near("omega", (2.4 - mixed) / (2.4 - column("p_mixed")[band]));
        }
        let whole = text(&directory, "annulus_exit.csv");
        let all = |of: &dyn Fn(f64) -> f64| (0..BANDS).map(|band| band_mean(band, of)).sum::<f64>() / BANDS as f64;
        let area = PI * (1.8f64.powi(2) - 1.15f64.powi(2)) * slant;
        assert!((result(&whole, "mass_flow") / (area * all(&flux)) - 1.0).abs() < 1e-12);
        let swirl = all(&|r| flux(r) * 0.3 * r)
            .atan2(all(&|r| flux(r) * axial(r)))
            .to_degrees();
        assert!((result(&whole, "swirl") - swirl).abs() < 1e-10);
        // In the map every angle has the same values, although each is sampled in another direction.
        let map = table(&directory, "annulus_exit.map.csv");
        let [around, p0, theta] = ["u_theta", "p0", "theta"].map(|name| map.column(name).expect("a column"));
        assert_eq!(theta[..3], [0.0, 9.0, 18.0]);
        for (row, (around, p0)) in around.iter().zip(p0).enumerate() {
            let band = row / 5;
            assert!((around - band_mean(band, |r| 0.3 * r)).abs() < 1e-12, "{row}");
            assert!(
                (p0 - band_mean(band, |r| total_pressure(axial(r), r))).abs() < 1e-11,
                "{row}"
            );
        }
    }
}

#[test]
fn a_free_vortex_has_no_loss_to_the_accuracy_of_the_cells() {
    // Homentropic: p = rho^1.4, and the total enthalpy is uniform.
    let case = one_sample(", x: 0.5, total-pressure: 1.4")
        .replace(
            "u: -0.3*y, v: 0.3*x, w: 0.4 + 0.1*z",
            "u: -0.4*y/(x^2 + y^2), v: 0.4*x/(x^2 + y^2), w: 0.3",
        )
        .replace("rho: 1, p: 2 + 0.045*(x^2 + y^2)", "rho: t^2.5, p: t^3.5")
        .replace("initial:", "constants: {t0: 1.4^(2/7)}\ninitial:")
        .replace("t^", "(t0 - (0.09 + 0.16/(x^2 + y^2))/7)^");
    let directory = with_case(&case);
    sector(&directory);
    run_case(directory.path(), 1, &[], 0);
    let bands = table(&directory, "annulus_exit.csv");
    let [p0, swirl, omega] = ["p0_mass", "swirl", "omega"].map(|name| bands.column(name).expect("a column"));
    for band in 0..BANDS {
        let around = band_mean(band, |r| 0.4 / r);
        println!(
            "{} {} {}",
            p0[band] - 1.4,
            swirl[band] - around.atan2(0.3).to_degrees(),
            omega[band]
        );
        assert!((p0[band] - 1.4).abs() < 1e-4 && (swirl[band] - around.atan2(0.3).to_degrees()).abs() < 0.3);
        // The swirl varies over the height of a band, which mixing makes uniform.
        assert!(omega[band].abs() < 0.02, "{}", omega[band]);
    }
}

#[test]
fn files_are_the_same_on_any_number_of_ranks_and_after_restarts() {
    let case = one_sample(", x: 0.5")
        .replace("{steps: 1, dt: 1e-15}", "{steps: 6, dt: 1e-4}")
        .replace(
            "{annuli: {",
            "{annuli: {cone: {axis: z, x: [0.4, 0.7], counts: [5, 4], every-steps: 2}, ",
        );
    let begin = |text: &str| {
        let directory = with_case(text);
        sector(&directory);
        directory
    };
    // Without the lines of provenance, which name the numbers of ranks.
    let left_behind = |directory: &TempDir| {
        let of = |name: &str| {
            ["", ".map", ".history"].map(|part| {
                let text = text(directory, &format!("annulus_{name}{part}.csv"));
                let kept = ["# result", "# x", "# radii"];
                let is_kept = |line: &&str| !line.starts_with('#') || kept.iter().any(|begin| line.starts_with(begin));
                text.lines().filter(is_kept).collect::<Vec<_>>().join("\n")
            })
        };
        ["exit", "cone"].map(of).concat()
    };
    let directory = begin(&case);
    run_case(directory.path(), 1, &[], 0);
    let expected = left_behind(&directory);
    // Names and units come before the rows.
    assert!(
        expected[0].contains("# result mass_flow [kg/s]: value = "),
        "{}",
        expected[0]
    );
    assert_eq!(expected[1].lines().count(), 4 + 20, "{}", expected[1]);
    for ranks in [2, 3] {
        let directory = begin(&case);
        run_case(directory.path(), ranks, &[], 0);
        assert!(left_behind(&directory) == expected, "on {ranks} ranks");
    }
    let directory = begin(&format!("{case}restart: latest\n"));
    for (ranks, steps) in [(3, 2), (1, 4), (2, 6)] {
        run_case(directory.path(), ranks, &[&format!("time.steps={steps}")], 0);
    }
    assert!(left_behind(&directory) == expected, "after restarts");
}

/// Radius of a chord of the sector at an angle, whose ends have a radius.
fn chord(radius: f64, angle: f64) -> f64 {
    let width = FRAC_PI_4 / AROUND as f64;
    let from_middle = angle.rem_euclid(width) - 0.5 * width;
    radius * (0.5 * width).cos() / from_middle.cos()
}

/// Returns the two numbers of a line at the head of a table.
fn both(text: &str, name: &str) -> [f64; 2] {
    let begin = format!("# {name}: ");
    let line = text.lines().find_map(|line| line.strip_prefix(&begin));
    let numbers = line.unwrap_or_else(|| panic!("no {name} in\n{text}")).split(", ");
    let numbers: Vec<f64> = numbers.map(|number| number.parse().expect("a number")).collect();
    [numbers[0], numbers[1]]
}

#[test]
fn without_radii_the_surface_reaches_from_the_hub_to_the_casing() {
    let case = one_sample(", x: [0.3, 0.7]").replace("radii: [1.15, 1.8], ", "");
    let directory = with_case(&case);
    tapered(&directory, FRAC_PI_4, true, [0.2, 0.5]);
    let shown = output(program(directory.path()).args(["check", "--long", "run.yaml"]), 0);
    let angles = [0.0, 9.0, 18.0, 27.0, 36.0f64];
    let at_angles = |radius: f64| angles.map(|angle| chord(radius, angle.to_radians()));
    let hub = at_angles(1.0 + 0.2 * 0.3).into_iter().fold(0.0, f64::max);
    let casing = at_angles(2.0 + 0.5 * 0.7).into_iter().fold(f64::INFINITY, f64::min);
    let words = format!(
        "5 angles of a period of 45 degrees, 4 bands from r = {hub:.2} at z = 0.3 to r = {casing:.5} at z = 0.7"
    );
    assert!(shown.contains(&words), "no '{words}' in\n{shown}");
    run_case(directory.path(), 1, &[], 0);
    let head = text(&directory, "annulus_exit.csv");
    let radii = both(&head, "radii");
    println!("hub {:.1e}, casing {:.1e}", radii[0] - hub, radii[1] - casing);
    assert!(
        (radii[0] - hub).abs() < 2e-9 && (radii[1] - casing).abs() < 2e-9,
        "{radii:?}"
    );
    assert_eq!(both(&head, "x"), [0.3, 0.7]);
    // The same radii as numbers give the same values.
    let rows = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let found = rows(&head);
    let given = format!("output.annuli.exit.radii=[{}, {}]", radii[0], radii[1]);
    run_case(directory.path(), 1, &[&given], 0);
    assert_eq!(rows(&text(&directory, "annulus_exit.csv")), found);
    // The hub at z = 1 is beyond the casing at z = 0.
    tapered(&directory, FRAC_PI_4, true, [1.5, 1.5]);
    refuses(
        &directory,
        &["run.yaml", "--set", "output.annuli.exit.x=[1, 0]"],
        &[
            "output.annuli.exit.x",
            "the hub has the radius 2.5 at the first position and the casing 1.",
        ],
    );
}

#[test]
fn a_steady_solution_has_the_mass_flow_of_a_uniform_flow_through_planes_and_cones() {
    let state = "u: 0, v: 0, w: 0.3, p: 1, rho: 1.4";
    let surface = |x: &str| format!("{{axis: z, x: {x}, counts: [12, 3], every-steps: 1}}");
    let directory = with_case(&format!(
        "mesh: {{file: mesh.h5}}\norder: 2\ndevice: cpu\ninitial: {{{state}}}\ntime: {{end: 1}}\n\
         boundaries: {{inner: {{type: slip}}, outer: {{type: slip}}, z-: {{type: far-field, {state}}}, \
         z+: {{type: far-field, {state}}}}}\nsteady: {{turbulence: none, iterations: 20}}\n\
         output: {{annuli: {{plane: {}, cone: {}}}}}\n",
        surface("0.5"),
        surface("[0.3, 0.8]")
    ));
    tapered(&directory, 2.0 * PI, false, [0.0; 2]);
    output(case_command(directory.path(), 1, &[]).arg("--steady"), 0);
    for name in ["plane", "cone"] {
        let head = text(&directory, &format!("steady/annulus_{name}.csv"));
        let [hub, casing] = both(&head, "radii");
        // The cone has the flow through its shadow.
        let exact = 1.4 * 0.3 * PI * (casing * casing - hub * hub);
        let found = result(&head, "mass_flow");
        println!("{name}: {:.1e}", found / exact - 1.0);
        assert!((found / exact - 1.0).abs() < 1e-6, "{name}: {found} {exact}");
    }
}

#[test]
fn annuli_that_cannot_be_sampled_are_refused() {
    for (more, from, to, words) in [
        (
            ", x: 5",
            "",
            "",
            ["exit.x", "the mesh has no cell at z = 5: it reaches from 0 to 1"],
        ),
        (
            ", x: [0.5, 1.2]",
            "",
            "",
            ["exit.x", "the mesh has no cell at z = 1.03326: it reaches from 0 to 1"],
        ),
        (
            ", x: [0.5, 1.2]",
            "radii: [1.15, 1.8], ",
            "",
            ["exit.x", "the mesh has no cell at z = 1.2: it reaches from 0 to 1"],
        ),
        (
            ", x: [0.25, 0.5]",
            "radii: [1.15, 1.8]",
            "radii: [1.15, 2.5]",
            [
                "exit.radii",
                "theta = 0 degrees lies in no cell: the mesh reaches from r = 1 to 1.99",
            ],
        ),
        (
            ", x: 0.5",
            "radii: [1.15, 1.8]",
            "radii: [0.5, 1.8]",
            ["exit.radii", "Right would be radii between them, or no `radii`"],
        ),
        (
            ", x: 0.5",
            "radii: [1.15, 1.8]",
            "radii: [1.8, 1.15]",
            ["exit.radii[1]", "it must be above that of the hub, 1.8"],
        ),
        // A line that crosses the axis.
        (
            ", x: [0.2, 0.5]",
            "radii: [1.15, 1.8]",
            "radii: [-0.5, 1.15]",
            ["exit.radii[0]", "it must be at least 0"],
        ),
        (", x: [0.2]", "", "", ["exit.x", "a number, or a list of two"]),
        (", x: [0.2, up]", "", "", ["exit.x[1]", "up"]),
        (", x: {a: 1}", "", "", ["exit.x", "a number, or a list of two"]),
        (
            ", x: 0.5",
            "counts: [5, 4]",
            "counts: [1, 4]",
            ["exit.counts[0]", "it must be at least 2"],
        ),
        (
            ", x: 0.5",
            "counts: [5, 4]",
            "counts: [100000, 4]",
            ["exit.counts", "at most 1,000,000 points in all"],
        ),
        (
            ", x: 0.5, total-pressure: 0",
            "",
            "",
            ["exit.total-pressure", "it must be above 0"],
        ),
        (
            ", x: 0.5",
            "axis: z",
            "axis: x",
            ["exit.axis", "the mesh repeats by a rotation about another axis than x"],
        ),
    ] {
        let directory = with_case(&one_sample(more).replace(from, to));
        sector(&directory);
        refuses(&directory, &["run.yaml"], &words);
    }
    // A sector that does not repeat has no points beyond its sides.
    let directory = with_case(&one_sample(", x: 0.5").replace(
        "boundaries: {",
        "boundaries: {theta-: {type: slip}, theta+: {type: slip}, ",
    ));
    tapered(&directory, FRAC_PI_4, false, [0.0; 2]);
    refuses(
        &directory,
        &["run.yaml"],
        &[
            "exit.x",
            "theta = 72 degrees lies in no cell",
            "the mesh ends at an angle",
        ],
    );
    let found = ["run.yaml", "--set", "output.annuli.exit.radii=null"];
    let part = "at z = 0.5 the mesh does not reach from a hub to a casing at all angles: a body is there";
    refuses(&directory, &found, &["exit.x", part]);
    // A body that stands on the hub at some of the angles.
    let directory = with_case(&one_sample(", x: 0.5"));
    mapped(&directory, FRAC_PI_4, true, |[x, y, _]| {
        [0.2 - 0.2 * (8.0 * y.atan2(x)).cos(), 0.0]
    });
    refuses(&directory, &found, &["exit.x", part]);
    refuses(
        &directory,
        &["run.yaml"],
        &["exit.x", "lies in no cell: a body is there"],
    );
}
