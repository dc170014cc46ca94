//! The models of k and omega: sources and eddy viscosities against an evaluation of our own, the decay of turbulence
//! behind an inlet, walls, and the linear system of implicit steps against finite differences.

use fr_les::case::{BoxElements, BoxMesh, WarpKind};
use fr_les::device::cpu::Host;
use fr_les::mesh::build_box;
use fr_les::physics::{BoundaryKind, Gas, Viscosity};
use fr_les::ranks::Ranks;
use fr_les::steady::{
    BoundaryList, DualMesh, EddyScale, Implicit, Preconditioner, Scheme, Solver, System, Turbulence, Values,
    sst_viscosity, wilcox_viscosity,
};
use fr_les::vector::Vector;

use crate::implicit::implicit;
use crate::meshes::{a_box, box_with_dual, with_dual};
use crate::solver::{GAS, conditions, conserved, duct, rough, with_model};

const BOTH: [Turbulence; 2] = [Turbulence::KOmega, Turbulence::Sst];
const MU: f64 = 1e-2;

/// What a model says at a point, by sums over the components of tensors.
pub struct TwoEquations {
    /// mu_t.
    pub eddy_viscosity: f64,
    /// What k and omega diffuse with.
    pub diffusivity: [f64; 2],
    /// Sources of rho k and rho omega.
    pub source: [f64; 2],
}

impl TwoEquations {
    /// Evaluates the formulas of NASA's Turbulence Modeling Resource (Wilcox2006m, SST-Vm) with the density, k, omega,
    /// the viscosity, the distance from the wall and grad k . grad omega, and the gradients of the velocity components.
    pub fn of(model: Turbulence, [rho, k, omega, mu, d, cross]: [f64; 6], g: &[Vector; 3]) -> Self {
        let divergence = g[0][0] + g[1][1] + g[2][2];
        let s = |i: usize, j: usize| 0.5 * (g[i][j] + g[j][i]);
        let w = |i: usize, j: usize| 0.5 * (g[i][j] - g[j][i]);
        let delta = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        let pairs = || (0..9).map(|n| (n / 3, n % 3));
        let vorticity = pairs().map(|(i, j)| 2.0 * w(i, j).powi(2)).sum::<f64>().sqrt();
        if model == Turbulence::KOmega {
            let traceless = |i, j| s(i, j) - divergence / 3.0 * delta(i, j);
            let square: f64 = pairs().map(|(i, j)| 2.0 * traceless(i, j).powi(2)).sum();
            let eddy = rho * k / omega.max(0.875 * (square / 0.09).sqrt());
            // P = tau_ij dv_i/dx_j.
            let stress = |i, j| 2.0 * eddy * traceless(i, j);
            let production: f64 = pairs().map(|(i, j)| stress(i, j) * g[i][j]).sum();
            let hat = |i, j| s(i, j) - 0.5 * divergence * delta(i, j);
            let triple: f64 = (0..27)
                .map(|n| (n / 9, n / 3 % 3, n % 3))
                .map(|(i, j, l)| w(i, j) * w(j, l) * hat(l, i))
                .sum();
            let x = triple.abs() / (0.09 * omega).powi(3);
            let beta = 0.0708 * (1.0 + 85.0 * x) / (1.0 + 100.0 * x);
            let sigma_d = if cross > 0.0 { 0.125 } else { 0.0 };
            return TwoEquations {
                eddy_viscosity: eddy,
                diffusivity: [mu + 0.6 * rho * k / omega, mu + 0.5 * rho * k / omega],
                source: [
                    production.min(20.0 * 0.09 * rho * omega * k) - 0.09 * rho * omega * k,
                    13.0 / 25.0 * omega / k * production - beta * rho * omega * omega + sigma_d * rho / omega * cross,
                ],
            };
        }
        let (inner, viscous) = (k.sqrt() / (0.09 * omega * d), 500.0 * mu / rho / (d * d * omega));
        let diffusion = (2.0 * rho * 0.856 / omega * cross).max(1e-20);
        let arg = inner.max(viscous).min(4.0 * rho * 0.856 * k / (diffusion * d * d));
        let f1 = arg.powi(4).tanh();
        let f2 = (2.0 * inner).max(viscous).powi(2).tanh();
        let blend = |a: f64, b: f64| f1 * a + (1.0 - f1) * b;
        let gamma = |beta: f64, sigma: f64| beta / 0.09 - sigma * 0.41f64.powi(2) / 0.09f64.sqrt();
        let beta = blend(0.075, 0.0828);
        let eddy = rho * 0.31 * k / (0.31 * omega).max(vorticity * f2);
        let production = eddy * vorticity * vorticity;
        TwoEquations {
            eddy_viscosity: eddy,
            diffusivity: [mu + blend(0.85, 1.0) * eddy, mu + blend(0.5, 0.856) * eddy],
            source: [
                production.min(20.0 * 0.09 * rho * omega * k) - 0.09 * rho * omega * k,
                blend(gamma(0.075, 0.5), gamma(0.0828, 0.856)) * rho / eddy * production - beta * rho * omega * omega
                    + 2.0 * (1.0 - f1) * rho * 0.856 / omega * cross,
            ],
        }
    }
}

fn host() -> Host {
    Host::new(Some(1)).expect("threads")
}

/// A straight box of cubes.
fn straight(cells: [usize; 3], upper: Vector, periodic: [bool; 3]) -> BoxMesh {
    BoxMesh {
        cells,
        lower: [0.0; 3],
        upper,
        periodic,
        elements: BoxElements::Hex,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    }
}

fn inside(dual: &DualMesh) -> Vec<usize> {
    let outside = |v: usize| dual.boundary.iter().any(|b| b.vertex.contains(&(v as u32)));
    (0..dual.owned).filter(|&v| !outside(v)).collect()
}

#[test]
fn sources_are_those_of_the_formulas() {
    let (_, _, mut dual) = box_with_dual(&straight([3, 3, 3], [0.3; 3], [false; 3]), 1);
    // Shears, rotations and stretching, with and without dilatation; the last are so strong that limits hold.
    let velocities: [[Vector; 3]; 5] = [
        [[0.3, 0.8, -0.2], [0.1, -0.5, 0.4], [0.6, 0.2, 0.2]],
        [[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        [[0.4, -1.0, 0.5], [1.5, 0.3, 0.2], [-0.4, 0.6, 0.5]],
        [[3.0, 60.0, 0.0], [9.0, -6.0, 2.0], [0.0, 5.0, 3.5]],
        [[0.0, 9.0, 0.0], [-9.0, 0.0, 0.0], [0.5, 0.0, 0.0]],
    ];
    let (rho, t) = (1.3, 0.9);
    let mut limited = 0;
    for model in BOTH {
        let boundaries = conditions(&dual, |_| (BoundaryKind::FarField, conserved([1.0; 7])));
        for g in &velocities {
            for (k, omega, d) in [
                (0.05, 4.0, f64::INFINITY),
                (0.05, 4.0, 1.0),
                (0.02, 0.9, 0.3),
                (0.4, 30.0, 0.21),
            ] {
                dual.wall_distance.iter_mut().for_each(|distance| *distance = d);
                let mut solver = Solver::new(host(), &dual, &boundaries, &GAS, &with_model(model), Ranks::alone())
                    .expect("a solver");
                let state: Vec<Values> = (dual.position.iter())
                    .map(|x| {
                        let v: Vector = std::array::from_fn(|i| 0.2 + (0..3).map(|j| g[i][j] * x[j]).sum::<f64>());
                        [rho, v[0], v[1], v[2], t, k, omega]
                    })
                    .collect();
                solver.set_state(&state).expect("a state");
                let residuals = solver.residuals().expect("residuals");
                // Of uniform k and omega nothing is convected or diffuses.
                let own = TwoEquations::of(model, [rho, k, omega, MU, d, 0.0], g);
                let production = own.source[0] + 0.09 * rho * omega * k;
                limited += usize::from(production > 0.999 * 20.0 * 0.09 * rho * omega * k);
                for v in inside(&dual) {
                    for e in 0..2 {
                        let found = -residuals[v][5 + e] / dual.volume[v];
                        let size = [rho * omega * k, rho * omega * omega][e].max(own.source[e].abs());
                        assert!(
                            (found - own.source[e]).abs() < 1e-10 * size,
                            "{model:?} {k} {omega} {d} {g:?}: {found:e} {:e}",
                            own.source[e]
                        );
                    }
                }
                // The eddy viscosity of reports is that of the same formulas.
                let reported = match model {
                    Turbulence::KOmega => wilcox_viscosity(k, omega, g),
                    _ => sst_viscosity(k, omega, MU / rho, d, g),
                };
                assert!((rho * reported / own.eddy_viscosity - 1.0).abs() < 1e-12, "{model:?}");
            }
        }
    }
    assert!(limited > 0, "the limit of the production was never reached");
}

/// A duct in which uniform gas flows along x with turbulence that decays.
struct Decay {
    cells: usize,
    dual: DualMesh,
    boundaries: Vec<BoundaryList>,
    gas: Gas,
    scheme: Scheme,
    start: Vec<Values>,
}

const SPEED: f64 = 0.5;
const OMEGA: f64 = 8.0;

impl Decay {
    fn new(model: Turbulence, cells: usize) -> Self {
        let mesh = build_box(&straight([cells, 1, 1], [1.0, 0.1, 0.1], [false, true, true]), 1).expect("a box");
        let (_, _, mut dual) = with_dual(mesh, 1, &Ranks::alone()).expect("a dual");
        dual.wall_distance.iter_mut().for_each(|d| *d = f64::INFINITY);
        let (mu, intensity) = (1e-8, 1e-3);
        let k = 1.5 * (intensity * SPEED).powi(2);
        let uniform = [1.0, SPEED, 0.0, 0.0, 1.0, k, OMEGA];
        Decay {
            cells,
            boundaries: conditions(&dual, |_| (BoundaryKind::FarField, conserved(uniform))),
            gas: Gas {
                viscosity: Some(Viscosity::Constant(mu)),
                ..GAS
            },
            scheme: Scheme {
                second_order_turbulence: true,
                intensity,
                scale: EddyScale::Ratio(k / (mu * OMEGA)),
                ..with_model(model)
            },
            start: vec![uniform; dual.len()],
            dual,
        }
    }

    /// The state after explicit steps, which no longer change it.
    fn explicit(&self) -> Vec<Values> {
        let (dual, boundaries) = (&self.dual, &self.boundaries);
        let mut solver =
            Solver::new(host(), dual, boundaries, &self.gas, &self.scheme, Ranks::alone()).expect("a solver");
        solver.set_state(&self.start).expect("a state");
        (0..60 * self.cells).for_each(|_| solver.step(2.5).expect("a step"));
        solver.state().expect("a state")
    }

    /// The largest errors of k and omega over their values at the inlet, where the laws of decay are
    ///     omega = omega0/(1 + beta omega0 x/U),    k = k0 (1 + beta omega0 x/U)^(-beta*/beta)
    fn errors(&self, state: &[Values]) -> [f64; 2] {
        // Far from walls F1 = 0.
        let beta = if self.scheme.turbulence == Turbulence::Sst {
            0.0828
        } else {
            0.0708
        };
        let mut most = [0.0f64; 2];
        for (x, q) in self.dual.position.iter().zip(state) {
            let growth = 1.0 + beta * OMEGA * x[0] / SPEED;
            let k0 = self.start[0][5];
            let exact = [growth.powf(-0.09 / beta), 1.0 / growth];
            let found = [q[5] / k0, q[6] / OMEGA];
            (0..2).for_each(|e| most[e] = most[e].max((found[e] - exact[e]).abs()));
        }
        most
    }
}

#[test]
fn turbulence_behind_an_inlet_decays_by_its_law() {
    for model in BOTH {
        let [coarse, fine] = [32, 64].map(|cells| {
            let decay = Decay::new(model, cells);
            decay.errors(&decay.explicit())
        });
        for e in 0..2 {
            let order = (coarse[e] / fine[e]).log2();
            println!("{model:?} {e}: {:e} {:e}, order {order}", coarse[e], fine[e]);
            assert!(order > 1.8 && fine[e] < 1e-3, "{model:?} {e}: {coarse:?} {fine:?}");
        }
    }
}

#[test]
fn the_turbulence_that_enters_may_have_a_length() {
    let decay = Decay::new(Turbulence::KOmega, 4);
    let k = decay.start[0][5];
    // L = sqrt(k)/(0.09^(1/4) omega) gives the same omega as the ratio.
    let scheme = Scheme {
        scale: EddyScale::Length(k.sqrt() / (0.09f64.powf(0.25) * OMEGA)),
        ..decay.scheme
    };
    let [by_ratio, by_length] = [decay.scheme, scheme].map(|scheme| {
        let (dual, boundaries) = (&decay.dual, &decay.boundaries);
        let mut solver = Solver::new(host(), dual, boundaries, &decay.gas, &scheme, Ranks::alone()).expect("a solver");
        // What enters differs from what is there.
        let state: Vec<Values> = decay
            .start
            .iter()
            .map(|q| [1.0, SPEED, 0.0, 0.0, 1.0, 2.0 * q[5], 3.0 * q[6]])
            .collect();
        solver.set_state(&state).expect("a state");
        solver.residuals().expect("residuals")
    });
    for (a, b) in by_ratio.iter().zip(&by_length) {
        assert!((a[6] - b[6]).abs() < 1e-12 * a[6].abs().max(1e-3), "{a:?} {b:?}");
    }
}

const SETTINGS: Implicit = Implicit {
    preconditioner: Preconditioner::GaussSeidel,
    sweeps: 2,
    krylov: 30,
    linear_stop: 1e-3,
    refresh: None,
};

#[test]
fn implicit_steps_reach_the_solution_of_explicit_ones_in_a_few() {
    for model in BOTH {
        let decay = Decay::new(model, 16);
        let of = |second_order_turbulence| {
            let scheme = Scheme {
                second_order_turbulence,
                ..decay.scheme
            };
            let mut solver = implicit(host(), &decay.dual, &decay.boundaries, &decay.gas, &scheme, &SETTINGS);
            solver.solver.set_state(&decay.start).expect("a state");
            let mut norms = Vec::new();
            for _ in 0..40 {
                norms.push(
                    solver
                        .step(1e6)
                        .expect("a step")
                        .solutions()
                        .eddy
                        .expect("a model")
                        .right_side,
                );
            }
            (norms, solver.solver.state().expect("a state"))
        };
        // The matrix is that of first order: Newton's method for it.
        let (norms, _) = of(false);
        assert!(norms[12] < 1e-8 * norms[0], "{model:?}: {norms:?}");
        let (norms, state) = of(true);
        assert!(norms[39] < 1e-6 * norms[0], "{model:?}: {norms:?}");
        for (a, b) in decay.explicit().iter().zip(&state) {
            let differences = [5, 6].map(|e| (a[e] / b[e] - 1.0).abs());
            assert!(differences.iter().all(|d| *d < 1e-6), "{model:?}: {differences:?}");
        }
    }
}

#[test]
fn the_linear_system_is_the_derivative_of_the_residual_in_uniform_flow() {
    let (_, _, mut dual) = box_with_dual(&straight([3, 2, 2], [0.3, 0.2, 0.2], [false, false, true]), 1);
    // Far from walls F1 = 0, whose change with k and omega is no part of the system.
    dual.wall_distance.iter_mut().for_each(|d| *d = f64::INFINITY);
    let uniform: Values = [1.1, 0.4, 0.3, 0.2, 0.9, 0.05, 4.0];
    let boundaries = conditions(&dual, |_| (BoundaryKind::FarField, conserved(uniform)));
    for model in BOTH {
        let scheme = with_model(model);
        let mut solver = implicit(host(), &dual, &boundaries, &GAS, &scheme, &SETTINGS);
        let state = vec![uniform; dual.len()];
        solver.solver.set_state(&state).expect("a state");
        let system = solver.system(&dual, 1e30, System::Turbulence).expect("a system");
        let mut explicit = Solver::new(host(), &dual, &boundaries, &GAS, &scheme, Ranks::alone()).expect("a solver");
        let mut derivative = |j: usize, column: usize| -> Vec<[f64; 2]> {
            let change = 1e-5 * uniform[5 + column];
            let mut residuals = |sign: f64| {
                let mut state = state.clone();
                state[j][5 + column] += sign * change;
                explicit.set_state(&state).expect("a state");
                explicit.residuals().expect("residuals")
            };
            let (above, below) = (residuals(1.0), residuals(-1.0));
            let of_row = |(a, b): (&Values, &Values)| [5, 6].map(|e| (a[e] - b[e]) / (2.0 * change));
            above.iter().zip(&below).map(of_row).collect()
        };
        let all: Vec<[Vec<[f64; 2]>; 2]> = (0..dual.owned)
            .map(|j| [0, 1].map(|column| derivative(j, column)))
            .collect();
        for (i, blocks) in system.rows.iter().enumerate() {
            for row in 0..2 {
                // Rows are divided by the own coefficient and the present value, and columns hold relative increments.
                let scale = all[i][row][i][row] * uniform[5 + row];
                for j in 0..dual.owned {
                    for column in 0..2 {
                        let found: f64 = (blocks.iter())
                            .filter(|(to, _)| *to as usize == j)
                            .map(|(_, values)| values[2 * row + column])
                            .sum();
                        let exact = all[j][column][i][row] * uniform[5 + column] / scale;
                        assert!(
                            (found - exact).abs() < 1e-6,
                            "{model:?}: {i} {row}, {j} {column}: {found:e} {exact:e}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn walls_hold_k_and_omega_and_all_values_remain_positive() {
    let (mesh, _, dual) = box_with_dual(&a_box(BoxElements::Mixed, [4, 2, 2], [false; 3]), 3);
    let boundaries = duct(&dual, &mesh.boundary_names);
    for model in BOTH {
        let beta = if model == Turbulence::Sst { 0.075 } else { 0.0708 };
        let mut solver =
            Solver::new(host(), &dual, &boundaries, &GAS, &with_model(model), Ranks::alone()).expect("a solver");
        solver.set_state(&rough(&dual)).expect("a state");
        (0..10).for_each(|_| solver.step(1.5).expect("a step"));
        let state = solver.state().expect("a state");
        let mut walls = vec![false; dual.owned];
        for boundary in boundaries.iter().filter(|b| b.is_no_slip()) {
            boundary.vertex.iter().for_each(|&v| walls[v as usize] = true);
        }
        for v in 0..dual.owned {
            let [rho, .., k, omega] = state[v];
            assert!(omega > 0.0 && (k > 0.0 || walls[v]), "{model:?}: {k:e} {omega:e}");
            let off = (dual.edges(v).map(|edge| dual.neighbour[edge] as usize))
                .filter(|&n| dual.wall_distance[n] > 0.0)
                .map(|n| dual.wall_distance[n]);
            let nearest = off.fold(f64::INFINITY, f64::min);
            if walls[v] && nearest.is_finite() {
                let exact = 60.0 * MU / rho / (beta * nearest * nearest);
                assert!(
                    k == 0.0 && (omega / exact - 1.0).abs() < 1e-13,
                    "{model:?}: {omega:e} {exact:e}"
                );
            }
        }
    }
}
