//! Cells may have any orientation relative to their neighbours; the results differ by round-off only.

use crate::common::cases::{advance, case, taylor_green};
use crate::common::turned::turned;
use fr_les::case::Case;
use fr_les::case::MeshSource;
use fr_les::mesh::{Mesh, Side, build_box};

/// The mesh of a case with a box.
fn mesh_of(case: &Case) -> Mesh {
    let MeshSource::Box(b) = &case.solver.mesh else {
        panic!("not a box")
    };
    build_box(b, case.solver.order).expect("can be built")
}
use fr_les::output::Integrals;
use fr_les::solver::Solver;

fn run(case: &Case, mesh: Mesh) -> (Integrals, f64) {
    let mut s = Solver::on_mesh(&case.solver, mesh).expect("valid");
    advance(&mut s, 40, 4e-3);
    s.evaluate_rhs(0.0).unwrap();
    (Integrals::of(&mut s).unwrap(), s.geometry.volume)
}

#[test]
fn all_eight_orientations_of_a_face_occur_in_the_turned_mesh() {
    let mesh = turned(&mesh_of(&case(&taylor_green(4, 2, "", ""))));
    let mut seen = [false; 8];
    for side in &mesh.sides {
        if let Side::Cell { orientation, .. } = side {
            seen[*orientation] = true;
        }
    }
    assert_eq!(seen, [true; 8]);
}

#[test]
fn turning_cells_changes_the_flow_by_round_off_only() {
    for more in ["", "#warp\n", "#warp\nscheme: {correction: lobatto, riemann: hllc}\n"] {
        let case = case(&taylor_green(4, 3, "{constant: 1/50}", more));
        let mesh = mesh_of(&case);
        let (straight, volume) = run(&case, mesh.clone());
        let (turned, _) = run(&case, turned(&mesh));
        let pairs = [
            (straight.kinetic_energy, turned.kinetic_energy, 0.1),
            (straight.kinetic_energy_decay, turned.kinetic_energy_decay, 0.01),
            (straight.enstrophy, turned.enstrophy, 0.3),
            (straight.dissipation_viscous, turned.dissipation_viscous, 0.01),
            (straight.conserved[0], turned.conserved[0], volume),
            (straight.conserved[1], turned.conserved[1], volume),
            (straight.conserved[4], turned.conserved[4], 180.0 * volume),
        ];
        for (a, b, scale) in pairs {
            assert!((a - b).abs() < 1e-11 * scale, "'{more}': {a} against {b}");
        }
    }
}

#[test]
fn uniform_flow_is_preserved_on_turned_curved_cells() {
    let text = "mesh: {box: {cells: [4, 3, 3], lower: [0, 0, 0], upper: [1, 2, 1.5], periodic: [x, y, z], \
                warp: 0.4}}\norder: 4\n\
                gas: {viscosity: {constant: 0.01}}\ninitial: {u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}\n\
                time: {steps: 1}\n";
    let case = case(text);
    let mut s = Solver::on_mesh(&case.solver, turned(&mesh_of(&case))).expect("valid");
    let largest = s.rhs(0.0).unwrap().iter().fold(0.0f64, |m, r| m.max(r.abs()));
    let rate = s.device.time_step_bounds().unwrap().largest_convective();
    assert!(largest / rate < 1e-12, "{:e}", largest / rate);
}
