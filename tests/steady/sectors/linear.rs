//! The linear systems of sectors: those of the whole annulus, solved with as many iterations, and the elimination of
//! ILU(0) of the blocks.

use super::{Pair, There, annulus, dual_of, duct, state_of};
use crate::implicit::{SETTINGS, host, implicit};
use crate::linear::lines_of;
use crate::solver::GAS;
use fr_les::ranks::Ranks;
use fr_les::steady::{BoundaryList, DualMesh, Implicit, Lines, Preconditioner, Scheme, System, Values};
use fr_les::vector::{Vector, length};
use nalgebra::{SMatrix, SVector};

/// The product of a matrix with a vector.
fn product(rows: &[Vec<(u32, Vec<f64>)>], x: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let of_row = |blocks: &Vec<(u32, Vec<f64>)>| {
        let size = x[0].len();
        let mut sum = vec![0.0; size];
        for (to, block) in blocks {
            for (e, value) in block.iter().enumerate() {
                sum[e / size] += value * x[*to as usize][e % size];
            }
        }
        sum
    };
    rows.iter().map(of_row).collect()
}

#[test]
fn linear_systems_of_a_sector_are_those_of_the_whole_annulus_and_take_as_many_iterations() {
    for [around, q] in [[1, 1], [2, 2]] {
        let pair = Pair::new(around, q);
        for preconditioner in Preconditioner::ALL {
            let settings = Implicit {
                preconditioner,
                krylov: 100,
                linear_stop: 1e-8,
                ..SETTINGS
            };
            let of = |dual: &DualMesh, lists: &[BoundaryList], state: &[Values]| {
                let mut solver = implicit(host(2), dual, lists, &GAS, &Scheme::default(), &settings);
                solver.solver.set_state(state).expect("a state");
                solver.system(dual, 50.0, System::MeanFlow).expect("a system")
            };
            let found = of(&pair.sector, &pair.lists[0], &pair.states[0]);
            let expected = of(&pair.whole, &pair.lists[1], &pair.states[1]);
            let iterations = [&found, &expected].map(|system| system.solved.iterations);
            println!("{around} {q} {preconditioner:?}: {iterations:?}");
            assert!(iterations[0] <= iterations[1] + 2, "{preconditioner:?}: {iterations:?}");
            let values = |x: &[Vec<f64>]| -> Vec<Values> {
                let of = |x: &Vec<f64>| [x[0], x[1], x[2], x[3], x[4], 0.0, 0.0];
                x.iter().map(of).collect()
            };
            let what = format!("{around} {q} {preconditioner:?}");
            pair.compare(&values(&found.solution), &values(&expected.solution), 1e-6, &what);
            let x = |state: &[Values]| -> Vec<Vec<f64>> { state.iter().map(|q| q[..5].to_vec()).collect() };
            let y = product(&found.rows, &x(&pair.states[0]));
            let of_whole = product(&expected.rows, &x(&pair.states[1]));
            pair.compare(&values(&y), &values(&of_whole), 1e-6, &what);
        }
    }
}

/// Blocks of a linear system as matrices, `[vertex][own, then edges]`.
type Blocks = Vec<Vec<SMatrix<f64, 5, 5>>>;
/// Values of a vertex.
type Column = SVector<f64, 5>;

/// The own blocks after the elimination that changes them alone, by the blocks of the rows.
fn eliminated(dual: &DualMesh, blocks: &Blocks, colour: &[usize]) -> Vec<SMatrix<f64, 5, 5>> {
    let mut order: Vec<usize> = (0..dual.owned).collect();
    order.sort_by_key(|&vertex| colour[vertex]);
    let mut own: Vec<SMatrix<f64, 5, 5>> = blocks.iter().map(|row| row[0]).collect();
    for vertex in order {
        for (k, edge) in dual.edges(vertex).enumerate() {
            let other = dual.neighbour[edge] as usize;
            if colour[other] >= colour[vertex] {
                continue;
            }
            // The same edge as its other end has it.
            let turns = dual.turns_of_edge(edge);
            let is_back = |&(_, back): &(usize, usize)| {
                let step = dual.turned(turns, dual.displacement[back]);
                let sum: Vector = std::array::from_fn(|d| step[d] + dual.displacement[edge][d]);
                dual.neighbour[back] as usize == vertex && length(sum) < 1e-9
            };
            let (back, _) = dual
                .edges(other)
                .enumerate()
                .find(is_back)
                .expect("the edge from there");
            let inverse = own[other].try_inverse().expect("a regular block");
            own[vertex] -= blocks[vertex][1 + k] * inverse * blocks[other][1 + back];
        }
    }
    own
}

/// What the elimination makes of a right side.
fn substituted(dual: &DualMesh, blocks: &Blocks, colour: &[usize], right: &[Column]) -> Vec<Column> {
    let own = eliminated(dual, blocks, colour);
    let mut order: Vec<usize> = (0..dual.owned).collect();
    order.sort_by_key(|&vertex| colour[vertex]);
    let mut x = vec![Column::zeros(); dual.owned];
    let sum = |x: &[Column], vertex: usize, counts: &dyn Fn(usize) -> bool| {
        let edges = dual.edges(vertex).enumerate();
        let counting = edges.filter(|&(_, edge)| counts(colour[dual.neighbour[edge] as usize]));
        counting.fold(Column::zeros(), |sum, (k, edge)| {
            sum + blocks[vertex][1 + k] * x[dual.neighbour[edge] as usize]
        })
    };
    let inverse = |vertex: usize| own[vertex].try_inverse().expect("a regular block");
    for &vertex in &order {
        let earlier = sum(&x, vertex, &|other| other < colour[vertex]);
        x[vertex] = inverse(vertex) * (right[vertex] - earlier);
    }
    for &vertex in order.iter().rev() {
        let later = sum(&x, vertex, &|other| other > colour[vertex]);
        x[vertex] -= inverse(vertex) * later;
    }
    x
}

#[test]
fn the_elimination_on_a_sector_is_that_of_its_blocks() {
    let place = There::about_z(0.0);
    let mesh = place.mesh(&annulus(2));
    let dual = dual_of(&mesh, 2, &Ranks::alone());
    let lists = duct(&dual, &mesh, &place);
    // One iteration: the solution is along what the preconditioner makes of the right side.
    let settings = Implicit {
        preconditioner: Preconditioner::Ilu,
        krylov: 1,
        linear_stop: 0.999,
        ..SETTINGS
    };
    let mut solver = implicit(host(1), &dual, &lists, &GAS, &Scheme::default(), &settings);
    solver.solver.set_state(&state_of(&dual, &place)).expect("a state");
    let system = solver.system(&dual, 50.0, System::MeanFlow).expect("a system");
    assert_eq!(system.solved.iterations, 1);
    let mut colour = vec![0; dual.owned];
    for (of_line, line) in lines_of(&Lines::of_points(&dual, 8, &Ranks::alone()), 8) {
        line.iter().for_each(|&vertex| colour[vertex as usize] = of_line);
    }
    let of_row = |row: &Vec<(u32, Vec<f64>)>| row.iter().map(|(_, block)| SMatrix::from_row_slice(block)).collect();
    let blocks: Blocks = system.rows.iter().map(of_row).collect();
    let columns = |values: &[Vec<f64>]| -> Vec<Column> { values.iter().map(|x| Column::from_row_slice(x)).collect() };
    let found = columns(&system.solution);
    let expected = substituted(&dual, &blocks, &colour, &columns(&system.right_side));
    let product = |a: &[Column], b: &[Column]| a.iter().zip(b).map(|(a, b)| a.dot(b)).sum::<f64>();
    let scale = product(&found, &expected) / product(&expected, &expected);
    let size = product(&found, &found).sqrt();
    let apart: Vec<Column> = found.iter().zip(&expected).map(|(a, b)| a - scale * b).collect();
    let apart = product(&apart, &apart).sqrt() / size;
    assert!(apart < 1e-5, "{apart:e}");
}
