//! The limit of the time step from the operator: against spectra that are known, against runs, and what it leaves.

use crate::common::cases::solver;
use fr_les::io::Precision;
use fr_les::solver::Solver;

/// Gas at rest with the speed of sound 1 in a periodic box of so many cubes in each direction.
fn at_rest(cells: usize, order: usize, correction: &str, viscosity: &str) -> Solver {
    solver(&format!(
        "mesh: {{box: {{cells: [{cells}, {cells}, {cells}], lower: [0, 0, 0], upper: [1, 1, 1], \
         periodic: [x, y, z]}}}}\n\
         order: {order}\nscheme: {{correction: {correction}}}\n\
         gas: {{gamma: 1.4, prandtl: 0.71, gas-constant: 1/1.4{viscosity}}}\n\
         initial: {{u: 0, v: 0, w: 0, p: 1/1.4, temperature: 1}}\ntime: {{steps: 1}}\n"
    ))
}

/// A flow between walls in cells that are thin at these.
fn layers(elements: &str, more: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [4, 6, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z], elements: {elements}, \
         stretch: {{y: {{tanh: 4}}}}}}}}\norder: 2\n\
         gas: {{gamma: 1.4, prandtl: 0.72, gas-constant: 1/1.4, viscosity: {{constant: 1e-4}}}}\n\
         initial: {{u: \"0.3*(1 - (2*y - 1)^8)\", v: 0, w: 0, p: 1/1.4, temperature: 1}}\n\
         boundaries: {{y-: {{type: no-slip-adiabatic}}, y+: {{type: no-slip-adiabatic}}}}\n{more}"
    )
}

/// The step that the waves allow, and that of the operator.
fn limits(s: &mut Solver) -> (f64, f64) {
    let bounds = s.time_step_bounds().unwrap();
    let waves = s.stable_step(&bounds);
    (waves, s.operator_step(0.0, waves, Precision::Double).unwrap())
}

#[test]
fn it_is_that_of_linear_theory_for_sound_in_cubes_and_for_heat() {
    // The table of sound in cubes and the analysis of diffusion on lines are independent of the kernels.
    for correction in ["radau", "lobatto"] {
        for order in 2..=3 {
            // The most restrictive waves are as long as one, two, and four cells.
            let mut s = at_rest(2, order, correction, "");
            let (theory, operator) = limits(&mut s);
            let ratio = operator / theory;
            assert!((ratio - 1.0).abs() < 0.01, "sound, p {order}, {correction}: {ratio}");

            let mut s = at_rest(4, order, correction, ", viscosity: {constant: 10}");
            let (_, operator) = limits(&mut s);
            let bounds = s.time_step_bounds().unwrap();
            let ratio = operator / s.viscous_step(&bounds);
            assert!((ratio - 1.0).abs() < 0.01, "heat, p {order}, {correction}: {ratio}");
        }
    }
}

/// Returns whether a disturbance of 1e-5 grows in steps of this length.
fn grows(text: &str, dt: f64) -> bool {
    let mut s = solver(text);
    let disturbed: Vec<f64> = s.device.state().unwrap();
    let disturbed: Vec<f64> = disturbed
        .iter()
        .enumerate()
        .map(|(i, u)| u * (1.0 + 1e-5 * (1.7 * (i * i % 1009) as f64).sin()))
        .collect();
    s.device.set_state(&disturbed).unwrap();
    let size = |s: &mut Solver| s.rhs(0.0).unwrap().iter().map(|r| r * r).sum::<f64>().sqrt();
    let first = size(&mut s);
    for _ in 0..250 {
        s.step(0.0, dt).unwrap();
    }
    let last = size(&mut s);
    // Not a number has grown.
    last.partial_cmp(&first) != Some(std::cmp::Ordering::Less)
}

#[test]
fn runs_are_stable_within_it_and_not_beyond_it_in_thin_layers() {
    for (elements, scheme, correction) in [
        ("hex", "rk4", "radau"),
        ("hex", "lsrk10", "lobatto"),
        ("prism", "lsrk5", "lobatto"),
        ("tet", "lsrk14", "radau"),
        ("mixed", "paired", "radau"),
    ] {
        let more = format!("scheme: {{correction: {correction}}}\ntime: {{steps: 1, scheme: {scheme}}}\n");
        let text = layers(elements, &more);
        let (waves, operator) = limits(&mut solver(&text));
        let what = format!(
            "{elements}, {scheme}, {correction}: {:.3} times the waves",
            operator / waves
        );
        assert!(operator > 1.2 * waves, "not longer: {what}");
        assert!(!grows(&text, 0.93 * operator), "grows within the limit: {what}");
        assert!(grows(&text, 1.12 * operator), "does not grow beyond the limit: {what}");
    }
}

#[test]
fn it_leaves_the_run_as_it_was() {
    let ends = "boundaries:\n  y-: {type: no-slip-adiabatic}\n  y+: {type: no-slip-adiabatic}\n  \
                x-: {type: relaxed-velocity-inlet, u: 0.2, v: 0, w: 0, temperature: 1}\n  \
                x+: {type: relaxed-outlet, p: 1/1.4, hold: mean}\n";
    let opened = |text: String| {
        let (head, tail) = text.split_once("boundaries: ").unwrap();
        let tail = tail.split_once('\n').unwrap().1;
        format!("{}{ends}{tail}", head.replace("[x, z]", "[z]"))
    };
    let filtered = "scheme: {shock: entropy-filter}\ntime: {steps: 1, scheme: lsrk10}\n";
    let forced = "forcing: {force: [\"1 + t + x\", 0, 0.1]}\ntime: {steps: 1, scheme: lsrk5}\n";
    let cases = [
        layers(
            "hex",
            "forcing: {force: [0.1, 0, 0]}\ntime: {steps: 1, scheme: lsrk5}\n",
        ),
        layers("mixed", forced),
        layers("hex", "time: {steps: 1, kahan: false, scheme: rk4}\n"),
        layers("hex", "precision: single\ntime: {steps: 1, scheme: lsrk10}\n"),
        layers("prism", filtered),
        opened(layers("hex", "time: {steps: 1, scheme: lsrk5}\n")),
        opened(layers("mixed", "time: {steps: 1, scheme: paired}\n")),
    ];
    for text in cases {
        let precision = if text.contains("single") {
            Precision::Single
        } else {
            Precision::Double
        };
        let end = |asks: bool| {
            let mut s = solver(&text);
            let bounds = s.time_step_bounds().unwrap();
            let waves = s.stable_step(&bounds);
            let mut time = 0.0;
            for step in 0..6 {
                if asks && step % 3 == 2 {
                    let operator = s.operator_step(time, waves, precision).unwrap();
                    // Boundaries that relax, or a force that varies, are no disturbances that grow.
                    assert!(operator > 1.1 * waves, "{}: {text}", operator / waves);
                }
                s.step(time, 0.5 * waves).unwrap();
                time += 0.5 * waves;
                if step % 3 == 1 {
                    // As at a guard: what is adjusted there remembers something in the kernels' arrays.
                    s.adjust_controls(time).unwrap();
                }
            }
            (
                s.hash().unwrap(),
                s.device.compensation().unwrap(),
                s.device.relaxed().unwrap(),
            )
        };
        assert!(end(false) == end(true), "{text}");
    }
}
