//! A body force holds the mass flow of a channel. It is that of laminar flow in the end, and has the same bits on any
//! number of ranks, after a restart and on a GPU.

use std::path::Path;

use crate::common::program::{hash, run_case, with_case};
use fr_les::io::{Table, read_series};
use tempfile::TempDir;

/// Laminar flow between cold plates, which starts with four fifths of the mass flow. The bulk Mach number is 0.1.
const LAMINAR: &str = "\
mesh: {box: {cells: [1, 4, 1], lower: [0, -1, 0], upper: [1, 1, 1], periodic: [x, z]}}
order: 3
constants: {mu: 0.2, T: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: mu}}
initial: {u: 1.2*(1 - y^2), v: 0, w: 0, p: T, temperature: T}
boundaries: {y-: {type: no-slip-isothermal, temperature: T}, y+: {type: no-slip-isothermal, temperature: T}}
forcing: {mass-flow: {direction: x, bulk-velocity: 1}}
time: {end: 25, cfl: 0.9}
output: {forcing: {every: 0.25}, boundaries: {every: 0.25}, integrals: {every: 0.25}}
";

/// Flow along a moving wall in a curved mixed mesh, with the force across the motion.
const MIXED: &str = "\
mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, z], elements: mixed, \
    warp: 0.1}}
order: 2
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/20}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0.3, \
    p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, temperature: p0}
boundaries: {y-: {type: no-slip-isothermal, temperature: p0}, y+: {type: no-slip-adiabatic, velocity: [1, 0, 0]}}
forcing: {mass-flow: {direction: z, bulk-velocity: 0.5}}
device: cpu
time: {steps: 47, cfl: 0.9}
output: {forcing: {every-steps: 3}, integrals: {every: 0.3}}
restart: latest
";

/// Reads a series of a run.
fn table(directory: &Path, name: &str) -> Table {
    read_series(&directory.join("results").join(name)).expect("a series")
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    table.column(name).unwrap_or_else(|| panic!("no {name}"))
}

fn last(table: &Table, name: &str) -> f64 {
    *column(table, name).last().expect("rows")
}

/// Runs the case on a number of ranks, and returns the hash of the final state and the bytes of its series.
fn traces(directory: &TempDir, ranks: usize, set: &[&str]) -> (String, Vec<u8>, Vec<u8>) {
    let log = run_case(directory.path(), ranks, set, 0);
    let read = |name: &str| std::fs::read(directory.path().join("results").join(name)).expect(name);
    (hash(&log), read("forcing.csv"), read("integrals.csv"))
}

#[test]
fn a_laminar_channel_needs_the_force_of_poiseuille_flow() {
    for (precision, held, found) in [("double", 1e-11, 2e-6), ("single", 1e-6, 1e-4)] {
        let directory = with_case(LAMINAR);
        run_case(directory.path(), 1, &[&format!("precision={precision}")], 0);
        let forcing = table(directory.path(), "forcing.csv");
        let walls = table(directory.path(), "boundaries.csv");
        let integrals = table(directory.path(), "integrals.csv");
        let (velocity, force) = (column(&forcing, "bulk_velocity"), last(&forcing, "force"));
        assert!((velocity[0] - 0.8).abs() < 1e-3, "{}", velocity[0]);
        let time = column(&forcing, "time");
        let off = |from: f64| {
            let late = time.iter().zip(velocity).filter(|(t, _)| **t > from);
            late.map(|(_, u)| (u - 1.0).abs()).fold(0.0, f64::max)
        };
        println!(
            "{precision}: off {:e} after 5, {:e} after 15; force {force}",
            off(5.0),
            off(15.0)
        );
        assert!(off(5.0) < 1e-5 && off(15.0) < held);
        // The force is 3 mu U/h^2 if the density is constant. The density is lower in the warm middle, by Pr (gamma -
        // 1)/3 (3/2 M)^2 (1 - y^4), so that the same momentum needs more velocity: by 4/35 of that factor.
        let expected = 0.6 * (1.0 + 4.0 / 35.0 * 0.71 * 0.4 / 3.0 * 0.0225);
        println!("force off {:e}", force / expected - 1.0);
        assert!((force / expected - 1.0).abs() < found);
        // In the end the walls take the momentum of the force, and its work as heat.
        let drag = last(&walls, "y-_force_x") + last(&walls, "y+_force_x");
        assert!((drag / (2.0 * force) - 1.0).abs() < found, "{drag} {force}");
        let heat = last(&walls, "y-_energy_flux") + last(&walls, "y+_energy_flux");
        println!(
            "drag off {:e}, heat off {:e}",
            drag / 2.0 / force - 1.0,
            heat / 2.0 / force - 1.0
        );
        let (decay, dissipation) = (
            last(&integrals, "kinetic_energy_decay"),
            last(&integrals, "dissipation_viscous"),
        );
        println!("decay {decay:e}, dissipation {dissipation}");
        assert!(decay.abs() < found * dissipation, "{decay} {dissipation}");
    }
}

#[test]
fn force_and_state_are_the_same_on_any_number_of_ranks() {
    let alone = with_case(MIXED);
    let expected = traces(&alone, 1, &[]);
    for ranks in [2, 3] {
        let directory = with_case(MIXED);
        assert!(traces(&directory, ranks, &[]) == expected, "{ranks} ranks");
    }
}

#[test]
fn a_run_in_pieces_has_the_force_of_an_uninterrupted_one() {
    for more in [&[][..], &["precision=single"]] {
        let through = with_case(MIXED);
        let expected = traces(&through, 1, more);
        let pieces = with_case(MIXED);
        // There are checkpoints before, at and after a step at which the force is adjusted. The checkpoint at the end
        // of a piece is removed, since the whole run does not end there.
        for (kept, end) in [(9, 12), (20, 22), (33, 36)] {
            let set = [
                &format!("time.steps={end}"),
                &format!("output.checkpoint.every-steps={kept}"),
            ];
            let set: Vec<&str> = more.iter().copied().chain(set.map(String::as_str)).collect();
            run_case(pieces.path(), 1, &set, 0);
            let extra = pieces.path().join(format!("results/checkpoint_{end:08}.h5"));
            std::fs::remove_file(extra).expect("the checkpoint of the end");
        }
        let found = traces(&pieces, 1, more);
        assert!(found == expected, "{more:?}: {} {}", found.0, expected.0);
    }
}

#[test]
fn a_checkpoint_of_another_order_provides_the_force_and_one_without_force_starts_it_anew() {
    let directory = with_case(LAMINAR);
    let run = |set: &[&str]| run_case(directory.path(), 1, set, 0);
    run(&["order=2", "time.end=5", "output.checkpoint.every=100"]);
    let before = last(&table(directory.path(), "forcing.csv"), "force");
    let set = ["restart=latest", "time.end=null", "output.forcing={every-steps: 1}"];
    run(&[&set[..], &["time.steps=100000", "time.end=5.05"]].concat());
    let after = table(directory.path(), "forcing.csv");
    let late = column(&after, "time")
        .iter()
        .zip(column(&after, "force"))
        .filter(|(t, _)| **t > 5.0);
    let jump = late.map(|(_, f)| (f / before - 1.0).abs()).fold(0.0, f64::max);
    println!("jump {jump}");
    assert!(jump > 0.0 && jump < 0.02, "{jump}");

    let set = [
        "forcing={force: [0.6, 0, 0]}",
        "output.forcing=null",
        "restart=latest",
        "time.end=5.1",
    ];
    run(&[&set[..], &["output.checkpoint.every=100"]].concat());
    let text = run(&["restart=latest", "time.end=5.2"]);
    assert!(text.contains("forcing.mass-flow begins now"), "{text}");
}

/// Tests that need a GPU.
mod gpu {
    use super::*;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_holds_the_mass_flow_with_the_same_bits() {
        for case in [
            MIXED.to_owned(),
            LAMINAR
                .replace("end: 25", "steps: 45")
                .replace("every: 0.25", "every-steps: 5"),
        ] {
            let host = with_case(&case);
            let expected = traces(&host, 1, &["device=cpu"]);
            let gpu = with_case(&case);
            let found = traces(&gpu, 1, &["device=cuda", "arithmetic=strict"]);
            assert!(found == expected, "{case}");
        }
    }
}
