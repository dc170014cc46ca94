//! The place that a run which diverges names, compared with that of a run whose states are looked at after every stage
//! of every step, on one and on three ranks; and the file of the cells around it.

use crate::common::cases;
use crate::common::program::{names, run_case, with_case};
use fr_les::io::StoredSolution;

/// A death: what it is of, and the case without the time.
struct Death {
    of: &'static str,
    case: &'static str,
    dt: f64,
}

/// What keeps runs from diverging is off.
const PLAIN: &str = "arithmetic: strict\nscheme: {shock: none, entropy-correction: none}\n";

/// Runs that die of several causes. All take fixed steps of RK4.
const DEATHS: [Death; 10] = [
    Death {
        of: "a time step that is too large",
        case: "mesh: {box: {cells: [6, 4, 4], lower: [0, 0, 0], upper: [6, 4, 4], periodic: [x, y, z]}}\norder: 2\n\
               initial: {u: 1 + 0.3*sin(pi*x/3), v: 0.2*cos(pi*y/2), w: 0.1*sin(pi*z/2), p: 1, rho: 1}\n",
        dt: 0.35,
    },
    Death {
        of: "thin cells",
        case: "mesh: {box: {cells: [4, 8, 4], lower: [0, 0, 0], upper: [4, 4, 4], periodic: [x, z], \
               stretch: {y: {tanh: 3}}, elements: prism}}\norder: 2\n\
               initial: {u: 0.5, v: 0.1*sin(pi*x/2), w: 0.1*cos(pi*z/2), p: 1, rho: 1}\n\
               boundaries: {y-: {type: slip}, y+: {type: slip}}\n",
        dt: 0.04,
    },
    Death {
        of: "a boundary that does not fit",
        case: "mesh: {box: {cells: [8, 3, 3], lower: [0, 0, 0], upper: [8, 3, 3], periodic: [y, z], \
               elements: tet}}\norder: 2\ninitial: {u: 0.5 + 0.05*sin(2*pi*y/3), v: 0, w: 0, p: 1, rho: 1}\n\
               boundaries: {x-: {type: slip}, x+: {type: supersonic-inlet, u: -6, v: 0, w: 0, p: 1e-2, rho: 1}}\n",
        dt: 4e-3,
    },
    Death {
        of: "a peak of pressure at the start",
        case: "mesh: {box: {cells: [12, 2, 2], lower: [0, 0, 0], upper: [12, 2, 2], periodic: [x, y, z], \
               elements: pyramid}}\norder: 2\n\
               initial: {u: 0, v: 0, w: 0, p: '1 + 1e3*exp(-((x - 5.3)/0.3)^2)', rho: 1}\n",
        dt: 5e-4,
    },
    Death {
        of: "a force",
        case: "mesh: {box: {cells: [6, 3, 3], lower: [0, 0, 0], upper: [6, 3, 3], periodic: [x, y, z]}}\norder: 3\n\
               initial: {u: 0.1*sin(pi*x/3), v: 0, w: 0, p: 1, rho: 1}\n\
               forcing: {force: ['60*sin(pi*x/3)', 0, '20*cos(2*pi*y/3)']}\n",
        dt: 0.02,
    },
    Death {
        of: "aliasing in a layer that the mesh cannot hold",
        case: "mesh: {box: {cells: [6, 6, 1], lower: [-1, -1, 0], upper: [1, 1, 0.33], periodic: [x, y, z], \
               elements: tet}}\norder: 3\n\
               initial: {u: 0.5*(tanh(15*y + 7.5) - tanh(15*y - 7.5) - 1), v: 0.1*sin(2*pi*x), w: 0, p: 1, \
               rho: 0.5 + 0.75*(tanh(15*y + 7.5) - tanh(15*y - 7.5))}\n",
        dt: 4e-3,
    },
    Death {
        of: "an outlet that empties the box",
        case: "mesh: {box: {cells: [8, 2, 2], lower: [0, 0, 0], upper: [4, 1, 1], periodic: [y, z]}}\norder: 4\n\
               initial: {u: 0.2, v: 0.1*sin(2*pi*y), w: 0, p: 1, rho: 1}\n\
               boundaries: {x-: {type: slip}, x+: {type: supersonic-outlet}}\n",
        dt: 5e-3,
    },
    Death {
        of: "a wall that drags the gas along",
        case: "mesh: {box: {cells: [3, 4, 3], lower: [0, 0, 0], upper: [3, 1, 3], periodic: [x, z], \
               elements: prism}}\norder: 3\ngas: {viscosity: {constant: 0.01}}\n\
               initial: {u: 0.1*sin(2*pi*x/3), v: 0, w: 0.1*cos(2*pi*z/3), p: 1, rho: 1}\n\
               boundaries: {y-: {type: no-slip-adiabatic, velocity: [30, 0, 0]}, y+: {type: slip}}\n",
        dt: 2e-3,
    },
    Death {
        of: "a frame that turns too fast for its steps",
        case: "mesh: {box: {cells: [5, 5, 2], lower: [1, 1, 0], upper: [3, 3, 0.8], periodic: [z]}}\n\
               order: 2\nrotating-frame: {angular-velocity: [0, 0, 40]}\n\
               boundaries: {x-: {type: slip}, x+: {type: slip}, y-: {type: slip}, y+: {type: slip}}\n\
               initial: {u: 0.3*sin(pi*x), v: 0.2*cos(pi*y), w: 0, p: 1, rho: 1}\n",
        dt: 5e-3,
    },
    Death {
        of: "a sponge that is too strong for its steps",
        case: "mesh: {box: {cells: [6, 3, 3], lower: [0, 0, 0], upper: [6, 3, 3], periodic: [y, z], \
               elements: pyramid}}\norder: 2\n\
               initial: {u: 0.5 + 0.1*sin(2*pi*y/3), v: 0.1*cos(2*pi*z/3), w: 0, p: 1, rho: 1}\n\
               boundaries: {x-: {type: far-field, u: 0.5, v: 0, w: 0, p: 1, rho: 1}, \
               x+: {type: pressure-outlet, p: 1}}\n\
               sponges: {end: {plane: {point: [3, 0, 0], normal: [1, 0, 0], thickness: 3}, strength: 2e3, \
               state: {u: 0.5, v: 0, w: 0, p: 1, rho: 1}}}\n",
        dt: 4e-3,
    },
];

/// The step, the stage and the cell of the first state that is not physical, looked for on the host after every stage.
fn by_stages(death: &Death) -> (usize, usize, usize) {
    let text = format!("{}device: cpu\ntime: {{steps: 1, dt: {}}}\n", death.case, death.dt);
    let mut solver = cases::solver(&text);
    let first_bad = |solver: &fr_les::solver::Solver, state: &[f64]| {
        let first = &solver.geometry.first_point;
        let physical = |cell: &usize| {
            let u = &state[5 * first[*cell]..5 * first[cell + 1]];
            let np = u.len() / 5;
            (0..np).all(|p| {
                let of: [f64; 5] = std::array::from_fn(|v| u[v * np + p]);
                let energy = of[4] - 0.5 * (of[1].powi(2) + of[2].powi(2) + of[3].powi(2)) / of[0];
                of[0] > 0.0 && energy > 0.0 && energy.is_finite()
            })
        };
        (0..solver.mesh.len()).find(|cell| !physical(cell))
    };
    let mut start = solver.device.state().expect("a state");
    for step in 1..1000 {
        let time = (step - 1) as f64 * death.dt;
        let mut sum = vec![0.0; start.len()];
        let mut state = start.clone();
        for (stage, (to_next, weight)) in [(0.5, 1.0), (0.5, 2.0), (1.0, 2.0), (0.0, 1.0)].into_iter().enumerate() {
            solver.device.set_state(&state).expect("a state");
            let rate = solver.rhs(time).expect("a right-hand side");
            for i in 0..sum.len() {
                sum[i] += weight / 6.0 * rate[i];
                let change = if stage == 3 { sum[i] } else { to_next * rate[i] };
                state[i] = start[i] + death.dt * change;
            }
            if let Some(cell) = first_bad(&solver, &state) {
                return (step, stage + 1, cell);
            }
        }
        start = state;
    }
    panic!("{} does not end the run", death.of);
}

/// Returns the words between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text
        .split_once(before)
        .unwrap_or_else(|| panic!("no '{before}' in\n{text}"))
        .1;
    rest.split_once(after)
        .unwrap_or_else(|| panic!("no '{after}' in\n{text}"))
        .0
}

/// Asserts that runs on 1 and 3 ranks name the first cell that a stage left unphysical.
fn names_the_first(death: &Death, device: &str) {
    let (step, stage, cell) = by_stages(death);
    let case = with_case(&format!(
        "{}{PLAIN}time: {{steps: 1000, scheme: rk4, dt: {}}}\n\
         output: {{directory: results, checkpoint: {{every: 1e9}}}}\n",
        death.case, death.dt
    ));
    let mut logs = Vec::new();
    for ranks in [1, 3] {
        let device = format!("device={device}");
        let log = run_case(case.path(), ranks, &["output.integrals.every-steps=1000", &device], 3);
        // Libraries of MPI may speak of errors of their own before.
        let message = log[log.find("diverged at step").expect("a message")..].to_owned();
        let time = fr_les::format::physical_time(step as f64 * death.dt);
        let place = format!("diverged at step {step}, stage {stage} of 4, t = {time}");
        assert!(
            message.starts_with(&place),
            "{}: not at {place}, cell {cell}, but\n{log}",
            death.of
        );
        let named = between(&message, "not a positive number in ", " at (");
        let number = named.split(' ').nth(1).and_then(|number| number.parse().ok());
        assert_eq!(number, Some(cell), "{}: {log}", death.of);
        let message = message
            .lines()
            .take_while(|line| !line.contains("last good"))
            .collect::<Vec<_>>()
            .join("\n");
        logs.push(message);
    }
    println!("{}: {}", death.of, logs[0]);
    assert_eq!(logs[0], logs[1], "{}", death.of);
}

#[test]
fn the_named_cell_is_the_first_that_a_stage_left_unphysical() {
    for death in &DEATHS {
        names_the_first(death, "cpu");
    }
}

mod gpu {
    use super::{DEATHS, names_the_first};

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_names_the_first_cell_that_a_stage_left_unphysical() {
        for death in &DEATHS {
            names_the_first(death, "cuda");
        }
    }
}

/// The file of the surroundings is the same on any number of ranks, and has two layers of neighbours.
#[test]
fn the_cells_around_the_place_are_written_on_any_number_of_ranks() {
    let death = &DEATHS[1];
    let (.., cell) = by_stages(death);
    let case = with_case(&format!(
        "{}{PLAIN}time: {{steps: 1000, scheme: rk4, dt: {}}}\n\
         output: {{directory: results, integrals: {{every-steps: 1000}}, \
         checkpoint: {{every: 1e9}}}}\n",
        death.case, death.dt
    ));
    let mut numbers = Vec::new();
    for ranks in [1, 3] {
        let log = run_case(case.path(), ranks, &["device=cpu"], 3);
        assert!(log.contains("the cells around it: results/diverged.vtkhdf"), "{log}");
        assert!(names(&case.path().join("results")).contains(&"diverged.vtkhdf".to_owned()));
        let stored = StoredSolution::open(&case.path().join("results/diverged.vtkhdf")).expect("a solution");
        let count = stored.cells();
        assert!(count > 8 && count < 64, "{count}");
        let mut cells = stored.positions(0..count).expect("positions").ids;
        cells.sort_unstable();
        assert!(cells.contains(&(cell as u64)), "{cells:?}");
        numbers.push(cells);
    }
    assert_eq!(numbers[0], numbers[1]);
}
