//! Implicit steps: the Jacobian against finite differences and against fluxes of our own, and the same bits on any
//! machine.

use fr_les::case::BoxElements;
use fr_les::device::cpu::Host;
use fr_les::physics::{BoundaryKind, Gas, Viscosity};
use fr_les::ranks::Ranks;
use fr_les::steady::{
    BoundaryList, Coarsening, DualMesh, Implicit, ImplicitSolver, Levels, Machine, Meshes, Preconditioner, Scheme,
    Solver, System, Turbulence, Values,
};
use fr_les::vector::{Vector, dot};
use nalgebra::{SMatrix, SVector};

use crate::meshes::{ALL, a_box, box_with_dual};
use crate::solver::{GAS, MODELS, bits, conditions, conserved, duct, rough, with_model};

type Block = SMatrix<f64, 5, 5>;
type Conserved = SVector<f64, 5>;

/// A CFL number so large that the local step plays no part.
const NO_STEP: f64 = 1e30;

pub const SETTINGS: Implicit = Implicit {
    preconditioner: Preconditioner::GaussSeidel,
    sweeps: 2,
    krylov: 20,
    linear_stop: 0.1,
    refresh: None,
};

pub fn implicit<M: Machine>(
    store: M,
    dual: &DualMesh,
    boundaries: &[BoundaryList],
    gas: &Gas,
    scheme: &Scheme,
    settings: &Implicit,
) -> ImplicitSolver<M> {
    let mut of_levels = dual.clone();
    // Small meshes have coarse levels too.
    let coarsening = settings.coarsening().map(|by| Coarsening { fewest: 2, ..by });
    let levels = coarsening.map(|by| Levels::new(&mut of_levels, boundaries, by, &Ranks::alone()));
    let small = dual.owned < 16;
    assert!(
        small || levels.as_ref().is_none_or(|levels| !levels.coarse.is_empty()),
        "no coarse levels"
    );
    let meshes = Meshes {
        dual,
        levels: levels.as_ref(),
    };
    let ranks = Ranks::alone();
    ImplicitSolver::new(store, meshes, boundaries, gas, scheme, settings, ranks).expect("a solver")
}

pub fn host(threads: usize) -> Host {
    Host::new(Some(threads)).expect("threads")
}

fn of_state(q: &Values) -> Conserved {
    let c = conserved(*q);
    Conserved::from_fn(|i, _| c[i])
}

fn state_of(u: &Conserved, eddy: f64) -> Values {
    let v = [u[1] / u[0], u[2] / u[0], u[3] / u[0]];
    let t = (u[4] / u[0] - dot(v, v) / 2.0) / 2.5;
    [u[0], v[0], v[1], v[2], t, eddy, 0.0]
}

fn block(values: &[f64]) -> Block {
    Block::from_row_slice(values)
}

#[test]
fn the_jacobian_of_uniform_flow_is_that_of_the_residual_of_first_order() {
    let gas = Gas { viscosity: None, ..GAS };
    let scheme = Scheme {
        turbulence: Turbulence::None,
        ..Scheme::default()
    };
    let uniform: Values = [1.1, 0.4, 0.3, 0.2, 0.9, 0.0, 0.0];
    for elements in ALL {
        for periodic in [[false; 3], [false, true, true]] {
            // One cell in z: with a period, vertices are their own neighbours.
            let cells = if elements == BoxElements::Mixed {
                [4, 2, 2]
            } else {
                [2, 2, 1]
            };
            let (mesh, _, dual) = box_with_dual(&a_box(elements, cells, periodic), 1);
            let boundaries = conditions(&dual, |b| match mesh.boundary_names[b].as_str() {
                "x-" => (BoundaryKind::TotalInlet, [1.15, 1.0, 1.0, 0.2, 0.1, 0.0]),
                "x+" => (BoundaryKind::PressureOutlet, [0.95, 1.0, 0.0, 0.0, 0.0, 0.0]),
                "y-" | "z+" => (BoundaryKind::Slip, [0.0; 6]),
                _ => (BoundaryKind::FarField, conserved(uniform)),
            });
            let mut solver = implicit(host(1), &dual, &boundaries, &gas, &scheme, &SETTINGS);
            solver.solver.set_second_order(false);
            let state = vec![uniform; dual.len()];
            solver.solver.set_state(&state).expect("a state");
            let system = solver.system(&dual, NO_STEP, System::MeanFlow).expect("a system");
            let mut explicit =
                Solver::new(host(1), &dual, &boundaries, &gas, &scheme, Ranks::alone()).expect("a solver");
            explicit.set_second_order(false);
            let mut residuals_of = |j: usize, u: &Conserved| {
                let mut state = state.clone();
                state[j] = state_of(u, 0.0);
                explicit.set_state(&state).expect("a state");
                explicit.residuals().expect("residuals")
            };
            let largest = dual.area.iter().fold(0.0f64, |most, &a| most.max(dot(a, a).sqrt()));
            for j in 0..dual.owned {
                for column in 0..5 {
                    let change = 1e-5;
                    let mut u = of_state(&uniform);
                    u[column] += change;
                    let above = residuals_of(j, &u);
                    u[column] -= 2.0 * change;
                    let below = residuals_of(j, &u);
                    for (i, row_blocks) in system.rows.iter().enumerate() {
                        for row in 0..5 {
                            let found: f64 = row_blocks
                                .iter()
                                .filter(|(to, _)| *to as usize == j)
                                .map(|(_, values)| values[5 * row + column])
                                .sum();
                            let exact = (above[i][row] - below[i][row]) / (2.0 * change);
                            assert!(
                                (found - exact).abs() < 3e-7 * largest,
                                "{elements:?} {periodic:?}: vertex {i}, row {row}, of vertex {j}, column {column}: \
                                 {found:e} and {exact:e}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// The modulus of the Jacobian of the convective flux at Roe's average, times the area, from its eigenvectors.
fn modulus(i: &Values, j: &Values, a: Vector) -> Block {
    let area = dot(a, a).sqrt();
    let n = a.map(|x| x / area);
    let [wi, wj] = [i[0].sqrt(), j[0].sqrt()].map(|w| w / (i[0].sqrt() + j[0].sqrt()));
    let enthalpy = |q: &Values| 3.5 * q[4] + dot([q[1], q[2], q[3]], [q[1], q[2], q[3]]) / 2.0;
    let v: Vector = std::array::from_fn(|d| wi * i[1 + d] + wj * j[1 + d]);
    let (h, vn) = (wi * enthalpy(i) + wj * enthalpy(j), dot(v, n));
    let c = (0.4 * (h - dot(v, v) / 2.0)).sqrt();
    let axis = if n[0].abs() < 0.8 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let t = fr_les::vector::cross(n, axis);
    let t = t.map(|x| x / dot(t, t).sqrt());
    let s = fr_les::vector::cross(n, t);
    let acoustic = |sign: f64| {
        [
            1.0,
            v[0] + sign * c * n[0],
            v[1] + sign * c * n[1],
            v[2] + sign * c * n[2],
            h + sign * c * vn,
        ]
    };
    let columns = [
        acoustic(-1.0),
        [1.0, v[0], v[1], v[2], dot(v, v) / 2.0],
        [0.0, t[0], t[1], t[2], dot(v, t)],
        [0.0, s[0], s[1], s[2], dot(v, s)],
        acoustic(1.0),
    ];
    let right = Block::from_fn(|row, column| columns[column][row]);
    let fixed = |x: f64| {
        let delta = 0.1 * c;
        if x.abs() < delta {
            (x * x / delta + delta) / 2.0
        } else {
            x.abs()
        }
    };
    let speeds = Conserved::new(fixed(vn - c), vn.abs(), vn.abs(), vn.abs(), fixed(vn + c));
    area * right * Block::from_diagonal(&speeds) * right.try_inverse().expect("eigenvectors")
}

fn convective(u: &Conserved, a: Vector) -> Conserved {
    let v = [u[1] / u[0], u[2] / u[0], u[3] / u[0]];
    let p = 0.4 * (u[4] - u[0] * dot(v, v) / 2.0);
    let va = dot(v, a);
    Conserved::new(
        u[0] * va,
        u[1] * va + p * a[0],
        u[2] * va + p * a[1],
        u[3] * va + p * a[2],
        (u[4] + p) * va,
    )
}

/// What leaves vertex i through the facet of an edge to j, with the modulus, viscosities and mean velocity of the
/// states `at`, and the gradient along the edge alone.
fn frozen_flux(ui: &Conserved, uj: &Conserved, at: [&Values; 2], a: Vector, r: Vector) -> Conserved {
    let mu = 1e-2;
    let eddy = |q: &Values| {
        let cube = (q[0] * q[5] / mu).powi(3);
        q[0] * q[5] * cube / (cube + 7.1f64.powi(3))
    };
    let eddy = (eddy(at[0]) + eddy(at[1])) / 2.0;
    let [i, j] = [state_of(ui, 0.0), state_of(uj, 0.0)];
    // The gradient of a variable is its jump times a/(a.r).
    let along = a.map(|x| x / dot(a, r));
    let g: [Vector; 3] = std::array::from_fn(|m| along.map(|x| (j[1 + m] - i[1 + m]) * x));
    let dilatation = g[0][0] + g[1][1] + g[2][2];
    let mut viscous = Conserved::zeros();
    for m in 0..3 {
        for n in 0..3 {
            let trace = if m == n { 2.0 / 3.0 * dilatation } else { 0.0 };
            viscous[1 + m] += (mu + eddy) * (g[m][n] + g[n][m] - trace) * a[n];
        }
        viscous[4] += (at[0][1 + m] + at[1][1 + m]) / 2.0 * viscous[1 + m];
    }
    viscous[4] += 3.5 * (mu / 0.72 + eddy / 0.9) * (j[4] - i[4]) * dot(along, a);
    (convective(ui, a) + convective(uj, a) - modulus(at[0], at[1], a) * (uj - ui)) / 2.0 - viscous
}

/// The derivative of a flux by central differences.
fn derivative(flux: impl Fn(&Conserved) -> Conserved, u: &Conserved) -> Block {
    let change = 1e-6;
    let columns: Vec<Conserved> = (0..5)
        .map(|column| {
            let shift = Conserved::from_fn(|row, _| if row == column { change } else { 0.0 });
            (flux(&(u + shift)) - flux(&(u - shift))) / (2.0 * change)
        })
        .collect();
    Block::from_columns(&columns)
}

#[test]
fn blocks_are_the_derivatives_of_fluxes_with_frozen_coefficients() {
    for elements in ALL {
        let cells = if elements == BoxElements::Mixed {
            [4, 2, 2]
        } else {
            [2, 2, 2]
        };
        let (mesh, _, dual) = box_with_dual(&a_box(elements, cells, [false; 3]), 2);
        let boundaries = duct(&dual, &mesh.boundary_names);
        let mut solver = implicit(host(1), &dual, &boundaries, &GAS, &Scheme::default(), &SETTINGS);
        let state = rough(&dual);
        solver.solver.set_state(&state).expect("a state");
        let system = solver.system(&dual, NO_STEP, System::MeanFlow).expect("a system");
        let on_boundary = |vertex: usize| dual.boundary.iter().any(|b| b.vertex.contains(&(vertex as u32)));
        let held = |vertex: usize| {
            boundaries
                .iter()
                .any(|b| b.is_no_slip() && b.vertex.contains(&(vertex as u32)))
        };
        let (mut interior, mut walls) = (0, 0);
        for i in 0..dual.owned {
            let mut own = Block::zeros();
            for (k, edge) in dual.edges(i).enumerate() {
                let j = dual.neighbour[edge] as usize;
                let (a, r) = (dual.area[edge], dual.displacement[edge]);
                // The kernels take another direction for such edges.
                assert!(
                    dot(a, r) > 0.0 && dot(a, r).powi(2) > 0.01 * dot(a, a) * dot(r, r),
                    "{elements:?}"
                );
                let (qi, qj) = (&state[i], &state[j]);
                let (ui, uj) = (of_state(qi), of_state(qj));
                let of_far = derivative(|u| frozen_flux(&ui, u, [qi, qj], a, r), &uj);
                own += derivative(|u| frozen_flux(u, &uj, [qi, qj], a, r), &ui);
                let (to, values) = &system.rows[i][1 + k];
                assert_eq!(*to as usize, j);
                if !held(i) {
                    let error = (block(values) - of_far).abs().max();
                    assert!(
                        error < 2e-7 * of_far.abs().max().max(0.1),
                        "{elements:?}: {i} {j}: {error:e}"
                    );
                }
            }
            let found = block(&system.rows[i][0].1);
            if !on_boundary(i) {
                let error = (found - own).abs().max();
                assert!(error < 1e-8 * own.abs().max(), "{elements:?}: {i}: {error:e}");
                interior += 1;
            }
            if held(i) {
                for row in 1..4 {
                    assert!(
                        system.rows[i][1..]
                            .iter()
                            .all(|(_, block)| block[5 * row..5 * row + 5] == [0.0; 5])
                    );
                    assert!((1..5).all(|column| found[(row, column)] == f64::from(u8::from(row == column))));
                    assert_eq!(system.right_side[i][row], 0.0);
                }
                walls += 1;
            }
        }
        assert!(interior > 0 && walls > 0);
    }
}

/// Six implicit steps of the duct on a machine, with what they needed.
fn six_steps<M: Machine>(
    store: M,
    elements: BoxElements,
    (preconditioner, model): (Preconditioner, Turbulence),
) -> (Vec<Values>, Vec<usize>) {
    let (mesh, _, dual) = box_with_dual(&a_box(elements, [4, 2, 2], [false, false, true]), 2);
    let boundaries = duct(&dual, &mesh.boundary_names);
    let settings = Implicit {
        preconditioner,
        ..SETTINGS
    };
    let mut solver = implicit(store, &dual, &boundaries, &GAS, &with_model(model), &settings);
    solver.solver.set_state(&rough(&dual)).expect("a state");
    let mut iterations = Vec::new();
    for cfl in [2.0, 4.0, 8.0, 16.0, 32.0, 64.0] {
        let step = solver.step(cfl).expect("a step");
        let solutions = step.solutions();
        iterations.extend([solutions.flow.iterations, solutions.eddy.expect("a model").iterations]);
    }
    let state = solver.solver.state().expect("a state");
    assert!(
        state.iter().flatten().all(|x| x.is_finite()),
        "{elements:?} {preconditioner:?}"
    );
    (state, iterations)
}

#[test]
fn threads_do_not_change_a_bit() {
    for model in MODELS {
        let of = (Preconditioner::GaussSeidel, model);
        let [one, three] = [1, 3].map(|n| six_steps(host(n), BoxElements::Mixed, of));
        assert_eq!(one.1, three.1, "{model:?}");
        assert_eq!(bits(&one.0), bits(&three.0), "{model:?}");
    }
}

#[test]
fn every_model_takes_steps_with_every_preconditioner() {
    for elements in ALL {
        for preconditioner in [Preconditioner::Lines, Preconditioner::Ilu, Preconditioner::Multigrid] {
            for model in MODELS {
                six_steps(host(2), elements, (preconditioner, model));
            }
        }
    }
}

#[test]
fn couette_flow_is_reached_in_a_few_steps() {
    let (mesh, _, dual) = box_with_dual(&a_box(BoxElements::Hex, [2, 6, 1], [true, false, true]), 1);
    let boundaries = conditions(&dual, |b| match mesh.boundary_names[b].as_str() {
        "y+" => (BoundaryKind::NoSlipIsothermal, [0.5, 0.0, 0.0, 1.0, 0.0, 0.0]),
        _ => (BoundaryKind::NoSlipIsothermal, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
    });
    let gas = Gas {
        viscosity: Some(Viscosity::Constant(0.1)),
        ..GAS
    };
    let scheme = Scheme {
        turbulence: Turbulence::None,
        ..Scheme::default()
    };
    let settings = Implicit {
        krylov: 60,
        linear_stop: 1e-3,
        ..SETTINGS
    };
    let mut solver = implicit(host(1), &dual, &boundaries, &gas, &scheme, &settings);
    solver
        .solver
        .set_state(&vec![[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]; dual.len()])
        .expect("a state");
    let mut norms = Vec::new();
    for n in 0..60 {
        norms.push(
            solver
                .step(5.0 * 1.5f64.powi(n.min(20)))
                .expect("a step")
                .solutions()
                .flow
                .right_side,
        );
    }
    // The first step brings the velocity of the wall into the gas.
    assert!(norms[59] < 1e-9 * norms[1], "{norms:?}");
    let state = solver.solver.state().expect("a state");
    for (x, q) in dual.position.iter().zip(&state) {
        let exact = 0.5 * (x[1] - 0.25) / 1.25;
        assert!((q[1] - exact).abs() < 2e-3, "u at {x:?}: {} for {exact}", q[1]);
    }
}

/// A push into gas at rest changes the energy in the second order of the velocity alone.
#[test]
fn steps_that_a_push_makes_too_long_leave_a_temperature() {
    let (_, _, dual) = box_with_dual(&a_box(BoxElements::Hex, [3, 3, 3], [true; 3]), 1);
    let mut solver = implicit(host(1), &dual, &[], &GAS, &with_model(Turbulence::None), &SETTINGS);
    let rest = vec![[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]; dual.len()];
    let push = |volume: &f64| [0.0, 1e3 * volume, 0.0, 0.0, 0.0, 0.0, 0.0];
    let push: Vec<Values> = dual.volume.iter().map(push).collect();
    solver.solver.set_source(&push).expect("a source");
    for implicit in [true, false] {
        solver.solver.set_state(&rest).expect("a state");
        if implicit {
            solver.step(100.0).expect("a step");
        } else {
            solver.solver.step(100.0).expect("a step");
        }
        // The kinetic energy takes a fifth of the heat, but for what the linear solution leaves.
        for q in solver.solver.state().expect("a state") {
            assert!(
                (q[4] - 0.8).abs() < 0.01 && (q[1] - 1.0).abs() < 0.01,
                "{implicit}: {q:?}"
            );
        }
    }
}

mod gpu {
    use super::{MODELS, bits, six_steps};
    use crate::meshes::ALL;
    use fr_les::device::cpu::Host;
    use fr_les::device::cuda::{Gpu, GpuStore};
    use fr_les::steady::Preconditioner;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_bits_of_the_cpu() {
        for elements in ALL {
            for preconditioner in Preconditioner::ALL {
                for model in MODELS {
                    let of = (preconditioner, model);
                    let cpu = six_steps(Host::new(None).expect("threads"), elements, of);
                    let store = GpuStore::new(Gpu::open(0).expect("a GPU"), true).expect("queues");
                    let gpu = six_steps(store, elements, of);
                    assert_eq!(cpu.1, gpu.1, "{elements:?} {of:?}");
                    assert_eq!(bits(&cpu.0), bits(&gpu.0), "{elements:?} {of:?}");
                }
            }
        }
    }
}
