//! Traverses of annuli: exact fields, files after restarts and on any number of ranks, and what is refused.

use std::path::Path;

use crate::common::program::{refuses, run_case, with_case};
use fr_les::io::{Table, read_series};
use fr_les::mesh::{Annulus, native};
use tempfile::TempDir;

/// Writes a sector of an eighth about the z axis, of straight cells: polynomials of the coordinates are polynomials in
/// the cells.
fn sector(path: &Path, angle: f64) {
    let annulus = Annulus {
        inner: 1.0,
        outer: 2.0,
        length: 1.0,
        angle,
        cells: [3, 4, 2],
        growth: 1.0,
        hex_layers: 1,
        geometry_order: 1,
        periodic_angle: true,
        periodic_z: false,
    };
    native::write(&annulus.build().expect("a sector"), path).expect("written");
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
    for (cone, tip) in [(0.0, 0.6), (0.25, 0.2)] {
        let directory = with_case(&one_sample(&format!(", x: {tip}, cone: {cone}, total-pressure: 2.4")));
        sector(&directory.path().join("mesh.h5"), std::f64::consts::FRAC_PI_4);
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
        let area = std::f64::consts::PI * (1.8f64.powi(2) - 1.15f64.powi(2)) * slant;
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
    sector(&directory.path().join("mesh.h5"), std::f64::consts::FRAC_PI_4);
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
    let case = one_sample(", x: 0.5").replace("{steps: 1, dt: 1e-15}", "{steps: 6, dt: 1e-4}");
    let begin = |text: &str| {
        let directory = with_case(text);
        sector(&directory.path().join("mesh.h5"), std::f64::consts::FRAC_PI_4);
        directory
    };
    // Without the lines of provenance, which name the numbers of ranks.
    let left_behind = |directory: &TempDir| {
        ["annulus_exit.csv", "annulus_exit.map.csv", "annulus_exit.history.csv"].map(|name| {
            let text = text(directory, name);
            let rows = text
                .lines()
                .filter(|line| !line.starts_with('#') || line.starts_with("# result"));
            rows.collect::<Vec<_>>().join("\n")
        })
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
    assert_eq!(expected[1].lines().count(), 2 + 20, "{}", expected[1]);
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

#[test]
fn annuli_that_cannot_be_sampled_are_refused() {
    for (more, from, to, words) in [
        (", x: 5", "", "", "lies in no cell"),
        (
            ", x: 0.5",
            "radii: [1.15, 1.8]",
            "radii: [1.15, 2.5]",
            "lies in no cell",
        ),
        (
            ", x: 0.5",
            "radii: [1.15, 1.8]",
            "radii: [1.8, 1.15]",
            "it must be above that of the hub, 1.8",
        ),
        (", x: 0.5", "counts: [5, 4]", "counts: [1, 4]", "it must be at least 2"),
        (
            ", x: 0.5",
            "counts: [5, 4]",
            "counts: [100000, 4]",
            "at most 1,000,000 points in all",
        ),
        (", x: 0.5, cone: 11", "", "", "it must be from -10 to 10"),
        (", x: 0.5, total-pressure: 0", "", "", "it must be above 0"),
        (
            ", x: 0.5",
            "axis: z",
            "axis: x",
            "the mesh repeats by a rotation about another axis than x",
        ),
    ] {
        let directory = with_case(&one_sample(more).replace(from, to));
        sector(&directory.path().join("mesh.h5"), std::f64::consts::FRAC_PI_4);
        refuses(&directory, &["run.yaml"], &[words]);
    }
}
