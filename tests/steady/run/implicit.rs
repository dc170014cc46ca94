//! The implicit driver by the program: it needs few steps, and continues to the bit on any number of ranks with every
//! preconditioner.

use super::{CASE, steady};
use crate::common::program::{case_command, hash, output, with_case};
use std::path::Path;

/// The rows of the table of the convergence in an output directory, and the numbers of the last one.
fn last(path: &Path, output: &str) -> (Vec<String>, Vec<f64>) {
    let table = std::fs::read_to_string(path.join(output).join("steady/convergence.csv")).expect("a table");
    let row = table.lines().last().expect("rows").to_owned();
    let numbers: Vec<f64> = row.split(',').map(|x| x.trim().parse().expect("a number")).collect();
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    (rows.map(str::to_owned).collect(), numbers)
}

/// Solves with a preconditioner, which is given with a name and the cells over the height: the residual falls, and the
/// solution is the same on any number of ranks and through a restart.
fn solve_implicitly(name: &str, cells: usize, of: &str) {
    let directory = with_case(CASE);
    let path = directory.path();
    let last = |output: &str| last(path, output);
    let with = |output: &str, more: &[&str]| -> Vec<String> {
        let mut set = vec![
            format!("output.directory={output}"),
            "steady.driver=implicit".to_owned(),
            of.to_owned(),
            format!("mesh.box.cells=[2, {cells}, 2]"),
        ];
        set.extend(more.iter().map(|&x| x.to_owned()));
        set
    };
    let run = |output: &str, ranks: usize, more: &[&str]| {
        let set = with(output, more);
        steady(path, ranks, &set.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let [whole, three, half] = ["whole", "three", "half"].map(|part| format!("{name}-{part}"));
    let hash = run(&whole, 1, &["steady.iterations=40"]);
    let (table, numbers) = last(&whole);
    // The residual rises as the order becomes the second one after 10 steps, and then falls by a factor of 100 or
    // more in 10 steps, on a fine mesh by less; explicit ones need hundreds for this.
    let at_20: f64 = table[3].split(',').nth(2).expect("a norm").parse().expect("a number");
    let fall = if cells > 8 { 0.05 } else { 1e-3 };
    assert!(numbers[2] < fall * at_20, "{} {at_20}", numbers[2]);
    assert!(
        numbers[0] == 40.0 && numbers[12] >= 10.0 && (1.0..=10.0).contains(&numbers[13]),
        "{numbers:?}"
    );
    // In steps 0, 4 and 8 of 10.
    assert!(name != "kept" || numbers[13] == 3.0, "{numbers:?}");
    assert_eq!(run(&three, 3, &["steady.iterations=40"]), hash);
    assert_eq!(last(&three).0, table);
    run(&half, 2, &["steady.iterations=20"]);
    let on = format!("restart={half}/steady/steady.h5");
    assert_eq!(run(&half, 3, &["steady.iterations=40", &on]), hash);
    assert_eq!(last(&half).0, table);
}

#[test]
fn an_implicit_solution_needs_few_steps_and_continues_to_the_bit_on_any_number_of_ranks() {
    solve_implicitly("gauss-seidel", 4, "steady.implicit={cfl: [5, 1000], linear-stop: 0.01}");
    // With 8 cells over the height, lines cross from rank to rank unless they are kept whole.
    solve_implicitly(
        "lines",
        8,
        "steady.implicit={cfl: [5, 1000], preconditioner: lines, linear-stop: 0.01}",
    );
}

#[test]
fn a_solution_turns_implicit_and_continues_to_the_bit() {
    let directory = with_case(CASE);
    let path = directory.path();
    let last = |output: &str| last(path, output);
    // By the fall of the residual in 100 explicit steps the solution would take thousands.
    let auto = ["steady.driver=auto", "steady.iterations=240", "steady.residual=1e-90"];
    let log = output(
        case_command(path, 1, &[&auto[..], &["output.directory=auto"]].concat()).arg("--steady"),
        0,
    );
    assert!(log.contains("driver implicit from now on"), "{log}");
    let (table, numbers) = last("auto");
    assert!(
        numbers[0] == 240.0 && numbers[12] >= 10.0 && table.len() == 2 + 10 + 4,
        "{table:?}"
    );
    let on = ["restart=auto-half/steady/steady.h5", "output.directory=auto-half"];
    steady(
        path,
        2,
        &[&auto[..], &["output.directory=auto-half", "steady.iterations=220"]].concat(),
    );
    assert_eq!(steady(path, 1, &[&auto[..], &on].concat()), hash(&log));
    assert_eq!(last("auto-half").0, table);
}

/// The other preconditioners.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes two minutes"]
    fn an_implicit_solution_continues_to_the_bit_with_every_preconditioner() {
        // Agglomerates with members of other ranks.
        solve_implicitly(
            "multigrid",
            24,
            "steady.implicit={cfl: [5, 1000], preconditioner: multigrid, linear-stop: 0.01}",
        );
        solve_implicitly(
            "ilu",
            4,
            "steady.implicit={cfl: [5, 1000], preconditioner: ilu, linear-stop: 0.01, refresh: {a: 3, b: 0}}",
        );
        solve_implicitly(
            "kept",
            4,
            "steady.implicit={cfl: [5, 1000], preconditioner: ilu, linear-stop: 0.01, refresh: {period: 4}}",
        );
    }
}
