//! Means of series with their statistical errors, and runs that end when a result is known.

use crate::common::program::{names, outcome, refuses, run_case, with_case};
use fr_les::io::{Table, read_series};
use tempfile::TempDir;

/// A vortex that decays between walls. The samples of the series of boundaries are not all events of its schedule.
const CHANNEL: &str = "\
title: known
mesh: {box: {cells: [3, 3, 2], lower: [0, -1, 0], upper: [2, 1, 1], periodic: [x, z]}}
order: 2
gas: {viscosity: {constant: 1e-2}}
initial: {u: 0.5 - 0.4*y^2, v: 0.1*sin(pi*x)*(1 - y^2), w: 0.05*cos(2*pi*z), p: 1/1.4, rho: 1}
boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: no-slip-adiabatic}}
device: cpu
time: {steps: 100, cfl: 0.9}
output:
  checkpoint: {every-steps: 25}
  boundaries: {every-steps: 3, means-from: 0.2}
  integrals: {every: 0.11, means-from: 0}
restart: latest
";

/// A standing wave between the walls instead, without friction, and an end at an accuracy of the pressure.
const WAVE: [&str; 4] = [
    "initial={u: 0, v: 0, w: 0, p: 1/1.4*(1 + 0.1*cos(pi/2*(y + 1))), rho: 1}",
    "gas={}",
    "boundaries={y-: {type: slip}, y+: {type: slip}}",
    "time.until={known: boundaries.y-_pressure, to: 0.02}",
];

/// Returns the settings of the wave and one more.
fn wave(steps: &str) -> Vec<&str> {
    [&[steps][..], &WAVE].concat()
}

fn table(directory: &TempDir, name: &str) -> Table {
    read_series(&directory.path().join("results").join(name)).unwrap_or_else(|e| panic!("{e}"))
}

fn bytes(directory: &TempDir) -> [Vec<u8>; 2] {
    ["boundaries.means.csv", "integrals.means.csv"].map(|name| {
        std::fs::read(directory.path().join("results").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    })
}

#[test]
fn means_of_a_series_are_those_of_its_rows_weighted_by_time() {
    let directory = with_case(CHANNEL);
    run_case(directory.path(), 1, &[], 0);
    let (series, means) = (
        table(&directory, "boundaries.csv"),
        table(&directory, "boundaries.means.csv"),
    );
    let column = |name: &str| series.column(name).unwrap_or_else(|| panic!("no {name}"));
    let (step, time) = (column("step"), column("time"));
    for name in ["y-_viscous_x", "y+_pressure", "y+_area"] {
        let mut sum = 0.0;
        let mut last = 0.2;
        let mut rows = 0;
        for ((&step, &time), &value) in step.iter().zip(time).zip(column(name)) {
            if step % 3.0 == 0.0 && time > 0.2 {
                sum += (time - last) * value;
                last = time;
                rows += 1;
            }
        }
        assert!(rows > 16 && step.len() > rows + 2);
        let of = |part: &str| means.column(&format!("{name}{part}")).expect(name)[0];
        let mean = sum / (last - 0.2);
        assert!((of("") / mean - 1.0).abs() < 1e-13, "{name}: {} {mean}", of(""));
        assert!(of("_error") >= 0.0 && of("_half_difference").is_finite());
    }
    // The friction of a flow that decays falls by more than its error shows.
    assert!(means.column("y-_viscous_x_half_difference").expect("a column")[0] < 0.0);
}

/// The pressure of a standing wave has the frequency c/(2 L) and, while it is small, the rms of its amplitude over the
/// root of 2.
#[test]
fn means_of_a_series_have_the_rms_and_the_frequency_of_a_wave() {
    let directory = with_case(CHANNEL);
    let wave = [
        "initial={u: 0, v: 0, w: 0, p: 1/1.4*(1 + 1e-3*cos(pi/2*(y + 1))), rho: 1 + 1e-3/1.4*cos(pi/2*(y + 1))}",
        WAVE[1],
        WAVE[2],
        "time={end: 24, cfl: 0.5}",
        "output.boundaries={every: 0.05, means-from: 3.99}",
    ];
    run_case(directory.path(), 1, &wave, 0);
    let means = table(&directory, "boundaries.means.csv");
    let of = |name: &str| {
        means
            .column(name)
            .unwrap_or_else(|| panic!("no {name}: {:?}", means.names))[0]
    };
    let sound = 1.0;
    let length = 2.0;
    let pressure = 1.0 / 1.4;
    let frequency = of("y-_pressure_frequency");
    assert!((frequency * 2.0 * length / sound - 1.0).abs() < 2e-3, "{frequency}");
    let rms = of("y-_pressure_rms") / (1e-3 * pressure / 2f64.sqrt());
    assert!((0.9..1.01).contains(&rms), "{rms}");
    // An area neither fluctuates nor has a period.
    assert!(of("y-_area_rms") < 1e-14, "{}", of("y-_area_rms"));
    assert!(of("y-_area_frequency").is_nan());
    // The columns that were there before keep their places.
    assert_eq!(
        means.names[..5],
        [
            "y-_mass_flux",
            "y-_mass_flux_error",
            "y-_mass_flux_at_least",
            "y-_mass_flux_half_difference",
            "y-_force_x"
        ]
    );
    let unit = |name: &str| means.unit(name);
    assert_eq!(
        [unit("y-_pressure_rms"), unit("y-_pressure_frequency")],
        [Some("Pa"), Some("1/s")]
    );
    // The same number is that of the rows of the series.
    let series = table(&directory, "boundaries.csv");
    let rows = series
        .column("time")
        .expect("times")
        .iter()
        .zip(series.column("y-_pressure").expect("pressures"));
    let counted: Vec<[f64; 2]> = rows.filter(|(t, _)| **t > 3.99).map(|(t, p)| [*t, *p]).collect();
    assert_eq!(fr_les::output::frequency_of(&counted), Some(frequency));
}

#[test]
fn means_of_a_series_are_the_same_on_any_number_of_ranks_and_after_restarts() {
    let alone = with_case(CHANNEL);
    run_case(alone.path(), 1, &[], 0);
    for pieces in [&[(3, 100)][..], &[(2, 31), (1, 50), (3, 100)]] {
        let directory = with_case(CHANNEL);
        for (ranks, steps) in pieces {
            run_case(directory.path(), *ranks, &[&format!("time.steps={steps}")], 0);
        }
        assert!(bytes(&directory) == bytes(&alone), "{pieces:?}");
    }
    let more = ["time.steps=110", "output.boundaries.means-from=0.3"];
    let log = run_case(alone.path(), 1, &more, 0);
    assert!(log.contains("the means of boundaries begin anew"), "{log}");
    assert!(!log.contains("the means of integrals"), "{log}");
}

/// The friction of a flow that decays: all samples are part of one slow change, so that the error is a lower bound, on
/// which no run relies, and the file says so.
#[test]
fn a_run_does_not_end_at_an_error_that_is_a_lower_bound() {
    let directory = with_case(CHANNEL);
    let set = ["time.steps=600", "time.until={known: boundaries.y-_viscous_x, to: 0.8}"];
    let log = run_case(directory.path(), 1, &set, 0);
    assert_eq!(end(&log), 600, "{log}");
    assert!(log.contains("boundaries.y-_viscous_x is not known to 80"), "{log}");
    assert!(log.contains("means of boundaries: the errors of "), "{log}");
    let means = table(&directory, "boundaries.means.csv");
    let of = |part: &str| means.column(&format!("y-_viscous_x{part}")).expect("a column")[0];
    assert!(2.0 * of("_error") < 0.8 * of("").abs(), "{} {}", of(""), of("_error"));
    assert_eq!(of("_at_least"), 1.0);
    assert_eq!(means.column("y-_area_at_least"), Some(&[0.0][..]), "an area is known");
}

/// Returns the step at which a run ended.
fn end(log: &str) -> u64 {
    let (_, rest) = log.split_once("finished at step ").unwrap_or_else(|| panic!("{log}"));
    rest.split(',')
        .next()
        .and_then(|step| step.parse().ok())
        .expect("a step")
}

#[test]
fn a_run_ends_when_a_result_is_known_at_the_same_step_on_any_ranks_and_after_restarts() {
    let until = |result: &str, to: f64| format!("time.until={{known: {result}, to: {to}}}");
    let run = |directory: &TempDir, ranks, set: &[&str]| run_case(directory.path(), ranks, set, 0);
    let every = "output.integrals={every-steps: 2, means-from: 0}";
    // The mass stays as it is, so that it is known as soon as a result can be: after 64 samples.
    let mass = until("integrals.mass", 0.01);
    let directory = with_case(CHANNEL);
    let log = run(&directory, 1, &["time.steps=1000", &mass, every]);
    assert!(log.contains("time.until: integrals.mass is ") && log.contains("or until integrals.mass is known to 1 %"));
    assert_eq!(end(&log), 128, "{log}");
    let files = names(&directory.path().join("results"));
    assert!(files.contains(&"checkpoint_00000128.h5".to_owned()), "{files:?}");
    // The end is the end: there is nothing left to do.
    let log = run(&directory, 2, &["time.steps=1000", &mass, every]);
    assert!(log.contains("leaves nothing to do") && end(&log) == 128, "{log}");
    assert!(!log.contains("is not known"), "{log}");
    // The pressure of a standing wave is known to so much only after a time that depends on the samples.
    let alone = with_case(CHANNEL);
    let log = run(&alone, 1, &wave("time.steps=1500"));
    let step = end(&log);
    assert!((193..1500).contains(&step), "{step}");
    for pieces in [&[3][..], &[2, 1]] {
        let directory = with_case(CHANNEL);
        let mut log = String::new();
        for (piece, ranks) in pieces.iter().enumerate() {
            let steps = if piece + 1 == pieces.len() { 1500 } else { step - 1 };
            log = run(&directory, *ranks, &wave(&format!("time.steps={steps}")));
        }
        assert_eq!(end(&log), step, "{pieces:?}: {log}");
        assert!(bytes(&directory) == bytes(&alone), "{pieces:?}");
    }
}

#[test]
fn results_that_no_output_has_are_refused_with_those_that_there_are() {
    for (set, parts) in [
        (
            "time.until={known: boundaries.y-_viscos_x, to: 0.1}",
            ["did you mean `boundaries.y-_viscous_x`?"; 2],
        ),
        ("time.until={known: zzz, to: 0.1}", ["there are ", "integrals.mass"]),
    ] {
        let directory = with_case(CHANNEL);
        for verb in [&["run.yaml"][..], &["check", "run.yaml"]] {
            refuses(
                &directory,
                &[verb, &["--set", set]].concat(),
                &["no output has the result", parts[0], parts[1]],
            );
        }
    }
    let case = CHANNEL.replace(", means-from: 0.2", "").replace(", means-from: 0", "");
    let directory = with_case(&case.replace("cfl: 0.9", "cfl: 0.9, until: {known: integrals.mass, to: 0.1}"));
    let (code, _, error) = outcome(&directory, &["run.yaml"]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("(time.until.known)") && error.contains("run.yaml:8:"),
        "{error}"
    );
    assert!(error.contains("series with `means-from`"), "{error}");
}

/// Tests that need a GPU.
mod gpu {
    use super::*;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_run_ends_at_the_step_at_which_it_ends_on_the_cpu() {
        let on = |set: &[&str]| {
            let directory = with_case(CHANNEL);
            let log = run_case(directory.path(), 1, &[&wave("time.steps=1500")[..], set].concat(), 0);
            (end(&log), bytes(&directory))
        };
        assert!(on(&["device=cuda", "arithmetic=strict"]) == on(&[]));
    }
}
