//! Restarts from a state that is not that of the case to the bit: a checkpoint of another order or precision, a
//! solution, and tables whose values have changed.

use std::fs;
use std::path::Path;

use super::{CASE, run};
use crate::common::program::{hash, run_case, with_case};
use fr_les::io::read_series;

/// A uniform flow, which solutions of any order and precision represent exactly.
const UNIFORM: &str = "\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], elements: mixed}}
order: 2
gas: {viscosity: {constant: 1/100}}
initial: {u: 0.5, v: 0.25, w: 0.125, p: 1, rho: 1}
device: cpu
time: {steps: 5, cfl: 0.5}
output: {checkpoint: {every-steps: 5}, integrals: {every-steps: 1}}
restart: latest
";

#[test]
fn other_orders_and_precisions_continue_from_a_converted_state() {
    for (more, words) in [
        (&["precision=single"][..], "converted to the precision of the case"),
        (&["order=3"], "interpolated from order 2"),
        (&["order=3", "precision=single"], "interpolated from order 2, converted"),
    ] {
        let directory = with_case(UNIFORM);
        run(directory.path(), &[], 0);
        let log = run(directory.path(), &[more, &["time.steps=10"]].concat(), 0);
        assert!(log.contains(words), "{log}");
        let table = read_series(&directory.path().join("results/integrals.csv")).expect("series");
        assert_eq!(table.columns[0].len(), 11);
        let tolerance = if more.contains(&"precision=single") {
            2e-6
        } else {
            1e-12
        };
        for (name, expected) in [
            ("mass", 1.0),
            ("momentum_x", 0.5),
            ("momentum_y", 0.25),
            ("momentum_z", 0.125),
        ] {
            let column = table.column(name).unwrap_or_else(|| panic!("{:?}", table.names));
            assert!(
                column.iter().all(|x| (x - expected).abs() < tolerance),
                "{name} {more:?}: {column:?}"
            );
        }
        // The state that was interpolated to a higher order is restored exactly.
        let log = run(directory.path(), &["time.steps=15"], 0);
        assert!(
            log.contains("restart from results/checkpoint_00000010.h5: step 10"),
            "{log}"
        );
    }
    let directory = with_case(UNIFORM);
    run(directory.path(), &["mesh.box.elements=hex", "order=3"], 0);
    let log = run(
        directory.path(),
        &["mesh.box.elements=hex", "order=2", "time.steps=10"],
        0,
    );
    assert!(log.contains("interpolated from order 3"), "{log}");
}

/// Time, kinetic energy and enstrophy in the last line of the integrals.
fn last_integrals(results: &Path) -> [f64; 3] {
    let table = read_series(&results.join("integrals.csv")).expect("series");
    let last = table.columns[0].len() - 1;
    ["time", "kinetic_energy", "enstrophy"].map(|name| table.column(name).expect(name)[last])
}

#[test]
fn cells_of_all_kinds_continue_from_a_solution_with_the_same_bits_on_any_ranks() {
    let directory = with_case(CASE);
    let on = |ranks: usize, to: &str, set: &[&str]| {
        let to = format!("output.directory={to}");
        let all = ["mesh.box.elements=mixed", "time.cfl=null", "time.dt=0.002", &to];
        hash(&run_case(directory.path(), ranks, &[&all[..], set].concat(), 0))
    };
    for (precision, bound) in [("double", 1e-13), ("single", 1e-7)] {
        let output = format!("output.solution={{every-steps: 3, precision: {precision}}}");
        on(1, precision, &["restart=null", "time.steps=6", &output]);
        let file = format!("restart={precision}/solution_0001.vtkhdf");
        for order in ["order=2", "order=3"] {
            let [one, three] = [1, 3].map(|ranks| on(ranks, &format!("on-{ranks}"), &["time.steps=6", order, &file]));
            assert_eq!(one, three, "{precision}, {order}");
            if order == "order=2" {
                let [through, continued] = [precision, "on-1"].map(|to| last_integrals(&directory.path().join(to)));
                for (a, b) in through.iter().zip(continued) {
                    assert!(
                        (a - b).abs() <= bound * a.abs(),
                        "{precision}: {through:?} {continued:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_run_continues_from_a_solution_at_its_time_and_step() {
    let directory = with_case(CASE);
    let set = ["time.cfl=null", "time.dt=0.002", "output.solution={every-steps: 20}"];
    run(directory.path(), &[&set[..], &["restart=null"]].concat(), 0);
    let through = last_integrals(&directory.path().join("results"));
    let file = "restart=results/solution_0001.vtkhdf";
    let log = run(directory.path(), &[&set[..], &[file]].concat(), 0);
    for part in [
        "WARN restart from the solution results/solution_0001.vtkhdf: step 20, t = 0.04",
        "It has the state alone: statistics and other means",
        "they were moved to results/previous-1",
        "finished at step 47",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    let continued = last_integrals(&directory.path().join("results"));
    // Each cell continues with its own values, also at points on faces.
    for (a, b) in through.iter().zip(continued) {
        assert!((a - b).abs() <= 1e-13 * a.abs(), "{through:?} {continued:?}");
    }
    let table = read_series(&directory.path().join("results/integrals.csv")).expect("series");
    assert_eq!(table.column("step").expect("steps")[0], 20.0);
    // At the end there is nothing to compute, and the results stay where they are.
    let last = "restart=results/solution_0002.vtkhdf";
    let refused = run(directory.path(), &[&set[..], &[last]].concat(), 2);
    assert!(
        refused.contains("this solution is of step 47, t = 0.093") && !refused.contains("previous-2"),
        "{refused}"
    );
    // What continued has a checkpoint, from which it goes on.
    let more = run(directory.path(), &[&set[..], &["time.steps=48"]].concat(), 0);
    assert!(
        more.contains("restart from results/checkpoint_00000047.h5: step 47"),
        "{more}"
    );

    let kept = "restart=results/previous-1/solution_0001.vtkhdf";
    let other = [&set[..], &[kept, "order=3", "time.steps=22"]].concat();
    let log = run_case(directory.path(), 2, &other, 0);
    assert!(log.contains("previous-1/solution_0001.vtkhdf: step 20"), "{log}");
    let wrong = [&set[..], &[kept, "mesh.box.cells=[4, 4, 2]"]].concat();
    let refused = run(directory.path(), &wrong, 2);
    assert!(
        refused.contains("this solution is of another mesh") && refused.contains("`initial.file` begins"),
        "{refused}"
    );
}

#[test]
fn a_table_with_other_values_is_named_with_its_key() {
    let directory = with_case(&UNIFORM.replace("[x, y, z], elements: mixed", "[y, z]").replace(
        "device: cpu",
        "boundaries: {x-: {type: velocity-inlet, u: {file: in.csv, along: y, column: speed}, v: 0.25, w: 0.125, \
             rho: 1}, x+: {type: pressure-outlet, p: 1}}\ndevice: cpu",
    ));
    let table = |speed: f64| {
        let text = format!("y,speed\n0,{speed}\n1,0.5\n");
        fs::write(directory.path().join("in.csv"), text).expect("a table");
    };
    table(0.5);
    run(directory.path(), &[], 0);
    let log = run(directory.path(), &["time.steps=6"], 0);
    assert!(!log.contains("differs"), "{log}");
    table(0.4);
    let log = run(directory.path(), &["time.steps=7"], 0);
    assert!(
        log.contains("`boundaries.x-` differs from that of the checkpoint") && !log.contains("`boundaries.x+`"),
        "{log}"
    );
    assert!(
        log.contains("`boundaries.x-.u` differs: in.csv has other values"),
        "{log}"
    );
}
