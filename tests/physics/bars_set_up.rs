//! Bars that a case describes: what is refused, what gets a warning, and what `fr-les check` says of them.

use crate::bars::{program, rows};
use crate::common::cases::case;
use crate::common::program::with_case;
use fr_les::solver::Solver;

#[test]
fn a_mesh_that_does_not_repeat_refuses_a_pitch_with_its_key() {
    // The box is known to the case; a mesh file is not, and is refused by the solver in the same words.
    let mut settings = case(&rows("hex", "double")).solver;
    settings.bars[0].pitch = Some(0.8);
    let error = Solver::new(&settings).err().expect("refused");
    assert_eq!(error.key().as_deref(), Some("bars.front.pitch"));
    assert!(
        error.to_string().contains("1 (3 in the domain) and 0.75 (4) do"),
        "{error}"
    );
    settings.bars[0].pitch = None;
    settings.bars[1].x = 17.0;
    let error = Solver::new(&settings).err().expect("refused");
    assert_eq!(error.key().as_deref(), Some("bars.rear.x"));
}

/// A box at x and y from 0 to 2 with one row of bars.
fn in_a_box(periodic: &str, bars: &str) -> String {
    let walls = if periodic.contains('y') {
        ""
    } else {
        "y-: {type: slip}, y+: {type: slip}"
    };
    let ends = if periodic.contains('x') {
        ""
    } else {
        "x-: {type: slip}, x+: {type: slip}, "
    };
    format!(
        "mesh: {{box: {{cells: [8, 8, 1], lower: [0, 0, 0], upper: [2, 2, 0.25], periodic: [{periodic}]}}}}\norder: 3\n\
         initial: {{u: 0, v: 0, w: 0, p: 1/1.4, rho: 1}}\nboundaries: {{{ends}{walls}}}\nbars: {{a: {{{bars}}}}}\n\
         time: {{end: 0.5, cfl: 0.9}}\ndevice: cpu\noutput: {{bars: {{every-steps: 4}}}}\n"
    )
}

#[test]
fn bars_that_never_meet_the_mesh_are_refused_and_those_that_leave_it_get_a_warning() {
    let refused = |bars: &str| {
        let made = Solver::new(&case(&in_a_box("z", bars)).solver);
        made.err().and_then(|error| error.key())
    };
    let key = |name: &str| Some(format!("bars.a.{name}"));
    assert_eq!(refused("x: 2.3, y: 1, diameter: 0.4"), key("x"));
    assert_eq!(refused("x: 1, y: 2.3, diameter: 0.4"), key("y"));
    // A bar may come from outside, but not from where it never arrives.
    assert_eq!(refused("x: 1, y: 2.3, diameter: 0.4, speed: -1"), None);
    assert_eq!(refused("x: 1, y: 2.3, diameter: 0.4, speed: 1"), key("y"));
    assert_eq!(refused("x: 1, y: -0.3, diameter: 0.4, speed: -1"), key("y"));
    assert_eq!(refused("x: 2.1, y: 1, diameter: 0.4"), None);
    // The program names the line.
    let directory = with_case(&in_a_box("z", "x: 1, y: 2.3, diameter: 0.4"));
    let mut command = crate::common::program::program(directory.path());
    let shown = crate::common::program::output(command.args(["run", "run.yaml"]), 2);
    assert!(
        shown.contains("the bar at y = 2.3 never meets the mesh, which is at y from 0 to 2 there"),
        "{shown}"
    );
    assert!(shown.contains("run.yaml:5:21 (bars.a.y)"), "{shown}");
    let leaves = |periodic: &str, bars: &str| {
        let directory = with_case(&in_a_box(periodic, bars));
        let mut command = crate::common::program::program(directory.path());
        let log = crate::common::program::output(command.args(["check", "--long", "run.yaml"]), 0);
        log.contains("bars.a: a part of a bar lies in no cell of the mesh")
    };
    assert!(!leaves("z", "x: 1, y: 1, diameter: 0.4"));
    assert!(leaves("z", "x: 1.9, y: 1, diameter: 0.4"));
    assert!(leaves("z", "x: 1, y: 0.1, diameter: 0.4"));
    // Where y repeats, a bar across the side is whole, wherever the case counts it; one across the end in x is not.
    assert!(!leaves("y, z", "x: 1, y: 0.1, diameter: 0.4"));
    assert!(!leaves("y, z", "x: 1, y: 17.1, diameter: 0.4, pitch: 1"));
    assert!(leaves("x, y, z", "x: 0.1, y: 1, diameter: 0.4"));
    // Until t = 0.5 the bar moves to y = 1.4, or with the larger speed to 2.
    assert!(!leaves("z", "x: 1, y: 1, diameter: 0.4, speed: 0.8, ramp: 0"));
    assert!(leaves("z", "x: 1, y: 1, diameter: 0.4, speed: 2, ramp: 0"));
    assert!(!leaves("y, z", "x: 1, y: 1, diameter: 0.4, speed: 2, ramp: 0"));
}

#[test]
fn means_at_phases_that_do_not_fit_the_bars_and_bars_faster_than_sound_get_a_warning() {
    // Two bars a period of 2, which move at 0.8: one passes every 1.25.
    let shown = |speed: f64, phase: &str| {
        let traverse = format!("traverses: {{w: {{x: 1.8, counts: [8, 1], every: 0.05, phase: {{{phase}}}}}}}");
        let text = in_a_box("y, z", &format!("x: 1, y: 1, diameter: 0.3, pitch: 1, speed: {speed}"));
        let directory = with_case(&text.replace("bars: {every-steps: 4}", &traverse));
        let mut command = crate::common::program::program(directory.path());
        crate::common::program::output(command.args(["check", "--long", "run.yaml"]), 0)
    };
    let log = shown(0.8, "period: 2.5, bins: 8");
    assert!(!log.contains("phase") && !log.contains("bars.a.speed"), "{log}");
    let log = shown(0.8, "period: 1.3, bins: 8");
    let expected = "`phase.period` is 1.3, and bars pass every 1.25: means at phases need a multiple";
    assert!(log.contains(expected) && !log.contains("a sample is taken"), "{log}");
    let log = shown(-0.8, "period: 1.25, bins: 50");
    let expected = "a sample is taken each 0.05, and a bin of `phase` is 0.025 long";
    assert!(log.contains(expected) && !log.contains("multiple"), "{log}");
    let log = shown(1.2, "period: 2.5, bins: 8");
    assert!(
        log.contains("bars.a.speed: the bars move at 1.2 times the speed of sound") && !log.contains("in a time step"),
        "{log}"
    );
    let log = shown(1e6, "period: 2e-6, bins: 8");
    let expected = "times the distance of neighbouring points in a time step, which no run resolves";
    assert!(
        log.contains("bars.a.speed: a bar moves by") && log.contains(expected),
        "{log}"
    );
}

#[test]
fn bars_whose_masks_meet_are_refused_whether_of_one_row_or_of_two() {
    let refused = |bars: &str| {
        let text = format!(
            "mesh: {{box: {{cells: [8, 8, 1], lower: [0, 0, 0], upper: [2, 2, 0.25], periodic: [x, y, z]}}}}\n\
             order: 3\ninitial: {{u: 0.1, v: 0, w: 0, p: 1/1.4, rho: 1}}\nbars: {{{bars}}}\ntime: {{steps: 1}}\n"
        );
        let made = Solver::new(&case(&text).solver);
        made.err()
            .map(|error| (error.key().unwrap_or_default(), error.to_string()))
    };
    // The spacing of the points is 1/12 and the mask 1/6 wide, so that a bar of diameter 0.4 reaches over 0.56.
    let row = |pitch: f64| format!("a: {{x: 1, y: 1, diameter: 0.4, pitch: {pitch}}}");
    assert_eq!(refused(&row(2.0 / 3.0)), None);
    let (key, text) = refused(&row(0.5)).expect("refused");
    assert!(
        key == "bars.a.pitch" && text.contains("bars at a pitch of 0.5 meet"),
        "{key}: {text}"
    );
    let two = |x: f64, y: f64, speed: f64| {
        format!("a: {{x: 1, y: 1.9, diameter: 0.4}}, b: {{x: {x}, y: {y}, diameter: 0.4, speed: {speed}}}")
    };
    assert_eq!(refused(&two(1.6, 1.9, 1.0)), None);
    assert_eq!(refused(&two(1.0, 0.9, 0.0)), None);
    assert_eq!(refused(&two(1.45, 0.3, 0.0)), None);
    // Across the periodic side, beside each other, and where one row moves past the other.
    for (x, y, speed) in [(1.0, 0.3, 0.0), (1.5, 1.9, 0.0), (1.0, 0.9, 1.0)] {
        let (key, text) = refused(&two(x, y, speed)).expect("refused");
        assert!(
            key == "bars.b.x" && text.contains("the bars a and b come within"),
            "{key}: {text}"
        );
    }
}

#[test]
fn a_fixed_step_above_the_bound_with_bars_gets_a_warning() {
    let directory = with_case(&program());
    let log = |dt: f64| {
        let mut command = crate::common::program::program(directory.path());
        let dt = format!("time.dt={dt}");
        let set = [
            "check",
            "--long",
            "run.yaml",
            "--set",
            "time.scheme=rk4",
            "--set",
            "time.cfl=null",
            "--set",
            &dt,
        ];
        crate::common::program::output(command.args(set), 0)
    };
    let settings = case(&program()).solver;
    let mut s = Solver::new(&settings).unwrap();
    let bounds = s.time_step_bounds().unwrap();
    let stable = s.stable_step(&bounds);
    // With strength 0.5 the bound is reached at dt = stable (1 - 0.5/2.785).
    let limit = stable * (1.0 - 0.5 / 2.785293563405282);
    assert!(log(1.01 * limit).contains("limit of the initial state with bars"));
    assert!(!log(0.99 * limit).contains("linear stability limit"));
    assert!(log(1.01 * stable).contains("is above the linear stability limit"));
}

#[test]
fn check_describes_the_bars_and_warns_of_thin_ones() {
    let directory = with_case(&program());
    let mut command = crate::common::program::program(directory.path());
    let log = crate::common::program::output(command.args(["check", "--long", "run.yaml"]), 0);
    for part in [
        "bars    front: 3 bars",
        "passing frequency 0.4000, period 2.5",
        "points over the diameter",
        "eta",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert!(log.contains("bars.front.diameter"), "{log}");
}
