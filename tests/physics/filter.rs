//! One application of the positivity limiter against an independent evaluation, and its conservation, on every kind of
//! curved cell.

use crate::common::cases::solver;
use crate::common::random::Random;
use fr_les::element::{Correction, ElementKind, ReferenceElement, nodes, quadrature};
use fr_les::solver::Solver;
use nalgebra::DMatrix;

const KINDS: [&str; 4] = ["hex", "prism", "tet", "pyramid"];

/// Internal energy per volume.
fn internal(u: [f64; 5]) -> f64 {
    u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]
}

/// The projections P_0, P_1 - P_0, ... of an element's polynomials, as matrices on its points. P_d is the best
/// approximation in the reference element by the functions of the element of degree d.
fn parts(kind: ElementKind, order: usize) -> Vec<DMatrix<f64>> {
    let element = |degree| ReferenceElement::new(kind, degree, Correction::Radau);
    let (targets, weights): (Vec<_>, Vec<_>) = quadrature(kind, order).into_iter().unzip();
    let matrix =
        |e: &ReferenceElement, at: &[[f64; 3]]| DMatrix::from_row_slice(at.len(), e.points.len(), &e.interpolation(at));
    let points = nodes(kind, order);
    let all = matrix(&element(order), &targets);
    let weighted = |m: &DMatrix<f64>| DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| weights[i] * m[(i, j)]);
    let mut projections = vec![DMatrix::from_fn(points.len(), points.len(), |_, j| {
        let column = all.column(j);
        let volume: f64 = weights.iter().sum();
        column.iter().zip(&weights).map(|(a, w)| a * w).sum::<f64>() / volume
    })];
    for degree in 1..=order {
        let lower = element(degree);
        let at_quadrature = matrix(&lower, &targets);
        let mass = at_quadrature.tr_mul(&weighted(&at_quadrature));
        let load = at_quadrature.tr_mul(&weighted(&all));
        let solution = mass.lu().solve(&load).expect("a mass matrix");
        projections.push(matrix(&lower, &points) * solution);
    }
    let differences = (1..=order)
        .map(|d| &projections[d] - &projections[d - 1])
        .collect::<Vec<_>>();
    projections.truncate(1);
    projections.extend(differences);
    projections
}

/// The largest share in [0, 1] with which `good` holds, by bisection.
fn largest(good: impl Fn(f64) -> bool) -> f64 {
    if good(1.0) {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        if good(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The mean of the points of a cell by their positive weights.
fn positive_mean(weights: &[f64], u: &[[f64; 5]]) -> [f64; 5] {
    let sum: f64 = weights.iter().map(|w| w.max(0.0)).sum();
    std::array::from_fn(|v| u.iter().zip(weights).map(|(u, w)| w.max(0.0) * u[v]).sum::<f64>() / sum)
}

/// Whether a state of this mean may begin: its density and internal energy are positive, and at least half of the least
/// ones of its points.
fn may_begin(mean: [f64; 5], u: &[[f64; 5]]) -> bool {
    let least = |value: &dyn Fn([f64; 5]) -> f64| u.iter().map(|&u| value(u)).fold(f64::INFINITY, f64::min);
    let most = u.iter().map(|u| u[0]).fold(0.0, f64::max);
    mean[0] >= (1e-6 * most).max(0.5 * least(&|u| u[0]))
        && internal(mean) >= (1e-6 * mean[4]).max(0.5 * least(&internal))
}

/// The positivity limiter of an initial state of a cell, `[point]` to `[point]`, with the weights of its points in
/// space; the share of the modes, and that along the line to the mean.
fn limited(parts: &[DMatrix<f64>], weights: &[f64], u: &[[f64; 5]]) -> (Vec<[f64; 5]>, f64, f64) {
    let points = u.len();
    let volume: f64 = weights.iter().sum();
    let mean_of = |field: &dyn Fn(usize) -> f64| (0..points).map(|p| weights[p] * field(p)).sum::<f64>() / volume;
    let mut mean: [f64; 5] = std::array::from_fn(|v| mean_of(&|p| u[p][v]));
    let constant;
    let mut u = u;
    if !may_begin(mean, u) {
        mean = positive_mean(weights, u);
        constant = vec![mean; points];
        u = &constant;
    }
    let most = u.iter().map(|u| u[0]).fold(0.0, f64::max);
    let positive = |u: &[f64; 5]| u[0] >= 1e-6 * most && internal(*u) >= 1e-6 * u[4];
    if u.iter().all(positive) {
        return (u.to_vec(), 1.0, 1.0);
    }
    // A state that is changed keeps half of the least density of its points too.
    let kept = 0.5 * u.iter().map(|u| u[0]).fold(mean[0], f64::min);
    let positive = |u: &[f64; 5]| positive(u) && u[0] >= kept;
    let mut of_degree = Vec::new();
    for part in &parts[1..] {
        let values: Vec<[f64; 5]> = (0..points)
            .map(|p| std::array::from_fn(|v| (0..points).map(|q| part[(p, q)] * u[q][v]).sum()))
            .collect();
        let means: [f64; 5] = std::array::from_fn(|v| mean_of(&|p| values[p][v]));
        let less = |value: &[f64; 5]| std::array::from_fn(|v| value[v] - means[v]);
        of_degree.push(values.iter().map(less).collect::<Vec<[f64; 5]>>());
    }
    let filtered = |f: f64, p: usize| -> [f64; 5] {
        std::array::from_fn(|v| {
            let of = |(d, part): (usize, &Vec<[f64; 5]>)| f.powi(((d + 1) * (d + 1)) as i32) * part[p][v];
            mean[v] + of_degree.iter().enumerate().map(of).sum::<f64>()
        })
    };
    let share = |p| largest(|f| positive(&filtered(f, p)));
    let f = (0..points).map(share).fold(1.0, f64::min);
    let nearer =
        |t: f64, p: usize| -> [f64; 5] { std::array::from_fn(|v| mean[v] + t * (filtered(f, p)[v] - mean[v])) };
    let t = (0..points)
        .map(|p| largest(|t| positive(&nearer(t, p))))
        .fold(1.0, f64::min);
    ((0..points).map(|p| nearer(t, p)).collect(), f, t)
}

/// A box of curved cells of a kind with this filter.
fn curved(elements: &str, order: usize, precision: &str, shock: &str) -> Solver {
    solver(&case(elements, order, precision, shock, "rk4"))
}

/// The case of such a box with this time scheme.
fn case(elements: &str, order: usize, precision: &str, shock: &str, scheme: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [3, 2, 2], lower: [0, 0, 0], upper: [3, 2, 2], periodic: [x, y, z], warp: 0.1, \
         elements: {elements}}}}}\n\
         order: {order}\nprecision: {precision}\nscheme: {{shock: {shock}}}\n\
         initial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\ntime: {{steps: 1, scheme: {scheme}}}\n"
    )
}

/// Volumes of the points of each cell.
fn volumes(s: &Solver) -> Vec<f64> {
    let of_cell = |cell: usize| {
        let weights = s.elements.weights(s.geometry.kinds[cell]);
        weights
            .into_iter()
            .enumerate()
            .map(move |(p, w)| w * s.geometry.metrics[cell].jacobian(p))
            .collect::<Vec<_>>()
    };
    (0..s.mesh.len()).flat_map(of_cell).collect()
}

/// The state of a cell by points.
fn by_points(s: &Solver, state: &[f64], cell: usize) -> Vec<[f64; 5]> {
    let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
    (0..np)
        .map(|p| std::array::from_fn(|v| state[5 * first + v * np + p]))
        .collect()
}

/// The state integrated over each cell.
fn integrals(s: &Solver, volumes: &[f64], state: &[f64]) -> Vec<[f64; 5]> {
    let of_cell = |cell: usize| {
        let first = s.geometry.first_point[cell];
        let u = by_points(s, state, cell);
        std::array::from_fn(|v| u.iter().enumerate().map(|(p, u)| volumes[first + p] * u[v]).sum())
    };
    (0..s.mesh.len()).map(of_cell).collect()
}

/// Random states about a mean, of which about every second cell has a point of negative pressure or density.
fn wild(s: &Solver, random: &mut Random) -> Vec<f64> {
    let mut state = Vec::new();
    for cell in 0..s.mesh.len() {
        let np = s.geometry.cell_points(cell);
        let size = random.between(0.1, 0.9);
        let mut column = |mean: f64, by: f64| {
            state.extend((0..np).map(|_| mean + by * size * random.between(-1.0, 1.0)));
        };
        column(1.0, 0.9);
        (0..3).for_each(|_| column(0.3, 1.8));
        column(2.5, 2.5);
    }
    state
}

#[test]
fn the_limiter_is_that_of_an_independent_evaluation_on_every_kind_of_curved_cell() {
    for (elements, kind) in KINDS.into_iter().zip([
        ElementKind::Hex,
        ElementKind::Prism,
        ElementKind::Tet,
        ElementKind::Pyramid,
    ]) {
        let mut s = curved(elements, 3, "double", "positivity");
        let state = wild(&s, &mut Random(7));
        s.device.set_state(&state).expect("a state");
        s.device.begin_filter().expect("a filter");
        let (found, strength) = (
            s.device.state().expect("a state"),
            s.device.filter_strength().expect("strengths"),
        );
        let (volumes, parts) = (volumes(&s), parts(kind, 3));
        let mut worst = 0.0f64;
        let mut off = 0.0f64;
        let mut changed = 0;
        let mut lines = 0;
        for cell in 0..s.mesh.len() {
            let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
            let (before, after) = (by_points(&s, &state, cell), by_points(&s, &found, cell));
            let (expected, f, t) = limited(&parts, &volumes[first..first + np], &before);
            changed += usize::from(f < 1.0);
            lines += usize::from(t < 1.0);
            if f == 1.0 {
                let alone = before != expected || before == after;
                assert!(alone && strength[cell] == 0.0, "{elements}: cell {cell} is left alone");
            }
            off = off.max((strength[cell] - (1.0 - f * t)).abs());
            for (a, b) in after.iter().zip(&expected) {
                worst = (0..5).map(|v| (a[v] - b[v]).abs()).fold(worst, f64::max);
            }
        }
        println!(
            "{elements}: {changed} of {} cells changed, {lines} along lines, off by {worst:.1e}, {off:.1e}",
            s.mesh.len()
        );
        assert!(
            changed > s.mesh.len() / 5 && changed < s.mesh.len(),
            "{elements}: {changed}"
        );
        // A point that keeps its bound to the last digit may decide the other way: the bisection then ends a step off.
        assert!(worst < 3e-5 && off < 3e-6, "{elements}: {worst:e} {off:e}");
    }
}

#[test]
fn a_filter_that_acts_in_every_cell_conserves_and_leaves_admissible_states() {
    for elements in KINDS {
        for (precision, bound) in [("double", 1e-14), ("single", 2e-6)] {
            let mut s = curved(elements, 3, precision, "positivity");
            let mut state = wild(&s, &mut Random(11));
            // One point of every cell loses its energy.
            for cell in 0..s.mesh.len() {
                let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
                state[5 * first + 4 * np] = -0.1;
            }
            let volumes = volumes(&s);
            let before = integrals(&s, &volumes, &state);
            s.device.set_state(&state).expect("a state");
            s.device.begin_filter().expect("a filter");
            let found = s.device.state().expect("a state");
            let strengths = s.device.filter_strength().expect("strengths");
            // Random states may have a mean without a pressure, which no filter that conserves can mend.
            let after = integrals(&s, &volumes, &found);
            let (mut sound, mut worst) = (0, 0.0f64);
            for (cell, mean) in before.iter().enumerate() {
                let volume: f64 = volumes[s.geometry.first_point[cell]..s.geometry.first_point[cell + 1]]
                    .iter()
                    .sum();
                let positive = |u: [f64; 5]| u[0] > 0.0 && internal(u) > 0.0;
                if internal(mean.map(|sum| sum / volume)) > 1e-3 {
                    sound += 1;
                    let all = by_points(&s, &found, cell).into_iter().all(positive);
                    assert!(all && strengths[cell] > 0.0, "{elements} {precision}: cell {cell}");
                    worst = (0..5).map(|v| (mean[v] - after[cell][v]).abs()).fold(worst, f64::max);
                }
            }
            assert!(2 * sound > s.mesh.len(), "{elements} {precision}: {sound} cells");
            println!("{elements} {precision}: means change by {worst:.1e}");
            assert!(worst < bound, "{elements} {precision}: {worst:e}");
        }
    }
}

/// The update says whether the limiter need look at the states of a stage: where it says no wrongly, a point keeps a
/// state that is not physical, as it does without a limiter.
#[test]
fn stages_that_leave_points_without_pressure_are_limited_in_every_scheme() {
    for elements in KINDS {
        for scheme in ["rk4", "lsrk5", "lsrk10", "lsrk14", "paired"] {
            for precision in ["double", "single"] {
                let unphysical_after_a_step = |shock: &str| {
                    let mut s = curved(elements, 2, precision, "positivity");
                    let state = wild(&s, &mut Random(5));
                    s.device.set_state(&state).expect("a state");
                    s.device.begin_filter().expect("a filter");
                    let sound = s.device.state().expect("a state");
                    let mut s = solver(&case(elements, 2, precision, shock, scheme));
                    s.device.set_state(&sound).expect("a state");
                    s.step(0.0, 0.01).expect("a step");
                    let state = s.device.state().expect("a state");
                    let of_cell = |cell: usize| by_points(&s, &state, cell);
                    let all = (0..s.mesh.len()).flat_map(of_cell);
                    all.filter(|u| !(u[0] > 0.0 && internal(*u) > 0.0)).count()
                };
                let [without, with] = ["none", "positivity"].map(unphysical_after_a_step);
                println!("{elements} {scheme} {precision}: {without} points without a limiter, {with} with one");
                assert!(
                    without > 0 && with == 0,
                    "{elements} {scheme} {precision}: {without}, {with}"
                );
            }
        }
    }
}
