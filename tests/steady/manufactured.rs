//! Solutions that are given, with the sources that make them solutions: the order of the error.

use std::f64::consts::PI;

use crate::meshes::with_dual;
use crate::two_equations::TwoEquations;
use fr_les::case::{BoxElements, BoxMesh, WarpKind};
use fr_les::device::cpu::Host;
use fr_les::mesh::build_box;
use fr_les::physics::{BoundaryKind, Gas, GivenIn, Viscosity};
use fr_les::ranks::Ranks;
use fr_les::steady::{BoundaryList, DualMesh, EddyScale, Scheme, Solver, Turbulence, Values};
use fr_les::vector::{Vector, dot};

const GAMMA: f64 = 1.4;
const PRANDTL: f64 = 0.72;
const EDDY_PRANDTL: f64 = 0.9;
const CV: f64 = 2.5;

/// What is solved.
#[derive(Clone, Copy, PartialEq)]
enum Equations {
    Euler,
    Laminar,
    Turbulent,
    KOmega,
    Sst,
}

/// Intensity of the turbulence at the sides.
const INTENSITY: f64 = 0.3;

impl Equations {
    fn mu(self) -> f64 {
        match self {
            Equations::Euler => 0.0,
            Equations::Laminar => 0.05,
            Equations::Turbulent | Equations::KOmega | Equations::Sst => 1e-3,
        }
    }

    fn model(self) -> Turbulence {
        match self {
            Equations::Euler | Equations::Laminar => Turbulence::None,
            Equations::Turbulent => Turbulence::SaNeg,
            Equations::KOmega => Turbulence::KOmega,
            Equations::Sst => Turbulence::Sst,
        }
    }

    /// Distance from the wall that the turbulence model is given everywhere. That of Menter's model is one at which F1
    /// changes.
    fn distance(self) -> f64 {
        if self == Equations::Sst { 0.25 } else { 1.0 }
    }

    fn gas(self) -> Gas {
        Gas {
            gamma: GAMMA,
            prandtl: PRANDTL,
            gas_constant: 1.0,
            viscosity: (self != Equations::Euler).then_some(Viscosity::Constant(self.mu())),
        }
    }

    /// The solution. nu~, or the eddy viscosity, is five times the viscosity of the gas at the sides, where it is
    /// prescribed.
    fn exact(self, [x, y, z]: Vector) -> Values {
        let rho = 1.0 + 0.1 * (0.9 * PI * x + 0.3).sin() * (0.7 * PI * y).cos();
        let bubble = (PI * x).sin() * (PI * y).sin() * (PI * z).sin();
        let v = [
            0.4 + 0.08 * (1.1 * PI * y).sin() * (0.5 * PI * x).cos(),
            0.3 + 0.06 * (PI * x + 0.5 * PI * z).cos() * (0.6 * PI * y + 0.2).sin(),
            0.2 + 0.05 * (0.8 * PI * z + 0.4 * PI * x).sin(),
        ];
        let t = 1.0 + 0.08 * (0.8 * PI * y + 0.2).cos() * (0.5 * PI * x + 0.4 * PI * z).sin();
        let energy = 1.5 * INTENSITY.powi(2) * dot(v, v);
        let of_model = match self.model() {
            Turbulence::KOmega | Turbulence::Sst => [
                energy * (1.0 + 0.5 * bubble),
                rho * energy / (5.0 * self.mu()) * (1.0 + 0.3 * bubble),
            ],
            _ => [(5.0 + 3.0 * bubble) * self.mu() / rho, 0.0],
        };
        [rho, v[0], v[1], v[2], t, of_model[0], of_model[1]]
    }

    /// The models of k and omega at a point, in the formulas of NASA's Turbulence Modeling Resource (Wilcox2006m,
    /// SST-Vm).
    fn two_equations(self, x: Vector) -> TwoEquations {
        let (q, g) = (self.exact(x), self.gradient(x));
        let [rho, _, _, _, _, k, omega] = q;
        let velocity: [Vector; 3] = std::array::from_fn(|i| g[1 + i]);
        let cross = dot(g[5], g[6]);
        TwoEquations::of(
            self.model(),
            [rho, k, omega, self.mu(), self.distance(), cross],
            &velocity,
        )
    }

    fn eddy_viscosity(self, x: Vector) -> f64 {
        let q = self.exact(x);
        match self.model() {
            Turbulence::None => 0.0,
            Turbulence::SaNeg => {
                let cube = (q[0] * q[5] / self.mu()).powi(3);
                q[0] * q[5] * cube / (cube + 7.1f64.powi(3))
            }
            Turbulence::KOmega | Turbulence::Sst => self.two_equations(x).eddy_viscosity,
        }
    }

    /// Convective and viscous flux in direction `d`, the latter outward of what it leaves; the last components are
    /// the diffusive fluxes of the model.
    fn fluxes(self, x: Vector, d: usize) -> [Values; 2] {
        let q = self.exact(x);
        let rho = q[0];
        let v = [q[1], q[2], q[3]];
        let t = q[4];
        let p = rho * t;
        let mass = rho * v[d];
        let mut convective = [0.0; 7];
        convective[0] = mass;
        for k in 0..3 {
            convective[1 + k] = mass * v[k] + if k == d { p } else { 0.0 };
        }
        convective[4] = mass * ((CV + 1.0) * t + dot(v, v) / 2.0);
        let mut viscous = [0.0; 7];
        if self != Equations::Euler {
            let g = self.gradient(x);
            let (mu, eddy) = (self.mu(), self.eddy_viscosity(x));
            let dilatation = g[1][0] + g[2][1] + g[3][2];
            for k in 0..3 {
                let strain = g[1 + d][k] + g[1 + k][d] - if k == d { 2.0 / 3.0 * dilatation } else { 0.0 };
                viscous[1 + k] = -(mu + eddy) * strain;
                viscous[4] += v[k] * viscous[1 + k];
            }
            let cp = CV + 1.0;
            viscous[4] -= (mu * cp / PRANDTL + eddy * cp / EDDY_PRANDTL) * g[4][d];
            if self.model().has_two_equations() {
                let [of_k, of_omega] = self.two_equations(x).diffusivity;
                viscous[5] = -of_k * g[5][d];
                viscous[6] = -of_omega * g[6][d];
            } else {
                viscous[5] = -1.5 * (mu + rho * q[5]) * g[5][d];
            }
        }
        [convective, viscous]
    }

    /// Gradients of the solution, `[variable][direction]`.
    fn gradient(self, x: Vector) -> [[f64; 3]; 7] {
        let by_direction: [Values; 3] = std::array::from_fn(|d| derivative(|y| self.exact(y), x, d));
        std::array::from_fn(|v| std::array::from_fn(|d| by_direction[d][v]))
    }

    /// Mass, momentum, energy and what the model transports per volume and time that keep the solution steady.
    fn source(self, x: Vector) -> Values {
        let mut source = [0.0; 7];
        for d in 0..3 {
            let divergence: Values = derivative(
                |y| {
                    let [c, v] = self.fluxes(y, d);
                    std::array::from_fn(|k| c[k] + v[k])
                },
                x,
                d,
            );
            (0..7).for_each(|k| source[k] += divergence[k]);
        }
        match self.model() {
            Turbulence::None => source[5] = 0.0,
            Turbulence::SaNeg => source[5] += self.model_source(x),
            Turbulence::KOmega | Turbulence::Sst => {
                let q = self.exact(x);
                let g = self.gradient(x);
                let own = self.two_equations(x).source;
                for e in 0..2 {
                    let convection = q[0] * dot([q[1], q[2], q[3]], g[5 + e]);
                    source[5 + e] += convection - own[e];
                }
            }
        }
        source
    }

    /// Convection less production, destruction and the products of gradients of the model, in the formulas of NASA's
    /// Turbulence Modeling Resource (SA with ft2, c2 = 0.7, c3 = 0.9).
    fn model_source(self, x: Vector) -> f64 {
        let (q, g) = (self.exact(x), self.gradient(x));
        let rho = q[0];
        let nu_tilde = q[5];
        let nu = self.mu() / q[0];
        let convection = rho * (q[1] * g[5][0] + q[2] * g[5][1] + q[3] * g[5][2]);
        let curl = [g[3][1] - g[2][2], g[1][2] - g[3][0], g[2][0] - g[1][1]];
        let omega = dot(curl, curl).sqrt();
        let cb1 = 0.1355;
        let cb2 = 0.622;
        let sigma = 2.0 / 3.0;
        let kappa = 0.41f64;
        let chi = nu_tilde / nu;
        let fv1 = chi.powi(3) / (chi.powi(3) + 7.1f64.powi(3));
        let fv2 = 1.0 - chi / (1.0 + chi * fv1);
        let ft2 = 1.2 * (-0.5 * chi * chi).exp();
        let kd2 = (kappa * self.distance()).powi(2);
        let extra = nu_tilde * fv2 / kd2;
        let shear = if extra >= -0.7 * omega {
            omega + extra
        } else {
            omega + omega * (0.49 * omega + 0.9 * extra) / ((0.9 - 1.4) * omega - extra)
        };
        let r = (nu_tilde / (shear * kd2)).min(10.0);
        let g_of_r = r + 0.3 * (r.powi(6) - r);
        let fw = g_of_r * (65.0 / (g_of_r.powi(6) + 64.0)).powf(1.0 / 6.0);
        let cw1 = cb1 / kappa.powi(2) + (1.0 + cb2) / sigma;
        let production = cb1 * (1.0 - ft2) * shear * nu_tilde;
        let destruction = (cw1 * fw - cb1 / kappa.powi(2) * ft2) * (nu_tilde / self.distance()).powi(2);
        let spread = cb2 / sigma * rho * dot(g[5], g[5]) - (nu + nu_tilde) / sigma * dot(g[0], g[5]);
        convection - rho * (production - destruction) - spread
    }
}

/// A central difference of fourth order.
fn derivative<const N: usize>(f: impl Fn(Vector) -> [f64; N], x: Vector, d: usize) -> [f64; N] {
    const H: f64 = 2e-3;
    let at = |step: f64| {
        let mut y = x;
        y[d] += step * H;
        f(y)
    };
    let [a, b, c, e] = [at(1.0), at(-1.0), at(2.0), at(-2.0)];
    std::array::from_fn(|k| (8.0 * (a[k] - b[k]) - (c[k] - e[k])) / (12.0 * H))
}

fn far_field(equations: Equations, dual: &DualMesh) -> Vec<BoundaryList> {
    let data = |x: Vector| {
        let [rho, u, v, w, t, ..] = equations.exact(x);
        let energy = rho * (CV * t + (u * u + v * v + w * w) / 2.0);
        [rho, rho * u, rho * v, rho * w, energy, 0.0]
    };
    let list = |b: &fr_les::steady::BoundaryVertices| BoundaryList {
        kind: BoundaryKind::FarField,
        vertex: b.vertex.clone(),
        area: b.area.clone(),
        data: b.vertex.iter().map(|&v| data(dual.position[v as usize])).collect(),
        ratio: 5.0,
        given: GivenIn::Relative,
    };
    dual.boundary.iter().map(list).collect()
}

/// Returns the errors of the variables (root of the mean square over the volume) on a warped cube of so many cells
/// of order 1.
fn errors(equations: Equations, elements: BoxElements, cells: usize) -> Values {
    let cube = BoxMesh {
        cells: [cells; 3],
        lower: [0.0; 3],
        upper: [1.0; 3],
        periodic: [false; 3],
        elements,
        stretch: [None; 3],
        warp: 0.05,
        warp_kind: WarpKind::Curved,
    };
    let (_, _, mut dual) = with_dual(build_box(&cube, 1).expect("a box"), 1, &Ranks::alone()).expect("a dual");
    dual.wall_distance.iter_mut().for_each(|d| *d = equations.distance());
    let scheme = Scheme {
        turbulence: equations.model(),
        second_order_turbulence: true,
        intensity: INTENSITY,
        scale: EddyScale::Ratio(5.0),
        ..Scheme::default()
    };
    let boundaries = far_field(equations, &dual);
    let store = Host::new(Some(1)).expect("threads");
    let mut solver =
        Solver::new(store, &dual, &boundaries, &equations.gas(), &scheme, Ranks::alone()).expect("a solver");
    let exact: Vec<Values> = dual.position.iter().map(|&x| equations.exact(x)).collect();
    let mut source: Vec<Values> = (dual.position.iter().zip(&dual.volume))
        .map(|(&x, volume)| equations.source(x).map(|s| s * volume))
        .collect();
    // The solver lets no viscous flux pass a far field, so that the source stands for what passes.
    for boundary in &dual.boundary {
        for (&vertex, area) in boundary.vertex.iter().zip(&boundary.area) {
            for d in 0..3 {
                let [_, viscous] = equations.fluxes(dual.position[vertex as usize], d);
                for k in 0..7 {
                    source[vertex as usize][k] -= viscous[k] * area[d];
                }
            }
        }
    }
    solver.set_source(&source).expect("a source");
    solver.set_state(&exact).expect("a state");
    let size = |solver: &mut Solver<Host>| {
        let residuals = solver.residuals().expect("residuals");
        // What a laminar flow carries along is no solution.
        let end = if equations.model() == Turbulence::None { 5 } else { 7 };
        [0..5, 5..end.min(6), end.min(6)..end].map(|of| {
            let all = || residuals.iter().flat_map(|r| &r[of.clone()]);
            assert!(all().all(|r| r.is_finite()), "{elements:?}, {cells} cells: divergence");
            all().fold(0.0f64, |most, r| most.max(r.abs()))
        })
    };
    let start = size(&mut solver);
    let mut steps = 0;
    let mut left = start;
    while left[0] > 1e-6 * start[0] || left[1] > 1e-3 * start[1] || left[2] > 1e-3 * start[2] {
        (0..20).for_each(|_| solver.step(2.0).expect("a step"));
        steps += 20;
        left = size(&mut solver);
        assert!(steps < 2000, "{elements:?}, {cells} cells: no convergence");
    }
    let state = solver.state().expect("a state");
    let volume: f64 = dual.volume.iter().sum();
    std::array::from_fn(|k| {
        let squares = (state.iter().zip(&exact).zip(&dual.volume)).map(|((a, b), v)| v * (a[k] - b[k]).powi(2));
        (squares.sum::<f64>() / volume).sqrt()
    })
}

/// Asserts the order of the errors of the first `variables` variables between two meshes.
fn assert_order(equations: Equations, elements: BoxElements, cells: [usize; 2], variables: usize, least: f64) {
    let [coarse, fine] = cells.map(|cells| errors(equations, elements, cells));
    let ratio = cells[1] as f64 / cells[0] as f64;
    for k in 0..variables {
        let order = (coarse[k] / fine[k]).ln() / ratio.ln();
        println!(
            "{elements:?} variable {k}: {:.3e} {:.3e} order {order:.2}",
            coarse[k], fine[k]
        );
        assert!(order >= least, "{elements:?}: variable {k} is of order {order}");
    }
}

#[test]
fn inviscid_flow_is_of_second_order() {
    for elements in [BoxElements::Hex, BoxElements::Prism, BoxElements::Tet] {
        assert_order(Equations::Euler, elements, [8, 16], 5, 1.9);
    }
}

#[test]
fn laminar_flow_is_of_second_order() {
    for elements in [BoxElements::Hex, BoxElements::Tet] {
        assert_order(Equations::Laminar, elements, [8, 16], 5, 1.9);
    }
}

#[test]
fn the_turbulence_model_is_of_second_order() {
    assert_order(Equations::Turbulent, BoxElements::Hex, [8, 16], 6, 1.8);
}

#[test]
fn models_of_k_and_omega_are_of_second_order() {
    for equations in [Equations::KOmega, Equations::Sst] {
        assert_order(equations, BoxElements::Hex, [8, 16], 7, 1.8);
    }
}
