//! The start of isotropic turbulence (`initial.spectrum`): its energy on a mesh, a divergence that vanishes with the
//! order of the mesh, the same bits on any number of ranks, and refused cases.

use crate::common::cases::{each_point, solver};
use crate::common::program::{hash, run_case, succeeds, with_case};
use fr_les::geometry::gradient;
use fr_les::solver::Solver;

/// A cube of side 2 pi with modes of one to three waves, whose shells have the energies 1, 0.5 and 0.25.
fn cube(cells: usize, elements: &str, order: usize, more: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [{cells}, {cells}, {cells}], lower: [0, 0, 0], upper: [2*pi, 2*pi, 2*pi], \
         periodic: [x, y, z], elements: {elements}}}}}\norder: {order}\n\
         initial: {{spectrum: {{wave-numbers: [1, 2, 3], energies: [1, 0.5, 0.25]{more}}}, p: 100, rho: 1}}\n\
         time: {{steps: 2, cfl: 0.9}}\n"
    )
}

#[test]
fn waves_that_the_mesh_cannot_hold_are_warned_of() {
    // Three points in a period hold one wave of the three shells, and nine hold all.
    for (cells, more, warning) in [
        (
            1,
            "",
            Some(
                "2 of its 3 shells have waves shorter than two distances between solution points, with 42.86 % of its \
                 energy: on 3 points in a period those above shell 1 seem longer than they are; take more cells, or \
                 `cut-off: 1`",
            ),
        ),
        (1, ", cut-off: 1", None),
        (3, "", None),
    ] {
        let case = with_case(&cube(cells, "hex", 2, more));
        let log = succeeds(&case, &["check", "run.yaml"]);
        assert_eq!(log.contains(" WARN initial.spectrum: "), warning.is_some(), "{log}");
        assert!(warning.is_none_or(|warning| log.contains(warning)), "{log}");
    }
}

/// Root mean squares over the points of the divergence and of the gradient.
fn divergence(s: &Solver) -> [f64; 2] {
    let state = s.device.state().expect("a state");
    let mut sums = [0.0; 2];
    for cell in 0..s.mesh.len() {
        let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
        let at = |m: usize, p: usize| state[5 * first + m * np + p];
        let slopes = [1, 2, 3].map(|m| {
            let v: Vec<f64> = (0..np).map(|p| at(m, p) / at(0, p)).collect();
            gradient(&s.elements, &s.geometry, cell, &v)
        });
        for p in 0..np {
            let trace: f64 = (0..3).map(|d| slopes[d][p][d]).sum();
            sums[0] += trace * trace;
            sums[1] += slopes.iter().flat_map(|slope| slope[p]).map(|g| g * g).sum::<f64>();
        }
    }
    sums.map(|sum| (sum / s.geometry.points.len() as f64).sqrt())
}

#[test]
fn the_energy_is_that_of_the_spectrum_and_the_divergence_vanishes_with_the_mesh() {
    let relative = |cells: usize, order: usize| {
        let s = solver(&cube(cells, "hex", order, ""));
        let [trace, slope] = divergence(&s);
        trace / slope
    };
    let [coarse, fine] = [relative(4, 3), relative(8, 3)];
    let high = relative(8, 5);
    println!("divergence over the gradient: {coarse:.1e}, {fine:.1e} at p = 3, {high:.1e} at p = 5");
    // The derivatives of polynomials of degree 3 have the order 3.
    assert!((coarse / fine).log2() > 2.5 && fine < 0.03 && high < 2e-3);
    let s = solver(&cube(8, "hex", 5, ""));
    let state = s.device.state().expect("a state");
    // The mean over the points of the cells by the rule of Lobatto.
    let mut sum = 0.0;
    let mut weights = 0.0;
    let mut point = 0;
    each_point(&s, &state, |_, u| {
        let weight = lobatto(point % 6) * lobatto(point / 6 % 6) * lobatto(point / 36 % 6);
        sum += weight * 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
        weights += weight;
        point += 1;
    });
    let energy = sum / weights;
    println!("energy {energy} of 1.75");
    assert!((energy - 1.75).abs() < 1e-6, "{energy}");
}

/// The weights of Lobatto's rule of six points.
fn lobatto(n: usize) -> f64 {
    let weights = [1.0 / 15.0, 0.378_474_956_297_847, 0.554_858_377_035_486_4];
    weights[n.min(5 - n)]
}

#[test]
fn a_cut_off_leaves_shells_out_and_any_cells_will_do() {
    let s = solver(&cube(4, "tet", 4, ", cut-off: 1.5, seed: 7"));
    let state = s.device.state().expect("a state");
    // Modes of |n| below 1.5 are those of (1, 0, 0) and (1, 1, 0): along x there is one wave or none.
    let mut largest = 0.0f64;
    each_point(&s, &state, |_, u| largest = largest.max(u[1].abs()));
    let [trace, slope] = divergence(&s);
    println!(
        "largest velocity {largest:.2}, divergence over the gradient {:.1e}",
        trace / slope
    );
    assert!((0.5..6.0).contains(&largest) && trace < 0.05 * slope);
}

#[test]
fn turbulence_starts_with_the_same_bits_on_any_number_of_ranks() {
    let case = with_case(&cube(4, "mixed", 2, ", seed: 3"));
    let one = hash(&run_case(case.path(), 1, &[], 0));
    for ranks in [2, 3] {
        assert_eq!(hash(&run_case(case.path(), ranks, &[], 0)), one, "{ranks} ranks");
    }
    let other = with_case(&cube(4, "mixed", 2, ", seed: 4"));
    assert_ne!(hash(&run_case(other.path(), 1, &[], 0)), one);
}
