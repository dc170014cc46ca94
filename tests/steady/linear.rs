//! The linear systems of implicit steps: their solutions against dense ones, and the lines and colours of the
//! preconditioners.

use fr_les::case::{BoxElements, BoxMesh};
use fr_les::ranks::Ranks;
use fr_les::steady::{Implicit, LinearSystem, Lines, Preconditioner, System, Turbulence};
use nalgebra::{DMatrix, DVector};

use crate::implicit::{host, implicit};
use crate::meshes::{a_box, box_with_dual};
use crate::solver::{GAS, duct, rough, with_model};

/// Solves a system densely, and returns the largest error of the solver's solution, over the largest value, and the
/// norm of its residual over that of the right side.
fn compare(system: &LinearSystem) -> (f64, f64) {
    let unknowns = system.right_side[0].len();
    let size = unknowns * system.rows.len();
    let mut matrix = DMatrix::<f64>::zeros(size, size);
    for (i, blocks) in system.rows.iter().enumerate() {
        for (j, values) in blocks {
            for (e, value) in values.iter().enumerate() {
                matrix[(unknowns * i + e / unknowns, unknowns * *j as usize + e % unknowns)] += value;
            }
        }
    }
    let right_side = DVector::from_vec(system.right_side.concat());
    let solution = DVector::from_vec(system.solution.concat());
    let residual = (&right_side - &matrix * &solution).norm() / right_side.norm();
    let exact = matrix.lu().solve(&right_side).expect("a regular matrix");
    ((&solution - &exact).abs().max() / exact.abs().max(), residual)
}

#[test]
fn linear_solutions_are_those_of_a_dense_solver() {
    for elements in [BoxElements::Hex, BoxElements::Tet, BoxElements::Mixed] {
        let cells = if elements == BoxElements::Mixed {
            [4, 2, 2]
        } else {
            [3, 2, 2]
        };
        let (mesh, _, dual) = box_with_dual(&a_box(elements, cells, [false, false, true]), 1);
        let boundaries = duct(&dual, &mesh.boundary_names);
        for (preconditioner, sweeps) in [
            (Preconditioner::GaussSeidel, 1),
            (Preconditioner::GaussSeidel, 4),
            (Preconditioner::Lines, 1),
            (Preconditioner::Lines, 4),
            (Preconditioner::Ilu, 1),
            (Preconditioner::Multigrid, 1),
            (Preconditioner::Multigrid, 4),
        ] {
            let mut iterations = Vec::new();
            for stop in [1e-1, 1e-3, 1e-9] {
                let settings = Implicit {
                    preconditioner,
                    sweeps,
                    krylov: 200,
                    linear_stop: stop,
                    refresh: None,
                };
                for (model, which) in [
                    (Turbulence::SaNeg, System::MeanFlow),
                    (Turbulence::SaNeg, System::Turbulence),
                    (Turbulence::Sst, System::Turbulence),
                ] {
                    let mut solver = implicit(host(2), &dual, &boundaries, &GAS, &with_model(model), &settings);
                    solver.solver.set_state(&rough(&dual)).expect("a state");
                    let system = solver.system(&dual, 20.0, which).expect("a system");
                    let (error, residual) = compare(&system);
                    let what = format!(
                        "{elements:?} {preconditioner:?} {sweeps}, {model:?}, {which:?}, stop {stop:e}: {:?}",
                        system.solved
                    );
                    assert!(residual <= 1.01 * stop + 1e-12, "{what}: {residual:e}");
                    // The method's own residual is the true one but for the rounding of its basis: some 1e-5 of the
                    // start of a cycle with the loss of orthogonality, and a cycle ends with a hundredth.
                    assert!(
                        (residual - system.solved.residual).abs() < 1e-2 * residual + 1e-12,
                        "{what}: {residual:e}"
                    );
                    if stop == 1e-9 {
                        assert!(error < 1e-6, "{what}: {error:e}");
                        iterations.push(system.solved.iterations);
                    }
                }
            }
            println!("{elements:?} {preconditioner:?} {sweeps}: {iterations:?}");
        }
    }
}

#[test]
fn multigrid_takes_a_fraction_of_the_iterations_of_sweeps() {
    let (mesh, _, dual) = box_with_dual(&a_box(BoxElements::Hex, [24; 3], [false; 3]), 1);
    let boundaries = duct(&dual, &mesh.boundary_names);
    let [cycles, sweeps] = [Preconditioner::Multigrid, Preconditioner::GaussSeidel].map(|preconditioner| {
        let settings = Implicit {
            preconditioner,
            sweeps: 4,
            krylov: 200,
            linear_stop: 1e-3,
            refresh: None,
        };
        let scheme = with_model(Turbulence::SaNeg);
        let mut solver = implicit(host(2), &dual, &boundaries, &GAS, &scheme, &settings);
        solver.solver.set_state(&rough(&dual)).expect("a state");
        let both = [System::MeanFlow, System::Turbulence];
        both.map(|which| solver.system(&dual, 1e4, which).expect("a system").solved.iterations)
    });
    println!("multigrid {cycles:?}, gauss-seidel {sweeps:?}");
    assert!(3 * cycles[0] <= sweeps[0], "{cycles:?} {sweeps:?}");
    assert!(cycles[1] < sweeps[1], "{cycles:?} {sweeps:?}");
}

#[test]
fn solutions_that_leave_more_than_a_quarter_take_twice_the_iterations() {
    let (mesh, _, dual) = box_with_dual(&a_box(BoxElements::Hex, [6, 6, 4], [false, false, true]), 1);
    let boundaries = duct(&dual, &mesh.boundary_names);
    let solve = |krylov, linear_stop| {
        let settings = Implicit {
            // The own blocks alone, with which a solution takes many iterations.
            preconditioner: Preconditioner::GaussSeidel,
            sweeps: 0,
            krylov,
            linear_stop,
            refresh: None,
        };
        let scheme = with_model(Turbulence::SaNeg);
        let mut solver = implicit(host(2), &dual, &boundaries, &GAS, &scheme, &settings);
        solver.solver.set_state(&rough(&dual)).expect("a state");
        solver.system(&dual, 1e4, System::MeanFlow).expect("a system").solved
    };
    let [quarter, tenth] = [0.25, 0.1].map(|stop| solve(100, stop).iterations);
    assert!(quarter >= 4 && quarter + 1 < tenth, "{quarter} {tenth}");
    // One iteration too few: the solution goes on to a quarter, though it was to leave a tenth.
    let solved = solve(quarter - 1, 0.1);
    assert!(solved.iterations == quarter && solved.residual <= 0.25, "{solved:?}");
    // One that is enough for a quarter ends the solution.
    let solved = solve(quarter, 0.1);
    assert!(solved.iterations == quarter && solved.residual > 0.1, "{solved:?}");
    // Twice as many are the most.
    let solved = solve(quarter / 2 - 1, 0.1);
    assert!(
        solved.iterations == 2 * (quarter / 2 - 1) && solved.residual > 0.25,
        "{solved:?}"
    );
}

/// The lines of an arrangement with their colours.
pub fn lines_of(lines: &Lines, slice: usize) -> Vec<(usize, Vec<u32>)> {
    let mut all = Vec::new();
    for (colour, groups) in lines.of_colour.iter().enumerate() {
        for line in groups.clone() {
            let (group, lane) = (line / slice, line % slice);
            let slices = lines.begin[group] as usize..lines.begin[group + 1] as usize;
            let slots = slices.map(|s| lines.arrangement.vertex[s * slice + lane]);
            let vertices: Vec<u32> = slots.map_while(|vertex| vertex).collect();
            if !vertices.is_empty() {
                all.push((colour, vertices));
            }
        }
    }
    all
}

#[test]
fn lines_are_the_columns_of_stretched_cells_and_neighbours_have_different_colours() {
    let b = BoxMesh {
        lower: [0.0; 3],
        upper: [1.0; 3],
        stretch: [None, Some(4.0), None],
        ..a_box(BoxElements::Hex, [4, 16, 4], [true, false, true])
    };
    let (_, _, dual) = box_with_dual(&BoxMesh { warp: 0.0, ..b }, 1);
    for (lines, columns) in [
        (Lines::along_strong_edges(&dual, 8, &Ranks::alone()), true),
        (Lines::of_points(&dual, 8, &Ranks::alone()), false),
    ] {
        let all = lines_of(&lines, 8);
        let mut seen = vec![usize::MAX; dual.owned];
        for (n, (_, line)) in all.iter().enumerate() {
            for &vertex in line {
                assert_eq!(std::mem::replace(&mut seen[vertex as usize], n), usize::MAX, "once");
            }
            for pair in line.windows(2) {
                let ends = &dual.neighbour[dual.edges(pair[0] as usize)];
                assert!(ends.contains(&pair[1]), "a line follows edges");
                let [a, b] = [pair[0], pair[1]].map(|v| dual.position[v as usize]);
                assert!(a[0] == b[0] && a[2] == b[2], "{a:?} {b:?}");
            }
            assert!(columns || line.len() == 1);
        }
        assert!(seen.iter().all(|&n| n < all.len()));
        for vertex in 0..dual.owned {
            for &end in &dual.neighbour[dual.edges(vertex)] {
                let [a, b] = [seen[vertex], seen[end as usize]];
                assert!(a == b || all[a].0 != all[b].0, "{vertex} {end}");
            }
        }
        // The thinnest cells are at both walls; in the middle the cells are as wide as they are high.
        let longest = all.iter().map(|(_, line)| line.len()).max();
        println!(
            "{} lines, the longest of {longest:?}, {} colours",
            all.len(),
            lines.of_colour.len()
        );
        assert!(!columns || (longest >= Some(4) && all.len() < dual.owned / 2));
    }
}
